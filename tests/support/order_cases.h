#ifndef TEST_ORDER_CASES_H
#define TEST_ORDER_CASES_H

/* A tree with a ledger, and an order over it. */
#include "test.h"

#include <sched/fair_tree.h>
#include <sched/order.h>

#include <string.h>

#include "order/handle.h"
#include "host.h"

typedef struct world {
    test_host host;
    sked_tree *tree;
    sked_ledger *ledger;
    sked_order *order;
    sked_queue_id root, a, b, c;
    int64_t capacity[2];
    sked_order_input view;
} world;

static inline sked_queue_id add(world *w, sked_queue_id up, const char *name)
{
    sked_queue_id id = SKED_NO_QUEUE;

    assert_ok(sked_tree_add(w->tree, up, name, &id, NULL));
    return id;
}

static inline void commit(world *w)
{
    assert_ok(sked_tree_commit(w->tree, SKED_TREE_COMMIT_LENIENT, NULL));
    assert_ok(sked_ledger_follow(w->ledger, w->tree, NULL));
}

static inline int setup(void **state)
{
    static world w;
    const char *const names[2] = {"cpu", "memory"};
    sked_schema *schema;

    w = (world){.capacity = {100, 1000}};
    sked_host hooks = test_host_hooks(&w.host);
    assert_ok(sked_schema_new(names, NULL, 2, NULL, &schema, NULL));
    assert_ok(sked_tree_new(schema, NULL, NULL, &w.tree, NULL));
    sked_schema_free(schema);
    assert_ok(sked_ledger_new(w.tree, NULL, NULL, &w.ledger, NULL));
    w.root = sked_tree_root(w.tree);
    w.a = add(&w, w.root, "a");
    w.b = add(&w, w.root, "b");
    w.c = add(&w, w.root, "c");
    commit(&w);
    assert_ok(sked_order_new(NULL, &hooks, &w.order, NULL));
    w.view = (sked_order_input){.struct_size = sizeof w.view,
                                .tree = w.tree,
                                .ledger = w.ledger,
                                .capacity = w.capacity};
    *state = &w;
    return 0;
}

static inline int teardown(void **state)
{
    world *w = *state;

    sked_order_free(w->order);
    sked_ledger_free(w->ledger);
    sked_tree_free(w->tree);
    return w->host.live == 0 ? 0 : -1;
}

static inline void use(world *w, sked_queue_id queue, int64_t usage,
                       int64_t demand)
{
    const int64_t has[2] = {usage, 0}, wants[2] = {demand, 0};

    assert_ok(
        sked_ledger_set(w->ledger, SKED_LEDGER_USAGE, &queue, has, 1, NULL));
    assert_ok(
        sked_ledger_set(w->ledger, SKED_LEDGER_DEMAND, &queue, wants, 1, NULL));
}

static inline void order_by(world *w, int64_t policy)
{
    assert_ok(sked_tree_set(w->tree, w->root, SKED_QUEUE_ORDER, policy, NULL));
    commit(w);
}

static inline void must_list(world *w, sked_queue_id first,
                             sked_queue_id second, sked_queue_id third)
{
    const sked_queue_id want[3] = {first, second, third};
    sked_queue_id ids[3] = {0}, next;
    size_t n;

    assert_ok(sked_order_next(w->order, &w->view, w->root, &next, NULL));
    assert_true(next == first);
    assert_ok(sked_order_list(w->order, &w->view, w->root, ids, 3, &n, NULL));
    for (size_t i = 0; i < 3; i++) assert_true(ids[i] == want[i]);
}

static inline sked_queue_id turn(world *w)
{
    sked_queue_id child;

    assert_ok(sked_order_next(w->order, &w->view, w->root, &child, NULL));
    return child;
}

#endif
