/* The simulator: <sched/sim.h>. */
#include "core.h"

#include <string.h>

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
