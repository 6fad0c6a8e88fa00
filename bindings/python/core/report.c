/* Reports, and workflows between clusters: <sched/report.h>,
 * <sched/balance.h>. */
#include "core.h"

#include <stddef.h>
#include <string.h>

/* ---- Reports ---- */

static const field_of report_fields[] = {
    FIELD('u', sked_report_input, flags, ""),
    FIELD('u', sked_report_input, kinds, "k"),
    FIELD('Q', sked_report_input, tiers, "t"),
    FIELD('Q', sked_report_input, queues, "q"),
    FIELD('i', sked_report_input, streak, ""),
    FIELD_AS('q', sked_report_input, window_ns, "window", ""),
    FIELD('q', sked_report_input, instances, ""),
    FIELD('L', sked_report_input, instance, "k"),
    FIELD('B', sked_report_input, tier, "q"),
    FIELD('L', sked_report_input, allocation, "q"),
    FIELD('K', sked_report_input, used, "q2"),
    FIELD('K', sked_report_input, usage, "qk2"),
    FIELD('q', sked_report_input, target_ppm, ""),
    FIELD('q', sked_report_input, band_ppm, ""),
    FIELD('q', sked_report_input, patience, ""),
};

CALL(report)
{
    STRUCT_WITH(sked_report_result, out, 0);
    READ_STRUCT(report_fields, sked_report_input, in);
    size_t tiers = dim['t'] + 1, cells = tiers * (dim['k'] + 1);
    if (!COLUMNS(a, {"Q", 8, cells, 2}, {"Q", 8, cells, 2},
                 {"q", 8, tiers, (Py_ssize_t)dim['k'] + 1},
                 {"q", 8, dim['k'], -1})) {
        return NULL;
    }
    out.used = MADE(a, sked_wide, 0);
    out.capacity = MADE(a, sked_wide, 1);
    out.ratio_ppm = MADE(a, int64_t, 2);
    out.stranded = MADE(a, int64_t, 3);
    RUN(a, sked_report(&in, &h->c, &out, &a.err));
    return args_end(&a, "iiiiILLOOOO", (int)out.action, (int)out.reason,
                    (int)out.streak, (int)out.dominant, (unsigned)out.disorder,
                    (long long)out.by, (long long)out.needed, a.out[0],
                    a.out[1], a.out[2], a.out[3]);
}

static const field_of flow_fields[] = {
    FIELD('Q', sked_report_compare_input, n, "n"),
    FIELD('K', sked_report_compare_input, key, "n"),
    FIELD('B', sked_report_compare_input, tier, "n"),
    FIELD_AS('L', sked_report_compare_input, slo_ns, "slo", "n"),
};

CALL(report_compare)
{
    host *h;
    PyObject *after, *before;
    size_t dim[128] = {0}, other[128] = {0};
    STRUCT_WITH(sked_report_compare_input, now, 0);
    STRUCT_WITH(sked_report_compare_input, then, 0);
    READ("OOx", &after, &before, &h);
    if (!args_struct(&a, after, flow_fields, COUNT(flow_fields), &now, dim)) {
        return NULL;
    }
    if (before != Py_None && !args_struct(&a, before, flow_fields,
                                          COUNT(flow_fields), &then, other)) {
        return NULL;
    }
    if (!COLUMNS(
            a, {"B", 1, dim['n'], -1},
            {ROW_REPORT_TIER, sizeof(sked_report_tier), SKED_MAX_TIERS, -1})) {
        return NULL;
    }
    RUN(a, sked_report_compare(&now, before == Py_None ? NULL : &then, &h->c,
                               MADE(a, uint8_t, 0),
                               MADE(a, sked_report_tier, 1), &a.err));
    return args_end(&a, "OO", a.out[0], a.out[1]);
}

/* ---- Balance ---- */

#define B(type, name, dims) FIELD(type, sked_balance_input, name, dims)

/* Dimensions: k kinds, b buckets, c clusters, w workflows. */
static const field_of balance_fields[] = {
    B('u', flags, ""),       B('u', kinds, "k"),     B('Q', buckets, "b"),
    B('Q', clusters, "c"),   B('Q', workflows, "w"), B('q', percentile_ppm, ""),
    B('q', ceiling_ppm, ""), B('Q', max_tries, ""),  B('u', max_moves, ""),
    B('L', length, "b"),     B('L', capacity, "ck"), B('L', instance, "ck"),
    B('U', zone, "c"),       B('L', fixed, "cbk"),   B('L', usage, "wbk"),
    B('U', tier, "w"),       B('U', home, "w"),      B('B', allowed, "wc"),
    B('L', cost, "wc"),
};

static int balance_read(args *a, PyObject *dict, sked_balance_input *in,
                        size_t *dim)
{
    dim['k'] = dim['b'] = 1;
    return args_struct(a, dict, balance_fields, COUNT(balance_fields), in, dim);
}

/* cluster, utilisation, moves, complete, tries, and three objectives. */
static PyObject *balance_end(args *a, const sked_balance_result *r,
                             PyObject *first, PyObject *second)
{
    return args_end(a, "OOOOIIK(LL)(LL)(LL)", a->out[0], a->out[1], first,
                    second, (unsigned)r->moves, (unsigned)r->complete,
                    (unsigned long long)r->tries, (long long)r->before.excess,
                    (long long)r->before.sum, (long long)r->after.excess,
                    (long long)r->after.sum, (long long)r->bound.excess,
                    (long long)r->bound.sum);
}

static int balance_room(args *a, const size_t *dim, sked_balance_result *r)
{
    if (!COLUMNS(*a, {"I", 4, dim['w'], -1}, {"q", 8, dim['c'], -1})) return 0;
    r->cluster = MADE(*a, uint32_t, 0);
    r->utilisation = MADE(*a, int64_t, 1);
    return 1;
}

#define READ_BALANCE(in, out)                                                  \
    host *h;                                                                   \
    PyObject *dict;                                                            \
    size_t dim[128] = {0};                                                     \
    STRUCT_WITH(sked_balance_input, in, 0);                                    \
    STRUCT_WITH(sked_balance_result, out, 0);                                  \
    READ("Ox", &dict, &h);                                                     \
    if (!balance_read(&a, dict, &in, dim) || !balance_room(&a, dim, &out))     \
    return NULL

CALL(balance)
{
    READ_BALANCE(in, out);
    column *moves = args_column(&a, ROW_BALANCE_MOVE, sizeof(sked_balance_move),
                                dim['w'], -1);
    if (!moves) return NULL;
    RUN(a, sked_balance(&in, &h->c, &out, (sked_balance_move *)moves->at,
                        dim['w'], &a.err));
    if (a.rc >= 0) moves->shape[0] = (Py_ssize_t)out.moves;
    return balance_end(&a, &out, (PyObject *)moves, Py_None);
}

CALL(balance_split)
{
    READ_BALANCE(in, out);
    if (!COLUMNS(a, {"q", 8, dim['c'], -1},
                 {"q", 8, dim['c'], (Py_ssize_t)dim['k']})) {
        return NULL;
    }
    RUN(a, sked_balance_split(&in, &h->c, &out, MADE(a, int64_t, 2),
                              MADE(a, int64_t, 3), &a.err));
    return balance_end(&a, &out, a.out[2], a.out[3]);
}

CALL(balance_evacuate)
{
    host *h;
    PyObject *dict;
    uint32_t zone;
    size_t dim[128] = {0};
    STRUCT_WITH(sked_balance_input, in, 0);
    READ("Oux", &dict, &zone, &h);
    if (!balance_read(&a, dict, &in, dim)) return NULL;
    if (!COLUMNS(a, {"I", 4, dim['w'], -1},
                 {ROW_BALANCE_EVACUATION, sizeof(sked_balance_evacuation),
                  SKED_MAX_TIERS, -1})) {
        return NULL;
    }
    RUN(a, sked_balance_evacuate(&in, zone, &h->c, MADE(a, uint32_t, 0),
                                 MADE(a, sked_balance_evacuation, 1), &a.err));
    return args_end(&a, "OO", a.out[0], a.out[1]);
}

PyMethodDef report_methods[] = {
    METHOD(report),        METHOD(report_compare),   METHOD(balance),
    METHOD(balance_split), METHOD(balance_evacuate), {NULL, NULL, 0, NULL},
};
