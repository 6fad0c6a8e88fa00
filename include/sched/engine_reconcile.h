#ifndef SKED_ENGINE_RECONCILE_H
#define SKED_ENGINE_RECONCILE_H

/*
 * What an engine knows against what its host knows to be so, after a restart of
 * either or as an audit: by which events the one becomes like the other.
 */

#include <sched/engine.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How an engine and its host's truth differ. */
enum sked_engine_differs {
    SKED_ENGINE_DIFFERS_LACKS = 1, /* the engine does not know of it */
    SKED_ENGINE_DIFFERS_EXTRA = 2, /* the truth does not have it */
    SKED_ENGINE_DIFFERS_OTHER = 3  /* both have it, and not alike */
};

/* An event that mends a difference, with what stands beside it. Frozen
 * layout. */
typedef struct sked_engine_difference {
    sked_event event; /* its amount and places: rows of the truth's columns */
    sked_time moment;
    int64_t task;
    uint64_t row; /* of the truth, UINT64_MAX: none */
    int32_t how;  /* enum sked_engine_differs */
    uint32_t per_node;
} sked_engine_difference;

/*
 * Compares an engine with all that its host knows to be so, and says by which
 * events, in order, the one would become like the other. An engine that was
 * made anew is empty: then these are all there is to tell it. Nothing is
 * changed.
 *
 * The truth is told as to an empty engine, in rows of any order:
 *
 *   NODE_UP       each node; NODE_DRAIN beside it when it takes nothing new
 *   JOB_SUBMIT    each job, with SKED_JOB_ADMITTED where it was. Of jobs that
 *                 were submitted at the same moment these arrive first, then in
 *                 the order of rows
 *   ASK_ADD       each ask; `count` is what is open and what runs of it.
 *                 ASK_WITHDRAW beside it when nothing more of it is wanted
 *   TASK_RUNNING  what runs, of each ask on each node
 *
 * Where a JOB_SUBMIT or TASK_RUNNING has no moment its time is the moment. What
 * can be changed in place is changed; what cannot (a node's partition and rack,
 * a job's user and flags, all of an ask but its count, a gang) is ended and
 * told anew. Of tasks on one node the oldest ended first. Proposals that run
 * are confirmed; others are left to the host and count as open. Exclusions,
 * refusals, attributes, rules and tags, users' names and waits for places are no
 * part of it; what running tasks hold is told with them, and not compared.
 *
 * Apply the differences with the truth's columns of amounts and places:
 *
 *     sked_events mend = truth;
 *     mend.events = &d->event, mend.stride = sizeof *d, mend.n = n;
 *     mend.moments = &d->moment, mend.moment_stride = sizeof *d;
 *     mend.tasks = &d->task, mend.task_stride = sizeof *d;
 *     mend.per_node = &d->per_node, mend.per_node_stride = sizeof *d;
 *
 * Writes at most `cap`; `*n` is always the number there are, and 0 says that
 * nothing differs. All have the latest time of the truth and the engine.
 *
 * Returns SKED_OK, SKED_ERR_ARG (a row that says nothing of these; an amount),
 * SKED_ERR_EXISTS (two rows of one key), SKED_ERR_NOT_FOUND (an ask of a job,
 * or tasks of an ask or on a node, that the truth does not have),
 * SKED_ERR_STALE (no such queue), SKED_ERR_STATE (a part of a gang runs; or
 * called by a hook), SKED_ERR_RANGE (`cap` too small: nothing but `*n` is
 * written; or more runs of an ask than its count, an amount is out of range),
 * SKED_ERR_NOMEM or SKED_ERR_VERSION; `err->row` is the row. Cost: O(truth +
 * all that the engine knows).
 */
SKED_TRY sked_status sked_engine_reconcile(sked_engine *engine,
                                           const sked_events *truth,
                                           sked_engine_difference *differences,
                                           size_t cap, size_t *n,
                                           sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
