#ifndef SKED_HISTORY_H
#define SKED_HISTORY_H

/*
 * What queues used and for how long: time units from records, as they come.
 *
 * Records come in three forms, which may be mixed: what they say is added up.
 * Intervals of applications or tasks hold a vector from start to end, changes
 * say what a queue holds from a time on, units say so for a length. Intervals
 * are half open, [start, end): one that ends when another starts does not
 * overlap it. Every queue has a clock up to which all is settled; records must
 * not start before it. In sorted order they may come in any number of calls,
 * and only intervals that are still open are held; a call with records in any
 * order sorts them first.
 *
 *     sked_history_new(...);
 *     sked_history_add(...);       as often as there are records
 *     sked_history_settle(...);    nothing more starts before this time
 *     sked_history_pctl(...);      what was settled
 *
 * Of each queue are kept: the lengths for each amount that occurs, in an order
 * that answers percentiles; exact sums of amount times length; on request the
 * units themselves, so that the oldest can be forgotten. The amount that is
 * ordered is that of one kind, or instances by dominant resource: the largest
 * of v_k / instance_k over the kinds, rounded up to whole ones or to a given
 * part of one. Rounding up does not change which units an allocation covers.
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

/* How to build a history; zero asks for the default. */
typedef struct sked_history_options {
    uint32_t struct_size;
    uint32_t flags;  /* SKED_HISTORY_FLAG_WINDOW, SKED_HISTORY_FLAG_KEEP */
    uint32_t queues; /* up to SKED_MAX_QUEUES; 0: 1 */
    uint32_t kinds;  /* of every vector, up to SKED_MAX_KINDS; 0: 1 */
    uint32_t kind;   /* the one that is ordered, where no instance is given */
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

/* To the end of all intervals, and of the window when there is one. */
#define SKED_HISTORY_END INT64_MAX

/*
 * `n` records as columns, up to 2^31 - 1. `queue` may be NULL: all are queue
 * 0's. Amounts are n rows of `kinds`, 0 to SKED_AMOUNT_MAX; times lie between
 * -2^62 and 2^62, both excluded. For one queue records must be sorted by
 * `start`, unless flags say SKED_HISTORY_INPUT_FLAG_ANY_ORDER; equal times keep
 * their order.
 *
 * A change replaces the change before it. A unit holds its amount from the
 * queue's clock on for `length` and sets the clock behind it; it replaces
 * changes, and nothing is held after it.
 */
typedef struct sked_history_input {
    uint32_t struct_size;
    uint32_t flags; /* SKED_HISTORY_INPUT_FLAG_ANY_ORDER, or 0 */
    int32_t form;   /* SKED_HISTORY_FORM_INTERVALS, _CHANGES or _UNITS */
    uint32_t reserved;
    uint64_t n;
    const uint32_t *queue;
    const sked_time *start; /* of intervals and changes */
    const sked_time *end;   /* of intervals */
    const int64_t *length;  /* of units, 0 or more */
    const int64_t *amount;
} sked_history_input;

/* What came of a call's records. */
typedef struct sked_history_stats {
    uint64_t empty;   /* intervals and units of no length: nothing */
    uint64_t outside; /* wholly outside the window: nothing */
} sked_history_stats;

/* How a queue stands, up to its clock. */
typedef struct sked_history_standing {
    sked_time clock;  /* all before it is settled */
    sked_time oldest; /* where what is counted begins */
    uint64_t open;    /* intervals that go on after the clock */
    uint64_t amounts; /* different amounts in use */
    uint64_t units;   /* that are kept */
} sked_history_standing;

/*
 * Creates a history of queues that held nothing. `instance` has an amount for
 * each kind, or is NULL; kinds of which it has 0 must not be used. `host` and
 * `opts` may be NULL; all is copied. On success the caller owns `*history`, on
 * failure it is NULL.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE (too many
 * queues or kinds, no such kind, window out of range or empty, an instance
 * that has nothing or has less than `parts` of a kind) or SKED_ERR_VERSION.
 * [MON-1] [MON-2]
 */
SKED_TRY sked_status sked_history_new(const int64_t *instance,
                                      const sked_history_options *opts,
                                      const sked_host *host,
                                      sked_history **history, sked_error *err);

/* Frees the history. NULL is allowed. */
SKED_API void sked_history_free(sked_history *history);

/*
 * Takes records in: all, or none when one is refused. `counts` may be NULL.
 * Queues are done in parallel when the host allows it, with the same outcome.
 *
 * Returns SKED_OK, SKED_ERR_ARG (a column that the form needs is NULL, unknown
 * form or flag), SKED_ERR_NOMEM, SKED_ERR_NOT_FOUND (no such queue),
 * SKED_ERR_RANGE (an amount, length or time out of range, an end before its
 * start, a kind that the instance does not have, a queue that would hold more
 * than SKED_AMOUNT_MAX of a kind), SKED_ERR_STATE (it starts before the record
 * before it, or before the queue's clock), SKED_ERR_VERSION,
 * SKED_ERR_CANCELLED, or what a hook said. `err` names the record as its row.
 * Cost: O((n + open) log open) for the queues that are named, and O(log
 * amounts) for each amount that is new or changes. [MON-1]
 */
SKED_TRY sked_status sked_history_add(sked_history *history,
                                      const sked_history_input *rows,
                                      sked_history_stats *counts,
                                      sked_error *err);

/*
 * Says that nothing starts before `time` any more: all clocks that are before
 * it move there. SKED_HISTORY_END: to the end of each queue's last interval,
 * or of the window.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE (time),
 * SKED_ERR_CANCELLED, or what a hook said; then nothing has moved.
 */
SKED_TRY sked_status sked_history_settle(sked_history *history, sked_time time,
                                         sked_error *err);

/*
 * Forgets what was before `time`: units that end by then go, one that reaches
 * beyond becomes shorter, and of later records only what lies behind counts.
 * Nothing else changes. With SKED_HISTORY_FLAG_KEEP only.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (time) or SKED_ERR_STATE
 * (units are not kept, or a queue's clock, named as the row in `err`, is
 * before that time: settle first). Never allocates.
 * Cost: O(log amounts) for each unit that goes, O(queues) beside. [MON-1]
 */
SKED_TRY sked_status sked_history_forget(sked_history *history, sked_time time,
                                         sked_error *err);

/*
 * How a queue stands. Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_NOT_FOUND.
 * Never allocates.
 */
SKED_TRY sked_status sked_history_get_standing(const sked_history *history,
                                               uint32_t queue,
                                               sked_history_standing *out);

/*
 * Percentile allocations of `n` queues (`queue` NULL: of the first n) for
 * `thresholds` thresholds, from what was settled: point i * thresholds + j is
 * that of the i-th queue named and of threshold j, of its units as
 * those of sked_pctl(), usage and waste included. `total` has n entries, or is
 * NULL.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOT_FOUND (no such queue: its place
 * is the row in `err`), SKED_ERR_RANGE (a threshold: its index is the row),
 * SKED_ERR_CANCELLED, or what a hook said. Never allocates.
 * Cost: O(log amounts) for each point. [MON-3]
 */
SKED_TRY sked_status sked_history_pctl(const sked_history *history,
                                       const uint32_t *queue, size_t n,
                                       const sked_ratio *threshold,
                                       size_t thresholds,
                                       sked_pctl_point *point,
                                       sked_pctl_queue *total, sked_error *err);

/*
 * Reserved or on demand for a queue, by the rule of sked_pctl_reserved(), from
 * what was settled. `window` 0: from its oldest time to its clock.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOT_FOUND or SKED_ERR_RANGE (price
 * or window). Never allocates. Cost: O(log amounts). [MON-14]
 */
SKED_TRY sked_status sked_history_reserved(const sked_history *history,
                                           uint32_t queue, int64_t window,
                                           sked_ratio price,
                                           sked_pctl_reserved_result *plan,
                                           sked_error *err);

/*
 * The curve of a queue: every amount that occurs, rising, and the time in use
 * at or below it. Writes up to `cap`; `*n` is always how many there are.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOT_FOUND, or SKED_ERR_RANGE when
 * `cap` is too small, in which case nothing is written but `*n`. Never
 * allocates. Cost: O(amounts).
 */
SKED_TRY sked_status sked_history_curve(const sked_history *history,
                                        uint32_t queue, int64_t *amount,
                                        int64_t *covered, size_t cap,
                                        size_t *n);

/*
 * The units of a queue that are kept, oldest first, without gaps from its
 * oldest time to its clock: n lengths and n rows of amounts by kind. Returns
 * as sked_history_curve() does, and SKED_ERR_STATE when units are not kept.
 */
SKED_TRY sked_status sked_history_units(const sked_history *history,
                                        uint32_t queue, int64_t *length,
                                        int64_t *amount, size_t cap, size_t *n,
                                        sked_error *err);

/*
 * Exact sums of amount * length of a queue, one for each kind: of all its
 * units in `work` (vcore time, memory time), and in `led` (may be NULL) of
 * those units of which the kind is the dominant one. Instance time, not
 * rounded, is the sum of led[k] / instance[k].
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_NOT_FOUND. Never allocates.
 * [MON-2]
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
 * Where units go: those of queue q are the entries from first[q] to
 * first[q + 1] of `length` and rows of `amount`. The caller sets struct_size,
 * the columns and their capacity; the rest is filled.
 */
typedef struct sked_history_result {
    uint32_t struct_size;
    uint32_t flags;  /* 0 */
    uint64_t *first; /* a queue more than there are */
    int64_t *length;
    int64_t *amount;
    uint64_t cap; /* entries of `length`, rows of `amount` */
    uint64_t n;   /* how many units there are */
    sked_history_stats counts;
} sked_history_result;

/*
 * Units of records without a history of one's own: all of `rows`, settled to
 * the end. `host` and `opts` may be NULL.
 *
 * Returns what sked_history_new() and sked_history_add() do, and
 * SKED_ERR_RANGE when `cap` is too small, in which case only `n` and `counts`
 * are written. [MON-1]
 */
SKED_TRY sked_status sked_history_once(const sked_history_input *rows,
                                       const sked_history_options *opts,
                                       const sked_host *host,
                                       sked_history_result *units,
                                       sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
