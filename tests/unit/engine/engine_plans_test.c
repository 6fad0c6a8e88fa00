/*
 * The steps of one round together: what others were told to end for starts
 * where they did, no victim is told that another made needless, and what goes
 * is what loses least of all that may.
 */
#include "engine_plain.h"

enum { PERIOD = 1000000000, ASKS = 8 };

typedef struct plans {
    plain_engine in;
    int64_t killed[ASKS]; /* by ask */
    uint64_t node[ASKS];  /* where the last task of an ask started */
    int32_t reason[ASKS]; /* likewise */
} plans;

/* An ask of a job of its own, for so many tasks of an amount. */
static void want(plans *p, uint64_t key, const char *path, int64_t count,
                 uint32_t amount, int32_t priority)
{
    sked_event job = {.kind = SKED_EVENT_JOB_SUBMIT,
                      .key = key,
                      .owner = 1,
                      .priority = priority};

    assert_ok(sked_tree_find(p->in.tree, path, &job.queue, NULL));
    plain_say(&p->in, job);
    plain_say(&p->in, (sked_event){.kind = SKED_EVENT_ASK_ADD,
                                   .key = key,
                                   .owner = key,
                                   .count = count,
                                   .amount = amount});
}

static void node_up(plans *p, uint64_t node, uint32_t amount)
{
    plain_say(&p->in, (sked_event){.kind = SKED_EVENT_NODE_UP,
                                   .key = node,
                                   .amount = amount});
}

/* What was told to end does. */
static void take(plans *p)
{
    sked_decision d;
    size_t n = 1;

    for (;;) {
        assert_ok(sked_engine_take(p->in.engine, &d, 1, &n, NULL));
        if (n == 0) return;
        if (d.kind == SKED_DECISION_ALLOCATE) {
            p->node[d.ask] = d.node;
            p->reason[d.ask] = d.reason;
        }
        if (d.kind != SKED_DECISION_KILL) continue;
        p->killed[d.ask] += d.count;
        plain_say(&p->in, (sked_event){.kind = SKED_EVENT_TASK_KILLED,
                                       .key = d.group,
                                       .count = d.count});
    }
}

static void pass(plans *p, int64_t seconds)
{
    p->in.now += seconds * PERIOD;
    assert_ok(sked_engine_pass(p->in.engine, p->in.now, 0, NULL));
    take(p);
}

static void hold(plans *p, int rounds)
{
    for (int i = 0; i < rounds; i++) {
        p->in.now += 3 * (int64_t)PERIOD;
        plain_say(&p->in, (sked_event){.kind = SKED_EVENT_ROUND});
        take(p);
        pass(p, 0);
    }
}

static int64_t used(const plans *p, const char *path)
{
    int64_t amounts[SKED_MAX_KINDS];
    sked_queue_id queue;

    assert_ok(sked_tree_find(p->in.tree, path, &queue, NULL));
    assert_ok(sked_engine_usage(p->in.engine, queue, 0, amounts, NULL));
    return amounts[0];
}

static const sked_target_options all_at_once = {
    .struct_size = sizeof(sked_target_options),
    .mode = SKED_TARGET_MODE_IMBALANCE,
    .ignored_ppm = -1,
    .factor_ppm = SKED_PPM,
    .per_round_ppm = -1};
static const sked_round_options no_grace = {
    .struct_size = sizeof(sked_round_options), .grace_ns = -1};
static const sked_round_options some_grace = {
    .struct_size = sizeof(sked_round_options),
    .grace_ns = 15 * (int64_t)PERIOD};

/* ---- Who ends now ---- */

/*
 * One node of 7 is full but for 1: three tasks of 1 in r (job 1), one of 3 in
 * p.d (job 2). Asks of 2 of a (job 3) and q.b (job 4) have three of r told. An
 * ask of 2 of p.c (job 5), where p is at its limit, has the one of p.d told
 * later, which leaves 1 more than it takes: q.b counts on that, and needs but
 * one of r. When the tasks of r are due, that of p.d is not: then there is
 * enough for a alone.
 */
static void steps_that_end_now_do_not_count_on_the_same(void **state)
{
    static const int64_t amounts[] = {7, 1, 2, 3};
    const sked_engine_preempt_options how = {.struct_size = sizeof how,
                                             .targets = &all_at_once,
                                             .rounds = &some_grace};
    plans p = {.in = {.amounts = amounts, .n_amounts = 4}};
    (void)state;

    plain_begin(&p.in, "cpu",
                "root\nroot.a guarantee=\"cpu=2\"\n"
                "root.p weight=1000 limit=\"cpu=3\"\nroot.q\nroot.r\n"
                "root.p.c guarantee=\"cpu=2\"\nroot.p.d\n"
                "root.q.b guarantee=\"cpu=2\"\n",
                &how);
    node_up(&p, 1, 1);
    want(&p, 1, "root.r", 3, 2, 0);
    want(&p, 2, "root.p.d", 1, 4, 0);
    pass(&p, 0);
    want(&p, 3, "root.a", 1, 3, 0);
    want(&p, 4, "root.q.b", 1, 3, 0);
    hold(&p, 1);
    want(&p, 5, "root.p.c", 1, 3, 0);
    hold(&p, 5);
    assert_i64(p.killed[1], 1);
    assert_i64(used(&p, "root.a"), 2);
    assert_i64(used(&p, "root.q.b"), 0);
    hold(&p, 1);
    assert_i64(p.killed[1], 2);
    assert_i64(p.killed[2], 1);
    assert_i64(used(&p, "root.q.b"), 2);
    assert_i64(used(&p, "root.p.c"), 2);
    assert_i64(used(&p, "root.r"), 1);
    plain_end(&p.in);
}

/* ---- What differs by its nodes ---- */

/* An ask as want() makes it, of one task that runs on this node only. */
static void want_on(plans *p, uint64_t key, const char *path, uint64_t node,
                    uint32_t amount)
{
    const int32_t offsets[] = {0, 1};
    sked_event ask = {.kind = SKED_EVENT_ASK_ADD,
                      .time = p->in.now,
                      .key = key + 1,
                      .owner = key,
                      .count = 1,
                      .amount = amount,
                      .places = 1,
                      .flags = SKED_ASK_STRICT};
    const sked_events batch = {.struct_size = sizeof batch,
                               .events = &ask,
                               .n = 1,
                               .amounts = p->in.amounts,
                               .n_amounts = p->in.n_amounts,
                               .place_offsets = offsets,
                               .places = &node,
                               .n_places = 1};

    want(p, key, path, 1, amount, 0);
    plain_say(&p->in,
              (sked_event){.kind = SKED_EVENT_ASK_WITHDRAW, .key = key});
    assert_ok(sked_engine_apply(p->in.engine, &batch, NULL, NULL));
}

/* Nothing on node 1 may go: an ask of a that takes no other finds no place. The
 * next one is like it, but for its node. */
static void one_that_names_a_node_says_nothing_of_the_next(void **state)
{
    static const int64_t amounts[] = {2, 1};
    const sked_engine_preempt_options how = {.struct_size = sizeof how,
                                             .targets = &all_at_once,
                                             .rounds = &no_grace};
    plans p = {.in = {.amounts = amounts, .n_amounts = 2}};
    (void)state;

    plain_begin(&p.in, "cpu",
                "root\nroot.a guarantee=\"cpu=2\"\nroot.b\n"
                "root.c preempt_from=no\n",
                &how);
    node_up(&p, 1, 1);
    want(&p, 1, "root.c", 2, 2, 0);
    pass(&p, 0);
    node_up(&p, 2, 1);
    want(&p, 2, "root.b", 2, 2, 0);
    pass(&p, 0);
    want_on(&p, 3, "root.a", 1, 2);
    want_on(&p, 5, "root.a", 2, 2);
    hold(&p, 2);
    assert_i64(p.killed[1], 0);
    assert_i64(p.killed[2], 1);
    assert_int_equal(p.node[6], 2);
    assert_i64(used(&p, "root.a"), 1);
    plain_end(&p.in);
}

/* ---- What comes first ---- */

/* The queue a is below its guarantee of what is scarce, which its second ask
 * needs alone: that goes first, before the one that is first in its line. */
static void what_is_guaranteed_goes_first_in_its_leaf(void **state)
{
    static const int64_t amounts[] = {2, 4, 0, 2, 1, 0};
    plans p = {.in = {.amounts = amounts, .n_amounts = 3}};
    sked_decision d[16];
    size_t n, first = 0;
    (void)state;

    plain_begin(&p.in, "cpu mem", "root\nroot.a guarantee=\"cpu=2\"\nroot.b\n",
                NULL);
    want(&p, 1, "root.b", 4, 3, 0);
    want(&p, 2, "root.a", 2, 2, 0);
    want(&p, 3, "root.a", 2, 3, 0);
    node_up(&p, 1, 1);
    assert_ok(sked_engine_pass(p.in.engine, p.in.now, 0, NULL));
    assert_ok(sked_engine_take(p.in.engine, d, 16, &n, NULL));
    while (first < n && d[first].kind != SKED_DECISION_ALLOCATE) first++;
    assert_true(first < n);
    assert_int_equal(d[first].ask, 3);
    assert_i64(used(&p, "root.b"), 0);
    plain_end(&p.in);
}

/* ---- Where others ended ---- */

/* p is at its limit, all of it on node 2; node 1 is looked at first and would
 * have room for what a task of d ended for there. */
static void what_others_ended_for_starts_where_they_did(void **state)
{
    static const int64_t amounts[] = {10, 1};
    const sked_engine_preempt_options how = {.struct_size = sizeof how,
                                             .targets = &all_at_once,
                                             .rounds = &no_grace};
    plans p = {.in = {.amounts = amounts, .n_amounts = 2}};
    (void)state;

    plain_begin(&p.in, "cpu",
                "root\nroot.p limit=\"cpu=10\"\n"
                "root.p.c guarantee=\"cpu=5\"\nroot.p.d\n",
                &how);
    node_up(&p, 2, 1);
    want(&p, 1, "root.p.d", 10, 2, 0);
    pass(&p, 0);
    node_up(&p, 1, 1);
    want(&p, 2, "root.p.c", 1, 2, 0);
    hold(&p, 1);
    assert_i64(p.killed[1], 1);
    assert_i64(p.reason[2], SKED_REASON_HELD);
    assert_int_equal(p.node[2], 2);
    plain_end(&p.in);
}

/* What is kept for a job goes with it to another queue. */
static void what_is_kept_moves_with_its_job(void **state)
{
    static const int64_t amounts[] = {10, 1};
    const sked_engine_preempt_options how = {.struct_size = sizeof how,
                                             .targets = &all_at_once};
    plans p = {.in = {.amounts = amounts, .n_amounts = 2}};
    sked_event move = {.kind = SKED_EVENT_JOB_UPDATE, .key = 2};
    (void)state;

    plain_begin(&p.in, "cpu",
                "root\nroot.a guarantee=\"cpu=5\"\nroot.b\n"
                "root.c guarantee=\"cpu=5\" user_limit=50%\n",
                &how);
    node_up(&p, 1, 1);
    want(&p, 1, "root.b", 10, 2, 0);
    pass(&p, 0);
    want(&p, 2, "root.a", 3, 2, 0);
    hold(&p, 1);
    assert_ok(sked_tree_find(p.in.tree, "root.c", &move.queue, NULL));
    plain_say(&p.in, move);
    assert_ok(sked_engine_check(p.in.engine, NULL));
    hold(&p, 10);
    assert_i64(used(&p, "root.a"), 0);
    assert_i64(used(&p, "root.c"), 3);
    assert_i64(p.killed[1], 3);
    plain_end(&p.in);
}

/* ---- No more than all need together ---- */

/* By their own a task of 1 ends for the first and one of 4 for the second; with
 * the latter gone the limit has room for both. */
static void victims_of_one_step_spare_those_of_another(void **state)
{
    static const int64_t amounts[] = {10, 4, 1, 2, 6};
    const sked_engine_preempt_options how = {.struct_size = sizeof how,
                                             .targets = &all_at_once,
                                             .rounds = &no_grace};
    plans p = {.in = {.amounts = amounts, .n_amounts = 5}};
    (void)state;

    plain_begin(&p.in, "cpu",
                "root\nroot.p limit=\"cpu=7\"\n"
                "root.p.c guarantee=\"cpu=5\"\nroot.p.d\n",
                &how);
    node_up(&p, 2, 2);
    want(&p, 1, "root.p.d", 1, 2, 0); /* 4 on node 2, for longer */
    pass(&p, 0);
    node_up(&p, 1, 1);
    pass(&p, 60);
    want(&p, 2, "root.p.d", 3, 3, 0);
    pass(&p, 1);
    assert_i64(used(&p, "root.p.d"), 7);
    p.in.now += 60 * (int64_t)PERIOD;
    want(&p, 3, "root.p.c", 1, 3, 0);
    want(&p, 4, "root.p.c", 1, 4, 0);
    want(&p, 5, "root.p.c", 1, 5, 0); /* wanted, and more than is guaranteed */
    hold(&p, 3);
    assert_i64(used(&p, "root.p.c"), 3);
    assert_i64(p.killed[1], 1);
    assert_i64(p.killed[2], 0);
    plain_end(&p.in);
}

/* A task of 1 was told to end for the first (3). Then one of 4 is told to end for
 * the second (4), with which the limit of p holds the first at once. The first
 * notice stays all the same, so the first ask starts in time. A third ask (5), in
 * another queue, changes nothing. */
static void a_later_step_leaves_the_notices_of_an_earlier_one(void **state)
{
    static const int64_t amounts[] = {10, 0, 4, 0, 1, 0, 3,
                                      0,  5, 0, 4, 1, 1, 1};
    const sked_engine_preempt_options how = {.struct_size = sizeof how,
                                             .targets = &all_at_once,
                                             .rounds = &some_grace};
    plans p = {.in = {.amounts = amounts, .n_amounts = 14}};
    (void)state;

    plain_begin(&p.in, "cpu mem",
                "root\nroot.p limit=\"cpu=7\"\n"
                "root.p.c guarantee=\"cpu=5\"\nroot.p.d\n"
                "root.q guarantee=\"cpu=10\"\nroot.r\n",
                &how);
    node_up(&p, 1, 6);
    want(&p, 2, "root.p.d", 3, 3, 0); /* 1 each on node 1 */
    pass(&p, 0);
    node_up(&p, 3, 1);
    want(&p, 6, "root.r", 1, 1, 0); /* all of node 3 */
    pass(&p, 0);
    node_up(&p, 4, 5);
    want(&p, 7, "root.q", 1, 5, 0); /* half of its guarantee, on node 4 */
    pass(&p, 0);
    node_up(&p, 2, 2);
    want(&p, 1, "root.p.d", 1, 2, 0); /* 4 on node 2, which ran less long */
    pass(&p, 60);
    assert_i64(used(&p, "root.p.d"), 7);
    p.in.now += 40 * (int64_t)PERIOD;
    want(&p, 3, "root.p.c", 1, 7, 0); /* of node 1 alone */
    hold(&p, 1);
    want(&p, 4, "root.p.c", 1, 4, 0);
    want(&p, 5, "root.q", 1, 5, 0);
    hold(&p, 6);
    assert_i64(used(&p, "root.q"), 10);
    assert_i64(p.killed[2], 1); /* as it was told */
    assert_i64(p.killed[1], 1);
    assert_i64(used(&p, "root.p.c"), 4);
    hold(&p, 6);
    assert_i64(p.killed[2], 1);
    assert_i64(p.killed[1], 1);
    assert_i64(used(&p, "root.p.c"), 4);
    plain_end(&p.in);
}

/* ---- A user's bound moves ---- */

/* No user may have more than a half of what the leaf uses, and one more. With
 * its own task gone the leaf uses less: what was planned before may not start
 * then. It comes to rest, and what ended had its reason. */
static void a_bound_that_moves_ends_no_task_in_turns(void **state)
{
    static const int64_t amounts[] = {10, 1};
    const sked_engine_preempt_options how = {
        .struct_size = sizeof how,
        .flags = SKED_PREEMPT_FLAG_BY_PRIORITY,
        .targets = &all_at_once,
        .rounds = &no_grace};
    plans p = {.in = {.amounts = amounts, .n_amounts = 2}};
    (void)state;

    plain_begin(&p.in, "cpu",
                "root\nroot.a user_limit=20%\nroot.b guarantee=70%\n", &how);
    node_up(&p, 1, 1);
    want(&p, 1, "root.b", 20, 2, 0);
    pass(&p, 0);
    for (uint64_t key = 2; key <= 4; key++) {
        sked_event job = {.kind = SKED_EVENT_JOB_SUBMIT,
                          .key = key,
                          .owner = key,
                          .priority = (int32_t)key};
        assert_ok(sked_tree_find(p.in.tree, "root.a", &job.queue, NULL));
        plain_say(&p.in, job);
        plain_say(&p.in, (sked_event){.kind = SKED_EVENT_ASK_ADD,
                                      .key = key,
                                      .owner = key,
                                      .count = 3,
                                      .amount = 2});
    }
    hold(&p, 100);
    int64_t before = p.killed[1] + p.killed[2] + p.killed[3] + p.killed[4];
    hold(&p, 100);
    assert_i64(p.killed[1] + p.killed[2] + p.killed[3] + p.killed[4], before);
    plain_end(&p.in);
}

/* ---- The least loss ---- */

/* Nobody is short of memory, so tasks that differ in it alone are alike: the
 * one that ran for a minute goes, not the one that ran for an hour. */
static void tasks_that_differ_in_what_is_plentiful_are_alike(void **state)
{
    static const int64_t amounts[] = {10, 1000, 1, 1, 1, 50};
    const sked_engine_preempt_options how = {.struct_size = sizeof how,
                                             .targets = &all_at_once,
                                             .rounds = &no_grace};
    (void)state;

    for (uint32_t young = 2; young <= 3; young++) {
        plans p = {.in = {.amounts = amounts, .n_amounts = 3}};
        plain_begin(&p.in, "cpu mem", "root\nroot.a guarantee=50%\nroot.b\n",
                    &how);
        node_up(&p, 1, 1);
        want(&p, 1, "root.b", 5, 5 - young, 0);
        pass(&p, 0);
        want(&p, 2, "root.b", 5, young, 0);
        pass(&p, 3600);
        p.in.now += 60 * (int64_t)PERIOD;
        want(&p, 3, "root.a", 2, 2, 0);
        hold(&p, 1);
        assert_i64(used(&p, "root.a"), 2);
        assert_i64(p.killed[1], 0);
        assert_i64(p.killed[2], 2);
        plain_end(&p.in);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_that_end_now_do_not_count_on_the_same),
        cmocka_unit_test(one_that_names_a_node_says_nothing_of_the_next),
        cmocka_unit_test(what_is_guaranteed_goes_first_in_its_leaf),
        cmocka_unit_test(what_others_ended_for_starts_where_they_did),
        cmocka_unit_test(what_is_kept_moves_with_its_job),
        cmocka_unit_test(victims_of_one_step_spare_those_of_another),
        cmocka_unit_test(a_later_step_leaves_the_notices_of_an_earlier_one),
        cmocka_unit_test(a_bound_that_moves_ends_no_task_in_turns),
        cmocka_unit_test(tasks_that_differ_in_what_is_plentiful_are_alike),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
