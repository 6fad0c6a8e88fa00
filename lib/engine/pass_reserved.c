/*
 * The first part of a pass over a node: tasks for which the node is reserved
 * start before all others.
 *
 * Invariant: a reservation is given back in full or starts tasks; a pass never
 * starts more than the options allow in one pass.
 */

#include "engine/alloc.h"
#include "engine/decision.h"
#include "engine/domains.h"
#include "engine/exclusion.h"
#include "engine/gang.h"
#include "engine/pass_reserved.h"
#include "engine/pending.h"
#include "engine/reservation.h"
#include "engine/store.h"
#include "engine/watch.h"
#include "engine/work.h"

/* Starts what nodes are reserved for, before anything else starts there. */

/* Gives back the head room of all reservations (`by` -1), or takes it again
 * (1). A step that is served has to fit beside what is really held; otherwise
 * plans that wait for their victims would wait for each other. If the one that
 * is served is not paid for by kill orders, what is paid for stays taken. */
static void pass_book_head_room(sked_engine *e, uint32_t reserved, int by)
{
    int leaves = reservation_at(e, reserved)->paid == 0;

    for (uint32_t i = e->first_reservation; e->shared && i != SKEDI_NONE;
         i = reservation_at(e, i)->later) {
        const engine_reservation *k = reservation_at(e, i);
        int64_t count = (int64_t)k->count - (leaves ? k->paid : 0);
        skedi_reservation_in_trees(e, k, by * count);
        skedi_reservation_in_queues(e, k, by * count);
    }
}

/* May a task of a reservation start now? One for which others got kill orders
 * (paid) waits for no other node; the bounds of its user and of masters, which
 * move with what others hold and want, and its soft rules, which come into
 * force by themselves, were asked before the kill orders. */
static int pass_may_serve(sked_engine *e, uint32_t reserved)
{
    const engine_reservation *k = reservation_at(e, reserved);
    uint32_t leaf = job_at(e, ask_at(e, k->ask)->job)->row, row;
    uint32_t partition = node_at(e, k->node)->partition;
    uint32_t charge = job_at(e, ask_at(e, k->ask)->job)->charge;
    int bounded = e->cells[cell_of(e, leaf, partition)].under_bound ||
                  charge != SKEDI_NONE;

    if (bounded) pass_book_head_room(e, reserved, -1);
    int32_t reason = skedi_ask_refusal(e, k->ask, k->node, &row);
    if (bounded) pass_book_head_room(e, reserved, 1);
    if (reason == SKED_REASON_ORDER) return 1;
    if (k->paid == 0 || !skedi_place_paid(e, k->ask, k->node)) return 0;
    return reason == SKED_REASON_LOCALITY || reason == SKED_REASON_RULE ||
           reason == SKED_REASON_USER_LIMIT || reason == SKED_REASON_MASTERS;
}

/* ---- Gangs over nodes ---- */

/* Is so much free on the node of a reservation, and may the gang take it? On
 * the node that is served, what is reserved was given back. */
static int pass_node_is_free(const sked_engine *e, const engine_reservation *k,
                             uint32_t served)
{
    const int64_t *free = engine_row_of(e, &e->node_free, k->node);
    const int64_t *task = skedi_shape_part(e, ask_at(e, k->ask)->shape);

    for (uint32_t i = 0; i < e->kinds; i++) {
        int64_t has = free[i];
        if (k->node != served) has += skedi_reservation_of(e, k->node, i);
        if (task[i] > 0 && task[i] * k->count > has) return 0;
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
        skedi_reservation_use(e, i, count);
        skedi_gang_fill(e, ask, account, node, count, SKED_REASON_HELD);
        if (node != served) skedi_reservation_drop(e, i);
    }
    skedi_out_close(e);
}

/* Starts the tasks of a gang that a node is reserved for, with all others of
 * the gang. As skedi_reservation_serve(). */
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
    if (groups == 0 || !pass_may_serve(e, reserved)) return SKED_OK;
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

/* Starts what it can of a reservation, whose amounts were given back on its
 * node. As skedi_reservation_serve(). */
static sked_status pass_serve_one(sked_engine *e, uint32_t reserved,
                                  uint64_t last, uint64_t *started)
{
    if (ask_at(e, reservation_at(e, reserved)->ask)->flags & SKED_ASK_SPREAD) {
        return pass_serve_gang(e, reserved, last, started);
    }
    for (;;) {
        const engine_reservation *k = reservation_at(e, reserved);
        const engine_ask *a = ask_at(e, k->ask);
        uint32_t step = a->flags & SKED_ASK_GANG ? (uint32_t)a->open : 1;
        if (a->first_entry == SKEDI_NONE) return SKED_OK;
        if (e->rows.closed[job_at(e, a->job)->row]) return SKED_OK;
        if (k->count < step || skedi_pass_is_over(e, *started)) {
            return SKED_OK;
        }
        if (!pass_may_serve(e, reserved)) return SKED_OK;
        if (skedi_out_full(e) || e->stats.decisions >= last) {
            return SKED_STOPPED;
        }
        if (!skedi_pool_reserve(&e->groups, &e->hooks.mem, 1) ||
            !skedi_out_reserve(e, 1) ||
            !skedi_work_reserve(e, k->ask, k->node)) {
            return SKED_ERR_NOMEM;
        }
        ++*started;
        skedi_reservation_use(e, reserved, step);
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

/* Takes the paid part of reservations of gangs over nodes (`by` 1), or gives it
 * back (-1). Such a gang may wait for other nodes. The amounts freed for the
 * gang on this node are not for reservations without kill orders. */
static void pass_book_paid_gangs(sked_engine *e, uint32_t node, int by)
{
    for (uint32_t i = node_at(e, node)->first_reservation; i != SKEDI_NONE;
         i = reservation_at(e, i)->next) {
        const engine_reservation *k = reservation_at(e, i);
        if (!(ask_at(e, k->ask)->flags & SKED_ASK_SPREAD)) continue;
        skedi_reservation_on_node(e, k, by * (int64_t)k->paid);
    }
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

sked_status skedi_reservation_serve(sked_engine *e, uint32_t node,
                                    uint64_t last, uint64_t *started)
{
    sked_status rc = SKED_OK;
    uint32_t i, next;
    int kept = 0;

    pass_put_paid_first(e, node);
    i = node_at(e, node)->first_reservation;
    pass_book_all(e, node, -1);
    for (; i != SKEDI_NONE && rc == SKED_OK; i = next) {
        if (!kept && reservation_at(e, i)->paid == 0) {
            pass_book_paid_gangs(e, node, 1);
            kept = 1;
        }
        rc = pass_serve_one(e, i, last, started);
        next = reservation_at(e, i)->next;
    }
    if (kept) pass_book_paid_gangs(e, node, -1);
    pass_book_all(e, node, 1);
    for (i = node_at(e, node)->first_reservation; i != SKEDI_NONE; i = next) {
        next = reservation_at(e, i)->next;
        if (reservation_at(e, i)->count == 0) skedi_reservation_drop(e, i);
    }
    skedi_out_close(e); /* what follows is by no reservation */
    return rc;
}
