/* Blocks to hosts: <sched/locality.h>, <sched/locality_fair.h>; and of tasks of
 * a batch: <sched/batch.h>. */
#include "core.h"

#include <stddef.h>
#include <string.h>

#define L(type, name, dims) FIELD(type, sked_locality_input, name, dims)

/* Dimensions: b blocks, h hosts, r replicas. */
static const field_of input_fields[] = {
    L('Q', blocks, "b"),   L('Q', hosts, "h"), L('Q', replicas, "r"),
    L('U', replica, "br"), L('L', ticks, "h"), L('L', committed, "h"),
    L('U', cores, "h"),    L('U', limit, "h"),
};

static const field_of search_fields[] = {
    FIELD('u', sked_locality_search_options, method, ""),
    FIELD('Q', sked_locality_search_options, compute, ""),
    FIELD('Q', sked_locality_search_options, transfer, ""),
    FIELD('Q', sked_locality_search_options, step, ""),
};

static const field_of plan_fields[] = {
    FIELD('q', sked_locality_plan_options, load, ""),
    FIELD('U', sked_locality_plan_options, rack, "h"),
    FIELD('q', sked_locality_plan_options, in_rack, ""),
    FIELD('q', sked_locality_plan_options, beyond, ""),
};

#define F(type, name, dims) FIELD(type, sked_locality_fair_input, name, dims)

/* Dimensions: q queues too. */
static const field_of fair_fields[] = {
    F('Q', blocks, "b"),   F('Q', hosts, "h"),    F('Q', queues, "q"),
    F('Q', replicas, "r"), F('U', replica, "br"), F('U', queue, "b"),
    F('U', share, "q"),    F('U', slots, "h"),
};

#define T(type, name) FIELD(type, sked_batch_locality_options, name, "")

static const field_of task_fields[] = {
    T('u', slots), T('q', start), T('q', block), T('q', slot), T('q', transfer),
};

static int input_in(args *a, PyObject *dict, sked_locality_input *in,
                    size_t *dim)
{
    return args_struct(a, dict, input_fields, COUNT(input_fields), in, dim);
}

CALL(locality_new)
{
    host *h;
    PyObject *dict;
    sked_locality *out = NULL;
    size_t dim[128] = {0};
    STRUCT_WITH(sked_locality_input, in, 0);
    STRUCT_WITH(sked_locality_options, o, 0);
    READ("xOu", &h, &dict, &o.method);
    if (!input_in(&a, dict, &in, dim)) return NULL;
    RUN(a, sked_locality_new(&in, &o, &h->c, &out, &a.err));
    return args_handle(&a, H_LOCALITY, out);
}

/* choice, counts, levels (none unless exact), floor, least load, unplaced. */
CALL(locality_answer)
{
    sked_locality *l;
    size_t blocks, hosts;
    READ("hnn", H_LOCALITY, &l, &blocks, &hosts);
    const int64_t *levels = sked_locality_levels(l);
    if (!COLUMNS(a, {"B", 1, blocks, -1}, {"I", 4, hosts, -1},
                 {"q", 8, levels ? hosts : 0, -1})) {
        return NULL;
    }
    if (blocks) memcpy(MADE(a, uint8_t, 0), sked_locality_choice(l), blocks);
    memcpy(MADE(a, uint32_t, 1), sked_locality_host_blocks(l), hosts * 4);
    if (levels) memcpy(MADE(a, int64_t, 2), levels, hosts * 8);
    a.rc = SKED_OK;
    return args_end(&a, "OOOLLK", a.out[0], a.out[1],
                    levels ? a.out[2] : Py_None,
                    (long long)sked_locality_floor(l),
                    (long long)sked_locality_least_load(l),
                    (unsigned long long)sked_locality_unplaced(l));
}

CALL(locality_curve)
{
    sked_locality *l;
    size_t n = 0;
    READ("h", H_LOCALITY, &l);
    (void)!sked_locality_curve(l, NULL, 0, &n, NULL);
    column *out = args_column(&a, ROW_LOCALITY_POINT,
                              sizeof(sked_locality_point), n, -1);
    if (!out) return NULL;
    RUN(a,
        sked_locality_curve(l, (sked_locality_point *)out->at, n, &n, &a.err));
    return args_end(&a, "O", out);
}

/* load, transfers, cost (high, low), looks. */
CALL(locality_search)
{
    sked_locality *l;
    PyObject *dict;
    size_t dim[128] = {0};
    STRUCT_WITH(sked_locality_search_options, o, 0);
    STRUCT_WITH(sked_locality_search_result, r, 0);
    READ("hO", H_LOCALITY, &l, &dict);
    if (!args_struct(&a, dict, search_fields, COUNT(search_fields), &o, dim)) {
        return NULL;
    }
    RUN(a, sked_locality_search(l, &o, &r, &a.err));
    return args_end(&a, "LKKKI", (long long)r.point.load,
                    (unsigned long long)r.point.transfers,
                    (unsigned long long)r.cost.high,
                    (unsigned long long)r.cost.low, (unsigned)r.looks);
}

CALL(locality_bottleneck)
{
    sked_locality *l;
    int64_t load;
    size_t hosts, n = 0;
    uint64_t blocks = 0;
    READ("hqn", H_LOCALITY, &l, &load, &hosts);
    column *out = args_column(&a, "I", 4, hosts, -1);
    if (!out) return NULL;
    SHORT(a, sked_locality_bottleneck(l, load, (uint32_t *)out->at, hosts, &n,
                                      &blocks, &a.err));
    if (a.rc == SKED_OK) out->shape[0] = (Py_ssize_t)n;
    return args_end(&a, "OK", out, (unsigned long long)blocks);
}

CALL(locality_verify)
{
    host *h;
    PyObject *dict;
    incol choice, levels;
    size_t dim[128] = {0};
    STRUCT_WITH(sked_locality_input, in, 0);
    READ("OBLx", &dict, &choice, &levels, &h);
    if (!input_in(&a, dict, &in, dim) ||
        !args_need(&a, &choice, "choice", in.blocks, 0) ||
        !args_need(&a, &levels, "levels", in.hosts, 0)) {
        return NULL;
    }
    RUN(a, sked_locality_verify(&in, choice.at, levels.at, &h->c, &a.err));
    return args_end(&a, "");
}

/* hosts, local, in_rack, beyond, cost (high, low). */
CALL(locality_plan)
{
    sked_locality *l;
    host *h;
    PyObject *dict, *how;
    size_t dim[128] = {0};
    STRUCT_WITH(sked_locality_input, in, 0);
    STRUCT_WITH(sked_locality_plan_options, o, 0);
    STRUCT_WITH(sked_locality_plan_result, r, 0);
    READ("hOOx", H_LOCALITY, &l, &dict, &how, &h);
    if (!input_in(&a, dict, &in, dim) ||
        !args_struct(&a, how, plan_fields, COUNT(plan_fields), &o, dim)) {
        return NULL;
    }
    column *out = args_column(&a, "I", 4, in.blocks, -1);
    if (!out) return NULL;
    r.host = (uint32_t *)out->at;
    RUN(a, sked_locality_plan(l, &in, &o, &h->c, &r, &a.err));
    return args_end(&a, "OKKKKK", out, (unsigned long long)r.local,
                    (unsigned long long)r.in_rack, (unsigned long long)r.beyond,
                    (unsigned long long)r.cost.high,
                    (unsigned long long)r.cost.low);
}

CALL(locality_restore)
{
    sked_locality *l;
    host *h;
    PyObject *dict;
    incol present;
    uint64_t moved = 0;
    size_t dim[128] = {0};
    STRUCT_WITH(sked_locality_input, in, 0);
    READ("hOUx", H_LOCALITY, &l, &dict, &present, &h);
    if (!input_in(&a, dict, &in, dim) ||
        !args_need(&a, &present, "present", in.blocks, 0)) {
        return NULL;
    }
    column *out = args_column(&a, "B", 1, in.blocks, -1);
    if (!out) return NULL;
    RUN(a, sked_locality_restore(l, &in, present.at, &h->c, (uint8_t *)out->at,
                                 &moved, &a.err));
    return args_end(&a, "OK", out, (unsigned long long)moved);
}

/* choice, most, bound, unplaced. */
CALL(locality_sized)
{
    sked_locality *l;
    host *h;
    PyObject *dict;
    incol size;
    size_t dim[128] = {0};
    STRUCT_WITH(sked_locality_input, in, 0);
    STRUCT_WITH(sked_locality_sized_result, r, 0);
    READ("hOLx", H_LOCALITY, &l, &dict, &size, &h);
    if (!input_in(&a, dict, &in, dim) ||
        !args_need(&a, &size, "size", in.blocks, 0)) {
        return NULL;
    }
    column *out = args_column(&a, "B", 1, in.blocks, -1);
    if (!out) return NULL;
    r.choice = (uint8_t *)out->at;
    RUN(a, sked_locality_sized(l, &in, size.at, &h->c, &r, &a.err));
    return args_end(&a, "OKKK", out, (unsigned long long)r.most,
                    (unsigned long long)r.bound,
                    (unsigned long long)r.unplaced);
}

/* ---- Under fairness ---- */

/* host, queue_local, queue_cut, host_cut, local, transfers, bound, phases. */
CALL(locality_fair)
{
    host *h;
    PyObject *dict;
    size_t dim[128] = {0};
    STRUCT_WITH(sked_locality_fair_input, in, 0);
    STRUCT_WITH(sked_locality_fair_options, o, 0);
    STRUCT_WITH(sked_locality_fair_result, r, 0);
    READ("Ouux", &dict, &o.method, &o.phases, &h);
    if (!args_struct(&a, dict, fair_fields, COUNT(fair_fields), &in, dim)) {
        return NULL;
    }
    if (!COLUMNS(a, {"I", 4, in.blocks, -1}, {"I", 4, in.queues, -1},
                 {"B", 1, in.queues, -1}, {"B", 1, in.hosts, -1})) {
        return NULL;
    }
    r.host = MADE(a, uint32_t, 0);
    r.queue_local = MADE(a, uint32_t, 1);
    r.queue_cut = MADE(a, uint8_t, 2);
    r.host_cut = MADE(a, uint8_t, 3);
    RUN(a, sked_locality_fair(&in, &o, &h->c, &r, &a.err));
    return args_end(&a, "OOOOKKKI", a.out[0], a.out[1], a.out[2], a.out[3],
                    (unsigned long long)r.local,
                    (unsigned long long)r.transfers,
                    (unsigned long long)r.bound, (unsigned)r.phases);
}

CALL(locality_fair_verify)
{
    host *h;
    PyObject *dict;
    incol where, queue_cut, host_cut;
    size_t dim[128] = {0};
    STRUCT_WITH(sked_locality_fair_input, in, 0);
    STRUCT_WITH(sked_locality_fair_result, r, 0);
    READ("OUBBQQQx", &dict, &where, &queue_cut, &host_cut, &r.local,
         &r.transfers, &r.bound, &h);
    if (!args_struct(&a, dict, fair_fields, COUNT(fair_fields), &in, dim) ||
        !args_need(&a, &where, "host", in.blocks, 0) ||
        !args_need(&a, &queue_cut, "queue_cut", in.queues, 0) ||
        !args_need(&a, &host_cut, "host_cut", in.hosts, 0)) {
        return NULL;
    }
    r.host = (uint32_t *)(uintptr_t)where.at;
    r.queue_cut = (uint8_t *)(uintptr_t)queue_cut.at;
    r.host_cut = (uint8_t *)(uintptr_t)host_cut.at;
    RUN(a, sked_locality_fair_verify(&in, &r, &h->c, &a.err));
    return args_end(&a, "");
}

/* ---- A task of a batch ---- */

/* ticks and transfers by width. */
CALL(batch_speedup_from_locality)
{
    host *h;
    PyObject *dict, *how;
    size_t dim[128] = {0};
    STRUCT_WITH(sked_locality_input, in, 0);
    STRUCT_WITH(sked_batch_locality_options, o, 0);
    READ("OOx", &dict, &how, &h);
    if (!input_in(&a, dict, &in, dim) ||
        !args_struct(&a, how, task_fields, COUNT(task_fields), &o, dim)) {
        return NULL;
    }
    if (o.slots > SKED_MAX_BATCH_SLOTS) o.slots = SKED_MAX_BATCH_SLOTS + 1;
    if (!COLUMNS(a, {"q", 8, o.slots, -1}, {"Q", 8, o.slots, -1})) return NULL;
    RUN(a, sked_batch_speedup_from_locality(&in, &o, &h->c, MADE(a, int64_t, 0),
                                            MADE(a, uint64_t, 1), &a.err));
    return args_end(&a, "OO", a.out[0], a.out[1]);
}

/* host, cores, ticks, load, transfers. */
CALL(batch_locate)
{
    host *h;
    PyObject *dict, *how;
    size_t dim[128] = {0};
    STRUCT_WITH(sked_locality_input, in, 0);
    STRUCT_WITH(sked_batch_locality_options, o, 0);
    STRUCT_WITH(sked_batch_locality_result, r, 0);
    READ("OOx", &dict, &how, &h);
    if (!input_in(&a, dict, &in, dim) ||
        !args_struct(&a, how, task_fields, COUNT(task_fields), &o, dim) ||
        !COLUMNS(a, {"I", 4, in.blocks, -1}, {"I", 4, in.hosts, -1})) {
        return NULL;
    }
    r.host = MADE(a, uint32_t, 0);
    r.cores = MADE(a, uint32_t, 1);
    RUN(a, sked_batch_locate(&in, &o, &h->c, &r, &a.err));
    return args_end(&a, "OOLLK", a.out[0], a.out[1], (long long)r.ticks,
                    (long long)r.load, (unsigned long long)r.transfers);
}

/* ---- In force ---- */

CALL(locality_live_new)
{
    host *h;
    uint32_t hosts, replicas;
    sked_locality_live *out = NULL;
    READ("xuu", &h, &hosts, &replicas);
    SHORT(a, sked_locality_live_new(hosts, replicas, &h->c, &out, &a.err));
    return args_handle(&a, H_LOCALITY_LIVE, out);
}

CALL(locality_live_add)
{
    sked_locality_live *live;
    incol replicas;
    uint32_t block = 0;
    READ("HU", H_LOCALITY_LIVE, &live, &replicas);
    SHORT(a, sked_locality_live_add(live, replicas.at, replicas.n, &block,
                                    &a.err));
    return args_end(&a, "I", (unsigned)block);
}

CALL(locality_live_loads)
{
    sked_locality_live *live;
    size_t hosts;
    READ("hn", H_LOCALITY_LIVE, &live, &hosts);
    column *out = args_column(&a, "I", 4, hosts, -1);
    if (!out) return NULL;
    memcpy(out->at, sked_locality_live_loads(live), hosts * 4);
    a.rc = SKED_OK;
    return args_end(&a, "O", out);
}

CALL(locality_live_take)
{
    sked_locality_live *live;
    size_t cap, n = 0;
    READ("Hn", H_LOCALITY_LIVE, &live, &cap);
    column *out = args_column(&a, ROW_LOCALITY_MOVE, sizeof(sked_locality_move),
                              cap, -1);
    if (!out) return NULL;
    SHORT(a, sked_locality_live_take(live, (sked_locality_move *)out->at, cap,
                                     &n, &a.err));
    if (a.rc == SKED_OK) out->shape[0] = (Py_ssize_t)n;
    return args_end(&a, "O", out);
}

PyMethodDef locality_methods[] = {
    METHOD(locality_new),         METHOD(locality_answer),
    METHOD(locality_curve),       METHOD(locality_search),
    METHOD(locality_bottleneck),  METHOD(locality_verify),
    METHOD(locality_plan),        METHOD(locality_restore),
    METHOD(locality_sized),       METHOD(locality_fair),
    METHOD(locality_fair_verify), METHOD(batch_speedup_from_locality),
    METHOD(batch_locate),         METHOD(locality_live_new),
    METHOD(locality_live_add),    METHOD(locality_live_loads),
    METHOD(locality_live_take),   {NULL, NULL, 0, NULL},
};
