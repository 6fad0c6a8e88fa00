/*
 * The life of an engine, and events in, decisions out.
 *
 * Each event is applied after everything that is due before the event: expired
 * proposals and reservations, lapsed exclusions, start rates. Decisions come
 * out of a ring.
 *
 * Invariants: a refused event changes nothing and ends the call; time never
 * runs backwards.
 */
#include <sched/engine.h>
#include <sched/engine_admit.h>
#include <sched/engine_place.h>
#include <sched/engine_preempt.h>
#include <stddef.h>

#include "base/fail.h"
#include "base/sort.h"
#include "base/text.h"
#include "base/versioned.h"
#include "engine/admission.h"
#include "engine/alloc.h"
#include "engine/budget.h"
#include "engine/columns.h"
#include "engine/decision.h"
#include "engine/domains.h"
#include "engine/engine.h"
#include "engine/exclusion.h"
#include "engine/gang.h"
#include "engine/nodes.h"
#include "engine/filter.h"
#include "engine/wants.h"
#include "engine/pass.h"
#include "engine/preempt.h"
#include "engine/probe.h"
#include "engine/queue.h"
#include "engine/reservation.h"
#include "engine/rules.h"
#include "engine/soft_rules.h"
#include "engine/store.h"
#include "engine/work.h"
#include "target/handle.h"

/* Every line is made of the record alone, so equal records give equal lines. */

enum { LOG_LINE = 512 };

static void engine_write_field(skedi_writer *w, const char *name,
                               uint64_t value)
{
    if (!value) return;
    skedi_write_char(w, ' ');
    skedi_write_text(w, name);
    skedi_write_char(w, '=');
    skedi_write_u64(w, value);
}

static void engine_write_signed(skedi_writer *w, const char *name,
                                int64_t value)
{
    skedi_write_char(w, ' ');
    skedi_write_text(w, name);
    skedi_write_char(w, '=');
    skedi_write_i64(w, value);
}

static void engine_send_line(const sked_engine *e, uint32_t level,
                             skedi_writer *w)
{
    const sked_host *host = &e->hooks.host;

    (void)skedi_write_end(w); /* a line holds all its fields */
    host->log(host->user, (int32_t)level, w->text);
}

static const char *engine_decision_name(int32_t kind)
{
    static const char *const names[] = {[SKED_DECISION_ADMIT] = "admit",
                                        [SKED_DECISION_REJECT] = "reject",
                                        [SKED_DECISION_ALLOCATE] = "allocate",
                                        [SKED_DECISION_RESERVE] = "reserve",
                                        [SKED_DECISION_NOTIFY] = "notify",
                                        [SKED_DECISION_KILL] = "kill",
                                        [SKED_DECISION_WITHDRAW] = "withdraw",
                                        [SKED_DECISION_EXPIRE] = "expire",
                                        [SKED_DECISION_REQUEUE] = "requeue",
                                        [SKED_DECISION_LOST] = "lost"};

    return names[kind];
}

/* What a host did not ask for, or did not answer, is a warning. */
static uint32_t engine_decision_level(int32_t kind)
{
    int odd = kind == SKED_DECISION_REJECT || kind == SKED_DECISION_EXPIRE ||
              kind == SKED_DECISION_LOST;

    return odd ? SKED_LOG_WARNING : SKED_LOG_INFO;
}

static void engine_log_decision(const sked_engine *e, const sked_decision *d)
{
    char line[LOG_LINE];
    skedi_writer w = {line, sizeof line, 0};

    skedi_write_text(&w, "decision ");
    skedi_write_u64(&w, d->sequence);
    skedi_write_text(&w, " at ");
    skedi_write_i64(&w, d->time);
    skedi_write_text(&w, ": ");
    skedi_write_text(&w, engine_decision_name(d->kind));
    engine_write_field(&w, "job", d->job);
    engine_write_field(&w, "ask", d->ask);
    engine_write_field(&w, "node", d->node);
    engine_write_field(&w, "group", d->group);
    if (d->count > 0) {
        engine_write_signed(&w, "task", d->task);
        engine_write_signed(&w, "count", d->count);
    }
    if (d->detail != 0) engine_write_signed(&w, "until", d->detail);
    if (d->reason != SKED_REASON_NONE) {
        skedi_write_text(&w, ": ");
        skedi_write_text(&w, sked_reason_name(d->reason));
    }
    engine_send_line(e, engine_decision_level(d->kind), &w);
}

void skedi_log_decisions(sked_engine *e)
{
    if (!skedi_log_wants(e, SKED_LOG_WARNING)) return;
    skedi_out_close(e); /* what was said grows no more */
    for (; e->logged < e->out_next; e->logged++) {
        const sked_decision *d = &e->out[e->logged & (e->out_cap - 1)];
        if (skedi_log_wants(e, engine_decision_level(d->kind)))
            engine_log_decision(e, d);
    }
}

/* A line for a row that was refused. */
static void engine_log_refusal(const sked_engine *e, uint64_t row,
                               const sked_event *event, const sked_error *why)
{
    char line[LOG_LINE];
    skedi_writer w = {line, sizeof line, 0};

    skedi_write_text(&w, "row ");
    skedi_write_u64(&w, row);
    skedi_write_text(&w, " refused: event");
    engine_write_signed(&w, "kind", event->kind);
    engine_write_field(&w, "key", event->key);
    engine_write_signed(&w, "time", event->time);
    skedi_write_text(&w, ": ");
    skedi_write_text(&w, sked_status_name(why->code));
    skedi_write_text(&w, ": ");
    skedi_write_text(&w, why->message);
    engine_send_line(e, SKED_LOG_WARNING, &w);
}

static void engine_log_note(const sked_engine *e, const char *text)
{
    char line[LOG_LINE];
    skedi_writer w = {line, sizeof line, 0};

    skedi_write_text(&w, "note: ");
    skedi_write_text(&w, text);
    engine_send_line(e, SKED_LOG_INFO, &w);
}

void skedi_log_notes(const sked_engine *e)
{
    uint32_t both = SKED_PREEMPT_FLAG_BY_USER | SKED_PREEMPT_FLAG_BY_PRIORITY;

    if (!e->preempt || !skedi_log_wants(e, SKED_LOG_INFO)) return;
    if ((e->preempt->opts.flags & both) == both) {
        engine_log_note(e,
                        "preemption by user and by priority: a leaf with both "
                        "weighs its tasks by two orders");
    }
}

/* Events are applied one by one, each with what is due before it, and decisions
 * come out. */

_Static_assert(sizeof(sked_event) == 64, "events are 64 bytes");
_Static_assert(sizeof(sked_decision) == 104, "decisions have no padding");

void skedi_engine_advance(sked_engine *e, sked_time now)
{
    if (now < e->now)
        e->stats.late_events++;
    else
        e->now = now;
}

static sked_status engine_heartbeat(sked_engine *e, const sked_event *event,
                                    sked_error *err)
{
    uint32_t node = skedi_keymap_get(&e->node_of, event->key);

    if (node == SKEDI_NONE) {
        return skedi_fail_plain(err, SKED_ERR_NOT_FOUND, "no such node");
    }
    uint32_t partition = node_at(e, node)->partition;
    uint64_t before = e->stats.decisions;
    uint64_t forming = skedi_forming_mark(e, partition);
    e->stats.heartbeats++;
    sked_status rc = skedi_pass_node(e, node, UINT64_MAX);
    if (rc == SKED_OK || rc == SKED_STOPPED) return SKED_OK;
    if (e->stats.decisions > before ||
        skedi_forming_mark(e, partition) != forming) {
        e->cut = rc; /* that much stands */
        return SKED_OK;
    }
    e->stats.heartbeats--;
    return skedi_fail_plain(err, rc, "the pass was cut short");
}

static sked_status engine_apply_one(sked_engine *e, const sked_events *batch,
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
    case SKED_EVENT_HEARTBEAT: return engine_heartbeat(e, event, err);
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
static sked_status engine_expire_until(sked_engine *e, sked_time now)
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
static sked_status engine_settle_asks(sked_engine *e)
{
    sked_status rc = e->ready > 0 ? skedi_asks_settle(e) : SKED_OK;

    if (rc == SKED_OK && e->soft.stale > 0) rc = skedi_soft_settle(e);
    return rc;
}

/* Ends refusals and soft rules whose moment has come, and puts asks in line
 * again. */
static sked_status engine_lift_until(sked_engine *e, sked_time now)
{
    skedi_bans_lapse(e, now);
    skedi_soft_lapse(e, now);
    return engine_settle_asks(e);
}

/* Does what is due by `now` before anything new. Does what is due before anything new: admits jobs for which there was no memory before, and ends what has its deadline by `now`, or by the last time where that is later: a commit moves it on and ends nothing. */
static sked_status engine_catch_up(sked_engine *e, sked_time now,
                                   sked_error *err)
{
    now = skedi_i64_max(now, e->now);
    sked_status rc = skedi_jobs_admit(e);
    int kept = e->first_reservation != SKEDI_NONE ||
               e->first_proposed != SKEDI_NONE;

    if (rc == SKED_OK && kept) rc = engine_expire_until(e, now);
    if (rc == SKED_OK && now >= e->rate_due) skedi_rates_lift(e, now);
    if (rc == SKED_OK &&
        (e->lapses.n | e->soft.due.n | e->ready | e->soft.stale)) {
        rc = engine_lift_until(e, now);
    }
    if (rc == SKED_OK) return rc;
    return skedi_fail_stopped(err, rc);
}

static sked_time engine_heap_time(const skedi_heap *heap)
{
    const skedi_heap_item *top = skedi_heap_top(heap);

    return top ? skedi_key_time(top->key) : SKED_UNLIMITED;
}

static sked_time engine_proposal_time(const sked_engine *e)
{
    if (e->first_proposed == SKEDI_NONE) return SKED_UNLIMITED;
    sked_time from = group_at(e, e->first_proposed)->deadline_from;
    int64_t within = e->opts.confirm_within_ns;

    return from > SKED_UNLIMITED - within ? SKED_UNLIMITED : from + within;
}

sked_time sked_engine_next_time(const sked_engine *engine)
{
    const sked_engine *e = engine;

    if (!e) return SKED_UNLIMITED;
    const sked_time times[] = {
        engine_proposal_time(e),      skedi_probe_reserved_until(e),
        skedi_probe_rates_until(e),   skedi_probe_forms_until(e, e->now),
        engine_heap_time(&e->lapses), engine_heap_time(&e->soft.due),
        engine_heap_time(&e->wakes),
    };
    sked_time next = SKED_UNLIMITED;

    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        next = skedi_i64_min(next, times[i]);
    }
    return next;
}

/* What became of a call: `rc`, or why what it did was cut short, which `err` is
 * told. */
static sked_status engine_take_cut(sked_engine *e, sked_status rc,
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
    if (skedi_out_full(e)) {
        return skedi_fail_plain(err, SKED_ERR_FULL, "decisions wait");
    }
    sked_status rc = engine_catch_up(e, event->time, err);
    sked_time before = e->now;
    if (rc == SKED_OK) {
        e->now = skedi_i64_max(before, event->time);
        rc = engine_apply_one(e, batch, event, err);
    }
    if (rc != SKED_OK) {
        e->now = before; /* the row was not applied */
        e->cut = SKED_OK;
        return rc;
    }
    *stands = 1;
    e->stats.events++;
    e->stats.late_events += event->time < before;
    if (e->ready | e->soft.stale) rc = engine_settle_asks(e);
    if (rc == SKED_OK) rc = skedi_jobs_admit(e);
    rc = engine_take_cut(e, rc, err);
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
static sked_status engine_apply_row(sked_engine *e, const sked_events *batch,
                                    uint64_t i, uint64_t *done, sked_error *err)
{
    const sked_event *event = skedi_event_at(batch, i);
    int stands = 0;
    sked_status rc = skedi_engine_time(e, event->time, err);

    if (rc == SKED_OK) rc = skedi_engine_event(e, batch, event, &stands, err);
    if (stands) *done = i + 1;
    if (rc != SKED_OK && !stands) err->row = (int64_t)i;
    skedi_log_decisions(e);
    if (rc != SKED_OK && rc != SKED_ERR_FULL && !stands &&
        skedi_log_wants(e, SKED_LOG_WARNING)) {
        engine_log_refusal(e, i, event, err);
    }
    return rc;
}

/* Rows of a batch that was checked; `*done` of them stand. */
static sked_status engine_apply_rows(sked_engine *e, const sked_events *batch,
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
        rc = engine_apply_row(e, batch, *done, done, err);
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
    if (rc == SKED_OK) rc = engine_apply_rows(engine, &batch, &rows, err);
    if (done) *done = rows;
    return skedi_busy_leave(engine, rc);
}

static sked_status engine_pass_nodes(sked_engine *engine, sked_time now,
                                     uint64_t budget, sked_error *err)
{
    uint64_t before = engine->stats.decisions;
    sked_status rc = skedi_engine_time(engine, now, err);
    if (rc == SKED_OK) rc = engine_catch_up(engine, now, err);
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
    rc = engine_pass_nodes(engine, now, budget, err);
    rc = engine_take_cut(engine, rc, err);
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

/* By what a leaf admits its jobs: takes the host's bounds in, and time on. */

SKEDI_NO_TAIL_PADDING(sked_engine_admit_options, controllers);

/* One bound; NULL is `rest` of every kind. */
static sked_status engine_take_gate_bound(const sked_engine *e,
                                          engine_gate *gate, int which,
                                          const int64_t *said, int64_t rest,
                                          sked_error *err)
{
    int64_t *to = gate->bound + (size_t)which * SKED_MAX_KINDS;

    for (uint32_t k = 0; k < e->kinds; k++) {
        to[k] = said ? said[k] : rest;
        if (to[k] == SKED_UNLIMITED) continue;
        if (to[k] >= 0 && to[k] <= SKED_AMOUNT_MAX) continue;
        return skedi_fail(err, SKED_ERR_RANGE, "amount is out of range",
                          (skedi_fault){.got = to[k],
                                        .limit = SKED_AMOUNT_MAX,
                                        .kind = (int32_t)k + 1});
    }
    return SKED_OK;
}

static sked_status engine_take_gate(const sked_engine *e, engine_gate *gate,
                                    const sked_engine_admit_options *options,
                                    sked_error *err)
{
    uint32_t v1 = SKEDI_SIZE_THROUGH(sked_engine_admit_options, controllers);
    sked_engine_admit_options own;

    if (skedi_struct_in(&own, sizeof own, options, v1) != SKED_OK) {
        return skedi_fail_version(err, "options");
    }
    if (own.flags & ~(uint32_t)SKED_ADMIT_FLAG_PREEMPTION) {
        return skedi_fail_flags(err, "options");
    }
    const int64_t *said[GATE_BOUNDS] = {
        [GATE_ENTITLEMENT] = own.entitlement,
        [GATE_SLACK] = own.slack,
        [GATE_RESERVATION] = own.reservation,
        [GATE_CONTROLLERS] = own.controllers,
    };
    sked_status rc = SKED_OK;

    gate->preempts = own.flags & SKED_ADMIT_FLAG_PREEMPTION;
    for (int i = 0; rc == SKED_OK && i < GATE_BOUNDS; i++) {
        int64_t rest = i == GATE_CONTROLLERS ? SKED_UNLIMITED : 0;
        rc = engine_take_gate_bound(e, gate, i, said[i], rest, err);
    }
    return rc;
}

static sked_status engine_admit_by(sked_engine *e, uint32_t row, sked_time now,
                                   const sked_engine_admit_options *options,
                                   sked_error *err)
{
    engine_gate *gate = options ? skedi_gate_new(e) : NULL;

    if (options && !gate) return skedi_fail_memory(err);
    sked_status rc = skedi_engine_time(e, now, err);
    if (rc == SKED_OK && options) rc = engine_take_gate(e, gate, options, err);
    if (rc == SKED_OK) rc = engine_catch_up(e, now, err);
    if (rc != SKED_OK) {
        skedi_gate_free(e, gate);
        return rc;
    }
    skedi_engine_advance(e, now);
    skedi_gate_put(e, row, gate);
    (void)skedi_jobs_admit(e); /* what lacks memory waits */
    return SKED_OK;
}

sked_status sked_engine_admit(sked_engine *engine, sked_queue_id queue,
                              sked_time now,
                              const sked_engine_admit_options *options,
                              sked_error *err)
{
    uint32_t row;

    if (!engine) return skedi_fail_null(err, "engine");
    sked_status rc = skedi_hooks_now(&engine->hooks, &now, err);
    if (rc == SKED_OK) rc = skedi_busy_enter(engine, err);
    if (rc != SKED_OK) return rc;
    engine->pace = 0;
    rc = skedi_job_leaf(engine, queue, &row, err);
    if (rc == SKED_OK) rc = engine_admit_by(engine, row, now, options, err);
    engine->cut = SKED_OK; /* it stands */
    skedi_log_decisions(engine);
    return skedi_busy_leave(engine, rc);
}

/* An engine's life: made from nothing but a tree, told whether it preempts and
 * what its users are called, freed with all it has. */

SKEDI_NO_TAIL_PADDING(sked_engine_options, form_for_ns);

enum {
    ENGINE_OPTIONS_V1 = SKEDI_SIZE_THROUGH(sked_engine_options, pooled),
    ENGINE_UNTAKEN = 1048576
};

static sked_status engine_options_numbers(const sked_engine_options *o,
                                          sked_error *err)
{
    const struct {
        int64_t number, most;
        const char *words;
    } fields[] = {
        {o->confirm_within_ns, SKED_AMOUNT_MAX,
         "options.confirm_within_ns is out of range"},
        {o->node_delay_ns, SKED_AMOUNT_MAX,
         "options.node_delay_ns is out of range"},
        {o->rack_delay_ns, SKED_AMOUNT_MAX,
         "options.rack_delay_ns is out of range"},
        {o->form_for_ns, SKED_AMOUNT_MAX,
         "options.form_for_ns is out of range"},
    };

    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (fields[i].number >= 0 && fields[i].number <= fields[i].most) {
            continue;
        }
        return skedi_fail(
            err, SKED_ERR_RANGE, fields[i].words,
            (skedi_fault){.got = fields[i].number, .limit = fields[i].most});
    }
    return SKED_OK;
}

static sked_status engine_take_options(sked_engine_options *to, uint32_t kinds,
                                       const sked_engine_options *opts,
                                       sked_error *err)
{
    sked_status rc = skedi_struct_in(to, sizeof *to, opts, ENGINE_OPTIONS_V1);

    if (rc != SKED_OK) {
        return skedi_fail_version(err, "options");
    }
    if (to->flags & ~(uint32_t)SKED_ENGINE_FLAG_WAIT) {
        return skedi_fail_flags(err, "options");
    }
    if (kinds < 32 && to->pooled >> kinds) {
        return skedi_fail_plain(err, SKED_ERR_ARG,
                                "options.pooled names no kind");
    }
    rc = engine_options_numbers(to, err);
    if (rc != SKED_OK) return rc;
    if (to->reserved) return skedi_fail_reserved(err, "options");
    if (!to->max_untaken) to->max_untaken = ENGINE_UNTAKEN;
    return SKED_OK;
}

static void engine_start_pools(sked_engine *e)
{
    skedi_pool_start(&e->nodes, sizeof(engine_node));
    skedi_pool_start(&e->jobs, sizeof(engine_job));
    skedi_pool_start(&e->asks, sizeof(engine_ask));
    skedi_pool_start(&e->extras, sizeof(engine_extra));
    skedi_pool_start(&e->groups, sizeof(engine_group));
    skedi_pool_start(&e->entries, sizeof(engine_entry));
    skedi_pool_start(&e->ranges, sizeof(engine_range));
    skedi_pool_start(&e->places, sizeof(engine_place));
    skedi_pool_start(&e->refusals, sizeof(engine_refusal));
    skedi_pool_start(&e->bans, sizeof(engine_ban));
    skedi_pool_start(&e->users, sizeof(engine_user));
    skedi_pool_start(&e->accounts, sizeof(engine_account));
    skedi_pool_start(&e->wants, sizeof(engine_want));
    skedi_pool_start(&e->shapes, sizeof(engine_shape));
    skedi_pool_start(&e->reservations, sizeof(engine_reservation));
    skedi_pool_start(&e->notices, sizeof(engine_notice));
    skedi_pool_start(&e->remains, sizeof(engine_remains));
    skedi_keymap_start(&e->node_of, &e->nodes.item, sizeof(engine_node),
                       offsetof(engine_node, key));
    skedi_keymap_start(&e->job_of, &e->jobs.item, sizeof(engine_job),
                       offsetof(engine_job, key));
    skedi_keymap_start(&e->ask_of, &e->asks.item, sizeof(engine_ask),
                       offsetof(engine_ask, key));
    skedi_keymap_start(&e->user_of, &e->users.item, sizeof(engine_user),
                       offsetof(engine_user, key));
    skedi_keymap_start(&e->account_of, &e->accounts.item,
                       sizeof(engine_account), offsetof(engine_account, name));
    skedi_keymap_start(&e->shape_of, &e->shapes.item, sizeof(engine_shape),
                       offsetof(engine_shape, name));
    skedi_soft_start(e);
    skedi_tags_start(e);
    skedi_domains_start(e);
    skedi_pool_start(&e->rules.sets, sizeof(engine_rule_set));
    skedi_keymap_start(&e->rules.set_of, &e->rules.sets.item,
                       sizeof(engine_rule_set),
                       offsetof(engine_rule_set, name));
    skedi_keymap_start(&e->want_of, &e->wants.item, sizeof(engine_want),
                       offsetof(engine_want, name));
    skedi_keymap_start(&e->notice_of, &e->notices.item, sizeof(engine_notice),
                       offsetof(engine_notice, group));
    skedi_keymap_start(&e->remains_of, &e->remains.item, sizeof(engine_remains),
                       offsetof(engine_remains, group));
    skedi_keymap_start(&e->refusal_of, &e->refusals.item,
                       sizeof(engine_refusal), offsetof(engine_refusal, name));
    skedi_fits_start(e);
    skedi_pool_start(&e->trees.charges, sizeof(engine_charge));
    e->first_parked = e->first_gate = SKEDI_NONE;
    e->first_node = e->last_node = e->resume_node = SKEDI_NONE;
    e->first_proposed = e->last_proposed = SKEDI_NONE;
    e->first_killed = SKEDI_NONE;
    e->first_reservation = e->last_reservation = SKEDI_NONE;
    e->out_from = e->out_next = e->logged = 1;
    e->now = INT64_MIN;
    skedi_hash_start(&e->digest, 0);
}

sked_status skedi_engine_own_tree(const sked_engine *e, const sked_tree *tree,
                                  sked_tree **copy, sked_error *err)
{
    sked_host host = e->hooks.host;

    host.user_free = NULL;
    host.trace = NULL;
    return sked_tree_copy(tree, &host, copy, err);
}

sked_status sked_engine_new(const sked_tree *tree,
                            const sked_engine_options *options,
                            const sked_host *host, sked_engine **engine,
                            sked_error *err)
{
    sked_engine_options taken;
    skedi_hooks hooks;
    sked_tree *copy = NULL;

    if (engine) *engine = NULL;
    const char *missing = !tree ? "tree" : !engine ? "engine" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    uint32_t kinds = skedi_tree_image(tree)->kinds;
    sked_status rc = engine_take_options(&taken, kinds, options, err);
    if (rc == SKED_OK) rc = skedi_hooks_in(&hooks, host, err);
    if (rc != SKED_OK) return rc;
    sked_engine *e = skedi_new(&hooks.mem, 1, sizeof *e);
    if (!e) return skedi_fail_memory(err);
    e->hooks = hooks;
    e->opts = taken;
    e->kinds = kinds;
    e->delays = taken.node_delay_ns || taken.rack_delay_ns;
    engine_start_pools(e);
    rc = skedi_engine_own_tree(e, tree, &copy, err);
    if (rc == SKED_OK && !skedi_grid_build(e, copy, NULL, 1)) {
        rc = skedi_fail_memory(err);
    }
    if (rc != SKED_OK) {
        sked_tree_free(copy);
        e->hooks.host.user_free = NULL;
        sked_engine_free(e);
        return rc;
    }
    *engine = e;
    return SKED_OK;
}

void sked_engine_free(sked_engine *e)
{
    if (!e || e->busy) return;
    skedi_mem *mem = &e->hooks.mem;
    engine_pool *pools[] = {
        &e->nodes,   &e->jobs,         &e->asks,     &e->groups, &e->entries,
        &e->ranges,  &e->places,       &e->refusals, &e->users,  &e->accounts,
        &e->shapes,  &e->reservations, &e->notices,  &e->wants,  &e->bans,
        &e->remains, &e->extras};
    engine_amounts *amounts[] = {
        &e->node_capacity, &e->node_free,    &e->job_used,
        &e->job_open,      &e->account_used, &e->account_paid,
        &e->shape_step,    &e->shape_task,   &e->remains_task};
    skedi_keymap *maps[] = {&e->node_of,   &e->job_of,     &e->ask_of,
                            &e->user_of,   &e->account_of, &e->shape_of,
                            &e->notice_of, &e->want_of,    &e->refusal_of,
                            &e->remains_of};

    for (uint32_t u = 0; u < e->users.n; u++) skedi_user_unname(e, u);
    skedi_bans_free(e);
    skedi_heap_free(&e->wakes, mem);
    skedi_sets_free(e);
    skedi_soft_free(e);
    skedi_tags_free(e);
    skedi_domains_free(e);
    skedi_preempt_free(e);
    skedi_gates_free(e);
    if (e->rows.n) skedi_grid_free(e);
    skedi_fits_free(e);
    skedi_ranks_free(e);
    skedi_trees_free(e);
    sked_tree_free(e->tree);
    for (size_t i = 0; i < sizeof pools / sizeof *pools; i++) {
        skedi_pool_free(pools[i], mem);
    }
    for (size_t i = 0; i < sizeof amounts / sizeof *amounts; i++) {
        skedi_amounts_free(e, amounts[i]);
    }
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
        skedi_keymap_free(maps[i], mem);
    }
    skedi_joint_free(&e->joint, mem);
    skedi_free(mem, e->out, e->out_cap, sizeof *e->out);
    skedi_free(mem, e->entry_next, e->entry_next_cap, sizeof *e->entry_next);
    skedi_free(mem, e->waiting, e->waiting_cap, sizeof *e->waiting);
    skedi_free(mem, e->set_aside, e->aside_cap, sizeof *e->set_aside);
    skedi_free(mem, e->forms.gang, e->forms.cap, sizeof *e->forms.gang);
    skedi_free(mem, e->forms.part, e->forms.parts_cap, sizeof *e->forms.part);
    skedi_hooks last = e->hooks;
    skedi_free(&last.mem, e, 1, sizeof *e);
    skedi_hooks_done(last.host);
}

sked_status sked_engine_preempt(sked_engine *engine,
                                const sked_engine_preempt_options *options,
                                sked_error *err)
{
    if (!engine) return skedi_fail_null(err, "engine");
    sked_status rc = skedi_busy_enter(engine, err);
    if (rc != SKED_OK) return rc;
    rc = skedi_preempt_set(engine, options, err);
    if (rc == SKED_OK) skedi_log_notes(engine);
    return skedi_busy_leave(engine, rc);
}

sked_status sked_engine_name_user(sked_engine *engine, uint64_t user,
                                  const char *name, sked_error *err)
{
    if (!engine) return skedi_fail_null(err, "engine");
    if (user == UINT64_MAX) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "no user has this key");
    }
    sked_status rc = skedi_busy_enter(engine, err);
    if (rc != SKED_OK) return rc;
    if (!skedi_user_name(engine, user, name)) {
        rc = skedi_fail_memory(err);
    }
    return skedi_busy_leave(engine, rc);
}

/* Places asks job by job: takes the host's options in, and time on. */

SKEDI_NO_TAIL_PADDING(sked_engine_place_options, n);

static sked_status
engine_take_place_options(sked_engine_place_options *to,
                          const sked_engine_place_options *options,
                          sked_error *err)
{
    uint32_t v1 = SKEDI_SIZE_THROUGH(sked_engine_place_options, n);

    if (skedi_struct_in(to, sizeof *to, options, v1) != SKED_OK) {
        return skedi_fail_version(err, "options");
    }
    if (to->mode == 0) to->mode = SKED_ENGINE_PLACE_MODE_FIRST;
    if (to->mode > SKED_ENGINE_PLACE_MODE_SCORE) {
        return skedi_fail(err, SKED_ERR_ARG, "no such mode",
                          (skedi_fault){.got = to->mode});
    }
    if (to->n > 0 && !to->nodes) return skedi_fail_null(err, "nodes");
    return to->n > 0 && !to->scores ? skedi_fail_null(err, "scores") : SKED_OK;
}

/* The scores of this call, by node. `started` says meanwhile what has one. */
static sked_status engine_take_scores(sked_engine *e,
                                      const sked_engine_place_options *opts,
                                      sked_error *err)
{
    engine_rankings *ranks = &e->ranks;
    sked_status rc = SKED_OK;
    uint64_t i = 0;

    for (; rc == SKED_OK && i < opts->n; i++) {
        uint32_t node = skedi_keymap_get(&e->node_of, opts->nodes[i]);
        skedi_fault at = {.row = (int64_t)i + 1};
        if (node == SKEDI_NONE) {
            rc = skedi_fail(err, SKED_ERR_NOT_FOUND, "no such node", at);
        } else if (ranks->started[node]++) {
            rc = skedi_fail(err, SKED_ERR_EXISTS, "node is listed twice", at);
        } else {
            ranks->score[node] = opts->scores[i];
        }
    }
    for (size_t n = 0; n < ranks->cap; n++) ranks->started[n] = 0;
    return rc;
}

static sked_status engine_place_now(sked_engine *e,
                                    const sked_engine_place_options *opts,
                                    sked_time now, uint64_t budget,
                                    sked_error *err)
{
    sked_status rc = skedi_engine_time(e, now, err);

    if (rc == SKED_OK && !skedi_ranks_open(e)) rc = skedi_fail_memory(err);
    if (rc == SKED_OK) rc = engine_take_scores(e, opts, err);
    if (rc == SKED_OK) rc = engine_catch_up(e, now, err);
    if (rc != SKED_OK) return rc;
    skedi_engine_advance(e, now);
    e->ranks.mode = opts->mode;
    rc = skedi_place_all(e, budget);
    return rc < 0 ? skedi_fail_plain(err, rc, "placing was cut short") : rc;
}

sked_status sked_engine_place(sked_engine *engine, sked_time now,
                              uint64_t budget,
                              const sked_engine_place_options *options,
                              sked_error *err)
{
    sked_engine_place_options opts;

    if (!engine) return skedi_fail_null(err, "engine");
    sked_status rc = engine_take_place_options(&opts, options, err);
    if (rc == SKED_OK) rc = skedi_hooks_now(&engine->hooks, &now, err);
    if (rc == SKED_OK) rc = skedi_busy_enter(engine, err);
    if (rc != SKED_OK) return rc;
    engine->pace = 0;
    rc = engine_place_now(engine, &opts, now, budget, err);
    skedi_ranks_close(engine);
    rc = engine_take_cut(engine, rc, err);
    skedi_log_decisions(engine);
    return skedi_busy_leave(engine, rc);
}
