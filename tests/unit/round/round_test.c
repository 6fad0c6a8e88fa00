/* Rounds one by one: contracts, grace, what is refused, memory. */
#include "test.h"

#include <sched/decision.h>
#include <sched/round.h>

#include "host.h"
#include "round/state.h"
#include "round_fixture.h"

static void assert_next(sked_round *round, uint16_t what, uint32_t count)
{
    sked_round_action action;
    size_t n;

    assert_ok(sked_round_take(round, &action, 1, &n, NULL));
    assert_int_equal(n, what != 0);
    if (n == 0) return;
    assert_int_equal(action.what, what);
    assert_i64(action.count, count);
    assert_int_equal(action.flags & SKED_ROUND_MARK_FLAG_PREEMPTED,
                     what == SKED_ROUND_ORDER_KILL);
}

static void tasks_under_notice_are_killed_after_the_grace(void **state)
{
    sked_round *round = rounds(0, GRACE);
    sked_wide lost;
    (void)state;

    assert_i64(sked_round_next(round), SKED_UNLIMITED);
    assert_ok(want(round, 1, 2, 1000));
    assert_next(round, SKED_ROUND_ORDER_NOTIFY, 2);
    assert_next(round, 0, 0);
    assert_i64(sked_round_next(round), 1000 + GRACE);
    assert_ok(want(round, 1, 2, 1000 + GRACE - 1));
    assert_next(round, 0, 0);
    assert_ok(want(round, 1, 2, 1000 + GRACE));
    assert_next(round, SKED_ROUND_ORDER_KILL, 2);
    assert_i64(sked_round_mark_count(round, 1), 2); /* on the way */
    assert_i64(sked_round_next(round), SKED_UNLIMITED);
    assert_ok(want(round, 1, 2, 5000)); /* not stopped twice */
    assert_next(round, 0, 0);
    assert_ok(sked_round_lost_work(round, 0, &lost));
    assert_true(lost.high == 0 && lost.low == 2 * 10 * (1000 + GRACE));
    sked_round_free(round);
}

static void the_default_grace_is_15_seconds(void **state)
{
    sked_round *round = rounds(0, 0);
    (void)state;

    assert_ok(want(round, 1, 1, 0));
    assert_i64(sked_round_next(round), INT64_C(15000000000));
    sked_round_free(round);
}

static void marks_lapse_when_the_need_has_gone(void **state)
{
    sked_round *round = rounds(0, GRACE);
    (void)state;

    assert_ok(want(round, 1, 5, 0));
    assert_next(round, SKED_ROUND_ORDER_NOTIFY, 5);
    assert_ok(want(round, 1, 2, GRACE)); /* at the very deadline */
    assert_next(round, SKED_ROUND_ORDER_WITHDRAW, 3);
    assert_next(round, SKED_ROUND_ORDER_KILL, 2);
    assert_ok(want(round, 2, 1, GRACE));
    assert_next(round, SKED_ROUND_ORDER_NOTIFY, 1);
    assert_ok(want(round, 2, 0, GRACE + 1));
    assert_next(round, SKED_ROUND_ORDER_WITHDRAW, 1);
    assert_ok(want(round, 2, 1, GRACE + 2)); /* a new mark, a new grace */
    assert_next(round, SKED_ROUND_ORDER_NOTIFY, 1);
    assert_i64(sked_round_next(round), 2 * GRACE + 2);
    sked_round_free(round);
}

/* The application ends one of the two by itself; that counts, and so do other
 * tasks of its own, as the next selection wants less. */
static void what_an_application_frees_is_credited(void **state)
{
    const uint64_t key = 1;
    sked_round_stats counts = {.struct_size = sizeof counts};
    sked_round *round = rounds(0, GRACE);
    (void)state;

    assert_ok(want(round, 1, 3, 0));
    assert_ok(sked_round_end(round, &key, NULL, 1, NULL));
    assert_i64(sked_round_mark_count(round, 1), 2);
    assert_ok(want(round, 1, 1, GRACE)); /* it freed another one elsewhere */
    assert_next(round, SKED_ROUND_ORDER_NOTIFY, 3);
    assert_next(round, SKED_ROUND_ORDER_WITHDRAW, 1);
    assert_next(round, SKED_ROUND_ORDER_KILL, 1);
    assert_ok(sked_round_get_stats(round, &counts));
    assert_true(counts.rounds == 2 && counts.notified == 3 &&
                counts.killed == 1 && counts.withdrawn == 1 &&
                counts.released == 1);
    assert_ok(sked_round_end(round, &key, NULL, 1, NULL));
    assert_i64(sked_round_mark_count(round, 1), 0);
    counts.struct_size = 4;
    assert_status(SKED_ERR_VERSION, sked_round_get_stats(round, &counts));
    sked_round_free(round);
}

/* [CAP-7] The negotiable one asks for an amount and lists the tasks that would
 * be killed for it, the strict one asks for exactly the tasks it lists. */
static void there_are_two_contracts(void **state)
{
    const uint64_t keys[] = {4, 2, 9}, jobs[] = {JOB, JOB, 8};
    const uint32_t counts[] = {3, 1, 1};
    const int64_t amounts[] = {10, 7, 1};
    const uint8_t strict[] = {0, 1, 0};
    sked_round_input in = {.struct_size = sizeof in,
                           .n = 3,
                           .key = keys,
                           .count = counts,
                           .job = jobs,
                           .amount = amounts,
                           .strict = strict};
    sked_round *round = rounds(0, GRACE);
    sked_round_mark mark[3];
    int64_t sum;
    size_t n;
    (void)state;

    assert_ok(sked_round_update(round, &in, 0, NULL));
    assert_ok(sked_round_contract(round, JOB, SKED_ROUND_CONTRACT_NEGOTIABLE,
                                  &sum, mark, 3, &n));
    assert_int_equal(n, 1);
    assert_i64(sum, 30);
    assert_true(mark[0].key == 4 && mark[0].count == 3);
    assert_ok(sked_round_contract(round, JOB, SKED_ROUND_CONTRACT_STRICT, &sum,
                                  mark, 3, &n));
    assert_int_equal(n, 1);
    assert_true(mark[0].key == 2 && sum == 7);
    assert_status(SKED_ERR_RANGE,
                  sked_round_contract(round, JOB, SKED_ROUND_CONTRACT_STRICT,
                                      NULL, mark, 0, &n));
    assert_int_equal(n, 1);
    assert_status(SKED_ERR_ARG,
                  sked_round_contract(round, JOB, 3, NULL, mark, 3, &n));

    in.n = 0; /* nothing is wanted any more: the strict mark stands */
    assert_ok(sked_round_update(round, &in, GRACE, NULL));
    sked_round_action action[8];
    assert_ok(sked_round_take(round, action, 8, &n, NULL));
    assert_int_equal(n, 6);
    assert_int_equal(action[3].what, SKED_ROUND_ORDER_KILL); /* by key: 2, 4,
                                                                9 */
    assert_int_equal(action[3].flags, SKED_ROUND_MARK_FLAG_PREEMPTED |
                                          SKED_ROUND_MARK_FLAG_STRICT);
    assert_int_equal(action[4].what, SKED_ROUND_ORDER_WITHDRAW);
    assert_int_equal(action[5].what, SKED_ROUND_ORDER_WITHDRAW);
    sked_round_free(round);
}

static void a_round_that_only_observes_stops_no_task(void **state)
{
    sked_round *round = rounds(SKED_ROUND_FLAG_OBSERVE, -1);
    sked_round_action action;
    size_t n;
    (void)state;

    assert_ok(want(round, 1, 1, 0));
    assert_ok(sked_round_take(round, &action, 1, &n, NULL));
    assert_int_equal(action.what, SKED_ROUND_ORDER_NOTIFY);
    assert_int_equal(action.flags, SKED_ROUND_MARK_FLAG_OBSERVED);
    assert_ok(want(round, 1, 1, INT64_MAX));
    assert_next(round, 0, 0);
    sked_round_free(round);
}

static void without_grace_no_task_gets_notice(void **state)
{
    sked_round *round = rounds(0, -1);
    (void)state;

    assert_ok(want(round, 1, 2, 50));
    assert_next(round, SKED_ROUND_ORDER_KILL, 2);
    assert_ok(want(round, 1, 3, 50));
    assert_next(round, SKED_ROUND_ORDER_KILL, 1);
    assert_i64(sked_round_mark_count(round, 1), 3);
    sked_round_free(round);
}

static void deadlines_end_with_time(void **state)
{
    sked_round *round = rounds(0, GRACE);
    (void)state;

    assert_ok(want(round, 1, 1, INT64_MAX - 1));
    assert_i64(sked_round_next(round), INT64_MAX);
    sked_round_free(round);
}

/* More than 2^128 - 1 is that. */
static void lost_work_ends_at_its_largest(void **state)
{
    const uint64_t key[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    const uint32_t count[] = {9, 9, 9, 9, 9, 9, 9, 9, 9};
    int64_t amount[9];
    sked_time since[9];
    sked_wide lost;
    sked_round *round = rounds(0, -1);
    sked_round_input in = {.struct_size = sizeof in,
                           .n = 9,
                           .key = key,
                           .count = count,
                           .amount = amount,
                           .unsaved_since = since};
    (void)state;

    for (size_t i = 0; i < 9; i++) {
        amount[i] = SKED_AMOUNT_MAX;
        since[i] = INT64_MIN + 1;
    }
    assert_ok(sked_round_update(round, &in, INT64_MAX, NULL));
    assert_ok(sked_round_lost_work(round, 0, &lost));
    assert_true(lost.high == UINT64_MAX && lost.low == UINT64_MAX);
    sked_round_mark mark[9];
    int64_t sum;
    size_t n;
    assert_ok(sked_round_contract(round, 0, SKED_ROUND_CONTRACT_NEGOTIABLE,
                                  &sum, mark, 9, &n));
    assert_int_equal(n, 0); /* what is being stopped is in no contract */
    sked_round_free(round);
}

/* Four tasks of 2^62 for one nanosecond. */
static void lost_work_beyond_64_bits_is_exact(void **state)
{
    const uint64_t key = 1;
    const uint32_t count = 4;
    const int64_t amount = SKED_AMOUNT_MAX;
    const sked_time since = 0;
    sked_round *round = rounds(0, -1);
    sked_round_input in = {.struct_size = sizeof in,
                           .n = 1,
                           .key = &key,
                           .count = &count,
                           .amount = &amount,
                           .unsaved_since = &since};
    sked_wide lost;
    (void)state;

    assert_ok(sked_round_update(round, &in, 1, NULL));
    assert_ok(sked_round_lost_work(round, 0, &lost));
    assert_true(lost.high == 1 && lost.low == 0);
    sked_round_free(round);
}

/* An order to kill and a decision to kill are one thing. */
static void orders_are_numbered_as_decisions(void **state)
{
    (void)state;
    assert_int_equal(SKED_ROUND_ORDER_NOTIFY, SKED_DECISION_NOTIFY);
    assert_int_equal(SKED_ROUND_ORDER_KILL, SKED_DECISION_KILL);
    assert_int_equal(SKED_ROUND_ORDER_WITHDRAW, SKED_DECISION_WITHDRAW);
}

static void amounts_of_a_contract_have_an_end(void **state)
{
    const uint64_t key = 1;
    const uint32_t count = 9;
    const int64_t amount = SKED_AMOUNT_MAX;
    sked_round_input in = {.struct_size = sizeof in,
                           .n = 1,
                           .key = &key,
                           .count = &count,
                           .amount = &amount};
    sked_round *round = rounds(0, GRACE);
    sked_round_mark mark;
    int64_t sum;
    size_t n;
    (void)state;

    assert_ok(sked_round_update(round, &in, 0, NULL));
    assert_ok(sked_round_contract(round, 0, SKED_ROUND_CONTRACT_NEGOTIABLE,
                                  &sum, &mark, 1, &n));
    assert_i64(sum, SKED_UNLIMITED);
    sked_round_free(round);
}

static void nothing_said_of_a_task_costs_nothing(void **state)
{
    const uint64_t key = 1;
    sked_round_input in = {.struct_size = sizeof in, .n = 1, .key = &key};
    sked_round *round = rounds(0, -1);
    sked_wide lost;
    (void)state;

    assert_ok(sked_round_update(round, &in, 5, NULL));
    assert_ok(sked_round_lost_work(round, 0, &lost));
    assert_true(lost.high == 0 && lost.low == 0);
    sked_round_free(round);
}

/* Actions that pile up are moved to the front once half of them were taken. */
static void actions_wait_until_they_are_taken(void **state)
{
    sked_round *round = rounds(0, GRACE);
    sked_round_action action[3];
    size_t n;
    (void)state;

    for (uint64_t key = 1; key < 4; key++) {
        assert_ok(want(round, key, 1, (sked_time)key));
    }
    assert_ok(sked_round_take(round, action, 3, &n, NULL)); /* of five */
    assert_int_equal(action[2].what, SKED_ROUND_ORDER_NOTIFY);
    assert_ok(want(round, 4, 1, 4));
    assert_next(round, SKED_ROUND_ORDER_WITHDRAW, 1);
    assert_next(round, SKED_ROUND_ORDER_NOTIFY, 1);
    assert_next(round, SKED_ROUND_ORDER_WITHDRAW, 1);
    assert_next(round, SKED_ROUND_ORDER_NOTIFY, 1);
    assert_next(round, 0, 0);
    sked_round_free(round);
}

/* ---- Memory ---- */

static void a_copy_goes_on_alike(void **state)
{
    sked_round *round = rounds(0, GRACE), *copy;
    (void)state;

    assert_ok(want(round, 1, 2, 0));
    assert_ok(want(round, 2, 2, 1));
    assert_next(round, SKED_ROUND_ORDER_NOTIFY, 2);
    assert_ok(sked_round_copy(round, NULL, &copy, NULL));
    assert_true(sked_round_digest(round) == sked_round_digest(copy));
    assert_ok(want(round, 2, 2, 200));
    assert_true(sked_round_digest(round) != sked_round_digest(copy));
    assert_ok(want(copy, 2, 2, 200));
    assert_true(sked_round_digest(round) == sked_round_digest(copy));
    assert_next(copy, SKED_ROUND_ORDER_WITHDRAW, 2);
    sked_round_free(copy);
    sked_round_free(round);
}

static void what_is_reserved_is_not_asked_for_again(void **state)
{
    test_host h = {0};
    sked_host host = test_host_hooks(&h);
    sked_round_action action[4];
    sked_round *round;
    size_t n;
    (void)state;

    host.flags = SKED_HOST_FLAG_RESERVED_ONLY;
    assert_ok(sked_round_new(NULL, &host, &round, NULL));
    assert_ok(sked_round_reserve(round, 1, NULL));
    h.trap = 1;
    for (uint64_t key = 1; key < 40; key++) {
        assert_ok(want(round, key, 1, (sked_time)key));
        assert_ok(sked_round_take(round, action, 4, &n, NULL));
    }
    h.trap = 0;
    sked_round_free(round);
    assert_int_equal(h.live, 0);
}

/* Selections of 40 rows over 40 marks of other keys, turn after turn. */
static void what_is_reserved_is_enough_for_every_selection(void **state)
{
    enum { MARKS = 40 };
    test_host h = {0};
    sked_host host = test_host_hooks(&h);
    sked_round_action action[2 * MARKS];
    uint64_t key[MARKS];
    sked_round_input in = {.struct_size = sizeof in, .n = MARKS, .key = key};
    sked_round *round;
    size_t n;
    (void)state;

    host.flags = SKED_HOST_FLAG_RESERVED_ONLY;
    assert_ok(sked_round_new(NULL, &host, &round, NULL));
    assert_ok(sked_round_reserve(round, MARKS, NULL));
    h.trap = 1;
    for (uint64_t turn = 0; turn < 6; turn++) {
        for (uint64_t i = 0; i < MARKS; i++) key[i] = turn * MARKS + i + 1;
        assert_ok(sked_round_update(round, &in, (sked_time)turn, NULL));
        assert_ok(sked_round_take(round, action, 2 * MARKS, &n, NULL));
    }
    h.trap = 0;
    sked_round_free(round);
    assert_int_equal(h.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_under_notice_are_killed_after_the_grace),
        cmocka_unit_test(the_default_grace_is_15_seconds),
        cmocka_unit_test(marks_lapse_when_the_need_has_gone),
        cmocka_unit_test(what_an_application_frees_is_credited),
        cmocka_unit_test(there_are_two_contracts),
        cmocka_unit_test(a_round_that_only_observes_stops_no_task),
        cmocka_unit_test(without_grace_no_task_gets_notice),
        cmocka_unit_test(deadlines_end_with_time),
        cmocka_unit_test(lost_work_ends_at_its_largest),
        cmocka_unit_test(lost_work_beyond_64_bits_is_exact),
        cmocka_unit_test(orders_are_numbered_as_decisions),
        cmocka_unit_test(amounts_of_a_contract_have_an_end),
        cmocka_unit_test(nothing_said_of_a_task_costs_nothing),
        cmocka_unit_test(actions_wait_until_they_are_taken),
        cmocka_unit_test(a_copy_goes_on_alike),
        cmocka_unit_test(what_is_reserved_is_not_asked_for_again),
        cmocka_unit_test(what_is_reserved_is_enough_for_every_selection),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
