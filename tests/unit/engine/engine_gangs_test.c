/* Gangs over nodes: all that is open of one at once, or nothing. [PEL-20] */
#include "engine_gangs.h"

#include "engine/state.h"

/* A heartbeat starts one group, of an ask that is no gang over nodes. */
static uint64_t starts_one(engine_fixture *f, uint64_t node, uint64_t ask)
{
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, node));
    assert_int_equal(engine_taken(f), 1);
    assert_i64((int64_t)f->last[0].ask, (int64_t)ask);
    assert_int_equal(f->last[0].reason, SKED_REASON_ORDER);
    return f->last[0].group;
}

static void is_rejected(engine_fixture *f, int32_t reason)
{
    assert_int_equal(engine_taken(f), 1);
    assert_int_equal(f->last[0].kind, SKED_DECISION_REJECT);
    assert_int_equal(f->last[0].reason, reason);
}

static sked_engine_bound last_bound(engine_fixture *f)
{
    sked_engine_bound bounds[16];
    size_t n;

    assert_ok(sked_engine_explain_job(f->engine, 1, bounds, 16, &n));
    return bounds[n - 1];
}

/* So many tasks of a gang need nodes, which take so many. */
static void lacks_nodes(engine_fixture *f, int64_t need, int64_t there)
{
    sked_engine_bound bound = last_bound(f);

    assert_int_equal(bound.reason, SKED_REASON_GANG);
    assert_i64(bound.need, need);
    assert_i64(bound.bound, there);
    assert_int_equal(bound.binds, 1);
}

static void nodes_are_filled_in_order_of_adding(void **state)
{
    engine_fixture *f = *state;
    const gang_part all[] = {{1, 0, 4}, {2, 4, 4}, {3, 8, 2}};

    nodes_of_four(f, NULL, 3);
    assert_ok(add_gang(f, 1, 10, 0));
    starts_parts(f, 2, 1, all, 3);
}

static void no_node_has_more_than_it_may(void **state)
{
    engine_fixture *f = *state;
    const gang_part one_each[] = {{1, 0, 1}, {2, 1, 1}, {3, 2, 1}};
    const gang_part two_each[] = {{1, 3, 2}, {2, 5, 2}, {3, 7, 1}};

    nodes_of_four(f, NULL, 3);
    assert_ok(add_gang(f, 1, 3, 1));
    starts_parts(f, 3, 1, one_each, 3);
    assert_ok(add_gang(f, 2, 5, 2));
    starts_parts(f, 3, 2, two_each, 3);
    assert_ok(add_gang(f, 3, 7, 2)); /* on three nodes six at most */
    is_rejected(f, SKED_REASON_NEVER_NODE);
}

/* What runs on a node already counts there, too. */
static void a_task_that_comes_back_finds_a_node_without_one(void **state)
{
    engine_fixture *f = *state;
    const gang_part one_each[] = {{1, 0, 1}, {2, 1, 1}};
    const gang_part again[] = {{3, 0, 1}};

    nodes_of_four(f, NULL, 2);
    assert_ok(add_gang(f, 1, 2, 1));
    starts_parts(f, 1, 1, one_each, 2);
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 1));
    (void)engine_taken(f);
    starts_no_part(f, 2);
    lacks_nodes(f, 1, 0);
    engine_add_node(f, 3, 0, 4, 100);
    starts_parts(f, 2, 1, again, 1);
}

/* Nothing is held for a gang that waits: what comes behind it goes first. */
static void a_gang_waits_for_all_of_its_nodes(void **state)
{
    engine_fixture *f = *state;
    const gang_part all[] = {{1, 9, 2}, {2, 11, 4}, {3, 15, 2}};
    uint64_t group[3];

    nodes_of_four(f, NULL, 3);
    for (uint64_t n = 1; n <= 3; n++) {
        assert_ok(engine_add_ask(f, n, 1, 3, 1, 1));
        group[n - 1] = starts_one(f, n, n);
    }
    assert_ok(add_gang(f, 4, 8, 0));
    for (uint64_t n = 1; n <= 3; n++) starts_no_part(f, n);
    lacks_nodes(f, 8, 3);
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, group[1], 3));
    starts_no_part(f, 2);
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, group[0], 1));
    starts_no_part(f, 1);
    lacks_nodes(f, 8, 7);
    uint64_t idle = engine_stats_of(f).idle;
    starts_no_part(f, 3); /* that is known there by now */
    assert_i64((int64_t)(engine_stats_of(f).idle - idle), 1);
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, group[2], 1));
    starts_parts(f, 1, 4, all, 3); /* though nothing changed on node 1 */
    assert_ok(add_gang(f, 5, 2, 0));
    assert_ok(engine_add_ask(f, 6, 1, 1, 1, 1));
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, group[0], 1));
    (void)starts_one(f, 1, 6);
}

static void limits_hold_for_the_whole_gang(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");
    int64_t limit[] = {8, SKED_UNLIMITED};
    const gang_part all[] = {{1, 3, 4}, {2, 7, 4}};

    assert_ok(sked_tree_set_vec(f->tree, leaf, SKED_QUEUE_LIMIT, limit, NULL));
    engine_begin(f, NULL);
    for (uint64_t n = 1; n <= 3; n++) engine_add_node(f, n, 0, 4, 100);
    engine_add_job(f, 1, leaf, 1);
    (void)engine_taken(f);
    assert_ok(add_gang(f, 1, 9, 0));
    is_rejected(f, SKED_REASON_NEVER_LIMIT);
    assert_ok(engine_add_ask(f, 2, 1, 3, 1, 1));
    uint64_t group = starts_one(f, 1, 2);
    assert_ok(add_gang(f, 3, 8, 0));
    starts_no_part(f, 1);
    starts_no_part(f, 2);
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, group, 2));
    starts_no_part(f, 3);
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, group, 1));
    starts_parts(f, 3, 3, all, 2);
}

/* What is undone, lost or failed is a smaller gang; the rest runs on. */
static void what_comes_back_is_a_smaller_gang(void **state)
{
    engine_fixture *f = *state;
    const sked_engine_options opts = {.struct_size = sizeof opts,
                                      .confirm_within_ns = 1000};
    const gang_part all[] = {{1, 0, 4}, {2, 4, 4}, {3, 8, 2}};
    const gang_part again[] = {{1, 4, 3}, {3, 7, 1}};

    nodes_of_four(f, &opts, 3);
    assert_ok(add_gang(f, 1, 10, 0));
    starts_parts(f, 1, 1, all, 3);
    uint64_t group[] = {f->last[0].group, f->last[1].group, f->last[2].group};
    assert_ok(engine_end(f, SKED_EVENT_TASK_CONFIRM, group[0], 0));
    assert_ok(engine_end(f, SKED_EVENT_TASK_CONFIRM, group[2], 0));
    assert_ok(engine_say(f,
                         (sked_event){.kind = SKED_EVENT_TASK_REFUSE,
                                      .key = group[1],
                                      .flags = SKED_REFUSE_SOME,
                                      .count = 2},
                         0, 0));                        /* tasks 6 and 7 */
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 2)); /* and 4 and 5 */
    assert_int_equal(engine_taken(f), 1);
    starts_no_part(f, 3);
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, group[0], 1));
    starts_no_part(f, 1);
    assert_ok(engine_end(f, SKED_EVENT_TASK_FAIL, group[0], 2)); /* for good */
    starts_parts(f, 1, 1, again, 2);
}

/* Where the numbers of open tasks have a gap there are two groups on a node. */
static void each_run_of_numbers_is_a_group(void **state)
{
    engine_fixture *f = *state;
    const gang_part all[] = {{1, 0, 4}, {2, 4, 4}, {3, 8, 2}};
    const gang_part again[] = {{4, 8, 2}, {4, 0, 4}};

    nodes_of_four(f, NULL, 3);
    assert_ok(add_gang(f, 1, 10, 0));
    starts_parts(f, 3, 1, all, 3);
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 1));
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 3));
    engine_add_node(f, 4, 0, 7, 100);
    (void)engine_taken(f);
    starts_parts(f, 4, 1, again, 2);
}

/* Ask 1 does not take the places of a row; 0: it takes all. */
static sked_status excludes(engine_fixture *f, uint64_t node)
{
    const int32_t offsets[] = {0, 1};
    const sked_event event = {.kind = SKED_EVENT_ASK_EXCLUDE,
                              .time = f->now,
                              .key = 1,
                              .places = node != 0};
    const sked_events batch = {.struct_size = sizeof batch,
                               .events = &event,
                               .n = 1,
                               .place_offsets = offsets,
                               .places = &node,
                               .n_places = 1};

    return sked_engine_apply(f->engine, &batch, NULL, &f->err);
}

/* Nodes that take nothing new, or not this ask, are not counted on. */
static void nodes_that_take_nothing_do_not_count(void **state)
{
    engine_fixture *f = *state;
    const gang_part all[] = {{1, 0, 4}, {2, 4, 1}};

    nodes_of_four(f, NULL, 2);
    assert_ok(add_gang(f, 1, 5, 0));
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DRAIN, 2));
    starts_no_part(f, 1);
    assert_ok(engine_tell(f, SKED_EVENT_NODE_RESUME, 2));
    assert_ok(excludes(f, 2));
    starts_no_part(f, 1);
    assert_int_equal(last_bound(f).reason, SKED_REASON_EXCLUDED);
    assert_i64(last_bound(f).need, 5);
    assert_i64(last_bound(f).bound, 4);
    starts_no_part(f, 2);
    assert_ok(excludes(f, 0));
    starts_parts(f, 1, 1, all, 2);
}

static void bad_gangs_are_refused(void **state)
{
    engine_fixture *f = *state;
    sked_event event = {.kind = SKED_EVENT_ASK_ADD,
                        .key = 1,
                        .owner = 1,
                        .count = 2,
                        .amount = 1,
                        .flags = SKED_ASK_SPREAD};
    sked_events odd = {.struct_size = sizeof odd, .events = &event};
    static const uint32_t strides[] = {4, 8, 12, 20};

    nodes_of_four(f, NULL, 1);
    uint64_t before = sked_engine_state_digest(f->engine);
    assert_status(SKED_ERR_ARG, engine_say(f, event, 1, 1));
    assert_status(SKED_ERR_RANGE, add_gang(f, 1, 0, 0));
    assert_status(SKED_ERR_RANGE, add_gang(f, 1, 2, (uint32_t)INT32_MAX + 1));
    assert_i64(f->err.got, (int64_t)INT32_MAX + 1);
    for (size_t i = 0; i < 4; i++) { /* a row takes 16 bytes */
        odd.gang_stride = strides[i];
        assert_status(SKED_ERR_ARG,
                      sked_engine_apply(f->engine, &odd, NULL, &f->err));
        odd.gang_stride = 0;
        odd.charge_stride = strides[i];
        assert_status(SKED_ERR_ARG,
                      sked_engine_apply(f->engine, &odd, NULL, &f->err));
        odd.charge_stride = 0;
    }
    odd.gang_stride = odd.charge_stride = 16;
    assert_ok(sked_engine_apply(f->engine, &odd, NULL, &f->err));
    assert_true(sked_engine_state_digest(f->engine) == before);
    assert_ok(add_gang(f, 1, 2, 0));
    event.kind = SKED_EVENT_ASK_CHANGE;
    assert_status(SKED_ERR_STATE, engine_say(f, event, 1, 1));
}

/* Its tasks would be what such a rule counts. */
static void rules_of_gangs_count_no_tasks(void **state)
{
    engine_fixture *f = *state;
    const sked_rule_term term = {
        .op = SKED_RULE_OP_AT_MOST, .key = 1, .value = 1};
    const int32_t offsets[] = {0, 1};
    const sked_event event = {
        .kind = SKED_EVENT_ASK_RULE, .key = 1, .places = 1};
    const sked_events batch = {.struct_size = sizeof batch,
                               .events = &event,
                               .n = 1,
                               .rule_offsets = offsets,
                               .rule_terms = &term,
                               .n_rules = 1};

    nodes_of_four(f, NULL, 1);
    assert_ok(add_gang(f, 1, 2, 0));
    uint64_t before = sked_engine_state_digest(f->engine);
    assert_status(SKED_ERR_STATE,
                  sked_engine_apply(f->engine, &batch, NULL, &f->err));
    assert_true(sked_engine_state_digest(f->engine) == before);
}

/* One for which nodes are too few waits where it may, until there are enough. */
static void a_gang_waits_for_nodes_to_come(void **state)
{
    engine_fixture *f = *state;
    const sked_engine_options opts = {.struct_size = sizeof opts,
                                      .flags = SKED_ENGINE_FLAG_WAIT};
    const gang_part all[] = {{1, 0, 2}, {2, 2, 2}, {3, 4, 2}};

    nodes_of_four(f, &opts, 1);
    assert_ok(add_gang(f, 1, 6, 2));
    starts_no_part(f, 1);
    assert_int_equal(last_bound(f).reason, SKED_REASON_NEVER_NODE);
    engine_add_node(f, 2, 0, 4, 100);
    starts_no_part(f, 2);
    engine_add_node(f, 3, 0, 4, 100);
    starts_parts(f, 1, 1, all, 3);
}

/* A part of one that runs already leaves a smaller gang. */
static void parts_that_run_already_are_adopted(void **state)
{
    engine_fixture *f = *state;
    const gang_part rest[] = {{1, 2, 3}, {2, 5, 1}, {3, 6, 2}};

    nodes_of_four(f, NULL, 3);
    assert_ok(add_gang(f, 1, 8, 3));
    assert_ok(engine_say(
        f,
        (sked_event){
            .kind = SKED_EVENT_TASK_RUNNING, .key = 2, .owner = 1, .count = 2},
        0, 0));
    assert_int_equal(engine_taken(f), 1);
    starts_parts(f, 1, 1, rest, 3);
}

/* A gang is decided as a whole, whatever a budget says. */
static void a_gang_is_not_cut_by_a_budget(void **state)
{
    engine_fixture *f = *state;

    nodes_of_four(f, NULL, 3);
    assert_ok(add_gang(f, 1, 12, 0));
    assert_ok(engine_add_ask(f, 2, 1, 1, 0, 1));
    assert_status(SKED_STOPPED, sked_engine_pass(f->engine, 0, 2, NULL));
    assert_int_equal(engine_taken(f), 3);
    assert_ok(sked_engine_pass(f->engine, 0, 1, NULL));
    assert_int_equal(engine_taken(f), 1);
}

/* A commit, and a partition that comes, leave counts as they are. */
static void gangs_go_along_with_a_commit(void **state)
{
    engine_fixture *f = *state;
    const gang_part all[] = {{1, 1, 4}, {2, 5, 4}, {3, 9, 3}};

    nodes_of_four(f, NULL, 3);
    assert_ok(engine_add_ask(f, 9, 1, 1, 4, 1));
    uint64_t group = starts_one(f, 1, 9);
    assert_ok(add_gang(f, 1, 11, 0));
    engine_begin(f, NULL);
    engine_add_node(f, 8, 3, 40, 100);
    starts_no_part(f, 2);
    starts_no_part(f, 8);
    lacks_nodes(f, 11, 8);
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, group, 1));
    starts_parts(f, 2, 1, all, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(nodes_are_filled_in_order_of_adding),
        engine_case(no_node_has_more_than_it_may),
        engine_case(a_task_that_comes_back_finds_a_node_without_one),
        engine_case(a_gang_waits_for_all_of_its_nodes),
        engine_case(limits_hold_for_the_whole_gang),
        engine_case(what_comes_back_is_a_smaller_gang),
        engine_case(each_run_of_numbers_is_a_group),
        engine_case(nodes_that_take_nothing_do_not_count),
        engine_case(bad_gangs_are_refused),
        engine_case(rules_of_gangs_count_no_tasks),
        engine_case(a_gang_waits_for_nodes_to_come),
        engine_case(parts_that_run_already_are_adopted),
        engine_case(a_gang_is_not_cut_by_a_budget),
        engine_case(gangs_go_along_with_a_commit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
