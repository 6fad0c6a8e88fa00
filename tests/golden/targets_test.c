/*
 * Targets of preemption with the numbers of the documents: two queues with
 * half each, a hierarchy, easing, the guide's Example 1, tiers.
 */
#include "cluster.h"
#include "test.h"

#include <sched/target.h>

#include <string.h>

enum { GB = 1000000000, SECOND = 1000000000 };

/* A round of one kind over a cluster. */
static void round_at(sked_target *target, const test_cluster *c, sked_time now)
{
    sked_target_input in = {.struct_size = sizeof in,
                            .tree = c->tree,
                            .ledger = c->ledger,
                            .capacity = c->capacity};

    assert_ok(sked_target_compute(target, &in, now, NULL));
}

static int64_t at_queue(const sked_target *target, const test_cluster *c,
                        int32_t column, const char *path)
{
    size_t row, n;
    const int64_t *rows = sked_target_view(target, column, &n);

    assert_ok(sked_tree_row(c->tree, test_queue(c->tree, path), &row));
    assert_true(rows && row < n);
    return rows[row];
}

static uint32_t why(const sked_target *target, const test_cluster *c,
                    const char *path)
{
    size_t row, n;
    const uint32_t *bits = sked_target_reasons(target, &n);

    assert_ok(sked_tree_row(c->tree, test_queue(c->tree, path), &row));
    return bits[row];
}

static int64_t need_of(const sked_target *target)
{
    return *sked_target_total(target, SKED_TARGET_TOTAL_NEED, NULL);
}

static void has(test_cluster *c, const char *path, int64_t usage,
                int64_t pending)
{
    int64_t demand = usage + pending;

    test_cluster_set(c, SKED_LEDGER_USAGE, path, &usage);
    test_cluster_set(c, SKED_LEDGER_DEMAND, path, &demand);
}

static sked_target *targets_of(sked_target_options options)
{
    sked_target *target;

    options.struct_size = sizeof options;
    assert_ok(sked_target_new(&options, NULL, &target, NULL));
    return target;
}

/* [CAP-3] App1 has all of the cluster; App2 comes to Q2, promised 50 %. */
static void q2_gets_its_half_back(void **state)
{
    const int64_t capacity = 100 * (int64_t)GB;
    sked_tree *tree = test_tree_of("tests/golden/halves.tree");
    test_cluster c = test_cluster_of(tree, &capacity, NULL);
    sked_target *t = targets_of((sked_target_options){0});
    (void)state;

    has(&c, "root.Q1", capacity, 0);
    round_at(t, &c, 0);
    assert_i64(need_of(t), 0); /* no queue asks: nothing is over */
    assert_int_equal(why(t, &c, "root.Q1"), 0);

    has(&c, "root.Q2", 0, 80 * (int64_t)GB);
    round_at(t, &c, 0);
    assert_i64(at_queue(t, &c, SKED_TARGET_COLUMN_SHARE, "root.Q1"),
               capacity / 2);
    assert_i64(at_queue(t, &c, SKED_TARGET_COLUMN_EXCESS, "root.Q1"),
               capacity / 2);
    assert_i64(at_queue(t, &c, SKED_TARGET_COLUMN_KEEP, "root.Q1"),
               capacity / 2);
    assert_i64(at_queue(t, &c, SKED_TARGET_COLUMN_OWED, "root.Q2"),
               capacity / 2);
    assert_i64(at_queue(t, &c, SKED_TARGET_COLUMN_TAKE, "root.Q1"),
               capacity / 10);
    assert_i64(need_of(t), capacity / 10);
    assert_int_equal(why(t, &c, "root.Q1"),
                     SKED_TARGET_REASON_OVER | SKED_TARGET_REASON_GIVES);
    assert_int_equal(why(t, &c, "root.Q2"),
                     SKED_TARGET_REASON_BELOW | SKED_TARGET_REASON_CLAIMS);

    has(&c, "root.Q1", 40 * (int64_t)GB, 60 * (int64_t)GB);
    round_at(t, &c, 0);
    assert_i64(at_queue(t, &c, SKED_TARGET_COLUMN_OWED, "root.Q2"),
               capacity / 2);
    assert_i64(need_of(t), 0); /* [CAP-3] what is free serves it */
    sked_target_free(t);
    test_cluster_free(&c);
    sked_tree_free(tree);
}

/* Three queues: A and B have more than their minimum, C less and asks. */
static void two_queues_give_to_a_third(void **state)
{
    const int64_t capacity = 100 * (int64_t)GB;
    sked_tree *tree = test_tree_of("tests/golden/percentages.tree");
    test_cluster c = test_cluster_of(tree, &capacity, NULL);
    sked_target *t = targets_of(
        (sked_target_options){.factor_ppm = SKED_PPM, .per_round_ppm = -1});
    (void)state;

    has(&c, "root.A", 30 * (int64_t)GB, 0);
    has(&c, "root.B", 50 * (int64_t)GB, 0);
    has(&c, "root.C.C1", 20 * (int64_t)GB, 30 * (int64_t)GB);
    round_at(t, &c, 0);
    assert_i64(at_queue(t, &c, SKED_TARGET_COLUMN_OWED, "root.C.C1"),
               5 * (int64_t)GB); /* up to its own 25, not what C2 leaves */
    assert_i64(at_queue(t, &c, SKED_TARGET_COLUMN_TAKE, "root.A") +
                   at_queue(t, &c, SKED_TARGET_COLUMN_TAKE, "root.B"),
               5 * (int64_t)GB);
    assert_i64(need_of(t), 5 * (int64_t)GB);
    sked_target_free(t);
    test_cluster_free(&c);
    sked_tree_free(tree);
}

/* [CAP-9] A and B have it all; C1 and C2, a level down, get theirs back. */
static void what_a_and_b_give_is_owed_to_c1_and_c2(void **state)
{
    const int64_t capacity = 1000;
    sked_tree *tree = test_tree_of("tests/golden/percentages.tree");
    test_cluster c = test_cluster_of(tree, &capacity, NULL);
    sked_target *t = targets_of(
        (sked_target_options){.factor_ppm = SKED_PPM, .per_round_ppm = -1});
    (void)state;

    has(&c, "root.A", 400, 0);
    has(&c, "root.B", 600, 0);
    has(&c, "root.C.C1", 0, 9999);
    has(&c, "root.C.C2", 0, 9999);
    round_at(t, &c, 0);
    assert_i64(at_queue(t, &c, SKED_TARGET_COLUMN_TAKE, "root.A"), 200);
    assert_i64(at_queue(t, &c, SKED_TARGET_COLUMN_TAKE, "root.B"), 300);
    assert_i64(at_queue(t, &c, SKED_TARGET_COLUMN_OWED, "root.C.C1"), 250);
    assert_i64(at_queue(t, &c, SKED_TARGET_COLUMN_OWED, "root.C.C2"), 250);
    assert_i64(need_of(t), 500);
    sked_target_free(t);

    t = targets_of((sked_target_options){0}); /* [CAP-11] [CAP-13] */
    round_at(t, &c, 0);
    assert_i64(at_queue(t, &c, SKED_TARGET_COLUMN_TAKE, "root.A"), 40);
    assert_i64(at_queue(t, &c, SKED_TARGET_COLUMN_TAKE, "root.B"), 60);
    assert_i64(need_of(t), 100);
    sked_target_free(t);

    t = targets_of((sked_target_options){.factor_ppm = SKED_PPM});
    round_at(t, &c, 0);
    assert_i64(at_queue(t, &c, SKED_TARGET_COLUMN_TAKE, "root.A"), 40);
    assert_i64(at_queue(t, &c, SKED_TARGET_COLUMN_TAKE, "root.B"), 60);
    assert_int_equal(why(t, &c, "root.B"), SKED_TARGET_REASON_OVER |
                                               SKED_TARGET_REASON_GIVES |
                                               SKED_TARGET_REASON_CUT);
    sked_target_free(t);
    test_cluster_free(&c);
    sked_tree_free(tree);
}

/* [CAP-13] "5 GB is needed back": 1 GB, 0.8, 0.64 ... [CAP-12] until the queue
 * is no more than 10 % above its capacity. */
static void easing_takes_a_fifth_of_what_remains(void **state)
{
    const int64_t capacity = 20 * (int64_t)GB;
    const int64_t takes[] = {1000000000, 800000000, 640000000, 512000000,
                             409600000,  327680000, 262144000, 209715200,
                             0,          0};
    sked_tree *tree = test_tree_of("tests/golden/halves.tree");
    test_cluster c = test_cluster_of(tree, &capacity, NULL);
    sked_target *t = targets_of((sked_target_options){0});
    int64_t used = 15 * (int64_t)GB, freed = 0;
    (void)state;

    for (size_t i = 0; i < sizeof takes / sizeof *takes; i++) {
        has(&c, "root.Q1", used, 0);
        has(&c, "root.Q2", capacity - used, 9 * (int64_t)GB);
        round_at(t, &c, 0);
        int64_t take = at_queue(t, &c, SKED_TARGET_COLUMN_TAKE, "root.Q1");
        assert_i64(take, takes[i]);
        assert_i64(need_of(t), takes[i]);
        used -= take;
        freed += take;
    }
    assert_true(used <= 11 * (int64_t)GB && used > 10 * (int64_t)GB);
    assert_i64(freed, 4161139200);
    assert_int_equal(why(t, &c, "root.Q1"),
                     SKED_TARGET_REASON_OVER | SKED_TARGET_REASON_WITHIN);
    sked_target_free(t);
    test_cluster_free(&c);
    sked_tree_free(tree);
}

/* [PEL-10] [PEL-11] 10, 45, 45; RP1 then wants 50: a third each, 23 1/3 come
 * back, half from each; 5 + 5 of it up to the reservation. */
static void the_guides_first_example(void **state)
{
    const int64_t capacity = 100000;
    sked_tree *tree = test_tree_of("tests/golden/reservations.tree");
    test_cluster c = test_cluster_of(tree, &capacity, NULL);
    sked_target *t = targets_of(
        (sked_target_options){.mode = SKED_TARGET_MODE_ENTITLEMENT});
    (void)state;

    has(&c, "root.RP1", 10000, 0);
    has(&c, "root.RP2", 45000, 35000);
    has(&c, "root.RP3", 45000, 35000);
    round_at(t, &c, 0);
    assert_i64(at_queue(t, &c, SKED_TARGET_COLUMN_SHARE, "root.RP2"), 45000);
    assert_i64(at_queue(t, &c, SKED_TARGET_COLUMN_EXCESS, "root.RP2"), 0);

    has(&c, "root.RP1", 10000, 40000);
    for (int i = 0; i < 4; i++) {
        round_at(t, &c, 0);
        assert_int_equal(why(t, &c, "root.RP2"),
                         SKED_TARGET_REASON_OVER | SKED_TARGET_REASON_EARLY);
        assert_i64(need_of(t), 0);
    }
    round_at(t, &c, 0); /* the fifth in a row */
    assert_i64(at_queue(t, &c, SKED_TARGET_COLUMN_SHARE, "root.RP1"), 33334);
    assert_i64(at_queue(t, &c, SKED_TARGET_COLUMN_SHARE, "root.RP2"), 33333);
    assert_i64(at_queue(t, &c, SKED_TARGET_COLUMN_TAKE, "root.RP2"), 11667);
    assert_i64(at_queue(t, &c, SKED_TARGET_COLUMN_TAKE, "root.RP3"), 11667);
    assert_i64(need_of(t), 23334);
    assert_i64(at_queue(t, &c, SKED_TARGET_COLUMN_FIRST, "root.RP2"), 5000);
    assert_i64(at_queue(t, &c, SKED_TARGET_COLUMN_FIRST, "root.RP3"), 5000);

    has(&c, "root.RP2", 33333, 46667);
    round_at(t, &c, 0);
    assert_int_equal(why(t, &c, "root.RP2"), 0);
    sked_target_free(t);
    test_cluster_free(&c);
    sked_tree_free(tree);
}

/* [MON-11] A first tier is spared, acts after a minute, below 30 % of its
 * share; a third one has to wait for a quarter of an hour, below 80 %. */
static void the_first_tier_acts_sooner(void **state)
{
    static const char *const tier1 = "root.ads.bidding.tier1";
    static const char *const other = "root.content.search.default";
    static const char *const third = "root.ads.bidding.default";
    const int64_t capacity[] = {100000, 100000};
    const int64_t all[] = {90000, 90000}, much[] = {90000, 90000};
    const int64_t none[] = {0, 0};
    sked_tree *tree = test_tree_of("tests/golden/tiers.tree");
    test_cluster c = test_cluster_of(tree, capacity, NULL);
    sked_target *t = targets_of(
        (sked_target_options){.mode = SKED_TARGET_MODE_STARVATION});
    (void)state;

    test_cluster_set(&c, SKED_LEDGER_USAGE, other, all);
    test_cluster_set(&c, SKED_LEDGER_DEMAND, other, all);
    test_cluster_set(&c, SKED_LEDGER_DEMAND, tier1, much);
    test_cluster_set(&c, SKED_LEDGER_DEMAND, third, much);
    round_at(t, &c, 0);
    assert_int_equal(why(t, &c, tier1),
                     SKED_TARGET_REASON_BELOW | SKED_TARGET_REASON_WAITS);
    assert_int_equal(why(t, &c, other),
                     SKED_TARGET_REASON_OVER | SKED_TARGET_REASON_GIVES);
    round_at(t, &c, 60 * (int64_t)SECOND - 1);
    assert_int_equal(why(t, &c, tier1),
                     SKED_TARGET_REASON_BELOW | SKED_TARGET_REASON_WAITS);
    round_at(t, &c, 60 * (int64_t)SECOND);
    assert_int_equal(why(t, &c, tier1),
                     SKED_TARGET_REASON_BELOW | SKED_TARGET_REASON_CLAIMS);
    assert_int_equal(why(t, &c, third),
                     SKED_TARGET_REASON_BELOW | SKED_TARGET_REASON_WAITS);
    round_at(t, &c, 900 * (int64_t)SECOND);
    assert_int_equal(why(t, &c, third),
                     SKED_TARGET_REASON_BELOW | SKED_TARGET_REASON_CLAIMS);

    /* Once over its share, the tier is spared; what is free is not claimed. */
    test_cluster_set(&c, SKED_LEDGER_USAGE, tier1, all);
    test_cluster_set(&c, SKED_LEDGER_DEMAND, tier1, all);
    test_cluster_set(&c, SKED_LEDGER_USAGE, other, none);
    round_at(t, &c, 901 * (int64_t)SECOND);
    assert_int_equal(why(t, &c, tier1),
                     SKED_TARGET_REASON_OVER | SKED_TARGET_REASON_SPARED);
    sked_target_free(t);
    test_cluster_free(&c);
    sked_tree_free(tree);
}

/* No queue claims anything while the cluster is not used enough. */
static void a_partition_that_is_not_full_is_left_alone(void **state)
{
    const int64_t capacity[] = {100000, 100000};
    const int64_t most[] = {80000, 10}, wants[] = {90000, 90000};
    const char *tier1 = "root.ads.bidding.tier1";
    sked_tree *tree = test_tree_of("tests/golden/tiers.tree");
    test_cluster c = test_cluster_of(tree, capacity, NULL);
    sked_target *t = targets_of(
        (sked_target_options){.mode = SKED_TARGET_MODE_STARVATION});
    (void)state;

    test_cluster_set(&c, SKED_LEDGER_USAGE, "root.content.search.default",
                     most);
    test_cluster_set(&c, SKED_LEDGER_DEMAND, tier1, wants);
    round_at(t, &c, 0);
    round_at(t, &c, 3600 * (int64_t)SECOND);
    assert_int_equal(why(t, &c, tier1),
                     SKED_TARGET_REASON_BELOW | SKED_TARGET_REASON_IDLE);
    assert_i64(need_of(t), 0);
    sked_target_free(t);
    test_cluster_free(&c);
    sked_tree_free(tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(q2_gets_its_half_back),
        cmocka_unit_test(two_queues_give_to_a_third),
        cmocka_unit_test(what_a_and_b_give_is_owed_to_c1_and_c2),
        cmocka_unit_test(easing_takes_a_fifth_of_what_remains),
        cmocka_unit_test(the_guides_first_example),
        cmocka_unit_test(the_first_tier_acts_sooner),
        cmocka_unit_test(a_partition_that_is_not_full_is_left_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
