/* Elastic gangs over nodes: some tasks at once, the others one by one. [PEL-20]
 */
#include "engine_bound.h"
#include "engine_gangs.h"

/* A heartbeat starts so many tasks of an ask on its node, from this one on, one
 * by one. */
static uint64_t grows(engine_fixture *f, uint64_t node, uint64_t ask,
                      int64_t task, int64_t count)
{
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, node));
    assert_int_equal(engine_taken(f), 1);
    assert_int_equal(f->last[0].reason, SKED_REASON_ORDER);
    assert_i64((int64_t)f->last[0].ask, (int64_t)ask);
    assert_i64((int64_t)f->last[0].node, (int64_t)node);
    assert_i64(f->last[0].task, task);
    assert_i64(f->last[0].count, count);
    assert_ok(sked_engine_check(f->engine, NULL));
    return f->last[0].group;
}

static sked_engine_bound last_bound(engine_fixture *f)
{
    sked_engine_bound bounds[16];
    size_t n;

    assert_ok(sked_engine_explain_job(f->engine, 1, bounds, 16, &n));
    return bounds[n - 1];
}

/* What binds the only ask, and its two numbers. */
static void is_bound_by(engine_fixture *f, int32_t reason, int64_t need,
                        int64_t bound)
{
    sked_engine_bound last = last_bound(f);

    assert_int_equal(last.reason, reason);
    assert_i64(last.need, need);
    assert_i64(last.bound, bound);
}

static void it_starts_with_so_many_and_grows(void **state)
{
    engine_fixture *f = *state;
    const gang_part start[] = {{1, 0, 4}, {2, 4, 2}};

    nodes_of_four(f, NULL, 1);
    assert_ok(add_gang_so(f, 1, 4, (sked_event_gang){.at_once = 4}));
    starts_parts(f, 1, 1, (gang_part[]){{1, 0, 4}}, 1);
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 1));
    assert_ok(engine_tell(f, SKED_EVENT_ASK_WITHDRAW, 1));
    (void)engine_taken(f);
    engine_add_node(f, 1, 0, 4, 100);
    engine_add_node(f, 2, 0, 4, 100);
    assert_ok(add_gang_so(f, 2, 9, (sked_event_gang){.at_once = 6}));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_int_equal(engine_taken(f), 2); /* and nothing more is free there */
    for (int i = 0; i < 2; i++) {
        assert_int_equal(f->last[i].reason, SKED_REASON_GANG);
        assert_i64(f->last[i].count, start[i].count);
    }
    (void)grows(f, 2, 2, 10, 2);
    is_bound_by(f, SKED_REASON_GANG, 1, 0);
    engine_add_node(f, 3, 0, 4, 100);
    (void)grows(f, 3, 2, 12, 1);
    assert_i64((int64_t)engine_stats_of(f).open_tasks, 0);
}

/* One pass starts the gang, then other work and more of it by their order. */
static void what_it_grows_by_waits_for_its_turn(void **state)
{
    engine_fixture *f = *state;
    const int32_t reasons[] = {SKED_REASON_GANG, SKED_REASON_ORDER};

    nodes_of_four(f, NULL, 1);
    assert_ok(add_gang_so(f, 1, 4, (sked_event_gang){.at_once = 2}));
    assert_ok(engine_add_ask(f, 2, 1, 9, 1, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_int_equal(engine_taken(f), 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(f->last[i].reason, reasons[i]);
        assert_i64((int64_t)f->last[i].ask, 1);
        assert_i64(f->last[i].count, 2);
    }
}

static void no_node_has_more_than_it_may_when_it_grows(void **state)
{
    engine_fixture *f = *state;
    const sked_event_gang gang = {.per_node = 2, .at_once = 3};

    nodes_of_four(f, NULL, 2);
    assert_ok(add_gang_so(f, 1, 9, gang));
    starts_parts(f, 1, 1, (gang_part[]){{1, 0, 2}, {2, 2, 1}}, 2);
    uint64_t of_one = f->last[0].group;
    (void)grows(f, 2, 1, 3, 1);
    starts_no_part(f, 1);
    starts_no_part(f, 2);
    is_bound_by(f, SKED_REASON_GANG, 1, 0);
    uint64_t idle = engine_stats_of(f).idle;
    starts_no_part(f, 2); /* that is known there by now */
    assert_i64((int64_t)(engine_stats_of(f).idle - idle), 1);
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, of_one, 1));
    (void)grows(f, 1, 1, 4, 1);
}

/* Members that are lost while enough are left come back one by one; else what
 * lacks starts together. What has ended counts as started. */
static void what_lacks_starts_together(void **state)
{
    engine_fixture *f = *state;

    nodes_of_four(f, NULL, 2);
    assert_ok(add_gang_so(f, 1, 8, (sked_event_gang){.at_once = 6}));
    starts_parts(f, 1, 1, (gang_part[]){{1, 0, 4}, {2, 4, 2}}, 2);
    uint64_t first = f->last[0].group, second = f->last[1].group;
    (void)grows(f, 2, 1, 6, 2);
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, second, 1));
    assert_ok(engine_end(f, SKED_EVENT_TASK_LOST, first, 2));
    (void)engine_taken(f);
    (void)grows(f, 1, 1, 2, 2);
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 1));
    (void)engine_taken(f);
    is_bound_by(f, SKED_REASON_GANG, 2, 1);
    starts_no_part(f, 2);
    engine_add_node(f, 3, 0, 1, 100);
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 3));
    assert_int_equal(engine_taken(f), 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(f->last[i].reason, SKED_REASON_GANG);
        assert_i64((int64_t)f->last[i].node, 2 + i);
        assert_i64(f->last[i].count, 1);
    }
    is_bound_by(f, SKED_REASON_GANG, 1, 0);
}

/* What lacks again may start on any node, whatever node has its turn. */
static void what_lacks_is_no_matter_of_one_node(void **state)
{
    engine_fixture *f = *state;
    const sked_event_gang gang = {.per_node = 1, .at_once = 2};

    nodes_of_four(f, NULL, 2);
    assert_ok(add_gang_so(f, 1, 4, gang));
    starts_parts(f, 1, 1, (gang_part[]){{1, 0, 1}, {2, 1, 1}}, 2);
    uint64_t first = f->last[0].group;
    starts_no_part(f, 2);
    assert_ok(engine_end(f, SKED_EVENT_TASK_LOST, first, 1));
    (void)engine_taken(f);
    starts_parts(f, 2, 1, (gang_part[]){{1, 0, 1}}, 1);
}

/* Limits and nodes have to hold what starts at once, not all. */
static void what_starts_at_once_decides_what_may_ever_run(void **state)
{
    engine_fixture *f = *state;

    nodes_of_four(f, NULL, 2);
    assert_ok(add_gang_so(f, 1, 50, (sked_event_gang){.at_once = 9}));
    assert_int_equal(engine_taken(f), 1);
    assert_int_equal(f->last[0].reason, SKED_REASON_NEVER_NODE);
    assert_ok(add_gang_so(f, 1, 50, (sked_event_gang){.at_once = 8}));
    starts_parts(f, 2, 1, (gang_part[]){{1, 0, 4}, {2, 4, 4}}, 2);
}

static void parts_that_run_already_count_as_started(void **state)
{
    engine_fixture *f = *state;

    nodes_of_four(f, NULL, 2);
    assert_ok(add_gang_so(f, 1, 9, (sked_event_gang){.at_once = 7}));
    assert_ok(engine_say(
        f,
        (sked_event){
            .kind = SKED_EVENT_TASK_RUNNING, .key = 1, .owner = 1, .count = 3},
        0, 0));
    assert_int_equal(engine_taken(f), 1);
    is_bound_by(f, SKED_REASON_BEHIND, 4, 5);
    starts_parts(f, 1, 1, (gang_part[]){{1, 3, 1}, {2, 4, 3}}, 2);
    (void)grows(f, 2, 1, 7, 1);
}

/* One more task would have the second node to itself, which is more than the
 * limit holds beside the first. */
static void a_bound_of_whole_nodes_is_told(void **state)
{
    engine_fixture *f = *state;
    const int64_t limit[] = {6, SKED_UNLIMITED};

    nodes_of_four(f, NULL, 2);
    assert_ok(
        sked_tree_set_vec(f->tree, f->root, SKED_QUEUE_LIMIT, limit, NULL));
    assert_ok(sked_tree_commit(f->tree, SKED_TREE_COMMIT_STRICT, NULL));
    assert_ok(sked_engine_commit(f->engine, f->tree, 0, NULL));
    assert_ok(add_gang_of(f, 1, 1, 2,
                          (sked_event_gang){.per_node = 1, .at_once = 1},
                          SKED_ASK_EXCLUSIVE));
    starts_parts(f, 1, 1, (gang_part[]){{1, 0, 1}}, 1);
    assert_int_equal(engine_beat(f, 2), 0);
    assert_bound(f, SKED_REASON_QUEUE_LIMIT, 8, 6);
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DRAIN, 2)); /* no node, then */
    assert_bound(f, SKED_REASON_GANG, 1, 0);
}

static void what_cannot_be_is_refused(void **state)
{
    engine_fixture *f = *state;

    nodes_of_four(f, NULL, 1);
    uint64_t before = sked_engine_state_digest(f->engine);
    assert_status(SKED_ERR_RANGE,
                  add_gang_so(f, 1, 3, (sked_event_gang){.at_once = 4}));
    assert_string_equal(f->err.message, "at_once is out of range");
    assert_i64(f->err.got, 4);
    assert_i64(f->err.limit, 3);
    assert_int_equal(f->err.row, 0);
    assert_true(sked_engine_state_digest(f->engine) == before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(it_starts_with_so_many_and_grows),
        engine_case(what_it_grows_by_waits_for_its_turn),
        engine_case(no_node_has_more_than_it_may_when_it_grows),
        engine_case(what_lacks_starts_together),
        engine_case(what_lacks_is_no_matter_of_one_node),
        engine_case(what_starts_at_once_decides_what_may_ever_run),
        engine_case(parts_that_run_already_count_as_started),
        engine_case(a_bound_of_whole_nodes_is_told),
        engine_case(what_cannot_be_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
