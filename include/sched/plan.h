#ifndef SKED_PLAN_H
#define SKED_PLAN_H

/*
 * Plans a tree of queues from past jobs: which queues they need, as a diff
 * against the tree in force. [MON-6]
 *
 *     sked_plan_leaves(...);   which jobs belong to which leaf
 *     ...                      what each leaf needs: <sched/history.h>,
 *                              <sched/tiers.h>, sked_plan_running()
 *     sked_plan_new(...);      what to add, remove, re-weight, and why
 *     sked_plan_apply(...);    into the draft, all of it or nothing
 *
 * Every job has a text for each field (its organisation and its project, say)
 * and a tier. The levels of the planned tree are a list of fields and the tier,
 * by default the fields in their order and then the tier:
 * root.<org>.<project>.<tier>.
 *
 * The weight of a leaf is the number of instances that it is allocated, at
 * least 1; the weight of a parent is the sum of its children's. So when the
 * root has as much as all leaves are allocated, each leaf's fair share is its
 * allocation. [MON-10]
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
 * The name and the settings of a tier's leaves. The last three may be
 * SKED_UNSET: the tree's own setting stays. Frozen layout.
 */
typedef struct sked_plan_tier {
    const char *name;
    int64_t preempt_from;               /* 1: others may preempt here; 0: not */
    int64_t preempt_fair_timeout_ns;    /* ns, or SKED_UNLIMITED */
    int64_t preempt_fair_threshold_ppm; /* ppm */
} sked_plan_tier;

/*
 * Writes the default settings for `tiers` tiers, which the caller may change.
 * The first tier is not preempted, and has the shortest time-out and the lowest
 * threshold: 60 s and 30 %; the second has 5 min and 50 %, the third 15 min and
 * 80 %, and each further tier 15 min and 1 % more. Their names are tier1,
 * tier2, and so on, and that of the last one is `default`; names are valid as
 * long as the library is loaded.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE (not 1 to SKED_MAX_TIERS).
 * Never allocates. [MON-6] [MON-11]
 */
SKED_TRY sked_status sked_plan_tiers(size_t tiers, sked_plan_tier *settings,
                                     sked_error *err);

/*
 * Jobs as columns, borrowed for the call. The texts of a field stand one after
 * the other in `text`: that of job i is bytes offset[i] to offset[i + 1] - 1,
 * in UTF-8, without NUL and not empty. Where `from` and `to` are both 0 every
 * job counts; else jobs count that ran during a part of the window [from, to),
 * or that started in it and took no time.
 */
typedef struct sked_plan_jobs {
    uint32_t struct_size;
    uint32_t flags;                /* 0 */
    uint64_t n;                    /* below 2^31 */
    uint64_t fields;               /* 0 to 32 */
    uint64_t levels;               /* 1 to 32; 0: the fields, then the tier */
    uint64_t tiers;                /* up to SKED_MAX_TIERS; 0: 3 */
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
 * Finds the leaf of each job. Leaves are numbered in the order in which they
 * first occur: job first[j] is the first job of leaf j, and tier[j] is the most
 * important tier of its jobs. `leaf` has an entry for each job, `first` and
 * `tier` have `cap` entries, and each of the three may be NULL; `*n` is always
 * how many leaves there are. `host` may be NULL; it provides the memory to work
 * in.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE (a number
 * outside its range, an empty text, one with a NUL: `err->row` names the job;
 * too many queues; `cap` too small: nothing is written but `*n`),
 * SKED_ERR_VERSION, SKED_ERR_CANCELLED or a code of the host's own. On other
 * failures nothing is written. Cost: O(n * levels) expected. [MON-6]
 */
SKED_TRY sked_status sked_plan_leaves(const sked_plan_jobs *jobs,
                                      const sked_host *host, uint32_t *leaf,
                                      uint32_t *first, uint8_t *tier,
                                      size_t cap, size_t *n, sked_error *err);

/*
 * Applications of queues, to find how many run at once; borrowed for the call.
 * Columns have a row for each application. `queue` is a number below `queues`;
 * applications with SKED_PLAN_NO_LEAF do not count. Where `from` and `to` are
 * both 0 the window is all of time.
 */
typedef struct sked_plan_running_input {
    uint32_t struct_size;
    uint32_t flags;         /* 0 */
    uint64_t queues;        /* up to SKED_MAX_QUEUES - 1 */
    uint64_t n;             /* below 2^31 */
    const uint32_t *queue;  /* NULL: queue 0's, all of them */
    const sked_time *start; /* between -2^62 and 2^62, both excluded */
    const sked_time *end;   /* likewise */
    sked_time from;
    sked_time to;
    int64_t part_ppm;      /* the part of the time in which any runs that is to
                              be covered; 0: all of it */
    int64_t head_room_ppm; /* the factor for growth, up to 10^9; 0: 1,250,000 */
} sked_plan_running_input;

/*
 * How many applications each queue should be allowed to run at once: the number
 * that covers `part_ppm` of the time in which any ran, times `head_room_ppm`,
 * rounded up, from 1 to 2^31-1. `host` may be NULL; it provides the memory to
 * work in.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_NOT_FOUND (no such
 * queue), SKED_ERR_RANGE (a number outside its range, an end before its
 * start), SKED_ERR_VERSION, SKED_ERR_CANCELLED or a code of the host's own;
 * `err->row` names the application. On failure nothing is written.
 * Cost: O(n log n). [MON-5]
 */
SKED_TRY sked_status sked_plan_running(const sked_plan_running_input *input,
                                       const sked_host *host,
                                       int64_t *max_running, sked_error *err);

enum sked_plan_flag {
    SKED_PLAN_FLAG_KEEP_IDLE = 1 /* nothing is removed */
};

/*
 * What a plan is made of; all borrowed for the call. Leaves are those of
 * sked_plan_leaves(), in its order.
 *
 * The plan changes only queues below one queue (`below`). A queue there that no
 * job in the window has as its leaf or a parent of it is removed, unless it was
 * used in the window (`used`), is busy now (`ledger`), or has such a queue
 * below it.
 */
typedef struct sked_plan_input {
    uint32_t struct_size;
    uint32_t flags;        /* bits of enum sked_plan_flag */
    uint64_t leaves;       /* the number of sked_plan_leaves() */
    sked_queue_id below;   /* SKED_NO_QUEUE: the root */
    int64_t dead_band_ppm; /* changes of weights and of numbers of applications
                                   that are smaller are not made. 0: 50,000,
                                   that is 5 %; below 0: all are made */
    const sked_plan_jobs *jobs;
    const int64_t *allocation;  /* by leaf: instances, 0 to 2^32-1 */
    const int64_t *max_running; /* by leaf: 1 to 2^31-1, or SKED_UNLIMITED;
                                   NULL: left as it is */
    const uint8_t *used;        /* by row of the tree's last commit: 1 keeps
                                   the queue; NULL: none */
    const sked_ledger *ledger;  /* NULL: nothing is busy */
} sked_plan_input;

/* What a plan does to a queue, by the numbers of enum sked_diff_op. */
enum sked_plan_op {
    SKED_PLAN_OP_ADD = 1,
    SKED_PLAN_OP_REMOVE = 2, /* with all below it */
    SKED_PLAN_OP_SET = 4
};

/* Which settings of a queue a plan changes, as bits. */
enum sked_plan_changed {
    SKED_PLAN_CHANGED_WEIGHT = 1,
    SKED_PLAN_CHANGED_MAX_RUNNING = 2,
    SKED_PLAN_CHANGED_TIER = 4,
    SKED_PLAN_CHANGED_PREEMPTION = 8
};

/*
 * One queue that a plan changes, with the numbers that explain it. The path is
 * borrowed from the plan. `jobs` and `allocation` are those of the leaf, or of
 * all leaves below; 0 for a queue that is removed. The record may grow at its
 * end.
 */
typedef struct sked_plan_change {
    uint32_t struct_size;
    int32_t op;          /* enum sked_plan_op */
    sked_queue_id queue; /* in the tree in force; SKED_NO_QUEUE: added */
    const char *path;
    uint32_t leaf;    /* SKED_PLAN_NO_LEAF: a parent, or removed */
    uint32_t tier;    /* 0: a parent, or removed */
    uint32_t changed; /* bits of enum sked_plan_changed; all for an addition */
    uint32_t jobs;    /* in the window */
    int64_t allocation;
    int64_t weight_before;  /* 0: added */
    int64_t weight_after;   /* 0: removed */
    int64_t running_before; /* SKED_UNLIMITED where no limit is set; 0: added */
    int64_t running_after;  /* 0: removed */
} sked_plan_change;

typedef struct sked_plan sked_plan;

/*
 * Computes the changes that turn the last commit of `tree` into the tree that
 * the jobs need. `host` may be NULL and is copied. The caller owns `*plan`,
 * which is NULL on failure; it refers to nothing that it was made from.
 *
 * Returns SKED_OK, SKED_ERR_ARG (input->leaves is not their number),
 * SKED_ERR_NOMEM, SKED_ERR_RANGE (as sked_plan_leaves(); an allocation or a
 * number of applications outside its range: `err->row` names the leaf; weights
 * that add up to more than 2^32-1: `err->row` names its first leaf; a tree too
 * deep or too large), SKED_ERR_STALE (input->below), SKED_ERR_STATE (the ledger
 * follows other rows; a leaf with queues below that stay; a busy leaf that
 * would get queues below it: `err` names the queue), SKED_ERR_VERSION,
 * SKED_ERR_SCHEMA, SKED_ERR_CANCELLED or a code of the host's own.
 * Cost: O(jobs * levels + queues * kinds) expected. [MON-6]
 */
SKED_TRY sked_status sked_plan_new(const sked_tree *tree,
                                   const sked_plan_input *input,
                                   const sked_host *host, sked_plan **plan,
                                   sked_error *err);

/* Frees the plan. NULL is allowed. */
SKED_API void sked_plan_free(sked_plan *plan);

/* How many queues the plan changes; 0: the tree is as the jobs need it. */
SKED_API size_t sked_plan_count(const sked_plan *plan);

/* How many queues have a change within the dead band, which is not made. */
SKED_API size_t sked_plan_skipped(const sked_plan *plan);

/*
 * Fills `change` (its struct_size set by the caller) with the i-th change:
 * first queues that are added or set, in the order in which they first occur
 * among the jobs, parents before children; then queues that are removed, in the
 * order of their rows.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (no i-th change) or
 * SKED_ERR_VERSION.
 */
SKED_TRY sked_status sked_plan_get(const sked_plan *plan, size_t i,
                                   sked_plan_change *change);

/* The plan as a diff, attribute by attribute, to print and to review; borrowed
 * from the plan. */
SKED_API const sked_diff *sked_plan_diff(const sked_plan *plan);

/*
 * Applies the plan to the draft of `tree`, all of it or nothing; a commit
 * publishes it. What the plan changes must be in the draft as the plan found
 * it, and what it removes must be idle in `ledger` (may be NULL).
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
