/*
 * The engine against its slow twin, event for event (engine_pair.h).
 */
#include "test.h"

#include <stdlib.h>

#include "engine_pair.h"
#include "size.h"

static void run_pair(uint64_t seed, size_t queues, uint32_t nodes, size_t steps)
{
    (void)pair_run(seed, queues, nodes, steps, NULL);
}

static void run_small(uint64_t seed)
{
    run_pair(seed, 2 + seed % 9, 1 + (uint32_t)(seed % 5), 400);
}

static void small_worlds_are_the_same(void **state)
{
    const char *one = getenv("SKED_TEST_SEED");
    (void)state;

    if (one) {
        run_small(strtoull(one, NULL, 10));
        return;
    }
    for (uint64_t seed = 1; seed <= test_size(300, 10000); seed++) {
        run_small(seed);
    }
}

/* Worlds that once were not: an ask that was put aside by a pass was shown
 * again, when its user was no longer at its limit; a batch went on past the
 * guarantee of its queue, which was alone. */
static void worlds_that_found_faults_are_the_same(void **state)
{
    static const uint64_t seeds[] = {6769, 6693};
    (void)state;

    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
        run_small(seeds[i]);
    }
}

static void worlds_are_the_same(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= test_size(12, 300); seed++) {
        run_pair(1000 + seed, 20 + seed % 30, 4 + (uint32_t)(seed % 12), 1500);
    }
}

/* More shapes than there are classes of them: some share one, and bits are
 * used again. */
static void crowded_worlds_are_the_same(void **state)
{
    int shared = 0;
    (void)state;

    for (uint64_t seed = 1; seed <= test_size(16, 600); seed++) {
        shared += pair_run(5000 + seed, 2 + seed % 6, 2, 1500, world_crowd)
                      .shared;
    }
    assert_true((size_t)shared > test_size(1000, 1000));
}

/* Users with limits and weights, applications bounded on every level. */
static void worlds_of_bounded_users_are_the_same(void **state)
{
    pair_seen all = {0};
    (void)state;

    for (uint64_t seed = 1; seed <= test_size(100, 3000); seed++) {
        pair_seen one = pair_run(7000 + seed, 2 + seed % 5,
                                 1 + (uint32_t)(seed % 4), 600,
                                 world_bound_users);
        all.blocked += one.blocked;
        all.waiting += one.waiting;
    }
    assert_true((size_t)all.blocked > test_size(1000, 1000));
    assert_true((size_t)all.waiting > test_size(10000, 10000));
}

/* Tasks that run already, jobs that came before, numbers that go on. */
static void worlds_at_work_are_the_same(void **state)
{
    pair_seen all = {0};
    (void)state;

    for (uint64_t seed = 1; seed <= test_size(200, 6000); seed++) {
        pair_seen one = pair_run(9000 + seed, 2 + seed % 9,
                                 1 + (uint32_t)(seed % 5), 500, world_host);
        all.adopted += one.adopted;
        all.parked += one.parked;
        all.barred += one.barred;
    }
    assert_true(all.adopted > test_size(1000, 1000));
    assert_true((size_t)all.parked > test_size(10000, 10000));
    assert_true((size_t)all.barred > test_size(240, 500));
}

static void rule_found(engine_world *w)
{
    world_rule(w);
    world_host(w);
}

static void rule_bounded(engine_world *w)
{
    world_rule(w);
    world_bound_users(w);
}

/* All at once. */
static void rule_all(engine_world *w)
{
    world_rule(w);
    world_bound_users(w);
    world_host(w);
    world_spread(w);
}

static void rule_crowd(engine_world *w)
{
    world_rule(w);
    world_crowd(w);
}

/* Nodes with attributes, asks that go by rules; also with more shapes than there
 * are classes. */
static void worlds_with_rules_are_the_same(void **state)
{
    static void (*const kinds[])(engine_world *) = {world_rule, rule_found,
                                                    rule_bounded, rule_all};
    int ruled = 0, counted = 0, shared = 0, yields = 0;
    (void)state;

    for (uint64_t seed = 1; seed <= test_size(200, 6000); seed++) {
        pair_seen one = pair_run(11000 + seed, 2 + seed % 7,
                                 2 + (uint32_t)(seed % 4), 500,
                                 kinds[seed % 4]);
        ruled += one.ruled;
        counted += one.counted;
        yields += one.yields;
    }
    for (uint64_t seed = 1; seed <= test_size(8, 300); seed++) {
        shared += pair_run(13003 + seed, 2 + (seed + 3) % 6, 2, 1500,
                           rule_crowd)
                      .shared;
    }
    assert_true((size_t)ruled > test_size(10000, 10000));
    assert_true((size_t)counted > test_size(1, 10000));
    assert_true((size_t)yields > test_size(16, 8000));
    assert_true((size_t)shared > test_size(100, 100));
}

static void large_worlds_are_the_same(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= test_size(0, 4); seed++) {
        run_pair(2000 + seed, 200, 50, 5000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_worlds_are_the_same),
        cmocka_unit_test(worlds_that_found_faults_are_the_same),
        cmocka_unit_test(worlds_are_the_same),
        cmocka_unit_test(crowded_worlds_are_the_same),
        cmocka_unit_test(worlds_of_bounded_users_are_the_same),
        cmocka_unit_test(worlds_at_work_are_the_same),
        cmocka_unit_test(worlds_with_rules_are_the_same),
        cmocka_unit_test(large_worlds_are_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
