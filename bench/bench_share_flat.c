/*
 * share.flat: exact shares of many queues under one parent, four kinds.
 *
 * The kinds differ as real ones do: milli-cores, bytes, whole GPUs (mostly
 * zero, full of ties), and bytes over six orders of magnitude. A fifth of the
 * queues have a guarantee. Warm: demand of each moved by up to 0.1 % since the
 * level was found. The reference finds the ratio as YARN's fair scheduler
 * publishes it: doubling, then halving 25 times, in doubles.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

#include "fill/solve.h"

enum { KINDS = 4 };

typedef struct flat_world {
    size_t n;
    size_t family; /* rows per family: n, or small for the tree's case */
    int64_t *lo[KINDS];
    int64_t *hi[KINDS];
    uint32_t *weight;
    int64_t *share[KINDS];
    int64_t *theirs[KINDS];
    int64_t total[KINDS];
    skedi_fill_level warm[KINDS];
    skedi_fill_work work;
    size_t scratch;
    int32_t rounding;
    int keeps_level;
} flat_world;

static int64_t flat_demand(uint64_t *state, int kind)
{
    uint64_t x = bench_random(state);

    switch (kind) {
    case 0: return (int64_t)(1000 * (x % 500));
    case 1: return (int64_t)((x >> 20) % (UINT64_C(1) << 38));
    case 2: return (int64_t)(x % 4 ? 0 : 1 + (x >> 8) % 16);
    default: return (int64_t)(((x >> 40) + 1) << (x % 20));
    }
}

static void flat_fill(flat_world *w)
{
    uint64_t state = 7;

    for (size_t i = 0; i < w->n; i++) {
        uint64_t x = bench_random(&state);
        w->weight[i] = 1 + (uint32_t)(x % (x & 1024 ? 10 : 1000));
    }
    for (int k = 0; k < KINDS; k++) {
        double sum = 0;
        for (size_t i = 0; i < w->n; i++) {
            w->hi[k][i] = flat_demand(&state, k);
            int guaranteed = bench_below(&state, 5) == 0;
            w->lo[k][i] = guaranteed ? w->hi[k][i] / 4 : 0;
            sum += (double)w->hi[k][i];
        }
        w->total[k] = (int64_t)(sum * 0.6 * (double)w->family / (double)w->n);
    }
}

static flat_world flat_new(size_t n, size_t family)
{
    flat_world w = {.n = n, .family = family};

    w.weight = bench_new(n, sizeof *w.weight);
    for (int k = 0; k < KINDS; k++) {
        w.lo[k] = bench_new(n, sizeof *w.lo[k]);
        w.hi[k] = bench_new(n, sizeof *w.hi[k]);
        w.share[k] = bench_new(n, sizeof *w.share[k]);
        w.theirs[k] = bench_new(n, sizeof *w.theirs[k]);
    }
    w.scratch = skedi_fill_scratch(family);
    w.work.scratch = bench_new(w.scratch, 1);
    flat_fill(&w);
    return w;
}

static void flat_free(flat_world *w)
{
    for (int k = 0; k < KINDS; k++) {
        free(w->lo[k]);
        free(w->hi[k]);
        free(w->share[k]);
        free(w->theirs[k]);
    }
    free(w->weight);
    free(w->work.scratch);
}

static skedi_fill_in flat_rows(const flat_world *w, int k, size_t from)
{
    return (skedi_fill_in){.lo = w->lo[k] + from,
                           .hi = w->hi[k] + from,
                           .weight = w->weight + from,
                           .n = w->family};
}

static void run_ours(void *arg)
{
    flat_world *w = arg;

    for (int k = 0; k < KINDS; k++) {
        for (size_t from = 0; from + w->family <= w->n; from += w->family) {
            skedi_fill_in in = flat_rows(w, k, from);
            skedi_fill_level level;
            skedi_fill_solve(&w->work, &in, w->total[k],
                             w->keeps_level ? &w->warm[k] : NULL, &level);
            skedi_fill_emit(&w->work, &in, &level, w->rounding,
                            w->share[k] + from);
        }
    }
}

/* ---- the reference ---- */

static int64_t yarn_share(const skedi_fill_in *in, size_t i, double ratio)
{
    double share = in->weight[i] * ratio;

    if (share < (double)in->lo[i]) share = (double)in->lo[i];
    if (share > (double)in->hi[i]) share = (double)in->hi[i];
    return (int64_t)share;
}

static int64_t yarn_used(const skedi_fill_in *in, double ratio)
{
    int64_t sum = 0;

    for (size_t i = 0; i < in->n; i++) sum += yarn_share(in, i, ratio);
    return sum;
}

static void yarn_fill(const skedi_fill_in *in, int64_t total, int64_t *share)
{
    double left = 0, right = 1;

    for (int k = 0; k < 64 && yarn_used(in, right) < total; k++) right *= 2;
    for (int k = 0; k < 25; k++) {
        double middle = (left + right) / 2;
        int64_t used = yarn_used(in, middle);
        if (used == total) {
            right = middle;
            break;
        }
        left = used < total ? middle : left;
        right = used < total ? right : middle;
    }
    for (size_t i = 0; i < in->n; i++) share[i] = yarn_share(in, i, right);
}

static void run_theirs(void *arg)
{
    flat_world *w = arg;

    for (int k = 0; k < KINDS; k++) {
        for (size_t from = 0; from + w->family <= w->n; from += w->family) {
            skedi_fill_in in = flat_rows(w, k, from);
            yarn_fill(&in, w->total[k], w->theirs[k] + from);
        }
    }
}

/* ---- rows ---- */

/* Ours must be exact; says how far theirs is off, worst kind. */
static void flat_verdict(bench *b, const flat_world *w, char note[80])
{
    int64_t worst = 0;

    for (int k = 0; k < KINDS; k++) {
        int64_t ours = 0, theirs = 0;
        for (size_t i = 0; i < w->family; i++) {
            ours += w->share[k][i];
            theirs += w->theirs[k][i];
        }
        bench_must(b, ours == w->total[k], "our shares add up to the total");
        int64_t off = theirs - w->total[k];
        if (off < 0 ? -off > worst : off > worst) worst = off < 0 ? -off : off;
    }
    snprintf(note, 80, "their sum is off by up to %lld units",
             (long long)worst);
}

typedef struct flat_case {
    const char *variant;
    int32_t path;
    int32_t rounding;
    int warm;
    double budget;
} flat_case;

static void flat_prepare(flat_world *w, const flat_case *c)
{
    uint64_t state = 3;

    w->work.path = c->path;
    w->rounding = c->rounding;
    w->keeps_level = c->warm;
    for (int k = 0; c->warm && k < KINDS; k++) {
        skedi_fill_in in = flat_rows(w, k, 0);
        skedi_fill_solve(&w->work, &in, w->total[k], NULL, &w->warm[k]);
        for (size_t i = 0; i < w->n; i++) {
            int64_t drift = w->hi[k][i] / 1000;
            uint64_t moved = bench_below(&state, 2 * (uint64_t)drift + 1);
            w->hi[k][i] += (int64_t)moved - drift;
        }
    }
}

static void flat_case_run(bench *b, flat_world *w, const flat_case *c)
{
    static char note[80];
    double ops = (double)KINDS * (double)w->n;

    if (!skedi_fill_has(c->path)) return;
    flat_prepare(w, c);
    run_ours(w);
    run_theirs(w);
    flat_verdict(b, w, note);
    bench_compare(
        b,
        &(bench_row){.variant = c->variant,
                     .n = w->n,
                     .unit = BENCH_NS,
                     .metric = "ns per queue*kind",
                     .budget = c->budget,
                     .reference = "bisection in doubles, as YARN publishes it",
                     .note = note},
        &(bench_job){.run = run_ours, .arg = w, .ops = ops},
        &(bench_job){.run = run_theirs, .arg = w, .ops = ops});
}

static void share_flat(bench *b, size_t n)
{
    enum { W = SKED_APPORTION_WEBSTER, L = SKED_APPORTION_LARGEST };
    static const flat_case cases[] = {
        {"cold webster avx512", SKEDI_FILL_AVX512, W, 0, 7},
        {"cold largest avx512", SKEDI_FILL_AVX512, L, 0, 7},
        {"warm webster avx512", SKEDI_FILL_AVX512, W, 1, 5},
        {"cold webster avx2", SKEDI_FILL_AVX2, W, 0, 12},
        {"cold largest avx2", SKEDI_FILL_AVX2, L, 0, 12},
        {"warm webster avx2", SKEDI_FILL_AVX2, W, 1, 9},
        {"cold webster portable", SKEDI_FILL_PORTABLE, W, 0, 20},
        {"cold largest portable", SKEDI_FILL_PORTABLE, L, 0, 20},
        {"warm webster portable", SKEDI_FILL_PORTABLE, W, 1, 14},
    };
    flat_world w = flat_new(n, n);

    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        flat_case_run(b, &w, &cases[k]);
    }
    flat_free(&w);
}

/* What a tree is made of: many families of 100. */
static void share_families(bench *b, size_t n)
{
    static const flat_case cases[] = {
        {"families of 100, best", SKEDI_FILL_BEST, SKED_APPORTION_WEBSTER, 0,
         0},
        {"families of 100, portable", SKEDI_FILL_PORTABLE,
         SKED_APPORTION_WEBSTER, 0, 0},
        {"families of 100, plain", SKEDI_FILL_PLAIN, SKED_APPORTION_WEBSTER, 0,
         0},
    };
    flat_world w = flat_new(n, 100);

    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        flat_case_run(b, &w, &cases[k]);
    }
    flat_free(&w);
}

static void share_flat_all(bench *b, size_t n)
{
    share_flat(b, n);
    share_families(b, n / 100 * 100);
}

const bench_entry bench_share_flat[] = {
    {"share.flat", "exact shares, flat", share_flat_all, 1000000, 100000, 0},
    {0}};
