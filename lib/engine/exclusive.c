/*
 * Tasks that have a node to themselves (SKED_ASK_EXCLUSIVE).
 *
 * Such a task is a group of one and is charged all amounts of its node. Tasks
 * of a gang that share a node exclusively are charged once: one group of them
 * holds the node, and passes the node on to another group when it ends.
 *
 * Invariants: all groups of such a gang have one profile; exactly one holder
 * is charged for each node.
 */
#include <string.h>

#include "base/assert.h"
#include "engine/pass.h"
#include "engine/exclusive.h"
#include "engine/nodes.h"
#include "engine/wants.h"
#include "engine/pending.h"
#include "engine/watch.h"

/*
 * A task that has a node to itself is a group of one with amounts of its own:
 * as much as the node has. So the books of the node, the user and the queues,
 * and rounds of preemption, know it as a task that was resized. Steps, and with
 * them orders, classes and shares of what is open, stay what was asked for.
 */

void skedi_exclusive_amount(const sked_engine *e, uint32_t ask, uint32_t node,
                            int64_t *amount)
{
    const int64_t *task = engine_row_of(e, &e->shape_task,
                                        ask_at(e, ask)->shape);
    const int64_t *all = engine_row_of(e, &e->node_capacity, node);

    for (uint32_t k = 0; k < e->kinds; k++) {
        amount[k] = kind_is_pooled(e, k) ? task[k] : all[k];
    }
}

int skedi_exclusive_shapes_reserve(sked_engine *e, uint64_t starts)
{
    return skedi_shape_reserve(e, starts) && skedi_wants_reserve(e, starts);
}

uint32_t skedi_exclusive_shape(sked_engine *e, uint32_t ask, uint32_t node)
{
    int64_t all[SKED_MAX_KINDS];

    skedi_exclusive_amount(e, ask, node, all);
    return skedi_shape_take(e, all, 1, SKEDI_NONE, (engine_gang){0});
}

/*
 * One of a bunch holds the node for all: a group as long as there is one, then
 * the released tasks of one. All its groups have one shape, so that which of
 * them it is makes no difference to any sum.
 */

/* Another group of an ask on a node, or SKEDI_NONE. */
static uint32_t exclusive_other_of_bunch(const sked_engine *e, uint32_t ask,
                                         uint32_t node, uint32_t but)
{
    uint32_t g = node_at(e, node)->first_group;

    while (g != SKEDI_NONE && (g == but || group_at(e, g)->ask != ask)) {
        g = group_at(e, g)->next;
    }
    return g;
}

uint32_t skedi_bunch_hold(const sked_engine *e, uint32_t ask, uint32_t node)
{
    if (!skedi_ask_is_bunched(e, ask_at(e, ask))) return HOLD_EACH;
    return exclusive_other_of_bunch(e, ask, node, SKEDI_NONE) == SKEDI_NONE
               ? HOLD_ONCE
               : HOLD_NOTHING;
}

int skedi_bunch_pass(sked_engine *e, uint32_t group)
{
    SKEDI_ASSERT(group_at(e, group)->hold == HOLD_ONCE);
    engine_group *g = group_at(e, group);
    uint32_t heir = exclusive_other_of_bunch(e, g->ask, g->node, group);

    if (heir == SKEDI_NONE) return 0;
    skedi_watch_tasks(e, group, -1);
    g->hold = HOLD_NOTHING;
    group_at(e, heir)->hold = HOLD_ONCE;
    skedi_watch_tasks(e, heir, 1);
    return 1;
}

/* The newest released tasks of an ask on a node that hold it so, or SKEDI_NONE.
 */
static uint32_t exclusive_released_of_bunch(const sked_engine *e, uint32_t node,
                                            uint64_t arrival, uint32_t hold)
{
    uint32_t i = node_at(e, node)->first_remains;

    while (i != SKEDI_NONE && (remains_at(e, i)->arrival != arrival ||
                               remains_at(e, i)->hold != hold)) {
        i = remains_at(e, i)->next;
    }
    return i;
}

/* Takes all that released tasks of a bunch hold from what their node has free
 * (1), or gives it back (-1). */
static void exclusive_book_bunch(sked_engine *e, uint32_t node,
                                 const int64_t *all, int by)
{
    int64_t *free = engine_row_of(e, &e->node_free, node);

    for (uint32_t k = 0; k < e->kinds; k++) {
        free[k] -= all[k] * by;
        e->released[k] += all[k] * by;
    }
    skedi_watch_node(e, node);
    skedi_node_touch(e, node);
}

int skedi_bunch_is_left(const sked_engine *e, uint32_t ask, uint32_t node)
{
    return exclusive_released_of_bunch(e, node, ask_at(e, ask)->arrival,
                                       HOLD_ONCE) != SKEDI_NONE;
}

void skedi_bunch_join(sked_engine *e, const engine_group *group)
{
    uint64_t arrival = ask_at(e, group->ask)->arrival;
    uint32_t left = exclusive_released_of_bunch(e, group->node, arrival,
                                                HOLD_ONCE);

    if (left == SKEDI_NONE) return;
    remains_at(e, left)->hold = HOLD_NOTHING;
    exclusive_book_bunch(e, group->node,
                         engine_row_of(e, &e->remains_task, left), -1);
}

void skedi_bunch_leave(sked_engine *e, const engine_group *group)
{
    uint64_t arrival = ask_at(e, group->ask)->arrival;
    uint32_t heir = exclusive_released_of_bunch(e, group->node, arrival,
                                                HOLD_NOTHING);

    if (heir == SKEDI_NONE) return;
    int64_t *all = engine_row_of(e, &e->remains_task, heir);
    memcpy(all, engine_row_of(e, &e->shape_task, group->shape),
           e->kinds * sizeof *all);
    remains_at(e, heir)->hold = HOLD_ONCE;
    exclusive_book_bunch(e, group->node, all, 1);
}

void skedi_bunch_gone(sked_engine *e, uint32_t remains)
{
    engine_remains *r = remains_at(e, remains);
    const int64_t *all = engine_row_of(e, &e->remains_task, remains);

    if (r->hold != HOLD_ONCE) return;
    r->hold = HOLD_EACH; /* of none */
    uint32_t heir = exclusive_released_of_bunch(e, r->node, r->arrival,
                                                HOLD_NOTHING);
    if (heir == SKEDI_NONE) {
        exclusive_book_bunch(e, r->node, all, -1);
        return;
    }
    memcpy(engine_row_of(e, &e->remains_task, heir), all,
           e->kinds * sizeof *all);
    remains_at(e, heir)->hold = HOLD_ONCE;
}
