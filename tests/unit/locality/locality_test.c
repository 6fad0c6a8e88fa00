/* Blocks to hosts by hand: what is refused, what is proved, large inputs by
 * several threads, no memory. */
#include "test.h"

#include <sched/sked.h>

#include <stdlib.h>
#include <string.h>

#include "blocks.h"
#include "host.h"
#include "locality/live.h"

enum { LARGE = 300000, HOSTS = 400 };

/* Three blocks on the first host alone, one on both, one that is lost. */
static const uint32_t none = SKED_LOCALITY_NO_HOST;
static const uint32_t few_replicas[] = {0,    none, 0, none, 0,
                                        none, 0,    1, none, none};
static const uint32_t few_racks[] = {0, 0, 1};

static sked_locality_input few(void)
{
    return (sked_locality_input){.struct_size = sizeof(sked_locality_input),
                                 .blocks = 5,
                                 .hosts = 3,
                                 .replicas = 2,
                                 .replica = few_replicas};
}

static sked_locality *solve(const sked_locality_input *in)
{
    sked_locality *l = NULL;

    assert_ok(sked_locality_new(in, NULL, NULL, &l, NULL));
    return l;
}

/* [HSE-1] [HSE-2] */
static void lost_blocks_are_transferred_at_any_load(void **state)
{
    sked_locality_input in = few();
    sked_locality *l = solve(&in);
    sked_locality_point point[4];
    uint32_t hosts[3];
    uint64_t blocks;
    size_t n;

    (void)state;
    assert_i64((int64_t)sked_locality_unplaced(l), 1);
    assert_i64(sked_locality_choice(l)[4], SKED_LOCALITY_NO_REPLICA);
    assert_i64(sked_locality_host_blocks(l)[0], 3);
    assert_i64(sked_locality_host_blocks(l)[1], 1);
    assert_i64(sked_locality_floor(l), 2);
    assert_i64(sked_locality_least_load(l), 3);
    assert_ok(sked_locality_curve(l, point, 4, &n, NULL));
    assert_i64((int64_t)n, 2);
    assert_i64((int64_t)point[0].transfers, 2);
    assert_i64((int64_t)point[1].transfers, 1);
    assert_i64(sked_locality_load(l, 0), SKED_UNLIMITED);
    assert_i64(sked_locality_load(l, 1), 3);
    assert_i64(sked_locality_load(l, 2), 2);
    assert_ok(sked_locality_bottleneck(l, 2, hosts, 3, &n, &blocks, NULL));
    assert_i64((int64_t)n, 1);
    assert_i64(hosts[0], 0);
    assert_i64((int64_t)blocks, 4); /* the lost one too: it is nowhere else */
    sked_locality_free(l);
}

/* [HSE-6] One goes to the rack of its replica, the lost one beyond. */
static void transfers_stay_in_the_rack_if_they_can(void **state)
{
    sked_locality_input in = few();
    sked_locality *l = solve(&in);
    uint32_t where[5];
    sked_locality_plan_options o = {.struct_size = sizeof o,
                                    .load = 2,
                                    .rack = few_racks,
                                    .in_rack = 10,
                                    .beyond = 13};
    sked_locality_plan_result r = {.struct_size = sizeof r, .host = where};

    (void)state;
    assert_ok(sked_locality_plan(l, &in, &o, NULL, &r, NULL));
    assert_i64((int64_t)r.local, 3);
    assert_i64((int64_t)r.in_rack, 1);
    assert_i64((int64_t)r.beyond, 1);
    assert_i64((int64_t)r.cost.low, 23);
    assert_i64(where[4], 2);
    o.rack = NULL;
    o.in_rack = o.beyond = SKED_MAX_LOCALITY_COST;
    assert_ok(sked_locality_plan(l, &in, &o, NULL, &r, NULL));
    assert_i64((int64_t)r.cost.low, SKED_MAX_LOCALITY_COST * 2);
    sked_locality_free(l);
}

/* [HSE-5] The plan in force has its way among equals. */
static void what_may_stay_stays(void **state)
{
    const uint32_t replica[] = {0, 1, 0, 1, 0, 1, 0, 1};
    const uint32_t present[] = {1, 0, 0, 0};
    sked_locality_input in = {.struct_size = sizeof in,
                              .blocks = 4,
                              .hosts = 2,
                              .replicas = 2,
                              .replica = replica};
    sked_locality *l = solve(&in);
    uint8_t choice[4];
    uint64_t moved;

    (void)state;
    assert_ok(
        sked_locality_restore(l, &in, present, NULL, choice, &moved, NULL));
    assert_i64((int64_t)moved, 1);
    assert_i64(choice[0], 1);
    sked_locality_free(l);
}

/* [HSE-6] */
static void the_bound_of_sizes_is_met(void **state)
{
    sked_locality_input in = few();
    sked_locality *l = solve(&in);
    const int64_t size[] = {10, 20, 30, 25, 99};
    uint8_t choice[5];
    sked_locality_sized_result r = {.struct_size = sizeof r, .choice = choice};

    (void)state;
    assert_ok(sked_locality_sized(l, &in, size, NULL, &r, NULL));
    assert_i64((int64_t)r.most, 60);
    assert_i64((int64_t)r.bound, 60);
    assert_i64((int64_t)r.unplaced, 1);
    assert_i64(choice[3], 1);
    sked_locality_free(l);
}

/* Nothing at all, and hosts without blocks. */
static void nothing_is_placed_too(void **state)
{
    const uint32_t limit[] = {0, 0, 0};
    sked_locality_input in = {
        .struct_size = sizeof in, .blocks = 0, .hosts = 3};
    sked_locality_search_options o = {.struct_size = sizeof o};
    sked_locality_search_result r = {.struct_size = sizeof r};
    sked_locality_plan_options p = {.struct_size = sizeof p};
    sked_locality_plan_result pr = {.struct_size = sizeof pr};
    sked_locality_sized_result sr = {.struct_size = sizeof sr};
    sked_locality *l = solve(&in);
    uint64_t moved;

    (void)state;
    assert_i64(sked_locality_floor(l), 0);
    assert_i64(sked_locality_least_load(l), 0);
    for (o.method = 0; o.method < 3; o.method++) {
        assert_ok(sked_locality_search(l, &o, &r, NULL));
        assert_i64(r.point.load, 0);
    }
    assert_ok(sked_locality_plan(l, &in, &p, NULL, &pr, NULL));
    assert_ok(sked_locality_restore(l, &in, NULL, NULL, NULL, &moved, NULL));
    assert_ok(sked_locality_sized(l, &in, NULL, NULL, &sr, NULL));
    sked_locality_free(l);

    in.blocks = 7; /* none of which has a replica */
    l = solve(&in);
    assert_i64((int64_t)sked_locality_unplaced(l), 7);
    assert_i64(sked_locality_least_load(l), 3);
    assert_ok(sked_locality_verify(&in, sked_locality_choice(l),
                                   sked_locality_levels(l), NULL, NULL));
    sked_locality_free(l);
    in.limit = limit; /* and no place either */
    l = solve(&in);
    assert_i64(sked_locality_floor(l), SKED_UNLIMITED);
    o.method = 0;
    assert_status(SKED_ERR_RANGE, sked_locality_search(l, &o, &r, NULL));
    sked_locality_free(l);
    sked_locality_free(NULL);
    sked_locality_live_free(NULL);
}

/* ---- Refusals ---- */

static void refused(const sked_locality_input *in, sked_status why, int64_t row)
{
    sked_error err = {.code = SKED_OK};
    sked_locality *l = NULL;

    assert_status(why, sked_locality_new(in, NULL, NULL, &l, &err));
    assert_status(why, err.code);
    assert_i64(err.row, row);
    assert_null(l);
    assert_status(why, sked_locality_verify(in, (const uint8_t *)"",
                                            (int64_t[3]){0}, NULL, NULL));
}

static void bad_inputs_are_refused_with_their_row(void **state)
{
    int64_t ticks[] = {1, 1, 1}, committed[] = {0, 0, 0};
    uint32_t cores[] = {1, 1, 1}, replica[10];
    sked_locality_input in = few();

    (void)state;
    refused(NULL, SKED_ERR_ARG, -1);
    in.struct_size = 4;
    refused(&in, SKED_ERR_VERSION, -1);
    in = few();
    in.flags = 1;
    refused(&in, SKED_ERR_ARG, -1);
    in = few();
    in.reserved = 1;
    refused(&in, SKED_ERR_ARG, -1);
    in = few();
    in.blocks = UINT32_MAX;
    refused(&in, SKED_ERR_RANGE, -1);
    in = few();
    in.hosts = 0;
    refused(&in, SKED_ERR_RANGE, -1);
    in.hosts = SKED_MAX_LOCALITY_HOSTS + 1;
    refused(&in, SKED_ERR_RANGE, -1);
    in = few();
    in.replicas = 255;
    refused(&in, SKED_ERR_RANGE, -1);
    in.replicas = (uint32_t)1 << 31;
    refused(&in, SKED_ERR_RANGE, -1);
    in = few();
    in.replica = NULL;
    refused(&in, SKED_ERR_ARG, -1);
    in = few();
    memcpy(replica, few_replicas, sizeof replica);
    in.replica = replica;
    replica[5] = 3;
    refused(&in, SKED_ERR_RANGE, 2);
    in = few();
    in.ticks = ticks;
    ticks[2] = 0;
    refused(&in, SKED_ERR_RANGE, 2);
    ticks[2] = SKED_AMOUNT_MAX / 6 + 1;
    refused(&in, SKED_ERR_RANGE, 2);
    ticks[2] = 1;
    in.committed = committed;
    committed[1] = -1;
    refused(&in, SKED_ERR_RANGE, 1);
    committed[1] = SKED_AMOUNT_MAX + 1;
    refused(&in, SKED_ERR_RANGE, 1);
    committed[1] = SKED_AMOUNT_MAX;
    refused(&in, SKED_ERR_RANGE, 1);
    committed[1] = 0;
    in.cores = cores;
    cores[0] = 0;
    refused(&in, SKED_ERR_RANGE, 0);
}

/* Every method finds a host that is not there, wherever it stands. */
static void unknown_hosts_are_found_by_every_method(void **state)
{
    uint32_t replica[9] = {0, 1, 2, 0, 1, 2, 0, 1, 7};
    sked_locality_input in = {.struct_size = sizeof in,
                              .blocks = 3,
                              .hosts = 3,
                              .replicas = 3,
                              .replica = replica};
    sked_locality_options o = {.struct_size = sizeof o};
    sked_locality *l = NULL;
    sked_error err;

    (void)state;
    for (o.method = 0; o.method < 3; o.method++) {
        assert_status(SKED_ERR_RANGE,
                      sked_locality_new(&in, &o, NULL, &l, &err));
        assert_i64(err.row, 2);
        assert_i64(err.got, 7);
    }
    assert_status(SKED_ERR_ARG, sked_locality_new(&in, &o, NULL, &l, &err));
    o.struct_size = 1;
    assert_status(SKED_ERR_VERSION, sked_locality_new(&in, &o, NULL, &l, &err));
    replica[8] = 2;
    for (uint32_t at = 0; at < 9; at += 4) { /* at each place of a row */
        uint32_t was = replica[at];
        replica[at] = 70 + at;
        assert_status(SKED_ERR_RANGE,
                      sked_locality_new(&in, NULL, NULL, &l, &err));
        assert_i64(err.row, at / 3);
        assert_i64(err.got, 70 + at);
        assert_i64(err.limit, 3);
        replica[at] = was;
    }
    assert_status(SKED_ERR_ARG, sked_locality_new(&in, NULL, NULL, NULL, &err));
    sked_host host = {.struct_size = sizeof host, .flags = 64};
    assert_status(SKED_ERR_ARG, sked_locality_new(&in, NULL, &host, &l, &err));
    assert_status(SKED_ERR_ARG,
                  sked_locality_verify(&in, (const uint8_t *)"\0\0\0",
                                       (int64_t[3]){0}, &host, &err));
}

static void bad_searches_are_refused(void **state)
{
    sked_locality_input in = few();
    sked_locality *l = solve(&in);
    sked_locality_search_options o = {.struct_size = sizeof o};
    sked_locality_search_result r = {.struct_size = sizeof r};
    sked_locality_point point;
    uint32_t host;
    uint64_t blocks;
    size_t n = 0;

    (void)state;
    assert_status(SKED_ERR_ARG, sked_locality_search(NULL, &o, &r, NULL));
    assert_status(SKED_ERR_ARG, sked_locality_search(l, NULL, &r, NULL));
    assert_status(SKED_ERR_ARG, sked_locality_search(l, &o, NULL, NULL));
    o.method = 3;
    assert_status(SKED_ERR_ARG, sked_locality_search(l, &o, &r, NULL));
    o.method = 0;
    o.compute = (uint64_t)SKED_AMOUNT_MAX + 1;
    assert_status(SKED_ERR_RANGE, sked_locality_search(l, &o, &r, NULL));
    o.compute = 0;
    o.transfer = (uint64_t)SKED_AMOUNT_MAX + 1;
    assert_status(SKED_ERR_RANGE, sked_locality_search(l, &o, &r, NULL));
    o.transfer = 0;
    r.struct_size = 8;
    assert_status(SKED_ERR_VERSION, sked_locality_search(l, &o, &r, NULL));
    r.struct_size = sizeof r;
    o.struct_size = 8;
    assert_status(SKED_ERR_VERSION, sked_locality_search(l, &o, &r, NULL));
    assert_status(SKED_ERR_RANGE, sked_locality_curve(l, &point, 1, &n, NULL));
    assert_i64((int64_t)n, 2);
    assert_status(SKED_ERR_ARG, sked_locality_curve(l, NULL, 1, &n, NULL));
    assert_status(SKED_ERR_ARG, sked_locality_curve(l, &point, 1, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_locality_curve(NULL, &point, 1, &n, NULL));
    assert_status(SKED_ERR_RANGE,
                  sked_locality_bottleneck(l, 0, &host, 1, &n, &blocks, NULL));
    assert_i64((int64_t)n, 3);
    assert_status(SKED_ERR_ARG,
                  sked_locality_bottleneck(l, 0, NULL, 1, &n, &blocks, NULL));
    assert_status(SKED_ERR_ARG, sked_locality_bottleneck(l, 0, &host, 1, NULL,
                                                         &blocks, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_locality_bottleneck(l, 0, &host, 1, &n, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_locality_bottleneck(NULL, 0, &host, 1, &n,
                                                         &blocks, NULL));
    sked_locality_free(l);
}

/* [HSE-3] Costs of nothing, and of 2^62. */
static void costs_may_be_nothing_or_huge(void **state)
{
    sked_locality_input in = few();
    sked_locality *l = solve(&in);
    sked_locality_search_options o = {.struct_size = sizeof o};
    sked_locality_search_result r = {.struct_size = sizeof r};

    (void)state;
    for (o.method = 0; o.method < 2; o.method++) {
        o.compute = 0;
        o.transfer = (uint64_t)SKED_AMOUNT_MAX; /* none but what must be */
        assert_ok(sked_locality_search(l, &o, &r, NULL));
        assert_i64(r.point.load, 3);
        assert_i64((int64_t)r.cost.low, SKED_AMOUNT_MAX);
        o.compute = (uint64_t)SKED_AMOUNT_MAX;
        o.transfer = 0; /* the floor */
        assert_ok(sked_locality_search(l, &o, &r, NULL));
        assert_i64(r.point.load, 2);
        o.transfer = o.compute; /* equal: fewer transfers */
        assert_ok(sked_locality_search(l, &o, &r, NULL));
        assert_i64(r.point.load, 3);
        assert_i64((int64_t)r.cost.high, 1); /* 4 * 2^62 */
        assert_i64((int64_t)r.cost.low, 0);
        o.compute = o.transfer = 0;
        assert_ok(sked_locality_search(l, &o, &r, NULL));
        assert_i64(r.point.load, 3);
    }
    sked_locality_free(l);
}

static void bad_plans_are_refused(void **state)
{
    sked_locality_input in = few(), other = few();
    sked_locality_options online = {.struct_size = sizeof online,
                                    .method = SKED_LOCALITY_METHOD_ONLINE};
    const uint32_t far_rack[] = {0, 0, 3};
    uint32_t where[5] = {9, 9, 9, 9, 9}, present[5] = {0};
    uint8_t choice[5];
    uint64_t moved;
    sked_locality *l = solve(&in), *rough = NULL;
    sked_locality_plan_options o = {.struct_size = sizeof o, .load = 2};
    sked_locality_plan_result r = {.struct_size = sizeof r, .host = where};
    sked_error err;

    (void)state;
    assert_status(SKED_ERR_ARG,
                  sked_locality_plan(NULL, &in, &o, NULL, &r, &err));
    assert_status(SKED_ERR_ARG,
                  sked_locality_plan(l, NULL, &o, NULL, &r, &err));
    assert_status(SKED_ERR_ARG,
                  sked_locality_plan(l, &in, NULL, NULL, &r, &err));
    assert_status(SKED_ERR_ARG,
                  sked_locality_plan(l, &in, &o, NULL, NULL, &err));
    o.load = 1;
    assert_status(SKED_ERR_RANGE,
                  sked_locality_plan(l, &in, &o, NULL, &r, &err));
    assert_i64(err.limit, 2);
    o.load = 2;
    o.in_rack = 1;
    assert_status(SKED_ERR_RANGE,
                  sked_locality_plan(l, &in, &o, NULL, &r, &err));
    o.in_rack = -1;
    assert_status(SKED_ERR_RANGE,
                  sked_locality_plan(l, &in, &o, NULL, &r, &err));
    o.in_rack = 0;
    o.beyond = SKED_MAX_LOCALITY_COST + 1;
    assert_status(SKED_ERR_RANGE,
                  sked_locality_plan(l, &in, &o, NULL, &r, &err));
    o.beyond = 0;
    o.rack = far_rack;
    assert_status(SKED_ERR_RANGE,
                  sked_locality_plan(l, &in, &o, NULL, &r, &err));
    assert_i64(err.row, 2);
    o.rack = NULL;
    o.flags = 1;
    assert_status(SKED_ERR_ARG, sked_locality_plan(l, &in, &o, NULL, &r, &err));
    o.flags = 0;
    o.struct_size = 8;
    assert_status(SKED_ERR_VERSION,
                  sked_locality_plan(l, &in, &o, NULL, &r, &err));
    o.struct_size = sizeof o;
    r.struct_size = 8;
    assert_status(SKED_ERR_VERSION,
                  sked_locality_plan(l, &in, &o, NULL, &r, &err));
    r.struct_size = sizeof r;
    other.hosts = 4; /* not what was placed */
    assert_status(SKED_ERR_ARG,
                  sked_locality_plan(l, &other, &o, NULL, &r, &err));
    other = few();
    uint32_t replica[10];
    memcpy(replica, few_replicas, sizeof replica);
    other.replica = replica;
    replica[0] = 1;
    assert_status(SKED_ERR_ARG,
                  sked_locality_plan(l, &other, &o, NULL, &r, &err));
    replica[0] = none;
    assert_status(SKED_ERR_ARG,
                  sked_locality_plan(l, &other, &o, NULL, &r, &err));
    replica[0] = 8;
    assert_status(SKED_ERR_RANGE,
                  sked_locality_plan(l, &other, &o, NULL, &r, &err));
    assert_ok(sked_locality_new(&in, &online, NULL, &rough, NULL));
    assert_status(SKED_ERR_STATE,
                  sked_locality_plan(rough, &in, &o, NULL, &r, &err));
    assert_status(SKED_ERR_STATE,
                  sked_locality_bottleneck(rough, 0, where, 5, &(size_t){0},
                                           &moved, &err));
    assert_status(SKED_ERR_ARG, sked_locality_restore(l, &in, NULL, NULL,
                                                      choice, &moved, &err));
    assert_status(SKED_ERR_ARG, sked_locality_restore(l, &in, present, NULL,
                                                      NULL, &moved, &err));
    assert_status(SKED_ERR_ARG, sked_locality_restore(l, &in, present, NULL,
                                                      choice, NULL, &err));
    assert_status(
        SKED_ERR_STATE,
        sked_locality_restore(rough, &in, present, NULL, choice, &moved, &err));
    for (int b = 0; b < 5; b++) assert_i64(where[b], 9);
    sked_locality_free(rough);
    sked_locality_free(l);
}

static void bad_sizes_are_refused(void **state)
{
    const uint32_t limit[] = {5, 5, 5};
    int64_t size[] = {1, 2, -1, 4, 5};
    sked_locality_input in = few();
    sked_locality *l = solve(&in);
    uint8_t choice[5];
    sked_locality_sized_result r = {.struct_size = sizeof r, .choice = choice};
    sked_error err;

    (void)state;
    assert_status(SKED_ERR_RANGE,
                  sked_locality_sized(l, &in, size, NULL, &r, &err));
    assert_i64(err.row, 2);
    size[2] = SKED_AMOUNT_MAX;
    assert_status(SKED_ERR_RANGE,
                  sked_locality_sized(l, &in, size, NULL, &r, &err));
    assert_i64(err.row, 2);
    assert_status(SKED_ERR_ARG,
                  sked_locality_sized(l, &in, NULL, NULL, &r, &err));
    assert_status(SKED_ERR_ARG,
                  sked_locality_sized(l, &in, size, NULL, NULL, &err));
    r.struct_size = 4;
    assert_status(SKED_ERR_VERSION,
                  sked_locality_sized(l, &in, size, NULL, &r, &err));
    r.struct_size = sizeof r;
    sked_locality_free(l);
    in.limit = limit;
    l = solve(&in);
    assert_status(SKED_ERR_ARG,
                  sked_locality_sized(l, &in, size, NULL, &r, &err));
    sked_locality_free(l);
}

/* ---- The proof ---- */

static void invalid(const sked_locality_input *in, const uint8_t *choice,
                    const int64_t *levels, const char *why, int64_t row)
{
    sked_error err = {.code = SKED_OK};

    assert_status(SKED_ERR_INVALID,
                  sked_locality_verify(in, choice, levels, NULL, &err));
    assert_string_equal(err.message, why);
    assert_i64(err.row, row);
}

static void a_wrong_proof_is_seen_through(void **state)
{
    const int64_t right[] = {3, 1, 0};
    const uint32_t limit[] = {3, 5, 5};
    uint8_t choice[] = {0, 0, 0, 1, SKED_LOCALITY_NO_REPLICA};
    int64_t levels[] = {3, 1, 0};
    sked_locality_input in = few();

    (void)state;
    assert_ok(sked_locality_verify(&in, choice, right, NULL, NULL));
    choice[0] = 1;
    invalid(&in, choice, right, "a block is placed on no replica", 0);
    choice[0] = 2;
    invalid(&in, choice, right, "a block is placed on no replica", 0);
    choice[0] = SKED_LOCALITY_NO_REPLICA;
    invalid(&in, choice, right, "a block is unplaced beside a free place", 0);
    choice[0] = 0;
    levels[0] = 4;
    invalid(&in, choice, levels, "a host holds less than its level", 0);
    levels[0] = 1;
    invalid(&in, choice, levels, "a host holds more than its level and one", 0);
    levels[0] = 0;
    invalid(&in, choice, levels, "a block could be on a host of lower level",
            3);
    levels[0] = 3;
    choice[3] = 0;
    invalid(&in, choice, levels, "a block could be on a host of lower level",
            3);
    in.limit = limit; /* the first host is full: one may be unplaced, by a
                         proof that says so */
    choice[3] = 1;
    in.blocks = 4;
    uint32_t replica[8] = {0, none, 0, none, 0, none, 0, none};
    in.replica = replica;
    choice[3] = SKED_LOCALITY_NO_REPLICA;
    levels[1] = 0;
    invalid(&in, choice, levels, "a full host is not of the highest level", 3);
    levels[0] = SKED_UNLIMITED - 1;
    assert_ok(sked_locality_verify(&in, choice, levels, NULL, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_locality_verify(&in, NULL, levels, NULL, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_locality_verify(&in, choice, NULL, NULL, NULL));
}

/* ---- In force ---- */

/* [HSE-5] */
static void blocks_come_and_go(void **state)
{
    const uint32_t first[] = {0}, both[] = {0, 1}, bad[] = {0, 9};
    sked_locality_live *live = NULL;
    sked_locality_move move[4];
    uint32_t b, other;
    sked_error err;
    size_t n;

    (void)state;
    assert_ok(sked_locality_live_new(2, 2, NULL, &live, NULL));
    assert_ok(sked_locality_live_add(live, both, 2, &b, NULL));
    assert_i64(sked_locality_live_host(live, b), 0);
    assert_ok(sked_locality_live_add(live, first, 1, &other, NULL));
    assert_i64(sked_locality_live_host(live, b), 1); /* it made way */
    assert_i64(sked_locality_live_least_load(live), 1);
    assert_ok(sked_locality_live_take(live, move, 1, &n, NULL));
    assert_i64((int64_t)n, 1);
    assert_i64(move[0].block, b);
    assert_i64(move[0].from, SKED_LOCALITY_NO_HOST);
    assert_i64(move[0].to, 1);
    assert_ok(sked_locality_live_down(live, 1, NULL));
    assert_i64(sked_locality_live_host(live, b), 0);
    assert_i64(sked_locality_live_loads(live)[0], 2);
    assert_i64((int64_t)sked_locality_live_transfers(live, 1), 1);
    assert_ok(sked_locality_live_down(live, 0, NULL)); /* nothing is left */
    assert_i64(sked_locality_live_host(live, b), SKED_LOCALITY_NO_HOST);
    assert_ok(sked_locality_live_remove(live, b, NULL));
    assert_status(SKED_ERR_NOT_FOUND, sked_locality_live_remove(live, b, &err));
    assert_status(SKED_ERR_NOT_FOUND, sked_locality_live_remove(live, 7, &err));
    assert_i64(sked_locality_live_host(live, 7), SKED_LOCALITY_NO_HOST);
    assert_ok(sked_locality_live_take(live, move, 4, &n, NULL));
    assert_i64((int64_t)n, 1); /* the other one came and went */
    assert_ok(sked_locality_live_add(live, both, 2, &other, NULL));
    assert_i64(other, b); /* its number again, and the host is back */

    assert_status(SKED_ERR_RANGE,
                  sked_locality_live_add(live, bad, 2, &b, &err));
    assert_i64(err.row, 1);
    assert_status(SKED_ERR_RANGE,
                  sked_locality_live_add(live, bad, 3, &b, &err));
    assert_status(SKED_ERR_RANGE, sked_locality_live_down(live, 2, &err));
    assert_status(SKED_ERR_ARG,
                  sked_locality_live_add(live, NULL, 1, &b, &err));
    assert_status(SKED_ERR_ARG,
                  sked_locality_live_add(live, both, 1, NULL, &err));
    assert_status(SKED_ERR_ARG,
                  sked_locality_live_add(NULL, both, 1, &b, &err));
    assert_status(SKED_ERR_ARG, sked_locality_live_remove(NULL, 0, &err));
    assert_status(SKED_ERR_ARG, sked_locality_live_down(NULL, 0, &err));
    assert_status(SKED_ERR_ARG,
                  sked_locality_live_take(live, NULL, 1, &n, &err));
    assert_status(SKED_ERR_ARG,
                  sked_locality_live_take(live, move, 1, NULL, &err));
    assert_status(SKED_ERR_ARG,
                  sked_locality_live_take(NULL, move, 1, &n, &err));
    sked_locality_live_free(live);
    assert_status(SKED_ERR_ARG, sked_locality_live_new(1, 1, NULL, NULL, &err));
    assert_status(SKED_ERR_RANGE,
                  sked_locality_live_new(0, 1, NULL, &live, &err));
    assert_status(SKED_ERR_RANGE,
                  sked_locality_live_new(SKED_MAX_LOCALITY_HOSTS + 1, 1, NULL,
                                         &live, &err));
    assert_status(SKED_ERR_RANGE,
                  sked_locality_live_new(1, 0, NULL, &live, &err));
    assert_status(SKED_ERR_RANGE,
                  sked_locality_live_new(1, 255, NULL, &live, &err));
    sked_host host = {.struct_size = sizeof host, .flags = 64};
    assert_status(SKED_ERR_ARG,
                  sked_locality_live_new(1, 1, &host, &live, &err));
}

/* The number of a search comes round after 2^32 of them: marks that stand from
 * before must not be taken for its own. */
static void searches_may_be_counted_round(void **state)
{
    const uint32_t both[] = {0, 1};
    sked_locality_live *live = NULL;
    uint32_t b;

    (void)state;
    assert_ok(sked_locality_live_new(2, 2, NULL, &live, NULL));
    assert_ok(sked_locality_live_add(live, both, 2, &b, NULL));
    live->stamp = UINT32_MAX;
    for (int h = 0; h < 2; h++) { /* what the first search may have left */
        live->ahead.mark[h] = live->back.mark[h] = 1;
    }
    assert_ok(sked_locality_live_add(live, both, 1, &b, NULL));
    assert_i64(live->stamp, 1);
    assert_i64(sked_locality_live_least_load(live), 1);
    sked_locality_live_free(live);
}

/* ---- Large ones ---- */

typedef struct large {
    sked_locality_input in;
    uint32_t *replica;
} large;

static large make_large(int skewed, int lost)
{
    static const blocks_groups groups = {
        .n = 2, .hosts = {20, 60}, .blocks = {18000, 50000}, .seed = 5};
    large x = {.replica = malloc((size_t)LARGE * 3 * sizeof *x.replica)};

    assert_non_null(x.replica);
    if (skewed) {
        blocks_grouped(x.replica, LARGE, HOSTS, &groups);
    } else {
        blocks_uniform(x.replica, LARGE, HOSTS, 3, 6);
    }
    if (lost) x.replica[3 * (LARGE - lost)] = SKED_LOCALITY_NO_HOST;
    x.in = (sked_locality_input){.struct_size = sizeof x.in,
                                 .blocks = LARGE,
                                 .hosts = HOSTS,
                                 .replicas = 3,
                                 .replica = x.replica};
    return x;
}

static sked_locality *solve_by(const large *x, uint32_t threads)
{
    sked_host host = {.struct_size = sizeof host, .threads = threads};
    sked_locality *l = NULL;

    host.threads = threads;
    assert_ok(sked_locality_new(&x->in, NULL, &host, &l, NULL));
    assert_ok(sked_locality_verify(&x->in, sked_locality_choice(l),
                                   sked_locality_levels(l), NULL, NULL));
    return l;
}

/* [HSE-1] Proved, and the same bytes by one thread or several; with a lost
 * replica among the last blocks, in the middle, or none. */
static void threads_change_nothing(void **state)
{
    static const int lost[] = {0, 1, LARGE / 2};

    (void)state;
    for (int i = 0; i < 6; i++) {
        large x = make_large(i % 2, lost[i / 2]);
        sked_locality *one = solve_by(&x, 1), *three = solve_by(&x, 3);
        assert_memory_equal(sked_locality_choice(one),
                            sked_locality_choice(three), LARGE);
        assert_memory_equal(sked_locality_levels(one),
                            sked_locality_levels(three),
                            HOSTS * sizeof(int64_t));
        sked_locality_free(one);
        sked_locality_free(three);
        free(x.replica);
    }
}

/* More hosts than a worker's slice has blocks. */
static void many_hosts_have_short_slices(void **state)
{
    large x = make_large(0, 0);

    (void)state;
    x.in.hosts = 4000;
    blocks_uniform(x.replica, LARGE, x.in.hosts, 3, 9);
    sked_locality *one = solve_by(&x, 1), *three = solve_by(&x, 3);
    assert_i64(sked_locality_least_load(one), LARGE / 4000);
    assert_memory_equal(sked_locality_choice(one), sked_locality_choice(three),
                        LARGE);
    sked_locality_free(one);
    sked_locality_free(three);
    free(x.replica);
}

/* 900 a host in the first group, which nothing else can take over. */
static void groups_that_hold_too_much_are_found(void **state)
{
    large x = make_large(1, 0);
    sked_locality *l = solve_by(&x, 1);
    uint32_t hosts[HOSTS];
    uint64_t blocks;
    size_t n;

    (void)state;
    assert_i64(sked_locality_floor(l), 750);
    assert_i64(sked_locality_least_load(l), 900);
    assert_ok(
        sked_locality_bottleneck(l, 899, hosts, HOSTS, &n, &blocks, NULL));
    assert_i64((int64_t)n, 20);
    assert_i64((int64_t)blocks, 18000);
    assert_i64((int64_t)sked_locality_transfers(l, 750),
               18000 - 20 * 750 + 50000 - 60 * 750);
    sked_locality_free(l);
    free(x.replica);
}

static uint32_t add_pairs(uint32_t *replica, uint32_t at, uint32_t n,
                          uint32_t first, uint32_t second)
{
    for (uint32_t i = 0; i < n; i++) {
        replica[2 * (size_t)(at + i)] = first;
        replica[2 * (size_t)(at + i) + 1] = second;
    }
    return at + n;
}

/* Loads of one more, even, one less. Only two blocks, far behind the window of
 * blocks that is looked at first, lead from the first host over the second to
 * the third. */
static void two_blocks_among_many_make_the_path(void **state)
{
    uint32_t *replica = malloc((size_t)LARGE * 2 * sizeof *replica), n = 0;
    sked_locality_input in = {.struct_size = sizeof in,
                              .blocks = LARGE,
                              .hosts = 3,
                              .replicas = 2,
                              .replica = replica};

    (void)state;
    assert_non_null(replica);
    n = add_pairs(replica, n, 70000, 2, 2);
    n = add_pairs(replica, n, 1, 1, 2); /* goes to the second */
    n = add_pairs(replica, n, 1, 0, 1); /* goes to the first */
    n = add_pairs(replica, n, 29999, 2, 2);
    n = add_pairs(replica, n, 99999, 1, 1);
    n = add_pairs(replica, n, 100000, 0, 0);
    assert_i64(n, LARGE);
    sked_locality *l = solve(&in);
    assert_ok(sked_locality_verify(&in, sked_locality_choice(l),
                                   sked_locality_levels(l), NULL, NULL));
    assert_i64(sked_locality_least_load(l), 100000);
    assert_i64(sked_locality_choice(l)[70000], 1);
    assert_i64(sked_locality_choice(l)[70001], 1);
    sked_locality_free(l);
    free(replica);
}

/* A group that holds half of all blocks: to prove that nothing leads out of it
 * more is listed than not, so all is. */
static void a_group_of_half_of_all_is_found(void **state)
{
    static const blocks_groups groups = {
        .n = 1, .hosts = {150}, .blocks = {150000}, .seed = 8};
    large x = make_large(0, 0);

    (void)state;
    blocks_grouped(x.replica, LARGE, HOSTS, &groups);
    sked_locality *l = solve_by(&x, 1);
    assert_i64(sked_locality_least_load(l), 1000);
    assert_i64((int64_t)sked_locality_transfers(l, 750), 150 * 250);
    sked_locality_free(l);
    free(x.replica);
}

static sked_status refuse_parallel(void *user, size_t n, sked_task_fn fn,
                                   void *arg)
{
    size_t *calls = user;

    for (size_t i = 0; i<n && * calls> 0; i++) fn(arg, i);
    return (*calls)-- > 0 ? SKED_OK : -1500;
}

/* A host whose threads give out, at the greedy pass or at a sweep. */
static void threads_may_be_refused(void **state)
{
    large x = make_large(1, 0);
    sked_locality *l = NULL;

    (void)state;
    for (size_t at = 0; at < 20; at += 3) {
        size_t calls = at;
        sked_host host = {.struct_size = sizeof host,
                          .user = &calls,
                          .parallel = refuse_parallel};
        assert_i64(sked_locality_new(&x.in, NULL, &host, &l, NULL), -1500);
        assert_null(l);
    }
    free(x.replica);
}

/* ---- No memory ---- */

/* The most blocks, hosts and replicas that there may be are no fault: what
 * lacks is memory. */
static void the_largest_input_is_one(void **state)
{
    test_host h = {.fail_from = 1};
    sked_host host = test_host_hooks(&h);
    sked_locality_input in = {.struct_size = sizeof in,
                              .blocks = SKED_MAX_LOCALITY_BLOCKS,
                              .hosts = SKED_MAX_LOCALITY_HOSTS};
    sked_locality *l = NULL;

    (void)state;
    assert_status(SKED_ERR_NOMEM,
                  sked_locality_new(&in, NULL, &host, &l, NULL));
    in = few();
    in.replicas = SKED_MAX_LOCALITY_REPLICAS;
    in.blocks = 0;
    assert_status(SKED_ERR_NOMEM,
                  sked_locality_new(&in, NULL, &host, &l, NULL));
    assert_null(l);
}

static sked_status small_life(test_host *host, void *arg)
{
    const uint32_t limit[] = {2, 9, 9}, present[] = {0, 1, 0, 1, 2};
    const int64_t ticks[] = {3, 2, 1}, committed[] = {4, 0, 1};
    const uint32_t cores[] = {1, 2, 1};
    const int64_t size[] = {1, 2, 3, 4, 5};
    sked_host hooks = test_host_hooks(host);
    sked_locality_input in = few();
    sked_locality *l = NULL;
    uint32_t where[5];
    uint8_t choice[5];
    uint64_t moved;
    sked_locality_plan_options o = {.struct_size = sizeof o, .load = 30};
    sked_locality_plan_result r = {.struct_size = sizeof r, .host = where};
    sked_locality_sized_result s = {.struct_size = sizeof s, .choice = choice};

    if (arg) {
        in.limit = limit;
        in.ticks = ticks;
        in.committed = committed;
        in.cores = cores;
    }
    sked_status rc = sked_locality_new(&in, NULL, &hooks, &l, NULL);
    if (rc != SKED_OK) return rc;
    rc = sked_locality_verify(&in, sked_locality_choice(l),
                              sked_locality_levels(l), &hooks, NULL);
    if (rc == SKED_OK) rc = sked_locality_plan(l, &in, &o, &hooks, &r, NULL);
    if (rc == SKED_OK) {
        rc = sked_locality_restore(l, &in, present, &hooks, choice, &moved,
                                   NULL);
    }
    if (rc == SKED_OK && !arg) {
        rc = sked_locality_sized(l, &in, size, &hooks, &s, NULL);
    }
    sked_locality_free(l);
    return rc;
}

static sked_status moves_life(test_host *host, void *arg)
{
    sked_host hooks = test_host_hooks(host);
    sked_locality_input in = few();
    sked_locality *l = NULL;
    sked_locality_options o = {.struct_size = sizeof o,
                               .method = SKED_LOCALITY_METHOD_EQUILIBRIUM};

    (void)arg;
    sked_status rc = sked_locality_new(&in, &o, &hooks, &l, NULL);
    sked_locality_free(l);
    return rc;
}

/* What fails in force has changed nothing. */
static sked_status live_life(test_host *host, void *arg)
{
    sked_host hooks = test_host_hooks(host);
    sked_locality_live *live = NULL;
    uint32_t row[2], b, before[3], n = 0;

    (void)arg;
    sked_status rc = sked_locality_live_new(3, 2, &hooks, &live, NULL);
    for (; n < 30 && rc == SKED_OK; n++) {
        row[0] = n % 2;
        row[1] = n % 3;
        memcpy(before, sked_locality_live_loads(live), sizeof before);
        rc = n == 25 ? sked_locality_live_down(live, 1, NULL)
                     : sked_locality_live_add(live, row, 2, &b, NULL);
        if (rc == SKED_OK) continue;
        assert_memory_equal(before, sked_locality_live_loads(live),
                            sizeof before);
        assert_i64(sked_locality_live_host(live, n), SKED_LOCALITY_NO_HOST);
    }
    sked_locality_live_free(live);
    return rc;
}

static sked_status large_life(test_host *host, void *arg)
{
    large *x = arg;
    sked_host hooks = test_host_hooks(host);
    sked_locality *l = NULL;
    sked_status rc = sked_locality_new(&x->in, NULL, &hooks, &l, NULL);

    sked_locality_free(l);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_sweep(small_life, NULL, 0);
    test_sweep(small_life, &(int){1}, 0);
    test_sweep(moves_life, NULL, 0);
    test_sweep(live_life, NULL, 0);
    large x = make_large(1, 0);
    test_sweep(large_life, &x, 5);
    free(x.replica);
    x = make_large(1, 1);
    test_sweep(large_life, &x, 3);
    free(x.replica);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lost_blocks_are_transferred_at_any_load),
        cmocka_unit_test(transfers_stay_in_the_rack_if_they_can),
        cmocka_unit_test(what_may_stay_stays),
        cmocka_unit_test(the_bound_of_sizes_is_met),
        cmocka_unit_test(nothing_is_placed_too),
        cmocka_unit_test(bad_inputs_are_refused_with_their_row),
        cmocka_unit_test(unknown_hosts_are_found_by_every_method),
        cmocka_unit_test(bad_searches_are_refused),
        cmocka_unit_test(costs_may_be_nothing_or_huge),
        cmocka_unit_test(bad_plans_are_refused),
        cmocka_unit_test(bad_sizes_are_refused),
        cmocka_unit_test(a_wrong_proof_is_seen_through),
        cmocka_unit_test(blocks_come_and_go),
        cmocka_unit_test(searches_may_be_counted_round),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(many_hosts_have_short_slices),
        cmocka_unit_test(groups_that_hold_too_much_are_found),
        cmocka_unit_test(two_blocks_among_many_make_the_path),
        cmocka_unit_test(a_group_of_half_of_all_is_found),
        cmocka_unit_test(threads_may_be_refused),
        cmocka_unit_test(the_largest_input_is_one),
        cmocka_unit_test(every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
