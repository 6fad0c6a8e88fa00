#ifndef TEST_TREE_FIXTURE_H
#define TEST_TREE_FIXTURE_H

#include "test.h"

#include <sched/tree.h>

#include "host.h"

/* A tree over cpu, memory on a strict host; teardown proves that no byte is
 * left. Many of these tests look at nothing else. */
typedef struct tree_fixture {
    test_host host;
    sked_schema *schema;
    sked_tree *tree;
    sked_queue_id root;
} tree_fixture;

static inline sked_schema *two_kinds(void)
{
    const char *const kinds[] = {"cpu", "memory"};
    sked_schema *schema;

    assert_ok(sked_schema_new(kinds, NULL, 2, NULL, &schema, NULL));
    return schema;
}

static inline int tree_setup(void **state)
{
    static tree_fixture f;

    f = (tree_fixture){0};
    sked_host host = test_host_hooks(&f.host);
    f.schema = two_kinds();
    assert_ok(sked_tree_new(f.schema, NULL, &host, &f.tree, NULL));
    f.root = sked_tree_root(f.tree);
    *state = &f;
    return 0;
}

static inline int tree_teardown(void **state)
{
    tree_fixture *f = *state;

    assert_ok(sked_tree_check(f->tree, NULL));
    sked_tree_free(f->tree);
    sked_schema_free(f->schema);
    assert_int_equal(f->host.live, 0);
    assert_int_equal(f->host.released, 1);
    return 0;
}

static inline sked_queue_id tree_add(tree_fixture *f, sked_queue_id parent,
                                     const char *name)
{
    sked_queue_id id = SKED_NO_QUEUE;

    assert_ok(sked_tree_add(f->tree, parent, name, &id, NULL));
    return id;
}

static inline void tree_set(tree_fixture *f, sked_queue_id queue,
                            int32_t attribute, int64_t value)
{
    assert_ok(sked_tree_set(f->tree, queue, attribute, value, NULL));
}

static inline void tree_set_vec(tree_fixture *f, sked_queue_id queue,
                                int32_t attribute, int64_t cpu, int64_t memory)
{
    const int64_t amounts[] = {cpu, memory};

    assert_ok(sked_tree_set_vec(f->tree, queue, attribute, amounts, NULL));
}

static inline void tree_commit(tree_fixture *f)
{
    assert_ok(sked_tree_commit(f->tree, SKED_TREE_COMMIT_LENIENT, NULL));
}

/* The call fails with that status, explains itself and changes nothing. */
#define assert_refused(f, want, call)                                          \
    do {                                                                       \
        uint64_t before_ = sked_tree_digest((f)->tree);                        \
        assert_status(want, call);                                             \
        assert_int_equal(err.code, want);                                      \
        assert_true(sked_tree_digest((f)->tree) == before_);                   \
    } while (0)

#define tree_case(f)                                                           \
    cmocka_unit_test_setup_teardown(f, tree_setup, tree_teardown)

#endif
