/* Kinds that lie on no node: what a partition has of them beside its nodes. */
#include <sched/engine_place.h>

#include "engine_scene.h"

enum { LICENCES = 2 }; /* the second kind, as a bit */

static const sked_engine_options pooled = {.struct_size = sizeof pooled,
                                           .pooled = LICENCES};

static sked_status pool(engine_fixture *f, uint32_t partition, int64_t cpu,
                        int64_t licences)
{
    return engine_say(f,
                      (sked_event){.kind = SKED_EVENT_POOL,
                                   .partition = partition,
                                   .amount = 1},
                      cpu, licences);
}

/* A leaf with two nodes of 10 cpu, and job 1. */
static sked_queue_id two_nodes(engine_fixture *f)
{
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");

    engine_begin(f, &pooled);
    engine_add_node(f, 1, 0, 10, 0);
    engine_add_node(f, 2, 0, 10, 0);
    engine_add_job(f, 1, leaf, 1);
    return leaf;
}

static int64_t started(engine_fixture *f)
{
    int64_t n = 0;

    (void)engine_taken(f);
    assert_ok(sked_engine_pass(f->engine, f->now, 0, &f->err));
    assert_ok(sked_engine_check(f->engine, &f->err));
    size_t said = engine_taken(f);
    for (size_t i = 0; i < said; i++) n += f->last[i].count;
    return n;
}

/* Tasks on all nodes together hold no more than there is; less keeps what runs
 * running; an end gives back. */
static void tasks_share_what_there_is(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = two_nodes(f);
    int64_t used[2], free[2];

    assert_ok(engine_add_ask(f, 1, 1, 9, 2, 3));
    assert_int_equal(started(f), 0); /* there is none yet */
    assert_ok(pool(f, 0, 0, 20));
    assert_int_equal(started(f), 6);
    assert_ok(sked_engine_usage(f->engine, leaf, 0, used, NULL));
    assert_i64(used[1], 18);
    assert_ok(sked_engine_node_free(f->engine, 1, free));
    assert_i64(free[0], 0);
    assert_i64(free[1], 0);
    uint64_t group = f->last[0].group;
    assert_ok(pool(f, 0, 0, 17));
    assert_int_equal(started(f), 0);
    assert_i64((int64_t)engine_stats_of(f).queues_over, 1);
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, group, 2));
    assert_int_equal(started(f), 1);
    assert_ok(engine_tell(f, SKED_EVENT_NODE_DOWN, 2));
    assert_ok(pool(f, 0, 0, 1000));
    assert_int_equal(started(f), 1); /* cpu of node 1 */
}

/* Each partition has its own; limits and parts count them like any kind. */
static void queues_are_bounded_in_them(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id a = engine_queue(f, f->root, "a");

    engine_set(f, a, SKED_QUEUE_LIMIT_PPM, 500000);
    engine_begin(f, &pooled);
    engine_add_node(f, 1, 0, 100, 0);
    engine_add_node(f, 2, 1, 100, 0);
    engine_add_job(f, 1, a, 1);
    assert_ok(pool(f, 0, 0, 10));
    assert_ok(pool(f, 1, 0, 4));
    sked_event ask = {.kind = SKED_EVENT_ASK_ADD,
                      .key = 1,
                      .owner = 1,
                      .count = 20,
                      .partition = SKED_ANY_PARTITION,
                      .amount = 1};
    assert_ok(engine_say(f, ask, 1, 1));
    assert_int_equal(started(f), 5 + 2);
    assert_ok(pool(f, 1, 0, 8));
    assert_int_equal(started(f), 2);
}

/* The root's bound is told as any queue's. */
static void what_is_lacking_is_explained(void **state)
{
    engine_fixture *f = *state;
    sked_engine_bound bounds[16];
    size_t n, found = 0;

    (void)two_nodes(f);
    assert_ok(pool(f, 0, 0, 4));
    assert_ok(engine_add_ask(f, 1, 1, 2, 1, 3));
    assert_int_equal(started(f), 1);
    assert_ok(sked_engine_explain_job(f->engine, 1, bounds, 16, &n));
    for (size_t i = 0; i < n; i++) {
        if (!bounds[i].binds) continue;
        found++;
        assert_int_equal(bounds[i].reason, SKED_REASON_QUEUE_LIMIT);
        assert_int_equal(bounds[i].kind, 1);
        assert_true(bounds[i].queue == f->root);
        assert_i64(bounds[i].need, 6);
        assert_i64(bounds[i].bound, 4);
    }
    assert_int_equal(found, 1);
}

/* A gang over nodes counts them once for all of it; and no node is fuller or
 * emptier by them. */
static void gangs_and_places_go_by_nodes(void **state)
{
    engine_fixture *f = *state;
    sked_event gang = {.kind = SKED_EVENT_ASK_ADD,
                       .key = 1,
                       .owner = 1,
                       .count = 4,
                       .flags = SKED_ASK_GANG | SKED_ASK_SPREAD,
                       .amount = 1};

    (void)two_nodes(f);
    assert_ok(pool(f, 0, 0, 11));
    assert_ok(engine_say(f, gang, 5, 3));
    assert_int_equal(started(f), 0);
    assert_ok(pool(f, 0, 0, 13));
    assert_int_equal(started(f), 4);
    for (size_t i = 0, n = 2; i < n; i++) {
        assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, f->last[i].group, 2));
    }
    const sked_engine_place_options pack = {
        .struct_size = sizeof pack, .mode = SKED_ENGINE_PLACE_MODE_PACK};
    engine_add_node(f, 3, 0, 2, 0);
    assert_ok(engine_add_ask(f, 2, 1, 1, 1, 12));
    (void)engine_taken(f);
    assert_ok(sked_engine_place(f->engine, f->now, 0, &pack, &f->err));
    assert_int_equal(engine_taken(f), 1);
    assert_i64((int64_t)f->last[0].node, 3);
}

static void what_runs_is_adopted_beyond_it(void **state)
{
    engine_fixture *f = *state;
    sked_event runs = {
        .kind = SKED_EVENT_TASK_RUNNING, .key = 1, .owner = 1, .count = 2};

    (void)two_nodes(f);
    assert_ok(pool(f, 0, 0, 5));
    assert_ok(engine_add_ask(f, 1, 1, 3, 1, 4));
    assert_ok(engine_say(f, runs, 0, 0));
    assert_i64((int64_t)engine_stats_of(f).queues_over, 1);
    assert_i64((int64_t)engine_stats_of(f).nodes_over, 0);
    assert_int_equal(started(f), 0);
    runs.amount = 1;
    assert_status(SKED_ERR_RANGE,
                  engine_say(f, runs, 0, SKED_AMOUNT_MAX / 2 - 6));
}

static sked_status ask_for(engine_fixture *f, uint64_t key, uint32_t partition,
                           int64_t tasks)
{
    return engine_say(f,
                      (sked_event){.kind = SKED_EVENT_ASK_ADD,
                                   .key = key,
                                   .owner = key,
                                   .count = tasks,
                                   .partition = partition,
                                   .amount = 1},
                      0, 1);
}

/* `b` keeps 3 of 5 licences, and a node comes along with 3 of `a`'s tasks and 3
 * of `b`'s: what is kept is booked, but is not there. */
static void more_is_kept_than_there_is(engine_fixture *f, scene *s)
{
    const int64_t guarantee[] = {0, 5}, lend[] = {0, 2}, idle[] = {0, 3};
    sked_queue_id c;

    s->targets = (sked_target_options){.struct_size = sizeof s->targets,
                                       .mode = SKED_TARGET_MODE_ENTITLEMENT,
                                       .cycles = 1};
    s->rounds = (sked_round_options){.struct_size = sizeof s->rounds,
                                     .grace_ns = -1};
    s->preempt = (sked_engine_preempt_options){
        .struct_size = sizeof s->preempt, .flags = SKED_PREEMPT_FLAG_BY_USER};
    s->a = engine_queue(f, f->root, "a");
    s->b = engine_queue(f, f->root, "b");
    assert_ok(sked_tree_set_vec(f->tree, s->b, SKED_QUEUE_GUARANTEE, guarantee,
                                NULL));
    assert_ok(sked_tree_set_vec(f->tree, s->b, SKED_QUEUE_LEND, lend, NULL));
    c = engine_queue(f, f->root, "c");
    assert_ok(sked_tree_set_vec(f->tree, c, SKED_QUEUE_GUARANTEE, idle, NULL));
    engine_set(f, s->b, SKED_QUEUE_APPS, SKED_APPS_USER_FAIR);
    engine_begin(f, &pooled);
    scene_preempt(f, s);
    assert_ok(pool(f, 0, 0, 5));
    assert_ok(pool(f, 1, 0, 16));
    engine_add_node(f, 1, 0, 5, 0);
    engine_add_node(f, 2, 1, 5, 0);
    engine_add_job(f, 1, s->a, 1);
    engine_add_job(f, 2, s->b, 1);
    assert_ok(ask_for(f, 1, 1, 3));
    assert_ok(ask_for(f, 2, 1, 3));
    assert_int_equal(started(f), 6);
    assert_ok(engine_tell(f, SKED_EVENT_NODE_MOVE, 2));
}

/* What others were told to end for is not taken by what starts elsewhere. */
static void what_is_reserved_is_there_for_one(void **state)
{
    engine_fixture *f = *state;
    scene s;

    more_is_kept_than_there_is(f, &s);
    engine_add_job(f, 3, s.b, 2);
    assert_ok(ask_for(f, 3, 0, 2));
    assert_int_equal(started(f), 0);
    memset(f->last, 0, sizeof f->last);
    (void)scene_hold(f, 1);
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 2);
    assert_int_equal(scene_count(f, SKED_DECISION_RESERVE), 1);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(f->last[i].kind, SKED_DECISION_KILL);
        assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, f->last[i].group, 1));
    }
    memset(f->last, 0, sizeof f->last);
    assert_ok(sked_engine_pass(f->engine, f->now, 0, &f->err));
    (void)engine_taken(f);
    assert_int_equal(scene_count(f, SKED_DECISION_ALLOCATE), 1);
    const sked_decision *said = scene_said(f, SKED_DECISION_ALLOCATE);
    assert_int_equal(said->reason, SKED_REASON_HELD);
    assert_i64((int64_t)said->node, 2);
    assert_int_equal(started(f), 0);
}

static void what_cannot_be_said(void **state)
{
    engine_fixture *f = *state;
    sked_engine_options odd = {.struct_size = sizeof odd, .pooled = 4};
    sked_engine *engine;

    (void)two_nodes(f);
    uint64_t before = sked_engine_state_digest(f->engine);
    assert_status(SKED_ERR_RANGE, pool(f, 0, 1, 1));
    assert_int_equal(f->err.kind, 0);
    assert_status(SKED_ERR_RANGE, pool(f, SKED_MAX_PARTITIONS, 0, 1));
    assert_status(SKED_ERR_RANGE, pool(f, 0, 0, -1));
    assert_status(SKED_ERR_ARG, engine_tell(f, SKED_EVENT_POOL, 0));
    sked_event node = {.kind = SKED_EVENT_NODE_UP, .key = 9, .amount = 1};
    assert_status(SKED_ERR_RANGE, engine_say(f, node, 1, 1));
    node.kind = SKED_EVENT_NODE_CHANGE;
    node.key = 1;
    assert_status(SKED_ERR_RANGE, engine_say(f, node, 1, 1));
    f->host.fail_from = 1;
    assert_status(SKED_ERR_NOMEM, pool(f, 7, 0, 1));
    f->host.fail_from = 0;
    assert_true(before == sked_engine_state_digest(f->engine));
    assert_ok(pool(f, 1, 0, SKED_AMOUNT_MAX));
    assert_true(before != sked_engine_state_digest(f->engine));
    assert_status(SKED_ERR_RANGE, pool(f, 0, 0, 1));
    assert_ok(engine_say(f, node, 12, 0));
    assert_status(SKED_ERR_ARG,
                  sked_engine_new(f->tree, &odd, NULL, &engine, &f->err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(tasks_share_what_there_is),
        engine_case(queues_are_bounded_in_them),
        engine_case(what_is_lacking_is_explained),
        engine_case(gangs_and_places_go_by_nodes),
        engine_case(what_runs_is_adopted_beyond_it),
        engine_case(what_is_reserved_is_there_for_one),
        engine_case(what_cannot_be_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
