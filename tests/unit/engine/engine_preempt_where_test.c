/* Where a round makes an ask fit: partitions, places, passes that end early. */

#include "engine_rules.h"
#include "engine_scene.h"

/* Two partitions of one node each, full of asks 1, of job `first`, and 2, of
 * job 1; ask 3 of job 2 wants four tasks anywhere. */
static void fill_partitions(engine_fixture *f, const scene *s, uint64_t first)
{
    engine_add_node(f, 1, 0, 10, 100);
    engine_add_node(f, 2, 1, 10, 100);
    engine_add_job(f, 1, s->a, 1);
    engine_add_job(f, 2, s->b, 2);
    for (uint64_t i = 1; i <= 3; i++) {
        const uint64_t owner[] = {first, 1, 2};
        sked_event ask = {.kind = SKED_EVENT_ASK_ADD,
                          .key = i,
                          .owner = owner[i - 1],
                          .count = i == 3 ? 4 : 10,
                          .partition = i == 3 ? SKED_ANY_PARTITION
                                              : (uint32_t)i - 1,
                          .amount = 1};
        assert_ok(engine_say(f, ask, 1, 1));
        if (i < 3) assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, i));
    }
}

/* Four tasks were told to end: they do, and as many start on the node. */
static void four_take_what_is_free(engine_fixture *f, uint64_t node)
{
    uint64_t group = scene_said(f, SKED_DECISION_KILL)->group;

    assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, group, 4));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, node));
    (void)engine_taken(f);
    assert_int_equal(scene_count(f, SKED_DECISION_ALLOCATE), 4);
}

static void partitions_are_held_apart_and_any_asks_once(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    scene_preempt(f, &s);
    fill_partitions(f, &s, 1);
    assert_ok(engine_say(f,
                         (sked_event){.kind = SKED_EVENT_ASK_ADD,
                                      .key = 7,
                                      .owner = 1,
                                      .count = 1,
                                      .partition = 1,
                                      .amount = 1},
                         1, 1));
    (void)engine_taken(f);
    (void)scene_hold(f, 3);
    assert_int_equal(scene_count(f, SKED_DECISION_NOTIFY), 4);
    assert_int_equal(scene_said(f, SKED_DECISION_NOTIFY)->partition, 0);
    (void)scene_hold(f, 18);
    four_take_what_is_free(f, 1);
}

static void what_may_run_anywhere_starts_where_victims_ended(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    s.rounds.grace_ns = -1;
    scene_preempt(f, &s);
    fill_partitions(f, &s, 2); /* b has the first, a the second */
    (void)engine_taken(f);
    (void)scene_hold(f, 3);
    assert_int_equal(scene_said(f, SKED_DECISION_KILL)->partition, 1);
    four_take_what_is_free(f, 2);
}

/* Two asks have room kept on one node; a pass that may decide one thing starts
 * one of them, and memory that is refused costs the other nothing. */
static void a_pass_that_ends_early_keeps_the_rest(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    s.rounds.grace_ns = -1;
    scene_preempt(f, &s);
    scene_fill(f, &s, 2);
    assert_ok(engine_add_ask(f, 3, 2, 2, 1, 2));
    (void)scene_hold(f, 3);
    uint64_t group = scene_said(f, SKED_DECISION_KILL)->group;
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 4);
    assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, group, 4));
    (void)engine_taken(f);
    assert_status(SKED_STOPPED, sked_engine_pass(f->engine, f->now, 1, NULL));
    assert_ok(sked_engine_check(f->engine, NULL));
    assert_int_equal(engine_taken(f), 1);
    for (uint64_t k = 100; k < 164; k++) { /* as many as there is room for */
        assert_ok(engine_add_ask(f, k, 2, 1, 1000, 1));
    }
    f->host.requests = 0;
    f->host.fail_at = 1;
    assert_status(SKED_ERR_NOMEM, engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    f->host.fail_at = 0;
    assert_ok(sked_engine_check(f->engine, NULL));
    assert_int_equal(engine_taken(f), 64);
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    (void)engine_taken(f);
    assert_int_equal(scene_count(f, SKED_DECISION_ALLOCATE), 3);
    assert_int_equal(scene_said(f, SKED_DECISION_ALLOCATE)->reason,
                     SKED_REASON_HELD);
}

static void room_is_made_only_where_an_ask_may_run(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);
    const uint64_t places[] = {2};
    const int32_t offsets[] = {0, 1};
    const int64_t amounts[] = {1, 1};
    sked_event ask = {.kind = SKED_EVENT_ASK_ADD,
                      .key = 9,
                      .owner = 2,
                      .count = 3,
                      .flags = SKED_ASK_STRICT,
                      .amount = 1,
                      .places = 1};
    sked_events batch = {.struct_size = sizeof batch,
                         .events = &ask,
                         .n = 1,
                         .amounts = amounts,
                         .n_amounts = 1,
                         .place_offsets = offsets,
                         .places = places,
                         .n_places = 1};

    scene_preempt(f, &s);
    scene_fill(f, &s, 0);
    engine_add_node(f, 2, 0, 10, 100);
    assert_ok(engine_add_ask(f, 7, 1, 10, 1, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 2));
    ask.time = f->now;
    assert_ok(sked_engine_apply(f->engine, &batch, NULL, &f->err));
    (void)engine_taken(f);
    (void)scene_hold(f, 3);
    assert_int_equal(scene_count(f, SKED_DECISION_NOTIFY), 3);
    assert_int_equal(scene_said(f, SKED_DECISION_NOTIFY)->node, 2);
}

/* Nodes 2, in rack 5, and 3, in none, full of `a`; an ask of `b` runs in rack 5
 * or on node 4, which is not there, alone: its victims are those of node 2. */
static void victims_are_sought_in_the_racks_of_a_strict_ask(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);
    const uint64_t keys[] = {4, 5};
    const int32_t offsets[] = {0, 1, 2};
    sked_event said[] = {{.kind = SKED_EVENT_ASK_RACKS, .key = 2, .places = 2},
                         {.kind = SKED_EVENT_ASK_PLACES,
                          .key = 2,
                          .flags = SKED_ASK_STRICT,
                          .places = 1}};

    s.rounds.grace_ns = -1;
    scene_preempt(f, &s);
    engine_add_job(f, 1, s.a, 1);
    engine_add_job(f, 2, s.b, 2);
    assert_ok(engine_add_ask(f, 1, 1, 20, 1, 1));
    for (uint64_t n = 2; n <= 3; n++) {
        sked_event up = {.kind = SKED_EVENT_NODE_UP,
                         .key = n,
                         .owner = n == 2 ? 5 : 0,
                         .amount = 1};
        assert_ok(engine_say(f, up, 10, 100));
        assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, n));
        f->now += SECOND; /* what began last costs least */
    }
    assert_ok(engine_add_ask(f, 2, 2, 3, 1, 1));
    said[0].time = said[1].time = f->now;
    assert_ok(
        sked_engine_apply(f->engine,
                          &(sked_events){.struct_size = sizeof(sked_events),
                                         .events = said,
                                         .n = 2,
                                         .place_offsets = offsets,
                                         .places = keys,
                                         .n_places = 2},
                          NULL, &f->err));
    (void)engine_taken(f);
    (void)scene_hold(f, 6);
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 3);
    assert_int_equal(scene_said(f, SKED_DECISION_KILL)->node, 2);
}

/* Another rule of the ask leaves what its user has been given: else it would
 * have less than nothing, and could go beyond its limit. */
static void a_new_rule_leaves_what_its_user_has_coming(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);
    sked_engine_bound why[64];
    size_t n, i = 0;

    s.rounds.grace_ns = -1;
    engine_set(f, s.b, SKED_QUEUE_USER_LIMIT, 600000);
    engine_begin(f, NULL); /* commits */
    scene_preempt(f, &s);
    scene_fill(f, &s, 2);
    (void)scene_hold(f, 3);
    uint64_t group = scene_said(f, SKED_DECISION_KILL)->group;
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 2);
    assert_ok(in_zone(f, 1, 3));
    assert_ok(only_zone(f, 2, 3));
    assert_ok(sked_engine_check(f->engine, NULL));
    assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, group, 2));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_ok(sked_engine_check(f->engine, NULL));
    assert_ok(engine_add_ask(f, 9, 2, 1, 1, 1));
    assert_ok(sked_engine_explain_job(f->engine, 2, why, 64, &n));
    while (i < n && why[i].reason != SKED_REASON_USER_LIMIT) i++;
    assert_true(i < n);
    assert_i64(why[i].need, 3); /* the two that run, and one more */
}

/* Two users hold half of a leaf each; a job of either that matters more takes
 * from its own user. */
static void inside_a_queue_each_user_gives_to_its_own(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    engine_set(f, s.a, SKED_QUEUE_USER_LIMIT, 500000);
    engine_set(f, s.a, SKED_QUEUE_GUARANTEE_PPM, 1000000);
    engine_set(f, s.b, SKED_QUEUE_GUARANTEE_PPM, 0);
    engine_begin(f, NULL);
    s.preempt.flags = SKED_PREEMPT_FLAG_BY_USER | SKED_PREEMPT_FLAG_BY_PRIORITY;
    scene_preempt(f, &s);
    engine_add_node(f, 1, 0, 10, 100);
    for (uint64_t u = 1; u <= 2; u++) {
        engine_add_job(f, u, s.a, u);
        assert_ok(engine_add_ask(f, u, u, 5, 1, 1));
    }
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_int_equal(engine_stats_of(f).running_tasks, 10);
    for (uint64_t u = 1; u <= 2; u++) {
        sked_event job = {.kind = SKED_EVENT_JOB_SUBMIT,
                          .key = 2 + u,
                          .queue = s.a,
                          .owner = u,
                          .priority = 5};
        assert_ok(engine_say(f, job, 0, 0));
        assert_ok(engine_add_ask(f, 2 + u, 2 + u, 2, 1, 1));
        (void)engine_taken(f);
        (void)scene_hold(f, 3 * (int64_t)u);
        assert_int_equal(scene_count(f, SKED_DECISION_NOTIFY), 2);
        assert_int_equal(scene_said(f, SKED_DECISION_NOTIFY)->job, u);
    }
}

/* Tasks of `a` hold 8 cpu of node 1, 3 of node 2 and, fixed, 20 of node 3. `b`,
 * which is promised nearly all, wants 4, then 1, then more than any node has. */
static void what_a_plan_leaves_over_is_used(void **state)
{
    const int64_t held[] = {8, 3, 20};
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    engine_set(f, s.a, SKED_QUEUE_GUARANTEE_PPM, 100000);
    engine_set(f, s.b, SKED_QUEUE_GUARANTEE_PPM, 900000);
    engine_begin(f, NULL);
    scene_preempt(f, &s);
    for (uint64_t n = 1; n <= 3; n++) {
        engine_add_node(f, n, 0, held[n - 1], 100);
        scene_work(f, n, s.a, n == 3 ? SKED_JOB_FIXED : 0, 0, 0);
        assert_ok(engine_add_ask(f, n, n, 1, held[n - 1], 1));
        assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, n));
    }
    f->now = SECOND;
    scene_work(f, 4, s.b, 0, 0, 0);
    assert_ok(engine_add_ask(f, 10, 4, 1, 4, 1));
    assert_ok(engine_add_ask(f, 11, 4, 1, 1, 1));
    assert_ok(engine_add_ask(f, 12, 4, 4, 5, 1));
    (void)engine_taken(f);
    (void)scene_hold(f, 3);
    assert_i64(scene_told(f, 1), 1);
    assert_i64(scene_told(f, 2), 0); /* node 1 has 4 more for the second ask */
    assert_int_equal(scene_count(f, SKED_DECISION_RESERVE), 2);
    (void)scene_hold(f, 18);
    assert_int_equal(scene_count(f, SKED_DECISION_WITHDRAW), 0);
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 1);
}

/* A tree may be one queue, which is a leaf: users of the root preempt each other
 * like those of any leaf. */
static void users_of_the_root_have_parts(void **state)
{
    engine_fixture *f = *state;
    scene s = {.targets = {.struct_size = sizeof s.targets,
                           .ignored_ppm = -1,
                           .factor_ppm = SKED_PPM,
                           .per_round_ppm = -1},
               .rounds = {.struct_size = sizeof s.rounds,
                          .grace_ns = 15 * (int64_t)SECOND},
               .preempt = {.struct_size = sizeof s.preempt,
                           .flags = SKED_PREEMPT_FLAG_BY_USER}};

    engine_set(f, f->root, SKED_QUEUE_USER_LIMIT, SKED_PPM / 2);
    engine_begin(f, NULL);
    scene_preempt(f, &s);
    engine_add_node(f, 1, 0, 10, 100);
    scene_work(f, 1, f->root, 0, 0, 10);
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    scene_work(f, 2, f->root, 0, 0, 10);
    (void)engine_taken(f);
    (void)scene_hold(f, 3);
    assert_i64(scene_told(f, 1), 5);
}

/* A host that stops a round at any check sees SKED_ERR_CANCELLED. */
static void a_stop_is_no_lack_of_memory(void **state)
{
    for (size_t at = 1; at < 16; at++) {
        engine_fixture *f = *state;
        scene s = scene_begin(f);
        scene_preempt(f, &s);
        scene_fill(f, &s, 8);
        f->host.checks = 0;
        f->host.stop_at = at;
        f->host.stop_with = SKED_STOPPED;
        sked_status rc = engine_tell(f, SKED_EVENT_ROUND, 0);
        assert_status(f->host.checks < at ? SKED_OK : SKED_ERR_CANCELLED, rc);
        f->host.stop_at = 0;
        engine_teardown(state);
        engine_setup(state);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(inside_a_queue_each_user_gives_to_its_own),
        engine_case(partitions_are_held_apart_and_any_asks_once),
        engine_case(room_is_made_only_where_an_ask_may_run),
        engine_case(what_may_run_anywhere_starts_where_victims_ended),
        engine_case(a_pass_that_ends_early_keeps_the_rest),
        engine_case(victims_are_sought_in_the_racks_of_a_strict_ask),
        engine_case(a_new_rule_leaves_what_its_user_has_coming),
        engine_case(what_a_plan_leaves_over_is_used),
        engine_case(users_of_the_root_have_parts),
        engine_case(a_stop_is_no_lack_of_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
