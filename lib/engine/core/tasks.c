/* What hosts say of tasks: confirmed, saved, ended, when they will, what they
 * cost. */
#include "base/fail.h"
#include "engine/work.h"
#include "engine/columns.h"
#include "engine/reservation.h"
#include "engine/alloc.h"
#include "engine/decision.h"
#include "engine/pending.h"
#include "engine/order/wants.h"
#include "engine/pace.h"
#include "engine/store.h"
#include "engine/watch.h"

/* Are tasks of a group open again that end by this kind of event? Of a gang on
 * one node only where all that is left in the group ends. */
static int comes_again(const sked_engine *e, uint32_t group, int32_t kind,
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

/* How many tasks of a group may end by this kind of event: by TASK_KILLED only
 * those that have a kill order. */
static int64_t tasks_to_end(const sked_engine *e, uint32_t group, int32_t kind)
{
    int killed = kind == SKED_EVENT_TASK_KILLED;

    if (killed && !skedi_group_is_doomed(e, group)) {
        return skedi_group_dying(e, group);
    }
    return group_at(e, group)->count;
}

/* Is the job of a group to be admitted anew (SKED_JOB_READMIT) if no group of
 * it is left after this kind of event? `again`: as of comes_again(). What was
 * killed of a withdrawn ask is not wanted again, but its job is as any other. */
static int asks_admission(const sked_engine *e, uint32_t group, int32_t kind,
                          int again)
{
    const engine_ask *a = ask_at(e, group_at(e, group)->ask);
    const engine_job *job = job_at(e, a->job);
    int over = a->closed && !(job->flags & SKED_JOB_ONCE);

    return kind == SKED_EVENT_TASK_KILLED && job->flags & SKED_JOB_READMIT &&
           (again || over) && job->state == JOB_RUNNING &&
           !skedi_group_is_doomed(e, group);
}

/* Ends the last tasks of a group. Memory was reserved where they come again. */
static void end_last(sked_engine *e, uint32_t group, int32_t kind,
                     int64_t count)
{
    int again = comes_again(e, group, kind, count);
    int anew = asks_admission(e, group, kind, again);
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

static sked_status fail_count(sked_error *err, const sked_event *event,
                              int64_t left)
{
    return skedi_fail(err, SKED_ERR_RANGE,
                      event->kind == SKED_EVENT_TASK_KILLED
                          ? "not so many have kill orders"
                          : "the group has not so many",
                      (skedi_fault){.got = event->count, .limit = left});
}

static int readmit_reserve(sked_engine *e, uint32_t ask)
{
    const engine_job *job = job_at(e, ask_at(e, ask)->job);

    return !(job->flags & SKED_JOB_READMIT) ||
           skedi_wait_reserve(e, job->row, 1);
}

/* Memory to end so many tasks of a group. 0: no memory. */
static int end_reserve(sked_engine *e, uint32_t group, int32_t kind,
                       int64_t count)
{
    uint32_t ask = group_at(e, group)->ask;
    int again = comes_again(e, group, kind, count);

    if (asks_admission(e, group, kind, again) && !readmit_reserve(e, ask)) {
        return 0;
    }
    return !again || (skedi_ask_reserve(e, ask) && skedi_out_reserve(e, 1));
}

/* Released tasks end first, then the last ones that are left. */
static sked_status end_tasks(sked_engine *e, uint32_t group,
                             const sked_event *event, sked_error *err)
{
    int64_t released = skedi_remains_of(e, event->key), left = released;

    if (group != SKEDI_NONE) left += tasks_to_end(e, group, event->kind);
    if (event->count < 1 || event->count > left) {
        return fail_count(err, event, left);
    }
    released = skedi_i64_min(released, event->count);
    int64_t count = event->count - released;
    if (count > 0 && !end_reserve(e, group, event->kind, count)) {
        return skedi_fail_memory(err);
    }
    if (released > 0) skedi_remains_end(e, event->key, (uint32_t)released);
    if (count > 0) end_last(e, group, event->kind, count);
    return SKED_OK;
}

static sked_status release_tasks(sked_engine *e, uint32_t group,
                                 const sked_event *event, sked_error *err)
{
    int64_t left = group_at(e, group)->count;

    if (event->flags != 0) return skedi_fail_flags(err, "event");
    if (skedi_group_is_proposal(e, group)) {
        return skedi_fail_plain(err, SKED_ERR_STATE, "the group is a proposal");
    }
    if (event->count < 1 || event->count > left) {
        return fail_count(err, event, left);
    }
    if (!skedi_remains_reserve(e, 1)) return skedi_fail_memory(err);
    skedi_remains_add(e, group, (uint32_t)event->count);
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

/* The step of a gang changes with each group that ends; the shape before is
 * given back as soon as there is the next, so two are enough. */
int skedi_task_reserve(sked_engine *e, uint32_t ask)
{
    const engine_ask *a = ask_at(e, ask);
    uint64_t n = skedi_ask_groups(e, ask),
             gangs = a->flags & SKED_ASK_GANG ? n : 0;

    return skedi_ask_reserve(e, ask) && readmit_reserve(e, ask) &&
           skedi_ranges_reserve(e, n) &&
           (gangs == 0 || (skedi_shape_reserve(e, 2) &&
                           skedi_wants_reserve(e, (gangs + 2) * e->parts))) &&
           skedi_out_reserve(e, (size_t)n);
}

/* Is there a group of an ask that this kind of event is about? */
static int says_of_any(const sked_engine *e, uint32_t ask, int32_t kind)
{
    for (uint32_t g = ask_at(e, ask)->first_group; g != SKEDI_NONE;
         g = group_at(e, g)->ask_next) {
        if (kind == SKED_EVENT_TASK_CONFIRM ? skedi_group_is_proposal(e, g)
                                            : tasks_to_end(e, g, kind) > 0) {
            return 1;
        }
    }
    return 0;
}

/* One event for all groups of an ask (SKED_TASK_ALL); the newest first, so that
 * the numbers of tasks that are open again follow each other. */
static sked_status tell_each_group(sked_engine *e, const sked_event *event,
                                   sked_error *err)
{
    int32_t kind = event->kind;
    uint32_t ask, next;
    sked_status rc = skedi_task_ask(e, event, &ask, err);

    if (rc != SKED_OK) return rc;
    if (!says_of_any(e, ask, kind)) {
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
            int64_t count = tasks_to_end(e, g, kind);
            if (count > 0) end_last(e, g, kind, count);
        } else if (skedi_group_is_proposal(e, g)) {
            skedi_group_hold(e, g);
        }
    }
    return SKED_OK;
}

/* ---- One group ---- */

static sked_status save_work(sked_engine *e, uint32_t group, sked_error *err)
{
    if (!skedi_notice_reserve(e, 1)) {
        return skedi_fail_memory(err);
    }
    skedi_watch_end(e, group);
    skedi_notice_take(e, group)->saved = e->now;
    skedi_watch_begin(e, group); /* last of all */
    return SKED_OK;
}

/* Checks the moment of TASK_ENDS, or the count of TASK_COST. SKED_OK or
 * SKED_ERR_RANGE. */
static sked_status check_said(const sked_engine *e, const sked_events *batch,
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

/* Notes what is said of one group; memory was reserved. */
static void say_of(sked_engine *e, uint32_t group, const sked_event *event,
                   sked_time ends)
{
    if (event->kind == SKED_EVENT_TASK_ENDS) {
        skedi_notice_take(e, group)->ends = ends;
        return;
    }
    skedi_watch_end(e, group);
    skedi_notice_take(e, group)->cost = (int32_t)event->count;
    skedi_watch_begin(e, group);
}

/* Notes what is said of all that an ask runs on a node (SKED_TASK_ON_NODE). */
static sked_status say_on_node(sked_engine *e, const sked_event *event,
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
        if (there && !skedi_group_is_proposal(e, g)) say_of(e, g, event, ends);
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
    sked_status rc = check_said(e, batch, event, err);
    if (rc == SKED_OK && event->flags) rc = say_on_node(e, event, ends, err);
    if (rc != SKED_OK) return rc;
    if (!event->flags) {
        if (!skedi_notice_reserve(e, 1)) return skedi_fail_memory(err);
        say_of(e, group, event, ends);
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
            return tell_each_group(e, event, err);
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
    if (event->flags) return tell_each_group(e, event, err);
    if (group == SKEDI_NONE && !(ends && skedi_remains_of(e, event->key) > 0)) {
        return skedi_fail_plain(err, SKED_ERR_STALE, "no such group");
    }
    if (ends) return end_tasks(e, group, event, err);
    return saved ? save_work(e, group, err)
                 : release_tasks(e, group, event, err);
}
