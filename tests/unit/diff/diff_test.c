/* What changes between two trees, and applying it. */
#include <sched/diff.h>
#include <sched/ledger.h>

#include "forest.h"
#include "host.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct world {
    test_host host;
    sked_tree *a;
    sked_tree *b;
    sked_diff *diff;
} world;

static int setup(void **state)
{
    static world w;

    w = (world){0};
    sked_host hooks = test_host_hooks(&w.host);
    w.a = forest_tree(&hooks, NULL);
    *state = &w;
    return w.a ? 0 : -1;
}

static int teardown(void **state)
{
    world *w = *state;

    sked_diff_free(w->diff);
    sked_tree_free(w->a);
    sked_tree_free(w->b);
    assert_int_equal(w->host.live, 0);
    return 0;
}

static void take(sked_tree *tree, const char *text)
{
    assert_ok(
        sked_tree_parse(tree, text, strlen(text), NULL, NULL, 0, NULL, NULL));
    assert_ok(sked_tree_commit(tree, SKED_TREE_COMMIT_LENIENT, NULL));
}

static void copy_a(world *w)
{
    sked_host hooks = test_host_hooks(&w->host);

    assert_ok(sked_tree_copy(w->a, &hooks, &w->b, NULL));
}

static sked_queue_id in_tree(const sked_tree *tree, const char *path)
{
    sked_queue_id id = SKED_NO_QUEUE;

    assert_ok(sked_tree_find_draft(tree, path, &id, NULL));
    return id;
}

static sked_queue_id in_b(world *w, const char *path)
{
    return in_tree(w->b, path);
}

/* Commits b and compares; the diff must say exactly `want`. */
static void assert_diff(world *w, const char *want)
{
    sked_host hooks = test_host_hooks(&w->host);
    char text[2048];
    size_t n = 0;

    assert_ok(sked_tree_commit(w->b, SKED_TREE_COMMIT_LENIENT, NULL));
    sked_diff_free(w->diff);
    assert_ok(sked_diff_new(w->a, w->b, &hooks, &w->diff, NULL));
    assert_ok(sked_diff_format(w->diff, text, sizeof text, &n));
    assert_string_equal(text, want);
    assert_int_equal(n, strlen(want));
}

/* Applies it to a, which must then say what b does. */
static void assert_leads_to_b(world *w)
{
    size_t row;

    assert_ok(sked_diff_apply(w->diff, w->a, NULL, NULL));
    assert_ok(sked_tree_commit(w->a, SKED_TREE_COMMIT_LENIENT, NULL));
    assert_true(forest_same(w->a, w->b, &row));
}

static void each_kind_of_change_is_told(void **state)
{
    world *w = *state;
    const int64_t vec[] = {2500, 0, 1};

    take(w->a, "root\nroot.ads weight=2 guarantee=40%\nroot.ads.x\nroot.old\n"
               "root.old.y\nroot.ml label=default user_weight.al=2\n");
    copy_a(w);
    sked_queue_id ads = in_b(w, "root.ads"), ml = in_b(w, "root.ml"), id;
    assert_ok(sked_tree_set(w->b, ads, SKED_QUEUE_WEIGHT, SKED_UNSET, NULL));
    assert_ok(sked_tree_set_vec(w->b, ads, SKED_QUEUE_GUARANTEE, vec, NULL));
    assert_ok(sked_tree_set(w->b, ads, SKED_QUEUE_PREEMPT_FROM, 0, NULL));
    assert_ok(sked_tree_move(w->b, in_b(w, "root.ads.x"), ml, NULL));
    assert_ok(sked_tree_remove(w->b, in_b(w, "root.old"), NULL,
                               SKED_TREE_REMOVE_REFUSE, NULL));
    assert_ok(sked_tree_rename(w->b, ml, "m l", NULL));
    assert_ok(sked_tree_set_text(w->b, ml, SKED_QUEUE_LABEL, "big data", NULL));
    assert_ok(sked_tree_set_user_weight(w->b, ml, "al", 3, NULL));
    assert_ok(sked_tree_set_user_weight(w->b, ml, "a b", 0, NULL));
    assert_ok(sked_tree_add(w->b, ads, "new", &id, NULL));
    assert_ok(sked_tree_set(w->b, id, SKED_QUEUE_TIER, 1, NULL));

    assert_diff(w, "> root.ads.x root.ml.x\n"
                   "> root.ml root.m\\ l\n"
                   "+ root.ads.new\n"
                   "~ root.ads weight: 2 -> default\n"
                   "~ root.ads preempt_from: default -> no\n"
                   "~ root.ads guarantee: 40% -> \"cpu=2.5,gpu=1\"\n"
                   "~ root.m\\ l label: \"default\" -> \"big data\"\n"
                   "~ root.m\\ l user_weight.a\\ b: default -> 0\n"
                   "~ root.m\\ l user_weight.al: 2 -> 3\n"
                   "~ root.ads.new tier: default -> 1\n"
                   "- root.old\n");
    assert_leads_to_b(w);
}

static void changes_are_data(void **state)
{
    world *w = *state;
    sked_diff_change change = {.struct_size = sizeof change};

    take(w->a, "root.a weight=2\n");
    copy_a(w);
    assert_ok(
        sked_tree_set(w->b, in_b(w, "root.a"), SKED_QUEUE_WEIGHT, 3, NULL));
    assert_diff(w, "~ root.a weight: 2 -> 3\n");

    assert_int_equal(sked_diff_count(w->diff), 1);
    assert_ok(sked_diff_get(w->diff, 0, &change));
    assert_int_equal(change.op, SKED_DIFF_SET);
    assert_string_equal(change.path, "root.a");
    assert_string_equal(change.key, "weight");
    assert_string_equal(change.before, "2");
    assert_string_equal(change.after, "3");
    assert_status(SKED_ERR_RANGE, sked_diff_get(w->diff, 1, &change));
    change.struct_size = 4;
    assert_status(SKED_ERR_VERSION, sked_diff_get(w->diff, 0, &change));
    assert_status(SKED_ERR_ARG, sked_diff_get(w->diff, 0, NULL));
    assert_status(SKED_ERR_ARG, sked_diff_get(NULL, 0, &change));
    assert_int_equal(sked_diff_count(NULL), 0);
}

static void names_may_be_swapped_or_go_round(void **state)
{
    world *w = *state;

    take(w->a, "root.a\nroot.b\nroot.c\nroot.d\nroot.b~1\n");
    copy_a(w);
    sked_queue_id a = in_b(w, "root.a"), b = in_b(w, "root.b");
    sked_queue_id c = in_b(w, "root.c"), d = in_b(w, "root.d");
    assert_ok(sked_tree_rename(w->b, a, "t", NULL));
    assert_ok(sked_tree_rename(w->b, b, "a", NULL));
    assert_ok(sked_tree_rename(w->b, a, "b", NULL));
    assert_ok(sked_tree_rename(w->b, d, "e", NULL));
    assert_ok(sked_tree_rename(w->b, c, "d", NULL));

    assert_diff(w, "> root.a root.a~1\n"
                   "> root.b root.a\n"
                   "> root.a~1 root.b\n"
                   "> root.d root.e\n"
                   "> root.c root.d\n");
    assert_leads_to_b(w);
}

static void a_name_in_the_way_steps_aside(void **state)
{
    world *w = *state;

    take(w->a, "root.a\nroot.a~1\nroot.a.k\nroot.z\nroot.b\n");
    copy_a(w);
    /* b becomes a; a goes, but a.k stays, and waits for an addition. */
    sked_queue_id id, z = in_b(w, "root.z"), b = in_b(w, "root.b");
    assert_ok(sked_tree_add(w->b, z, "n", &id, NULL));
    assert_ok(sked_tree_move(w->b, in_b(w, "root.a.k"), id, NULL));
    assert_ok(sked_tree_remove(w->b, in_b(w, "root.a"), NULL, 0, NULL));
    assert_ok(sked_tree_rename(w->b, b, "a", NULL));

    assert_diff(w, "> root.a root.a~2\n"
                   "> root.b root.a\n"
                   "+ root.z.n\n"
                   "> root.a~2.k root.z.n.k\n"
                   "- root.a~2\n");
    assert_leads_to_b(w);
}

static void a_name_that_is_gone_goes_first(void **state)
{
    world *w = *state;

    take(w->a, "root.a\nroot.a.x\nroot.b\n");
    copy_a(w);
    assert_ok(sked_tree_remove(w->b, in_b(w, "root.a"), NULL, 0, NULL));
    assert_ok(sked_tree_rename(w->b, in_b(w, "root.b"), "a", NULL));
    assert_diff(w, "- root.a\n> root.b root.a\n");
    assert_leads_to_b(w);
}

static void a_move_can_rename_on_the_way(void **state)
{
    world *w = *state;

    take(w->a, "root.a\nroot.a.x\nroot.b\nroot.b.y\nroot.b.x\n");
    copy_a(w);
    /* a.x becomes b.y, which moves up: neither name is free meanwhile. */
    sked_queue_id x = in_b(w, "root.a.x"), y = in_b(w, "root.b.y");
    assert_ok(sked_tree_move(w->b, y, sked_tree_root(w->b), NULL));
    assert_ok(sked_tree_rename(w->b, x, "y", NULL));
    assert_ok(sked_tree_move(w->b, x, in_b(w, "root.b"), NULL));
    assert_diff(w, "> root.b.y root.y\n> root.a.x root.b.y\n");
    assert_leads_to_b(w);
}

static void order_among_siblings_is_kept(void **state)
{
    world *w = *state;

    take(w->a, "root.a\nroot.b\nroot.c\n");
    copy_a(w);
    assert_ok(
        sked_tree_move(w->b, in_b(w, "root.a"), sked_tree_root(w->b), NULL));
    assert_ok(sked_tree_rename(w->b, in_b(w, "root.a"), "z", NULL));
    assert_diff(w, "> root.a root.z\n> root.z root.z\n");
    assert_leads_to_b(w);
}

static void the_root_can_be_renamed(void **state)
{
    world *w = *state;

    take(w->a, "root.a\n");
    copy_a(w);
    assert_ok(sked_tree_rename(w->b, sked_tree_root(w->b), "prod.x", NULL));
    assert_ok(
        sked_tree_set(w->b, in_b(w, "prod\\.x.a"), SKED_QUEUE_TIER, 1, NULL));
    assert_diff(w, "> root prod\\.x\n~ prod\\.x.a tier: default -> 1\n");
    assert_leads_to_b(w);
}

/* Trees that were made apart are compared by path. */
static void without_a_common_past_paths_decide(void **state)
{
    world *w = *state;
    sked_host hooks = test_host_hooks(&w->host);

    w->b = forest_tree(&hooks, NULL);
    take(w->a, "root.a weight=2\nroot.b\n");
    take(w->b, "root.c\nroot.a weight=3\n");
    assert_diff(w, "+ root.c\n> root.a root.a\n"
                   "~ root.a weight: 2 -> 3\n- root.b\n");
    assert_leads_to_b(w);
}

static void a_change_must_find_what_it_changes(void **state)
{
    world *w = *state;
    static const struct {
        const char *text;
        sked_status want;
        int64_t row;
    } other[] = {
        {"root.a weight=5\nroot.g\nroot.m\nroot.n\n", SKED_ERR_STATE, 2},
        {"root.a weight=2 user_weight.u=7\nroot.g\nroot.m\nroot.n",
         SKED_ERR_STATE, 3},
        {"root.b\nroot.g\nroot.m\nroot.n", SKED_ERR_NOT_FOUND, 2},
        {"root.a weight=2\nroot.m\nroot.n", SKED_ERR_NOT_FOUND, 4},
        {"root.a weight=2\nroot.g\nroot.m", SKED_ERR_NOT_FOUND, 0},
        {"root.a weight=2\nroot.g\nroot.n", SKED_ERR_NOT_FOUND, 0},
        {"root.a weight=2\nroot.g\nroot.m\nroot.n\nroot.m.n", SKED_ERR_EXISTS,
         0},
        {"root.a weight=2\nroot.g\nroot.m\nroot.n\nroot.new", SKED_ERR_EXISTS,
         1},
    };
    sked_error err;

    take(w->a, "root.a weight=2\nroot.g\nroot.m\nroot.n\n");
    copy_a(w);
    assert_ok(
        sked_tree_set(w->b, in_b(w, "root.a"), SKED_QUEUE_WEIGHT, 3, NULL));
    assert_ok(sked_tree_set_user_weight(w->b, in_b(w, "root.a"), "u", 1, NULL));
    assert_ok(sked_tree_move(w->b, in_b(w, "root.n"), in_b(w, "root.m"), NULL));
    assert_ok(sked_tree_add(w->b, sked_tree_root(w->b), "new", NULL, NULL));
    assert_ok(sked_tree_remove(w->b, in_b(w, "root.g"), NULL, 0, NULL));
    assert_diff(w, "> root.n root.m.n\n"
                   "+ root.new\n"
                   "~ root.a weight: 2 -> 3\n"
                   "~ root.a user_weight.u: default -> 1\n"
                   "- root.g\n");
    for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
        take(w->a, other[i].text);
        uint64_t before = sked_tree_digest(w->a);
        assert_status(other[i].want,
                      sked_diff_apply(w->diff, w->a, NULL, &err));
        assert_i64(err.row, other[i].row);
        assert_true(sked_tree_digest(w->a) == before);
        assert_ok(sked_tree_check(w->a, NULL));
    }
}

static void an_added_queue_needs_its_parent(void **state)
{
    world *w = *state;
    sked_error err;

    take(w->a, "root.a\n");
    copy_a(w);
    assert_ok(sked_tree_add(w->b, in_b(w, "root.a"), "x", NULL, NULL));
    assert_diff(w, "+ root.a.x\n");
    take(w->a, "");
    assert_status(SKED_ERR_NOT_FOUND,
                  sked_diff_apply(w->diff, w->a, NULL, &err));
}

static void a_busy_queue_is_not_removed(void **state)
{
    world *w = *state;
    sked_ledger *ledger = NULL;
    const int64_t one = 1;
    sked_queue_id g;
    sked_error err;

    take(w->a, "root.g\nroot.h\n");
    copy_a(w);
    assert_ok(sked_tree_remove(w->b, in_b(w, "root.g"), NULL, 0, NULL));
    assert_diff(w, "- root.g\n");
    assert_ok(sked_tree_find(w->a, "root.g", &g, NULL));
    assert_ok(sked_ledger_new(w->a, NULL, NULL, &ledger, NULL));
    assert_ok(sked_ledger_set(ledger, SKED_LEDGER_RUNNING, &g, &one, 1, NULL));

    uint64_t before = sked_tree_digest(w->a);
    assert_status(SKED_ERR_STATE, sked_diff_apply(w->diff, w->a, ledger, &err));
    assert_i64(err.row, 0);
    assert_true(sked_tree_digest(w->a) == before);
    sked_ledger_free(ledger);
}

static void limits_hold_for_the_outcome(void **state)
{
    world *w = *state;
    sked_tree_options opts = {
        .struct_size = sizeof opts, .max_depth = 2, .max_queues = 3};
    sked_tree *small = forest_tree(NULL, &opts);
    sked_error err;

    copy_a(w);
    take(w->b, "root.a\nroot.a.b\n");
    assert_diff(w, "+ root.a\n+ root.a.b\n");
    assert_status(SKED_ERR_RANGE, sked_diff_apply(w->diff, small, NULL, &err));
    assert_i64(err.got, 3);
    take(w->b, "root.a\nroot.b\nroot.c\n");
    assert_diff(w, "+ root.a\n+ root.b\n+ root.c\n");
    assert_status(SKED_ERR_RANGE, sked_diff_apply(w->diff, small, NULL, &err));
    assert_i64(err.got, 4);
    assert_int_equal(sked_tree_count(small), 1);
    sked_tree_free(small);
}

static void arguments_are_checked(void **state)
{
    world *w = *state;
    const char *const kinds[] = {"cpu"};
    sked_host bad = {.struct_size = 1};
    sked_schema *schema = NULL;
    sked_tree *other = NULL;
    char text[8];
    size_t n;

    copy_a(w);
    assert_diff(w, "");
    assert_ok(sked_diff_apply(w->diff, w->a, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_diff_apply(NULL, w->a, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_diff_apply(w->diff, NULL, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_diff_format(NULL, text, 8, &n));
    assert_status(SKED_ERR_ARG, sked_diff_format(w->diff, NULL, 8, &n));
    assert_ok(sked_diff_format(w->diff, text, 1, NULL));
    sked_diff_free(w->diff);
    w->diff = NULL;
    assert_status(SKED_ERR_ARG,
                  sked_diff_new(NULL, w->b, NULL, &w->diff, NULL));
    assert_status(SKED_ERR_ARG,
                  sked_diff_new(w->a, NULL, NULL, &w->diff, NULL));
    assert_status(SKED_ERR_ARG, sked_diff_new(w->a, w->b, NULL, NULL, NULL));
    assert_status(SKED_ERR_VERSION,
                  sked_diff_new(w->a, w->b, &bad, &w->diff, NULL));

    assert_ok(sked_schema_new(kinds, NULL, 1, NULL, &schema, NULL));
    assert_ok(sked_tree_new(schema, NULL, NULL, &other, NULL));
    assert_status(SKED_ERR_SCHEMA,
                  sked_diff_new(w->a, other, NULL, &w->diff, NULL));
    take(w->b, "root.q");
    assert_diff(w, "+ root.q\n");
    assert_status(SKED_ERR_SCHEMA, sked_diff_apply(w->diff, other, NULL, NULL));
    sked_tree_free(other);
    sked_schema_free(schema);
    sked_diff_free(NULL);
}

static void a_confined_tree_takes_changes_of_its_part(void **state)
{
    world *w = *state;
    sked_queue_id a;

    take(w->a, "root.a\nroot.a.x\nroot.b\n");
    copy_a(w);
    take(w->b, "root.a\nroot.a.x weight=2\nroot.b\n");
    assert_diff(w, "~ root.a.x weight: default -> 2\n");
    assert_ok(sked_tree_find(w->a, "root.b", &a, NULL));
    assert_ok(sked_tree_confine(w->a, a, NULL));
    assert_status(SKED_ERR_STATE, sked_diff_apply(w->diff, w->a, NULL, NULL));
    assert_ok(sked_tree_find(w->a, "root.a", &a, NULL));
    assert_ok(sked_tree_confine(w->a, a, NULL));
    assert_leads_to_b(w);
}

/* Both trees, the diff and its application, under every failure. */
static sked_status sweep_scenario(test_host *h, void *arg)
{
    static const char before[] = "root.a weight=2\nroot.b\nroot.a.c\nroot.d\n";
    static const char after[] =
        "root.b label=\"a rather long label, to need room\"\nroot.a limit=50%\n"
        "root.a.d user_weight.x=2\nroot.e\nroot.e.f guarantee=\"cpu=2\"\n";
    sked_host hooks = test_host_hooks(h);
    sked_tree *a = forest_tree(&hooks, NULL), *b = NULL;
    sked_diff *diff = NULL;
    sked_status rc = a ? SKED_OK : SKED_ERR_NOMEM;
    (void)arg;

    if (rc == SKED_OK) {
        rc = sked_tree_parse(a, before, sizeof before - 1, "x", NULL, 0, NULL,
                             NULL);
    }
    if (rc == SKED_OK) rc = sked_tree_commit(a, 0, NULL);
    if (rc == SKED_OK) rc = sked_tree_copy(a, &hooks, &b, NULL);
    if (rc == SKED_OK) {
        rc = sked_tree_parse(b, after, sizeof after - 1, "x", NULL, 0, NULL,
                             NULL);
    }
    if (rc == SKED_OK) {
        sked_queue_id q = in_tree(b, "root.b"), p = in_tree(b, "root.a");
        rc = sked_tree_rename(b, q, "t", NULL);
        if (rc == SKED_OK) rc = sked_tree_rename(b, p, "b", NULL);
        if (rc == SKED_OK) rc = sked_tree_rename(b, q, "a", NULL);
    }
    if (rc == SKED_OK) rc = sked_tree_commit(b, 0, NULL);
    if (rc == SKED_OK) rc = sked_diff_new(a, b, &hooks, &diff, NULL);
    if (rc == SKED_OK) {
        uint64_t digest = sked_tree_digest(a);
        rc = sked_diff_apply(diff, a, NULL, NULL);
        if (rc != SKED_OK) assert_true(sked_tree_digest(a) == digest);
        assert_ok(sked_tree_check(a, NULL));
    }
    sked_diff_free(diff);
    sked_tree_free(a);
    sked_tree_free(b);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_sweep(sweep_scenario, NULL, 0);
}

/* So many changes that the host is asked on the way. */
static sked_status long_scenario(test_host *h, void *arg)
{
    sked_host hooks = test_host_hooks(h);
    sked_tree *a = forest_tree(&hooks, NULL), *b = arg;
    sked_diff *diff = NULL;

    if (!a) return SKED_ERR_NOMEM;
    uint64_t digest = sked_tree_digest(a);
    sked_status rc = sked_diff_new(a, b, &hooks, &diff, NULL);
    if (rc == SKED_OK) rc = sked_diff_apply(diff, a, NULL, NULL);
    if (rc != SKED_OK) assert_true(sked_tree_digest(a) == digest);
    sked_diff_free(diff);
    sked_tree_free(a);
    return rc;
}

static void comparing_and_applying_can_be_cancelled(void **state)
{
    enum { QUEUES = 5000 };
    world *w = *state;
    char *text = malloc(24 * QUEUES);
    size_t n = 0;

    for (int i = 0; i < QUEUES; i++) {
        n += (size_t)sprintf(text + n, "root.q%d tier=1\n", i);
    }
    copy_a(w);
    take(w->b, text);
    free(text);
    test_sweep(long_scenario, w->b, 12);
}

int main(void)
{
#define TEST(t) cmocka_unit_test_setup_teardown(t, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(each_kind_of_change_is_told),
        TEST(changes_are_data),
        TEST(names_may_be_swapped_or_go_round),
        TEST(a_name_in_the_way_steps_aside),
        TEST(a_name_that_is_gone_goes_first),
        TEST(a_move_can_rename_on_the_way),
        TEST(order_among_siblings_is_kept),
        TEST(the_root_can_be_renamed),
        TEST(without_a_common_past_paths_decide),
        TEST(a_change_must_find_what_it_changes),
        TEST(an_added_queue_needs_its_parent),
        TEST(a_busy_queue_is_not_removed),
        TEST(limits_hold_for_the_outcome),
        TEST(arguments_are_checked),
        TEST(a_confined_tree_takes_changes_of_its_part),
        TEST(every_allocation_may_fail),
        TEST(comparing_and_applying_can_be_cancelled),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
