/* Sums of what nodes have and of what a job holds and wants stay amounts. */
#include "engine_fixture.h"

#define HALF (SKED_AMOUNT_MAX / 2)

static void nodes_of_the_largest_amount(void **state)
{
    engine_fixture *f = *state;
    const sked_event up = {.kind = SKED_EVENT_NODE_UP, .key = 2, .amount = 1};
    const sked_event change = {
        .kind = SKED_EVENT_NODE_CHANGE, .key = 3, .amount = 1};

    (void)engine_alone(f, NULL, SKED_AMOUNT_MAX, 10, 1);
    uint64_t before = sked_engine_state_digest(f->engine);
    assert_status(SKED_ERR_RANGE, engine_say(f, up, SKED_AMOUNT_MAX, 1));
    assert_int_equal(f->err.kind, 0);
    assert_status(SKED_ERR_RANGE, engine_say(f, up, 1, 1));
    assert_true(before == sked_engine_state_digest(f->engine));
    engine_add_node(f, 3, 0, 0, 10);
    assert_status(SKED_ERR_RANGE, engine_say(f, change, SKED_AMOUNT_MAX, 10));
    assert_ok(engine_say(f, change, 0, 20));
    assert_ok(sked_engine_check(f->engine, NULL));
}

/* An ask of one open task of half of the largest amount, which no node holds. */
static sked_queue_id one_of_half(engine_fixture *f, uint32_t flags)
{
    const sked_engine_options o = {.struct_size = sizeof o,
                                   .flags = SKED_ENGINE_FLAG_WAIT};
    sked_queue_id leaf = engine_alone(f, &o, 10, 100, 1);
    sked_event ask = {.kind = SKED_EVENT_ASK_ADD,
                      .key = 1,
                      .owner = 1,
                      .count = 1,
                      .amount = 1,
                      .flags = flags,
                      .partition = SKED_ANY_PARTITION};

    assert_ok(engine_say(f, ask, HALF, 1));
    (void)engine_taken(f);
    return leaf;
}

/* So many of its tasks run on node 1 and hold so much each. */
static sked_status adopted(engine_fixture *f, int64_t count, int64_t cpu)
{
    return engine_say(f,
                      (sked_event){.kind = SKED_EVENT_TASK_RUNNING,
                                   .key = 1,
                                   .owner = 1,
                                   .count = count,
                                   .amount = 1},
                      cpu, 0);
}

static void pending_is(engine_fixture *f, sked_queue_id leaf, int64_t cpu)
{
    int64_t used[2], pending[2];

    assert_ok(sked_engine_check(f->engine, NULL));
    assert_ok(
        sked_engine_usage(f->engine, leaf, SKED_ANY_PARTITION, used, pending));
    assert_i64(pending[0], cpu);
}

static void out_of_range(engine_fixture *f, sked_status rc)
{
    assert_status(SKED_ERR_RANGE, rc);
    assert_string_equal(f->err.message, "tasks are out of range together");
    assert_int_equal(f->err.kind, 0);
}

static void adopted_tasks_may_come_open_again(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = one_of_half(f, 0);
    uint64_t before = sked_engine_state_digest(f->engine);

    out_of_range(f, adopted(f, 5, 0));
    out_of_range(f, adopted(f, 3, 0));
    assert_true(before == sked_engine_state_digest(f->engine));
    assert_ok(adopted(f, 1, 0)); /* the open one */
    assert_ok(adopted(f, 1, 0));
    pending_is(f, leaf, 0);
    out_of_range(f, adopted(f, 1, 0));
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 1));
    pending_is(f, leaf, SKED_AMOUNT_MAX);
}

static void resized_tasks_may_come_open_again(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_alone(f, NULL, SKED_AMOUNT_MAX, 100, 1);
    const sked_event change = {
        .kind = SKED_EVENT_ASK_CHANGE, .key = 1, .count = 1};

    assert_ok(engine_add_ask(f, 1, 1, 2, HALF, 1));
    (void)engine_taken(f);
    assert_int_equal(engine_beat(f, 1), 1);
    sked_event resize = {
        .kind = SKED_EVENT_TASK_RESIZE, .key = f->last[0].group, .amount = 1};
    assert_ok(engine_say(f, resize, 0, 1));
    out_of_range(f, engine_say(f, change, 0, 0));
    out_of_range(f, engine_add_ask(f, 2, 1, 1, 1, 1));
    assert_ok(
        engine_say(f, resize, HALF - 1, 1)); /* less than they asked for */
    assert_ok(engine_say(f, resize, 0, 1));
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, resize.key, 1));
    assert_ok(engine_say(f, change, 0, 0));
    assert_ok(engine_end(f, SKED_EVENT_TASK_LOST, resize.key, 1));
    pending_is(f, leaf, SKED_AMOUNT_MAX);
}

/* Nothing of an ask that was withdrawn is open again: only what it holds
 * counts. */
static void withdrawn_tasks_count_as_they_are(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = one_of_half(f, 0);
    const sked_event add = {.kind = SKED_EVENT_ASK_ADD,
                            .key = 2,
                            .owner = 1,
                            .count = 1,
                            .amount = 1};

    assert_ok(adopted(f, 2, 3));
    (void)engine_taken(f);
    sked_event resize = {
        .kind = SKED_EVENT_TASK_RESIZE, .key = f->last[0].group, .amount = 1};
    out_of_range(f, engine_say(f, add, 1, 1));
    assert_ok(engine_tell(f, SKED_EVENT_ASK_WITHDRAW, 1));
    out_of_range(f, engine_say(f, add, SKED_AMOUNT_MAX - 5, 1));
    assert_ok(engine_say(f, add, SKED_AMOUNT_MAX - 6, 1));
    out_of_range(f, engine_say(f, resize, 4, 0));
    assert_ok(engine_say(f, resize, 2, 0));
    assert_ok(engine_say(f, resize, 3, 0));
    pending_is(f, leaf, SKED_AMOUNT_MAX - 6);
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 1));
    pending_is(f, leaf, SKED_AMOUNT_MAX - 6);
}

/* What was open and runs is open no more, whatever it holds. */
static void what_runs_is_open_no_more(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_alone(f, NULL, HALF, 100, 1);

    assert_ok(engine_add_ask(f, 1, 1, 2, HALF, 1));
    (void)engine_taken(f);
    assert_ok(adopted(f, 1, HALF));
    pending_is(f, leaf, HALF);
    (void)engine_taken(f);
    const sked_event resize = {
        .kind = SKED_EVENT_TASK_RESIZE, .key = f->last[0].group, .amount = 1};
    out_of_range(f, engine_say(f, resize, HALF + 1, 0));
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 1));
    pending_is(f, leaf, SKED_AMOUNT_MAX);
}

/* A gang on one node that is open again starts as a whole. */
static void a_gang_may_come_open_again(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = one_of_half(f, SKED_ASK_GANG | SKED_ASK_SPREAD);

    assert_ok(adopted(f, 1, 0));
    out_of_range(f, adopted(f, 2, 0));
    assert_ok(adopted(f, 1, 0));
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 1));
    pending_is(f, leaf, SKED_AMOUNT_MAX);
}

/* Proposals are open again when they are refused. */
static void a_proposal_may_come_open_again(void **state)
{
    engine_fixture *f = *state;
    const sked_engine_options o = {.struct_size = sizeof o,
                                   .confirm_within_ns = 100};
    sked_queue_id leaf = engine_alone(f, &o, HALF, 100, 1);

    assert_ok(engine_add_ask(f, 1, 1, 2, HALF, 1));
    (void)engine_taken(f);
    assert_int_equal(engine_beat(f, 1), 1);
    sked_event resize = {
        .kind = SKED_EVENT_TASK_RESIZE, .key = f->last[0].group, .amount = 1};
    assert_ok(engine_say(f, resize, 0, 0));
    out_of_range(f, engine_add_ask(f, 2, 1, 1, 1, 1));
    resize.kind = SKED_EVENT_TASK_CONFIRM;
    resize.flags = SKED_CONFIRM_ACTUAL;
    out_of_range(f, engine_say(f, resize, HALF + 1, 0));
    resize.kind = SKED_EVENT_TASK_REFUSE;
    resize.flags = 0;
    assert_ok(engine_say(f, resize, 0, 0));
    pending_is(f, leaf, SKED_AMOUNT_MAX);
}

/* Released tasks are in no sum but that of their node, as long as they are
 * there. */
static void released_tasks_hold_their_node(void **state)
{
    engine_fixture *f = *state;

    (void)engine_alone(f, NULL, 10, 100, 1);
    assert_ok(engine_add_ask(f, 1, 1, 1, 1, 1));
    (void)engine_taken(f);
    assert_ok(adopted(f, 1, SKED_AMOUNT_MAX - 3));
    (void)engine_taken(f);
    uint64_t first = f->last[0].group;
    assert_ok(engine_end(f, SKED_EVENT_TASK_RELEASED, first, 1));
    assert_ok(engine_add_ask(f, 2, 1, 1, 1, 1));
    assert_ok(engine_add_ask(f, 1, 1, 1, 1, 1));
    out_of_range(f, adopted(f, 1, 4));
    assert_ok(adopted(f, 1, 2));
    (void)engine_taken(f);
    const sked_event resize = {
        .kind = SKED_EVENT_TASK_RESIZE, .key = f->last[0].group, .amount = 1};
    out_of_range(f, engine_say(f, resize, 4, 0));
    assert_ok(engine_say(f, resize, 3, 0));
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, first, 1));
    assert_ok(engine_say(f, resize, SKED_AMOUNT_MAX - 3, 0));
    assert_ok(engine_end(f, SKED_EVENT_TASK_RELEASED, resize.key, 1));
    assert_ok(sked_engine_check(f->engine, NULL));
}

/* Small tasks, and not many of each ask: four asks are an amount together, five
 * are none. And so many tasks of one ask that they alone are none. */
static void small_tasks_add_up(void **state)
{
    enum { TASKS = (1 << 20) - 1 };
    const int64_t task = ((int64_t)1 << 40) - 1;
    const sked_engine_options o = {.struct_size = sizeof o,
                                   .flags = SKED_ENGINE_FLAG_WAIT};
    engine_fixture *f = *state;

    (void)engine_alone(f, &o, 10, 100, 1);
    out_of_range(f, engine_add_ask(f, 9, 1, (int64_t)TASKS << 5, task, 0));
    for (uint64_t i = 1; i <= 4; i++) {
        assert_ok(engine_add_ask(f, i, 1, TASKS, task, 0));
    }
    out_of_range(f, engine_add_ask(f, 9, 1, TASKS, task, 0));
    assert_ok(sked_engine_check(f->engine, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(nodes_of_the_largest_amount),
        engine_case(adopted_tasks_may_come_open_again),
        engine_case(resized_tasks_may_come_open_again),
        engine_case(withdrawn_tasks_count_as_they_are),
        engine_case(what_runs_is_open_no_more),
        engine_case(a_gang_may_come_open_again),
        engine_case(a_proposal_may_come_open_again),
        engine_case(released_tasks_hold_their_node),
        engine_case(small_tasks_add_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
