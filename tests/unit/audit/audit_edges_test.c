/* The edges of a judge: the largest numbers, rows without a node, growth of
 * each array, and the story that each edge tells or does not tell. */
#include "audit_text.h"

#include <stdio.h>

#include "host.h"

#define MOST "4611686018427387903"

static sked_audit *judge(uint32_t kinds)
{
    sked_audit_options o = {.struct_size = sizeof o, .kinds = kinds};
    sked_audit *a;

    o.idle_ns = SKED_UNLIMITED;
    assert_ok(sked_audit_new(&o, NULL, &a, NULL));
    return a;
}

/* Adds the rows of a text. The last row has the status `want`. */
static void add(sked_audit *a, const char *rows, sked_status want,
                const char *message)
{
    static audit_text t;
    sked_error err = {0};
    size_t done;

    audit_read(&t, rows, 1);
    sked_status rc = sked_audit_add(a, t.row, t.n, t.amounts, t.vectors, &done,
                                    &err);
    if (rc != want || done != t.n - (want != SKED_OK)) {
        fail_msg("%s: %s after %zu rows: %s", rows, sked_status_name(rc), done,
                 err.message);
    }
    if (message) assert_string_equal(err.message, message);
}

static void largest_numbers_are_refused(void **state)
{
    static const struct {
        const char *rows;
        const char *message;
    } bad[] = {
        {"0 tasks 1 of 1 x2 a0; 0 tasks 1 of 1 x" MOST,
         "count is out of range"},
        {"0 tasks 1 of 1 x2 a0; 0 tasks 2 of 1 x" MOST " a0",
         "count is out of range"},
        {"0 tasks 1 of 1 x" MOST " a0; 0 start 1 on 1 x" MOST
         "; 0 tasks 1 of 1 x5; 0 start 1 on 1 x5",
         "count is out of range"},
        {"0 tasks 1 of 1 x5 a0; 0 start 1 on 1 x5; 0 tasks 2 of 1 x" MOST
         " a0; 0 lost 1 on 1 x2",
         "count is out of range"},
        {"0 tasks 1 of 1 a9223372036854775807", "an amount is out of range"},
        {"0 tasks 1 of 1 a0; 0 start 1 on 1; 0 kill 1 on 1 of 9",
         "there are no such tasks"},
        {"0 tasks 1 of 1 a0; 0 reserve 1 on 9", "there is no such node"},
        {"0 tasks 1 of 1 a0; 0 start 1 on 9", NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sked_audit *a = judge(1);
        add(a, "0 node 1 a4; 0 job 1", SKED_OK, NULL);
        /* An unknown node of a start is an anomaly, not an error. */
        if (!bad[i].message) {
            add(a, bad[i].rows, SKED_OK, NULL);
            assert_i64((int64_t)sked_audit_count(a, SKED_AUDIT_CODE_NODE_UNFIT),
                       1);
        } else if (strstr(bad[i].message, "such")) {
            add(a, bad[i].rows, SKED_ERR_NOT_FOUND, NULL);
        } else {
            add(a, bad[i].rows, SKED_ERR_RANGE, bad[i].message);
        }
        sked_audit_free(a);
    }
}

static void calls_name_what_is_missing(void **state)
{
    sked_audit *a = judge(1);
    sked_error err = {0};
    (void)state;

    assert_status(SKED_ERR_ARG,
                  sked_audit_add(a, NULL, 0, NULL, 1, NULL, &err));
    assert_string_equal(err.message, "amounts is NULL");
    assert_status(SKED_ERR_RANGE, sked_audit_end(a, SKED_NOW, &err));
    assert_string_equal(err.message, "the moment has passed");
    sked_audit_free(a);
}

/* The queue, or the user, holds the largest amount, which is the limit. A sum
 * of two such amounts would be negative, and the node would seem to idle. */
static void a_limit_of_the_largest_amount_is_full(void **state)
{
#define LARGE "a4611686018427387904"
    static const char *const limits[] = {
        "0 limit 1 " LARGE "; 0 job 1 of 1 on 7; ",
        "0 limit 1 on 7 " LARGE "; 0 job 1 of 1 on 7; ", "0 job 1 of 1 on 7; "};
    static const uint64_t idle[] = {0, 0, 2}; /* at 0 and at 3 */

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        static audit_text t;
        sked_audit_options o = {.struct_size = sizeof o, .kinds = 1};
        sked_audit *a;
        char rows[512];
        snprintf(rows, sizeof rows,
                 "0 node 1 " LARGE "; 0 queue 1; %s0 tasks 1 of 1 " LARGE
                 "; 0 start 1; 0 tasks 2 of 1 " LARGE "; 3 queue 2",
                 limits[i]);
        assert_ok(sked_audit_new(&o, NULL, &a, NULL));
        audit_read(&t, rows, 1);
        assert_ok(
            sked_audit_add(a, t.row, t.n, t.amounts, t.vectors, NULL, NULL));
        assert_ok(sked_audit_end(a, 4, NULL));
        assert_i64((int64_t)sked_audit_count(a, SKED_AUDIT_CODE_NODE_IDLE),
                   (int64_t)idle[i]);
        assert_i64((int64_t)sked_audit_count(a, 0), (int64_t)idle[i]);
        sked_audit_free(a);
    }
#undef LARGE
}

static void rows_outside_their_table_are_refused(void **state)
{
    sked_audit_row row = {.type = SKED_AUDIT_ROW_NODE, .key = 1, .amounts = 1};
    const int64_t amounts[] = {4};
    sked_audit *a = judge(1);
    sked_error err;

    (void)state;
    assert_status(SKED_ERR_RANGE,
                  sked_audit_add(a, &row, 1, amounts, 1, NULL, &err));
    assert_string_equal(err.message, "amounts is out of range");
    row.amounts = -2;
    assert_status(SKED_ERR_RANGE,
                  sked_audit_add(a, &row, 1, amounts, 1, NULL, NULL));
    row.amounts = 0;
    row.time = SKED_NOW;
    assert_status(SKED_ERR_RANGE,
                  sked_audit_add(a, &row, 1, amounts, 1, NULL, &err));
    assert_string_equal(err.message, "time is out of range");
    row.time = 0;
    assert_status(SKED_ERR_RANGE, sked_audit_add(a, &row, (size_t)INT32_MAX + 1,
                                                 amounts, 1, NULL, &err));
    assert_string_equal(err.message, "n is out of range");
    assert_ok(sked_audit_add(a, &row, 1, amounts, 1, NULL, NULL));
    assert_ok(sked_audit_end(a, 0, NULL));
    sked_audit_free(a);
}

/* Adds `n` queues, the i-th below the (i-1)-th when `deep`. Returns the status
 * of the last one, and how many there are. */
static sked_status add_queues(sked_audit *a, size_t n, int deep, size_t *done)
{
    sked_status rc = SKED_OK;

    for (size_t i = 1; i <= n && rc == SKED_OK; i++) {
        sked_audit_row row = {.type = SKED_AUDIT_ROW_QUEUE,
                              .key = i,
                              .of = deep ? i - 1 : 0,
                              .amounts = -1};
        rc = sked_audit_add(a, &row, 1, NULL, 0, NULL, NULL);
        *done = rc == SKED_OK ? i : i - 1;
    }
    return rc;
}

static void a_tree_has_bounds(void **state)
{
    sked_audit *a = judge(1);
    size_t n;

    (void)state;
    assert_status(SKED_ERR_RANGE, add_queues(a, 99, 1, &n));
    assert_i64((int64_t)n, SKED_MAX_DEPTH - 1); /* the root is a level */
    sked_audit_free(a);
    a = judge(1);
    assert_status(SKED_ERR_RANGE, add_queues(a, SKED_MAX_QUEUES + 5, 0, &n));
    assert_i64((int64_t)n, SKED_MAX_QUEUES - 1);
    sked_audit_free(a);
}

/* What a history must tell: the number of anomalies of one code, or of all. */
static void expect(const char *rows, uint32_t flags, int32_t code, int64_t n)
{
    static audit_text t;
    sked_audit_options o = {.struct_size = sizeof o, .kinds = 1};
    sked_audit *a;
    char text[256] = "nothing";

    o.flags = flags;
    o.idle_ns = SKED_UNLIMITED;
    assert_ok(sked_audit_new(&o, NULL, &a, NULL));
    audit_read(&t, rows, 1);
    assert_ok(sked_audit_add(a, t.row, t.n, t.amounts, t.vectors, NULL, NULL));
    assert_ok(sked_audit_end(a, t.row[t.n - 1].time + 1, NULL));
    if ((int64_t)sked_audit_count(a, code) != n) {
        (void)!sked_audit_format(a, 0, text, sizeof text, NULL);
        fail_msg("%s: %s", rows, text);
    }
    sked_audit_free(a);
}

/* Hosts whose histories name no nodes. */
static void rows_without_a_node(void **state)
{
    (void)state;
    expect("0 node 1 a4; 0 node 2 a4; 0 job 1; 0 tasks 1 of 1 x4 a1; 0 start 1 "
           "on 1 x2; 0 start 1 on 2 x2; 1 done 1 on 0 x3; 2 done 1 on 0",
           0, 0, 0);
    expect("0 job 1; 0 tasks 1 of 1 x4 a1; 0 start 1 x4; 1 done 1 x5", 0,
           SKED_AUDIT_CODE_WORK_UNKNOWN, 1);
    /* Tasks of a partition may not start on an unknown node; order is judged
     * among tasks that could be there. */
    expect("0 queue 1; 0 job 1 of 1; 0 tasks 1 of 1 v9 a1; 0 tasks 2 of 1 v1 "
           "a1; 1 start 2",
           0, SKED_AUDIT_CODE_PRIORITY_INVERSION, 1);
    expect("0 queue 1; 0 job 1 of 1; 0 tasks 1 of 1 on 7 v9 a1; 0 tasks 2 of 1 "
           "v1 a1; 1 start 2",
           0, SKED_AUDIT_CODE_PRIORITY_INVERSION, 0);
}

/* No node is large enough for what waits, so nobody owes the queue. */
static void guarantees_need_a_node_that_fits(void **state)
{
#define WAIT "0 tasks 2 of 2 x12 a1; "
#define QUEUES                                                                 \
    "0 queue 1; 0 queue 2; 0 guarantee 1 a4; 0 job 1 of 1; 0 job 2 of 2; "
    const char *small = "0 node 1 a2; 0 node 2 a2; " QUEUES WAIT
                        "0 start 2 on 1 x2; 0 start 2 on 2 x2; 1 tasks 1 of 1 "
                        "a3; 6 done 2 on 1 x2; 6 start 2 on 1 x2";
    const char *large = "0 node 1 a2; 0 node 2 a4; " QUEUES
                        "0 tasks 2 of 2 x4 a3; 0 start 2 on 2; 1 tasks 1 of 1 "
                        "a3; 6 done 2 on 2; 6 start 2 on 2";
    const char *apart = "0 node 1 of 7 a4; " QUEUES WAIT
                        "0 start 2 on 1 x4; 1 tasks 1 of 1 on 8 a3; 6 done 2 "
                        "on 1 x4; 6 start 2 on 1 x4";
#undef WAIT
#undef QUEUES

    (void)state;
    expect(small, SKED_AUDIT_FLAG_PREEMPTS, 0, 0);
    expect(apart, SKED_AUDIT_FLAG_PREEMPTS, 0, 0);
    expect(small, 0, 0, 0);
    expect(large, 0, SKED_AUDIT_CODE_GUARANTEE_UNSERVED, 1);
}

/* Tasks within a guarantee are no surplus, and neither is a gang. */
static void surplus_is_beyond_every_guarantee(void **state)
{
    static const int64_t found[] = {1, 1, 1, 0, 0};

    (void)state;
    for (int64_t guarantee = 0; guarantee < 5; guarantee++) {
        char rows[512];
        snprintf(
            rows, sizeof rows,
            "0 node 1 a4; 0 node 2 a4; 0 queue 1; 0 queue 4 of 1; 0 queue "
            "5 of 1; 0 queue 2; 0 queue 3; 0 guarantee 1 a2; 0 guarantee 2 "
            "a%d; 0 job 1 of 4; 0 job 2 of 2; 0 job 3 of 3 x4; 0 tasks 2 "
            "of 2 x4 a1; 0 tasks 3 of 3 x4 a1; 0 start 2 on 1 x4; 0 start "
            "3 on 2 x4; 1 tasks 1 of 1 a2",
            (int)guarantee);
        expect(rows, SKED_AUDIT_FLAG_PREEMPTS,
               SKED_AUDIT_CODE_GUARANTEE_UNSERVED, found[guarantee]);
        expect(rows, 0, 0, 0);
    }
    /* The search for surplus leaves the usage of queues as it was. */
    expect("0 node 1 a4; 0 node 3 a1; 0 queue 1; 0 queue 2; 0 guarantee 1 a2; "
           "0 limit 2 a4; 0 job 1 of 1; 0 job 2 of 2; 0 tasks 2 of 2 x5 a1; 0 "
           "start 2 on 1 x4; 1 tasks 1 of 1 a2; 2 start 2 on 3",
           SKED_AUDIT_FLAG_PREEMPTS, SKED_AUDIT_CODE_QUEUE_OVER, 1);
}

/* A claim that drained nodes can hold asks for no kill: a scheduler may count
 * these nodes as capacity. */
static void drained_nodes_may_be_capacity(void **state)
{
#define BEGIN                                                                  \
    "0 node 1 a4; 0 node 2 a2; 0 queue 1; 0 queue 2; 0 guarantee 1 a2; 0 job " \
    "1 of 1; 0 job 2 of 2; 0 tasks 2 of 2 x4 a1; 0 start 2 on 1 x4; "
    (void)state;
    expect(BEGIN "0 drain 2; 1 tasks 1 of 1 a2", SKED_AUDIT_FLAG_PREEMPTS,
           SKED_AUDIT_CODE_GUARANTEE_UNSERVED, 0);
    expect(BEGIN "0 down 2; 1 tasks 1 of 1 a2", SKED_AUDIT_FLAG_PREEMPTS,
           SKED_AUDIT_CODE_GUARANTEE_UNSERVED, 1);
    expect(BEGIN "0 node 2 a1; 0 drain 2; 1 tasks 1 of 1 a2",
           SKED_AUDIT_FLAG_PREEMPTS, SKED_AUDIT_CODE_GUARANTEE_UNSERVED, 1);
#undef BEGIN
}

/* A share of a cluster above 2^50 units may lack a unit, and so one task. */
static void large_shares_may_lack_a_unit(void **state)
{
    static const struct {
        const char *each, *guarantee;
        int waiting;
        int64_t found;
    } cases[] = {
        {"200000000000000", "800000000000000", 1, 1}, /* below 2^50 */
        {"300000000000000", "900000000000000", 1, 0},
        {"300000000000000", "900000000000000", 2, 1},
        {"300000000000000", "599999999999999", 2, 0},
        {"300000000000000", "600000000000000", 2, 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char rows[512];
        snprintf(rows, sizeof rows,
                 "0 node 1 a%s; 0 node 2 a%s; 0 node 3 a%s; 0 node 4 a%s; 0 "
                 "queue 1; 0 queue 2; 0 guarantee 1 a%s; 0 job 1 of 1; 0 job "
                 "2 of 2; 0 tasks 2 of 2 x4 a%s; 0 start 2 on 1; 0 start 2 on "
                 "2; 0 start 2 on 3; 0 start 2 on 4; 1 tasks 1 of 1 x%d a%s",
                 cases[i].each, cases[i].each, cases[i].each, cases[i].each,
                 cases[i].guarantee, cases[i].each, cases[i].waiting,
                 cases[i].each);
        expect(rows, SKED_AUDIT_FLAG_PREEMPTS,
               SKED_AUDIT_CODE_GUARANTEE_UNSERVED, cases[i].found);
    }
}

/* A node that stops or becomes smaller ends its reservations. */
static void reservations_end_with_their_node(void **state)
{
#define BEGIN                                                                  \
    "0 node 1 a4; 0 node 2 a4; 0 job 1; 0 tasks 1 of 1 c a2; 0 reserve 1 on "  \
    "1 v3; "
    static const struct {
        const char *rows;
        int64_t found;
    } cases[] = {
        {BEGIN "3 start 1 on 1", 0},
        {BEGIN "4 start 1 on 1", 1},
        {BEGIN "9 node 2", 1},
        {BEGIN "1 reserve 1 on 1 v4; 4 start 1 on 1", 1},
        {BEGIN "1 node 1 a5; 4 start 1 on 1", 1},
        {BEGIN "1 drain 2; 4 start 1 on 1", 1},
        {BEGIN "1 down 1; 4 start 1 on 2", 0},
        {BEGIN "1 drain 1; 2 node 1; 4 start 1 on 1", 0},
        {BEGIN "1 node 1 a3; 4 start 1 on 1", 0},
        {BEGIN "1 node 1 a3; 2 reserve 1 on 1 v9; 9 start 1 on 1", 0},
        {BEGIN "1 node 1 a3; 2 reserve 1 on 1 v8; 9 start 1 on 1", 1},
        {"0 node 1 a4; 1 drain 1; 1 node 1; 1 job 1; 1 tasks 1 of 1 c a2; 1 "
         "reserve 1 on 1 v3; 4 start 1 on 1",
         1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expect(cases[i].rows, 0, SKED_AUDIT_CODE_RESERVED_LATE, cases[i].found);
    }
#undef BEGIN
}

/* A limit of a user or a queue that a kill of the same instant makes free was in
 * the way when the scheduler chose. */
static void a_kill_may_free_a_limit(void **state)
{
#define BEGIN(bound)                                                           \
    "0 node 1 a2; 0 queue 1; 0 queue 2 of 1; 0 queue 3 of 1; 0 guarantee 2 "   \
    "a1; " bound                                                               \
    "0 job 1 of 3 on 7; 0 tasks 1 of 1 x2 a1; 0 start 1 on 1 x2; 1 job 2 of "  \
    "2 on 7; 1 tasks 2 of 2 v9 a1; 2 job 3 of 2 on 8; 2 tasks 3 of 3 a1; 2 "   \
    "kill 1 on 1 of 3; 2 start 3 on 1"
    (void)state;
    expect(BEGIN(""), 0, SKED_AUDIT_CODE_PRIORITY_INVERSION, 1);
    expect(BEGIN("0 limit 1 on 7 a2; "), 0, SKED_AUDIT_CODE_PRIORITY_INVERSION,
           0);
    expect(BEGIN("0 limit 1 on 7 a3; "), 0, SKED_AUDIT_CODE_PRIORITY_INVERSION,
           1);
    expect(BEGIN("0 limit 1 on 8 a2; "), 0, SKED_AUDIT_CODE_PRIORITY_INVERSION,
           1);
    expect(BEGIN("0 limit 1 a3; "), 0, SKED_AUDIT_CODE_PRIORITY_INVERSION, 0);
    expect(BEGIN("0 limit 1 a4; "), 0, SKED_AUDIT_CODE_PRIORITY_INVERSION, 1);
    expect(BEGIN("0 limit 2 a1; "), 0, SKED_AUDIT_CODE_PRIORITY_INVERSION, 0);
#undef BEGIN
}

/* The start that keeps a reservation passes over nobody. */
static void reserved_starts_pass_over_nobody(void **state)
{
#define BEGIN                                                                  \
    "0 node 1 a2; 0 node 2 a2; 0 queue 1 v1 f; 0 queue 2 v1; 0 job 1 of 1; 0 " \
    "job 3 of 1; 0 job 2 of 2; 0 tasks 9 of 3 x2 a2; 0 start 9 on 1; 0 tasks " \
    "1 of 1 c v0 a2; 0 reserve 1 on 2 v3; 1 tasks 2 of 2 a2; 1 tasks 3 of 3 "  \
    "v7 a2; "
    static const int32_t codes[] = {SKED_AUDIT_CODE_PRIORITY_INVERSION,
                                    SKED_AUDIT_CODE_SHARES_OFF,
                                    SKED_AUDIT_CODE_ORDER_BROKEN};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        expect(BEGIN "3 start 1 on 2", 0, codes[i], 0);
    }
    /* On another node than the reserved one, the start is like others. */
    expect(BEGIN "3 node 3 a2; 3 start 1 on 3", 0,
           SKED_AUDIT_CODE_PRIORITY_INVERSION, 1);
    /* Surplus beside a reserved start is no place for a claim. */
    expect("0 node 1 a4; 0 queue 1; 0 queue 2; 0 guarantee 1 a2; 0 job 1 of "
           "1; 0 job 2 of 2; 0 job 3; 0 tasks 2 of 2 x4 a1; 0 start 2 on 1 x3; "
           "0 tasks 3 of 3 c a1; 0 reserve 3 on 1 v9; 1 tasks 1 of 1 a2",
           SKED_AUDIT_FLAG_PREEMPTS, SKED_AUDIT_CODE_GUARANTEE_UNSERVED, 0);
#undef BEGIN
}

/* Rows that look wrong, or almost. */
static void near_misses_are_told_apart(void **state)
{
    static const struct {
        const char *rows;
        int32_t code;
        int64_t found;
    } cases[] = {
        {"0 node 1 a1; 0 down 1; 1 down 1; 1 drain 1; 2 node 1; 2 job 1; 2 "
         "tasks 1 of 1 a1; 2 start 1 on 1",
         SKED_AUDIT_CODE_NODE_UNFIT, 0},
        {"0 node 1 a1; 0 down 1; 1 drain 1; 2 job 1; 2 tasks 1 of 1 a1; 2 "
         "start 1 on 1",
         SKED_AUDIT_CODE_NODE_UNFIT, 1},
        /* The limit of a user comes after the first starts. */
        {"0 node 1 a9; 0 queue 1; 0 queue 2; 0 job 1 of 1 on 7; 0 job 2 of 2 "
         "on 7; 0 job 3 of 1 on 8; 0 tasks 1 of 1 x3 a1; 0 tasks 2 of 2 a1; 0 "
         "tasks 3 of 3 a1; 0 tasks 4 of 1 a1; 0 start 1 on 1; 0 start 2 on 1; "
         "0 start 3 on 1; 1 limit 1 on 7 a2; 1 start 1 on 1; 2 start 1 on 1",
         SKED_AUDIT_CODE_USER_OVER, 1},
        {"0 node 1 a1; 0 job 1; 0 tasks 1 of 1 a1; 0 start 1 on 1; 1 kill 1 "
         "on 1 of 1; 1 start 1 on 1; 2 kill 1 on 1 of 1; 2 start 1 on 1; 3 "
         "kill 1 on 1 of 1; 3 start 1 on 1",
         SKED_AUDIT_CODE_KILLS_IN_TURNS, 0},
        {"0 node 1 a1; 0 job 1; 0 tasks 1 of 1 a1; 0 start 1 on 1; 1 down 1; "
         "1 node 1; 9 node 1",
         SKED_AUDIT_CODE_WORK_LOST, 0},
        {"0 node 1 a1; 0 job 1; 0 tasks 1 of 1 a1; 0 start 1 on 1; 1 down 1; "
         "9 node 1",
         SKED_AUDIT_CODE_WORK_LOST, 1},
        /* A queue of weight 0 claims no share. */
        {"0 node 1 a2; 0 queue 1 v1; 0 queue 2 v0; 0 job 1 of 1; 0 job 2 of "
         "2; 0 tasks 1 of 1 x4 a1; 0 tasks 2 of 2 a1; 1 start 1 on 1 x2",
         SKED_AUDIT_CODE_SHARES_OFF, 0},
        {"0 node 1 a3; 0 queue 1 v1; 0 queue 2 v1; 0 job 1 of 1; 0 job 2 of "
         "2; 0 tasks 1 of 1 x4 a1; 0 tasks 2 of 2 a1; 1 start 1 on 1 x3",
         SKED_AUDIT_CODE_SHARES_OFF, 1},
        /* No rule cuts a guarantee above the limit of a parent. */
        {"0 node 1 a4; 0 queue 1; 0 queue 2 of 1; 0 queue 3; 0 limit 1 a1; 0 "
         "guarantee 2 a2; 0 job 2 of 2; 0 job 3 of 3; 0 tasks 3 of 3 x4 a1; 0 "
         "tasks 2 of 2 a1; 1 start 3 on 1 x4",
         SKED_AUDIT_CODE_GUARANTEE_UNSERVED, 0},
        {"0 node 1 a4; 0 queue 1; 0 queue 2 of 1; 0 queue 3; 0 limit 1 a2; 0 "
         "guarantee 2 a2; 0 job 2 of 2; 0 job 3 of 3; 0 tasks 3 of 3 x4 a1; 0 "
         "tasks 2 of 2 a1; 1 start 3 on 1 x4",
         SKED_AUDIT_CODE_GUARANTEE_UNSERVED, 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expect(cases[i].rows, 0, cases[i].code, cases[i].found);
    }
}

/* Adds the rows of a text. */
static void add_text(sked_audit *a, const char *rows)
{
    static audit_text t;

    audit_read(&t, rows, 1);
    assert_ok(sked_audit_add(a, t.row, t.n, t.amounts, t.vectors, NULL, NULL));
}

/* Many nodes and many tasks use up the credit at each instant. The rules stop
 * then, and invent nothing about a right history. */
static void a_judge_without_credit_invents_nothing(void **state)
{
    enum { MANY = 1500 };
    sked_audit_options o = {
        .struct_size = sizeof o, .kinds = 1, .flags = SKED_AUDIT_FLAG_PREEMPTS};
    sked_audit *a;

    (void)state;
    assert_ok(sked_audit_new(&o, NULL, &a, NULL));
    add_text(a, "0 queue 1 v1 f; 0 job 9; 0 tasks 9 of 9 c x900000 a1; 0 job "
                "8; 0 tasks 8 of 8 c x900000 a1");
    for (uint64_t i = 10; i < 10 + MANY; i++) {
        const int64_t amounts[] = {1, (int64_t)(2 * MANY - i)};
        const sked_audit_row rows[] = {
            {0, SKED_AUDIT_ROW_NODE, 0, i, 0, 0, 0, 0, 0, 0},
            {0, SKED_AUDIT_ROW_START, 0, 9, 0, i, 0, 1, -1, 0},
            {0, SKED_AUDIT_ROW_QUEUE, 0, i, 0, 0, 1, 0, -1, 0},
            {0, SKED_AUDIT_ROW_GUARANTEE, 0, i, 0, 0, 0, 0, 0, 0},
            {0, SKED_AUDIT_ROW_JOB, 0, i, i, 0, 0, i % 3 ? 0 : 2, -1, 0},
            {0, SKED_AUDIT_ROW_TASKS, 0, i, i, 0, 0, 2, 1, 0},
        };
        assert_ok(sked_audit_add(a, rows, 6, amounts, 2, NULL, NULL));
    }
    /* Tasks end and start again, kill each other and wait in one queue. */
    for (int at = 1; at < 200; at++) {
        char rows[512];
        int n = 10 + at, m = 10 + MANY - at;
        snprintf(rows, sizeof rows,
                 "%d job %d of 1; %d tasks %d of %d a1; %d kill 9 on %d of %d; "
                 "%d start %d on %d; %d done 9 on %d; %d start 8 on %d",
                 at, 5000 + at, at, 5000 + at, 5000 + at, at, n, 5000 + at, at,
                 5000 + at, n, at, m, at, m);
        add_text(a, rows);
    }
    assert_ok(sked_audit_end(a, 300, NULL));
    assert_i64((int64_t)sked_audit_count(a, SKED_AUDIT_CODE_NODE_IDLE), 0);
    assert_i64((int64_t)sked_audit_count(a, SKED_AUDIT_CODE_ORDER_BROKEN), 0);
    assert_i64((int64_t)sked_audit_count(a, SKED_AUDIT_CODE_KILL_IN_VAIN), 0);
    assert_i64((int64_t)sked_audit_count(a, SKED_AUDIT_CODE_NODE_OVER), 0);
    sked_audit_free(a);
}

/* With a bound of kills, times may be rounded, and a free node proves nothing. */
static void kills_with_a_bound_need_no_other_node(void **state)
{
    static audit_text t;
    sked_audit_options o = {.struct_size = sizeof o, .kinds = 1, .kill_ns = 5};
    sked_audit *a;

    (void)state;
    o.idle_ns = SKED_UNLIMITED;
    assert_ok(sked_audit_new(&o, NULL, &a, NULL));
    audit_read(&t,
               "0 node 1 a4; 0 node 2 a4; 0 job 1; 0 job 2; 0 tasks 1 of 1 a4; "
               "0 start 1 on 1; 1 tasks 2 of 2 a4; 1 kill 1 on 1 of 2; 1 start "
               "2 on 1",
               1);
    assert_ok(sked_audit_add(a, t.row, t.n, t.amounts, t.vectors, NULL, NULL));
    assert_ok(sked_audit_end(a, 9, NULL));
    assert_i64((int64_t)sked_audit_count(a, 0), 0);
    sked_audit_free(a);
}

/* A kill may serve a limit: of a common queue, or of the user. */
static void kills_for_a_limit(void **state)
{
#define TREE                                                                   \
    "0 node 1 a8; 0 node 2 a8; 0 queue 3; 0 queue 1 of 3; 0 queue 2 of 3; "
#define WORK                                                                   \
    "0 job 1 of 1 on 5; 0 job 2 of 2 on 5; 0 tasks 1 of 1 x4 a1; 0 start 1 "   \
    "on "                                                                      \
    "1 x4; 0 tasks 2 of 2 x4 a1; "
    (void)state;
    expect(TREE "0 limit 3 a4; " WORK "1 kill 1 on 1 x2; 1 start 2 on 2 x2", 0,
           SKED_AUDIT_CODE_KILL_IN_VAIN, 0);
    expect(TREE "0 limit 3 on 5 a4; " WORK
                "1 kill 1 on 1 x2; 1 start 2 on 2 x2",
           0, SKED_AUDIT_CODE_KILL_IN_VAIN, 0);
    expect(TREE WORK "1 kill 1 on 1 x2; 1 start 2 on 2 x2", 0,
           SKED_AUDIT_CODE_KILL_IN_VAIN, 1);
    /* A limit needs so many kills, and the others are in vain. */
    expect(TREE "0 limit 3 a4; " WORK
                "1 kill 1 on 1; 1 kill 1 on 1; 1 start 2 on 2",
           0, SKED_AUDIT_CODE_KILL_IN_VAIN, 1);
    expect(TREE "0 limit 3 on 5 a4; " WORK
                "1 kill 1 on 1; 1 kill 1 on 1; 1 kill 1 on 1; 1 start 2 on 2 "
                "x2",
           0, SKED_AUDIT_CODE_KILL_IN_VAIN, 1);
    expect(TREE "0 limit 3 a4; " WORK
                "1 kill 1 on 1; 1 kill 1 on 1; 1 start 2 on 2; 1 start 2 on 2",
           0, SKED_AUDIT_CODE_KILL_IN_VAIN, 0);
    /* A kill in another queue gives nothing to the limit. */
    expect(TREE "0 limit 3 a4; " WORK
                "0 queue 4; 0 job 3 of 4; 0 tasks 3 of 3 a1; 0 start 3 on 2; 1 "
                "kill 1 on 1; 1 kill 3 on 2; 1 start 2 on 2",
           0, SKED_AUDIT_CODE_KILL_IN_VAIN, 1);
    /* Three open kills of a node are closed from the middle. */
    expect(TREE WORK "1 kill 1 on 1 of 2; 1 kill 1 on 1; 1 kill 1 on 1; 1 "
                     "cancel 2; 1 down 1",
           0, SKED_AUDIT_CODE_KILL_IN_VAIN, 0);
    expect(TREE WORK "1 kill 1 on 1; 1 kill 1 on 1 of 2; 1 kill 1 on 1; 1 "
                     "cancel 2",
           0, SKED_AUDIT_CODE_KILL_IN_VAIN, 2);
    expect(TREE WORK "1 kill 1 on 1; 1 start 1 on 2", 0,
           SKED_AUDIT_CODE_KILL_IN_VAIN, 1);
    expect(TREE WORK "1 kill 1 on 1; 1 over 2; 1 over 1", 0,
           SKED_AUDIT_CODE_KILL_IN_VAIN, 1);
#undef TREE
#undef WORK
}

/* A node or a limit that shrinks is over in one kind. A start that takes another
 * kind passes nothing. */
static void a_start_passes_the_kinds_that_it_takes(void **state)
{
    static const char *const bases[] = {
        "0 node 1 a4,4; 0 job 1; 0 tasks 1 of 1 x2 a2,1; 0 start 1 on 1 x2; 1 "
        "node 1 a1,4; 2 tasks 2 of 1 x9 ",
        "0 node 1 a9,9; 0 queue 1; 0 limit 1 a4,4; 0 job 1 of 1; 0 tasks 1 of "
        "1 x2 a2,1; 0 start 1 on 1 x2; 1 limit 1 a1,4; 2 tasks 2 of 1 x9 ",
        "0 node 1 a9,9; 0 queue 1; 0 limit 1 on 7 a4,4; 0 job 1 of 1 on 7; 0 "
        "tasks 1 of 1 x2 a2,1; 0 start 1 on 1 x2; 1 limit 1 on 7 a1,4; 2 tasks "
        "2 of 1 x9 "};
    static const struct {
        const char *amounts;
        uint64_t n;
    } starts[] = {{"a0,1; 2 start 2 on 1", 0},
                  {"a1,0; 2 start 2 on 1", 1},
                  {"a0,1; 2 start 2 on 1 x3", 1}};

    (void)state;
    for (size_t i = 0; i < 9; i++) {
        static audit_text t;
        sked_audit_options o = {.struct_size = sizeof o, .kinds = 2};
        sked_audit *a;
        char rows[512];
        o.idle_ns = SKED_UNLIMITED;
        snprintf(rows, sizeof rows, "%s%s", bases[i / 3],
                 starts[i % 3].amounts);
        assert_ok(sked_audit_new(&o, NULL, &a, NULL));
        audit_read(&t, rows, 2);
        assert_ok(
            sked_audit_add(a, t.row, t.n, t.amounts, t.vectors, NULL, NULL));
        assert_ok(sked_audit_end(a, 3, NULL));
        if (sked_audit_count(a, 0) != starts[i % 3].n) fail_msg("%s", rows);
        sked_audit_free(a);
    }
}

/* Queue 1 has 3 of 10 cores, or 3 of 20 when drained nodes count; queue 2 has 2
 * of 10 in the other kind. Only a start that both readings find unfair is. */
static void drained_nodes_may_count_as_capacity(void **state)
{
    static const char *const nodes[] = {
        "0 drain 2; ", "0 down 2; ", "0 drain 2; 1 down 2; ",
        "0 drain 2; 1 node 2 a10,0; ", "0 drain 2; 1 node 2 a1,0; 1 drain 2; "};
    static const uint64_t want[] = {0, 1, 1, 0, 1};

    (void)state;
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        static audit_text t;
        sked_audit_options o = {.struct_size = sizeof o, .kinds = 2};
        sked_audit *a;
        char rows[512];
        o.idle_ns = SKED_UNLIMITED;
        snprintf(rows, sizeof rows,
                 "0 node 1 a10,10; 0 node 2 a10,0; 0 queue 1 v1; 0 queue 2 v1; "
                 "0 job 1 of 1; 0 job 2 of 2; 0 tasks 1 of 1 x9 a1,0; 0 tasks "
                 "2 of 2 x2 a0,1; 0 start 1 on 1 x3; 0 start 2 on 1 x2; %s1 "
                 "tasks 3 of 2 x5 a1,0; 3 start 1 on 1",
                 nodes[i]);
        assert_ok(sked_audit_new(&o, NULL, &a, NULL));
        audit_read(&t, rows, 2);
        assert_ok(
            sked_audit_add(a, t.row, t.n, t.amounts, t.vectors, NULL, NULL));
        assert_ok(sked_audit_end(a, 4, NULL));
        if (sked_audit_count(a, SKED_AUDIT_CODE_SHARES_OFF) != want[i] ||
            sked_audit_count(a, 0) != want[i]) {
            fail_msg("%s", rows);
        }
        sked_audit_free(a);
    }
}

/* A start that needed a kill on its node, while another node is free. */
static void kills_beside_a_free_node(void **state)
{
#define NODES "0 node 1 a4; 0 node 2 a4; "
#define WORK                                                                   \
    "0 job 1; 0 tasks 1 of 1 x4 a1; 0 start 1 on 1 x4; 1 tasks 2 of 2 x2 a2; "
#define KILL "1 kill 1 on 1 x2 of 2; 1 start 2 on 1"
    (void)state;
    expect(NODES "0 job 2; " WORK KILL, 0, SKED_AUDIT_CODE_KILL_IN_VAIN, 1);
    expect(NODES "0 job 2 c; " WORK KILL, 0, 0, 0);
    expect(NODES "0 job 2; " WORK "1 drain 2; " KILL, 0, 0, 0);
    expect(NODES "0 job 2; 0 job 9; " WORK
                 "1 tasks 9 of 9 c a1; 1 reserve 9 on 2 v9; " KILL,
           0, 0, 0);
    /* The order of rows does not tell: node 2 is full in the end. */
    expect(NODES "0 job 2; " WORK KILL "; 1 tasks 3 of 2 x2 a2; 1 start 3 on 2 "
                 "x2",
           0, 0, 0);
    /* The victim goes where the start would have been as well. */
    expect("0 node 1 a4; 0 node 2 a2; 0 job 2; " WORK KILL
           "; 1 start 1 on 2 x2",
           0, SKED_AUDIT_CODE_KILL_IN_VAIN, 1);
    expect("0 node 1 a4; 0 node 2 a1; 0 job 2; " WORK KILL "; 1 start 1 on 2",
           0, 0, 0);
    /* What another kill freed is not free without this kill. */
    expect(NODES "0 job 2; 0 job 3; 0 tasks 3 of 3 a3; 0 start 3 on 2; " WORK
                 "1 kill 3 on 2; " KILL,
           0, SKED_AUDIT_CODE_KILL_IN_VAIN, 1);
    /* Two of three tasks fitted on node 1 before the kill. */
    expect("0 node 1 a4; 0 node 2 a1; 0 job 1; 0 job 2; 0 tasks 1 of 1 x2 a1; "
           "0 start 1 on 1 x2; 1 tasks 2 of 2 x3 a1; 1 kill 1 on 1; 1 start 2 "
           "on 1 x3",
           0, SKED_AUDIT_CODE_KILL_IN_VAIN, 1);
    /* An older kill is no kill of this instant. */
    expect(NODES "0 job 2; " WORK "1 kill 1 on 1 x2 of 2; 2 start 2 on 1", 0,
           SKED_AUDIT_CODE_KILL_IN_VAIN, 1);
#undef NODES
#undef WORK
#undef KILL
}

/* Judges rows with a bound for the order of a queue. */
static uint64_t inversions(const char *rows, int64_t bound)
{
    static audit_text t;
    sked_audit_options o = {.struct_size = sizeof o, .kinds = 1};
    sked_audit *a;

    o.idle_ns = SKED_UNLIMITED;
    o.inversion_ns = bound;
    assert_ok(sked_audit_new(&o, NULL, &a, NULL));
    audit_read(&t, rows, 1);
    assert_ok(sked_audit_add(a, t.row, t.n, t.amounts, t.vectors, NULL, NULL));
    assert_ok(sked_audit_end(a, t.row[t.n - 1].time, NULL));
    uint64_t n = sked_audit_count(a, SKED_AUDIT_CODE_PRIORITY_INVERSION);
    sked_audit_free(a);
    return n;
}

/* Small tasks pass a larger one that fits in their place. */
static void small_tasks_pass_a_larger_one(void **state)
{
#define BEGIN                                                                  \
    "0 node 1 a4; 0 node 2 a4; 0 queue 1; 0 queue 2; 0 job 1 of 1; 0 job 2 "   \
    "of 1; 0 job 3 of 2; 0 tasks 9 of 1 x2 a4; 0 start 9 on 1; 0 start 9 on "  \
    "2; 1 tasks 1 of 1 v5 a3; 1 tasks 2 of 2 x9 a1; 1 tasks 3 of 3 x9 a1; "
    (void)state;
    assert_i64((int64_t)inversions(BEGIN "9 done 9 on 1; 9 start 2 on 1 x2; 9 "
                                         "start 2 on 1 x2",
                                   5),
               2);
    /* Free resources count only where times are exact. */
    assert_i64((int64_t)inversions(BEGIN "9 done 9 on 1; 9 start 2 on 1", 0),
               1);
    assert_i64((int64_t)inversions(BEGIN "9 done 9 on 1; 9 start 2 on 1", 5),
               0);
    /* Starts of another queue and on another node do not count. */
    assert_i64((int64_t)inversions(BEGIN "9 done 9 on 1; 9 start 2 on 1 x2; 9 "
                                         "start 3 on 1 x2",
                                   5),
               0);
    assert_i64((int64_t)inversions(BEGIN "9 done 9 on 1; 9 done 9 on 2; 9 "
                                         "start 2 on 1 x2; 9 start 2 on 2 x2; "
                                         "9 start 3 on 1 x2; 9 start 3 on 2 "
                                         "x2",
                                   0),
               0);
    /* A guarantee that holds the small tasks alone goes first. */
    assert_i64((int64_t)inversions(BEGIN "1 guarantee 1 a6; 9 done 9 on 1; 9 "
                                         "start 2 on 1 x2; 9 start 3 on 1 x2",
                                   0),
               0);
    assert_i64((int64_t)inversions(BEGIN "1 guarantee 1 a6; 9 done 9 on 1; 9 "
                                         "start 2 on 1",
                                   0),
               0);
    /* A reserved start may hold what is free. */
    assert_i64((int64_t)inversions(BEGIN "1 job 4; 2 tasks 4 of 4 c a1; 2 "
                                         "reserve 4 on 1 v9; 9 done 9 on 1; 9 "
                                         "start 2 on 1 x2",
                                   0),
               0);
#undef BEGIN
}

/* A history that grows every array: nodes, queues, users, jobs, tasks, runs,
 * kills, losses, starts of an instant, gangs that are in part. */
static sked_status crowd(test_host *h, void *arg)
{
    enum { MANY = 24 };
    static const int64_t amounts[] = {8, 1, 2};
    sked_host hooks = test_host_hooks(h);
    sked_audit_options o = {.struct_size = sizeof o, .kinds = 1};
    sked_audit_row row[MANY * 16];
    sked_audit *a;
    size_t n = 0;

    (void)arg;
    for (uint64_t i = 1; i <= MANY; i++) {
        const sked_audit_row all[] = {
            {0, SKED_AUDIT_ROW_NODE, 0, i, 0, 0, 0, 0, 0, 0},
            {0, SKED_AUDIT_ROW_QUEUE, 0, i, i / 3, 0, 1, 0, -1, 0},
            {0, SKED_AUDIT_ROW_LIMIT, 0, i, 0, i, 0, 0, 2, 0},
            {0, SKED_AUDIT_ROW_GUARANTEE, 0, i, 0, 0, 0, 0, 1, 0},
            {0, SKED_AUDIT_ROW_JOB, 0, i, i % 4 ? i : 1, i, 0, i % 5 ? 0 : 3,
             -1, 0},
            {0, SKED_AUDIT_ROW_TASKS, 0, i, i, 0, (int64_t)i % 3, 4, 1, 0},
            {0, SKED_AUDIT_ROW_START, 0, i, 0, i, 0, 2, -1, 0},
        };
        memcpy(row + n, all, sizeof all);
        n += sizeof all / sizeof *all;
    }
    for (uint64_t i = 1; i <= MANY; i++) {
        const sked_audit_row all[] = {
            {1, SKED_AUDIT_ROW_KILL, 0, i, i % MANY + 1, i, 0, 1, -1, 0},
            {1, SKED_AUDIT_ROW_START, 0, i, 0, i % MANY + 1, 0, 1, -1, 0},
            {1, SKED_AUDIT_ROW_RESERVE, 0, i, 0, i, 2, 0, -1, 0},
        };
        memcpy(row + n, all, sizeof all);
        n += sizeof all / sizeof *all;
    }
    for (uint64_t i = 1; i <= MANY / 2; i++) {
        const sked_audit_row all[] = {
            {2, SKED_AUDIT_ROW_NODE_DOWN, 0, i, 0, 0, 0, 0, -1, 0},
            {2, SKED_AUDIT_ROW_START, 0, i, 0, MANY, 0, 9, -1, 0},
        };
        memcpy(row + n, all, sizeof all);
        n += sizeof all / sizeof *all;
    }
    /* Tasks that start at once, and wait together only when all are lost. */
    for (uint64_t i = 101; i <= 100 + MANY; i++) {
        const sked_audit_row all[] = {
            {3, SKED_AUDIT_ROW_JOB, 0, i, MANY, 0, 0, 0, -1, 0},
            {3, SKED_AUDIT_ROW_TASKS, 0, i, i, 0, 0, 1, 1, 0},
            {3, SKED_AUDIT_ROW_START, 0, i, 0, MANY, 0, 1, -1, 0},
        };
        memcpy(row + n, all, sizeof all);
        n += sizeof all / sizeof *all;
    }
    for (uint64_t i = 101; i <= 100 + MANY; i++) {
        const sked_audit_row lost = {
            4, SKED_AUDIT_ROW_LOST, 0, i, 0, MANY, 0, 1, -1, 0};
        row[n++] = lost;
    }
    sked_status rc = sked_audit_new(&o, &hooks, &a, NULL);
    if (rc != SKED_OK) return rc;
    size_t at = 0, done;
    while (at < n && rc == SKED_OK) {
        rc = sked_audit_add(a, row + at, n - at, amounts, 3, &done, NULL);
        at += done;
    }
    if (rc == SKED_OK) rc = sked_audit_end(a, 9, NULL);
    if (rc == SKED_OK) {
        assert_true(sked_audit_count(a, SKED_AUDIT_CODE_WORK_DOUBLED) >= 12);
        assert_true(sked_audit_count(a, SKED_AUDIT_CODE_RESERVED_LATE) > 0);
        assert_true(sked_audit_count(a, SKED_AUDIT_CODE_WORK_LOST) > 0);
    }
    sked_audit_free(a);
    return rc;
}

static void every_growth_may_fail(void **state)
{
    (void)state;
    test_sweep(crowd, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(largest_numbers_are_refused),
        cmocka_unit_test(calls_name_what_is_missing),
        cmocka_unit_test(a_limit_of_the_largest_amount_is_full),
        cmocka_unit_test(rows_outside_their_table_are_refused),
        cmocka_unit_test(a_tree_has_bounds),
        cmocka_unit_test(rows_without_a_node),
        cmocka_unit_test(guarantees_need_a_node_that_fits),
        cmocka_unit_test(surplus_is_beyond_every_guarantee),
        cmocka_unit_test(kills_for_a_limit),
        cmocka_unit_test(a_start_passes_the_kinds_that_it_takes),
        cmocka_unit_test(drained_nodes_may_count_as_capacity),
        cmocka_unit_test(kills_beside_a_free_node),
        cmocka_unit_test(kills_with_a_bound_need_no_other_node),
        cmocka_unit_test(drained_nodes_may_be_capacity),
        cmocka_unit_test(a_kill_may_free_a_limit),
        cmocka_unit_test(near_misses_are_told_apart),
        cmocka_unit_test(a_judge_without_credit_invents_nothing),
        cmocka_unit_test(large_shares_may_lack_a_unit),
        cmocka_unit_test(reservations_end_with_their_node),
        cmocka_unit_test(reserved_starts_pass_over_nobody),
        cmocka_unit_test(small_tasks_pass_a_larger_one),
        cmocka_unit_test(every_growth_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
