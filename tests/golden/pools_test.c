/* Resource pools as the Peloton user guide has them. */
#include "cluster.h"
#include "test.h"

#include <sched/fault.h>
#include <sched/order.h>

enum { CPU, MEMORY, GPU, KINDS };

static const char *const build = "root.AVMaps.AV-Build";
static const char *const release = "root.AVMaps.AV-Release";
static const char *const simulation = "root.Simulation";
static const int64_t hundred[KINDS] = {100000, 4096, 8};

/* [PEL-7] Jobs only in leaves: an inner pool takes no demand of its own. */
static void jobs_live_in_leaves_only(void **state)
{
    sked_tree *tree = test_tree_of("tests/golden/pools.tree");
    test_cluster c = test_cluster_of(tree, hundred, NULL);
    const int64_t some[KINDS] = {1000, 1, 0};
    sked_queue_id maps = test_queue(tree, "root.AVMaps");
    (void)state;

    assert_status(SKED_ERR_ARG, sked_ledger_set(c.ledger, SKED_LEDGER_DEMAND,
                                                &maps, some, 1, NULL));
    test_cluster_set(&c, SKED_LEDGER_DEMAND, build, some);
    test_cluster_set(&c, SKED_LEDGER_DEMAND, simulation, some);
    assert_i64(test_cluster_share(&c, "root.AVMaps", CPU), 1000);
    test_cluster_free(&c);
    sked_tree_free(tree);
}

/* [PEL-7] The organisation's own people edit below it, and nothing else. */
static void an_organisation_manages_its_own_pools(void **state)
{
    sked_tree *tree = test_tree_of("tests/golden/pools.tree");
    sked_queue_id maps = test_queue(tree, "root.AVMaps");
    sked_queue_id of_build = test_queue(tree, build);
    sked_queue_id other = test_queue(tree, simulation);
    (void)state;

    assert_ok(sked_tree_confine(tree, maps, NULL));
    assert_ok(sked_tree_set(tree, of_build, SKED_QUEUE_WEIGHT, 5, NULL));
    assert_ok(sked_tree_add(tree, maps, "AV-Test", NULL, NULL));
    assert_status(SKED_ERR_STATE,
                  sked_tree_set(tree, maps, SKED_QUEUE_WEIGHT, 5, NULL));
    assert_status(SKED_ERR_STATE,
                  sked_tree_set(tree, other, SKED_QUEUE_WEIGHT, 5, NULL));
    assert_status(SKED_ERR_STATE, sked_tree_move(tree, other, maps, NULL));
    assert_ok(sked_tree_commit(tree, SKED_TREE_COMMIT_STRICT, NULL));
    sked_tree_free(tree);
}

/* [PEL-8] Reservations add to no more than what there is above them. */
static void reservations_stay_within_the_capacity(void **state)
{
    sked_tree *tree = test_tree_of("tests/golden/pools.tree");
    const int64_t more[KINDS] = {41000, 0, 0};
    sked_fault fault;
    size_t n;
    (void)state;

    assert_ok(sked_tree_set_vec(tree, test_queue(tree, simulation),
                                SKED_QUEUE_GUARANTEE, more, NULL));
    assert_ok(sked_tree_faults(tree, &fault, 1, &n));
    assert_int_equal(n, 1);
    assert_int_equal(fault.code, SKED_FAULT_GUARANTEE_ABOVE_PARENT);
    assert_i64(fault.got, 101000);
    assert_i64(fault.limit, 100000);
    assert_status(SKED_ERR_INVALID,
                  sked_tree_commit(tree, SKED_TREE_COMMIT_STRICT, NULL));
    sked_tree_free(tree);
}

/* [PEL-8] A limit holds although the rest of the cluster is idle, and each
 * kind has its own. */
static void a_limit_holds_with_free_resources(void **state)
{
    sked_tree *tree = test_tree_of("tests/golden/pools.tree");
    test_cluster c = test_cluster_of(tree, hundred, NULL);
    const int64_t all[KINDS] = {100000, 4096, 8};
    (void)state;

    test_cluster_set(&c, SKED_LEDGER_DEMAND, release, all);
    assert_i64(test_cluster_share(&c, release, CPU), 80000);
    assert_i64(test_cluster_share(&c, release, MEMORY), 4096);
    assert_i64(test_cluster_share(&c, release, GPU), 6);
    test_cluster_free(&c);
    sked_tree_free(tree);
}

/* [PEL-2] A task's vector is the most it may use; what it does not use of it
 * is slack, kind by kind, and never below nothing. */
static void slack_is_the_limit_less_the_use(void **state)
{
    const int64_t limit[KINDS] = {4000, 2048, 1};
    const int64_t use[KINDS] = {1500, 2048, 0};
    const int64_t burst[KINDS] = {4200, 1024, 1};
    int64_t slack[KINDS];
    (void)state;

    sked_vec_excess(limit, use, KINDS, slack);
    assert_i64(slack[CPU], 2500);
    assert_i64(slack[MEMORY], 0);
    assert_i64(slack[GPU], 1);
    sked_vec_excess(limit, burst, KINDS, slack);
    assert_i64(slack[CPU], 0);
    assert_i64(slack[MEMORY], 1024);
    assert_i64(slack[GPU], 0);
}

/* [PEL-9] [PEL-10] The guide's example as it goes on: demands of 10, 80, 80,
 * then the first asks for 50 and takes 23 1/3 back, half from each. */
static void lent_units_come_back_half_from_each(void **state)
{
    static const char *const pool[] = {"root.RP1", "root.RP2", "root.RP3"};
    static const int64_t wants[] = {10000, 80000, 80000};
    const int64_t capacity = 100000, asks = 50000;
    sked_tree *tree = test_tree_of("tests/golden/reservations.tree");
    test_cluster c = test_cluster_of(tree, &capacity, NULL);
    (void)state;

    for (size_t i = 0; i < 3; i++) {
        test_cluster_set(&c, SKED_LEDGER_DEMAND, pool[i], &wants[i]);
    }
    assert_i64(test_cluster_share(&c, pool[0], CPU), 10000);
    assert_i64(test_cluster_share(&c, pool[1], CPU), 45000);
    assert_i64(test_cluster_share(&c, pool[2], CPU), 45000);
    test_cluster_set(&c, SKED_LEDGER_DEMAND, pool[0], &asks);
    assert_i64(test_cluster_share(&c, pool[0], CPU), 10000 + 23334);
    assert_i64(test_cluster_share(&c, pool[1], CPU), 45000 - 11667);
    assert_i64(test_cluster_share(&c, pool[2], CPU), 45000 - 11667);
    test_cluster_free(&c);
    sked_tree_free(tree);
}

/* [PEL-16] Jobs are taken by priority, equal ones as they came. */
static void jobs_are_taken_by_priority(void **state)
{
    const int32_t priority[] = {1, 9, 1, 5};
    const sked_time submitted[] = {10, 40, 5, 20};
    const uint32_t want[] = {1, 3, 2, 0};
    sked_order_apps_input in = {.struct_size = sizeof in,
                                .order = SKED_APPS_PRIORITY,
                                .kinds = 1,
                                .n = 4,
                                .priority = priority,
                                .submitted = submitted};
    uint32_t got[4];
    size_t n;
    (void)state;

    assert_ok(sked_order_apps(&in, NULL, got, NULL, &n, NULL));
    assert_int_equal(n, 4);
    for (size_t i = 0; i < n; i++) assert_int_equal(got[i], want[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_live_in_leaves_only),
        cmocka_unit_test(an_organisation_manages_its_own_pools),
        cmocka_unit_test(reservations_stay_within_the_capacity),
        cmocka_unit_test(a_limit_holds_with_free_resources),
        cmocka_unit_test(slack_is_the_limit_less_the_use),
        cmocka_unit_test(lent_units_come_back_half_from_each),
        cmocka_unit_test(jobs_are_taken_by_priority),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
