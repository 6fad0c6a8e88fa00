#ifndef SKED_ENGINE_RECONCILE_H
#define SKED_ENGINE_RECONCILE_H

/*
 * Reconciling: compares an engine with its host after a restart of either, or
 * as an audit. The answer is the events that make the engine agree with the
 * host. The smallest use:
 *
 *     sked_engine_reconcile(engine, &truth, differences, cap, &n, &err);
 *     sked_engine_apply(engine, &mend, NULL, &err); // `mend`: see below
 */

#include <sched/engine.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How engine and host differ in one object. */
enum sked_engine_differs {
    SKED_ENGINE_DIFFERS_LACKS = 1, /* the engine does not know the object */
    SKED_ENGINE_DIFFERS_EXTRA = 2, /* the host does not have the object */
    SKED_ENGINE_DIFFERS_OTHER = 3  /* both have the object, with differences */
};

/* One event that mends a difference, with its entries of the columns that a
 * batch has by event (sked_events). Frozen layout. */
typedef struct sked_engine_difference {
    sked_event event; /* amount and places are rows of the truth's columns */
    sked_time moment;
    int64_t task;
    uint64_t row; /* the truth's row behind the event; UINT64_MAX: none */
    sked_event_gang gang;
    sked_event_charge charge;
    int32_t how;       /* enum sked_engine_differs */
    uint32_t reserved; /* 0 */
} sked_engine_difference;

/*
 * Compares an engine with the complete state of its host. The answer is events:
 * applied in order, they make the engine agree. For a new and empty engine
 * these are all events that the engine needs. The call does not change the
 * engine.
 *
 * THE TRUTH
 * The host describes its state as to an empty engine, in rows of any order:
 *
 *   NODE_UP       Each node, `places` 0 (SKED_ERR_ARG; attributes have a row
 *                 of their own). Also NODE_DRAIN for a draining node.
 *   JOB_SUBMIT    Each job, with SKED_JOB_ADMITTED if admitted. Jobs of the
 *                 same submission moment arrive in this order: admitted jobs
 *                 first, then by row.
 *   ASK_ADD       Each ask. `count` is open plus running tasks: 0 for an ask
 *                 with SKED_ASK_KEEP and neither. Also ASK_WITHDRAW if the
 *                 job wants no more tasks. The `at_once` of an elastic gang
 *                 is lowered by its ended tasks: 1 (for an exact gang
 *                 `per_node`) if none is left.
 *   TASK_RUNNING  The running tasks of each ask on each node. With numbers:
 *                 first the numbers that the ask has from its start on, then
 *                 the numbers above, in order.
 *
 * Optional rows follow, at most one of a type for each object (except
 * ASK_PREFER):
 *
 *   NODE_ATTRIBUTES, ASK_RULE, ASK_TAGS
 *                 Of a node, or of an ask that is not withdrawn; a withdrawn
 *                 ask may have tags, because rules count its running tasks.
 *                 places 0: none. Objects without a row are not compared.
 *   ASK_PREFER    Likewise: one row for each soft rule of an ask, in the
 *                 order of adding. A row without a rule, or with a past
 *                 moment, adds none.
 *   ASK_PLACES    Likewise: the nodes that an ask prefers, in place of the
 *                 nodes and SKED_ASK_STRICT of its ASK_ADD. The numbers of
 *                 tasks with data there count tasks not started yet.
 *   ASK_RACKS     Likewise: the racks that an ask prefers.
 *   POOL          The amounts of a partition of kinds that lie on no node.
 *   JOB_LEAST     Of a job; a job without a row is not compared.
 *   TASK_ENDS, TASK_COST
 *                 With SKED_TASK_ON_NODE, of the tasks of an ask on a node.
 *                 A past moment: none. Tasks without a row are not compared.
 *
 * COMPARISON
 * - A JOB_SUBMIT or TASK_RUNNING without a moment has its time as moment. The
 *   moment of a job known to the engine is not compared then.
 * - One event changes in place what events can change. The rest is ended and
 *   reported anew: a node's partition and rack; a job's user, flags and
 *   charges; everything of an ask but its count; a gang.
 * - An ask with running tasks is added with SKED_ASK_WAIT: no rejection if no
 *   node or limit would hold the ask any more.
 * - If fewer tasks of an ask run on a node than the engine knows, the oldest
 *   count as ended, and within a group its released tasks.
 * - Proposals of running tasks are confirmed. Other proposals are left to the
 *   host, and their tasks count as open.
 * - Not compared: exclusions, refusals, names of users, how long asks have
 *   waited for their places, the amounts of running tasks (reported with the
 *   tasks), and amounts of released tasks on nodes (SKED_EVENT_TASK_RELEASED).
 *
 * To apply the differences, use the truth's columns of amounts, places,
 * attributes and rules:
 *
 *     sked_events mend = truth;
 *     mend.events = &d->event, mend.stride = sizeof *d, mend.n = n;
 *     mend.moments = &d->moment, mend.moment_stride = sizeof *d;
 *     mend.tasks = &d->task, mend.task_stride = sizeof *d;
 *     mend.gangs = &d->gang, mend.gang_stride = sizeof *d;
 *     mend.charges = &d->charge, mend.charge_stride = sizeof *d;
 *
 * The call writes at most `cap` differences. `*n` is always the full number; 0:
 * no difference. All events have the later of two times: the truth's latest
 * time and the engine's time.
 *
 * Returns SKED_OK, SKED_ERR_NOMEM, SKED_ERR_VERSION or, with the truth's row in
 * `err->row`,
 * - SKED_ERR_ARG: a row of a type not listed above; an amount; a flag; a
 *   missing row of another column; an invalid rule; the start of a gang that
 *   the engine lacks, for example an exact gang whose count is no multiple of
 *   `per_node` because single tasks have ended.
 * - SKED_ERR_EXISTS: two rows of one key or partition.
 * - SKED_ERR_NOT_FOUND: the truth does not have the job of an ask, or the ask
 *   or node of tasks, attributes or a rule; no task of the ask runs, for ends
 *   or costs of tasks.
 * - SKED_ERR_STALE: no such queue, in the engine's tree or a limit tree.
 * - SKED_ERR_STATE: only a part of a gang runs; a gang over nodes has a rule
 *   that counts tasks; called by a hook.
 * - SKED_ERR_RANGE: `cap` too small (only `*n` is written); more running tasks
 *   of an ask than its count; an amount, partition, time or moment; too much of
 *   something.
 *
 * Cost: O(truth + all that the engine knows), and for a node the square of its
 * attributes.
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
