/* What a round refuses, and what its check finds. */
#include "test.h"

#include <sched/round.h>

#include "host.h"
#include "round/state.h"
#include "round_fixture.h"

/* ---- What is refused ---- */

static void selections_that_are_none_are_refused(void **state)
{
    uint64_t key[] = {5, 3, 5};
    uint32_t count[] = {1, 1, 1};
    int64_t amount[] = {1, -1, 1};
    sked_round *round = rounds(0, GRACE);
    uint64_t before = sked_round_digest(round);
    sked_error err;
    sked_round_input in = {.struct_size = sizeof in, .n = 3, .key = key};
    (void)state;

    assert_status(SKED_ERR_EXISTS, sked_round_update(round, &in, 0, &err));
    assert_i64(err.row, 2);
    key[2] = 0;
    assert_status(SKED_ERR_ARG, sked_round_update(round, &in, 0, &err));
    assert_i64(err.row, 2);
    key[2] = 6;
    in.count = count;
    count[1] = 0;
    assert_status(SKED_ERR_ARG, sked_round_update(round, &in, 0, &err));
    assert_i64(err.row, 1);
    in.count = NULL;
    in.amount = amount;
    assert_status(SKED_ERR_RANGE, sked_round_update(round, &in, 0, &err));
    assert_i64(err.row, 1);
    in.amount = NULL;
    in.flags = 1;
    assert_status(SKED_ERR_ARG, sked_round_update(round, &in, 0, &err));
    in.flags = 0;
    in.key = NULL;
    assert_status(SKED_ERR_ARG, sked_round_update(round, &in, 0, &err));
    in.key = key;
    in.n = (uint32_t)INT32_MAX + 1;
    assert_status(SKED_ERR_RANGE, sked_round_update(round, &in, 0, &err));
    in.struct_size = 8;
    assert_status(SKED_ERR_VERSION, sked_round_update(round, &in, 0, &err));
    assert_status(SKED_ERR_ARG, sked_round_update(round, NULL, 0, &err));
    assert_status(SKED_ERR_ARG, sked_round_update(NULL, &in, 0, &err));
    assert_status(SKED_ERR_STATE,
                  sked_round_update(round, &in, SKED_NOW, &err));
    assert_status(SKED_ERR_ARG, sked_round_update(NULL, &in, SKED_NOW, &err));
    assert_true(sked_round_digest(round) == before);
    sked_round_free(round);
}

static sked_time five(void *user)
{
    (void)user;
    return 5;
}

static void the_hosts_clock_may_say_when(void **state)
{
    const uint64_t key = 1;
    sked_host host = {.struct_size = sizeof host, .clock = five};
    sked_round_input in = {.struct_size = sizeof in, .n = 1, .key = &key};
    sked_round *round;
    (void)state;

    assert_ok(sked_round_new(NULL, &host, &round, NULL));
    assert_ok(sked_round_update(round, &in, SKED_NOW, NULL));
    assert_i64(sked_round_next(round), INT64_C(15000000005));
    sked_round_free(round);
}

static void options_that_are_none_are_refused(void **state)
{
    sked_round *round;
    sked_round_options options = {.struct_size = sizeof options, .flags = 4};
    (void)state;

    assert_status(SKED_ERR_ARG, sked_round_new(&options, NULL, &round, NULL));
    options.flags = 0;
    options.reserved = 1;
    assert_status(SKED_ERR_ARG, sked_round_new(&options, NULL, &round, NULL));
    options.reserved = 0;
    options.kinds = SKED_MAX_KINDS + 1;
    assert_status(SKED_ERR_RANGE, sked_round_new(&options, NULL, &round, NULL));
    options.kinds = 0;
    options.grace_ns = -2;
    assert_status(SKED_ERR_RANGE, sked_round_new(&options, NULL, &round, NULL));
    options.struct_size = 4;
    assert_status(SKED_ERR_VERSION,
                  sked_round_new(&options, NULL, &round, NULL));
    assert_status(SKED_ERR_ARG, sked_round_new(NULL, NULL, NULL, NULL));
    assert_null(round);
}

static void reads_of_nothing_are_refused(void **state)
{
    sked_round *round = rounds(0, GRACE), *copy;
    sked_round_mark mark;
    sked_round_action action;
    sked_wide lost;
    size_t n;
    (void)state;

    assert_status(SKED_ERR_ARG, sked_round_take(NULL, &action, 1, &n, NULL));
    assert_status(SKED_ERR_ARG, sked_round_take(round, NULL, 1, &n, NULL));
    assert_status(SKED_ERR_ARG, sked_round_take(round, &action, 1, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_round_marks(NULL, &mark, 1, &n));
    assert_ok(sked_round_marks(round, NULL, 0, &n));
    assert_ok(want(round, 1, 1, 0));
    assert_status(SKED_ERR_RANGE, sked_round_marks(round, NULL, 0, &n));
    assert_int_equal(n, 1);
    assert_status(SKED_ERR_ARG, sked_round_get_stats(NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_round_lost_work(round, 1, &lost));
    assert_status(SKED_ERR_ARG, sked_round_lost_work(round, UINT32_MAX, &lost));
    assert_status(SKED_ERR_ARG, sked_round_end(NULL, NULL, NULL, 0, NULL));
    assert_status(SKED_ERR_ARG, sked_round_end(round, NULL, NULL, 1, NULL));
    assert_status(SKED_ERR_ARG, sked_round_copy(NULL, NULL, &copy, NULL));
    assert_status(SKED_ERR_ARG, sked_round_copy(round, NULL, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_round_reserve(NULL, 1, NULL));
    assert_status(SKED_ERR_RANGE,
                  sked_round_reserve(round, (size_t)INT32_MAX + 1, NULL));
    assert_status(SKED_ERR_ARG, sked_round_check(NULL, NULL));
    assert_i64(sked_round_mark_count(NULL, 1), 0);
    assert_i64(sked_round_next(NULL), SKED_UNLIMITED);
    assert_true(sked_round_digest(NULL) == 0);
    sked_round_free(NULL);
    sked_round_free(round);
}

static const sked_host odd_host = {.struct_size = 4};

static void odd_calls_are_refused(void **state)
{
    sked_round *round = rounds(0, GRACE), *other;
    sked_round_mark mark[2];
    sked_round_action action;
    sked_round_stats counts = {.struct_size = sizeof counts};
    sked_wide lost;
    size_t n;
    (void)state;

    assert_status(SKED_ERR_VERSION,
                  sked_round_new(NULL, &odd_host, &other, NULL));
    assert_status(SKED_ERR_VERSION,
                  sked_round_copy(round, &odd_host, &other, NULL));
    assert_null(other);
    assert_ok(sked_round_copy(round, NULL, &other, NULL)); /* of nothing */
    sked_round_free(other);
    assert_ok(sked_round_take(round, NULL, 0, &n, NULL));
    assert_int_equal(n, 0);
    assert_status(SKED_ERR_ARG, sked_round_take(round, &action, 1, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_round_marks(round, mark, 1, NULL));
    assert_status(SKED_ERR_ARG, sked_round_marks(round, NULL, 1, &n));
    assert_status(SKED_ERR_ARG,
                  sked_round_contract(NULL, 1, 1, NULL, mark, 1, &n));
    assert_status(SKED_ERR_ARG,
                  sked_round_contract(round, 1, 1, NULL, mark, 1, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_round_contract(round, 1, 1, NULL, NULL, 1, &n));
    assert_status(SKED_ERR_ARG, sked_round_get_stats(NULL, &counts));
    assert_status(SKED_ERR_ARG, sked_round_get_stats(round, NULL));
    assert_status(SKED_ERR_ARG, sked_round_lost_work(NULL, 0, &lost));
    assert_status(SKED_ERR_ARG, sked_round_lost_work(round, 0, NULL));
    assert_ok(want(round, 1, 2, 0));
    assert_ok(want(round, 2, 2, 0));
    assert_i64(sked_round_mark_count(round, 2), 2);
    assert_i64(sked_round_mark_count(round, 1), 0);
    assert_ok(sked_round_contract(round, JOB, SKED_ROUND_CONTRACT_NEGOTIABLE,
                                  NULL, mark, 2, &n));
    assert_int_equal(n, 1);
    sked_round_free(round);
}

static void every_broken_invariant_is_found(void **state)
{
    sked_round *round = rounds(0, GRACE);
    (void)state;

    assert_ok(sked_round_check(round, NULL));
    const uint64_t keys[] = {1, 2, 2};
    for (size_t at = 0; at < 8; at++) {
        skedi_round_item item[3] = {{{0}, 0}};
        int64_t amount[3] = {0};
        skedi_round_list kept = round->list;
        for (size_t i = 0; i < 3; i++) {
            item[i].seen.key = keys[i];
            item[i].seen.count = 1;
            item[i].seen.deadline = (sked_time)i;
        }
        if (at == 0) item[1].seen.key = 0;
        if (at == 1) item[1].seen.count = 0;
        if (at == 2) item[1].seen.flags = SKED_ROUND_MARK_FLAG_PREEMPTED;
        if (at == 3) item[0].seen.key = 3;
        if (at == 4) item[1].seen.flags = SKED_ROUND_MARK_FLAG_STOPPING;
        if (at == 5) item[2].seen.deadline = 0;
        if (at == 6) amount[2] = -1;
        if (at == 7) amount[0] = SKED_AMOUNT_MAX + 1;
        round->list = (skedi_round_list){item, amount, 3, 3, 3};
        assert_status(SKED_ERR_INTERNAL, sked_round_check(round, NULL));
        item[2].seen.flags = SKED_ROUND_MARK_FLAG_STOPPING; /* may be last */
        (void)!sked_round_check(round, NULL);
        round->list = kept;
    }
    round->actions = 1;
    assert_status(SKED_ERR_INTERNAL, sked_round_check(round, NULL));
    round->actions = 0;
    round->first_action = 1;
    assert_status(SKED_ERR_INTERNAL, sked_round_check(round, NULL));
    round->first_action = 0;
    sked_round_free(round);
}

static sked_status round_scenario(test_host *h, void *arg)
{
    sked_host hooks = test_host_hooks(h);
    sked_round *round = NULL, *copy = NULL;
    (void)arg;

    sked_status rc = sked_round_new(NULL, &hooks, &round, NULL);
    if (rc == SKED_OK) rc = sked_round_reserve(round, 2, NULL);
    for (uint64_t key = 1; key < 12 && rc == SKED_OK; key++) {
        uint64_t before = sked_round_digest(round);
        rc = want(round, key, 2, 0);
        if (rc != SKED_OK) assert_true(sked_round_digest(round) == before);
    }
    if (rc == SKED_OK) rc = sked_round_copy(round, &hooks, &copy, NULL);
    sked_round_free(copy);
    sked_round_free(round);
    return rc;
}

static void a_selection_that_fails_changes_nothing(void **state)
{
    (void)state;
    test_sweep(round_scenario, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(selections_that_are_none_are_refused),
        cmocka_unit_test(the_hosts_clock_may_say_when),
        cmocka_unit_test(options_that_are_none_are_refused),
        cmocka_unit_test(reads_of_nothing_are_refused),
        cmocka_unit_test(odd_calls_are_refused),
        cmocka_unit_test(every_broken_invariant_is_found),
        cmocka_unit_test(a_selection_that_fails_changes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
