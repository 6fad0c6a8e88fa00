/* Numbers of tasks that run already: those that are open, and those of the
 * host's own. */
#include "engine_adopt.h"

#include "engine/state.h"

/* Numbers 0 to 9; so many are open in so many runs. */
static void tasks_keep_their_numbers(void **state)
{
    engine_fixture *f = *state;

    (void)engine_alone(f, NULL, 100, 100, 1);
    assert_ok(engine_add_ask(f, 1, 1, 10, 1, 1));
    (void)engine_taken(f);
    assert_ok(running_from(f, 1, 1, 3, 4));
    is_adopted(f, 4, 3);
    assert_status(SKED_ERR_STATE, running_from(f, 1, 1, 1, 5)); /* runs */
    assert_status(SKED_ERR_STATE, running_from(f, 1, 1, 2, 3)); /* one does */
    assert_status(SKED_ERR_STATE, running_from(f, 1, 1, 4, 7)); /* 10 is new */
    assert_i64(f->err.got, 7);
    assert_ok(running(f, 1, 1, 3)); /* no number said: the first run */
    is_adopted(f, 0, 3);
    assert_ok(running_from(f, 1, 1, 1, 9)); /* the end of a run */
    is_adopted(f, 9, 1);
    assert_i64((int64_t)engine_stats_of(f).open_tasks, 3); /* 3, 7 and 8 */
    assert_ok(running_from(f, 1, 1, 2, 40)); /* above all: 7 and 8 go */
    is_adopted(f, 40, 2);
    assert_i64((int64_t)engine_stats_of(f).open_tasks, 1);
    assert_status(SKED_ERR_STATE, running_from(f, 1, 1, 1, 7));
    assert_ok(running(f, 1, 1, 3)); /* no run is that long */
    is_adopted(f, 42, 3);
    assert_i64((int64_t)engine_stats_of(f).open_tasks, 0);
    assert_ok(running(f, 1, 1, 2)); /* none is open: two more */
    is_adopted(f, 45, 2);
    assert_i64((int64_t)engine_stats_of(f).running_tasks, 14);
}

static void open_and_running(engine_fixture *f, int64_t open, int64_t runs)
{
    sked_engine_stats s = engine_stats_of(f);

    assert_i64((int64_t)s.open_tasks, open);
    assert_i64((int64_t)s.running_tasks, runs);
    assert_ok(sked_engine_check(f->engine, NULL));
}

/* What runs under numbers of the host's own is what the ask wanted: it does not
 * start a second time. */
static void numbers_above_all_are_of_the_ask(void **state)
{
    engine_fixture *f = *state;
    sked_event gang = {.kind = SKED_EVENT_ASK_ADD,
                       .key = 1,
                       .owner = 1,
                       .count = 3,
                       .amount = 1,
                       .flags = SKED_ASK_GANG};

    (void)engine_alone(f, NULL, 100, 100, 1);
    assert_ok(engine_say(f, gang, 1, 1)); /* on one node */
    gang.key = 2;
    gang.flags |= SKED_ASK_SPREAD;
    assert_ok(engine_say(f, gang, 1, 1));
    assert_ok(engine_add_ask(f, 3, 1, 3, 1, 1));
    (void)engine_taken(f);
    for (uint64_t ask = 1; ask <= 3; ask++) {
        assert_ok(running_from(f, 1, ask, 3, 50 * (int64_t)ask));
        is_adopted(f, 50 * (int64_t)ask, 3);
        open_and_running(f, 9 - 3 * (int64_t)ask, 3 * (int64_t)ask);
    }
    assert_int_equal(engine_beat(f, 1), 0);

    assert_ok(engine_add_ask(f, 4, 1, 3, 1, 1)); /* 153 to 155 */
    assert_ok(running_from(f, 1, 4, 2, 200));
    open_and_running(f, 1, 11);
    (void)engine_taken(f);
    sked_event more = {.kind = SKED_EVENT_TASK_RUNNING,
                       .key = 1,
                       .owner = 4,
                       .count = 3,
                       .amount = 1};
    assert_ok(say_of(f, more, SKED_UNSET, 300)); /* one open, and two more */
    is_adopted(f, 300, 3);
    open_and_running(f, 0, 14);
    assert_ok(engine_add_ask(f, 5, 1, 1, 1, 1));
    assert_int_equal(engine_beat(f, 1), 1);
    assert_i64(f->last[0].task, 303);
}

/* A gang over nodes of which two run so is one of the other two. */
static void what_does_not_run_yet_is_a_smaller_gang(void **state)
{
    engine_fixture *f = *state;
    const sked_event gang = {.kind = SKED_EVENT_ASK_ADD,
                             .key = 1,
                             .owner = 1,
                             .count = 4,
                             .amount = 1,
                             .flags = SKED_ASK_GANG | SKED_ASK_SPREAD};

    (void)engine_alone(f, NULL, 4, 100, 1);
    assert_ok(engine_say(f, gang, 1, 1));
    (void)engine_taken(f);
    assert_ok(running_from(f, 1, 1, 2, 50));
    is_adopted(f, 50, 2);
    open_and_running(f, 2, 2);
    assert_int_equal(engine_beat(f, 1), 1);
    assert_i64(f->last[0].task, 0);
    assert_i64(f->last[0].count, 2);
    assert_int_equal(f->last[0].reason, SKED_REASON_GANG);
}

/* Numbers that an ask got later, and that follow those it had, are of one run
 * with these; those that another ask of the job had are in between. */
static void an_ask_that_grows_has_one_run(void **state)
{
    engine_fixture *f = *state;

    (void)engine_alone(f, NULL, 100, 100, 1);
    assert_ok(engine_add_ask(f, 1, 1, 4, 1, 1));
    for (int64_t count = 5; count <= 8; count++) {
        assert_ok(engine_end(f, SKED_EVENT_ASK_CHANGE, 1, count));
    }
    assert_i64(f->engine->ranges.live, 0);
    assert_ok(engine_add_ask(f, 2, 1, 1, 1, 1)); /* 8 */
    assert_ok(engine_end(f, SKED_EVENT_ASK_CHANGE, 1, 10));
    assert_ok(engine_end(f, SKED_EVENT_ASK_CHANGE, 1, 12)); /* to 12 */
    assert_i64(f->engine->ranges.live, 1);
    (void)engine_taken(f);
    assert_ok(running_from(f, 1, 1, 3, 10));
    is_adopted(f, 10, 3);
    assert_ok(running(f, 1, 1, 8));
    is_adopted(f, 0, 8);
    assert_i64((int64_t)engine_stats_of(f).open_tasks, 2); /* 8 and 9 */
}

/* Tasks 0 to 3 of an ask are open, and in front of them 4 to 7, which were lost
 * later; nothing runs. */
static void lose_in_order(engine_fixture *f)
{
    (void)engine_alone(f, NULL, 4, 100, 1);
    engine_add_node(f, 2, 0, 4, 100);
    assert_ok(engine_add_ask(f, 1, 1, 8, 1, 1));
    assert_int_equal(engine_beat(f, 1), 2);
    assert_int_equal(engine_beat(f, 2), 1);
    assert_i64(f->last[0].task, 4);
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 1));
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 2));
    (void)engine_taken(f);
}

/* A heartbeat of a new node starts these tasks, and no others. */
static void starts_numbers(engine_fixture *f, int64_t task, int64_t count)
{
    engine_add_node(f, 3, 0, 100, 100);
    assert_int_equal(engine_beat(f, 3), 1);
    assert_i64(f->last[0].task, task);
    assert_i64(f->last[0].count, count);
}

/* Whichever stand in front. */
static void open_tasks_with_the_highest_numbers_go_first(void **state)
{
    engine_fixture *f = *state;

    lose_in_order(f);
    assert_ok(engine_end(f, SKED_EVENT_ASK_CHANGE, 1, 6));
    assert_ok(engine_end(f, SKED_EVENT_ASK_CHANGE, 1, 3));
    assert_ok(sked_engine_check(f->engine, NULL));
    starts_numbers(f, 0, 3);
}

static void new_numbers_take_the_place_of_the_highest(void **state)
{
    engine_fixture *f = *state;

    lose_in_order(f);
    engine_add_node(f, 4, 0, 5, 100);
    assert_ok(running_from(f, 4, 1, 5, 100));
    is_adopted(f, 100, 5);
    starts_numbers(f, 0, 3);
}

static void asks_go_on_from_a_number(void **state)
{
    engine_fixture *f = *state;
    sked_event ask = {.kind = SKED_EVENT_ASK_ADD,
                      .key = 1,
                      .owner = 1,
                      .count = 2,
                      .amount = 1};

    (void)engine_alone(f, NULL, 100, 100, 1);
    assert_ok(say_of(f, ask, SKED_UNSET, 30));
    ask.key = 2;
    assert_status(SKED_ERR_RANGE, say_of(f, ask, SKED_UNSET, 31));
    assert_i64(f->err.limit, 32);
    assert_status(SKED_ERR_RANGE,
                  say_of(f, ask, SKED_UNSET, SKED_AMOUNT_MAX + 1));
    assert_status(SKED_ERR_RANGE, say_of(f, ask, SKED_UNSET, -1));
    assert_ok(say_of(f, ask, SKED_UNSET, 32));
    (void)engine_taken(f);
    assert_int_equal(engine_beat(f, 1), 2);
    assert_i64(f->last[0].task, 30);
    assert_i64(f->last[1].task, 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(tasks_keep_their_numbers),
        engine_case(numbers_above_all_are_of_the_ask),
        engine_case(what_does_not_run_yet_is_a_smaller_gang),
        engine_case(an_ask_that_grows_has_one_run),
        engine_case(open_tasks_with_the_highest_numbers_go_first),
        engine_case(new_numbers_take_the_place_of_the_highest),
        engine_case(asks_go_on_from_a_number),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
