/* Targets on plain arrays, and users of a leaf. */
#include "target_cases.h"

/* ---- Arrays ---- */

static sked_status targets_of(pair *p, sked_target_options options,
                              sked_error *err)
{
    options.struct_size = sizeof options;
    return sked_target_once(&p->in, &options, NULL, &p->result, err);
}

static void options_that_a_dialect_lacks_are_refused(void **state)
{
    const sked_target_options wrong[] = {
        {.mode = -1},
        {.mode = 3},
        {.flags = 16},
        {.mode = SKED_TARGET_MODE_STARVATION,
         .flags = SKED_TARGET_FLAG_BALANCE},
        {.mode = SKED_TARGET_MODE_ENTITLEMENT,
         .flags = SKED_TARGET_FLAG_BY_WEIGHT},
        {.scope = SKED_SHARE_SCOPE_ONE_KIND},
        {.mode = SKED_TARGET_MODE_STARVATION,
         .scope = SKED_SHARE_SCOPE_DOMINANT},
        {.utilisation_ppm = 1},
        {.cycles = 1},
    };
    const sked_target_options outside[] = {
        {.ignored_ppm = -2},
        {.factor_ppm = -1},
        {.factor_ppm = SKED_PPM + 1},
        {.per_round_ppm = -2},
        {.per_round_ppm = SKED_PPM + 1},
        {.mode = SKED_TARGET_MODE_STARVATION, .utilisation_ppm = -2},
        {.kind = UINT32_MAX},
        {.kind = SKED_MAX_KINDS},
        {.mode = SKED_TARGET_MODE_STARVATION,
         .scope = SKED_SHARE_SCOPE_ONE_KIND,
         .kind = 1},
    };
    pair p;
    (void)state;

    pair_of(&p);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_status(SKED_ERR_ARG, targets_of(&p, wrong[i], NULL));
    }
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        assert_status(SKED_ERR_RANGE, targets_of(&p, outside[i], NULL));
    }
    assert_ok(targets_of(&p, (sked_target_options){0}, NULL));
    assert_i64(p.take[1], 10);
}

static void arrays_that_are_none_are_refused(void **state)
{
    const sked_target_options none = {0};
    int64_t number[ROWS] = {0, -1, 0};
    sked_error err;
    pair p;
    (void)state;

    pair_of(&p);
    p.usage[1] = -1;
    assert_status(SKED_ERR_RANGE, targets_of(&p, none, &err));
    assert_i64(err.row, 1);
    assert_i64(err.kind, 0);
    p.usage[1] = SKED_AMOUNT_MAX;
    p.usage[2] = 1;
    assert_status(SKED_ERR_RANGE, targets_of(&p, none, &err)); /* the sum */
    pair_of(&p);
    p.demand[2] = SKED_AMOUNT_MAX + 1;
    assert_status(SKED_ERR_RANGE, targets_of(&p, none, &err));
    assert_i64(err.row, 2);
    p.demand[2] = p.demand[0] = -5; /* a parent's is not read */
    p.queues.demand = NULL;
    assert_ok(targets_of(&p, none, &err));
    assert_i64(p.need, 0);
    p.in.min_timeout_ns = number;
    assert_status(SKED_ERR_ARG, targets_of(&p, none, &err));
    assert_i64(err.row, 1);
    p.in.min_timeout_ns = NULL;
    p.in.fair_timeout_ns = number;
    assert_status(SKED_ERR_ARG, targets_of(&p, none, &err));
    p.in.fair_timeout_ns = NULL;
    number[1] = SKED_PPM + 1;
    p.in.fair_threshold_ppm = number;
    assert_status(SKED_ERR_ARG, targets_of(&p, none, &err));
    p.in.fair_threshold_ppm = NULL;
    p.parent[2] = 2;
    assert_status(SKED_ERR_ARG, targets_of(&p, none, &err));
    assert_i64(err.row, 2);
    p.parent[2] = 0;
    p.in.flags = 1;
    assert_status(SKED_ERR_ARG, targets_of(&p, none, &err));
    p.in.flags = 0;
    p.in.queues = NULL;
    assert_status(SKED_ERR_ARG, targets_of(&p, none, &err));
}

/* What queues use adds up to an amount where their shares are handed in, too:
 * takes are sums of it. */
static void usage_that_is_too_much_together_is_refused(void **state)
{
    const int64_t none[ROWS] = {0};
    sked_target_options all = {.factor_ppm = SKED_PPM};
    sked_error err;
    pair p;
    (void)state;

    pair_of(&p);
    p.in.share = p.in.claim = p.in.keep = none;
    p.usage[1] = SKED_AMOUNT_MAX - 1;
    p.usage[2] = 1;
    p.capacity = SKED_AMOUNT_MAX;
    assert_ok(targets_of(&p, all, &err));
    assert_i64(p.take[1] + p.take[2], SKED_AMOUNT_MAX / 10 + 1);
    p.usage[2] = 2;
    p.take[1] = 7;
    assert_status(SKED_ERR_RANGE, targets_of(&p, all, &err));
    assert_i64(err.row, 2);
    assert_i64(err.kind, 0);
    assert_i64(p.take[1], 7);
}

/* A caller may hand in a share above what the leaf keeps: then its part by the fair
 * time-out is a claim up to the keep. */
static void a_fair_part_is_claimed_within_the_keep(void **state)
{
    const int64_t share[ROWS] = {0, 0, 60}, claim[ROWS] = {0},
                  keep[ROWS] = {0, 0, 20};
    const int64_t at_once[ROWS] = {0},
                  whole[ROWS] = {SKED_PPM, SKED_PPM, SKED_PPM};
    const sked_target_options fair = {.mode = SKED_TARGET_MODE_STARVATION};
    int64_t claims[ROWS];
    pair p;
    (void)state;

    pair_of(&p);
    p.in.share = share;
    p.in.claim = claim;
    p.in.keep = keep;
    p.in.fair_timeout_ns = at_once;
    p.in.fair_threshold_ppm = whole;
    p.result.claim = claims;
    assert_ok(targets_of(&p, fair, NULL));
    assert_i64(claims[2], 20);
    assert_i64(p.owed[2], 20);
    assert_i64(p.keep[2], 20);
    assert_i64(p.need, 20);
}

/* Nothing there, or nothing of a guarantee: no error, and nothing to claim;
 * what runs all the same is over its share. */
static void where_there_is_nothing_no_queue_claims(void **state)
{
    static const int32_t dialects[] = {SKED_TARGET_MODE_IMBALANCE,
                                       SKED_TARGET_MODE_STARVATION,
                                       SKED_TARGET_MODE_ENTITLEMENT};
    sked_error err;
    pair p;
    (void)state;

    for (size_t d = 0; d < 3; d++) {
        sked_target_options options = {
            .mode = dialects[d], .ignored_ppm = -1, .per_round_ppm = -1};
        if (d == 2) options.cycles = 1;
        pair_of(&p);
        p.capacity = 0;
        assert_ok(targets_of(&p, options, &err));
        assert_i64(p.owed[2], 0);
        assert_i64(p.need, 0);
        assert_true(p.reasons[1] & SKED_TARGET_REASON_OVER);
        p.usage[1] = p.demand[1] = p.demand[2] = 0;
        assert_ok(targets_of(&p, options, &err));
        assert_true((p.reasons[1] | p.reasons[2]) == 0);
        assert_i64(p.take[1], 0);
    }
}

static void unknown_versions_are_refused(void **state)
{
    const sked_target_options none = {0};
    pair p;
    (void)state;

    pair_of(&p);
    assert_status(SKED_ERR_VERSION,
                  sked_target_once(&p.in, &none, NULL, &p.result, NULL));
    p.in.struct_size = 4;
    assert_status(SKED_ERR_VERSION, targets_of(&p, none, NULL));
    pair_of(&p);
    p.queues.struct_size = 4;
    assert_status(SKED_ERR_VERSION, targets_of(&p, none, NULL));
    pair_of(&p);
    p.result.struct_size = 4;
    assert_status(SKED_ERR_VERSION, targets_of(&p, none, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_target_once(NULL, NULL, NULL, &p.result, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_target_once(&p.in, NULL, NULL, NULL, NULL));
}

static void a_queue_that_may_not_be_preempted_keeps_all(void **state)
{
    const uint8_t from[ROWS] = {1, 0, 1}, none[ROWS] = {0, 1, 1};
    pair p;
    (void)state;

    pair_of(&p);
    p.in.preempt_from = from;
    assert_ok(targets_of(&p, (sked_target_options){0}, NULL));
    assert_i64(p.take[1], 0);
    assert_i64(p.owed[2], 0);
    assert_i64(p.keep[1], SKED_UNLIMITED);
    p.in.preempt_from = none; /* "no" of the root holds for all */
    assert_ok(targets_of(&p, (sked_target_options){0}, NULL));
    assert_i64(p.need, 0);
}

/* Without guarantees nothing is a claim, unless weights stand for them. */
static void weights_may_stand_for_guarantees(void **state)
{
    const uint32_t weight[ROWS] = {1, 3, 1};
    sked_target_options by_weight = {.flags = SKED_TARGET_FLAG_BY_WEIGHT,
                                     .factor_ppm = SKED_PPM,
                                     .per_round_ppm = -1};
    pair p;
    (void)state;

    pair_of(&p);
    p.queues.weight = weight;
    p.queues.guarantee = NULL;
    assert_ok(targets_of(&p, (sked_target_options){0}, NULL));
    assert_i64(p.owed[2], 0);
    assert_ok(targets_of(&p, by_weight, NULL));
    assert_i64(p.owed[2], 25);
    assert_i64(p.take[1], 25);
    assert_i64(p.keep[1], 75);
}

/* Both want more than their guarantee; what is above it is claimed only where
 * queues are balanced. */
static void balance_claims_beyond_guarantees(void **state)
{
    sked_target_options options = {
        .factor_ppm = SKED_PPM, .per_round_ppm = -1, .ignored_ppm = -1};
    pair p;
    (void)state;

    pair_of(&p);
    p.guarantee[1] = p.guarantee[2] = 20;
    p.usage[1] = 70;
    p.usage[2] = 30;
    assert_ok(targets_of(&p, options, NULL));
    assert_i64(p.owed[2], 0);
    assert_i64(p.take[1], 0);
    options.flags = SKED_TARGET_FLAG_BALANCE;
    assert_ok(targets_of(&p, options, NULL));
    assert_i64(p.owed[2], 20);
    assert_i64(p.take[1], 20);
}

/* The higher band is served beyond its guarantee before the lower one. */
static void priority_serves_in_bands(void **state)
{
    const int32_t priority[ROWS] = {0, 0, 1};
    sked_target_options options = {.factor_ppm = SKED_PPM,
                                   .per_round_ppm = -1,
                                   .flags = SKED_TARGET_FLAG_BALANCE |
                                            SKED_TARGET_FLAG_PRIORITY};
    pair p;
    (void)state;

    pair_of(&p);
    p.queues.priority = priority;
    p.guarantee[1] = p.guarantee[2] = 20;
    assert_ok(targets_of(&p, options, NULL));
    assert_i64(p.owed[2], 70);
    assert_i64(p.keep[1], 30);
}

/* ---- Users ---- */

static void users_may_hold_their_part_or_the_limit(void **state)
{
    const int64_t total = 100, usage[] = {100, 0, 0}, demand[] = {100, 30, 0};
    const uint32_t weight[] = {1, 3, 9};
    int64_t share[3], keep[3];
    sked_error err;
    sked_target_users_input in = {.struct_size = sizeof in,
                                  .kinds = 1,
                                  .n = 3,
                                  .total = &total,
                                  .usage = usage,
                                  .demand = demand};
    (void)state;

    assert_ok(sked_target_share_users(&in, share, keep, NULL));
    assert_i64(share[0], 50);
    assert_i64(share[1], 50);
    assert_i64(share[2], 0); /* wants nothing, has nothing */
    assert_i64(keep[0], 50);
    assert_i64(keep[1], SKED_UNLIMITED);
    in.weight = weight;
    assert_ok(sked_target_share_users(&in, share, keep, NULL));
    assert_i64(share[0], 25);
    assert_i64(share[1], 75);
    in.limit_ppm = 300000;
    assert_ok(sked_target_share_users(&in, share, keep, NULL));
    assert_i64(share[0], 30);
    assert_i64(share[1], 90);
    in.limit_ppm = SKED_PPM; /* each may have it all */
    assert_ok(sked_target_share_users(&in, share, keep, NULL));
    assert_i64(keep[0], SKED_UNLIMITED);
    in.limit_ppm = SKED_PPM + 1;
    assert_status(SKED_ERR_RANGE,
                  sked_target_share_users(&in, share, keep, &err));
    in.limit_ppm = 0;
    in.kinds = 0;
    assert_status(SKED_ERR_RANGE,
                  sked_target_share_users(&in, share, keep, &err));
    in.kinds = 1;
    in.struct_size = 8;
    assert_status(SKED_ERR_VERSION,
                  sked_target_share_users(&in, share, keep, &err));
    assert_status(SKED_ERR_ARG,
                  sked_target_share_users(NULL, share, keep, &err));
}

static void amounts_of_users_are_checked(void **state)
{
    int64_t total = -1, usage[] = {0, 0}, demand[] = {0, 0};
    int64_t share[2], keep[2];
    sked_error err;
    sked_target_users_input in = {.struct_size = sizeof in,
                                  .kinds = 1,
                                  .n = 2,
                                  .total = &total,
                                  .usage = usage,
                                  .demand = demand};
    (void)state;

    assert_status(SKED_ERR_RANGE,
                  sked_target_share_users(&in, share, keep, &err));
    assert_i64(err.row, -1);
    total = SKED_AMOUNT_MAX + 1;
    assert_status(SKED_ERR_RANGE,
                  sked_target_share_users(&in, share, keep, &err));
    total = 10;
    in.kinds = SKED_MAX_KINDS + 1;
    assert_status(SKED_ERR_RANGE,
                  sked_target_share_users(&in, share, keep, &err));
    in.kinds = 1;
    in.n = (uint32_t)INT32_MAX + 1;
    assert_status(SKED_ERR_RANGE,
                  sked_target_share_users(&in, share, keep, &err));
    in.n = 2;
    in.limit_ppm = -1;
    assert_status(SKED_ERR_RANGE,
                  sked_target_share_users(&in, share, keep, &err));
    in.limit_ppm = 0;
    in.total = NULL;
    assert_status(SKED_ERR_ARG,
                  sked_target_share_users(&in, share, keep, &err));
    in.total = &total;
    in.usage = NULL;
    assert_status(SKED_ERR_ARG,
                  sked_target_share_users(&in, share, keep, &err));
    in.usage = usage;
    assert_status(SKED_ERR_ARG, sked_target_share_users(&in, NULL, keep, &err));
    assert_status(SKED_ERR_ARG,
                  sked_target_share_users(&in, share, NULL, &err));
    usage[1] = -1;
    assert_status(SKED_ERR_RANGE,
                  sked_target_share_users(&in, share, keep, &err));
    assert_i64(err.row, 1);
    usage[1] = 1;
    demand[0] = SKED_AMOUNT_MAX + 1;
    assert_status(SKED_ERR_RANGE,
                  sked_target_share_users(&in, share, keep, &err));
    assert_i64(err.row, 0);
}

static void users_without_weight_or_demand_have_nothing(void **state)
{
    int64_t total = 10, usage[] = {0, 1}, demand[] = {1, 0};
    const uint32_t weight[] = {0, 0};
    int64_t share[2], keep[2];
    sked_target_users_input in = {.struct_size = sizeof in,
                                  .kinds = 1,
                                  .n = 2,
                                  .total = &total,
                                  .usage = usage,
                                  .demand = demand};
    (void)state;

    in.weight = weight; /* all weights are 0 */
    assert_ok(sked_target_share_users(&in, share, keep, NULL));
    assert_i64(share[1], 0);
    assert_i64(keep[1], 0);
    in.demand = NULL;
    usage[0] = 0;
    assert_ok(sked_target_share_users(&in, share, keep, NULL));
    in.n = 0;
    in.usage = NULL;
    assert_ok(sked_target_share_users(&in, share, keep, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_that_a_dialect_lacks_are_refused),
        cmocka_unit_test(arrays_that_are_none_are_refused),
        cmocka_unit_test(usage_that_is_too_much_together_is_refused),
        cmocka_unit_test(a_fair_part_is_claimed_within_the_keep),
        cmocka_unit_test(where_there_is_nothing_no_queue_claims),
        cmocka_unit_test(unknown_versions_are_refused),
        cmocka_unit_test(a_queue_that_may_not_be_preempted_keeps_all),
        cmocka_unit_test(weights_may_stand_for_guarantees),
        cmocka_unit_test(balance_claims_beyond_guarantees),
        cmocka_unit_test(priority_serves_in_bands),
        cmocka_unit_test(users_may_hold_their_part_or_the_limit),
        cmocka_unit_test(amounts_of_users_are_checked),
        cmocka_unit_test(users_without_weight_or_demand_have_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
