/* Edits of the draft: what each takes, what it refuses, what it leaves. */

#include "tree_fixture.h"

static void adding_refuses_what_cannot_be(void **state)
{
    tree_fixture *f = *state;
    sked_tree *t = f->tree;
    sked_queue_id a = tree_add(f, f->root, "a");
    sked_error err;

    assert_refused(f, SKED_ERR_ARG, sked_tree_add(NULL, 1, "b", NULL, &err));
    assert_refused(f, SKED_ERR_ARG, sked_tree_add(t, a, NULL, NULL, &err));
    assert_refused(f, SKED_ERR_ARG, sked_tree_add(t, a, "", NULL, &err));
    assert_refused(f, SKED_ERR_STALE, sked_tree_add(t, 0, "b", NULL, &err));
    assert_refused(f, SKED_ERR_EXISTS,
                   sked_tree_add(t, f->root, "a", NULL, &err));
    assert_true(err.queue == a);
    assert_ok(sked_tree_add(t, a, "a", NULL, &err));
}

static void a_tree_grows_no_deeper_than_it_may(void **state)
{
    tree_fixture *f = *state;
    sked_queue_id at = f->root, side, below;
    sked_error err;

    for (int level = 1; level < SKED_MAX_DEPTH; level++) {
        at = tree_add(f, at, "x");
    }
    assert_refused(f, SKED_ERR_RANGE,
                   sked_tree_add(f->tree, at, "x", NULL, &err));
    assert_i64(err.got, 65);
    assert_i64(err.limit, 64);
    side = tree_add(f, f->root, "side");
    below = tree_add(f, side, "below");
    assert_ok(sked_tree_parent(f->tree, f->root, &at));
    tree_commit(f);

    char path[200];
    size_t n;
    assert_ok(sked_tree_ids(f->tree, (sked_queue_id[66]){0}, 66, &n));
    assert_ok(sked_tree_find(f->tree, "root.side.below", &at, NULL));
    assert_true(at == below);
    assert_ok(sked_tree_path(f->tree, below, path, sizeof path, &n));
}

static void a_move_counts_the_levels_it_brings(void **state)
{
    tree_fixture *f = *state;
    sked_tree_options opts = {.struct_size = sizeof opts, .max_depth = 3};
    sked_queue_id a, b, x, root;
    sked_tree *t;
    sked_error err;

    assert_ok(sked_tree_new(f->schema, &opts, NULL, &t, NULL));
    root = sked_tree_root(t);
    assert_ok(sked_tree_add(t, root, "a", &a, NULL));
    assert_ok(sked_tree_add(t, root, "b", &b, NULL));
    assert_ok(sked_tree_add(t, b, "x", &x, NULL));
    assert_status(SKED_ERR_RANGE, sked_tree_move(t, b, a, &err));
    assert_i64(err.got, 4);
    assert_ok(sked_tree_move(t, x, a, &err));
    assert_ok(sked_tree_move(t, b, a, &err));
    assert_ok(sked_tree_check(t, NULL));
    sked_tree_free(t);
}

static void a_tree_holds_no_more_queues_than_it_may(void **state)
{
    tree_fixture *f = *state;
    sked_tree_options opts = {.struct_size = sizeof opts, .max_queues = 2};
    sked_queue_id a;
    sked_tree *t;
    sked_error err;

    assert_ok(sked_tree_new(f->schema, &opts, NULL, &t, NULL));
    assert_ok(sked_tree_add(t, sked_tree_root(t), "a", &a, NULL));
    assert_status(SKED_ERR_RANGE, sked_tree_add(t, a, "b", NULL, &err));
    assert_i64(err.got, 3);
    assert_i64(err.limit, 2);
    assert_status(SKED_ERR_RANGE, sked_tree_reserve(t, 3, 0, NULL));
    sked_tree_free(t);
}

static void moving_refuses_what_cannot_be(void **state)
{
    tree_fixture *f = *state;
    sked_tree *t = f->tree;
    sked_queue_id a = tree_add(f, f->root, "a"), x = tree_add(f, a, "x");
    sked_queue_id y = tree_add(f, f->root, "x");
    sked_error err;

    assert_refused(f, SKED_ERR_ARG, sked_tree_move(NULL, a, x, &err));
    assert_refused(f, SKED_ERR_ARG, sked_tree_move(t, a, x, &err));
    assert_refused(f, SKED_ERR_ARG, sked_tree_move(t, a, a, &err));
    assert_refused(f, SKED_ERR_ARG, sked_tree_move(t, f->root, a, &err));
    assert_refused(f, SKED_ERR_EXISTS, sked_tree_move(t, y, a, &err));
    assert_true(err.queue == x);
    assert_refused(f, SKED_ERR_STALE, sked_tree_move(t, 0, a, &err));
    assert_refused(f, SKED_ERR_STALE, sked_tree_move(t, a, 99, &err));
}

static void a_moved_queue_goes_last_with_all_below_it(void **state)
{
    tree_fixture *f = *state;
    sked_queue_id a = tree_add(f, f->root, "a"), b = tree_add(f, f->root, "b");
    sked_queue_id x = tree_add(f, a, "x"), found;
    const sked_queue_id want[] = {f->root, b, a, x};
    sked_queue_id ids[4];
    size_t n;

    assert_ok(sked_tree_move(f->tree, a, f->root, NULL));
    tree_commit(f);

    assert_ok(sked_tree_ids(f->tree, ids, 4, &n));
    assert_memory_equal(ids, want, sizeof want);
    assert_ok(sked_tree_find(f->tree, "root.a.x", &found, NULL));
    assert_true(found == x);
}

static void renaming_refuses_what_cannot_be(void **state)
{
    tree_fixture *f = *state;
    sked_tree *t = f->tree;
    sked_queue_id a = tree_add(f, f->root, "a"), b = tree_add(f, f->root, "b");
    sked_error err;

    assert_refused(f, SKED_ERR_ARG, sked_tree_rename(NULL, a, "c", &err));
    assert_refused(f, SKED_ERR_ARG, sked_tree_rename(t, a, "", &err));
    assert_refused(f, SKED_ERR_EXISTS, sked_tree_rename(t, b, "a", &err));
    assert_refused(f, SKED_ERR_STALE, sked_tree_rename(t, 0, "c", &err));
    assert_ok(sked_tree_rename(t, b, "b", &err));
    assert_ok(sked_tree_rename(t, f->root, "b", &err)); /* no sibling of b */
}

static void names_can_be_swapped_and_found_in_both_states(void **state)
{
    tree_fixture *f = *state;
    sked_queue_id a = tree_add(f, f->root, "a"), b = tree_add(f, f->root, "b");
    sked_queue_id found;

    tree_commit(f);
    assert_ok(sked_tree_rename(f->tree, a, "c", NULL));
    assert_ok(sked_tree_rename(f->tree, b, "a", NULL));
    assert_ok(sked_tree_rename(f->tree, a, "b", NULL));

    assert_ok(sked_tree_find(f->tree, "root.a", &found, NULL));
    assert_true(found == a);
    assert_ok(sked_tree_find_draft(f->tree, "root.a", &found, NULL));
    assert_true(found == b);
    tree_commit(f);
    assert_ok(sked_tree_find(f->tree, "root.a", &found, NULL));
    assert_true(found == b);
    assert_ok(sked_tree_rename(f->tree, f->root, "top", NULL));
    tree_commit(f);
    assert_ok(sked_tree_find(f->tree, "top.b", &found, NULL));
    assert_true(found == a);
}

/* [PEL-7] */
static void a_subtree_can_be_handed_to_somebody_else(void **state)
{
    tree_fixture *f = *state;
    sked_tree *t = f->tree;
    sked_queue_id ours = tree_add(f, f->root, "ours");
    sked_queue_id theirs = tree_add(f, f->root, "theirs");
    sked_queue_id below = tree_add(f, theirs, "below"), new_one;
    const sked_queue_id both[] = {below, ours};
    const int64_t weights[] = {2, 2}, amounts[] = {1, 1, 1, 1};
    sked_error err;

    assert_ok(sked_tree_confine(t, theirs, NULL));
    assert_refused(f, SKED_ERR_STATE, sked_tree_set(t, ours, 1, 2, &err));
    assert_refused(f, SKED_ERR_STATE, sked_tree_set(t, theirs, 1, 2, &err));
    assert_refused(f, SKED_ERR_STATE, sked_tree_set(t, f->root, 1, 2, &err));
    assert_refused(f, SKED_ERR_STATE,
                   sked_tree_set_vec(t, theirs, 32, amounts, &err));
    assert_refused(f, SKED_ERR_STATE,
                   sked_tree_set_text(t, theirs, SKED_QUEUE_LABEL, "l", &err));
    assert_refused(f, SKED_ERR_STATE,
                   sked_tree_set_user_weight(t, theirs, "u", 2, &err));
    assert_refused(f, SKED_ERR_STATE,
                   sked_tree_set_column(t, 1, both, weights, 2, &err));
    assert_i64(err.row, 1);
    assert_refused(f, SKED_ERR_STATE,
                   sked_tree_set_column_vec(t, 32, both, amounts, 2, &err));
    assert_refused(f, SKED_ERR_STATE,
                   sked_tree_add(t, f->root, "x", NULL, &err));
    assert_refused(f, SKED_ERR_STATE, sked_tree_rename(t, theirs, "x", &err));
    assert_refused(f, SKED_ERR_STATE, sked_tree_move(t, below, ours, &err));
    assert_refused(f, SKED_ERR_STATE, sked_tree_move(t, ours, below, &err));
    assert_refused(f, SKED_ERR_STATE,
                   sked_tree_remove(t, theirs, NULL, 0, &err));
    assert_ok(sked_tree_add(t, theirs, "new", &new_one, NULL));
    assert_ok(sked_tree_move(t, below, new_one, NULL));
    assert_ok(sked_tree_move(t, below, theirs, NULL));
    assert_ok(sked_tree_set(t, below, SKED_QUEUE_WEIGHT, 2, NULL));

    assert_ok(sked_tree_confine(t, f->root, NULL));
    assert_ok(sked_tree_set(t, ours, SKED_QUEUE_WEIGHT, 2, NULL));
    assert_status(SKED_ERR_STALE, sked_tree_confine(t, 0, &err));
    assert_status(SKED_ERR_ARG, sked_tree_confine(NULL, 0, &err));
}

static void a_discard_puts_everything_back(void **state)
{
    tree_fixture *f = *state;
    sked_tree *t = f->tree;
    sked_queue_id a = tree_add(f, f->root, "a"), b = tree_add(f, f->root, "b");
    sked_queue_id x = tree_add(f, a, "x"), found;

    tree_set_vec(f, a, SKED_QUEUE_LIMIT, 5, 6);
    tree_commit(f);
    uint64_t before = sked_tree_digest(t);

    sked_queue_id c = tree_add(f, b, "c");
    assert_ok(sked_tree_move(t, x, b, NULL));
    assert_ok(sked_tree_rename(t, b, "bb", NULL));
    assert_ok(sked_tree_remove(t, a, NULL, SKED_TREE_REMOVE_REFUSE, NULL));
    tree_set(f, b, SKED_QUEUE_WEIGHT, 9);
    tree_set_vec(f, b, SKED_QUEUE_LIMIT, 1, 1);
    f->host.trap = 1; /* it needs no memory */
    assert_ok(sked_tree_discard(t, NULL));
    f->host.trap = 0;

    assert_true(sked_tree_digest(t) == before);
    assert_status(SKED_ERR_STALE, sked_tree_set(t, c, 1, 2, NULL));
    assert_true(tree_add(f, b, "c") != c);
    assert_ok(sked_tree_find_draft(t, "root.a.x", &found, NULL));
    assert_true(found == x);
    assert_status(SKED_ERR_ARG, sked_tree_discard(NULL, NULL));
}

static void a_slot_in_the_commit_is_not_given_away(void **state)
{
    tree_fixture *f = *state;
    sked_queue_id a = tree_add(f, f->root, "a");
    int64_t weight;

    tree_set(f, a, SKED_QUEUE_WEIGHT, 5);
    tree_commit(f);
    assert_ok(
        sked_tree_remove(f->tree, a, NULL, SKED_TREE_REMOVE_REFUSE, NULL));
    assert_true((uint32_t)tree_add(f, f->root, "a") != (uint32_t)a);
    assert_ok(sked_tree_get(f->tree, a, SKED_QUEUE_WEIGHT, &weight));
    assert_i64(weight, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_case(adding_refuses_what_cannot_be),
        tree_case(a_tree_grows_no_deeper_than_it_may),
        tree_case(a_move_counts_the_levels_it_brings),
        tree_case(a_tree_holds_no_more_queues_than_it_may),
        tree_case(moving_refuses_what_cannot_be),
        tree_case(a_moved_queue_goes_last_with_all_below_it),
        tree_case(renaming_refuses_what_cannot_be),
        tree_case(names_can_be_swapped_and_found_in_both_states),
        tree_case(a_subtree_can_be_handed_to_somebody_else),
        tree_case(a_discard_puts_everything_back),
        tree_case(a_slot_in_the_commit_is_not_given_away),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
