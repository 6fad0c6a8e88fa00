/*
 * The loop of a run: go to the next instant, apply the changes of that instant,
 * then send the node events that may decide something. A host may read and
 * withdraw between two stretches of a run.
 */

#include "base/fail.h"
#include "base/par.h"
#include "engine/probe.h"
#include "sim/lane.h"
#include "sim/run.h"
#include "sim/state.h"

/*
 * Finds the jobs that can never run, before the run begins. The simulator knows
 * the whole cluster; the engine must expect nodes that may still join. A job is
 * given up if none of its partitions can hold one step of the job. A partition
 * holds a step if all limits of the job's path, resolved for all nodes, hold
 * the step, and some empty node that the job's rule takes holds the step (all
 * such nodes together, for spread gangs).
 */

/* The amounts of one step of a job: one task, or all tasks of a gang. */
static void sim_step_of(const sked_sim *sim, const sim_job *job, int64_t *step)
{
    const int64_t *task = sim->amounts + (size_t)job->given * sim->kinds;
    int gang = sim_is_gang(&sim->opts);

    for (uint32_t k = 0; k < sim->kinds; k++) {
        step[k] = gang ? task[k] * job->tasks : task[k];
    }
}

/* How many tasks an empty node takes, at most `most`; for exact gangs exactly
 * the number per node, or none. */
static int64_t sim_tasks_on(const sked_sim *sim, const int64_t *task,
                            uint32_t node, int64_t most)
{
    const int64_t *own = sim->node_amounts + (size_t)node * sim->kinds;

    for (uint32_t k = 0; k < sim->kinds; k++) {
        if (task[k] > 0) most = skedi_i64_min(most, own[k] / task[k]);
    }
    return most < sim_each(&sim->opts) ? 0 : most;
}

/* True if empty nodes of a partition hold one step of a job: together for
 * spread gangs, otherwise one node alone. `ruled`: only nodes that the job's
 * rule takes. The nodes of a group are alike. */
static int sim_nodes_hold(const sked_sim *sim, uint32_t job, uint32_t p,
                          int ruled)
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
        int64_t on = sim_tasks_on(sim, task, group->first, most);
        if (on == 0 || (ruled && !skedi_rules_takes(sim, job, g))) continue;
        if (sim_is_spread(&sim->opts))
            left -= skedi_i64_min(on, left) * group->count;
        else if (on >= left)
            left = 0;
    }
    return left <= 0;
}

/* Why a job can never run; SKED_REASON_NONE: the job may run some day. */
static int32_t sim_reason_of(const sked_sim *sim, uint32_t i)
{
    const sim_job *job = &sim->jobs[i];
    int64_t step[SKED_MAX_KINDS];
    int32_t reason = SKED_REASON_NEVER_NODE;

    sim_step_of(sim, job, step);
    for (uint32_t p = 0; p < sim->n_lanes; p++) {
        int own = job->partition == p || job->partition == SKED_ANY_PARTITION;
        if (!own || !sim_nodes_hold(sim, i, p, 0)) continue;
        if (skedi_rules_has(sim, i) && !sim_nodes_hold(sim, i, p, 1)) {
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

/* Notes why, job by job; all nodes are up and empty. */
static void sim_never_find(sked_sim *sim)
{
    for (uint32_t p = 0; p < sim->n_lanes; p++) {
        skedi_probe_refresh(sim->engine, p);
    }
    for (uint32_t i = 0; i < sim->n_jobs; i++) {
        sim->jobs[i].never = sim_reason_of(sim, i);
    }
}

/*
 * The loop: go to the next instant with a change, apply the changes, then send
 * the node events that may decide something, in the order of their phases.
 */

/* ---- What happens at an instant ---- */

static sked_status sim_reject_job(sked_sim *sim, uint32_t i)
{
    const sim_job *job = &sim->jobs[i];
    sked_decision record = {
        .kind = SKED_DECISION_REJECT,
        .reason = job->never,
        .job = (uint64_t)i + 1,
        .ask = (uint64_t)i + 1,
        .queue = job->queue,
        .kind_at = -1,
        .partition = job->partition,
        .time = sim_service(sim),
    };

    return skedi_measure_record(sim, &record);
}

static sked_status sim_submit_job(sked_sim *sim, uint32_t i, sked_error *err)
{
    sim_job *job = &sim->jobs[i];
    uint64_t key = (uint64_t)i + 1;
    uint32_t whole = sim_is_gang(&sim->opts) ? SKED_ASK_GANG : 0;
    uint32_t spread = sim_is_spread(&sim->opts) ? SKED_ASK_SPREAD : 0;
    uint32_t exact = sim_each(&sim->opts) ? SKED_ASK_EXACT : 0;
    const sked_event_gang gangs[2] = {{.per_node = 0},
                                      {.per_node = sim->opts.per_node}};
    sked_event both[2] = {{.kind = SKED_EVENT_JOB_SUBMIT,
                           .key = key,
                           .owner = job->user,
                           .queue = job->queue,
                           .priority = job->priority},
                          {.kind = SKED_EVENT_ASK_ADD,
                           .key = key,
                           .owner = key,
                           .count = job->tasks,
                           .partition = job->partition,
                           .flags = whole | spread | exact,
                           .amount = 1}};
    int32_t offsets[2];
    sked_events batch = {
        .struct_size = sizeof batch,
        .events = both,
        .n = 2,
        .amounts = sim->amounts + (size_t)job->given * sim->kinds,
        .n_amounts = 1,
        .gangs = gangs,
    };

    both[1].places = (uint32_t)skedi_places_list(sim, i, &batch, offsets);
    job->state = SIM_WAITS;
    sim->changed = sim_service(sim);
    sked_status rc = skedi_measure_demand(sim, i);
    if (rc == SKED_OK && job->never) return sim_reject_job(sim, i);
    if (rc != SKED_OK) return rc;
    rc = skedi_sim_tell_batch(sim, both, 2, &batch, err);
    if (rc != SKED_OK || job->state == SIM_REJECTED) return rc;
    return skedi_rules_ask(sim, i, err);
}

static sked_status sim_end_tasks_of(sked_sim *sim, sim_end end, sked_error *err)
{
    uint32_t i = sim_end_job(&end);
    sim_job *job = &sim->jobs[i];
    const sked_decision record = {
        .kind = SKED_SIM_KIND_FINISH,
        .job = (uint64_t)i + 1,
        .ask = (uint64_t)i + 1,
        .node = (uint64_t)end.node + 1,
        .group = end.group,
        .task = end.task,
        .count = end.count,
        .queue = job->queue,
        .detail = sim_end_away(&end) ? skedi_places_transfer(sim, i) : 0,
        .kind_at = -1,
        .partition = sim->node_partition[end.node],
        .time = end.at,
    };
    sked_event both[2] = {
        {.kind = SKED_EVENT_TASK_FINISH, .key = end.group, .count = end.count},
        {.kind = SKED_EVENT_JOB_FINISH, .key = (uint64_t)i + 1}};
    sked_status rc = skedi_measure_record(sim, &record);

    sim->changed = sim_service(sim);
    job->left -= end.count;
    if (job->left == 0) {
        job->state = SIM_DONE;
        sim->result.jobs_finished++;
    }
    if (rc == SKED_OK) {
        rc = skedi_sim_tell(sim, both, job->left == 0 ? 2 : 1, NULL, err);
    }
    skedi_lane_note(sim, end.node);
    return rc;
}

static sked_status sim_end_due(sked_sim *sim, sked_error *err)
{
    sked_status rc = SKED_OK;

    while (rc == SKED_OK && skedi_ends_next(sim) == sim->now) {
        sim_end end = skedi_ends_pop(sim);
        uint32_t tasks = skedi_probe_tasks(sim->engine, end.group);
        if (tasks == 0) continue;
        if (end.count > tasks) end.count = tasks; /* some were killed */
        rc = sim_end_tasks_of(sim, end, err);
    }
    return rc;
}

static sked_status sim_change_node(sked_sim *sim, const sim_change *change,
                                   sked_error *err)
{
    uint32_t node = change->node;
    int back = change->back;
    sked_event event = {
        .kind = back ? SKED_EVENT_NODE_UP : SKED_EVENT_NODE_DOWN,
        .key = (uint64_t)node + 1,
        .partition = sim->node_partition[node],
        .owner = sim->node_rack[node],
        .amount = (uint32_t)back,
    };

    if (sim->node_up[node] == back) return SKED_OK;
    sim->node_up[node] = (uint8_t)back;
    sim->changed = sim_service(sim);
    skedi_judge_all(sim);
    sked_status rc = skedi_sim_tell(
        sim, &event, 1,
        back ? sim->node_amounts + (size_t)node * sim->kinds : NULL, err);
    if (rc == SKED_OK && back) rc = skedi_rules_node_up(sim, node, err);
    skedi_lane_note(sim, node);
    return rc;
}

/* Skips withdrawn jobs up to the next submission. */
static void sim_pass_withdrawn(sked_sim *sim)
{
    while (sim->next_job < sim->n_jobs &&
           sim->jobs[sim->next_job].state == SIM_WITHDRAWN) {
        sim->next_job++;
    }
}

/* Applies all changes that are due now, in the promised order. */
static sked_status sim_happen(sked_sim *sim, sked_error *err)
{
    sked_status rc = skedi_lapses_now(sim, err);

    if (rc == SKED_OK) rc = sim_end_due(sim, err);
    while (rc == SKED_OK && sim->next_change < sim->n_changes &&
           sim->changes[sim->next_change].at <= sim->now) {
        rc = sim_change_node(sim, &sim->changes[sim->next_change++], err);
    }
    while (rc == SKED_OK && sim->next_job < sim->n_jobs &&
           sim->jobs[sim->next_job].submit == sim->now) {
        rc = sim_submit_job(sim, sim->next_job++, err);
        sim_pass_withdrawn(sim);
    }
    if (rc == SKED_OK) rc = skedi_round_now(sim, err);
    return rc;
}

/* ---- The loop ---- */

/* True if the time or this stretch is over; `next` is INT64_MAX when nothing is
 * left to do. */
static int sim_is_over(const sked_sim *sim, sked_time next)
{
    if (sim->opts.until_ns && next > sim->base + sim->opts.until_ns) return 1;
    return next >= sim->bound;
}

/* Sends the node events before the next instant, then applies that instant's
 * changes; sets `over` if nothing follows. */
static sked_status sim_loop_once(sked_sim *sim, int *over, sked_error *err)
{
    sked_status rc = SKED_OK;

    sim_pass_withdrawn(sim);
    sked_time next = skedi_sim_next(sim);
    if (sim->opts.heartbeat_ns > 0 && next > sim->now) {
        sked_time until = sim->bound;
        if (sim->opts.until_ns) {
            until = skedi_i64_min(until, sim->base + sim->opts.until_ns + 1);
        }
        rc = skedi_beat_until(sim, until, err);
        next = skedi_sim_next(sim);
    }
    *over = sim_is_over(sim, next);
    if (rc != SKED_OK || *over) return rc;
    rc = skedi_measure_time(sim, next, err);
    sim->now = next;
    if (rc == SKED_OK && sim->opts.heartbeat_ns > 0) skedi_beat_skip(sim);
    if (rc == SKED_OK) rc = sim_happen(sim, err);
    sim->wake_at = INT64_MAX; /* found again by the nodes */
    if (rc == SKED_OK && sim->opts.place)
        rc = skedi_beat_place(sim, err);
    else if (rc == SKED_OK && sim->opts.heartbeat_ns == 0)
        rc = skedi_beat_all(sim, err);
    return rc;
}

static sked_status sim_nodes_up(sked_sim *sim, sked_error *err)
{
    sked_status rc = SKED_OK;

    for (uint32_t i = 0; i < sim->n_nodes && rc == SKED_OK; i++) {
        sked_event up = {.kind = SKED_EVENT_NODE_UP,
                         .key = (uint64_t)i + 1,
                         .partition = sim->node_partition[i],
                         .owner = sim->node_rack[i],
                         .amount = 1};
        rc = skedi_sim_tell(sim, &up, 1,
                            sim->node_amounts + (size_t)i * sim->kinds, err);
        if (rc == SKED_OK) rc = skedi_rules_node_up(sim, i, err);
        skedi_lane_note(sim, i);
    }
    return rc;
}

/* Goes from instant to instant until the end of the run or the bound. */
static sked_status sim_run_loop(sked_sim *sim, sked_error *err)
{
    sked_status rc = SKED_OK;

    for (uint64_t n = 0; rc == SKED_OK; n++) {
        if (n % 1024 == 0) {
            rc = skedi_hooks_check(&sim->hooks, sim->next_job, sim->n_jobs);
            if (rc != SKED_OK) break;
        }
        int over;
        rc = sim_loop_once(sim, &over, err);
        if (over) break;
    }
    return rc;
}

static sked_status sim_run_begin(sked_sim *sim, sked_error *err)
{
    sim->state = 1;
    sim->wake_at = INT64_MAX;
    sim->now = sim->beat_at = sim->measured = sim->changed = sim->base;
    sked_status rc = sim_nodes_up(sim, err);
    if (rc == SKED_OK) sim_never_find(sim);
    return rc;
}

/* Ends the run, after its last instant or after a failure. */
static sked_status sim_run_end(sked_sim *sim, sked_status rc, sked_error *err)
{
    if (rc == SKED_OK && sim->opts.until_ns &&
        skedi_sim_next(sim) != INT64_MAX) {
        rc = skedi_measure_time(sim, sim->base + sim->opts.until_ns, err);
    }
    skedi_judge_end(sim);
    sked_status seen = skedi_measure_flush(sim);
    skedi_measure_delays(sim);
    sim->result.digest = skedi_hash_end(&sim->digest);
    sim->state = 2;
    if (rc == SKED_OK) rc = seen;
    if (rc == SKED_ERR_CANCELLED) return SKED_STOPPED;
    if (rc < 0 && err && err->code != rc) {
        (void)skedi_fail_stopped(err, rc);
    }
    return rc;
}

sked_status sked_sim_run_until(sked_sim *sim, sked_time until,
                               sked_sim_watch watch, void *user,
                               sked_error *err)
{
    sked_status rc = SKED_OK;

    if (!sim) return skedi_fail_null(err, "sim");
    if (sim->state == 2) {
        return skedi_fail_plain(err, SKED_ERR_STATE, "it ran before");
    }
    if (err) *err = (sked_error){.code = SKED_OK};
    sim->watch = watch;
    sim->watcher = user;
    sim->bound = until;
    if (sim->state == 0) rc = sim_run_begin(sim, err);
    if (rc == SKED_OK) rc = sim_run_loop(sim, err);
    if (rc == SKED_OK && until != INT64_MAX) return rc;
    return sim_run_end(sim, rc, err);
}

sked_status sked_sim_run(sked_sim *sim, sked_sim_watch watch, void *user,
                         sked_error *err)
{
    return sked_sim_run_until(sim, INT64_MAX, watch, user, err);
}

/* ---- Many at once ---- */

typedef struct sim_batch {
    sked_sim **sims;
    sked_status *said;
} sim_batch;

static void sim_run_one_of(void *arg, size_t i)
{
    const sim_batch *batch = arg;

    batch->said[i] = sked_sim_run(batch->sims[i], NULL, NULL, NULL);
}

sked_status sked_sim_run_all(sked_sim **sims, size_t n, const sked_host *host,
                             sked_status *said, sked_error *err)
{
    sim_batch batch = {sims, said};
    skedi_hooks hooks;

    const char *missing = n && !sims ? "sims" : n && !said ? "said" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = skedi_hooks_in(&hooks, host, err);
    if (rc != SKED_OK) return rc;
    rc = skedi_par_for(&hooks, n, sim_run_one_of, &batch);
    return rc == SKED_OK ? rc : skedi_fail_stopped(err, rc);
}

/*
 * Calls of a host between two stretches of a run: reads of queue usage, and
 * withdrawals of jobs that the host sends elsewhere.
 */

/* Makes a job count in no queue. */
static void sim_strike_job(sked_sim *sim, sim_job *job)
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
        sim_strike_job(sim, &sim->jobs[i]);
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
