/*
 * Running a batch, moment by moment. Methods with a plan start its tasks in
 * order. DYNAMIC anneals the order again whenever something ends; the adaptive
 * method chooses a width when a task starts, against a running estimate of
 * when all could be done.
 */
#include <string.h>

#include "base/sort.h"
#include "batch/live.h"

/*
 * Widths chosen when tasks start, against a running estimate of when all could
 * be done. The estimate is the least time by which the slots that are not
 * promised to what runs hold the work of what waits, each task taken with the
 * fewest slots that end by then. A part eta of the time until then is the
 * target: below 1 it keeps long tasks from ending last, so that one that runs
 * over does not move the end.
 *
 * While nothing runs all slots are free and the first task always fits.
 */

enum { FINEST = 20 }; /* the estimate: to a 2^-20 part */

/* Do the slots until `at` hold what waits? */
static int batch_is_enough(const skedi_batch_live *live, int64_t at)
{
    const skedi_batch *b = live->b;
    int64_t left = (int64_t)b->slots * (at - live->now);

    for (uint32_t i = 0; i < live->running; i++) {
        uint32_t j = live->run[i];
        int64_t until = skedi_i64_min(live->expect[j], at);
        left -= (int64_t)live->plan.width[j] * (until - live->now);
    }
    for (uint32_t i = 0; i < live->waiting && left >= 0; i++) {
        uint32_t j = live->plan.order[i];
        uint32_t k = skedi_batch_fewest(b, j, b->first[j], at - live->now);
        left -= (int64_t)b->width[k] * b->time[k];
    }
    return left >= 0;
}

/* When all could be done. */
static int64_t batch_earliest_end(const skedi_batch_live *live)
{
    const skedi_batch *b = live->b;
    int64_t low = live->now, latest = live->now;

    for (uint32_t i = 0; i < live->waiting; i++) {
        uint32_t j = live->plan.order[i];
        low = skedi_i64_max(low, live->now + b->time[b->first[j + 1] - 1]);
    }
    for (uint32_t i = 0; i < live->running; i++) {
        latest = skedi_i64_max(latest, live->expect[live->run[i]]);
    }
    int64_t high = skedi_i64_max(low, latest);
    while (!batch_is_enough(live, high)) high += (high - live->now) / 4 + 1;
    while (low < high && high - low > (high - live->now) >> FINEST) {
        int64_t middle = low + (high - low) / 2;
        if (batch_is_enough(live, middle)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return skedi_i64_max(high, latest);
}

/* Nothing waits any more: slots that are left go to what begins. */
static void batch_widen_last(skedi_batch_live *live, uint32_t n)
{
    const skedi_batch *b = live->b;
    int more = 1;

    while (more && live->free) {
        more = skedi_batch_widen_longest(b, live->begun, n, live->mark,
                                         &live->free);
    }
}

/* A decision of ADAPT (adapt.c): live->begun. */
static void batch_adapt(skedi_batch_live *live)
{
    const skedi_batch *b = live->b;
    uint32_t *order = live->plan.order, kept = 0, n = 0;
    uint64_t rem;

    if (live->waiting == 0 || live->free == 0) return;
    live_drift(live);
    int64_t target = (int64_t)skedi_muldiv(
        (uint64_t)(batch_earliest_end(live) - live->now), (uint64_t)live->eta,
        (uint64_t)SKED_PPM, &rem);
    for (uint32_t i = 0; i < live->waiting; i++) {
        uint32_t j = order[i];
        uint32_t at = skedi_batch_fewest(b, j, b->first[j], target);
        if (b->width[at] > live->free) {
            order[kept++] = j;
            continue;
        }
        live->mark[j] = at;
        live->begun[n++] = j;
        live->free -= b->width[at];
    }
    live->waiting = kept;
    if (kept == 0) batch_widen_last(live, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = live->begun[i];
        batch_give(b, &live->plan, j, live->mark[j]);
        live->free += live->plan.width[j]; /* taken again as it starts */
        live_start(live, j);
    }
}

/*
 * Running a batch, moment by moment. Methods with a plan start its tasks in
 * order; DYNAMIC anneals that order again whenever something has ended; ADAPT
 * decides anew each time. A run in virtual time is the same steps with a clock
 * that goes from end to end.
 */

enum { REPLAN_HEAT = 50 }; /* 2 % of what remains */

int skedi_batch_live_take(skedi_batch *b, skedi_batch_live *live)
{
    memset(live, 0, sizeof *live);
    live->b = b;
    live->run = skedi_batch_take(b, b->n, sizeof *live->run);
    live->start = skedi_batch_take(b, b->n, sizeof *live->start);
    live->expect = skedi_batch_take(b, b->n, sizeof *live->expect);
    live->begun = skedi_batch_take(b, b->n, sizeof *live->begun);
    live->mark = skedi_batch_take(b, b->n, sizeof *live->mark);
    live->trial = skedi_batch_take(b, b->n, sizeof *live->trial);
    live->end = skedi_batch_take(b, b->n, sizeof *live->end);
    live->of = skedi_batch_take(b, b->n, sizeof *live->of);
    return live->run && live->start && live->expect && live->begun &&
           live->mark && live->trial && live->end && live->of &&
           skedi_batch_plan_take(b, &live->plan) &&
           skedi_batch_bench_take(b, &live->from) &&
           skedi_batch_bench_take(b, &live->bench);
}

static void batch_order_by_work(skedi_batch_live *live)
{
    const skedi_batch *b = live->b;

    for (uint32_t j = 0; j < b->n; j++) {
        live->expect[j] = b->least[b->first[j]];
    }
    skedi_batch_sort(b, live->plan.order, live->expect);
}

void skedi_batch_live_begin(skedi_batch_live *live,
                            const sked_batch_options *options,
                            const skedi_batch_plan *plan)
{
    live->method = options->method;
    live->replan_tries = options->replan_tries;
    live->eta = options->eta_ppm;
    live->waiting = live->b->n;
    live->running = 0;
    live->free = live->b->slots;
    live->now = 0;
    live->n_begun = 0;
    live->has_ended = 0;
    skedi_random_seed(&live->random, ~options->seed, &live->b->hooks.host);
    if (live->method == SKED_BATCH_METHOD_ADAPT) {
        batch_order_by_work(live);
    } else {
        skedi_batch_plan_copy(live->b, &live->plan, plan);
    }
}

/* ---- A step ---- */

/* Anneals what waits, from the state of things. */
static sked_status batch_replan(skedi_batch_live *live)
{
    skedi_batch_bench *from = &live->from;
    skedi_batch_swaps swaps = {
        .plan = &live->plan,
        .order = live->plan.order,
        .trial = live->trial,
        .n = live->waiting,
        .heat = REPLAN_HEAT,
        .tries = live->replan_tries,
        .from = from,
        .bench = &live->bench,
    };

    live_drift(live);
    skedi_batch_bench_clear(live->b, from);
    from->now = live->now;
    for (uint32_t i = 0; i < live->running; i++) {
        uint32_t j = live->run[i];
        batch_begin(from, live->expect[j], live->plan.width[j]);
    }
    return skedi_batch_swap(live->b, &live->random, &swaps);
}

/* What the plan has next, with overtaking whatever of it fits. */
static void batch_start_by_plan(skedi_batch_live *live)
{
    uint32_t *order = live->plan.order, kept = 0, i = 0;

    for (; i < live->waiting; i++) {
        if (live->plan.width[order[i]] <= live->free) {
            live_start(live, order[i]);
        } else if (live->plan.overtake && live->free) {
            order[kept++] = order[i];
        } else {
            break;
        }
    }
    uint32_t rest = live->waiting - i;
    memmove(order + kept, order + i, rest * sizeof *order);
    live->waiting = kept + rest;
}

sked_status skedi_batch_live_step(skedi_batch_live *live)
{
    sked_status rc = SKED_OK;

    live->n_begun = 0;
    if (live->method == SKED_BATCH_METHOD_ADAPT) {
        batch_adapt(live);
        return SKED_OK;
    }
    if (live->method == SKED_BATCH_METHOD_DYNAMIC && live->has_ended &&
        live->waiting > 1) {
        rc = batch_replan(live);
    }
    if (rc != SKED_OK) return rc;
    live->has_ended = 0;
    batch_start_by_plan(live);
    return SKED_OK;
}

void skedi_batch_live_end(skedi_batch_live *live, uint32_t j)
{
    uint32_t at = 0;

    while (live->run[at] != j) at++;
    live->run[at] = live->run[--live->running];
    live->free += live->plan.width[j];
    live->has_ended = 1;
}

/* ---- In virtual time ---- */

/* Notes when what began will end. */
static void batch_foresee(skedi_batch_live *live, const int64_t *factor,
                          sked_batch_span *spans)
{
    uint32_t known = live->running - live->n_begun;

    for (uint32_t i = 0; i < live->n_begun; i++) {
        uint32_t j = live->begun[i], width = live->plan.width[j];
        int64_t ticks = factor ? skedi_batch_ticks(live->b, j, width, factor[j])
                               : live->plan.time[j];
        spans[j] = (sked_batch_span){live->now, live->now + ticks, j, width};
        batch_insert(live->end, live->of, known++, live->now + ticks, j);
    }
}

sked_status skedi_batch_live_run(skedi_batch_live *live, const int64_t *factor,
                                 sked_batch_span *spans)
{
    sked_status rc = skedi_batch_tried(live->b);

    while (rc == SKED_OK) {
        rc = skedi_batch_live_step(live);
        if (rc != SKED_OK) break;
        batch_foresee(live, factor, spans);
        if (live->running == 0) break;
        live->now = live->end[live->running - 1];
        while (live->running && live->end[live->running - 1] == live->now) {
            skedi_batch_live_end(live, live->of[live->running - 1]);
        }
    }
    return rc;
}

static int batch_earlier_start(const void *ctx, uint32_t a, uint32_t b)
{
    const sked_batch_span *spans = ctx;

    return (spans[a].start > spans[b].start) -
           (spans[a].start < spans[b].start);
}

sked_status skedi_batch_live_order(skedi_batch *b,
                                   const sked_batch_options *options,
                                   skedi_batch_plan *plan)
{
    skedi_batch_live live;
    sked_batch_span *spans = skedi_batch_take(b, b->n, sizeof *spans);

    if (!spans || !skedi_batch_live_take(b, &live)) return SKED_ERR_NOMEM;
    skedi_batch_live_begin(&live, options, plan);
    sked_status rc = skedi_batch_live_run(&live, NULL, spans);
    for (uint32_t j = 0; j < b->n; j++) plan->order[j] = j;
    skedi_sort(plan->order, b->scratch, b->n, batch_earlier_start, spans);
    return rc;
}
