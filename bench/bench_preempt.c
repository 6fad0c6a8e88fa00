/*
 * Victims beside the plain way: all candidates of the cluster sorted by the
 * library sort, then taken as they come until enough is covered.
 */
#include "bench.h"

#include <sched/sked.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 4, PER_QUEUE = 100, OVER = 100, PER_NODE = 100 };

typedef struct preempt_world {
    uint32_t n, queues, nodes, requests;
    int64_t *usage, *keep, *take;
    int64_t need[KINDS];
    uint32_t *queue, *node;
    int64_t *amount, *cost;
    int32_t *priority;
    sked_time *started;
    uint8_t *master;
    sked_rank_input rank;
    sked_preempt_input in;
    sked_preempt_result plan;
    uint32_t *request_queue, *request_count;
    int64_t *request_amount, *free, *share;

    uint32_t *order; /* the reference's */
    uint8_t *picked;
    int64_t *taken;
    int64_t their_cost;
    uint32_t their_victims;
} preempt_world;

static void must_be_ok(sked_status rc)
{
    if (rc == SKED_OK) return;
    abort();
}

static void draw_tasks(preempt_world *w, uint64_t *state)
{
    for (uint32_t i = 0; i < w->n; i++) {
        int64_t *amount = w->amount + (size_t)i * KINDS;
        /* neighbours on a node are of different queues */
        w->queue[i] = i % w->queues;
        w->node[i] = i / PER_NODE;
        amount[0] = (1 + (int64_t)bench_below(state, 8)) * 500;
        amount[1] = (1 + (int64_t)bench_below(state, 32)) * 512;
        amount[2] = (int64_t)bench_below(state, 16) * 1024;
        amount[3] = bench_below(state, 50) == 0;
        w->cost[i] = 1 + (int64_t)bench_below(state, 3600);
        w->priority[i] = (int32_t)bench_below(state, 5);
        w->started[i] = (sked_time)bench_below(state, 1U << 30);
        w->master[i] = bench_below(state, 100) == 0;
        for (uint32_t k = 0; k < KINDS; k++) {
            w->usage[(size_t)w->queue[i] * KINDS + k] += amount[k];
        }
    }
}

/* A hundred queues have twice what they keep; a fifth of it is to come back,
 * a tenth is needed. */
static void draw_queues(preempt_world *w)
{
    for (uint32_t q = 0; q < w->queues; q++) {
        int over = q % (w->queues / OVER) == 0;
        for (uint32_t k = 0; k < KINDS; k++) {
            size_t at = (size_t)q * KINDS + k;
            int64_t more = over ? w->usage[at] / 2 : 0;
            w->keep[at] = w->usage[at] - more;
            w->take[at] = more / 5;
            w->need[k] += more / 10;
        }
    }
}

static void columns_of(preempt_world *w)
{
    static const int32_t keys[] = {SKED_RANK_KEY_PRIORITY, SKED_RANK_KEY_MASTER,
                                   SKED_RANK_KEY_RUN_TIME};

    w->rank = (sked_rank_input){.struct_size = sizeof w->rank,
                                .n = w->n,
                                .n_keys = 3,
                                .keys = keys,
                                .priority = w->priority,
                                .started = w->started,
                                .master = w->master};
    w->in = (sked_preempt_input){.struct_size = sizeof w->in,
                                 .kinds = KINDS,
                                 .n_queues = w->queues,
                                 .n = w->n,
                                 .usage = w->usage,
                                 .keep = w->keep,
                                 .take = w->take,
                                 .need = w->need,
                                 .queue = w->queue,
                                 .amount = w->amount,
                                 .cost = w->cost,
                                 .rank = &w->rank};
    w->plan = (sked_preempt_result){
        .struct_size = sizeof w->plan,
        .victims = bench_new(w->n, sizeof(sked_preempt_victim)),
        .victims_cap = w->n,
        .placements = bench_new(w->n, sizeof(sked_preempt_placement)),
        .placements_cap = w->n};
}

static void make(preempt_world *w, size_t n)
{
    uint64_t state = 31;

    *w = (preempt_world){.n = (uint32_t)n,
                         .queues = (uint32_t)n / PER_QUEUE,
                         .nodes = (uint32_t)n / PER_NODE};
    size_t cells = (size_t)w->queues * KINDS;
    w->usage = bench_new(cells, sizeof *w->usage);
    w->keep = bench_new(cells, sizeof *w->keep);
    w->take = bench_new(cells, sizeof *w->take);
    w->share = bench_new(cells, sizeof *w->share);
    w->taken = bench_new(cells, sizeof *w->taken);
    w->queue = bench_new(n, sizeof *w->queue);
    w->node = bench_new(n, sizeof *w->node);
    w->amount = bench_new(n * KINDS, sizeof *w->amount);
    w->cost = bench_new(n, sizeof *w->cost);
    w->priority = bench_new(n, sizeof *w->priority);
    w->started = bench_new(n, sizeof *w->started);
    w->master = bench_new(n, sizeof *w->master);
    w->order = bench_new(n, sizeof *w->order);
    w->picked = bench_new(n, sizeof *w->picked);
    draw_tasks(w, &state);
    draw_queues(w);
    columns_of(w);
}

static void drop(preempt_world *w)
{
    void *all[] = {w->usage,         w->keep,
                   w->take,          w->share,
                   w->taken,         w->queue,
                   w->node,          w->amount,
                   w->cost,          w->priority,
                   w->started,       w->master,
                   w->order,         w->picked,
                   w->plan.victims,  w->plan.placements,
                   w->request_queue, w->request_count,
                   w->request_amount};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

static void ours(void *arg)
{
    preempt_world *w = arg;

    must_be_ok(sked_preempt_select(&w->in, NULL, &w->plan, NULL));
}

static const preempt_world *sorted;

static int by_rank(const void *x, const void *y)
{
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    const preempt_world *w = sorted;

    if (w->priority[a] != w->priority[b]) {
        return w->priority[a] < w->priority[b] ? -1 : 1;
    }
    if (w->master[a] != w->master[b]) return w->master[a] ? 1 : -1;
    if (w->started[a] != w->started[b]) {
        return w->started[a] > w->started[b] ? -1 : 1;
    }
    return a < b ? -1 : 1;
}

/* Does the task give something that is still wanted, and may its queue? */
static int is_useful(const preempt_world *w, uint32_t task,
                     const int64_t *covered)
{
    size_t queue = (size_t)w->queue[task] * KINDS;
    const int64_t *amount = w->amount + (size_t)task * KINDS;
    int useful = 0;

    for (uint32_t k = 0; k < KINDS; k++) {
        size_t at = queue + k;
        if (w->usage[at] - w->taken[at] - amount[k] < w->keep[at] &&
            amount[k] > 0) {
            return 0;
        }
        useful |= amount[k] > 0 && covered[k] < w->need[k] &&
                  w->taken[at] < w->take[at];
    }
    return useful;
}

static void theirs(void *arg)
{
    preempt_world *w = arg;
    int64_t covered[KINDS] = {0};

    memset(w->taken, 0, (size_t)w->queues * KINDS * sizeof *w->taken);
    for (uint32_t i = 0; i < w->n; i++) w->order[i] = i;
    sorted = w;
    qsort(w->order, w->n, sizeof *w->order, by_rank);
    w->their_cost = w->their_victims = 0;
    for (uint32_t i = 0; i < w->n; i++) {
        uint32_t task = w->order[i];
        if (!is_useful(w, task, covered)) continue;
        for (uint32_t k = 0; k < KINDS; k++) {
            size_t at = (size_t)w->queue[task] * KINDS + k;
            int64_t open = w->take[at] - w->taken[at];
            int64_t give = w->amount[(size_t)task * KINDS + k];
            w->taken[at] += give;
            if (open > 0) covered[k] += give < open ? give : open;
        }
        w->their_cost += w->cost[task];
        w->their_victims++;
    }
}

static void run_need(bench *b, size_t n)
{
    static char note[160];
    preempt_world w;

    make(&w, n);
    ours(&w);
    theirs(&w);
    must_be_ok(sked_preempt_verify(&w.in, &w.plan, NULL, NULL));
    snprintf(note, sizeof note,
             "cost %lld of %u victims, at most %.2f %% above the least; "
             "theirs %lld of %u",
             (long long)w.plan.cost, (unsigned)w.plan.tasks,
             100.0 * (double)(w.plan.cost - w.plan.bound) /
                 (double)(w.plan.bound ? w.plan.bound : 1),
             (long long)w.their_cost, (unsigned)w.their_victims);
    bench_compare(b,
                  &(bench_row){.variant = "by need",
                               .n = n,
                               .unit = BENCH_MS,
                               .metric = "ms a round",
                               .budget = n <= 1000000 ? 20 : 0,
                               .note = note,
                               .reference = "sort all candidates, walk"},
                  &(bench_job){.run = ours, .arg = &w, .ops = 1},
                  &(bench_job){.run = theirs, .arg = &w, .ops = 1});
    bench_must(b, w.plan.outcome == SKED_PREEMPT_OUTCOME_COVERED,
               "the need is covered");
    bench_must(b, w.plan.cost <= w.their_cost, "no dearer than the plain walk");
    drop(&w);
}

/* A hundred queues that have nothing ask for tasks on any node. */
static void draw_requests(preempt_world *w)
{
    w->requests = OVER;
    w->request_queue = bench_new(OVER, sizeof *w->request_queue);
    w->request_count = bench_new(OVER, sizeof *w->request_count);
    w->request_amount = bench_new((size_t)OVER * KINDS,
                                  sizeof *w->request_amount);
    memcpy(w->share, w->keep, (size_t)w->queues * KINDS * sizeof *w->share);
    for (uint32_t r = 0; r < OVER; r++) {
        uint32_t q = 1 + r * (w->queues / OVER);
        w->request_queue[r] = q;
        w->request_count[r] = 3;
        for (uint32_t k = 0; k < KINDS; k++) {
            w->share[(size_t)q * KINDS + k] = SKED_UNLIMITED;
        }
        w->request_amount[(size_t)r * KINDS] = 4000;
        w->request_amount[(size_t)r * KINDS + 1] = 8192;
    }
    w->in.n_nodes = w->nodes;
    w->in.node = w->node;
    w->in.share = w->share;
    w->in.take = NULL;
    w->in.need = NULL;
    w->in.n_requests = w->requests;
    w->in.request_queue = w->request_queue;
    w->in.request_amount = w->request_amount;
    w->in.request_count = w->request_count;
}

static void run_requests(bench *b, size_t n)
{
    preempt_world w;

    make(&w, n);
    draw_requests(&w);
    ours(&w);
    must_be_ok(sked_preempt_verify(&w.in, &w.plan, NULL, NULL));
    bench_compare(b,
                  &(bench_row){.variant = "by request, 300 tasks on any node",
                               .n = n,
                               .unit = BENCH_MS,
                               .metric = "ms a round"},
                  &(bench_job){.run = ours, .arg = &w, .ops = 1}, NULL);
    bench_must(b, w.plan.served == 3 * OVER, "every task gets a placement");
    drop(&w);
}

static void run_round(bench *b, size_t n)
{
    run_need(b, n);
    run_requests(b, n);
}

const bench_entry bench_preempt[] = {
    {"preempt.round", "victims, 100 tasks a queue, 100 queues over", run_round,
     1000000, 200000, 250000},
    {0}};
