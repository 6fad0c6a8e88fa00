/*
 * Victims against their definitions: plans hold to the rules, are minimal, and
 * cost what the cheapest of all sets costs.
 */
#include "test.h"

#include <sched/preempt.h>

#include <string.h>

#include "preempt_world.h"
#include "ref_preempt.h"
#include "size.h"

static ref_set set_of(const preempt_world *p)
{
    ref_set set = {{0}};

    for (uint32_t i = 0; i < p->plan.n_victims; i++) {
        set.count[p->victims[i].row] += p->victims[i].count;
    }
    return set;
}

static void select_and_verify(preempt_world *p)
{
    sked_error err;

    sked_status rc = sked_preempt_select(&p->in, NULL, &p->plan, &err);
    if (rc != SKED_OK) fail_msg("%s", err.message);
    rc = sked_preempt_verify(&p->in, &p->plan, NULL, &err);
    if (rc != SKED_OK) {
        fail_msg("row %d: %s", (int)err.row, err.message);
    }
}

static int all_covered(const preempt_world *p, const ref_set *set)
{
    int64_t covered[SKED_MAX_KINDS];

    ref_covered(&p->in, set, covered);
    return memcmp(covered, p->need, p->in.kinds * sizeof *covered) == 0;
}

/* Without any one task (any one gang) less is covered. */
static void must_be_minimal(const preempt_world *p, const ref_set *set)
{
    int64_t all[SKED_MAX_KINDS], less[SKED_MAX_KINDS];

    ref_covered(&p->in, set, all);
    for (uint32_t i = 0; i < p->in.n; i++) {
        ref_set without = *set;
        if (set->count[i] == 0) continue;
        without.count[i]--;
        for (uint32_t j = 0; p->in.gang && p->gang[i] && j < p->in.n; j++) {
            if (p->gang[j] == p->gang[i]) without.count[j] = 0;
        }
        ref_covered(&p->in, &without, less);
        assert_true(memcmp(all, less, p->in.kinds * sizeof *all) != 0);
    }
}

static void by_need_costs_least(void **state)
{
    test_words w = {11};
    size_t covered = 0, partly = 0, walked = 0;
    (void)state;

    for (size_t i = 0; i < test_size(20000, 400000); i++) {
        preempt_world p;
        uint32_t order[WORLD_ROWS];
        int64_t walk_covers[SKED_MAX_KINDS];
        ref_set walk;
        preempt_world_draw(&p, &w, 0);
        select_and_verify(&p);
        ref_set set = set_of(&p);
        assert_true(ref_may_go(&p.in, &set, SKED_NO_ROW));
        assert_i64(ref_cost(&p.in, &set), p.plan.cost);
        must_be_minimal(&p, &set);
        int64_t least = ref_least_cost(&p.in, p.need);
        assert_i64(p.plan.outcome, least < 0 ? SKED_PREEMPT_OUTCOME_PARTLY
                                             : SKED_PREEMPT_OUTCOME_COVERED);
        assert_i64(all_covered(&p, &set), least >= 0);
        if (least < 0) {
            preempt_world_order(&p, order);
            ref_walk(&p.in, order, &walk);
            ref_covered(&p.in, &walk, walk_covers);
            least = ref_least_cost(&p.in, walk_covers);
            partly++;
            walked += least > 0;
        }
        covered += p.plan.outcome == SKED_PREEMPT_OUTCOME_COVERED && least > 0;
        assert_i64(p.plan.cost, least);
        assert_i64(p.plan.bound, least);
    }
    assert_true(covered > 100 && partly > 100 && walked > 100);
}

static void one_seat_costs_least(void **state)
{
    test_words w = {12};
    size_t seated = 0, paid = 0;
    (void)state;

    for (size_t i = 0; i < test_size(20000, 400000); i++) {
        preempt_world p;
        preempt_world_draw(&p, &w, 1);
        p.in.request_count = NULL;
        select_and_verify(&p);
        ref_set set = set_of(&p);
        assert_true(ref_may_go(&p.in, &set, 0));
        int64_t least = ref_least_placement(&p.in, 0);
        assert_i64((int64_t)p.plan.served, least >= 0);
        assert_i64(p.plan.cost, least < 0 ? 0 : least);
        assert_i64(p.plan.bound, p.plan.cost);
        seated += least >= 0;
        paid += least > 0;
    }
    assert_true(seated > test_size(1000, 1000) && paid > test_size(300, 300));
}

/* A gang over nodes is placed as a whole or not at all, by victims that may go. The
 * search goes task by task: it finds the least cost nearly always, and misses
 * few gangs for which there is a way. */
static void a_gang_costs_little(void **state)
{
    test_words w = {14};
    size_t served = 0, paid = 0, missed = 0, dearer = 0;
    (void)state;

    for (size_t i = 0; i < test_size(20000, 400000); i++) {
        preempt_world p;
        preempt_world_draw(&p, &w, 1);
        preempt_world_gangs(&p, &w, 1);
        if (p.in.n_nodes == 0) continue;
        select_and_verify(&p);
        ref_set set = set_of(&p);
        assert_true(ref_may_go(&p.in, &set, 0));
        int64_t least = ref_least_whole(&p.in, 0);
        int whole = p.plan.served == p.request_count[0];
        assert_true(whole || p.plan.served == 0);
        if (!whole) assert_i64((int64_t)p.plan.n_victims, 0);
        if (whole) assert_true(least >= 0 && p.plan.cost >= least);
        if (!whole && least >= 0) {
            assert_i64(p.plan.outcome, SKED_PREEMPT_OUTCOME_SEARCHED);
            missed++;
        }
        served += (size_t)whole;
        paid += whole && p.plan.cost > 0;
        dearer += whole && p.plan.cost > least;
    }
    assert_true(served > test_size(500, 500) && paid > test_size(100, 100));
    assert_true(missed * 100 < served && dearer * 50 < paid);
}

/* All flags, several requests: whatever is planned verifies. */
static void plans_verify(void **state)
{
    test_words w = {13};
    size_t reasons[4] = {0}, placements = 0;
    (void)state;

    for (size_t i = 0; i < test_size(40000, 1000000); i++) {
        preempt_world p;
        preempt_world_draw(&p, &w, (uint32_t)test_below(&w, 4) ? 4 : 0);
        if (i % 4 == 0) preempt_world_gangs(&p, &w, 0);
        p.in.flags = (uint32_t)test_below(&w, 16);
        p.in.work = test_below(&w, 4) ? 0 : 1 + test_below(&w, 30);
        select_and_verify(&p);
        assert_true(p.plan.bound <= p.plan.cost || p.in.n_requests);
        placements += p.plan.n_placements;
        for (uint32_t v = 0; v < p.plan.n_victims; v++) {
            reasons[p.victims[v].reason]++;
        }
    }
    assert_true(placements > 1000 && reasons[SKED_PREEMPT_REASON_OVER] > 1000);
    assert_true(reasons[SKED_PREEMPT_REASON_USER] > 100);
    assert_true(reasons[SKED_PREEMPT_REASON_PRIORITY] > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_need_costs_least),
        cmocka_unit_test(one_seat_costs_least),
        cmocka_unit_test(a_gang_costs_little),
        cmocka_unit_test(plans_verify),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
