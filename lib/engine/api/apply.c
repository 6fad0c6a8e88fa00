/* Events are applied one by one, each with what is due before it, and decisions
 * come out. */
#include <sched/engine.h>

#include "engine/api/apply.h"

#include "base/fail.h"
#include "base/versioned.h"
#include "engine/api/log.h"
#include "engine/probe.h"
#include "engine/busy.h"
#include "engine/work.h"
#include "engine/exclusion.h"
#include "engine/columns.h"
#include "engine/gang.h"
#include "engine/alloc.h"
#include "engine/reservation.h"
#include "engine/decision.h"
#include "engine/rules.h"
#include "engine/queue.h"
#include "engine/soft_rules.h"
#include "engine/pass.h"
#include "engine/budget.h"
#include "engine/preempt/rounds.h"

_Static_assert(sizeof(sked_event) == 64, "events are 64 bytes");
_Static_assert(sizeof(sked_decision) == 104, "decisions have no padding");

void skedi_engine_advance(sked_engine *e, sked_time now)
{
    if (now < e->now)
        e->stats.late_events++;
    else
        e->now = now;
}

static sked_status heartbeat(sked_engine *e, const sked_event *event,
                             sked_error *err)
{
    uint32_t node = skedi_keymap_get(&e->node_of, event->key);

    if (node == SKEDI_NONE) {
        return skedi_fail_plain(err, SKED_ERR_NOT_FOUND, "no such node");
    }
    uint32_t partition = node_at(e, node)->partition;
    uint64_t *beats = &e->partition[partition].beats;
    uint64_t before = e->stats.decisions;
    uint64_t forming = skedi_forming_mark(e, partition);
    e->stats.heartbeats++;
    ++*beats;
    sked_status rc = skedi_pass_node(e, node, UINT64_MAX);
    if (rc == SKED_OK || rc == SKED_STOPPED) return SKED_OK;
    if (e->stats.decisions > before ||
        skedi_forming_mark(e, partition) != forming) {
        e->cut = rc; /* that much stands */
        return SKED_OK;
    }
    e->stats.heartbeats--;
    --*beats;
    return skedi_fail_plain(err, rc, "the pass was cut short");
}

static sked_status apply_one(sked_engine *e, const sked_events *batch,
                             const sked_event *event, sked_error *err)
{
    switch (event->kind) {
    case SKED_EVENT_TICK: return SKED_OK;
    case SKED_EVENT_ROUND: return skedi_round_hold(e, err);
    case SKED_EVENT_NODE_UP: return skedi_node_up(e, batch, event, err);
    case SKED_EVENT_NODE_CHANGE: return skedi_node_change(e, batch, event, err);
    case SKED_EVENT_NODE_MOVE: return skedi_node_move(e, event, err);
    case SKED_EVENT_NODE_DRAIN: return skedi_node_drain(e, event, err);
    case SKED_EVENT_NODE_RESUME: return skedi_node_resume(e, event, err);
    case SKED_EVENT_NODE_DOWN: return skedi_node_down(e, event, err);
    case SKED_EVENT_QUEUE_WEIGHT: return skedi_queue_weight(e, event, err);
    case SKED_EVENT_POOL: return skedi_pool_event(e, batch, event, err);
    case SKED_EVENT_HEARTBEAT: return heartbeat(e, event, err);
    case SKED_EVENT_JOB_SUBMIT: return skedi_job_submit(e, batch, event, err);
    case SKED_EVENT_JOB_UPDATE: return skedi_job_update(e, event, err);
    case SKED_EVENT_JOB_LEAST: return skedi_job_least(e, event, err);
    case SKED_EVENT_JOB_CANCEL: return skedi_job_cancel(e, event, err);
    case SKED_EVENT_JOB_FINISH: return skedi_job_finish(e, event, err);
    case SKED_EVENT_ASK_ADD: return skedi_ask_add(e, batch, event, err);
    case SKED_EVENT_ASK_CHANGE: return skedi_ask_change(e, event, err);
    case SKED_EVENT_ASK_WITHDRAW: return skedi_ask_withdraw(e, event, err);
    case SKED_EVENT_TASK_RUNNING:
        return skedi_task_running(e, batch, event, err);
    case SKED_EVENT_TASK_REFUSE: return skedi_task_refuse(e, batch, event, err);
    case SKED_EVENT_ALLOW: return skedi_allow(e, event, err);
    case SKED_EVENT_NODE_ATTRIBUTES:
        return skedi_node_attributes(e, batch, event, err);
    case SKED_EVENT_ASK_RULE: return skedi_ask_rule(e, batch, event, err);
    case SKED_EVENT_ASK_PREFER: return skedi_ask_prefer(e, batch, event, err);
    case SKED_EVENT_ASK_PLACES:
    case SKED_EVENT_ASK_RACKS: return skedi_ask_places(e, batch, event, err);
    case SKED_EVENT_ASK_TAGS: return skedi_ask_tags(e, batch, event, err);
    case SKED_EVENT_ASK_EXCLUDE:
    case SKED_EVENT_JOB_EXCLUDE: return skedi_exclude(e, batch, event, err);
    case SKED_EVENT_TASK_RESIZE: return skedi_task_resize(e, batch, event, err);
    case SKED_EVENT_TASK_ENDS:
    case SKED_EVENT_TASK_COST: return skedi_task_say(e, batch, event, err);
    case SKED_EVENT_TASK_CONFIRM:
        return skedi_task_confirm(e, batch, event, err);
    case SKED_EVENT_TASK_FINISH:
    case SKED_EVENT_TASK_FAIL:
    case SKED_EVENT_TASK_LOST:
    case SKED_EVENT_TASK_KILLED:
    case SKED_EVENT_TASK_RELEASED:
    case SKED_EVENT_TASK_SAVED: return skedi_task_event(e, event, err);
    }
    return skedi_fail_plain(err, SKED_ERR_ARG, "no such kind of event");
}

/* Undoes proposals, and gives up reservations, whose deadline comes by `now`,
 * in the order of time. */
static sked_status expire_until(sked_engine *e, sked_time now)
{
    sked_status rc = SKED_OK;

    while (rc == SKED_OK && e->first_reservation != SKEDI_NONE) {
        sked_time until = reservation_at(e, e->first_reservation)->until;
        if (until > now) break;
        rc = skedi_groups_expire(e, until);
        if (rc == SKED_OK) rc = skedi_reservation_expire(e, until);
    }
    return rc == SKED_OK ? skedi_groups_expire(e, now) : rc;
}

/* What may stand in line again, and asks that may go by other soft rules. */
static sked_status settle_asks(sked_engine *e)
{
    sked_status rc = e->ready > 0 ? skedi_asks_settle(e) : SKED_OK;

    if (rc == SKED_OK && e->soft.stale > 0) rc = skedi_soft_settle(e);
    return rc;
}

/* Ends refusals and soft rules whose moment has come, and puts asks in line
 * again. */
static sked_status lift_until(sked_engine *e, sked_time now)
{
    skedi_bans_lapse(e, now);
    skedi_soft_lapse(e, now);
    return settle_asks(e);
}

/* Does what is due before anything new: admits jobs for which there was no
 * memory before, and ends what has its deadline by `now`, or by the last time
 * where that is later: a commit moves it on and ends nothing. */
sked_status skedi_engine_catch_up(sked_engine *e, sked_time now,
                                  sked_error *err)
{
    now = skedi_i64_max(now, e->now);
    sked_status rc = skedi_jobs_admit(e);
    int kept = e->first_reservation != SKEDI_NONE ||
               e->first_proposed != SKEDI_NONE;

    if (rc == SKED_OK && kept) rc = expire_until(e, now);
    if (rc == SKED_OK && now >= e->rate_due) skedi_rates_lift(e, now);
    if (rc == SKED_OK &&
        (e->lapses.n | e->soft.due.n | e->ready | e->soft.stale)) {
        rc = lift_until(e, now);
    }
    if (rc == SKED_OK) return rc;
    return skedi_fail_stopped(err, rc);
}

sked_status skedi_engine_take_cut(sked_engine *e, sked_status rc,
                                  sked_error *err)
{
    sked_status cut = e->cut;

    e->cut = SKED_OK;
    return rc != SKED_OK || cut == SKED_OK ? rc : skedi_fail_stopped(err, cut);
}

sked_status skedi_engine_event(sked_engine *e, const sked_events *batch,
                               const sked_event *event, int *stands,
                               sked_error *err)
{
    *stands = 0;
    e->pace = 0;
    if (skedi_out_full(e)) return SKED_STOPPED;
    sked_status rc = skedi_engine_catch_up(e, event->time, err);
    sked_time before = e->now;
    if (rc == SKED_OK) {
        e->now = skedi_i64_max(before, event->time);
        rc = apply_one(e, batch, event, err);
    }
    if (rc != SKED_OK) {
        e->now = before; /* the row was not applied */
        e->cut = SKED_OK;
        return rc;
    }
    *stands = 1;
    e->stats.events++;
    e->stats.late_events += event->time < before;
    if (e->ready | e->soft.stale) rc = settle_asks(e);
    if (rc == SKED_OK) rc = skedi_jobs_admit(e);
    rc = skedi_engine_take_cut(e, rc, err);
    return rc == SKED_OK ? rc : skedi_fail_plain(err, rc, "cut short");
}

/* May time go on to `now`? A time too far ahead would hold all later ones back.
 */
sked_status skedi_engine_time(const sked_engine *e, sked_time now,
                              sked_error *err)
{
    sked_time latest = SKED_TIME_FIRST_MAX;

    if (e->now > 0) {
        latest = skedi_i64_min(e->now, INT64_MAX - SKED_TIME_JUMP_MAX) +
                 SKED_TIME_JUMP_MAX;
    }
    if (now <= latest) return SKED_OK;
    return skedi_fail(err, SKED_ERR_RANGE, "time is too far ahead",
                      (skedi_fault){.got = now, .limit = latest});
}

/* One row; `*done` counts it once it stands, whatever becomes of what follows
 * from it. */
static sked_status apply_row(sked_engine *e, const sked_events *batch,
                             uint64_t i, uint64_t *done, sked_error *err)
{
    const sked_event *event = skedi_event_at(batch, i);
    int stands = 0;
    sked_status rc = skedi_engine_time(e, event->time, err);

    if (rc == SKED_OK) rc = skedi_engine_event(e, batch, event, &stands, err);
    if (stands) *done = i + 1;
    if (rc != SKED_OK && !stands) err->row = (int64_t)i;
    skedi_log_decisions(e);
    if (rc < 0 && !stands && skedi_log_wants(e, SKED_LOG_WARNING)) {
        skedi_log_refusal(e, i, event, err);
    }
    return rc;
}

/* Rows of a batch that was checked; `*done` of them stand. */
static sked_status apply_rows(sked_engine *e, const sked_events *batch,
                              uint64_t *done, sked_error *err)
{
    sked_status rc = SKED_OK;

    while (rc == SKED_OK && *done < batch->n) {
        if (*done % 4096 == 0) {
            rc = skedi_hooks_check(&e->hooks, *done, batch->n);
            if (rc != SKED_OK) {
                return skedi_fail_stopped(err, rc);
            }
        }
        rc = apply_row(e, batch, *done, done, err);
    }
    return rc;
}

sked_status sked_engine_apply(sked_engine *engine, const sked_events *events,
                              uint64_t *done, sked_error *err)
{
    sked_events batch;
    sked_error own;
    uint64_t rows = 0;

    if (done) *done = 0;
    const char *missing = !engine ? "engine" : !events ? "events" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (!err) err = &own;
    *err = (sked_error){.code = SKED_OK};
    sked_status rc = skedi_busy_enter(engine, err);
    if (rc != SKED_OK) return rc;
    rc = skedi_events_in(events, &batch, err);
    if (rc == SKED_OK) rc = apply_rows(engine, &batch, &rows, err);
    if (done) *done = rows;
    return skedi_busy_leave(engine, rc);
}

static sked_status pass_nodes(sked_engine *engine, sked_time now,
                              uint64_t budget, sked_error *err)
{
    uint64_t before = engine->stats.decisions;
    sked_status rc = skedi_engine_time(engine, now, err);
    if (rc == SKED_OK) rc = skedi_engine_catch_up(engine, now, err);
    if (rc != SKED_OK) return rc;
    skedi_engine_advance(engine, now);
    uint32_t node = engine->resume_node;
    if (node == SKEDI_NONE) node = engine->first_node;
    for (uint64_t n = 0; rc == SKED_OK && node != SKEDI_NONE; n++) {
        if (n % 4096 == 0) {
            rc = skedi_hooks_check(&engine->hooks, n, engine->stats.nodes);
            if (rc != SKED_OK) break;
        }
        uint64_t made = engine->stats.decisions - before;
        uint64_t left = made < budget ? budget - made : 0;
        rc = skedi_pass_node(engine, node, budget ? left : UINT64_MAX);
        if (rc == SKED_OK) node = node_at(engine, node)->next;
    }
    engine->resume_node = rc == SKED_OK ? SKEDI_NONE : node;
    return rc < 0 ? skedi_fail_stopped(err, rc) : rc;
}

sked_status sked_engine_pass(sked_engine *engine, sked_time now,
                             uint64_t budget, sked_error *err)
{
    if (!engine) return skedi_fail_null(err, "engine");
    sked_status rc = skedi_hooks_now(&engine->hooks, &now, err);
    if (rc == SKED_OK) rc = skedi_busy_enter(engine, err);
    if (rc != SKED_OK) return rc;
    engine->pace = 0;
    rc = pass_nodes(engine, now, budget, err);
    rc = skedi_engine_take_cut(engine, rc, err);
    skedi_log_decisions(engine);
    return skedi_busy_leave(engine, rc);
}

sked_status sked_engine_take(sked_engine *engine, sked_decision *decisions,
                             size_t cap, size_t *n, sked_error *err)
{
    if (!engine) return skedi_fail_null(err, "engine");
    if (!n) return skedi_fail_null(err, "n");
    if (cap && !decisions) return skedi_fail_null(err, "decisions");
    sked_status rc = skedi_busy_enter(engine, err);
    if (rc != SKED_OK) return rc;

    skedi_out_close(engine);
    for (*n = 0; *n < cap && engine->out_from < engine->out_next; (*n)++) {
        size_t at = (size_t)engine->out_from++ & (engine->out_cap - 1);
        decisions[*n] = engine->out[at];
    }
    return skedi_busy_leave(engine, SKED_OK);
}
