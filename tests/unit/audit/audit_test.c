/* The calls of a judge: what they refuse, what they return, what they keep. */
#include "audit_text.h"

#include <stdio.h>

#include "host.h"

static sked_audit_options options(uint32_t kinds)
{
    sked_audit_options o = {.struct_size = sizeof o, .kinds = kinds};

    return o;
}

/* A judge that lets nodes idle. */
static sked_audit *judge(uint32_t kinds)
{
    sked_audit_options o = options(kinds);
    sked_audit *a;

    o.idle_ns = SKED_UNLIMITED;
    assert_ok(sked_audit_new(&o, NULL, &a, NULL));
    return a;
}

/* Adds the rows of a text, which must end in `want` after `rows` of them. */
static sked_error add(sked_audit *a, const char *rows, sked_status want,
                      size_t stand)
{
    static audit_text t;
    sked_error err = {0};
    size_t done = 99;

    audit_read(&t, rows, 1);
    sked_status rc = sked_audit_add(a, t.row, t.n, t.amounts, t.vectors, &done,
                                    &err);
    if (rc != want || done != stand) {
        fail_msg("%s: %s after %zu rows: %s", rows, sked_status_name(rc), done,
                 err.message);
    }
    if (rc != SKED_OK) assert_i64(err.row, (int64_t)stand);
    return err;
}

static void options_are_checked(void **state)
{
    sked_audit *a;
    sked_audit_options o = options(0);
    sked_error err;

    (void)state;
    assert_status(SKED_ERR_RANGE, sked_audit_new(&o, NULL, &a, &err));
    assert_null(a);
    assert_string_equal(err.message, "kinds is out of range");
    o.kinds = SKED_MAX_KINDS + 1;
    assert_status(SKED_ERR_RANGE, sked_audit_new(&o, NULL, &a, NULL));
    o = options(1);
    o.idle_ns = -1;
    assert_status(SKED_ERR_RANGE, sked_audit_new(&o, NULL, &a, NULL));
    o = options(1);
    o.turns = 1;
    assert_status(SKED_ERR_RANGE, sked_audit_new(&o, NULL, &a, NULL));
    o.turns = SKED_MAX_AUDIT_STORY + 1;
    assert_status(SKED_ERR_RANGE, sked_audit_new(&o, NULL, &a, NULL));
    o = options(1);
    o.flags = 2;
    assert_status(SKED_ERR_ARG, sked_audit_new(&o, NULL, &a, NULL));
    o = options(1);
    o.struct_size = 8;
    assert_status(SKED_ERR_VERSION, sked_audit_new(&o, NULL, &a, NULL));
    assert_status(SKED_ERR_ARG, sked_audit_new(NULL, NULL, &a, NULL));
    assert_status(SKED_ERR_ARG, sked_audit_new(&o, NULL, NULL, NULL));
    sked_audit_free(NULL);
}

static void rows_are_checked(void **state)
{
    static const struct {
        const char *rows;
        sked_status code;
    } bad[] = {
        {"1 start 1", SKED_ERR_NOT_FOUND},
        {"1 down 1", SKED_ERR_NOT_FOUND},
        {"1 guarantee 1 a1", SKED_ERR_NOT_FOUND},
        {"1 limit 1 a1", SKED_ERR_NOT_FOUND},
        {"1 job 9 of 1", SKED_ERR_NOT_FOUND},
        {"1 queue 2 of 9", SKED_ERR_NOT_FOUND},
        {"1 tasks 1 of 9 a1", SKED_ERR_NOT_FOUND},
        {"1 over 9", SKED_ERR_NOT_FOUND},
        {"1 kill 5 of 9", SKED_ERR_NOT_FOUND},
        {"1 reserve 5 on 9 v1", SKED_ERR_NOT_FOUND},
        {"1 job 5", SKED_ERR_EXISTS},
        {"1 queue 5 of 6", SKED_ERR_EXISTS},
        {"-9 node 1 a1", SKED_ERR_RANGE},
        {"1 node 0 a1", SKED_ERR_RANGE},
        {"1 node 1", SKED_ERR_RANGE},
        {"1 node 1 a-1", SKED_ERR_RANGE},
        {"1 node 1 anone", SKED_ERR_RANGE},
        {"1 node 1 a4611686018427387904", SKED_ERR_RANGE},
        {"1 node 1 a1 c", SKED_ERR_RANGE},
        {"1 queue 9 v-1", SKED_ERR_RANGE},
        {"1 queue 9 v4294967296", SKED_ERR_RANGE},
        {"1 guarantee 5", SKED_ERR_RANGE},
        {"1 guarantee 5 anone", SKED_ERR_RANGE},
        {"1 limit 5", SKED_ERR_RANGE},
        {"1 tasks 9 of 5", SKED_ERR_RANGE},
        {"1 tasks 9 of 5 x0 a1", SKED_ERR_RANGE},
        {"1 tasks 5 of 5 a1", SKED_ERR_RANGE},
        {"1 tasks 5 of 6", SKED_ERR_RANGE},
        {"1 tasks 5 of 5 x4611686018427387904", SKED_ERR_RANGE},
        {"1 start 5 on 5 x0", SKED_ERR_RANGE},
        {"1 start 5 on 5 x4611686018427387904", SKED_ERR_RANGE},
        {"1 cancel 5 x3", SKED_ERR_RANGE},
        {"1 job 9 x-1", SKED_ERR_RANGE},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sked_audit *a = judge(1);
        add(a,
            "0 node 5 a4; 0 queue 5; 0 queue 6; 0 job 5 of 5; 0 job 6 of 6; 0 "
            "tasks 5 of 5 x2 a2",
            SKED_OK, 6);
        add(a, bad[i].rows, bad[i].code, 0);
        /* The bad row changed nothing: the good ones after it hold. */
        add(a, "1 start 5 on 5; 1 start 5 on 5; 2 done 5 on 5 x2; 2 over 5",
            SKED_OK, 4);
        assert_ok(sked_audit_end(a, 2, NULL));
        assert_i64((int64_t)sked_audit_count(a, 0), 0);
        assert_i64((int64_t)sked_audit_rows(a), 10);
        sked_audit_free(a);
    }
}

static void a_bad_row_ends_the_call(void **state)
{
    sked_audit *a = judge(1);
    sked_audit_row row = {.type = 99, .key = 1, .amounts = -1};

    (void)state;
    sked_error err = add(a,
                         "3 node 1 a4; 3 node 2 a4; 1 node 3 a4; 4 node 4 a1",
                         SKED_ERR_RANGE, 2);
    assert_string_equal(err.message, "the moment has passed");
    row.time = 5;
    assert_status(SKED_ERR_RANGE,
                  sked_audit_add(a, &row, 1, NULL, 0, NULL, NULL));
    row.type = SKED_AUDIT_ROW_NODE_DOWN;
    row.amounts = 0; /* of no table */
    assert_status(SKED_ERR_RANGE,
                  sked_audit_add(a, &row, 1, NULL, 0, NULL, NULL));
    row.amounts = -2;
    assert_status(SKED_ERR_RANGE,
                  sked_audit_add(a, &row, 1, NULL, 0, NULL, NULL));
    row.amounts = -1;
    row.reserved = 1;
    assert_status(SKED_ERR_RANGE,
                  sked_audit_add(a, &row, 1, NULL, 0, NULL, NULL));
    row.reserved = 0;
    row.time = SKED_NOW;
    assert_status(SKED_ERR_RANGE,
                  sked_audit_add(a, &row, 1, NULL, 0, NULL, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_audit_add(a, NULL, 1, NULL, 0, NULL, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_audit_add(a, &row, 1, NULL, 1, NULL, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_audit_add(NULL, &row, 1, NULL, 0, NULL, NULL));
    /* The refused rows have moved the time. */
    assert_status(SKED_ERR_RANGE, sked_audit_end(a, 4, NULL));
    assert_ok(sked_audit_end(a, 5, NULL));
    assert_status(SKED_ERR_STATE, sked_audit_end(a, 5, NULL));
    assert_status(SKED_ERR_STATE,
                  sked_audit_add(a, &row, 1, NULL, 0, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_audit_end(NULL, 3, NULL));
    sked_audit_free(a);
}

static void an_anomaly_is_read_and_written(void **state)
{
    sked_audit *a = judge(1);
    sked_audit_anomaly x = {.struct_size = sizeof x};
    /* Row 4 is the last start of tasks 3, row 6 that of tasks 4. */
    const char
        *line = "node_over at 5: node 7 holds 9 of 8 of kind 0 (rows 0 4 6)";
    char text[128];
    size_t n;

    (void)state;
    add(a,
        "0 node 7 a8; 0 job 1; 0 tasks 3 of 1 x2 a4; 0 start 3 on 7; 5 start 3 "
        "on 7; 5 tasks 4 of 1 a1; 5 start 4 on 7",
        SKED_OK, 7);
    assert_ok(sked_audit_end(a, 5, NULL));
    assert_i64((int64_t)sked_audit_count(a, 0), 1);
    assert_i64((int64_t)sked_audit_count(a, SKED_AUDIT_CODE_NODE_OVER), 1);
    assert_i64((int64_t)sked_audit_count(a, SKED_MAX_AUDIT_CODES), 0);
    assert_i64((int64_t)sked_audit_count(a, -1), 0);
    assert_ok(sked_audit_get(a, 0, &x));
    assert_i64(x.code, SKED_AUDIT_CODE_NODE_OVER);
    assert_i64((int64_t)x.subject, 7);
    assert_i64((int64_t)x.tasks, 3);
    assert_i64(x.got, 9);
    assert_i64(x.limit, 8);
    assert_i64(x.kind, 0);
    assert_i64(x.rows, 3);
    assert_ok(sked_audit_format(a, 0, text, sizeof text, &n));
    assert_string_equal(text, line);
    assert_i64((int64_t)n, (int64_t)strlen(line));
    assert_status(SKED_ERR_RANGE, sked_audit_format(a, 0, text, n, &n));
    assert_status(SKED_ERR_RANGE, sked_audit_format(a, 1, text, 9, NULL));
    assert_status(SKED_ERR_ARG, sked_audit_format(a, 0, NULL, 9, NULL));
    assert_status(SKED_ERR_RANGE, sked_audit_get(a, 1, &x));
    assert_status(SKED_ERR_ARG, sked_audit_get(a, 0, NULL));
    x.struct_size = 4;
    assert_status(SKED_ERR_VERSION, sked_audit_get(a, 0, &x));
    assert_string_equal(sked_audit_name(SKED_AUDIT_CODE_NODE_IDLE),
                        "node_idle");
    assert_string_equal(sked_audit_name(0), "unknown");
    assert_string_equal(sked_audit_name(SKED_MAX_AUDIT_CODES), "unknown");
    sked_audit_free(a);
}

/* Every code has a name and a line, and no two share a name. */
static void names_are_apart(void **state)
{
    (void)state;
    for (int32_t i = 1; i < SKED_MAX_AUDIT_CODES; i++) {
        assert_string_not_equal(sked_audit_name(i), "unknown");
        for (int32_t j = 1; j < i; j++) {
            assert_string_not_equal(sked_audit_name(i), sked_audit_name(j));
        }
    }
}

static void more_than_most_are_counted(void **state)
{
    sked_audit_options o = options(1);
    sked_audit_anomaly x = {.struct_size = sizeof x};
    sked_audit *a;

    (void)state;
    o.most = 2;
    assert_ok(sked_audit_new(&o, NULL, &a, NULL));
    add(a, "0 node 1 a9; 0 job 1; 0 tasks 1 of 1 a1; 0 start 1 on 1", SKED_OK,
        4);
    for (int i = 0; i < 3; i++) add(a, "1 done 1 on 1 x9", SKED_OK, 1);
    assert_i64((int64_t)sked_audit_count(a, SKED_AUDIT_CODE_WORK_UNKNOWN), 3);
    assert_ok(sked_audit_get(a, 1, &x));
    assert_status(SKED_ERR_RANGE, sked_audit_get(a, 2, &x));
    sked_audit_free(a);
}

/* Rows of one instant may stand in any order where the order does not tell. */
static void an_instant_has_no_order(void **state)
{
    sked_audit *a = judge(1);

    (void)state;
    add(a,
        "0 node 1 a4; 0 job 1; 0 tasks 1 of 1 x2 a4; 0 start 1 on 1; 3 start 1 "
        "on 1; 3 done 1 on 1; 4 done 1 on 1; 4 over 1",
        SKED_OK, 8);
    assert_ok(sked_audit_end(a, 9, NULL));
    assert_i64((int64_t)sked_audit_count(a, SKED_AUDIT_CODE_NODE_OVER), 0);
    sked_audit_free(a);
}

/* Amounts up to the largest, and sums that none can hold. */
static void amounts_are_wide(void **state)
{
    sked_audit *a = judge(1);

    (void)state;
    add(a,
        "0 node 1 a4611686018427387904; 0 job 1; 0 tasks 1 of 1 x3 "
        "a2305843009213693952; 0 start 1 on 1 x2",
        SKED_OK, 4);
    add(a, "1 start 1 on 1", SKED_ERR_RANGE, 0);
    add(a, "1 node 2 a1", SKED_ERR_RANGE, 0);
    add(a, "1 node 1 a1; 1 node 2 a4611686018427387903", SKED_OK, 2);
    assert_ok(sked_audit_end(a, 1, NULL));
    assert_i64((int64_t)sked_audit_count(a, 0), 0);
    sked_audit_free(a);
}

static void work_is_excused(void **state)
{
    static const char *const rows[] = {
        /* constrained work says nothing about idle nodes or order */
        "0 node 1 a4; 0 job 1 c; 0 tasks 1 of 1 v9 a1; 0 job 2; 5 tasks 2 of 2 "
        "v1 a1; 5 start 2 on 1",
        "0 node 1 a4; 0 job 1; 0 tasks 1 of 1 v9 a1 c; 5 tasks 2 of 1 v1 a1; 5 "
        "start 2 on 1",
        /* a gang waits for all of its tasks */
        "0 node 1 a4; 0 job 1 x3; 0 tasks 1 of 1 x3 a2; 9 node 2 a1",
        /* the queue's limit, the user's bound, the partition keep it out */
        "0 node 1 a4; 0 queue 1; 0 limit 1 a1; 0 job 1 of 1; 0 tasks 1 of 1 "
        "a2; 9 node 2 a1",
        "0 node 1 a4; 0 queue 1; 0 limit 1 on 3 a1; 0 job 1 of 1 on 3; 0 tasks "
        "1 of 1 a2; 9 node 2 a1",
        "0 node 1 of 7 a4; 0 job 1; 0 tasks 1 of 1 on 8 a2; 9 node 2 of 7 a1",
        /* tasks that fit nowhere stand before larger ones */
        "0 node 1 of 7 a2; 0 job 1; 0 tasks 1 of 1 on 7 a3; 0 tasks 2 of 1 on "
        "7 a4; 0 tasks 3 of 1 on 8 a4; 9 node 1 of 7 a2",
        /* the node drains, or is kept for others */
        "0 node 1 a4; 0 drain 1; 0 job 1; 0 tasks 1 of 1 a2; 9 node 2 a1",
        "0 node 1 a4; 0 job 1; 0 tasks 1 of 1 a4 c; 0 reserve 1 on 1 v20; 0 "
        "tasks 2 of 1 a2; 9 node 2 a1",
        /* a gang needs fewer when some of its tasks are done */
        "0 node 1 a8; 0 job 1 x3; 0 tasks 1 of 1 x3 a1; 0 start 1 on 1 x3; 1 "
        "done 1 on 1; 2 lost 1 on 1; 2 start 1 on 1; 9 node 2 a1",
        /* work may be done in the instant in which its node stops */
        "0 node 1 a4; 0 job 1; 0 tasks 1 of 1 a4; 0 start 1 on 1; 3 down 1; 3 "
        "done 1 on 1; 9 node 2 a1",
        /* a node that is told twice is one node */
        "0 node 1 a2; 0 node 1 a2; 0 queue 1; 0 queue 2; 0 guarantee 1 a3; 0 "
        "job 1 of 1; 0 job 2 of 2; 0 tasks 2 of 2 x4 a1; 0 start 2 on 1 x2; 1 "
        "tasks 1 of 1 a1; 5 done 2 on 1; 5 start 2 on 1",
        /* a guarantee that cannot be had is no guarantee */
        "0 node 1 a2; 0 queue 1; 0 queue 2; 0 guarantee 1 a3; 0 job 1 of 1; 0 "
        "job 2 of 2; 0 tasks 2 of 2 x4 a1; 0 start 2 on 1 x2; 1 tasks 1 of 1 "
        "a1; 5 done 2 on 1; 5 start 2 on 1",
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static audit_text t;
        sked_audit_options o = options(1);
        sked_audit *a;
        assert_ok(sked_audit_new(&o, NULL, &a, NULL));
        audit_read(&t, rows[i], 1);
        assert_ok(
            sked_audit_add(a, t.row, t.n, t.amounts, t.vectors, NULL, NULL));
        assert_ok(sked_audit_end(a, t.row[t.n - 1].time, NULL));
        uint64_t guilty = sked_audit_count(a, 0);
        char text[256];
        if (guilty) {
            assert_ok(sked_audit_format(a, 0, text, sizeof text, NULL));
            fail_msg("%s: %s", rows[i], text);
        }
        sked_audit_free(a);
    }
}

static sked_status whole_life(test_host *h, void *arg)
{
    static audit_text t;
    sked_host hooks = test_host_hooks(h);
    sked_audit_options o = options(1);
    sked_audit *a;

    (void)arg;
    audit_read(
        &t,
        "0 node 1 a4; 0 node 2 a4; 0 queue 1 v1; 0 queue 2 of 1 v1; 0 "
        "guarantee 2 a1; 0 limit 2 a3; 0 limit 2 on 1 a2; 0 job 1 of 2 on "
        "1; 0 job 2 x2; 0 tasks 1 of 1 x4 a1; 0 tasks 2 of 2 x4 a2; 1 "
        "start 1 on 1 x4; 2 start 2 on 1; 3 kill 1 on 1 of 2; 4 down 1; 6 "
        "reserve 2 on 2 v6; 9 start 2 on 2; 9 over 1",
        1);
    sked_status rc = sked_audit_new(&o, &hooks, &a, NULL);
    if (rc != SKED_OK) return rc;
    size_t at = 0, done;
    while (at < t.n && rc == SKED_OK) {
        rc = sked_audit_add(a, t.row + at, t.n - at, t.amounts, t.vectors,
                            &done, NULL);
        at += done;
    }
    if (rc == SKED_OK) rc = sked_audit_end(a, 20, NULL);
    if (rc == SKED_OK) assert_true(sked_audit_count(a, 0) > 5);
    sked_audit_free(a);
    return rc;
}

static void every_failure_is_survived(void **state)
{
    (void)state;
    test_sweep(whole_life, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_are_checked),
        cmocka_unit_test(rows_are_checked),
        cmocka_unit_test(a_bad_row_ends_the_call),
        cmocka_unit_test(an_anomaly_is_read_and_written),
        cmocka_unit_test(names_are_apart),
        cmocka_unit_test(more_than_most_are_counted),
        cmocka_unit_test(an_instant_has_no_order),
        cmocka_unit_test(amounts_are_wide),
        cmocka_unit_test(work_is_excused),
        cmocka_unit_test(every_failure_is_survived),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
