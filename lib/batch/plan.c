/*
 * Plans and sweeps. A plan is made by the expected times, run by the expected
 * times, and run again by the real times. Answers are written after the last
 * run.
 */
#include <string.h>

#include "base/bits.h"
#include "base/fail.h"
#include "base/versioned.h"
#include "base/wide.h"
#include "batch/live.h"
#include "batch/measure.h"
#include "batch/state.h"

/*
 * Clusters of like sizes: exact k-means in one dimension by dynamic programming
 * over the sorted sizes, O(clusters * tasks^2). The cost of a cluster is the
 * sum of squared distances from the cluster's mean, in whole units rounded
 * down. Sizes above 40 bits are scaled down to 40 bits. If two divisions have
 * equal costs, the division found first is kept, even if the other has a
 * shorter last cluster.
 */

enum { SIZE_BITS = 40 };

typedef struct division {
    uint64_t *size; /* ascending */
    sked_wide *sum; /* of sizes before each position, n + 1 */
    sked_wide *square;
    sked_wide *cost; /* of the first i with one cluster less; n + 1 */
    sked_wide *next; /* with as many as are looked at */
    uint32_t *from;  /* clusters x (n + 1): start of the last cluster */
} division;

static int division_take(skedi_batch *b, division *d, uint32_t clusters)
{
    size_t n = (size_t)b->n + 1;

    d->size = skedi_batch_take(b, n, sizeof *d->size);
    d->sum = skedi_batch_take(b, n, sizeof *d->sum);
    d->square = skedi_batch_take(b, n, sizeof *d->square);
    d->cost = skedi_batch_take(b, n, sizeof *d->cost);
    d->next = skedi_batch_take(b, n, sizeof *d->next);
    d->from = skedi_batch_take(b, n * clusters, sizeof *d->from);
    return d->size && d->sum && d->square && d->cost && d->next && d->from;
}

static sked_wide plus(sked_wide sum, skedi_u128 more)
{
    return skedi_wide_of(skedi_u128_add(skedi_wide_in(sum), more));
}

static void fill_sums(const skedi_batch *b, const uint32_t *order, division *d)
{
    uint64_t largest = b->bytes[order[b->n - 1]];
    unsigned bits = largest ? 64 - skedi_clz64(largest) : 0;
    unsigned shift = bits > SIZE_BITS ? bits - SIZE_BITS : 0;

    for (uint32_t i = 0; i < b->n; i++) {
        uint64_t x = b->bytes[order[i]] >> shift;
        d->size[i] = x;
        d->sum[i + 1] = plus(d->sum[i], skedi_u128_of(x));
        d->square[i + 1] = plus(d->square[i], skedi_u128_mul(x, x));
    }
}

static skedi_u128 sum_between(const sked_wide *sum, uint32_t from, uint32_t to)
{
    return skedi_u128_sub(skedi_wide_in(sum[to]), skedi_wide_in(sum[from]));
}

/* Squared distances from the mean of positions from to to - 1. */
static skedi_u128 spread_of(const division *d, uint32_t from, uint32_t to)
{
    uint64_t sum = skedi_u128_low(sum_between(d->sum, from, to));
    skedi_u128 squares = sum_between(d->square, from, to);
    uint64_t n = to - from, rem;

    return skedi_u128_div(
        skedi_u128_sub(skedi_u128_scale(squares, n), skedi_u128_mul(sum, sum)),
        n, &rem);
}

/* The best division of the first `to` with one cluster more than cost[] has. */
static void divide_first(division *d, uint32_t k, uint32_t to, uint32_t *from)
{
    for (uint32_t at = k; at < to; at++) {
        sked_wide cost = plus(d->cost[at], spread_of(d, at, to));
        if (at > k && skedi_u128_cmp(skedi_wide_in(cost),
                                     skedi_wide_in(d->next[to])) >= 0) {
            continue;
        }
        d->next[to] = cost;
        *from = at;
    }
}

static sked_status divide(skedi_batch *b, division *d, uint32_t clusters)
{
    size_t row = (size_t)b->n + 1;
    sked_status rc = SKED_OK;

    for (uint32_t i = 1; i <= b->n; i++) {
        d->cost[i] = skedi_wide_of(spread_of(d, 0, i));
    }
    for (uint32_t k = 1; k < clusters; k++) {
        for (uint32_t i = k + 1; i <= b->n && rc == SKED_OK; i++) {
            divide_first(d, k, i, &d->from[k * row + i]);
            rc = skedi_hooks_check(&b->hooks, (uint64_t)k * b->n + i,
                                   (uint64_t)clusters * b->n);
        }
        if (rc != SKED_OK) return rc;
        sked_wide *cost = d->cost;
        d->cost = d->next;
        d->next = cost;
    }
    return SKED_OK;
}

/* The clusters of MULTI by task (clusters.c). */
static sked_status batch_clusters(skedi_batch *b, uint32_t clusters,
                                  uint32_t *cluster)
{
    sked_batch_options o = {.clusters = clusters};
    skedi_batch_plan plan;
    division d;
    uint32_t most = clusters < b->n ? clusters : b->n, end = b->n;
    size_t row = (size_t)b->n + 1;

    if (!skedi_batch_plan_take(b, &plan) || !division_take(b, &d, most)) {
        return SKED_ERR_NOMEM;
    }
    skedi_batch_multi(b, &o, &plan);
    fill_sums(b, plan.order, &d);
    sked_status rc = divide(b, &d, most);
    for (uint32_t k = most; k-- > 0 && rc == SKED_OK;) {
        uint32_t from = d.from[k * row + end];
        for (uint32_t i = from; i < end; i++) cluster[plan.order[i]] = k;
        end = from;
    }
    return rc;
}

SKEDI_NO_TAIL_PADDING(sked_batch_bounds, best);
SKEDI_NO_TAIL_PADDING(sked_batch_result, cluster);
SKEDI_NO_TAIL_PADDING(sked_batch_grid, tau_ppm);

enum {
    BATCH_BOUNDS_V1 = SKEDI_SIZE_THROUGH(sked_batch_bounds, best),
    BATCH_RESULT_V1 = SKEDI_SIZE_THROUGH(sked_batch_result, cluster),
    BATCH_GRID_V1 = SKEDI_SIZE_THROUGH(sked_batch_grid, tau_ppm)
};

/* A failure inside a call: without memory, or stopped by the host. */
static sked_status batch_failed(sked_error *err, sked_status rc)
{
    return skedi_fail_stopped(err, rc);
}

/* ---- Bounds ---- */

sked_status sked_batch_bound(const sked_batch_input *input,
                             const sked_host *host, sked_batch_bounds *bounds,
                             sked_error *err)
{
    skedi_batch b;
    sked_batch_bounds found = {0};

    if (!bounds) return skedi_fail_null(err, "bounds");
    sked_status rc = skedi_struct_out(bounds->struct_size, BATCH_BOUNDS_V1);
    if (rc != SKED_OK) return skedi_fail_version(err, "bounds");
    rc = skedi_batch_in(&b, input, SKEDI_BATCH_BELIEVED, host, err);
    if (rc != SKED_OK) return rc;
    rc = skedi_batch_bound_all(&b, &found);
    skedi_batch_drop(&b);
    if (rc != SKED_OK) return batch_failed(err, rc);
    bounds->area = found.area;
    bounds->path = found.path;
    bounds->dual = found.dual;
    bounds->functions = found.functions;
    bounds->best = found.best;
    return SKED_OK;
}

/* The dual bound of the real times. */
static sked_status real_bound(const sked_batch_input *input,
                              const sked_host *host, int64_t *bound,
                              sked_error *err)
{
    skedi_batch b;
    sked_status rc = skedi_batch_in(&b, input, SKEDI_BATCH_REAL, host, err);

    if (rc != SKED_OK) return rc;
    *bound = skedi_batch_dual(&b);
    skedi_batch_drop(&b);
    return SKED_OK;
}

/* ---- A plan ---- */

/* Plans ROBUST; for AUTO, chooses the better of ROBUST and ADAPT. */
static sked_status plan_for_noise(skedi_batch_live *live,
                                  sked_batch_options *options,
                                  skedi_batch_plan *plan)
{
    skedi_batch *b = live->b;
    skedi_batch_scenarios scenarios;
    int64_t robust, adapts;
    sked_status rc = skedi_batch_draw_scenarios(b, options, &scenarios);

    if (rc == SKED_OK) {
        rc = skedi_batch_robust(b, options, &scenarios, plan, &robust);
    }
    if (rc != SKED_OK || options->method == SKED_BATCH_METHOD_ROBUST) return rc;
    rc = skedi_batch_best_eta(live, options, &scenarios, &adapts);
    options->method = adapts < robust ? SKED_BATCH_METHOD_ADAPT
                                      : SKED_BATCH_METHOD_ROBUST;
    return rc;
}

sked_status skedi_batch_make_plan(skedi_batch_live *live,
                                  sked_batch_options *options,
                                  skedi_batch_plan *plan)
{
    skedi_batch *b = live->b;

    b->tries_most = options->max_tries;
    switch (options->method) {
    case SKED_BATCH_METHOD_MULTI:
        skedi_batch_multi(b, options, plan);
        return SKED_OK;
    case SKED_BATCH_METHOD_GREEDY: skedi_batch_greedy(b, plan); return SKED_OK;
    case SKED_BATCH_METHOD_ANNEALING:
    case SKED_BATCH_METHOD_DYNAMIC:
        return skedi_batch_anneal(b, &live->bench, options, plan);
    case SKED_BATCH_METHOD_BEST: return skedi_batch_best(b, options, plan);
    case SKED_BATCH_METHOD_ADAPT: return skedi_batch_choose_eta(live, options);
    case SKED_BATCH_METHOD_ROBUST:
    case SKED_BATCH_METHOD_AUTO: return plan_for_noise(live, options, plan);
    default: skedi_batch_data_driven(b, options, plan); return SKED_OK;
    }
}

/* The data of a call. */
typedef struct planning {
    skedi_batch b;
    sked_batch_options options;
    skedi_batch_live live;
    skedi_batch_plan plan;
    sked_batch_span *spans;
    sked_batch_rule rule;
    int64_t believed;
    sked_batch_metrics metrics;
} planning;

static int planning_take(planning *p)
{
    skedi_batch *b = &p->b;

    p->spans = skedi_batch_take(b, b->n, sizeof *p->spans);
    p->rule = (sked_batch_rule){.struct_size = sizeof p->rule,
                                .slots = b->slots,
                                .tail = p->options.tail,
                                .theta_ppm = p->options.theta_ppm};
    return p->spans && skedi_batch_plan_take(b, &p->plan) &&
           skedi_batch_live_take(b, &p->live);
}

/* Makes a plan; runs the plan by the expected times, then by the real times. */
static sked_status plan_and_run(planning *p)
{
    sked_status rc = skedi_batch_make_plan(&p->live, &p->options, &p->plan);

    for (int real = 0; real < 2 && rc == SKED_OK; real++) {
        const int64_t *factor = real ? p->b.in.actual_ppm : NULL;
        if (real && !factor) break;
        skedi_batch_live_begin(&p->live, &p->options, &p->plan);
        rc = skedi_batch_live_run(&p->live, factor, p->spans);
        if (rc != SKED_OK) break;
        rc = skedi_batch_measure_spans(p->spans, p->b.n, &p->rule,
                                       &p->b.hooks.mem, &p->metrics);
        if (!real) p->believed = p->metrics.makespan;
    }
    return rc;
}

static sked_status result_in(const sked_batch_result *result, sked_error *err)
{
    const char *missing = !result          ? "result"
                          : !result->spans ? "result.spans"
                                           : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = skedi_struct_out(result->struct_size, BATCH_RESULT_V1);
    return rc == SKED_OK ? rc : skedi_fail_version(err, "result");
}

static void hand_out_batch(const planning *p, const uint32_t *cluster,
                           int64_t bound, sked_batch_result *result)
{
    int adapts = p->options.method == SKED_BATCH_METHOD_ADAPT;

    result->method = p->options.method;
    result->tries = p->b.tries;
    result->believed = p->believed;
    result->bound = bound;
    result->eta_ppm = adapts ? p->options.eta_ppm : 0;
    result->metrics = p->metrics;
    memcpy(result->spans, p->spans, p->b.n * sizeof *p->spans);
    if (cluster) {
        memcpy(result->cluster, cluster, p->b.n * sizeof *cluster);
    }
}

sked_status sked_batch_plan(const sked_batch_input *input,
                            const sked_batch_options *options,
                            const sked_host *host, sked_batch_result *result,
                            sked_error *err)
{
    planning p;
    int64_t bound;
    uint32_t *cluster = NULL;
    sked_status rc = result_in(result, err);

    if (rc == SKED_OK) rc = skedi_batch_options_in(&p.options, options, err);
    if (rc == SKED_OK) {
        rc = skedi_batch_in(&p.b, input, SKEDI_BATCH_BELIEVED, host, err);
    }
    if (rc != SKED_OK) return rc;
    int clusters = result->cluster &&
                   p.options.method == SKED_BATCH_METHOD_MULTI;
    if (clusters) cluster = skedi_batch_take(&p.b, p.b.n, sizeof *cluster);
    rc = !planning_take(&p) || (clusters && !cluster) ? SKED_ERR_NOMEM
                                                      : plan_and_run(&p);
    if (rc == SKED_OK && clusters) {
        rc = batch_clusters(&p.b, p.options.clusters, cluster);
    }
    if (rc != SKED_OK) rc = batch_failed(err, rc);
    if (rc == SKED_OK) rc = real_bound(input, host, &bound, err);
    if (rc == SKED_OK) hand_out_batch(&p, cluster, bound, result);
    skedi_batch_drop(&p.b);
    return rc;
}

/* ---- A sweep ---- */

static sked_status grid_in(sked_batch_grid *grid, const sked_batch_grid *given,
                           sked_error *err)
{
    if (!given) return skedi_fail_null(err, "grid");
    sked_status rc = skedi_struct_in(grid, sizeof *grid, given, BATCH_GRID_V1);
    if (rc != SKED_OK) return skedi_fail_version(err, "grid");
    if (grid->reserved) return skedi_fail_reserved(err, "grid");
    const char *missing = !grid->sigma_ppm ? "grid.sigma_ppm"
                          : !grid->tau_ppm ? "grid.tau_ppm"
                                           : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (grid->n_sigma > INT32_MAX || grid->n_tau > INT32_MAX) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "too many rows");
    }
    return SKED_OK;
}

static sked_status sweep_in(planning *p, const sked_batch_options *options,
                            sked_error *err)
{
    sked_status rc = skedi_batch_options_in(&p->options, options, err);

    if (rc != SKED_OK) return rc;
    if (!options || !options->method) {
        p->options.method = SKED_BATCH_METHOD_SIMPLE;
    }
    if (p->options.method != SKED_BATCH_METHOD_SIMPLE &&
        p->options.method != SKED_BATCH_METHOD_DATA_DRIVEN) {
        return skedi_fail_plain(err, SKED_ERR_RANGE,
                                "method has no sigma and no tau");
    }
    return SKED_OK;
}

/* Values of a sweep, as options hold them. */
static sked_status axis_in(const int64_t *value, uint64_t n, const char *what,
                           sked_error *err)
{
    for (uint64_t i = 0; i < n; i++) {
        if (value[i] >= 1 && value[i] <= SKED_PPM * SKED_PPM) continue;
        return skedi_fail(
            err, SKED_ERR_RANGE, what,
            (skedi_fault){.row = (int64_t)i + 1, .got = value[i]});
    }
    return SKED_OK;
}

sked_status sked_batch_sweep(const sked_batch_input *input,
                             const sked_batch_grid *given,
                             const sked_batch_options *options,
                             const sked_host *host, sked_batch_cell *cells,
                             sked_error *err)
{
    planning p;
    sked_batch_grid grid;
    sked_status rc = grid_in(&grid, given, err);

    if (rc == SKED_OK && !cells) {
        rc = skedi_fail_null(err, "cells");
    }
    if (rc == SKED_OK) {
        rc = axis_in(grid.sigma_ppm, grid.n_sigma, "sigma_ppm is out of range",
                     err);
    }
    if (rc == SKED_OK) {
        rc = axis_in(grid.tau_ppm, grid.n_tau, "tau_ppm is out of range", err);
    }
    if (rc == SKED_OK) rc = sweep_in(&p, options, err);
    if (rc == SKED_OK) {
        rc = skedi_batch_in(&p.b, input, SKEDI_BATCH_BELIEVED, host, err);
    }
    if (rc != SKED_OK) return rc;
    if (!planning_take(&p)) rc = SKED_ERR_NOMEM;
    uint64_t n = grid.n_sigma * grid.n_tau;
    for (uint64_t i = 0; i < n && rc == SKED_OK; i++) {
        p.options.sigma_ppm = grid.sigma_ppm[i / grid.n_tau];
        p.options.tau_ppm = grid.tau_ppm[i % grid.n_tau];
        rc = plan_and_run(&p);
        cells[i] = (sked_batch_cell){p.options.sigma_ppm, p.options.tau_ppm,
                                     p.metrics};
    }
    if (rc != SKED_OK) rc = batch_failed(err, rc);
    skedi_batch_drop(&p.b);
    return rc;
}
