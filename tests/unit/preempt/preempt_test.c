/* Choosing victims for what a queue needs. */
#include "preempt_round.h"
#include "test.h"

#include <string.h>

static void the_cheapest_give_what_is_needed(void **state)
{
    preempt_round w;
    (void)state;

    preempt_by_need(&w);
    preempt_plan_holds(&w);
    assert_i64(w.plan.outcome, SKED_PREEMPT_OUTCOME_COVERED);
    assert_i64((int64_t)w.plan.n_victims, 3);
    assert_i64((int64_t)w.plan.tasks, 3);
    assert_i64(w.plan.cost, 3 + 4 + 5); /* the last three of queue a */
    assert_i64(w.plan.bound, 12);
    assert_i64(w.covered[0], 3);
    assert_i64(w.after[0], 9);
    assert_i64(w.after[KINDS], 2);
    for (uint32_t i = 0; i < 3; i++) {
        assert_i64(w.victims[i].request, SKED_NO_ROW);
        assert_i64(w.victims[i].reason, SKED_PREEMPT_REASON_OVER);
    }
}

/* [CAP-3] Only what is above its share gives, and only down to it. */
static void nobody_falls_below_its_keep(void **state)
{
    preempt_round w;
    (void)state;

    preempt_by_need(&w);
    w.need[0] = w.need[1] = 100;
    preempt_plan_holds(&w);
    assert_i64(w.plan.outcome, SKED_PREEMPT_OUTCOME_PARTLY);
    assert_i64((int64_t)w.plan.n_victims, 6);
    assert_i64(w.after[0], 6);
    w.share[0] = SKED_UNLIMITED; /* nothing may be taken of one kind */
    preempt_plan_holds(&w);
    assert_i64((int64_t)w.plan.n_victims, 0);
}

/* [CAP-11] The budgets of round, partition, queue, user and job bound it. */
static void budgets_are_never_passed(void **state)
{
    const int64_t two[KINDS] = {2, SKED_UNLIMITED};
    const int64_t of_queues[3 * KINDS] = {2, 2, 0, 0, 0, 0};
    const int64_t of_users[KINDS] = {2, 2}, of_jobs[2] = {1, 1};
    uint32_t users[14] = {0}, jobs[14] = {0, 0, 0, 1, 1, 1};
    preempt_round w;
    (void)state;

    preempt_by_need(&w);
    w.in.budget = two;
    preempt_plan_holds(&w);
    assert_i64((int64_t)w.plan.n_victims, 2);
    preempt_by_need(&w);
    w.in.partition_budget = two;
    preempt_plan_holds(&w);
    assert_i64((int64_t)w.plan.n_victims, 2);
    preempt_by_need(&w);
    w.in.queue_budget = of_queues;
    preempt_plan_holds(&w);
    assert_i64((int64_t)w.plan.n_victims, 2);
    preempt_by_need(&w);
    w.in.user = users;
    w.in.n_users = 1;
    w.in.user_budget = of_users;
    preempt_plan_holds(&w);
    assert_i64((int64_t)w.plan.n_victims, 2);
    preempt_by_need(&w);
    w.in.job = jobs;
    w.in.n_jobs = 2;
    w.in.job_budget = of_jobs;
    preempt_plan_holds(&w);
    assert_i64((int64_t)w.plan.n_victims, 2);
    assert_i64(w.plan.outcome, SKED_PREEMPT_OUTCOME_PARTLY);
}

/* What is on the way already is taken first, and uses no budget. */
static void marked_tasks_are_credited_first(void **state)
{
    uint8_t marks[14] = {SKED_PREEMPT_CANDIDATE_MARKED,
                         SKED_PREEMPT_CANDIDATE_MARKED};
    const int64_t one[KINDS] = {1, 1};
    preempt_round w;
    (void)state;

    preempt_by_need(&w);
    w.in.state = marks;
    w.in.budget = one;
    preempt_plan_holds(&w);
    assert_i64(w.plan.outcome, SKED_PREEMPT_OUTCOME_COVERED);
    assert_i64(w.victims[0].row, 0);
    assert_i64(w.victims[1].row, 1);
    assert_i64(w.victims[0].cost, 0);
    assert_i64(w.plan.cost, 3);
    w.need[0] = w.need[1] = 1; /* one is no longer needed */
    preempt_plan_holds(&w);
    assert_i64((int64_t)w.plan.n_victims, 1);
    assert_i64(w.plan.cost, 0);
    w.need[0] = w.need[1] = 0;
    preempt_plan_holds(&w);
    assert_i64((int64_t)w.plan.n_victims, 0);
}

/* [PEL-13] A task that says so is never a victim, nor is its gang. */
static void fixed_tasks_stay(void **state)
{
    uint8_t fixed[14];
    uint32_t gangs[14] = {1, 1};
    preempt_round w;
    (void)state;

    preempt_by_need(&w);
    memset(fixed, SKED_PREEMPT_CANDIDATE_FIXED, sizeof fixed);
    fixed[0] = 0;
    w.in.state = fixed;
    preempt_plan_holds(&w);
    assert_i64((int64_t)w.plan.n_victims, 1);
    w.in.gang = gangs;
    preempt_plan_holds(&w);
    assert_i64((int64_t)w.plan.n_victims, 0);
}

/* What is fixed needs no amounts, in a gang neither: its other rows stay, and tasks
 * outside of it go. */
static void fixed_tasks_of_gangs_need_no_amounts(void **state)
{
    uint8_t fixed[14] = {0, SKED_PREEMPT_CANDIDATE_FIXED};
    uint32_t gangs[14] = {1, 1};
    preempt_round w;
    (void)state;

    for (int by_request = 0; by_request < 2; by_request++) {
        (by_request ? preempt_by_request : preempt_by_need)(&w);
        w.amount[KINDS] = -1;
        w.amount[KINDS + 1] = INT64_MAX;
        w.cost[1] = -1;
        w.in.gang = gangs;
        w.in.state = fixed;
        preempt_plan_holds(&w);
        assert_i64(w.plan.outcome, SKED_PREEMPT_OUTCOME_COVERED);
        assert_true(w.plan.n_victims > 0);
        for (uint32_t i = 0; i < w.plan.n_victims; i++) {
            assert_true(w.victims[i].row > 1);
        }
    }
}

/* [PEL-20] A gang goes whole or not at all. */
static void gangs_go_whole(void **state)
{
    uint32_t gangs[14] = {0, 0, 0, 0, 0, 0, 0, 0, 7, 7, 7, 7};
    preempt_round w;
    (void)state;

    preempt_by_need(&w);
    w.in.gang = gangs;
    preempt_plan_holds(&w);
    assert_i64((int64_t)w.plan.n_victims,
               4); /* 3 + 4 + 5 + 6, less than 7 + 8 + 9 */
    assert_i64(w.plan.cost, 18);
    gangs[7] = gangs[6] = gangs[5] = 7; /* seven are too many to give */
    preempt_plan_holds(&w);
    assert_i64((int64_t)w.plan.n_victims, 3);
    assert_i64(w.plan.cost, 10 + 11 + 12);
}

static void rows_stand_for_alike_tasks(void **state)
{
    preempt_round w;
    (void)state;

    preempt_by_need(&w);
    w.in.count = w.count;
    w.count[11] = 5;
    w.count[10] = 0;
    preempt_plan_holds(&w);
    assert_i64((int64_t)w.plan.n_victims, 1);
    assert_i64(w.victims[0].row, 11);
    assert_i64(w.victims[0].count, 3);
    assert_i64(w.victims[0].cost, 9);
}

/* Without costs fewest tasks go, and of equals those whose turn is first. */
static void without_costs_the_order_decides(void **state)
{
    static const int32_t keys[] = {SKED_RANK_KEY_PRIORITY};
    int32_t priority[14] = {9, 9, 1, 9, 2, 9, 9, 1, 9, 9, 9, 9, 9, 9};
    sked_rank_input rank = {.struct_size = sizeof rank,
                            .n = 14,
                            .n_keys = 1,
                            .keys = keys,
                            .priority = priority};
    preempt_round w;
    (void)state;

    preempt_by_need(&w);
    w.in.cost = NULL;
    w.in.rank = &rank;
    preempt_plan_holds(&w);
    assert_i64((int64_t)w.plan.n_victims, 3);
    assert_i64(w.victims[0].row, 2);
    assert_i64(w.victims[1].row, 7);
    assert_i64(w.victims[2].row, 4);
    w.amount[5 * KINDS] = w.amount[5 * KINDS + 1] = 3; /* one is enough */
    preempt_plan_holds(&w);
    assert_i64((int64_t)w.plan.n_victims, 1);
    assert_i64(w.victims[0].row, 5);
}

/* A queue covers no more than its take. */
static void a_queue_covers_up_to_its_take(void **state)
{
    const int64_t take[3 * KINDS] = {1, 2, 0, 0, 0, 0};
    preempt_round w;
    (void)state;

    preempt_by_need(&w);
    w.in.take = take;
    preempt_plan_holds(&w);
    assert_i64((int64_t)w.plan.n_victims, 2);
    assert_i64(w.covered[0], 1);
    assert_i64(w.covered[1], 2);
    assert_i64(w.plan.outcome, SKED_PREEMPT_OUTCOME_PARTLY);
}

/* The walk of others takes them as they come, spare ones too. */
static void the_plain_walk_takes_them_as_they_come(void **state)
{
    preempt_round w;
    (void)state;

    preempt_by_need(&w);
    w.in.flags = SKED_PREEMPT_FLAG_PLAIN;
    w.amount[2 * KINDS] = w.amount[2 * KINDS + 1] = 3;
    preempt_plan_holds(&w);
    assert_i64((int64_t)w.plan.n_victims, 3);
    assert_i64(w.victims[0].row, 0);
    assert_i64(w.victims[2].row, 2);
    assert_i64(w.plan.cost, 14 + 13 + 12);
    assert_i64(w.plan.bound, 3 + 4 + 4); /* the cheapest units */
    w.in.flags = 0;
    assert_status(SKED_ERR_INVALID,
                  sked_preempt_verify(&w.in, &w.plan, NULL, &w.err));
    assert_string_equal(w.err.message, "a victim that can be spared");
}

/* As others: the last victim may bring its queue below what it keeps. */
static void overshoot_is_by_less_than_a_task(void **state)
{
    preempt_round w;
    (void)state;

    preempt_by_need(&w);
    for (uint32_t i = 0; i < 12 * KINDS; i++) w.amount[i] = 4;
    w.usage[0] = w.usage[1] = 48;
    w.share[0] = w.share[1] = 43;
    w.need[0] = w.need[1] = 5;
    preempt_plan_holds(&w);
    assert_i64((int64_t)w.plan.n_victims, 1);
    w.in.flags = SKED_PREEMPT_FLAG_OVERSHOOT;
    preempt_plan_holds(&w);
    assert_i64((int64_t)w.plan.n_victims, 2);
    assert_i64(w.after[0], 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cheapest_give_what_is_needed),
        cmocka_unit_test(nobody_falls_below_its_keep),
        cmocka_unit_test(budgets_are_never_passed),
        cmocka_unit_test(marked_tasks_are_credited_first),
        cmocka_unit_test(fixed_tasks_stay),
        cmocka_unit_test(fixed_tasks_of_gangs_need_no_amounts),
        cmocka_unit_test(gangs_go_whole),
        cmocka_unit_test(rows_stand_for_alike_tasks),
        cmocka_unit_test(without_costs_the_order_decides),
        cmocka_unit_test(a_queue_covers_up_to_its_take),
        cmocka_unit_test(the_plain_walk_takes_them_as_they_come),
        cmocka_unit_test(overshoot_is_by_less_than_a_task),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
