/* The functions that read the results of a run. */
#include <sched/sim.h>

#include <string.h>

#include "base/fail.h"
#include "base/versioned.h"
#include "sim/state.h"

SKEDI_NO_TAIL_PADDING(sked_sim_result, transfers);
SKEDI_NO_TAIL_PADDING(sked_sim_queue, below_guarantee_ns);

enum {
    SIM_RESULT_V1 = SKEDI_SIZE_THROUGH(sked_sim_result, delay),
    SIM_QUEUE_V1 = SKEDI_SIZE_THROUGH(sked_sim_queue, delay)
};

/* How much of a result a caller has memory for; 0: it is none of ours. */
static uint32_t result_size(uint32_t theirs, uint32_t oldest, size_t ours)
{
    if (skedi_struct_out(theirs, oldest) != SKED_OK) return 0;
    return (uint32_t)skedi_i64_min(theirs, (int64_t)ours);
}

/* When the last job was submitted that was not withdrawn; where none was, when
 * the clock starts. */
static sked_time last_submit(const sked_sim *sim)
{
    for (uint32_t i = sim->n_jobs; i-- > 0;) {
        if (sim->jobs[i].state != SIM_WITHDRAWN) return sim->jobs[i].submit;
    }
    return sim->base;
}

sked_status sked_sim_get_result(const sked_sim *sim, sked_sim_result *result,
                                sked_error *err)
{
    if (!sim) return skedi_fail_null(err, "sim");
    if (!result) return skedi_fail_null(err, "result");
    uint32_t size = result_size(result->struct_size, SIM_RESULT_V1,
                                sizeof *result);
    if (!size) return skedi_fail_read(err, SKED_ERR_VERSION);
    if (sim->state != 2) return skedi_fail_read(err, SKED_ERR_STATE);

    sked_sim_result all = sim->result;
    all.struct_size = size;
    all.kinds = sim->kinds;
    all.sample_every_ns = sim->opts.sample_every_ns;
    all.jobs = sim->n_jobs - sim->n_withdrawn;
    all.tasks = sim->queues[0].tasks;
    all.first_submit = sim->base;
    all.last_submit = last_submit(sim);
    all.delay = sim->queues[0].delay;
    memcpy(result, &all, size);
    return SKED_OK;
}

sked_status sked_sim_get_queue(const sked_sim *sim, sked_queue_id queue,
                               sked_sim_queue *result, int64_t *peak,
                               sked_wide *work, sked_error *err)
{
    size_t row;

    if (!sim) return skedi_fail_null(err, "sim");
    if (!result) return skedi_fail_null(err, "result");
    uint32_t size = result_size(result->struct_size, SIM_QUEUE_V1,
                                sizeof *result);
    if (!size) return skedi_fail_read(err, SKED_ERR_VERSION);
    if (sim->state != 2) return skedi_fail_read(err, SKED_ERR_STATE);
    sked_status rc = sked_tree_row(sim->tree, queue, &row);
    if (rc != SKED_OK) return skedi_fail_read(err, rc);

    const sim_queue *q = &sim->queues[row];
    sked_sim_queue one = {.struct_size = size,
                          .jobs = q->jobs,
                          .tasks = q->tasks,
                          .fair_ns = q->fair,
                          .starved_ns = q->starved,
                          .delay = q->delay,
                          .below_guarantee_ns = q->below};
    memcpy(result, &one, size);
    size_t kinds = sim->kinds;
    if (peak) memcpy(peak, sim->peak + row * kinds, kinds * sizeof *peak);
    if (work) {
        memcpy(work, sim->work + row * kinds, kinds * sizeof *work);
    }
    return SKED_OK;
}

sked_status sked_sim_lost_work(const sked_sim *sim, sked_wide *work,
                               sked_error *err)
{
    if (!sim) return skedi_fail_null(err, "sim");
    if (!work) return skedi_fail_null(err, "work");
    if (sim->state != 2) return skedi_fail_read(err, SKED_ERR_STATE);
    memcpy(work, sim->lost, sim->kinds * sizeof *work);
    return SKED_OK;
}

/* Where the samples of one kind of a queue begin, and how many there are. */
static sked_status samples_of(const sked_sim *sim, sked_queue_id queue,
                              uint32_t kind, const int64_t **first, size_t *n)
{
    size_t row;

    if (!sim || !n || kind >= sim->kinds) return SKED_ERR_ARG;
    if (sim->state != 2) return SKED_ERR_STATE;
    sked_status rc = sked_tree_row(sim->tree, queue, &row);
    if (rc != SKED_OK) return rc;
    *n = sim->n_samples;
    *first = *n ? sim->samples + (row * sim->kinds + kind) * SIM_SAMPLED : NULL;
    return SKED_OK;
}

sked_status sked_sim_samples(const sked_sim *sim, sked_queue_id queue,
                             uint32_t kind, int64_t *usage, int64_t *share,
                             size_t cap, size_t *n, sked_error *err)
{
    const int64_t *first = NULL;
    sked_status rc = samples_of(sim, queue, kind, &first, n);

    if (rc != SKED_OK) return skedi_fail_read(err, rc);
    if (cap < *n) return skedi_fail_read(err, SKED_ERR_RANGE);
    for (size_t i = 0; i < *n; i++) {
        const int64_t *at = first + i * skedi_sample_row(sim);
        if (usage) usage[i] = at[0];
        if (share) share[i] = at[1];
    }
    return SKED_OK;
}

sked_status sked_sim_pending(const sked_sim *sim, sked_queue_id queue,
                             uint32_t kind, int64_t *pending, size_t cap,
                             size_t *n, sked_error *err)
{
    const int64_t *first = NULL;
    sked_status rc = samples_of(sim, queue, kind, &first, n);

    if (rc != SKED_OK) return skedi_fail_read(err, rc);
    if (cap < *n) return skedi_fail_read(err, SKED_ERR_RANGE);
    for (size_t i = 0; pending && i < *n; i++) {
        pending[i] = first[i * skedi_sample_row(sim) + 2];
    }
    return SKED_OK;
}

/* May a column of all jobs as replayed be written? */
static sked_status jobs_out(const sked_sim *sim, const void *column, size_t cap,
                            size_t *n)
{
    if (!sim || !n || (cap && !column)) return SKED_ERR_ARG;
    if (sim->state != 2) return SKED_ERR_STATE;
    *n = sim->n_jobs;
    return cap < *n ? SKED_ERR_RANGE : SKED_OK;
}

sked_status sked_sim_delays(const sked_sim *sim, int64_t *delays, size_t cap,
                            size_t *n, sked_error *err)
{
    sked_status rc = jobs_out(sim, delays, cap, n);

    if (rc != SKED_OK) return skedi_fail_read(err, rc);
    for (uint32_t i = 0; i < sim->n_jobs; i++) delays[i] = sim->jobs[i].delay;
    return SKED_OK;
}

sked_status sked_sim_rows(const sked_sim *sim, uint32_t *rows, size_t cap,
                          size_t *n, sked_error *err)
{
    sked_status rc = jobs_out(sim, rows, cap, n);

    if (rc != SKED_OK) return skedi_fail_read(err, rc);
    for (uint32_t i = 0; i < sim->n_jobs; i++) rows[i] = sim->jobs[i].given;
    return SKED_OK;
}
