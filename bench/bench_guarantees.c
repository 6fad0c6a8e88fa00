/*
 * Cost of shares in the engine. The measured step: one task ends, the node
 * sends a heartbeat, and the next task starts. Each row of the benchmark
 * compares two engines with the same queues and asks. The first engine uses
 * shares for order or claims; the second engine (GUARANTEE_NONE) does not.
 */
#include "bench.h"

#include <sched/sked.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    GUARANTEE_FAMILY = 100, /* leaves in a family */
    GUARANTEE_ASKS = 10,    /* asks in a leaf */
    GUARANTEE_SLOTS = 16,   /* tasks on a node */
    GUARANTEE_EACH = 8,     /* running tasks in a leaf */
    GUARANTEE_ENDS = 500    /* ended tasks in a run */
};

static const int64_t guarantee_amounts[2][2] = {
    {64000, 256000}, /* of a node */
    {4000, 16000},   /* of a task */
};

/* The reason to compute shares. */
typedef enum guarantee_sort {
    GUARANTEE_NONE,
    GUARANTEE_SAID,
    GUARANTEE_SHARE,
    GUARANTEE_UTILISATION,
    GUARANTEE_MASTERS,
    GUARANTEE_ROUNDS
} guarantee_sort;

typedef struct guarantee_run {
    uint64_t group;
    uint64_t node;
    uint64_t ask;
} guarantee_run;

typedef struct guarantee_world {
    sked_schema *schema;
    sked_tree *tree;
    sked_engine *engine;
    sked_queue_id *leaf;
    guarantee_run *run; /* one entry for each running task */
    size_t n_runs, next;
    uint64_t ended[GUARANTEE_ENDS]; /* asks of the tasks that ended in a run */
    size_t n_ended;
    int64_t
        tasks; /* open tasks of an ask at the begin of a run; 0: not kept up */
    uint32_t leaves, nodes;
    guarantee_sort sort;
    sked_time now;
    sked_error err;
} guarantee_world;

static void guarantee_ok(sked_status rc, const sked_error *err)
{
    if (rc >= 0) return;
    fprintf(stderr, "bench_guarantees: %s\n", err->message);
    abort();
}

/* Writes and reads a tree: families of leaves below the root. */
static void guarantee_tree(guarantee_world *w)
{
    static const char *const order[] = {"drf",         "drf", "share",
                                        "utilisation", "drf", "drf"};
    size_t size = 200 + (size_t)w->leaves * 80, at = 0;
    char *text = bench_new(size, 1);

    at += (size_t)snprintf(text, size, "kinds cpu=m memory=B\nroot order=%s\n",
                           order[w->sort]);
    for (uint32_t i = 0; i < w->leaves; i++) {
        uint32_t family = i / GUARANTEE_FAMILY;
        if (i % GUARANTEE_FAMILY == 0) {
            at += (size_t)snprintf(text + at, size - at,
                                   "root.f%" PRIu32 " order=%s\n", family,
                                   order[w->sort]);
        }
        at += (size_t)snprintf(
            text + at, size - at, "root.f%" PRIu32 ".l%" PRIu32 "%s%s\n",
            family, i,
            w->sort == GUARANTEE_SAID || w->sort == GUARANTEE_ROUNDS
                ? " guarantee=\"cpu=8000m\""
                : "",
            w->sort == GUARANTEE_MASTERS ? " am_share=50%" : "");
    }
    guarantee_ok(sked_tree_parse_schema(text, at, NULL, &w->schema, &w->err),
                 &w->err);
    guarantee_ok(sked_tree_new(w->schema, NULL, NULL, &w->tree, &w->err),
                 &w->err);
    guarantee_ok(
        sked_tree_parse(w->tree, text, at, "bench", NULL, 0, NULL, &w->err),
        &w->err);
    guarantee_ok(sked_tree_commit(w->tree, 0, &w->err), &w->err);
    for (uint32_t i = 0; i < w->leaves; i++) {
        char path[64];
        snprintf(path, sizeof path, "root.f%" PRIu32 ".l%" PRIu32,
                 i / GUARANTEE_FAMILY, i);
        guarantee_ok(sked_tree_find(w->tree, path, &w->leaf[i], &w->err),
                     &w->err);
    }
    free(text);
}

static void guarantee_tell(guarantee_world *w, const sked_event *events,
                           size_t n)
{
    sked_events batch = {.struct_size = sizeof batch,
                         .events = events,
                         .n = n,
                         .amounts = &guarantee_amounts[0][0],
                         .n_amounts = 2};

    guarantee_ok(sked_engine_apply(w->engine, &batch, NULL, &w->err), &w->err);
}

/* Takes the decisions and adds an entry to `run` for each started task. */
static void guarantee_take(guarantee_world *w)
{
    sked_decision taken[64];
    size_t n;

    do {
        guarantee_ok(sked_engine_take(w->engine, taken, 64, &n, &w->err),
                     &w->err);
        for (size_t i = 0; i < n; i++) {
            for (int64_t t = 0;
                 taken[i].kind == SKED_DECISION_ALLOCATE && t < taken[i].count;
                 t++) {
                if (w->n_runs == (size_t)w->nodes * GUARANTEE_SLOTS) abort();
                w->run[w->n_runs++] = (guarantee_run){
                    taken[i].group, taken[i].node, taken[i].ask};
            }
        }
    } while (n > 0);
}

static void guarantee_engine(guarantee_world *w)
{
    sked_target_options target = {.struct_size = sizeof target,
                                  .mode = SKED_TARGET_MODE_ENTITLEMENT,
                                  .cycles = 1};
    sked_round_options rounds = {.struct_size = sizeof rounds, .kinds = 2};
    sked_engine_preempt_options preempt = {
        .struct_size = sizeof preempt, .targets = &target, .rounds = &rounds};

    guarantee_ok(sked_engine_new(w->tree, NULL, NULL, &w->engine, &w->err),
                 &w->err);
    if (w->sort == GUARANTEE_ROUNDS) {
        guarantee_ok(sked_engine_preempt(w->engine, &preempt, &w->err),
                     &w->err);
    }
}

/* Makes an engine with `tasks` tasks in each ask. If `dry` is not 0, every
 * `dry`th leaf has only 4 asks of one task, fewer than the leaf could run. */
static guarantee_world *guarantee_make(size_t leaves, guarantee_sort sort,
                                       int64_t tasks, uint32_t dry)
{
    guarantee_world *w = bench_new(1, sizeof *w);
    uint64_t key = 1;

    w->leaves = (uint32_t)leaves;
    w->nodes = w->leaves * GUARANTEE_EACH / GUARANTEE_SLOTS;
    w->sort = sort;
    w->tasks = dry ? 0 : tasks;
    w->leaf = bench_new(leaves, sizeof *w->leaf);
    w->run = bench_new((size_t)w->nodes * GUARANTEE_SLOTS, sizeof *w->run);
    guarantee_tree(w);
    guarantee_engine(w);
    for (uint32_t i = 0; i < w->nodes; i++) {
        sked_event up = {.kind = SKED_EVENT_NODE_UP, .key = i + 1, .amount = 1};
        guarantee_tell(w, &up, 1);
    }
    for (uint32_t i = 0; i < w->leaves; i++) {
        int is_dry = dry && i % dry == 0;
        for (uint32_t a = 0; a < (is_dry ? 4 : GUARANTEE_ASKS); a++, key++) {
            sked_event both[2] = {{.kind = SKED_EVENT_JOB_SUBMIT,
                                   .key = key,
                                   .owner = 1,
                                   .queue = w->leaf[i]},
                                  {.kind = SKED_EVENT_ASK_ADD,
                                   .key = key,
                                   .owner = key,
                                   .count = is_dry ? 1 : tasks,
                                   .amount = 2}};
            guarantee_tell(w, both, 2);
        }
    }
    guarantee_ok(sked_engine_pass(w->engine, w->now, 0, &w->err), &w->err);
    guarantee_take(w);
    return w;
}

static void guarantee_drop(guarantee_world *w)
{
    sked_engine_free(w->engine);
    sked_tree_free(w->tree);
    sked_schema_free(w->schema);
    free(w->leaf);
    free(w->run);
    free(w);
}

/* Ends tasks one at a time. The node sends a heartbeat and starts a task. */
static void guarantee_ends(void *arg)
{
    guarantee_world *w = arg;

    for (int i = 0; i < GUARANTEE_ENDS; i++) {
        size_t at = w->next++ * 7919 % w->n_runs;
        guarantee_run run = w->run[at];
        sked_event both[2] = {
            {.time = ++w->now,
             .kind = SKED_EVENT_TASK_FINISH,
             .key = run.group,
             .count = 1},
            {.time = w->now, .kind = SKED_EVENT_HEARTBEAT, .key = run.node}};
        w->run[at] = w->run[--w->n_runs];
        w->ended[w->n_ended++] = run.ask;
        guarantee_tell(w, both, 2);
        if (w->sort == GUARANTEE_ROUNDS && i == 0) {
            sked_event round = {.time = w->now, .kind = SKED_EVENT_ROUND};
            guarantee_tell(w, &round, 1);
        }
        guarantee_take(w);
    }
}

/* Gives the asks whose tasks ended in the last run new tasks, so that backlogs
 * stay as long as they are, and lets the engine see it. */
static void guarantee_refill(void *arg)
{
    guarantee_world *w = arg;
    sked_event beat = {
        .time = ++w->now, .kind = SKED_EVENT_HEARTBEAT, .key = 1};

    for (size_t i = 0; w->tasks > 0 && i < w->n_ended; i++) {
        sked_event more = {.time = w->now,
                           .kind = SKED_EVENT_ASK_CHANGE,
                           .key = w->ended[i],
                           .count = w->tasks};
        guarantee_tell(w, &more, 1);
    }
    w->n_ended = 0;
    guarantee_tell(w, &beat, 1);
    guarantee_take(w);
}

static void guarantee_row(bench *b, size_t n, const char *variant,
                          guarantee_sort sort, int64_t tasks, uint32_t dry,
                          double budget)
{
    guarantee_world *w = guarantee_make(n, sort, tasks, dry);
    guarantee_world *plain = guarantee_make(n, GUARANTEE_NONE, tasks, dry);

    bench_compare(b,
                  &(bench_row){.variant = variant,
                               .n = n,
                               .unit = BENCH_US,
                               .metric = "us an end and a heartbeat",
                               .budget = budget,
                               .reference = "the same without shares"},
                  &(bench_job){.run = guarantee_ends,
                               .before = guarantee_refill,
                               .arg = w,
                               .ops = GUARANTEE_ENDS},
                  &(bench_job){.run = guarantee_ends,
                               .before = guarantee_refill,
                               .arg = plain,
                               .ops = GUARANTEE_ENDS});
    bench_must(b, w->n_runs + GUARANTEE_SLOTS > plain->n_runs,
               "as many tasks run as without shares");
    guarantee_drop(w);
    guarantee_drop(plain);
}

static void guarantees(bench *b, size_t n)
{
    guarantee_row(b, n, "deep backlogs", GUARANTEE_SAID, 1000000, 0, 20);
    guarantee_row(b, n, "small backlogs", GUARANTEE_SAID, 40, 0, 20);
    guarantee_row(b, n, "order share", GUARANTEE_SHARE, 40, 0, 20);
    guarantee_row(b, n, "order utilisation", GUARANTEE_UTILISATION, 40, 0, 20);
    guarantee_row(b, n, "am_share", GUARANTEE_MASTERS, 40, 0, 20);
    guarantee_row(b, n, "rounds", GUARANTEE_ROUNDS, 40, 0, 0);
    guarantee_row(b, n, "half of the leaves dry", GUARANTEE_SAID, 40, 2, 0);
}

const bench_entry bench_guarantees[] = {{"engine.guarantees",
                                         "an end where shares are kept",
                                         guarantees, 2000, 2000, 500},
                                        {0}};
