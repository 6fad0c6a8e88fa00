#ifndef SKED_ROUND_H
#define SKED_ROUND_H

/*
 * Rounds of preemption: which tasks get notice, which tasks get a kill order,
 * and which notices are withdrawn. [CAP-6] [CAP-7] [CAP-8] [CAP-10] [CAP-14]
 * [PEL-15] The smallest use, a selection every few seconds:
 *
 *     sked_round_input in = {.struct_size = sizeof in, .n = n, .key = keys};
 *     sked_round_update(round, &in, now, &err);
 *     sked_round_take(round, actions, cap, &m, &err);
 *
 * A host selects victims as often as the host likes (with preempt.h, or in its
 * own way) and hands each selection in. Tasks selected for the first time are
 * marked: their application gets notice, with a deadline. While the mark
 * stands, the application may end these tasks, save their work, or end other
 * tasks of its own. Freed amounts show in the next selection, which then wants
 * less. Marked tasks that are no longer selected may stay: their mark is
 * withdrawn. Tasks still selected at their deadline get a kill order. Every
 * kill order therefore comes from a selection made at the time of the order. A
 * mark that is selected again keeps its deadline.
 *
 * Lazy rounds (SKED_ROUND_FLAG_LAZY) kill no task at its deadline. A task still
 * selected then is *offered*. The task runs on until another task really takes
 * its place, which the host reports by sked_round_claim(), or until a selection
 * leaves the task out, and the mark is withdrawn like any other. No task is
 * therefore killed for a task that cannot start, or for resources that came
 * free in another way.
 *
 * Time is the host's and moves only with the calls below. The host's keys name
 * tasks. A key may stand for several identical tasks, of which a selection
 * wants some number.
 */

#include <sched/host.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sked_round sked_round;

enum sked_round_flag {
    /* Only reports which tasks would get notice; kills no task. [CAP-14] */
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
 * Creates rounds without marks. `host` and `options` may be NULL and are
 * copied. The caller owns `*round`; on failure `*round` is NULL.
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
 * Reserves memory. The calls below then do not allocate as long as a selection
 * has at most `marks` rows, at most `marks` marks stand, and all actions were
 * taken.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM or SKED_ERR_RANGE.
 */
SKED_TRY sked_status sked_round_reserve(sked_round *round, size_t marks,
                                        sked_error *err);

/* A selection: all tasks wanted now, one key a row. Borrowed for the call. */
typedef struct sked_round_input {
    uint32_t struct_size;
    uint32_t flags;                 /* 0 */
    uint64_t n;                     /* rows; below 2^31 */
    const uint64_t *key;            /* of the tasks, each once, none 0 */
    const uint32_t *count;          /* identical tasks; NULL: 1 each */
    const uint64_t *job;            /* NULL: 0 each */
    const int64_t *amount;          /* of one task, n x kinds; NULL: nothing */
    const sked_time *unsaved_since; /* start of the work that would be lost
                                       with the task: its last checkpoint, or
                                       its start; SKED_UNSET or NULL: none
                                       [CAP-15] */
    const uint8_t *strict; /* not 0: the marks of this row are strict, and stand
                              even if no longer selected. NULL: none */
    const uint32_t *held;  /* tasks of a row that must not be killed yet,
                              whatever their deadlines: the newest marks.
                              Victims that free enough only together thus wait
                              until all may be killed. Strict marks do not wait.
                              NULL: none */
} sked_round_input;

/*
 * Takes a selection in. A selection wants some number of each key. Tasks with a
 * kill order that have not ended count towards the number first, then marks,
 * oldest first.
 *
 *   wanted, marked, deadline passed   -> SKED_ROUND_ORDER_KILL, unless `held`;
 *                                        in lazy rounds
 *                                        SKED_ROUND_ORDER_OFFER, once
 *   wanted, marked                    -> no action: the time runs on
 *   wanted, not marked                -> SKED_ROUND_ORDER_NOTIFY, marked until
 *                                        now + grace
 *   marked, not wanted, not strict    -> SKED_ROUND_ORDER_WITHDRAW
 *
 * A strict mark always ends in a kill order at its deadline, wanted or not,
 * lazy or not. Actions come in this order: first, by key, withdrawn marks and
 * kill orders for unwanted tasks; then, by row, kill orders, offers and
 * notices. A time before the last time counts as the last time; SKED_NOW asks
 * the host's clock.
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
 * Reports that the place of offered tasks is taken now. `counts` (NULL: 1 each)
 * tasks of each of `n` keys get a kill order (SKED_ROUND_ORDER_KILL, by row),
 * oldest marks first. A time before the last time counts as the last time.
 *
 * Returns SKED_OK, SKED_ERR_ARG (a key 0, a count 0: `err` has the row),
 * SKED_ERR_EXISTS (a key twice), SKED_ERR_NOMEM, SKED_ERR_RANGE (n),
 * SKED_ERR_STATE (fewer tasks of a key are offered: `err` has the row, the
 * claimed and the offered number; or the host has no clock), SKED_ERR_CANCELLED
 * or a code of the host's own. On failure nothing changes. Cost: O(marks *
 * kinds + n log marks).
 */
SKED_TRY sked_status sked_round_claim(sked_round *round, const uint64_t *keys,
                                      const uint32_t *counts, size_t n,
                                      sked_time now, sked_error *err);

/* The number of offered tasks of a key. O(log marks). */
SKED_API uint32_t sked_round_offer_count(const sked_round *round, uint64_t key);

/*
 * Reports that tasks have ended, for whatever reason: `counts` (NULL: 1 each)
 * tasks of each of `n` keys. Tasks with a kill order count first, then marks,
 * oldest first. Keys without a mark are skipped.
 *
 * Returns SKED_OK or SKED_ERR_ARG. Never allocates. Cost: O(marks + n log
 * marks).
 */
SKED_TRY sked_status sked_round_end(sked_round *round, const uint64_t *keys,
                                    const uint32_t *counts, size_t n,
                                    sked_error *err);

/* Actions of a host. An action that is also a decision of an engine (enum
 * sked_decision_kind) has the decision's number. An offer is no decision, and
 * no decision has its number. */
enum sked_round_order {
    SKED_ROUND_ORDER_NOTIFY = 5,   /* give the application notice of the
                                      tasks */
    SKED_ROUND_ORDER_KILL = 6,     /* kill the tasks */
    SKED_ROUND_ORDER_WITHDRAW = 7, /* withdraw the notice: the tasks may stay */
    SKED_ROUND_ORDER_OFFER = 64    /* no action yet; from now on other tasks may
                                      take their place (sked_round_claim) */
};

/* Bits of marks and actions. */
enum sked_round_mark_flag {
    /* The tasks end by preemption and must not count as failures. [CAP-10] */
    SKED_ROUND_MARK_FLAG_PREEMPTED = 1,
    SKED_ROUND_MARK_FLAG_STRICT = 2,   /* exactly these tasks */
    SKED_ROUND_MARK_FLAG_OBSERVED = 4, /* for the log alone: do nothing */
    SKED_ROUND_MARK_FLAG_STOPPING = 8, /* has a kill order, not ended yet */
    SKED_ROUND_MARK_FLAG_OFFERED = 16  /* runs until its place is taken */
};

/* One action for identical tasks. Frozen layout. */
typedef struct sked_round_action {
    uint64_t key;
    uint64_t job;
    sked_time deadline; /* of the notice; of the mark that ends */
    uint32_t count;
    uint16_t what;  /* enum sked_round_order */
    uint16_t flags; /* enum sked_round_mark_flag */
} sked_round_action;

/*
 * Takes actions, oldest first: at most `cap`; `*n` is the number taken.
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
 * Lists all marks, by key, oldest first. The call writes at most `cap`; `*n` is
 * always the full number.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE (`cap` too small: only `*n`
 * is written). Never allocates.
 */
SKED_TRY sked_status sked_round_marks(const sked_round *round,
                                      sked_round_mark *marks, size_t cap,
                                      size_t *n);

/* The number of tasks of a key with a mark or kill order. Cost: O(log marks).
 */
SKED_API uint32_t sked_round_mark_count(const sked_round *round, uint64_t key);

/* Requests to an application. */
enum sked_round_contract_kind {
    SKED_ROUND_CONTRACT_NEGOTIABLE = 1, /* free an amount, by ending any of its
                                           tasks */
    SKED_ROUND_CONTRACT_STRICT = 2      /* end exactly these tasks */
};

/*
 * Reads the contract of one job: its negotiable or strict marks, and (`amounts`
 * not NULL) the amounts that they free together, one a kind. If the job frees
 * as much by ending other tasks, the next selection wants less and these marks
 * are withdrawn. Tasks with a kill order are in no contract. [CAP-7]
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE (`cap` too small: only `*n`
 * is written). Never allocates. Cost: O(marks).
 */
SKED_TRY sked_status sked_round_contract(const sked_round *round, uint64_t job,
                                         int32_t contract, int64_t *amounts,
                                         sked_round_mark *marks, size_t cap,
                                         size_t *n);

/*
 * The earliest deadline of a mark without an offer: the time of the next useful
 * selection. SKED_UNLIMITED: no such mark. Cost: O(marks).
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
