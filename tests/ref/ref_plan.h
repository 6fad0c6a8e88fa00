#ifndef REF_PLAN_H
#define REF_PLAN_H

#include <sched/plan.h>

enum { REF_PLAN_PATHS = 512, REF_PLAN_PATH = 256 };

/*
 * The queues that jobs ask for, as paths below the root, by concatenating
 * texts and comparing them with all before. Texts have no byte that needs an
 * escape.
 */
typedef struct ref_plan {
    char path[REF_PLAN_PATHS][REF_PLAN_PATH]; /* parents before children */
    int64_t weight[REF_PLAN_PATHS];
    uint32_t jobs[REF_PLAN_PATHS];
    uint32_t tier[REF_PLAN_PATHS];
    uint32_t leaf[REF_PLAN_PATHS];  /* SKED_PLAN_NO_LEAF: a parent */
    uint32_t first[REF_PLAN_PATHS]; /* by leaf: its first job */
    uint32_t n;
    uint32_t leaves;
} ref_plan;

/* `leaf_of` has an entry a job. `allocation` by leaf may be NULL. */
void ref_plan_make(ref_plan *r, const sked_plan_jobs *jobs,
                   const int64_t *allocation, uint32_t *leaf_of);

#endif
