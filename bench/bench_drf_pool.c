/*
 * A whole pool handed out by dominant resource fairness: decision by decision
 * over nodes, and by levels.
 */
#include <stdlib.h>
#include <string.h>

#include "drf_world.h"

/* ---- drf.pick: the loop with nodes, next fit ---- */

static int fits_node(const drf_world *w, size_t node, const int64_t *task)
{
    int64_t over = 0;

    for (int k = 0; k < KINDS; k++) over |= w->left[k][node] - task[k];
    return over >= 0;
}

/* The first node from the last one on that has enough free, or -1. */
static int64_t place(drf_world *w, const int64_t *task)
{
    for (size_t tried = 0; tried < w->nodes; tried++) {
        if (fits_node(w, w->at, task)) {
            for (int k = 0; k < KINDS; k++) w->left[k][w->at] -= task[k];
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
        memcpy(w->left[k], w->full[k], w->nodes * sizeof **w->left);
    }
    memset(w->tasks, 0, w->n * sizeof *w->tasks);
    w->at = 0;
}

static void pick_before(void *arg)
{
    drf_world *w = arg;

    pick_start(w);
    sked_drf_free(w->drf);
    drf_handle(w, NULL);
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
            drf_must(sked_drf_activate(w->drf, slot, 0, NULL));
            continue;
        }
        w->tasks[slot]++;
        drf_must(sked_drf_charge(w->drf, slot, task, NULL));
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
        drf_sort(w);
        uint32_t i = w->theirs[0];
        const int64_t *task = w->demand + (size_t)i * KINDS;
        int64_t row[KINDS];
        int64_t node = place(w, task);
        w->seen_theirs = w->seen_theirs * 31 + (uint64_t)node * 7 + i;
        w->tasks[i]++;
        for (int k = 0; k < KINDS; k++) row[k] = task[k] * w->tasks[i];
        w->share[i] = drf_share(w, row, i);
    }
}

static void pick(bench *b, size_t n)
{
    drf_world w = {.steps = 20 * n};

    drf_clients(&w, n);
    drf_nodes(&w, n);
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
    drf_drop(&w);
}

/* ---- drf.batch: a whole pool at once ---- */

static void batch_ours(void *arg)
{
    drf_world *w = arg;
    int64_t pool[KINDS];

    memcpy(pool, w->capacity, sizeof pool);
    drf_must(sked_drf_allocate(&w->rows, NULL, pool, w->tasks, NULL));
    memcpy(w->left[0], pool, sizeof pool);
}

static uint32_t *batch_order; /* space for the decisions one by one */

static void batch_theirs(void *arg)
{
    drf_world *w = arg;
    int64_t pool[KINDS];
    size_t n;

    memcpy(pool, w->capacity, sizeof pool);
    drf_must(
        sked_drf_picks(&w->rows, NULL, pool, batch_order, w->steps, &n, NULL));
    memcpy(w->left[1], pool, sizeof pool);
}

static void batch(bench *b, size_t n)
{
    drf_world w = {0};
    uint64_t decisions = 0;

    drf_clients(&w, n);
    drf_nodes(&w, n);
    drf_handle(&w, NULL);
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
    int same = !memcmp(w.left[0], w.left[1], sizeof w.capacity);
    for (size_t i = 0; i < n; i++) same &= w.tasks[i] == 0;
    bench_must(b, same, "one by one gives the same tasks and rest");
    free(batch_order);
    drf_drop(&w);
}

const bench_entry bench_drf_pool[] = {
    {"drf.pick", "DRF pick, place, update over nodes", pick, 10000, 0, 0},
    {"drf.batch", "a pool divided by whole levels", batch, 10000, 0, 0},
    {0}};
