/* Updates step by step: what is ordered of which instance, in which order, and
 * what ends an update. */
#include "life_update_scene.h"

static void assert_order(const scene *s, size_t k, uint32_t kind, uint32_t row,
                         uint64_t version)
{
    assert_true(k < s->orders);
    assert_int_equal(s->order[k].kind, kind);
    assert_int_equal(s->order[k].row, row);
    assert_int_equal(s->order[k].version, version);
}

/* ---- The course of it ---- */

static void batches_roll_to_the_end(void **state)
{
    scene s;
    (void)state;

    begin_scene(&s, 5)->o.batch = 2;
    open_scene(&s);
    assert_state(&s, SKED_LIFE_UPDATE_STATE_INITIALIZED, SKED_LIFE_WHY_NONE);
    for (uint32_t row = 0; row < 5; row += 2) {
        step(&s);
        assert_int_equal(s.orders, row == 4 ? 1 : 2);
        assert_order(&s, 0, SKED_LIFE_ORDER_CHANGE, row, 2);
        step(&s); /* nothing happened: nothing more is told */
        assert_int_equal(s.orders, 0);
        sked_life_update_stats r = read_scene(&s);
        assert_int_equal(r.progress, row == 4 ? 1 : 2);
        assert_int_equal(r.done, row);
        s.orders = row == 4 ? 1 : 2;
        settle(&s, 0);
    }
    step(&s);
    assert_state(&s, SKED_LIFE_UPDATE_STATE_SUCCEEDED, SKED_LIFE_WHY_NONE);
    assert_int_equal(read_scene(&s).at.before,
                     SKED_LIFE_UPDATE_STATE_ROLLING_FORWARD);
    step(&s);
    assert_int_equal(s.orders, 0);
    close_scene(&s);
}

static void what_is_unavailable_goes_first(void **state)
{
    scene s;
    (void)state;

    begin_scene(&s, 6)->o.batch = 6;
    s.from[5] = 0; /* added */
    s.to[4] = 0;   /* removed */
    s.is[5] = (sked_life_instance){.goal = SKED_LIFE_TASK_RUNNING};
    s.is[3].health = SKED_LIFE_HEALTH_UNHEALTHY;
    s.is[2].goal = SKED_LIFE_TASK_KILLED;
    s.is[1].goal = SKED_LIFE_TASK_DELETED;
    s.cap = 6;
    open_scene(&s);
    step(&s);
    assert_order(&s, 0, SKED_LIFE_ORDER_ADD, 5, 2);
    assert_order(&s, 1, SKED_LIFE_ORDER_CHANGE, 3, 2);
    assert_order(&s, 2, SKED_LIFE_ORDER_CHANGE, 2, 2);
    assert_order(&s, 3, SKED_LIFE_ORDER_CHANGE, 1, 2);
    assert_order(&s, 4, SKED_LIFE_ORDER_CHANGE, 0, 2);
    assert_order(&s, 5, SKED_LIFE_ORDER_REMOVE, 4, 0);
    close_scene(&s);
}

/* [PEL-6] */
static void too_many_failures_turn_it_back(void **state)
{
    scene s;
    uint8_t phase[MOST];
    size_t n;
    (void)state;

    begin_scene(&s, 6)->o.batch = 3;
    s.o.max_failures = 2;
    s.o.flags = SKED_LIFE_UPDATE_FLAG_ROLLBACK;
    open_scene(&s);
    step(&s);
    settle(&s, 1);
    s.is[0].state = SKED_LIFE_TASK_RUNNING; /* one of three came up */
    s.is[0].failures = 0;
    step(&s);
    assert_state(&s, SKED_LIFE_UPDATE_STATE_ROLLING_BACKWARD,
                 SKED_LIFE_WHY_FAILURES);
    assert_int_equal(s.orders, 3);
    assert_order(&s, 0, SKED_LIFE_ORDER_CHANGE, 1, 1); /* what is down, first */
    assert_order(&s, 2, SKED_LIFE_ORDER_CHANGE, 0, 1);
    assert_int_equal(read_scene(&s).total, 3);
    assert_ok(sked_life_update_phases(s.u, phase, MOST, &n, NULL));
    assert_int_equal(phase[5], SKED_LIFE_PHASE_UNTOUCHED);
    settle(&s, 0);
    step(&s);
    assert_state(&s, SKED_LIFE_UPDATE_STATE_ROLLED_BACK,
                 SKED_LIFE_WHY_FAILURES);
    for (int i = 0; i < 6; i++) assert_int_equal(s.is[i].version, 1);
    close_scene(&s);
}

static void without_rollback_it_fails(void **state)
{
    scene s;
    (void)state;

    begin_scene(&s, 3)->o.max_failures = 1;
    open_scene(&s);
    step(&s);
    s.orders = 1;
    settle(&s, 1);
    step(&s);
    assert_state(&s, SKED_LIFE_UPDATE_STATE_FAILED, SKED_LIFE_WHY_FAILURES);
    close_scene(&s);
    begin_scene(&s, 3); /* no number is too many */
    open_scene(&s);
    step(&s);
    settle(&s, 1);
    step(&s);
    assert_state(&s, SKED_LIFE_UPDATE_STATE_SUCCEEDED, SKED_LIFE_WHY_NONE);
    assert_int_equal(read_scene(&s).failed, 3);
    close_scene(&s);
}

static void paused_it_tells_nothing_more(void **state)
{
    scene s;
    (void)state;

    begin_scene(&s, 3)->o.batch = 1;
    s.o.flags = SKED_LIFE_UPDATE_FLAG_PAUSE;
    open_scene(&s);
    assert_state(&s, SKED_LIFE_UPDATE_STATE_PAUSED, SKED_LIFE_WHY_TOLD);
    assert_int_equal(read_scene(&s).at.before,
                     SKED_LIFE_UPDATE_STATE_INITIALIZED);
    step(&s);
    assert_int_equal(s.orders, 0);
    assert_ok(sked_life_update_tell(s.u, SKED_LIFE_EVENT_RESUME, NULL));
    assert_state(&s, SKED_LIFE_UPDATE_STATE_INITIALIZED, SKED_LIFE_WHY_NONE);
    assert_ok(sked_life_update_tell(s.u, SKED_LIFE_EVENT_RESUME, NULL));
    step(&s);
    assert_int_equal(s.orders, 1);
    settle(&s, 0);
    assert_ok(sked_life_update_tell(s.u, SKED_LIFE_EVENT_PAUSE, NULL));
    assert_ok(sked_life_update_tell(s.u, SKED_LIFE_EVENT_PAUSE, NULL));
    step(&s); /* what came up is written down all the same */
    assert_int_equal(s.orders, 0);
    assert_int_equal(read_scene(&s).done, 1);
    assert_ok(sked_life_update_tell(s.u, SKED_LIFE_EVENT_RESUME, NULL));
    assert_state(&s, SKED_LIFE_UPDATE_STATE_ROLLING_FORWARD,
                 SKED_LIFE_WHY_NONE);
    step(&s);
    assert_int_equal(s.orders, 1);
    assert_ok(sked_life_update_tell(s.u, SKED_LIFE_EVENT_ABORT, NULL));
    assert_state(&s, SKED_LIFE_UPDATE_STATE_ABORTED, SKED_LIFE_WHY_TOLD);
    assert_ok(sked_life_update_tell(s.u, SKED_LIFE_EVENT_PAUSE, NULL));
    assert_state(&s, SKED_LIFE_UPDATE_STATE_ABORTED, SKED_LIFE_WHY_TOLD);
    assert_status(SKED_ERR_RANGE,
                  sked_life_update_tell(s.u, SKED_LIFE_EVENT_DONE, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_life_update_tell(NULL, SKED_LIFE_EVENT_PAUSE, NULL));
    close_scene(&s);
}

/* [PEL-3] */
static void an_sla_is_kept(void **state)
{
    scene s;
    (void)state;

    begin_scene(&s, 6)->sla.most_unavailable = 2;
    s.is[5].told = 1; /* by maintenance */
    open_scene(&s);
    step(&s); /* the one that goes anyway, and one more */
    assert_int_equal(s.orders, 2);
    assert_order(&s, 0, SKED_LIFE_ORDER_CHANGE, 0, 2);
    assert_order(&s, 1, SKED_LIFE_ORDER_CHANGE, 5, 2);
    close_scene(&s);

    begin_scene(&s, 4)->sla.most_unavailable = 1;
    s.to[3] = 1; /* stays as it is, and is down: it will come back */
    s.is[3].health = SKED_LIFE_HEALTH_UNHEALTHY;
    open_scene(&s);
    step(&s);
    assert_int_equal(s.orders, 0);
    assert_state(&s, SKED_LIFE_UPDATE_STATE_ROLLING_FORWARD, SKED_LIFE_WHY_SLA);
    s.is[3].health = SKED_LIFE_HEALTH_HEALTHY;
    step(&s);
    assert_int_equal(s.orders, 1);
    assert_state(&s, SKED_LIFE_UPDATE_STATE_ROLLING_FORWARD,
                 SKED_LIFE_WHY_NONE);
    settle(&s, 1); /* now it is the update's own that is down */
    s.is[3].health = SKED_LIFE_HEALTH_UNHEALTHY;
    step(&s); /* and another one, without which it would wait all the same */
    assert_state(&s, SKED_LIFE_UPDATE_STATE_ROLLING_FORWARD, SKED_LIFE_WHY_SLA);
    s.is[3].health = SKED_LIFE_HEALTH_HEALTHY;
    step(&s);
    assert_state(&s, SKED_LIFE_UPDATE_STATE_FAILED, SKED_LIFE_WHY_STUCK);
    close_scene(&s);

    begin_scene(&s, 6)->sla.most_unavailable = 2;
    s.o.batch = 1;
    s.to[5] = 1; /* down by others, which alone would leave a way */
    s.is[5].health = SKED_LIFE_HEALTH_UNHEALTHY;
    open_scene(&s);
    step(&s);
    settle(&s, 1);
    step(&s);
    assert_state(&s, SKED_LIFE_UPDATE_STATE_FAILED, SKED_LIFE_WHY_STUCK);
    close_scene(&s);
}

static void overlap_starts_before_it_stops(void **state)
{
    scene s;
    (void)state;

    begin_scene(&s, 3)->o.overlap = 2;
    s.sla.least_running = 3;
    s.o.max_failures = 2;
    s.o.flags = SKED_LIFE_UPDATE_FLAG_ROLLBACK;
    open_scene(&s);
    step(&s);
    assert_int_equal(s.orders, 2);
    assert_order(&s, 0, SKED_LIFE_ORDER_BESIDE, 0, 2);
    s.is[0].beside = SKED_LIFE_BESIDE_UP;
    s.is[1].beside = SKED_LIFE_BESIDE_COMING;
    step(&s);
    assert_int_equal(s.orders, 1);
    assert_order(&s, 0, SKED_LIFE_ORDER_SWITCH, 0, 2);
    settle(&s, 0);
    s.is[1].beside = SKED_LIFE_BESIDE_FAILED;
    step(&s); /* that one goes, and the third has its turn */
    assert_int_equal(s.orders, 2);
    assert_order(&s, 0, SKED_LIFE_ORDER_DROP, 1, 0);
    assert_order(&s, 1, SKED_LIFE_ORDER_BESIDE, 2, 2);
    settle(&s, 1);
    step(&s);
    assert_state(&s, SKED_LIFE_UPDATE_STATE_ROLLING_BACKWARD,
                 SKED_LIFE_WHY_FAILURES);
    for (int i = 0; i < 4; i++) {
        settle(&s, 0);
        step(&s);
    }
    assert_state(&s, SKED_LIFE_UPDATE_STATE_ROLLED_BACK,
                 SKED_LIFE_WHY_FAILURES);
    for (int i = 0; i < 3; i++) assert_int_equal(s.is[i].version, 1);
    close_scene(&s);
}

/* An instance whose own copy goes down by itself is available once the one
 * beside it is up, and not before. */
static void what_stands_beside_counts_once_it_is_up(void **state)
{
    scene s;
    (void)state;

    begin_scene(&s, 4)->o.overlap = 1;
    s.sla.least_running = 3;
    s.to[3] = 0; /* removed as soon as three others are there */
    s.cap = 1;
    open_scene(&s);
    step(&s);
    assert_order(&s, 0, SKED_LIFE_ORDER_BESIDE, 0, 2);
    s.cap = 2 * MOST;
    s.is[0].beside = SKED_LIFE_BESIDE_COMING;
    s.is[0].state = SKED_LIFE_TASK_FAILED;
    step(&s);
    assert_int_equal(s.orders, 0);
    s.is[0].beside = SKED_LIFE_BESIDE_UP;
    step(&s);
    assert_int_equal(s.orders, 2);
    assert_order(&s, 0, SKED_LIFE_ORDER_SWITCH, 0, 2);
    assert_order(&s, 1, SKED_LIFE_ORDER_REMOVE, 3, 0);
    close_scene(&s);
}

static void blue_and_green(void **state)
{
    scene s;
    (void)state;

    begin_scene(&s, 3)->o.overlap = UINT32_MAX;
    s.o.flags = SKED_LIFE_UPDATE_FLAG_TOGETHER;
    open_scene(&s);
    step(&s);
    assert_int_equal(s.orders, 3);
    s.is[0].beside = s.is[1].beside = SKED_LIFE_BESIDE_UP;
    s.is[2].beside = SKED_LIFE_BESIDE_COMING;
    step(&s);
    assert_int_equal(s.orders, 0); /* not one of them alone */
    s.is[2].beside = SKED_LIFE_BESIDE_UP;
    step(&s);
    assert_int_equal(s.orders, 3);
    assert_order(&s, 2, SKED_LIFE_ORDER_SWITCH, 2, 2);
    settle(&s, 0);
    step(&s);
    assert_state(&s, SKED_LIFE_UPDATE_STATE_SUCCEEDED, SKED_LIFE_WHY_NONE);
    close_scene(&s);

    begin_scene(&s, 2)->o.overlap = UINT32_MAX; /* ended before they are up */
    open_scene(&s);
    step(&s);
    assert_ok(sked_life_update_tell(s.u, SKED_LIFE_EVENT_ABORT, NULL));
    s.cap = 1;
    step(&s);
    assert_int_equal(s.orders, 1);
    assert_order(&s, 0, SKED_LIFE_ORDER_DROP, 0, 0);
    step(&s);
    assert_order(&s, 0, SKED_LIFE_ORDER_DROP, 1, 0);
    step(&s);
    assert_int_equal(s.orders, 0);
    close_scene(&s);

    begin_scene(&s, 3)
        ->o.overlap = UINT32_MAX; /* it fails, without a way back */
    s.o.max_failures = 1;
    open_scene(&s);
    step(&s);
    s.is[1].beside = SKED_LIFE_BESIDE_FAILED;
    step(&s);
    assert_state(&s, SKED_LIFE_UPDATE_STATE_FAILED, SKED_LIFE_WHY_FAILURES);
    assert_int_equal(s.orders, 3);
    close_scene(&s);
}

static void canaries_are_watched(void **state)
{
    scene s;
    (void)state;

    begin_scene(&s, 4)->o.canary = 1;
    s.o.canary_ns = 100;
    s.o.max_failures = 1;
    s.o.flags = SKED_LIFE_UPDATE_FLAG_ROLLBACK;
    open_scene(&s);
    step(&s);
    assert_int_equal(s.orders, 1);
    settle(&s, 0);
    s.now = 10;
    step(&s);
    assert_state(&s, SKED_LIFE_UPDATE_STATE_ROLLING_FORWARD,
                 SKED_LIFE_WHY_CANARY);
    s.now = 109;
    step(&s);
    assert_int_equal(s.orders, 0);
    s.now = 110;
    step(&s);
    assert_int_equal(s.orders, 3);
    close_scene(&s);

    open_scene(&s); /* it was well for a while */
    s.is[0] = s.is[1] = s.is[2];
    s.now = 0;
    step(&s);
    settle(&s, 0);
    step(&s);
    s.is[0].state = SKED_LIFE_TASK_FAILED;
    s.is[0].failures = 1;
    s.now = 50;
    step(&s);
    assert_state(&s, SKED_LIFE_UPDATE_STATE_ROLLING_BACKWARD,
                 SKED_LIFE_WHY_FAILURES);
    close_scene(&s);

    begin_scene(&s, 3)->o.canary = 2; /* until a user has seen enough */
    open_scene(&s);
    step(&s);
    assert_int_equal(s.orders, 2);
    settle(&s, 0);
    step(&s);
    assert_state(&s, SKED_LIFE_UPDATE_STATE_PAUSED, SKED_LIFE_WHY_CANARY);
    assert_ok(sked_life_update_tell(s.u, SKED_LIFE_EVENT_RESUME, NULL));
    step(&s);
    assert_int_equal(s.orders, 1);
    close_scene(&s);
}

static void zone_after_zone(void **state)
{
    scene s;
    (void)state;

    begin_scene(&s, 4)->o.flags = SKED_LIFE_UPDATE_FLAG_ZONES;
    s.zone[0] = s.zone[2] = 7;
    s.zone[1] = s.zone[3] = 5;
    open_scene(&s);
    step(&s);
    assert_int_equal(s.orders, 2);
    assert_order(&s, 0, SKED_LIFE_ORDER_CHANGE, 1, 2);
    assert_int_equal(read_scene(&s).zone, 5);
    settle(&s, 0);
    step(&s);
    assert_int_equal(s.orders, 2);
    assert_order(&s, 0, SKED_LIFE_ORDER_CHANGE, 0, 2);
    assert_int_equal(read_scene(&s).zone, 7);
    settle(&s, 0);
    step(&s);
    assert_int_equal(read_scene(&s).zone, 0);
    close_scene(&s);
}

/* What takes longer than it may has failed, in every phase. */
static void what_takes_too_long_has_failed(void **state)
{
    scene s;
    (void)state;

    begin_scene(&s, 2)->o.within_ns = 50;
    s.o.max_failures = 1;
    s.o.flags = SKED_LIFE_UPDATE_FLAG_ROLLBACK;
    open_scene(&s);
    step(&s);
    s.now = 49;
    step(&s);
    assert_state(&s, SKED_LIFE_UPDATE_STATE_ROLLING_FORWARD,
                 SKED_LIFE_WHY_NONE);
    s.now = 50;
    step(&s);
    assert_state(&s, SKED_LIFE_UPDATE_STATE_ROLLING_BACKWARD,
                 SKED_LIFE_WHY_FAILURES);
    s.is[0].state = SKED_LIFE_TASK_STARTING;
    s.now = 100;
    step(&s);
    assert_state(&s, SKED_LIFE_UPDATE_STATE_FAILED, SKED_LIFE_WHY_FAILURES);
    close_scene(&s);

    begin_scene(&s, 2)->o.within_ns = 50; /* dropping what is beside */
    s.o.overlap = 2;
    s.o.max_failures = 2;
    s.o.flags = SKED_LIFE_UPDATE_FLAG_ROLLBACK;
    open_scene(&s);
    step(&s);
    s.is[0].beside = s.is[1].beside = SKED_LIFE_BESIDE_COMING;
    s.now = 50;
    step(&s);
    assert_state(&s, SKED_LIFE_UPDATE_STATE_ROLLING_BACKWARD,
                 SKED_LIFE_WHY_FAILURES);
    assert_int_equal(s.orders, 2);
    s.is[0].beside = SKED_LIFE_BESIDE_NONE;
    s.now = 100; /* one of them does not go: it was not rolled back */
    step(&s);
    assert_state(&s, SKED_LIFE_UPDATE_STATE_FAILED, SKED_LIFE_WHY_FAILURES);
    close_scene(&s);
}

static void judged_one_by_one(void **state)
{
    sked_life_instance i = {.version = 2,
                            .desired = 2,
                            .state = SKED_LIFE_TASK_KILLED,
                            .goal = SKED_LIFE_TASK_KILLED,
                            .failures = 9};
    (void)state;

    assert_int_equal(sked_life_update_judge(&i, 2, 1), SKED_LIFE_PHASE_DONE);
    i.goal = SKED_LIFE_TASK_RUNNING;
    assert_int_equal(sked_life_update_judge(&i, 2, 9), SKED_LIFE_PHASE_FAILED);
    assert_int_equal(sked_life_update_judge(&i, 2, 10), SKED_LIFE_PHASE_TOLD);
    assert_int_equal(sked_life_update_judge(&i, 2, 0), SKED_LIFE_PHASE_TOLD);
    i.desired = 1; /* failures of another version */
    assert_int_equal(sked_life_update_judge(&i, 2, 9), SKED_LIFE_PHASE_TOLD);
    i = (sked_life_instance){.version = 2,
                             .desired = 2,
                             .run = 1,
                             .state = SKED_LIFE_TASK_RUNNING,
                             .health = SKED_LIFE_HEALTH_DISABLED};
    assert_int_equal(sked_life_update_judge(&i, 2, 1), SKED_LIFE_PHASE_TOLD);
    i.desired_run = 1;
    assert_int_equal(sked_life_update_judge(&i, 2, 1), SKED_LIFE_PHASE_DONE);
    assert_int_equal(sked_life_update_judge(NULL, 2, 1),
                     SKED_LIFE_PHASE_UNTOUCHED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_roll_to_the_end),
        cmocka_unit_test(what_is_unavailable_goes_first),
        cmocka_unit_test(too_many_failures_turn_it_back),
        cmocka_unit_test(without_rollback_it_fails),
        cmocka_unit_test(paused_it_tells_nothing_more),
        cmocka_unit_test(an_sla_is_kept),
        cmocka_unit_test(overlap_starts_before_it_stops),
        cmocka_unit_test(what_stands_beside_counts_once_it_is_up),
        cmocka_unit_test(blue_and_green),
        cmocka_unit_test(canaries_are_watched),
        cmocka_unit_test(zone_after_zone),
        cmocka_unit_test(what_takes_too_long_has_failed),
        cmocka_unit_test(judged_one_by_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
