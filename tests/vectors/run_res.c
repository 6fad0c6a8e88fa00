/* Arithmetic on vectors. The amounts of a case have been checked to be in
 * range by who wrote it. */
#define _POSIX_C_SOURCE 200809L
#include <sched/res.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"

/* A vector of the case, with how many kinds it has in *n. */
static const int64_t *vec(vec_case *c, const char *name, size_t *n)
{
    size_t kinds;
    const int64_t *at = vec_numbers(c, name, &kinds);

    if (at) *n = kinds;
    return at;
}

static int judge_one(vec_case *c, int64_t got)
{
    return vec_judge(c, "want", &got, 1);
}

/* What was computed, or that it was refused where it should be. */
static int judge_vec(vec_case *c, sked_status rc, const int64_t *got, size_t n)
{
    if (vec_number(c, "refused", 0)) {
        if (rc == SKED_ERR_RANGE) return vec_by_rule(c, 0);
        return vec_fail(c, "not refused");
    }
    if (rc != SKED_OK) return vec_fail(c, sked_status_name(rc));
    return vec_judge(c, "want", got, n);
}

static int run_compare(vec_case *c)
{
    size_t n = 0;
    const int64_t *a = vec(c, "a", &n), *b = vec(c, "b", &n);

    return judge_one(c, sked_vec_compare(a, b, n));
}

static int run_equal(vec_case *c)
{
    size_t n = 0;
    const int64_t *a = vec(c, "a", &n), *b = vec(c, "b", &n);

    return judge_one(c, sked_vec_compare(a, b, n) == 0);
}

static int run_compare_shares(vec_case *c)
{
    size_t n = 0;
    const int64_t *capacity = vec(c, "capacity", &n);
    const int64_t *a = vec(c, "a", &n), *b = vec(c, "b", &n);

    return judge_one(c, sked_vec_compare_shares(capacity, a, b, n));
}

static int run_compare_dominant(vec_case *c)
{
    size_t n = 0;
    const int64_t *capacity = vec(c, "capacity", &n);
    sked_vec_weighted a = {.vec = vec(c, "a", &n), .weight = 1};
    sked_vec_weighted b = {.vec = vec(c, "b", &n), .weight = 1};

    return judge_one(c, sked_vec_compare_dominant(capacity, &a, &b, n));
}

static int run_fits(vec_case *c)
{
    size_t n = 0;
    const int64_t *a = vec(c, "a", &n), *b = vec(c, "b", &n);

    return judge_one(c, sked_vec_fits(a, b, n));
}

/* Of the kinds that `b` has some of: are all less, or is none less? */
static int run_relation(vec_case *c)
{
    size_t n = 0;
    const int64_t *a = vec(c, "a", &n), *b = vec(c, "b", &n);
    uint32_t holds = sked_vec_relation(a, b, n, sked_vec_asked(b, n));

    if (vec_number(c, "less", 0)) {
        return judge_one(c, (holds & ~(uint32_t)SKED_VEC_LESS) == 0);
    }
    return judge_one(c, (holds & SKED_VEC_LESS) == 0);
}

static int same_ratio(sked_ratio got, const int64_t *want)
{
    sked_ratio wish = {.num = want[0], .den = want[1]};

    return sked_ratio_compare(got, wish) == 0;
}

/* A real number: within 1e-9 of the field `real`. */
static int judge_real(vec_case *c, double got)
{
    double want = strtod(vec_text(c, "real"), NULL);
    int same = isnan(want)   ? isnan(got)
               : isinf(want) ? isinf(got) && (got > 0) == (want > 0)
                             : fabs(got - want) <= 1e-9 * fmax(1, fabs(want));

    if (!same) snprintf(c->why, sizeof c->why, "%.12g, not %.12g", got, want);
    return vec_by_rule(c, same);
}

static int run_ratio(vec_case *c)
{
    size_t n = 0, m;
    const int64_t *capacity = vec(c, "capacity", &n);
    const int64_t *usage = vec(c, "usage", &n);
    sked_ratio got;

    sked_vec_dominant(capacity, usage, n, &got, NULL);
    if (!same_ratio(got, vec_numbers(c, "exact", &m))) {
        return vec_fail(c, "not the exact ratio");
    }
    return judge_real(c, sked_ratio_double(got));
}

static int run_quotient(vec_case *c)
{
    size_t n = 0, m;
    const int64_t *capacity = vec(c, "capacity", &n);
    const int64_t *exact = vec_numbers(c, "exact", &m);
    sked_ratio a, b;

    sked_vec_dominant(capacity, vec(c, "a", &n), n, &a, NULL);
    sked_vec_dominant(capacity, vec(c, "b", &n), n, &b, NULL);
    if (!same_ratio(a, exact) || !same_ratio(b, exact + 2)) {
        return vec_fail(c, "not the exact ratios");
    }
    return judge_real(c, sked_ratio_double(a) / sked_ratio_double(b));
}

static int run_dominant(vec_case *c)
{
    size_t n = 0;
    const int64_t *capacity = vec(c, "capacity", &n);
    const int64_t *usage = vec(c, "usage", &n);
    sked_ratio share;
    int32_t kind;

    sked_vec_dominant(capacity, usage, n, &share, &kind);
    return judge_one(c, kind);
}

/* Rows of ratios: the first that differs decides. */
static int run_ratio_rows(vec_case *c)
{
    size_t n;
    const int64_t *a = vec_numbers(c, "a", &n), *b = vec_numbers(c, "b", &n);
    int64_t den = vec_number(c, "den", 1);
    int got = 0;

    for (size_t i = 0; i < n && got == 0; i++) {
        sked_ratio x = {.num = a[i], .den = den}, y = {.num = b[i], .den = den};
        got = sked_ratio_compare(x, y);
    }
    return judge_one(c, got);
}

/* One factor for all kinds, or one for each. */
static sked_status scale_all(vec_case *c, const int64_t *a, size_t n,
                             int64_t *out)
{
    size_t factors;
    const int64_t *num = vec_numbers(c, "num", &factors);
    const int64_t *den = vec_numbers(c, "den", &factors);
    int32_t rounding = (int32_t)vec_number(c, "rounding", 0);
    sked_status rc = SKED_OK;

    if (factors == 1) {
        sked_ratio by = {.num = num[0], .den = den[0]};
        return sked_vec_scale(a, by, rounding, n, out, NULL);
    }
    for (size_t k = 0; k < n && rc == SKED_OK; k++) {
        sked_ratio by = {.num = num[k], .den = den[k]};
        rc = sked_vec_scale(a + k, by, rounding, 1, out + k, NULL);
    }
    return rc;
}

static int run_scale(vec_case *c)
{
    size_t n = 0, m;
    const int64_t *a = vec(c, "a", &n);
    const int64_t *step = vec_numbers(c, "step", &m);
    const int64_t *add = vec_numbers(c, "add", &m);
    int64_t got[SKED_MAX_KINDS];
    int32_t rounding = (int32_t)vec_number(c, "rounding", 0);
    sked_status rc = scale_all(c, a, n, got);

    if (rounding == SKED_ROUNDING_NEAREST) rounding = SKED_ROUNDING_UP;
    if (rc == SKED_OK && step)
        rc = sked_vec_round(got, step, rounding, n, got, NULL);
    if (rc == SKED_OK && add) rc = sked_vec_add(got, add, n, got, NULL);
    return judge_vec(c, rc, got, n);
}

static int run_normalise(vec_case *c)
{
    size_t n = 0;
    const int64_t *a = vec(c, "a", &n), *least = vec(c, "least", &n);
    const int64_t *most = vec(c, "most", &n), *step = vec(c, "step", &n);
    int64_t got[SKED_MAX_KINDS];
    sked_status rc = sked_vec_normalise(a, least, most, step, n, got, NULL);

    return judge_vec(c, rc, got, n);
}

static int run_excess(vec_case *c)
{
    size_t n = 0;
    const int64_t *a = vec(c, "a", &n), *b = vec(c, "b", &n);
    int64_t got[SKED_MAX_KINDS];

    sked_vec_excess(a, b, n, got);
    return judge_vec(c, SKED_OK, got, n);
}

static int run_least(vec_case *c)
{
    size_t n = 0;
    const int64_t *a = vec(c, "a", &n), *b = vec(c, "b", &n);
    int64_t got[SKED_MAX_KINDS];

    sked_vec_min(a, b, n, got);
    return judge_vec(c, SKED_OK, got, n);
}

/* The sum of amounts of one kind, within a limit. */
static int run_sum_least(vec_case *c)
{
    size_t n, m;
    const int64_t *rows = vec_numbers(c, "rows", &n);
    int64_t got = 0;
    sked_status rc = sked_vec_sum(rows, n, 1, &got, NULL);

    sked_vec_min(&got, vec_numbers(c, "limit", &m), 1, &got);
    return judge_vec(c, rc, &got, 1);
}

static int run_add(vec_case *c)
{
    size_t n = 0;
    const int64_t *a = vec(c, "a", &n), *b = vec(c, "b", &n);
    int64_t got[SKED_MAX_KINDS];
    sked_status rc = sked_vec_add(a, b, n, got, NULL);

    return judge_vec(c, rc, got, n);
}

const vec_runner vec_run_res[] = {
    {"compare", run_compare},
    {"equal", run_equal},
    {"compare_shares", run_compare_shares},
    {"compare_dominant", run_compare_dominant},
    {"fits", run_fits},
    {"relation", run_relation},
    {"ratio", run_ratio},
    {"quotient", run_quotient},
    {"dominant", run_dominant},
    {"ratio_rows", run_ratio_rows},
    {"scale", run_scale},
    {"normalise", run_normalise},
    {"excess", run_excess},
    {"least", run_least},
    {"add", run_add},
    {"sum_least", run_sum_least},
    {NULL, NULL},
};
