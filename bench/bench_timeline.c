/*
 * Conservative backfill of a queue that waits at once, on one pool: each job
 * gets its earliest start and a span there. The first jobs run and end at any
 * second. Beside it the same on a sorted array
 * of steps, as schedulers keep their profile of free nodes.
 */
#include "bench.h"

#include <sched/timeline.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LINE_TOTAL = 1024, LINE_RUNS = 64 /* that end at any second */ };

typedef struct line_world {
    size_t n;
    int64_t *amount;
    int64_t *duration;
    int64_t *ours;
    int64_t *theirs;
    /* The reference: moments, and what is held from each on. */
    int64_t *time;
    int64_t *held;
    size_t steps;
} line_world;

/* Limits that users ask for, in minutes. */
static const int64_t line_limits[] = {15, 30, 60, 120, 240, 480, 720, 1440};

static line_world line_make(size_t n, int any_limit)
{
    line_world w = {.n = n};
    uint64_t state = 7;

    w.amount = bench_new(n, sizeof *w.amount);
    w.duration = bench_new(n, sizeof *w.duration);
    w.ours = bench_new(n, sizeof *w.ours);
    w.theirs = bench_new(n, sizeof *w.theirs);
    w.time = bench_new(2 * n + 3, sizeof *w.time);
    w.held = bench_new(2 * n + 3, sizeof *w.held);
    for (size_t i = 0; i < n; i++) {
        w.amount[i] = (int64_t)1 << bench_below(&state, 9);
        int any = any_limit || i < LINE_RUNS;
        w.duration[i] = any ? 1 + (int64_t)bench_below(&state, 86400)
                            : 60 * line_limits[bench_below(&state, 8)];
    }
    return w;
}

static void line_drop(line_world *w)
{
    free(w->amount);
    free(w->duration);
    free(w->ours);
    free(w->theirs);
    free(w->time);
    free(w->held);
}

static void line_ours(void *arg)
{
    line_world *w = arg;
    const int64_t total = LINE_TOTAL;
    sked_timeline *line;

    if (sked_timeline_new(&total, 1, NULL, &line, NULL) != SKED_OK) abort();
    for (size_t i = 0; i < w->n; i++) {
        int64_t start;
        if (sked_timeline_earliest(line, 0, w->duration[i], &w->amount[i],
                                   &start, NULL) != SKED_OK ||
            sked_timeline_add(line, start, start + w->duration[i],
                              &w->amount[i], NULL, NULL) != SKED_OK) {
            abort();
        }
        w->ours[i] = start;
    }
    sked_timeline_free(line);
}

/* ---- The sorted array ---- */

/* The step that begins at `time`, made by a copy of the one before. */
static size_t line_step(line_world *w, size_t at, int64_t time)
{
    while (at + 1 < w->steps && w->time[at + 1] <= time) at++;
    if (w->time[at] == time) return at;
    size_t after = w->steps - at - 1;
    memmove(&w->time[at + 2], &w->time[at + 1], after * sizeof *w->time);
    memmove(&w->held[at + 2], &w->held[at + 1], after * sizeof *w->held);
    w->time[at + 1] = time;
    w->held[at + 1] = w->held[at];
    w->steps++;
    return at + 1;
}

static void line_theirs(void *arg)
{
    line_world *w = arg;

    w->steps = 1;
    w->time[0] = w->held[0] = 0;
    for (size_t i = 0; i < w->n; i++) {
        int64_t most = LINE_TOTAL - w->amount[i];
        size_t from = 0;
        for (size_t at = 0; at < w->steps; at++) {
            if (w->time[at] >= w->time[from] + w->duration[i]) break;
            if (w->held[at] > most) from = at + 1;
        }
        int64_t start = w->time[from];
        size_t until = line_step(w, from, start + w->duration[i]);
        for (size_t at = from; at < until; at++) w->held[at] += w->amount[i];
        w->theirs[i] = start;
    }
}

static int line_by_time(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The median of some runs per job, in time of the processor: on a crowded
 * machine a run of this length is seldom left alone. */
static double line_us(void (*run)(void *arg), line_world *w)
{
    enum { RUNS = 9 };
    double us[RUNS];

    for (int i = 0; i < RUNS; i++) {
        clock_t from = clock();
        run(w);
        us[i] = (double)(clock() - from) * 1e6 / CLOCKS_PER_SEC / (double)w->n;
    }
    qsort(us, RUNS, sizeof *us, line_by_time);
    return us[RUNS / 2];
}

static void line_compare(bench *b, size_t n, const char *variant, double budget,
                         int any_limit)
{
    line_world w = line_make(n, any_limit);
    double ours = line_us(line_ours, &w), theirs = line_us(line_theirs, &w);

    bench_report(b, &(bench_row){.variant = variant,
                                 .n = n,
                                 .unit = BENCH_US,
                                 .metric = "us of the processor per job",
                                 .budget = budget,
                                 .reference = "a sorted array of steps",
                                 .value = ours,
                                 .reference_value = theirs,
                                 .instructions = -1});
    bench_must(b, memcmp(w.ours, w.theirs, n * sizeof *w.ours) == 0,
               "the array gives the same starts");
    line_drop(&w);
}

static void line_backfill(bench *b, size_t n)
{
    line_compare(b, n, "usual limits", 2, 0);
    line_compare(b, n, "any limit", 0, 1);
}

const bench_entry bench_timeline[] = {
    {"timeline.backfill", "conservative backfill of a queue, one pool",
     line_backfill, 16000, 4000, 4000},
    {0}};
