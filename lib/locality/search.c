/*
 * The trade-off between load and transfers, and the cheapest point. With equal
 * hosts, transfers are convex in the load: a load lower by one tick costs a
 * transfer for each host above the load. The cheapest load is therefore an
 * order statistic. With unequal hosts, every point is computed.
 */
#include "locality/handle.h"

#include "base/arith.h"
#include "base/fail.h"
#include "base/versioned.h"

SKEDI_NO_TAIL_PADDING(sked_locality_search_options, step);
SKEDI_NO_TAIL_PADDING(sked_locality_search_result, cost);

enum {
    SEARCH_OPTIONS_V1 = SKEDI_SIZE_THROUGH(sked_locality_search_options, step),
    SEARCH_RESULT_V1 = SKEDI_SIZE_THROUGH(sked_locality_search_result, cost),
    FORWARD_STEP = 50
};

/* ---- The curve ---- */

static sked_locality_point point_at(const sked_locality *l, int64_t load)
{
    return (sked_locality_point){load, sked_locality_transfers(l, load)};
}

/* The next higher load with fewer transfers; at most the least load. */
static int64_t next_load(const sked_locality *l, int64_t load)
{
    int64_t next = l->least;

    for (uint32_t h = 0; h < l->hosts; h++) {
        uint32_t fits = skedi_slots_by(&l->slots, h, load);
        if (l->count[h] <= fits) continue;
        int64_t end = skedi_slot_end(&l->slots, h, fits + 1);
        if (end < next) next = end;
    }
    return next;
}

static sked_status no_place(sked_error *err)
{
    return skedi_fail_plain(err, SKED_ERR_RANGE,
                            "limits leave fewer places than blocks");
}

/* Walks all points; writes the points that fit. */
static size_t walk_curve(const sked_locality *l, sked_locality_point *out,
                         size_t cap)
{
    int64_t load = l->floor;
    size_t n = 0;

    for (;;) {
        if (n < cap) out[n] = point_at(l, load);
        n++;
        if (load == l->least) return n;
        load = next_load(l, load);
    }
}

sked_status sked_locality_curve(const sked_locality *locality,
                                sked_locality_point *points, size_t cap,
                                size_t *n, sked_error *err)
{
    const char *missing = !locality        ? "locality"
                          : !n             ? "n"
                          : cap && !points ? "points"
                                           : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (locality->floor == SKED_UNLIMITED) return no_place(err);
    size_t there = locality->slots.equal
                       ? (size_t)(locality->least - locality->floor) + 1
                       : walk_curve(locality, NULL, 0);
    *n = there;
    if (there > cap) {
        return skedi_fail_cap(err, there, cap);
    }
    (void)walk_curve(locality, points, cap);
    return SKED_OK;
}

/* ---- The cheapest point ---- */

typedef struct search_found {
    sked_locality_point point;
    uint32_t looks;
} search_found;

static skedi_u128 cost_of_point(const sked_locality_search_options *o,
                                sked_locality_point p)
{
    return skedi_u128_add(skedi_u128_mul((uint64_t)p.load, o->compute),
                          skedi_u128_mul(p.transfers, o->transfer));
}

/* Checks that a tick of load is worth `transfers` transfers. */
static int does_pay(const sked_locality_search_options *o, uint64_t transfers)
{
    return skedi_u128_cmp(skedi_u128_mul(transfers, o->transfer),
                          skedi_u128_of(o->compute)) < 0;
}

static uint64_t hosts_above(const sked_locality *l, int64_t load)
{
    uint64_t n = 0;

    for (uint32_t h = 0; h < l->hosts; h++) n += l->count[h] > load;
    return n;
}

/* Equal hosts: the least load for which each step down is worth its transfers.
 */
static search_found find_statistic(const sked_locality *l,
                                   const sked_locality_search_options *o)
{
    int64_t low = l->floor, high = l->least;
    search_found f = {.looks = 1};

    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (does_pay(o, hosts_above(l, middle))) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    f.point = point_at(l, low);
    return f;
}

/* The published search: halving over whether the cost still falls. */
static search_found find_area(const sked_locality *l,
                              const sked_locality_search_options *o)
{
    int64_t low = l->floor, high = l->least;
    search_found f = {.looks = 1};

    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        uint64_t more = sked_locality_transfers(l, middle) -
                        sked_locality_transfers(l, middle + 1);
        f.looks += 2;
        if (does_pay(o, more)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    f.point = point_at(l, low);
    return f;
}

/* The published search in steps of transfers. Steps without a change are
 * counted and skipped. */
static search_found find_forward(const sked_locality *l,
                                 const sked_locality_search_options *o)
{
    uint64_t step = o->step ? o->step : FORWARD_STEP;
    uint64_t unplaced = sked_locality_unplaced(l);
    uint64_t steps = unplaced / step + (unplaced % step > 0);
    search_found f = {{l->least, 0}, 0};

    for (;;) {
        f.point.load = sked_locality_load(l, steps * step);
        if (f.point.load <= l->floor + 1) break;
        uint64_t needed = sked_locality_transfers(l, f.point.load - 1);
        steps = needed / step + (needed % step > 0);
    }
    f.point = point_at(l, f.point.load);
    f.looks = steps < UINT32_MAX ? (uint32_t)steps + 1 : UINT32_MAX;
    return f;
}

/* Unequal hosts: every point of the curve. */
static search_found find_any(const sked_locality *l,
                             const sked_locality_search_options *o)
{
    search_found f = {point_at(l, l->floor), 1};
    int64_t load = l->floor;

    while (load < l->least) {
        load = next_load(l, load);
        sked_locality_point p = point_at(l, load);
        f.looks += f.looks < UINT32_MAX;
        if (skedi_u128_cmp(cost_of_point(o, p), cost_of_point(o, f.point)) <=
            0) {
            f.point = p;
        }
    }
    return f;
}

static sked_status take_search(sked_locality_search_options *o,
                               const sked_locality_search_options *given,
                               const sked_locality_search_result *result,
                               sked_error *err)
{
    const char *missing = !given ? "options" : !result ? "result" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = skedi_struct_in(o, sizeof *o, given, SEARCH_OPTIONS_V1);
    if (rc != SKED_OK) return skedi_fail_version(err, "options");
    rc = skedi_struct_out(result->struct_size, SEARCH_RESULT_V1);
    if (rc != SKED_OK) return skedi_fail_version(err, "result");
    if (o->method > SKED_LOCALITY_SEARCH_FORWARD) {
        return skedi_fail(err, SKED_ERR_ARG, "method is none of ours",
                          (skedi_fault){.got = o->method,
                                        .limit = SKED_LOCALITY_SEARCH_FORWARD});
    }
    const uint64_t most = (uint64_t)SKED_AMOUNT_MAX;
    if (o->compute <= most && o->transfer <= most) return SKED_OK;
    return skedi_fail(err, SKED_ERR_RANGE, "a cost is above 2^62",
                      (skedi_fault){.limit = SKED_AMOUNT_MAX});
}

sked_status sked_locality_search(const sked_locality *locality,
                                 const sked_locality_search_options *options,
                                 sked_locality_search_result *result,
                                 sked_error *err)
{
    sked_locality_search_options o;
    search_found f;

    if (!locality) {
        return skedi_fail_null(err, "locality");
    }
    sked_status rc = take_search(&o, options, result, err);
    if (rc != SKED_OK) return rc;
    if (locality->floor == SKED_UNLIMITED) return no_place(err);
    if (o.method == SKED_LOCALITY_SEARCH_FORWARD) {
        f = find_forward(locality, &o);
    } else if (!locality->slots.equal) {
        if (o.method == SKED_LOCALITY_SEARCH_AREA) {
            return skedi_fail_plain(err, SKED_ERR_ARG,
                                    "the area search wants equal hosts");
        }
        f = find_any(locality, &o);
    } else {
        f = (o.method ? find_area : find_statistic)(locality, &o);
    }
    skedi_u128 cost = cost_of_point(&o, f.point);
    result->looks = f.looks;
    result->point = f.point;
    result->cost = (sked_wide){skedi_u128_high(cost), skedi_u128_low(cost)};
    return SKED_OK;
}
