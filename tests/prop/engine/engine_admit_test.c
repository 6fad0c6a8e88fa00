/* Leaves that admit jobs by classes, against the slow twin. */
#include "test.h"

#include "engine_pair.h"
#include "size.h"

static void class_users(engine_world *w)
{
    world_classes(w);
    world_bound_users(w);
}

static void class_found(engine_world *w)
{
    world_classes(w);
    world_host(w);
}

static void class_all(engine_world *w)
{
    world_classes(w);
    world_rate(w);
    world_rule(w);
    world_host(w);
    world_spread(w);
    world_place(w);
}

static void worlds_of_classes_are_the_same(void **state)
{
    static void (*const kinds[])(engine_world *) = {world_classes, class_users,
                                                    class_found, class_all};
    size_t lines[4] = {0};
    (void)state;

    for (uint64_t seed = 1; seed <= test_size(120, 6000); seed++) {
        pair_seen one = pair_run(21000 + seed, 2 + seed % 4,
                                 1 + (uint32_t)(seed % 5), 400,
                                 kinds[seed % 4]);
        for (int i = 1; i < 4; i++) lines[i] += (size_t)one.lines[i];
    }
    for (int i = 1; i < 4; i++) {
        assert_true(lines[i] > test_size(400, 10000));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worlds_of_classes_are_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
