/* Tasks that have a node to themselves: beside rounds of preemption, and where
 * memory lacks. */
#include "engine_exclusive.h"
#include "engine_scene.h"

static void rounds_end_it_like_any_task(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    s.rounds.grace_ns = 0;
    scene_preempt(f, &s);
    engine_add_node(f, 1, 0, 4, 100);
    engine_add_node(f, 2, 0, 4, 100);
    engine_add_job(f, 1, s.a, 1);
    engine_add_job(f, 2, s.b, 2);
    (void)engine_taken(f);
    assert_ok(ask_alone(f, 1, 1, 2, 0));
    assert_int_equal(engine_beat(f, 1), 1);
    assert_int_equal(engine_beat(f, 2), 1);
    assert_ok(ask_alone(f, 3, 2, 1, 0)); /* nothing ends for it */
    assert_int_equal(scene_hold(f, 3), 0);
    assert_ok(engine_add_ask(f, 2, 2, 4, 1, 1));
    for (int64_t i = 6; scene_count(f, SKED_DECISION_KILL) == 0; i += 3) {
        assert_true(i < 30);
        (void)scene_hold(f, i);
    }
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 1);
    assert_i64((int64_t)scene_said(f, SKED_DECISION_KILL)->ask, 1);
    uint64_t node = scene_said(f, SKED_DECISION_KILL)->node;
    uint64_t group = scene_said(f, SKED_DECISION_KILL)->group;
    assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, group, 1));
    (void)engine_taken(f);
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, node));
    (void)engine_taken(f);
    assert_i64((int64_t)scene_said(f, SKED_DECISION_ALLOCATE)->ask, 2);
    assert_i64(cpu_used(f, s.a), 4);
    assert_i64(cpu_used(f, s.b), 4);
}

static void nothing_reserved_is_taken(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    scene_preempt(f, &s);
    scene_fill(f, &s, 5);
    for (int64_t i = 3; scene_count(f, SKED_DECISION_KILL) == 0; i += 3) {
        assert_true(i < 60);
        (void)scene_hold(f, i);
    }
    assert_ok(engine_tell(f, SKED_EVENT_ASK_WITHDRAW, 1));
    sked_events batch = {.struct_size = sizeof batch};
    const sked_event all = {.kind = SKED_EVENT_TASK_FINISH,
                            .key = 1,
                            .flags = SKED_TASK_ALL,
                            .time = f->now};
    batch.events = &all;
    batch.n = 1;
    assert_ok(sked_engine_apply(f->engine, &batch, NULL, NULL));
    engine_add_node(f, 2, 0, 10, 100);
    engine_add_node(f, 3, 0, 10, 100); /* so that the root has enough */
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DRAIN, 3));
    assert_ok(gang_alone(f, 9, 2, 0));
    (void)engine_taken(f);
    assert_int_equal(engine_beat(f, 2), 0); /* node 1 is empty, but not free */
    assert_int_equal(engine_beat(f, 1), 1); /* what it is reserved for */
    assert_i64((int64_t)f->last[0].ask, 2);
}

/* ---- Memory ---- */

/* One call with memory that lacks at each point: nothing has changed. */
static size_t lacks_memory(engine_fixture *f, sked_event event)
{
    uint64_t before = sked_engine_state_digest(f->engine);

    for (size_t k = 1;; k++) {
        f->host.requests = 0;
        f->host.fail_from = k;
        sked_status rc = engine_say(f, event, 7, 100);
        f->host.fail_from = 0;
        assert_ok(sked_engine_check(f->engine, NULL));
        if (rc == SKED_OK) return k;
        assert_status(SKED_ERR_NOMEM, rc);
        assert_true(before == sked_engine_state_digest(f->engine));
    }
}

static void memory_that_lacks_changes_nothing(void **state)
{
    engine_fixture *f = *state;

    nodes_of_four(f, NULL, 3);
    assert_ok(ask_alone(f, 1, 1, 1, 0));
    (void)lacks_memory(f, (sked_event){.kind = SKED_EVENT_HEARTBEAT, .key = 1});
    assert_int_equal(engine_taken(f), 1);
    for (uint64_t i = 0; i < 64; i++) { /* shapes and wants fill up */
        assert_ok(gang_alone(f, 10 + i, 2, 0));
        size_t n = lacks_memory(
            f, (sked_event){.kind = SKED_EVENT_HEARTBEAT, .key = 2});
        assert_int_equal(engine_taken(f), 2);
        (void)lacks_memory(f, (sked_event){.kind = SKED_EVENT_NODE_CHANGE,
                                           .key = 2 + i % 2,
                                           .amount = 1});
        assert_true(n < 40);
        const sked_event all = {.kind = SKED_EVENT_TASK_FINISH,
                                .key = 10 + i,
                                .flags = SKED_TASK_ALL};
        assert_ok(engine_say(f, all, 0, 0));
        engine_add_node(f, 100 + i, 1, 4 + (int64_t)i, 1);
        assert_ok(engine_add_ask(f, 200 + i, 1, 1, 90 + (int64_t)i, 1));
        (void)engine_taken(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(rounds_end_it_like_any_task),
        engine_case(nothing_reserved_is_taken),
        engine_case(memory_that_lacks_changes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
