/*
 * Amounts of a node that are reserved: for an ask (by a preemption round),
 * for a gang that collects nodes while it forms; and the extras of an ask.
 *
 * A reservation is taken from the free amounts of its node. While victims
 * still run, the free amounts may be negative, so no other task starts there.
 *
 * Invariants: a reservation is in the list of its node, in the order in which
 * reservations were made, and in the list of the engine. An ask has at most
 * one record of extras.
 */

#include "base/assert.h"
#include "engine/decision.h"
#include "engine/gang_fit.h"
#include "engine/budget.h"
#include "engine/nodes.h"
#include "engine/pending.h"
#include "engine/queue.h"
#include "engine/reservation.h"
#include "engine/store.h"
#include "engine/watch.h"

/*
 * A forming gang takes amounts from the free amounts of a node only. Limits are
 * checked for the whole gang when its turn comes. The options bound the number of
 * parts, thus one list is enough.
 */

/* Reserves memory for `n` parts and for a gang of each partition. */
static int reservation_parts_to(sked_engine *e, size_t n)
{
    void *gangs = e->forms.gang, *parts = e->forms.part;
    size_t had = e->forms.cap;

    if (had < e->parts) {
        if (!skedi_ensure(&e->hooks.mem, &gangs, &e->forms.cap, e->parts,
                          sizeof *e->forms.gang)) {
            return 0;
        }
        e->forms.gang = gangs;
        for (size_t i = had; i < e->forms.cap; i++) {
            e->forms.gang[i] = (engine_forming){0};
        }
    }
    if (!skedi_ensure(&e->hooks.mem, &parts, &e->forms.parts_cap, n,
                      sizeof *e->forms.part)) {
        return 0;
    }
    e->forms.part = parts;
    return 1;
}

int skedi_forming_reserve(sked_engine *e)
{
    return reservation_parts_to(e, e->forms.n + 1);
}

int skedi_forming_reserve_all(sked_engine *e, uint64_t nodes)
{
    uint64_t most = (uint64_t)e->opts.form_nodes * e->parts;

    return most == 0 ||
           reservation_parts_to(e, (size_t)(nodes < most ? nodes : most) + 1);
}

engine_forming *skedi_forming_of(const sked_engine *e, uint32_t partition)
{
    int any = partition < e->forms.cap && e->forms.gang[partition].arrival != 0;

    return any ? &e->forms.gang[partition] : NULL;
}

engine_forming_part *skedi_forming_on(const sked_engine *e, uint32_t node)
{
    for (size_t i = 0; i < e->forms.n; i++) {
        if (e->forms.part[i].node == node) return &e->forms.part[i];
    }
    return NULL;
}

/* Returns the amount of a kind that a part reserves. */
static int64_t reservation_amount_of(const sked_engine *e,
                                     const engine_forming_part *part,
                                     uint32_t kind)
{
    const engine_forming *f = &e->forms.gang[part->partition];

    return f->alone ? engine_row_of(e, &e->node_capacity, part->node)[kind]
                    : f->task[kind] * part->count;
}

int64_t skedi_forming_amount(const sked_engine *e, uint32_t node, uint32_t kind)
{
    const engine_forming_part *part = skedi_forming_on(e, node);

    return !part || part->given ? 0 : reservation_amount_of(e, part, kind);
}

int64_t skedi_forming_tasks(const sked_engine *e, uint32_t partition,
                            uint32_t *nodes)
{
    int64_t tasks = 0;

    *nodes = 0;
    for (size_t i = 0; i < e->forms.n; i++) {
        if (e->forms.part[i].partition != partition) continue;
        tasks += e->forms.part[i].count;
        ++*nodes;
    }
    return tasks;
}

static void reservation_book_part(sked_engine *e,
                                  const engine_forming_part *part, int by)
{
    int64_t *free = engine_row_of(e, &e->node_free, part->node);

    for (uint32_t k = 0; k < e->kinds; k++) {
        free[k] -= reservation_amount_of(e, part, k) * by;
    }
    skedi_watch_node(e, part->node);
    skedi_node_touch(e, part->node);
    node_at(e, part->node)->seen = 0; /* others may have it, or it more */
}

void skedi_forming_give(sked_engine *e, engine_forming_part *part, int given)
{
    if ((part->given != 0) == given) return;
    part->given = given != 0;
    reservation_book_part(e, part, given ? -1 : 1);
}

/* Removes a part. The last part of the list takes its place. */
static void reservation_remove_part(sked_engine *e, engine_forming_part *part)
{
    SKEDI_ASSERT(e->forms.n > 0);
    skedi_forming_give(e, part, 1);
    *part = e->forms.part[--e->forms.n];
}

void skedi_forming_set(sked_engine *e, uint32_t partition, uint32_t node,
                       int64_t count)
{
    engine_forming_part *part = skedi_forming_on(e, node);

    if (part && part->count == count) {
        skedi_forming_give(e, part, 0);
        return;
    }
    if (part) reservation_remove_part(e, part);
    if (count == 0) return;
    SKEDI_ASSERT(e->forms.n < e->forms.parts_cap);
    part = &e->forms.part[e->forms.n++];
    *part = (engine_forming_part){partition, node, (uint32_t)count, 1};
    skedi_forming_give(e, part, 0);
}

void skedi_forming_drop(sked_engine *e, uint32_t partition)
{
    for (size_t i = e->forms.n; i-- > 0;) {
        if (e->forms.part[i].partition == partition)
            reservation_remove_part(e, &e->forms.part[i]);
    }
    if (partition < e->forms.cap) e->forms.gang[partition].arrival = 0;
}

static void reservation_forming_clear(sked_engine *e, uint32_t node)
{
    engine_forming_part *part = skedi_forming_on(e, node);

    if (part) reservation_remove_part(e, part);
}

void skedi_forming_drop_all(sked_engine *e)
{
    for (uint32_t p = 0; p < e->forms.cap; p++) skedi_forming_drop(e, p);
}

void skedi_forming_give_all(sked_engine *e, int given)
{
    for (size_t i = 0; i < e->forms.n; i++) {
        skedi_forming_give(e, &e->forms.part[i], given);
    }
}

int skedi_forming_is_sound(const sked_engine *e)
{
    for (size_t i = 0; i < e->forms.n; i++) {
        const engine_forming_part *part = &e->forms.part[i];
        const engine_node *n = node_at(e, part->node);
        uint32_t nodes;
        int known = skedi_forming_of(e, part->partition) != NULL &&
                    skedi_forming_on(e, part->node) == part;
        (void)skedi_forming_tasks(e, part->partition, &nodes);
        if (!known || part->count == 0 || part->given) return 0;
        if (n->state != NODE_OPEN || n->partition != part->partition) return 0;
        if (nodes > e->opts.form_nodes) return 0;
    }
    return 1;
}

/* An ask has at most one record of extras, from when it first needs one until
 * it ends. */

int skedi_ask_rows_reserve(sked_engine *e, uint64_t more)
{
    if (!skedi_pool_reserve(&e->asks, &e->hooks.mem, more)) return 0;
    if (!e->delays || e->waiting_cap >= e->asks.cap) return 1;
    sked_time *grown = skedi_grow(&e->hooks.mem, e->waiting, e->waiting_cap,
                                  e->asks.cap, sizeof *grown);
    if (!grown) return 0;
    e->waiting = grown;
    e->waiting_cap = e->asks.cap;
    return 1;
}

/* No more than all asks have, and one that is being made. */
int skedi_extras_reserve(sked_engine *e, uint64_t more)
{
    uint64_t left = (uint64_t)e->asks.live + 1 - e->extras.live;

    return skedi_pool_reserve(&e->extras, &e->hooks.mem,
                              more < left ? more : left);
}

int skedi_ranges_reserve(sked_engine *e, uint64_t more)
{
    return skedi_pool_reserve(&e->ranges, &e->hooks.mem, more) &&
           skedi_extras_reserve(e, more);
}

engine_extra *skedi_extra_take(sked_engine *e, uint32_t ask)
{
    engine_ask *a = ask_at(e, ask);

    if (a->extra == SKEDI_NONE) {
        a->extra = skedi_pool_take(&e->extras);
        *extra_at(e, a->extra) = (engine_extra){
            .ranges = SKEDI_NONE,
            .places = SKEDI_NONE,
            .refusals = SKEDI_NONE,
            .shape = SKEDI_NONE,
        };
    }
    return extra_at(e, a->extra);
}

/*
 * A reservation is taken from the free amounts of the node. The free amounts may
 * be negative while victims run, thus no other step starts there, and the walk
 * over nodes needs no special case. A reservation is on two lists: the list of
 * the node, in order of creation, and the list of all, in order of their ends.
 */

int skedi_reservation_reserve(sked_engine *e, uint64_t more)
{
    return skedi_pool_reserve(&e->reservations, &e->hooks.mem, more) &&
           skedi_extras_reserve(e, more);
}

/* Returns the amount of one kind for `count` tasks. A gang on one node needs the
 * amount of its step, whatever number of tasks it has. */
static int64_t reservation_amount_reserved(const sked_engine *e,
                                           const engine_reservation *reserved,
                                           uint32_t kind, int64_t count)
{
    const engine_ask *a = ask_at(e, reserved->ask);
    int64_t steps = skedi_ask_is_whole(a) ? (count > 0) - (count < 0) : count;

    return skedi_shape_part(e, a->shape)[kind] * steps;
}

int64_t skedi_reservation_amount(const sked_engine *e, uint32_t reserved,
                                 uint32_t kind)
{
    return reservation_amount_reserved(e, reservation_at(e, reserved), kind,
                                       reservation_at(e, reserved)->count);
}

void skedi_reservation_holds(const sked_engine *e, uint32_t reserved,
                             int64_t *amount)
{
    for (uint32_t k = 0; k < e->kinds; k++) {
        amount[k] = skedi_reservation_amount(e, reserved, k);
    }
}

int64_t skedi_reservation_paid(const sked_engine *e, uint32_t reserved,
                               uint32_t kind)
{
    return reservation_amount_reserved(e, reservation_at(e, reserved), kind,
                                       reservation_at(e, reserved)->paid);
}

int64_t skedi_reservation_of(const sked_engine *e, uint32_t node, uint32_t kind)
{
    int64_t sum = 0;

    for (uint32_t i = node_at(e, node)->first_reservation; i != SKEDI_NONE;
         i = reservation_at(e, i)->next) {
        const engine_reservation *k = reservation_at(e, i);
        sum += reservation_amount_reserved(e, k, kind, k->count);
    }
    if (e->forms.n > 0) sum += skedi_forming_amount(e, node, kind);
    return sum;
}

void skedi_reservation_in_queues(sked_engine *e,
                                 const engine_reservation *reserved,
                                 int64_t count)
{
    int64_t delta[SKED_MAX_KINDS];
    uint32_t row = job_at(e, ask_at(e, reserved->ask)->job)->row;

    for (uint32_t k = 0; k < e->kinds; k++) {
        delta[k] = reservation_amount_reserved(e, reserved, k, count);
    }
    skedi_books_reserve(e, row, node_at(e, reserved->node)->partition, delta);
}

void skedi_reservation_in_trees(sked_engine *e,
                                const engine_reservation *reserved,
                                int64_t count)
{
    uint32_t job = ask_at(e, reserved->ask)->job;
    int64_t delta[SKED_MAX_KINDS];

    if (job_at(e, job)->charge == SKEDI_NONE) return;
    for (uint32_t k = 0; k < e->kinds; k++) {
        delta[k] = reservation_amount_reserved(e, reserved, k, count);
    }
    skedi_trees_book(e, job, delta);
}

void skedi_reservation_on_node(sked_engine *e,
                               const engine_reservation *reserved,
                               int64_t count)
{
    int64_t *free = engine_row_of(e, &e->node_free, reserved->node);

    for (uint32_t k = 0; k < e->kinds; k++) {
        free[k] -= reservation_amount_reserved(e, reserved, k, count);
    }
    skedi_watch_node(e, reserved->node);
    skedi_node_touch(e, reserved->node);
}

/* Takes the amounts on the node, in head room and in the trees of limits. */
static void reservation_book_reserved(sked_engine *e,
                                      const engine_reservation *reserved,
                                      int64_t count)
{
    if (count == 0) return;
    skedi_reservation_on_node(e, reserved, count);
    skedi_reservation_in_queues(e, reserved, count);
    skedi_reservation_in_trees(e, reserved, count);
    if (count < 0) skedi_trees_freed(e, ask_at(e, reserved->ask)->job);
}

/* Puts a reservation at the end of the list. All reservations have the same
 * length, and time never runs backwards, thus the list stays in order. */
static void reservation_list_end(sked_engine *e, uint32_t reserved)
{
    engine_reservation *k = reservation_at(e, reserved);

    k->sooner = e->last_reservation;
    k->later = SKEDI_NONE;
    if (e->last_reservation == SKEDI_NONE)
        e->first_reservation = reserved;
    else
        reservation_at(e, e->last_reservation)->later = reserved;
    e->last_reservation = reserved;
}

static void reservation_unlist_end(sked_engine *e, uint32_t reserved)
{
    const engine_reservation *k = reservation_at(e, reserved);

    SKEDI_ASSERT(reserved == (k->sooner == SKEDI_NONE
                                  ? e->first_reservation
                                  : reservation_at(e, k->sooner)->later));
    if (k->sooner == SKEDI_NONE)
        e->first_reservation = k->later;
    else
        reservation_at(e, k->sooner)->later = k->later;
    if (k->later == SKEDI_NONE)
        e->last_reservation = k->sooner;
    else
        reservation_at(e, k->later)->sooner = k->sooner;
}

/* Puts a reservation last on its node. */
static void reservation_list_on_node(sked_engine *e, uint32_t reserved)
{
    uint32_t *at = &node_at(e, reservation_at(e, reserved)->node)
                        ->first_reservation;

    while (*at != SKEDI_NONE) at = &reservation_at(e, *at)->next;
    *at = reserved;
    reservation_at(e, reserved)->next = SKEDI_NONE;
}

static void reservation_unlist_on_node(sked_engine *e, uint32_t reserved)
{
    uint32_t *at = &node_at(e, reservation_at(e, reserved)->node)
                        ->first_reservation;

    while (*at != reserved) at = &reservation_at(e, *at)->next;
    *at = reservation_at(e, reserved)->next;
}

uint32_t skedi_reservation_account(const sked_engine *e,
                                   const engine_reservation *reserved)
{
    return skedi_account_of_ask(e, reserved->ask,
                                node_at(e, reserved->node)->partition);
}

/* Counts `by` paid tasks as held by their user. A negative `by` ends the count:
 * the user may then start other tasks, and the ask may start elsewhere. */
static void reservation_count_paid(sked_engine *e,
                                   const engine_reservation *reserved,
                                   int64_t by)
{
    uint32_t account = skedi_reservation_account(e, reserved);

    skedi_extra_take(e, reserved->ask)->paid += by;
    for (uint32_t k = 0; account != SKEDI_NONE && k < e->kinds; k++) {
        engine_row_of(e, &e->account_paid,
                      account)[k] += reservation_amount_reserved(e, reserved, k,
                                                                 by);
    }
    if (by >= 0) return;
    if (account != SKEDI_NONE)
        skedi_accounts_wake(e, account_at(e, account)->cell);
    for (uint32_t x = ask_at(e, reserved->ask)->first_entry; x != SKEDI_NONE;
         x = entry_next(e, x)) {
        skedi_partition_stir(e, entry_at(e, x)->cell % e->parts);
    }
}

void skedi_reservation_pay(sked_engine *e, uint32_t reserved, uint32_t tasks)
{
    engine_reservation *k = reservation_at(e, reserved);
    int64_t by = (int64_t)tasks - k->paid;

    k->paid = tasks;
    if (by != 0) reservation_count_paid(e, k, by);
}

/* Puts a reservation into the books of its queues and its user (`by` is 1), or
 * takes it out (-1). */
static void reservation_book_above(sked_engine *e, uint32_t reserved, int by)
{
    const engine_reservation *k = reservation_at(e, reserved);

    if (e->shared) skedi_reservation_in_queues(e, k, by * (int64_t)k->count);
    reservation_count_paid(e, k, by * (int64_t)k->paid);
}

void skedi_reservation_rebook(sked_engine *e, uint32_t reserved)
{
    const engine_reservation *k = reservation_at(e, reserved);

    skedi_extra_take(e, k->ask)->paid -= k->paid; /* asks stay as they are */
    reservation_book_above(e, reserved, 1);
}

void skedi_reservation_of_job(sked_engine *e, uint32_t job, int by)
{
    for (uint32_t i = e->first_reservation; i != SKEDI_NONE;
         i = reservation_at(e, i)->later) {
        if (ask_at(e, reservation_at(e, i)->ask)->job == job)
            reservation_book_above(e, i, by);
    }
}

void skedi_reservation_renew(sked_engine *e, uint32_t reserved, sked_time until)
{
    reservation_unlist_end(e, reserved);
    reservation_at(e, reserved)->until = until;
    reservation_list_end(e, reserved);
}

static void reservation_decide_reserved(sked_engine *e, uint32_t reserved,
                                        int32_t what, int32_t reason)
{
    const engine_reservation *k = reservation_at(e, reserved);
    sked_decision d = skedi_out_about(e, k->ask, k->node);

    d.kind = what;
    d.reason = reason;
    d.count = k->count;
    d.detail = k->until;
    (void)skedi_out_add(e, d);
}

void skedi_reservation_add(sked_engine *e, uint32_t ask, uint32_t node,
                           uint32_t count, sked_time until)
{
    uint32_t reserved = skedi_pool_take(&e->reservations);

    *reservation_at(e, reserved) = (engine_reservation){
        .until = until,
        .ask = ask,
        .node = node,
        .count = count,
    };
    ask_at(e, ask)->reserved = 1;
    (void)skedi_extra_take(e, ask); /* to count what is paid */
    reservation_list_on_node(e, reserved);
    reservation_list_end(e, reserved);
    reservation_book_reserved(e, reservation_at(e, reserved), count);
    node_at(e, node)->seen = 0;
    reservation_decide_reserved(e, reserved, SKED_DECISION_RESERVE,
                                SKED_REASON_PREEMPTED);
}

void skedi_reservation_drop(sked_engine *e, uint32_t reserved)
{
    engine_reservation *k = reservation_at(e, reserved);
    uint32_t ask = k->ask;
    uint32_t more = 0;

    skedi_reservation_pay(e, reserved, 0);
    reservation_book_reserved(e, k, -(int64_t)k->count);
    node_at(e, k->node)->seen = 0; /* others may have it */
    reservation_unlist_on_node(e, reserved);
    reservation_unlist_end(e, reserved);
    skedi_pool_give(&e->reservations, reserved);
    for (uint32_t i = e->first_reservation; !more && i != SKEDI_NONE;
         i = reservation_at(e, i)->later) {
        more = reservation_at(e, i)->ask == ask;
    }
    ask_at(e, ask)->reserved = more & 1;
}

void skedi_reservation_void(sked_engine *e, uint32_t reserved)
{
    reservation_decide_reserved(e, reserved, SKED_DECISION_WITHDRAW,
                                SKED_REASON_NEED_GONE);
    skedi_reservation_drop(e, reserved);
}

void skedi_reservation_use(sked_engine *e, uint32_t reserved, uint32_t tasks,
                           uint32_t paid)
{
    engine_reservation *k = reservation_at(e, reserved);

    skedi_reservation_in_queues(e, k, -(int64_t)tasks);
    skedi_reservation_in_trees(e, k, -(int64_t)tasks);
    k->count -= tasks;
    skedi_reservation_pay(e, reserved, k->paid - paid);
}

/* Shortens a reservation to `count` tasks. The reservation of a gang is for all
 * tasks or for none. */
static void reservation_leave_tasks(sked_engine *e, uint32_t reserved,
                                    uint32_t count)
{
    engine_reservation *k = reservation_at(e, reserved);
    int gang = (ask_at(e, k->ask)->flags & SKED_ASK_GANG) != 0;

    if (count == k->count) return;
    if (count == 0 || gang) {
        skedi_reservation_drop(e, reserved);
        return;
    }
    reservation_book_reserved(e, k, (int64_t)count - k->count);
    k->count = count;
    node_at(e, k->node)->seen = 0;
}

void skedi_reservation_trim(sked_engine *e, uint32_t ask)
{
    const engine_ask *a = ask_at(e, ask);
    int64_t paid = skedi_i64_min(extra_of(e, a)->paid, a->open),
            other = a->open - paid;

    for (uint32_t i = e->first_reservation, next; i != SKEDI_NONE; i = next) {
        engine_reservation *k = reservation_at(e, i);
        next = k->later;
        if (k->ask != ask) continue;
        int64_t first = skedi_i64_min(k->paid, paid);
        int64_t more = skedi_i64_min((int64_t)k->count - k->paid, other);
        paid -= first;
        other -= more;
        if (first < k->paid) skedi_reservation_pay(e, i, (uint32_t)first);
        reservation_leave_tasks(e, i, (uint32_t)(first + more));
    }
}

void skedi_reservation_forget(sked_engine *e, uint32_t ask)
{
    uint32_t next;

    if (!ask_at(e, ask)->reserved) return;
    for (uint32_t i = e->first_reservation; i != SKEDI_NONE; i = next) {
        next = reservation_at(e, i)->later;
        if (reservation_at(e, i)->ask == ask) skedi_reservation_drop(e, i);
    }
}

void skedi_reservation_clear(sked_engine *e, uint32_t node)
{
    reservation_forming_clear(e, node);
    while (node_at(e, node)->first_reservation != SKEDI_NONE) {
        skedi_reservation_drop(e, node_at(e, node)->first_reservation);
    }
}

sked_status skedi_reservation_expire(sked_engine *e, sked_time now)
{
    while (e->first_reservation != SKEDI_NONE) {
        if (reservation_at(e, e->first_reservation)->until > now) break;
        if (!skedi_out_reserve(e, 1)) return SKED_ERR_NOMEM;
        e->now = skedi_i64_max(e->now,
                               reservation_at(e, e->first_reservation)->until);
        skedi_reservation_void(e, e->first_reservation);
    }
    return SKED_OK;
}
