/* Workflows: who is new or changed, and who ends in time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daily_report.h"

/* ---- New, re-tiered, re-SLOed ---- */

/* Workflows with a run that ended in [from, to), as they were then. */
static void flows_at(const day *d, int64_t from, int64_t to,
                     sked_report_compare_input *f, uint64_t *key, uint8_t *tier,
                     int64_t *slo)
{
    uint8_t *at_tier = new_array(d->flows.n, 1);
    int64_t *at_slo = new_array(d->flows.n, sizeof *at_slo);

    for (uint32_t i = 0; i < d->n; i++) {
        if (d->end[i] <= from || d->end[i] > to) continue;
        at_tier[d->flow[i]] = d->tier[i];
        at_slo[d->flow[i]] = d->w.jobs[i].slo;
    }
    *f = (sked_report_compare_input){
        .struct_size = sizeof *f, .key = key, .tier = tier, .slo_ns = slo};
    for (uint32_t w = 0; w < d->flows.n; w++) {
        if (!at_tier[w]) continue;
        key[f->n] = w;
        tier[f->n] = at_tier[w];
        slo[f->n++] = at_slo[w];
    }
    free(at_tier);
    free(at_slo);
}

int flows_print(const day *d, input_fault *fault)
{
    size_t n = d->flows.n;
    uint64_t *key = new_array(2 * n, sizeof *key);
    uint8_t *tier = new_array(2 * n, sizeof *tier);
    int64_t *slo = new_array(2 * n, sizeof *slo);
    sked_report_compare_input now, before;
    sked_report_tier counts[SKED_MAX_TIERS];
    sked_error err;

    flows_at(d, d->from, d->to, &now, key, tier, slo);
    flows_at(d, d->from - DAY_NS, d->to - DAY_NS, &before, key + n, tier + n,
             slo + n);
    int ok = sked_report_compare(&now, &before, NULL, NULL, counts, &err) ==
             SKED_OK;
    if (!ok) (void)input_fail(fault, 0, 0, "%s", err.message);
    if (ok) puts("\nworkflows      all     new  re-tiered  new SLO    gone");
    for (int t = 0; ok && t < TIERS; t++) {
        const sked_report_tier *c = &counts[t];
        printf("  tier %d  %8llu%8llu%11llu%9llu%8llu\n", t + 1,
               (unsigned long long)c->workflows, (unsigned long long)c->added,
               (unsigned long long)c->retiered, (unsigned long long)c->slo,
               (unsigned long long)c->gone);
    }
    free(key);
    free(tier);
    free(slo);
    return ok;
}

/* ---- SLOs ---- */

/* Runs of workflows that have an SLO. Work counts millionths of an instance
 * that the run's dominant kind takes. */
typedef struct run_columns {
    sked_slo_input in;
    uint32_t *workflow;
    sked_time *start;
    sked_time *end;
    sked_wide *work;
    int64_t *slo;
} run_columns;

/* max over kinds of amount / instance, in millionths, rounded up. */
static uint64_t parts_of(const day *d, uint32_t job)
{
    uint64_t most = 0;

    for (int k = 0; k < WORKLOAD_KINDS; k++) {
        int64_t has = d->instance[k];
        int64_t amount = d->amount[job * (size_t)WORKLOAD_KINDS + (size_t)k];
        const int64_t whole[] = {SKED_PPM};
        const sked_ratio by = {amount, has ? has : 1};
        int64_t parts = 0;
        if (!has || !amount) continue;
        if (sked_vec_scale(whole, by, SKED_ROUNDING_UP, 1, &parts, NULL) !=
            SKED_OK) {
            parts = SKED_AMOUNT_MAX;
        }
        if ((uint64_t)parts > most) most = (uint64_t)parts;
    }
    return most;
}

static sked_wide work_of(const day *d, uint32_t job)
{
    uint64_t parts = parts_of(d, job);
    uint64_t ns = (uint64_t)(d->end[job] - d->start[job]);
    uint64_t low = (parts & UINT32_MAX) * (ns & UINT32_MAX);
    uint64_t a = (parts >> 32) * (ns & UINT32_MAX) + (low >> 32);
    uint64_t b = (parts & UINT32_MAX) * (ns >> 32) + (a & UINT32_MAX);
    sked_wide work = {(parts >> 32) * (ns >> 32) + (a >> 32) + (b >> 32),
                      b << 32 | (low & UINT32_MAX)};

    return work;
}

static void make_runs(const day *d, const report_options *o, run_columns *r)
{
    r->workflow = new_array(d->n, sizeof *r->workflow);
    r->start = new_array(d->n, sizeof *r->start);
    r->end = new_array(d->n, sizeof *r->end);
    r->work = new_array(d->n, sizeof *r->work);
    r->slo = new_array(d->flows.n, sizeof *r->slo);
    r->in = (sked_slo_input){.struct_size = sizeof r->in,
                             .workflows = d->flows.n,
                             .slo_ns = r->slo,
                             .tier = d->flow_tier,
                             .workflow = r->workflow,
                             .start = r->start,
                             .end = r->end,
                             .work = r->work,
                             .instance = SKED_PPM,
                             .from = d->from + 1,
                             .to = d->to + 1};
    for (uint32_t w = 0; w < d->flows.n; w++) {
        r->slo[w] = d->flow_slo[w] > 0 ? d->flow_slo[w] : 1;
    }
    for (uint32_t i = 0; i < d->n; i++) {
        int64_t from = o->from_start ? d->start[i] : d->w.jobs[i].submit;
        if (d->flow_slo[d->flow[i]] <= 0) continue;
        r->workflow[r->in.n] = d->flow[i];
        r->start[r->in.n] = from < d->end[i] ? from : d->end[i];
        r->end[r->in.n] = d->end[i];
        r->work[r->in.n++] = work_of(d, i);
    }
}

/* A line of the dashboard: twenty places, the threshold of 90 % marked. */
static void print_bar(double part)
{
    char bar[21] = "....................";

    for (int i = 0; i < 20 && i < (int)(part * 20 + 0.5); i++) bar[i] = '#';
    if (bar[17] == '.') bar[17] = '|';
    printf("  %s", bar);
}

static void print_tier(int t, const sked_slo_tier *tier)
{
    double part = tier->workflows
                      ? (double)tier->successful / (double)tier->workflows
                      : 0;

    printf("  tier %d", t);
    print_bar(part);
    printf("%7.1f%%  %llu of %llu workflows", 100 * part,
           (unsigned long long)tier->successful,
           (unsigned long long)tier->workflows);
    printf("; %llu of %llu runs; %llu without a run\n",
           (unsigned long long)tier->met, (unsigned long long)tier->runs,
           (unsigned long long)tier->idle);
}

static int print_worst(const day *d, const report_options *o,
                       const run_columns *r, uint32_t tier, input_fault *fault)
{
    sked_slo_repair row[MOST_WORST];
    sked_error err;
    size_t n = 0;

    if (sked_slo_repairs(&r->in, tier, NULL, row, o->worst, &n, &err) !=
        SKED_OK) {
        return input_fail(fault, 0, 0, "%s", err.message);
    }
    for (size_t i = 0; i < n && i < o->worst; i++) {
        printf("  tier %u  %-28s %u of %u in time: %u more with %lld "
               "instance%s more\n",
               tier, d->flows.text[row[i].workflow], row[i].met, row[i].runs,
               row[i].missing, (long long)row[i].extra,
               row[i].extra == 1 ? "" : "s");
    }
    return 1;
}

static int print_success(const day *d, const report_options *o,
                         const run_columns *r, input_fault *fault)
{
    size_t n = d->flows.n;
    uint32_t *runs = new_array(n, sizeof *runs),
             *met = new_array(n, sizeof *met);
    sked_slo_tier tier[SKED_MAX_TIERS];
    sked_slo_result out = {
        .struct_size = sizeof out, .runs = runs, .met = met, .tier = tier};
    sked_error err;
    int ok = sked_slo_count(&r->in, NULL, &out, &err) == SKED_OK;

    if (!ok) (void)input_fail(fault, 0, 0, "%s", err.message);
    if (ok) {
        printf("\nSLO-successful workflows (90 %% of runs in time, from %s)\n",
               o->from_start ? "start" : "submission");
    }
    for (int t = 1; ok && t <= TIERS; t++) print_tier(t, &tier[t - 1]);
    if (ok) puts("cheapest to repair:");
    for (uint32_t t = 1; ok && t <= TIERS; t++) {
        ok = print_worst(d, o, r, t, fault);
    }
    free(runs);
    free(met);
    return ok;
}

int success_print(const day *d, const report_options *o, input_fault *fault)
{
    run_columns r = {.workflow = NULL};

    make_runs(d, o, &r);
    int ok = r.in.n == 0 || print_success(d, o, &r, fault);
    if (r.in.n == 0) puts("\nno workflow has an SLO");
    free(r.workflow);
    free(r.start);
    free(r.end);
    free(r.work);
    free(r.slo);
    return ok;
}
