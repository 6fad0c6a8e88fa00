/*
 * How far plans of batches end above the lower bound, with exact durations and
 * with 25 % noise, beside the best of the six published methods on the same
 * batches; and what a plan costs. Batches as the study describes its own: 71
 * tasks of 584 GiB in all on 6 nodes.
 */
#include "bench.h"

#include <sched/sked.h>

#include <math.h>
#include <stdlib.h>

enum { TASKS = 71, NODES = 6 };

typedef struct batch_world {
    uint64_t bytes[TASKS];
    int64_t actual[TASKS];
    sked_batch_input in;
    sked_batch_options opts;
    sked_batch_span spans[TASKS];
    sked_batch_result result;
} batch_world;

static double uniform(uint64_t *state)
{
    return ((double)(bench_random(state) >> 11) + 1) / 9007199254740993.0;
}

static void make_world(batch_world *w, uint32_t slots, int64_t noise_ppm,
                       uint64_t seed)
{
    double size[TASKS], sum = 0;

    for (int j = 0; j < TASKS; j++) {
        double radius = sqrt(-2 * log(uniform(&seed)));
        size[j] = exp(1.7 * radius * cos(6.283185307179586 * uniform(&seed)));
        sum += size[j];
    }
    for (int j = 0; j < TASKS; j++) {
        w->bytes[j] = (uint64_t)(size[j] / sum * 584 * 1073741824.0);
    }
    if (sked_batch_noise(noise_ppm, seed, TASKS, w->actual, NULL) != SKED_OK) {
        abort();
    }
    w->in = (sked_batch_input){.struct_size = sizeof w->in,
                               .tasks = TASKS,
                               .slots = slots,
                               .nodes = NODES,
                               .start = 1000000,
                               .block = slots == 72 ? 5400000 : 18000000,
                               .slot = 20000,
                               .bytes = w->bytes,
                               .actual_ppm = w->actual};
    w->opts = (sked_batch_options){
        .struct_size = sizeof w->opts, .seed = seed, .noise_ppm = noise_ppm};
    w->result = (sked_batch_result){.struct_size = sizeof w->result,
                                    .spans = w->spans};
}

static void plan(void *arg)
{
    batch_world *w = arg;

    if (sked_batch_plan(&w->in, &w->opts, NULL, &w->result, NULL) != SKED_OK) {
        abort();
    }
}

/* The geometric mean over batches of makespan over bound, in per cent above. */
static double mean_gap(uint32_t method, uint32_t slots, int64_t noise_ppm,
                       size_t batches)
{
    double sum = 0;

    for (size_t i = 0; i < batches; i++) {
        batch_world w;
        make_world(&w, slots, noise_ppm, i + 1);
        w.opts.method = method;
        plan(&w);
        sum += log((double)w.result.metrics.makespan / (double)w.result.bound);
    }
    return 100 * (exp(sum / (double)batches) - 1);
}

static double best_of_six(uint32_t slots, int64_t noise_ppm, size_t batches)
{
    double best = 1e9;

    for (uint32_t m = SKED_BATCH_METHOD_MULTI; m <= SKED_BATCH_METHOD_SIMPLE;
         m++) {
        double gap = mean_gap(m, slots, noise_ppm, batches);
        if (gap < best) best = gap;
    }
    return best;
}

static void report_gap(bench *b, const char *variant, uint32_t slots,
                       int64_t noise_ppm, size_t batches)
{
    uint32_t method = noise_ppm ? SKED_BATCH_METHOD_ADAPT
                                : SKED_BATCH_METHOD_BEST;
    double gap = mean_gap(method, slots, noise_ppm, batches);

    bench_report(b, &(bench_row){.variant = variant,
                                 .n = batches,
                                 .unit = BENCH_BYTES,
                                 .metric = "% above the lower bound",
                                 .budget = noise_ppm ? 12 : 3,
                                 .reference = "the best of the six published",
                                 .value = gap,
                                 .reference_value = best_of_six(
                                     slots, noise_ppm, batches),
                                 .instructions = -1});
    bench_must(b, gap >= 0, "no plan ends before its bound");
}

static void report_cost(bench *b, const char *variant, uint32_t method,
                        int64_t noise_ppm)
{
    batch_world w;

    make_world(&w, 72, noise_ppm, 1);
    w.opts.method = method;
    bench_compare(b,
                  &(bench_row){.variant = variant,
                               .n = TASKS,
                               .unit = BENCH_MS,
                               .metric = "ms a plan, 71 tasks, 72 slots"},
                  &(bench_job){.run = plan, .arg = &w, .ops = 1}, NULL);
}

static void batch(bench *b, size_t batches)
{
    report_gap(b, "72 slots, exact", 72, 0, batches);
    report_gap(b, "240 slots, exact", 240, 0, batches);
    report_gap(b, "72 slots, 25 % noise", 72, 250000, batches);
    report_gap(b, "240 slots, 25 % noise", 240, 250000, batches);
    report_cost(b, "best", SKED_BATCH_METHOD_BEST, 0);
    report_cost(b, "adapt, eta chosen", SKED_BATCH_METHOD_ADAPT, 250000);
    report_cost(b, "annealing", SKED_BATCH_METHOD_ANNEALING, 0);
    report_cost(b, "simple", SKED_BATCH_METHOD_SIMPLE, 0);
}

const bench_entry bench_batch[] = {
    {"batch", "a batch over its lower bound, n batches", batch, 40, 5, 5}, {0}};
