#ifndef REF_DRF_H
#define REF_DRF_H

/*
 * Dominant resource fairness from its definition, as slowly as it reads:
 * shares by long division bit by bit, orders by looking at everybody, the
 * loop of tasks one by one. The twin of lib/drf/.
 */

#include <sched/drf_arrays.h>

/* floor(2^62 * max usage / (capacity * weight)), as drf.h has it. */
uint64_t ref_drf_key(const int64_t *usage, const int64_t *capacity,
                     uint32_t kinds, uint32_t weight);

/*
 * Compares two weighted dominant shares as fractions, without keys: negative
 * when the first is less. Usage above no capacity and weights of 0 are left
 * to the caller.
 */
int ref_drf_compare(const int64_t *usage, uint32_t weight, const int64_t *other,
                    uint32_t other_weight, const int64_t *capacity,
                    uint32_t kinds);

/* All rows in order, equal keys by index. */
void ref_drf_order(const sked_drf_input *rows, uint32_t *order);

/*
 * The loop of tasks: `tasks` (n), `pool` reduced, `order` (cap; may be NULL).
 * Returns how many decisions there were.
 */
size_t ref_drf_allocate(const sked_drf_input *rows, int64_t *pool,
                        int64_t *tasks, uint32_t *order, size_t cap);

#endif
