/* Life of a tree, its queues, and what the last commit says of them. */
#include <sched/tree.h>

#include "host.h"
#include "test.h"

#include <string.h>

typedef struct fixture {
    test_host host;
    sked_schema *schema;
    sked_tree *tree;
} fixture;

static int setup(void **state)
{
    static fixture f;
    const char *const kinds[] = {"cpu", "memory"};

    f = (fixture){0};
    sked_host host = test_host_hooks(&f.host);
    assert_ok(sked_schema_new(kinds, NULL, 2, NULL, &f.schema, NULL));
    assert_ok(sked_tree_new(f.schema, &host, NULL, &f.tree, NULL));
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;

    sked_tree_free(f->tree);
    sked_schema_free(f->schema);
    assert_int_equal(f->host.live, 0);
    assert_int_equal(f->host.released, 1);
    return 0;
}

static sked_queue_id add(fixture *f, sked_queue_id parent, const char *name)
{
    sked_queue_id id;

    assert_ok(sked_tree_add(f->tree, parent, name, &id, NULL));
    return id;
}

static void commit(fixture *f)
{
    assert_ok(sked_tree_commit(f->tree, SKED_COMMIT_STRICT, NULL));
}

static void a_new_tree_has_its_root_only(void **state)
{
    fixture *f = *state;
    sked_queue_id id, root = sked_tree_root(f->tree);
    size_t n;

    assert_true(root != SKED_NO_QUEUE);
    assert_int_equal(sked_tree_count(f->tree), 1);
    assert_string_equal(sked_tree_name(f->tree, root), "root");
    assert_ok(sked_tree_ids(f->tree, &id, 1, &n));
    assert_true(id == root);
    assert_ok(sked_tree_leaves(f->tree, &id, 1, &n));
    assert_true(id == root);
}

static void edits_show_after_the_commit_only(void **state)
{
    fixture *f = *state;
    sked_queue_id root = sked_tree_root(f->tree), found;
    sked_queue_id ads = add(f, root, "ads");

    assert_ok(sked_tree_set(f->tree, ads, SKED_QUEUE_WEIGHT, 3, NULL));
    assert_int_equal(sked_tree_count(f->tree), 1);
    assert_null(sked_tree_name(f->tree, ads));
    assert_status(SKED_ERR_NOT_FOUND,
                  sked_tree_find(f->tree, "root.ads", &found, NULL));
    commit(f);

    int64_t weight;
    assert_ok(sked_tree_find(f->tree, "root.ads", &found, NULL));
    assert_true(found == ads);
    assert_ok(sked_tree_get(f->tree, ads, SKED_QUEUE_WEIGHT, &weight));
    assert_i64(weight, 3);
}

static void rows_stand_breadth_first(void **state)
{
    fixture *f = *state;
    sked_queue_id root = sked_tree_root(f->tree);
    sked_queue_id a = add(f, root, "a"), x = add(f, a, "x");
    sked_queue_id b = add(f, root, "b"), y = add(f, b, "y");
    sked_queue_id z = add(f, a, "z");
    const sked_queue_id want[] = {root, a, b, x, z, y};
    sked_queue_id ids[6];
    size_t n;

    commit(f);

    assert_ok(sked_tree_ids(f->tree, ids, 6, &n));
    assert_int_equal(n, 6);
    assert_memory_equal(ids, want, sizeof want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_new_tree_has_its_root_only, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(edits_show_after_the_commit_only, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(rows_stand_breadth_first, setup,
                                        teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
