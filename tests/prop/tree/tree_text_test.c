/*
 * Laws of the text form over random trees: what is written is read back as the
 * same tree and written as the same bytes; reading what a tree already says
 * changes nothing, ids included; a text with a fault changes nothing at all.
 */
#include <sched/tree_text.h>

#include "forest.h"
#include "host.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 1500 };

static void commit(sked_tree *tree)
{
    assert_ok(sked_tree_commit(tree, SKED_TREE_COMMIT_LENIENT, NULL));
    assert_ok(sked_tree_check(tree, NULL));
}

static void read_all(sked_tree *tree, const char *text)
{
    sked_error err;
    size_t n = 0;

    sked_status rc = sked_tree_parse(tree, text, strlen(text), "x", NULL, 0, &n,
                                     &err);
    if (rc != SKED_OK) {
        fail_msg("%u:%u: %s\n%s", err.line, err.column, err.message, text);
    }
    assert_i64((int64_t)n, 0);
}

static sked_tree *random_tree(test_words *words, int names)
{
    sked_tree *tree = forest_tree(NULL, NULL);

    for (int i = 0; i < 3; i++) {
        forest_edit(tree, words, 1 + (unsigned)test_below(words, 50), names);
        commit(tree);
    }
    return tree;
}

static void what_is_written_is_read_back(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        test_words words = {seed};
        sked_tree *a = random_tree(&words, seed % 2), *b;
        size_t row;

        char *text = forest_text(a);
        b = forest_tree(NULL, NULL);
        read_all(b, text);
        commit(b);
        char *again = forest_text(b);
        assert_string_equal(again, text);
        if (!forest_same(a, b, &row)) {
            fail_msg("seed %llu: row %zu differs\n%s", (unsigned long long)seed,
                     row, text);
        }
        free(text);
        free(again);
        sked_tree_free(a);
        sked_tree_free(b);
    }
}

static void reading_what_a_tree_says_changes_nothing(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        test_words words = {seed * 3};
        sked_tree *tree = random_tree(&words, seed % 2);
        uint64_t before = sked_tree_digest(tree);
        uint64_t shape = sked_tree_shape(tree);
        char *text = forest_text(tree);

        read_all(tree, text);
        assert_true(sked_tree_digest(tree) == before);
        commit(tree);
        assert_true(sked_tree_digest(tree) == before);
        assert_true(sked_tree_shape(tree) == shape); /* no queue moved */
        free(text);
        sked_tree_free(tree);
    }
}

/* From any draft, the text of another tree makes that tree; queues under the
 * same path keep their ids. */
static void a_text_replaces_whatever_was_there(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        test_words words = {seed * 7};
        sked_tree *a = random_tree(&words, FOREST_PLAIN), *b = NULL;
        sked_queue_id ids[512], draft_ids[512];
        size_t n = 0, row, length;
        char path[512];

        assert_ok(sked_tree_copy(a, NULL, &b, NULL));
        forest_edit(b, &words, 60, FOREST_PLAIN);
        char *text = forest_text(a);
        assert_ok(sked_tree_ids(a, ids, 512, &n));
        for (size_t i = 0; i < n; i++) {
            assert_ok(sked_tree_path(a, ids[i], path, sizeof path, &length));
            draft_ids[i] = SKED_NO_QUEUE;
            (void)!sked_tree_find_draft(b, path, &draft_ids[i], NULL);
        }
        read_all(b, text);
        commit(b);
        assert_true(forest_same(a, b, &row));
        for (size_t i = 1; i < n; i++) {
            sked_queue_id now;
            assert_ok(sked_tree_path(a, ids[i], path, sizeof path, &length));
            assert_ok(sked_tree_find(b, path, &now, NULL));
            assert_true(draft_ids[i] == SKED_NO_QUEUE || now == draft_ids[i]);
        }
        free(text);
        sked_tree_free(a);
        sked_tree_free(b);
    }
}

/* One byte of a good text is changed: it is taken as another good text, or
 * refused with its faults inside it and nothing changed. */
static void a_spoilt_text_changes_nothing(void **state)
{
    unsigned refused = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= ROUNDS * 2; seed++) {
        test_words words = {seed * 11};
        sked_tree *tree = random_tree(&words, seed % 2);
        sked_fault faults[4];
        size_t n = 0, lines = 1;
        char *text = forest_text(tree);
        size_t length = strlen(text);

        forest_edit(tree, &words, 10, FOREST_ODD);
        uint64_t before = sked_tree_digest(tree);
        text[test_below(&words, length)] =
            "ax.= \"#\\\n\r9%,0"[test_below(&words, 15)];
        for (size_t i = 0; i < length; i++) lines += text[i] == '\n';
        sked_status rc = sked_tree_parse(tree, text, length, NULL, faults, 4,
                                         &n, NULL);
        if (rc != SKED_OK) {
            refused++;
            assert_true(sked_tree_digest(tree) == before);
            assert_true(rc == SKED_ERR_SCHEMA || n > 0);
            for (size_t i = 0; i < n && i < 4; i++) {
                assert_in_range(faults[i].line, 1, lines);
                assert_in_range(faults[i].column, 1, length + 1);
            }
        }
        commit(tree);
        free(text);
        sked_tree_free(tree);
    }
    assert_true(refused > ROUNDS / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(reading_what_a_tree_says_changes_nothing),
        cmocka_unit_test(a_text_replaces_whatever_was_there),
        cmocka_unit_test(a_spoilt_text_changes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
