/*
 * One of a bunch holds the node for all: a group as long as there is one, then
 * the released tasks of one. All its groups have one shape, so that which of
 * them it is makes no difference to any sum.
 */
#include "engine/core/bunch.h"
#include "engine/core/turns.h"

#include <string.h>

#include "engine/order/ranks.h"
#include "engine/watch.h"

/* Another group of an ask on a node, or SKEDI_NONE. */
static uint32_t other_of_bunch(const sked_engine *e, uint32_t ask,
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
    return other_of_bunch(e, ask, node, SKEDI_NONE) == SKEDI_NONE
               ? HOLD_ONCE
               : HOLD_NOTHING;
}

int skedi_bunch_pass(sked_engine *e, uint32_t group)
{
    engine_group *g = group_at(e, group);
    uint32_t heir = other_of_bunch(e, g->ask, g->node, group);

    if (heir == SKEDI_NONE) return 0;
    skedi_watch_tasks(e, group, -1);
    g->hold = HOLD_NOTHING;
    group_at(e, heir)->hold = HOLD_ONCE;
    skedi_watch_tasks(e, heir, 1);
    return 1;
}

/* The newest released tasks of an ask on a node that hold it so, or SKEDI_NONE.
 */
static uint32_t released_of_bunch(const sked_engine *e, uint32_t node,
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
static void book_bunch(sked_engine *e, uint32_t node, const int64_t *all,
                       int by)
{
    int64_t *free = engine_row_of(e, &e->node_free, node);

    for (uint32_t k = 0; k < e->kinds; k++) {
        free[k] -= all[k] * by;
        e->released[k] += all[k] * by;
    }
    skedi_turn_take(e, node, all, by);
    skedi_watch_node(e, node);
    skedi_node_touch(e, node);
}

int skedi_bunch_is_left(const sked_engine *e, uint32_t ask, uint32_t node)
{
    return released_of_bunch(e, node, ask_at(e, ask)->arrival, HOLD_ONCE) !=
           SKEDI_NONE;
}

void skedi_bunch_join(sked_engine *e, const engine_group *group)
{
    uint64_t arrival = ask_at(e, group->ask)->arrival;
    uint32_t left = released_of_bunch(e, group->node, arrival, HOLD_ONCE);

    if (left == SKEDI_NONE) return;
    remains_at(e, left)->hold = HOLD_NOTHING;
    book_bunch(e, group->node, engine_row_of(e, &e->remains_task, left), -1);
}

void skedi_bunch_leave(sked_engine *e, const engine_group *group)
{
    uint64_t arrival = ask_at(e, group->ask)->arrival;
    uint32_t heir = released_of_bunch(e, group->node, arrival, HOLD_NOTHING);

    if (heir == SKEDI_NONE) return;
    int64_t *all = engine_row_of(e, &e->remains_task, heir);
    memcpy(all, engine_row_of(e, &e->shape_task, group->shape),
           e->kinds * sizeof *all);
    remains_at(e, heir)->hold = HOLD_ONCE;
    book_bunch(e, group->node, all, 1);
}

void skedi_bunch_gone(sked_engine *e, uint32_t remains)
{
    engine_remains *r = remains_at(e, remains);
    const int64_t *all = engine_row_of(e, &e->remains_task, remains);

    if (r->hold != HOLD_ONCE) return;
    r->hold = HOLD_EACH; /* of none */
    uint32_t heir = released_of_bunch(e, r->node, r->arrival, HOLD_NOTHING);
    if (heir == SKEDI_NONE) {
        book_bunch(e, r->node, all, -1);
        return;
    }
    memcpy(engine_row_of(e, &e->remains_task, heir), all,
           e->kinds * sizeof *all);
    remains_at(e, heir)->hold = HOLD_ONCE;
}
