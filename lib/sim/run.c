/*
 * The loop: to the next instant at which something happens, what happens
 * there, then the node events that may decide something, in the order of their
 * phases.
 */
#include "sim/run.h"

#include "base/fail.h"
#include "base/par.h"
#include "engine/probe.h"
#include "sim/lane.h"

/* ---- What happens at an instant ---- */

static sked_status reject_job(sked_sim *sim, uint32_t i)
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

static sked_status submit_job(sked_sim *sim, uint32_t i, sked_error *err)
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
    if (rc == SKED_OK && job->never) return reject_job(sim, i);
    if (rc != SKED_OK) return rc;
    rc = skedi_sim_tell_batch(sim, both, 2, &batch, err);
    if (rc != SKED_OK || job->state == SIM_REJECTED) return rc;
    return skedi_rules_ask(sim, i, err);
}

static sked_status end_tasks_of(sked_sim *sim, sim_end end, sked_error *err)
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

static sked_status end_due(sked_sim *sim, sked_error *err)
{
    sked_status rc = SKED_OK;

    while (rc == SKED_OK && skedi_ends_next(sim) == sim->now) {
        sim_end end = skedi_ends_pop(sim);
        uint32_t tasks = skedi_probe_tasks(sim->engine, end.group);
        if (tasks == 0) continue;
        if (end.count > tasks) end.count = tasks; /* some were killed */
        rc = end_tasks_of(sim, end, err);
    }
    return rc;
}

static sked_status change_node(sked_sim *sim, const sim_change *change,
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

/* Goes on to the next job that is to be submitted. */
static void pass_withdrawn(sked_sim *sim)
{
    while (sim->next_job < sim->n_jobs &&
           sim->jobs[sim->next_job].state == SIM_WITHDRAWN) {
        sim->next_job++;
    }
}

/* Everything that is due now, in the promised order. */
static sked_status happen(sked_sim *sim, sked_error *err)
{
    sked_status rc = skedi_lapses_now(sim, err);

    if (rc == SKED_OK) rc = end_due(sim, err);
    while (rc == SKED_OK && sim->next_change < sim->n_changes &&
           sim->changes[sim->next_change].at <= sim->now) {
        rc = change_node(sim, &sim->changes[sim->next_change++], err);
    }
    while (rc == SKED_OK && sim->next_job < sim->n_jobs &&
           sim->jobs[sim->next_job].submit == sim->now) {
        rc = submit_job(sim, sim->next_job++, err);
        pass_withdrawn(sim);
    }
    if (rc == SKED_OK) rc = skedi_round_now(sim, err);
    return rc;
}

/* ---- The loop ---- */

/* Is the time over, everything done, or this stretch at its end? */
static int is_over(const sked_sim *sim, sked_time next)
{
    if (sim->opts.until_ns && next > sim->base + sim->opts.until_ns) return 1;
    return next >= sim->bound;
}

/* Node events before the next instant, then what happens there; or it is
 * over, since they were the last. */
static sked_status loop_once(sked_sim *sim, int *over, sked_error *err)
{
    sked_status rc = SKED_OK;

    pass_withdrawn(sim);
    sked_time next = skedi_sim_next(sim);
    if (sim->opts.heartbeat_ns > 0 && next > sim->now) {
        sked_time until = sim->bound;
        if (sim->opts.until_ns) {
            until = skedi_i64_min(until, sim->base + sim->opts.until_ns + 1);
        }
        rc = skedi_beat_until(sim, until, err);
        next = skedi_sim_next(sim);
    }
    *over = is_over(sim, next);
    if (rc != SKED_OK || *over) return rc;
    rc = skedi_measure_time(sim, next, err);
    sim->now = next;
    if (rc == SKED_OK && sim->opts.heartbeat_ns > 0) skedi_beat_skip(sim);
    if (rc == SKED_OK) rc = happen(sim, err);
    sim->wake_at = INT64_MAX; /* found again by the nodes */
    if (rc == SKED_OK && sim->opts.place)
        rc = skedi_beat_place(sim, err);
    else if (rc == SKED_OK && sim->opts.heartbeat_ns == 0)
        rc = skedi_beat_all(sim, err);
    return rc;
}

static sked_status nodes_up(sked_sim *sim, sked_error *err)
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

/* From instant to instant until it is over, or at its bound. */
static sked_status run_loop(sked_sim *sim, sked_error *err)
{
    sked_status rc = SKED_OK;

    for (uint64_t n = 0; rc == SKED_OK; n++) {
        if (n % 1024 == 0) {
            rc = skedi_hooks_check(&sim->hooks, sim->next_job, sim->n_jobs);
            if (rc != SKED_OK) break;
        }
        int over;
        rc = loop_once(sim, &over, err);
        if (over) break;
    }
    return rc;
}

static sked_status run_begin(sked_sim *sim, sked_error *err)
{
    sim->state = 1;
    sim->wake_at = INT64_MAX;
    sim->now = sim->beat_at = sim->measured = sim->changed = sim->base;
    sked_status rc = nodes_up(sim, err);
    if (rc == SKED_OK) skedi_never_find(sim);
    return rc;
}

/* The run is over, at its end or not. */
static sked_status run_end(sked_sim *sim, sked_status rc, sked_error *err)
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
    if (sim->state == 0) rc = run_begin(sim, err);
    if (rc == SKED_OK) rc = run_loop(sim, err);
    if (rc == SKED_OK && until != INT64_MAX) return rc;
    return run_end(sim, rc, err);
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

static void run_one_of(void *arg, size_t i)
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
    rc = skedi_par_for(&hooks, n, run_one_of, &batch);
    return rc == SKED_OK ? rc : skedi_fail_stopped(err, rc);
}
