/*
 * Thresholds of tiers from a history. The call asks every queue for its
 * allocation at each threshold of its tier, and adds up the allocations by
 * tier. The search chooses the thresholds. The call then asks every queue for
 * its allocation at the chosen threshold.
 */
#include <sched/tiers.h>

#include "base/fail.h"
#include "base/hooks.h"
#include "base/versioned.h"
#include "base/wide.h"

/* The largest allocation of a tier. */
#define SKEDI_TIER_MOST (SKED_AMOUNT_MAX / SKED_MAX_TIERS)

/* The effective step: 0 means 1 %. A step above SKED_PPM is reduced to
 * SKED_PPM, because sums with the step might overflow; both lead from any low
 * to any high. */
static inline int64_t skedi_tier_step(int64_t step_ppm)
{
    if (step_ppm > SKED_PPM) return SKED_PPM;
    return step_ppm ? step_ppm : 10000;
}

/* The number of thresholds of a tier, and the i-th threshold. */
static inline uint64_t skedi_tier_count(int64_t low, int64_t high, int64_t step)
{
    return (uint64_t)((high - low + step - 1) / step) + 1;
}

static inline int64_t skedi_tier_threshold(int64_t low, int64_t high,
                                           int64_t step, uint64_t i)
{
    int64_t at = low + (int64_t)i * step;

    return at < high ? at : high;
}

/* Checks the bounds of a tier's thresholds. */

static int tier_bounds_are_sound(int64_t low, int64_t high, int64_t step)
{
    return low >= 1 && low <= high && high <= SKED_PPM && step >= 0;
}

sked_status sked_tiers_thresholds(int64_t low_ppm, int64_t high_ppm,
                                  int64_t step_ppm, int64_t *ppm, size_t cap,
                                  size_t *n, sked_error *err)
{
    const char *missing = !n ? "n" : cap > 0 && !ppm ? "ppm" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (!tier_bounds_are_sound(low_ppm, high_ppm, step_ppm))
        return skedi_fail_plain(err, SKED_ERR_RANGE,
                                "low, high or step is out of range");
    int64_t step = skedi_tier_step(step_ppm);
    *n = (size_t)skedi_tier_count(low_ppm, high_ppm, step);
    if (cap < *n) return skedi_fail_cap(err, *n, cap);
    for (size_t i = 0; i < *n; i++) {
        ppm[i] = skedi_tier_threshold(low_ppm, high_ppm, step, i);
    }
    return SKED_OK;
}

/*
 * Chooses thresholds for tiers by dynamic programming, from the last tier up.
 *
 * Thresholds and allocations of a tier rise together. For a threshold of tier
 * t, both orders allow a prefix of the next tier's thresholds: thresholds up to
 * t's own, with allocations up to the amount that t's ratio permits. The least
 * need of tier t and all later tiers at a threshold is t's allocation plus the
 * least need over the prefix. The prefix only grows as t's threshold rises. A
 * pass per tier notes these needs and their minima over prefixes. The plan is
 * then read from tier 1 down: each tier takes the greatest threshold with which
 * all later tiers still fit.
 *
 * Tiers without usage take nothing and have no ratio. A tier without usage only
 * lowers the bound on later thresholds, to the tier's greatest threshold within
 * the bound.
 */

SKEDI_NO_TAIL_PADDING(sked_tiers_input, n);
SKEDI_NO_TAIL_PADDING(sked_tiers_result, allocation);

enum {
    TIERS_INPUT_V1 = SKEDI_SIZE_THROUGH(sked_tiers_input, n),
    TIERS_RESULT_V1 = SKEDI_SIZE_THROUGH(sked_tiers_result, allocation)
};

static const int64_t no_plan = INT64_MAX; /* no choice is left at any total */

/* The least need of a tier and all later tiers at a threshold. */
typedef struct tier_need {
    int64_t own;   /* the least total with this threshold; no_plan: none */
    int64_t least; /* the least `own` up to this threshold */
} tier_need;

typedef struct tier_search {
    sked_tiers_input in;
    skedi_hooks hooks;
    int64_t step;
    uint64_t first[SKED_MAX_TIERS + 1]; /* a tier's entries */
    tier_need *need;                    /* by entry */
    int64_t threshold[SKED_MAX_TIERS];
    int64_t allocation[SKED_MAX_TIERS];
} tier_search;

static int is_used(const tier_search *s, uint32_t tier)
{
    return (s->in.usage[tier].high | s->in.usage[tier].low) != 0;
}

static uint64_t entries_of(const tier_search *s, uint32_t tier)
{
    return s->first[tier + 1] - s->first[tier];
}

static int64_t threshold_at(const tier_search *s, uint32_t tier, uint64_t i)
{
    return skedi_tier_threshold(s->in.low_ppm[tier], s->in.high_ppm[tier],
                                s->step, i);
}

static int64_t allocation_at(const tier_search *s, uint32_t tier, uint64_t i)
{
    return s->in.allocation[s->first[tier] + i];
}

/* A tier's greatest threshold up to `bound`; -1: all are above. */
static int64_t floor_threshold(const tier_search *s, uint32_t tier,
                               int64_t bound)
{
    int64_t low = s->in.low_ppm[tier], high = s->in.high_ppm[tier];

    if (bound >= high) return high;
    if (bound < low) return -1;
    return low + (bound - low) / s->step * s->step;
}

/* The first used tier from `tier` on, or the number of tiers. Unused tiers on
 * the way lower `*bound`; `*bound` becomes -1 if a tier has no threshold within
 * the bound. */
static uint32_t pass_unused(const tier_search *s, uint32_t tier, int64_t *bound)
{
    while (tier < s->in.tiers && !is_used(s, tier)) {
        *bound = floor_threshold(s, tier, *bound);
        tier++;
    }
    return tier;
}

static skedi_u128 usage_of(const tier_search *s, uint32_t tier)
{
    return skedi_wide_in(s->in.usage[tier]);
}

/* True if u(upper) <= u(lower) with these allocations. */
static int ratios_rise(const tier_search *s, uint32_t upper, int64_t upper_has,
                       uint32_t lower, int64_t lower_has)
{
    skedi_u192 left = skedi_u192_mul(usage_of(s, upper), (uint64_t)lower_has);
    skedi_u192 right = skedi_u192_mul(usage_of(s, lower), (uint64_t)upper_has);

    return skedi_u192_cmp(left, right) <= 0;
}

/* The number of the next used tier's thresholds that the orders allow with
 * threshold i; the first `from` thresholds are already known to be allowed. */
static uint64_t go_with(const tier_search *s, uint32_t tier, uint64_t i,
                        uint32_t next, uint64_t from)
{
    int64_t bound = threshold_at(s, tier, i);
    int64_t has = allocation_at(s, tier, i);
    uint64_t n = from;

    (void)pass_unused(s, tier + 1, &bound);
    while (n < entries_of(s, next) && threshold_at(s, next, n) <= bound &&
           ratios_rise(s, tier, has, next, allocation_at(s, next, n))) {
        n++;
    }
    return n;
}

/* The least need of the tiers from `next` on, with the first n thresholds of
 * `next` allowed. no_plan: no choice is left, or `bound` is -1. */
static int64_t least_after(const tier_search *s, uint32_t next, uint64_t n,
                           int64_t bound)
{
    if (bound < 0) return no_plan;
    if (next == s->in.tiers) return 0;
    return n > 0 ? s->need[s->first[next] + n - 1].least : no_plan;
}

static void fill_tier(tier_search *s, uint32_t tier)
{
    tier_need *need = s->need + s->first[tier];
    int64_t best = no_plan;
    uint64_t n = 0;

    for (uint64_t i = 0; i < entries_of(s, tier); i++) {
        int64_t bound = threshold_at(s, tier, i);
        uint32_t next = pass_unused(s, tier + 1, &bound);
        if (next < s->in.tiers) n = go_with(s, tier, i, next, n);
        int64_t after = least_after(s, next, n, bound);
        need[i].own = after == no_plan ? no_plan
                                       : after + allocation_at(s, tier, i);
        best = skedi_i64_min(best, need[i].own);
        need[i].least = best;
    }
}

/* The bottom tier first; the host is asked once a tier. */
static sked_status tiers_fill_all(tier_search *s, sked_error *err)
{
    for (uint32_t t = (uint32_t)s->in.tiers; t-- > 0;) {
        sked_status rc = skedi_hooks_check(&s->hooks, s->in.tiers - 1 - t,
                                           s->in.tiers);
        if (rc != SKED_OK) return skedi_fail_stopped(err, rc);
        if (is_used(s, t)) fill_tier(s, t);
    }
    return SKED_OK;
}

/* The least total of tiers from `tier` on, their thresholds up to `bound`. */
static int64_t least_from(const tier_search *s, uint32_t tier, int64_t bound)
{
    uint32_t next = pass_unused(s, tier, &bound);
    uint64_t n = 0;

    if (bound < 0) return no_plan;
    if (next == s->in.tiers) return 0;
    while (n < entries_of(s, next) && threshold_at(s, next, n) <= bound) n++;
    return least_after(s, next, n, bound);
}

/* The greatest of a tier's first n thresholds that fits the total; at least one
 * fits. */
static uint64_t greatest_fit(const tier_search *s, uint32_t tier, uint64_t n,
                             int64_t total)
{
    const tier_need *need = s->need + s->first[tier];
    uint64_t i = n - 1;

    while (need[i].own == no_plan || need[i].own > total) i--;
    return i;
}

static void choose_unused(tier_search *s, uint32_t tier, uint32_t to,
                          int64_t bound)
{
    for (; tier < to; tier++) {
        bound = floor_threshold(s, tier, bound);
        s->threshold[tier] = bound;
        s->allocation[tier] = 0;
    }
}

/* Reads the plan from the needs; the total is large enough. */
static void choose_all(tier_search *s, int64_t total)
{
    int64_t bound = SKED_PPM;
    uint32_t tier = pass_unused(s, 0, &bound);
    uint64_t n = 0;

    choose_unused(s, 0, tier, SKED_PPM);
    if (tier < s->in.tiers) {
        while (n < entries_of(s, tier) && threshold_at(s, tier, n) <= bound) {
            n++;
        }
    }
    while (tier < s->in.tiers) {
        uint64_t i = greatest_fit(s, tier, n, total);
        s->threshold[tier] = bound = threshold_at(s, tier, i);
        s->allocation[tier] = allocation_at(s, tier, i);
        total -= s->allocation[tier];
        uint32_t next = pass_unused(s, tier + 1, &bound);
        choose_unused(s, tier + 1, next, s->threshold[tier]);
        if (next < s->in.tiers) n = go_with(s, tier, i, next, 0);
        tier = next;
    }
}

/* Finds the last tier whose thresholds all leave the later tiers no threshold,
 * at any total, and the order that rules the thresholds out. */
static void name_culprit(const tier_search *s, sked_tiers_result *r)
{
    uint32_t tier = (uint32_t)s->in.tiers;

    while (tier-- > 0) {
        int64_t high = s->in.high_ppm[tier];
        uint64_t n = entries_of(s, tier);
        int64_t least = is_used(s, tier) ? s->need[s->first[tier] + n - 1].least
                                         : least_from(s, tier, high);
        if (least != no_plan) continue;
        int possible = is_used(s, tier) &&
                       least_from(s, tier + 1, high) != no_plan;
        r->outcome = possible ? SKED_TIERS_RATIOS : SKED_TIERS_THRESHOLDS;
        r->tier = tier + 1;
        return;
    }
}

static void answer(tier_search *s, sked_tiers_result *r)
{
    int64_t least = least_from(s, 0, SKED_PPM);

    r->outcome = SKED_TIERS_OK;
    r->tier = 0;
    r->allocated = 0;
    r->smallest = least == no_plan ? -1 : least;
    if (least == no_plan) {
        name_culprit(s, r);
        return;
    }
    if (least > s->in.total) r->outcome = SKED_TIERS_TOTAL;
    choose_all(s, skedi_i64_max(least, s->in.total));
    for (uint32_t t = 0; t < s->in.tiers; t++) {
        r->threshold_ppm[t] = s->threshold[t];
        r->allocation[t] = s->allocation[t];
        r->allocated += s->allocation[t];
    }
}

/* ---- Checks of the input ---- */

static sked_status tier_fault(sked_error *err, const char *message,
                              uint64_t row, int64_t got, int64_t limit)
{
    return skedi_fail(
        err, SKED_ERR_RANGE, message,
        (skedi_fault){.row = (int64_t)row + 1, .got = got, .limit = limit});
}

static sked_status take_bounds(tier_search *s, sked_error *err)
{
    const sked_tiers_input *in = &s->in;

    if (in->step_ppm < 0) {
        return skedi_fail(err, SKED_ERR_RANGE, "step below 0",
                          (skedi_fault){.got = in->step_ppm});
    }
    s->step = skedi_tier_step(in->step_ppm);
    for (uint32_t t = 0; t < in->tiers; t++) {
        int64_t low = in->low_ppm[t], high = in->high_ppm[t];
        if (!tier_bounds_are_sound(low, high, 1)) {
            return tier_fault(err, "tier has no such bounds", t, low, high);
        }
        s->first[t + 1] = s->first[t] + skedi_tier_count(low, high, s->step);
    }
    if (in->n != s->first[in->tiers]) {
        return skedi_fail(err, SKED_ERR_RANGE, "not as many allocations",
                          (skedi_fault){.got = (int64_t)in->n,
                                        .limit = (int64_t)s->first[in->tiers]});
    }
    return SKED_OK;
}

static sked_status check_allocations(const tier_search *s, uint32_t tier,
                                     sked_error *err)
{
    int64_t before = is_used(s, tier) ? 1 : 0;
    int64_t most = is_used(s, tier) ? SKEDI_TIER_MOST : 0;

    for (uint64_t i = s->first[tier]; i < s->first[tier + 1]; i++) {
        int64_t has = s->in.allocation[i];
        if (has < before) {
            return tier_fault(err, "allocation falls, or is 0 in use", i, has,
                              before);
        }
        if (has > most) {
            return tier_fault(err, "allocation too large for the usage", i, has,
                              most);
        }
        before = has;
    }
    return SKED_OK;
}

static sked_status tiers_take(tier_search *s, const sked_tiers_input *in,
                              const sked_host *host, sked_error *err)
{
    sked_status rc = skedi_struct_in(&s->in, sizeof s->in, in, TIERS_INPUT_V1);

    if (rc != SKED_OK) {
        return skedi_fail_version(err, "input");
    }
    in = &s->in;
    if (in->flags) return skedi_fail_flags(err, "input");
    if (in->tiers < 1 || in->tiers > SKED_MAX_TIERS) {
        return skedi_fail(
            err, SKED_ERR_RANGE, "no such number of tiers",
            (skedi_fault){.got = (int64_t)in->tiers, .limit = SKED_MAX_TIERS});
    }
    const char *missing = !in->low_ppm      ? "input.low_ppm"
                          : !in->high_ppm   ? "input.high_ppm"
                          : !in->usage      ? "input.usage"
                          : !in->allocation ? "input.allocation"
                                            : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (in->total < 0) {
        return skedi_fail(err, SKED_ERR_RANGE, "total below 0",
                          (skedi_fault){.got = in->total});
    }
    rc = skedi_hooks_in(&s->hooks, host, err);
    if (rc == SKED_OK) rc = take_bounds(s, err);
    for (uint32_t t = 0; t < in->tiers && rc == SKED_OK; t++) {
        rc = check_allocations(s, t, err);
    }
    return rc;
}

static sked_status check_result(const sked_tiers_result *result,
                                sked_error *err)
{
    if (!result) return skedi_fail_null(err, "result");
    sked_status rc = skedi_struct_out(result->struct_size, TIERS_RESULT_V1);
    if (rc != SKED_OK) {
        return skedi_fail_version(err, "result");
    }
    const char *missing = !result->threshold_ppm ? "result.threshold_ppm"
                          : !result->allocation  ? "result.allocation"
                                                 : NULL;
    if (missing) return skedi_fail_null(err, missing);
    return SKED_OK;
}

sked_status sked_tiers_search(const sked_tiers_input *input,
                              const sked_host *host, sked_tiers_result *result,
                              sked_error *err)
{
    tier_search s = {0};

    if (!input) return skedi_fail_null(err, "input");
    sked_status rc = check_result(result, err);
    if (rc == SKED_OK) rc = tiers_take(&s, input, host, err);
    if (rc != SKED_OK) return rc;
    size_t n = (size_t)s.in.n;
    s.need = skedi_new(&s.hooks.mem, n, sizeof *s.need);
    if (!s.need) {
        return skedi_fail_memory(err);
    }
    rc = tiers_fill_all(&s, err);
    if (rc == SKED_OK) answer(&s, result);
    skedi_free(&s.hooks.mem, s.need, n, sizeof *s.need);
    return rc;
}

SKEDI_NO_TAIL_PADDING(sked_tiers_plan_input, tier);

enum {
    TIERS_REQUEST_V1 = SKEDI_SIZE_THROUGH(sked_tiers_plan_input, tier),
    TIERS_AT_ONCE = 64 /* thresholds in a query */
};

/* The temporary data of a call. */
typedef struct tiers_making {
    sked_tiers_plan_input in;
    skedi_hooks hooks;
    sked_host host; /* for the search: without user_free */
    const sked_history *history;
    uint64_t first[SKED_MAX_TIERS + 1];
    skedi_u128 usage[SKED_MAX_TIERS];
    int64_t *allocation; /* by tier and threshold */
    int64_t step;
} tiers_making;

static sked_status take_request(tiers_making *m, const sked_host *host,
                                sked_error *err)
{
    const sked_tiers_plan_input *in = &m->in;

    if (in->flags) return skedi_fail_flags(err, "input");
    if (in->tiers < 1 || in->tiers > SKED_MAX_TIERS) {
        return skedi_fail(
            err, SKED_ERR_RANGE, "no such number of tiers",
            (skedi_fault){.got = (int64_t)in->tiers, .limit = SKED_MAX_TIERS});
    }
    if (in->queues > SKED_MAX_QUEUES) {
        return skedi_fail(err, SKED_ERR_RANGE, "too many queues",
                          (skedi_fault){.got = (int64_t)in->queues,
                                        .limit = SKED_MAX_QUEUES});
    }
    const char *missing = !in->low_ppm                  ? "input.low_ppm"
                          : !in->high_ppm               ? "input.high_ppm"
                          : in->queues > 0 && !in->tier ? "input.tier"
                                                        : NULL;
    if (missing) return skedi_fail_null(err, missing);
    m->step = skedi_tier_step(in->step_ppm);
    for (uint32_t t = 0; t < in->tiers; t++) {
        size_t n = 0;
        sked_status rc = sked_tiers_thresholds(in->low_ppm[t], in->high_ppm[t],
                                               in->step_ppm, NULL, 0, &n, err);
        if (n == 0) {
            return skedi_fail(err, rc, "tier has no such bounds or step",
                              (skedi_fault){.row = (int64_t)t + 1});
        }
        m->first[t + 1] = m->first[t] + n;
    }
    for (uint32_t q = 0; q < in->queues; q++) {
        if (in->tier[q] <= in->tiers) continue;
        return skedi_fail(err, SKED_ERR_RANGE, "queue of no such tier",
                          (skedi_fault){.row = (int64_t)q + 1,
                                        .got = in->tier[q],
                                        .limit = (int64_t)in->tiers});
    }
    return skedi_hooks_in(&m->hooks, host, err);
}

static sked_status sum_fault(sked_error *err, uint32_t queue)
{
    return skedi_fail(
        err, SKED_ERR_RANGE, "a tier used or needs more than can be",
        (skedi_fault){.row = (int64_t)queue + 1, .limit = SKEDI_TIER_MOST});
}

/* Adds a queue's allocation at `n` thresholds of its tier, from the i-th on. */
static sked_status add_some(tiers_making *m, uint32_t queue, uint64_t i,
                            uint64_t n, sked_error *err)
{
    uint32_t t = m->in.tier[queue] - 1u;
    int64_t *to = m->allocation + m->first[t] + i;
    sked_ratio threshold[TIERS_AT_ONCE];
    sked_pctl_point point[TIERS_AT_ONCE];
    sked_pctl_queue total;

    for (uint64_t j = 0; j < n; j++) {
        threshold[j].num = skedi_tier_threshold(
            m->in.low_ppm[t], m->in.high_ppm[t], m->step, i + j);
        threshold[j].den = SKED_PPM;
    }
    sked_status rc = sked_history_pctl(m->history, &queue, 1, threshold,
                                       (size_t)n, point, &total, err);
    if (rc != SKED_OK) return rc;
    for (uint64_t j = 0; j < n; j++) {
        to[j] = skedi_amount_add(to[j], point[j].amount);
        if (to[j] > SKEDI_TIER_MOST) return sum_fault(err, queue);
    }
    if (i > 0) return SKED_OK;
    return skedi_wide_add(&m->usage[t], total.usage) ? SKED_OK
                                                     : sum_fault(err, queue);
}

static sked_status add_all(tiers_making *m, sked_error *err)
{
    sked_status rc = SKED_OK;

    for (uint32_t q = 0; q < m->in.queues && rc == SKED_OK; q++) {
        if (m->in.tier[q] == 0) continue;
        uint32_t t = m->in.tier[q] - 1u;
        uint64_t n = m->first[t + 1] - m->first[t];
        rc = skedi_hooks_check(&m->hooks, q, m->in.queues);
        if (rc != SKED_OK) return skedi_fail_stopped(err, rc);
        for (uint64_t i = 0; i < n && rc == SKED_OK; i += TIERS_AT_ONCE) {
            uint64_t some = n - i < TIERS_AT_ONCE ? n - i : TIERS_AT_ONCE;
            rc = add_some(m, q, i, some, err);
        }
    }
    return rc;
}

static sked_status search_plan(tiers_making *m, sked_tiers_result *result,
                               sked_error *err)
{
    sked_wide usage[SKED_MAX_TIERS];
    const sked_tiers_input in = {
        .struct_size = sizeof in,
        .tiers = m->in.tiers,
        .step_ppm = m->in.step_ppm,
        .total = m->in.total,
        .low_ppm = m->in.low_ppm,
        .high_ppm = m->in.high_ppm,
        .usage = usage,
        .allocation = m->allocation,
        .n = m->first[m->in.tiers],
    };

    for (uint32_t t = 0; t < m->in.tiers; t++) {
        usage[t] = skedi_wide_of(m->usage[t]);
    }
    return sked_tiers_search(&in, &m->host, result, err);
}

/* The allocation of each queue at its tier's threshold. An earlier query asked
 * for the same points, so no point is invalid. */
static sked_status give_points(const tiers_making *m,
                               const sked_tiers_result *result,
                               sked_pctl_point *point, sked_error *err)
{
    sked_status rc = SKED_OK;

    for (uint32_t q = 0; q < m->in.queues && rc == SKED_OK; q++) {
        sked_ratio threshold = {0, SKED_PPM};
        point[q] = (sked_pctl_point){.covered = {0, 1}};
        if (m->in.tier[q] == 0) continue;
        threshold.num = result->threshold_ppm[m->in.tier[q] - 1];
        rc = sked_history_pctl(m->history, &q, 1, &threshold, 1, &point[q],
                               NULL, err);
    }
    return rc;
}

static sked_status make_tiers(tiers_making *m, sked_tiers_result *result,
                              sked_pctl_point *point, sked_error *err)
{
    size_t n = (size_t)m->first[m->in.tiers];
    skedi_mem *mem = &m->hooks.mem;

    m->allocation = skedi_new(mem, n, sizeof *m->allocation);
    if (!m->allocation) {
        return skedi_fail_memory(err);
    }
    sked_status rc = add_all(m, err);
    if (rc == SKED_OK) rc = search_plan(m, result, err);
    if (rc == SKED_OK && point && result->tier == 0) {
        rc = give_points(m, result, point, err);
    }
    skedi_free(mem, m->allocation, n, sizeof *m->allocation);
    return rc;
}

sked_status sked_tiers_plan(const sked_history *history,
                            const sked_tiers_plan_input *input,
                            const sked_host *host, sked_tiers_result *result,
                            sked_pctl_point *point, sked_error *err)
{
    tiers_making m = {.history = history};

    const char *missing = !history  ? "history"
                          : !input  ? "input"
                          : !result ? "result"
                                    : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = skedi_struct_in(&m.in, sizeof m.in, input,
                                     TIERS_REQUEST_V1);
    if (rc != SKED_OK) {
        return skedi_fail_version(err, "input");
    }
    rc = take_request(&m, host, err);
    if (rc != SKED_OK) return rc;
    m.host = m.hooks.host;
    m.host.user_free = NULL;
    return make_tiers(&m, result, point, err);
}
