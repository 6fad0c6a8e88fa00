/*
 * The DRF sort beside what schedulers do that keep a sorted set and sort it
 * again (Mesos, YARN, YuniKorn): shares in doubles, a library sort.
 */
#include "bench.h"

#include <sched/sked.h>

#include <stdlib.h>
#include <string.h>

enum { KINDS = 4 };

typedef struct drf_world {
    uint32_t n;
    sked_drf *drf;
    sked_drf_input rows;
    int64_t capacity[KINDS];
    int64_t *usage; /* n rows */
    int64_t *demand;
    int64_t *most;
    uint32_t *weight;
    uint64_t *key;
    uint32_t *order;  /* ours */
    uint32_t *theirs; /* the reference's */
    double *share;
    int64_t *tasks;
    uint32_t *which; /* clients in random order */
    size_t steps;
    uint64_t seen; /* digest of our decisions */
    uint64_t seen_theirs;

    /* nodes, column by column */
    size_t nodes;
    int64_t *room[KINDS];
    int64_t *full[KINDS];
    size_t at;
} drf_world;

static void must_be_ok(sked_status rc)
{
    if (rc == SKED_OK) return;
    abort();
}

/* Queues and nodes as in a mixed cluster: 48 cores, 512 GB, some with GPUs. */
static void make_clients(drf_world *w, size_t n)
{
    uint64_t state = 7;

    w->n = (uint32_t)n;
    w->usage = bench_new(n * KINDS, sizeof *w->usage);
    w->demand = bench_new(n * KINDS, sizeof *w->demand);
    w->most = bench_new(n, sizeof *w->most);
    w->weight = bench_new(n, sizeof *w->weight);
    w->key = bench_new(n, sizeof *w->key);
    w->order = bench_new(n, sizeof *w->order);
    w->theirs = bench_new(n, sizeof *w->theirs);
    w->share = bench_new(n, sizeof *w->share);
    w->tasks = bench_new(n, sizeof *w->tasks);
    w->which = bench_new(n, sizeof *w->which);
    for (size_t i = 0; i < n; i++) {
        int64_t *demand = w->demand + i * KINDS;
        w->key[i] = i + 1;
        w->which[i] = (uint32_t)i;
        w->weight[i] = 1 + (uint32_t)bench_below(&state, 100);
        demand[0] = (1 + (int64_t)bench_below(&state, 8)) * 500;
        demand[1] = (1 + (int64_t)bench_below(&state, 32)) * 512;
        demand[2] = (int64_t)bench_below(&state, 16) * 1024;
        demand[3] = bench_below(&state, 50) == 0;
        w->most[i] = 1 + (int64_t)bench_below(&state, 200);
        uint64_t tasks = bench_below(&state, 100);
        for (int k = 0; k < KINDS; k++) {
            w->usage[i * KINDS + (size_t)k] = demand[k] * (int64_t)tasks;
        }
    }
    for (size_t i = n; i-- > 1;) {
        size_t other = (size_t)bench_below(&state, i + 1);
        uint32_t held = w->which[i];
        w->which[i] = w->which[other];
        w->which[other] = held;
    }
}

static void make_nodes(drf_world *w, size_t nodes)
{
    static const int64_t size[KINDS] = {96000, 524288, 10485760, 8};

    w->nodes = nodes;
    for (int k = 0; k < KINDS; k++) {
        w->room[k] = bench_new(nodes, sizeof **w->room);
        w->full[k] = bench_new(nodes, sizeof **w->full);
        w->capacity[k] = 0;
        for (size_t i = 0; i < nodes; i++) {
            w->full[k][i] = k == 3 && i % 4 ? 0 : size[k];
            w->capacity[k] += w->full[k][i];
        }
    }
}

static void make_handle(drf_world *w, const int64_t *usage)
{
    sked_drf_options opts = {
        .struct_size = sizeof opts, .kinds = KINDS, .clients = w->n};

    must_be_ok(sked_drf_new(&opts, NULL, &w->drf, NULL));
    must_be_ok(sked_drf_set_capacity(w->drf, w->capacity, NULL));
    must_be_ok(sked_drf_insert_rows(w->drf, w->key, w->weight, usage, w->n,
                                    NULL, NULL));
    w->rows = (sked_drf_input){.struct_size = sizeof w->rows,
                               .kinds = KINDS,
                               .n = w->n,
                               .capacity = w->capacity,
                               .usage = usage,
                               .demand = w->demand,
                               .weight = w->weight,
                               .most = w->most};
}

static void drop(drf_world *w)
{
    void *all[] = {w->usage, w->demand, w->most,  w->weight, w->key,
                   w->order, w->theirs, w->share, w->tasks,  w->which};

    sked_drf_free(w->drf);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    for (int k = 0; k < KINDS; k++) {
        free(w->room[k]);
        free(w->full[k]);
    }
}

/* ---- The reference: shares in doubles, everything sorted again ---- */

static double share_of(const drf_world *w, const int64_t *usage, uint32_t i)
{
    double most = 0;

    for (int k = 0; k < KINDS; k++) {
        double part = (double)usage[k] / (double)w->capacity[k];
        most = part > most ? part : most;
    }
    return most / w->weight[i];
}

static const double *sort_by; /* qsort() hands nothing through */

static int by_share(const void *a, const void *b)
{
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;

    if (sort_by[i] != sort_by[j]) return sort_by[i] < sort_by[j] ? -1 : 1;
    return i < j ? -1 : 1;
}

static void sort_theirs(drf_world *w)
{
    sort_by = w->share;
    qsort(w->theirs, w->n, sizeof *w->theirs, by_share);
}

/* The same order, but for shares that doubles cannot tell apart. */
static int same_order(const drf_world *w)
{
    for (uint32_t i = 0; i < w->n; i++) {
        double a = w->share[w->order[i]], b = w->share[w->theirs[i]];
        if (a - b > 1e-14 * b || b - a > 1e-14 * b) return 0;
    }
    return 1;
}

/* ---- drf.order ---- */

static void order_ours(void *arg)
{
    drf_world *w = arg;
    size_t n;

    for (size_t i = 0; i < w->steps; i++) {
        must_be_ok(sked_drf_list(w->drf, w->order, w->n, &n, NULL));
    }
}

static void order_arrays(void *arg)
{
    drf_world *w = arg;

    for (size_t i = 0; i < w->steps; i++) {
        must_be_ok(sked_drf_order(&w->rows, NULL, w->order, NULL));
    }
}

static void order_theirs(void *arg)
{
    drf_world *w = arg;

    for (size_t s = 0; s < w->steps; s++) {
        for (uint32_t i = 0; i < w->n; i++) {
            w->theirs[i] = i;
            w->share[i] = share_of(w, w->usage + (size_t)i * KINDS, i);
        }
        sort_theirs(w);
    }
}

static void measure_order(bench *b, size_t n, void (*ours)(void *),
                          const char *variant)
{
    drf_world w = {.steps = 1 + 200000 / n};
    double ops = (double)n * (double)w.steps;

    make_clients(&w, n);
    make_nodes(&w, n);
    make_handle(&w, w.usage);
    bench_compare(b,
                  &(bench_row){.variant = variant,
                               .n = n,
                               .unit = BENCH_NS,
                               .metric = "ns per client",
                               .budget = 20,
                               .reference = "shares in doubles, library sort"},
                  &(bench_job){.run = ours, .arg = &w, .ops = ops},
                  &(bench_job){.run = order_theirs, .arg = &w, .ops = ops});
    order_theirs(&w);
    bench_must(b, same_order(&w), "the reference finds our order");
    drop(&w);
}

static void order_n(bench *b, size_t n)
{
    static char handle[32], arrays[32];

    handle[0] = arrays[0] = 0;
    strcat(handle, n == 6000 ? "6000 handle" : "handle");
    strcat(arrays, n == 6000 ? "6000 arrays" : "arrays");
    measure_order(b, n, order_ours, handle);
    measure_order(b, n, order_arrays, arrays);
}

static void order(bench *b, size_t n)
{
    order_n(b, n);
    if (n == 1000) order_n(b, 6000);
}

/* ---- drf.update ---- */

static void update_ours(void *arg)
{
    drf_world *w = arg;

    for (uint32_t i = 0; i < w->n; i++) {
        uint32_t slot = w->which[i];
        const int64_t *row = w->demand + (size_t)slot * KINDS;
        must_be_ok(sked_drf_charge(w->drf, slot, row, NULL));
        w->seen ^= sked_drf_next(w->drf);
    }
    for (uint32_t i = 0; i < w->n; i++) {
        uint32_t slot = w->which[i];
        const int64_t *row = w->usage + (size_t)slot * KINDS;
        must_be_ok(sked_drf_update(w->drf, slot, row, NULL));
        w->seen ^= sked_drf_next(w->drf);
    }
}

/* One client moves within a sorted list, found by a scan. */
static void move_theirs(drf_world *w, uint32_t i, double share)
{
    uint32_t at = 0;

    while (w->theirs[at] != i) at++;
    w->share[i] = share;
    sort_by = w->share;
    for (; at > 0 && by_share(&w->theirs[at], &w->theirs[at - 1]) < 0; at--) {
        w->theirs[at] = w->theirs[at - 1];
        w->theirs[at - 1] = i;
    }
    for (; at + 1 < w->n && by_share(&w->theirs[at + 1], &w->theirs[at]) < 0;
         at++) {
        w->theirs[at] = w->theirs[at + 1];
        w->theirs[at + 1] = i;
    }
}

static void update_theirs(void *arg)
{
    drf_world *w = arg;

    for (size_t s = 0; s < w->steps; s++) {
        uint32_t i = w->which[s];
        int64_t row[KINDS];
        for (size_t k = 0; k < KINDS; k++) {
            row[k] = w->usage[(size_t)i * KINDS + k] +
                     w->demand[(size_t)i * KINDS + k];
        }
        move_theirs(w, i, share_of(w, row, i));
        w->seen_theirs ^= w->theirs[0];
        move_theirs(w, i, share_of(w, w->usage + (size_t)i * KINDS, i));
    }
}

static void update_n(bench *b, size_t n, const char *variant)
{
    drf_world w = {.steps = n < 1000 ? n : 1000};
    size_t listed;

    make_clients(&w, n);
    make_nodes(&w, n);
    make_handle(&w, w.usage);
    for (uint32_t i = 0; i < w.n; i++) {
        w.theirs[i] = i;
        w.share[i] = share_of(&w, w.usage + (size_t)i * KINDS, i);
    }
    sort_theirs(&w);
    bench_compare(
        b,
        &(bench_row){.variant = variant,
                     .n = n,
                     .unit = BENCH_US,
                     .metric = "us per update",
                     .budget = 0.15,
                     .reference = "sorted list, found by a scan (Mesos)"},
        &(bench_job){.run = update_ours, .arg = &w, .ops = 2.0 * (double)n},
        &(bench_job){
            .run = update_theirs, .arg = &w, .ops = 2.0 * (double)w.steps});
    must_be_ok(sked_drf_list(w.drf, w.order, w.n, &listed, NULL));
    bench_must(b, same_order(&w), "the reference ends in our order");
    drop(&w);
}

static void update(bench *b, size_t n)
{
    update_n(b, n, "100k clients");
    if (n == 100000) {
        update_n(b, 1000, "1k clients");
        update_n(b, 10000, "10k clients");
    }
}

/* ---- drf.pick: the loop with nodes, next fit ---- */

static int fits_node(const drf_world *w, size_t node, const int64_t *task)
{
    int64_t over = 0;

    for (int k = 0; k < KINDS; k++) over |= w->room[k][node] - task[k];
    return over >= 0;
}

/* The first node from the last one on that has room, or -1. */
static int64_t place(drf_world *w, const int64_t *task)
{
    for (size_t tried = 0; tried < w->nodes; tried++) {
        if (fits_node(w, w->at, task)) {
            for (int k = 0; k < KINDS; k++) w->room[k][w->at] -= task[k];
            return (int64_t)w->at;
        }
        if (++w->at == w->nodes) w->at = 0;
    }
    return -1;
}

static void pick_start(void *arg)
{
    drf_world *w = arg;

    for (int k = 0; k < KINDS; k++) {
        memcpy(w->room[k], w->full[k], w->nodes * sizeof **w->room);
    }
    memset(w->tasks, 0, w->n * sizeof *w->tasks);
    w->at = 0;
}

static void pick_before(void *arg)
{
    drf_world *w = arg;

    pick_start(w);
    sked_drf_free(w->drf);
    make_handle(w, NULL);
    w->seen = 0;
}

static void pick_ours(void *arg)
{
    drf_world *w = arg;
    uint32_t slot;

    for (size_t done = 0; done < w->steps; done++) {
        slot = sked_drf_next(w->drf);
        if (slot == SKED_DRF_NONE) return;
        const int64_t *task = w->demand + (size_t)slot * KINDS;
        int64_t node = w->tasks[slot] < w->most[slot] ? place(w, task) : -1;
        w->seen = w->seen * 31 + (uint64_t)node * 7 + slot;
        if (node < 0) {
            must_be_ok(sked_drf_activate(w->drf, slot, 0, NULL));
            continue;
        }
        w->tasks[slot]++;
        must_be_ok(sked_drf_charge(w->drf, slot, task, NULL));
    }
}

static void pick_theirs_before(void *arg)
{
    drf_world *w = arg;

    pick_start(w);
    for (uint32_t i = 0; i < w->n; i++) {
        w->theirs[i] = i;
        w->share[i] = 0;
    }
    w->seen_theirs = 0;
}

/* Everything sorted again at every decision, as far as `order` decisions. */
static void pick_theirs(void *arg)
{
    drf_world *w = arg;

    for (int done = 0; done < 100; done++) {
        sort_theirs(w);
        uint32_t i = w->theirs[0];
        const int64_t *task = w->demand + (size_t)i * KINDS;
        int64_t row[KINDS];
        int64_t node = place(w, task);
        w->seen_theirs = w->seen_theirs * 31 + (uint64_t)node * 7 + i;
        w->tasks[i]++;
        for (int k = 0; k < KINDS; k++) row[k] = task[k] * w->tasks[i];
        w->share[i] = share_of(w, row, i);
    }
}

static void pick(bench *b, size_t n)
{
    drf_world w = {.steps = 20 * n};

    make_clients(&w, n);
    make_nodes(&w, n);
    bench_compare(
        b,
        &(bench_row){.n = n,
                     .unit = BENCH_PER_SECOND,
                     .metric = "decisions per second",
                     .budget = 8e6,
                     .reference = "all sorted again per pick (YuniKorn)"},
        &(bench_job){.run = pick_ours,
                     .before = pick_before,
                     .arg = &w,
                     .ops = (double)w.steps},
        &(bench_job){.run = pick_theirs,
                     .before = pick_theirs_before,
                     .arg = &w,
                     .ops = 100});
    pick_theirs_before(&w);
    pick_theirs(&w);
    w.steps = 100;
    pick_before(&w);
    pick_ours(&w);
    bench_must(b, w.seen == w.seen_theirs, "the reference decides alike");
    drop(&w);
}

/* ---- drf.batch: a whole pool at once ---- */

static void batch_ours(void *arg)
{
    drf_world *w = arg;
    int64_t pool[KINDS];

    memcpy(pool, w->capacity, sizeof pool);
    must_be_ok(sked_drf_allocate(&w->rows, NULL, pool, w->tasks, NULL));
    memcpy(w->room[0], pool, sizeof pool);
}

static uint32_t *batch_order; /* room for the decisions one by one */

static void batch_theirs(void *arg)
{
    drf_world *w = arg;
    int64_t pool[KINDS];
    size_t n;

    memcpy(pool, w->capacity, sizeof pool);
    must_be_ok(
        sked_drf_picks(&w->rows, NULL, pool, batch_order, w->steps, &n, NULL));
    memcpy(w->room[1], pool, sizeof pool);
}

static void batch(bench *b, size_t n)
{
    drf_world w = {0};
    uint64_t decisions = 0;

    make_clients(&w, n);
    make_nodes(&w, n);
    make_handle(&w, NULL);
    batch_ours(&w);
    for (size_t i = 0; i < n; i++) decisions += (uint64_t)w.tasks[i];
    w.steps = (size_t)decisions + 1;
    batch_order = bench_new(w.steps, sizeof *batch_order);
    bench_compare(
        b,
        &(bench_row){.n = n,
                     .unit = BENCH_NS,
                     .metric = "ns per decision",
                     .budget = 6,
                     .reference = "our own loop, one by one"},
        &(bench_job){.run = batch_ours, .arg = &w, .ops = (double)decisions},
        &(bench_job){.run = batch_theirs, .arg = &w, .ops = (double)decisions});
    batch_theirs(&w);
    for (size_t i = 0; i < decisions; i++) w.tasks[batch_order[i]]--;
    int same = !memcmp(w.room[0], w.room[1], sizeof w.capacity);
    for (size_t i = 0; i < n; i++) same &= w.tasks[i] == 0;
    bench_must(b, same, "one by one gives the same tasks and rest");
    free(batch_order);
    drop(&w);
}

const bench_entry bench_drf[] = {
    {"drf.order", "DRF sort, full order", order, 1000, 0, 0},
    {"drf.update", "DRF update or release", update, 100000, 10000, 1000},
    {"drf.pick", "DRF pick, place, update over nodes", pick, 10000, 0, 0},
    {"drf.batch", "a pool divided by whole levels", batch, 10000, 0, 0},
    {0}};
