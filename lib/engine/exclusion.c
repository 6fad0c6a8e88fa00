/*
 * Why an ask may not start now, and which nodes it may not use.
 *
 * An exclusion (ban) belongs to an ask, a job or a node and is made when the
 * host excludes or rejects something. Asks that no node can hold are parked in
 * a list; exclusions with an end stand in a heap. skedi_refusal_at() is the
 * one ordered list of all reasons; passes and explanations go by that list.
 *
 * Invariants: a parked ask has no entry; the heap has each exclusion with an
 * end exactly once.
 */
#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/sort.h"
#include "engine/work.h"
#include "engine/exclusion.h"
#include "engine/exclusive.h"
#include "engine/budget.h"
#include "engine/nodes.h"
#include "engine/filter.h"
#include "engine/pace.h"
#include "engine/pending.h"
#include "engine/queue.h"
#include "engine/reservation.h"
#include "engine/soft_rules.h"
#include "engine/ask.h"
#include "engine/store.h"

/* What the host refused an ask, and what it excludes. */

int skedi_refusal_holds(const sked_engine *e, const engine_ask *ask,
                        const engine_refusal *refusal)
{
    const engine_node *n = node_at(e, refusal->node);

    if (refusal->until != SKED_UNSET) {
        return e->now < refusal->until && refusal->node_epoch == n->arrival;
    }
    return refusal->ask_epoch == extra_of(e, ask)->epoch &&
           refusal->node_epoch == n->epoch;
}

static const engine_refusal *
exclusion_find_pair(const sked_engine *e, const engine_ask *ask, uint32_t node)
{
    const engine_refusal *pairs = e->refusals.item;
    uint32_t number = (uint32_t)(ask - ask_at(e, 0));
    uint32_t pair = skedi_keymap_get(&e->refusal_of,
                                     skedi_pair_name(number, node));

    return pair == SKEDI_NONE ? NULL : &pairs[pair];
}

static int exclusion_is_excluded(const engine_ban *ban, uint64_t key)
{
    uint64_t from = 0, to = ban->n_excluded;

    while (from < to) {
        uint64_t at = from + (to - from) / 2;
        if (ban->excluded[at] == key) return 1;
        if (ban->excluded[at] < key)
            from = at + 1;
        else
            to = at;
    }
    return 0;
}

int skedi_ask_excludes(const sked_engine *e, uint32_t ask, uint32_t node)
{
    const engine_ask *a = ask_at(e, ask);
    uint32_t own = extra_of(e, a)->refusals, of_job = job_at(e, a->job)->ban;
    uint64_t key = node_at(e, node)->key;

    return (own != SKEDI_NONE && exclusion_is_excluded(ban_at(e, own), key)) ||
           (of_job != SKEDI_NONE &&
            exclusion_is_excluded(ban_at(e, of_job), key));
}

/* Why its ban keeps an ask that has one from a node; SKED_REASON_ORDER: it does
 * not. Does the ban of any ask, if it has one, keep it from a node? */
static int32_t exclusion_ban_reason(const sked_engine *e, const engine_ask *ask,
                                    uint32_t node)
{
    const engine_ban *ban = ban_at(e, extra_of(e, ask)->refusals);
    uint32_t at = (uint32_t)(ask - ask_at(e, 0));
    const engine_refusal *pair = ban->pairs ? exclusion_find_pair(e, ask, node)
                                            : NULL;

    if (pair && skedi_refusal_holds(e, ask, pair)) return SKED_REASON_REFUSED;
    return skedi_ask_excludes(e, at, node) ? SKED_REASON_EXCLUDED
                                           : SKED_REASON_ORDER;
}

sked_time skedi_refused_until(const sked_engine *e, uint32_t ask, uint32_t node)
{
    const engine_refusal *pair = exclusion_find_pair(e, ask_at(e, ask), node);
    int timed = pair && pair->until != SKED_UNSET;

    return timed ? pair->until : INT64_MAX;
}

/* Does the host refuse an ask a node, or does the ask or its job exclude it?
 * `*until` is when that lapses by itself (INT64_MAX: never); `*changes` 1: it
 * lapses when the node or the ask changes. */
static int exclusion_ask_refuses(const sked_engine *e, uint32_t ask,
                                 uint32_t node, sked_time *until, int *changes)
{
    const engine_ask *a = ask_at(e, ask);

    *until = INT64_MAX;
    *changes = 0;
    if (extra_of(e, a)->refusals == SKEDI_NONE) return 0;
    if (skedi_ask_excludes(e, ask, node)) return 1;
    const engine_refusal *pair = exclusion_find_pair(e, a, node);
    if (!pair || !skedi_refusal_holds(e, a, pair)) return 0;
    *changes = pair->until == SKED_UNSET;
    if (!*changes) *until = pair->until;
    return 1;
}

static int exclusion_ask_is_banned(const sked_engine *e, const engine_ask *ask,
                                   uint32_t node)
{
    return extra_of(e, ask)->refusals != SKEDI_NONE &&
           exclusion_ban_reason(e, ask, node) != SKED_REASON_ORDER;
}

/* What keeps an ask from running on a node. */

/* Does its rule, a refusal of the host or an exclusion keep an ask from a node?
 */
static int exclusion_pair_refused(const sked_engine *e, const engine_ask *ask,
                                  uint32_t node)
{
    return !skedi_shape_takes(e, ask->shape, node) ||
           exclusion_ask_is_banned(e, ask, node);
}

/* What the places of an ask say of a node. */
typedef struct place_view {
    int own;   /* 1: it is one with tasks left */
    int near;  /* 1: it is in a rack with tasks left */
    int racks; /* 1: racks are named */
    int nodes; /* 1: some node has tasks left */
    int some;  /* 1: some place has */
} place_view;

static int exclusion_shares_rack(const sked_engine *e, uint64_t key,
                                 uint32_t node)
{
    uint32_t other = skedi_keymap_get(&e->node_of, key);
    uint64_t rack = node_at(e, node)->rack;

    return rack != 0 && other != SKEDI_NONE && node_at(e, other)->rack == rack;
}

static place_view exclusion_view_places(const sked_engine *e,
                                        const engine_ask *ask, uint32_t node)
{
    const engine_node *n = node_at(e, node);
    place_view v = {0};
    int beside = 0, used_up = 0;

    for (uint32_t p = extra_of(e, ask)->places; p != SKEDI_NONE;
         p = place_at(e, p)->next) {
        const engine_place *place = place_at(e, p);
        int left = place->left > 0;
        v.some |= left;
        if (place->rack) {
            v.racks = 1;
            if (n->rack == 0 || place->key != n->rack) continue;
            v.near = left;
            used_up = !left;
        } else if (left) {
            v.nodes = 1;
            v.own |= place->key == n->key;
            beside |= exclusion_shares_rack(e, place->key, node);
        }
    }
    v.own = v.own && !used_up;
    if (!v.racks) v.near = beside;
    return v;
}

static engine_wait exclusion_place_wait(const sked_engine *e,
                                        const engine_ask *ask, uint32_t node)
{
    const sked_engine_options *o = &e->opts;
    engine_wait wait = {(uint64_t)o->node_delay_ns, 0};

    if (extra_of(e, ask)->places == SKEDI_NONE) return (engine_wait){0};
    place_view v = exclusion_view_places(e, ask, node);
    if (v.own) return (engine_wait){0};
    wait.never = (ask->flags & SKED_ASK_STRICT) != 0 && !(v.racks && v.near);
    if (!v.some) return (engine_wait){.never = wait.never};
    if (!v.nodes) wait.time = 0;
    if (v.near) return wait;
    wait.time += (uint64_t)o->rack_delay_ns;
    return wait;
}

uint32_t skedi_place_distance(const sked_engine *e, const engine_ask *ask,
                              uint32_t node)
{
    if (extra_of(e, ask)->places == SKEDI_NONE) return 0;
    place_view v = exclusion_view_places(e, ask, node);
    return v.own ? 0 : v.near ? 1 : 2;
}

/* Has no node among an ask's places tasks left? */
static int exclusion_nodes_used_up(const sked_engine *e, const engine_ask *ask)
{
    uint32_t p = extra_of(e, ask)->places;

    while (p != SKEDI_NONE &&
           (place_at(e, p)->rack || place_at(e, p)->left <= 0)) {
        p = place_at(e, p)->next;
    }
    return p == SKEDI_NONE;
}

/* Where no listed node has tasks left by that, the ask waits for less than
 * before, and where a place has tasks left again, nodes of a rack take it at
 * once: so all nodes are looked at again. */
void skedi_place_follow(sked_engine *e, const engine_ask *ask, uint32_t node,
                        int64_t count)
{
    const engine_node *n = node_at(e, node);
    int counted = 0, back = 0;

    for (uint32_t p = extra_of(e, ask)->places; p != SKEDI_NONE;
         p = place_at(e, p)->next) {
        engine_place *place = place_at(e, p);
        if (place->key != (place->rack ? n->rack : n->key)) continue;
        if (place->left == PLACE_ANY || place->key == 0) continue;
        int had = place->left > 0;
        int64_t left = skedi_i64_max(place->left - count, -PLACE_ANY);
        place->left = (int32_t)skedi_i64_min(left, PLACE_ANY - 1);
        counted |= had;
        back |= !had && place->left > 0;
    }
    if (back || (counted && exclusion_nodes_used_up(e, ask)))
        skedi_partition_stir_all(e);
}

int64_t skedi_place_left(const sked_engine *e, uint32_t ask, uint32_t node)
{
    const engine_node *n = node_at(e, node);
    int64_t least = INT64_MAX;

    for (uint32_t p = extra_of(e, ask_at(e, ask))->places; p != SKEDI_NONE;
         p = place_at(e, p)->next) {
        const engine_place *place = place_at(e, p);
        if (place->key != (place->rack ? n->rack : n->key)) continue;
        if (place->left == PLACE_ANY || place->left <= 0) continue;
        least = skedi_i64_min(least, place->left);
    }
    return least;
}

/* Has an ask waited long enough for its places to take this node? */
static int exclusion_wait_is_over(const sked_engine *e, const engine_ask *ask,
                                  uint32_t node)
{
    engine_wait wait = exclusion_place_wait(e, ask, node);
    sked_time since = skedi_ask_waits_since(e, ask);

    return !wait.never && (uint64_t)e->now - (uint64_t)since >= wait.time;
}

int skedi_place_allows(const sked_engine *e, uint32_t ask, uint32_t node)
{
    const engine_ask *a = ask_at(e, ask);

    return !exclusion_pair_refused(e, a, node) &&
           exclusion_wait_is_over(e, a, node);
}

int skedi_place_may(const sked_engine *e, uint32_t ask, uint32_t node)
{
    const engine_ask *a = ask_at(e, ask);

    return !exclusion_pair_refused(e, a, node) &&
           !exclusion_place_wait(e, a, node).never;
}

int skedi_place_paid(const sked_engine *e, uint32_t ask, uint32_t node)
{
    const engine_ask *a = ask_at(e, ask);
    const engine_preferred *soft = skedi_soft_of(e, ask);
    uint32_t set = soft ? soft->own : shape_at(e, a->shape)->set;

    return skedi_set_takes(e, set, node) &&
           !exclusion_ask_is_banned(e, a, node) &&
           !exclusion_place_wait(e, a, node).never;
}

/* Does one step on top of what is used pass a bound? The kind in `*kind`. */
static int exclusion_passes_bound(const sked_engine *e, const int64_t *used,
                                  const int64_t *bound, const int64_t *step,
                                  uint32_t *kind)
{
    for (uint32_t k = 0; k < e->kinds; k++) {
        if (step[k] == 0 || bound[k] == SKED_UNLIMITED) continue;
        if (used[k] <= bound[k] && step[k] <= bound[k] - used[k]) continue;
        *kind = k;
        return 1;
    }
    return 0;
}

/* Does it pass a ceiling over all partitions, with what is reserved? */
static int exclusion_passes_ceiling(const sked_engine *e, uint32_t row,
                                    const int64_t *step, uint32_t *kind)
{
    size_t at = (size_t)row * e->kinds;
    int64_t held[SKED_MAX_KINDS];

    if (!e->rows.wide[row]) return 0;
    for (uint32_t k = 0; k < e->kinds; k++) {
        held[k] = e->rows.used[at + k] + e->rows.reserved[at + k];
    }
    return exclusion_passes_bound(e, held, e->rows.ceiling + at, step, kind);
}

/* Does a step on top of what is used and reserved pass the limit? A step that
 * what is kept below covers adds nothing to what is booked, so where capacity
 * went that alone would let it start. */
static int exclusion_passes_limit(const sked_engine *e, size_t cell,
                                  const int64_t *step, uint32_t *kind)
{
    const int64_t *used = cell_row(e, e->cell_used, cell);
    const int64_t *reserved = cell_row(e, e->cell_reserved, cell);
    int64_t held[SKED_MAX_KINDS];

    for (uint32_t k = 0; k < e->kinds; k++) held[k] = used[k] + reserved[k];
    return exclusion_passes_bound(e, held, cell_row(e, e->cell_limit, cell),
                                  step, kind);
}

/* Does a queue's head room, in all or in the partition, not hold a step, of
 * which `delta` would be booked there? */
static int exclusion_row_refuses(const sked_engine *e, uint32_t row,
                                 uint32_t partition, const int64_t *step,
                                 const int64_t *delta, uint32_t *kind)
{
    size_t cell = cell_of(e, row, partition);

    if (!e->cells[cell].bounded) return 0;
    if (e->lends && exclusion_passes_limit(e, cell, step, kind)) return 1;
    return exclusion_passes_ceiling(e, row, step, kind) ||
           exclusion_passes_bound(e, skedi_booked(e, cell),
                                  cell_row(e, e->cell_limit, cell), delta,
                                  kind);
}

/* The highest queue on a leaf's path whose head room does not hold a step, or
 * SKEDI_NONE. */
static uint32_t exclusion_limit_on_path(const sked_engine *e, uint32_t leaf,
                                        uint32_t partition, const int64_t *step,
                                        uint32_t *kind)
{
    uint32_t refused = SKEDI_NONE;
    int64_t delta[SKED_MAX_KINDS];

    for (uint32_t k = 0; k < e->kinds; k++) delta[k] = step[k];
    for (uint32_t row = leaf;; row = (uint32_t)e->rows.parent[row]) {
        if (exclusion_row_refuses(e, row, partition, step, delta, kind))
            refused = row;
        if (row == 0) return refused;
        skedi_books_climb(e, cell_of(e, row, partition), delta);
    }
}

uint32_t skedi_limit_against(const sked_engine *e, uint32_t leaf,
                             uint32_t partition, const int64_t *step,
                             uint32_t *kind)
{
    if (!e->cells[cell_of(e, leaf, partition)].under_bound) return SKEDI_NONE;
    return exclusion_limit_on_path(e, leaf, partition, step, kind);
}

int64_t skedi_masters_bound(const sked_engine *e, uint32_t leaf,
                            uint32_t partition, uint32_t kind)
{
    uint64_t ppm = (uint64_t)e->rows.am_share[leaf], rem;
    int64_t base = cell_row(e, e->cell_base, cell_of(e, leaf, partition))[kind];
    uint64_t part = skedi_muldiv((uint64_t)base, ppm, (uint64_t)SKED_PPM, &rem);
    return (int64_t)part + (rem > 0);
}

/* Adds what is reserved for masters of a leaf for which others got kill orders,
 * but not of the ask `but`: these are as good as started. */
static void exclusion_add_paid_masters(const sked_engine *e, uint32_t leaf,
                                       uint32_t partition, uint32_t but,
                                       int64_t *held)
{
    for (uint32_t i = e->first_reservation; i != SKEDI_NONE;
         i = reservation_at(e, i)->later) {
        const engine_reservation *reserved = reservation_at(e, i);
        const engine_ask *a = ask_at(e, reserved->ask);
        if (reserved->paid == 0 || reserved->ask == but) continue;
        if (!(a->flags & SKED_ASK_MASTER)) continue;
        if (job_at(e, a->job)->row != leaf) continue;
        if (node_at(e, reserved->node)->partition != partition) continue;
        for (uint32_t k = 0; k < e->kinds; k++) {
            held[k] += skedi_reservation_paid(e, i, k);
        }
    }
}

int skedi_masters_refuse(const sked_engine *e, uint32_t ask, uint32_t partition,
                         uint32_t *kind, int64_t *need)
{
    uint32_t shape = ask_at(e, ask)->shape;

    return skedi_masters_against(
        e, ask, partition, engine_row_of(e, &e->shape_step, shape), kind, need);
}

int skedi_masters_against(const sked_engine *e, uint32_t ask,
                          uint32_t partition, const int64_t *step,
                          uint32_t *kind, int64_t *need)
{
    const engine_ask *a = ask_at(e, ask);
    uint32_t leaf = job_at(e, a->job)->row;
    int64_t held[SKED_MAX_KINDS], any = 0;

    if (!(a->flags & SKED_ASK_MASTER) || !e->mastered) return 0;
    if (e->rows.am_share[leaf] == SKED_UNLIMITED) return 0;
    memcpy(held, cell_row(e, e->cell_masters, cell_of(e, leaf, partition)),
           e->kinds * sizeof *held);
    if (extra_of(e, a)->paid == 0)
        exclusion_add_paid_masters(e, leaf, partition, ask, held);
    for (uint32_t k = 0; k < e->kinds; k++) any |= held[k];
    for (uint32_t k = 0; any && k < e->kinds; k++) {
        *kind = k;
        *need = held[k] + step[k];
        if (step[k] > 0 && *need > skedi_masters_bound(e, leaf, partition, k)) {
            return 1;
        }
    }
    return 0;
}

/* Why a tree of limits keeps a step of an ask from starting: SKED_REASON_ORDER
 * if none does. */
static int32_t exclusion_tree_reason(const sked_engine *e, const engine_ask *a,
                                     const int64_t *step, uint32_t *row,
                                     uint32_t *kind)
{
    if (job_at(e, a->job)->charge == SKEDI_NONE) return SKED_REASON_ORDER;
    engine_tree_bound bound = skedi_trees_bound(e, a->job, step, NULL);

    *row = bound.row;
    *kind = bound.kind;
    return bound.tree == SKEDI_NONE ? SKED_REASON_ORDER
                                    : skedi_tree_reason(bound.tree);
}

int32_t skedi_exclusive_bound(const sked_engine *e, uint32_t ask,
                              uint32_t partition, const int64_t *amount,
                              uint32_t *row, uint32_t *kind)
{
    int64_t need;

    *row = skedi_limit_against(e, job_at(e, ask_at(e, ask)->job)->row,
                               partition, amount, kind);
    if (*row != SKEDI_NONE) return SKED_REASON_QUEUE_LIMIT;
    int32_t reason = exclusion_tree_reason(e, ask_at(e, ask), amount, row,
                                           kind);
    if (reason != SKED_REASON_ORDER) return reason;
    return skedi_masters_against(e, ask, partition, amount, kind, &need)
               ? SKED_REASON_MASTERS
               : SKED_REASON_ORDER;
}

int skedi_exclusive_takes(const sked_engine *e, uint32_t ask, uint32_t node)
{
    const engine_ask *a = ask_at(e, ask);
    int64_t all[SKED_MAX_KINDS];
    uint32_t row, kind;

    if (!skedi_ask_is_exclusive(a)) return 1;
    if (!skedi_node_is_empty(e, node)) return 0;
    if (a->flags & SKED_ASK_SPREAD && !skedi_gang_grows(e, a)) return 1;
    skedi_exclusive_amount(e, ask, node, all);
    return skedi_exclusive_bound(e, ask, node_at(e, node)->partition, all, &row,
                                 &kind) == SKED_REASON_ORDER;
}

int32_t skedi_refusal_at(const sked_engine *e, uint32_t ask, uint32_t account,
                         uint32_t node, uint32_t *row)
{
    const engine_ask *a = ask_at(e, ask);
    const engine_job *job = job_at(e, a->job);
    uint32_t partition = node_at(e, node)->partition, kind;
    const int64_t *free = engine_row_of(e, &e->node_free, node);
    const int64_t *step = engine_row_of(e, &e->shape_step, a->shape);
    int64_t need;

    if (!skedi_step_fits(e, a->shape, free)) return SKED_REASON_NO_NODE;
    *row = skedi_limit_against(e, job->row, partition, step, &kind);
    if (*row != SKEDI_NONE) return SKED_REASON_QUEUE_LIMIT;
    if (job->charge != SKEDI_NONE) {
        int32_t reason = exclusion_tree_reason(e, a, step, row, &kind);
        if (reason != SKED_REASON_ORDER) return reason;
    }
    if (e->mastered && skedi_masters_refuse(e, ask, partition, &kind, &need)) {
        return SKED_REASON_MASTERS;
    }
    if (account != SKEDI_NONE && skedi_account_is_full(e, account)) {
        return SKED_REASON_USER_LIMIT;
    }
    if (!skedi_shape_takes(e, a->shape, node)) return SKED_REASON_RULE;
    if (extra_of(e, a)->refusals != SKEDI_NONE) {
        int32_t reason = exclusion_ban_reason(e, a, node);
        if (reason != SKED_REASON_ORDER) return reason;
    }
    if (extra_of(e, a)->places != SKEDI_NONE &&
        !exclusion_wait_is_over(e, a, node)) {
        return SKED_REASON_LOCALITY;
    }
    if (skedi_ask_is_exclusive(a) && !skedi_exclusive_takes(e, ask, node)) {
        return SKED_REASON_EXCLUSIVE;
    }
    return SKED_REASON_ORDER;
}

int32_t skedi_ask_refusal(const sked_engine *e, uint32_t ask, uint32_t node,
                          uint32_t *row)
{
    uint32_t account = skedi_account_of_ask(e, ask,
                                            node_at(e, node)->partition);

    return skedi_refusal_at(e, ask, account, node, row);
}

uint32_t skedi_never_under_limit(const sked_engine *e, uint32_t row,
                                 const int64_t *step)
{
    for (;; row = (uint32_t)e->rows.parent[row]) {
        const int64_t *ceiling = e->rows.ceiling + (size_t)row * e->kinds;
        if (!skedi_amounts_fit(e, step, ceiling)) return row;
        if (row == 0) return SKEDI_NONE;
    }
}

/*
 * A ban belongs to an ask, a job or a node, and is made when there is something
 * to say. Those of parked asks that wait for a node, a limit or memory are in a
 * list, those that lapse by themselves in a heap.
 */

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
static engine_ban *exclusion_take_ban(sked_engine *e, uint32_t *at,
                                      uint32_t what, uint32_t owner)
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
    return exclusion_take_ban(e, &skedi_extra_take(e, ask)->refusals,
                              BAN_OF_ASK, ask);
}

engine_ban *skedi_ban_of_job(sked_engine *e, uint32_t job)
{
    return exclusion_take_ban(e, &job_at(e, job)->ban, BAN_OF_JOB, job);
}

static engine_ban *exclusion_ban_of_node(sked_engine *e, uint32_t node)
{
    return exclusion_take_ban(e, &node_at(e, node)->ban, BAN_OF_NODE, node);
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

static void exclusion_unlist_parked(sked_engine *e, uint32_t ban)
{
    engine_ban *b = ban_at(e, ban);

    if (!b->listed) return;
    SKEDI_ASSERT(ban == (b->prev == SKEDI_NONE ? e->first_parked
                                               : ban_at(e, b->prev)->next));
    if (b->prev == SKEDI_NONE)
        e->first_parked = b->next;
    else
        ban_at(e, b->prev)->next = b->next;
    if (b->next != SKEDI_NONE) ban_at(e, b->next)->prev = b->prev;
    b->listed = 0;
}

static void exclusion_list_parked(sked_engine *e, uint32_t ban)
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
static void exclusion_set_parked(sked_engine *e, uint32_t ban, uint32_t parked)
{
    engine_ban *b = ban_at(e, ban);

    e->ready -= (b->parked & PARK_DUE) != 0;
    e->ready += (parked & PARK_DUE) != 0;
    if (parked & ~b->parked & PARK_FALLS)
        exclusion_unlist_parked(e, ban); /* it comes first */
    b->parked = parked;
    if (parked & PARK_LISTED)
        exclusion_list_parked(e, ban);
    else
        exclusion_unlist_parked(e, ban);
}

void skedi_ban_drop(sked_engine *e, uint32_t ban)
{
    SKEDI_ASSERT(ban_at(e, ban)->what != BAN_FREE_SLOT);
    engine_ban *b = ban_at(e, ban);
    engine_refusal *pairs = e->refusals.item;

    exclusion_set_parked(e, ban, 0);
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
    SKEDI_ASSERT(why != 0);
    engine_ban *b = skedi_ban_of_ask(e, ask);
    uint32_t parked = (b->parked | why) & ~(uint32_t)PARK_READY;

    exclusion_set_parked(e, extra_of(e, ask_at(e, ask))->refusals, parked);
    /* Its user's books may go with its entries, and what is paid with them. */
    skedi_reservation_forget(e, ask);
    if (ask_at(e, ask)->first_entry != SKEDI_NONE) skedi_entries_remove(e, ask);
}

void skedi_ask_unpark(sked_engine *e, uint32_t ask, uint32_t why)
{
    uint32_t ban = extra_of(e, ask_at(e, ask))->refusals;

    if (ban == SKEDI_NONE || !(ban_at(e, ban)->parked & why)) return;
    uint32_t parked = ban_at(e, ban)->parked & ~why;
    exclusion_set_parked(e, ban, parked ? parked : PARK_READY);
}

sked_status skedi_ban_settle(sked_engine *e, uint32_t ban)
{
    uint32_t ask = ban_at(e, ban)->owner;
    const engine_ask *a = ask_at(e, ask);
    int runs = a->open > 0 && job_at(e, a->job)->state == JOB_RUNNING;

    if (runs && !skedi_entries_reserve(e, ask)) return SKED_ERR_NOMEM;
    exclusion_set_parked(e, ban, 0);
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

    exclusion_ban_of_node(e, node)->barred = 1;
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
static void exclusion_lift_ban(sked_engine *e, uint32_t ban)
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
        exclusion_lift_ban(e, ban);
}

void skedi_bans_lapse(sked_engine *e, sked_time now)
{
    while (e->lapses.n > 0) {
        const skedi_heap_item *top = skedi_heap_top(&e->lapses);
        if (top->key > skedi_key_signed(now)) return;
        exclusion_lift_ban(e, top->id);
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

/*
 * A class stands for asks of one shape, or of several that are listed; the asks
 * of each stand in a list, the one that came last first. A class that refuses
 * a node still does when the later asks of the class refuse the node too.
 */

void skedi_refusers_follow(sked_engine *e, uint32_t ask)
{
    const engine_ask *a = ask_at(e, ask);
    uint32_t own = extra_of(e, a)->refusals, of_job = job_at(e, a->job)->ban;
    uint64_t which = 0;

    if (own == SKEDI_NONE) return;
    if (skedi_ask_avoids(e, a)) {
        which = ban_at(e, own)->which;
        if (of_job != SKEDI_NONE) which += ban_at(e, of_job)->which;
        which = 1 + (which >> 32) % SKEDI_REFUSER_BUCKETS;
    }
    skedi_entries_bucket(e, ask, (uint32_t)which);
}

/* What was found so far in one look at a node's classes. */
typedef struct engine_asked {
    engine_refusers found;
    uint32_t takes; /* an ask that takes the node */
    int moved;      /* 1: some ask has another class now */
} engine_asked;

/* How many shapes a class has, all of asks that refuse nodes; they are in
 * `shapes`. 0: it has other shapes, or some that are not listed. */
static uint32_t exclusion_refusing_shapes(const sked_engine *e,
                                          uint32_t partition, uint32_t class,
                                          uint32_t *shapes)
{
    const engine_partition *part = &e->partition[partition];
    uint32_t n = 1;

    shapes[0] = part->shape[class];
    if (class >= SKEDI_MIXED_CLASS) {
        const engine_mixture *mix = &part->mixed[class - SKEDI_MIXED_CLASS];
        if (mix->listed < mix->shapes) return 0;
        n = mix->listed;
        memcpy(shapes, mix->shape, n * sizeof *shapes);
    }
    for (uint32_t i = 0; i < n; i++) {
        if (shape_at(e, shapes[i])->bucket == 0) return 0;
    }
    return n;
}

/* Does an ask refuse the node? Notes until when. An ask of which refusals have
 * lapsed moves to the class of those that are left, and counts as one that
 * does. */
static int exclusion_note_refusal(sked_engine *e, uint32_t ask, uint32_t node,
                                  engine_asked *so_far)
{
    sked_time until;
    int changes;

    e->stats.asks_visited++;
    if (exclusion_ask_refuses(e, ask, node, &until, &changes)) {
        engine_refusers *found = &so_far->found;
        found->until = skedi_i64_min(found->until, until);
        if (changes) found->epoch = node_at(e, node)->epoch;
        return 1;
    }
    so_far->takes = ask;
    if (!skedi_pairs_purge(e, ask, 0)) return 0;
    skedi_refusers_follow(e, ask);
    so_far->moved = 1;
    return 1;
}

/* Do all asks of a shape that came into line after `since` refuse the node? */
static int exclusion_shape_refuses(sked_engine *e, uint32_t shape,
                                   uint32_t node, uint64_t since,
                                   engine_asked *so_far)
{
    uint32_t partition = node_at(e, node)->partition, next;

    for (uint32_t i = shape_at(e, shape)->first; i != SKEDI_NONE; i = next) {
        const engine_ask *a = ask_at(e, i);
        if (extra_of(e, a)->joined <= since) return 1;
        next = extra_of(e, a)->sooner;
        if (a->partition != partition && a->partition != SKED_ANY_PARTITION) {
            continue;
        }
        if (!exclusion_note_refusal(e, i, node, so_far)) return 0;
    }
    return 1;
}

/* Adds a class to those that refuse a node, if it does. */
static void exclusion_add_class(sked_engine *e, uint32_t node, uint32_t class,
                                engine_asked *so_far)
{
    const engine_node *n = node_at(e, node);
    uint64_t bit = (uint64_t)1 << class;
    uint64_t since = so_far->found.classes & bit ? n->refusers.joins : 0;
    uint32_t shapes[SKEDI_LISTED_SHAPES];
    uint32_t shape_n = exclusion_refusing_shapes(e, n->partition, class,
                                                 shapes);

    so_far->found.classes &= ~bit;
    for (uint32_t i = 0; i < shape_n; i++) {
        if (exclusion_shape_refuses(e, shapes[i], node, since, so_far))
            continue;
        skedi_entries_recent(e, so_far->takes); /* asked first the next time */
        return;
    }
    if (shape_n > 0) so_far->found.classes |= bit;
}

/* Does what a node remembers hold, but for what came since? */
static int exclusion_still_holds(const sked_engine *e, const engine_node *n)
{
    const engine_refusers *r = &n->refusers;

    return r->classes && e->now < r->until &&
           (r->epoch == 0 || r->epoch == n->epoch);
}

uint64_t skedi_refusers_of(sked_engine *e, uint32_t node, uint64_t among,
                           int *moved)
{
    engine_node *n = node_at(e, node);
    uint64_t joins = e->joins, apart = e->partition[n->partition].apart;
    engine_asked so_far = {.found.until = INT64_MAX};

    if (exclusion_still_holds(e, n)) so_far.found = n->refusers;
    so_far.found.classes &= apart;
    apart &= among | so_far.found.classes;
    for (; apart; apart &= apart - 1) {
        exclusion_add_class(e, node, skedi_ctz64(apart), &so_far);
    }
    *moved = so_far.moved;
    n->refusers = so_far.found;
    n->refusers.joins = joins;
    if (n->refusers.classes && n->refusers.until < INT64_MAX) {
        n->wake_time = skedi_i64_min(n->wake_time, n->refusers.until);
    }
    return n->refusers.classes;
}

int skedi_refusers_are_sound(const sked_engine *e, uint32_t node)
{
    const engine_node *n = node_at(e, node);

    if (!exclusion_still_holds(e, n)) return 1;
    for (uint32_t i = 0; i < e->entries.n; i++) {
        const engine_entry *x = entry_at(e, i);
        if (!x->live || x->cell % e->parts != n->partition) continue;
        const engine_ask *a = ask_at(e, x->ask);
        uint32_t class = e->partition[n->partition]
                             .class_of[skedi_class_shape(e, a)];
        sked_time until;
        int changes;
        if (!(n->refusers.classes >> class & 1)) continue;
        if (shape_at(e, skedi_class_shape(e, a))->bucket == 0) continue;
        if (extra_of(e, a)->joined > n->refusers.joins) continue;
        if (!exclusion_ask_refuses(e, x->ask, node, &until, &changes)) return 0;
        if (until < n->refusers.until || (changes && !n->refusers.epoch)) {
            return 0;
        }
    }
    return 1;
}

/* When a node is of use to an ask that waits for its places. */

/* `from` plus `wait`, saturated at INT64_MAX. */
static sked_time exclusion_time_after(sked_time from, uint64_t wait)
{
    uint64_t left = (uint64_t)INT64_MAX - (uint64_t)from;
    return wait >= left ? INT64_MAX : (sked_time)((uint64_t)from + wait);
}

void skedi_walk_wake(sked_engine *e, uint32_t ask, uint32_t node)
{
    const engine_ask *a = ask_at(e, ask);
    engine_node *n = node_at(e, node);
    engine_wait wait = exclusion_place_wait(e, a, node);
    sked_time since = skedi_ask_waits_since(e, a);

    if (wait.never) return;
    n->wake_time = skedi_i64_min(n->wake_time,
                                 exclusion_time_after(since, wait.time));
}
