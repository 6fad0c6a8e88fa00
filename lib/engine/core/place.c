/*
 * A walk over a partition goes down from the root as one over a node does, but
 * with all classes of which some node may hold a step. The entry that it comes
 * to is given the first node, in the order that it asks for, which lets it run.
 * A class for which there is none is left out from then on, since nothing
 * becomes free meanwhile.
 */
#include <sched/engine_place.h>

#include "engine/core/walk.h"

#include "engine/core/alike.h"
#include "engine/exclusive.h"
#include "engine/gang.h"
#include "engine/decision.h"
#include "engine/exclusion.h"
#include "engine/pass_reserved.h"
#include "engine/queue.h"
#include "engine/order/keys.h"
#include "engine/order/ranks.h"
#include "engine/order/sets.h"
#include "engine/pending.h"
#include "engine/order/shares.h"
#include "engine/steps.h"

/* Of each shape so many steps at most count as lost. */
enum { LOSS_TIMES = 1024 };

/* A partition whose asks are given nodes. */
typedef struct engine_placing {
    uint32_t partition;
    uint64_t fit;   /* classes of which a node may hold a step */
    uint64_t last;  /* decision */
    uint64_t looks; /* so far */
} engine_placing;

/* A node for a step. */
typedef struct engine_choice {
    uint32_t node; /* SKEDI_NONE: none */
    uint32_t distance;
    uint64_t loss;
} engine_choice;

/* ---- Which node ---- */

/* The kind of which a step takes the largest part of the partition; of equal
 * ones the first. */
static uint32_t leading_kind(const sked_engine *e, uint32_t partition,
                             const int64_t *step)
{
    const int64_t *all = e->capacity + (size_t)partition * e->kinds;
    uint32_t lead = 0;

    while (lead + 1 < e->kinds && kind_is_pooled(e, lead)) lead++;
    for (uint32_t k = lead + 1; k < e->kinds; k++) {
        if (kind_is_pooled(e, k)) continue;
        if (skedi_cmp_mul((uint64_t)step[k], (uint64_t)all[lead],
                          (uint64_t)step[lead], (uint64_t)all[k]) > 0) {
            lead = k;
        }
    }
    return lead;
}

/* How an ask is to be placed: enum sked_engine_place_mode. */
static uint32_t mode_of_ask(const sked_engine *e, const engine_ask *ask)
{
    uint32_t own = ask->flags / SKED_ASK_PLACE_FIRST % 32;

    return own ? skedi_ctz64(own) + 1 : e->ranks.mode;
}

/* The largest part of a partition that a step takes, in ppm rounded up. */
static uint64_t size_of_step(const sked_engine *e, uint32_t partition,
                             const int64_t *step)
{
    uint32_t k = leading_kind(e, partition, step);
    int64_t all = e->capacity[(size_t)partition * e->kinds + k];
    uint64_t rem;

    if (step[k] >= all) return (uint64_t)SKED_PPM;
    uint64_t part = skedi_muldiv((uint64_t)step[k], (uint64_t)SKED_PPM,
                                 (uint64_t)all, &rem);
    return part + (rem > 0);
}

/* What asks that are open could no longer start on a node: steps of each, times
 * their size. */
static uint64_t loss_on(const sked_engine *e, uint32_t partition, uint32_t node,
                        const int64_t *step)
{
    const engine_partition *part = &e->partition[partition];
    const int64_t *free = engine_row_of(e, &e->node_free, node);
    int64_t left[SKED_MAX_KINDS];
    uint64_t loss = 0;

    for (uint32_t k = 0; k < e->kinds; k++) left[k] = free[k] - step[k];
    for (uint32_t s = 0; s < e->shapes.n && s < part->class_cap; s++) {
        if (part->shape_count[s] == 0) continue;
        if (!skedi_shape_takes(e, s, node)) continue;
        const int64_t *other = skedi_shape_part(e, s);
        uint64_t lost = skedi_fit_times(e, other, free, LOSS_TIMES) -
                        skedi_fit_times(e, other, left, LOSS_TIMES);
        if (lost == 0) continue;
        loss += lost * size_of_step(e, partition, other) * part->shape_count[s];
    }
    return loss;
}

/* The ranking by which an ask looks for its node; SKEDI_NONE: no memory. */
static uint32_t ranking_of(sked_engine *e, uint32_t partition, uint32_t mode,
                           const int64_t *step)
{
    uint32_t kind = leading_kind(e, partition, step);

    switch (mode) {
    case SKED_ENGINE_PLACE_MODE_PACK:
        return skedi_ranks_find(e, ENGINE_RANK_LEAST, kind);
    case SKED_ENGINE_PLACE_MODE_SPREAD:
        return skedi_ranks_find(e, ENGINE_RANK_MOST, kind);
    case SKED_ENGINE_PLACE_MODE_SCORE:
        return skedi_ranks_find(e, ENGINE_RANK_SCORE, 0);
    }
    return skedi_ranks_find(e, ENGINE_RANK_ARRIVAL, 0);
}

/* May one more start on a node in this call? */
static int node_has_turn(const sked_engine *e, uint32_t node)
{
    return !skedi_turn_is_over(e, node, e->ranks.started[node]);
}

/* May a task of an ask that fits a node start there? */
static int node_takes(const sked_engine *e, uint32_t ask, uint32_t node)
{
    const engine_ask *a = ask_at(e, ask);

    return node_has_turn(e, node) && skedi_place_allows(e, ask, node) &&
           skedi_exclusive_takes(e, ask, node) &&
           (!skedi_gang_grows(e, a) || skedi_gang_grows_on(e, ask, node));
}

static int choice_before(const engine_choice *a, const engine_choice *b)
{
    if (b->node == SKEDI_NONE) return 1;
    if (a->distance != b->distance) return a->distance < b->distance;
    return a->loss < b->loss;
}

/* The best node from `node` on, which all hold a step. */
static uint32_t choose_node(const sked_engine *e, const engine_placing *p,
                            uint32_t ask, uint32_t ranking, uint32_t node)
{
    const engine_ask *a = ask_at(e, ask);
    const int64_t *step = skedi_shape_part(e, a->shape);
    int losses = mode_of_ask(e, a) == SKED_ENGINE_PLACE_MODE_FRAGMENT;
    engine_choice best = {.node = SKEDI_NONE};

    for (; node != SKEDI_NONE;
         node = skedi_ranks_next(e, ranking, p->partition, step, node)) {
        engine_choice next = {.node = node};
        if (!node_takes(e, ask, node)) continue;
        next.distance = skedi_place_distance(e, a, node);
        if (losses) next.loss = loss_on(e, p->partition, node, step);
        if (choice_before(&next, &best)) best = next;
        if (best.distance == 0 && !losses) break;
    }
    return best.node;
}

/* ---- Of a sample ---- */

/* A cost by an ask's mode: of the nodes of a sample it takes one of least cost.
 */
static int64_t cost_on(const sked_engine *e, const engine_placing *p,
                       const engine_ask *a, uint32_t node)
{
    const int64_t *step = skedi_shape_part(e, a->shape);
    const int64_t *free = engine_row_of(e, &e->node_free, node);

    switch (mode_of_ask(e, a)) {
    case SKED_ENGINE_PLACE_MODE_PACK:
        return free[leading_kind(e, p->partition, step)];
    case SKED_ENGINE_PLACE_MODE_SPREAD:
        return -free[leading_kind(e, p->partition, step)];
    case SKED_ENGINE_PLACE_MODE_FRAGMENT:
        return (int64_t)loss_on(e, p->partition, node, step);
    case SKED_ENGINE_PLACE_MODE_SCORE: return ~e->ranks.score[node];
    }
    return 0;
}

/* Of two nodes of a sample the better one. */
static uint32_t better_node(const sked_engine *e, const engine_placing *p,
                            const engine_ask *a, uint32_t one, uint32_t other)
{
    if (one == SKEDI_NONE) return other;
    uint32_t far = skedi_place_distance(e, a, one);
    uint32_t farther = skedi_place_distance(e, a, other);
    if (far != farther) return far < farther ? one : other;
    int64_t cost = cost_on(e, p, a, one), more = cost_on(e, p, a, other);
    if (cost != more) return cost < more ? one : other;
    return node_at(e, one)->arrival < node_at(e, other)->arrival ? one : other;
}

/* Draws where a sample begins: at the first node whose number, in the order of
 * adding, is above this. */
static uint64_t draw_sample(const sked_engine *e, uint32_t partition)
{
    uint64_t state = e->opts.seed ^ e->stats.allocated;

    state ^= (uint64_t)partition << 48;
    return skedi_random_split(&state) % e->comings;
}

/* The best node of a sample of those that hold a step; SKEDI_NONE: none lets
 * the ask run. `ranking` is by the order of adding. */
static uint32_t choose_of_sample(const sked_engine *e, const engine_placing *p,
                                 uint32_t ask, uint32_t ranking)
{
    const engine_ask *a = ask_at(e, ask);
    const int64_t *step = skedi_shape_part(e, a->shape);
    uint64_t last = draw_sample(e, p->partition), end = last;
    uint32_t best = SKEDI_NONE;
    int round = 0;

    for (uint32_t left = e->ranks.sample; left > 0; left--) {
        uint32_t node = skedi_ranks_after(e, ranking, p->partition, step, last);
        if (node == SKEDI_NONE && !round) {
            round = 1;
            node = skedi_ranks_after(e, ranking, p->partition, step, 0);
        }
        if (node == SKEDI_NONE) break;
        last = node_at(e, node)->arrival;
        if (round && last > end) break;
        if (node_takes(e, ask, node)) best = better_node(e, p, a, best, node);
    }
    return best;
}

/* ---- One ask after the other ---- */

/* No node takes an entry. Where that holds for every entry of its class, the
 * class is left out; else the entry is put aside. */
static void pass_by(sked_engine *e, engine_placing *p, uint32_t entry)
{
    const engine_ask *a = ask_at(e, entry_at(e, entry)->ask);
    uint64_t class = skedi_entry_mask(e, entry);
    int alike = extra_of(e, a)->refusals == SKEDI_NONE &&
                extra_of(e, a)->places == SKEDI_NONE &&
                !skedi_gang_grows(e, a) && !skedi_ask_is_exclusive(a);

    if (alike && !(class & SKEDI_MIXED_CLASSES)) {
        p->fit &= ~class;
    } else {
        skedi_walk_aside(e, entry);
    }
}

/* Does that keep an ask from every node of the partition? */
static int keeps_everywhere(const sked_engine *e, const engine_ask *ask,
                            int32_t reason)
{
    return reason == SKED_REASON_QUEUE_LIMIT || reason == SKED_REASON_MASTERS ||
           reason == SKED_REASON_USER_LIMIT || reason == SKED_REASON_RATE ||
           skedi_reason_tree(reason) != SKEDI_NONE ||
           (reason == SKED_REASON_GANG && !skedi_gang_grows(e, ask));
}

/* Finds the node on which an entry starts; SKEDI_NONE: on none, and it is put
 * aside. SKED_OK or SKED_ERR_NOMEM. */
static sked_status node_for(sked_engine *e, engine_placing *p, uint32_t entry,
                            uint32_t *node)
{
    uint32_t ask = entry_at(e, entry)->ask, row = SKEDI_NONE;
    const engine_ask *a = ask_at(e, ask);
    const int64_t *step = skedi_shape_part(e, a->shape);
    uint32_t ranking = ranking_of(e, p->partition, mode_of_ask(e, a), step);
    int sampled = e->ranks.sample > 0 && !skedi_takes_nothing(e, a->shape);
    uint32_t by_adding = sampled ? skedi_ranks_find(e, ENGINE_RANK_ARRIVAL, 0)
                                 : 0;
    int more;

    *node = SKEDI_NONE;
    if (ranking == SKEDI_NONE || by_adding == SKEDI_NONE) return SKED_ERR_NOMEM;
    uint32_t first = skedi_ranks_next(e, ranking, p->partition, step,
                                      SKEDI_NONE);
    uint32_t best = first;
    int32_t reason = SKED_REASON_NO_NODE;
    if (first != SKEDI_NONE) {
        reason = skedi_walk_refusal(e, entry, first, &row, &more);
        if (!keeps_everywhere(e, a, reason)) {
            best = sampled ? choose_of_sample(e, p, ask, by_adding)
                           : SKEDI_NONE;
            if (best == SKEDI_NONE) {
                best = choose_node(e, p, ask, ranking, first);
            }
        }
        if (best != SKEDI_NONE && best != first) {
            reason = skedi_walk_refusal(e, entry, best, &row, &more);
        }
    }
    if (best == SKEDI_NONE) {
        pass_by(e, p, entry);
    } else if (reason != SKED_REASON_ORDER) {
        skedi_walk_turn_away(e, entry, best, reason, row);
    } else if (!skedi_walk_has_other(e, ask)) {
        skedi_walk_aside(e, entry);
    } else {
        *node = best;
    }
    return SKED_OK;
}

/* May another node come first for an ask once a task of it has started on the
 * first one? */
static int leaves_first(const sked_engine *e, const engine_ask *ask)
{
    uint32_t mode = mode_of_ask(e, ask);

    return (e->ranks.sample > 0 || mode == SKED_ENGINE_PLACE_MODE_SPREAD ||
            mode == SKED_ENGINE_PLACE_MODE_FRAGMENT) &&
           !skedi_takes_nothing(e, ask->shape);
}

static sked_status place_step(sked_engine *e, engine_placing *p, uint32_t entry,
                              uint32_t node)
{
    uint32_t ask = entry_at(e, entry)->ask;
    int ruled;

    if (skedi_out_full(e) || e->stats.decisions >= p->last) return SKED_STOPPED;
    uint64_t most = skedi_turn_left(e, ask, node, e->ranks.started[node]);
    if (leaves_first(e, ask_at(e, ask)) || skedi_alike_elsewhere(e, ask)) {
        most = 1;
    }
    uint32_t alike = skedi_alike(e, entry, node, p->fit, most, 0);
    sked_status rc = skedi_walk_start(e, entry, node, alike, &ruled);
    if (rc != SKED_OK) return rc;
    e->ranks.started[node] += alike;
    if (ruled) p->fit = e->partition[p->partition].classes;
    p->fit = skedi_walk_forming(e, p->partition, p->fit);
    return SKED_OK;
}

static sked_status place_asks(sked_engine *e, engine_placing *p)
{
    sked_status rc = SKED_OK;
    uint32_t entry, node;

    p->fit = skedi_walk_forming(e, p->partition,
                                e->partition[p->partition].classes);
    while (rc == SKED_OK &&
           (entry = skedi_walk_next(e, p->partition, p->fit)) != SKEDI_NONE) {
        rc = skedi_walk_may_look(e, p->looks++);
        if (rc != SKED_OK) break;
        e->stats.asks_visited++;
        rc = node_for(e, p, entry, &node);
        if (rc == SKED_OK && node != SKEDI_NONE) {
            rc = place_step(e, p, entry, node);
        }
    }
    skedi_walk_back(e);
    return rc;
}

/* Starts what nodes of a partition are reserved for. As
 * skedi_reservation_serve(). */
static sked_status serve_nodes(sked_engine *e, const engine_placing *p)
{
    sked_status rc = SKED_OK;

    if (e->first_reservation == SKEDI_NONE) return SKED_OK;
    for (uint32_t n = e->first_node; rc == SKED_OK && n != SKEDI_NONE;
         n = node_at(e, n)->next) {
        const engine_node *node = node_at(e, n);
        if (node->partition != p->partition || node->state != NODE_OPEN ||
            node->first_reservation == SKEDI_NONE) {
            continue;
        }
        rc = skedi_reservation_serve(e, n, p->last, &e->ranks.started[n]);
    }
    return rc;
}

static void open_turns(sked_engine *e)
{
    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        skedi_turn_open(e, n);
    }
}

sked_status skedi_place_all(sked_engine *e, uint64_t budget)
{
    engine_placing p = {
        .last = skedi_pass_last(e, budget ? budget : UINT64_MAX)};
    sked_status rc = SKED_OK;

    if (e->opts.pass_part_ppm) open_turns(e);
    for (; rc == SKED_OK && p.partition < e->parts; p.partition++) {
        if (e->partition[p.partition].nodes == 0) continue;
        skedi_partition_refresh(e, p.partition);
        skedi_shares_refresh(e, p.partition);
        skedi_fits_refresh(e);
        skedi_out_close(e);
        skedi_forming_look(e, p.partition);
        skedi_forming_begin(e, p.partition, SKEDI_NONE);
        rc = serve_nodes(e, &p);
        if (rc == SKED_OK) rc = place_asks(e, &p);
        skedi_forming_end(e, p.partition, SKEDI_NONE, rc != SKED_OK);
    }
    return rc;
}
