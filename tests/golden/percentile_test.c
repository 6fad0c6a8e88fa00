/*
 * The percentile algorithm as it was published (Figure 5): a queue in use for
 * 240 hours of a 30-day window, in five spans; tu0, tu4, tu7 and tu2 are 228
 * hours of them, 95 per cent, and the queue is allocated what tu2 used.
 */
#include "test.h"

#include <sched/sked.h>

#define HOUR INT64_C(3600000000000)

enum { SPANS = 8, WINDOW = 720 };

static const int64_t hours[SPANS] = {100, 200, 18, 160, 50, 12, 120, 60};
static const int64_t used[SPANS] = {3, 0, 12, 0, 5, 20, 0, 8};

/* From changes in the number of instances, in the order in which they came. */
static sked_history *month(void)
{
    sked_time start[SPANS + 1] = {0};
    int64_t amount[SPANS + 1] = {0};
    const sked_history_options opts = {.struct_size = sizeof opts,
                                       .flags = SKED_HISTORY_FLAG_WINDOW |
                                                SKED_HISTORY_FLAG_KEEP,
                                       .to = WINDOW * HOUR};
    sked_history_input rows = {.struct_size = sizeof rows,
                               .form = SKED_HISTORY_FORM_CHANGES,
                               .n = SPANS,
                               .start = start,
                               .amount = amount};
    sked_history *history;

    for (int i = 0; i < SPANS; i++) {
        amount[i] = used[i];
        start[i + 1] = start[i] + hours[i] * HOUR;
    }
    assert_ok(sked_history_new(NULL, &opts, NULL, &history, NULL));
    assert_ok(sked_history_add(history, &rows, NULL, NULL));
    assert_ok(sked_history_settle(history, SKED_HISTORY_END, NULL));
    return history;
}

/* Step 1: the window divides into spans of one number of instances. */
static void the_window_divides_into_time_units(void **state)
{
    sked_history *history = month();
    int64_t length[SPANS], amount[SPANS];
    size_t n;

    (void)state;
    assert_ok(sked_history_units(history, 0, length, amount, SPANS, &n, NULL));
    assert_i64((int64_t)n, SPANS);
    for (int i = 0; i < SPANS; i++) {
        assert_i64(length[i], hours[i] * HOUR);
        assert_i64(amount[i], used[i]);
    }
    sked_history_free(history);
}

/* Step 2: without vacant ones, sorted: tu0, tu4, tu7, tu2, tu5. */
static void units_in_use_are_sorted_by_instances(void **state)
{
    static const int order[] = {0, 4, 7, 2, 5};
    sked_history *history = month();
    int64_t amount[SPANS], covered[SPANS], sum = 0;
    size_t n;

    (void)state;
    assert_ok(sked_history_curve(history, 0, amount, covered, SPANS, &n));
    assert_i64((int64_t)n, 5);
    for (int i = 0; i < 5; i++) {
        sum += hours[order[i]] * HOUR;
        assert_i64(amount[i], used[order[i]]);
        assert_i64(covered[i], sum);
    }
    sked_history_free(history);
}

/* Step 3: 95 % of 240 hours are 228, and tu2's instances are enough for them;
 * tu5's would be waste. */
static void the_allocation_covers_228_of_240_hours(void **state)
{
    const sked_ratio p = {95, 100};
    sked_history *history = month();
    sked_pctl_point point;
    sked_pctl_queue total;

    (void)state;
    assert_ok(sked_history_pctl(history, NULL, 1, &p, 1, &point, &total, NULL));
    assert_i64(total.in_use, 240 * HOUR);
    assert_i64(total.vacant, 480 * HOUR);
    assert_i64(point.amount, used[2]);
    assert_i64(point.covered.num, 228 * HOUR);
    assert_i64(point.covered.den, 240 * HOUR);
    assert_i64(point.higher, used[5]);
    assert_i64(point.lower, used[7]);
    sked_history_free(history);
}

/* X instances for Y hours are X * Y instance-hours; the capacity is what was
 * allocated times the window. */
static void usage_is_instances_times_hours(void **state)
{
    sked_history *history = month();
    sked_wide work;
    int64_t hour_sum = 0;

    (void)state;
    for (int i = 0; i < SPANS; i++) hour_sum += hours[i] * used[i];
    assert_ok(sked_history_work(history, 0, &work, NULL));
    assert_true(work.high == 0);
    assert_i64((int64_t)work.low, hour_sum * HOUR);
    assert_i64(hour_sum, 1486); /* of 12 * 720 = 8,640: 17 % */
    sked_history_free(history);
}

/* On demand pays below 30 % of the time: in use for a third of it, 3 instances
 * are worth reserving at that price; at half of it none is. */
static void below_30_percent_of_the_time_on_demand_is_cheaper(void **state)
{
    sked_history *history = month();
    sked_pctl_reserved_result plan;

    (void)state;
    assert_ok(
        sked_history_reserved(history, 0, 0, (sked_ratio){3, 10}, &plan, NULL));
    assert_i64(plan.window, 720 * HOUR);
    assert_i64(plan.cheapest.amount, 3);
    assert_i64(plan.exceeded, 140 * HOUR);
    assert_ok(
        sked_history_reserved(history, 0, 0, (sked_ratio){1, 2}, &plan, NULL));
    assert_i64(plan.cheapest.amount, 0);
    sked_history_free(history);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_window_divides_into_time_units),
        cmocka_unit_test(units_in_use_are_sorted_by_instances),
        cmocka_unit_test(the_allocation_covers_228_of_240_hours),
        cmocka_unit_test(usage_is_instances_times_hours),
        cmocka_unit_test(below_30_percent_of_the_time_on_demand_is_cheaper),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
