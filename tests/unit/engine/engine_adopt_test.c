/*
 * A host that finds a cluster at work: tasks that run already are adopted past
 * every bound, jobs keep their place in the order.
 */
#include "engine_adopt.h"
#include "engine_scene.h"
#include "engine/state.h"

static sked_status running_since(engine_fixture *f, uint64_t node, uint64_t ask,
                                 int64_t count, sked_time since)
{
    return say_of(f,
                  (sked_event){.kind = SKED_EVENT_TASK_RUNNING,
                               .key = node,
                               .owner = ask,
                               .count = count},
                  since, SKED_UNSET);
}

static void a_node_may_have_less_than_its_tasks_hold(void **state)
{
    engine_fixture *f = *state;
    int64_t free[2];

    (void)engine_alone(f, NULL, 4, 100, 1);
    assert_ok(engine_add_ask(f, 1, 1, 9, 1, 1));
    (void)engine_taken(f);
    assert_ok(running(f, 1, 1, 6));
    is_adopted(f, 0, 6);
    uint64_t group = f->last[0].group;
    assert_i64((int64_t)f->last[0].node, 1);
    assert_ok(sked_engine_node_free(f->engine, 1, free));
    assert_i64(free[0], -2);
    sked_engine_stats s = engine_stats_of(f);
    assert_i64((int64_t)s.adopted, 6);
    assert_i64((int64_t)s.nodes_over, 1);
    assert_i64((int64_t)s.queues_over, 0);
    assert_i64((int64_t)s.open_tasks, 3);
    assert_int_equal(engine_beat(f, 1), 0);

    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, group, 2));
    assert_i64((int64_t)engine_stats_of(f).nodes_over, 0);
    assert_int_equal(engine_beat(f, 1), 0); /* full, but no more than that */
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, group, 1));
    assert_int_equal(engine_beat(f, 1), 1);
    assert_i64(f->last[0].count, 1);
    assert_i64(f->last[0].task, 6);
}

static void a_queue_may_use_more_than_its_limit(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");
    const int64_t limit[] = {2, SKED_UNLIMITED};

    assert_ok(sked_tree_set_vec(f->tree, leaf, SKED_QUEUE_LIMIT, limit, NULL));
    engine_begin(f, NULL);
    engine_add_node(f, 1, 0, 10, 100);
    engine_add_job(f, 1, leaf, 1);
    assert_ok(engine_add_ask(f, 1, 1, 5, 1, 1));
    (void)engine_taken(f);
    assert_ok(running(f, 1, 1, 3));
    is_adopted(f, 0, 3);
    uint64_t group = f->last[0].group;
    assert_i64((int64_t)engine_stats_of(f).queues_over, 1);
    assert_int_equal(engine_beat(f, 1), 0);
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, group, 2));
    assert_i64((int64_t)engine_stats_of(f).queues_over, 0);
    assert_int_equal(engine_beat(f, 1), 1);
    assert_i64(f->last[0].count, 1);
}

static void a_part_may_be_passed_in_one_partition(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");

    engine_set(f, leaf, SKED_QUEUE_LIMIT_PPM, 500000);
    engine_begin(f, NULL);
    engine_add_node(f, 1, 0, 4, 4);
    engine_add_node(f, 2, 1, 40, 40);
    engine_add_job(f, 1, leaf, 1);
    assert_ok(engine_add_ask(f, 1, 1, 3, 1, 1));
    assert_ok(running(f, 1, 1, 3));
    (void)engine_beat(f, 1);
    (void)engine_beat(f, 2);
    assert_i64((int64_t)engine_stats_of(f).queues_over, 1);
}

static void an_old_caller_has_the_old_counts(void **state)
{
    engine_fixture *f = *state;
    sked_engine_stats s;

    (void)engine_alone(f, NULL, 4, 4, 1);
    memset(&s, 0xff, sizeof s);
    s.struct_size = offsetof(sked_engine_stats, adopted);
    assert_ok(sked_engine_get_stats(f->engine, &s));
    assert_i64((int64_t)s.nodes, 1);
    assert_true(s.adopted == UINT64_MAX && s.queues_over == UINT64_MAX);
}

static void a_job_that_waits_is_admitted(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");

    engine_set(f, leaf, SKED_QUEUE_MAX_RUNNING, 0);
    engine_set(f, leaf, SKED_QUEUE_USER_LIMIT, 100000);
    engine_begin(f, NULL);
    engine_add_node(f, 1, 0, 4, 4);
    engine_add_job(f, 1, leaf, 7);
    assert_ok(engine_add_ask(f, 1, 1, 3, 1, 1));
    assert_ok(engine_add_ask(f, 2, 1, 1, 1, 1));
    assert_int_equal(engine_taken(f), 0);
    assert_ok(running(f, 1, 1, 2));
    assert_int_equal(engine_taken(f), 2);
    assert_int_equal(f->last[0].kind, SKED_DECISION_ADMIT);
    assert_int_equal(f->last[0].reason, SKED_REASON_ADOPTED);
    assert_int_equal(f->last[1].reason, SKED_REASON_ADOPTED);
    assert_i64((int64_t)engine_stats_of(f).jobs_waiting, 0);
    assert_int_equal(engine_beat(f, 1),
                     2); /* the job runs: so does the rest of it */
}

static void nodes_are_told_after_jobs_and_drains_before_tasks(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");

    engine_begin(f, NULL);
    engine_add_job(f, 1, leaf, 1);
    assert_ok(engine_add_ask(f, 1, 1, 4, 1, 1));
    assert_status(SKED_ERR_NOT_FOUND, running(f, 1, 1, 1));
    engine_add_node(f, 1, 0, 4, 4);
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DRAIN, 1));
    (void)engine_taken(f);
    assert_ok(running(f, 1, 1, 1));
    is_adopted(f, 0, 1);
    sked_event more = {.kind = SKED_EVENT_NODE_CHANGE, .key = 1, .amount = 1};
    assert_ok(engine_say(f, more, 8, 8));
    assert_int_equal(engine_beat(f, 1), 0); /* a change is no resume */
    assert_ok(engine_tell(f, SKED_EVENT_NODE_RESUME, 1));
    assert_int_equal(engine_beat(f, 1), 1);
    assert_i64(f->last[0].count, 3);
}

static void a_gang_runs_as_a_whole(void **state)
{
    engine_fixture *f = *state;
    sked_event ask = {.kind = SKED_EVENT_ASK_ADD,
                      .key = 1,
                      .owner = 1,
                      .count = 4,
                      .amount = 1,
                      .flags = SKED_ASK_GANG};

    (void)engine_alone(f, NULL, 4, 4, 1);
    assert_ok(engine_say(f, ask, 1, 1));
    (void)engine_taken(f);
    assert_status(SKED_ERR_STATE, running(f, 1, 1, 3));
    assert_status(SKED_ERR_STATE, running(f, 1, 1, 5));
    assert_ok(running(f, 1, 1, 4));
    is_adopted(f, 0, 4);
    assert_status(SKED_ERR_STATE, running(f, 1, 1, 4)); /* it does */
}

static void what_cannot_be_booked_is_refused(void **state)
{
    engine_fixture *f = *state;
    const int64_t most = SKED_AMOUNT_MAX;

    (void)engine_alone(f, NULL, most, 10, 1);
    assert_ok(engine_add_ask(f, 1, 1, 1, most / 4, 0));
    assert_ok(engine_add_ask(f, 2, 1, 1, 1, 0));
    uint64_t before = sked_engine_state_digest(f->engine);
    assert_status(SKED_ERR_NOT_FOUND, running(f, 2, 1, 1));
    assert_status(SKED_ERR_NOT_FOUND, running(f, 1, 9, 1));
    assert_status(SKED_ERR_RANGE, running(f, 1, 1, 0));
    assert_status(SKED_ERR_RANGE, running(f, 1, 1, INT64_C(1) << 31));
    assert_status(SKED_ERR_RANGE, running_from(f, 1, 1, 1, -2));
    assert_status(SKED_ERR_RANGE, running_from(f, 1, 1, 1, most + 1));
    assert_status(SKED_ERR_RANGE, running(f, 1, 1, 7)); /* of the job */
    assert_true(before == sked_engine_state_digest(f->engine));
    assert_ok(running(f, 1, 1, 3));
    assert_status(SKED_ERR_RANGE, running(f, 1, 1, 2));
    assert_i64(f->err.kind, 0);
}

/* What a node lacks is not what others may not use besides. */
static void free_nodes_are_part_of_the_sum(void **state)
{
    engine_fixture *f = *state;
    const int64_t most = SKED_AMOUNT_MAX;

    (void)engine_alone(f, NULL, 1, 10, 1);
    engine_add_node(f, 2, 0, most - 1, 10);
    assert_ok(engine_add_ask(f, 1, 1, 1, 1, 1));
    assert_ok(running(f, 1, 1, 1));
    assert_status(SKED_ERR_RANGE, running(f, 1, 1, 1)); /* 2 could be filled */
    assert_ok(running(f, 2, 1, 1));
}

static void moments_lie_in_the_past(void **state)
{
    engine_fixture *f = *state;
    sked_event job = {.kind = SKED_EVENT_JOB_SUBMIT, .key = 2, .owner = 1};

    job.queue = engine_alone(f, NULL, 10, 10, 1);
    assert_ok(engine_add_ask(f, 1, 1, 5, 1, 1));
    f->now = SKED_TIME_JUMP_MAX;
    assert_ok(engine_tell(f, SKED_EVENT_TICK, 0));
    assert_status(SKED_ERR_RANGE, running_since(f, 1, 1, 1, f->now + 1));
    assert_status(SKED_ERR_RANGE, running_since(f, 1, 1, 1, -1));
    assert_ok(running_since(f, 1, 1, 1, 0));
    assert_ok(running_since(f, 1, 1, 1, f->now));
    assert_status(SKED_ERR_RANGE, say_of(f, job, f->now + 1, SKED_UNSET));
    assert_i64(f->err.limit, f->now);
    assert_ok(say_of(f, job, INT64_MIN + 1, SKED_UNSET));
}

static void a_job_keeps_its_place(void **state)
{
    engine_fixture *f = *state;
    sked_event job = {.kind = SKED_EVENT_JOB_SUBMIT, .key = 2, .owner = 1};

    f->now = 100;
    job.queue = engine_alone(f, NULL, 1, 1, 1);
    assert_ok(say_of(f, job, 99, SKED_UNSET));
    assert_ok(engine_add_ask(f, 1, 1, 1, 1, 1));
    assert_ok(engine_add_ask(f, 2, 2, 1, 1, 1));
    (void)engine_taken(f);
    assert_int_equal(engine_beat(f, 1), 1);
    assert_i64((int64_t)f->last[0].job, 2);
}

/* What would be lost with a task counts from when it began. */
static void the_younger_of_two_is_preempted(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    scene_preempt(f, &s);
    f->now = 50 * (int64_t)SECOND;
    engine_add_node(f, 1, 0, 2, 100);
    engine_add_job(f, 1, s.a, 1);
    engine_add_job(f, 2, s.b, 2);
    assert_ok(engine_add_ask(f, 1, 1, 2, 1, 1));
    (void)scene_hold(f, 50); /* classes are ready: they take what begins */
    assert_ok(running_since(f, 1, 1, 1, f->now));
    assert_ok(running_since(f, 1, 1, 1, 10 * (int64_t)SECOND));
    assert_int_equal(engine_taken(f), 2);
    uint64_t younger = f->last[0].group;
    assert_ok(engine_add_ask(f, 2, 2, 1, 1, 1));
    (void)scene_hold(f, 51);
    assert_true(scene_said(f, SKED_DECISION_NOTIFY)->group == younger);
}

static void columns_have_strides(void **state)
{
    engine_fixture *f = *state;
    struct {
        sked_event event;
        sked_time moment;
        int64_t task;
    } rows[2] = {
        {{.kind = SKED_EVENT_TASK_RUNNING, .key = 1, .owner = 1, .count = 1},
         SKED_UNSET,
         7},
        {{.kind = SKED_EVENT_TASK_RUNNING, .key = 1, .owner = 1, .count = 2},
         -4,
         3}};
    sked_events batch = {.struct_size = sizeof batch,
                         .stride = sizeof rows[0],
                         .events = &rows[0].event,
                         .n = 2,
                         .moments = &rows[0].moment,
                         .tasks = &rows[0].task,
                         .moment_stride = sizeof rows[0],
                         .task_stride = sizeof rows[0]};

    (void)engine_alone(f, NULL, 10, 10, 1);
    assert_ok(engine_add_ask(f, 1, 1, 9, 1, 1));
    (void)engine_taken(f);
    assert_ok(sked_engine_apply(f->engine, &batch, NULL, &f->err));
    assert_int_equal(engine_taken(f), 2);
    assert_i64(f->last[0].task, 7);
    assert_i64(f->last[1].task, 3);
    assert_i64(group_at(f->engine, 1)->deadline_from, -4);
    batch.moment_stride = 12;
    assert_status(SKED_ERR_ARG,
                  sked_engine_apply(f->engine, &batch, NULL, &f->err));
    batch.moment_stride = 8;
    batch.task_stride = 4;
    assert_status(SKED_ERR_ARG,
                  sked_engine_apply(f->engine, &batch, NULL, &f->err));
}

/* Waiting jobs of ever more users, told to run where memory lacks: refused, and
 * taken once there is some. */
static void adoption_needs_memory(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");
    int lacked = 0;

    engine_set(f, leaf, SKED_QUEUE_MAX_RUNNING, 0);
    engine_set(f, leaf, SKED_QUEUE_USER_LIMIT, 100000);
    engine_begin(f, NULL);
    engine_add_node(f, 1, 0, 4, 4);
    for (uint64_t j = 1; j < 120; j++) {
        engine_add_job(f, j, leaf, j);
        assert_ok(engine_add_ask(f, j, j, 1, 1, 1));
        for (uint64_t more = 1; more <= j % 9; more++) {
            assert_ok(engine_add_ask(f, j + 1000 * more, j, 1, 1, 1));
        }
        f->host.fail_from = 1;
        sked_status rc = running(f, 1, j, 1);
        f->host.fail_from = 0;
        if (rc != SKED_OK) {
            assert_status(SKED_ERR_NOMEM, rc);
            assert_ok(running(f, 1, j, 1));
            lacked++;
        }
        assert_ok(sked_engine_check(f->engine, NULL));
        (void)engine_taken(f);
    }
    assert_true(lacked > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(a_node_may_have_less_than_its_tasks_hold),
        engine_case(a_queue_may_use_more_than_its_limit),
        engine_case(a_part_may_be_passed_in_one_partition),
        engine_case(an_old_caller_has_the_old_counts),
        engine_case(a_job_that_waits_is_admitted),
        engine_case(nodes_are_told_after_jobs_and_drains_before_tasks),
        engine_case(a_gang_runs_as_a_whole),
        engine_case(what_cannot_be_booked_is_refused),
        engine_case(free_nodes_are_part_of_the_sum),
        engine_case(moments_lie_in_the_past),
        engine_case(a_job_keeps_its_place),
        engine_case(the_younger_of_two_is_preempted),
        engine_case(columns_have_strides),
        engine_case(adoption_needs_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
