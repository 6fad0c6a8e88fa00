#ifndef SKED_TIERS_H
#define SKED_TIERS_H

/*
 * Thresholds for the percentile allocation of tiers. [MON-4]
 *
 * The smallest use:
 *
 *     sked_tiers_plan(history, &input, NULL, &result, NULL, &err);
 *
 * Each queue is allocated the amount that covers its usage for a part of its
 * active time (<sched/pctl.h>); the part is the threshold of its tier. Tier 1
 * is the most important. A plan keeps two orders. From tier 1 on, thresholds do
 * not rise,
 *
 *     p1 >= p2 >= p3,
 *
 * and ratios of usage to capacity do not fall, so that the spare capacity is
 * largest for tier 1:
 *
 *     u1 <= u2 <= u3,  u = usage / (allocation * length of the window).
 *
 * Both are compared exactly. A tier that was not used has no ratio, and the
 * second order leaves it out.
 */

#include <sched/history.h>
#include <sched/slo.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The possible thresholds, and what each costs; borrowed for the call. A tier's
 * thresholds are low, low + step, ..., and high. `allocation` has, tier after
 * tier, what the tier's queues are allocated together at each of these, in that
 * order: it never falls within a tier, and is 0 exactly where the tier's usage
 * is 0. Its entries are up to SKED_AMOUNT_MAX / SKED_MAX_TIERS.
 */
typedef struct sked_tiers_input {
    uint32_t struct_size;
    uint32_t flags;            /* 0 */
    uint64_t tiers;            /* 1 to SKED_MAX_TIERS */
    int64_t step_ppm;          /* 0: 10,000, that is 1 % */
    int64_t total;             /* instances there are, or SKED_UNLIMITED */
    const int64_t *low_ppm;    /* by tier: 1 to high */
    const int64_t *high_ppm;   /* by tier: up to SKED_PPM */
    const sked_wide *usage;    /* by tier: instances times ns */
    const int64_t *allocation; /* instances */
    uint64_t n;                /* entries of `allocation` */
} sked_tiers_input;

/* How a search ended; none of these is an error. */
enum sked_tiers_outcome {
    SKED_TIERS_OK = 0,         /* a plan was found */
    SKED_TIERS_TOTAL = 1,      /* every plan needs more than the total */
    SKED_TIERS_THRESHOLDS = 2, /* no thresholds keep the first order */
    SKED_TIERS_RATIOS = 3      /* no thresholds keep the second order */
};

/*
 * Where the answer goes. The caller sets struct_size and the two columns of
 * input->tiers entries, which are its own. With SKED_TIERS_TOTAL they get the
 * plan for a total of `smallest`. With SKED_TIERS_THRESHOLDS and _RATIOS they
 * are not written: with any total, every threshold of `tier` leaves later tiers
 * without a threshold.
 */
typedef struct sked_tiers_result {
    uint32_t struct_size;
    int32_t outcome;        /* enum sked_tiers_outcome */
    uint32_t tier;          /* for which there is no threshold, from 1; 0: there
                               are for all */
    uint32_t reserved;      /* 0 */
    int64_t allocated;      /* sum of `allocation`; 0 when there is none */
    int64_t smallest;       /* the smallest total of any plan; -1: none */
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
 * Finds the thresholds that keep both orders and fit the total; where several
 * do, those with the greatest threshold for tier 1, then for tier 2, and so on
 * (dynamic programming). `host` may be NULL; it provides the memory to work in,
 * 16 bytes an entry.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE (a number
 * outside its range: `err->row` names the tier, or the entry of
 * `allocation`), SKED_ERR_VERSION, SKED_ERR_CANCELLED or a code of the host's
 * own. On failure nothing is written. Cost: O(n). [MON-4]
 */
SKED_TRY sked_status sked_tiers_search(const sked_tiers_input *input,
                                       const sked_host *host,
                                       sked_tiers_result *result,
                                       sked_error *err);

/*
 * A search over a history, whose amounts are instances (or parts of instances,
 * and then the total counts such parts, too). `tier` is the tier of each of the
 * first `queues` queues; a queue of tier 0 is allocated nothing.
 */
typedef struct sked_tiers_plan_input {
    uint32_t struct_size;
    uint32_t flags;          /* 0 */
    uint64_t tiers;          /* 1 to SKED_MAX_TIERS */
    uint64_t queues;         /* up to those of the history */
    int64_t step_ppm;        /* 0: 10,000, that is 1 % */
    int64_t total;           /* instances there are, or SKED_UNLIMITED */
    const int64_t *low_ppm;  /* by tier: 1 to high */
    const int64_t *high_ppm; /* by tier: up to SKED_PPM */
    const uint8_t *tier;     /* by queue, from 1; 0: none */
} sked_tiers_plan_input;

/*
 * Finds the thresholds of all tiers, and with them what each queue is
 * allocated: the weights of <sched/plan.h>. `point` has an entry a queue, or is
 * NULL; it is not written where the search finds nothing.
 *
 * Returns as sked_tiers_search(): `err->row` names the tier or the queue; and
 * SKED_ERR_NOT_FOUND (more queues than the history has).
 * Cost: O(queues * thresholds * log amounts). [MON-4]
 */
SKED_TRY sked_status sked_tiers_plan(const sked_history *history,
                                     const sked_tiers_plan_input *input,
                                     const sked_host *host,
                                     sked_tiers_result *result,
                                     sked_pctl_point *point, sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
