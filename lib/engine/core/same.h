#ifndef SKEDI_ENGINE_CORE_SAME_H
#define SKEDI_ENGINE_CORE_SAME_H

/* The nodes that a gang over nodes may take: so many tasks on one, all of one
 * value of an attribute. */

#include "engine/order/shapes.h"

/* Does a gang only prefer nodes that share a value? */
static inline int skedi_same_is_soft(const sked_engine *e, uint32_t ask)
{
    return (ask_at(e, ask)->flags & SKED_ASK_PREFER_SAME) != 0;
}

/* Does an ask take of every node what its fit says? */
int skedi_gang_takes_all(const sked_engine *e, uint32_t ask);

/* Of so many tasks that fit a node, those that an ask may start there: at most
 * so many run there together. */
int64_t skedi_gang_allowed(const sked_engine *e, uint32_t ask, uint32_t node,
                           int64_t fit);

/* Has a node this value of an attribute? O(log attributes of the node). */
int skedi_node_has(const sked_engine *e, uint32_t node, uint64_t key,
                   int64_t value);

/* Have all nodes on which a gang runs this value? */
int skedi_same_has(const sked_engine *e, uint32_t ask, uint64_t key,
                   int64_t value);

/* Does a node share a value with all nodes on which a gang runs? Yes where it is
 * to share none. */
int skedi_same_joins(const sked_engine *e, uint32_t ask, uint32_t node);

/* So many of its tasks start on a node now, if that is of the partition. */
int64_t skedi_gang_on(const sked_engine *e, uint32_t ask, uint32_t node,
                      uint32_t partition);

/* The value with enough nodes for so many tasks of an ask; 0: there is none.
 * O(nodes * (log values + groups of the ask)). */
int skedi_same_find(sked_engine *e, uint32_t ask, uint32_t partition,
                    int64_t tasks, int64_t *value);

/* How many the nodes of that value take that take most. O(nodes * values). */
uint64_t skedi_same_most(const sked_engine *e, uint32_t ask,
                         uint32_t partition);

#endif
