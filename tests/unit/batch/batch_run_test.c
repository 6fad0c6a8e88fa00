/* A batch run by a host, step by step; metrics and use of what comes of it. */
#include "test.h"

#include <sched/batch_run.h>

#include <string.h>

#include "batch_world.h"
#include "host.h"

enum { TASKS = BATCH_WORLD_TASKS };

/* ---- Runs ---- */

/* A host in virtual time: when what was started will end. */
typedef struct host_clock {
    int64_t now;
    int64_t end[TASKS]; /* 0: does not run */
    uint32_t running;
} host_clock;

/* What a task takes in the world's model, by what happens. */
static int64_t ticks_of(const batch_world *w, uint32_t j, uint32_t width)
{
    int64_t waves = (int64_t)((w->blocks[j] - 1) / width + 1);
    int64_t part = w->input.block * waves;

    part = part / SKED_PPM * w->actual_ppm[j] +
           (part % SKED_PPM * w->actual_ppm[j] + SKED_PPM / 2) / SKED_PPM;
    return w->input.start + part + w->input.slot * (int64_t)(width - 1);
}

static void start_all(sked_batch_run *run, const batch_world *w,
                      host_clock *clock, size_t cap)
{
    sked_batch_start starts[TASKS];
    size_t n;

    do {
        assert_ok(sked_batch_run_next(run, clock->now, starts, cap, &n, NULL));
        for (size_t i = 0; i < n; i++) {
            uint32_t j = starts[i].task;
            assert_i64(clock->end[j], 0);
            clock->end[j] = clock->now + ticks_of(w, j, starts[i].slots);
            clock->running++;
        }
    } while (n == cap);
}

/* Reports all that ends next. */
static void finish_next(sked_batch_run *run, host_clock *clock)
{
    int64_t next = INT64_MAX;

    for (uint32_t j = 0; j < TASKS; j++) {
        if (clock->end[j] > clock->now && clock->end[j] < next) {
            next = clock->end[j];
        }
    }
    clock->now = next;
    for (uint32_t j = 0; j < TASKS; j++) {
        if (clock->end[j] != next) continue;
        assert_ok(sked_batch_run_finish(run, j, next, NULL));
        clock->running--;
    }
}

static int by_task(sked_batch_span *spans, size_t n)
{
    sked_batch_span sorted[TASKS];

    for (size_t i = 0; i < n; i++) sorted[spans[i].task] = spans[i];
    memcpy(spans, sorted, sizeof sorted);
    return n == TASKS;
}

/* [HSE-8] A host that runs a batch by any method gets what the plan says. */
static void steps_give_what_plans_say(void **state)
{
    (void)state;
    for (uint32_t m = SKED_BATCH_METHOD_MULTI; m <= SKED_BATCH_METHOD_ROBUST;
         m++) {
        batch_world w;
        host_clock clock = {0};
        sked_batch_run *run;
        sked_batch_span spans[TASKS], planned[TASKS];
        sked_batch_run_stats stats = {.struct_size = sizeof stats};
        sked_batch_options o = {.struct_size = sizeof o,
                                .method = m,
                                .max_tries = 500,
                                .eta_ppm = 700000};
        sked_batch_result r = {.struct_size = sizeof r, .spans = planned};
        size_t n;
        batch_world_make(&w, 72, 0.25, m);
        assert_ok(sked_batch_plan(&w.input, &o, NULL, &r, NULL));
        assert_ok(sked_batch_run_new(&w.input, &o, NULL, &run, NULL));
        do {
            start_all(run, &w, &clock, m % 2 ? 1 : TASKS);
            finish_next(run, &clock);
        } while (clock.running);
        assert_ok(sked_batch_run_spans(run, spans, TASKS, &n));
        assert_true(by_task(spans, n));
        assert_memory_equal(spans, planned, sizeof spans);
        assert_ok(sked_batch_run_get_stats(run, &stats, NULL));
        assert_int_equal(stats.method, m);
        assert_int_equal(stats.finished, TASKS);
        assert_int_equal(stats.waiting, 0);
        assert_int_equal(stats.running, 0);
        assert_int_equal(stats.free, 72);
        assert_i64(stats.expected, r.believed);
        assert_i64(stats.now, r.metrics.makespan);
        assert_true(stats.bound <= stats.expected);
        assert_i64(stats.eta_ppm, m == SKED_BATCH_METHOD_ADAPT ? 700000 : 0);
        sked_batch_run_free(run);
    }
}

/* Two tasks of 4 and 2 blocks on 2 slots, one after the other. */
static sked_batch_run *small_run(test_host *h, uint32_t method)
{
    static const uint64_t blocks[] = {4, 2};
    sked_batch_input in = {.struct_size = sizeof in,
                           .tasks = 2,
                           .slots = 2,
                           .block = 10,
                           .blocks = blocks};
    sked_batch_options o = {.struct_size = sizeof o, .method = method};
    sked_host host = test_host_hooks(h);
    sked_batch_run *run;

    assert_ok(sked_batch_run_new(&in, &o, &host, &run, NULL));
    return run;
}

static void what_is_reported_is_checked(void **state)
{
    test_host h = {0};
    sked_batch_run *run = small_run(&h, SKED_BATCH_METHOD_BEST);
    sked_batch_run_stats stats = {.struct_size = sizeof stats};
    sked_batch_start starts[2];
    sked_batch_span spans[2];
    sked_error err;
    size_t n;
    (void)state;

    h.trap = 1; /* nothing here asks for memory */
    assert_status(SKED_ERR_STATE, sked_batch_run_finish(run, 0, 5, NULL));
    assert_status(SKED_ERR_NOT_FOUND, sked_batch_run_finish(run, 2, 5, &err));
    assert_i64(err.got, 2);
    assert_ok(sked_batch_run_next(run, 5, starts, 0, &n, NULL));
    assert_int_equal(n, 0);
    assert_status(SKED_ERR_RANGE,
                  sked_batch_run_next(run, 4, starts, 2, &n, NULL));
    assert_status(SKED_ERR_RANGE, sked_batch_run_next(run, SKED_AMOUNT_MAX,
                                                      starts, 2, &n, NULL));
    assert_ok(sked_batch_run_next(run, 6, starts, 2, &n, NULL));
    assert_true(n >= 1);
    uint32_t first = starts[0].task;
    assert_status(SKED_ERR_RANGE, sked_batch_run_finish(run, first, 6, NULL));
    assert_status(SKED_ERR_RANGE, sked_batch_run_finish(run, first, 5, NULL));
    assert_ok(sked_batch_run_finish(run, first, 9, NULL));
    assert_status(SKED_ERR_STATE, sked_batch_run_finish(run, first, 9, NULL));
    assert_status(SKED_ERR_RANGE, sked_batch_run_spans(run, spans, 0, &n));
    assert_int_equal(n, 1);
    assert_ok(sked_batch_run_spans(run, spans, 2, &n));
    assert_i64(spans[0].start, 6); /* when it was taken */
    assert_i64(spans[0].end, 9);
    assert_ok(sked_batch_run_get_stats(run, &stats, NULL));
    assert_int_equal(stats.finished, 1);
    h.trap = 0;
    sked_batch_run_free(run);
    sked_batch_run_free(NULL);
    assert_int_equal(h.released, 1);
    assert_int_equal(h.live, 0);
}

static void runs_are_checked(void **state)
{
    test_host h = {0};
    sked_batch_run *run = small_run(&h, SKED_BATCH_METHOD_ADAPT);
    sked_batch_run_stats stats = {.struct_size = 1};
    sked_batch_input in = {.struct_size = sizeof in};
    sked_batch_options o = {.struct_size = sizeof o, .method = 11};
    sked_batch_start start;
    sked_batch_span span;
    size_t n;
    (void)state;

    assert_status(SKED_ERR_ARG,
                  sked_batch_run_next(NULL, 0, &start, 1, &n, NULL));
    assert_status(SKED_ERR_ARG, sked_batch_run_next(run, 0, NULL, 1, &n, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_batch_run_next(run, 0, &start, 1, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_batch_run_finish(NULL, 0, 0, NULL));
    assert_status(SKED_ERR_ARG, sked_batch_run_get_stats(NULL, &stats, NULL));
    assert_status(SKED_ERR_ARG, sked_batch_run_get_stats(run, NULL, NULL));
    assert_status(SKED_ERR_VERSION,
                  sked_batch_run_get_stats(run, &stats, NULL));
    assert_status(SKED_ERR_ARG, sked_batch_run_spans(NULL, &span, 1, &n));
    assert_status(SKED_ERR_ARG, sked_batch_run_spans(run, NULL, 1, &n));
    assert_status(SKED_ERR_ARG, sked_batch_run_spans(run, &span, 1, NULL));
    sked_batch_run_free(run);
    assert_status(SKED_ERR_ARG,
                  sked_batch_run_new(&in, NULL, NULL, NULL, NULL));
    assert_status(SKED_ERR_RANGE,
                  sked_batch_run_new(&in, &o, NULL, &run, NULL));
    o.method = 0;
    assert_status(SKED_ERR_ARG, sked_batch_run_new(&in, &o, NULL, &run, NULL));
}

/* Annealing again can be stopped; the run stands as it did. */
static void a_step_may_be_stopped(void **state)
{
    test_host h = {0};
    batch_world w;
    host_clock clock = {0};
    sked_host host = test_host_hooks(&h);
    sked_batch_options o = {.struct_size = sizeof o,
                            .method = SKED_BATCH_METHOD_DYNAMIC,
                            .max_tries = 10};
    sked_batch_run *run;
    sked_batch_start starts[TASKS];
    size_t n;
    (void)state;

    batch_world_make(&w, 72, 0.25, 3);
    assert_ok(sked_batch_run_new(&w.input, &o, &host, &run, NULL));
    start_all(run, &w, &clock, TASKS);
    finish_next(run, &clock);
    h.cancel = 1;
    assert_status(SKED_ERR_CANCELLED,
                  sked_batch_run_next(run, clock.now, starts, TASKS, &n, NULL));
    h.cancel = 0;
    do {
        start_all(run, &w, &clock, TASKS);
        finish_next(run, &clock);
    } while (clock.running);
    assert_ok(
        sked_batch_run_spans(run, (sked_batch_span[TASKS]){{0}}, TASKS, &n));
    assert_int_equal(n, TASKS);
    sked_batch_run_free(run);
}

/* Runs the world by DYNAMIC, and every step that anneals is stopped once where
 * `stops`. */
static void run_dynamic(const batch_world *w, int stops, sked_batch_span *spans)
{
    test_host h = {0};
    host_clock clock = {0};
    sked_host host = test_host_hooks(&h);
    sked_batch_options o = {.struct_size = sizeof o,
                            .method = SKED_BATCH_METHOD_DYNAMIC,
                            .max_tries = 10};
    sked_batch_start starts[TASKS];
    sked_batch_run *run;
    size_t n;

    assert_ok(sked_batch_run_new(&w->input, &o, &host, &run, NULL));
    start_all(run, w, &clock, TASKS);
    do {
        finish_next(run, &clock);
        h.cancel = stops;
        if (stops && clock.running > 1) {
            (void)!sked_batch_run_next(run, clock.now, starts, 0, &n, NULL);
        }
        h.cancel = 0;
        start_all(run, w, &clock, TASKS);
    } while (clock.running);
    assert_ok(sked_batch_run_spans(run, spans, TASKS, &n));
    assert_int_equal(n, TASKS);
    sked_batch_run_free(run);
}

static void a_stopped_step_changes_nothing(void **state)
{
    batch_world w;
    sked_batch_span plain[TASKS], stopped[TASKS];
    (void)state;

    batch_world_make(&w, 72, 0.25, 3);
    run_dynamic(&w, 0, plain);
    run_dynamic(&w, 1, stopped);
    assert_memory_equal(plain, stopped, sizeof plain);
}

static sked_status run_life(test_host *h, void *arg)
{
    static const uint64_t blocks[] = {4, 2, 9, 30, 5, 7};
    sked_batch_input in = {.struct_size = sizeof in,
                           .tasks = 6,
                           .slots = 4,
                           .block = 10,
                           .blocks = blocks};
    sked_batch_options o = {.struct_size = sizeof o,
                            .method = *(uint32_t *)arg,
                            .noise_ppm = 100000,
                            .max_tries = 100};
    sked_host host = test_host_hooks(h);
    sked_batch_run *run;

    sked_status rc = sked_batch_run_new(&in, &o, &host, &run, NULL);
    assert_int_equal(h->released, 0);
    if (rc == SKED_OK) sked_batch_run_free(run);
    return rc;
}

static void beginning_survives_every_failure(void **state)
{
    (void)state;
    for (uint32_t m = SKED_BATCH_METHOD_MULTI; m <= SKED_BATCH_METHOD_AUTO;
         m++) {
        test_sweep(run_life, &m, 0);
    }
}

/* ---- Metrics ---- */

/* Four slots: 4 for 2 ticks, 3 for 2, 1 for 6. */
static const sked_batch_span stairs[] = {
    {0, 10, 0, 1}, {0, 4, 1, 2}, {0, 2, 2, 1}};

static sked_batch_metrics measured(uint32_t tail, int64_t theta)
{
    sked_batch_rule rule = {.struct_size = sizeof rule,
                            .slots = 4,
                            .tail = tail,
                            .theta_ppm = theta};
    sked_batch_metrics m;

    assert_ok(sked_batch_measure(stairs, 3, &rule, NULL, &m, NULL));
    assert_i64(m.makespan, 10);
    assert_i64(m.tail, 10 - m.t_hat);
    assert_i64(m.capacity, 20);
    return m;
}

/* [HSE-9] The three ways to find t-hat. */
static void t_hat_is_found_in_three_ways(void **state)
{
    (void)state;
    sked_batch_metrics m = measured(SKED_BATCH_TAIL_DRAIN, 0);
    assert_i64(m.t_hat, 0); /* all start at once */
    assert_i64(m.pure_cpu.num, 1);
    assert_i64(m.pure_cpu.den, 1);
    assert_i64(m.tail_cpu.num * 2, m.tail_cpu.den);
    m = measured(SKED_BATCH_TAIL_THRESHOLD, 0); /* half of 4 */
    assert_i64(m.t_hat, 4);
    assert_i64(m.pure_cpu.num * 8, m.pure_cpu.den * 7);
    assert_i64(m.tail_cpu.num * 4, m.tail_cpu.den);
    assert_i64(m.tail_overhead.num * 2, m.tail_overhead.den * 3); /* 6 / 4 */
    assert_i64(measured(SKED_BATCH_TAIL_THRESHOLD, 750000).t_hat, 4);
    assert_i64(measured(SKED_BATCH_TAIL_THRESHOLD, 750001).t_hat, 2);
    assert_i64(measured(SKED_BATCH_TAIL_THRESHOLD, 1).t_hat, 10);
    m = measured(SKED_BATCH_TAIL_THRESHOLD, 1);
    assert_i64(m.tail_cpu.num, 0);
    assert_i64(m.tail_cpu.den, 1);
    /* 4 - 12 / 8 = 2.5 at 2, 14 / 4 - 1 = 2.5 at 4: the first. */
    assert_i64(measured(SKED_BATCH_TAIL_KNEE, 0).t_hat, 2);
}

static void no_use_reaches_theta(void **state)
{
    const sked_batch_span span = {3, 5, 0, 1};
    sked_batch_rule rule = {.struct_size = sizeof rule,
                            .slots = 4,
                            .tail = SKED_BATCH_TAIL_THRESHOLD};
    sked_batch_metrics m;
    (void)state;

    assert_ok(sked_batch_measure(&span, 1, &rule, NULL, &m, NULL));
    assert_i64(m.t_hat, 0);
    assert_i64(m.tail, 5);
    rule.tail = SKED_BATCH_TAIL_KNEE; /* idle, then busy: it only rises */
    assert_ok(sked_batch_measure(&span, 1, &rule, NULL, &m, NULL));
    assert_i64(m.t_hat, 3);
}

/* One task that takes as long as there is. */
static void the_longest_time_is_measured(void **state)
{
    const sked_batch_span span = {0, SKED_AMOUNT_MAX, 0, 1};
    sked_batch_rule rule = {.struct_size = sizeof rule, .slots = 1};
    sked_batch_metrics m;
    (void)state;

    assert_ok(sked_batch_measure(&span, 1, &rule, NULL, &m, NULL));
    assert_i64(m.tail, SKED_AMOUNT_MAX);
    assert_i64(m.capacity, SKED_AMOUNT_MAX);
    assert_i64(m.tail_overhead.num, SKED_AMOUNT_MAX);
    assert_i64(m.tail_overhead.den, SKED_AMOUNT_MAX);
}

/* [HSE-10] Use over time, as data for a picture. */
static void use_is_listed_by_steps(void **state)
{
    const sked_batch_span spans[] = {
        {0, 4, 0, 2}, {4, 6, 1, 2}, {8, 9, 2, 5}, {4, 5, 3, 1}};
    const sked_batch_step want[] = {{0, 2}, {4, 3}, {5, 2},
                                    {6, 0}, {8, 5}, {9, 0}};
    sked_batch_step steps[8];
    sked_error err;
    size_t n;
    (void)state;

    assert_ok(sked_batch_utility(spans, 4, NULL, steps, 8, &n, NULL));
    assert_int_equal(n, 6);
    assert_memory_equal(steps, want, sizeof want);
    assert_status(SKED_ERR_RANGE,
                  sked_batch_utility(spans, 4, NULL, NULL, 0, &n, &err));
    assert_int_equal(n, 6);
    assert_i64(err.got, 6);
    assert_ok(sked_batch_utility(spans, 1, NULL, steps, 8, &n, NULL));
    assert_int_equal(n, 2);
}

static void spans_are_checked(void **state)
{
    sked_batch_span s[2] = {{0, 1, 0, 1}, {0, 1, 1, 1}};
    sked_batch_rule rule = {.struct_size = sizeof rule, .slots = 2};
    sked_host host = {.struct_size = 1};
    sked_batch_step steps[4];
    sked_batch_metrics m;
    sked_error err;
    size_t n;
    (void)state;

#define MEASURE(code)                                                          \
    assert_status(code, sked_batch_measure(s, 2, &rule, NULL, &m, &err))
#define BAD(field, value, code)                                                \
    field = (value);                                                           \
    MEASURE(code);                                                             \
    s[1] = (sked_batch_span){0, 1, 1, 1};                                      \
    rule = (sked_batch_rule){.struct_size = sizeof rule, .slots = 2}
    MEASURE(SKED_OK);
    BAD(s[1].start, -1, SKED_ERR_RANGE);
    assert_i64(err.row, 1);
    BAD(s[1].end, 0, SKED_ERR_RANGE);
    BAD(s[1].end, SKED_AMOUNT_MAX, SKED_ERR_RANGE);
    BAD(s[1].slots, 0, SKED_ERR_RANGE);
    BAD(s[1].slots, 3, SKED_ERR_RANGE);
    BAD(s[1].slots, 2, SKED_ERR_RANGE); /* 3 in all */
    BAD(rule.struct_size, 2, SKED_ERR_VERSION);
    BAD(rule.reserved, 1, SKED_ERR_ARG);
    BAD(rule.slots, 0, SKED_ERR_RANGE);
    BAD(rule.slots, SKED_MAX_BATCH_SLOTS + 1, SKED_ERR_RANGE);
    BAD(rule.tail, 4, SKED_ERR_RANGE);
    BAD(rule.theta_ppm, -1, SKED_ERR_RANGE);
    BAD(rule.theta_ppm, SKED_PPM + 1, SKED_ERR_RANGE);
#undef BAD
#undef MEASURE
    assert_status(SKED_ERR_RANGE,
                  sked_batch_measure(s, 0, &rule, NULL, &m, NULL));
    assert_status(SKED_ERR_RANGE, sked_batch_measure(s, SKED_MAX_QUEUES + 1,
                                                     &rule, NULL, &m, NULL));
    assert_status(SKED_ERR_ARG, sked_batch_measure(s, 2, NULL, NULL, &m, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_batch_measure(NULL, 2, &rule, NULL, &m, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_batch_measure(s, 2, &rule, NULL, NULL, NULL));
    assert_status(SKED_ERR_VERSION,
                  sked_batch_measure(s, 2, &rule, &host, &m, NULL));
    assert_status(SKED_ERR_VERSION,
                  sked_batch_utility(s, 2, &host, steps, 4, &n, NULL));
    assert_status(SKED_ERR_RANGE,
                  sked_batch_utility(s, 0, NULL, steps, 4, &n, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_batch_utility(NULL, 2, NULL, steps, 4, &n, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_batch_utility(s, 2, NULL, NULL, 4, &n, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_batch_utility(s, 2, NULL, steps, 4, NULL, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_give_what_plans_say),
        cmocka_unit_test(what_is_reported_is_checked),
        cmocka_unit_test(runs_are_checked),
        cmocka_unit_test(a_step_may_be_stopped),
        cmocka_unit_test(a_stopped_step_changes_nothing),
        cmocka_unit_test(beginning_survives_every_failure),
        cmocka_unit_test(t_hat_is_found_in_three_ways),
        cmocka_unit_test(no_use_reaches_theta),
        cmocka_unit_test(the_longest_time_is_measured),
        cmocka_unit_test(use_is_listed_by_steps),
        cmocka_unit_test(spans_are_checked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
