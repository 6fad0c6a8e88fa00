/* What sked_balance refuses, and its largest numbers. */
#include "test.h"

#include <sched/sked.h>

#include "host.h"
#include "balance_problem.h"

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

/* An odd number of tries lies before the exchanges, which are two each. */
static void the_host_is_asked_between_exchanges(void **state)
{
    enum { MANY = 201, CLUSTERS = 3 };
    const int64_t capacity[CLUSTERS] = {100000, 100000, 100000};
    int64_t usage[MANY];
    uint32_t home[MANY], cluster[MANY];
    test_host host = {0};
    const sked_host hooks = test_host_hooks(&host);
    sked_balance_input in = {.struct_size = sizeof in,
                             .clusters = CLUSTERS,
                             .workflows = MANY,
                             .capacity = capacity,
                             .usage = usage,
                             .home = home};
    sked_balance_result result = {.struct_size = sizeof result,
                                  .cluster = cluster};

    (void)state;
    for (uint32_t w = 0; w < MANY; w++) {
        usage[w] = 100 + (w == 0);
        home[w] = w % CLUSTERS;
    }
    assert_ok(sked_balance(&in, &hooks, &result, NULL, 0, NULL));
    assert_true(result.tries > 20000);
    assert_true(host.checks > result.tries / 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_numbers_are_refused_with_their_row),
        cmocka_unit_test(bad_sizes_are_refused),
        cmocka_unit_test(null_is_refused),
        cmocka_unit_test(extremes_stay_within_the_scale),
        cmocka_unit_test(the_host_is_asked_between_exchanges),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
