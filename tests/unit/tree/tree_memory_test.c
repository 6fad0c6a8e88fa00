/* Memory and hooks of a tree: every allocation failed in turn, every progress
 * check stopped in turn, what a reserve promises, the largest tree. */
#include "tree_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "size.h"

/* A step of the scenario: a failed one leaves the digest as it was. */
static sked_status held(sked_tree *tree, uint64_t before, sked_status rc)
{
    if (rc < 0) assert_true(sked_tree_digest(tree) == before);
    assert_ok(sked_tree_check(tree, NULL));
    return rc;
}

#define STEP(call)                                                             \
    do {                                                                       \
        uint64_t before_ = sked_tree_digest(t);                                \
        sked_status rc_ = held(t, before_, call);                              \
        if (rc_ != SKED_OK) return rc_;                                        \
    } while (0)

static sked_status edits(sked_tree *t, sked_queue_id top)
{
    const int64_t amounts[] = {5, 6}, tier = 2;
    sked_queue_id id = top;
    char name[40];

    for (int i = 0; i < 30; i++) {
        snprintf(name, sizeof name, "a queue with a long name %d", i);
        STEP(sked_tree_add(t, i % 3 ? top : id, name, &id, NULL));
        STEP(sked_tree_set(t, id, 1 + i % 16, i % 2, NULL));
        STEP(sked_tree_set_vec(t, id, 32 + i % 4, amounts, NULL));
        STEP(sked_tree_set_text(t, id, SKED_QUEUE_LABEL, name, NULL));
        STEP(sked_tree_set_user_weight(t, id, name, i, NULL));
        STEP(sked_tree_set_column(t, SKED_QUEUE_TIER, &id, &tier, 1, NULL));
        STEP(sked_tree_set_column_vec(t, 33 - i % 2, &id, amounts, 1, NULL));
        STEP(sked_tree_rename(t, id, name + 2, NULL));
        if (i % 7 == 6) STEP(sked_tree_move(t, id, top, NULL));
        if (i % 5 == 4)
            STEP(sked_tree_commit(t, SKED_TREE_COMMIT_LENIENT, NULL));
        if (i % 5 == 4) STEP(sked_tree_set(t, id, 7, i, NULL));
        if (i % 5 == 4)
            STEP(sked_tree_commit(t, SKED_TREE_COMMIT_LENIENT, NULL));
    }
    return SKED_OK;
}

static sked_status life(test_host *h, void *arg)
{
    sked_host host = test_host_hooks(h);
    sked_tree *tree, *copy;

    sked_status rc = sked_tree_new(arg, NULL, &host, &tree, NULL);
    if (rc != SKED_OK) return rc;
    rc = edits(tree, sked_tree_root(tree));
    if (rc == SKED_OK) rc = sked_tree_copy(tree, &host, &copy, NULL);
    if (rc == SKED_OK) {
        assert_true(sked_tree_digest(tree) == sked_tree_digest(copy));
        sked_tree_free(copy);
    }
    sked_tree_free(tree);
    return rc;
}

static void every_failed_allocation_leaves_the_tree_as_it_was(void **state)
{
    sked_schema *schema = two_kinds();

    (void)state;
    test_sweep(life, schema, 0);
    sked_schema_free(schema);
}

static sked_status reserves(test_host *h, void *arg)
{
    sked_host host = test_host_hooks(h);
    sked_tree *t;

    sked_status rc = sked_tree_new(arg, NULL, &host, &t, NULL);
    if (rc == SKED_OK) {
        uint64_t before = sked_tree_digest(t);
        rc = held(t, before, sked_tree_reserve(t, 40, 9000, NULL));
        if (rc == SKED_OK) rc = edits(t, sked_tree_root(t));
        if (rc == SKED_OK) rc = sked_tree_reserve(t, 90, 20000, NULL);
        assert_ok(sked_tree_check(t, NULL));
    }
    if (rc == SKED_OK || t) sked_tree_free(t);
    return rc;
}

static void a_failed_reserve_leaves_the_tree_as_it_was(void **state)
{
    sked_schema *schema = two_kinds();

    (void)state;
    test_sweep(reserves, schema, 0);
    sked_schema_free(schema);
}

static void a_tree_holds_no_more_than_its_host_allows(void **state)
{
    sked_schema *schema = two_kinds();
    sked_status rc = SKED_ERR_NOMEM;
    sked_tree *tree;

    (void)state;
    for (uint64_t limit = 256; rc == SKED_ERR_NOMEM; limit += 256) {
        test_host h = {0};
        sked_host host = test_host_hooks(&h);
        host.memory_limit = limit;
        rc = sked_tree_new(schema, NULL, &host, &tree, NULL);
        assert_true(h.most <= limit);
        sked_tree_free(tree);
        assert_int_equal(h.live, 0);
    }
    assert_ok(rc);
    sked_schema_free(schema);
}

static void a_reserve_keeps_what_the_tree_says(void **state)
{
    tree_fixture *f = *state;

    assert_ok(edits(f->tree, f->root));
    uint64_t before = sked_tree_digest(f->tree);
    assert_ok(sked_tree_reserve(f->tree, 5, 1, NULL));
    assert_ok(sked_tree_reserve(f->tree, 500, 10000, NULL));
    assert_ok(sked_tree_reserve(f->tree, 5, 1, NULL));
    assert_true(sked_tree_digest(f->tree) == before);
    assert_status(SKED_ERR_ARG, sked_tree_reserve(NULL, 1, 1, NULL));
    assert_status(SKED_ERR_RANGE,
                  sked_tree_reserve(f->tree, 1, (size_t)1 << 30, NULL));
}

static void a_sealed_tree_refuses_what_was_not_reserved(void **state)
{
    tree_fixture *f = *state;
    test_host h = {0};
    sked_host host = test_host_hooks(&h);
    sked_error err;
    sked_tree *t;
    char name[16];
    sked_status rc = SKED_OK;
    int added = 0;

    host.flags = SKED_HOST_FLAG_RESERVED_ONLY;
    assert_ok(sked_tree_new(f->schema, NULL, &host, &t, NULL));
    assert_ok(sked_tree_reserve(t, 50, 1000, NULL));
    h.trap = 1;
    for (; rc == SKED_OK && added < 1000; added++) {
        snprintf(name, sizeof name, "q%d", added);
        rc = sked_tree_add(t, sked_tree_root(t), name, NULL, &err);
        if (added == 48) { /* the root and 49 more, and all they say */
            assert_ok(sked_tree_commit(t, SKED_TREE_COMMIT_STRICT, NULL));
        }
    }
    assert_status(SKED_ERR_NOMEM, rc);
    assert_true(added > 50);
    h.trap = 0;
    assert_ok(sked_tree_reserve(t, 2000, 20000, NULL));
    h.trap = 1;
    assert_ok(sked_tree_add(t, sked_tree_root(t), name, NULL, &err));
    assert_ok(sked_tree_commit(t, SKED_TREE_COMMIT_STRICT, NULL));
    h.trap = 0;
    sked_tree_free(t);
    assert_int_equal(h.live, 0);
}

static sked_status wide(test_host *h, void *arg)
{
    sked_host host = test_host_hooks(h);
    sked_tree *t;
    char name[16];

    sked_status rc = sked_tree_new(arg, NULL, &host, &t, NULL);
    for (int i = 0; rc == SKED_OK && i < 10000; i++) {
        snprintf(name, sizeof name, "q%d", i);
        rc = sked_tree_add(t, sked_tree_root(t), name, NULL, NULL);
    }
    if (rc == SKED_OK) {
        uint64_t before = sked_tree_digest(t);
        rc = sked_tree_commit(t, SKED_TREE_COMMIT_STRICT, NULL);
        if (rc != SKED_OK) assert_true(sked_tree_digest(t) == before);
    }
    if (t) sked_tree_free(t);
    return rc;
}

static void a_commit_can_be_stopped_at_every_check(void **state)
{
    sked_schema *schema = two_kinds();
    test_host h = {0};

    (void)state;
    assert_ok(wide(&h, schema));
    assert_int_equal(h.checks, 3); /* at its start, at 4096 and at 8192 */
    test_sweep(wide, schema, 12);
    sked_schema_free(schema);
}

/* The largest tree there may be, fan-out 64: 2^20 queues in full size. */
static void the_largest_tree_holds(void **state)
{
    tree_fixture own = *(tree_fixture *)*state, *f = &own;
    size_t most = test_size(20000, SKED_MAX_QUEUES), n;
    sked_tree_options opts = {.struct_size = sizeof opts,
                              .max_queues = (uint32_t)most};
    sked_queue_id *ids = malloc(most * sizeof *ids), found;
    char name[24], path[64];

    assert_non_null(ids);
    assert_ok(sked_tree_new(f->schema, &opts, NULL, &f->tree, NULL));
    ids[0] = f->root = sked_tree_root(f->tree);
    for (size_t i = 1; i < most; i++) {
        snprintf(name, sizeof name, "q%zu", i);
        assert_ok(
            sked_tree_add(f->tree, ids[(i - 1) / 64], name, &ids[i], NULL));
    }
    assert_status(SKED_ERR_RANGE,
                  sked_tree_add(f->tree, f->root, "more", NULL, NULL));
    assert_ok(sked_tree_commit(f->tree, SKED_TREE_COMMIT_STRICT, NULL));
    assert_int_equal(sked_tree_count(f->tree), most);
    assert_ok(sked_tree_path(f->tree, ids[most - 1], path, sizeof path, &n));
    assert_ok(sked_tree_find(f->tree, path, &found, NULL));
    assert_true(found == ids[most - 1]);
    tree_set(f, ids[77], SKED_QUEUE_WEIGHT, 7);
    assert_ok(sked_tree_commit(f->tree, SKED_TREE_COMMIT_STRICT, NULL));
    assert_ok(sked_tree_remove(f->tree, ids[1], NULL, 0, NULL));
    assert_ok(sked_tree_commit(f->tree, SKED_TREE_COMMIT_STRICT, NULL));
    assert_true(sked_tree_count(f->tree) <= most - 65);
    sked_tree_free(f->tree);
    free(ids);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_failed_allocation_leaves_the_tree_as_it_was),
        cmocka_unit_test(a_failed_reserve_leaves_the_tree_as_it_was),
        cmocka_unit_test(a_tree_holds_no_more_than_its_host_allows),
        tree_case(a_reserve_keeps_what_the_tree_says),
        tree_case(a_sealed_tree_refuses_what_was_not_reserved),
        cmocka_unit_test(a_commit_can_be_stopped_at_every_check),
        tree_case(the_largest_tree_holds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
