#ifndef TEST_SHARE_CASES_H
#define TEST_SHARE_CASES_H

/* A tree of some families, its ledger, and shares of it. */
#include "test.h"

#include <sched/share.h>

#include <string.h>

#include "host.h"

enum { KINDS = 2, MOST = 16 };

typedef struct world {
    test_host host;
    sked_schema *schema;
    sked_tree *tree;
    sked_ledger *ledger;
    sked_share *share;
    sked_queue_id a, b, a1, a2;
    int64_t capacity[KINDS];
} world;

static inline sked_queue_id add(sked_tree *tree, sked_queue_id up,
                                const char *name)
{
    sked_queue_id id = SKED_NO_QUEUE;

    assert_ok(sked_tree_add(tree, up, name, &id, NULL));
    return id;
}

static inline void demand(world *w, sked_queue_id queue, int64_t cpu,
                          int64_t memory)
{
    int64_t amounts[KINDS] = {cpu, memory};

    assert_ok(sked_ledger_set(w->ledger, SKED_LEDGER_DEMAND, &queue, amounts, 1,
                              NULL));
}

static inline int setup(void **state)
{
    static world w;
    sked_host hooks;

    w = (world){.capacity = {100, 1000}};
    hooks = test_host_hooks(&w.host);
    assert_ok(sked_schema_parse("cpu=m memory=B", 14, &hooks, &w.schema, NULL));
    assert_ok(sked_tree_new(w.schema, NULL, &hooks, &w.tree, NULL));
    w.a = add(w.tree, sked_tree_root(w.tree), "a");
    w.b = add(w.tree, sked_tree_root(w.tree), "b");
    w.a1 = add(w.tree, w.a, "a1");
    w.a2 = add(w.tree, w.a, "a2");
    assert_ok(sked_tree_commit(w.tree, SKED_TREE_COMMIT_LENIENT, NULL));
    assert_ok(sked_ledger_new(w.tree, NULL, &hooks, &w.ledger, NULL));
    assert_ok(sked_share_new(NULL, &hooks, &w.share, NULL));
    demand(&w, w.b, 100, 100);
    demand(&w, w.a1, 100, 100);
    demand(&w, w.a2, 10, 100);
    *state = &w;
    return 0;
}

static inline int teardown(void **state)
{
    world *w = *state;

    sked_share_free(w->share);
    sked_ledger_free(w->ledger);
    sked_tree_free(w->tree);
    sked_schema_free(w->schema);
    return w->host.live == 0 ? 0 : -1;
}

static inline sked_status compute(world *w)
{
    return sked_share_compute(w->share, w->tree, w->ledger, w->capacity, NULL);
}

static inline int64_t cpu_of(world *w, sked_queue_id queue)
{
    int64_t amounts[KINDS];

    assert_ok(sked_share_get(w->share, queue, amounts, NULL));
    return amounts[0];
}

#endif
