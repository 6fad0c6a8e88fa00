/* Jobs: who is admitted, what the host says of them. */
#include "ref_engine.h"

#include <string.h>

#include "tree/attr.h"
#include "tree/image.h"

static uint64_t running_in(const ref_engine *r, uint32_t row)
{
    uint64_t n = 0;

    for (size_t i = 0; i < r->jobs; i++) {
        n += r->job[i].state == REF_RUNS &&
             ref_engine_runs_below(r, &r->job[i], row);
    }
    return n;
}

int ref_engine_user_may_run(const ref_engine *r, const ref_job *job)
{
    uint64_t users = 0;

    for (size_t i = 0; i < r->jobs; i++) {
        users += r->job[i].state == REF_RUNS && r->job[i].user == job->user;
    }
    return !r->opts.max_user_running || users < r->opts.max_user_running;
}

static int may_admit(ref_engine *r, const ref_job *job)
{
    const skedi_image *image = skedi_tree_image(r->tree);

    if (!ref_engine_user_may_run(r, job) || !ref_engine_gate_offers(r, job) ||
        !ref_engine_trees_admit(r, job)) {
        return 0;
    }
    for (int32_t row = (int32_t)skedi_image_row(image, job->queue); row >= 0;
         row = image->parent[row]) {
        int64_t most = skedi_image_effective(image, SKEDI_AT_MAX_RUNNING,
                                             (uint32_t)row);
        if (image->state[row] == SKED_STATE_DRAINING ||
            (int64_t)running_in(r, (uint32_t)row) >= most) {
            return 0;
        }
    }
    return 1;
}

static int64_t tier_of(const ref_engine *r, const ref_job *job)
{
    const skedi_image *image = skedi_tree_image(r->tree);
    int64_t tier = skedi_image_effective(image,
                                         SKED_QUEUE_TIER - SKED_QUEUE_WEIGHT,
                                         skedi_image_row(image, job->queue));

    return tier ? tier : INT64_MAX;
}

int ref_engine_goes_before(const ref_engine *r, const ref_job *a,
                           const ref_job *b)
{
    int64_t x = tier_of(r, a), y = tier_of(r, b);

    if (x != y) return x < y;
    if (a->priority != b->priority) return a->priority > b->priority;
    if (a->submitted != b->submitted) return a->submitted < b->submitted;
    return a < b;
}

void ref_engine_let_run(ref_engine *r, ref_job *job, int32_t reason)
{
    job->state = REF_RUNS;
    (void)ref_engine_decide(r, (sked_decision){.kind = SKED_DECISION_ADMIT,
                                               .reason = reason,
                                               .job = job->key,
                                               .queue = job->queue,
                                               .kind_at = -1});
}

void ref_engine_admit(ref_engine *r)
{
    for (;;) {
        ref_job *best = NULL;
        ref_engine_gates_settle(r);
        if (ref_engine_is_full(r)) return;
        for (size_t i = 0; i < r->jobs; i++) {
            ref_job *job = &r->job[i];
            if (job->state != REF_WAITS || !may_admit(r, job)) continue;
            if (!best || ref_engine_goes_before(r, job, best)) best = job;
        }
        if (!best) return;
        ref_engine_let_run(r, best, SKED_REASON_ORDER);
    }
}

size_t ref_engine_job(const ref_engine *r, uint64_t key)
{
    for (size_t i = 0; i < r->jobs; i++) {
        if (r->job[i].state != REF_FORGOTTEN && r->job[i].key == key) return i;
    }
    return SIZE_MAX;
}

static sked_status leaf_of(const ref_engine *r, sked_queue_id queue)
{
    const skedi_image *image = skedi_tree_image(r->tree);
    uint32_t row = skedi_image_row(image, queue);

    if (row == SKEDI_NO_ROW) return SKED_ERR_STALE;
    return skedi_image_is_leaf(image, row) ? SKED_OK : SKED_ERR_ARG;
}

sked_status ref_engine_job_submit(ref_engine *r, const sked_events *batch,
                                  const sked_event *event)
{
    sked_time since = ref_engine_word(batch, event, batch->moments);
    if (!event->key || event->owner == UINT64_MAX ||
        event->flags &
            ~(uint32_t)(SKED_JOB_RETRY | SKED_JOB_FIXED | SKED_JOB_KEEPS |
                        SKED_JOB_ADMITTED | SKED_JOB_CONTROLLER |
                        SKED_JOB_REVOCABLE | SKED_JOB_YIELDS)) {
        return SKED_ERR_ARG;
    }
    if (ref_engine_job(r, event->key) != SIZE_MAX) return SKED_ERR_EXISTS;
    sked_status rc = leaf_of(r, event->queue);
    if (rc != SKED_OK) return rc;
    if (since > r->now) return SKED_ERR_RANGE;
    sked_queue_id charged[SKED_MAX_LIMIT_TREES];
    rc = ref_engine_charges(r, batch, charged);
    if (rc != SKED_OK) return rc;
    ref_job *job = MORE(r, job, jobs);
    memcpy(job->charged, charged, sizeof charged);
    job->key = event->key;
    job->user = event->owner;
    job->submitted = since == SKED_UNSET ? r->now : since;
    job->queue = event->queue;
    job->until = SKED_UNSET;
    job->priority = event->priority;
    job->flags = event->flags & ~(uint32_t)SKED_JOB_ADMITTED;
    if (event->flags & SKED_JOB_ADMITTED) {
        ref_engine_let_run(r, job, SKED_REASON_ADOPTED);
    }
    return SKED_OK;
}

/* Out of the old leaf, then into the new one. */
sked_status ref_engine_job_update(ref_engine *r, const sked_event *event)
{
    size_t at = ref_engine_job(r, event->key);

    if (at == SIZE_MAX || r->job[at].state == REF_ENDED) {
        return SKED_ERR_NOT_FOUND;
    }
    ref_job *job = &r->job[at];
    if (!event->queue) {
        job->priority = event->priority;
    } else {
        sked_status rc = leaf_of(r, event->queue);
        if (rc != SKED_OK) return rc;
        if (job->queue != event->queue) {
            int state = job->state;
            job->state = REF_WAITS;
            job->queue = event->queue;
            job->line = 0;
            job->state = state;
            ref_engine_see_limits(r, at);
        }
    }
    if (job->until == SKED_UNSET) job->barred = 0;
    return SKED_OK;
}

int ref_engine_job_runs(const ref_engine *r, size_t job)
{
    for (size_t i = 0; i < r->groups; i++) {
        if (r->group[i].state != REF_OVER &&
            r->ask[r->group[i].ask].job == job) {
            return 1;
        }
    }
    return 0;
}

static void job_over(ref_engine *r, size_t job)
{
    r->job[job].state = REF_ENDED;
    for (size_t i = 0; i < r->asks; i++) {
        if (r->ask[i].job == job && !r->ask[i].forgotten) {
            ref_engine_close(r, i);
        }
    }
    if (!ref_engine_job_runs(r, job)) r->job[job].state = REF_FORGOTTEN;
}

void ref_engine_kill(ref_engine *r, size_t ask, int32_t reason)
{
    for (size_t i = r->groups; i-- > 0;) {
        ref_group *g = &r->group[i];
        if (g->ask != ask) continue;
        if (g->state != REF_PROPOSED && g->state != REF_HELD) continue;
        const ref_job *job = &r->job[r->ask[ask].job];
        g->state = g->state == REF_PROPOSED ? REF_REVOKED : REF_KILLED;
        (void)ref_engine_decide(
            r, (sked_decision){.kind = SKED_DECISION_KILL,
                               .reason = reason,
                               .job = job->key,
                               .ask = r->ask[ask].key,
                               .node = r->node[g->node].key,
                               .group = g->name,
                               .task = g->task,
                               .count = g->count,
                               .queue = job->queue,
                               .kind_at = -1,
                               .partition = r->node[g->node].partition});
    }
}

static int has_held(const ref_engine *r, size_t job)
{
    for (size_t i = 0; i < r->groups; i++) {
        int holds = r->group[i].state == REF_HELD ||
                    r->group[i].state == REF_KILLED;
        if (holds && r->ask[r->group[i].ask].job == job) {
            return 1;
        }
    }
    return 0;
}

sked_status ref_engine_job_end(ref_engine *r, const sked_event *event)
{
    size_t at = ref_engine_job(r, event->key);

    if (at == SIZE_MAX || r->job[at].state == REF_ENDED) {
        return SKED_ERR_NOT_FOUND;
    }
    if (event->kind == SKED_EVENT_JOB_FINISH && has_held(r, at)) {
        return SKED_ERR_STATE;
    }
    for (size_t i = r->asks; i-- > 0;) {
        if (r->ask[i].job == at && !r->ask[i].forgotten) {
            ref_engine_kill(r, i, SKED_REASON_CANCELLED);
        }
    }
    job_over(r, at);
    return SKED_OK;
}
