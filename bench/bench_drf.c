/*
 * The DRF sort beside what schedulers do that keep a sorted set and sort it
 * again (Mesos, YARN, YuniKorn): shares in doubles, a library sort.
 */
#include <stdlib.h>
#include <string.h>

#include "drf_world.h"

/* The same order, but for shares that doubles cannot tell apart. */
static int same_order(const drf_world *w)
{
    for (uint32_t i = 0; i < w->n; i++) {
        double a = w->share[w->order[i]], b = w->share[w->theirs[i]];
        if (a - b > 1e-14 * b || b - a > 1e-14 * b) return 0;
    }
    return 1;
}

/* ---- drf.order ---- */

static void order_ours(void *arg)
{
    drf_world *w = arg;
    size_t n;

    for (size_t i = 0; i < w->steps; i++) {
        drf_must(sked_drf_list(w->drf, w->order, w->n, &n, NULL));
    }
}

static void order_arrays(void *arg)
{
    drf_world *w = arg;

    for (size_t i = 0; i < w->steps; i++) {
        drf_must(sked_drf_order(&w->rows, NULL, w->order, NULL));
    }
}

static void order_theirs(void *arg)
{
    drf_world *w = arg;

    for (size_t s = 0; s < w->steps; s++) {
        for (uint32_t i = 0; i < w->n; i++) {
            w->theirs[i] = i;
            w->share[i] = drf_share(w, w->usage + (size_t)i * KINDS, i);
        }
        drf_sort(w);
    }
}

static void measure_order(bench *b, size_t n, void (*ours)(void *),
                          const char *variant)
{
    drf_world w = {.steps = 1 + 200000 / n};
    double ops = (double)n * (double)w.steps;

    drf_clients(&w, n);
    drf_nodes(&w, n);
    drf_handle(&w, w.usage);
    bench_compare(b,
                  &(bench_row){.variant = variant,
                               .n = n,
                               .unit = BENCH_NS,
                               .metric = "ns per client",
                               .budget = 20,
                               .reference = "shares in doubles, library sort"},
                  &(bench_job){.run = ours, .arg = &w, .ops = ops},
                  &(bench_job){.run = order_theirs, .arg = &w, .ops = ops});
    order_theirs(&w);
    bench_must(b, same_order(&w), "the reference finds our order");
    drf_drop(&w);
}

static void order_n(bench *b, size_t n)
{
    static char handle[32], arrays[32];

    handle[0] = arrays[0] = 0;
    strcat(handle, n == 6000 ? "6000 handle" : "handle");
    strcat(arrays, n == 6000 ? "6000 arrays" : "arrays");
    measure_order(b, n, order_ours, handle);
    measure_order(b, n, order_arrays, arrays);
}

static void order(bench *b, size_t n)
{
    order_n(b, n);
    if (n == 1000) order_n(b, 6000);
}

/* ---- drf.update ---- */

static void update_ours(void *arg)
{
    drf_world *w = arg;

    for (uint32_t i = 0; i < w->n; i++) {
        uint32_t slot = w->which[i];
        const int64_t *row = w->demand + (size_t)slot * KINDS;
        drf_must(sked_drf_charge(w->drf, slot, row, NULL));
        w->seen ^= sked_drf_next(w->drf);
    }
    for (uint32_t i = 0; i < w->n; i++) {
        uint32_t slot = w->which[i];
        const int64_t *row = w->usage + (size_t)slot * KINDS;
        drf_must(sked_drf_update(w->drf, slot, row, NULL));
        w->seen ^= sked_drf_next(w->drf);
    }
}

/* One client moves within a sorted list, found by a scan. */
static void move_theirs(drf_world *w, uint32_t i, double share)
{
    uint32_t at = 0;

    while (w->theirs[at] != i) at++;
    w->share[i] = share;
    drf_sort_by = w->share;
    for (; at > 0 && drf_by_share(&w->theirs[at], &w->theirs[at - 1]) < 0;
         at--) {
        w->theirs[at] = w->theirs[at - 1];
        w->theirs[at - 1] = i;
    }
    for (;
         at + 1 < w->n && drf_by_share(&w->theirs[at + 1], &w->theirs[at]) < 0;
         at++) {
        w->theirs[at] = w->theirs[at + 1];
        w->theirs[at + 1] = i;
    }
}

static void update_theirs(void *arg)
{
    drf_world *w = arg;

    for (size_t s = 0; s < w->steps; s++) {
        uint32_t i = w->which[s];
        int64_t row[KINDS];
        for (size_t k = 0; k < KINDS; k++) {
            row[k] = w->usage[(size_t)i * KINDS + k] +
                     w->demand[(size_t)i * KINDS + k];
        }
        move_theirs(w, i, drf_share(w, row, i));
        w->seen_theirs ^= w->theirs[0];
        move_theirs(w, i, drf_share(w, w->usage + (size_t)i * KINDS, i));
    }
}

static void update_n(bench *b, size_t n, const char *variant)
{
    drf_world w = {.steps = n < 1000 ? n : 1000};
    size_t listed;

    drf_clients(&w, n);
    drf_nodes(&w, n);
    drf_handle(&w, w.usage);
    for (uint32_t i = 0; i < w.n; i++) {
        w.theirs[i] = i;
        w.share[i] = drf_share(&w, w.usage + (size_t)i * KINDS, i);
    }
    drf_sort(&w);
    bench_compare(
        b,
        &(bench_row){.variant = variant,
                     .n = n,
                     .unit = BENCH_US,
                     .metric = "us per update",
                     .budget = 0.15,
                     .reference = "sorted list, found by a scan (Mesos)"},
        &(bench_job){.run = update_ours, .arg = &w, .ops = 2.0 * (double)n},
        &(bench_job){
            .run = update_theirs, .arg = &w, .ops = 2.0 * (double)w.steps});
    drf_must(sked_drf_list(w.drf, w.order, w.n, &listed, NULL));
    bench_must(b, same_order(&w), "the reference ends in our order");
    drf_drop(&w);
}

static void update(bench *b, size_t n)
{
    update_n(b, n, "100k clients");
    if (n == 100000) {
        update_n(b, 1000, "1k clients");
        update_n(b, 10000, "10k clients");
    }
}

const bench_entry bench_drf[] = {
    {"drf.order", "DRF sort, full order", order, 1000, 0, 0},
    {"drf.update", "DRF update or release", update, 100000, 10000, 1000},
    {0}};
