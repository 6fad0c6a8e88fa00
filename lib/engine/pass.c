/*
 * A pass: fill one node, or place the asks of a partition one by one.
 *
 * A pass takes step after step. Each step goes down from the root: at each
 * parent to the first child below which some class fits the node, in the leaf
 * to the first such entry. Then every bound is checked. An entry that cannot
 * start is set aside for the rest of the pass. Before the first step a pass
 * starts the tasks for which the node is reserved.
 *
 * Invariants: a pass changes only what it starts; entries that were set aside
 * come back when the pass ends.
 */
#include <sched/engine_place.h>

#include "base/assert.h"
#include "base/sort.h"
#include "engine/alloc.h"
#include "engine/budget.h"
#include "engine/decision.h"
#include "engine/ask.h"
#include "engine/domains.h"
#include "engine/exclusion.h"
#include "engine/exclusive.h"
#include "engine/filter.h"
#include "engine/gang.h"
#include "engine/gang_fit.h"
#include "engine/nodes.h"
#include "engine/pass.h"
#include "engine/pending.h"
#include "engine/queue.h"
#include "engine/reservation.h"
#include "engine/shares.h"
#include "engine/store.h"
#include "engine/watch.h"
#include "engine/work.h"

/*
 * The first part of a pass over a node: tasks for which the node is reserved
 * start before all others.
 *
 * The paid part of a reservation is the tasks for which victims got kill
 * orders. The paid parts of all reservations start first. What is left of them
 * waits for victims and stays taken: the plan of a paid task counts on amounts
 * that are free already. The other parts start in what remains free.
 *
 * Invariant: a reservation is given back in full or starts tasks; a pass never
 * starts more than the options allow in one pass.
 */

/* Starts what nodes are reserved for, before anything else starts there. */

/* Gives back the head room of all reservations (`by` -1), or takes it again
 * (1). A step that is served has to fit beside what is really held; otherwise
 * plans that wait for their victims would wait for each other. If the step is
 * not of a paid part, the paid parts stay taken. */
static void pass_book_head_room(sked_engine *e, int paid, int by)
{
    for (uint32_t i = e->first_reservation; e->shared && i != SKEDI_NONE;
         i = reservation_at(e, i)->later) {
        const engine_reservation *k = reservation_at(e, i);
        int64_t count = (int64_t)k->count - (paid ? 0 : k->paid);
        skedi_reservation_in_trees(e, k, by * count);
        skedi_reservation_in_queues(e, k, by * count);
    }
}

/* True if a task of a reservation may start now. A task of the paid part waits
 * for no other node. The bounds of its user and of masters, which move with what
 * others hold and want, and its soft rules, which come into force by themselves,
 * were asked before the kill orders. */
static int pass_may_serve(sked_engine *e, uint32_t reserved, int paid)
{
    const engine_reservation *k = reservation_at(e, reserved);
    uint32_t leaf = job_at(e, ask_at(e, k->ask)->job)->row, row;
    uint32_t partition = node_at(e, k->node)->partition;
    uint32_t charge = job_at(e, ask_at(e, k->ask)->job)->charge;
    int bounded = e->cells[cell_of(e, leaf, partition)].under_bound ||
                  charge != SKEDI_NONE;

    if (bounded) pass_book_head_room(e, paid, -1);
    int32_t reason = skedi_ask_refusal(e, k->ask, k->node, &row);
    if (bounded) pass_book_head_room(e, paid, 1);
    if (reason == SKED_REASON_ORDER) return 1;
    if (!paid || !skedi_place_paid(e, k->ask, k->node)) return 0;
    return reason == SKED_REASON_LOCALITY || reason == SKED_REASON_RULE ||
           reason == SKED_REASON_USER_LIMIT || reason == SKED_REASON_MASTERS;
}

/* ---- Gangs over nodes ---- */

/* Returns what is free of a kind for a reservation on a node that is not
 * served. Reservations count as free, but the paid parts of others do not if
 * the reservation itself is not paid. */
static int64_t pass_free_elsewhere(const sked_engine *e,
                                   const engine_reservation *k, uint32_t kind)
{
    int64_t has = engine_row_of(e, &e->node_free, k->node)[kind] +
                  skedi_reservation_of(e, k->node, kind);

    for (uint32_t i = node_at(e, k->node)->first_reservation;
         k->paid == 0 && i != SKEDI_NONE; i = reservation_at(e, i)->next) {
        has -= skedi_reservation_paid(e, i, kind);
    }
    return has;
}

/* True if a node has the amounts of a reservation free and the gang may take
 * them. On the node that is served, the amounts were given back. */
static int pass_node_is_free(const sked_engine *e, const engine_reservation *k,
                             uint32_t served)
{
    const int64_t *free = engine_row_of(e, &e->node_free, k->node);
    const int64_t *task = skedi_shape_part(e, ask_at(e, k->ask)->shape);

    for (uint32_t i = 0; i < e->kinds; i++) {
        if (task[i] == 0) continue;
        int64_t has = k->node == served ? free[i]
                                        : pass_free_elsewhere(e, k, i);
        if (task[i] * k->count > has) return 0;
    }
    if (!skedi_gang_joins(e, k->ask, k->node, k->count)) return 0;
    return k->paid > 0 ? skedi_place_paid(e, k->ask, k->node)
                       : skedi_place_allows(e, k->ask, k->node);
}

/* On how many nodes all that a gang lacks is reserved, if all of it can start
 * there now; else 0. */
static uint32_t pass_gang_is_ready(const sked_engine *e, uint32_t ask,
                                   uint32_t served)
{
    int64_t left = ask_at(e, ask)->open;
    uint32_t nodes = 0;

    for (uint32_t i = e->first_reservation; i != SKEDI_NONE;
         i = reservation_at(e, i)->later) {
        const engine_reservation *k = reservation_at(e, i);
        if (k->ask != ask) continue;
        if (!pass_node_is_free(e, k, served)) return 0;
        left -= k->count;
        nodes++;
    }
    return left == 0 && skedi_same_reserved(e, ask) ? nodes : 0;
}

/* Starts a gang on all nodes that are reserved for it. Elsewhere than on the
 * node that is served what is reserved is given back now. */
static void pass_start_gang(sked_engine *e, uint32_t ask, uint32_t account,
                            uint32_t served)
{
    for (uint32_t i = e->first_reservation, next; i != SKEDI_NONE; i = next) {
        const engine_reservation *k = reservation_at(e, i);
        uint32_t node = k->node, count = k->count;
        next = k->later;
        if (k->ask != ask) continue;
        if (node != served) skedi_reservation_on_node(e, k, -(int64_t)count);
        skedi_reservation_use(e, i, count, k->paid);
        skedi_gang_fill(e, ask, account, node, count, SKED_REASON_HELD);
        if (node != served) skedi_reservation_drop(e, i);
    }
    skedi_out_close(e);
}

/* Starts the tasks of a gang that a node is reserved for, with all others of
 * the gang. As pass_serve_reserved(). */
static sked_status pass_serve_gang(sked_engine *e, uint32_t reserved,
                                   uint64_t last, uint64_t *started)
{
    const engine_reservation *k = reservation_at(e, reserved);
    uint32_t ask = k->ask;

    if (ask_at(e, ask)->first_entry == SKEDI_NONE) return SKED_OK;
    if (e->rows.closed[job_at(e, ask_at(e, ask)->job)->row]) return SKED_OK;
    if (k->count == 0) return SKED_OK;
    if (skedi_pass_is_over(e, *started)) return SKED_OK;
    uint64_t groups = pass_gang_is_ready(e, ask, k->node);
    if (groups == 0 || !pass_may_serve(e, reserved, k->paid > 0))
        return SKED_OK;
    if (skedi_out_full(e) || e->stats.decisions >= last) return SKED_STOPPED;
    groups += skedi_ask_ranges(e, ask);
    if (!skedi_pool_reserve(&e->groups, &e->hooks.mem, groups) ||
        !skedi_work_reserve_any(e, ask, groups) ||
        !skedi_out_reserve(e, (size_t)groups)) {
        return SKED_ERR_NOMEM;
    }
    ++*started;
    pass_start_gang(e, ask, skedi_reservation_account(e, k), k->node);
    return SKED_OK;
}

/* ---- Nodes ---- */

/* Starts what it can of one part of a reservation. The amounts of the part were
 * given back on the node. As pass_serve_reserved(). */
static sked_status pass_serve_one(sked_engine *e, uint32_t reserved, int paid,
                                  uint64_t last, uint64_t *started)
{
    if (ask_at(e, reservation_at(e, reserved)->ask)->flags & SKED_ASK_SPREAD) {
        return (reservation_at(e, reserved)->paid > 0) == paid
                   ? pass_serve_gang(e, reserved, last, started)
                   : SKED_OK;
    }
    for (;;) {
        const engine_reservation *k = reservation_at(e, reserved);
        const engine_ask *a = ask_at(e, k->ask);
        uint32_t step = a->flags & SKED_ASK_GANG ? (uint32_t)a->open : 1;
        if (a->first_entry == SKEDI_NONE) return SKED_OK;
        if (e->rows.closed[job_at(e, a->job)->row]) return SKED_OK;
        if ((paid ? k->paid : k->count - k->paid) < step ||
            skedi_pass_is_over(e, *started)) {
            return SKED_OK;
        }
        if (!pass_may_serve(e, reserved, paid)) return SKED_OK;
        if (skedi_out_full(e) || e->stats.decisions >= last) {
            return SKED_STOPPED;
        }
        if (!skedi_pool_reserve(&e->groups, &e->hooks.mem, 1) ||
            !skedi_out_reserve(e, 1) ||
            !skedi_work_reserve(e, k->ask, k->node)) {
            return SKED_ERR_NOMEM;
        }
        ++*started;
        skedi_reservation_use(e, reserved, step, paid ? step : 0);
        skedi_group_start(e, k->ask, skedi_reservation_account(e, k), k->node,
                          step, SKED_REASON_HELD);
    }
}

/* Takes what all reservations of a node hold from what it has free (`by` 1), or
 * gives it back (-1). */
static void pass_book_all(sked_engine *e, uint32_t node, int by)
{
    for (uint32_t i = node_at(e, node)->first_reservation; i != SKEDI_NONE;
         i = reservation_at(e, i)->next) {
        skedi_reservation_on_node(e, reservation_at(e, i),
                                  by * (int64_t)reservation_at(e, i)->count);
    }
}

/* Takes the paid parts of all reservations of a node from what it has free
 * (`by` 1), or gives them back (-1). */
static void pass_book_paid(sked_engine *e, uint32_t node, int by)
{
    for (uint32_t i = node_at(e, node)->first_reservation; i != SKEDI_NONE;
         i = reservation_at(e, i)->next) {
        const engine_reservation *k = reservation_at(e, i);
        skedi_reservation_on_node(e, k, by * (int64_t)k->paid);
    }
}

/* Serves the paid parts of the reservations of a node. */
static sked_status pass_serve_paid(sked_engine *e, uint32_t node, uint64_t last,
                                   uint64_t *started)
{
    sked_status rc = SKED_OK;

    for (uint32_t i = node_at(e, node)->first_reservation, next;
         i != SKEDI_NONE && rc == SKED_OK; i = next) {
        rc = pass_serve_one(e, i, 1, last, started);
        next = reservation_at(e, i)->next;
    }
    return rc;
}

/* Serves the other parts. A part that lacks amounts of the node keeps what is
 * free from the parts behind it: its plan counts on these amounts. */
static sked_status pass_serve_rest(sked_engine *e, uint32_t node, uint64_t last,
                                   uint64_t *started)
{
    sked_status rc = SKED_OK;
    uint32_t i, end, row;

    for (i = node_at(e, node)->first_reservation;
         i != SKEDI_NONE && rc == SKED_OK; i = reservation_at(e, i)->next) {
        engine_reservation *k = reservation_at(e, i);
        rc = pass_serve_one(e, i, 0, last, started);
        if (k->count > k->paid &&
            skedi_ask_refusal(e, k->ask, node, &row) == SKED_REASON_NO_NODE) {
            k->held = k->count - k->paid;
            skedi_reservation_on_node(e, k, k->held);
        }
    }
    end = i;
    for (i = node_at(e, node)->first_reservation; i != end;
         i = reservation_at(e, i)->next) {
        skedi_reservation_on_node(e, reservation_at(e, i),
                                  -(int64_t)reservation_at(e, i)->held);
        reservation_at(e, i)->held = 0;
    }
    return rc;
}

/* Puts reservations for which others got kill orders in front of the rest. */
static void pass_put_paid_first(sked_engine *e, uint32_t node)
{
    uint32_t *front = &node_at(e, node)->first_reservation, *at = front;

    while (*at != SKEDI_NONE) {
        uint32_t i = *at;
        engine_reservation *k = reservation_at(e, i);
        if (k->paid > 0 && at != front) {
            *at = k->next;
            k->next = *front;
            *front = i;
        } else {
            at = &k->next;
        }
        if (k->paid > 0) front = &k->next;
    }
}

static sked_status pass_serve_reserved(sked_engine *e, uint32_t node,
                                       uint64_t last, uint64_t *started)
{
    pass_put_paid_first(e, node);
    pass_book_all(e, node, -1);
    sked_status rc = pass_serve_paid(e, node, last, started);
    if (rc == SKED_OK) {
        pass_book_paid(e, node, 1);
        rc = pass_serve_rest(e, node, last, started);
        pass_book_paid(e, node, -1);
    }
    pass_book_all(e, node, 1);
    for (uint32_t i = node_at(e, node)->first_reservation, next;
         i != SKEDI_NONE; i = next) {
        next = reservation_at(e, i)->next;
        if (reservation_at(e, i)->count == 0) skedi_reservation_drop(e, i);
    }
    skedi_out_close(e); /* what follows is by no reservation */
    return rc;
}

/* Entries that a pass takes out of their lines, and puts back when it ends. */

/* Is it a gang that wants nodes to itself? It goes to other nodes once one of
 * those that it would have had is not empty any more, and limits may hold
 * these. */
static int pass_goes_elsewhere(const sked_engine *e, uint32_t ask)
{
    const engine_ask *a = ask_at(e, ask);

    return skedi_ask_is_exclusive(a) && (a->flags & SKED_ASK_SPREAD) != 0;
}

/* Puts an entry aside: out of its line until the pass ends. Puts all back. */
static void pass_walk_aside(sked_engine *e, uint32_t entry)
{
    const engine_entry *x = entry_at(e, entry);

    SKEDI_ASSERT(e->n_aside < e->aside_cap && x->live);
    e->set_aside[e->n_aside++] = entry;
    if (!e->aside_alone) e->aside_alone = pass_goes_elsewhere(e, x->ask);
    skedi_line_aside(e, entry);
    skedi_cell_show(e, x->cell / e->parts, x->cell % e->parts);
}

static void pass_walk_back(sked_engine *e)
{
    e->aside_alone = 0;
    while (e->n_aside > 0) {
        uint32_t entry = e->set_aside[--e->n_aside];
        const engine_entry *x = entry_at(e, entry);
        if (!x->live) continue;
        skedi_line_back(e, entry, skedi_entry_mask(e, entry));
        skedi_cell_show(e, x->cell / e->parts, x->cell % e->parts);
    }
}

/* May an entry run once something has started, with tags (`counted`) or on an
 * empty node (`taken`)? */
static int pass_may_run_now(const sked_engine *e, uint32_t ask, int counted,
                            int taken)
{
    return (taken && pass_goes_elsewhere(e, ask)) ||
           (counted && skedi_shape_counts(e, ask_at(e, ask)->shape));
}

/* Something started, with tags (`counted`): entries that a rule which counts work
 * kept out are back in their lines, since they may run now; and so are gangs that
 * want nodes to themselves, if it started on an empty node. O(entries that
 * are aside). */
static void pass_aside_started(sked_engine *e, int counted)
{
    int taken = e->aside_alone == 2;
    size_t kept = 0;

    if (taken) e->aside_alone = 0;
    for (size_t i = 0; i < e->n_aside; i++) {
        uint32_t entry = e->set_aside[i];
        const engine_entry *x = entry_at(e, entry);
        if (!x->live) continue;
        if (!pass_may_run_now(e, x->ask, counted, taken)) {
            e->set_aside[kept++] = entry;
            continue;
        }
        skedi_line_back(e, entry, skedi_entry_mask(e, entry));
        skedi_cell_show(e, x->cell / e->parts, x->cell % e->parts);
    }
    e->n_aside = kept;
}

/*
 * A pass over a node takes one walk after the other. A walk goes down from the
 * root: at each parent to the child that comes first among those below which a
 * class of asks fits the node, and at the leaf to the first such entry (an open
 * ask). Then every bound of that entry is asked. An entry that may not run is
 * put aside, so that nothing is tried twice: a class that does not fit below a
 * queue's limits is struck from that queue until something there is given back;
 * a user at the limit is blocked, an ask stopped by a tree of limits; any other
 * entry leaves its line until the pass ends. The chosen entry is the first
 * entry in order that may run.
 */

/* ---- Down the tree ---- */

/* Of the classes in `among`, those with no rule or one that takes the node. */
static uint64_t pass_classes_that_take(const sked_engine *e, uint32_t node,
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
static uint64_t pass_classes_that_hold(const sked_engine *e, uint32_t node,
                                       uint64_t among)
{
    return skedi_classes_fit(e, node_at(e, node)->partition, among,
                             engine_row_of(e, &e->node_free, node));
}

/* The classes in `among`, without those of gangs which the nodes of the
 * partition do not take together now. */
static uint64_t pass_classes_that_form(sked_engine *e, uint32_t partition,
                                       uint64_t among)
{
    const engine_partition *part = &e->partition[partition];
    skedi_fits_refresh(e);
    for (uint64_t left = among & ~SKEDI_MIXED_CLASSES; left; left &= left - 1) {
        unsigned class = skedi_ctz64(left);
        uint32_t shape = part->shape[class];
        if (shape_at(e, shape)->fit == SKEDI_NONE) continue;
        if (skedi_gang_class_try(e, shape, partition)) continue;
        among &= ~((uint64_t)1 << class);
    }
    return among;
}

/* The classes in `among` without those of gangs over nodes that the nodes of a
 * partition do not take together; all of them where the engine reserves for
 * gangs that form. */
static uint64_t pass_walk_forming(sked_engine *e, uint32_t partition,
                                  uint64_t among)
{
    if (e->fits.pool.live == 0 || skedi_forming_is_on(e)) return among;
    return pass_classes_that_form(e, partition, among);
}

/* Of the classes in `among`, those of which a step may fit what the node has
 * free, without the classes of gangs that are too large for the nodes together.
 */
static uint64_t pass_walk_classes(sked_engine *e, uint32_t node, uint64_t among)
{
    return pass_walk_forming(e, node_at(e, node)->partition,
                             pass_classes_that_hold(e, node, among));
}

/* The classes of which something may start on a node now. */
static uint64_t pass_walk_open(sked_engine *e, uint32_t node)
{
    uint64_t all = e->partition[node_at(e, node)->partition].classes;

    return pass_walk_classes(e, node, pass_classes_that_take(e, node, all));
}

/* The first child by order `random`: the one with the least random number among
 * those that offer something. O(their number * log siblings). */
static uint32_t pass_first_by_chance(sked_engine *e, uint32_t row,
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

static inline uint32_t pass_next_by_order(sked_engine *e, uint32_t row,
                                          uint32_t partition, uint64_t fit)
{
    if (e->rows.order[row] == SKED_ORDER_POLICY_RANDOM) {
        return pass_first_by_chance(e, row, partition, fit);
    }
    return skedi_family_first(e, row, partition, fit);
}

/* The child that goes first because it is below its guarantee, or
 * SKEDI_NO_PLACE. `fit` is narrowed to the classes by which it goes first. */
static uint32_t pass_first_below(const sked_engine *e, uint32_t row,
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
static uint32_t pass_next_child(sked_engine *e, uint32_t row,
                                uint32_t partition, uint64_t *fit)
{
    uint32_t from = e->rows.first_child[row], below;
    uint64_t narrow = *fit;

    if (!e->rows.promising[row])
        return pass_next_by_order(e, row, partition, *fit);
    below = pass_first_below(e, row, partition, &narrow);
    if (below != SKEDI_NO_PLACE &&
        e->rows.order[row] != SKED_ORDER_POLICY_PRIORITY) {
        *fit = narrow;
        return below;
    }
    uint32_t next = pass_next_by_order(e, row, partition, *fit);
    if (below == SKEDI_NO_PLACE ||
        e->rows.priority[from + below] < e->rows.priority[from + next]) {
        return next;
    }
    *fit = narrow;
    return below;
}

/* The entry that comes first, of those with a class that fits the node and
 * the head room of every queue above it. */
static uint32_t pass_next_entry(sked_engine *e, uint32_t partition,
                                uint64_t fit)
{
    uint32_t row = 0;

    if (e->shared &&
        e->partition[partition].classes & fit & SKEDI_MIXED_CLASSES) {
        return skedi_descend(e, partition, fit);
    }
    fit &= ~e->cells[cell_of(e, 0, partition)].full;
    while (!row_is_leaf(e, row)) {
        e->stats.queues_visited++;
        uint32_t place = pass_next_child(e, row, partition, &fit);
        row = e->rows.first_child[row] + place;
        fit &= ~e->cells[cell_of(e, row, partition)].full;
    }
    return skedi_line_first(e, &e->cells[cell_of(e, row, partition)], fit);
}

/* ---- Aside ---- */

/* Sees to it that an entry which `reason` keeps from running is not tried
 * again: strikes its class from a queue, blocks its user, or puts it aside. */
static void pass_walk_turn_away(sked_engine *e, uint32_t entry, uint32_t node,
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
    }
    if (reason == SKED_REASON_QUEUE_LIMIT) {
        /* An amount reserved below decides whether a limit above holds a step. The
         * answer differs within a class. */
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
    pass_walk_aside(e, entry);
}

/* ---- Steps ---- */

static int pass_walk_reserve(sked_engine *e)
{
    return skedi_pool_reserve(&e->groups, &e->hooks.mem, 1) &&
           skedi_out_reserve(e, 1) && skedi_aside_reserve(e) &&
           (!skedi_forming_is_on(e) || skedi_forming_reserve(e));
}

/* Starts a step, or so many alike tasks (skedi_alike()). `*ruled` 1: classes
 * may start now that did not before, since rules count what started or the rest
 * of a gang has another class; what rules kept out is back in line. SKED_OK, or
 * SKED_ERR_NOMEM, and nothing changed. */
static sked_status pass_walk_start(sked_engine *e, uint32_t entry,
                                   uint32_t node, uint32_t alike, int *ruled)
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
    if (counted || e->aside_alone == 2) pass_aside_started(e, counted);
    return SKED_OK;
}

/* Can a gang over nodes start, or go on growing, of which one task may start on
 * a node? */
static int pass_gang_starts(sked_engine *e, uint32_t ask, uint32_t node,
                            int *more)
{
    if (skedi_gang_grows(e, ask_at(e, ask))) {
        return skedi_gang_grows_on(e, ask, node);
    }
    if (skedi_forming_is_on(e)) return skedi_forming_forms(e, ask, node, more);
    return skedi_gang_forms(e, ask, node_at(e, node)->partition, more);
}

/* What keeps an entry from starting on a node, or (a gang over nodes) there and
 * on others; SKED_REASON_ORDER: nothing. `*more` becomes 1 where the node is to
 * be looked at again, though nothing tells when. */
static int32_t pass_walk_refusal(sked_engine *e, uint32_t entry, uint32_t node,
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
    return pass_gang_starts(e, x->ask, node, more) ? reason : SKED_REASON_GANG;
}

/* Reserves memory to look at one more entry, and asks the host's hooks now and
 * then. SKED_OK, SKED_ERR_NOMEM or what a hook said. */
static sked_status pass_walk_may_look(sked_engine *e, uint64_t looks)
{
    if (!pass_walk_reserve(e)) return SKED_ERR_NOMEM;
    if (looks % 4096 != 4095) return SKED_OK;
    return skedi_hooks_check(&e->hooks, looks, looks + 1);
}

/* The entry that comes first of those with a class in `fit`; SKEDI_NONE. */
static uint32_t pass_walk_next(sked_engine *e, uint32_t partition, uint64_t fit)
{
    size_t root = cell_of(e, 0, partition);

    if (!(skedi_cell_offer(e, root, 0) & fit)) return SKEDI_NONE;
    return pass_next_entry(e, partition, fit);
}

/* ---- The pass ---- */

/* The classes of which something may start, but for those that refuse the
 * node. */
static uint64_t pass_classes_to_fill(sked_engine *e, uint32_t node)
{
    uint64_t fit = pass_walk_open(e, node);
    int moved = 1;

    if (!e->partition[node_at(e, node)->partition].apart) return fit;
    uint64_t refuse = skedi_refusers_of(e, node, fit, &moved);
    while (moved) {
        fit = pass_walk_open(e, node);
        refuse = skedi_refusers_of(e, node, fit, &moved);
    }
    return fit & ~refuse;
}

/* The classes of which something may start on a node after a start there; those
 * of one shape that fit no longer are taken out when the walk finds them, which
 * saves 4 % of the instructions of `bench engine.allocate`. */
static uint64_t pass_classes_left(sked_engine *e, uint32_t node, uint64_t fit,
                                  int ruled)
{
    if (ruled) return pass_classes_to_fill(e, node);
    if (!(fit & SKEDI_MIXED_CLASSES) && e->fits.pool.live == 0) return fit;
    return pass_walk_classes(e, node, fit);
}

/* Does no step of an entry's class fit the node any more? Then it is taken out
 * of `fit`, with all others of which that is so: a node that is full is left
 * after one look, however many classes there are. */
static int pass_class_is_over(const sked_engine *e, uint32_t entry,
                              uint32_t node, int32_t reason, uint64_t *fit)
{
    if (reason != SKED_REASON_NO_NODE) return 0;
    uint64_t class = skedi_entry_mask(e, entry) & ~SKEDI_MIXED_CLASSES;
    if (class == 0) return 0;
    *fit = pass_classes_that_hold(e, node, *fit & ~class);
    return 1;
}

/* Walks until nothing that fits is left, or the pass is over on the node; up to
 * decision `last`. Adds to `*started`; `*more` 1: the node is to be looked at
 * again. As skedi_pass_node(). */
static sked_status pass_fill_node(sked_engine *e, uint32_t node, uint64_t last,
                                  uint64_t *started, int *more)
{
    uint32_t partition = node_at(e, node)->partition, entry;
    uint64_t looks = 0, fit = pass_classes_to_fill(e, node);
    int ruled;

    while ((entry = pass_walk_next(e, partition, fit)) != SKEDI_NONE) {
        sked_status rc = pass_walk_may_look(e, looks++);
        if (rc != SKED_OK) return rc;
        e->stats.asks_visited++;
        const engine_entry *x = entry_at(e, entry);
        uint32_t row = SKEDI_NONE;
        int32_t reason = pass_walk_refusal(e, entry, node, &row, more);
        if (reason == SKED_REASON_ORDER && !skedi_walk_has_other(e, x->ask)) {
            pass_walk_aside(e, entry);
            continue;
        }
        if (pass_class_is_over(e, entry, node, reason, &fit)) continue;
        if (reason != SKED_REASON_ORDER) {
            pass_walk_turn_away(e, entry, node, reason, row);
            continue;
        }
        if (skedi_pass_is_over(e, *started)) {
            *more = 1;
            return SKED_OK;
        }
        if (skedi_out_full(e) || e->stats.decisions >= last) {
            return SKED_STOPPED;
        }
        uint64_t turns = skedi_pass_left(e, *started);
        uint32_t alike = skedi_alike(e, entry, node, fit, turns, 1);
        rc = pass_walk_start(e, entry, node, alike, &ruled);
        if (rc != SKED_OK) return rc;
        fit = pass_classes_left(e, node, fit, ruled);
        *started += alike;
    }
    return SKED_OK;
}

/* Would a pass over a node find nothing, as the last one did? */
static int pass_is_idle(const sked_engine *e, const engine_node *n)
{
    if (n->state != NODE_OPEN) return 1;
    if (n->seen != e->partition[n->partition].changes) return 0;
    return e->now < n->wake_time;
}

/* Files the node by the moment at which a pass may find something again. */
static void pass_file_wake(sked_engine *e, uint32_t node)
{
    const engine_node *n = node_at(e, node);

    if (n->state == NODE_OPEN && n->wake_time < INT64_MAX) {
        skedi_heap_set(&e->wakes, node, skedi_key_signed(n->wake_time));
    } else {
        skedi_heap_remove(&e->wakes, node);
    }
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
    if (pass_is_idle(e, n)) {
        /* A gang of which no node holds anything any more forms no longer. */
        if (n->state == NODE_OPEN)
            skedi_forming_end(e, n->partition, node, 1);
        else
            skedi_heap_remove(&e->wakes, node);
        e->stats.idle++;
        return SKED_OK;
    }
    n->seen = 0;
    n->wake_time = INT64_MAX;
    skedi_out_close(e); /* this pass makes groups of its own */
    skedi_forming_begin(e, n->partition, node);
    if (n->first_reservation != SKEDI_NONE) {
        rc = pass_serve_reserved(e, node, last, &started);
        more = n->first_reservation !=
               SKEDI_NONE; /* of use when its time comes */
    }
    if (rc == SKED_OK) rc = pass_fill_node(e, node, last, &started, &more);
    pass_walk_back(e);
    int cut = rc != SKED_OK || skedi_pass_is_over(e, started);
    skedi_forming_end(e, n->partition, node, cut);
    /* What a gang that forms has there is given up by a whole pass only. */
    more |= cut && skedi_forming_of(e, n->partition);
    if (rc == SKED_OK && !more) n->seen = e->partition[n->partition].changes;
    pass_file_wake(e, node);
    return rc;
}

/*
 * A walk over a partition goes down from the root as one over a node does, but
 * with all classes of which some node may hold a step. The entry that it comes
 * to is given the first node, in the order that it asks for, which lets it run.
 * A class for which there is none is left out from then on, since nothing
 * becomes free meanwhile.
 */

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
static uint32_t pass_leading_kind(const sked_engine *e, uint32_t partition,
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
static uint32_t pass_mode_of_ask(const sked_engine *e, const engine_ask *ask)
{
    uint32_t own = ask->flags / SKED_ASK_PLACE_FIRST % 32;

    return own ? skedi_ctz64(own) + 1 : e->ranks.mode;
}

/* The largest part of a partition that a step takes, in ppm rounded up. */
static uint64_t pass_size_of_step(const sked_engine *e, uint32_t partition,
                                  const int64_t *step)
{
    uint32_t k = pass_leading_kind(e, partition, step);
    int64_t all = e->capacity[(size_t)partition * e->kinds + k];
    uint64_t rem;

    if (step[k] >= all) return (uint64_t)SKED_PPM;
    uint64_t part = skedi_muldiv((uint64_t)step[k], (uint64_t)SKED_PPM,
                                 (uint64_t)all, &rem);
    return part + (rem > 0);
}

/* What asks that are open could no longer start on a node: steps of each, times
 * their size. */
static uint64_t pass_loss_on(const sked_engine *e, uint32_t partition,
                             uint32_t node, const int64_t *step)
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
        loss += lost * pass_size_of_step(e, partition, other) *
                part->shape_count[s];
    }
    return loss;
}

/* The ranking by which an ask looks for its node; SKEDI_NONE: no memory. */
static uint32_t pass_ranking_of(sked_engine *e, uint32_t partition,
                                uint32_t mode, const int64_t *step)
{
    uint32_t kind = pass_leading_kind(e, partition, step);

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
static int pass_node_has_turn(const sked_engine *e, uint32_t node)
{
    return !skedi_pass_is_over(e, e->ranks.started[node]);
}

/* May a task of an ask that fits a node start there? */
static int pass_node_takes(const sked_engine *e, uint32_t ask, uint32_t node)
{
    const engine_ask *a = ask_at(e, ask);

    return pass_node_has_turn(e, node) && skedi_place_allows(e, ask, node) &&
           skedi_exclusive_takes(e, ask, node) &&
           (!skedi_gang_grows(e, a) || skedi_gang_grows_on(e, ask, node));
}

static int pass_choice_before(const engine_choice *a, const engine_choice *b)
{
    if (b->node == SKEDI_NONE) return 1;
    if (a->distance != b->distance) return a->distance < b->distance;
    return a->loss < b->loss;
}

/* The best node from `node` on, which all hold a step. */
static uint32_t pass_choose_node(const sked_engine *e, const engine_placing *p,
                                 uint32_t ask, uint32_t ranking, uint32_t node)
{
    const engine_ask *a = ask_at(e, ask);
    const int64_t *step = skedi_shape_part(e, a->shape);
    int losses = pass_mode_of_ask(e, a) == SKED_ENGINE_PLACE_MODE_FRAGMENT;
    engine_choice best = {.node = SKEDI_NONE};

    for (; node != SKEDI_NONE;
         node = skedi_ranks_next(e, ranking, p->partition, step, node)) {
        engine_choice next = {.node = node};
        if (!pass_node_takes(e, ask, node)) continue;
        next.distance = skedi_place_distance(e, a, node);
        if (losses) next.loss = pass_loss_on(e, p->partition, node, step);
        if (pass_choice_before(&next, &best)) best = next;
        if (best.distance == 0 && !losses) break;
    }
    return best.node;
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
        pass_walk_aside(e, entry);
    }
}

/* Does that keep an ask from every node of the partition? */
static int pass_keeps_everywhere(const sked_engine *e, const engine_ask *ask,
                                 int32_t reason)
{
    return reason == SKED_REASON_QUEUE_LIMIT || reason == SKED_REASON_MASTERS ||
           reason == SKED_REASON_USER_LIMIT || reason == SKED_REASON_RATE ||
           skedi_reason_tree(reason) != SKEDI_NONE ||
           (reason == SKED_REASON_GANG && !skedi_gang_grows(e, ask));
}

/* Finds the node on which an entry starts; SKEDI_NONE: on none, and it is put
 * aside. SKED_OK or SKED_ERR_NOMEM. */
static sked_status pass_node_for(sked_engine *e, engine_placing *p,
                                 uint32_t entry, uint32_t *node)
{
    uint32_t ask = entry_at(e, entry)->ask, row = SKEDI_NONE;
    const engine_ask *a = ask_at(e, ask);
    const int64_t *step = skedi_shape_part(e, a->shape);
    uint32_t ranking = pass_ranking_of(e, p->partition, pass_mode_of_ask(e, a),
                                       step);
    int more;

    *node = SKEDI_NONE;
    if (ranking == SKEDI_NONE) return SKED_ERR_NOMEM;
    uint32_t first = skedi_ranks_next(e, ranking, p->partition, step,
                                      SKEDI_NONE);
    uint32_t best = first;
    int32_t reason = SKED_REASON_NO_NODE;
    if (first != SKEDI_NONE) {
        reason = pass_walk_refusal(e, entry, first, &row, &more);
        if (!pass_keeps_everywhere(e, a, reason)) {
            best = pass_choose_node(e, p, ask, ranking, first);
        }
        if (best != SKEDI_NONE && best != first) {
            reason = pass_walk_refusal(e, entry, best, &row, &more);
        }
    }
    if (best == SKEDI_NONE) {
        pass_by(e, p, entry);
    } else if (reason != SKED_REASON_ORDER) {
        pass_walk_turn_away(e, entry, best, reason, row);
    } else if (!skedi_walk_has_other(e, ask)) {
        pass_walk_aside(e, entry);
    } else {
        *node = best;
    }
    return SKED_OK;
}

/* May another node come first for an ask once a task of it has started on the
 * first one? */
static int pass_leaves_first(const sked_engine *e, const engine_ask *ask)
{
    uint32_t mode = pass_mode_of_ask(e, ask);

    return (mode == SKED_ENGINE_PLACE_MODE_SPREAD ||
            mode == SKED_ENGINE_PLACE_MODE_FRAGMENT) &&
           !skedi_takes_nothing(e, ask->shape);
}

static sked_status pass_place_step(sked_engine *e, engine_placing *p,
                                   uint32_t entry, uint32_t node)
{
    uint32_t ask = entry_at(e, entry)->ask;
    int ruled;

    if (skedi_out_full(e) || e->stats.decisions >= p->last) return SKED_STOPPED;
    uint64_t most = skedi_pass_left(e, e->ranks.started[node]);
    if (pass_leaves_first(e, ask_at(e, ask)) || skedi_alike_elsewhere(e, ask)) {
        most = 1;
    }
    uint32_t alike = skedi_alike(e, entry, node, p->fit, most, 0);
    sked_status rc = pass_walk_start(e, entry, node, alike, &ruled);
    if (rc != SKED_OK) return rc;
    e->ranks.started[node] += alike;
    if (ruled) p->fit = e->partition[p->partition].classes;
    p->fit = pass_walk_forming(e, p->partition, p->fit);
    return SKED_OK;
}

static sked_status pass_place_asks(sked_engine *e, engine_placing *p)
{
    sked_status rc = SKED_OK;
    uint32_t entry, node;

    p->fit = pass_walk_forming(e, p->partition,
                               e->partition[p->partition].classes);
    while (rc == SKED_OK &&
           (entry = pass_walk_next(e, p->partition, p->fit)) != SKEDI_NONE) {
        rc = pass_walk_may_look(e, p->looks++);
        if (rc != SKED_OK) break;
        e->stats.asks_visited++;
        rc = pass_node_for(e, p, entry, &node);
        if (rc == SKED_OK && node != SKEDI_NONE) {
            rc = pass_place_step(e, p, entry, node);
        }
    }
    pass_walk_back(e);
    return rc;
}

/* Starts what nodes of a partition are reserved for. As
 * pass_serve_reserved(). */
static sked_status pass_serve_nodes(sked_engine *e, const engine_placing *p)
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
        rc = pass_serve_reserved(e, n, p->last, &e->ranks.started[n]);
    }
    return rc;
}

sked_status skedi_place_all(sked_engine *e, uint64_t budget)
{
    engine_placing p = {
        .last = skedi_pass_last(e, budget ? budget : UINT64_MAX)};
    sked_status rc = SKED_OK;

    for (; rc == SKED_OK && p.partition < e->parts; p.partition++) {
        if (e->partition[p.partition].nodes == 0) continue;
        skedi_partition_refresh(e, p.partition);
        skedi_shares_refresh(e, p.partition);
        skedi_fits_refresh(e);
        skedi_out_close(e);
        skedi_forming_look(e, p.partition);
        skedi_forming_begin(e, p.partition, SKEDI_NONE);
        rc = pass_serve_nodes(e, &p);
        if (rc == SKED_OK) rc = pass_place_asks(e, &p);
        skedi_forming_end(e, p.partition, SKEDI_NONE, rc != SKED_OK);
    }
    return rc;
}
