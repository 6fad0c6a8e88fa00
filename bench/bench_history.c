/*
 * Time units from intervals that come sorted, beside the plain way: all starts
 * and ends as events, one qsort of them by queue and time, one sweep.
 */
#include "bench.h"

#include <sched/history.h>

#include <stdlib.h>
#include <string.h>

enum { QUEUES = 200, BATCH = 100000 };

/* A start or an end of the reference. */
typedef struct event {
    uint32_t queue;
    int64_t time;
    int64_t more;
} event;

typedef struct interval_world {
    size_t n;
    uint32_t *queue;
    int64_t *start;
    int64_t *end;
    int64_t *amount;
    sked_pctl_queue total[QUEUES];
    event *events;
    int64_t in_use[QUEUES];
} interval_world;

static void must_hold(sked_status rc)
{
    if (rc != SKED_OK) abort();
}

/* Some 50 are open at a time in each queue. */
static interval_world make_intervals(size_t n)
{
    uint64_t state = 9;
    int64_t at = 0;
    interval_world w = {.n = n};

    w.queue = bench_new(n, sizeof *w.queue);
    w.start = bench_new(n, sizeof *w.start);
    w.end = bench_new(n, sizeof *w.end);
    w.amount = bench_new(n, sizeof *w.amount);
    w.events = bench_new(2 * n, sizeof *w.events);
    for (size_t i = 0; i < n; i++) {
        at += (int64_t)bench_below(&state, 200);
        w.queue[i] = (uint32_t)bench_below(&state, QUEUES);
        w.start[i] = at;
        w.end[i] = at + (int64_t)bench_below(&state, 2000000);
        w.amount[i] = 1 + (int64_t)bench_below(&state, 4);
    }
    return w;
}

static void drop_intervals(interval_world *w)
{
    free(w->queue);
    free(w->start);
    free(w->end);
    free(w->amount);
    free(w->events);
}

static void stream(void *arg)
{
    interval_world *w = arg;
    const sked_ratio p = {95, 100};
    sked_history_options opts = {.struct_size = sizeof opts, .queues = QUEUES};
    sked_pctl_point point[QUEUES];
    sked_history *history;

    must_hold(sked_history_new(NULL, &opts, NULL, &history, NULL));
    for (size_t at = 0; at < w->n; at += BATCH) {
        sked_history_input rows = {
            .struct_size = sizeof rows,
            .n = w->n - at < BATCH ? w->n - at : BATCH,
            .queue = w->queue + at,
            .start = w->start + at,
            .end = w->end + at,
            .amount = w->amount + at,
        };
        must_hold(sked_history_add(history, &rows, NULL, NULL));
    }
    must_hold(sked_history_settle(history, SKED_HISTORY_END, NULL));
    must_hold(
        sked_history_pctl(history, NULL, QUEUES, &p, 1, point, w->total, NULL));
    sked_history_free(history);
}

static int by_queue_and_time(const void *a, const void *b)
{
    const event *x = a, *y = b;

    if (x->queue != y->queue) return x->queue < y->queue ? -1 : 1;
    return (x->time > y->time) - (x->time < y->time);
}

static void sort_events(void *arg)
{
    interval_world *w = arg;
    int64_t held = 0;

    memset(w->in_use, 0, sizeof w->in_use);
    for (size_t i = 0; i < w->n; i++) {
        w->events[2 * i] = (event){w->queue[i], w->start[i], w->amount[i]};
        w->events[2 * i + 1] = (event){w->queue[i], w->end[i], -w->amount[i]};
    }
    qsort(w->events, 2 * w->n, sizeof *w->events, by_queue_and_time);
    for (size_t i = 0; i + 1 < 2 * w->n; i++) {
        const event *e = &w->events[i];
        held += e->more;
        if (held > 0 && e[1].queue == e->queue) {
            w->in_use[e->queue] += e[1].time - e->time;
        }
    }
}

static void stream_intervals(bench *b, size_t n)
{
    interval_world w = make_intervals(n);
    int same = 1;

    bench_compare(
        b,
        &(bench_row){.variant = "sorted, streamed",
                     .n = n,
                     .unit = BENCH_NS,
                     .metric = "ns per interval",
                     .reference = "qsort of all starts and ends"},
        &(bench_job){.run = stream, .arg = &w, .ops = (double)n},
        &(bench_job){.run = sort_events, .arg = &w, .ops = (double)n});
    stream(&w);
    sort_events(&w);
    for (int q = 0; q < QUEUES; q++) same &= w.total[q].in_use == w.in_use[q];
    bench_must(b, same, "both find the same time in use");
    drop_intervals(&w);
}

const bench_entry bench_history[] = {{"history", "time units from intervals",
                                      stream_intervals, 2000000, 200000,
                                      500000},
                                     {0}};
