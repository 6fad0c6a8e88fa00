/*
 * Percentile allocation beside a plain sort: qsort of the units in use by
 * amount, and adding up until the threshold is reached. A unit is 16 bytes,
 * its length and its amount.
 */
#include "bench.h"

#include <sched/sked.h>

#include <stdlib.h>
#include <string.h>

enum { UNITS = 720, MOST = 6, DAY = 24 };

static const sked_ratio thresholds[MOST] = {{95, 100}, {1, 2},    {8, 10},
                                            {9, 10},   {99, 100}, {1, 1}};

typedef struct pair {
    int64_t amount;
    int64_t length;
} pair;

typedef struct pctl_world {
    size_t n;
    uint32_t queues;
    uint32_t m; /* thresholds */
    uint32_t flags;
    int64_t *length;
    int64_t *amount;
    uint64_t *first;
    sked_pctl_point *point;
    int64_t *theirs;
    pair *scratch;
} pctl_world;

static void must(sked_status rc)
{
    if (rc != SKED_OK) abort();
}

/* As instances are used: many small amounts, a long tail, a quarter vacant. */
static int64_t draw_amount(uint64_t *state)
{
    uint64_t bits = bench_below(state, 9);

    if (bench_below(state, 4) == 0) return 0;
    return 20 + (int64_t)bench_below(state, (uint64_t)64 << bits);
}

static pctl_world make_units(size_t n, uint32_t queues, uint32_t m)
{
    uint64_t state = 3;
    pctl_world w = {.n = n, .queues = queues, .m = m};

    w.length = bench_new(n, sizeof *w.length);
    w.amount = bench_new(n, sizeof *w.amount);
    w.first = bench_new(queues + 1, sizeof *w.first);
    w.point = bench_new((size_t)queues * m, sizeof *w.point);
    w.theirs = bench_new((size_t)queues * m, sizeof *w.theirs);
    w.scratch = bench_new(n / queues, sizeof *w.scratch);
    for (size_t i = 0; i < n; i++) {
        w.length[i] = 60 + (int64_t)bench_below(&state, 3600);
        w.amount[i] = draw_amount(&state);
    }
    for (uint32_t q = 0; q <= queues; q++) w.first[q] = n / queues * q;
    return w;
}

static void drop_units(pctl_world *w)
{
    free(w->length);
    free(w->amount);
    free(w->first);
    free(w->point);
    free(w->theirs);
    free(w->scratch);
}

static void ours(void *arg)
{
    pctl_world *w = arg;
    sked_pctl_input in = {.struct_size = sizeof in,
                          .flags = w->flags,
                          .n = w->n,
                          .length = w->length,
                          .amount = w->amount,
                          .first = w->first,
                          .threshold = thresholds,
                          .queues = w->queues,
                          .thresholds = w->m};

    must(sked_pctl(&in, NULL, w->point, NULL, NULL));
}

static int by_amount(const void *a, const void *b)
{
    int64_t x = ((const pair *)a)->amount, y = ((const pair *)b)->amount;

    return (x > y) - (x < y);
}

static void sort_queue(pctl_world *w, uint32_t q)
{
    int64_t sum = 0;
    size_t n = 0;

    for (uint64_t i = w->first[q]; i < w->first[q + 1]; i++) {
        if (w->amount[i] == 0) continue;
        w->scratch[n++] = (pair){w->amount[i], w->length[i]};
        sum += w->length[i];
    }
    qsort(w->scratch, n, sizeof *w->scratch, by_amount);
    for (uint32_t j = 0; j < w->m; j++) {
        int64_t covered = 0;
        size_t i = 0;
        while (covered * thresholds[j].den < sum * thresholds[j].num) {
            covered += w->scratch[i++].length;
        }
        w->theirs[(size_t)q * w->m + j] = w->scratch[i - 1].amount;
    }
}

static void theirs(void *arg)
{
    pctl_world *w = arg;

    for (uint32_t q = 0; q < w->queues; q++) sort_queue(w, q);
}

static int same_answers(const pctl_world *w)
{
    for (size_t i = 0; i < (size_t)w->queues * w->m; i++) {
        if (w->point[i].amount != w->theirs[i]) return 0;
    }
    return 1;
}

static void one_queue(bench *b, size_t n, uint32_t m, const char *variant,
                      double budget)
{
    pctl_world w = make_units(n, 1, m);
    double gigabytes = 16e-9 * (double)n;

    bench_compare(b,
                  &(bench_row){.variant = variant,
                               .n = n,
                               .unit = BENCH_PER_SECOND,
                               .metric = "GB of units per second",
                               .budget = budget,
                               .reference = "qsort and a sum"},
                  &(bench_job){.run = ours, .arg = &w, .ops = gigabytes},
                  &(bench_job){.run = theirs, .arg = &w, .ops = gigabytes});
    ours(&w);
    theirs(&w);
    bench_must(b, same_answers(&w), "sorting gives our amounts");
    drop_units(&w);
}

static void many_queues(bench *b, size_t n, uint32_t m, const char *variant,
                        double budget)
{
    uint32_t queues = (uint32_t)(n / UNITS);
    pctl_world w = make_units((size_t)queues * UNITS, queues, m);

    bench_compare(
        b,
        &(bench_row){.variant = variant,
                     .n = w.n,
                     .unit = BENCH_MS,
                     .metric = "ms for 10,000 queues x 720 units",
                     .budget = budget,
                     .reference = "qsort and a sum"},
        &(bench_job){.run = ours, .arg = &w, .ops = (double)queues / 10000},
        &(bench_job){.run = theirs, .arg = &w, .ops = (double)queues / 10000});
    ours(&w);
    theirs(&w);
    bench_must(b, same_answers(&w), "sorting gives our amounts");
    drop_units(&w);
}

/* ---- A window that slides ---- */

typedef struct slide_world {
    pctl_world units;
    sked_history *history;
    uint32_t *queue;
    int64_t *amount;
    int64_t *length;
    size_t day; /* that comes next */
    sked_pctl_point *point;
} slide_world;

static void add_day(slide_world *w)
{
    const sked_time day = INT64_C(86400);
    uint32_t queues = w->units.queues;
    size_t n = (size_t)queues * DAY;
    sked_history_input rows = {.struct_size = sizeof rows,
                               .form = SKED_HISTORY_FORM_UNITS,
                               .n = n,
                               .queue = w->queue,
                               .length = w->length,
                               .amount = w->amount};

    for (size_t i = 0; i < n; i++) {
        size_t hour = (w->day * DAY + i % DAY) % UNITS;
        w->amount[i] = w->units.amount[i / DAY * UNITS + hour];
    }
    w->day++;
    must(sked_history_add(w->history, &rows, NULL, NULL));
    if (w->day > UNITS / DAY) {
        must(sked_history_forget(
            w->history, (sked_time)(w->day - UNITS / DAY) * day, NULL));
    }
}

static void slide(void *arg)
{
    slide_world *w = arg;

    add_day(w);
    must(sked_history_pctl(w->history, NULL, w->units.queues, thresholds, 1,
                           w->point, NULL, NULL));
}

static void sort_again(void *arg)
{
    slide_world *w = arg;

    theirs(&w->units);
}

/* A day more, a day less, and the answer: by what changed, and by sorting. */
static void slide_a_day(bench *b, size_t n)
{
    uint32_t queues = (uint32_t)(n / UNITS);
    slide_world w = {.units = make_units((size_t)queues * UNITS, queues, 1)};
    sked_history_options opts = {.struct_size = sizeof opts,
                                 .flags = SKED_HISTORY_FLAG_KEEP,
                                 .queues = queues};
    size_t rows = (size_t)queues * DAY;

    w.queue = bench_new(rows, sizeof *w.queue);
    w.amount = bench_new(rows, sizeof *w.amount);
    w.length = bench_new(rows, sizeof *w.length);
    w.point = bench_new(queues, sizeof *w.point);
    for (size_t i = 0; i < rows; i++) {
        w.queue[i] = (uint32_t)(i / DAY);
        w.length[i] = 3600;
    }
    for (size_t i = 0; i < w.units.n; i++) w.units.length[i] = 3600;
    must(sked_history_new(NULL, &opts, NULL, &w.history, NULL));
    while (w.day < UNITS / DAY) add_day(&w);
    bench_compare(
        b,
        &(bench_row){.variant = "slide",
                     .n = rows,
                     .unit = BENCH_NS,
                     .metric = "ns per unit added and one forgotten",
                     .reference = "qsort of the window and a sum"},
        &(bench_job){.run = slide, .arg = &w, .ops = (double)rows},
        &(bench_job){.run = sort_again, .arg = &w, .ops = (double)rows});
    memcpy(w.units.point, w.point, queues * sizeof *w.point);
    theirs(&w.units);
    bench_must(b, same_answers(&w.units), "sorting gives our amounts");
    sked_history_free(w.history);
    free(w.queue);
    free(w.amount);
    free(w.length);
    free(w.point);
    drop_units(&w.units);
}

static void pctl(bench *b, size_t n)
{
    one_queue(b, n, 1, "one queue", 4);
    one_queue(b, n, MOST, "one queue, 6 thresholds", 0);
    many_queues(b, n * 9 / 10, 1, "10,000 queues", 40);
    many_queues(b, n * 9 / 10, MOST, "10,000 queues, 6 thresholds", 0);
    slide_a_day(b, n / 10 * 9 / 10);
}

const bench_entry bench_pctl[] = {
    {"pctl", "percentile allocation", pctl, 8000000, 800000, 1000000}, {0}};
