/* Paths of queues: what is escaped, how far a lost one went. */
#include <string.h>

#include "tree_fixture.h"
#include "tree/image.h"
#include "tree/handle.h"

static void paths_escape_what_lines_of_text_would(void **state)
{
    tree_fixture *f = *state;
    sked_queue_id a = tree_add(f, f->root, "a.b\\c"), b = tree_add(f, a, "x y");
    sked_queue_id found;
    char path[32];
    size_t n;

    tree_commit(f);
    assert_ok(sked_tree_path(f->tree, b, path, sizeof path, &n));
    assert_string_equal(path, "root.a\\.b\\\\c.x\\ y");
    assert_int_equal(n, strlen(path));
    assert_status(SKED_ERR_RANGE, sked_tree_path(f->tree, b, path, n, &n));
    assert_ok(sked_tree_find(f->tree, "\\root.a\\.b\\\\c.x\\ y", &found, NULL));
    assert_true(found == b);
}

static void a_lost_path_says_how_far_it_went(void **state)
{
    tree_fixture *f = *state;
    sked_queue_id a = tree_add(f, f->root, "a"), found = 5;
    sked_error err;

    tree_commit(f);
    assert_status(SKED_ERR_NOT_FOUND,
                  sked_tree_find(f->tree, "root.a.b.c", &found, &err));
    assert_true(err.queue == a);
    assert_status(SKED_ERR_NOT_FOUND,
                  sked_tree_find(f->tree, "roo", &found, &err));
    assert_true(err.queue == SKED_NO_QUEUE);
    assert_status(SKED_ERR_NOT_FOUND,
                  sked_tree_find_draft(f->tree, "root.aa", &found, &err));
    assert_true(err.queue == f->root);
    assert_true(found == 5);
}

static void a_path_that_is_none_is_told_where(void **state)
{
    tree_fixture *f = *state;
    sked_queue_id found;
    sked_error err;

    assert_status(SKED_ERR_SYNTAX, sked_tree_find(f->tree, "", &found, &err));
    assert_int_equal(err.column, 1);
    assert_status(SKED_ERR_SYNTAX,
                  sked_tree_find(f->tree, "root..a", &found, &err));
    assert_int_equal(err.column, 6);
    assert_status(SKED_ERR_SYNTAX,
                  sked_tree_find_draft(f->tree, "no.a\\", &found, &err));
    assert_int_equal(err.column, 5);
    assert_status(SKED_ERR_SYNTAX,
                  sked_tree_find(f->tree, "root.", &found, &err));
    assert_int_equal(err.column, 6);
}

static void texts_without_a_name_give_their_memory_back(void **state)
{
    tree_fixture *f = *state;
    sked_queue_id a = tree_add(f, f->root, "a");
    char name[] = "name-0000";

    tree_commit(f);
    for (int i = 0; i < 20000; i++) {
        for (int d = 0, x = i; d < 4; d++, x /= 10) {
            name[8 - d] = (char)('0' + x % 10);
        }
        assert_ok(sked_tree_rename(f->tree, a, name, NULL));
        assert_ok(sked_tree_set_text(f->tree, a, SKED_QUEUE_LABEL, name, NULL));
        assert_ok(sked_tree_set_user_weight(f->tree, a, "u", i, NULL));
        tree_commit(f);
    }
    assert_true(f->host.live < 40000);
    assert_string_equal(sked_tree_name(f->tree, a), name);
    assert_string_equal(sked_tree_get_text(f->tree, a, SKED_QUEUE_LABEL), name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_case(paths_escape_what_lines_of_text_would),
        tree_case(a_lost_path_says_how_far_it_went),
        tree_case(a_path_that_is_none_is_told_where),
        tree_case(texts_without_a_name_give_their_memory_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
