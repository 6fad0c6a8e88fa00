#ifndef SKED_ENGINE_RECONCILE_H
#define SKED_ENGINE_RECONCILE_H

/*
 * Reconciling an engine with its host, after a restart of either or as an
 * audit: what the engine knows is compared with what the host knows to be true,
 * and the answer is the events that make the engine agree.
 */

#include <sched/engine.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How the engine and the host's truth differ in one thing. */
enum sked_engine_differs {
    SKED_ENGINE_DIFFERS_LACKS = 1, /* the engine does not know of it */
    SKED_ENGINE_DIFFERS_EXTRA = 2, /* the truth does not have it */
    SKED_ENGINE_DIFFERS_OTHER = 3  /* both have it, and not alike */
};

/* One event that mends a difference, with its row of each column of a batch
 * that is read by event (sked_events). Frozen layout. */
typedef struct sked_engine_difference {
    sked_event event; /* its amount and places: rows of the truth's columns */
    sked_time moment;
    int64_t task;
    uint64_t row; /* the truth's row that it is for; UINT64_MAX: none */
    sked_event_gang gang;
    sked_event_charge charge;
    int32_t how;       /* enum sked_engine_differs */
    uint32_t reserved; /* 0 */
} sked_engine_difference;

/*
 * Compares an engine with all that its host knows to be true, and answers the
 * events which, applied in order, make the engine agree. For an engine that was
 * made anew, and so is empty, these are all events that it has to be told. The
 * engine is not changed.
 *
 * The truth is told as to an empty engine, in rows of any order:
 *
 *   NODE_UP       each node, `places` 0 (SKED_ERR_ARG; its attributes have a
 *                 row of their own); also NODE_DRAIN where it takes nothing new
 *   JOB_SUBMIT    each job, with SKED_JOB_ADMITTED where it was admitted. Of
 *                 jobs that were submitted at the same moment those that were
 *                 admitted arrive first, then they arrive in the order of rows
 *   ASK_ADD       each ask; `count` is what is open and what runs of it,
 *                 together: 0 of one with SKED_ASK_KEEP of which nothing is.
 *                 Also ASK_WITHDRAW where no more of it is wanted. The
 *                 `at_once` of an elastic gang is less by the tasks of it that
 *                 have ended: 1 (of an exact one `per_node`) where none is left
 *   TASK_RUNNING  the tasks that run, of each ask on each node. Where they say
 *                 numbers, those that the ask has from its start on come first,
 *                 then those above, in their order
 *
 * and, where the truth has them, at most one of a kind for each thing (but
 * ASK_PREFER):
 *
 *   NODE_ATTRIBUTES, ASK_RULE, ASK_TAGS   of a node or ask of the truth that is
 *                 not withdrawn; of one that is, its tags, since rules count its
 *                 tasks that run; places 0: none. Of things without such a row
 *                 they are not compared
 *   ASK_PREFER    likewise, one row for each soft rule of an ask, in the order in
 *                 which they were added. A row without a rule, or whose moment
 *                 has passed, adds none
 *   ASK_PLACES    likewise, the nodes that an ask prefers, in place of what its
 *                 ASK_ADD says of them and of SKED_ASK_STRICT. How many tasks
 *                 have their data there: of those that did not start yet
 *   ASK_RACKS     likewise, the racks that an ask prefers
 *   POOL          what a partition has of the kinds that lie on no node
 *   JOB_LEAST     of a job; of one without such a row it is not compared
 *   TASK_ENDS, TASK_COST   with SKED_TASK_ON_NODE, of the tasks of an ask that
 *                 run on a node. A moment that has passed: none. Of tasks
 *                 without such a row they are not compared
 *
 * Where a JOB_SUBMIT or TASK_RUNNING has no moment, it is told with its time as
 * the moment; of a job that the engine knows none is compared then. What can be
 * changed in place is changed by one event; what cannot (a node's partition and
 * rack, a job's user, flags and charges, everything of an ask but its count, a
 * gang) is ended and told anew. An ask of which tasks run is told with
 * SKED_ASK_WAIT, so that it is not rejected where no node or limit would hold
 * it any more. Where fewer tasks of an ask run on a node than the engine knows,
 * the oldest are taken to have ended, and with tasks of a group those of it
 * that were released. Proposals of tasks that run are confirmed; other
 * proposals are left to the host, and their tasks count as open. Exclusions,
 * refusals, names of users and how long asks have waited for their places are
 * not compared. What running tasks hold is told with them, and not compared
 * either, nor what is on nodes of released tasks (SKED_EVENT_TASK_RELEASED).
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
 * Writes at most `cap`; `*n` is always the number there are, and 0 says that
 * nothing differs. All events have the later one of the truth's latest time and
 * the engine's.
 *
 * Returns SKED_OK, SKED_ERR_ARG (a row of another kind than those above; an
 * amount; a flag; a row of another column that is not there, or no rule; how a
 * gang starts that the engine lacks, as of an exact one of which single tasks
 * have ended, so that its count is no multiple of `per_node`),
 * SKED_ERR_EXISTS (two rows of one key or partition), SKED_ERR_NOT_FOUND (an
 * ask of a job, or tasks, attributes or a rule of an ask or node, that the
 * truth does not have; or when tasks end, or what they cost, where none of the
 * ask run), SKED_ERR_STALE (no such queue, of the engine's tree or a limit
 * tree), SKED_ERR_STATE (only a part of a gang runs; a gang over nodes with a
 * rule that counts tasks; or called by a hook), SKED_ERR_RANGE (`cap` too
 * small: nothing but `*n` is written; or more tasks of an ask run than its
 * count; or an amount, a partition, a time or moment, or too much of
 * something), SKED_ERR_NOMEM or
 * SKED_ERR_VERSION; `err->row` is the truth's row. Cost: O(truth + all that the
 * engine knows), and for a node the square of its attributes.
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
