/* The next moment at which time alone changes what an engine decides. */
#include "engine_fixture.h"

#define A_SECOND INT64_C(1000000000)

static sked_time next_of(const engine_fixture *f)
{
    assert_ok(sked_engine_check(f->engine, NULL));
    return sked_engine_next_time(f->engine);
}

/* Node 1 of 4 and an admitted job. */
static void begin(engine_fixture *f, const sked_engine_options *o)
{
    (void)engine_alone(f, o, 4, 4, 1);
    assert_int_equal(engine_taken(f), 1);
}

static void nothing_is_due_in_an_idle_engine(void **state)
{
    engine_fixture *f = *state;

    begin(f, NULL);
    assert_i64(next_of(f), SKED_UNLIMITED);
    assert_ok(engine_add_ask(f, 1, 1, 9, 1, 1));
    assert_int_equal(engine_beat(f, 1), 1);
    assert_i64(next_of(f), SKED_UNLIMITED); /* the node is full */
    assert_i64(sked_engine_next_time(NULL), SKED_UNLIMITED);
}

static void a_proposal_ends(void **state)
{
    engine_fixture *f = *state;
    sked_engine_options o = {.struct_size = sizeof o,
                             .confirm_within_ns = 1000};

    begin(f, &o);
    assert_ok(engine_add_ask(f, 1, 1, 3, 1, 1));
    f->now = 50;
    assert_int_equal(engine_beat(f, 1), 1);
    uint64_t group = f->last[0].group;
    assert_i64(next_of(f), 1050);
    assert_ok(engine_end(f, SKED_EVENT_TASK_CONFIRM, group, 3));
    assert_i64(next_of(f), SKED_UNLIMITED);
}

static void an_expired_proposal_counts_no_more(void **state)
{
    engine_fixture *f = *state;
    sked_engine_options o = {.struct_size = sizeof o,
                             .confirm_within_ns = 1000};

    begin(f, &o);
    assert_ok(engine_add_ask(f, 1, 1, 3, 1, 1));
    assert_int_equal(engine_beat(f, 1), 1);
    f->now = next_of(f) - 1;
    assert_ok(engine_tell(f, SKED_EVENT_TICK, 0));
    assert_int_equal(engine_taken(f), 0);
    f->now++;
    assert_ok(engine_tell(f, SKED_EVENT_TICK, 0));
    assert_int_equal(engine_taken(f), 1);
    assert_int_equal(f->last[0].kind, SKED_DECISION_EXPIRE);
    assert_i64(next_of(f), SKED_UNLIMITED);
}

/* A job whose ask waits for node 1, which is full; node 2 is free. */
static void wait_for_node_1(engine_fixture *f)
{
    static const int32_t offsets[] = {0, 1};
    static const uint64_t places[] = {1};
    static const int64_t one[] = {1, 1};
    sked_engine_options o = {.struct_size = sizeof o, .node_delay_ns = 5000};
    sked_event ask = {.kind = SKED_EVENT_ASK_ADD,
                      .key = 2,
                      .owner = 1,
                      .count = 2,
                      .amount = 1,
                      .places = 1};
    const sked_events batch = {.struct_size = sizeof batch,
                               .events = &ask,
                               .n = 1,
                               .amounts = one,
                               .n_amounts = 1,
                               .place_offsets = offsets,
                               .places = places,
                               .n_places = 1};

    begin(f, &o);
    engine_add_node(f, 2, 0, 4, 4);
    assert_ok(engine_add_ask(f, 1, 1, 1, 4, 4));
    assert_int_equal(engine_beat(f, 1), 1);
    f->now = ask.time = 100;
    assert_ok(sked_engine_apply(f->engine, &batch, NULL, NULL));
    assert_int_equal(engine_beat(f, 2), 0);
    assert_i64(next_of(f), 5100);
}

static void a_wait_for_a_node_ends(void **state)
{
    engine_fixture *f = *state;

    wait_for_node_1(f);
    f->now = 5099;
    assert_int_equal(engine_beat(f, 2), 0);
    f->now = 5100;
    assert_int_equal(engine_beat(f, 2), 1);
    assert_i64(next_of(f), 10100); /* the wait of the second task */
    f->now = 10100;
    assert_int_equal(engine_beat(f, 2), 1);
    assert_i64(next_of(f), SKED_UNLIMITED);
}

static void a_node_that_takes_nothing_waits_for_nothing(void **state)
{
    engine_fixture *f = *state;

    wait_for_node_1(f);
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DRAIN, 2));
    f->now = 6000;
    assert_ok(sked_engine_pass(f->engine, f->now, 0, NULL));
    assert_i64(next_of(f), SKED_UNLIMITED);
    assert_ok(engine_tell(f, SKED_EVENT_NODE_RESUME, 2));
    assert_int_equal(engine_beat(f, 2), 1);
}

static void a_lost_node_waits_for_nothing(void **state)
{
    engine_fixture *f = *state;

    wait_for_node_1(f);
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 2));
    assert_i64(next_of(f), SKED_UNLIMITED);
}

static void a_second_of_a_rate_ends(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");

    engine_set(f, leaf, SKED_QUEUE_START_RATE, 3);
    engine_begin(f, NULL);
    engine_add_node(f, 1, 0, 100, 100);
    engine_add_job(f, 1, leaf, 0);
    assert_ok(engine_add_ask(f, 1, 1, 9, 1, 1));
    f->now = 70;
    assert_int_equal(engine_beat(f, 1), 2); /* the job, and three tasks */
    assert_i64(next_of(f), A_SECOND + 70);
}

static void a_rejection_ends(void **state)
{
    engine_fixture *f = *state;
    sked_engine_options o = {.struct_size = sizeof o,
                             .confirm_within_ns = 1000};
    const sked_time until = 700;

    begin(f, &o);
    assert_ok(engine_add_ask(f, 1, 1, 3, 1, 1));
    assert_int_equal(engine_beat(f, 1), 1);
    sked_event refuse = {.kind = SKED_EVENT_TASK_REFUSE,
                         .key = f->last[0].group,
                         .count = 3,
                         .flags = SKED_REFUSE_ASK};
    const sked_events batch = {.struct_size = sizeof batch,
                               .events = &refuse,
                               .n = 1,
                               .moments = &until};
    assert_ok(sked_engine_apply(f->engine, &batch, NULL, &f->err));
    assert_i64(next_of(f), 700);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(nothing_is_due_in_an_idle_engine),
        engine_case(a_proposal_ends),
        engine_case(an_expired_proposal_counts_no_more),
        engine_case(a_wait_for_a_node_ends),
        engine_case(a_node_that_takes_nothing_waits_for_nothing),
        engine_case(a_lost_node_waits_for_nothing),
        engine_case(a_second_of_a_rate_ends),
        engine_case(a_rejection_ends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
