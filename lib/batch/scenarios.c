/* Plans for uncertain times. */

#include "batch/chance.h"
#include "batch/live.h"
#include "batch/state.h"

/*
 * Plans for uncertain times. The same few runs with noise judge every plan and
 * every eta, so the difference between two plans is never chance. A plan that
 * is clearly worse in the first four runs gets no further runs.
 */

enum { SCENARIOS = 16, FIRST_LOOK = 4, TARGETS = 60, ROBUST_MOVES = 8 };

sked_status skedi_batch_draw_scenarios(skedi_batch *b,
                                       const sked_batch_options *options,
                                       skedi_batch_scenarios *scenarios)
{
    size_t n = (size_t)b->n * SCENARIOS;
    skedi_random random;

    *scenarios = (skedi_batch_scenarios){NULL, 1};
    if (options->noise_ppm == 0) return SKED_OK;
    int64_t *factor = skedi_batch_take(b, n, sizeof *factor);
    if (!factor) return SKED_ERR_NOMEM;
    skedi_random_seed(&random, options->seed, &b->hooks.host);
    for (size_t i = 0; i < n; i++) {
        factor[i] = skedi_chance_factor(&random, options->noise_ppm);
    }
    *scenarios = (skedi_batch_scenarios){factor, SCENARIOS};
    return SKED_OK;
}

/* ---- The cost of a plan ---- */

typedef struct robust_search {
    skedi_batch *b;
    const skedi_batch_scenarios *scenarios;
    skedi_batch_bench bench;
    skedi_batch_plan plan; /* the plan under trial */
    skedi_batch_plan *best;
    skedi_random random;
    int64_t *time; /* by task: in the present scenario */
    int64_t cost;  /* of the best */
    int64_t mean;
} robust_search;

static int64_t batch_mean_makespan(robust_search *s,
                                   const skedi_batch_plan *plan, uint32_t runs)
{
    const skedi_batch *b = s->b;
    skedi_batch_plan real = *plan;
    int64_t mean = 0;

    real.time = s->time;
    for (uint32_t i = 0; i < runs; i++) {
        const int64_t *factor = s->scenarios->factor + (size_t)i * b->n;
        for (uint32_t j = 0; j < b->n; j++) {
            s->time[j] = skedi_batch_ticks(b, j, plan->width[j], factor[j]);
        }
        mean += skedi_batch_makespan(b, &s->bench, &real, NULL) / (int64_t)runs;
    }
    return mean;
}

/* A thousandth of the mean use: of nearly equal plans, the plan with less work
 * is better. */
static int64_t batch_work_of_plan(const robust_search *s,
                                  const skedi_batch_plan *plan)
{
    int64_t work = 0;

    for (uint32_t j = 0; j < s->b->n; j++) {
        work += (int64_t)plan->width[j] * plan->time[j];
    }
    return work / (int64_t)s->b->slots / 1000;
}

static sked_status batch_keep_if_better(robust_search *s,
                                        const skedi_batch_plan *plan,
                                        int64_t *cost)
{
    int64_t mean = batch_mean_makespan(s, plan, SCENARIOS);

    *cost = mean + batch_work_of_plan(s, plan);
    if (*cost < s->cost) {
        s->cost = *cost;
        s->mean = mean;
        skedi_batch_plan_copy(s->b, s->best, plan);
    }
    return skedi_batch_tried(s->b);
}

/* ---- Starts ---- */

static sked_status batch_offer_both_ways(robust_search *s)
{
    sked_status rc = SKED_OK;
    int64_t cost;

    for (int i = 0; i < 2 && rc == SKED_OK; i++) {
        s->plan.overtake = i;
        rc = batch_keep_if_better(s, &s->plan, &cost);
    }
    return rc;
}

/* Offers widths for targets from half the bound up, longest task first. A
 * target below the bound keeps long tasks from ending last. */
static sked_status batch_offer_targets(robust_search *s)
{
    const skedi_batch *b = s->b;
    int64_t bound = skedi_batch_dual(b);
    sked_status rc = SKED_OK;

    for (int64_t i = 0; i < TARGETS && rc == SKED_OK; i++) {
        int64_t target = bound / 2 + bound / 50 * i;
        for (uint32_t j = 0; j < b->n; j++) {
            batch_give(b, &s->plan, j,
                       skedi_batch_fewest(b, j, b->first[j], target));
        }
        skedi_batch_sort(b, s->plan.order, s->plan.time);
        rc = batch_offer_both_ways(s);
    }
    return rc;
}

/* ---- The search ---- */

static void batch_vary_robustly(robust_search *s)
{
    uint32_t n = s->b->n, *order = s->plan.order;
    uint64_t kind = skedi_random_below(&s->random, ROBUST_MOVES);
    uint32_t one = (uint32_t)skedi_random_below(&s->random, n);
    uint32_t two = (uint32_t)skedi_random_below(&s->random, n);

    if (kind < 4) {
        (kind < 2 ? batch_exchange : batch_move)(order, one, two);
        return;
    }
    int64_t steps = 1 + (int64_t)skedi_random_below(&s->random, 3);
    if (two & 1) steps = -steps;
    if (kind > 5) one /= 3; /* an early starter */
    skedi_batch_step_width(s->b, &s->plan, order[one], steps);
}

/* From the best: what four runs show to be much worse is not looked at. */
static sked_status batch_search_robustly(robust_search *s,
                                         skedi_batch_plan *current,
                                         uint64_t tries)
{
    int64_t cost = s->cost, warm = s->cost / 100;
    sked_status rc = SKED_OK;

    skedi_batch_plan_copy(s->b, current, s->best);
    for (uint64_t i = 0; i < tries && rc == SKED_OK; i++) {
        uint64_t rem;
        int64_t heat = warm, now;
        heat = (int64_t)skedi_muldiv((uint64_t)heat, tries - i, tries, &rem);
        heat = (int64_t)skedi_muldiv((uint64_t)heat, tries - i, tries, &rem);
        skedi_batch_plan_copy(s->b, &s->plan, current);
        batch_vary_robustly(s);
        int64_t seen = batch_mean_makespan(s, &s->plan, FIRST_LOOK) +
                       batch_work_of_plan(s, &s->plan);
        if (seen > cost + cost / 100 * 3 + 4 * heat) continue;
        rc = batch_keep_if_better(s, &s->plan, &now);
        if (!skedi_chance_accepts(&s->random, now - cost, heat)) continue;
        cost = now;
        skedi_batch_plan_copy(s->b, current, &s->plan);
    }
    return rc;
}

static sked_status batch_search_for_noise(robust_search *s,
                                          const sked_batch_options *options,
                                          skedi_batch_plan *current)
{
    skedi_batch *b = s->b;
    sked_batch_options o = *options;

    sked_status rc = skedi_batch_best(b, options, &s->plan);
    if (rc == SKED_OK) rc = batch_offer_both_ways(s);
    o.method = SKED_BATCH_METHOD_SIMPLE;
    skedi_batch_data_driven(b, &o, &s->plan);
    if (rc == SKED_OK) rc = batch_offer_both_ways(s);
    if (rc == SKED_OK) rc = batch_offer_targets(s);
    if (rc != SKED_OK) return rc;
    return batch_search_robustly(s, current, options->max_tries / 4);
}

sked_status skedi_batch_robust(skedi_batch *b,
                               const sked_batch_options *options,
                               const skedi_batch_scenarios *scenarios,
                               skedi_batch_plan *best, int64_t *mean)
{
    robust_search s = {
        .b = b, .scenarios = scenarios, .best = best, .cost = INT64_MAX};
    skedi_batch_plan current;
    sked_status rc = SKED_OK;

    s.time = skedi_batch_take(b, b->n, sizeof *s.time);
    if (!s.time || !skedi_batch_bench_take(b, &s.bench) ||
        !skedi_batch_plan_take(b, &s.plan) ||
        !skedi_batch_plan_take(b, &current)) {
        return SKED_ERR_NOMEM;
    }
    skedi_random_seed(&s.random, options->seed, &b->hooks.host);
    if (scenarios->factor) {
        rc = batch_search_for_noise(&s, options, &current);
        *mean = s.mean;
        return rc;
    }
    rc = skedi_batch_best(b, options, best);
    *mean = skedi_batch_makespan(b, &s.bench, best, NULL);
    return rc;
}

/* Tries eta values on scenarios of times; the least mean makespan wins. */

static const int64_t eta_tried[] = {1000000, 900000, 800000, 700000, 600000,
                                    500000,  400000, 350000, 300000};

static int64_t batch_last_span_end(const sked_batch_span *spans, uint32_t n)
{
    int64_t end = 0;

    for (uint32_t j = 0; j < n; j++) end = skedi_i64_max(end, spans[j].end);
    return end;
}

/* The mean makespan of all scenarios. */
static sked_status batch_try_eta(skedi_batch_live *live,
                                 sked_batch_options *options,
                                 const skedi_batch_scenarios *scenarios,
                                 sked_batch_span *spans, int64_t *mean)
{
    size_t n = live->b->n;
    sked_status rc = SKED_OK;

    *mean = 0;
    for (size_t s = 0; s < scenarios->n && rc == SKED_OK; s++) {
        skedi_batch_live_begin(live, options, NULL);
        rc = skedi_batch_live_run(
            live, scenarios->factor ? scenarios->factor + s * n : NULL, spans);
        *mean += batch_last_span_end(spans, live->b->n) / (int64_t)scenarios->n;
    }
    return rc;
}

sked_status skedi_batch_best_eta(skedi_batch_live *live,
                                 sked_batch_options *options,
                                 const skedi_batch_scenarios *scenarios,
                                 int64_t *mean)
{
    skedi_batch *b = live->b;
    sked_batch_options o = *options;
    sked_batch_span *spans = skedi_batch_take(b, b->n, sizeof *spans);
    sked_status rc = spans ? SKED_OK : SKED_ERR_NOMEM;
    size_t n = sizeof eta_tried / sizeof *eta_tried;

    *mean = INT64_MAX;
    o.method = SKED_BATCH_METHOD_ADAPT;
    for (size_t i = 0; i < n && rc == SKED_OK; i++) {
        int64_t got;
        o.eta_ppm = eta_tried[i];
        rc = batch_try_eta(live, &o, scenarios, spans, &got);
        if (rc != SKED_OK || got >= *mean) continue;
        *mean = got;
        options->eta_ppm = eta_tried[i];
    }
    return rc;
}

sked_status skedi_batch_choose_eta(skedi_batch_live *live,
                                   sked_batch_options *options)
{
    skedi_batch_scenarios scenarios;
    int64_t mean;

    if (options->eta_ppm) return SKED_OK;
    options->eta_ppm = SKED_PPM;
    if (options->noise_ppm == 0) return SKED_OK;
    sked_status rc = skedi_batch_draw_scenarios(live->b, options, &scenarios);
    if (rc != SKED_OK) return rc;
    return skedi_batch_best_eta(live, options, &scenarios, &mean);
}
