/* The functions that read the results of a run, and the samples of usage. */
#include <sched/sim.h>
#include <string.h>

#include "base/fail.h"
#include "base/versioned.h"
#include "sim/run.h"
#include "sim/state.h"

SKEDI_NO_TAIL_PADDING(sked_sim_result, transfers);
SKEDI_NO_TAIL_PADDING(sked_sim_queue, below_guarantee_ns);

enum {
    SIM_RESULT_V1 = SKEDI_SIZE_THROUGH(sked_sim_result, delay),
    SIM_QUEUE_V1 = SKEDI_SIZE_THROUGH(sked_sim_queue, delay)
};

/* The bytes of a result that the caller has memory for; 0: unknown size. */
static uint32_t sim_result_size(uint32_t theirs, uint32_t oldest, size_t ours)
{
    if (skedi_struct_out(theirs, oldest) != SKED_OK) return 0;
    return (uint32_t)skedi_i64_min(theirs, (int64_t)ours);
}

/* The submission of the last job that was not withdrawn; without such a job,
 * the start of the clock. */
static sked_time sim_last_submit(const sked_sim *sim)
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
    uint32_t size = sim_result_size(result->struct_size, SIM_RESULT_V1,
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
    all.last_submit = sim_last_submit(sim);
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
    uint32_t size = sim_result_size(result->struct_size, SIM_QUEUE_V1,
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

/* The samples of one kind of a queue, and their number. */
static sked_status sim_samples_of(const sked_sim *sim, sked_queue_id queue,
                                  uint32_t kind, const int64_t **first,
                                  size_t *n)
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
    sked_status rc = sim_samples_of(sim, queue, kind, &first, n);

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
    sked_status rc = sim_samples_of(sim, queue, kind, &first, n);

    if (rc != SKED_OK) return skedi_fail_read(err, rc);
    if (cap < *n) return skedi_fail_read(err, SKED_ERR_RANGE);
    for (size_t i = 0; pending && i < *n; i++) {
        pending[i] = first[i * skedi_sample_row(sim) + 2];
    }
    return SKED_OK;
}

/* Checks a column that has a row for each replayed job. */
static sked_status sim_jobs_out(const sked_sim *sim, const void *column,
                                size_t cap, size_t *n)
{
    if (!sim || !n || (cap && !column)) return SKED_ERR_ARG;
    if (sim->state != 2) return SKED_ERR_STATE;
    *n = sim->n_jobs;
    return cap < *n ? SKED_ERR_RANGE : SKED_OK;
}

sked_status sked_sim_delays(const sked_sim *sim, int64_t *delays, size_t cap,
                            size_t *n, sked_error *err)
{
    sked_status rc = sim_jobs_out(sim, delays, cap, n);

    if (rc != SKED_OK) return skedi_fail_read(err, rc);
    for (uint32_t i = 0; i < sim->n_jobs; i++) delays[i] = sim->jobs[i].delay;
    return SKED_OK;
}

sked_status sked_sim_rows(const sked_sim *sim, uint32_t *rows, size_t cap,
                          size_t *n, sked_error *err)
{
    sked_status rc = sim_jobs_out(sim, rows, cap, n);

    if (rc != SKED_OK) return skedi_fail_read(err, rc);
    for (uint32_t i = 0; i < sim->n_jobs; i++) rows[i] = sim->jobs[i].given;
    return SKED_OK;
}

/* Samples of usage, shares and demand of queues, at even distances in time. */

/* Keeps every second sample and halves the sampling rate. */
static void sim_thin_samples(sked_sim *sim, size_t row)
{
    size_t kept = (sim->n_samples + 1) / 2;

    for (size_t i = 1; i < kept; i++) {
        memcpy(sim->samples + i * row, sim->samples + 2 * i * row,
               row * sizeof *sim->samples);
    }
    sim->n_samples = kept;
    sim->opts.sample_every_ns *= 2;
}

/* The demand of queues, by row; unknown without shares. */
static const int64_t *sim_demand_of(const sked_sim *sim, uint32_t kind)
{
    if (sim->opts.flags & SKED_SIM_FLAG_NO_SHARES) return NULL;
    return sked_ledger_view(sim->ledger, SKED_LEDGER_DEMAND, kind, NULL);
}

static sked_status sim_add_sample(sked_sim *sim, size_t row)
{
    size_t at = sim->n_samples * row;
    void *grown = sim->samples;

    if (!skedi_ensure(&sim->hooks.mem, &grown, &sim->samples_cap, at + row,
                      sizeof *sim->samples)) {
        return SKED_ERR_NOMEM;
    }
    sim->samples = grown;
    sim->n_samples++;
    for (uint32_t k = 0; k < sim->kinds; k++) {
        const int64_t *demand = sim_demand_of(sim, k);
        for (size_t r = 0; r < sim->n_rows; r++) {
            size_t i = r * sim->kinds + k;
            int64_t *to = sim->samples + at + i * SIM_SAMPLED;
            to[0] = sim->usage[i];
            to[1] = sim->fair[k * sim->n_rows + r];
            to[2] = demand ? demand[r] - sim->usage[i] : 0;
        }
    }
    return SKED_OK;
}

/* Takes the samples of every queue at each sampling instant before `to`. */
sked_status skedi_measure_sample(sked_sim *sim, sked_time to)
{
    size_t row = skedi_sample_row(sim);
    sked_status rc = SKED_OK;

    if (sim->opts.sample_every_ns == 0) return SKED_OK;
    while (rc == SKED_OK &&
           (int64_t)sim->n_samples * sim->opts.sample_every_ns <
               to - sim->base) {
        if (sim->opts.max_samples && sim->n_samples >= sim->opts.max_samples) {
            sim_thin_samples(sim, row);
        } else {
            rc = sim_add_sample(sim, row);
        }
    }
    return rc;
}
