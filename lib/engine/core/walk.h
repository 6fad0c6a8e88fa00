#ifndef SKEDI_ENGINE_CORE_WALK_H
#define SKEDI_ENGINE_CORE_WALK_H

/* From the root down to an ask, again and again: to fill a node, or to
 * find a node for each (place.c). */

#include "engine/state.h"

/* The number of decisions at which a pass that may make so many more is over. */
static inline uint64_t skedi_pass_last(const sked_engine *e, uint64_t budget)
{
    uint64_t made = e->stats.decisions;

    return budget < UINT64_MAX - made ? made + budget : UINT64_MAX;
}

/* One pass over a node, of at most `budget` decisions. SKED_OK; SKED_STOPPED
 * when as many wait as may, or the budget is used up; SKED_ERR_NOMEM; or what a
 * hook said. What was decided stands, and the node will be looked at again. */
sked_status skedi_pass_node(sked_engine *e, uint32_t node, uint64_t budget);

/* Finds a node for each ask of all partitions, in the order of policy, until
 * nothing is left that may run; at most `budget` decisions. As above. */
sked_status skedi_place_all(sked_engine *e, uint64_t budget);

/* ---- What both are made of ---- */

/* The classes of which something may start on a node now. */
uint64_t skedi_walk_open(sked_engine *e, uint32_t node);

/* Of the classes in `among`, those of which a step may fit what the node has
 * free, without the classes of gangs that are too large for the nodes together.
 */
uint64_t skedi_walk_classes(sked_engine *e, uint32_t node, uint64_t among);

/* The classes in `among` without those of gangs over nodes that the nodes of a
 * partition do not take together; all of them where the engine reserves for
 * gangs that form. */
uint64_t skedi_walk_forming(sked_engine *e, uint32_t partition, uint64_t among);

/* The entry that comes first of those with a class in `fit`; SKEDI_NONE. */
uint32_t skedi_walk_next(sked_engine *e, uint32_t partition, uint64_t fit);

/* Reserves memory to look at one more entry, and asks the host's hooks now and
 * then. SKED_OK, SKED_ERR_NOMEM or what a hook said. */
sked_status skedi_walk_may_look(sked_engine *e, uint64_t looks);

/* What keeps an entry from starting on a node, or (a gang over nodes) there and
 * on others; SKED_REASON_ORDER: nothing. `*more` becomes 1 where the node is to
 * be looked at again, though nothing tells when. */
int32_t skedi_walk_refusal(sked_engine *e, uint32_t entry, uint32_t node,
                           uint32_t *row, int *more);

/* Has an ask more open than what others got kill orders for? */
static inline int skedi_walk_has_other(const sked_engine *e, uint32_t ask)
{
    const engine_ask *a = ask_at(e, ask);

    if (extra_of(e, a)->paid == 0) return 1;
    return !(a->flags & SKED_ASK_GANG) && a->open > extra_of(e, a)->paid;
}

/* Sees to it that an entry which `reason` keeps from running is not tried
 * again: strikes its class from a queue, blocks its user, or puts it aside. */
void skedi_walk_turn_away(sked_engine *e, uint32_t entry, uint32_t node,
                          int32_t reason, uint32_t row);

/* Puts an entry aside: out of its line until the pass ends. Puts all back. */
void skedi_walk_aside(sked_engine *e, uint32_t entry);
void skedi_walk_back(sked_engine *e);

/* Starts a step, or so many alike tasks (skedi_alike()). `*ruled` 1: classes
 * may start now that did not before, since rules count what started or the rest
 * of a gang has another class; what rules kept out is back in line. SKED_OK, or
 * SKED_ERR_NOMEM, and nothing changed. */
sked_status skedi_walk_start(sked_engine *e, uint32_t entry, uint32_t node,
                             uint32_t alike, int *ruled);

#endif
