/* Batches of data-parallel tasks: <sched/batch.h>. */
#include "core.h"

#include <stddef.h>

#define I(type, name, dims) FIELD(type, sked_batch_input, name, dims)
#define O(type, name) FIELD(type, sked_batch_options, name, "")

/* Dimensions: n tasks, c slots. */
static const field_of input_fields[] = {
    I('u', flags, ""),           I('Q', tasks, "n"),      I('u', slots, "c"),
    I('u', nodes, ""),           I('Q', block_bytes, ""), I('q', start, ""),
    I('q', block, ""),           I('q', slot, ""),        I('K', bytes, "n"),
    I('K', blocks, "n"),         I('B', label, "n"),      I('K', edges, "4"),
    I('L', multiplier_ppm, "n"), I('L', actual_ppm, "n"), I('L', table, "nc"),
};

static const field_of option_fields[] = {
    O('u', method),    O('Q', seed),    O('Q', max_tries), O('u', replan_tries),
    O('u', clusters),  O('u', window),  O('u', tail),      O('q', theta_ppm),
    O('q', sigma_ppm), O('q', tau_ppm), O('q', eta_ppm),   O('q', noise_ppm),
};

/* The batch and the options of a call; both are dicts. */
static int batch_read(args *a, PyObject *batch, PyObject *how,
                      sked_batch_input *in, sked_batch_options *o, size_t *dim)
{
    return args_struct(a, batch, input_fields, COUNT(input_fields), in, dim) &&
           args_struct(a, how, option_fields, COUNT(option_fields), o, dim);
}

CALL(batch_bound)
{
    STRUCT_WITH(sked_batch_bounds, b, 0);
    READ_STRUCT(input_fields, sked_batch_input, in);
    RUN(a, sked_batch_bound(&in, &h->c, &b, &a.err));
    return args_end(&a, "(LL)L(LL)LL", (long long)b.area.num,
                    (long long)b.area.den, (long long)b.path,
                    (long long)b.dual.num, (long long)b.dual.den,
                    (long long)b.functions, (long long)b.best);
}

/* spans, metrics, cluster, method, tries, believed, bound, eta. */
CALL(batch_plan)
{
    host *h;
    PyObject *batch, *how;
    uint32_t clustered;
    size_t dim[128] = {0};
    STRUCT_WITH(sked_batch_input, in, 0);
    STRUCT_WITH(sked_batch_options, o, 0);
    STRUCT_WITH(sked_batch_result, r, 0);
    READ("OOux", &batch, &how, &clustered, &h);
    if (!batch_read(&a, batch, how, &in, &o, dim)) return NULL;
    if (!COLUMNS(a, {ROW_BATCH_SPAN, sizeof(sked_batch_span), dim['n'], -1},
                 {ROW_BATCH_METRICS, sizeof(sked_batch_metrics), 1, -1},
                 {"I", 4, clustered ? dim['n'] : 0, -1})) {
        return NULL;
    }
    r.spans = MADE(a, sked_batch_span, 0);
    if (clustered) r.cluster = MADE(a, uint32_t, 2);
    RUN(a, sked_batch_plan(&in, &o, &h->c, &r, &a.err));
    *MADE(a, sked_batch_metrics, 1) = r.metrics;
    return args_end(&a, "OOOIKLLL", a.out[0], a.out[1], a.out[2],
                    (unsigned)r.method, (unsigned long long)r.tries,
                    (long long)r.believed, (long long)r.bound,
                    (long long)r.eta_ppm);
}

CALL(batch_sweep)
{
    host *h;
    PyObject *batch, *how;
    incol sigma, tau;
    size_t dim[128] = {0};
    STRUCT_WITH(sked_batch_input, in, 0);
    STRUCT_WITH(sked_batch_options, o, 0);
    READ("OLLOx", &batch, &sigma, &tau, &how, &h);
    if (!batch_read(&a, batch, how, &in, &o, dim)) return NULL;
    STRUCT_WITH(sked_batch_grid, grid, .n_sigma = sigma.n, .n_tau = tau.n,
                .sigma_ppm = sigma.at, .tau_ppm = tau.at);
    if (sigma.n > SKED_MAX_QUEUES || tau.n > SKED_MAX_QUEUES) {
        PyErr_SetString(PyExc_ValueError, "a sweep of too many values");
        return args_fail(&a);
    }
    column *cells = args_column(&a, ROW_BATCH_CELL, sizeof(sked_batch_cell),
                                sigma.n * tau.n, -1);
    if (!cells) return NULL;
    RUN(a, sked_batch_sweep(&in, &grid, &o, &h->c, (sked_batch_cell *)cells->at,
                            &a.err));
    return args_end(&a, "O", cells);
}

/* ---- Spans ---- */

static const field_of rule_fields[] = {
    FIELD('u', sked_batch_rule, slots, ""),
    FIELD('u', sked_batch_rule, tail, ""),
    FIELD('q', sked_batch_rule, theta_ppm, ""),
};

CALL(batch_measure)
{
    host *h;
    incol spans;
    PyObject *dict;
    size_t dim[128] = {0};
    STRUCT_WITH(sked_batch_rule, rule, 0);
    READ("ROx", &spans, &dict, &h);
    if (!args_struct(&a, dict, rule_fields, COUNT(rule_fields), &rule, dim)) {
        return NULL;
    }
    column *out = args_column(&a, ROW_BATCH_METRICS, sizeof(sked_batch_metrics),
                              1, -1);
    if (!out) return NULL;
    RUN(a,
        sked_batch_measure(spans.at, spans.n / sizeof(sked_batch_span), &rule,
                           &h->c, (sked_batch_metrics *)out->at, &a.err));
    return args_end(&a, "O", out);
}

CALL(batch_utility)
{
    host *h;
    incol spans;
    size_t n = 0;
    READ("Rx", &spans, &h);
    size_t rows = spans.n / sizeof(sked_batch_span);
    column *out = args_column(&a, ROW_BATCH_STEP, sizeof(sked_batch_step),
                              2 * rows, -1);
    if (!out) return NULL;
    RUN(a, sked_batch_utility(spans.at, rows, &h->c, (sked_batch_step *)out->at,
                              2 * rows, &n, &a.err));
    return args_first(&a, out, n);
}

CALL(batch_spread)
{
    uint32_t width, nodes;
    READ("uu", &width, &nodes);
    column *out = args_column(&a, "I", 4, nodes, -1);
    if (!out) return NULL;
    SHORT(a, sked_batch_spread(width, nodes, (uint32_t *)out->at, &a.err));
    return args_end(&a, "O", out);
}

/* ---- Noise and history ---- */

CALL(batch_noise)
{
    int64_t noise;
    uint64_t seed;
    size_t n;
    READ("qQn", &noise, &seed, &n);
    column *out = args_column(&a, "q", 8, n, -1);
    if (!out) return NULL;
    RUN(a, sked_batch_noise(noise, seed, n, (int64_t *)out->at, &a.err));
    return args_end(&a, "O", out);
}

CALL(batch_learn)
{
    host *h;
    PyObject *dict;
    incol task, slots, ticks;
    int64_t noise = 0;
    size_t dim[128] = {0};
    STRUCT_WITH(sked_batch_input, in, 0);
    READ("OUULx", &dict, &task, &slots, &ticks, &h);
    if (!args_struct(&a, dict, input_fields, COUNT(input_fields), &in, dim) ||
        !args_need(&a, &slots, "slots", task.n, 0) ||
        !args_need(&a, &ticks, "ticks", task.n, 0)) {
        return NULL;
    }
    STRUCT_WITH(sked_batch_history, past, .n = task.n, .task = task.at,
                .slots = slots.at, .ticks = ticks.at);
    column *out = args_column(&a, "q", 8, dim['n'], -1);
    if (!out) return NULL;
    RUN(a, sked_batch_learn(&in, &past, &h->c, (int64_t *)out->at, &noise,
                            &a.err));
    return args_end(&a, "OL", out, (long long)noise);
}

/* ---- Runs ---- */

CALL(batch_run_new)
{
    host *h;
    PyObject *batch, *how;
    size_t dim[128] = {0};
    sked_batch_run *run = NULL;
    STRUCT_WITH(sked_batch_input, in, 0);
    STRUCT_WITH(sked_batch_options, o, 0);
    READ("xOO", &h, &batch, &how);
    if (!batch_read(&a, batch, how, &in, &o, dim)) return NULL;
    RUN(a, sked_batch_run_new(&in, &o, &h->c, &run, &a.err));
    return args_handle(&a, H_BATCH_RUN, run);
}

CALL(batch_run_next)
{
    sked_batch_run *run;
    int64_t now;
    size_t cap, n = 0;
    READ("Hqn", H_BATCH_RUN, &run, &now, &cap);
    column *out = args_column(&a, ROW_BATCH_START, sizeof(sked_batch_start),
                              cap, -1);
    if (!out) return NULL;
    RUN(a, sked_batch_run_next(run, now, (sked_batch_start *)out->at, cap, &n,
                               &a.err));
    return args_first(&a, out, n);
}

/* method, waiting, running, finished, free, now, eta, expected, bound. */
CALL(batch_run_get_stats)
{
    sked_batch_run *run;
    STRUCT_WITH(sked_batch_run_stats, s, 0);
    READ("h", H_BATCH_RUN, &run);
    SHORT(a, sked_batch_run_get_stats(run, &s, &a.err));
    return args_end(&a, "IIIIILLLL", (unsigned)s.method, (unsigned)s.waiting,
                    (unsigned)s.running, (unsigned)s.finished, (unsigned)s.free,
                    (long long)s.now, (long long)s.eta_ppm,
                    (long long)s.expected, (long long)s.bound);
}

CALL(batch_run_spans)
{
    sked_batch_run *run;
    size_t n = 0;
    READ("h", H_BATCH_RUN, &run);
    (void)!sked_batch_run_spans(run, NULL, 0, &n);
    column *out = args_column(&a, ROW_BATCH_SPAN, sizeof(sked_batch_span), n,
                              -1);
    if (!out) return NULL;
    SHORT(a, sked_batch_run_spans(run, (sked_batch_span *)out->at, n, &n));
    return args_end(&a, "O", out);
}

PyMethodDef batch_methods[] = {
    METHOD(batch_bound),         METHOD(batch_plan),
    METHOD(batch_sweep),         METHOD(batch_measure),
    METHOD(batch_utility),       METHOD(batch_spread),
    METHOD(batch_noise),         METHOD(batch_learn),
    METHOD(batch_run_new),       METHOD(batch_run_next),
    METHOD(batch_run_get_stats), METHOD(batch_run_spans),
    {NULL, NULL, 0, NULL},
};
