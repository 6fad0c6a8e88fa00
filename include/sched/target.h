#ifndef SKED_TARGET_H
#define SKED_TARGET_H

/*
 * Targets of preemption: how much each queue may claim, keeps and gives.
 * [CAP-3] [CAP-5] [CAP-9] [MON-11] [PEL-10] [PEL-11] The smallest use, a round
 * every few seconds:
 *
 *     sked_target_input in = {.struct_size = sizeof in, .tree = tree,
 *         .capacity = capacity, .ledger = ledger};
 *     sked_target_compute(target, &in, now, &err);
 *     take = sked_target_view(target, SKED_TARGET_COLUMN_TAKE, &n);
 *
 * Every leaf has a *share* of each kind. The share follows from everything that
 * the leaf wants (usage included). The share therefore stays equal when a task
 * is preempted and asked for again. Two bounds follow from the share; the first
 * is never above the second:
 *
 *   claim  The leaf may have tasks of others preempted for a task of its own,
 *          if with the task the leaf stays within this bound, in every kind
 *          that the task needs.
 *   keep   Usage within this bound is not preempted for other queues. If the
 *          leaf gives nothing now, the keep is at least the whole usage.
 *          SKED_UNLIMITED if the leaf may not be preempted.
 *
 * From the bounds and the usage follow
 *
 *   excess usage above the keep
 *   take   the amount to take from the leaf in this round: `excess`, eased
 *          and within the budget; 0 if the leaf gives nothing
 *   owed   what the leaf wants and lacks, up to its claim, once its time-out
 *          has passed
 *   need   over all queues: the part of `owed` that tasks can use and that is
 *          not free, but no more than `take` adds up to
 *
 * DEMAND THAT COUNTS
 * Tasks hold several kinds at once, so demand counts only as far as tasks could
 * run. Bounds in every kind are the queue's limit, guarantee + borrow and
 * weight 0 (outside the imbalance dialect: its guarantee, or the guarantees
 * below), the same of all queues above, and the capacity. The demand of a leaf
 * beyond its usage is one vector here. The vector is cut in one ratio, the
 * ratio of the kind that runs out first, rounded down. With identical tasks,
 * every fitting task counts, and less than one more. Usage counts whole. A leaf
 * likewise needs only the part of `owed` in proportion to the kind of which the
 * leaf is owed least: nothing, if the leaf is owed nothing of a wanted kind.
 * With SKED_TARGET_FLAG_BY_KIND each kind counts by itself.
 *
 * A served claim stays within the claimant's keep, and amounts taken for the
 * claim are beyond their owner's keep. While demand does not change, nothing is
 * taken back and forth. (A draining queue does not want again what the queue
 * gives, which changes demand.)
 *
 * DIALECTS
 * Three dialects define the bounds and when they count. T is the capacity, g
 * the guarantee in force (cut in one ratio if a family's guarantees add up to
 * more than its parent's), u the usage, s the share:
 *
 *   imbalance    s: capacity model with g. Demand counts within g or usage;
 *                with SKED_TARGET_FLAG_BALANCE all demand counts if the leaf
 *                may be preempted. Claims up to s. Gives if u > g (1 +
 *                ignored) in some kind of which the leaf has more than s
 *                [CAP-12]
 *   starvation   s: instantaneous fair share, which does not depend on
 *                demand, but goes no further than the demand could grow in its
 *                own ratio (without further demand: the usage). Claims up to
 *                min(g, s) once below this in some kind for the queue's min
 *                time-out, and up to threshold s, if more, once below this for
 *                the fair time-out; but only while some kind is used above
 *                `utilisation_ppm` [MON-11]. Gives if u > s (1 + ignored) in
 *                some kind
 *   entitlement  s: entitlement. Claims up to s. Gives if u > s in some kind
 *                for `cycles` rounds in a row, this round last, and
 *                u > s (1 + ignored) in some kind; goes on giving while
 *                both are true [PEL-10]
 *
 * In all three a leaf keeps s: a giving leaf loses everything above s, also of
 * kinds within the dead zone (`ignored`).
 *
 * A caller may hand in shares of its own with claims and keeps (an engine uses
 * the shares of placement). The dialect then only decides when they count, and
 * the caller builds dead zones into the keeps.
 *
 * A queue with preempt_from=no gives nothing, queues below the queue included,
 * also for requests of their own leaf (preempt.h). If the imbalance dialect
 * computes the shares, the share of such a queue is at least its usage, as far
 * as limits go.
 *
 * Easing: one round takes ceil(excess * factor) of `excess`, at least one unit
 * [CAP-13]. Budget: a round takes at most ceil(T * per_round) of each kind
 * [CAP-11]; if takes add up to more, all are cut in the same ratio.
 */

#include <sched/share.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sked_target sked_target;

enum sked_target_mode {
    SKED_TARGET_MODE_IMBALANCE = 0,  /* as in YARN's capacity scheduler, by
                                        rounds */
    SKED_TARGET_MODE_STARVATION = 1, /* as in YARN's fair scheduler, by
                                        time-outs */
    SKED_TARGET_MODE_ENTITLEMENT = 2 /* as in Peloton, over several rounds */
};

enum sked_target_flag {
    /* Imbalance: queues may also claim beyond their guarantee. */
    SKED_TARGET_FLAG_BALANCE = 1,
    /* Amounts above the floors go to siblings in bands of equal priority,
     * highest first (SKED_SHARE_FLAG_BANDS). */
    SKED_TARGET_FLAG_PRIORITY = 2,
    /* Imbalance: in a family without a guarantee of a kind, each child is
     * guaranteed its weight's part of the parent's guarantee. */
    SKED_TARGET_FLAG_BY_WEIGHT = 4,
    /* Each kind by itself, as in other systems: demand blocked by limits of
     * another kind counts for shares and claims, and all of `owed` is needed.
     * Tasks may then be preempted for tasks that cannot start. Without effect
     * if a caller hands in the shares. */
    SKED_TARGET_FLAG_BY_KIND = 8
};

/* How to compute targets. Parts are in ppm; 0 asks for the default. */
typedef struct sked_target_options {
    uint32_t struct_size;
    uint32_t flags;        /* bits of enum sked_target_flag */
    int32_t mode;          /* enum sked_target_mode */
    int32_t scope;         /* enum sked_share_scope; starvation: _KINDS or
                              _ONE_KIND */
    uint32_t kind;         /* for SKED_SHARE_SCOPE_ONE_KIND: the only owed
                              kind */
    uint32_t cycles;       /* entitlement: rounds in a row above the keep before
                              a queue gives; 0: 5 */
    int64_t ignored_ppm;   /* dead zone above the guarantee (above the share,
                            in the other dialects); 0: 10 % with imbalance, else
                            none; -1: none */
    int64_t factor_ppm;    /* up to 1000000; 0: 20 % with imbalance, else
                              all */
    int64_t per_round_ppm; /* up to 1000000; 0: 10 % with imbalance, else no
                              bound; -1: no bound */
    int64_t utilisation_ppm; /* starvation; 0: 80 %; -1: at any usage */
} sked_target_options;

/* Why a queue gives or does not, and why a queue may claim or not: bits. */
enum sked_target_reason {
    SKED_TARGET_REASON_OVER = 1,     /* uses more than its share of some kind */
    SKED_TARGET_REASON_GIVES = 2,    /* gives: some of `take` is not 0 */
    SKED_TARGET_REASON_SPARED = 4,   /* over, but may not be preempted */
    SKED_TARGET_REASON_WITHIN = 8,   /* over, but within the dead zone */
    SKED_TARGET_REASON_EARLY = 16,   /* over, but not for enough rounds yet */
    SKED_TARGET_REASON_CUT = 32,     /* gives less because of the budget */
    SKED_TARGET_REASON_BELOW = 64,   /* wants more, and has less than its share
                                        of some kind */
    SKED_TARGET_REASON_CLAIMS = 128, /* may claim: some of `owed` is not 0 */
    SKED_TARGET_REASON_WAITS = 256,  /* below, but its time-outs have not
                                        passed */
    SKED_TARGET_REASON_IDLE = 512 /* below, but not enough of the partition is
                                     used */
};

/* ---- One shot, on plain arrays ---- */

/* A tree, the usage and demand of its queues, and the start of their shortage;
 * by row, borrowed for the call. */
typedef struct sked_target_once_input {
    uint32_t struct_size;
    uint32_t flags;                    /* 0 */
    sked_time now;                     /* for time-outs */
    const sked_share_input *queues;    /* its `held` is not read */
    const uint8_t *preempt_from;       /* 0: neither this queue nor any queue
                                          below is preempted. NULL: all may
                                          be */
    const int64_t *min_timeout_ns;     /* ns; SKED_UNLIMITED: never. NULL:
                                          never */
    const int64_t *fair_timeout_ns;    /* likewise */
    const int64_t *fair_threshold_ppm; /* ppm. NULL: 50 % each */
    const sked_time *min_since;        /* of leaves: start of the time below the
                                          guarantee; SKED_UNSET: not below.
                                          NULL: none is */
    const sked_time *fair_since;       /* likewise, below threshold * share */
    const uint32_t *rounds;            /* rounds in a row before this round with
                                          a leaf above its keep. NULL: 0 each */
    /* Of leaves, n x kinds: shares; claims once time-outs have passed; keeps,
     * at least the claim. The keep also bounds the claim by the fair time-out.
     * All three or none; if NULL, the dialect computes them. */
    const int64_t *share;
    const int64_t *claim;
    const int64_t *keep;
} sked_target_once_input;

/*
 * The result. The columns are the caller's; any may be NULL. Rows of parents
 * have a share, SKED_UNLIMITED as their keep, and 0 in all other columns.
 */
typedef struct sked_target_result {
    uint32_t struct_size;
    uint32_t reserved; /* 0 */
    int64_t *share;    /* n x kinds, row by row */
    int64_t *excess;
    int64_t *keep;
    int64_t *take;
    int64_t *owed;
    int64_t
        *first; /* part of `excess` that brings others up to their guarantees;
                   the rest makes shares equal [PEL-11] */
    uint32_t *reasons;    /* n: bits of enum sked_target_reason */
    sked_time *min_since; /* n: for the next round; may be the input's column */
    sked_time *fair_since;
    uint32_t *rounds;
    int64_t *need;   /* one amount a kind */
    int64_t *budget; /* SKED_UNLIMITED: no bound */
    int64_t *free;   /* capacity that is not in use */
    int64_t *claim;  /* n x kinds: the leaf's claim now; 0: none */
} sked_target_result;

/*
 * Computes the targets of one round. `options` and `host` may be NULL. A leaf's
 * demand counts as at least its usage, and beyond the usage as far as tasks
 * could run.
 *
 * Returns SKED_OK, SKED_ERR_ARG (`err->row` names a row with an invalid
 * time-out, threshold or parent), SKED_ERR_NOMEM, SKED_ERR_RANGE (an amount, or
 * the total usage of the queues: `err` has row and kind; an option),
 * SKED_ERR_VERSION, SKED_ERR_CANCELLED or a code of the host's own. Cost: O(n *
 * kinds).
 */
SKED_TRY sked_status sked_target_once(const sked_target_once_input *input,
                                      const sked_target_options *options,
                                      const sked_host *host,
                                      sked_target_result *result,
                                      sked_error *err);

/* The users of one leaf. */
typedef struct sked_target_users_input {
    uint32_t struct_size;
    uint32_t kinds;
    uint64_t n;
    int64_t limit_ppm;      /* SKED_QUEUE_USER_LIMIT, ppm of the leaf */
    const int64_t *total;   /* the leaf's amount for them, one amount a kind */
    const uint32_t *weight; /* NULL: 1 each */
    const int64_t *usage;   /* n x kinds, row by row */
    const int64_t *demand;  /* in all; NULL: their usage */
} sked_target_users_input;

/*
 * Computes the amounts that each user of a leaf may hold (`share`): the part of
 * the total by weight among the users with usage or demand, or weight * limit
 * of the total if larger, at most the total; rounded down. `keep` is equal to
 * `share` for users above their share of some kind, and SKED_UNLIMITED for
 * other users. Both are n x kinds. [CAP-17] [PEL-17]
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (`err` has row and kind) or
 * SKED_ERR_VERSION. Never allocates. Cost: O(n * kinds).
 */
SKED_TRY sked_status
sked_target_share_users(const sked_target_users_input *input, int64_t *share,
                        int64_t *keep, sked_error *err);

/* ---- Over a tree, round by round ---- */

/*
 * Creates targets without any memory of rounds. `host` and `options` may be
 * NULL and are copied. The caller owns `*target`; on failure `*target` is NULL.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE or
 * SKED_ERR_VERSION.
 */
SKED_TRY sked_status sked_target_new(const sked_target_options *options,
                                     const sked_host *host,
                                     sked_target **target, sked_error *err);

/* Frees the targets. NULL is allowed. */
SKED_API void sked_target_free(sked_target *target);

/*
 * Makes a copy that goes on exactly as `target` would, with a host of its own.
 * The caller owns `*copy`.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM or SKED_ERR_VERSION.
 */
SKED_TRY sked_status sked_target_copy(const sked_target *target,
                                      const sked_host *host, sked_target **copy,
                                      sked_error *err);

/* The input of a round: all borrowed for the call. */
typedef struct sked_target_input {
    uint32_t struct_size;
    uint32_t partition; /* its number, below SKED_MAX_TARGET_PARTITIONS */
    const sked_tree *tree;
    const int64_t *capacity;   /* of this partition, one amount a kind */
    const sked_ledger *ledger; /* of this partition; has followed the tree's
                                  last commit. NULL: the columns below */
    const int64_t *usage;      /* leaves', by row of the tree: rows x kinds */
    const int64_t *demand;     /* likewise, in all; NULL: the usage */
    const int64_t *running;    /* applications, one number a row; NULL: 0 */
    const int64_t *share;      /* rows x kinds, as in sked_target_once_input;
                                  NULL, */
    const int64_t *claim;      /* all three: by the dialect */
    const int64_t *keep;
} sked_target_input;

enum { SKED_MAX_TARGET_PARTITIONS = 65536 };

/*
 * Computes a round of one partition, by the settings of the tree (preempt_from,
 * the time-outs, the threshold; queue.h). Each partition has its own clocks:
 * the start of a queue's time below its guarantee, the start of its time below
 * its part of the fair share, and the rounds in a row above its keep. Clocks
 * belong to the queues' ids in a tree and its copies; a queue of another tree
 * begins anew, whatever its id. Clocks move with `now` alone; a time before the
 * last time counts as the last time. [CAP-18]
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE (partition,
 * capacity), SKED_ERR_STATE (the ledger follows other rows, or the host has no
 * clock for SKED_NOW), SKED_ERR_SCHEMA, SKED_ERR_VERSION, SKED_ERR_CANCELLED or
 * a code of the host's own. On failure the targets of the last round stand.
 * Cost: O(queues * kinds).
 */
SKED_TRY sked_status sked_target_compute(sked_target *target,
                                         const sked_target_input *input,
                                         sked_time now, sked_error *err);

/* The columns. */
enum sked_target_column {
    SKED_TARGET_COLUMN_SHARE = 1,
    SKED_TARGET_COLUMN_EXCESS = 2,
    SKED_TARGET_COLUMN_KEEP = 3,
    SKED_TARGET_COLUMN_TAKE = 4,
    SKED_TARGET_COLUMN_OWED = 5,
    SKED_TARGET_COLUMN_FIRST = 6,
    SKED_TARGET_COLUMN_CLAIM = 7
};

/*
 * A column of the last round, rows of the tree x kinds, row by row; borrowed
 * until the next call that is not const. `*n` (may be NULL) is the number of
 * rows. NULL: no such column, or no round yet.
 */
SKED_API const int64_t *sked_target_view(const sked_target *target,
                                         int32_t column, size_t *n);

/* Bits of enum sked_target_reason, by row. As
 * sked_target_view(). */
SKED_API const uint32_t *sked_target_reasons(const sked_target *target,
                                             size_t *n);

/* Totals of the whole partition, one amount a kind. No number is a column's
 * number. */
enum sked_target_total_kind {
    SKED_TARGET_TOTAL_NEED = 17,
    SKED_TARGET_TOTAL_BUDGET = 18, /* SKED_UNLIMITED: no bound */
    SKED_TARGET_TOTAL_FREE = 19
};

/* Reads a total. As sked_target_view(); `*n` is the number of kinds. */
SKED_API const int64_t *sked_target_total(const sked_target *target,
                                          int32_t total, size_t *n);

/*
 * Reads the clocks of a queue in a partition: start of the time below its
 * guarantee, start of the time below its part of the fair share (SKED_UNSET:
 * not below), and rounds in a row above its keep. Any of the three may be NULL.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_NOT_FOUND (no round of the
 * partition knew the queue). Cost: O(queues).
 */
SKED_TRY sked_status sked_target_clock(const sked_target *target,
                                       uint32_t partition, sked_queue_id queue,
                                       sked_time *min_since,
                                       sked_time *fair_since, uint32_t *rounds);

/* A hash of all clocks, equal on every machine. O(queues partitions). */
SKED_API uint64_t sked_target_digest(const sked_target *target);

/*
 * Verifies the promises of the last round: no queue gives and claims of one
 * kind, no claim exceeds its keep, takes are above the keep and within the
 * budget, reasons agree.
 *
 * Returns SKED_OK, SKED_ERR_ARG, or SKED_ERR_INTERNAL with the queue's row, the
 * kind and the broken promise in `err`. Cost: O(queues kinds).
 */
SKED_TRY sked_status sked_target_check(const sked_target *target,
                                       sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
