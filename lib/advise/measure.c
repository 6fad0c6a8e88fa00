/*
 * What each leaf needs: the jobs of the window as intervals of a history, the
 * thresholds that its tiers allow, and how many applications ran at once.
 */
#include <string.h>

#include "advise/handle.h"
#include "base/arith.h"
#include "base/fail.h"

static const int64_t low_default = 500000;

/* Columns that a call needs besides the advice's own. */
typedef struct measuring {
    sked_advice *a;
    const sked_advice_input *in;
    sked_history *history;
    uint32_t *leaf;  /* by job; those outside: one behind the leaves */
    uint32_t *first; /* by leaf */
    size_t leaves;
} measuring;

static sked_status no_memory(sked_error *err)
{
    return skedi_fail_memory(err);
}

/* The leaf of each job. */
static sked_status measure_leaves(measuring *m, sked_error *err)
{
    sked_advice *a = m->a;
    skedi_mem *mem = &a->hooks.mem;
    uint64_t n = m->in->jobs->n;

    if (n > INT32_MAX) {
        return skedi_fail(err, SKED_ERR_RANGE, "too many jobs",
                          (skedi_fault){.got = (int64_t)n, .limit = INT32_MAX});
    }
    m->leaf = skedi_new(mem, (size_t)n, sizeof *m->leaf);
    if (!m->leaf) return no_memory(err);
    sked_status rc = sked_plan_leaves(m->in->jobs, &a->host, m->leaf, NULL,
                                      NULL, 0, &m->leaves, err);
    if (rc == SKED_ERR_RANGE && m->leaves) rc = SKED_OK; /* only counted */
    if (rc != SKED_OK) return rc;
    a->leaves = (uint32_t)m->leaves;
    a->queue = skedi_new(mem, m->leaves, sizeof *a->queue);
    a->tier = skedi_new(mem, m->leaves, sizeof *a->tier);
    a->max_running = skedi_new(mem, m->leaves, sizeof *a->max_running);
    a->allocation = skedi_new(mem, m->leaves, sizeof *a->allocation);
    a->point = skedi_new(mem, m->leaves, sizeof *a->point);
    a->total = skedi_new(mem, m->leaves, sizeof *a->total);
    if (!a->queue || !a->tier || !a->max_running || !a->allocation ||
        !a->point || !a->total) {
        return no_memory(err);
    }
    rc = sked_plan_leaves(m->in->jobs, &a->host, m->leaf, NULL, a->tier,
                          m->leaves, &m->leaves, err);
    for (uint32_t i = 0; rc == SKED_OK && i < n; i++) {
        if (m->leaf[i] == SKED_PLAN_NO_LEAF) m->leaf[i] = a->leaves;
    }
    return rc;
}

/* The jobs' history, settled. */
static sked_status take_history(measuring *m, sked_error *err)
{
    const sked_plan_jobs *jobs = m->in->jobs;
    int window = jobs->from != 0 || jobs->to != 0;
    sked_history_options opts = {.struct_size = sizeof opts,
                                 .flags = window ? SKED_HISTORY_FLAG_WINDOW : 0,
                                 .queues = m->a->leaves + 1,
                                 .kinds = m->in->kinds,
                                 .from = jobs->from,
                                 .to = jobs->to};
    sked_history_input rows = {.struct_size = sizeof rows,
                               .flags = SKED_HISTORY_INPUT_FLAG_ANY_ORDER,
                               .form = SKED_HISTORY_FORM_INTERVALS,
                               .n = jobs->n,
                               .queue = m->leaf,
                               .start = jobs->start,
                               .end = jobs->end,
                               .amount = m->in->amounts};
    sked_status rc = sked_history_new(m->in->instance, &opts, &m->a->host,
                                      &m->history, err);

    if (rc == SKED_OK && jobs->n) {
        rc = sked_history_add(m->history, &rows, NULL, err);
    }
    if (rc == SKED_OK) {
        rc = sked_history_settle(m->history, SKED_HISTORY_END, err);
    }
    return rc;
}

/* Allocates every leaf what the upper bound of its tier needs. */
static sked_status take_upper(measuring *m, const int64_t *high,
                              sked_error *err)
{
    sked_advice *a = m->a;
    sked_advice_result *sum = &a->sum;
    sked_status rc = SKED_OK;

    for (uint32_t t = 0; t < sum->tiers; t++) sum->threshold_ppm[t] = high[t];
    for (uint32_t i = 0; rc == SKED_OK && i < a->leaves; i++) {
        const sked_ratio part = {high[a->tier[i] - 1], SKED_PPM};
        int64_t *all = &sum->allocation[a->tier[i] - 1];
        rc = sked_history_pctl(m->history, &i, 1, &part, 1, &a->point[i], NULL,
                               err);
        *all = skedi_amount_add(*all, a->point[i].amount);
        sum->allocated = skedi_amount_add(sum->allocated, a->point[i].amount);
    }
    return rc;
}

/* Thresholds of the tiers, and with them allocations. */
static sked_status take_tiers_plan(measuring *m, sked_error *err)
{
    sked_advice *a = m->a;
    sked_advice_result *sum = &a->sum;
    int64_t low[SKED_MAX_TIERS], high[SKED_MAX_TIERS];
    sked_tiers_result result = {.struct_size = sizeof result,
                                .threshold_ppm = sum->threshold_ppm,
                                .allocation = sum->allocation};

    sum->tiers = m->in->jobs->tiers ? m->in->jobs->tiers : 3;
    for (uint32_t t = 0; t < sum->tiers; t++) {
        low[t] = m->in->low_ppm ? m->in->low_ppm[t] : low_default;
        high[t] = m->in->high_ppm ? m->in->high_ppm[t] : SKED_PPM;
    }
    sked_tiers_plan_input request = {.struct_size = sizeof request,
                                     .tiers = sum->tiers,
                                     .queues = a->leaves,
                                     .step_ppm = m->in->step_ppm,
                                     .total = m->in->instances,
                                     .low_ppm = low,
                                     .high_ppm = high,
                                     .tier = a->tier};
    sked_status rc = sked_tiers_plan(m->history, &request, &a->host, &result,
                                     a->point, err);
    if (rc != SKED_OK) return rc;
    sum->outcome = result.outcome;
    sum->tier = result.tier;
    sum->allocated = result.allocated;
    sum->smallest = result.smallest;
    a->chosen = result.tier == 0 || m->in->flags & SKED_ADVICE_FLAG_ANYWAY;
    if (result.tier && a->chosen) rc = take_upper(m, high, err);
    for (uint32_t i = 0; a->chosen && i < a->leaves; i++) {
        a->allocation[i] = a->point[i].amount;
    }
    return rc;
}

/* In use, peak and usage of each leaf. */
static sked_status take_totals(measuring *m, sked_error *err)
{
    const sked_ratio all = {1, 1};
    sked_pctl_point peak;
    sked_status rc = SKED_OK;

    for (uint32_t i = 0; rc == SKED_OK && i < m->a->leaves; i++) {
        rc = sked_history_pctl(m->history, &i, 1, &all, 1, &peak,
                               &m->a->total[i], err);
    }
    return rc;
}

static sked_status take_running(measuring *m, sked_error *err)
{
    const sked_plan_jobs *jobs = m->in->jobs;

    if (!m->a->leaves) return SKED_OK;
    for (uint32_t i = 0; i < jobs->n; i++) {
        if (m->leaf[i] == m->a->leaves) m->leaf[i] = SKED_PLAN_NO_LEAF;
    }
    sked_plan_running_input running = {.struct_size = sizeof running,
                                       .queues = m->a->leaves,
                                       .n = jobs->n,
                                       .queue = m->leaf,
                                       .start = jobs->start,
                                       .end = jobs->end,
                                       .from = jobs->from,
                                       .to = jobs->to,
                                       .part_ppm = m->in->running_part_ppm,
                                       .head_room_ppm = m->in->head_room_ppm};
    return sked_plan_running(&running, &m->a->host, m->a->max_running, err);
}

sked_status skedi_advise_measure(sked_advice *a, const sked_advice_input *in,
                                 sked_error *err)
{
    measuring m = {.a = a, .in = in};
    sked_status rc = measure_leaves(&m, err);

    if (rc == SKED_OK) rc = take_history(&m, err);
    if (rc == SKED_OK) rc = take_tiers_plan(&m, err);
    if (rc == SKED_OK) rc = take_totals(&m, err);
    if (rc == SKED_OK) rc = take_running(&m, err);
    sked_history_free(m.history);
    skedi_free(&a->hooks.mem, m.leaf, (size_t)in->jobs->n, sizeof *m.leaf);
    return rc;
}
