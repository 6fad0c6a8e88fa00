#ifndef SKED_ENGINE_LIMITS_H
#define SKED_ENGINE_LIMITS_H

/*
 * Limit trees: limits for accounts and classes of service, beside the queues.
 *
 * An engine may have two limit trees beside its own tree, numbers 1 and 2.
 * Their queues have limits and nothing else. The smallest use, with the
 * accounts as tree 1:
 *
 *     sked_engine_commit_limits(engine, 1, accounts, now, &err);
 *     charge.first = account; // sked_event_charge of SKED_EVENT_JOB_SUBMIT
 *
 * A job names at most one queue in each limit tree at its submission
 * (sked_event_charge), a leaf or a parent. Without a name the tree does not
 * bound the job. The job is charged in this queue and in all queues above,
 * while the engine knows the job. Two limits count:
 *
 *   limit        The most that all charged tasks hold, over all partitions
 *                together, in amounts. Proposed tasks, running tasks, tasks
 *                with a kill order until their end, and reservations count. A
 *                task or a whole gang starts only within every limit of every
 *                tree.
 *   max_running  The most charged jobs that run at once. A job waits for
 *                admission while one of its queues has that many. Later jobs
 *                are admitted first.
 *
 * To bound users one by one and by class, make a queue for each class, with a
 * queue below for each user.
 *
 * Orders, shares, guarantees and users belong to the engine's own tree alone.
 * Demand that a limit here blocks counts in shares like any demand. A queue may
 * come above its limit by reported tasks (SKED_EVENT_TASK_RUNNING), by tasks
 * that hold more (SKED_EVENT_TASK_RESIZE), by jobs with SKED_JOB_ADMITTED and
 * by a new tree. Tasks that take the kind then do not start until the queue is
 * below the limit again. An ask is not rejected if one task exceeds a limit:
 * the ask waits for a higher limit.
 *
 * An ask blocked by a limit costs passes nothing. When charged work in the
 * blocking queue ends, or a new tree is taken over, the cost is O(asks that
 * this queue blocks). When a queue reaches its max_running, or falls below, the
 * cost is O(waiting jobs charged there or below * log jobs). Preemption ends
 * nothing for an ask that a limit tree blocks (docs/preemption.md).
 * sked_engine_explain_job() names the queue and tree.
 */

#include <sched/engine.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Limit trees have the numbers 1 to this. */
enum { SKED_MAX_LIMIT_TREES = 2 };

/*
 * Takes over the last commit of `tree`, and copies the commit, as limit tree
 * `which`. The first call adds the tree; later calls replace the tree. Queues
 * are matched as by sked_engine_commit(). Jobs stay charged in their queues.
 * Work that new limits allow may start. A tree stays until the engine is freed;
 * a tree without limits bounds nothing.
 *
 * Returns SKED_OK, SKED_ERR_ARG (no such number; or a queue has an attribute
 * without effect here, any but `limit` in amounts, `max_running` and `label`:
 * `err` names queue and attribute), SKED_ERR_NOMEM, SKED_ERR_RANGE (`now` is
 * too far ahead), SKED_ERR_SCHEMA (other kinds than the engine's) or
 * SKED_ERR_STATE (called by a hook; or a job is charged in a queue that is
 * gone: `err` has the engine's id and path of the queue). On failure nothing
 * changed. Cost: O(queues * kinds + jobs + asks + reservations).
 */
SKED_TRY sked_status sked_engine_commit_limits(sked_engine *engine,
                                               uint32_t which,
                                               const sked_tree *tree,
                                               sked_time now, sked_error *err);

/*
 * Reads what is charged in a queue of limit tree `which` and below, in all
 * partitions: one amount a kind, without reservations. `running` (may be NULL)
 * gets the number of running jobs.
 *
 * Returns SKED_OK, SKED_ERR_ARG (no such tree) or SKED_ERR_STALE. Cost:
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
