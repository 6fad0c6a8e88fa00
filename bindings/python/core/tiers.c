/* Objectives and tiers: <sched/slo.h>, <sched/tiers.h>. */
#include "core.h"

#include <stddef.h>
#include <string.h>

/* ---- Objectives ---- */

static const field_of slo_fields[] = {
    FIELD('u', sked_slo_input, flags, ""),
    FIELD('Q', sked_slo_input, workflows, "w"),
    FIELD('Q', sked_slo_input, n, "n"),
    FIELD_AS('L', sked_slo_input, slo_ns, "slo", "w"),
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
    STRUCT_WITH(sked_slo_result, out, 0);
    READ_STRUCT(slo_fields, sked_slo_input, in);
    if (!COLUMNS(a, {"I", 4, dim['w'], -1}, {"I", 4, dim['w'], -1},
                 {"B", 1, dim['w'], -1},
                 {ROW_SLO_TIER, sizeof(sked_slo_tier), SKED_MAX_TIERS, -1})) {
        return NULL;
    }
    out.runs = MADE(a, uint32_t, 0);
    out.met = MADE(a, uint32_t, 1);
    out.outcome = MADE(a, uint8_t, 2);
    out.tier = MADE(a, sked_slo_tier, 3);
    RUN(a, sked_slo_count(&in, &h->c, &out, &a.err));
    return args_end(&a, "OOOO", a.out[0], a.out[1], a.out[2], a.out[3]);
}

static const field_of slo_job_fields[] = {
    FIELD('Q', sked_slo_runs_input, runs, "r"),
    FIELD('Q', sked_slo_runs_input, n, "n"),
    FIELD('U', sked_slo_runs_input, run, "n"),
    FIELD('L', sked_slo_runs_input, submit, "n"),
    FIELD('L', sked_slo_runs_input, end, "n"),
    FIELD('K', sked_slo_runs_input, work, "n2"),
};

CALL(slo_runs)
{
    READ_STRUCT(slo_job_fields, sked_slo_runs_input, in);
    if (!COLUMNS(a, {"q", 8, dim['r'], -1}, {"q", 8, dim['r'], -1},
                 {"Q", 8, dim['r'], 2}, {"I", 4, dim['r'], -1})) {
        return NULL;
    }
    RUN(a, sked_slo_runs(&in, &h->c, MADE(a, int64_t, 0), MADE(a, int64_t, 1),
                         MADE(a, sked_wide, 2), MADE(a, uint32_t, 3), &a.err));
    return args_end(&a, "OOOO", a.out[0], a.out[1], a.out[2], a.out[3]);
}

CALL(slo_instances)
{
    sked_wide work;
    int64_t instance, slo, out = 0;
    READ("QQqq", &work.high, &work.low, &instance, &slo);
    SHORT(a, sked_slo_instances(work, instance, slo, &out, &a.err));
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
    column *out = args_column(&a, ROW_SLO_REPAIR, sizeof(sked_slo_repair), cap,
                              -1);
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
    SHORT(a, sked_tiers_thresholds(low, high, step, NULL, 0, &n, &a.err));
    column *out = args_column(&a, "q", 8, n, -1);
    if (!out) return NULL;
    if (n) {
        SHORT(a, sked_tiers_thresholds(low, high, step, (int64_t *)out->at, n,
                                       &n, &a.err));
    }
    return args_end(&a, "O", out);
}

static const field_of tiers_fields[] = {
    FIELD('u', sked_tiers_input, flags, ""),
    FIELD('Q', sked_tiers_input, tiers, "t"),
    FIELD('q', sked_tiers_input, step_ppm, ""),
    FIELD('q', sked_tiers_input, total, ""),
    FIELD('Q', sked_tiers_input, n, "n"),
    FIELD('L', sked_tiers_input, low_ppm, "t"),
    FIELD('L', sked_tiers_input, high_ppm, "t"),
    FIELD('K', sked_tiers_input, usage, "t2"),
    FIELD('L', sked_tiers_input, allocation, "n"),
};

/* Memory for the answer: the first two columns that the call owns. */
static int tiers_room(args *a, size_t tiers, sked_tiers_result *out)
{
    if (!COLUMNS(*a, {"q", 8, tiers, -1}, {"q", 8, tiers, -1})) return 0;
    out->threshold_ppm = MADE(*a, int64_t, 0);
    out->allocation = MADE(*a, int64_t, 1);
    return 1;
}

CALL(tiers_search)
{
    STRUCT_WITH(sked_tiers_result, out, 0);
    READ_STRUCT(tiers_fields, sked_tiers_input, in);
    if (!tiers_room(&a, dim['t'], &out)) return NULL;
    RUN(a, sked_tiers_search(&in, &h->c, &out, &a.err));
    return args_end(&a, "OOiILL", a.out[0], a.out[1], (int)out.outcome,
                    (unsigned)out.tier, (long long)out.allocated,
                    (long long)out.smallest);
}

static const field_of request_fields[] = {
    FIELD('u', sked_tiers_plan_input, flags, ""),
    FIELD('Q', sked_tiers_plan_input, tiers, "t"),
    FIELD('Q', sked_tiers_plan_input, queues, "q"),
    FIELD('q', sked_tiers_plan_input, step_ppm, ""),
    FIELD('q', sked_tiers_plan_input, total, ""),
    FIELD('L', sked_tiers_plan_input, low_ppm, "t"),
    FIELD('L', sked_tiers_plan_input, high_ppm, "t"),
    FIELD('B', sked_tiers_plan_input, tier, "q"),
};

CALL(tiers_plan)
{
    sked_history *history;
    host *h;
    PyObject *dict;
    size_t dim[128] = {0};
    STRUCT_WITH(sked_tiers_plan_input, in, 0);
    STRUCT_WITH(sked_tiers_result, out, 0);
    READ("hOx", H_HISTORY, &history, &dict, &h);
    if (!args_struct(&a, dict, request_fields, COUNT(request_fields), &in,
                     dim) ||
        !tiers_room(&a, dim['t'], &out)) {
        return NULL;
    }
    column *point = args_column(&a, ROW_PCTL_POINT, sizeof(sked_pctl_point),
                                dim['q'], -1);
    if (!point) return NULL;
    RUN(a, sked_tiers_plan(history, &in, &h->c, &out,
                           (sked_pctl_point *)point->at, &a.err));
    return args_end(&a, "OOiILLO", a.out[0], a.out[1], (int)out.outcome,
                    (unsigned)out.tier, (long long)out.allocated,
                    (long long)out.smallest, point);
}

PyMethodDef tiers_methods[] = {
    METHOD(slo_count),   METHOD(slo_runs),         METHOD(slo_instances),
    METHOD(slo_repairs), METHOD(tiers_thresholds), METHOD(tiers_search),
    METHOD(tiers_plan),  {NULL, NULL, 0, NULL},
};
