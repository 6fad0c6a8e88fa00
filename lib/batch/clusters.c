/*
 * Clusters of like sizes: exact k-means in one dimension by dynamic
 * programming over the sorted sizes, O(clusters * tasks^2). The cost of a
 * cluster is its sum of squared distances from its mean, in whole units
 * rounded down, of sizes scaled down to 40 bits where they are larger. Of
 * equal divisions the one with the shortest last cluster is not preferred: the
 * first that is found stands.
 */
#include "batch/state.h"

#include <string.h>

#include "base/bits.h"
#include "base/wide.h"

enum { SIZE_BITS = 40 };

typedef struct division {
    uint64_t *size; /* ascending */
    sked_wide *sum; /* of sizes before each position, n + 1 */
    sked_wide *square;
    sked_wide *cost; /* of the first i with one cluster less; n + 1 */
    sked_wide *next; /* with as many as are looked at */
    uint32_t *from;  /* clusters x (n + 1): where the last cluster begins */
} division;

static int division_take(skedi_batch *b, division *d, uint32_t clusters)
{
    size_t n = (size_t)b->n + 1;

    d->size = skedi_batch_take(b, n, sizeof *d->size);
    d->sum = skedi_batch_take(b, n, sizeof *d->sum);
    d->square = skedi_batch_take(b, n, sizeof *d->square);
    d->cost = skedi_batch_take(b, n, sizeof *d->cost);
    d->next = skedi_batch_take(b, n, sizeof *d->next);
    d->from = skedi_batch_take(b, n * clusters, sizeof *d->from);
    return d->size && d->sum && d->square && d->cost && d->next && d->from;
}

static sked_wide plus(sked_wide sum, skedi_u128 more)
{
    return skedi_wide_of(skedi_u128_add(skedi_wide_in(sum), more));
}

static void fill_sums(const skedi_batch *b, const uint32_t *order, division *d)
{
    uint64_t largest = b->bytes[order[b->n - 1]];
    unsigned bits = largest ? 64 - skedi_clz64(largest) : 0;
    unsigned shift = bits > SIZE_BITS ? bits - SIZE_BITS : 0;

    for (uint32_t i = 0; i < b->n; i++) {
        uint64_t x = b->bytes[order[i]] >> shift;
        d->size[i] = x;
        d->sum[i + 1] = plus(d->sum[i], skedi_u128_of(x));
        d->square[i + 1] = plus(d->square[i], skedi_u128_mul(x, x));
    }
}

static skedi_u128 sum_between(const sked_wide *sum, uint32_t from, uint32_t to)
{
    return skedi_u128_sub(skedi_wide_in(sum[to]), skedi_wide_in(sum[from]));
}

/* Squared distances from the mean of positions from to to - 1. */
static skedi_u128 spread_of(const division *d, uint32_t from, uint32_t to)
{
    uint64_t sum = skedi_u128_low(sum_between(d->sum, from, to));
    skedi_u128 squares = sum_between(d->square, from, to);
    uint64_t n = to - from, rem;

    return skedi_u128_div(
        skedi_u128_sub(skedi_u128_scale(squares, n), skedi_u128_mul(sum, sum)),
        n, &rem);
}

/* The best division of the first `to` with one cluster more than cost[] has. */
static void divide_first(division *d, uint32_t k, uint32_t to, uint32_t *from)
{
    for (uint32_t at = k; at < to; at++) {
        sked_wide cost = plus(d->cost[at], spread_of(d, at, to));
        if (at > k && skedi_u128_cmp(skedi_wide_in(cost),
                                     skedi_wide_in(d->next[to])) >= 0) {
            continue;
        }
        d->next[to] = cost;
        *from = at;
    }
}

static sked_status divide(skedi_batch *b, division *d, uint32_t clusters)
{
    size_t row = (size_t)b->n + 1;
    sked_status rc = SKED_OK;

    for (uint32_t i = 1; i <= b->n; i++) {
        d->cost[i] = skedi_wide_of(spread_of(d, 0, i));
    }
    for (uint32_t k = 1; k < clusters; k++) {
        for (uint32_t i = k + 1; i <= b->n && rc == SKED_OK; i++) {
            divide_first(d, k, i, &d->from[k * row + i]);
            rc = skedi_hooks_check(&b->hooks, (uint64_t)k * b->n + i,
                                   (uint64_t)clusters * b->n);
        }
        if (rc != SKED_OK) return rc;
        sked_wide *cost = d->cost;
        d->cost = d->next;
        d->next = cost;
    }
    return SKED_OK;
}

sked_status skedi_batch_clusters(skedi_batch *b, uint32_t clusters,
                                 uint32_t *cluster)
{
    sked_batch_options o = {.clusters = clusters};
    skedi_batch_plan plan;
    division d;
    uint32_t most = clusters < b->n ? clusters : b->n, end = b->n;
    size_t row = (size_t)b->n + 1;

    if (!skedi_batch_plan_take(b, &plan) || !division_take(b, &d, most)) {
        return SKED_ERR_NOMEM;
    }
    skedi_batch_multi(b, &o, &plan);
    fill_sums(b, plan.order, &d);
    sked_status rc = divide(b, &d, most);
    for (uint32_t k = most; k-- > 0 && rc == SKED_OK;) {
        uint32_t from = d.from[k * row + end];
        for (uint32_t i = from; i < end; i++) cluster[plan.order[i]] = k;
        end = from;
    }
    return rc;
}
