/*
 * Divisions whose tasks are too many to be handed out one by one: how much
 * work they are is counted in looks of the host, one for some thousand clients
 * or tasks.
 */
#include "test.h"

#include <sched/sked.h>

#include <string.h>

#include "host.h"

enum { LOOKS_ENOUGH = 40 };

/* What is given adds up, and no client that is left could use the rest. */
static void check_rest(const sked_drf_input *rows, const int64_t *full,
                       const int64_t *pool, const int64_t *tasks)
{
    for (uint32_t i = 0; i < rows->n; i++) {
        const int64_t *demand = rows->demand + (size_t)i * rows->kinds;
        int fits = !rows->most || tasks[i] < rows->most[i];
        for (uint32_t k = 0; k < rows->kinds; k++) {
            fits &= demand[k] <= pool[k];
        }
        assert_false(fits);
    }
    for (uint32_t k = 0; k < rows->kinds; k++) {
        int64_t sum = pool[k];
        for (uint32_t i = 0; i < rows->n; i++) {
            sum += tasks[i] * rows->demand[(size_t)i * rows->kinds + k];
        }
        assert_i64(sum, full[k]);
    }
}

/* Divides `full` with at most `looks` of the host. */
static void divide(const sked_drf_input *rows, const int64_t *full,
                   size_t looks, int64_t *tasks)
{
    test_host h = {.stop_at = looks + 1, .stop_with = SKED_STOPPED};
    sked_host hooks = test_host_hooks(&h);
    int64_t pool[SKED_MAX_KINDS];

    memcpy(pool, full, rows->kinds * sizeof *pool);
    assert_ok(sked_drf_allocate(rows, &hooks, pool, tasks, NULL));
    assert_i64((int64_t)h.live, 0);
    check_rest(rows, full, pool, tasks);
}

/*
 * Four clients wait at half of a cluster, each for a task as large as the rest
 * of it nearly is; the fifth gets there by tasks of one unit.
 */
static void a_few_large_tasks_do_not_hide_a_far_level(void **state)
{
    const int64_t large = (int64_t)1 << 58;
    const int64_t capacity = 16 * large, full = 2 * large + large / 5 * 6;
    const int64_t usage[5] = {8 * large, 8 * large, 8 * large, 8 * large,
                              6 * large};
    const int64_t demand[5] = {large, large, large, large, 1};
    const sked_drf_input rows = {.struct_size = sizeof rows,
                                 .kinds = 1,
                                 .n = 5,
                                 .capacity = &capacity,
                                 .usage = usage,
                                 .demand = demand};
    int64_t tasks[5];

    (void)state;
    divide(&rows, &full, LOOKS_ENOUGH, tasks);
    for (int i = 1; i < 4; i++) assert_i64(tasks[i], 0);
    assert_i64(tasks[0], 1);
    assert_i64(tasks[4], full - large);
}

/* Of the second kind two tasks are left; the first one goes on and on. */
static void a_scarce_kind_does_not_hide_a_far_level(void **state)
{
    const int64_t full[2] = {144680345717964800, 33686018};
    const int64_t demand[12] = {8, 8, 8, 8, 8, 8, 17, 0, 0, 8, 8, 8};
    const sked_drf_input rows = {.struct_size = sizeof rows,
                                 .kinds = 2,
                                 .n = 6,
                                 .capacity = full,
                                 .demand = demand};
    int64_t tasks[6];

    (void)state;
    divide(&rows, full, LOOKS_ENOUGH, tasks);
    for (int i = 0; i < 6; i++) {
        if (i != 3) assert_in_range(tasks[i], 842150, 842151);
    }
}

/* Weights so large that many tasks leave the key as it is. */
static void levels_of_many_tasks_are_one_step(void **state)
{
    const int64_t capacity = SKED_AMOUNT_MAX, full = SKED_AMOUNT_MAX / 2;
    const int64_t usage[3] = {1, 2, 3}, demand[3] = {1, 2, 3};
    const int64_t most[3] = {INT32_MAX, SKED_UNLIMITED, INT64_C(1) << 31};
    const uint32_t weight[3] = {UINT32_MAX, UINT32_MAX - 1, 1};
    const sked_drf_input rows = {.struct_size = sizeof rows,
                                 .kinds = 1,
                                 .n = 3,
                                 .capacity = &capacity,
                                 .usage = usage,
                                 .demand = demand,
                                 .weight = weight,
                                 .most = most};
    int64_t tasks[3];

    (void)state;
    divide(&rows, &full, LOOKS_ENOUGH, tasks);
    assert_i64(tasks[0], INT32_MAX);
    assert_in_range(tasks[2], 0, INT64_C(1) << 31);
}

/* Each client leaves at a level of its own, far from that of the next. */
static void a_level_for_each_client_is_a_search_for_each(void **state)
{
    enum { N = 100 };
    const int64_t capacity = SKED_AMOUNT_MAX, unit = INT64_C(1) << 50;
    int64_t usage[N], demand[N], tasks[N], full = N * unit;
    const sked_drf_input rows = {.struct_size = sizeof rows,
                                 .kinds = 1,
                                 .n = N,
                                 .capacity = &capacity,
                                 .usage = usage,
                                 .demand = demand};

    (void)state;
    for (int i = 0; i < N; i++) {
        usage[i] = i * unit;
        demand[i] = i ? (N - i) * unit + 1 : 1;
    }
    divide(&rows, &full, N * LOOKS_ENOUGH, tasks);
    assert_true(tasks[0] > 0);
}

static sked_status division(test_host *h, void *arg)
{
    const int64_t capacity = SKED_AMOUNT_MAX, large = SKED_AMOUNT_MAX / 16;
    enum { N = 64 };
    sked_host hooks = test_host_hooks(h);
    int64_t usage[N], demand[N], tasks[N];
    int64_t full = 2 * large + large / 5 * 6, pool = full;
    const sked_drf_input rows = {.struct_size = sizeof rows,
                                 .kinds = 1,
                                 .n = N,
                                 .capacity = &capacity,
                                 .usage = usage,
                                 .demand = demand};

    (void)arg;
    for (int i = 0; i < N; i++) {
        usage[i] = i < N - 1 ? 8 * large : 6 * large;
        demand[i] = i < N - 1 ? large : 1;
    }
    sked_status rc = sked_drf_allocate(&rows, &hooks, &pool, tasks, NULL);
    if (rc != SKED_OK) assert_i64(pool, full);
    return rc;
}

static void a_division_that_is_stopped_leaves_the_pool(void **state)
{
    (void)state;
    test_sweep(division, NULL, 0);
}

/* The first look at the host's flag stops both. */
static void what_stopped_a_division_is_told(void **state)
{
    int32_t cancel = 1;
    const sked_host host = {.struct_size = sizeof host, .cancel = &cancel};
    const int64_t capacity = 100, demand[2] = {1, 1};
    const sked_drf_input rows = {.struct_size = sizeof rows,
                                 .kinds = 1,
                                 .n = 2,
                                 .capacity = &capacity,
                                 .demand = demand};
    int64_t pool = 100, tasks[2];
    uint32_t order[2];
    sked_error err = {0};
    size_t n;
    (void)state;

    assert_status(SKED_ERR_CANCELLED,
                  sked_drf_allocate(&rows, &host, &pool, tasks, &err));
    assert_status(SKED_ERR_CANCELLED, err.code);
    assert_i64(err.row, -1);
    err = (sked_error){0};
    assert_status(SKED_ERR_CANCELLED,
                  sked_drf_picks(&rows, &host, &pool, order, 2, &n, &err));
    assert_status(SKED_ERR_CANCELLED, err.code);
    assert_string_equal(err.message, "stopped by the host");
    assert_i64(pool, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_few_large_tasks_do_not_hide_a_far_level),
        cmocka_unit_test(a_scarce_kind_does_not_hide_a_far_level),
        cmocka_unit_test(levels_of_many_tasks_are_one_step),
        cmocka_unit_test(a_level_for_each_client_is_a_search_for_each),
        cmocka_unit_test(a_division_that_is_stopped_leaves_the_pool),
        cmocka_unit_test(what_stopped_a_division_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
