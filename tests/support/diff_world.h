#ifndef TEST_DIFF_WORLD_H
#define TEST_DIFF_WORLD_H

/* Two trees with a common past and what leads from one to the other. */
#include "test.h"

#include <sched/diff.h>
#include <sched/ledger.h>

#include <string.h>

#include "forest.h"
#include "host.h"

typedef struct world {
    test_host host;
    sked_tree *a;
    sked_tree *b;
    sked_diff *diff;
} world;

static inline int setup(void **state)
{
    static world w;

    w = (world){0};
    sked_host hooks = test_host_hooks(&w.host);
    w.a = forest_tree(&hooks, NULL);
    *state = &w;
    return w.a ? 0 : -1;
}

static inline int teardown(void **state)
{
    world *w = *state;

    sked_diff_free(w->diff);
    sked_tree_free(w->a);
    sked_tree_free(w->b);
    assert_int_equal(w->host.live, 0);
    return 0;
}

static inline void take(sked_tree *tree, const char *text)
{
    assert_ok(
        sked_tree_parse(tree, text, strlen(text), NULL, NULL, 0, NULL, NULL));
    assert_ok(sked_tree_commit(tree, SKED_TREE_COMMIT_LENIENT, NULL));
}

static inline void copy_a(world *w)
{
    sked_host hooks = test_host_hooks(&w->host);

    assert_ok(sked_tree_copy(w->a, &hooks, &w->b, NULL));
}

static inline sked_queue_id in_tree(const sked_tree *tree, const char *path)
{
    sked_queue_id id = SKED_NO_QUEUE;

    assert_ok(sked_tree_find_draft(tree, path, &id, NULL));
    return id;
}

static inline sked_queue_id in_b(world *w, const char *path)
{
    return in_tree(w->b, path);
}

/* Commits b and compares; the diff must say exactly `want`. */
static inline void assert_diff(world *w, const char *want)
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
static inline void assert_leads_to_b(world *w)
{
    size_t row;

    assert_ok(sked_diff_apply(w->diff, w->a, NULL, NULL));
    assert_ok(sked_tree_commit(w->a, SKED_TREE_COMMIT_LENIENT, NULL));
    assert_true(forest_same(w->a, w->b, &row));
}

#define diff_case(t) cmocka_unit_test_setup_teardown(t, setup, teardown)

#endif
