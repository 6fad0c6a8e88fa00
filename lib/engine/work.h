#ifndef SKEDI_ENGINE_WORK_H
#define SKEDI_ENGINE_WORK_H

/*
 * Work: jobs, what they ask for, and the groups that are placed. Things are
 * named by their numbers in the pools of state.h; lists go by numbers too.
 */

#include <sched/event.h>

enum { JOB_FREE_SLOT, JOB_WAITING, JOB_RUNNING, JOB_ENDED };

/*
 * Proposed: the host has not said yet whether it was carried out. Held: it
 * was. Killed: held, with a kill order for its job. Revoked: proposed, with a
 * kill order for its job before it began.
 */
enum {
    GROUP_FREE_SLOT,
    GROUP_PROPOSED,
    GROUP_HELD,
    GROUP_KILLED,
    GROUP_REVOKED
};

typedef struct engine_job {
    /* What each start of a task touches stands together. */
    uint64_t key;
    int64_t running; /* tasks */
    sked_queue_id queue;
    uint32_t row;
    uint32_t charge; /* where it is charged besides, or SKEDI_NONE */
    uint32_t state;  /* JOB_* */
    uint32_t groups;
    uint32_t held; /* of them that are no proposals */
    uint32_t user;
    uint64_t arrival; /* its place in the order of submission */
    sked_time submitted;
    int64_t tasks; /* numbered so far */
    int64_t least; /* of those that run, that rounds leave */
    uint32_t first_ask;
    uint32_t place;     /* in its leaf's waiting list */
    uint32_t user_next; /* of its user's waiting jobs */
    uint32_t user_prev;
    int32_t priority;
    uint32_t flags;
    uint32_t ban; /* what the host refused it, or SKEDI_NONE */
    /* Where its leaf admits by classes: the line in which it waits; 1: it is not
     * looked at, since nothing of it is open; 1: it is in the sums. */
    uint8_t line;
    uint8_t hidden;
    uint8_t counted;
    uint8_t unused;
    uint32_t shown_next;
} engine_job;

/* Task numbers that are open, behind the first: `count` from `from` on. */
typedef struct engine_range {
    int64_t from;
    int64_t count;
    uint32_t next;
    uint32_t unused;
} engine_range;

typedef struct engine_ask {
    uint64_t arrival;
    uint32_t next; /* of the job, newest first */
    uint32_t prev;
    uint32_t partition;
    uint32_t first_entry; /* one, or one in each partition */
    /* What each start of a task touches stands together. */
    uint64_t key;
    int64_t open;
    int64_t first; /* number of the first open task; others follow it, as many
                      as are not in the ranges of its extras */
    uint32_t job;
    uint32_t shape;
    uint32_t first_group; /* the newest */
    uint32_t extra;       /* what few asks have, or SKEDI_NONE: nothing of it */
    uint32_t flags : 24;
    uint32_t live : 1;     /* 0: a free slot */
    uint32_t closed : 1;   /* nothing more of it is wanted */
    uint32_t expected : 1; /* scratch: counted among those that come back */
    uint32_t shrinks : 1;  /* scratch: counted among gangs that do */
    uint32_t reserved : 1; /* some node is reserved for it */
    int32_t priority;
} engine_ask;

/* What few asks have; the others are as if all were 0 and SKEDI_NONE. */
typedef struct engine_extra {
    int64_t paid;      /* of the open tasks: others got kill orders for them */
    int64_t behind;    /* open tasks in the ranges */
    uint32_t ranges;   /* open numbers behind the first ones, in order */
    uint32_t last;     /* of these ranges, where there are any */
    uint32_t places;   /* first of its preferred nodes, or SKEDI_NONE */
    uint32_t refusals; /* its ban, or SKEDI_NONE: nothing is refused it */
    uint32_t epoch;    /* moves when refusals of this ask lapse */
    uint32_t spare;    /* of a gang over nodes: tasks that may start later, one
                          by one; it lacks what is open beyond these */
    uint32_t each;     /* likewise: tasks that a node takes, or none; 0: up to
                          so many as one may have */
    uint32_t shape;  /* where it refuses nodes: the one by which it is classed,
                        or SKEDI_NONE: as others */
    uint32_t sooner; /* among asks in lines that are classed alike */
    uint32_t later;
    uint64_t joined; /* its place in the order of coming into line */
} engine_extra;

/* When an ask's wait for a place began. */
typedef struct engine_waiting {
    sked_time since;
    uint64_t beats; /* node events where it may run by then */
} engine_waiting;

/* Is it a gang on one node? */
static inline int skedi_ask_is_whole(const engine_ask *ask)
{
    return (ask->flags & (SKED_ASK_GANG | SKED_ASK_SPREAD)) == SKED_ASK_GANG;
}

enum { PLACE_ANY = INT32_MAX };

/* A node, or a rack, that an ask would like. */
typedef struct engine_place {
    uint64_t key;
    int32_t left;  /* tasks with data there that did not start there; negative:
                      more did. PLACE_ANY: not counted */
    uint32_t rack; /* 1: it is a rack */
    uint32_t unused;
    uint32_t next; /* of the ask */
} engine_place;

/*
 * How tasks hold the amounts of their shape: each of them does; or all of them
 * do together, once, until the last has left, since they share a node that
 * nothing else does (core/bunch.h); or others of the bunch do for them.
 */
enum { HOLD_EACH, HOLD_ONCE, HOLD_NOTHING };

/* Tasks of one ask on one node. */
typedef struct engine_group {
    int64_t task;            /* number of the first */
    sked_time deadline_from; /* when it was proposed */
    uint32_t count;
    uint32_t ask;
    uint32_t node;
    uint32_t next; /* on the node */
    uint32_t prev;
    uint32_t generation;
    uint32_t state;
    uint32_t later; /* among proposals, or those that were killed */
    uint32_t sooner;
    uint32_t ask_next; /* of the ask */
    uint32_t ask_prev;
    uint32_t account; /* of its user; SKEDI_NONE: its leaf counts none */
    uint32_t shape; /* what its tasks hold, and SKEDI_NONE: what the ask says */
    uint32_t hold;  /* HOLD_*: how */
} engine_group;

/* How often so many tasks, of all that a group has, hold its shape. */
static inline int64_t skedi_group_times(const engine_group *g, int64_t tasks)
{
    if (g->hold == HOLD_EACH) return tasks;
    return g->hold == HOLD_ONCE && tasks > 0 && tasks == g->count;
}

/* Tasks of a group that were released and that their node has not ended. */
typedef struct engine_remains {
    uint64_t group;   /* its name */
    uint64_t arrival; /* of its ask, which no other has */
    uint32_t node;
    uint32_t count;
    uint32_t next;      /* of the node */
    uint32_t hold : 2;  /* HOLD_*: how they hold the amounts beside them */
    uint32_t alone : 1; /* which are all that the node has */
} engine_remains;

/* The host refused this ask on this node: until a moment, or (SKED_UNSET) while
 * both are as they were. */
typedef struct engine_refusal {
    uint64_t name;       /* ask and node; 0: a free slot */
    uint64_t node_epoch; /* or, with a moment, which node it was: its arrival */
    sked_time until;
    uint32_t node;
    uint32_t ask_epoch;
    uint32_t unused;
    uint32_t next; /* of the ask */
} engine_refusal;

enum { BAN_FREE_SLOT, BAN_OF_ASK, BAN_OF_JOB, BAN_OF_NODE };

/*
 * Why an ask stands in no line though tasks of it are open: no node is large
 * enough, a limit is too low, the host refused the ask or its job everywhere.
 * Ready: nothing of that any more, but it was not put into line yet. A gang of
 * which too few tasks are left falls: the others are still to get kill orders;
 * and it ends, until all with kill orders have ended.
 */
enum {
    PARK_NODE = 1,
    PARK_LIMIT = 2,
    PARK_ASK = 4,
    PARK_JOB = 8,
    PARK_READY = 16,
    PARK_FALLS = 32,
    PARK_ENDS = 64
};

/* Refusals of an ask, a job or a node, and why an ask is parked. */
typedef struct engine_ban {
    sked_time until;    /* when what is barred lapses; SKED_UNSET: by change */
    uint64_t *excluded; /* keys of nodes, in order */
    uint64_t n_excluded;
    uint32_t what; /* BAN_* */
    uint32_t owner;
    uint32_t barred;   /* 1: of a job, a node: refused as a whole */
    uint32_t parked;   /* PARK_*, of an ask */
    uint32_t refusals; /* pairs of an ask, the first */
    uint32_t pairs;    /* how many */
    uint32_t purge_at; /* so many: those that hold no longer go */
    uint32_t listed;   /* 1: among those that wait to stand in line */
    uint64_t which; /* a sum over the nodes of its pairs and those excluded */
    uint32_t next;
    uint32_t prev;
} engine_ban;

/* On which nodes: those with this value of an attribute; `same` 0: any. */
typedef struct engine_forming_where {
    uint64_t same;
    int64_t value;
} engine_forming_where;

/* Gangs over nodes for which amounts are reserved while they form
 * (core/forming.h). */
typedef struct engine_forms {
    struct engine_forming *gang; /* by partition */
    size_t cap;
    struct engine_forming_part *part; /* what is reserved for these */
    size_t n, parts_cap;
    engine_forming_where where; /* of `first` */
    uint32_t first; /* of a walk: the first gang that could not start */
    int came;       /* 1: the turn of the one that forms has come */
    int all;        /* 1: it walks over a whole partition */
} engine_forms;

#endif
