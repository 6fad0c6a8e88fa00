#ifndef SKED_PCTL_H
#define SKED_PCTL_H

/*
 * Percentile allocation, on plain arrays: the amount that covers what a queue
 * uses for a given part of the time in which it is in use.
 *
 * The smallest use:
 *
 *     sked_ratio p95 = {95, 100};
 *     sked_pctl_input in = {.struct_size = sizeof in, .n = n,
 *         .length = length, .amount = amount, .threshold = &p95,
 *         .queues = 1, .thresholds = 1};
 *     sked_pctl(&in, NULL, &point, NULL, &err);
 *
 * A time unit is a span during which a queue held one amount: a length (of
 * nanoseconds, or whatever the caller counts time in) and an amount. Units
 * with amount 0 are vacant and do not count; the lengths of the others add up
 * to the time in use, T. For a threshold p the answer is the smallest amount a
 * that occurs such that the lengths of the units with amount <= a add up to at
 * least p * T, compared exactly. A unit of length 0 has no effect.
 */

#include <sched/base.h>
#include <sched/host.h>

#ifdef __cplusplus
extern "C" {
#endif

enum sked_pctl_flag {
    SKED_PCTL_FLAG_USAGE =
        1 /* fill in `usage` and `waste`, at a quarter more time */
};

/*
 * Units of one or many queues: those of queue q are the rows from first[q] to
 * first[q + 1]. `first` has queues + 1 entries, rising from 0 to n; NULL is one
 * queue with all of them. Lengths are 0 to INT64_MAX and so are their sums per
 * queue; amounts are 0 to SKED_AMOUNT_MAX. Thresholds are p = num / den, with
 * 0 < num <= den, in any order.
 */
typedef struct sked_pctl_input {
    uint32_t struct_size;
    uint32_t flags; /* bits of enum sked_pctl_flag */
    uint64_t n;     /* units in all */
    const int64_t *length;
    const int64_t *amount;
    const uint64_t *first;
    const sked_ratio *threshold;
    uint64_t queues;     /* up to SKED_MAX_QUEUES; without `first`: 1 */
    uint64_t thresholds; /* up to 1,000 */
} sked_pctl_input;

/* Totals of a queue over all its units. */
typedef struct sked_pctl_queue {
    int64_t in_use;  /* T; 0: the queue was never used */
    int64_t vacant;  /* lengths of the units with amount 0 */
    int64_t least;   /* smallest amount in use; 0: never used */
    int64_t peak;    /* largest */
    sked_wide usage; /* sum of amount * length; with SKED_PCTL_FLAG_USAGE, else
                        0 */
} sked_pctl_queue;

/* The answer for one threshold. When T is 0 all is 0, and `covered` is 0/1. */
typedef struct sked_pctl_point {
    int64_t amount;
    int64_t lower;      /* next smaller amount that occurs; 0: none */
    int64_t higher;     /* next larger amount that occurs; 0: none */
    sked_ratio covered; /* time in use at or below `amount`, over T */
    sked_wide waste;    /* sum of (amount - used) * length over the units that
                           are covered; with SKED_PCTL_FLAG_USAGE, else 0 */
} sked_pctl_point;

/*
 * Percentile allocations of all queues for all thresholds: point q *
 * thresholds + j is that of queue q and threshold j. `total` has an entry for
 * each queue, or is NULL. Queues are computed in parallel when the host allows
 * it, with the same answers; outputs may not overlap inputs.
 *
 * Returns SKED_OK, SKED_ERR_ARG (a pointer that may not be NULL, unknown flag,
 * no queue, no threshold, `first` not rising from 0 to n), SKED_ERR_NOMEM,
 * SKED_ERR_RANGE (too many rows, queues or thresholds; an amount or a length
 * outside its range, or lengths that add up to more than 2^63 - 1: `err` names
 * the unit as its row; a threshold: `err` names its index as the row),
 * SKED_ERR_VERSION, SKED_ERR_CANCELLED, or what a hook returned. On failure the
 * contents of the outputs mean nothing. Cost: O(n) expected, one pass for large
 * queues (weighted selection); with more than 32 thresholds O(n log n). [MON-3]
 */
SKED_TRY sked_status sked_pctl(const sked_pctl_input *input,
                               const sked_host *host, sked_pctl_point *point,
                               sked_pctl_queue *total, sked_error *err);

/*
 * How many instances each vector takes, by its dominant resource: the largest
 * of v_k / instance_k over the kinds, rounded up. The unit is one part of an
 * instance that is cut into `parts` equal ones (0: 1). `vec` has n rows of
 * `kinds` amounts, 0 to SKED_AMOUNT_MAX; `instance` has one amount a kind.
 * `kind` (may be NULL) gets the dominant kind of each row, the first among
 * equals: v_kind / instance_kind is the exact number.
 *
 * Returns SKED_OK, SKED_ERR_ARG, or SKED_ERR_RANGE (no or too many kinds; an
 * instance that has nothing, or less than `parts` of a kind; an amount out of
 * range, or above 0 of a kind that the instance does not have: `err` names row
 * and kind). On failure the contents of the outputs mean nothing. Never
 * allocates. Cost: O(n * kinds). [MON-2]
 */
SKED_TRY sked_status sked_pctl_instances(const int64_t *instance,
                                         uint32_t kinds, uint32_t parts,
                                         const int64_t *vec, size_t n,
                                         int64_t *instances, uint8_t *kind,
                                         sked_error *err);

/*
 * The cost of reserving `amount` units, counted in units * length at the price
 * on demand: the reserved units are paid for the whole window, at the price
 * ratio; what is used beyond them is paid on demand.
 */
typedef struct sked_pctl_reserved_cost {
    int64_t amount;
    sked_wide reserved_amount; /* amount * window, before the price ratio */
    sked_wide demand; /* sum of (used - amount) * length where more is used */
    sked_wide cost;   /* reserved_amount * price + demand, rounded up */
} sked_pctl_reserved_cost;

/* The cheapest number to reserve, and what the extremes would cost. */
typedef struct sked_pctl_reserved_result {
    sked_pctl_reserved_cost cheapest;
    sked_pctl_reserved_cost peak; /* everything is reserved */
    sked_pctl_reserved_cost none; /* everything is on demand */
    int64_t exceeded; /* time for which more than `cheapest` is used */
    int64_t window;
} sked_pctl_reserved_result;

/*
 * Finds how many units to reserve where reserved units are cheaper than units
 * on demand. `price` is the reserved price over the price on demand, 0 < price
 * <= 1. The cheapest number is the smallest that is exceeded for no more than
 * that part of the window, vacant time included; it is 0 or an amount that
 * occurs. `window` is no less than the sum of all lengths; 0: that sum. The
 * time units are those of one queue, as for sked_pctl(). `host` may be NULL.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE (price,
 * window, or a unit, which `err` names), SKED_ERR_VERSION, SKED_ERR_CANCELLED,
 * or what a hook said. Cost: O(n) expected. [MON-14]
 */
SKED_TRY sked_status sked_pctl_reserved(const int64_t *length,
                                        const int64_t *amount, size_t n,
                                        int64_t window, sked_ratio price,
                                        const sked_host *host,
                                        sked_pctl_reserved_result *plan,
                                        sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
