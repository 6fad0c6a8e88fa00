/* Tasks that have a node to themselves: where they start, what they hold, what
 * keeps them out, and what becomes of them. */
#include "engine_bound.h"
#include "engine_exclusive.h"

#include <sched/engine_place.h>
#include <sched/engine_reconcile.h>

static void each_task_has_a_node_of_its_own(void **state)
{
    engine_fixture *f = *state;

    nodes_of_four(f, NULL, 3);
    assert_ok(ask_alone(f, 1, 1, 3, 0));
    assert_int_equal(engine_beat(f, 1), 1); /* not three of them */
    assert_i64(f->last[0].count, 1);
    assert_i64(cpu_free(f, 1), 0);
    assert_i64(cpu_used(f, f->root), 4);

    assert_ok(engine_add_ask(f, 2, 1, 9, 1, 1)); /* takes turns, and nodes */
    assert_int_equal(engine_beat(f, 1), 0);
    assert_int_equal(engine_beat(f, 2), 1);
    assert_i64((int64_t)f->last[0].ask, 1);
    assert_ok(engine_tell(f, SKED_EVENT_ASK_WITHDRAW, 1));
    assert_int_equal(engine_beat(f, 3), 1);
    assert_i64((int64_t)f->last[0].ask, 2);
    assert_i64(f->last[0].count, 4);
}

static void it_waits_for_an_empty_node(void **state)
{
    engine_fixture *f = *state;

    nodes_of_four(f, NULL, 1);
    assert_ok(engine_add_ask(f, 2, 1, 1, 1, 1));
    assert_int_equal(engine_beat(f, 1), 1);
    uint64_t group = f->last[0].group;
    assert_ok(ask_alone(f, 1, 1, 1, 0));
    assert_int_equal(engine_beat(f, 1), 0);
    assert_bound(f, SKED_REASON_EXCLUSIVE, 1, 0);
    assert_ok(engine_end(f, SKED_EVENT_TASK_RELEASED, group, 1));
    assert_int_equal(engine_beat(f, 1), 0); /* it has not left the node */
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, group, 1));
    assert_int_equal(engine_beat(f, 1), 1);
    group = f->last[0].group;

    assert_ok(engine_end(f, SKED_EVENT_TASK_LOST, group, 1));
    assert_i64(cpu_free(f, 1), 4);
    assert_i64(cpu_used(f, f->root), 0);
    (void)engine_taken(f);
    assert_int_equal(engine_beat(f, 1), 1); /* and is asked for as before */
    assert_ok(engine_end(f, SKED_EVENT_TASK_RELEASED, f->last[0].group, 1));
    assert_i64(cpu_free(f, 1), 0);
    assert_i64(cpu_used(f, f->root), 0);
}

static void limit_cpu(engine_fixture *f, sked_queue_id leaf, int64_t cpu)
{
    const int64_t limit[] = {cpu, SKED_UNLIMITED};

    assert_ok(sked_tree_set_vec(f->tree, leaf, SKED_QUEUE_LIMIT, limit, NULL));
}

static void limits_hold_all_of_the_node(void **state)
{
    engine_fixture *f = *state;
    const sked_engine_place_options place = {.struct_size = sizeof place};
    sked_queue_id leaf = engine_alone(f, NULL, 8, 100, 1);

    limit_cpu(f, leaf, 6);
    engine_begin(f, NULL);
    (void)engine_taken(f);
    assert_ok(ask_alone(f, 1, 1, 2, 0));
    assert_int_equal(engine_beat(f, 1), 0);
    assert_bound(f, SKED_REASON_QUEUE_LIMIT, 8, 6);
    engine_add_node(f, 2, 0, 4, 100);
    assert_ok(sked_engine_place(f->engine, f->now, 0, &place, NULL));
    assert_int_equal(engine_taken(f),
                     1); /* the first that would do is passed */
    assert_i64((int64_t)f->last[0].node, 2);
    uint64_t group = f->last[0].group;
    engine_add_node(f, 3, 0, 3, 100);
    assert_int_equal(engine_beat(f, 3), 0); /* 4 + 3 are too many */
    assert_bound(f, SKED_REASON_QUEUE_LIMIT, 12, 6);
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, group, 1));
    assert_int_equal(engine_beat(f, 3), 1);
}

/* One that finds no node keeps no other from it that takes as much. */
static void others_like_it_are_placed(void **state)
{
    engine_fixture *f = *state;
    const sked_engine_place_options place = {.struct_size = sizeof place};

    nodes_of_four(f, NULL, 1);
    assert_ok(engine_add_ask(f, 2, 1, 1, 1, 1));
    assert_int_equal(engine_beat(f, 1), 1);
    assert_ok(ask_alone(f, 1, 1, 1, 0));
    assert_ok(engine_add_ask(f, 3, 1, 2, 1, 1));
    assert_ok(sked_engine_place(f->engine, f->now, 0, &place, NULL));
    assert_int_equal(engine_taken(f), 1);
    assert_i64((int64_t)f->last[0].ask, 3);
    assert_i64(f->last[0].count, 2);
}

/* Of kinds that lie on no node, what was asked for. */
static void pools_are_not_nodes(void **state)
{
    engine_fixture *f = *state;
    sked_engine_options o = {.struct_size = sizeof o, .pooled = 2};
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");
    int64_t used[2];

    engine_begin(f, &o);
    engine_add_node(f, 1, 0, 4, 0);
    assert_ok(engine_say(f, (sked_event){.kind = SKED_EVENT_POOL, .amount = 1},
                         0, 9));
    engine_add_job(f, 1, leaf, 1);
    assert_ok(ask_alone(f, 1, 1, 1, 0));
    (void)engine_taken(f);
    assert_int_equal(engine_beat(f, 1), 1);
    assert_ok(sked_engine_usage(f->engine, leaf, 0, used, NULL));
    assert_i64(used[0], 4);
    assert_i64(used[1], 1);
}

static void masters_are_bounded_by_all_of_it(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_alone(f, NULL, 4, 100, 1);

    engine_set(f, leaf, SKED_QUEUE_AM_SHARE, 500000);
    engine_begin(f, NULL);
    engine_add_node(f, 2, 0, 4, 100);
    engine_add_node(f, 3, 0, 2, 100);
    (void)engine_taken(f);
    assert_ok(ask_alone(f, 1, 1, 2, SKED_ASK_MASTER));
    assert_int_equal(engine_beat(f, 1), 1); /* one may always run */
    assert_int_equal(engine_beat(f, 2), 0); /* half of 10 cpu are 5 */
    assert_bound(f, SKED_REASON_MASTERS, 8, 5);
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 2));
    assert_ok(engine_say(
        f, (sked_event){.kind = SKED_EVENT_NODE_CHANGE, .key = 3, .amount = 1},
        1, 1));
    assert_int_equal(engine_beat(f, 3), 0); /* half of 5 */
    engine_add_node(f, 4, 0, 5, 100);
    assert_int_equal(engine_beat(f, 3), 1);
}

static void gangs_take_whole_nodes(void **state)
{
    engine_fixture *f = *state;

    nodes_of_four(f, NULL, 4);
    assert_status(SKED_ERR_ARG, ask_alone(f, 1, 1, 2, SKED_ASK_GANG));
    assert_ok(engine_add_ask(f, 2, 1, 1, 1, 1));
    assert_int_equal(engine_beat(f, 2), 1);
    assert_ok(gang_alone(f, 1, 3, 0));
    starts_parts(f, 1, 1, (const gang_part[]){{1, 1, 1}, {3, 2, 1}, {4, 3, 1}},
                 3);
    assert_i64(cpu_used(f, f->root), 13);
    assert_ok(gang_alone(f, 3, 1, 0));
    starts_no_part(f, 2);
    assert_bound(f, SKED_REASON_GANG, 1, 0);
}

static void limits_hold_all_nodes_of_a_gang(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf;

    leaf = engine_alone(f, NULL, 4, 100, 1);
    engine_add_node(f, 2, 0, 4, 100);
    limit_cpu(f, leaf, 7);
    engine_begin(f, NULL);
    (void)engine_taken(f);
    assert_ok(gang_alone(f, 1, 2, 0));
    starts_no_part(f, 1);
    assert_bound(f, SKED_REASON_QUEUE_LIMIT, 8, 7);
    limit_cpu(f, leaf, 8);
    engine_begin(f, NULL);
    starts_parts(f, 1, 1, (const gang_part[]){{1, 0, 1}, {2, 1, 1}}, 2);
}

/* Of a gang that shares a value the nodes of that one are said, and where it goes
 * without, all. */
static void limits_hold_the_nodes_that_share_a_value(void **state)
{
    engine_fixture *f = *state;
    const sked_event_gang gang = {.per_node = 1, .same = ZONE};
    sked_queue_id leaf = engine_alone(f, NULL, 4, 100, 1);

    engine_add_node(f, 2, 0, 1, 100);
    engine_add_node(f, 3, 0, 4, 100);
    for (uint64_t i = 1; i <= 3; i++) {
        assert_ok(in_zone(f, i, i == 2 ? 2 : 1));
    }
    limit_cpu(f, leaf, 7);
    engine_begin(f, NULL);
    (void)engine_taken(f);
    assert_ok(add_gang_of(f, 1, 1, 2, gang, SKED_ASK_EXCLUSIVE));
    starts_no_part(f, 1);
    assert_bound(f, SKED_REASON_QUEUE_LIMIT, 8, 7);
    assert_ok(engine_tell(f, SKED_EVENT_ASK_WITHDRAW, 1));
    assert_ok(in_zone(f, 3, 3));
    limit_cpu(f, leaf, 4);
    engine_begin(f, NULL);
    assert_ok(add_gang_of(f, 1, 1, 2, gang,
                          SKED_ASK_EXCLUSIVE | SKED_ASK_PREFER_SAME));
    starts_no_part(f, 1);
    assert_bound(f, SKED_REASON_QUEUE_LIMIT, 5, 4);
}

static void elastic_gangs_grow_by_nodes(void **state)
{
    engine_fixture *f = *state;

    nodes_of_four(f, NULL, 3);
    assert_ok(engine_add_ask(f, 2, 1, 1, 1, 1));
    assert_int_equal(engine_beat(f, 3), 1);
    uint64_t group = f->last[0].group;
    assert_ok(gang_alone(f, 1, 3, 2));
    starts_parts(f, 1, 1, (const gang_part[]){{1, 1, 1}, {2, 2, 1}}, 2);
    assert_int_equal(engine_beat(f, 3), 0);
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, group, 1));
    assert_int_equal(engine_beat(f, 3), 1);
    assert_i64(cpu_free(f, 3), 0);
}

/* ---- Nodes that change, tasks that are told of ---- */

static sked_status change_node(engine_fixture *f, uint64_t node, int64_t cpu)
{
    return engine_say(
        f,
        (sked_event){.kind = SKED_EVENT_NODE_CHANGE, .key = node, .amount = 1},
        cpu, 100);
}

static void it_holds_what_the_node_has_by_now(void **state)
{
    engine_fixture *f = *state;
    const int64_t most = SKED_AMOUNT_MAX;

    nodes_of_four(f, NULL, 1);
    assert_ok(ask_alone(f, 1, 1, 1, 0));
    assert_ok(engine_add_ask(f, 2, 1, 9, 1, 1));
    assert_int_equal(engine_beat(f, 1), 1);
    uint64_t group = f->last[0].group;
    assert_ok(change_node(f, 1, 9));
    assert_i64(cpu_free(f, 1), 0);
    assert_i64(cpu_used(f, f->root), 9);
    assert_int_equal(engine_beat(f, 1), 0);
    assert_ok(change_node(f, 1, 2));
    assert_i64(cpu_used(f, f->root), 2);
    const sked_event resize = {
        .kind = SKED_EVENT_TASK_RESIZE, .key = group, .amount = 1};
    assert_status(SKED_ERR_STATE, engine_say(f, resize, 1, 1));

    /* Two that were told of, and something else: all may grow, or none. */
    sked_event runs = {.kind = SKED_EVENT_TASK_RUNNING, .key = 1, .owner = 3};
    assert_ok(ask_alone(f, 3, 1, 2, SKED_ASK_WAIT));
    runs.count = 2;
    assert_status(SKED_ERR_RANGE, engine_say(f, runs, 0, 0));
    runs.count = 1;
    runs.amount = 1;
    assert_status(SKED_ERR_STATE, engine_say(f, runs, 1, 1));
    runs.amount = 0;
    assert_ok(engine_say(f, runs, 0, 0));
    assert_i64(cpu_used(f, f->root), 4);
    assert_i64(cpu_free(f, 1), -2);
    uint64_t before = sked_engine_state_digest(f->engine);
    assert_status(SKED_ERR_RANGE, change_node(f, 1, most / 2 + 1));
    assert_true(before == sked_engine_state_digest(f->engine));
    assert_ok(change_node(f, 1, most / 2 - 1));
    assert_i64(cpu_used(f, f->root), most - 2);
    assert_ok(sked_engine_check(f->engine, NULL));
    assert_ok(change_node(f, 1, 4));
}

static void growth_counts_what_others_have_free(void **state)
{
    engine_fixture *f = *state;
    const int64_t most = SKED_AMOUNT_MAX;

    nodes_of_four(f, NULL, 2);
    assert_ok(ask_alone(f, 1, 1, 2, 0));
    assert_int_equal(engine_beat(f, 1), 1);
    const sked_event runs = {
        .kind = SKED_EVENT_TASK_RUNNING, .key = 1, .owner = 1, .count = 1};
    assert_ok(engine_say(f, runs, 0, 0));
    assert_ok(change_node(f, 2, most / 2));
    assert_status(SKED_ERR_RANGE, change_node(f, 1, most / 4 + 1));
    assert_ok(change_node(f, 1, most / 4));
}

static void a_confirmed_amount_is_refused(void **state)
{
    engine_fixture *f = *state;
    sked_engine_options o = {.struct_size = sizeof o, .confirm_within_ns = 100};

    nodes_of_four(f, &o, 1);
    assert_ok(ask_alone(f, 1, 1, 1, 0));
    assert_int_equal(engine_beat(f, 1), 1);
    sked_event confirm = {.kind = SKED_EVENT_TASK_CONFIRM,
                          .key = f->last[0].group,
                          .amount = 1,
                          .flags = SKED_CONFIRM_ACTUAL};
    assert_status(SKED_ERR_STATE, engine_say(f, confirm, 1, 1));
    f->now = 100;
    assert_ok(engine_tell(f, SKED_EVENT_TICK, 0));
    assert_i64(cpu_free(f, 1), 4);
    assert_i64(cpu_used(f, f->root), 0);
}

/* What the host tells of job 1 and ask 1, of which one task runs on node 1. */
static sked_status tell_truth(engine_fixture *f, sked_queue_id leaf,
                              int64_t runs, uint32_t amount, size_t *n)
{
    const int64_t amounts[] = {4, 100, 1, 1};
    sked_engine_difference d[8];
    const sked_event rows[] = {
        {.kind = SKED_EVENT_NODE_UP, .key = 1, .amount = 1},
        {.kind = SKED_EVENT_JOB_SUBMIT,
         .key = 1,
         .owner = 1,
         .queue = leaf,
         .flags = SKED_JOB_ADMITTED},
        {.kind = SKED_EVENT_ASK_ADD,
         .key = 1,
         .owner = 1,
         .count = 2,
         .amount = 2,
         .flags = SKED_ASK_EXCLUSIVE},
        {.kind = SKED_EVENT_TASK_RUNNING,
         .key = 1,
         .owner = 1,
         .count = runs,
         .amount = amount}};
    const sked_events batch = {.struct_size = sizeof batch,
                               .events = rows,
                               .n = 4,
                               .amounts = amounts,
                               .n_amounts = 2};

    return sked_engine_reconcile(f->engine, &batch, d, 8, n, &f->err);
}

static void the_truth_says_no_amount(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_alone(f, NULL, 4, 100, 1);
    size_t n;

    assert_ok(ask_alone(f, 1, 1, 2, 0));
    assert_int_equal(engine_beat(f, 1), 2);
    assert_ok(tell_truth(f, leaf, 1, 0, &n));
    assert_int_equal(n, 0);
    assert_status(SKED_ERR_STATE, tell_truth(f, leaf, 1, 2, &n));
    assert_int_equal(f->err.row, 3);
    assert_status(SKED_ERR_RANGE, tell_truth(f, leaf, 2, 0, &n));
    assert_int_equal(f->err.row, 3);
}

/* On nodes of which no two are alike each task takes a shape of its own, and what
 * the gang has beyond that one more: whatever number memory was there for. */
static void the_rest_of_a_gang_has_a_shape_too(void **state)
{
    engine_fixture *f = *state;

    for (uint32_t n = 2; n <= 24; n++) {
        if (n > 2) {
            assert_int_equal(engine_teardown(state), 0);
            assert_int_equal(engine_setup(state), 0);
        }
        (void)engine_alone(f, NULL, 4, 100, 1);
        for (uint32_t i = 2; i <= n; i++) {
            engine_add_node(f, i, 0, 3 + (int64_t)i, 100);
        }
        (void)engine_taken(f);
        assert_ok(gang_alone(f, 1, (int64_t)n + 1, n));
        assert_int_equal(engine_beat(f, 1), n);
        assert_i64((int64_t)engine_stats_of(f).open_tasks, 1);
        assert_ok(sked_engine_check(f->engine, NULL));
    }
}

/* It is over for its job, but its node has not ended it. */
static void a_released_one_holds_what_the_node_has_by_now(void **state)
{
    engine_fixture *f = *state;
    const sked_event changes = {
        .kind = SKED_EVENT_NODE_CHANGE, .key = 1, .amount = 1};

    nodes_of_four(f, NULL, 1);
    assert_ok(ask_alone(f, 1, 1, 1, 0));
    assert_int_equal(engine_beat(f, 1), 1);
    uint64_t group = f->last[0].group;
    assert_ok(engine_end(f, SKED_EVENT_TASK_RELEASED, group, 1));
    assert_ok(engine_say(f, changes, 8, 200));
    assert_ok(engine_add_ask(f, 2, 1, 9, 1, 1));
    assert_int_equal(engine_beat(f, 1), 0);
    assert_i64(cpu_free(f, 1), 0);
    assert_i64(cpu_used(f, f->root), 0);
    assert_ok(engine_say(f, changes, 3, 100));
    assert_i64(cpu_free(f, 1), 0);
    assert_ok(engine_say(f, changes, 6, 100));
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, group, 1));
    assert_i64(cpu_free(f, 1), 6);
    assert_int_equal(engine_beat(f, 1), 1);
    assert_i64(f->last[0].count, 6);
}

/* A gang that wants a node to itself would have node 1, which is more than its
 * queue's limit. Once another gang runs there it goes to node 2, at the same event
 * of that node. */
static void it_goes_where_limits_hold_the_node(void **state)
{
    engine_fixture *f = *state;
    const int64_t limit[] = {4, SKED_UNLIMITED};
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");
    sked_queue_id other = engine_queue(f, f->root, "other");

    assert_ok(sked_tree_set_vec(f->tree, leaf, SKED_QUEUE_LIMIT, limit, NULL));
    engine_begin(f, NULL);
    engine_add_node(f, 1, 0, 10, 10);
    engine_add_node(f, 2, 0, 4, 10);
    engine_add_job(f, 1, leaf, 1);
    engine_add_job(f, 2, other, 2);
    assert_ok(add_gang_of(f, 1, 1, 2, (sked_event_gang){.per_node = 2},
                          SKED_ASK_EXCLUSIVE));
    assert_ok(add_gang_of(f, 2, 2, 3, (sked_event_gang){0}, 0));
    (void)engine_taken(f);
    assert_int_equal(engine_beat(f, 2), 2);
    assert_i64((int64_t)f->last[0].ask, 2);
    assert_i64((int64_t)f->last[0].node, 1);
    assert_i64((int64_t)f->last[1].ask, 1);
    assert_i64((int64_t)f->last[1].node, 2);
    assert_i64(f->last[1].count, 2);
}

/* Starts on a node that is not empty give them no more than they had: each is
 * looked at once in the pass, whatever starts beside it. */
static void each_is_looked_at_once(void **state)
{
    enum { EACH = 20 };
    engine_fixture *f = *state;

    nodes_of_four(f, NULL, 2);
    engine_add_node(f, 3, 0, 100, 100);
    assert_ok(engine_add_ask(f, 1, 1, 1, 1, 1));
    assert_int_equal(engine_beat(f, 3), 1);
    for (uint64_t i = 0; i < EACH; i++) {
        assert_ok(ask_alone(f, 10 + i, 1, 1, 0));
        assert_ok(add_gang_of(f, 40 + i, 1, 3, (sked_event_gang){.per_node = 1},
                              SKED_ASK_EXCLUSIVE));
        assert_ok(engine_add_ask(f, 70 + i, 1, 1, 1 + (int64_t)i % 3, 1));
    }
    uint64_t before = engine_stats_of(f).asks_visited;
    assert_int_equal(engine_beat(f, 3), EACH);
    assert_true(engine_stats_of(f).asks_visited - before <= 3 * EACH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(each_task_has_a_node_of_its_own),
        engine_case(it_waits_for_an_empty_node),
        engine_case(limits_hold_all_of_the_node),
        engine_case(others_like_it_are_placed),
        engine_case(pools_are_not_nodes),
        engine_case(masters_are_bounded_by_all_of_it),
        engine_case(gangs_take_whole_nodes),
        engine_case(limits_hold_all_nodes_of_a_gang),
        engine_case(limits_hold_the_nodes_that_share_a_value),
        engine_case(elastic_gangs_grow_by_nodes),
        engine_case(the_rest_of_a_gang_has_a_shape_too),
        engine_case(it_holds_what_the_node_has_by_now),
        engine_case(a_released_one_holds_what_the_node_has_by_now),
        engine_case(growth_counts_what_others_have_free),
        engine_case(a_confirmed_amount_is_refused),
        engine_case(the_truth_says_no_amount),
        engine_case(it_goes_where_limits_hold_the_node),
        engine_case(each_is_looked_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
