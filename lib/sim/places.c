/*
 * The locations of data. The engine counts for how many tasks a place still has
 * data. The simulator keeps the same count for each copy of a job: of the tasks
 * that start together, the first `count` tasks have local data, and the others
 * transfer their data.
 */
#include <string.h>

#include "base/fail.h"
#include "base/versioned.h"
#include "engine/probe.h"
#include "sim/run.h"

enum { PLACES_JOBS_V1 = SKEDI_SIZE_THROUGH(sked_sim_jobs, stream) };

void skedi_places_free(sked_sim *sim)
{
    skedi_mem *mem = &sim->hooks.mem;
    size_t n = sim->n_places, rows = (size_t)sim->n_given + 1;

    skedi_free(mem, sim->place_first, rows, sizeof *sim->place_first);
    skedi_free(mem, sim->transfer, rows, sizeof *sim->transfer);
    skedi_free(mem, sim->place_key, n, sizeof *sim->place_key);
    skedi_free(mem, sim->place_tasks, n, sizeof *sim->place_tasks);
    skedi_free(mem, sim->place_started, sim->started_cap,
               sizeof *sim->place_started);
}

/* ---- What comes in ---- */

/* `seen` has by node the last job that named it, plus 1. */
static sked_status check_places(const sked_sim *sim, const sked_sim_jobs *in,
                                uint32_t j, uint32_t *seen, sked_error *err)
{
    skedi_fault fault = {.row = (int64_t)j + 1};
    int32_t from = in->place_offsets[j], to = in->place_offsets[j + 1];

    if (to < from || (j == 0 && from != 0) || (to > 0 && !in->place)) {
        return skedi_fail(err, SKED_ERR_ARG, "place offsets go back", fault);
    }
    if (in->transfer_ns &&
        (in->transfer_ns[j] < 0 || in->transfer_ns[j] > SKED_AMOUNT_MAX / 4)) {
        fault.got = in->transfer_ns[j];
        return skedi_fail(err, SKED_ERR_RANGE, "transfer is out of range",
                          fault);
    }
    for (int32_t i = from; i < to; i++) {
        uint32_t node = in->place[i];
        fault.got = node;
        if (node >= sim->n_nodes || seen[node] == j + 1) {
            return skedi_fail(err, SKED_ERR_RANGE,
                              "a place is no node, or named twice", fault);
        }
        seen[node] = j + 1;
        if (in->place_tasks && in->place_tasks[i] >= INT32_MAX) {
            return skedi_fail(err, SKED_ERR_RANGE,
                              "place_tasks is out of range", fault);
        }
    }
    return SKED_OK;
}

static sked_status check_all_places(sked_sim *sim, const sked_sim_jobs *in,
                                    sked_error *err)
{
    size_t nodes = (size_t)sim->n_nodes + 1;
    sked_status rc = SKED_OK;

    if (sim->opts.flags & SKED_SIM_FLAG_GANG) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "gangs have no places");
    }
    uint32_t *seen = skedi_new(&sim->hooks.mem, nodes, sizeof *seen);
    if (!seen) return skedi_fail_memory(err);
    for (uint32_t j = 0; j < in->n && rc == SKED_OK; j++) {
        rc = check_places(sim, in, j, seen, err);
    }
    skedi_free(&sim->hooks.mem, seen, nodes, sizeof *seen);
    return rc;
}

static int places_reserve(sked_sim *sim, const sked_sim_jobs *in)
{
    skedi_mem *mem = &sim->hooks.mem;
    size_t n, rows = (size_t)in->n + 1, copies = 0;

    sim->n_places = n = (size_t)in->place_offsets[in->n];
    for (uint32_t i = 0; i < sim->n_jobs; i++) {
        const int32_t *row = in->place_offsets + sim->jobs[i].given;
        sim->jobs[i].first_place = copies;
        copies += (size_t)(row[1] - row[0]);
    }
    sim->started_cap = copies;
    return (sim->place_first = skedi_new(mem, rows, sizeof(size_t))) &&
           (sim->transfer = skedi_new(mem, rows, sizeof *sim->transfer)) &&
           (sim->place_key = skedi_new(mem, n, sizeof *sim->place_key)) &&
           (sim->place_tasks = skedi_new(mem, n, sizeof *sim->place_tasks)) &&
           (sim->place_started = skedi_new(mem, copies,
                                           sizeof *sim->place_started));
}

sked_status skedi_places_take(sked_sim *sim, const sked_sim_jobs *jobs,
                              sked_error *err)
{
    sked_sim_jobs in;
    sked_status rc = skedi_struct_in(&in, sizeof in, jobs, PLACES_JOBS_V1);

    if (rc != SKED_OK || !in.place_offsets || in.n == 0) return rc;
    if (sim->opts.place) {
        return skedi_fail_plain(err, SKED_ERR_ARG,
                                "places go with events of nodes");
    }
    rc = check_all_places(sim, &in, err);
    if (rc != SKED_OK) return rc;
    if (!places_reserve(sim, &in)) {
        return skedi_fail_memory(err);
    }
    for (uint32_t j = 0; j <= in.n; j++) {
        sim->place_first[j] = (size_t)in.place_offsets[j];
        sim->transfer[j] = j < in.n && in.transfer_ns ? in.transfer_ns[j] : 0;
    }
    for (size_t i = 0; i < sim->n_places; i++) {
        sim->place_key[i] = (uint64_t)in.place[i] + 1;
        sim->place_tasks[i] = in.place_tasks ? in.place_tasks[i]
                                             : INT32_MAX - 1;
    }
    return SKED_OK;
}

/* ---- A run ---- */

int skedi_places_list(const sked_sim *sim, uint32_t job, sked_events *batch,
                      int32_t offsets[2])
{
    if (!sim->place_first) return 0;
    const size_t *row = sim->place_first + sim->jobs[job].given;
    if (row[0] == row[1]) return 0;
    offsets[0] = 0;
    offsets[1] = (int32_t)(row[1] - row[0]);
    batch->place_offsets = offsets;
    batch->places = sim->place_key + row[0];
    batch->place_tasks = sim->place_tasks + row[0];
    batch->n_places = 1;
    return 1;
}

/* A job's place on a node; n_places: none. */
static size_t place_on(const sked_sim *sim, uint32_t job, uint32_t node)
{
    const size_t *row = sim->place_first + sim->jobs[job].given;

    for (size_t i = row[0]; i < row[1]; i++) {
        if (sim->place_key[i] == (uint64_t)node + 1) return i;
    }
    return sim->n_places;
}

static int64_t *started_at(const sked_sim *sim, uint32_t job, size_t place)
{
    const sim_job *j = &sim->jobs[job];

    return sim->place_started + j->first_place +
           (place - sim->place_first[j->given]);
}

static int has_places(const sked_sim *sim, uint32_t job)
{
    if (!sim->place_first) return 0;
    const size_t *row = sim->place_first + sim->jobs[job].given;
    return row[0] < row[1];
}

int64_t skedi_places_start(sked_sim *sim, uint32_t job, uint32_t node,
                           int64_t count)
{
    if (!has_places(sim, job)) return 0;
    size_t place = place_on(sim, job, node);
    int64_t local = 0;
    if (place < sim->n_places) {
        int64_t *started = started_at(sim, job, place);
        int64_t left = (int64_t)sim->place_tasks[place] - *started;
        local = skedi_i64_min(skedi_i64_max(left, 0), count);
        *started += count;
    }
    sim->result.local += (uint64_t)local;
    sim->result.transfers += (uint64_t)(count - local);
    return count - local;
}

void skedi_places_undo(sked_sim *sim, uint32_t job, uint32_t node,
                       int64_t count)
{
    if (!has_places(sim, job)) return;
    size_t place = place_on(sim, job, node);
    if (place < sim->n_places) *started_at(sim, job, place) -= count;
}

int64_t skedi_places_transfer(const sked_sim *sim, uint32_t job)
{
    return sim->transfer ? sim->transfer[sim->jobs[job].given] : 0;
}

int skedi_places_wait(sked_sim *sim, uint32_t node)
{
    if (!sim->place_first) return 0;
    sked_time wake = skedi_probe_wake(sim->engine, (uint64_t)node + 1);
    if (wake == INT64_MAX) return 0;
    if (sim->opts.heartbeat_ns == 0) {
        sim->wake_at = skedi_i64_min(sim->wake_at, wake);
    }
    return 1;
}
