/* Updates step by step: what is told to whom, in which order, and what ends
 * them; saved and loaded; refused; under failures of memory. */
#include "test.h"

#include <sched/life.h>

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "host.h"

enum { MOST = 12 };

/* A job and its update. Instances do what they are told when settle() says so. */
typedef struct scene {
    uint64_t from[MOST], to[MOST];
    uint32_t zone[MOST];
    sked_life_instance is[MOST];
    sked_life_sla sla;
    sked_life_update_options o;
    sked_life_update *u;
    sked_life_order order[2 * MOST];
    size_t n, orders, cap;
    sked_time now;
} scene;

/* `n` instances at version 1, to be at 2. */
static scene *begin_scene(scene *s, size_t n)
{
    memset(s, 0, sizeof *s);
    s->n = n;
    s->cap = 2 * MOST;
    for (size_t i = 0; i < n; i++) {
        s->from[i] = 1;
        s->to[i] = 2;
        s->is[i] = (sked_life_instance){.version = 1,
                                        .desired = 1,
                                        .state = SKED_LIFE_TASK_RUNNING,
                                        .goal = SKED_LIFE_TASK_RUNNING,
                                        .health = SKED_LIFE_HEALTH_HEALTHY};
    }
    s->sla.struct_size = sizeof s->sla;
    s->o = (sked_life_update_options){
        .struct_size = sizeof s->o, .max_attempts = 1, .sla = &s->sla};
    return s;
}

static sked_status try_begin(scene *s, sked_error *err)
{
    sked_life_update_input in = {.struct_size = sizeof in,
                                 .from = s->from,
                                 .to = s->to,
                                 .zone = s->zone,
                                 .n = s->n};

    return sked_life_update_new(&in, &s->o, NULL, &s->u, err);
}

static void open_scene(scene *s)
{
    assert_ok(try_begin(s, NULL));
}

static void step(scene *s)
{
    assert_ok(sked_life_update_step(s->u, s->is, s->n, s->now, s->order, s->cap,
                                    &s->orders, NULL));
}

/* Carries out what was told: it comes up, or (fails) does not. */
static void settle(scene *s, int fails)
{
    for (size_t k = 0; k < s->orders; k++) {
        const sked_life_order *o = &s->order[k];
        sked_life_instance *i = &s->is[o->row];
        if (o->kind == SKED_LIFE_ORDER_REMOVE) {
            i->state = SKED_LIFE_TASK_DELETED;
        } else if (o->kind == SKED_LIFE_ORDER_BESIDE) {
            i->beside = fails ? SKED_LIFE_BESIDE_FAILED : SKED_LIFE_BESIDE_UP;
        } else if (o->kind == SKED_LIFE_ORDER_DROP) {
            i->beside = SKED_LIFE_BESIDE_NONE;
        } else {
            i->version = i->desired = o->version;
            i->state = fails ? SKED_LIFE_TASK_FAILED : SKED_LIFE_TASK_RUNNING;
            i->health = SKED_LIFE_HEALTH_HEALTHY;
            i->failures = (uint32_t)fails;
            i->beside = SKED_LIFE_BESIDE_NONE;
        }
    }
}

static sked_life_update_stats read_scene(const scene *s)
{
    sked_life_update_stats r = {.struct_size = sizeof r};

    assert_ok(sked_life_update_get_stats(s->u, &r, NULL));
    return r;
}

static void assert_state(const scene *s, uint32_t state, uint32_t why)
{
    sked_life_update_stats r = read_scene(s);

    assert_int_equal(r.at.state, state);
    assert_int_equal(r.why, why);
}

static void assert_order(const scene *s, size_t k, uint32_t kind, uint32_t row,
                         uint64_t version)
{
    assert_true(k < s->orders);
    assert_int_equal(s->order[k].kind, kind);
    assert_int_equal(s->order[k].row, row);
    assert_int_equal(s->order[k].version, version);
}

static void close_scene(scene *s)
{
    sked_life_update_free(s->u);
    s->u = NULL;
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

static void actions_and_workflows(void **state)
{
    int same = 9;
    (void)state;

    assert_int_equal(sked_life_update_action(0, 0, 0), SKED_LIFE_ACTION_RELOAD);
    assert_int_equal(sked_life_update_action(9, 0, 0), SKED_LIFE_ACTION_RELOAD);
    assert_int_equal(
        sked_life_update_action(SKED_LIFE_UPDATE_STATE_PAUSED, 6, 6),
        SKED_LIFE_ACTION_NOTE);
    const uint32_t rolls = SKED_LIFE_UPDATE_STATE_ROLLING_FORWARD;
    assert_int_equal(sked_life_update_action(rolls, 5, 6),
                     SKED_LIFE_ACTION_RUN);
    assert_int_equal(sked_life_update_action(rolls, 6, 6),
                     SKED_LIFE_ACTION_COMPLETE);
    assert_ok(sked_life_overwrite(1, rolls, 1, 0, &same, NULL));
    assert_int_equal(same, 0);
    assert_ok(sked_life_overwrite(1, rolls, 1, 1, &same, NULL));
    assert_int_equal(same, 1);
    assert_status(SKED_ERR_STATE,
                  sked_life_overwrite(1, rolls, 2, 0, &same, NULL));
    assert_status(SKED_ERR_STATE,
                  sked_life_overwrite(4, rolls, 1, 0, &same, NULL));
    assert_ok(sked_life_overwrite(4, SKED_LIFE_UPDATE_STATE_ABORTED, 2, 1,
                                  &same, NULL));
    assert_int_equal(same, 0);
    assert_ok(sked_life_overwrite(1, 8, 1, 0, &same, NULL)); /* rolled back */
    assert_status(SKED_ERR_RANGE,
                  sked_life_overwrite(0, rolls, 1, 0, &same, NULL));
    assert_status(SKED_ERR_RANGE,
                  sked_life_overwrite(1, rolls, 0, 0, &same, NULL));
    assert_status(SKED_ERR_RANGE,
                  sked_life_overwrite(5, rolls, 1, 0, &same, NULL));
    assert_status(SKED_ERR_RANGE,
                  sked_life_overwrite(1, rolls, 5, 0, &same, NULL));
    assert_status(SKED_ERR_RANGE, sked_life_overwrite(1, 0, 1, 0, &same, NULL));
    assert_status(SKED_ERR_RANGE, sked_life_overwrite(1, 9, 1, 0, &same, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_life_overwrite(1, rolls, 1, 0, NULL, NULL));
}

/* ---- What is refused ---- */

static void no_way_is_refused(void **state)
{
    scene s;
    sked_error err;
    (void)state;

    begin_scene(&s, 3)->sla.least_running = 3;
    assert_status(SKED_ERR_RANGE, try_begin(&s, &err));
    assert_string_equal(err.message,
                        "the SLA lets none stop, and none may overlap");
    assert_null(s.u);
    s.o.overlap = 1;
    assert_ok(try_begin(&s, NULL));
    close_scene(&s);
    s.to[0] = 0;
    assert_status(SKED_ERR_RANGE, try_begin(&s, &err));
    assert_string_equal(err.message, "fewer than the SLA needs");
    assert_i64(err.got, 2);
    s.to[0] = 2;
    s.from[1] = s.to[1] = 0;
    assert_status(SKED_ERR_RANGE, try_begin(&s, &err));
    assert_int_equal(err.row, 1);
}

static void settings_are_checked(void **state)
{
    scene s;
    sked_life_update_input in = {.struct_size = sizeof in};
    (void)state;

    begin_scene(&s, 2);
    s.o.flags = 16;
    assert_status(SKED_ERR_RANGE, try_begin(&s, NULL));
    s.o.flags = 0;
    s.o.reserved = 1;
    assert_status(SKED_ERR_RANGE, try_begin(&s, NULL));
    s.o.reserved = 0;
    s.o.canary_ns = -1;
    assert_status(SKED_ERR_RANGE, try_begin(&s, NULL));
    s.o.canary_ns = 0;
    s.o.within_ns = -1;
    assert_status(SKED_ERR_RANGE, try_begin(&s, NULL));
    s.o.within_ns = 0;
    s.sla.type = 9;
    assert_status(SKED_ERR_RANGE, try_begin(&s, NULL));
    s.sla.type = 0;
    s.sla.struct_size = 3;
    assert_status(SKED_ERR_VERSION, try_begin(&s, NULL));
    s.o.struct_size = 3;
    assert_status(SKED_ERR_VERSION, try_begin(&s, NULL));
    assert_status(SKED_ERR_RANGE,
                  sked_life_update_new(&in, NULL, NULL, &s.u, NULL));
    in.n = 1;
    assert_status(SKED_ERR_ARG,
                  sked_life_update_new(&in, NULL, NULL, &s.u, NULL));
    in.from = s.from;
    assert_status(SKED_ERR_ARG,
                  sked_life_update_new(&in, NULL, NULL, &s.u, NULL));
    in.to = s.to;
    in.reserved = 1;
    assert_status(SKED_ERR_RANGE,
                  sked_life_update_new(&in, NULL, NULL, &s.u, NULL));
    in.reserved = 0;
    in.n = SKED_MAX_LIFE_INSTANCES + 1;
    assert_status(SKED_ERR_RANGE,
                  sked_life_update_new(&in, NULL, NULL, &s.u, NULL));
    in.struct_size = 3;
    assert_status(SKED_ERR_VERSION,
                  sked_life_update_new(&in, NULL, NULL, &s.u, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_life_update_new(NULL, NULL, NULL, &s.u, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_life_update_new(&in, NULL, NULL, NULL, NULL));
    sked_life_update_free(NULL);
}

static void steps_and_reads_are_checked(void **state)
{
    scene s;
    sked_error err;
    sked_life_update_stats r = {.struct_size = 1};
    uint8_t phase[2];
    size_t n;
    (void)state;

    begin_scene(&s, 2);
    open_scene(&s);
    assert_status(SKED_ERR_RANGE,
                  sked_life_update_step(s.u, s.is, 1, 0, s.order, 2, &n, NULL));
    s.is[1].health = 9;
    assert_status(SKED_ERR_RANGE,
                  sked_life_update_step(s.u, s.is, 2, 0, s.order, 2, &n, &err));
    assert_int_equal(err.row, 1);
    assert_state(&s, SKED_LIFE_UPDATE_STATE_INITIALIZED, SKED_LIFE_WHY_NONE);
    assert_status(SKED_ERR_ARG, sked_life_update_step(NULL, s.is, 2, 0, s.order,
                                                      2, &n, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_life_update_step(s.u, NULL, 2, 0, s.order, 2, &n, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_life_update_step(s.u, s.is, 2, 0, NULL, 2, &n, NULL));
    assert_status(SKED_ERR_ARG, sked_life_update_step(s.u, s.is, 2, 0, s.order,
                                                      2, NULL, NULL));
    assert_status(SKED_ERR_VERSION, sked_life_update_get_stats(s.u, &r, NULL));
    assert_status(SKED_ERR_ARG, sked_life_update_get_stats(NULL, &r, NULL));
    assert_status(SKED_ERR_ARG, sked_life_update_get_stats(s.u, NULL, NULL));
    assert_status(SKED_ERR_RANGE,
                  sked_life_update_phases(s.u, phase, 1, &n, NULL));
    assert_int_equal(n, 2);
    assert_status(SKED_ERR_ARG,
                  sked_life_update_phases(NULL, phase, 1, &n, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_life_update_phases(s.u, NULL, 1, &n, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_life_update_phases(s.u, phase, 2, NULL, NULL));
    close_scene(&s);
}

/* ---- Saved and loaded ---- */

static void what_is_saved_goes_on(void **state)
{
    scene s, twin;
    uint8_t bytes[1024], again[1024];
    size_t n, m;
    (void)state;

    begin_scene(&s, 5)->o.batch = 2;
    s.o.overlap = 1;
    s.o.max_failures = 1;
    s.o.flags = SKED_LIFE_UPDATE_FLAG_ROLLBACK;
    s.sla.most_unavailable = 3;
    s.sla.priority = -4;
    open_scene(&s);
    for (int turn = 0; turn < 12; turn++) {
        assert_status(SKED_ERR_RANGE,
                      sked_life_update_save(s.u, bytes, 10, &n, NULL));
        assert_ok(sked_life_update_save(s.u, bytes, sizeof bytes, &n, NULL));
        twin = s;
        assert_ok(sked_life_update_load(bytes, n, NULL, &twin.u, NULL));
        step(&s);
        step(&twin);
        assert_int_equal(s.orders, twin.orders);
        assert_memory_equal(s.order, twin.order, s.orders * sizeof *s.order);
        assert_ok(sked_life_update_save(s.u, bytes, sizeof bytes, &n, NULL));
        assert_ok(sked_life_update_save(twin.u, again, sizeof again, &m, NULL));
        assert_int_equal(n, m);
        assert_memory_equal(bytes, again, n);
        close_scene(&twin);
        settle(&s, turn == 4);
    }
    assert_true(read_scene(&s).at.state >= SKED_LIFE_UPDATE_STATE_SUCCEEDED);
    assert_status(SKED_ERR_ARG,
                  sked_life_update_save(NULL, bytes, 9, &n, NULL));
    assert_status(SKED_ERR_ARG, sked_life_update_save(s.u, NULL, 9, &n, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_life_update_save(s.u, bytes, 9, NULL, NULL));
    close_scene(&s);
}

/* Changes a word and makes the digest fit. */
static sked_status load_changed(const uint8_t *bytes, size_t n, size_t word,
                                uint64_t value)
{
    uint8_t copy[1024];
    sked_life_update *u = NULL;
    size_t at = 8 * word;

    memcpy(copy, bytes, n);
    for (int i = 0; i < 8; i++)
        copy[at + (size_t)i] = (uint8_t)(value >> 8 * i);
    uint64_t digest = skedi_hash_of(copy, n - 8, 0);
    for (int i = 0; i < 8; i++) {
        copy[n - 8 + (size_t)i] = (uint8_t)(digest >> 8 * i);
    }
    sked_status rc = sked_life_update_load(copy, n, NULL, &u, NULL);
    sked_life_update_free(u);
    return rc;
}

static void changed_bytes_are_refused(void **state)
{
    static const struct {
        size_t word;
        uint64_t value;
    } bad[] = {
        {0, 1},                      /* another magic */
        {1, 0},                      /* no rows */
        {1, 5},                      /* more than there are */
        {1, UINT64_MAX},             /* and far more */
        {2, 16},                     /* flags */
        {5, UINT64_MAX},             /* a time below 0 */
        {7, 9},                      /* a type */
        {10, 0},                     /* no state */
        {10, 9},                     /* none that there is */
        {10, 4},                     /* paused, before that nowhere */
        {10, 4 | UINT64_C(4) << 32}, /* or paused */
        {10, 2 | UINT64_C(7) << 32}, /* from what was over */
        {11, 6},                     /* why */
        {11, UINT64_C(2) << 32},     /* backward */
        {12, 2},                     /* watched */
        {12, UINT64_C(1) << 32},     /* beyond it */
        {15, 1},                     /* what is not used */
        {21, UINT64_C(8) << 32},     /* a phase */
        {22, 7},                     /* an order */
        {22, UINT64_C(4) << 32},     /* owed */
    };
    scene s;
    uint8_t bytes[1024];
    size_t n;
    (void)state;

    begin_scene(&s, 2);
    open_scene(&s);
    assert_ok(sked_life_update_save(s.u, bytes, sizeof bytes, &n, NULL));
    close_scene(&s);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (load_changed(bytes, n, bad[i].word, bad[i].value) !=
            SKED_ERR_CORRUPT) {
            fail_msg("word %zu", bad[i].word);
        }
    }
    assert_ok(load_changed(bytes, n, 10, 4 | UINT64_C(1) << 32));
    for (size_t i = 0; i < n; i++) { /* any bit */
        bytes[i] ^= 1;
        assert_status(SKED_ERR_CORRUPT,
                      sked_life_update_load(bytes, n, NULL, &s.u, NULL));
        bytes[i] ^= 1;
        assert_status(SKED_ERR_CORRUPT,
                      sked_life_update_load(bytes, i, NULL, &s.u, NULL));
    }
    memset(bytes + 144, 0, 16); /* a row without a version */
    assert_status(SKED_ERR_CORRUPT, load_changed(bytes, n, 18, 0));
    assert_status(SKED_ERR_ARG,
                  sked_life_update_load(NULL, n, NULL, &s.u, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_life_update_load(bytes, n, NULL, NULL, NULL));
}

/* ---- Memory ---- */

static sked_status live_updates(test_host *h, void *arg)
{
    sked_host host = test_host_hooks(h);
    const uint64_t from[] = {1, 1, 0}, to[] = {2, 0, 2};
    uint8_t bytes[1024];
    sked_life_update *u = NULL, *twin = NULL;
    sked_life_update_input in = {
        .struct_size = sizeof in, .from = from, .to = to, .n = 3};
    size_t n;
    (void)arg;

    sked_status rc = sked_life_update_new(&in, NULL, &host, &u, NULL);
    if (rc == SKED_OK) {
        assert_ok(sked_life_update_save(u, bytes, sizeof bytes, &n, NULL));
        rc = sked_life_update_load(bytes, n, &host, &twin, NULL);
    }
    sked_life_update_free(u);
    sked_life_update_free(twin);
    return rc;
}

static void updates_survive_every_failure(void **state)
{
    sked_host bad = {.struct_size = 1};
    scene s;
    (void)state;

    test_sweep(live_updates, NULL, 0);
    begin_scene(&s, 1);
    sked_life_update_input in = {
        .struct_size = sizeof in, .from = s.from, .to = s.to, .n = 1};
    assert_status(SKED_ERR_VERSION,
                  sked_life_update_new(&in, NULL, &bad, &s.u, NULL));
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
        cmocka_unit_test(blue_and_green),
        cmocka_unit_test(canaries_are_watched),
        cmocka_unit_test(zone_after_zone),
        cmocka_unit_test(what_takes_too_long_has_failed),
        cmocka_unit_test(judged_one_by_one),
        cmocka_unit_test(actions_and_workflows),
        cmocka_unit_test(no_way_is_refused),
        cmocka_unit_test(settings_are_checked),
        cmocka_unit_test(steps_and_reads_are_checked),
        cmocka_unit_test(what_is_saved_goes_on),
        cmocka_unit_test(changed_bytes_are_refused),
        cmocka_unit_test(updates_survive_every_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
