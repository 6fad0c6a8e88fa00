/* How much a pass starts on a node, as a part of what was free there: as YARN's
 * dynamic-max-assign. */
#include "engine_gangs.h"
#include "engine_scene.h"

#include <sched/engine_place.h>

enum { HALF = 500000 };

static const sked_engine_options half = {.struct_size = sizeof half,
                                         .pass_part_ppm = HALF};

/* How many tasks the node's next heartbeat starts, in how many decisions. */
static int64_t turn(engine_fixture *f, uint64_t node, size_t decisions)
{
    int64_t started = 0;

    (void)engine_taken(f);
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, node));
    size_t n = engine_taken(f);
    assert_int_equal(n, decisions);
    for (size_t i = 0; i < n; i++) started += f->last[i].count;
    return started;
}

/* Eight are free: a fifth task begins while four are no more than half. */
static void the_last_task_goes_beyond_the_half(void **state)
{
    engine_fixture *f = *state;

    (void)engine_alone(f, &half, 8, 8, 0);
    assert_ok(engine_add_ask(f, 1, 1, 12, 1, 1));
    assert_i64(turn(f, 1, 1), 5);
    assert_i64(turn(f, 1, 1), 2);
    assert_i64(turn(f, 1, 1), 1);
    assert_i64(turn(f, 1, 0), 0);
}

static uint64_t looks_of(engine_fixture *f, int64_t tasks)
{
    assert_i64(turn(f, 1, 1), tasks);
    return engine_stats_of(f).asks_visited;
}

/* Alike tasks are counted, not tried one by one. */
static void it_costs_no_more_by_tasks(void **state)
{
    engine_fixture *f = *state;

    (void)engine_alone(f, &half, 100000, 100000, 0);
    assert_ok(engine_add_ask(f, 1, 1, 90000, 1, 1));
    assert_true(looks_of(f, 50001) < 8);
}

/* The kind of which most is taken stops it; one that nobody takes does not. */
static void every_kind_counts(void **state)
{
    engine_fixture *f = *state;

    (void)engine_alone(f, &half, 100, 12, 0);
    assert_ok(engine_add_ask(f, 1, 1, 9, 1, 3));
    assert_i64(turn(f, 1, 1), 3); /* 6 is half of 12 */
    (void)engine_say(
        f, (sked_event){.kind = SKED_EVENT_NODE_CHANGE, .key = 1, .amount = 1},
        100, 9); /* no memory is free */
    assert_ok(engine_add_ask(f, 2, 1, 90, 1, 0));
    assert_i64(turn(f, 1, 1), 49); /* of 97 */
}

/* One ask after the other, and both bounds at once. */
static void asks_share_it(void **state)
{
    engine_fixture *f = *state;
    sked_engine_options o = half;

    o.max_per_pass = 3;
    (void)engine_alone(f, &o, 20, 20, 0);
    assert_ok(engine_add_ask(f, 1, 1, 1, 9, 1));
    assert_ok(engine_add_ask(f, 2, 1, 1, 2, 1));
    assert_ok(engine_add_ask(f, 3, 1, 5, 1, 1));
    assert_i64(turn(f, 1, 2), 2); /* 9, then 11 of 20 */
    assert_i64(turn(f, 1, 1), 3); /* of 9; three by number */
    assert_i64(turn(f, 1, 1), 2);
}

/* A gang counts with all that it takes on the node. */
static void gangs_count_whole(void **state)
{
    engine_fixture *f = *state;
    const gang_part parts[] = {{1, 0, 4}, {2, 4, 2}};

    nodes_of_four(f, &half, 2);
    assert_ok(add_gang(f, 1, 6, 0));
    assert_ok(engine_add_ask(f, 2, 1, 3, 0, 1));
    (void)engine_taken(f);
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_int_equal(engine_taken(f), 2); /* and nothing of the other ask */
    for (int i = 0; i < 2; i++) {
        assert_true(f->last[i].node == parts[i].node);
        assert_i64(f->last[i].count, parts[i].count);
    }
}

/* Asks that are given nodes find the same bound on each. */
static void placing_goes_by_it(void **state)
{
    engine_fixture *f = *state;
    sked_engine_place_options o = {.struct_size = sizeof o};

    (void)engine_alone(f, &half, 8, 8, 0);
    engine_add_node(f, 2, 0, 4, 4);
    assert_ok(engine_add_ask(f, 1, 1, 20, 1, 1));
    for (uint32_t mode = 0; mode <= SKED_ENGINE_PLACE_MODE_SPREAD; mode++) {
        static const int64_t first[] = {5, 2, 1, 0}, second[] = {3, 1, 0, 0};
        int64_t on[3] = {0};
        (void)engine_taken(f);
        o.mode = mode;
        assert_ok(sked_engine_place(f->engine, f->now, 0, &o, NULL));
        size_t n = engine_taken(f);
        for (size_t i = 0; i < n; i++) on[f->last[i].node] += f->last[i].count;
        assert_i64(on[1], first[mode]);
        assert_i64(on[2], second[mode]);
    }
}

/* What a node is reserved for comes first, and counts. */
static void what_is_reserved_counts(void **state)
{
    engine_fixture *f = *state;
    sked_engine_options o = half;

    o.pass_part_ppm = 1;
    engine_begin(f, &o);
    scene s = scene_begin(f);
    s.rounds.grace_ns = -1;
    scene_preempt(f, &s);
    engine_add_node(f, 1, 0, 4, 100);
    engine_add_job(f, 1, s.a, 1);
    assert_ok(engine_add_ask(f, 1, 1, 4, 1, 1));
    for (int i = 0; i < 4; i++) assert_i64(turn(f, 1, 1), 1);
    engine_add_job(f, 2, s.b, 2);
    assert_ok(engine_add_ask(f, 2, 2, 2, 1, 1));
    (void)engine_taken(f);
    (void)scene_hold(f, 3);
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 2);
    for (size_t i = 0; i < 64; i++) {
        if (f->last[i].kind != SKED_DECISION_KILL) continue;
        assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, f->last[i].group, 1));
    }
    for (int i = 0; i < 2; i++) {
        assert_i64(turn(f, 1, 1), 1);
        assert_int_equal(f->last[0].reason, SKED_REASON_HELD);
    }
}

/* Of what lies on no node a node has no part. */
static void kinds_on_no_node_do_not_count(void **state)
{
    engine_fixture *f = *state;
    sked_engine_options o = half;

    o.pooled = 2;
    (void)engine_alone(f, &o, 10, 0, 0);
    assert_ok(engine_say(f, (sked_event){.kind = SKED_EVENT_POOL, .amount = 1},
                         0, 12));
    assert_ok(engine_add_ask(f, 1, 1, 9, 1, 2));
    assert_i64(turn(f, 1, 1), 6);
}

static void parts_are_parts(void **state)
{
    engine_fixture *f = *state;
    sked_engine_options o = half;
    sked_engine *e = NULL;

    assert_ok(sked_tree_commit(f->tree, SKED_TREE_COMMIT_LENIENT, NULL));
    for (int64_t wrong = -1; wrong <= 1000001; wrong += 1000002) {
        o.pass_part_ppm = wrong;
        assert_status(SKED_ERR_RANGE,
                      sked_engine_new(f->tree, &o, NULL, &e, NULL));
    }
    o.pass_part_ppm = SKED_PPM; /* of all: no bound */
    (void)engine_alone(f, &o, 8, 8, 0);
    assert_ok(engine_add_ask(f, 1, 1, 12, 1, 1));
    assert_i64(turn(f, 1, 1), 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(the_last_task_goes_beyond_the_half),
        engine_case(it_costs_no_more_by_tasks),
        engine_case(every_kind_counts),
        engine_case(asks_share_it),
        engine_case(gangs_count_whole),
        engine_case(placing_goes_by_it),
        engine_case(what_is_reserved_counts),
        engine_case(kinds_on_no_node_do_not_count),
        engine_case(parts_are_parts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
