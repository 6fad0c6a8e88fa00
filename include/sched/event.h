#ifndef SKED_EVENT_H
#define SKED_EVENT_H

/*
 * Events: the host's reports to an engine (engine.h).
 *
 * One event is one record of 64 bytes. Columns beside the records hold what
 * varies in length. The smallest batch, a node of key 7 with the amounts in row
 * 1:
 *
 *     int64_t amounts[] = {16000, 64};
 *     sked_event up = {.time = now, .kind = SKED_EVENT_NODE_UP, .key = 7,
 *                      .amount = 1};
 *     sked_events batch = {.struct_size = sizeof batch, .events = &up, .n = 1,
 *                          .amounts = amounts, .n_amounts = 1};
 */

#include <sched/event_flag.h>
#include <sched/rule.h>

/*
 * The most ns between an event's time and the last time that the engine knows:
 * ten years. While the engine knows no time above 0, SKED_TIME_FIRST_MAX (2^62,
 * in the year 2116) is the bound. A later event is rejected as a mistake,
 * because time never runs backwards: one event at the end of time would keep
 * all later events there.
 */
#define SKED_TIME_JUMP_MAX INT64_C(315576000000000000)
#define SKED_TIME_FIRST_MAX INT64_C(4611686018427387904)

/* An ask that may run in any partition. */
#define SKED_ANY_PARTITION UINT32_MAX

/* Types of events. Brackets list the fields that an event reads besides time
 * and kind. The text after a field's colon gives the field's meaning. */
enum sked_event_kind {
    SKED_EVENT_TICK = 1, /* time has passed: deadlines and delays end */
    /* A node joins and runs nothing [key; partition; amount: the capacity;
     * owner: the key of the rack, or 0; places: row in the batch's attributes,
     * 0: none]. The attributes hold as with SKED_EVENT_NODE_ATTRIBUTES. */
    SKED_EVENT_NODE_UP = 2,
    /* The node has another capacity [key, amount]. A draining node goes on
     * draining. */
    SKED_EVENT_NODE_CHANGE = 3,
    SKED_EVENT_NODE_DRAIN = 4, /* takes nothing new until NODE_RESUME [key] */
    SKED_EVENT_NODE_DOWN = 5,  /* is gone, and the node's tasks are lost
                                  [key] */
    SKED_EVENT_HEARTBEAT = 6,  /* fill this node [key] */
    /* A job is submitted [key; owner: the user's key, not UINT64_MAX; queue: a
     * leaf; priority; flags; moment: the first submission, not later than now,
     * none: now; row of the batch's charges]. Orders by submission use the
     * moment: a job keeps its place when the engine starts anew.
     * SKED_ERR_STALE: no such queue in the tree or in a limit tree. */
    SKED_EVENT_JOB_SUBMIT = 7,
    /* The job gets another priority [key, priority], or moves to another queue
     * [key, queue: not 0]. The job's usage moves in one step, whatever the
     * limits there. */
    SKED_EVENT_JOB_UPDATE = 8,
    /* The job is cancelled [key]. Each running task gets a kill order
     * (SKED_DECISION_KILL), and holds resources until FINISH, FAIL, LOST or
     * KILLED. Each proposed task gets a kill order, too, but stays proposed. A
     * proposal ends by REFUSE or at its deadline (SKED_DECISION_EXPIRE). After
     * CONFIRM the task runs and must be ended. When all tasks have ended, the
     * job's key is free. */
    SKED_EVENT_JOB_CANCEL = 9,
    /* The job has ended: no task of the job runs [key]. Proposed tasks end as
     * with a cancel. */
    SKED_EVENT_JOB_FINISH = 10,
    /*
     * A job asks for tasks [key; owner: job; count; amount: of one task;
     * partition; priority within the job; places; flags; task: the first
     * number, above all numbers of the job, none: the next number]. The engine
     * forgets an ask, and the key is free, when no task of the ask is open,
     * proposed or running. An ask with SKED_ASK_KEEP stays; such an ask, unless
     * a gang, may begin with a count of 0.
     *
     * SKED_ERR_RANGE, with the kind: the sum over the job is no amount. The sum
     * counts all open tasks, and for each group the larger of two numbers: what
     * the tasks hold now, and what the tasks want if open again (0 once the ask
     * is withdrawn). SKED_EVENT_ASK_CHANGE, SKED_EVENT_TASK_RUNNING,
     * SKED_EVENT_TASK_RESIZE and SKED_CONFIRM_ACTUAL have the same bound. An
     * exclusive task (SKED_ASK_EXCLUSIVE) starts on a node beyond the bound all
     * the same.
     */
    SKED_EVENT_ASK_ADD = 11,
    /* The ask has `count` open tasks from now on, besides running tasks; not
     * for a gang [key, count]. New tasks get the highest numbers. Open tasks
     * with the highest numbers go first. SKED_ERR_RANGE: the job would want too
     * much, as for SKED_EVENT_ASK_ADD. */
    SKED_EVENT_ASK_CHANGE = 12,
    /* No task of the ask is open from now on [key]. Running and proposed tasks
     * go on, and are not open again when they end. The ask is gone when the
     * last task has ended. */
    SKED_EVENT_ASK_WITHDRAW = 13,
    /* The host has started the whole group [key: group; with
     * SKED_CONFIRM_ACTUAL amount, as in SKED_EVENT_TASK_RESIZE]. */
    SKED_EVENT_TASK_CONFIRM = 14,
    /*
     * The host cannot start the group, and the proposal is undone [key: group;
     * flags: enum sked_refuse_flag; count: with SKED_REFUSE_SOME, how many of
     * the last tasks, for a gang all; moment]. The engine proposes the ask for
     * this node again after a change: SKED_EVENT_ASK_CHANGE, another capacity
     * of the node, or the end of a task on the node. One flag may widen the
     * refusal:
     *
     *   SKED_REFUSE_ASK   no node for the ask, until SKED_EVENT_ASK_CHANGE
     *   SKED_REFUSE_JOB   no node for any ask of the job, until
     *                     SKED_EVENT_JOB_UPDATE, also if the proposal belongs
     *                     to a withdrawn ask
     *   SKED_REFUSE_NODE  nothing for the node, until its capacity changes or
     *                     the node resumes
     *
     * With a moment, later than now, the refusal holds until the moment
     * instead, whatever changes. SKED_EVENT_ALLOW ends a refusal at once. An
     * ask that is refused everywhere stands in no line: passes pay nothing for
     * the ask, and demand does not include the ask.
     */
    SKED_EVENT_TASK_REFUSE = 15,
    /*
     * Tasks have ended well [key: group; count; flags: SKED_TASK_ALL or 0, as
     * for FAIL, LOST and KILLED]. If the group is a proposal, FINISH, FAIL,
     * LOST and KILLED confirm exactly the reported tasks. The rest stays a
     * proposal until confirmed, refused or expired.
     */
    SKED_EVENT_TASK_FINISH = 16,
    /*
     * Tasks have failed; with SKED_JOB_RETRY the tasks are open again [key:
     * group, count].
     *
     * For a gang on one node, tasks are open again only if one event reports
     * all remaining tasks of the gang in this group. The gang then asks for
     * these tasks again, all at once on one node, with their amounts and not
     * the whole gang's. Tasks that end while other tasks of the gang run are
     * over. For a gang with SKED_ASK_SPREAD, each failed task is open again,
     * and all open tasks start at once.
     */
    SKED_EVENT_TASK_FAIL = 17,
    /* Tasks are lost through no fault of their own [key: group, count]. As
     * TASK_FAIL, but the tasks are open again whatever the job's flags. */
    SKED_EVENT_TASK_LOST = 18,
    /* Holds a round of preemption, if preemption is on (sked_engine_preempt()).
     */
    SKED_EVENT_ROUND = 19,
    /* Tasks have ended by SKED_DECISION_KILL [key: group, count: at most the
     * tasks with a kill order]. If a round ordered the kill, the tasks are open
     * again, except with SKED_JOB_ONCE or as SKED_JOB_READMIT says. Kills never
     * count as failures. [CAP-10] */
    SKED_EVENT_TASK_KILLED = 20,
    /* All work of this group so far is saved [key: group]. The loss by an end
     * counts from now on. [CAP-15] */
    SKED_EVENT_TASK_SAVED = 21,
    SKED_EVENT_NODE_RESUME = 22, /* drains no more, takes work again [key] */
    /*
     * Tasks of an ask run on a node already, whatever started them [key: node;
     * owner: ask; count; task: the first number, none: the engine chooses;
     * moment: the start, in the ten years before now, none: now; amount: of one
     * task, none: the ask's]. The engine charges the tasks as they are. No
     * bound applies: neither free amounts, limits, user bounds, draining nodes
     * or queues, nor the ask's partition. A waiting job is admitted. The answer
     * is SKED_DECISION_ALLOCATE with SKED_REASON_ADOPTED and the group's
     * number; no confirmation follows.
     *
     * The ask's open tasks count as started first. Further tasks are added to
     * the ask. Example: three tasks of an ask run, unknown to the engine;
     * afterwards the ask has three fewer tasks to start, whatever numbers were
     * given.
     * - With `task`, the numbers must be open, in one run, or above all numbers
     *   of the job (SKED_ERR_STATE: the numbers run, or are over).
     * - Without `task`, the numbers are the first long enough run of open
     *   numbers, or follow all numbers of the job.
     * - With numbers new to the job, as many open tasks go, highest numbers
     *   first: report open numbers earlier.
     * - For a gang on one node, all open tasks must run, or none
     *   (SKED_ERR_STATE). For a gang with SKED_ASK_SPREAD, tasks not running
     *   are a smaller gang.
     *
     * SKED_ERR_RANGE: a sum would be no amount. The sums are usage and free
     * amounts of all nodes; what is held on this node, released tasks included
     * (SKED_EVENT_TASK_RELEASED); and the job's sum as for SKED_EVENT_ASK_ADD,
     * however little the tasks hold now.
     *
     * Afterwards a node may have less than its tasks hold, and a queue more
     * than its limit (sked_engine_stats counts both). Tasks that take such a
     * kind do not start there until the sum fits again.
     */
    SKED_EVENT_TASK_RUNNING = 23,
    /* Ends refusals, with or without a moment [flags, key]: of a node and of
     * every ask for the node (SKED_REFUSE_NODE), of an ask (SKED_REFUSE_ASK),
     * of a job and the job's asks (SKED_REFUSE_JOB), or all (no flag, key 0).
     */
    SKED_EVENT_ALLOW = 24,
    /* Nodes that this ask excludes, or that every ask of this job excludes,
     * later asks included [key, places]. The list replaces the earlier list. A
     * node need not be up yet. */
    SKED_EVENT_ASK_EXCLUDE = 25,
    SKED_EVENT_JOB_EXCLUDE = 26,
    /* Each task of a group holds another amount than its ask says [key: group,
     * amount: of one task]. The charge follows past every bound, and
     * SKED_ERR_RANGE applies, both as in SKED_EVENT_TASK_RUNNING. A task that
     * is open again takes the ask's amount. */
    SKED_EVENT_TASK_RESIZE = 27,
    /*
     * Preemption leaves a job at least `count` running or proposed tasks [key:
     * job; count: 0 or more, initially 0: no bound]. No round gives notice to
     * tasks or kills tasks if fewer tasks without either would remain. The next
     * round withdraws notices that break a new bound. Before the host stops
     * tasks itself, the host raises the count by their number. The count is
     * then always the running tasks minus what sked_life_may_stop() (life.h)
     * leaves to preemption. [PEL-3]
     */
    SKED_EVENT_JOB_LEAST = 28,
    /* Sets the attributes of a node (rule.h) [key, places: row in the batch's
     * attributes; 0: none]. The row replaces earlier attributes, also those of
     * NODE_UP. Running tasks run on. */
    SKED_EVENT_NODE_ATTRIBUTES = 29,
    /*
     * Sets the rule of an ask (rule.h) [key, places: row in the batch's rules;
     * 0: every node]. The ask takes nodes for which the rule answers YES, or
     * PASS because no term applies. The rule replaces the earlier rule and
     * holds for starts from now on, however long no node meets the rule. The
     * ask keeps its place in line. Soft rules of the ask stay. Cost: asks with
     * equal rules share the work, so a node event costs by the shapes and rules
     * of open asks, not by the number of asks.
     *
     * A term about work is judged at each start, by the tasks of any job that
     * hold something on the node: proposed, running, started in this pass,
     * adopted, or with a kill order and not ended. Reservations and the
     * starting task (or gang) do not count. The rule and soft rules of a gang
     * over nodes must not speak of work (SKED_ERR_STATE), because its tasks
     * start together and none could count another; `per_node` and `same` spread
     * a gang. Rules of other asks count the gang's tags from its start on.
     *
     * SKED_RULE_OP_HOST is SKED_ERR_STATE, because an engine asks no host: set
     * an attribute for the answer instead. SKED_ERR_RANGE: rule and soft rules
     * together have more terms or values than one rule may have. [PEL-4]
     */
    SKED_EVENT_ASK_RULE = 30,
    /* Sets the tags of an ask's tasks, by which rules count tasks [key, places:
     * row of the place lists, here a list of tags, numbers of the host's
     * choice; 0: none]. The tags replace earlier tags, also for running tasks.
     */
    SKED_EVENT_ASK_TAGS = 31,
    /*
     * Adds a soft rule (a preference) to an ask, beside the ask's rule and
     * other soft rules [key; places: row in the batch's rules, 0: drops all
     * soft rules of the ask and reads no other field; count: the weight, 0 to
     * INT32_MAX; moment: the expiry, later than now, none: until dropped].
     *
     * A soft rule in force binds like the ask's rule. A soft rule is in force
     * until its expiry, and only while some node of the ask's partition meets
     * all of these, as far as they speak of nodes: the soft rule, the ask's
     * rule, and the heavier soft rules in force (or equally heavy ones added
     * before). Running work, free amounts and draining do not matter. An ask
     * therefore never waits for a node that does not exist. If no node meets
     * several soft rules together, the heaviest are in force.
     *
     * An expired rule is dropped, and the ask may take the nodes that the rule
     * kept away. A task for which other tasks have a kill order starts there,
     * whatever soft rule came into force since. The ask keeps its place in
     * line. SKED_ERR_RANGE: more than SKED_MAX_ASK_PREFERENCES, or more terms
     * or values in the ask's rule and soft rules together than one rule may
     * have. Cost: O(nodes * soft rules of the ask), again whenever a soft rule
     * expires, comes into force or goes out of force; O(all soft rules) for a
     * node that comes, goes or changes. [PEL-4]
     */
    SKED_EVENT_ASK_PREFER = 32,
    /*
     * Sets the nodes that an ask prefers [key, places, flags: SKED_ASK_STRICT
     * or 0]. Nodes and flag replace the earlier nodes and flag. Racks, rule,
     * place in line and the current wait stay. The number of tasks with data on
     * a node counts from now on. A task that runs now and is open again later
     * gives a place back to the node where the task ran.
     */
    SKED_EVENT_ASK_PLACES = 33,
    /*
     * Sets the racks that an ask prefers, each with a count of tasks like a
     * node [key, places: row of the place lists, here a list of racks, the
     * `owner` of their nodes]. The row replaces the earlier racks. An ask
     * without racks prefers the racks of its listed nodes.
     *
     * A start on a listed node lowers the counts of both the node and its rack.
     * When a rack's count is used up, the node counts as not listed. The ask
     * takes a node of a listed rack with tasks left after `node_delay_ns`, or
     * at once if no listed node has tasks left. The ask takes any node
     * `rack_delay_ns` later. With SKED_ASK_STRICT the ask runs only on its
     * listed nodes and racks: strict by node without racks, else strict by
     * rack.
     */
    SKED_EVENT_ASK_RACKS = 34,
    /* A node moves to another partition [key, partition]. Running tasks move
     * along, whatever partition their ask names, past every limit as in
     * SKED_EVENT_TASK_RUNNING. Reservations on the node are given up. Refusals
     * end as with a change of capacity. */
    SKED_EVENT_NODE_MOVE = 35,
    /*
     * Tasks are over for their job, user and queues, but not yet gone from
     * their node [key: group, count; not of a proposal]. Job, user and queues
     * get the amounts back at once. The node starts nothing on these amounts.
     * The tasks are not open again.
     *
     * FINISH, FAIL, LOST or KILLED of the same group reports later that the
     * tasks have left the node. Released tasks count first. All four events act
     * alike, except that SKED_TASK_ALL does not cover released tasks. The
     * group's number stays valid until then, even if the job is over. A lost
     * node takes the released amounts along. Rounds of preemption count the
     * amounts as about to be free. Rules about work do not see released tasks.
     * SKED_ERR_STATE: a proposal, or (for SKED_EVENT_TASK_RESIZE) a group with
     * released tasks on the node.
     */
    SKED_EVENT_TASK_RELEASED = 41,
    /*
     * All tasks of a group end by themselves by a moment that the host knows or
     * estimates [key: group; moment: not before now, none: no longer known].
     * The effect begins before the moment by the notice time of victims, and
     * ends when the moment has passed. In between, rounds count the tasks as
     * about to be free: the tasks get no kill order, their notices are
     * withdrawn, and their amounts are reserved for asks that would otherwise
     * cause kill orders. SKED_TASK_ON_NODE sets the moment for all tasks of an
     * ask on a node. [PEL-15]
     */
    SKED_EVENT_TASK_ENDS = 42,
    /*
     * The host's estimate of the loss when one task of a group is preempted, in
     * place of the engine's estimate (sked_engine_preempt()) [key: group;
     * count: 0 to INT32_MAX; -1, initially: the engine's estimate]. The host
     * thus decides the order of victims. With SKED_PREEMPT_FLAG_PLAIN the
     * estimate is the number of SKED_RANK_KEY_HOST, if the order has this key;
     * groups without an estimate have 0. SKED_TASK_ON_NODE sets the estimate
     * for all tasks of an ask on a node. [PEL-18]
     */
    SKED_EVENT_TASK_COST = 43,
    /* Sets what a partition has of the kinds that lie on no node (`pooled` of
     * the engine's options), initially 0 [partition, amount: 0 for all other
     * kinds]. Limits, guarantees and shares count these kinds like any kind.
     * Usage in the partition stays within the amount, except for adopted tasks
     * and after a cut of the amount. Nodes have 0 of such a kind. */
    SKED_EVENT_POOL = 44,
    /*
     * Sets the weight of a queue among its siblings, in orders and shares, in
     * place of the tree's weight [queue; count: 1 to 2^32-1; 0, initially: the
     * tree's weight]. Past usage thus enters orders and shares: a host with
     * decayed usage (ledger.h) corrects the weights as often as the host likes
     * (for example by sked_fill_time_weights()) and reports them. Guarantees
     * and limits stay, and guarantees go first.
     *
     * The weight holds over commits, while the queue exists and the tree's
     * weight is above 0. SKED_ERR_STALE: no such queue. SKED_ERR_STATE: the
     * root, or a queue with weight 0 in the tree. Cost: O(depth log siblings)
     * for each partition; the next pass computes shares anew. [PEL-9] [LNK-1]
     */
    SKED_EVENT_QUEUE_WEIGHT = 45
};

/* Most tags, and most soft rules, of one ask. */
enum { SKED_MAX_ASK_TAGS = 64, SKED_MAX_ASK_PREFERENCES = 8 };

/* One event: 64 bytes, the same on every machine. */
typedef struct sked_event {
    sked_time time;
    int32_t kind;   /* enum sked_event_kind */
    uint32_t flags; /* enum sked_job_flag, sked_ask_flag, sked_refuse_flag,
                       sked_confirm_flag or sked_task_flag, by kind */
    uint64_t key;   /* the object of the event */
    uint64_t owner; /* key of the object's owner */
    sked_queue_id queue;
    int64_t count;
    uint32_t partition;
    int32_t priority;
    uint32_t amount; /* row in the batch's amounts, from 1; 0: none */
    uint32_t places; /* row in the batch's place lists, attributes or rules, by
                        kind, from 1; 0: none */
} sked_event;

/* How a gang over nodes starts: 16 bytes, the same on every machine. */
typedef struct sked_event_gang {
    uint32_t per_node; /* most tasks of the gang on one node, up to INT32_MAX;
                          with SKED_ASK_EXACT exactly so many on each node with
                          any; 0: any number */
    /* Tasks that start together or not at all; up to the count of the ask. The
     * others may start later, one by one: the gang is elastic. Ended tasks
     * count as started. If so many tasks are open again that fewer than
     * `at_once` are left, the missing tasks start together. 0: all. */
    uint32_t at_once;
    /* Key of a node attribute (rule.h), such as the rack. All nodes of the gang
     * have a value of the attribute in common. Among values with enough nodes,
     * the engine takes the first node in the order of adding, and this node's
     * least value. If no node has the key, or no value has enough nodes, the
     * gang waits, or (SKED_ASK_PREFER_SAME) starts without. 0: none. */
    uint64_t same;
} sked_event_gang;

/* Limit trees that charge a job (engine_limits.h), beside its queue, while the
 * engine knows the job: 16 bytes, the same on every machine. */
typedef struct sked_event_charge {
    sked_queue_id first;  /* a queue of limit tree 1; SKED_NO_QUEUE: none */
    sked_queue_id second; /* a queue of limit tree 2; likewise */
} sked_event_charge;

/* A batch of events, with columns for what varies in length. The engine reads
 * the batch during the call only; the caller keeps ownership. */
typedef struct sked_events {
    uint32_t struct_size;
    uint32_t stride; /* bytes from event to event; 0: sizeof(sked_event) */
    const sked_event *events;
    uint64_t n;
    const int64_t *amounts; /* rows of one amount a kind */
    uint64_t n_amounts;
    const int32_t *place_offsets; /* n_places + 1 offsets into places */
    const uint64_t *places;       /* keys of nodes */
    uint64_t n_places;
    /*
     * For each place, the number of the ask's tasks with data there: 0 to
     * INT32_MAX. INT32_MAX means any number, and is the only number for a gang.
     * When that many tasks of the ask have started on the node, or were
     * reported as running (SKED_EVENT_TASK_RUNNING), the node is no place of
     * the ask any more. A task that is open again gives its place back. When no
     * place is left the ask runs anywhere (with SKED_ASK_STRICT nowhere). A
     * plan of sked_locality_plan() or sked_locality_fair() gives the numbers.
     * Each node is listed once. Racks have such numbers, too
     * (SKED_EVENT_ASK_RACKS). NULL: any number each.
     */
    const uint32_t *place_tasks;
    const void *reserved; /* NULL */
    /* One entry for each event, for the kinds of events that read the column;
     * SKED_UNSET, or NULL: none. */
    const sked_time *moments;
    const int64_t *tasks;
    uint32_t moment_stride; /* bytes from entry to entry, a multiple of 8; 0:
                               8 */
    uint32_t task_stride;   /* likewise */
    const int32_t *attribute_offsets;      /* n_attributes + 1 offsets into
                                              attributes */
    const sked_rule_attribute *attributes; /* of nodes, in any order; NULL:
                                              every row is empty */
    uint64_t n_attributes;
    const int32_t *rule_offsets;      /* n_rules + 1 offsets into rule_terms */
    const sked_rule_term *rule_terms; /* NULL: no rule has terms */
    uint64_t n_rules;
    const int64_t *rule_values; /* values named by the terms of all rules; each
                                   rule may name SKED_MAX_RULE_VALUES */
    uint64_t n_rule_values;
    /* One entry for each event, read for SKED_EVENT_ASK_ADD with
     * SKED_ASK_SPREAD. NULL: all 0. */
    const sked_event_gang *gangs;
    /* One entry for each event, read for SKED_EVENT_JOB_SUBMIT. NULL: only
     * their queues charge jobs. */
    const sked_event_charge *charges;
    uint32_t gang_stride;   /* bytes from entry to entry, a multiple of 8 and at
                               least 16; 0: 16 */
    uint32_t charge_stride; /* likewise */
} sked_events;

#endif
