/*
 * Events for which there is no room: refused with nothing changed, and taken
 * once there is memory again. What they need is used up first, since rooms
 * grow by more than one.
 */
#include "engine_fixture.h"

static void one_leaf(engine_fixture *f, const sked_engine_options *opts)
{
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");

    (void)engine_queue(f, f->root, "other");
    engine_begin(f, opts);
    engine_add_node(f, 1, 0, 1000, 1000);
    engine_add_job(f, 1, leaf, 0);
}

/* An ask of one task that runs, then as many open ones as there is room for.
 * Says which group runs. */
static uint64_t fill_line(engine_fixture *f)
{
    assert_ok(engine_add_ask(f, 100, 1, 1, 1, 1));
    (void)engine_taken(f);
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_int_equal(engine_taken(f), 1);
    uint64_t group = f->last[0].group;
    for (uint64_t i = 1; i <= 8; i++)
        assert_ok(engine_add_ask(f, i, 1, 1, 1000, 1));
    return group;
}

/* Decisions that wait until no more do without memory. */
static void fill_ring(engine_fixture *f, size_t waiting)
{
    for (uint64_t i = 0; waiting < 64; waiting++, i++) {
        assert_ok(engine_add_ask(f, 500 + i, 1, 1, 1, 1));
        assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    }
}

static void refused_then_taken(engine_fixture *f, sked_event event)
{
    uint64_t before = sked_engine_state_digest(f->engine);

    f->host.fail_from = f->host.requests + 1;
    assert_status(SKED_ERR_NOMEM, engine_say(f, event, 0, 0));
    f->host.fail_from = 0;
    assert_true(sked_engine_state_digest(f->engine) == before);
    assert_ok(sked_engine_check(f->engine, NULL));
    assert_ok(engine_say(f, event, 0, 0));
    assert_true(sked_engine_state_digest(f->engine) != before);
}

static void more_tasks(void **state)
{
    engine_fixture *f = *state;

    one_leaf(f, NULL);
    (void)fill_line(f);
    refused_then_taken(
        f, (sked_event){.kind = SKED_EVENT_ASK_CHANGE, .key = 100, .count = 2});
}

static void a_task_that_runs_again(void **state)
{
    engine_fixture *f = *state;
    sked_event retry = {.kind = SKED_EVENT_TASK_LOST, .count = 1};

    one_leaf(f, NULL);
    retry.key = fill_line(f);
    refused_then_taken(f, retry);
}

static void a_requeue_untaken(void **state)
{
    engine_fixture *f = *state;
    sked_event retry = {.kind = SKED_EVENT_TASK_LOST, .count = 1};

    one_leaf(f, NULL);
    assert_ok(engine_add_ask(f, 1, 1, 1, 1, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_int_equal(engine_taken(f), 2); /* ADMIT, ALLOCATE */
    retry.key = f->last[1].group;
    fill_ring(f, 0);
    refused_then_taken(f, retry);
}

static void a_job_that_moves(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id other;

    one_leaf(f, NULL);
    assert_ok(sked_tree_find(f->tree, "root.other", &other, NULL));
    assert_ok(engine_add_ask(f, 1, 1, 1, 1, 1));
    refused_then_taken(
        f,
        (sked_event){.kind = SKED_EVENT_JOB_UPDATE, .key = 1, .queue = other});
}

static void a_job_that_waits_and_moves(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");
    sked_queue_id other = engine_queue(f, f->root, "other");

    engine_set(f, f->root, SKED_QUEUE_MAX_RUNNING, 0);
    engine_set(f, other, SKED_QUEUE_USER_LIMIT, 100000);
    engine_begin(f, NULL);
    engine_add_job(f, 1, leaf, 0);
    refused_then_taken(
        f,
        (sked_event){.kind = SKED_EVENT_JOB_UPDATE, .key = 1, .queue = other});
}

static void a_job_cancelled(void **state)
{
    engine_fixture *f = *state;

    one_leaf(f, NULL);
    assert_int_equal(engine_taken(f), 1); /* ADMIT */
    fill_ring(f, 0);
    refused_then_taken(f,
                       (sked_event){.kind = SKED_EVENT_JOB_CANCEL, .key = 1});
}

static void a_node_lost_with_many_groups(void **state)
{
    engine_fixture *f = *state;

    one_leaf(f, NULL);
    assert_int_equal(engine_taken(f), 1);
    fill_ring(f, 0);
    refused_then_taken(f, (sked_event){.kind = SKED_EVENT_NODE_DOWN, .key = 1});
}

static void a_node_lost_with_an_ask_that_opens(void **state)
{
    engine_fixture *f = *state;

    one_leaf(f, NULL);
    (void)fill_line(f);
    refused_then_taken(f, (sked_event){.kind = SKED_EVENT_NODE_DOWN, .key = 1});
}

static void a_refusal(void **state)
{
    engine_fixture *f = *state;
    sked_engine_options opts = {.struct_size = sizeof opts,
                                .confirm_within_ns = 100};

    one_leaf(f, &opts);
    assert_ok(engine_add_ask(f, 1, 1, 1, 1, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_int_equal(engine_taken(f), 2);
    refused_then_taken(f, (sked_event){.kind = SKED_EVENT_TASK_REFUSE,
                                       .key = f->last[1].group});
}

/* The first node of another partition: the grid of queues is laid out anew,
 * and asks for any partition stand in both. */
static void a_partition_more(void **state)
{
    engine_fixture *f = *state;

    one_leaf(f, NULL);
    (void)fill_line(f);
    refused_then_taken(f, (sked_event){.kind = SKED_EVENT_NODE_UP,
                                       .key = 2,
                                       .partition = 1,
                                       .amount = 1});
}

/* An expiry for which there is no room waits, and what came with it. */
static void an_expiry(void **state)
{
    engine_fixture *f = *state;
    sked_engine_options opts = {.struct_size = sizeof opts,
                                .confirm_within_ns = 100};

    one_leaf(f, &opts);
    (void)fill_line(f);
    f->now = 100;
    f->host.fail_from = f->host.requests + 1;
    assert_status(SKED_ERR_NOMEM, engine_tell(f, SKED_EVENT_TICK, 0));
    assert_status(SKED_ERR_NOMEM, sked_engine_pass(f->engine, f->now, 0, NULL));
    f->host.fail_from = 0;
    assert_int_equal(engine_taken(f), 0);
    assert_ok(engine_tell(f, SKED_EVENT_TICK, 0));
    assert_int_equal(engine_taken(f), 1);
    assert_i64(f->last[0].kind, SKED_DECISION_EXPIRE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(more_tasks),
        engine_case(a_task_that_runs_again),
        engine_case(a_requeue_untaken),
        engine_case(a_job_that_moves),
        engine_case(a_job_that_waits_and_moves),
        engine_case(a_job_cancelled),
        engine_case(a_node_lost_with_many_groups),
        engine_case(a_node_lost_with_an_ask_that_opens),
        engine_case(a_refusal),
        engine_case(a_partition_more),
        engine_case(an_expiry),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
