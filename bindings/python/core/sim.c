/* The simulator: <sched/sim.h>. */
#include "core.h"

#include <string.h>

/* What a simulation is made from: <sched/sim.h>. Columns of jobs, groups of
 * nodes, failures and options come in as numbers; the structs that the library
 * reads are laid over them for one call. */

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

CALL(sim_new)
{
    sked_tree *tree;
    host *h;
    sim_columns in;
    sked_sim *sim = NULL;
    READ("h" SIM_LETTERS "x", H_TREE, &tree, SIM_PLACES(in), &h);
    if (!sim_fits(&a, &in, sked_schema_kinds(sked_tree_schema(tree)))) {
        return NULL;
    }
    sim_start(&a, &in);
    if (a.rc == SKED_OK) {
        RUN(a,
            sked_sim_new(
                &(sked_sim_input){.struct_size = sizeof(sked_sim_input),
                                  .tree = tree,
                                  .jobs = &in.jobs,
                                  .nodes = in.nodes,
                                  .n_nodes = in.n_nodes,
                                  .failures = in.fail,
                                  .n_failures = in.n_failures,
                                  .attribute_offsets = in.attribute_offsets.at,
                                  .attributes = in.attributes.at},
                &in.options, &h->c, &sim, &a.err));
    }
    sim_finish(&in);
    return args_handle(&a, H_SIM, sim);
}

/* ---- Running ---- */

typedef struct watch {
    PyObject *call;
    host *hooks;
} watch;

/* Hands a copy of the records to Python; what it raises ends the run. */
static sked_status watcher(void *user, const sked_sim_record *record, size_t n)
{
    watch *w = user;
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *copy = column_new(ROW_SIM_RECORD, sizeof *record, n, -1),
             *said = NULL;
    sked_status rc = SKED_OK;

    if (copy) {
        memcpy(((column *)copy)->at, record, n * sizeof *record);
        said = PyObject_CallFunctionObjArgs(w->call, copy, NULL);
        Py_DECREF(copy);
    }
    if (said == Py_False) rc = SKED_STOPPED;
    Py_XDECREF(said);
    if (PyErr_Occurred()) {
        PyObject *type, *value, *trace;
        PyErr_Fetch(&type, &value, &trace);
        PyErr_NormalizeException(&type, &value, &trace);
        if (trace) PyException_SetTraceback(value, trace);
        Py_XDECREF(type);
        Py_XDECREF(trace);
        Py_XDECREF(w->hooks->error);
        w->hooks->error = value;
        rc = SKED_STOPPED;
    }
    PyGILState_Release(state);
    return rc;
}

CALL(sim_run)
{
    sked_sim *sim;
    PyObject *call;
    READ("HO", H_SIM, &sim, &call);
    watch w = {call, a.hooks};
    RUN(a, sked_sim_run(sim, call == Py_None ? NULL : watcher, &w, &a.err));
    return args_end(&a, "i", (int)a.rc);
}

CALL(sim_run_until)
{
    sked_sim *sim;
    int64_t until;
    PyObject *call;
    READ("HqO", H_SIM, &sim, &until, &call);
    watch w = {call, a.hooks};
    RUN(a, sked_sim_run_until(sim, until, call == Py_None ? NULL : watcher, &w,
                              &a.err));
    return args_end(&a, "i", (int)a.rc);
}

CALL(sim_usage)
{
    sked_sim *sim;
    uint64_t queue;
    size_t kinds;
    READ("hQn", H_SIM, &sim, &queue, &kinds);
    column *usage = args_column(&a, "q", 8, SKED_MAX_KINDS, -1);
    column *pending = usage ? args_column(&a, "q", 8, SKED_MAX_KINDS, -1)
                            : NULL;
    if (!pending) return NULL;
    SHORT(a, sked_sim_usage(sim, queue, (int64_t *)usage->at,
                            (int64_t *)pending->at, &a.err));
    if (kinds > SKED_MAX_KINDS) kinds = SKED_MAX_KINDS;
    usage->shape[0] = pending->shape[0] = (Py_ssize_t)kinds;
    return args_end(&a, "OO", usage, pending);
}

enum { MOST_RUNS = 1024 };

/* Takes each handle for itself; the statuses, by run. What a hook of one of
 * them raises ends the call, and so all that still run. */
CALL(sim_run_all)
{
    sked_sim *sim[MOST_RUNS];
    sked_status said[MOST_RUNS];
    handle *with[MOST_RUNS];
    PyObject *list, *out = NULL;
    host *h;
    Py_ssize_t n, held = 0;
    READ("Ox", &list, &h);

    n = PyList_Size(list);
    if (n > MOST_RUNS) PyErr_SetString(PyExc_OverflowError, "too many runs");
    for (; held < n && n <= MOST_RUNS; held++) {
        with[held] = (handle *)PyList_GetItem(list, held);
        if (!Py_IS_TYPE((PyObject *)with[held], handle_type) ||
            with[held]->kind != H_SIM || !with[held]->at || with[held]->users) {
            PyErr_SetString(PyExc_ValueError, "needs runs, each of them once");
            break;
        }
        with[held]->users = -1;
        with[held]->hooks->call = h;
        Py_INCREF((PyObject *)with[held]);
        sim[held] = with[held]->at;
        said[held] = SKED_OK;
    }
    if (!PyErr_Occurred()) {
        RUN(a, sked_sim_run_all(sim, (size_t)n, &h->c, said, &a.err));
        out = PyList_New(n);
        for (Py_ssize_t i = 0; out && i < n; i++) {
            PyList_SetItem(out, i, PyLong_FromLong(said[i]));
        }
    }
    while (held > 0) {
        with[--held]->users = 0;
        with[held]->hooks->call = NULL;
        Py_DECREF((PyObject *)with[held]);
    }
    PyObject *end = out ? args_end(&a, "O", out) : args_fail(&a);
    Py_XDECREF(out);
    return end;
}

/* ---- Reads ---- */

#define DELAY(d)                                                               \
    (long long)(d).p50, (long long)(d).p95, (long long)(d).p99,                \
        (long long)(d).max, (long long)(d).mean, (long long)(d).n

CALL(sim_get_result)
{
    sked_sim *sim;
    STRUCT_WITH(sked_sim_result, r, 0);
    READ("h", H_SIM, &sim);
    SHORT(a, sked_sim_get_result(sim, &r, &a.err));
    return args_end(&a, "KKKKKKLLLKKKKLLKKKKKK(LLLLLL)", r.digest, r.jobs,
                    r.tasks, r.jobs_finished, r.tasks_finished, r.rejected,
                    (long long)r.first_submit, (long long)r.last_submit,
                    (long long)r.end, r.heartbeats, r.heartbeats_skipped,
                    r.decisions, r.events, (long long)r.low_rate,
                    (long long)r.sample_every_ns, r.rounds, r.notified,
                    r.killed, r.withdrawn, r.local, r.transfers,
                    DELAY(r.delay));
}

CALL(sim_get_queue)
{
    sked_sim *sim;
    uint64_t queue;
    size_t kinds;
    STRUCT_WITH(sked_sim_queue, r, 0);
    READ("hQn", H_SIM, &sim, &queue, &kinds);
    column *peak = args_column(&a, "q", 8, SKED_MAX_KINDS, -1);
    column *work = peak ? args_column(&a, "Q", 8, SKED_MAX_KINDS, 2) : NULL;
    if (!work) return NULL;
    SHORT(a, sked_sim_get_queue(sim, queue, &r, (int64_t *)peak->at,
                                (sked_wide *)work->at, &a.err));
    if (kinds > SKED_MAX_KINDS) kinds = SKED_MAX_KINDS;
    peak->shape[0] = work->shape[0] = (Py_ssize_t)kinds;
    return args_end(&a, "KKLLL(LLLLLL)OO", r.jobs, r.tasks,
                    (long long)r.fair_ns, (long long)r.starved_ns,
                    (long long)r.below_guarantee_ns, DELAY(r.delay), peak,
                    work);
}

CALL(sim_lost_work)
{
    sked_sim *sim;
    size_t kinds;
    READ("hn", H_SIM, &sim, &kinds);
    column *work = args_column(&a, "Q", 8, SKED_MAX_KINDS, 2);
    if (!work) return NULL;
    SHORT(a, sked_sim_lost_work(sim, (sked_wide *)work->at, &a.err));
    work->shape[0] = (Py_ssize_t)(kinds < SKED_MAX_KINDS ? kinds
                                                         : SKED_MAX_KINDS);
    return args_end(&a, "O", work);
}

CALL(sim_samples)
{
    sked_sim *sim;
    uint64_t queue;
    uint32_t kind;
    size_t n = 0;
    READ("hQu", H_SIM, &sim, &queue, &kind);
    SHORT(a, sked_sim_samples(sim, queue, kind, NULL, NULL, 0, &n, &a.err));
    column *usage = args_column(&a, "q", 8, n, -1);
    column *share = usage ? args_column(&a, "q", 8, n, -1) : NULL;
    if (!share) return NULL;
    if (n) {
        SHORT(a, sked_sim_samples(sim, queue, kind, (int64_t *)usage->at,
                                  (int64_t *)share->at, n, &n, &a.err));
    }
    return args_end(&a, "OO", usage, share);
}

CALL(sim_pending)
{
    sked_sim *sim;
    uint64_t queue;
    uint32_t kind;
    size_t n = 0;
    READ("hQu", H_SIM, &sim, &queue, &kind);
    SHORT(a, sked_sim_pending(sim, queue, kind, NULL, 0, &n, &a.err));
    column *out = args_column(&a, "q", 8, n, -1);
    if (!out) return NULL;
    if (n) {
        SHORT(a, sked_sim_pending(sim, queue, kind, (int64_t *)out->at, n, &n,
                                  &a.err));
    }
    return args_end(&a, "O", out);
}

CALL(sim_delays)
{
    sked_sim *sim;
    size_t n = 0;
    READ("h", H_SIM, &sim);
    SHORT(a, sked_sim_delays(sim, NULL, 0, &n, &a.err));
    column *out = args_column(&a, "q", 8, n, -1);
    if (!out) return NULL;
    if (n) SHORT(a, sked_sim_delays(sim, (int64_t *)out->at, n, &n, &a.err));
    return args_end(&a, "O", out);
}

CALL(sim_rows)
{
    sked_sim *sim;
    size_t n = 0;
    READ("h", H_SIM, &sim);
    SHORT(a, sked_sim_rows(sim, NULL, 0, &n, &a.err));
    column *out = args_column(&a, "I", 4, n, -1);
    if (!out) return NULL;
    if (n) SHORT(a, sked_sim_rows(sim, (uint32_t *)out->at, n, &n, &a.err));
    return args_end(&a, "O", out);
}

PyMethodDef sim_methods[] = {
    METHOD(sim_rows),      METHOD(sim_lost_work), METHOD(sim_new),
    METHOD(sim_run),       METHOD(sim_run_all),   METHOD(sim_get_result),
    METHOD(sim_get_queue), METHOD(sim_samples),   METHOD(sim_pending),
    METHOD(sim_delays),    METHOD(sim_run_until), METHOD(sim_usage),
    {NULL, NULL, 0, NULL},
};
