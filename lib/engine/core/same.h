#ifndef SKEDI_ENGINE_CORE_SAME_H
#define SKEDI_ENGINE_CORE_SAME_H

/* The nodes of one value of an attribute that a gang over nodes may take. */

#include "engine/core/share.h"
#include "engine/order/shapes.h"

/* Does a gang only prefer nodes that share a value? */
static inline int skedi_same_is_soft(const sked_engine *e, uint32_t ask)
{
    return (ask_at(e, ask)->flags & SKED_ASK_PREFER_SAME) != 0;
}

/* Have all nodes on which a gang runs this value? */
int skedi_same_has(const sked_engine *e, uint32_t ask, uint64_t key,
                   int64_t value);

/* Does a node share a value with all nodes on which a gang runs? Yes where it is
 * to share none. */
int skedi_same_joins(const sked_engine *e, uint32_t ask, uint32_t node);

/* The value with enough nodes for so many tasks of an ask; 0: there is none.
 * O(nodes * (log values + groups of the ask)). */
int skedi_same_find(sked_engine *e, uint32_t ask, uint32_t partition,
                    int64_t tasks, int64_t *value);

/* How many the nodes of that value take that take most. O(nodes * values). */
uint64_t skedi_same_most(const sked_engine *e, uint32_t ask,
                         uint32_t partition);

#endif
