#ifndef REF_BALANCE_H
#define REF_BALANCE_H

/*
 * Balancing from its definition: scores computed anew for a whole placement,
 * and the best of all placements. For a few workflows, clusters and buckets.
 */

#include <sched/balance.h>

enum { REF_BALANCE_WORKFLOWS = 8 };

/* A cluster's percentile of utilisation under a placement
 * (SKED_BALANCE_NOWHERE: not placed). Sizes of `in` are said, none left to its
 * default. */
int64_t ref_balance_score(const sked_balance_input *in, const uint32_t *where,
                          uint32_t cluster);

sked_balance_objective ref_balance_objective(const sked_balance_input *in,
                                             const uint32_t *where);

/* The best objective of all placements, and the least of each part alone. */
sked_balance_objective ref_balance_best(const sked_balance_input *in,
                                        sked_balance_objective *least);

/* What a split strands: the sum it is judged by, to within a few roundings
 * below; and the least of all. */
int64_t ref_split_sum(const sked_balance_input *in, const uint32_t *where);
int64_t ref_split_least(const sked_balance_input *in);

/* How many of each tier can leave a zone, tier 1 first, at best. */
void ref_evacuate(const sked_balance_input *in, uint32_t zone,
                  uint32_t placed[SKED_MAX_TIERS]);

/* The instances of a cluster that cover the percentile of its time in use. */
int64_t ref_balance_instances(const sked_balance_input *in,
                              const uint32_t *where, uint32_t cluster);

#endif
