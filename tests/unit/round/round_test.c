/* Rounds one by one: contracts, grace, what is refused, memory. */
#include "test.h"

#include <sched/round.h>

#include <string.h>

#include "host.h"
#include "round/state.h"

enum { GRACE = 100, JOB = 7 };

static sked_round *rounds(uint32_t flags, int64_t grace)
{
    sked_round_options options = {
        .struct_size = sizeof options, .flags = flags, .grace_ns = grace};
    sked_round *round;

    assert_ok(sked_round_new(&options, NULL, &round, NULL));
    return round;
}

/* Wants `count` tasks of one key of job 7, each of 10 units. */
static sked_status want(sked_round *round, uint64_t key, uint32_t count,
                        sked_time now)
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
                           .unsaved_since = &since};

    return sked_round_update(round, &in, now, NULL);
}

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

static void who_is_told_is_stopped_after_the_grace(void **state)
{
    sked_round *round = rounds(0, GRACE);
    uint64_t high, low;
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
    assert_ok(sked_round_lost_work(round, 0, &high, &low));
    assert_true(high == 0 && low == 2 * 10 * (1000 + GRACE));
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

/* [CAP-7] One asks for an amount and says what would be taken, the other for
 * exactly these. */
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

static void who_only_observes_stops_nobody(void **state)
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

static void without_grace_nobody_is_told(void **state)
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
    uint64_t high, low;
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
    assert_ok(sked_round_lost_work(round, 0, &high, &low));
    assert_true(high == UINT64_MAX && low == UINT64_MAX);
    sked_round_mark mark[9];
    int64_t sum;
    size_t n;
    assert_ok(sked_round_contract(round, 0, SKED_ROUND_CONTRACT_NEGOTIABLE,
                                  &sum, mark, 9, &n));
    assert_int_equal(n, 0); /* what is being stopped is in no contract */
    sked_round_free(round);
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
    uint64_t high, low;
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
    assert_status(SKED_ERR_ARG, sked_round_lost_work(round, 1, &high, &low));
    assert_status(SKED_ERR_ARG, sked_round_lost_work(round, -1, &high, &low));
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
    uint64_t word;
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
    assert_status(SKED_ERR_ARG, sked_round_lost_work(NULL, 0, &word, &word));
    assert_status(SKED_ERR_ARG, sked_round_lost_work(round, 0, NULL, &word));
    assert_status(SKED_ERR_ARG, sked_round_lost_work(round, 0, &word, NULL));
    assert_ok(want(round, 1, 2, 0));
    assert_ok(want(round, 2, 2, 0));
    assert_i64(sked_round_mark_count(round, 2), 2);
    assert_i64(sked_round_mark_count(round, 1), 0);
    assert_ok(sked_round_contract(round, JOB, SKED_ROUND_CONTRACT_NEGOTIABLE,
                                  NULL, mark, 2, &n));
    assert_int_equal(n, 1);
    sked_round_free(round);
}

static void nothing_said_of_a_task_costs_nothing(void **state)
{
    const uint64_t key = 1;
    sked_round_input in = {.struct_size = sizeof in, .n = 1, .key = &key};
    sked_round *round = rounds(0, -1);
    uint64_t high, low;
    (void)state;

    in.reserved = 1;
    assert_status(SKED_ERR_ARG, sked_round_update(round, &in, 5, NULL));
    in.reserved = 0;
    assert_ok(sked_round_update(round, &in, 5, NULL));
    assert_ok(sked_round_lost_work(round, 0, &high, &low));
    assert_true(high == 0 && low == 0);
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

static void every_broken_invariant_is_found(void **state)
{
    sked_round *round = rounds(0, GRACE);
    (void)state;

    assert_ok(sked_round_check(round, NULL));
    const uint64_t keys[] = {1, 2, 2};
    for (size_t at = 0; at < 8; at++) {
        skedi_round_held held[3] = {{{0}, 0}};
        int64_t amount[3] = {0};
        skedi_round_list kept = round->list;
        for (size_t i = 0; i < 3; i++) {
            held[i].seen.key = keys[i];
            held[i].seen.count = 1;
            held[i].seen.deadline = (sked_time)i;
        }
        if (at == 0) held[1].seen.key = 0;
        if (at == 1) held[1].seen.count = 0;
        if (at == 2) held[1].seen.flags = SKED_ROUND_MARK_FLAG_PREEMPTED;
        if (at == 3) held[0].seen.key = 3;
        if (at == 4) held[1].seen.flags = SKED_ROUND_MARK_FLAG_STOPPING;
        if (at == 5) held[2].seen.deadline = 0;
        if (at == 6) amount[2] = -1;
        if (at == 7) amount[0] = SKED_AMOUNT_MAX + 1;
        round->list = (skedi_round_list){held, amount, 3, 3, 3};
        assert_status(SKED_ERR_INTERNAL, sked_round_check(round, NULL));
        held[2].seen.flags = SKED_ROUND_MARK_FLAG_STOPPING; /* may be last */
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
        cmocka_unit_test(who_is_told_is_stopped_after_the_grace),
        cmocka_unit_test(the_default_grace_is_15_seconds),
        cmocka_unit_test(marks_lapse_when_the_need_has_gone),
        cmocka_unit_test(what_an_application_frees_is_credited),
        cmocka_unit_test(there_are_two_contracts),
        cmocka_unit_test(who_only_observes_stops_nobody),
        cmocka_unit_test(without_grace_nobody_is_told),
        cmocka_unit_test(deadlines_end_with_time),
        cmocka_unit_test(lost_work_ends_at_its_largest),
        cmocka_unit_test(amounts_of_a_contract_have_an_end),
        cmocka_unit_test(selections_that_are_none_are_refused),
        cmocka_unit_test(the_hosts_clock_may_say_when),
        cmocka_unit_test(options_that_are_none_are_refused),
        cmocka_unit_test(reads_of_nothing_are_refused),
        cmocka_unit_test(odd_calls_are_refused),
        cmocka_unit_test(nothing_said_of_a_task_costs_nothing),
        cmocka_unit_test(actions_wait_until_they_are_taken),
        cmocka_unit_test(every_broken_invariant_is_found),
        cmocka_unit_test(a_copy_goes_on_alike),
        cmocka_unit_test(what_is_reserved_is_not_asked_for_again),
        cmocka_unit_test(a_selection_that_fails_changes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
