/*
 * Finding a node for each ask: packing asks of many sizes on nodes that differ,
 * beside a plain scheduler that looks at every node for every task. Both must
 * choose the same nodes.
 */
#include "bench.h"

#include <sched/sked.h>

#include <stdio.h>
#include <stdlib.h>

enum { PLACE_NODES = 10000, PLACE_KINDS = 2 };

typedef struct place_world {
    sked_schema *schema;
    sked_tree *tree;
    sked_engine *engine;
    sked_queue_id leaf;
    size_t asks;
    int64_t (*free)[PLACE_KINDS]; /* of the plain scheduler */
    int64_t (*want)[PLACE_KINDS];
    uint64_t *node; /* that it chose, by ask */
    sked_decision *out;
    size_t decided;
    sked_error err;
} place_world;

static void place_ok(sked_status rc, const sked_error *err)
{
    if (rc >= 0) return;
    fprintf(stderr, "bench_place: %s\n", err->message);
    abort();
}

static void place_tell(place_world *w, sked_event event, const int64_t *amounts)
{
    const sked_events batch = {.struct_size = sizeof batch,
                               .events = &event,
                               .n = 1,
                               .amounts = amounts,
                               .n_amounts = 1};

    place_ok(sked_engine_apply(w->engine, &batch, NULL, &w->err), &w->err);
}

static void draw_amounts(uint64_t *words, int64_t most, int64_t *amounts)
{
    for (int k = 0; k < PLACE_KINDS; k++) {
        amounts[k] = 1 + (int64_t)bench_below(words, (uint64_t)most);
    }
}

/* Empty nodes and open asks, anew. */
static void place_begin(void *arg)
{
    place_world *w = arg;
    uint64_t words = 7;

    sked_engine_free(w->engine);
    place_ok(sked_engine_new(w->tree, NULL, NULL, &w->engine, &w->err),
             &w->err);
    for (uint64_t n = 0; n < PLACE_NODES; n++) {
        draw_amounts(&words, 64, w->free[n]);
        place_tell(
            w,
            (sked_event){.kind = SKED_EVENT_NODE_UP, .key = n + 1, .amount = 1},
            w->free[n]);
    }
    place_tell(
        w,
        (sked_event){.kind = SKED_EVENT_JOB_SUBMIT, .key = 1, .queue = w->leaf},
        w->free[0]);
    for (uint64_t a = 0; a < w->asks; a++) {
        draw_amounts(&words, 6, w->want[a]);
        place_tell(w,
                   (sked_event){.kind = SKED_EVENT_ASK_ADD,
                                .key = a + 1,
                                .owner = 1,
                                .count = 1,
                                .amount = 1},
                   w->want[a]);
    }
}

static void place_ours(void *arg)
{
    place_world *w = arg;
    const sked_engine_place_options o = {.struct_size = sizeof o,
                                         .mode = SKED_ENGINE_PLACE_MODE_PACK};

    place_ok(sked_engine_place(w->engine, 1, 0, &o, &w->err), &w->err);
    place_ok(
        sked_engine_take(w->engine, w->out, w->asks + 1, &w->decided, &w->err),
        &w->err);
}

/* Least left of the kind of which it takes the largest part of all there is. */
static void place_plain(void *arg)
{
    place_world *w = arg;
    int64_t all[PLACE_KINDS] = {0};

    for (size_t n = 0; n < PLACE_NODES; n++) {
        for (int k = 0; k < PLACE_KINDS; k++) all[k] += w->free[n][k];
    }
    for (size_t a = 0; a < w->asks; a++) {
        const int64_t *want = w->want[a];
        int lead = want[1] * all[0] > want[0] * all[1];
        size_t best = PLACE_NODES;
        for (size_t n = 0; n < PLACE_NODES; n++) {
            const int64_t *free = w->free[n];
            if (free[0] < want[0] || free[1] < want[1]) continue;
            if (best == PLACE_NODES || free[lead] < w->free[best][lead]) {
                best = n;
            }
        }
        w->node[a] = best + 1;
        if (best == PLACE_NODES) continue;
        for (int k = 0; k < PLACE_KINDS; k++) w->free[best][k] -= want[k];
    }
}

static place_world *place_make(size_t asks)
{
    place_world *w = bench_new(1, sizeof *w);

    w->asks = asks;
    w->free = bench_new(PLACE_NODES, sizeof *w->free);
    w->want = bench_new(asks, sizeof *w->want);
    w->node = bench_new(asks, sizeof *w->node);
    w->out = bench_new(asks + 1, sizeof *w->out);
    place_ok(sked_schema_parse("cpu=1 memory=1", 14, NULL, &w->schema, &w->err),
             &w->err);
    place_ok(sked_tree_new(w->schema, NULL, NULL, &w->tree, &w->err), &w->err);
    place_ok(
        sked_tree_add(w->tree, sked_tree_root(w->tree), "q", &w->leaf, &w->err),
        &w->err);
    place_ok(sked_tree_commit(w->tree, 0, &w->err), &w->err);
    return w;
}

static void place_drop(place_world *w)
{
    sked_engine_free(w->engine);
    sked_tree_free(w->tree);
    sked_schema_free(w->schema);
    free(w->free);
    free(w->want);
    free(w->node);
    free(w->out);
    free(w);
}

static void pack_asks(bench *b, size_t n)
{
    place_world *ours = place_make(n), *plain = place_make(n);
    size_t same = 0;

    bench_compare(b,
                  &(bench_row){.n = n,
                               .unit = BENCH_US,
                               .metric = "us an ask over 10,000 nodes, packed",
                               .reference = "a look at every node"},
                  &(bench_job){.run = place_ours,
                               .before = place_begin,
                               .arg = ours,
                               .ops = (double)n},
                  &(bench_job){.run = place_plain,
                               .before = place_begin,
                               .arg = plain,
                               .ops = (double)n});
    for (size_t i = 0; i < ours->decided; i++) {
        const sked_decision *d = &ours->out[i];
        if (d->kind != SKED_DECISION_ALLOCATE) continue;
        same += plain->node[d->ask - 1] == d->node;
    }
    bench_must(b, plain->node[0] == 0 || same == n, /* or it did not run */
               "the same nodes are chosen");
    place_drop(ours);
    place_drop(plain);
}

const bench_entry bench_place[] = {
    {"engine.place", "a node for each of many asks", pack_asks, 2000, 0, 0},
    {0}};
