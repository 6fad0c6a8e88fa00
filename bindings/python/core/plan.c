/* The queue structure that jobs ask for: <sched/plan.h>. */
#include "core.h"

#include <stddef.h>
#include <string.h>

/* ---- Structure ---- */

static const field_of running_fields[] = {
    FIELD('u', sked_plan_running_input, flags, ""),
    FIELD('Q', sked_plan_running_input, queues, "q"),
    FIELD('Q', sked_plan_running_input, n, "n"),
    FIELD('U', sked_plan_running_input, queue, "n"),
    FIELD('L', sked_plan_running_input, start, "n"),
    FIELD('L', sked_plan_running_input, end, "n"),
    FIELD('q', sked_plan_running_input, from, ""),
    FIELD('q', sked_plan_running_input, to, ""),
    FIELD('q', sked_plan_running_input, part_ppm, ""),
    FIELD_AS('q', sked_plan_running_input, head_room_ppm, "head_room", ""),
};

CALL(plan_running)
{
    host *h;
    PyObject *dict;
    size_t dim[128] = {0};
    STRUCT_WITH(sked_plan_running_input, in, 0);
    READ("Ox", &dict, &h);
    if (!args_struct(&a, dict, running_fields, COUNT(running_fields), &in,
                     dim)) {
        return NULL;
    }
    column *out = args_column(&a, "q", 8, dim['q'], -1);
    if (!out) return NULL;
    RUN(a, sked_plan_running(&in, &h->c, (int64_t *)out->at, &a.err));
    return args_end(&a, "O", out);
}

CALL(plan_tiers)
{
    uint32_t tiers;
    sked_plan_tier setting[SKED_MAX_TIERS];
    READ("u", &tiers);
    SHORT(a, sked_plan_tiers(tiers, setting, &a.err));
    if (a.rc < 0) return args_end(&a, "");
    PyObject *list = PyList_New((Py_ssize_t)tiers);
    for (uint32_t i = 0; list && i < tiers; i++) {
        const sked_plan_tier *s = &setting[i];
        PyObject *one = Py_BuildValue("sLLL", s->name,
                                      (long long)s->preempt_from,
                                      (long long)s->preempt_fair_timeout_ns,
                                      (long long)s->preempt_fair_threshold_ppm);
        if (one) PyList_SetItem(list, (Py_ssize_t)i, one);
        if (!one) Py_CLEAR(list);
    }
    return list ? args_end(&a, "N", list) : args_fail(&a);
}

static const field_of jobs_fields[] = {
    FIELD('u', sked_plan_jobs, flags, ""),
    FIELD('Q', sked_plan_jobs, n, "n"),
    FIELD('Q', sked_plan_jobs, levels, "l"),
    FIELD('Q', sked_plan_jobs, tiers, "t"),
    FIELD('I', sked_plan_jobs, level, "l"),
    FIELD('B', sked_plan_jobs, tier, "n"),
    FIELD('L', sked_plan_jobs, start, "n"),
    FIELD('L', sked_plan_jobs, end, "n"),
    FIELD('q', sked_plan_jobs, from, ""),
    FIELD('q', sked_plan_jobs, to, ""),
};

static int field_in(args *a, plan_jobs_in *jobs, size_t i, PyObject *pair,
                    size_t n)
{
    incol blob, offset;
    PyObject *first = PySequence_GetItem(pair, 0);
    PyObject *second = first ? PySequence_GetItem(pair, 1) : NULL;
    int ok = second && read_column_of(a, first, 'I', &offset) &&
             read_column_of(a, second, 'R', &blob);

    Py_XDECREF(first); /* the views hold them */
    Py_XDECREF(second);
    if (!ok) return 0;
    const int32_t *at = offset.at;
    ok = offset.n == n + 1 && at[0] >= 0;
    for (size_t k = 0; ok && k < n; k++) ok = at[k] <= at[k + 1];
    if (!ok || (size_t)at[n] > blob.n) {
        PyErr_SetString(PyExc_ValueError, "not the offsets of these texts");
        return 0;
    }
    jobs->text[i] = blob.at;
    jobs->offset[i] = at;
    return 1;
}

int plan_jobs_read(args *a, PyObject *dict, PyObject *fields,
                   plan_jobs_in *jobs)
{
    size_t dim[128] = {0};
    Py_ssize_t n = PySequence_Size(fields);

    memset(jobs, 0, sizeof *jobs);
    jobs->c.struct_size = sizeof jobs->c;
    if (!args_struct(a, dict, jobs_fields, COUNT(jobs_fields), &jobs->c, dim)) {
        return 0;
    }
    int ok = n >= 0 && n <= MOST_FIELDS;
    if (n > MOST_FIELDS) PyErr_SetString(PyExc_ValueError, "too many fields");
    for (Py_ssize_t i = 0; i < n && ok; i++) {
        PyObject *pair = PySequence_GetItem(fields, i);
        ok = pair && field_in(a, jobs, (size_t)i, pair, dim['n']);
        Py_XDECREF(pair);
    }
    if (!ok) (void)args_fail(a);
    jobs->c.fields = (uint64_t)n;
    jobs->c.text = jobs->text;
    jobs->c.offset = jobs->offset;
    return ok;
}

CALL(plan_leaves)
{
    host *h;
    PyObject *dict, *fields;
    plan_jobs_in jobs;
    size_t n = 0;
    READ("OOx", &dict, &fields, &h);
    if (!plan_jobs_read(&a, dict, fields, &jobs)) return NULL;
    size_t rows = jobs.c.n;
    column *leaf = args_column(&a, "I", 4, rows, -1);
    column *first = leaf ? args_column(&a, "I", 4, rows, -1) : NULL;
    column *tier = first ? args_column(&a, "B", 1, rows, -1) : NULL;
    if (!tier) return NULL;
    RUN(a, sked_plan_leaves(&jobs.c, &h->c, (uint32_t *)leaf->at,
                            (uint32_t *)first->at, (uint8_t *)tier->at, rows,
                            &n, &a.err));
    first->shape[0] = tier->shape[0] = (Py_ssize_t)n;
    return args_end(&a, "OOO", leaf, first, tier);
}

static const field_of plan_fields[] = {
    FIELD('u', sked_plan_input, flags, ""),
    FIELD('Q', sked_plan_input, leaves, "l"),
    FIELD('Q', sked_plan_input, below, ""),
    FIELD('q', sked_plan_input, dead_band_ppm, ""),
    FIELD('L', sked_plan_input, allocation, "l"),
    FIELD('L', sked_plan_input, max_running, "l"),
    FIELD('B', sked_plan_input, used, "r"),
};

CALL(plan_new)
{
    sked_tree *tree;
    sked_ledger *ledger;
    host *h;
    PyObject *dict, *job_dict, *fields;
    plan_jobs_in jobs;
    sked_plan *plan = NULL;
    size_t dim[128] = {0};
    STRUCT_WITH(sked_plan_input, in, 0);
    READ("hOOOox", H_TREE, &tree, &dict, &job_dict, &fields, H_LEDGER, &ledger,
         &h);
    dim['r'] = sked_tree_count(tree);
    if (!args_struct(&a, dict, plan_fields, COUNT(plan_fields), &in, dim) ||
        !plan_jobs_read(&a, job_dict, fields, &jobs)) {
        return NULL;
    }
    in.jobs = &jobs.c;
    in.ledger = ledger;
    RUN(a, sked_plan_new(tree, &in, &h->c, &plan, &a.err));
    return args_handle(&a, H_PLAN, plan);
}

PyObject *plan_change_value(const sked_plan_change *c)
{
    return Py_BuildValue(
        "iKzIIIILLLLL", (int)c->op, (unsigned long long)c->queue, c->path,
        (unsigned)c->leaf, (unsigned)c->tier, (unsigned)c->changed,
        (unsigned)c->jobs, (long long)c->allocation,
        (long long)c->weight_before, (long long)c->weight_after,
        (long long)c->running_before, (long long)c->running_after);
}

CALL(plan_get)
{
    sked_plan *plan;
    size_t i;
    STRUCT_WITH(sked_plan_change, c, 0);
    READ("hn", H_PLAN, &plan, &i);
    SHORT(a, sked_plan_get(plan, i, &c));
    if (a.rc < 0) return args_end(&a, "");
    PyObject *value = plan_change_value(&c);
    return value ? args_end(&a, "N", value) : args_fail(&a);
}

/* As text: the diff itself is the plan's. */
CALL(plan_diff)
{
    sked_plan *plan;
    READ("h", H_PLAN, &plan);
    return diff_end(&a, sked_plan_diff(plan));
}

CALL(plan_apply)
{
    sked_plan *plan;
    sked_tree *tree;
    sked_ledger *ledger;
    READ("hHo", H_PLAN, &plan, H_TREE, &tree, H_LEDGER, &ledger);
    RUN(a, sked_plan_apply(plan, tree, ledger, &a.err));
    return args_end(&a, "");
}

PyMethodDef plan_methods[] = {
    METHOD(plan_running), METHOD(plan_tiers),    METHOD(plan_leaves),
    METHOD(plan_new),     METHOD(plan_get),      METHOD(plan_diff),
    METHOD(plan_apply),   {NULL, NULL, 0, NULL},
};
