/* Weights that the host says in place of the tree's, against the slow twin, to
 * which they are a tree with these weights. */
#include "test.h"

#include "engine_pair.h"
#include "size.h"

static void weigh_crowd(engine_world *w)
{
    world_weigh(w);
    world_crowd(w);
}

static void weigh_all(engine_world *w)
{
    world_weigh(w);
    world_rule(w);
    world_bound_users(w);
    world_host(w);
    world_spread(w);
    world_place(w);
}

static void worlds_with_weights_are_the_same(void **state)
{
    static void (*const kinds[])(engine_world *) = {world_weigh, weigh_crowd,
                                                    weigh_all};
    size_t worlds = test_size(60, 3000);

    (void)state;
    for (uint64_t i = 0; i < worlds; i++) {
        (void)pair_run(9100 + i, 3 + i % 10, 3, 400, kinds[i % 3]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worlds_with_weights_are_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
