/* The daily report: what comes in, and sums of usage by tier and kind. */
#include <sched/report.h>

#include <string.h>

#include "base/arith.h"
#include "base/fail.h"
#include "base/hooks.h"
#include "base/sort.h"
#include "base/versioned.h"
#include "base/wide.h"

enum {
    SKEDI_REPORT_ROWS = SKED_MAX_TIERS + 1,   /* the total, then the tiers */
    SKEDI_REPORT_COLUMNS = SKED_MAX_KINDS + 1 /* instances, then the kinds */
};

/* A report under construction: sums by row and column. */
typedef struct skedi_report {
    sked_report_input in;
    skedi_hooks hooks;
    skedi_u128 used[SKEDI_REPORT_ROWS][SKEDI_REPORT_COLUMNS];
    int64_t has[SKEDI_REPORT_ROWS]; /* instances: capacity over the window */
} skedi_report;

/*
 * Ratios of usage to capacity, stranded amounts, and the advice to grow or
 * shrink the cluster.
 *
 * Every ratio is a sum of amounts times ns, with up to 128 bits, over a
 * capacity with up to 124 bits. Ratios are compared as products of 192 bits,
 * and divided digit by digit for the result, so only the last digit is rounded.
 */

/* The capacity of a row in a column, times the window. */
static skedi_u128 report_capacity(const skedi_report *r, uint32_t row,
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

/* used / capacity in parts per million, to the nearest; -1, SKED_UNLIMITED. */
static int64_t report_ratio(skedi_u128 used, skedi_u128 capacity)
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

/* True if the used fraction of kind a exceeds the used fraction of kind b. */
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
 * The average stranded amount of kind k: the used fraction of the dominant kind
 * d, times the capacity of k, less the usage of k. Formula: floor(used_d *
 * has_k / (has_d * window) - used_k / window), both terms over the denominator
 * has_d * window. The result is at least 0, because d is dominant.
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

/* The dominant kind, or -1 without usage; and the stranded amount of each kind
 * (`stranded` may be NULL). */
static int32_t report_strand(const skedi_report *r, int64_t *stranded)
{
    int32_t dominant = dominant_kind(r);

    for (uint32_t k = 0; stranded && k < r->in.kinds; k++) {
        stranded[k] = dominant < 0 ? 0 : stranded_of(r, k, (uint32_t)dominant);
    }
    return dominant;
}

/* ---- Tiers ---- */

/* True if the ratio of tier a is above the ratio of tier b, by instances. */
static int ratio_above(const skedi_report *r, uint32_t a, uint32_t b)
{
    skedi_u192 left = skedi_u192_mul(r->used[a][0], (uint64_t)r->has[b]);
    skedi_u192 right = skedi_u192_mul(r->used[b][0], (uint64_t)r->has[a]);

    return skedi_u192_cmp(left, right) > 0;
}

/* The first tier above the next used tier; 0: none. */
static uint32_t report_disorder(const skedi_report *r)
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

/* Compares usage with `ppm` of the cluster: 1 above, -1 below, 0 equal. */
static int against(const skedi_report *r, int64_t ppm)
{
    skedi_u192 used = skedi_u192_mul(r->used[0][0], (uint64_t)SKED_PPM);
    skedi_u192 edge = skedi_u192_mul(report_capacity(r, 0, 0), (uint64_t)ppm);

    return skedi_u192_cmp(used, edge);
}

/* The number of instances, rounded up, at which the usage is the target's
 * fraction of the instances. */
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

/* The side on which usage is outside the band; 0: inside. */
static int side_of(const skedi_report *r)
{
    int64_t high = r->in.target_ppm + r->in.band_ppm;
    int64_t low = r->in.target_ppm - r->in.band_ppm;

    if (against(r, high) > 0) return 1;
    return low > 0 && against(r, low) < 0 ? -1 : 0;
}

/* The streak after another report on this side, or after the first report. */
static int32_t streak_after(int32_t before, int side)
{
    if (side == 0) return 0;
    if (side > 0) return before > 0 && before < INT32_MAX ? before + 1 : 1;
    return before < 0 && before > -INT32_MAX ? before - 1 : -1;
}

/* Fills in action, reason, streak, by and needed. SKED_OK or SKED_ERR_RANGE. */
static sked_status report_act(const skedi_report *r, sked_report_result *out)
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

/*
 * Workflows now against before: both are sorted by key, and walked once side
 * by side.
 */

SKEDI_NO_TAIL_PADDING(sked_report_compare_input, slo_ns);
_Static_assert(sizeof(sked_report_tier) == 40, "sked_report_tier is frozen");

enum { FLOWS_V1 = SKEDI_SIZE_THROUGH(sked_report_compare_input, slo_ns) };

/* A side: the side's columns, and its rows by key. */
typedef struct flow_side {
    sked_report_compare_input in;
    skedi_keyed *by_key;
} flow_side;

static sked_status take_side(flow_side *side,
                             const sked_report_compare_input *flows,
                             const char *name, const char *key, sked_error *err)
{
    sked_status rc = skedi_struct_in(&side->in, sizeof side->in, flows,
                                     FLOWS_V1);

    if (rc != SKED_OK) {
        return skedi_fail_version(err, name);
    }
    if (side->in.reserved) {
        return skedi_fail_reserved(err, name);
    }
    if (side->in.n > INT32_MAX) {
        return skedi_fail(
            err, SKED_ERR_RANGE, "too many workflows",
            (skedi_fault){.got = (int64_t)side->in.n, .limit = INT32_MAX});
    }
    if (side->in.n > 0 && !side->in.key) return skedi_fail_null(err, key);
    for (uint32_t i = 0; side->in.tier && i < side->in.n; i++) {
        if (side->in.tier[i] >= 1 && side->in.tier[i] <= SKED_MAX_TIERS) {
            continue;
        }
        return skedi_fail(err, SKED_ERR_RANGE, "workflow of no such tier",
                          (skedi_fault){.row = (int64_t)i + 1,
                                        .got = side->in.tier[i],
                                        .limit = SKED_MAX_TIERS});
    }
    return SKED_OK;
}

/* Sorts a side by key; no key may stand twice. */
static sked_status sort_side(flow_side *side, skedi_keyed *scratch,
                             sked_error *err)
{
    for (uint32_t i = 0; i < side->in.n; i++) {
        side->by_key[i] = (skedi_keyed){side->in.key[i], i, 0};
    }
    skedi_sort_keys(side->by_key, scratch, (size_t)side->in.n);
    for (uint32_t i = 1; i < side->in.n; i++) {
        if (side->by_key[i].key != side->by_key[i - 1].key) continue;
        return skedi_fail(
            err, SKED_ERR_EXISTS, "workflow stands twice",
            (skedi_fault){.row = (int64_t)side->by_key[i].index + 1});
    }
    return SKED_OK;
}

static uint32_t flow_tier(const flow_side *side, uint32_t i)
{
    return side->in.tier ? side->in.tier[side->by_key[i].index] : 1;
}

static int64_t flow_slo(const flow_side *side, uint32_t i)
{
    return side->in.slo_ns ? side->in.slo_ns[side->by_key[i].index] : 0;
}

/* How the i-th of now differs from the j-th of before. */
static uint8_t flow_change(const flow_side *now, uint32_t i,
                           const flow_side *before, uint32_t j)
{
    uint8_t change = 0;

    if (j == before->in.n || before->by_key[j].key != now->by_key[i].key) {
        return SKED_REPORT_FLOW_NEW;
    }
    if (flow_tier(now, i) != flow_tier(before, j))
        change |= SKED_REPORT_FLOW_RETIERED;
    if (flow_slo(now, i) != flow_slo(before, j)) change |= SKED_REPORT_FLOW_SLO;
    return change;
}

static void count_flow(sked_report_tier *tier, uint8_t change)
{
    tier->workflows++;
    tier->added += (change & SKED_REPORT_FLOW_NEW) != 0;
    tier->retiered += (change & SKED_REPORT_FLOW_RETIERED) != 0;
    tier->slo += (change & SKED_REPORT_FLOW_SLO) != 0;
}

static void compare_sides(const flow_side *now, const flow_side *before,
                          uint8_t *change, sked_report_tier *tier)
{
    uint32_t j = 0;

    memset(tier, 0, SKED_MAX_TIERS * sizeof *tier);
    for (uint32_t i = 0; i <= now->in.n; i++) {
        while (j < before->in.n &&
               (i == now->in.n || before->by_key[j].key < now->by_key[i].key)) {
            tier[flow_tier(before, j++) - 1].gone++;
        }
        if (i == now->in.n) break;
        uint8_t is = flow_change(now, i, before, j);
        count_flow(&tier[flow_tier(now, i) - 1], is);
        if (change) change[now->by_key[i].index] = is;
        j += is != SKED_REPORT_FLOW_NEW;
    }
}

sked_status sked_report_compare(const sked_report_compare_input *input,
                                const sked_report_compare_input *before,
                                const sked_host *host, uint8_t *change,
                                sked_report_tier *tier, sked_error *err)
{
    flow_side a = {{0}, NULL}, b = {{0}, NULL};
    sked_report_tier counts[SKED_MAX_TIERS];
    skedi_hooks hooks;

    if (!input) return skedi_fail_null(err, "input");
    sked_status rc = take_side(&a, input, "input", "input.key", err);
    if (rc == SKED_OK && before) {
        rc = take_side(&b, before, "before", "before.key", err);
    }
    if (rc == SKED_OK) rc = skedi_hooks_in(&hooks, host, err);
    if (rc != SKED_OK) return rc;

    size_t n = (size_t)(a.in.n > b.in.n ? a.in.n : b.in.n);
    skedi_keyed *scratch = skedi_new(&hooks.mem, n, sizeof *scratch);
    a.by_key = skedi_new(&hooks.mem, (size_t)a.in.n, sizeof *a.by_key);
    b.by_key = skedi_new(&hooks.mem, (size_t)b.in.n, sizeof *b.by_key);
    rc = skedi_hooks_check(&hooks, 0, 1);
    if (!scratch || !a.by_key || !b.by_key) rc = SKED_ERR_NOMEM;
    if (rc != SKED_OK) {
        (void)skedi_fail_stopped(err, rc);
    }
    if (rc == SKED_OK) rc = sort_side(&a, scratch, err);
    if (rc == SKED_OK) rc = sort_side(&b, scratch, err);
    if (rc == SKED_OK) {
        compare_sides(&a, &b, change, counts);
        if (tier) memcpy(tier, counts, sizeof counts);
    }
    skedi_free(&hooks.mem, b.by_key, (size_t)b.in.n, sizeof *b.by_key);
    skedi_free(&hooks.mem, a.by_key, (size_t)a.in.n, sizeof *a.by_key);
    skedi_free(&hooks.mem, scratch, n, sizeof *scratch);
    return rc;
}

SKEDI_NO_TAIL_PADDING(sked_report_input, patience);
SKEDI_NO_TAIL_PADDING(sked_report_result, stranded);

enum {
    REPORT_INPUT_V1 = SKEDI_SIZE_THROUGH(sked_report_input, patience),
    REPORT_RESULT_V1 = SKEDI_SIZE_THROUGH(sked_report_result, stranded),
    REPORT_STEP = 16384 /* queues between two looks at the host */
};

static sked_status report_range(sked_error *err, const char *message,
                                int64_t got, int64_t limit)
{
    return skedi_fail(err, SKED_ERR_RANGE, message,
                      (skedi_fault){.got = got, .limit = limit});
}

static sked_status take_report_sizes(const sked_report_input *in,
                                     sked_error *err)
{
    if (in->flags) {
        return skedi_fail_flags(err, "input");
    }
    if (in->kinds < 1 || in->kinds > SKED_MAX_KINDS || in->tiers < 1 ||
        in->tiers > SKED_MAX_TIERS || in->queues > SKED_MAX_QUEUES) {
        return skedi_fail_plain(err, SKED_ERR_RANGE,
                                "no such number of kinds, tiers or queues");
    }
    int any = in->queues > 0;
    const char *missing = !in->instance            ? "input.instance"
                          : any && !in->tier       ? "input.tier"
                          : any && !in->allocation ? "input.allocation"
                          : any && !in->used       ? "input.used"
                          : any && !in->usage      ? "input.usage"
                                                   : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (in->window_ns < 1 || in->window_ns > SKED_AMOUNT_MAX) {
        return report_range(err, "no such window", in->window_ns,
                            SKED_AMOUNT_MAX);
    }
    return SKED_OK;
}

static sked_status take_target(sked_report_input *in, sked_error *err)
{
    if (in->target_ppm < 0 || in->target_ppm > SKED_PPM) {
        return report_range(err, "no such target", in->target_ppm, SKED_PPM);
    }
    if (in->band_ppm < 0 || in->band_ppm > SKED_PPM) {
        return report_range(err, "no such band", in->band_ppm, SKED_PPM);
    }
    if (in->patience < 0 || in->patience > INT32_MAX) {
        return report_range(err, "no such patience", in->patience, INT32_MAX);
    }
    if (in->target_ppm == 0) in->target_ppm = 700000;
    if (in->band_ppm == 0) in->band_ppm = 100000;
    if (in->patience == 0) in->patience = 1;
    return SKED_OK;
}

static sked_status take_instance(const sked_report_input *in, sked_error *err)
{
    if (in->instances < 1 || in->instances > SKED_AMOUNT_MAX) {
        return report_range(err, "no such number of instances", in->instances,
                            SKED_AMOUNT_MAX);
    }
    for (uint32_t k = 0; k < in->kinds; k++) {
        int64_t has = in->instance[k];
        if (has >= 0 && has <= SKED_AMOUNT_MAX / in->instances) continue;
        return skedi_fail(err, SKED_ERR_RANGE, "cluster has no such amount",
                          (skedi_fault){.kind = (int32_t)k + 1,
                                        .got = has,
                                        .limit = SKED_AMOUNT_MAX});
    }
    return SKED_OK;
}

/* ---- Sums ---- */

static sked_status queue_fault(sked_error *err, const char *message,
                               uint32_t queue, int32_t kind)
{
    return skedi_fail(
        err, SKED_ERR_RANGE, message,
        (skedi_fault){.row = (int64_t)queue + 1, .kind = kind + 1});
}

/* The total's sum includes every tier, so only the total is checked. */
static sked_status report_add_column(skedi_report *r, uint32_t queue,
                                     int32_t kind, sked_wide more,
                                     sked_error *err)
{
    uint32_t column = (uint32_t)(kind + 1);
    int lacks = kind >= 0 && r->in.instance[kind] == 0;

    if (lacks && (more.high | more.low) != 0) {
        return queue_fault(err, "instances do not have what is used", queue,
                           kind);
    }
    (void)skedi_wide_add(&r->used[r->in.tier[queue]][column], more);
    if (!skedi_wide_add(&r->used[0][column], more)) {
        return queue_fault(err, "usage adds up to too much", queue, kind);
    }
    return SKED_OK;
}

static sked_status report_add_queue(skedi_report *r, uint32_t queue,
                                    sked_error *err)
{
    const sked_report_input *in = &r->in;
    uint32_t tier = in->tier[queue];
    const sked_wide *usage = in->usage + (size_t)queue * in->kinds;

    if (tier < 1 || tier > in->tiers) {
        return queue_fault(err, "queue of no such tier", queue, -1);
    }
    int64_t has = in->allocation[queue];
    int64_t sum = skedi_amount_add(r->has[tier], has);
    for (uint32_t k = 0; k < in->kinds; k++) {
        if (has >= 0 && sum != SKED_UNLIMITED &&
            sum <= SKED_AMOUNT_MAX / skedi_i64_max(1, in->instance[k])) {
            continue;
        }
        return queue_fault(err, "allocations add up to too much", queue, -1);
    }
    r->has[tier] = sum;
    sked_status rc = report_add_column(r, queue, -1, in->used[queue], err);
    for (uint32_t k = 0; k < in->kinds && rc == SKED_OK; k++) {
        rc = report_add_column(r, queue, (int32_t)k, usage[k], err);
    }
    return rc;
}

static sked_status add_queues_up(skedi_report *r, sked_error *err)
{
    sked_status rc = SKED_OK;

    r->has[0] = r->in.instances;
    for (uint32_t i = 0; i < r->in.queues && rc == SKED_OK; i++) {
        if (i % REPORT_STEP == 0) {
            rc = skedi_hooks_check(&r->hooks, i, r->in.queues);
            if (rc != SKED_OK) return skedi_fail_stopped(err, rc);
        }
        rc = report_add_queue(r, i, err);
    }
    return rc;
}

/* ---- What goes out ---- */

static void give_tables(const skedi_report *r, const sked_report_result *out)
{
    uint32_t columns = r->in.kinds + 1;

    for (uint32_t row = 0; row <= r->in.tiers; row++) {
        for (uint32_t c = 0; c < columns; c++) {
            size_t at = (size_t)row * columns + c;
            skedi_u128 capacity = report_capacity(r, row, c);
            if (out->used) out->used[at] = skedi_wide_of(r->used[row][c]);
            if (out->capacity) out->capacity[at] = skedi_wide_of(capacity);
            if (!out->ratio_ppm) continue;
            out->ratio_ppm[at] = report_ratio(r->used[row][c], capacity);
        }
    }
}

static sked_status report_take(skedi_report *r, const sked_report_input *in,
                               const sked_host *host, sked_error *err)
{
    sked_status rc = skedi_struct_in(&r->in, sizeof r->in, in, REPORT_INPUT_V1);

    if (rc != SKED_OK) {
        return skedi_fail_version(err, "input");
    }
    rc = take_report_sizes(&r->in, err);
    if (rc == SKED_OK) rc = take_target(&r->in, err);
    if (rc == SKED_OK) rc = take_instance(&r->in, err);
    if (rc == SKED_OK) rc = skedi_hooks_in(&r->hooks, host, err);
    return rc == SKED_OK ? add_queues_up(r, err) : rc;
}

sked_status sked_report(const sked_report_input *input, const sked_host *host,
                        sked_report_result *result, sked_error *err)
{
    skedi_report r = {0};

    const char *missing = !input ? "input" : !result ? "result" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = skedi_struct_out(result->struct_size, REPORT_RESULT_V1);
    if (rc != SKED_OK) {
        return skedi_fail_version(err, "result");
    }
    rc = report_take(&r, input, host, err);
    if (rc != SKED_OK) return rc;
    rc = report_act(&r, result);
    if (rc != SKED_OK) {
        return skedi_fail_plain(err, rc, "needs more instances than there are");
    }
    result->dominant = report_strand(&r, result->stranded);
    result->disorder = report_disorder(&r);
    give_tables(&r, result);
    return SKED_OK;
}
