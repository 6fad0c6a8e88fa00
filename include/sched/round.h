#ifndef SKED_ROUND_H
#define SKED_ROUND_H

/*
 * Rounds of preemption: which tasks are told, which are stopped, which are let
 * off. [CAP-6] [CAP-7] [CAP-8] [CAP-10] [CAP-14] [PEL-15]
 *
 * A host selects victims as often as it likes (with preempt.h, or in its own
 * way) and hands each selection in. What is wanted for the first time is marked
 * and its application told, with a deadline. While the mark stands, the
 * application may end these tasks, save their work, or end others of its own:
 * what it frees shows in the next selection, which then wants less. What is
 * marked and no longer wanted is let off. What is still wanted at its deadline
 * is to be stopped. So nothing is ever stopped but by a selection that was made
 * at that time, and a mark that is wanted anew keeps its deadline.
 *
 * Lazy rounds (SKED_ROUND_FLAG_LAZY) stop no task at the deadline: what is
 * still wanted then is *offered*. It runs on until another task really takes
 * its place, which the host says by sked_round_claim(); or until it is no
 * longer wanted, and is withdrawn like any mark. So nothing is stopped for a
 * task that cannot start, and nothing for resources that came free otherwise.
 *
 * Time is the host's and moves only with the calls below. Tasks go by the
 * host's keys; a key may stand for several alike tasks, of which a selection
 * wants some number.
 */

#include <sched/host.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sked_round sked_round;

enum sked_round_flag {
    /* Only reports what would be told; nothing is to be stopped. [CAP-14] */
    SKED_ROUND_FLAG_OBSERVE = 1,
    /* Stops tasks not at their deadline but when their place is taken. */
    SKED_ROUND_FLAG_LAZY = 2
};

typedef struct sked_round_options {
    uint32_t struct_size;
    uint32_t flags; /* SKED_ROUND_FLAG_OBSERVE, _LAZY */
    uint32_t kinds; /* resource kinds, 1 to SKED_MAX_KINDS; 0: 1 */
    uint32_t reserved;
    int64_t grace_ns; /* from being told to being stopped, ns; 0: 15 s; -1:
                      none, tasks are stopped without being told */
} sked_round_options;

/*
 * Creates rounds without marks. `host` and `opts` may be NULL and are copied.
 * The caller owns `*round`; on failure it is NULL.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE or
 * SKED_ERR_VERSION.
 */
SKED_TRY sked_status sked_round_new(const sked_round_options *opts,
                                    const sked_host *host, sked_round **round,
                                    sked_error *err);

/* Frees the rounds. NULL is allowed. */
SKED_API void sked_round_free(sked_round *round);

/*
 * Rounds that go on exactly as `round` would, with a host of their own.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM or SKED_ERR_VERSION.
 */
SKED_TRY sked_status sked_round_copy(const sked_round *round,
                                     const sked_host *host, sked_round **copy,
                                     sked_error *err);

/*
 * Reserves memory for selections of up to `marks` rows while no more than
 * `marks` marks stand and all actions were taken, so that the calls below do
 * not allocate.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM or SKED_ERR_RANGE.
 */
SKED_TRY sked_status sked_round_reserve(sked_round *round, size_t marks,
                                        sked_error *err);

/* A selection: all that is wanted now, one key a row. */
typedef struct sked_round_input {
    uint32_t struct_size;
    uint32_t flags;                 /* 0 */
    uint32_t n;                     /* rows; below 2^31 */
    uint32_t reserved;              /* 0 */
    const uint64_t *key;            /* of the tasks, each once, none 0 */
    const uint32_t *count;          /* alike tasks; NULL: 1 each */
    const uint64_t *job;            /* NULL: 0 each */
    const int64_t *amount;          /* of one task, n x kinds; NULL: nothing */
    const sked_time *unsaved_since; /* from when on its work would be lost: last
                                       checkpoint or start; SKED_UNSET or NULL:
                                       nothing would be [CAP-15] */
    const uint8_t *strict; /* not 0: exactly these; marked so, a task is not let
                              off when it is no longer wanted. NULL: none */
    const uint32_t *held; /* so many of a row's tasks are not to be stopped yet,
                             whatever their deadlines, the newest marks: what
                             others have to make way for as well waits until
                             all of them may go. Strict ones do not wait.
                             NULL: none */
} sked_round_input;

/*
 * Takes a selection in. For every key, with w tasks wanted: what was to be
 * stopped and has not ended counts first, then marks, the oldest first.
 *
 *   wanted, marked, deadline passed   -> SKED_ROUND_ORDER_KILL, but for those
 *                                        that are held; where rounds are lazy
 *                                        SKED_ROUND_ORDER_OFFER, once
 *   wanted, marked                    -> nothing: its time runs on
 *   wanted, not marked                -> SKED_ROUND_ORDER_NOTIFY, marked until
 *                                        now + grace
 *   marked, not wanted, not strict    -> SKED_ROUND_ORDER_WITHDRAW
 *
 * A strict mark is stopped at its deadline all the same, wanted or not, lazy or
 * not. Actions come in this order: who is let off, and who is stopped without
 * being wanted, by key; then by row, stopped before offered before told. A time
 * before the last one counts as that one; SKED_NOW is the host's.
 *
 * Returns SKED_OK, SKED_ERR_ARG (a key 0, a count 0: `err` has the row),
 * SKED_ERR_EXISTS (a key twice: `err` has the later row), SKED_ERR_NOMEM,
 * SKED_ERR_RANGE (an amount: row and kind; n), SKED_ERR_STATE (the host has no
 * clock), SKED_ERR_VERSION, SKED_ERR_CANCELLED or a code of the host's own. On
 * failure nothing changes. Cost: O(marks + n kinds).
 */
SKED_TRY sked_status sked_round_update(sked_round *round,
                                       const sked_round_input *wanted,
                                       sked_time now, sked_error *err);

/*
 * Says that the place of offered tasks is taken now: `counts` (NULL: 1 each)
 * tasks of each of `n` keys are to be stopped (SKED_ROUND_ORDER_KILL, by row),
 * the oldest marks first. A time before the last one counts as that one.
 *
 * Returns SKED_OK, SKED_ERR_ARG (a key 0, a count 0: `err` has the row),
 * SKED_ERR_EXISTS (a key twice), SKED_ERR_NOMEM, SKED_ERR_RANGE (n),
 * SKED_ERR_STATE (fewer tasks of this row are offered: `err` has the row, how
 * many were claimed and how many are offered; or no clock), SKED_ERR_CANCELLED
 * or a code of the host's own. On failure nothing changes. Cost: O(marks kinds
 * + n log marks).
 */
SKED_TRY sked_status sked_round_claim(sked_round *round, const uint64_t *keys,
                                      const uint32_t *counts, size_t n,
                                      sked_time now, sked_error *err);

/* How many tasks of a key are offered. O(log marks). */
SKED_API uint32_t sked_round_offer_count(const sked_round *round, uint64_t key);

/*
 * Says that `n` rows of tasks are gone, however they ended: `counts` (NULL: 1
 * each) tasks of each key. What was to be stopped goes first, then marks, the
 * oldest first. Keys without a mark are passed over.
 *
 * Returns SKED_OK or SKED_ERR_ARG. Never allocates. Cost: O(marks + n log
 * marks).
 */
SKED_TRY sked_status sked_round_end(sked_round *round, const uint64_t *keys,
                                    const uint32_t *counts, size_t n,
                                    sked_error *err);

/* What a host is to do. */
enum sked_round_order {
    SKED_ROUND_ORDER_NOTIFY = 1,   /* tell the application */
    SKED_ROUND_ORDER_KILL = 2,     /* stop the tasks */
    SKED_ROUND_ORDER_WITHDRAW = 3, /* tell the application that they may stay */
    SKED_ROUND_ORDER_OFFER = 4     /* their place may be taken
                                      (sked_round_claim) */
};

/* Bits of marks and actions. */
enum sked_round_mark_flag {
    /* It ends by preemption: to be counted as no failure. [CAP-10] */
    SKED_ROUND_MARK_FLAG_PREEMPTED = 1,
    SKED_ROUND_MARK_FLAG_STRICT = 2,   /* exactly these tasks */
    SKED_ROUND_MARK_FLAG_OBSERVED = 4, /* for the log alone: do nothing */
    SKED_ROUND_MARK_FLAG_STOPPING = 8, /* was to be stopped, has not ended
                                          yet */
    SKED_ROUND_MARK_FLAG_OFFERED = 16  /* runs until its place is taken */
};

/* One of them. Frozen layout. */
typedef struct sked_round_action {
    uint64_t key;
    uint64_t job;
    sked_time deadline; /* told: until when; stopped, let off: what it was */
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

/* Tasks that stand marked alike. Frozen layout. */
typedef struct sked_round_mark {
    uint64_t key;
    uint64_t job;
    sked_time deadline;
    uint32_t count;
    uint32_t flags; /* SKED_ROUND_MARK_FLAG_STRICT, _STOPPING, _OFFERED */
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

/* How many tasks of a key are marked or being stopped. O(log marks). */
SKED_API uint32_t sked_round_mark_count(const sked_round *round, uint64_t key);

/* What an application is asked for. */
enum sked_round_contract_kind {
    SKED_ROUND_CONTRACT_NEGOTIABLE = 1, /* an amount; any tasks of its own will
                                           do */
    SKED_ROUND_CONTRACT_STRICT = 2      /* exactly these */
};

/*
 * The contract of one job: the marks that are negotiable, or strict, and (when
 * `amounts` is not NULL) what they free together, one amount a kind. Who has
 * freed as much by other tasks is let off by the next selection. What is being
 * stopped already is in no contract. [CAP-7]
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE (`cap` too small: nothing but
 * `*n` is written). Never allocates. Cost: O(marks).
 */
SKED_TRY sked_status sked_round_contract(const sked_round *round, uint64_t job,
                                         int32_t contract, int64_t *amounts,
                                         sked_round_mark *marks, size_t cap,
                                         size_t *n);

/*
 * The earliest deadline of a mark: when a selection is worth making again. What
 * is offered waits for no time.
 * SKED_UNLIMITED: there is no mark. Cost: O(marks).
 */
SKED_API sked_time sked_round_next(const sked_round *round);

/* Counts since creation, in tasks but for `rounds`. */
typedef struct sked_round_stats {
    uint32_t struct_size;
    uint32_t reserved;
    uint64_t rounds;    /* selections taken in */
    uint64_t notified;  /* tasks told of */
    uint64_t killed;    /* tasks to be stopped */
    uint64_t withdrawn; /* tasks let off */
    uint64_t released;  /* tasks that ended while marked, before their time */
} sked_round_stats;

/* Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_VERSION. */
SKED_TRY sked_status sked_round_get_stats(const sked_round *round,
                                          sked_round_stats *counts);

/*
 * Work lost of one kind: amount times ns since it was last saved, over all
 * that was to be stopped; high * 2^64 + low, at most 2^128 - 1.
 *
 * Returns SKED_OK or SKED_ERR_ARG.
 */
SKED_TRY sked_status sked_round_lost_work(const sked_round *round, int32_t kind,
                                          uint64_t *high, uint64_t *low);

/* A hash of marks, actions and counts, equal on every machine. O(marks
 * kinds). */
SKED_API uint64_t sked_round_digest(const sked_round *round);

/* Verifies every invariant. Returns SKED_OK, SKED_ERR_ARG or
 * SKED_ERR_INTERNAL. O(marks kinds). */
SKED_TRY sked_status sked_round_check(const sked_round *round, sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
