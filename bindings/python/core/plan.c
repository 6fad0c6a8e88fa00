/* Planning: <sched/pctl.h>, <sched/history.h>, <sched/slo.h>,
 * <sched/tiers.h>, <sched/plan.h>. */
#include "core.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define POINT                                                                  \
    "T{q:amount:q:lower:q:higher:q:covered_num:q:covered_den:Q:waste_high:"    \
    "Q:waste_low:}"
#define TOTAL "T{q:in_use:q:vacant:q:least:q:peak:Q:usage_high:Q:usage_low:}"
#define TIER "T{Q:workflows:Q:successful:Q:idle:Q:runs:Q:met:}"
#define REPAIR "T{I:workflow:I:runs:I:met:I:missing:q:extra:}"
#define COUNT(table) (sizeof(table) / sizeof *(table))

/* ---- Percentiles ---- */

static const field_of pctl_fields[] = {
    FIELD('u', sked_pctl_input, flags, ""),
    FIELD('Q', sked_pctl_input, n, "n"),
    FIELD('u', sked_pctl_input, queues, "q"),
    FIELD('u', sked_pctl_input, thresholds, "t"),
    FIELD('L', sked_pctl_input, length, "n"),
    FIELD('L', sked_pctl_input, amount, "n"),
    FIELD('K', sked_pctl_input, first, "q+"),
    FIELD('L', sked_pctl_input, threshold, "t2"),
};

/* Room for the answers of `q` queues and `t` thresholds. */
static int points(args *a, size_t q, size_t t, column **point, column **total)
{
    *point = args_column(a, POINT, sizeof(sked_pctl_point), q * t, -1);
    *total = *point ? args_column(a, TOTAL, sizeof(sked_pctl_total), q, -1)
                    : NULL;
    return *total != NULL;
}

CALL(pctl)
{
    host *h;
    PyObject *dict;
    column *point, *total;
    size_t dim[128] = {0};
    STRUCT_WITH(sked_pctl_input, in, 0);
    READ("xO", &h, &dict);
    if (!args_struct(&a, dict, pctl_fields, COUNT(pctl_fields), &in, dim) ||
        !points(&a, dim['q'], dim['t'], &point, &total)) {
        return NULL;
    }
    RUN(a, sked_pctl(&h->c, &in, (sked_pctl_point *)point->at,
                     (sked_pctl_total *)total->at, &a.err));
    return args_end(&a, "OO", point, total);
}

/* ---- History ---- */

static const field_of history_options[] = {
    FIELD('u', sked_history_options, flags, ""),
    FIELD('u', sked_history_options, queues, ""),
    FIELD('u', sked_history_options, kinds, ""),
    FIELD('u', sked_history_options, kind, ""),
    FIELD('u', sked_history_options, parts, ""),
    FIELD('q', sked_history_options, from, ""),
    FIELD('q', sked_history_options, to, ""),
};

CALL(history_new)
{
    host *h;
    PyObject *dict;
    incol instance;
    sked_history *history = NULL;
    size_t dim[128] = {0};
    STRUCT_WITH(sked_history_options, o, 0);
    READ("xOL", &h, &dict, &instance);
    if (!args_struct(&a, dict, history_options, COUNT(history_options), &o,
                     dim) ||
        !args_need(&a, &instance, "instance", o.kinds ? o.kinds : 1, 1)) {
        return NULL;
    }
    RUN(a, sked_history_new(&h->c, &o, instance.at, &history, &a.err));
    return args_handle(&a, H_HISTORY, history);
}

static const field_of history_rows[] = {
    FIELD('u', sked_history_rows, flags, ""),
    FIELD('i', sked_history_rows, form, ""),
    FIELD('Q', sked_history_rows, n, "n"),
    FIELD('U', sked_history_rows, queue, "n"),
    FIELD('L', sked_history_rows, start, "n"),
    FIELD('L', sked_history_rows, end, "n"),
    FIELD('L', sked_history_rows, length, "n"),
    FIELD('L', sked_history_rows, amount, "nk"),
};

CALL(history_add)
{
    sked_history *history;
    PyObject *dict;
    size_t dim[128] = {0};
    sked_history_counts counts = {0, 0};
    STRUCT_WITH(sked_history_rows, in, 0);
    READ("HnO", H_HISTORY, &history, &dim['k'], &dict);
    if (!args_struct(&a, dict, history_rows, COUNT(history_rows), &in, dim)) {
        return NULL;
    }
    RUN(a, sked_history_add(history, &in, &counts, &a.err));
    return args_end(&a, "KK", counts.empty, counts.outside);
}

CALL(history_settle)
{
    sked_history *history;
    int64_t time;
    READ("Hq", H_HISTORY, &history, &time);
    RUN(a, sked_history_settle(history, time, &a.err));
    return args_end(&a, "");
}

CALL(history_forget)
{
    sked_history *history;
    int64_t time;
    READ("Hq", H_HISTORY, &history, &time);
    RUN(a, sked_history_forget(history, time, &a.err));
    return args_end(&a, "");
}

CALL(history_standing_of)
{
    sked_history *history;
    uint32_t queue;
    sked_history_standing s = {0};
    READ("hu", H_HISTORY, &history, &queue);
    SHORT(a, sked_history_standing_of(history, queue, &s));
    return args_end(&a, "LLKKK", (long long)s.clock, (long long)s.oldest,
                    s.open, s.amounts, s.units);
}

CALL(history_pctl)
{
    sked_history *history;
    incol queue, threshold;
    size_t n;
    column *point, *total;
    READ("hUnL", H_HISTORY, &history, &queue, &n, &threshold);
    size_t t = threshold.n / 2;
    if (n > SKED_MAX_QUEUES || t > 1000) {
        PyErr_SetString(PyExc_OverflowError, "too many queues or thresholds");
        return args_fail(&a);
    }
    if (!args_need(&a, &queue, "queue", n, 1) ||
        !args_need(&a, &threshold, "threshold", t * 2, 0) ||
        !points(&a, n, t, &point, &total)) {
        return NULL;
    }
    RUN(a, sked_history_pctl(history, queue.at, n, threshold.at, t,
                             (sked_pctl_point *)point->at,
                             (sked_pctl_total *)total->at, &a.err));
    return args_end(&a, "OO", point, total);
}

CALL(history_curve)
{
    sked_history *history;
    uint32_t queue;
    size_t n = 0;
    READ("hu", H_HISTORY, &history, &queue);
    SHORT(a, sked_history_curve(history, queue, NULL, NULL, 0, &n));
    column *amount = args_column(&a, "q", 8, n, -1);
    column *covered = amount ? args_column(&a, "q", 8, n, -1) : NULL;
    if (!covered) return NULL;
    if (n) {
        RUN(a, sked_history_curve(history, queue, (int64_t *)amount->at,
                                  (int64_t *)covered->at, n, &n));
    }
    return args_end(&a, "OO", amount, covered);
}

CALL(history_units)
{
    sked_history *history;
    uint32_t queue;
    size_t n = 0, kinds;
    READ("hun", H_HISTORY, &history, &queue, &kinds);
    if (kinds > SKED_MAX_KINDS) kinds = SKED_MAX_KINDS;
    SHORT(a, sked_history_units(history, queue, NULL, NULL, 0, &n));
    column *length = args_column(&a, "q", 8, n, -1);
    column *amount = length ? args_column(&a, "q", 8, n, (Py_ssize_t)kinds)
                            : NULL;
    if (!amount) return NULL;
    if (n) {
        RUN(a, sked_history_units(history, queue, (int64_t *)length->at,
                                  (int64_t *)amount->at, n, &n));
    }
    return args_end(&a, "OO", length, amount);
}

CALL(history_work)
{
    sked_history *history;
    uint32_t queue;
    size_t kinds;
    READ("hun", H_HISTORY, &history, &queue, &kinds);
    column *work = args_column(&a, "Q", 8, SKED_MAX_KINDS, 2);
    column *led = work ? args_column(&a, "Q", 8, SKED_MAX_KINDS, 2) : NULL;
    if (!led) return NULL;
    SHORT(a, sked_history_work(history, queue, (sked_wide *)work->at,
                               (sked_wide *)led->at));
    if (kinds > SKED_MAX_KINDS) kinds = SKED_MAX_KINDS;
    work->shape[0] = led->shape[0] = (Py_ssize_t)kinds;
    return args_end(&a, "OO", work, led);
}

CALL(history_check)
{
    sked_history *history;
    READ("h", H_HISTORY, &history);
    RUN(a, sked_history_check(history, &a.err));
    return args_end(&a, "");
}

/* ---- Objectives ---- */

static const field_of slo_fields[] = {
    FIELD('u', sked_slo_input, flags, ""),
    FIELD('u', sked_slo_input, workflows, "w"),
    FIELD('u', sked_slo_input, n, "n"),
    FIELD('L', sked_slo_input, slo, "w"),
    FIELD('B', sked_slo_input, tier, "w"),
    FIELD('U', sked_slo_input, workflow, "n"),
    FIELD('L', sked_slo_input, start, "n"),
    FIELD('L', sked_slo_input, end, "n"),
    FIELD('K', sked_slo_input, work, "n2"),
    FIELD('q', sked_slo_input, instance, ""),
    FIELD('q', sked_slo_input, success_ppm, ""),
    FIELD('q', sked_slo_input, from, ""),
    FIELD('q', sked_slo_input, to, ""),
};

CALL(slo_count)
{
    host *h;
    PyObject *dict;
    size_t dim[128] = {0};
    STRUCT_WITH(sked_slo_input, in, 0);
    STRUCT_WITH(sked_slo_result, out, 0);
    READ("Ox", &dict, &h);
    if (!args_struct(&a, dict, slo_fields, COUNT(slo_fields), &in, dim)) {
        return NULL;
    }
    column *runs = args_column(&a, "I", 4, dim['w'], -1);
    column *met = runs ? args_column(&a, "I", 4, dim['w'], -1) : NULL;
    column *outcome = met ? args_column(&a, "B", 1, dim['w'], -1) : NULL;
    column *tier = outcome ? args_column(&a, TIER, sizeof(sked_slo_tier),
                                         SKED_MAX_TIERS, -1)
                           : NULL;
    if (!tier) return NULL;
    out.runs = (uint32_t *)runs->at;
    out.met = (uint32_t *)met->at;
    out.outcome = (uint8_t *)outcome->at;
    out.tier = (sked_slo_tier *)tier->at;
    RUN(a, sked_slo_count(&in, &h->c, &out, &a.err));
    return args_end(&a, "OOOO", runs, met, outcome, tier);
}

static const field_of slo_job_fields[] = {
    FIELD('u', sked_slo_jobs, runs, "r"),
    FIELD('u', sked_slo_jobs, n, "n"),
    FIELD('U', sked_slo_jobs, run, "n"),
    FIELD('L', sked_slo_jobs, submit, "n"),
    FIELD('L', sked_slo_jobs, end, "n"),
    FIELD('K', sked_slo_jobs, work, "n2"),
};

CALL(slo_runs)
{
    host *h;
    PyObject *dict;
    size_t dim[128] = {0};
    STRUCT_WITH(sked_slo_jobs, in, 0);
    READ("Ox", &dict, &h);
    if (!args_struct(&a, dict, slo_job_fields, COUNT(slo_job_fields), &in,
                     dim)) {
        return NULL;
    }
    column *start = args_column(&a, "q", 8, dim['r'], -1);
    column *end = start ? args_column(&a, "q", 8, dim['r'], -1) : NULL;
    column *work = end ? args_column(&a, "Q", 8, dim['r'], 2) : NULL;
    column *jobs = work ? args_column(&a, "I", 4, dim['r'], -1) : NULL;
    if (!jobs) return NULL;
    RUN(a, sked_slo_runs(&in, &h->c, (int64_t *)start->at, (int64_t *)end->at,
                         (sked_wide *)work->at, (uint32_t *)jobs->at, &a.err));
    return args_end(&a, "OOOO", start, end, work, jobs);
}

CALL(slo_instances)
{
    sked_wide work;
    int64_t instance, slo, out = 0;
    READ("QQqq", &work.high, &work.low, &instance, &slo);
    SHORT(a, sked_slo_instances(work, instance, slo, &out));
    return args_end(&a, "L", (long long)out);
}

CALL(slo_repairs)
{
    host *h;
    PyObject *dict;
    uint32_t tier;
    size_t cap, n = 0, dim[128] = {0};
    STRUCT_WITH(sked_slo_input, in, 0);
    READ("Ouxn", &dict, &tier, &h, &cap);
    if (!args_struct(&a, dict, slo_fields, COUNT(slo_fields), &in, dim)) {
        return NULL;
    }
    if (cap > dim['w']) cap = dim['w'];
    column *out = args_column(&a, REPAIR, sizeof(sked_slo_repair), cap, -1);
    if (!out) return NULL;
    RUN(a, sked_slo_repairs(&in, tier, &h->c, (sked_slo_repair *)out->at, cap,
                            &n, &a.err));
    out->shape[0] = (Py_ssize_t)(n < cap ? n : cap);
    return args_end(&a, "On", out, (Py_ssize_t)n);
}

/* ---- Tiers ---- */

CALL(tiers_thresholds)
{
    int64_t low, high, step;
    size_t n = 0;
    READ("qqq", &low, &high, &step);
    SHORT(a, sked_tiers_thresholds(low, high, step, NULL, 0, &n));
    column *out = args_column(&a, "q", 8, n, -1);
    if (!out) return NULL;
    if (n) {
        SHORT(a, sked_tiers_thresholds(low, high, step, (int64_t *)out->at, n,
                                       &n));
    }
    return args_end(&a, "O", out);
}

static const field_of tiers_fields[] = {
    FIELD('u', sked_tiers_input, flags, ""),
    FIELD('u', sked_tiers_input, tiers, "t"),
    FIELD('q', sked_tiers_input, step_ppm, ""),
    FIELD('q', sked_tiers_input, total, ""),
    FIELD('Q', sked_tiers_input, n, "n"),
    FIELD('L', sked_tiers_input, low_ppm, "t"),
    FIELD('L', sked_tiers_input, high_ppm, "t"),
    FIELD('K', sked_tiers_input, usage, "t2"),
    FIELD('L', sked_tiers_input, allocation, "n"),
};

/* Room for the answer; the columns are the last two the call owns. */
static int tiers_room(args *a, size_t tiers, sked_tiers_result *out)
{
    column *threshold = args_column(a, "q", 8, tiers, -1);
    column *allocation = threshold ? args_column(a, "q", 8, tiers, -1) : NULL;

    if (!allocation) return 0;
    out->threshold_ppm = (int64_t *)threshold->at;
    out->allocation = (int64_t *)allocation->at;
    return 1;
}

CALL(tiers_search)
{
    host *h;
    PyObject *dict;
    size_t dim[128] = {0};
    STRUCT_WITH(sked_tiers_input, in, 0);
    STRUCT_WITH(sked_tiers_result, out, 0);
    READ("Ox", &dict, &h);
    if (!args_struct(&a, dict, tiers_fields, COUNT(tiers_fields), &in, dim) ||
        !tiers_room(&a, dim['t'], &out)) {
        return NULL;
    }
    RUN(a, sked_tiers_search(&in, &h->c, &out, &a.err));
    return args_end(&a, "OOiILL", a.out[0], a.out[1], (int)out.outcome,
                    (unsigned)out.tier, (long long)out.allocated,
                    (long long)out.smallest);
}

static const field_of request_fields[] = {
    FIELD('u', sked_tiers_request, flags, ""),
    FIELD('u', sked_tiers_request, tiers, "t"),
    FIELD('u', sked_tiers_request, queues, "q"),
    FIELD('q', sked_tiers_request, step_ppm, ""),
    FIELD('q', sked_tiers_request, total, ""),
    FIELD('L', sked_tiers_request, low_ppm, "t"),
    FIELD('L', sked_tiers_request, high_ppm, "t"),
    FIELD('B', sked_tiers_request, tier, "q"),
};

CALL(tiers_plan)
{
    sked_history *history;
    host *h;
    PyObject *dict;
    size_t dim[128] = {0};
    STRUCT_WITH(sked_tiers_request, in, 0);
    STRUCT_WITH(sked_tiers_result, out, 0);
    READ("hOx", H_HISTORY, &history, &dict, &h);
    if (!args_struct(&a, dict, request_fields, COUNT(request_fields), &in,
                     dim) ||
        !tiers_room(&a, dim['t'], &out)) {
        return NULL;
    }
    column *point = args_column(&a, POINT, sizeof(sked_pctl_point), dim['q'],
                                -1);
    if (!point) return NULL;
    RUN(a, sked_tiers_plan(history, &in, &h->c, &out,
                           (sked_pctl_point *)point->at, &a.err));
    return args_end(&a, "OOiILLO", a.out[0], a.out[1], (int)out.outcome,
                    (unsigned)out.tier, (long long)out.allocated,
                    (long long)out.smallest, point);
}

/* ---- Structure ---- */

static const field_of running_fields[] = {
    FIELD('u', sked_running_input, flags, ""),
    FIELD('u', sked_running_input, queues, "q"),
    FIELD('u', sked_running_input, n, "n"),
    FIELD('U', sked_running_input, queue, "n"),
    FIELD('L', sked_running_input, start, "n"),
    FIELD('L', sked_running_input, end, "n"),
    FIELD('q', sked_running_input, from, ""),
    FIELD('q', sked_running_input, to, ""),
    FIELD('q', sked_running_input, part_ppm, ""),
    FIELD('q', sked_running_input, head_room, ""),
};

CALL(running)
{
    host *h;
    PyObject *dict;
    size_t dim[128] = {0};
    STRUCT_WITH(sked_running_input, in, 0);
    READ("Ox", &dict, &h);
    if (!args_struct(&a, dict, running_fields, COUNT(running_fields), &in,
                     dim)) {
        return NULL;
    }
    column *out = args_column(&a, "q", 8, dim['q'], -1);
    if (!out) return NULL;
    RUN(a, sked_running(&in, &h->c, (int64_t *)out->at, &a.err));
    return args_end(&a, "O", out);
}

CALL(plan_tiers)
{
    uint32_t tiers;
    sked_plan_tier setting[SKED_MAX_TIERS];
    READ("u", &tiers);
    SHORT(a, sked_plan_tiers(tiers, setting));
    PyObject *list = PyList_New(a.rc == SKED_OK ? (Py_ssize_t)tiers : 0);
    for (uint32_t i = 0; list && a.rc == SKED_OK && i < tiers; i++) {
        const sked_plan_tier *s = &setting[i];
        PyObject *one = Py_BuildValue("sLLL", s->name,
                                      (long long)s->preempt_from,
                                      (long long)s->preempt_fair_timeout,
                                      (long long)s->preempt_fair_threshold);
        if (one) PyList_SetItem(list, (Py_ssize_t)i, one);
        if (!one) Py_CLEAR(list);
    }
    return list ? args_end(&a, "N", list) : args_fail(&a);
}

enum { MOST_FIELDS = 32 };

static const field_of jobs_fields[] = {
    FIELD('u', sked_plan_jobs, flags, ""),
    FIELD('u', sked_plan_jobs, n, "n"),
    FIELD('u', sked_plan_jobs, levels, "l"),
    FIELD('u', sked_plan_jobs, tiers, "t"),
    FIELD('I', sked_plan_jobs, level, "l"),
    FIELD('B', sked_plan_jobs, tier, "n"),
    FIELD('L', sked_plan_jobs, start, "n"),
    FIELD('L', sked_plan_jobs, end, "n"),
    FIELD('q', sked_plan_jobs, from, ""),
    FIELD('q', sked_plan_jobs, to, ""),
};

/* Jobs, with fields as pairs of (offsets, blob), and the arrays they need. */
typedef struct jobs_in {
    sked_plan_jobs c;
    const char *text[MOST_FIELDS];
    const int32_t *offset[MOST_FIELDS];
} jobs_in;

static int field_in(args *a, jobs_in *jobs, size_t i, PyObject *pair, size_t n)
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

static int jobs_read(args *a, PyObject *dict, PyObject *fields, jobs_in *jobs)
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
    jobs->c.fields = (uint32_t)n;
    jobs->c.text = jobs->text;
    jobs->c.offset = jobs->offset;
    return ok;
}

CALL(plan_leaves)
{
    host *h;
    PyObject *dict, *fields;
    jobs_in jobs;
    size_t n = 0;
    READ("OOx", &dict, &fields, &h);
    if (!jobs_read(&a, dict, fields, &jobs)) return NULL;
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
    FIELD('u', sked_plan_input, leaves, "l"),
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
    jobs_in jobs;
    sked_plan *plan = NULL;
    size_t dim[128] = {0};
    STRUCT_WITH(sked_plan_input, in, 0);
    READ("hOOOox", H_TREE, &tree, &dict, &job_dict, &fields, H_LEDGER, &ledger,
         &h);
    dim['r'] = sked_tree_count(tree);
    if (!args_struct(&a, dict, plan_fields, COUNT(plan_fields), &in, dim) ||
        !jobs_read(&a, job_dict, fields, &jobs)) {
        return NULL;
    }
    in.jobs = &jobs.c;
    in.ledger = ledger;
    RUN(a, sked_plan_new(tree, &in, &h->c, &plan, &a.err));
    return args_handle(&a, H_PLAN, plan);
}

CALL(plan_count)
{
    sked_plan *plan;
    READ("h", H_PLAN, &plan);
    return args_end(&a, "n", (Py_ssize_t)sked_plan_count(plan));
}

CALL(plan_held)
{
    sked_plan *plan;
    READ("h", H_PLAN, &plan);
    return args_end(&a, "n", (Py_ssize_t)sked_plan_held(plan));
}

CALL(plan_get)
{
    sked_plan *plan;
    size_t i;
    STRUCT_WITH(sked_plan_change, c, 0);
    READ("hn", H_PLAN, &plan, &i);
    SHORT(a, sked_plan_get(plan, i, &c));
    return args_end(&a, "iKzIIIILLLLL", (int)c.op, (unsigned long long)c.queue,
                    c.path, (unsigned)c.leaf, (unsigned)c.tier,
                    (unsigned)c.changed, (unsigned)c.jobs,
                    (long long)c.allocation, (long long)c.weight_before,
                    (long long)c.weight_after, (long long)c.running_before,
                    (long long)c.running_after);
}

/* As text: the diff itself is the plan's. */
CALL(plan_diff)
{
    sked_plan *plan;
    size_t n = 0;
    READ("h", H_PLAN, &plan);
    SHORT(a, sked_diff_text(sked_plan_diff(plan), NULL, 0, &n));
    char *text = PyMem_Malloc(n + 1);
    if (!text) {
        PyErr_NoMemory();
        return args_fail(&a);
    }
    RUN(a, sked_diff_text(sked_plan_diff(plan), text, n + 1, &n));
    PyObject *said = PyUnicode_FromStringAndSize(text, (Py_ssize_t)n);
    PyMem_Free(text);
    return said ? args_end(&a, "N", said) : args_fail(&a);
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

/* ---- Instances, and what to reserve ---- */

CALL(instances)
{
    incol instance, vec;
    uint32_t parts;
    READ("LuL", &instance, &parts, &vec);
    size_t kinds = instance.n, n = kinds ? vec.n / kinds : 0;
    if (kinds > SKED_MAX_KINDS || n > INT32_MAX) {
        PyErr_SetString(PyExc_OverflowError, "too many rows or kinds");
        return args_fail(&a);
    }
    if (!args_need(&a, &vec, "vec", n * kinds, 0)) return NULL;
    column *out = args_column(&a, "q", 8, n, -1);
    column *kind = out ? args_column(&a, "B", 1, n, -1) : NULL;
    if (!kind) return NULL;
    RUN(a, sked_instances(instance.at, (uint32_t)kinds, parts, vec.at, n,
                          (int64_t *)out->at, (uint8_t *)kind->at, &a.err));
    return args_end(&a, "OO", out, kind);
}

#define COST(c)                                                                \
    (long long)(c).amount, (unsigned long long)(c).reserved.high,              \
        (unsigned long long)(c).reserved.low,                                  \
        (unsigned long long)(c).demand.high,                                   \
        (unsigned long long)(c).demand.low, (unsigned long long)(c).cost.high, \
        (unsigned long long)(c).cost.low

static PyObject *reserved_end(args *a, const sked_reserved_plan *p)
{
    return args_end(a, "(LKKKKKK)(LKKKKKK)(LKKKKKK)LL", COST(p->cheapest),
                    COST(p->peak), COST(p->none), (long long)p->exceeded,
                    (long long)p->window);
}

CALL(reserved)
{
    host *h;
    incol length, amount;
    int64_t window;
    sked_ratio price;
    sked_reserved_plan plan = {0};
    READ("xLLqqq", &h, &length, &amount, &window, &price.num, &price.den);
    if (!args_need(&a, &amount, "amount", length.n, 0)) return NULL;
    RUN(a, sked_reserved(&h->c, length.at, amount.at, length.n, window, price,
                         &plan, &a.err));
    return reserved_end(&a, &plan);
}

CALL(history_reserved)
{
    sked_history *history;
    uint32_t queue;
    int64_t window;
    sked_ratio price;
    sked_reserved_plan plan = {0};
    READ("huqqq", H_HISTORY, &history, &queue, &window, &price.num, &price.den);
    RUN(a, sked_history_reserved(history, queue, window, price, &plan, &a.err));
    return reserved_end(&a, &plan);
}

/* Units of records: first, lengths, amounts; asked for again with room. */
CALL(history_once)
{
    host *h;
    PyObject *options, *dict;
    size_t cap, dim[128] = {0};
    STRUCT_WITH(sked_history_options, o, 0);
    STRUCT_WITH(sked_history_rows, in, 0);
    STRUCT_WITH(sked_history_columns, out, 0);
    READ("xOOn", &h, &options, &dict, &cap);
    if (!args_struct(&a, options, history_options, COUNT(history_options), &o,
                     dim)) {
        return NULL;
    }
    dim['k'] = o.kinds ? o.kinds : 1;
    if (!args_struct(&a, dict, history_rows, COUNT(history_rows), &in, dim)) {
        return NULL;
    }
    size_t queues = o.queues ? o.queues : 1;
    if (queues > SKED_MAX_QUEUES) queues = SKED_MAX_QUEUES;
    column *first = args_column(&a, "Q", 8, queues + 1, -1);
    column *length = first ? args_column(&a, "q", 8, cap, -1) : NULL;
    column *amount = length ? args_column(&a, "q", 8, cap, (Py_ssize_t)dim['k'])
                            : NULL;
    if (!amount) return NULL;
    out.first = (uint64_t *)first->at;
    out.length = (int64_t *)length->at;
    out.amount = (int64_t *)amount->at;
    out.cap = cap;
    RUN(a, sked_history_once(&h->c, &o, &in, &out, &a.err));
    if (a.rc == SKED_ERR_RANGE && out.n > cap) {
        a.rc = SKED_OK; /* said by the number: ask again with more room */
        return args_end(&a, "K", (unsigned long long)out.n);
    }
    length->shape[0] = amount->shape[0] = (Py_ssize_t)out.n;
    return args_end(&a, "OOO", first, length, amount);
}

/* ---- Advice ---- */

static const field_of advise_fields[] = {
    FIELD('u', sked_advise_input, flags, ""),
    FIELD('u', sked_advise_input, kinds, "k"),
    FIELD('u', sked_advise_input, guaranteed_tiers, ""),
    FIELD('L', sked_advise_input, instance, "k"),
    FIELD('q', sked_advise_input, instances, ""),
    FIELD('q', sked_advise_input, step_ppm, ""),
    FIELD('q', sked_advise_input, dead_band_ppm, ""),
    FIELD('q', sked_advise_input, running_part_ppm, ""),
    FIELD('q', sked_advise_input, head_room, ""),
    FIELD('Q', sked_advise_input, below, ""),
    FIELD('B', sked_advise_input, used, "r"),
};

CALL(advise)
{
    sked_tree *tree;
    sked_ledger *ledger;
    host *h;
    PyObject *dict, *job_dict, *fields;
    incol amounts, low, high;
    jobs_in jobs;
    sked_advice *advice = NULL;
    size_t dim[128] = {0};
    STRUCT_WITH(sked_advise_input, in, 0);
    READ("hOOOLLLzox", H_TREE, &tree, &dict, &job_dict, &fields, &amounts, &low,
         &high, &in.other, H_LEDGER, &ledger, &h);
    dim['r'] = sked_tree_count(tree);
    if (!args_struct(&a, dict, advise_fields, COUNT(advise_fields), &in, dim) ||
        !jobs_read(&a, job_dict, fields, &jobs)) {
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
    RUN(a, sked_advise(tree, &in, &h->c, &advice, &a.err));
    return args_handle(&a, H_ADVICE, advice);
}

/* outcome, tier, leaves, changes, held, allocated, smallest, and by tier the
 * threshold and what it allocates. */
CALL(advice_total)
{
    sked_advice *advice;
    STRUCT_WITH(sked_advice_sum, s, 0);
    READ("h", H_ADVICE, &advice);
    column *threshold = args_column(&a, "q", 8, SKED_MAX_TIERS, -1);
    column *allocation = threshold ? args_column(&a, "q", 8, SKED_MAX_TIERS, -1)
                                   : NULL;
    if (!allocation) return NULL;
    SHORT(a, sked_advice_total(advice, &s));
    memcpy(threshold->at, s.threshold_ppm, sizeof s.threshold_ppm);
    memcpy(allocation->at, s.allocation, sizeof s.allocation);
    threshold->shape[0] = allocation->shape[0] = s.tiers <= SKED_MAX_TIERS
                                                     ? (Py_ssize_t)s.tiers
                                                     : 0;
    return args_end(&a, "iIIKKLLOO", (int)s.outcome, (unsigned)s.tier,
                    (unsigned)s.leaves, (unsigned long long)s.changes,
                    (unsigned long long)s.held, (long long)s.allocated,
                    (long long)s.smallest, threshold, allocation);
}

/* tier, queue, threshold, max_running, and a record of the point. */
CALL(advice_leaf)
{
    sked_advice *advice;
    size_t i;
    STRUCT_WITH(sked_advised, leaf, 0);
    READ("hn", H_ADVICE, &advice, &i);
    column *point = args_column(&a, POINT, sizeof(sked_pctl_point), 1, -1);
    column *total = point
                        ? args_column(&a, TOTAL, sizeof(sked_pctl_total), 1, -1)
                        : NULL;
    if (!total) return NULL;
    SHORT(a, sked_advice_leaf(advice, i, &leaf));
    memcpy(point->at, &leaf.point, sizeof leaf.point);
    memcpy(total->at, &leaf.total, sizeof leaf.total);
    return args_end(&a, "IKLLOO", (unsigned)leaf.tier,
                    (unsigned long long)leaf.queue,
                    (long long)leaf.threshold_ppm, (long long)leaf.max_running,
                    point, total);
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
    size_t n = 0;
    READ("h", H_ADVICE, &advice);
    SHORT(a, sked_diff_text(sked_advice_diff(advice), NULL, 0, &n));
    char *text = PyMem_Malloc(n + 1);
    if (!text) {
        PyErr_NoMemory();
        return args_fail(&a);
    }
    RUN(a, sked_diff_text(sked_advice_diff(advice), text, n + 1, &n));
    PyObject *said = PyUnicode_FromStringAndSize(text, (Py_ssize_t)n);
    PyMem_Free(text);
    return said ? args_end(&a, "N", said) : args_fail(&a);
}

/* The plan's changes, as plan_get gives them one by one; none: None. */
static PyObject *change_value(const sked_plan_change *c)
{
    return Py_BuildValue(
        "iKzIIIILLLLL", (int)c->op, (unsigned long long)c->queue, c->path,
        (unsigned)c->leaf, (unsigned)c->tier, (unsigned)c->changed,
        (unsigned)c->jobs, (long long)c->allocation,
        (long long)c->weight_before, (long long)c->weight_after,
        (long long)c->running_before, (long long)c->running_after);
}

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
        PyObject *one = change_value(&c);
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

PyMethodDef plan_methods[] = {
    METHOD(pctl),
    METHOD(history_new),
    METHOD(history_add),
    METHOD(history_settle),
    METHOD(history_forget),
    METHOD(history_standing_of),
    METHOD(history_pctl),
    METHOD(history_curve),
    METHOD(history_units),
    METHOD(history_work),
    METHOD(history_check),
    METHOD(slo_count),
    METHOD(slo_runs),
    METHOD(slo_instances),
    METHOD(slo_repairs),
    METHOD(tiers_thresholds),
    METHOD(tiers_search),
    METHOD(tiers_plan),
    METHOD(instances),
    METHOD(reserved),
    METHOD(history_reserved),
    METHOD(history_once),
    METHOD(running),
    METHOD(plan_tiers),
    METHOD(plan_leaves),
    METHOD(plan_new),
    METHOD(plan_count),
    METHOD(plan_held),
    METHOD(plan_get),
    METHOD(plan_diff),
    METHOD(plan_apply),
    METHOD(advise),
    METHOD(advice_total),
    METHOD(advice_leaf),
    METHOD(advice_tree),
    METHOD(advice_diff),
    METHOD(advice_plan),
    METHOD(advice_apply),
    {NULL, NULL, 0, NULL},
};
