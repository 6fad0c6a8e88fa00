/* Advice, and its proof by simulation: <sched/advise.h>. */
#include "core.h"

#include <stddef.h>
#include <string.h>

static const field_of advise_fields[] = {
    FIELD('u', sked_advice_input, flags, ""),
    FIELD('u', sked_advice_input, kinds, "k"),
    FIELD('u', sked_advice_input, guaranteed_tiers, ""),
    FIELD('L', sked_advice_input, instance, "k"),
    FIELD('q', sked_advice_input, instances, ""),
    FIELD('q', sked_advice_input, step_ppm, ""),
    FIELD('q', sked_advice_input, dead_band_ppm, ""),
    FIELD('q', sked_advice_input, running_part_ppm, ""),
    FIELD_AS('q', sked_advice_input, head_room_ppm, "head_room", ""),
    FIELD('Q', sked_advice_input, below, ""),
    FIELD('B', sked_advice_input, used, "r"),
};

CALL(advice_new)
{
    sked_tree *tree;
    sked_ledger *ledger;
    host *h;
    PyObject *dict, *job_dict, *fields;
    incol amounts, low, high;
    plan_jobs_in jobs;
    sked_advice *advice = NULL;
    size_t dim[128] = {0};
    STRUCT_WITH(sked_advice_input, in, 0);
    READ("hOOOLLLzox", H_TREE, &tree, &dict, &job_dict, &fields, &amounts, &low,
         &high, &in.other, H_LEDGER, &ledger, &h);
    dim['r'] = sked_tree_count(tree);
    if (!args_struct(&a, dict, advise_fields, COUNT(advise_fields), &in, dim) ||
        !plan_jobs_read(&a, job_dict, fields, &jobs)) {
        return NULL;
    }
    size_t tiers = jobs.c.tiers ? jobs.c.tiers : 3;
    if (!args_need(&a, &amounts, "amounts", jobs.c.n * dim['k'], 0) ||
        !args_need(&a, &low, "low_ppm", tiers, 1) ||
        !args_need(&a, &high, "high_ppm", tiers, 1)) {
        return NULL;
    }
    in.jobs = &jobs.c;
    in.amounts = amounts.at;
    in.low_ppm = low.at;
    in.high_ppm = high.at;
    in.ledger = ledger;
    RUN(a, sked_advice_new(tree, &in, &h->c, &advice, &a.err));
    return args_handle(&a, H_ADVICE, advice);
}

/* outcome, tier, leaves, changes, held, allocated, smallest, and by tier the
 * threshold and what it allocates. */
CALL(advice_get_result)
{
    sked_advice *advice;
    STRUCT_WITH(sked_advice_result, s, 0);
    READ("h", H_ADVICE, &advice);
    SHORT(a, sked_advice_get_result(advice, &s));
    size_t tiers = s.tiers <= SKED_MAX_TIERS ? s.tiers : 0;
    if (!COLUMNS(a, {"q", 8, tiers, -1}, {"q", 8, tiers, -1})) return NULL;
    memcpy(MADE(a, int64_t, 0), s.threshold_ppm, tiers * 8);
    memcpy(MADE(a, int64_t, 1), s.allocation, tiers * 8);
    return args_end(&a, "iIIKKLLOO", (int)s.outcome, (unsigned)s.tier,
                    (unsigned)s.leaves, (unsigned long long)s.changes,
                    (unsigned long long)s.held, (long long)s.allocated,
                    (long long)s.smallest, a.out[0], a.out[1]);
}

/* tier, queue, threshold, max_running, and a record of the point. */
CALL(advice_leaf)
{
    sked_advice *advice;
    size_t i;
    STRUCT_WITH(sked_advice_finding, leaf, 0);
    READ("hn", H_ADVICE, &advice, &i);
    if (!COLUMNS(a, {ROW_PCTL_POINT, sizeof(sked_pctl_point), 1, -1},
                 {ROW_PCTL_QUEUE, sizeof(sked_pctl_queue), 1, -1})) {
        return NULL;
    }
    SHORT(a, sked_advice_leaf(advice, i, &leaf));
    memcpy(MADE(a, sked_pctl_point, 0), &leaf.point, sizeof leaf.point);
    memcpy(MADE(a, sked_pctl_queue, 1), &leaf.total, sizeof leaf.total);
    return args_end(&a, "IKLLOO", (unsigned)leaf.tier,
                    (unsigned long long)leaf.queue,
                    (long long)leaf.threshold_ppm, (long long)leaf.max_running,
                    a.out[0], a.out[1]);
}

/* A copy of the tree as it would be. */
CALL(advice_tree)
{
    sked_advice *advice;
    host *h;
    sked_tree *copy = NULL;
    READ("hx", H_ADVICE, &advice, &h);
    RUN(a, sked_tree_copy(sked_advice_tree(advice), &h->c, &copy, &a.err));
    return args_handle(&a, H_TREE, copy);
}

/* What leads there, as text. */
CALL(advice_diff)
{
    sked_advice *advice;
    READ("h", H_ADVICE, &advice);
    return diff_end(&a, sked_advice_diff(advice));
}

/* The plan's changes, as plan_get gives them one by one. */
CALL(advice_plan)
{
    sked_advice *advice;
    READ("h", H_ADVICE, &advice);
    const sked_plan *plan = sked_advice_plan(advice);
    size_t n = plan ? sked_plan_count(plan) : 0;
    PyObject *list = PyList_New((Py_ssize_t)n);
    for (size_t i = 0; list && i < n; i++) {
        STRUCT_WITH(sked_plan_change, c, 0);
        SHORT(a, sked_plan_get(plan, i, &c));
        PyObject *one = plan_change_value(&c);
        if (one) PyList_SetItem(list, (Py_ssize_t)i, one);
        if (!one) Py_CLEAR(list);
    }
    return list ? args_end(&a, "N", list) : args_fail(&a);
}

CALL(advice_apply)
{
    sked_advice *advice;
    sked_tree *tree;
    sked_ledger *ledger;
    READ("hHo", H_ADVICE, &advice, H_TREE, &tree, H_LEDGER, &ledger);
    RUN(a, sked_advice_apply(advice, tree, ledger, &a.err));
    return args_end(&a, "");
}

/* ---- The proof ---- */

static const field_of check_fields[] = {
    FIELD('Q', sked_advice_prove_input, workflows, "w"),
    FIELD('U', sked_advice_prove_input, workflow, "n"),
    FIELD('B', sked_advice_prove_input, tier, "w"),
    FIELD_AS('L', sked_advice_prove_input, slo_ns, "slo", "n"),
    FIELD('q', sked_advice_prove_input, success_ppm, ""),
};

/* One side, with its two columns: how tiers fared, and their delays. */
static PyObject *side_value(args *a, const sked_advice_side *side, int at)
{
    memcpy(MADE(*a, sked_slo_tier, at), side->tier, sizeof side->tier);
    memcpy(MADE(*a, int64_t, at + 1), side->delay, sizeof side->delay);
    return Py_BuildValue("KKKLOO", (unsigned long long)side->digest,
                         (unsigned long long)side->jobs,
                         (unsigned long long)side->unfinished,
                         (long long)side->end, a->out[at], a->out[at + 1]);
}

CALL(advice_prove)
{
    sked_advice *advice;
    sked_tree *tree;
    sim_columns sim;
    PyObject *dict, *job_dict, *fields;
    plan_jobs_in names;
    sked_advice_side side[2];
    size_t dim[128] = {0};
    STRUCT_WITH(sked_advice_prove_input, check, 0);
    READ("Hh" SIM_LETTERS "OOO", H_ADVICE, &advice, H_TREE, &tree,
         SIM_PLACES(sim), &dict, &job_dict, &fields);
    if (!sim_fits(&a, &sim, sked_schema_kinds(sked_tree_schema(tree)))) {
        return NULL;
    }
    dim['n'] = sim.jobs.n;
    size_t tiers = SKED_MAX_TIERS, delays = sizeof(sked_sim_delay) / 8;
    if (!args_struct(&a, dict, check_fields, COUNT(check_fields), &check,
                     dim) ||
        !plan_jobs_read(&a, job_dict, fields, &names) ||
        !COLUMNS(a, {ROW_SLO_TIER, sizeof(sked_slo_tier), tiers, -1},
                 {"q", 8, tiers, (Py_ssize_t)delays},
                 {ROW_SLO_TIER, sizeof(sked_slo_tier), tiers, -1},
                 {"q", 8, tiers, (Py_ssize_t)delays})) {
        return NULL;
    }
    memset(side, 0, sizeof side);
    sim_start(&a, &sim);
    check.jobs = &sim.jobs;
    check.names = &names.c;
    check.nodes = sim.nodes;
    check.n_nodes = sim.n_nodes;
    check.options = &sim.options;
    check.attribute_offsets = sim.attribute_offsets.at;
    check.attributes = sim.attributes.at;
    if (a.rc == SKED_OK) {
        RUN(a, sked_advice_prove(advice, tree, &check, side, &a.err));
    }
    sim_finish(&sim);
    if (a.rc < 0) return args_end(&a, "");
    PyObject *before = side_value(&a, &side[0], 0);
    PyObject *after = before ? side_value(&a, &side[1], 2) : NULL;
    if (!after) {
        Py_XDECREF(before);
        return args_fail(&a);
    }
    return args_end(&a, "NN", before, after);
}

PyMethodDef advice_methods[] = {
    METHOD(advice_new),   METHOD(advice_get_result), METHOD(advice_leaf),
    METHOD(advice_tree),  METHOD(advice_diff),       METHOD(advice_plan),
    METHOD(advice_apply), METHOD(advice_prove),      {NULL, NULL, 0, NULL},
};
