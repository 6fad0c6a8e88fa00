/* How many tasks of a job rounds leave running. */
#include "engine/preempt/least.h"

#include "base/fail.h"
#include "engine/core/notices.h"

sked_status skedi_job_least(sked_engine *e, const sked_event *event,
                            sked_error *err)
{
    uint32_t job = skedi_keymap_get(&e->job_of, event->key);

    if (job == SKEDI_NONE || job_at(e, job)->state == JOB_ENDED) {
        return skedi_fail_plain(err, SKED_ERR_NOT_FOUND, "no such job");
    }
    if (event->count < 0) {
        return skedi_fail(err, SKED_ERR_RANGE, "less than no task",
                          (skedi_fault){.got = event->count});
    }
    job_at(e, job)->least = event->count;
    if (event->count > 0) e->leasts = 1;
    if (e->preempt) e->preempt->timed = 1; /* a round may decide more */
    return SKED_OK;
}

int skedi_least_open(round_state *s)
{
    if (!s->e->leasts) return 1;
    s->left = skedi_round_room(s->e, s->e->jobs.n, sizeof *s->left);
    return s->left != NULL;
}

/* Tasks of a job that run and were not told to end, beyond the least. */
static int64_t more_than_least(const sked_engine *e, const engine_job *job)
{
    int64_t n = 0;

    for (uint32_t a = job->first_ask; a != SKEDI_NONE; a = ask_at(e, a)->next) {
        for (uint32_t g = ask_at(e, a)->first_group; g != SKEDI_NONE;
             g = group_at(e, g)->ask_next) {
            if (group_at(e, g)->state != GROUP_HELD) continue;
            n += (int64_t)group_at(e, g)->count - skedi_group_dying(e, g);
        }
    }
    return skedi_i64_max(n - job->least, 0);
}

int64_t skedi_least_left(const round_state *s, uint32_t group)
{
    const sked_engine *e = s->e;
    uint32_t job = ask_at(e, group_at(e, group)->ask)->job;

    if (!s->left || job_at(e, job)->least == 0) return INT64_MAX;
    if (group_at(e, group)->state != GROUP_HELD) return INT64_MAX;
    if (s->left[job] == 0) {
        s->left[job] = more_than_least(e, job_at(e, job)) + 1;
    }
    return s->left[job] - 1;
}

void skedi_least_take(round_state *s, uint32_t group, int64_t count)
{
    uint32_t job = ask_at(s->e, group_at(s->e, group)->ask)->job;

    s->taken[group] = (uint32_t)(s->taken[group] + count);
    if (!s->left || s->left[job] == 0) return;
    if (group_at(s->e, group)->state == GROUP_HELD) s->left[job] -= count;
}
