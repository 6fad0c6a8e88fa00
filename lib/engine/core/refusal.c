/* What keeps an ask from running on a node. */
#include "engine/core/refusal.h"

#include <string.h>

#include "engine/core/asks.h"
#include "engine/core/bans.h"
#include "engine/exclusive.h"
#include "engine/reservation.h"
#include "engine/core/open.h"
#include "engine/queue.h"
#include "engine/order/accounts.h"
#include "engine/order/sets.h"
#include "engine/soft_rules.h"
#include "engine/order/trees.h"
#include "engine/steps.h"

/* Does its rule, a refusal of the host or an exclusion keep an ask from a node?
 */
static int pair_refused(const sked_engine *e, const engine_ask *ask,
                        uint32_t node)
{
    return !skedi_shape_takes(e, ask->shape, node) ||
           skedi_ask_is_banned(e, ask, node);
}

/* What the places of an ask say of a node. */
typedef struct place_view {
    int own;   /* 1: it is one with tasks left */
    int near;  /* 1: it is in a rack with tasks left */
    int racks; /* 1: racks are named */
    int nodes; /* 1: some node has tasks left */
    int some;  /* 1: some place has */
} place_view;

static int shares_rack(const sked_engine *e, uint64_t key, uint32_t node)
{
    uint32_t other = skedi_keymap_get(&e->node_of, key);
    uint64_t rack = node_at(e, node)->rack;

    return rack != 0 && other != SKEDI_NONE && node_at(e, other)->rack == rack;
}

static place_view view_places(const sked_engine *e, const engine_ask *ask,
                              uint32_t node)
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
            beside |= shares_rack(e, place->key, node);
        }
    }
    v.own = v.own && !used_up;
    if (!v.racks) v.near = beside;
    return v;
}

engine_wait skedi_place_wait(const sked_engine *e, const engine_ask *ask,
                             uint32_t node)
{
    const sked_engine_options *o = &e->opts;
    engine_wait wait = {(uint64_t)o->node_delay_ns, o->node_misses, 0};

    if (extra_of(e, ask)->places == SKEDI_NONE) return (engine_wait){0};
    place_view v = view_places(e, ask, node);
    if (v.own) return (engine_wait){0};
    wait.never = (ask->flags & SKED_ASK_STRICT) != 0 && !(v.racks && v.near);
    if (!v.some) return (engine_wait){.never = wait.never};
    if (!v.nodes) wait.time = wait.beats = 0;
    if (v.near) return wait;
    wait.time += (uint64_t)o->rack_delay_ns;
    wait.beats += o->rack_misses;
    return wait;
}

uint32_t skedi_place_distance(const sked_engine *e, const engine_ask *ask,
                              uint32_t node)
{
    if (extra_of(e, ask)->places == SKEDI_NONE) return 0;
    place_view v = view_places(e, ask, node);
    return v.own ? 0 : v.near ? 1 : 2;
}

/* Has no node among an ask's places tasks left? */
static int nodes_used_up(const sked_engine *e, const engine_ask *ask)
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
    if (back || (counted && nodes_used_up(e, ask))) skedi_partition_stir_all(e);
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
static int wait_is_over(const sked_engine *e, const engine_ask *ask,
                        uint32_t node)
{
    engine_wait wait = skedi_place_wait(e, ask, node);
    engine_waiting since = skedi_ask_waiting(e, ask);

    return !wait.never &&
           (uint64_t)e->now - (uint64_t)since.since >= wait.time &&
           skedi_ask_beats(e, ask) - since.beats >= wait.beats;
}

int skedi_place_allows(const sked_engine *e, uint32_t ask, uint32_t node)
{
    const engine_ask *a = ask_at(e, ask);

    return !pair_refused(e, a, node) && wait_is_over(e, a, node);
}

int skedi_place_may(const sked_engine *e, uint32_t ask, uint32_t node)
{
    const engine_ask *a = ask_at(e, ask);

    return !pair_refused(e, a, node) && !skedi_place_wait(e, a, node).never;
}

int skedi_place_paid(const sked_engine *e, uint32_t ask, uint32_t node)
{
    const engine_ask *a = ask_at(e, ask);
    const engine_preferred *soft = skedi_soft_of(e, ask);
    uint32_t set = soft ? soft->own : shape_at(e, a->shape)->set;

    return skedi_set_takes(e, set, node) && !skedi_ask_is_banned(e, a, node) &&
           !skedi_place_wait(e, a, node).never;
}

/* Does one step on top of what is used pass a bound? The kind in `*kind`. */
static int passes_bound(const sked_engine *e, const int64_t *used,
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
static int passes_ceiling(const sked_engine *e, uint32_t row,
                          const int64_t *step, uint32_t *kind)
{
    size_t at = (size_t)row * e->kinds;
    int64_t held[SKED_MAX_KINDS];

    if (!e->rows.wide[row]) return 0;
    for (uint32_t k = 0; k < e->kinds; k++) {
        held[k] = e->rows.used[at + k] + e->rows.reserved[at + k];
    }
    return passes_bound(e, held, e->rows.ceiling + at, step, kind);
}

/* Does a step on top of what is used and reserved pass the limit? A step that
 * what is kept below covers adds nothing to what is booked, so where capacity
 * went that alone would let it start. */
static int passes_limit(const sked_engine *e, size_t cell, const int64_t *step,
                        uint32_t *kind)
{
    const int64_t *used = cell_row(e, e->cell_used, cell);
    const int64_t *reserved = cell_row(e, e->cell_reserved, cell);
    int64_t held[SKED_MAX_KINDS];

    for (uint32_t k = 0; k < e->kinds; k++) held[k] = used[k] + reserved[k];
    return passes_bound(e, held, cell_row(e, e->cell_limit, cell), step, kind);
}

/* Does a queue's head room, in all or in the partition, not hold a step, of
 * which `delta` would be booked there? */
static int row_refuses(const sked_engine *e, uint32_t row, uint32_t partition,
                       const int64_t *step, const int64_t *delta,
                       uint32_t *kind)
{
    size_t cell = cell_of(e, row, partition);

    if (!e->cells[cell].bounded) return 0;
    if (e->lends && passes_limit(e, cell, step, kind)) return 1;
    return passes_ceiling(e, row, step, kind) ||
           passes_bound(e, skedi_booked(e, cell),
                        cell_row(e, e->cell_limit, cell), delta, kind);
}

/* The highest queue on a leaf's path whose head room does not hold a step, or
 * SKEDI_NONE. */
static uint32_t limit_on_path(const sked_engine *e, uint32_t leaf,
                              uint32_t partition, const int64_t *step,
                              uint32_t *kind)
{
    uint32_t refused = SKEDI_NONE;
    int64_t delta[SKED_MAX_KINDS];

    for (uint32_t k = 0; k < e->kinds; k++) delta[k] = step[k];
    for (uint32_t row = leaf;; row = (uint32_t)e->rows.parent[row]) {
        if (row_refuses(e, row, partition, step, delta, kind)) refused = row;
        if (row == 0) return refused;
        skedi_books_climb(e, cell_of(e, row, partition), delta);
    }
}

uint32_t skedi_limit_against(const sked_engine *e, uint32_t leaf,
                             uint32_t partition, const int64_t *step,
                             uint32_t *kind)
{
    if (!e->cells[cell_of(e, leaf, partition)].under_bound) return SKEDI_NONE;
    return limit_on_path(e, leaf, partition, step, kind);
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
static void add_paid_masters(const sked_engine *e, uint32_t leaf,
                             uint32_t partition, uint32_t but, int64_t *held)
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
        add_paid_masters(e, leaf, partition, ask, held);
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
static int32_t tree_reason(const sked_engine *e, const engine_ask *a,
                           const int64_t *step, uint32_t *row, uint32_t *kind)
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
    int32_t reason = tree_reason(e, ask_at(e, ask), amount, row, kind);
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
        int32_t reason = tree_reason(e, a, step, row, &kind);
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
        int32_t reason = skedi_ban_reason(e, a, node);
        if (reason != SKED_REASON_ORDER) return reason;
    }
    if (extra_of(e, a)->places != SKEDI_NONE && !wait_is_over(e, a, node)) {
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
