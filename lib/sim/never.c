/*
 * Jobs that can never run, found before the run begins: the cluster is known
 * as a whole here, while the engine must reckon with nodes that may yet come.
 * A job is given up when there is no partition of its own in which some empty
 * node that its rule takes (empty nodes together, where gangs are spread) and all
 * limits of its path, resolved for all nodes, hold one step.
 */
#include "engine/probe.h"
#include "sim/run.h"

/* What a job takes at once: a task, or all of them. */
static void step_of(const sked_sim *sim, const sim_job *job, int64_t *step)
{
    const int64_t *task = sim->amounts + (size_t)job->given * sim->kinds;
    int gang = sim_is_gang(&sim->opts);

    for (uint32_t k = 0; k < sim->kinds; k++) {
        step[k] = gang ? task[k] * job->tasks : task[k];
    }
}

/* How many tasks an empty node takes, `most` at most; of exact gangs as many, or
 * none. */
static int64_t tasks_on(const sked_sim *sim, const int64_t *task, uint32_t node,
                        int64_t most)
{
    const int64_t *own = sim->node_amounts + (size_t)node * sim->kinds;

    for (uint32_t k = 0; k < sim->kinds; k++) {
        if (task[k] > 0) most = skedi_i64_min(most, own[k] / task[k]);
    }
    return most < sim_each(&sim->opts) ? 0 : most;
}

/* Do empty nodes of a partition hold what a job takes at once: together where gangs
 * are spread, else one of them? Of all nodes, or (`ruled`) of those that its rule
 * takes. Nodes of a group are alike. */
static int nodes_hold(const sked_sim *sim, uint32_t job, uint32_t p, int ruled)
{
    const sim_job *own = &sim->jobs[job];
    const int64_t *task = sim->amounts + (size_t)own->given * sim->kinds;
    int64_t most = sim->opts.per_node ? sim->opts.per_node : own->tasks;
    int64_t left = sim_is_gang(&sim->opts) ? own->tasks : 1;

    for (size_t g = 0; g < sim->n_groups && left > 0; g++) {
        const sim_group *group = &sim->groups[g];
        if (group->count == 0 || sim->node_partition[group->first] != p) {
            continue;
        }
        int64_t on = tasks_on(sim, task, group->first, most);
        if (on == 0 || (ruled && !skedi_rules_takes(sim, job, g))) continue;
        if (sim_is_spread(&sim->opts))
            left -= skedi_i64_min(on, left) * group->count;
        else if (on >= left)
            left = 0;
    }
    return left <= 0;
}

/* SKED_REASON_NONE: it may run some day. */
static int32_t reason_of(const sked_sim *sim, uint32_t i)
{
    const sim_job *job = &sim->jobs[i];
    int64_t step[SKED_MAX_KINDS];
    int32_t reason = SKED_REASON_NEVER_NODE;

    step_of(sim, job, step);
    for (uint32_t p = 0; p < sim->n_lanes; p++) {
        int own = job->partition == p || job->partition == SKED_ANY_PARTITION;
        if (!own || !nodes_hold(sim, i, p, 0)) continue;
        if (skedi_rules_has(sim, i) && !nodes_hold(sim, i, p, 1)) {
            if (reason == SKED_REASON_NEVER_NODE) reason = SKED_REASON_RULE;
            continue;
        }
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
        sim->jobs[i].never = reason_of(sim, i);
    }
}
