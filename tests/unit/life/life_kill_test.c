/* [PEL-15] A kill, from the question to the next start: the engine says it five
 * seconds ahead, the policy says what follows, the table where that leads. */
#include "engine_scene.h"

#include <sched/life_policy.h>

enum { TOLD = 3, GRACE = 5, LATE = TOLD + GRACE };

/* What follows for one that was preempted, where `policy` says so. */
static sked_life_restart_result after_kill(uint32_t end_preempted)
{
    const sked_life_instance was = {.state = SKED_LIFE_TASK_KILLED,
                                    .goal = SKED_LIFE_TASK_SUCCEEDED};
    const sked_life_restart_options policy = {.struct_size = sizeof policy,
                                              .end_preempted = end_preempted};
    sked_life_restart_result r;

    assert_ok(
        sked_life_restart(&was, SKED_LIFE_END_PREEMPTED, &policy, &r, NULL));
    return r;
}

static void asked_killed_after_five_seconds_and_admitted_again(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    s.rounds.grace_ns = GRACE * (int64_t)SECOND;
    scene_preempt(f, &s);
    scene_fill(f, &s, 4);
    assert_true(scene_hold(f, TOLD) > 0);
    const sked_decision *told = scene_said(f, SKED_DECISION_NOTIFY);
    uint64_t group = told->group;
    assert_int_equal(told->count, 4);
    assert_int_equal(told->detail, LATE * (int64_t)SECOND);
    assert_int_equal(scene_hold(f, LATE - 1), 0);
    assert_true(scene_hold(f, LATE) > 0);
    assert_int_equal(scene_said(f, SKED_DECISION_KILL)->count, 4);
    assert_int_equal(scene_said(f, SKED_DECISION_KILL)->group, group);

    sked_life_restart_result next = after_kill(0);
    assert_int_equal(next.again, 1);
    assert_int_equal(next.failures, 0);
    assert_int_equal(after_kill(1).again, 0);
    uint32_t edge;
    const sked_life_table *queued = sked_life_table_of(SKED_LIFE_TABLE_QUEUED);
    assert_ok(sked_life_way(queued, SKED_LIFE_TASK_KILLED,
                            SKED_LIFE_TASK_PENDING, &edge, NULL));
    assert_int_equal(queued->edges[edge].event, SKED_LIFE_EVENT_REQUEUE);
    assert_status(SKED_ERR_STATE,
                  sked_life_way(queued, SKED_LIFE_TASK_KILLED,
                                SKED_LIFE_TASK_RUNNING, &edge, NULL));

    /* The engine does so by itself: what ended is asked for again. */
    assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, group, 4));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    (void)engine_taken(f);
    const sked_decision *again = scene_said(f, SKED_DECISION_REQUEUE);
    assert_int_equal(again->count, 4);
    assert_int_equal(again->reason, SKED_REASON_PREEMPTED);
    assert_int_equal(scene_said(f, SKED_DECISION_ALLOCATE)->ask, 2);
    assert_int_equal(engine_stats_of(f).open_tasks, 4); /* of ask 1 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(asked_killed_after_five_seconds_and_admitted_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
