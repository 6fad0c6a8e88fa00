/*
 * Searches for the least makespan. The starting plans are: the published
 * methods; canonical widths for a grid of targets; the walk of Turek, Wolf and
 * Yu (each plan sorted by longest time first); and the deadline decoder. A
 * local search over order and widths improves the best plan. Every plan is run
 * with and without overtaking.
 *
 * A plan's cost is its makespan plus a thousandth of the mean use, and the
 * cheaper plan is better. The work decides between nearly equal plans. If a
 * published plan has a shorter makespan than the cheapest plan, the published
 * plan is the answer.
 */
#include "batch/state.h"

#include <string.h>

#include "batch/chance.h"
#include "batch/live.h"

enum { BEST_GRID = 200, MOVES = 10 };

typedef struct best_search {
    skedi_batch *b;
    skedi_batch_bench bench;
    skedi_batch_plan plan; /* the plan under trial */
    skedi_batch_plan *best;
    skedi_random random;
    int64_t *end;   /* by task, in the present plan of the local search */
    int64_t *later; /* ends by the plan under trial */
    uint32_t *mark; /* by task: into the useful widths */
    int64_t cost;   /* of the best */
    int64_t bound;
    skedi_batch_plan published; /* the shortest published plan */
    int64_t shortest;           /* makespan of that plan */
} best_search;

static int64_t cost_of_plan(best_search *s, const skedi_batch_plan *plan,
                            int64_t *end)
{
    const skedi_batch *b = s->b;
    int64_t work = 0;

    for (uint32_t j = 0; j < b->n; j++) {
        work += (int64_t)plan->width[j] * plan->time[j];
    }
    return skedi_batch_makespan(b, &s->bench, plan, end) +
           work / (int64_t)b->slots / 1000;
}

/* Runs a plan both ways; keeps the plan if it is better than the best. */
static sked_status offer(best_search *s, skedi_batch_plan *plan)
{
    sked_status rc = SKED_OK;

    for (int i = 0; i < 2 && rc == SKED_OK; i++) {
        plan->overtake = i;
        int64_t cost = cost_of_plan(s, plan, NULL);
        rc = skedi_batch_tried(s->b);
        if (cost >= s->cost) continue;
        s->cost = cost;
        skedi_batch_plan_copy(s->b, s->best, plan);
    }
    return rc;
}

static sked_status offer_longest_first(best_search *s)
{
    skedi_batch_sort(s->b, s->plan.order, s->plan.time);
    return offer(s, &s->plan);
}

/* Tries the widths of least work for targets from the bound to twice the
 * bound. */
static sked_status try_canonical(best_search *s)
{
    const skedi_batch *b = s->b;
    sked_status rc = SKED_OK;

    for (int64_t i = 0; i <= BEST_GRID && rc == SKED_OK; i++) {
        int64_t target = s->bound + s->bound / BEST_GRID * i;
        for (uint32_t j = 0; j < b->n; j++) {
            uint32_t at = skedi_batch_fewest(b, j, b->first[j], target);
            while ((int64_t)b->width[at] * b->time[at] > b->least[at]) at++;
            batch_give(b, &s->plan, j, at);
        }
        rc = offer_longest_first(s);
    }
    return rc;
}

/* The longest task; SKEDI_BATCH_NONE if the task has no wider width. */
static uint32_t longest_task(const best_search *s)
{
    const skedi_batch *b = s->b;
    uint32_t longest = 0;

    for (uint32_t j = 1; j < b->n; j++) {
        if (s->plan.time[j] > s->plan.time[longest]) longest = j;
    }
    return s->mark[longest] + 1 < b->first[longest + 1] ? longest
                                                        : SKEDI_BATCH_NONE;
}

/* The walk of Turek, Wolf and Yu: starts with the widths of least work, then
 * gives the longest task its next width, step by step. The search runs every
 * `stride`-th step. */
static sked_status walk(best_search *s, uint64_t looks)
{
    const skedi_batch *b = s->b;
    uint64_t stride = 2 * (uint64_t)b->first[b->n] / (looks + 1) + 1;
    sked_status rc = SKED_OK;

    for (uint32_t j = 0; j < b->n; j++) {
        uint32_t at = b->first[j];
        while ((int64_t)b->width[at] * b->time[at] > b->least[at]) at++;
        s->mark[j] = at;
        batch_give(b, &s->plan, j, at);
    }
    for (uint64_t i = 0; rc == SKED_OK; i++) {
        if (i % stride == 0) rc = offer_longest_first(s);
        uint32_t j = longest_task(s);
        if (j == SKEDI_BATCH_NONE) break;
        batch_give(b, &s->plan, j, ++s->mark[j]);
    }
    return rc;
}

/* ---- Local search ---- */

static uint32_t any_task(best_search *s)
{
    return (uint32_t)skedi_random_below(&s->random, s->b->n);
}

static uint32_t last_to_end(const best_search *s)
{
    uint32_t last = 0;

    for (uint32_t j = 1; j < s->b->n; j++) {
        if (s->end[j] > s->end[last]) last = j;
    }
    return last;
}

/* The last to end gets more slots, or an earlier place. */
static void help_last(best_search *s, skedi_batch_plan *plan, int earlier)
{
    uint32_t j = last_to_end(s), at = 0;

    if (!earlier) {
        skedi_batch_step_width(s->b, plan, j,
                               1 + (int64_t)skedi_random_below(&s->random, 3));
        return;
    }
    while (plan->order[at] != j) at++;
    if (at == 0) return;
    batch_move(plan->order, at, (uint32_t)skedi_random_below(&s->random, at));
}

static void vary_plan(best_search *s, skedi_batch_plan *plan)
{
    uint64_t kind = skedi_random_below(&s->random, MOVES);

    if (kind < 5) {
        uint32_t one = any_task(s), two = any_task(s);
        (kind < 3 ? batch_exchange : batch_move)(plan->order, one, two);
    } else if (kind < 8) {
        int64_t steps = 1 + (int64_t)skedi_random_below(&s->random, 3);
        if (skedi_random_below(&s->random, 2)) steps = -steps;
        skedi_batch_step_width(s->b, plan, any_task(s), steps);
    } else {
        help_last(s, plan, kind == 9);
    }
}

static sked_status search_around(best_search *s, skedi_batch_plan *current,
                                 uint64_t tries)
{
    int64_t cost = s->cost;
    sked_status rc = SKED_OK;

    skedi_batch_plan_copy(s->b, current, s->best);
    (void)cost_of_plan(s, current, s->end);
    for (uint64_t i = 0; i < tries && rc == SKED_OK; i++) {
        uint64_t rem;
        int64_t heat = s->cost / 100; /* falls with the square */
        heat = (int64_t)skedi_muldiv((uint64_t)heat, tries - i, tries, &rem);
        heat = (int64_t)skedi_muldiv((uint64_t)heat, tries - i, tries, &rem);
        skedi_batch_plan_copy(s->b, &s->plan, current);
        vary_plan(s, &s->plan);
        int64_t now = cost_of_plan(s, &s->plan, s->later);
        if (skedi_chance_accepts(&s->random, now - cost, heat)) {
            int64_t *held = s->end;
            s->end = s->later;
            s->later = held;
            cost = now;
            skedi_batch_plan_copy(s->b, current, &s->plan);
        }
        if (now < s->cost) {
            s->cost = now;
            skedi_batch_plan_copy(s->b, s->best, &s->plan);
        }
        rc = skedi_batch_tried(s->b);
    }
    return rc;
}

/* ---- The whole search ---- */

/* Offers a published plan; also keeps the shortest published plan apart. */
static sked_status offer_one_published(best_search *s)
{
    s->plan.overtake = 0;
    int64_t makespan = skedi_batch_makespan(s->b, &s->bench, &s->plan, NULL);
    if (makespan < s->shortest) {
        s->shortest = makespan;
        skedi_batch_plan_copy(s->b, &s->published, &s->plan);
    }
    return offer(s, &s->plan);
}

/* Offers the published methods, with their default number of tries. */
static sked_status offer_published(best_search *s, sked_batch_options o)
{
    skedi_batch *b = s->b;

    o.max_tries = 2000;
    skedi_batch_multi(b, &o, &s->plan);
    sked_status rc = offer_one_published(s);
    o.method = SKED_BATCH_METHOD_DATA_DRIVEN;
    skedi_batch_data_driven(b, &o, &s->plan);
    if (rc == SKED_OK) rc = offer_one_published(s);
    o.method = SKED_BATCH_METHOD_SIMPLE;
    skedi_batch_data_driven(b, &o, &s->plan);
    if (rc == SKED_OK) rc = offer_one_published(s);
    if (rc == SKED_OK) rc = skedi_batch_anneal(b, &s->bench, &o, &s->plan);
    if (rc == SKED_OK) rc = offer_one_published(s);
    o.method = SKED_BATCH_METHOD_DYNAMIC;
    if (rc == SKED_OK) rc = skedi_batch_live_order(b, &o, &s->plan);
    return rc == SKED_OK ? offer_one_published(s) : rc;
}

static int best_take(best_search *s, skedi_batch *b, skedi_batch_plan *current)
{
    s->end = skedi_batch_take(b, b->n, sizeof *s->end);
    s->later = skedi_batch_take(b, b->n, sizeof *s->later);
    s->mark = skedi_batch_take(b, b->n, sizeof *s->mark);
    return s->end && s->later && s->mark &&
           skedi_batch_bench_take(b, &s->bench) &&
           skedi_batch_plan_take(b, &s->plan) &&
           skedi_batch_plan_take(b, &s->published) &&
           skedi_batch_plan_take(b, current);
}

sked_status skedi_batch_best(skedi_batch *b, const sked_batch_options *options,
                             skedi_batch_plan *best)
{
    best_search s = {.b = b,
                     .best = best,
                     .cost = INT64_MAX,
                     .bound = skedi_batch_dual(b),
                     .shortest = INT64_MAX};
    skedi_batch_plan current;
    uint64_t tries = options->max_tries;

    if (!best_take(&s, b, &current)) return SKED_ERR_NOMEM;
    skedi_random_seed(&s.random, options->seed, &b->hooks.host);
    sked_status rc = offer_published(&s, *options);
    if (rc == SKED_OK) rc = try_canonical(&s);
    if (rc == SKED_OK) rc = walk(&s, tries / 4);
    if (rc == SKED_OK) {
        rc = skedi_batch_deadline(b, &s.random, tries / 2 + 1, &s.plan);
    }
    if (rc == SKED_OK) rc = offer(&s, &s.plan);
    if (rc == SKED_OK) rc = search_around(&s, &current, tries / 4);
    if (rc == SKED_OK &&
        skedi_batch_makespan(b, &s.bench, best, NULL) > s.shortest) {
        skedi_batch_plan_copy(b, best, &s.published);
    }
    return rc;
}
