#ifndef SKEDI_ENGINE_CORE_SUMS_H
#define SKEDI_ENGINE_CORE_SUMS_H

/* Sums over all nodes, which must stay amounts whatever starts later. */

#include "engine/queue.h"

/* What tasks hold of a kind: those that run or are proposed, and on nodes those
 * that were released, too. */
static inline int64_t skedi_all_held(const sked_engine *e, uint32_t kind)
{
    return skedi_row_used(e, 0, kind) + e->released[kind];
}

/*
 * What tasks may come to hold of a kind that lies on nodes: what they hold, and
 * `held` more, and what nodes have free, where what is reserved counts as free
 * and a node with less than nothing as 0. `node` (SKEDI_NONE: one to come) has
 * `free` more of it free, or less. Neither is more than SKED_AMOUNT_MAX. At
 * most SKED_AMOUNT_MAX + 1. O(nodes + what is reserved).
 */
int64_t skedi_most_held(const sked_engine *e, uint32_t kind, int64_t held,
                        uint32_t node, int64_t free);

#endif
