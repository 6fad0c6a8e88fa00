/*
 * What tasks hold, and may come to hold, stays an amount: whatever is reserved,
 * and whatever was released that its node has not ended.
 */
#include "engine_exclusive.h"

static const int64_t MOST = SKED_AMOUNT_MAX;

static sked_status runs(engine_fixture *f, uint64_t node, uint64_t ask,
                        int64_t count)
{
    sked_status rc = engine_say(f,
                                (sked_event){.kind = SKED_EVENT_TASK_RUNNING,
                                             .key = node,
                                             .owner = ask,
                                             .count = count},
                                0, 0);

    (void)engine_taken(f);
    return rc;
}

/* A gang of two tasks of `cpu` each, one on a node. */
static void add_pair(engine_fixture *f, uint64_t key, uint64_t job, int64_t cpu)
{
    const int64_t amounts[] = {cpu, 1};
    const sked_event_gang gang = {.per_node = 1};
    const sked_event event = {.kind = SKED_EVENT_ASK_ADD,
                              .time = f->now,
                              .key = key,
                              .owner = job,
                              .count = 2,
                              .amount = 1,
                              .flags = SKED_ASK_GANG | SKED_ASK_SPREAD};
    const sked_events batch = {.struct_size = sizeof batch,
                               .events = &event,
                               .n = 1,
                               .amounts = amounts,
                               .n_amounts = 1,
                               .gangs = &gang};

    assert_ok(sked_engine_apply(f->engine, &batch, NULL, &f->err));
}

/* Node 1 of 2 cpu; half of the largest amount on node 2, of which a quarter is
 * reserved for a gang; on node 3 half of it but `less`, all of which runs. */
static void reserve_a_quarter(engine_fixture *f, int64_t less)
{
    const sked_engine_options o = {.struct_size = sizeof o, .form_nodes = 2};
    sked_queue_id leaf = engine_alone(f, &o, 2, 100, 1);

    engine_add_node(f, 2, 0, MOST / 2, 100);
    engine_add_node(f, 3, 0, MOST / 2 - less, 100);
    for (uint64_t job = 2; job <= 4; job++) engine_add_job(f, job, leaf, job);
    assert_ok(engine_add_ask(f, 3, 3, 1, MOST / 2 - less, 1));
    assert_ok(runs(f, 3, 3, 1));
    add_pair(f, 2, 2, MOST / 4);
    assert_int_equal(engine_beat(f, 2), 0);
    assert_int_equal(engine_stats_of(f).form_nodes, 1);
}

/* 3 and all but 2 of a half are held; a half is free, of which a quarter is
 * reserved. */
static void what_is_reserved_is_part_of_the_sum(void **state)
{
    engine_fixture *f = *state;

    reserve_a_quarter(f, 2);
    assert_ok(engine_add_ask(f, 1, 1, 3, 1, 1));
    assert_status(SKED_ERR_RANGE, runs(f, 1, 1, 3));
    assert_i64(f->err.got, 1);
    assert_ok(runs(f, 1, 1, 2));
    assert_status(SKED_ERR_RANGE, runs(f, 1, 1, 1));
    assert_ok(sked_engine_check(f->engine, NULL));
}

/* Two tasks hold all of node 1, and what it grows by twice. */
static void growth_beside_what_is_reserved(void **state)
{
    engine_fixture *f = *state;
    const sked_event grows = {
        .kind = SKED_EVENT_NODE_CHANGE, .key = 1, .amount = 1};

    reserve_a_quarter(f, 10);
    assert_ok(ask_alone(f, 1, 1, 2, 0));
    assert_ok(runs(f, 1, 1, 1));
    assert_ok(runs(f, 1, 1, 1));
    assert_status(SKED_ERR_RANGE, engine_say(f, grows, 6, 100));
    assert_ok(engine_say(f, grows, 5, 100));
    assert_ok(sked_engine_check(f->engine, NULL));
}

static void what_was_released_is_part_of_the_sum(void **state)
{
    engine_fixture *f = *state;
    const sked_engine_options o = {.struct_size = sizeof o,
                                   .flags = SKED_ENGINE_FLAG_WAIT};
    uint64_t group;

    (void)engine_alone(f, &o, 4, 100, 1);
    assert_ok(engine_add_ask(f, 1, 1, 4, MOST / 4, 1));
    (void)engine_taken(f);
    assert_ok(runs(f, 1, 1, 3));
    group = f->last[0].group;
    assert_ok(engine_end(f, SKED_EVENT_TASK_RELEASED, group, 3));
    assert_i64(cpu_used(f, f->root), 0);
    assert_status(SKED_ERR_RANGE, runs(f, 1, 1, 2)); /* five quarters */
    assert_ok(runs(f, 1, 1, 1));
    assert_i64(cpu_free(f, 1), 4 - MOST);
    sked_event up = {.kind = SKED_EVENT_NODE_UP, .key = 2, .amount = 1};
    assert_status(SKED_ERR_RANGE, engine_say(f, up, 1, 1));
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, group, 1));
    assert_ok(engine_say(f, up, MOST / 4, 1));
    assert_status(SKED_ERR_RANGE, runs(f, 1, 1, 1));
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, group, 1));
    assert_ok(runs(f, 1, 1, 1));
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 1)); /* all goes with it */
    engine_add_node(f, 3, 0, MOST - MOST / 4, 1);
    assert_ok(sked_engine_check(f->engine, NULL));
}

/* A bunch that runs where others of it were released holds what these do. */
static void a_bunch_takes_over_what_was_released(void **state)
{
    engine_fixture *f = *state;
    uint64_t group;

    (void)engine_alone(f, NULL, MOST - 4, 100, 1);
    assert_ok(bunches_alone(f, 1, 2, 2));
    (void)engine_taken(f);
    assert_ok(runs(f, 1, 1, 1));
    group = f->last[0].group;
    assert_ok(engine_end(f, SKED_EVENT_TASK_RELEASED, group, 1));
    assert_ok(runs(f, 1, 1, 1));
    assert_i64(cpu_free(f, 1), 0);
    assert_i64(cpu_used(f, f->root), MOST - 4);
    assert_ok(sked_engine_check(f->engine, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(what_is_reserved_is_part_of_the_sum),
        engine_case(growth_beside_what_is_reserved),
        engine_case(what_was_released_is_part_of_the_sum),
        engine_case(a_bunch_takes_over_what_was_released),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
