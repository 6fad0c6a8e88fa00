#ifndef SKED_FILL_H
#define SKED_FILL_H

/*
 * Weighted max-min fair shares of one total among siblings (water filling), on
 * plain arrays.
 *
 * The smallest use:
 *
 *     sked_fill_input in = {.struct_size = sizeof in, .total = 100, .n = 3,
 *                           .demand = demand, .weight = weight};
 *     sked_fill_result out = {.struct_size = sizeof out, .share = share};
 *     sked_fill(&in, NULL, NULL, &out, &err);
 *
 * Every queue has a guarantee, a limit, a demand and a weight. One level r is
 * raised until the total is used up: queue i gets weight * r, but never less
 * than its guarantee and never more than its cap, which is the smaller of limit
 * and demand. The level is found as an exact fraction, and the shares are whole
 * units that add up exactly; of equal claims the earlier queue's goes first.
 *
 * Amounts are counts of the kind's smallest unit, 0 to SKED_AMOUNT_MAX. A
 * queue whose cap is below its guarantee gets the cap: limit and demand beat
 * the guarantee. A queue of weight 0 gets its guarantee and nothing else.
 */

#include <sched/base.h>
#include <sched/host.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the level is measured from. */
enum sked_fill_form {
    SKED_FILL_FORM_RATIO = 0,         /* weight * r, at least the guarantee */
    SKED_FILL_FORM_OVER_GUARANTEE = 1 /* the guarantee, plus weight * r */
};

/* How the exact fractions become whole units (apportionment). */
enum sked_apportion {
    /*
     * The method of Webster, bounded: from the guarantees on, each unit goes to
     * the queue with the least (2 * share + 1) / weight. No queue loses a unit
     * when the total grows.
     */
    SKED_APPORTION_WEBSTER = 0,
    /* Largest remainder: fractions are rounded down, then the queues with the
     * largest remainders get one unit more. Each share is within one unit of
     * its fraction. */
    SKED_APPORTION_LARGEST = 1,
    /* Cumulative rounding: shares are differences of the running sum, rounded
     * down. The sum over any run of neighbours is within one unit of its
     * fraction. */
    SKED_APPORTION_PREFIX = 2
};

/* How a filling ended; none of these is an error. */
enum sked_fill_outcome {
    SKED_FILL_OUTCOME_OK = 0,        /* the total is used up at a level */
    SKED_FILL_OUTCOME_SATURATED = 1, /* each queue has all that it may have, and
                                        `leftover` of the total remains */
    SKED_FILL_OUTCOME_OVERCOMMIT = 2 /* the guarantees exceed the total */
};

/* Which bound keeps a queue from having weight * r. */
enum sked_bound {
    SKED_BOUND_NONE = 0,      /* none: it is at the level */
    SKED_BOUND_GUARANTEE = 1, /* it gets more, because of its guarantee */
    SKED_BOUND_LIMIT = 2,     /* it could use more than its limit */
    SKED_BOUND_DEMAND = 3,    /* it has all it asked for */
    SKED_BOUND_WEIGHT = 4,    /* weight 0: the guarantee and no more */
    SKED_BOUND_TOTAL = 5,     /* its guarantee is cut:
                                  SKED_FILL_OUTCOME_OVERCOMMIT */
    /* Of shares over a tree only: <sched/share.h>. */
    SKED_BOUND_BORROW = 6,  /* at guarantee + borrow */
    SKED_BOUND_LEND = 7,    /* kept free for it: guarantee - lend */
    SKED_BOUND_IDLE = 8,    /* it is not active and gets nothing, or drains and
                               gets what it has */
    SKED_BOUND_CHILDREN = 9 /* a parent: its children can take no more */
};

/*
 * The siblings as columns of `n` rows, borrowed for the call. A column that is
 * NULL has one value for all rows: guarantee 0, limit and demand without bound,
 * weight 1. In `limit` and `demand` SKED_UNLIMITED stands for "no bound".
 *
 * `amount_weight` is for amounts that act as weights (guarantees in the
 * capacity model), 0 to SKED_AMOUNT_MAX. At most one of the two weight columns
 * is given; `amount_weight` takes several times as long.
 */
typedef struct sked_fill_input {
    uint32_t struct_size;
    uint32_t flags; /* 0 */
    int64_t total;  /* units to share, 0 to SKED_AMOUNT_MAX */
    uint64_t n;     /* rows, up to 2^31 - 1 */
    const int64_t *guarantee;
    const int64_t *limit;
    const int64_t *demand;
    const uint32_t *weight;
    const int64_t *amount_weight;
    const void *reserved; /* NULL */
} sked_fill_input;

enum sked_fill_flag {
    /* What demand leaves over is shared in a second filling, by weight and up
     * to the limits only, so that it is there for demand to come. */
    SKED_FILL_FLAG_ANTICIPATE = 1
};

typedef struct sked_fill_options {
    uint32_t struct_size;
    uint32_t flags;   /* bits of enum sked_fill_flag */
    int32_t form;     /* enum sked_fill_form */
    int32_t rounding; /* enum sked_apportion */
} sked_fill_options;

/*
 * Where the answer goes. The caller sets struct_size and the two columns, which
 * are its own: `share` has n entries, `bound` has as many or is NULL. The call
 * fills the rest.
 *
 * `level` is exact but not in lowest terms. Its `den` is 0 when no queue is at
 * a level (SATURATED), and when the fraction does not fit (OVERCOMMIT by huge
 * guarantees, where the level is total / sum of guarantees; huge
 * `amount_weight`, where it is `num` / sum of the weights at the level). With
 * SKED_FILL_FLAG_ANTICIPATE, outcome, level and bounds are those of the first
 * filling, and `leftover` is what remains after the second.
 */
typedef struct sked_fill_result {
    uint32_t struct_size;
    int32_t outcome;  /* enum sked_fill_outcome */
    int64_t leftover; /* units that no queue may take */
    sked_ratio level;
    int64_t *share;
    uint8_t *bound; /* enum sked_bound of each row, or NULL */
} sked_fill_result;

/*
 * Shares `input->total` among `input->n` siblings.
 *
 * The shares add up to the total less `leftover`. With SKED_FILL_OUTCOME_OK
 * each lies between its guarantee and its cap. When the capped guarantees alone
 * exceed the total, each is honoured in the same ratio. The share columns may
 * not overlap the input. `host` (may be NULL) gives the scratch memory, some 70
 * bytes a row, and may cancel; `options` may be NULL.
 *
 * Returns SKED_OK, SKED_ERR_ARG (a pointer that may not be NULL, unknown flag,
 * form or rounding, both weight columns), SKED_ERR_NOMEM, SKED_ERR_RANGE (too
 * many rows, or a number outside its range: `err` names the row),
 * SKED_ERR_VERSION, SKED_ERR_CANCELLED, or what the host's progress hook said.
 * On failure nothing is written. Cost: O(n) expected.
 * [MON-10] [MON-13] [PEL-8] [PEL-9] [PEL-10] [CAP-2]
 */
SKED_TRY sked_status sked_fill(const sked_fill_input *input,
                               const sked_fill_options *options,
                               const sked_host *host, sked_fill_result *result,
                               sked_error *err);

/*
 * Weights corrected by past usage: queue i has weight w_i and has used usage_i
 * of `usage_total` in the past. With W' = w_i / sum of w and U' = usage_i /
 * usage_total, its new weight is in proportion to max(0, W' + k * (W' - U')),
 * where k is `k_ppm` / 1,000,000. k 0 leaves the weights' ratio as it is; the
 * larger k is, the more past usage counts. A `usage_total` of 0 means that
 * nothing was used: U' is 0.
 *
 * Writes n numbers for the `amount_weight` column of a filling. They are exact
 * when intermediate numbers fit in 127 bits (usage is cut to the bits that do)
 * and the largest result in 62; else all are divided by the same power of two
 * and rounded down, but to no less than 1 where they are above zero. When every
 * queue has used too much all are 0, and a filling by them gives guarantees
 * only. `weight` may be NULL: all 1. `weights` may be `usage`.
 *
 * Returns SKED_OK, SKED_ERR_ARG, or SKED_ERR_RANGE (n above 2^31 - 1, an
 * amount outside 0 to SKED_AMOUNT_MAX, `k_ppm` outside 0 to 10^12). On failure
 * nothing is written. Never allocates. Cost: O(n).
 */
SKED_TRY sked_status sked_fill_time_weights(const uint32_t *weight,
                                            const int64_t *usage, size_t n,
                                            int64_t usage_total, int64_t k_ppm,
                                            int64_t *weights, sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
