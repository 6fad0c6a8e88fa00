/*
 * A judge over the history of a right first-come scheduler, beside the plain
 * way to check the bounds alone: every start and end as an event, one qsort by
 * node and time, one sweep.
 */
#include "bench.h"

#include <sched/audit.h>

#include <stdlib.h>
#include <string.h>

enum { AUDIT_NODES = 1000, AUDIT_QUEUES = 64, AUDIT_CPUS = 64, BATCH = 65536 };

/* A start or an end of the reference. */
typedef struct audit_event {
    int64_t time;
    int64_t more;
    uint32_t node;
} audit_event;

typedef struct audit_world {
    sked_audit_row *row;
    size_t n;
    int64_t amounts[AUDIT_CPUS + 1];
    audit_event *event;
    size_t events;
    uint64_t found;
} audit_world;

static sked_audit_row *audit_put(audit_world *w, int64_t time, int32_t type,
                                 uint64_t key)
{
    sked_audit_row *row = &w->row[w->n++];

    *row = (sked_audit_row){
        .time = time, .type = type, .key = key, .amounts = -1};
    return row;
}

/* Each node runs tasks one after the other; a job has one task. */
static void audit_fill(audit_world *w, size_t n)
{
    uint64_t state = 3, job = 0;
    uint64_t on[AUDIT_NODES] = {0};
    int64_t now = 0;

    while (w->n + 8 < n) {
        size_t i = bench_below(&state, AUDIT_NODES);
        uint64_t node = i + 1;
        int64_t cpus = 1 + (int64_t)bench_below(&state, AUDIT_CPUS);
        now += (int64_t)bench_below(&state, 100);
        if (on[i]) {
            sked_audit_row *row = audit_put(w, now, SKED_AUDIT_ROW_DONE, on[i]);
            row->on = node;
            row->count = 1;
            w->event[w->events++] = (audit_event){now, 0, (uint32_t)i};
        }
        on[i] = ++job;
        sked_audit_row *row = audit_put(w, now, SKED_AUDIT_ROW_JOB, job);
        row->of = 1 + job % AUDIT_QUEUES;
        row = audit_put(w, now, SKED_AUDIT_ROW_TASKS, job);
        row->of = job;
        row->count = 1;
        row->amounts = (int32_t)cpus;
        row = audit_put(w, now, SKED_AUDIT_ROW_START, job);
        row->on = node;
        row->count = 1;
        w->event[w->events++] = (audit_event){now, cpus, (uint32_t)i};
    }
}

static audit_world audit_make(size_t n)
{
    audit_world w = {.n = 0};

    w.row = bench_new(n + AUDIT_NODES + 3 * AUDIT_QUEUES, sizeof *w.row);
    w.event = bench_new(n, sizeof *w.event);
    for (int i = 0; i <= AUDIT_CPUS; i++) w.amounts[i] = i;
    for (uint64_t i = 1; i <= AUDIT_NODES; i++) {
        audit_put(&w, 0, SKED_AUDIT_ROW_NODE, i)->amounts = AUDIT_CPUS;
    }
    for (uint64_t i = 1; i <= AUDIT_QUEUES; i++) {
        audit_put(&w, 0, SKED_AUDIT_ROW_QUEUE, i)->value = 1;
        audit_put(&w, 0, SKED_AUDIT_ROW_GUARANTEE, i)->amounts = AUDIT_CPUS;
    }
    audit_fill(&w, n);
    return w;
}

static void audit_ours(void *arg)
{
    audit_world *w = arg;
    sked_audit_options o = {.struct_size = sizeof o, .kinds = 1};
    sked_audit *a;

    if (sked_audit_new(&o, NULL, &a, NULL) != SKED_OK) abort();
    for (size_t at = 0; at < w->n; at += BATCH) {
        size_t n = w->n - at < BATCH ? w->n - at : BATCH;
        if (sked_audit_add(a, w->row + at, n, w->amounts, AUDIT_CPUS + 1, NULL,
                           NULL) != SKED_OK) {
            abort();
        }
    }
    if (sked_audit_end(a, w->row[w->n - 1].time, NULL) != SKED_OK) abort();
    w->found = sked_audit_count(a, 0);
    sked_audit_free(a);
}

static int audit_by_node(const void *x, const void *y)
{
    const audit_event *a = x, *b = y;

    if (a->node != b->node) return a->node < b->node ? -1 : 1;
    return (a->time > b->time) - (a->time < b->time);
}

static void audit_theirs(void *arg)
{
    audit_world *w = arg;
    audit_event *copy = bench_new(w->events, sizeof *copy);
    uint64_t over = 0;

    memcpy(copy, w->event, w->events * sizeof *copy);
    qsort(copy, w->events, sizeof *copy, audit_by_node);
    for (size_t i = 0; i < w->events; i++) over += copy[i].more > AUDIT_CPUS;
    w->found += over;
    free(copy);
}

static void audit_rate(bench *b, size_t n)
{
    audit_world w = audit_make(n);

    bench_compare(
        b,
        &(bench_row){.variant = "clean",
                     .n = n,
                     .unit = BENCH_PER_SECOND,
                     .metric = "rows a second",
                     .budget = 1e6,
                     .reference = "qsort of starts and ends, bounds "
                                  "of nodes alone"},
        &(bench_job){.run = audit_ours, .arg = &w, .ops = (double)n},
        &(bench_job){.run = audit_theirs, .arg = &w, .ops = (double)n});
    bench_must(b, w.found == 0, "the history is clean");
    free(w.row);
    free(w.event);
}

const bench_entry bench_audit[] = {
    {"audit.rows", "a history judged", audit_rate, 2000000, 100000, 0}, {0}};
