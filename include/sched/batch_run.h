#ifndef SKED_BATCH_RUN_H
#define SKED_BATCH_RUN_H

/*
 * Carries out a batch step by step, by any method: the host starts the tasks
 * that sked_batch_run_next() says, and reports those that end. The library has
 * no clock: `now` is the host's, in ticks, and never goes back.
 */

#include <sched/batch.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sked_batch_run sked_batch_run;

/*
 * Plans, as sked_batch_plan() does (actual_ppm is not read), and begins. The
 * columns are not needed afterwards, and no later call allocates. The caller
 * owns `*run`.
 *
 * Returns what sked_batch_bound() returns. Free it with sked_batch_run_free().
 */
SKED_TRY sked_status sked_batch_run_new(const sked_batch_input *input,
                                        const sked_batch_options *options,
                                        const sked_host *host,
                                        sked_batch_run **run, sked_error *err);

/* Frees the run. NULL is allowed. */
SKED_API void sked_batch_run_free(sked_batch_run *run);

/* One task to start now, with `slots` slots. Frozen layout. */
typedef struct sked_batch_start {
    uint32_t task;
    uint32_t slots;
} sked_batch_start;

/*
 * Takes the tasks that are to start at `now`, after all tasks that ended by
 * then were reported: at most `cap` are written, and `*n` is how many were;
 * others come with the next call. Their slots are in use from now on. While a
 * task waits and none runs, there is always one to start.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (`now` goes back, or is above
 * SKED_AMOUNT_MAX / slots), SKED_ERR_CANCELLED or the host's own code. Cost:
 * O(tasks) for what has a plan, a run of the rest for each of replan_tries with
 * DYNAMIC, O(tasks * log) with ADAPT.
 */
SKED_TRY sked_status sked_batch_run_next(sked_batch_run *run, int64_t now,
                                         sked_batch_start *starts, size_t cap,
                                         size_t *n, sked_error *err);

/*
 * A task has ended. Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOT_FOUND (no such
 * task), SKED_ERR_STATE (it does not run) or SKED_ERR_RANGE (`now` is not after
 * its start, goes back, or is above SKED_AMOUNT_MAX / slots). O(tasks that run).
 */
SKED_TRY sked_status sked_batch_run_finish(sked_batch_run *run, uint32_t task,
                                           int64_t now, sked_error *err);

/* The state of a run. */
typedef struct sked_batch_run_stats {
    uint32_t struct_size;
    uint32_t method;
    uint32_t waiting; /* tasks; those decided but not taken are running */
    uint32_t running;
    uint32_t finished;
    uint32_t free; /* slots */
    int64_t now;   /* the latest there was */
    int64_t eta_ppm;
    int64_t expected; /* when the plan expects the batch to end, by the times
                         believed at the beginning */
    int64_t bound;    /* no schedule ends sooner by these times */
} sked_batch_run_stats;

/* Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_VERSION. */
SKED_TRY sked_status sked_batch_run_get_stats(const sked_batch_run *run,
                                              sked_batch_run_stats *stats,
                                              sked_error *err);

/*
 * The tasks that have ended so far, in the order in which they were reported,
 * for sked_batch_measure() and for charts: at most `cap` spans are written;
 * `*n` is how many there are. Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE
 * (`cap` is too small).
 */
SKED_TRY sked_status sked_batch_run_spans(const sked_batch_run *run,
                                          sked_batch_span *spans, size_t cap,
                                          size_t *n);

#ifdef __cplusplus
}
#endif

#endif
