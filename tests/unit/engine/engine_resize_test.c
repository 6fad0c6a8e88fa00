/* Tasks that hold more or less than was asked for: confirmed, resized, moved. */
#include "engine_scene.h"
#include "engine/state.h"

/* ---- Amounts that are not what was asked ---- */

static sked_status hold_each(engine_fixture *f, int32_t kind, uint64_t group,
                             int64_t cpu)
{
    return engine_say(f,
                      (sked_event){.kind = kind,
                                   .key = group,
                                   .flags = SKED_CONFIRM_ACTUAL,
                                   .amount = 1},
                      cpu, 1);
}

static void tasks_hold_more_or_less_than_was_asked(void **state)
{
    engine_fixture *f = *state;
    int64_t free[2], used[2];
    sked_queue_id leaf = engine_alone(f, NULL, 10, 100, 1);

    assert_ok(engine_add_ask(f, 1, 1, 7, 2, 1));
    (void)engine_taken(f);
    assert_int_equal(engine_beat(f, 1), 1);
    uint64_t group = f->last[0].group;
    assert_i64(f->last[0].count, 5);
    assert_ok(hold_each(f, SKED_EVENT_TASK_RESIZE, group, 3));
    uint64_t larger = sked_engine_state_digest(f->engine);
    assert_ok(hold_each(f, SKED_EVENT_TASK_RESIZE, group, 1));
    assert_true(larger != sked_engine_state_digest(f->engine));
    assert_ok(sked_engine_check(f->engine, NULL));
    assert_ok(sked_engine_node_free(f->engine, 1, free));
    assert_i64(free[0], 5);
    assert_ok(sked_engine_usage(f->engine, leaf, 0, used, NULL));
    assert_i64(used[0], 5);
    assert_int_equal(engine_beat(f, 1), 1); /* there is place for two more */
    assert_i64(f->last[0].count, 2);

    assert_ok(hold_each(f, SKED_EVENT_TASK_RESIZE, group, 4));
    assert_ok(sked_engine_check(f->engine, NULL));
    assert_i64((int64_t)engine_stats_of(f).nodes_over, 1);
    assert_ok(engine_end(f, SKED_EVENT_TASK_LOST, group, 2));
    assert_ok(sked_engine_node_free(f->engine, 1, free));
    assert_i64(free[0], 10 - 3 * 4 - 2 * 2);
    (void)engine_taken(f);
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, group, 3));
    assert_int_equal(engine_beat(f, 1),
                     1); /* they take what the ask says again */
    assert_i64(f->last[0].count, 2);
    assert_ok(sked_engine_node_free(f->engine, 1, free));
    assert_i64(free[0], 2);
}

static void a_proposal_is_confirmed_as_it_is(void **state)
{
    engine_fixture *f = *state;
    sked_engine_options o = {.struct_size = sizeof o, .confirm_within_ns = 100};
    int64_t free[2];

    (void)engine_alone(f, &o, 10, 100, 1);
    assert_ok(engine_add_ask(f, 1, 1, 2, 2, 1));
    (void)engine_taken(f);
    assert_int_equal(engine_beat(f, 1), 1);
    uint64_t group = f->last[0].group;
    assert_status(SKED_ERR_RANGE,
                  hold_each(f, SKED_EVENT_TASK_CONFIRM, group, -1));
    assert_ok(hold_each(f, SKED_EVENT_TASK_CONFIRM, group, 3));
    assert_status(SKED_ERR_STATE,
                  hold_each(f, SKED_EVENT_TASK_CONFIRM, group, 3));
    assert_status(SKED_ERR_STALE, hold_each(f, SKED_EVENT_TASK_CONFIRM, 9, 3));
    assert_ok(sked_engine_node_free(f->engine, 1, free));
    assert_i64(free[0], 4);
}

static void a_resize_stays_within_amounts(void **state)
{
    engine_fixture *f = *state;
    const int64_t most = SKED_AMOUNT_MAX;

    (void)engine_alone(f, NULL, 10, 100, 1);
    assert_ok(engine_add_ask(f, 1, 1, 3, 2, 1));
    (void)engine_taken(f);
    assert_int_equal(engine_beat(f, 1), 1);
    uint64_t group = f->last[0].group;
    uint64_t before = sked_engine_state_digest(f->engine);
    assert_status(SKED_ERR_STALE, hold_each(f, SKED_EVENT_TASK_RESIZE, 77, 1));
    assert_status(SKED_ERR_RANGE,
                  hold_each(f, SKED_EVENT_TASK_RESIZE, group, -1));
    assert_status(SKED_ERR_RANGE,
                  hold_each(f, SKED_EVENT_TASK_RESIZE, group, most / 2));
    assert_status(SKED_ERR_ARG, engine_tell(f, SKED_EVENT_TASK_RESIZE, group));
    assert_true(before == sked_engine_state_digest(f->engine));
    engine_add_node(f, 2, 0, most - 20, 1); /* so much may come to be used */
    assert_status(SKED_ERR_RANGE,
                  hold_each(f, SKED_EVENT_TASK_RESIZE, group, 10));
}

/* Adopted at another size, of which shares and victims go by what it holds. */
static void what_runs_may_hold_other_amounts(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);
    sked_event big = {.kind = SKED_EVENT_TASK_RUNNING,
                      .key = 1,
                      .owner = 1,
                      .count = 2,
                      .amount = 1};
    int64_t used[2];

    scene_preempt(f, &s);
    engine_add_node(f, 1, 0, 10, 100);
    engine_add_job(f, 1, s.a, 1);
    engine_add_job(f, 2, s.b, 2);
    assert_ok(engine_add_ask(f, 1, 1, 2, 1, 1));
    (void)scene_hold(f, 1);
    assert_ok(engine_say(f, big, 4, 4));
    assert_ok(sked_engine_usage(f->engine, s.a, 0, used, NULL));
    assert_i64(used[0], 8);
    assert_ok(engine_add_ask(f, 2, 2, 1, 5, 1));
    (void)scene_hold(f, 2);
    assert_i64((int64_t)scene_count(f, SKED_DECISION_NOTIFY), 1);
    big.count = 1;
    big.amount = 9;
    assert_status(SKED_ERR_ARG, engine_say(f, big, 4, 4));
}

/* What a job wants may be new in the leaf that it moves to, and is still wanted
 * by others where it was: there is memory for that too. */
static void a_moved_job_wants_the_same_elsewhere(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id a = engine_queue(f, f->root, "a");
    sked_queue_id b = engine_queue(f, f->root, "b");

    engine_set(f, a, SKED_QUEUE_GUARANTEE_PPM, 500000);
    engine_begin(f, NULL);
    engine_add_node(f, 1, 0, 1000, 1000);
    engine_add_job(f, 1, a, 1);
    assert_ok(engine_add_ask(f, 1, 1, 1, 1, 0));
    for (uint64_t n = 2; n < 400; n++) {
        sked_event move = {.kind = SKED_EVENT_JOB_UPDATE, .key = n, .queue = b};
        engine_add_job(f, n, a, 1);
        assert_ok(engine_add_ask(f, 2 * n, 1, 1, (int64_t)n, 1));
        assert_ok(engine_add_ask(f, 2 * n + 1, n, 1, (int64_t)n, 1));
        if (n % 7 > 0) { /* all that was reserved is used, sooner or later */
            assert_ok(engine_add_ask(f, 1000 + n, 1, 1, (int64_t)n, 2));
        }
        assert_ok(engine_say(f, move, 0, 0));
        assert_true(f->engine->wants.live <= f->engine->wants.cap);
        (void)engine_taken(f);
    }
}

/* Tasks of ever more sizes. */
static void a_resize_needs_memory(void **state)
{
    engine_fixture *f = *state;
    int lacked = 0;

    (void)engine_alone(f, NULL, 1000, 100000, 1);
    assert_ok(engine_add_ask(f, 1, 1, 1, 2, 1));
    (void)engine_taken(f);
    assert_int_equal(engine_beat(f, 1), 1);
    uint64_t group = f->last[0].group;
    for (int64_t i = 1; i < 120; i++) {
        assert_ok(engine_add_ask(f, 1 + (uint64_t)i, 1, 1, 500 + i, 1));
        (void)engine_taken(f);
        f->host.fail_from = 1;
        sked_status rc = hold_each(f, SKED_EVENT_TASK_RESIZE, group, 2 + i % 5);
        f->host.fail_from = 0;
        if (rc == SKED_OK) continue;
        assert_status(SKED_ERR_NOMEM, rc);
        assert_ok(hold_each(f, SKED_EVENT_TASK_RESIZE, group, 2 + i % 5));
        assert_ok(sked_engine_check(f->engine, NULL));
        lacked++;
    }
    assert_true(lacked > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(tasks_hold_more_or_less_than_was_asked),
        engine_case(a_proposal_is_confirmed_as_it_is),
        engine_case(a_resize_stays_within_amounts),
        engine_case(what_runs_may_hold_other_amounts),
        engine_case(a_moved_job_wants_the_same_elsewhere),
        engine_case(a_resize_needs_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
