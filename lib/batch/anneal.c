/*
 * Simulated annealing of an order: a move swaps two positions, the cost is the
 * makespan, the temperature falls linearly, and the best order seen is kept.
 */
#include "batch/state.h"

#include <string.h>

#include "batch/chance.h"

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
    return skedi_batch_execute(bench, s->plan, s->trial, s->n, NULL);
}

static void swap_two(uint32_t *order, uint32_t a, uint32_t b)
{
    uint32_t held = order[a];

    order[a] = order[b];
    order[b] = held;
}

sked_status skedi_batch_swap(skedi_batch *b, skedi_random *random,
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
    return skedi_batch_swap(b, &random, &swaps);
}
