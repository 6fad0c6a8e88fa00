#ifndef SKED_TIERS_H
#define SKED_TIERS_H

/*
 * Thresholds for the percentile allocation of tiers. [MON-4]
 *
 * Each queue is allocated what covers a part of the time in which it is in use
 * (<sched/pctl.h>); the part is the threshold of its tier. Tier 1 is the most
 * important. A plan keeps two orders: thresholds do not rise from tier 1 on,
 *
 *     p1 >= p2 >= p3,
 *
 * and ratios of usage to capacity do not fall, so that head room is largest
 * for tier 1:
 *
 *     u1 <= u2 <= u3,  u = usage / (allocation * length of the window).
 *
 * Both are compared exactly. A tier that was not used has no ratio; it stands
 * outside the second order.
 */

#include <sched/history.h>
#include <sched/slo.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What may be chosen from. A tier's thresholds are low, low + step, ..., and
 * high. `allocation` has, tier after tier, what the tier's queues are
 * allocated at each of these, in that order: it never falls within a tier, and
 * is 0 exactly where the tier's usage is. Its entries are up to
 * SKED_AMOUNT_MAX / SKED_MAX_TIERS.
 */
typedef struct sked_tiers_input {
    uint32_t struct_size;
    uint32_t flags;            /* 0 */
    uint32_t tiers;            /* 1 to SKED_MAX_TIERS */
    uint32_t reserved;         /* 0 */
    int64_t step_ppm;          /* 0: 10,000, that is 1 % */
    int64_t total;             /* instances there are, or SKED_UNLIMITED */
    const int64_t *low_ppm;    /* by tier: 1 to high */
    const int64_t *high_ppm;   /* by tier: up to SKED_PPM */
    const sked_wide *usage;    /* by tier: instances times ns */
    const int64_t *allocation; /* instances */
    uint64_t n;                /* entries of `allocation` */
} sked_tiers_input;

/* What came of the search; none of them is an error. */
enum sked_tiers_outcome {
    SKED_TIERS_OK = 0,
    SKED_TIERS_TOTAL = 1,      /* the orders hold, for more than the total */
    SKED_TIERS_THRESHOLDS = 2, /* the bounds rule out the first order */
    SKED_TIERS_RATIOS = 3      /* the usage rules out the second order */
};

/*
 * Where the answer goes. The caller sets struct_size and the two columns of
 * in->tiers entries. With SKED_TIERS_TOTAL they hold the plan for `smallest`;
 * with SKED_TIERS_THRESHOLDS and _RATIOS they are left alone: whatever the
 * total, nothing can be chosen for `tier` that leaves a choice to those after
 * it.
 */
typedef struct sked_tiers_result {
    uint32_t struct_size;
    int32_t outcome;        /* enum sked_tiers_outcome */
    uint32_t tier;          /* which fails, from 1; 0: none does */
    uint32_t reserved;      /* 0 */
    int64_t allocated;      /* sum of `allocation`; 0 when there is none */
    int64_t smallest;       /* the smallest total that would do; -1: none */
    int64_t *threshold_ppm; /* by tier */
    int64_t *allocation;    /* by tier: the weights of a plan */
} sked_tiers_result;

/*
 * The thresholds of one tier, in order: writes at most `cap`, `*n` is always
 * how many there are.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE (not 1 <= low <= high <=
 * SKED_PPM, `step_ppm` below 0, `cap` too small). Never allocates.
 */
SKED_TRY sked_status sked_tiers_thresholds(int64_t low_ppm, int64_t high_ppm,
                                           int64_t step_ppm, int64_t *ppm,
                                           size_t cap, size_t *n,
                                           sked_error *err);

/*
 * Finds the thresholds that keep both orders and fit the total: of all these
 * the greatest for tier 1, then for tier 2, and so on. `host` may be NULL; it
 * provides the memory to work in, 16 bytes an entry.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE (a number
 * outside its range: `err->row` names the tier, or the entry of
 * `allocation`), SKED_ERR_VERSION, SKED_ERR_CANCELLED or a code of the host's
 * own. On failure nothing is written. Cost: O(n). [MON-4]
 */
SKED_TRY sked_status sked_tiers_search(const sked_tiers_input *in,
                                       const sked_host *host,
                                       sked_tiers_result *result,
                                       sked_error *err);

/*
 * The same from what was settled of a history, whose amounts are instances
 * (or parts of instances, and then so is the total). `tier` says the tier of
 * each of the first `queues` queues; 0: none, and nothing is allocated.
 */
typedef struct sked_tiers_plan_input {
    uint32_t struct_size;
    uint32_t flags;          /* 0 */
    uint32_t tiers;          /* 1 to SKED_MAX_TIERS */
    uint32_t queues;         /* up to those of the history */
    int64_t step_ppm;        /* 0: 10,000, that is 1 % */
    int64_t total;           /* instances there are, or SKED_UNLIMITED */
    const int64_t *low_ppm;  /* by tier: 1 to high */
    const int64_t *high_ppm; /* by tier: up to SKED_PPM */
    const uint8_t *tier;     /* by queue, from 1; 0: none */
} sked_tiers_plan_input;

/*
 * Finds the thresholds of all tiers, and with them what each queue is
 * allocated: the weights of <sched/plan.h>. `point` has an entry a queue, or is
 * NULL; it is left alone where the search finds nothing.
 *
 * Returns as sked_tiers_search(): `err->row` names the tier or the queue; and
 * SKED_ERR_NOT_FOUND (more queues than the history has).
 * Cost: O(queues thresholds log amounts). [MON-4]
 */
SKED_TRY sked_status sked_tiers_plan(const sked_history *history,
                                     const sked_tiers_plan_input *request,
                                     const sked_host *host,
                                     sked_tiers_result *result,
                                     sked_pctl_point *point, sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
