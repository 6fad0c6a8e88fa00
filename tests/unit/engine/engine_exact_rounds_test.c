/* Rounds that reserve for exact gangs of which some tasks run. [PEL-20] */
#include "engine_gang_rounds.h"

static uint64_t group_of(const engine_fixture *f, uint64_t ask, uint64_t node)
{
    size_t i = 0;

    while (f->last[i].ask != ask || f->last[i].node != node) i++;
    return f->last[i].group;
}

/* Queue b runs an exact gang of four on nodes 1 and 2, two each. */
static void b_runs(engine_fixture *f, uint64_t group[2])
{
    assert_ok(add_gang_of(f, 2, B, 4, (sked_event_gang){.per_node = 2},
                          SKED_ASK_EXACT));
    assert_int_equal(starts_of(f, 2), 4);
    group[0] = group_of(f, 2, 1);
    group[1] = group_of(f, 2, 2);
}

/* So many tasks of b's gang are lost on a node. */
static void b_loses(engine_fixture *f, uint64_t group, int64_t count)
{
    assert_ok(engine_end(f, SKED_EVENT_TASK_LOST, group, count));
}

/* So many tasks of an ask run on a node, the host says. */
static void takes(engine_fixture *f, uint64_t ask, uint64_t node, int64_t count)
{
    const sked_event event = {.kind = SKED_EVENT_TASK_RUNNING,
                              .time = f->now,
                              .key = node,
                              .owner = ask,
                              .count = count};

    assert_ok(engine_say(f, event, 0, 0));
}

/* What was told to end on a node. */
static int64_t told_on(const told *t, uint64_t node)
{
    int64_t sum = 0;

    for (size_t i = 0; i < t->n; i++)
        sum += t->node[i] == node ? t->count[i] : 0;
    return sum;
}

/* Of three nodes b has lost so many tasks on the first and on the second, and
 * queue a runs on all that is free by then. */
static void lost_and_full(engine_fixture *f, int64_t first, int64_t second)
{
    uint64_t group[2];

    (void)half_each(f, 3, 1);
    b_runs(f, group);
    assert_ok(engine_add_ask(f, 1, A, 8 + first + second, 1, 1));
    f->now = SECOND;
    b_loses(f, group[0], first);
    if (second > 0) b_loses(f, group[1], second);
    takes(f, 1, 1, 2 + first);
    takes(f, 1, 2, 2 + second);
    takes(f, 1, 3, 4);
}

static void what_is_lost_comes_back_to_its_node(void **state)
{
    engine_fixture *f = *state;

    lost_and_full(f, 1, 0);
    (void)scene_hold(f, 3);
    told t = killed(f);
    assert_int_equal(t.sum, 1);
    assert_int_equal(t.node[0], 1);
    assert_int_equal(scene_count(f, SKED_DECISION_RESERVE), 1);
    (void)scene_hold(f, 6); /* it stays reserved, and nothing more ends */
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 0);
    end_one(f, &t, 0);
    assert_int_equal(starts_of(f, 2), 1);
    assert_int_equal(scene_said(f, SKED_DECISION_ALLOCATE)->node, 1);
    for (int64_t i = 9; i < 30; i += 3) assert_int_equal(scene_hold(f, i), 0);
}

/* Three are lost: one goes beside the one that runs, two to a node of their
 * own, and all of them start together. */
static void the_rest_has_nodes_of_its_own(void **state)
{
    engine_fixture *f = *state;

    lost_and_full(f, 1, 2);
    (void)scene_hold(f, 3);
    told t = killed(f);
    assert_int_equal(t.sum, 3);
    assert_int_equal(t.n, 2);
    assert_int_equal(told_on(&t, 1), 1);
    size_t one = t.node[0] == 1 ? 0 : 1;
    end_one(f, &t, one);
    assert_int_equal(starts_of(f, 2), 0); /* not before the others */
    (void)scene_hold(f, 6);
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 0);
    end_one(f, &t, 1 - one);
    assert_int_equal(starts_of(f, 2), 3);
    for (int64_t i = 9; i < 30; i += 3) assert_int_equal(scene_hold(f, i), 0);
}

/* One of two on each node is lost: where both nodes have one more, it goes
 * there, and no other node is looked for. */
static void both_nodes_are_made_whole(void **state)
{
    engine_fixture *f = *state;

    lost_and_full(f, 1, 1);
    (void)scene_hold(f, 3);
    told t = killed(f);
    assert_int_equal(t.sum, 2);
    assert_int_equal(told_on(&t, 1), 1);
    assert_int_equal(told_on(&t, 2), 1);
    end_one(f, &t, 0);
    end_one(f, &t, 1);
    assert_int_equal(starts_of(f, 2), 2);
}

/* Of two that are lost one could go to its node, and none of those on the other
 * node makes way: one is no whole, so both go to a node of their own. */
static void what_makes_no_whole_goes_elsewhere(void **state)
{
    engine_fixture *f = *state;
    uint64_t group[2];

    (void)half_each(f, 4, 1);
    b_runs(f, group);
    assert_ok(engine_add_ask(f, 1, A, 11, 1, 1));
    assert_ok(engine_add_ask(f, 3, B, 3, 1, 1));
    f->now = SECOND;
    b_loses(f, group[0], 1);
    b_loses(f, group[1], 1);
    takes(f, 3, 2, 3); /* b's own */
    takes(f, 1, 1, 3);
    takes(f, 1, 3, 4);
    takes(f, 1, 4, 4);
    (void)scene_hold(f, 3);
    told t = killed(f);
    assert_int_equal(t.sum, 2);
    assert_int_equal(t.n, 1);
    assert_true(t.node[0] > 2);
    end_one(f, &t, 0);
    assert_int_equal(starts_of(f, 2), 2);
    assert_int_equal(scene_said(f, SKED_DECISION_ALLOCATE)->node, t.node[0]);
}

/* The one that is left over has its others on a node that takes nothing more:
 * no round looks for a node of its own. */
static void what_is_left_over_waits(void **state)
{
    engine_fixture *f = *state;

    lost_and_full(f, 1, 0);
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DRAIN, 1));
    (void)scene_hold(f, 3);
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 0);
    assert_int_equal(scene_count(f, SKED_DECISION_RESERVE), 0);
}

/* A gang that runs in part finds nodes only where others of it are not; one like
 * it that starts afresh may have those. */
static void one_that_waits_hides_no_other(void **state)
{
    engine_fixture *f = *state;
    uint64_t group;

    (void)half_each(f, 2, 2);
    assert_ok(gang_so(f, 2, B, 2, (sked_event_gang){.per_node = 1}));
    assert_int_equal(starts_of(f, 2), 2);
    group = group_of(f, 2, 1);
    assert_ok(engine_add_ask(f, 1, A, 7, 1, 1));
    f->now = SECOND;
    b_loses(f, group, 1);
    takes(f, 1, 1, 4);
    takes(f, 1, 2, 3);
    assert_ok(gang_so(f, 3, B, 1, (sked_event_gang){.per_node = 1}));
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DRAIN, 1));
    (void)scene_hold(f, 3);
    told t = killed(f);
    assert_int_equal(t.sum, 1);
    assert_int_equal(t.node[0], 2);
    end_one(f, &t, 0);
    assert_int_equal(starts_of(f, 3), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(what_is_lost_comes_back_to_its_node),
        engine_case(the_rest_has_nodes_of_its_own),
        engine_case(both_nodes_are_made_whole),
        engine_case(what_makes_no_whole_goes_elsewhere),
        engine_case(what_is_left_over_waits),
        engine_case(one_that_waits_hides_no_other),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
