/* One leaf's demand changes; what is its exact share now? */
#include <sched/sked.h>

#include "bench.h"
#include "share_tree.h"

enum { CHANGES = 1000 };

typedef struct change_world {
    share_tree *t;
    size_t leaves;
    int64_t shares[SHARE_TREE_KINDS];
} change_world;

/* A new demand for some leaf, in one kind. */
static sked_queue_id change_one(change_world *w)
{
    share_tree *t = w->t;
    size_t first = t->n - w->leaves;
    sked_queue_id queue = t->ids[first + bench_below(&t->random, w->leaves)];
    int64_t change[SHARE_TREE_KINDS] = {
        (int64_t)bench_below(&t->random, 1 << 10)};

    share_tree_must(sked_ledger_add(t->ledger, SKED_LEDGER_DEMAND, &queue,
                                    change, 1, NULL));
    return queue;
}

static void query(void *arg)
{
    change_world *w = arg;
    share_tree *t = w->t;

    for (int i = 0; i < CHANGES; i++) {
        sked_queue_id queue = change_one(w);
        share_tree_must(sked_share_query(t->share, t->tree, t->ledger,
                                         t->capacity, queue, w->shares, NULL));
    }
}

static void compute_everything(void *arg)
{
    change_world *w = arg;
    share_tree *t = w->t;
    sked_queue_id queue = change_one(w);

    share_tree_must(
        sked_share_compute(t->share, t->tree, t->ledger, t->capacity, NULL));
    share_tree_must(sked_share_get(t->share, queue, w->shares, NULL));
}

static void measure(bench *b, size_t leaves, int32_t rounding,
                    const char *variant)
{
    change_world ours = {
        share_tree_make(leaves, SKED_SHARE_MODEL_ENTITLEMENT, rounding),
        leaves,
        {0}};
    change_world theirs = {
        share_tree_make(leaves, SKED_SHARE_MODEL_ENTITLEMENT, rounding),
        leaves,
        {0}};
    bench_row row = {
        .variant = variant,
        .n = leaves,
        .unit = BENCH_US,
        .metric = "us per change and query",
        .budget = 1,
        .reference = "recompute everything",
    };

    bench_compare(
        b, &row, &(bench_job){.run = query, .arg = &ours, .ops = CHANGES},
        &(bench_job){.run = compute_everything, .arg = &theirs, .ops = 1});
    share_tree *t = ours.t;
    sked_queue_id queue = change_one(&ours);
    int64_t again[SHARE_TREE_KINDS];
    share_tree_must(sked_share_query(t->share, t->tree, t->ledger, t->capacity,
                                     queue, again, NULL));
    share_tree_must(
        sked_share_compute(t->share, t->tree, t->ledger, t->capacity, NULL));
    share_tree_must(sked_share_get(t->share, queue, ours.shares, NULL));
    int same = 1;
    for (int k = 0; k < SHARE_TREE_KINDS; k++) {
        same &= again[k] == ours.shares[k];
    }
    bench_must(b, same, "a query gives what computing everything gives");
    share_tree_drop(ours.t);
    share_tree_drop(theirs.t);
}

static void change(bench *b, size_t leaves)
{
    measure(b, leaves, SKED_APPORTION_PREFIX, "prefix");
    measure(b, leaves, SKED_APPORTION_WEBSTER, "webster");
}

const bench_entry bench_share_change[] = {
    {"share.change", "one change, one exact share, 4 kinds, fan-out 100",
     change, 1000000, 100000, 250000},
    {0},
};
