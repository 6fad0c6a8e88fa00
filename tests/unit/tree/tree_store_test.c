/* What a tree keeps beside its rows: room for texts, names of two states. */
#include <sched/diff.h>

#include "tree_fixture.h"

#include <string.h>

enum { LONG = 4000 };

/* Labels that no queue has any more never use up what was reserved. */
static void a_reserve_for_texts_lasts_from_commit_to_commit(void **state)
{
    tree_fixture *f = *state;
    sked_queue_id a = tree_add(f, f->root, "a");
    char label[LONG + 1] = {0};

    assert_ok(sked_tree_reserve(f->tree, 4, 3 * LONG, NULL));
    tree_commit(f);
    f->host.trap = 1;
    for (int i = 0; i < 20; i++) {
        memset(label, 'a' + i, LONG);
        assert_ok(
            sked_tree_set_text(f->tree, a, SKED_QUEUE_LABEL, label, NULL));
        tree_commit(f);
        assert_string_equal(sked_tree_get_text(f->tree, a, SKED_QUEUE_LABEL),
                            label);
        assert_ok(sked_tree_check(f->tree, NULL));
    }
    f->host.trap = 0;
}

/* A queue of the draft in a slot that the commit knows, but not as a queue. */
static void a_new_queue_in_an_old_slot_is_not_in_the_commit(void **state)
{
    tree_fixture *f = *state;
    sked_queue_id found, a = tree_add(f, f->root, "a");

    tree_add(f, f->root, "b");
    tree_commit(f);
    assert_ok(
        sked_tree_remove(f->tree, a, NULL, SKED_TREE_REMOVE_REFUSE, NULL));
    tree_commit(f);
    sked_queue_id c = tree_add(f, f->root, "c");
    assert_int_equal((uint32_t)c, (uint32_t)a);
    assert_status(SKED_ERR_NOT_FOUND,
                  sked_tree_find(f->tree, "root.c", &found, NULL));
    assert_ok(sked_tree_find_draft(f->tree, "root.c", &found, NULL));
    assert_true(found == c);
    assert_ok(sked_tree_find(f->tree, "root.b", &found, NULL));
}

/* A move that brings a name too long for what memory there is. */
static void a_move_under_a_new_name_may_find_no_memory(void **state)
{
    tree_fixture *f = *state;
    sked_queue_id a = tree_add(f, f->root, "a"), b = tree_add(f, f->root, "b");
    char name[LONG + 1] = {0};
    sked_tree *other;
    sked_diff *diff;

    memset(name, 'n', LONG);
    tree_commit(f);
    assert_ok(sked_tree_copy(f->tree, NULL, &other, NULL));
    assert_ok(sked_tree_move(other, b, a, NULL));
    assert_ok(sked_tree_rename(other, b, name, NULL));
    assert_ok(sked_tree_commit(other, SKED_TREE_COMMIT_LENIENT, NULL));
    assert_ok(sked_diff_new(f->tree, other, NULL, &diff, NULL));
    uint64_t before = sked_tree_digest(f->tree);
    size_t at = 0;
    sked_status rc;
    do { /* every allocation in turn */
        f->host.requests = 0;
        f->host.fail_at = ++at;
        rc = sked_diff_apply(diff, f->tree, NULL, NULL);
        f->host.fail_at = 0;
        if (rc != SKED_OK) {
            assert_status(SKED_ERR_NOMEM, rc);
            assert_true(sked_tree_digest(f->tree) == before);
        }
    } while (rc != SKED_OK);
    assert_true(at > 1);
    tree_commit(f);
    sked_diff_free(diff);
    sked_tree_free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_case(a_reserve_for_texts_lasts_from_commit_to_commit),
        tree_case(a_new_queue_in_an_old_slot_is_not_in_the_commit),
        tree_case(a_move_under_a_new_name_may_find_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
