/* Arithmetic of vectors: <sched/res.h>. */
#include "core.h"

#include <string.h>

/* ---- Arithmetic ---- */

/* A vector as long as a schema can be, and another one as long as it. */
static int pair(args *a, const incol *x, const incol *y)
{
    if (x->n > SKED_MAX_KINDS) {
        PyErr_SetString(PyExc_ValueError, "more kinds than there can be");
        (void)args_fail(a);
        return 0;
    }
    return args_need(a, y, "b", x->n, 0);
}

/* Two vectors in, one out. */
#define TWO_IN(name, call)                                                     \
    CALL(name)                                                                 \
    {                                                                          \
        incol x, y;                                                            \
        READ("LL", &x, &y);                                                    \
        if (!pair(&a, &x, &y)) return NULL;                                    \
        column *out = args_column(&a, "q", 8, x.n, -1);                        \
        if (!out) return NULL;                                                 \
        call;                                                                  \
        return args_end(&a, "O", out);                                         \
    }

TWO_IN(vec_add,
       SHORT(a, sked_vec_add(x.at, y.at, x.n, (int64_t *)out->at, &a.err)))
TWO_IN(vec_subtract,
       SHORT(a, sked_vec_subtract(x.at, y.at, x.n, (int64_t *)out->at, &a.err)))
TWO_IN(vec_excess, sked_vec_excess(x.at, y.at, x.n, (int64_t *)out->at))
TWO_IN(vec_min, sked_vec_min(x.at, y.at, x.n, (int64_t *)out->at))
TWO_IN(vec_max, sked_vec_max(x.at, y.at, x.n, (int64_t *)out->at))

CALL(vec_scale)
{
    incol vec;
    sked_ratio by;
    int32_t rounding;
    READ("Lqqi", &vec, &by.num, &by.den, &rounding);
    column *out = args_column(&a, "q", 8, vec.n, -1);
    if (!out) return NULL;
    SHORT(a, sked_vec_scale(vec.at, by, rounding, vec.n, (int64_t *)out->at,
                            &a.err));
    return args_end(&a, "O", out);
}

CALL(vec_round)
{
    incol vec, step;
    int32_t rounding;
    READ("LLi", &vec, &step, &rounding);
    if (!pair(&a, &vec, &step)) return NULL;
    column *out = args_column(&a, "q", 8, vec.n, -1);
    if (!out) return NULL;
    SHORT(a, sked_vec_round(vec.at, step.at, rounding, vec.n,
                            (int64_t *)out->at, &a.err));
    return args_end(&a, "O", out);
}

CALL(vec_normalise)
{
    incol asked, least, most, step;
    READ("LLLL", &asked, &least, &most, &step);
    if (!pair(&a, &asked, &least) || !pair(&a, &asked, &most) ||
        !pair(&a, &asked, &step)) {
        return NULL;
    }
    column *out = args_column(&a, "q", 8, asked.n, -1);
    if (!out) return NULL;
    SHORT(a, sked_vec_normalise(asked.at, least.at, most.at, step.at, asked.n,
                                (int64_t *)out->at, &a.err));
    return args_end(&a, "O", out);
}

/* ---- Comparing ---- */

/* Two vectors in, a number out. */
#define TWO_ONE(name, format, call)                                            \
    CALL(name)                                                                 \
    {                                                                          \
        incol x, y;                                                            \
        READ("LL", &x, &y);                                                    \
        if (!pair(&a, &x, &y)) return NULL;                                    \
        return args_end(&a, format, call);                                     \
    }

TWO_ONE(vec_compare, "i", sked_vec_compare(x.at, y.at, x.n))
TWO_ONE(vec_fits, "i", sked_vec_fits(x.at, y.at, x.n))
TWO_ONE(vec_fits_asked, "i", sked_vec_fits_asked(x.at, y.at, x.n))
TWO_ONE(vec_count, "L", (long long)sked_vec_count(x.at, y.at, x.n))

CALL(vec_relation)
{
    incol x, y;
    uint32_t kinds;
    READ("LLu", &x, &y, &kinds);
    if (!pair(&a, &x, &y)) return NULL;
    return args_end(&a, "I",
                    (unsigned)sked_vec_relation(x.at, y.at, x.n, kinds));
}

CALL(vec_asked)
{
    incol vec;
    READ("L", &vec);
    if (!pair(&a, &vec, &vec)) return NULL;
    return args_end(&a, "I", (unsigned)sked_vec_asked(vec.at, vec.n));
}

CALL(ratio_compare)
{
    sked_ratio x, y;
    READ("qqqq", &x.num, &x.den, &y.num, &y.den);
    return args_end(&a, "i", sked_ratio_compare(x, y));
}

CALL(ratio_double)
{
    sked_ratio x;
    READ("qq", &x.num, &x.den);
    return args_end(&a, "d", sked_ratio_double(x));
}

CALL(vec_dominant)
{
    incol capacity, usage;
    sked_ratio share;
    int32_t kind;
    READ("LL", &capacity, &usage);
    if (!pair(&a, &capacity, &usage)) return NULL;
    sked_vec_dominant(capacity.at, usage.at, capacity.n, &share, &kind);
    return args_end(&a, "LLi", (long long)share.num, (long long)share.den,
                    (int)kind);
}

CALL(vec_compare_dominant)
{
    incol capacity, x, y;
    sked_vec_weighted one = {NULL, 0, 0}, other = one;
    READ("LLuLu", &capacity, &x, &one.weight, &y, &other.weight);
    if (!pair(&a, &capacity, &x) || !pair(&a, &capacity, &y)) {
        return NULL;
    }
    one.vec = x.at;
    other.vec = y.at;
    return args_end(
        &a, "i",
        sked_vec_compare_dominant(capacity.at, &one, &other, capacity.n));
}

CALL(vec_compare_shares)
{
    incol capacity, x, y;
    READ("LLL", &capacity, &x, &y);
    if (!pair(&a, &capacity, &x) || !pair(&a, &capacity, &y)) {
        return NULL;
    }
    return args_end(
        &a, "i", sked_vec_compare_shares(capacity.at, x.at, y.at, capacity.n));
}

/* ---- Columns ---- */

/* How many rows of `n` kinds there are; an exception when that is no number. */
static int rows_of(args *a, const incol *rows, size_t n, size_t *count)
{
    if (n == 0 || n > SKED_MAX_KINDS || rows->n % n != 0) {
        PyErr_SetString(PyExc_ValueError, "rows of another number of kinds");
        (void)args_fail(a);
        return 0;
    }
    *count = rows->n / n;
    return 1;
}

CALL(vec_sum)
{
    incol rows;
    size_t n, count;
    READ("Ln", &rows, &n);
    if (!rows_of(&a, &rows, n, &count)) return NULL;
    column *out = args_column(&a, "q", 8, n, -1);
    if (!out) return NULL;
    RUN(a, sked_vec_sum(rows.at, count, n, (int64_t *)out->at, &a.err));
    return args_end(&a, "O", out);
}

CALL(vec_fits_rows)
{
    incol demand, rows;
    size_t count;
    READ("LL", &demand, &rows);
    if (!rows_of(&a, &rows, demand.n, &count)) return NULL;
    column *out = args_column(&a, "B", 1, count, -1);
    if (!out) return NULL;
    args_go(&a);
    (void)sked_vec_fits_rows(demand.at, rows.at, count, demand.n,
                             (uint8_t *)out->at);
    args_back(&a);
    return args_end(&a, "O", out);
}

CALL(vec_decay)
{
    incol amounts;
    int64_t elapsed, half_life;
    READ("Lqq", &amounts, &elapsed, &half_life);
    column *out = args_column(&a, "q", 8, amounts.n, -1);
    if (!out) return NULL;
    if (amounts.n) memcpy(out->at, amounts.at, amounts.n * 8);
    RUN(a, sked_vec_decay((int64_t *)out->at, amounts.n, elapsed, half_life,
                          &a.err));
    return args_end(&a, "O", out);
}

PyMethodDef vec_methods[] = {
    METHOD(vec_add),
    METHOD(vec_subtract),
    METHOD(vec_excess),
    METHOD(vec_min),
    METHOD(vec_max),
    METHOD(vec_scale),
    METHOD(vec_round),
    METHOD(vec_normalise),
    METHOD(vec_compare),
    METHOD(vec_fits),
    METHOD(vec_fits_asked),
    METHOD(vec_count),
    METHOD(vec_relation),
    METHOD(vec_asked),
    METHOD(ratio_compare),
    METHOD(ratio_double),
    METHOD(vec_dominant),
    METHOD(vec_compare_dominant),
    METHOD(vec_compare_shares),
    METHOD(vec_sum),
    METHOD(vec_fits_rows),
    METHOD(vec_decay),
    {NULL, NULL, 0, NULL},
};
