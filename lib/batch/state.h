#ifndef SKEDI_BATCH_STATE_H
#define SKEDI_BATCH_STATE_H

/*
 * Shared by all methods: a checked batch with the useful widths of its tasks;
 * plans; and functions to run a plan in virtual time.
 *
 * A width is useful if no smaller width is as fast. The useful widths of task j
 * are width[first[j]] to width[first[j + 1] - 1], ascending, and time[] falls
 * strictly along the useful widths.
 */

#include <sched/batch.h>

#include "base/arena.h"
#include "base/arith.h"
#include "base/hooks.h"
#include "base/random.h"

#define SKEDI_BATCH_NONE UINT32_MAX /* no task */

typedef struct skedi_batch {
    sked_batch_input in; /* defaults filled in */
    skedi_hooks hooks;
    skedi_arena arena; /* all columns below, and whatever methods take */
    uint32_t n;
    uint32_t slots;
    uint64_t *bytes;
    uint64_t *blocks;
    uint8_t *label;
    uint64_t all_blocks;
    const int64_t *real; /* factors of the times below; NULL: as believed */
    uint32_t *first;     /* n + 1 */
    uint32_t *width;
    int64_t *time;
    int64_t *least;      /* the least width * time from here on */
    uint32_t *scratch;   /* n, for sorting */
    uint64_t tries;      /* schedules tried */
    uint64_t tries_most; /* of all, for progress */
} skedi_batch;

/* An order of tasks and how many slots each gets. */
typedef struct skedi_batch_plan {
    uint32_t *order;
    uint32_t *width; /* by task */
    int64_t *time;   /* by task: expected time at that width */
    int overtake;    /* 1: later tasks overtake tasks that do not fit */
} skedi_batch_plan;

/* A caller's options with their defaults filled in. */
sked_status skedi_batch_options_in(sked_batch_options *options,
                                   const sked_batch_options *given,
                                   sked_error *err);

enum { SKEDI_BATCH_BELIEVED = 0, SKEDI_BATCH_REAL = 1 };

/* Copies and checks a batch, with the expected or the real times. A failed call
 * holds no memory; otherwise the caller drops the batch. */
sked_status skedi_batch_in(skedi_batch *b, const sked_batch_input *input,
                           int which, const sked_host *host, sked_error *err);
void skedi_batch_drop(skedi_batch *b);

/* A failure that names a task. */
sked_status skedi_batch_row_fault(sked_error *err, const char *what,
                                  uint32_t row, int64_t got);

/* Finds the useful widths of all tasks (widths.c). */
sked_status skedi_batch_list_widths(skedi_batch *b, sked_error *err);

/* The time of task `j` with `width` slots, if its blocks or times count
 * `factor` ppm more than estimated. The columns of the input are read. */
int64_t skedi_batch_ticks(const skedi_batch *b, uint32_t j, uint32_t width,
                          int64_t factor);

/* Zeroed columns of `n` that live as long as the batch; NULL without memory. */
void *skedi_batch_take(skedi_batch *b, size_t n, size_t size);
int skedi_batch_plan_take(skedi_batch *b, skedi_batch_plan *plan);
void skedi_batch_plan_copy(const skedi_batch *b, skedi_batch_plan *to,
                           const skedi_batch_plan *from);

/* Gives a task a width, with the expected time. */
void skedi_batch_widen(const skedi_batch *b, skedi_batch_plan *plan, uint32_t j,
                       uint32_t width);

/* Gives a task its useful width number `at` (into width[] and time[]). */
static inline void batch_give(const skedi_batch *b, skedi_batch_plan *plan,
                              uint32_t j, uint32_t at)
{
    plan->width[j] = b->width[at];
    plan->time[j] = b->time[at];
}

/* The fewest useful slots with which task `j` takes at most `ticks`, from
 * useful width `from` on; the fastest when none does. */
uint32_t skedi_batch_fewest(const skedi_batch *b, uint32_t j, uint32_t from,
                            int64_t ticks);

/* Sorts tasks by a key, the largest first, ties by task. */
void skedi_batch_sort(const skedi_batch *b, uint32_t *order,
                      const int64_t *key);

/* Counts a try; now and then asks the host whether to go on. */
sked_status skedi_batch_tried(skedi_batch *b);

/* ---- Running a plan (execute.c) ---- */

/* Memory of a run in virtual time. */
typedef struct skedi_batch_bench {
    int64_t *end;    /* ends of running tasks, the last end first */
    uint32_t *taken; /* slots of running tasks */
    uint32_t running;
    uint32_t free; /* slots */
    int64_t now;
    uint32_t *next; /* list of waiting tasks; n + 1 entries */
} skedi_batch_bench;

int skedi_batch_bench_take(skedi_batch *b, skedi_batch_bench *bench);

/* At 0 nothing runs. */
void skedi_batch_bench_clear(const skedi_batch *b, skedi_batch_bench *bench);

/* The makespan of a plan from the beginning. */
int64_t skedi_batch_makespan(const skedi_batch *b, skedi_batch_bench *bench,
                             const skedi_batch_plan *plan, int64_t *end);

/* Moves of a search: two tasks change places, or a task moves to a new
 * place. */
static inline void batch_exchange(uint32_t *order, uint32_t a, uint32_t b)
{
    uint32_t held = order[a];

    order[a] = order[b];
    order[b] = held;
}

static inline void batch_move(uint32_t *order, uint32_t from, uint32_t to)
{
    uint32_t held = order[from];

    for (; from < to; from++) order[from] = order[from + 1];
    for (; from > to; from--) order[from] = order[from - 1];
    order[to] = held;
}

/* Changes the useful width of a task by some steps (widths.c). */
void skedi_batch_step_width(const skedi_batch *b, skedi_batch_plan *plan,
                            uint32_t j, int64_t steps);

/* Inserts an end and its value in order among `n` entries. */
static inline void batch_insert(int64_t *end, uint32_t *with, uint32_t n,
                                int64_t at, uint32_t what)
{
    for (; n > 0 && end[n - 1] < at; n--) {
        end[n] = end[n - 1];
        with[n] = with[n - 1];
    }
    end[n] = at;
    with[n] = what;
}

/* Starts a task that runs until `end`. */
static inline void batch_begin(skedi_batch_bench *bench, int64_t end,
                               uint32_t slots)
{
    batch_insert(bench->end, bench->taken, bench->running++, end, slots);
    bench->free -= slots;
}

/* Advances the clock to the next end; at least one task runs. */
static inline void batch_advance(skedi_batch_bench *bench)
{
    bench->now = bench->end[bench->running - 1];
    while (bench->running && bench->end[bench->running - 1] == bench->now) {
        bench->free += bench->taken[--bench->running];
    }
}

/*
 * Widens one of `n` tasks that begin with the useful widths mark[] (by task):
 * the longest task that free slots make faster gets its next useful width.
 * Returns 0 if no task can be widened.
 */
int skedi_batch_widen_longest(const skedi_batch *b, const uint32_t *begun,
                              uint32_t n, uint32_t *mark, uint32_t *free);

/* ---- Methods ---- */

/* The published methods that need no search (published.c). */
void skedi_batch_multi(const skedi_batch *b, const sked_batch_options *options,
                       skedi_batch_plan *plan);
void skedi_batch_greedy(const skedi_batch *b, skedi_batch_plan *plan);
void skedi_batch_data_driven(const skedi_batch *b,
                             const sked_batch_options *options,
                             skedi_batch_plan *plan);

/* Input of annealing: n tasks, from the state of a bench. */
typedef struct skedi_batch_swaps {
    const skedi_batch_plan *plan; /* widths and times */
    uint32_t *order;              /* `n` tasks; returns the best order */
    uint32_t *trial;              /* `n`, scratch */
    uint32_t n;
    uint32_t heat; /* the temperature begins at makespan / heat */
    uint64_t tries;
    const skedi_batch_bench *from; /* state to begin with */
    skedi_batch_bench *bench;      /* scratch */
} skedi_batch_swaps;

sked_status skedi_batch_anneal(skedi_batch *b, skedi_batch_bench *bench,
                               const sked_batch_options *options,
                               skedi_batch_plan *plan);
sked_status skedi_batch_deadline(skedi_batch *b, skedi_random *random,
                                 uint64_t tries, skedi_batch_plan *best);
sked_status skedi_batch_best(skedi_batch *b, const sked_batch_options *options,
                             skedi_batch_plan *best);

/* Runs with noise: a row of factors by task for each. One row, NULL: no noise
 * (scenarios.c). */
typedef struct skedi_batch_scenarios {
    const int64_t *factor;
    uint32_t n;
} skedi_batch_scenarios;

sked_status skedi_batch_draw_scenarios(skedi_batch *b,
                                       const sked_batch_options *options,
                                       skedi_batch_scenarios *scenarios);

/* ROBUST, from scratch; `*mean` gets the mean makespan of the scenarios. */
sked_status skedi_batch_robust(skedi_batch *b,
                               const sked_batch_options *options,
                               const skedi_batch_scenarios *scenarios,
                               skedi_batch_plan *best, int64_t *mean);

/* ---- Bounds (bound.c) ---- */

/* The dual bound in whole ticks. */
int64_t skedi_batch_dual(const skedi_batch *b);

/* Computes all bounds; leaves `best` and the sizes unchanged. */
sked_status skedi_batch_bound_all(skedi_batch *b, sked_batch_bounds *bounds);

#endif
