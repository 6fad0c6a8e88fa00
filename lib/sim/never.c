/*
 * Jobs that can never run, found before the run begins: the cluster is known
 * as a whole here, while the engine must reckon with nodes that may yet come.
 * A job is given up when there is no partition of its own in which some empty
 * node and all limits of its path, resolved for all nodes, hold one step.
 */
#include "engine/api/probe.h"
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

/* SKED_REASON_NONE: it may run some day. */
static int32_t reason_of(const sked_sim *sim, const sim_job *job)
{
    int64_t step[SKED_MAX_KINDS];
    int32_t reason = SKED_REASON_NEVER_NODE;

    step_of(sim, job, step);
    for (uint32_t p = 0; p < sim->n_lanes; p++) {
        int own = job->partition == p || job->partition == SKED_ANY_PARTITION;
        if (!own || !skedi_lane_holds(sim, p, step)) continue;
        if (skedi_probe_limits_hold(sim->engine, job->row, p, step)) {
            return SKED_REASON_NONE;
        }
        reason = SKED_REASON_NEVER_LIMIT;
    }
    return reason;
}

void skedi_never_find(sked_sim *sim)
{
    for (uint32_t p = 0; p < sim->n_lanes; p++) {
        skedi_probe_refresh(sim->engine, p);
    }
    for (uint32_t i = 0; i < sim->n_jobs; i++) {
        sim->jobs[i].never = reason_of(sim, &sim->jobs[i]);
    }
}
