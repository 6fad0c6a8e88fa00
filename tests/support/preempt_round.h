#ifndef TEST_PREEMPT_ROUND_H
#define TEST_PREEMPT_ROUND_H

/* A round of preemption small enough to be followed by hand. */

#include <sched/preempt.h>

enum { PREEMPT_ROOM = 32, KINDS = 2 };

/* Three leaves over cpu and memory: `a` uses 12 of its 6, `b` has its own, and
 * `c` waits. Twelve tasks of one unit each in `a`, two a node. */
typedef struct preempt_round {
    sked_preempt_input in;
    int64_t usage[3 * KINDS], share[3 * KINDS], need[KINDS];
    int64_t amount[14 * KINDS], cost[14], free[7 * KINDS];
    uint32_t queue[14], node[14], count[14];
    uint32_t request_queue[2], request_count[2];
    int64_t request_amount[2 * KINDS];
    uint32_t user[14], request_user[1];
    int64_t user_usage[2 * KINDS], user_share[2 * KINDS];
    sked_preempt_victim victims[PREEMPT_ROOM];
    sked_preempt_placement placements[PREEMPT_ROOM];
    int64_t after[3 * KINDS], covered[KINDS];
    sked_preempt_result plan;
    sked_error err;
} preempt_round;

/* What queue `c` needs is three units of each kind. */
void preempt_by_need(preempt_round *w);

/* `c` asks for one task of two units of each kind, on some node. */
void preempt_by_request(preempt_round *w);

/*
 * It is user 1 of `a` who asks, not `c`, and users give down to their share, 6
 * units each. What the two use and whose tasks are whose is for the caller.
 */
void preempt_by_user(preempt_round *w);

/* Plans the round. */
sked_status preempt_select(preempt_round *w);

/* Plans it, and the plan is one that holds to the rules. */
void preempt_plan_holds(preempt_round *w);

/* A plan in which one task goes of each of the first `n` rows. */
void preempt_plan_of(preempt_round *w, uint32_t n);

#endif
