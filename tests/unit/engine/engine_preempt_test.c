/* Rounds of preemption in the engine: which tasks get a notice, a kill order or
 * a withdrawal, and which ask gets what they held. */
#include <stdio.h>

#include "engine_scene.h"

static void victims_are_told_then_killed_then_the_claim_starts(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    scene_preempt(f, &s);
    scene_fill(f, &s, 8);
    assert_true(scene_hold(f, 3) > 0);
    const sked_decision *told = scene_said(f, SKED_DECISION_NOTIFY);
    uint64_t group = told->group;
    assert_int_equal(told->count, 5); /* half is b's */
    assert_int_equal(told->task, 5);  /* the last ones */
    assert_int_equal(told->job, 1);
    assert_int_equal(told->reason, SKED_REASON_PREEMPTED);
    assert_int_equal(told->detail, 18 * (int64_t)SECOND);
    const sked_decision *kept = scene_said(f, SKED_DECISION_RESERVE);
    assert_int_equal(kept->ask, 2);
    assert_int_equal(kept->count, 5);
    assert_int_equal(kept->group, 0);

    assert_int_equal(scene_hold(f, 6), 0); /* their time runs on */
    assert_true(scene_hold(f, 18) > 0);
    assert_int_equal(scene_said(f, SKED_DECISION_KILL)->count, 5);
    assert_int_equal(scene_hold(f, 21), 0); /* told once */

    assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, group, 3));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_true(engine_taken(f) == 2);
    assert_int_equal(scene_said(f, SKED_DECISION_REQUEUE)->reason,
                     SKED_REASON_PREEMPTED);
    const sked_decision *got = scene_said(f, SKED_DECISION_ALLOCATE);
    assert_int_equal(got->ask, 2);
    assert_int_equal(got->count, 3);
    assert_int_equal(got->reason, SKED_REASON_HELD);
    assert_status(SKED_ERR_RANGE,
                  engine_end(f, SKED_EVENT_TASK_KILLED, group, 3));
    assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, group, 2));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    (void)engine_taken(f);
    for (int64_t t = 24; t < 60; t += 3) assert_int_equal(scene_hold(f, t), 0);
}

static void no_other_queue_takes_what_is_reserved(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    s.rounds.grace_ns = -1;
    scene_preempt(f, &s);
    scene_fill(f, &s, 2);
    (void)scene_hold(f, 3);
    uint64_t group = scene_said(f, SKED_DECISION_KILL)->group;
    assert_int_equal(scene_said(f, SKED_DECISION_KILL)->count, 2);
    assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, group, 1));
    assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, group, 1));
    int64_t free[2];
    assert_ok(sked_engine_node_free(f->engine, 1, free));
    assert_int_equal(free[0], 2);
    /* Job 1 has two open again, and is first in no order that counts. */
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    (void)engine_taken(f);
    assert_int_equal(scene_count(f, SKED_DECISION_ALLOCATE), 2);
    assert_int_equal(scene_said(f, SKED_DECISION_ALLOCATE)->ask, 2);
}

static void who_is_not_needed_any_more_is_let_off(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    scene_preempt(f, &s);
    scene_fill(f, &s, 4);
    (void)scene_hold(f, 3);
    assert_int_equal(scene_count(f, SKED_DECISION_NOTIFY), 4);
    assert_ok(engine_say(
        f, (sked_event){.kind = SKED_EVENT_ASK_CHANGE, .key = 2, .count = 1}, 0,
        0));
    (void)scene_hold(f, 6);
    assert_int_equal(scene_count(f, SKED_DECISION_WITHDRAW), 3);
    assert_int_equal(scene_said(f, SKED_DECISION_WITHDRAW)->reason,
                     SKED_REASON_NEED_GONE);
    assert_ok(engine_tell(f, SKED_EVENT_ASK_WITHDRAW, 2));
    (void)scene_hold(f, 9);
    assert_int_equal(scene_count(f, SKED_DECISION_WITHDRAW), 1);
    assert_int_equal(scene_hold(f, 30), 0);
}

static void room_that_is_not_used_in_time_is_given_up(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    s.preempt.keep_for_ns = 5 * (int64_t)SECOND;
    scene_preempt(f, &s);
    scene_fill(f, &s, 2);
    (void)scene_hold(f, 3);
    f->now = 40 * (int64_t)SECOND;
    assert_ok(engine_tell(f, SKED_EVENT_TICK, 0));
    (void)engine_taken(f);
    const sked_decision *gone = scene_said(f, SKED_DECISION_WITHDRAW);
    assert_int_equal(gone->group, 0);
    assert_int_equal(gone->time, 23 * (int64_t)SECOND);
}

static void nodes_that_go_end_their_reservations(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);
    const int32_t ways[] = {SKED_EVENT_NODE_DRAIN, SKED_EVENT_NODE_DOWN};

    scene_preempt(f, &s);
    scene_fill(f, &s, 2);
    (void)scene_hold(f, 3);
    for (size_t i = 0; i < 2; i++) {
        (void)scene_hold(f, 6 + (int64_t)i);
        assert_ok(engine_tell(f, ways[i], 1));
        assert_ok(sked_engine_check(f->engine, NULL));
        (void)engine_taken(f);
        (void)scene_hold(f, 8 + (int64_t)i);
    }
}

static void fixed_jobs_are_spared_and_kept_work_goes_first(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    scene_preempt(f, &s);
    engine_add_node(f, 1, 0, 10, 100);
    const uint32_t flags[] = {SKED_JOB_FIXED, 0, SKED_JOB_KEEPS};
    for (uint64_t j = 1; j <= 3; j++) {
        assert_ok(engine_say(f,
                             (sked_event){.kind = SKED_EVENT_JOB_SUBMIT,
                                          .key = j,
                                          .queue = s.a,
                                          .flags = flags[j - 1]},
                             0, 0));
        assert_ok(engine_add_ask(f, j, j, j == 1 ? 4 : 3, 1, 1));
    }
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    engine_add_job(f, 9, s.b, 2);
    assert_ok(engine_add_ask(f, 9, 9, 5, 1, 1));
    (void)engine_taken(f);
    (void)scene_hold(f, 100);
    for (size_t i = 0; i < 64; i++) {
        if (f->last[i].kind != SKED_DECISION_NOTIFY) continue;
        assert_true(f->last[i].job == 3 ? f->last[i].count == 3
                                        : f->last[i].job == 2);
    }
    assert_int_equal(scene_count(f, SKED_DECISION_NOTIFY), 5);
}

static void masters_go_last_and_saved_work_first(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    scene_preempt(f, &s);
    engine_add_node(f, 1, 0, 10, 100);
    engine_add_job(f, 1, s.a, 1);
    for (uint64_t i = 1; i <= 5; i++) {
        assert_ok(engine_say(f,
                             (sked_event){.kind = SKED_EVENT_ASK_ADD,
                                          .key = i,
                                          .owner = 1,
                                          .count = 2,
                                          .flags = i == 5 ? SKED_ASK_MASTER : 0,
                                          .amount = 1},
                             1, 1));
    }
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    (void)engine_taken(f);
    uint64_t saved = 0;
    for (size_t i = 0; i < 5; i++) {
        if (f->last[i + 1].ask == 3) saved = f->last[i + 1].group;
    }
    engine_add_job(f, 9, s.b, 2);
    assert_ok(engine_add_ask(f, 9, 9, 2, 1, 1));
    f->now = 99 * (int64_t)SECOND;
    f->host.requests = 0;
    f->host.fail_at = 1;
    assert_status(SKED_ERR_NOMEM, engine_tell(f, SKED_EVENT_TASK_SAVED, saved));
    f->host.fail_at = 0;
    assert_ok(engine_tell(f, SKED_EVENT_TICK, 0)); /* the time is no news */
    uint64_t before = sked_engine_state_digest(f->engine);
    assert_ok(engine_tell(f, SKED_EVENT_TASK_SAVED, saved));
    assert_true(before != sked_engine_state_digest(f->engine));
    assert_status(SKED_ERR_STALE, engine_tell(f, SKED_EVENT_TASK_SAVED, 12345));
    (void)engine_taken(f);
    (void)scene_hold(f, 100);
    assert_int_equal(scene_count(f, SKED_DECISION_NOTIFY), 2);
    assert_int_equal(scene_said(f, SKED_DECISION_NOTIFY)->ask, 3);
    assert_ok(engine_add_ask(f, 10, 9, 3, 1, 1));
    (void)scene_hold(f, 103);
    for (size_t i = 0; i < 64; i++) assert_true(f->last[i].ask != 5);
}

static void gangs_go_and_come_as_a_whole(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    s.rounds.grace_ns = -1;
    scene_preempt(f, &s);
    engine_add_node(f, 1, 0, 10, 100);
    engine_add_job(f, 1, s.a, 1);
    for (uint64_t i = 1; i <= 5; i++) {
        assert_ok(engine_say(f,
                             (sked_event){.kind = SKED_EVENT_ASK_ADD,
                                          .key = i,
                                          .owner = 1,
                                          .count = 2,
                                          .flags = SKED_ASK_GANG,
                                          .amount = 1},
                             1, 1));
    }
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    engine_add_job(f, 9, s.b, 2);
    assert_ok(engine_say(f,
                         (sked_event){.kind = SKED_EVENT_ASK_ADD,
                                      .key = 9,
                                      .owner = 9,
                                      .count = 4,
                                      .flags = SKED_ASK_GANG,
                                      .amount = 1},
                         1, 1));
    (void)engine_taken(f);
    (void)scene_hold(f, 3);
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 4);
    assert_int_equal(scene_said(f, SKED_DECISION_RESERVE)->count, 4);
    sked_decision kills[2];
    size_t n = 0;
    for (size_t i = 0; i < 64; i++) {
        if (f->last[i].kind != SKED_DECISION_KILL) continue;
        assert_int_equal(f->last[i].count, 2);
        kills[n++] = f->last[i];
    }
    for (size_t i = 0; i < 2; i++) {
        assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
        assert_int_equal(engine_taken(f), i); /* the other one's requeue */
        assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, kills[i].group, 2));
    }
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    (void)engine_taken(f);
    assert_int_equal(scene_said(f, SKED_DECISION_ALLOCATE)->count, 4);
}

static void rounds_that_observe_only_say(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    s.rounds.flags = SKED_ROUND_FLAG_OBSERVE;
    scene_preempt(f, &s);
    scene_fill(f, &s, 5);
    (void)scene_hold(f, 3);
    assert_int_equal(scene_said(f, SKED_DECISION_NOTIFY)->reason,
                     SKED_REASON_OBSERVED);
    assert_int_equal(scene_count(f, SKED_DECISION_RESERVE), 0);
    for (int64_t t = 6; t < 60; t += 3) {
        (void)scene_hold(f, t);
        assert_int_equal(scene_count(f, SKED_DECISION_KILL), 0);
    }
}

static void inside_a_queue_priority_and_users_count(void **state)
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
    engine_add_job(f, 1, s.a, 1);
    assert_ok(engine_add_ask(f, 1, 1, 10, 1, 1));
    for (int i = 0; i < 3; i++) {
        assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    }
    engine_add_job(f, 2, s.a, 2);
    assert_ok(engine_add_ask(f, 2, 2, 10, 1, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    (void)engine_taken(f);
    (void)scene_hold(f, 3);
    assert_int_equal(scene_count(f, SKED_DECISION_NOTIFY), 5);
    assert_int_equal(scene_said(f, SKED_DECISION_NOTIFY)->job, 1);

    /* A job of the same user that matters more. */
    assert_ok(engine_tell(f, SKED_EVENT_JOB_CANCEL, 2));
    assert_ok(engine_say(f,
                         (sked_event){.kind = SKED_EVENT_JOB_SUBMIT,
                                      .key = 3,
                                      .queue = s.a,
                                      .owner = 1,
                                      .priority = 5},
                         0, 0));
    assert_ok(engine_add_ask(f, 3, 3, 2, 1, 1));
    (void)engine_taken(f);
    (void)scene_hold(f, 6);
    (void)scene_hold(f, 9);
}

/* A round over many nodes, so that each of its columns asks for memory, without
 * the k-th piece. Was there one? */
static int round_fails_at(engine_fixture *f, const scene *s, uint32_t many,
                          int64_t wanted, size_t k)
{
    sked_engine_free(f->engine);
    f->engine = NULL;
    f->now = 0;
    engine_begin(f, NULL);
    assert_ok(sked_engine_preempt(f->engine, &s->preempt, &f->err));
    for (uint64_t n = 1; n <= many; n++) engine_add_node(f, n, 0, 1, 10);
    engine_add_job(f, 1, s->a, 1);
    engine_add_job(f, 2, s->b, 2);
    assert_ok(engine_add_ask(f, 1, 1, many, 1, 1));
    assert_ok(sked_engine_pass(f->engine, f->now, 0, NULL));
    assert_ok(engine_add_ask(f, 2, 2, wanted, 1, 1));
    f->now = 3 * (int64_t)SECOND;
    f->host.requests = 0;
    f->host.fail_at = k;
    sked_status rc = engine_tell(f, SKED_EVENT_ROUND, 0);
    int fired = f->host.requests >= k;
    f->host.fail_at = 0;
    assert_true(rc == SKED_OK || (fired && rc == SKED_ERR_NOMEM));
    assert_ok(engine_tell(f, SKED_EVENT_ROUND, 0));
    return fired;
}

static void every_column_of_a_round_may_lack_memory(void **state)
{
    engine_fixture *f = *state;
    const uint32_t many[] = {100, 700, 3000}, queues[] = {0, 300, 1500};
    scene s = scene_begin(f);
    char name[16];

    s.preempt.targets = &s.targets;
    s.preempt.rounds = &s.rounds;
    for (uint32_t i = 0, n = 0; i < 3; i++) {
        size_t k = 1;
        for (; n < queues[i]; n++) {
            (void)snprintf(name, sizeof name, "q%u", (unsigned)n);
            (void)engine_queue(f, f->root, name);
        }
        for (int j = 0; j < 3; j++, k = 1) {
            while (round_fails_at(f, &s, many[j], 5, k)) k++;
            assert_true(k > 10);
        }
    }
}

/* The same of a plan with many placements. */
static void every_column_of_a_plan_may_lack_memory(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    s.preempt.targets = &s.targets;
    s.preempt.rounds = &s.rounds;
    size_t k = 1;
    while (round_fails_at(f, &s, 1500, 700, k)) k++;
    assert_true(k > 10);
}

static void options_are_looked_at(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);
    sked_engine_preempt_options bad = s.preempt;

    assert_status(SKED_ERR_ARG, sked_engine_preempt(NULL, NULL, NULL));
    bad.struct_size = 3;
    assert_status(SKED_ERR_VERSION, sked_engine_preempt(f->engine, &bad, NULL));
    bad = s.preempt;
    bad.flags = 1u << 20;
    assert_status(SKED_ERR_ARG, sked_engine_preempt(f->engine, &bad, NULL));
    bad = s.preempt;
    bad.keep_for_ns = -1;
    assert_status(SKED_ERR_RANGE, sked_engine_preempt(f->engine, &bad, NULL));
    bad.keep_for_ns = INT64_MAX;
    assert_status(SKED_ERR_RANGE, sked_engine_preempt(f->engine, &bad, NULL));
    bad = s.preempt;
    bad.reserved = 1;
    assert_status(SKED_ERR_ARG, sked_engine_preempt(f->engine, &bad, NULL));
    bad = s.preempt;
    bad.flags = SKED_PREEMPT_FLAG_PLAIN;
    assert_status(SKED_ERR_ARG, sked_engine_preempt(f->engine, &bad, &f->err));
    assert_string_equal(f->err.message, "an engine takes the cheapest victims");
    s.targets.mode = 9;
    s.preempt.targets = &s.targets;
    assert_true(sked_engine_preempt(f->engine, &s.preempt, NULL) < 0);
    s.targets.mode = 0;
    assert_ok(engine_tell(f, SKED_EVENT_ROUND, 0)); /* off: nothing */
    scene_preempt(f, &s);
    scene_preempt(f, &s); /* once more */
    scene_fill(f, &s, 3);
    (void)scene_hold(f, 3);
    assert_status(SKED_ERR_STATE, sked_engine_preempt(f->engine, NULL, NULL));
    assert_ok(engine_tell(f, SKED_EVENT_ASK_WITHDRAW, 2));
    (void)scene_hold(f, 6);
    assert_ok(sked_engine_preempt(f->engine, NULL, NULL));
}

/* Every allocation of a round fails once: the round is as if it had not been,
 * and the next one does it. */
static void a_round_without_memory_changes_nothing(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    s.preempt.flags = SKED_PREEMPT_FLAG_BY_USER;
    engine_set(f, s.a, SKED_QUEUE_USER_LIMIT, 500000);
    engine_begin(f, NULL);
    scene_preempt(f, &s);
    scene_fill(f, &s, 5);
    f->now = 3 * (int64_t)SECOND;
    int failed = 0;
    for (size_t k = 1;; k++) {
        f->host.requests = 0;
        f->host.fail_at = k;
        sked_status rc = engine_tell(f, SKED_EVENT_ROUND, 0);
        int fired = f->host.requests >= k;
        f->host.fail_at = 0;
        assert_ok(sked_engine_check(f->engine, NULL));
        if (!fired) break;
        if (rc == SKED_OK) continue;
        assert_status(SKED_ERR_NOMEM, rc);
        assert_int_equal(engine_taken(f), 0);
        failed++;
    }
    assert_true(failed > 5);
    (void)engine_taken(f);
    assert_int_equal(scene_count(f, SKED_DECISION_NOTIFY), 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(victims_are_told_then_killed_then_the_claim_starts),
        engine_case(no_other_queue_takes_what_is_reserved),
        engine_case(who_is_not_needed_any_more_is_let_off),
        engine_case(room_that_is_not_used_in_time_is_given_up),
        engine_case(nodes_that_go_end_their_reservations),
        engine_case(fixed_jobs_are_spared_and_kept_work_goes_first),
        engine_case(masters_go_last_and_saved_work_first),
        engine_case(gangs_go_and_come_as_a_whole),
        engine_case(rounds_that_observe_only_say),
        engine_case(inside_a_queue_priority_and_users_count),
        engine_case(options_are_looked_at),
        engine_case(a_round_without_memory_changes_nothing),
        engine_case(every_column_of_a_round_may_lack_memory),
        engine_case(every_column_of_a_plan_may_lack_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
