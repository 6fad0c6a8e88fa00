/*
 * Laws of diffs over random trees: diff(a, b) applied to a gives b; diff(a, a)
 * is empty; a diff that does not fit changes nothing.
 */
#include <sched/diff.h>

#include "forest.h"
#include "host.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 1500 };

static sked_tree *copy_of(const sked_tree *tree)
{
    sked_tree *copy = NULL;

    assert_ok(sked_tree_copy(tree, NULL, &copy, NULL));
    return copy;
}

static void commit(sked_tree *tree)
{
    assert_ok(sked_tree_commit(tree, SKED_TREE_COMMIT_LENIENT, NULL));
    assert_ok(sked_tree_check(tree, NULL));
}

static sked_diff *diff_of(const sked_tree *from, const sked_tree *to)
{
    sked_diff *diff = NULL;

    assert_ok(sked_diff_new(from, to, NULL, &diff, NULL));
    return diff;
}

static void fail_with(const sked_diff *diff, const sked_tree *a,
                      const sked_tree *b, uint64_t round)
{
    static char said[1 << 20];
    size_t n;
    char *before = forest_text(a), *after = forest_text(b);

    (void)!sked_diff_format(diff, said, sizeof said, &n);
    print_error("from\n%sto\n%sdiff\n%s", before, after, said);
    fail_msg("round %llu: the diff does not lead there",
             (unsigned long long)round);
}

/* Queues that are one by id are one still, wherever the diff put them. */
static void check_ids(const sked_tree *a, const sked_tree *b,
                      const sked_tree *got)
{
    sked_queue_id ids[512];
    size_t n = 0;
    char want[512], path[512];

    assert_ok(sked_tree_ids(a, ids, 512, &n));
    for (size_t i = 0; i < n; i++) {
        if (sked_tree_path(b, ids[i], want, sizeof want, &n) != SKED_OK) {
            continue;
        }
        assert_ok(sked_tree_path(got, ids[i], path, sizeof path, &n));
        assert_string_equal(path, want);
        assert_ok(sked_tree_ids(a, ids, 512, &n));
    }
}

/* The law itself; `related`: b began as a copy of a. */
static void check_law(const sked_tree *a, const sked_tree *b, int related,
                      uint64_t round)
{
    sked_diff *diff = diff_of(a, b), *rest;
    sked_tree *got = copy_of(a);
    sked_error err;
    size_t row;

    sked_status rc = sked_diff_apply(diff, got, NULL, &err);
    if (rc != SKED_OK) {
        print_error("change %lld: %s\n", (long long)err.row, err.message);
        fail_with(diff, a, b, round);
    }
    commit(got);
    if (!forest_same(got, b, &row)) fail_with(diff, a, b, round);
    /* Ids may agree by chance of the same edits: then there is another way. */
    rest = diff_of(got, b);
    assert_ok(sked_diff_apply(rest, got, NULL, NULL));
    commit(got);
    if (!forest_same(got, b, &row)) fail_with(rest, a, b, round);
    if (related) check_ids(a, b, got);

    sked_diff_free(rest);
    sked_diff_free(diff);
    sked_tree_free(got);
}

static void check_pair(uint64_t seed, int names)
{
    test_words words = {seed};
    sked_tree *a = forest_tree(NULL, NULL), *b, *c;
    unsigned steps = 1 + (unsigned)test_below(&words, 60);

    forest_edit(a, &words, steps, names);
    commit(a);
    forest_edit(a, &words, steps, names);
    commit(a);
    b = copy_of(a);
    c = copy_of(a);
    for (int i = 0; i < 3; i++) {
        forest_edit(b, &words, steps / 2 + 1, names);
        commit(b);
        forest_edit(c, &words, steps / 2 + 1, names);
        commit(c);
    }
    check_law(a, b, 1, seed);
    check_law(b, a, 1, seed);
    check_law(b, c, 0, seed); /* cousins: an id may mean two queues */
    check_law(c, b, 0, seed);

    sked_tree_free(a);
    sked_tree_free(b);
    sked_tree_free(c);
}

static void a_diff_leads_from_one_tree_to_another(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        check_pair(seed, seed % 4 ? FOREST_PLAIN : FOREST_ODD);
    }
}

static void trees_that_share_nothing_have_a_diff_too(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= ROUNDS / 3; seed++) {
        test_words words = {seed * 77};
        sked_tree *a = forest_tree(NULL, NULL), *b = forest_tree(NULL, NULL);

        forest_edit(a, &words, 1, FOREST_PLAIN);
        for (int i = 0; i < 6; i++) {
            forest_edit(a, &words, 12, FOREST_PLAIN);
            commit(a);
            forest_edit(b, &words, 12, FOREST_PLAIN);
            commit(b);
        }
        check_law(a, b, 0, seed);
        sked_tree_free(a);
        sked_tree_free(b);
    }
}

/* In a tree that may not grow, a diff passes through states that would. */
static void a_full_tree_can_be_rearranged(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        test_words words = {seed * 31};
        sked_tree_options opts = {
            .struct_size = sizeof opts, .max_depth = 4, .max_queues = 9};
        sked_tree *a = forest_tree(NULL, &opts), *b;

        for (int i = 0; i < 8; i++) {
            forest_edit(a, &words, 8, FOREST_PLAIN);
            commit(a);
        }
        b = copy_of(a);
        for (int i = 0; i < 8; i++) {
            forest_edit(b, &words, 8, FOREST_PLAIN);
            commit(b);
        }
        check_law(a, b, 1, seed);
        sked_tree_free(a);
        sked_tree_free(b);
    }
}

static void a_tree_does_not_differ_from_itself(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        test_words words = {seed};
        sked_tree *a = forest_tree(NULL, NULL), *b;

        forest_edit(a, &words, 60, FOREST_ODD);
        commit(a);
        b = copy_of(a);
        sked_diff *self = diff_of(a, a), *same = diff_of(a, b);
        assert_i64((int64_t)sked_diff_count(self), 0);
        assert_i64((int64_t)sked_diff_count(same), 0);
        sked_diff_free(self);
        sked_diff_free(same);
        sked_tree_free(a);
        sked_tree_free(b);
    }
}

static void a_diff_that_does_not_fit_changes_nothing(void **state)
{
    unsigned refused = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= ROUNDS / 3; seed++) {
        test_words words = {seed * 5};
        sked_tree *a = forest_tree(NULL, NULL), *b, *c;

        forest_edit(a, &words, 40, FOREST_PLAIN);
        commit(a);
        b = copy_of(a);
        forest_edit(b, &words, 10, FOREST_PLAIN);
        commit(b);
        c = copy_of(a);
        forest_edit(c, &words, 20, FOREST_PLAIN);
        sked_diff *diff = diff_of(a, b);
        uint64_t before = sked_tree_digest(c);
        if (sked_diff_apply(diff, c, NULL, NULL) != SKED_OK) {
            assert_true(sked_tree_digest(c) == before);
            assert_ok(sked_tree_check(c, NULL));
            refused++;
        }
        commit(c);
        sked_diff_free(diff);
        sked_tree_free(a);
        sked_tree_free(b);
        sked_tree_free(c);
    }
    assert_true(refused > ROUNDS / 20); /* else this proved nothing */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_diff_leads_from_one_tree_to_another),
        cmocka_unit_test(trees_that_share_nothing_have_a_diff_too),
        cmocka_unit_test(a_full_tree_can_be_rearranged),
        cmocka_unit_test(a_tree_does_not_differ_from_itself),
        cmocka_unit_test(a_diff_that_does_not_fit_changes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
