/* Batches: what is refused, and failures of memory. */
#include "batch_cases.h"
#include "size.h"

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
    const char *sizes = "tasks, slots, nodes or block_bytes is out of range";
    const char *model = "start, block or slot is out of range";
    (void)state;

#define BAD(field, value, code, message)                                       \
    refused.in.field = (value);                                                \
    refuse(code, message)
    begin(&refused, 3);
    BAD(struct_size, 1, SKED_ERR_VERSION, "input has an unknown struct_size");
    BAD(flags, 1, SKED_ERR_ARG, "input has unknown flags");
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
    refuse(SKED_ERR_RANGE, "blocks is out of range");
    refused.blocks[1] = SKED_MAX_BATCH_BLOCKS;
    refuse(SKED_ERR_RANGE, "blocks is out of range");
    refused.label[2] = SKED_MAX_BATCH_LABELS;
    refuse(SKED_ERR_RANGE, "label is out of range");
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
        refuse(SKED_ERR_RANGE, "multiplier_ppm is out of range");
        refused.in.actual_ppm = factor;
        refuse(SKED_ERR_RANGE, "actual_ppm is out of range");
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
    const char *ratio = "a ratio is out of range";
    const char *choice = "method, tail or clusters is out of range";
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
    BAD(struct_size, 3, SKED_ERR_VERSION, "options has an unknown struct_size");
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

static void grids_are_checked(void **state)
{
    const int64_t one[] = {1};
    int64_t bad[] = {0};
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
    s.in.slots = 8;
    assert_status(SKED_ERR_ARG,
                  sked_batch_sweep(&s.in, NULL, NULL, NULL, &cell, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_batch_sweep(&s.in, &g, NULL, NULL, NULL, NULL));
    assert_ok(sked_batch_sweep(&s.in, &g, NULL, NULL, &cell, NULL));
#undef SWEEP
}

static void results_are_checked(void **state)
{
    sked_host host = {.struct_size = 1};
    sked_batch_bounds b = {.struct_size = sizeof b};
    scene s;
    (void)state;

    begin(&s, 2);
    s.in.slots = 0;
    assert_status(SKED_ERR_RANGE, sked_batch_bound(&s.in, NULL, &b, NULL));
    s.in.slots = 8;
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
    const uint32_t wide = test_size(8, 8) == 8 ? 5 : 20;
    (void)state;

    for (uint32_t j = 0; j < SEVERAL; j++) s.blocks[j] = 1 + j % 7;
    for (uint32_t n = 1; n <= SEVERAL; n += n < 40 ? 1 : wide) {
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
        cmocka_unit_test(inputs_are_checked),
        cmocka_unit_test(factors_and_tables_are_checked),
        cmocka_unit_test(options_are_checked),
        cmocka_unit_test(grids_are_checked),
        cmocka_unit_test(results_are_checked),
        cmocka_unit_test(useful_widths_have_a_limit),
        cmocka_unit_test(memory_may_run_out_anywhere),
        cmocka_unit_test(memory_may_run_out_at_any_size),
        cmocka_unit_test(a_host_without_chance_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
