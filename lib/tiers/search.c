/*
 * Chooses thresholds for tiers by dynamic programming, from the last tier up.
 *
 * Thresholds and allocations of a tier rise together. So, for a threshold of
 * tier t, both orders allow a prefix of the next tier's thresholds: those up to
 * t's own, with allocations up to what t's ratio permits. The least that tier t
 * and all after it can take at that threshold is t's allocation plus the least
 * need over the prefix; and the prefix only grows as t's threshold rises. One
 * pass a tier notes these needs and their minima over prefixes. The plan is
 * then read off from tier 1 down: the greatest threshold at which the rest
 * still fits.
 *
 * Tiers that were not used take nothing and have no ratio. They only lower the
 * bound on later thresholds to the greatest of their own thresholds within it.
 */
#include "tiers/threshold.h"

#include "base/fail.h"
#include "base/hooks.h"
#include "base/versioned.h"
#include "base/wide.h"

SKEDI_NO_TAIL_PADDING(sked_tiers_input, n);
SKEDI_NO_TAIL_PADDING(sked_tiers_result, allocation);

enum {
    TIERS_INPUT_V1 = SKEDI_SIZE_THROUGH(sked_tiers_input, n),
    TIERS_RESULT_V1 = SKEDI_SIZE_THROUGH(sked_tiers_result, allocation)
};

static const int64_t no_plan = INT64_MAX; /* no choice is left at any total */

/* What a threshold's tier and all tiers after it need at least. */
typedef struct tier_need {
    int64_t own;   /* the least total with this threshold; no_plan: none */
    int64_t least; /* the least of this one and those below it */
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

/* The first used tier from `tier` on, or the number of tiers. Unused tiers
 * before it lower `*bound`, to -1 when one has no threshold within it. */
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

/* Is u(upper) <= u(lower) with these allocations? */
static int ratios_rise(const tier_search *s, uint32_t upper, int64_t upper_has,
                       uint32_t lower, int64_t lower_has)
{
    skedi_u192 left = skedi_u192_mul(usage_of(s, upper), (uint64_t)lower_has);
    skedi_u192 right = skedi_u192_mul(usage_of(s, lower), (uint64_t)upper_has);

    return skedi_u192_cmp(left, right) <= 0;
}

/* How many of the next used tier's thresholds the orders allow with threshold
 * i; it is known of the first `from`. */
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

/* The least that tiers from `next` on need, where the first n thresholds of
 * `next` are allowed; no_plan if there is none, or `bound` is -1. */
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

/* The greatest of a tier's first n thresholds that fits the total; there is
 * one.
 */
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

/* Reads the plan off the needs, for a total that is large enough. */
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

/* Finds the last tier for which no threshold leaves the tiers after it any,
 * whatever the total, and the order that rules them out. */
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
        if (!skedi_tier_bounds_are_sound(low, high, 1)) {
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
