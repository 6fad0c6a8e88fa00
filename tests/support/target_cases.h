#ifndef TEST_TARGET_CASES_H
#define TEST_TARGET_CASES_H

/* Trees, ledgers and options of targets. */
#include "test.h"

#include <sched/target.h>

#include <string.h>

#include "host.h"
#include "target/handle.h"
#include "tree_fixture.h"

enum { ROWS = 3 };

/* Two leaves under a root of 100 units; the first has all of it. */
typedef struct pair {
    int32_t parent[ROWS];
    int64_t guarantee[ROWS];
    int64_t usage[ROWS];
    int64_t demand[ROWS];
    int64_t capacity;
    sked_share_input queues;
    sked_target_once_input in;
    int64_t take[ROWS];
    int64_t owed[ROWS];
    int64_t keep[ROWS];
    uint32_t reasons[ROWS];
    int64_t need;
    sked_target_result result;
} pair;

static inline void pair_of(pair *p)
{
    *p = (pair){.parent = {-1, 0, 0},
                .guarantee = {0, 50, 50},
                .usage = {0, 100, 0},
                .demand = {0, 100, 70},
                .capacity = 100};
    p->queues = (sked_share_input){.struct_size = sizeof p->queues,
                                   .kinds = 1,
                                   .n = ROWS,
                                   .parent = p->parent,
                                   .guarantee = p->guarantee,
                                   .usage = p->usage,
                                   .demand = p->demand,
                                   .capacity = &p->capacity};
    p->in = (sked_target_once_input){.struct_size = sizeof p->in,
                                     .queues = &p->queues};
    p->result = (sked_target_result){.struct_size = sizeof p->result,
                                     .take = p->take,
                                     .owed = p->owed,
                                     .keep = p->keep,
                                     .reasons = p->reasons,
                                     .need = &p->need};
}

/* Two leaves of half each on the strict host; `a` has all of it. */
typedef struct grown {
    sked_queue_id a;
    sked_queue_id b;
    sked_ledger *ledger;
} grown;

static inline void give(tree_fixture *f, grown *g, sked_queue_id queue,
                        int64_t usage, int64_t demand)
{
    const int64_t used[] = {usage, 0}, wanted[] = {demand, 0};
    (void)f;

    assert_ok(
        sked_ledger_set(g->ledger, SKED_LEDGER_USAGE, &queue, used, 1, NULL));
    assert_ok(sked_ledger_set(g->ledger, SKED_LEDGER_DEMAND, &queue, wanted, 1,
                              NULL));
}

static inline grown grow(tree_fixture *f)
{
    grown g = {.a = tree_add(f, f->root, "a"), .b = tree_add(f, f->root, "b")};

    tree_set_vec(f, g.a, SKED_QUEUE_GUARANTEE, 50, 0);
    tree_set_vec(f, g.b, SKED_QUEUE_GUARANTEE, 50, 0);
    tree_set(f, f->root, SKED_QUEUE_PREEMPT_MIN_TIMEOUT, 10);
    tree_commit(f);
    assert_ok(sked_ledger_new(f->tree, NULL, NULL, &g.ledger, NULL));
    give(f, &g, g.a, 100, 100);
    give(f, &g, g.b, 0, 70);
    return g;
}

static const int64_t hundred[] = {100, 100};

static inline sked_status at(sked_target *t, tree_fixture *f, grown *g,
                             uint32_t partition, sked_time now)
{
    sked_target_input in = {.struct_size = sizeof in,
                            .partition = partition,
                            .tree = f->tree,
                            .capacity = hundred,
                            .ledger = g->ledger};

    return sked_target_compute(t, &in, now, NULL);
}

#endif
