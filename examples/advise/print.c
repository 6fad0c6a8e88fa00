/* Prints the advice and the proof. */
#include <stdio.h>
#include <stdlib.h>

#include "advise.h"

enum { CHANGES_SHOWN = 24 };

static double percent(uint64_t part, uint64_t of)
{
    return of ? 100.0 * (double)part / (double)of : 0.0;
}

static const char *outcome_text(const sked_advice_result *sum)
{
    switch (sum->outcome) {
    case SKED_TIERS_OK: return "fits";
    case SKED_TIERS_TOTAL: return "more than there is: weights only";
    case SKED_TIERS_THRESHOLDS:
        return "bounds rule the tiers' order out: upper bounds";
    default: return "usage rules the tiers' order out: upper bounds";
    }
}

static void print_tiers(const advising *a, const sked_advice_result *sum)
{
    printf("%lld instances allocated of %lld: %s\n", (long long)sum->allocated,
           (long long)a->d.instances, outcome_text(sum));
    for (uint32_t t = 0; t < sum->tiers; t++) {
        printf("  tier %u  threshold %5.1f%%  %6lld instances\n", t + 1,
               (double)sum->threshold_ppm[t] / 1e4,
               (long long)sum->allocation[t]);
    }
}

/* A limit on numbers of applications as text. */
static const char *running_text(int64_t running, char text[24])
{
    if (running == SKED_UNLIMITED) return "any";
    snprintf(text, 24, "%lld", (long long)running);
    return text;
}

static void print_change(const advising *a, const sked_plan_change *c)
{
    static const char sign[] = "?+-~";
    sked_advice_finding leaf = {.struct_size = sizeof leaf};
    char before[24], after[24];

    printf("%c %s", sign[c->op], c->path);
    if (c->op == SKED_PLAN_OP_REMOVE) {
        puts("");
        return;
    }
    printf(": weight %lld -> %lld", (long long)c->weight_before,
           (long long)c->weight_after);
    if (c->leaf == SKED_PLAN_NO_LEAF ||
        sked_advice_leaf(a->advice, c->leaf, &leaf) != SKED_OK) {
        puts("");
        return;
    }
    printf(", running %s -> %s", running_text(c->running_before, before),
           running_text(c->running_after, after));
    printf(" (%u jobs; in use %.1f h, %.1f%% of it within %lld; peak %lld)\n",
           c->jobs, (double)leaf.total.in_use / 3.6e12,
           percent((uint64_t)leaf.point.covered.num,
                   (uint64_t)leaf.point.covered.den),
           (long long)leaf.point.amount, (long long)leaf.total.peak);
}

static void print_changes(const advising *a)
{
    const sked_plan *plan = sked_advice_plan(a->advice);
    size_t n = sked_plan_count(plan);

    printf("\n%zu queues change, %zu changes too small to make\n", n,
           sked_plan_skipped(plan));
    for (size_t i = 0; i < n && i < CHANGES_SHOWN; i++) {
        sked_plan_change c = {.struct_size = sizeof c};
        if (sked_plan_get(plan, i, &c) == SKED_OK) print_change(a, &c);
    }
    if (n > CHANGES_SHOWN) printf("  ... %zu more\n", n - CHANGES_SHOWN);
}

static void print_diff(const advising *a)
{
    const sked_diff *diff = sked_advice_diff(a->advice);
    size_t length = 0;

    if (sked_diff_format(diff, NULL, 0, &length) != SKED_ERR_RANGE) return;
    char *text = new_array(length + 1, 1);
    if (sked_diff_format(diff, text, length + 1, &length) == SKED_OK) {
        printf("\n%s", text);
    }
    free(text);
}

static void print_pair(double before, double after)
{
    printf("  %7.1f -> %7.1f", before, after);
}

static void print_proof(const advising *a)
{
    printf("\nreplayed: %u jobs, %llu -> %llu not finished\n", a->n,
           (unsigned long long)a->side[0].unfinished,
           (unsigned long long)a->side[1].unfinished);
    puts("         workflows    successful, %         runs in time, %"
         "      wait p95, min         wait mean, min");
    for (uint32_t t = 0; t < TIERS; t++) {
        const sked_slo_tier *was = &a->side[0].tier[t];
        const sked_slo_tier *is = &a->side[1].tier[t];
        const sked_sim_delay *had = &a->side[0].delay[t];
        const sked_sim_delay *has = &a->side[1].delay[t];
        printf("  tier %u %10llu", t + 1, (unsigned long long)was->workflows);
        print_pair(percent(was->successful, was->workflows),
                   percent(is->successful, is->workflows));
        print_pair(percent(was->met, was->runs), percent(is->met, is->runs));
        print_pair((double)had->p95 / 6e10, (double)has->p95 / 6e10);
        print_pair((double)had->mean / 6e10, (double)has->mean / 6e10);
        puts("");
    }
}

int advise_print(const advising *a, const advise_options *o)
{
    sked_advice_result sum = {.struct_size = sizeof sum};

    if (sked_advice_get_result(a->advice, &sum) != SKED_OK) return 0;
    printf("learned from %.1f days: %llu leaves\n",
           (double)(a->d.to - a->d.from) / (double)DAY_NS,
           (unsigned long long)sum.leaves);
    print_tiers(a, &sum);
    print_changes(a);
    if (o->text) print_diff(a);
    print_proof(a);
    return sum.tier == 0;
}
