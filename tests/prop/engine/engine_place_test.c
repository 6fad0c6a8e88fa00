/*
 * Placing job by job beside the slow twin, event for event (engine_pair.h): in
 * worlds of every sort, by every mode, between heartbeats and passes.
 */
#include "test.h"

#include <stdlib.h>

#include "engine_pair.h"
#include "size.h"

static void place_users(engine_world *w)
{
    world_place(w);
    world_bound_users(w);
}

static void place_host(engine_world *w)
{
    world_place(w);
    world_host(w);
}

static void place_ruled(engine_world *w)
{
    world_place(w);
    world_rule(w);
}

static void place_gangs(engine_world *w)
{
    world_place(w);
    world_spread(w);
}

static void place_crowd(engine_world *w)
{
    world_place(w);
    world_rule(w);
    world_crowd(w);
}

static void (*const sorts[])(engine_world *) = {
    world_place, place_users, place_host, place_ruled, place_gangs};

static void small_worlds_are_the_same(void **state)
{
    const char *one = getenv("SKED_TEST_SEED");
    uint64_t placed = 0;
    (void)state;

    for (uint64_t seed = 1; seed <= test_size(40, 6000); seed++) {
        if (one && seed != strtoull(one, NULL, 10)) continue;
        placed += pair_run(15000 + seed, 2 + seed % 9, 1 + (uint32_t)(seed % 7),
                           400, sorts[seed % 5])
                      .placed;
    }
    if (!one) assert_true(placed > test_size(100, 10000));
}

static void worlds_are_the_same(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= test_size(2, 200); seed++) {
        (void)pair_run(16000 + seed, 20 + seed % 30, 4 + (uint32_t)(seed % 30),
                       300, sorts[seed % 5]);
    }
}

/* One or two queues, so that many tasks of one ask start one after the other:
 * at once, where nothing could come between them. */
static void lone_queues_are_the_same(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= test_size(60, 3000); seed++) {
        (void)pair_run(18000 + seed, 1 + seed % 2, 1 + (uint32_t)(seed % 3),
                       250, seed % 3 ? NULL : world_place);
    }
}

static void crowded_worlds_are_the_same(void **state)
{
    int shared = 0;
    (void)state;

    for (uint64_t seed = 1; seed <= test_size(2, 200); seed++) {
        shared += pair_run(17000 + seed, 2 + (seed + 3) % 6, 2, 1500,
                           place_crowd)
                      .shared;
    }
    assert_true(shared > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_worlds_are_the_same),
        cmocka_unit_test(worlds_are_the_same),
        cmocka_unit_test(lone_queues_are_the_same),
        cmocka_unit_test(crowded_worlds_are_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
