/* Balancing by hand: what should move and why, refusals, failures. */
#include "test.h"

#include <sched/sked.h>

#include <string.h>

#include "host.h"

enum { KINDS = 2, BUCKETS = 2 };

static const int64_t whole = SKED_BALANCE_WHOLE;

/* Two clusters of 100 cpu and 100 memory; day and night. */
typedef struct problem {
    sked_balance_input in;
    int64_t capacity[3 * KINDS];
    int64_t instance[3 * KINDS];
    uint32_t zone[3];
    int64_t usage[4 * BUCKETS * KINDS];
    uint32_t tier[4];
    uint32_t home[4];
    uint8_t allowed[4 * 3];
    int64_t cost[4 * 3];
    uint32_t cluster[4];
    int64_t utilisation[3];
    sked_balance_result result;
    sked_balance_move moves[4];
} problem;

static void make(problem *p, uint32_t clusters)
{
    memset(p, 0, sizeof *p);
    for (uint32_t i = 0; i < 3 * KINDS; i++) {
        p->capacity[i] = 100;
        p->instance[i] = 10;
    }
    memset(p->allowed, 1, sizeof p->allowed);
    p->in = (sked_balance_input){.struct_size = sizeof p->in,
                                 .kinds = KINDS,
                                 .buckets = BUCKETS,
                                 .clusters = clusters,
                                 .capacity = p->capacity,
                                 .instance = p->instance,
                                 .usage = p->usage,
                                 .home = p->home};
    p->result = (sked_balance_result){.struct_size = sizeof p->result,
                                      .cluster = p->cluster,
                                      .utilisation = p->utilisation};
}

/* A workflow with its cpu and memory by day and by night. */
static void add(problem *p, uint32_t home, int64_t day_cpu, int64_t day_memory,
                int64_t night_cpu, int64_t night_memory)
{
    uint32_t w = p->in.workflows++;
    int64_t *usage = p->usage + (size_t)w * BUCKETS * KINDS;

    p->home[w] = home;
    p->tier[w] = 1;
    usage[0] = day_cpu;
    usage[1] = day_memory;
    usage[2] = night_cpu;
    usage[3] = night_memory;
}

static void balance(problem *p)
{
    assert_ok(sked_balance(&p->in, NULL, &p->result, p->moves, 4, NULL));
    assert_i64(p->result.complete, 1);
}

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

static void refused(problem *p, sked_status why, int64_t row)
{
    sked_error err = {.code = SKED_OK};

    p->result.moves = 99;
    assert_status(why,
                  sked_balance(&p->in, NULL, &p->result, p->moves, 4, &err));
    assert_status(why, err.code);
    assert_i64(err.row, row);
    assert_i64(p->result.moves, 99);
}

static void bad_numbers_are_refused_with_their_row(void **state)
{
    int64_t length[] = {1, 0}, fixed[2 * BUCKETS * KINDS] = {0};
    problem p;

    (void)state;
    make(&p, 2);
    add(&p, 0, 1, 1, 1, 1);
    add(&p, 0, 1, 1, 1, 1);
    p.capacity[2] = -1;
    refused(&p, SKED_ERR_RANGE, 1);
    p.capacity[2] = 1;
    p.instance[0] = SKED_UNLIMITED;
    refused(&p, SKED_ERR_RANGE, 0);
    p.instance[0] = 1;
    p.in.length = length;
    refused(&p, SKED_ERR_RANGE, 1);
    length[0] = length[1] = INT64_MAX;
    refused(&p, SKED_ERR_RANGE, -1);
    length[0] = length[1] = 1;
    p.in.fixed = fixed;
    fixed[7] = -1;
    refused(&p, SKED_ERR_RANGE, 1);
    fixed[7] = SKED_AMOUNT_MAX;
    refused(&p, SKED_ERR_RANGE, -1); /* with what the workflows use */
    fixed[7] = 0;
    p.usage[5] = -1;
    refused(&p, SKED_ERR_RANGE, 1);
    p.usage[5] = 1;
    p.in.cost = p.cost;
    p.cost[3] = INT64_C(1000000000001);
    refused(&p, SKED_ERR_RANGE, 1);
    p.cost[3] = 0;
    p.home[1] = 2;
    refused(&p, SKED_ERR_RANGE, 1);
    p.home[1] = 0;
    p.in.tier = p.tier;
    p.tier[0] = 0;
    refused(&p, SKED_ERR_RANGE, 0);
    p.tier[0] = SKED_MAX_TIERS + 1;
    refused(&p, SKED_ERR_RANGE, 0);
}

static void bad_sizes_are_refused(void **state)
{
    const sked_status range = SKED_ERR_RANGE, arg = SKED_ERR_ARG;
    problem p;

    (void)state;
    make(&p, 2);
    add(&p, 0, 1, 1, 1, 1);
    const sked_balance_input good = p.in;
    p.in.kinds = SKED_MAX_KINDS + 1;
    refused(&p, range, -1);
    p.in = good;
    p.in.buckets = SKED_MAX_QUEUES + 1;
    refused(&p, range, -1);
    p.in = good;
    p.in.workflows = SKED_MAX_QUEUES + 1;
    refused(&p, range, -1);
    p.in = good;
    p.in.clusters = 0;
    refused(&p, range, -1);
    p.in.clusters = SKED_MAX_CLUSTERS + 1;
    refused(&p, range, -1);
    p.in = good;
    p.in.percentile_ppm = SKED_PPM + 1;
    refused(&p, range, -1);
    p.in.percentile_ppm = -1;
    refused(&p, range, -1);
    p.in = good;
    p.in.ceiling_ppm = whole + 1;
    refused(&p, range, -1);
    p.in.ceiling_ppm = -1;
    refused(&p, range, -1);
    p.in = good;
    p.in.flags = 1;
    refused(&p, arg, -1);
    p.in = good;
    p.in.reserved = 1;
    refused(&p, arg, -1);
    p.in = good;
    p.in.capacity = NULL;
    refused(&p, arg, -1);
    p.in = good;
    p.in.usage = NULL;
    refused(&p, arg, -1);
    p.in = good;
    p.in.home = NULL;
    refused(&p, arg, -1);
    p.in = good;
    p.in.struct_size = 8;
    refused(&p, SKED_ERR_VERSION, -1);
    p.in = good;
    p.result.struct_size = 4;
    refused(&p, SKED_ERR_VERSION, -1);
    p.result.struct_size = sizeof p.result;
    p.result.cluster = NULL;
    refused(&p, arg, -1);
}

static void null_is_refused(void **state)
{
    sked_balance_evacuation tiers[SKED_MAX_TIERS];
    uint32_t cluster[4];
    sked_error err;
    problem p;

    (void)state;
    make(&p, 2);
    add(&p, 0, 1, 1, 1, 1);
    assert_status(SKED_ERR_ARG,
                  sked_balance(NULL, NULL, &p.result, NULL, 0, NULL));
    assert_status(SKED_ERR_ARG, sked_balance(&p.in, NULL, NULL, NULL, 0, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_balance_split(NULL, NULL, &p.result, NULL, NULL, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_balance_evacuate(NULL, 0, NULL, cluster, tiers, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_balance_evacuate(&p.in, 0, NULL, NULL, tiers, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_balance_evacuate(&p.in, 0, NULL, cluster, NULL, NULL));
    p.in.fixed = p.cost;
    assert_status(SKED_ERR_ARG,
                  sked_balance_split(&p.in, NULL, &p.result, NULL, NULL, NULL));
    p.in.fixed = NULL;
    p.in.instance = NULL;
    assert_status(SKED_ERR_ARG,
                  sked_balance_split(&p.in, NULL, &p.result, NULL, NULL, NULL));
    p.capacity[0] = 1; /* crowded, so that one moves */
    assert_status(SKED_ERR_RANGE,
                  sked_balance(&p.in, NULL, &p.result, p.moves, 0, &err));
    assert_i64(err.got, 1);
    assert_ok(sked_balance(&p.in, NULL, &p.result, p.moves, 1, NULL));
    assert_i64(p.moves[0].to_allocation, 0); /* no instances were given */
    p.in.workflows = 0;
    assert_ok(sked_balance(&p.in, NULL, &p.result, NULL, 0, NULL));
    assert_ok(sked_balance_evacuate(&p.in, 0, NULL, NULL, tiers, NULL));
}

/* Kinds a cluster does not have, and amounts near the end of the scale. */
static void extremes_stay_within_the_scale(void **state)
{
    int64_t instances[2], stranded[2 * KINDS];
    problem p;

    (void)state;
    make(&p, 2);
    add(&p, 0, (int64_t)1 << 61, 0, 1, 0);
    p.capacity[0] = 0;
    p.capacity[2] = 1;
    balance(&p);
    assert_i64(p.result.after.sum, SKED_BALANCE_MOST);
    assert_i64(p.result.bound.sum, SKED_BALANCE_MOST);
    p.capacity[0] = 3;
    p.instance[0] = 1;
    p.instance[1] = SKED_AMOUNT_MAX;
    p.capacity[2] = p.instance[2] = (int64_t)1 << 60;
    assert_ok(
        sked_balance_split(&p.in, NULL, &p.result, instances, stranded, NULL));
    assert_i64(p.cluster[0], 1);
    p.usage[0] = 5; /* five instances, of which all the memory is idle */
    p.in.allowed = p.allowed;
    p.allowed[1] = 0;
    assert_ok(
        sked_balance_split(&p.in, NULL, &p.result, instances, stranded, NULL));
    assert_i64(instances[0], 5);
    assert_i64(stranded[1], SKED_AMOUNT_MAX);
    p.in.allowed = NULL;
    p.usage[0] = (int64_t)1 << 61;
    p.in.ceiling_ppm = whole;
    p.capacity[2] = SKED_AMOUNT_MAX;
    p.zone[0] = 1;
    p.in.zone = p.zone;
    sked_balance_evacuation tiers[SKED_MAX_TIERS];
    assert_ok(sked_balance_evacuate(&p.in, 1, NULL, p.cluster, tiers, NULL));
    assert_i64(p.cluster[0], 1);
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
        cmocka_unit_test(bad_numbers_are_refused_with_their_row),
        cmocka_unit_test(bad_sizes_are_refused),
        cmocka_unit_test(null_is_refused),
        cmocka_unit_test(extremes_stay_within_the_scale),
        cmocka_unit_test(every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
