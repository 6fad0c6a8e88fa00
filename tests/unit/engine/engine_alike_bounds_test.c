/* Alike tasks of one ask start at once up to the bounds of their queue, where
 * other queues have open asks too. */
#include "engine_rules.h"

#include <sched/engine_place.h>

enum { FEW = 8 }; /* looks, whatever the number of tasks */

static sked_status heartbeat(engine_fixture *f)
{
    return engine_tell(f, SKED_EVENT_HEARTBEAT, 1);
}

static uint64_t looks(const engine_fixture *f)
{
    return engine_stats_of(f).asks_visited;
}

static sked_queue_id begin_two(engine_fixture *f, sked_queue_id *other)
{
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");

    *other = engine_queue(f, f->root, "other");
    return leaf;
}

/* 2,500 tasks of one queue, and one of the other. */
static void run_two(engine_fixture *f, sked_queue_id leaf, sked_queue_id other)
{
    engine_begin(f, NULL);
    engine_add_node(f, 1, 0, 2500, 5000);
    engine_add_job(f, 1, leaf, 1);
    engine_add_job(f, 2, other, 2);
    assert_ok(engine_add_ask(f, 1, 1, 2500, 1, 1));
    assert_ok(engine_add_ask(f, 2, 2, 1, 2, 1));
    (void)engine_taken(f);
    assert_ok(heartbeat(f));
}

/* So many start of the first, and few looks were enough. */
static void has_started(engine_fixture *f, int64_t tasks)
{
    int64_t held = 0;

    for (size_t i = 0, n = engine_taken(f); i < n; i++) {
        if (f->last[i].ask == 1) held += f->last[i].count;
    }
    assert_i64(held, tasks);
    assert_true(looks(f) < 2 * FEW);
}

static void a_limit_is_filled_at_once(void **state)
{
    engine_fixture *f = *state;
    const int64_t limit[] = {2001, SKED_UNLIMITED};
    sked_queue_id other, leaf = begin_two(f, &other);

    assert_ok(sked_tree_set_vec(f->tree, leaf, SKED_QUEUE_LIMIT, limit, NULL));
    engine_set(f, other, SKED_QUEUE_MAX_RUNNING, 0);
    run_two(f, leaf, other);
    has_started(f, 2001);
}

static void a_user_fills_its_part_at_once(void **state)
{
    engine_fixture *f = *state;
    const int64_t promised[] = {2000, 2000};
    sked_queue_id other, leaf = begin_two(f, &other);

    engine_set(f, leaf, SKED_QUEUE_USER_LIMIT, SKED_PPM / 2);
    engine_set(f, leaf, SKED_QUEUE_USER_FACTOR, SKED_PPM / 4);
    assert_ok(
        sked_tree_set_vec(f->tree, leaf, SKED_QUEUE_GUARANTEE, promised, NULL));
    run_two(f, leaf, other);
    has_started(f, 500);
}

static void a_guarantee_is_filled_at_once(void **state)
{
    engine_fixture *f = *state;
    const int64_t promised[] = {2000, 0};
    sked_queue_id other, leaf = begin_two(f, &other);

    assert_ok(
        sked_tree_set_vec(f->tree, leaf, SKED_QUEUE_GUARANTEE, promised, NULL));
    run_two(f, leaf, other);
    has_started(f, 2498);
}

static void a_priority_is_served_at_once(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id other, leaf = begin_two(f, &other);

    engine_set(f, f->root, SKED_QUEUE_ORDER, SKED_ORDER_POLICY_PRIORITY);
    engine_set(f, leaf, SKED_QUEUE_PRIORITY, 5);
    run_two(f, leaf, other);
    has_started(f, 2500);
}

/* As many as leave it first by its weight. */
static void a_heavy_queue_is_served_at_once(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id other, leaf = begin_two(f, &other);

    engine_set(f, leaf, SKED_QUEUE_WEIGHT, 1000);
    run_two(f, leaf, other);
    has_started(f, 2498);
}

/* A queue that is below its guarantee of one kind goes first by asks that need it,
 * though no other queue wants anything that fits the node: of the first ask two
 * start, which are the guarantee of cpu, then one of the second, which is that of
 * memory, and then what fits in the order of submission. */
static void a_queue_alone_serves_its_guarantee_first(void **state)
{
    engine_fixture *f = *state;
    const int64_t guarantee[] = {2, 1};
    const int64_t want[][2] = {{1, 2}, {2, 1}, {1, 8}, {2, 9}}; /* ask, tasks */
    sked_queue_id other, leaf = begin_two(f, &other);

    assert_ok(sked_tree_set_vec(f->tree, leaf, SKED_QUEUE_GUARANTEE, guarantee,
                                NULL));
    engine_begin(f, NULL);
    engine_add_node(f, 1, 0, 10, 10);
    engine_add_node(f, 2, 0, 12, 12);
    engine_add_job(f, 1, leaf, 1);
    engine_add_job(f, 2, other, 2);
    assert_ok(engine_add_ask(f, 3, 2, 1, 11, 11));
    assert_ok(engine_add_ask(f, 1, 1, 20, 1, 0));
    assert_ok(engine_add_ask(f, 2, 1, 20, 0, 1));
    (void)engine_taken(f);
    assert_ok(heartbeat(f));
    assert_int_equal(engine_taken(f), 4);
    for (int i = 0; i < 4; i++) {
        assert_i64((int64_t)f->last[i].ask, want[i][0]);
        assert_i64(f->last[i].count, want[i][1]);
    }
}

/* Tasks that find nodes: those of one queue go to node 1 alone, those of the other
 * to node 2 alone, and the queues take turns all the same. */
static void queues_take_turns_on_other_nodes(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id other, leaf = begin_two(f, &other);

    engine_begin(f, NULL);
    engine_add_node(f, 1, 0, 10, 0);
    engine_add_node(f, 2, 0, 0, 10);
    engine_add_job(f, 1, leaf, 1);
    engine_add_job(f, 2, other, 2);
    assert_ok(engine_add_ask(f, 1, 1, 4, 1, 0));
    assert_ok(engine_add_ask(f, 2, 2, 4, 0, 1));
    (void)engine_taken(f);
    assert_ok(sked_engine_place(f->engine, f->now, 0, NULL, NULL));
    assert_int_equal(engine_taken(f), 8);
    for (int i = 0; i < 8; i++) {
        assert_i64((int64_t)f->last[i].ask, 1 + i % 2);
        assert_i64(f->last[i].count, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(a_limit_is_filled_at_once),
        engine_case(a_user_fills_its_part_at_once),
        engine_case(a_guarantee_is_filled_at_once),
        engine_case(a_priority_is_served_at_once),
        engine_case(a_heavy_queue_is_served_at_once),
        engine_case(a_queue_alone_serves_its_guarantee_first),
        engine_case(queues_take_turns_on_other_nodes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
