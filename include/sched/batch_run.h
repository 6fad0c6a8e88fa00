#ifndef SKED_BATCH_RUN_H
#define SKED_BATCH_RUN_H

/*
 * Carries out a batch step by step, by any method. The host starts the tasks
 * that sked_batch_run_next() names, and reports each end. The library has no
 * clock: `now` is the host's, in ticks, and never goes back. The smallest use:
 *
 *     sked_batch_run_new(&input, &options, NULL, &run, &err);
 *     sked_batch_run_next(run, now, starts, cap, &n, &err);
 *     sked_batch_run_finish(run, task, later, &err);
 */

#include <sched/batch.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sked_batch_run sked_batch_run;

/*
 * Plans as sked_batch_plan() (actual_ppm is not read), and begins. The call
 * needs the columns only until its return, and no later call allocates. The
 * caller owns `*run` and frees the run with sked_batch_run_free().
 *
 * Returns as sked_batch_bound().
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
 * Takes the tasks that start at `now`. Report all tasks that ended by `now`
 * first. At most `cap` tasks are written, `*n` is their number, and the next
 * call gives the rest. Their slots are in use from now on. While a task waits
 * and none runs, the call always names a task.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (`now` goes back, or is above
 * SKED_AMOUNT_MAX / slots), SKED_ERR_CANCELLED or the host's own code. Cost:
 * O(tasks) with a plan, a run of the rest for each of replan_tries with
 * DYNAMIC, O(tasks * log) with ADAPT.
 */
SKED_TRY sked_status sked_batch_run_next(sked_batch_run *run, int64_t now,
                                         sked_batch_start *starts, size_t cap,
                                         size_t *n, sked_error *err);

/*
 * Reports that a task has ended. Returns SKED_OK, SKED_ERR_ARG,
 * SKED_ERR_NOT_FOUND (no such task), SKED_ERR_STATE (the task does not run) or
 * SKED_ERR_RANGE (`now` is not after its start, goes back, or is above
 * SKED_AMOUNT_MAX / slots). Cost: O(running tasks).
 */
SKED_TRY sked_status sked_batch_run_finish(sked_batch_run *run, uint32_t task,
                                           int64_t now, sked_error *err);

/* The state of a run. */
typedef struct sked_batch_run_stats {
    uint32_t struct_size;
    uint32_t method;
    uint32_t waiting; /* tasks; a task that is decided but not taken counts as
                         running */
    uint32_t running;
    uint32_t finished;
    uint32_t free; /* slots */
    int64_t now;   /* the latest time of a call */
    int64_t eta_ppm;
    int64_t expected; /* end of the batch by the plan and the times believed at
                         the beginning */
    int64_t bound;    /* no schedule ends sooner by these times */
} sked_batch_run_stats;

/* Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_VERSION. */
SKED_TRY sked_status sked_batch_run_get_stats(const sked_batch_run *run,
                                              sked_batch_run_stats *stats,
                                              sked_error *err);

/*
 * Lists the ended tasks in the order of reports, for sked_batch_measure() and
 * for charts. At most `cap` spans are written; `*n` is the full number. Returns
 * SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE (`cap` is too small).
 */
SKED_TRY sked_status sked_batch_run_spans(const sked_batch_run *run,
                                          sked_batch_span *spans, size_t cap,
                                          size_t *n);

#ifdef __cplusplus
}
#endif

#endif
