/*
 * Worlds of several sorts at once, such as gangs over nodes that run already, in
 * leaves that admit by classes, below trees of limits: the engine against its slow
 * twin (engine_pair.h).
 */
#include "test.h"

#include <stdlib.h>

#include "engine_pair.h"
#include "size.h"

static void (*const sorts[])(engine_world *) = {
    world_rate,    world_host,  world_rule,  world_limit,
    world_spread,  world_form,  world_exact, world_exclude_others,
    world_classes, world_place, world_rack,  world_bound_users,
    world_crowd,   world_weigh};

enum { SORTS = sizeof sorts / sizeof *sorts };

/* Which of them the next world is of, a bit each; how many worlds were of each
 * two. */
static uint64_t mixed;
static uint64_t met[SORTS][SORTS];

static void mix(engine_world *w)
{
    for (int i = 0; i < SORTS; i++) {
        if (mixed >> i & 1) sorts[i](w);
    }
}

static void run_mixed(uint64_t seed)
{
    const uint64_t all = (uint64_t)1 << SORTS;
    test_words words = {seed};

    mixed = test_below(&words, all);
    if (test_below(&words, 2)) mixed &= test_below(&words, all);
    for (int i = 0; i < SORTS; i++) {
        for (int j = 0; j < i; j++) met[i][j] += mixed >> i & mixed >> j & 1;
    }
    (void)pair_run(seed, 2 + seed % 9, 1 + (uint32_t)(seed % 5), 400, mix);
}

static void worlds_of_several_sorts_are_the_same(void **state)
{
    const char *one = getenv("SKED_TEST_SEED");
    (void)state;

    if (one) {
        run_mixed(strtoull(one, NULL, 10));
        return;
    }
    size_t worlds = test_size(200, 10000);
    for (uint64_t seed = 1; seed <= worlds; seed++) run_mixed(8000000 + seed);
    for (int i = 0; i < SORTS; i++) {
        for (int j = 0; j < i; j++) assert_true(met[i][j] >= worlds / 40);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worlds_of_several_sorts_are_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
