/*
 * Tasks that run already, or hold other amounts than were asked for: an engine
 * that is started anew beside a cluster at work, or a host that started
 * something by itself. They are put into the books past every bound. Only what
 * could not be booked is refused: unknown keys, numbers that are taken, a part
 * of a gang, sums that are no amounts.
 */
#include "base/fail.h"
#include "engine/exclusion.h"
#include "engine/work.h"
#include "engine/exclusive.h"
#include "engine/columns.h"
#include "engine/reservation.h"
#include "engine/alloc.h"
#include "engine/decision.h"
#include "engine/nodes.h"
#include "engine/queue.h"
#include "engine/domains.h"
#include "engine/pending.h"
#include "engine/budget.h"
#include "engine/order/wants.h"
#include "engine/store.h"

/* What is told to run, looked up and checked. */
typedef struct adoption {
    uint32_t node;
    uint32_t ask;
    uint32_t job;
    sked_time since;
    const int64_t *task; /* what one holds */
    int own;             /* 1: which is not what the ask says */
    uint32_t hold;       /* HOLD_*: how they do */
    int64_t all[SKED_MAX_KINDS];
    engine_claim claim;
} adoption;

static sked_status check_times(const sked_engine *e, sked_time *since,
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

/* Would what is held of each kind, and what may come to be held, stay amounts
 * if `count` tasks on a node held `task` each instead of `less`? Nodes are
 * counted only where the sum is near the largest amount. */
static int more_are_amounts(const sked_engine *e, uint32_t node,
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

static sked_status check_claim(const sked_engine *e, adoption *in,
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

/* A task that has a node to itself is adopted alone (those of a bunch
 * together), and holds all of the node: so the event says no amount. SKED_OK,
 * SKED_ERR_STATE or SKED_ERR_RANGE. */
static sked_status check_exclusive(const adoption *in, const sked_event *event,
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

/* How often so many tasks hold the amounts of an adoption. */
static int64_t adoption_times(const adoption *in, int64_t count)
{
    return in->hold == HOLD_EACH ? count : in->hold == HOLD_ONCE;
}

static sked_status look_up(const sked_engine *e, const sked_events *batch,
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
    sked_status rc = check_times(e, &in->since, err);
    if (rc == SKED_OK) {
        rc = check_claim(e, in, event, skedi_event_task(batch, event), err);
    }
    if (rc != SKED_OK) return rc;
    static const int64_t none[SKED_MAX_KINDS];
    in->task = engine_row_of(e, &e->shape_task, a->shape);
    in->own = event->amount > 0 || skedi_ask_is_exclusive(a);
    in->hold = skedi_bunch_hold(e, in->ask, in->node);
    if (skedi_ask_is_exclusive(a)) {
        rc = check_exclusive(in, event, err);
        skedi_exclusive_amount(e, in->ask, in->node, in->all);
        in->task = in->all;
    } else if (in->own) {
        rc = skedi_event_amounts(e, batch, event, &in->task, err);
    }
    if (rc != SKED_OK) return rc;
    int64_t times = adoption_times(in, event->count);
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
    /* A bunch takes over what released tasks of it hold. */
    if (in->hold == HOLD_ONCE && skedi_bunch_is_left(e, in->ask, in->node)) {
        times = 0;
    }
    ok = ok && more_are_amounts(e, in->node, in->task, none, times, err);
    return ok ? SKED_OK : SKED_ERR_RANGE;
}

static int adopt_reserve(sked_engine *e, const adoption *in)
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

/* Does an ask stand in a line of this partition? */
static int stands_in(const sked_engine *e, uint32_t ask, uint32_t partition)
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
    sked_status rc = look_up(e, batch, event, &in, err);

    if (rc != SKED_OK) return rc;
    if (!adopt_reserve(e, &in)) {
        return skedi_fail_memory(err);
    }
    engine_job *job = job_at(e, in.job);
    uint32_t p = node_at(e, in.node)->partition;
    if (job->state == JOB_WAITING) {
        skedi_job_admit(e, in.job, SKED_REASON_ADOPTED);
    }
    /* What was open here and runs here is wanted as it was, if it holds what
     * the ask says. */
    int64_t count = event->count, moved = adoption_times(&in, count);
    int here = !in.own && stands_in(e, in.ask, p);
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

/* Would all that a job has and wants be amounts, if each task of a group held
 * `task`? */
static int job_stays_amount(const sked_engine *e, uint32_t group,
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
    int ok = job_stays_amount(e, group, task, err) &&
             more_are_amounts(e, g->node, task, skedi_group_task(e, g),
                              g->count, err);
    if (!ok) return SKED_ERR_RANGE;
    if (!skedi_shape_reserve(e, 1) || !skedi_wants_reserve(e, 1)) {
        return skedi_fail_memory(err);
    }
    skedi_group_resize(e, group, task);
    return SKED_OK;
}
