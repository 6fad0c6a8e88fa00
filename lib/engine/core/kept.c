/*
 * Room kept is taken from what a node has free, which may leave it with less
 * than nothing while the victims still run: so no other step takes it, and the
 * walk needs to know nothing of it. It is on two lists: its node's, in the
 * order of keeping, and that of all, in the order of their ends.
 */
#include "engine/core/kept.h"

#include "engine/core/out.h"
#include "engine/order/books.h"
#include "engine/order/seats.h"
#include "engine/pool.h"
#include "engine/watch.h"

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

void skedi_kept_in_queues(sked_engine *e, const engine_kept *kept,
                          int64_t count)
{
    int64_t delta[SKED_MAX_KINDS];
    uint32_t row = job_at(e, ask_at(e, kept->ask)->job)->row;

    for (uint32_t k = 0; k < e->kinds; k++) {
        delta[k] = kept_amount(e, kept, k, count);
    }
    skedi_books_reserve(e, row, node_at(e, kept->node)->partition, delta);
}

void skedi_kept_on_node(sked_engine *e, const engine_kept *kept, int64_t count)
{
    int64_t *free = engine_row_of(e, &e->node_free, kept->node);

    for (uint32_t k = 0; k < e->kinds; k++) {
        free[k] -= kept_amount(e, kept, k, count);
    }
    skedi_watch_node(e, kept->node);
}

/* The same in head room too. */
static void book_kept(sked_engine *e, const engine_kept *kept, int64_t count)
{
    if (count == 0) return;
    skedi_kept_on_node(e, kept, count);
    skedi_kept_in_queues(e, kept, count);
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

uint32_t skedi_kept_seat(const sked_engine *e, const engine_kept *kept)
{
    return skedi_seat_of_ask(e, kept->ask, node_at(e, kept->node)->partition);
}

/* Counts so many tasks more as the user's, or fewer: then it may start others,
 * and the ask elsewhere. */
static void count_paid(sked_engine *e, const engine_kept *kept, int64_t by)
{
    uint32_t seat = skedi_kept_seat(e, kept);

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

    if (e->shared) skedi_kept_in_queues(e, k, by * (int64_t)k->count);
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

void skedi_kept_use(sked_engine *e, uint32_t kept, uint32_t tasks)
{
    engine_kept *k = kept_at(e, kept);

    skedi_kept_in_queues(e, k, -(int64_t)tasks);
    k->count -= tasks;
    made_less(k, tasks);
    skedi_kept_pay(e, kept, k->paid - (tasks < k->paid ? tasks : k->paid));
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
