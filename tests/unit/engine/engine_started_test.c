/* Kill orders that wait for one round: what a queue has started since the last
 * one counts for what it will start until the next. */
#include <stdio.h>

#include "engine_scene.h"

static void what_an_application_frees_itself_is_credited(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    scene_preempt(f, &s);
    scene_fill(f, &s, 5);
    (void)scene_hold(f, 3);
    uint64_t group = scene_said(f, SKED_DECISION_NOTIFY)->group;
    f->now = 4 * (int64_t)SECOND;
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, group, 2));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    (void)engine_taken(f);
    assert_int_equal(scene_count(f, SKED_DECISION_ALLOCATE), 2);
    (void)scene_hold(f, 18); /* two more may end by themselves until the next */
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 1);
    f->now = 19 * (int64_t)SECOND;
    assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, group, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    (void)engine_taken(f);
    assert_int_equal(scene_count(f, SKED_DECISION_ALLOCATE), 1);
    (void)scene_hold(f, 21); /* though one has started since: they wait once */
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 2);
}

/* By entitlement a claim within the guarantee has waited for its cycles: its
 * victims are killed when they are due, whatever has started. */
static void what_waited_by_a_clock_waits_no_more(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    s.targets.mode = SKED_TARGET_MODE_ENTITLEMENT;
    s.targets.cycles = 1;
    scene_preempt(f, &s);
    scene_fill(f, &s, 5);
    (void)scene_hold(f, 3);
    uint64_t group = scene_said(f, SKED_DECISION_NOTIFY)->group;
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, group, 2));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_true(engine_taken(f) > 0);
    (void)scene_hold(f, 18);
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 3);
}

/* Without a guarantee it claims up to its share all the same, and no time is
 * promised: there they wait as by imbalance. */
static void beyond_the_guarantee_kills_wait(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    engine_set(f, s.b, SKED_QUEUE_GUARANTEE_PPM, 0);
    engine_set(f, s.a, SKED_QUEUE_GUARANTEE_PPM, 0);
    engine_begin(f, NULL);
    s.targets.mode = SKED_TARGET_MODE_ENTITLEMENT;
    s.targets.cycles = 1;
    scene_preempt(f, &s);
    scene_fill(f, &s, 5);
    (void)scene_hold(f, 3);
    uint64_t group = scene_said(f, SKED_DECISION_NOTIFY)->group;
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, group, 2));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_true(engine_taken(f) > 0);
    (void)scene_hold(f, 18);
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 1);
    (void)scene_hold(f, 21);
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(what_an_application_frees_itself_is_credited),
        engine_case(what_waited_by_a_clock_waits_no_more),
        engine_case(beyond_the_guarantee_kills_wait),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
