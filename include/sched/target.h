#ifndef SKED_TARGET_H
#define SKED_TARGET_H

/*
 * Targets of preemption: how much each queue may claim, keeps and gives.
 * [CAP-3] [CAP-5] [CAP-9] [MON-11] [PEL-10] [PEL-11]
 *
 * Every leaf has a *share* of each kind. It follows from all that the leaf
 * wants (what it uses included), so it does not change when a task is preempted
 * and asked for again. Two bounds follow from the share; the first is never
 * above the second:
 *
 *   claim  The leaf may have tasks of others preempted for a task of its own
 *          with which it stays within this bound, in every kind that the task
 *          needs.
 *   keep   What fits within this bound is the leaf's own, and is not preempted
 *          for other queues: where the leaf gives nothing now, at least all
 *          that it uses. SKED_UNLIMITED where it may not be preempted.
 *
 * From the bounds and the usage follow
 *
 *   excess usage above the keep
 *   take   what this round should take from the leaf: `excess`, eased and
 *          within the budget; 0 if the leaf gives nothing
 *   owed   what the leaf wants and has not, up to its claim, once its time-out
 *          has passed
 *   need   over all queues: what of `owed` tasks can use, and what of that is
 *          not free, but no more than `take` adds up to
 *
 * Tasks hold several kinds at once, so demand counts only as far as they could
 * run: with the queue's limit, guarantee + borrow and weight 0 (outside the
 * imbalance dialect: its guarantee, or what is guaranteed below it) in every
 * kind, those of all queues above it, and the capacity. What a leaf wants beyond
 * its usage is one vector here; it is cut in one ratio, that of the kind that
 * runs out first, rounded down. So of alike tasks none that fits is left out,
 * and less than one that does not fit is counted. What is used counts whole.
 * Likewise a leaf needs of what it is owed only what goes with the kind of which
 * it is owed least: nothing, if it is owed nothing of a kind that it wants. With
 * SKED_TARGET_FLAG_BY_KIND each kind counts by itself.
 *
 * What a claim is served with stays within the claimant's keep, and what is
 * taken for it is beyond its owner's keep. So, as long as demand does not
 * change, nothing is taken back and forth. (A draining queue does not want
 * again what it gives, which changes demand.)
 *
 * Three dialects say what the bounds are and when they count. T is the
 * capacity, g the guarantee in force (cut in one ratio where a family's
 * guarantees add up to more than its parent's), u the usage, s the share:
 *
 *   imbalance    s: capacity model with g; of demand counts what is within g or
 *                used, with SKED_TARGET_FLAG_BALANCE all of it, where the leaf
 *                may be preempted. Claims up to s. Gives when u > g (1 +
 *                ignored) in some kind of which it has more than s [CAP-12]
 *   starvation   s: instantaneous fair share, which does not go by demand: it
 *                goes no further than what the leaf wants could grow in its
 *                own ratio (with nothing more wanted, what it uses). Claims up
 *                to min(g, s) once it was below that in some kind for the
 *                queue's min time-out, and up to threshold s, if that is more,
 *                once it was below that for its fair time-out; but only while
 *                some kind is used above `utilisation_ppm` [MON-11]. Gives when
 *                u > s (1 + ignored) in some kind
 *   entitlement  s: entitlement. Claims up to s. Gives when u > s in some kind
 *                for `cycles` rounds in a row, of which this is the last, and
 *                u > s (1 + ignored) in some kind; goes on giving until it no
 *                longer is [PEL-10]
 *
 * In all three a leaf keeps s: one that gives has all taken that is above it,
 * also of kinds in which it is within the dead zone (`ignored`).
 *
 * A caller that has shares of its own (an engine uses those by which it places
 * tasks) hands them in with claims and keeps; then the dialect only says when
 * they count, and dead zones are what the caller has made part of the keeps.
 *
 * A queue with preempt_from=no gives nothing, and neither do queues below it,
 * for requests of their own leaf neither (preempt.h).
 * Where the imbalance dialect computes the shares, the share of such a queue is
 * at least its usage, as far as limits go.
 *
 * Easing: of `excess`, one round takes ceil(excess * factor), which is at least
 * one unit [CAP-13]. Budget: a round takes no more than ceil(T * per_round) of
 * each kind [CAP-11]; where takes add up to more, all are cut in the same
 * ratio.
 */

#include <sched/share.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sked_target sked_target;

enum sked_target_mode {
    SKED_TARGET_MODE_IMBALANCE = 0,  /* as YARN's capacity scheduler, by
                                        rounds */
    SKED_TARGET_MODE_STARVATION = 1, /* as YARN's fair scheduler, by
                                        time-outs */
    SKED_TARGET_MODE_ENTITLEMENT = 2 /* as Peloton, over several rounds */
};

enum sked_target_flag {
    /* Imbalance: queues may claim beyond their guarantee too. */
    SKED_TARGET_FLAG_BALANCE = 1,
    /* What is above the floors goes to siblings in bands of equal priority,
     * highest first (SKED_SHARE_FLAG_BANDS). */
    SKED_TARGET_FLAG_PRIORITY = 2,
    /* Imbalance: in a family where nothing is guaranteed of a kind, each child
     * is guaranteed its weight's part of what its parent is. */
    SKED_TARGET_FLAG_BY_WEIGHT = 4,
    /* Each kind by itself, as other systems do: demand that limits of another
     * kind keep out counts for shares and claims, and all that is owed is
     * needed. Tasks may then be preempted for what cannot start. Without effect
     * where a caller hands in the shares. */
    SKED_TARGET_FLAG_BY_KIND = 8
};

/* How to compute targets. Parts are in ppm; 0 asks for the default. */
typedef struct sked_target_options {
    uint32_t struct_size;
    uint32_t flags;        /* bits of enum sked_target_flag */
    int32_t mode;          /* enum sked_target_mode */
    int32_t scope;         /* enum sked_share_scope; starvation: _KINDS or
                            _ONE_KIND */
    uint32_t kind;         /* for SKED_SHARE_SCOPE_ONE_KIND: only this kind is
                            owed */
    uint32_t cycles;       /* entitlement: rounds in a row in which a queue must
                            be above its keep before it gives; 0: 5 */
    int64_t ignored_ppm;   /* dead zone above the guarantee (above the share,
                            in the other dialects); 0: 10 % with imbalance, else
                            none; -1: none */
    int64_t factor_ppm;    /* up to 1000000; 0: 20 % with imbalance, else
                                all */
    int64_t per_round_ppm; /* up to 1000000; 0: 10 % with imbalance, else no
                            bound; -1: no bound */
    int64_t utilisation_ppm; /* starvation; 0: 80 %; -1: whatever is used */
} sked_target_options;

/* Why a queue gives or does not, and why it may claim or not: bits. */
enum sked_target_reason {
    SKED_TARGET_REASON_OVER = 1,     /* it uses more than its share of some
                                        kind */
    SKED_TARGET_REASON_GIVES = 2,    /* it gives: some of `take` is not 0 */
    SKED_TARGET_REASON_SPARED = 4,   /* over, but may not be preempted */
    SKED_TARGET_REASON_WITHIN = 8,   /* over, but within the dead zone */
    SKED_TARGET_REASON_EARLY = 16,   /* over, but not for enough rounds yet */
    SKED_TARGET_REASON_CUT = 32,     /* it gives less because of the budget */
    SKED_TARGET_REASON_BELOW = 64,   /* it wants more, and has less than its
                                        share of some kind */
    SKED_TARGET_REASON_CLAIMS = 128, /* it may claim: some of `owed` is not 0 */
    SKED_TARGET_REASON_WAITS = 256,  /* below, but its time-outs have not
                                        passed */
    SKED_TARGET_REASON_IDLE = 512 /* below, but not enough of the partition is
                                     used */
};

/* ---- One shot, on plain arrays ---- */

/* A tree, what its queues have and want, and since when they are short; by row,
 * borrowed for the call. */
typedef struct sked_target_once_input {
    uint32_t struct_size;
    uint32_t flags;                    /* 0 */
    sked_time now;                     /* for time-outs */
    const sked_share_input *queues;    /* its `held` is not read */
    const uint8_t *preempt_from;       /* 0: neither this queue nor any below it
                                         is preempted. NULL: all may be */
    const int64_t *min_timeout_ns;     /* ns; SKED_UNLIMITED: never. NULL:
                                         never */
    const int64_t *fair_timeout_ns;    /* likewise */
    const int64_t *fair_threshold_ppm; /* ppm. NULL: 50 % each */
    const sked_time *min_since;        /* of leaves: since when they are below
                                        their guarantee; SKED_UNSET: they are
                                        not. NULL: none is */
    const sked_time *fair_since;       /* likewise, below threshold * share */
    const uint32_t *rounds;            /* for how many rounds in a row before
                                        this one a leaf was above its keep.
                                        NULL: 0 each */
    /* Of leaves, n x kinds: their shares, how far they may claim once time-outs
     * have passed, and what they keep, which is at least the claim and bounds
     * it by the fair time-out, too. All three or none; where they are NULL the
     * dialect computes them. */
    const int64_t *share;
    const int64_t *claim;
    const int64_t *keep;
} sked_target_once_input;

/*
 * Where the answer goes. The columns are the caller's; any may be NULL. Rows of
 * parents have a share, SKED_UNLIMITED as their keep, and 0 in all else.
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
        *first; /* of `excess`, what brings others up to their guarantees; the
                       rest makes shares equal [PEL-11] */
    uint32_t *reasons;    /* n: bits of enum sked_target_reason */
    sked_time *min_since; /* n: for the next round; may be those handed in */
    sked_time *fair_since;
    uint32_t *rounds;
    int64_t *need;   /* one amount a kind */
    int64_t *budget; /* SKED_UNLIMITED: no bound */
    int64_t *free;   /* capacity that is not in use */
    int64_t *claim;  /* n x kinds: how far a leaf may claim now; 0: not at
                        all */
} sked_target_result;

/*
 * The targets of one round. `options` and `host` may be NULL. A leaf's demand
 * counts as at least its usage, and beyond it as far as tasks could run.
 *
 * Returns SKED_OK, SKED_ERR_ARG (`err->row` names a row whose time-out,
 * threshold or parent is none), SKED_ERR_NOMEM, SKED_ERR_RANGE (an amount, or
 * what the queues use together: `err` has row and kind; an option),
 * SKED_ERR_VERSION, SKED_ERR_CANCELLED or a code of the host's own. Cost:
 * O(n * kinds).
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
    const int64_t *total;   /* what the leaf has for them, one amount a kind */
    const uint32_t *weight; /* NULL: 1 each */
    const int64_t *usage;   /* n x kinds, row by row */
    const int64_t *demand;  /* in all; NULL: what they use */
} sked_target_users_input;

/*
 * What each user of a leaf may hold (`share`): the part of the total by weight
 * among the users that use or want something, or weight * limit of the total if
 * that is more, but no more than the total; rounded down. `keep` is the same
 * for users that use more than that of some kind, and SKED_UNLIMITED for
 * others. Both are n x kinds. [CAP-17] [PEL-17]
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (`err` has row and kind) or
 * SKED_ERR_VERSION. Never allocates. Cost: O(n * kinds).
 */
SKED_TRY sked_status
sked_target_share_users(const sked_target_users_input *input, int64_t *share,
                        int64_t *keep, sked_error *err);

/* ---- Over a tree, round by round ---- */

/*
 * Creates targets that remember nothing yet. `host` and `options` may be NULL and
 * are copied. The caller owns `*target`; on failure it is NULL.
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

/* What a round is computed from: all borrowed for the call. */
typedef struct sked_target_input {
    uint32_t struct_size;
    uint32_t partition; /* its number, below SKED_MAX_TARGET_PARTITIONS */
    const sked_tree *tree;
    const int64_t *capacity;   /* of this partition, one amount a kind */
    const sked_ledger *ledger; /* of this partition; must have followed the
                                  tree's last commit. NULL: the columns below */
    const int64_t *usage;      /* leaves', by row of the tree: rows x kinds */
    const int64_t *demand;     /* likewise, in all; NULL: what they use */
    const int64_t *running;    /* applications, one number a row; NULL: 0 */
    const int64_t *share;      /* rows x kinds, as in sked_target_once_input;
                             NULL, */
    const int64_t *claim;      /* all three: by the dialect */
    const int64_t *keep;
} sked_target_input;

enum { SKED_MAX_TARGET_PARTITIONS = 65536 };

/*
 * A round of one partition, by the settings of the tree (preempt_from, the
 * time-outs, the threshold; queue.h). Each partition has clocks of its own:
 * since when a queue is below its guarantee, or below its part of the fair
 * share, and for how many rounds in a row it was above its keep. Clocks belong
 * to the queues' ids in a tree and its copies; a queue of another tree begins
 * anew, whatever its id. They move with `now` alone; a time before the last one
 * counts as the last one. [CAP-18]
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE
 * (partition, capacity), SKED_ERR_STATE (the ledger follows other rows, or the
 * host has no clock for SKED_NOW), SKED_ERR_SCHEMA, SKED_ERR_VERSION,
 * SKED_ERR_CANCELLED or a code of the host's own. On failure the targets of
 * the last round stand. Cost: O(queues * kinds).
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

/* Of the whole partition, one amount a kind. No number is that of a column. */
enum sked_target_total_kind {
    SKED_TARGET_TOTAL_NEED = 17,
    SKED_TARGET_TOTAL_BUDGET = 18, /* SKED_UNLIMITED: no bound */
    SKED_TARGET_TOTAL_FREE = 19
};

/* One of them. As sked_target_view(); `*n` is the number of kinds. */
SKED_API const int64_t *sked_target_total(const sked_target *target,
                                          int32_t total, size_t *n);

/*
 * Reads the clocks of a queue in a partition: since when it is below its
 * guarantee, since when it is below its part of the fair share (SKED_UNSET: it
 * is not), and for how many rounds in a row it was above its keep. Any of the
 * three may be NULL.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_NOT_FOUND (no round of that
 * partition knew that queue). Cost: O(queues).
 */
SKED_TRY sked_status sked_target_clock(const sked_target *target,
                                       uint32_t partition, sked_queue_id queue,
                                       sked_time *min_since,
                                       sked_time *fair_since, uint32_t *rounds);

/* A hash of all clocks, equal on every machine. O(queues partitions). */
SKED_API uint64_t sked_target_digest(const sked_target *target);

/*
 * Verifies what the last round promises: no queue gives and claims of one kind,
 * none claims more than it keeps, what is taken is over the keep and within the
 * budget, reasons say so.
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
