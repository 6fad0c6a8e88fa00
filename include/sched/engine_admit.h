#ifndef SKED_ENGINE_ADMIT_H
#define SKED_ENGINE_ADMIT_H

/*
 * Admission of an engine's jobs by classes of work, as in Peloton. [PEL-2]
 * [PEL-14]
 *
 * sked_admit() (admit.h) admits on arrays. The engine admits by the same rules
 * at every moment, in each leaf with options. The smallest use, for a leaf
 * whose jobs may have 64 units of the only kind:
 *
 *     int64_t most[] = {64};
 *     sked_engine_admit_options o = {.struct_size = sizeof o,
 *                                    .entitlement = most};
 *     sked_engine_admit(engine, leaf, now, &o, &err);
 *
 * A job counts as a gang: the job needs what its tasks hold plus its open
 * tasks. Flags give the job's class: not preemptible (SKED_JOB_FIXED),
 * controller of other tasks (SKED_JOB_CONTROLLER), or on what others leave
 * unused (SKED_JOB_REVOCABLE). A waiting job begins in the common line. A job
 * of a class that the common line cannot admit moves to the line of its class,
 * and blocks no other job. A job without a class blocks the common line. Lines
 * and bounds are as in admit.h. In a line jobs go by priority, then by
 * submission, wherever they stood before. A job without open tasks is skipped
 * and blocks no job.
 *
 * Bounds on numbers of jobs (`max_running`, `max_user_running`) hold in
 * addition. In each leaf the job that the lines admit first stands for all jobs
 * of the leaf. Later asks of an admitted job count at once, past every bound:
 * report the largest ask first. docs/engine.md says what revocable jobs run on,
 * and that they end first.
 */

#include <sched/admit.h>
#include <sched/engine.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bounds of a leaf's jobs by class, over all partitions together; one amount a
 * kind each, or SKED_UNLIMITED. */
typedef struct sked_engine_admit_options {
    uint32_t struct_size;
    uint32_t flags;             /* enum sked_admit_flag */
    const int64_t *entitlement; /* all jobs but revocable jobs; NULL: nothing */
    const int64_t *slack;       /* revocable jobs; NULL: nothing */
    const int64_t *reservation; /* jobs that may not be preempted, where
                                   preemption is on; NULL: nothing */
    const int64_t *controllers; /* controllers of one task; NULL: no bound */
} sked_engine_admit_options;

/*
 * Sets the bounds by which a leaf admits jobs from now on. `options` NULL: by
 * numbers of jobs alone, as at first. Options are copied and survive commits.
 * Jobs that may run now are admitted as far as memory allows; the next call
 * admits the rest. Admitted jobs stay admitted.
 *
 * Returns SKED_OK, SKED_ERR_ARG (a flag; the queue is no leaf), SKED_ERR_NOMEM,
 * SKED_ERR_RANGE (an amount: kind; `now` is too far ahead), SKED_ERR_STALE (no
 * such queue), SKED_ERR_STATE (called by a hook), SKED_ERR_VERSION,
 * SKED_ERR_CANCELLED or a code of the host's own. On failure nothing changed
 * except what was due by `now`. Cost: O(jobs); from then on O(kinds) for each
 * start, end and ask of a job of the leaf, and O(log waiting jobs) for each job
 * that moves.
 */
SKED_TRY sked_status sked_engine_admit(sked_engine *engine, sked_queue_id queue,
                                       sked_time now,
                                       const sked_engine_admit_options *options,
                                       sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
