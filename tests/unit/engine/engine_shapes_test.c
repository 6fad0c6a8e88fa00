/* What tasks want is kept once for all asks that want the same. */
#include "engine_fixture.h"

#include "base/hash.h"
#include "engine/store.h"
#include "engine/state.h"

/* The name under which asks for single tasks of these amounts are known. */
static uint64_t name_of(int64_t cpu, int64_t memory)
{
    skedi_hash hash;

    skedi_hash_start(&hash, 1);
    skedi_hash_u64(&hash, (uint64_t)cpu);
    skedi_hash_u64(&hash, (uint64_t)memory);
    return skedi_hash_end(&hash) | 1;
}

static uint32_t shape_of(const engine_fixture *f, uint64_t ask)
{
    uint32_t at = skedi_keymap_get(&f->engine->ask_of, ask);

    assert_true(at != SKEDI_NONE);
    return ask_at(f->engine, at)->shape;
}

static void assert_shape(const engine_fixture *f, uint64_t ask, int64_t cpu,
                         int64_t memory)
{
    const int64_t *task = engine_row_of(f->engine, &f->engine->shape_task,
                                        shape_of(f, ask));

    assert_i64(task[0], cpu);
    assert_i64(task[1], memory);
}

static void start(engine_fixture *f)
{

    (void)engine_alone(f, NULL, 100, 100, 0);
}

static void alike_asks_share_a_shape(void **state)
{
    engine_fixture *f = *state;

    start(f);
    assert_ok(engine_add_ask(f, 1, 1, 5, 3, 4));
    assert_ok(engine_add_ask(f, 2, 1, 7, 3, 4));
    assert_ok(engine_add_ask(f, 3, 1, 7, 4, 3));
    assert_int_equal(shape_of(f, 1), shape_of(f, 2));
    assert_true(shape_of(f, 1) != shape_of(f, 3));
    assert_int_equal(f->engine->shapes.live, 2);
    assert_ok(engine_tell(f, SKED_EVENT_ASK_WITHDRAW, 1));
    assert_int_equal(f->engine->shapes.live, 2);
    assert_ok(engine_tell(f, SKED_EVENT_ASK_WITHDRAW, 2));
    assert_int_equal(f->engine->shapes.live, 1);
}

/* Should two shapes have one hash, the later goes by the next name. */
static void shapes_of_one_hash_are_told_apart(void **state)
{
    engine_fixture *f = *state;
    uint64_t name = name_of(3, 4);

    start(f);
    assert_ok(engine_add_ask(f, 1, 1, 5, 1, 1));
    skedi_keymap *map = &f->engine->shape_of;
    engine_shape *first = (engine_shape *)f->engine->shapes.item +
                          shape_of(f, 1);
    uint64_t own = first->name;
    skedi_keymap_remove(map, own);
    first->name = name; /* as if it were its own */
    skedi_keymap_put(map, name, shape_of(f, 1));
    assert_ok(engine_add_ask(f, 2, 1, 5, 3, 4));
    assert_ok(engine_add_ask(f, 3, 1, 5, 3, 4));
    assert_shape(f, 1, 1, 1);
    assert_shape(f, 2, 3, 4);
    assert_int_equal(shape_of(f, 2), shape_of(f, 3));
    assert_int_equal(skedi_keymap_get(map, name + 2), shape_of(f, 2));
    assert_ok(engine_tell(f, SKED_EVENT_ASK_WITHDRAW, 2));
    assert_ok(engine_tell(f, SKED_EVENT_ASK_WITHDRAW, 3));
    assert_int_equal(skedi_keymap_get(map, name + 2), UINT32_MAX);
    skedi_keymap_remove(map, name);
    first = (engine_shape *)f->engine->shapes.item + shape_of(f, 1);
    first->name = own;
    skedi_keymap_put(map, own, shape_of(f, 1));
}

/* A queue at its limit notes for each of the 48 sorts of tasks by itself that
 * it holds none. When all have gone, the next sort is looked at afresh. */
static void a_new_sort_bears_no_grudge(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");
    const int64_t limit[] = {10, SKED_UNLIMITED};

    assert_ok(sked_tree_set_vec(f->tree, leaf, SKED_QUEUE_LIMIT, limit, NULL));
    engine_begin(f, NULL);
    engine_add_node(f, 1, 0, 1000, 1000);
    engine_add_job(f, 1, leaf, 0);
    assert_ok(engine_add_ask(f, 1000, 1, 4, 2, 0));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_int_equal(engine_taken(f), 2);
    for (uint64_t i = 1; i <= SKEDI_MIXED_CLASS; i++) {
        assert_ok(engine_add_ask(f, i, 1, 1, 3, (int64_t)i));
    }
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_int_equal(engine_taken(f), 0);
    assert_true(f->engine->partition[0].struck == ~SKEDI_MIXED_CLASSES);
    for (uint64_t i = 1; i <= SKEDI_MIXED_CLASS; i++) {
        assert_ok(engine_tell(f, SKED_EVENT_ASK_WITHDRAW, i));
    }
    assert_ok(engine_add_ask(f, 100, 1, 1, 2, 5));
    assert_ok(sked_engine_check(f->engine, NULL));
    assert_true(f->engine->partition[0].struck == 0);
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_int_equal(engine_taken(f), 1);
    assert_int_equal((int64_t)f->last[0].ask, 100);
}

static uint32_t class_of(const engine_fixture *f, uint64_t ask)
{
    return f->engine->partition[0].class_of[shape_of(f, ask)];
}

static void assert_least(const engine_fixture *f, uint32_t class, int64_t cpu,
                         int64_t memory)
{
    assert_i64(f->engine->least[2 * class], cpu);
    assert_i64(f->engine->least[2 * class + 1], memory);
}

/* Sixteen sorts beyond those with a class of their own have one each; more join
 * the one they are nearest to, which takes as little as the least of them. */
static void more_sorts_join_the_nearest_of_the_mixed(void **state)
{
    engine_fixture *f = *state;
    uint64_t own = SKEDI_MIXED_CLASS;

    (void)engine_alone(f, NULL, 1 << 24, 1 << 24, 0);
    for (uint64_t i = 1; i <= own; i++) {
        assert_ok(engine_add_ask(f, i, 1, 1, 1000, (int64_t)i));
        assert_true(class_of(f, i) < SKEDI_MIXED_CLASS);
    }
    for (uint64_t i = 0; i < 16; i++) {
        assert_ok(engine_add_ask(f, 100 + i, 1, 1, INT64_C(101) << i, 200));
        assert_int_equal(class_of(f, 100 + i), SKEDI_MIXED_CLASS + i);
    }
    assert_ok(engine_add_ask(f, 200, 1, 1, 1700, 150)); /* near 101 << 4 */
    assert_int_equal(class_of(f, 200), SKEDI_MIXED_CLASS + 4);
    assert_least(f, SKEDI_MIXED_CLASS + 4, 1616, 150);
    assert_ok(engine_add_ask(f, 201, 1, 1, 95, 210));
    assert_int_equal(class_of(f, 201), SKEDI_MIXED_CLASS);
    assert_least(f, SKEDI_MIXED_CLASS, 95, 200);
    assert_ok(sked_engine_check(f->engine, NULL));

    /* As with a class of one, the last to go leaves nothing behind. */
    assert_ok(engine_tell(f, SKED_EVENT_ASK_WITHDRAW, 104));
    assert_ok(engine_tell(f, SKED_EVENT_ASK_WITHDRAW, 200));
    assert_ok(engine_add_ask(f, 202, 1, 1, 5, 7));
    assert_int_equal(class_of(f, 202), SKEDI_MIXED_CLASS + 4);
    assert_least(f, SKEDI_MIXED_CLASS + 4, 5, 7);
    assert_ok(sked_engine_check(f->engine, NULL));
    f->engine->least[2 * (SKEDI_MIXED_CLASS + 4)] = 6;
    assert_status(SKED_ERR_INTERNAL, sked_engine_check(f->engine, NULL));
    f->engine->least[2 * (SKEDI_MIXED_CLASS + 4)] = 5;
}

/* As many shapes as have a class of their own, and fifteen that have a mixed
 * one each: what comes then, which is much smaller, shares the last. Of the two
 * nodes the first is small. */
static void fill_classes(engine_fixture *f)
{
    (void)engine_alone(f, NULL, 60, 60, 0);
    engine_add_node(f, 2, 0, 1 << 24, 1 << 24);
    for (uint64_t i = 1; i <= SKEDI_MIXED_CLASS; i++) {
        assert_ok(engine_add_ask(f, i, 1, 1, 100000, (int64_t)i));
    }
    for (uint64_t i = 0; i < 15; i++) {
        assert_ok(engine_add_ask(f, 100 + i, 1, 1, 100000 + (int64_t)i, 1000));
    }
}

/* Asks that a node event looked at. */
static int64_t looks_of_event(engine_fixture *f)
{
    uint64_t before = engine_stats_of(f).asks_visited;

    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    return (int64_t)(engine_stats_of(f).asks_visited - before);
}

/* A class of several shapes is passed by where none of them fits, though the
 * least of each kind does; one that fits is found. */
static void mixed_shapes_that_all_do_not_fit_are_not_looked_at(void **state)
{
    engine_fixture *f = *state;

    fill_classes(f);
    assert_ok(engine_add_ask(f, 200, 1, 3, 70, 40));
    assert_ok(engine_add_ask(f, 201, 1, 3, 40, 70));
    assert_int_equal(class_of(f, 200), class_of(f, 201));
    assert_least(f, class_of(f, 200), 40, 40); /* which would fit */
    assert_i64(looks_of_event(f), 0);
    (void)engine_taken(f);
    assert_ok(engine_add_ask(f, 202, 1, 1, 41, 41));
    assert_int_equal(class_of(f, 202), class_of(f, 200));
    assert_i64(looks_of_event(f), 3); /* in order of coming */
    assert_int_equal(engine_taken(f), 1);
    assert_int_equal((int64_t)f->last[0].ask, 202);
    assert_ok(sked_engine_check(f->engine, NULL));
}

/* Shapes beyond those that a class lists may fit, until they have gone. */
static void mixed_shapes_that_are_not_listed_are_looked_at(void **state)
{
    engine_fixture *f = *state;
    uint32_t more = 4, class;

    fill_classes(f);
    for (uint64_t i = 0; i < SKEDI_LISTED_SHAPES + more; i++) {
        int64_t wide = i % 2 ? 40 : 70;
        assert_ok(engine_add_ask(f, 200 + i, 1, 1, wide + (int64_t)i / 2,
                                 110 - wide));
    }
    class = class_of(f, 200);
    const engine_mixture *mix = &f->engine->partition[0]
                                     .mixed[class - SKEDI_MIXED_CLASS];
    assert_int_equal(mix->shapes, SKEDI_LISTED_SHAPES + more);
    assert_int_equal(mix->listed, SKEDI_LISTED_SHAPES);
    assert_i64(looks_of_event(f), SKEDI_LISTED_SHAPES + more);
    assert_ok(sked_engine_check(f->engine, NULL));

    /* One that is listed leaves a place; those that are not, none. */
    for (uint64_t i = 0; i < more; i++) {
        assert_ok(engine_tell(f, SKED_EVENT_ASK_WITHDRAW,
                              200 + SKEDI_LISTED_SHAPES + i));
    }
    assert_ok(engine_tell(f, SKED_EVENT_ASK_WITHDRAW, 200));
    assert_int_equal(mix->listed, SKEDI_LISTED_SHAPES - 1);
    assert_int_equal(mix->shapes, SKEDI_LISTED_SHAPES - 1);
    assert_ok(engine_add_ask(f, 300, 1, 1, 71, 41)); /* something new */
    assert_int_equal(class_of(f, 300), class);
    assert_i64(looks_of_event(f), 0);
    assert_ok(sked_engine_check(f->engine, NULL));
}

/* A node that one of many shapes has filled is left after one look more. */
static void a_full_node_is_left_after_one_look(void **state)
{
    engine_fixture *f = *state;

    (void)engine_alone(f, NULL, 60, 60, 0);
    for (uint64_t i = 1; i <= 20; i++) {
        assert_ok(engine_add_ask(f, i, 1, 1, 40, 20 + (int64_t)i));
    }
    (void)engine_taken(f);
    assert_i64(looks_of_event(f), 2);
    assert_int_equal(engine_taken(f), 1);
    assert_int_equal((int64_t)f->last[0].ask, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(alike_asks_share_a_shape),
        engine_case(shapes_of_one_hash_are_told_apart),
        engine_case(a_new_sort_bears_no_grudge),
        engine_case(more_sorts_join_the_nearest_of_the_mixed),
        engine_case(mixed_shapes_that_all_do_not_fit_are_not_looked_at),
        engine_case(mixed_shapes_that_are_not_listed_are_looked_at),
        engine_case(a_full_node_is_left_after_one_look),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
