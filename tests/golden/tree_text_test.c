/*
 * Trees as others describe theirs, kept as files: tiers below projects below
 * organisations, percentages at every level, reservations with shares. Each
 * has no fault, says what its document says, and survives being written.
 */
#include <sched/tree_text.h>

#include "cluster.h"
#include "test.h"

static void assert_survives(sked_tree *tree)
{
    static char text[1 << 14], again[1 << 14];
    uint64_t digest = sked_tree_digest(tree);
    size_t n;

    assert_ok(sked_tree_format(tree, text, sizeof text, &n));
    assert_ok(sked_tree_parse(tree, text, n, NULL, NULL, 0, NULL, NULL));
    assert_ok(sked_tree_commit(tree, SKED_TREE_COMMIT_STRICT, NULL));
    assert_true(sked_tree_digest(tree) == digest);
    assert_ok(sked_tree_format(tree, again, sizeof again, &n));
    assert_string_equal(text, again);
}

static int64_t holds(const sked_tree *tree, const char *path, int32_t attribute)
{
    int64_t x = 0;

    assert_ok(sked_tree_effective(tree, test_queue(tree, path), attribute, &x));
    return x;
}

/* [MON-2] [MON-4] [MON-5] [MON-11] */
static void tiers_below_projects_below_organisations(void **state)
{
    sked_tree *tree = test_tree_of("tests/golden/tiers.tree");
    const char *tier1 = "root.ads.bidding.tier1";
    const char *tier3 = "root.ads.bidding.default";
    size_t row;
    (void)state;

    assert_int_equal(sked_tree_count(tree), 13);
    assert_i64(holds(tree, "root", SKED_QUEUE_ORDER), SKED_ORDER_POLICY_FAIR);
    assert_i64(holds(tree, "root", SKED_QUEUE_FAIR_KIND), 1);
    assert_i64(holds(tree, "root.ads", SKED_QUEUE_WEIGHT), 6);
    assert_i64(holds(tree, "root.content", SKED_QUEUE_WEIGHT), 9);
    assert_i64(holds(tree, tier1, SKED_QUEUE_TIER), 1);
    assert_i64(holds(tree, tier1, SKED_QUEUE_MAX_RUNNING), 20);
    assert_i64(holds(tree, tier1, SKED_QUEUE_PREEMPT_FROM), 0);
    assert_i64(holds(tree, tier3, SKED_QUEUE_PREEMPT_FROM), 1);
    assert_true(holds(tree, tier1, SKED_QUEUE_PREEMPT_FAIR_TIMEOUT) <
                holds(tree, tier3, SKED_QUEUE_PREEMPT_FAIR_TIMEOUT));
    assert_i64(holds(tree, tier1, SKED_QUEUE_PREEMPT_FAIR_THRESHOLD), 300000);
    assert_ok(sked_tree_row(tree, test_queue(tree, tier1), &row));
    assert_int_equal(row, 6); /* three levels above it, then the first leaf */
    assert_survives(tree);
    sked_tree_free(tree);
}

/* [CAP-1] Parts of parts: C1 has half of C's half. */
static void percentages_at_every_level(void **state)
{
    sked_tree *tree = test_tree_of("tests/golden/percentages.tree");
    int64_t by_row[6];
    size_t n;
    const int64_t want[] = {0, 20, 30, 50, 25, 25};
    (void)state;

    assert_ok(sked_tree_column_vec(tree, SKED_QUEUE_GUARANTEE, 0, 100, by_row,
                                   6, &n));
    assert_int_equal(n, 6);
    for (size_t i = 1; i < n; i++) assert_i64(by_row[i], want[i]);
    assert_ok(
        sked_tree_column_vec(tree, SKED_QUEUE_LIMIT, 0, 100, by_row, 6, &n));
    assert_i64(by_row[1], 40);
    assert_i64(holds(tree, "root.C.C1", SKED_QUEUE_USER_LIMIT), 250000);
    assert_survives(tree);
    sked_tree_free(tree);
}

/* [PEL-8] */
static void reservations_limits_and_shares(void **state)
{
    static const char *const pools[] = {"root.RP1", "root.RP2", "root.RP3"};
    sked_tree *tree = test_tree_of("tests/golden/reservations.tree");
    int64_t amount;
    (void)state;

    for (size_t i = 0; i < 3; i++) {
        sked_queue_id q = test_queue(tree, pools[i]);
        assert_ok(sked_tree_get_vec(tree, q, SKED_QUEUE_GUARANTEE, &amount));
        assert_i64(amount, 20000);
        assert_ok(sked_tree_get_vec(tree, q, SKED_QUEUE_LIMIT, &amount));
        assert_i64(amount, 100000);
        assert_i64(holds(tree, pools[i], SKED_QUEUE_WEIGHT), 1);
        assert_i64(holds(tree, pools[i], SKED_QUEUE_PREEMPT_MIN_TIMEOUT), 0);
    }
    assert_survives(tree);
    sked_tree_free(tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiers_below_projects_below_organisations),
        cmocka_unit_test(percentages_at_every_level),
        cmocka_unit_test(reservations_limits_and_shares),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
