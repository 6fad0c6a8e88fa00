/*
 * A ban belongs to an ask, a job or a node, and is made when there is something
 * to say. Those of parked asks that wait for a node, a limit or memory are in a
 * list, those that lapse by themselves in a heap.
 */
#include "engine/core/bans.h"

#include "base/sort.h"
#include "engine/core/asks.h"
#include "engine/reservation.h"
#include "engine/core/refusal.h"
#include "engine/pending.h"
#include "engine/order/ranks.h"
#include "engine/pace.h"
#include "engine/store.h"

enum {
    PARK_DUE = PARK_READY | PARK_FALLS,
    PARK_LISTED = PARK_NODE | PARK_LIMIT | PARK_DUE,
    PURGE_FIRST = 8
};

int skedi_ban_reserve(sked_engine *e, uint64_t more)
{
    skedi_mem *mem = &e->hooks.mem;

    return skedi_pool_reserve(&e->bans, mem, more) &&
           skedi_extras_reserve(e, more) &&
           skedi_heap_reserve(&e->lapses, e->bans.cap, mem);
}

/* The ban at `*at`, made when there is none. */
static engine_ban *take_ban(sked_engine *e, uint32_t *at, uint32_t what,
                            uint32_t owner)
{
    if (*at == SKEDI_NONE) {
        *at = skedi_pool_take(&e->bans);
        *ban_at(e, *at) = (engine_ban){
            .until = SKED_UNSET,
            .what = what,
            .owner = owner,
            .refusals = SKEDI_NONE,
            .purge_at = PURGE_FIRST,
        };
    }
    return ban_at(e, *at);
}

engine_ban *skedi_ban_of_ask(sked_engine *e, uint32_t ask)
{
    return take_ban(e, &skedi_extra_take(e, ask)->refusals, BAN_OF_ASK, ask);
}

engine_ban *skedi_ban_of_job(sked_engine *e, uint32_t job)
{
    return take_ban(e, &job_at(e, job)->ban, BAN_OF_JOB, job);
}

engine_ban *skedi_ban_of_node(sked_engine *e, uint32_t node)
{
    return take_ban(e, &node_at(e, node)->ban, BAN_OF_NODE, node);
}

/* ---- Pairs ---- */

void skedi_pair_forget(sked_engine *e, engine_ban *ban, uint32_t *at)
{
    engine_refusal *pairs = e->refusals.item;
    uint32_t pair = *at;

    *at = pairs[pair].next;
    ban->pairs--;
    ban->which -= skedi_ban_part(pairs[pair].node);
    skedi_keymap_remove(&e->refusal_of, pairs[pair].name);
    skedi_pool_give(&e->refusals, pair);
}

int skedi_pairs_purge(sked_engine *e, uint32_t ask, int all)
{
    const engine_ask *a = ask_at(e, ask);
    engine_refusal *pairs = e->refusals.item;

    if (extra_of(e, a)->refusals == SKEDI_NONE) return 0;
    engine_ban *ban = ban_at(e, extra_of(e, a)->refusals);
    uint32_t *at = &ban->refusals, before = ban->pairs;
    while (*at != SKEDI_NONE) {
        if (!all && skedi_refusal_holds(e, a, &pairs[*at]))
            at = &pairs[*at].next;
        else
            skedi_pair_forget(e, ban, at);
    }
    ban->purge_at = 2 * ban->pairs + PURGE_FIRST;
    return ban->pairs < before;
}

/* ---- The list of those that wait ---- */

static void unlist_parked(sked_engine *e, uint32_t ban)
{
    engine_ban *b = ban_at(e, ban);

    if (!b->listed) return;
    if (b->prev == SKEDI_NONE)
        e->first_parked = b->next;
    else
        ban_at(e, b->prev)->next = b->next;
    if (b->next != SKEDI_NONE) ban_at(e, b->next)->prev = b->prev;
    b->listed = 0;
}

static void list_parked(sked_engine *e, uint32_t ban)
{
    engine_ban *b = ban_at(e, ban);

    if (b->listed) return;
    b->prev = SKEDI_NONE;
    b->next = e->first_parked;
    if (b->next != SKEDI_NONE) ban_at(e, b->next)->prev = ban;
    e->first_parked = ban;
    b->listed = 1;
}

/* Sets the reasons of a ban; the list of parked bans and the count of those
 * that are due follow. */
static void set_parked(sked_engine *e, uint32_t ban, uint32_t parked)
{
    engine_ban *b = ban_at(e, ban);

    e->ready -= (b->parked & PARK_DUE) != 0;
    e->ready += (parked & PARK_DUE) != 0;
    if (parked & ~b->parked & PARK_FALLS)
        unlist_parked(e, ban); /* it comes first */
    b->parked = parked;
    if (parked & PARK_LISTED)
        list_parked(e, ban);
    else
        unlist_parked(e, ban);
}

void skedi_ban_drop(sked_engine *e, uint32_t ban)
{
    engine_ban *b = ban_at(e, ban);
    engine_refusal *pairs = e->refusals.item;

    set_parked(e, ban, 0);
    skedi_heap_remove(&e->lapses, ban);
    while (b->refusals != SKEDI_NONE) {
        uint32_t pair = b->refusals;
        b->refusals = pairs[pair].next;
        skedi_keymap_remove(&e->refusal_of, pairs[pair].name);
        skedi_pool_give(&e->refusals, pair);
    }
    skedi_free(&e->hooks.mem, b->excluded, (size_t)b->n_excluded,
               sizeof *b->excluded);
    skedi_pool_give(&e->bans, ban);
}

void skedi_bans_free(sked_engine *e)
{
    for (uint32_t i = 0; i < e->bans.n; i++) {
        engine_ban *b = ban_at(e, i);
        skedi_free(&e->hooks.mem, b->excluded, (size_t)b->n_excluded,
                   sizeof *b->excluded);
    }
    skedi_heap_free(&e->lapses, &e->hooks.mem);
}

/* ---- Asks out of line ---- */

void skedi_ask_park(sked_engine *e, uint32_t ask, uint32_t why)
{
    engine_ban *b = skedi_ban_of_ask(e, ask);
    uint32_t parked = (b->parked | why) & ~(uint32_t)PARK_READY;

    set_parked(e, extra_of(e, ask_at(e, ask))->refusals, parked);
    /* Its user's books may go with its entries, and what is paid with them. */
    skedi_reservation_forget(e, ask);
    if (ask_at(e, ask)->first_entry != SKEDI_NONE) skedi_entries_remove(e, ask);
}

void skedi_ask_unpark(sked_engine *e, uint32_t ask, uint32_t why)
{
    uint32_t ban = extra_of(e, ask_at(e, ask))->refusals;

    if (ban == SKEDI_NONE || !(ban_at(e, ban)->parked & why)) return;
    uint32_t parked = ban_at(e, ban)->parked & ~why;
    set_parked(e, ban, parked ? parked : PARK_READY);
}

sked_status skedi_ban_settle(sked_engine *e, uint32_t ban)
{
    uint32_t ask = ban_at(e, ban)->owner;
    const engine_ask *a = ask_at(e, ask);
    int runs = a->open > 0 && job_at(e, a->job)->state == JOB_RUNNING;

    if (runs && !skedi_entries_reserve(e, ask)) return SKED_ERR_NOMEM;
    set_parked(e, ban, 0);
    if (runs) skedi_entries_add(e, ask);
    return SKED_OK;
}

void skedi_bans_see_node(sked_engine *e, uint32_t node)
{
    const int64_t *capacity = engine_row_of(e, &e->node_capacity, node);

    for (uint32_t i = e->first_parked, next; i != SKEDI_NONE; i = next) {
        const engine_ask *a = ask_at(e, ban_at(e, i)->owner);
        int here = a->partition == SKED_ANY_PARTITION ||
                   a->partition == node_at(e, node)->partition;
        int runs = a->first_group != SKEDI_NONE;
        next = ban_at(e, i)->next;
        skedi_pace_work(e);
        if (here && skedi_step_fits(e, a->shape, capacity) &&
            skedi_shape_may_fit(e, a->shape, a->partition,
                                runs ? 0 : extra_of(e, a)->each)) {
            skedi_ask_unpark(e, ban_at(e, i)->owner, PARK_NODE);
        }
    }
}

void skedi_bans_see_limits(sked_engine *e, uint32_t job)
{
    for (uint32_t i = e->first_parked, next; i != SKEDI_NONE; i = next) {
        const engine_ask *a = ask_at(e, ban_at(e, i)->owner);
        const int64_t *step = engine_row_of(e, &e->shape_step, a->shape);
        next = ban_at(e, i)->next;
        if (job != SKEDI_NONE && a->job != job) continue;
        if (skedi_never_under_limit(e, job_at(e, a->job)->row, step) ==
            SKEDI_NONE) {
            skedi_ask_unpark(e, ban_at(e, i)->owner, PARK_LIMIT);
        }
    }
}

void skedi_bans_see_rest(sked_engine *e, uint32_t ask)
{
    const engine_ask *a = ask_at(e, ask);
    uint32_t parked = skedi_parked_by(e, a);
    uint32_t row = job_at(e, a->job)->row;

    if (!(a->flags & SKED_ASK_SPREAD) || a->open == 0) return;
    uint32_t each = a->first_group == SKEDI_NONE ? extra_of(e, a)->each : 0;
    if (parked & PARK_NODE &&
        skedi_shape_may_fit(e, a->shape, a->partition, each)) {
        skedi_ask_unpark(e, ask, PARK_NODE);
    }
    const int64_t *step = engine_row_of(e, &e->shape_step, a->shape);
    if (parked & PARK_LIMIT &&
        skedi_never_under_limit(e, row, step) == SKEDI_NONE) {
        skedi_ask_unpark(e, ask, PARK_LIMIT);
    }
}

/* ---- Jobs and nodes as wholes ---- */

void skedi_ban_time(sked_engine *e, uint32_t ban, sked_time until)
{
    ban_at(e, ban)->until = until;
    if (until == SKED_UNSET)
        skedi_heap_remove(&e->lapses, ban);
    else
        skedi_heap_set(&e->lapses, ban, skedi_key_signed(until));
}

void skedi_job_bar(sked_engine *e, uint32_t job, sked_time until)
{
    skedi_ban_of_job(e, job)->barred = 1;
    skedi_ban_time(e, job_at(e, job)->ban, until);
    for (uint32_t a = job_at(e, job)->first_ask; a != SKEDI_NONE;
         a = ask_at(e, a)->next) {
        skedi_pace_work(e);
        skedi_ask_park(e, a, PARK_JOB);
    }
}

void skedi_job_unbar(sked_engine *e, uint32_t job)
{
    uint32_t ban = job_at(e, job)->ban;

    if (ban == SKEDI_NONE || !ban_at(e, ban)->barred) return;
    ban_at(e, ban)->barred = 0;
    skedi_ban_time(e, ban, SKED_UNSET);
    for (uint32_t a = job_at(e, job)->first_ask; a != SKEDI_NONE;
         a = ask_at(e, a)->next) {
        skedi_pace_work(e);
        skedi_ask_unpark(e, a, PARK_JOB);
    }
}

void skedi_node_bar(sked_engine *e, uint32_t node, sked_time until)
{
    engine_node *n = node_at(e, node);

    skedi_ban_of_node(e, node)->barred = 1;
    skedi_ban_time(e, n->ban, until);
    if (n->state == NODE_OPEN) n->state = NODE_BARRED;
    skedi_node_touch(e, node);
}

void skedi_node_unbar(sked_engine *e, uint32_t node)
{
    engine_node *n = node_at(e, node);

    if (!skedi_node_is_barred(e, node)) return;
    ban_at(e, n->ban)->barred = 0;
    skedi_ban_time(e, n->ban, SKED_UNSET);
    if (n->state == NODE_BARRED) n->state = NODE_OPEN;
    skedi_node_touch(e, node);
    n->seen = 0;
}

/* Ends what the host refused an ask, a job or a node as a whole. */
static void lift_ban(sked_engine *e, uint32_t ban)
{
    const engine_ban *b = ban_at(e, ban);

    switch (b->what) {
    case BAN_OF_ASK:
        skedi_ban_time(e, ban, SKED_UNSET);
        skedi_ask_unpark(e, b->owner, PARK_ASK);
        return;
    case BAN_OF_JOB: skedi_job_unbar(e, b->owner); return;
    default: skedi_node_unbar(e, b->owner);
    }
}

void skedi_ban_changed(sked_engine *e, uint32_t ban)
{
    if (ban != SKEDI_NONE && ban_at(e, ban)->until == SKED_UNSET)
        lift_ban(e, ban);
}

void skedi_bans_lapse(sked_engine *e, sked_time now)
{
    while (e->lapses.n > 0) {
        const skedi_heap_item *top = skedi_heap_top(&e->lapses);
        if (top->key > skedi_key_signed(now)) return;
        lift_ban(e, top->id);
    }
}

int skedi_ban_is_sound(const sked_engine *e, uint32_t ban)
{
    const engine_ban *b = ban_at(e, ban);
    const engine_refusal *pairs = e->refusals.item;
    uint32_t n = 0, own = b->what == BAN_OF_ASK
                              ? extra_of(e, ask_at(e, b->owner))->refusals
                          : b->what == BAN_OF_JOB ? job_at(e, b->owner)->ban
                                                  : node_at(e, b->owner)->ban;

    for (uint32_t p = b->refusals; p != SKEDI_NONE; p = pairs[p].next) {
        if (skedi_keymap_get(&e->refusal_of, pairs[p].name) != p) return 0;
        n++;
    }
    for (uint64_t i = 1; i < b->n_excluded; i++) {
        if (b->excluded[i] <= b->excluded[i - 1]) return 0;
    }
    return own == ban && n == b->pairs &&
           skedi_heap_has(&e->lapses, ban) == (b->until != SKED_UNSET) &&
           b->listed == ((b->parked & PARK_LISTED) != 0);
}
