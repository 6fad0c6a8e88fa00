/* Policies: restarts, placement in cycles, quarantine of nodes. */
#include "life_cases.h"

enum { SEC = 1000000000 };

/* ---- Policies ---- */

static void delays_double(void **state)
{
    (void)state;
    assert_i64(sked_life_backoff(0, 30, 3600), 0);
    assert_i64(sked_life_backoff(4, 30, 3600), 240);
    assert_i64(sked_life_backoff(UINT32_MAX, 30, 3600), 3600);
    assert_i64(sked_life_backoff(UINT32_MAX, 0, 3600), 0);
    assert_i64(sked_life_backoff(90, INT64_MAX / 3, INT64_MAX), INT64_MAX);
    assert_i64(sked_life_backoff(2, -5, 10), 0);
    assert_i64(sked_life_backoff(2, 5, -10), 0);
}

#define SUCCEEDS SKED_LIFE_TASK_SUCCEEDED
#define RUNS SKED_LIFE_TASK_RUNNING
#define FAILED SKED_LIFE_TASK_FAILED
#define KILLED SKED_LIFE_TASK_KILLED
#define LOST SKED_LIFE_TASK_LOST

/* [PEL-15] */
static void restarts_follow_the_policy(void **state)
{
    const sked_life_restart_options batch = {.max_failures = 2};
    sked_life_restart_options end = {.max_failures = 9, .end_preempted = 1};
    sked_life_restart_result r;
    (void)state;

    r = ended(SUCCEEDS, FAILED, 0, SKED_LIFE_END_PLAIN, batch);
    assert_int_equal(r.again, 1);
    assert_int_equal(r.failures, 1);
    assert_i64(r.delay_ns, 30 * (int64_t)SEC);
    r = ended(SUCCEEDS, FAILED, 2, SKED_LIFE_END_PLAIN, batch);
    assert_int_equal(r.again, 0);
    assert_int_equal(r.failures, 3);
    assert_i64(r.delay_ns, 0);
    r = ended(SUCCEEDS, FAILED, 3, SKED_LIFE_END_SYSTEM, batch);
    assert_int_equal(r.again, 1); /* four of the system's */
    r = ended(SUCCEEDS, FAILED, 4, SKED_LIFE_END_SYSTEM, batch);
    assert_int_equal(r.again, 0);
    r = ended(SUCCEEDS, LOST, 1, SKED_LIFE_END_PLAIN, batch);
    assert_int_equal(r.again, 1);
    assert_int_equal(r.failures, 1); /* no fault of its own */
    r = ended(SUCCEEDS, KILLED, 1, SKED_LIFE_END_PLAIN, batch);
    assert_int_equal(r.failures, 2);
    /* Preempted: again through admission, however often. */
    r = ended(SUCCEEDS, KILLED, 7, SKED_LIFE_END_PREEMPTED, batch);
    assert_int_equal(r.again, 1);
    assert_int_equal(r.failures, 7);
    r = ended(SUCCEEDS, KILLED, 0, SKED_LIFE_END_PREEMPTED, end);
    assert_int_equal(r.again, 0);
    r = ended(SUCCEEDS, SUCCEEDS, 0, SKED_LIFE_END_PLAIN, batch);
    assert_int_equal(r.again, 0);
    assert_int_equal(r.failures, 0);
    r = ended(KILLED, KILLED, 0, SKED_LIFE_END_PLAIN, batch);
    assert_int_equal(r.again, 0);
    assert_int_equal(r.failures, 0);
}

/* [PEL-15] */
static void services_are_restarted_by_their_type(void **state)
{
    const sked_life_restart_options web = {.type = SKED_LIFE_TYPE_STATELESS};
    const sked_life_restart_options daemon = {.type = SKED_LIFE_TYPE_DAEMON};
    const sked_life_restart_options never = {.again = SKED_LIFE_AGAIN_NEVER};
    const sked_life_restart_options failed = {.type = SKED_LIFE_TYPE_STATEFUL,
                                              .again = SKED_LIFE_AGAIN_FAILED};
    sked_life_restart_result r;
    (void)state;

    r = ended(RUNS, SUCCEEDS, 1, SKED_LIFE_END_PLAIN, web);
    assert_int_equal(r.again, 1);
    assert_int_equal(r.failures, 2); /* it was not to end */
    assert_i64(r.delay_ns, 60 * (int64_t)SEC);
    r = ended(RUNS, FAILED, 1000, SKED_LIFE_END_PLAIN, web);
    assert_int_equal(r.again, 1);
    assert_i64(r.delay_ns, 3600 * (int64_t)SEC);
    r = ended(RUNS, FAILED, UINT32_MAX, SKED_LIFE_END_PLAIN, web);
    assert_int_equal(r.failures, UINT32_MAX);
    r = ended(RUNS, LOST, 0, SKED_LIFE_END_PLAIN, daemon);
    assert_int_equal(r.again, 0); /* lost with its node */
    r = ended(RUNS, FAILED, 0, SKED_LIFE_END_PLAIN, daemon);
    assert_int_equal(r.again, 1);
    r = ended(RUNS, FAILED, 0, SKED_LIFE_END_PLAIN, never);
    assert_int_equal(r.again, 0);
    r = ended(RUNS, SUCCEEDS, 0, SKED_LIFE_END_PLAIN, failed);
    assert_int_equal(r.again, 0);

    sked_life_instance i = running();
    i.state = FAILED;
    i.desired = 4; /* another version is on its way: nothing counts */
    assert_ok(sked_life_restart(&i, 0, NULL, &r, NULL));
    assert_int_equal(r.failures, 0);
}

static void restarts_refuse_nonsense(void **state)
{
    sked_life_restart_options o = {.struct_size = sizeof o};
    sked_life_restart_result r;
    sked_life_instance i = running();
    (void)state;

    assert_status(SKED_ERR_STATE, sked_life_restart(&i, 0, &o, &r, NULL));
    i.state = SKED_LIFE_TASK_DELETED;
    assert_status(SKED_ERR_STATE, sked_life_restart(&i, 0, &o, &r, NULL));
    i.state = FAILED;
    assert_status(SKED_ERR_RANGE, sked_life_restart(&i, 3, &o, &r, NULL));
    assert_status(SKED_ERR_ARG, sked_life_restart(NULL, 0, &o, &r, NULL));
    assert_status(SKED_ERR_ARG, sked_life_restart(&i, 0, &o, NULL, NULL));
    o.type = 5;
    assert_status(SKED_ERR_RANGE, sked_life_restart(&i, 0, &o, &r, NULL));
    o = (sked_life_restart_options){.struct_size = sizeof o, .again = 4};
    assert_status(SKED_ERR_RANGE, sked_life_restart(&i, 0, &o, &r, NULL));
    o = (sked_life_restart_options){.struct_size = sizeof o,
                                    .end_preempted = 2};
    assert_status(SKED_ERR_RANGE, sked_life_restart(&i, 0, &o, &r, NULL));
    o = (sked_life_restart_options){.struct_size = sizeof o, .first_ns = -1};
    assert_status(SKED_ERR_RANGE, sked_life_restart(&i, 0, &o, &r, NULL));
    o = (sked_life_restart_options){.struct_size = sizeof o, .most_ns = -1};
    assert_status(SKED_ERR_RANGE, sked_life_restart(&i, 0, &o, &r, NULL));
    o.struct_size = 2;
    assert_status(SKED_ERR_VERSION, sked_life_restart(&i, 0, &o, &r, NULL));
    i.told = 7;
    assert_status(SKED_ERR_RANGE, sked_life_restart(&i, 0, NULL, &r, NULL));
}

static void placement_is_tried_in_cycles(void **state)
{
    sked_life_tries t = {0};
    sked_life_placing_result r;
    const int64_t minutes[] = {10, 15, 20, 10, 15, 20, 10, 15, 20};
    (void)state;

    for (int i = 0; i < 9; i++) {
        assert_ok(sked_life_placing_begin(SKED_LIFE_TASK_PLACING, NULL, &t, &r,
                                          NULL));
        assert_i64(r.timeout_ns, minutes[i] * 60 * SEC);
        assert_int_equal(r.cycle_over, i % 3 == 2);
        assert_int_equal(r.all_over, i == 8);
    }
    assert_ok(
        sked_life_placing_begin(SKED_LIFE_TASK_LAUNCHING, NULL, &t, &r, NULL));
    assert_i64(r.timeout_ns, 20 * 60 * (int64_t)SEC);
    assert_ok(
        sked_life_placing_begin(SKED_LIFE_TASK_PREEMPTING, NULL, &t, &r, NULL));
    assert_i64(r.timeout_ns, 10 * 60 * (int64_t)SEC);
    assert_ok(
        sked_life_placing_begin(SKED_LIFE_TASK_RESERVED, NULL, &t, &r, NULL));
    assert_i64(r.timeout_ns, 30 * 60 * (int64_t)SEC);
    assert_ok(
        sked_life_placing_begin(SKED_LIFE_TASK_READY, NULL, &t, &r, NULL));
    assert_i64(r.timeout_ns, 0);
    assert_ok(
        sked_life_placing_timeout(SKED_LIFE_TASK_RESERVED, NULL, &t, &r, NULL));
    assert_int_equal(t.attempt + t.cycle, 0);
    assert_ok(sked_life_placing_timeout(SKED_LIFE_TASK_LAUNCHING, NULL, &t, &r,
                                        NULL));
    assert_int_equal(r.to, SKED_LIFE_TASK_READY);
    assert_ok(sked_life_placing_timeout(SKED_LIFE_TASK_PREEMPTING, NULL, &t, &r,
                                        NULL));
    assert_int_equal(r.to, SKED_LIFE_TASK_RUNNING);
}

static void a_node_is_reserved_in_the_end(void **state)
{
    sked_life_placing_options o = {.struct_size = sizeof o,
                                   .attempts = 2,
                                   .cycles = 2,
                                   .reserve = 1,
                                   .placing_ns = 10};
    sked_life_tries t = {2, 0};
    sked_life_placing_result r;
    (void)state;

    assert_ok(
        sked_life_placing_timeout(SKED_LIFE_TASK_PLACING, &o, &t, &r, NULL));
    assert_int_equal(r.to, SKED_LIFE_TASK_PENDING);
    assert_int_equal(r.reserve, 0);
    t.cycle = 1;
    assert_ok(
        sked_life_placing_timeout(SKED_LIFE_TASK_PLACING, &o, &t, &r, NULL));
    assert_int_equal(r.to, SKED_LIFE_TASK_READY);
    assert_int_equal(r.reserve, 1);
    t.attempt = 1; /* in the middle of a cycle */
    assert_ok(
        sked_life_placing_timeout(SKED_LIFE_TASK_PLACING, &o, &t, &r, NULL));
    assert_int_equal(r.to, SKED_LIFE_TASK_READY);
    assert_int_equal(r.reserve, 0);
    assert_ok(
        sked_life_placing_return(SKED_LIFE_TASK_PENDING, &o, &t, &r, NULL));
    assert_int_equal(r.to, SKED_LIFE_TASK_PENDING);
    o.attempts = 0; /* all alike, and none is the last */
    assert_ok(
        sked_life_placing_begin(SKED_LIFE_TASK_PLACING, &o, &t, &r, NULL));
    assert_i64(r.timeout_ns, 10);
    assert_int_equal(r.cycle_over + r.all_over, 0);
    t = (sked_life_tries){0};
    for (int i = 0; i < 3; i++) {
        assert_ok(
            sked_life_placing_begin(SKED_LIFE_TASK_PLACING, &o, &t, &r, NULL));
    }
    assert_int_equal(t.attempt, 3);
    assert_int_equal(t.cycle, 0);
}

static void placement_without_end_or_back_off(void **state)
{
    sked_life_placing_options o = {.struct_size = sizeof o,
                                   .attempts = 2,
                                   .plain = 1,
                                   .placing_ns = 10,
                                   .backoff_ns = INT64_MAX};
    sked_life_tries t = {1, UINT32_MAX};
    sked_life_placing_result r;
    (void)state;

    assert_ok(
        sked_life_placing_begin(SKED_LIFE_TASK_PLACING, &o, &t, &r, NULL));
    assert_i64(r.timeout_ns, 10); /* no more with each attempt */
    assert_ok(
        sked_life_placing_timeout(SKED_LIFE_TASK_PLACING, &o, &t, &r, NULL));
    assert_int_equal(r.to, SKED_LIFE_TASK_READY);
    assert_ok(
        sked_life_placing_return(SKED_LIFE_TASK_PLACING, &o, &t, &r, NULL));
    assert_int_equal(r.to, SKED_LIFE_TASK_READY);
    o.plain = 0;
    assert_ok(
        sked_life_placing_return(SKED_LIFE_TASK_PLACING, &o, &t, &r, NULL));
    assert_int_equal(r.to, SKED_LIFE_TASK_PENDING);
    assert_ok(
        sked_life_placing_begin(SKED_LIFE_TASK_PLACING, &o, &t, &r, NULL));
    assert_int_equal(t.cycle, UINT32_MAX);
    t.attempt = 1;
    assert_ok(
        sked_life_placing_begin(SKED_LIFE_TASK_PLACING, &o, &t, &r, NULL));
    assert_i64(r.timeout_ns, INT64_MAX);
    o.attempts = 4;
    t.attempt = 3;
    assert_ok(
        sked_life_placing_begin(SKED_LIFE_TASK_PLACING, &o, &t, &r, NULL));
    assert_i64(r.timeout_ns, INT64_MAX);
    o.placing_ns = 0;
    assert_ok(
        sked_life_placing_begin(SKED_LIFE_TASK_PLACING, &o, &t, &r, NULL));
    assert_i64(r.timeout_ns, 0); /* never */
}

static void placing_is_checked(void **state)
{
    sked_life_placing_options o = {.struct_size = sizeof o, .attempts = 4};
    sked_life_tries t = {1, 0};
    sked_life_placing_result r;
    (void)state;

    r.to = 77;
    assert_status(SKED_ERR_STATE, sked_life_placing_timeout(
                                      SKED_LIFE_TASK_READY, &o, &t, &r, NULL));
    assert_status(SKED_ERR_STATE, sked_life_placing_return(
                                      SKED_LIFE_TASK_PLACED, &o, &t, &r, NULL));
    assert_int_equal(r.to, 77);
    assert_status(SKED_ERR_RANGE,
                  sked_life_placing_begin(18, &o, &t, &r, NULL));
    assert_status(SKED_ERR_RANGE,
                  sked_life_placing_timeout(18, &o, &t, &r, NULL));
    assert_status(SKED_ERR_RANGE,
                  sked_life_placing_return(18, &o, &t, &r, NULL));
    assert_status(SKED_ERR_ARG, sked_life_placing_begin(4, &o, NULL, &r, NULL));
    assert_status(SKED_ERR_ARG, sked_life_placing_begin(4, &o, &t, NULL, NULL));
    int64_t *const times[] = {&o.placing_ns, &o.backoff_ns, &o.launching_ns,
                              &o.preempting_ns, &o.reserved_ns};
    for (size_t i = 0; i < 5; i++) {
        *times[i] = -1;
        assert_status(SKED_ERR_RANGE,
                      sked_life_placing_begin(4, &o, &t, &r, NULL));
        *times[i] = 0;
    }
    uint32_t *const flags[] = {&o.reserve, &o.plain};
    for (size_t i = 0; i < 2; i++) {
        *flags[i] = 2;
        assert_status(SKED_ERR_RANGE,
                      sked_life_placing_begin(4, &o, &t, &r, NULL));
        *flags[i] = 0;
    }
    o.reserved = 1;
    assert_status(SKED_ERR_ARG, sked_life_placing_begin(4, &o, &t, &r, NULL));
    o.reserved = 0;
    o.struct_size = 4;
    assert_status(SKED_ERR_VERSION,
                  sked_life_placing_begin(4, &o, &t, &r, NULL));
}

static void nodes_on_which_things_fail_go_out(void **state)
{
    const sked_life_node_options o = {.struct_size = sizeof o,
                                      .failures = 3,
                                      .within_ns = 100,
                                      .first_ns = 50,
                                      .most_ns = 120};
    sked_life_record r = {0};
    sked_life_nodes nodes = {10, 0};
    (void)state;

    for (int i = 0; i < 2; i++) {
        assert_ok(sked_life_node_fail(&r, i, &o, &nodes, NULL));
    }
    assert_ok(sked_life_node_fail(&r, 101, &o, &nodes, NULL));
    assert_int_equal(r.failures, 1); /* the first two are too long ago */
    assert_ok(sked_life_node_fail(&r, 102, &o, &nodes, NULL));
    assert_false(sked_life_node_is_out(&r, 102, &nodes));
    assert_ok(sked_life_node_fail(&r, 103, &o, &nodes, NULL));
    assert_true(sked_life_node_is_out(&r, 103, &nodes));
    assert_int_equal(nodes.out, 1);
    sked_life_node_succeed(&r); /* of what ended late: does not help */
    assert_ok(sked_life_node_fail(&r, 110, &o, &nodes, NULL));
    assert_true(sked_life_node_is_out(&r, 152, &nodes));
    assert_false(sked_life_node_is_out(&r, 153, &nodes));
    assert_int_equal(nodes.out, 0);
    /* One more failure is enough, and it is out for longer. */
    assert_ok(sked_life_node_fail(&r, 160, &o, &nodes, NULL));
    assert_i64(r.until, 260);
    assert_ok(sked_life_node_fail(&r, 260, &o, &nodes, NULL));
    assert_i64(r.until, 380); /* at most 120 */
    assert_false(sked_life_node_is_out(&r, 400, NULL));
    sked_life_node_succeed(&r);
    assert_int_equal(r.times, 0);
    nodes.out = 1; /* a tenth of all: the cause must be another */
    for (int i = 0; i < 9; i++) {
        assert_ok(sked_life_node_fail(&r, 500, &o, &nodes, NULL));
    }
    assert_false(sked_life_node_is_out(&r, 500, &nodes));
    nodes = (sked_life_nodes){5, 0}; /* one always may */
    assert_ok(sked_life_node_fail(&r, 500, &o, &nodes, NULL));
    assert_true(sked_life_node_is_out(&r, 500, &nodes));
    sked_life_node_succeed(NULL);
    assert_false(sked_life_node_is_out(NULL, 0, &nodes));
}

static void quarantine_refuses_nonsense(void **state)
{
    sked_life_node_options o = {.struct_size = sizeof o};
    sked_life_record r = {0};
    sked_life_nodes nodes = {10, 0};
    sked_error err = {0};
    (void)state;

    r.reserved = 1;
    assert_status(SKED_ERR_ARG, sked_life_node_fail(&r, 1, &o, &nodes, &err));
    assert_string_equal(err.message, "node.reserved is not 0");
    assert_int_equal(r.failures, 0);
    r.reserved = 0;
    for (int i = 0; i < 5; i++) { /* by default */
        assert_false(sked_life_node_is_out(&r, i, &nodes));
        assert_ok(sked_life_node_fail(&r, i, NULL, &nodes, NULL));
    }
    assert_true(sked_life_node_is_out(&r, 5, &nodes));
    assert_status(SKED_ERR_ARG, sked_life_node_fail(NULL, 0, &o, &nodes, NULL));
    assert_status(SKED_ERR_ARG, sked_life_node_fail(&r, 0, &o, NULL, NULL));
    int64_t *const fields[] = {&o.within_ns, &o.first_ns, &o.most_ns,
                               &o.nodes_ppm};
    for (size_t i = 0; i < 4; i++) {
        *fields[i] = -1;
        assert_status(SKED_ERR_RANGE,
                      sked_life_node_fail(&r, 0, &o, &nodes, NULL));
        *fields[i] = 0;
    }
    o.nodes_ppm = SKED_PPM + 1;
    assert_status(SKED_ERR_RANGE, sked_life_node_fail(&r, 0, &o, &nodes, NULL));
    o.struct_size = 4;
    assert_status(SKED_ERR_VERSION,
                  sked_life_node_fail(&r, 0, &o, &nodes, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(delays_double),
        cmocka_unit_test(restarts_follow_the_policy),
        cmocka_unit_test(services_are_restarted_by_their_type),
        cmocka_unit_test(restarts_refuse_nonsense),
        cmocka_unit_test(placement_is_tried_in_cycles),
        cmocka_unit_test(a_node_is_reserved_in_the_end),
        cmocka_unit_test(placement_without_end_or_back_off),
        cmocka_unit_test(placing_is_checked),
        cmocka_unit_test(nodes_on_which_things_fail_go_out),
        cmocka_unit_test(quarantine_refuses_nonsense),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
