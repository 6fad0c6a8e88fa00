#ifndef SKEDI_ENGINE_PREEMPT_OWNERS_H
#define SKEDI_ENGINE_PREEMPT_OWNERS_H

/*
 * What owners of tasks (queues, or their users) may claim, keep and have to
 * spare in a round.
 */
#include "engine/preempt/rounds.h"

/* Which queues are due, which give, and how much each may claim and keeps. */
sked_status skedi_round_owners(round_part *part, sked_error *err);

/* How far leaves may claim by each policy once they are due, the kinds that make
 * a step a claim there, and what leaves keep (rows x kinds, from zeros). */
void skedi_bound_leaves(round_part *part, int64_t *const *claim, int64_t *keep);

/* Is there an order above that does not lead to shares? There claims reach up
 * to guarantees and no further. */
int skedi_is_below_other_order(const sked_engine *e, uint32_t row);

/* A kind in which so much of a leaf (0: that kind is not needed) would be more
 * than it may claim once it is due, by the shares as last made; and how far it
 * may. -1: some policy lets it claim all of that. */
int32_t skedi_claim_lacks(const sked_engine *e, uint32_t row,
                          uint32_t partition, const int64_t *need,
                          int64_t *claim);

/* How much users of leaves claim and keep, where they are owners. 0: no
 * memory. */
int skedi_round_users(round_part *part);

/* Does a queue give by any policy? */
int skedi_row_gives(const round_part *part, uint32_t row);

/* Which classes have surplus. 0: no memory. */
int skedi_round_spare(round_part *part);

/* A class's unit is a gang. */
int skedi_victim_class_is_gang(const sked_engine *e, const victim_class *class);

#endif
