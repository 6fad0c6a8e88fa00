#ifndef ADVISE_H
#define ADVISE_H

/* A plan from the first weeks, tried on the next ones. */

#include "../daily_report/daily_report.h"

typedef struct advise_options {
    report_options report; /* what the readers of a day want */
    int64_t learn_ppm;     /* part of the time that is learned from */
    int64_t slo_ppm;       /* of the run time, where no SLO is said */
    int64_t head_room;     /* ppm, for applications; 0: the usual */
    int64_t heartbeat;     /* ns */
    uint32_t guaranteed;   /* tiers */
    int text;              /* print the diff as well */
} advise_options;

/* The state of the program. */
typedef struct advising {
    day d; /* its window is what is learned from */
    int64_t middle;
    sked_tree *tree; /* in force: a leaf for each queue */
    sked_queue_id *leaf;
    sked_advice *advice;
    sked_advice_side side[2];
    uint32_t first; /* job that is replayed */
    uint32_t n;     /* and how many from there on */
} advising;

/* 0: go on; else the exit status plus one. */
int advise_options_read(advise_options *o, int argc, char **argv);

/* ---- learn.c, prove.c: 0: see the fault ---- */

int advise_learn(advising *a, const advise_options *o, input_fault *fault);
int advise_prove(advising *a, const advise_options *o, input_fault *fault);
void advise_free(advising *a);

/* ---- print.c ---- */

/* 0: the tiers are not in order. */
int advise_print(const advising *a, const advise_options *o);

#endif
