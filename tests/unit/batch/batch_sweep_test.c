/* Around plans of a batch: bounds, sweeps, nodes and noise, history. */
#include "batch_cases.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_rise_from_one_to_the_next),
        cmocka_unit_test(a_sweep_is_many_plans),
        cmocka_unit_test(widths_go_evenly_over_nodes),
        cmocka_unit_test(noise_has_mean_one_and_its_spread),
        cmocka_unit_test(history_gives_multipliers_and_noise),
        cmocka_unit_test(history_goes_by_a_table_too),
        cmocka_unit_test(histories_are_checked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
