/* DRF on plain arrays: checks, vast numbers, divisible tasks. */
#include "test.h"

#include <sched/sked.h>

#include "host.h"

/* Rows of every sort do what as many single calls do. */
static void rows_are_many_single_calls(void **state)
{
    enum { N = 100 };
    sked_drf_options opts = {.struct_size = sizeof opts, .kinds = 2};
    int64_t capacity[2] = {1000, 5000}, usage[2 * N], delta[2 * N];
    uint64_t key[N];
    uint32_t weight[N], slot[N];
    uint8_t active[N];
    sked_drf *rows, *single;

    (void)state;
    for (uint32_t i = 0; i < N; i++) {
        key[i] = 1000 - i;
        weight[i] = 1 + i * 7 % 5;
        active[i] = i % 3 != 0;
        usage[2 * i] = i * 37 % 11;
        usage[2 * i + 1] = i * 91 % 13;
        delta[2 * i] = i % 4;
        delta[2 * i + 1] = -(int64_t)(i % 2);
        if (usage[2 * i + 1] == 0) delta[2 * i + 1] = 0;
    }
    for (size_t n = 3; n <= N; n += 97) { /* path by path, and as a whole */
        assert_ok(sked_drf_new(&opts, NULL, &rows, NULL));
        assert_ok(sked_drf_new(&opts, NULL, &single, NULL));
        assert_ok(sked_drf_set_capacity(rows, capacity, NULL));
        assert_ok(sked_drf_set_capacity(single, capacity, NULL));
        assert_ok(sked_drf_insert_rows(rows, key, NULL, NULL, N, slot, NULL));
        assert_ok(sked_drf_update_rows(rows, slot, usage, n, NULL));
        assert_ok(sked_drf_check(rows, NULL));
        assert_ok(sked_drf_charge_rows(rows, slot, delta, n, NULL));
        assert_ok(sked_drf_set_weight_rows(rows, slot, weight, n, NULL));
        assert_ok(sked_drf_activate_rows(rows, slot, active, n, NULL));
        assert_ok(sked_drf_remove_rows(rows, slot, n / 2, NULL));
        assert_ok(sked_drf_check(rows, NULL));
        for (uint32_t i = 0; i < N; i++) {
            assert_ok(sked_drf_insert(single, key[i], 1, NULL, &slot[i], NULL));
        }
        for (uint32_t i = 0; i < n; i++) {
            const int64_t *row = usage + (size_t)2 * i;
            assert_ok(sked_drf_update(single, slot[i], row, NULL));
            row = delta + (size_t)2 * i;
            assert_ok(sked_drf_charge(single, slot[i], row, NULL));
            assert_ok(sked_drf_set_weight(single, slot[i], weight[i], NULL));
            assert_ok(sked_drf_activate(single, slot[i], active[i], NULL));
        }
        for (size_t i = 0; i < n / 2; i++) {
            assert_ok(sked_drf_remove(single, slot[i], NULL));
        }
        assert_true(sked_drf_digest(rows) == sked_drf_digest(single));
        assert_i64(sked_drf_next(rows), sked_drf_next(single));
        sked_drf_free(rows);
        sked_drf_free(single);
    }
}

/* ---- Without a handle ---- */

static void arrays_are_checked(void **state)
{
    int64_t capacity[2] = {4, 4}, usage[2] = {1, 1}, demand[2] = {1, 0};
    int64_t pool[2] = {4, 5}, tasks;
    sked_drf_input rows = {.struct_size = sizeof rows,
                           .kinds = 2,
                           .n = 1,
                           .capacity = capacity,
                           .usage = usage,
                           .demand = demand};
    uint32_t order;
    size_t n;

    (void)state;
    assert_status(SKED_ERR_RANGE,
                  sked_drf_allocate(&rows, NULL, pool, &tasks, NULL));
    pool[1] = 4;
    assert_ok(sked_drf_allocate(&rows, NULL, pool, &tasks, NULL));
    assert_i64(tasks, 4);
    assert_status(SKED_ERR_ARG, sked_drf_order(NULL, NULL, &order, NULL));
    assert_status(SKED_ERR_ARG, sked_drf_order(&rows, NULL, NULL, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_drf_allocate(&rows, NULL, NULL, &tasks, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_drf_allocate(&rows, NULL, pool, NULL, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_drf_picks(&rows, NULL, pool, NULL, 1, &n, NULL));
    assert_status(SKED_ERR_ARG, sked_drf_level(&rows, NULL, NULL, NULL, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_drf_complaints(&rows, 0, NULL, 1, &n, NULL));
}

static void rows_are_checked(void **state)
{
    int64_t capacity[2] = {4, 4}, usage[2] = {1, 1}, demand[2] = {1, 0};
    int64_t pool[2] = {4, 4}, tasks, most = -1;
    sked_drf_input rows = {.struct_size = sizeof rows,
                           .kinds = 2,
                           .n = 1,
                           .capacity = capacity,
                           .usage = usage,
                           .demand = demand};
    uint32_t order;
    double level;

    (void)state;
    rows.most = &most;
    assert_status(SKED_ERR_RANGE,
                  sked_drf_allocate(&rows, NULL, pool, &tasks, NULL));
    rows.most = NULL;
    rows.least = &most;
    assert_status(SKED_ERR_RANGE,
                  sked_drf_level(&rows, NULL, &level, NULL, NULL));
    most = 9;
    assert_status(SKED_ERR_INVALID,
                  sked_drf_level(&rows, NULL, &level, NULL, NULL));
    rows.least = NULL;
    usage[0] = SKED_AMOUNT_MAX;
    pool[0] = 1;
    assert_status(SKED_ERR_RANGE,
                  sked_drf_allocate(&rows, NULL, pool, &tasks, NULL));
    usage[0] = -1;
    assert_status(SKED_ERR_RANGE, sked_drf_order(&rows, NULL, &order, NULL));
    rows.usage = NULL;
    demand[0] = -1;
    assert_status(SKED_ERR_RANGE,
                  sked_drf_level(&rows, NULL, &level, NULL, NULL));
    rows.demand = NULL;
    assert_status(SKED_ERR_ARG,
                  sked_drf_level(&rows, NULL, &level, NULL, NULL));
    rows.kinds = 33;
    assert_status(SKED_ERR_RANGE, sked_drf_order(&rows, NULL, &order, NULL));
    rows.kinds = 2;
    rows.n = 1u << 31;
    assert_status(SKED_ERR_RANGE, sked_drf_order(&rows, NULL, &order, NULL));
    rows.flags = 1;
    assert_status(SKED_ERR_ARG, sked_drf_order(&rows, NULL, &order, NULL));
    rows.struct_size = 8;
    assert_status(SKED_ERR_VERSION, sked_drf_order(&rows, NULL, &order, NULL));
}

static void one_row_is_checked(void **state)
{
    int64_t capacity[2] = {4, 4}, usage[2] = {1, 1};
    sked_drf_standing s;

    (void)state;
    assert_ok(sked_drf_standing_once(usage, capacity, 2, 1, &s, NULL));
    assert_true(s.key == (uint64_t)1 << 60);
    assert_status(SKED_ERR_ARG,
                  sked_drf_standing_once(usage, capacity, 0, 1, &s, NULL));
    assert_status(SKED_ERR_RANGE,
                  sked_drf_standing_once(usage, capacity, 33, 1, &s, NULL));
    usage[1] = -1;
    assert_status(SKED_ERR_RANGE,
                  sked_drf_standing_once(usage, capacity, 2, 1, &s, NULL));
}

/* Many more decisions than a loop could make: only levels get there. */
static void a_vast_pool_is_divided_by_levels(void **state)
{
    int64_t capacity[1] = {SKED_AMOUNT_MAX}, pool[1] = {SKED_AMOUNT_MAX};
    int64_t demand[3] = {1, 1, 2}, tasks[3];
    uint32_t weight[3] = {1, 2, 1};
    sked_drf_input rows = {.struct_size = sizeof rows,
                           .kinds = 1,
                           .n = 3,
                           .capacity = capacity,
                           .demand = demand,
                           .weight = weight};

    (void)state;
    assert_ok(sked_drf_allocate(&rows, NULL, pool, tasks, NULL));
    assert_i64(pool[0], 0);
    assert_i64(tasks[0], SKED_AMOUNT_MAX / 4);
    assert_i64(tasks[1], SKED_AMOUNT_MAX / 2);
    assert_i64(tasks[2], SKED_AMOUNT_MAX / 8);
}

/* One key stands for billions of tasks, and weight 0 takes what is left. */
static void vast_weights_share_a_vast_pool(void **state)
{
    int64_t capacity[1] = {SKED_AMOUNT_MAX}, pool[1] = {SKED_AMOUNT_MAX};
    int64_t demand[4] = {1, 1, 1, 1}, tasks[4];
    int64_t most[4] = {SKED_UNLIMITED, 5, (int64_t)1 << 40, (int64_t)1 << 41};
    uint32_t weight[4] = {0, 0, UINT32_MAX, UINT32_MAX};
    sked_drf_input rows = {.struct_size = sizeof rows,
                           .kinds = 1,
                           .n = 4,
                           .capacity = capacity,
                           .demand = demand,
                           .weight = weight,
                           .most = most};

    (void)state;
    assert_ok(sked_drf_allocate(&rows, NULL, pool, tasks, NULL));
    assert_i64(pool[0], 0);
    assert_i64(tasks[2], most[2]);
    assert_i64(tasks[3], most[3]);
    assert_i64(tasks[1], 0);
    assert_i64(tasks[0], SKED_AMOUNT_MAX - most[2] - most[3]);
}

/* [LNK-1] A has half of the full kind, C nothing of it; B has all it asked. */
static void only_clients_with_less_than_their_part_complain(void **state)
{
    int64_t capacity[2] = {10, 10}, most[3] = {50, 2, 50};
    int64_t usage[6] = {8, 0, 2, 2, 0, 3}, demand[6] = {1, 0, 1, 1, 1, 1};
    sked_drf_input rows = {.struct_size = sizeof rows,
                           .kinds = 2,
                           .n = 3,
                           .capacity = capacity,
                           .usage = usage,
                           .demand = demand,
                           .most = most};
    uint32_t who[3];
    size_t n;

    (void)state;
    assert_ok(sked_drf_complaints(&rows, 0, who, 3, &n, NULL));
    assert_i64((int64_t)n, 1);
    assert_i64(who[0], 2);
    assert_status(SKED_ERR_RANGE,
                  sked_drf_complaints(&rows, 0, NULL, 0, &n, NULL));
    assert_i64((int64_t)n, 1);
    usage[5] = 4; /* its third of the second kind, were that full */
    assert_ok(sked_drf_complaints(&rows, 2, who, 3, &n, NULL));
    assert_i64((int64_t)n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_many_single_calls),
        cmocka_unit_test(arrays_are_checked),
        cmocka_unit_test(rows_are_checked),
        cmocka_unit_test(one_row_is_checked),
        cmocka_unit_test(a_vast_pool_is_divided_by_levels),
        cmocka_unit_test(vast_weights_share_a_vast_pool),
        cmocka_unit_test(only_clients_with_less_than_their_part_complain),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
