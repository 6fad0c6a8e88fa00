#ifndef SKED_HISTORY_H
#define SKED_HISTORY_H

/*
 * Usage of queues over time: records become time units (pctl.h) as they come
 * in.
 *
 *     sked_history_new(...);
 *     sked_history_add(...);       as often as there are records
 *     sked_history_settle(...);    no more records start before this time
 *     sked_history_pctl(...);      reads the settled part
 *
 * Records have three forms, which may be mixed; their amounts are added up. An
 * interval is an application or task that holds a vector from its start to its
 * end. A change says what a queue holds from a time on. A unit says what a
 * queue holds for a length. Intervals are half open, [start, end): an interval
 * that ends at the start of another does not overlap the other.
 *
 * Every queue has a clock. Everything before the clock is settled; records must
 * not start before the clock. The clock begins at the window's start, or else
 * with the queue's first record; until then the clock does not move. Sorted
 * records may come in any number of calls, and only open intervals stay in
 * memory. A call with records in any order sorts them first.
 *
 * For each queue the history keeps the length of each occurring amount, in a
 * search tree by amount, which answers percentiles; exact sums of amount times
 * length; and, on request, the units themselves, to forget the oldest. The
 * amount of a unit is the amount of one kind, or a number of instances by
 * dominant resource: the largest of v_k / instance_k over the kinds, rounded up
 * to whole instances or to a given part of an instance. Rounding up does not
 * change which units an allocation covers.
 */

#include <sched/pctl.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sked_history sked_history;

enum sked_history_flag {
    SKED_HISTORY_FLAG_WINDOW = 1, /* only [from, to) counts */
    SKED_HISTORY_FLAG_KEEP = 2    /* units can be read, and forgotten */
};

/* How to build a history; a field of 0 asks for the default. */
typedef struct sked_history_options {
    uint32_t struct_size;
    uint32_t flags;  /* bits of enum sked_history_flag */
    uint32_t queues; /* up to SKED_MAX_QUEUES; 0: 1 */
    uint32_t kinds;  /* of every vector, up to SKED_MAX_KINDS; 0: 1 */
    uint32_t kind;   /* the ordered kind, if no instance is given */
    uint32_t parts;  /* instances are counted in parts of this many; 0: 1 */
    sked_time from;  /* with SKED_HISTORY_FLAG_WINDOW, else 0 */
    sked_time to;
} sked_history_options;

/* The forms of records. */
enum sked_history_form {
    SKED_HISTORY_FORM_INTERVALS = 0,
    SKED_HISTORY_FORM_CHANGES = 1,
    SKED_HISTORY_FORM_UNITS = 2
};

enum sked_history_input_flag {
    SKED_HISTORY_INPUT_FLAG_ANY_ORDER = 1 /* sort intervals or changes first */
};

/* As a time to settle to: the end of all intervals, and of the window if any.
 */
#define SKED_HISTORY_END INT64_MAX

/*
 * `n` records as columns, up to 2^31 - 1, borrowed for the call. If `queue` is
 * NULL all records belong to queue 0. Amounts are n rows of `kinds`, 0 to
 * SKED_AMOUNT_MAX; times lie between -2^62 and 2^62, both excluded. The records
 * of each queue must be sorted by `start`, unless flags say
 * SKED_HISTORY_INPUT_FLAG_ANY_ORDER; records with equal times keep their order.
 *
 * A change replaces the change before. A unit begins at the queue's clock,
 * lasts for `length`, and sets the clock to its end; a unit replaces the last
 * change, and afterwards the queue holds nothing of changes.
 */
typedef struct sked_history_input {
    uint32_t struct_size;
    uint32_t flags; /* bits of enum sked_history_input_flag */
    int32_t form;   /* enum sked_history_form */
    uint32_t reserved;
    uint64_t n;
    const uint32_t *queue;
    const sked_time *start; /* of intervals and changes */
    const sked_time *end;   /* of intervals */
    const int64_t *length;  /* of units, 0 or more */
    const int64_t *amount;
} sked_history_input;

/* Records of a call that added nothing. */
typedef struct sked_history_stats {
    uint64_t empty;   /* intervals and units of length 0 */
    uint64_t outside; /* records wholly outside the window */
} sked_history_stats;

/* The state of a queue's history. */
typedef struct sked_history_standing {
    sked_time clock;  /* everything before is settled; 0 until the clock
                         begins */
    sked_time oldest; /* nothing before this time counts */
    uint64_t open;    /* intervals that end after the clock */
    uint64_t amounts; /* different amounts in use */
    uint64_t units;   /* that are kept */
} sked_history_standing;

/*
 * Creates a history of queues without any usage. `instance` has an amount for
 * each kind, or is NULL; kinds with 0 in `instance` must not be used. `host`
 * and `options` may be NULL; all is copied. On success the caller owns
 * `*history`; on failure `*history` is NULL.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE (too many
 * queues or kinds, no such kind, window out of range or empty, an instance that
 * has nothing or has less than `parts` of a kind) or SKED_ERR_VERSION. [MON-1]
 * [MON-2]
 */
SKED_TRY sked_status sked_history_new(const int64_t *instance,
                                      const sked_history_options *options,
                                      const sked_host *host,
                                      sked_history **history, sked_error *err);

/* Frees the history. NULL is allowed. */
SKED_API void sked_history_free(sked_history *history);

/*
 * Adds records: all, or none if one is rejected. `counts` may be NULL. Queues
 * are computed in parallel if the host allows, with the same outcome.
 *
 * Returns SKED_OK, SKED_ERR_ARG (a column that the form needs is NULL, unknown
 * form or flag), SKED_ERR_NOMEM, SKED_ERR_NOT_FOUND (no such queue),
 * SKED_ERR_RANGE (an amount, length or time out of range, an end before its
 * start, a kind that the instance does not have, a queue that would hold more
 * than SKED_AMOUNT_MAX of a kind), SKED_ERR_STATE (a record starts before the
 * record before it, or before the queue's clock), SKED_ERR_VERSION,
 * SKED_ERR_CANCELLED, or a hook's result. `err` names the record as its row.
 * Cost: O((n + open) log open) for the queues with records, and O(log amounts)
 * for each amount that is new or changes its length. [MON-1]
 */
SKED_TRY sked_status sked_history_add(sked_history *history,
                                      const sked_history_input *input,
                                      sked_history_stats *counts,
                                      sked_error *err);

/*
 * Reports that no more records start before `time`: all started clocks before
 * `time` move there. With SKED_HISTORY_END they move to the end of each queue's
 * last interval, or of the window.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE (time),
 * SKED_ERR_CANCELLED, or a hook's result. On failure no clock has moved. Cost:
 * O(queues * kinds + open * kinds), plus the cost of adding the open intervals
 * that end by `time`.
 */
SKED_TRY sked_status sked_history_settle(sked_history *history, sked_time time,
                                         sked_error *err);

/*
 * Forgets everything before `time`: units that end by then are removed, a unit
 * that ends later becomes shorter, and later records count only after `time`.
 * All else stays. Only with SKED_HISTORY_FLAG_KEEP.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (time) or SKED_ERR_STATE (units
 * are not kept, or a queue's clock, named as the row in `err`, is before
 * `time`: settle first). Never allocates. Cost: O(log amounts) for each removed
 * unit, plus O(queues). [MON-1]
 */
SKED_TRY sked_status sked_history_forget(sked_history *history, sked_time time,
                                         sked_error *err);

/*
 * Reads the state of a queue. Returns SKED_OK, SKED_ERR_ARG or
 * SKED_ERR_NOT_FOUND. Never allocates. Cost: O(1).
 */
SKED_TRY sked_status sked_history_get_standing(const sked_history *history,
                                               uint32_t queue,
                                               sked_history_standing *standing);

/*
 * Computes percentile allocations of `n` queues (`queue` NULL: the first n) for
 * `thresholds` thresholds, from the settled part. Point i * thresholds + j
 * belongs to the i-th of these queues and threshold j: the point of the queue's
 * units by sked_pctl(), with usage and waste. `total` has n entries, or is
 * NULL.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOT_FOUND (no such queue: its place
 * is the row in `err`), SKED_ERR_RANGE (a threshold: its index is the row),
 * SKED_ERR_CANCELLED, or a hook's result. Never allocates. Cost: O(log amounts)
 * for each point. [MON-3]
 */
SKED_TRY sked_status sked_history_pctl(const sked_history *history,
                                       const uint32_t *queue, size_t n,
                                       const sked_ratio *threshold,
                                       size_t thresholds,
                                       sked_pctl_point *point,
                                       sked_pctl_queue *total, sked_error *err);

/*
 * Decides between reserved and on demand for a queue, by the rule of
 * sked_pctl_reserved(), from the settled part. `window` 0: from the oldest time
 * to the clock.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOT_FOUND or SKED_ERR_RANGE (price or
 * window). Never allocates. Cost: O(log amounts). [MON-14]
 */
SKED_TRY sked_status sked_history_reserved(const sked_history *history,
                                           uint32_t queue, int64_t window,
                                           sked_ratio price,
                                           sked_pctl_reserved_result *plan,
                                           sked_error *err);

/*
 * Lists the distribution of a queue: every occurring amount, rising, and the
 * time in use at or below the amount. The call writes up to `cap`; `*n` is
 * always the full number.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOT_FOUND, or SKED_ERR_RANGE (`cap`
 * is too small: only `*n` is written). Never allocates. Cost: O(amounts).
 */
SKED_TRY sked_status sked_history_curve(const sked_history *history,
                                        uint32_t queue, int64_t *amount,
                                        int64_t *covered, size_t cap,
                                        size_t *n);

/*
 * Lists the kept units of a queue, oldest first, without gaps from the oldest
 * time to the clock: n lengths and n rows of amounts by kind. Returns as
 * sked_history_curve(), and SKED_ERR_STATE if units are not kept.
 */
SKED_TRY sked_status sked_history_units(const sked_history *history,
                                        uint32_t queue, int64_t *length,
                                        int64_t *amount, size_t cap, size_t *n,
                                        sked_error *err);

/*
 * Computes exact sums of amount * length of a queue, one for each kind: in
 * `work` over all its units (vcore time, memory time), and in `led` (may be
 * NULL) over the units with the kind as their dominant kind. The instance time
 * of the queue, not rounded, is the sum over kinds of led[k] / instance[k].
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_NOT_FOUND. Never allocates. [MON-2]
 */
SKED_TRY sked_status sked_history_work(const sked_history *history,
                                       uint32_t queue, sked_wide *work,
                                       sked_wide *led);

/*
 * Verifies every invariant: clocks, heaps, orders and sums, with units that
 * are kept added up anew. Returns SKED_OK, SKED_ERR_ARG, or SKED_ERR_INTERNAL
 * with the broken invariant in `err`. Cost: O(all that is held).
 */
SKED_TRY sked_status sked_history_check(const sked_history *history,
                                        sked_error *err);

/*
 * A hash of the options and of the whole state: clocks, open intervals, amounts
 * with their lengths, sums, kept units. The hash is equal on every machine, and
 * for histories with equal state, however the records came in. 0: `history` is
 * NULL. Cost: O(open + units + amounts log amounts).
 */
SKED_API uint64_t sked_history_digest(const sked_history *history);

/*
 * Output of units: the units of queue q are entries first[q] to first[q + 1] -
 * 1 of `length`, and the same rows of `amount`. The caller sets struct_size,
 * the caller's own columns and their capacity; the call fills the rest.
 */
typedef struct sked_history_result {
    uint32_t struct_size;
    uint32_t flags;  /* 0 */
    uint64_t *first; /* one more than the number of queues */
    int64_t *length;
    int64_t *amount;
    uint64_t cap; /* entries of `length`, rows of `amount` */
    uint64_t n;   /* the number of units */
    sked_history_stats counts;
} sked_history_result;

/*
 * Computes the units of all of `input`, settled to the end, without a handle.
 * `host` and `options` may be NULL.
 *
 * Returns as sked_history_new() and sked_history_add(), and SKED_ERR_RANGE if
 * `cap` is too small: only `n` and `counts` are written then. [MON-1]
 */
SKED_TRY sked_status sked_history_once(const sked_history_input *input,
                                       const sked_history_options *options,
                                       const sked_host *host,
                                       sked_history_result *units,
                                       sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
