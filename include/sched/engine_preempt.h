#ifndef SKED_ENGINE_PREEMPT_H
#define SKED_ENGINE_PREEMPT_H

/*
 * Preemption in an engine: rounds that end tasks of queues with more than they
 * keep, for asks of queues that have less than they may claim. What a round
 * promises is in docs/preemption.md.
 */

#include <sched/engine.h>
#include <sched/preempt.h>
#include <sched/round.h>
#include <sched/target.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SKED_MAX_PREEMPT_POLICIES = 8 }; /* `targets` and those after it */

/* How an engine preempts. NULL: the defaults of target.h and round.h. */
typedef struct sked_engine_preempt_options {
    uint32_t struct_size;
    uint32_t flags;      /* enum sked_preempt_flag: how victims are chosen */
    uint64_t work;       /* nodes that a round tries in each partition to
                         improve a plan it found; 0: SKED_PREEMPT_WORK */
    int64_t keep_for_ns; /* ns that a reservation stays for its ask, beyond
                         the grace of the victims; 0: 10 s. More than nodes
                         take from one heartbeat to the next: else what was
                         freed may go to others, and be freed again, for
                         ever */
    uint32_t gangs;      /* so many gangs over nodes have nodes reserved by one
                            round in a partition; 0: rounds neither end gangs
                            over nodes nor reserve for any */
    uint32_t reserved;   /* 0 */
    const sked_target_options *targets; /* which queues give, which claim: the
                                           first policy */
    const sked_round_options *rounds;   /* grace, observing */
    const sked_target_options *const
        *more_targets; /* the policies that run after `targets`, in this order;
                          one that is NULL has the defaults */
    uint64_t n_more_targets; /* how many; 0: none */
} sked_engine_preempt_options;

/*
 * Turns preemption on, or off (`options` NULL); options are copied. Once it is
 * on, every SKED_EVENT_ROUND holds a round in every partition, by the same
 * shares that placement goes by.
 *
 * Targets say which queues may claim and which have more than they keep
 * (target.h). Tasks of queues that claim are looked at in the order of their
 * queues' shortage, then of their queue's line: of one queue 64 asks that can
 * be served, alike ones that follow each other counting as one. For each the
 * round looks for the node on which the cheapest victims, taken from the
 * surplus of the queues that give, would let it start under every bound once
 * they have ended (preempt.h has the same rules for arrays; docs/preemption.md
 * shows that this comes to an end). SKED_PREEMPT_FLAG_BY_USER
 * tells users apart in leaves with a user limit below 100 %, a user factor or
 * SKED_APPS_USER_FAIR, and changes nothing in others. Eased takes and the
 * budget of a round bound what is taken, except that one plan of each round,
 * and one of each queue that gives, may take all that it needs.
 *
 * Several policies (`more_targets`) run in order in every round [CAP-14]. Each
 * says by its own clocks which queues claim, how far, and which give. What
 * claims by the first policy is looked at first, and takes only from queues
 * that give by it; then what still has no place and claims by the second, and
 * so on. A leaf keeps one amount of each kind, the most that any of the
 * policies lets it keep: what one protects no other takes, so a list comes to
 * an end as one policy does. Whatever a round takes counts in the takes and the
 * budget of every policy: one takes nothing where the policies before it have
 * reached its own bounds. Users and priorities within a leaf come after all
 * policies, within those of the last. Grace and observing are the same for all
 * policies.
 *
 * Victims are put under notice. All victims of one task are killed together, by
 * the first round after the last of their deadlines, if that round would choose
 * them again (round.h); or by the next, as far as the queue has started tasks
 * since the last round, where a task claims by imbalance, or by entitlement
 * beyond its queue's guarantee. Until then what the task needs, on the node and
 * below the limits of its queues, is reserved for it. A round that finds no
 * plan any more for a task withdraws its notices and its reservation; what
 * victims that have ended left to it stays. [CAP-3] [CAP-4] [CAP-5] [CAP-6]
 * [CAP-8] [CAP-14] [CAP-18] [PEL-15]
 *
 * Gangs over nodes (SKED_ASK_SPREAD): with `gangs` above 0 such a gang is a
 * victim as a whole, on all its nodes, and costs what all its tasks cost; until
 * all of it that has a kill order has ended, none of it starts. For a gang that
 * claims, nodes are reserved for all that it lacks and others get kill orders,
 * or neither; it starts on all of these nodes at once (SKED_REASON_HELD). So
 * many gangs of a partition have reservations by one round, in the order in
 * which asks are looked at. Elastic ones (`at_once`), and one that runs in two
 * partitions, or with tasks of different amounts, are never victims; elastic
 * ones and masters do not claim. Tasks of its own leaf never end for a gang
 * over nodes, by user or by priority.
 *
 * A victim costs the work that would be lost with it: the largest part of the
 * partition that it holds of any kind, in ppm, times the seconds since it was
 * started or saved, plus one; a master 1,024 times that, with SKED_JOB_KEEPS 1;
 * or what the host says (SKED_EVENT_TASK_COST).
 *
 * Tasks of revocable jobs (SKED_JOB_REVOCABLE) go before any others. Of a queue
 * that gives they are surplus first, whatever their priority; and plans are
 * compared by what they cost of other tasks, where none of these is new by what
 * they cost of revocable ones: so on a node no other task ends where surplus of
 * revocable ones is enough, and of nodes one where that is so is taken before
 * one where it is not. A task under notice costs nothing more, revocable or
 * not. By priority a revocable job takes nothing of its own leaf
 * that is not revocable. For a job that yields (SKED_JOB_YIELDS) no round does
 * anything. [PEL-2] [PEL-3]
 *
 * SKED_PREEMPT_FLAG_BY_USER with SKED_PREEMPT_FLAG_BY_PRIORITY has no bound on
 * kills that follows from claims while demand stays constant. The host's `log`
 * gets a note (SKED_LOG_INFO) from this call and from each commit
 * (docs/preemption.md).
 *
 * Returns SKED_OK, SKED_ERR_ARG (a flag; SKED_PREEMPT_FLAG_OVERSHOOT, which
 * could preempt in turns; SKED_PREEMPT_FLAG_PLAIN, which is for arrays alone;
 * SKED_ROUND_FLAG_LAZY, since a plan of the engine ends tasks only for a step
 * that then starts on that node; an option that a dialect does not have; `more_targets` NULL where there are some), SKED_ERR_NOMEM,
 * SKED_ERR_RANGE (an option; SKED_MAX_PREEMPT_POLICIES), SKED_ERR_STATE
 * (reservations or notices are out, or called by a hook) or SKED_ERR_VERSION.
 * Where a policy of `more_targets` is at fault, `err->row` is its index there;
 * nothing has changed. Cost of a round: O(policies * queues * kinds + victim
 * classes + open asks of queues that claim, by each policy) and, for each shape
 * of task that claims, the nodes tried: few where victims differ in cost, at
 * worst all that have victims.
 */
SKED_TRY sked_status sked_engine_preempt(
    sked_engine *engine, const sked_engine_preempt_options *options,
    sked_error *err);

/* Tasks of a job that are under notice or have a kill order. Frozen layout. */
typedef struct sked_engine_notice {
    uint64_t ask;
    uint64_t node;
    uint64_t group;
    int64_t task; /* number of the first within the job */
    int64_t count;
    sked_time deadline; /* of the notice; SKED_UNSET: it is a kill order */
    uint32_t reserved;  /* 0 */
    uint32_t partition;
} sked_engine_notice;

/*
 * What preemption asks of a job at this moment, by one of two contracts
 * (round.h):
 *
 *   SKED_ROUND_CONTRACT_NEGOTIABLE
 *       The job is to free `amounts` by the deadlines; if it does nothing, the
 *       tasks listed are killed for it. It may end other tasks instead: the
 *       next round sees what is free and withdraws as many of these notices.
 *   SKED_ROUND_CONTRACT_STRICT
 *       Exactly the tasks listed have a kill order and have not ended yet; the
 *       job can do no more than save their work.
 *
 * `amounts` (one a kind; may be NULL) is what they hold together. Writes at
 * most `cap` notices: ask by ask, of each the newest group first, of that the
 * oldest notice first; `*n` is always the number there are. [CAP-5] [CAP-6]
 * [CAP-7]
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOT_FOUND (no such job) or
 * SKED_ERR_RANGE (`cap` too small: nothing but `*n` is written). Never
 * allocates. Cost: O(groups of the job * log marks).
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
