/* Shares of plain arrays: what is refused and what fails. */
#include "share_cases.h"

/* ---- One shot ---- */

static void arrays_are_checked(void **state)
{
    const int32_t parent[] = {-1, 0, 0}, late[] = {-1, 2, 0}, own[] = {0, 0, 0};
    int64_t amounts[] = {1, 2, 3}, capacity[] = {10}, shares[3];
    sked_error err;
    sked_share_input in = {.struct_size = sizeof in, .kinds = 1, .n = 3};
    (void)state;

    in.capacity = capacity;
    assert_status(SKED_ERR_ARG,
                  sked_share_once(NULL, NULL, NULL, shares, NULL));
    assert_status(SKED_ERR_ARG, sked_share_once(&in, NULL, NULL, shares, NULL));
    in.parent = late;
    assert_status(SKED_ERR_ARG, sked_share_once(&in, NULL, NULL, shares, &err));
    assert_i64(err.row, 1);
    in.parent = own;
    assert_status(SKED_ERR_ARG, sked_share_once(&in, NULL, NULL, shares, &err));
    in.parent = parent;
    in.demand = amounts;
    amounts[2] = -1;
    assert_status(SKED_ERR_RANGE,
                  sked_share_once(&in, NULL, NULL, shares, &err));
    assert_i64(err.row, 2);
    assert_i64(err.got, -1);
    amounts[1] = amounts[2] = SKED_AMOUNT_MAX;
    assert_status(SKED_ERR_RANGE,
                  sked_share_once(&in, NULL, NULL, shares, &err));
    assert_i64(err.row, 0);
    amounts[1] = amounts[2] = 1;
    capacity[0] = SKED_UNLIMITED;
    assert_status(SKED_ERR_RANGE,
                  sked_share_once(&in, NULL, NULL, shares, &err));
    capacity[0] = 10;
    in.kinds = 33;
    assert_status(SKED_ERR_RANGE,
                  sked_share_once(&in, NULL, NULL, shares, NULL));
    in.kinds = 1;
    in.struct_size = 8;
    assert_status(SKED_ERR_VERSION,
                  sked_share_once(&in, NULL, NULL, shares, NULL));
}

static void trees_of_too_many_levels_are_refused(void **state)
{
    int32_t parent[SKED_MAX_DEPTH + 1];
    int64_t capacity[] = {10}, shares[SKED_MAX_DEPTH + 1];
    sked_share_input in = {.struct_size = sizeof in,
                           .kinds = 1,
                           .n = SKED_MAX_DEPTH,
                           .parent = parent,
                           .capacity = capacity};
    (void)state;

    for (int32_t i = 0; i <= SKED_MAX_DEPTH; i++) parent[i] = i - 1;
    assert_ok(sked_share_once(&in, NULL, NULL, shares, NULL));
    in.n = SKED_MAX_DEPTH + 1;
    assert_status(SKED_ERR_RANGE,
                  sked_share_once(&in, NULL, NULL, shares, NULL));
}

/* A host's own number for a state is no state. */
static void states_that_are_none_are_refused(void **state)
{
    const int32_t parent[] = {-1, 0, 0};
    const int64_t demand[] = {0, 8, 9}, capacity[] = {10};
    const uint8_t states[] = {SKED_STATE_RUNNING, SKED_STATE_DRAINING, 2};
    int64_t shares[3];
    sked_share_input in = {.struct_size = sizeof in,
                           .kinds = 1,
                           .n = 3,
                           .parent = parent,
                           .demand = demand,
                           .state = states,
                           .capacity = capacity};
    sked_error err;
    (void)state;

    assert_status(SKED_ERR_ARG, sked_share_once(&in, NULL, NULL, shares, &err));
    assert_i64(err.row, 2);
    in.n = 2;
    assert_ok(sked_share_once(&in, NULL, NULL, shares, NULL));
    assert_i64(shares[1], 0);
}

/* Both guaranteed half; the first has 8 of 10, of which 7 are its own. */
static void what_may_not_be_taken_stays(void **state)
{
    const int32_t parent[] = {-1, 0, 0};
    const int64_t guarantee[] = {0, 5, 5}, usage[] = {0, 8, 2};
    const int64_t demand[] = {0, 8, 9}, capacity[] = {10};
    int64_t held[] = {0, 7, 0}, shares[3];
    sked_share_options opts = {.struct_size = sizeof opts,
                               .model = SKED_SHARE_MODEL_CAPACITY};
    sked_share_input in = {.struct_size = sizeof in,
                           .kinds = 1,
                           .n = 3,
                           .parent = parent,
                           .guarantee = guarantee,
                           .demand = demand,
                           .usage = usage,
                           .capacity = capacity};
    (void)state;

    assert_ok(sked_share_once(&in, &opts, NULL, shares, NULL));
    assert_i64(shares[1], 5);
    in.held = held;
    assert_ok(sked_share_once(&in, &opts, NULL, shares, NULL));
    assert_i64(shares[1], 7);
    assert_i64(shares[2], 3);
    held[2] = -1;
    assert_status(SKED_ERR_RANGE,
                  sked_share_once(&in, &opts, NULL, shares, NULL));
}

static sked_status share_arrays(test_host *h, void *arg)
{
    const int32_t parent[] = {-1, 0, 0, 1, 1};
    const int64_t demand[] = {0, 0, 9, 9, 9}, capacity[] = {10};
    int64_t shares[5];
    sked_host hooks = test_host_hooks(h);
    sked_share_input in = {.struct_size = sizeof in,
                           .kinds = 1,
                           .n = 5,
                           .parent = parent,
                           .demand = demand,
                           .capacity = capacity};

    return sked_share_once(&in, arg, &hooks, shares, NULL);
}

static void one_shot_fails_as_a_whole(void **state)
{
    sked_share_options options[] = {
        {.struct_size = sizeof options[0]},
        {.struct_size = sizeof options[0], .scope = SKED_SHARE_SCOPE_DOMINANT},
    };
    (void)state;

    test_sweep(share_arrays, &options[0], 0);
    test_sweep(share_arrays, &options[1], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_are_checked),
        cmocka_unit_test(trees_of_too_many_levels_are_refused),
        cmocka_unit_test(states_that_are_none_are_refused),
        cmocka_unit_test(what_may_not_be_taken_stays),
        cmocka_unit_test(one_shot_fails_as_a_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
