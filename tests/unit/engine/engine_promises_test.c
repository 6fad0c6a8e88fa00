/*
 * What an engine promises when it preempts: claims are served whatever else is
 * plentiful and however much waits, limits turn the search inward, and nothing
 * ends in vain or in turns.
 */
#include "engine_plain.h"

enum { PERIOD = 1000000000 }; /* a round every three of them */

typedef struct promise {
    plain_engine in;
    int64_t killed;
    int32_t reason; /* of the last that was told to end */
} promise;

static void ask(promise *p, uint64_t key, const char *path, sked_event job,
                int64_t count, uint32_t amount)
{
    assert_ok(sked_tree_find(p->in.tree, path, &job.queue, NULL));
    job.kind = SKED_EVENT_JOB_SUBMIT;
    job.key = key;
    plain_say(&p->in, job);
    plain_say(&p->in, (sked_event){.kind = SKED_EVENT_ASK_ADD,
                                   .key = key,
                                   .owner = key,
                                   .count = count,
                                   .amount = amount});
}

/* What was told to end does. */
static void take(promise *p)
{
    sked_decision d[64];
    size_t n = 64;

    while (n > 0) {
        assert_ok(sked_engine_take(p->in.engine, d, 64, &n, NULL));
        for (size_t i = 0; i < n; i++) {
            if (d[i].kind != SKED_DECISION_KILL) continue;
            p->killed += d[i].count;
            p->reason = d[i].reason;
            plain_say(&p->in, (sked_event){.kind = SKED_EVENT_TASK_KILLED,
                                           .key = d[i].group,
                                           .count = d[i].count});
        }
    }
}

static void hold(promise *p, int rounds)
{
    for (int i = 0; i < rounds; i++) {
        p->in.now += 3 * (int64_t)PERIOD;
        plain_say(&p->in, (sked_event){.kind = SKED_EVENT_ROUND});
        take(p);
        assert_ok(sked_engine_pass(p->in.engine, p->in.now, 0, NULL));
        take(p);
    }
}

static int64_t used(const promise *p, const char *path, size_t kind)
{
    int64_t amounts[SKED_MAX_KINDS];
    sked_queue_id queue;

    assert_ok(sked_tree_find(p->in.tree, path, &queue, NULL));
    assert_ok(sked_engine_usage(p->in.engine, queue, 0, amounts, NULL));
    return amounts[kind];
}

static void nodes_up(promise *p, uint64_t n)
{
    for (uint64_t i = 1; i <= n; i++) {
        plain_say(
            &p->in,
            (sked_event){.kind = SKED_EVENT_NODE_UP, .key = i, .amount = 1});
    }
}

/* b holds all cpu and a part of the memory; a, guaranteed so many percent,
 * wants `wanted` tasks, which as a whole want more memory than there is. */
static int64_t served_of(int64_t wanted, const char *text, int32_t dialect,
                         uint32_t flags)
{
    static const int64_t amounts[] = {10, 100, 1, 3, 1, 5};
    const sked_target_options targets = {.struct_size = sizeof targets,
                                         .mode = dialect,
                                         .cycles = dialect == 2,
                                         .factor_ppm = SKED_PPM,
                                         .per_round_ppm = -1};
    const sked_engine_preempt_options how = {
        .struct_size = sizeof how, .flags = flags, .targets = &targets};
    promise p = {.in = {.amounts = amounts, .n_amounts = 3}};

    plain_begin(&p.in, "cpu mem", text, &how);
    nodes_up(&p, 10);
    ask(&p, 1, "root.b", (sked_event){0}, 100, 2);
    assert_ok(sked_engine_pass(p.in.engine, 0, 0, NULL));
    take(&p);
    ask(&p, 2, "root.a", (sked_event){0}, wanted, 3);
    hold(&p, 60);
    int64_t served = used(&p, "root.a", 0);
    assert_int_equal(p.killed, served); /* one for one */
    plain_end(&p.in);
    return served;
}

/* The guarantee of a parent is for all below: a leaf with no guarantee of its
 * own claims what its sibling leaves. */
static void a_leaf_claims_by_the_guarantee_of_its_parent(void **state)
{
    static const char text[] = "root\n"
                               "root.p guarantee=40% preempt_min_timeout=5s\n"
                               "root.p.idle guarantee=20%\n"
                               "root.p.a\n"
                               "root.b\n";
    static const int64_t amounts[] = {10, 1};
    const sked_target_options targets = {.struct_size = sizeof targets,
                                         .factor_ppm = SKED_PPM,
                                         .per_round_ppm = -1};
    const sked_engine_preempt_options how = {.struct_size = sizeof how,
                                             .targets = &targets};
    promise p = {.in = {.amounts = amounts, .n_amounts = 2}};
    (void)state;

    plain_begin(&p.in, "cpu", text, &how);
    nodes_up(&p, 10);
    ask(&p, 1, "root.b", (sked_event){0}, 100, 2);
    assert_ok(sked_engine_pass(p.in.engine, 0, 0, NULL));
    take(&p);
    ask(&p, 2, "root.p.a", (sked_event){0}, 100, 2);
    hold(&p, 60);
    assert_i64(used(&p, "root.p.a", 0), 40);
    assert_i64(p.killed, 40);
    plain_end(&p.in);
}

static void a_backlog_does_not_starve_its_queue(void **state)
{
    static const char half[] = "root\n"
                               "root.a guarantee=50% preempt_min_timeout=5s\n"
                               "root.b guarantee=50%\n";
    static const char most[] = "root\n"
                               "root.a guarantee=90% preempt_min_timeout=5s\n"
                               "root.b guarantee=10%\n";
    (void)state;

    /* b keeps a tenth more than its guarantee by imbalance. */
    assert_int_equal(served_of(140, half, 0, 0), 45);
    assert_int_equal(served_of(141, half, 0, 0), 45);
    assert_int_equal(served_of(1000, half, 0, 0), 45);
    for (int32_t dialect = 1; dialect <= 2; dialect++) {
        assert_int_equal(served_of(141, half, dialect, 0), 50);
        assert_int_equal(served_of(1000, half, dialect, 0), 50);
    }
    assert_true(served_of(1000, most, 1, 0) >= 89);
}

/* x holds all of its parent's limit; y is guaranteed half of it, and the
 * cluster has more than that limit. */
static void a_limit_turns_the_search_inward(void **state)
{
    static const char text[] = "root preempt_min_timeout=5s "
                               "preempt_fair_timeout=5s\n"
                               "root.p guarantee=\"cpu=50\" limit=\"cpu=50\"\n"
                               "root.p.x guarantee=\"cpu=25\"\n"
                               "root.p.y guarantee=\"cpu=25\"\n";
    const int64_t clusters[] = {50, 60, 75, 100};
    (void)state;

    for (int32_t dialect = 0; dialect < 3; dialect++) {
        for (size_t i = 0; i < 4; i++) {
            const int64_t amounts[] = {clusters[i], 1};
            const sked_target_options targets = {
                .struct_size = sizeof targets,
                .mode = dialect,
                .cycles = dialect == 2,
                .ignored_ppm = dialect == 0 ? -1 : 0,
                .utilisation_ppm = dialect == 1 ? -1 : 0};
            const sked_engine_preempt_options how = {.struct_size = sizeof how,
                                                     .targets = &targets};
            promise p = {.in = {.amounts = amounts, .n_amounts = 2}};
            plain_begin(&p.in, "cpu", text, &how);
            nodes_up(&p, 1);
            ask(&p, 1, "root.p.x", (sked_event){0}, 50, 2);
            assert_ok(sked_engine_pass(p.in.engine, 0, 0, NULL));
            ask(&p, 2, "root.p.y", (sked_event){0}, 25, 2);
            take(&p);
            hold(&p, 300);
            assert_int_equal(p.killed, 25);
            assert_int_equal(used(&p, "root.p.y", 0), 25);
            plain_end(&p.in);
        }
    }
}

/* y's parent is full of x. Where x is fixed, no task ends for y and nothing is
 * reserved for it. Where x may be preempted, what y needs is taken from it. */
static void nobody_goes_for_an_ask_that_a_limit_keeps_out(void **state)
{
    static const int64_t amounts[] = {100, 100, 1, 0, 0, 10, 5, 10};
    static const char text[] =
        "root preempt_min_timeout=5s preempt_fair_timeout=5s\n"
        "root.p limit=\"cpu=50\" guarantee=\"cpu=50,mem=50\"\n"
        "root.p.x guarantee=\"cpu=25\"\n"
        "root.p.y guarantee=\"cpu=25,mem=50\"\n"
        "root.o guarantee=\"mem=50\"\n";
    (void)state;

    for (int32_t run = 0; run < 4; run++) {
        const sked_target_options targets = {
            .struct_size = sizeof targets, .mode = run % 3, .cycles = run == 2};
        const sked_engine_preempt_options how = {.struct_size = sizeof how,
                                                 .targets = &targets};
        promise p = {.in = {.amounts = amounts, .n_amounts = 4}};
        plain_begin(&p.in, "cpu mem", text, &how);
        nodes_up(&p, 1);
        ask(&p, 1, "root.p.x",
            (sked_event){.flags = run < 3 ? SKED_JOB_FIXED : 0}, 50, 2);
        ask(&p, 2, "root.o", (sked_event){0}, 10, 3);
        assert_ok(sked_engine_pass(p.in.engine, 0, 0, NULL));
        ask(&p, 3, "root.p.y", (sked_event){0}, 5, 4);
        take(&p);
        hold(&p, 600);
        int64_t before = p.killed, free[2];
        hold(&p, 600);
        assert_int_equal(p.killed, before); /* it comes to rest */
        assert_int_equal(before, run < 3 ? 0 : 24);
        assert_int_equal(used(&p, "root.p.y", 0), run < 3 ? 0 : 20);
        assert_ok(sked_engine_node_free(p.in.engine, 1, free));
        assert_int_equal(free[1],
                         100 - used(&p, "root.o", 1) - used(&p, "root.p.y", 1));
        plain_end(&p.in);
    }
}

/* A leaf of two users with a user limit, where priority decides. */
static void priorities_and_a_user_limit_come_to_rest(void **state)
{
    static const int64_t amounts[] = {28, 3};
    static const char *const text[] = {"root\nroot.a user_limit=94%\n",
                                       "root\nroot.a user_limit=80%\n",
                                       "root\nroot.a user_limit=60%\n"};
    const sked_engine_preempt_options how = {
        .struct_size = sizeof how, .flags = SKED_PREEMPT_FLAG_BY_PRIORITY};
    (void)state;

    for (size_t i = 0; i < 3; i++) {
        promise p = {.in = {.amounts = amounts, .n_amounts = 2}};
        plain_begin(&p.in, "cpu", text[i], &how);
        nodes_up(&p, 1);
        ask(&p, 1, "root.a", (sked_event){.owner = 1, .priority = -1}, 5, 2);
        assert_ok(sked_engine_pass(p.in.engine, 0, 0, NULL));
        ask(&p, 2, "root.a", (sked_event){.owner = 2}, 136, 2);
        take(&p);
        hold(&p, 600);
        int64_t before = p.killed;
        assert_true(before <= 5);
        hold(&p, 600);
        assert_int_equal(p.killed, before);
        plain_end(&p.in);
    }
}

/* Of three users the first has a task planned anew by what the second gives for
 * the third, which would be beyond its bound with both: that one waits. */
static void notices_run_out_beside_new_plans(void **state)
{
    static const int64_t amounts[] = {9, 1};
    const sked_engine_preempt_options how = {
        .struct_size = sizeof how, .flags = SKED_PREEMPT_FLAG_BY_PRIORITY};
    promise p = {.in = {.amounts = amounts, .n_amounts = 2}};
    (void)state;

    plain_begin(&p.in, "cpu", "root\nroot.a apps=fair user_limit=30%\n", &how);
    nodes_up(&p, 1);
    ask(&p, 1, "root.a", (sked_event){.owner = 2, .priority = -1}, 2, 2);
    ask(&p, 2, "root.a", (sked_event){.owner = 1, .priority = 1}, 5, 2);
    ask(&p, 3, "root.a", (sked_event){.owner = 0}, 4, 2);
    assert_ok(sked_engine_pass(p.in.engine, 0, 0, NULL));
    take(&p);
    hold(&p, 60);
    assert_int_equal(p.killed, 3);
    assert_int_equal(used(&p, "root.a", 0), 9);
    plain_end(&p.in);
}

/* Ten tasks run that matter less than five of the same leaf, which wait. How
 * many end, in a leaf as `text` says? */
static int64_t ended_within_leaf(const char *text)
{
    static const int64_t amounts[] = {10, 1};
    const sked_engine_preempt_options how = {
        .struct_size = sizeof how, .flags = SKED_PREEMPT_FLAG_BY_PRIORITY};
    promise p = {.in = {.amounts = amounts, .n_amounts = 2}};

    plain_begin(&p.in, "cpu", text, &how);
    nodes_up(&p, 1);
    ask(&p, 1, "root.a", (sked_event){.priority = -1}, 10, 2);
    assert_ok(sked_engine_pass(p.in.engine, 0, 0, NULL));
    ask(&p, 2, "root.a", (sked_event){0}, 5, 2);
    take(&p);
    hold(&p, 60);
    assert_int_equal(used(&p, "root.a", 0), 10);
    if (p.killed > 0)
        assert_int_equal(p.reason, SKED_REASON_PREEMPTED_PRIORITY);
    int64_t killed = p.killed;
    plain_end(&p.in);
    return killed;
}

static void what_is_spared_is_spared_within_its_leaf(void **state)
{
    (void)state;
    assert_int_equal(ended_within_leaf("root\nroot.a guarantee=100%\n"), 5);
    assert_int_equal(
        ended_within_leaf("root\nroot.a guarantee=100% preempt_from=no\n"), 0);
    assert_int_equal(
        ended_within_leaf("root preempt_from=no\nroot.a guarantee=100%\n"), 0);
}

/* 90 asks of a queue, of one task and one core each or (`uneven`) of one and two
 * by turns: what ends in the first round for them, and in the first two. */
static void end_for_90_asks(uint32_t uneven, uint64_t first, uint64_t both)
{
    static const int64_t amounts[] = {300, 1, 2};
    const sked_target_options targets = {.struct_size = sizeof targets,
                                         .ignored_ppm = -1,
                                         .factor_ppm = SKED_PPM,
                                         .per_round_ppm = -1};
    const sked_round_options rounds = {.struct_size = sizeof rounds,
                                       .grace_ns = -1};
    const sked_engine_preempt_options how = {
        .struct_size = sizeof how, .targets = &targets, .rounds = &rounds};
    promise p = {.in = {.amounts = amounts, .n_amounts = 3}};

    plain_begin(&p.in, "cpu", "root\nroot.a guarantee=100%\nroot.b\n", &how);
    nodes_up(&p, 1);
    ask(&p, 1, "root.b", (sked_event){0}, 300, 2);
    assert_ok(sked_engine_pass(p.in.engine, 0, 0, NULL));
    for (uint64_t i = 2; i <= 91; i++) {
        ask(&p, i, "root.a", (sked_event){0}, 1,
            2 + (uint32_t)(i & 1) * uneven);
    }
    take(&p);
    hold(&p, 1);
    assert_int_equal(p.killed, first);
    assert_int_equal(used(&p, "root.a", 0), first);
    hold(&p, 1);
    assert_int_equal(p.killed, both);
    assert_int_equal(used(&p, "root.a", 0), both);
    plain_end(&p.in);
}

/* Of one queue's asks the first 64 of its line are served by a round, the others
 * by the next; alike ones that follow each other count as one. */
static void a_round_serves_64_asks_of_a_queue(void **state)
{
    (void)state;
    end_for_90_asks(1, 32 + 2 * 32, 45 + 2 * 45);
    end_for_90_asks(0, 90, 90);
}

/* That no node has the room is not all that is said. */
static void why_no_victim_is_chosen_is_explained(void **state)
{
    static const int64_t amounts[] = {10, 1};
    const sked_engine_preempt_options how = {.struct_size = sizeof how};
    promise p = {.in = {.amounts = amounts, .n_amounts = 2}};
    sked_engine_bound bounds[16];
    size_t n, found = 0;
    (void)state;

    plain_begin(&p.in, "cpu", "root\nroot.a guarantee=40%\nroot.b\n", &how);
    nodes_up(&p, 1);
    ask(&p, 1, "root.a", (sked_event){0}, 4, 2);
    ask(&p, 2, "root.b", (sked_event){0}, 6, 2);
    assert_ok(sked_engine_pass(p.in.engine, 0, 0, NULL));
    ask(&p, 3, "root.a", (sked_event){0}, 1, 2);
    take(&p);
    hold(&p, 20);
    assert_int_equal(p.killed, 0);
    assert_ok(sked_engine_explain_job(p.in.engine, 3, bounds, 16, &n));
    for (size_t i = 0; i < n; i++) {
        if (bounds[i].reason != SKED_REASON_NO_CLAIM) continue;
        found++;
        assert_int_equal(bounds[i].need, 5);
        assert_int_equal(bounds[i].bound, 4);
    }
    assert_int_equal(found, 1);
    plain_end(&p.in);
}

/* ---- Who is told apart, what is named ---- */

/* One user holds all of a leaf when another comes: how many make way? */
static int64_t given_to_another_user(const char *text)
{
    static const int64_t amounts[] = {10, 1};
    const sked_engine_preempt_options how = {
        .struct_size = sizeof how, .flags = SKED_PREEMPT_FLAG_BY_USER};
    promise p = {.in = {.amounts = amounts, .n_amounts = 2}};

    plain_begin(&p.in, "cpu", text, &how);
    nodes_up(&p, 1);
    ask(&p, 1, "root.a", (sked_event){.owner = 1}, 10, 2);
    assert_ok(sked_engine_pass(p.in.engine, 0, 0, NULL));
    ask(&p, 2, "root.a", (sked_event){.owner = 2}, 10, 2);
    take(&p);
    hold(&p, 60);
    int64_t given = p.killed;
    hold(&p, 60);
    assert_int_equal(p.killed, given);
    assert_int_equal(used(&p, "root.a", 0), 10);
    plain_end(&p.in);
    return given;
}

/* Where starts do not tell users apart, what one gives would go back to the
 * next in line, whoever that is: so rounds do not either. */
static void users_are_told_apart_where_starts_do_so(void **state)
{
    (void)state;
    assert_int_equal(given_to_another_user("root\nroot.a\n"), 0);
    assert_int_equal(given_to_another_user("root\nroot.a user_limit=100%\n"),
                     0);
    assert_int_equal(given_to_another_user("root\nroot.a apps=user-fair\n"), 5);
    assert_int_equal(given_to_another_user("root\nroot.a user_limit=50%\n"), 5);
}

/* A guarantee of cores alone is claimed by tasks that want memory too. */
static void a_guarantee_of_one_kind_is_claimed_with_others(void **state)
{
    static const int64_t amounts[] = {10, 100, 1, 3};
    const sked_target_options targets = {
        .struct_size = sizeof targets, .ignored_ppm = -1, .per_round_ppm = -1};
    const sked_engine_preempt_options how = {.struct_size = sizeof how,
                                             .targets = &targets};
    promise p = {.in = {.amounts = amounts, .n_amounts = 2}};
    (void)state;

    plain_begin(&p.in, "cpu mem", "root\nroot.a guarantee=\"cpu=4\"\nroot.b\n",
                &how);
    nodes_up(&p, 1);
    ask(&p, 1, "root.b", (sked_event){0}, 20, 2);
    assert_ok(sked_engine_pass(p.in.engine, 0, 0, NULL));
    ask(&p, 2, "root.a", (sked_event){0}, 20, 2);
    take(&p);
    hold(&p, 60);
    assert_int_equal(used(&p, "root.a", 0), 4);
    assert_int_equal(used(&p, "root.a", 1), 12);
    assert_int_equal(p.killed, 4);
    plain_end(&p.in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_leaf_claims_by_the_guarantee_of_its_parent),
        cmocka_unit_test(a_backlog_does_not_starve_its_queue),
        cmocka_unit_test(a_limit_turns_the_search_inward),
        cmocka_unit_test(nobody_goes_for_an_ask_that_a_limit_keeps_out),
        cmocka_unit_test(priorities_and_a_user_limit_come_to_rest),
        cmocka_unit_test(notices_run_out_beside_new_plans),
        cmocka_unit_test(what_is_spared_is_spared_within_its_leaf),
        cmocka_unit_test(a_round_serves_64_asks_of_a_queue),
        cmocka_unit_test(why_no_victim_is_chosen_is_explained),
        cmocka_unit_test(users_are_told_apart_where_starts_do_so),
        cmocka_unit_test(a_guarantee_of_one_kind_is_claimed_with_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
