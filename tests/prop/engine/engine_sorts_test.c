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
    world_rate, world_host,  world_rule,           world_limit,   world_spread,
    world_form, world_exact, world_exclude_others, world_classes, world_place};

enum { SORTS = sizeof sorts / sizeof *sorts };

/* Which of them the next world is of, a bit each. */
static uint64_t mixed;

static void mix(engine_world *w)
{
    for (int i = 0; i < SORTS; i++) {
        if (mixed >> i & 1) sorts[i](w);
    }
}

static void run_mixed(uint64_t seed)
{
    test_words words = {seed};

    mixed = test_below(&words, (uint64_t)1 << SORTS);
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
    for (uint64_t seed = 1; seed <= test_size(200, 10000); seed++) {
        run_mixed(8000000 + seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worlds_of_several_sorts_are_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
