/*
 * Dominant resource fairness: <sched/drf.h>. A handle does not tell how many
 * kinds it has, so calls that read amounts take them from their columns: the
 * Python class knows the number and passes it first.
 */
#include "core.h"

/* Dominant resource fairness on arrays, without a handle:
 * <sched/drf_arrays.h>. */

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

CALL(drf_new)
{
    host *h;
    sked_drf *drf = NULL;
    STRUCT_WITH(sked_drf_options, opts, 0);
    READ("xuu", &h, &opts.kinds, &opts.clients);
    SHORT(a, sked_drf_new(&opts, &h->c, &drf, &a.err));
    return args_handle(&a, H_DRF, drf);
}

CALL(drf_set_capacity)
{
    size_t kinds;
    sked_drf *drf;
    incol capacity;
    READ("HnL", H_DRF, &drf, &kinds, &capacity);
    if (!args_need(&a, &capacity, "capacity", kinds, 0)) return NULL;
    RUN(a, sked_drf_set_capacity(drf, capacity.at, &a.err));
    return args_end(&a, "");
}

/* ---- One client ---- */

CALL(drf_insert)
{
    size_t kinds;
    sked_drf *drf;
    uint64_t key;
    uint32_t weight, slot = 0;
    incol usage;
    READ("HnQuL", H_DRF, &drf, &kinds, &key, &weight, &usage);
    if (!args_need(&a, &usage, "usage", kinds, 1)) return NULL;
    SHORT(a, sked_drf_insert(drf, key, weight, usage.at, &slot, &a.err));
    return args_end(&a, "I", (unsigned)slot);
}

CALL(drf_update)
{
    size_t kinds;
    sked_drf *drf;
    uint32_t slot;
    incol usage;
    READ("HnuL", H_DRF, &drf, &kinds, &slot, &usage);
    if (!args_need(&a, &usage, "usage", kinds, 0)) return NULL;
    SHORT(a, sked_drf_update(drf, slot, usage.at, &a.err));
    return args_end(&a, "");
}

CALL(drf_charge)
{
    size_t kinds;
    sked_drf *drf;
    uint32_t slot;
    incol delta;
    READ("HnuL", H_DRF, &drf, &kinds, &slot, &delta);
    if (!args_need(&a, &delta, "delta", kinds, 0)) return NULL;
    SHORT(a, sked_drf_charge(drf, slot, delta.at, &a.err));
    return args_end(&a, "");
}

/* ---- Many ---- */

CALL(drf_insert_rows)
{
    size_t kinds;
    sked_drf *drf;
    incol key, weight, usage;
    READ("HnKUL", H_DRF, &drf, &kinds, &key, &weight, &usage);
    if (!args_need(&a, &weight, "weight", key.n, 1) ||
        !args_need(&a, &usage, "usage", key.n * kinds, 1)) {
        return NULL;
    }
    column *slot = args_column(&a, "I", 4, key.n, -1);
    if (!slot) return NULL;
    RUN(a, sked_drf_insert_rows(drf, key.at, weight.at, usage.at, key.n,
                                (uint32_t *)slot->at, &a.err));
    return args_end(&a, "O", slot);
}

CALL(drf_remove_rows)
{
    sked_drf *drf;
    incol slot;
    READ("HU", H_DRF, &drf, &slot);
    RUN(a, sked_drf_remove_rows(drf, slot.at, slot.n, &a.err));
    return args_end(&a, "");
}

CALL(drf_update_rows)
{
    size_t kinds;
    sked_drf *drf;
    incol slot, usage;
    READ("HnUL", H_DRF, &drf, &kinds, &slot, &usage);
    if (!args_need(&a, &usage, "usage", slot.n * kinds, 0)) return NULL;
    RUN(a, sked_drf_update_rows(drf, slot.at, usage.at, slot.n, &a.err));
    return args_end(&a, "");
}

CALL(drf_charge_rows)
{
    size_t kinds;
    sked_drf *drf;
    incol slot, delta;
    READ("HnUL", H_DRF, &drf, &kinds, &slot, &delta);
    if (!args_need(&a, &delta, "delta", slot.n * kinds, 0)) return NULL;
    RUN(a, sked_drf_charge_rows(drf, slot.at, delta.at, slot.n, &a.err));
    return args_end(&a, "");
}

CALL(drf_set_weight_rows)
{
    sked_drf *drf;
    incol slot, weight;
    READ("HUU", H_DRF, &drf, &slot, &weight);
    if (!args_need(&a, &weight, "weight", slot.n, 0)) return NULL;
    RUN(a, sked_drf_set_weight_rows(drf, slot.at, weight.at, slot.n, &a.err));
    return args_end(&a, "");
}

CALL(drf_activate_rows)
{
    sked_drf *drf;
    incol slot, active;
    READ("HUB", H_DRF, &drf, &slot, &active);
    if (!args_need(&a, &active, "active", slot.n, 0)) return NULL;
    RUN(a, sked_drf_activate_rows(drf, slot.at, active.at, slot.n, &a.err));
    return args_end(&a, "");
}

/* ---- The order ---- */

CALL(drf_pop)
{
    sked_drf *drf;
    size_t cap, n = 0;
    READ("Hn", H_DRF, &drf, &cap);
    if (cap > sked_drf_active(drf)) cap = sked_drf_active(drf);
    column *out = args_column(&a, "I", 4, cap, -1);
    if (!out) return NULL;
    RUN(a, sked_drf_pop(drf, (uint32_t *)out->at, cap, &n, &a.err));
    return args_first(&a, out, n);
}

CALL(drf_list)
{
    sked_drf *drf;
    READ("H", H_DRF, &drf);
    size_t n = sked_drf_active(drf);
    column *out = args_column(&a, "I", 4, n, -1);
    if (!out) return NULL;
    RUN(a, sked_drf_list(drf, (uint32_t *)out->at, n, &n, &a.err));
    return args_end(&a, "O", out);
}

static PyObject *standing_end(args *a, const sked_drf_standing *s)
{
    return args_end(a, "KLLIi", (unsigned long long)s->key,
                    (long long)s->share.num, (long long)s->share.den,
                    (unsigned)s->weight, (int)s->kind);
}

CALL(drf_share)
{
    sked_drf *drf;
    uint32_t slot;
    sked_drf_standing s = {0};
    READ("hu", H_DRF, &drf, &slot);
    SHORT(a, sked_drf_share(drf, slot, &s));
    return standing_end(&a, &s);
}

CALL(drf_usage)
{
    size_t kinds;
    sked_drf *drf;
    uint32_t slot;
    READ("hnu", H_DRF, &drf, &kinds, &slot);
    column *out = args_column(&a, "q", 8, SKED_MAX_KINDS, -1);
    if (!out) return NULL;
    SHORT(a, sked_drf_usage(drf, slot, (int64_t *)out->at));
    return args_first(&a, out, kinds < SKED_MAX_KINDS ? kinds : SKED_MAX_KINDS);
}

CALL(drf_standing_once)
{
    incol usage, capacity;
    uint32_t weight;
    sked_drf_standing s = {0};
    READ("LLu", &usage, &capacity, &weight);
    if (!args_need(&a, &usage, "usage", capacity.n, 0)) return NULL;
    SHORT(a, sked_drf_standing_once(usage.at, capacity.at, (uint32_t)capacity.n,
                                    weight, &s, &a.err));
    return standing_end(&a, &s);
}

PyMethodDef drf_methods[] = {
    METHOD(drf_new),           METHOD(drf_set_capacity),
    METHOD(drf_insert),        METHOD(drf_update),
    METHOD(drf_charge),        METHOD(drf_insert_rows),
    METHOD(drf_remove_rows),   METHOD(drf_update_rows),
    METHOD(drf_charge_rows),   METHOD(drf_set_weight_rows),
    METHOD(drf_activate_rows), METHOD(drf_pop),
    METHOD(drf_list),          METHOD(drf_share),
    METHOD(drf_usage),         METHOD(drf_standing_once),
    {NULL, NULL, 0, NULL},
};
