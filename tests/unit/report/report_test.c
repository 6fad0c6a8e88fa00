/* What a daily report refuses, and what it answers at its bounds. */
#include "test.h"

#include <sched/sked.h>

#include <string.h>

#include "host.h"

enum { QUEUES = 3, KINDS = 2, HOUR = 3600 };

typedef struct report_fixture {
    test_host host;
    sked_host hooks;
    int64_t instance[KINDS];
    uint8_t tier[QUEUES];
    int64_t allocation[QUEUES];
    sked_wide used[QUEUES];
    sked_wide usage[QUEUES * KINDS];
    int64_t ratio[4 * (KINDS + 1)];
    int64_t stranded[KINDS];
    sked_report_input in;
    sked_report_result out;
    sked_error err;
} report_fixture;

/* Ten instances of 16 cores and 64 GiB for an hour; three tiers of 4, 3 and 3
 * instances use 2, 2 and 3 of them, by memory; half as many cores. */
static int setup(void **state)
{
    static const int64_t use[QUEUES] = {2, 2, 3};
    static report_fixture f;

    f = (report_fixture){
        .instance = {16, 64}, .tier = {1, 2, 3}, .allocation = {4, 3, 3}};
    f.hooks = test_host_hooks(&f.host);
    for (int q = 0; q < QUEUES; q++) {
        f.used[q].low = (uint64_t)(use[q] * HOUR);
        f.usage[q * KINDS].low = (uint64_t)(use[q] * 8 * HOUR);
        f.usage[q * KINDS + 1].low = (uint64_t)(use[q] * 64 * HOUR);
    }
    f.in = (sked_report_input){.struct_size = sizeof f.in,
                               .kinds = KINDS,
                               .tiers = 3,
                               .queues = QUEUES,
                               .window_ns = HOUR,
                               .instances = 10,
                               .instance = f.instance,
                               .tier = f.tier,
                               .allocation = f.allocation,
                               .used = f.used,
                               .usage = f.usage};
    f.out = (sked_report_result){.struct_size = sizeof f.out,
                                 .action = 77,
                                 .ratio_ppm = f.ratio,
                                 .stranded = f.stranded};
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    report_fixture *f = *state;

    return f->host.live == 0 ? 0 : -1;
}

static sked_status report(report_fixture *f)
{
    return sked_report(&f->in, &f->hooks, &f->out, &f->err);
}

static void must_refuse(report_fixture *f, sked_status why, int64_t row)
{
    assert_status(why, report(f));
    assert_status(why, f->err.code);
    assert_i64(f->err.row, row);
    assert_i64(f->out.action, 77);
}

static void idle_cores_beside_used_memory_are_stranded(void **state)
{
    report_fixture *f = *state;

    assert_ok(report(f));
    assert_i64(f->ratio[0], 700000);
    assert_i64(f->ratio[1], 350000);
    assert_i64(f->ratio[2], 700000);
    assert_i64(f->ratio[3], 500000); /* tier 1: 2 of 4 */
    assert_i64(f->ratio[6], 666667);
    assert_i64(f->ratio[9], 1000000);
    assert_i64(f->out.dominant, 1);
    assert_i64(f->stranded[0], 56); /* 160 less 56 used, less 48 left */
    assert_i64(f->stranded[1], 0);
    assert_i64(f->out.disorder, 0);
    assert_i64(f->out.action, SKED_REPORT_ACTION_KEEP);
    assert_i64(f->out.needed, 10);
}

static void the_edge_of_the_band_is_inside(void **state)
{
    report_fixture *f = *state;

    f->used[0].low = 3 * HOUR; /* 80 % */
    assert_ok(report(f));
    assert_i64(f->out.reason, SKED_REPORT_REASON_WITHIN);
    f->used[0].low++;
    assert_ok(report(f));
    assert_i64(f->out.action, SKED_REPORT_ACTION_GROW);
    assert_i64(f->out.by, 2); /* 8 and a bit of 70 % */
    f->used[0].low = HOUR;
    assert_ok(report(f));
    assert_i64(f->out.reason, SKED_REPORT_REASON_WITHIN);
    f->used[0].low--;
    assert_ok(report(f));
    assert_i64(f->out.action, SKED_REPORT_ACTION_SHRINK);
    assert_i64(f->out.by, 1);
}

static void patience_is_counted_over_reports(void **state)
{
    report_fixture *f = *state;

    f->used[0].low = 9 * HOUR;
    f->in.patience = 3;
    for (int32_t day = 1; day <= 4; day++) {
        assert_ok(report(f));
        assert_i64(f->out.streak, day);
        assert_i64(f->out.reason, day < 3 ? SKED_REPORT_REASON_WAITING
                                          : SKED_REPORT_REASON_ABOVE);
        f->in.streak = f->out.streak;
    }
    f->in.streak = INT32_MAX;
    assert_ok(report(f));
    assert_i64(f->out.action, SKED_REPORT_ACTION_KEEP); /* it begins anew */
    memset(f->used, 0, sizeof f->used);
    f->in.streak = -INT32_MAX;
    assert_ok(report(f));
    assert_i64(f->out.streak, -1);
}

static void nothing_used_shrinks_to_one(void **state)
{
    report_fixture *f = *state;

    f->in.queues = 0;
    assert_ok(report(f));
    assert_i64(f->out.by, 9);
    assert_i64(f->out.dominant, -1);
    assert_i64(f->stranded[0], 0);
    assert_i64(f->ratio[3], -1);
    f->in.instances = 1;
    assert_ok(report(f));
    assert_i64(f->out.reason, SKED_REPORT_REASON_LEAST);
}

static void less_head_room_above_is_named(void **state)
{
    report_fixture *f = *state;

    f->allocation[0] = 2;
    assert_ok(report(f));
    assert_i64(f->out.disorder, 1);
    f->used[1] = (sked_wide){0, 0}; /* tier 1 against tier 3, both full */
    assert_ok(report(f));
    assert_i64(f->out.disorder, 0);
    f->allocation[2] = 4;
    assert_ok(report(f));
    assert_i64(f->out.disorder, 1);
}

static void bad_queues_are_named(void **state)
{
    report_fixture *f = *state;

    f->tier[1] = 4;
    must_refuse(f, SKED_ERR_RANGE, 1);
    f->tier[1] = 0;
    must_refuse(f, SKED_ERR_RANGE, 1);
    f->tier[1] = 2;
    f->allocation[2] = -1;
    must_refuse(f, SKED_ERR_RANGE, 2);
    f->allocation[2] = INT64_MAX;
    must_refuse(f, SKED_ERR_RANGE, 2);
    f->allocation[2] = SKED_AMOUNT_MAX / 32;
    must_refuse(f, SKED_ERR_RANGE, 2);
    f->allocation[2] = 3;
    f->used[0].high = f->used[2].high = UINT64_MAX;
    must_refuse(f, SKED_ERR_RANGE, 2);
    f->used[0].high = 0;
    must_refuse(f, SKED_ERR_RANGE, -1); /* more instances than can be */
    f->used[2].high = 0;
    f->instance[1] = 0;
    must_refuse(f, SKED_ERR_RANGE, 0);
    assert_i64(f->err.kind, 1);
}

static void bad_settings_are_refused(void **state)
{
    report_fixture *f = *state;
    const sked_report_input good = f->in;

    f->in.flags = 1;
    must_refuse(f, SKED_ERR_ARG, -1);
    f->in = good, f->in.struct_size = 1;
    must_refuse(f, SKED_ERR_VERSION, -1);
    f->in = good, f->in.kinds = 0;
    must_refuse(f, SKED_ERR_RANGE, -1);
    f->in = good, f->in.tiers = SKED_MAX_TIERS + 1;
    must_refuse(f, SKED_ERR_RANGE, -1);
    f->in = good, f->in.usage = NULL;
    must_refuse(f, SKED_ERR_ARG, -1);
    f->in = good, f->in.window_ns = 0;
    must_refuse(f, SKED_ERR_RANGE, -1);
    f->in = good, f->in.window_ns = SKED_AMOUNT_MAX + 1;
    must_refuse(f, SKED_ERR_RANGE, -1);
    f->in = good, f->in.kinds = SKED_MAX_KINDS + 1;
    must_refuse(f, SKED_ERR_RANGE, -1);
    f->in = good, f->in.tiers = 0;
    must_refuse(f, SKED_ERR_RANGE, -1);
    f->in = good, f->in.queues = SKED_MAX_QUEUES + 1;
    must_refuse(f, SKED_ERR_RANGE, -1);
    f->in = good, f->in.instance = NULL;
    must_refuse(f, SKED_ERR_ARG, -1);
    f->in = good, f->in.tier = NULL;
    must_refuse(f, SKED_ERR_ARG, -1);
    f->in = good, f->in.allocation = NULL;
    must_refuse(f, SKED_ERR_ARG, -1);
    f->in = good, f->in.used = NULL;
    must_refuse(f, SKED_ERR_ARG, -1);
    assert_string_equal(f->err.message, "input.used is NULL");
    f->in = good, f->in.usage = NULL;
    must_refuse(f, SKED_ERR_ARG, -1);
    assert_string_equal(f->err.message, "input.usage is NULL");
    f->in = good, f->in.target_ppm = -1;
    must_refuse(f, SKED_ERR_RANGE, -1);
    f->in = good, f->in.band_ppm = SKED_PPM + 1;
    must_refuse(f, SKED_ERR_RANGE, -1);
    f->in = good, f->in.patience = INT64_C(1) << 31;
    must_refuse(f, SKED_ERR_RANGE, -1);
    f->in = good, f->in.instances = SKED_AMOUNT_MAX + 1;
    must_refuse(f, SKED_ERR_RANGE, -1);
    f->instance[0] = -1;
    f->in = good;
    must_refuse(f, SKED_ERR_RANGE, -1);
    f->instance[0] = 16;
    f->in = good, f->in.instances = 0;
    must_refuse(f, SKED_ERR_RANGE, -1);
    f->in = good, f->in.instances = SKED_AMOUNT_MAX / 8;
    must_refuse(f, SKED_ERR_RANGE, -1);
    f->in = good, f->in.target_ppm = SKED_PPM + 1;
    must_refuse(f, SKED_ERR_RANGE, -1);
    f->in = good, f->in.band_ppm = -1;
    must_refuse(f, SKED_ERR_RANGE, -1);
    f->in = good, f->in.patience = -1;
    must_refuse(f, SKED_ERR_RANGE, -1);
    f->in = good;
    f->out.struct_size = 1;
    must_refuse(f, SKED_ERR_VERSION, -1);
    assert_status(SKED_ERR_ARG, sked_report(NULL, NULL, &f->out, NULL));
    assert_status(SKED_ERR_ARG, sked_report(&f->in, NULL, NULL, NULL));
}

/* Far beyond any cluster: said to be too large, and never wrapped. */
static void what_is_too_large_to_say_is_said_to_be(void **state)
{
    report_fixture *f = *state;

    f->in.window_ns = 1;
    f->in.queues = 1;
    f->in.target_ppm = SKED_PPM;
    f->used[0] = (sked_wide){0, INT64_C(1) << 62};
    f->usage[0] = (sked_wide){0, 0};
    f->usage[1] = (sked_wide){UINT64_MAX, 0};
    assert_ok(report(f));
    assert_i64(f->out.needed, SKED_AMOUNT_MAX);
    assert_i64(f->ratio[0], SKED_UNLIMITED);
    assert_i64(f->stranded[0], SKED_UNLIMITED);
    f->usage[1] = (sked_wide){16, 0};
    f->instance[0] = SKED_AMOUNT_MAX / 10;
    f->in.tiers = 1;
    f->allocation[0] = 1;
    assert_ok(report(f));
    assert_i64(f->stranded[0], SKED_UNLIMITED);
    f->used[0] = (sked_wide){UINT64_MAX, 0};
    f->out.action = 77;
    must_refuse(f, SKED_ERR_RANGE, -1);
}

static void a_report_never_allocates(void **state)
{
    report_fixture *f = *state;

    f->host.trap = 1;
    assert_ok(report(f));
    f->host.trap = 0;
}

/* ---- Workflows ---- */

static const uint64_t keys[] = {9, 4, 7};
static const uint8_t tiers[] = {1, 2, 3};
static const int64_t slos[] = {60, 60, 60};

static sked_report_compare_input three_flows(void)
{
    return (sked_report_compare_input){
        .struct_size = sizeof(sked_report_compare_input),
        .n = 3,
        .key = keys,
        .tier = tiers,
        .slo_ns = slos};
}

static void new_retiered_and_gone_workflows_are_counted(void **state)
{
    static const uint64_t old_keys[] = {7, 1, 9};
    static const uint8_t old_tiers[] = {2, 3, 1};
    static const int64_t old_slos[] = {60, 60, 90};
    sked_report_compare_input now = three_flows(), before = three_flows();
    sked_report_tier tier[SKED_MAX_TIERS];
    uint8_t change[3];
    (void)state;

    before.key = old_keys, before.tier = old_tiers, before.slo_ns = old_slos;
    assert_ok(sked_report_compare(&now, &before, NULL, change, tier, NULL));
    assert_i64(change[0], SKED_REPORT_FLOW_SLO);
    assert_i64(change[1], SKED_REPORT_FLOW_NEW);
    assert_i64(change[2], SKED_REPORT_FLOW_RETIERED);
    assert_i64((int64_t)tier[0].slo, 1);
    assert_i64((int64_t)tier[1].added, 1);
    assert_i64((int64_t)tier[2].retiered, 1);
    assert_i64((int64_t)tier[2].gone, 1);
    assert_i64((int64_t)tier[2].workflows, 1);
}

static void bad_workflows_are_named(void **state)
{
    static const uint64_t twice[] = {9, 4, 9};
    static const uint8_t none[] = {1, 0, 3}, beyond[] = {1, 17, 3};
    sked_report_compare_input now = three_flows(), bad = three_flows();
    sked_host old = {.struct_size = 1};
    sked_error err;
    (void)state;

    bad.key = twice;
    assert_status(SKED_ERR_EXISTS,
                  sked_report_compare(&bad, &now, NULL, NULL, NULL, &err));
    assert_i64(err.row, 2);
    assert_status(SKED_ERR_EXISTS,
                  sked_report_compare(&now, &bad, NULL, NULL, NULL, &err));
    bad = three_flows(), bad.tier = none;
    assert_status(SKED_ERR_RANGE,
                  sked_report_compare(&now, &bad, NULL, NULL, NULL, &err));
    assert_i64(err.row, 1);
    bad = three_flows(), bad.tier = beyond;
    assert_status(SKED_ERR_RANGE,
                  sked_report_compare(&now, &bad, NULL, NULL, NULL, &err));
    assert_i64(err.row, 1);
    bad = three_flows(), bad.key = NULL;
    assert_status(SKED_ERR_ARG,
                  sked_report_compare(&bad, NULL, NULL, NULL, NULL, &err));
    assert_string_equal(err.message, "input.key is NULL");
    assert_status(SKED_ERR_ARG,
                  sked_report_compare(&now, &bad, NULL, NULL, NULL, &err));
    assert_string_equal(err.message, "before.key is NULL");
    bad = three_flows(), bad.n = UINT32_MAX;
    assert_status(SKED_ERR_RANGE,
                  sked_report_compare(&bad, NULL, NULL, NULL, NULL, &err));
    bad = three_flows(), bad.reserved = 1;
    assert_status(SKED_ERR_ARG,
                  sked_report_compare(&bad, NULL, NULL, NULL, NULL, &err));
    bad = three_flows(), bad.struct_size = 2;
    assert_status(SKED_ERR_VERSION,
                  sked_report_compare(&bad, NULL, NULL, NULL, NULL, &err));
    assert_status(SKED_ERR_VERSION,
                  sked_report_compare(&now, NULL, &old, NULL, NULL, &err));
    assert_status(SKED_ERR_ARG,
                  sked_report_compare(NULL, NULL, NULL, NULL, NULL, &err));
}

static sked_status once(test_host *h, void *arg)
{
    report_fixture *f = arg;
    const sked_host hooks = test_host_hooks(h);
    const sked_report_compare_input now = three_flows();
    uint8_t change[3] = {77, 77, 77};
    sked_status rc = sked_report(&f->in, &hooks, &f->out, NULL);

    if (rc == SKED_OK) {
        rc = sked_report_compare(&now, &now, &hooks, change, NULL, NULL);
    }
    assert_i64(change[0], rc == SKED_OK ? 0 : 77);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    test_sweep(once, *state, 0);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(idle_cores_beside_used_memory_are_stranded),
        TEST(the_edge_of_the_band_is_inside),
        TEST(patience_is_counted_over_reports),
        TEST(nothing_used_shrinks_to_one),
        TEST(less_head_room_above_is_named),
        TEST(bad_queues_are_named),
        TEST(bad_settings_are_refused),
        TEST(what_is_too_large_to_say_is_said_to_be),
        TEST(a_report_never_allocates),
        cmocka_unit_test(new_retiered_and_gone_workflows_are_counted),
        cmocka_unit_test(bad_workflows_are_named),
        TEST(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
