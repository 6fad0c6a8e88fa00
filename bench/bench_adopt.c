/*
 * A restart: what runs already is told to an empty engine, group by group. In
 * the same run another engine starts the same groups itself, by heartbeats.
 */
#include "bench.h"

#include <sched/sked.h>

#include <stdio.h>
#include <stdlib.h>

enum {
    ADOPT_KINDS = 2,
    ADOPT_LEAVES = 100,
    ADOPT_EACH = 50, /* tasks on a node, each a group of its own */
    ADOPT_FIRST_JOB = 1000000
};

static const int64_t adopt_amounts[2][ADOPT_KINDS] = {
    {50000, 200}, /* a node */
    {1000, 4},    /* a task */
};

typedef struct adopt_world {
    sked_schema *schema;
    sked_tree *tree;
    sked_engine *starts; /* starts them */
    sked_engine *adopts; /* is told of them */
    sked_event *beats;
    sked_event *told;
    sked_event *ends[2];
    sked_decision *taken;
    size_t nodes, groups;
    sked_error err;
} adopt_world;

static void adopt_ok(const adopt_world *w, sked_status rc)
{
    if (rc >= 0) return;
    fprintf(stderr, "bench_adopt: %s\n", w->err.message);
    abort();
}

static void tell_one(adopt_world *w, sked_engine *engine,
                     const sked_event *events, size_t n)
{
    const sked_events batch = {.struct_size = sizeof batch,
                               .events = events,
                               .n = n,
                               .amounts = &adopt_amounts[0][0],
                               .n_amounts = 2};

    adopt_ok(w, sked_engine_apply(engine, &batch, NULL, &w->err));
}

/* All decisions since the last call. */
static size_t take_all(adopt_world *w, sked_engine *engine)
{
    size_t n;

    adopt_ok(w, sked_engine_take(engine, w->taken, w->groups + ADOPT_LEAVES, &n,
                                 NULL));
    return n;
}

/* One leaf of each job, which wants more than there is. */
static void make_jobs(adopt_world *w, sked_engine *engine)
{
    for (uint32_t i = 0; i < ADOPT_LEAVES; i++) {
        char name[16];
        sked_queue_id leaf;
        snprintf(name, sizeof name, "root.q%u", (unsigned)i);
        adopt_ok(w, sked_tree_find(w->tree, name, &leaf, &w->err));
        const sked_event both[2] = {{.kind = SKED_EVENT_JOB_SUBMIT,
                                     .key = ADOPT_FIRST_JOB + i,
                                     .queue = leaf},
                                    {.kind = SKED_EVENT_ASK_ADD,
                                     .key = ADOPT_FIRST_JOB + i,
                                     .owner = ADOPT_FIRST_JOB + i,
                                     .count = 1000000,
                                     .amount = 2}};
        tell_one(w, engine, both, 2);
    }
}

static sked_engine *make_side(adopt_world *w)
{
    sked_engine *engine;

    adopt_ok(w, sked_engine_new(w->tree, NULL, NULL, &engine, &w->err));
    for (size_t i = 0; i < w->nodes; i++) {
        const sked_event up = {
            .kind = SKED_EVENT_NODE_UP, .key = i + 1, .amount = 1};
        tell_one(w, engine, &up, 1);
    }
    make_jobs(w, engine);
    (void)take_all(w, engine);
    return engine;
}

static void make_tree(adopt_world *w)
{
    adopt_ok(
        w, sked_schema_parse("cpu=m memory=B", 14, NULL, &w->schema, &w->err));
    adopt_ok(w, sked_tree_new(w->schema, NULL, NULL, &w->tree, &w->err));
    for (uint32_t i = 0; i < ADOPT_LEAVES; i++) {
        char name[16];
        sked_queue_id leaf;
        snprintf(name, sizeof name, "q%u", (unsigned)i);
        adopt_ok(w, sked_tree_add(w->tree, sked_tree_root(w->tree), name, &leaf,
                                  &w->err));
    }
    adopt_ok(w, sked_tree_commit(w->tree, 0, &w->err));
}

/* How each group ends, from the decisions taken last. */
static void note_ends(adopt_world *w, sked_event *ends)
{
    for (size_t i = 0; i < w->groups; i++) {
        ends[i] = (sked_event){.kind = SKED_EVENT_TASK_FINISH,
                               .key = w->taken[i].group,
                               .count = w->taken[i].count};
    }
}

static void start_all(void *arg)
{
    adopt_world *w = arg;

    tell_one(w, w->starts, w->beats, w->nodes);
    if (take_all(w, w->starts) != w->groups) abort();
    note_ends(w, w->ends[0]);
}

static void end_started(void *arg)
{
    adopt_world *w = arg;

    tell_one(w, w->starts, w->ends[0], w->groups);
}

static void adopt_all(void *arg)
{
    adopt_world *w = arg;

    tell_one(w, w->adopts, w->told, w->groups);
    if (take_all(w, w->adopts) != w->groups) abort();
    note_ends(w, w->ends[1]);
}

static void end_adopted(void *arg)
{
    adopt_world *w = arg;

    tell_one(w, w->adopts, w->ends[1], w->groups);
}

/* What the first engine started is what the other one is told. */
static void note_told(adopt_world *w)
{
    for (size_t i = 0; i < w->groups; i++) {
        w->told[i] = (sked_event){.kind = SKED_EVENT_TASK_RUNNING,
                                  .key = w->taken[i].node,
                                  .owner = w->taken[i].ask,
                                  .count = w->taken[i].count};
    }
}

static adopt_world *make_adopt_world(size_t groups)
{
    adopt_world *w = bench_new(1, sizeof *w);

    w->groups = groups;
    w->nodes = groups / ADOPT_EACH;
    w->beats = bench_new(w->nodes, sizeof *w->beats);
    w->told = bench_new(groups, sizeof *w->told);
    w->ends[0] = bench_new(groups, sizeof *w->told);
    w->ends[1] = bench_new(groups, sizeof *w->told);
    w->taken = bench_new(groups + ADOPT_LEAVES, sizeof *w->taken);
    for (size_t i = 0; i < w->nodes; i++) {
        w->beats[i] = (sked_event){.kind = SKED_EVENT_HEARTBEAT, .key = i + 1};
    }
    make_tree(w);
    w->starts = make_side(w);
    w->adopts = make_side(w);
    return w;
}

static void drop_adopt_world(adopt_world *w)
{
    sked_engine_free(w->starts);
    sked_engine_free(w->adopts);
    sked_tree_free(w->tree);
    sked_schema_free(w->schema);
    free(w->beats);
    free(w->told);
    free(w->ends[0]);
    free(w->ends[1]);
    free(w->taken);
    free(w);
}

/* Do both hold as much on every node? */
static int holds_the_same(const adopt_world *w)
{
    int64_t one[ADOPT_KINDS], other[ADOPT_KINDS];

    for (size_t i = 0; i < w->nodes; i++) {
        if (sked_engine_node_free(w->starts, i + 1, one) != SKED_OK ||
            sked_engine_node_free(w->adopts, i + 1, other) != SKED_OK ||
            one[0] != other[0] || one[1] != other[1]) {
            return 0;
        }
    }
    return 1;
}

static void adopt(bench *b, size_t n)
{
    adopt_world *w = make_adopt_world(n);

    start_all(w);
    note_told(w);
    adopt_all(w);
    bench_compare(
        b,
        &(bench_row){.n = n,
                     .unit = BENCH_MS,
                     .metric = "ms for all groups",
                     .budget = 100,
                     .reference = "the same groups started by heartbeats",
                     .note = "groups of one task, 100 queues, 50 on a node"},
        &(bench_job){
            .run = adopt_all, .before = end_adopted, .arg = w, .ops = 1},
        &(bench_job){
            .run = start_all, .before = end_started, .arg = w, .ops = 1});
    bench_must(b, holds_the_same(w), "both hold the same on every node");
    bench_must(b, sked_engine_check(w->adopts, &w->err) == SKED_OK,
               "the books hold");
    drop_adopt_world(w);
}

const bench_entry bench_adopt[] = {{"engine.adopt",
                                    "running groups told to an empty engine",
                                    adopt, 100000, 10000, 25000},
                                   {0}};
