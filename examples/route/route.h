#ifndef ROUTE_H
#define ROUTE_H

/* One workload over several clusters: what the parts of the program share. */

#include <sched/sked.h>

#include "../workload/workload.h"

enum { ROUTE_CLUSTERS = 16, ROUTE_POLICIES = 4, ROUTE_BAD_INPUT = 2 };

typedef struct route_options {
    const char *workload; /* NULL: the bundled one */
    const char *cluster[ROUTE_CLUSTERS];
    uint32_t n_clusters;
    int64_t from; /* ns on the file's clock; submissions before are left out */
    int64_t until;
    int64_t poll;      /* ns between snapshots; 0: at every submission */
    int64_t heartbeat; /* ns */
    int gang;
    int no_charge;
    int no_backlog; /* what waits is not taken off what is available */
    int csv;
} route_options;

/* A cluster: alike nodes. */
typedef struct route_cluster {
    uint32_t nodes;
    int64_t node[WORKLOAD_KINDS];
    int64_t capacity[WORKLOAD_KINDS];
} route_cluster;

/* Everything that was read, as columns. */
typedef struct route_plan {
    workload work;
    sked_tree *tree;
    sked_queue_id *leaf; /* by queue of the workload */
    route_cluster cluster[ROUTE_CLUSTERS];
    uint32_t n_clusters;
    uint32_t n; /* jobs in the window */
    uint32_t n_queues;
    sked_time *submit;
    int64_t *run;
    int64_t *tasks;
    int64_t *amounts;
    sked_queue_id *queue;
    uint32_t *queue_number;
    uint64_t *user;
    int64_t *request; /* what a cluster must hold at once: a task, or a gang */
    int64_t *instances;
    uint32_t *missing; /* job x cluster, ppm */
} route_plan;

/* One policy's run. */
typedef struct route_result {
    int32_t policy;
    uint64_t digest; /* of the runs of all clusters */
    int64_t *delay;  /* by job; -1: never started */
    uint32_t *where; /* cluster by job, or n_clusters: nowhere */
    uint32_t jobs[ROUTE_CLUSTERS];
    uint32_t nowhere;
    uint32_t remote; /* jobs in a cluster that lacks their data */
    sked_sim_delay all;
    int64_t end; /* of the last task */
} route_result;

extern const char *const route_policy_name[ROUTE_POLICIES];

/* 0: go on; else the exit status plus one. */
int route_options_read(route_options *o, int argc, char **argv);

/* 0: see the fault. */
int route_plan_make(route_plan *plan, const route_options *o,
                    input_fault *fault);
void route_plan_free(route_plan *plan);

/* Routes and runs; `result->policy` says how. 0: see the fault. */
int route_run(const route_plan *plan, const route_options *o,
              route_result *result, input_fault *fault);
void route_result_free(route_result *result);

void route_table(FILE *file, const route_plan *plan,
                 const route_result *results);
void route_csv(FILE *file, const route_plan *plan, const route_result *results);

#endif
