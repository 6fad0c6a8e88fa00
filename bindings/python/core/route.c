/* Routing between clusters: <sched/route.h>. */
#include "core.h"

#include <stddef.h>

static const field_of option_fields[] = {
    FIELD('u', sked_route_options, flags, ""),
    FIELD('u', sked_route_options, kinds, ""),
    FIELD('i', sked_route_options, policy, ""),
    FIELD_AS('q', sked_route_options, max_age_ns, "max_age", ""),
    FIELD_AS('q', sked_route_options, locality_weight_ppm, "locality_weight",
             ""),
};

static const field_of snapshot_fields[] = {
    FIELD('Q', sked_route_input, n, "n"),
    FIELD('Q', sked_route_input, queues, "q"),
    FIELD('K', sked_route_input, id, "n"),
    FIELD('L', sked_route_input, time, "n"),
    FIELD('L', sked_route_input, capacity, "nk"),
    FIELD('L', sked_route_input, available, "nk"),
    FIELD('L', sked_route_input, in_queue, "nqk"),
    FIELD('U', sked_route_input, shape_from, "n+"),
};

/* The snapshot; its shapes must reach as far as the offsets say. */
static int snapshot_in(args *a, PyObject *dict, incol *shapes, size_t *dim,
                       sked_route_input *in)
{
    if (!args_struct(a, dict, snapshot_fields, COUNT(snapshot_fields), in,
                     dim)) {
        return 0;
    }
    size_t n = in->shape_from ? in->shape_from[in->n] : 0;
    for (uint32_t i = 0; in->shape_from && i < in->n; i++) {
        if (in->shape_from[i] > in->shape_from[i + 1]) n = SIZE_MAX / 64;
    }
    if (!args_need(a, shapes, "shapes", n * dim['k'], !in->shape_from))
        return 0;
    in->shapes = shapes->at;
    return 1;
}

static const field_of job_fields[] = {
    FIELD('Q', sked_route_jobs, n, "j"),
    FIELD('L', sked_route_jobs, request, "jk"),
    FIELD('L', sked_route_jobs, instances, "j"),
    FIELD('U', sked_route_jobs, queue, "j"),
    FIELD('U', sked_route_jobs, missing, "jn"),
};

MAKE(route_new, H_ROUTER, sked_route, option_fields, sked_route_options)

#define TAKE(name)                                                             \
    CALL(name)                                                                 \
    {                                                                          \
        sked_route *router;                                                    \
        PyObject *dict;                                                        \
        incol shapes;                                                          \
        size_t dim[128] = {0};                                                 \
        STRUCT_WITH(sked_route_input, in, 0);                                  \
        READ("HnOL", H_ROUTER, &router, &dim['k'], &dict, &shapes);            \
        if (!snapshot_in(&a, dict, &shapes, dim, &in)) return NULL;            \
        RUN(a, sked_##name(router, &in, &a.err));                              \
        return args_end(&a, "");                                               \
    }

TAKE(route_replace)
TAKE(route_update)

static size_t clusters_of(const sked_route *router)
{
    size_t n = 0;

    (void)!sked_route_clusters(router, NULL, 0, &n);
    return n;
}

/* The answers, and were any from figures too old? */
#define ROUTE(name, mode)                                                      \
    CALL(name)                                                                 \
    {                                                                          \
        sked_route *router;                                                    \
        int64_t now;                                                           \
        PyObject *dict;                                                        \
        size_t dim[128] = {0};                                                 \
        STRUCT_WITH(sked_route_jobs, jobs, 0);                                 \
        READ(mode "nqO", H_ROUTER, &router, &dim['k'], &now, &dict);           \
        dim['n'] = clusters_of(router);                                        \
        if (!args_struct(&a, dict, job_fields, COUNT(job_fields), &jobs,       \
                         dim)) {                                               \
            return NULL;                                                       \
        }                                                                      \
        column *out = args_column(&a, ROW_ROUTE_ANSWER,                        \
                                  sizeof(sked_route_answer), dim['j'], -1);    \
        if (!out) return NULL;                                                 \
        RUN(a, sked_##name(router, &jobs, now, (sked_route_answer *)out->at,   \
                           &a.err));                                           \
        return args_end(&a, "Oi", out, (int)a.rc);                             \
    }

ROUTE(route_decide, "h")
ROUTE(route_charge, "H")

CALL(route_clusters)
{
    sked_route *router;
    READ("h", H_ROUTER, &router);
    size_t n = clusters_of(router);
    column *out = args_column(&a, "Q", 8, n, -1);
    if (!out) return NULL;
    SHORT(a, sked_route_clusters(router, (uint64_t *)out->at, n, &n));
    return args_end(&a, "O", out);
}

CALL(route_available)
{
    sked_route *router;
    size_t kinds;
    uint64_t id;
    READ("hnQ", H_ROUTER, &router, &kinds, &id);
    column *out = args_column(&a, "q", 8, SKED_MAX_KINDS, -1);
    if (!out) return NULL;
    SHORT(a, sked_route_available(router, id, (int64_t *)out->at));
    out->shape[0] = (Py_ssize_t)(kinds < SKED_MAX_KINDS ? kinds
                                                        : SKED_MAX_KINDS);
    return args_end(&a, "O", out);
}

CALL(route_once)
{
    PyObject *snapshot, *options, *jobs;
    incol shapes;
    int64_t now;
    size_t dim[128] = {0};
    STRUCT_WITH(sked_route_input, in, 0);
    STRUCT_WITH(sked_route_options, o, 0);
    STRUCT_WITH(sked_route_jobs, j, 0);
    READ("OLOqO", &snapshot, &shapes, &options, &now, &jobs);
    if (!args_struct(&a, options, option_fields, COUNT(option_fields), &o,
                     dim)) {
        return NULL;
    }
    dim['k'] = o.kinds ? o.kinds : 1;
    if (!snapshot_in(&a, snapshot, &shapes, dim, &in) ||
        !args_struct(&a, jobs, job_fields, COUNT(job_fields), &j, dim)) {
        return NULL;
    }
    column *out = args_column(&a, ROW_ROUTE_ANSWER, sizeof(sked_route_answer),
                              dim['j'], -1);
    if (!out) return NULL;
    RUN(a, sked_route_once(&in, &j, now, &o, NULL, (sked_route_answer *)out->at,
                           &a.err));
    return args_end(&a, "Oi", out, (int)a.rc);
}

CALL(route_stripe)
{
    incol rack;
    uint32_t parts;
    host *h;
    READ("Uux", &rack, &parts, &h);
    if (rack.n > INT32_MAX || parts > 65536) {
        PyErr_SetString(PyExc_OverflowError, "too many machines or parts");
        return args_fail(&a);
    }
    if (!COLUMNS(a, {"I", 4, rack.n, -1}, {"I", 4, parts, -1})) return NULL;
    RUN(a,
        sked_route_stripe(rack.at, rack.n, parts, &h->c, MADE(a, uint32_t, 0),
                          MADE(a, uint32_t, 1), &a.err));
    return args_end(&a, "OO", a.out[0], a.out[1]);
}

PyMethodDef route_methods[] = {
    METHOD(route_new),       METHOD(route_replace), METHOD(route_update),
    METHOD(route_decide),    METHOD(route_charge),  METHOD(route_clusters),
    METHOD(route_available), METHOD(route_once),    METHOD(route_stripe),
    {NULL, NULL, 0, NULL},
};
