/* Nodes for one task alone: the engine beside its slow twin, in worlds of every
 * sort. */
#include "test.h"

#include <stdlib.h>

#include "engine_pair.h"
#include "size.h"

static void alone_gangs(engine_world *w)
{
    world_exclude_others(w);
    world_spread(w);
}

static void alone_found(engine_world *w)
{
    alone_gangs(w);
    world_host(w);
}

static void alone_ruled(engine_world *w)
{
    alone_gangs(w);
    world_rule(w);
}

static void alone_bounded(engine_world *w)
{
    world_exclude_others(w);
    world_bound_users(w);
}

static void alone_placed(engine_world *w)
{
    world_exclude_others(w);
    world_place(w);
}

static void alone_placed_gangs(engine_world *w)
{
    alone_gangs(w);
    world_place(w);
}

static void alone_crowd(engine_world *w)
{
    alone_gangs(w);
    world_crowd(w);
}

static void (*const sorts[])(engine_world *) = {
    world_exclude_others, alone_gangs,  alone_found,        alone_ruled,
    alone_bounded,        alone_placed, alone_placed_gangs, alone_crowd};

static void worlds_with_whole_nodes_are_the_same(void **state)
{
    const char *one = getenv("SKED_TEST_SEED");
    pair_seen all = {0};
    (void)state;

    for (uint64_t seed = 1; seed <= test_size(240, 8000); seed++) {
        if (one && seed != strtoull(one, NULL, 10)) continue;
        pair_seen seen = pair_run(21000 + seed, 2 + seed % 7,
                                  2 + (uint32_t)(seed % 6), 400,
                                  sorts[seed % 8]);
        all.alone += seen.alone;
        all.alone_gang += seen.alone_gang;
        all.alone_bound += seen.alone_bound;
        all.alone_bunch += seen.alone_bunch;
        all.alone_left += seen.alone_left;
    }
    if (one) return;
    assert_true((size_t)all.alone > test_size(4000, 4000));
    assert_true((size_t)all.alone_gang > test_size(200, 200));
    assert_true((size_t)all.alone_bound > test_size(400, 400));
    assert_true((size_t)all.alone_bunch > test_size(200, 200));
    /* A quarter of the worlds is too few to meet this. */
    if (test_size(240, 8000) < 240) return;
    assert_true(all.alone_left > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worlds_with_whole_nodes_are_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
