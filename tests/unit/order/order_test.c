/* Orders over a tree: which child is next. */
#include "order_cases.h"

/* ---- Over a tree ---- */

static void a_parent_serves_its_children_in_its_order(void **state)
{
    world *w = *state;
    const int64_t guarantee[2] = {40, 400};

    use(w, w->a, 20, 50);
    use(w, w->b, 10, 50);
    use(w, w->c, 30, 50);
    order_by(w, SKED_ORDER_POLICY_FIFO);
    must_list(w, w->a, w->b, w->c);
    order_by(w, SKED_ORDER_POLICY_DRF);
    must_list(w, w->b, w->a, w->c);
    assert_ok(sked_tree_set(w->tree, w->c, SKED_QUEUE_WEIGHT, 4, NULL));
    order_by(w, SKED_ORDER_POLICY_FAIR); /* 20, 10, 7.5 */
    must_list(w, w->c, w->b, w->a);
    assert_ok(sked_tree_set_vec(w->tree, w->a, SKED_QUEUE_GUARANTEE, guarantee,
                                NULL));
    order_by(w, SKED_ORDER_POLICY_UTILISATION); /* 20/40, 10/16, 30/66 */
    must_list(w, w->c, w->a, w->b);
    assert_ok(sked_tree_set(w->tree, w->b, SKED_QUEUE_PRIORITY, 1, NULL));
    order_by(w, SKED_ORDER_POLICY_PRIORITY);
    must_list(w, w->b, w->c, w->a);
}

static void guarantees_count_where_no_child_has_a_weight(void **state)
{
    world *w = *state;
    const int64_t small[2] = {20, 200}, large[2] = {80, 800};
    const sked_queue_id ids[3] = {w->a, w->b, w->c};

    for (size_t i = 0; i < 3; i++) {
        assert_ok(sked_tree_set(w->tree, ids[i], SKED_QUEUE_WEIGHT, 0, NULL));
        assert_ok(sked_tree_set_vec(w->tree, ids[i], SKED_QUEUE_GUARANTEE,
                                    i == 2 ? large : small, NULL));
    }
    use(w, w->a, 19, 50);
    use(w, w->b, 10, 50);
    use(w, w->c, 20, 50);
    order_by(w, SKED_ORDER_POLICY_UTILISATION); /* 95 %, 50 %, 25 % */
    must_list(w, w->c, w->b, w->a);
    order_by(w, SKED_ORDER_POLICY_PRIORITY);
    must_list(w, w->c, w->b, w->a);
}

/* Of the root's 100 a queue is guaranteed half, and its child x a tenth of
 * that, which is 5; the sibling y is guaranteed nothing and counts by weight.
 */
static void parts_go_down_the_path(void **state)
{
    world *w = *state;
    sked_queue_id x = add(w, w->a, "x"), y = add(w, w->a, "y");
    sked_queue_id ids[2];
    size_t n;

    assert_ok(
        sked_tree_set(w->tree, w->a, SKED_QUEUE_GUARANTEE_PPM, 500000, NULL));
    assert_ok(
        sked_tree_set(w->tree, x, SKED_QUEUE_GUARANTEE_PPM, 100000, NULL));
    assert_ok(sked_tree_set(w->tree, w->a, SKED_QUEUE_ORDER,
                            SKED_ORDER_POLICY_UTILISATION, NULL));
    commit(w);
    use(w, x, 4, 9);   /* 4/5 */
    use(w, y, 19, 30); /* 19/25 */
    assert_ok(sked_order_list(w->order, &w->view, w->a, ids, 2, &n, NULL));
    assert_true(ids[0] == y && ids[1] == x);
    use(w, y, 21, 30);
    assert_ok(sked_order_list(w->order, &w->view, w->a, ids, 2, &n, NULL));
    assert_true(ids[0] == x && ids[1] == y);

    /* Nothing said anywhere: a third of the capacity, half of that. */
    sked_queue_id p = add(w, w->b, "p"), q = add(w, w->b, "q");
    const int64_t said[2] = {15, 0};
    assert_ok(sked_tree_set_vec(w->tree, p, SKED_QUEUE_GUARANTEE, said, NULL));
    assert_ok(sked_tree_set(w->tree, w->b, SKED_QUEUE_ORDER,
                            SKED_ORDER_POLICY_UTILISATION, NULL));
    commit(w);
    use(w, p, 15, 99);
    use(w, q, 15, 99); /* 15/16 */
    assert_ok(sked_order_list(w->order, &w->view, w->b, ids, 2, &n, NULL));
    assert_true(ids[0] == q);
}

static void only_queues_that_want_more_are_eligible(void **state)
{
    world *w = *state;
    sked_queue_id ids[3];
    uint8_t eligible[4] = {1, 0, 0, 1};
    size_t n;

    use(w, w->a, 5, 6);
    use(w, w->b, 5, 5);
    use(w, w->c, 5, 6);
    assert_ok(sked_order_list(w->order, &w->view, w->root, ids, 3, &n, NULL));
    assert_i64((int64_t)n, 2);
    assert_ok(sked_tree_set(w->tree, w->a, SKED_QUEUE_STATE,
                            SKED_STATE_DRAINING, NULL));
    commit(w);
    assert_ok(sked_order_next(w->order, &w->view, w->root, ids, NULL));
    assert_true(ids[0] == w->c);
    w->view.eligible = eligible;
    assert_ok(sked_order_next(w->order, &w->view, w->root, ids, NULL));
    assert_true(ids[0] == w->c);
    eligible[3] = 0;
    assert_ok(sked_order_next(w->order, &w->view, w->root, ids, NULL));
    assert_true(ids[0] == SKED_NO_QUEUE);
    assert_ok(sked_order_list(w->order, &w->view, w->root, NULL, 0, &n, NULL));
    assert_i64((int64_t)n, 0);
}

/* A list without enough space draws nothing. */
static void a_list_without_space_draws_nothing(void **state)
{
    world *w = *state;
    sked_queue_id ids[3];
    size_t n;

    order_by(w, SKED_ORDER_POLICY_RANDOM);
    use(w, w->a, 0, 9);
    use(w, w->b, 0, 9);
    uint64_t before = sked_order_digest(w->order);
    assert_status(SKED_ERR_RANGE, sked_order_list(w->order, &w->view, w->root,
                                                  ids, 1, &n, NULL));
    assert_true(sked_order_digest(w->order) == before);
    assert_ok(sked_order_list(w->order, &w->view, w->root, ids, 2, &n, NULL));
    assert_true(sked_order_digest(w->order) != before);
}

/* One draw a child: who is taken, and the last one fills the gap. */
static uint64_t next_draw(void *user)
{
    static const uint64_t third = UINT64_MAX / 3;
    uint64_t *at = user;

    return (*at)++ == 0 ? third + 1 : 0; /* 1 of 3, then 0, 0 */
}

static void chance_draws_as_written(void **state)
{
    world *w = *state;
    uint64_t at = 0;
    sked_host host = {
        .struct_size = sizeof host, .user = &at, .random = next_draw};
    sked_order *order;
    sked_queue_id ids[3];
    size_t n;

    order_by(w, SKED_ORDER_POLICY_RANDOM);
    use(w, w->a, 0, 1);
    use(w, w->b, 0, 1);
    use(w, w->c, 0, 1);
    assert_ok(sked_order_new(NULL, &host, &order, NULL));
    assert_ok(sked_order_list(order, &w->view, w->root, ids, 3, &n, NULL));
    assert_true(ids[0] == w->b && ids[1] == w->a && ids[2] == w->c);
    at = 0;
    assert_ok(sked_order_next(order, &w->view, w->root, ids, NULL));
    assert_true(ids[0] == w->b);
    sked_order_free(order);
}

static void a_copy_goes_on_as_the_first_would(void **state)
{
    world *w = *state;
    sked_order *copy;
    sked_queue_id here[3], there[3];
    size_t n;

    order_by(w, SKED_ORDER_POLICY_RANDOM);
    use(w, w->a, 0, 9);
    use(w, w->b, 0, 9);
    for (int i = 0; i < 3; i++) (void)turn(w);
    assert_ok(sked_order_copy(w->order, NULL, &copy, NULL));
    assert_true(sked_order_digest(copy) == sked_order_digest(w->order));
    use(w, w->c, 0, 9);
    for (int i = 0; i < 20; i++) {
        assert_ok(
            sked_order_list(w->order, &w->view, w->root, here, 3, &n, NULL));
        assert_ok(sked_order_list(copy, &w->view, w->root, there, 3, &n, NULL));
        assert_memory_equal(here, there, sizeof here);
    }
    sked_order_free(copy);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_parent_serves_its_children_in_its_order),
        TEST(guarantees_count_where_no_child_has_a_weight),
        TEST(parts_go_down_the_path),
        TEST(only_queues_that_want_more_are_eligible),
        TEST(a_list_without_space_draws_nothing),
        TEST(chance_draws_as_written),
        TEST(a_copy_goes_on_as_the_first_would),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
