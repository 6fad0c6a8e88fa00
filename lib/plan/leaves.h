#ifndef SKEDI_PLAN_LEAVES_H
#define SKEDI_PLAN_LEAVES_H

#include <sched/plan.h>

#include "base/hooks.h"
#include "base/map.h"

enum { SKEDI_PLAN_LEVELS = 32, SKEDI_NO_NODE = -1 };

/*
 * A queue of the structure: a name below a parent. Nodes stand in the order in
 * which jobs first name them, so a parent comes before its children. Names
 * point into the jobs' memory.
 */
typedef struct skedi_plan_node {
    const char *name;
    uint32_t length;
    uint32_t parent; /* + 1; 0: the queue that the plan owns */
    uint32_t leaf;   /* SKED_PLAN_NO_LEAF: a parent */
    uint32_t jobs;   /* in the queue and below */
    uint32_t first;  /* the first job */
    uint32_t tier;   /* of a leaf: the most important tier of a job */
} skedi_plan_node;

/* Checked jobs, and the structure of their queues. */
typedef struct skedi_plan_leaves {
    sked_plan_jobs jobs;
    skedi_hooks hooks;
    int32_t level[SKEDI_PLAN_LEVELS];
    sked_plan_tier setting[SKED_MAX_TIERS];
    skedi_map map; /* (parent, name) to node */
    skedi_plan_node *node;
    size_t cap;
    uint32_t n;
    uint32_t leaves;
    int everything; /* no window was said */
} skedi_plan_leaves;

/*
 * Checks the jobs and builds their structure. Release the structure in any
 * case. Returns as sked_plan_leaves().
 */
sked_status skedi_plan_leaves_build(skedi_plan_leaves *s,
                                    const sked_plan_jobs *jobs,
                                    const sked_host *host, sked_error *err);
void skedi_plan_leaves_release(skedi_plan_leaves *s);

/* The node of a job's leaf, or SKEDI_NO_NODE: outside the window. */
int64_t skedi_plan_leaf_of(const skedi_plan_leaves *s, uint32_t job);

#endif
