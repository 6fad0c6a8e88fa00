/*
 * Rounds of preemption in an engine, beside rounds that read everything anew:
 * usage, demand, what is free, every task that runs, and a selection over all
 * of them, which must take as many tasks.
 */
#include "bench.h"

#include <sched/sked.h>

#include <stdio.h>
#include <stdlib.h>

enum {
    ROUNDS_QUEUES = 100, /* half of them run everything */
    ROUNDS_SLOTS = 10,   /* a node */
    ROUNDS_ASKS = 20,    /* of each queue that has nothing */
    ROUNDS_JOB = 50,     /* tasks of a job that runs */
    ROUNDS_TAKE = 4096
};

static const int64_t rounds_amounts[3][3] = {
    {10000, 40960, 1000}, /* a node */
    {1000, 2048, 0},      /* tasks */
    {1000, 4096, 0},
};

/* A task that runs. */
typedef struct rounds_task {
    sked_time since;
    uint32_t queue;
    uint32_t node;
    uint32_t amount;
} rounds_task;

typedef struct rounds_world {
    sked_schema *schema;
    sked_tree *tree;
    sked_engine *engine;
    sked_queue_id leaf[ROUNDS_QUEUES];
    sked_decision *taken;
    uint64_t key;
    uint64_t told;
    uint32_t nodes;
    sked_time now;
    sked_error err;
    rounds_task *task; /* that run */
    size_t n;
} rounds_world;

static void rounds_ok(sked_status rc, const sked_error *err)
{
    if (rc >= 0) return;
    fprintf(stderr, "bench_rounds: %s\n", err->message);
    abort();
}

/* Counts notices, and lists what runs. */
static void note_rounds(rounds_world *w, const sked_decision *d)
{
    uint32_t queue = 0;

    if (d->kind == SKED_DECISION_NOTIFY) w->told += (uint64_t)d->count;
    if (d->kind != SKED_DECISION_ALLOCATE) return;
    while (w->leaf[queue] != d->queue) queue++;
    for (int64_t i = 0; i < d->count; i++) {
        w->task[w->n++] = (rounds_task){
            .since = d->time,
            .queue = queue,
            .node = (uint32_t)d->node - 1,
            .amount = d->ask % 2 ? 1 : 2,
        };
    }
}

/* Tells one event; what is decided is taken. */
static void tell_rounds(rounds_world *w, sked_event event)
{
    sked_events batch = {.struct_size = sizeof batch,
                         .events = &event,
                         .n = 1,
                         .amounts = &rounds_amounts[0][0],
                         .n_amounts = 3};
    uint64_t done;
    size_t n;

    event.time = w->now;
    rounds_ok(sked_engine_apply(w->engine, &batch, &done, &w->err), &w->err);
    do {
        rounds_ok(sked_engine_take(w->engine, w->taken, ROUNDS_TAKE, &n, NULL),
                  &w->err);
        for (size_t i = 0; i < n; i++) note_rounds(w, &w->taken[i]);
    } while (n == ROUNDS_TAKE);
}

static void make_rounds_tree(rounds_world *w)
{
    rounds_ok(sked_schema_parse("cpu=m memory=B gpu=m", 20, NULL, &w->schema,
                                &w->err),
              &w->err);
    rounds_ok(sked_tree_new(w->schema, NULL, NULL, &w->tree, &w->err), &w->err);
    for (uint32_t i = 0; i < ROUNDS_QUEUES; i++) {
        char name[16];
        snprintf(name, sizeof name, "q%u", (unsigned)i);
        rounds_ok(sked_tree_add(w->tree, sked_tree_root(w->tree), name,
                                &w->leaf[i], &w->err),
                  &w->err);
    }
    rounds_ok(sked_tree_commit(w->tree, 0, &w->err), &w->err);
}

static void submit_rounds(rounds_world *w, uint32_t queue, int64_t tasks,
                          uint32_t amount)
{
    uint64_t key = ++w->key;

    tell_rounds(w, (sked_event){.kind = SKED_EVENT_JOB_SUBMIT,
                                .key = key,
                                .owner = 1,
                                .queue = w->leaf[queue]});
    tell_rounds(w, (sked_event){.kind = SKED_EVENT_ASK_ADD,
                                .key = key,
                                .owner = key,
                                .count = tasks,
                                .amount = amount});
}

static void beat_all_nodes(rounds_world *w)
{
    for (uint32_t i = 0; i < w->nodes; i++) {
        w->now += 1000000000;
        tell_rounds(w,
                    (sked_event){.kind = SKED_EVENT_HEARTBEAT, .key = i + 1});
    }
}

/* Queues are owed what weights say; what is told to end never does. */
static void begin_rounds(rounds_world *w)
{
    const sked_target_options targets = {.struct_size = sizeof targets,
                                         .flags = SKED_TARGET_FLAG_BY_WEIGHT};
    const sked_round_options rounds = {.struct_size = sizeof rounds,
                                       .grace_ns = INT64_C(1) << 60};
    const sked_engine_preempt_options opts = {
        .struct_size = sizeof opts, .targets = &targets, .rounds = &rounds};

    rounds_ok(sked_engine_preempt(w->engine, &opts, &w->err), &w->err);
}

/* Half of the queues run all of `tasks`; `busy`: the others ask. */
static rounds_world *make_rounds(size_t tasks, int busy)
{
    rounds_world *w = bench_new(1, sizeof *w);
    uint32_t jobs = (uint32_t)(tasks / ROUNDS_JOB);

    w->taken = bench_new(ROUNDS_TAKE, sizeof *w->taken);
    w->task = bench_new(tasks, sizeof *w->task);
    w->nodes = (uint32_t)(tasks / ROUNDS_SLOTS);
    make_rounds_tree(w);
    rounds_ok(sked_engine_new(w->tree, NULL, NULL, &w->engine, &w->err),
              &w->err);
    for (uint32_t i = 0; i < w->nodes; i++) {
        tell_rounds(w, (sked_event){.kind = SKED_EVENT_NODE_UP,
                                    .key = i + 1,
                                    .amount = 1});
    }
    for (uint32_t i = 0; i < jobs; i++) {
        submit_rounds(w, i % (ROUNDS_QUEUES / 2), ROUNDS_JOB, 2 + i % 2);
    }
    beat_all_nodes(w);
    begin_rounds(w);
    for (uint32_t i = ROUNDS_QUEUES / 2; busy && i < ROUNDS_QUEUES; i++) {
        submit_rounds(w, i, ROUNDS_ASKS, 2);
    }
    return w;
}

static void drop_rounds(rounds_world *w)
{
    sked_engine_free(w->engine);
    sked_tree_free(w->tree);
    sked_schema_free(w->schema);
    free(w->taken);
    free(w->task);
    free(w);
}

/* ---- Ours ---- */

static void hold_round(void *arg)
{
    rounds_world *w = arg;

    w->now += 3000000000;
    tell_rounds(w, (sked_event){.kind = SKED_EVENT_ROUND});
}

/* ---- Theirs: everything anew ---- */

typedef struct plain_rounds {
    const rounds_world *w;
    sked_target *target;
    int64_t capacity[3];
    int64_t *usage, *demand; /* rows of the tree x kinds */
    int64_t *free;           /* nodes x kinds */
    uint32_t *queue, *node;  /* by task */
    int64_t *amount, *cost;
    uint32_t request_queue[ROUNDS_QUEUES];
    uint32_t request_count[ROUNDS_QUEUES];
    int64_t request_amount[ROUNDS_QUEUES * 3];
    sked_preempt_result plan;
    int busy;
} plain_rounds;

/* Rows of the tree: the root's, then one for each leaf. */
static void read_tasks(plain_rounds *p)
{
    const rounds_world *w = p->w;

    for (uint32_t i = 0; i < w->nodes * 3; i++) {
        p->free[i] = rounds_amounts[0][i % 3];
    }
    for (uint32_t i = 0; i < (ROUNDS_QUEUES + 1) * 3; i++) p->usage[i] = 0;
    for (size_t i = 0; i < w->n; i++) {
        const rounds_task *t = &w->task[i];
        int64_t age = (w->now - t->since) / 1000000000, part = 0;
        p->queue[i] = t->queue + 1;
        p->node[i] = t->node;
        for (uint32_t k = 0; k < 3; k++) {
            int64_t a = rounds_amounts[t->amount][k];
            int64_t ppm = a * SKED_PPM / p->capacity[k];
            p->amount[i * 3 + k] = a;
            p->usage[(t->queue + 1) * 3 + k] += a;
            p->free[t->node * 3 + k] -= a;
            if (ppm > part) part = ppm;
        }
        p->cost[i] = part * age + 1;
    }
}

/* Queues that have nothing ask, as far as their shares go. */
static uint32_t read_asks(plain_rounds *p)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < (ROUNDS_QUEUES + 1) * 3; i++) {
        p->demand[i] = p->usage[i];
    }
    for (uint32_t q = ROUNDS_QUEUES / 2; p->busy && q < ROUNDS_QUEUES; q++) {
        p->request_queue[n] = q + 1;
        p->request_count[n] = ROUNDS_ASKS;
        for (uint32_t k = 0; k < 3; k++) {
            p->request_amount[n * 3 + k] = rounds_amounts[1][k];
            p->demand[(q + 1) * 3 + k] += ROUNDS_ASKS * rounds_amounts[1][k];
        }
        n++;
    }
    return n;
}

static void plain_round(void *arg)
{
    plain_rounds *p = arg;

    read_tasks(p);
    uint32_t requests = read_asks(p);
    const sked_target_input in = {.struct_size = sizeof in,
                                  .tree = p->w->tree,
                                  .capacity = p->capacity,
                                  .usage = p->usage,
                                  .demand = p->demand};
    sked_error err;
    rounds_ok(sked_target_compute(p->target, &in, p->w->now, &err), &err);
    const sked_preempt_input problem = {
        .struct_size = sizeof problem,
        .kinds = 3,
        .n_queues = ROUNDS_QUEUES + 1,
        .n_nodes = p->w->nodes,
        .n_requests = requests,
        .n = (uint32_t)p->w->n,
        .usage = p->usage,
        .share = sked_target_view(p->target, SKED_TARGET_COLUMN_SHARE, NULL),
        .keep = sked_target_view(p->target, SKED_TARGET_COLUMN_KEEP, NULL),
        .take = sked_target_view(p->target, SKED_TARGET_COLUMN_TAKE, NULL),
        .need = sked_target_total(p->target, SKED_TARGET_TOTAL_NEED, NULL),
        .budget = sked_target_total(p->target, SKED_TARGET_TOTAL_BUDGET, NULL),
        .queue = p->queue,
        .amount = p->amount,
        .cost = p->cost,
        .node = p->node,
        .free = p->free,
        .request_queue = p->request_queue,
        .request_amount = p->request_amount,
        .request_count = p->request_count,
    };
    rounds_ok(sked_preempt_select(&problem, NULL, &p->plan, &err), &err);
}

static plain_rounds *make_plain(const rounds_world *w, int busy)
{
    const sked_target_options targets = {.struct_size = sizeof targets,
                                         .flags = SKED_TARGET_FLAG_BY_WEIGHT};
    plain_rounds *p = bench_new(1, sizeof *p);
    sked_error err;

    p->w = w;
    p->busy = busy;
    for (uint32_t k = 0; k < 3; k++) {
        p->capacity[k] = rounds_amounts[0][k] * w->nodes;
    }
    p->usage = bench_new((ROUNDS_QUEUES + 1) * 3, sizeof *p->usage);
    p->demand = bench_new((ROUNDS_QUEUES + 1) * 3, sizeof *p->demand);
    p->free = bench_new((size_t)w->nodes * 3, sizeof *p->free);
    p->queue = bench_new(w->n, sizeof *p->queue);
    p->node = bench_new(w->n, sizeof *p->node);
    p->amount = bench_new(w->n * 3, sizeof *p->amount);
    p->cost = bench_new(w->n, sizeof *p->cost);
    p->plan = (sked_preempt_result){
        .struct_size = sizeof p->plan,
        .victims = bench_new(ROUNDS_TAKE, sizeof(sked_preempt_victim)),
        .placements = bench_new(ROUNDS_TAKE, sizeof(sked_preempt_placement)),
        .victims_cap = ROUNDS_TAKE,
        .placements_cap = ROUNDS_TAKE,
    };
    rounds_ok(sked_target_new(&targets, NULL, &p->target, &err), &err);
    return p;
}

static void drop_plain(plain_rounds *p)
{
    sked_target_free(p->target);
    free(p->usage);
    free(p->demand);
    free(p->free);
    free(p->queue);
    free(p->node);
    free(p->amount);
    free(p->cost);
    free(p->plan.victims);
    free(p->plan.placements);
    free(p);
}

/* ---- Both ---- */

static void compare_rounds(bench *b, size_t n, const char *variant, int busy)
{
    static char note[80];
    rounds_world *ours = make_rounds(n, busy);
    plain_rounds *theirs = make_plain(ours, busy);

    hold_round(ours);
    plain_round(theirs);
    bench_must(b, ours->told == theirs->plan.tasks && (ours->told > 0) == busy,
               "both tell as many tasks");
    snprintf(note, sizeof note, "%u nodes, %d queues, %llu told",
             (unsigned)ours->nodes, ROUNDS_QUEUES,
             (unsigned long long)ours->told);
    bench_compare(b,
                  &(bench_row){.variant = variant,
                               .n = n,
                               .unit = BENCH_US,
                               .metric = "us a round",
                               .note = note,
                               .reference = "read everything, select"},
                  &(bench_job){.run = hold_round, .arg = ours, .ops = 1},
                  &(bench_job){.run = plain_round, .arg = theirs, .ops = 1});
    drop_plain(theirs);
    drop_rounds(ours);
}

static void run_rounds(bench *b, size_t n)
{
    compare_rounds(b, n, "half of the queues claim", 1);
    compare_rounds(b, n, "nothing waits", 0);
}

const bench_entry bench_rounds[] = {{"preempt.engine",
                                     "rounds of an engine, by tasks that run",
                                     run_rounds, 100000, 20000, 25000},
                                    {0}};
