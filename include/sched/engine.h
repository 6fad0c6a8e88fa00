#ifndef SKED_ENGINE_H
#define SKED_ENGINE_H

/*
 * The turnkey scheduler: events in, decisions out.
 *
 * A deterministic state machine. The host tells what happened (nodes come and
 * go, jobs ask, tasks end), the engine answers which task gets what on which
 * node and why. It never acts: a decision is a proposal that the host carries
 * out. It holds in the books at once; where the host asked for confirmation and
 * does not give it in time, it is undone and says so.
 *
 * Names. The host names nodes, jobs and asks by its own 64-bit keys, not 0. An
 * ask is `count` alike tasks of one job. Tasks of one ask that were started on
 * one node by one decision are a group, which the decision names: the engine
 * keeps groups, not tasks. Where some tasks of a group end before the others,
 * they are its last ones: those that were told to end, if any were, then those
 * under notice, the first told first.
 *
 * Time is the events' own; it never runs backwards (an earlier time is taken
 * as the last one, and counted), nor far ahead (SKED_TIME_JUMP_MAX). A proposal
 * whose deadline comes is undone at its deadline, before the event with that
 * time or a later one.
 *
 * Queues come from a tree (tree.h), taken over as a whole by
 * sked_engine_commit(). Every node is in one partition; usage and shares are
 * counted per queue and partition [LNK-12], and a node event costs by the work
 * that this partition can run, not by what else waits [LNK-2]. Of limits and of
 * what may be borrowed, an amount bounds the queue over all partitions
 * together, a part bounds it in each: it is a part of what that one has.
 *
 * A node takes tasks one by one, from the root of the tree down: at each
 * parent first a child that is below its guarantee of a kind that is scarce
 * among its siblings and stays within its share with the task (with order
 * `priority` after higher priorities), else the child that the parent's order
 * puts first [LNK-1], among those with an open ask below that may run on this
 * node now; at the leaf the first such ask by the leaf's order, then of the job
 * that was submitted (and arrived) first, then by priority within the job, then
 * the one that arrived first. An ask may run when it fits what is free (in the
 * kinds it asks for), fits below the limits of every queue on its path, its
 * user is below the user limit before it is started (the last task may go
 * beyond it), no queue on the path drains, the host did not refuse this pair,
 * and its list of nodes allows.
 *
 * A gang over nodes (SKED_ASK_SPREAD) has its turn when one of its tasks may run
 * on this node and nodes of the partition together take all that is open of it,
 * each as many as fit and as `per_node` allows; the whole of it counts against
 * limits. Then it starts as a whole: nodes are filled in order of adding, one
 * decision for each (more where the numbers of its tasks do not follow each
 * other), without another between them, with SKED_REASON_GANG. The ask is what
 * these have in common. A budget of decisions may be passed by the rest of a
 * gang that began within it. While it cannot start it holds nothing, so two
 * gangs never wait for each other; those behind it go first. What is undone,
 * lost or failed of it is open again as a smaller gang, the rest runs on. No
 * round preempts its tasks, or others for it.
 */

#include <sched/decision.h>
#include <sched/event.h>
#include <sched/preempt.h>
#include <sched/round.h>
#include <sched/target.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sked_engine sked_engine;

/* Partitions are numbered from 0; memory grows with the highest in use. */
enum { SKED_MAX_PARTITIONS = 4096 };

/* Of an engine. */
enum sked_engine_flag {
    SKED_ENGINE_FLAG_WAIT = 1 /* as if every ask said SKED_ASK_WAIT */
};

typedef struct sked_engine_options {
    uint32_t struct_size;
    uint32_t flags;            /* enum sked_engine_flag */
    uint64_t seed;             /* of orders by chance */
    int64_t confirm_within_ns; /* ns that a proposal waits to be confirmed;
                                0: proposals hold without it */
    int64_t node_delay_ns;     /* ns an ask waits for a node of its list before
                                it takes one of the same rack; 0: not at all.
                                The wait begins when it has tasks open, and anew
                                whenever one is started */
    int64_t rack_delay_ns;     /* ns more before it takes any node */
    uint32_t node_misses; /* the same by chances missed, which are heartbeats
                                of the ask's partition (or of all): both must
                                have passed; 0: not at all */
    uint32_t rack_misses;
    uint32_t max_per_pass; /* tasks (or gangs) started by one pass over one
                                node; 0: no bound */
    uint32_t max_untaken;  /* decisions kept until taken; a pass stops when so
                                many wait; 0: 1,048,576 */
    uint32_t max_user_running; /* jobs of one user running at once; 0: no
                                  bound */
    uint32_t reserved;         /* 0 */
} sked_engine_options;

/* ---- Life ---- */

/*
 * Creates an engine over the last commit of `tree`, which is copied. `host`
 * and `opts` may be NULL and are copied. The caller owns `*engine`.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE or
 * SKED_ERR_VERSION.
 */
SKED_TRY sked_status sked_engine_new(const sked_tree *tree,
                                     const sked_engine_options *opts,
                                     const sked_host *host,
                                     sked_engine **engine, sked_error *err);

/* Frees the engine. NULL is allowed. Called by a hook of it, does nothing. */
SKED_API void sked_engine_free(sked_engine *engine);

/*
 * Takes over the last commit of `tree` in one step; jobs, running work and what
 * is remembered of queues go along. In the tree that the engine had or a copy
 * of it, a queue is the one of the same id, whatever its name and place are
 * now. Queues that are not the same by history, as all or most are in a tree
 * that was read or made anew, are found again by path: equal numbers of ids
 * mean nothing there. (Two trees that were made by the same edits, one by one,
 * count as copies as far as those edits go.) From then on the ids of `tree`
 * hold, in events, reads and new decisions; decisions not taken yet keep the
 * ids they were made with.
 *
 * A queue that is gone must have no job. Jobs that the new tree lets run are
 * admitted as far as memory allows; the rest by the next call.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE (`now` is too
 * far ahead), SKED_ERR_SCHEMA or SKED_ERR_STATE (called by a hook; or a job is
 * in a queue that is gone or became a parent: `err` has the id and the path
 * that the engine knows it by). On failure nothing changed. Cost: O(queues *
 * partitions + what is open and running).
 */
SKED_TRY sked_status sked_engine_commit(sked_engine *engine,
                                        const sked_tree *tree, sked_time now,
                                        sked_error *err);

/*
 * Says what the user with this key is called where the tree gives users
 * weights (sked_tree_set_user_weight()). `name` is copied; NULL or "": none.
 * Users without a name weigh 1.
 *
 * Returns SKED_OK, SKED_ERR_ARG (the key UINT64_MAX), SKED_ERR_NOMEM or
 * SKED_ERR_STATE (called by a hook). Cost: O(open asks of the user).
 */
SKED_TRY sked_status sked_engine_name_user(sked_engine *engine, uint64_t user,
                                           const char *name, sked_error *err);

/* No size may be above this. */
enum { SKED_ENGINE_RESERVE_MAX = 1073741824 };

/* How much there will be at most, at any one moment. */
typedef struct sked_engine_reserve_input {
    uint32_t struct_size;
    uint32_t partitions; /* their numbers are below this; 0: as many as now */
    uint64_t nodes;
    uint64_t jobs;      /* known */
    uint64_t leaf_jobs; /* of them in one leaf, waiting; 0: all */
    uint64_t users;     /* that ever had a job */
    uint64_t
        accounts;  /* pairs of a user and a leaf that looks at users, in each
                           partition where that user asks or runs; 0: none */
    uint64_t asks; /* known */
    uint64_t wide_asks; /* of them for any partition */
    uint64_t leaf_asks; /* of them open in one leaf and partition; 0: all */
    uint64_t places;    /* nodes in the lists of asks, together */
    uint64_t shapes; /* asks that differ in amounts, or gangs in their size; of
                           a gang each size that is left of it; 0: one an ask */
    uint64_t groups; /* proposed or running */
    uint64_t ranges; /* runs of numbers of open tasks, and the groups on one
                           node besides; 0: asks and groups */
    uint64_t refusals;  /* pairs of an ask and a node; 0: as many as groups */
    uint64_t saved;     /* groups with SKED_EVENT_TASK_SAVED */
    uint64_t decisions; /* not taken yet */
} sked_engine_reserve_input;

/*
 * Takes memory for so much, in all. From then on events, passes and taking
 * decisions allocate nothing while there is no more than that, whatever was
 * there before; more is allocated as ever, or refused with SKED_ERR_NOMEM
 * (SKED_HOST_FLAG_RESERVED_ONLY). It holds for the tree as it is: a commit
 * makes the queues anew, so reserve again after it. Naming users, commits and
 * rounds of preemption (sked_engine_preempt()) take memory besides, and so do
 * attributes and rules.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM (some of it may have been
 * taken), SKED_ERR_RANGE, SKED_ERR_STATE (called by a hook) or
 * SKED_ERR_VERSION. Cost: O(leaves * partitions * leaf_asks) of memory, and the
 * rest.
 */
SKED_TRY sked_status sked_engine_reserve(sked_engine *engine,
                                         const sked_engine_reserve_input *input,
                                         sked_error *err);

/* How an engine preempts. */
typedef struct sked_engine_preempt_options {
    uint32_t struct_size;
    uint32_t flags;      /* enum sked_preempt_flag: how victims are chosen
                          (preempt.h) */
    uint64_t work;       /* nodes tried to better a plan that was found, a
                         partition and round; 0: SKED_PREEMPT_WORK */
    int64_t keep_for_ns; /* ns that a reservation stays for its ask, beyond
                         the grace of the victims; 0: 10 s */
    int32_t rank;        /* enum sked_rank_preset_name: with
                            SKED_PREEMPT_FLAG_PLAIN, the order of
                            candidates; 0: the library's own */
    uint32_t reserved;   /* 0 */
    const sked_target_options *targets; /* who gives, who claims; NULL: by
                                           imbalance */
    const sked_round_options *rounds;   /* grace, observing, lazy; NULL:
                                           defaults */
} sked_engine_preempt_options;

/*
 * Turns preemption on, or off (NULL); options are copied. Then every
 * SKED_EVENT_ROUND is a round in every partition. It goes by the shares that
 * placement goes by: targets say which queues may claim and which have more
 * than they keep (target.h); tasks of the former, in the order of their queues'
 * shortage and then of their lines, find the node on which the cheapest victims
 * among the surplus of the latter let them start, under every bound and with
 * the victims gone (preempt.h has the same rules for arrays, docs/preemption.md
 * why that comes to an end). Victims are notified; those of one task are killed
 * together, by the first round after the last of their graces, if that round
 * would choose them again (round.h). What the task needs, on the node and of
 * its queues' head room, is reserved for it meanwhile. Notices and reservations
 * are given up by the round that finds no more plan for them; what victims made
 * stays. Eased takes and the budget of a round bound what is taken, but that
 * one plan of a round, and one of each queue that gives, may take what it
 * needs. SKED_PREEMPT_FLAG_PLAIN takes the first node that will do, and looks
 * at no cost. SKED_PREEMPT_FLAG_BY_USER tells users apart in the leaves that do
 * so themselves: those with a user limit below 100 % or with SKED_APPS_USER_FAIR;
 * in others it changes nothing. [CAP-3] [CAP-4] [CAP-5] [CAP-6] [CAP-8] [CAP-14] [CAP-18]
 * [PEL-15]
 *
 * With lazy rounds (SKED_ROUND_FLAG_LAZY) no round kills: a task that is due
 * runs on until a heartbeat or pass finds that a task could start on that node
 * but for what its victims hold (its wait for places over, its user and every
 * limit on its path willing, with what the victims give back), and that these
 * are surplus still. Then they are killed, all that one task needs in one go,
 * whatever a budget of decisions says; it starts once they have ended.
 *
 * What a victim costs is the work that would be lost with it: its largest part
 * of the partition, in ppm, times the seconds since it was started or saved,
 * plus one; of masters, 1,024 times as much. Of SKED_JOB_KEEPS, one.
 *
 * Returns SKED_OK, SKED_ERR_ARG (a flag; SKED_PREEMPT_FLAG_OVERSHOOT would
 * preempt in turns), SKED_ERR_NOMEM, SKED_ERR_RANGE, SKED_ERR_STATE
 * (reservations or notices are out, or called by a hook) or SKED_ERR_VERSION. A
 * round costs O(queues kinds + victim classes + open asks of queues that claim)
 * and, for each sort of task that claims, the nodes tried: few where victims
 * differ in cost, all that hold victims at worst.
 */
SKED_TRY sked_status
sked_engine_preempt(sked_engine *engine,
                    const sked_engine_preempt_options *opts, sked_error *err);

/* Tasks of a job that are to go. Frozen layout. */
typedef struct sked_engine_notice {
    uint64_t ask;
    uint64_t node;
    uint64_t group;
    int64_t task; /* number of the first within the job */
    int64_t count;
    sked_time deadline; /* SKED_UNSET: it has passed */
    uint32_t flags;     /* SKED_ROUND_MARK_FLAG_OFFERED, or 0 */
    uint32_t partition;
} sked_engine_notice;

/*
 * What a job is asked for at this moment, one contract of it (round.h):
 *
 *   SKED_ROUND_CONTRACT_NEGOTIABLE
 *       to free `amounts` by the deadlines, for which these tasks would be
 *       taken. It may end others: what it frees shows in the next round, which
 *       then lets as many of these off
 *   SKED_ROUND_CONTRACT_STRICT
 *       to end exactly these tasks, which were told to end and have not yet;
 *       only saving work is left
 *
 * `amounts` (one a kind; may be NULL) is what the tasks hold together. Writes
 * at most `cap` notices, ask by ask, of each the newest group first and of that
 * the oldest notice; `*n` is always the number there are. [CAP-5] [CAP-6]
 * [CAP-7]
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOT_FOUND (no such job) or
 * SKED_ERR_RANGE (`cap` too small: nothing but `*n` is written). Never
 * allocates. Cost: O(what the job runs * log marks).
 */
SKED_TRY sked_status sked_engine_contract(const sked_engine *engine,
                                          uint64_t job, int32_t contract,
                                          int64_t *amounts,
                                          sked_engine_notice *notices,
                                          size_t cap, size_t *n);

/*
 * Applies events row by row, in order, each wholly or not at all. A row that
 * cannot be applied changes nothing (but what was due before it has happened)
 * and stops the call. `*done` (may be NULL) is the number of rows that were
 * applied and stand: go on from there. This is the one call of the library that
 * keeps part of what it did. Beside an error there are two cases:
 *
 *   the row was refused      `*done` is its index, and so is `err->row`
 *   the row was cut short    (a heartbeat for want of memory, or stopped by the
 *                            host) after it decided something: that stands, the
 *                            row counts in `*done`, and what it left undone the
 *                            node's next heartbeat finds
 *
 * Events that look at much ask `progress` and `cancel` after every 4,096 jobs,
 * asks, groups or nodes. They look first, and are not applied when stopped
 * there; once they change anything they are carried out whole, and a stop ends
 * the call after the row (`*done` counts it).
 *
 * Returns SKED_OK, SKED_STOPPED (as many decisions wait as may: take them, and
 * go on from `*done`), SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE,
 * SKED_ERR_EXISTS (key taken), SKED_ERR_NOT_FOUND (no such key),
 * SKED_ERR_STALE (such a queue or group is gone), SKED_ERR_STATE (the thing is
 * in no state for this, docs/engine.md; or called by a hook), SKED_ERR_VERSION,
 * SKED_ERR_CANCELLED or a code of the host's own. Cost: O(depth log siblings)
 * for each event and each decision, however many asks its job has, but for
 * O(log^2 asks of the leaf) places of its line on average, and O(open asks of
 * the job, or user) where leaves go by what jobs or users have (fair, size,
 * user-fair); and beyond that: a node that is lost: the groups it runs; a job
 * that is moved, gets another priority, is admitted or is over: its groups and
 * asks, each once; an ask: the nodes, until one is large enough; the first pass
 * after a capacity changed: all queues and open asks of the partition; shares,
 * where queues have guarantees (docs/engine.md): the queues of the partition
 * and the shapes that they want, once in a quarter as many events at most; a
 * partition with a higher number than any: what a commit costs.
 */
SKED_TRY sked_status sked_engine_apply(sked_engine *engine,
                                       const sked_events *events,
                                       uint64_t *done, sked_error *err);

/*
 * Looks at every node that might take something, in order of adding: what
 * heartbeats would decide, in one call, without counting as chances missed. At
 * most `budget` decisions (0: no bound); the next call goes on where this one
 * stopped.
 *
 * Returns SKED_OK, SKED_STOPPED (the budget, or decisions wait),
 * SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE (`now` is too far ahead),
 * SKED_ERR_STATE (called by a hook), SKED_ERR_CANCELLED or a code of the host's
 * own.
 */
SKED_TRY sked_status sked_engine_pass(sked_engine *engine, sked_time now,
                                      uint64_t budget, sked_error *err);

/*
 * Hands out up to `cap` decisions, oldest first; `*n` says how many. What is
 * not taken stays.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_STATE (called by a hook). Never
 * allocates. Cost: O(*n).
 */
SKED_TRY sked_status sked_engine_take(sked_engine *engine,
                                      sked_decision *decisions, size_t cap,
                                      size_t *n, sked_error *err);

/* ---- Reads ---- */

/* One bound that holds a job back. Frozen layout. */
typedef struct sked_engine_bound {
    int32_t reason;      /* enum sked_reason */
    int32_t kind;        /* resource kind, or -1 */
    uint64_t ask;        /* the open ask, or 0: the job as a whole */
    sked_queue_id queue; /* the queue that holds the bound, or SKED_NO_QUEUE */
    int64_t need;        /* what one more task, gang or application would make;
                            of nodes: what it takes */
    int64_t bound; /* what there may be at most; of an ask that waits for a
                            higher limit (SKED_REASON_NEVER_LIMIT): that limit,
                            and `need` is one step; of nodes: the most that
                            one of them has free of the kind that lacks, or of
                            its capacity (SKED_REASON_NEVER_NODE); of an ask
                            with a rule: how many nodes that take work it takes
                            (SKED_REASON_RULE, `need` is 1) */
    uint32_t partition;
    uint32_t binds; /* 1: the first that binds; 0: it would let it run */
} sked_engine_bound;

/*
 * Why a job has nothing more: for each open ask the chain of bounds in the
 * order in which they are asked (admission, queues from the root down, user,
 * nodes), each with what is needed and what there is. A user is held when it
 * has the bound, so that it may pass it by one task. Of nodes those count that
 * take work, that the ask's rule takes, and that lack the step in the fewest
 * kinds; without any, there is 0 of the first kind that it takes. Writes at most
 * `cap`; `*n` is always the number there are.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (`cap` too small) or
 * SKED_ERR_NOT_FOUND. Cost: O(open asks * (depth + nodes) * kinds).
 */
SKED_TRY sked_status sked_engine_explain_job(const sked_engine *engine,
                                             uint64_t job,
                                             sked_engine_bound *bounds,
                                             size_t cap, size_t *n);

/* What an engine holds and did. [LNK-3] */
typedef struct sked_engine_stats {
    uint32_t struct_size;
    uint32_t reserved;
    uint64_t nodes;
    uint64_t jobs;         /* known */
    uint64_t jobs_waiting; /* of them not admitted */
    uint64_t asks;         /* with open tasks */
    uint64_t open_tasks;
    uint64_t groups; /* running or proposed */
    uint64_t running_tasks;
    uint64_t events;     /* applied */
    uint64_t heartbeats; /* of them, node events */
    uint64_t idle;       /* of them, answered without looking at any queue */
    uint64_t decisions;
    uint64_t allocated;      /* tasks */
    uint64_t late_events;    /* with a time before the last */
    uint64_t queues_visited; /* work counters: for tests and tuning */
    uint64_t asks_visited;
    uint64_t bytes;       /* of memory held */
    uint64_t adopted;     /* tasks that ran already when they were told of */
    uint64_t nodes_over;  /* nodes that have less of a kind than their tasks
                             hold */
    uint64_t queues_over; /* queues that use more of a kind than a limit of
                             theirs, in all or in some partition */
} sked_engine_stats;

/* Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_VERSION. Cost: O(1); of a caller
 * that knows `nodes_over` O((nodes + queues * partitions) * kinds). */
SKED_TRY sked_status sked_engine_get_stats(const sked_engine *engine,
                                           sked_engine_stats *stats);

/*
 * What a queue uses in one partition, or in all (SKED_ANY_PARTITION): one
 * amount a kind; `pending` (may be NULL) what its open asks want besides, those
 * for any partition only where all are asked for.
 *
 * Returns SKED_OK, SKED_ERR_ARG (a partition above the highest in use) or
 * SKED_ERR_STALE. Cost: with `pending`, O(asks depth).
 */
SKED_TRY sked_status sked_engine_usage(const sked_engine *engine,
                                       sked_queue_id queue, uint32_t partition,
                                       int64_t *usage, int64_t *pending);

/*
 * What a node has beyond its running and proposed tasks, one amount a kind.
 * What is reserved there for an ask is not subtracted, so it may look free and
 * be given to that ask alone. Negative where the node was changed to have less
 * than its tasks hold.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_NOT_FOUND.
 */
SKED_TRY sked_status sked_engine_node_free(const sked_engine *engine,
                                           uint64_t node, int64_t *amounts);

/*
 * The state of tasks that a decision started (`group` of it): enum
 * sked_life_started (life.h), by SKED_LIFE_TABLE_GROUP. GONE for those that
 * have all ended, and for a number that names none.
 *
 * Returns SKED_OK or SKED_ERR_ARG. O(1).
 */
SKED_TRY sked_status sked_engine_task_state(const sked_engine *engine,
                                            uint64_t group, uint32_t *state);

/* XXH64 over all decisions so far, each as the record above without padding,
 * little endian: equal on every machine. */
SKED_API uint64_t sked_engine_digest(const sked_engine *engine);

/* A hash of the whole state, by key, equal for engines that will decide
 * alike. Cost: O(everything). */
SKED_API uint64_t sked_engine_state_digest(const sked_engine *engine);

/*
 * Verifies every invariant: books of nodes, jobs, users, queues against the
 * groups; nothing above capacity or limit; every open ask in exactly the lists
 * it belongs to; orders. Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_INTERNAL.
 * Never allocates. Cost: O(everything), some of it squared: for tests.
 */
SKED_TRY sked_status sked_engine_check(const sked_engine *engine,
                                       sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
