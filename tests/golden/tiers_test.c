/* Organisation, project, tier: weights and settings as Monarch uses them. */
#include "cluster.h"
#include "test.h"

enum { CPU, MEMORY, KINDS };

static const char *const tier1 = "root.ads.bidding.tier1";
static const char *const tier2 = "root.ads.bidding.tier2";
static const char *const tier3 = "root.ads.bidding.default";

/* [MON-10] Each has its weight over its siblings' of what its parent has: 6 of
 * 15, of that 5 of 6, of that 10, 4 and 1 of 15. */
static void each_level_divides_by_weight(void **state)
{
    static const int64_t capacity[KINDS] = {450000, 900000};
    const sked_share_options steady = {.struct_size = sizeof steady,
                                       .model = SKED_SHARE_MODEL_STEADY};
    sked_tree *tree = test_tree_of("tests/golden/tiers.tree");
    test_cluster c = test_cluster_of(tree, capacity, &steady);
    (void)state;

    assert_i64(test_cluster_share(&c, "root.ads", CPU), 180000);
    assert_i64(test_cluster_share(&c, "root.content", CPU), 270000);
    assert_i64(test_cluster_share(&c, "root.ads.bidding", CPU), 150000);
    assert_i64(test_cluster_share(&c, tier1, CPU), 100000);
    assert_i64(test_cluster_share(&c, tier2, CPU), 40000);
    assert_i64(test_cluster_share(&c, tier3, CPU), 10000);
    assert_i64(test_cluster_share(&c, tier1, MEMORY), 200000);
    test_cluster_free(&c);
    sked_tree_free(tree);
}

/* [MON-13] While the first two tiers are idle the third has all of it; when
 * they come back it is at its weight again. */
static void idle_tiers_lend_what_they_have(void **state)
{
    static const int64_t capacity[KINDS] = {450000, 900000};
    static const int64_t much[KINDS] = {999000, 999000};
    const sked_share_options now = {.struct_size = sizeof now,
                                    .model = SKED_SHARE_MODEL_INSTANTANEOUS};
    sked_tree *tree = test_tree_of("tests/golden/tiers.tree");
    test_cluster c = test_cluster_of(tree, capacity, &now);
    (void)state;

    test_cluster_set(&c, SKED_LEDGER_DEMAND, tier3, much);
    assert_i64(test_cluster_share(&c, tier3, CPU), 450000);
    test_cluster_set(&c, SKED_LEDGER_DEMAND, tier1, much);
    test_cluster_set(&c, SKED_LEDGER_DEMAND, tier2, much);
    assert_i64(test_cluster_share(&c, tier1, CPU), 300000);
    assert_i64(test_cluster_share(&c, tier2, CPU), 120000);
    assert_i64(test_cluster_share(&c, tier3, CPU), 30000);
    test_cluster_free(&c);
    sked_tree_free(tree);
}

static int64_t setting(const sked_tree *tree, const char *path,
                       int32_t attribute)
{
    int64_t x = 0;

    assert_ok(sked_tree_effective(tree, test_queue(tree, path), attribute, &x));
    return x;
}

/* [MON-11] Nobody preempts a first tier; time-out and threshold rise from tier
 * to tier, and hold for what is below. */
static void the_first_tier_is_spared_and_acts_sooner(void **state)
{
    static const int32_t rising[] = {SKED_QUEUE_PREEMPT_FAIR_TIMEOUT,
                                     SKED_QUEUE_PREEMPT_FAIR_THRESHOLD,
                                     SKED_QUEUE_MAX_RUNNING};
    sked_tree *tree = test_tree_of("tests/golden/tiers.tree");
    sked_queue_id leaf = test_queue(tree, tier1);
    (void)state;

    assert_i64(setting(tree, tier1, SKED_QUEUE_PREEMPT_FROM), 0);
    assert_i64(setting(tree, tier2, SKED_QUEUE_PREEMPT_FROM), 1);
    assert_i64(setting(tree, tier3, SKED_QUEUE_PREEMPT_FROM), 1);
    assert_i64(setting(tree, tier1, rising[0]), INT64_C(60000000000));
    for (size_t i = 0; i < 3; i++) {
        assert_true(setting(tree, tier1, rising[i]) <
                    setting(tree, tier2, rising[i]));
        assert_true(setting(tree, tier2, rising[i]) <
                    setting(tree, tier3, rising[i]));
    }
    assert_status(SKED_ERR_RANGE,
                  sked_tree_set(tree, leaf, rising[1], SKED_PPM + 1, NULL));
    assert_status(SKED_ERR_RANGE,
                  sked_tree_set(tree, leaf, rising[0], -1, NULL));
    sked_tree_free(tree);
}

/* [MON-2] How many instances of 16 cores and 61 GiB a use comes to: by the
 * kind that needs most of them. */
static void instances_are_counted_by_the_dominant_kind(void **state)
{
    static const int64_t instance[KINDS] = {16000, INT64_C(61) << 30};
    static const int64_t use[KINDS] = {40000, INT64_C(305) << 30};
    sked_ratio instances;
    int32_t kind;
    (void)state;

    sked_vec_dominant(instance, use, KINDS, &instances, &kind);
    assert_int_equal(kind, MEMORY);
    assert_i64(instances.num, 5);
    assert_i64(instances.den, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_level_divides_by_weight),
        cmocka_unit_test(idle_tiers_lend_what_they_have),
        cmocka_unit_test(the_first_tier_is_spared_and_acts_sooner),
        cmocka_unit_test(instances_are_counted_by_the_dominant_kind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
