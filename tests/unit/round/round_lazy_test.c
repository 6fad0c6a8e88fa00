/* Lazy rounds: what is due is offered, and stopped when its room is taken. */
#include "test.h"

#include <sched/round.h>

#include <string.h>

#include "host.h"

enum { GRACE = 100, JOB = 7 };

static sked_round *lazy_rounds(const sked_host *host, uint32_t flags,
                               int64_t grace)
{
    sked_round_options options = {.struct_size = sizeof options,
                                  .flags = SKED_ROUND_FLAG_LAZY | flags,
                                  .grace_ns = grace};
    sked_round *round;

    assert_ok(sked_round_new(&options, host, &round, NULL));
    return round;
}

/* Wants `count` tasks of one key of job 7, each of 10 units. */
static sked_status want(sked_round *round, uint64_t key, uint32_t count,
                        uint8_t strict, sked_time now)
{
    const uint64_t job = JOB;
    const int64_t amount = 10;
    const sked_time since = 0;
    sked_round_input in = {.struct_size = sizeof in,
                           .n = count > 0,
                           .key = &key,
                           .count = &count,
                           .job = &job,
                           .amount = &amount,
                           .unsaved_since = &since,
                           .strict = &strict};

    return sked_round_update(round, &in, now, NULL);
}

static sked_status claim(sked_round *round, uint64_t key, uint32_t count,
                         sked_time now)
{
    return sked_round_claim(round, &key, &count, 1, now, NULL);
}

static sked_round_action next_action(sked_round *round, uint16_t what,
                                     uint32_t count)
{
    sked_round_action action = {0};
    size_t n;

    assert_ok(sked_round_take(round, &action, 1, &n, NULL));
    assert_int_equal(n, what != 0);
    assert_int_equal(action.what, what);
    assert_i64(action.count, count);
    return action;
}

static void tasks_that_are_due_run_until_their_place_is_taken(void **state)
{
    sked_round *round = lazy_rounds(NULL, 0, GRACE);
    sked_wide lost;
    (void)state;

    assert_ok(want(round, 1, 3, 0, 0));
    (void)next_action(round, SKED_ROUND_ORDER_NOTIFY, 3);
    assert_ok(want(round, 1, 3, 0, GRACE));
    assert_int_equal(next_action(round, SKED_ROUND_ORDER_OFFER, 3).deadline,
                     GRACE);
    assert_i64(sked_round_offer_count(round, 1), 3);
    assert_i64(sked_round_next(round), SKED_UNLIMITED);
    for (sked_time now = 2 * GRACE; now < 9 * GRACE; now += GRACE) {
        assert_ok(want(round, 1, 3, 0, now)); /* said once */
        (void)next_action(round, 0, 0);
    }
    assert_ok(claim(round, 1, 2, 1000));
    sked_round_action killed = next_action(round, SKED_ROUND_ORDER_KILL, 2);
    assert_int_equal(killed.flags, SKED_ROUND_MARK_FLAG_PREEMPTED);
    assert_int_equal(killed.job, JOB);
    assert_i64(sked_round_offer_count(round, 1), 1);
    assert_i64(sked_round_mark_count(round, 1), 3); /* two are on their way */
    assert_ok(sked_round_lost_work(round, 0, &lost));
    assert_true(lost.high == 0 && lost.low == 2 * 10 * 1000);
    assert_ok(sked_round_check(round, NULL));
    sked_round_free(round);
}

static void who_is_not_wanted_any_more_is_let_off(void **state)
{
    sked_round_stats counts = {.struct_size = sizeof counts};
    sked_round *round = lazy_rounds(NULL, 0, GRACE);
    (void)state;

    assert_ok(want(round, 1, 3, 0, 0));
    (void)next_action(round, SKED_ROUND_ORDER_NOTIFY, 3);
    assert_ok(want(round, 1, 3, 0, GRACE));
    (void)next_action(round, SKED_ROUND_ORDER_OFFER, 3);
    assert_ok(want(round, 1, 1, 0, GRACE));
    (void)next_action(round, SKED_ROUND_ORDER_WITHDRAW, 2);
    assert_ok(want(round, 1, 0, 0, GRACE));
    (void)next_action(round, SKED_ROUND_ORDER_WITHDRAW, 1);
    assert_i64(sked_round_offer_count(round, 1), 0);
    assert_ok(sked_round_get_stats(round, &counts));
    assert_true(counts.killed == 0 && counts.withdrawn == 3);
    assert_ok(want(round, 1, 1, 0, GRACE + 1)); /* a new mark, a new grace */
    (void)next_action(round, SKED_ROUND_ORDER_NOTIFY, 1);
    assert_i64(sked_round_offer_count(round, 1), 0);
    sked_round_free(round);
}

/* [CAP-7] What is offered is still negotiable. */
static void what_is_offered_stays_in_its_contract(void **state)
{
    sked_round *round = lazy_rounds(NULL, 0, GRACE);
    sked_round_mark mark;
    int64_t amount;
    size_t n;
    (void)state;

    assert_ok(want(round, 1, 2, 0, 0));
    assert_ok(want(round, 1, 2, 0, GRACE));
    assert_ok(sked_round_contract(round, JOB, SKED_ROUND_CONTRACT_NEGOTIABLE,
                                  &amount, &mark, 1, &n));
    assert_true(n == 1 && mark.count == 2 && amount == 20);
    assert_int_equal(mark.flags, SKED_ROUND_MARK_FLAG_OFFERED);
    assert_ok(claim(round, 1, 2, GRACE));
    assert_ok(sked_round_contract(round, JOB, SKED_ROUND_CONTRACT_NEGOTIABLE,
                                  &amount, &mark, 1, &n));
    assert_true(n == 0 && amount == 0);
    sked_round_free(round);
}

static void exactly_these_go_at_their_deadline(void **state)
{
    sked_round *round = lazy_rounds(NULL, 0, GRACE);
    (void)state;

    assert_ok(want(round, 1, 2, 1, 0));
    (void)next_action(round, SKED_ROUND_ORDER_NOTIFY, 2);
    assert_ok(want(round, 1, 3, 0, GRACE));
    (void)next_action(round, SKED_ROUND_ORDER_KILL, 2);
    (void)next_action(round, SKED_ROUND_ORDER_NOTIFY, 1);
    assert_ok(want(round, 1, 3, 0, 2 * GRACE));
    (void)next_action(round, SKED_ROUND_ORDER_OFFER, 1);
    sked_round_free(round);
}

static void without_grace_they_are_offered_at_once(void **state)
{
    sked_round *round = lazy_rounds(NULL, 0, -1);
    (void)state;

    assert_ok(want(round, 1, 2, 0, 5));
    assert_int_equal(next_action(round, SKED_ROUND_ORDER_OFFER, 2).deadline, 5);
    assert_ok(claim(round, 1, 2, 5));
    (void)next_action(round, SKED_ROUND_ORDER_KILL, 2);
    sked_round_free(round);
}

static void rounds_that_observe_offer_no_task(void **state)
{
    sked_round *round = lazy_rounds(NULL, SKED_ROUND_FLAG_OBSERVE, GRACE);
    (void)state;

    assert_ok(want(round, 1, 2, 0, 0));
    (void)next_action(round, SKED_ROUND_ORDER_NOTIFY, 2);
    assert_ok(want(round, 1, 2, 0, GRACE));
    (void)next_action(round, 0, 0);
    assert_status(SKED_ERR_STATE, claim(round, 1, 1, GRACE));
    sked_round_free(round);
}

static void claims_that_are_none_are_refused(void **state)
{
    const uint64_t twice[] = {1, 2, 1}, none[] = {1, 0};
    const uint32_t zero[] = {1, 0};
    sked_round *round = lazy_rounds(NULL, 0, -1);
    sked_error err;
    (void)state;

    assert_ok(want(round, 1, 3, 0, 0));
    (void)next_action(round, SKED_ROUND_ORDER_OFFER, 3);
    uint64_t before = sked_round_digest(round);
    assert_status(SKED_ERR_STATE, claim(round, 1, 4, 0));
    assert_status(SKED_ERR_STATE, claim(round, 2, 1, 0));
    assert_status(SKED_ERR_STATE,
                  sked_round_claim(round, twice, NULL, 2, 0, &err));
    assert_i64(err.row, 1);
    assert_i64(err.got, 1);
    assert_i64(err.limit, 0);
    assert_status(SKED_ERR_ARG,
                  sked_round_claim(round, none, NULL, 2, 0, &err));
    assert_i64(err.row, 1);
    assert_status(SKED_ERR_ARG,
                  sked_round_claim(round, twice, zero, 2, 0, &err));
    const uint64_t same[] = {1, 1};
    assert_status(SKED_ERR_EXISTS,
                  sked_round_claim(round, same, NULL, 2, 0, &err));
    assert_status(
        SKED_ERR_RANGE,
        sked_round_claim(round, same, NULL, (size_t)INT32_MAX + 1, 0, &err));
    assert_status(SKED_ERR_ARG, sked_round_claim(NULL, same, NULL, 1, 0, 0));
    assert_status(SKED_ERR_ARG,
                  sked_round_claim(round, NULL, NULL, 1, 0, NULL));
    assert_true(sked_round_digest(round) == before);
    assert_ok(sked_round_claim(round, NULL, NULL, 0, 0, NULL));
    assert_ok(sked_round_claim(round, same, NULL, 1, -5, NULL));
    assert_i64(sked_round_offer_count(NULL, 1), 0);
    sked_round_free(round);
}

static sked_status lazy_scenario(test_host *h, void *arg)
{
    sked_host hooks = test_host_hooks(h);
    sked_round_options options = {.struct_size = sizeof options,
                                  .flags = SKED_ROUND_FLAG_LAZY,
                                  .grace_ns = -1};
    sked_round *round = NULL;
    (void)arg;

    sked_status rc = sked_round_new(&options, &hooks, &round, NULL);
    for (uint64_t key = 1; key < 12 && rc == SKED_OK; key++) {
        rc = want(round, key, 2, 0, 0);
        uint64_t before = sked_round_digest(round);
        if (rc == SKED_OK) rc = claim(round, key, 1, 0);
        if (rc != SKED_OK) assert_true(sked_round_digest(round) == before);
    }
    sked_round_free(round);
    return rc;
}

static void a_claim_that_fails_changes_nothing(void **state)
{
    (void)state;
    test_sweep(lazy_scenario, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_that_are_due_run_until_their_place_is_taken),
        cmocka_unit_test(who_is_not_wanted_any_more_is_let_off),
        cmocka_unit_test(what_is_offered_stays_in_its_contract),
        cmocka_unit_test(exactly_these_go_at_their_deadline),
        cmocka_unit_test(without_grace_they_are_offered_at_once),
        cmocka_unit_test(rounds_that_observe_offer_no_task),
        cmocka_unit_test(claims_that_are_none_are_refused),
        cmocka_unit_test(a_claim_that_fails_changes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
