#ifndef SKEDI_ENGINE_CORE_EXCLUSIVE_H
#define SKEDI_ENGINE_CORE_EXCLUSIVE_H

/* Tasks that have a node to themselves (SKED_ASK_EXCLUSIVE). */

#include "engine/reservation.h"

static inline int skedi_ask_is_exclusive(const engine_ask *ask)
{
    return (ask->flags & SKED_ASK_EXCLUSIVE) != 0;
}

/* Does nothing run on a node, is nothing released left there, and is nothing
 * reserved there but for a gang that forms? */
static inline int skedi_node_is_unused(const sked_engine *e, uint32_t node)
{
    const engine_node *n = node_at(e, node);

    return n->first_group == SKEDI_NONE && n->first_remains == SKEDI_NONE &&
           n->first_reservation == SKEDI_NONE;
}

/* The same, and nothing is reserved for such a gang. */
static inline int skedi_node_is_empty(const sked_engine *e, uint32_t node)
{
    return skedi_node_is_unused(e, node) && !skedi_forming_takes(e, node);
}

/* What a task of an ask holds on a node that it has to itself. */
void skedi_exclusive_amount(const sked_engine *e, uint32_t ask, uint32_t node,
                            int64_t *amount);

/* Memory for so many starts of an exclusive ask; or of any ask, which needs it
 * only where it is exclusive. 0: no memory. */
int skedi_exclusive_shapes_reserve(sked_engine *e, uint64_t starts);
static inline int skedi_exclusive_reserve(sked_engine *e, uint32_t ask,
                                          uint64_t starts)
{
    return !skedi_ask_is_exclusive(ask_at(e, ask)) ||
           skedi_exclusive_shapes_reserve(e, starts);
}

/* The shape of a task of an ask that starts on a node; memory was reserved. */
uint32_t skedi_exclusive_shape(sked_engine *e, uint32_t ask, uint32_t node);

#endif
