/*
 * Tiers from a history: what the search by hand over allocations by hand gives,
 * and each queue's allocation is what covers its tier's threshold.
 */
#include "test.h"

#include <sched/sked.h>

#include <string.h>

#include "host.h"
#include "ref_tiers.h"
#include "size.h"
#include "words.h"

enum { QUEUES = 6, TIERS = 3, UNITS = 30, ENTRIES = 256 };

typedef struct history_world {
    sked_history *history;
    sked_tiers_plan_input in;
    int64_t low[TIERS];
    int64_t high[TIERS];
    uint8_t tier[QUEUES];
    int64_t length[QUEUES][UNITS];
    int64_t amount[QUEUES][UNITS];
    uint32_t units[QUEUES];
} history_world;

static void some_units(history_world *s, test_words *w, uint32_t q)
{
    uint32_t queue[UNITS];
    const sked_history_input rows = {.struct_size = sizeof rows,
                                     .form = SKED_HISTORY_FORM_UNITS,
                                     .n = s->units[q],
                                     .queue = queue,
                                     .length = s->length[q],
                                     .amount = s->amount[q]};

    for (uint32_t i = 0; i < s->units[q]; i++) {
        queue[i] = q;
        s->length[q][i] = (int64_t)test_below(w, 50);
        s->amount[q][i] = (int64_t)test_below(w, 12);
    }
    assert_ok(sked_history_add(s->history, &rows, NULL, NULL));
}

static void some_history(history_world *s, test_words *w)
{
    const sked_history_options opts = {.struct_size = sizeof opts,
                                       .queues = QUEUES};

    memset(s, 0, sizeof *s);
    assert_ok(sked_history_new(NULL, &opts, NULL, &s->history, NULL));
    for (uint32_t q = 0; q < QUEUES; q++) {
        s->tier[q] = (uint8_t)test_below(w, TIERS + 1);
        s->units[q] = (uint32_t)test_below(w, UNITS + 1);
        some_units(s, w, q);
    }
    for (int t = 0; t < TIERS; t++) {
        s->low[t] = 850000 - 100000 * t + (int64_t)test_below(w, 50000);
        s->high[t] = s->low[t] + (int64_t)test_below(w, 80000);
    }
    s->in = (sked_tiers_plan_input){.struct_size = sizeof s->in,
                                    .tiers = TIERS,
                                    .queues = QUEUES,
                                    .total = (int64_t)test_below(w, 70),
                                    .low_ppm = s->low,
                                    .high_ppm = s->high,
                                    .tier = s->tier};
}

/* The smallest amount that occurs and covers the part, by counting. */
static int64_t covers(const history_world *s, uint32_t q, int64_t ppm)
{
    int64_t in_use = 0, best = 0;

    for (uint32_t i = 0; i < s->units[q]; i++) {
        if (s->amount[q][i]) in_use += s->length[q][i];
    }
    for (int64_t a = 12; a > 0; a--) {
        int64_t below = 0, here = 0;
        for (uint32_t i = 0; i < s->units[q]; i++) {
            if (!s->amount[q][i]) continue;
            if (s->amount[q][i] <= a) below += s->length[q][i];
            if (s->amount[q][i] == a) here += s->length[q][i];
        }
        if (here && below * SKED_PPM >= ppm * in_use) best = a;
    }
    return best;
}

/* The tables of the plain search, by hand. */
static sked_tiers_input tables_of(const history_world *s, sked_wide *usage,
                                  int64_t *allocation)
{
    sked_tiers_input in = {.struct_size = sizeof in,
                           .tiers = TIERS,
                           .total = s->in.total,
                           .low_ppm = s->low,
                           .high_ppm = s->high,
                           .usage = usage,
                           .allocation = allocation};

    for (uint32_t t = 0; t < TIERS; t++) {
        int64_t ppm[ENTRIES];
        size_t n;
        usage[t] = (sked_wide){0, 0};
        assert_ok(sked_tiers_thresholds(s->low[t], s->high[t], 0, ppm, ENTRIES,
                                        &n, NULL));
        for (size_t i = 0; i < n; i++) {
            int64_t sum = 0;
            for (uint32_t q = 0; q < QUEUES; q++) {
                if (s->tier[q] == t + 1) sum += covers(s, q, ppm[i]);
            }
            allocation[in.n++] = sum;
        }
        for (uint32_t q = 0; q < QUEUES; q++) {
            for (uint32_t i = 0; s->tier[q] == t + 1 && i < s->units[q]; i++) {
                usage[t].low += (uint64_t)(s->length[q][i] * s->amount[q][i]);
            }
        }
    }
    return in;
}

static void plan_is_the_search(const history_world *s, int outcomes[4])
{
    sked_wide usage[TIERS];
    int64_t table[ENTRIES];
    const sked_tiers_input in = tables_of(s, usage, table);
    int64_t threshold[2][TIERS] = {{0}}, allocation[2][TIERS] = {{0}};
    sked_pctl_point point[QUEUES];
    sked_tiers_result r[2];

    for (int i = 0; i < 2; i++) {
        r[i] = (sked_tiers_result){.struct_size = sizeof r[i],
                                   .threshold_ppm = threshold[i],
                                   .allocation = allocation[i]};
    }
    memset(point, 0xee, sizeof point);
    assert_ok(sked_tiers_plan(s->history, &s->in, NULL, &r[0], point, NULL));
    ref_tiers_search(&in, &r[1]);
    assert_i64(r[0].outcome, r[1].outcome);
    assert_i64(r[0].tier, r[1].tier);
    assert_i64(r[0].smallest, r[1].smallest);
    assert_memory_equal(threshold[0], threshold[1], sizeof threshold[0]);
    assert_memory_equal(allocation[0], allocation[1], sizeof allocation[0]);
    outcomes[r[0].outcome]++;
    for (uint32_t q = 0; r[0].tier == 0 && q < QUEUES; q++) {
        uint32_t t = s->tier[q];
        assert_i64(point[q].amount, t ? covers(s, q, threshold[0][t - 1]) : 0);
    }
}

/* [MON-3] [MON-4] */
static void a_plan_is_the_search_over_its_history(void **state)
{
    test_words w = {70};
    int outcomes[4] = {0};
    static history_world s;
    (void)state;

    for (size_t i = 0; i < test_size(1500, 30000); i++) {
        some_history(&s, &w);
        plan_is_the_search(&s, outcomes);
        sked_history_free(s.history);
    }
    assert_true(outcomes[SKED_TIERS_OK] > 30);
    assert_true(outcomes[SKED_TIERS_TOTAL] > 30);
    assert_true(outcomes[SKED_TIERS_RATIOS] > 30);
}

static void requests_that_cannot_be_are_refused(void **state)
{
    test_words w = {71};
    static history_world s;
    int64_t threshold[TIERS], allocation[TIERS];
    sked_tiers_result r = {.struct_size = sizeof r,
                           .threshold_ppm = threshold,
                           .allocation = allocation};
    sked_error err;
    (void)state;

    some_history(&s, &w);
    const sked_tiers_plan_input good = s.in;
    assert_status(SKED_ERR_ARG,
                  sked_tiers_plan(NULL, &s.in, NULL, &r, NULL, &err));
    assert_status(SKED_ERR_ARG,
                  sked_tiers_plan(s.history, NULL, NULL, &r, NULL, &err));
    s.in.tiers = 0;
    assert_status(SKED_ERR_RANGE,
                  sked_tiers_plan(s.history, &s.in, NULL, &r, NULL, &err));
    s.in = good, s.in.flags = 1;
    assert_status(SKED_ERR_ARG,
                  sked_tiers_plan(s.history, &s.in, NULL, &r, NULL, &err));
    s.in = good, s.in.tiers = SKED_MAX_TIERS + 1;
    assert_status(SKED_ERR_RANGE,
                  sked_tiers_plan(s.history, &s.in, NULL, &r, NULL, &err));
    s.in = good, s.in.low_ppm = NULL;
    assert_status(SKED_ERR_ARG,
                  sked_tiers_plan(s.history, &s.in, NULL, &r, NULL, &err));
    s.in = good, s.in.high_ppm = NULL;
    assert_status(SKED_ERR_ARG,
                  sked_tiers_plan(s.history, &s.in, NULL, &r, NULL, &err));
    s.in = good;
    assert_status(SKED_ERR_ARG,
                  sked_tiers_plan(s.history, &s.in, NULL, NULL, NULL, &err));
    s.in = good, s.in.tier = NULL;
    assert_status(SKED_ERR_ARG,
                  sked_tiers_plan(s.history, &s.in, NULL, &r, NULL, &err));
    s.in = good, s.in.struct_size = 1;
    assert_status(SKED_ERR_VERSION,
                  sked_tiers_plan(s.history, &s.in, NULL, &r, NULL, &err));
    s.in = good, s.in.step_ppm = -1;
    assert_status(SKED_ERR_RANGE,
                  sked_tiers_plan(s.history, &s.in, NULL, &r, NULL, &err));
    assert_i64(err.row, 0);
    s.in = good, s.tier[4] = TIERS + 1;
    assert_status(SKED_ERR_RANGE,
                  sked_tiers_plan(s.history, &s.in, NULL, &r, NULL, &err));
    assert_i64(err.row, 4);
    s.tier[4] = 1, s.in.queues = QUEUES + 1;
    uint8_t more[QUEUES + 1] = {0, 0, 0, 0, 0, 0, 1};
    s.in.tier = more;
    assert_status(SKED_ERR_NOT_FOUND,
                  sked_tiers_plan(s.history, &s.in, NULL, &r, NULL, &err));
    sked_history_free(s.history);
}

/* Two queues of one tier that together need more than a tier may have. */
static void what_no_cluster_has_is_refused(void **state)
{
    const sked_history_options opts = {.struct_size = sizeof opts, .queues = 2};
    const uint32_t queue[] = {0, 1};
    const int64_t length[] = {5, 5};
    const int64_t amount[] = {SKED_AMOUNT_MAX / SKED_MAX_TIERS, 1};
    const sked_history_input rows = {.struct_size = sizeof rows,
                                     .form = SKED_HISTORY_FORM_UNITS,
                                     .n = 2,
                                     .queue = queue,
                                     .length = length,
                                     .amount = amount};
    const int64_t low[] = {1}, high[] = {SKED_PPM};
    const uint8_t tier[] = {1, 1};
    const sked_tiers_plan_input in = {.struct_size = sizeof in,
                                      .tiers = 1,
                                      .queues = 2,
                                      .total = SKED_UNLIMITED,
                                      .low_ppm = low,
                                      .high_ppm = high,
                                      .tier = tier};
    int64_t threshold, allocation;
    sked_tiers_result r = {.struct_size = sizeof r,
                           .threshold_ppm = &threshold,
                           .allocation = &allocation};
    sked_history *history;
    sked_error err;
    (void)state;

    assert_ok(sked_history_new(NULL, &opts, NULL, &history, NULL));
    assert_ok(sked_history_add(history, &rows, NULL, NULL));
    assert_status(SKED_ERR_RANGE,
                  sked_tiers_plan(history, &in, NULL, &r, NULL, &err));
    assert_i64(err.row, 1);
    sked_history_free(history);
}

/* Sixty queues that need one instance for half their time, and used so many in
 * the other that 128 bits do not hold the sum. */
static void usage_beyond_all_numbers_is_refused(void **state)
{
    enum { MANY = 60, WIDE = 2 * MANY };
    const sked_history_options opts = {.struct_size = sizeof opts,
                                       .queues = MANY};
    uint32_t queue[WIDE];
    int64_t length[WIDE], amount[WIDE];
    uint8_t tier[MANY];
    const sked_history_input rows = {.struct_size = sizeof rows,
                                     .form = SKED_HISTORY_FORM_UNITS,
                                     .n = WIDE,
                                     .queue = queue,
                                     .length = length,
                                     .amount = amount};
    const int64_t bound[] = {400000};
    const sked_tiers_plan_input in = {.struct_size = sizeof in,
                                      .tiers = 1,
                                      .queues = MANY,
                                      .total = SKED_UNLIMITED,
                                      .low_ppm = bound,
                                      .high_ppm = bound,
                                      .tier = tier};
    int64_t threshold, allocation;
    sked_tiers_result r = {.struct_size = sizeof r,
                           .threshold_ppm = &threshold,
                           .allocation = &allocation};
    sked_history *history;
    sked_error err;
    (void)state;

    for (uint32_t i = 0; i < WIDE; i++) {
        queue[i] = i / 2;
        length[i] = INT64_C(1) << 60;
        amount[i] = i % 2 ? SKED_AMOUNT_MAX : 1;
        tier[i / 2] = 1;
    }
    assert_ok(sked_history_new(NULL, &opts, NULL, &history, NULL));
    assert_ok(sked_history_add(history, &rows, NULL, NULL));
    assert_ok(sked_tiers_plan(history, &in, NULL, &r, NULL, &err));
    assert_i64(allocation, MANY);
    for (uint32_t i = 0; i < WIDE; i++) length[i] = INT64_C(1) << 59;
    assert_ok(sked_history_add(history, &rows, NULL, NULL));
    assert_status(SKED_ERR_RANGE,
                  sked_tiers_plan(history, &in, NULL, &r, NULL, &err));
    assert_i64(err.row, 42);
    sked_history_free(history);
}

/* A hundred thresholds and more are asked for in several goes. */
static void fine_steps_are_the_same_search(void **state)
{
    test_words w = {73};
    static history_world s;
    int64_t threshold[TIERS], allocation[TIERS], coarse[TIERS];
    sked_tiers_result r = {.struct_size = sizeof r,
                           .threshold_ppm = threshold,
                           .allocation = allocation};
    (void)state;

    for (int i = 0; i < 200; i++) {
        some_history(&s, &w);
        s.in.total = SKED_UNLIMITED;
        assert_ok(sked_tiers_plan(s.history, &s.in, NULL, &r, NULL, NULL));
        int32_t outcome = r.outcome;
        memcpy(coarse, threshold, sizeof coarse);
        s.in.step_ppm = 500; /* every one of the 1 % steps, and more */
        assert_ok(sked_tiers_plan(s.history, &s.in, NULL, &r, NULL, NULL));
        if (outcome == SKED_TIERS_OK) {
            assert_i64(r.outcome, SKED_TIERS_OK);
            assert_true(threshold[0] >= coarse[0]);
        }
        sked_history_free(s.history);
    }
}

static sked_status once(test_host *h, void *arg)
{
    const history_world *s = arg;
    const sked_host hooks = test_host_hooks(h);
    int64_t threshold[TIERS], allocation[TIERS];
    sked_tiers_result r = {.struct_size = sizeof r,
                           .threshold_ppm = threshold,
                           .allocation = allocation};

    return sked_tiers_plan(s->history, &s->in, &hooks, &r, NULL, NULL);
}

static void every_allocation_may_fail(void **state)
{
    test_words w = {72};
    static history_world s;
    (void)state;

    some_history(&s, &w);
    test_sweep(once, &s, 0);
    sked_history_free(s.history);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_is_the_search_over_its_history),
        cmocka_unit_test(requests_that_cannot_be_are_refused),
        cmocka_unit_test(what_no_cluster_has_is_refused),
        cmocka_unit_test(usage_beyond_all_numbers_is_refused),
        cmocka_unit_test(fine_steps_are_the_same_search),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
