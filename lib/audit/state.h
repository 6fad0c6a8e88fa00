#ifndef SKEDI_AUDIT_STATE_H
#define SKEDI_AUDIT_STATE_H

/*
 * The state of a judge: what the rows so far make of the cluster.
 *
 * Things stand in arrays by number, and one map for each type finds the number
 * of a key. Node 0 is the node that no row names, without bounds; queue 0 is
 * the root, above all queues at the top. Vectors of amounts stand apart from
 * the records, `vectors` of them a thing.
 *
 * Invariants: the usage of a queue is the sum over its running tasks and those
 * below it; tasks stand in the heap of their queue and in the list of waiting
 * tasks exactly while some of them wait.
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
    QUEUE_PROTECTED, /* usage within guarantees, of the queue or below it */
    QUEUE_PROTECTED_BELOW,
    QUEUE_FORCE, /* guarantee, or the sum of those below if that is more */
    QUEUE_FORCE_BELOW,
    QUEUE_VECTORS
};

/* Vectors of a user's bound. */
enum { USER_LIMIT, USER_USED, USER_VECTORS };

enum { NODE_UP, NODE_DRAINED, NODE_IS_DOWN };

/* Vectors of the judge itself: total, everything, nothing, two of scratch. */
enum { SKEDI_AUDIT_SUMS = 5 };

typedef struct skedi_audit_node {
    uint64_t key;
    uint64_t partition;
    uint64_t row;
    sked_time busy_at; /* free resources fell last */
    sked_time down_at;
    uint32_t run;      /* first of its runs */
    uint32_t kill;     /* first of its open kills */
    uint32_t reserved; /* words given for this node */
    uint8_t state;
    uint8_t over; /* told already */
    uint8_t padding[2];
} skedi_audit_node;

typedef struct skedi_audit_queue {
    uint64_t key;
    uint64_t row;
    uint64_t limit_row;
    uint64_t guarantee_row;
    uint64_t start_row;
    int64_t weight;
    int64_t waiting; /* tasks, with those below */
    sked_time since; /* below its guarantee without a start; see `owed` */
    uint64_t seen;   /* instant of the last look */
    uint32_t parent;
    uint32_t child;
    uint32_t sibling;
    uint32_t depth;
    uint32_t *heap; /* tasks that wait, as an array of a binary heap */
    size_t heap_cap;
    uint32_t heap_n;
    uint32_t owed; /* place in the list of owed queues, plus 1 */
    uint32_t flags;
    uint8_t over;
    uint8_t has_limit;
    uint8_t has_guarantee;
    uint8_t padding;
} skedi_audit_queue;

typedef struct skedi_audit_user {
    uint64_t queue; /* number */
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
    uint32_t tasks; /* the first of its tasks */
    uint32_t flags;
    uint32_t open; /* place in the list of gangs in part, plus 1 */
} skedi_audit_job;

typedef struct skedi_audit_tasks {
    uint64_t key;
    uint64_t row;
    uint64_t start_row; /* the last; SKEDI_AUDIT_NO_ROW: none */
    uint64_t stop_row;  /* the last kill, loss or withdrawal; likewise */
    uint64_t partition;
    int64_t priority;
    int64_t waiting;
    int64_t running;
    sked_time since; /* waits since; kept while some wait */
    sked_time promised;
    uint64_t promise_row; /* SKEDI_AUDIT_NO_ROW: no word given */
    sked_time idle_since;
    uint64_t idle_seen; /* instant */
    uint32_t idle_node; /* where it fits; SKEDI_AUDIT_NONE: not known */
    uint32_t promise_node;
    uint32_t job;
    uint32_t next;          /* of the same job */
    uint32_t before, after; /* in the list of waiting tasks */
    uint32_t heap_at;       /* plus 1 */
    uint32_t run;           /* first of its runs */
    uint32_t flags;
    uint32_t padding;
} skedi_audit_tasks;

/* Tasks that run on a node. */
typedef struct skedi_audit_run {
    uint64_t row;
    int64_t count;
    uint32_t tasks;
    uint32_t node;
    uint32_t before, after;             /* on the node */
    uint32_t tasks_before, tasks_after; /* of the tasks */
} skedi_audit_run;

/* A kill whose freed resources no start has needed yet. */
typedef struct skedi_audit_kill {
    uint64_t row;
    sked_time time;
    int64_t count;
    uint32_t node;
    uint32_t tasks;
    uint32_t by;            /* tasks it was for, or SKEDI_AUDIT_NONE */
    uint32_t before, after; /* on the node */
    uint32_t older, newer;  /* of all */
    uint32_t padding;
} skedi_audit_kill;

/* Two tasks that end each other. */
typedef struct skedi_audit_pair {
    uint32_t low, high;
    uint32_t last; /* who was ended last */
    uint32_t turns;
    sked_time from;
    uint64_t row[SKED_MAX_AUDIT_STORY];
} skedi_audit_pair;

/* A start of this instant. */
typedef struct skedi_audit_start {
    uint64_t row;
    uint32_t tasks;
    uint32_t node;
    uint32_t beyond; /* of every guarantee, and no replacement */
    uint32_t padding;
    int64_t count;
} skedi_audit_start;

/* A node that went down with tasks on it. */
typedef struct skedi_audit_loss {
    sked_time time;
    uint64_t row;
    uint32_t node;
    uint32_t padding;
} skedi_audit_loss;

/* An array that grows. */
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
    int ahead;    /* rows that there is memory for */
    int starved;  /* an anomaly found no memory */
    int replaced; /* the start needed a kill below a queue of its own path */
    sked_time now;
    uint64_t rows;
    uint64_t instant;
    int64_t credit; /* pairs that may still be looked at */

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
    SKEDI_AUDIT_LIST(uint32_t) owed; /* queues */
    SKEDI_AUDIT_LIST(uint32_t) part; /* gangs */
    int64_t *node_vec, *queue_vec, *user_vec, *tasks_vec;
    size_t node_vec_cap, queue_vec_cap, user_vec_cap, tasks_vec_cap;
    int64_t *total;      /* capacity of nodes that take new tasks */
    int64_t *everything; /* capacity of all nodes: it fits an amount */
    int64_t *nothing;    /* zeros */
    int64_t *scratch;
    uint32_t free_run, free_kill;
    uint32_t oldest_kill, newest_kill;
    uint32_t first_waiting, last_waiting;
    uint32_t idle_cursor, node_cursor, owed_cursor;
    uint32_t losses_seen; /* of `loss`, those that are judged */

    SKEDI_AUDIT_LIST(sked_audit_anomaly) found;
    uint64_t count[SKED_MAX_AUDIT_CODES]; /* 0: of all */
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

/* ---- things.c: finding and keeping things ---- */

void skedi_audit_maps(sked_audit *a);    /* sets up all maps */
void skedi_audit_release(sked_audit *a); /* frees all but the handle */
uint32_t skedi_audit_find(const skedi_map *map, uint64_t key);
uint32_t skedi_audit_find_pair(const skedi_map *map, uint64_t a, uint64_t b);
void skedi_audit_add_key(skedi_map *map, uint64_t key, uint32_t value);
void skedi_audit_add_pair(skedi_map *map, uint64_t a, uint64_t b,
                          uint32_t value);
void skedi_audit_remove_pair(skedi_map *map, uint64_t a, uint64_t b);

/* Memory for a row: one thing more of each type. 0: there is none. */
int skedi_audit_reserve(sked_audit *a);

/* Tasks enter or leave the heap and the list of those that wait. There is
 * memory in the heap: skedi_audit_reserve_heap(). */
int skedi_audit_reserve_heap(sked_audit *a, uint32_t queue);
void skedi_audit_wait(sked_audit *a, uint32_t tasks);
void skedi_audit_unwait(sked_audit *a, uint32_t tasks);

/* ---- apply.c ---- */

/* Takes one row in, whose instant is the present one. */
sked_status skedi_audit_apply(sked_audit *a, const sked_audit_row *row,
                              const int64_t *amounts, sked_error *err);

/* The word that was given about a start is due: is it kept? The row that starts
 * the tasks, or SKEDI_AUDIT_NO_ROW. */
void skedi_audit_promise_kept(sked_audit *a, uint32_t tasks, uint64_t number);

/* ---- kills.c ---- */

/* A kill that happened, with what it freed; a start that may have needed one,
 * before it is charged. */
void skedi_audit_killed(sked_audit *a, uint32_t tasks, uint32_t node,
                        int64_t count, uint32_t by);
void skedi_audit_needs(sked_audit *a, uint32_t tasks, uint32_t node,
                       int64_t count);
/* Excuses the open kills of a node, or those that were for some tasks. */
void skedi_audit_excuse_node(sked_audit *a, uint32_t node);
void skedi_audit_excuse_tasks(sked_audit *a, uint32_t tasks);
/* Reports the kills that nothing needed until `next`. */
void skedi_audit_expire_kills(sked_audit *a, sked_time next);

/* ---- waits.c: order and shares; owed.c: guarantees and idle nodes ---- */

/* One look at a pair of things; 0: the credit is spent. */
int skedi_audit_pays(sked_audit *a);
/* Do tasks' amounts fit wherever those of `model` fit? */
int skedi_audit_no_larger(const sked_audit *a, uint32_t tasks, uint32_t model);
/* May tasks run on a node, wherever its resources are? */
int skedi_audit_matches(const sked_audit *a, uint32_t tasks, uint32_t node);
/* From `since` to `at`: longer than `bound`? */
int skedi_audit_longer(sked_time since, sked_time at, int64_t bound);
/* Is a queue another, or below it? */
int skedi_audit_is_below(const sked_audit *a, uint32_t queue, uint32_t above);

/* May tasks start without passing a bound of queues and users? */
int skedi_audit_allowed(const sked_audit *a, uint32_t tasks);
void skedi_audit_judge_order(sked_audit *a, const skedi_audit_start *start);
void skedi_audit_judge_shares(sked_audit *a, const skedi_audit_start *start);
void skedi_audit_judge_guarantees(sked_audit *a, sked_time next);
void skedi_audit_judge_idle(sked_audit *a, sked_time next);
/* Is a queue of the path below its guarantee with tasks waiting? `anew`: what it
 * waits for begins now. */
void skedi_audit_note_owed(sked_audit *a, uint32_t queue, int anew);

/* ---- judge.c ---- */

/* Does a gang run in part since now? */
void skedi_audit_note_gang(sked_audit *a, uint32_t job);
/* The instant is over; the next one is at `next`. */
void skedi_audit_judge(sked_audit *a, sked_time next);

/* ---- found.c ---- */

/* A story on its way: rows in any order, kept sorted, each once. */
void skedi_audit_tell(sked_audit_anomaly *story, uint64_t row);
void skedi_audit_report(sked_audit *a, sked_audit_anomaly *story);

#endif
