/* What hosts say of tasks: confirmed, saved, ended. */
#include "base/fail.h"
#include "engine/core/asks.h"
#include "engine/core/groups.h"
#include "engine/core/notices.h"
#include "engine/core/open.h"
#include "engine/core/out.h"
#include "engine/pool.h"
#include "engine/watch.h"

/* Do tasks of this group that went wrong come again? Of a gang only all that
 * is left of it at once. */
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
    return !skedi_ask_is_whole(a) || count == g->count;
}

static sked_status end_tasks(sked_engine *e, uint32_t group,
                             const sked_event *event, sked_error *err)
{
    int killed = event->kind == SKED_EVENT_TASK_KILLED;
    int told = killed && !skedi_group_is_doomed(e, group);
    int64_t left = told ? skedi_group_dying(e, group)
                        : group_at(e, group)->count;
    int again = comes_again(e, group, event->kind, event->count);

    if (event->count < 1 || event->count > left) {
        return skedi_fail(err, SKED_ERR_RANGE,
                          killed ? "not so many were told to end"
                                 : "the group has not so many",
                          (skedi_fault){.got = event->count, .limit = left});
    }
    if (again && (!skedi_ask_reserve(e, group_at(e, group)->ask) ||
                  !skedi_out_reserve(e, 1))) {
        return skedi_fail_memory(err);
    }
    if (again) {
        skedi_group_decide(e, group, SKED_DECISION_REQUEUE,
                           killed ? SKED_REASON_PREEMPTED : SKED_REASON_NONE);
        sked_decision *d = skedi_out_last(e);
        d->task += d->count - event->count;
        d->count = event->count;
    }
    skedi_group_end(e, group, (uint32_t)event->count,
                    again ? GROUP_AGAIN : GROUP_OVER);
    return SKED_OK;
}

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

sked_status skedi_task_confirm(sked_engine *e, const sked_events *batch,
                               const sked_event *event, sked_error *err)
{
    uint32_t group = skedi_group_find(e, event->key);
    sked_status rc = SKED_OK;

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

    if (group == SKEDI_NONE) {
        return skedi_fail_plain(err, SKED_ERR_STALE, "no such group");
    }
    if (event->kind == SKED_EVENT_TASK_SAVED) {
        return save_work(e, group, err);
    }
    return end_tasks(e, group, event, err);
}
