/* Tasks of a gang that share nodes which nothing else does: where they start,
 * what they hold together, and until when. */
#include "engine_exclusive.h"

#include <sched/engine_reconcile.h>

#include "engine_bound.h"

/* Free of cpu on node 1, used of it in all, and nothing is wrong. */
static void assert_holds(const engine_fixture *f, int64_t free, int64_t used)
{
    assert_i64(cpu_free(f, 1), free);
    assert_i64(cpu_used(f, f->root), used);
    assert_ok(sked_engine_check(f->engine, NULL));
}

/* Ask 1 has started two tasks on node 1 of 4 cpu, and two on node 2; their
 * groups. */
static void two_by_two(engine_fixture *f, const sked_engine_options *o,
                       uint64_t *groups)
{
    nodes_of_four(f, o, 3);
    assert_ok(bunches_alone(f, 1, 4, 2));
    starts_parts(f, 3, 1, (const gang_part[]){{1, 0, 2}, {2, 2, 2}}, 2);
    groups[0] = f->last[0].group;
    groups[1] = f->last[1].group;
    assert_holds(f, 0, 8);
}

static void tasks_share_empty_nodes(void **state)
{
    engine_fixture *f = *state;

    nodes_of_four(f, NULL, 5);
    assert_ok(engine_add_ask(f, 2, 1, 1, 1, 1));
    assert_int_equal(engine_beat(f, 2), 1);
    assert_ok(bunches_alone(f, 1, 5, 2));
    starts_parts(f, 1, 1, (const gang_part[]){{1, 1, 2}, {3, 3, 2}, {4, 5, 1}},
                 3);
    assert_holds(f, 0, 13);
    assert_ok(engine_add_ask(f, 3, 1, 9, 1, 1));
    assert_int_equal(engine_beat(f, 1), 0);
    assert_int_equal(engine_beat(f, 4), 0); /* 3 are not used */
    assert_int_equal(engine_beat(f, 5), 1);
}

static void a_node_takes_as_many_as_fit(void **state)
{
    engine_fixture *f = *state;

    nodes_of_four(f, NULL, 3);
    assert_ok(bunches_alone(f, 1, 6, 0));
    starts_parts(f, 1, 1, (const gang_part[]){{1, 0, 4}, {2, 4, 2}}, 2);
    assert_ok(bunches_alone(f, 2, 5, 0));
    starts_no_part(f, 3);
    engine_add_node(f, 4, 0, 1, 100);
    starts_parts(f, 4, 2, (const gang_part[]){{3, 6, 4}, {4, 10, 1}}, 2);
    assert_holds(f, 0, 13);
}

static void what_cannot_be_is_refused(void **state)
{
    engine_fixture *f = *state;
    sked_engine_options o = {.struct_size = sizeof o, .pooled = 2};
    const sked_event_gang part = {.per_node = 2, .at_once = 2};
    const sked_event_gang all = {.per_node = 2, .at_once = 3};

    (void)engine_alone(f, &o, 4, 0, 1);
    assert_status(SKED_ERR_ARG,
                  add_gang_of(f, 1, 1, 3, part, SKED_ASK_EXCLUSIVE));
    assert_i64(f->err.got, 2);
    assert_status(SKED_ERR_ARG, /* some of the pool */
                  add_gang_of(f, 1, 1, 3, all, SKED_ASK_EXCLUSIVE));
    assert_int_equal(f->err.kind, 1);
    assert_ok(gang_alone(f, 1, 1, 0));
}

static void the_last_that_ends_gives_the_node_back(void **state)
{
    engine_fixture *f = *state;
    uint64_t g[2];

    two_by_two(f, NULL, g);
    assert_ok(engine_add_ask(f, 2, 1, 9, 1, 1));
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, g[0], 1));
    assert_holds(f, 0, 8);
    assert_int_equal(engine_beat(f, 1), 0);
    assert_status(SKED_ERR_RANGE, engine_end(f, SKED_EVENT_TASK_FAIL, g[0], 2));
    assert_ok(engine_end(f, SKED_EVENT_TASK_FAIL, g[0], 1));
    assert_holds(f, 4, 4);
    assert_int_equal(engine_beat(f, 1), 1);
}

/* Those that are open again start together, on another node. */
static void what_is_lost_starts_elsewhere(void **state)
{
    engine_fixture *f = *state;
    uint64_t g[2];

    two_by_two(f, NULL, g);
    assert_ok(engine_end(f, SKED_EVENT_TASK_LOST, g[0], 1));
    assert_ok(engine_end(f, SKED_EVENT_TASK_LOST, g[1], 1));
    (void)engine_taken(f);
    assert_holds(f, 0, 8);
    starts_no_part(f, 1);
    starts_parts(f, 3, 1, (const gang_part[]){{3, 3, 1}, {3, 1, 1}}, 2);
    uint64_t first = f->last[0].group, second = f->last[1].group;
    assert_holds(f, 0, 12); /* both of them once */
    assert_ok(engine_end(f, SKED_EVENT_TASK_RELEASED, first, 1));
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, first, 1));
    assert_holds(f, 0, 12);
    assert_i64(cpu_free(f, 3), 0);
    assert_i64(cpu_free(f, 3), 0); /* the released one has left, no more */
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, second, 1));
    assert_holds(f, 0, 8);
    assert_i64(cpu_free(f, 3), 4);
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 1));
    assert_i64(cpu_used(f, f->root), 4);
    assert_ok(sked_engine_check(f->engine, NULL));
}

static void released_tasks_keep_the_node(void **state)
{
    engine_fixture *f = *state;
    uint64_t g[2];

    two_by_two(f, NULL, g);
    assert_ok(engine_end(f, SKED_EVENT_TASK_RELEASED, g[0], 1));
    assert_holds(f, 0, 8);
    assert_ok(engine_end(f, SKED_EVENT_TASK_RELEASED, g[0], 1));
    assert_holds(f, 0, 4); /* the job has done with it */
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, g[0], 1));
    assert_holds(f, 0, 4);
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, g[0], 1));
    assert_holds(f, 4, 4);

    assert_ok(engine_end(f, SKED_EVENT_TASK_RELEASED, g[1], 1));
    assert_ok(engine_tell(f, SKED_EVENT_ASK_WITHDRAW, 1));
    const sked_event all = {
        .kind = SKED_EVENT_TASK_FINISH, .key = 1, .flags = SKED_TASK_ALL};
    assert_ok(engine_say(f, all, 0, 0)); /* but not the released one */
    assert_i64(cpu_free(f, 2), 0);
    assert_holds(f, 4, 0);
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, g[1], 1));
    assert_i64(cpu_free(f, 2), 4);
    assert_ok(sked_engine_check(f->engine, NULL));
}

static void proposals_are_refused_in_part(void **state)
{
    engine_fixture *f = *state;
    sked_engine_options o = {.struct_size = sizeof o, .confirm_within_ns = 100};
    uint64_t g[2];

    two_by_two(f, &o, g);
    const sked_event some = {.kind = SKED_EVENT_TASK_REFUSE,
                             .key = g[0],
                             .count = 1,
                             .flags = SKED_REFUSE_SOME};
    assert_ok(engine_say(f, some, 0, 0));
    assert_holds(f, 0, 8);
    const sked_event actual = {.kind = SKED_EVENT_TASK_CONFIRM,
                               .key = g[1],
                               .amount = 1,
                               .flags = SKED_CONFIRM_ACTUAL};
    assert_status(SKED_ERR_STATE, engine_say(f, actual, 1, 1));
    assert_ok(engine_tell(f, SKED_EVENT_TASK_CONFIRM, g[1]));
    f->now = 100;
    assert_ok(engine_tell(f, SKED_EVENT_TICK, 0));
    assert_holds(f, 4, 4);
}

static void limits_hold_the_nodes_that_are_taken(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_alone(f, NULL, 4, 100, 1);
    const int64_t low[] = {8, SKED_UNLIMITED}, high[] = {9, SKED_UNLIMITED};

    engine_add_node(f, 2, 0, 5, 100);
    engine_add_node(f, 3, 0, 4, 100); /* which it does not take */
    assert_ok(sked_tree_set_vec(f->tree, leaf, SKED_QUEUE_LIMIT, low, NULL));
    engine_begin(f, NULL);
    (void)engine_taken(f);
    assert_ok(bunches_alone(f, 1, 4, 2));
    starts_no_part(f, 1);
    assert_bound(f, SKED_REASON_QUEUE_LIMIT, 9, 8);
    assert_ok(sked_tree_set_vec(f->tree, leaf, SKED_QUEUE_LIMIT, high, NULL));
    engine_begin(f, NULL);
    starts_parts(f, 1, 1, (const gang_part[]){{1, 0, 2}, {2, 2, 2}}, 2);
    assert_ok(bunches_alone(f, 2, 3, 3));
    starts_no_part(f, 1);
    assert_bound(f, SKED_REASON_QUEUE_LIMIT, 12, 9); /* its own tasks */
}

static void it_says_what_is_missing(void **state)
{
    engine_fixture *f = *state;

    nodes_of_four(f, NULL, 2);
    assert_ok(engine_add_ask(f, 2, 1, 1, 1, 1));
    assert_int_equal(engine_beat(f, 1), 1);
    assert_ok(bunches_alone(f, 1, 4, 3));
    starts_no_part(f, 1);
    assert_bound(f, SKED_REASON_GANG, 4, 3);
    assert_ok(bunches_alone(f, 3, 7, 3));
    (void)engine_taken(f);
    assert_int_equal(f->last[0].kind, SKED_DECISION_REJECT);
    assert_int_equal(f->last[0].reason, SKED_REASON_NEVER_NODE);
}

static sked_status runs_on(engine_fixture *f, uint64_t node, uint64_t ask,
                           int64_t count)
{
    const sked_event runs = {.kind = SKED_EVENT_TASK_RUNNING,
                             .key = node,
                             .owner = ask,
                             .count = count};
    sked_status rc = engine_say(f, runs, 0, 0);

    (void)engine_taken(f);
    return rc;
}

static void what_runs_already_holds_it_once(void **state)
{
    engine_fixture *f = *state;

    nodes_of_four(f, NULL, 3);
    assert_ok(bunches_alone(f, 1, 6, 2));
    assert_ok(runs_on(f, 1, 1, 3)); /* past every bound */
    uint64_t first = f->last[0].group;
    assert_holds(f, 0, 4);
    assert_ok(runs_on(f, 1, 1, 1));
    uint64_t second = f->last[0].group;
    assert_holds(f, 0, 4);
    assert_ok(engine_say(
        f, (sked_event){.kind = SKED_EVENT_NODE_CHANGE, .key = 1, .amount = 1},
        9, 100));
    assert_holds(f, 0, 9);
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, first, 3));
    assert_holds(f, 0, 9);
    assert_ok(engine_end(f, SKED_EVENT_TASK_RELEASED, second, 1));
    assert_holds(f, 0, 0);
    assert_ok(runs_on(f, 1, 1, 1)); /* beside the one that was released */
    first = f->last[0].group;
    assert_holds(f, 0, 9);
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, first, 1));
    assert_holds(f, 0, 0);
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, second, 1));
    assert_holds(f, 9, 0);
}

/* Two groups of a bunch are released; the first that leaves, whichever it is,
 * leaves the node to the other. */
static void the_last_released_gives_the_node_back(void **state)
{
    engine_fixture *f = *state;
    uint64_t g[2];

    nodes_of_four(f, NULL, 3);
    assert_ok(bunches_alone(f, 1, 4, 2));
    for (int first = 0; first < 2; first++) {
        for (int i = 0; i < 2; i++) {
            assert_ok(runs_on(f, 1, 1, 1));
            g[i] = f->last[0].group;
        }
        assert_holds(f, 0, 4);
        for (int i = 0; i < 2; i++) {
            assert_ok(engine_end(f, SKED_EVENT_TASK_RELEASED, g[i], 1));
        }
        assert_holds(f, 0, 0);
        assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, g[first], 1));
        assert_holds(f, 0, 0);
        assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, g[!first], 1));
        assert_holds(f, 4, 0);
    }
}

/* Released ones of two groups hold the node once, whatever it has by now. */
static void released_ones_hold_what_it_has_by_now(void **state)
{
    engine_fixture *f = *state;
    const sked_event changes = {
        .kind = SKED_EVENT_NODE_CHANGE, .key = 1, .amount = 1};
    uint64_t g[2];

    nodes_of_four(f, NULL, 3);
    assert_ok(bunches_alone(f, 1, 4, 2));
    for (int i = 0; i < 2; i++) {
        assert_ok(runs_on(f, 1, 1, 1));
        g[i] = f->last[0].group;
    }
    for (int i = 0; i < 2; i++) {
        assert_ok(engine_end(f, SKED_EVENT_TASK_RELEASED, g[i], 1));
        assert_ok(engine_say(f, changes, 8 + i, 100));
        assert_holds(f, 0, i ? 0 : 8);
    }
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, g[1], 1));
    assert_holds(f, 0, 0);
    assert_ok(engine_say(f, changes, 7, 100));
    assert_holds(f, 0, 0);
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, g[0], 1));
    assert_holds(f, 7, 0);
}

static void a_node_grows_by_what_it_holds_once(void **state)
{
    engine_fixture *f = *state;
    const int64_t most = SKED_AMOUNT_MAX;
    const sked_event grows = {
        .kind = SKED_EVENT_NODE_CHANGE, .key = 1, .amount = 1};

    nodes_of_four(f, NULL, 2);
    assert_ok(bunches_alone(f, 1, 3, 2));
    assert_ok(runs_on(f, 1, 1, 2));
    assert_ok(runs_on(f, 1, 1, 1));
    assert_status(SKED_ERR_RANGE, engine_say(f, grows, most - 3, 100));
    assert_ok(engine_say(f, grows, most - 4, 100));
    assert_holds(f, 0, most - 4);
    assert_ok(engine_say(
        f, (sked_event){.kind = SKED_EVENT_NODE_MOVE, .key = 1, .partition = 1},
        0, 0));
    assert_ok(sked_engine_check(f->engine, NULL));
    int64_t used[2];
    assert_ok(sked_engine_usage(f->engine, f->root, 1, used, NULL));
    assert_i64(used[0], most - 4);
}

/* The host's truth: of ask 1, a gang of 4, two tasks on a node so often. */
static size_t differs(engine_fixture *f, sked_queue_id leaf, uint32_t per_node,
                      sked_status want, int64_t count,
                      sked_engine_difference *d)
{
    const int64_t amounts[] = {4, 100, 1, 1};
    const sked_event_gang gang = {.per_node = per_node};
    const sked_event rows[] = {
        {.kind = SKED_EVENT_NODE_UP, .key = 1, .amount = 1},
        {.kind = SKED_EVENT_NODE_UP, .key = 2, .amount = 1},
        {.kind = SKED_EVENT_JOB_SUBMIT, .key = 1, .owner = 1, .queue = leaf},
        {.kind = SKED_EVENT_ASK_ADD,
         .key = 1,
         .owner = 1,
         .count = 4,
         .amount = 2,
         .flags = SKED_ASK_EXCLUSIVE | SKED_ASK_GANG | SKED_ASK_SPREAD},
        {.kind = SKED_EVENT_TASK_RUNNING, .key = 1, .owner = 1, .count = count},
        {.kind = SKED_EVENT_TASK_RUNNING, .key = 2, .owner = 1, .count = 1},
        {.kind = SKED_EVENT_TASK_RUNNING, .key = 2, .owner = 1, .count = 1}};
    const sked_event_gang none = {0};
    sked_event_gang gangs[] = {none, none, none, gang, none, none, none};
    const sked_events batch = {.struct_size = sizeof batch,
                               .events = rows,
                               .n = 7,
                               .amounts = amounts,
                               .n_amounts = 2,
                               .gangs = gangs};
    size_t n = 0;

    assert_status(want,
                  sked_engine_reconcile(f->engine, &batch, d, 8, &n, &f->err));
    return n;
}

static void the_truth_says_how_many(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_alone(f, NULL, 4, 100, 1);
    sked_engine_difference d[8];

    engine_add_node(f, 2, 0, 4, 100);
    assert_ok(bunches_alone(f, 1, 4, 2));
    assert_ok(runs_on(f, 1, 1, 2));
    (void)engine_taken(f);
    assert_int_equal(differs(f, leaf, 1, SKED_ERR_RANGE, 2, d), 0);
    assert_int_equal(differs(f, leaf, 2, SKED_OK, 2, d), 2);
    assert_int_equal(d[0].event.kind, SKED_EVENT_TASK_RUNNING);
    for (size_t i = 0; i < 2; i++) assert_ok(runs_on(f, 2, 1, 1));
    assert_int_equal(differs(f, leaf, 2, SKED_OK, 2, d), 0);
    assert_holds(f, 0, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(tasks_share_empty_nodes),
        engine_case(a_node_takes_as_many_as_fit),
        engine_case(what_cannot_be_is_refused),
        engine_case(the_last_that_ends_gives_the_node_back),
        engine_case(what_is_lost_starts_elsewhere),
        engine_case(released_tasks_keep_the_node),
        engine_case(proposals_are_refused_in_part),
        engine_case(limits_hold_the_nodes_that_are_taken),
        engine_case(it_says_what_is_missing),
        engine_case(what_runs_already_holds_it_once),
        engine_case(the_last_released_gives_the_node_back),
        engine_case(released_ones_hold_what_it_has_by_now),
        engine_case(a_node_grows_by_what_it_holds_once),
        engine_case(the_truth_says_how_many),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
