/* What hosts say of groups for rounds of preemption: when they end by
 * themselves, and what is lost with a task of theirs. */
#include "engine_scene.h"

#include "engine/state.h"

typedef struct terms_scene {
    scene s;
    uint64_t old, young; /* groups of 5 tasks each, of queue a */
} terms_scene;

/* A node of 10, full of two groups of `a`; `more` tasks of `b` wait. */
static terms_scene two_groups(engine_fixture *f, int64_t more)
{
    terms_scene t = {.s = scene_begin(f)};

    scene_preempt(f, &t.s);
    engine_add_node(f, 1, 0, 10, 100);
    engine_add_job(f, 1, t.s.a, 1);
    engine_add_job(f, 2, t.s.b, 2);
    assert_ok(engine_add_ask(f, 1, 1, 5, 1, 1));
    (void)engine_taken(f);
    assert_int_equal(engine_beat(f, 1), 1);
    t.old = f->last[0].group;
    f->now = SECOND;
    assert_ok(engine_add_ask(f, 3, 1, 5, 1, 1));
    (void)engine_taken(f);
    assert_int_equal(engine_beat(f, 1), 1);
    t.young = f->last[0].group;
    assert_ok(engine_add_ask(f, 2, 2, more, 1, 1));
    assert_int_equal(engine_beat(f, 1), 0);
    return t;
}

/* The group ends at that second; -1: it is not known. */
static sked_status ends(engine_fixture *f, uint64_t group, int64_t second)
{
    sked_event event = {
        .time = f->now, .kind = SKED_EVENT_TASK_ENDS, .key = group};
    sked_time moment = second < 0 ? SKED_UNSET : second * SECOND;
    sked_events batch = {.struct_size = sizeof batch,
                         .events = &event,
                         .n = 1,
                         .moments = &moment};

    return sked_engine_apply(f->engine, &batch, NULL, &f->err);
}

static sked_status costs(engine_fixture *f, uint64_t group, int64_t cost)
{
    return engine_end(f, SKED_EVENT_TASK_COST, group, cost);
}

/* What is given back within the grace makes way without a kill, and what waits
 * starts there. */
static void what_ends_in_time_is_waited_for(void **state)
{
    engine_fixture *f = *state;
    terms_scene t = two_groups(f, 5);

    assert_ok(ends(f, t.old, 17));
    for (int64_t at = 2; at < 17; at++) {
        (void)scene_hold(f, at);
        assert_int_equal(scene_count(f, SKED_DECISION_NOTIFY), 0);
        assert_int_equal(scene_count(f, SKED_DECISION_KILL), 0);
        if (at == 2) {
            assert_int_equal(scene_count(f, SKED_DECISION_RESERVE), 5);
        }
    }
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, t.old, 5));
    assert_int_equal(engine_beat(f, 1), 1);
    assert_i64((int64_t)f->last[0].ask, 2);
    assert_i64(f->last[0].count, 5);
    assert_int_equal(f->last[0].reason, SKED_REASON_HELD);
}

/* Later than that is too late, and so is what is still there when its moment
 * has passed. */
static void what_ends_later_is_not(void **state)
{
    engine_fixture *f = *state;
    terms_scene t = two_groups(f, 5);

    assert_ok(ends(f, t.young, 18));
    (void)scene_hold(f, 2);
    assert_int_equal(scene_count(f, SKED_DECISION_NOTIFY), 5);
    assert_i64((int64_t)scene_said(f, SKED_DECISION_NOTIFY)->group,
               (int64_t)t.young);
    (void)scene_hold(f, 3); /* now it is in time: the notice is withdrawn */
    assert_int_equal(scene_count(f, SKED_DECISION_WITHDRAW), 5);
    assert_int_equal(scene_count(f, SKED_DECISION_NOTIFY), 0);
    (void)scene_hold(f, 18);
    assert_int_equal(scene_count(f, SKED_DECISION_NOTIFY), 0);
    (void)scene_hold(f, 19);
    assert_int_equal(scene_count(f, SKED_DECISION_NOTIFY), 5);
    assert_ok(ends(f, t.young, 30));
    (void)scene_hold(f, 20);
    assert_int_equal(scene_count(f, SKED_DECISION_WITHDRAW), 5);
    assert_ok(ends(f, t.young, -1));
    (void)scene_hold(f, 21);
    assert_int_equal(scene_count(f, SKED_DECISION_NOTIFY), 5);
}

/* Where what ends in time is not enough, only the rest is told to end. */
static void the_rest_is_told(void **state)
{
    engine_fixture *f = *state;
    terms_scene t = two_groups(f, 5);

    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, t.old, 3));
    assert_ok(engine_add_ask(f, 4, 1, 3, 1, 1));
    (void)engine_taken(f);
    assert_int_equal(engine_beat(f, 1), 1);
    assert_i64((int64_t)f->last[0].ask, 2); /* b is below its guarantee */
    assert_ok(ends(f, t.old, 10));
    assert_ok(engine_add_ask(f, 5, 2, 2, 1, 1));
    (void)scene_hold(f, 2);
    assert_int_equal(scene_count(f, SKED_DECISION_NOTIFY), 0);
}

/* The cheapest go first, whatever was lost by the engine's own count. */
static void the_host_says_what_a_victim_costs(void **state)
{
    engine_fixture *f = *state;
    terms_scene t = two_groups(f, 3);
    uint64_t before = sked_engine_state_digest(f->engine);

    assert_ok(costs(f, t.old, 0));
    assert_true(before != sked_engine_state_digest(f->engine));
    (void)scene_hold(f, 2);
    assert_int_equal(scene_count(f, SKED_DECISION_NOTIFY), 3);
    assert_i64((int64_t)scene_said(f, SKED_DECISION_NOTIFY)->group,
               (int64_t)t.old);
    assert_ok(costs(f, t.old, INT32_MAX));
    assert_ok(costs(f, t.young, 7));
    assert_ok(costs(f, t.young, -1));
    assert_ok(sked_engine_check(f->engine, &f->err));
    (void)scene_hold(f, 17); /* under notice they cost nothing more */
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 3);
    assert_i64((int64_t)scene_said(f, SKED_DECISION_KILL)->group,
               (int64_t)t.old);
}

/* A cost that is taken back puts the group where it was among its like. */
static void groups_stand_again_where_they_stood(void **state)
{
    engine_fixture *f = *state;
    terms_scene t = two_groups(f, 3);

    (void)scene_hold(f, 1);
    assert_ok(engine_end(f, SKED_EVENT_TASK_COST, t.old, 1));
    assert_ok(engine_end(f, SKED_EVENT_TASK_COST, t.old, -1));
    (void)engine_tell(f, SKED_EVENT_ASK_WITHDRAW, 2);
    assert_ok(engine_add_ask(f, 6, 2, 3, 1, 1));
    (void)scene_hold(f, 2);
    for (int64_t at = 3; at < 20; at++) {
        (void)scene_hold(f, at);
        if (scene_count(f, SKED_DECISION_KILL) == 0) continue;
        assert_i64((int64_t)scene_said(f, SKED_DECISION_KILL)->group,
                   (int64_t)t.young);
        return;
    }
    fail_msg("nothing was told to end");
}

static void what_cannot_be_said(void **state)
{
    engine_fixture *f = *state;
    terms_scene t = two_groups(f, 3);
    uint64_t before = sked_engine_state_digest(f->engine);
    sked_event flagged = {
        .kind = SKED_EVENT_TASK_COST, .key = t.old, .flags = SKED_TASK_ALL};

    assert_status(SKED_ERR_STALE, costs(f, 999, 1));
    assert_status(SKED_ERR_STALE, ends(f, 999, 1));
    assert_status(SKED_ERR_RANGE, costs(f, t.old, -2));
    assert_status(SKED_ERR_RANGE, costs(f, t.old, (int64_t)INT32_MAX + 1));
    assert_status(SKED_ERR_RANGE, ends(f, t.old, 0));
    assert_status(SKED_ERR_ARG, engine_say(f, flagged, 0, 0));
    f->host.fail_from = 1;
    assert_status(SKED_ERR_NOMEM, costs(f, t.old, 1));
    assert_status(SKED_ERR_NOMEM, ends(f, t.old, 5));
    f->host.fail_from = 0;
    assert_true(before == sked_engine_state_digest(f->engine));
    sked_engine_reserve_input in = {.struct_size = sizeof in, .saved = 2};
    assert_ok(sked_engine_reserve(f->engine, &in, &f->err));
    assert_ok(sked_engine_preempt(f->engine, NULL, &f->err));
    f->host.fail_from = 1;
    assert_ok(costs(f, t.old, 1));
    assert_ok(ends(f, t.young, 5));
    f->host.fail_from = 0;
    assert_true(before != sked_engine_state_digest(f->engine));
}

/* A notice and a kill order name the ask that they serve. */
static void it_is_said_for_which_ask(void **state)
{
    engine_fixture *f = *state;
    terms_scene t = two_groups(f, 3);

    assert_i64((int64_t)f->last[0].serves, 0);
    (void)scene_hold(f, 2);
    assert_i64((int64_t)scene_said(f, SKED_DECISION_NOTIFY)->serves, 2);
    assert_i64((int64_t)scene_said(f, SKED_DECISION_RESERVE)->serves, 0);
    (void)scene_hold(f, 17);
    assert_i64((int64_t)scene_said(f, SKED_DECISION_KILL)->serves, 2);
    assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, t.young, 3));
    (void)engine_taken(f);
    assert_int_equal(engine_beat(f, 1), 1);
}

/* How many tasks of `a` get notice for 70 asks of one task each, of which every
 * one holds `step` more memory than the one before. */
static uint64_t told_for_many(engine_fixture *f, int64_t step)
{
    scene s = scene_begin(f);

    scene_preempt(f, &s);
    engine_add_node(f, 1, 0, 200, 1000000);
    engine_add_job(f, 1, s.a, 1);
    engine_add_job(f, 2, s.b, 2);
    assert_ok(engine_add_ask(f, 1, 1, 200, 1, 1));
    (void)engine_taken(f);
    assert_int_equal(engine_beat(f, 1), 1);
    for (uint64_t i = 0; i < 70; i++) {
        assert_ok(engine_add_ask(f, 100 + i, 2, 1, 1, 1 + step * (int64_t)i));
    }
    f->now = 2 * (int64_t)SECOND;
    assert_ok(engine_tell(f, SKED_EVENT_ROUND, 0));
    (void)scene_hold(f, 3);
    sked_engine_notice notices[8];
    uint64_t told = 0;
    size_t n;
    assert_ok(sked_engine_contract(f->engine, 1, SKED_ROUND_CONTRACT_NEGOTIABLE,
                                   NULL, notices, 8, &n));
    for (size_t i = 0; i < n; i++) told += (uint64_t)notices[i].count;
    return told;
}

static void alike_asks_are_one_claim(void **state)
{
    assert_int_equal(told_for_many(*state, 0), 70);
}

static void others_are_64_claims(void **state)
{
    assert_int_equal(told_for_many(*state, 1), 64);
}

/* Job 1 of `a`, with these flags, whose five tasks all get a kill order for
 * `b`; job 3 of `a`, which matters more, waits since one may run. The group. */
static uint64_t all_killed(engine_fixture *f, uint32_t flags)
{
    scene s = scene_begin(f);
    sked_event job = {.kind = SKED_EVENT_JOB_SUBMIT,
                      .key = 1,
                      .queue = s.a,
                      .owner = 1,
                      .flags = flags};

    engine_set(f, s.a, SKED_QUEUE_GUARANTEE_PPM, 0);
    engine_set(f, s.b, SKED_QUEUE_GUARANTEE_PPM, 1000000);
    engine_set(f, s.a, SKED_QUEUE_MAX_RUNNING, 1);
    engine_begin(f, NULL);
    scene_preempt(f, &s);
    engine_add_node(f, 1, 0, 5, 100);
    assert_ok(engine_say(f, job, 0, 0));
    job.key = 3;
    job.priority = 1;
    job.flags = 0;
    assert_ok(engine_say(f, job, 0, 0));
    engine_add_job(f, 2, s.b, 2);
    assert_ok(engine_add_ask(f, 1, 1, 6, 1, 1));
    assert_ok(engine_add_ask(f, 3, 3, 1, 1, 1));
    (void)engine_taken(f);
    assert_int_equal(engine_beat(f, 1), 1);
    uint64_t group = f->last[0].group;
    assert_ok(engine_add_ask(f, 2, 2, 5, 1, 1));
    (void)scene_hold(f, 2);
    (void)scene_hold(f, 17);
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 5);
    return group;
}

static sked_status end_killed(engine_fixture *f, uint64_t group, int64_t count)
{
    sked_status rc = engine_end(f, SKED_EVENT_TASK_KILLED, group, count);

    assert_ok(sked_engine_check(f->engine, &f->err));
    (void)engine_taken(f);
    return rc;
}

/* When its last task was killed it stands behind what matters more. */
static void a_killed_job_is_admitted_anew(void **state)
{
    engine_fixture *f = *state;
    uint64_t group = all_killed(f, SKED_JOB_READMIT);

    assert_ok(end_killed(f, group, 3));
    assert_i64((int64_t)engine_stats_of(f).jobs_waiting, 1);
    f->host.fail_from = 1;
    sked_status rc = engine_end(f, SKED_EVENT_TASK_KILLED, group, 2);
    f->host.fail_from = 0;
    if (rc == SKED_ERR_NOMEM) {
        assert_ok(end_killed(f, group, 2));
    } else {
        assert_ok(rc);
        (void)engine_taken(f);
    }
    assert_i64((int64_t)engine_stats_of(f).jobs_waiting, 1);
    assert_ok(engine_tell(f, SKED_EVENT_JOB_CANCEL, 3));
    assert_int_equal(engine_taken(f), 1);
    assert_int_equal(f->last[0].kind, SKED_DECISION_ADMIT);
    assert_i64((int64_t)f->last[0].job, 1);
    assert_i64((int64_t)engine_stats_of(f).open_tasks, 6 + 5);
    assert_ok(sked_engine_check(f->engine, &f->err));
}

/* All groups of an ask by one event, too. Without the flag it goes on. */
static void one_event_of_all_its_groups(void **state)
{
    engine_fixture *f = *state;
    sked_event all = {
        .kind = SKED_EVENT_TASK_KILLED, .key = 1, .flags = SKED_TASK_ALL};

    (void)all_killed(f, SKED_JOB_READMIT);
    assert_ok(engine_say(f, all, 0, 0));
    assert_int_equal(engine_taken(f), 2);
    assert_int_equal(scene_said(f, SKED_DECISION_ADMIT)->reason,
                     SKED_REASON_ORDER);
    assert_i64((int64_t)scene_said(f, SKED_DECISION_ADMIT)->job, 3);
}

/* The last that was killed is of an ask that was withdrawn meanwhile, and of
 * the job another one is open; the job stands behind what matters more. */
static void of_a_withdrawn_ask_too(void **state)
{
    engine_fixture *f = *state;
    uint64_t group = all_killed(f, SKED_JOB_READMIT);

    assert_ok(engine_add_ask(f, 9, 1, 1, 1, 1));
    assert_ok(engine_tell(f, SKED_EVENT_ASK_WITHDRAW, 1));
    assert_ok(end_killed(f, group, 3));
    assert_int_equal(f->last[0].kind, 0);
    assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, group, 2));
    assert_int_equal(engine_taken(f), 1);
    assert_int_equal(f->last[0].kind, SKED_DECISION_ADMIT);
    assert_i64((int64_t)f->last[0].job, 3);
    assert_i64((int64_t)engine_stats_of(f).jobs_waiting, 1);
    assert_ok(engine_tell(f, SKED_EVENT_JOB_CANCEL, 3));
    assert_int_equal(engine_taken(f), 1);
    assert_int_equal(f->last[0].kind, SKED_DECISION_ADMIT);
    assert_i64((int64_t)f->last[0].job, 1);
    assert_ok(sked_engine_check(f->engine, &f->err));
}

/* As many jobs wait as there is memory for: one more needs some. */
static void it_waits_once_there_is_memory(void **state)
{
    engine_fixture *f = *state;
    uint64_t group = all_killed(f, SKED_JOB_READMIT);
    uint32_t row = job_at(f->engine, 0)->row;
    const engine_rows *rows = &f->engine->rows;

    for (uint64_t job = 100; rows->waiters[row] < rows->waiter_cap[row]; job++)
        engine_add_job(f, job, job_at(f->engine, 0)->queue, 1);
    while (engine_taken(f) > 0) {
    }
    uint64_t before = sked_engine_state_digest(f->engine);
    f->host.requests = 0;
    f->host.fail_from = 1;
    assert_status(SKED_ERR_NOMEM,
                  engine_end(f, SKED_EVENT_TASK_KILLED, group, 5));
    f->host.fail_from = 0;
    assert_true(sked_engine_state_digest(f->engine) == before);
    uint32_t waiting = rows->waiters[row];
    assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, group, 5));
    assert_int_equal(rows->waiters[row], waiting); /* one of them runs */
    assert_ok(sked_engine_check(f->engine, &f->err));
}

static void without_a_flag_it_goes_on(void **state)
{
    engine_fixture *f = *state;
    uint64_t group = all_killed(f, 0);

    assert_ok(end_killed(f, group, 5));
    assert_i64((int64_t)f->last[0].job, 1);
    assert_int_equal(f->last[0].kind, SKED_DECISION_REQUEUE);
    assert_int_equal(f->last[1].kind, 0);
}

/* What is killed once is over, what is lost is not. */
static void what_runs_once_is_over(void **state)
{
    engine_fixture *f = *state;
    uint64_t group = all_killed(f, SKED_JOB_ONCE | SKED_JOB_READMIT);

    assert_ok(end_killed(f, group, 3));
    assert_int_equal(f->last[0].kind, 0);
    assert_ok(engine_end(f, SKED_EVENT_TASK_LOST, group, 1));
    assert_i64((int64_t)engine_stats_of(f).open_tasks, 1 + 1 + 1 + 5 - 0);
    assert_ok(end_killed(f, group, 1));
    assert_i64((int64_t)engine_stats_of(f).jobs_waiting, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(what_ends_in_time_is_waited_for),
        engine_case(what_ends_later_is_not),
        engine_case(the_rest_is_told),
        engine_case(the_host_says_what_a_victim_costs),
        engine_case(groups_stand_again_where_they_stood),
        engine_case(what_cannot_be_said),
        engine_case(it_is_said_for_which_ask),
        engine_case(alike_asks_are_one_claim),
        engine_case(others_are_64_claims),
        engine_case(a_killed_job_is_admitted_anew),
        engine_case(one_event_of_all_its_groups),
        engine_case(of_a_withdrawn_ask_too),
        engine_case(it_waits_once_there_is_memory),
        engine_case(without_a_flag_it_goes_on),
        engine_case(what_runs_once_is_over),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
