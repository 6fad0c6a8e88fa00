/*
 * What is left: of a gang, of a proposal, of a node that drains; and of time
 * after one event that is far ahead.
 */
#include "engine_fixture.h"

static sked_event gang_of(int64_t count)
{
    return (sked_event){.kind = SKED_EVENT_ASK_ADD,
                        .key = 1,
                        .owner = 1,
                        .count = count,
                        .amount = 1,
                        .flags = SKED_ASK_GANG};
}

/* A gang of two on a node of 10: one task is done, the other is lost with its
 * node. What is left needs 5 and starts on a node of 9. */
static void what_is_left_of_a_gang_needs_no_more_than_that(void **state)
{
    engine_fixture *f = *state;

    (void)engine_alone(f, NULL, 10, 10, 0);
    (void)engine_taken(f);
    assert_ok(engine_say(f, gang_of(2), 5, 5));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_int_equal(engine_taken(f), 1);
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, f->last[0].group, 1));
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 1));
    engine_add_node(f, 2, 0, 9, 9);
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 2));
    assert_int_equal(engine_taken(f), 2);
    assert_int_equal(f->last[0].kind, SKED_DECISION_LOST);
    assert_int_equal(f->last[1].kind, SKED_DECISION_ALLOCATE);
    assert_true(f->last[1].node == 2);
    assert_i64(f->last[1].count, 1);
}

/* All that is left starts at once on one node, or nothing. */
static void what_is_left_of_a_gang_starts_at_once(void **state)
{
    engine_fixture *f = *state;
    int64_t free_there[2];

    (void)engine_alone(f, NULL, 12, 12, 0);
    (void)engine_taken(f);
    assert_ok(engine_say(f, gang_of(4), 3, 3));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_int_equal(engine_taken(f), 1);
    uint64_t group = f->last[0].group;
    assert_ok(engine_end(f, SKED_EVENT_TASK_LOST, group, 1));
    assert_int_equal(engine_taken(f), 0); /* over, since others run */
    assert_ok(engine_end(f, SKED_EVENT_TASK_LOST, group, 3));
    assert_int_equal(engine_taken(f), 1);
    assert_i64(f->last[0].count, 3);
    engine_add_node(f, 2, 0, 8, 8); /* two of three */
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 2));
    assert_int_equal(engine_taken(f), 0);
    engine_add_node(f, 3, 0, 9, 9);
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 3));
    assert_int_equal(engine_taken(f), 1);
    assert_i64(f->last[0].count, 3);
    assert_ok(sked_engine_node_free(f->engine, 3, free_there));
    assert_i64(free_there[0], 0);
}

static uint64_t propose(engine_fixture *f, int64_t count)
{
    sked_engine_options o = {.struct_size = sizeof o, .confirm_within_ns = 10};

    (void)engine_alone(f, &o, 10, 10, 0);
    assert_ok(engine_add_ask(f, 1, 1, count, 1, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_int_equal(engine_taken(f), 2);
    return f->last[1].group;
}

/* Each way in which some of a proposal ends; then the rest is confirmed,
 * refused, or its deadline comes. */
static void an_end_of_part_of_a_proposal_confirms_that_part(void **state)
{
    static const int32_t ends[] = {SKED_EVENT_TASK_FINISH, SKED_EVENT_TASK_FAIL,
                                   SKED_EVENT_TASK_LOST};
    (void)state;

    for (size_t i = 0; i < 9; i++) {
        void *fixture;
        (void)engine_setup(&fixture);
        engine_fixture *f = fixture;
        uint64_t group = propose(f, 5);
        assert_ok(engine_end(f, ends[i % 3], group, 2));
        size_t again = ends[i % 3] == SKED_EVENT_TASK_LOST;
        assert_int_equal(engine_taken(f), again);
        assert_i64((int64_t)engine_stats_of(f).running_tasks, 3);
        if (i / 3 == 0) {
            assert_ok(engine_tell(f, SKED_EVENT_TASK_CONFIRM, group));
            f->now = 100;
            assert_ok(engine_tell(f, SKED_EVENT_TICK, 0));
            assert_i64((int64_t)engine_stats_of(f).running_tasks, 3);
        } else if (i / 3 == 1) {
            assert_ok(engine_tell(f, SKED_EVENT_TASK_REFUSE, group));
            assert_i64((int64_t)engine_stats_of(f).running_tasks, 0);
        } else {
            f->now = 10;
            assert_ok(engine_tell(f, SKED_EVENT_TICK, 0));
            assert_int_equal(engine_taken(f), 1);
            assert_int_equal(f->last[0].kind, SKED_DECISION_EXPIRE);
            assert_i64(f->last[0].count, 3);
        }
        (void)engine_teardown(&fixture);
    }
}

/* The host says nothing more of a job that was cancelled before it confirmed:
 * at the deadline all is free, and the key. */
static void a_proposal_of_a_cancelled_job_ends_at_its_deadline(void **state)
{
    engine_fixture *f = *state;
    uint64_t group = propose(f, 2);
    int64_t there[2];

    assert_ok(engine_tell(f, SKED_EVENT_JOB_CANCEL, 1));
    assert_int_equal(engine_taken(f), 1);
    assert_int_equal(f->last[0].kind, SKED_DECISION_KILL);
    assert_true(f->last[0].group == group);
    f->now = 1000;
    assert_ok(engine_tell(f, SKED_EVENT_TICK, 0));
    assert_int_equal(engine_taken(f), 1);
    assert_int_equal(f->last[0].kind, SKED_DECISION_EXPIRE);
    assert_i64(f->last[0].time, 10);
    assert_ok(sked_engine_node_free(f->engine, 1, there));
    assert_i64(there[0], 10);
    assert_i64((int64_t)engine_stats_of(f).jobs, 0);
}

/* A new capacity says nothing of a drain. */
static void a_node_drains_until_it_resumes(void **state)
{
    engine_fixture *f = *state;
    sked_event change = {.kind = SKED_EVENT_NODE_CHANGE, .key = 1, .amount = 1};

    (void)engine_alone(f, NULL, 1, 1, 0);
    (void)engine_taken(f);
    assert_ok(engine_add_ask(f, 1, 1, 3, 1, 1));
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DRAIN, 1));
    assert_ok(engine_say(f, change, 2, 2));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_int_equal(engine_taken(f), 0);
    assert_ok(engine_tell(f, SKED_EVENT_NODE_RESUME, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_int_equal(engine_taken(f), 1);
    assert_i64(f->last[0].count, 2);
}

/* One event at the end of time is refused by its row, and time goes on. */
static void a_time_far_ahead_is_refused(void **state)
{
    engine_fixture *f = *state;
    const sked_time year = SKED_TIME_JUMP_MAX / 10;
    sked_event ticks[2] = {{.kind = SKED_EVENT_TICK, .time = 56 * year},
                           {.kind = SKED_EVENT_TICK, .time = INT64_MAX}};
    sked_events b = {.struct_size = sizeof b, .events = ticks, .n = 2};
    sked_engine_options o = {.struct_size = sizeof o, .confirm_within_ns = 10};
    uint64_t done;

    (void)engine_alone(f, &o, 10, 10, 0); /* at 0: no time is known */
    assert_ok(engine_add_ask(f, 1, 1, 1, 1, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_status(
        SKED_ERR_RANGE,
        sked_engine_pass(f->engine, SKED_TIME_FIRST_MAX + 1, 0, NULL));
    assert_status(SKED_ERR_RANGE,
                  sked_engine_commit(f->engine, f->tree, INT64_MAX, &f->err));
    assert_i64((int64_t)engine_stats_of(f).running_tasks, 1);
    assert_status(SKED_ERR_RANGE,
                  sked_engine_apply(f->engine, &b, &done, &f->err));
    assert_i64((int64_t)done, 1);
    assert_i64(f->err.row, 1);
    assert_i64(f->err.got, INT64_MAX);
    assert_i64(f->err.limit, 56 * year + SKED_TIME_JUMP_MAX);
    assert_int_equal(engine_taken(f), 3); /* admitted, allocated, expired */

    f->now = 56 * year + 5; /* and it goes on from there */
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_int_equal(engine_taken(f), 1);
    assert_i64(f->last[0].time, 56 * year + 5);
    f->now += SKED_TIME_JUMP_MAX;
    assert_ok(engine_tell(f, SKED_EVENT_TICK, 0));
    f->now += SKED_TIME_JUMP_MAX + 1;
    assert_status(SKED_ERR_RANGE, engine_tell(f, SKED_EVENT_TICK, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(what_is_left_of_a_gang_needs_no_more_than_that),
        engine_case(what_is_left_of_a_gang_starts_at_once),
        cmocka_unit_test(an_end_of_part_of_a_proposal_confirms_that_part),
        engine_case(a_proposal_of_a_cancelled_job_ends_at_its_deadline),
        engine_case(a_node_drains_until_it_resumes),
        engine_case(a_time_far_ahead_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
