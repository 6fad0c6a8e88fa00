/* Proposed changes of queues, compared with the present tree. */
#include <stdio.h>
#include <stdlib.h>

#include "daily_report.h"

int tree_read(day *d, const char *path, input_fault *fault)
{
    input in;
    sked_error err;

    if (sked_tree_new(d->schema, NULL, NULL, &d->tree, &err) != SKED_OK) {
        return input_fail(fault, 0, 0, "%s", err.message);
    }
    if (!path) return 1;
    if (!input_read(&in, path, fault)) return 0;
    sked_status rc = sked_tree_parse(d->tree, in.bytes, in.length, path, NULL,
                                     0, NULL, &err);
    if (rc == SKED_OK) {
        rc = sked_tree_commit(d->tree, SKED_TREE_COMMIT_LENIENT, &err);
    }
    input_free(&in);
    return rc == SKED_OK ||
           input_fail(fault, err.line, err.column, "%s", err.message);
}

static void print_order(const day *d)
{
    if (d->plan.outcome == SKED_TIERS_OK) {
        puts("\nthresholds fall and usage/capacity rises from tier 1 on:");
    } else if (d->plan.outcome == SKED_TIERS_TOTAL) {
        printf("\nthresholds keep both orders with %lld instances, more than "
               "the %lld there are:\n",
               (long long)d->plan.smallest, (long long)d->instances);
    } else {
        printf("\nno thresholds within the bounds keep %s of tier %u and those "
               "below; upper bounds:\n",
               d->plan.outcome == SKED_TIERS_RATIOS ? "the head room"
                                                    : "the order",
               d->plan.tier);
    }
    for (int t = 0; t < TIERS; t++) {
        printf("  tier %d  threshold %5.1f%%  %6lld instances\n", t + 1,
               (double)d->threshold[t] / 10000, (long long)d->allocation[t]);
    }
}

static void print_before(int64_t before, int64_t after)
{
    if (before == 0 || before == SKED_UNLIMITED) {
        printf("%lld", (long long)after);
    } else {
        printf("%lld -> %lld", (long long)before, (long long)after);
    }
}

static void print_change(const day *d, const sked_plan_change *c)
{
    if (c->op == SKED_PLAN_OP_REMOVE) {
        printf("- %s: idle for the whole window\n", c->path);
        return;
    }
    printf("%c %s: weight ", c->op == SKED_PLAN_OP_ADD ? '+' : '~', c->path);
    print_before(c->weight_before, c->weight_after);
    if (c->leaf != SKED_PLAN_NO_LEAF) {
        const sked_pctl_point *p = &d->point[c->leaf];
        printf(", max running ");
        print_before(c->running_before, c->running_after);
        printf(" (%u jobs, %.0f of %.0f h in use", c->jobs,
               (double)p->covered.num / 3.6e12,
               (double)p->covered.den / 3.6e12);
        if (p->higher) printf(", %lld for the rest", (long long)p->higher);
        putchar(')');
    }
    putchar('\n');
}

static int print_plan(const day *d, input_fault *fault)
{
    int64_t *allocation = new_array(d->leaves, sizeof *allocation);
    const sked_plan_input in = {.struct_size = sizeof in,
                                .leaves = d->leaves,
                                .jobs = &d->jobs,
                                .allocation = allocation,
                                .max_running = d->max_running};
    sked_plan *plan;
    sked_error err;

    for (uint32_t q = 0; q < d->leaves; q++) allocation[q] = d->point[q].amount;
    int ok = sked_plan_new(d->tree, &in, NULL, &plan, &err) == SKED_OK;
    if (!ok) (void)input_fail(fault, 0, 0, "%s", err.message);
    size_t n = sked_plan_count(plan);
    if (ok) {
        printf("%zu queues change, %zu changes below 5 %% are left:\n", n,
               sked_plan_skipped(plan));
    }
    for (size_t i = 0; i < n; i++) {
        sked_plan_change c = {.struct_size = sizeof c};
        if (sked_plan_get(plan, i, &c) == SKED_OK) print_change(d, &c);
    }
    sked_plan_free(plan);
    free(allocation);
    return ok;
}

int change_print(const day *d, input_fault *fault)
{
    print_order(d);
    return print_plan(d, fault);
}
