/*
 * Soft rules of asks: preferences that are dropped one by one until enough
 * nodes meet what is left.
 *
 * Asks with equal soft rules share a list, the heaviest rule first, beside the
 * set of their rule. Each rule has a count of the nodes that meet it together
 * with all rules before it.
 *
 * Invariants: rules are dropped from the lightest to the heaviest; a node that
 * comes or goes changes only counts, and the counts say at once whether
 * anything is dropped or comes back.
 */
#include <stddef.h>

#include "base/sort.h"
#include "engine/filter.h"
#include "engine/pace.h"
#include "engine/soft_rules.h"
#include "engine/store.h"

static uint32_t soft_number(const sked_engine *e, const engine_preferred *list)
{
    return (uint32_t)(list - preferred_at(e, 0));
}

static uint32_t soft_owner(const engine_preferred *list)
{
    return (uint32_t)(list->name - 1);
}

engine_preferred *skedi_soft_of(const sked_engine *e, uint32_t ask)
{
    if (e->soft.lists.live == 0) return NULL;
    uint32_t list = skedi_keymap_get(&e->soft.of, (uint64_t)ask + 1);
    return list == SKEDI_NONE ? NULL : preferred_at(e, list);
}

/* ---- What an ask has ---- */

int skedi_soft_reserve(sked_engine *e)
{
    skedi_mem *mem = &e->hooks.mem;
    engine_preferences *all = &e->soft;

    return skedi_pool_reserve(&all->lists, mem, 1) &&
           skedi_keymap_reserve(&all->of, mem, all->of.n + 1) &&
           skedi_heap_reserve(&all->due, all->lists.cap, mem);
}

static engine_preferred *soft_make_soft(sked_engine *e, uint32_t ask)
{
    uint32_t number = skedi_pool_take(&e->soft.lists);
    engine_preferred *list = preferred_at(e, number);

    *list = (engine_preferred){.name = (uint64_t)ask + 1,
                               .own = shape_at(e, ask_at(e, ask)->shape)->set};
    if (list->own != SKEDI_NONE) set_at(e, list->own)->uses++;
    skedi_keymap_put(&e->soft.of, list->name, number);
    return list;
}

/* Keeps the moment at which the next soft rule of a list is dropped. */
static void soft_time(sked_engine *e, const engine_preferred *list)
{
    sked_time first = INT64_MAX;

    for (uint32_t i = 0; i < list->n; i++) {
        if (list->at[i].until == SKED_UNSET) continue;
        first = skedi_i64_min(first, list->at[i].until);
    }
    if (first == INT64_MAX)
        skedi_heap_remove(&e->soft.due, soft_number(e, list));
    else
        skedi_heap_set(&e->soft.due, soft_number(e, list),
                       skedi_key_signed(first));
}

/* Makes a list stale; notes that it was looked at. */
static void soft_touch(sked_engine *e, engine_preferred *list)
{
    e->soft.stale += !list->stale;
    list->stale = 1;
}

void skedi_soft_settled(sked_engine *e, engine_preferred *list)
{
    e->soft.stale -= list->stale;
    list->stale = 0;
    if (list->n == 0) skedi_soft_forget(e, soft_owner(list));
}

void skedi_soft_add(sked_engine *e, uint32_t ask, engine_preference one)
{
    engine_preferred *list = skedi_soft_of(e, ask);

    if (!list) list = soft_make_soft(e, ask);
    uint32_t at = list->n++;
    for (; at > 0 && list->at[at - 1].weight < one.weight; at--) {
        list->at[at] = list->at[at - 1];
    }
    list->at[at] = one;
    set_at(e, one.set)->uses++;
    soft_time(e, list);
    soft_touch(e, list);
}

void skedi_soft_rule(sked_engine *e, engine_preferred *list, uint32_t set)
{
    if (set != SKEDI_NONE) set_at(e, set)->uses++;
    if (list->own != SKEDI_NONE) skedi_set_give(e, list->own);
    list->own = set;
    soft_touch(e, list);
}

/* Drops the soft rules of a list that are due by then, or (`all`) all of them.
 */
static void soft_drop_soft(sked_engine *e, engine_preferred *list,
                           sked_time now, int all)
{
    uint32_t left = 0;

    for (uint32_t i = 0; i < list->n; i++) {
        engine_preference one = list->at[i];
        if (all || (one.until != SKED_UNSET && one.until <= now))
            skedi_set_give(e, one.set);
        else
            list->at[left++] = one;
    }
    list->n = left;
    soft_time(e, list);
    soft_touch(e, list);
}

void skedi_soft_clear(sked_engine *e, engine_preferred *list)
{
    soft_drop_soft(e, list, 0, 1);
}

void skedi_soft_lapse(sked_engine *e, sked_time now)
{
    const skedi_heap_item *top;

    while ((top = skedi_heap_top(&e->soft.due)) != NULL) {
        if (top->key > skedi_key_signed(now)) return;
        soft_drop_soft(e, preferred_at(e, top->id), now, 0);
    }
}

void skedi_soft_forget(sked_engine *e, uint32_t ask)
{
    engine_preferred *list = skedi_soft_of(e, ask);

    if (!list) return;
    for (uint32_t i = 0; i < list->n; i++) skedi_set_give(e, list->at[i].set);
    if (list->own != SKEDI_NONE) skedi_set_give(e, list->own);
    e->soft.stale -= list->stale;
    skedi_heap_remove(&e->soft.due, soft_number(e, list));
    skedi_keymap_remove(&e->soft.of, list->name);
    skedi_pool_give(&e->soft.lists, soft_number(e, list));
}

/* ---- Which are in force ---- */

/* Is a node one of those where an ask may run? */
static int soft_concerns(const sked_engine *e, const engine_preferred *list,
                         uint32_t node)
{
    uint32_t named = ask_at(e, soft_owner(list))->partition;

    return named == SKED_ANY_PARTITION || named == node_at(e, node)->partition;
}

/* How many nodes meet the rule, what is in force before one, and that one? */
static uint32_t soft_count_soft(const sked_engine *e,
                                const engine_preferred *list,
                                const uint32_t *sets, uint32_t n)
{
    uint32_t nodes = 0;

    for (uint32_t i = e->first_node; i != SKEDI_NONE; i = node_at(e, i)->next) {
        uint32_t s = 0;
        if (!soft_concerns(e, list, i)) continue;
        while (s < n && skedi_set_may_take(e, sets[s], i)) s++;
        nodes += s == n;
    }
    return nodes;
}

uint32_t skedi_soft_count(sked_engine *e, engine_preferred *list,
                          uint32_t *sets)
{
    uint32_t n = list->own != SKEDI_NONE;

    sets[0] = list->own;
    for (uint32_t i = 0; i < list->n; i++) {
        sets[n] = list->at[i].set;
        skedi_pace_work(e);
        list->at[i].nodes = soft_count_soft(e, list, sets, n + 1);
        list->at[i].holds = list->at[i].nodes > 0;
        n += list->at[i].holds;
    }
    return n;
}

void skedi_soft_see_node(sked_engine *e, uint32_t node, int by)
{
    for (uint32_t l = 0; e->soft.lists.live && l < e->soft.lists.n; l++) {
        engine_preferred *list = preferred_at(e, l);
        if (!list->name || !soft_concerns(e, list, node)) continue;
        int meets = skedi_set_may_take(e, list->own, node);
        for (uint32_t i = 0; meets && i < list->n; i++) {
            engine_preference *one = &list->at[i];
            int taken = skedi_set_may_take(e, one->set, node);
            skedi_pace_work(e);
            one->nodes += (uint32_t)(taken * by);
            if (one->holds != (one->nodes > 0)) soft_touch(e, list);
            meets = taken || !one->holds;
        }
    }
}

/* ---- Life ---- */

void skedi_soft_start(sked_engine *e)
{
    skedi_pool_start(&e->soft.lists, sizeof(engine_preferred));
    skedi_keymap_start(&e->soft.of, &e->soft.lists.item,
                       sizeof(engine_preferred),
                       offsetof(engine_preferred, name));
}

void skedi_soft_free(sked_engine *e)
{
    skedi_mem *mem = &e->hooks.mem;

    skedi_pool_free(&e->soft.lists, mem);
    skedi_keymap_free(&e->soft.of, mem);
    skedi_heap_free(&e->soft.due, mem);
}

/* ---- Whether that is so ---- */

static int soft_list_is_sound(const sked_engine *e,
                              const engine_preferred *list)
{
    const engine_ask *a = ask_at(e, soft_owner(list));
    uint32_t sets[SKED_MAX_ASK_PREFERENCES + 1] = {list->own};
    uint32_t n = list->own != SKEDI_NONE, terms = 0;
    uint32_t set = shape_at(e, a->shape)->set;

    for (uint32_t i = 0; i < list->n; i++) {
        const engine_preference *one = &list->at[i];
        sets[n] = one->set;
        if (one->nodes != soft_count_soft(e, list, sets, n + 1)) return 0;
        if (one->holds != (one->nodes > 0)) return 0;
        if (i && one->weight > list->at[i - 1].weight) return 0;
        n += one->holds;
    }
    for (uint32_t s = 0; s < n; s++) terms += set_at(e, sets[s])->n_terms;
    return list->n > 0 && (n ? set_at(e, set)->n_terms : 0) == terms;
}

int skedi_soft_is_sound(const sked_engine *e)
{
    uint32_t live = 0, stale = 0;

    for (uint32_t l = 0; l < e->soft.lists.n; l++) {
        const engine_preferred *list = preferred_at(e, l);
        if (!list->name) continue;
        live++;
        stale += list->stale;
        if (!list->stale && !soft_list_is_sound(e, list)) return 0;
    }
    return live == e->soft.lists.live && stale == e->soft.stale;
}
