/*
 * Thresholds and weights for tiers: of all thresholds within bounds the
 * greatest for the most important tier that keep head room in order.
 */
#include <stdlib.h>
#include <string.h>

#include "percentile.h"

enum { STEPS = 100 };

/* What the tiers may choose from: 1 % steps. */
typedef struct tier_choice {
    uint32_t tiers;
    int64_t low[MOST_TIERS];
    int64_t high[MOST_TIERS];
    sked_wide usage[MOST_TIERS];
    int64_t allocation[MOST_TIERS * STEPS];
    size_t n;
} tier_choice;

/* Tier 1 from 90 to 95 %, tier 2 from 70 to 90 %, all below from 50 to 80 %. */
static void set_bounds(tier_choice *c, const result *r)
{
    for (uint32_t q = 0; q < r->n; q++) {
        if (r->row[q].tier > c->tiers) c->tiers = r->row[q].tier;
    }
    for (uint32_t t = 0; t < c->tiers; t++) {
        c->low[t] = t == 0 ? 900000 : t == 1 ? 700000 : 500000;
        c->high[t] = t == 0 ? 950000 : t == 1 ? 900000 : 800000;
    }
}

static sked_wide wide_plus(sked_wide a, sked_wide b)
{
    sked_wide sum = {a.high + b.high, a.low + b.low};

    sum.high += sum.low < a.low;
    return sum;
}

/* Amounts in whole units, rounded up: weights have no fractions. */
static int64_t whole(const result *r, int64_t amount)
{
    return *r->scale == 'm' ? (amount + 999) / 1000 : amount;
}

/* Usage of whole units: a plan in cores compares like with like. */
static int64_t unit_of(const result *r)
{
    return *r->scale == 'm' ? 1000 : 1;
}

static int fill_tier(tier_choice *c, const result *r, uint32_t t,
                     input_fault *fault)
{
    int64_t ppm[STEPS];
    size_t steps = 0;
    sked_error err;

    if (sked_tiers_thresholds(c->low[t], c->high[t], 10000, ppm, STEPS,
                              &steps) != SKED_OK) {
        return input_fail(fault, 0, 0, "bad bounds of a tier");
    }
    for (uint32_t q = 0; q < r->n; q++) {
        if (r->row[q].tier != t + 1) continue;
        c->usage[t] = wide_plus(c->usage[t], r->row[q].total.usage);
        for (size_t j = 0; j < steps; j++) {
            sked_ratio p = {ppm[j], SKED_PPM};
            sked_pctl_point point;
            if (sked_history_pctl(r->history, &r->row[q].queue, 1, &p, 1,
                                  &point, NULL, &err) != SKED_OK) {
                return input_fail(fault, 0, 0, "%s", err.message);
            }
            c->allocation[c->n + j] += whole(r, point.amount) * unit_of(r);
        }
    }
    c->n += steps;
    return 1;
}

/* ---- What is said ---- */

static double ratio_of(const result *r, sked_wide work, int64_t allocation)
{
    double used = (double)work.high * 18446744073709551616.0 + (double)work.low;

    return 100 * used / ((double)allocation * (double)r->span);
}

static void print_reason(FILE *file, const result *r, const key_row *row,
                         int64_t ppm)
{
    sked_ratio p = {ppm, SKED_PPM};
    sked_pctl_point x;
    double hour = 3.6e12;

    if (sked_history_pctl(r->history, &row->queue, 1, &p, 1, &x, NULL, NULL) !=
        SKED_OK) {
        return;
    }
    if (row->total.in_use == 0) {
        fprintf(file, "  %-24s weight %6d  never used in the window\n",
                row->name, 0);
        return;
    }
    fprintf(file, "  %-24s weight %6lld  covers %.1f of %.1f h in use",
            row->name, (long long)whole(r, x.amount),
            (double)x.covered.num / hour, (double)x.covered.den / hour);
    if (x.higher) {
        fprintf(file, "; %lld would be for the other %.1f h",
                (long long)whole(r, x.higher),
                (double)(x.covered.den - x.covered.num) / hour);
    }
    fprintf(file, "; usage/capacity %.1f %%\n",
            ratio_of(r, row->total.usage, whole(r, x.amount) * unit_of(r)));
}

static void print_plan(FILE *file, const result *r, const tier_choice *c,
                       const sked_tiers_result *plan)
{
    fputs("\nProposed weights: allocated ", file);
    fprintf(file, "%s; siblings share by ratio\n", r->unit);
    for (uint32_t t = 0; t < c->tiers; t++) {
        fprintf(file,
                "\ntier %u: threshold %g %%, %lld %s, usage/capacity %.1f %%\n",
                t + 1, (double)plan->threshold_ppm[t] / 10000,
                (long long)(plan->allocation[t] / unit_of(r)), r->unit,
                plan->allocation[t]
                    ? ratio_of(r, c->usage[t], plan->allocation[t])
                    : 0.0);
        for (uint32_t q = 0; q < r->n; q++) {
            if (r->row[q].tier == t + 1) {
                print_reason(file, r, &r->row[q], plan->threshold_ppm[t]);
            }
        }
    }
    fputs("\nThresholds fall and usage/capacity rises from tier 1 on: head "
          "room is largest\nfor tier 1.\n",
          file);
}

static int search(FILE *file, const result *r, const tier_choice *c,
                  input_fault *fault)
{
    int64_t threshold[MOST_TIERS] = {0}, allocation[MOST_TIERS] = {0};
    sked_error err;
    sked_tiers_input in = {
        .struct_size = sizeof in,
        .tiers = c->tiers,
        .step_ppm = 10000,
        .total = SKED_UNLIMITED,
        .low_ppm = c->low,
        .high_ppm = c->high,
        .usage = c->usage,
        .allocation = c->allocation,
        .n = c->n,
    };
    sked_tiers_result plan = {.struct_size = sizeof plan,
                              .threshold_ppm = threshold,
                              .allocation = allocation};

    if (sked_tiers_search(&in, NULL, &plan, &err) != SKED_OK) {
        return input_fail(fault, 0, 0, "%s", err.message), -1;
    }
    if (plan.outcome == SKED_TIERS_OK) {
        print_plan(file, r, c, &plan);
        return 1;
    }
    fprintf(file,
            "\nNo plan: with these bounds no thresholds give tier %u less head "
            "room than the\ntier above it.\n",
            plan.tier);
    return 0;
}

int proposal_print(FILE *file, const result *r, input_fault *fault)
{
    tier_choice *c = calloc(1, sizeof *c);

    if (!c) return input_fail(fault, 0, 0, "does not fit in memory"), -1;
    set_bounds(c, r);
    int said = c->tiers > 0 && r->span > 0 ? 1 : 0;
    if (!said) fputs("\nNo plan: no key has a tier.\n", file);
    for (uint32_t t = 0; said > 0 && t < c->tiers; t++) {
        if (!fill_tier(c, r, t, fault)) said = -1;
    }
    if (said > 0) said = search(file, r, c, fault);
    free(c);
    return said;
}
