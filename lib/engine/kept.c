/*
 * Room kept is taken from what a node has free, which may leave it with less
 * than nothing while the victims still run: so nobody else takes it, and the
 * walk needs to know nothing of it. It is on two lists: its node's, in the
 * order of keeping, and that of all, in the order of their ends.
 */
#include "engine/kept.h"

#include "engine/books.h"
#include "engine/groups.h"
#include "engine/out.h"
#include "engine/pool.h"
#include "engine/refusal.h"
#include "engine/rounds.h"
#include "engine/seats.h"

int skedi_kept_room(sked_engine *e, uint64_t more)
{
    return skedi_pool_room(&e->kept, &e->hooks.mem, more);
}

/* What is kept for so many tasks, of one kind. A gang needs the room of the
 * whole, also when a part of it has ended and the rest is to start anew. */
static int64_t kept_amount(const sked_engine *e, const engine_kept *kept,
                           uint32_t kind, int64_t count)
{
    const engine_ask *a = ask_at(e, kept->ask);
    int gang = (a->flags & SKED_ASK_GANG) != 0;
    int64_t steps = gang ? (count > 0) - (count < 0) : count;

    return engine_row_of(e, &e->shape_step, a->shape)[kind] * steps;
}

int64_t skedi_kept_amount(const sked_engine *e, uint32_t kept, uint32_t kind)
{
    return kept_amount(e, kept_at(e, kept), kind, kept_at(e, kept)->count);
}

int64_t skedi_kept_paid(const sked_engine *e, uint32_t kept, uint32_t kind)
{
    return kept_amount(e, kept_at(e, kept), kind, kept_at(e, kept)->paid);
}

int64_t skedi_kept_of(const sked_engine *e, uint32_t node, uint32_t kind)
{
    int64_t sum = 0;

    for (uint32_t i = node_at(e, node)->first_kept; i != SKEDI_NONE;
         i = kept_at(e, i)->next) {
        const engine_kept *k = kept_at(e, i);
        sum += kept_amount(e, k, kind, k->count);
    }
    return sum;
}

/* Reserves head room for so many tasks, or gives it back. */
static void reserve_head_room(sked_engine *e, const engine_kept *kept,
                              int64_t count)
{
    int64_t delta[SKED_MAX_KINDS];
    uint32_t row = job_at(e, ask_at(e, kept->ask)->job)->row;

    for (uint32_t k = 0; k < e->kinds; k++) {
        delta[k] = kept_amount(e, kept, k, count);
    }
    skedi_books_reserve(e, row, node_at(e, kept->node)->partition, delta);
}

/* Takes what so many tasks need from what its node has free, or gives it
 * back. */
static void book_on_node(sked_engine *e, const engine_kept *kept, int64_t count)
{
    int64_t *free = engine_row_of(e, &e->node_free, kept->node);

    for (uint32_t k = 0; k < e->kinds; k++) {
        free[k] -= kept_amount(e, kept, k, count);
    }
    skedi_node_moved(e, kept->node);
}

/* The same in head room too. */
static void book_kept(sked_engine *e, const engine_kept *kept, int64_t count)
{
    if (count == 0) return;
    book_on_node(e, kept, count);
    reserve_head_room(e, kept, count);
}

/* Last of all: ends follow the time of keeping, which never runs back. */
static void list_end(sked_engine *e, uint32_t kept)
{
    engine_kept *k = kept_at(e, kept);

    k->sooner = e->last_kept;
    k->later = SKEDI_NONE;
    if (e->last_kept == SKEDI_NONE)
        e->first_kept = kept;
    else
        kept_at(e, e->last_kept)->later = kept;
    e->last_kept = kept;
}

static void unlist_end(sked_engine *e, uint32_t kept)
{
    const engine_kept *k = kept_at(e, kept);

    if (k->sooner == SKEDI_NONE)
        e->first_kept = k->later;
    else
        kept_at(e, k->sooner)->later = k->later;
    if (k->later == SKEDI_NONE)
        e->last_kept = k->sooner;
    else
        kept_at(e, k->later)->sooner = k->sooner;
}

/* Last on its node. */
static void list_on_node(sked_engine *e, uint32_t kept)
{
    uint32_t *at = &node_at(e, kept_at(e, kept)->node)->first_kept;

    while (*at != SKEDI_NONE) at = &kept_at(e, *at)->next;
    *at = kept;
    kept_at(e, kept)->next = SKEDI_NONE;
}

static void unlist_on_node(sked_engine *e, uint32_t kept)
{
    uint32_t *at = &node_at(e, kept_at(e, kept)->node)->first_kept;

    while (*at != kept) at = &kept_at(e, *at)->next;
    *at = kept_at(e, kept)->next;
}

/* So many tasks whose room was made are no longer waited for. */
static void made_less(engine_kept *kept, uint32_t count)
{
    kept->made -= count < kept->made ? count : kept->made;
}

static uint32_t seat_of_kept(const sked_engine *e, const engine_kept *kept)
{
    return skedi_seat_of_ask(e, kept->ask, node_at(e, kept->node)->partition);
}

/* Counts so many tasks more as the user's, or fewer: then it may start others,
 * and the ask elsewhere. */
static void count_paid(sked_engine *e, const engine_kept *kept, int64_t by)
{
    uint32_t seat = seat_of_kept(e, kept);

    ask_at(e, kept->ask)->paid += by;
    for (uint32_t k = 0; seat != SKEDI_NONE && k < e->kinds; k++) {
        engine_row_of(e, &e->seat_paid, seat)[k] += kept_amount(e, kept, k, by);
    }
    if (by >= 0) return;
    if (seat != SKEDI_NONE) skedi_seats_wake(e, seat_at(e, seat)->cell);
    for (uint32_t x = ask_at(e, kept->ask)->first_entry; x != SKEDI_NONE;
         x = entry_at(e, x)->next) {
        skedi_partition_stir(e, entry_at(e, x)->cell % e->parts);
    }
}

void skedi_kept_pay(sked_engine *e, uint32_t kept, uint32_t tasks)
{
    engine_kept *k = kept_at(e, kept);
    int64_t by = (int64_t)tasks - k->paid;

    k->paid = tasks;
    if (by != 0) count_paid(e, k, by);
}

/* What one holds in the books of its queues and its user, once more or not. */
static void book_above(sked_engine *e, uint32_t kept, int by)
{
    const engine_kept *k = kept_at(e, kept);

    if (e->shared) reserve_head_room(e, k, by * (int64_t)k->count);
    count_paid(e, k, by * (int64_t)k->paid);
}

void skedi_kept_rebook(sked_engine *e, uint32_t kept)
{
    const engine_kept *k = kept_at(e, kept);

    ask_at(e, k->ask)->paid -= k->paid; /* asks stay as they are */
    book_above(e, kept, 1);
}

void skedi_kept_of_job(sked_engine *e, uint32_t job, int by)
{
    for (uint32_t i = e->first_kept; i != SKEDI_NONE;
         i = kept_at(e, i)->later) {
        if (ask_at(e, kept_at(e, i)->ask)->job == job) book_above(e, i, by);
    }
}

void skedi_kept_renew(sked_engine *e, uint32_t kept, sked_time until)
{
    unlist_end(e, kept);
    kept_at(e, kept)->until = until;
    list_end(e, kept);
}

static void decide_kept(sked_engine *e, uint32_t kept, int32_t what,
                        int32_t reason)
{
    const engine_kept *k = kept_at(e, kept);
    sked_decision d = skedi_out_about(e, k->ask, k->node);

    d.kind = what;
    d.reason = reason;
    d.count = k->count;
    d.detail = k->until;
    (void)skedi_out_add(e, d);
}

void skedi_kept_add(sked_engine *e, uint32_t ask, uint32_t node, uint32_t count,
                    sked_time until)
{
    uint32_t kept = skedi_pool_take(&e->kept);

    *kept_at(e, kept) = (engine_kept){
        .until = until,
        .ask = ask,
        .node = node,
        .count = count,
        .makers = SKEDI_NONE,
    };
    ask_at(e, ask)->kept = 1;
    list_on_node(e, kept);
    list_end(e, kept);
    book_kept(e, kept_at(e, kept), count);
    node_at(e, node)->seen = 0;
    decide_kept(e, kept, SKED_DECISION_RESERVE, SKED_REASON_PREEMPTED);
}

void skedi_kept_drop(sked_engine *e, uint32_t kept)
{
    engine_kept *k = kept_at(e, kept);
    uint32_t ask = k->ask;
    uint8_t more = 0;

    skedi_kept_pay(e, kept, 0);
    book_kept(e, k, -(int64_t)k->count);
    node_at(e, k->node)->seen = 0; /* others may have the room */
    unlist_on_node(e, kept);
    unlist_end(e, kept);
    skedi_pool_give(&e->kept, kept);
    for (uint32_t i = e->first_kept; !more && i != SKEDI_NONE;
         i = kept_at(e, i)->later) {
        more = kept_at(e, i)->ask == ask;
    }
    ask_at(e, ask)->kept = more;
}

void skedi_kept_void(sked_engine *e, uint32_t kept)
{
    decide_kept(e, kept, SKED_DECISION_WITHDRAW, SKED_REASON_NEED_GONE);
    skedi_kept_drop(e, kept);
}

/* Leaves so many tasks of one. */
static void leave_tasks(sked_engine *e, uint32_t kept, uint32_t count)
{
    engine_kept *k = kept_at(e, kept);
    int gang = (ask_at(e, k->ask)->flags & SKED_ASK_GANG) != 0;

    if (count == k->count) return;
    if (count == 0 || gang) {
        skedi_kept_drop(e, kept);
        return;
    }
    book_kept(e, k, (int64_t)count - k->count);
    made_less(k, k->count - count);
    k->count = count;
    node_at(e, k->node)->seen = 0;
}

void skedi_kept_trim(sked_engine *e, uint32_t ask)
{
    const engine_ask *a = ask_at(e, ask);
    int64_t paid = skedi_i64_min(a->paid, a->open), other = a->open - paid;

    for (uint32_t i = e->first_kept, next; i != SKEDI_NONE; i = next) {
        engine_kept *k = kept_at(e, i);
        next = k->later;
        if (k->ask != ask) continue;
        int64_t first = skedi_i64_min(k->paid, paid);
        int64_t more = skedi_i64_min((int64_t)k->count - k->paid, other);
        paid -= first;
        other -= more;
        if (first < k->paid) skedi_kept_pay(e, i, (uint32_t)first);
        leave_tasks(e, i, (uint32_t)(first + more));
    }
}

void skedi_kept_clear(sked_engine *e, uint32_t node)
{
    while (node_at(e, node)->first_kept != SKEDI_NONE) {
        skedi_kept_drop(e, node_at(e, node)->first_kept);
    }
}

sked_status skedi_kept_expire(sked_engine *e, sked_time now)
{
    while (e->first_kept != SKEDI_NONE) {
        if (kept_at(e, e->first_kept)->until > now) break;
        if (!skedi_out_room(e, 1)) return SKED_ERR_NOMEM;
        e->now = skedi_i64_max(e->now, kept_at(e, e->first_kept)->until);
        skedi_kept_void(e, e->first_kept);
    }
    return SKED_OK;
}

/* ---- Serving ---- */

/* Gives back the head room of all reservations, or takes it again. What is
 * served has to fit what is really held: other plans may still wait for their
 * victims, and would wait for each other. What is not paid for leaves others
 * what is. */
static void book_head_room(sked_engine *e, uint32_t kept, int by)
{
    int leaves = kept_at(e, kept)->paid == 0;

    for (uint32_t i = e->first_kept; e->shared && i != SKEDI_NONE;
         i = kept_at(e, i)->later) {
        const engine_kept *k = kept_at(e, i);
        int64_t count = (int64_t)k->count - (leaves ? k->paid : 0);
        reserve_head_room(e, k, by * count);
    }
}

/* May a reservation be used now? What is paid for waits for no other node, and
 * its user's bound, which moves with what others hold, was asked at the
 * kill. */
static int may_serve(sked_engine *e, uint32_t kept)
{
    const engine_kept *k = kept_at(e, kept);
    uint32_t leaf = job_at(e, ask_at(e, k->ask)->job)->row, row;
    uint32_t partition = node_at(e, k->node)->partition;
    int bounded = e->cells[cell_of(e, leaf, partition)].hemmed;

    if (bounded) book_head_room(e, kept, -1);
    int32_t reason = skedi_ask_refusal(e, k->ask, k->node, &row);
    if (bounded) book_head_room(e, kept, 1);
    if (reason == SKED_REASON_ORDER) return 1;
    if (k->paid == 0 || !skedi_place_may(e, k->ask, k->node)) return 0;
    return reason == SKED_REASON_LOCALITY || reason == SKED_REASON_USER_LIMIT;
}

/* Starts what it can of one, whose room is given back for the time being. */
static sked_status serve_one(sked_engine *e, uint32_t kept, uint64_t last,
                             uint64_t *started)
{
    uint32_t most = e->opts.max_per_pass;

    for (;;) {
        const engine_kept *k = kept_at(e, kept);
        const engine_ask *a = ask_at(e, k->ask);
        uint32_t step = a->flags & SKED_ASK_GANG ? (uint32_t)a->open : 1;
        if (a->first_entry == SKEDI_NONE) return SKED_OK;
        if (e->rows.closed[job_at(e, a->job)->row]) return SKED_OK;
        if (k->count < step || (most && *started >= most)) return SKED_OK;
        if (!may_serve(e, kept)) {
            return skedi_lazy_serve(e, kept, last);
        }
        if (skedi_out_full(e) || last == e->stats.decisions) {
            return SKED_STOPPED;
        }
        if (!skedi_pool_room(&e->groups, &e->hooks.mem, 1) ||
            !skedi_out_room(e, 1)) {
            return SKED_ERR_NOMEM;
        }
        ++*started;
        reserve_head_room(e, k, -(int64_t)step);
        kept_at(e, kept)->count -= step;
        made_less(kept_at(e, kept), step);
        skedi_kept_pay(e, kept, k->paid - (step < k->paid ? step : k->paid));
        skedi_group_start(e, k->ask, seat_of_kept(e, k), k->node, step);
        skedi_out_last(e)->reason = SKED_REASON_HELD;
    }
}

/* So many tasks' room for each of a node, taken or given back. */
static void book_all(sked_engine *e, uint32_t node, int by)
{
    for (uint32_t i = node_at(e, node)->first_kept; i != SKEDI_NONE;
         i = kept_at(e, i)->next) {
        book_on_node(e, kept_at(e, i), by * (int64_t)kept_at(e, i)->count);
    }
}

/* What others were told to end for is served before the rest. */
static void put_paid_first(sked_engine *e, uint32_t node)
{
    uint32_t *front = &node_at(e, node)->first_kept, *at = front;

    while (*at != SKEDI_NONE) {
        uint32_t i = *at;
        engine_kept *k = kept_at(e, i);
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

sked_status skedi_kept_serve(sked_engine *e, uint32_t node, uint64_t last,
                             uint64_t *started)
{
    sked_status rc = SKED_OK;
    uint32_t i, next;
    int lazy = e->preempt && e->preempt->lazy;

    put_paid_first(e, node);
    i = node_at(e, node)->first_kept;
    book_all(e, node, -1);
    for (; i != SKEDI_NONE && rc == SKED_OK; i = next) {
        rc = serve_one(e, i, last, started);
        next = kept_at(e, i)->next;
        /* One that still waits for its victims keeps no other from what is free
         * by now: once all victims have ended there is enough for all. Lazy
         * rounds end none before what they are for could start. */
        if (lazy) book_on_node(e, kept_at(e, i), kept_at(e, i)->count);
    }
    if (!lazy) book_all(e, node, 1);
    for (; lazy && i != SKEDI_NONE; i = kept_at(e, i)->next) {
        book_on_node(e, kept_at(e, i), kept_at(e, i)->count);
    }
    for (i = node_at(e, node)->first_kept; i != SKEDI_NONE; i = next) {
        next = kept_at(e, i)->next;
        if (kept_at(e, i)->count == 0) skedi_kept_drop(e, i);
    }
    skedi_out_close(e); /* what follows is not by what was kept */
    return rc;
}
