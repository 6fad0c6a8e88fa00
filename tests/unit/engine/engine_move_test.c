/* A node goes into another partition, and what runs there goes along. */
#include "engine_rules.h"

/* Nodes 1 and 2 of 4 cpu in partition 0, node 3 in 1; two jobs of two leaves. */
static void two_parts(engine_fixture *f, sked_queue_id *leaf)
{
    leaf[0] = engine_queue(f, f->root, "a");
    leaf[1] = engine_queue(f, f->root, "b");
    engine_set(f, leaf[0], SKED_QUEUE_USER_LIMIT, 500000);
    engine_set(f, leaf[0], SKED_QUEUE_WEIGHT, 2);
    engine_begin(f, NULL);
    engine_add_node(f, 1, 0, 4, 4);
    engine_add_node(f, 2, 0, 4, 4);
    engine_add_node(f, 3, 1, 4, 4);
    engine_add_job(f, 1, leaf[0], 1);
    engine_add_job(f, 2, leaf[1], 2);
    (void)engine_taken(f);
}

static int64_t used(engine_fixture *f, sked_queue_id queue, uint32_t partition)
{
    int64_t usage[2];

    assert_ok(sked_engine_usage(f->engine, queue, partition, usage, NULL));
    return usage[0];
}

static void what_runs_goes_along(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf[2];
    sked_event move = {.kind = SKED_EVENT_NODE_MOVE, .key = 1, .partition = 1};

    two_parts(f, leaf);
    assert_ok(engine_add_ask(f, 1, 1, 2, 1, 1));
    assert_ok(engine_add_ask(f, 2, 2, 9, 1, 1));
    starts(f, 1, 4);
    int64_t a = used(f, leaf[0], 0), b = used(f, leaf[1], 0);
    assert_i64(a + b, 4);
    assert_ok(engine_say(f, move, 1, 1));
    assert_ok(sked_engine_check(f->engine, NULL));
    assert_i64(used(f, leaf[0], 0) + used(f, leaf[1], 0), 0);
    assert_i64(used(f, leaf[0], 1), a);
    assert_i64(used(f, leaf[1], 1), b);
    uint64_t there = sked_engine_state_digest(f->engine);
    assert_ok(engine_say(f, move, 1, 1)); /* it is there */
    assert_true(there == sked_engine_state_digest(f->engine));
    starts(f, 3, 0); /* the asks name partition 0 */
    starts(f, 2, 4);
    move.partition = 7; /* one that was never named */
    assert_ok(engine_say(f, move, 1, 1));
    assert_i64(used(f, leaf[0], 7) + used(f, leaf[1], 7), 4);
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 1));
    assert_i64(used(f, f->root, SKED_ANY_PARTITION), 4);
}

/* Work that is open takes the node where it is now. */
static void the_node_serves_its_partition(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf[2];
    sked_event move = {.kind = SKED_EVENT_NODE_MOVE, .key = 3};

    two_parts(f, leaf);
    assert_ok(engine_add_ask(f, 1, 1, 12, 1, 1));
    starts(f, 3, 0);
    assert_ok(prefer_zone(f, 1, 5, 1, SKED_UNSET));
    assert_ok(in_zone(f, 3, 5)); /* in another partition: no reason to wait */
    starts(f, 1, 4);
    assert_ok(engine_say(f, move, 1, 1));
    starts(f, 2, 0); /* now it is */
    starts(f, 3, 4);
    move.partition = 1;
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DRAIN, 3));
    assert_ok(engine_say(f, move, 1, 1));
    assert_ok(engine_tell(f, SKED_EVENT_NODE_RESUME, 3));
    starts(f, 2, 4);
}

/* A gang over nodes counts on a node where it is now. */
static void gangs_follow_the_node(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf[2];
    sked_event gang = {.kind = SKED_EVENT_ASK_ADD,
                       .key = 5,
                       .owner = 1,
                       .count = 10,
                       .amount = 1,
                       .flags = SKED_ASK_GANG | SKED_ASK_SPREAD |
                                SKED_ASK_WAIT};
    sked_event move = {.kind = SKED_EVENT_NODE_MOVE, .key = 3};

    two_parts(f, leaf);
    assert_ok(engine_say(f, gang, 1, 1));
    starts(f, 1, 0); /* two nodes take eight */
    assert_ok(engine_say(f, move, 1, 1));
    assert_ok(sked_engine_check(f->engine, NULL));
    move.key = 1;
    move.partition = 1;
    assert_ok(engine_say(f, move, 1, 1));
    assert_ok(sked_engine_check(f->engine, NULL));
    starts(f, 2, 0);
    move.partition = 0;
    assert_ok(engine_say(f, move, 1, 1));
    starts(f, 2, 10);
}

static void what_is_wrong_with_moves(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf[2];
    sked_event move = {.kind = SKED_EVENT_NODE_MOVE, .key = 9, .partition = 1};
    size_t failed = 0;

    two_parts(f, leaf);
    assert_ok(engine_add_ask(f, 1, 1, 4, 1, 1));
    starts(f, 1, 4);
    uint64_t before = sked_engine_state_digest(f->engine);
    assert_status(SKED_ERR_NOT_FOUND, engine_say(f, move, 1, 1));
    move.key = 1;
    move.partition = SKED_MAX_PARTITIONS;
    assert_status(SKED_ERR_RANGE, engine_say(f, move, 1, 1));
    move.partition = 40;
    for (size_t i = 1;; i++) {
        f->host.fail_at = f->host.requests + i;
        sked_status rc = engine_say(f, move, 1, 1);
        f->host.fail_at = 0;
        if (rc == SKED_OK) break;
        assert_status(SKED_ERR_NOMEM, rc);
        assert_ok(sked_engine_check(f->engine, NULL));
        assert_true(before == sked_engine_state_digest(f->engine));
        failed++;
    }
    assert_true(failed > 0);
    assert_i64(used(f, leaf[0], 40), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(what_runs_goes_along),
        engine_case(the_node_serves_its_partition),
        engine_case(gangs_follow_the_node),
        engine_case(what_is_wrong_with_moves),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
