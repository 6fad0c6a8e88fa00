/* Choosing victims for requests that are gangs over nodes. */
#include "host.h"
#include "preempt_round.h"
#include "test.h"

/* `c` asks for a gang of so many tasks of one unit, so many on a node. */
static void ask_for_gang(preempt_round *w, uint32_t *per_node, uint32_t count,
                         uint32_t most)
{
    preempt_by_request(w);
    for (uint32_t k = 0; k < KINDS; k++) w->request_amount[k] = 1;
    w->request_count[0] = count;
    per_node[0] = most;
    w->in.request_per_node = per_node;
}

static void a_gang_is_placed_as_a_whole(void **state)
{
    uint32_t per_node[2], on_node[7] = {0};
    preempt_round w;
    (void)state;

    ask_for_gang(&w, per_node, 4, 1);
    preempt_plan_holds(&w);
    assert_i64(w.plan.outcome, SKED_PREEMPT_OUTCOME_COVERED);
    assert_i64((int64_t)w.plan.served, 4);
    assert_i64((int64_t)w.plan.n_victims, 4);
    for (uint32_t i = 0; i < w.plan.n_placements; i++) {
        assert_i64(w.placements[i].claim, 1);
        assert_i64(on_node[w.placements[i].node]++, 0);
    }
    per_node[0] = 2; /* the cheapest pairs are near each other */
    preempt_plan_holds(&w);
    assert_i64((int64_t)w.plan.n_victims, 4);
    assert_i64((int64_t)w.plan.served, 4);
}

/* A part of it is nothing: then no task ends, and the next request is served. */
static void a_part_of_a_gang_is_nothing(void **state)
{
    const uint32_t queue[] = {2, 2};
    uint32_t per_node[2] = {0, 0};
    preempt_round w;
    (void)state;

    ask_for_gang(&w, per_node, 4, 1);
    const uint32_t offset[] = {0, 3, 3}, place[] = {0, 1, 2}, count[] = {4, 3};
    w.in.place_offset = offset;
    w.in.place = place;
    w.in.request_count = count;
    w.in.request_queue = queue;
    preempt_plan_holds(&w); /* four on three nodes */
    assert_i64((int64_t)w.plan.n_victims, 0);
    assert_i64((int64_t)w.plan.n_placements, 0);
    assert_i64(w.plan.cost, 0);
    assert_i64(w.plan.outcome, SKED_PREEMPT_OUTCOME_SEARCHED);
    w.in.n_requests = 2;
    for (uint32_t k = 0; k < KINDS; k++) w.request_amount[KINDS + k] = 1;
    preempt_plan_holds(&w);
    assert_i64((int64_t)w.plan.n_victims, 3);
    assert_i64((int64_t)w.plan.served, 3);
    for (uint32_t i = 0; i < w.plan.n_placements; i++) {
        assert_i64(w.placements[i].request, 1);
    }
}

/* How many of a gang are on a node is counted for each gang anew: after one that
 * found no place for its last task, and after one that was placed, the same nodes
 * take one task each of the next. */
static void each_gang_counts_its_own_tasks(void **state)
{
    const uint32_t queue[] = {2, 2, 2}, count[] = {4, 3, 3};
    const uint32_t offset[] = {0, 3, 6, 9},
                   place[] = {0, 1, 2, 0, 1, 2, 0, 1, 2};
    const uint32_t per_node[] = {1, 1, 1};
    int64_t amount[3 * KINDS];
    uint32_t on_node[7] = {0};
    preempt_round w;
    (void)state;

    preempt_by_request(&w);
    for (uint32_t i = 0; i < 3 * KINDS; i++) amount[i] = 1;
    w.in.n_requests = 3;
    w.in.request_queue = queue;
    w.in.request_amount = amount;
    w.in.request_count = count;
    w.in.request_per_node = per_node;
    w.in.place_offset = offset;
    w.in.place = place;
    preempt_plan_holds(&w);
    assert_i64((int64_t)w.plan.served, 6);
    assert_i64((int64_t)w.plan.n_victims, 6);
    for (uint32_t i = 0; i < w.plan.n_placements; i++) {
        assert_true(w.placements[i].request > 0);
        assert_i64(w.placements[i].count, 1);
        on_node[w.placements[i].node]++;
    }
    for (uint32_t node = 0; node < 3; node++) assert_i64(on_node[node], 2);
}

static void a_gang_beyond_the_share_claims_nothing(void **state)
{
    uint32_t per_node[2];
    preempt_round w;
    (void)state;

    ask_for_gang(&w, per_node, 7, 2); /* a share of 6 */
    preempt_plan_holds(&w);
    assert_i64((int64_t)w.plan.n_placements, 0);
    assert_i64(w.plan.outcome, SKED_PREEMPT_OUTCOME_COVERED); /* no claim */
    w.request_count[0] = 6;
    preempt_plan_holds(&w);
    assert_i64((int64_t)w.plan.served, 6);
}

/* What is free is used first, and counts for what a node may have. */
static void what_is_free_counts(void **state)
{
    uint32_t per_node[2];
    preempt_round w;
    (void)state;

    ask_for_gang(&w, per_node, 4, 2);
    for (uint32_t k = 0; k < KINDS; k++) w.free[6 * KINDS + k] = 4;
    preempt_plan_holds(&w);
    assert_i64((int64_t)w.plan.n_victims, 2); /* two of the four go there */
    per_node[0] = UINT32_MAX;
    preempt_plan_holds(&w);
    assert_i64((int64_t)w.plan.n_victims, 0);
}

/* A victim that is a gang over nodes frees all of them at once. */
static void a_gang_makes_way_for_a_gang(void **state)
{
    uint32_t per_node[2], gang[14] = {0};
    preempt_round w;
    (void)state;

    ask_for_gang(&w, per_node, 4, 1);
    gang[1] = gang[3] = gang[5] = gang[7] = 9;
    for (uint32_t i = 0; i < 12; i++) w.cost[i] = gang[i] ? 1 : 20;
    w.in.gang = gang;
    preempt_plan_holds(&w);
    assert_i64((int64_t)w.plan.served, 4);
    assert_i64((int64_t)w.plan.n_victims, 4);
    assert_i64(w.plan.cost, 4);
    for (uint32_t i = 0; i < 4; i++) assert_i64(gang[w.victims[i].row], 9);
    w.in.flags = SKED_PREEMPT_FLAG_PLAIN;
    preempt_plan_holds(&w);
    assert_i64((int64_t)w.plan.served, 4);
}

/* ---- Plans of others ---- */

static void says(preempt_round *w, const char *rule)
{
    assert_status(SKED_ERR_INVALID,
                  sked_preempt_verify(&w->in, &w->plan, NULL, &w->err));
    assert_string_equal(w->err.message, rule);
}

static void plans_for_a_part_are_faults(void **state)
{
    uint32_t per_node[2];
    preempt_round w;
    (void)state;

    ask_for_gang(&w, per_node, 4, 2);
    for (uint32_t k = 0; k < KINDS; k++) w.free[6 * KINDS + k] = 4;
    preempt_plan_holds(&w);
    w.plan.n_victims = 0;
    w.plan.n_placements = 1;
    w.placements[0] = (sked_preempt_placement){0, 6, 2, 1};
    says(&w, "placement: only a part of a gang");
    w.placements[0].count = 4;
    says(&w, "placement: too many of a gang on a node");
    w.plan.n_placements = 2; /* the same in two rows */
    w.placements[0].count = 2;
    w.placements[1] = (sked_preempt_placement){0, 6, 2, 1};
    says(&w, "placement: too many of a gang on a node");
    per_node[0] = 4;
    assert_ok(sked_preempt_verify(&w.in, &w.plan, NULL, &w.err));
    w.placements[1].claim = 0;
    says(&w, "placement: a gang over nodes claims");
}

static void gangs_over_nodes_need_nodes(void **state)
{
    uint32_t per_node[2];
    preempt_round w;
    (void)state;

    ask_for_gang(&w, per_node, 4, 2);
    w.in.n_nodes = 0;
    assert_status(SKED_ERR_ARG, preempt_select(&w));
}

/* A struct of before knows of no gangs. */
static void an_older_struct_has_no_gangs(void **state)
{
    uint32_t per_node[2];
    preempt_round w;
    (void)state;

    ask_for_gang(&w, per_node, 7, 1);
    w.in.struct_size -= (uint32_t)sizeof w.in.request_per_node;
    assert_ok(preempt_select(&w));
    assert_i64((int64_t)w.plan.served, 6);
}

static void memory_may_be_lacking(void **state)
{
    uint32_t per_node[2];
    preempt_round w;
    test_host counted = {0};
    const sked_host host = test_host_hooks(&counted);
    sked_status rc = SKED_ERR_NOMEM;
    int failed = 0;
    (void)state;

    ask_for_gang(&w, per_node, 4, 2);
    for (int verify = 0; verify < 2; verify++) {
        rc = SKED_ERR_NOMEM;
        for (size_t k = 1; rc != SKED_OK; k++) {
            counted.requests = 0;
            counted.fail_at = k;
            rc = verify ? sked_preempt_verify(&w.in, &w.plan, &host, &w.err)
                        : sked_preempt_select(&w.in, &host, &w.plan, &w.err);
            if (rc == SKED_OK) break;
            assert_status(SKED_ERR_NOMEM, rc);
            failed++;
        }
        assert_i64((int64_t)w.plan.served, 4);
    }
    assert_true(failed > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gang_is_placed_as_a_whole),
        cmocka_unit_test(a_part_of_a_gang_is_nothing),
        cmocka_unit_test(each_gang_counts_its_own_tasks),
        cmocka_unit_test(a_gang_beyond_the_share_claims_nothing),
        cmocka_unit_test(what_is_free_counts),
        cmocka_unit_test(a_gang_makes_way_for_a_gang),
        cmocka_unit_test(plans_for_a_part_are_faults),
        cmocka_unit_test(gangs_over_nodes_need_nodes),
        cmocka_unit_test(an_older_struct_has_no_gangs),
        cmocka_unit_test(memory_may_be_lacking),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
