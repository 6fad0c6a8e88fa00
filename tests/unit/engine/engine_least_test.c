/* What a job promised to keep running, kept by rounds of preemption; by
 * updates and by maintenance beside them. [PEL-3] */
#include "engine_scene.h"

#include <sched/life_update.h>

static sked_status say_least(engine_fixture *f, uint64_t job, int64_t count)
{
    return engine_say(
        f,
        (sked_event){.kind = SKED_EVENT_JOB_LEAST, .key = job, .count = count},
        0, 0);
}

/* A number below `n`, or 0. */
static uint64_t test_below(uint64_t *state, uint64_t n)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return n ? (*state >> 33) % n : 0;
}

static uint64_t tasks_said(const engine_fixture *f, int32_t kind)
{
    return scene_count(f, kind);
}

static void so_many_are_left(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    scene_preempt(f, &s);
    scene_fill(f, &s, 8);
    assert_ok(say_least(f, 1, 7)); /* ten run, five would go */
    (void)scene_hold(f, 3);
    assert_int_equal(tasks_said(f, SKED_DECISION_NOTIFY), 3);
    uint64_t group = scene_said(f, SKED_DECISION_NOTIFY)->group;
    (void)scene_hold(f, 18);
    assert_int_equal(tasks_said(f, SKED_DECISION_KILL), 3);
    assert_int_equal(scene_hold(f, 21), 0); /* seven that were not told */
    assert_ok(engine_end(f, SKED_EVENT_TASK_KILLED, group, 3));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    (void)engine_taken(f);
    assert_int_equal(scene_hold(f, 24), 0);
    assert_ok(say_least(f, 1, 6)); /* the next round has one more */
    (void)scene_hold(f, 27);
    assert_int_equal(tasks_said(f, SKED_DECISION_NOTIFY), 1);
    assert_ok(say_least(f, 1, 0));
    (void)scene_hold(f, 30);
    assert_int_equal(tasks_said(f, SKED_DECISION_NOTIFY), 1);
}

static void who_may_not_go_any_more_is_let_off(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    scene_preempt(f, &s);
    scene_fill(f, &s, 8);
    (void)scene_hold(f, 3);
    assert_int_equal(tasks_said(f, SKED_DECISION_NOTIFY), 5);
    uint64_t group = scene_said(f, SKED_DECISION_NOTIFY)->group;
    assert_ok(say_least(f, 1, 8));
    (void)scene_hold(f, 6);
    assert_int_equal(tasks_said(f, SKED_DECISION_WITHDRAW), 3);
    /* One ends by itself: one less may go. */
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, group, 1));
    (void)scene_hold(f, 18);
    assert_int_equal(tasks_said(f, SKED_DECISION_KILL), 1);
    assert_ok(say_least(f, 1, 100)); /* more than there are */
    assert_int_equal(scene_hold(f, 40), 0);
}

static void what_is_said_wrong_changes_nothing(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    scene_fill(f, &s, 0);
    uint64_t before = sked_engine_state_digest(f->engine);
    assert_status(SKED_ERR_NOT_FOUND, say_least(f, 3, 1));
    assert_status(SKED_ERR_RANGE, say_least(f, 1, -1));
    assert_true(f->err.got == -1);
    assert_true(sked_engine_state_digest(f->engine) == before);
    assert_ok(say_least(f, 1, 1));
    assert_true(sked_engine_state_digest(f->engine) != before);
    assert_ok(say_least(f, 1, 0));
    assert_true(sked_engine_state_digest(f->engine) == before);
    assert_ok(engine_tell(f, SKED_EVENT_JOB_CANCEL, 1));
    assert_status(SKED_ERR_NOT_FOUND, say_least(f, 1, 1)); /* it ends */
}

/* Ten tasks of job 1 in gangs of so many; job 2 wants five at once. */
static void fill_with_gangs(engine_fixture *f, const scene *s, int64_t gang)
{
    engine_add_node(f, 1, 0, 10, 100);
    engine_add_job(f, 1, s->a, 1);
    engine_add_job(f, 2, s->b, 2);
    for (uint64_t k = 0; k * (uint64_t)gang < 10; k++) {
        assert_ok(engine_say(f,
                             (sked_event){.kind = SKED_EVENT_ASK_ADD,
                                          .key = 10 + k,
                                          .owner = 1,
                                          .count = gang,
                                          .amount = 1,
                                          .flags = SKED_ASK_GANG},
                             1, 1));
    }
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    f->now = SECOND;
    assert_ok(engine_add_ask(f, 2, 2, 5, 1, 1));
    (void)engine_taken(f);
}

static void gangs_go_whole_or_stay(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    s.rounds.grace_ns = -1;
    scene_preempt(f, &s);
    fill_with_gangs(f, &s, 2);
    assert_ok(say_least(f, 1, 7)); /* three may go: one gang of two */
    (void)scene_hold(f, 3);
    assert_int_equal(tasks_said(f, SKED_DECISION_KILL), 2);
    assert_int_equal(scene_hold(f, 6), 0);
    assert_ok(say_least(f, 1, 6));
    (void)scene_hold(f, 9);
    assert_int_equal(tasks_said(f, SKED_DECISION_KILL), 2);
}

static void proposed_tasks_count_for_the_least(void **state)
{
    engine_fixture *f = *state;
    scene s = {0};
    sked_engine_options o = {.struct_size = sizeof o,
                             .confirm_within_ns = 1000 * (int64_t)SECOND};

    s = scene_begin(f);
    sked_engine_free(f->engine);
    assert_ok(sked_engine_new(f->tree, &o, NULL, &f->engine, &f->err));
    s.rounds.grace_ns = -1;
    scene_preempt(f, &s);
    scene_fill(f, &s, 8);
    assert_ok(say_least(f, 1, 9));
    (void)scene_hold(f, 3); /* ten are proposed: one may go */
    assert_int_equal(tasks_said(f, SKED_DECISION_KILL), 1);
}

/* ---- Against a count by hand ---- */

enum { JOBS = 3, WIDE = 24 };

/* One node full of three jobs in `a`; what `b` wants of its half. */
static void one_count(uint64_t *state)
{
    void *made;
    assert_int_equal(engine_setup(&made), 0);
    engine_fixture *f = made;
    scene s = scene_begin(f);
    int64_t run[JOBS + 1], may = 0, told = 0, left = WIDE;

    s.rounds.grace_ns = test_below(state, 2) ? -1 : 15 * (int64_t)SECOND;
    scene_preempt(f, &s);
    engine_add_node(f, 1, 0, WIDE, 100);
    for (uint64_t j = 1; j <= JOBS; j++) {
        run[j] = j == JOBS ? left : (int64_t)test_below(state, (uint64_t)left);
        left -= run[j];
        engine_add_job(f, j, s.a, j);
        for (int64_t k = 0, n; k < run[j]; k += n) { /* in several groups */
            n = 1 + (int64_t)test_below(state, (uint64_t)(run[j] - k));
            assert_ok(engine_add_ask(f, 100 * j + (uint64_t)k, j, n, 1, 1));
        }
        int64_t least = (int64_t)test_below(state, (uint64_t)run[j] + 3);
        assert_ok(say_least(f, j, least));
        may += run[j] > least ? run[j] - least : 0;
    }
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    f->now = SECOND;
    int64_t want = 1 + (int64_t)test_below(state, WIDE);
    engine_add_job(f, 9, s.b, 9);
    assert_ok(engine_add_ask(f, 9, 9, want, 1, 1));
    (void)engine_taken(f);
    for (int64_t t = 3; t < 12; t += 3) {
        (void)scene_hold(f, t);
        told += (int64_t)(tasks_said(f, SKED_DECISION_NOTIFY) +
                          tasks_said(f, SKED_DECISION_KILL));
    }
    if (may > want) may = want;
    if (may > WIDE / 2) may = WIDE / 2;
    assert_true(told == may);
    engine_teardown(&made);
}

static void as_many_go_as_may(void **state)
{
    uint64_t seed = 41;
    (void)state;

    for (int i = 0; i < 300; i++) one_count(&seed);
}

/* ---- All who stop ---- */

enum { INSTANCES = 10, LEAST = 7 };

/* A service of ten, of which an update stops some, maintenance others, and
 * preemption the rest that the promise leaves: never one too many. */
static void all_that_stop_together(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);
    sked_life_sla sla = {.struct_size = sizeof sla,
                         .type = SKED_LIFE_TYPE_STATELESS,
                         .preemptible = 1,
                         .least_running = LEAST};
    sked_life_stats counts = {.available = INSTANCES};
    uint64_t may;

    scene_preempt(f, &s);
    scene_fill(f, &s, 8);
    /* An update stops one. */
    assert_ok(sked_life_stop(&sla, SKED_LIFE_STOPPER_UPDATE, 1, &counts, NULL));
    assert_ok(sked_life_may_stop(&sla, &counts, SKED_LIFE_STOPPER_PREEMPTION,
                                 &may, NULL));
    assert_int_equal(may, 2);
    assert_ok(say_least(f, 1, INSTANCES - (int64_t)may));
    (void)scene_hold(f, 3);
    assert_int_equal(tasks_said(f, SKED_DECISION_NOTIFY), 2);
    uint64_t group = scene_said(f, SKED_DECISION_NOTIFY)->group;
    assert_ok(
        sked_life_stop(&sla, SKED_LIFE_STOPPER_PREEMPTION, 2, &counts, NULL));
    /* Nothing is left for maintenance. */
    assert_status(
        SKED_ERR_STATE,
        sked_life_stop(&sla, SKED_LIFE_STOPPER_MAINTENANCE, 1, &counts, NULL));
    /* The update's has ended and is up again elsewhere. */
    assert_ok(engine_end(f, SKED_EVENT_TASK_FINISH, group, 1));
    (void)scene_hold(f, 18);
    assert_int_equal(tasks_said(f, SKED_DECISION_KILL), 1);
    assert_true(counts.available >= LEAST);
}

/* A gang over four nodes, one task on each, of which three are confirmed: all but
 * the first, or all but the last. */
static void run_three_of_four(engine_fixture *f, int first)
{
    for (uint64_t n = 1; n <= 4; n++) engine_add_node(f, n, 0, 2, 100);
    assert_ok(engine_say(f,
                         (sked_event){.kind = SKED_EVENT_ASK_ADD,
                                      .key = 1,
                                      .owner = 1,
                                      .count = 4,
                                      .flags = SKED_ASK_GANG | SKED_ASK_SPREAD,
                                      .amount = 1},
                         2, 1));
    (void)engine_taken(f);
    for (uint64_t n = 1; n <= 4; n++) {
        assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, n));
    }
    assert_int_equal(engine_taken(f), 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(f->last[i].kind, SKED_DECISION_ALLOCATE);
        if (i == (first ? 0 : 3)) continue;
        assert_ok(engine_tell(f, SKED_EVENT_TASK_CONFIRM, f->last[i].group));
    }
}

/* The task that is not confirmed does not run, and three are to. */
static void gang_keeps_three(engine_fixture *f, int first)
{
    const sked_engine_options opts = {.struct_size = sizeof opts,
                                      .confirm_within_ns = 1000 *
                                                           (int64_t)SECOND};
    const sked_target_options targets = {.struct_size = sizeof targets,
                                         .ignored_ppm = -1,
                                         .factor_ppm = SKED_PPM,
                                         .per_round_ppm = -1};
    const sked_engine_preempt_options preempt = {
        .struct_size = sizeof preempt, .targets = &targets, .gangs = 4};
    sked_queue_id a = engine_queue(f, f->root, "a");
    sked_queue_id b = engine_queue(f, f->root, "b");

    engine_set(f, a, SKED_QUEUE_GUARANTEE_PPM, SKED_PPM / 2);
    engine_set(f, b, SKED_QUEUE_GUARANTEE_PPM, SKED_PPM / 2);
    engine_begin(f, &opts);
    assert_ok(sked_engine_preempt(f->engine, &preempt, &f->err));
    scene_work(f, 1, a, 0, 0, 0);
    run_three_of_four(f, first);
    assert_ok(say_least(f, 1, 3));
    f->now = SECOND;
    scene_work(f, 2, b, 0, 0, 0);
    assert_ok(engine_add_ask(f, 2, 2, 2, 2, 1));
    (void)engine_taken(f);
    (void)scene_hold(f, 3);
    assert_i64(scene_told(f, 1), 0);
    assert_ok(say_least(f, 1, 0));
    (void)scene_hold(f, 6);
    assert_i64(scene_told(f, 1), 4);
}

static void of_a_gang_what_runs_counts(void **state)
{
    gang_keeps_three(*state, 0);
}

static void whichever_does_not_run(void **state)
{
    gang_keeps_three(*state, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(so_many_are_left),
        engine_case(who_may_not_go_any_more_is_let_off),
        engine_case(what_is_said_wrong_changes_nothing),
        engine_case(gangs_go_whole_or_stay),
        engine_case(proposed_tasks_count_for_the_least),
        engine_case(of_a_gang_what_runs_counts),
        engine_case(whichever_does_not_run),
        cmocka_unit_test(as_many_go_as_may),
        engine_case(all_that_stop_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
