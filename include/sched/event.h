#ifndef SKED_EVENT_H
#define SKED_EVENT_H

/*
 * What a host tells an engine (engine.h): one record of 64 bytes for each thing
 * that happened, beside them columns for what varies in length.
 */

#include <sched/rule.h>

/*
 * How far an event may be ahead of the last time known, in ns: ten years. Until
 * a time above 0 is known: up to 2^62, which is in the year 2116. A later one
 * is taken as a mistake and refused, since time never runs backwards: one event
 * at the end of time would hold every later one there.
 */
#define SKED_TIME_JUMP_MAX INT64_C(315576000000000000)
#define SKED_TIME_FIRST_MAX INT64_C(4611686018427387904)

/* An ask that may run in any partition. */
#define SKED_ANY_PARTITION UINT32_MAX

/* What happened; in brackets the fields that are read beside time and kind. */
enum sked_event_kind {
    SKED_EVENT_TICK = 1, /* time has passed: deadlines, delays */
    /* A node is there, empty [key, partition, amount: capacity, owner: its
     * rack's key or 0]. */
    SKED_EVENT_NODE_UP = 2,
    /* Another capacity; a node that drains goes on draining [key, amount]. */
    SKED_EVENT_NODE_CHANGE = 3,
    SKED_EVENT_NODE_DRAIN = 4, /* takes nothing new until it resumes [key] */
    SKED_EVENT_NODE_DOWN = 5,  /* gone, its tasks are lost [key] */
    SKED_EVENT_HEARTBEAT = 6,  /* fill this node [key] */
    /* A job [key, owner: its user's key, not UINT64_MAX, queue: a leaf,
     * priority, flags, moment: when it was first submitted, not later than now;
     * none: now]. Orders by submission go by that moment, so that a job keeps
     * its place when the engine is started anew. */
    SKED_EVENT_JOB_SUBMIT = 7,
    /* Its priority [key, priority], or its queue [key, queue: not 0]; usage
     * goes along in one step, whatever the limits there. */
    SKED_EVENT_JOB_UPDATE = 8,
    /* The job is given up [key]. All its tasks that run are told to end
     * (SKED_DECISION_KILL); each holds its resources until the host says that
     * it has ended: FINISH, FAIL, LOST or KILLED. Tasks that are proposed are
     * told to end, too, but stay proposed: a proposal ends by REFUSE or at its
     * deadline (SKED_DECISION_EXPIRE), or CONFIRM says that it runs after all
     * and is to end. When all have ended, the job's key is free. */
    SKED_EVENT_JOB_CANCEL = 9,
    /* The job has ended: none of its tasks runs [key]. Tasks that are proposed
     * end as by a cancel. */
    SKED_EVENT_JOB_FINISH = 10,
    /*
     * Tasks wanted [key, owner: job, count, amount: of one task, partition,
     * priority within the job, places, flags, task: the number of the first,
     * above all that the job had; none: the next]. An ask of which nothing is
     * open and nothing proposed or running any more is forgotten, and its key
     * free, unless it has SKED_ASK_KEEP.
     */
    SKED_EVENT_ASK_ADD = 11,
    /* So many are open now, beside what runs; not of a gang: more come last,
     * the last go first [key, count]. */
    SKED_EVENT_ASK_CHANGE = 12,
    /* No task of the ask is open from now on [key]. Tasks that run or are
     * proposed go on, and are not open again when they end. The ask is gone
     * when the last of them has ended. */
    SKED_EVENT_ASK_WITHDRAW = 13,
    /* The whole group was started [key: group; with SKED_CONFIRM_ACTUAL amount,
     * as by SKED_EVENT_TASK_RESIZE]. */
    SKED_EVENT_TASK_CONFIRM = 14,
    /*
     * The host cannot start the group: the proposal is undone [key: group;
     * flags: enum sked_refuse_flag; with SKED_REFUSE_SOME count: so many of its
     * last tasks, of a gang all; moment]. The ask is not proposed for the same
     * node until one of them changes: the ask by SKED_EVENT_ASK_CHANGE, the
     * node by its capacity or by something that ran on it. Or more than that,
     * one of these at most:
     *
     *   SKED_REFUSE_ASK   the ask for no node, until SKED_EVENT_ASK_CHANGE
     *   SKED_REFUSE_JOB   none of the job's asks for any, until
     *                     SKED_EVENT_JOB_UPDATE
     *   SKED_REFUSE_NODE  nothing for the node, until its capacity changes or
     *                     it resumes
     *
     * With a moment, which is later than now, all this holds until that moment
     * instead, whatever changes. SKED_EVENT_ALLOW lifts it. What is refused
     * everywhere stands in no line: it costs passes nothing, and counts as no
     * demand.
     */
    SKED_EVENT_TASK_REFUSE = 15,
    /*
     * Tasks have ended well [key: group, count]. What ends so, or by FAIL, LOST
     * or KILLED, of a proposal was carried out: these tasks and no others. The
     * rest is a proposal as before, to be confirmed or refused by its deadline.
     */
    SKED_EVENT_TASK_FINISH = 16,
    /*
     * Tasks have failed: they are open again where the job says so [key: group,
     * count]. Of a gang only when all that is left of it in the group goes at
     * once: then this is what is asked for again, all of it at once on one
     * node, and free for it there must be what these tasks take, not the whole
     * gang. A part of a gang that ends while others of it run is over. Of a
     * gang with SKED_ASK_SPREAD whatever fails is asked for again, all that is
     * open of it at once.
     */
    SKED_EVENT_TASK_FAIL = 17,
    SKED_EVENT_TASK_LOST = 18, /* the same, not by their own fault */
    /* A round of preemption, where it is on (sked_engine_preempt()). */
    SKED_EVENT_ROUND = 19,
    /* Ended as SKED_DECISION_KILL said: open again where a round said so, and
     * no failure, however often it happens [key: group, count: at most as many
     * as were told]. [CAP-10] */
    SKED_EVENT_TASK_KILLED = 20,
    /* All work of this group so far is safe: what would be lost with it counts
     * from now [key: group]. [CAP-15] */
    SKED_EVENT_TASK_SAVED = 21,
    SKED_EVENT_NODE_RESUME = 22, /* drains no longer: takes work again [key] */
    /*
     * Tasks of an ask run on a node already, whatever started them: they are
     * put into the books as they are [key: node, owner: ask, count, task: the
     * number of the first, moment: when they began, in the ten years before
     * now; none: now; amount: what one holds; none: what the ask says]. No
     * bound keeps them out: not what is free, a limit, a user, a node or queue
     * that drains, a partition, or that the job waits: it is admitted. Answered
     * by SKED_DECISION_ALLOCATE with SKED_REASON_ADOPTED, which names the
     * group; there is nothing to confirm.
     *
     * They are open tasks of the ask, as far as it has any, and beyond that are
     * added to it. Where `task` is said these numbers must be open, in one run,
     * or above all that the job had (SKED_ERR_STATE: they run, or are over).
     * Of a gang all that is open runs, or nothing (SKED_ERR_STATE); of one
     * with SKED_ASK_SPREAD what does not run yet is a smaller gang.
     *
     * A node may then have less than its tasks hold, a queue more than its
     * limit (sked_engine_stats says how many): nothing new that takes such a
     * kind starts there until it fits again.
     */
    SKED_EVENT_TASK_RUNNING = 23,
    /* Ends refusals, with or without a moment [flags, key]: of a node
     * and of all asks for it (SKED_REFUSE_NODE), of an ask (SKED_REFUSE_ASK),
     * of a job and its asks (SKED_REFUSE_JOB); everything (no flag, key 0). */
    SKED_EVENT_ALLOW = 24,
    /* Nodes that an ask does not take, or none of a job's asks, those to come
     * included; in place of those that were said before [key, places]. They
     * need not be there yet. */
    SKED_EVENT_ASK_EXCLUDE = 25,
    SKED_EVENT_JOB_EXCLUDE = 26,
    /* The tasks of a group hold so much each, more or less than the ask says
     * [key: group, amount: of one task]. The books follow, past every bound, as
     * with SKED_EVENT_TASK_RUNNING. What of it is open again takes what the ask
     * says. */
    SKED_EVENT_TASK_RESIZE = 27,
    /*
     * Of the tasks of a job that run, preemption leaves so many: a round tells
     * none that they (may) have to end where fewer would remain that were not
     * told [key: job, count: 0 or more; 0, as at first: no such bound]. Tasks
     * under notice that may not go any more are let off by the next round. What
     * the host stops by itself it adds to the count first: so the count is
     * always what runs less what sked_life_may_stop() (life.h) leaves to
     * preemption. [PEL-3]
     */
    SKED_EVENT_JOB_LEAST = 28,
    /* What a node is, in place of what was said before; a node that comes is
     * nothing. What runs there runs on [key, places: row in the batch's
     * attributes; 0: nothing]. */
    SKED_EVENT_NODE_ATTRIBUTES = 29,
    /*
     * The nodes that an ask takes: those of which the rule (rule.h) says YES, or
     * of which it says nothing; in place of the rule that was said before [key,
     * places: row in the batch's rules; 0: every node]. It holds for what starts
     * from now on, however long no node meets it; the ask keeps its place in
     * line. Asks with the same rule share what was worked out for it: a node
     * event costs by the shapes and rules that are open, not by asks. What a
     * rule says of work is judged by the tasks that hold something on the node
     * at the moment of each start, of any job: proposed or running, started by
     * this pass, adopted, or told to end and not ended yet; not by what is
     * reserved, nor by the task (or gang) that is to start. The rule of a gang
     * over nodes says nothing of work (SKED_ERR_STATE). [PEL-4]
     */
    SKED_EVENT_ASK_RULE = 30,
    /* The tags of an ask's tasks, by which rules count them, in place of those
     * that were said before; what runs has them from now on, too [key, places:
     * row of the place lists, which names tags here: numbers of the host's; 0:
     * none]. */
    SKED_EVENT_ASK_TAGS = 31
};

/* Tags of one ask. */
enum { SKED_MAX_ASK_TAGS = 64 };

/* Flags of jobs. No flag of a job has the number of a flag of an ask. */
enum sked_job_flag {
    SKED_JOB_RETRY = 1,     /* failed tasks are open again (lost ones always) */
    SKED_JOB_FIXED = 8,     /* nothing of it is preempted [PEL-13] */
    SKED_JOB_KEEPS = 16,    /* what is killed goes on where it was: no work is
                            lost with it */
    SKED_JOB_ADMITTED = 256 /* it was admitted before: it runs at once, past
                                every bound on running jobs */
};

/* Flags of asks. */
enum sked_ask_flag {
    SKED_ASK_GANG = 2,     /* all tasks at once on one node, or none [PEL-20] */
    SKED_ASK_SPREAD = 512, /* of a gang: over as many nodes of one partition as
                              it takes (engine.h) */
    SKED_ASK_STRICT = 4,   /* only on nodes of its list, however long it waits;
                            without it, the list counts for a time [PEL-4] */
    SKED_ASK_MASTER = 32,  /* tasks that the others depend on: last to go */
    SKED_ASK_WAIT = 128,   /* not rejected where no node is large enough, or a
                             limit too low: it waits until nodes come or change,
                             the tree or its job's queue is another, and costs
                             nothing until then. Nodes that drain count as
                             there. sked_engine_explain_job() says what is
                             missing */
    SKED_ASK_KEEP = 64     /* known until it is withdrawn or its job is over,
                             though nothing of it is open or runs, so that
                             SKED_EVENT_ASK_CHANGE may ask for more */
};

/* How far a refusal reaches, and of how many tasks. */
enum sked_refuse_flag {
    SKED_REFUSE_ASK = 1,
    SKED_REFUSE_JOB = 2,
    SKED_REFUSE_NODE = 4,
    SKED_REFUSE_SOME = 8
};

/* Of SKED_EVENT_TASK_CONFIRM. */
enum sked_confirm_flag {
    SKED_CONFIRM_ACTUAL = 1 /* the tasks hold other amounts than the ask says */
};

/* One event: 64 bytes, the same on every machine. */
typedef struct sked_event {
    sked_time time;
    int32_t kind;   /* enum sked_event_kind */
    uint32_t flags; /* enum sked_job_flag, sked_ask_flag, sked_refuse_flag or
                       sked_confirm_flag, as the kind says */
    uint64_t key;   /* what it is about */
    uint64_t owner; /* what that belongs to */
    sked_queue_id queue;
    int64_t count;
    uint32_t partition;
    int32_t priority;
    uint32_t amount; /* row in the batch's amounts, from 1; 0: none */
    uint32_t places; /* row in the batch's place lists, attributes or rules, as
                        the kind says, from 1; 0: none */
} sked_event;

/* A batch of events, with columns for what varies in length. */
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
     * Beside each place: how many tasks of the ask have their data there, 0 to
     * INT32_MAX, which means any number (of a gang only that). So many of those
     * that it starts on that node count as at their place, then the node is none
     * for the rest; a task that is open again counts anew. Once no place has any
     * left the ask runs anywhere (with SKED_ASK_STRICT nowhere). A plan of
     * sked_locality_plan() or sked_locality_fair() says how many; each node is
     * named once. NULL: any number.
     */
    const uint32_t *place_tasks;
    const void *reserved; /* NULL */
    /* One for each event, for those that read it; SKED_UNSET, or NULL: none. */
    const sked_time *moments;
    const int64_t *tasks;
    uint32_t moment_stride; /* bytes from one to the next, of 8; 0: 8 */
    uint32_t task_stride;
    const int32_t *attribute_offsets;      /* n_attributes + 1 offsets into
                                         attributes */
    const sked_rule_attribute *attributes; /* of nodes, in any order */
    uint64_t n_attributes;
    const int32_t *rule_offsets; /* n_rules + 1 offsets into rule_terms */
    const sked_rule_term *rule_terms;
    uint64_t n_rules;
    const int64_t *rule_values; /* what the terms of all rules name */
    uint64_t n_rule_values;
    /* One for each event; of SKED_EVENT_ASK_ADD with SKED_ASK_SPREAD read: how
     * many of its tasks may run on one node, up to INT32_MAX; 0, or NULL: any
     * number. */
    const uint32_t *per_node;
    uint64_t per_node_stride; /* bytes from one to the next, of 4; 0: 4 */
} sked_events;

#endif
