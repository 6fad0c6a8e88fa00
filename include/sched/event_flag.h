#ifndef SKED_EVENT_FLAG_H
#define SKED_EVENT_FLAG_H

/*
 * Flags of events (event.h): what a job or an ask is like, how far a refusal
 * reaches, and of which tasks an event is said.
 */

/* Flags of jobs. No flag of a job has the number of a flag of an ask, so that a
 * flag at the wrong place is refused. */
enum sked_job_flag {
    SKED_JOB_RETRY = 1,  /* failed tasks are open again (lost ones always) */
    SKED_JOB_FIXED = 8,  /* preemption ends none of its tasks [PEL-13] */
    SKED_JOB_KEEPS = 16, /* a task that is killed goes on later from where it
                            was: no work is lost with it */
    /* What becomes of tasks that a round of preemption killed
     * (SKED_EVENT_TASK_KILLED). Without these flags they are open again. */
    SKED_JOB_ONCE = 1048576,    /* they are over */
    SKED_JOB_READMIT = 2097152, /* they are open again (but those of an ask that
                                   was withdrawn); and when with them the last
                                   of the job has ended, and nothing of it is
                                   proposed, it waits and is admitted by its
                                   order, like one that was just submitted
                                   [PEL-15] */
    /* Its class, where its leaf admits by classes (engine_admit.h). */
    SKED_JOB_CONTROLLER = 4194304, /* it starts and controls other tasks */
    SKED_JOB_REVOCABLE = 8388608,  /* it runs on what others leave unused:
                                      preemption ends its tasks before any
                                      others (sked_engine_preempt()) [PEL-2]
                                      [PEL-3] */
    SKED_JOB_YIELDS = 16777216, /* it never preempts: nothing is reserved, and
                                   nothing gets a kill order, for what it asks
                                   for, which starts on what is free. What is
                                   open of it counts as wanted all the same */
    SKED_JOB_ADMITTED = 256     /* it was admitted before: it runs at once, past
                                every bound on jobs */
};

/* Flags of asks. */
enum sked_ask_flag {
    SKED_ASK_GANG = 2,     /* all tasks at once on one node, or none [PEL-20] */
    SKED_ASK_SPREAD = 512, /* of a gang: over as many nodes of one partition as
                              it takes (engine.h) */
    /* Of a gang over nodes: it is worth nothing with fewer tasks than start
     * together. When tasks of it that failed, were lost, killed or refused are
     * open again, and fewer than `at_once` are left, the others get a kill
     * order (SKED_DECISION_KILL, SKED_REASON_GANG), too, as by
     * SKED_EVENT_JOB_CANCEL, and are open again when they have ended. Until all
     * have, nothing of the gang starts. Without the flag the rest runs on. */
    SKED_ASK_TOGETHER = 1024,
    /*
     * Of a gang over nodes: each node that takes some of it takes exactly
     * `per_node` of its tasks, neither more nor fewer. Its count and `at_once`
     * are multiples of `per_node`, which is said (SKED_ERR_ARG). What an
     * elastic one has beyond `at_once` starts so many at a time, on one node,
     * with SKED_REASON_GANG.
     *
     * Where tasks of it are open again while others of it are on nodes, as many
     * of the open ones as can be start on these nodes, up to `per_node` on
     * each, in the order of adding, so that what is left is a multiple of
     * `per_node` and has nodes of its own. If these nodes lack fewer than are
     * left over, since tasks there have ended, these start together on one node
     * of their own; else they wait until these nodes have enough free. A node
     * that takes none of them whatever it has free lacks none: one that drains,
     * was moved to another partition, is refused or excluded, or does not meet
     * the rule or the strict places of the ask. With SKED_ASK_EXCLUSIVE all
     * that is open starts on other nodes, what is left over on the last one.
     * TASK_RUNNING puts any number on a node, as of any ask. Rounds of
     * preemption (`gangs` of sked_engine_preempt_options) plan all tasks of a
     * node as one step; they end others only for a gang of which nothing is on
     * a node, and one of which some run waits for its turn. [PEL-20]
     */
    SKED_ASK_EXACT = 262144,
    /* Of a gang over nodes with `same`: it would rather have nodes that share a
     * value. Where no value has enough of them when its tasks start, it takes
     * any nodes, and its further tasks go where they fit. */
    SKED_ASK_PREFER_SAME = 65536,
    /*
     * Each of its tasks has a node to itself: it starts only where nothing runs
     * or is proposed, nothing that was released is left, and nothing is
     * reserved; and then it holds all that the node has (of kinds that lie on
     * no node, what was asked for). So nothing else starts there that takes
     * anything of the node.
     *
     * Its job, its user and its queues have all of the node, and limits and the
     * bound of masters must hold that before it starts: of a gang over nodes,
     * all of the nodes that it takes, in the order of adding. Until it starts,
     * orders, shares and guarantees count what was asked for.
     *
     * When the node changes, it holds the new capacity, past every bound; one
     * that was released does until its node has ended it. It cannot be resized
     * (SKED_ERR_STATE). What runs already (SKED_EVENT_TASK_RUNNING) holds all
     * of its node, whatever else runs there: one task by each event
     * (SKED_ERR_RANGE), without an amount (SKED_ERR_STATE). Rounds of
     * preemption end it like any task, but end nothing and reserve nothing for
     * it.
     *
     * Of a gang only with SKED_ASK_SPREAD (SKED_ERR_ARG): one that is to have
     * one node to itself is one task. With `per_node` 1 each of its tasks is as
     * above. Else up to `per_node` of them share a node, and nothing else does:
     * they start on empty nodes, as many on each as fit. Together they hold all
     * that the node has, once: their job, user and queues until the last of
     * them has ended, the node until the last has left it. When some of them
     * end, are lost, killed, refused or released, nothing is given back while
     * others are there; those that are open again start on other nodes. By
     * SKED_EVENT_TASK_RUNNING any number of them run on a node, also beside
     * others of the gang, with which they hold it once. Rounds end all of the
     * gang or nothing of it (`gangs` of sked_engine_preempt_options). What is
     * lost with it is worked out once for each node; where the host said what a
     * task costs, it is that for each task. Such a gang starts as a whole
     * (SKED_ERR_ARG: `at_once` is less than its count), and asks for nothing of
     * a kind that lies on no node (SKED_ERR_ARG). [PEL-20]
     */
    SKED_ASK_EXCLUSIVE = 131072,
    SKED_ASK_STRICT = 4,  /* only on nodes and racks of its list, however long
                            it waits; without it the ask prefers them for the
                            delays of the engine's options [PEL-4] */
    SKED_ASK_MASTER = 32, /* tasks that the job's others depend on: preemption
                            takes them last */
    SKED_ASK_WAIT = 128,  /* where no node is large enough, or a limit is too
                             low, the ask is not rejected: it waits, and costs
                             nothing, until a node comes or changes, the tree
                             changes, or its job moves. Nodes that drain count
                             for this. sked_engine_explain_job() says what is
                             missing */
    SKED_ASK_KEEP = 64,   /* the engine knows the ask until it is withdrawn or
                             its job is over, also while nothing of it is open
                             or runs, so that SKED_EVENT_ASK_CHANGE may ask for
                             more */
    /* Which node it takes in sked_engine_place() (engine_place.h), at most one
     * of these; without one the call says. */
    SKED_ASK_PLACE_FIRST = 2048,
    SKED_ASK_PLACE_PACK = 4096,
    SKED_ASK_PLACE_SPREAD = 8192,
    SKED_ASK_PLACE_FRAGMENT = 16384,
    SKED_ASK_PLACE_SCORE = 32768
};

/* How far a refusal reaches (SKED_EVENT_TASK_REFUSE), or that it is of some
 * tasks of the group only. */
enum sked_refuse_flag {
    SKED_REFUSE_ASK = 1,
    SKED_REFUSE_JOB = 2,
    SKED_REFUSE_NODE = 4,
    SKED_REFUSE_SOME = 8
};

/*
 * A flag of SKED_EVENT_TASK_CONFIRM, REFUSE, FINISH, FAIL, LOST and KILLED:
 * `key` names an ask, and the event is said of all its groups; of a gang over
 * nodes that is all of it. `count` is 0. CONFIRM and REFUSE mean the groups
 * that are proposals, KILLED those that got kill orders, as far as they were,
 * the others all tasks of all groups. All or nothing: SKED_ERR_NOT_FOUND (no
 * such ask), SKED_ERR_RANGE (a count), SKED_ERR_STATE (the event means no
 * group), SKED_ERR_ARG (beside SKED_REFUSE_SOME or SKED_CONFIRM_ACTUAL). The
 * newest group goes first. Cost: that of one event for each group. [PEL-20]
 */
enum sked_task_flag {
    SKED_TASK_ALL = 16,
    /* Of SKED_EVENT_TASK_ENDS and SKED_EVENT_TASK_COST: `key` names a node and
     * `owner` an ask, and the event is said of all groups of the ask that run
     * there, proposals left out. All or nothing: SKED_ERR_NOT_FOUND (no such
     * node or ask), SKED_ERR_STATE (nothing of the ask runs there). Cost:
     * O(groups of the ask). */
    SKED_TASK_ON_NODE = 32
};

/* Flags of SKED_EVENT_TASK_CONFIRM. */
enum sked_confirm_flag {
    SKED_CONFIRM_ACTUAL = 1 /* the tasks hold other amounts than the ask says */
};

#endif
