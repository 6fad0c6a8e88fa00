/* What a search for thresholds refuses, and what it answers at its bounds. */
#include "test.h"

#include <sched/sked.h>

#include <string.h>

#include "host.h"

enum { TIERS = 3 };

typedef struct tiers_fixture {
    test_host host;
    sked_host hooks;
    int64_t low[TIERS];
    int64_t high[TIERS];
    sked_wide usage[TIERS];
    int64_t allocation[9];
    int64_t threshold[TIERS];
    int64_t chosen[TIERS];
    sked_tiers_input in;
    sked_tiers_result out;
    sked_error err;
} tiers_fixture;

/* Three tiers, each with thresholds of 80, 90 and 100 %. */
static int setup(void **state)
{
    static const int64_t allocation[9] = {8, 10, 20, 8, 9, 16, 6, 7, 12};
    static tiers_fixture f;

    f = (tiers_fixture){.usage = {{0, 500}, {0, 500}, {0, 500}}};
    f.hooks = test_host_hooks(&f.host);
    for (int t = 0; t < TIERS; t++) {
        f.low[t] = 800000;
        f.high[t] = 1000000;
    }
    memcpy(f.allocation, allocation, sizeof allocation);
    f.in = (sked_tiers_input){.struct_size = sizeof f.in,
                              .tiers = TIERS,
                              .step_ppm = 100000,
                              .total = 40,
                              .low_ppm = f.low,
                              .high_ppm = f.high,
                              .usage = f.usage,
                              .allocation = f.allocation,
                              .n = 9};
    f.out = (sked_tiers_result){.struct_size = sizeof f.out,
                                .threshold_ppm = f.threshold,
                                .allocation = f.chosen};
    memset(f.threshold, 0xee, sizeof f.threshold);
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    tiers_fixture *f = *state;

    return f->host.live == 0 ? 0 : -1;
}

static sked_status search(tiers_fixture *f)
{
    return sked_tiers_search(&f->in, &f->hooks, &f->out, &f->err);
}

static void must_refuse(tiers_fixture *f, sked_status why, int64_t row)
{
    assert_status(why, search(f));
    assert_status(why, f->err.code);
    assert_i64(f->err.row, row);
    assert_i64(f->threshold[0], (int64_t)UINT64_C(0xeeeeeeeeeeeeeeee));
}

static void must_choose(const tiers_fixture *f, int64_t a, int64_t b, int64_t c)
{
    assert_i64(f->threshold[0], a * 10000);
    assert_i64(f->threshold[1], b * 10000);
    assert_i64(f->threshold[2], c * 10000);
}

/* 20 for the first tier leave 20: of those the second takes 9, since with 16
 * nothing would be left for the third. */
static void the_first_tier_chooses_first(void **state)
{
    tiers_fixture *f = *state;

    assert_ok(search(f));
    assert_i64(f->out.outcome, SKED_TIERS_OK);
    must_choose(f, 100, 90, 90);
    assert_i64(f->out.allocated, 36);
    assert_i64(f->out.smallest, 22);
}

static void too_small_a_total_says_what_would_do(void **state)
{
    tiers_fixture *f = *state;

    f->in.total = 21;
    assert_ok(search(f));
    assert_i64(f->out.outcome, SKED_TIERS_TOTAL);
    assert_i64(f->out.smallest, 22);
    assert_i64(f->out.allocated, 22);
    must_choose(f, 80, 80, 80);
    f->in.total = SKED_UNLIMITED;
    assert_ok(search(f));
    must_choose(f, 100, 100, 100);
}

static void impossible_orders_are_named(void **state)
{
    tiers_fixture *f = *state;

    f->usage[2].low = 100; /* u3 is at most 100/6, u2 at least 500/16 */
    assert_ok(search(f));
    assert_i64(f->out.outcome, SKED_TIERS_RATIOS);
    assert_i64(f->out.tier, 2);
    assert_i64(f->out.smallest, -1);
    assert_i64(f->threshold[0], (int64_t)UINT64_C(0xeeeeeeeeeeeeeeee));
    f->usage[2].low = 500;
    f->low[0] = f->high[0] = 700000;
    memmove(f->allocation + 1, f->allocation + 3, 6 * sizeof *f->allocation);
    f->in.n = 7;
    assert_ok(search(f));
    assert_i64(f->out.outcome, SKED_TIERS_THRESHOLDS);
    assert_i64(f->out.tier, 1);
}

static void a_tier_without_usage_stands_aside(void **state)
{
    tiers_fixture *f = *state;

    f->usage[1] = (sked_wide){0, 0};
    for (int i = 3; i < 6; i++) f->allocation[i] = 0;
    f->high[1] = 950000; /* 80, 90, 95 */
    assert_ok(search(f));
    must_choose(f, 100, 95, 90);
    assert_i64(f->chosen[1], 0);
    f->in.total = 0;
    f->usage[0] = f->usage[2] = f->usage[1];
    memset(f->allocation, 0, sizeof f->allocation);
    assert_ok(search(f));
    assert_i64(f->out.outcome, SKED_TIERS_OK);
    must_choose(f, 100, 95, 90);
}

static void bad_columns_name_the_tier_or_the_entry(void **state)
{
    tiers_fixture *f = *state;

    f->allocation[4] = 7;
    must_refuse(f, SKED_ERR_RANGE, 4);
    f->allocation[4] = 9;
    f->allocation[3] = 0;
    must_refuse(f, SKED_ERR_RANGE, 3);
    f->allocation[3] = 8;
    f->allocation[8] = SKED_AMOUNT_MAX / SKED_MAX_TIERS + 1;
    must_refuse(f, SKED_ERR_RANGE, 8);
    f->allocation[8] = 12;
    f->usage[1].low = 0;
    must_refuse(f, SKED_ERR_RANGE, 3);
    f->usage[1].low = 1;
    f->low[2] = 0;
    must_refuse(f, SKED_ERR_RANGE, 2);
    f->low[2] = f->high[2] + 1;
    must_refuse(f, SKED_ERR_RANGE, 2);
    f->low[2] = f->high[2] = SKED_PPM + 1;
    must_refuse(f, SKED_ERR_RANGE, 2);
}

static void bad_settings_are_refused(void **state)
{
    tiers_fixture *f = *state;
    const sked_tiers_input good = f->in;
    sked_host old = {.struct_size = 1};

    f->in.n = 8;
    must_refuse(f, SKED_ERR_RANGE, -1);
    f->in = good, f->in.step_ppm = -1;
    must_refuse(f, SKED_ERR_RANGE, -1);
    f->in = good, f->in.total = -1;
    must_refuse(f, SKED_ERR_RANGE, -1);
    f->in = good, f->in.tiers = 0;
    must_refuse(f, SKED_ERR_RANGE, -1);
    f->in = good, f->in.tiers = SKED_MAX_TIERS + 1;
    must_refuse(f, SKED_ERR_RANGE, -1);
    f->in = good, f->in.usage = NULL;
    must_refuse(f, SKED_ERR_ARG, -1);
    f->in = good, f->in.low_ppm = NULL;
    must_refuse(f, SKED_ERR_ARG, -1);
    f->in = good, f->in.high_ppm = NULL;
    must_refuse(f, SKED_ERR_ARG, -1);
    f->in = good, f->in.allocation = NULL;
    must_refuse(f, SKED_ERR_ARG, -1);
    f->in = good, f->in.flags = 1;
    must_refuse(f, SKED_ERR_ARG, -1);
    f->in = good, f->in.struct_size = 4;
    must_refuse(f, SKED_ERR_VERSION, -1);
    f->in = good;
    assert_status(SKED_ERR_VERSION,
                  sked_tiers_search(&f->in, &old, &f->out, NULL));
    assert_status(SKED_ERR_ARG, sked_tiers_search(NULL, NULL, &f->out, NULL));
    assert_status(SKED_ERR_ARG, sked_tiers_search(&f->in, NULL, NULL, NULL));
    f->out.allocation = NULL;
    must_refuse(f, SKED_ERR_ARG, -1);
    f->out.allocation = f->threshold, f->out.threshold_ppm = NULL;
    assert_status(SKED_ERR_ARG, search(f));
    f->out.struct_size = 0;
    must_refuse(f, SKED_ERR_VERSION, -1);
}

static void thresholds_end_at_the_upper_bound(void **state)
{
    int64_t ppm[4];
    size_t n = 0;
    (void)state;

    assert_ok(sked_tiers_thresholds(900000, 925000, 0, ppm, 4, &n, NULL));
    assert_i64((int64_t)n, 4);
    assert_i64(ppm[0], 900000);
    assert_i64(ppm[2], 920000);
    assert_i64(ppm[3], 925000);
    assert_ok(sked_tiers_thresholds(900000, 920000, 10000, ppm, 4, &n, NULL));
    assert_i64((int64_t)n, 3);
    assert_ok(sked_tiers_thresholds(1, SKED_PPM, INT64_MAX, ppm, 4, &n, NULL));
    assert_i64((int64_t)n, 2); /* low and high, however far the step */
    assert_i64(ppm[0], 1);
    assert_i64(ppm[1], SKED_PPM);
    assert_status(SKED_ERR_RANGE,
                  sked_tiers_thresholds(1, SKED_PPM, 1, ppm, 4, &n, NULL));
    assert_i64((int64_t)n, 1000000);
    assert_status(SKED_ERR_ARG,
                  sked_tiers_thresholds(1, 2, 1, NULL, 4, &n, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_tiers_thresholds(1, 2, 1, ppm, 4, NULL, NULL));
    assert_status(SKED_ERR_RANGE,
                  sked_tiers_thresholds(1, 2, -1, ppm, 4, &n, NULL));
}

static sked_status once(test_host *h, void *arg)
{
    tiers_fixture *f = arg;
    const sked_host hooks = test_host_hooks(h);

    return sked_tiers_search(&f->in, &hooks, &f->out, NULL);
}

static void every_allocation_may_fail(void **state)
{
    test_sweep(once, *state, 0);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(the_first_tier_chooses_first),
        TEST(too_small_a_total_says_what_would_do),
        TEST(impossible_orders_are_named),
        TEST(a_tier_without_usage_stands_aside),
        TEST(bad_columns_name_the_tier_or_the_entry),
        TEST(bad_settings_are_refused),
        TEST(thresholds_end_at_the_upper_bound),
        TEST(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
