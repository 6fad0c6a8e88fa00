/* Tasks of a gang that share nodes which nothing else does: beside rounds of
 * preemption, and where memory lacks. */
#include "engine_exclusive.h"
#include "engine_scene.h"

enum { A = 1, B = 2 };

/* So many nodes of 4 cpu, half of which is queue a's (job 1) and half b's (job
 * 2); rounds look at gangs, and kill at once. */
static scene half_each(engine_fixture *f, uint64_t nodes)
{
    scene s = scene_begin(f);

    s.rounds.grace_ns = -1;
    s.preempt.gangs = 2;
    scene_preempt(f, &s);
    for (uint64_t n = 1; n <= nodes; n++) engine_add_node(f, n, 0, 4, 100);
    engine_add_job(f, A, s.a, 1);
    engine_add_job(f, B, s.b, 2);
    (void)engine_taken(f);
    return s;
}

/* A pass; how many tasks start. */
static int64_t starts_now(engine_fixture *f)
{
    (void)engine_taken(f);
    assert_ok(sked_engine_pass(f->engine, f->now, 0, NULL));
    assert_ok(sked_engine_check(f->engine, NULL));
    (void)engine_taken(f);
    return (int64_t)scene_count(f, SKED_DECISION_ALLOCATE);
}

static void a_gang_goes_with_all_its_nodes(void **state)
{
    engine_fixture *f = *state;
    scene s = half_each(f, 2);
    sked_engine_notice told[4];
    int64_t amounts[2];
    size_t n;

    assert_ok(bunches_alone(f, 1, 4, 2));
    assert_int_equal(starts_now(f), 4);
    assert_i64(cpu_used(f, s.a), 8);
    assert_ok(engine_add_ask(f, 2, B, 3, 1, 1));
    assert_int_equal(starts_now(f), 0);
    (void)scene_hold(f, 3);
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 4);
    assert_ok(sked_engine_contract(f->engine, A, SKED_ROUND_CONTRACT_STRICT,
                                   amounts, told, 4, &n));
    assert_int_equal(n, 2);
    assert_i64(amounts[0], 8); /* two nodes, not four */
    for (int64_t i = 6; i < 12; i += 3) assert_int_equal(scene_hold(f, i), 0);

    assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, told[0].group, 1));
    assert_int_equal(starts_now(f), 0); /* the other holds the node yet */
    assert_i64(cpu_used(f, s.a), 8);
    assert_int_equal(scene_hold(f, 12), 0);
    assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, told[0].group, 1));
    assert_i64(cpu_used(f, s.a), 4);
    assert_int_equal(starts_now(f), 3);
    assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, told[1].group, 2));
    assert_int_equal(starts_now(f), 0); /* it wants two nodes */
    assert_i64(cpu_used(f, s.a), 0);
}

/* How many are to run on counts tasks, not nodes. */
static void the_least_of_a_job_counts_tasks(void **state)
{
    engine_fixture *f = *state;

    (void)half_each(f, 2);
    assert_ok(bunches_alone(f, 1, 4, 2));
    assert_int_equal(starts_now(f), 4);
    assert_ok(engine_say(
        f, (sked_event){.kind = SKED_EVENT_JOB_LEAST, .key = A, .count = 1}, 0,
        0));
    assert_ok(engine_add_ask(f, 2, B, 3, 1, 1));
    assert_int_equal(starts_now(f), 0);
    for (int64_t i = 3; i < 12; i += 3) assert_int_equal(scene_hold(f, i), 0);
    assert_ok(engine_say(
        f, (sked_event){.kind = SKED_EVENT_JOB_LEAST, .key = A}, 0, 0));
    (void)scene_hold(f, 12);
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 4);
}

/* One gang has four tasks on a node, the other one has one: they hold as much,
 * and so lose as much; unless the host says what a task costs. */
static void assert_goes(engine_fixture *f, int32_t cost, uint64_t ask)
{
    (void)half_each(f, 2);
    assert_ok(bunches_alone(f, 1, 4, 4));
    assert_ok(bunches_alone(f, 3, 1, 4));
    assert_int_equal(starts_now(f), 5);
    for (size_t i = 0; i < 2 && cost; i++) {
        assert_ok(engine_say(f,
                             (sked_event){.kind = SKED_EVENT_TASK_COST,
                                          .key = f->last[i].group,
                                          .count = cost},
                             0, 0));
    }
    assert_ok(engine_add_ask(f, 2, B, 1, 1, 1));
    assert_int_equal(starts_now(f), 0);
    (void)scene_hold(f, 3);
    assert_i64((int64_t)scene_said(f, SKED_DECISION_KILL)->ask, (int64_t)ask);
}

static void what_a_node_costs_is_lost_once(void **state)
{
    assert_goes(*state, 0, 1);
}

static void what_a_task_costs_is_lost_for_each(void **state)
{
    assert_goes(*state, 3, 3);
}

/* A task that was told of later is not to end: so the node comes free only with
 * that one, which the next round ends. */
static void what_stays_holds_the_node(void **state)
{
    engine_fixture *f = *state;

    (void)half_each(f, 2);
    assert_ok(bunches_alone(f, 1, 4, 2));
    assert_int_equal(starts_now(f), 4);
    assert_ok(engine_add_ask(f, 2, B, 3, 1, 1));
    (void)scene_hold(f, 3);
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 4);
    uint64_t group[2] = {0}, node = 0;
    for (size_t i = 0, n = 0; n < 2; i++) {
        if (f->last[i].kind == SKED_DECISION_KILL) {
            node = f->last[i].node;
            group[n++] = f->last[i].group;
        }
    }
    assert_ok(engine_say(f,
                         (sked_event){.kind = SKED_EVENT_TASK_RUNNING,
                                      .key = node,
                                      .owner = 1,
                                      .count = 1},
                         0, 0));
    for (size_t i = 0; i < 2; i++) {
        assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, group[i], 2));
        assert_ok(sked_engine_check(f->engine, NULL));
    }
    assert_i64(cpu_free(f, node), 0);
    assert_i64(cpu_free(f, 3 - node), 4);
}

/* ---- Memory ---- */

/* One call with memory that lacks at each point: nothing has changed. */
static void lacks_memory(engine_fixture *f, sked_event event)
{
    uint64_t before = sked_engine_state_digest(f->engine);
    sked_status rc = SKED_ERR_NOMEM;

    for (size_t k = 1; rc != SKED_OK; k++) {
        f->host.requests = 0;
        f->host.fail_from = k;
        rc = engine_say(f, event, 7, 100);
        f->host.fail_from = 0;
        assert_ok(sked_engine_check(f->engine, NULL));
        if (rc == SKED_OK) return;
        assert_status(SKED_ERR_NOMEM, rc);
        assert_true(before == sked_engine_state_digest(f->engine));
    }
}

static void memory_that_lacks_changes_nothing(void **state)
{
    engine_fixture *f = *state;
    const sked_event beat = {.kind = SKED_EVENT_HEARTBEAT, .key = 2};

    (void)half_each(f, 3);
    for (uint64_t i = 0; i < 40; i++) { /* pools fill up */
        const sked_event all = {.kind = SKED_EVENT_TASK_LOST,
                                .key = 10 + i,
                                .flags = SKED_TASK_ALL};
        assert_ok(bunches_alone(f, 10 + i, 5, 2));
        lacks_memory(f, beat);
        assert_int_equal(engine_taken(f), 3);
        uint64_t group = f->last[0].group;
        lacks_memory(f, (sked_event){.kind = SKED_EVENT_TASK_RUNNING,
                                     .key = 1,
                                     .owner = 10 + i,
                                     .count = 2});
        lacks_memory(f, (sked_event){.kind = SKED_EVENT_NODE_CHANGE,
                                     .key = 1,
                                     .amount = 1});
        lacks_memory(f, (sked_event){.kind = SKED_EVENT_TASK_RELEASED,
                                     .key = group,
                                     .count = 1});
        lacks_memory(f, all);
        lacks_memory(f, (sked_event){.kind = SKED_EVENT_TASK_FINISH,
                                     .key = group,
                                     .count = 1});
        assert_ok(engine_tell(f, SKED_EVENT_ASK_WITHDRAW, 10 + i));
        (void)engine_taken(f);
        engine_add_node(f, 100 + i, 1, 4 + (int64_t)i, 1);
        assert_ok(engine_add_ask(f, 200 + i, A, 1, 90 + (int64_t)i, 1));
        (void)engine_taken(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(a_gang_goes_with_all_its_nodes),
        engine_case(the_least_of_a_job_counts_tasks),
        engine_case(what_a_node_costs_is_lost_once),
        engine_case(what_a_task_costs_is_lost_for_each),
        engine_case(what_stays_holds_the_node),
        engine_case(memory_that_lacks_changes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
