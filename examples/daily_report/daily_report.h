#ifndef DAILY_REPORT_H
#define DAILY_REPORT_H

/* The daily report of a cluster's manager: declarations that the parts
 * share. */

#include <sched/sked.h>

#include "../workload/workload.h"

enum { BAD_INPUT = 2, TIERS = 3, MOST_WORST = 20 };

#define DAY_NS INT64_C(86400000000000)

typedef struct report_options {
    const char *file; /* NULL: the bundled month */
    const char *tree; /* NULL: nothing but a root */
    const char *instance;
    int64_t instances; /* that the cluster has; 0: found in the file */
    int64_t days;      /* of the window */
    int from_start;    /* a run counts from its start, not from submission */
    int64_t low[TIERS];
    int64_t high[TIERS];
    int64_t target_ppm;
    uint32_t worst; /* workflows to name a tier */
} report_options;

/* One cluster over a window. Columns by job have those of the workload that
 * were recorded from start to end; the others are counted. */
typedef struct day {
    workload w;
    sked_schema *schema;
    sked_tree *tree; /* in force */
    int64_t instance[WORKLOAD_KINDS];
    int64_t instances;
    int64_t from;
    int64_t to;
    uint64_t left_out; /* jobs without start or end */

    /* Jobs, by number in the workload. */
    uint32_t n;
    sked_time *start;
    sked_time *end;
    uint32_t *flow;
    uint8_t *tier;
    uint32_t *leaf;
    int64_t *amount; /* rows of all kinds: what all tasks hold */

    /* Workflows. */
    names flows;
    uint8_t *flow_tier;
    int64_t *flow_slo; /* ns; -1: none */
    int ranked;        /* tiers come from how often workflows run */

    /* Leaves of the structure. */
    uint32_t leaves;
    uint32_t *first;
    uint8_t *leaf_tier;
    sked_plan_jobs jobs;
    char *text[2];
    int32_t *offset[2];
    sked_history *history;
    sked_pctl_point *point;
    sked_pctl_queue *total;
    int64_t *max_running;
    int64_t threshold[TIERS];
    int64_t allocation[TIERS];
    sked_tiers_result plan;
} day;

/* ---- options.c ---- */

/* 0: go on; else the exit status plus one. */
int options_read(report_options *o, int argc, char **argv);

/* ---- bundled.c ---- */

/* A month of a small cluster as a common CSV. */
int bundled_read(workload *w, input_fault *fault);

/* ---- day.c ---- */

/* Reads the file; sorts its jobs into workflows and tiers. 0: see the fault. */
int day_read(day *d, const report_options *o, input_fault *fault);
void day_free(day *d);

/* A zeroed array of n items, not NULL for n = 0; exits without memory. */
void *new_array(size_t n, size_t size);

/* ---- needs.c ---- */

/* Leaves, what each used, thresholds, numbers of applications. */
int needs_find(day *d, const report_options *o, input_fault *fault);

/* ---- usage.c, success.c, change.c: print one part each. 0: see the fault
 * ---- */

int usage_print(const day *d, const report_options *o, input_fault *fault);
int success_print(const day *d, const report_options *o, input_fault *fault);
int flows_print(const day *d, input_fault *fault);
int change_print(const day *d, input_fault *fault);

/* Reads the tree in force; none was said: a root. */
int tree_read(day *d, const char *path, input_fault *fault);

#endif
