/* Lazy rounds: reservations of one node do not wait for each other. */
#include "engine_scene.h"

enum { JOB_A = 1, JOB_B = 2, ASK_A = 11, ASK_B = 12 };

static sked_queue_id guaranteed(engine_fixture *f, sked_queue_id up,
                                const char *name, int64_t cpu)
{
    sked_queue_id id = engine_queue(f, up, name);
    const int64_t amount[] = {cpu, 0};

    assert_ok(
        sked_tree_set_vec(f->tree, id, SKED_QUEUE_GUARANTEE, amount, NULL));
    return id;
}

/* Lazy rounds, and node 1. */
static void begin(engine_fixture *f, int64_t cpu)
{
    scene s = {
        .targets = {.struct_size = sizeof s.targets,
                    .ignored_ppm = -1,
                    .factor_ppm = 1000000,
                    .per_round_ppm = -1},
        .rounds = {.struct_size = sizeof s.rounds,
                   .flags = SKED_ROUND_FLAG_LAZY,
                   .grace_ns = 15 * (int64_t)SECOND},
        .preempt = {.struct_size = sizeof s.preempt},
    };

    engine_begin(f, NULL);
    scene_preempt(f, &s);
    engine_add_node(f, 1, 0, cpu, 100);
}

/* Tasks of `queue` on node 1, by a job and an ask of these keys. */
static void run(engine_fixture *f, sked_queue_id queue, uint64_t key,
                int64_t tasks)
{
    engine_add_job(f, key, queue, key);
    assert_ok(engine_add_ask(f, key, key, tasks, 1, 0));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    (void)engine_taken(f);
}

static void wants(engine_fixture *f, sked_queue_id queue, uint64_t job,
                  uint64_t ask, int64_t tasks)
{
    engine_add_job(f, job, queue, job);
    assert_ok(engine_add_ask(f, ask, job, tasks, 1, 0));
}

static void beat(engine_fixture *f)
{
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_ok(sked_engine_check(f->engine, NULL));
    (void)engine_taken(f);
}

/* One task of a job was told to end, and does. */
static void one_ends_of(engine_fixture *f, uint64_t job)
{
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 1);
    assert_int_equal(scene_said(f, SKED_DECISION_KILL)->job, job);
    assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED,
                         scene_said(f, SKED_DECISION_KILL)->group, 1));
}

static void one_starts_of(const engine_fixture *f, uint64_t ask)
{
    assert_int_equal(scene_count(f, SKED_DECISION_ALLOCATE), 1);
    assert_int_equal(scene_said(f, SKED_DECISION_ALLOCATE)->ask, ask);
    assert_int_equal(scene_said(f, SKED_DECISION_ALLOCATE)->reason,
                     SKED_REASON_HELD);
}

/*
 * Of 5 cpu `p` is guaranteed 2 and lends none, one each to `a` and `c`; `b` is
 * guaranteed 1 and `r` 2. `c` runs 2 and `r` 3. First `b` has a reservation for
 * a victim of `r`; then `a` comes, which has that victim, and `b` is left one of
 * `c`. Without it `p` has what it is guaranteed only once `a` has started: `b`
 * waits for that, first in line on the node as it is.
 */
static void one_that_waits_for_the_next_does_not_keep_it_out(void **state)
{
    engine_fixture *f = *state;
    const int64_t none[] = {0, 0};
    sked_queue_id p = guaranteed(f, f->root, "p", 2);
    sked_queue_id a = guaranteed(f, p, "a", 1), c = guaranteed(f, p, "c", 1);
    sked_queue_id o = guaranteed(f, f->root, "o", 1);
    sked_queue_id b = guaranteed(f, o, "b", 1);
    sked_queue_id r = guaranteed(f, f->root, "r", 2);

    assert_ok(sked_tree_set_vec(f->tree, p, SKED_QUEUE_LEND, none, NULL));
    begin(f, 5);
    run(f, c, 3, 2);
    run(f, r, 4, 3);
    wants(f, b, JOB_B, ASK_B, 1);
    (void)scene_hold(f, 3);
    assert_int_equal(scene_said(f, SKED_DECISION_NOTIFY)->job, 4);
    assert_int_equal(scene_said(f, SKED_DECISION_RESERVE)->ask, ASK_B);
    wants(f, a, JOB_A, ASK_A, 1);
    (void)scene_hold(f, 6);
    assert_int_equal(scene_said(f, SKED_DECISION_NOTIFY)->job, 3);
    assert_int_equal(scene_said(f, SKED_DECISION_RESERVE)->ask, ASK_A);
    assert_int_equal(scene_hold(f, 21), 0);
    beat(f);
    one_ends_of(f, 4);
    beat(f);
    one_starts_of(f, ASK_A);
    one_ends_of(f, 3);
    beat(f);
    one_starts_of(f, ASK_B);
    for (int64_t t = 24; t < 60; t += 3) assert_int_equal(scene_hold(f, t), 0);
}

/*
 * `b` has two tasks of `r` told for two of its own; then `a` comes, which has
 * one of these, and `b` one of `c` instead, which is told with the next round.
 * `b` is first in line on the node, and takes no more of `r` than is its own.
 */
static void what_is_for_another_is_not_taken(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id a = guaranteed(f, f->root, "a", 1);
    sked_queue_id c = guaranteed(f, f->root, "c", 0);
    sked_queue_id r = guaranteed(f, f->root, "r", 0);
    sked_queue_id o = guaranteed(f, f->root, "o", 2);
    sked_queue_id b = guaranteed(f, o, "b", 2);

    begin(f, 3);
    run(f, c, 3, 1);
    f->now = SECOND; /* what began later costs less */
    run(f, r, 4, 2);
    wants(f, b, JOB_B, ASK_B, 2);
    (void)scene_hold(f, 3);
    assert_int_equal(scene_count(f, SKED_DECISION_NOTIFY), 2);
    assert_int_equal(scene_said(f, SKED_DECISION_NOTIFY)->job, 4);
    wants(f, a, JOB_A, ASK_A, 1);
    (void)scene_hold(f, 6);
    assert_int_equal(scene_count(f, SKED_DECISION_NOTIFY), 1);
    assert_int_equal(scene_said(f, SKED_DECISION_NOTIFY)->job, 3);
    assert_int_equal(scene_hold(f, 21), 0);
    beat(f);
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(one_that_waits_for_the_next_does_not_keep_it_out),
        engine_case(what_is_for_another_is_not_taken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
