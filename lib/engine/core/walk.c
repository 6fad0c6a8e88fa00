/*
 * A pass over a node takes one walk after the other. A walk goes down from the
 * root: at each parent to the child that comes first among those below which a
 * class of asks fits the node, and at the leaf to the first such entry (an open
 * ask). Then every bound of that entry is asked. An entry that may not run is
 * put aside, so that nothing is tried twice: a class that does not fit below a
 * queue's limits is struck from that queue until something there is given back;
 * a user at the limit is blocked, an ask stopped by a tree of limits; any other
 * entry leaves its line until the pass ends. So the entry that is chosen is the
 * first in order of all that may run.
 */
#include "engine/core/walk.h"

#include "engine/core/alike.h"
#include "engine/core/aside.h"
#include "engine/exclusive.h"
#include "engine/work.h"
#include "engine/gang.h"
#include "engine/alloc.h"
#include "engine/decision.h"
#include "engine/exclusion.h"
#include "engine/pass_reserved.h"
#include "engine/queue.h"
#include "engine/order/descend.h"
#include "engine/domains.h"
#include "engine/pending.h"
#include "engine/gang_fit.h"
#include "engine/order/keys.h"
#include "engine/budget.h"
#include "engine/order/sets.h"
#include "engine/order/shares.h"
#include "engine/order/standing.h"
#include "engine/store.h"
#include "engine/steps.h"

/* ---- Down the tree ---- */

/* Of the classes in `among`, those with no rule or one that takes the node. */
static uint64_t classes_that_take(const sked_engine *e, uint32_t node,
                                  uint64_t among)
{
    const engine_partition *part = &e->partition[node_at(e, node)->partition];
    uint64_t taken = among & SKEDI_MIXED_CLASSES;

    if (e->rules.sets.live == 0) return among;
    for (uint64_t left = among & ~taken; left; left &= left - 1) {
        unsigned class = skedi_ctz64(left);
        if (skedi_shape_takes(e, part->shape[class], node)) {
            taken |= (uint64_t)1 << class;
        }
    }
    return taken;
}

/* The classes of which something may fit the node. */
static uint64_t classes_that_hold(const sked_engine *e, uint32_t node,
                                  uint64_t among)
{
    return skedi_classes_fit(e, node_at(e, node)->partition, among,
                             engine_row_of(e, &e->node_free, node));
}

/* The classes in `among`, without those of gangs which the nodes of the
 * partition do not take together now. */
static uint64_t classes_that_form(sked_engine *e, uint32_t partition,
                                  uint64_t among)
{
    const engine_partition *part = &e->partition[partition];
    skedi_fits_refresh(e);
    for (uint64_t left = among & ~SKEDI_MIXED_CLASSES; left; left &= left - 1) {
        unsigned class = skedi_ctz64(left);
        uint32_t shape = part->shape[class];
        if (shape_at(e, shape)->fit == SKEDI_NONE) continue;
        if (skedi_gang_class_forms(e, shape, partition)) continue;
        among &= ~((uint64_t)1 << class);
    }
    return among;
}

uint64_t skedi_walk_forming(sked_engine *e, uint32_t partition, uint64_t among)
{
    if (e->fits.pool.live == 0 || skedi_forming_is_on(e)) return among;
    return classes_that_form(e, partition, among);
}

uint64_t skedi_walk_classes(sked_engine *e, uint32_t node, uint64_t among)
{
    return skedi_walk_forming(e, node_at(e, node)->partition,
                              classes_that_hold(e, node, among));
}

uint64_t skedi_walk_open(sked_engine *e, uint32_t node)
{
    uint64_t all = e->partition[node_at(e, node)->partition].classes;

    return skedi_walk_classes(e, node, classes_that_take(e, node, all));
}

/* The first child by order `random`: the one with the least random number among
 * those that offer something. O(their number * log siblings). */
static uint32_t first_by_chance(sked_engine *e, uint32_t row,
                                uint32_t partition, uint64_t fit)
{
    const skedi_tourney *t = &e->cells[cell_of(e, row, partition)].turn;
    uint32_t first = e->rows.first_child[row], best = SKEDI_NO_PLACE;
    uint64_t least = 0;

    for (uint32_t i = skedi_tourney_next(t, 0, fit); i != SKEDI_NO_PLACE;
         i = skedi_tourney_next(t, i + 1, fit)) {
        e->stats.queues_visited++;
        uint64_t chance = skedi_chance_of(e, first + i, partition);
        if (best != SKEDI_NO_PLACE && chance >= least) continue;
        best = i;
        least = chance;
    }
    return best;
}

static inline uint32_t next_by_order(sked_engine *e, uint32_t row,
                                     uint32_t partition, uint64_t fit)
{
    if (e->rows.order[row] == SKED_ORDER_POLICY_RANDOM) {
        return first_by_chance(e, row, partition, fit);
    }
    return skedi_family_first(e, row, partition, fit);
}

/* The child that goes first because it is below its guarantee, or
 * SKEDI_NO_PLACE. `fit` is narrowed to the classes by which it goes first. */
static uint32_t first_below(const sked_engine *e, uint32_t row,
                            uint32_t partition, uint64_t *fit)
{
    const skedi_tourney *t = &e->cell_standing[cell_of(e, row, partition)]
                                  .below;
    engine_standings family = skedi_standings_of(e, row, partition);

    if (!(skedi_tourney_all(t) & *fit)) return SKEDI_NO_PLACE;
    uint32_t place = skedi_tourney_first(t, *fit, skedi_standing_before,
                                         &family);
    *fit &= skedi_tourney_mask(t, place);
    return place;
}

/* The child whose turn it is. Order `priority` asks for priorities first. */
static uint32_t next_child(sked_engine *e, uint32_t row, uint32_t partition,
                           uint64_t *fit)
{
    uint32_t from = e->rows.first_child[row], below;
    uint64_t narrow = *fit;

    if (!e->rows.promising[row]) return next_by_order(e, row, partition, *fit);
    below = first_below(e, row, partition, &narrow);
    if (below != SKEDI_NO_PLACE &&
        e->rows.order[row] != SKED_ORDER_POLICY_PRIORITY) {
        *fit = narrow;
        return below;
    }
    uint32_t next = next_by_order(e, row, partition, *fit);
    if (below == SKEDI_NO_PLACE ||
        e->rows.priority[from + below] < e->rows.priority[from + next]) {
        return next;
    }
    *fit = narrow;
    return below;
}

/* The entry that comes first, of those with a class that fits the node and
 * the head room of every queue above it. */
static uint32_t next_entry(sked_engine *e, uint32_t partition, uint64_t fit)
{
    uint32_t row = 0;

    if (e->shared &&
        e->partition[partition].classes & fit & SKEDI_MIXED_CLASSES) {
        return skedi_descend(e, partition, fit);
    }
    fit &= ~e->cells[cell_of(e, 0, partition)].full;
    while (!row_is_leaf(e, row)) {
        e->stats.queues_visited++;
        uint32_t place = next_child(e, row, partition, &fit);
        row = e->rows.first_child[row] + place;
        fit &= ~e->cells[cell_of(e, row, partition)].full;
    }
    return skedi_line_first(e, &e->cells[cell_of(e, row, partition)], fit);
}

/* ---- Aside ---- */

void skedi_walk_turn_away(sked_engine *e, uint32_t entry, uint32_t node,
                          int32_t reason, uint32_t row)
{
    const engine_entry *x = entry_at(e, entry);
    uint32_t partition = x->cell % e->parts;
    uint64_t class = skedi_entry_mask(e, entry);

    if (reason == SKED_REASON_USER_LIMIT) {
        skedi_account_block(e, x->account);
        return;
    }
    if (skedi_reason_tree(reason) != SKEDI_NONE) {
        skedi_trees_stop(e, x->ask, skedi_reason_tree(reason), row);
        return;
    }
    if (reason == SKED_REASON_LOCALITY) skedi_walk_wake(e, x->ask, node);
    if (reason == SKED_REASON_REFUSED) {
        sked_time until = skedi_refused_until(e, x->ask, node);
        engine_node *n = node_at(e, node);
        n->wake_time = skedi_i64_min(n->wake_time, until);
        if (until < INT64_MAX) n->wake_beats = 0; /* time alone decides */
    }
    if (reason == SKED_REASON_QUEUE_LIMIT) {
        /* What is kept free below decides whether a limit above holds a step,
         * so that is not the same for all of its class. */
        if (e->lends) class = SKEDI_MIXED_CLASSES;
        skedi_books_strike(e, row, partition, class);
        if (!(class & SKEDI_MIXED_CLASSES)) return;
    }
    if (reason == SKED_REASON_RATE) {
        skedi_rates_strike(e, row, partition);
        if (!(class & SKEDI_MIXED_CLASSES)) return;
    }
    if (reason == SKED_REASON_MASTERS) {
        skedi_books_strike(e, x->cell / e->parts, partition,
                           SKEDI_MIXED_CLASSES);
    }
    skedi_walk_aside(e, entry);
}

/* ---- Steps ---- */

static int walk_reserve(sked_engine *e)
{
    return skedi_pool_reserve(&e->groups, &e->hooks.mem, 1) &&
           skedi_out_reserve(e, 1) && skedi_aside_reserve(e) &&
           (!skedi_forming_is_on(e) || skedi_forming_reserve(e));
}

sked_status skedi_walk_start(sked_engine *e, uint32_t entry, uint32_t node,
                             uint32_t alike, int *ruled)
{
    const engine_entry *x = entry_at(e, entry);
    const engine_ask *a = ask_at(e, x->ask);
    int gang = skedi_ask_is_whole(a);
    const uint32_t *tags;

    *ruled = e->rules.counting && skedi_tags_of(e, x->ask, &tags) > 0;
    int counted = *ruled;
    uint32_t ask = x->ask;
    int forms = a->flags & SKED_ASK_SPREAD && !skedi_gang_grows(e, a);
    if (forms) {
        *ruled |= extra_of(e, a)->spare > 0; /* the rest has another class */
        sked_status rc = skedi_gang_start(e, x->ask, x->account,
                                          node_at(e, node)->partition);
        if (rc != SKED_OK) return rc;
        skedi_forming_started(e, ask);
    } else if ((!skedi_tags_used(e) || skedi_work_reserve(e, x->ask, node)) &&
               skedi_exclusive_reserve(e, x->ask, 1)) {
        skedi_group_start(e, x->ask, x->account, node,
                          gang ? (uint32_t)a->open : alike, SKED_REASON_ORDER);
    } else {
        return SKED_ERR_NOMEM;
    }
    if (counted || e->aside_alone == 2) skedi_aside_started(e, counted);
    return SKED_OK;
}

/* Can a gang over nodes start, or go on growing, of which one task may start on
 * a node? */
static int gang_starts(sked_engine *e, uint32_t ask, uint32_t node, int *more)
{
    if (skedi_gang_grows(e, ask_at(e, ask))) {
        return skedi_gang_grows_on(e, ask, node);
    }
    if (skedi_forming_is_on(e)) return skedi_forming_forms(e, ask, node, more);
    return skedi_gang_forms(e, ask, node_at(e, node)->partition, more);
}

int32_t skedi_walk_refusal(sked_engine *e, uint32_t entry, uint32_t node,
                           uint32_t *row, int *more)
{
    const engine_entry *x = entry_at(e, entry);

    if (e->rated) {
        *row = skedi_rate_refusal(e, x->cell / e->parts);
        if (*row != SKEDI_NONE) return SKED_REASON_RATE;
    }
    int32_t reason = skedi_refusal_at(e, x->ask, x->account, node, row);

    /* Nothing tells when bounds hold all of a node that is empty. */
    *more |= reason == SKED_REASON_EXCLUSIVE && skedi_node_is_empty(e, node);
    if (reason != SKED_REASON_ORDER) return reason;
    if (!(ask_at(e, x->ask)->flags & SKED_ASK_SPREAD)) return reason;
    return gang_starts(e, x->ask, node, more) ? reason : SKED_REASON_GANG;
}

sked_status skedi_walk_may_look(sked_engine *e, uint64_t looks)
{
    if (!walk_reserve(e)) return SKED_ERR_NOMEM;
    if (looks % 4096 != 4095) return SKED_OK;
    return skedi_hooks_check(&e->hooks, looks, looks + 1);
}

uint32_t skedi_walk_next(sked_engine *e, uint32_t partition, uint64_t fit)
{
    size_t root = cell_of(e, 0, partition);

    if (!(skedi_cell_offer(e, root, 0) & fit)) return SKEDI_NONE;
    return next_entry(e, partition, fit);
}

/* ---- The pass ---- */

/* The classes of which something may start, but for those that refuse the
 * node. */
static uint64_t classes_to_fill(sked_engine *e, uint32_t node)
{
    uint64_t fit = skedi_walk_open(e, node);
    int moved = 1;

    if (!e->partition[node_at(e, node)->partition].apart) return fit;
    uint64_t refuse = skedi_refusers_of(e, node, fit, &moved);
    while (moved) {
        fit = skedi_walk_open(e, node);
        refuse = skedi_refusers_of(e, node, fit, &moved);
    }
    return fit & ~refuse;
}

/* The classes of which something may start on a node after a start there; those
 * of one shape that fit no longer are taken out when the walk finds them, which
 * saves 4 % of the instructions of `bench engine.allocate`. */
static uint64_t classes_left(sked_engine *e, uint32_t node, uint64_t fit,
                             int ruled)
{
    if (ruled) return classes_to_fill(e, node);
    if (!(fit & SKEDI_MIXED_CLASSES) && e->fits.pool.live == 0) return fit;
    return skedi_walk_classes(e, node, fit);
}

/* Does no step of an entry's class fit the node any more? Then it is taken out
 * of `fit`, with all others of which that is so: a node that is full is left
 * after one look, however many classes there are. */
static int class_is_over(const sked_engine *e, uint32_t entry, uint32_t node,
                         int32_t reason, uint64_t *fit)
{
    if (reason != SKED_REASON_NO_NODE) return 0;
    uint64_t class = skedi_entry_mask(e, entry) & ~SKEDI_MIXED_CLASSES;
    if (class == 0) return 0;
    *fit = classes_that_hold(e, node, *fit & ~class);
    return 1;
}

/* Walks until nothing that fits is left, or the pass is over on the node; up to
 * decision `last`. Adds to `*started`; `*more` 1: the node is to be looked at
 * again. As skedi_pass_node(). */
static sked_status fill_node(sked_engine *e, uint32_t node, uint64_t last,
                             uint64_t *started, int *more)
{
    uint32_t partition = node_at(e, node)->partition, entry;
    uint64_t looks = 0, fit = classes_to_fill(e, node);
    int ruled;

    while ((entry = skedi_walk_next(e, partition, fit)) != SKEDI_NONE) {
        sked_status rc = skedi_walk_may_look(e, looks++);
        if (rc != SKED_OK) return rc;
        e->stats.asks_visited++;
        const engine_entry *x = entry_at(e, entry);
        uint32_t row = SKEDI_NONE;
        int32_t reason = skedi_walk_refusal(e, entry, node, &row, more);
        if (reason == SKED_REASON_ORDER && !skedi_walk_has_other(e, x->ask)) {
            skedi_walk_aside(e, entry);
            continue;
        }
        if (class_is_over(e, entry, node, reason, &fit)) continue;
        if (reason != SKED_REASON_ORDER) {
            skedi_walk_turn_away(e, entry, node, reason, row);
            continue;
        }
        if (skedi_turn_is_over(e, node, *started)) {
            *more = 1;
            return SKED_OK;
        }
        if (skedi_out_full(e) || e->stats.decisions >= last) {
            return SKED_STOPPED;
        }
        uint64_t turns = skedi_turn_left(e, x->ask, node, *started);
        uint32_t alike = skedi_alike(e, entry, node, fit, turns, 1);
        rc = skedi_walk_start(e, entry, node, alike, &ruled);
        if (rc != SKED_OK) return rc;
        fit = classes_left(e, node, fit, ruled);
        *started += alike;
    }
    return SKED_OK;
}

/* Would a pass over a node find nothing, as the last one did? */
static int is_idle(const sked_engine *e, const engine_node *n)
{
    if (n->state != NODE_OPEN) return 1;
    if (n->seen != e->partition[n->partition].changes) return 0;
    return e->now < n->wake_time || e->stats.heartbeats < n->wake_beats;
}

sked_status skedi_pass_node(sked_engine *e, uint32_t node, uint64_t budget)
{
    engine_node *n = node_at(e, node);
    uint64_t last = skedi_pass_last(e, budget), started = 0;
    sked_status rc = SKED_OK;
    int more = 0;

    skedi_partition_refresh(e, n->partition);
    skedi_shares_refresh(e, n->partition);
    skedi_fits_refresh(e);
    if (n->state == NODE_OPEN) skedi_forming_look(e, n->partition);
    if (is_idle(e, n)) {
        /* A gang of which no node holds anything any more forms no longer. */
        if (n->state == NODE_OPEN) skedi_forming_end(e, n->partition, node, 1);
        e->stats.idle++;
        return SKED_OK;
    }
    n->seen = 0;
    n->wake_time = INT64_MAX;
    n->wake_beats = UINT64_MAX;
    if (e->opts.pass_part_ppm) skedi_turn_open(e, node);
    skedi_out_close(e); /* this pass makes groups of its own */
    skedi_forming_begin(e, n->partition, node);
    if (n->first_reservation != SKEDI_NONE) {
        rc = skedi_reservation_serve(e, node, last, &started);
        more = n->first_reservation !=
               SKEDI_NONE; /* of use when its time comes */
    }
    if (rc == SKED_OK) rc = fill_node(e, node, last, &started, &more);
    skedi_walk_back(e);
    int cut = rc != SKED_OK || skedi_turn_is_over(e, node, started);
    skedi_forming_end(e, n->partition, node, cut);
    /* What a gang that forms has there is given up by a whole pass only. */
    more |= cut && skedi_forming_of(e, n->partition);
    if (rc == SKED_OK && !more) n->seen = e->partition[n->partition].changes;
    return rc;
}
