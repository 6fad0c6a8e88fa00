/* Percentile allocation by hand: the text's example, refusals, failures. */
#include "test.h"

#include <sched/sked.h>

#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "pctl/bracket.h"

static sked_pctl_input input_of(const int64_t *length, const int64_t *amount,
                                size_t n, const sked_ratio *p, uint32_t m)
{
    return (sked_pctl_input){.struct_size = sizeof(sked_pctl_input),
                             .n = n,
                             .length = length,
                             .amount = amount,
                             .threshold = p,
                             .queues = 1,
                             .thresholds = m};
}

/* [MON-3] 240 of 720 hours in use; 95 % of them are 228. */
static void the_least_amount_that_covers_the_threshold(void **state)
{
    const int64_t hours[] = {100, 60, 50, 18, 12, 480};
    const int64_t amount[] = {3, 8, 5, 12, 20, 0};
    const sked_ratio p[] = {{95, 100}, {19, 20}, {1, 1}, {1, 1000}, {229, 240}};
    const int64_t want[] = {12, 12, 20, 3, 20};
    sked_pctl_input in = input_of(hours, amount, 6, p, 5);
    sked_pctl_point got[5];
    sked_pctl_queue total;

    (void)state;
    in.flags = SKED_PCTL_FLAG_USAGE;
    assert_ok(sked_pctl(&in, NULL, got, &total, NULL));
    for (int j = 0; j < 5; j++) assert_i64(got[j].amount, want[j]);
    assert_i64(got[0].lower, 8);
    assert_i64(got[0].higher, 20);
    assert_i64(got[0].covered.num, 228);
    assert_i64(got[0].covered.den, 240);
    assert_i64((int64_t)got[0].waste.low, 9 * 100 + 4 * 60 + 7 * 50);
    assert_i64(got[3].lower, 0);
    assert_i64(got[2].higher, 0);
    assert_i64(total.in_use, 240);
    assert_i64(total.vacant, 480);
    assert_i64(total.least, 3);
    assert_i64(total.peak, 20);
    assert_i64((int64_t)total.usage.low, 300 + 480 + 250 + 216 + 240);
}

static void a_queue_that_was_never_used_says_so(void **state)
{
    const int64_t length[] = {10, 0}, amount[] = {0, 7};
    const sked_ratio p = {1, 2};
    sked_pctl_input in = input_of(length, amount, 2, &p, 1);
    sked_pctl_point got;
    sked_pctl_queue total;

    (void)state;
    assert_ok(sked_pctl(&in, NULL, &got, &total, NULL));
    assert_i64(total.in_use, 0);
    assert_i64(total.vacant, 10);
    assert_i64(total.peak, 0);
    assert_i64(got.amount, 0);
    assert_i64(got.covered.num, 0);
    assert_i64(got.covered.den, 1);
    in.n = 0;
    in.length = in.amount = NULL;
    assert_ok(sked_pctl(&in, NULL, &got, NULL, NULL));
    assert_i64(got.amount, 0);
}

/* Sums of 63 bits, products of 125. */
static void the_largest_numbers_are_exact(void **state)
{
    const int64_t length[] = {INT64_MAX - 5, 5};
    const int64_t amount[] = {SKED_AMOUNT_MAX, 1};
    const sked_ratio p[] = {{5, INT64_MAX}, {6, INT64_MAX}};
    sked_pctl_input in = input_of(length, amount, 2, p, 2);
    sked_pctl_point got[2];
    sked_pctl_queue total;

    (void)state;
    in.flags = SKED_PCTL_FLAG_USAGE;
    assert_ok(sked_pctl(&in, NULL, got, &total, NULL));
    assert_i64(got[0].amount, 1);
    assert_i64(got[1].amount, SKED_AMOUNT_MAX);
    assert_i64(total.in_use, INT64_MAX);
    assert_true(total.usage.high == ((uint64_t)1 << 61) - 2);
    assert_true(got[1].waste.high == 1);
    assert_true(got[1].waste.low == ((uint64_t)1 << 62) - 5);
}

static void assert_refused(const sked_pctl_input *in, sked_status want,
                           int64_t row)
{
    sked_pctl_point got[4];
    sked_error err;

    assert_status(want, sked_pctl(in, NULL, got, NULL, &err));
    assert_i64(err.code, want);
    assert_i64(err.row, row);
}

/* [MON-3] What is out of range is refused with its row. */
static void units_out_of_range_are_named(void **state)
{
    int64_t length[] = {1, 2, 3, 4}, amount[] = {1, 0, 1, 2};
    const uint64_t first[] = {0, 2, 4};
    const sked_ratio p = {1, 2};
    sked_pctl_input in = input_of(length, amount, 4, &p, 1);

    (void)state;
    in.first = first;
    in.queues = 2;
    length[2] = -1;
    assert_refused(&in, SKED_ERR_RANGE, 2);
    length[2] = INT64_MAX;
    assert_refused(&in, SKED_ERR_RANGE, 3);
    length[2] = 3;
    amount[3] = -1;
    assert_refused(&in, SKED_ERR_RANGE, 3);
    amount[3] = SKED_AMOUNT_MAX + 1;
    assert_refused(&in, SKED_ERR_RANGE, 3);
    amount[1] = INT64_MIN;
    assert_refused(&in, SKED_ERR_RANGE, 1);
    in.first = NULL, in.queues = 1;
    assert_refused(&in, SKED_ERR_RANGE, 1);
    amount[1] = 0, length[1] = -1;
    assert_refused(&in, SKED_ERR_RANGE, 1);
}

static void thresholds_are_above_zero_and_at_most_one(void **state)
{
    const int64_t one = 1;
    sked_ratio p[] = {{1, 1}, {0, 1}};
    sked_pctl_input in = input_of(&one, &one, 1, p, 2);

    (void)state;
    assert_refused(&in, SKED_ERR_RANGE, 1);
    p[1] = (sked_ratio){3, 2};
    assert_refused(&in, SKED_ERR_RANGE, 1);
    p[1] = (sked_ratio){-1, -1};
    assert_refused(&in, SKED_ERR_RANGE, 1);
}

static void bad_calls_are_refused(void **state)
{
    const int64_t one[] = {1, 1};
    const uint64_t falls[] = {0, 2, 1}, late[] = {1, 1, 2}, early[] = {0, 1, 1};
    const sked_ratio p = {1, 1};
    const sked_pctl_input good = input_of(one, one, 2, &p, 1);
    sked_pctl_input in = good;
    sked_pctl_point got;

    (void)state;
    assert_status(SKED_ERR_ARG, sked_pctl(NULL, NULL, &got, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_pctl(&in, NULL, NULL, NULL, NULL));
    in.struct_size = 3;
    assert_refused(&in, SKED_ERR_VERSION, -1);
    in = good;
    in.flags = 2;
    assert_refused(&in, SKED_ERR_ARG, -1);
    in = good;
    in.length = NULL;
    assert_refused(&in, SKED_ERR_ARG, -1);
    in = good;
    in.queues = 0;
    assert_refused(&in, SKED_ERR_ARG, -1);
    in = good;
    in.threshold = NULL;
    assert_refused(&in, SKED_ERR_ARG, -1);
    in = good;
    in.queues = SKED_MAX_QUEUES + 1;
    assert_refused(&in, SKED_ERR_RANGE, -1);
    in = good;
    in.amount = NULL;
    assert_refused(&in, SKED_ERR_ARG, -1);
    in = good;
    in.thresholds = 0;
    assert_refused(&in, SKED_ERR_ARG, -1);
    in = good;
    in.queues = 2;
    assert_refused(&in, SKED_ERR_ARG, -1);
    in.first = falls;
    assert_refused(&in, SKED_ERR_ARG, -1);
    in.first = late;
    assert_refused(&in, SKED_ERR_ARG, -1);
    in.first = early;
    assert_refused(&in, SKED_ERR_ARG, -1);
    in = good;
    in.thresholds = 1001;
    assert_refused(&in, SKED_ERR_RANGE, -1);
    in = good;
    in.n = UINT64_MAX;
    assert_refused(&in, SKED_ERR_RANGE, -1);
    sked_host host = {.struct_size = 1};
    assert_status(SKED_ERR_VERSION, sked_pctl(&good, &host, &got, NULL, NULL));
}

/* ---- Instances ---- */

/* [MON-2] The largest part of any kind, rounded up. */
static void instances_are_counted_by_the_dominant_kind(void **state)
{
    const int64_t instance[] = {16000, 64, 0};
    const int64_t vec[] = {16000, 64, 0, 16001, 64, 0, 1, 129, 0, 0, 0, 0};
    const int64_t want[] = {1, 2, 3, 0};
    const uint8_t want_kind[] = {0, 0, 1, 0};
    int64_t got[4];
    uint8_t kind[4];
    sked_error err;

    (void)state;
    assert_ok(sked_pctl_instances(instance, 3, 0, vec, 4, got, kind, NULL));
    for (int i = 0; i < 4; i++) {
        assert_i64(got[i], want[i]);
        assert_i64(kind[i], want_kind[i]);
    }
    assert_ok(sked_pctl_instances(instance, 3, 64, vec, 4, got, NULL, NULL));
    assert_i64(got[1], 65);
    assert_i64(got[2], 129);
    assert_status(SKED_ERR_ARG,
                  sked_pctl_instances(NULL, 3, 0, vec, 4, got, kind, &err));
    assert_status(SKED_ERR_RANGE,
                  sked_pctl_instances(instance, 0, 0, vec, 4, got, kind, &err));
    assert_status(SKED_ERR_RANGE, sked_pctl_instances(instance, 3, 65, vec, 4,
                                                      got, kind, &err));
    const int64_t bad[] = {1, 0, 1, 1, -1, 0};
    assert_status(SKED_ERR_RANGE,
                  sked_pctl_instances(instance, 3, 0, bad, 1, got, kind, &err));
    assert_i64(err.row, 0);
    assert_i64(err.kind, 2);
    assert_status(SKED_ERR_RANGE, sked_pctl_instances(instance, 3, 0, bad + 3,
                                                      1, got, kind, &err));
    assert_i64(err.kind, 1);
}

/* ---- Reserved ---- */

/* [MON-14] Above 30 % of the time a reserved one is cheaper: of ten days, four
 * use 5 and two of them 9. */
static void what_is_used_for_long_is_reserved(void **state)
{
    const int64_t length[] = {6, 2, 2}, amount[] = {0, 5, 9};
    sked_pctl_reserved_result plan;

    (void)state;
    assert_ok(sked_pctl_reserved(length, amount, 3, 0, (sked_ratio){3, 10},
                                 NULL, &plan, NULL));
    assert_i64(plan.cheapest.amount, 5);
    assert_i64(plan.exceeded, 2);
    assert_i64((int64_t)plan.cheapest.cost.low, 15 + 8);
    assert_i64((int64_t)plan.peak.cost.low, 27);
    assert_i64((int64_t)plan.none.cost.low, 28);
    assert_ok(sked_pctl_reserved(length, amount, 3, 0, (sked_ratio){4, 10},
                                 NULL, &plan, NULL));
    assert_i64(plan.cheapest.amount, 0);
    assert_ok(sked_pctl_reserved(NULL, NULL, 0, 7, (sked_ratio){1, 1}, NULL,
                                 &plan, NULL));
    assert_i64(plan.window, 7);
}

static void costs_of_the_largest_numbers_are_exact(void **state)
{
    const int64_t length = INT64_MAX, amount = SKED_AMOUNT_MAX;
    sked_pctl_reserved_result plan;

    (void)state;
    assert_ok(sked_pctl_reserved(&length, &amount, 1, 0,
                                 (sked_ratio){INT64_MAX - 1, INT64_MAX}, NULL,
                                 &plan, NULL));
    assert_i64(plan.cheapest.amount, SKED_AMOUNT_MAX);
    /* 2^62 * (2^63 - 2) */
    assert_true(plan.cheapest.cost.high == ((uint64_t)1 << 61) - 1);
    assert_true(plan.cheapest.cost.low == (uint64_t)1 << 63);
}

static void bad_prices_and_windows_are_refused(void **state)
{
    int64_t length[] = {5, 5};
    const int64_t amount[] = {1, 2};
    const sked_ratio good = {1, 2}, bad[] = {{0, 1}, {3, 2}, {-1, -2}};
    sked_host old = {.struct_size = 1};
    sked_history *h;
    sked_pctl_reserved_result plan;
    sked_error err;

    (void)state;
    for (int i = 0; i < 3; i++) {
        assert_status(SKED_ERR_RANGE,
                      sked_pctl_reserved(length, amount, 2, 0, bad[i], NULL,
                                         &plan, &err));
    }
    assert_status(SKED_ERR_RANGE, sked_pctl_reserved(length, amount, 2, 9, good,
                                                     NULL, &plan, &err));
    assert_status(SKED_ERR_RANGE, sked_pctl_reserved(length, amount, 2, -1,
                                                     good, NULL, &plan, &err));
    assert_status(SKED_ERR_ARG, sked_pctl_reserved(length, NULL, 2, 0, good,
                                                   NULL, &plan, &err));
    assert_status(
        SKED_ERR_VERSION,
        sked_pctl_reserved(length, amount, 2, 0, good, &old, &plan, &err));
    length[1] = -1;
    assert_status(SKED_ERR_RANGE, sked_pctl_reserved(length, amount, 2, 0, good,
                                                     NULL, &plan, &err));
    assert_i64(err.row, 1);
    assert_ok(sked_history_new(NULL, NULL, NULL, &h, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_history_reserved(h, 0, 0, good, NULL, &err));
    assert_status(SKED_ERR_NOT_FOUND,
                  sked_history_reserved(h, 1, 0, good, &plan, &err));
    assert_status(SKED_ERR_RANGE,
                  sked_history_reserved(h, 0, 0, bad[0], &plan, &err));
    assert_ok(sked_history_reserved(h, 0, 0, good, &plan, &err));
    assert_i64(plan.cheapest.amount, 0);
    sked_history_free(h);
}

static sked_status reserve_call(test_host *h, void *arg)
{
    const int64_t length[] = {6, 2, 2}, amount[] = {0, 5, 9};
    sked_host hooks = test_host_hooks(h);
    sked_pctl_reserved_result plan;

    (void)arg;
    return sked_pctl_reserved(length, amount, 3, 0, (sked_ratio){3, 10}, &hooks,
                              &plan, NULL);
}

static sked_status many_thresholds(test_host *h, void *arg)
{
    const int64_t length[] = {3, 0, 2}, amount[] = {4, 9, 0};
    sked_ratio p[40];
    sked_host hooks = test_host_hooks(h);
    sked_pctl_input in = input_of(length, amount, 3, p, 40);
    sked_pctl_point got[40];

    (void)arg;
    for (int j = 0; j < 40; j++) p[j] = (sked_ratio){j + 1, 40};
    sked_status rc = sked_pctl(&in, &hooks, got, NULL, NULL);
    if (rc == SKED_OK) assert_i64(got[39].amount, 4);
    return rc;
}

static void failures_with_many_thresholds_leave_nothing_behind(void **state)
{
    (void)state;
    test_sweep(many_thresholds, NULL, 0);
}

static void failed_reservations_leave_nothing_behind(void **state)
{
    (void)state;
    test_sweep(reserve_call, NULL, 0);
}

/* ---- Failures ---- */

enum { BIG = 1100000 };

static int64_t big_length[BIG];
static int64_t big_amount[BIG];

static sked_status whole_call(test_host *h, void *arg)
{
    const uint64_t first[] = {0, 10, 40, BIG};
    const sked_ratio p = {9, 10};
    sked_host hooks = test_host_hooks(h);
    sked_pctl_input in = input_of(big_length, big_amount, BIG, &p, 1);
    sked_pctl_point got[3];
    sked_error err;

    (void)arg;
    in.first = first;
    in.queues = 3;
    hooks.user_free = NULL;
    sked_status rc = sked_pctl(&in, &hooks, got, NULL, &err);
    if (rc != SKED_OK) assert_i64(err.code, rc);
    return rc;
}

static void failures_leave_nothing_behind(void **state)
{
    (void)state;
    for (int i = 0; i < BIG; i++) {
        big_length[i] = 1;
        big_amount[i] = i;
    }
    test_sweep(whole_call, NULL, 0);
}

/* The work is counted: one pass and little more where a sample helps. */
static void a_large_queue_takes_little_more_than_one_pass(void **state)
{
    const sked_ratio half = {1, 2};
    skedi_mem mem = skedi_mem_of(NULL);
    skedi_select_memory *room = skedi_new(&mem, 1, sizeof *room);
    skedi_units u = {big_length, big_amount, BIG};
    skedi_brackets b;

    (void)state;
    for (uint64_t i = 0; i < BIG; i++) {
        big_length[i] = 1;
        big_amount[i] = (int64_t)(1 + i * UINT64_C(0x9e3779b97f4a7c15) % BIG);
    }
    assert_true(skedi_select_reserve(room, skedi_select_cap(BIG), &mem));
    assert_true(skedi_brackets_guess(&b, &u, &half, 1, room));
    for (size_t at = 0; at < BIG; at += SKEDI_UNITS_BLOCK) {
        skedi_units block = skedi_units_at(&u, at);
        skedi_brackets_add(&b, &block, room);
    }
    skedi_spot spot = {.need = BIG / 2};
    assert_true(skedi_brackets_answer(&b, &u, &spot, room));
    assert_i64((int64_t)room->work.guesses, 1);
    assert_i64((int64_t)room->work.misses, 0);
    assert_true(room->work.visits < BIG + BIG / 2);
    skedi_select_free(room, &mem);
    skedi_free(&mem, room, 1, sizeof *room);
}

/* Where the sample looks; a queue can be made to mislead it. */
static void mislead(int64_t there, int64_t step, int64_t elsewhere)
{
    skedi_mem mem = skedi_mem_of(NULL);
    skedi_select_memory *room = skedi_new(&mem, 1, sizeof *room);
    skedi_units u = {big_length, big_amount, BIG};
    skedi_brackets b;
    sked_ratio half = {1, 2};

    for (int64_t i = 0; i < BIG; i++) {
        big_length[i] = 1;
        big_amount[i] = i + 1;
    }
    (void)skedi_brackets_guess(&b, &u, &half, 1, room);
    for (int i = 0; i < BIG; i++) big_amount[i] = elsewhere;
    for (int i = 0; i < SKEDI_SAMPLE; i++) {
        big_amount[room->sample[i].key - 1] = there + i * step;
    }
    skedi_free(&mem, room, 1, sizeof *room);
}

/* Whatever a sample says, the answer is the exact one. */
static void a_misled_sample_decides_nothing(void **state)
{
    const int64_t elsewhere[] = {1, 5000000, 1024 * 1000 + 900};
    const sked_ratio half = {1, 2};
    sked_pctl_input in = input_of(big_length, big_amount, BIG, &half, 1);
    sked_pctl_point got;

    (void)state;
    for (int i = 0; i < 3; i++) {
        mislead(1000, 1000, elsewhere[i]);
        assert_ok(sked_pctl(&in, NULL, &got, NULL, NULL));
        assert_i64(got.amount, elsewhere[i]);
        assert_true(got.covered.num >= BIG - SKEDI_SAMPLE);
    }
}

/* A queue that is hardly ever used has no sample worth the name. */
static void a_queue_hardly_used_is_counted(void **state)
{
    const sked_ratio p = {1, 2};
    sked_pctl_input in = input_of(big_length, big_amount, BIG, &p, 1);
    sked_pctl_point got;

    (void)state;
    for (int i = 0; i < BIG; i++) {
        big_length[i] = i % 3;
        big_amount[i] = i % 100 ? 0 : 1 + i;
    }
    assert_ok(sked_pctl(&in, NULL, &got, NULL, NULL));
    assert_true(got.amount > BIG / 3 && got.amount < BIG * 2 / 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_amount_that_covers_the_threshold),
        cmocka_unit_test(a_queue_that_was_never_used_says_so),
        cmocka_unit_test(the_largest_numbers_are_exact),
        cmocka_unit_test(units_out_of_range_are_named),
        cmocka_unit_test(thresholds_are_above_zero_and_at_most_one),
        cmocka_unit_test(bad_calls_are_refused),
        cmocka_unit_test(instances_are_counted_by_the_dominant_kind),
        cmocka_unit_test(what_is_used_for_long_is_reserved),
        cmocka_unit_test(costs_of_the_largest_numbers_are_exact),
        cmocka_unit_test(bad_prices_and_windows_are_refused),
        cmocka_unit_test(failed_reservations_leave_nothing_behind),
        cmocka_unit_test(failures_with_many_thresholds_leave_nothing_behind),
        cmocka_unit_test(failures_leave_nothing_behind),
        cmocka_unit_test(a_large_queue_takes_little_more_than_one_pass),
        cmocka_unit_test(a_misled_sample_decides_nothing),
        cmocka_unit_test(a_queue_hardly_used_is_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
