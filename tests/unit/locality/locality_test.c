/* Blocks to hosts by hand: placement, its proof, and placements in force. */
#include "locality_cases.h"

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

/* The largest block there may be fills its only host, and stays there. */
static void a_block_may_be_as_large_as_can_be(void **state)
{
    const uint32_t replica[] = {0};
    const int64_t size[] = {SKED_AMOUNT_MAX};
    sked_locality_input in = {.struct_size = sizeof in,
                              .blocks = 1,
                              .hosts = 1,
                              .replicas = 1,
                              .replica = replica};
    uint8_t choice[] = {9};
    sked_locality_sized_result r = {.struct_size = sizeof r, .choice = choice};
    test_host host = {.stop_at = 100, .stop_with = SKED_STOPPED};
    sked_host hooks = test_host_hooks(&host);
    sked_locality *l = solve(&in);

    (void)state;
    hooks.user_free = NULL; /* no handle keeps it */
    assert_ok(sked_locality_sized(l, &in, size, &hooks, &r, NULL));
    assert_i64((int64_t)r.most, SKED_AMOUNT_MAX);
    assert_i64((int64_t)r.bound, SKED_AMOUNT_MAX);
    assert_i64(choice[0], 0);
    sked_locality_free(l);
}

/* A host may stop each sweep over the sizes; then nothing is written. */
static void sweeps_over_sizes_may_be_stopped(void **state)
{
    const uint32_t replica[] = {0, 1, 0, 1, 0, 1, 0, 1};
    const int64_t size[] = {100, 1, 1, 1}, even[] = {1, 1, 1, 1};
    sked_locality_input in = {.struct_size = sizeof in,
                              .blocks = 4,
                              .hosts = 2,
                              .replicas = 2,
                              .replica = replica};
    uint8_t choice[] = {9, 9, 9, 9};
    sked_locality_sized_result r = {.struct_size = sizeof r, .choice = choice};
    test_host host = {0};
    sked_host hooks = test_host_hooks(&host);
    sked_locality *l = solve(&in);

    (void)state;
    hooks.user_free = NULL; /* no handle keeps it */
    assert_ok(sked_locality_sized(l, &in, even, &hooks, &r, NULL));
    size_t before = host.checks; /* none of them in a sweep */
    assert_ok(sked_locality_sized(l, &in, size, &hooks, &r, NULL));
    assert_i64((int64_t)r.most, 100);
    assert_i64((int64_t)r.bound, 100); /* the largest; the mean is 52 */
    assert_true(host.checks > 2 * before);
    memset(choice, 9, sizeof choice);
    host.checks = 0;
    host.stop_at = before + 1;
    host.stop_with = SKED_STOPPED;
    assert_status(SKED_ERR_CANCELLED,
                  sked_locality_sized(l, &in, size, &hooks, &r, NULL));
    for (int b = 0; b < 4; b++) assert_int_equal(choice[b], 9);
    assert_i64((int64_t)host.live, 0);
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

/* Two blocks lie on a host that takes one: at no load is there more. */
static void limits_name_their_hosts_at_any_load(void **state)
{
    const uint32_t replica[] = {0, 0, 1}, limit[] = {1, 5};
    const sked_locality_input in = {.struct_size = sizeof in,
                                    .blocks = 3,
                                    .hosts = 2,
                                    .replicas = 1,
                                    .replica = replica,
                                    .limit = limit};
    sked_locality *l = solve(&in);
    uint32_t hosts[2] = {9, 9};
    uint64_t blocks;
    size_t n;

    (void)state;
    assert_i64((int64_t)sked_locality_transfers(l, SKED_UNLIMITED), 1);
    for (int64_t off = 0; off < 4; off++) {
        assert_ok(sked_locality_bottleneck(l, SKED_UNLIMITED - off, hosts, 2,
                                           &n, &blocks, NULL));
        assert_i64((int64_t)n, 1);
        assert_i64(hosts[0], 0);
        assert_i64((int64_t)blocks, 2);
    }
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
    const uint32_t first[] = {0}, both[] = {0, 1};
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
    assert_i64((int64_t)sked_locality_live_transfers(live, 1), 2);
    assert_ok(sked_locality_live_remove(live, b, NULL));
    assert_i64((int64_t)sked_locality_live_transfers(live, 1), 1);
    assert_status(SKED_ERR_NOT_FOUND, sked_locality_live_remove(live, b, &err));
    assert_status(SKED_ERR_NOT_FOUND, sked_locality_live_remove(live, 7, &err));
    assert_i64(sked_locality_live_host(live, 7), SKED_LOCALITY_NO_HOST);
    assert_ok(sked_locality_live_take(live, move, 4, &n, NULL));
    assert_i64((int64_t)n, 1); /* the other one came and went */
    assert_ok(sked_locality_live_add(live, both, 2, &other, NULL));
    assert_i64(other, b); /* its number again, and the host is back */
    sked_locality_live_free(live);
}

static void live_blocks_are_checked(void **state)
{
    const uint32_t both[] = {0, 1}, bad[] = {0, 9};
    sked_locality_live *live = NULL;
    sked_locality_move move[4];
    uint32_t b;
    sked_error err;
    size_t n;

    (void)state;
    assert_ok(sked_locality_live_new(2, 2, NULL, &live, NULL));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lost_blocks_are_transferred_at_any_load),
        cmocka_unit_test(transfers_stay_in_the_rack_if_they_can),
        cmocka_unit_test(what_may_stay_stays),
        cmocka_unit_test(the_bound_of_sizes_is_met),
        cmocka_unit_test(a_block_may_be_as_large_as_can_be),
        cmocka_unit_test(sweeps_over_sizes_may_be_stopped),
        cmocka_unit_test(nothing_is_placed_too),
        cmocka_unit_test(limits_name_their_hosts_at_any_load),
        cmocka_unit_test(a_wrong_proof_is_seen_through),
        cmocka_unit_test(blocks_come_and_go),
        cmocka_unit_test(live_blocks_are_checked),
        cmocka_unit_test(searches_may_be_counted_round),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
