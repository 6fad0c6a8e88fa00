/* The text form of a tree: what is taken, and what is written. */
#include "tree_text_cases.h"

static void assert_text(world *w, const char *want)
{
    char *text = forest_text(w->tree);

    assert_string_equal(text, want);
    free(text);
}

static int64_t get(world *w, const char *path, int32_t attribute)
{
    int64_t x = 0;

    assert_ok(sked_tree_get(w->tree, find(w, path), attribute, &x));
    return x;
}

static void every_key_sets_its_attribute(void **state)
{
    world *w = *state;
    int64_t vec[3], weight;

    take(w, "root\n"
            "root.p order=priority\n"
            "root.p.q weight=7 fair_kind=memory apps=size max_running=9 "
            "user_limit=25% priority=-3 tier=2 preempt_from=no "
            "preempt_min_timeout=1.5s preempt_fair_timeout=2h "
            "preempt_fair_threshold=0.8 am_share=0.1 state=draining "
            "guarantee=\"cpu=2.5,gpu=1\" limit=80% borrow=memory=1GiB "
            "lend=gpu=0 label=\"big data\" user_weight.al=4\n");

    assert_i64(get(w, "root.p", SKED_QUEUE_ORDER), SKED_ORDER_POLICY_PRIORITY);
    const struct {
        int32_t attribute;
        int64_t want;
    } row[] = {
        {SKED_QUEUE_WEIGHT, 7},
        {SKED_QUEUE_FAIR_KIND, 1},
        {SKED_QUEUE_APPS, SKED_APPS_SIZE},
        {SKED_QUEUE_MAX_RUNNING, 9},
        {SKED_QUEUE_USER_LIMIT, 250000},
        {SKED_QUEUE_PRIORITY, -3},
        {SKED_QUEUE_TIER, 2},
        {SKED_QUEUE_PREEMPT_FROM, 0},
        {SKED_QUEUE_PREEMPT_MIN_TIMEOUT, 1500000000},
        {SKED_QUEUE_PREEMPT_FAIR_TIMEOUT, INT64_C(7200000000000)},
        {SKED_QUEUE_PREEMPT_FAIR_THRESHOLD, 800000},
        {SKED_QUEUE_AM_SHARE, 100000},
        {SKED_QUEUE_STATE, SKED_STATE_DRAINING},
        {SKED_QUEUE_LIMIT_PPM, 800000},
        {SKED_QUEUE_GUARANTEE_PPM, SKED_UNSET},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        assert_i64(get(w, "root.p.q", row[i].attribute), row[i].want);
    }
    sked_queue_id q = find(w, "root.p.q");
    assert_ok(sked_tree_get_vec(w->tree, q, SKED_QUEUE_GUARANTEE, vec));
    assert_i64(vec[0], 2500);
    assert_i64(vec[1], 0);
    assert_i64(vec[2], 1);
    assert_ok(sked_tree_get_vec(w->tree, q, SKED_QUEUE_BORROW, vec));
    assert_i64(vec[0], SKED_UNLIMITED);
    assert_i64(vec[1], INT64_C(1) << 30);
    assert_ok(sked_tree_get_vec(w->tree, q, SKED_QUEUE_LEND, vec));
    assert_i64(vec[1], SKED_UNLIMITED);
    assert_i64(vec[2], 0);
    assert_string_equal(sked_tree_get_text(w->tree, q, SKED_QUEUE_LABEL),
                        "big data");
    assert_ok(sked_tree_user_weight(w->tree, q, "al", &weight));
    assert_i64(weight, 4);
}

static void writing_puts_everything_in_order(void **state)
{
    world *w = *state;

    take(w, "root.b user_weight.z=2 user_weight.a=0 label=x weight=2\n"
            "root.a limit=50% guarantee=\"gpu=1,cpu=1500m\"\n"
            "root.b.c preempt_fair_timeout=unlimited tier=0\n");
    assert_text(w, "kinds cpu=m memory=B gpu=1\n"
                   "root\n"
                   "root.b weight=2 label=x user_weight.a=0 user_weight.z=2\n"
                   "root.b.c preempt_fair_timeout=unlimited\n"
                   "root.a limit=50% guarantee=\"cpu=1.5,gpu=1\"\n");
}

static void names_of_any_bytes_come_through(void **state)
{
    world *w = *state;
    static const char name[] = "a.b c=\"d#\\\n\r\t\x01\x7f\xff\xc3\xa9";
    sked_queue_id root = sked_tree_root(w->tree), id, found;
    char path[64], want[128];
    size_t n;

    assert_ok(sked_tree_add(w->tree, root, name, &id, NULL));
    assert_ok(sked_tree_set_text(w->tree, id, SKED_QUEUE_LABEL, name, NULL));
    assert_ok(sked_tree_set_user_weight(w->tree, id, name, 3, NULL));
    assert_ok(sked_tree_commit(w->tree, SKED_TREE_COMMIT_LENIENT, NULL));
    char *text = forest_text(w->tree);
    uint64_t digest = sked_tree_digest(w->tree);

    take(w, text);
    assert_true(sked_tree_digest(w->tree) == digest);
    assert_string_equal(sked_tree_name(w->tree, id), name);
    assert_ok(sked_tree_path(w->tree, id, path, sizeof path, &n));
    assert_ok(sked_tree_find(w->tree, path, &found, NULL));
    assert_true(found == id);
    /* A path is said as the text form has it. */
    snprintf(want, sizeof want, "\n%s label=", path);
    assert_non_null(strstr(text, want));
    free(text);
}

static void line_ends_blanks_and_comments_are_free(void **state)
{
    world *w = *state;
    sked_queue_id a;
    uint32_t line;

    take(w, "\xef\xbb\xbf# first\r\n\r\n \t kinds\tcpu=m memory=B gpu #c\r\n"
            "\troot # the root\r\n"
            "  root.a   weight=2#no blank needed\r\n"
            "root.b\t label=a\\\tb ");
    assert_i64(get(w, "root.a", SKED_QUEUE_WEIGHT), 2);
    a = find(w, "root.a");
    assert_ok(sked_tree_line(w->tree, a, &line));
    assert_int_equal(line, 5);
    assert_string_equal(
        sked_tree_get_text(w->tree, find(w, "root.b"), SKED_QUEUE_LABEL),
        "a\tb");
}

static void an_empty_text_is_a_root_alone(void **state)
{
    world *w = *state;

    take(w, "root weight=3\nroot.a\n");
    take(w, "");
    assert_text(w, "kinds cpu=m memory=B gpu=1\nroot\n");
    take(w, "# nothing");
    assert_ok(sked_tree_parse(w->tree, NULL, 0, NULL, NULL, 0, NULL, NULL));
}

static void what_a_text_leaves_out_goes_or_returns_to_its_default(void **state)
{
    world *w = *state;

    take(w, "root.a weight=2 guarantee=\"cpu=1\" label=x user_weight.u=2\n"
            "root.a.x\nroot.b limit=20%\nroot.c\n");
    sked_queue_id a = find(w, "root.a"), b = find(w, "root.b");
    take(w, "root.c\nroot.a\nroot.b tier=1");

    assert_true(find(w, "root.a") == a && find(w, "root.b") == b);
    assert_text(w, "kinds cpu=m memory=B gpu=1\nroot\nroot.c\nroot.a\n"
                   "root.b tier=1\n");
}

static void queues_in_the_same_order_are_not_moved(void **state)
{
    world *w = *state;

    take(w, "root.a\nroot.b\nroot.c\nroot.d\n");
    uint64_t shape = sked_tree_shape(w->tree);
    take(w, "root.a weight=2\nroot.b\nroot.c\nroot.d tier=3\n");
    assert_true(sked_tree_shape(w->tree) == shape);
    take(w, "root.a\nroot.c\nroot.b\nroot.d\n");
    assert_text(w, "kinds cpu=m memory=B gpu=1\nroot\nroot.a\nroot.c\nroot.b\n"
                   "root.d\n");
}

static void the_first_line_may_name_the_root(void **state)
{
    world *w = *state;
    sked_error err;
    sked_queue_id root = sked_tree_root(w->tree);

    take(w, "prod tier=1\nprod.a");
    assert_string_equal(sked_tree_name(w->tree, root), "prod");
    assert_true(find(w, "prod") == root);
    assert_status(SKED_ERR_SYNTAX, read_text(w, "root.a", &err));
    assert_string_equal(err.message, "the path does not begin at the root");
    assert_status(SKED_ERR_SYNTAX, read_text(w, "prod.a\nroot", &err));
    assert_int_equal(err.line, 2);
}

static void kinds_must_agree(void **state)
{
    static const struct {
        const char *text;
        int32_t kind;
        const char *says;
    } bad[] = {
        {"kinds cpu=m memory=B gpus=1", 2, "gpus"},
        {"kinds memory=B cpu=m gpu=1", 0, "memory"},
        {"kinds cpu=1 memory=B gpu=1", 0, "cpu"},
        {"kinds cpu=m memory=B", 2, "gpu"},
        {"kinds", 0, "cpu"},
        {"# c\nkinds cpu=m memory=B gpu=1 disk=B\nroot", -1, "disk"},
    };
    world *w = *state;
    sked_error err;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_status(SKED_ERR_SCHEMA, read_text(w, bad[i].text, &err));
        assert_int_equal(err.kind, bad[i].kind);
        assert_non_null(strstr(err.message, bad[i].says));
        assert_true(err.line > 0);
    }
    take(w, "kinds cpu=m memory=B gpu=1\nroot");
    take(w, "kinds cpu=m memory=B gpu");
    take(w, "kinds cpu=m memory=B gpu=");
    assert_status(SKED_ERR_SYNTAX, read_text(w, "root\nkinds cpu=m", &err));
    assert_status(SKED_ERR_SYNTAX, read_text(w, "kinds cpu=\x01\nroot", &err));
    assert_int_equal(err.line, 1);
}

static void a_schema_can_be_made_from_a_text(void **state)
{
    static const char text[] =
        "# c\r\n\r\nkinds cpu=m memory=B  gpu # three\r\nroot\n";
    world *w = *state;
    sked_schema *schema = NULL;
    sked_error err;

    assert_ok(
        sked_tree_parse_schema(text, sizeof text - 1, NULL, &schema, &err));
    assert_ok(sked_schema_same(schema, sked_tree_schema(w->tree), &err));
    sked_schema_free(schema);

    assert_status(SKED_ERR_ARG,
                  sked_tree_parse_schema(NULL, 1, NULL, &schema, &err));
    assert_status(SKED_ERR_ARG, sked_tree_parse_schema(text, UINT32_MAX, NULL,
                                                       &schema, &err));
    assert_status(SKED_ERR_ARG,
                  sked_tree_parse_schema(text, 1, NULL, NULL, NULL));
    assert_status(
        SKED_ERR_NOT_FOUND,
        sked_tree_parse_schema("root\nkinds a", 12, NULL, &schema, &err));
    assert_status(SKED_ERR_NOT_FOUND,
                  sked_tree_parse_schema(NULL, 0, NULL, &schema, &err));
    assert_null(schema);
    assert_status(SKED_ERR_SYNTAX, sked_tree_parse_schema("kinds \nroot", 11,
                                                          NULL, &schema, &err));
    assert_status(SKED_ERR_SYNTAX, sked_tree_parse_schema("\nkinds a\x01", 9,
                                                          NULL, &schema, &err));
    assert_int_equal(err.line, 2);
    assert_int_equal(err.column, 8);
    assert_status(SKED_ERR_ARG, sked_tree_parse_schema("\nkinds a b=x", 12,
                                                       NULL, &schema, &err));
}

static void arguments_are_checked(void **state)
{
    world *w = *state;
    char text[64];
    sked_fault fault = {.code = SKED_FAULT_ALL_DEAD};
    size_t n;

    assert_status(SKED_ERR_ARG,
                  sked_tree_parse(NULL, "", 0, NULL, NULL, 0, NULL, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_tree_parse(w->tree, NULL, 1, NULL, NULL, 0, NULL, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_tree_parse(w->tree, "", 0, NULL, NULL, 1, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_tree_parse(w->tree, "", UINT32_MAX, NULL,
                                                NULL, 0, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_tree_format(NULL, text, 64, &n));
    assert_status(SKED_ERR_ARG, sked_tree_format(w->tree, NULL, 1, &n));
    assert_status(SKED_ERR_ARG, sked_fault_format(NULL, &fault, text, 64, &n));
    assert_status(SKED_ERR_ARG, sked_fault_format(w->tree, NULL, text, 64, &n));
    assert_status(SKED_ERR_ARG,
                  sked_fault_format(w->tree, &fault, NULL, 1, &n));
    assert_ok(sked_tree_format(w->tree, text, 64, NULL));
    assert_ok(sked_fault_format(w->tree, &fault, text, 64, NULL));
}

static void writing_says_how_large_a_cap_it_needs(void **state)
{
    world *w = *state;
    char text[64];
    size_t n = 0;

    for (size_t cap = 0; cap < 33; cap++) {
        memset(text, '!', sizeof text);
        assert_status(SKED_ERR_RANGE, sked_tree_format(w->tree, text, cap, &n));
        assert_int_equal(n, 32);
        assert_int_equal(text[cap], '!');
    }
    assert_ok(sked_tree_format(w->tree, text, 33, &n));
    assert_string_equal(text, "kinds cpu=m memory=B gpu=1\nroot\n");
}

static void a_confined_tree_is_not_read_into(void **state)
{
    world *w = *state;

    take(w, "root.a\nroot.a.b");
    assert_ok(sked_tree_confine(w->tree, find(w, "root.a"), NULL));
    assert_status(SKED_ERR_STATE, read_text(w, "root.a", NULL));
    assert_ok(sked_tree_confine(w->tree, sked_tree_root(w->tree), NULL));
    take(w, "root.a");
}

static void names_stay_borrowed_while_a_text_is_read(void **state)
{
    world *w = *state;

    take(w, "root.a label=first");
    sked_queue_id a = find(w, "root.a");
    const char *label = sked_tree_get_text(w->tree, a, SKED_QUEUE_LABEL);
    assert_ok(read_text(w, "root.b label=second", NULL));
    assert_string_equal(label, "first");
    assert_ok(sked_tree_discard(w->tree, NULL));
    assert_text(w, "kinds cpu=m memory=B gpu=1\nroot\nroot.a label=first\n");
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(every_key_sets_its_attribute),
        TEST(writing_puts_everything_in_order),
        TEST(names_of_any_bytes_come_through),
        TEST(line_ends_blanks_and_comments_are_free),
        TEST(an_empty_text_is_a_root_alone),
        TEST(what_a_text_leaves_out_goes_or_returns_to_its_default),
        TEST(queues_in_the_same_order_are_not_moved),
        TEST(the_first_line_may_name_the_root),
        TEST(kinds_must_agree),
        TEST(a_schema_can_be_made_from_a_text),
        TEST(arguments_are_checked),
        TEST(writing_says_how_large_a_cap_it_needs),
        TEST(a_confined_tree_is_not_read_into),
        TEST(names_stay_borrowed_while_a_text_is_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
