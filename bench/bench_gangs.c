/*
 * Gangs over nodes: one of a task on each node is placed by one heartbeat; or
 * turned away, since one node less than it needs has something free. Beside it
 * the two bare passes over an array of nodes that any way of placing it takes:
 * one counts what fits, one fills.
 */
#include "bench.h"

#include <sched/sked.h>

#include <stdio.h>
#include <stdlib.h>

typedef struct gang_world {
    sked_schema *schema;
    sked_tree *tree;
    sked_engine *engine;
    sked_queue_id leaf;
    size_t nodes;
    int lacks; /* 1: node 1 has nothing free */
    uint64_t started;
    int64_t *free; /* of the bare passes */
    uint64_t filled;
    sked_error err;
} gang_world;

static void gang_ok(sked_status rc, const sked_error *err)
{
    if (rc >= 0) return;
    fprintf(stderr, "bench_gangs: %s\n", err->message);
    abort();
}

static void gang_tell(gang_world *w, sked_event event)
{
    static const int64_t amounts[] = {16, 1, 0};
    const sked_events batch = {.struct_size = sizeof batch,
                               .events = &event,
                               .n = 1,
                               .amounts = amounts,
                               .n_amounts = 3};

    gang_ok(sked_engine_apply(w->engine, &batch, NULL, &w->err), &w->err);
}

/* An engine with empty nodes and a gang as large as they are many, anew. */
static void gang_begin(void *arg)
{
    gang_world *w = arg;
    static const sked_event_gang one = {.per_node = 1};
    static const int64_t task[] = {1};

    sked_engine_free(w->engine);
    gang_ok(sked_engine_new(w->tree, NULL, NULL, &w->engine, &w->err), &w->err);
    for (uint64_t n = 1; n <= w->nodes; n++) {
        gang_tell(
            w, (sked_event){.kind = SKED_EVENT_NODE_UP, .key = n, .amount = 1});
    }
    gang_tell(w, (sked_event){.kind = SKED_EVENT_JOB_SUBMIT,
                              .key = 1,
                              .queue = w->leaf});
    const sked_event ask = {.kind = SKED_EVENT_ASK_ADD,
                            .key = 1,
                            .owner = 1,
                            .count = (int64_t)w->nodes,
                            .amount = 1,
                            .flags = SKED_ASK_GANG | SKED_ASK_SPREAD};
    const sked_events batch = {.struct_size = sizeof batch,
                               .events = &ask,
                               .n = 1,
                               .amounts = task,
                               .n_amounts = 1,
                               .gangs = &one};
    gang_ok(sked_engine_apply(w->engine, &batch, NULL, &w->err), &w->err);
    if (!w->lacks) return;
    gang_tell(
        w, (sked_event){.kind = SKED_EVENT_NODE_CHANGE, .key = 1, .amount = 3});
}

static void gang_beat(void *arg)
{
    gang_world *w = arg;
    sked_engine_stats stats = {.struct_size = sizeof stats};

    gang_tell(w, (sked_event){.kind = SKED_EVENT_HEARTBEAT, .key = 2});
    gang_ok(sked_engine_get_stats(w->engine, &stats), &w->err);
    w->started = stats.allocated;
}

static void bare_begin(void *arg)
{
    gang_world *w = arg;

    for (size_t i = 0; i < w->nodes; i++) w->free[i] = 16;
    if (w->lacks) w->free[0] = 0;
}

static void bare_passes(void *arg)
{
    gang_world *w = arg;
    uint64_t sum = 0;

    w->filled = 0;
    for (size_t i = 0; i < w->nodes; i++) sum += w->free[i] > 0;
    for (size_t i = 0; sum == w->nodes && i < w->nodes; i++) {
        w->free[i]--;
        w->filled++;
    }
}

static void gang_row(bench *b, size_t n, int lacks)
{
    gang_world *w = bench_new(1, sizeof *w);

    w->nodes = n;
    w->lacks = lacks;
    w->free = bench_new(n, sizeof *w->free);
    gang_ok(sked_schema_parse("cpu=1", 5, NULL, &w->schema, &w->err), &w->err);
    gang_ok(sked_tree_new(w->schema, NULL, NULL, &w->tree, &w->err), &w->err);
    gang_ok(
        sked_tree_add(w->tree, sked_tree_root(w->tree), "q", &w->leaf, &w->err),
        &w->err);
    gang_ok(sked_tree_commit(w->tree, 0, &w->err), &w->err);
    bench_compare(
        b,
        &(bench_row){.variant = lacks ? "turned away" : "placed",
                     .n = n,
                     .unit = BENCH_MS,
                     .metric = "ms a heartbeat, one task a node",
                     .budget = 1,
                     .reference = "two bare passes over an array"},
        &(bench_job){
            .run = gang_beat, .before = gang_begin, .arg = w, .ops = 1},
        &(bench_job){
            .run = bare_passes, .before = bare_begin, .arg = w, .ops = 1});
    bench_must(b, w->started == (lacks ? 0 : n),
               "all of it starts, or nothing");
    sked_engine_free(w->engine);
    sked_tree_free(w->tree);
    sked_schema_free(w->schema);
    free(w->free);
    free(w);
}

static void gangs_over_nodes(bench *b, size_t n)
{
    gang_row(b, n, 0);
    gang_row(b, n, 1);
}

const bench_entry bench_gangs[] = {
    {"engine.gang", "a gang over nodes", gangs_over_nodes, 1000, 0, 0}, {0}};
