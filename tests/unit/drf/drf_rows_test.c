/* Rows of clients at once: what they set is what single calls would. */
#include "test.h"

#include <sched/drf.h>

#include "drf/handle.h"

enum { N = 5, KINDS = 2 };

static sked_drf *five_clients(uint32_t *slot)
{
    const sked_drf_options opts = {.struct_size = sizeof opts, .kinds = KINDS};
    const int64_t capacity[KINDS] = {100, 1000};
    const int64_t usage[N * KINDS] = {10, 0, 0, 300, 40, 0, 5, 5, 0, 0};
    const uint64_t key[N] = {11, 12, 13, 14, 15};
    const uint32_t weight[N] = {1, 2, 4, 1, 0};
    sked_drf *drf;

    assert_ok(sked_drf_new(&opts, NULL, &drf, NULL));
    assert_ok(sked_drf_set_capacity(drf, capacity, NULL));
    assert_ok(sked_drf_insert_rows(drf, key, weight, usage, N, slot, NULL));
    assert_ok(sked_drf_check(drf, NULL));
    return drf;
}

static void rows_bring_usage_and_weight(void **state)
{
    const uint32_t want[N] = {3, 0, 2, 1, 4}; /* 0.05 0.10 0.10 0.15 never */
    uint32_t slot[N], order[N];
    int64_t usage[KINDS];
    size_t n;

    (void)state;
    sked_drf *drf = five_clients(slot);
    assert_ok(sked_drf_list(drf, order, N, &n, NULL));
    for (size_t i = 0; i < N; i++) assert_i64(order[i], slot[want[i]]);
    assert_ok(sked_drf_usage(drf, slot[1], usage));
    assert_i64(usage[0], 0);
    assert_i64(usage[1], 300);
    assert_status(SKED_ERR_NOT_FOUND, sked_drf_usage(drf, N, usage));
    assert_status(SKED_ERR_ARG, sked_drf_usage(drf, slot[1], NULL));
    assert_i64(sked_drf_slot(drf, 0), SKED_DRF_NONE);
    assert_i64((int64_t)sked_drf_key(drf, N), 0);
    sked_drf_free(drf);
}

static void few_rows_do_not_build_the_order_anew(void **state)
{
    enum { MANY = 100 };
    const uint64_t late = MANY + 1;
    const uint8_t off = 0, on = 1;
    uint64_t key[MANY];
    uint32_t slot[MANY + 1];
    sked_drf *drf;

    (void)state;
    for (uint64_t i = 0; i < MANY; i++) key[i] = i + 1;
    assert_ok(sked_drf_new(NULL, NULL, &drf, NULL));
    assert_ok(sked_drf_reserve(drf, MANY + 1, NULL));
    assert_ok(sked_drf_insert_rows(drf, key, NULL, NULL, MANY, slot, NULL));
    uint64_t builds = drf->work.builds;
    assert_ok(sked_drf_activate_rows(drf, slot, &off, 1, NULL));
    assert_i64(sked_drf_next(drf), slot[1]);
    assert_ok(sked_drf_activate_rows(drf, slot, &on, 1, NULL));
    assert_i64(sked_drf_next(drf), slot[0]);
    assert_ok(
        sked_drf_insert_rows(drf, &late, NULL, NULL, 1, slot + MANY, NULL));
    assert_true(drf->work.builds == builds);
    assert_true(sked_drf_is_active(drf, slot[MANY]));
    assert_ok(sked_drf_check(drf, NULL));
    sked_drf_free(drf);
}

static void rows_leave_and_come_back(void **state)
{
    const uint8_t some[N] = {0, 1, 0, 1, 1}, all[N] = {1, 1, 1, 1, 1};
    uint32_t slot[N];

    (void)state;
    sked_drf *drf = five_clients(slot);
    uint64_t before = sked_drf_digest(drf);
    assert_ok(sked_drf_activate_rows(drf, slot, some, N, NULL));
    assert_ok(sked_drf_check(drf, NULL));
    assert_i64(sked_drf_active(drf), 3);
    assert_false(sked_drf_is_active(drf, slot[0]));
    assert_i64(sked_drf_next(drf), slot[3]);
    assert_ok(sked_drf_activate_rows(drf, slot, all, N, NULL));
    assert_ok(sked_drf_check(drf, NULL));
    assert_true(sked_drf_digest(drf) == before);
    sked_drf_free(drf);
}

static void a_row_that_is_none_changes_nothing(void **state)
{
    const uint32_t weight[N] = {9, 9, 9, 9, 9};
    const uint8_t none[N] = {0};
    uint32_t slot[N];

    (void)state;
    sked_drf *drf = five_clients(slot);
    uint64_t before = sked_drf_digest(drf);
    slot[4] = N + 1;
    assert_status(SKED_ERR_NOT_FOUND,
                  sked_drf_set_weight_rows(drf, slot, weight, N, NULL));
    assert_status(SKED_ERR_NOT_FOUND,
                  sked_drf_activate_rows(drf, slot, none, N, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_drf_set_weight_rows(drf, NULL, weight, N, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_drf_activate_rows(drf, slot, NULL, N, NULL));
    assert_ok(sked_drf_set_weight_rows(drf, NULL, NULL, 0, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_drf_set_weight_rows(NULL, NULL, NULL, 0, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_drf_insert_rows(NULL, NULL, NULL, NULL, 0, NULL, NULL));
    assert_true(sked_drf_digest(drf) == before);
    sked_drf_free(drf);
}

static void popping_checks_its_arguments(void **state)
{
    uint32_t slot[N], order[N];
    size_t n;

    (void)state;
    sked_drf *drf = five_clients(slot);
    assert_status(SKED_ERR_ARG, sked_drf_pop(NULL, order, N, &n, NULL));
    assert_status(SKED_ERR_ARG, sked_drf_pop(drf, order, N, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_drf_pop(drf, NULL, N, &n, NULL));
    assert_status(SKED_ERR_ARG, sked_drf_list(drf, order, N, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_drf_list(drf, NULL, N, &n, NULL));
    assert_ok(sked_drf_pop(drf, NULL, 0, &n, NULL));
    assert_ok(sked_drf_pop(drf, order, 2, &n, NULL));
    assert_i64((int64_t)n, 2);
    assert_i64(order[0], slot[3]);
    assert_i64(order[1], slot[0]);
    assert_ok(sked_drf_check(drf, NULL));
    sked_drf_free(drf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_bring_usage_and_weight),
        cmocka_unit_test(few_rows_do_not_build_the_order_anew),
        cmocka_unit_test(rows_leave_and_come_back),
        cmocka_unit_test(a_row_that_is_none_changes_nothing),
        cmocka_unit_test(popping_checks_its_arguments),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
