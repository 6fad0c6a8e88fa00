/* A batch planned: the model, and each method by hand. */
#include "batch_cases.h"

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

/* [HSE-12] A little less work does not set a longer plan before one of the
 * six. */
static void less_work_is_no_reason_to_end_later(void **state)
{
    const uint64_t bytes = 1;
    const int64_t table[] = {1000100, 1000000};
    sked_batch_input in = {.struct_size = sizeof in,
                           .tasks = 1,
                           .slots = 2,
                           .bytes = &bytes,
                           .table = table};
    sked_batch_span span;
    sked_batch_options o = {.struct_size = sizeof o};
    sked_batch_result r = {.struct_size = sizeof r, .spans = &span};
    (void)state;

    o.method = SKED_BATCH_METHOD_MULTI;
    assert_ok(sked_batch_plan(&in, &o, NULL, &r, NULL));
    assert_i64(r.believed, 1000000);
    o.method = SKED_BATCH_METHOD_BEST;
    assert_ok(sked_batch_plan(&in, &o, NULL, &r, NULL));
    assert_i64(r.believed, 1000000);
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
        cmocka_unit_test(less_work_is_no_reason_to_end_later),
        cmocka_unit_test(adapt_chooses_its_eta_by_noise),
        cmocka_unit_test(plans_for_noise_hold_under_noise),
        cmocka_unit_test(one_task_is_a_batch),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
