/* Plans of others, judged. */
#include "preempt_round.h"
#include "test.h"

static void broken(preempt_round *w, const char *message, int64_t row)
{
    assert_status(SKED_ERR_INVALID,
                  sked_preempt_verify(&w->in, &w->plan, NULL, &w->err));
    assert_string_equal(w->err.message, message);
    assert_i64(w->err.row, row);
}

static void plans_by_need_are_judged(void **state)
{
    uint32_t gangs[14] = {1, 1};
    preempt_round w;
    (void)state;

    preempt_by_need(&w);
    preempt_plan_of(&w, 3);
    assert_ok(sked_preempt_verify(&w.in, &w.plan, NULL, &w.err));
    w.victims[2].row = 14;
    broken(&w, "victim: no such row", 2);
    w.victims[2].row = 12;
    broken(&w, "victim may not be taken", 2);
    w.victims[2].row = 1;
    broken(&w, "more tasks than the row has", 2);
    w.victims[2].row = 2;
    w.victims[2].count = 0;
    broken(&w, "victim of no tasks", 2);
    w.victims[2].count = 1;
    w.victims[1].request = 0;
    broken(&w, "victim for no need", 1);
    preempt_plan_of(&w, 7);
    broken(&w, "beyond keep, take or budget", 6);
    preempt_plan_of(&w, 4);
    broken(&w, "a victim that can be spared", 0);
    preempt_plan_of(&w, 1);
    w.in.gang = gangs;
    broken(&w, "a gang goes whole", 0);
    w.in.count = w.count;
    w.count[0] = 2;
    broken(&w, "a gang goes whole", 0);
    preempt_by_need(&w);
    w.plan.n_placements = 1;
    broken(&w, "placement: no such request", 0);
    w.plan.placements = NULL;
    assert_status(SKED_ERR_ARG,
                  sked_preempt_verify(&w.in, &w.plan, NULL, &w.err));
}

static void a_placed_plan(preempt_round *w)
{
    preempt_by_request(w);
    preempt_plan_of(w, 2);
    w->victims[0].request = w->victims[1].request = 0;
    w->plan.n_placements = 1;
    w->placements[0] = (sked_preempt_placement){.count = 1, .claim = 1};
    assert_ok(sked_preempt_verify(&w->in, &w->plan, NULL, &w->err));
}

static void plans_by_request_are_judged(void **state)
{
    const uint32_t offset[2] = {0, 1}, place[1] = {3};
    preempt_round w;
    (void)state;

    a_placed_plan(&w);
    w.victims[1].request = 1;
    broken(&w, "victim: no such request", 1);
    w.victims[1].request = 0;
    w.victims[1].reason = SKED_PREEMPT_REASON_PRIORITY;
    broken(&w, "no rule of the leaf allows it", 1);
    w.victims[1].reason = 0;
    broken(&w, "no rule of the leaf allows it", 1);
    a_placed_plan(&w);
    w.request_queue[0] = 0;
    broken(&w, "a queue cannot claim from itself", 0);
    a_placed_plan(&w);
    w.placements[0].request = 1;
    broken(&w, "placement: no such request", 0);
    w.placements[0].request = 0;
    w.placements[0].node = 7;
    broken(&w, "placement: not a place of the request", 0);
    w.placements[0].node = 1;
    broken(&w, "placement: the node does not hold it", 0);
    w.placements[0].node = 0;
    w.in.place_offset = offset;
    w.in.place = place;
    broken(&w, "placement: not a place of the request", 0);
    a_placed_plan(&w);
    w.placements[0].count = 2;
    broken(&w, "placement: more tasks than were asked for", 0);
    w.placements[0].count = 1;
    w.share[2 * KINDS] = 1;
    broken(&w, "placement: beyond the queue's share", 0);
    a_placed_plan(&w);
    w.placements[0].claim = 0;
    broken(&w, "its request has no placement", 0);
    a_placed_plan(&w);
    w.free[0] = w.free[1] = 1;
    broken(&w, "a victim that can be spared", 0);
}

static void plans_for_users_are_judged(void **state)
{
    preempt_round w;
    (void)state;

    a_placed_plan(&w);
    preempt_by_user(&w);
    w.user_usage[0] = w.user_usage[1] = 12;
    w.victims[0].reason = w.victims[1].reason = SKED_PREEMPT_REASON_USER;
    w.placements[0].claim = 0;
    assert_ok(sked_preempt_verify(&w.in, &w.plan, NULL, &w.err));
    w.user_usage[2] = 5;
    broken(&w, "its request's user has more than a share", 0);
    w.user_usage[2] = 0;
    w.user_share[0] = w.user_share[1] = 11; /* one of twelve is surplus */
    broken(&w, "beyond keep, take or budget", 1);
}

/* Of a leaf that keeps all of its twelve tasks two of lower priority may go for a
 * request that is protected in their place. With a keep of eleven one of the two is
 * protected, and the request is not. */
static void plans_by_priority_are_judged(void **state)
{
    int32_t priority[14] = {1, 1, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5};
    int64_t keep[3 * KINDS] = {12, 12};
    const int32_t asks[1] = {5};
    preempt_round w;
    (void)state;

    a_placed_plan(&w);
    w.request_queue[0] = 0;
    w.in.priority = priority;
    w.in.request_priority = asks;
    w.in.keep = keep;
    w.in.flags = SKED_PREEMPT_FLAG_BY_PRIORITY;
    w.victims[0].reason = w.victims[1].reason = SKED_PREEMPT_REASON_PRIORITY;
    w.placements[0].claim = 0;
    assert_ok(sked_preempt_verify(&w.in, &w.plan, NULL, &w.err));
    keep[0] = 11;
    broken(&w, "less is protected in its leaf", 0);
    keep[0] = 10; /* neither was protected */
    assert_ok(sked_preempt_verify(&w.in, &w.plan, NULL, &w.err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_by_need_are_judged),
        cmocka_unit_test(plans_by_request_are_judged),
        cmocka_unit_test(plans_for_users_are_judged),
        cmocka_unit_test(plans_by_priority_are_judged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
