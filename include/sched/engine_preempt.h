#ifndef SKED_ENGINE_PREEMPT_H
#define SKED_ENGINE_PREEMPT_H

/*
 * Preemption in an engine: rounds end tasks of queues above what they keep, for
 * asks of queues below what they may claim. docs/preemption.md says what a
 * round promises. The smallest use:
 *
 *     sked_engine_preempt_options o = {.struct_size = sizeof o};
 *     sked_engine_preempt(engine, &o, &err);
 *     event.kind = SKED_EVENT_ROUND; // every few seconds
 */

#include <sched/engine.h>
#include <sched/preempt.h>
#include <sched/round.h>
#include <sched/target.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SKED_MAX_PREEMPT_POLICIES = 8
}; /* `targets` and `more_targets`
      together */

/* Options of preemption. NULL: the defaults of target.h and round.h. */
typedef struct sked_engine_preempt_options {
    uint32_t struct_size;
    uint32_t flags;      /* enum sked_preempt_flag: the choice of victims */
    uint64_t work;       /* nodes that a round tries in each partition to
                            improve a found plan; 0: SKED_PREEMPT_WORK */
    int64_t keep_for_ns; /* ns that a reservation stays for its ask, beyond the
                            victims' grace; 0: 10 s. Longer than a heartbeat
                            interval: otherwise freed amounts may go to other
                            asks, and be freed again, for ever */
    uint32_t gangs;      /* most gangs over nodes with reservations by one round
                            in a partition; 0: rounds neither end gangs over
                            nodes nor reserve for any */
    uint32_t reserved;   /* 0 */
    const sked_target_options *targets; /* queues that give and queues that
                                           claim: the first policy */
    const sked_round_options *rounds;   /* grace, observing */
    const sked_target_options *const
        *more_targets; /* the policies after `targets`, in order; a NULL entry
                          has the defaults */
    uint64_t n_more_targets; /* how many; 0: none */
} sked_engine_preempt_options;

/*
 * Turns preemption on, or off (`options` NULL). Options are copied. With
 * preemption on, every SKED_EVENT_ROUND holds a round in every partition, by
 * the shares that placement uses.
 *
 * A ROUND
 * Targets say which queues may claim and which queues have more than they keep
 * (target.h). Claiming tasks come in the order of their queues' shortage, then
 * of the queue's line: at most 64 asks of a queue that can be served, identical
 * neighbours counted as one. For each task the round looks for the node with
 * the cheapest victims. Victims come from the surplus of giving queues. After
 * the victims' end the task must be able to start there under every bound.
 * preempt.h has the same rules for arrays. docs/preemption.md shows that rounds
 * come to an end.
 *
 * SKED_PREEMPT_FLAG_BY_USER tells users apart in leaves with a user limit below
 * 100 %, a user factor or SKED_APPS_USER_FAIR, and changes nothing in other
 * leaves. Eased takes and the budget of a round bound the victims. One plan of
 * each round, and one plan of each giving queue, may exceed this bound to take
 * all that the plan needs.
 *
 * SEVERAL POLICIES
 * Policies of `more_targets` run in order in every round [CAP-14]. Each policy
 * has its own clocks, and says which queues claim, how far, and which queues
 * give. Claims of the first policy come first and take only from its giving
 * queues. Claims without a place so far then follow by the second policy, and
 * so on. A leaf keeps of each kind the most that any policy lets the leaf keep:
 * no policy takes what another policy protects, so a list comes to an end like
 * a single policy. Each victim counts in the takes and the budget of every
 * policy. A policy takes nothing once earlier policies have reached its bounds.
 * Users and priorities within a leaf follow after all policies, within the
 * bounds of the last policy. Grace and observing are common to all policies.
 *
 * NOTICE AND KILL
 * Victims get notice first. All victims of one task are killed together, by the
 * first round after their last deadline, if that round would choose them again
 * (round.h). The kill comes one round later, as far as the queue has started
 * tasks since the last round, for a claim by imbalance, or by entitlement
 * beyond the queue's guarantee. Until then the task's amounts are reserved, on
 * the node and below the limits of its queues. If a round finds no plan for the
 * task any more, the round withdraws notices and reservation. Amounts from
 * victims that have ended stay. [CAP-3] [CAP-4] [CAP-5] [CAP-6] [CAP-8]
 * [CAP-14] [CAP-18] [PEL-15]
 *
 * GANGS
 * With `gangs` above 0, a gang over nodes (SKED_ASK_SPREAD) is a victim as a
 * whole, on all its nodes, at the cost of all its tasks. The gang does not
 * start again until all its killed tasks have ended. A claiming gang gets nodes
 * for all missing tasks, and others get kill orders, or neither. The gang
 * starts on all of these nodes at once (SKED_REASON_HELD). A round reserves for
 * at most `gangs` gangs of a partition, in the order of the asks. Elastic gangs
 * (`at_once`), gangs in two partitions and gangs with tasks of different
 * amounts are never victims. Elastic gangs and masters do not claim. No task of
 * the gang's own leaf ends for a gang over nodes, by user or by priority.
 *
 * COST OF A VICTIM
 * The cost is the lost work: the largest part of the partition that the victim
 * holds of any kind, in ppm, times the seconds since its start or save, plus
 * one. A master costs 1,024 times as much; with SKED_JOB_KEEPS the cost is 1.
 * The host may set the cost instead (SKED_EVENT_TASK_COST). Tasks under notice
 * cost nothing more, revocable or not.
 *
 * REVOCABLE AND YIELDING JOBS
 * Tasks of revocable jobs (SKED_JOB_REVOCABLE) end before any others. In a
 * giving queue they are surplus first, whatever their priority. Plans are
 * compared by their cost in other tasks; plans without new victims among other
 * tasks, by their cost in revocable tasks. On a node no other task therefore
 * ends while surplus of revocable tasks is enough. Nodes with enough are taken
 * before nodes without. By priority, a revocable job takes from its own leaf
 * only revocable tasks. No round acts for a job that yields (SKED_JOB_YIELDS).
 * [PEL-2] [PEL-3]
 *
 * SKED_PREEMPT_FLAG_BY_USER with SKED_PREEMPT_FLAG_BY_PRIORITY has no bound on
 * kills from claims while demand stays constant. This call and each commit
 * write a note to the host's `log` (SKED_LOG_INFO; docs/preemption.md).
 *
 * Returns SKED_OK, SKED_ERR_NOMEM, SKED_ERR_VERSION or
 * - SKED_ERR_ARG: an unknown flag; SKED_PREEMPT_FLAG_OVERSHOOT, because queues
 *   could preempt in turns; SKED_PREEMPT_FLAG_PLAIN, a flag for arrays alone;
 *   SKED_ROUND_FLAG_LAZY, because a plan of the engine ends tasks only for a
 *   step that then starts on the same node; an option that a dialect does not
 *   have; `more_targets` NULL with a count above 0.
 * - SKED_ERR_RANGE: an option; more than SKED_MAX_PREEMPT_POLICIES.
 * - SKED_ERR_STATE: reservations or notices are out; called by a hook. If a
 *   policy of `more_targets` is at fault, `err->row` is its index there. On
 *   failure nothing has changed.
 *
 * Cost of a round: O(policies * queues * kinds + victim classes + open asks of
 * claiming queues, by each policy), plus the tried nodes for each shape of
 * claiming task: few if victims differ in cost, at worst all nodes with
 * victims.
 */
SKED_TRY sked_status sked_engine_preempt(
    sked_engine *engine, const sked_engine_preempt_options *options,
    sked_error *err);

/* Tasks of a job with a notice or kill order. Frozen layout. */
typedef struct sked_engine_notice {
    uint64_t ask;
    uint64_t node;
    uint64_t group;
    int64_t task; /* number of the first task within the job */
    int64_t count;
    sked_time deadline; /* of the notice; SKED_UNSET: a kill order */
    uint32_t reserved;  /* 0 */
    uint32_t partition;
} sked_engine_notice;

/*
 * Reads what preemption asks of a job now, by one of two contracts (round.h):
 *
 *   SKED_ROUND_CONTRACT_NEGOTIABLE
 *       The job must free `amounts` by the deadlines. If the job does nothing,
 *       the listed tasks are killed. The job may end other tasks instead: the
 *       next round sees the free amounts and withdraws as many notices.
 *   SKED_ROUND_CONTRACT_STRICT
 *       Exactly the listed tasks have a kill order and have not ended yet. The
 *       job can only save their work.
 *
 * `amounts` (one a kind; may be NULL) gets what the tasks hold together. The
 * call writes at most `cap` notices: ask by ask, newest group first, oldest
 * notice first. `*n` is always the full number. [CAP-5] [CAP-6] [CAP-7]
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOT_FOUND (no such job) or
 * SKED_ERR_RANGE (`cap` too small: only `*n` is written). Never allocates.
 * Cost: O(groups of the job * log marks).
 */
SKED_TRY sked_status sked_engine_contract(const sked_engine *engine,
                                          uint64_t job, int32_t contract,
                                          int64_t *amounts,
                                          sked_engine_notice *notices,
                                          size_t cap, size_t *n);

#ifdef __cplusplus
}
#endif

#endif
