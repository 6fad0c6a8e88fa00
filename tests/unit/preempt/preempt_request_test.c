/* Choosing victims where tasks ask for room on nodes. */
#include "preempt_round.h"
#include "test.h"

#include <string.h>

/* Victims are all on one node, where the request then fits. */
static void victims_go_where_the_request_fits(void **state)
{
    preempt_round w;
    (void)state;

    preempt_by_request(&w);
    preempt_plan_holds(&w);
    assert_i64(w.plan.outcome, SKED_PREEMPT_OUTCOME_COVERED);
    assert_i64((int64_t)w.plan.n_victims, 2);
    assert_i64((int64_t)w.plan.n_placements, 1);
    assert_i64(w.placements[0].node, 5); /* rows 10 and 11, the cheapest pair */
    assert_i64(w.placements[0].claim, 1);
    assert_i64((int64_t)w.plan.served, 1);
    assert_i64(w.victims[0].request, 0);
    assert_i64(w.plan.cost, 3 + 4);
    assert_i64(w.after[0], 10);
    assert_i64(w.after[2 * KINDS], 2);
    w.free[2 * KINDS] = w.free[2 * KINDS + 1] = 1; /* one is enough there */
    w.cost[5] = 2;
    preempt_plan_holds(&w);
    assert_i64((int64_t)w.plan.n_victims, 1);
    assert_i64(w.victims[0].row, 5);
    w.free[6 * KINDS] = w.free[6 * KINDS + 1] = 2; /* and here none is */
    preempt_plan_holds(&w);
    assert_i64((int64_t)w.plan.n_victims, 0);
    assert_i64(w.placements[0].node, 6);
}

static void only_named_places_are_searched(void **state)
{
    const uint32_t offset[2] = {0, 2}, place[2] = {3, 1};
    preempt_round w;
    (void)state;

    preempt_by_request(&w);
    w.in.place_offset = offset;
    w.in.place = place;
    w.in.cost = NULL; /* both cost the same: the preferred one */
    preempt_plan_holds(&w);
    assert_i64(w.placements[0].node, 3);
    w.in.cost = w.cost;
    w.cost[2] = w.cost[3] = 1;
    preempt_plan_holds(&w);
    assert_i64(w.placements[0].node, 1);
}

/* A queue that has its share claims nothing, whatever it asks for. */
static void beyond_the_share_nothing_is_claimed(void **state)
{
    preempt_round w;
    (void)state;

    preempt_by_request(&w);
    w.request_count[0] = 9; /* a share of 6 holds three of them */
    preempt_plan_holds(&w);
    assert_i64((int64_t)w.plan.served, 3);
    assert_i64(w.plan.outcome, SKED_PREEMPT_OUTCOME_COVERED);
    assert_i64(w.after[0], 6);
    assert_i64(w.after[2 * KINDS], 6);
    w.share[2 * KINDS] = 1;
    preempt_plan_holds(&w);
    assert_i64((int64_t)w.plan.n_placements, 0);
}

/* Without nodes there is one place, and it holds what goes. */
static void without_nodes_there_is_one_place(void **state)
{
    preempt_round w;
    (void)state;

    preempt_by_request(&w);
    w.in.n_nodes = 0;
    w.in.node = NULL;
    w.request_count[0] = 2;
    preempt_plan_holds(&w);
    assert_i64((int64_t)w.plan.served, 2);
    assert_i64((int64_t)w.plan.n_victims, 4);
    assert_i64(w.plan.cost, 3 + 4 + 5 + 6);
}

/* By request a queue gives its take, or one task that is larger. */
static void a_queue_gives_its_take_or_one_task(void **state)
{
    const int64_t take[3 * KINDS] = {1, 1, 0, 0, 0, 0};
    preempt_round w;
    (void)state;

    preempt_by_request(&w);
    w.in.take = take;
    preempt_plan_holds(&w);
    assert_i64(w.plan.outcome, SKED_PREEMPT_OUTCOME_PARTLY);
    assert_i64((int64_t)w.plan.n_placements, 0);
    w.amount[3 * KINDS] = w.amount[3 * KINDS + 1] = 2;
    preempt_plan_holds(&w);
    assert_i64((int64_t)w.plan.n_victims, 1);
    assert_i64(w.victims[0].row, 3);
}

/* [CAP-19] Inside a leaf lower priorities give way to higher ones. */
static void priorities_decide_inside_a_leaf(void **state)
{
    int32_t priority[14] = {5, 5, 5, 5, 1, 1, 5, 5, 5, 5, 5, 5};
    const int32_t asks[1] = {5};
    preempt_round w;
    (void)state;

    preempt_by_request(&w);
    w.request_queue[0] = 0; /* above its share: no claim */
    w.in.priority = priority;
    w.in.request_priority = asks;
    preempt_plan_holds(&w);
    assert_i64((int64_t)w.plan.n_placements, 0);
    w.in.flags = SKED_PREEMPT_FLAG_BY_PRIORITY;
    preempt_plan_holds(&w);
    assert_i64((int64_t)w.plan.n_victims, 2);
    assert_i64(w.victims[0].row, 4);
    assert_i64(w.victims[0].reason, SKED_PREEMPT_REASON_PRIORITY);
    assert_i64(w.placements[0].claim, 0);
    assert_i64(w.after[0], 12);
}

/* A leaf that keeps nothing protects no task of its own: the lower priority
 * makes way, though the higher one will not be protected either. */
static void priorities_decide_where_nothing_is_kept(void **state)
{
    int32_t priority[14] = {5, 5, 5, 5, 1, 1, 5, 5, 5, 5, 5, 5};
    const int64_t keep[3 * KINDS] = {0};
    const int32_t asks[1] = {5};
    preempt_round w;
    (void)state;

    preempt_by_request(&w);
    w.request_queue[0] = 0;
    w.in.priority = priority;
    w.in.request_priority = asks;
    w.in.keep = keep;
    w.in.flags = SKED_PREEMPT_FLAG_BY_PRIORITY;
    preempt_plan_holds(&w);
    assert_i64((int64_t)w.plan.n_victims, 2);
    assert_i64(w.victims[0].row, 4);
    assert_i64(w.victims[0].reason, SKED_PREEMPT_REASON_PRIORITY);
    assert_i64(w.placements[0].claim, 0);
}

/* Of twelve tasks two have the lower priority. A keep of twelve protects all,
 * and the request in place of these two; one of eleven protects one of the two,
 * and would not protect the request: then it gets nothing. */
static void what_is_protected_goes_for_no_less(void **state)
{
    int32_t priority[14] = {5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 1, 1, 5, 5};
    int64_t keep[3 * KINDS] = {12, 12};
    const int32_t asks[1] = {5};
    preempt_round w;
    (void)state;

    preempt_by_request(&w);
    w.request_queue[0] = 0;
    w.in.priority = priority;
    w.in.request_priority = asks;
    w.in.keep = keep;
    w.in.flags = SKED_PREEMPT_FLAG_BY_PRIORITY;
    preempt_plan_holds(&w);
    assert_i64((int64_t)w.plan.n_placements, 1);
    assert_i64((int64_t)w.plan.n_victims, 2);
    assert_i64(w.victims[0].row, 10);
    keep[0] = 11;
    preempt_plan_holds(&w);
    assert_i64((int64_t)w.plan.n_placements, 0);
    assert_i64((int64_t)w.plan.n_victims, 0);
    keep[0] = 10; /* neither is protected */
    preempt_plan_holds(&w);
    assert_i64((int64_t)w.plan.n_placements, 1);
}

/* A leaf keeps 10, and runs tasks of 6 and 4 on nodes of their own. Two requests
 * of higher priority want 6 each. The first is protected in place of the 6; the
 * second would not be beside it, so the 4 stays. */
static void what_was_placed_in_a_leaf_counts(void **state)
{
    const int64_t usage = 10, share = 0, amount[2] = {6, 4}, free[2] = {0, 2};
    const int64_t asked[2] = {6, 6};
    int64_t keep = 10;
    const uint32_t queue[2] = {0, 0}, node[2] = {0, 1};
    const int32_t priority[2] = {1, 1}, asks[2] = {2, 2};
    sked_preempt_victim victims[4];
    sked_preempt_placement placements[4];
    sked_preempt_input in = {.struct_size = sizeof in,
                             .flags = SKED_PREEMPT_FLAG_BY_PRIORITY,
                             .kinds = 1,
                             .n_queues = 1,
                             .n_nodes = 2,
                             .n_requests = 2,
                             .n = 2,
                             .usage = &usage,
                             .share = &share,
                             .keep = &keep,
                             .queue = queue,
                             .amount = amount,
                             .node = node,
                             .priority = priority,
                             .request_queue = queue,
                             .request_amount = asked,
                             .request_priority = asks,
                             .free = free};
    sked_preempt_result plan = {.struct_size = sizeof plan,
                                .victims = victims,
                                .placements = placements,
                                .victims_cap = 4,
                                .placements_cap = 4};
    (void)state;

    assert_ok(sked_preempt_select(&in, NULL, &plan, NULL));
    assert_i64((int64_t)plan.n_victims, 1);
    assert_i64(victims[0].row, 0);
    assert_i64((int64_t)plan.served, 1);
    assert_ok(sked_preempt_verify(&in, &plan, NULL, NULL));
    keep = 12; /* both are protected, and nothing else is */
    assert_ok(sked_preempt_select(&in, NULL, &plan, NULL));
    assert_i64((int64_t)plan.n_victims, 2);
    assert_ok(sked_preempt_verify(&in, &plan, NULL, NULL));
}

/* A leaf whose keep is unlimited gives no task, for its own requests neither,
 * and a plan that takes one is none; with a keep of all that it has, its
 * protected tasks make way for a higher priority. */
static void what_is_spared_is_spared_within_its_leaf(void **state)
{
    const int64_t usage = 10, take = 0, amount = 1, none = 0;
    const uint32_t zero = 0, ten = 10, five = 5;
    const int32_t low = -1, high = 0;
    int64_t keep = 10;
    sked_preempt_victim victims[8];
    sked_preempt_placement placements[8];
    sked_preempt_input in = {.struct_size = sizeof in,
                             .kinds = 1,
                             .n_queues = 1,
                             .n_users = 1,
                             .n = 1,
                             .usage = &usage,
                             .share = &usage,
                             .keep = &keep,
                             .take = &take,
                             .user_usage = &usage,
                             .user_share = &usage,
                             .queue = &zero,
                             .amount = &amount,
                             .count = &ten,
                             .user = &zero,
                             .priority = &low,
                             .n_requests = 1,
                             .request_queue = &zero,
                             .request_amount = &amount,
                             .request_count = &five,
                             .request_user = &zero,
                             .request_priority = &high,
                             .free = &none};
    sked_preempt_result plan = {.struct_size = sizeof plan,
                                .victims = victims,
                                .placements = placements,
                                .victims_cap = 8,
                                .placements_cap = 8};
    sked_error err;
    (void)state;

    for (uint32_t with = 0; with <= SKED_PREEMPT_FLAG_BY_USER; with++) {
        in.flags = SKED_PREEMPT_FLAG_BY_PRIORITY | with;
        keep = usage;
        assert_ok(sked_preempt_select(&in, NULL, &plan, NULL));
        assert_i64((int64_t)plan.tasks, 5);
        assert_ok(sked_preempt_verify(&in, &plan, NULL, NULL));
        keep = SKED_UNLIMITED;
        assert_status(SKED_ERR_INVALID,
                      sked_preempt_verify(&in, &plan, NULL, &err));
        assert_string_equal(err.message, "no rule of the leaf allows it");
        assert_ok(sked_preempt_select(&in, NULL, &plan, NULL));
        assert_i64((int64_t)plan.tasks, 0);
    }
}

/* By user as well: the leaf is spared, not only its users. */
static void users_of_a_spared_leaf_are_spared(void **state)
{
    int64_t keep[3 * KINDS] = {12, 12, 10, 10, 10, 10};
    preempt_round w;
    (void)state;

    preempt_by_request(&w);
    preempt_by_user(&w);
    w.request_count[0] = 3;
    for (int i = 8; i < 12; i++) w.user[i] = 1;
    w.user_usage[0] = w.user_usage[1] = 8;
    w.user_usage[2] = w.user_usage[3] = 4;
    w.in.keep = keep;
    preempt_plan_holds(&w);
    assert_i64((int64_t)w.plan.n_victims, 2);
    keep[0] = keep[1] = SKED_UNLIMITED;
    preempt_plan_holds(&w);
    assert_i64((int64_t)w.plan.n_victims, 0);
}

/* [CAP-17] [PEL-17] Inside a leaf users give what they have beyond what they
 * keep, to users within their shares. What is surplus is counted in tasks: of
 * seven tasks of one unit six are protected by a keep of six, and the user that
 * uses seven must have no more than these, or the rest would be surplus too. */
static void users_share_a_leaf(void **state)
{
    preempt_round w;
    (void)state;

    preempt_by_request(&w);
    preempt_by_user(&w);
    w.request_count[0] = 3;
    for (int i = 8; i < 12; i++) w.user[i] = 1;
    w.user_usage[0] = w.user_usage[1] = 8;
    w.user_usage[2] = w.user_usage[3] = 4;
    preempt_plan_holds(&w);
    assert_i64((int64_t)w.plan.served, 1); /* user 1 has its share then */
    assert_i64((int64_t)w.plan.n_victims, 2);
    assert_i64(w.victims[0].reason, SKED_PREEMPT_REASON_USER);
    assert_true(w.victims[0].row < 8);
    w.user_usage[2] = w.user_usage[3] = 6; /* it has it already */
    preempt_plan_holds(&w);
    assert_i64((int64_t)w.plan.n_victims, 0);
    w.user_usage[2] = w.user_usage[3] = 4;
    w.user_usage[0] = w.user_usage[1] = 7;
    w.in.count = w.count;
    w.count[7] = 0; /* the other has one to give, not two */
    preempt_plan_holds(&w);
    assert_i64((int64_t)w.plan.n_victims, 0);
}

/* A victim is let go when a later one makes its room spare. */
static void nothing_spare_is_left(void **state)
{
    preempt_round w;
    (void)state;

    preempt_by_request(&w);
    w.in.n_requests = 2;
    w.request_queue[1] = 2;
    w.request_count[1] = 1;
    w.request_amount[0] = w.request_amount[1] = 1;
    w.request_amount[2] = w.request_amount[3] = 3;
    w.in.n = 2;
    w.amount[2] = w.amount[3] = 5;
    w.cost[0] = 1;
    w.cost[1] = 9;
    w.usage[0] = w.usage[1] = 12;
    preempt_plan_holds(&w);
    assert_i64((int64_t)w.plan.served, 2);
    assert_i64((int64_t)w.plan.n_victims, 1);
    assert_i64(w.victims[0].row, 1);
}

/* Gangs free room on every node they stand on, and others may use it. */
static void a_gang_frees_amounts_on_all_its_nodes(void **state)
{
    uint32_t gangs[14] = {3, 3, 3, 3};
    uint8_t fixed[14] = {0};
    preempt_round w;
    (void)state;

    preempt_by_request(&w);
    memset(fixed + 4, SKED_PREEMPT_CANDIDATE_FIXED, 10);
    w.in.gang = gangs;
    w.in.state = fixed;
    w.request_count[0] = 2;
    preempt_plan_holds(&w);
    assert_i64((int64_t)w.plan.served, 2);
    assert_i64((int64_t)w.plan.n_victims, 4);
    assert_i64((int64_t)w.plan.n_placements, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(victims_go_where_the_request_fits),
        cmocka_unit_test(only_named_places_are_searched),
        cmocka_unit_test(beyond_the_share_nothing_is_claimed),
        cmocka_unit_test(without_nodes_there_is_one_place),
        cmocka_unit_test(a_queue_gives_its_take_or_one_task),
        cmocka_unit_test(priorities_decide_inside_a_leaf),
        cmocka_unit_test(priorities_decide_where_nothing_is_kept),
        cmocka_unit_test(what_is_protected_goes_for_no_less),
        cmocka_unit_test(what_was_placed_in_a_leaf_counts),
        cmocka_unit_test(what_is_spared_is_spared_within_its_leaf),
        cmocka_unit_test(users_of_a_spared_leaf_are_spared),
        cmocka_unit_test(users_share_a_leaf),
        cmocka_unit_test(nothing_spare_is_left),
        cmocka_unit_test(a_gang_frees_amounts_on_all_its_nodes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
