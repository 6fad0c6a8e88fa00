/* Trees of limits beside tasks that have nodes to themselves, what is reserved,
 * and what a host's truth says of charges. */
#include <sched/engine_reconcile.h>

#include "engine_limits.h"
#include "engine_scene.h"

#include "engine/state.h"

/* A task that takes a whole node is charged the node, and waits for room for
 * it. */
static void a_whole_node_is_charged(void **state)
{
    limits_trees t = limits_begin(*state);

    limits_bound(&t, 0, t.account, 9);
    assert_ok(limits_commit(&t, 1));
    assert_ok(limits_submit(&t, 1, t.account, SKED_NO_QUEUE));
    limits_ask(&t, 1, 1, 1, SKED_ASK_EXCLUSIVE);
    assert_i64(limits_pass(&t), 0);
    sked_engine_bound bound = limits_binds(&t, 1);
    assert_int_equal(bound.reason, SKED_REASON_TREE_1_LIMIT);
    assert_true(bound.queue == t.account);
    assert_i64(bound.need, 10);
    assert_i64(bound.bound, 9);
    limits_bound(&t, 0, t.account, 10);
    assert_ok(limits_commit(&t, 1));
    assert_i64(limits_pass(&t), 1);
    assert_i64(limits_charged(&t, 1, t.account, NULL), 10);
    limits_end(&t);
}

/* What victims leave for a job counts where that is charged, in a new tree too. */
static void what_is_reserved_is_charged(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);
    limits_trees t = {.f = f, .leaf = s.b};

    assert_ok(sked_tree_new(f->schema, NULL, NULL, &t.tree[0], NULL));
    assert_ok(sked_tree_add(t.tree[0], sked_tree_root(t.tree[0]), "account",
                            &t.account, NULL));
    limits_bound(&t, 0, t.account, 2);
    assert_ok(limits_commit(&t, 1));
    scene_preempt(f, &s);
    scene_fill(f, &s, 0);
    assert_ok(limits_submit(&t, 3, t.account, SKED_NO_QUEUE));
    assert_ok(engine_add_ask(f, 3, 3, 4, 1, 1));
    (void)scene_hold(f, 3);
    assert_int_equal(scene_count(f, SKED_DECISION_NOTIFY), 2);
    assert_true(f->engine->first_reservation != SKEDI_NONE);
    assert_ok(limits_commit(&t, 1));
    assert_ok(limits_submit(&t, 4, t.account, SKED_NO_QUEUE));
    assert_ok(engine_add_ask(f, 4, 4, 1, 1, 1));
    (void)scene_hold(f, 18);
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 2);
    const sked_decision *kill = scene_said(f, SKED_DECISION_KILL);
    assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, kill->group, 2));
    assert_i64(limits_pass(&t), 2);
    assert_i64((int64_t)f->last[0].job, 3);
    assert_i64(limits_charged(&t, 1, t.account, NULL), 2);
    assert_i64(limits_pass(&t), 0);
    sked_tree_free(t.tree[0]);
}

/* A job of the host's that is charged in a queue that is not there. */
static void a_truth_names_queues_that_are_there(void **state)
{
    limits_trees t = limits_begin(*state);
    engine_fixture *f = t.f;
    sked_event job = {.kind = SKED_EVENT_JOB_SUBMIT,
                      .key = 5,
                      .queue = t.leaf,
                      .flags = SKED_JOB_ADMITTED};
    sked_event_charge charge = {t.account, t.service};
    const sked_events truth = {.struct_size = sizeof truth,
                               .events = &job,
                               .n = 1,
                               .charges = &charge};
    sked_engine_difference differences[8];
    size_t n;

    assert_ok(
        sked_engine_reconcile(f->engine, &truth, differences, 8, &n, &f->err));
    assert_true(n > 0);
    charge.second += 9;
    uint64_t before = sked_engine_state_digest(f->engine);
    assert_status(
        SKED_ERR_STALE,
        sked_engine_reconcile(f->engine, &truth, differences, 8, &n, &f->err));
    assert_i64(f->err.row, 0);
    assert_non_null(strstr(f->err.message, "no such queue of a limit tree"));
    assert_true(sked_engine_state_digest(f->engine) == before);
    limits_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(a_whole_node_is_charged),
        engine_case(what_is_reserved_is_charged),
        engine_case(a_truth_names_queues_that_are_there),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
