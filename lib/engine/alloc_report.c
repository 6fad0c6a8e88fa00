/*
 * Reports of the host about tasks: confirmed, saved, ended, released, adopted,
 * resized.
 *
 * Adopted and resized tasks are charged beyond every limit. The engine rejects
 * an event only if the engine cannot represent the result.
 *
 * A released task is over for its job, user and queues, but holds its node
 * until the host reports its end. A record of completing tasks (`remains`)
 * keeps the count for each group.
 *
 * Invariant: a record carries its own amounts, because the group and the ask
 * may be gone.
 */

#include "base/fail.h"
#include "engine/alloc.h"
#include "engine/budget.h"
#include "engine/columns.h"
#include "engine/decision.h"
#include "engine/domains.h"
#include "engine/exclusion.h"
#include "engine/exclusive.h"
#include "engine/nodes.h"
#include "engine/wants.h"
#include "engine/pace.h"
#include "engine/pending.h"
#include "engine/queue.h"
#include "engine/reservation.h"
#include "engine/store.h"
#include "engine/watch.h"
#include "engine/work.h"

/*
 * Completing tasks. A map finds the record of a group by the group's name. Each
 * node links the records of its completing tasks in a list.
 */

int skedi_remains_reserve(sked_engine *e, uint64_t more)
{
    return skedi_pool_reserve(&e->remains, &e->hooks.mem, more) &&
           skedi_amounts_reserve(e, &e->remains_task, &e->remains) &&
           skedi_keymap_reserve(&e->remains_of, &e->hooks.mem,
                                e->remains_of.n + (size_t)more);
}

static uint32_t alloc_find_remains(const sked_engine *e, uint64_t name)
{
    return e->remains.live ? skedi_keymap_get(&e->remains_of, name)
                           : SKEDI_NONE;
}

uint32_t skedi_remains_of(const sked_engine *e, uint64_t name)
{
    uint32_t at = alloc_find_remains(e, name);

    return at == SKEDI_NONE ? 0 : remains_at(e, at)->count;
}

/* Returns the record of a group. Makes an empty record if the group has none. */
static uint32_t alloc_take_remains(sked_engine *e, uint32_t group)
{
    uint64_t name = skedi_group_name(e, group);
    const engine_group *g = group_at(e, group);
    uint32_t at = alloc_find_remains(e, name);
    engine_node *n = node_at(e, g->node);

    if (at != SKEDI_NONE) return at;
    at = skedi_pool_take(&e->remains);
    *remains_at(e, at) = (engine_remains){
        .group = name,
        .arrival = ask_at(e, g->ask)->arrival,
        .node = g->node,
        .hold = g->hold == HOLD_EACH ? HOLD_EACH : HOLD_NOTHING,
        .alone = skedi_ask_is_exclusive(ask_at(e, g->ask)) != 0,
        .next = n->first_remains,
    };
    n->first_remains = at;
    for (uint32_t k = 0; k < e->kinds; k++) {
        int64_t held = kind_is_pooled(e, k) ? 0 : skedi_group_task(e, g)[k];
        engine_row_of(e, &e->remains_task, at)[k] = held;
    }
    skedi_keymap_put(&e->remains_of, name, at);
    return at;
}

static void alloc_drop_remains(sked_engine *e, uint32_t at)
{
    uint32_t *link = &node_at(e, remains_at(e, at)->node)->first_remains;

    while (*link != at) link = &remains_at(e, *link)->next;
    *link = remains_at(e, at)->next;
    skedi_keymap_remove(&e->remains_of, remains_at(e, at)->group);
    skedi_pool_give(&e->remains, at);
}

/* Charges `times` times `task` to a node for completing tasks. A negative number
 * frees the amounts. */
static void alloc_book_released(sked_engine *e, uint32_t node,
                                const int64_t *task, int64_t times)
{
    int64_t *free = engine_row_of(e, &e->node_free, node);

    for (uint32_t k = 0; k < e->kinds; k++) {
        free[k] -= task[k] * times;
        e->released[k] += task[k] * times;
    }
}

/* Charges `count` completing tasks of a record to their node. The charge of a
 * whole-node unit is kept in exclusive.c. */
static void alloc_book_remains(sked_engine *e, uint32_t at, int64_t count)
{
    if (remains_at(e, at)->hold != HOLD_EACH) return;
    uint32_t node = remains_at(e, at)->node;

    alloc_book_released(e, node, engine_row_of(e, &e->remains_task, at), count);
    skedi_watch_node(e, node);
    skedi_node_touch(e, node);
}

/* Releases the last `count` tasks of a group: from now on only the node is
 * charged. Memory for one record was reserved. */
static void alloc_remains_add(sked_engine *e, uint32_t group, uint32_t count)
{
    uint32_t at = alloc_take_remains(e, group);

    remains_at(e, at)->count += count;
    alloc_book_remains(e, at, count);
    skedi_group_end(e, group, count, GROUP_RELEASED);
}

/* The node has ended `count` completing tasks of the group with this name. */
static void alloc_remains_end(sked_engine *e, uint64_t name, uint32_t count)
{
    uint32_t at = alloc_find_remains(e, name);
    engine_node *node = node_at(e, remains_at(e, at)->node);

    alloc_book_remains(e, at, -(int64_t)count);
    node->epoch = ++e->epochs;
    node->seen = 0;
    remains_at(e, at)->count -= count;
    if (remains_at(e, at)->count > 0) return;
    skedi_bunch_gone(e, at);
    alloc_drop_remains(e, at);
}

/* The number of times that completing tasks hold the amounts of the record. */
static int64_t alloc_remains_times(const engine_remains *r)
{
    return r->hold == HOLD_EACH ? r->count : r->hold == HOLD_ONCE;
}

/* The capacity of a node has changed: exclusive tasks that are completing hold
 * the whole new capacity. */
static void alloc_remains_follow(sked_engine *e, uint32_t node)
{
    const int64_t *own = engine_row_of(e, &e->node_capacity, node);

    for (uint32_t i = node_at(e, node)->first_remains; i != SKEDI_NONE;
         i = remains_at(e, i)->next) {
        int64_t *task = engine_row_of(e, &e->remains_task, i);
        int64_t times = alloc_remains_times(remains_at(e, i));
        if (!remains_at(e, i)->alone) continue;
        alloc_book_released(e, node, task, -times);
        for (uint32_t k = 0; k < e->kinds; k++) {
            if (!kind_is_pooled(e, k)) task[k] = own[k];
        }
        alloc_book_released(e, node, task, times);
    }
    skedi_watch_node(e, node);
    skedi_node_touch(e, node);
}

/* The number of times that exclusive completing tasks hold the whole node. */
static int64_t alloc_remains_alone(const sked_engine *e, uint32_t node)
{
    int64_t n = 0;

    for (uint32_t i = node_at(e, node)->first_remains; i != SKEDI_NONE;
         i = remains_at(e, i)->next) {
        if (remains_at(e, i)->alone) n += alloc_remains_times(remains_at(e, i));
    }
    return n;
}

void skedi_remains_drop(sked_engine *e, uint32_t node)
{
    while (node_at(e, node)->first_remains != SKEDI_NONE) {
        uint32_t at = node_at(e, node)->first_remains;
        alloc_book_released(e, node, engine_row_of(e, &e->remains_task, at),
                            -alloc_remains_times(remains_at(e, at)));
        alloc_drop_remains(e, at);
    }
}

void skedi_remains_sum(const sked_engine *e, uint32_t node, int64_t *amounts)
{
    for (uint32_t i = node_at(e, node)->first_remains; i != SKEDI_NONE;
         i = remains_at(e, i)->next) {
        const int64_t *task = engine_row_of(e, &e->remains_task, i);
        int64_t times = alloc_remains_times(remains_at(e, i));
        for (uint32_t k = 0; k < e->kinds; k++) amounts[k] += task[k] * times;
    }
}

/* The largest possible usage, skedi_most_held(). The engine checks this sum
 * before a node joins or changes, before tasks are adopted or resized, and
 * before a node with exclusive tasks grows. */

/* The sum of two numbers, at most SKED_AMOUNT_MAX + 1. */
static int64_t alloc_amount_or_more(int64_t sum, int64_t more)
{
    return more > SKED_AMOUNT_MAX - sum ? SKED_AMOUNT_MAX + 1 : sum + more;
}

int64_t skedi_most_held(const sked_engine *e, uint32_t kind, int64_t held,
                        uint32_t node, int64_t free)
{
    int64_t sum = alloc_amount_or_more(skedi_all_held(e, kind), held);

    for (uint32_t n = e->first_node; n != SKEDI_NONE; n = node_at(e, n)->next) {
        int64_t here = engine_row_of(e, &e->node_free, n)[kind] +
                       skedi_reservation_of(e, n, kind);
        if (n == node) here += free;
        if (here > 0) sum = alloc_amount_or_more(sum, here);
    }
    return node == SKEDI_NONE ? alloc_amount_or_more(sum, free) : sum;
}

/*
 * Adoption: the host reports tasks that run already. The engine was restarted
 * beside a running cluster, or the host started the tasks by itself. The tasks
 * are charged beyond every limit. The engine rejects only reports that no state
 * can represent:
 *   - a key is unknown,
 *   - a task number is not pending,
 *   - the report names only a part of a gang,
 *   - a time, a count or a sum of amounts is out of range.
 */

/* The tasks of one report, looked up and checked. */
typedef struct adoption {
    uint32_t node;
    uint32_t ask;
    uint32_t job;
    sked_time since;
    const int64_t *task; /* amounts of one task */
    int own;             /* 1: the tasks get a profile of their own */
    uint32_t hold;       /* HOLD_*: how tasks hold their amounts */
    int64_t all[SKED_MAX_KINDS];
    engine_claim claim;
} adoption;

static sked_status alloc_check_times(const sked_engine *e, sked_time *since,
                                     sked_error *err)
{
    if (*since == SKED_UNSET) *since = e->now;
    int late = *since > e->now;
    if (!late &&
        (uint64_t)e->now - (uint64_t)*since <= (uint64_t)SKED_TIME_JUMP_MAX) {
        return SKED_OK;
    }
    return skedi_fail(err, SKED_ERR_RANGE,
                      late ? "begins later than now" : "began too long ago",
                      (skedi_fault){.got = *since, .limit = e->now});
}

/* True if the usage of each kind stays an amount, now and whatever starts later,
 * after `count` tasks on a node hold `task` each instead of `less`. The test
 * first adds the capacity of all partitions. If this sum is too large, the test
 * visits all nodes. */
static int alloc_more_are_amounts(const sked_engine *e, uint32_t node,
                                  const int64_t *task, const int64_t *less,
                                  int64_t count, sked_error *err)
{
    for (uint32_t k = 0; k < e->kinds; k++) {
        int pooled = kind_is_pooled(e, k);
        int64_t all = 0, most = SKED_AMOUNT_MAX, more;
        most -= pooled ? skedi_row_used(e, 0, k) : skedi_all_held(e, k);
        for (uint32_t p = 0; p < e->parts; p++) {
            all += e->capacity[(size_t)p * e->kinds + k];
        }
        if (task[k] <= less[k] || count == 0) continue;
        if (skedi_i64_mul(task[k] - less[k], count, &more) && more <= most) {
            if (all <= most - more) continue;
            if (!pooled &&
                skedi_most_held(e, k, more, node, -more) <= SKED_AMOUNT_MAX) {
                continue;
            }
        }
        (void)skedi_fail(err, SKED_ERR_RANGE, "tasks are out of range together",
                         (skedi_fault){.got = task[k],
                                       .limit = most,
                                       .kind = (int32_t)k + 1});
        return 0;
    }
    return 1;
}

static sked_status alloc_check_claim(const sked_engine *e, adoption *in,
                                     const sked_event *event, int64_t task,
                                     sked_error *err)
{
    const engine_ask *a = ask_at(e, in->ask);

    if (event->count < 1 || event->count > INT32_MAX) {
        return skedi_fail(
            err, SKED_ERR_RANGE, "count is out of range",
            (skedi_fault){.got = event->count, .limit = INT32_MAX});
    }
    if (task != SKED_UNSET && (task < 0 || task > SKED_AMOUNT_MAX)) {
        return skedi_fail(err, SKED_ERR_RANGE,
                          "number of a task is out of range",
                          (skedi_fault){.got = task, .limit = SKED_AMOUNT_MAX});
    }
    if (skedi_ask_is_whole(a) && event->count != a->open) {
        return skedi_fail(err, SKED_ERR_STATE, "a gang runs as a whole",
                          (skedi_fault){.got = event->count, .limit = a->open});
    }
    if (!skedi_ask_claims(e, in->ask, task, event->count, &in->claim)) {
        return skedi_fail(err, SKED_ERR_STATE, "these tasks are not open",
                          (skedi_fault){.got = task});
    }
    return SKED_OK;
}

/* An exclusive task holds the whole node, and the event must name no amount.
 * One event adopts one exclusive task, or several tasks of one whole-node unit.
 * Returns SKED_OK, SKED_ERR_STATE or SKED_ERR_RANGE. */
static sked_status alloc_check_exclusive(const adoption *in,
                                         const sked_event *event,
                                         sked_error *err)
{
    if (event->amount > 0) {
        return skedi_fail_plain(err, SKED_ERR_STATE,
                                "the task holds all of its node");
    }
    if (event->count == 1 || in->hold != HOLD_EACH) return SKED_OK;
    return skedi_fail(err, SKED_ERR_RANGE, "count is out of range",
                      (skedi_fault){.got = event->count, .limit = 1});
}

/* The number of times that `count` adopted tasks hold the amounts. */
static int64_t alloc_adoption_times(const adoption *in, int64_t count)
{
    return in->hold == HOLD_EACH ? count : in->hold == HOLD_ONCE;
}

static sked_status alloc_look_up(const sked_engine *e, const sked_events *batch,
                                 const sked_event *event, adoption *in,
                                 sked_error *err)
{
    in->node = skedi_keymap_get(&e->node_of, event->key);
    if (in->node == SKEDI_NONE) {
        return skedi_fail_plain(err, SKED_ERR_NOT_FOUND, "no such node");
    }
    in->ask = skedi_ask_find(e, event->owner, err);
    if (in->ask == SKEDI_NONE) return SKED_ERR_NOT_FOUND;
    const engine_ask *a = ask_at(e, in->ask);
    in->job = a->job;
    in->since = skedi_event_moment(batch, event);
    sked_status rc = alloc_check_times(e, &in->since, err);
    if (rc == SKED_OK) {
        rc = alloc_check_claim(e, in, event, skedi_event_task(batch, event),
                               err);
    }
    if (rc != SKED_OK) return rc;
    static const int64_t none[SKED_MAX_KINDS];
    in->task = engine_row_of(e, &e->shape_task, a->shape);
    in->own = event->amount > 0 || skedi_ask_is_exclusive(a);
    in->hold = skedi_bunch_hold(e, in->ask, in->node);
    if (skedi_ask_is_exclusive(a)) {
        rc = alloc_check_exclusive(in, event, err);
        skedi_exclusive_amount(e, in->ask, in->node, in->all);
        in->task = in->all;
    } else if (in->own) {
        rc = skedi_event_amounts(e, batch, event, &in->task, err);
    }
    if (rc != SKED_OK) return rc;
    int64_t times = alloc_adoption_times(in, event->count);
    const engine_more more = {
        .asked = engine_row_of(e, &e->shape_task, a->shape),
        .tasks = event->count,
        .taken = in->claim.taken,
        .held = in->task,
        .times = times,
        .job = a->job,
        .group = SKEDI_NONE,
    };
    int ok = skedi_more_is_amount(e, &more, err);
    /* Completing tasks of the same whole-node unit are charged for the node
     * already. The adopted tasks take over this charge. */
    if (in->hold == HOLD_ONCE && skedi_bunch_is_left(e, in->ask, in->node)) {
        times = 0;
    }
    ok = ok && alloc_more_are_amounts(e, in->node, in->task, none, times, err);
    return ok ? SKED_OK : SKED_ERR_RANGE;
}

static int alloc_adopt_reserve(sked_engine *e, const adoption *in)
{
    skedi_mem *mem = &e->hooks.mem;
    uint64_t entries = 0;

    if (job_at(e, in->job)->state == JOB_WAITING &&
        !skedi_entries_reserve_of(e, in->job, job_at(e, in->job)->row,
                                  &entries)) {
        return 0;
    }
    return skedi_entry_rows_reserve(e, entries) &&
           skedi_wants_reserve(e, entries + 1 + e->parts) &&
           skedi_out_reserve(e, 2) && skedi_pool_reserve(&e->groups, mem, 1) &&
           skedi_work_reserve(e, in->ask, in->node) &&
           skedi_ranges_reserve(e, 1) && skedi_shape_reserve(e, 2) &&
           (!e->rows.by_user[job_at(e, in->job)->row] ||
            skedi_account_reserve(e, entries + 1));
}

/* True if an ask is on a pending list of this partition. */
static int alloc_stands_in(const sked_engine *e, uint32_t ask,
                           uint32_t partition)
{
    uint32_t x = ask_at(e, ask)->first_entry;

    while (x != SKEDI_NONE && entry_at(e, x)->cell % e->parts != partition) {
        x = entry_next(e, x);
    }
    return x != SKEDI_NONE;
}

sked_status skedi_task_running(sked_engine *e, const sked_events *batch,
                               const sked_event *event, sked_error *err)
{
    adoption in;
    sked_status rc = alloc_look_up(e, batch, event, &in, err);

    if (rc != SKED_OK) return rc;
    if (!alloc_adopt_reserve(e, &in)) {
        return skedi_fail_memory(err);
    }
    engine_job *job = job_at(e, in.job);
    uint32_t p = node_at(e, in.node)->partition;
    if (job->state == JOB_WAITING) {
        skedi_job_admit(e, in.job, SKED_REASON_ADOPTED);
    }
    /* Demand counts pending and running tasks. A task that was pending in this
     * partition and holds the asked amount is part of the demand already. */
    int64_t count = event->count, moved = alloc_adoption_times(&in, count);
    int here = !in.own && alloc_stands_in(e, in.ask, p);
    if (here) moved -= in.claim.taken;
    skedi_ask_claim(e, in.ask, &in.claim, count, here ? p : SKEDI_NONE);
    int gang = skedi_ask_is_whole(ask_at(e, in.ask));
    engine_group like = {
        .task = in.claim.task,
        .deadline_from = in.since,
        .count = (uint32_t)count,
        .ask = in.ask,
        .node = in.node,
        .shape = in.own ? skedi_shape_take(e, in.task, gang ? count : 1,
                                           SKEDI_NONE, (engine_gang){0})
                        : SKEDI_NONE,
        .hold = in.hold,
    };
    skedi_want_move(e, (uint32_t)cell_of(e, job->row, p),
                    skedi_group_shape(e, &like), moved);
    skedi_group_adopt(e, &like);
    skedi_ask_reform(e, in.ask);
    skedi_bans_see_rest(e, in.ask);
    return SKED_OK;
}

/* ---- Tasks that hold other amounts ---- */

/* True if the usage and the demand of a job stay amounts after each task of a
 * group holds `task`. */
static int alloc_job_stays_amount(const sked_engine *e, uint32_t group,
                                  const int64_t *task, sked_error *err)
{
    const engine_group *g = group_at(e, group);
    const engine_ask *a = ask_at(e, g->ask);
    const engine_more more = {
        .asked = engine_row_of(e, &e->shape_task, a->shape),
        .tasks = a->closed ? 0 : g->count,
        .held = task,
        .times = g->count,
        .job = a->job,
        .group = group,
    };

    return skedi_more_is_amount(e, &more, err);
}

sked_status skedi_task_resize(sked_engine *e, const sked_events *batch,
                              const sked_event *event, sked_error *err)
{
    uint32_t group = skedi_group_find(e, event->key);
    const int64_t *task;

    if (group == SKEDI_NONE) {
        return skedi_fail_plain(err, SKED_ERR_STALE, "no such group");
    }
    if (skedi_remains_of(e, event->key) > 0) {
        return skedi_fail_plain(err, SKED_ERR_STATE,
                                "tasks of the group were released");
    }
    if (skedi_ask_is_exclusive(ask_at(e, group_at(e, group)->ask))) {
        return skedi_fail_plain(err, SKED_ERR_STATE,
                                "the task holds all of its node");
    }
    sked_status rc = skedi_event_amounts(e, batch, event, &task, err);
    if (rc != SKED_OK) return rc;
    const engine_group *g = group_at(e, group);
    int ok = alloc_job_stays_amount(e, group, task, err) &&
             alloc_more_are_amounts(e, g->node, task, skedi_group_task(e, g),
                                    g->count, err);
    if (!ok) return SKED_ERR_RANGE;
    if (!skedi_shape_reserve(e, 1) || !skedi_wants_reserve(e, 1)) {
        return skedi_fail_memory(err);
    }
    skedi_group_resize(e, group, task);
    return SKED_OK;
}

/* ---- Tasks that are confirmed, saved, ended or described ---- */

/* True if `count` tasks of a group become pending again after an event of this
 * type ends the tasks. A gang on one node becomes pending only as a whole: the
 * event must end all tasks that are left in the group. */
static int alloc_comes_again(const sked_engine *e, uint32_t group, int32_t kind,
                             int64_t count)
{
    const engine_group *g = group_at(e, group);
    const engine_ask *a = ask_at(e, g->ask);
    const engine_job *job = job_at(e, a->job);

    if (kind == SKED_EVENT_TASK_FINISH || a->closed) return 0;
    if (kind == SKED_EVENT_TASK_FAIL && !(job->flags & SKED_JOB_RETRY)) {
        return 0;
    }
    if (kind == SKED_EVENT_TASK_KILLED && job->flags & SKED_JOB_ONCE &&
        !skedi_group_is_doomed(e, group)) {
        return 0;
    }
    return !skedi_ask_is_whole(a) || count == g->count;
}

/* The number of tasks of a group that an event of this type may end. TASK_KILLED
 * ends only tasks with a kill order. */
static int64_t alloc_tasks_to_end(const sked_engine *e, uint32_t group,
                                  int32_t kind)
{
    int killed = kind == SKED_EVENT_TASK_KILLED;

    if (killed && !skedi_group_is_doomed(e, group)) {
        return skedi_group_dying(e, group);
    }
    return group_at(e, group)->count;
}

/* True if the job must be admitted again (SKED_JOB_READMIT) after an event of
 * this type ends the job's last group. `again` is the result of
 * alloc_comes_again(). Killed tasks of a withdrawn ask do not become pending,
 * but the job is admitted again like any other. */
static int alloc_asks_admission(const sked_engine *e, uint32_t group,
                                int32_t kind, int again)
{
    const engine_ask *a = ask_at(e, group_at(e, group)->ask);
    const engine_job *job = job_at(e, a->job);
    int over = a->closed && !(job->flags & SKED_JOB_ONCE);

    return kind == SKED_EVENT_TASK_KILLED && job->flags & SKED_JOB_READMIT &&
           (again || over) && job->state == JOB_RUNNING &&
           !skedi_group_is_doomed(e, group);
}

/* Ends the last `count` tasks of a group. If the tasks become pending again,
 * memory was reserved. */
static void alloc_end_last(sked_engine *e, uint32_t group, int32_t kind,
                           int64_t count)
{
    int again = alloc_comes_again(e, group, kind, count);
    int anew = alloc_asks_admission(e, group, kind, again);
    uint32_t job = ask_at(e, group_at(e, group)->ask)->job;

    if (again) {
        int32_t reason = kind != SKED_EVENT_TASK_KILLED ? SKED_REASON_NONE
                         : skedi_group_is_doomed(e, group)
                             ? SKED_REASON_GANG
                             : SKED_REASON_PREEMPTED;
        skedi_group_decide(e, group, SKED_DECISION_REQUEUE, reason);
        sked_decision *d = skedi_out_last(e);
        d->task += d->count - count;
        d->count = count;
    }
    skedi_group_end(e, group, (uint32_t)count,
                    again ? GROUP_AGAIN : GROUP_OVER);
    if (anew && job_at(e, job)->groups == 0) skedi_job_readmit(e, job);
}

static sked_status alloc_fail_count(sked_error *err, const sked_event *event,
                                    int64_t left)
{
    return skedi_fail(err, SKED_ERR_RANGE,
                      event->kind == SKED_EVENT_TASK_KILLED
                          ? "not so many have kill orders"
                          : "the group has not so many",
                      (skedi_fault){.got = event->count, .limit = left});
}

static int alloc_readmit_reserve(sked_engine *e, uint32_t ask)
{
    const engine_job *job = job_at(e, ask_at(e, ask)->job);

    return !(job->flags & SKED_JOB_READMIT) ||
           skedi_wait_reserve(e, job->row, 1);
}

/* Reserves the memory to end `count` tasks of a group. Returns 0 if the
 * memory does not suffice. */
static int alloc_end_reserve(sked_engine *e, uint32_t group, int32_t kind,
                             int64_t count)
{
    uint32_t ask = group_at(e, group)->ask;
    int again = alloc_comes_again(e, group, kind, count);

    if (alloc_asks_admission(e, group, kind, again) &&
        !alloc_readmit_reserve(e, ask)) {
        return 0;
    }
    return !again || (skedi_ask_reserve(e, ask) && skedi_out_reserve(e, 1));
}

/* Ends completing tasks first, then the last tasks that are left. */
static sked_status alloc_end_tasks(sked_engine *e, uint32_t group,
                                   const sked_event *event, sked_error *err)
{
    int64_t released = skedi_remains_of(e, event->key), left = released;

    if (group != SKEDI_NONE) left += alloc_tasks_to_end(e, group, event->kind);
    if (event->count < 1 || event->count > left) {
        return alloc_fail_count(err, event, left);
    }
    released = skedi_i64_min(released, event->count);
    int64_t count = event->count - released;
    if (count > 0 && !alloc_end_reserve(e, group, event->kind, count)) {
        return skedi_fail_memory(err);
    }
    if (released > 0) alloc_remains_end(e, event->key, (uint32_t)released);
    if (count > 0) alloc_end_last(e, group, event->kind, count);
    return SKED_OK;
}

static sked_status alloc_release_tasks(sked_engine *e, uint32_t group,
                                       const sked_event *event, sked_error *err)
{
    int64_t left = group_at(e, group)->count;

    if (event->flags != 0) return skedi_fail_flags(err, "event");
    if (skedi_group_is_proposal(e, group)) {
        return skedi_fail_plain(err, SKED_ERR_STATE, "the group is a proposal");
    }
    if (event->count < 1 || event->count > left) {
        return alloc_fail_count(err, event, left);
    }
    if (!skedi_remains_reserve(e, 1)) return skedi_fail_memory(err);
    alloc_remains_add(e, group, (uint32_t)event->count);
    return SKED_OK;
}

/* ---- All groups of an ask ---- */

sked_status skedi_task_ask(const sked_engine *e, const sked_event *event,
                           uint32_t *ask, sked_error *err)
{
    *ask = skedi_keymap_get(&e->ask_of, event->key);
    if (*ask == SKEDI_NONE) {
        return skedi_fail_plain(err, SKED_ERR_NOT_FOUND, "no such ask");
    }
    if (event->count == 0) return SKED_OK;
    return skedi_fail(err, SKED_ERR_RANGE, "count is not 0",
                      (skedi_fault){.got = event->count});
}

/* The placement unit of a gang changes with each group that ends. The old
 * profile is freed as soon as the next profile exists: two are enough. */
int skedi_task_reserve(sked_engine *e, uint32_t ask)
{
    const engine_ask *a = ask_at(e, ask);
    uint64_t n = skedi_ask_groups(e, ask),
             gangs = a->flags & SKED_ASK_GANG ? n : 0;

    return skedi_ask_reserve(e, ask) && alloc_readmit_reserve(e, ask) &&
           skedi_ranges_reserve(e, n) &&
           (gangs == 0 || (skedi_shape_reserve(e, 2) &&
                           skedi_wants_reserve(e, (gangs + 2) * e->parts))) &&
           skedi_out_reserve(e, (size_t)n);
}

/* True if an event of this type concerns at least one group of an ask. */
static int alloc_says_of_any(const sked_engine *e, uint32_t ask, int32_t kind)
{
    for (uint32_t g = ask_at(e, ask)->first_group; g != SKEDI_NONE;
         g = group_at(e, g)->ask_next) {
        if (kind == SKED_EVENT_TASK_CONFIRM
                ? skedi_group_is_proposal(e, g)
                : alloc_tasks_to_end(e, g, kind) > 0) {
            return 1;
        }
    }
    return 0;
}

/* Applies one event to all groups of an ask (SKED_TASK_ALL). The newest group
 * comes first: the numbers of the tasks that become pending are adjacent. */
static sked_status
alloc_tell_each_group(sked_engine *e, const sked_event *event, sked_error *err)
{
    int32_t kind = event->kind;
    uint32_t ask, next;
    sked_status rc = skedi_task_ask(e, event, &ask, err);

    if (rc != SKED_OK) return rc;
    if (!alloc_says_of_any(e, ask, kind)) {
        return skedi_fail_plain(err, SKED_ERR_STATE,
                                "no group of the ask is concerned");
    }
    if (kind != SKED_EVENT_TASK_CONFIRM && !skedi_task_reserve(e, ask)) {
        return skedi_fail_memory(err);
    }
    for (uint32_t g = ask_at(e, ask)->first_group; g != SKEDI_NONE; g = next) {
        next = group_at(e, g)->ask_next;
        skedi_pace_work(e);
        if (kind != SKED_EVENT_TASK_CONFIRM) {
            int64_t count = alloc_tasks_to_end(e, g, kind);
            if (count > 0) alloc_end_last(e, g, kind, count);
        } else if (skedi_group_is_proposal(e, g)) {
            skedi_group_hold(e, g);
        }
    }
    return SKED_OK;
}

/* ---- One group ---- */

static sked_status alloc_save_work(sked_engine *e, uint32_t group,
                                   sked_error *err)
{
    if (!skedi_notice_reserve(e, 1)) {
        return skedi_fail_memory(err);
    }
    skedi_watch_end(e, group);
    skedi_notice_take(e, group)->saved = e->now;
    skedi_watch_begin(e, group); /* reads the record: stands last */
    return SKED_OK;
}

/* Checks the time of TASK_ENDS, or the count of TASK_COST. Returns SKED_OK or
 * SKED_ERR_RANGE. */
static sked_status alloc_check_said(const sked_engine *e,
                                    const sked_events *batch,
                                    const sked_event *event, sked_error *err)
{
    sked_time ends = skedi_event_moment(batch, event);

    if (event->kind == SKED_EVENT_TASK_ENDS && ends != SKED_UNSET &&
        ends < e->now) {
        return skedi_fail(err, SKED_ERR_RANGE, "the moment has passed",
                          (skedi_fault){.got = ends, .limit = e->now});
    }
    if (event->kind == SKED_EVENT_TASK_COST &&
        (event->count < -1 || event->count > INT32_MAX)) {
        return skedi_fail(
            err, SKED_ERR_RANGE, "count is out of range",
            (skedi_fault){.got = event->count, .limit = INT32_MAX});
    }
    return SKED_OK;
}

/* Records the end or the cost of one group. Memory was reserved. */
static void alloc_say_of(sked_engine *e, uint32_t group,
                         const sked_event *event, sked_time ends)
{
    if (event->kind == SKED_EVENT_TASK_ENDS) {
        skedi_notice_take(e, group)->ends = ends;
        return;
    }
    skedi_watch_end(e, group);
    skedi_notice_take(e, group)->cost = (int32_t)event->count;
    skedi_watch_begin(e, group);
}

/* Records the end or the cost of all groups of an ask on a node, except
 * proposals (SKED_TASK_ON_NODE). */
static sked_status alloc_say_on_node(sked_engine *e, const sked_event *event,
                                     sked_time ends, sked_error *err)
{
    uint32_t node = skedi_keymap_get(&e->node_of, event->key);
    uint32_t ask = skedi_keymap_get(&e->ask_of, event->owner);
    uint64_t n = 0;

    if (node == SKEDI_NONE || ask == SKEDI_NONE) {
        return skedi_fail_plain(err, SKED_ERR_NOT_FOUND,
                                node == SKEDI_NONE ? "no such node"
                                                   : "no such ask");
    }
    for (uint32_t g = ask_at(e, ask)->first_group; g != SKEDI_NONE;
         g = group_at(e, g)->ask_next) {
        n += group_at(e, g)->node == node && !skedi_group_is_proposal(e, g);
    }
    if (n == 0) {
        return skedi_fail_plain(err, SKED_ERR_STATE,
                                "nothing of the ask runs there");
    }
    if (!skedi_notice_reserve(e, n)) return skedi_fail_memory(err);
    for (uint32_t g = ask_at(e, ask)->first_group; g != SKEDI_NONE;
         g = group_at(e, g)->ask_next) {
        int there = group_at(e, g)->node == node;
        if (there && !skedi_group_is_proposal(e, g))
            alloc_say_of(e, g, event, ends);
    }
    return SKED_OK;
}

sked_status skedi_task_say(sked_engine *e, const sked_events *batch,
                           const sked_event *event, sked_error *err)
{
    sked_time ends = skedi_event_moment(batch, event);
    uint32_t group = skedi_group_find(e, event->key);

    if (event->flags & ~(uint32_t)SKED_TASK_ON_NODE) {
        return skedi_fail_flags(err, "event");
    }
    if (!event->flags && group == SKEDI_NONE) {
        return skedi_fail_plain(err, SKED_ERR_STALE, "no such group");
    }
    sked_status rc = alloc_check_said(e, batch, event, err);
    if (rc == SKED_OK && event->flags)
        rc = alloc_say_on_node(e, event, ends, err);
    if (rc != SKED_OK) return rc;
    if (!event->flags) {
        if (!skedi_notice_reserve(e, 1)) return skedi_fail_memory(err);
        alloc_say_of(e, group, event, ends);
    }
    skedi_watch_least(e);
    return SKED_OK;
}

sked_status skedi_task_confirm(sked_engine *e, const sked_events *batch,
                               const sked_event *event, sked_error *err)
{
    uint32_t group = skedi_group_find(e, event->key);
    sked_status rc = SKED_OK;

    if (event->flags & SKED_TASK_ALL) {
        if (event->flags == SKED_TASK_ALL)
            return alloc_tell_each_group(e, event, err);
        return skedi_fail_flags(err, "event");
    }
    if (event->flags & ~(uint32_t)SKED_CONFIRM_ACTUAL) {
        return skedi_fail_flags(err, "event");
    }
    if (group == SKEDI_NONE) {
        return skedi_fail_plain(err, SKED_ERR_STALE, "no such group");
    }
    if (!skedi_group_is_proposal(e, group)) {
        return skedi_fail_plain(err, SKED_ERR_STATE,
                                "the group is no proposal");
    }
    if (event->flags & SKED_CONFIRM_ACTUAL) {
        rc = skedi_task_resize(e, batch, event, err);
    }
    if (rc == SKED_OK) skedi_group_hold(e, group);
    return rc;
}

sked_status skedi_task_event(sked_engine *e, const sked_event *event,
                             sked_error *err)
{
    uint32_t group = skedi_group_find(e, event->key);
    int saved = event->kind == SKED_EVENT_TASK_SAVED;
    int ends = !saved && event->kind != SKED_EVENT_TASK_RELEASED;

    if (event->flags & ~(uint32_t)(ends ? SKED_TASK_ALL : 0)) {
        return skedi_fail_flags(err, "event");
    }
    if (event->flags) return alloc_tell_each_group(e, event, err);
    if (group == SKEDI_NONE && !(ends && skedi_remains_of(e, event->key) > 0)) {
        return skedi_fail_plain(err, SKED_ERR_STALE, "no such group");
    }
    if (ends) return alloc_end_tasks(e, group, event, err);
    return saved ? alloc_save_work(e, group, err)
                 : alloc_release_tasks(e, group, event, err);
}

/*
 * Exclusive tasks are charged the node's whole capacity until the node has
 * ended the tasks. If the capacity changes, the charge follows: no other task
 * can start in the new capacity. Like the charge of an adopted or resized task,
 * the new charge may be beyond limits.
 */

/* Counts the exclusive groups on a node. If `all` is 0, a whole-node unit counts
 * once, by the group that holds the node. If `all` is 1, each group counts. */
static int64_t alloc_groups_alone(const sked_engine *e, uint32_t node, int all)
{
    int64_t n = 0;

    for (uint32_t i = node_at(e, node)->first_group; i != SKEDI_NONE;
         i = group_at(e, i)->next) {
        const engine_group *g = group_at(e, i);
        n += skedi_ask_is_exclusive(ask_at(e, g->ask)) &&
             (all || g->hold != HOLD_NOTHING);
    }
    return n;
}

/* True if the usage of a kind stays an amount, now and whatever starts later,
 * after a node gains `more` and each of `tasks` tasks there holds the gain. */
static int alloc_growth_is_amount(const sked_engine *e, uint32_t node,
                                  uint32_t k, int64_t tasks, int64_t more)
{
    if (more <= 0) return 1;
    if (more > SKED_AMOUNT_MAX / tasks) return 0;
    return skedi_most_held(e, k, more * tasks, node, more - more * tasks) <=
           SKED_AMOUNT_MAX;
}

sked_status skedi_exclusive_may_grow(sked_engine *e, uint32_t node,
                                     const int64_t *capacity, sked_error *err)
{
    const int64_t *own = engine_row_of(e, &e->node_capacity, node);
    int64_t tasks = alloc_groups_alone(e, node, 0),
            all = alloc_groups_alone(e, node, 1);

    tasks += alloc_remains_alone(e, node);
    if (tasks == 0) return SKED_OK;
    for (uint32_t k = 0; k < e->kinds; k++) {
        if (kind_is_pooled(e, k)) continue;
        if (alloc_growth_is_amount(e, node, k, tasks, capacity[k] - own[k]))
            continue;
        return skedi_fail(err, SKED_ERR_RANGE, "capacity is out of range",
                          (skedi_fault){.got = capacity[k],
                                        .limit = SKED_AMOUNT_MAX,
                                        .kind = (int32_t)k + 1});
    }
    if (skedi_shape_reserve(e, (uint64_t)all) &&
        skedi_wants_reserve(e, (uint64_t)all)) {
        return SKED_OK;
    }
    return skedi_fail_memory(err);
}

void skedi_exclusive_grow(sked_engine *e, uint32_t node)
{
    int64_t all[SKED_MAX_KINDS];

    for (uint32_t g = node_at(e, node)->first_group; g != SKEDI_NONE;
         g = group_at(e, g)->next) {
        uint32_t ask = group_at(e, g)->ask;
        if (!skedi_ask_is_exclusive(ask_at(e, ask))) continue;
        skedi_exclusive_amount(e, ask, node, all);
        skedi_group_resize(e, g, all);
    }
    alloc_remains_follow(e, node);
}
