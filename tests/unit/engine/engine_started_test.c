/* Kill orders that wait for one round: what a queue has started by its turn
 * since the last one counts for what it will start until the next. */
#include <stdio.h>

#include "engine_scene.h"

/* Five tasks of `b` wait for victims on node 1 by a round at 3 s, and then so many
 * of them start by their turn on another node. */
static void start_some(engine_fixture *f, const scene *s, int64_t tasks)
{
    scene_fill(f, s, 5);
    (void)scene_hold(f, 3);
    assert_int_equal(scene_count(f, SKED_DECISION_NOTIFY), 5);
    f->now = 4 * (int64_t)SECOND;
    engine_add_node(f, 2, 0, tasks, 100);
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 2));
    (void)engine_taken(f);
    assert_i64((int64_t)scene_count(f, SKED_DECISION_ALLOCATE), tasks);
    assert_int_equal(f->last[0].reason, SKED_REASON_ORDER);
}

/* And a round at 18 s. */
static void start_elsewhere(engine_fixture *f, const scene *s, int64_t tasks)
{
    start_some(f, s, tasks);
    (void)scene_hold(f, 18);
}

/* The group of job 1 on node 1. */
static uint64_t victims(const engine_fixture *f)
{
    return scene_said(f, SKED_DECISION_KILL)->group;
}

static void as_many_wait_as_have_started(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    scene_preempt(f, &s);
    start_elsewhere(f, &s, 1); /* one more may start until the next round */
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 3);
    uint64_t group = victims(f);
    f->now = 19 * (int64_t)SECOND;
    assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, group, 3));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    (void)engine_taken(f);
    assert_int_equal(scene_count(f, SKED_DECISION_ALLOCATE), 3);
    (void)scene_hold(f, 21); /* it waits once */
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 1);
}

/* Partitions that come, and memory for more, change nothing of that. */
static void as_many_wait_where_partitions_come(void **state)
{
    engine_fixture *f = *state;
    const sked_engine_reserve_input sizes = {.struct_size = sizeof sizes,
                                             .partitions = 20};
    scene s = scene_begin(f);

    scene_preempt(f, &s);
    start_some(f, &s, 1);
    engine_add_node(f, 3, 5, 4, 4);
    uint64_t before = sked_engine_state_digest(f->engine);
    assert_ok(sked_engine_reserve(f->engine, &sizes, NULL));
    assert_true(sked_engine_state_digest(f->engine) == before);
    (void)scene_hold(f, 18);
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 3);
}

/* One for one, and no more: starts in what was reserved say nothing of what starts
 * without. */
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
    assert_int_equal(f->last[0].reason, SKED_REASON_HELD);
    (void)scene_hold(f, 18);
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 3);
}

static scene by_entitlement(engine_fixture *f, int64_t guaranteed_ppm)
{
    scene s = scene_begin(f);

    engine_set(f, s.a, SKED_QUEUE_GUARANTEE_PPM, guaranteed_ppm);
    engine_set(f, s.b, SKED_QUEUE_GUARANTEE_PPM, guaranteed_ppm);
    engine_begin(f, NULL);
    s.targets.mode = SKED_TARGET_MODE_ENTITLEMENT;
    s.targets.cycles = 1;
    scene_preempt(f, &s);
    return s;
}

/* By entitlement a claim within the guarantee has waited for its cycles: kills
 * wait only where what started would do for all of them. */
static void within_the_guarantee_all_wait_or_none(void **state)
{
    engine_fixture *f = *state;
    scene s = by_entitlement(f, 500000);

    start_elsewhere(f, &s, 2); /* three are left, of which none waits */
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 3);
}

static void within_the_guarantee_all_wait_once(void **state)
{
    engine_fixture *f = *state;
    scene s = by_entitlement(f, 500000);

    start_elsewhere(f, &s, 3); /* two are left, and both wait, once */
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 0);
    (void)scene_hold(f, 21);
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 2);
}

/* Without a guarantee it claims up to its share all the same, and no time is
 * promised: there they wait as by imbalance. */
static void beyond_the_guarantee_kills_wait(void **state)
{
    engine_fixture *f = *state;
    scene s = by_entitlement(f, 0);

    start_elsewhere(f, &s, 1);
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 3);
    (void)scene_hold(f, 21);
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 1);
}

/* By starvation a claim has waited for its time-out. */
static void by_starvation_no_kill_waits(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    s.targets.mode = SKED_TARGET_MODE_STARVATION;
    s.targets.utilisation_ppm = -1;
    engine_set(f, s.b, SKED_QUEUE_PREEMPT_MIN_TIMEOUT, 0);
    engine_begin(f, NULL);
    scene_preempt(f, &s);
    start_elsewhere(f, &s, 4);
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(as_many_wait_as_have_started),
        engine_case(as_many_wait_where_partitions_come),
        engine_case(what_an_application_frees_itself_is_credited),
        engine_case(within_the_guarantee_all_wait_or_none),
        engine_case(within_the_guarantee_all_wait_once),
        engine_case(beyond_the_guarantee_kills_wait),
        engine_case(by_starvation_no_kill_waits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
