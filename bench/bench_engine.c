/*
 * The engine: events in, decisions out, beside a plain writing of what YARN's
 * schedulers do (yarn.h), which must start the same tasks on the same nodes.
 */
#include "bench.h"
#include "yarn.h"

#include <sched/sked.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ENGINE_KINDS = 4,
    ENGINE_FAN = 10,
    ENGINE_NODES = 2000,
    ENGINE_PARTS = 2,
    ENGINE_APPS = 4, /* a leaf; every other one in each partition */
    ENGINE_USERS = 4,
    ENGINE_CHUNK = 65536,
    ENGINE_FIRST_KEY = 1000000,
    ENGINE_USER_LIMIT = 250000 /* ppm */
};

static const int64_t engine_amounts_of[5][ENGINE_KINDS] = {
    {64000, 256, 1000, 8000}, /* a node */
    {1000, 4, 10, 0},         /* tasks */
    {2000, 8, 10, 0},         {1000, 2, 20, 0}, {4000, 16, 5, 1000},
};

static void engine_ok(sked_status rc, const sked_error *err)
{
    if (rc >= 0) return;
    fprintf(stderr, "bench_engine: %s\n", err->message);
    abort();
}

/* ---- Ours ---- */

typedef struct engine_world {
    sked_schema *schema;
    sked_tree *tree;
    sked_engine *engine;
    sked_queue_id *leaf;
    uint32_t leaves;
    sked_event *beats;
    sked_event *ends;
    sked_decision *taken;
    uint64_t *groups;
    int64_t *counts;
    yarn_start *starts; /* of tasks, in order */
    size_t n_groups, groups_cap;
    int64_t tasks;
    sked_time now;
    yarn_world yarn;
    sked_error err;
} engine_world;

static sked_queue_id add_queue(engine_world *w, sked_queue_id up, char letter,
                               uint32_t i)
{
    char name[16];
    sked_queue_id id;

    snprintf(name, sizeof name, "%c%u", letter, (unsigned)i);
    engine_ok(sked_tree_add(w->tree, up, name, &id, &w->err), &w->err);
    return id;
}

/* Depth 3: 10 x 10 families of `leaves` / 100 leaves with user limits. */
static void make_queues(engine_world *w, uint32_t leaves)
{
    uint32_t each = leaves / (ENGINE_FAN * ENGINE_FAN);

    w->leaf = bench_new(leaves, sizeof *w->leaf);
    engine_ok(sked_schema_parse("cpu=m memory=B disk=B gpu=m", 27, NULL,
                                &w->schema, &w->err),
              &w->err);
    engine_ok(sked_tree_new(w->schema, NULL, NULL, &w->tree, &w->err), &w->err);
    for (uint32_t i = 0; i < ENGINE_FAN; i++) {
        sked_queue_id a = add_queue(w, sked_tree_root(w->tree), 'a', i);
        for (uint32_t j = 0; j < ENGINE_FAN; j++) {
            sked_queue_id b = add_queue(w, a, 'b', j);
            for (uint32_t k = 0; k < each; k++) {
                sked_queue_id c = add_queue(w, b, 'c', k);
                w->leaf[w->leaves] = c;
                engine_ok(sked_tree_set(w->tree, c, SKED_QUEUE_WEIGHT,
                                        1 + (w->leaves * 7) % 5, &w->err),
                          &w->err);
                engine_ok(sked_tree_set(w->tree, c, SKED_QUEUE_USER_LIMIT,
                                        ENGINE_USER_LIMIT, &w->err),
                          &w->err);
                w->leaves++;
            }
        }
    }
    engine_ok(sked_tree_commit(w->tree, 0, &w->err), &w->err);
}

static void tell_engine(engine_world *w, const sked_event *events, size_t n)
{
    sked_events batch = {.struct_size = sizeof batch,
                         .events = events,
                         .n = n,
                         .amounts = &engine_amounts_of[0][0],
                         .n_amounts = 5};
    uint64_t done;

    engine_ok(sked_engine_apply(w->engine, &batch, &done, &w->err), &w->err);
    if (done != n) abort();
}

static void make_engine(engine_world *w)
{
    engine_ok(sked_engine_new(w->tree, NULL, NULL, &w->engine, &w->err),
              &w->err);
    for (uint32_t i = 0; i < ENGINE_NODES; i++) {
        sked_event up = {.kind = SKED_EVENT_NODE_UP,
                         .key = i + 1,
                         .partition = i % ENGINE_PARTS,
                         .amount = 1};
        tell_engine(w, &up, 1);
    }
}

static void add_apps(engine_world *w, int64_t tasks)
{
    uint64_t key = ENGINE_FIRST_KEY;

    for (uint32_t i = 0; i < w->leaves; i++) {
        for (uint32_t a = 0; a < ENGINE_APPS; a++, key++) {
            sked_event both[2] = {
                {.kind = SKED_EVENT_JOB_SUBMIT,
                 .key = key,
                 .owner = a % ENGINE_USERS,
                 .queue = w->leaf[i]},
                {.kind = SKED_EVENT_ASK_ADD,
                 .key = key,
                 .owner = key,
                 .count = tasks,
                 .amount = 2 + (i + a) % 4,
                 .partition = a % ENGINE_PARTS},
            };
            tell_engine(w, both, 2);
        }
    }
}

static void take_groups(engine_world *w)
{
    size_t n;

    do {
        engine_ok(sked_engine_take(w->engine, w->taken, ENGINE_CHUNK, &n, NULL),
                  &w->err);
        for (size_t i = 0; i < n; i++) {
            if (w->taken[i].kind != SKED_DECISION_ALLOCATE) continue;
            if (w->n_groups == w->groups_cap) abort();
            for (int64_t t = 0; w->starts && t < w->taken[i].count; t++) {
                w->starts[w->tasks + t] = (yarn_start){
                    (uint32_t)(w->taken[i].job - ENGINE_FIRST_KEY),
                    (uint32_t)w->taken[i].node - 1};
            }
            w->groups[w->n_groups] = w->taken[i].group;
            w->counts[w->n_groups++] = w->taken[i].count;
            w->tasks += w->taken[i].count;
        }
    } while (n == ENGINE_CHUNK);
}

static engine_world *make_world(size_t leaves)
{
    engine_world *w = bench_new(1, sizeof *w);

    w->groups_cap = (size_t)ENGINE_NODES * 128;
    w->groups = bench_new(w->groups_cap, sizeof *w->groups);
    w->counts = bench_new(w->groups_cap, sizeof *w->counts);
    w->beats = bench_new(ENGINE_NODES, sizeof *w->beats);
    w->ends = bench_new(ENGINE_CHUNK, sizeof *w->ends);
    w->taken = bench_new(ENGINE_CHUNK, sizeof *w->taken);
    make_queues(w, (uint32_t)leaves);
    make_engine(w);
    return w;
}

static void drop_world(engine_world *w)
{
    sked_engine_free(w->engine);
    sked_tree_free(w->tree);
    sked_schema_free(w->schema);
    free(w->leaf);
    free(w->groups);
    free(w->counts);
    free(w->beats);
    free(w->ends);
    free(w->taken);
    free(w->yarn.queue);
    free(w->yarn.app);
    free(w->yarn.held);
    free(w->yarn.free);
    free(w->yarn.starts);
    free(w->starts);
    free(w);
}

static void yarn_reset(void *arg)
{
    yarn_empty(arg, engine_amounts_of[0]);
}

static void yarn_beats(void *arg)
{
    for (uint32_t n = 0; n < ENGINE_NODES; n++) yarn_node_event(arg, n);
}

/* The same queues for the reference, level by level. */
static void make_yarn_queues(engine_world *w)
{
    yarn_world *y = &w->yarn;
    uint32_t at = 1, each = w->leaves / (ENGINE_FAN * ENGINE_FAN);
    uint32_t fan[3] = {ENGINE_FAN, ENGINE_FAN, each};

    y->n_queues = 1 + ENGINE_FAN + ENGINE_FAN * ENGINE_FAN + w->leaves;
    y->first_leaf = y->n_queues - w->leaves;
    y->queue = bench_new(y->n_queues, sizeof *y->queue);
    for (uint32_t q = 0; q < y->n_queues; q++) {
        uint32_t level = q == 0 ? 0 : q <= ENGINE_FAN ? 1 : 2;
        uint32_t leaf = q - y->first_leaf;
        y->queue[q].weight = 1;
        if (q >= y->first_leaf) {
            y->queue[q].weight = 1 + (leaf * 7) % 5;
            y->queue[q].first = leaf * ENGINE_APPS;
            y->queue[q].n = ENGINE_APPS;
            continue;
        }
        y->queue[q].first = at;
        y->queue[q].n = fan[level];
        for (uint32_t i = 0; i < fan[level]; i++) y->queue[at++].parent = q;
    }
}

static void make_yarn(engine_world *w)
{
    yarn_world *y = &w->yarn;
    size_t most = (size_t)ENGINE_NODES * 64;

    if (w->leaves / (ENGINE_FAN * ENGINE_FAN) > YARN_FAN) abort();
    make_yarn_queues(w);
    y->n_apps = w->leaves * ENGINE_APPS;
    y->app = bench_new(y->n_apps, sizeof *y->app);
    y->held = bench_new((size_t)w->leaves * YARN_PARTS * YARN_USERS *
                            YARN_KINDS,
                        sizeof *y->held);
    y->n_nodes = ENGINE_NODES;
    y->free = bench_new((size_t)ENGINE_NODES * YARN_KINDS, sizeof *y->free);
    y->user_limit = ENGINE_USER_LIMIT / 1e6;
    y->starts = bench_new(most, sizeof *y->starts);
    w->starts = bench_new(most, sizeof *w->starts);
    for (uint32_t i = 0; i < y->n_apps; i++) {
        uint32_t a = i % ENGINE_APPS, row = 1 + (i / ENGINE_APPS + a) % 4;
        y->app[i].submitted = i;
        y->app[i].partition = a % ENGINE_PARTS;
        y->app[i].user = a % ENGINE_USERS;
        for (int k = 0; k < ENGINE_KINDS; k++) {
            y->app[i].task[k] = (double)engine_amounts_of[row][k];
        }
    }
    yarn_reset(y);
}

/* How many of the first tasks are started alike by both. */
static uint64_t same_starts(const engine_world *w)
{
    uint64_t n = 0;

    while (n < w->yarn.started && n < (uint64_t)w->tasks &&
           w->starts[n].app == w->yarn.starts[n].app &&
           w->starts[n].node == w->yarn.starts[n].node) {
        n++;
    }
    return n;
}

/* Ends everything that runs: not timed. */
static void end_all(void *arg)
{
    engine_world *w = arg;
    size_t n = 0;

    for (size_t i = 0; i < w->n_groups; i++) {
        w->ends[n++] = (sked_event){.time = w->now,
                                    .kind = SKED_EVENT_TASK_FINISH,
                                    .key = w->groups[i],
                                    .count = w->counts[i]};
        if (n < ENGINE_CHUNK && i + 1 < w->n_groups) continue;
        tell_engine(w, w->ends, n);
        n = 0;
    }
    w->n_groups = 0;
    w->tasks = 0;
    w->now++;
}

static void all_beats(void *arg)
{
    engine_world *w = arg;

    for (uint32_t i = 0; i < ENGINE_NODES; i++) {
        w->beats[i] = (sked_event){
            .time = w->now, .kind = SKED_EVENT_HEARTBEAT, .key = i + 1};
    }
    tell_engine(w, w->beats, ENGINE_NODES);
    take_groups(w);
}

static void many_idle_beats(void *arg)
{
    for (int i = 0; i < 50; i++) all_beats(arg);
}

/* ---- Entries ---- */

static void allocate(bench *b, size_t n)
{
    engine_world *w = make_world(n);

    make_yarn(w);
    add_apps(w, 1000000);
    all_beats(w);
    double tasks = (double)w->tasks, groups = (double)w->n_groups;
    yarn_beats(&w->yarn);
    double theirs = (double)w->yarn.started;
    int alike = same_starts(w) == w->yarn.started && theirs == tasks;
    free(w->starts);
    w->starts = NULL;
    bench_must(b, alike, "the reference starts the same tasks in that order");
    bench_compare(
        b,
        &(bench_row){
            .n = n,
            .unit = BENCH_PER_SECOND,
            .metric = "tasks started per second",
            .budget = 2e6,
            .reference = "families sorted anew, applications walked (YARN)",
            .note = "depth 3, 2 partitions, user limits; the reference "
                    "starts the same tasks"},
        &(bench_job){
            .run = all_beats, .before = end_all, .arg = w, .ops = tasks},
        &(bench_job){.run = yarn_beats,
                     .before = yarn_reset,
                     .arg = &w->yarn,
                     .ops = theirs});
    bench_must(b, tasks < groups * 1.05, "nearly every task has a decision");
    bench_must(b, sked_engine_check(w->engine, &w->err) == SKED_OK,
               "the books hold");
    drop_world(w);
}

static void idle(bench *b, size_t n)
{
    engine_world *w = make_world(n);

    add_apps(w, 1000000);
    all_beats(w);
    for (int i = 0; i < 4; i++) all_beats(w); /* user limits rise with use */
    int64_t full = w->tasks;
    bench_compare(b,
                  &(bench_row){.n = n,
                               .unit = BENCH_NS,
                               .metric = "ns per node event",
                               .budget = 50,
                               .note = "full nodes, work pending"},
                  &(bench_job){.run = many_idle_beats,
                               .arg = w,
                               .ops = 50.0 * ENGINE_NODES},
                  NULL);
    bench_must(b, w->tasks == full, "nothing was started");
    drop_world(w);
}

static uint64_t bytes_of(const engine_world *w)
{
    sked_engine_stats stats = {.struct_size = sizeof stats};

    engine_ok(sked_engine_get_stats(w->engine, &stats), &w->err);
    return stats.bytes;
}

static void report_bytes(bench *b, const char *what, size_t n, double bytes,
                         double budget)
{
    bench_report(b, &(bench_row){.variant = what,
                                 .n = n,
                                 .unit = BENCH_BYTES,
                                 .metric = "bytes each",
                                 .budget = budget,
                                 .value = bytes,
                                 .instructions = -1});
}

/* What is held more after than before, over what there is more. */
static void memory(bench *b, size_t n)
{
    engine_world *w = make_world(n), *wide = make_world(n * 2);
    double queues = (double)(wide->leaves - w->leaves);
    sked_engine_options opts = {.struct_size = sizeof opts};

    report_bytes(
        b, "queue and partition", n,
        (double)(bytes_of(wide) - bytes_of(w)) / (queues * ENGINE_PARTS), 512);
    drop_world(wide);
    (void)opts;
    add_apps(w, 1000000);
    take_groups(w);
    uint64_t before = bytes_of(w);
    for (uint64_t i = 0; i < 100000; i++) {
        sked_event ask = {.kind = SKED_EVENT_ASK_ADD,
                          .key = 10000000 + i,
                          .owner = 1000000 + i % (w->leaves * ENGINE_APPS),
                          .count = 5,
                          .amount = 2 + i % 4,
                          .partition = i % ENGINE_PARTS};
        tell_engine(w, &ask, 1);
    }
    report_bytes(b, "pending ask", 100000,
                 (double)(bytes_of(w) - before) / 100000, 128);
    all_beats(w); /* the ring of decisions has its size now */
    end_all(w);
    engine_world *fresh = make_world(n);
    add_apps(fresh, 1000000);
    all_beats(fresh);
    uint64_t full = bytes_of(fresh);
    double groups = (double)fresh->n_groups;
    engine_world *none = make_world(n);
    add_apps(none, 1000000);
    double ring = 0;
    for (size_t cap = 64; cap < fresh->n_groups + 4 * n; cap *= 2) {
        ring = (double)cap * 2 * sizeof(sked_decision);
    }
    report_bytes(b, "running group", (size_t)groups,
                 ((double)(full - bytes_of(none)) - ring) / groups, 96);
    drop_world(none);
    drop_world(fresh);
    drop_world(w);
}

const bench_entry bench_engine[] = {
    {"engine.allocate", "node events that start tasks", allocate, 1000, 1000,
     1000},
    {"engine.idle", "node events that cannot start anything", idle, 1000, 1000,
     1000},
    {"engine.memory", "bytes an engine holds", memory, 1000, 1000, 0},
    {0}};
