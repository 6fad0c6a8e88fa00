#ifndef SKED_DECISION_H
#define SKED_DECISION_H

/*
 * Decisions: the answers of an engine (engine.h). One record for each action of
 * the host, with the reason. The smallest use:
 *
 *     sked_engine_take(engine, decisions, cap, &n, &err);
 *     for (size_t i = 0; i < n; i++)
 *         if (decisions[i].kind == SKED_DECISION_ALLOCATE)
 *             start(&decisions[i]); // count tasks of ask on node
 */

#include <sched/base.h>

#ifdef __cplusplus
extern "C" {
#endif

enum sked_decision_kind {
    SKED_DECISION_ADMIT = 1,  /* the job may run */
    SKED_DECISION_REJECT = 2, /* the ask or job can never run: see reason */
    /* Start `count` tasks on `node`, numbers from `task` on. Tasks that are
     * undone or lost are open again, unless their ask or job is over. */
    SKED_DECISION_ALLOCATE = 3,
    /* A part of `node` is reserved for `count` tasks of the ask, from the free
     * amounts and from what victims will leave. The reservation ends when the
     * tasks run or are open no more, the node takes nothing new, or the time
     * `detail` comes. */
    SKED_DECISION_RESERVE = 4,
    /* Notice: the job must give back `count` tasks, numbers from `task` on, by
     * the time `detail`. The job may end other tasks of its own instead. */
    SKED_DECISION_NOTIFY = 5,
    /* Kill order: end `count` tasks, numbers from `task` on: the last tasks of
     * the group that have not ended. */
    SKED_DECISION_KILL = 6,
    /* A notice (with `group`: for `count` tasks, numbers from `task` on) or a
     * reservation (`group` 0) is withdrawn. A kill order is never withdrawn: an
     * order stands even if a notice of the same tasks is withdrawn later. */
    SKED_DECISION_WITHDRAW = 7,
    SKED_DECISION_EXPIRE = 8,  /* a proposal was not confirmed in time, and is
                                  undone */
    SKED_DECISION_REQUEUE = 9, /* tasks are open again */
    SKED_DECISION_LOST = 10    /* tasks are lost with their node */
};

/* Reasons of decisions, and bounds for which a job waits. */
enum sked_reason {
    SKED_REASON_NONE = 0,
    SKED_REASON_ORDER = 1,        /* the ask had its turn */
    SKED_REASON_NO_NODE = 2,      /* no node of the partition has enough free */
    SKED_REASON_NEVER_NODE = 3,   /* no node is large enough */
    SKED_REASON_QUEUE_LIMIT = 4,  /* limit of a queue on the path */
    SKED_REASON_NEVER_LIMIT = 5,  /* the ask is larger than a limit */
    SKED_REASON_USER_LIMIT = 6,   /* the user's part of the leaf */
    SKED_REASON_MAX_RUNNING = 7,  /* a queue on the path has as many running
                                     applications as allowed */
    SKED_REASON_USER_RUNNING = 8, /* the user has as many running jobs as
                                     allowed */
    SKED_REASON_LOCALITY = 9,     /* the ask waits for a listed node */
    SKED_REASON_REFUSED = 10,     /* the host refused the ask, here or
                                     everywhere */
    SKED_REASON_DRAINING = 11,    /* the queue or node takes nothing new */
    SKED_REASON_NODE_LOST = 12,   /* the node is gone */
    SKED_REASON_UNCONFIRMED = 13, /* the host did not confirm in time */
    SKED_REASON_CANCELLED = 14,   /* the job is over */
    SKED_REASON_NOT_ADMITTED = 15,
    SKED_REASON_BEHIND = 16,    /* others come first by order */
    SKED_REASON_HELD = 17,      /* starts on its own reservation */
    SKED_REASON_PREEMPTED = 18, /* the queue is above its share, and the waiting
                                   task's queue is below its share */
    SKED_REASON_NEED_GONE = 19, /* the need for the decision is gone */
    SKED_REASON_OBSERVED = 20,  /* rounds only observe: the host does nothing */
    SKED_REASON_MASTERS = 21,   /* the most that masters of the leaf may hold */
    SKED_REASON_PREEMPTED_USER = 22,     /* the user is above the user's share
                                            of the leaf */
    SKED_REASON_PREEMPTED_PRIORITY = 23, /* a waiting task of the leaf has a
                                            higher priority */
    SKED_REASON_PREEMPTED_LIMIT = 24,    /* the queue is above its share,
                                            below the same limit as the
                                            waiting task */
    SKED_REASON_NO_CLAIM = 25,  /* the queue would exceed its claim with the
                                   ask, so no round preempts for the ask;
                                   without a kind: the job never preempts
                                   (SKED_JOB_YIELDS) */
    SKED_REASON_ADOPTED = 26,   /* already ran (SKED_EVENT_TASK_RUNNING) */
    SKED_REASON_EXCLUDED = 27,  /* the ask excludes the node */
    SKED_REASON_RULE = 28,      /* the ask's rule does not take the node */
    SKED_REASON_GANG = 34,      /* tasks of a gang over nodes start at once; or
                                   too few are left (SKED_ASK_TOGETHER) */
    SKED_REASON_RATE = 35,      /* a queue on the path started as many tasks in
                                   this second as allowed */
    SKED_REASON_EXCLUSIVE = 36, /* an exclusive task needs an empty node */
    /* A queue of a limit tree (engine_limits.h) has no more of a kind, or
     * enough running jobs. */
    SKED_REASON_TREE_1_LIMIT = 37,
    SKED_REASON_TREE_2_LIMIT = 38,
    SKED_REASON_TREE_1_RUNNING = 39,
    SKED_REASON_TREE_2_RUNNING = 40,
    /* The most that jobs of the class may have in the leaf (engine_admit.h). */
    SKED_REASON_CLASS = 41,
    /* A gang over nodes reserves amounts while the gang cannot start
     * (`form_nodes` of an engine). */
    SKED_REASON_FORMING = 42,
    /* A queue counts by the host's weight (SKED_EVENT_QUEUE_WEIGHT), not by the
     * tree's. */
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
    uint64_t group; /* number of the group that the decision starts or concerns;
                       0: none */
    int64_t task;   /* number of the first task within the job: from 0, in the
                       order of asking; rejected tasks have no number */
    int64_t count;
    sked_queue_id queue; /* the job's leaf; for a bound, the queue that binds */
    int64_t detail;      /* a deadline, or 0 */
    int32_t kind_at;     /* always -1: no decision is about one resource kind */
    uint32_t partition;
    uint64_t serves; /* for a notice or kill order of a round: the first ask
                        that the order serves; else 0 */
} sked_decision;

/* The text of a reason, such as "limit of a queue". */
SKED_API const char *sked_reason_name(int32_t reason);

#ifdef __cplusplus
}
#endif

#endif
