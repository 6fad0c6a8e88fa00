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
 * Every job has a text for each field (for example its organisation and its
 * project) and a tier. The levels of the planned tree are a list of fields and
 * the tier. The default is the fields in their order, then the tier:
 * root.<org>.<project>.<tier>.
 *
 * The weight of a leaf is its allocation in instances, at least 1. The weight
 * of a parent is the sum of its children's weights. If the root has as much as
 * all leaves are allocated, each leaf's fair share is therefore its allocation.
 * [MON-10]
 */

#include <sched/diff.h>
#include <sched/ledger.h>
#include <sched/slo.h>

#ifdef __cplusplus
extern "C" {
#endif

enum sked_plan_level {
    SKED_PLAN_LEVEL_TIER = -1 /* a level of tiers, not of a field */
};

/* No leaf: the job is outside the window, or the queue is a parent. */
#define SKED_PLAN_NO_LEAF UINT32_MAX

/*
 * The name and the settings of a tier's leaves. With SKED_UNSET, each of the
 * last three keeps the tree's own setting. Frozen layout.
 */
typedef struct sked_plan_tier {
    const char *name;
    int64_t preempt_from;               /* 1: others may preempt here; 0: not */
    int64_t preempt_fair_timeout_ns;    /* ns, or SKED_UNLIMITED */
    int64_t preempt_fair_threshold_ppm; /* ppm */
} sked_plan_tier;

/*
 * Writes the default settings for `tiers` tiers; the caller may change the
 * settings. The first tier is not preempted, and has the shortest time-out and
 * the lowest threshold: 60 s and 30 %. The second tier has 5 min and 50 %, the
 * third 15 min and 80 %, and each further tier 15 min and 1 % more. The names
 * are tier1, tier2, and so on; the last name is `default`. Names are valid
 * while the library is loaded.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE (not 1 to SKED_MAX_TIERS).
 * Never allocates. [MON-6] [MON-11]
 */
SKED_TRY sked_status sked_plan_tiers(size_t tiers, sked_plan_tier *settings,
                                     sked_error *err);

/*
 * Jobs as columns, borrowed for the call. The texts of a field stand one after
 * the other in `text`: the text of job i is bytes offset[i] to offset[i + 1] -
 * 1, in UTF-8, without NUL and not empty. If `from` and `to` are both 0, every
 * job counts. Otherwise a job counts if the job ran during a part of the window
 * [from, to), or started in the window and took no time.
 */
typedef struct sked_plan_jobs {
    uint32_t struct_size;
    uint32_t flags;                /* 0 */
    uint64_t n;                    /* below 2^31 */
    uint64_t fields;               /* 0 to 32 */
    uint64_t levels;               /* 1 to 32; 0: the fields, then the tier */
    uint64_t tiers;                /* up to SKED_MAX_TIERS; 0: 3 */
    const char *const *text;       /* by field */
    const int32_t *const *offset;  /* by field: n + 1 offsets, rising */
    const int32_t *level;          /* by level: a field, or
                                      SKED_PLAN_LEVEL_TIER */
    const uint8_t *tier;           /* by job, from 1; NULL: the last tier */
    const sked_plan_tier *setting; /* by tier; NULL: sked_plan_tiers() */
    const sked_time *start;        /* by job; read if the window is set */
    const sked_time *end;
    sked_time from;
    sked_time to;
} sked_plan_jobs;

/*
 * Finds the leaf of each job. Leaves are numbered in the order of their first
 * jobs: job first[j] is the first job of leaf j, and tier[j] is the most
 * important tier of its jobs. `leaf` has an entry for each job, `first` and
 * `tier` have `cap` entries, and each of the three may be NULL; `*n` is always
 * the number of leaves. `host` may be NULL and provides the working memory.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE (a number
 * outside its range, an empty text, a text with a NUL: `err->row` names the
 * job; too many queues; `cap` too small: only `*n` is written),
 * SKED_ERR_VERSION, SKED_ERR_CANCELLED or a code of the host's own. On other
 * failures nothing is written. Cost: O(n * levels) expected. [MON-6]
 */
SKED_TRY sked_status sked_plan_leaves(const sked_plan_jobs *jobs,
                                      const sked_host *host, uint32_t *leaf,
                                      uint32_t *first, uint8_t *tier,
                                      size_t cap, size_t *n, sked_error *err);

/*
 * Applications of queues, for the number that runs at once; borrowed for the
 * call. Columns have a row for each application. `queue` is a number below
 * `queues`; applications with SKED_PLAN_NO_LEAF do not count. If `from` and
 * `to` are both 0, the window is all of time.
 */
typedef struct sked_plan_running_input {
    uint32_t struct_size;
    uint32_t flags;         /* 0 */
    uint64_t queues;        /* up to SKED_MAX_QUEUES - 1 */
    uint64_t n;             /* below 2^31 */
    const uint32_t *queue;  /* NULL: all belong to queue 0 */
    const sked_time *start; /* between -2^62 and 2^62, both excluded */
    const sked_time *end;   /* likewise */
    sked_time from;
    sked_time to;
    int64_t part_ppm;      /* the part of the time with a running application
                              that is covered; 0: all of the time */
    int64_t head_room_ppm; /* the factor for growth, up to 10^9; 0: 1,250,000 */
} sked_plan_running_input;

/*
 * Finds how many applications each queue should run at once: the number that
 * covers `part_ppm` of the time with a running application, times
 * `head_room_ppm`, rounded up, from 1 to 2^31-1. `host` may be NULL and
 * provides the working memory.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_NOT_FOUND (no such
 * queue), SKED_ERR_RANGE (a number outside its range, an end before its start),
 * SKED_ERR_VERSION, SKED_ERR_CANCELLED or a code of the host's own; `err->row`
 * names the application. On failure nothing is written. Cost: O(n log n).
 * [MON-5]
 */
SKED_TRY sked_status sked_plan_running(const sked_plan_running_input *input,
                                       const sked_host *host,
                                       int64_t *max_running, sked_error *err);

enum sked_plan_flag {
    SKED_PLAN_FLAG_KEEP_IDLE = 1 /* nothing is removed */
};

/*
 * The input of a plan; all borrowed for the call. Leaves are the leaves of
 * sked_plan_leaves(), in the same order.
 *
 * The plan changes only queues below one queue (`below`). The plan removes a
 * queue there if no job in the window has the queue as its leaf or as a parent
 * of its leaf. A queue stays if it was used in the window (`used`), is busy now
 * (`ledger`), or has such a queue below.
 */
typedef struct sked_plan_input {
    uint32_t struct_size;
    uint32_t flags;        /* bits of enum sked_plan_flag */
    uint64_t leaves;       /* the number of sked_plan_leaves() */
    sked_queue_id below;   /* SKED_NO_QUEUE: the root */
    int64_t dead_band_ppm; /* smaller changes of weights and of numbers of
                              applications are not made. 0: 50,000, which is 5
                              %; below 0: all are made */
    const sked_plan_jobs *jobs;
    const int64_t *allocation;  /* by leaf: instances, 0 to 2^32-1 */
    const int64_t *max_running; /* by leaf: 1 to 2^31-1, or SKED_UNLIMITED;
                                   NULL: unchanged */
    const uint8_t *used;        /* by row of the tree's last commit: 1 keeps
                                   the queue; NULL: none */
    const sked_ledger *ledger;  /* NULL: nothing is busy */
} sked_plan_input;

/* The effect of a plan on a queue, by the numbers of enum sked_diff_op. */
enum sked_plan_op {
    SKED_PLAN_OP_ADD = 1,
    SKED_PLAN_OP_REMOVE = 2, /* with all queues below */
    SKED_PLAN_OP_SET = 4
};

/* The settings of a queue that a plan changes, as bits. */
enum sked_plan_changed {
    SKED_PLAN_CHANGED_WEIGHT = 1,
    SKED_PLAN_CHANGED_MAX_RUNNING = 2,
    SKED_PLAN_CHANGED_TIER = 4,
    SKED_PLAN_CHANGED_PREEMPTION = 8
};

/*
 * One queue that a plan changes, with the numbers that explain the change. The
 * path is borrowed from the plan. `jobs` and `allocation` belong to the leaf,
 * or to all leaves below; 0 for a removed queue. The record may grow at its
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
 * the jobs need. `host` may be NULL and is copied. The caller owns `*plan`; on
 * failure `*plan` is NULL. The plan keeps no reference to its inputs.
 *
 * Returns SKED_OK, SKED_ERR_ARG (input->leaves is not their number),
 * SKED_ERR_NOMEM, SKED_ERR_RANGE (as sked_plan_leaves(); an allocation or a
 * number of applications outside its range: `err->row` names the leaf; weights
 * that add up to more than 2^32-1: `err->row` names the first leaf; a tree too
 * deep or too large), SKED_ERR_STALE (input->below), SKED_ERR_STATE (the ledger
 * follows other rows; a leaf with queues below that stay; a busy leaf that
 * would get queues below: `err` names the queue), SKED_ERR_VERSION,
 * SKED_ERR_SCHEMA, SKED_ERR_CANCELLED or a code of the host's own. Cost: O(jobs
 * * levels + queues * kinds) expected. [MON-6]
 */
SKED_TRY sked_status sked_plan_new(const sked_tree *tree,
                                   const sked_plan_input *input,
                                   const sked_host *host, sked_plan **plan,
                                   sked_error *err);

/* Frees the plan. NULL is allowed. */
SKED_API void sked_plan_free(sked_plan *plan);

/* The number of queues that the plan changes; 0: the tree already fits the
 * jobs. */
SKED_API size_t sked_plan_count(const sked_plan *plan);

/* The number of queues with a change within the dead band, which is not made.
 */
SKED_API size_t sked_plan_skipped(const sked_plan *plan);

/*
 * Fills `change` (its struct_size set by the caller) with the i-th change:
 * first added and set queues, in the order of their first jobs, parents before
 * children; then removed queues, in the order of their rows.
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
 * publishes the result. Changed queues must be in the draft as the plan found
 * them, and removed queues must be idle in `ledger` (may be NULL).
 *
 * Returns as sked_diff_apply().
 */
SKED_TRY sked_status sked_plan_apply(const sked_plan *plan, sked_tree *tree,
                                     const sked_ledger *ledger,
                                     sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
