/* Gangs over nodes: the engine beside its slow twin. */
#include "test.h"

#include "engine_pair.h"
#include "size.h"

static void spread_found(engine_world *w)
{
    world_spread(w);
    world_host(w);
}

static void spread_ruled(engine_world *w)
{
    world_spread(w);
    world_rule(w);
}

static void spread_crowd(engine_world *w)
{
    world_spread(w);
    world_crowd(w);
}

static void spread_bounded(engine_world *w)
{
    world_spread(w);
    world_bound_users(w);
}

/* Every sort of world, with gangs over nodes in it. */
static void worlds_with_gangs_are_the_same(void **state)
{
    static void (*const kinds[])(engine_world *) = {
        world_spread, spread_found, spread_ruled, spread_bounded};
    pair_seen all = {0};
    (void)state;

    for (uint64_t seed = 1; seed <= test_size(200, 8000); seed++) {
        pair_seen one = pair_run(15000 + seed, 2 + seed % 7,
                                 2 + (uint32_t)(seed % 7), 400,
                                 kinds[seed % 4]);
        all.turned += one.turned;
        all.wide += one.wide;
        all.together += one.together;
        all.fell += one.fell;
        all.grew += one.grew;
        all.shared_value += one.shared_value;
    }
    assert_true((size_t)all.together > test_size(50, 50));
    assert_true((size_t)all.turned > test_size(1000, 1000));
    assert_true(all.wide > test_size(100, 100));
    assert_true((size_t)all.fell > test_size(8, 8));
    assert_true((size_t)all.grew > test_size(1000, 1000));
    assert_true((size_t)all.shared_value > test_size(40, 40));
}

static void exact_ruled(engine_world *w)
{
    world_exact(w);
    world_rule(w);
}

static void exact_alone(engine_world *w)
{
    world_exact(w);
    world_exclude_others(w);
}

static void exact_found(engine_world *w)
{
    world_exact(w);
    world_host(w);
}

static void exact_placed(engine_world *w)
{
    world_exact(w);
    world_place(w);
}

static void add_exact(pair_seen *all, uint64_t seed)
{
    static void (*const kinds[])(engine_world *) = {
        world_exact, exact_ruled, exact_alone, exact_found, exact_placed};
    pair_seen one = pair_run(18000 + seed, 2 + seed % 7,
                             2 + (uint32_t)(seed % 7), 400, kinds[seed % 5]);

    all->exact += one.exact;
    all->exact_waits += one.exact_waits;
    all->made_whole += one.made_whole;
    all->left_over += one.left_over;
}

/* Gangs of which each node takes so many or none. Few seeds meet all that may
 * become of them; these few are of each part of the sweep. */
static void worlds_with_exact_gangs_are_the_same(void **state)
{
    static const uint64_t telling[] = {18, 41, 43, 90, 103, 104, 113};
    pair_seen all = {0};
    (void)state;

    for (size_t i = 0; i < sizeof telling / sizeof *telling; i++) {
        add_exact(&all, telling[i]);
    }
    for (uint64_t seed = 1; seed <= test_size(150, 6000); seed++) {
        add_exact(&all, seed);
    }
    assert_true((size_t)all.exact > test_size(500, 500));
    assert_true((size_t)all.exact_waits > test_size(50, 50));
    assert_true((size_t)all.made_whole > test_size(50, 50));
    assert_true((size_t)all.left_over > test_size(5, 5));
}

static void form_exact(engine_world *w)
{
    world_form(w);
    w->exact = 1;
}

static void form_found(engine_world *w)
{
    world_form(w);
    world_host(w);
}

static void form_ruled(engine_world *w)
{
    world_form(w);
    world_rule(w);
}

static void form_alone(engine_world *w)
{
    world_form(w);
    world_exclude_others(w);
}

static void form_placed(engine_world *w)
{
    world_form(w);
    world_place(w);
}

static void form_crowd(engine_world *w)
{
    world_form(w);
    world_crowd(w);
}

static void add_forming(pair_seen *all, uint64_t seed)
{
    static void (*const kinds[])(engine_world *) = {
        world_form, form_exact,  form_found, form_ruled,
        form_alone, form_placed, form_crowd};
    pair_seen one = pair_run(19000 + seed, 2 + seed % 7,
                             2 + (uint32_t)(seed % 7), 400, kinds[seed % 7]);

    all->forming += one.forming;
    all->formed += one.formed;
}

/* Gangs that have amounts reserved while they form; the same of seeds. */
static void worlds_with_gangs_that_form_are_the_same(void **state)
{
    static const uint64_t telling[] = {11,  13,  99,   113,  125,
                                       145, 183, 1176, 1196, 1253};
    pair_seen all = {0};
    (void)state;

    for (size_t i = 0; i < sizeof telling / sizeof *telling; i++) {
        add_forming(&all, telling[i]);
    }
    for (uint64_t seed = 1; seed <= test_size(210, 6990); seed++) {
        add_forming(&all, seed);
    }
    assert_true((size_t)all.forming > test_size(1000, 1000));
    assert_true((size_t)all.formed > test_size(100, 100));
}

static void form_alone_exact(engine_world *w)
{
    form_alone(w);
    w->exact = 1;
}

static void form_alone_ruled(engine_world *w)
{
    form_alone(w);
    world_rule(w);
}

static void form_alone_placed(engine_world *w)
{
    form_alone(w);
    world_place(w);
}

static void form_racked(engine_world *w)
{
    world_form(w);
    world_rack(w);
}

static void form_racked_exact(engine_world *w)
{
    form_racked(w);
    w->exact = 1;
}

static void form_racked_alone(engine_world *w)
{
    form_alone_exact(w);
    world_rack(w);
}

static void form_racked_placed(engine_world *w)
{
    form_racked(w);
    world_place(w);
}

/* Of which each node has nothing else, or whose nodes share a value. */
static void gangs_on_some_nodes_that_form_are_the_same(void **state)
{
    static void (*const kinds[])(engine_world *) = {
        form_alone,        form_racked,       form_alone_exact,
        form_racked_exact, form_alone_ruled,  form_racked_alone,
        form_alone_placed, form_racked_placed};
    pair_seen all = {0};
    (void)state;

    size_t worlds = test_size(160, 8000);
    for (uint64_t seed = 1; seed <= worlds; seed++) {
        pair_seen one = pair_run(21000 + seed, 2 + seed % 7,
                                 2 + (uint32_t)(seed % 7), 400,
                                 kinds[seed % 8]);
        all.forming_all += one.forming_all;
        all.forming_at += one.forming_at;
    }
    assert_true(all.forming_all >= worlds / 160 * 200);
    assert_true(all.forming_at >= worlds / 160 * 200);
}

/* More shapes than there are classes: gangs share theirs with other work. */
static void crowds_of_gangs_are_the_same(void **state)
{
    pair_seen all = {0};
    (void)state;

    for (uint64_t seed = 1; seed <= test_size(24, 400); seed++) {
        pair_seen one = pair_run(17000 + seed, 2 + seed % 6, 4, 1000,
                                 spread_crowd);
        all.shared += one.shared;
        all.turned += one.turned;
    }
    assert_true((size_t)all.shared > test_size(100, 100));
    assert_true((size_t)all.turned > test_size(1000, 1000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worlds_with_gangs_are_the_same),
        cmocka_unit_test(worlds_with_exact_gangs_are_the_same),
        cmocka_unit_test(worlds_with_gangs_that_form_are_the_same),
        cmocka_unit_test(gangs_on_some_nodes_that_form_are_the_same),
        cmocka_unit_test(crowds_of_gangs_are_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
