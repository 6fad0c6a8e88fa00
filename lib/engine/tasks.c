/* What hosts say of tasks: confirmed, refused, saved, ended. */
#include "base/fail.h"
#include "engine/asks.h"
#include "engine/groups.h"
#include "engine/kin.h"
#include "engine/notices.h"
#include "engine/open.h"
#include "engine/out.h"
#include "engine/pool.h"
#include "engine/refusal.h"

/* Notes that the host would not have this ask on this node. */
static void note_refusal(sked_engine *e, uint32_t group)
{
    const engine_group *g = group_at(e, group);
    engine_ask *a = ask_at(e, g->ask);
    engine_refusal *refusals = e->refusals.item;
    uint32_t *at = &a->refusals, refusal;

    while (*at != SKEDI_NONE) { /* those that no longer hold go */
        refusal = *at;
        if (skedi_refusal_holds(e, a, &refusals[refusal])) {
            at = &refusals[refusal].next;
            continue;
        }
        *at = refusals[refusal].next;
        skedi_pool_give(&e->refusals, refusal);
    }
    refusal = skedi_pool_take(&e->refusals);
    refusals[refusal] = (engine_refusal){
        .node = g->node,
        .node_epoch = node_at(e, g->node)->epoch,
        .ask_epoch = a->epoch,
        .next = a->refusals,
    };
    a->refusals = refusal;
}

static sked_status refuse_group(sked_engine *e, uint32_t group, sked_error *err)
{
    if (!skedi_group_is_proposal(e, group)) {
        return skedi_fail_plain(err, SKED_ERR_STATE,
                                "only a proposal can be refused");
    }
    if (!skedi_ask_room(e, group_at(e, group)->ask) ||
        !skedi_pool_room(&e->refusals, &e->hooks.mem, 1)) {
        return skedi_fail_plain(err, SKED_ERR_NOMEM, "no room for a refusal");
    }
    if (!ask_at(e, group_at(e, group)->ask)->closed) note_refusal(e, group);
    skedi_group_end(e, group, group_at(e, group)->count, GROUP_UNDO);
    return SKED_OK;
}

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
    return !(a->flags & SKED_ASK_GANG) || count == g->count;
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
    if (again && (!skedi_ask_room(e, group_at(e, group)->ask) ||
                  !skedi_out_room(e, 1))) {
        return skedi_fail_plain(err, SKED_ERR_NOMEM, "no room for tasks");
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
    if (!skedi_notice_room(e, 1)) {
        return skedi_fail_plain(err, SKED_ERR_NOMEM, "no room for a note");
    }
    skedi_kin_leave(e, group);
    skedi_notice_take(e, group)->saved = e->now;
    skedi_kin_join(e, group); /* last of all */
    return SKED_OK;
}

sked_status skedi_task_event(sked_engine *e, const sked_event *event,
                             sked_error *err)
{
    uint32_t group = skedi_group_find(e, event->key);

    if (group == SKEDI_NONE) {
        return skedi_fail_plain(err, SKED_ERR_STALE, "no such group");
    }
    if (event->kind == SKED_EVENT_TASK_REFUSE) {
        return refuse_group(e, group, err);
    }
    if (event->kind == SKED_EVENT_TASK_CONFIRM) {
        if (!skedi_group_is_proposal(e, group)) {
            return skedi_fail_plain(err, SKED_ERR_STATE,
                                    "the group is no proposal");
        }
        skedi_group_hold(e, group);
        return SKED_OK;
    }
    if (event->kind == SKED_EVENT_TASK_SAVED) {
        return save_work(e, group, err);
    }
    return end_tasks(e, group, event, err);
}
