/* Admission one by one: lines, bounds, what is refused, memory. */
#include "test.h"

#include <sched/admit.h>

#include <string.h>

#include "host.h"

enum { GANGS = 4 };

typedef struct scene {
    sked_admit_input pool;
    sked_admit_result result;
    int64_t need[GANGS], held[SKED_ADMIT_HELD_SUMS];
    uint32_t order[GANGS];
    uint8_t kind[GANGS], line[GANGS], state[GANGS], outcome[GANGS];
    uint8_t line_after[GANGS];
    int32_t priority[GANGS];
} scene;

static const int64_t ten[] = {10}, none[] = {0};

/* `n` gangs of one kind that need 4 each, of 10. */
static scene *begin(scene *s, uint32_t n)
{
    *s = (scene){.need = {4, 4, 4, 4}};
    s->pool = (sked_admit_input){.struct_size = sizeof s->pool,
                                 .flags = SKED_ADMIT_FLAG_PREEMPTION,
                                 .kinds = 1,
                                 .n = n,
                                 .entitlement = ten,
                                 .slack = ten,
                                 .reservation = ten,
                                 .need = s->need,
                                 .priority = s->priority,
                                 .kind = s->kind,
                                 .line = s->line,
                                 .state = s->state};
    s->result = (sked_admit_result){.struct_size = sizeof s->result,
                                    .outcome = s->outcome,
                                    .line = s->line_after,
                                    .order = s->order,
                                    .held = s->held};
    return s;
}

static void admit(scene *s)
{
    assert_ok(sked_admit(&s->pool, NULL, &s->result, NULL));
}

static void the_first_kept_out_stops_its_line(void **state)
{
    scene s;
    (void)state;

    begin(&s, 4);
    s.need[1] = 8;
    admit(&s);
    assert_int_equal(s.result.admitted, 1);
    assert_int_equal(s.result.waiting, 3);
    assert_int_equal(s.outcome[1], SKED_ADMIT_OUTCOME_FULL);
    assert_int_equal(s.outcome[2], SKED_ADMIT_OUTCOME_WAITS);
    assert_i64(s.held[SKED_ADMIT_HELD_ALL], 4);
}

/* [PEL-16] */
static void the_highest_priority_is_first(void **state)
{
    scene s;
    (void)state;

    begin(&s, 4);
    s.priority[2] = 9;
    s.priority[3] = -9;
    admit(&s);
    assert_int_equal(s.result.admitted, 2);
    assert_int_equal(s.order[0], 2);
    assert_int_equal(s.order[1], 0);
}

/* [PEL-14] Preemptible work may have all that the pool is entitled to, other
 * work its reservation only; kept out, it does not stop the rest. */
static void what_is_not_preemptible_has_the_reservation(void **state)
{
    scene s;
    (void)state;

    begin(&s, 3);
    s.pool.reservation = none;
    s.kind[0] = SKED_ADMIT_GANG_FIXED;
    admit(&s);
    assert_int_equal(s.outcome[0], SKED_ADMIT_OUTCOME_MOVED);
    assert_int_equal(s.line_after[0], SKED_ADMIT_LINE_FIXED);
    assert_int_equal(s.result.admitted, 2);
    s.line[0] = SKED_ADMIT_LINE_FIXED;
    admit(&s);
    assert_int_equal(s.outcome[0], SKED_ADMIT_OUTCOME_FULL);
    s.pool.flags = 0; /* without preemption there is no such bound */
    admit(&s);
    assert_int_equal(s.outcome[0], SKED_ADMIT_OUTCOME_IN);
    assert_int_equal(s.order[0], 0);
    assert_i64(s.held[SKED_ADMIT_HELD_FIXED], 4);
}

static void
controllers_and_revocable_work_have_bounds_of_their_own(void **state)
{
    scene s;
    (void)state;

    begin(&s, 4);
    s.pool.controllers = none;
    s.pool.slack = none;
    s.kind[0] = SKED_ADMIT_GANG_CONTROLLER;
    s.kind[1] = SKED_ADMIT_GANG_REVOCABLE;
    admit(&s);
    assert_int_equal(s.line_after[0], SKED_ADMIT_LINE_CONTROLLER);
    assert_int_equal(s.line_after[1], SKED_ADMIT_LINE_REVOCABLE);
    assert_int_equal(s.result.admitted, 2);
    s.pool.slack = ten;
    s.pool.controllers = NULL;
    admit(&s);
    assert_int_equal(s.outcome[0], SKED_ADMIT_OUTCOME_IN);
    assert_int_equal(s.outcome[1], SKED_ADMIT_OUTCOME_IN);
    assert_i64(s.held[SKED_ADMIT_HELD_REVOCABLE], 4);
    assert_i64(s.held[SKED_ADMIT_HELD_CONTROLLER], 4);
}

static void shrunk_gangs_go_last_and_empty_ones_are_dropped(void **state)
{
    scene s;
    (void)state;

    begin(&s, 4);
    s.need[0] = 1;
    s.state[0] = SKED_ADMIT_STATE_SHRUNK;
    s.state[1] = SKED_ADMIT_STATE_EMPTY;
    s.pool.most = 2;
    admit(&s);
    assert_int_equal(s.outcome[0], SKED_ADMIT_OUTCOME_LAST);
    assert_int_equal(s.outcome[1], SKED_ADMIT_OUTCOME_GONE);
    assert_int_equal(s.result.admitted, 0);
    assert_int_equal(s.result.waiting, 3);
    const uint32_t order[] = {2, 3, 0, 1};
    assert_memory_equal(s.order, order, sizeof order);
    s.pool.most = 0;
    admit(&s);
    assert_int_equal(s.result.admitted, 3);
    assert_i64(s.held[SKED_ADMIT_HELD_ALL], 9);
}

static void pools_that_are_none_are_refused(void **state)
{
    scene s;
    sked_error err;
    const int64_t bad[] = {-1, SKED_AMOUNT_MAX + 1};
    (void)state;

    begin(&s, 2);
    assert_status(SKED_ERR_ARG, sked_admit(NULL, NULL, &s.result, NULL));
    assert_status(SKED_ERR_ARG, sked_admit(&s.pool, NULL, NULL, NULL));
    s.result.struct_size = 4;
    assert_status(SKED_ERR_VERSION, sked_admit(&s.pool, NULL, &s.result, NULL));
    begin(&s, 2)->pool.struct_size = 4;
    assert_status(SKED_ERR_VERSION, sked_admit(&s.pool, NULL, &s.result, NULL));
    begin(&s, 2)->pool.flags = 8;
    assert_status(SKED_ERR_ARG, sked_admit(&s.pool, NULL, &s.result, NULL));
    begin(&s, 2)->pool.need = NULL;
    assert_status(SKED_ERR_ARG, sked_admit(&s.pool, NULL, &s.result, NULL));
    begin(&s, 2)->pool.kinds = 0;
    assert_status(SKED_ERR_RANGE, sked_admit(&s.pool, NULL, &s.result, NULL));
    begin(&s, 2)->pool.kinds = SKED_MAX_KINDS + 1;
    assert_status(SKED_ERR_RANGE, sked_admit(&s.pool, NULL, &s.result, NULL));
    begin(&s, 2)->pool.n = UINT32_MAX;
    assert_status(SKED_ERR_RANGE, sked_admit(&s.pool, NULL, &s.result, NULL));
    for (int i = 0; i < 2; i++) { /* of a bound, which is no gang's */
        begin(&s, 2)->pool.slack = bad + i;
        assert_status(SKED_ERR_RANGE,
                      sked_admit(&s.pool, NULL, &s.result, &err));
        assert_i64(err.row, -1);
        assert_int_equal(err.kind, 0);
    }
    const int64_t held[SKED_ADMIT_HELD_SUMS] = {0, 0, -3, 0};
    begin(&s, 2)->pool.held = held;
    assert_status(SKED_ERR_RANGE, sked_admit(&s.pool, NULL, &s.result, &err));
    assert_i64(err.row, 2);
    begin(&s, 2)->need[1] = -3;
    assert_status(SKED_ERR_RANGE, sked_admit(&s.pool, NULL, &s.result, &err));
    assert_i64(err.row, 1);
    begin(&s, 2)->need[1] = SKED_AMOUNT_MAX;
    s.need[0] = SKED_AMOUNT_MAX;
    assert_status(SKED_ERR_RANGE, sked_admit(&s.pool, NULL, &s.result, &err));
}

static void gangs_that_are_none_are_refused(void **state)
{
    const sked_host odd = {.struct_size = 3};
    scene s;
    sked_error err;
    (void)state;

    begin(&s, 3)->kind[2] = 8;
    assert_status(SKED_ERR_ARG, sked_admit(&s.pool, NULL, &s.result, &err));
    assert_i64(err.row, 2);
    begin(&s, 3)->line[1] = 4;
    assert_status(SKED_ERR_ARG, sked_admit(&s.pool, NULL, &s.result, &err));
    assert_i64(err.row, 1);
    begin(&s, 3)->state[0] = 3;
    assert_status(SKED_ERR_ARG, sked_admit(&s.pool, NULL, &s.result, &err));
    begin(&s, 3);
    assert_status(SKED_ERR_VERSION, sked_admit(&s.pool, &odd, &s.result, NULL));
}

/* What is left out is nothing, 1 each, in the line of all. */
static void columns_may_be_left_out(void **state)
{
    scene s;
    (void)state;

    begin(&s, 3);
    s.pool.priority = NULL;
    s.pool.kind = s.pool.line = s.pool.state = NULL;
    s.pool.slack = s.pool.reservation = NULL;
    s.result = (sked_admit_result){.struct_size = sizeof s.result};
    admit(&s);
    assert_int_equal(s.result.admitted, 2);
    s.pool.entitlement = NULL;
    admit(&s);
    assert_int_equal(s.result.admitted, 0);
    begin(&s, 0)->pool.need = NULL;
    admit(&s);
    assert_int_equal(s.result.waiting, 0);
}

static sked_status scenario(test_host *h, void *arg)
{
    sked_host hooks = test_host_hooks(h);
    scene *s = arg;

    memset(s->outcome, 99, sizeof s->outcome);
    sked_status rc = sked_admit(&s->pool, &hooks, &s->result, NULL);
    if (rc != SKED_OK) assert_int_equal(s->outcome[0], 99);
    return rc;
}

static void a_call_that_fails_writes_nothing(void **state)
{
    scene s;
    (void)state;

    begin(&s, 3);
    test_sweep(scenario, &s, 0);
}

static sked_status stop_at_once(void *user, uint64_t done, uint64_t total)
{
    (void)user;
    (void)done;
    (void)total;
    return -1500;
}

static void the_host_may_stop_it(void **state)
{
    sked_host host = {.struct_size = sizeof host, .progress = stop_at_once};
    scene s;
    (void)state;

    begin(&s, 3);
    assert_status(-1500, sked_admit(&s.pool, &host, &s.result, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_kept_out_stops_its_line),
        cmocka_unit_test(the_highest_priority_is_first),
        cmocka_unit_test(what_is_not_preemptible_has_the_reservation),
        cmocka_unit_test(
            controllers_and_revocable_work_have_bounds_of_their_own),
        cmocka_unit_test(shrunk_gangs_go_last_and_empty_ones_are_dropped),
        cmocka_unit_test(pools_that_are_none_are_refused),
        cmocka_unit_test(gangs_that_are_none_are_refused),
        cmocka_unit_test(columns_may_be_left_out),
        cmocka_unit_test(a_call_that_fails_writes_nothing),
        cmocka_unit_test(the_host_may_stop_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
