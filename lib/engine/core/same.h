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

/* Have all nodes on which a gang has groups this value? Yes where it has none.
 */
int skedi_same_has(const sked_engine *e, uint32_t ask, uint64_t key,
                   int64_t value);

/* Does a node share a value of `same` with all nodes on which a gang has groups
 * (or just have one, where it has none)? Yes where the gang need not share any.
 */
int skedi_same_joins(const sked_engine *e, uint32_t ask, uint32_t node);

/* Do all nodes that are reserved for a gang, and those on which it has groups,
 * share a value of `same`? Yes where it need not share any. O(values of a node *
 * reservations). */
int skedi_same_reserved(const sked_engine *e, uint32_t ask);

/* Finds a value whose nodes take so many tasks of an ask. 0: there is none.
 * O(nodes * (log values + groups of the ask)). */
int skedi_same_find(sked_engine *e, uint32_t ask, uint32_t partition,
                    int64_t tasks, int64_t *value);

/* The same without any scratch. O(nodes^2 * values of a node). */
int skedi_same_look(const sked_engine *e, uint32_t ask, uint32_t partition,
                    int64_t tasks, int64_t *value);

/* How many tasks the nodes of a value take now. O(nodes * values). */
uint64_t skedi_same_on(const sked_engine *e, uint32_t ask, uint32_t partition,
                       int64_t value);

/* The most tasks that the nodes of one value take now. O(nodes * values). */
uint64_t skedi_same_most(const sked_engine *e, uint32_t ask,
                         uint32_t partition);

#endif
