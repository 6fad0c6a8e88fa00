#ifndef BATCH_H
#define BATCH_H

/* A batch planned by several methods: what the parts share. Ticks are
 * microseconds. */

#include <sched/sked.h>

#include "../workload/names.h"
#include "../workload/out.h"
#include "../workload/print.h"
#include "../workload/rows.h"

enum {
    BAD_INPUT = 2,
    METHODS = SKED_BATCH_METHOD_ADAPT, /* of `all` */
    NAMED = SKED_BATCH_METHOD_AUTO,
    SIGMAS = 5,
    TAUS = 3,
    TICKS = 1000000 /* a second */
};

enum { FORM_TABLE, FORM_JSON };

typedef struct batch_options {
    const char *file; /* NULL: the bundled batch */
    const char *plot;
    uint32_t method; /* enum sked_batch_method; 0: all */
    uint32_t cores;
    uint32_t nodes;
    int form;
    int sweep;
    int64_t start; /* of the model, in ticks */
    int64_t block;
    int64_t slot;
    sked_batch_options plan;
} batch_options;

/* The tasks of the file, as columns. */
typedef struct tasks {
    names name;
    uint32_t n;
    uint32_t cap;
    uint64_t *bytes;
    uint64_t *blocks;
    uint8_t *label;
    int64_t *multiplier;
    int has_blocks;
    int has_label;
} tasks;

typedef struct answer {
    uint32_t method; /* that was asked for */
    sked_batch_result result;
    sked_batch_span *spans;
} answer;

typedef struct answers {
    tasks in;
    int64_t *actual;
    uint32_t n;
    answer all[METHODS];
    sked_batch_cell cells[SIGMAS * TAUS];
} answers;

/* ---- options.c ---- */

/* The name of a method on the command line, from 1. */
const char *method_name(uint32_t method);

/* 0: go on; else the exit status plus one. */
int options_read(batch_options *o, int argc, char **argv);

/* ---- read.c ---- */

/* Reads the file, or the bundled batch. 0: see the fault. */
int tasks_read(tasks *in, const batch_options *o, input_fault *fault);
void tasks_free(tasks *in);

/* ---- bundled.c ---- */

extern const char bundled_tasks[];

/* ---- run.c ---- */

int answers_make(answers *a, const batch_options *o, input_fault *fault);
void answers_free(answers *a);

/* ---- print.c ---- */

void table_print(FILE *file, const answers *a, const batch_options *o);
void json_print(FILE *file, const answers *a, const batch_options *o);

/* ---- plot.c ---- */

/* Gantt charts and use over time, or a heat map of the sweep, as SVG. 0: no
 * memory. */
int plot_print(FILE *file, const answers *a, const batch_options *o);

#endif
