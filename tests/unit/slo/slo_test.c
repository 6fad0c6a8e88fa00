/* What SLO reports refuse, and what they answer at the bounds. */
#include "test.h"

#include <sched/sked.h>

#include <string.h>

#include "host.h"

enum { FLOWS = 3, RUNS = 6 };

typedef struct slo_fixture {
    test_host host;
    sked_host hooks;
    sked_slo_input in;
    int64_t slo[FLOWS];
    uint8_t tier[FLOWS];
    uint32_t workflow[RUNS];
    sked_time start[RUNS];
    sked_time end[RUNS];
    sked_wide work[RUNS];
    uint32_t runs[FLOWS];
    uint32_t met[FLOWS];
    sked_slo_result out;
    sked_error err;
} slo_fixture;

/* Workflow 0 has five runs of which one misses by 1 ns, 1 has one, 2 none. */
static int setup(void **state)
{
    static slo_fixture f;

    f = (slo_fixture){.slo = {10, 20, 30}, .tier = {1, 2, 2}};
    f.hooks = test_host_hooks(&f.host);
    for (uint32_t i = 0; i < RUNS; i++) {
        f.workflow[i] = i == 5;
        f.start[i] = 100 * (sked_time)i;
        f.end[i] = f.start[i] + 10;
        f.work[i].low = 100;
    }
    f.end[4]++;
    f.in = (sked_slo_input){.struct_size = sizeof f.in,
                            .workflows = FLOWS,
                            .n = RUNS,
                            .slo_ns = f.slo,
                            .tier = f.tier,
                            .workflow = f.workflow,
                            .start = f.start,
                            .end = f.end,
                            .work = f.work};
    f.out = (sked_slo_result){
        .struct_size = sizeof f.out, .runs = f.runs, .met = f.met};
    memset(f.runs, 0xee, sizeof f.runs);
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    slo_fixture *f = *state;

    return f->host.live == 0 ? 0 : -1;
}

static sked_status count(slo_fixture *f)
{
    return sked_slo_count(&f->in, &f->hooks, &f->out, &f->err);
}

/* Refused by both calls, at this row, with nothing written. */
static void must_refuse(slo_fixture *f, sked_status why, int64_t row)
{
    sked_slo_repair rows[FLOWS];
    size_t n = 77;

    assert_status(why, count(f));
    assert_status(why, f->err.code);
    assert_i64(f->err.row, row);
    assert_i64(f->runs[0], 0xeeeeeeee);
    assert_status(
        why, sked_slo_repairs(&f->in, 1, &f->hooks, rows, FLOWS, &n, &f->err));
    assert_i64((int64_t)n, 77);
}

static void the_last_nanosecond_is_in_time(void **state)
{
    slo_fixture *f = *state;
    sked_slo_tier tier[SKED_MAX_TIERS];

    f->out.tier = tier;
    assert_ok(count(f));
    assert_i64(f->runs[0], 5);
    assert_i64(f->met[0], 4);
    assert_i64((int64_t)tier[0].successful, 0);
    assert_i64((int64_t)tier[1].workflows, 1);
    assert_i64((int64_t)tier[1].idle, 1);
    f->in.success_ppm = 800000;
    assert_ok(count(f));
    assert_i64((int64_t)tier[0].successful, 1);
}

static void a_run_counts_where_it_ends(void **state)
{
    slo_fixture *f = *state;

    f->in.from = f->end[1];
    f->in.to = f->end[3];
    assert_ok(count(f));
    assert_i64(f->runs[0], 2);
    f->in.from = f->in.to;
    assert_ok(count(f));
    assert_i64(f->runs[0], 0);
}

static void bad_rows_are_named(void **state)
{
    slo_fixture *f = *state;

    f->workflow[3] = FLOWS;
    must_refuse(f, SKED_ERR_RANGE, 3);
    f->workflow[3] = 0;
    f->end[5] = f->start[5] - 1;
    must_refuse(f, SKED_ERR_RANGE, 5);
    f->end[5] = f->start[5];
    f->slo[2] = 0;
    must_refuse(f, SKED_ERR_RANGE, 2);
    f->slo[2] = 1;
    f->tier[1] = 0;
    must_refuse(f, SKED_ERR_RANGE, 1);
    f->tier[1] = SKED_MAX_TIERS + 1;
    must_refuse(f, SKED_ERR_RANGE, 1);
}

static void bad_settings_are_refused(void **state)
{
    slo_fixture *f = *state;
    const sked_slo_input good = f->in;

    f->in.flags = 1;
    must_refuse(f, SKED_ERR_ARG, -1);
    f->in = good, f->in.struct_size = 0;
    must_refuse(f, SKED_ERR_VERSION, -1);
    f->in = good, f->in.success_ppm = 1000001;
    must_refuse(f, SKED_ERR_RANGE, -1);
    f->in = good, f->in.success_ppm = -1;
    must_refuse(f, SKED_ERR_RANGE, -1);
    f->in = good, f->in.instance = -1;
    must_refuse(f, SKED_ERR_RANGE, -1);
    f->in = good, f->in.instance = SKED_AMOUNT_MAX + 1;
    must_refuse(f, SKED_ERR_RANGE, -1);
    f->in = good, f->in.from = 5, f->in.to = 4;
    must_refuse(f, SKED_ERR_RANGE, -1);
    f->in = good, f->in.n = UINT32_MAX;
    must_refuse(f, SKED_ERR_RANGE, -1);
    f->in = good, f->in.workflows = UINT32_MAX;
    must_refuse(f, SKED_ERR_RANGE, -1);
    f->in = good, f->in.slo_ns = NULL;
    must_refuse(f, SKED_ERR_ARG, -1);
    f->in = good, f->in.end = NULL;
    must_refuse(f, SKED_ERR_ARG, -1);
    f->in = good, f->in.start = NULL;
    must_refuse(f, SKED_ERR_ARG, -1);
    f->in = good, f->in.workflow = NULL;
    must_refuse(f, SKED_ERR_ARG, -1);
}

static void what_is_missing_is_refused(void **state)
{
    slo_fixture *f = *state;
    sked_host newer = {.struct_size = 1};
    sked_slo_repair row;
    size_t n;

    assert_status(SKED_ERR_ARG, sked_slo_count(NULL, NULL, &f->out, NULL));
    assert_status(SKED_ERR_ARG, sked_slo_count(&f->in, NULL, NULL, NULL));
    assert_status(SKED_ERR_VERSION,
                  sked_slo_count(&f->in, &newer, &f->out, NULL));
    f->out.met = NULL;
    assert_status(SKED_ERR_ARG, count(f));
    f->out.met = f->out.runs, f->out.runs = NULL;
    assert_status(SKED_ERR_ARG, count(f));
    f->out.struct_size = 3;
    assert_status(SKED_ERR_VERSION, count(f));
    assert_status(SKED_ERR_ARG,
                  sked_slo_repairs(&f->in, 1, NULL, &row, 1, NULL, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_slo_repairs(&f->in, 1, NULL, NULL, 1, &n, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_slo_repairs(&f->in, 0, NULL, &row, 1, &n, NULL));
    assert_status(SKED_ERR_ARG, sked_slo_repairs(&f->in, SKED_MAX_TIERS + 1,
                                                 NULL, &row, 1, &n, NULL));
}

static void nothing_at_all_is_a_report(void **state)
{
    slo_fixture *f = *state;
    sked_slo_tier tier[SKED_MAX_TIERS];
    size_t n = 1;

    f->in = (sked_slo_input){.struct_size = sizeof f->in};
    f->out = (sked_slo_result){.struct_size = sizeof f->out, .tier = tier};
    assert_ok(count(f));
    assert_i64((int64_t)tier[0].workflows, 0);
    assert_ok(sked_slo_repairs(&f->in, 1, NULL, NULL, 0, &n, NULL));
    assert_i64((int64_t)n, 0);
}

/* Work of 2^70, in instances of 2^62: nothing wraps. */
static void wide_work_is_exact(void **state)
{
    const sked_wide wide = {64, 1}, most = {UINT64_MAX, UINT64_MAX};
    int64_t x = 5;
    (void)state;

    assert_ok(sked_slo_instances(wide, SKED_AMOUNT_MAX, 1, &x, NULL));
    assert_i64(x, 257);
    assert_ok(sked_slo_instances(wide, 1, SKED_AMOUNT_MAX, &x, NULL));
    assert_i64(x, 257);
    assert_ok(sked_slo_instances(wide, SKED_AMOUNT_MAX, INT64_MAX, &x, NULL));
    assert_i64(x, 1);
    assert_status(SKED_ERR_RANGE, sked_slo_instances(most, 1, 9, &x, NULL));
    assert_status(SKED_ERR_RANGE, sked_slo_instances(wide, 0, 9, &x, NULL));
    assert_status(SKED_ERR_RANGE, sked_slo_instances(wide, 9, 0, &x, NULL));
    assert_status(SKED_ERR_ARG, sked_slo_instances(wide, 9, 1, NULL, NULL));
    assert_i64(x, 1);
}

static void a_run_beyond_all_clusters_is_named(void **state)
{
    slo_fixture *f = *state;
    sked_slo_repair rows[FLOWS];
    size_t n = 77;

    f->work[4].high = UINT64_MAX;
    assert_status(SKED_ERR_RANGE, sked_slo_repairs(&f->in, 1, &f->hooks, rows,
                                                   FLOWS, &n, &f->err));
    assert_i64(f->err.row, 4);
    assert_i64((int64_t)n, 77);
}

/* The whole range of time is one long run. */
static void the_longest_run_is_no_overflow(void **state)
{
    slo_fixture *f = *state;

    f->start[0] = INT64_MIN;
    f->end[0] = INT64_MAX;
    assert_ok(count(f));
    assert_i64(f->met[0], 3);
}

/* ---- Runs from jobs ---- */

enum { JOBS = 5 };

typedef struct fold_fixture {
    uint32_t run[JOBS];
    sked_time submit[JOBS];
    sked_time end[JOBS];
    sked_wide work[JOBS];
    sked_slo_runs_input in;
    sked_time from[3];
    sked_time to[3];
    sked_wide sum[3];
    uint32_t jobs[3];
} fold_fixture;

/* Run 0: extract, then two at once, then load; run 1 none; run 2 one job. */
static void make_fold(fold_fixture *f)
{
    *f = (fold_fixture){
        .run = {0, 0, 2, 0, 0},
        .submit = {10, 30, 5, 30, 70},
        .end = {29, 60, 9, 65, 80},
        .work = {{0, 19}, {1, UINT64_MAX}, {0, 4}, {0, 2}, {0, 10}},
        .from = {-1, -1, -1}};
    f->in = (sked_slo_runs_input){.struct_size = sizeof f->in,
                                  .runs = 3,
                                  .n = JOBS,
                                  .run = f->run,
                                  .submit = f->submit,
                                  .end = f->end,
                                  .work = f->work};
}

static sked_status fold(fold_fixture *f, sked_error *err)
{
    return sked_slo_runs(&f->in, NULL, f->from, f->to, f->sum, f->jobs, err);
}

/* [MON-12] */
static void a_run_goes_from_first_submission_to_last_end(void **state)
{
    fold_fixture f;
    (void)state;

    make_fold(&f);
    assert_ok(fold(&f, NULL));
    assert_i64(f.from[0], 10);
    assert_i64(f.to[0], 80);
    assert_i64((int64_t)f.sum[0].high, 2);
    assert_i64((int64_t)f.sum[0].low, 30);
    assert_i64(f.jobs[0], 4);
    assert_i64(f.from[1], 0);
    assert_i64(f.to[1], 0);
    assert_i64(f.jobs[1], 0);
    assert_i64(f.to[2] - f.from[2], 4);
    f.in.work = NULL;
    assert_ok(fold(&f, NULL));
    assert_i64((int64_t)f.sum[0].low, 0);
    assert_ok(sked_slo_runs(&f.in, NULL, f.from, f.to, NULL, NULL, NULL));
    f.submit[0] = INT64_MIN;
    f.end[4] = INT64_MAX;
    assert_ok(fold(&f, NULL));
    assert_i64(f.from[0], INT64_MIN);
    assert_i64(f.to[0], INT64_MAX);
}

static void fold_refused(fold_fixture *f, sked_status why, int64_t row)
{
    sked_error err;

    assert_status(why, fold(f, &err));
    assert_status(why, err.code);
    assert_i64(err.row, row);
    assert_i64(f->from[0], -1);
}

static void bad_jobs_of_runs_are_named(void **state)
{
    fold_fixture f;
    test_host h = {.stop_at = 1, .stop_with = -1500};
    const sked_host hooks = test_host_hooks(&h);
    sked_host old = {.struct_size = 1};
    (void)state;

    make_fold(&f);
    f.run[3] = 3;
    fold_refused(&f, SKED_ERR_RANGE, 3);
    f.run[3] = 1;
    f.end[2] = 4;
    fold_refused(&f, SKED_ERR_RANGE, 2);
    f.end[2] = 5;
    f.work[4].high = UINT64_MAX;
    fold_refused(&f, SKED_ERR_RANGE, 4);
    make_fold(&f), f.in.flags = 1;
    fold_refused(&f, SKED_ERR_ARG, -1);
    make_fold(&f), f.in.run = NULL;
    fold_refused(&f, SKED_ERR_ARG, -1);
    make_fold(&f), f.in.submit = NULL;
    fold_refused(&f, SKED_ERR_ARG, -1);
    make_fold(&f), f.in.end = NULL;
    fold_refused(&f, SKED_ERR_ARG, -1);
    make_fold(&f), f.in.n = UINT32_MAX;
    fold_refused(&f, SKED_ERR_RANGE, -1);
    make_fold(&f), f.in.runs = UINT32_MAX;
    fold_refused(&f, SKED_ERR_RANGE, -1);
    make_fold(&f), f.in.struct_size = 1;
    fold_refused(&f, SKED_ERR_VERSION, -1);
    make_fold(&f);
    assert_i64(sked_slo_runs(&f.in, &hooks, f.from, f.to, NULL, NULL, NULL),
               -1500);
    assert_status(SKED_ERR_VERSION,
                  sked_slo_runs(&f.in, &old, f.from, f.to, NULL, NULL, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_slo_runs(&f.in, NULL, NULL, f.to, NULL, NULL, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_slo_runs(&f.in, NULL, f.from, NULL, NULL, NULL, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_slo_runs(NULL, NULL, f.from, f.to, NULL, NULL, NULL));
}

/* More runs than fit between two looks at the host: it is asked on the way. */
static void long_lists_ask_the_host(void **state)
{
    enum { MANY = 70000 };
    static uint32_t workflow[MANY];
    static sked_time start[MANY], end[MANY];
    static sked_wide work[MANY];
    slo_fixture *f = *state;
    sked_slo_repair rows[FLOWS];
    size_t n = 77;

    for (int i = 0; i < MANY; i++) {
        end[i] = 20 + i % 7;
        work[i].low = 100;
    }
    f->in.n = MANY;
    f->in.workflow = workflow;
    f->in.start = start;
    f->in.end = end;
    f->in.work = work;
    assert_ok(sked_slo_repairs(&f->in, 1, &f->hooks, rows, FLOWS, &n, NULL));
    assert_i64((int64_t)n, 1);
    assert_i64(rows[0].missing, 63000);
    size_t checks = f->host.checks;
    assert_true(checks > 2);
    f->host.checks = 0;
    f->host.stop_at = checks;
    f->host.stop_with = -1234;
    n = 77;
    assert_i64(sked_slo_repairs(&f->in, 1, &f->hooks, rows, FLOWS, &n, &f->err),
               -1234);
    assert_i64(f->err.code, -1234);
    assert_i64((int64_t)n, 77);
}

/* ---- Memory ---- */

static sked_status once(test_host *h, void *arg)
{
    slo_fixture *f = arg;
    const sked_host hooks = test_host_hooks(h);
    sked_slo_repair rows[FLOWS];
    size_t n = 0;
    sked_status rc = sked_slo_count(&f->in, &hooks, &f->out, NULL);

    if (rc == SKED_OK) {
        rc = sked_slo_repairs(&f->in, 1, &hooks, rows, FLOWS, &n, NULL);
    }
    if (rc == SKED_OK) assert_i64((int64_t)n, 1);
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
        TEST(the_last_nanosecond_is_in_time),
        TEST(a_run_counts_where_it_ends),
        TEST(bad_rows_are_named),
        TEST(bad_settings_are_refused),
        TEST(what_is_missing_is_refused),
        TEST(nothing_at_all_is_a_report),
        TEST(wide_work_is_exact),
        TEST(a_run_beyond_all_clusters_is_named),
        TEST(the_longest_run_is_no_overflow),
        cmocka_unit_test(a_run_goes_from_first_submission_to_last_end),
        cmocka_unit_test(bad_jobs_of_runs_are_named),
        TEST(long_lists_ask_the_host),
        TEST(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
