#ifndef REF_ENGINE_ROUND_H
#define REF_ENGINE_ROUND_H

/* One partition in a round of the twin. */

#include "ref_engine_may.h"

enum { REF_ROOMS = 64 };

typedef struct ref_plan {
    uint32_t partition;
    ref_books books;
    const uint32_t *reasons; /* by row: SKED_TARGET_* */
    int64_t *usage;          /* row x kinds, of leaves: without the dying */
    int64_t *planned;        /* by ask, over all partitions so far */
    size_t *node;            /* by place */
    size_t *group;           /* by candidate */
    size_t *ask;             /* by request */
    uint32_t *user_row;      /* by job: its user's row in its leaf */
    sked_preempt_problem in;
    sked_rank_columns rank;
    sked_preempt_plan plan;
    void *room[REF_ROOMS]; /* to be freed */
    size_t rooms;
} ref_plan;

/* `n` zeroed items that live as long as the plan. */
void *ref_plan_room(ref_plan *p, size_t n, size_t size);

/* The row of a job's leaf. */
uint32_t ref_plan_row(const ref_engine *r, const ref_plan *p, size_t job);

/* Tasks of a group that were told to end. */
int64_t ref_plan_dying(const ref_group *g);

/* What the queues of the partition have and want, and what that says of who
 * gives and who claims. */
sked_status ref_plan_targets(ref_engine *r, ref_plan *p);

/* Users, places; who asks; who might give. */
sked_status ref_plan_users(const ref_engine *r, ref_plan *p);
void ref_plan_places(const ref_engine *r, ref_plan *p);
void ref_plan_requests(const ref_engine *r, ref_plan *p);
void ref_plan_candidates(const ref_engine *r, ref_plan *p);

#endif
