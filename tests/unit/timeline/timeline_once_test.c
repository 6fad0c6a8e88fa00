/* Plans without a handle: conservative, EASY, and what is refused. */
#include "test.h"

#include <string.h>

#include <sched/timeline.h>

#include "host.h"

enum { JOBS = 5 };

static const int64_t pool = 10;
static const int64_t durations[JOBS] = {10, 10, 5, 20, 10};
static const int64_t amounts[JOBS] = {6, 8, 4, 4, 2};

static sked_timeline_input queue(uint32_t depth)
{
    return (sked_timeline_input){.struct_size = sizeof(sked_timeline_input),
                                 .kinds = 1,
                                 .depth = depth,
                                 .n = JOBS,
                                 .total = &pool,
                                 .durations = durations,
                                 .amounts = amounts};
}

static void must_start(uint32_t depth, const int64_t *want)
{
    sked_timeline_input in = queue(depth);
    int64_t starts[JOBS];

    assert_ok(sked_timeline_once(&in, NULL, starts, NULL));
    for (int i = 0; i < JOBS; i++) assert_i64(starts[i], want[i]);
}

/* Job 1 waits for job 0. Job 2 fits before job 1, job 3 would delay it. */
static void no_job_delays_a_job_before_it(void **state)
{
    const int64_t conservative[JOBS] = {0, 10, 0, 20, 5};
    const int64_t easy[JOBS] = {0, 10, 0, SKED_UNSET, SKED_UNSET};
    const int64_t two[JOBS] = {0, 10, 0, 20, SKED_UNSET};
    (void)state;

    must_start(0, conservative);
    must_start(1, easy);
    must_start(2, two);
}

static void spans_hold_before_all_jobs(void **state)
{
    const int64_t from[2] = {0, 100}, until[2] = {30, SKED_UNLIMITED};
    const int64_t held[2] = {5, 9}, ready[JOBS] = {0, 0, 20, 40, 0};
    sked_timeline_input in = queue(0);
    int64_t starts[JOBS];
    (void)state;

    in.n_spans = 2;
    in.from = from;
    in.until = until;
    in.held = held;
    in.ready = ready;
    assert_ok(sked_timeline_once(&in, NULL, starts, NULL));
    assert_i64(starts[0], 30);
    assert_i64(starts[1], 40);
    assert_i64(starts[2], 20);
    assert_i64(starts[3], 50);
    assert_i64(starts[4], 0);
}

static void what_never_fits_is_told(void **state)
{
    const int64_t large[1] = {11};
    sked_timeline_input in = queue(1);
    int64_t starts[1];
    (void)state;

    in.n = 1;
    in.amounts = large;
    assert_ok(sked_timeline_once(&in, NULL, starts, NULL));
    assert_i64(starts[0], SKED_UNLIMITED);
    in.n = 0;
    in.amounts = in.durations = NULL;
    assert_ok(sked_timeline_once(&in, NULL, NULL, NULL));
}

/* ---- Refusals ---- */

static void must_refuse(const sked_timeline_input *in, sked_status want,
                        int64_t row, const char *message)
{
    int64_t starts[JOBS] = {77};
    sked_error err = {0};

    assert_status(want, sked_timeline_once(in, NULL, starts, &err));
    assert_string_equal(err.message, message);
    assert_i64(err.row, row);
    assert_i64(starts[0], 77);
}

static void bad_rows_are_named(void **state)
{
    const int64_t bad[JOBS] = {1, 1, 1, -1, 1};
    const int64_t far[JOBS] = {0, 0, (int64_t)1 << 62, 0, 0};
    const int64_t late[JOBS] = {0, ((int64_t)1 << 62) - 5, 0, 0, 0};
    const int64_t long_ones[JOBS] = {1, 1, 1, 1, INT64_MAX - 1};
    sked_timeline_input in = queue(0);
    (void)state;

    in.durations = bad;
    must_refuse(&in, SKED_ERR_RANGE, 3, "duration is negative");
    in = queue(0);
    in.amounts = bad;
    must_refuse(&in, SKED_ERR_RANGE, 3, "amount is out of range");
    in = queue(0);
    in.ready = far;
    must_refuse(&in, SKED_ERR_RANGE, 2, "moment is out of range");
    in.ready = late;
    must_refuse(&in, SKED_ERR_RANGE, 1, "moment is out of range");
    in = queue(0);
    in.durations = long_ones;
    must_refuse(&in, SKED_ERR_RANGE, 4, "moment is out of range");
}

static void bad_spans_are_named(void **state)
{
    const int64_t from[2] = {0, 5}, until[2] = {9, 4}, ends[2] = {9, 9};
    const int64_t held[2] = {1, 1};
    const int64_t most[2] = {SKED_AMOUNT_MAX, 1}, less[2] = {1, -1};
    sked_timeline_input in = queue(0);
    (void)state;

    in.n_spans = 2;
    in.from = from;
    in.until = until;
    in.held = held;
    must_refuse(&in, SKED_ERR_RANGE, 1, "until is before from");
    in.until = ends;
    in.held = most;
    must_refuse(&in, SKED_ERR_RANGE, 1, "spans of one moment hold too much");
    in.held = less;
    must_refuse(&in, SKED_ERR_RANGE, 1, "amount is out of range");
}

static void bad_inputs_are_refused(void **state)
{
    const int64_t none = -1;
    sked_timeline_input in = queue(0);
    const sked_host old = {.struct_size = 1};
    int64_t starts[JOBS];
    (void)state;

    in.kinds = 0;
    must_refuse(&in, SKED_ERR_RANGE, -1, "kinds is out of range");
    in = queue(0);
    in.flags = 1;
    must_refuse(&in, SKED_ERR_ARG, -1, "input has unknown flags");
    in = queue(0);
    in.struct_size = 8;
    must_refuse(&in, SKED_ERR_VERSION, -1, "input has an unknown struct_size");
    in = queue(0);
    in.total = NULL;
    must_refuse(&in, SKED_ERR_ARG, -1, "input.total is NULL");
    in.total = &none;
    must_refuse(&in, SKED_ERR_RANGE, -1, "amount is out of range");
    in = queue(0);
    in.durations = NULL;
    must_refuse(&in, SKED_ERR_ARG, -1, "input.durations is NULL");
    in = queue(0);
    in.amounts = NULL;
    must_refuse(&in, SKED_ERR_ARG, -1, "input.amounts is NULL");
    in = queue(0);
    in.n_spans = 1;
    must_refuse(&in, SKED_ERR_ARG, -1, "input.from is NULL");
    in.from = &pool;
    must_refuse(&in, SKED_ERR_ARG, -1, "input.until is NULL");
    in.until = &pool;
    must_refuse(&in, SKED_ERR_ARG, -1, "input.held is NULL");
    in.held = &pool;
    in.n_spans = ((uint64_t)1 << 30) - JOBS + 1;
    must_refuse(&in, SKED_ERR_RANGE, -1, "too many rows");
    in.n = UINT64_MAX;
    must_refuse(&in, SKED_ERR_RANGE, -1, "too many rows");
    in = queue(0);
    assert_status(SKED_ERR_ARG, sked_timeline_once(NULL, NULL, starts, NULL));
    assert_status(SKED_ERR_ARG, sked_timeline_once(&in, NULL, NULL, NULL));
    assert_status(SKED_ERR_VERSION,
                  sked_timeline_once(&in, &old, starts, NULL));
}

/* ---- Failures ---- */

/* Many spans and many jobs, so that the call looks at its host in between. */
static sked_status plan(test_host *host, void *arg)
{
    enum { ROWS = 1500 };
    static int64_t from[ROWS], until[ROWS], ones[ROWS], starts[ROWS];
    sked_host hooks = test_host_hooks(host);
    sked_timeline_input in = queue(0);

    (void)arg;
    for (int64_t i = 0; i < ROWS; i++) {
        from[i] = i;
        until[i] = i + 2;
        ones[i] = 1;
        starts[i] = -77;
    }
    in.n = in.n_spans = ROWS;
    in.from = from;
    in.until = until;
    in.held = in.amounts = in.durations = ones;
    sked_status rc = sked_timeline_once(&in, &hooks, starts, NULL);
    assert_i64(starts[0] == -77, rc != SKED_OK);
    return rc;
}

static void every_failure_is_survived(void **state)
{
    (void)state;
    test_sweep(plan, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_job_delays_a_job_before_it),
        cmocka_unit_test(spans_hold_before_all_jobs),
        cmocka_unit_test(what_never_fits_is_told),
        cmocka_unit_test(bad_rows_are_named),
        cmocka_unit_test(bad_spans_are_named),
        cmocka_unit_test(bad_inputs_are_refused),
        cmocka_unit_test(every_failure_is_survived),
    };

    return cmocka_run_group_tests_name("unit.timeline_once", tests, NULL, NULL);
}
