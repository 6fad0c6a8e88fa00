#ifndef SKED_EVENT_H
#define SKED_EVENT_H

/*
 * What a host tells an engine (engine.h): one record of 64 bytes for each thing
 * that happened, and beside the records columns for what varies in length.
 */

#include <sched/event_flag.h>
#include <sched/rule.h>

/*
 * The time of an event may be ten years after the last one that the engine
 * knows, in ns. As long as it knows none above 0, an event may have any time up
 * to 2^62, which is in the year 2116. A later event is refused as a mistake:
 * since time never runs backwards, one event at the end of time would keep
 * every later one there.
 */
#define SKED_TIME_JUMP_MAX INT64_C(315576000000000000)
#define SKED_TIME_FIRST_MAX INT64_C(4611686018427387904)

/* An ask that may run in any partition. */
#define SKED_ANY_PARTITION UINT32_MAX

/* What happened. The brackets list the fields that are read besides time and
 * kind; what is said of a field stands behind its colon. */
enum sked_event_kind {
    SKED_EVENT_TICK = 1, /* time has passed: deadlines and delays run out */
    /* A node is there and runs nothing [key, partition, amount: its capacity,
     * owner: the key of its rack, or 0, places: row in the batch's attributes,
     * which it has from then on as by SKED_EVENT_NODE_ATTRIBUTES; 0: none]. */
    SKED_EVENT_NODE_UP = 2,
    /* The node has another capacity. If it drains, it goes on draining [key,
     * amount]. */
    SKED_EVENT_NODE_CHANGE = 3,
    SKED_EVENT_NODE_DRAIN = 4, /* takes nothing new until NODE_RESUME [key] */
    SKED_EVENT_NODE_DOWN = 5,  /* is gone, and its tasks are lost [key] */
    SKED_EVENT_HEARTBEAT = 6,  /* this node is to be filled [key] */
    /* A job is submitted [key, owner: the key of its user, not UINT64_MAX,
     * queue: a leaf, priority, flags, moment: when it was first submitted, not
     * later than now; none: now; its row of the batch's charges]. Orders by
     * submission go by that moment, so that a job keeps its place when the
     * engine is started anew. SKED_ERR_STALE: no such queue, or no such queue
     * in a limit tree. */
    SKED_EVENT_JOB_SUBMIT = 7,
    /* The job gets another priority [key, priority], or moves to another queue
     * [key, queue: not 0]. What it uses goes along in one step, whatever the
     * limits there. */
    SKED_EVENT_JOB_UPDATE = 8,
    /* The job is given up [key]. All its running tasks get a kill order
     * (SKED_DECISION_KILL); each holds its resources until the host says that
     * it has ended, by FINISH, FAIL, LOST or KILLED. Proposed tasks get a kill
     * order, too, but stay proposed: a proposal ends by REFUSE or at its
     * deadline (SKED_DECISION_EXPIRE), unless CONFIRM says that it runs after
     * all and has to be ended. When all have ended, the job's key is free. */
    SKED_EVENT_JOB_CANCEL = 9,
    /* The job has ended: none of its tasks runs [key]. Proposed tasks end as by
     * a cancel. */
    SKED_EVENT_JOB_FINISH = 10,
    /*
     * A job wants tasks [key, owner: job, count, amount: of one task,
     * partition, priority within the job, places, flags, task: the number of
     * the first, above all that the job had; none: the next one]. When nothing
     * of an ask is open, proposed or running any more, the engine forgets it
     * and its key is free, unless it has SKED_ASK_KEEP: one with that flag, but
     * a gang, may have a count of 0 from the start.
     *
     * What a job holds and wants stays an amount in every kind: all that is
     * open of it, and for each group the larger of what its tasks hold and what
     * they want if they are open again (nothing once their ask is withdrawn).
     * SKED_ERR_RANGE, with the kind: it would not. The same holds for
     * SKED_EVENT_ASK_CHANGE, SKED_EVENT_TASK_RUNNING, SKED_EVENT_TASK_RESIZE
     * and SKED_CONFIRM_ACTUAL. A task that has a node to itself
     * (SKED_ASK_EXCLUSIVE) starts there all the same.
     */
    SKED_EVENT_ASK_ADD = 11,
    /* The ask has `count` open tasks from now on, besides those that run; not
     * for a gang. New tasks get the highest numbers; open tasks with the
     * highest numbers go first [key, count]. SKED_ERR_RANGE: the job would want
     * too much, as for SKED_EVENT_ASK_ADD. */
    SKED_EVENT_ASK_CHANGE = 12,
    /* No task of the ask is open from now on [key]. Tasks that run or are
     * proposed go on, and are not open again when they end. The ask is gone
     * when the last of them has ended. */
    SKED_EVENT_ASK_WITHDRAW = 13,
    /* The host has started the whole group [key: group; with
     * SKED_CONFIRM_ACTUAL amount, as by SKED_EVENT_TASK_RESIZE]. */
    SKED_EVENT_TASK_CONFIRM = 14,
    /*
     * The host cannot start the group, and its proposal is undone [key: group;
     * flags: enum sked_refuse_flag; with SKED_REFUSE_SOME count: only so many
     * of its last tasks, of a gang all; moment]. The ask is not proposed for
     * this node again until one of the two changes: the ask by
     * SKED_EVENT_ASK_CHANGE, the node by its capacity or because something that
     * ran there ended. One flag may make the refusal wider:
     *
     *   SKED_REFUSE_ASK   the ask is proposed for no node, until
     *                     SKED_EVENT_ASK_CHANGE
     *   SKED_REFUSE_JOB   no ask of the job is proposed for any node, until
     *                     SKED_EVENT_JOB_UPDATE, also where the proposal is of
     *                     an ask that was withdrawn
     *   SKED_REFUSE_NODE  nothing is proposed for the node, until its capacity
     *                     changes or it resumes
     *
     * With a moment, which must be later than now, the refusal holds until that
     * moment instead, whatever changes. SKED_EVENT_ALLOW ends it at once. An
     * ask that is refused everywhere stands in no line: it costs passes
     * nothing, and does not count as demand.
     */
    SKED_EVENT_TASK_REFUSE = 15,
    /*
     * Tasks have ended well [key: group, count, flags: SKED_TASK_ALL or 0, as
     * for FAIL, LOST and KILLED]. If the group is a proposal,
     * this event, FAIL, LOST and KILLED confirm the tasks that they speak of
     * and no others: the rest is a proposal as before, to be confirmed or
     * refused by its deadline.
     */
    SKED_EVENT_TASK_FINISH = 16,
    /*
     * Tasks have failed; with SKED_JOB_RETRY they are open again [key: group,
     * count]. Tasks of a gang on one node are open again only when all that is
     * left of the gang in this group goes by one event: then these tasks are
     * asked for again, all at once on one node, where as much must be free as
     * they take, not as the whole gang took. A part of such a gang that ends
     * while others of it run is over. Of a gang with SKED_ASK_SPREAD whatever
     * fails is open again, and all that is open of it starts at once.
     */
    SKED_EVENT_TASK_FAIL = 17,
    /* Tasks are lost, which is not their own fault: as by TASK_FAIL, but they
     * are open again whatever the job's flags say [key: group, count]. */
    SKED_EVENT_TASK_LOST = 18,
    /* A round of preemption is held, if preemption is on
     * (sked_engine_preempt()). */
    SKED_EVENT_ROUND = 19,
    /* Tasks have ended by SKED_DECISION_KILL. They are open again where a round
     * ordered it (but SKED_JOB_ONCE, SKED_JOB_READMIT), and count as no
     * failure, however often it happens [key: group, count: at most as many as
     * have a kill order]. [CAP-10] */
    SKED_EVENT_TASK_KILLED = 20,
    /* All work of this group so far is safe: what would be lost with it counts
     * from now on [key: group]. [CAP-15] */
    SKED_EVENT_TASK_SAVED = 21,
    SKED_EVENT_NODE_RESUME = 22, /* it takes work again, drains no more [key] */
    /*
     * Tasks of an ask run on a node already, whatever started them. The engine
     * puts them into its books as they are [key: node, owner: ask, count, task:
     * the number of the first; none: the engine chooses; moment: when they
     * began, in the ten years before now; none: now; amount: what one holds;
     * none: what the ask says]. No bound keeps them out: neither what is free,
     * a limit or a user's bound, nor a node or queue that drains, nor the ask's
     * partition; and a job that waits is admitted. The answer is
     * SKED_DECISION_ALLOCATE with SKED_REASON_ADOPTED, which says the number of
     * the group; there is nothing to confirm.
     *
     * The tasks are taken from the ask's open ones as far as it has any, and
     * beyond that are added to it: so an ask of which three tasks run and none
     * is known to has three fewer to start, whatever numbers are said. Where
     * `task` is said, these numbers must be open, in one run, or above all that
     * the job had (SKED_ERR_STATE: they run, or are over); where it is not,
     * they are the first run of open ones that is long enough, or follow all
     * that the job had. With numbers that the job did not have, as many open
     * tasks go, those with the highest numbers first: so tell of open numbers
     * before those. Of a gang on one node all open tasks must run, or none
     * (SKED_ERR_STATE); of one with SKED_ASK_SPREAD, what does not run yet is a
     * smaller gang. SKED_ERR_RANGE: sums would be no amounts: of what is used
     * and free on all nodes; of what is held on this one, by released tasks too
     * (SKED_EVENT_TASK_RELEASED); of the job as for SKED_EVENT_ASK_ADD, however
     * little its tasks hold now.
     *
     * Afterwards a node may have less than its tasks hold, and a queue more
     * than its limit (sked_engine_stats says how many). Nothing new that takes
     * such a kind starts there until it fits again.
     */
    SKED_EVENT_TASK_RUNNING = 23,
    /* Ends refusals, those with a moment and those without [flags, key]: those
     * of a node and of every ask for it (SKED_REFUSE_NODE), of an ask
     * (SKED_REFUSE_ASK), of a job and its asks (SKED_REFUSE_JOB), or all that
     * there are (no flag, key 0). */
    SKED_EVENT_ALLOW = 24,
    /* Nodes that this ask does not take, or no ask of this job takes, those
     * to come included. They replace the nodes that were said before, and need
     * not be up yet [key, places]. */
    SKED_EVENT_ASK_EXCLUDE = 25,
    SKED_EVENT_JOB_EXCLUDE = 26,
    /* Each task of a group holds another amount than its ask says [key: group,
     * amount: of one task]. The books follow, past every bound, as with
     * SKED_EVENT_TASK_RUNNING, and what would be no amount is SKED_ERR_RANGE
     * likewise. A task that is open again takes what the ask says. */
    SKED_EVENT_TASK_RESIZE = 27,
    /*
     * Preemption leaves a job at least `count` of its running or proposed
     * tasks: no round puts tasks under notice or kills them where fewer would
     * remain without either [key: job, count: 0 or more; 0, as at first: no
     * such bound]. The
     * next round withdraws notices that break a new bound. Before the host
     * stops tasks by itself it raises the count by as many; so the count is
     * always what runs less what sked_life_may_stop() (life.h) leaves to
     * preemption. [PEL-3]
     */
    SKED_EVENT_JOB_LEAST = 28,
    /* The attributes of a node (rule.h), in place of those that were said
     * before, here or when it came up. What runs there runs on [key,
     * places: row in the batch's attributes; 0: none]. */
    SKED_EVENT_NODE_ATTRIBUTES = 29,
    /*
     * The nodes that an ask takes are those for which the rule (rule.h) answers
     * YES, or PASS since nothing of it applies; it replaces the rule that was
     * said before [key, places: row in the batch's rules; 0: every node]. It
     * holds for what starts from now on, however long no node meets it; the ask
     * keeps its place in line. Asks with the same rule share what was worked
     * out for it: a node event costs by the shapes and rules of open asks, not
     * by their number. What a rule says of work is judged at each start, by the
     * tasks of any job that then hold something on the node: proposed or
     * running, started by this pass, adopted, or with a kill order and not
     * ended yet; reservations and the task (or gang) that is to start do not
     * count. The rule of a gang over nodes, and its soft rules, may say
     * nothing of work (SKED_ERR_STATE): its tasks start together, so none of
     * them could count another; how far they keep apart `per_node` and `same`
     * say. Its tags are counted by the rules of others from its start on. An
     * engine asks no host: SKED_RULE_OP_HOST is SKED_ERR_STATE, and a host sets
     * an attribute for the answer instead. Soft rules of the ask stay;
     * SKED_ERR_RANGE: with them more terms or values than one rule may have.
     * [PEL-4]
     */
    SKED_EVENT_ASK_RULE = 30,
    /* The tags of an ask's tasks, by which rules count them, in place of those
     * that were said before; tasks that run have them from now on, too [key,
     * places: row of the place lists, which here lists tags, numbers of the
     * host's; 0: none]. */
    SKED_EVENT_ASK_TAGS = 31,
    /*
     * Adds a soft rule (a preference) to an ask, beside its rule and its other
     * soft rules [key, places: row in the batch's rules; 0: drops all soft
     * rules of the ask, and nothing else is read; count: its weight, 0 to
     * INT32_MAX; moment: when it expires, later than now; none: it stays until
     * it is dropped].
     *
     * While a soft rule is in force it binds as the ask's rule does. It is in
     * force until it expires, and only while some node of the ask's partition
     * meets all of these, as far as they speak of nodes: this rule, the ask's
     * rule, and the soft rules in force that weigh more (or as much, and were
     * added before). What runs on that node, is free there, or whether it
     * drains does not matter. So no ask waits for a node that does not exist;
     * and of soft rules that no node meets together, the heaviest are in force.
     * When a rule expires it is dropped, and the ask may take nodes that it
     * kept away. A task for which others have a kill order starts there,
     * whatever soft rule came into force since. The ask keeps its place in
     * line. SKED_ERR_RANGE: more than SKED_MAX_ASK_PREFERENCES, or with the
     * ask's rule and its other soft rules more terms or values than one rule
     * may have. Cost: O(nodes * soft rules of the ask), and as much each time
     * that one expires or comes into force or goes out of it; for a node that
     * comes, goes or changes O(all soft rules). [PEL-4]
     */
    SKED_EVENT_ASK_PREFER = 32,
    /*
     * The nodes that an ask prefers, in place of those that were said before
     * [key, places, flags: SKED_ASK_STRICT or 0, in place of the old one]. Its
     * racks, its rule and its place in line stay, and its wait goes on. How
     * many tasks have their data on a node counts from now on; a task that runs
     * now and is open again later gives a place back to the node where it ran.
     */
    SKED_EVENT_ASK_PLACES = 33,
    /*
     * The racks that an ask prefers, in place of those that were said before,
     * each with a count as nodes have it [key, places: row of the place lists,
     * which here lists racks, the `owner` of their nodes]. A task that starts
     * on a node of the ask's list lowers the counts of both the node and its
     * rack; when the rack's count is used up, the node counts as not listed.
     * The ask takes a node of a listed rack with tasks left after
     * `node_delay_ns`, or at once if no listed node has any left; and any node
     * `rack_delay_ns` later. An ask without racks prefers the racks of its
     * nodes. With SKED_ASK_STRICT it runs only on the nodes and racks that it
     * lists: strict by node where it lists no racks, else strict by rack.
     */
    SKED_EVENT_ASK_RACKS = 34,
    /* A node is in another partition from now on [key, partition]. What runs
     * there goes along, whatever its ask names, past every limit, as with
     * SKED_EVENT_TASK_RUNNING; reservations on it are given up, refusals lapse
     * as when its capacity changes. */
    SKED_EVENT_NODE_MOVE = 35,
    /*
     * Tasks are over for their job, their user and their queues, which have
     * back at once what these took; their node has not ended them yet, and
     * nothing else starts there on what they hold [key: group, count; not of a
     * proposal]. They are not open again. FINISH, FAIL, LOST or KILLED of the
     * same group says later that they have left the node, too: released tasks
     * go first, and it makes no difference which of the four it is, but for
     * SKED_TASK_ALL, which says nothing of them. The group
     * is known by its number until then, even if its job is over. What
     * released tasks hold goes with a node that is lost; rounds of preemption
     * count it as about to be free. Rules that count work do not see them.
     * SKED_ERR_STATE: a proposal, or (of SKED_EVENT_TASK_RESIZE) tasks of the
     * group were released and are on the node.
     */
    SKED_EVENT_TASK_RELEASED = 41,
    /*
     * All tasks of a group end by themselves by then, as the host knows or
     * estimates [key: group, moment: not before now; none: it is not known any
     * more]. From so long before it as victims have notice, and until it has
     * passed, rounds of preemption count them as about to be free: none of them
     * gets a kill order, notices that they have are withdrawn, and what they
     * hold is reserved for asks for which others would otherwise get kill
     * orders.
     * SKED_TASK_ON_NODE says it of all that an ask runs on a node. [PEL-15]
     */
    SKED_EVENT_TASK_ENDS = 42,
    /*
     * What is lost with one task of a group when it is preempted, as the host
     * sees it, in place of what the engine works out (sked_engine_preempt()):
     * the order of victims is the host's [key: group, count: 0 to INT32_MAX;
     * -1, as at first: what the engine works out]. With SKED_PREEMPT_FLAG_PLAIN
     * it is the number of SKED_RANK_KEY_HOST, where the order has that key; 0
     * for groups of which nothing was said. SKED_TASK_ON_NODE says it of all
     * that an ask runs on a node. [PEL-18]
     */
    SKED_EVENT_TASK_COST = 43,
    /* What a partition has of the kinds that lie on no node (`pooled` of the
     * engine's options), in place of what was said before, 0 at first
     * [partition, amount: 0 of all other kinds]. Limits, guarantees and shares
     * count them like any kind; what is used in the partition stays within it,
     * but for what was adopted or is more than a new amount. Nodes have 0 of
     * such a kind. */
    SKED_EVENT_POOL = 44,
    /*
     * The weight with which a queue counts among its siblings from now on, in
     * orders and shares, in place of the tree's [queue, count: 1 to 2^32-1; 0,
     * as at first: the tree's]. So past usage becomes a term of both: a host
     * that keeps it decayed (ledger.h) corrects the weights by it as often as
     * it likes (sked_fill_time_weights(), say) and tells the engine. Guarantees
     * and limits stay as they are, and guarantees go first. It holds over
     * commits, as long as the queue is there and the tree gives it a weight
     * above 0. SKED_ERR_STALE: no such queue; SKED_ERR_STATE: the root, or a
     * queue to which the tree gives weight 0. Cost: O(depth log siblings) for
     * each partition; shares are made anew by the next pass. [PEL-9] [LNK-1]
     */
    SKED_EVENT_QUEUE_WEIGHT = 45
};

/* The most tags, and the most soft rules, that one ask may have. */
enum { SKED_MAX_ASK_TAGS = 64, SKED_MAX_ASK_PREFERENCES = 8 };

/* One event: 64 bytes, the same on every machine. */
typedef struct sked_event {
    sked_time time;
    int32_t kind;   /* enum sked_event_kind */
    uint32_t flags; /* enum sked_job_flag, sked_ask_flag, sked_refuse_flag,
                       sked_confirm_flag or sked_task_flag, as the kind says */
    uint64_t key;   /* of the thing that the event is about */
    uint64_t owner; /* key of what that thing belongs to */
    sked_queue_id queue;
    int64_t count;
    uint32_t partition;
    int32_t priority;
    uint32_t amount; /* row in the batch's amounts, from 1; 0: none */
    uint32_t places; /* row in the batch's place lists, attributes or rules, as
                        the kind says, from 1; 0: none */
} sked_event;

/* How a gang over nodes starts: 16 bytes, the same on every machine. */
typedef struct sked_event_gang {
    uint32_t per_node; /* so many of its tasks may run on one node, up to
                          INT32_MAX; with SKED_ASK_EXACT so many on each node
                          that takes any; 0: any number */
    /* So many of its tasks start together, or none; up to its count. The others
     * may start later, one by one: the gang is elastic. Tasks that have ended
     * count as started; when so many are open again that fewer than this are
     * left, those that lack start together. 0: all. */
    uint32_t at_once;
    /* Key of an attribute of nodes (rule.h), such as their rack: all nodes on
     * which its tasks run have a value of it in common. Of the values for which
     * there is enough it is the first of the first node, in the order of
     * adding, and of that node the least. Where no node has the key, or no
     * value has enough nodes, the gang waits, or (SKED_ASK_PREFER_SAME) does
     * without. 0: none. */
    uint64_t same;
} sked_event_gang;

/* Where a job is charged beside its queue (engine_limits.h), for as long as the
 * engine knows it: 16 bytes, the same on every machine. */
typedef struct sked_event_charge {
    sked_queue_id first;  /* a queue of limit tree 1; SKED_NO_QUEUE: nowhere */
    sked_queue_id second; /* likewise of limit tree 2 */
} sked_event_charge;

/* A batch of events, with columns for what varies in length. The engine reads
 * it during the call only; the caller keeps it. */
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
     * For each place, how many tasks of the ask have their data there: from 0
     * to INT32_MAX, which means any number (and which alone a gang may have).
     * As soon as so many of its tasks have started on that node, or were told
     * to run there (SKED_EVENT_TASK_RUNNING), it is a place of the ask no more;
     * a task that is open again gives its place back. When no place is left the
     * ask runs anywhere (with SKED_ASK_STRICT nowhere). A plan of
     * sked_locality_plan() or sked_locality_fair() says how many. Each node is
     * listed once. The same holds for racks (SKED_EVENT_ASK_RACKS). NULL: any
     * number each.
     */
    const uint32_t *place_tasks;
    const void *reserved; /* NULL */
    /* One for each event, used by the kinds of events that read it; SKED_UNSET,
     * or NULL: none. */
    const sked_time *moments;
    const int64_t *tasks;
    uint32_t moment_stride; /* bytes from one to the next, a multiple of 8; 0:
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
    const int64_t *rule_values; /* what the terms of all rules name, of which
                                   each rule may name SKED_MAX_RULE_VALUES */
    uint64_t n_rule_values;
    /* One for each event, read for SKED_EVENT_ASK_ADD with SKED_ASK_SPREAD.
     * NULL: all 0. */
    const sked_event_gang *gangs;
    /* One for each event, read for SKED_EVENT_JOB_SUBMIT. NULL: jobs are charged
     * in their queues alone. */
    const sked_event_charge *charges;
    uint32_t gang_stride;   /* bytes from one to the next, a multiple of 8 and
                               16 at least; 0: 16 */
    uint32_t charge_stride; /* likewise */
} sked_events;

#endif
