#ifndef SKEDI_ENGINE_TOUCH_H
#define SKEDI_ENGINE_TOUCH_H

/*
 * Marks of changed nodes. A mark puts the node into a list; fits (gang_fit.h)
 * and rankings (nodes.h) bring the listed nodes up to date before the next use.
 * Each module that changes a node sets a mark, and calls no function of the
 * module that reads the mark.
 */

#include "engine/state.h"

/* Marks a node for the fits: free amounts, state or rules of the node changed.
 */
static inline void skedi_fits_touch(sked_engine *e, uint32_t node)
{
    engine_node *n = node_at(e, node);
    uint32_t first = e->fits.moved;

    if (e->fits.pool.live == 0 || n->moved) return;
    n->moved = (first == SKEDI_NONE ? node : first) + 1;
    e->fits.moved = node;
}

/* Marks a node for the rankings: the node is new, or free amounts, state or
 * partition of the node changed. */
static inline void skedi_ranks_touch(sked_engine *e, uint32_t node)
{
    engine_rankings *r = &e->ranks;

    if (r->n == 0 || r->stale) return;
    if (node >= r->cap) {
        r->stale = 1;
    } else if (!r->moved[node]) {
        r->moved[node] = (r->first == SKEDI_NONE ? node : r->first) + 1;
        r->first = node;
    }
}

/* Marks a node for the fits as well as the rankings. */
static inline void skedi_node_touch(sked_engine *e, uint32_t node)
{
    skedi_fits_touch(e, node);
    skedi_ranks_touch(e, node);
}

#endif
