/*
 * What an engine is to be told anew: a row that its event would be refused for by
 * itself is refused here, before the host has applied any of the differences.
 */
#include "base/fail.h"
#include "engine/api/reconcile.h"
#include "engine/work.h"
#include "engine/columns.h"

/* Is a moment, or the time of a row without one, none to come, and (`since`) not
 * too long ago? */
static sked_status check_moment(const engine_recon *r, const sked_event *event,
                                sked_time since, sked_error *err)
{
    sked_time moment = skedi_event_moment(r->in, event);

    if (moment == SKED_UNSET) moment = event->time;
    if (moment > r->now) {
        return skedi_fail(err, SKED_ERR_RANGE, "the moment is later than now",
                          (skedi_fault){.got = moment, .limit = r->now});
    }
    if (moment >= since) return SKED_OK;
    return skedi_fail(err, SKED_ERR_RANGE, "began too long ago",
                      (skedi_fault){.got = moment, .limit = since});
}

static sked_status check_new_node(const engine_recon *r,
                                  const sked_event *event, sked_error *err)
{
    uint32_t node = skedi_keymap_get(&r->e->node_of, event->key);

    if (node != SKEDI_NONE && !r->node_goes[node]) return SKED_OK;
    if (event->partition < SKED_MAX_PARTITIONS) return SKED_OK;
    return skedi_fail_plain(err, SKED_ERR_RANGE, "no such partition");
}

static sked_status check_new_job(const engine_recon *r, const sked_event *event,
                                 sked_error *err)
{
    uint32_t job = skedi_keymap_get(&r->e->job_of, event->key);

    if (job != SKEDI_NONE && !r->job_ends[job]) return SKED_OK;
    sked_status rc = skedi_job_check(event, err);
    return rc == SKED_OK ? check_moment(r, event, INT64_MIN, err) : rc;
}

/* Tasks of an ask that is told anew. */
static sked_status check_new_run(const engine_recon *r, const sked_event *event,
                                 sked_error *err)
{
    uint32_t of = skedi_keymap_get(&r->asks, event->owner);
    int64_t since = r->now < INT64_MIN + SKED_TIME_JUMP_MAX
                        ? INT64_MIN
                        : r->now - SKED_TIME_JUMP_MAX;

    if (skedi_recon_ask(r, of) != SKEDI_NONE) return SKED_OK;
    return check_moment(r, event, since, err);
}

static sked_status check_new_row(const engine_recon *r, uint64_t row,
                                 sked_error *err)
{
    const sked_event *event = skedi_event_at(r->in, row);

    switch (event->kind) {
    case SKED_EVENT_NODE_UP: return check_new_node(r, event, err);
    case SKED_EVENT_JOB_SUBMIT: return check_new_job(r, event, err);
    case SKED_EVENT_TASK_RUNNING: return check_new_run(r, event, err);
    case SKED_EVENT_ASK_ADD: break;
    default: return SKED_OK;
    }
    int over = r->withdrawn[row] && r->runs[row] == 0;
    if (over || skedi_recon_ask(r, row) != SKEDI_NONE) return SKED_OK;
    return skedi_ask_check(r->in, event, err);
}

sked_status skedi_recon_check_new(const engine_recon *r, sked_error *err)
{
    sked_status rc = SKED_OK;

    for (uint64_t i = 0; i < r->in->n && rc == SKED_OK; i++) {
        rc = check_new_row(r, i, err);
        if (rc != SKED_OK) err->row = (int64_t)i;
    }
    return rc;
}
