#ifndef SKED_ROUND_H
#define SKED_ROUND_H

/*
 * Rounds of preemption: which tasks are put under notice, which get a kill
 * order, and which notices are withdrawn. [CAP-6] [CAP-7] [CAP-8] [CAP-10]
 * [CAP-14] [PEL-15]
 *
 * A host selects victims as often as it likes (with preempt.h, or in its own
 * way) and hands each selection in. Tasks that are wanted for the first time
 * are marked: their application is to be given notice, with a deadline. While
 * the mark stands, the application may end these tasks, save their work, or end
 * others of its own: what it frees shows in the next selection, which then
 * wants less. Tasks that are marked and no longer wanted may stay: their mark
 * is withdrawn. Tasks that are still wanted at their deadline get a kill order.
 * So every kill order comes from a selection that was made at that time; and a
 * mark that is wanted again keeps its deadline.
 *
 * Lazy rounds (SKED_ROUND_FLAG_LAZY) kill no task at its deadline: what is
 * still wanted then is *offered*. It runs on until another task really takes
 * its place, which the host says by sked_round_claim(), or until it is no
 * longer wanted, and its mark is withdrawn like any other. So no task is killed
 * for one that cannot start, or for resources that came free in another way.
 *
 * Time is the host's and moves only with the calls below. Tasks are named by
 * the host's keys; a key may stand for several alike tasks, of which a
 * selection wants some number.
 */

#include <sched/host.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sked_round sked_round;

enum sked_round_flag {
    /* Only reports which tasks would get notice; none is killed. [CAP-14] */
    SKED_ROUND_FLAG_OBSERVE = 1,
    /* Kills tasks not at their deadline but when their place is taken. */
    SKED_ROUND_FLAG_LAZY = 2
};

typedef struct sked_round_options {
    uint32_t struct_size;
    uint32_t flags; /* bits of enum sked_round_flag */
    uint32_t kinds; /* resource kinds, 1 to SKED_MAX_KINDS; 0: 1 */
    uint32_t reserved;
    int64_t grace_ns; /* ns from a notice to its deadline; 0: 15 s; -1: tasks
                         are killed without notice */
} sked_round_options;

/*
 * Creates rounds without marks. `host` and `options` may be NULL and are copied.
 * The caller owns `*round`; on failure it is NULL.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE or
 * SKED_ERR_VERSION.
 */
SKED_TRY sked_status sked_round_new(const sked_round_options *options,
                                    const sked_host *host, sked_round **round,
                                    sked_error *err);

/* Frees the rounds. NULL is allowed. */
SKED_API void sked_round_free(sked_round *round);

/*
 * Makes a copy that goes on exactly as `round` would, with a host of its own.
 * The caller owns `*copy`.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM or SKED_ERR_VERSION.
 */
SKED_TRY sked_status sked_round_copy(const sked_round *round,
                                     const sked_host *host, sked_round **copy,
                                     sked_error *err);

/*
 * Reserves memory, so that the calls below do not allocate as long as a
 * selection has at most `marks` rows, at most `marks` marks stand, and all
 * actions were taken.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM or SKED_ERR_RANGE.
 */
SKED_TRY sked_status sked_round_reserve(sked_round *round, size_t marks,
                                        sked_error *err);

/* A selection: all tasks that are wanted now, one key a row. Borrowed for the
 * call. */
typedef struct sked_round_input {
    uint32_t struct_size;
    uint32_t flags;                 /* 0 */
    uint64_t n;                     /* rows; below 2^31 */
    const uint64_t *key;            /* of the tasks, each once, none 0 */
    const uint32_t *count;          /* alike tasks; NULL: 1 each */
    const uint64_t *job;            /* NULL: 0 each */
    const int64_t *amount;          /* of one task, n x kinds; NULL: nothing */
    const sked_time *unsaved_since; /* since when work would be lost with the
                                       task: its last checkpoint, or its start;
                                       SKED_UNSET or NULL: none [CAP-15] */
    const uint8_t *strict; /* not 0: the marks of this row are strict, and stand
                              also when they are no longer wanted. NULL: none */
    const uint32_t *held;  /* how many of a row's tasks must not be killed yet,
                             whatever their deadlines; these are the newest
                             marks. So victims that only together make enough
                             free wait until all of them may be killed. Strict
                             marks do not wait. NULL: none */
} sked_round_input;

/*
 * Takes a selection in. Of every key some number of tasks is wanted. Tasks that
 * have a kill order and have not ended count towards it first, then marks, the
 * oldest first.
 *
 *   wanted, marked, deadline passed   -> SKED_ROUND_ORDER_KILL, unless `held`;
 *                                        where rounds are lazy
 *                                        SKED_ROUND_ORDER_OFFER, once
 *   wanted, marked                    -> nothing: its time runs on
 *   wanted, not marked                -> SKED_ROUND_ORDER_NOTIFY, marked until
 *                                        now + grace
 *   marked, not wanted, not strict    -> SKED_ROUND_ORDER_WITHDRAW
 *
 * A strict mark always ends in a kill order at its deadline, wanted or not,
 * lazy or not. The order of actions is: first, by key, marks that are withdrawn
 * and kill orders for tasks that are not wanted; then, by row, kill orders,
 * offers and notices. A time before the last one counts as the last one;
 * SKED_NOW asks the host's clock.
 *
 * Returns SKED_OK, SKED_ERR_ARG (a key 0, a count 0: `err` has the row),
 * SKED_ERR_EXISTS (a key twice: `err` has the later row), SKED_ERR_NOMEM,
 * SKED_ERR_RANGE (an amount: row and kind; n), SKED_ERR_STATE (the host has no
 * clock), SKED_ERR_VERSION, SKED_ERR_CANCELLED or a code of the host's own. On
 * failure nothing changes. Cost: O(marks + n kinds).
 */
SKED_TRY sked_status sked_round_update(sked_round *round,
                                       const sked_round_input *input,
                                       sked_time now, sked_error *err);

/*
 * Says that the place of offered tasks is taken now: `counts` (NULL: 1 each)
 * tasks of each of `n` keys get a kill order (SKED_ROUND_ORDER_KILL, by row),
 * the oldest marks first. A time before the last one counts as the last one.
 *
 * Returns SKED_OK, SKED_ERR_ARG (a key 0, a count 0: `err` has the row),
 * SKED_ERR_EXISTS (a key twice), SKED_ERR_NOMEM, SKED_ERR_RANGE (n),
 * SKED_ERR_STATE (fewer tasks of a key are offered: `err` has the row, how many
 * were claimed and how many are offered; or the host has no clock),
 * SKED_ERR_CANCELLED or a code of the host's own. On failure nothing changes.
 * Cost: O(marks * kinds + n log marks).
 */
SKED_TRY sked_status sked_round_claim(sked_round *round, const uint64_t *keys,
                                      const uint32_t *counts, size_t n,
                                      sked_time now, sked_error *err);

/* How many tasks of a key are offered. O(log marks). */
SKED_API uint32_t sked_round_offer_count(const sked_round *round, uint64_t key);

/*
 * Says that tasks have ended, for whatever reason: `counts` (NULL: 1 each)
 * tasks of each of `n` keys. They are taken from those with a kill order first,
 * then from marks, the oldest first. Keys without a mark are passed over.
 *
 * Returns SKED_OK or SKED_ERR_ARG. Never allocates. Cost: O(marks + n log
 * marks).
 */
SKED_TRY sked_status sked_round_end(sked_round *round, const uint64_t *keys,
                                    const uint32_t *counts, size_t n,
                                    sked_error *err);

/* What a host has to do with tasks. What is also a decision of an engine
 * (enum sked_decision_kind) has the same number there; no decision has that of
 * an offer. */
enum sked_round_order {
    SKED_ROUND_ORDER_NOTIFY = 5,   /* give the application notice of them */
    SKED_ROUND_ORDER_KILL = 6,     /* kill them */
    SKED_ROUND_ORDER_WITHDRAW = 7, /* withdraw the notice: they may stay */
    SKED_ROUND_ORDER_OFFER = 64    /* nothing yet; their place may be taken from
                                      now on (sked_round_claim) */
};

/* Bits of marks and actions. */
enum sked_round_mark_flag {
    /* The tasks end by preemption, which must not count as failure. [CAP-10] */
    SKED_ROUND_MARK_FLAG_PREEMPTED = 1,
    SKED_ROUND_MARK_FLAG_STRICT = 2,   /* exactly these tasks */
    SKED_ROUND_MARK_FLAG_OBSERVED = 4, /* for the log alone: do nothing */
    SKED_ROUND_MARK_FLAG_STOPPING = 8, /* has a kill order, not ended yet */
    SKED_ROUND_MARK_FLAG_OFFERED = 16  /* runs until its place is taken */
};

/* One thing to do with alike tasks. Frozen layout. */
typedef struct sked_round_action {
    uint64_t key;
    uint64_t job;
    sked_time deadline; /* of the notice; of the mark that ends */
    uint32_t count;
    uint16_t what;  /* enum sked_round_order */
    uint16_t flags; /* enum sked_round_mark_flag */
} sked_round_action;

/*
 * Takes actions, the oldest first: at most `cap`; `*n` is how many were taken.
 *
 * Returns SKED_OK or SKED_ERR_ARG. Never allocates.
 */
SKED_TRY sked_status sked_round_take(sked_round *round,
                                     sked_round_action *actions, size_t cap,
                                     size_t *n, sked_error *err);

/* Tasks of one key that were marked together. Frozen layout. */
typedef struct sked_round_mark {
    uint64_t key;
    uint64_t job;
    sked_time deadline;
    uint32_t count;
    uint32_t
        flags; /* enum sked_round_mark_flag: _STRICT, _STOPPING, _OFFERED */
} sked_round_mark;

/*
 * All marks, by key, the oldest first. Writes at most `cap`; `*n` is always
 * the number there are.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE (`cap` too small: nothing
 * else is written). Never allocates.
 */
SKED_TRY sked_status sked_round_marks(const sked_round *round,
                                      sked_round_mark *marks, size_t cap,
                                      size_t *n);

/* How many tasks of a key are marked or have a kill order. Cost: O(log marks).
 */
SKED_API uint32_t sked_round_mark_count(const sked_round *round, uint64_t key);

/* What is asked of an application. */
enum sked_round_contract_kind {
    SKED_ROUND_CONTRACT_NEGOTIABLE = 1, /* to free an amount, by ending any of
                                           its tasks */
    SKED_ROUND_CONTRACT_STRICT = 2      /* to end exactly these tasks */
};

/*
 * The contract of one job: its marks that are negotiable, or strict, and (when
 * `amounts` is not NULL) what they free together, one amount a kind. When the
 * job frees as much by ending other tasks, the next selection wants as much
 * less and these marks are withdrawn. Tasks that have a kill order are in no
 * contract. [CAP-7]
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE (`cap` too small: nothing but
 * `*n` is written). Never allocates. Cost: O(marks).
 */
SKED_TRY sked_status sked_round_contract(const sked_round *round, uint64_t job,
                                         int32_t contract, int64_t *amounts,
                                         sked_round_mark *marks, size_t cap,
                                         size_t *n);

/*
 * The earliest deadline of a mark that is not offered: the time at which it is
 * worth making a selection again. SKED_UNLIMITED: there is no such mark. Cost:
 * O(marks).
 */
SKED_API sked_time sked_round_next(const sked_round *round);

/* Counts since creation. */
typedef struct sked_round_stats {
    uint32_t struct_size;
    uint32_t reserved;
    uint64_t rounds;    /* selections taken in */
    uint64_t notified;  /* tasks put under notice */
    uint64_t killed;    /* tasks that got a kill order */
    uint64_t withdrawn; /* tasks whose notice was withdrawn */
    uint64_t released;  /* tasks that ended while marked, without kill order */
} sked_round_stats;

/* Reads the counts. Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_VERSION. */
SKED_TRY sked_status sked_round_get_stats(const sked_round *round,
                                          sked_round_stats *counts);

/*
 * The work of one kind that was lost: amount times ns since the work was last
 * saved, over all tasks that got a kill order; at most 2^128 - 1.
 *
 * Returns SKED_OK or SKED_ERR_ARG.
 */
SKED_TRY sked_status sked_round_lost_work(const sked_round *round,
                                          uint32_t kind, sked_wide *work);

/* A hash of marks, actions and counts, equal on every machine. Cost: O(marks *
 * kinds). */
SKED_API uint64_t sked_round_digest(const sked_round *round);

/* Verifies every invariant. Returns SKED_OK, SKED_ERR_ARG or
 * SKED_ERR_INTERNAL. Cost: O(marks * kinds). */
SKED_TRY sked_status sked_round_check(const sked_round *round, sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
