/* What a simulation is made from: <sched/sim.h>. Columns of jobs, groups of
 * nodes, failures and options come in as numbers; the structs that the library
 * reads are laid over them for one call. */
#include "core.h"

#include <string.h>

/* Node groups: four uint32 each (count, partition, racks, 0), amounts apart. */
static sked_sim_nodes *nodes_of(const incol *specs, const incol *amounts,
                                size_t kinds)
{
    size_t n = specs->n / 4;
    const uint32_t *said = specs->at;
    sked_sim_nodes *nodes = PyMem_Calloc(n + 1, sizeof *nodes);

    for (size_t i = 0; nodes && i < n; i++) {
        nodes[i].count = said[i * 4];
        nodes[i].partition = said[i * 4 + 1];
        nodes[i].racks = said[i * 4 + 2];
        nodes[i].amounts = (const int64_t *)amounts->at + i * kinds;
    }
    return nodes;
}

/* Failures: three int64 each (at, until, node). */
static sked_sim_failure *failures_of(const incol *said)
{
    size_t n = said->n / 3;
    const int64_t *at = said->at;
    sked_sim_failure *out = PyMem_Calloc(n + 1, sizeof *out);

    for (size_t i = 0; out && i < n; i++) {
        out[i].at = at[i * 3];
        out[i].until = at[i * 3 + 1];
        out[i].node = at[i * 3 + 2] < 0 || at[i * 3 + 2] > (int64_t)UINT32_MAX
                          ? UINT32_MAX
                          : (uint32_t)at[i * 3 + 2];
    }
    return out;
}

/* The lists of places end where the places do: the library reads up to
 * there. */
static int offsets_fit(args *a, const incol *c)
{
    const int32_t *offset = c[9].at;

    for (size_t i = 0; i < c[9].n; i++) {
        if (offset[i] >= 0 && (size_t)offset[i] <= c[10].n) continue;
        PyErr_SetString(PyExc_ValueError, "offsets of no place lists");
        (void)args_fail(a);
        return 0;
    }
    return 1;
}

static int jobs_fit(args *a, sked_sim_jobs *jobs, const incol *c, size_t kinds)
{
    size_t n = c[0].n;

    if (n > INT32_MAX) {
        PyErr_SetString(PyExc_OverflowError, "too many jobs");
        (void)args_fail(a);
        return 0;
    }
    if (!args_need(a, &c[1], "run", n, 0) ||
        !args_need(a, &c[2], "tasks", n, 1) ||
        !args_need(a, &c[3], "amounts", n * kinds, 0) ||
        !args_need(a, &c[4], "queue", n, 0) ||
        !args_need(a, &c[5], "user", n, 1) ||
        !args_need(a, &c[6], "priority", n, 1) ||
        !args_need(a, &c[7], "partition", n, 1) ||
        !args_need(a, &c[8], "stream", n, 1) ||
        !args_need(a, &c[9], "place_offsets", n + 1, 1) ||
        !args_need(a, &c[11], "place_tasks", c[10].n, 1) ||
        !args_need(a, &c[12], "transfer", n, 1) || !offsets_fit(a, c)) {
        return 0;
    }
    jobs->n = n;
    jobs->submit = c[0].at;
    jobs->run_ns = c[1].at;
    jobs->tasks = c[2].at;
    jobs->amounts = c[3].at;
    jobs->queue = c[4].at;
    jobs->user = c[5].at;
    jobs->priority = c[6].at;
    jobs->partition = c[7].at;
    jobs->stream = c[8].at;
    jobs->place_offsets = c[9].at;
    jobs->place = c[10].at;
    jobs->place_tasks = c[11].at;
    jobs->transfer_ns = c[12].at;
    return 1;
}

/* Offsets, one more than `n`, of rows of so many bytes that end where these do;
 * or None, and then no rows. */
static int rows_fit(args *a, const incol *offsets, const incol *rows,
                    size_t size, size_t n)
{
    const int32_t *at = offsets->at;
    size_t all = at ? offsets->n : 0;

    for (size_t i = 0; i < all; i++) {
        if (at[i] >= 0 && (size_t)at[i] <= rows->n / size) continue;
        all = n + 2; /* which is wrong */
    }
    if (rows->n % size == 0 && (all == 0 || all == n + 1)) return 1;
    PyErr_SetString(PyExc_ValueError, "offsets of no rules or attributes");
    (void)args_fail(a);
    return 0;
}

/* Rules are numbered up to the last of their offsets. */
static int rules_fit(args *a, sim_columns *sim)
{
    sked_sim_jobs *jobs = &sim->jobs;
    size_t n = sim->rule_offsets.n ? sim->rule_offsets.n - 1 : 0;

    if (!args_need(a, &sim->rule, "rule", (size_t)jobs->n, 1) ||
        !rows_fit(a, &sim->rule_offsets, &sim->terms, sizeof(sked_rule_term),
                  n) ||
        !rows_fit(a, &sim->attribute_offsets, &sim->attributes,
                  sizeof(sked_rule_attribute), sim->n_nodes)) {
        return 0;
    }
    jobs->rule = sim->rule.at;
    jobs->rule_offsets = sim->rule_offsets.at;
    jobs->rule_terms = sim->terms.at;
    jobs->n_rules = n;
    jobs->rule_values = sim->values.at;
    jobs->n_rule_values = sim->values.n;
    return 1;
}

/* Options are int64: flags, seed, heartbeat, until, multiplier, cost_event,
 * cost_task, cost_look, sample_every, max_samples, then the engine's flags,
 * seed, confirm_within, node_delay, rack_delay, max_per_pass, max_untaken,
 * max_user_running, round_every, per_node, place, the
 * engine's form_nodes, form_for. Seeds are the same 64 bits. */
enum { OPTIONS = 23 };

static void options_of(const int64_t *v, sked_sim_options *o,
                       sked_engine_options *e)
{
    memset(o, 0, sizeof *o);
    memset(e, 0, sizeof *e);
    o->engine = e;
    o->struct_size = sizeof *o;
    o->flags = (uint32_t)v[0];
    o->seed = (uint64_t)v[1];
    o->heartbeat_ns = v[2];
    o->until_ns = v[3];
    o->multiplier_ppm = v[4];
    o->cost_event_ns = v[5];
    o->cost_task_ns = v[6];
    o->cost_look_ns = v[7];
    o->sample_every_ns = v[8];
    o->max_samples = (uint32_t)v[9];
    e->struct_size = sizeof *e;
    e->flags = (uint32_t)v[10];
    e->seed = (uint64_t)v[11];
    e->confirm_within_ns = v[12];
    e->node_delay_ns = v[13];
    e->rack_delay_ns = v[14];
    e->max_per_pass = (uint32_t)v[15];
    e->max_untaken = (uint32_t)v[16];
    e->max_user_running = (uint32_t)v[17];
    o->round_every_ns = v[18];
    o->per_node = v[19] > INT32_MAX ? UINT32_MAX : (uint32_t)v[19];
    o->place = (uint32_t)v[20];
    e->form_nodes = (uint32_t)v[21];
    e->form_for_ns = v[22];
}

int sim_fits(args *a, sim_columns *sim, size_t kinds)
{
    memset(&sim->jobs, 0, sizeof sim->jobs);
    sim->jobs.struct_size = sizeof sim->jobs;
    sim->n_nodes = sim->specs.n / 4;
    sim->n_failures = sim->failures.n / 3;
    sim->kinds = kinds;
    sim->nodes = NULL;
    sim->fail = NULL;
    return jobs_fit(a, &sim->jobs, sim->c, kinds) && rules_fit(a, sim) &&
           args_need(a, &sim->specs, "nodes", sim->n_nodes * 4, 0) &&
           args_need(a, &sim->amounts, "amounts of nodes", sim->n_nodes * kinds,
                     0) &&
           args_need(a, &sim->failures, "failures", sim->n_failures * 3, 1) &&
           args_need(a, &sim->said, "options", OPTIONS, 0) &&
           preemption_read(a, sim->how, &sim->preempt);
}

void sim_start(args *a, sim_columns *sim)
{
    sim->nodes = nodes_of(&sim->specs, &sim->amounts, sim->kinds);
    sim->fail = failures_of(&sim->failures);
    options_of(sim->said.at, &sim->options, &sim->engine);
    sim->options.preempt = sim->preempt.on ? &sim->preempt.c : NULL;
    a->rc = sim->nodes && sim->fail ? SKED_OK : SKED_ERR_NOMEM;
}

void sim_finish(sim_columns *sim)
{
    PyMem_Free(sim->nodes);
    PyMem_Free(sim->fail);
}
