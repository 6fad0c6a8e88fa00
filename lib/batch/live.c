/*
 * Running a batch, moment by moment. Methods with a plan start its tasks in
 * order. DYNAMIC anneals the order again whenever something ends; the adaptive
 * method chooses a width when a task starts, against a running estimate of
 * when all could be done.
 */
#include "batch/live.h"

#include <string.h>

#include "base/sort.h"
#include "batch/chance.h"
#include "batch/state.h"

/*
 * Runs a plan in virtual time. At each moment tasks start in order while slots
 * are free; then the clock goes on to the next end. Running tasks are sorted
 * with the next end last, so a start costs a few moves. With overtaking,
 * waiting tasks form a list by position, and each start leaves the list.
 */

int skedi_batch_bench_take(skedi_batch *b, skedi_batch_bench *bench)
{
    bench->end = skedi_batch_take(b, b->n, sizeof *bench->end);
    bench->taken = skedi_batch_take(b, b->n, sizeof *bench->taken);
    bench->next = skedi_batch_take(b, (size_t)b->n + 1, sizeof *bench->next);
    skedi_batch_bench_clear(b, bench);
    return bench->end && bench->taken && bench->next;
}

void skedi_batch_bench_clear(const skedi_batch *b, skedi_batch_bench *bench)
{
    bench->running = 0;
    bench->free = b->slots;
    bench->now = 0;
}

static void start_one(skedi_batch_bench *bench, const skedi_batch_plan *plan,
                      uint32_t j, int64_t *end)
{
    int64_t at = bench->now + plan->time[j];

    batch_begin(bench, at, plan->width[j]);
    if (end) end[j] = at;
}

/* No later task starts before an earlier one. */
static void run_strictly(skedi_batch_bench *bench, const skedi_batch_plan *plan,
                         const uint32_t *order, uint32_t n, int64_t *end)
{
    for (uint32_t i = 0; i < n; i++) {
        while (plan->width[order[i]] > bench->free) batch_advance(bench);
        start_one(bench, plan, order[i], end);
    }
}

/* Any task that fits starts; position i of the order is entry i + 1. */
static void run_overtaking(skedi_batch_bench *bench,
                           const skedi_batch_plan *plan, const uint32_t *order,
                           uint32_t n, int64_t *end)
{
    uint32_t *next = bench->next;

    for (uint32_t i = 0; i < n; i++) next[i] = i + 1;
    next[n] = 0;
    while (next[0]) {
        uint32_t before = 0;
        for (uint32_t i = next[0]; i && bench->free; i = next[i]) {
            uint32_t j = order[i - 1];
            if (plan->width[j] > bench->free) {
                before = i;
                continue;
            }
            start_one(bench, plan, j, end);
            next[before] = next[i];
        }
        if (next[0]) batch_advance(bench);
    }
}

/*
 * Runs the `n` tasks in `order` by the widths and expected times of a plan,
 * from the present state of the bench; returns the last end. `end` (by task,
 * may be NULL) receives the end of each task. O(tasks * running tasks);
 * overtaking adds O(tasks * waiting tasks).
 */
static int64_t batch_execute(skedi_batch_bench *bench,
                             const skedi_batch_plan *plan,
                             const uint32_t *order, uint32_t n, int64_t *end)
{
    if (plan->overtake) {
        run_overtaking(bench, plan, order, n, end);
    } else {
        run_strictly(bench, plan, order, n, end);
    }
    return bench->end[0]; /* the last to end */
}

int64_t skedi_batch_makespan(const skedi_batch *b, skedi_batch_bench *bench,
                             const skedi_batch_plan *plan, int64_t *end)
{
    skedi_batch_bench_clear(b, bench);
    return batch_execute(bench, plan, plan->order, b->n, end);
}

int skedi_batch_widen_longest(const skedi_batch *b, const uint32_t *begun,
                              uint32_t n, uint32_t *mark, uint32_t *free)
{
    uint32_t longest = SKEDI_BATCH_NONE;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = begun[i], at = mark[j];
        if (at + 1 == b->first[j + 1]) continue;
        if (b->width[at + 1] - b->width[at] > *free) continue;
        if (longest == SKEDI_BATCH_NONE ||
            b->time[at] > b->time[mark[longest]]) {
            longest = j;
        }
    }
    if (longest == SKEDI_BATCH_NONE) return 0;
    uint32_t at = mark[longest]++;
    *free -= b->width[at + 1] - b->width[at];
    return 1;
}

/*
 * Simulated annealing of an order: a move swaps two positions, the cost is the
 * makespan, the temperature falls linearly, and the best order seen is kept.
 */

enum { ANNEAL_HEAT = 20 }; /* 5 % of the first makespan */

static int64_t cost_of_trial(skedi_batch_swaps *s)
{
    skedi_batch_bench *bench = s->bench;
    uint32_t n = s->from->running;

    for (uint32_t i = 0; i < n; i++) {
        bench->end[i] = s->from->end[i];
        bench->taken[i] = s->from->taken[i];
    }
    bench->running = n;
    bench->free = s->from->free;
    bench->now = s->from->now;
    return batch_execute(bench, s->plan, s->trial, s->n, NULL);
}

static void swap_two(uint32_t *order, uint32_t a, uint32_t b)
{
    uint32_t held = order[a];

    order[a] = order[b];
    order[b] = held;
}

static sked_status batch_swap(skedi_batch *b, skedi_random *random,
                              skedi_batch_swaps *s)
{
    size_t bytes = s->n * sizeof *s->order;

    memcpy(s->trial, s->order, bytes);
    int64_t cost = cost_of_trial(s), best = cost, heat = cost - s->from->now;
    sked_status rc = skedi_batch_tried(b);
    for (uint64_t i = 0; i < s->tries && s->n > 1 && rc == SKED_OK; i++) {
        uint64_t rem;
        int64_t temperature = (int64_t)skedi_muldiv(
            (uint64_t)(heat / s->heat), s->tries - i, s->tries, &rem);
        uint32_t one = (uint32_t)skedi_random_below(random, s->n);
        uint32_t two = (uint32_t)skedi_random_below(random, s->n);
        swap_two(s->trial, one, two);
        int64_t now = cost_of_trial(s);
        if (!skedi_chance_accepts(random, now - cost, temperature)) {
            swap_two(s->trial, one, two);
        } else {
            cost = now;
        }
        if (cost < best) {
            best = cost;
            memcpy(s->order, s->trial, bytes);
        }
        rc = skedi_batch_tried(b);
    }
    return rc;
}

sked_status skedi_batch_anneal(skedi_batch *b, skedi_batch_bench *bench,
                               const sked_batch_options *options,
                               skedi_batch_plan *plan)
{
    skedi_batch_bench from = {.free = b->slots};
    skedi_batch_swaps swaps = {
        .plan = plan,
        .order = plan->order,
        .trial = skedi_batch_take(b, b->n, sizeof(uint32_t)),
        .n = b->n,
        .heat = ANNEAL_HEAT,
        .tries = options->max_tries,
        .from = &from,
        .bench = bench,
    };
    skedi_random random;

    if (!swaps.trial) return SKED_ERR_NOMEM;
    skedi_batch_greedy(b, plan);
    skedi_random_seed(&random, options->seed, &b->hooks.host);
    return batch_swap(b, &random, &swaps);
}

/*
 * ADAPT chooses widths when tasks start, against a running estimate of the
 * batch's end. The estimate is the least time by which the slots that no
 * running task needs can hold the waiting work, if each waiting task takes the
 * fewest slots that end by then. The target is the fraction eta of the time
 * left until the estimate. An eta below 1 keeps long tasks from ending last, so
 * a task that overruns does not move the end.
 *
 * While no task runs, all slots are free and the first task always fits.
 */

enum { FINEST = 20 }; /* the estimate: to a 2^-20 part */

/* True if the slots until `at` hold the waiting work. */
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

/* When no task waits, the remaining slots go to the tasks that begin. */
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
        live->free += live->plan.width[j]; /* taken again by live_start() */
        live_start(live, j);
    }
}

/*
 * Runs a batch, moment by moment. Methods with a plan start the plan's tasks in
 * order. DYNAMIC anneals the order again after each end; ADAPT decides anew
 * each time. A run in virtual time makes the same steps with a clock that goes
 * from end to end.
 */

enum { REPLAN_HEAT = 50 }; /* 2 % of the remaining makespan */

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

/* Anneals the order of the waiting tasks, from the present state. */
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
    return batch_swap(live->b, &live->random, &swaps);
}

/* Starts the next tasks of the plan; with overtaking, every task that fits. */
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

/* Notes the real ends of the tasks that began. */
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
