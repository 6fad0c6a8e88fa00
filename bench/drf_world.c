/* What the benchmarks of dominant resource fairness share. */
#include "drf_world.h"

#include <stdlib.h>

void drf_must(sked_status rc)
{
    if (rc == SKED_OK) return;
    abort();
}

void drf_clients(drf_world *w, size_t n)
{
    uint64_t state = 7;

    w->n = (uint32_t)n;
    w->usage = bench_new(n * KINDS, sizeof *w->usage);
    w->demand = bench_new(n * KINDS, sizeof *w->demand);
    w->most = bench_new(n, sizeof *w->most);
    w->weight = bench_new(n, sizeof *w->weight);
    w->key = bench_new(n, sizeof *w->key);
    w->order = bench_new(n, sizeof *w->order);
    w->theirs = bench_new(n, sizeof *w->theirs);
    w->share = bench_new(n, sizeof *w->share);
    w->tasks = bench_new(n, sizeof *w->tasks);
    w->which = bench_new(n, sizeof *w->which);
    for (size_t i = 0; i < n; i++) {
        int64_t *demand = w->demand + i * KINDS;
        w->key[i] = i + 1;
        w->which[i] = (uint32_t)i;
        w->weight[i] = 1 + (uint32_t)bench_below(&state, 100);
        demand[0] = (1 + (int64_t)bench_below(&state, 8)) * 500;
        demand[1] = (1 + (int64_t)bench_below(&state, 32)) * 512;
        demand[2] = (int64_t)bench_below(&state, 16) * 1024;
        demand[3] = bench_below(&state, 50) == 0;
        w->most[i] = 1 + (int64_t)bench_below(&state, 200);
        uint64_t tasks = bench_below(&state, 100);
        for (int k = 0; k < KINDS; k++) {
            w->usage[i * KINDS + (size_t)k] = demand[k] * (int64_t)tasks;
        }
    }
    for (size_t i = n; i-- > 1;) {
        size_t other = (size_t)bench_below(&state, i + 1);
        uint32_t held = w->which[i];
        w->which[i] = w->which[other];
        w->which[other] = held;
    }
}

void drf_nodes(drf_world *w, size_t nodes)
{
    static const int64_t size[KINDS] = {96000, 524288, 10485760, 8};

    w->nodes = nodes;
    for (int k = 0; k < KINDS; k++) {
        w->left[k] = bench_new(nodes, sizeof **w->left);
        w->full[k] = bench_new(nodes, sizeof **w->full);
        w->capacity[k] = 0;
        for (size_t i = 0; i < nodes; i++) {
            w->full[k][i] = k == 3 && i % 4 ? 0 : size[k];
            w->capacity[k] += w->full[k][i];
        }
    }
}

void drf_handle(drf_world *w, const int64_t *usage)
{
    sked_drf_options opts = {
        .struct_size = sizeof opts, .kinds = KINDS, .clients = w->n};

    drf_must(sked_drf_new(&opts, NULL, &w->drf, NULL));
    drf_must(sked_drf_set_capacity(w->drf, w->capacity, NULL));
    drf_must(sked_drf_insert_rows(w->drf, w->key, w->weight, usage, w->n, NULL,
                                  NULL));
    w->rows = (sked_drf_input){.struct_size = sizeof w->rows,
                               .kinds = KINDS,
                               .n = w->n,
                               .capacity = w->capacity,
                               .usage = usage,
                               .demand = w->demand,
                               .weight = w->weight,
                               .most = w->most};
}

void drf_drop(drf_world *w)
{
    void *all[] = {w->usage, w->demand, w->most,  w->weight, w->key,
                   w->order, w->theirs, w->share, w->tasks,  w->which};

    sked_drf_free(w->drf);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    for (int k = 0; k < KINDS; k++) {
        free(w->left[k]);
        free(w->full[k]);
    }
}

double drf_share(const drf_world *w, const int64_t *usage, uint32_t i)
{
    double most = 0;

    for (int k = 0; k < KINDS; k++) {
        double part = (double)usage[k] / (double)w->capacity[k];
        most = part > most ? part : most;
    }
    return most / w->weight[i];
}

const double *drf_sort_by; /* qsort() hands nothing through */

int drf_by_share(const void *a, const void *b)
{
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;

    if (drf_sort_by[i] != drf_sort_by[j])
        return drf_sort_by[i] < drf_sort_by[j] ? -1 : 1;
    return i < j ? -1 : 1;
}

void drf_sort(drf_world *w)
{
    drf_sort_by = w->share;
    qsort(w->theirs, w->n, sizeof *w->theirs, drf_by_share);
}
