#ifndef SKEDI_AUDIT_STATE_H
#define SKEDI_AUDIT_STATE_H

/*
 * The state of a judge: the cluster after the rows added until now.
 *
 * Records are in one array for each type. A hash map for each type finds the
 * number of a key. Node 0 stands for an unknown node and has no capacity limit.
 * Queue 0 is the root. Vectors of amounts are in separate arrays, with a fixed
 * number of vectors for each record.
 *
 * Invariants:
 *   - The usage of a queue is the sum over the running tasks of the queue and
 *     its descendants.
 *   - A tasks record is in the heap of its queue and in the list of waiting
 *     tasks if and only if its `waiting` is above 0.
 *   - A list field `before` or `after` is SKEDI_AUDIT_NONE at the ends.
 */

#include <sched/audit.h>

#include "base/arith.h"
#include "base/fail.h"
#include "base/hooks.h"
#include "base/map.h"

#define SKEDI_AUDIT_NONE UINT32_MAX
#define SKEDI_AUDIT_NO_ROW UINT64_MAX

/* Vectors of a node. */
enum { NODE_CAPACITY, NODE_USED, NODE_FREED, NODE_VECTORS };

/* Vectors of a queue. */
enum {
    QUEUE_LIMIT,
    QUEUE_GUARANTEE,
    QUEUE_USED,
    QUEUE_PROTECTED, /* usage within guarantees: own or children's */
    QUEUE_PROTECTED_BELOW,
    QUEUE_FORCE, /* larger of own guarantee and children's sum */
    QUEUE_FORCE_BELOW,
    QUEUE_VECTORS
};

/* Vectors of a user's limit. */
enum { USER_LIMIT, USER_USED, USER_VECTORS };

enum { NODE_UP, NODE_DRAINED, NODE_IS_DOWN };

/* Vectors of the judge: total, drained, everything, nothing and two for
 * scratch. */
enum { SKEDI_AUDIT_SUMS = 6 };

typedef struct skedi_audit_node {
    uint64_t key;
    uint64_t partition;
    uint64_t row;
    uint64_t void_row; /* last row that ends the reserved starts on the node, or
                          SKEDI_AUDIT_NO_ROW */
    sked_time busy_at; /* last decrease of the free resources */
    sked_time down_at;
    uint32_t run;      /* first run on the node */
    uint32_t kill;     /* first open kill on the node */
    uint32_t reserved; /* reserved starts on the node */
    uint8_t state;
    uint8_t over; /* the present excess is reported */
    uint8_t padding[2];
} skedi_audit_node;

typedef struct skedi_audit_queue {
    uint64_t key;
    uint64_t row;
    uint64_t limit_row;
    uint64_t guarantee_row;
    uint64_t start_row;
    int64_t weight;
    int64_t waiting; /* waiting tasks, with descendants */
    sked_time since; /* start of the interval as an owed queue */
    uint64_t seen;   /* last instant at which owed.c checked the queue */
    uint32_t parent;
    uint32_t child;
    uint32_t sibling;
    uint32_t depth;
    uint32_t *heap; /* waiting tasks, a binary heap */
    size_t heap_cap;
    uint32_t heap_n;
    uint32_t owed; /* index in the list of owed queues plus 1; 0: none */
    uint32_t flags;
    uint8_t over;
    uint8_t has_limit;
    uint8_t has_guarantee;
    uint8_t padding;
} skedi_audit_queue;

typedef struct skedi_audit_user {
    uint64_t queue; /* queue number */
    uint64_t key;
    uint64_t row;
    uint32_t over;
    uint32_t padding;
} skedi_audit_user;

typedef struct skedi_audit_job {
    uint64_t key;
    uint64_t user;
    uint64_t row;
    int64_t gang;
    int64_t running;
    int64_t done;
    sked_time part_since;
    uint32_t queue;
    uint32_t tasks; /* first tasks record of the job */
    uint32_t flags;
    uint32_t open; /* index in the list `part` plus 1; 0: none */
} skedi_audit_job;

typedef struct skedi_audit_tasks {
    uint64_t key;
    uint64_t row;
    uint64_t start_row; /* last start, or SKEDI_AUDIT_NO_ROW */
    uint64_t stop_row;  /* last kill, loss or cancel, or SKEDI_AUDIT_NO_ROW */
    uint64_t partition;
    int64_t priority;
    int64_t waiting;
    int64_t running;
    sked_time since; /* start of the wait, reset when no task waits */
    sked_time promised;
    uint64_t promise_row; /* reserved start, or SKEDI_AUDIT_NO_ROW */
    sked_time idle_since;
    uint64_t idle_seen; /* last instant at which owed.c checked the tasks */
    uint32_t idle_node; /* idle node that fits, or SKEDI_AUDIT_NONE */
    uint32_t promise_node;
    uint32_t job;
    uint32_t next;          /* next tasks record of the job */
    uint32_t before, after; /* list of waiting tasks */
    uint32_t heap_at;       /* index in the heap plus 1; 0: none */
    uint32_t run;           /* first run of the tasks */
    uint32_t flags;
    uint32_t padding;
} skedi_audit_tasks;

/* Running tasks with one key on one node. */
typedef struct skedi_audit_run {
    uint64_t row;
    int64_t count;
    uint32_t tasks;
    uint32_t node;
    uint32_t before, after;             /* list of the node */
    uint32_t tasks_before, tasks_after; /* list of the tasks */
} skedi_audit_run;

/* An open kill: no start has needed the freed resources yet. */
typedef struct skedi_audit_kill {
    uint64_t row;
    sked_time time;
    int64_t count;
    uint32_t node;
    uint32_t tasks;
    uint32_t by;            /* tasks to start instead, or SKEDI_AUDIT_NONE */
    uint32_t before, after; /* list of the node */
    uint32_t older, newer;  /* list of all open kills */
    uint32_t padding;
} skedi_audit_kill;

/* Two tasks killed in favour of each other, in turns. */
typedef struct skedi_audit_pair {
    uint32_t low, high;
    uint32_t last; /* last victim */
    uint32_t turns;
    sked_time from;
    uint64_t row[SKED_MAX_AUDIT_STORY];
} skedi_audit_pair;

/* A start in the current instant. */
typedef struct skedi_audit_start {
    uint64_t row;
    uint32_t tasks;
    uint32_t node;
    uint32_t beyond; /* outside all guarantees, and not `replaced` */
    uint32_t
        within; /* depth of the deepest queue on the path that was below its
                        guarantee; 0: none. UINT32_MAX: `replaced` */
    uint32_t victim;   /* tasks of `kill_row` */
    uint32_t reserved; /* the start keeps a reservation */
    uint32_t padding;
    int64_t count;
    int64_t needed;    /* number of tasks that fit only after a kill */
    uint64_t kill_row; /* this kill, or SKEDI_AUDIT_NO_ROW */
} skedi_audit_start;

/* A node with running tasks at the time of NODE_DOWN. */
typedef struct skedi_audit_loss {
    sked_time time;
    uint64_t row;
    uint32_t node;
    uint32_t padding;
} skedi_audit_loss;

/* A growing array. */
#define SKEDI_AUDIT_LIST(type)                                                 \
    struct {                                                                   \
        type *at;                                                              \
        size_t cap;                                                            \
        uint32_t n;                                                            \
    }

struct sked_audit {
    skedi_hooks hooks;
    sked_audit_options options;
    uint32_t kinds;
    int started;
    int ended;
    int ahead;    /* number of further rows with reserved memory */
    int starved;  /* no memory for an anomaly since the last report */
    int replaced; /* the start needed a kill below a common queue */
    skedi_audit_start needs; /* `victim`, `needed`, `kill_row` of the start */
    sked_time now;
    uint64_t rows;
    uint64_t instant;
    int64_t credit; /* comparisons left; see waits.c */

    skedi_map node_of, queue_of, user_of, job_of, tasks_of, run_of, pair_of;
    SKEDI_AUDIT_LIST(skedi_audit_node) node;
    SKEDI_AUDIT_LIST(skedi_audit_queue) queue;
    SKEDI_AUDIT_LIST(skedi_audit_user) user;
    SKEDI_AUDIT_LIST(skedi_audit_job) job;
    SKEDI_AUDIT_LIST(skedi_audit_tasks) tasks;
    SKEDI_AUDIT_LIST(skedi_audit_run) run;
    SKEDI_AUDIT_LIST(skedi_audit_kill) kill;
    SKEDI_AUDIT_LIST(skedi_audit_pair) pair;
    SKEDI_AUDIT_LIST(skedi_audit_start) start;
    SKEDI_AUDIT_LIST(skedi_audit_loss) loss;
    SKEDI_AUDIT_LIST(uint32_t) owed; /* queue numbers, see owed.c */
    SKEDI_AUDIT_LIST(uint32_t) part; /* jobs: incomplete gangs */
    int64_t *node_vec, *queue_vec, *user_vec, *tasks_vec;
    size_t node_vec_cap, queue_vec_cap, user_vec_cap, tasks_vec_cap;
    int64_t *total;      /* capacity of nodes in state NODE_UP */
    int64_t *drained;    /* the same in state NODE_DRAINED */
    int64_t *everything; /* capacity of all nodes, at most SKED_AMOUNT_MAX */
    int64_t *nothing;    /* zeros */
    int64_t *scratch;
    uint32_t free_run, free_kill;
    uint32_t oldest_kill, newest_kill;
    uint32_t first_waiting, last_waiting;
    uint32_t idle_cursor, node_cursor, owed_cursor;
    uint32_t losses_seen; /* number of judged entries of `loss` */

    SKEDI_AUDIT_LIST(sked_audit_anomaly) found;
    uint64_t count[SKED_MAX_AUDIT_CODES]; /* by code; 0: all codes */
};

static inline int64_t *skedi_audit_node_vec(const sked_audit *a, uint32_t i,
                                            uint32_t which)
{
    return a->node_vec + ((size_t)i * NODE_VECTORS + which) * a->kinds;
}

static inline int64_t *skedi_audit_queue_vec(const sked_audit *a, uint32_t i,
                                             uint32_t which)
{
    return a->queue_vec + ((size_t)i * QUEUE_VECTORS + which) * a->kinds;
}

static inline int64_t *skedi_audit_user_vec(const sked_audit *a, uint32_t i,
                                            uint32_t which)
{
    return a->user_vec + ((size_t)i * USER_VECTORS + which) * a->kinds;
}

static inline int64_t *skedi_audit_amounts(const sked_audit *a, uint32_t tasks)
{
    return a->tasks_vec + (size_t)tasks * a->kinds;
}

static inline skedi_audit_job *skedi_audit_job_of(const sked_audit *a,
                                                  uint32_t tasks)
{
    return &a->job.at[a->tasks.at[tasks].job];
}

/* ---- things.c: maps, memory, waiting tasks ---- */

void skedi_audit_maps(sked_audit *a);    /* initializes the maps */
void skedi_audit_release(sked_audit *a); /* keeps the handle */
uint32_t skedi_audit_find(const skedi_map *map, uint64_t key);
uint32_t skedi_audit_find_pair(const skedi_map *map, uint64_t a, uint64_t b);
void skedi_audit_add_key(skedi_map *map, uint64_t key, uint32_t value);
void skedi_audit_add_pair(skedi_map *map, uint64_t a, uint64_t b,
                          uint32_t value);
void skedi_audit_remove_pair(skedi_map *map, uint64_t a, uint64_t b);

/* Reserves memory for a row: one record of each type. Returns 0 on failure. */
int skedi_audit_reserve(sked_audit *a);

/* Add tasks to the heap and the list of waiting tasks, or remove them. The
 * caller reserves memory in the heap first. */
int skedi_audit_reserve_heap(sked_audit *a, uint32_t queue);
void skedi_audit_wait(sked_audit *a, uint32_t tasks);
void skedi_audit_unwait(sked_audit *a, uint32_t tasks);

/* ---- apply.c ---- */

/* Applies one row of the current instant. */
sked_status skedi_audit_apply(sked_audit *a, const sked_audit_row *row,
                              const int64_t *amounts, sked_error *err);

/* Reports a late reserved start of `tasks`, and removes the reservation.
 * `number` is the row of the start, or SKEDI_AUDIT_NO_ROW. */
void skedi_audit_promise_kept(sked_audit *a, uint32_t tasks, uint64_t number);

/* ---- kills.c ---- */

/* Record a kill; match a start with open kills. The caller charges the start
 * after the match. */
void skedi_audit_killed(sked_audit *a, uint32_t tasks, uint32_t node,
                        int64_t count, uint32_t by);
void skedi_audit_needs(sked_audit *a, uint32_t tasks, uint32_t node,
                       int64_t count);
/* Close the open kills of a node, or the kills in favour of `tasks`. */
void skedi_audit_excuse_node(sked_audit *a, uint32_t node);
void skedi_audit_excuse_tasks(sked_audit *a, uint32_t tasks);
/* Reports a kill of this instant whose start fits on another node. */
void skedi_audit_judge_kills(sked_audit *a);
/* Reports and closes the kills in vain before `next`. */
void skedi_audit_expire_kills(sked_audit *a, sked_time next);

/* ---- waits.c: order and shares; owed.c: guarantees and idle nodes ---- */

/* Pays for one comparison. Returns 0 if the credit is used up. */
int skedi_audit_pays(sked_audit *a);
/* True if a task of `tasks` fits wherever a task of `model` fits. */
int skedi_audit_no_larger(const sked_audit *a, uint32_t tasks, uint32_t model);
/* True if tasks may run in the partition of a node. */
int skedi_audit_matches(const sked_audit *a, uint32_t tasks, uint32_t node);
/* True if `count` tasks fit into the free resources of a node that takes tasks
 * and has no reserved start. */
int skedi_audit_fits(const sked_audit *a, uint32_t tasks, uint32_t node,
                     int64_t count);
/* True if the time from `since` to `at` is longer than `bound`. */
int skedi_audit_longer(sked_time since, sked_time at, int64_t bound);
/* True if `queue` is `above` or a descendant of `above`. */
int skedi_audit_is_below(const sked_audit *a, uint32_t queue, uint32_t above);

/* True if one task may start within the limits of its queues and its user.
 * False for gangs and constrained tasks: other reasons may block a start. */
int skedi_audit_allowed(const sked_audit *a, uint32_t tasks);
/* As skedi_audit_allowed(), for all tasks of a waiting gang that have one key. */
int skedi_audit_gang_allowed(const sked_audit *a, uint32_t tasks);
void skedi_audit_judge_order(sked_audit *a, const skedi_audit_start *start);
void skedi_audit_judge_shares(sked_audit *a, const skedi_audit_start *start);
void skedi_audit_judge_guarantees(sked_audit *a, sked_time next);
void skedi_audit_judge_idle(sked_audit *a, sked_time next);
/* Updates the list of owed queues for each queue on the path. `anew` restarts
 * the intervals. */
void skedi_audit_note_owed(sked_audit *a, uint32_t queue, int anew);

/* ---- judge.c ---- */

/* Adds an incomplete gang to the list `part`. */
void skedi_audit_note_gang(sked_audit *a, uint32_t job);
/* Judges the current instant. The next instant is at `next`. */
void skedi_audit_judge(sked_audit *a, sked_time next);

/* ---- found.c ---- */

/* Adds a row to an anomaly. The rows stay sorted, without duplicates. */
void skedi_audit_tell(sked_audit_anomaly *story, uint64_t row);
void skedi_audit_report(sked_audit *a, sked_audit_anomaly *story);

#endif
