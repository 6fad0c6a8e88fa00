/* Usage over capacity, head room, what is stranded, grow or shrink. */
#include <stdio.h>
#include <stdlib.h>

#include "../workload/print.h"
#include "../workload/wide.h"
#include "daily_report.h"

enum { COLUMNS = WORKLOAD_KINDS + 1, CELLS = (TIERS + 1) * COLUMNS };

static const char *const kind_name[] = {"cpu", "memory", "gpu"};
static const char *const kind_unit[] = {"m", "B", "m"};

/* The usage of queues: instances times ns, not rounded by unit, and kinds. */
typedef struct usage_columns {
    sked_wide *used;
    sked_wide *usage; /* rows of all kinds */
} usage_columns;

static int find_usage(const day *d, usage_columns *c, input_fault *fault)
{
    for (uint32_t q = 0; q < d->leaves; q++) {
        sked_wide led[WORKLOAD_KINDS];
        wide sum = wide_of(0, 0);
        if (sked_history_work(d->history, q,
                              c->usage + (size_t)q * WORKLOAD_KINDS,
                              led) != SKED_OK) {
            return input_fail(fault, 0, 0, "history lost a queue");
        }
        for (int k = 0; k < WORKLOAD_KINDS; k++) {
            if (d->instance[k] == 0) continue;
            sum = wide_sum(sum, wide_divide_up(wide_of(led[k].low, led[k].high),
                                               (uint64_t)d->instance[k]));
        }
        c->used[q] = (sked_wide){sum.word[1], sum.word[0]};
    }
    return 1;
}

static void print_cell(int64_t ppm)
{
    if (ppm < 0) {
        printf("%9s", "-");
    } else {
        printf("%8.1f%%", (double)ppm / 10000);
    }
}

static void print_rows(const day *d, const int64_t *ratio)
{
    printf("\nusage/capacity  instances  instance");
    for (int k = 0; k < WORKLOAD_KINDS; k++) {
        if (d->instance[k]) printf("%9s", kind_name[k]);
    }
    for (int row = 0; row <= TIERS; row++) {
        if (row == 0) {
            printf("\n  total         %9lld ", (long long)d->instances);
        } else {
            printf("\n  tier %d        %9lld ", row,
                   (long long)d->allocation[row - 1]);
        }
        for (int c = 0; c < COLUMNS; c++) {
            if (c && !d->instance[c - 1]) continue;
            print_cell(ratio[row * COLUMNS + c]);
        }
    }
    putchar('\n');
}

static void print_stranded(const day *d, const sked_report_result *r)
{
    if (r->dominant < 0) return;
    for (int k = 0; k < WORKLOAD_KINDS; k++) {
        if (!d->instance[k] || k == r->dominant) continue;
        printf("stranded: ");
        print_amount(stdout, kind_unit[k], r->stranded[k]);
        printf(" of %s idle because %s runs out first\n", kind_name[k],
               kind_name[r->dominant]);
    }
}

static void print_action(const day *d, const sked_report_result *r,
                         int64_t target)
{
    static const char *const words[] = {"keep", "grow", "shrink"};
    static const char *const why[] = {
        "within 10 points of", "more than 10 points above",
        "more than 10 points below", "not yet long enough off",
        "one instance less would be too few for"};

    printf("action: %s", words[r->action]);
    if (r->by) {
        printf(" by %lld to %lld instances", (long long)r->by,
               (long long)r->needed);
    }
    printf(": %s the target of %.0f %%, for which %lld of %lld are needed\n",
           why[r->reason], (double)target / 10000, (long long)r->needed,
           (long long)d->instances);
}

static int print_usage(const day *d, const report_options *o,
                       const usage_columns *c, int64_t *allocation,
                       input_fault *fault)
{
    int64_t ratio[CELLS], stranded[WORKLOAD_KINDS];
    const sked_report_input in = {.struct_size = sizeof in,
                                  .kinds = WORKLOAD_KINDS,
                                  .tiers = TIERS,
                                  .queues = d->leaves,
                                  .window_ns = d->to - d->from,
                                  .instances = d->instances,
                                  .instance = d->instance,
                                  .tier = d->leaf_tier,
                                  .allocation = allocation,
                                  .used = c->used,
                                  .usage = c->usage,
                                  .target_ppm = o->target_ppm};
    sked_report_result r = {
        .struct_size = sizeof r, .ratio_ppm = ratio, .stranded = stranded};
    sked_error err;

    for (uint32_t q = 0; q < d->leaves; q++) allocation[q] = d->point[q].amount;
    if (sked_report(&in, NULL, &r, &err) != SKED_OK) {
        return input_fail(fault, 0, 0, "%s", err.message);
    }
    print_rows(d, ratio);
    if (r.disorder) {
        printf("head room: tier %u has less than the tiers below it\n",
               r.disorder);
    } else {
        puts("head room: largest for tier 1, as it should be");
    }
    print_stranded(d, &r);
    print_action(d, &r, o->target_ppm ? o->target_ppm : 700000);
    return 1;
}

int usage_print(const day *d, const report_options *o, input_fault *fault)
{
    usage_columns c = {new_array(d->leaves, sizeof *c.used),
                       new_array(d->leaves, WORKLOAD_KINDS * sizeof *c.usage)};
    int64_t *allocation = new_array(d->leaves, sizeof *allocation);
    int ok = find_usage(d, &c, fault) &&
             print_usage(d, o, &c, allocation, fault);

    free(allocation);
    free(c.used);
    free(c.usage);
    return ok;
}
