/* Alike tasks of one ask start in one decision, and at once where nothing could
 * come between them; how much was looked at says which it was. */
#include "engine_fixture.h"

#include <sched/engine_place.h>

enum { FEW = 8 }; /* looks, whatever the number of tasks */

static sked_status beat(engine_fixture *f)
{
    return engine_tell(f, SKED_EVENT_HEARTBEAT, 1);
}

static uint64_t looks(const engine_fixture *f)
{
    return engine_stats_of(f).asks_visited;
}

/* The one decision since the last says so many tasks. */
static void is_one(engine_fixture *f, int64_t count)
{
    assert_int_equal(engine_taken(f), 1);
    assert_int_equal(f->last[0].kind, SKED_DECISION_ALLOCATE);
    assert_i64(f->last[0].count, count);
}

static void two_thousand_million_tasks_of_nothing_are_no_loop(void **state)
{
    engine_fixture *f = *state;

    (void)engine_alone(f, NULL, 1, 1, 0);
    assert_ok(engine_add_ask(f, 1, 1, 2000000000, 0, 0));
    (void)engine_taken(f);
    assert_ok(beat(f));
    is_one(f, 2000000000);
    assert_true(looks(f) < FEW);
    assert_ok(engine_add_ask(f, 2, 1, INT32_MAX, 0, 0));
    sked_engine_place_options o = {.struct_size = sizeof o,
                                   .mode = SKED_ENGINE_PLACE_MODE_SPREAD};
    assert_ok(sked_engine_place(f->engine, 0, 0, &o, NULL));
    is_one(f, INT32_MAX);
    assert_true(looks(f) < 2 * FEW);
}

/* Also with queues beside it that want something, and a limit of its own. */
static void nothing_is_bounded_by_nothing(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id other = engine_queue(f, f->root, "other");
    const int64_t limit[] = {0, 0};

    engine_set(f, f->root, SKED_QUEUE_ORDER, SKED_ORDER_POLICY_DEFICIT);
    sked_queue_id leaf = engine_alone(f, NULL, 5, 5, 0);
    engine_add_job(f, 2, other, 0);
    assert_ok(engine_add_ask(f, 1, 1, 1000000, 0, 0));
    assert_ok(engine_add_ask(f, 2, 2, 5, 1, 1));
    (void)engine_taken(f);
    assert_ok(sked_tree_set_vec(f->tree, leaf, SKED_QUEUE_LIMIT, limit, NULL));
    engine_begin(f, NULL);
    assert_ok(beat(f));
    assert_true(engine_taken(f) <= 3);
    assert_true(engine_stats_of(f).allocated == 1000005);
    assert_true(looks(f) < 3 * FEW);
}

static void tasks_of_one_ask_fill_a_node_at_once(void **state)
{
    engine_fixture *f = *state;

    (void)engine_alone(f, NULL, 5000, 9000, 0);
    assert_ok(engine_add_ask(f, 1, 1, 4000, 2, 1));
    assert_ok(engine_add_ask(f, 2, 1, 10, 2, 1));
    (void)engine_taken(f);
    assert_ok(beat(f));
    is_one(f, 2500);
    assert_true(looks(f) < FEW);
    engine_add_node(f, 2, 0, 5000, 9000);
    assert_ok(sked_engine_place(f->engine, 0, 0, NULL, NULL));
    assert_int_equal(engine_taken(f), 2); /* the rest of it, and the other */
    assert_i64(f->last[0].count, 1500);
    assert_i64(f->last[1].count, 10);
    assert_true(looks(f) < 2 * FEW);
}

static void at_most_as_many_as_a_pass_may_start(void **state)
{
    engine_fixture *f = *state;
    sked_engine_options o = {.struct_size = sizeof o, .max_per_pass = 700};

    (void)engine_alone(f, &o, 5000, 5000, 0);
    assert_ok(engine_add_ask(f, 1, 1, 1000, 1, 1));
    (void)engine_taken(f);
    assert_ok(beat(f));
    is_one(f, 700);
    assert_ok(sked_engine_place(f->engine, 0, 0, NULL, NULL));
    is_one(f, 300);
}

/* Numbers that do not follow each other make groups of their own; a decision
 * that fills the list of them ends the pass after one task. */
static void decisions_are_what_they_were(void **state)
{
    engine_fixture *f = *state;
    sked_engine_options o = {.struct_size = sizeof o, .max_untaken = 1};

    (void)engine_alone(f, &o, 50, 50, 0);
    (void)engine_taken(f);
    assert_ok(engine_add_ask(f, 1, 1, 40, 1, 1));
    assert_ok(beat(f));
    is_one(f, 1);
}

/* Queues that take turns go on taking them. */
static void queues_take_turns(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id other = engine_queue(f, f->root, "other");

    (void)engine_alone(f, NULL, 100, 100, 0);
    engine_add_job(f, 2, other, 0);
    assert_ok(engine_add_ask(f, 1, 1, 80, 1, 1));
    assert_ok(engine_add_ask(f, 2, 2, 20, 1, 1));
    (void)engine_taken(f);
    assert_ok(beat(f));
    assert_true(engine_stats_of(f).allocated == 100);
    assert_true(engine_taken(f) >= 20);
    assert_true(looks(f) >= 40 && looks(f) < 60); /* the last 60 at once */
}

/* One that has two turns in a row has no more than those. */
static void turns_are_no_more_than_their_weight(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id other = engine_queue(f, f->root, "other");

    engine_set(f, other, SKED_QUEUE_WEIGHT, 3);
    (void)engine_alone(f, NULL, 40, 40, 0);
    engine_add_job(f, 2, other, 0);
    assert_ok(engine_add_ask(f, 1, 1, 40, 1, 1));
    assert_ok(engine_add_ask(f, 2, 2, 40, 1, 1));
    (void)engine_taken(f);
    assert_ok(beat(f));
    int64_t held = 0;
    for (size_t i = 0, n = engine_taken(f); i < n; i++) {
        if (f->last[i].ask == 2) held += f->last[i].count;
    }
    assert_i64(held, 30);
}

/* Spread tasks leave a node as soon as another has more left. */
static void spread_tasks_leave_a_node(void **state)
{
    engine_fixture *f = *state;
    sked_engine_place_options o = {.struct_size = sizeof o,
                                   .mode = SKED_ENGINE_PLACE_MODE_SPREAD};
    int64_t amounts[2];

    (void)engine_alone(f, NULL, 8, 8, 0);
    engine_add_node(f, 2, 0, 4, 8);
    assert_ok(engine_add_ask(f, 1, 1, 8, 1, 1));
    assert_ok(sked_engine_place(f->engine, 0, 0, &o, NULL));
    assert_ok(sked_engine_node_free(f->engine, 1, amounts));
    assert_i64(amounts[0], 2);
    (void)engine_taken(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(two_thousand_million_tasks_of_nothing_are_no_loop),
        engine_case(nothing_is_bounded_by_nothing),
        engine_case(tasks_of_one_ask_fill_a_node_at_once),
        engine_case(at_most_as_many_as_a_pass_may_start),
        engine_case(decisions_are_what_they_were),
        engine_case(queues_take_turns),
        engine_case(turns_are_no_more_than_their_weight),
        engine_case(spread_tasks_leave_a_node),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
