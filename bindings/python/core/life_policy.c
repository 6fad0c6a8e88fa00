/* Restarts, retries of placement, quarantine: <sched/life_policy.h>. */
#include "life.h"

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
