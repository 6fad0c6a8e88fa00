/* Balancing by hand: what should move and why, refusals, failures. */
#include "test.h"

#include <sched/sked.h>

#include "host.h"
#include "balance_problem.h"

/* [MON-9] One is full, the other is not. */
static void a_full_cluster_gives_to_an_idle_one(void **state)
{
    problem p;

    (void)state;
    make(&p, 2);
    add(&p, 0, 80, 10, 80, 10);
    add(&p, 0, 50, 10, 50, 10);
    balance(&p);
    assert_i64(p.result.before.excess, whole * 3 / 10);
    assert_i64(p.result.after.excess, 0);
    assert_i64(p.result.moves, 1);
    assert_i64(p.result.bound.excess, 0);
    assert_i64(p.moves[0].gain.excess, whole * 3 / 10);
    assert_i64(p.moves[0].gain.sum, 0);
    assert_i64(p.moves[0].to, 1);
    assert_i64(p.moves[0].workflow, 0);
    assert_i64(p.moves[0].from_allocation, 5);
    assert_i64(p.moves[0].to_allocation, 8);
    assert_i64(p.utilisation[0], whole / 2);
    assert_i64(p.utilisation[1], whole * 8 / 10);
}

/* [MON-9] What peaks by day joins what peaks by night, what wants cpu joins
 * what wants memory. */
static void those_that_complement_each_other_share(void **state)
{
    problem p;

    (void)state;
    make(&p, 2);
    add(&p, 0, 60, 0, 0, 0);
    add(&p, 0, 60, 0, 0, 0);
    add(&p, 1, 0, 0, 60, 0);
    add(&p, 1, 0, 0, 60, 0);
    balance(&p);
    assert_i64(p.result.after.sum, 2 * whole * 6 / 10);
    assert_i64(p.result.bound.sum, 2 * whole * 6 / 10);
    assert_i64(p.result.moves, 2); /* an exchange */
    assert_true(p.cluster[0] != p.cluster[1]);
    assert_i64(p.moves[0].gain.sum + p.moves[1].gain.sum,
               p.result.before.sum - p.result.after.sum);
}

static void what_moving_costs_counts(void **state)
{
    problem p;

    (void)state;
    make(&p, 2);
    p.capacity[2] = p.capacity[3] = 200; /* weighs half there */
    add(&p, 0, 40, 40, 40, 40);
    p.in.cost = p.cost;
    p.cost[1] = whole / 5 - 1;
    balance(&p);
    assert_i64(p.result.moves, 1);
    assert_i64(p.moves[0].gain.sum, 1);
    p.cost[1] = whole / 5;
    balance(&p);
    assert_i64(p.result.moves, 0);
    p.cost[1] = 0;
    p.in.allowed = p.allowed;
    p.allowed[1] = 0;
    balance(&p);
    assert_i64(p.result.moves, 0);
    assert_i64(p.result.bound.sum, p.result.after.sum);
}

static void percentiles_look_past_short_peaks(void **state)
{
    const int64_t length[] = {9, 1};
    problem p;

    (void)state;
    make(&p, 2);
    add(&p, 0, 10, 0, 100, 0);
    add(&p, 0, 10, 0, 100, 0);
    p.in.length = length;
    p.in.percentile_ppm = 900000;
    balance(&p);
    assert_i64(p.result.before.excess, 0);
    assert_i64(p.result.before.sum, whole / 5);
    p.in.percentile_ppm = 900001;
    balance(&p);
    assert_i64(p.result.before.excess, whole);
    assert_i64(p.result.after.excess, 0);
}

static void no_more_moves_than_allowed(void **state)
{
    problem p;

    (void)state;
    make(&p, 3);
    for (int i = 0; i < 4; i++) add(&p, 0, 60, 0, 60, 0);
    p.in.max_moves = 1;
    balance(&p);
    assert_i64(p.result.moves, 1);
    p.in.max_moves = 0;
    balance(&p);
    assert_i64(p.result.moves, 2);
    assert_i64(p.result.after.excess, whole / 5);
    p.in.max_tries = 1; /* the first look is taken, nothing else */
    assert_ok(sked_balance(&p.in, NULL, &p.result, p.moves, 4, NULL));
    assert_i64(p.result.complete, 0);
    assert_i64(p.result.moves, 0);
}

/* [MON-15] An unbalanced cluster: half of the work wants cpu, half memory. */
static void a_split_strands_less(void **state)
{
    int64_t instances[2], stranded[2 * KINDS];
    problem p;

    (void)state;
    make(&p, 2);
    p.instance[0] = 40; /* 40 cpu, 10 memory; and the other way round */
    p.instance[3] = 40;
    add(&p, 0, 40, 10, 40, 10);
    add(&p, 0, 10, 40, 10, 40);
    assert_ok(
        sked_balance_split(&p.in, NULL, &p.result, instances, stranded, NULL));
    assert_i64(p.cluster[0], 0);
    assert_i64(p.cluster[1], 1);
    assert_i64(instances[0], 1);
    assert_i64(instances[1], 1);
    for (int i = 0; i < 4; i++) assert_i64(stranded[i], 0);
    /* As it was: 5 instances for memory, 0.5 of the capacity each. */
    assert_i64(p.result.before.sum, whole * 5 / 2);
    assert_i64(p.result.after.sum, whole);
    assert_true(p.result.bound.sum <= whole);
    assert_true(p.result.bound.sum >= whole - 10);

    p.in.workflows = 1;
    p.allowed[0] = 0;
    p.in.allowed = p.allowed;
    p.home[0] = 1;
    assert_ok(
        sked_balance_split(&p.in, NULL, &p.result, instances, stranded, NULL));
    assert_i64(instances[1], 4);
    assert_i64(stranded[2], 0);
    assert_i64(stranded[3], 150);
}

/* [MON-15] The first tier first; what does not fit is said. */
static void a_lost_zone_is_left_important_ones_first(void **state)
{
    sked_balance_evacuation tiers[SKED_MAX_TIERS];
    uint32_t cluster[4];
    problem p;

    (void)state;
    make(&p, 2);
    p.zone[0] = 7;
    p.in.zone = p.zone;
    p.in.tier = p.tier;
    add(&p, 0, 70, 0, 70, 0);
    add(&p, 0, 30, 0, 30, 0);
    add(&p, 0, 40, 0, 40, 0);
    add(&p, 1, 25, 0, 25, 0);
    p.tier[0] = 3;
    p.tier[2] = 2;
    assert_ok(sked_balance_evacuate(&p.in, 7, NULL, cluster, tiers, NULL));
    assert_i64(cluster[1], 1);
    assert_i64(cluster[2], 1);
    assert_i64(cluster[0], SKED_BALANCE_NOWHERE);
    assert_i64(cluster[3], 1);
    assert_i64(tiers[0].placed, 1);
    assert_i64(tiers[1].placed, 1);
    assert_i64(tiers[2].asked, 1);
    assert_i64(tiers[2].placed, 0);
    assert_i64(tiers[2].most, 1); /* alone it would fit */
    assert_i64(tiers[3].asked, 0);
}

/* The large one was put where only the small one can go. */
static void one_makes_way_for_another(void **state)
{
    sked_balance_evacuation tiers[SKED_MAX_TIERS];
    uint32_t cluster[4];
    problem p;

    (void)state;
    make(&p, 3);
    p.zone[0] = 1;
    p.in.zone = p.zone;
    p.capacity[4] = p.capacity[5] = 60;
    add(&p, 0, 60, 0, 60, 0); /* grows least in the second */
    add(&p, 0, 50, 0, 50, 0); /* which is the only one it may go to */
    p.in.allowed = p.allowed;
    p.allowed[3 + 2] = 0;
    assert_ok(sked_balance_evacuate(&p.in, 1, NULL, cluster, tiers, NULL));
    assert_i64(tiers[0].placed, 2);
    assert_i64(cluster[0], 2);
    assert_i64(cluster[1], 1);
}

static sked_status life(test_host *host, void *arg)
{
    sked_host hooks = test_host_hooks(host);
    sked_balance_evacuation tiers[SKED_MAX_TIERS];
    uint32_t cluster[4];
    problem p;

    (void)arg;
    make(&p, 2);
    p.in.percentile_ppm = 900000;
    for (int i = 0; i < 4; i++) add(&p, 0, 30 + i, 20, 10, 5);
    sked_status rc = sked_balance(&p.in, &hooks, &p.result, p.moves, 4, NULL);
    if (rc == SKED_OK) {
        rc = sked_balance_split(&p.in, &hooks, &p.result, NULL, NULL, NULL);
    }
    p.zone[0] = 1;
    p.in.zone = p.zone;
    if (rc == SKED_OK) {
        rc = sked_balance_evacuate(&p.in, 1, &hooks, cluster, tiers, NULL);
    }
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_sweep(life, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_cluster_gives_to_an_idle_one),
        cmocka_unit_test(those_that_complement_each_other_share),
        cmocka_unit_test(what_moving_costs_counts),
        cmocka_unit_test(percentiles_look_past_short_peaks),
        cmocka_unit_test(no_more_moves_than_allowed),
        cmocka_unit_test(a_split_strands_less),
        cmocka_unit_test(a_lost_zone_is_left_important_ones_first),
        cmocka_unit_test(one_makes_way_for_another),
        cmocka_unit_test(every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
