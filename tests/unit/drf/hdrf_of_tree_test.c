/* Hierarchical DRF over a queue tree: the same as over its rows by hand. */
#include <sched/hdrf.h>

#include "tree_fixture.h"

/* root: a (3): a1 (2), a2; b: b1. Rows: root, a, b, a1, a2, b1. */
static void grow(tree_fixture *f)
{
    sked_queue_id a = tree_add(f, f->root, "a"), b = tree_add(f, f->root, "b");

    tree_set(f, a, SKED_QUEUE_WEIGHT, 3);
    tree_set(f, tree_add(f, a, "a1"), SKED_QUEUE_WEIGHT, 2);
    tree_add(f, a, "a2");
    tree_add(f, b, "b1");
    tree_commit(f);
}

/* 100 of both kinds, and leaves that want one of each without end. */
static void load(sked_hdrf *tree)
{
    static const uint32_t leaf[] = {3, 4, 5};
    const int64_t capacity[] = {100, 100}, demand[] = {1, 1, 1, 1, 1, 1};
    const int64_t pending[] = {SKED_UNLIMITED, SKED_UNLIMITED, SKED_UNLIMITED};

    assert_ok(sked_hdrf_set_capacity(tree, capacity, NULL));
    assert_ok(sked_hdrf_set_leaves(tree, leaf, NULL, demand, pending, 3, NULL));
}

static void rows_are_nodes(void **state)
{
    static const uint32_t parent[] = {0, 0, 0, 1, 1, 2};
    static const uint32_t weight[] = {1, 3, 1, 2, 1, 1};
    const sked_hdrf_options opts = {.struct_size = sizeof opts, .kinds = 2};
    tree_fixture *f = *state;
    sked_hdrf *tree, *twin;
    uint32_t leaf[100];
    int64_t usage[2];
    size_t n;

    grow(f);
    assert_ok(sked_hdrf_of_tree(f->tree, NULL, &tree, NULL));
    assert_ok(sked_hdrf_new(parent, weight, 6, &opts, NULL, &twin, NULL));
    load(tree);
    load(twin);
    assert_true(sked_hdrf_digest(tree) == sked_hdrf_digest(twin));
    assert_ok(sked_hdrf_run(tree, leaf, 100, &n, NULL));
    assert_ok(sked_hdrf_usage(tree, 3, usage, NULL));
    assert_i64(usage[0], 50); /* two thirds of three quarters */
    assert_ok(sked_hdrf_usage(tree, 5, usage, NULL));
    assert_i64(usage[1], 25);
    sked_hdrf_free(twin);
    sked_hdrf_free(tree);
}

static void the_deepest_tree_is_taken(void **state)
{
    tree_fixture *f = *state;
    sked_queue_id at = f->root;
    sked_hdrf *tree;

    for (int level = 1; level < SKED_MAX_DEPTH; level++) {
        at = tree_add(f, at, "q");
    }
    tree_commit(f);
    assert_ok(sked_hdrf_of_tree(f->tree, NULL, &tree, NULL));
    assert_ok(sked_hdrf_check(tree, NULL));
    sked_hdrf_free(tree);
}

static void null_is_refused(void **state)
{
    tree_fixture *f = *state;
    const sked_host newer = {.struct_size = 1};
    sked_hdrf *tree = (sked_hdrf *)f;

    assert_status(SKED_ERR_ARG, sked_hdrf_of_tree(f->tree, NULL, NULL, NULL));
    assert_status(SKED_ERR_ARG, sked_hdrf_of_tree(NULL, NULL, &tree, NULL));
    assert_null(tree);
    assert_status(SKED_ERR_VERSION,
                  sked_hdrf_of_tree(f->tree, &newer, &tree, NULL));
    assert_null(tree);
}

static sked_status make_one(test_host *h, void *arg)
{
    sked_host host = test_host_hooks(h);
    sked_hdrf *tree;
    sked_status rc = sked_hdrf_of_tree(arg, &host, &tree, NULL);

    if (rc != SKED_OK) assert_null(tree);
    sked_hdrf_free(tree);
    return rc;
}

static void every_failed_allocation_is_told(void **state)
{
    tree_fixture *f = *state;

    grow(f);
    test_sweep(make_one, f->tree, 0);
}

static void what_is_wrong_is_told(void **state)
{
    static const uint32_t ring[] = {0, 0, 2};
    uint32_t path[SKED_MAX_DEPTH + 1] = {0};
    tree_fixture *f = *state;
    const sked_host small = {.struct_size = sizeof small, .memory_limit = 8};
    sked_error err = {0};
    sked_hdrf *tree;

    assert_status(SKED_ERR_NOMEM,
                  sked_hdrf_of_tree(f->tree, &small, &tree, &err));
    assert_status(SKED_ERR_NOMEM, err.code);
    assert_status(SKED_ERR_ARG,
                  sked_hdrf_new(NULL, NULL, 2, NULL, NULL, &tree, &err));
    assert_string_equal(err.message, "parent is NULL");
    assert_status(SKED_ERR_ARG,
                  sked_hdrf_new(ring, NULL, 0, NULL, NULL, &tree, &err));
    assert_string_equal(err.message, "n is 0");
    assert_status(SKED_ERR_ARG,
                  sked_hdrf_new(ring, NULL, 3, NULL, NULL, &tree, &err));
    assert_string_equal(err.message, "a parent does not come first");
    assert_i64(err.row, 2);
    for (uint32_t i = 1; i <= SKED_MAX_DEPTH; i++) path[i] = i - 1;
    assert_status(SKED_ERR_RANGE, sked_hdrf_new(path, NULL, SKED_MAX_DEPTH + 1,
                                                NULL, NULL, &tree, &err));
    assert_string_equal(err.message, "the tree is too deep");
    assert_i64(err.got, SKED_MAX_DEPTH + 1);
    assert_status(SKED_ERR_RANGE, sked_hdrf_new(path, NULL, SKED_MAX_QUEUES + 1,
                                                NULL, NULL, &tree, &err));
    assert_string_equal(err.message, "too many nodes");
    assert_i64(err.limit, SKED_MAX_QUEUES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_case(rows_are_nodes),
        tree_case(the_deepest_tree_is_taken),
        tree_case(null_is_refused),
        tree_case(every_failed_allocation_is_told),
        tree_case(what_is_wrong_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
