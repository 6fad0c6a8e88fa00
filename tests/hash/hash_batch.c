/* Batches: every method, bounds, sweeps, noise, learning, runs by steps. */
#include <sched/sked.h>

#include "hash.h"

enum { TASKS = 12, SLOTS = 10, GRID = 4 };

typedef struct sample {
    uint64_t bytes[TASKS];
    uint64_t blocks[TASKS];
    int64_t actual[TASKS];
    int64_t multiplier[TASKS];
    int64_t table[TASKS * SLOTS];
} sample;

static sked_batch_input make(sample *s, uint64_t *state, int with_table)
{
    int64_t noise = (int64_t)hash_below(state, 500001);
    uint64_t seed = hash_random(state);

    HASH_MUST(sked_batch_noise(noise, seed, TASKS, s->actual, NULL) == SKED_OK);
    for (int j = 0; j < TASKS; j++) {
        s->blocks[j] = 1 + hash_below(state, j % 3 ? 9 : 300);
        s->bytes[j] = s->blocks[j] << 27;
        s->multiplier[j] = 500000 + (int64_t)hash_below(state, 1000000);
        for (int k = 0; k < SLOTS; k++) {
            s->table[j * SLOTS + k] = 1 + (int64_t)hash_below(state, 1000000);
        }
    }
    return (sked_batch_input){.struct_size = sizeof(sked_batch_input),
                              .tasks = TASKS,
                              .slots = SLOTS,
                              .nodes = 2,
                              .start = 1000,
                              .block = 5400,
                              .slot = 20,
                              .bytes = s->bytes,
                              .blocks = s->blocks,
                              .multiplier_ppm = s->multiplier,
                              .actual_ppm = s->actual,
                              .table = with_table ? s->table : NULL};
}

static uint64_t add_metrics(uint64_t h, const sked_batch_metrics *m)
{
    h = hash_add(h, (uint64_t)m->makespan);
    h = hash_add(h, (uint64_t)m->t_hat);
    h = hash_add(h, (uint64_t)m->capacity);
    h = hash_add(h, (uint64_t)m->pure_cpu.num);
    h = hash_add(h, (uint64_t)m->tail_cpu.num);
    return hash_add(h, (uint64_t)m->tail_overhead.den);
}

static uint64_t add_plans(uint64_t h, const sked_batch_input *in, uint64_t seed)
{
    for (uint32_t m = SKED_BATCH_METHOD_MULTI; m <= SKED_BATCH_METHOD_AUTO;
         m++) {
        sked_batch_span spans[TASKS];
        uint32_t cluster[TASKS];
        sked_batch_options o = {.struct_size = sizeof o,
                                .method = m,
                                .seed = seed,
                                .max_tries = 200,
                                .replan_tries = 20,
                                .noise_ppm = 250000,
                                .tail = 1 + (uint32_t)(seed % 3)};
        sked_batch_result r = {
            .struct_size = sizeof r, .spans = spans, .cluster = cluster};
        HASH_MUST(sked_batch_plan(in, &o, NULL, &r, NULL) == SKED_OK);
        h = add_metrics(hash_add(h, r.tries), &r.metrics);
        h = hash_add(h, (uint64_t)r.believed);
        h = hash_add(h, (uint64_t)r.bound);
        h = hash_add(h, (uint64_t)r.eta_ppm);
        for (int j = 0; j < TASKS; j++) {
            h = hash_add(h, (uint64_t)spans[j].start);
            h = hash_add(h, spans[j].slots);
            if (m == SKED_BATCH_METHOD_MULTI) h = hash_add(h, cluster[j]);
        }
    }
    return h;
}

static uint64_t add_rest(uint64_t h, const sked_batch_input *in)
{
    static const int64_t sigma[] = {1000000, 3000000}, tau[] = {1, 15000000};
    static const uint32_t task[] = {0, 1, 1}, slots[] = {1, 2, 3};
    static const int64_t ticks[] = {90000, 70000, 50000};
    sked_batch_grid grid = {.struct_size = sizeof grid,
                            .n_sigma = 2,
                            .n_tau = 2,
                            .sigma_ppm = sigma,
                            .tau_ppm = tau};
    sked_batch_history past = {.struct_size = sizeof past,
                               .n = 3,
                               .task = task,
                               .slots = slots,
                               .ticks = ticks};
    sked_batch_bounds b = {.struct_size = sizeof b};
    sked_batch_cell cells[GRID];
    int64_t learned[TASKS], noise;

    HASH_MUST(sked_batch_bound(in, NULL, &b, NULL) == SKED_OK);
    h = hash_add(h, (uint64_t)b.area.num);
    h = hash_add(h, (uint64_t)b.dual.num);
    h = hash_add(h, (uint64_t)b.functions);
    HASH_MUST(sked_batch_sweep(in, &grid, NULL, NULL, cells, NULL) == SKED_OK);
    for (int i = 0; i < GRID; i++) h = add_metrics(h, &cells[i].metrics);
    HASH_MUST(sked_batch_learn(in, &past, NULL, learned, &noise, NULL) ==
              SKED_OK);
    return hash_add_column(hash_add(h, (uint64_t)noise), learned, TASKS);
}

/* One task at a time, so that the host decides when something ends. */
static uint64_t add_run(uint64_t h, const sked_batch_input *in, uint32_t method)
{
    sked_batch_options o = {.struct_size = sizeof o,
                            .method = method,
                            .max_tries = 100,
                            .eta_ppm = 600000};
    sked_batch_run *run;
    uint32_t running[TASKS];
    size_t n = 0, more;

    HASH_MUST(sked_batch_run_new(in, &o, NULL, &run, NULL) == SKED_OK);
    for (int64_t now = 0;; now += 7000) {
        sked_batch_start starts[TASKS];
        HASH_MUST(sked_batch_run_next(run, now, starts, TASKS, &more, NULL) ==
                  SKED_OK);
        for (size_t i = 0; i < more; i++) {
            running[n++] = starts[i].task;
            h = hash_add(hash_add(h, starts[i].task), starts[i].slots);
        }
        if (n == 0) break;
        HASH_MUST(sked_batch_run_finish(run, running[--n], now + 7000, NULL) ==
                  SKED_OK);
    }
    sked_batch_run_free(run);
    return h;
}

uint64_t hash_batch(unsigned size);

uint64_t hash_batch(unsigned size)
{
    uint64_t state = 21, h = 0;

    for (unsigned life = 0; life < 12 * size; life++) {
        sample s;
        sked_batch_input in = make(&s, &state, life % 3 == 2);
        h = add_rest(add_plans(h, &in, life), &in);
        h = add_run(h, &in, 1 + life % SKED_BATCH_METHOD_AUTO);
    }
    return h;
}
