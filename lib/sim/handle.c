/* The handle of a run, and its copies of the workload and of the cluster. */
#include <sched/engine_place.h>
#include <sched/sim.h>
#include <string.h>

#include "base/fail.h"
#include "base/random.h"
#include "base/versioned.h"
#include "sim/lane.h"
#include "sim/run.h"

/* Copies the cluster of the input: nodes in the order of their events, failures
 * by time. */

enum { SIM_MAX_NODES = 1048576 };

/* Adds nodes to the capacity of the cluster; 0: it would be no amount. */
static int sim_add_capacity(sked_sim *sim, const sked_sim_nodes *nodes)
{
    for (uint32_t k = 0; k < sim->kinds; k++) {
        int64_t own = nodes->amounts[k], all;
        if (own < 0 || own > SKED_AMOUNT_MAX ||
            !skedi_i64_mul(own, nodes->count, &all) ||
            all > SKED_AMOUNT_MAX - sim->capacity[k]) {
            return 0;
        }
        sim->capacity[k] += all;
    }
    return 1;
}

static sked_status sim_check_nodes_of(sked_sim *sim,
                                      const sked_sim_nodes *nodes, size_t n,
                                      uint64_t *total, uint32_t *parts,
                                      sked_error *err)
{
    *total = *parts = 0;
    for (size_t i = 0; i < n; i++) {
        skedi_fault fault = {.row = (int64_t)i + 1};
        if (!nodes[i].amounts || nodes[i].reserved) {
            return skedi_fail(err, SKED_ERR_ARG, "no amounts", fault);
        }
        if (nodes[i].partition >= SKED_MAX_PARTITIONS) {
            return skedi_fail(err, SKED_ERR_RANGE, "no such partition", fault);
        }
        if (!sim_add_capacity(sim, &nodes[i])) {
            return skedi_fail(err, SKED_ERR_RANGE, "amounts are out of range",
                              fault);
        }
        *total += nodes[i].count;
        if (nodes[i].partition >= *parts) *parts = nodes[i].partition + 1;
        if (*total > SIM_MAX_NODES) {
            return skedi_fail(err, SKED_ERR_RANGE, "too many nodes", fault);
        }
    }
    return SKED_OK;
}

static sked_status sim_take_nodes(sked_sim *sim, const sked_sim_nodes *nodes,
                                  size_t n, sked_error *err)
{
    skedi_mem *mem = &sim->hooks.mem;
    uint64_t total;
    uint32_t parts, at = 0;
    sked_status rc = sim_check_nodes_of(sim, nodes, n, &total, &parts, err);

    if (rc != SKED_OK) return rc;
    size_t all = (size_t)total; /* sim_check_nodes_of() bounds it */
    sim->n_nodes = (uint32_t)total;
    sim->n_lanes = parts;
    sim->node_amounts = skedi_new(mem, all, sim->kinds * sizeof(int64_t));
    sim->node_partition = skedi_new(mem, all, sizeof(uint32_t));
    sim->node_rack = skedi_new(mem, all, sizeof(uint32_t));
    sim->node_place = skedi_new(mem, all, sizeof(uint32_t));
    sim->node_up = skedi_new(mem, all, 1);
    sim->lanes = skedi_new(mem, parts, sizeof *sim->lanes);
    if (!sim->node_amounts || !sim->node_partition || !sim->node_rack ||
        !sim->node_place || !sim->node_up || !sim->lanes ||
        !skedi_marks_reserve(mem, &sim->reserved, all)) {
        return skedi_fail_memory(err);
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t first = at; /* no group has more racks than nodes */
        for (uint32_t c = 0; c < nodes[i].count; c++, at++) {
            sim->node_partition[at] = nodes[i].partition;
            sim->node_up[at] = 1;
            if (nodes[i].racks) {
                sim->node_rack[at] = first + c % nodes[i].racks + 1;
            }
            memcpy(sim->node_amounts + (size_t)at * sim->kinds,
                   nodes[i].amounts, sim->kinds * sizeof(int64_t));
        }
    }
    if (skedi_lanes_build(sim)) return SKED_OK;
    return skedi_fail_memory(err);
}

static sked_status sim_check_failures(const sked_sim *sim,
                                      const sked_sim_failure *in, size_t n,
                                      sked_error *err)
{
    for (size_t i = 0; i < n; i++) {
        if (in[i].node < sim->n_nodes && !in[i].reserved && in[i].at >= 0 &&
            in[i].at <= SKED_AMOUNT_MAX / 2 &&
            in[i].until <= SKED_AMOUNT_MAX / 2 &&
            (!in[i].until || in[i].until > in[i].at)) {
            continue;
        }
        return skedi_fail(err, SKED_ERR_RANGE, "no such failure",
                          (skedi_fault){.row = (int64_t)i + 1});
    }
    return SKED_OK;
}

/* Failures, as changes of nodes by time. Nodes go down and come back by time;
 * changes at one instant keep the given order. */
static sked_status sim_take_failures(sked_sim *sim, const sked_sim_failure *in,
                                     size_t n, sked_error *err)
{
    skedi_mem *mem = &sim->hooks.mem;
    uint32_t to = 0;

    sked_status rc = sim_check_failures(sim, in, n, err);
    if (rc != SKED_OK) return rc;
    sim->changes_cap = n * 2;
    sim->changes = skedi_new(mem, n * 2, sizeof *sim->changes);
    skedi_keyed *order = skedi_new(mem, n * 4, sizeof *order);
    if (!sim->changes || !order) {
        skedi_free(mem, order, n * 4, sizeof *order);
        return skedi_fail_memory(err);
    }
    for (uint32_t i = 0; i < n; i++) {
        order[to++] = (skedi_keyed){skedi_key_signed(in[i].at), i * 2, 0};
        if (!in[i].until) continue;
        order[to++] = (skedi_keyed){skedi_key_signed(in[i].until), i * 2 + 1,
                                    0};
    }
    skedi_sort_keys(order, order + n * 2, to);
    for (uint32_t i = 0; i < to; i++) {
        const sked_sim_failure *own = &in[order[i].index / 2];
        int back = order[i].index & 1;
        sim->changes[i] = (sim_change){
            .at = back ? own->until : own->at, .node = own->node, .back = back};
    }
    sim->n_changes = to;
    skedi_free(mem, order, n * 4, sizeof *order);
    return SKED_OK;
}

/* Creates and frees a run: copies the workload and the cluster. */

SKEDI_NO_TAIL_PADDING(sked_sim_options, reserved);
SKEDI_NO_TAIL_PADDING(sked_sim_failure, reserved);
SKEDI_NO_TAIL_PADDING(sked_sim_input, attributes);
SKEDI_NO_TAIL_PADDING(sked_sim_jobs, n_rule_values);

enum {
    SIM_ENGINE_V1 = SKEDI_SIZE_THROUGH(sked_engine_options, pooled),
    SIM_OPTIONS_V1 = SKEDI_SIZE_THROUGH(sked_sim_options, engine),
    SIM_INPUT_V1 = SKEDI_SIZE_THROUGH(sked_sim_input, n_failures),
    SIM_JOBS_V1 = SKEDI_SIZE_THROUGH(sked_sim_jobs, stream),
    SIM_COPIES = 1000,
    SIM_FLAGS = SKED_SIM_FLAG_GANG | SKED_SIM_FLAG_NO_SHARES |
                SKED_SIM_FLAG_SPREAD | SKED_SIM_FLAG_EXACT
};

/* ---- Options ---- */

/* Checks the placement mode; a mode needs a run without node events. */
static sked_status sim_check_finding(const sked_sim_options *opts,
                                     sked_error *err)
{
    if (opts->reserved) return skedi_fail_reserved(err, "options");
    if (opts->place > SKED_ENGINE_PLACE_MODE_FRAGMENT) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "no such mode");
    }
    if (!opts->place || !opts->heartbeat_ns) return SKED_OK;
    return skedi_fail_plain(err, SKED_ERR_ARG,
                            "nodes that are found send no events");
}

/* Time that passes: sums of a few of them are far from overflow. */
static int sim_is_span(int64_t ns)
{
    return ns >= 0 && ns <= SKED_AMOUNT_MAX / 4;
}

static sked_status sim_take_sim_options(sked_sim_options *to,
                                        sked_engine_options *engine,
                                        const sked_sim_options *opts,
                                        sked_error *err)
{
    sked_status rc = skedi_struct_in(to, sizeof *to, opts, SIM_OPTIONS_V1);

    if (rc == SKED_OK) {
        rc = skedi_struct_in(engine, sizeof *engine, to->engine, SIM_ENGINE_V1);
    }
    if (rc != SKED_OK) return skedi_fail_version(err, "options");
    if (to->flags & ~(uint32_t)SIM_FLAGS) {
        return skedi_fail_flags(err, "options");
    }
    if ((to->flags & SKED_SIM_FLAG_SPREAD && !sim_is_gang(to)) ||
        (to->per_node && !sim_is_spread(to))) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "only a gang is spread");
    }
    if (to->flags & SKED_SIM_FLAG_EXACT &&
        !(sim_is_spread(to) && to->per_node)) {
        return skedi_fail_plain(err, SKED_ERR_ARG,
                                "an exact gang is over nodes, with per_node");
    }
    if (!sim_is_span(to->heartbeat_ns) || !sim_is_span(to->until_ns) ||
        !sim_is_span(to->round_every_ns) || !sim_is_span(to->sample_every_ns) ||
        !sim_is_span(to->cost_event_ns) || !sim_is_span(to->cost_task_ns) ||
        !sim_is_span(to->cost_look_ns) || to->multiplier_ppm < 0 ||
        to->per_node > INT32_MAX ||
        to->multiplier_ppm > SIM_COPIES * SKED_PPM) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "option is out of range");
    }
    rc = sim_check_finding(to, err);
    if (rc != SKED_OK) return rc;
    if (engine->confirm_within_ns) {
        return skedi_fail_plain(err, SKED_ERR_ARG,
                                "a simulated host confirms at once");
    }
    if (engine->flags) { /* what waits for ever would have no end */
        return skedi_fail_plain(err, SKED_ERR_ARG,
                                "a simulation rejects what can never run");
    }
    if (engine->pooled) {
        return skedi_fail_plain(err, SKED_ERR_ARG,
                                "a simulation knows nodes only");
    }
    if (!to->multiplier_ppm) to->multiplier_ppm = SKED_PPM;
    engine->struct_size = sizeof *engine;
    if (!engine->seed) engine->seed = to->seed;
    to->engine = engine;
    return SKED_OK;
}

/* ---- The input ---- */

static sked_status sim_take_sim_input(sked_sim_input *to,
                                      const sked_sim_input *in, sked_error *err)
{
    sked_status rc = skedi_struct_in(to, sizeof *to, in, SIM_INPUT_V1);

    if (rc != SKED_OK) return skedi_fail_version(err, "input");
    if (to->reserved) return skedi_fail_reserved(err, "input");
    const char *missing = !to->tree                         ? "input.tree"
                          : !to->jobs                       ? "input.jobs"
                          : to->n_nodes && !to->nodes       ? "input.nodes"
                          : to->n_failures && !to->failures ? "input.failures"
                                                            : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (to->n_nodes > INT32_MAX) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "too many nodes");
    }
    if (to->n_failures > INT32_MAX / 2) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "too many failures");
    }
    return SKED_OK;
}

/* ---- Jobs ---- */

/* How many copies of a job are submitted: the whole part of the multiplier, and
 * one more with the probability of its fraction. The random number of a job
 * does not depend on the multiplier, so a larger one only adds copies. */
static uint32_t sim_copies_of(const sked_sim *sim, uint64_t stream)
{
    uint64_t state = sim->opts.seed ^ 0x736b6564;
    uint64_t mixed = skedi_random_split(&state) ^ stream;
    uint64_t draw = skedi_random_split(&mixed) % (uint64_t)SKED_PPM;
    uint64_t whole = (uint64_t)(sim->opts.multiplier_ppm / SKED_PPM);

    return (uint32_t)(whole +
                      (draw < (uint64_t)(sim->opts.multiplier_ppm % SKED_PPM)));
}

static sked_status sim_check_job(const sked_sim *sim, const sked_sim_jobs *in,
                                 uint32_t i, sked_error *err)
{
    skedi_fault fault = {.row = (int64_t)i + 1};
    int64_t tasks = in->tasks ? in->tasks[i] : 1, total;
    size_t row;

    if (in->submit[i] < 0 || in->submit[i] > SKED_AMOUNT_MAX / 2 ||
        in->run_ns[i] < 1 || !sim_is_span(in->run_ns[i])) {
        return skedi_fail(err, SKED_ERR_RANGE, "time is out of range", fault);
    }
    if (tasks < 1 || tasks > INT32_MAX) {
        return skedi_fail(err, SKED_ERR_RANGE, "tasks is out of range", fault);
    }
    if (sim_each(&sim->opts) && tasks % sim_each(&sim->opts)) {
        fault.got = tasks;
        fault.limit = sim_each(&sim->opts);
        return skedi_fail(err, SKED_ERR_ARG, "tasks is no multiple of per_node",
                          fault);
    }
    for (uint32_t k = 0; k < sim->kinds; k++) {
        int64_t a = in->amounts[(size_t)i * sim->kinds + k];
        if (a >= 0 && skedi_i64_mul(a, tasks, &total) &&
            total <= SKED_AMOUNT_MAX) {
            continue;
        }
        fault.kind = (int32_t)k + 1;
        fault.got = a;
        return skedi_fail(err, SKED_ERR_RANGE, "amount is out of range", fault);
    }
    if ((in->user && in->user[i] == UINT64_MAX) ||
        (in->partition && in->partition[i] != SKED_ANY_PARTITION &&
         in->partition[i] >= SKED_MAX_PARTITIONS)) {
        return skedi_fail(err, SKED_ERR_RANGE, "no such user or partition",
                          fault);
    }
    if (sked_tree_row(sim->tree, in->queue[i], &row) != SKED_OK ||
        !skedi_image_is_leaf(skedi_tree_image(sim->tree), (uint32_t)row)) {
        fault.queue = in->queue[i];
        return skedi_fail(err, SKED_ERR_STALE, "no such leaf", fault);
    }
    return SKED_OK;
}

static void sim_add_copies(sked_sim *sim, const sked_sim_jobs *in, uint32_t i)
{
    uint32_t n = sim_copies_of(sim, in->stream ? in->stream[i] : i);
    size_t row = 0;

    (void)!sked_tree_row(sim->tree, in->queue[i], &row);
    for (uint32_t copy = 0; copy < n; copy++) {
        sim_job *job = &sim->jobs[sim->n_jobs++];
        *job = (sim_job){
            .submit = in->submit[i],
            .run = in->run_ns[i],
            .tasks = in->tasks ? in->tasks[i] : 1,
            .delay = -1,
            .queue = in->queue[i],
            .user = in->user ? in->user[i] : 1,
            .given = i,
            .copy = copy,
            .row = (uint32_t)row,
            .partition = in->partition ? in->partition[i] : 0,
            .priority = in->priority ? in->priority[i] : 0,
        };
        job->left = job->tasks;
        for (uint32_t at = job->row;; at = (uint32_t)sim->parent[at]) {
            sim->queues[at].jobs++;
            sim->queues[at].tasks += (uint64_t)job->tasks;
            if (at == 0) break;
        }
    }
}

/* Takes the jobs by submission; among equals in the order as given. False: no
 * memory. */
static int sim_add_in_order(sked_sim *sim, const sked_sim_jobs *in)
{
    size_t n = (size_t)in->n;
    skedi_keyed *order = skedi_new(&sim->hooks.mem, n * 2, sizeof *order);

    if (!order) return 0;
    for (size_t i = 0; i < n; i++) {
        order[i] = (skedi_keyed){skedi_key_signed(in->submit[i]), (uint32_t)i,
                                 0};
    }
    skedi_sort_keys(order, order + n, n);
    for (size_t i = 0; i < n; i++) sim_add_copies(sim, in, order[i].index);
    skedi_free(&sim->hooks.mem, order, n * 2, sizeof *order);
    return 1;
}

static sked_status sim_take_jobs(sked_sim *sim, const sked_sim_jobs *given,
                                 sked_error *err)
{
    sked_sim_jobs in;
    sked_status rc = skedi_struct_in(&in, sizeof in, given, SIM_JOBS_V1);
    uint64_t all = 0;

    if (rc != SKED_OK) return skedi_fail_version(err, "jobs");
    if (in.reserved) return skedi_fail_reserved(err, "jobs");
    if (in.n > INT32_MAX) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "too many jobs");
    }
    const char *missing = in.n == 0     ? NULL
                          : !in.submit  ? "jobs.submit"
                          : !in.run_ns  ? "jobs.run_ns"
                          : !in.amounts ? "jobs.amounts"
                          : !in.queue   ? "jobs.queue"
                                        : NULL;
    if (missing) return skedi_fail_null(err, missing);
    for (uint32_t i = 0; i < in.n && rc == SKED_OK; i++) {
        rc = sim_check_job(sim, &in, i, err);
        all += sim_copies_of(sim, in.stream ? in.stream[i] : i);
    }
    if (rc != SKED_OK) return rc;
    if (all > INT32_MAX) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "too many jobs");
    }
    size_t total = (size_t)all;
    size_t amounts = (size_t)in.n * sim->kinds;
    sim->n_given = (uint32_t)in.n;
    sim->jobs_cap = total;
    sim->jobs = skedi_new(&sim->hooks.mem, total, sizeof *sim->jobs);
    sim->ranked = skedi_new(&sim->hooks.mem, total * 2, sizeof *sim->ranked);
    sim->amounts = skedi_new(&sim->hooks.mem, amounts, sizeof(int64_t));
    if (!sim->jobs || !sim->ranked || !sim->amounts ||
        !sim_add_in_order(sim, &in)) {
        return skedi_fail_memory(err);
    }
    if (amounts) memcpy(sim->amounts, in.amounts, amounts * sizeof(int64_t));
    sim->base = sim->n_jobs ? sim->jobs[0].submit : 0;
    return SKED_OK;
}

/* ---- Life ---- */

static sked_status sim_take_tree(sked_sim *sim, const sked_tree *tree,
                                 sked_error *err)
{
    skedi_mem *mem = &sim->hooks.mem;
    sked_host host = sim->hooks.host;
    sked_share_options share = {.struct_size = sizeof share,
                                .model = SKED_SHARE_MODEL_INSTANTANEOUS};
    size_t n = sked_tree_count(tree);

    host.user_free = NULL;
    host.progress = NULL;
    sked_status rc = sked_tree_copy(tree, &host, &sim->tree, err);
    if (rc == SKED_OK) {
        rc = sked_ledger_new(sim->tree, NULL, &host, &sim->ledger, err);
    }
    if (rc == SKED_OK) rc = sked_share_new(&share, &host, &sim->share, err);
    if (rc == SKED_OK) {
        rc = sked_engine_new(sim->tree, sim->opts.engine, &host, &sim->engine,
                             err);
    }
    if (rc != SKED_OK) return rc;
    sim->n_rows = (uint32_t)n;
    sim->kinds = (uint32_t)sked_schema_kinds(sked_tree_schema(tree));
    sim->parent = skedi_new(mem, n, sizeof *sim->parent);
    sim->queues = skedi_new(mem, n, sizeof *sim->queues);
    sim->peak = skedi_new(mem, n * sim->kinds, sizeof *sim->peak);
    sim->usage = skedi_new(mem, n * sim->kinds, sizeof *sim->usage);
    sim->work = skedi_new(mem, n * sim->kinds, sizeof *sim->work);
    sim->move = skedi_new(mem, n * sim->kinds * 2, sizeof *sim->move);
    sim->moved = skedi_new(mem, n, sizeof *sim->moved);
    sim->has_moved = skedi_new(mem, n, 1);
    sim->noted = skedi_new(mem, n, sizeof *sim->noted);
    sim->fair = skedi_new(mem, n * sim->kinds, sizeof *sim->fair);
    sim->lost = skedi_new(mem, sim->kinds, sizeof *sim->lost);
    sim->capacity = skedi_new(mem, sim->kinds, sizeof *sim->capacity);
    sim->records = skedi_new(mem, SIM_RECORDS, sizeof *sim->records);
    if (!sim->parent || !sim->queues || !sim->peak || !sim->usage ||
        !sim->work || !sim->move || !sim->moved || !sim->has_moved ||
        !sim->noted || !sim->fair || !sim->lost || !sim->capacity ||
        !sim->records) {
        return skedi_fail_memory(err);
    }
    sim->shares_due = 1;
    return sked_tree_rows(sim->tree, sim->parent, NULL, NULL, n, &n);
}

sked_status sked_sim_new(const sked_sim_input *input,
                         const sked_sim_options *options, const sked_host *host,
                         sked_sim **sim, sked_error *err)
{
    sked_sim_options taken;
    sked_engine_options engine;
    skedi_hooks hooks;
    sked_sim_input in;

    if (sim) *sim = NULL;
    const char *missing = !input ? "input" : !sim ? "sim" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = sim_take_sim_input(&in, input, err);
    if (rc == SKED_OK) rc = sim_take_sim_options(&taken, &engine, options, err);
    if (rc == SKED_OK) rc = skedi_hooks_in(&hooks, host, err);
    if (rc != SKED_OK) return rc;
    sked_sim *made = skedi_new(&hooks.mem, 1, sizeof *made);
    if (!made) return skedi_fail_memory(err);
    made->hooks = hooks;
    made->opts = taken;
    skedi_hash_start(&made->digest, 0);
    rc = sim_take_tree(made, in.tree, err);
    if (rc == SKED_OK) rc = sim_take_jobs(made, in.jobs, err);
    if (rc == SKED_OK)
        rc = sim_take_nodes(made, in.nodes, (size_t)in.n_nodes, err);
    if (rc == SKED_OK) rc = skedi_places_take(made, in.jobs, err);
    if (rc == SKED_OK) rc = skedi_rules_take(made, &in, err);
    if (rc == SKED_OK)
        rc = sim_take_failures(made, in.failures, (size_t)in.n_failures, err);
    if (rc == SKED_OK &&
        (!skedi_below_reserve(made) || !skedi_ends_begin(made)))
        rc = skedi_fail_memory(err);
    if (rc == SKED_OK && made->opts.preempt) {
        rc = sked_engine_preempt(made->engine, made->opts.preempt, err);
    }
    if (rc != SKED_OK) {
        made->hooks.host.user_free = NULL;
        sked_sim_free(made);
        return rc;
    }
    made->opts.preempt = NULL; /* the engine has both */
    made->opts.engine = NULL;
    made->round_at = made->formed = made->base - 1;
    made->form_nodes = engine.form_nodes;
    made->form_for_ns = engine.form_for_ns;
    *sim = made;
    return SKED_OK;
}

void sked_sim_free(sked_sim *sim)
{
    if (!sim) return;
    skedi_mem *mem = &sim->hooks.mem;
    size_t rows = sim->n_rows, kinds = sim->kinds, nodes = sim->n_nodes;

    skedi_below_free(sim);
    skedi_places_free(sim);
    skedi_rules_free(sim);
    skedi_lanes_free(sim);
    skedi_ends_free(sim);
    sked_engine_free(sim->engine);
    sked_share_free(sim->share);
    sked_ledger_free(sim->ledger);
    sked_tree_free(sim->tree);
    skedi_free(mem, sim->jobs, sim->jobs_cap, sizeof *sim->jobs);
    skedi_free(mem, sim->ranked, sim->jobs_cap * 2, sizeof *sim->ranked);
    skedi_free(mem, sim->amounts, sim->n_given * kinds, sizeof(int64_t));
    skedi_free(mem, sim->node_amounts, nodes * kinds, sizeof(int64_t));
    skedi_free(mem, sim->node_partition, nodes, sizeof(uint32_t));
    skedi_free(mem, sim->node_rack, nodes, sizeof(uint32_t));
    skedi_free(mem, sim->node_place, nodes, sizeof(uint32_t));
    skedi_free(mem, sim->node_up, nodes, 1);
    skedi_marks_free(mem, &sim->reserved);
    skedi_free(mem, sim->changes, sim->changes_cap, sizeof *sim->changes);
    skedi_free(mem, sim->parent, rows, sizeof *sim->parent);
    skedi_free(mem, sim->queues, rows, sizeof *sim->queues);
    skedi_free(mem, sim->peak, rows * kinds, sizeof *sim->peak);
    skedi_free(mem, sim->usage, rows * kinds, sizeof *sim->usage);
    skedi_free(mem, sim->work, rows * kinds, sizeof *sim->work);
    skedi_free(mem, sim->move, rows * kinds * 2, sizeof *sim->move);
    skedi_free(mem, sim->moved, rows, sizeof *sim->moved);
    skedi_free(mem, sim->has_moved, rows, 1);
    skedi_free(mem, sim->noted, rows, sizeof *sim->noted);
    skedi_free(mem, sim->fair, rows * kinds, sizeof *sim->fair);
    skedi_free(mem, sim->lost, kinds, sizeof *sim->lost);
    skedi_free(mem, sim->kills, sim->kills_cap, sizeof *sim->kills);
    skedi_free(mem, sim->capacity, kinds, sizeof *sim->capacity);
    skedi_free(mem, sim->records, SIM_RECORDS, sizeof *sim->records);
    skedi_free(mem, sim->samples, sim->samples_cap, sizeof *sim->samples);
    skedi_hooks last = sim->hooks;
    skedi_free(&last.mem, sim, 1, sizeof *sim);
    skedi_hooks_done(last.host);
}
