/*
 * What a host may do between two stretches of a run: read the usage of queues,
 * and withdraw jobs that it sends elsewhere.
 */
#include "base/fail.h"
#include "sim/state.h"

/* Makes a job count in no queue. */
static void strike_job(sked_sim *sim, sim_job *job)
{
    job->state = SIM_WITHDRAWN;
    sim->n_withdrawn++;
    for (uint32_t at = job->row;; at = (uint32_t)sim->parent[at]) {
        sim->queues[at].jobs--;
        sim->queues[at].tasks -= (uint64_t)job->tasks;
        if (at == 0) break;
    }
}

sked_status sked_sim_withdraw(sked_sim *sim, uint32_t job, sked_error *err)
{
    if (!sim) return skedi_fail_null(err, "sim");
    if (sim->state == 2)
        return skedi_fail_plain(err, SKED_ERR_STATE, "the run has ended");
    uint32_t i = sim->next_job, n = 0;
    while (i < sim->n_jobs && sim->jobs[i].given != job) i++;
    for (; i < sim->n_jobs && sim->jobs[i].given == job; i++) {
        if (sim->jobs[i].state == SIM_WITHDRAWN) continue;
        strike_job(sim, &sim->jobs[i]);
        n++;
    }
    return n ? SKED_OK
             : skedi_fail_plain(err, SKED_ERR_NOT_FOUND, "no such job waits");
}

sked_status sked_sim_usage(const sked_sim *sim, sked_queue_id queue,
                           int64_t *usage, int64_t *pending, sked_error *err)
{
    if (!sim) return skedi_fail_null(err, "sim");
    if (!usage) return skedi_fail_null(err, "usage");
    if (sim->state == 0) return skedi_fail_read(err, SKED_ERR_STATE);
    return skedi_fail_read(err, sked_engine_usage(sim->engine, queue,
                                                  SKED_ANY_PARTITION, usage,
                                                  pending));
}
