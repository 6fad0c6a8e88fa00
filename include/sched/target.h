#ifndef SKED_TARGET_H
#define SKED_TARGET_H

/*
 * Targets of preemption: how much each queue keeps, gives and is owed.
 * [CAP-3] [CAP-5] [CAP-9] [MON-11] [PEL-10] [PEL-11]
 *
 * Every leaf has a *share* of each kind, what it is entitled to by what it uses
 * and wants in all; so a share does not move when a task is stopped and asked
 * for again. Two bounds follow from it, the claim and the keep; the claim is
 * never above the keep:
 *
 *   claim  it may have others stopped for a task with which it stays within
 *          this in every kind that the task needs
 *   keep   what fits into this is its own: no queue may have that stopped.
 *          SKED_UNLIMITED where nothing may be taken now
 *
 * and against these, by what is used,
 *
 *   excess usage above the keep
 *   take   what is wanted of it in this round: `excess`, eased and within the
 *          budget; 0 if it gives nothing
 *   owed   what it wants and lacks of its claim, once its time has come
 *   need   over all queues: what is owed and not free, no more than `take` adds
 *          up to
 *
 * What a claim is served with is within the claimant's keep, and what it takes
 * is outside of its owner's: so with unchanged demand nothing is taken back and
 * forth. (What a draining queue gives, it does not want again: that changes
 * demand.)
 *
 * Three dialects say what the bounds are and when they count. With T the
 * capacity, g the guarantee in force (cut in one ratio where a family's add up
 * to more than its parent's), u usage, s the share:
 *
 *   imbalance    s: capacity model with g. Claims up to min(g, s), with
 *                SKED_TARGET_FLAG_BALANCE up to s. Keeps s, at least
 *                ceil(g (1 + ignored)) [CAP-12]
 *   starvation   s: instantaneous fair share. Claims up to min(g, s) once it
 *                was below that in some kind for the queue's min time-out, and
 *                up to threshold s, if that is more, once it was below that
 *                for its fair time-out; but only while some kind is used above
 *                `utilisation_ppm` [MON-11]. Keeps s (1 + ignored)
 *   entitlement  s: entitlement. Claims up to s. Keeps s (1 + ignored); gives
 *                when u > keep in some kind for `cycles` rounds in a row, of
 *                which this is the last; goes on giving until it no longer is
 *                [PEL-10]
 *
 * A caller that has shares of its own (an engine has those it places tasks by)
 * hands them in with claims and keeps: then the dialect only says when they
 * count.
 *
 * A queue with preempt_from=no, or below one, gives nothing; where the shares
 * of the imbalance dialect are computed here, its own is then at least what it
 * uses.
 *
 * Easing: of `excess`, ceil(excess * factor) is taken in one round, at least
 * one unit [CAP-13]. Budget: in each kind no more than ceil(T * per_round)
 * [CAP-11]; where takes add up to more, each is cut in one ratio.
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
    SKED_TARGET_FLAG_BY_WEIGHT = 4
};

/* Parts are in ppm; zero asks for the default. */
typedef struct sked_target_options {
    uint32_t struct_size;
    uint32_t flags;        /* SKED_TARGET_FLAG_BALANCE, _PRIORITY, _BY_WEIGHT */
    int32_t mode;          /* SKED_TARGET_MODE_IMBALANCE, ... */
    int32_t scope;         /* starvation: SKED_SHARE_SCOPE_KINDS or _ONE_KIND */
    int32_t kind;          /* for SKED_SHARE_SCOPE_ONE_KIND: only this kind is
                            owed */
    uint32_t cycles;       /* entitlement: rounds over in a row; 0: 5 */
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
    SKED_TARGET_REASON_GIVES = 2,    /* and more than its keep, and gives: some
                                 of `take` is not 0 */
    SKED_TARGET_REASON_SPARED = 4,   /* over, but may not be preempted */
    SKED_TARGET_REASON_WITHIN = 8,   /* over, but within the dead zone */
    SKED_TARGET_REASON_EARLY = 16,   /* over, but not for enough rounds yet */
    SKED_TARGET_REASON_CUT = 32,     /* gives less than eased, for the budget */
    SKED_TARGET_REASON_BELOW = 64,   /* it wants more, and has less than its
                                        claim */
    SKED_TARGET_REASON_CLAIMS = 128, /* and may claim: some of `owed` is not
                                        0 */
    SKED_TARGET_REASON_WAITS = 256,  /* below, but its time-outs have not
                                        passed */
    SKED_TARGET_REASON_IDLE = 512 /* below, but not enough of the partition is
                                     used */
};

/* ---- One shot, on plain arrays ---- */

/* A tree, what it has and wants, how long that has been so; by row. */
typedef struct sked_target_once_input {
    uint32_t struct_size;
    uint32_t flags;                    /* 0 */
    sked_time now;                     /* for time-outs */
    const sked_share_input *queues;    /* its `held` is not read */
    const uint8_t *preempt_from;       /* 0: no, and none below. NULL: yes */
    const int64_t *min_timeout_ns;     /* ns; SKED_UNLIMITED: never. NULL:
                                         never */
    const int64_t *fair_timeout_ns;    /* likewise */
    const int64_t *fair_threshold_ppm; /* ppm. NULL: 50 % each */
    const sked_time *min_since;        /* leaves': below their guarantee since;
                                        SKED_UNSET: not. NULL: none is */
    const sked_time *fair_since;       /* below threshold * share since */
    const uint32_t *rounds;            /* rounds over in a row before this one.
                                        NULL: 0 each */
    const int64_t *share; /* n x kinds, read of leaves: their shares, */
    const int64_t *claim; /* how far they may claim, all time-outs aside, */
    const int64_t *keep;  /* and what they keep, at least the claim. All three
                             or none; none: by the dialect */
} sked_target_once_input;

/*
 * Where to write; what is NULL is not wanted. Rows of parents have a share and
 * else 0, and keep SKED_UNLIMITED.
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
    int64_t *claim;  /* n x kinds: how far it may claim now; 0: not at all */
} sked_target_result;

/*
 * The targets of one round. `opts` and `host` may be NULL. A leaf's demand
 * counts as at least its usage.
 *
 * Returns SKED_OK, SKED_ERR_ARG (`err->row` names a row whose time-out,
 * threshold or parent is none), SKED_ERR_NOMEM, SKED_ERR_RANGE (an amount:
 * `err` has row and kind; an option), SKED_ERR_VERSION, SKED_ERR_CANCELLED or a
 * code of the host's own. Cost: O(n kinds).
 */
SKED_TRY sked_status sked_target_once(const sked_target_once_input *in,
                                      const sked_target_options *opts,
                                      const sked_host *host,
                                      sked_target_result *result,
                                      sked_error *err);

/* The users of one leaf. */
typedef struct sked_target_users_input {
    uint32_t struct_size;
    uint32_t kinds;
    uint32_t n;
    uint32_t reserved;      /* 0 */
    int64_t limit_ppm;      /* SKED_QUEUE_USER_LIMIT, ppm of the leaf */
    const int64_t *total;   /* what the leaf has for them, one amount a kind */
    const uint32_t *weight; /* NULL: 1 each */
    const int64_t *usage;   /* n x kinds, row by row */
    const int64_t *demand;  /* in all; NULL: what they use */
} sked_target_users_input;

/*
 * What each user of a leaf may hold: weight's part of the total among those
 * who use or want something, or weight * limit of it if that is more, but no
 * more than the total; rounded down. `keep` is the same for who uses more than
 * that of some kind, else SKED_UNLIMITED. Each n x kinds. [CAP-17] [PEL-17]
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (`err` has row and kind) or
 * SKED_ERR_VERSION. Never allocates. Cost: O(n kinds).
 */
SKED_TRY sked_status sked_target_share_users(const sked_target_users_input *in,
                                             int64_t *share, int64_t *keep,
                                             sked_error *err);

/* ---- Over a tree, round by round ---- */

/*
 * Creates targets that remember nothing yet. `host` and `opts` may be NULL and
 * are copied. The caller owns `*target`; on failure it is NULL.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE or
 * SKED_ERR_VERSION.
 */
SKED_TRY sked_status sked_target_new(const sked_target_options *opts,
                                     const sked_host *host,
                                     sked_target **target, sked_error *err);

/* Frees the targets. NULL is allowed. */
SKED_API void sked_target_free(sked_target *target);

/*
 * Targets that go on exactly as `target` would, with a host of their own.
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
 * time-outs, the threshold; tree.h). Each partition has clocks of its own:
 * since when a queue is below its guarantee or its part of the fair share, and
 * how many rounds in a row it was over its share. They go with the queues' ids
 * in a tree and its copies; a queue of another tree begins anew, whatever its
 * id. They move with `now` alone; a time before the last one counts as that
 * one. [CAP-18]
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE
 * (partition, capacity), SKED_ERR_STATE (the ledger follows other rows, or the
 * host has no clock for SKED_NOW), SKED_ERR_SCHEMA, SKED_ERR_VERSION,
 * SKED_ERR_CANCELLED or a code of the host's own. On failure the targets of
 * last time stand. Cost: O(queues kinds).
 */
SKED_TRY sked_status sked_target_compute(sked_target *target,
                                         const sked_target_input *in,
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

/* Of the whole partition, one amount a kind. */
enum sked_target_total_kind {
    SKED_TARGET_TOTAL_NEED = 1,
    SKED_TARGET_TOTAL_BUDGET = 2, /* SKED_UNLIMITED: no bound */
    SKED_TARGET_TOTAL_FREE = 3
};

/* One of them. As sked_target_view(); `*n` is the number of kinds. */
SKED_API const int64_t *sked_target_total(const sked_target *target,
                                          int32_t total, size_t *n);

/*
 * How long a queue has stood as it stands, by the clocks of a partition: since
 * when it is below its guarantee, below its part of the fair share (SKED_UNSET:
 * it is not), rounds over in a row. Any of the three may be NULL.
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
