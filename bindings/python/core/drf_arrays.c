/* Dominant resource fairness on arrays, without a handle:
 * <sched/drf_arrays.h>. */
#include "core.h"

/* Checks the columns of `rows`; 0 with an exception when one does not fit. */
static int rows_fit(args *a, sked_drf_input *rows, incol *in)
{
    size_t kinds = in[0].n, n = 0;

    for (int i = 1; i < 6; i++) { /* a column says how many there are */
        size_t width = i < 3 ? kinds : 1;
        if (in[i].at && width) n = in[i].n / width;
    }
    if (n > INT32_MAX || kinds > SKED_MAX_KINDS) {
        PyErr_SetString(PyExc_OverflowError, "too many rows or kinds");
        (void)args_fail(a);
        return 0;
    }
    if (!args_need(a, &in[1], "usage", n * kinds, 1) ||
        !args_need(a, &in[2], "demand", n * kinds, 1) ||
        !args_need(a, &in[3], "weight", n, 1) ||
        !args_need(a, &in[4], "most", n, 1) ||
        !args_need(a, &in[5], "least", n, 1)) {
        return 0;
    }
    *rows = (sked_drf_input){.struct_size = sizeof *rows,
                             .kinds = (uint32_t)kinds,
                             .n = n,
                             .capacity = in[0].at,
                             .usage = in[1].at,
                             .demand = in[2].at,
                             .weight = in[3].at,
                             .most = in[4].at,
                             .least = in[5].at};
    return 1;
}

#define ROWS "LLLULL"
#define ROWS_TO(in) &in[0], &in[1], &in[2], &in[3], &in[4], &in[5]

CALL(drf_order)
{
    host *h;
    incol in[6];
    sked_drf_input rows;
    READ("x" ROWS, &h, ROWS_TO(in));
    if (!rows_fit(&a, &rows, in)) return NULL;
    column *out = args_column(&a, "I", 4, rows.n, -1);
    if (!out) return NULL;
    RUN(a, sked_drf_order(&rows, &h->c, (uint32_t *)out->at, &a.err));
    return args_end(&a, "O", out);
}

/* A copy of the pool, which the call reduces. */
static column *pool_of(args *a, const incol *pool, size_t kinds)
{
    if (!args_need(a, pool, "pool", kinds, 0)) return NULL;
    column *out = args_column(a, "q", 8, kinds, -1);
    for (size_t k = 0; out && k < kinds; k++) {
        ((int64_t *)out->at)[k] = ((const int64_t *)pool->at)[k];
    }
    return out;
}

CALL(drf_allocate)
{
    host *h;
    incol in[6], pool;
    sked_drf_input rows;
    READ("x" ROWS "L", &h, ROWS_TO(in), &pool);
    if (!rows_fit(&a, &rows, in)) return NULL;
    column *left = pool_of(&a, &pool, rows.kinds);
    column *tasks = left ? args_column(&a, "q", 8, rows.n, -1) : NULL;
    if (!tasks) return NULL;
    RUN(a, sked_drf_allocate(&rows, &h->c, (int64_t *)left->at,
                             (int64_t *)tasks->at, &a.err));
    return args_end(&a, "OO", tasks, left);
}

CALL(drf_picks)
{
    host *h;
    incol in[6], pool;
    sked_drf_input rows;
    size_t cap, n = 0;
    READ("x" ROWS "Ln", &h, ROWS_TO(in), &pool, &cap);
    if (!rows_fit(&a, &rows, in)) return NULL;
    column *left = pool_of(&a, &pool, rows.kinds);
    column *order = left ? args_column(&a, "I", 4, cap, -1) : NULL;
    if (!order) return NULL;
    RUN(a, sked_drf_picks(&rows, &h->c, (int64_t *)left->at,
                          (uint32_t *)order->at, cap, &n, &a.err));
    order->shape[0] = (Py_ssize_t)n;
    return args_end(&a, "OO", order, left);
}

CALL(drf_level)
{
    host *h;
    incol in[6];
    sked_drf_input rows;
    READ("x" ROWS, &h, ROWS_TO(in));
    if (!rows_fit(&a, &rows, in)) return NULL;
    column *tasks = args_column(&a, "d", 8, rows.n, -1);
    column *left = tasks ? args_column(&a, "d", 8, rows.kinds, -1) : NULL;
    if (!left) return NULL;
    RUN(a, sked_drf_level(&rows, &h->c, (double *)tasks->at, (double *)left->at,
                          &a.err));
    return args_end(&a, "OO", tasks, left);
}

CALL(drf_complaints)
{
    incol in[6];
    uint32_t full;
    sked_drf_input rows;
    size_t n = 0;
    READ(ROWS "u", ROWS_TO(in), &full);
    if (!rows_fit(&a, &rows, in)) return NULL;
    column *who = args_column(&a, "I", 4, rows.n, -1);
    if (!who) return NULL;
    RUN(a, sked_drf_complaints(&rows, full, (uint32_t *)who->at, rows.n, &n,
                               &a.err));
    return args_first(&a, who, n);
}

PyMethodDef drf_rows_methods[] = {
    METHOD(drf_order), METHOD(drf_allocate),   METHOD(drf_picks),
    METHOD(drf_level), METHOD(drf_complaints), {NULL, NULL, 0, NULL},
};
