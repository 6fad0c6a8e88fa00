#ifndef REF_PREEMPT_H
#define REF_PREEMPT_H

/*
 * The rules of preempt.h over whole sets of victims, and least costs by trying
 * every set. The twin of lib/preempt/; for a dozen tasks or so.
 */

#include <sched/preempt.h>

enum { REF_MOST_ROWS = 24 };

/* Tasks taken of each candidate. */
typedef struct ref_set {
    uint32_t count[REF_MOST_ROWS];
} ref_set;

/* May these tasks go together? `request`: for a claim of it; SKED_NO_ROW: for
 * the need. */
int ref_may_go(const sked_preempt_input *in, const ref_set *set,
               uint32_t request);

int64_t ref_cost(const sked_preempt_input *in, const ref_set *set);

/* By need: what the set covers of it, by kind. */
void ref_covered(const sked_preempt_input *in, const ref_set *set,
                 int64_t *covered);

/* By need: the plain walk over rows in `order`, that takes what covers more. */
void ref_walk(const sked_preempt_input *in, const uint32_t *order,
              ref_set *set);

/* The least cost that covers `need` kind by kind; -1: nothing does. */
int64_t ref_least_cost(const sked_preempt_input *in, const int64_t *need);

/* The least cost at which one task of a claim gets a placement, as things stand;
 * -1: it gets none. */
int64_t ref_least_placement(const sked_preempt_input *in, uint32_t request);

/* The same of all tasks of a request that is a gang over nodes. */
int64_t ref_least_whole(const sked_preempt_input *in, uint32_t request);

#endif
