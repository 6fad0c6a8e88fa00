/* Exact percentiles of delays, queue by queue. */
#include "sim/run.h"

/* The percentile by nearest rank: the smallest delay such that so many percent
 * of all are no longer. There is at least one. */
static int64_t nearest_rank(const sked_sim *sim, const skedi_keyed *sorted,
                            size_t n, unsigned percent)
{
    size_t rank = (n * percent + 99) / 100;

    return sim->jobs[sorted[rank - 1].index].delay;
}

static sked_sim_delay delay_of(const sked_sim *sim, const skedi_keyed *sorted,
                               size_t n)
{
    skedi_u128 sum = skedi_u128_of(0);
    uint64_t rem;

    if (n == 0) return (sked_sim_delay){-1, -1, -1, -1, -1, 0};
    for (size_t i = 0; i < n; i++) {
        uint64_t delay = (uint64_t)sim->jobs[sorted[i].index].delay;
        sum = skedi_u128_add(sum, skedi_u128_of(delay));
    }
    return (sked_sim_delay){
        .p50 = nearest_rank(sim, sorted, n, 50),
        .p95 = nearest_rank(sim, sorted, n, 95),
        .p99 = nearest_rank(sim, sorted, n, 99),
        .max = sim->jobs[sorted[n - 1].index].delay,
        .mean = (int64_t)skedi_u128_low(skedi_u128_div(sum, n, &rem)),
        .n = n,
    };
}

/* The row's ancestor (or itself) on a level, or SIM_NONE. */
static uint32_t row_on_level(const sked_sim *sim, const uint8_t *depth,
                             uint32_t row, uint32_t level)
{
    if (depth[row] < level) return SIM_NONE;
    while (depth[row] > level) row = (uint32_t)sim->parent[row];
    return row;
}

/* By delay, then (a stable sort) by queue: level by level, since a job counts
 * in every queue above it. */
void skedi_measure_delays(sked_sim *sim)
{
    const skedi_image *image = skedi_tree_image(sim->tree);
    skedi_keyed *all = sim->ranked, *spare = all + sim->jobs_cap;
    size_t n = 0;

    for (uint32_t i = 0; i < sim->n_jobs; i++) {
        if (sim->jobs[i].delay < 0) continue;
        all[n++] = (skedi_keyed){(uint64_t)sim->jobs[i].delay, i, 0};
    }
    skedi_sort_keys(all, spare, n);
    for (uint32_t row = 0; row < sim->n_rows; row++) {
        sim->queues[row].delay = delay_of(sim, all, 0);
    }
    for (uint32_t level = 0; level < image->levels; level++) {
        for (size_t i = 0; i < n; i++) {
            all[i].key = (uint64_t)sim->jobs[all[i].index].delay;
        }
        skedi_sort_keys(all, spare, n);
        for (size_t i = 0; i < n; i++) {
            all[i].key = row_on_level(sim, image->depth,
                                      sim->jobs[all[i].index].row, level);
        }
        skedi_sort_keys(all, spare, n);
        for (size_t from = 0, to; from < n; from = to) {
            for (to = from; to < n && all[to].key == all[from].key;) to++;
            if (all[from].key == SIM_NONE) continue;
            sim->queues[all[from].key].delay = delay_of(sim, all + from,
                                                        to - from);
        }
    }
}
