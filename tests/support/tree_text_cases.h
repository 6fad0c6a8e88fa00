#ifndef TEST_TREE_TEXT_CASES_H
#define TEST_TREE_TEXT_CASES_H

/* A tree and its text. */
#include <sched/tree_text.h>

#include "forest.h"
#include "host.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct world {
    test_host host;
    sked_tree *tree;
} world;

static inline int setup(void **state)
{
    static world w;

    w = (world){0};
    sked_host hooks = test_host_hooks(&w.host);
    w.tree = forest_tree(&hooks, NULL);
    *state = &w;
    return w.tree ? 0 : -1;
}

static inline int teardown(void **state)
{
    world *w = *state;

    sked_tree_free(w->tree);
    assert_int_equal(w->host.live, 0);
    return 0;
}

static inline sked_status read_text(world *w, const char *text, sked_error *err)
{
    return sked_tree_parse(w->tree, text, strlen(text), "queues.txt", NULL, 0,
                           NULL, err);
}

/* Reads and commits. */
static inline void take(world *w, const char *text)
{
    sked_error err = {0};

    if (read_text(w, text, &err) != SKED_OK) {
        fail_msg("%u:%u: %s", err.line, err.column, err.message);
    }
    assert_ok(sked_tree_commit(w->tree, SKED_TREE_COMMIT_LENIENT, NULL));
    assert_ok(sked_tree_check(w->tree, NULL));
}

static inline sked_queue_id find(world *w, const char *path)
{
    sked_queue_id id = SKED_NO_QUEUE;

    assert_ok(sked_tree_find(w->tree, path, &id, NULL));
    return id;
}

#endif
