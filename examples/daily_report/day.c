/* From a file to a day: the window, workflows, their tiers and SLOs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daily_report.h"

void *new_array(size_t n, size_t size)
{
    void *found = calloc(n ? n : 1, size);

    if (found) return found;
    fputs("daily_report: does not fit in memory\n", stderr);
    exit(BAD_INPUT);
}

/* ---- Jobs ---- */

/* Copies the recorded jobs; an amount of a job is the sum over its tasks. */
static int take_jobs(day *d, input_fault *fault)
{
    const workload *w = &d->w;

    d->start = new_array(w->n, sizeof *d->start);
    d->end = new_array(w->n, sizeof *d->end);
    d->amount = new_array(w->n, WORKLOAD_KINDS * sizeof *d->amount);
    for (uint32_t i = 0; i < w->n; i++) {
        const workload_job *job = &w->jobs[i];
        if (job->start < 0 || job->end < 0) {
            d->left_out++;
            continue;
        }
        d->w.jobs[d->n] = *job;
        d->start[d->n] = job->start;
        d->end[d->n] = job->end;
        for (int k = 0; k < WORKLOAD_KINDS; k++) {
            if (job->amount[k] > SKED_AMOUNT_MAX / job->tasks) {
                return input_fail(fault, job->line, 0, "holds too much");
            }
            d->amount[d->n * (size_t)WORKLOAD_KINDS + (size_t)k] =
                job->amount[k] * job->tasks;
        }
        d->n++;
    }
    if (d->n == 0) return input_fail(fault, 0, 0, "has no recorded job");
    return 1;
}

static void set_window(day *d, const report_options *o)
{
    int64_t first = d->start[0];

    for (uint32_t i = 0; i < d->n; i++) {
        if (d->end[i] > d->to) d->to = d->end[i];
        if (d->start[i] < first) first = d->start[i];
    }
    d->from = d->to - o->days * DAY_NS;
    if (d->from < first) d->from = first;
    if (d->from == d->to) d->from--;
}

/* ---- Workflows ---- */

static uint32_t flow_of(day *d, const workload_job *job)
{
    const workload *w = &d->w;
    const char *app = w->apps.text[job->app];
    char name[256];

    if (*app) {
        snprintf(name, sizeof name, "%.100s/%.100s", w->users.text[job->user],
                 app);
    } else {
        snprintf(name, sizeof name, "%.100s x%lld %llds",
                 w->users.text[job->user], (long long)job->tasks,
                 (long long)(job->slo / 1000000000));
    }
    uint32_t flow = names_number(&d->flows, name, strlen(name));
    if (flow == NAMES_FULL) (void)new_array(SIZE_MAX / 2, 1);
    return flow;
}

typedef struct flow_rank {
    uint32_t flow;
    uint32_t runs;
} flow_rank;

static int runs_more(const void *a, const void *b)
{
    const flow_rank *x = a, *y = b;

    if (x->runs != y->runs) return x->runs > y->runs ? -1 : 1;
    return x->flow < y->flow ? -1 : x->flow > y->flow;
}

/* The tenth of the workflows that runs most often, then the next quarter. */
static void rank_flows(day *d)
{
    uint32_t n = d->flows.n;
    flow_rank *rank = new_array(n, sizeof *rank);

    for (uint32_t f = 0; f < n; f++) rank[f].flow = f;
    for (uint32_t i = 0; i < d->n; i++) rank[d->flow[i]].runs++;
    qsort(rank, n, sizeof *rank, runs_more);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t place = (uint64_t)i * 100;
        d->flow_tier[rank[i].flow] = (uint8_t)(place < 10 * (uint64_t)n   ? 1
                                               : place < 35 * (uint64_t)n ? 2
                                                                          : 3);
    }
    free(rank);
}

/* Jobs are sorted by submission, so the last job of a workflow describes the
 * workflow. */
static void take_flows(day *d)
{
    d->flow = new_array(d->n, sizeof *d->flow);
    d->tier = new_array(d->n, sizeof *d->tier);
    d->ranked = 1;
    for (uint32_t i = 0; i < d->n; i++) {
        d->flow[i] = flow_of(d, &d->w.jobs[i]);
        if (d->w.jobs[i].tier > 0) d->ranked = 0;
    }
    d->flow_tier = new_array(d->flows.n, sizeof *d->flow_tier);
    d->flow_slo = new_array(d->flows.n, sizeof *d->flow_slo);
    if (d->ranked) rank_flows(d);
    for (uint32_t i = 0; i < d->n; i++) {
        const workload_job *job = &d->w.jobs[i];
        uint32_t said = job->tier > 0 && job->tier < TIERS ? job->tier : TIERS;
        d->tier[i] = d->ranked ? d->flow_tier[d->flow[i]] : (uint8_t)said;
        d->flow_tier[d->flow[i]] = d->tier[i];
        d->flow_slo[d->flow[i]] = job->slo > 0 ? job->slo : -1;
    }
}

static int take_instance(day *d, const report_options *o, input_fault *fault)
{
    static const char *const kinds[] = {"cpu", "memory", "gpu"};
    static const char *const units[] = {"m", "B", "m"};
    sked_error err;

    if (sked_schema_new(kinds, units, WORKLOAD_KINDS, NULL, &d->schema, &err) !=
            SKED_OK ||
        sked_vec_parse(d->schema, o->instance, strlen(o->instance), 0,
                       d->instance, &err) != SKED_OK) {
        snprintf(fault->file, sizeof fault->file, "--instance");
        return input_fail(fault, 0, 0, "%s", err.message);
    }
    return 1;
}

int day_read(day *d, const report_options *o, input_fault *fault)
{
    static const workload_options plain;

    *d = (day){.left_out = 0};
    if (!take_instance(d, o, fault)) return 0;
    int ok = o->file ? workload_read(&d->w, o->file, &plain, fault)
                     : bundled_read(&d->w, fault);
    if (!ok || !take_jobs(d, fault)) return 0;
    set_window(d, o);
    take_flows(d);
    return 1;
}

void day_free(day *d)
{
    workload_free(&d->w);
    names_free(&d->flows);
    sked_tree_free(d->tree);
    sked_schema_free(d->schema);
    sked_history_free(d->history);
    free(d->start);
    free(d->end);
    free(d->flow);
    free(d->tier);
    free(d->leaf);
    free(d->amount);
    free(d->flow_tier);
    free(d->flow_slo);
    free(d->first);
    free(d->leaf_tier);
    free(d->point);
    free(d->total);
    free(d->max_running);
    for (int f = 0; f < 2; f++) {
        free(d->text[f]);
        free(d->offset[f]);
    }
}
