/*
 * Ratios of usage to capacity, what is stranded, and whether the cluster should
 * change.
 *
 * Every ratio is a sum of amounts times ns, of up to 128 bits, over a capacity
 * of up to 124 bits. Ratios are compared as products of 192 bits, and divided
 * digit by digit for the result, so nothing is rounded before the last digit.
 */
#include "report/rate.h"

skedi_u128 skedi_report_capacity(const skedi_report *r, uint32_t row,
                                 uint32_t column)
{
    uint64_t each = column ? (uint64_t)r->in.instance[column - 1] : 1;

    return skedi_u128_mul((uint64_t)r->has[row] * each,
                          (uint64_t)r->in.window_ns);
}

static int rate_is_zero(skedi_u128 x)
{
    return skedi_u128_cmp(x, skedi_u128_of(0)) == 0;
}

int64_t skedi_report_ratio(skedi_u128 used, skedi_u128 capacity)
{
    const skedi_u128 most = skedi_u128_of((uint64_t)SKED_AMOUNT_MAX / 1000000);
    skedi_u128 rem;

    if (rate_is_zero(capacity)) return -1;
    skedi_u128 whole = skedi_u128_div_wide(used, capacity, &rem);
    if (skedi_u128_cmp(whole, most) >= 0) return SKED_UNLIMITED;
    uint64_t ppm = skedi_u128_low(whole);
    for (int digit = 0; digit < 6; digit++) {
        skedi_u128 ten = skedi_u128_scale(rem, 10); /* rem is below 2^124 */
        ppm = ppm * 10 +
              skedi_u128_low(skedi_u128_div_wide(ten, capacity, &rem));
    }
    skedi_u128 twice = skedi_u128_add(rem, rem);
    return (int64_t)ppm + (skedi_u128_cmp(twice, capacity) >= 0);
}

/* ---- What is stranded ---- */

/* floor(part * by / whole), and what is left; part < whole < 2^126. */
static skedi_u128 report_part_of(skedi_u128 part, uint64_t by, skedi_u128 whole,
                                 skedi_u128 *rem)
{
    skedi_u128 out = skedi_u128_of(0);
    skedi_u128 one = skedi_u128_of(1);

    *rem = skedi_u128_of(0);
    for (unsigned bit = 64; bit-- > 0;) {
        *rem = skedi_u128_add(*rem, *rem);
        out = skedi_u128_add(out, out);
        if (by >> bit & 1) *rem = skedi_u128_add(*rem, part);
        while (skedi_u128_cmp(*rem, whole) >= 0) {
            *rem = skedi_u128_sub(*rem, whole);
            out = skedi_u128_add(out, one);
        }
    }
    return out;
}

/* Is kind a used more than kind b, as a part of an instance? */
static int used_more(const skedi_report *r, uint32_t a, uint32_t b)
{
    skedi_u192 left = skedi_u192_mul(r->used[0][a + 1],
                                     (uint64_t)r->in.instance[b]);
    skedi_u192 right = skedi_u192_mul(r->used[0][b + 1],
                                      (uint64_t)r->in.instance[a]);

    return skedi_u192_cmp(left, right) > 0;
}

static int32_t dominant_kind(const skedi_report *r)
{
    int32_t found = -1;

    for (uint32_t k = 0; k < r->in.kinds; k++) {
        if (rate_is_zero(r->used[0][k + 1])) continue;
        if (found < 0 || used_more(r, k, (uint32_t)found)) found = (int32_t)k;
    }
    return found;
}

/*
 * What is stranded of kind k on average: the part of the dominant kind d that
 * is used, times what there is of k, less what is used of k. That is
 * floor(used_d * has_k / (has_d * window) - used_k / window), both over the
 * denominator has_d * window. It is not below 0, because d is dominant.
 */
static int64_t stranded_of(const skedi_report *r, uint32_t k, uint32_t d)
{
    const skedi_u128 amount_most = skedi_u128_of((uint64_t)SKED_AMOUNT_MAX);
    uint64_t has_k = (uint64_t)r->in.instance[k];
    uint64_t has_d = (uint64_t)r->in.instance[d];
    uint64_t window = (uint64_t)r->in.window_ns, used_rem;
    skedi_u128 whole = skedi_u128_mul(has_d, window), part, along_rem;
    skedi_u128 times = skedi_u128_div_wide(r->used[0][d + 1], whole, &part);
    skedi_u128 along = report_part_of(part, has_k, whole, &along_rem);
    skedi_u128 used = skedi_u128_div(r->used[0][k + 1], window, &used_rem);
    skedi_u128 left = skedi_u128_mul(used_rem, has_d);

    if (skedi_u128_cmp(times, amount_most) > 0) return SKED_UNLIMITED;
    along = skedi_u128_add(along, skedi_u128_scale(times, has_k));
    skedi_u128 idle = skedi_u128_sub(along, used);
    if (skedi_u128_cmp(along_rem, left) < 0) {
        idle = skedi_u128_sub(idle, skedi_u128_of(1));
    }
    if (skedi_u128_cmp(idle, amount_most) > 0) return SKED_UNLIMITED;
    return (int64_t)skedi_u128_low(idle);
}

int32_t skedi_report_strand(const skedi_report *r, int64_t *stranded)
{
    int32_t dominant = dominant_kind(r);

    for (uint32_t k = 0; stranded && k < r->in.kinds; k++) {
        stranded[k] = dominant < 0 ? 0 : stranded_of(r, k, (uint32_t)dominant);
    }
    return dominant;
}

/* ---- Tiers ---- */

/* Is the ratio of tier a above that of tier b, by instances? */
static int ratio_above(const skedi_report *r, uint32_t a, uint32_t b)
{
    skedi_u192 left = skedi_u192_mul(r->used[a][0], (uint64_t)r->has[b]);
    skedi_u192 right = skedi_u192_mul(r->used[b][0], (uint64_t)r->has[a]);

    return skedi_u192_cmp(left, right) > 0;
}

uint32_t skedi_report_disorder(const skedi_report *r)
{
    uint32_t before = 0;

    for (uint32_t t = 1; t <= r->in.tiers; t++) {
        if (r->has[t] == 0 || rate_is_zero(r->used[t][0])) continue;
        if (before && ratio_above(r, before, t)) return before;
        before = t;
    }
    return 0;
}

/* ---- What to do ---- */

/* Is what is used above (1) or below (-1) so many ppm of the cluster? */
static int against(const skedi_report *r, int64_t ppm)
{
    skedi_u192 used = skedi_u192_mul(r->used[0][0], (uint64_t)SKED_PPM);
    skedi_u192 edge = skedi_u192_mul(skedi_report_capacity(r, 0, 0),
                                     (uint64_t)ppm);

    return skedi_u192_cmp(used, edge);
}

/* How many instances there should be so that the target's part of them is what
 * is used, rounded up. */
static skedi_u128 needed_of(const skedi_report *r)
{
    skedi_u128 by = skedi_u128_mul((uint64_t)r->in.window_ns,
                                   (uint64_t)r->in.target_ppm);
    skedi_u128 rem, rest;
    skedi_u128 whole = skedi_u128_div_wide(r->used[0][0], by, &rem);
    skedi_u128 part = skedi_u128_div_wide(
        skedi_u128_scale(rem, (uint64_t)SKED_PPM), by, &rest);

    if (skedi_u128_cmp(whole, skedi_u128_of(UINT64_MAX)) > 0) return whole;
    whole = skedi_u128_add(skedi_u128_scale(whole, (uint64_t)SKED_PPM), part);
    return skedi_u128_add(whole, skedi_u128_of(!rate_is_zero(rest)));
}

/* The side on which usage is outside the band, 0: inside. */
static int side_of(const skedi_report *r)
{
    int64_t high = r->in.target_ppm + r->in.band_ppm;
    int64_t low = r->in.target_ppm - r->in.band_ppm;

    if (against(r, high) > 0) return 1;
    return low > 0 && against(r, low) < 0 ? -1 : 0;
}

/* One report more on this side, or the first one. */
static int32_t streak_after(int32_t before, int side)
{
    if (side == 0) return 0;
    if (side > 0) return before > 0 && before < INT32_MAX ? before + 1 : 1;
    return before < 0 && before > -INT32_MAX ? before - 1 : -1;
}

sked_status skedi_report_act(const skedi_report *r, sked_report_result *out)
{
    const skedi_u128 most = skedi_u128_of((uint64_t)SKED_AMOUNT_MAX);
    skedi_u128 needed = needed_of(r);
    int side = side_of(r);
    int32_t streak = streak_after(r->in.streak, side);
    int64_t reports = streak < 0 ? -(int64_t)streak : streak;

    if (skedi_u128_cmp(needed, most) > 0) return SKED_ERR_RANGE;
    out->needed = skedi_i64_max(1, (int64_t)skedi_u128_low(needed));
    out->action = SKED_REPORT_ACTION_KEEP;
    out->by = 0;
    out->streak = streak;
    if (side == 0) {
        out->reason = SKED_REPORT_REASON_WITHIN;
    } else if (reports < r->in.patience) {
        out->reason = SKED_REPORT_REASON_WAITING;
    } else if (out->needed == r->in.instances) {
        out->reason = SKED_REPORT_REASON_LEAST;
    } else {
        out->reason = side > 0 ? SKED_REPORT_REASON_ABOVE
                               : SKED_REPORT_REASON_BELOW;
        out->action = side > 0 ? SKED_REPORT_ACTION_GROW
                               : SKED_REPORT_ACTION_SHRINK;
        out->by = out->needed - r->in.instances;
        if (out->by < 0) out->by = -out->by;
    }
    return SKED_OK;
}
