/* What is reserved for gangs over nodes that take whole nodes, or nodes that
 * share a value. [PEL-20] */
#include "engine_adopt.h"
#include "engine_forming.h"

/* A gang of job 1 of so many tasks of 1 cpu, of which each node holds nothing
 * else. */
static void add_alone(engine_fixture *f, uint64_t key, int64_t count,
                      sked_event_gang gang)
{
    uint32_t exact = gang.per_node > 1 ? SKED_ASK_EXACT : 0;

    assert_ok(add_gang_of(f, key, 1, count, gang, SKED_ASK_EXCLUSIVE | exact));
}

/* Two full nodes, a gang of both, one task each, and small tasks behind it. */
static void alone_and_small(engine_fixture *f, uint32_t nodes, uint64_t *group)
{
    const sked_engine_options opts = forming(nodes, 0);

    full_nodes(f, &opts, 2, group);
    add_alone(f, 1, 2, (sked_event_gang){.per_node = 1});
    assert_ok(engine_add_ask(f, 2, 1, 100, 1, 1));
}

static void a_node_is_reserved_once_it_is_empty(void **state)
{
    engine_fixture *f = *state;
    int64_t free[2];
    uint64_t group[3];

    alone_and_small(f, 2, group);
    assert_int_equal(frees(f, 1, group[1], 3), 1); /* it is not empty */
    assert_i64((int64_t)f->last[0].ask, 2);
    assert_i64(f->last[0].count, 3);
    is_reserved(f, 0, 0);
    uint64_t small = f->last[0].group;
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, group[1], 1));
    assert_int_equal(frees(f, 1, small, 3), 0);
    is_reserved(f, 1, 1);
    assert_ok(sked_engine_node_free(f->engine, 1, free));
    assert_i64(free[0], 4); /* which includes it */
    assert_int_equal(frees(f, 2, group[2], 4), 2);
    for (int i = 0; i < 2; i++) {
        assert_i64((int64_t)f->last[i].ask, 1);
        assert_int_equal(f->last[i].reason, SKED_REASON_GANG);
    }
    is_reserved(f, 1, 0);
    assert_ok(sked_engine_check(f->engine, NULL));
}

static void without_it_small_work_has_every_node(void **state)
{
    engine_fixture *f = *state;
    uint64_t group[3];

    alone_and_small(f, 0, group);
    assert_int_equal(frees(f, 1, group[1], 4), 1);
    assert_i64((int64_t)f->last[0].ask, 2);
    assert_i64(f->last[0].count, 4);
}

/* What it comes to have is reserved, and what it has no more is not. */
static void a_reserved_node_may_change(void **state)
{
    engine_fixture *f = *state;
    uint64_t group[3];

    alone_and_small(f, 2, group);
    assert_int_equal(frees(f, 1, group[1], 4), 0);
    for (int64_t cpu = 9; cpu >= 1; cpu -= 4) {
        assert_ok(engine_say(
            f,
            (sked_event){.kind = SKED_EVENT_NODE_CHANGE, .key = 1, .amount = 1},
            cpu, 100));
        assert_ok(sked_engine_check(f->engine, NULL));
        assert_int_equal(engine_beat(f, 1), 0);
        is_reserved(f, 1, 1);
    }
    assert_int_equal(frees(f, 2, group[2], 4), 2);
    assert_i64((int64_t)f->last[0].ask, 1);
}

/* A task of another ask is there after all: the node is not empty, and what is
 * left of it is for others. */
static void a_task_may_be_adopted_there(void **state)
{
    engine_fixture *f = *state;
    uint64_t group[3];

    alone_and_small(f, 2, group);
    assert_int_equal(frees(f, 1, group[1], 4), 0);
    assert_ok(running(f, 1, 2, 1));
    (void)engine_taken(f);
    assert_ok(sked_engine_check(f->engine, NULL));
    assert_int_equal(engine_beat(f, 1), 1);
    assert_i64((int64_t)f->last[0].ask, 2);
    assert_i64(f->last[0].count, 3);
    is_reserved(f, 1, 0);
}

/* Four tasks of an exact one share a node. */
static void several_tasks_share_one(void **state)
{
    engine_fixture *f = *state;
    const sked_engine_options opts = forming(2, 0);
    uint64_t group[3];

    full_nodes(f, &opts, 2, group);
    add_alone(f, 1, 4, (sked_event_gang){.per_node = 2});
    assert_ok(engine_add_ask(f, 2, 1, 100, 1, 1));
    assert_int_equal(frees(f, 2, group[2], 4), 0);
    is_reserved(f, 1, 1);
    assert_int_equal(frees(f, 1, group[1], 4), 2);
    assert_i64(f->last[1].count, 2);
    is_reserved(f, 1, 0);
}

/* Bounds cpu of all queues. */
static void limit_cpu(engine_fixture *f, int64_t cpu)
{
    const int64_t limit[] = {cpu, SKED_UNLIMITED};

    assert_ok(
        sked_tree_set_vec(f->tree, f->root, SKED_QUEUE_LIMIT, limit, NULL));
    assert_ok(sked_tree_commit(f->tree, SKED_TREE_COMMIT_STRICT, NULL));
    assert_ok(sked_engine_commit(f->engine, f->tree, 0, NULL));
}

/* A limit that holds one of two nodes holds none of the gang: nothing is kept
 * for it. */
static void a_limit_may_hold_too_few_nodes(void **state)
{
    engine_fixture *f = *state;
    const sked_engine_options opts = forming(2, 0);
    uint64_t group[3];

    full_nodes(f, &opts, 2, group);
    limit_cpu(f, 7);
    add_alone(f, 1, 2, (sked_event_gang){.per_node = 1});
    assert_ok(engine_add_ask(f, 2, 1, 100, 1, 1));
    assert_int_equal(frees(f, 1, group[1], 4), 1);
    assert_i64((int64_t)f->last[0].ask, 2);
    is_reserved(f, 0, 0);
}

/* One that holds a task beside the two nodes of its four tasks is enough. */
static void a_limit_may_hold_its_nodes(void **state)
{
    engine_fixture *f = *state;
    const sked_engine_options opts = forming(2, 0);
    uint64_t group[3];

    full_nodes(f, &opts, 2, group);
    limit_cpu(f, 9);
    add_alone(f, 1, 4, (sked_event_gang){.per_node = 2});
    assert_ok(engine_add_ask(f, 2, 1, 100, 1, 1));
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, group[2], 3));
    (void)engine_taken(f);
    assert_int_equal(frees(f, 1, group[1], 4), 0);
    is_reserved(f, 1, 1);
}

/* The bound that job 1 is told for an ask with a reason; -1: none. */
static int64_t bound_of(engine_fixture *f, uint64_t ask, int32_t reason)
{
    sked_engine_bound bounds[32];
    size_t n, at = 0;

    assert_ok(sked_engine_explain_job(f->engine, 1, bounds, 32, &n));
    while (at < n && (bounds[at].ask != ask || bounds[at].reason != reason))
        at++;
    return at < n ? bounds[at].bound : -1;
}

/* Of the gang, and of a task that could have the node to itself but for it. */
static void it_is_explained(void **state)
{
    engine_fixture *f = *state;
    uint64_t group[3];

    alone_and_small(f, 2, group);
    assert_ok(engine_say(f,
                         (sked_event){.kind = SKED_EVENT_ASK_ADD,
                                      .key = 3,
                                      .owner = 1,
                                      .count = 1,
                                      .amount = 1,
                                      .flags = SKED_ASK_EXCLUSIVE},
                         1, 1));
    assert_int_equal(frees(f, 1, group[1], 4), 0);
    assert_i64(bound_of(f, 1, SKED_REASON_FORMING), 1);
    assert_i64(bound_of(f, 1, SKED_REASON_GANG), 1);
    assert_i64(bound_of(f, 2, SKED_REASON_FORMING), 1);
    assert_i64(bound_of(f, 3, SKED_REASON_FORMING), 1);
}

/* Another gang may form on a node that is not empty: that keeps no task out that
 * is to have the node to itself. */
static void another_gang_is_not_what_keeps_it_out(void **state)
{
    engine_fixture *f = *state;
    const sked_engine_options opts = forming(2, 0);
    uint64_t group[3];

    full_nodes(f, &opts, 2, group);
    assert_ok(add_gang(f, 1, 8, 0));
    assert_ok(engine_say(f,
                         (sked_event){.kind = SKED_EVENT_ASK_ADD,
                                      .key = 3,
                                      .owner = 1,
                                      .count = 1,
                                      .amount = 1,
                                      .flags = SKED_ASK_EXCLUSIVE},
                         1, 1));
    assert_int_equal(frees(f, 1, group[1], 2), 0);
    is_reserved(f, 1, 1);
    assert_i64(bound_of(f, 3, SKED_REASON_FORMING), -1);
}

/* Nodes 1 and 2 are in zone 1, nodes 3 and 4 in zone 2, all full. A gang of two
 * nodes of a zone waits, and small tasks behind it. */
static void zones_and_small(engine_fixture *f, int64_t time, uint64_t *group)
{
    const sked_engine_options opts = forming(4, time);

    full_nodes(f, &opts, 4, group);
    for (uint64_t n = 1; n <= 4; n++) assert_ok(in_zone(f, n, n <= 2 ? 1 : 2));
    assert_ok(add_gang_so(f, 1, 8, (sked_event_gang){.same = ZONE}));
    assert_ok(engine_add_ask(f, 2, 1, 100, 1, 1));
}

/* So many tasks of a node's group end, before its next heartbeat. */
static void ends(engine_fixture *f, uint64_t group, int64_t tasks)
{
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, group, tasks));
    (void)engine_taken(f);
}

static void it_forms_on_nodes_of_one_value(void **state)
{
    engine_fixture *f = *state;
    uint64_t group[5];

    zones_and_small(f, 0, group);
    assert_int_equal(frees(f, 1, group[1], 2), 0);
    is_reserved(f, 1, 1);
    assert_int_equal(frees(f, 3, group[3], 4), 1); /* in the other zone */
    assert_i64((int64_t)f->last[0].ask, 2);
    is_reserved(f, 1, 1);
    assert_i64(bound_of(f, 1, SKED_REASON_GANG), 2);
    assert_i64(bound_of(f, 1, SKED_REASON_FORMING), 2);
    assert_int_equal(frees(f, 2, group[2], 4), 0);
    is_reserved(f, 1, 2);
    assert_i64(bound_of(f, 1, SKED_REASON_GANG), 6);
    assert_int_equal(frees(f, 1, group[1], 2), 2);
    for (int i = 0; i < 2; i++) {
        assert_i64((int64_t)f->last[i].ask, 1);
        assert_true(f->last[i].node <= 2);
    }
    is_reserved(f, 1, 0);
}

static void it_forms_where_nodes_take_most_of_it(void **state)
{
    engine_fixture *f = *state;
    uint64_t group[5];

    zones_and_small(f, 0, group);
    ends(f, group[3], 2);
    assert_int_equal(frees(f, 1, group[1], 1), 1); /* it is not for that zone */
    assert_i64((int64_t)f->last[0].ask, 2);
    is_reserved(f, 0, 0);
    assert_int_equal(engine_beat(f, 3), 0);
    is_reserved(f, 1, 1);
}

/* The least of several that take as much. */
static void it_forms_on_the_least_value(void **state)
{
    engine_fixture *f = *state;
    uint64_t group[5];

    zones_and_small(f, 0, group);
    ends(f, group[1], 2);
    assert_int_equal(frees(f, 3, group[3], 2), 1);
    assert_int_equal(engine_beat(f, 1), 0);
    is_reserved(f, 1, 1);
}

/* Nodes of a zone could not hold it, however empty they are. */
static void it_forms_where_it_fits(void **state)
{
    engine_fixture *f = *state;
    uint64_t group[5];

    zones_and_small(f, 0, group);
    assert_ok(in_zone(f, 2, 2));
    assert_int_equal(frees(f, 1, group[1], 4), 1);
    is_reserved(f, 0, 0);
    assert_int_equal(frees(f, 2, group[2], 1), 0);
    is_reserved(f, 1, 1);
    assert_ok(in_zone(f, 3, 0)); /* nor those, now */
    assert_ok(in_zone(f, 4, 0));
    assert_int_equal(engine_beat(f, 2), 1);
    is_reserved(f, 1, 0);
}

/* Limits that hold one of its two nodes, of which each has two tasks. */
static void the_nodes_of_an_exact_gang_are_told(void **state)
{
    engine_fixture *f = *state;
    sked_engine_bound bounds[32];
    size_t n, at = 0;

    nodes_of_four(f, NULL, 2);
    limit_cpu(f, 7);
    add_alone(f, 1, 4, (sked_event_gang){.per_node = 2});
    assert_int_equal(engine_beat(f, 1), 0);
    assert_ok(sked_engine_explain_job(f->engine, 1, bounds, 32, &n));
    while (at < n && !bounds[at].binds) at++;
    assert_true(at < n);
    assert_int_equal(bounds[at].reason, SKED_REASON_QUEUE_LIMIT);
    assert_i64(bounds[at].need, 8);
    assert_i64(bounds[at].bound, 7);
}

/* An exact gang that lacks one task where others of it run and two on a node of
 * their own: what is reserved for the one is no part of the two. */
static void parts_of_an_exact_gang_go_to_nodes_of_their_kind(void **state)
{
    engine_fixture *f = *state;
    const sked_engine_options opts = forming(4, 0);
    const sked_event_gang gang = {.per_node = 2};
    uint64_t own[4] = {0}, small[4] = {0};

    nodes_of_four(f, &opts, 3);
    assert_ok(add_gang_of(f, 1, 1, 4, gang, SKED_ASK_EXACT));
    assert_ok(engine_add_ask(f, 9, 1, 8, 1, 1));
    assert_ok(sked_engine_pass(f->engine, f->now, 0, NULL));
    size_t n = engine_taken(f);
    for (size_t i = 0; i < n; i++) {
        uint64_t *group = f->last[i].ask == 1 ? own : small;
        group[f->last[i].node] = f->last[i].group;
    }
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DRAIN, 2));
    assert_ok(engine_end(f, SKED_EVENT_TASK_LOST, own[2], 2));
    assert_ok(engine_end(f, SKED_EVENT_TASK_LOST, own[1], 1));
    assert_ok(engine_add_ask(f, 2, 1, 100, 1, 1));
    (void)engine_taken(f);
    assert_int_equal(engine_beat(f, 1), 0);
    is_reserved(f, 1, 1);
    assert_int_equal(frees(f, 3, small[3], 1), 1); /* too little for two */
    assert_i64((int64_t)f->last[0].ask, 2);
    is_reserved(f, 1, 1);
    assert_int_equal(frees(f, 3, small[3], 2), 2);
    is_reserved(f, 1, 0);
}

/* Three nodes of a zone would hold as many, but two of them not four each. */
static void it_forms_where_each_node_takes_as_many(void **state)
{
    engine_fixture *f = *state;
    const sked_engine_options opts = forming(5, 0);
    const sked_event_gang gang = {.per_node = 4, .same = ZONE};
    uint64_t group[6];

    full_nodes(f, &opts, 5, group);
    for (uint64_t n = 1; n <= 5; n++) {
        assert_ok(in_zone(f, n, n <= 3 ? 1 : 2));
        if (n != 2 && n != 3) continue;
        const sked_event less = {
            .kind = SKED_EVENT_NODE_CHANGE, .key = n, .amount = 1};
        assert_ok(engine_say(f, less, 3, 100));
    }
    assert_ok(add_gang_of(f, 1, 1, 8, gang, SKED_ASK_EXACT));
    assert_ok(engine_add_ask(f, 2, 1, 100, 1, 1));
    assert_int_equal(frees(f, 1, group[1], 4), 1);
    is_reserved(f, 0, 0);
    assert_int_equal(frees(f, 4, group[4], 4), 0);
    is_reserved(f, 1, 1);
}

/* Tasks of it that were lost come again where the others are. */
static void it_forms_where_others_of_it_run(void **state)
{
    engine_fixture *f = *state;
    const sked_engine_options opts = forming(4, 0);
    uint64_t group[5] = {0};

    nodes_of_four(f, &opts, 4);
    for (uint64_t n = 1; n <= 4; n++) assert_ok(in_zone(f, n, n <= 2 ? 1 : 2));
    assert_ok(add_gang_so(f, 1, 8, (sked_event_gang){.same = ZONE}));
    assert_ok(engine_add_ask(f, 9, 1, 8, 1, 1));
    assert_ok(sked_engine_pass(f->engine, f->now, 0, NULL));
    assert_int_equal(engine_taken(f), 4);
    for (size_t i = 0; i < 4; i++) group[f->last[i].node] = f->last[i].group;
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DRAIN, 2));
    assert_ok(engine_end(f, SKED_EVENT_TASK_LOST, group[2], 4));
    assert_ok(engine_add_ask(f, 2, 1, 100, 1, 1));
    (void)engine_taken(f);
    assert_int_equal(frees(f, 3, group[3], 4), 1);
    assert_i64((int64_t)f->last[0].ask, 2);
    is_reserved(f, 0, 0);
}

/* A node that has left the zone takes nothing of it. */
static void a_node_may_leave_the_zone(void **state)
{
    engine_fixture *f = *state;
    uint64_t group[5];

    zones_and_small(f, 0, group);
    assert_ok(in_zone(f, 3, 1));
    assert_int_equal(frees(f, 1, group[1], 2), 0);
    assert_ok(in_zone(f, 1, 2));
    assert_int_equal(engine_beat(f, 1), 1);
    assert_i64((int64_t)f->last[0].ask, 2);
    is_reserved(f, 1, 0);
}

/* Once its time is over it may form in another zone. */
static void it_stays_until_its_time_is_over(void **state)
{
    engine_fixture *f = *state;
    uint64_t group[5];

    zones_and_small(f, 100, group);
    assert_int_equal(frees(f, 1, group[1], 1), 0);
    ends(f, group[4], 3);
    assert_int_equal(engine_beat(f, 1), 0); /* though the other takes more */
    is_reserved(f, 1, 1);
    f->now = 100;
    assert_int_equal(engine_beat(f, 1), 1);
    is_reserved(f, 1, 0);
    f->now = 200;
    assert_int_equal(engine_beat(f, 4), 0);
    is_reserved(f, 2, 1);
}

/* One that only prefers a zone forms on all nodes. */
static void it_may_form_anywhere(void **state)
{
    engine_fixture *f = *state;
    const sked_engine_options opts = forming(4, 0);
    uint64_t group[3];

    full_nodes(f, &opts, 2, group);
    assert_ok(in_zone(f, 1, 1));
    assert_ok(in_zone(f, 2, 2));
    assert_ok(add_gang_of(f, 1, 1, 8, (sked_event_gang){.same = ZONE},
                          SKED_ASK_PREFER_SAME));
    assert_int_equal(frees(f, 1, group[1], 2), 0);
    assert_int_equal(frees(f, 2, group[2], 2), 0);
    is_reserved(f, 1, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(a_node_is_reserved_once_it_is_empty),
        engine_case(without_it_small_work_has_every_node),
        engine_case(a_reserved_node_may_change),
        engine_case(a_task_may_be_adopted_there),
        engine_case(several_tasks_share_one),
        engine_case(a_limit_may_hold_too_few_nodes),
        engine_case(a_limit_may_hold_its_nodes),
        engine_case(it_is_explained),
        engine_case(another_gang_is_not_what_keeps_it_out),
        engine_case(it_forms_on_nodes_of_one_value),
        engine_case(it_forms_where_nodes_take_most_of_it),
        engine_case(it_forms_on_the_least_value),
        engine_case(it_forms_where_it_fits),
        engine_case(the_nodes_of_an_exact_gang_are_told),
        engine_case(parts_of_an_exact_gang_go_to_nodes_of_their_kind),
        engine_case(it_forms_where_each_node_takes_as_many),
        engine_case(it_forms_where_others_of_it_run),
        engine_case(a_node_may_leave_the_zone),
        engine_case(it_stays_until_its_time_is_over),
        engine_case(it_may_form_anywhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
