#ifndef SKED_EVENT_FLAG_H
#define SKED_EVENT_FLAG_H

/*
 * Flags of events (event.h): properties of a job or ask, the reach of a
 * refusal, and the groups of an event about tasks. The smallest use:
 *
 *     ask.flags = SKED_ASK_GANG | SKED_ASK_SPREAD; // a gang over nodes
 */

/* Flags of jobs. No flag of a job has the number of an ask's flag, so a flag at
 * the wrong place is rejected. */
enum sked_job_flag {
    SKED_JOB_RETRY = 1,  /* failed tasks are open again (lost tasks always) */
    SKED_JOB_FIXED = 8,  /* preemption ends no task of the job [PEL-13] */
    SKED_JOB_KEEPS = 16, /* a killed task resumes later where it stopped:
                            preemption loses no work */
    /* Tasks killed by a round of preemption (SKED_EVENT_TASK_KILLED). Without
     * these flags the tasks are open again. */
    SKED_JOB_ONCE = 1048576,    /* the tasks are over */
    SKED_JOB_READMIT = 2097152, /* open again, unless their ask was withdrawn;
                                   without other tasks or proposals the job
                                   waits for admission in order, like a new job
                                   [PEL-15] */
    /* Class of the job, for a leaf that admits by classes (engine_admit.h). */
    SKED_JOB_CONTROLLER = 4194304, /* starts and controls other tasks */
    SKED_JOB_REVOCABLE = 8388608,  /* runs on what others leave unused:
                                      preemption ends the job's tasks first
                                      (sked_engine_preempt()) [PEL-2] [PEL-3] */
    SKED_JOB_YIELDS = 16777216,    /* never preempts: the job's asks get no
                                   reservation and cause no kill order. They
                                   start on free amounts. Their open tasks count
                                   as demand all the same */
    SKED_JOB_ADMITTED = 256 /* was admitted before: runs at once, past every
                               bound on jobs */
};

/*
 * Flags of asks. Two of them need more than a line:
 *
 * EXACT GANGS
 * With SKED_ASK_EXACT the ask's count and `at_once` are multiples of
 * `per_node`, and `per_node` is above 0 (SKED_ERR_ARG). The tasks of an elastic
 * gang beyond `at_once` start `per_node` at a time, on one node, with
 * SKED_REASON_GANG.
 *
 * If tasks of the gang are open again while other tasks are on nodes, the open
 * tasks start on these nodes first: as many as possible, up to `per_node` on
 * each, in the order of adding. The rest is then a multiple of `per_node` and
 * has nodes of its own. If these nodes lack fewer tasks than are left over,
 * because tasks there have ended, the tasks left over start together on one
 * node of their own. Otherwise they wait until these nodes have enough free. A
 * node lacks no tasks if the node takes none whatever is free: a node that
 * drains, was moved to another partition, is refused or excluded, or does not
 * meet the rule or strict places of the ask.
 *
 * With SKED_ASK_EXCLUSIVE all open tasks start on other nodes, the tasks left
 * over on the last node. TASK_RUNNING puts any number on a node, as for any
 * ask. Rounds of preemption (`gangs` of sked_engine_preempt_options) plan all
 * tasks of a node as one step. Rounds end other tasks only for a gang without
 * tasks on nodes. A gang with running tasks waits for its turn. [PEL-20]
 *
 * EXCLUSIVE TASKS
 * An exclusive task (SKED_ASK_EXCLUSIVE) starts on a node without running or
 * proposed tasks, released tasks and reservations. The task then holds the
 * whole node. The task holds the asked amount of kinds that lie on no node. A
 * later task that takes anything of the node does not start there.
 *
 * The whole node is charged to the job, user and queues. Limits and the bound
 * of masters must hold this charge before the start: for a gang, the charge of
 * all its nodes in the order of adding. Before the start, orders, shares and
 * guarantees count the asked amount. When the node's capacity changes, the
 * charge follows past every bound. A released task's charge follows until the
 * node has ended the task. A resize is SKED_ERR_STATE. SKED_EVENT_TASK_RUNNING
 * reports one task an event (SKED_ERR_RANGE), without an amount
 * (SKED_ERR_STATE). Such a task holds the whole node, whatever else runs there.
 * Rounds of preemption end an exclusive task like any task, but end no task and
 * reserve nothing for one.
 *
 * An exclusive gang needs SKED_ASK_SPREAD (SKED_ERR_ARG); instead of a gang on
 * one exclusive node, ask for one task. With `per_node` 1 each task is
 * exclusive as above. Otherwise up to `per_node` tasks share a node with
 * nothing else. They start on empty nodes, as many on each as fit. Together
 * they hold the node once: job, user and queues until the last task there has
 * ended, the node until the last task has left. While some tasks are there, the
 * end, loss, kill, refusal or release of others gives nothing back. Tasks that
 * are open again start on other nodes. By SKED_EVENT_TASK_RUNNING any number
 * runs on a node, also beside others of the gang, and holds the node once.
 *
 * Rounds end all tasks of an exclusive gang or none (`gangs` of
 * sked_engine_preempt_options). The loss is computed once for each node; a cost
 * that the host set counts for each task. The gang starts as a whole
 * (SKED_ERR_ARG: `at_once` below the count) and takes no kind that lies on no
 * node (SKED_ERR_ARG). [PEL-20]
 */
enum sked_ask_flag {
    SKED_ASK_GANG = 2,     /* all tasks at once on one node, or none [PEL-20] */
    SKED_ASK_SPREAD = 512, /* for a gang: over as many nodes of one partition as
                              needed (engine.h) */
    /* For a gang over nodes: if failed, lost, killed or refused tasks leave
     * fewer than `at_once`, the others get a kill order, too (SKED_REASON_GANG,
     * as by SKED_EVENT_JOB_CANCEL), and are open again at their end. The gang
     * starts when all kills have ended. Without the flag the rest runs on. */
    SKED_ASK_TOGETHER = 1024,
    /* For a gang over nodes: a node takes exactly `per_node` tasks or none. See
     * EXACT GANGS above. [PEL-20] */
    SKED_ASK_EXACT = 262144,
    /* For a gang over nodes with `same`: sharing a value is a preference. If no
     * value has enough nodes when the tasks start, the gang takes any nodes,
     * and further tasks go where they fit. */
    SKED_ASK_PREFER_SAME = 65536,
    /* Each task has a node alone, and holds the whole node. See EXCLUSIVE TASKS
     * above. [PEL-20] */
    SKED_ASK_EXCLUSIVE = 131072,
    SKED_ASK_STRICT = 4,  /* only listed nodes and racks, however long the ask
                             waits; without the flag the ask prefers them for
                             the delays of the engine's options [PEL-4] */
    SKED_ASK_MASTER = 32, /* tasks on which the job's other tasks depend:
                             preemption takes them last */
    SKED_ASK_WAIT = 128,  /* no rejection if no node (draining ones count) is
                             large enough or a limit is too low: the ask waits,
                             at no cost, for a change of nodes, tree or the
                             job's queue; see sked_engine_explain_job() */
    SKED_ASK_KEEP = 64,   /* the engine keeps the ask until withdrawn or until
                             the job is over, also without open or running
                             tasks: SKED_EVENT_ASK_CHANGE may ask for more */
    /* The node that sked_engine_place() (engine_place.h) takes; at most one of
     * these flags. Without a flag the call decides. */
    SKED_ASK_PLACE_FIRST = 2048,
    SKED_ASK_PLACE_PACK = 4096,
    SKED_ASK_PLACE_SPREAD = 8192,
    SKED_ASK_PLACE_FRAGMENT = 16384,
    SKED_ASK_PLACE_SCORE = 32768
};

/* The reach of a refusal (SKED_EVENT_TASK_REFUSE), or a refusal of only some
 * tasks of the group. */
enum sked_refuse_flag {
    SKED_REFUSE_ASK = 1,
    SKED_REFUSE_JOB = 2,
    SKED_REFUSE_NODE = 4,
    SKED_REFUSE_SOME = 8
};

/*
 * A flag of SKED_EVENT_TASK_CONFIRM, REFUSE, FINISH, FAIL, LOST and KILLED.
 * `key` names an ask, `count` is 0, and the event covers all groups of the ask
 * (for a gang over nodes, the whole gang):
 * - CONFIRM and REFUSE cover the groups that are proposals.
 * - KILLED covers the groups with kill orders, as far as the orders go.
 * - The others cover all tasks of all groups.
 *
 * The newest group goes first. All or nothing: SKED_ERR_NOT_FOUND (no such
 * ask), SKED_ERR_RANGE (a count), SKED_ERR_STATE (no group is covered),
 * SKED_ERR_ARG (beside SKED_REFUSE_SOME or SKED_CONFIRM_ACTUAL). Cost: one
 * event for each group. [PEL-20]
 */
enum sked_task_flag {
    SKED_TASK_ALL = 16,
    /* For SKED_EVENT_TASK_ENDS and _COST: `key` names a node and `owner` an
     * ask. The event covers all groups of the ask on the node, except
     * proposals. All or nothing: SKED_ERR_NOT_FOUND (no such node or ask),
     * SKED_ERR_STATE (no such group). Cost: O(groups of the ask). */
    SKED_TASK_ON_NODE = 32
};

/* Flags of SKED_EVENT_TASK_CONFIRM. */
enum sked_confirm_flag {
    SKED_CONFIRM_ACTUAL = 1 /* the tasks hold other amounts than the ask says */
};

#endif
