/*
 * Jobs that are charged in trees of limits beside their queues, in every sort of
 * world, beside the slow twin (engine_pair.h).
 */
#include "test.h"

#include "engine_pair.h"
#include "size.h"

static void limit_bounded(engine_world *w)
{
    world_limit(w);
    world_bound_users(w);
}

static void limit_found(engine_world *w)
{
    world_limit(w);
    world_host(w);
}

static void limit_gangs(engine_world *w)
{
    world_limit(w);
    world_spread(w);
}

static void limit_placed(engine_world *w)
{
    world_limit(w);
    world_place(w);
}

static void limit_all(engine_world *w)
{
    world_limit(w);
    world_rule(w);
    world_bound_users(w);
    world_host(w);
    world_spread(w);
}

static void limit_alone(engine_world *w)
{
    world_limit(w);
    world_exclude_others(w);
}

static void limit_crowd(engine_world *w)
{
    world_limit(w);
    world_crowd(w);
}

static void worlds_with_limits_are_the_same(void **state)
{
    static void (*const kinds[])(engine_world *) = {
        world_limit,  limit_bounded, limit_found, limit_gangs,
        limit_placed, limit_all,     limit_alone};
    pair_seen all = {0};
    (void)state;

    for (uint64_t seed = 1; seed <= test_size(240, 8000); seed++) {
        pair_seen one = pair_run(31000 + seed, 2 + seed % 7,
                                 1 + (uint32_t)(seed % 5), 400,
                                 kinds[seed % 7]);
        all.stopped += one.stopped;
        all.uncharged += one.uncharged;
        all.adopted += one.adopted;
    }
    assert_true((size_t)all.stopped > test_size(8000, 8000));
    assert_true((size_t)all.uncharged > test_size(10000, 10000));
    assert_true(all.adopted > test_size(100, 100));
}

static void crowds_with_limits_are_the_same(void **state)
{
    pair_seen all = {0};
    (void)state;

    for (uint64_t seed = 11; seed <= 10 + test_size(20, 400); seed++) {
        pair_seen one = pair_run(33000 + seed, 2 + seed % 6, 2, 1000,
                                 limit_crowd);
        all.shared += one.shared;
        all.stopped += one.stopped;
    }
    /* The first two crowds share nothing. */
    if (test_size(8, 8) == 8) assert_true(all.shared > 100);
    assert_true((size_t)all.stopped > test_size(1000, 1000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worlds_with_limits_are_the_same),
        cmocka_unit_test(crowds_with_limits_are_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
