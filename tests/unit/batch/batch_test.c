/* A batch planned: the model, each method by hand, sweeps, refusals, memory. */
#include "test.h"

#include <sched/batch.h>

#include <string.h>

#include "batch_world.h"
#include "host.h"

enum { MOST_TASKS = 16 };

/* A small batch and its answer; change the columns, then plan(). */
typedef struct scene {
    uint64_t bytes[MOST_TASKS];
    uint64_t blocks[MOST_TASKS];
    uint8_t label[MOST_TASKS];
    int64_t actual[MOST_TASKS];
    uint32_t cluster[MOST_TASKS];
    sked_batch_span spans[MOST_TASKS];
    sked_batch_input in;
    sked_batch_options opts;
    sked_batch_result result;
} scene;

/* `n` tasks of 1, 2, ... blocks, one tick a wave, on 8 slots of 2 nodes. */
static scene *begin(scene *s, uint32_t n)
{
    memset(s, 0, sizeof *s);
    for (uint32_t j = 0; j < n; j++) {
        s->blocks[j] = j + 1;
        s->bytes[j] = (j + 1) * 100;
        s->actual[j] = SKED_PPM;
    }
    s->in = (sked_batch_input){.struct_size = sizeof s->in,
                               .tasks = n,
                               .slots = 8,
                               .nodes = 2,
                               .block = 1,
                               .bytes = s->bytes,
                               .blocks = s->blocks,
                               .label = s->label};
    s->opts = (sked_batch_options){.struct_size = sizeof s->opts};
    s->result = (sked_batch_result){.struct_size = sizeof s->result,
                                    .spans = s->spans,
                                    .cluster = s->cluster};
    return s;
}

static void plan(scene *s, uint32_t method)
{
    s->opts.method = method;
    assert_ok(sked_batch_plan(&s->in, &s->opts, NULL, &s->result, NULL));
    assert_int_equal(s->result.method, method);
}

static void assert_span(const scene *s, uint32_t j, int64_t start, int64_t end,
                        uint32_t slots)
{
    assert_int_equal(s->spans[j].task, j);
    assert_i64(s->spans[j].start, start);
    assert_i64(s->spans[j].end, end);
    assert_int_equal(s->spans[j].slots, slots);
}

/* ---- Times ---- */

/* start + block * multiplier * waves + slot * (width - 1), halves up. */
static void times_follow_the_model(void **state)
{
    int64_t multiplier[1] = {1500000};
    scene s;
    (void)state;

    begin(&s, 1);
    s.blocks[0] = 17; /* 4 slots of 8 for the largest: 5 waves */
    s.in.start = 100;
    s.in.block = 7;
    s.in.slot = 3;
    s.in.multiplier_ppm = multiplier;
    plan(&s, SKED_BATCH_METHOD_GREEDY);
    assert_span(&s, 0, 0, 100 + 53 + 9, 4); /* 52.5 goes up */
    s.actual[0] = 2000000;
    s.in.actual_ppm = s.actual;
    plan(&s, SKED_BATCH_METHOD_GREEDY);
    assert_i64(s.result.believed, 162);
    assert_span(&s, 0, 0, 100 + 105 + 9, 4);
    s.in.block = 1;
    s.in.start = 0;
    s.in.slot = 0;
    multiplier[0] = 1;
    plan(&s, SKED_BATCH_METHOD_GREEDY);
    assert_span(&s, 0, 0, 1, 4); /* never nothing */
}

static void a_table_says_the_times(void **state)
{
    static const int64_t table[] = {80, 70, 60, 50, 40, 30, 20, 10};
    scene s;
    (void)state;

    begin(&s, 1);
    s.in.table = table;
    s.in.block = 0;
    s.in.actual_ppm = s.actual;
    s.actual[0] = 1500000;
    plan(&s, SKED_BATCH_METHOD_GREEDY);
    assert_i64(s.result.believed, 50);
    assert_span(&s, 0, 0, 75, 4);
    plan(&s, SKED_BATCH_METHOD_ADAPT);
    assert_span(&s, 0, 0, 15, 8);
    assert_i64(s.result.bound, 15); /* of what happens */
    assert_i64(s.result.eta_ppm, SKED_PPM);
}

/* 128 MiB a block, and labels at 0.25, 2, 8 and 32 GiB. */
static void bytes_give_blocks_and_labels(void **state)
{
    const uint64_t mib = 1048576, gib = 1024 * mib;
    const uint64_t bytes[6] = {0,       gib / 4 - 1, gib / 4,
                               2 * gib, 8 * gib,     32 * gib};
    scene s, by_hand;
    (void)state;

    begin(&s, 6);
    begin(&by_hand, 6);
    for (uint32_t j = 0; j < 6; j++) {
        s.bytes[j] = by_hand.bytes[j] = bytes[j];
        by_hand.label[j] = (uint8_t)(j < 2 ? 0 : j - 1);
        uint64_t blocks = (bytes[j] + 128 * mib - 1) / (128 * mib);
        by_hand.blocks[j] = blocks ? blocks : 1;
    }
    s.in.blocks = NULL;
    s.in.label = NULL;
    plan(&s, SKED_BATCH_METHOD_DATA_DRIVEN);
    plan(&by_hand, SKED_BATCH_METHOD_DATA_DRIVEN);
    assert_memory_equal(s.spans, by_hand.spans, sizeof s.spans);
}

static void blocks_give_bytes(void **state)
{
    scene s, by_hand;
    (void)state;

    begin(&s, 4);
    begin(&by_hand, 4);
    s.in.bytes = NULL;
    s.in.block_bytes = 100;
    plan(&s, SKED_BATCH_METHOD_GREEDY);
    plan(&by_hand, SKED_BATCH_METHOD_GREEDY);
    assert_memory_equal(s.spans, by_hand.spans, sizeof s.spans);
    s.in.block_bytes = (uint64_t)SKED_AMOUNT_MAX; /* alike then */
    plan(&s, SKED_BATCH_METHOD_GREEDY);
    assert_int_equal(s.spans[0].slots, 4);
    assert_int_equal(s.spans[3].slots, 4);
}

/* ---- Published methods ---- */

/* [HSE-8] The largest gets half of the slots, the others in proportion. */
static void greedy_gives_half_to_the_largest(void **state)
{
    scene s;
    (void)state;

    begin(&s, 4); /* 100 to 400 bytes: 1, 2, 3, 4 slots of 8 */
    plan(&s, SKED_BATCH_METHOD_GREEDY);
    assert_span(&s, 3, 0, 1, 4);
    assert_span(&s, 2, 0, 1, 3);
    assert_span(&s, 1, 1, 2, 2); /* does not fit beside them, */
    assert_span(&s, 0, 1, 2, 1); /* and nothing overtakes it */
    s.bytes[0] = 0;
    s.bytes[1] = 0;
    s.bytes[2] = 0;
    s.bytes[3] = 0;
    plan(&s, SKED_BATCH_METHOD_GREEDY);
    assert_int_equal(s.spans[0].slots, 1);
}

/* [HSE-8] Equal widths, the smallest cluster first. */
static void clusters_of_like_sizes_go_one_after_the_other(void **state)
{
    static const uint64_t bytes[6] = {1000, 10, 500, 12, 510, 11};
    static const uint32_t cluster[6] = {2, 0, 1, 0, 1, 0};
    scene s;
    (void)state;

    begin(&s, 6);
    for (uint32_t j = 0; j < 6; j++) s.bytes[j] = bytes[j];
    s.opts.clusters = 3;
    s.in.slots = 4; /* 4 * 3 / 6 = 2 each */
    plan(&s, SKED_BATCH_METHOD_MULTI);
    for (uint32_t j = 0; j < 6; j++) {
        assert_int_equal(s.cluster[j], cluster[j]);
        assert_int_equal(s.spans[j].slots, 2);
    }
    assert_i64(s.spans[1].start, 0);
    assert_i64(s.spans[5].start, 0);
    assert_true(s.spans[3].start <= s.spans[2].start);
    assert_true(s.spans[4].start <= s.spans[0].start);
    s.opts.clusters = 64; /* more than tasks: each its own */
    plan(&s, SKED_BATCH_METHOD_MULTI);
    assert_int_equal(s.cluster[0], 5);
    assert_int_equal(s.spans[0].slots, 4);  /* all there are, at most */
    s.bytes[0] = (uint64_t)SKED_AMOUNT_MAX; /* scaled down */
    s.opts.clusters = 2;
    plan(&s, SKED_BATCH_METHOD_MULTI);
    assert_int_equal(s.cluster[0], 1);
    assert_int_equal(s.cluster[4], 0);
    s.in.tasks = 1;
    s.result.cluster = NULL;
    plan(&s, SKED_BATCH_METHOD_MULTI);
}

/*
 * [HSE-7] Six tasks of 60, 50, 40, 30, 20, 10 blocks with labels 4 to 0 and 0,
 * sigma 3: the head 60, then from the tail 0.5 + 0.5 + 1 + 2 >= 3 (blocks 10,
 * 20, 30, 40), then 50. Mean 35; 12 slots on 2 nodes, so 6 * blocks / 35 + tau
 * * label, at most 12 / 3 = 4.
 */
static void simple_takes_from_head_and_tail(void **state)
{
    static const uint8_t label[6] = {4, 3, 2, 1, 0, 0};
    static const uint32_t widths[6] = {4, 4, 4, 4, 3, 2};
    scene s;
    (void)state;

    begin(&s, 6);
    for (uint32_t j = 0; j < 6; j++) {
        s.blocks[j] = 60 - 10 * j;
        s.label[j] = label[j];
    }
    s.in.slots = 12;
    s.opts.tau_ppm = 2 * SKED_PPM;
    plan(&s, SKED_BATCH_METHOD_SIMPLE);
    for (uint32_t j = 0; j < 6; j++) {
        assert_int_equal(s.spans[j].slots, widths[j]);
    }
    /* Order 0, 5, 4, 3, 2, 1: 4 + 2 + 3 at once, then each when 4 are free. */
    assert_span(&s, 0, 0, 15, 4);
    assert_span(&s, 5, 0, 5, 2);
    assert_span(&s, 4, 0, 7, 3);
    assert_span(&s, 3, 5, 13, 4);
    assert_span(&s, 2, 7, 17, 4);
    assert_span(&s, 1, 13, 26, 4);
    s.blocks[5] = 1; /* no more slots than blocks */
    plan(&s, SKED_BATCH_METHOD_SIMPLE);
    assert_int_equal(s.spans[5].slots, 1);
}

/* [HSE-7] The mean of a window, weights of 0.5 and more, no cap by blocks. */
static void data_driven_goes_by_windows(void **state)
{
    scene s;
    (void)state;

    begin(&s, 4);
    s.opts.window = 2;
    s.opts.tau_ppm = SKED_PPM;
    s.opts.sigma_ppm = 1;
    s.in.slots = 12;
    /* Sigma of almost nothing: one from the tail each time, order 3, 0, 2, 1.
     * Two windows of mean 2.5: 6 * 4 / 2.5 + 0.5 = 10.1, 6 / 2.5 + 0.5 = 2.9,
     * 6 * 3 / 2.5 + 0.5 = 7.7, 6 * 2 / 2.5 + 0.5 = 5.3. */
    s.label[0] = s.label[1] = s.label[2] = s.label[3] = 0;
    plan(&s, SKED_BATCH_METHOD_DATA_DRIVEN);
    assert_int_equal(s.spans[3].slots, 10);
    assert_int_equal(s.spans[0].slots, 3);
    assert_int_equal(s.spans[2].slots, 8);
    assert_int_equal(s.spans[1].slots, 5);
    s.opts.tau_ppm = SKED_PPM * 6 / 5; /* 9.6 + 0.6, 2.4 + 0.6, 7.8, 5.4 */
    plan(&s, SKED_BATCH_METHOD_DATA_DRIVEN);
    assert_int_equal(s.spans[0].slots, 3);
    s.opts.tau_ppm = SKED_PPM / 5; /* 2.4 + 0.1: a half goes up */
    plan(&s, SKED_BATCH_METHOD_DATA_DRIVEN);
    assert_int_equal(s.spans[0].slots, 3);
    s.opts.tau_ppm = SKED_PPM / 5 - 2; /* a millionth less */
    plan(&s, SKED_BATCH_METHOD_DATA_DRIVEN);
    assert_int_equal(s.spans[0].slots, 2);
}

/* ---- Methods that search ---- */

static void annealing_orders_better_than_greedy(void **state)
{
    batch_world w;
    sked_batch_span spans[BATCH_WORLD_TASKS], again[BATCH_WORLD_TASKS];
    sked_batch_options o = {.struct_size = sizeof o, .seed = 3};
    sked_batch_result r = {.struct_size = sizeof r, .spans = spans};
    (void)state;

    batch_world_make(&w, 72, 0.25, 1);
    o.method = SKED_BATCH_METHOD_GREEDY;
    assert_ok(sked_batch_plan(&w.input, &o, NULL, &r, NULL));
    int64_t greedy = r.believed;
    o.method = SKED_BATCH_METHOD_ANNEALING;
    assert_ok(sked_batch_plan(&w.input, &o, NULL, &r, NULL));
    assert_true(r.believed < greedy);
    assert_true(r.tries > 2000 && r.tries < 2010);
    int64_t annealed = r.believed;
    o.method = SKED_BATCH_METHOD_DYNAMIC;
    assert_ok(sked_batch_plan(&w.input, &o, NULL, &r, NULL));
    assert_true(r.believed <= annealed); /* without noise it only helps here */
    assert_true(r.tries > 2010);
    r.spans = again;
    assert_ok(sked_batch_plan(&w.input, &o, NULL, &r, NULL));
    assert_memory_equal(spans, again, sizeof spans); /* same seed, same plan */
    o.seed = 4;
    assert_ok(sked_batch_plan(&w.input, &o, NULL, &r, NULL));
    assert_memory_not_equal(spans, again, sizeof spans);
}

/* [HSE-12] Never worse than one of the six, never below the bound, however few
 * tries there are beyond theirs. */
static void best_is_no_worse_than_the_six(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 12; seed++) {
        batch_world w;
        sked_batch_span spans[BATCH_WORLD_TASKS];
        sked_batch_options o = {.struct_size = sizeof o,
                                .seed = seed,
                                .max_tries = seed ? 40 : 4000};
        sked_batch_result r = {.struct_size = sizeof r, .spans = spans};
        batch_world_make(&w, seed % 2 ? 72 : 240, 0, seed + 1);
        if (seed) w.input.tasks = 20;
        assert_ok(sked_batch_plan(&w.input, &o, NULL, &r, NULL));
        assert_int_equal(r.method, SKED_BATCH_METHOD_BEST);
        int64_t best = r.believed, bound = r.bound;
        assert_true(bound <= best);
        o.max_tries = 0;
        for (uint32_t m = SKED_BATCH_METHOD_MULTI;
             m <= SKED_BATCH_METHOD_SIMPLE; m++) {
            o.method = m;
            assert_ok(sked_batch_plan(&w.input, &o, NULL, &r, NULL));
            assert_true(best <= r.believed);
            assert_i64(r.bound, bound);
        }
    }
}

/* Told of noise, it keeps long tasks from ending last. */
static void adapt_chooses_its_eta_by_noise(void **state)
{
    batch_world w;
    sked_batch_span spans[BATCH_WORLD_TASKS];
    sked_batch_options o = {.struct_size = sizeof o,
                            .method = SKED_BATCH_METHOD_ADAPT,
                            .noise_ppm = 400000};
    sked_batch_result r = {.struct_size = sizeof r, .spans = spans};
    (void)state;

    batch_world_make(&w, 72, 0.4, 5);
    assert_ok(sked_batch_plan(&w.input, &o, NULL, &r, NULL));
    assert_true(r.eta_ppm <= 600000);
    o.noise_ppm = 0;
    assert_ok(sked_batch_plan(&w.input, &o, NULL, &r, NULL));
    assert_i64(r.eta_ppm, SKED_PPM);
    o.eta_ppm = 800000;
    assert_ok(sked_batch_plan(&w.input, &o, NULL, &r, NULL));
    assert_i64(r.eta_ppm, 800000);
}

/* A plan made for noise is better under it than the tight one; AUTO is
 * whichever does better, and without noise both are BEST. */
static void plans_for_noise_hold_under_noise(void **state)
{
    batch_world w;
    sked_batch_span spans[BATCH_WORLD_TASKS], best[BATCH_WORLD_TASKS];
    sked_batch_options o = {.struct_size = sizeof o, .max_tries = 600};
    sked_batch_result r = {.struct_size = sizeof r, .spans = best};
    int64_t tight = 0, robust = 0, chosen = 0;
    (void)state;

    for (o.seed = 0; o.seed < 4; o.seed++) {
        batch_world_make(&w, 72, 0.25, o.seed + 1);
        r.spans = best;
        o.noise_ppm = 0;
        o.method = SKED_BATCH_METHOD_BEST;
        assert_ok(sked_batch_plan(&w.input, &o, NULL, &r, NULL));
        tight += r.metrics.makespan;
        int64_t believed = r.believed;
        r.spans = spans;
        o.method = SKED_BATCH_METHOD_ROBUST;
        assert_ok(sked_batch_plan(&w.input, &o, NULL, &r, NULL));
        assert_memory_equal(spans, best, sizeof spans);
        o.noise_ppm = 250000;
        assert_ok(sked_batch_plan(&w.input, &o, NULL, &r, NULL));
        assert_int_equal(r.method, SKED_BATCH_METHOD_ROBUST);
        assert_true(r.believed > believed);
        robust += r.metrics.makespan;
        o.method = SKED_BATCH_METHOD_AUTO;
        assert_ok(sked_batch_plan(&w.input, &o, NULL, &r, NULL));
        assert_int_equal(r.method, SKED_BATCH_METHOD_ADAPT);
        assert_true(r.eta_ppm > 0);
        chosen += r.metrics.makespan;
        o.noise_ppm = 0; /* then the plan wins */
        assert_ok(sked_batch_plan(&w.input, &o, NULL, &r, NULL));
        assert_int_equal(r.method, SKED_BATCH_METHOD_ROBUST);
        assert_i64(r.believed, believed);
        assert_i64(r.eta_ppm, 0);
    }
    assert_true(chosen < robust && robust < tight);
}

static void one_task_is_a_batch(void **state)
{
    scene s;
    (void)state;

    begin(&s, 1);
    s.blocks[0] = 16;
    for (uint32_t m = SKED_BATCH_METHOD_MULTI; m <= SKED_BATCH_METHOD_ROBUST;
         m++) {
        plan(&s, m);
        assert_i64(s.spans[0].start, 0);
        assert_true(s.result.bound <= s.result.metrics.makespan);
    }
    assert_span(&s, 0, 0, 2, 8);
}

/* ---- Bounds ---- */

/* [HSE-12] Two tasks of 3 ticks on any width, two slots: the functions see
 * that three of them do not fit side by side. */
static void bounds_rise_from_one_to_the_next(void **state)
{
    static const int64_t table[] = {3, 3, 3, 3, 3, 3};
    static const uint64_t blocks[] = {1, 1, 1};
    sked_batch_input in = {.struct_size = sizeof in,
                           .tasks = 3,
                           .slots = 2,
                           .blocks = blocks,
                           .table = table};
    sked_batch_bounds b = {.struct_size = sizeof b};
    (void)state;

    assert_ok(sked_batch_bound(&in, NULL, &b, NULL));
    assert_i64(b.area.num, 9);
    assert_i64(b.area.den, 2);
    assert_i64(b.path, 3);
    assert_i64(b.dual.num * 2, b.dual.den * 9);
    assert_i64(b.functions, 6); /* each is more than half of 5 */
    assert_i64(b.best, 6);
}

/* ---- Sweep ---- */

/* [HSE-11] Each cell is what the plan with that sigma and tau comes to. */
static void a_sweep_is_many_plans(void **state)
{
    const int64_t sigma[] = {1000000, 3000000}, tau[] = {1, 5000000, 15000000};
    sked_batch_grid grid = {.struct_size = sizeof grid,
                            .n_sigma = 2,
                            .n_tau = 3,
                            .sigma_ppm = sigma,
                            .tau_ppm = tau};
    sked_batch_cell cells[6];
    scene s;
    (void)state;

    begin(&s, 9);
    for (uint32_t m = SKED_BATCH_METHOD_DATA_DRIVEN;
         m <= SKED_BATCH_METHOD_SIMPLE; m++) {
        s.opts.method = m;
        assert_ok(sked_batch_sweep(&s.in, &grid, &s.opts, NULL, cells, NULL));
        for (int i = 0; i < 6; i++) {
            s.opts.sigma_ppm = cells[i].sigma_ppm;
            s.opts.tau_ppm = cells[i].tau_ppm;
            assert_i64(s.opts.sigma_ppm, sigma[i / 3]);
            assert_i64(s.opts.tau_ppm, tau[i % 3]);
            plan(&s, m);
            assert_memory_equal(&s.result.metrics, &cells[i].metrics,
                                sizeof cells[i].metrics);
        }
    }
}

/* ---- Nodes and noise ---- */

/* [HSE-7] Uniformly over all nodes. */
static void widths_go_evenly_over_nodes(void **state)
{
    uint32_t per_node[4];
    (void)state;

    assert_ok(sked_batch_spread(10, 4, per_node, NULL));
    assert_int_equal(per_node[0], 3);
    assert_int_equal(per_node[1], 3);
    assert_int_equal(per_node[2], 2);
    assert_int_equal(per_node[3], 2);
    assert_status(SKED_ERR_RANGE, sked_batch_spread(1, 0, per_node, NULL));
    assert_status(SKED_ERR_ARG, sked_batch_spread(1, 1, NULL, NULL));
}

static void noise_has_mean_one_and_its_spread(void **state)
{
    enum { DRAWS = 100000 };
    static int64_t factor[DRAWS];
    int64_t sum = 0, small = 0;
    (void)state;

    assert_ok(sked_batch_noise(250000, 7, DRAWS, factor, NULL));
    for (int i = 0; i < DRAWS; i++) {
        sum += factor[i];
        small += factor[i] < 969233; /* exp(-0.25^2 / 2): the median */
    }
    assert_true(sum / DRAWS > 997000 && sum / DRAWS < 1003000);
    assert_true(small > DRAWS * 49 / 100 && small < DRAWS * 51 / 100);
    small = 0;
    for (int i = 0; i < DRAWS; i++) {
        small += factor[i] < 754840; /* one deviation below: 15.87 % */
    }
    assert_true(small > DRAWS * 155 / 1000 && small < DRAWS * 162 / 1000);
    assert_ok(sked_batch_noise(0, 7, 3, factor, NULL));
    assert_i64(factor[2], SKED_PPM);
    assert_ok(sked_batch_noise(SKED_PPM, 7, DRAWS, factor, NULL));
    for (int i = 0; i < DRAWS; i++) {
        assert_true(factor[i] >= SKED_PPM / 64 && factor[i] <= 64 * SKED_PPM);
    }
    assert_status(SKED_ERR_RANGE, sked_batch_noise(-1, 7, 1, factor, NULL));
    assert_status(SKED_ERR_RANGE,
                  sked_batch_noise(SKED_PPM + 1, 7, 1, factor, NULL));
    assert_status(SKED_ERR_ARG, sked_batch_noise(0, 7, 1, NULL, NULL));
}

/* ---- History ---- */

/* [HSE-8] Past runs become multipliers and a level of noise. */
static void history_gives_multipliers_and_noise(void **state)
{
    const uint32_t task[] = {0, 0, 2}, slots[] = {1, 2, 1};
    const int64_t ticks[] = {16, 10, 1};
    sked_batch_history h = {.struct_size = sizeof h,
                            .n = 3,
                            .task = task,
                            .slots = slots,
                            .ticks = ticks};
    int64_t multiplier[3], noise;
    scene s;
    (void)state;

    begin(&s, 3);
    s.blocks[0] = 4;
    s.in.start = 4;
    s.in.block = 2;
    s.in.slot = 1;
    /* (16 - 4) + (10 - 4 - 1) over 8 + 4 is 17 / 12; task 2 took no time. */
    assert_ok(sked_batch_learn(&s.in, &h, NULL, multiplier, &noise, NULL));
    assert_i64(multiplier[0], 1416667);
    assert_i64(multiplier[1], SKED_PPM);
    assert_i64(multiplier[2], 1);
    /* Of task 2: 4 + 1 believed, 1 happened: ln 5 = 1.609, more than 1. */
    assert_i64(noise, SKED_PPM);
    h.n = 2;
    assert_ok(sked_batch_learn(&s.in, &h, NULL, multiplier, &noise, NULL));
    /* Believed 15 and 11 (11.33 and 10.67 to the nearest): ln(16/15), ln(10/11)
     * squared and added, over one: 0.1151. */
    assert_true(noise > 115050 && noise < 115150);
    h.n = 1;
    assert_ok(sked_batch_learn(&s.in, &h, NULL, multiplier, &noise, NULL));
    assert_i64(multiplier[0], 1500000);
    assert_i64(noise, 0);
    h.n = 0;
    assert_ok(sked_batch_learn(&s.in, &h, NULL, multiplier, NULL, NULL));
    assert_i64(multiplier[0], SKED_PPM);
}

static void history_goes_by_a_table_too(void **state)
{
    const int64_t table[] = {100, 50}, ticks[] = {300, INT64_C(1) << 40};
    const uint32_t task[] = {0, 0}, slots[] = {1, 2};
    const uint64_t blocks[] = {1};
    sked_batch_input in = {.struct_size = sizeof in,
                           .tasks = 1,
                           .slots = 2,
                           .blocks = blocks,
                           .table = table};
    sked_batch_history h = {.struct_size = sizeof h,
                            .n = 1,
                            .task = task,
                            .slots = slots,
                            .ticks = ticks};
    int64_t multiplier;
    (void)state;

    assert_ok(sked_batch_learn(&in, &h, NULL, &multiplier, NULL, NULL));
    assert_i64(multiplier, 3000000);
    h.n = 2;
    assert_ok(sked_batch_learn(&in, &h, NULL, &multiplier, NULL, NULL));
    assert_i64(multiplier, 1000000000); /* at most */
}

static void histories_are_checked(void **state)
{
    uint32_t task[] = {0}, slots[] = {1};
    int64_t ticks[] = {1}, multiplier[MOST_TASKS];
    sked_batch_history h = {.struct_size = sizeof h,
                            .n = 1,
                            .task = task,
                            .slots = slots,
                            .ticks = ticks};
    sked_error err;
    scene s;
    (void)state;

#define LEARN(code)                                                            \
    assert_status(code,                                                        \
                  sked_batch_learn(&s.in, &h, NULL, multiplier, NULL, &err))
    begin(&s, 2);
    LEARN(SKED_OK);
    task[0] = 2;
    LEARN(SKED_ERR_RANGE);
    assert_i64(err.row, 0);
    task[0] = 0;
    slots[0] = 0;
    LEARN(SKED_ERR_RANGE);
    slots[0] = 9;
    LEARN(SKED_ERR_RANGE);
    slots[0] = 1;
    ticks[0] = 0;
    LEARN(SKED_ERR_RANGE);
    ticks[0] = SKED_MAX_BATCH_WORK;
    LEARN(SKED_ERR_RANGE);
    h.task = NULL;
    LEARN(SKED_ERR_ARG);
    h.task = task;
    h.slots = NULL;
    LEARN(SKED_ERR_ARG);
    h.slots = slots;
    h.ticks = NULL;
    LEARN(SKED_ERR_ARG);
    h.ticks = ticks;
    h.reserved = 1;
    LEARN(SKED_ERR_ARG);
    h.reserved = 0;
    h.n = SKED_MAX_QUEUES + 1;
    LEARN(SKED_ERR_RANGE);
    h.struct_size = 1;
    LEARN(SKED_ERR_VERSION);
    h.struct_size = sizeof h;
    h.n = 1;
    s.in.tasks = 0;
    LEARN(SKED_ERR_RANGE);
    assert_status(SKED_ERR_ARG,
                  sked_batch_learn(&s.in, NULL, NULL, multiplier, NULL, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_batch_learn(&s.in, &h, NULL, NULL, NULL, NULL));
#undef LEARN
}

/* ---- Refusals ---- */

static scene refused;

static void refuse(sked_status want, const char *message)
{
    sked_error err;

    refused.opts.method = SKED_BATCH_METHOD_GREEDY;
    refused.result.tries = 77;
    assert_status(want, sked_batch_plan(&refused.in, &refused.opts, NULL,
                                        &refused.result, &err));
    assert_string_equal(err.message, message);
    assert_i64((int64_t)refused.result.tries, 77);
    begin(&refused, 3);
}

static void inputs_are_checked(void **state)
{
    const char *sizes = "tasks, slots, nodes or block_bytes out of range";
    const char *model = "start, block or slot out of range";
    (void)state;

#define BAD(field, value, code, message)                                       \
    refused.in.field = (value);                                                \
    refuse(code, message)
    begin(&refused, 3);
    BAD(struct_size, 1, SKED_ERR_VERSION, "unknown input");
    BAD(flags, 1, SKED_ERR_ARG, "flags and reserved are 0");
    BAD(reserved, 1, SKED_ERR_ARG, "flags and reserved are 0");
    refused.in.bytes = NULL;
    BAD(blocks, NULL, SKED_ERR_ARG, "no bytes and no blocks");
    BAD(tasks, 0, SKED_ERR_RANGE, sizes);
    BAD(tasks, SKED_MAX_BATCH_TASKS + 1, SKED_ERR_RANGE, sizes);
    BAD(slots, 0, SKED_ERR_RANGE, sizes);
    BAD(slots, SKED_MAX_BATCH_SLOTS + 1, SKED_ERR_RANGE, sizes);
    BAD(nodes, 9, SKED_ERR_RANGE, sizes);
    BAD(block_bytes, UINT64_MAX, SKED_ERR_RANGE, sizes);
    BAD(start, -1, SKED_ERR_RANGE, model);
    BAD(start, SKED_MAX_BATCH_WORK + 1, SKED_ERR_RANGE, model);
    BAD(block, -1, SKED_ERR_RANGE, model);
    BAD(block, 0, SKED_ERR_RANGE, model);
    BAD(block, SKED_MAX_BATCH_WORK + 1, SKED_ERR_RANGE, model);
    BAD(slot, -1, SKED_ERR_RANGE, model);
    BAD(slot, SKED_MAX_BATCH_WORK, SKED_ERR_RANGE, model);
    BAD(start, SKED_MAX_BATCH_WORK / 8, SKED_ERR_RANGE,
        "times above the limit: use coarser ticks");
    BAD(block, SKED_MAX_BATCH_WORK, SKED_ERR_RANGE,
        "times above the limit: use coarser ticks");
    refused.bytes[1] = UINT64_MAX;
    refuse(SKED_ERR_RANGE, "bytes above the limit");
    refused.blocks[1] = 0;
    refuse(SKED_ERR_RANGE, "blocks out of range");
    refused.blocks[1] = SKED_MAX_BATCH_BLOCKS;
    refuse(SKED_ERR_RANGE, "blocks out of range");
    refused.label[2] = SKED_MAX_BATCH_LABELS;
    refuse(SKED_ERR_RANGE, "label out of range");
#undef BAD
}

static void factors_and_tables_are_checked(void **state)
{
    int64_t factor[3] = {SKED_PPM, SKED_PPM, SKED_PPM};
    int64_t table[24];
    sked_error err;
    (void)state;

    begin(&refused, 3);
    for (int sign = 0; sign < 2; sign++) {
        factor[1] = sign ? 0 : 1000000001;
        refused.in.multiplier_ppm = factor;
        refuse(SKED_ERR_RANGE, "multiplier_ppm out of range");
        refused.in.actual_ppm = factor;
        refuse(SKED_ERR_RANGE, "actual_ppm out of range");
    }
    for (int i = 0; i < 24; i++) table[i] = 5;
    table[12] = 0;
    refused.in.table = table;
    assert_status(SKED_ERR_RANGE, sked_batch_plan(&refused.in, NULL, NULL,
                                                  &refused.result, &err));
    assert_i64(err.row, 1);
    refuse(SKED_ERR_RANGE, "table: a time below 1");
    table[12] = SKED_MAX_BATCH_WORK;
    refused.in.table = table;
    refuse(SKED_ERR_RANGE, "times above the limit: use coarser ticks");
    table[12] = SKED_MAX_BATCH_WORK / 10;
    factor[1] = 1000000000;
    refused.in.table = table;
    refused.in.actual_ppm = factor;
    refuse(SKED_ERR_RANGE, "times above the limit: use coarser ticks");
    factor[1] = SKED_PPM * 500;
    refused.in.multiplier_ppm = factor;
    refused.in.actual_ppm = factor;
    refused.in.block = SKED_MAX_BATCH_WORK;
    refuse(SKED_ERR_RANGE, "times above the limit: use coarser ticks");
}

static void options_are_checked(void **state)
{
    const char *ratio = "a ratio out of range";
    const char *choice = "method, tail or clusters out of range";
    sked_batch_options o = {.struct_size = sizeof o};
    sked_error err;
    scene s;
    (void)state;

#define BAD(field, value, code, text)                                          \
    o.field = (value);                                                         \
    assert_status(code, sked_batch_plan(&s.in, &o, NULL, &s.result, &err));    \
    assert_string_equal(err.message, text);                                    \
    o = (sked_batch_options){.struct_size = sizeof o}
    begin(&s, 2);
    BAD(struct_size, 3, SKED_ERR_VERSION, "unknown options");
    BAD(method, 11, SKED_ERR_RANGE, choice);
    BAD(tail, 4, SKED_ERR_RANGE, choice);
    BAD(clusters, 65, SKED_ERR_RANGE, choice);
    BAD(theta_ppm, -1, SKED_ERR_RANGE, ratio);
    BAD(theta_ppm, SKED_PPM + 1, SKED_ERR_RANGE, ratio);
    BAD(sigma_ppm, -1, SKED_ERR_RANGE, ratio);
    BAD(sigma_ppm, INT64_MAX, SKED_ERR_RANGE, ratio);
    BAD(tau_ppm, -1, SKED_ERR_RANGE, ratio);
    BAD(tau_ppm, INT64_MAX, SKED_ERR_RANGE, ratio);
    BAD(eta_ppm, -1, SKED_ERR_RANGE, ratio);
    BAD(eta_ppm, SKED_PPM + 1, SKED_ERR_RANGE, ratio);
    BAD(noise_ppm, -1, SKED_ERR_RANGE, ratio);
    BAD(noise_ppm, SKED_PPM + 1, SKED_ERR_RANGE, ratio);
#undef BAD
}

static void results_and_grids_are_checked(void **state)
{
    const int64_t one[] = {1};
    int64_t bad[] = {0};
    sked_host host = {.struct_size = 1};
    sked_batch_bounds b = {.struct_size = sizeof b};
    sked_batch_cell cell;
    sked_batch_grid g = {.struct_size = sizeof g,
                         .n_sigma = 1,
                         .n_tau = 1,
                         .sigma_ppm = one,
                         .tau_ppm = one};
    scene s;
    (void)state;

#define SWEEP(code)                                                            \
    assert_status(code, sked_batch_sweep(&s.in, &g, &s.opts, NULL, &cell, NULL))
    begin(&s, 2);
    SWEEP(SKED_OK);
    s.opts.method = SKED_BATCH_METHOD_GREEDY;
    SWEEP(SKED_ERR_RANGE);
    s.opts.method = 99;
    SWEEP(SKED_ERR_RANGE);
    s.opts.method = 0;
    g.sigma_ppm = bad;
    SWEEP(SKED_ERR_RANGE);
    bad[0] = INT64_MAX;
    SWEEP(SKED_ERR_RANGE);
    g.sigma_ppm = one;
    g.tau_ppm = bad;
    SWEEP(SKED_ERR_RANGE);
    const int64_t second[] = {1, 0};
    sked_batch_cell cells[2];
    sked_error err;
    g.n_tau = 2;
    g.tau_ppm = second;
    assert_status(SKED_ERR_RANGE,
                  sked_batch_sweep(&s.in, &g, &s.opts, NULL, cells, &err));
    assert_int_equal(err.row, 1);
    g.n_tau = 1;
    g.tau_ppm = NULL;
    SWEEP(SKED_ERR_ARG);
    g.tau_ppm = one;
    g.sigma_ppm = NULL;
    SWEEP(SKED_ERR_ARG);
    g.sigma_ppm = one;
    g.reserved = 1;
    SWEEP(SKED_ERR_ARG);
    g.reserved = 0;
    g.struct_size = 1;
    SWEEP(SKED_ERR_VERSION);
    g.struct_size = sizeof g;
    s.in.slots = 0;
    SWEEP(SKED_ERR_RANGE);
    assert_status(SKED_ERR_RANGE, sked_batch_bound(&s.in, NULL, &b, NULL));
    s.in.slots = 8;
    assert_status(SKED_ERR_ARG,
                  sked_batch_sweep(&s.in, NULL, NULL, NULL, &cell, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_batch_sweep(&s.in, &g, NULL, NULL, NULL, NULL));
    assert_ok(sked_batch_sweep(&s.in, &g, NULL, NULL, &cell, NULL));
    assert_status(SKED_ERR_VERSION,
                  sked_batch_plan(&s.in, NULL, &host, &s.result, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_batch_plan(NULL, NULL, NULL, &s.result, NULL));
    assert_status(SKED_ERR_ARG, sked_batch_plan(&s.in, NULL, NULL, NULL, NULL));
    s.result.struct_size = 1;
    assert_status(SKED_ERR_VERSION,
                  sked_batch_plan(&s.in, NULL, NULL, &s.result, NULL));
    s.result.spans = NULL;
    assert_status(SKED_ERR_ARG,
                  sked_batch_plan(&s.in, NULL, NULL, &s.result, NULL));
    assert_status(SKED_ERR_ARG, sked_batch_bound(&s.in, NULL, NULL, NULL));
    b.struct_size = 1;
    assert_status(SKED_ERR_VERSION, sked_batch_bound(&s.in, NULL, &b, NULL));
#undef SWEEP
}

/* 4,161 tasks of 4,032 useful widths each are as many as there may be. */
static void useful_widths_have_a_limit(void **state)
{
    enum { MANY = 4200 };
    static uint64_t blocks[MANY];
    sked_batch_input in = {.struct_size = sizeof in,
                           .tasks = MANY,
                           .slots = 65536,
                           .block = 1,
                           .blocks = blocks};
    sked_batch_bounds b = {.struct_size = sizeof b};
    sked_error err;
    (void)state;

    for (int j = 0; j < MANY; j++) blocks[j] = 4194304;
    assert_status(SKED_ERR_RANGE, sked_batch_bound(&in, NULL, &b, &err));
    assert_string_equal(err.message, "more than 2^24 useful widths");
    assert_i64(err.row, 4161);
}

/* ---- Memory ---- */

/* Every call that asks for memory, and every method. */
static sked_status life(test_host *h, void *arg)
{
    const int64_t value[] = {3000000};
    const uint32_t task[] = {0}, slots[] = {1};
    const int64_t ticks[] = {5};
    sked_host host = test_host_hooks(h);
    sked_batch_grid g = {.struct_size = sizeof g,
                         .n_sigma = 1,
                         .n_tau = 1,
                         .sigma_ppm = value,
                         .tau_ppm = value};
    sked_batch_history past = {.struct_size = sizeof past,
                               .n = 1,
                               .task = task,
                               .slots = slots,
                               .ticks = ticks};
    sked_batch_rule rule = {.struct_size = sizeof rule, .slots = 8};
    sked_batch_bounds b = {.struct_size = sizeof b};
    sked_batch_metrics m;
    sked_batch_cell cell;
    sked_batch_step steps[2 * MOST_TASKS];
    int64_t learned[MOST_TASKS];
    size_t n;
    scene *s = arg;

    sked_status rc = sked_batch_bound(&s->in, &host, &b, NULL);
    for (uint32_t i = 1; i <= SKED_BATCH_METHOD_AUTO && rc == SKED_OK; i++) {
        s->opts.method = i;
        s->result.tries = 77;
        rc = sked_batch_plan(&s->in, &s->opts, &host, &s->result, NULL);
        if (rc != SKED_OK) assert_i64((int64_t)s->result.tries, 77);
    }
    s->opts.method = 0;
    if (rc == SKED_OK) {
        rc = sked_batch_sweep(&s->in, &g, &s->opts, &host, &cell, NULL);
    }
    if (rc == SKED_OK) {
        rc = sked_batch_learn(&s->in, &past, &host, learned, NULL, NULL);
    }
    if (rc == SKED_OK) {
        rc = sked_batch_measure(s->spans, s->in.tasks, &rule, &host, &m, NULL);
    }
    if (rc != SKED_OK) return rc;
    return sked_batch_utility(s->spans, s->in.tasks, &host, steps,
                              sizeof steps / sizeof *steps, &n, NULL);
}

static void memory_may_run_out_anywhere(void **state)
{
    scene s;
    (void)state;

    begin(&s, MOST_TASKS);
    s.in.actual_ppm = s.actual;
    s.opts.max_tries = 130;
    s.opts.replan_tries = 20;
    s.opts.noise_ppm = 200000;
    test_sweep(life, &s, 60);
}

enum { SEVERAL = 160 };

/* Where memory is asked for depends on how much columns take. */
typedef struct sized {
    uint64_t blocks[SEVERAL];
    sked_batch_span spans[SEVERAL];
    sked_batch_input in;
    uint32_t method;
} sized;

static sked_status sized_life(test_host *h, void *arg)
{
    const uint32_t task[] = {0}, slots[] = {1};
    const int64_t ticks[] = {5};
    int64_t learned[SEVERAL];
    sized *s = arg;
    sked_host host = test_host_hooks(h);
    sked_batch_history past = {.struct_size = sizeof past,
                               .n = 1,
                               .task = task,
                               .slots = slots,
                               .ticks = ticks};
    sked_batch_options o = {.struct_size = sizeof o,
                            .method = s->method,
                            .max_tries = 8,
                            .replan_tries = 1,
                            .noise_ppm = 1};
    sked_batch_run *run;
    sked_batch_bounds b = {.struct_size = sizeof b};

    sked_status rc = sked_batch_learn(&s->in, &past, &host, learned, NULL,
                                      NULL);
    if (rc == SKED_OK) rc = sked_batch_bound(&s->in, &host, &b, NULL);
    if (rc == SKED_OK) rc = sked_batch_run_new(&s->in, &o, &host, &run, NULL);
    if (rc == SKED_OK) sked_batch_run_free(run);
    return rc;
}

static void memory_may_run_out_at_any_size(void **state)
{
    static sized s;
    (void)state;

    for (uint32_t j = 0; j < SEVERAL; j++) s.blocks[j] = 1 + j % 7;
    for (uint32_t n = 1; n <= SEVERAL; n += n < 30 ? 1 : 5) {
        s.in = (sked_batch_input){.struct_size = sizeof s.in,
                                  .tasks = n,
                                  .slots = 4,
                                  .block = 10,
                                  .blocks = s.blocks};
        s.method = SKED_BATCH_METHOD_GREEDY + n % 2;
        test_sweep(sized_life, &s, 16);
        if (n % 20) continue;
        s.method = SKED_BATCH_METHOD_BEST;
        test_sweep(sized_life, &s, 16);
        s.method = SKED_BATCH_METHOD_ADAPT;
        test_sweep(sized_life, &s, 16);
        s.method = SKED_BATCH_METHOD_AUTO;
        test_sweep(sized_life, &s, 16);
    }
}

static uint64_t not_random(void *user)
{
    (void)user;
    return 0;
}

/* A hook whose numbers are all the same spoils the search and nothing else. */
static void a_host_without_chance_is_survived(void **state)
{
    sked_host host = {.struct_size = sizeof host, .random = not_random};
    scene s;
    (void)state;

    begin(&s, MOST_TASKS);
    s.opts.noise_ppm = 300000;
    for (uint32_t m = SKED_BATCH_METHOD_MULTI; m <= SKED_BATCH_METHOD_AUTO;
         m++) {
        s.opts.method = m;
        assert_ok(sked_batch_plan(&s.in, &s.opts, &host, &s.result, NULL));
        assert_true(s.result.bound <= s.result.metrics.makespan);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_follow_the_model),
        cmocka_unit_test(a_table_says_the_times),
        cmocka_unit_test(bytes_give_blocks_and_labels),
        cmocka_unit_test(blocks_give_bytes),
        cmocka_unit_test(greedy_gives_half_to_the_largest),
        cmocka_unit_test(clusters_of_like_sizes_go_one_after_the_other),
        cmocka_unit_test(simple_takes_from_head_and_tail),
        cmocka_unit_test(data_driven_goes_by_windows),
        cmocka_unit_test(annealing_orders_better_than_greedy),
        cmocka_unit_test(best_is_no_worse_than_the_six),
        cmocka_unit_test(adapt_chooses_its_eta_by_noise),
        cmocka_unit_test(plans_for_noise_hold_under_noise),
        cmocka_unit_test(one_task_is_a_batch),
        cmocka_unit_test(bounds_rise_from_one_to_the_next),
        cmocka_unit_test(a_sweep_is_many_plans),
        cmocka_unit_test(widths_go_evenly_over_nodes),
        cmocka_unit_test(noise_has_mean_one_and_its_spread),
        cmocka_unit_test(history_gives_multipliers_and_noise),
        cmocka_unit_test(history_goes_by_a_table_too),
        cmocka_unit_test(histories_are_checked),
        cmocka_unit_test(inputs_are_checked),
        cmocka_unit_test(factors_and_tables_are_checked),
        cmocka_unit_test(options_are_checked),
        cmocka_unit_test(results_and_grids_are_checked),
        cmocka_unit_test(useful_widths_have_a_limit),
        cmocka_unit_test(memory_may_run_out_anywhere),
        cmocka_unit_test(memory_may_run_out_at_any_size),
        cmocka_unit_test(a_host_without_chance_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
