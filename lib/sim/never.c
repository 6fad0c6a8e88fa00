/*
 * Jobs that can never run, found before the run begins: the cluster is known
 * as a whole here, while the engine must reckon with nodes that may yet come.
 * A job is given up when there is no partition of its own in which some empty
 * node and all limits of its path, resolved for all nodes, hold one step.
 */
#include "engine/order/books.h"
#include "sim/lane.h"
#include "sim/run.h"

/* What a job takes at once: a task, or all of them. */
static void step_of(const sked_sim *sim, const sim_job *job, int64_t *step)
{
    const int64_t *task = sim->amounts + (size_t)job->given * sim->kinds;
    int gang = (sim->opts.flags & SKED_SIM_FLAG_GANG) != 0;

    for (uint32_t k = 0; k < sim->kinds; k++) {
        step[k] = gang ? task[k] * job->tasks : task[k];
    }
}

/* A kind that a step does not want bounds nothing. */
static int bound_holds(const int64_t *bound, const int64_t *step,
                       uint32_t kinds)
{
    for (uint32_t k = 0; k < kinds; k++) {
        if (step[k] > 0 && step[k] > bound[k]) return 0;
    }
    return 1;
}

static int limits_hold(const sked_engine *e, uint32_t row, uint32_t partition,
                       const int64_t *step)
{
    for (;; row = (uint32_t)e->rows.parent[row]) {
        size_t cell = cell_of(e, row, partition);
        const int64_t *ceiling = e->rows.ceiling + (size_t)row * e->kinds;
        if (!bound_holds(ceiling, step, e->kinds) ||
            !bound_holds(cell_row(e, e->cell_limit, cell), step, e->kinds)) {
            return 0;
        }
        if (row == 0) return 1;
    }
}

/* SKED_REASON_NONE: it may run some day. */
static int32_t reason_of(const sked_sim *sim, const sim_job *job)
{
    int64_t step[SKED_MAX_KINDS];
    int32_t reason = SKED_REASON_NEVER_NODE;

    step_of(sim, job, step);
    for (uint32_t p = 0; p < sim->n_lanes; p++) {
        int own = job->partition == p || job->partition == SKED_ANY_PARTITION;
        if (!own || !skedi_lane_holds(sim, p, step)) continue;
        if (limits_hold(sim->engine, job->row, p, step)) {
            return SKED_REASON_NONE;
        }
        reason = SKED_REASON_NEVER_LIMIT;
    }
    return reason;
}

void skedi_never_find(sked_sim *sim)
{
    for (uint32_t p = 0; p < sim->n_lanes; p++) {
        skedi_partition_refresh(sim->engine, p);
    }
    for (uint32_t i = 0; i < sim->n_jobs; i++) {
        sim->jobs[i].never = reason_of(sim, &sim->jobs[i]);
    }
}
