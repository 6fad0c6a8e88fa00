/*
 * Remains are named by their group, which may be gone, and are on the list of
 * their node. What a task of theirs holds is kept here, since their
 * group and ask may be gone.
 */
#include "engine/alloc.h"

#include "engine/exclusive.h"
#include "engine/nodes.h"
#include "engine/store.h"
#include "engine/watch.h"

int skedi_remains_reserve(sked_engine *e, uint64_t more)
{
    return skedi_pool_reserve(&e->remains, &e->hooks.mem, more) &&
           skedi_amounts_reserve(e, &e->remains_task, &e->remains) &&
           skedi_keymap_reserve(&e->remains_of, &e->hooks.mem,
                                e->remains_of.n + (size_t)more);
}

static uint32_t find_remains(const sked_engine *e, uint64_t name)
{
    return e->remains.live ? skedi_keymap_get(&e->remains_of, name)
                           : SKEDI_NONE;
}

uint32_t skedi_remains_of(const sked_engine *e, uint64_t name)
{
    uint32_t at = find_remains(e, name);

    return at == SKEDI_NONE ? 0 : remains_at(e, at)->count;
}

/* The remains of a group, made (of no task yet) where there are none. */
static uint32_t take_remains(sked_engine *e, uint32_t group)
{
    uint64_t name = skedi_group_name(e, group);
    const engine_group *g = group_at(e, group);
    uint32_t at = find_remains(e, name);
    engine_node *n = node_at(e, g->node);

    if (at != SKEDI_NONE) return at;
    at = skedi_pool_take(&e->remains);
    *remains_at(e, at) = (engine_remains){
        .group = name,
        .arrival = ask_at(e, g->ask)->arrival,
        .node = g->node,
        .hold = g->hold == HOLD_EACH ? HOLD_EACH : HOLD_NOTHING,
        .alone = skedi_ask_is_exclusive(ask_at(e, g->ask)) != 0,
        .next = n->first_remains,
    };
    n->first_remains = at;
    for (uint32_t k = 0; k < e->kinds; k++) {
        int64_t held = kind_is_pooled(e, k) ? 0 : skedi_group_task(e, g)[k];
        engine_row_of(e, &e->remains_task, at)[k] = held;
    }
    skedi_keymap_put(&e->remains_of, name, at);
    return at;
}

static void drop_remains(sked_engine *e, uint32_t at)
{
    uint32_t *link = &node_at(e, remains_at(e, at)->node)->first_remains;

    while (*link != at) link = &remains_at(e, *link)->next;
    *link = remains_at(e, at)->next;
    skedi_keymap_remove(&e->remains_of, remains_at(e, at)->group);
    skedi_pool_give(&e->remains, at);
}

/* Takes `times` times so much from what a node has free, for released tasks. */
static void book_released(sked_engine *e, uint32_t node, const int64_t *task,
                          int64_t times)
{
    int64_t *free = engine_row_of(e, &e->node_free, node);

    for (uint32_t k = 0; k < e->kinds; k++) {
        free[k] -= task[k] * times;
        e->released[k] += task[k] * times;
    }
}

/* Takes what `count` of these tasks hold from what their node has free. What a
 * bunch holds is booked in bunch.c. */
static void book_remains(sked_engine *e, uint32_t at, int64_t count)
{
    if (remains_at(e, at)->hold != HOLD_EACH) return;
    uint32_t node = remains_at(e, at)->node;

    book_released(e, node, engine_row_of(e, &e->remains_task, at), count);
    skedi_watch_node(e, node);
    skedi_node_touch(e, node);
}

void skedi_remains_add(sked_engine *e, uint32_t group, uint32_t count)
{
    uint32_t at = take_remains(e, group);

    remains_at(e, at)->count += count;
    book_remains(e, at, count);
    skedi_group_end(e, group, count, GROUP_RELEASED);
}

void skedi_remains_end(sked_engine *e, uint64_t name, uint32_t count)
{
    uint32_t at = find_remains(e, name);
    engine_node *node = node_at(e, remains_at(e, at)->node);

    book_remains(e, at, -(int64_t)count);
    node->epoch = ++e->epochs;
    node->seen = 0;
    remains_at(e, at)->count -= count;
    if (remains_at(e, at)->count > 0) return;
    skedi_bunch_gone(e, at);
    drop_remains(e, at);
}

/* How often released tasks hold the amounts beside them. */
static int64_t remains_times(const engine_remains *r)
{
    return r->hold == HOLD_EACH ? r->count : r->hold == HOLD_ONCE;
}

void skedi_remains_follow(sked_engine *e, uint32_t node)
{
    const int64_t *own = engine_row_of(e, &e->node_capacity, node);

    for (uint32_t i = node_at(e, node)->first_remains; i != SKEDI_NONE;
         i = remains_at(e, i)->next) {
        int64_t *task = engine_row_of(e, &e->remains_task, i);
        int64_t times = remains_times(remains_at(e, i));
        if (!remains_at(e, i)->alone) continue;
        book_released(e, node, task, -times);
        for (uint32_t k = 0; k < e->kinds; k++) {
            if (!kind_is_pooled(e, k)) task[k] = own[k];
        }
        book_released(e, node, task, times);
    }
    skedi_watch_node(e, node);
    skedi_node_touch(e, node);
}

int64_t skedi_remains_alone(const sked_engine *e, uint32_t node)
{
    int64_t n = 0;

    for (uint32_t i = node_at(e, node)->first_remains; i != SKEDI_NONE;
         i = remains_at(e, i)->next) {
        if (remains_at(e, i)->alone) n += remains_times(remains_at(e, i));
    }
    return n;
}

void skedi_remains_drop(sked_engine *e, uint32_t node)
{
    while (node_at(e, node)->first_remains != SKEDI_NONE) {
        uint32_t at = node_at(e, node)->first_remains;
        book_released(e, node, engine_row_of(e, &e->remains_task, at),
                      -remains_times(remains_at(e, at)));
        drop_remains(e, at);
    }
}

void skedi_remains_sum(const sked_engine *e, uint32_t node, int64_t *amounts)
{
    for (uint32_t i = node_at(e, node)->first_remains; i != SKEDI_NONE;
         i = remains_at(e, i)->next) {
        const int64_t *task = engine_row_of(e, &e->remains_task, i);
        int64_t times = remains_times(remains_at(e, i));
        for (uint32_t k = 0; k < e->kinds; k++) amounts[k] += task[k] * times;
    }
}
