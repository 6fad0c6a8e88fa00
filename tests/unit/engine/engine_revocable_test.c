/* Revocable jobs, whose tasks go before any others; and jobs that yield, for
 * which nothing ends. */
#include "engine_scene.h"

/* Starts what is open on a node; each task of `key` costs so much. */
static void start_on(engine_fixture *f, uint64_t node, uint64_t key,
                     int64_t cost)
{
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, node));
    size_t n = engine_taken(f);
    for (size_t i = 0; i < n; i++) {
        if (f->last[i].kind != SKED_DECISION_ALLOCATE) continue;
        assert_int_equal(f->last[i].ask, key);
        assert_ok(engine_say(f,
                             (sked_event){.kind = SKED_EVENT_TASK_COST,
                                          .key = f->last[i].group,
                                          .count = cost},
                             0, 0));
    }
}

/* In a leaf they are the surplus, whatever their priority, and go first although
 * they cost more. */
static void they_go_before_others_of_their_leaf(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    scene_preempt(f, &s);
    engine_add_node(f, 1, 0, 10, 100);
    scene_work(f, 1, s.a, SKED_JOB_REVOCABLE, 5, 5);
    start_on(f, 1, 1, 1000000);
    scene_work(f, 2, s.a, 0, 0, 5);
    start_on(f, 1, 2, 1);
    scene_work(f, 3, s.b, 0, 0, 3);
    assert_true(scene_hold(f, 3) > 0);
    assert_i64(scene_told(f, 1), 3);
    assert_i64(scene_told(f, 2), 0);
}

/* Of two leaves and two nodes the revocable tasks go, where others are cheaper.
 */
static void a_node_where_they_are_enough_is_taken(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);
    sked_queue_id c = engine_queue(f, f->root, "c");

    engine_set(f, s.a, SKED_QUEUE_GUARANTEE_PPM, 100000);
    engine_set(f, s.b, SKED_QUEUE_GUARANTEE_PPM, 500000);
    engine_set(f, c, SKED_QUEUE_GUARANTEE_PPM, 100000);
    engine_begin(f, NULL);
    scene_preempt(f, &s);
    engine_add_node(f, 1, 0, 4, 100);
    scene_work(f, 1, s.a, 0, 0, 4);
    start_on(f, 1, 1, 1);
    engine_add_node(f, 2, 0, 4, 100);
    scene_work(f, 2, c, SKED_JOB_REVOCABLE, 1, 4);
    start_on(f, 2, 2, 50);
    scene_work(f, 3, s.b, 0, 0, 1);
    assert_true(scene_hold(f, 3) > 0);
    assert_i64(scene_told(f, 2), 1);
    assert_i64(scene_told(f, 1), 0);
    assert_int_equal(scene_said(f, SKED_DECISION_NOTIFY)->node, 2);
}

/* Among themselves the host's cost says which; others go when they are not
 * enough. */
static void their_own_cost_orders_them(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    scene_preempt(f, &s);
    engine_add_node(f, 1, 0, 10, 100);
    scene_work(f, 1, s.a, SKED_JOB_REVOCABLE, 0, 1);
    start_on(f, 1, 1, 9);
    scene_work(f, 2, s.a, SKED_JOB_REVOCABLE, 0, 1);
    start_on(f, 1, 2, 7);
    scene_work(f, 3, s.a, 0, 0, 8);
    start_on(f, 1, 3, 0);
    scene_work(f, 4, s.b, 0, 0, 1);
    (void)scene_hold(f, 3);
    assert_i64(scene_told(f, 2), 1);
    assert_i64(scene_told(f, 1) + scene_told(f, 3), 0);
    assert_ok(engine_say(
        f, (sked_event){.kind = SKED_EVENT_ASK_CHANGE, .key = 4, .count = 4}, 0,
        0));
    (void)scene_hold(f, 6);
    assert_i64(scene_told(f, 1), 1); /* the other was told before */
    assert_i64(scene_told(f, 3), 2);
}

/* A leaf that holds what it gives, and one that is guaranteed all. */
static scene giver_and_owner(engine_fixture *f, uint32_t flags)
{
    scene s = scene_begin(f);

    engine_set(f, s.a, SKED_QUEUE_GUARANTEE_PPM, 0);
    engine_set(f, s.b, SKED_QUEUE_GUARANTEE_PPM, 1000000);
    engine_begin(f, NULL);
    s.preempt.flags = flags;
    s.preempt.gangs = 1;
    scene_preempt(f, &s);
    return s;
}

/* An ask that takes neither of two nodes: it is wanted, and starts nowhere. */
static void take_no_node(engine_fixture *f, uint64_t ask)
{
    const uint64_t nodes[] = {1, 2};
    const int32_t from[] = {0, 2};
    sked_event none = {.time = f->now,
                       .kind = SKED_EVENT_ASK_EXCLUDE,
                       .key = ask,
                       .places = 1};
    sked_events batch = {.struct_size = sizeof batch,
                         .events = &none,
                         .n = 1,
                         .place_offsets = from,
                         .places = nodes,
                         .n_places = 1};

    assert_ok(sked_engine_apply(f->engine, &batch, NULL, &f->err));
}

/* A task of 4 on one node; on another one of 2 and two revocable ones. Of whom
 * is a claim of 4 served, if the task of 2 costs so much? */
static void serve_four(engine_fixture *f, int64_t cost)
{
    scene s = giver_and_owner(f, 0);

    engine_add_node(f, 1, 0, 4, 100);
    scene_work(f, 1, s.a, 0, 0, 0);
    assert_ok(engine_add_ask(f, 1, 1, 1, 4, 1));
    start_on(f, 1, 1, 5);
    engine_add_node(f, 2, 0, 4, 100);
    scene_work(f, 2, s.a, 0, 0, 0);
    assert_ok(engine_add_ask(f, 2, 2, 1, 2, 1));
    start_on(f, 2, 2, cost);
    scene_work(f, 3, s.a, SKED_JOB_REVOCABLE, 0, 2);
    start_on(f, 2, 3, 100);
    scene_work(f, 4, s.b, 0, 0, 0);
    assert_ok(engine_add_ask(f, 4, 4, 1, 4, 1));
    assert_ok(engine_add_ask(f, 5, 4, 1, 4, 1));
    take_no_node(f, 5);
    (void)scene_hold(f, 3);
}

/* What others lose decides between plans that end some; what revocable ones lose
 * weighs nothing beside it. */
static void what_others_lose_decides(void **state)
{
    engine_fixture *f = *state;

    serve_four(f, 4);
    assert_i64(scene_told(f, 2), 1);
    assert_i64(scene_told(f, 3), 2);
    assert_i64(scene_told(f, 1), 0);
}

static void nor_do_revocable_ones_make_others_cheap(void **state)
{
    engine_fixture *f = *state;

    serve_four(f, 7);
    assert_i64(scene_told(f, 1), 1);
    assert_i64(scene_told(f, 2) + scene_told(f, 3), 0);
}

/* Steps of 2, 2 and 6 have a revocable task of 2 told, another of 2, and one of
 * 8, which leaves 2: the other one stays. */
static void others_are_let_go_first(void **state)
{
    engine_fixture *f = *state;
    scene s = giver_and_owner(f, 0);
    const int64_t size[] = {2, 2, 8}, wants[] = {2, 2, 6, 2};

    engine_add_node(f, 1, 0, 12, 100);
    for (uint64_t i = 0; i < 3; i++) {
        scene_work(f, 1 + i, s.a, i ? 0 : SKED_JOB_REVOCABLE, 0, 0);
        assert_ok(engine_add_ask(f, 1 + i, 1 + i, 1, size[i], 1));
        start_on(f, 1, 1 + i, i ? (int64_t)i : 100);
    }
    scene_work(f, 4, s.b, 0, 0, 0);
    for (uint64_t i = 0; i < 4; i++) {
        assert_ok(engine_add_ask(f, 4 + i, 4, 1, wants[i], 1));
    }
    take_no_node(f, 7);
    (void)scene_hold(f, 3);
    assert_i64(scene_told(f, 1), 1);
    assert_i64(scene_told(f, 2), 0);
    assert_i64(scene_told(f, 3), 1);
}

/* So does a revocable gang over nodes, before a task that costs less. */
static void a_revocable_gang_goes_first(void **state)
{
    engine_fixture *f = *state;
    scene s = giver_and_owner(f, 0);

    engine_add_node(f, 1, 0, 3, 100);
    engine_add_node(f, 2, 0, 2, 100);
    scene_work(f, 1, s.a, SKED_JOB_REVOCABLE, 3, 0);
    assert_ok(engine_say(f,
                         (sked_event){.kind = SKED_EVENT_ASK_ADD,
                                      .key = 1,
                                      .owner = 1,
                                      .count = 2,
                                      .flags = SKED_ASK_GANG | SKED_ASK_SPREAD,
                                      .amount = 1},
                         2, 1));
    f->now = SECOND;
    start_on(f, 2, 1, 1000);
    start_on(f, 1, 1, 1000);
    scene_work(f, 2, s.a, 0, 0, 1);
    start_on(f, 1, 2, 1);
    scene_work(f, 3, s.b, 0, 0, 1);
    assert_ok(engine_add_ask(f, 4, 3, 4, 1, 1));
    take_no_node(f, 4);
    (void)scene_hold(f, 3);
    assert_i64(scene_told(f, 1), 2);
    assert_i64(scene_told(f, 2), 0);
}

/* By priority a revocable job takes revocable work of its leaf, and no other. */
static void they_take_no_others_by_priority(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    s.preempt.flags = SKED_PREEMPT_FLAG_BY_PRIORITY;
    scene_preempt(f, &s);
    engine_add_node(f, 1, 0, 10, 100);
    scene_work(f, 1, s.a, 0, 0, 8);
    start_on(f, 1, 1, 1);
    scene_work(f, 2, s.a, SKED_JOB_REVOCABLE, 0, 2);
    start_on(f, 1, 2, 1);
    scene_work(f, 3, s.a, SKED_JOB_REVOCABLE, 1, 5);
    (void)scene_hold(f, 3);
    assert_i64(scene_told(f, 2), 2);
    assert_i64(scene_told(f, 1), 0);
    scene_work(f, 4, s.a, 0, 1, 3);
    (void)scene_hold(f, 6);
    assert_true(scene_told(f, 1) > 0); /* what is not revocable does */
}

/* Not even what is surplus, with the leaf far beyond what it keeps. */
static void surplus_of_others_is_not_theirs(void **state)
{
    engine_fixture *f = *state;
    scene s = giver_and_owner(f, SKED_PREEMPT_FLAG_BY_PRIORITY);

    engine_add_node(f, 1, 0, 4, 100);
    scene_work(f, 1, s.a, 0, 0, 4);
    start_on(f, 1, 1, 1);
    scene_work(f, 2, s.a, SKED_JOB_REVOCABLE, 1, 1);
    scene_work(f, 3, s.b, 0, 0, 4);
    take_no_node(f, 3);
    (void)scene_hold(f, 3);
    assert_i64(scene_told(f, 1), 0);
}

/* Beside six others the leaf keeps one of two revocable tasks of 1; one of 2,
 * which it would not keep, has none of them told, whatever its priority. */
static void they_displace_none_that_is_kept(void **state)
{
    engine_fixture *f = *state;
    scene s = giver_and_owner(f, SKED_PREEMPT_FLAG_BY_PRIORITY);

    engine_add_node(f, 1, 0, 10, 100);
    scene_work(f, 1, s.a, 0, 0, 6);
    start_on(f, 1, 1, 1);
    scene_work(f, 2, s.a, SKED_JOB_REVOCABLE, 0, 2);
    start_on(f, 1, 2, 1);
    scene_work(f, 3, s.b, 0, 0, 2);
    start_on(f, 1, 3, 1);
    assert_ok(engine_add_ask(f, 4, 3, 1, 1, 1));
    take_no_node(f, 4);
    scene_work(f, 5, s.a, SKED_JOB_REVOCABLE, 1, 0);
    assert_ok(engine_add_ask(f, 5, 5, 1, 2, 1));
    (void)scene_hold(f, 3);
    assert_i64(scene_told(f, 1) + scene_told(f, 2), 0);
}

/* Nothing ends, and nothing is kept, for a job that yields: by claim, by
 * priority, for gangs. It says so, and starts on what is free. */
static void nothing_ends_for_a_job_that_yields(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);
    sked_engine_bound bound[16];
    size_t n;

    s.preempt.flags = SKED_PREEMPT_FLAG_BY_PRIORITY;
    s.preempt.gangs = 1;
    scene_preempt(f, &s);
    engine_add_node(f, 1, 0, 10, 100);
    scene_work(f, 1, s.a, 0, 0, 10);
    start_on(f, 1, 1, 1);
    scene_work(f, 2, s.b, SKED_JOB_YIELDS, 0, 3);
    scene_work(f, 3, s.a, SKED_JOB_YIELDS, 9, 3);
    scene_work(f, 4, s.b, SKED_JOB_YIELDS, 0, 0);
    assert_ok(engine_say(f,
                         (sked_event){.kind = SKED_EVENT_ASK_ADD,
                                      .key = 4,
                                      .owner = 4,
                                      .count = 2,
                                      .flags = SKED_ASK_GANG | SKED_ASK_SPREAD,
                                      .amount = 1},
                         1, 1));
    (void)engine_taken(f);
    for (int64_t t = 3; t < 60; t += 3) assert_int_equal(scene_hold(f, t), 0);
    assert_ok(sked_engine_explain_job(f->engine, 2, bound, 16, &n));
    assert_int_equal(bound[n - 1].reason, SKED_REASON_NO_CLAIM);
    assert_int_equal(bound[n - 1].kind, -1);
    assert_i64(bound[n - 1].need, 0);
    assert_int_equal(bound[n - 1].binds, 0); /* the node has nothing free */
    engine_add_node(f, 2, 0, 2, 100);
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 2));
    assert_true(engine_taken(f) > 0);
    assert_int_equal(scene_said(f, SKED_DECISION_ALLOCATE)->reason,
                     SKED_REASON_ORDER);
    scene_work(f, 5, s.b, 0, 0, 1); /* another of its queue claims */
    assert_true(scene_hold(f, 63) > 0);
    assert_int_equal(scene_said(f, SKED_DECISION_RESERVE)->ask, 5);
}

/* A flag of jobs at an ask is refused, and a job knows no other. */
static void flags_stand_where_they_belong(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    scene_work(f, 1, s.a, SKED_JOB_YIELDS | SKED_JOB_REVOCABLE, 0, 0);
    assert_status(SKED_ERR_ARG,
                  engine_say(f,
                             (sked_event){.kind = SKED_EVENT_ASK_ADD,
                                          .key = 1,
                                          .owner = 1,
                                          .count = 1,
                                          .flags = SKED_JOB_YIELDS,
                                          .amount = 1},
                             1, 1));
    assert_status(SKED_ERR_ARG,
                  engine_say(f,
                             (sked_event){.kind = SKED_EVENT_JOB_SUBMIT,
                                          .key = 2,
                                          .queue = s.a,
                                          .flags = 2 * SKED_JOB_YIELDS},
                             0, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(they_go_before_others_of_their_leaf),
        engine_case(a_node_where_they_are_enough_is_taken),
        engine_case(their_own_cost_orders_them),
        engine_case(what_others_lose_decides),
        engine_case(nor_do_revocable_ones_make_others_cheap),
        engine_case(others_are_let_go_first),
        engine_case(a_revocable_gang_goes_first),
        engine_case(they_take_no_others_by_priority),
        engine_case(surplus_of_others_is_not_theirs),
        engine_case(they_displace_none_that_is_kept),
        engine_case(nothing_ends_for_a_job_that_yields),
        engine_case(flags_stand_where_they_belong),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
