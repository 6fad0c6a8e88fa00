/*
 * Hierarchical DRF beside what Volcano does: the whole tree computed anew for
 * every event, here in doubles.
 */
#include "bench.h"

#include <sched/sked.h>

#include <stdlib.h>
#include <string.h>

enum { KINDS = 4 };

typedef struct hdrf_world {
    uint32_t n;
    uint32_t leaves; /* the last nodes */
    uint32_t *parent;
    uint32_t *weight;
    int64_t *demand; /* rows of all nodes */
    int64_t capacity[KINDS];
    sked_hdrf *tree;
    size_t steps;
    uint64_t seen;

    double *usage; /* the reference's: rows of all nodes */
    double *share;
    double *least; /* of a node's children */
    uint64_t seen_theirs;
} hdrf_world;

static void must_be_ok(sked_status rc)
{
    if (rc == SKED_OK) return;
    abort();
}

/* Three levels below the root, every family of the same size. */
static uint32_t fan_of(size_t leaves)
{
    uint32_t fan = 1;

    while ((size_t)fan * fan * fan < leaves) fan++;
    return fan;
}

static void make_tree(hdrf_world *w, size_t leaves)
{
    uint32_t fan = fan_of(leaves), at = 1, first = 0;
    uint64_t state = 11;

    w->n = 1 + fan + fan * fan + fan * fan * fan;
    w->leaves = fan * fan * fan;
    w->parent = bench_new(w->n, sizeof *w->parent);
    w->weight = bench_new(w->n, sizeof *w->weight);
    w->demand = bench_new((size_t)w->n * KINDS, sizeof *w->demand);
    w->usage = bench_new((size_t)w->n * KINDS, sizeof *w->usage);
    w->share = bench_new(w->n, sizeof *w->share);
    w->least = bench_new(w->n, sizeof *w->least);
    for (; at < w->n; first++) {
        for (uint32_t i = 0; i < fan; i++) w->parent[at++] = first;
    }
    for (uint32_t i = 0; i < w->n; i++) {
        int64_t *demand = w->demand + (size_t)i * KINDS;
        w->weight[i] = 1 + (uint32_t)bench_below(&state, 10);
        demand[0] = (1 + (int64_t)bench_below(&state, 8)) * 500;
        demand[1] = (1 + (int64_t)bench_below(&state, 32)) * 512;
        demand[2] = (int64_t)bench_below(&state, 16) * 1024;
        demand[3] = bench_below(&state, 50) == 0;
    }
    for (int k = 0; k < KINDS; k++) w->capacity[k] = (int64_t)1 << 50;
}

static void ours_before(void *arg)
{
    hdrf_world *w = arg;
    sked_hdrf_options opts = {.struct_size = sizeof opts, .kinds = KINDS};
    int64_t pending = SKED_UNLIMITED;

    sked_hdrf_free(w->tree);
    must_be_ok(
        sked_hdrf_new(w->parent, w->weight, w->n, &opts, NULL, &w->tree, NULL));
    must_be_ok(sked_hdrf_set_capacity(w->tree, w->capacity, NULL));
    for (uint32_t i = w->n - w->leaves; i < w->n; i++) {
        must_be_ok(sked_hdrf_set_leaves(w->tree, &i, NULL,
                                        w->demand + (size_t)i * KINDS, &pending,
                                        1, NULL));
    }
    w->seen = 0;
}

static void ours(void *arg)
{
    hdrf_world *w = arg;

    for (size_t i = 0; i < w->steps; i++) {
        uint32_t leaf = sked_hdrf_next(w->tree);
        w->seen = w->seen * 31 + leaf;
        must_be_ok(sked_hdrf_allocate(w->tree, leaf, 1, NULL));
    }
}

static void theirs_before(void *arg)
{
    hdrf_world *w = arg;

    memset(w->usage, 0, (size_t)w->n * KINDS * sizeof *w->usage);
    w->seen_theirs = 0;
}

/* A node's weighted share from its usage. */
static double share_of_node(const hdrf_world *w, uint32_t i)
{
    double most = 0;

    for (size_t k = 0; k < KINDS; k++) {
        double part = w->usage[(size_t)i * KINDS + k] / (double)w->capacity[k];
        most = part > most ? part : most;
    }
    return most / w->weight[i];
}

/* Every node's usage, children scaled to the least share among them. */
static void recompute(hdrf_world *w)
{
    uint32_t inner = w->n - w->leaves;

    memset(w->usage, 0, (size_t)inner * KINDS * sizeof *w->usage);
    for (uint32_t i = 0; i < w->n; i++) w->least[i] = -1;
    for (uint32_t last = w->n; last > 1;) {
        uint32_t first = last - 1, up = w->parent[last - 1];
        while (first > 1 && w->parent[first - 1] == up) first--;
        for (uint32_t i = first; i < last; i++) {
            w->share[i] = share_of_node(w, i);
            if (w->least[up] < 0 || w->share[i] < w->least[up]) {
                w->least[up] = w->share[i];
            }
        }
        for (uint32_t i = first; i < last; i++) {
            if (w->share[i] <= 0) continue;
            double scale = w->least[up] / w->share[i];
            for (size_t k = 0; k < KINDS; k++) {
                w->usage[(size_t)up * KINDS + k] +=
                    scale * w->usage[(size_t)i * KINDS + k];
            }
        }
        last = first;
    }
}

/* As far as doubles tell shares apart, these are our steps. */
static void theirs_n(hdrf_world *w, size_t steps)
{
    for (size_t s = 0; s < steps; s++) {
        uint32_t at = 0;
        recompute(w);
        while (at < w->n - w->leaves) {
            uint32_t best = 0;
            uint32_t first = 1 + at * fan_of(w->leaves);
            for (uint32_t i = first; i < first + fan_of(w->leaves); i++) {
                if (best == 0 || w->share[i] < w->share[best]) best = i;
            }
            at = best;
        }
        w->seen_theirs = w->seen_theirs * 31 + at;
        for (size_t k = 0; k < KINDS; k++) {
            w->usage[(size_t)at * KINDS + k] +=
                (double)w->demand[(size_t)at * KINDS + k];
        }
    }
}

enum { THEIR_STEPS = 50 };

static void theirs(void *arg)
{
    theirs_n(arg, THEIR_STEPS);
}

static void allocate(bench *b, size_t leaves)
{
    hdrf_world w = {.steps = 100000};

    make_tree(&w, leaves);
    bench_compare(b,
                  &(bench_row){.n = w.leaves,
                               .unit = BENCH_US,
                               .metric = "us per allocation",
                               .budget = 0.3,
                               .reference = "whole tree per event (Volcano)"},
                  &(bench_job){.run = ours,
                               .before = ours_before,
                               .arg = &w,
                               .ops = (double)w.steps},
                  &(bench_job){.run = theirs,
                               .before = theirs_before,
                               .arg = &w,
                               .ops = THEIR_STEPS});
    w.steps = THEIR_STEPS;
    ours_before(&w);
    ours(&w);
    theirs_before(&w);
    theirs(&w);
    bench_must(b, w.seen == w.seen_theirs, "the reference picks our leaves");
    sked_hdrf_free(w.tree);
    free(w.parent);
    free(w.weight);
    free(w.demand);
    free(w.usage);
    free(w.share);
    free(w.least);
}

const bench_entry bench_hdrf[] = {
    {"hdrf", "hierarchical DRF, depth 3, one allocation", allocate, 1000, 0, 0},
    {0}};
