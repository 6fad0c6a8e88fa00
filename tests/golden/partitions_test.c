/* Parts of a cluster as capacities, and queues over two partitions. */
#include "cluster.h"
#include "test.h"

#include <sched/fault.h>
#include <sched/order.h>

static const char *const queue[] = {"root.A", "root.B", "root.C.C1",
                                    "root.C.C2"};

static void every_queue_wants(test_cluster *c, int64_t a, int64_t b, int64_t c1,
                              int64_t c2)
{
    const int64_t wants[] = {a, b, c1, c2};

    for (size_t i = 0; i < 4; i++) {
        test_cluster_set(c, SKED_LEDGER_DEMAND, queue[i], &wants[i]);
    }
}

static void assert_shares(test_cluster *c, int64_t a, int64_t b, int64_t c1,
                          int64_t c2)
{
    const int64_t want[] = {a, b, c1, c2};

    for (size_t i = 0; i < 4; i++) {
        assert_i64(test_cluster_share(c, queue[i], 0), want[i]);
    }
}

static const sked_share_options by_capacity = {
    .struct_size = sizeof by_capacity, .model = SKED_SHARE_MODEL_CAPACITY};

/* [CAP-1] A 20 %, B 30 %, C 50 %: when all ask, that is what each gets. */
static void capacity_is_the_least_it_can_get(void **state)
{
    const int64_t capacity = 1000;
    sked_tree *tree = test_tree_of("tests/golden/percentages.tree");
    test_cluster c = test_cluster_of(tree, &capacity, &by_capacity);
    (void)state;

    every_queue_wants(&c, 9999, 9999, 9999, 9999);
    assert_shares(&c, 200, 300, 250, 250);
    test_cluster_free(&c);
    sked_tree_free(tree);
}

/* [CAP-1] 20, 30 and 40 do not add to 100 %: told, and refused. */
static void parts_of_siblings_add_to_a_hundred(void **state)
{
    sked_tree *tree = test_tree_of("tests/golden/percentages.tree");
    sked_fault fault;
    size_t n;
    (void)state;

    assert_ok(sked_tree_set(tree, test_queue(tree, "root.C"),
                            SKED_QUEUE_GUARANTEE_PPM, 400000, NULL));
    assert_ok(sked_tree_faults(tree, &fault, 1, &n));
    assert_int_equal(n, 1);
    assert_int_equal(fault.code, SKED_FAULT_PARTS_SUM);
    assert_i64(fault.got, 900000);
    assert_status(SKED_ERR_INVALID,
                  sked_tree_commit(tree, SKED_TREE_COMMIT_STRICT, NULL));
    sked_tree_free(tree);
}

/* [CAP-2] What C leaves idle goes to A up to its maximum of 40 %, and to B. */
static void idle_parts_are_used_up_to_the_maximum(void **state)
{
    const int64_t capacity = 1000;
    sked_tree *tree = test_tree_of("tests/golden/percentages.tree");
    test_cluster c = test_cluster_of(tree, &capacity, &by_capacity);
    (void)state;

    every_queue_wants(&c, 9999, 9999, 0, 0);
    assert_shares(&c, 400, 600, 0, 0);
    every_queue_wants(&c, 9999, 50, 0, 0);
    assert_shares(&c, 400, 50, 0, 0);
    every_queue_wants(&c, 0, 0, 9999, 100);
    assert_shares(&c, 0, 0, 900, 100);
    test_cluster_free(&c);
    sked_tree_free(tree);
}

/* [CAP-9] A and B have all of it until C1 and C2 below C ask: what A and B are
 * over goes to C and, there, to those that asked, by their parts. */
static void what_comes_back_reaches_the_right_level(void **state)
{
    const int64_t capacity = 1000;
    sked_tree *tree = test_tree_of("tests/golden/percentages.tree");
    test_cluster c = test_cluster_of(tree, &capacity, &by_capacity);
    (void)state;

    every_queue_wants(&c, 400, 600, 0, 0);
    assert_shares(&c, 400, 600, 0, 0);
    every_queue_wants(&c, 400, 600, 9999, 9999);
    assert_shares(&c, 200, 300, 250, 250);
    assert_i64(test_cluster_share(&c, "root.C", 0), 500);
    every_queue_wants(&c, 400, 600, 9999, 50);
    assert_shares(&c, 200, 300, 450, 50);
    test_cluster_free(&c);
    sked_tree_free(tree);
}

/* [LNK-12] One tree, a partition of 4,000 nodes and one of 2,000: a ledger and
 * shares for each, and a queue's limit in each is a part of that one. Where B
 * is idle, A and C have 2,000 in the ratio of 2 to 5. */
static void partitions_share_a_tree_and_nothing_else(void **state)
{
    const int64_t primary = 4000, secondary = 2000, held = 700;
    sked_tree *tree = test_tree_of("tests/golden/percentages.tree");
    test_cluster p = test_cluster_of(tree, &primary, &by_capacity);
    test_cluster s = test_cluster_of(tree, &secondary, &by_capacity);
    int64_t usage;
    (void)state;

    every_queue_wants(&p, 9999, 9999, 0, 0);
    every_queue_wants(&s, 9999, 0, 9999, 9999);
    assert_shares(&p, 1600, 2400, 0, 0);
    assert_shares(&s, 571, 0, 715, 714);
    test_cluster_set(&p, SKED_LEDGER_USAGE, "root.A", &held);
    assert_ok(sked_ledger_get(p.ledger, SKED_LEDGER_USAGE, sked_tree_root(tree),
                              &usage));
    assert_i64(usage, held);
    assert_ok(sked_ledger_get(s.ledger, SKED_LEDGER_USAGE, sked_tree_root(tree),
                              &usage));
    assert_i64(usage, 0);
    assert_shares(&s, 571, 0, 715, 714);
    test_cluster_free(&p);
    test_cluster_free(&s);
    sked_tree_free(tree);
}

static uint32_t first_of(int32_t order, const int64_t *usage, uint64_t seed)
{
    static const int64_t guarantee[] = {1000, 1000}, capacity = 2000;
    sked_order_children_input in = {.struct_size = sizeof in,
                                    .order = order,
                                    .kinds = 1,
                                    .n = 2,
                                    .usage = usage,
                                    .guarantee = guarantee,
                                    .capacity = &capacity,
                                    .seed = seed};
    uint32_t turns[2];
    size_t n;

    assert_ok(sked_order_children(&in, NULL, turns, NULL, &n, NULL));
    assert_int_equal(n, 2);
    return turns[0];
}

/* [LNK-1] A uses 10 % and B 20 %: A goes first. A still goes first at 9.5 and
 * 19 %, for as long as its churn keeps A there. Draws end the lock-out: each of
 * the two goes first in about half of the passes. */
static void least_utilisation_stays_with_the_queue_that_churns(void **state)
{
    const int64_t before[] = {100, 200}, after[] = {95, 190};
    uint32_t turns[2] = {0, 0};
    (void)state;

    assert_int_equal(first_of(SKED_ORDER_POLICY_UTILISATION, before, 0), 0);
    assert_int_equal(first_of(SKED_ORDER_POLICY_UTILISATION, after, 0), 0);
    for (uint64_t seed = 0; seed < 1000; seed++) {
        turns[first_of(SKED_ORDER_POLICY_RANDOM, after, seed)]++;
    }
    assert_in_range(turns[0], 450, 550); /* three standard deviations: 47 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(capacity_is_the_least_it_can_get),
        cmocka_unit_test(parts_of_siblings_add_to_a_hundred),
        cmocka_unit_test(idle_parts_are_used_up_to_the_maximum),
        cmocka_unit_test(what_comes_back_reaches_the_right_level),
        cmocka_unit_test(partitions_share_a_tree_and_nothing_else),
        cmocka_unit_test(least_utilisation_stays_with_the_queue_that_churns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
