/* Orders on plain arrays: what is refused, known answers. */
#include "order_cases.h"

/* ---- Plain arrays ---- */

static sked_status order_of(const sked_order_children_input *in,
                            uint32_t *positions)
{
    size_t n;

    return sked_order_children(in, NULL, positions, NULL, &n, NULL);
}

static void columns_that_say_too_little_are_refused(void **state)
{
    const int64_t one[1] = {1}, bad[1] = {-1};
    uint32_t got[1];
    size_t n;
    sked_error err;
    (void)state;

    for (int32_t order = 0; order <= SKED_ORDER_POLICY_HOST + 1; order++) {
        sked_order_children_input in = {
            .struct_size = sizeof in, .order = order, .kinds = 1, .n = 1};
        int needs = order == SKED_ORDER_POLICY_DRF ||
                    order == SKED_ORDER_POLICY_UTILISATION ||
                    order == SKED_ORDER_POLICY_PRIORITY ||
                    order == SKED_ORDER_POLICY_SHARE ||
                    order == SKED_ORDER_POLICY_HOST;
        int known = order <= SKED_ORDER_POLICY_SHARE ||
                    order == SKED_ORDER_POLICY_HOST;
        assert_status(known && !needs ? SKED_OK : SKED_ERR_ARG,
                      order_of(&in, got));
    }
    sked_order_children_input in = {.struct_size = sizeof in,
                                    .order = SKED_ORDER_POLICY_FAIR,
                                    .kinds = 1,
                                    .n = 1,
                                    .usage = bad};
    assert_status(SKED_ERR_RANGE,
                  sked_order_children(&in, NULL, got, NULL, &n, &err));
    assert_i64(err.row, 0);
    in.usage = one;
    assert_ok(order_of(&in, got));
    in.kind = 1;
    assert_status(SKED_ERR_ARG, order_of(&in, got));
    in.kind = UINT32_MAX;
    assert_status(SKED_ERR_ARG, order_of(&in, got));
    in.kind = 0;
    in.flags = 4;
    assert_status(SKED_ERR_ARG, order_of(&in, got));
    in.flags = 0;
    in.kinds = 0;
    assert_status(SKED_ERR_RANGE, order_of(&in, got));
    in.kinds = SKED_MAX_KINDS + 1;
    assert_status(SKED_ERR_RANGE, order_of(&in, got));
    in.kinds = 1;
    in.n = (uint32_t)INT32_MAX + 1;
    assert_status(SKED_ERR_RANGE, order_of(&in, got));
    in.n = 1;
    in.struct_size = 8;
    assert_status(SKED_ERR_VERSION, order_of(&in, got));
    assert_status(SKED_ERR_ARG, order_of(NULL, got));
    assert_status(SKED_ERR_ARG, order_of(&in, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_order_children(&in, NULL, got, NULL, NULL, NULL));
}

static void every_column_that_is_read_is_checked(void **state)
{
    const int64_t one[1] = {1}, bad[1] = {SKED_AMOUNT_MAX + 1};
    uint32_t got[1];
    sked_order_children_input in = {.struct_size = sizeof in,
                                    .order = SKED_ORDER_POLICY_DRF,
                                    .kinds = 1,
                                    .n = 1,
                                    .capacity = bad};
    (void)state;

    assert_status(SKED_ERR_RANGE, order_of(&in, got));
    in.order = SKED_ORDER_POLICY_UTILISATION;
    assert_status(SKED_ERR_RANGE, order_of(&in, got));
    in.parent = one;
    assert_ok(order_of(&in, got));
    in.guarantee = bad;
    assert_status(SKED_ERR_RANGE, order_of(&in, got));
    in.order = SKED_ORDER_POLICY_FIFO; /* looks at nothing */
    assert_ok(order_of(&in, got));
}

static void applications_that_say_too_little_are_refused(void **state)
{
    const int64_t one[1] = {1}, bad[1] = {-1};
    const uint32_t user[1] = {1};
    uint32_t got[1];
    size_t n;
    sked_error err;
    sked_order_apps_input in = {.struct_size = sizeof in, .kinds = 1, .n = 1};
    (void)state;

    for (in.order = -1; in.order <= SKED_APPS_HOST + 1; in.order++) {
        int known = in.order == SKED_APPS_FIFO ||
                    in.order == SKED_APPS_PRIORITY;
        assert_status(known ? SKED_OK : SKED_ERR_ARG,
                      sked_order_apps(&in, NULL, got, NULL, &n, NULL));
    }
    in.order = SKED_APPS_USER_FAIR;
    in.capacity = one;
    assert_status(SKED_ERR_ARG,
                  sked_order_apps(&in, NULL, got, NULL, &n, NULL));
    in.user = user;
    in.users = 1;
    assert_status(SKED_ERR_RANGE,
                  sked_order_apps(&in, NULL, got, NULL, &n, &err));
    assert_i64(err.got, 1);
    in.users = 2;
    assert_ok(sked_order_apps(&in, NULL, got, NULL, &n, NULL));
    in.order = SKED_APPS_FAIR;
    in.usage = bad;
    assert_status(SKED_ERR_RANGE,
                  sked_order_apps(&in, NULL, got, NULL, &n, NULL));
    in.usage = NULL;
    in.capacity = bad;
    assert_status(SKED_ERR_RANGE,
                  sked_order_apps(&in, NULL, got, NULL, &n, NULL));
    in.order = SKED_APPS_FIFO;
    in.flags = 1;
    assert_status(SKED_ERR_ARG,
                  sked_order_apps(&in, NULL, got, NULL, &n, NULL));
    in.flags = 0;
    in.kinds = 33;
    assert_status(SKED_ERR_RANGE,
                  sked_order_apps(&in, NULL, got, NULL, &n, NULL));
    in.struct_size = 1;
    assert_status(SKED_ERR_VERSION,
                  sked_order_apps(&in, NULL, got, NULL, &n, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_order_apps(NULL, NULL, got, NULL, &n, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_order_apps(&in, NULL, NULL, NULL, &n, NULL));
}

/* Within its guarantee a queue of low priority goes before one beyond. */
static void within_first_puts_guarantees_before_priorities(void **state)
{
    const int64_t usage[3] = {9, 2, 12}, guarantee[3] = {10, 10, 10};
    const int64_t capacity[1] = {30};
    const int32_t priority[3] = {1, 0, 5};
    uint32_t got[3];
    sked_order_children_input in = {.struct_size = sizeof in,
                                    .order = SKED_ORDER_POLICY_PRIORITY,
                                    .kinds = 1,
                                    .n = 3,
                                    .priority = priority,
                                    .usage = usage,
                                    .guarantee = guarantee,
                                    .capacity = capacity};
    (void)state;

    assert_ok(order_of(&in, got));
    assert_true(got[0] == 2 && got[1] == 0 && got[2] == 1);
    in.flags = SKED_ORDER_FLAG_WITHIN_FIRST;
    assert_ok(order_of(&in, got));
    assert_true(got[0] == 0 && got[1] == 1 && got[2] == 2);
}

/* ---- Fair tree ---- */

static void nodes_that_are_no_tree_are_refused(void **state)
{
    const uint32_t parent[3] = {9, 0, 2};
    const int64_t usage[3] = {0, SKED_AMOUNT_MAX, 1}, bad[1] = {-1};
    uint32_t ranks[3];
    sked_error err;
    (void)state;

    assert_status(SKED_ERR_ARG, sked_fair_tree_ranks(parent, NULL, usage, 3,
                                                     NULL, ranks, &err));
    assert_i64(err.row, 2);
    assert_status(SKED_ERR_RANGE, sked_fair_tree_ranks(parent, NULL, usage, 0,
                                                       NULL, ranks, NULL));
    assert_status(SKED_ERR_RANGE, sked_fair_tree_ranks(parent, NULL, bad, 1,
                                                       NULL, ranks, &err));
    assert_i64(err.row, 0);
    assert_status(SKED_ERR_ARG, sked_fair_tree_ranks(NULL, NULL, usage, 2, NULL,
                                                     ranks, NULL));
    assert_status(SKED_ERR_ARG, sked_fair_tree_ranks(parent, NULL, NULL, 2,
                                                     NULL, ranks, NULL));
    assert_status(SKED_ERR_ARG, sked_fair_tree_ranks(parent, NULL, usage, 2,
                                                     NULL, NULL, NULL));
    const uint32_t star[3] = {0, 0, 0};
    assert_status(SKED_ERR_RANGE, sked_fair_tree_ranks(star, NULL, usage, 3,
                                                       NULL, ranks, NULL));
    assert_ok(sked_fair_tree_ranks(star, NULL, usage, 1, NULL, ranks, NULL));
    assert_i64(ranks[0], 1);
}

static sked_status stop(void *user, uint64_t done, uint64_t total)
{
    (void)user;
    return done > 0 && done < total ? SKED_STOPPED : SKED_OK;
}

/* A chain of a hundred thousand accounts, and two users at its end. The host may
 * stop on the way. */
static void depth_is_no_matter(void **state)
{
    enum { N = 100002 };
    static uint32_t parent[N], ranks[N];
    static int64_t usage[N];
    (void)state;

    for (uint32_t i = 1; i < N; i++) parent[i] = i - 1;
    parent[N - 1] = N - 3;
    usage[N - 1] = 7;
    assert_ok(sked_fair_tree_ranks(parent, NULL, usage, N, NULL, ranks, NULL));
    assert_i64(ranks[N - 2], 2);
    assert_i64(ranks[N - 1], 1);
    assert_i64(ranks[N - 3], 0);
    sked_host host = {.struct_size = sizeof host, .progress = stop};
    sked_error err;
    assert_status(
        SKED_ERR_CANCELLED,
        sked_fair_tree_ranks(parent, NULL, usage, N, &host, ranks, &err));
    assert_string_equal(err.message, "stopped by the host");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_that_say_too_little_are_refused),
        cmocka_unit_test(every_column_that_is_read_is_checked),
        cmocka_unit_test(applications_that_say_too_little_are_refused),
        cmocka_unit_test(within_first_puts_guarantees_before_priorities),
        cmocka_unit_test(nodes_that_are_no_tree_are_refused),
        cmocka_unit_test(depth_is_no_matter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
