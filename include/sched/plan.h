#ifndef SKED_PLAN_H
#define SKED_PLAN_H

/*
 * The queue structure that past jobs ask for, as a diff against the tree in
 * force. [MON-6]
 *
 *     sked_plan_leaves(...);   which jobs belong to which leaf
 *     ...                      what each leaf needs: <sched/history.h>,
 *                              <sched/tiers.h>, sked_plan_running()
 *     sked_plan_new(...);      what to add, remove, re-weight, and why
 *     sked_plan_apply(...);    into the draft, all of it or nothing
 *
 * A job names a text for each of some fields (its organisation, its project)
 * and has a tier. The levels of the structure are a list of these, by default
 * the fields in their order and then the tier: root.<org>.<project>.<tier>.
 *
 * A leaf weighs the instances that it is allocated, at least 1; a parent what
 * its children weigh together. So when the root has what all are allocated,
 * each leaf's fair share is its allocation. [MON-10]
 */

#include <sched/diff.h>
#include <sched/ledger.h>
#include <sched/slo.h>

#ifdef __cplusplus
extern "C" {
#endif

enum sked_plan_level {
    SKED_PLAN_LEVEL_TIER = -1 /* a level made of tiers, not of a field */
};

/* No leaf: the job is outside the window, or the queue is a parent. */
#define SKED_PLAN_NO_LEAF UINT32_MAX

/*
 * What a tier's leaves are called and told. The last three may be SKED_UNSET:
 * the tree's own setting stays. Frozen layout.
 */
typedef struct sked_plan_tier {
    const char *name;
    int64_t preempt_from;               /* 0 or 1: may others preempt here? */
    int64_t preempt_fair_timeout_ns;    /* ns, or SKED_UNLIMITED */
    int64_t preempt_fair_threshold_ppm; /* ppm */
} sked_plan_tier;

/*
 * The usual settings for `tiers` tiers, to be changed where they do not suit.
 * The first tier is not preempted, and has the shortest time-out and the
 * lowest threshold: 60 s and 30 %, then 5 min and 50 %, then 15 min and 80 %,
 * each further tier 15 min and 1 % more. They are called tier1, tier2, and so
 * on, the last one `default`; names live as long as the library is loaded.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE (not 1 to SKED_MAX_TIERS).
 * Never allocates. [MON-6] [MON-11]
 */
SKED_TRY sked_status sked_plan_tiers(uint32_t tiers, sked_plan_tier *settings,
                                     sked_error *err);

/*
 * Jobs as columns. Texts of a field stand one after the other in `text`: that
 * of job i from offset[i] to offset[i + 1], in UTF-8, without NUL, not empty.
 * Where `from` and `to` are both 0 every job counts; else those that hold some
 * of the window [from, to), or start in it and take no time.
 */
typedef struct sked_plan_jobs {
    uint32_t struct_size;
    uint32_t flags;                /* 0 */
    uint32_t n;                    /* below 2^31 */
    uint32_t fields;               /* 0 to 32 */
    uint32_t levels;               /* 1 to 32; 0: the fields, then the tier */
    uint32_t tiers;                /* up to SKED_MAX_TIERS; 0: 3 */
    const char *const *text;       /* by field */
    const int32_t *const *offset;  /* by field: n + 1 of them, rising */
    const int32_t *level;          /* by level: a field, or
                                      SKED_PLAN_LEVEL_TIER */
    const uint8_t *tier;           /* by job, from 1; NULL: the last one */
    const sked_plan_tier *setting; /* by tier; NULL: sked_plan_tiers() */
    const sked_time *start;        /* by job; read where there is a window */
    const sked_time *end;
    sked_time from;
    sked_time to;
} sked_plan_jobs;

/*
 * Says which leaf each job belongs to. Leaves are numbered in the order in
 * which jobs first name them: job first[j] is the first one of leaf j, and
 * tier[j] the most important tier of its jobs. `leaf` has an entry a job and
 * may be NULL; so may `first` and `tier`, which have `cap`; `*n` is always how
 * many leaves there are. `host` may be NULL; it provides the memory to work in.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE (a number
 * outside its range, an empty text, one with a NUL: `err->row` names the job;
 * too many queues; `cap` too small: nothing is written but `*n`),
 * SKED_ERR_VERSION, SKED_ERR_CANCELLED or a code of the host's own. On other
 * failures nothing is written. Cost: O(n levels) expected. [MON-6]
 */
SKED_TRY sked_status sked_plan_leaves(const sked_plan_jobs *jobs,
                                      const sked_host *host, uint32_t *leaf,
                                      uint32_t *first, uint8_t *tier,
                                      size_t cap, size_t *n, sked_error *err);

/*
 * Applications of queues, to find how many run at once. Columns have a row an
 * application; `queue` is a number below `queues`, or SKED_PLAN_NO_LEAF: it
 * does not count. Where `from` and `to` are both 0 the window is all of time.
 */
typedef struct sked_plan_running_input {
    uint32_t struct_size;
    uint32_t flags;         /* 0 */
    uint32_t queues;        /* up to SKED_MAX_QUEUES - 1 */
    uint32_t n;             /* below 2^31 */
    const uint32_t *queue;  /* NULL: queue 0's, all of them */
    const sked_time *start; /* between -2^62 and 2^62, both excluded */
    const sked_time *end;   /* likewise */
    sked_time from;
    sked_time to;
    int64_t part_ppm;      /* of the time in which any runs; 0: all of it */
    int64_t head_room_ppm; /* times so many ppm, up to 10^9; 0: 1,250,000 */
} sked_plan_running_input;

/*
 * How many applications each queue should run at once: what covers `part_ppm`
 * of the time in which any ran, times the head room, rounded up, from 1 to
 * 2^31-1. `host` may be NULL; it provides the memory to work in.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_NOT_FOUND (no such
 * queue), SKED_ERR_RANGE (a number outside its range, an end before its
 * start), SKED_ERR_VERSION, SKED_ERR_CANCELLED or a code of the host's own;
 * `err->row` names the application. On failure nothing is written.
 * Cost: O(n log n). [MON-5]
 */
SKED_TRY sked_status sked_plan_running(const sked_plan_running_input *in,
                                       const sked_host *host,
                                       int64_t *max_running, sked_error *err);

enum sked_plan_flag {
    SKED_PLAN_FLAG_KEEP_IDLE = 1 /* nothing is removed */
};

/*
 * What a plan is made of; all borrowed for the call. Leaves are those of
 * sked_plan_leaves(), in its order.
 *
 * The plan owns what lies below one queue. A queue there that no job in the
 * window names is removed, unless it was used in the window (`used`), or is
 * busy now (`ledger`), or has such a queue below it.
 */
typedef struct sked_plan_input {
    uint32_t struct_size;
    uint32_t flags;        /* SKED_PLAN_FLAG_KEEP_IDLE, or 0 */
    uint32_t leaves;       /* as many as there are */
    uint32_t reserved;     /* 0 */
    sked_queue_id below;   /* SKED_NO_QUEUE: the root */
    int64_t dead_band_ppm; /* of weights and numbers of applications:
                                   smaller changes are not made. 0: 50,000,
                                   that is 5 %; below 0: none */
    const sked_plan_jobs *jobs;
    const int64_t *allocation;  /* by leaf: instances, 0 to 2^32-1 */
    const int64_t *max_running; /* by leaf: 1 to 2^31-1, or SKED_UNLIMITED;
                                   NULL: left as it is */
    const uint8_t *used;        /* by row of the tree's last commit: 1 keeps
                                   the queue; NULL: none */
    const sked_ledger *ledger;  /* NULL: nothing is busy */
} sked_plan_input;

/* What a plan does to a queue. */
enum sked_plan_op {
    SKED_PLAN_OP_ADD = 1,
    SKED_PLAN_OP_REMOVE = 2, /* with all below it */
    SKED_PLAN_OP_SET = 3
};

/* What it changes, as bits. */
enum sked_plan_changed {
    SKED_PLAN_CHANGED_WEIGHT = 1,
    SKED_PLAN_CHANGED_MAX_RUNNING = 2,
    SKED_PLAN_CHANGED_TIER = 4,
    SKED_PLAN_CHANGED_PREEMPTION = 8
};

/*
 * One queue that a plan changes, with the numbers that explain it. The path is
 * borrowed from the plan. `jobs` and `allocation` are those of the leaf, or of
 * all leaves below; 0 for a queue that is removed. A record that may grow at
 * its end.
 */
typedef struct sked_plan_change {
    uint32_t struct_size;
    int32_t op;          /* SKED_PLAN_OP_ADD, _REMOVE or _SET */
    sked_queue_id queue; /* in the tree in force; SKED_NO_QUEUE: added */
    const char *path;
    uint32_t leaf;    /* SKED_PLAN_NO_LEAF: a parent, or removed */
    uint32_t tier;    /* 0: a parent, or removed */
    uint32_t changed; /* SKED_PLAN_CHANGED_WEIGHT and so on; all for an
                         addition */
    uint32_t jobs;    /* in the window */
    int64_t allocation;
    int64_t weight_before;  /* 0: added */
    int64_t weight_after;   /* 0: removed */
    int64_t running_before; /* SKED_UNLIMITED where no limit is set; 0: added */
    int64_t running_after;  /* 0: removed */
} sked_plan_change;

typedef struct sked_plan sked_plan;

/*
 * Works out what turns the last commit of `tree` into the structure that the
 * jobs ask for. `host` may be NULL and is copied. The caller owns `*plan`,
 * which is NULL on failure; it keeps nothing of what it was made from.
 *
 * Returns SKED_OK, SKED_ERR_ARG (in->leaves is not their number),
 * SKED_ERR_NOMEM, SKED_ERR_RANGE (as sked_plan_leaves(); an allocation or a
 * number of applications outside its range: `err->row` names the leaf; weights
 * that add up to more than 2^32-1: `err->row` names its first leaf; a tree too
 * deep or too large), SKED_ERR_STALE (in->below), SKED_ERR_STATE (the ledger
 * follows other rows; a leaf with queues below that stay; a busy leaf that
 * would get queues below it: `err` names the queue), SKED_ERR_VERSION,
 * SKED_ERR_SCHEMA, SKED_ERR_CANCELLED or a code of the host's own.
 * Cost: O(jobs levels + queues kinds) expected. [MON-6]
 */
SKED_TRY sked_status sked_plan_new(const sked_tree *tree,
                                   const sked_plan_input *in,
                                   const sked_host *host, sked_plan **plan,
                                   sked_error *err);

/* Frees the plan. NULL is allowed. */
SKED_API void sked_plan_free(sked_plan *plan);

/* Queues that it changes; 0: the tree is as the jobs ask for. */
SKED_API size_t sked_plan_count(const sked_plan *plan);

/* Queues of which a change within the dead band was not made. */
SKED_API size_t sked_plan_skipped(const sked_plan *plan);

/*
 * Fills `change` (its struct_size set by the caller) with the i-th change:
 * queues that are planned in the order in which jobs first name them, parents
 * before children, then those that are removed in the order of their rows.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (no i-th change) or
 * SKED_ERR_VERSION.
 */
SKED_TRY sked_status sked_plan_get(const sked_plan *plan, size_t i,
                                   sked_plan_change *change);

/* The same attribute by attribute, to print and to review; borrowed. */
SKED_API const sked_diff *sked_plan_diff(const sked_plan *plan);

/*
 * Applies the plan to the draft of `tree`, all of it or nothing; a commit
 * publishes it. The draft must be as the plan found it where it changes
 * anything, and what it removes idle in `ledger` (may be NULL).
 *
 * Returns what sked_diff_apply() returns.
 */
SKED_TRY sked_status sked_plan_apply(const sked_plan *plan, sked_tree *tree,
                                     const sked_ledger *ledger,
                                     sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
