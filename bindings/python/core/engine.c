/* The engine: <sched/engine_preempt.h>. Events come in as records of 64 bytes,
 * decisions go out as records; FORMATS says how both are laid out, for the
 * struct module and numpy alike. */
#include "core.h"

#include <stddef.h>

CALL(engine_new)
{
    sked_tree *tree;
    host *h;
    sked_engine *engine = NULL;
    STRUCT_WITH(sked_engine_options, o, 0);
    READ("hxuQqqquuuuuq", H_TREE, &tree, &h, &o.flags, &o.seed,
         &o.confirm_within_ns, &o.node_delay_ns, &o.rack_delay_ns,
         &o.max_per_pass, &o.max_untaken, &o.max_user_running, &o.pooled,
         &o.form_nodes, &o.form_for_ns);
    RUN(a, sked_engine_new(tree, &o, &h->c, &engine, &a.err));
    return args_handle(&a, H_ENGINE, engine);
}

CALL(engine_preempt)
{
    sked_engine *engine;
    PyObject *said;
    preemption_in in;
    READ("HO", H_ENGINE, &engine, &said);
    if (!preemption_read(&a, said, &in)) return NULL;
    RUN(a, sked_engine_preempt(engine, in.on ? &in.c : NULL, &a.err));
    return args_end(&a, "");
}

CALL(engine_name_user)
{
    sked_engine *engine;
    uint64_t user;
    const char *name;
    READ("HQz", H_ENGINE, &engine, &user, &name);
    SHORT(a, sked_engine_name_user(engine, user, name, &a.err));
    return args_end(&a, "");
}

CALL(engine_reserve)
{
    sked_engine *engine;
    STRUCT_WITH(sked_engine_reserve_input, in, 0);
    READ("HuQQQQQQQQQQQQQQQQQ", H_ENGINE, &engine, &in.partitions, &in.nodes,
         &in.jobs, &in.leaf_jobs, &in.users, &in.accounts, &in.asks,
         &in.wide_asks, &in.leaf_asks, &in.places, &in.shapes, &in.groups,
         &in.ranges, &in.refusals, &in.saved, &in.decisions, &in.released,
         &in.spreads);
    RUN(a, sked_engine_reserve(engine, &in, &a.err));
    return args_end(&a, "");
}

/* 0 with an exception unless the offsets are those of lists in `n` keys. */
static int places_fit(args *a, const incol *offsets, size_t n)
{
    const int32_t *at = offsets->at;
    int64_t before = 0;

    for (size_t i = 0; i < offsets->n; i++) {
        if (at[i] < before || (size_t)at[i] > n) {
            PyErr_SetString(PyExc_ValueError, "offsets of no such lists");
            (void)args_fail(a);
            return 0;
        }
        before = at[i];
    }
    return 1;
}

/* A batch of events as it comes. */
typedef struct batch_in {
    incol events, amounts, offsets, places, moments, tasks, place_tasks;
    incol attribute_offsets, attributes, rule_offsets, rule_terms, rule_values;
    incol gangs, charges;
} batch_in;

#define BATCH_LETTERS "RLIKLLUIRIRLRR"
#define BATCH_PLACES(b)                                                        \
    &(b).events, &(b).amounts, &(b).offsets, &(b).places, &(b).moments,        \
        &(b).tasks, &(b).place_tasks, &(b).attribute_offsets, &(b).attributes, \
        &(b).rule_offsets, &(b).rule_terms, &(b).rule_values, &(b).gangs,      \
        &(b).charges

/* Attributes and rules. */
static int batch_rules(args *a, const batch_in *b, sked_events *in)
{
    size_t pairs = b->attributes.n / sizeof(sked_rule_attribute);
    size_t terms = b->rule_terms.n / sizeof(sked_rule_term);

    if (!places_fit(a, &b->attribute_offsets, pairs) ||
        !places_fit(a, &b->rule_offsets, terms)) {
        return 0;
    }
    in->attribute_offsets = b->attribute_offsets.at;
    in->attributes = b->attributes.at;
    in->n_attributes = b->attribute_offsets.n ? b->attribute_offsets.n - 1 : 0;
    in->rule_offsets = b->rule_offsets.at;
    in->rule_terms = b->rule_terms.at;
    in->n_rules = b->rule_offsets.n ? b->rule_offsets.n - 1 : 0;
    in->rule_values = b->rule_values.at;
    in->n_rule_values = b->rule_values.n;
    return 1;
}

/* 0 with an exception unless the columns are those of a batch. */
static int batch_read(args *a, const batch_in *b, size_t kinds, sked_events *in)
{
    if (b->events.n % sizeof(sked_event) || (b->amounts.n && !kinds)) {
        PyErr_SetString(PyExc_ValueError, "events are records of 64 bytes");
        (void)args_fail(a);
        return 0;
    }
    in->n = b->events.n / sizeof(sked_event);
    if (!args_need(a, &b->amounts, "amounts",
                   kinds ? b->amounts.n / kinds * kinds : 0, 1) ||
        (b->moments.n &&
         !args_need(a, &b->moments, "moments", (size_t)in->n, 1)) ||
        (b->tasks.n && !args_need(a, &b->tasks, "tasks", (size_t)in->n, 1)) ||
        (b->gangs.n &&
         !args_need(a, &b->gangs, "gangs",
                    (size_t)in->n * sizeof(sked_event_gang), 1)) ||
        (b->charges.n &&
         !args_need(a, &b->charges, "charges",
                    (size_t)in->n * sizeof(sked_event_charge), 1)) ||
        (b->place_tasks.n &&
         !args_need(a, &b->place_tasks, "place_tasks", b->places.n, 1)) ||
        !places_fit(a, &b->offsets, b->places.n) || !batch_rules(a, b, in)) {
        return 0;
    }
    in->events = b->events.at;
    in->amounts = b->amounts.at;
    in->n_amounts = kinds ? b->amounts.n / kinds : 0;
    in->place_offsets = b->offsets.at;
    in->places = b->places.at;
    in->n_places = b->offsets.n ? b->offsets.n - 1 : 0;
    in->moments = b->moments.n ? b->moments.at : NULL;
    in->tasks = b->tasks.n ? b->tasks.at : NULL;
    in->place_tasks = b->place_tasks.n ? b->place_tasks.at : NULL;
    in->gangs = b->gangs.n ? b->gangs.at : NULL;
    in->charges = b->charges.n ? b->charges.at : NULL;
    return 1;
}

/* The rows that were applied, and what stopped it: (done, status); an error of
 * the library comes as an exception with `row` and, in got of none, `done`. */
CALL(engine_apply)
{
    sked_engine *engine;
    size_t kinds;
    batch_in b;
    uint64_t done = 0;
    STRUCT_WITH(sked_events, in, 0);
    READ("Hn" BATCH_LETTERS, H_ENGINE, &engine, &kinds, BATCH_PLACES(b));
    if (!batch_read(&a, &b, kinds, &in)) return NULL;
    RUN(a, sked_engine_apply(engine, &in, &done, &a.err));
    if (a.rc == SKED_ERR_FULL) a.rc = SKED_OK; /* `done` says it */
    return args_end(&a, "Ki", (unsigned long long)done, (int)a.rc);
}

CALL(engine_reconcile)
{
    sked_engine *engine;
    size_t kinds, n = 0;
    batch_in b;
    STRUCT_WITH(sked_events, in, 0);
    READ("Hn" BATCH_LETTERS, H_ENGINE, &engine, &kinds, BATCH_PLACES(b));
    if (!batch_read(&a, &b, kinds, &in)) return NULL;
    sked_status rc = sked_engine_reconcile(engine, &in, NULL, 0, &n, &a.err);
    if (rc != SKED_OK && rc != SKED_ERR_RANGE) n = 0;
    column *out = args_column(&a, ROW_ENGINE_DIFFERENCE,
                              sizeof(sked_engine_difference), n, -1);
    if (!out) return NULL;
    RUN(a, sked_engine_reconcile(engine, &in, (sked_engine_difference *)out->at,
                                 n, &n, &a.err));
    return args_end(&a, "O", out);
}

CALL(engine_pass)
{
    sked_engine *engine;
    int64_t now;
    uint64_t budget;
    READ("HqQ", H_ENGINE, &engine, &now, &budget);
    RUN(a, sked_engine_pass(engine, now, budget, &a.err));
    return args_end(&a, "i", (int)a.rc);
}

CALL(engine_place)
{
    sked_engine *engine;
    uint32_t mode;
    incol nodes, scores;
    int64_t now;
    uint64_t budget;
    READ("HuKLqQ", H_ENGINE, &engine, &mode, &nodes, &scores, &now, &budget);
    if (!args_need(&a, &scores, "scores", nodes.n, nodes.n == 0)) return NULL;
    STRUCT_WITH(sked_engine_place_options, o, .mode = mode, .nodes = nodes.at,
                .scores = scores.at, .n = nodes.n);
    RUN(a, sked_engine_place(engine, now, budget, &o, &a.err));
    return args_end(&a, "i", (int)a.rc);
}

CALL(engine_admit)
{
    sked_engine *engine;
    uint64_t queue;
    int64_t now;
    int on;
    uint32_t flags;
    incol entitlement, slack, reservation, controllers;
    READ("HQqiuLLLL", H_ENGINE, &engine, &queue, &now, &on, &flags,
         &entitlement, &slack, &reservation, &controllers);
    size_t kinds = entitlement.n;
    if (!args_need(&a, &slack, "slack", kinds, 0) ||
        !args_need(&a, &reservation, "reservation", kinds, 0) ||
        !args_need(&a, &controllers, "controllers", kinds, 0)) {
        return NULL;
    }
    STRUCT_WITH(sked_engine_admit_options, o, .flags = flags,
                .entitlement = entitlement.at, .slack = slack.at,
                .reservation = reservation.at, .controllers = controllers.at);
    RUN(a, sked_engine_admit(engine, queue, now, on ? &o : NULL, &a.err));
    return args_end(&a, "");
}

CALL(engine_take)
{
    sked_engine *engine;
    size_t cap, n = 0;
    READ("Hn", H_ENGINE, &engine, &cap);
    column *out = args_column(&a, ROW_DECISION, sizeof(sked_decision), cap, -1);
    if (!out) return NULL;
    RUN(a, sked_engine_take(engine, (sked_decision *)out->at, cap, &n, &a.err));
    out->shape[0] = (Py_ssize_t)n;
    return args_end(&a, "O", out);
}

/* ---- Reads ---- */

CALL(engine_explain_job)
{
    sked_engine *engine;
    uint64_t job;
    size_t n = 0;
    READ("hQ", H_ENGINE, &engine, &job);
    SHORT(a, sked_engine_explain_job(engine, job, NULL, 0, &n));
    column *out = args_column(&a, ROW_ENGINE_BOUND, sizeof(sked_engine_bound),
                              n, -1);
    if (!out) return NULL;
    if (n) {
        RUN(a, sked_engine_explain_job(engine, job,
                                       (sked_engine_bound *)out->at, n, &n));
    }
    return args_end(&a, "O", out);
}

CALL(engine_contract)
{
    sked_engine *engine;
    uint64_t job;
    int32_t contract;
    size_t n = 0, kinds;
    READ("hQin", H_ENGINE, &engine, &job, &contract, &kinds);
    sked_status rc = sked_engine_contract(engine, job, contract, NULL, NULL, 0,
                                          &n);
    if (rc != SKED_OK && rc != SKED_ERR_RANGE) SHORT(a, rc);
    column *amounts = args_column(&a, "q", 8, SKED_MAX_KINDS, -1);
    column *out = amounts ? args_column(&a, ROW_ENGINE_NOTICE,
                                        sizeof(sked_engine_notice), n, -1)
                          : NULL;
    if (!out) return NULL;
    SHORT(a, sked_engine_contract(engine, job, contract, (int64_t *)amounts->at,
                                  (sked_engine_notice *)out->at, n, &n));
    amounts->shape[0] = (Py_ssize_t)(kinds < SKED_MAX_KINDS ? kinds
                                                            : SKED_MAX_KINDS);
    return args_end(&a, "OO", amounts, out);
}

CALL(engine_get_stats)
{
    sked_engine *engine;
    STRUCT_WITH(sked_engine_stats, s, 0);
    READ("h", H_ENGINE, &engine);
    SHORT(a, sked_engine_get_stats(engine, &s));
    return args_end(&a, "KKKKKKKKKKKKKKKKKKKKK", s.nodes, s.jobs,
                    s.jobs_waiting, s.asks, s.open_tasks, s.groups,
                    s.running_tasks, s.events, s.heartbeats, s.idle,
                    s.decisions, s.allocated, s.late_events, s.queues_visited,
                    s.asks_visited, s.bytes, s.adopted, s.nodes_over,
                    s.queues_over, s.formings, s.form_nodes);
}

CALL(engine_usage)
{
    sked_engine *engine;
    uint64_t queue;
    uint32_t partition;
    size_t kinds;
    READ("hQun", H_ENGINE, &engine, &queue, &partition, &kinds);
    column *usage = args_column(&a, "q", 8, SKED_MAX_KINDS, -1);
    column *pending = usage ? args_column(&a, "q", 8, SKED_MAX_KINDS, -1)
                            : NULL;
    if (!pending) return NULL;
    RUN(a, sked_engine_usage(engine, queue, partition, (int64_t *)usage->at,
                             (int64_t *)pending->at));
    if (kinds > SKED_MAX_KINDS) kinds = SKED_MAX_KINDS;
    usage->shape[0] = pending->shape[0] = (Py_ssize_t)kinds;
    return args_end(&a, "OO", usage, pending);
}

CALL(engine_limits_usage)
{
    sked_engine *engine;
    uint32_t which;
    uint64_t queue;
    int64_t running = 0;
    size_t kinds;
    READ("huQn", H_ENGINE, &engine, &which, &queue, &kinds);
    column *usage = args_column(&a, "q", 8, SKED_MAX_KINDS, -1);
    if (!usage) return NULL;
    SHORT(a, sked_engine_limits_usage(engine, which, queue,
                                      (int64_t *)usage->at, &running));
    if (kinds > SKED_MAX_KINDS) kinds = SKED_MAX_KINDS;
    usage->shape[0] = (Py_ssize_t)kinds;
    return args_end(&a, "OL", usage, (long long)running);
}

CALL(engine_node_free)
{
    sked_engine *engine;
    uint64_t node;
    size_t kinds;
    READ("hQn", H_ENGINE, &engine, &node, &kinds);
    column *out = args_column(&a, "q", 8, SKED_MAX_KINDS, -1);
    if (!out) return NULL;
    SHORT(a, sked_engine_node_free(engine, node, (int64_t *)out->at));
    out->shape[0] = (Py_ssize_t)(kinds < SKED_MAX_KINDS ? kinds
                                                        : SKED_MAX_KINDS);
    return args_end(&a, "O", out);
}

PyMethodDef engine_methods[] = {
    METHOD(engine_preempt),      METHOD(engine_new),
    METHOD(engine_name_user),    METHOD(engine_apply),
    METHOD(engine_pass),         METHOD(engine_take),
    METHOD(engine_explain_job),  METHOD(engine_get_stats),
    METHOD(engine_usage),        METHOD(engine_node_free),
    METHOD(engine_contract),     METHOD(engine_reserve),
    METHOD(engine_reconcile),    METHOD(engine_place),
    METHOD(engine_limits_usage), METHOD(engine_admit),
    {NULL, NULL, 0, NULL},
};
