#ifndef SKED_DECISION_H
#define SKED_DECISION_H

/*
 * What an engine (engine.h) answers: one record for each thing to be done, with
 * the reason for it.
 */

#include <sched/base.h>

#ifdef __cplusplus
extern "C" {
#endif

enum sked_decision_kind {
    SKED_DECISION_ADMIT = 1,  /* the job may run */
    SKED_DECISION_REJECT = 2, /* the ask, or job, can never run: see reason */
    /* Start `count` tasks, from number `task` on, on `node`. If they are undone
     * or lost they are open again, unless their ask or job is over. */
    SKED_DECISION_ALLOCATE = 3,
    /* A part of `node`, of what is free there and what victims will leave, is
     * reserved for `count` tasks of the ask: until they run or are open no
     * more, the node takes nothing new, or the time `detail` comes. */
    SKED_DECISION_RESERVE = 4,
    /* Notice: the job is to give back `count` tasks, from number `task` on, by
     * the time `detail`; it may end others of its tasks instead. */
    SKED_DECISION_NOTIFY = 5,
    /* Kill order: end `count` tasks, from number `task` on. They are the last
     * ones of the group that have not ended. */
    SKED_DECISION_KILL = 6,
    /* A notice (with `group`: for `count` tasks, from number `task` on) or a
     * reservation (`group` 0) is withdrawn. A kill order never is: it stands
     * where a notice of the same tasks is withdrawn after it. */
    SKED_DECISION_WITHDRAW = 7,
    SKED_DECISION_EXPIRE = 8,  /* a proposal was not confirmed in time, and is
                                undone */
    SKED_DECISION_REQUEUE = 9, /* tasks are open again */
    SKED_DECISION_LOST = 10    /* tasks are lost with their node */
};

/* The reason for a decision, or the bound that a job waits for. */
enum sked_reason {
    SKED_REASON_NONE = 0,
    SKED_REASON_ORDER = 1,        /* it was its turn */
    SKED_REASON_NO_NODE = 2,      /* no node of the partition has enough free */
    SKED_REASON_NEVER_NODE = 3,   /* no node is large enough */
    SKED_REASON_QUEUE_LIMIT = 4,  /* the limit of a queue on its path */
    SKED_REASON_NEVER_LIMIT = 5,  /* it is larger than such a limit */
    SKED_REASON_USER_LIMIT = 6,   /* its user's part of the leaf */
    SKED_REASON_MAX_RUNNING = 7,  /* as many applications run in a queue on its
                                     path as may */
    SKED_REASON_USER_RUNNING = 8, /* as many of its user's run as may */
    SKED_REASON_LOCALITY = 9,     /* it waits for a node of its list */
    SKED_REASON_REFUSED = 10,     /* the host refused it, here or everywhere */
    SKED_REASON_DRAINING = 11,    /* the queue or node takes nothing new */
    SKED_REASON_NODE_LOST = 12,   /* its node is gone */
    SKED_REASON_UNCONFIRMED = 13, /* the host did not confirm it in time */
    SKED_REASON_CANCELLED = 14,   /* its job is over */
    SKED_REASON_NOT_ADMITTED = 15,
    SKED_REASON_BEHIND = 16,    /* others come first by order */
    SKED_REASON_HELD = 17,      /* it starts where a reservation was for it */
    SKED_REASON_PREEMPTED = 18, /* its queue is above its share, and what waits
                                   is of a queue below its own */
    SKED_REASON_NEED_GONE = 19, /* what it was for no longer needs it */
    SKED_REASON_OBSERVED = 20,  /* rounds only observe: nothing is to be done */
    SKED_REASON_MASTERS = 21,   /* the most that masters of its leaf may hold */
    SKED_REASON_PREEMPTED_USER = 22,     /* its user is above the user's share
                                            of the leaf */
    SKED_REASON_PREEMPTED_PRIORITY = 23, /* it has a lower priority than what
                                            waits in its leaf */
    SKED_REASON_PREEMPTED_LIMIT = 24,    /* its queue is above its share, below
                                            the same limit as what waits */
    SKED_REASON_NO_CLAIM = 25, /* with it its queue would be above what it may
                                  claim, so that nothing is preempted for it;
                                  of no kind: its job never preempts
                                  (SKED_JOB_YIELDS) */
    SKED_REASON_ADOPTED = 26,  /* it ran already (SKED_EVENT_TASK_RUNNING) */
    SKED_REASON_EXCLUDED = 27, /* the node is one of its exclusions */
    SKED_REASON_RULE = 28,     /* its rule does not take the node */
    SKED_REASON_GANG = 34,     /* tasks of a gang over nodes at once; or too few
                                  of it are left (SKED_ASK_TOGETHER) */
    SKED_REASON_RATE = 35,     /* as many tasks started in this second as may in
                                  a queue on its path */
    SKED_REASON_EXCLUSIVE = 36, /* it is to have a node to itself */
    /* A queue of a limit tree (engine_limits.h) that has no more of a kind, or
     * enough running jobs. */
    SKED_REASON_TREE_1_LIMIT = 37,
    SKED_REASON_TREE_2_LIMIT = 38,
    SKED_REASON_TREE_1_RUNNING = 39,
    SKED_REASON_TREE_2_RUNNING = 40,
    /* What jobs of its class may have in its leaf (engine_admit.h). */
    SKED_REASON_CLASS = 41,
    /* Amounts are reserved for a gang over nodes while it forms (`form_nodes` of
     * an engine). */
    SKED_REASON_FORMING = 42,
    /* A queue counts by a weight of the host's (SKED_EVENT_QUEUE_WEIGHT), not by
     * the tree's. */
    SKED_REASON_WEIGHT = 43
};

/* One decision. Frozen layout. */
typedef struct sked_decision {
    uint64_t sequence; /* number of the decision: from 1, without gaps */
    sked_time time;
    int32_t kind;   /* enum sked_decision_kind */
    int32_t reason; /* enum sked_reason */
    uint64_t job;
    uint64_t ask;
    uint64_t node;
    uint64_t group; /* number of the group it starts or is about; 0: none */
    int64_t task;   /* number of the first task within the job: from 0, in the
                       order in which they were asked for; rejected ones have
                       none */
    int64_t count;
    sked_queue_id queue; /* the job's leaf; of a bound: the queue that binds */
    int64_t detail;      /* a deadline, where there is one; else 0 */
    int32_t kind_at;     /* -1: no decision is about one resource kind */
    uint32_t partition;
    uint64_t serves; /* of a notice or kill order of a round of preemption: the
                        ask that it is for, of several the first; else 0 */
} sked_decision;

/* A reason in words, such as "limit of a queue". */
SKED_API const char *sked_reason_name(int32_t reason);

#ifdef __cplusplus
}
#endif

#endif
