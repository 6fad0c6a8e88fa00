/*
 * The deadline decoder, and a search over orders that uses the decoder. The
 * decoder's input is an order and a target. At each moment, every waiting task
 * takes the fewest useful slots with which the task ends by the target, and
 * starts if the slots are free. As time goes on, a task needs more slots, never
 * fewer. Each task therefore has a mark that only moves up its useful widths.
 * The search tries a few orders for targets from the bound upwards. The search
 * then anneals the best order with a target a little below the best makespan.
 */
#include "batch/state.h"

#include <string.h>

#include "batch/chance.h"

typedef struct decoder {
    skedi_batch *b;
    skedi_batch_bench bench;
    uint32_t *mark;        /* by task: into the useful widths */
    uint32_t *begun;       /* tasks that start at this moment */
    skedi_batch_plan plan; /* the decoded plan, in the order of starts */
    uint32_t started;
} decoder;

/* A target, and whether idle slots widen the tasks that just began. */
typedef struct decoding {
    int64_t target;
    int widen;
} decoding;

static int decoder_take(skedi_batch *b, decoder *d)
{
    d->b = b;
    d->mark = skedi_batch_take(b, b->n, sizeof *d->mark);
    d->begun = skedi_batch_take(b, b->n, sizeof *d->begun);
    return d->mark && d->begun && skedi_batch_bench_take(b, &d->bench) &&
           skedi_batch_plan_take(b, &d->plan);
}

/* Moves a mark to the fewest slots that end within `left` ticks. */
static uint32_t mark_within(decoder *d, uint32_t j, int64_t left)
{
    const skedi_batch *b = d->b;
    uint32_t at = d->mark[j], last = b->first[j + 1] - 1;

    while (at < last && b->time[at] > left) at++;
    return d->mark[j] = at;
}

/* Starts the tasks that fit; returns their number. */
static uint32_t begin_what_fits(decoder *d, const uint32_t *order,
                                int64_t target)
{
    skedi_batch_bench *bench = &d->bench;
    uint32_t *next = bench->next, before = 0, n = 0;

    for (uint32_t i = next[0]; i && bench->free; i = next[i]) {
        uint32_t j = order[i - 1];
        uint32_t at = mark_within(d, j, target - bench->now);
        if (d->b->width[at] > bench->free) {
            before = i;
            continue;
        }
        bench->free -= d->b->width[at];
        d->begun[n++] = j;
        next[before] = next[i];
    }
    return n;
}

static void widen_begun(decoder *d, uint32_t n)
{
    int more = 1;

    while (more && d->bench.free) {
        more = skedi_batch_widen_longest(d->b, d->begun, n, d->mark,
                                         &d->bench.free);
    }
}

static void settle_begun(decoder *d, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = d->begun[i];
        batch_give(d->b, &d->plan, j, d->mark[j]);
        d->plan.order[d->started++] = j;
        d->bench.free += d->plan.width[j]; /* batch_begin() takes them */
        batch_begin(&d->bench, d->bench.now + d->plan.time[j],
                    d->plan.width[j]);
    }
}

/* Decodes an order into d->plan; returns the makespan. */
static int64_t decode(decoder *d, const uint32_t *order, decoding how)
{
    skedi_batch *b = d->b;
    uint32_t *next = d->bench.next;

    skedi_batch_bench_clear(b, &d->bench);
    memcpy(d->mark, b->first, b->n * sizeof *d->mark);
    for (uint32_t i = 0; i < b->n; i++) next[i] = i + 1;
    next[b->n] = 0;
    d->started = 0;
    for (;;) {
        uint32_t n = begin_what_fits(d, order, how.target);
        if (how.widen) widen_begun(d, n);
        settle_begun(d, n);
        if (!next[0]) return d->bench.end[0];
        batch_advance(&d->bench);
    }
}

/* ---- The search ---- */

typedef struct order_search {
    decoder d;
    skedi_random *random;
    skedi_batch_plan *best; /* by starts */
    uint32_t *order;        /* decoded to the best */
    uint32_t *trial;
    int64_t *key;
    int64_t bound;
    int64_t makespan; /* of the best */
    int widen;
    uint64_t left; /* tries */
} order_search;

enum { ORDERS = 3 };

/* Orders by least work, by fastest time, by least work give or take 30 %. */
static void sort_orders(order_search *s, int which)
{
    const skedi_batch *b = s->d.b;
    uint64_t rem;

    for (uint32_t j = 0; j < b->n; j++) {
        int64_t work = b->least[b->first[j]];
        s->key[j] = work;
        if (which == 1) s->key[j] = b->time[b->first[j + 1] - 1];
        if (which == 2) {
            uint64_t part = 700 + skedi_random_below(s->random, 601);
            s->key[j] = (int64_t)skedi_muldiv((uint64_t)work, part, 1000, &rem);
        }
    }
    skedi_batch_sort(b, s->trial, s->key);
}

/* Decodes the trial order and keeps the better plan. */
static int64_t try_order(order_search *s, decoding how, sked_status *rc)
{
    int64_t makespan = decode(&s->d, s->trial, how);

    s->left--;
    *rc = skedi_batch_tried(s->d.b);
    if (makespan < s->makespan) {
        s->makespan = makespan;
        s->widen = how.widen;
        skedi_batch_plan_copy(s->d.b, s->best, &s->d.plan);
        memcpy(s->order, s->trial, s->d.b->n * sizeof *s->order);
    }
    return makespan;
}

/* Tries one order for targets from the bound up to 1.6 times the bound. */
static sked_status climb_targets(order_search *s, int widen)
{
    int64_t target = s->bound, most = s->bound + s->bound / 5 * 3;
    sked_status rc = SKED_OK;

    while (target <= most && s->left && rc == SKED_OK) {
        if (try_order(s, (decoding){target, widen}, &rc) <= target) break;
        target += target / 400 + 1;
    }
    return rc;
}

static void move_position(uint32_t *order, uint32_t from, uint32_t to)
{
    uint32_t held = order[from];

    if (from < to) {
        memmove(order + from, order + from + 1, (to - from) * sizeof *order);
    } else {
        memmove(order + to + 1, order + to, (from - to) * sizeof *order);
    }
    order[to] = held;
}

/* Exchanges two tasks, moves a task anywhere, or moves a task a few places. */
static void vary_order(order_search *s, uint32_t *order)
{
    uint32_t n = s->d.b->n, held;
    uint64_t kind = skedi_random_below(s->random, 3);
    uint32_t a = (uint32_t)skedi_random_below(s->random, n);
    uint32_t b = (uint32_t)skedi_random_below(s->random, n);

    if (kind == 0) {
        held = order[a];
        order[a] = order[b];
        order[b] = held;
        return;
    }
    if (kind == 1) {
        uint32_t by = 1 + (uint32_t)skedi_random_below(s->random, 6);
        b = skedi_random_below(s->random, 2) ? a + by : a - (by < a ? by : a);
        if (b >= n) b = n - 1;
    }
    move_position(order, a, b);
}

static sked_status anneal_decoding(order_search *s, uint32_t *current)
{
    size_t bytes = s->d.b->n * sizeof *current;
    uint64_t tries = s->left, rem;
    int64_t target = s->makespan - s->makespan / 1000 * 3;
    int widen = s->widen;
    sked_status rc = SKED_OK;
    int64_t cost = s->makespan;

    memcpy(current, s->order, bytes);
    while (s->left && s->makespan > s->bound && rc == SKED_OK) {
        int64_t held = s->makespan,
                temperature = (int64_t)skedi_muldiv((uint64_t)(held / 250),
                                                    s->left, tries, &rem);
        memcpy(s->trial, current, bytes);
        vary_order(s, s->trial);
        int flip = skedi_random_below(s->random, 8) == 0;
        uint64_t jitter = 997000 + skedi_random_below(s->random, 6001);
        decoding how = {(int64_t)skedi_muldiv((uint64_t)target, jitter,
                                              (uint64_t)SKED_PPM, &rem),
                        flip ? !widen : widen};
        int64_t got = try_order(s, how, &rc);
        if (skedi_chance_accepts(s->random, got - cost, temperature)) {
            cost = got;
            widen = how.widen;
            memcpy(current, s->trial, bytes);
        }
        if (s->makespan < held) target = s->makespan - s->makespan / 500;
    }
    return rc;
}

sked_status skedi_batch_deadline(skedi_batch *b, skedi_random *random,
                                 uint64_t tries, skedi_batch_plan *best)
{
    order_search s = {.random = random,
                      .best = best,
                      .bound = skedi_batch_dual(b),
                      .makespan = INT64_MAX,
                      .left = tries};
    uint32_t *current = skedi_batch_take(b, b->n, sizeof *current);
    sked_status rc = SKED_OK;

    s.order = skedi_batch_take(b, b->n, sizeof *s.order);
    s.trial = skedi_batch_take(b, b->n, sizeof *s.trial);
    s.key = skedi_batch_take(b, b->n, sizeof *s.key);
    if (!current || !s.order || !s.trial || !s.key || !decoder_take(b, &s.d)) {
        return SKED_ERR_NOMEM;
    }
    for (int i = 0; i < 2 * ORDERS && rc == SKED_OK; i++) {
        if (i % 2 == 0) sort_orders(&s, i / 2);
        rc = climb_targets(&s, i % 2);
    }
    if (rc == SKED_OK) rc = anneal_decoding(&s, current);
    best->overtake = 0; /* in order of starts: no overtaking needed */
    return rc;
}
