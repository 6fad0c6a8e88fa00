#ifndef TEST_LEDGER_WORLD_H
#define TEST_LEDGER_WORLD_H

/* A ledger over a small tree. */
#include "test.h"

#include <sched/ledger.h>
#include <sched/tree.h>

#include "host.h"
#include "ledger/handle.h"

enum { KINDS = 2 };

typedef struct world {
    test_host host;
    sked_tree *tree;
    sked_ledger *ledger;
    sked_queue_id root, eng, ads, web, ops;
} world;

static inline sked_queue_id add(sked_tree *tree, sked_queue_id up,
                                const char *name)
{
    sked_queue_id id = SKED_NO_QUEUE;

    assert_ok(sked_tree_add(tree, up, name, &id, NULL));
    return id;
}

static inline sked_tree *make_tree(const char *first, const char *second)
{
    const char *const names[KINDS] = {first, second};
    sked_schema *schema;
    sked_tree *tree;

    assert_ok(sked_schema_new(names, NULL, KINDS, NULL, &schema, NULL));
    assert_ok(sked_tree_new(schema, NULL, NULL, &tree, NULL));
    sked_schema_free(schema);
    return tree;
}

/* root: eng (ads, web), ops. */
static inline int setup(void **state)
{
    static world w;

    w = (world){.tree = make_tree("cpu", "memory")};
    sked_host hooks = test_host_hooks(&w.host);
    w.root = sked_tree_root(w.tree);
    w.eng = add(w.tree, w.root, "eng");
    w.ads = add(w.tree, w.eng, "ads");
    w.web = add(w.tree, w.eng, "web");
    w.ops = add(w.tree, w.root, "ops");
    assert_ok(sked_tree_commit(w.tree, SKED_TREE_COMMIT_STRICT, NULL));
    assert_ok(sked_ledger_new(w.tree, NULL, &hooks, &w.ledger, NULL));
    *state = &w;
    return 0;
}

static inline int teardown(void **state)
{
    world *w = *state;

    sked_ledger_free(w->ledger);
    sked_tree_free(w->tree);
    return w->host.live == 0 ? 0 : -1;
}

static inline void set(world *w, int32_t column, sked_queue_id queue, int64_t a,
                       int64_t b)
{
    const int64_t amounts[KINDS] = {a, b};

    assert_ok(sked_ledger_set(w->ledger, column, &queue, amounts, 1, NULL));
}

static inline void must_have(world *w, int32_t column, sked_queue_id queue,
                             int64_t a, int64_t b)
{
    int64_t amounts[KINDS] = {-1, b};

    assert_ok(sked_ledger_get(w->ledger, column, queue, amounts));
    assert_i64(amounts[0], a);
    assert_i64(amounts[1], b);
}

#define ledger_case(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

#endif
