/* Percentiles and time units: <sched/pctl.h>, <sched/history.h>. */
#include "core.h"

#include <stddef.h>
#include <string.h>

/* ---- Percentiles ---- */

static const field_of pctl_fields[] = {
    FIELD('u', sked_pctl_input, flags, ""),
    FIELD('Q', sked_pctl_input, n, "n"),
    FIELD('Q', sked_pctl_input, queues, "q"),
    FIELD('Q', sked_pctl_input, thresholds, "t"),
    FIELD('L', sked_pctl_input, length, "n"),
    FIELD('L', sked_pctl_input, amount, "n"),
    FIELD('K', sked_pctl_input, first, "q+"),
    FIELD('L', sked_pctl_input, threshold, "t2"),
};

/* Memory for the answers of `q` queues and `t` thresholds. */
static int points(args *a, size_t q, size_t t, column **point, column **total)
{
    *point = args_column(a, ROW_PCTL_POINT, sizeof(sked_pctl_point), q * t, -1);
    *total = *point ? args_column(a, ROW_PCTL_QUEUE, sizeof(sked_pctl_queue), q,
                                  -1)
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
    RUN(a, sked_pctl(&in, &h->c, (sked_pctl_point *)point->at,
                     (sked_pctl_queue *)total->at, &a.err));
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
    RUN(a, sked_history_new(instance.at, &o, &h->c, &history, &a.err));
    return args_handle(&a, H_HISTORY, history);
}

static const field_of history_rows[] = {
    FIELD('u', sked_history_input, flags, ""),
    FIELD('i', sked_history_input, form, ""),
    FIELD('Q', sked_history_input, n, "n"),
    FIELD('U', sked_history_input, queue, "n"),
    FIELD('L', sked_history_input, start, "n"),
    FIELD('L', sked_history_input, end, "n"),
    FIELD('L', sked_history_input, length, "n"),
    FIELD('L', sked_history_input, amount, "nk"),
};

CALL(history_add)
{
    sked_history *history;
    PyObject *dict;
    size_t dim[128] = {0};
    sked_history_stats counts = {0, 0};
    STRUCT_WITH(sked_history_input, in, 0);
    READ("HnO", H_HISTORY, &history, &dim['k'], &dict);
    if (!args_struct(&a, dict, history_rows, COUNT(history_rows), &in, dim)) {
        return NULL;
    }
    RUN(a, sked_history_add(history, &in, &counts, &a.err));
    return args_end(&a, "KK", counts.empty, counts.outside);
}

CALL(history_get_standing)
{
    sked_history *history;
    uint32_t queue;
    sked_history_standing s = {0};
    READ("hu", H_HISTORY, &history, &queue);
    SHORT(a, sked_history_get_standing(history, queue, &s));
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
                             (sked_pctl_queue *)total->at, &a.err));
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
    SHORT(a, sked_history_units(history, queue, NULL, NULL, 0, &n, &a.err));
    column *length = args_column(&a, "q", 8, n, -1);
    column *amount = length ? args_column(&a, "q", 8, n, (Py_ssize_t)kinds)
                            : NULL;
    if (!amount) return NULL;
    if (n) {
        RUN(a, sked_history_units(history, queue, (int64_t *)length->at,
                                  (int64_t *)amount->at, n, &n, &a.err));
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

/* ---- Instances, and what to reserve ---- */

CALL(pctl_instances)
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
    RUN(a,
        sked_pctl_instances(instance.at, (uint32_t)kinds, parts, vec.at, n,
                            (int64_t *)out->at, (uint8_t *)kind->at, &a.err));
    return args_end(&a, "OO", out, kind);
}

#define COST(c)                                                                \
    (long long)(c).amount, (unsigned long long)(c).reserved_amount.high,       \
        (unsigned long long)(c).reserved_amount.low,                           \
        (unsigned long long)(c).demand.high,                                   \
        (unsigned long long)(c).demand.low, (unsigned long long)(c).cost.high, \
        (unsigned long long)(c).cost.low

static PyObject *reserved_end(args *a, const sked_pctl_reserved_result *p)
{
    return args_end(a, "(LKKKKKK)(LKKKKKK)(LKKKKKK)LL", COST(p->cheapest),
                    COST(p->peak), COST(p->none), (long long)p->exceeded,
                    (long long)p->window);
}

CALL(pctl_reserved)
{
    host *h;
    incol length, amount;
    int64_t window;
    sked_ratio price;
    sked_pctl_reserved_result plan = {0};
    READ("xLLqqq", &h, &length, &amount, &window, &price.num, &price.den);
    if (!args_need(&a, &amount, "amount", length.n, 0)) return NULL;
    RUN(a, sked_pctl_reserved(length.at, amount.at, length.n, window, price,
                              &h->c, &plan, &a.err));
    return reserved_end(&a, &plan);
}

CALL(history_reserved)
{
    sked_history *history;
    uint32_t queue;
    int64_t window;
    sked_ratio price;
    sked_pctl_reserved_result plan = {0};
    READ("huqqq", H_HISTORY, &history, &queue, &window, &price.num, &price.den);
    RUN(a, sked_history_reserved(history, queue, window, price, &plan, &a.err));
    return reserved_end(&a, &plan);
}

/* Units of records: first, lengths, amounts; asked again with longer columns. */
CALL(history_once)
{
    host *h;
    PyObject *options, *dict;
    size_t cap, dim[128] = {0};
    STRUCT_WITH(sked_history_options, o, 0);
    STRUCT_WITH(sked_history_input, in, 0);
    STRUCT_WITH(sked_history_result, out, 0);
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
    RUN(a, sked_history_once(&in, &o, &h->c, &out, &a.err));
    if (a.rc == SKED_ERR_RANGE && out.n > cap) {
        a.rc = SKED_OK; /* said by the number: ask again with longer columns */
        return args_end(&a, "K", (unsigned long long)out.n);
    }
    length->shape[0] = amount->shape[0] = (Py_ssize_t)out.n;
    return args_end(&a, "OOO", first, length, amount);
}

PyMethodDef history_methods[] = {
    METHOD(pctl),
    METHOD(history_new),
    METHOD(history_add),
    METHOD(history_get_standing),
    METHOD(history_pctl),
    METHOD(history_curve),
    METHOD(history_units),
    METHOD(history_work),
    METHOD(pctl_instances),
    METHOD(pctl_reserved),
    METHOD(history_reserved),
    METHOD(history_once),
    {NULL, NULL, 0, NULL},
};
