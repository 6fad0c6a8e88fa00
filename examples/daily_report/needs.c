/*
 * The needs of queues: leaves by organisation, project and tier; a history of
 * each leaf, of all leaves together, and of no queue (jobs outside the window);
 * thresholds that keep the tiers in order; the number of concurrent
 * applications.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../workload/print.h"
#include "../workload/wide.h"
#include "daily_report.h"

/* A column of names as text and offsets; `numbers` says each job's. */
static void take_texts(day *d, int field, const names *all,
                       uint32_t (*of)(const workload_job *))
{
    size_t bytes = 0;
    int32_t at = 0;

    for (uint32_t i = 0; i < d->n; i++) {
        bytes += strlen(all->text[of(&d->w.jobs[i])]);
    }
    d->text[field] = new_array(bytes, 1);
    d->offset[field] = new_array(d->n + (size_t)1, sizeof(int32_t));
    for (uint32_t i = 0; i < d->n; i++) {
        const char *text = all->text[of(&d->w.jobs[i])];
        size_t length = strlen(text);
        d->offset[field][i] = at;
        memcpy(d->text[field] + at, text, length);
        at += (int32_t)length;
    }
    d->offset[field][d->n] = at;
}

static uint32_t group_of(const workload_job *job)
{
    return job->group;
}

static uint32_t queue_of(const workload_job *job)
{
    return job->queue;
}

/* The library's error as a line about the file: a row is a job. */
static int fail_at(const day *d, const sked_error *err, input_fault *fault)
{
    uint64_t line = 0;

    if (err->row >= 0 && err->row < d->n) line = d->w.jobs[err->row].line;
    return input_fail(fault, line, 0, "%s%s", err->message,
                      print_kind(err->kind));
}

static int find_leaves(day *d, input_fault *fault)
{
    sked_error err;
    size_t n = 0;

    take_texts(d, 0, &d->w.groups, group_of);
    take_texts(d, 1, &d->w.queues, queue_of);
    d->jobs = (sked_plan_jobs){.struct_size = sizeof d->jobs,
                               .n = d->n,
                               .fields = 2,
                               .tiers = TIERS,
                               .text = (const char *const *)d->text,
                               .offset = (const int32_t *const *)d->offset,
                               .tier = d->tier,
                               .start = d->start,
                               .end = d->end,
                               .from = d->from,
                               .to = d->to};
    d->leaf = new_array(d->n, sizeof *d->leaf);
    if (sked_plan_leaves(&d->jobs, NULL, d->leaf, NULL, NULL, 0, &n, &err) !=
        SKED_OK) {
        return fail_at(d, &err, fault);
    }
    d->leaves = (uint32_t)n;
    d->first = new_array(n, sizeof *d->first);
    d->leaf_tier = new_array(n, sizeof *d->leaf_tier);
    return sked_plan_leaves(&d->jobs, NULL, NULL, d->first, d->leaf_tier, n, &n,
                            &err) == SKED_OK ||
           fail_at(d, &err, fault);
}

/* Queue number `leaves` stands for no queue, queue `leaves + 1` for all
 * queues. */
static int add_all(day *d, int together, input_fault *fault)
{
    uint32_t *queue = new_array(d->n, sizeof *queue);
    sked_error err;
    const sked_history_input rows = {.struct_size = sizeof rows,
                                     .flags = SKED_HISTORY_INPUT_FLAG_ANY_ORDER,
                                     .form = SKED_HISTORY_FORM_INTERVALS,
                                     .n = d->n,
                                     .queue = queue,
                                     .start = d->start,
                                     .end = d->end,
                                     .amount = d->amount};

    for (uint32_t i = 0; i < d->n; i++) {
        uint32_t own = d->leaf[i] == SKED_PLAN_NO_LEAF ? d->leaves : d->leaf[i];
        queue[i] = together ? d->leaves + 1 : own;
    }
    sked_status rc = sked_history_add(d->history, &rows, NULL, &err);
    free(queue);
    return rc == SKED_OK || fail_at(d, &err, fault);
}

static int find_history(day *d, input_fault *fault)
{
    const sked_history_options opts = {.struct_size = sizeof opts,
                                       .flags = SKED_HISTORY_FLAG_WINDOW,
                                       .queues = d->leaves + 2,
                                       .kinds = WORKLOAD_KINDS,
                                       .from = d->from,
                                       .to = d->to};
    sked_error err;

    if (sked_history_new(d->instance, &opts, NULL, &d->history, &err) !=
        SKED_OK) {
        return fail_at(d, &err, fault);
    }
    if (!add_all(d, 0, fault) || !add_all(d, 1, fault)) return 0;
    return sked_history_settle(d->history, SKED_HISTORY_END, &err) == SKED_OK ||
           fail_at(d, &err, fault);
}

/* The processors of a header, or the peak usage. */
static int find_instances(day *d, const report_options *o, input_fault *fault)
{
    const uint32_t all = d->leaves + 1;
    const sked_ratio whole = {1, 1};
    int64_t cpu = d->instance[WORKLOAD_CPU];
    sked_pctl_point point;
    sked_error err;

    if (sked_history_pctl(d->history, &all, 1, &whole, 1, &point, NULL, &err) !=
        SKED_OK) {
        return fail_at(d, &err, fault);
    }
    d->instances = point.amount;
    if (d->w.max_procs > 0 && cpu > 0) {
        d->instances = (d->w.max_procs * 1000 + cpu - 1) / cpu;
    }
    if (o->instances) d->instances = o->instances;
    if (d->instances < 1) d->instances = 1;
    return 1;
}

/* Without a plan that keeps both orders, each tier gets its upper bound. */
static int take_upper_bounds(day *d, const report_options *o,
                             input_fault *fault)
{
    sked_error err;

    for (uint32_t q = 0; q < d->leaves; q++) {
        uint32_t t = d->leaf_tier[q] - 1u;
        const sked_ratio p = {o->high[t], SKED_PPM};
        if (sked_history_pctl(d->history, &q, 1, &p, 1, &d->point[q], NULL,
                              &err) != SKED_OK) {
            return fail_at(d, &err, fault);
        }
        d->threshold[t] = o->high[t];
        d->allocation[t] += d->point[q].amount;
    }
    return 1;
}

static int find_thresholds(day *d, const report_options *o, input_fault *fault)
{
    const sked_tiers_plan_input request = {.struct_size = sizeof request,
                                           .tiers = TIERS,
                                           .queues = d->leaves,
                                           .total = d->instances,
                                           .low_ppm = o->low,
                                           .high_ppm = o->high,
                                           .tier = d->leaf_tier};
    const sked_ratio whole = {1, 1};
    sked_error err;

    d->point = new_array(d->leaves, sizeof *d->point);
    d->total = new_array(d->leaves, sizeof *d->total);
    d->plan = (sked_tiers_result){.struct_size = sizeof d->plan,
                                  .threshold_ppm = d->threshold,
                                  .allocation = d->allocation};
    if (sked_history_pctl(d->history, NULL, d->leaves, &whole, 1, d->point,
                          d->total, &err) != SKED_OK ||
        sked_tiers_plan(d->history, &request, NULL, &d->plan, d->point, &err) !=
            SKED_OK) {
        return fail_at(d, &err, fault);
    }
    return d->plan.tier == 0 || take_upper_bounds(d, o, fault);
}

static int find_running(day *d, input_fault *fault)
{
    const sked_plan_running_input apps = {.struct_size = sizeof apps,
                                          .queues = d->leaves,
                                          .n = d->n,
                                          .queue = d->leaf,
                                          .start = d->start,
                                          .end = d->end,
                                          .from = d->from,
                                          .to = d->to};
    sked_error err;

    d->max_running = new_array(d->leaves, sizeof *d->max_running);
    return sked_plan_running(&apps, NULL, d->max_running, &err) == SKED_OK ||
           fail_at(d, &err, fault);
}

int needs_find(day *d, const report_options *o, input_fault *fault)
{
    return find_leaves(d, fault) && find_history(d, fault) &&
           find_instances(d, o, fault) && find_thresholds(d, o, fault) &&
           find_running(d, fault);
}
