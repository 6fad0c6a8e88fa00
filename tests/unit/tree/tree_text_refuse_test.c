/* The text form of a tree: every fault, long words, limits, failures. */
#include "tree_text_cases.h"

/* One text, and the first of its faults. */
typedef struct spoilt {
    const char *text;
    size_t n; /* faults in all */
    int32_t code;
    uint32_t line;
    uint32_t column;
    const char *says;
} spoilt;

static const spoilt spoilt_texts[] = {
    {"root =3", 1, SKED_FAULT_SYNTAX, 1, 6, "'=' has no place here"},
    {"weight=3", 1, SKED_FAULT_SYNTAX, 1, 7, "'=' has no place here"},
    {"root weight", 1, SKED_FAULT_SYNTAX, 1, 12, "the line ends too early"},
    {"root weight \nroot.a tier", 2, SKED_FAULT_SYNTAX, 1, 12,
     "a blank has no place here"},
    {"root\n\"root\"", 1, SKED_FAULT_SYNTAX, 2, 1, "'\"' has no place here"},
    {"root label=\"a\nroot.a", 1, SKED_FAULT_SYNTAX, 1, 14,
     "the line ends too early"},
    {"root label=\"a", 1, SKED_FAULT_SYNTAX, 1, 14, "the line ends too early"},
    {"root label=\"a\"b", 1, SKED_FAULT_SYNTAX, 1, 15, "'b' has no place here"},
    {"root label=a\"b", 1, SKED_FAULT_SYNTAX, 1, 13, "'\"' has no place here"},
    {"root label=a\\", 1, SKED_FAULT_SYNTAX, 1, 14, "the line ends too early"},
    {"root label=\"a\\", 1, SKED_FAULT_SYNTAX, 1, 15,
     "the line ends too early"},
    {"root label=a\x02 b", 1, SKED_FAULT_SYNTAX, 1, 13,
     "the byte 0x02 has no place here"},
    {"root label=\"a\x7f\"", 1, SKED_FAULT_SYNTAX, 1, 14,
     "the byte 0x7f has no place here"},
    {"root\rx", 1, SKED_FAULT_SYNTAX, 1, 5, "the byte 0x0d has no place here"},
    {"root..a", 1, SKED_FAULT_SYNTAX, 1, 6, "'.' has no place here"},
    {"root.", 1, SKED_FAULT_SYNTAX, 1, 6, "the line ends too early"},
    {".a", 1, SKED_FAULT_SYNTAX, 1, 1, "'.' has no place here"},
    {"root.a wieght=2", 1, SKED_FAULT_UNKNOWN_KEY, 1, 8,
     "no attribute has that name"},
    {"root user_weight.=2", 1, SKED_FAULT_UNKNOWN_KEY, 1, 6,
     "no attribute has that name"},
    {"root user_weight=2", 1, SKED_FAULT_UNKNOWN_KEY, 1, 6,
     "no attribute has that name"},
    {"root weight=2 tier=1 weight=2", 1, SKED_FAULT_DUPLICATE_KEY, 1, 22,
     "weight is said twice"},
    {"root limit=50% limit=cpu=2", 1, SKED_FAULT_DUPLICATE_KEY, 1, 16,
     "limit is said twice"},
    {"root user_weight.a=1 user_weight.b=1 user_weight.\\a=1", 1,
     SKED_FAULT_DUPLICATE_KEY, 1, 38, "a user's weight is said twice"},
    {"root.a\nroot.b\nroot.a", 1, SKED_FAULT_DUPLICATE_QUEUE, 3, 1,
     "the queue is on line 1 already"},
    {"root\nroot", 1, SKED_FAULT_DUPLICATE_QUEUE, 2, 1,
     "the queue is on line 1 already"},
    {"root.a.b", 1, SKED_FAULT_MISSING_PARENT, 1, 6,
     "no line before this one has that parent"},
    {"root.a\nroot.b.c\nroot.b", 1, SKED_FAULT_MISSING_PARENT, 2, 6,
     "no line before this one has that parent"},
    {"tree.a", 1, SKED_FAULT_ROOT, 1, 1, "the path does not begin at the root"},
    {"root weight=-1", 1, SKED_FAULT_BAD_VALUE, 1, 13,
     "weight takes 0 to 4294967295"},
    {"root weight=4294967296", 1, SKED_FAULT_BAD_VALUE, 1, 13,
     "weight takes 0 to 4294967295"},
    {"root weight=9223372036854775808", 1, SKED_FAULT_BAD_VALUE, 1, 13,
     "weight takes 0 to 4294967295"},
    {"root weight=99999999999999999999", 1, SKED_FAULT_BAD_VALUE, 1, 13,
     "weight takes 0 to 4294967295"},
    {"root weight=", 1, SKED_FAULT_BAD_VALUE, 1, 13,
     "weight takes 0 to 4294967295"},
    {"root weight=1.5", 1, SKED_FAULT_BAD_VALUE, 1, 13,
     "weight takes 0 to 4294967295"},
    {"root user_weight.a=-1", 1, SKED_FAULT_BAD_VALUE, 1, 20,
     "user_weight takes 0 to 4294967295"},
    {"root priority=2147483648", 1, SKED_FAULT_BAD_VALUE, 1, 15,
     "priority takes -2147483648 to 2147483647"},
    {"root order=best", 1, SKED_FAULT_BAD_VALUE, 1, 12,
     "order takes drf, fair, utilisation, priority, fifo, random, share"},
    {"root fair_kind=disk", 1, SKED_FAULT_BAD_VALUE, 1, 16,
     "fair_kind takes one of the kinds"},
    {"root am_share=100.0001%", 1, SKED_FAULT_BAD_VALUE, 1, 15,
     "am_share takes 0% to 100% in steps of 0.0001%, or unlimited"},
    {"root user_limit=0.3333333", 1, SKED_FAULT_BAD_VALUE, 1, 17,
     "user_limit takes 0% to 100% in steps of 0.0001%"},
    {"root user_limit=5%%", 1, SKED_FAULT_BAD_VALUE, 1, 17,
     "user_limit takes 0% to 100% in steps of 0.0001%"},
    {"root preempt_min_timeout=30", 1, SKED_FAULT_BAD_VALUE, 1, 26,
     "preempt_min_timeout takes a time as 30s, in ns us ms s m h d, or "
     "unlimited"},
    {"root preempt_min_timeout=0.1ns", 1, SKED_FAULT_BAD_VALUE, 1, 26,
     "preempt_min_timeout takes a time as 30s, in ns us ms s m h d, or "
     "unlimited"},
    {"root preempt_min_timeout=s", 1, SKED_FAULT_BAD_VALUE, 1, 26,
     "preempt_min_timeout takes a time as 30s, in ns us ms s m h d, or "
     "unlimited"},
    {"root preempt_min_timeout=9223372036854775807ns", 1, SKED_FAULT_BAD_VALUE,
     1, 26,
     "preempt_min_timeout takes a time as 30s, in ns us ms s m h d, or "
     "unlimited"},
    {"root guarantee=\"cpu=1,disk=2\"", 1, SKED_FAULT_BAD_VALUE, 1, 23,
     "guarantee takes an exact amount of each kind"},
    {"root guarantee=\"cpu=1,memory=unlimited\"", 1, SKED_FAULT_BAD_VALUE, 1,
     17,
     "guarantee takes an exact amount of each kind; that of memory is "
     "none"},
    {"root guarantee=\"cpu=\\1.2345\"", 1, SKED_FAULT_BAD_VALUE, 1, 21,
     "guarantee takes an exact amount of each kind; that of cpu is none"},
    {"root lend=40%", 1, SKED_FAULT_BAD_VALUE, 1, 11,
     "lend takes an exact amount of each kind, or unlimited"},
    {"root tier=300 order=x\nroot.b tier=-1\nx.y tier=1 tier=2\nroot.c", 5,
     SKED_FAULT_BAD_VALUE, 1, 11, "tier takes 0 to 255"},
    {"root\\\n.a\\\n x=1", 2, SKED_FAULT_ROOT, 1, 1,
     "the path does not begin at the root"},
    {"root.\\\n.b", 1, SKED_FAULT_MISSING_PARENT, 1, 6,
     "no line before this one has that parent"},
    {"root.a\\\n\\\n..b", 1, SKED_FAULT_SYNTAX, 3, 2, "'.' has no place here"},
};

static void check_spoilt(world *w, const spoilt *bad)
{
    sked_error err = {0};
    sked_fault faults[8];
    size_t n = 0;
    uint64_t before = sked_tree_digest(w->tree);

    sked_status rc = sked_tree_parse(w->tree, bad->text, strlen(bad->text),
                                     NULL, faults, 8, &n, &err);
    if (rc != SKED_ERR_SYNTAX || strcmp(err.message, bad->says) != 0 ||
        n != bad->n || faults->line != bad->line ||
        faults->column != bad->column || faults->code != bad->code) {
        fail_msg("[%s]: %s, %zu faults, %d at %u:%u: %s", bad->text,
                 sked_status_name(rc), n, (int)faults->code, faults->line,
                 faults->column, err.message);
    }
    assert_int_equal(err.line, bad->line);
    assert_int_equal(err.column, bad->column);
    assert_int_equal(faults->severity, SKED_SEVERITY_ERROR);
    assert_true(sked_tree_digest(w->tree) == before);
}

static void every_fault_is_told_with_its_place(void **state)
{
    world *w = *state;

    take(w, "root.a tier=2\nroot.q\n");
    take(w, "");
    for (size_t i = 0; i < sizeof spoilt_texts / sizeof *spoilt_texts; i++) {
        check_spoilt(w, &spoilt_texts[i]);
    }
}

static void a_nul_is_refused_wherever_it_stands(void **state)
{
    static const char *const texts[] = {
        "roo~t",
        "root ~",
        "root label=~",
        "root label=\"~\"",
        "# c~\nroot",
        "root label=\\~",
        "~",
    };
    world *w = *state;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[32];
        size_t length = strlen(texts[i]), n = 0;
        sked_fault fault;
        memcpy(text, texts[i], length);
        char *nul = memchr(text, '~', length);
        *nul = 0;
        assert_status(
            SKED_ERR_SYNTAX,
            sked_tree_parse(w->tree, text, length, NULL, &fault, 1, &n, NULL));
        assert_int_equal(n, 1);
        assert_int_equal(fault.code, SKED_FAULT_SYNTAX);
        assert_i64(fault.got, 0);
        assert_int_equal(fault.column, nul - text + 1);
    }
}

static void a_word_of_a_megabyte_is_a_word(void **state)
{
    enum { LONG = 1 << 20 };
    world *w = *state;
    char *text = malloc(2 * LONG + 32);

    memcpy(text, "root.", 5);
    memset(text + 5, 'a', LONG);
    memcpy(text + 5 + LONG, " label=", 7);
    memset(text + 12 + LONG, 'b', LONG);
    assert_ok(sked_tree_parse(w->tree, text, 2 * LONG + 12, NULL, NULL, 0, NULL,
                              NULL));
    assert_ok(sked_tree_commit(w->tree, SKED_TREE_COMMIT_LENIENT, NULL));
    free(text);
    text = forest_text(w->tree);
    take(w, text);
    assert_int_equal(sked_tree_count(w->tree), 2);
    free(text);
}

/* A line of many users takes time by their number, not by its square. */
static void a_line_of_many_users_is_read(void **state)
{
    enum { USERS = 20000 };
    world *w = *state;
    char *text = malloc(32 * USERS);
    size_t n = 0;
    int64_t weight;

    n += (size_t)sprintf(text, "root.a");
    for (int i = 0; i < USERS; i++) {
        n += (size_t)sprintf(text + n, " user_weight.u%d=%d", i * 7919 % USERS,
                             i);
    }
    take(w, text);
    assert_ok(
        sked_tree_user_weight(w->tree, find(w, "root.a"), "u7919", &weight));
    assert_i64(weight, 1);
    n += (size_t)sprintf(text + n, " user_weight.u0=1");
    assert_status(SKED_ERR_SYNTAX, read_text(w, text, NULL));
    free(text);
}

static void limits_of_the_tree_hold_for_texts(void **state)
{
    world *w = *state;
    sked_tree_options opts = {
        .struct_size = sizeof opts, .max_depth = 3, .max_queues = 4};
    sked_fault faults[4];
    size_t n;
    (void)w;

    sked_tree *tree = forest_tree(NULL, &opts);
    const char full[] = "root.a\nroot.a.b\nroot.c\n";
    const char other[] = "root.x\nroot.y\nroot.y.z\n";
    const char deep[] = "root.a\nroot.a.b\nroot.a.b.c\n";
    const char many[] = "root.a\nroot.b\nroot.c\nroot.d\nroot.e\n";
    assert_ok(
        sked_tree_parse(tree, full, sizeof full - 1, NULL, NULL, 0, &n, NULL));
    assert_ok(sked_tree_commit(tree, SKED_TREE_COMMIT_LENIENT, NULL));
    /* Old and new together are more than there may be at once. */
    assert_ok(sked_tree_parse(tree, other, sizeof other - 1, NULL, NULL, 0, &n,
                              NULL));
    assert_status(SKED_ERR_SYNTAX, sked_tree_parse(tree, deep, sizeof deep - 1,
                                                   NULL, faults, 4, &n, NULL));
    assert_int_equal(n, 1);
    assert_int_equal(faults->code, SKED_FAULT_TOO_DEEP);
    assert_i64(faults->got, 4);
    assert_i64(faults->limit, 3);
    assert_status(SKED_ERR_SYNTAX, sked_tree_parse(tree, many, sizeof many - 1,
                                                   NULL, faults, 4, &n, NULL));
    assert_int_equal(n, 2);
    assert_int_equal(faults->code, SKED_FAULT_TOO_MANY);
    assert_int_equal(faults->line, 4);
    sked_tree_free(tree);
}

/* `n` times the same byte: more than there is room for so far. */
static void put_long(char *text, char c, size_t n)
{
    size_t at = strlen(text);

    memset(text + at, c, n);
    text[at + n] = 0;
}

static void put_text(char *text, const char *more)
{
    memcpy(text + strlen(text), more, strlen(more) + 1);
}

/* Every kind of line, each with something long. */
static void long_text(char *text)
{
    *text = 0;
    put_long(text, 'r', 400);
    put_text(text, " tier=1\n");
    put_long(text, 'r', 400);
    put_text(text, ".b\n");
    put_long(text, 'r', 400);
    put_text(text, ".a weight=2 limit=20% guarantee=\"cpu=1\" user_weight.z=2 "
                   "user_weight.");
    put_long(text, 'u', 900);
    put_text(text, "=1 label=");
    put_long(text, 'l', 2000);
    put_text(text, "\n");
    put_long(text, 'r', 400);
    put_text(text, ".a.");
    put_long(text, 'n', 5000);
    put_text(text, " priority=2\n");
}

static sked_status read_good(sked_tree *tree)
{
    char text[16384], file[12000] = "";
    uint64_t before = sked_tree_digest(tree);

    long_text(text);
    put_long(file, 'f', 11000);
    sked_status rc = sked_tree_parse(tree, text, strlen(text), file, NULL, 0,
                                     NULL, NULL);
    if (rc != SKED_OK) assert_true(sked_tree_digest(tree) == before);
    return rc;
}

static sked_status read_bad(sked_tree *tree)
{
    static const char text[] = "r.n user_weight.a=1 user_weight.a=2";
    uint64_t before = sked_tree_digest(tree);

    sked_status rc = sked_tree_parse(tree, text, sizeof text - 1, "third", NULL,
                                     0, NULL, NULL);
    assert_true(sked_tree_digest(tree) == before);
    return rc == SKED_ERR_SYNTAX ? SKED_OK : rc;
}

/* A tree that is read into, well and badly, under every failure. */
static sked_status read_scenario(test_host *h, void *arg)
{
    static const char first[] = "root.a user_weight.q=1\nroot.x";
    sked_host hooks = test_host_hooks(h);
    sked_tree *tree = forest_tree(&hooks, NULL);
    (void)arg;

    if (!tree) return SKED_ERR_NOMEM;
    sked_status rc = sked_tree_parse(tree, first, sizeof first - 1, "first",
                                     NULL, 0, NULL, NULL);
    if (rc == SKED_OK) rc = sked_tree_commit(tree, 0, NULL);
    if (rc == SKED_OK) rc = read_good(tree);
    if (rc == SKED_OK) rc = read_bad(tree);
    assert_ok(sked_tree_check(tree, NULL));
    sked_tree_free(tree);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_sweep(read_scenario, NULL, 0);
}

/* Enough words that the host is asked while they are read. */
static sked_status long_scenario(test_host *h, void *arg)
{
    sked_host hooks = test_host_hooks(h);
    sked_tree *tree = forest_tree(&hooks, NULL);

    if (!tree) return SKED_ERR_NOMEM;
    uint64_t before = sked_tree_digest(tree);
    sked_status rc = sked_tree_parse(tree, arg, strlen(arg), NULL, NULL, 0,
                                     NULL, NULL);
    if (rc != SKED_OK) assert_true(sked_tree_digest(tree) == before);
    sked_tree_free(tree);
    return rc;
}

static void reading_can_be_cancelled(void **state)
{
    enum { QUEUES = 9000 };
    char *text = malloc(16 * QUEUES);
    size_t n = 0;
    (void)state;

    for (int i = 0; i < QUEUES; i++) {
        n += (size_t)sprintf(text + n, "root.q%d\n", i);
    }
    test_sweep(long_scenario, text, 12);
    free(text);
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(every_fault_is_told_with_its_place),
        TEST(a_nul_is_refused_wherever_it_stands),
        TEST(a_word_of_a_megabyte_is_a_word),
        TEST(a_line_of_many_users_is_read),
        TEST(limits_of_the_tree_hold_for_texts),
        TEST(every_allocation_may_fail),
        TEST(reading_can_be_cancelled),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
