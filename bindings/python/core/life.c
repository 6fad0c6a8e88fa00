/* Lives of tasks and jobs: <sched/life.h>, <sched/life_job.h>,
 * <sched/life_secrets.h>. Lives, policies and updates. */
#include "core.h"

#include <stddef.h>
#include <string.h>

enum { LIFE_SLA_FIELDS = 6 };

/* ---- Tables ---- */

/* A table as its name and five columns of records, which READ gets with
 * TABLE_LETTERS and TABLE_PLACES. */
typedef struct table_in {
    const char *name;
    incol rows[5];
} table_in;

#define TABLE_LETTERS "zRRRRR"
#define TABLE_PLACES(t)                                                        \
    &(t).name, &(t).rows[0], &(t).rows[1], &(t).rows[2], &(t).rows[3],         \
        &(t).rows[4]

static sked_life_table table_of(const table_in *t)
{
    STRUCT_WITH(sked_life_table, out, .name = t->name, .states = t->rows[0].at,
                .n_states = t->rows[0].n / sizeof(sked_life_name),
                .events = t->rows[1].at,
                .n_events = t->rows[1].n / sizeof(sked_life_name),
                .edges = t->rows[2].at,
                .n_edges = t->rows[2].n / sizeof(sked_life_edge),
                .actions = t->rows[3].at,
                .n_actions = t->rows[3].n / sizeof(sked_life_name),
                .goals = t->rows[4].at,
                .n_goals = t->rows[4].n / sizeof(sked_life_goal));
    return out;
}

/* Name, states, events, edges, actions, goals; None: there is none. */
CALL(life_table_of)
{
    uint32_t which;
    READ("u", &which);
    const sked_life_table *t = sked_life_table_of(which);
    a.rc = SKED_OK;
    if (!t) return args_end(&a, "");
    const struct {
        const void *at;
        uint64_t n;
        const char *format;
        size_t item;
    } lists[] = {
        {t->states, t->n_states, ROW_LIFE_NAME, sizeof(sked_life_name)},
        {t->events, t->n_events, ROW_LIFE_NAME, sizeof(sked_life_name)},
        {t->edges, t->n_edges, ROW_LIFE_EDGE, sizeof(sked_life_edge)},
        {t->actions, t->n_actions, ROW_LIFE_NAME, sizeof(sked_life_name)},
        {t->goals, t->n_goals, ROW_LIFE_GOAL, sizeof(sked_life_goal)},
    };
    for (size_t i = 0; i < COUNT(lists); i++) {
        column *made = args_column(&a, lists[i].format,
                                   (Py_ssize_t)lists[i].item,
                                   (size_t)lists[i].n, -1);
        if (!made) return NULL;
        if (lists[i].n) {
            memcpy(made->at, lists[i].at, lists[i].item * (size_t)lists[i].n);
        }
    }
    return args_end(&a, "sOOOOO", t->name, a.out[0], a.out[1], a.out[2],
                    a.out[3], a.out[4]);
}

/* State, the one before, outcome, edge. */
CALL(life_next)
{
    table_in in;
    sked_life_at at;
    sked_life_step step;
    uint32_t event, cause;
    READ(TABLE_LETTERS "uuuu", TABLE_PLACES(in), &at.state, &at.before, &event,
         &cause);
    sked_life_table t = table_of(&in);
    SHORT(a, sked_life_next(&t, &at, event, cause, &step, &a.err));
    if (a.rc != SKED_OK) return args_end(&a, "");
    return args_end(&a, "IIII", (unsigned)step.at.state,
                    (unsigned)step.at.before, (unsigned)step.outcome,
                    (unsigned)step.edge);
}

CALL(life_legal)
{
    table_in in;
    uint32_t state, causes;
    size_t n = 0;
    READ(TABLE_LETTERS "uu", TABLE_PLACES(in), &state, &causes);
    sked_life_table t = table_of(&in);
    column *out = args_column(&a, "I", 4, (size_t)t.n_edges, -1);
    if (!out) return NULL;
    SHORT(a, sked_life_legal(&t, state, causes, (uint32_t *)out->at,
                             (size_t)t.n_edges, &n, &a.err));
    return args_first(&a, out, n);
}

CALL(life_way)
{
    table_in in;
    uint32_t state, to, edge = 0;
    READ(TABLE_LETTERS "uu", TABLE_PLACES(in), &state, &to);
    sked_life_table t = table_of(&in);
    SHORT(a, sked_life_way(&t, state, to, &edge, &a.err));
    return args_end(&a, "I", (unsigned)edge);
}

CALL(life_act)
{
    table_in in;
    uint32_t goal, state, action = 0;
    READ(TABLE_LETTERS "uu", TABLE_PLACES(in), &goal, &state);
    sked_life_table t = table_of(&in);
    SHORT(a, sked_life_act(&t, goal, state, &action, &a.err));
    return args_end(&a, "I", (unsigned)action);
}

/* All faults; an exception only where the table cannot be read. */
CALL(life_check)
{
    table_in in;
    size_t n = 0;
    enum { MOST = 1 + 5 * SKED_MAX_LIFE_STATES };
    READ(TABLE_LETTERS, TABLE_PLACES(in));
    sked_life_table t = table_of(&in);
    column *out = args_column(&a, ROW_LIFE_FAULT, sizeof(sked_life_fault), MOST,
                              -1);
    if (!out) return NULL;
    SHORT(a, sked_life_check(&t, (sked_life_fault *)out->at, MOST, &n, &a.err));
    if (a.rc == SKED_ERR_INVALID) a.rc = SKED_OK;
    return args_first(&a, out, n);
}

CALL(life_format)
{
    table_in in;
    size_t n = 0;
    READ(TABLE_LETTERS, TABLE_PLACES(in));
    sked_life_table t = table_of(&in);
    (void)!sked_life_format(&t, NULL, 0, &n, NULL);
    column *out = args_column(&a, "B", 1, n + 1, -1);
    if (!out) return NULL;
    SHORT(a, sked_life_format(&t, out->at, n + 1, &n, &a.err));
    return args_end(&a, "s", out->at);
}

/* ---- Instances ---- */

/* 0 with an exception unless the column holds `n` of them, or any number. */
static int instances_in(args *a, const incol *in, size_t n,
                        const sked_life_instance **out)
{
    size_t item = sizeof(sked_life_instance);

    *out = in->at;
    if (in->n % item == 0 && (n == SIZE_MAX || in->n == n * item)) return 1;
    PyErr_SetString(PyExc_ValueError, "not as many instances as there must be");
    args_fail(a);
    return 0;
}

CALL(life_may_replace)
{
    incol was, will;
    const sked_life_instance *now, *next;
    READ("RR", &was, &will);
    if (!instances_in(&a, &was, 1, &now)) return NULL;
    if (!instances_in(&a, &will, 1, &next)) return NULL;
    SHORT(a, sked_life_may_replace(now, next, &a.err));
    return args_end(&a, "");
}

static const field_of act_fields[] = {
    FIELD('u', sked_life_act_options, type, ""),
    FIELD('q', sked_life_act_options, now, ""),
    FIELD('q', sked_life_act_options, launch_ns, ""),
    FIELD('q', sked_life_act_options, kill_ns, ""),
};

CALL(life_task_action)
{
    incol in;
    PyObject *dict;
    const sked_life_instance *i;
    uint32_t action = 0;
    size_t dim[128] = {0};
    STRUCT_WITH(sked_life_act_options, o, 0);
    READ("RO", &in, &dict);
    if (!instances_in(&a, &in, 1, &i)) return NULL;
    if (dict != Py_None &&
        !args_struct(&a, dict, act_fields, COUNT(act_fields), &o, dim)) {
        return NULL;
    }
    SHORT(a, sked_life_task_action(i, dict == Py_None ? NULL : &o, &action,
                                   &a.err));
    return args_end(&a, "I", (unsigned)action);
}

CALL(life_availability_of)
{
    incol in;
    const sked_life_instance *i;
    READ("R", &in);
    if (!instances_in(&a, &in, 1, &i)) return NULL;
    a.rc = SKED_OK;
    return args_end(&a, "I", (unsigned)sked_life_availability_of(i));
}

CALL(life_count)
{
    incol in;
    const sked_life_instance *i;
    sked_life_stats c = {0};
    READ("R", &in);
    if (!instances_in(&a, &in, SIZE_MAX, &i)) return NULL;
    RUN(a, sked_life_count(i, in.n / sizeof *i, &c, &a.err));
    return args_end(&a, "KKK", (unsigned long long)c.available,
                    (unsigned long long)c.unavailable,
                    (unsigned long long)c.killed);
}

/* ---- Jobs ---- */

CALL(life_nature_of)
{
    uint32_t type;
    STRUCT_WITH(sked_life_nature, n, 0);
    READ("u", &type);
    SHORT(a, sked_life_nature_of(type, &n, &a.err));
    return args_end(&a, "IIIIIIIL", (unsigned)n.goal, (unsigned)n.preemptible,
                    (unsigned)n.pinned, (unsigned)n.per_node,
                    (unsigned)n.updates, (unsigned)n.again, (unsigned)n.rounds,
                    (long long)n.place_ns);
}

static const field_of job_fields[] = {
    FIELD('u', sked_life_job_input, type, ""),
    FIELD('u', sked_life_job_input, state, ""),
    FIELD('u', sked_life_job_input, goal, ""),
    FIELD('Q', sked_life_job_input, instances, ""),
    FIELD('Q', sked_life_job_input, version, ""),
    FIELD('Q', sked_life_job_input, goal_version, ""),
    FIELD('u', sked_life_job_input, controller, ""),
    FIELD('u', sked_life_job_input, created, ""),
};

static PyObject *job_call(PyObject *const *argv, Py_ssize_t argc,
                          sked_status (*call)(const sked_life_job_input *,
                                              uint32_t *, sked_error *))
{
    PyObject *dict, *module = NULL;
    incol tasks;
    uint32_t out = 0;
    size_t dim[128] = {0};
    STRUCT_WITH(sked_life_job_input, in, 0);
    READ("OK", &dict, &tasks);
    if (!args_struct(&a, dict, job_fields, COUNT(job_fields), &in, dim) ||
        !args_need(&a, &tasks, "tasks", SKED_LIFE_TASK_STATES, 0)) {
        return NULL;
    }
    memcpy(in.tasks, tasks.at, sizeof in.tasks);
    SHORT(a, call(&in, &out, &a.err));
    return args_end(&a, "I", (unsigned)out);
}

CALL(life_job_state)
{
    (void)module;
    return job_call(argv, argc, sked_life_job_state);
}

CALL(life_job_action)
{
    (void)module;
    return job_call(argv, argc, sked_life_job_action);
}

/* ---- SLA ---- */

static const field_of life_sla_fields[LIFE_SLA_FIELDS] = {
    FIELD('u', sked_life_sla, type, ""),
    FIELD('i', sked_life_sla, priority, ""),
    FIELD('u', sked_life_sla, preemptible, ""),
    FIELD('u', sked_life_sla, revocable, ""),
    FIELD('u', sked_life_sla, least_running, ""),
    FIELD('u', sked_life_sla, most_unavailable, ""),
};

static int sla_in(args *a, PyObject *dict, sked_life_sla *sla)
{
    size_t dim[128] = {0};

    return args_struct(a, dict, life_sla_fields, LIFE_SLA_FIELDS, sla, dim);
}

CALL(life_may_stop)
{
    PyObject *dict;
    sked_life_stats c = {0};
    uint32_t stopper;
    uint64_t n = 0;
    STRUCT_WITH(sked_life_sla, sla, 0);
    READ("OQQu", &dict, &c.available, &c.unavailable, &stopper);
    if (!sla_in(&a, dict, &sla)) return NULL;
    SHORT(a, sked_life_may_stop(&sla, &c, stopper, &n, &a.err));
    return args_end(&a, "K", (unsigned long long)n);
}

/* Available and unavailable, from then on. */
CALL(life_stop)
{
    PyObject *dict;
    sked_life_stats c = {0};
    uint32_t stopper;
    uint64_t n;
    STRUCT_WITH(sked_life_sla, sla, 0);
    READ("OQQuQ", &dict, &c.available, &c.unavailable, &stopper, &n);
    if (!sla_in(&a, dict, &sla)) return NULL;
    SHORT(a, sked_life_stop(&sla, stopper, n, &c, &a.err));
    return args_end(&a, "KK", (unsigned long long)c.available,
                    (unsigned long long)c.unavailable);
}

CALL(life_gang_of)
{
    PyObject *dict;
    uint64_t n;
    STRUCT_WITH(sked_life_sla, sla, 0);
    READ("OQ", &dict, &n);
    if (!sla_in(&a, dict, &sla)) return NULL;
    a.rc = SKED_OK;
    return args_end(&a, "K", (unsigned long long)sked_life_gang_of(&sla, n));
}

/* ---- Secrets ---- */

CALL(life_secrets_new)
{
    host *h;
    sked_life_secrets *out = NULL;
    READ("x", &h);
    SHORT(a, sked_life_secrets_new(&h->c, &out, &a.err));
    return args_handle(&a, H_LIFE_SECRETS, out);
}

CALL(life_secrets_launch)
{
    sked_life_secrets *s;
    uint64_t job, task;
    size_t n;
    READ("hQQn", H_LIFE_SECRETS, &s, &job, &task, &n);
    column *out = args_column(&a, "Q", 8, n, -1);
    if (!out) return NULL;
    SHORT(a, sked_life_secrets_launch(s, job, task, n, (uint64_t *)out->at,
                                      &a.err));
    return args_end(&a, "O", out);
}

PyMethodDef life_methods[] = {
    METHOD(life_table_of),
    METHOD(life_next),
    METHOD(life_legal),
    METHOD(life_way),
    METHOD(life_act),
    METHOD(life_check),
    METHOD(life_format),
    METHOD(life_may_replace),
    METHOD(life_task_action),
    METHOD(life_availability_of),
    METHOD(life_count),
    METHOD(life_nature_of),
    METHOD(life_job_state),
    METHOD(life_job_action),
    METHOD(life_may_stop),
    METHOD(life_stop),
    METHOD(life_gang_of),
    METHOD(life_secrets_new),
    METHOD(life_secrets_launch),
    {NULL, NULL, 0, NULL},
};

/* Restarts, retries of placement, quarantine: <sched/life_policy.h>. */

CALL(life_backoff)
{
    uint32_t failures;
    int64_t first, most;
    READ("uqq", &failures, &first, &most);
    a.rc = SKED_OK;
    return args_end(&a, "L",
                    (long long)sked_life_backoff(failures, first, most));
}

static const field_of restart_fields[] = {
    FIELD('u', sked_life_restart_options, type, ""),
    FIELD('u', sked_life_restart_options, again, ""),
    FIELD('u', sked_life_restart_options, max_failures, ""),
    FIELD('u', sked_life_restart_options, max_system, ""),
    FIELD('u', sked_life_restart_options, end_preempted, ""),
    FIELD('q', sked_life_restart_options, first_ns, ""),
    FIELD('q', sked_life_restart_options, most_ns, ""),
};

CALL(life_restart)
{
    incol in;
    PyObject *dict;
    uint32_t end;
    const sked_life_instance *i;
    size_t dim[128] = {0};
    sked_life_restart_result r = {0};
    STRUCT_WITH(sked_life_restart_options, o, 0);
    READ("RuO", &in, &end, &dict);
    if (!instances_in(&a, &in, 1, &i)) return NULL;
    if (!args_struct(&a, dict, restart_fields, COUNT(restart_fields), &o,
                     dim)) {
        return NULL;
    }
    SHORT(a, sked_life_restart(i, end, &o, &r, &a.err));
    return args_end(&a, "IIL", (unsigned)r.again, (unsigned)r.failures,
                    (long long)r.delay_ns);
}

static const field_of placing_fields[] = {
    FIELD('u', sked_life_placing_options, attempts, ""),
    FIELD('u', sked_life_placing_options, cycles, ""),
    FIELD('u', sked_life_placing_options, reserve, ""),
    FIELD('u', sked_life_placing_options, plain, ""),
    FIELD('q', sked_life_placing_options, placing_ns, ""),
    FIELD('q', sked_life_placing_options, backoff_ns, ""),
    FIELD('q', sked_life_placing_options, launching_ns, ""),
    FIELD('q', sked_life_placing_options, preempting_ns, ""),
    FIELD('q', sked_life_placing_options, reserved_ns, ""),
};

typedef sked_status (*placing_fn)(uint32_t, const sked_life_placing_options *,
                                  sked_life_tries *, sked_life_placing_result *,
                                  sked_error *);

/* Attempt and cycle; to, reserve, cycle over, all over, time-out, back-off. */
static PyObject *placing_call(PyObject *const *argv, Py_ssize_t argc,
                              placing_fn call)
{
    PyObject *dict, *module = NULL;
    uint32_t state;
    size_t dim[128] = {0};
    sked_life_tries tries;
    sked_life_placing_result r = {0};
    STRUCT_WITH(sked_life_placing_options, o, 0);
    READ("uOuu", &state, &dict, &tries.attempt, &tries.cycle);
    if (dict != Py_None && !args_struct(&a, dict, placing_fields,
                                        COUNT(placing_fields), &o, dim)) {
        return NULL;
    }
    SHORT(a, call(state, dict == Py_None ? NULL : &o, &tries, &r, &a.err));
    return args_end(&a, "IIIIIILL", (unsigned)tries.attempt,
                    (unsigned)tries.cycle, (unsigned)r.to, (unsigned)r.reserve,
                    (unsigned)r.cycle_over, (unsigned)r.all_over,
                    (long long)r.timeout_ns, (long long)r.backoff_ns);
}

CALL(life_placing_begin)
{
    (void)module;
    return placing_call(argv, argc, sked_life_placing_begin);
}

CALL(life_placing_timeout)
{
    (void)module;
    return placing_call(argv, argc, sked_life_placing_timeout);
}

CALL(life_placing_return)
{
    (void)module;
    return placing_call(argv, argc, sked_life_placing_return);
}

static const field_of quarantine_fields[] = {
    FIELD('u', sked_life_node_options, failures, ""),
    FIELD('q', sked_life_node_options, within_ns, ""),
    FIELD('q', sked_life_node_options, first_ns, ""),
    FIELD('q', sked_life_node_options, most_ns, ""),
    FIELD('q', sked_life_node_options, nodes_ppm, ""),
};

#define RECORD_LETTERS "qquuu"
#define RECORD_PLACES(r)                                                       \
    &(r).from, &(r).until, &(r).failures, &(r).times, &(r).out
#define RECORD_VALUE(r)                                                        \
    (long long)(r).from, (long long)(r).until, (unsigned)(r).failures,         \
        (unsigned)(r).times, (unsigned)(r).out

/* A node's record, and how many nodes are out. */
CALL(life_node_fail)
{
    sked_life_record r = {0};
    sked_life_nodes nodes;
    sked_time now;
    PyObject *dict;
    size_t dim[128] = {0};
    STRUCT_WITH(sked_life_node_options, o, 0);
    READ(RECORD_LETTERS "qOQQ", RECORD_PLACES(r), &now, &dict, &nodes.n,
         &nodes.out);
    if (!args_struct(&a, dict, quarantine_fields, COUNT(quarantine_fields), &o,
                     dim)) {
        return NULL;
    }
    SHORT(a, sked_life_node_fail(&r, now, &o, &nodes, &a.err));
    return args_end(&a, "(LLIII)K", RECORD_VALUE(r),
                    (unsigned long long)nodes.out);
}

CALL(life_node_succeed)
{
    sked_life_record r = {0};
    READ(RECORD_LETTERS, RECORD_PLACES(r));
    sked_life_node_succeed(&r);
    a.rc = SKED_OK;
    return args_end(&a, "(LLIII)", RECORD_VALUE(r));
}

CALL(life_node_is_out)
{
    sked_life_record r = {0};
    sked_life_nodes nodes = {0};
    sked_time now;
    READ(RECORD_LETTERS "qQ", RECORD_PLACES(r), &now, &nodes.out);
    int out = sked_life_node_is_out(&r, now, &nodes);
    a.rc = SKED_OK;
    return args_end(&a, "i(LLIII)K", out, RECORD_VALUE(r),
                    (unsigned long long)nodes.out);
}

PyMethodDef life_policy_methods[] = {
    METHOD(life_backoff),        METHOD(life_restart),
    METHOD(life_placing_begin),  METHOD(life_placing_timeout),
    METHOD(life_placing_return), METHOD(life_node_fail),
    METHOD(life_node_succeed),   METHOD(life_node_is_out),
    {NULL, NULL, 0, NULL},
};

/* Updates: <sched/life_update.h>. */

#define O(type, name) FIELD(type, sked_life_update_options, name, "")
static const field_of update_fields[] = {
    O('u', flags),   O('u', batch),  O('u', max_failures), O('u', max_attempts),
    O('u', overlap), O('u', canary), O('q', canary_ns),    O('q', within_ns),
};

/* Columns from, to and zone (or None); options; an SLA or None. */
CALL(life_update_new)
{
    host *h;
    incol from, to, zone;
    PyObject *dict, *promise;
    sked_life_update *out = NULL;
    size_t dim[128] = {0};
    STRUCT_WITH(sked_life_update_options, o, 0);
    STRUCT_WITH(sked_life_sla, sla, 0);
    READ("xKKUOO", &h, &from, &to, &zone, &dict, &promise);
    if (!args_need(&a, &to, "to", from.n, 0) ||
        !args_need(&a, &zone, "zone", from.n, 1) ||
        !args_struct(&a, dict, update_fields, COUNT(update_fields), &o, dim)) {
        return NULL;
    }
    if (promise != Py_None) {
        if (!args_struct(&a, promise, life_sla_fields, LIFE_SLA_FIELDS, &sla,
                         dim)) {
            return NULL;
        }
        o.sla = &sla;
    }
    STRUCT_WITH(sked_life_update_input, in, .from = from.at, .to = to.at,
                .zone = zone.at, .n = from.n);
    RUN(a, sked_life_update_new(&in, &o, &h->c, &out, &a.err));
    return args_handle(&a, H_LIFE_UPDATE, out);
}

CALL(life_update_step)
{
    sked_life_update *u;
    incol in;
    sked_time now;
    const sked_life_instance *i;
    size_t n = 0, cap;
    READ("HRqn", H_LIFE_UPDATE, &u, &in, &now, &cap);
    if (!instances_in(&a, &in, SIZE_MAX, &i)) return NULL;
    size_t rows = in.n / sizeof *i;
    if (cap > 2 * rows) cap = 2 * rows;
    column *out = args_column(&a, ROW_LIFE_ORDER, sizeof(sked_life_order), cap,
                              -1);
    if (!out) return NULL;
    RUN(a, sked_life_update_step(u, i, rows, now, (sked_life_order *)out->at,
                                 cap, &n, &a.err));
    return args_first(&a, out, n);
}

/* State, before, why, total, done, failed, progress, waiting, zone. */
CALL(life_update_get_stats)
{
    sked_life_update *u;
    STRUCT_WITH(sked_life_update_stats, r, 0);
    READ("h", H_LIFE_UPDATE, &u);
    SHORT(a, sked_life_update_get_stats(u, &r, &a.err));
    return args_end(&a, "IIIKKKKKI", (unsigned)r.at.state,
                    (unsigned)r.at.before, (unsigned)r.why,
                    (unsigned long long)r.total, (unsigned long long)r.done,
                    (unsigned long long)r.failed,
                    (unsigned long long)r.progress,
                    (unsigned long long)r.waiting, (unsigned)r.zone);
}

CALL(life_update_phases)
{
    sked_life_update *u;
    size_t n = 0;
    READ("h", H_LIFE_UPDATE, &u);
    (void)!sked_life_update_phases(u, NULL, 0, &n, NULL);
    column *out = args_column(&a, "B", 1, n, -1);
    if (!out) return NULL;
    SHORT(a, sked_life_update_phases(u, (uint8_t *)out->at, n, &n, &a.err));
    return args_end(&a, "O", out);
}

CALL(life_update_save)
{
    sked_life_update *u;
    size_t n = 0;
    READ("h", H_LIFE_UPDATE, &u);
    (void)!sked_life_update_save(u, NULL, 0, &n, NULL);
    column *out = args_column(&a, "B", 1, n, -1);
    if (!out) return NULL;
    RUN(a, sked_life_update_save(u, (uint8_t *)out->at, n, &n, &a.err));
    return args_end(&a, "O", out);
}

CALL(life_update_load)
{
    host *h;
    incol in;
    sked_life_update *out = NULL;
    READ("xR", &h, &in);
    RUN(a, sked_life_update_load(in.at, in.n, &h->c, &out, &a.err));
    return args_handle(&a, H_LIFE_UPDATE, out);
}

CALL(life_update_action)
{
    uint32_t state;
    uint64_t processed, total;
    READ("uQQ", &state, &processed, &total);
    a.rc = SKED_OK;
    return args_end(&a, "I",
                    (unsigned)sked_life_update_action(state, processed, total));
}

CALL(life_update_judge)
{
    incol in;
    uint64_t target;
    uint32_t attempts;
    const sked_life_instance *i;
    READ("RQu", &in, &target, &attempts);
    if (!instances_in(&a, &in, 1, &i)) return NULL;
    a.rc = SKED_OK;
    return args_end(&a, "I",
                    (unsigned)sked_life_update_judge(i, target, attempts));
}

CALL(life_overwrite)
{
    uint32_t live, state, wanted;
    int32_t equal;
    int same = 0;
    READ("uuui", &live, &state, &wanted, &equal);
    SHORT(a, sked_life_overwrite(live, state, wanted, equal, &same, &a.err));
    return args_end(&a, "i", same);
}

PyMethodDef life_update_methods[] = {
    METHOD(life_update_new),       METHOD(life_update_step),
    METHOD(life_update_get_stats), METHOD(life_update_phases),
    METHOD(life_update_save),      METHOD(life_update_load),
    METHOD(life_update_action),    METHOD(life_update_judge),
    METHOD(life_overwrite),        {NULL, NULL, 0, NULL},
};
