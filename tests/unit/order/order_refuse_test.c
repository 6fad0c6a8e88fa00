/* Orders over a tree: other trees, what is refused, memory, stopping. */
#include "order_cases.h"

/* ---- Over a tree ---- */

/* An order stores nothing about queues, so it serves any tree. A ledger that
 * follows another tree is an error. */
static void an_order_serves_another_tree(void **state)
{
    world *w = *state;
    sked_order_input there = w->view;
    const int64_t demand[2] = {9, 0};
    sked_tree *tree = NULL;
    sked_ledger *ledger = NULL;
    sked_queue_id x, next;

    order_by(w, SKED_ORDER_POLICY_RANDOM);
    use(w, w->a, 0, 9);
    assert_ok(sked_order_next(w->order, &w->view, w->root, &next, NULL));
    assert_ok(
        sked_tree_new(sked_tree_schema(w->tree), NULL, NULL, &tree, NULL));
    sked_queue_id root = sked_tree_root(tree);
    assert_ok(sked_tree_add(tree, root, "x", &x, NULL));
    assert_ok(sked_tree_commit(tree, SKED_TREE_COMMIT_LENIENT, NULL));
    there.tree = tree;
    assert_status(SKED_ERR_STATE,
                  sked_order_next(w->order, &there, root, &next, NULL));
    assert_ok(sked_ledger_new(tree, NULL, NULL, &ledger, NULL));
    assert_ok(sked_ledger_set(ledger, SKED_LEDGER_DEMAND, &x, demand, 1, NULL));
    there.ledger = ledger;
    assert_ok(sked_order_next(w->order, &there, root, &next, NULL));
    assert_true(next == x);
    sked_ledger_free(ledger);
    sked_tree_free(tree);
}

static void orders_that_are_none_are_refused(void **state)
{
    world *w = *state;
    sked_order *made;
    sked_order_options opts = {.struct_size = sizeof opts, .flags = 4};
    sked_host strange = {.struct_size = sizeof strange, .flags = 64};

    use(w, w->a, 0, 1);
    assert_status(SKED_ERR_ARG, sked_order_new(&opts, NULL, &made, NULL));
    opts.struct_size = 1;
    assert_status(SKED_ERR_VERSION, sked_order_new(&opts, NULL, &made, NULL));
    assert_status(SKED_ERR_ARG, sked_order_new(NULL, &strange, &made, NULL));
    assert_status(SKED_ERR_ARG, sked_order_new(NULL, NULL, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_order_copy(NULL, NULL, &made, NULL));
    assert_status(SKED_ERR_ARG, sked_order_copy(w->order, NULL, NULL, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_order_copy(w->order, &strange, &made, NULL));
    sked_order_free(NULL);
    assert_status(SKED_ERR_ARG, sked_order_reserve(NULL, 1, NULL));
    assert_status(SKED_ERR_RANGE,
                  sked_order_reserve(w->order, SKED_MAX_QUEUES + 1, NULL));
    assert_true(sked_order_digest(NULL) == 0);
    assert_status(SKED_ERR_ARG, sked_order_check(NULL, NULL));
}

static void calls_that_lack_something_are_refused(void **state)
{
    world *w = *state;
    sked_queue_id ids[3];
    size_t n;

    use(w, w->a, 0, 1);
    assert_status(SKED_ERR_ARG,
                  sked_order_list(NULL, &w->view, w->root, ids, 3, &n, NULL));
    assert_status(SKED_ERR_ARG, sked_order_list(w->order, &w->view, w->root,
                                                NULL, 3, &n, NULL));
    assert_status(SKED_ERR_ARG, sked_order_list(w->order, &w->view, w->root,
                                                ids, 3, NULL, NULL));
    assert_status(SKED_ERR_RANGE, sked_order_list(w->order, &w->view, w->root,
                                                  ids, 0, &n, NULL));
    assert_i64((int64_t)n, 1);
    assert_status(SKED_ERR_ARG,
                  sked_order_next(NULL, &w->view, w->root, ids, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_order_next(w->order, &w->view, w->root, NULL, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_order_next(w->order, NULL, w->root, ids, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_order_next(w->order, &w->view, w->a, ids, NULL));
    assert_status(SKED_ERR_STALE,
                  sked_order_next(w->order, &w->view, 77, ids, NULL));
}

static void views_that_lack_something_are_refused(void **state)
{
    world *w = *state;
    sked_queue_id ids[3];

    use(w, w->a, 0, 1);
    w->capacity[0] = -1;
    assert_status(SKED_ERR_RANGE,
                  sked_order_next(w->order, &w->view, w->root, ids, NULL));
    w->view.struct_size = 4;
    assert_status(SKED_ERR_VERSION,
                  sked_order_next(w->order, &w->view, w->root, ids, NULL));
    w->view.struct_size = sizeof w->view;
    w->view.ledger = NULL;
    assert_status(SKED_ERR_ARG,
                  sked_order_next(w->order, &w->view, w->root, ids, NULL));
    w->view.ledger = w->ledger;
    w->view.flags = 1;
    assert_status(SKED_ERR_ARG,
                  sked_order_next(w->order, &w->view, w->root, ids, NULL));
    w->view.flags = 0;
    w->view.tree = NULL;
    assert_status(SKED_ERR_ARG,
                  sked_order_next(w->order, &w->view, w->root, ids, NULL));
    w->view.tree = w->tree;
    w->view.capacity = NULL;
    assert_status(SKED_ERR_ARG,
                  sked_order_next(w->order, &w->view, w->root, ids, NULL));
    w->view.capacity = w->capacity;
    (void)add(w, w->root, "late");
    assert_ok(sked_tree_commit(w->tree, SKED_TREE_COMMIT_LENIENT, NULL));
    assert_status(SKED_ERR_STATE,
                  sked_order_next(w->order, &w->view, w->root, ids, NULL));
}

static void ranks_follow_the_history(void **state)
{
    world *w = *state;
    const int64_t past[2] = {8, 0}, less[2] = {2, 0};
    uint32_t ranks[4];
    size_t n;

    assert_ok(
        sked_ledger_set(w->ledger, SKED_LEDGER_HISTORY, &w->a, past, 1, NULL));
    assert_ok(
        sked_ledger_set(w->ledger, SKED_LEDGER_HISTORY, &w->b, less, 1, NULL));
    assert_ok(sked_fair_tree(w->tree, w->ledger, 0, NULL, ranks, 4, &n, NULL));
    assert_i64((int64_t)n, 4);
    assert_true(ranks[0] == 0 && ranks[1] == 1 && ranks[2] == 2 &&
                ranks[3] == 3);

    assert_status(SKED_ERR_ARG,
                  sked_fair_tree(NULL, w->ledger, 0, NULL, ranks, 4, &n, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_fair_tree(w->tree, NULL, 0, NULL, ranks, 4, &n, NULL));
    assert_status(SKED_ERR_ARG, sked_fair_tree(w->tree, w->ledger, 0, NULL,
                                               ranks, 4, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_fair_tree(w->tree, w->ledger, 0, NULL,
                                               NULL, 4, &n, NULL));
    assert_status(SKED_ERR_ARG, sked_fair_tree(w->tree, w->ledger, 2, NULL,
                                               ranks, 4, &n, NULL));
    assert_status(SKED_ERR_ARG, sked_fair_tree(w->tree, w->ledger, UINT32_MAX,
                                               NULL, ranks, 4, &n, NULL));
    assert_status(SKED_ERR_RANGE, sked_fair_tree(w->tree, w->ledger, 0, NULL,
                                                 ranks, 3, &n, NULL));
    (void)add(w, w->root, "late");
    assert_ok(sked_tree_commit(w->tree, SKED_TREE_COMMIT_LENIENT, NULL));
    assert_status(SKED_ERR_STATE, sked_fair_tree(w->tree, w->ledger, 0, NULL,
                                                 ranks, 9, &n, NULL));
}

/* ---- Memory and stopping ---- */

static sked_status plain_calls(test_host *h, void *arg)
{
    sked_host hooks = test_host_hooks(h);
    const int64_t capacity[1] = {9}, usage[3] = {3, 1, 2};
    const uint32_t parent[3] = {0, 0, 0};
    uint32_t got[3];
    size_t n;
    sked_order_children_input in = {.struct_size = sizeof in,
                                    .kinds = 1,
                                    .n = 3,
                                    .usage = usage,
                                    .capacity = capacity};
    sked_order_apps_input apps = {
        .struct_size = sizeof apps, .kinds = 1, .n = 3};
    (void)arg;

    sked_status rc = sked_order_children(&in, &hooks, got, NULL, &n, NULL);
    if (rc == SKED_OK) rc = sked_order_apps(&apps, &hooks, got, NULL, &n, NULL);
    if (rc == SKED_OK) {
        rc = sked_fair_tree_ranks(parent, NULL, usage, 3, &hooks, got, NULL);
    }
    return rc;
}

static sked_status handle_calls(test_host *h, void *arg)
{
    world *w = arg;
    sked_host hooks = test_host_hooks(h);
    sked_order *order, *copy = NULL;
    sked_queue_id ids[3];
    size_t n;
    sked_status rc = sked_order_new(NULL, &hooks, &order, NULL);

    if (rc != SKED_OK) return rc;
    rc = sked_order_list(order, &w->view, w->root, ids, 3, &n, NULL);
    if (rc == SKED_OK) rc = sked_order_copy(order, &hooks, &copy, NULL);
    if (rc == SKED_OK) rc = sked_order_reserve(order, 100, NULL);
    sked_order_free(copy);
    sked_order_free(order);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    world *w = *state;

    use(w, w->a, 0, 9);
    use(w, w->b, 0, 9);
    order_by(w, SKED_ORDER_POLICY_RANDOM);
    test_sweep(plain_calls, NULL, 0);
    test_sweep(handle_calls, w, 0);
}

static void a_broken_order_is_found(void **state)
{
    world *w = *state;

    use(w, w->a, 0, 9);
    use(w, w->b, 0, 9);
    order_by(w, SKED_ORDER_POLICY_RANDOM);
    assert_ok(sked_order_check(w->order, NULL));
    for (int i = 0; i < 9; i++) (void)turn(w);
    assert_ok(sked_order_check(w->order, NULL));
    w->order->flags |= 1u << 31;
    assert_status(SKED_ERR_INTERNAL, sked_order_check(w->order, NULL));
    w->order->flags &= ~(1u << 31);
    w->order->sorting.n = w->order->sorting.cap + 1;
    assert_status(SKED_ERR_INTERNAL, sked_order_check(w->order, NULL));
    w->order->sorting.n = 0;
    assert_ok(sked_order_check(w->order, NULL));
}

static void passes_within_the_reserve_never_allocate(void **state)
{
    world *w = *state;

    use(w, w->a, 0, 9);
    use(w, w->b, 0, 9);
    order_by(w, SKED_ORDER_POLICY_RANDOM);
    assert_ok(sked_order_reserve(w->order, 4, NULL));
    w->host.trap = 1;
    for (int i = 0; i < 9; i++) (void)turn(w);
    w->host.trap = 0;
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(an_order_serves_another_tree),
        TEST(orders_that_are_none_are_refused),
        TEST(calls_that_lack_something_are_refused),
        TEST(views_that_lack_something_are_refused),
        TEST(ranks_follow_the_history),
        TEST(every_allocation_may_fail),
        TEST(a_broken_order_is_found),
        TEST(passes_within_the_reserve_never_allocate),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
