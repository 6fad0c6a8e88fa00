/* Reservations that are given up since what they were for is not to be. */
#include "engine_gangs.h"
#include "engine_scene.h"

enum { A = 1, B = 2, C = 3 };

static sked_status ask_in(engine_fixture *f, uint64_t key, uint64_t job,
                          int64_t count, uint32_t partition)
{
    return engine_say(f,
                      (sked_event){.kind = SKED_EVENT_ASK_ADD,
                                   .key = key,
                                   .owner = job,
                                   .count = count,
                                   .amount = 1,
                                   .partition = partition},
                      1, 1);
}

/* The last task of a job that is admitted anew was killed in one partition while
 * others were told to end for it in the other one. */
static void a_job_that_is_admitted_anew_has_no_reservation(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    s.rounds.grace_ns = -1;
    scene_preempt(f, &s);
    engine_add_node(f, 1, 0, 10, 100);
    engine_add_node(f, 2, 1, 10, 100);
    assert_ok(engine_say(f,
                         (sked_event){.kind = SKED_EVENT_JOB_SUBMIT,
                                      .key = A,
                                      .queue = s.a,
                                      .owner = 1,
                                      .flags = SKED_JOB_READMIT},
                         0, 0));
    engine_add_job(f, B, s.b, 2);
    engine_add_job(f, C, s.a, 1);
    assert_ok(ask_in(f, 5, C, 5, 0));
    assert_ok(ask_in(f, 2, B, 10, 1));
    (void)engine_taken(f);
    assert_int_equal(engine_beat(f, 1), 1);
    assert_int_equal(engine_beat(f, 2), 1);
    uint64_t theirs = f->last[0].group;
    f->now = SECOND;
    assert_ok(ask_in(f, 1, A, 5, 0)); /* the latest: it goes first */
    assert_int_equal(engine_beat(f, 1), 1);
    uint64_t group = f->last[0].group;
    assert_ok(ask_in(f, 3, B, 10, 0));
    assert_ok(ask_in(f, 4, A, 10, 1));
    (void)scene_hold(f, 3);
    assert_true(scene_count(f, SKED_DECISION_RESERVE) >= 2);
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 10);

    assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, group, 5));
    assert_ok(sked_engine_check(f->engine, &f->err));
    (void)engine_taken(f);
    assert_i64((int64_t)scene_said(f, SKED_DECISION_ADMIT)->job, A);
    assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, theirs, 5));
    (void)engine_taken(f);
    assert_int_equal(engine_beat(f, 2), 1);
    assert_i64((int64_t)f->last[0].job, A);
    assert_int_equal(f->last[0].reason, SKED_REASON_ORDER); /* not HELD */
}

/* Queue b's gang has two nodes reserved, two tasks on each, when one of them
 * gets smaller: the next round gives up the whole. */
static void a_gang_is_given_up_where_a_node_shrinks(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    s.rounds.grace_ns = -1;
    s.preempt.gangs = 1;
    scene_preempt(f, &s);
    for (uint64_t n = 1; n <= 2; n++) engine_add_node(f, n, 0, 4, 100);
    engine_add_job(f, A, s.a, 1);
    engine_add_job(f, B, s.b, 2);
    assert_ok(engine_add_ask(f, 1, A, 8, 1, 1));
    assert_ok(sked_engine_pass(f->engine, f->now, 0, NULL));
    f->now = SECOND;
    assert_ok(add_gang_of(f, 2, B, 4, (sked_event_gang){.per_node = 2}, 0));
    (void)engine_taken(f);
    (void)scene_hold(f, 3);
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 4);
    assert_int_equal(scene_count(f, SKED_DECISION_RESERVE), 4);

    assert_ok(engine_say(
        f, (sked_event){.kind = SKED_EVENT_NODE_CHANGE, .key = 2, .amount = 1},
        1, 100));
    (void)scene_hold(f, 4);
    assert_int_equal(scene_count(f, SKED_DECISION_WITHDRAW), 4);
    assert_int_equal(scene_count(f, SKED_DECISION_RESERVE), 0);
    assert_ok(sked_engine_check(f->engine, &f->err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(a_job_that_is_admitted_anew_has_no_reservation),
        engine_case(a_gang_is_given_up_where_a_node_shrinks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
