#ifndef SKED_ENGINE_ADMIT_H
#define SKED_ENGINE_ADMIT_H

/*
 * Admission of an engine's jobs by classes of work, as in Peloton: what
 * sked_admit() does on arrays (admit.h), at every moment, for leaves of which
 * the host says bounds. [PEL-2] [PEL-14]
 *
 * A job is a gang: it needs what its tasks hold and what is open of it. Its
 * flags say its class: it may not be preempted (SKED_JOB_FIXED), it starts and
 * controls other tasks (SKED_JOB_CONTROLLER), or it runs on what others leave
 * unused (SKED_JOB_REVOCABLE). A job that waits begins in the line of all. One
 * that is kept out there moves to the line of its class and stops no other; one
 * of no class stops the line of all. Lines and bounds are those of admit.h. In a
 * line jobs go by priority, then by submission, wherever they stood before. A
 * job of which nothing is open yet is not looked at, and stops none.
 *
 * Bounds on numbers of jobs (`max_running`, `max_user_running`) hold besides:
 * of each leaf that job stands for all which its lines let in first. What an
 * admitted job asks for later counts at once, past every bound; so tell of its
 * largest ask first. What revocable jobs run on, and that they are the first to
 * go: docs/engine.md.
 */

#include <sched/admit.h>
#include <sched/engine.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the jobs of a leaf may have by class, over all partitions together; one
 * amount a kind each, or SKED_UNLIMITED. */
typedef struct sked_engine_admit_options {
    uint32_t struct_size;
    uint32_t flags;             /* enum sked_admit_flag */
    const int64_t *entitlement; /* all but revocable jobs; NULL: nothing */
    const int64_t *slack;       /* revocable jobs; NULL: nothing */
    const int64_t *reservation; /* jobs that may not be preempted, where
                                   preemption is on; NULL: nothing */
    const int64_t *controllers; /* controllers of one task; NULL: no bound */
} sked_engine_admit_options;

/*
 * Sets by what a leaf admits jobs from now on; `options` NULL: by numbers alone,
 * as it does at first. Options are copied, and go along with commits. Jobs that
 * may run by now are admitted as far as memory allows; the next call admits the
 * rest. Jobs that were admitted stay so.
 *
 * Returns SKED_OK, SKED_ERR_ARG (a flag; the queue is no leaf), SKED_ERR_NOMEM,
 * SKED_ERR_RANGE (an amount: kind; `now` is too far ahead), SKED_ERR_STALE (no
 * such queue), SKED_ERR_STATE (called by a hook), SKED_ERR_VERSION,
 * SKED_ERR_CANCELLED or a code of the host's own. On failure nothing changed but
 * what was due by `now`. Cost: O(jobs); from then on O(kinds) for each start, end
 * and ask of a job of the leaf, and O(log waiting jobs) for each job that moves.
 */
SKED_TRY sked_status sked_engine_admit(sked_engine *engine, sked_queue_id queue,
                                       sked_time now,
                                       const sked_engine_admit_options *options,
                                       sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
