#ifndef SKED_ENGINE_H
#define SKED_ENGINE_H

/*
 * The scheduler engine: events in, decisions out.
 *
 * The host reports events: a node joined, a job asked for tasks, a task ended.
 * The engine returns decisions: start these tasks on this node, with a reason.
 * The engine is a deterministic state machine without I/O, clock or threads.
 * The host carries out the decisions. The smallest use, without error checks:
 *
 *     sked_engine_new(tree, NULL, NULL, &engine, &err);
 *     sked_engine_apply(engine, &events, NULL, &err); // nodes, jobs, asks
 *     sked_engine_pass(engine, now, 0, &err);         // fill all nodes
 *     sked_engine_take(engine, decisions, cap, &n, &err);
 *
 * OBJECTS
 *   node   A machine. A node belongs to one partition.
 *   job    Belongs to one leaf queue and one user.
 *   ask    A request of a job for `count` identical tasks.
 *   group  The tasks of an ask that one decision started on one node. The
 *          engine tracks groups, not single tasks.
 * The host names nodes, jobs and asks by 64-bit keys other than 0. The engine
 * numbers the groups and reports each number in the decision. If only some
 * tasks of a group end, the engine takes the last tasks as ended: first tasks
 * with a kill order, then tasks under notice (earliest notice first), then the
 * rest.
 *
 * PROPOSALS
 * A decision is charged at once. If `confirm_within_ns` is not 0, a start is a
 * proposal until the host confirms the start. A proposal without confirmation
 * in time is undone, with SKED_DECISION_EXPIRE. The undoing happens at the
 * deadline, before any event with the same or a later time.
 *
 * TIME
 * The engine has no clock. Time advances through events and through calls with
 * a parameter `now`. In such a call SKED_NOW asks the host's clock. In an event
 * SKED_NOW is a plain time, earlier than all others. Time never runs backwards:
 * an event with an earlier time counts at the last time, and as a late event.
 * SKED_TIME_JUMP_MAX bounds a jump ahead.
 *
 * QUEUES
 * Queues come from a tree (tree.h). sked_engine_commit() takes over a whole
 * tree. Usage and shares are counted per queue and partition [LNK-12]. The cost
 * of a node event depends on the work that the node's partition can run, not on
 * work that waits elsewhere [LNK-2]. A limit (or a bound on borrowing) in
 * amounts bounds the queue over all partitions together. A limit in parts per
 * million bounds the queue in each partition, as a part of the partition's
 * capacity.
 *
 * WHAT STARTS NEXT
 * A node takes tasks one by one. For each task the engine descends from the
 * root to a leaf. Only children with an open ask for this node take part. At
 * each parent the engine picks
 *   1. a child below its guarantee of a kind that is scarce among the
 *      siblings, if the child stays within its share with the task;
 *   2. without such a child, the first by the parent's order [LNK-1].
 * With the order `priority`, children of higher priority precede rule 1. In the
 * leaf the first ask that may run starts: by the leaf's order, then job
 * submission, job arrival, priority within the job, ask arrival.
 *
 * WHEN AN ASK MAY RUN ON A NODE
 * All of these conditions hold:
 * - The task fits into the free amounts of the node, in the kinds that the ask
 *   takes.
 * - The task fits below the limits of every queue on the path, and of the limit
 *   trees that charge the job (engine_limits.h).
 * - No queue on the path drains.
 * - Each of these queues may start one more task in this second (`start_rate`).
 * - The user is below the user limit before the start. The last task may exceed
 *   the limit.
 * - The host did not refuse this pair of ask and node.
 * - The ask's list of nodes, exclusions and rule allow the node.
 * - With SKED_ASK_EXCLUSIVE, nothing is on the node, and bounds hold the whole
 *   node (for a gang, all nodes of the gang).
 *
 * GANGS OVER NODES (SKED_ASK_SPREAD)
 * A gang has its turn when one task may run on this node and the nodes of the
 * partition together take all open tasks. Each node takes as many tasks as fit,
 * up to `per_node`. With `same`, all nodes share a value. With SKED_ASK_EXACT,
 * each node takes exactly `per_node` tasks. The whole gang counts against
 * limits.
 *
 * The gang then starts as a whole, with SKED_REASON_GANG. The engine fills
 * nodes in the order of adding. Each node has one decision, or several if the
 * task numbers have gaps. No other decision comes between. All of them name the
 * same ask. A gang that began within a budget of decisions may exceed the
 * budget.
 *
 * A gang that cannot start reserves nothing. With `form_nodes`, one gang of
 * each partition reserves, and two gangs never wait for each other. Later asks
 * start first, on the rest. Tasks that are undone, lost or failed are open
 * again as a smaller gang. The other tasks run on, or end (SKED_ASK_TOGETHER).
 *
 * An elastic gang (`at_once`) starts as many tasks as a whole as the gang
 * lacks. After that, the other tasks start one by one like tasks of any ask, at
 * most `per_node` on a node. Rounds of preemption look at gangs over nodes if
 * their options say so (`gangs`), and never at elastic gangs.
 */

#include <sched/decision.h>
#include <sched/event.h>
#include <sched/tree.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sked_engine sked_engine;

/* Partitions are numbered from 0; memory grows with the highest in use. */
enum { SKED_MAX_PARTITIONS = 4096 };

/* Flags of an engine. */
enum sked_engine_flag {
    SKED_ENGINE_FLAG_WAIT = 1 /* every ask counts as one with SKED_ASK_WAIT */
};

/* Options of an engine. A field of 0 has the default of its comment. */

typedef struct sked_engine_options {
    uint32_t struct_size;
    uint32_t flags;            /* enum sked_engine_flag */
    uint64_t seed;             /* seed of the order `random` */
    int64_t confirm_within_ns; /* ns to confirm a proposal; 0: starts need no
                                  confirmation */
    /* Delays in ns of an ask with a list of nodes: how long the ask waits for a
     * listed node before it takes a node of a listed node's rack, then how much
     * longer before any node; 0: no wait. A wait begins when the ask gets open
     * tasks, and anew at each start. */
    int64_t node_delay_ns;
    int64_t rack_delay_ns;
    uint32_t max_per_pass; /* most tasks (or gangs) that one pass starts on one
                              node; 0: no bound */
    uint32_t max_untaken;  /* decisions that may wait to be taken: a pass stops
                              at this number; 0: 1,048,576 */
    uint32_t max_user_running; /* most running jobs of one user; 0: no bound */
    uint32_t pooled; /* kinds that lie on no node (licences, bandwidth, tokens),
                        a bit each: SKED_EVENT_POOL says how much a partition
                        has */
    /*
     * The most nodes on which a gang over nodes reserves amounts while the gang
     * lacks nodes; 0: none. A reservation keeps smaller work from starving the
     * gang. Each partition has one reserving gang: the first in order that has
     * a turn on some node. A gang that shares a node with the reserving gang
     * and precedes it there takes over, so no two gangs keep each other out.
     *
     * Asks before the gang in order may use the reserved amounts. Asks behind
     * the gang use the rest. The engine drops the reservation in these cases:
     * - the gang starts, or leaves the line;
     * - nodes could not hold the gang even when empty;
     * - limits, rules or refusals keep the gang from the node;
     * - a round of preemption runs.
     *
     * Reservations count against no limit and in no share. Reads of a node's
     * free amounts include them.
     *
     * For a gang with SKED_ASK_EXCLUSIVE, the engine reserves whole nodes once
     * the nodes are empty. It reserves no node if bounds would not hold as many
     * of the least nodes as the gang needs. For a gang with `same` but without
     * SKED_ASK_PREFER_SAME, reserved nodes have one value in common. The values
     * compete if their nodes could hold the gang when empty: the value whose
     * nodes take most of the gang at the beginning wins, and the least value
     * wins a tie. Cost: O(form_nodes) more for a pass, and a look at all nodes
     * and their values while a gang waits.
     */
    uint32_t form_nodes;
    uint32_t reserved;   /* 0 */
    int64_t form_for_ns; /* most ns that a gang reserves; afterwards the gang
                            reserves nothing for as long, and other gangs have
                            their turn; 0: no bound */
} sked_engine_options;

/* ---- Life ---- */

/*
 * Creates an engine over the last commit of `tree`, and copies the commit.
 * `host` and `options` may be NULL and are copied. The caller owns `*engine`.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE or
 * SKED_ERR_VERSION. Cost: O(queues * kinds).
 */
SKED_TRY sked_status sked_engine_new(const sked_tree *tree,
                                     const sked_engine_options *options,
                                     const sked_host *host,
                                     sked_engine **engine, sked_error *err);

/* Frees the engine; NULL is allowed. A call from the engine's own hook does
 * nothing. */
SKED_API void sked_engine_free(sked_engine *engine);

/*
 * Takes over the last commit of `tree` in one step. Jobs, running work and the
 * state of queues go along. The engine finds each of its queues in the new
 * tree:
 *
 * - by id, if `tree` is the engine's own tree or a copy, whatever name and
 *   parent the queue has now;
 * - by path, if `tree` has another history (read from text, or built anew).
 *   Equal ids mean nothing then.
 *
 * Two trees built by the same edits in the same order count as copies, as far
 * as these edits go. From now on the ids of `tree` hold in events, reads and
 * new decisions. Decisions not taken yet keep their ids.
 *
 * A queue that the new tree does not have must have no job. Jobs that the new
 * tree lets run are admitted as far as memory allows; the next call admits the
 * rest.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE (`now` is too
 * far ahead), SKED_ERR_SCHEMA or SKED_ERR_STATE (called by a hook; or a job is
 * in a queue that is gone or became a parent: `err` has the engine's id and
 * path of the queue). On failure nothing changed. Cost: O(queues * partitions +
 * open asks + groups).
 */
SKED_TRY sked_status sked_engine_commit(sked_engine *engine,
                                        const sked_tree *tree, sked_time now,
                                        sked_error *err);

/*
 * Gives the user with this key a name. The tree weighs users by name
 * (sked_tree_set_user_weight()). `name` is copied; NULL or "" removes the name.
 * Users without a name weigh 1.
 *
 * Returns SKED_OK, SKED_ERR_ARG (the key UINT64_MAX), SKED_ERR_NOMEM or
 * SKED_ERR_STATE (called by a hook). Cost: O(open asks of the user).
 */
SKED_TRY sked_status sked_engine_name_user(sked_engine *engine, uint64_t user,
                                           const char *name, sked_error *err);

/* The largest number that a field of sked_engine_reserve_input may have. */
enum { SKED_ENGINE_RESERVE_MAX = 1073741824 };

/* The largest number of each object at any one moment. */
typedef struct sked_engine_reserve_input {
    uint32_t struct_size;
    uint32_t partitions; /* partition numbers are below this; 0: as many as
                            now */
    uint64_t nodes;
    uint64_t jobs;      /* known to the engine */
    uint64_t leaf_jobs; /* waiting jobs of one leaf; 0: all */
    uint64_t users;     /* with a job at any time */
    uint64_t accounts;  /* pairs of a user and a leaf that tells users apart,
                           one for each partition with work of the user; 0:
                           none */
    uint64_t asks;      /* known to the engine */
    uint64_t wide_asks; /* asks for any partition */
    uint64_t leaf_asks; /* open asks of one leaf and partition; 0: all */
    uint64_t places;    /* nodes in the lists of all asks together */
    uint64_t shapes;    /* different amounts of one task, remaining sizes of
                          gangs, and whole nodes for exclusive tasks; plus as
                          many as there are gangs on a node that may be lost, or
                          nodes of an exclusive gang; 0: two for each ask */
    uint64_t groups;    /* proposed or running */
    uint64_t ranges;    /* runs of consecutive numbers of open tasks, plus the
                           groups on one node; 0: asks and groups */
    uint64_t refusals;  /* the larger of two numbers, plus the groups of one ask
                          that are refused together: pairs of an ask and a node,
                          or nodes, jobs and asks with a refusal or exclusion
                          plus asks that wait to be possible; 0: groups */
    uint64_t saved;     /* groups with SKED_EVENT_TASK_SAVED, _ENDS or _COST */
    uint64_t decisions; /* not taken yet */
    uint64_t released;  /* groups with released tasks still on nodes */
    uint64_t spreads;   /* different amounts, per_node, attribute and rule of
                           gangs over nodes; 0: 8, or shapes if fewer */
} sked_engine_reserve_input;

/*
 * Allocates the memory for these numbers. The numbers include existing objects.
 * From now on events, sked_engine_pass() and sked_engine_take() allocate
 * nothing while no number is exceeded, with these exceptions:
 *
 * - SKED_EVENT_ASK_EXCLUDE and _JOB_EXCLUDE: the named nodes.
 * - SKED_EVENT_ASK_TAGS: the tags. Starts and ends of tasks with tags: their
 *   counts on nodes and in domains.
 * - SKED_EVENT_NODE_ATTRIBUTES, _ASK_RULE and _ASK_PREFER, and gangs over nodes
 *   with a `same` attribute: the attributes, the rules and the domains, also of
 *   nodes that come and go.
 * - SKED_EVENT_ROUND: the round and its reservations. With preemption on,
 *   starts of tasks: the lists by which rounds find victims. With
 *   SKED_HOST_FLAG_RESERVED_ONLY tasks start without these lists, and the next
 *   round makes the lists.
 *
 * Other functions allocate as documented: sked_engine_place(), commits, names
 * of users. Beyond these numbers the engine allocates as usual. With
 * SKED_HOST_FLAG_RESERVED_ONLY the engine refuses with SKED_ERR_NOMEM instead,
 * beyond the numbers and for the exceptions. A commit makes the queues anew:
 * reserve again after a commit, and after a limit tree was added.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM (some of the memory may have
 * been allocated), SKED_ERR_RANGE, SKED_ERR_STATE (called by a hook) or
 * SKED_ERR_VERSION. Cost in memory: O(leaves * partitions * leaf_asks + nodes *
 * spreads), plus the sum of the other numbers.
 */
SKED_TRY sked_status sked_engine_reserve(sked_engine *engine,
                                         const sked_engine_reserve_input *input,
                                         sked_error *err);

/*
 * Applies events row by row, in order. A row is applied wholly or not at all. A
 * row that cannot be applied changes nothing and stops the call. Whatever was
 * due before the row's time has happened all the same. `*done` (may be NULL) is
 * the number of applied rows: go on from there. No other call of the library
 * keeps part of its work. An error means one of two cases:
 *
 *   the row was refused      `*done` and `err->row` are its index.
 *   the row was cut short    A heartbeat ran out of memory, or the host stopped
 *                            the heartbeat, after a decision or after a change
 *                            of a gang's reservation (`form_nodes`). The
 *                            change stands, the row counts in `*done`, and the
 *                            node's next heartbeat does the rest.
 *
 * Long events ask the host's `progress` and `cancel` after every 4,096 jobs,
 * asks, groups or nodes. An event that is stopped before its first change is
 * not applied. After its first change the event is carried out whole. The stop
 * then ends the call after the row, and `*done` counts the row.
 *
 * Returns SKED_OK, SKED_ERR_FULL (`max_untaken` decisions wait: take them, and
 * go on from `*done`), SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE,
 * SKED_ERR_EXISTS (key taken), SKED_ERR_NOT_FOUND (no such key), SKED_ERR_STALE
 * (the queue or group is gone), SKED_ERR_STATE (the object's state does not
 * allow the event, docs/engine.md; or called by a hook), SKED_ERR_VERSION,
 * SKED_ERR_CANCELLED or a code of the host's own.
 *
 * Cost: O(depth log siblings) for each event and each decision, however many
 * asks the job has. O(log^2 asks of the leaf) on average to put an ask into its
 * leaf's line. O(open asks of the job, or user) in a leaf ordered by usage of
 * jobs or users (fair, size, user-fair). In addition:
 * - a lost node: its groups;
 * - a job that is moved, admitted, over, or gets another priority: its groups
 *   and asks, each once. If the user reaches or leaves `max_user_running` by
 *   that: the user's waiting jobs;
 * - a new ask: the nodes until one is large enough;
 * - TASK_RUNNING, and ASK_CHANGE to fewer: the runs of consecutive open numbers
 *   of the ask;
 * - the first pass after a change of capacity: all queues and open asks of the
 *   partition;
 * - the first pass after a change of demand, if queues have guarantees: the
 *   partition's queues and the shapes that they want (shares, docs/engine.md);
 * - a partition with a higher number than any before: as much as a commit.
 */
SKED_TRY sked_status sked_engine_apply(sked_engine *engine,
                                       const sked_events *events,
                                       uint64_t *done, sked_error *err);

/*
 * Fills every node that might take work, in the order of adding. One call
 * decides the same as a heartbeat of each node. The call makes at most `budget`
 * decisions (0: no bound); the next call continues at the same place.
 *
 * Returns SKED_OK, SKED_STOPPED (the budget is used up, or `max_untaken`
 * decisions wait), SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE (`now` is too
 * far ahead), SKED_ERR_STATE (called by a hook), SKED_ERR_CANCELLED or a code
 * of the host's own. Cost: one heartbeat for each node looked at; O(1) for a
 * node without a change since the last look.
 */
SKED_TRY sked_status sked_engine_pass(sked_engine *engine, sked_time now,
                                      uint64_t budget, sked_error *err);

/*
 * Hands out up to `cap` decisions, oldest first, and forgets them; `*n` is
 * their number. Decisions that are not taken stay.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_STATE (called by a hook). Never
 * allocates. Cost: O(*n).
 */
SKED_TRY sked_status sked_engine_take(sked_engine *engine,
                                      sked_decision *decisions, size_t cap,
                                      size_t *n, sked_error *err);

/* ---- Reads ---- */

/* One bound of a job or ask. Frozen layout. */
typedef struct sked_engine_bound {
    int32_t reason;      /* enum sked_reason */
    int32_t kind;        /* resource kind, or -1 */
    uint64_t ask;        /* the open ask, or 0: the whole job */
    sked_queue_id queue; /* the queue with the bound, or SKED_NO_QUEUE */
    /* `need` and `bound` by reason. By default `need` is the amount with one
     * more task, gang or application, and `bound` is the allowed amount.
     * - NO_NODE, NEVER_NODE: the amount of the task or gang; the most that one
     *   node has free, or has in all. Kind -1 for a gang over nodes with too
     *   many tasks for all nodes: its tasks; how many tasks nodes hold when
     *   empty.
     * - DRAINING of an ask: 1; draining nodes that would hold the ask.
     * - EXCLUDED: 1, or for a gang over nodes the tasks that start at once; how
     *   many of them the nodes without exclusion hold when empty.
     * - NEVER_LIMIT: the amount of the task or gang; the limit.
     * - RULE: 1; nodes in service that the rule takes. 1 and 0 for a gang over
     *   nodes with `same` if no such node has a value of the attribute.
     * - NO_CLAIM: the queue's amount with the task or gang; the queue's claim
     *   of the kind by the last round.
     * - EXCLUSIVE: 1; empty nodes that take the task. Above 0, bounds do not
     *   hold a whole node, and an earlier line says so of the first node.
     * - GANG: tasks that start at once; how many of them nodes take now, 0
     *   until all tasks with a kill order for the gang ended.
     * - FORMING of the gang itself: tasks that start at once; how many of them
     *   have a reservation. FORMING of another ask that the reservation blocks:
     *   the key of the gang's ask; nodes with a reservation. `queue` is then
     *   the gang's queue, and SKED_NO_QUEUE otherwise.
     * - WEIGHT of a queue on the job's path: the weight that the host set; the
     *   tree's weight, if they differ. A weight never binds, but orders and
     *   claims depend on it.
     * - RATE: the moment of the next allowed start; starts allowed in a second.
     */
    int64_t need;
    int64_t bound;
    uint32_t partition;
    uint32_t binds; /* 1: the first bound that blocks; else 0 */
} sked_engine_bound;

/*
 * Explains why a job gets nothing more. For each open ask the call lists the
 * bounds in the engine's order: admission, queues from the root down, queues of
 * limit trees, user, nodes. An ask for any partition has bounds for each
 * partition with nodes, or for partition 0 if no node exists. A user's bound
 * binds if the user already holds that much, because the user's last task may
 * exceed the bound.
 *
 * Node bounds count nodes that take work, meet the ask's rule and are not
 * excluded. Among these nodes, the ones that lack the fewest kinds count.
 * Without any such node, `bound` is 0 for the first kind that the ask takes.
 *
 * If no such node would ever hold the ask, one line gives the first true cause:
 * draining nodes would (DRAINING), nodes that the host refused for everything
 * would (REFUSED), excluded nodes would (EXCLUDED), no node would (NEVER_NODE,
 * draining nodes included). A rule that takes no node also has one line.
 *
 * NO_CLAIM appears only while shares are as the last round made them, not while
 * shares are due to be computed again. Limits that depend on a partition's
 * capacity are as of its last heartbeat or pass. `*n` is always the full number
 * of bounds.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (`cap` too small: only `*n` is
 * written) or SKED_ERR_NOT_FOUND. Never allocates. Cost: O(open asks * (depth +
 * nodes) * kinds) for each partition.
 */
SKED_TRY sked_status sked_engine_explain_job(const sked_engine *engine,
                                             uint64_t job,
                                             sked_engine_bound *bounds,
                                             size_t cap, size_t *n);

/* The engine's current counts, and totals since its creation. [LNK-3] */
typedef struct sked_engine_stats {
    uint32_t struct_size;
    uint32_t reserved;
    uint64_t nodes;
    uint64_t jobs;         /* known to the engine */
    uint64_t jobs_waiting; /* not admitted yet */
    uint64_t asks;         /* with open tasks */
    uint64_t open_tasks;
    uint64_t groups; /* running or proposed */
    uint64_t running_tasks;
    uint64_t events;     /* applied */
    uint64_t heartbeats; /* part of `events` */
    uint64_t idle;       /* heartbeats that looked at no queue */
    uint64_t decisions;
    uint64_t allocated;      /* tasks */
    uint64_t late_events;    /* with a time before the last */
    uint64_t queues_visited; /* work counters: for tests and tuning */
    uint64_t asks_visited;
    uint64_t bytes;       /* of memory that the engine has allocated */
    uint64_t adopted;     /* tasks reported by SKED_EVENT_TASK_RUNNING */
    uint64_t nodes_over;  /* nodes with less of a kind than their tasks hold */
    uint64_t queues_over; /* queues, also of limit trees, above a limit of
                             theirs, in all or in some partition */
    uint64_t formings;    /* times that a gang over nodes began to reserve
                             amounts (`form_nodes`) */
    uint64_t form_nodes;  /* nodes with such a reservation now */
} sked_engine_stats;

/* Reads the counters. Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_VERSION. Cost:
 * O(1), or O((nodes + queues * partitions) * kinds) when `struct_size` includes
 * `nodes_over`. */
SKED_TRY sked_status sked_engine_get_stats(const sked_engine *engine,
                                           sked_engine_stats *stats);

/*
 * Reads what a queue uses in one partition, or in all (SKED_ANY_PARTITION): one
 * amount a kind. `pending` (may be NULL) gets the amounts that the queue's open
 * asks want in addition. Asks for any partition count only if `partition` is
 * SKED_ANY_PARTITION.
 *
 * Returns SKED_OK, SKED_ERR_ARG (a partition above the highest in use) or
 * SKED_ERR_STALE. Cost: O(kinds), and with `pending` O(asks * depth).
 */
SKED_TRY sked_status sked_engine_usage(const sked_engine *engine,
                                       sked_queue_id queue, uint32_t partition,
                                       int64_t *usage, int64_t *pending);

/*
 * The earliest moment at which time alone changes the engine's decisions. At
 * this moment a proposal expires, a reservation or a rejection ends, a wait for
 * a preferred node or rack ends, a soft rule expires, or a queue may start
 * tasks again (`start_rate`). The host then calls sked_engine_pass(), or
 * applies SKED_EVENT_HEARTBEAT for its nodes. After a pass over all nodes
 * without a decision, further passes before this moment decide nothing, unless
 * an event comes. Rounds of preemption are events of the host and do not count.
 *
 * Returns SKED_UNLIMITED if time alone changes nothing, and for NULL. Cost:
 * O(partitions).
 */
SKED_API sked_time sked_engine_next_time(const sked_engine *engine);

/*
 * Reads what a node has beyond its running and proposed tasks, one amount a
 * kind. Reservations are not subtracted, though only their asks may use the
 * reserved amounts. An amount is negative if the node has less than its tasks
 * hold. Kinds that lie on no node have 0.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_NOT_FOUND. Cost: O(kinds).
 */
SKED_TRY sked_status sked_engine_node_free(const sked_engine *engine,
                                           uint64_t node, int64_t *amounts);

/*
 * Reads the state of the tasks that a decision started, by the decision's
 * `group`: an enum sked_life_started (life.h), by SKED_LIFE_TABLE_GROUP. The
 * state is _GONE when all tasks have ended, and for a number without a group.
 * Returns SKED_OK or SKED_ERR_ARG. Cost: O(1).
 */
SKED_TRY sked_status sked_engine_task_state(const sked_engine *engine,
                                            uint64_t group, uint32_t *state);

/* The XXH64 (seed 0) of all decisions: each as a sked_decision without padding
 * (`serves` only if not 0), little endian. Equal on every machine. Cost: O(1).
 */
SKED_API uint64_t sked_engine_digest(const sked_engine *engine);

/* A hash of the whole state, in the order of keys. Engines with equal hashes
 * will decide alike. Cost: O(everything). */
SKED_API uint64_t sked_engine_state_digest(const sked_engine *engine);

/*
 * Verifies every invariant, for tests: the books of nodes, jobs, users and
 * queues agree with the groups; nothing new is above a capacity or limit; every
 * open ask is in exactly the lists it belongs to; every order holds. Returns
 * SKED_OK, SKED_ERR_ARG or SKED_ERR_INTERNAL. Never allocates. Cost:
 * O(everything), some of it squared.
 */
SKED_TRY sked_status sked_engine_check(const sked_engine *engine,
                                       sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
