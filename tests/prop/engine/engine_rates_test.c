/* Queues that bound what starts in a second, against the slow twin. */
#include "test.h"

#include "engine_pair.h"
#include "size.h"

static void rate_gangs(engine_world *w)
{
    world_rate(w);
    world_spread(w);
}

static void rate_placed(engine_world *w)
{
    world_rate(w);
    world_place(w);
}

static void rate_crowd(engine_world *w)
{
    world_rate(w);
    world_crowd(w);
}

/* All at once. */
static void rate_all(engine_world *w)
{
    world_rate(w);
    world_rule(w);
    world_bound_users(w);
    world_host(w);
    world_spread(w);
    world_place(w);
}

static void worlds_with_rates_are_the_same(void **state)
{
    static void (*const kinds[])(engine_world *) = {
        world_rate, rate_gangs, rate_placed, rate_crowd, rate_all};
    size_t rated = 0;
    (void)state;

    for (uint64_t seed = 1; seed <= test_size(100, 6000); seed++) {
        pair_seen one = pair_run(17000 + seed, 2 + seed % 7,
                                 1 + (uint32_t)(seed % 5), 500,
                                 kinds[seed % 5]);
        rated += (size_t)one.rated;
    }
    assert_true(rated > test_size(4000, 10000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worlds_with_rates_are_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
