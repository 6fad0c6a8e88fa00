#ifndef SKED_EVENT_H
#define SKED_EVENT_H

/*
 * What a host tells an engine (engine.h): one record of 64 bytes for each thing
 * that happened, beside them columns for what varies in length.
 */

#include <sched/base.h>

/* An ask that may run in any partition. */
#define SKED_ANY_PARTITION UINT32_MAX

/* What happened; in brackets the fields that are read beside time and kind. */
enum {
    SKED_EVENT_TICK = 1, /* time has passed: deadlines, delays */
    /* A node is there, empty [key, partition, amount: capacity, owner: its
     * rack's key or 0]. */
    SKED_EVENT_NODE_UP = 2,
    /* Another capacity; it takes work, even if it drained [key, amount]. */
    SKED_EVENT_NODE_CHANGE = 3,
    SKED_EVENT_NODE_DRAIN = 4, /* takes nothing new [key] */
    SKED_EVENT_NODE_DOWN = 5,  /* gone, its tasks are lost [key] */
    SKED_EVENT_HEARTBEAT = 6,  /* fill this node [key] */
    /* A job [key, owner: its user's key, not UINT64_MAX, queue: a leaf,
     * priority, flags]. */
    SKED_EVENT_JOB_SUBMIT = 7,
    /* Its priority [key, priority], or its queue [key, queue: not 0]; usage
     * goes along in one step, whatever the limits there. */
    SKED_EVENT_JOB_UPDATE = 8,
    /* Nothing more of it; what runs is to be killed, and the host says when it
     * has ended [key]. */
    SKED_EVENT_JOB_CANCEL = 9,
    SKED_EVENT_JOB_FINISH = 10, /* over: it has nothing running [key] */
    /* Tasks wanted [key, owner: job, count, amount: of one task, partition,
     * priority within the job, places, flags]. */
    SKED_EVENT_ASK_ADD = 11,
    /* So many are open now, not of a gang: more come last, the last go first
     * [key, count]. */
    SKED_EVENT_ASK_CHANGE = 12,
    SKED_EVENT_ASK_WITHDRAW = 13, /* none are [key] */
    SKED_EVENT_TASK_CONFIRM = 14, /* carried out [key: group] */
    /* Not possible: undone, and the ask is not proposed for the same node until
     * one of them changes: the ask by SKED_EVENT_ASK_CHANGE, the node by its
     * capacity or by something that ran on it [key: group]. */
    SKED_EVENT_TASK_REFUSE = 15,
    SKED_EVENT_TASK_FINISH = 16, /* done [key: group, count] */
    /* Ended badly: open again where the job says so; of a gang only when all
     * that is left of it goes at once, and then room for the whole is asked for
     * again [key: group, count]. */
    SKED_EVENT_TASK_FAIL = 17,
    SKED_EVENT_TASK_LOST = 18, /* the same, by no fault of its own */
    /* A round of preemption, where it is on (sked_engine_preempt()). */
    SKED_EVENT_ROUND = 19,
    /* Ended as SKED_DECIDE_KILL said in a round: open again, and no failure,
     * however often it happens [key: group, count: at most as many as were
     * told]. [CAP-10] */
    SKED_EVENT_TASK_KILLED = 20,
    /* All work of this group so far is safe: what would be lost with it counts
     * from now [key: group]. [CAP-15] */
    SKED_EVENT_TASK_SAVED = 21
};

/* Flags of jobs and asks. */
enum {
    SKED_JOB_RETRY = 1,  /* failed tasks are open again (lost ones always) */
    SKED_ASK_GANG = 2,   /* all tasks at once on one node, or none [PEL-20] */
    SKED_ASK_STRICT = 4, /* only on nodes of its list, however long it waits;
                            without it, the list counts for a time [PEL-4] */
    SKED_JOB_FIXED = 8,  /* nothing of it is preempted [PEL-13] */
    SKED_JOB_KEEPS = 16, /* what is killed goes on where it was: no work is
                            lost with it */
    SKED_ASK_MASTER = 32 /* tasks that the others depend on: last to go */
};

/* One event: 64 bytes, the same on every machine. */
typedef struct sked_event {
    sked_time time;
    int32_t kind;   /* SKED_EVENT_* */
    uint32_t flags; /* SKED_JOB_*, SKED_ASK_* */
    uint64_t key;   /* what it is about */
    uint64_t owner; /* what that belongs to */
    sked_queue_id queue;
    int64_t count;
    uint32_t partition;
    int32_t priority;
    uint32_t amount; /* row in the batch's amounts, from 1; 0: none */
    uint32_t places; /* row in the batch's place lists, from 1; 0: anywhere */
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
} sked_events;

#endif
