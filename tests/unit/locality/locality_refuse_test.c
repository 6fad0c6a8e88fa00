/* Blocks to hosts: what is refused. */
#include "locality_cases.h"

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

/* [HSE-1] A host that stands twice in a row counts once, at once or in force. */
static void a_replica_said_twice_is_one(void **state)
{
    const uint32_t twice[] = {0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 1, 1};
    const uint32_t once[] = {0, 1, none, 0, none, none,
                             0, 1, none, 1, none, none};
    sked_locality_input in = {.struct_size = sizeof in,
                              .blocks = 4,
                              .hosts = 2,
                              .replicas = 3,
                              .replica = twice};
    sked_locality *one = solve(&in), *other;
    sked_locality_live *live = NULL;
    uint32_t b;

    (void)state;
    in.replica = once;
    other = solve(&in);
    for (int64_t load = 0; load < 5; load++) {
        assert_i64((int64_t)sked_locality_transfers(one, load),
                   (int64_t)sked_locality_transfers(other, load));
    }
    assert_i64(sked_locality_least_load(one), 2);
    assert_ok(sked_locality_live_new(2, 3, NULL, &live, NULL));
    for (int i = 0; i < 4; i++) {
        assert_ok(sked_locality_live_add(live, &twice[3 * i], 3, &b, NULL));
    }
    assert_i64(sked_locality_live_least_load(live), 2);
    assert_status(
        SKED_ERR_RANGE,
        sked_locality_live_add(live, twice, (uint32_t)1 << 31, &b, NULL));
    sked_locality_live_free(live);
    live = NULL;
    assert_status(SKED_ERR_RANGE, sked_locality_live_new(2, (uint32_t)1 << 31,
                                                         NULL, &live, NULL));
    assert_null(live);
    sked_locality_free(one);
    sked_locality_free(other);
}

static void bad_searches_are_refused(void **state)
{
    sked_locality_input in = few();
    sked_locality *l = solve(&in);
    sked_locality_search_options o = {.struct_size = sizeof o};
    sked_locality_search_result r = {.struct_size = sizeof r};
    sked_locality_point point;
    uint32_t host = 7;
    uint64_t blocks = 7;
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
    assert_i64(host, 7); /* nothing else is written */
    assert_i64((int64_t)blocks, 7);
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
    const uint32_t far_rack[] = {0, 0, 3}, one_each[] = {1, 1, 1};
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
    sked_locality_free(rough);
    sked_locality_free(l);
    in.limit = one_each; /* no load has a place for all blocks */
    l = solve(&in);
    o.load = SKED_UNLIMITED;
    assert_status(SKED_ERR_RANGE,
                  sked_locality_plan(l, &in, &o, NULL, &r, &err));
    sked_locality_free(l);
    for (int b = 0; b < 5; b++) assert_i64(where[b], 9);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_inputs_are_refused_with_their_row),
        cmocka_unit_test(unknown_hosts_are_found_by_every_method),
        cmocka_unit_test(a_replica_said_twice_is_one),
        cmocka_unit_test(bad_searches_are_refused),
        cmocka_unit_test(costs_may_be_nothing_or_huge),
        cmocka_unit_test(bad_plans_are_refused),
        cmocka_unit_test(bad_sizes_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
