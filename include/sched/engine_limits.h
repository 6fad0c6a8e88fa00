#ifndef SKED_ENGINE_LIMITS_H
#define SKED_ENGINE_LIMITS_H

/*
 * Several trees for limits. Work is often bounded in several ways at once: by
 * the account that pays for it, and by its class of service, beside the queue
 * that it waits in. Beside its own tree an engine may have two more, trees 1 and
 * 2, whose queues have limits and nothing else. A job names at most one queue in
 * each when it is submitted (sked_event_charge), a leaf or a parent; where it
 * names none, that tree does not bound it. It is charged in its queue there and
 * in all queues above that one, as long as the engine knows it.
 *
 * What counts in these trees:
 *
 *   limit        The most that all tasks charged there hold, over all
 *                partitions together, in amounts. Proposed and running tasks
 *                count, and those that got kill orders until they have ended;
 *                so does what is reserved for tasks. A task, or a whole gang,
 *                starts only where it stays within every limit of every tree.
 *   max_running  The most jobs charged there that run at once. A job waits to
 *                be admitted while one of its queues has that many; jobs behind
 *                it are admitted first.
 *
 * So users are bounded one by one, and by class: by a queue for each class with
 * one below it for each user.
 *
 * Orders, shares, guarantees and users are matters of the engine's own tree
 * alone. Demand that a limit here keeps out counts in shares like any demand.
 * Tasks that the host tells of (SKED_EVENT_TASK_RUNNING), tasks that hold more
 * than before (SKED_EVENT_TASK_RESIZE), jobs with SKED_JOB_ADMITTED and a new
 * tree may bring a queue above its limit: then nothing new starts that takes the
 * kind, until it is below again. An ask of which one task alone is more than a
 * limit is not rejected: it waits until the limit is higher.
 *
 * What a limit keeps out costs passes nothing until something charged in that
 * queue ends, or a new tree is taken over: then O(asks that this queue keeps
 * out). Where a queue comes to its max_running, or falls below it, that costs
 * O(waiting jobs charged there or below * log jobs). Preemption ends nothing for
 * an ask that such a limit keeps out (docs/preemption.md).
 * sked_engine_explain_job() says which queue of which tree it is.
 */

#include <sched/engine.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Trees beside the engine's own: they have the numbers 1 to this. */
enum { SKED_MAX_LIMIT_TREES = 2 };

/*
 * Takes over the last commit of `tree`, which is copied, as limit tree `which`:
 * the first time it is added, from then on it takes the place of the one before.
 * Queues are found again as by sked_engine_commit(), jobs stay charged where
 * they are, and what new limits allow may start. A tree stays until the engine
 * is freed; one without limits bounds nothing.
 *
 * Returns SKED_OK, SKED_ERR_ARG (no such number; or a queue has an attribute
 * that counts for nothing here, any but `limit` in amounts, `max_running` and
 * `label`: `err` names queue and attribute), SKED_ERR_NOMEM, SKED_ERR_RANGE
 * (`now` is too far ahead), SKED_ERR_SCHEMA (other kinds than the engine's) or
 * SKED_ERR_STATE (called by a hook; or a job is charged in a queue that is gone:
 * `err` has the id and the path that the engine knows it by). On failure nothing
 * changed. Cost: O(queues * kinds + jobs + asks + reservations).
 */
SKED_TRY sked_status sked_engine_commit_limits(sked_engine *engine,
                                               uint32_t which,
                                               const sked_tree *tree,
                                               sked_time now, sked_error *err);

/*
 * What is charged in a queue of limit tree `which`, and below it, in all
 * partitions: one amount a kind, without what is reserved; `running` (may be
 * NULL) is the number of jobs that run.
 *
 * Returns SKED_OK, SKED_ERR_ARG (there is no such tree) or SKED_ERR_STALE. Cost:
 * O(kinds).
 */
SKED_TRY sked_status sked_engine_limits_usage(const sked_engine *engine,
                                              uint32_t which,
                                              sked_queue_id queue,
                                              int64_t *usage, int64_t *running);

#ifdef __cplusplus
}
#endif

#endif
