/* What a round tells tasks: each once, by name, until they end or are let off. */
#include "engine_scene.h"

static void says(const engine_fixture *f, int32_t kind, int64_t task,
                 int64_t count)
{
    const sked_decision *d = scene_said(f, kind);

    assert_int_equal(d->task, task);
    assert_int_equal(d->count, count);
}

/* Two notices of one group, the second in part let off, the first killed: no
 * task has two words at once, and each is called by one number throughout. */
static void notices_of_one_group_name_tasks_apart(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    scene_preempt(f, &s);
    scene_fill(f, &s, 2);
    (void)scene_hold(f, 3);
    says(f, SKED_DECISION_NOTIFY, 8, 2);
    assert_ok(engine_add_ask(f, 3, 2, 3, 1, 1));
    (void)scene_hold(f, 6);
    says(f, SKED_DECISION_NOTIFY, 5, 3);
    assert_ok(engine_tell(f, SKED_EVENT_ASK_WITHDRAW, 3));
    assert_ok(engine_add_ask(f, 4, 2, 1, 1, 1));
    (void)scene_hold(f, 9);
    says(f, SKED_DECISION_WITHDRAW, 5, 2);
    (void)scene_hold(f, 18);
    says(f, SKED_DECISION_KILL, 8, 2);
    assert_ok(engine_tell(f, SKED_EVENT_ASK_WITHDRAW, 4));
    (void)scene_hold(f, 19);
    says(f, SKED_DECISION_WITHDRAW, 7, 1);
}

/* Marks of two ages are let off at once: two decisions, other tasks. */
static void what_is_let_off_at_once_is_named_apart(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    scene_preempt(f, &s);
    scene_fill(f, &s, 2);
    (void)scene_hold(f, 3);
    assert_ok(engine_add_ask(f, 3, 2, 3, 1, 1));
    (void)scene_hold(f, 6);
    assert_ok(engine_tell(f, SKED_EVENT_JOB_CANCEL, 2));
    (void)engine_taken(f);
    (void)scene_hold(f, 9);
    assert_int_equal(scene_count(f, SKED_DECISION_WITHDRAW), 5);
    assert_int_equal(f->last[0].task, 8);
    assert_int_equal(f->last[0].count, 2);
    assert_int_equal(f->last[1].task, 5);
    assert_int_equal(f->last[1].count, 3);
}

/* Tasks told to end that end by themselves are not waited for any longer, nor
 * is room counted that nobody will leave. */
static void who_ends_before_being_killed_is_killed_no_more(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    s.rounds.grace_ns = -1;
    scene_preempt(f, &s);
    scene_fill(f, &s, 3);
    (void)scene_hold(f, 3);
    uint64_t group = scene_said(f, SKED_DECISION_KILL)->group;
    says(f, SKED_DECISION_KILL, 7, 3);
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, group, 2));
    assert_status(SKED_ERR_RANGE,
                  engine_end(f, SKED_EVENT_TASK_KILLED, group, 2));
    assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, group, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    (void)engine_taken(f);
    assert_int_equal(scene_count(f, SKED_DECISION_ALLOCATE), 3);
    assert_ok(engine_add_ask(f, 3, 2, 2, 1, 1));
    (void)scene_hold(f, 6);
    says(f, SKED_DECISION_KILL, 5, 2);
}

/* Tasks under notice that end are the first told: who was not told is not
 * killed in their place. */
static void who_ends_under_notice_takes_it_along(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    scene_preempt(f, &s);
    scene_fill(f, &s, 2);
    (void)scene_hold(f, 3);
    uint64_t group = scene_said(f, SKED_DECISION_NOTIFY)->group;
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, group, 2));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    assert_ok(engine_add_ask(f, 3, 2, 2, 1, 1));
    (void)engine_taken(f);
    (void)scene_hold(f, 18);
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 0);
    says(f, SKED_DECISION_NOTIFY, 6, 2);
}

/* A room that ends before a proposal does says so first. */
static void deadlines_come_in_the_order_of_time(void **state)
{
    engine_fixture *f = *state;
    const sked_engine_options opts = {
        .struct_size = sizeof opts, .confirm_within_ns = 30 * (int64_t)SECOND};

    engine_begin(f, &opts);
    scene s = scene_begin(f);
    s.preempt.keep_for_ns = 1;
    s.rounds.grace_ns = 1;
    scene_preempt(f, &s);
    scene_fill(f, &s, 2);
    (void)scene_hold(f, 3);
    assert_int_equal(scene_count(f, SKED_DECISION_RESERVE), 2);
    f->now = 90 * (int64_t)SECOND;
    assert_ok(engine_tell(f, SKED_EVENT_TICK, 0));
    assert_true(engine_taken(f) >= 2);
    assert_int_equal(f->last[0].kind, SKED_DECISION_WITHDRAW);
    assert_int_equal(f->last[0].time, 3 * (int64_t)SECOND + 2);
    assert_int_equal(f->last[1].kind, SKED_DECISION_EXPIRE);
    assert_int_equal(f->last[1].time, 30 * (int64_t)SECOND);
}

/* More is told in a round than the engine takes in one go; each once. */
static void each_of_many_is_told_once(void **state)
{
    enum { MANY = 70 };
    engine_fixture *f = *state;
    scene s = scene_begin(f);
    uint8_t told[2 * MANY + 1] = {0};
    size_t n, all = 0;

    scene_preempt(f, &s);
    engine_add_job(f, 1, s.a, 1);
    engine_add_job(f, 2, s.b, 2);
    for (uint64_t i = 1; i <= 2 * MANY; i++) {
        engine_add_node(f, i, 0, 1, 10);
        assert_ok(engine_add_ask(f, i, 1, 1, 1, 1));
    }
    assert_ok(sked_engine_pass(f->engine, f->now, 0, NULL));
    assert_ok(engine_add_ask(f, 1000, 2, MANY, 1, 1));
    do {
        n = engine_taken(f);
    } while (n == 64);
    f->now = 3 * (int64_t)SECOND;
    assert_ok(engine_tell(f, SKED_EVENT_ROUND, 0));
    do {
        n = engine_taken(f);
        for (size_t i = 0; i < n; i++) {
            if (f->last[i].kind != SKED_DECISION_NOTIFY) continue;
            assert_int_equal(told[f->last[i].ask]++, 0);
            all++;
        }
    } while (n == 64);
    assert_int_equal(all, MANY);
}

/* What asks want adds up to more than an amount can be: rounds are held, and
 * serve what is below its guarantee. */
static void wants_may_be_more_than_amounts(void **state)
{
    const int64_t most = (int64_t)1 << 30;
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    scene_preempt(f, &s);
    scene_fill(f, &s, 1);
    engine_add_node(f, 2, 0, 0, most); /* which holds one of theirs */
    for (uint64_t job = 3; job <= 12; job++) {
        engine_add_job(f, job, job % 2 ? s.a : s.b, 1);
        assert_ok(engine_add_ask(f, job, job, INT32_MAX, 0, most));
    }
    (void)engine_taken(f);
    (void)scene_hold(f, 2);
    (void)scene_hold(f, 20);
    assert_int_equal(scene_count(f, SKED_DECISION_KILL), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(notices_of_one_group_name_tasks_apart),
        engine_case(what_is_let_off_at_once_is_named_apart),
        engine_case(who_ends_before_being_killed_is_killed_no_more),
        engine_case(who_ends_under_notice_takes_it_along),
        engine_case(deadlines_come_in_the_order_of_time),
        engine_case(each_of_many_is_told_once),
        engine_case(wants_may_be_more_than_amounts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
