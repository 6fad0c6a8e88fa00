/* The text form of a tree: what is taken, what is refused and why. */
#include <sched/tree_text.h>

#include "forest.h"
#include "host.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct world {
    test_host host;
    sked_tree *tree;
} world;

static int setup(void **state)
{
    static world w;

    w = (world){0};
    sked_host hooks = test_host_hooks(&w.host);
    w.tree = forest_tree(&hooks, NULL);
    *state = &w;
    return w.tree ? 0 : -1;
}

static int teardown(void **state)
{
    world *w = *state;

    sked_tree_free(w->tree);
    assert_int_equal(w->host.live, 0);
    return 0;
}

static sked_status read_text(world *w, const char *text, sked_error *err)
{
    return sked_tree_parse(w->tree, text, strlen(text), "queues.txt", NULL, 0,
                           NULL, err);
}

/* Reads and commits. */
static void take(world *w, const char *text)
{
    sked_error err = {0};

    if (read_text(w, text, &err) != SKED_OK) {
        fail_msg("%u:%u: %s", err.line, err.column, err.message);
    }
    assert_ok(sked_tree_commit(w->tree, SKED_TREE_COMMIT_LENIENT, NULL));
    assert_ok(sked_tree_check(w->tree, NULL));
}

static sked_queue_id find(world *w, const char *path)
{
    sked_queue_id id = SKED_NO_QUEUE;

    assert_ok(sked_tree_find(w->tree, path, &id, NULL));
    return id;
}

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
     "order takes drf, fair, utilisation, priority, fifo, random, deficit, "
     "share"},
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

static void writing_tells_how_much_room_it_needs(void **state)
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
        TEST(every_key_sets_its_attribute),
        TEST(writing_puts_everything_in_order),
        TEST(names_of_any_bytes_come_through),
        TEST(line_ends_blanks_and_comments_are_free),
        TEST(an_empty_text_is_a_root_alone),
        TEST(what_a_text_leaves_out_goes_or_returns_to_its_default),
        TEST(queues_in_the_same_order_are_not_moved),
        TEST(the_first_line_may_name_the_root),
        TEST(every_fault_is_told_with_its_place),
        TEST(a_nul_is_refused_wherever_it_stands),
        TEST(a_word_of_a_megabyte_is_a_word),
        TEST(a_line_of_many_users_is_read),
        TEST(limits_of_the_tree_hold_for_texts),
        TEST(kinds_must_agree),
        TEST(a_schema_can_be_made_from_a_text),
        TEST(arguments_are_checked),
        TEST(writing_tells_how_much_room_it_needs),
        TEST(a_confined_tree_is_not_read_into),
        TEST(names_stay_borrowed_while_a_text_is_read),
        TEST(every_allocation_may_fail),
        TEST(reading_can_be_cancelled),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
