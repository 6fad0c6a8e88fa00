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
    SKED_DECISION_ADMIT = 1,    /* the job may run */
    SKED_DECISION_REJECT = 2,   /* it never can: reason */
    SKED_DECISION_ALLOCATE = 3, /* `count` tasks from `task` on, on `node`; what
                                 is undone or lost is open again, unless its
                                 ask or job is over */
    SKED_DECISION_RESERVE =
        4, /* a part of `node` is reserved for `count` tasks of
                                 the ask, until `detail` at most: what is free
                                 there and what victims leave. Until they run,
                                 or are open no more, or the node takes nothing
                                 new */
    SKED_DECISION_NOTIFY = 5,   /* give back: `count` tasks from `task` on by
                                 `detail`, or others of the job instead */
    SKED_DECISION_KILL = 6,     /* end `count` tasks from `task` on: of those
                                 that live the group's last ones */
    SKED_DECISION_WITHDRAW = 7, /* a notice (of a group: `count` tasks from
                                 `task` on) or a reservation (no group) is
                                 void */
    SKED_DECISION_EXPIRE = 8,   /* a proposal was not confirmed in time:
                                   undone */
    SKED_DECISION_REQUEUE = 9,  /* tasks are open again */
    SKED_DECISION_LOST = 10     /* tasks went with their node */
};

/* Why, and which bound a job waits for. */
enum sked_reason {
    SKED_REASON_NONE = 0,
    SKED_REASON_ORDER = 1,        /* its turn */
    SKED_REASON_NO_NODE = 2,      /* no node of the partition has enough free */
    SKED_REASON_NEVER_NODE = 3,   /* no node is large enough */
    SKED_REASON_QUEUE_LIMIT = 4,  /* the limit of a queue on its path */
    SKED_REASON_NEVER_LIMIT = 5,  /* larger than such a limit */
    SKED_REASON_USER_LIMIT = 6,   /* its user's part of the leaf */
    SKED_REASON_MAX_RUNNING = 7,  /* applications of a queue on its path */
    SKED_REASON_USER_RUNNING = 8, /* applications of its user */
    SKED_REASON_LOCALITY = 9,     /* waits for a node of its list */
    SKED_REASON_REFUSED = 10,     /* the host refused this node */
    SKED_REASON_DRAINING = 11,    /* queue or node takes nothing new */
    SKED_REASON_NODE_LOST = 12,
    SKED_REASON_UNCONFIRMED = 13,
    SKED_REASON_CANCELLED = 14,
    SKED_REASON_NOT_ADMITTED = 15,
    SKED_REASON_BEHIND = 16,    /* others come first by order */
    SKED_REASON_HELD = 17,      /* a reservation for it was used */
    SKED_REASON_PREEMPTED = 18, /* above its share, and one below it waits */
    SKED_REASON_NEED_GONE = 19, /* what it was for no longer needs it */
    SKED_REASON_OBSERVED = 20,  /* rounds only observe: nothing is to be done */
    SKED_REASON_MASTERS = 21,   /* what masters of its leaf may hold */
    SKED_REASON_PREEMPTED_USER = 22,     /* of its user, above the user's share
                                            of the leaf */
    SKED_REASON_PREEMPTED_PRIORITY = 23, /* it matters less than what waits in
                                            its leaf */
    SKED_REASON_PREEMPTED_LIMIT = 24,    /* above its share, and below the same
                                            limit as what waits */
    SKED_REASON_NO_CLAIM = 25, /* with it its queue would have more than it may
                                  have others preempted for */
    SKED_REASON_ADOPTED = 26,  /* it ran already (SKED_EVENT_TASK_RUNNING) */
    SKED_REASON_EXCLUDED = 27, /* a node that the ask does not take */
    SKED_REASON_RULE = 28,     /* nor does its rule */
    SKED_REASON_GANG = 34 /* all that is open of a gang over nodes at once */
};

/* One decision. Frozen layout. */
typedef struct sked_decision {
    uint64_t sequence; /* its own number: from 1, in order, without gaps */
    sked_time time;
    int32_t kind;   /* enum sked_decision_kind */
    int32_t reason; /* enum sked_reason */
    uint64_t job;
    uint64_t ask;
    uint64_t node;
    uint64_t group; /* names the group it starts or is about; 0: none */
    int64_t task;   /* number of the first task within the job: from 0, in the
                       order in which they were asked for, rejected ones
                       aside */
    int64_t count;
    sked_queue_id queue; /* the job's leaf; of a bound: the queue that binds */
    int64_t detail;      /* deadline, or the amount behind the reason */
    int32_t kind_at;     /* resource kind behind the reason, or -1 */
    uint32_t partition;
} sked_decision;

/* The words for a reason: "limit of a queue". */
SKED_API const char *sked_reason_name(int32_t reason);

#ifdef __cplusplus
}
#endif

#endif
