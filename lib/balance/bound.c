/*
 * Lower bounds, whatever goes where.
 *
 * Of one kind, or of all in even parts: in a bucket a workflow weighs at least
 * what it weighs where it weighs least; so much is there in all clusters
 * together. With percentiles p
 * of C clusters, all keep to theirs for 1 - C * (1 - p) of the window, and then
 * their sum is no less than that weight; so it is no less than the weight that
 * this part of the window does not pass. For means it is the mean of, bucket by
 * bucket, the heaviest of these.
 *
 * Of what cannot move: a cluster is no better than with that alone.
 */
#include "balance/state.h"

/* What a row of usage weighs in a cluster, rounded down: of one kind, or (kind
 * `kinds`) of all in even parts. */
static int64_t weigh(const skedi_balance *b, const int64_t *used,
                     uint32_t cluster, size_t kind)
{
    const int64_t *of = b->weight ? b->in.instance : b->in.capacity;
    size_t kinds = b->in.kinds;
    int64_t part = 0;

    of += cluster * kinds;
    if (kind < kinds) {
        part = balance_part(used[kind], of[kind], 0);
    } else {
        for (size_t k = 0; k < kinds; k++) {
            part += balance_part(used[k], of[k], 0);
        }
        part /= (int64_t)kinds;
    }
    return b->weight ? balance_weighted(part, b->weight[cluster]) : part;
}

/* What a cluster that is full beyond measure weighs, where that is least. */
static int64_t least_most(const skedi_balance *b)
{
    int64_t least = SKED_BALANCE_MOST;

    for (uint32_t c = 0; b->weight && c < b->in.clusters; c++) {
        least = skedi_i64_min(
            least, balance_weighted(SKED_BALANCE_MOST, b->weight[c]));
    }
    return least;
}

/* Everything in a bucket, each where it weighs least. No score is more than
 * the most, so neither is what counts here. */
static int64_t bucket_weight(const skedi_balance *b, size_t bucket, size_t kind)
{
    size_t row = bucket * b->in.kinds;
    int64_t sum = 0, most = least_most(b);

    for (uint32_t c = 0; b->in.fixed && c < b->in.clusters; c++) {
        sum += weigh(b, b->in.fixed + c * b->cells + row, c, kind);
    }
    for (uint32_t w = 0; w < b->in.workflows; w++) {
        int64_t least = INT64_MAX;
        for (uint32_t c = 0; c < b->in.clusters; c++) {
            if (!balance_may(b, w, c)) continue;
            least = skedi_i64_min(
                least, weigh(b, b->in.usage + w * b->cells + row, c, kind));
        }
        sum += least;
        if (sum >= most) return most;
    }
    return skedi_i64_min(sum, most);
}

/* How much of the window all clusters keep to their percentile; 0: maybe
 * never. */
static uint64_t common_part(const skedi_balance *b)
{
    uint64_t beyond = b->window - b->need;

    if (beyond == 0) return b->window;
    if (beyond >= b->window / b->in.clusters) return 0;
    return b->window - beyond * b->in.clusters;
}

/* Of one kind after the other, then of all: the best of them. */
static sked_status bound_by_kind(skedi_balance *b, int64_t *best)
{
    uint64_t part = common_part(b);
    sked_status rc = SKED_OK;

    for (size_t k = 0; part > 0 && k <= b->in.kinds; k++) {
        for (size_t i = 0; i < b->in.buckets && rc == SKED_OK; i++) {
            rc = skedi_hooks_check(&b->hooks, i, b->in.buckets);
            b->value[i] = bucket_weight(b, i, k);
        }
        if (rc != SKED_OK) return rc;
        *best = skedi_i64_max(*best, skedi_balance_percentile(b, part));
    }
    return rc;
}

/* For means: the heaviest of each bucket. */
static sked_status bound_by_bucket(skedi_balance *b, int64_t *best)
{
    skedi_u128 sum = skedi_u128_of(0);
    sked_status rc = SKED_OK;
    uint64_t rem;

    for (size_t i = 0; i < b->in.buckets && rc == SKED_OK; i++) {
        int64_t most = 0;
        rc = skedi_hooks_check(&b->hooks, i, b->in.buckets);
        for (size_t k = 0; k <= b->in.kinds; k++) {
            most = skedi_i64_max(most, bucket_weight(b, i, k));
        }
        sum = skedi_u128_add(
            sum, skedi_u128_mul((uint64_t)most, (uint64_t)b->length[i]));
    }
    *best = (int64_t)skedi_u128_low(skedi_u128_div(sum, b->window, &rem));
    for (uint32_t c = 0; c < b->in.clusters; c++) { /* rounded down, twice */
        *best -= b->weight[c] / SKED_BALANCE_WHOLE + 2;
    }
    *best = skedi_i64_max(0, *best);
    return rc;
}

static int can_leave(const skedi_balance *b, uint32_t workflow)
{
    for (uint32_t c = 0; c < b->in.clusters; c++) {
        if (c != b->in.home[workflow] && balance_may(b, workflow, c)) return 1;
    }
    return 0;
}

/* A cluster with nothing but what can never leave it. */
static int64_t stripped_score(skedi_balance *b, uint32_t cluster)
{
    int64_t *curve = b->curve + cluster * b->cells;
    skedi_balance_change as_is = {cluster, SKEDI_NO_MOVER, SKEDI_NO_MOVER};

    for (int sign = -1; sign <= 1; sign += 2) {
        for (uint32_t w = 0; w < b->in.workflows; w++) {
            const int64_t *usage = b->in.usage + w * b->cells;
            if (b->where[w] != cluster || !can_leave(b, w)) continue;
            for (size_t i = 0; i < b->cells; i++) curve[i] += sign * usage[i];
        }
        if (sign < 0) b->score[cluster] = skedi_balance_score(b, as_is);
    }
    return b->score[cluster];
}

static int64_t least_costs(const skedi_balance *b)
{
    int64_t sum = 0;

    for (uint32_t w = 0; b->in.cost && w < b->in.workflows; w++) {
        int64_t least = INT64_MAX;
        for (uint32_t c = 0; c < b->in.clusters; c++) {
            if (!balance_may(b, w, c)) continue;
            least = skedi_i64_min(least, balance_cost(b, w, c));
        }
        sum += least;
    }
    return sum;
}

sked_status skedi_balance_bound(skedi_balance *b, sked_balance_objective *bound)
{
    int64_t whole = 0, stuck = 0, stuck_excess = 0;
    sked_status rc = b->weight ? bound_by_bucket(b, &whole)
                               : bound_by_kind(b, &whole);

    for (uint32_t c = 0; rc == SKED_OK && c < b->in.clusters; c++) {
        int64_t had = b->score[c], score = stripped_score(b, c);
        b->score[c] = had;
        stuck += score;
        stuck_excess += balance_excess(b, score);
    }
    int64_t most = b->ceiling * (int64_t)b->in.clusters;
    if (b->weight) most = INT64_MAX;
    bound->excess = skedi_i64_max(stuck_excess,
                                  whole > most ? whole - most : 0);
    bound->sum = skedi_i64_max(stuck, whole) + least_costs(b);
    return rc;
}
