/*
 * Thresholds and weights for tiers: of all thresholds within bounds the
 * greatest for the most important tier that keep head room in order.
 */
#include <stdlib.h>
#include <string.h>

#include "percentile.h"

/* The thresholds that tiers may choose, in steps of 1 %, and their choices. */
typedef struct tier_choice {
    uint32_t tiers;
    int64_t low[MOST_TIERS];
    int64_t high[MOST_TIERS];
    int64_t threshold[MOST_TIERS];
    int64_t allocation[MOST_TIERS];
    sked_wide work[MOST_TIERS];
    uint8_t *tier;          /* by queue of the history */
    sked_pctl_point *point; /* by queue of the history */
} tier_choice;

static sked_wide wide_plus(sked_wide a, sked_wide b)
{
    sked_wide sum = {a.high + b.high, a.low + b.low};

    sum.high += sum.low < a.low;
    return sum;
}

/* Tier 1 from 90 to 95 %, tier 2 from 70 to 90 %, all below from 50 to 80 %. */
static void set_bounds(tier_choice *c, const result *r)
{
    for (uint32_t q = 0; q < r->n; q++) {
        const key_row *row = &r->row[q];
        c->tier[row->queue] = (uint8_t)row->tier;
        if (row->tier > c->tiers) c->tiers = row->tier;
        if (row->tier == 0) continue;
        sked_wide *work = &c->work[row->tier - 1];
        *work = wide_plus(*work, row->total.usage);
    }
    for (uint32_t t = 0; t < c->tiers; t++) {
        c->low[t] = t == 0 ? 900000 : t == 1 ? 700000 : 500000;
        c->high[t] = t == 0 ? 950000 : t == 1 ? 900000 : 800000;
    }
}

/* Amounts in whole units, rounded up: weights have no fractions. */
static int64_t whole(const result *r, int64_t amount)
{
    return *r->scale == 'm' ? (amount + 999) / 1000 : amount;
}

static double percent_used(const result *r, sked_wide work, int64_t allocation)
{
    double used = (double)work.high * 18446744073709551616.0 + (double)work.low;

    if (allocation == 0) return 0;
    return 100 * used / ((double)allocation * (double)r->span);
}

static void print_reason(FILE *file, const result *r, const key_row *row,
                         const sked_pctl_point *x)
{
    const double hour = 3.6e12;

    fprintf(file, "  %-24s weight %6lld", row->name,
            (long long)whole(r, x->amount));
    if (row->total.in_use == 0) {
        fputs("  never used in the window\n", file);
        return;
    }
    fprintf(file, "  covers %.1f of %.1f h in use",
            (double)x->covered.num / hour, (double)x->covered.den / hour);
    if (x->higher) {
        fprintf(file, "; %lld would be for the other %.1f h",
                (long long)whole(r, x->higher),
                (double)(x->covered.den - x->covered.num) / hour);
    }
    fprintf(file, "; usage/capacity %.1f %%\n",
            percent_used(r, row->total.usage, x->amount));
}

static void print_plan(FILE *file, const result *r, const tier_choice *c)
{
    fprintf(file, "\nProposed weights: allocated %s; siblings share by ratio\n",
            r->unit);
    for (uint32_t t = 0; t < c->tiers; t++) {
        fprintf(file,
                "\ntier %u: threshold %g %%, %lld %s, usage/capacity %.1f %%\n",
                t + 1, (double)c->threshold[t] / 10000,
                (long long)whole(r, c->allocation[t]), r->unit,
                percent_used(r, c->work[t], c->allocation[t]));
        for (uint32_t q = 0; q < r->n; q++) {
            const key_row *row = &r->row[q];
            if (row->tier != t + 1) continue;
            print_reason(file, r, row, &c->point[row->queue]);
        }
    }
    fputs("\nThresholds fall and usage/capacity rises from tier 1 on: head "
          "room is largest\nfor tier 1.\n",
          file);
}

/* 1: found; 0: none is possible, because of *tier; -1: see the fault. */
static int search(const result *r, tier_choice *c, uint32_t *tier,
                  input_fault *fault)
{
    sked_error err;
    sked_tiers_plan_input request = {
        .struct_size = sizeof request,
        .tiers = c->tiers,
        .queues = r->n,
        .total = SKED_UNLIMITED,
        .low_ppm = c->low,
        .high_ppm = c->high,
        .tier = c->tier,
    };
    sked_tiers_result plan = {.struct_size = sizeof plan,
                              .threshold_ppm = c->threshold,
                              .allocation = c->allocation};

    *tier = 0;
    if (c->tiers == 0 || r->span == 0) return 0;
    if (sked_tiers_plan(r->history, &request, NULL, &plan, c->point, &err) !=
        SKED_OK) {
        return input_fail(fault, 0, 0, "%s", err.message), -1;
    }
    *tier = plan.tier;
    return plan.outcome == SKED_TIERS_OK;
}

static void print_none(FILE *file, uint32_t tier)
{
    if (tier == 0) {
        fputs("\nNo plan: no key has a tier.\n", file);
        return;
    }
    fprintf(
        file,
        "\nNo plan: with these bounds, whatever the threshold of tier %u is, "
        "a tier after it\nhas none that leaves it less head room.\n",
        tier);
}

/* As search(), in memory of its own. */
static int choose(const result *r, tier_choice *c, uint32_t *tier,
                  input_fault *fault)
{
    *c = (tier_choice){.tier = calloc(r->n + 1, sizeof *c->tier),
                       .point = calloc(r->n + 1, sizeof *c->point)};
    if (!c->tier || !c->point) {
        return input_fail(fault, 0, 0, "does not fit in memory"), -1;
    }
    set_bounds(c, r);
    return search(r, c, tier, fault);
}

static void release(tier_choice *c)
{
    free(c->tier);
    free(c->point);
}

int proposal_print(FILE *file, const result *r, input_fault *fault)
{
    tier_choice c;
    uint32_t tier;
    int found = choose(r, &c, &tier, fault);

    if (found > 0) print_plan(file, r, &c);
    if (found == 0) print_none(file, tier);
    release(&c);
    return found;
}

int proposal_make(result *r, input_fault *fault)
{
    tier_choice c;
    uint32_t tier;
    int found = choose(r, &c, &tier, fault);

    for (uint32_t q = 0; found > 0 && q < r->n; q++) {
        key_row *row = &r->row[q];
        if (row->tier == 0) continue;
        row->proposed = c.threshold[row->tier - 1];
        row->weight = whole(r, c.point[row->queue].amount);
    }
    release(&c);
    return found;
}
