/* Problems that cannot be read, and plans with no room. */
#include "preempt_round.h"
#include "test.h"

static void refused(preempt_round *w, sked_status want, const char *message,
                    int64_t row)
{
    sked_preempt_result before = w->plan;

    assert_status(want, preempt_select(w));
    assert_string_equal(w->err.message, message);
    assert_i64(w->err.row, row);
    assert_memory_equal(&before, &w->plan, sizeof before);
    assert_status(want, sked_preempt_verify(&w->in, &w->plan, NULL, NULL));
}

static void bad_numbers_are_named(void **state)
{
    preempt_round w;
    (void)state;

    preempt_by_need(&w);
    w.usage[3] = -1;
    refused(&w, SKED_ERR_RANGE, "usage is out of range", 1);
    assert_i64(w.err.kind, 1);
    assert_i64(w.err.got, -1);
    preempt_by_need(&w);
    w.need[1] = SKED_AMOUNT_MAX + 1;
    refused(&w, SKED_ERR_RANGE, "need is out of range", 0);
    preempt_by_need(&w);
    w.amount[7] = -5;
    refused(&w, SKED_ERR_RANGE, "amount is out of range", 3);
    preempt_by_need(&w);
    w.cost[4] = -1;
    refused(&w, SKED_ERR_RANGE, "cost is out of range", 4);
    preempt_by_need(&w);
    w.cost[4] = w.cost[5] = SKED_AMOUNT_MAX;
    refused(&w, SKED_ERR_RANGE, "costs add up to more than an amount can be",
            4);
    preempt_by_need(&w);
    w.queue[13] = 3;
    refused(&w, SKED_ERR_ARG, "candidate: no such queue", 13);
    preempt_by_need(&w);
    w.in.kinds = 0;
    refused(&w, SKED_ERR_RANGE, "kinds is out of range", -1);
    preempt_by_need(&w);
    w.in.n_queues = SKED_MAX_QUEUES + 1;
    refused(&w, SKED_ERR_RANGE, "too many queues", -1);
    preempt_by_need(&w);
    w.in.n = UINT32_MAX;
    refused(&w, SKED_ERR_RANGE, "too many rows", -1);
}

static void rows_that_are_not_there_are_named(void **state)
{
    uint32_t ones[14], offset[2] = {0, 1}, place[1] = {7};
    uint32_t gangs[14] = {1, 1};
    const int64_t some[14 * KINDS] = {0};
    preempt_round w;
    (void)state;

    for (int i = 0; i < 14; i++) ones[i] = 1;
    preempt_by_request(&w);
    w.node[5] = 7;
    refused(&w, SKED_ERR_ARG, "candidate: no such node", 5);
    preempt_by_request(&w);
    w.in.job = ones;
    w.in.n_jobs = 1;
    w.in.job_budget = some;
    refused(&w, SKED_ERR_ARG, "candidate: no such job", 0);
    preempt_by_request(&w);
    w.in.user = ones;
    w.in.n_users = 1;
    w.in.user_budget = some;
    refused(&w, SKED_ERR_ARG, "candidate: no such user", 0);
    preempt_by_request(&w);
    w.in.request_user = ones;
    w.in.user_usage = some;
    w.in.n_users = 1;
    refused(&w, SKED_ERR_ARG, "request: no such user", 0);
    preempt_by_request(&w);
    w.request_queue[0] = 3;
    refused(&w, SKED_ERR_ARG, "request: no such queue", 0);
    preempt_by_request(&w);
    w.request_amount[0] = w.request_amount[1] = 0;
    refused(&w, SKED_ERR_ARG, "request asks for nothing", 0);
    preempt_by_request(&w);
    w.in.place_offset = offset;
    w.in.place = place;
    refused(&w, SKED_ERR_ARG, "request: no such node", 0);
    offset[0] = 2;
    refused(&w, SKED_ERR_ARG, "places end before they begin", 0);
    preempt_by_need(&w);
    w.in.gang = gangs;
    w.in.priority = (const int32_t *)ones;
    ones[1] = 2;
    refused(&w, SKED_ERR_ARG, "rows of a gang do not agree", 1);
}

static void missing_columns_are_refused(void **state)
{
    static const int32_t key = SKED_RANK_KEY_HOST;
    sked_rank_input rank = {
        .struct_size = sizeof rank, .n = 13, .n_keys = 1, .keys = &key};
    const uint32_t offset[2] = {0, 0};
    preempt_round w;
    (void)state;

    preempt_by_need(&w);
    w.in.need = NULL;
    refused(&w, SKED_ERR_ARG, "neither need nor requests", -1);
    preempt_by_need(&w);
    w.in.share = NULL;
    refused(&w, SKED_ERR_ARG, "queues lack usage, share or keep", -1);
    preempt_by_need(&w);
    w.in.amount = NULL;
    refused(&w, SKED_ERR_ARG, "candidates lack queue or amount", -1);
    preempt_by_need(&w);
    w.in.job_budget = w.need;
    refused(&w, SKED_ERR_ARG, "budgets lack the rows they speak of", -1);
    preempt_by_request(&w);
    w.in.request_amount = NULL;
    refused(&w, SKED_ERR_ARG, "requests lack share, queue or amount", -1);
    preempt_by_request(&w);
    w.in.node = NULL;
    refused(&w, SKED_ERR_ARG, "candidates lack their nodes", -1);
    preempt_by_request(&w);
    w.in.place_offset = offset;
    refused(&w, SKED_ERR_ARG, "places lack their nodes", -1);
    preempt_by_request(&w);
    w.in.flags = SKED_PREEMPT_FLAG_BY_USER;
    refused(&w, SKED_ERR_ARG, "users lack usage, share or rows", -1);
    preempt_by_need(&w);
    w.in.flags = 64;
    refused(&w, SKED_ERR_ARG, "input has unknown flags", -1);
    preempt_by_need(&w);
    w.in.rank = &rank;
    refused(&w, SKED_ERR_ARG, "rank is not over these candidates", -1);
    preempt_by_need(&w);
    w.in.struct_size = 12;
    refused(&w, SKED_ERR_VERSION, "input has an unknown struct_size", -1);
    preempt_by_need(&w);
    w.plan.struct_size = 12;
    refused(&w, SKED_ERR_VERSION, "plan has an unknown struct_size", -1);
    assert_status(SKED_ERR_ARG, sked_preempt_select(NULL, NULL, &w.plan, NULL));
    assert_status(SKED_ERR_ARG, sked_preempt_select(&w.in, NULL, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_preempt_verify(&w.in, NULL, NULL, NULL));
}

static void sums_that_overflow_are_named(void **state)
{
    uint32_t gangs[14] = {1, 1};
    preempt_round w;
    (void)state;

    preempt_by_need(&w);
    w.in.count = w.count;
    w.count[2] = 3;
    w.amount[4] = SKED_AMOUNT_MAX / 2;
    refused(&w, SKED_ERR_RANGE, "amount is out of range", 2);
    preempt_by_need(&w);
    w.amount[0] = w.amount[2] = SKED_AMOUNT_MAX;
    w.in.gang = gangs;
    refused(&w, SKED_ERR_RANGE, "amount is out of range", 1);
    preempt_by_request(&w);
    w.free[0] = SKED_AMOUNT_MAX;
    refused(&w, SKED_ERR_RANGE,
            "tasks on a node hold more than an amount can be", 0);
}

static void gangs_are_of_less_than_2_to_the_31(void **state)
{
    uint32_t gangs[14] = {1, 1};
    preempt_round w;
    (void)state;

    preempt_by_need(&w);
    w.in.count = w.count;
    w.in.gang = gangs;
    w.in.cost = NULL;
    w.count[0] = w.count[1] = (uint32_t)1 << 30;
    refused(&w, SKED_ERR_RANGE, "a gang is too large", 0);
    assert_i64(w.err.got, (int64_t)1 << 31);
}

static void a_plan_that_is_too_small_says_what_it_needs(void **state)
{
    preempt_round w;
    (void)state;

    preempt_by_need(&w);
    w.plan.victims_cap = 2;
    assert_status(SKED_ERR_RANGE, preempt_select(&w));
    assert_i64((int64_t)w.plan.n_victims, 3);
    assert_i64(w.victims[0].count, 0); /* nothing was written */
    w.plan.victims = NULL;
    assert_status(SKED_ERR_ARG, preempt_select(&w));
}

static void nothing_at_all_is_a_plan(void **state)
{
    const int64_t need[1] = {0};
    sked_preempt_result plan = {.struct_size = sizeof plan};
    sked_preempt_input in = {
        .struct_size = sizeof in, .kinds = 1, .need = need};
    (void)state;

    assert_ok(sked_preempt_select(&in, NULL, &plan, NULL));
    assert_ok(sked_preempt_verify(&in, &plan, NULL, NULL));
    assert_i64(plan.outcome, SKED_PREEMPT_OUTCOME_COVERED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gangs_are_of_less_than_2_to_the_31),
        cmocka_unit_test(bad_numbers_are_named),
        cmocka_unit_test(rows_that_are_not_there_are_named),
        cmocka_unit_test(missing_columns_are_refused),
        cmocka_unit_test(sums_that_overflow_are_named),
        cmocka_unit_test(a_plan_that_is_too_small_says_what_it_needs),
        cmocka_unit_test(nothing_at_all_is_a_plan),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
