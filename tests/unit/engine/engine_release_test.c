/* Tasks that end in two stages: released by their job, ended by their node. */
#include <sched/life.h>

#include "engine_scene.h"

enum { RELEASED = SKED_EVENT_TASK_RELEASED, FINISH = SKED_EVENT_TASK_FINISH };

/* One node of 10, one ask of `count` tasks of 2, which run; their group. */
static uint64_t running(engine_fixture *f, sked_queue_id *leaf, int64_t count)
{
    *leaf = engine_alone(f, NULL, 10, 100, 1);
    assert_ok(engine_add_ask(f, 1, 1, count, 2, 1));
    (void)engine_taken(f);
    assert_int_equal(engine_beat(f, 1), 1);
    return f->last[0].group;
}

static int64_t free_of(engine_fixture *f, uint64_t node)
{
    int64_t free[2];

    assert_ok(sked_engine_check(f->engine, &f->err));
    assert_ok(sked_engine_node_free(f->engine, node, free));
    return free[0];
}

static int64_t used_by(engine_fixture *f, sked_queue_id queue)
{
    int64_t used[2];

    assert_ok(sked_engine_usage(f->engine, queue, 0, used, NULL));
    return used[0];
}

/* The queue has back at once what was released, its node later; nothing is open
 * again by it. */
static void queues_have_back_first(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf;
    uint64_t group = running(f, &leaf, 5);

    assert_ok(engine_end(f, RELEASED, group, 2));
    assert_i64(used_by(f, leaf), 6);
    assert_i64(free_of(f, 1), 0);
    assert_i64((int64_t)engine_stats_of(f).running_tasks, 3);
    assert_ok(engine_add_ask(f, 2, 1, 1, 2, 1));
    assert_int_equal(engine_beat(f, 1), 0);
    assert_ok(engine_end(f, SKED_EVENT_TASK_LOST, group, 1));
    assert_i64(free_of(f, 1), 2);
    (void)engine_taken(f);
    assert_int_equal(engine_beat(f, 1), 1);
    assert_i64((int64_t)f->last[0].ask, 2);

    /* One released task is left, and three that run: the last two of four. */
    assert_status(SKED_ERR_RANGE, engine_end(f, FINISH, group, 5));
    assert_status(SKED_ERR_RANGE, engine_end(f, FINISH, group, 0));
    assert_ok(engine_end(f, FINISH, group, 3));
    assert_i64(used_by(f, leaf), 2 + 2);
    assert_i64(free_of(f, 1), 6);
    assert_i64((int64_t)engine_stats_of(f).open_tasks, 0);
}

/* What was released is there when the job and its ask are not. */
static void a_node_ends_what_no_job_knows(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf;
    uint32_t what;
    uint64_t group = running(f, &leaf, 2);
    uint64_t before = sked_engine_state_digest(f->engine);

    assert_ok(engine_end(f, RELEASED, group, 2));
    assert_true(before != sked_engine_state_digest(f->engine));
    assert_ok(sked_engine_task_state(f->engine, group, &what));
    assert_int_equal(what, SKED_LIFE_STARTED_GONE);
    assert_status(SKED_ERR_STALE, engine_end(f, RELEASED, group, 1));
    assert_ok(engine_tell(f, SKED_EVENT_JOB_FINISH, 1));
    assert_i64((int64_t)engine_stats_of(f).jobs, 0);
    assert_i64(free_of(f, 1), 6);
    assert_status(SKED_ERR_RANGE,
                  engine_end(f, SKED_EVENT_TASK_KILLED, group, 3));
    assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, group, 1));
    assert_i64(free_of(f, 1), 8);
    assert_ok(engine_end(f, SKED_EVENT_TASK_FAIL, group, 1));
    assert_i64(free_of(f, 1), 10);
    assert_status(SKED_ERR_STALE, engine_end(f, FINISH, group, 1));
}

static void it_goes_with_its_node(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf;
    uint64_t group = running(f, &leaf, 3), other;

    assert_ok(engine_add_ask(f, 2, 1, 1, 3, 1));
    (void)engine_taken(f);
    assert_int_equal(engine_beat(f, 1), 1);
    other = f->last[0].group;
    assert_ok(engine_end(f, RELEASED, group, 1));
    assert_ok(engine_end(f, RELEASED, other, 1));
    assert_ok(engine_end(f, RELEASED, group, 1));
    assert_i64(free_of(f, 1), 1);
    assert_ok(engine_end(f, FINISH, group, 2));
    assert_i64(free_of(f, 1), 5);
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 1));
    assert_status(SKED_ERR_STALE, engine_end(f, FINISH, other, 1));
    engine_add_node(f, 1, 0, 10, 100);
    assert_i64(free_of(f, 1), 10);
}

static void what_cannot_be_released(void **state)
{
    engine_fixture *f = *state;
    sked_engine_options o = {.struct_size = sizeof o, .confirm_within_ns = 100};

    (void)engine_alone(f, &o, 10, 100, 1);
    assert_ok(engine_add_ask(f, 1, 1, 2, 2, 1));
    (void)engine_taken(f);
    assert_int_equal(engine_beat(f, 1), 1);
    uint64_t group = f->last[0].group;
    assert_status(SKED_ERR_STATE, engine_end(f, RELEASED, group, 1));
    assert_ok(engine_tell(f, SKED_EVENT_TASK_CONFIRM, group));
    assert_status(SKED_ERR_RANGE, engine_end(f, RELEASED, group, 3));
    assert_status(SKED_ERR_RANGE, engine_end(f, RELEASED, group, 0));
    sked_event all = {
        .kind = RELEASED, .key = group, .count = 1, .flags = SKED_TASK_ALL};
    assert_status(SKED_ERR_ARG, engine_say(f, all, 0, 0));
    assert_ok(engine_end(f, RELEASED, group, 1));
    sked_event more = {
        .kind = SKED_EVENT_TASK_RESIZE, .key = group, .amount = 1};
    assert_status(SKED_ERR_STATE, engine_say(f, more, 3, 1));
    assert_ok(engine_end(f, FINISH, group, 1));
    assert_ok(engine_say(f, more, 3, 1));
    assert_i64(free_of(f, 1), 7);
}

/* A pair that was refused stays so while only the queue has anything back. */
static void refusals_last_until_the_node_ends_it(void **state)
{
    engine_fixture *f = *state;
    sked_engine_options o = {.struct_size = sizeof o, .confirm_within_ns = 100};

    (void)engine_alone(f, &o, 10, 100, 1);
    assert_ok(engine_add_ask(f, 1, 1, 1, 2, 1));
    (void)engine_taken(f);
    assert_int_equal(engine_beat(f, 1), 1);
    uint64_t group = f->last[0].group;
    assert_ok(engine_tell(f, SKED_EVENT_TASK_CONFIRM, group));
    assert_ok(engine_add_ask(f, 2, 1, 1, 2, 1));
    (void)engine_taken(f);
    assert_int_equal(engine_beat(f, 1), 1);
    assert_ok(engine_tell(f, SKED_EVENT_TASK_REFUSE, f->last[0].group));
    assert_int_equal(engine_beat(f, 1), 0);
    assert_ok(engine_end(f, RELEASED, group, 1));
    assert_int_equal(engine_beat(f, 1), 0);
    assert_ok(engine_end(f, FINISH, group, 1));
    assert_int_equal(engine_beat(f, 1), 1);
}

/* Without memory nothing is released; with it reserved none is asked for. */
static void a_release_needs_memory(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf;
    uint64_t group = running(f, &leaf, 3);

    f->host.fail_from = 1;
    assert_status(SKED_ERR_NOMEM, engine_end(f, RELEASED, group, 1));
    f->host.fail_from = 0;
    assert_i64(used_by(f, leaf), 6);
    assert_i64(free_of(f, 1), 4);
    sked_engine_reserve_input in = {.struct_size = sizeof in, .released = 1};
    assert_ok(sked_engine_reserve(f->engine, &in, &f->err));
    f->host.fail_from = 1;
    assert_ok(engine_end(f, RELEASED, group, 1));
    f->host.fail_from = 0;
    assert_i64(used_by(f, leaf), 4);
    in.released = (uint64_t)SKED_ENGINE_RESERVE_MAX + 1;
    assert_status(SKED_ERR_RANGE, sked_engine_reserve(f->engine, &in, &f->err));
}

/* What victims have released counts as about to be free: rounds take nothing
 * back and tell nothing else to end, and what it is for starts there. */
static void rounds_wait_for_the_node(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    scene_preempt(f, &s);
    scene_fill(f, &s, 3);
    (void)scene_hold(f, 2);
    (void)scene_hold(f, 18);
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 3);
    uint64_t group = scene_said(f, SKED_DECISION_KILL)->group;
    assert_ok(engine_end(f, RELEASED, group, 3));
    assert_i64(used_by(f, s.a), 7);
    assert_i64(free_of(f, 1), 0);
    for (int64_t at = 19; at < 60; at++) {
        assert_int_equal(scene_hold(f, at), 0);
        assert_int_equal(engine_beat(f, 1), 0);
    }
    assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, group, 3));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_i64(used_by(f, s.b), 3);
}

/* A round decides the same however much memory there is for partitions without
 * nodes, also beside an ask for any of them. */
static void memory_decides_nothing(void **state)
{
    engine_fixture *f = *state;
    const sked_engine_reserve_input sizes = {.struct_size = sizeof sizes,
                                             .partitions = 8};
    scene s = scene_begin(f);

    scene_preempt(f, &s);
    scene_fill(f, &s, 0);
    uint64_t group = scene_said(f, SKED_DECISION_ALLOCATE)->group;
    assert_ok(engine_end(f, RELEASED, group, 8)); /* on the node still */
    assert_ok(engine_add_ask(f, 2, 2, 2, 1, 1));
    assert_ok(engine_say(f,
                         (sked_event){.kind = SKED_EVENT_ASK_ADD,
                                      .key = 3,
                                      .owner = 2,
                                      .count = 1,
                                      .amount = 1,
                                      .partition = SKED_ANY_PARTITION},
                         1, 1));
    assert_int_equal(scene_hold(f, 3), 0); /* nothing is ended for them */
    assert_ok(sked_engine_reserve(f->engine, &sizes, NULL));
    assert_int_equal(scene_hold(f, 4), 0);
    engine_add_node(f, 2, 1, 1, 1);
    assert_true(scene_hold(f, 5) > 0); /* there is a choice by now */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(queues_have_back_first),
        engine_case(a_node_ends_what_no_job_knows),
        engine_case(it_goes_with_its_node),
        engine_case(what_cannot_be_released),
        engine_case(refusals_last_until_the_node_ends_it),
        engine_case(a_release_needs_memory),
        engine_case(rounds_wait_for_the_node),
        engine_case(memory_decides_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
