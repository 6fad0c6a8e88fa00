/* Instances of a job, and the state of a job from those of its tasks. */
#include "life_cases.h"

/* ---- Instances ---- */

static void writes_are_checked(void **state)
{
    sked_life_instance now = running(), next = running();
    sked_error err;
    (void)state;

    assert_ok(sked_life_may_replace(&now, &next, NULL));
    next.state = SKED_LIFE_TASK_KILLING;
    assert_ok(sked_life_may_replace(&now, &next, NULL));
    next.state = SKED_LIFE_TASK_PENDING;
    assert_status(SKED_ERR_STATE, sked_life_may_replace(&now, &next, &err));
    assert_string_equal(err.message,
                        "RUNNING never becomes PENDING; it goes to STARTING, "
                        "SUCCEEDED, FAILED, KILLED, LOST, KILLING");
    next.run = 3;
    assert_status(SKED_ERR_STATE, sked_life_may_replace(&now, &next, NULL));
    next.state = SKED_LIFE_TASK_INITIALIZED;
    assert_ok(sked_life_may_replace(&now, &next, NULL));
    next.run = 1;
    assert_status(SKED_ERR_STATE, sked_life_may_replace(&now, &next, NULL));
    next = running();
    next.desired_run = 1;
    assert_status(SKED_ERR_STATE, sked_life_may_replace(&now, &next, NULL));
    next = running();
    now.goal = SKED_LIFE_TASK_DELETED;
    assert_status(SKED_ERR_STATE, sked_life_may_replace(&now, &next, &err));
    assert_string_equal(err.message,
                        "the goal DELETED stays, but for another version");
    next.desired = 4;
    assert_ok(sked_life_may_replace(&now, &next, NULL));
    assert_status(SKED_ERR_ARG, sked_life_may_replace(NULL, &next, NULL));
    assert_status(SKED_ERR_ARG, sked_life_may_replace(&now, NULL, NULL));
    next.told = 2;
    assert_status(SKED_ERR_RANGE, sked_life_may_replace(&now, &next, NULL));
    assert_status(SKED_ERR_RANGE, sked_life_may_replace(&next, &now, NULL));
}

static void no_such_instance_can_be(void **state)
{
    sked_life_instance bad[7];
    uint32_t action;
    (void)state;

    for (int i = 0; i < 7; i++) bad[i] = running();
    bad[0].state = SKED_LIFE_TASK_STATES;
    bad[1].goal = SKED_LIFE_TASK_STATES;
    bad[2].health = 4;
    bad[3].ended = 5;
    bad[4].beside = 4;
    bad[5].told = 2;
    bad[6].reserved = 1;
    for (int i = 0; i < 7; i++) {
        assert_status(SKED_ERR_RANGE,
                      sked_life_task_action(&bad[i], NULL, &action, NULL));
    }
}

static uint32_t act(sked_life_instance i, const sked_life_act_options *o)
{
    uint32_t action = 99;

    assert_ok(sked_life_task_action(&i, o, &action, NULL));
    return action;
}

static void actions_by_version_and_run(void **state)
{
    sked_life_instance i = running();
    (void)state;

    assert_int_equal(act(i, NULL), SKED_LIFE_ACTION_NOTHING);
    i.desired = 4;
    assert_int_equal(act(i, NULL), SKED_LIFE_ACTION_STOP);
    i.state = SKED_LIFE_TASK_FAILED;
    assert_int_equal(act(i, NULL), SKED_LIFE_ACTION_INITIALIZE);
    i.goal = SKED_LIFE_TASK_KILLED; /* is to end anyway */
    assert_int_equal(act(i, NULL), SKED_LIFE_ACTION_NOTHING);
    i = running();
    i.goal = SKED_LIFE_TASK_SUCCEEDED;
    i.desired = 4; /* a batch task keeps its version, */
    assert_int_equal(act(i, NULL), SKED_LIFE_ACTION_NOTHING);
    i.desired_run = 3; /* and begins anew once it was preempted */
    assert_int_equal(act(i, NULL), SKED_LIFE_ACTION_STOP);
    i.goal = SKED_LIFE_TASK_PREEMPTING;
    assert_int_equal(act(i, NULL), SKED_LIFE_ACTION_STOP);
    i.state = SKED_LIFE_TASK_UNKNOWN;
    assert_int_equal(act(i, NULL), SKED_LIFE_ACTION_RELOAD);
    i = running();
    i.goal = SKED_LIFE_TASK_UNKNOWN;
    assert_int_equal(act(i, NULL), SKED_LIFE_ACTION_RELOAD);
}

static void what_takes_too_long_is_given_up(void **state)
{
    sked_life_instance i = running();
    sked_life_act_options o = {.struct_size = sizeof o, .now = 100};
    (void)state;

    i.state = SKED_LIFE_TASK_LAUNCHED;
    i.since = 50;
    assert_int_equal(act(i, NULL), SKED_LIFE_ACTION_CHECK_LAUNCH);
    assert_int_equal(act(i, &o), SKED_LIFE_ACTION_NOTHING); /* 180 minutes */
    o.launch_ns = 50;
    assert_int_equal(act(i, &o), SKED_LIFE_ACTION_INITIALIZE);
    o.launch_ns = 51;
    assert_int_equal(act(i, &o), SKED_LIFE_ACTION_NOTHING);
    o.launch_ns = 50;
    i.state = SKED_LIFE_TASK_STARTING;
    assert_int_equal(act(i, &o), SKED_LIFE_ACTION_INITIALIZE);
    o.type = SKED_LIFE_TYPE_STATELESS; /* may take its time to start */
    assert_int_equal(act(i, &o), SKED_LIFE_ACTION_NOTHING);
    i.state = SKED_LIFE_TASK_KILLING;
    assert_int_equal(act(i, &o), SKED_LIFE_ACTION_NOTHING);
    o.kill_ns = 50;
    assert_int_equal(act(i, &o), SKED_LIFE_ACTION_SHUT_DOWN);
    i.since = INT64_MAX;
    assert_int_equal(act(i, &o), SKED_LIFE_ACTION_NOTHING);
    i.state = SKED_LIFE_TASK_RUNNING;
    assert_int_equal(act(i, &o), SKED_LIFE_ACTION_NOTHING);
}

static void options_of_actions_are_checked(void **state)
{
    sked_life_instance i = running();
    sked_life_act_options o = {.struct_size = sizeof o, .now = 100};
    uint32_t action;
    (void)state;

    o.type = 5;
    assert_status(SKED_ERR_RANGE, sked_life_task_action(&i, &o, &action, NULL));
    o.type = 0;
    o.kill_ns = -1;
    assert_status(SKED_ERR_RANGE, sked_life_task_action(&i, &o, &action, NULL));
    o.kill_ns = 0;
    o.launch_ns = -1;
    assert_status(SKED_ERR_RANGE, sked_life_task_action(&i, &o, &action, NULL));
    o.struct_size = 1;
    assert_status(SKED_ERR_VERSION,
                  sked_life_task_action(&i, &o, &action, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_life_task_action(NULL, NULL, &action, NULL));
    assert_status(SKED_ERR_ARG, sked_life_task_action(&i, NULL, NULL, NULL));
}

static void availability_by_all_that_counts(void **state)
{
    sked_life_instance i = running();
    (void)state;

    assert_int_equal(sked_life_availability_of(NULL),
                     SKED_LIFE_AVAILABILITY_INVALID);
    assert_int_equal(sked_life_availability_of(&i),
                     SKED_LIFE_AVAILABILITY_AVAILABLE);
    i.health = SKED_LIFE_HEALTH_DISABLED;
    assert_int_equal(sked_life_availability_of(&i),
                     SKED_LIFE_AVAILABILITY_AVAILABLE);
    i.health = SKED_LIFE_HEALTH_UNHEALTHY;
    assert_int_equal(sked_life_availability_of(&i),
                     SKED_LIFE_AVAILABILITY_UNAVAILABLE);
    i = running();
    i.state = SKED_LIFE_TASK_STARTING;
    assert_int_equal(sked_life_availability_of(&i),
                     SKED_LIFE_AVAILABILITY_UNAVAILABLE);
    i = running();
    i.run = 1;
    assert_int_equal(sked_life_availability_of(&i),
                     SKED_LIFE_AVAILABILITY_KILLED);
    i.ended = SKED_LIFE_ENDED_UPDATE;
    assert_int_equal(sked_life_availability_of(&i),
                     SKED_LIFE_AVAILABILITY_UNAVAILABLE);
    i.ended = SKED_LIFE_ENDED_OTHER;
    assert_int_equal(sked_life_availability_of(&i),
                     SKED_LIFE_AVAILABILITY_KILLED);
    i = running();
    i.desired = 9;
    assert_int_equal(sked_life_availability_of(&i),
                     SKED_LIFE_AVAILABILITY_KILLED);
    i.goal = SKED_LIFE_TASK_KILLED;
    assert_int_equal(sked_life_availability_of(&i),
                     SKED_LIFE_AVAILABILITY_KILLED);
    i.goal = SKED_LIFE_TASK_DELETED;
    assert_int_equal(sked_life_availability_of(&i),
                     SKED_LIFE_AVAILABILITY_INVALID);
    i = running();
    i.goal = SKED_LIFE_TASK_SUCCEEDED;
    assert_int_equal(sked_life_availability_of(&i),
                     SKED_LIFE_AVAILABILITY_UNAVAILABLE);
}

/* ---- Jobs ---- */

static uint32_t job_state(const sked_life_job_input *in)
{
    uint32_t state = 99;

    assert_ok(sked_life_job_state(in, &state, NULL));
    return state;
}

static void states_of_jobs(void **state)
{
    sked_life_job_input in = {.struct_size = sizeof in,
                              .type = SKED_LIFE_TYPE_STATELESS,
                              .state = SKED_LIFE_JOB_RUNNING,
                              .goal = SKED_LIFE_JOB_KILLED,
                              .instances = 4};
    (void)state;

    in.tasks[SKED_LIFE_TASK_KILLED] = 1;
    in.tasks[SKED_LIFE_TASK_LOST] = 2;
    assert_int_equal(job_state(&in), SKED_LIFE_JOB_KILLED);
    in.tasks[SKED_LIFE_TASK_RUNNING] = 1;
    in.instances = 5;
    assert_int_equal(job_state(&in), SKED_LIFE_JOB_PENDING);
    in.created = 1; /* there were five once */
    assert_int_equal(job_state(&in), SKED_LIFE_JOB_RUNNING);
    in.created = 0;
    in.instances = 3; /* more than there are to be */
    assert_int_equal(job_state(&in), SKED_LIFE_JOB_KILLED);
    in.goal = SKED_LIFE_JOB_RUNNING;
    assert_int_equal(job_state(&in), SKED_LIFE_JOB_PENDING);
    in.goal = SKED_LIFE_JOB_SUCCEEDED; /* an end, as KILLED is */
    assert_int_equal(job_state(&in), SKED_LIFE_JOB_KILLED);
    in.type = SKED_LIFE_TYPE_BATCH;
    in.goal = SKED_LIFE_JOB_SUCCEEDED;
    assert_int_equal(job_state(&in), SKED_LIFE_JOB_PENDING);
    in.instances = 4;
    in.tasks[SKED_LIFE_TASK_RUNNING] = 0;
    in.tasks[SKED_LIFE_TASK_PENDING] = 1;
    assert_int_equal(job_state(&in), SKED_LIFE_JOB_PENDING);
    in.tasks[SKED_LIFE_TASK_PENDING] = 0;
    in.tasks[SKED_LIFE_TASK_KILLED] = 2;
    in.controller = SKED_LIFE_TASK_RUNNING; /* went on after the others */
    assert_int_equal(job_state(&in), SKED_LIFE_JOB_KILLED);
    in.controller = SKED_LIFE_TASK_SUCCEEDED;
    assert_int_equal(job_state(&in), SKED_LIFE_JOB_SUCCEEDED);
    in.controller = SKED_LIFE_TASK_LOST;
    assert_int_equal(job_state(&in), SKED_LIFE_JOB_FAILED);

    in.tasks[SKED_LIFE_TASK_KILLED] = 1;
    in.tasks[SKED_LIFE_TASK_RUNNING] = 1;
    in.state = SKED_LIFE_JOB_KILLING; /* until the last has ended */
    assert_int_equal(job_state(&in), SKED_LIFE_JOB_KILLING);
}

static void inputs_of_jobs_are_checked(void **state)
{
    sked_life_job_input in = {.struct_size = sizeof in,
                              .type = SKED_LIFE_TYPE_BATCH,
                              .state = SKED_LIFE_JOB_RUNNING,
                              .goal = SKED_LIFE_JOB_SUCCEEDED,
                              .controller = SKED_LIFE_TASK_LOST,
                              .instances = 4};
    uint32_t s;
    (void)state;

    assert_status(SKED_ERR_ARG, sked_life_job_state(NULL, &s, NULL));
    assert_status(SKED_ERR_ARG, sked_life_job_state(&in, NULL, NULL));
    sked_error err;
    in.tasks[3] = UINT64_C(1) << 32;
    assert_status(SKED_ERR_RANGE, sked_life_job_state(&in, &s, &err));
    assert_int_equal(err.row, 3);
    in.tasks[3] = 0;
    in.instances = UINT64_C(1) << 32;
    assert_status(SKED_ERR_RANGE, sked_life_job_state(&in, &s, NULL));
    uint32_t *const fields[] = {&in.type, &in.state, &in.goal, &in.controller,
                                &in.created};
    in.instances = 4;
    for (size_t i = 0; i < 5; i++) {
        uint32_t was = *fields[i];
        *fields[i] = 99;
        assert_status(SKED_ERR_RANGE, sked_life_job_state(&in, &s, NULL));
        *fields[i] = was;
    }
    in.type = 0;
    assert_status(SKED_ERR_RANGE, sked_life_job_state(&in, &s, NULL));
    in.struct_size = 8;
    assert_status(SKED_ERR_VERSION, sked_life_job_state(&in, &s, NULL));
    assert_status(SKED_ERR_VERSION, sked_life_job_action(&in, &s, NULL));
}

static void jobs_that_start_again(void **state)
{
    sked_life_job_input in = {.struct_size = sizeof in,
                              .type = SKED_LIFE_TYPE_STATELESS,
                              .state = SKED_LIFE_JOB_KILLED,
                              .goal = SKED_LIFE_JOB_RUNNING,
                              .goal_version = 1};
    uint32_t action;
    (void)state;

    assert_ok(sked_life_job_action(&in, &action, NULL));
    assert_int_equal(action, SKED_LIFE_ACTION_START_TASKS);
    in.state = SKED_LIFE_JOB_INITIALIZED;
    assert_ok(sked_life_job_action(&in, &action, NULL));
    assert_int_equal(action, SKED_LIFE_ACTION_CREATE);
    in.version = 1;
    in.state = SKED_LIFE_JOB_RUNNING;
    assert_ok(sked_life_job_action(&in, &action, NULL));
    assert_int_equal(action, SKED_LIFE_ACTION_NOTHING);
}

static void natures_are_of_four_types(void **state)
{
    sked_life_nature n = {.struct_size = sizeof n};
    (void)state;

    assert_status(SKED_ERR_ARG, sked_life_nature_of(1, NULL, NULL));
    assert_status(SKED_ERR_RANGE, sked_life_nature_of(0, &n, NULL));
    assert_status(SKED_ERR_RANGE, sked_life_nature_of(5, &n, NULL));
    n.struct_size = 4;
    assert_status(SKED_ERR_VERSION, sked_life_nature_of(1, &n, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_are_checked),
        cmocka_unit_test(no_such_instance_can_be),
        cmocka_unit_test(actions_by_version_and_run),
        cmocka_unit_test(what_takes_too_long_is_given_up),
        cmocka_unit_test(options_of_actions_are_checked),
        cmocka_unit_test(availability_by_all_that_counts),
        cmocka_unit_test(states_of_jobs),
        cmocka_unit_test(inputs_of_jobs_are_checked),
        cmocka_unit_test(jobs_that_start_again),
        cmocka_unit_test(natures_are_of_four_types),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
