#ifndef SKED_ENGINE_H
#define SKED_ENGINE_H

/*
 * The turnkey scheduler: events in, decisions out.
 *
 * The engine is a deterministic state machine. The host says what happened
 * (nodes come and go, jobs ask, tasks end); the engine answers which task gets
 * what on which node, and why. It never acts: a decision is a proposal, which
 * the host carries out. A decision counts in the books at once. Where the host
 * chose to confirm proposals (`confirm_within_ns`) and does not confirm one in
 * time, the proposal is undone, and SKED_DECISION_EXPIRE says so.
 *
 * Names. The host names nodes, jobs and asks by its own 64-bit keys, which are
 * not 0. An ask is `count` alike tasks of one job. Tasks of one ask that were
 * started on one node by one decision are a group, and that decision says the
 * group's number: the engine keeps groups, not tasks. Where only some tasks of
 * a group end, these count as its last ones: first those with a kill order,
 * then those under notice (the earliest notice first), then the others.
 *
 * Time. The engine has no clock: it is as late as the events say, and as the
 * calls with a parameter `now`, which may ask the host's (SKED_NOW). In an
 * event SKED_NOW is a time like any other, earlier than all. Time never
 * runs backwards (an event with an earlier time counts as one at the last time,
 * and as a late event), nor does it jump too far ahead (SKED_TIME_JUMP_MAX). A
 * proposal that reaches its deadline is undone at that moment, before any event
 * with that time or a later one.
 *
 * Queues come from a tree (tree.h), which sked_engine_commit() takes over as a
 * whole. Every node is in one partition. Usage and shares are counted for each
 * queue in each partition [LNK-12], and a node event costs by the work that the
 * node's partition can run, not by what waits for others [LNK-2]. A limit, or a
 * bound on borrowing, that is an amount bounds the queue over all partitions
 * together; one in parts per million bounds it in each partition, as a part of
 * what that partition has.
 *
 * The order of starts. A node takes tasks one by one. For each task the choice
 * goes from the root of the tree down to a leaf, always among children below
 * which some open ask may run on this node now. At each parent, a child goes
 * first that is below its guarantee of a kind that is scarce among its siblings
 * and stays within its share with the task (with the order `priority`, after
 * the children of higher priority); where there is none, the child that the
 * parent's order puts first [LNK-1]. At the leaf, the first ask that may run
 * goes: by the leaf's order, then by the job's submission and arrival, then by
 * priority within the job, then by the ask's arrival.
 *
 * An ask may run on a node when it fits into what is free there (in the kinds
 * that it asks for) and below the limits of every queue on its path, none of
 * which drains, and of the limit trees that its job is charged in
 * (engine_limits.h); when one more task may start in each of them in this
 * second (`start_rate`); when its user is below the user limit before it is
 * started (the last task may go beyond it); when the host did not refuse this
 * pair of ask and node; when its list of nodes, its exclusions and its rule
 * allow it; and with SKED_ASK_EXCLUSIVE when nothing is on the node, and bounds
 * hold all of it (of a gang, all of the nodes that it takes).
 *
 * A gang over nodes (SKED_ASK_SPREAD) has its turn when one of its tasks may
 * run on this node and nodes of the partition together take all of its open
 * tasks, each node as many as fit and as `per_node` allows, with `same` only
 * nodes that share a value, and with SKED_ASK_EXACT each node just `per_node`
 * of them; the whole gang counts against limits. Then it starts as a whole,
 * with SKED_REASON_GANG: nodes are filled in the order of adding, with one
 * decision for each (several where the numbers of its tasks have gaps) and no
 * other decision between them. These decisions have the ask in common. If a
 * gang began within a budget of decisions, its rest may go beyond the budget. A
 * gang that cannot start reserves nothing, or (`form_nodes`) one of a partition
 * does, so two gangs never wait for each other; asks behind it are started
 * first, on what is left. Tasks of it that are undone, lost or failed are open
 * again as a smaller gang, and the rest runs on, or ends (SKED_ASK_TOGETHER).
 * Of an elastic gang (`at_once`) so many tasks start as a whole as it lacks;
 * once it has them, its other tasks are started like those of any ask, one by
 * one where their turn comes, at most `per_node` on a node. Rounds of
 * preemption look at gangs over nodes where their options say so (`gangs`), and
 * never at elastic ones.
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

/* How an engine decides. What is 0 has the default that its remark names. */

typedef struct sked_engine_options {
    uint32_t struct_size;
    uint32_t flags;            /* enum sked_engine_flag */
    uint64_t seed;             /* of what the order `random` draws */
    int64_t confirm_within_ns; /* ns to confirm a proposal; 0: none needs it */
    /* ns for which an ask waits for a node of its list before it takes one of
     * the same rack, and ns more before it takes any node; 0: it does not wait.
     * The wait begins when the ask has open tasks, and anew whenever a task of
     * it is started. */
    int64_t node_delay_ns;
    int64_t rack_delay_ns;
    uint32_t max_per_pass; /* tasks (or gangs) that one pass starts on one node
                              at most; 0: no bound */
    uint32_t max_untaken;  /* decisions that may wait to be taken: a pass stops
                              when so many do; 0: 1,048,576 */
    uint32_t max_user_running; /* jobs of one user at once; 0: no bound */
    uint32_t pooled; /* kinds that lie on no node (licences, bandwidth, tokens),
                        a bit each: a partition has of them what
                        SKED_EVENT_POOL says */
    /*
     * While a gang over nodes cannot start for lack of nodes, what it would
     * take on so many nodes is reserved for it, so that smaller work behind it
     * does not keep it out for ever; 0: nothing is. In each partition that is
     * one gang at a time, the first in order that comes to its turn on some
     * node; one that shares a node with it and comes before it there takes its
     * place. No two gangs keep each other out.
     *
     * What comes before the gang in order takes what it likes of that; what
     * comes behind it has the rest. It is free again when the gang starts, or
     * stands in no line any more, or nodes could not hold it even when empty,
     * or limits, rules or refusals keep it from the node, and with every round
     * of preemption. It counts against no limit, and in no share. Reads of what
     * a node has free include it. For a gang with SKED_ASK_EXCLUSIVE nodes are
     * reserved whole, once they are empty; none where bounds would not hold as
     * many of the least nodes as it needs. For a gang with `same` (but for
     * SKED_ASK_PREFER_SAME) nodes of one value are: of those that could hold it
     * when empty, the one whose nodes take most of it when it begins to form,
     * the least of several. A pass costs O(form_nodes) more, and looks at all
     * nodes and their values while a gang waits.
     */
    uint32_t form_nodes;
    uint32_t reserved;   /* 0 */
    int64_t form_for_ns; /* ns for which it is reserved at most; then nothing is
                            reserved for this gang for as long, and others have
                            their turn; 0: no bound */
} sked_engine_options;

/* ---- Life ---- */

/*
 * Creates an engine over the last commit of `tree`, which is copied. `host`
 * and `options` may be NULL and are copied. The caller owns `*engine`.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE or
 * SKED_ERR_VERSION. Cost: O(queues * kinds).
 */
SKED_TRY sked_status sked_engine_new(const sked_tree *tree,
                                     const sked_engine_options *options,
                                     const sked_host *host,
                                     sked_engine **engine, sked_error *err);

/* Frees the engine; NULL is allowed. Called by its own hook it does nothing. */
SKED_API void sked_engine_free(sked_engine *engine);

/*
 * Takes over the last commit of `tree` in one step. Jobs, running work and what
 * the engine remembers of queues go along. Which queue of the engine's tree is
 * which of the new one: where `tree` is the engine's own tree or a copy of it,
 * the one with the same id, whatever its name and parent are now. Where it has
 * another history (it was read from text, or built anew), queues are matched by
 * path, and equal ids mean nothing. (Two trees that were built by the same
 * edits in the same order count as copies as far as those edits go.) From now
 * on the ids of `tree` hold in events, reads and new decisions; decisions that
 * were not taken yet keep the ids that they were made with.
 *
 * A queue that the new tree does not have must have no job. Jobs that the new
 * tree lets run are admitted as far as memory allows; the next call admits the
 * rest.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE (`now` is too
 * far ahead), SKED_ERR_SCHEMA or SKED_ERR_STATE (called by a hook; or a job is
 * in a queue that is gone or became a parent: `err` has the id and the path
 * that the engine knows it by). On failure nothing changed. Cost: O(queues *
 * partitions + open asks + groups).
 */
SKED_TRY sked_status sked_engine_commit(sked_engine *engine,
                                        const sked_tree *tree, sked_time now,
                                        sked_error *err);

/*
 * Gives the user with this key the name by which the tree weighs users
 * (sked_tree_set_user_weight()). `name` is copied; NULL or "" takes the name
 * away. Users without a name weigh 1.
 *
 * Returns SKED_OK, SKED_ERR_ARG (the key UINT64_MAX), SKED_ERR_NOMEM or
 * SKED_ERR_STATE (called by a hook). Cost: O(open asks of the user).
 */
SKED_TRY sked_status sked_engine_name_user(sked_engine *engine, uint64_t user,
                                           const char *name, sked_error *err);

/* The largest number that a field of sked_engine_reserve_input may have. */
enum { SKED_ENGINE_RESERVE_MAX = 1073741824 };

/* How many of each thing there will be at most, at any one moment. */
typedef struct sked_engine_reserve_input {
    uint32_t struct_size;
    uint32_t partitions; /* their numbers are below this; 0: as many as now */
    uint64_t nodes;
    uint64_t jobs;      /* that the engine knows */
    uint64_t leaf_jobs; /* of them in one leaf and waiting; 0: all */
    uint64_t users;     /* that ever had a job */
    uint64_t accounts;  /* of a user in a leaf that tells users apart, one for
                           each partition with work of that user; 0: none */
    uint64_t asks;      /* that the engine knows */
    uint64_t wide_asks; /* of them for any partition */
    uint64_t leaf_asks; /* of them open in one leaf and partition; 0: all */
    uint64_t places;    /* nodes in the lists of all asks together */
    uint64_t shapes;   /* different amounts of one task, and of gangs sizes that
                           there are or may be left, and of nodes for one task
                           alone; and as many more as there are gangs on a node
                           that may be lost, or nodes of a gang that has them to
                           itself; 0: two for each ask */
    uint64_t groups;   /* proposed or running */
    uint64_t ranges;   /* runs of consecutive numbers of open tasks, and the
                           groups on one node besides; 0: asks and groups */
    uint64_t refusals; /* pairs of an ask and a node, or nodes, jobs and asks of
                           which anything is refused or excluded and asks that
                           wait to be possible, whichever are more, and the groups
                           of one ask that are refused together; 0: groups */
    uint64_t saved;    /* groups with SKED_EVENT_TASK_SAVED, _ENDS or _COST */
    uint64_t decisions; /* not taken yet */
    uint64_t released;  /* groups of which released tasks are on nodes still */
    uint64_t spreads;   /* different amounts, per_node, attribute and rule of
                           gangs over nodes; 0: 8, or shapes where these are
                           fewer */
} sked_engine_reserve_input;

/*
 * Allocates the memory for these numbers, which count what is there already.
 * From now on events, sked_engine_pass() and sked_engine_take() allocate
 * nothing while no number is exceeded, but for what is named here:
 *
 * - SKED_EVENT_ASK_EXCLUDE and _JOB_EXCLUDE, the nodes that are named;
 * - SKED_EVENT_ASK_TAGS, the tags, and all that starts and ends with tags, the
 *   counts of it on nodes and in domains;
 * - SKED_EVENT_NODE_ATTRIBUTES, _ASK_RULE and _ASK_PREFER, and gangs over nodes
 *   that are to share a value of an attribute: the attributes, the rules and the
 *   domains, also of nodes that come and go;
 * - SKED_EVENT_ROUND, and what is reserved for asks by it; where preemption is
 *   on, also the lists by which rounds find victims, of tasks that start (with
 *   SKED_HOST_FLAG_RESERVED_ONLY these start all the same, and the next round
 *   makes the lists).
 *
 * Other functions allocate as they say: sked_engine_place(), commits, names of
 * users. Beyond these numbers the engine allocates as usual; with
 * SKED_HOST_FLAG_RESERVED_ONLY it refuses with SKED_ERR_NOMEM, both beyond them
 * and for what is named here. A commit makes the queues anew, so reserve again
 * after one, and after a limit tree was added.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM (some of the memory may have
 * been allocated), SKED_ERR_RANGE, SKED_ERR_STATE (called by a hook) or
 * SKED_ERR_VERSION. Cost: O(leaves * partitions * leaf_asks + nodes * spreads)
 * of memory, besides the sum of the other numbers.
 */
SKED_TRY sked_status sked_engine_reserve(sked_engine *engine,
                                         const sked_engine_reserve_input *input,
                                         sked_error *err);

/*
 * Applies events row by row, in order, each wholly or not at all. A row that
 * cannot be applied changes nothing and stops the call (what was due before its
 * time has happened all the same). `*done` (may be NULL) is the number of rows
 * that were applied and stand: go on from there. This is the one call of the
 * library that keeps part of what it did. When it returns an error, one of two
 * things happened:
 *
 *   the row was refused      `*done` is its index, and so is `err->row`
 *   the row was cut short    A heartbeat ran out of memory, or was stopped by
 *                            the host, after it decided something, or reserved
 *                            other amounts for a gang (`form_nodes`): that
 *                            stands, the row counts in `*done`, and the node's
 *                            next heartbeat finds what this one left undone
 *
 * Events with much to look at ask the host's `progress` and `cancel` after
 * every 4,096 jobs, asks, groups or nodes. An event that is stopped before it
 * changed anything is not applied; once it has, it is carried out whole, and
 * the stop ends the call after the row, which `*done` counts.
 *
 * Returns SKED_OK, SKED_ERR_FULL (as many decisions wait as may: take them, and
 * go on from `*done`), SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE,
 * SKED_ERR_EXISTS (key taken), SKED_ERR_NOT_FOUND (no such key),
 * SKED_ERR_STALE (such a queue or group is gone), SKED_ERR_STATE (the thing is
 * in no state for this, docs/engine.md; or called by a hook), SKED_ERR_VERSION,
 * SKED_ERR_CANCELLED or a code of the host's own.
 *
 * Cost: O(depth log siblings) for each event and each decision, however many
 * asks its job has; O(log^2 asks of the leaf) on average to put an ask into its
 * leaf's line; O(open asks of the job, or user) where a leaf goes by what jobs
 * or users have (fair, size, user-fair). Beyond that: a node that is lost costs
 * the groups that it runs; a job that is moved, gets another priority, is
 * admitted or is over, its groups and asks, each once, and where its user comes
 * to `max_user_running` by that, or leaves it, the waiting jobs of the user; an
 * ask, the nodes until one is large enough; TASK_RUNNING, and ASK_CHANGE to
 * fewer, the runs of consecutive open numbers of the ask; the first pass after a
 * capacity changed, all queues and open asks of the partition; where queues have
 * guarantees, the first pass after what is wanted there changed, its queues and
 * the shapes that they want (shares, docs/engine.md); a partition with a higher
 * number than any before, as much as a commit.
 */
SKED_TRY sked_status sked_engine_apply(sked_engine *engine,
                                       const sked_events *events,
                                       uint64_t *done, sked_error *err);

/*
 * Fills every node that might take something, in the order of adding: one call
 * decides what a heartbeat of each would decide. Makes at most `budget` decisions
 * (0: no bound); the next call continues where this call stopped.
 *
 * Returns SKED_OK, SKED_STOPPED (the budget is used up, or `max_untaken`
 * decisions wait), SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE (`now` is too
 * far ahead), SKED_ERR_STATE (called by a hook), SKED_ERR_CANCELLED or a code
 * of the host's own. Cost: that of a heartbeat for each node looked at; nodes
 * that were looked at since anything changed cost O(1).
 */
SKED_TRY sked_status sked_engine_pass(sked_engine *engine, sked_time now,
                                      uint64_t budget, sked_error *err);

/*
 * Hands out up to `cap` decisions, the oldest first, and forgets them; `*n`
 * says how many. Decisions that are not taken stay.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_STATE (called by a hook). Never
 * allocates. Cost: O(*n).
 */
SKED_TRY sked_status sked_engine_take(sked_engine *engine,
                                      sked_decision *decisions, size_t cap,
                                      size_t *n, sked_error *err);

/* ---- Reads ---- */

/* One bound that a job or ask meets. Frozen layout. */
typedef struct sked_engine_bound {
    int32_t reason;      /* enum sked_reason */
    int32_t kind;        /* resource kind, or -1 */
    uint64_t ask;        /* the open ask, or 0: the job as a whole */
    sked_queue_id queue; /* the queue that holds the bound, or SKED_NO_QUEUE */
    /* What there would be with one more task, gang or application, and what
     * there may be. NO_NODE, NEVER_NODE: what the task or gang takes, and the
     * most that one node has free, or has in all; of a gang over nodes with too
     * many tasks for all of them (kind -1), these, and how many nodes hold when
     * empty. DRAINING of an ask: 1, and how many nodes drain that would hold
     * it. EXCLUDED: 1, or the tasks of a gang over nodes that start at once,
     * and how many of them nodes that are not excluded hold when empty.
     * NEVER_LIMIT: what it takes, and the limit. RULE: 1, and how many nodes
     * that take work its rule takes; or 1 and 0 of a gang over nodes that is to
     * share a value of an attribute of which none of these has one. NO_CLAIM:
     * what the queue would hold with the task or gang, and what it may claim of
     * the kind by the last round. EXCLUSIVE: 1, and how many nodes are empty and
     * take it; where there are some, bounds do not hold all of one, and a line
     * before says so of the first. GANG: tasks that start at once, and how many
     * of them nodes take now; 0 until all that got a kill order with it ended.
     * FORMING of the gang itself: tasks that start at once, and for how many of
     * them something is reserved; of another ask, where that is in the way: the
     * key of the gang's ask, and on how many nodes something is reserved for it
     * (`queue` is the gang's then, and else SKED_NO_QUEUE). WEIGHT of a queue on
     * the job's path: the weight that the host has said, and the tree's, where
     * these differ; no bound, so it never binds, but orders and claims go by it.
     * RATE: the moment from which on a task may start by it, and how many may
     * in a second. */
    int64_t need;
    int64_t bound;
    uint32_t partition;
    uint32_t binds; /* 1: the first bound that is in the way; else 0 */
} sked_engine_bound;

/*
 * Why a job has nothing more: for each open ask the bounds in the order in
 * which the engine asks them (admission, queues from the root down, those of
 * limit trees, user, nodes); of one for any partition in each that has nodes, and
 * in partition 0 where there is no node. The bound of a user binds when the user
 * holds that much already, since its last task may go beyond it. Of nodes those
 * count that take work, that the ask's rule takes and that it does not exclude,
 * and of them what those have that lack the fewest kinds for it; where there is
 * none, 0 is there of the first kind that the ask takes. Where none of them
 * would ever hold it, one line says why: nodes that drain would (DRAINING), else
 * nodes that the host refused for everything (REFUSED), else nodes that it
 * excludes (EXCLUDED), else none (NEVER_NODE, where those that drain count,
 * too); or a rule that takes no node. What a queue may claim is said where
 * shares are as the last round made them (NO_CLAIM), not while they are due to
 * be made anew; limits that follow from what a partition has are as its last
 * heartbeat or pass found it. `*n` is always the number there are.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (`cap` too small: nothing but
 * `*n` is written) or SKED_ERR_NOT_FOUND. Never allocates. Cost: O(open asks *
 * (depth + nodes) * kinds) for each partition.
 */
SKED_TRY sked_status sked_engine_explain_job(const sked_engine *engine,
                                             uint64_t job,
                                             sked_engine_bound *bounds,
                                             size_t cap, size_t *n);

/* What an engine has now, and what it has done since it was made. [LNK-3] */
typedef struct sked_engine_stats {
    uint32_t struct_size;
    uint32_t reserved;
    uint64_t nodes;
    uint64_t jobs;         /* that the engine knows */
    uint64_t jobs_waiting; /* of them not admitted */
    uint64_t asks;         /* with open tasks */
    uint64_t open_tasks;
    uint64_t groups; /* running or proposed */
    uint64_t running_tasks;
    uint64_t events;     /* applied */
    uint64_t heartbeats; /* of these events */
    uint64_t idle;       /* heartbeats that looked at no queue */
    uint64_t decisions;
    uint64_t allocated;      /* tasks */
    uint64_t late_events;    /* with a time before the last */
    uint64_t queues_visited; /* work counters: for tests and tuning */
    uint64_t asks_visited;
    uint64_t bytes;       /* of memory that the engine has allocated */
    uint64_t adopted;     /* tasks told of by SKED_EVENT_TASK_RUNNING */
    uint64_t nodes_over;  /* nodes with less of a kind than their tasks hold */
    uint64_t queues_over; /* queues, of limit trees too, that are above a limit
                             of theirs, in all or in some partition */
    uint64_t formings;    /* times that a gang over nodes began to have amounts
                             reserved while it forms (`form_nodes`) */
    uint64_t form_nodes;  /* nodes on which some are now */
} sked_engine_stats;

/* Reads the counters. Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_VERSION. Cost:
 * O(1), or O((nodes + queues * partitions) * kinds) when `struct_size` includes
 * `nodes_over`. */
SKED_TRY sked_status sked_engine_get_stats(const sked_engine *engine,
                                           sked_engine_stats *stats);

/*
 * What a queue uses in one partition, or in all (SKED_ANY_PARTITION): one
 * amount a kind. `pending` (may be NULL) is what its open asks want besides;
 * asks for any partition count only when `partition` is SKED_ANY_PARTITION.
 *
 * Returns SKED_OK, SKED_ERR_ARG (a partition above the highest in use) or
 * SKED_ERR_STALE. Cost: O(kinds), and with `pending` O(asks * depth).
 */
SKED_TRY sked_status sked_engine_usage(const sked_engine *engine,
                                       sked_queue_id queue, uint32_t partition,
                                       int64_t *usage, int64_t *pending);

/*
 * The earliest moment at which time alone changes what the engine decides: the
 * host has not confirmed a proposal, a reservation or a rejection ends, a wait
 * for a preferred node or rack ends, a soft rule lapses, or a queue may start
 * tasks again (`start_rate`). The host calls sked_engine_pass() then, or
 * applies SKED_EVENT_HEARTBEAT for its nodes. Once a pass over all nodes decides
 * nothing, further passes before this moment decide nothing, unless an event
 * comes. Rounds of preemption are events of the host and do not count.
 *
 * Returns SKED_UNLIMITED if time alone changes nothing, and for NULL. Cost:
 * O(partitions).
 */
SKED_API sked_time sked_engine_next_time(const sked_engine *engine);

/*
 * What a node has beyond its running and proposed tasks, one amount a kind.
 * Reservations there are not subtracted, though what is reserved is given to
 * its ask alone. An amount is negative where the node has less than its tasks
 * hold; of kinds that lie on no node it is 0.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_NOT_FOUND. Cost: O(kinds).
 */
SKED_TRY sked_status sked_engine_node_free(const sked_engine *engine,
                                           uint64_t node, int64_t *amounts);

/*
 * The state of the tasks that a decision started, by the decision's `group`: an
 * enum sked_life_started (life.h), by SKED_LIFE_TABLE_GROUP. It is _GONE when
 * they have all ended, and for a number that is no group's. Returns SKED_OK or
 * SKED_ERR_ARG. Cost: O(1).
 */
SKED_TRY sked_status sked_engine_task_state(const sked_engine *engine,
                                            uint64_t group, uint32_t *state);

/* The XXH64 (seed 0) of all decisions so far, each as a sked_decision without
 * padding (`serves` where it is not 0), little endian: equal on every machine.
 * Cost: O(1). */
SKED_API uint64_t sked_engine_digest(const sked_engine *engine);

/* A hash of the whole state, taken in the order of keys: equal for engines that
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
