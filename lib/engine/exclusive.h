#ifndef SKEDI_ENGINE_EXCLUSIVE_H
#define SKEDI_ENGINE_EXCLUSIVE_H

/* Tasks and gangs that have a node to themselves. */

#include "engine/pending.h"
#include "engine/reservation.h"

/* Tasks that have a node to themselves (SKED_ASK_EXCLUSIVE). */

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

/*
 * Bunches: the tasks of a gang over nodes that share a node which nothing else
 * shares (SKED_ASK_EXCLUSIVE, and more than one task on a node). A bunch holds
 * all of its node once, from the start of its first task until the last has
 * left, for its node, and has ended, for its job.
 */

/* Do tasks of an ask share nodes that nothing else shares? */
static inline int skedi_ask_is_bunched(const sked_engine *e,
                                       const engine_ask *ask)
{
    return skedi_ask_is_exclusive(ask) && ask->flags & SKED_ASK_SPREAD &&
           skedi_shape_per_node(e, ask->shape) != 1;
}

/* How a new group of an ask on a node holds what it holds: HOLD_*. */
uint32_t skedi_bunch_hold(const sked_engine *e, uint32_t ask, uint32_t node);

/* All tasks of a group that holds the node for its bunch are about to end. 1:
 * another group of the bunch holds the node from now on, and no books change;
 * 0: there is none. */
int skedi_bunch_pass(sked_engine *e, uint32_t group);

/* Do only released tasks of an ask hold a node as a bunch? */
int skedi_bunch_is_left(const sked_engine *e, uint32_t ask, uint32_t node);

/* Tasks of a bunch that run already are about to be booked: so released ones do
 * not hold the node any more. */
void skedi_bunch_join(sked_engine *e, const engine_group *group);

/* The last group of a bunch has ended. Of its tasks that were released and that
 * the node has not ended, the newest hold the node. */
void skedi_bunch_leave(sked_engine *e, const engine_group *group);

/* The node has ended the released tasks of a group: others of the bunch hold
 * it, or nothing does. */
void skedi_bunch_gone(sked_engine *e, uint32_t remains);

#endif
