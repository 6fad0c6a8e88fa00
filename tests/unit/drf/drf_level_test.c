/* Divisible DRF by hand, and batches over levels that no usage can reach. */
#include "test.h"

#include <sched/drf_arrays.h>

enum { CLIENTS = 7, KINDS = 3 };

static void assert_near(double got, double want)
{
    if (got < want - 1e-9 || got > want + 1e-9) {
        fail_msg("%.12f is not %.12f", got, want);
    }
}

/* The paper's two users: 9 cores, 18 GB; tasks of 1, 4 and of 3, 1. */
static void the_papers_users_run_3_and_2_tasks(void **state)
{
    const int64_t capacity[] = {9, 18}, demand[] = {1, 4, 3, 1};
    const sked_drf_input rows = {.struct_size = sizeof rows,
                                 .kinds = 2,
                                 .n = 2,
                                 .capacity = capacity,
                                 .demand = demand};
    double tasks[2], left[2];

    (void)state;
    assert_ok(sked_drf_level(&rows, NULL, tasks, left, NULL));
    assert_near(tasks[0], 3);
    assert_near(tasks[1], 2);
    assert_near(left[0], 0);
    assert_near(left[1], 4);
}

/* A client that asks for nothing, may have no more, has weight 0, or wants a
 * kind without capacity stays at its least; the others share what is left. */
static void clients_that_cannot_rise_stay_at_the_least(void **state)
{
    const int64_t capacity[KINDS] = {100, 100, 0};
    const int64_t demand[CLIENTS * KINDS] = {
        0, 0, 0, /* asks for nothing */
        1, 0, 1, /* of a kind without capacity */
        1, 0, 0, /* has all it may have */
        1, 0, 0, /* at least more than at most */
        1, 0, 0, /* weight 0 */
        1, 0, 0, /* stops at 5 */
        2, 1, 0, /* takes the rest */
    };
    const int64_t least[CLIENTS] = {7, 3, 10, 9, 4, 0, 0};
    const int64_t most[CLIENTS] = {SKED_UNLIMITED, 8, 10, 6, SKED_UNLIMITED, 5,
                                   SKED_UNLIMITED};
    const uint32_t weight[CLIENTS] = {1, 1, 1, 1, 0, 2, 1};
    const double want[CLIENTS] = {7, 0, 10, 6, 4, 5, 37.5};
    const sked_drf_input rows = {.struct_size = sizeof rows,
                                 .kinds = KINDS,
                                 .n = CLIENTS,
                                 .capacity = capacity,
                                 .demand = demand,
                                 .weight = weight,
                                 .most = most,
                                 .least = least};
    double tasks[CLIENTS], left[KINDS];

    (void)state;
    assert_ok(sked_drf_level(&rows, NULL, tasks, left, NULL));
    for (int i = 0; i < CLIENTS; i++) assert_near(tasks[i], want[i]);
    assert_near(left[0], 0);
    assert_near(left[1], 62.5);
    assert_near(left[2], 0);
}

/* The first client's weight is so large that, at the level where it has its
 * 1,000 tasks and the second client the rest, weight * level is above any
 * amount. */
static void a_level_may_be_beyond_all_amounts(void **state)
{
    const int64_t task = INT64_C(1) << 40, capacity = SKED_AMOUNT_MAX;
    const int64_t demand[] = {task, task}, most[] = {1000, SKED_UNLIMITED};
    const uint32_t weight[] = {UINT32_MAX, 1};
    const sked_drf_input rows = {.struct_size = sizeof rows,
                                 .kinds = 1,
                                 .n = 2,
                                 .capacity = &capacity,
                                 .demand = demand,
                                 .weight = weight,
                                 .most = most};
    int64_t pool = capacity, tasks[2];

    (void)state;
    assert_ok(sked_drf_allocate(&rows, NULL, &pool, tasks, NULL));
    assert_i64(tasks[0], 1000);
    assert_i64(tasks[1], (INT64_C(1) << 22) - 1000);
    assert_i64(pool, 0);
}

/* As a double the least would be the capacity. */
static void whether_the_least_fits_is_decided_exactly(void **state)
{
    const int64_t capacity = (int64_t)1 << 60, least = capacity + 1, one = 1;
    double tasks;
    sked_drf_input rows = {.struct_size = sizeof rows,
                           .kinds = 1,
                           .n = 1,
                           .capacity = &capacity,
                           .demand = &one,
                           .least = &least};

    (void)state;
    assert_status(SKED_ERR_INVALID,
                  sked_drf_level(&rows, NULL, &tasks, NULL, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_papers_users_run_3_and_2_tasks),
        cmocka_unit_test(clients_that_cannot_rise_stay_at_the_least),
        cmocka_unit_test(whether_the_least_fits_is_decided_exactly),
        cmocka_unit_test(a_level_may_be_beyond_all_amounts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
