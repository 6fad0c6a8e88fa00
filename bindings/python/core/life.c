/* Lives of tasks and jobs: <sched/life.h>, <sched/life_job.h>,
 * <sched/life_secrets.h>. Policies: life_policy.c, updates: life_update.c. */
#include "core.h"

#include <stddef.h>
#include <string.h>

#include "life.h"

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
int instances_in(args *a, const incol *in, size_t n,
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

const field_of life_sla_fields[LIFE_SLA_FIELDS] = {
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
