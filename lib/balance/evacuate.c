/*
 * Evacuates a zone. The zone's workflows are placed one by one (greedily),
 * important tiers first, and large workflows first within a tier. Each workflow
 * goes to the cluster in which the objective grows least. A workflow that fits
 * into no cluster may take the place of another workflow of its tier, if the
 * other workflow fits elsewhere.
 */
#include "balance/state.h"

#include <string.h>

#include "base/fail.h"
#include "base/sort.h"

typedef struct evacuation {
    skedi_balance b;
    uint32_t zone;
    uint32_t n;
    skedi_keyed *order; /* evacuated workflows by tier, then size; the second
                         * half is scratch for sorting */
    uint32_t *to;       /* by workflow */
    int64_t *total;     /* capacity of all remaining clusters, by kind */
    sked_balance_evacuation tier[SKED_MAX_TIERS];
    sked_status rc;
} evacuation;

static int is_lost(const evacuation *e, uint32_t cluster)
{
    uint32_t zone = e->b.in.zone ? e->b.in.zone[cluster] : 0;

    return zone == e->zone;
}

static uint32_t tier_of(const evacuation *e, uint32_t workflow)
{
    return e->b.in.tier ? e->b.in.tier[workflow] - 1 : 0;
}

static int may_shelter(const evacuation *e, uint32_t cluster, uint32_t workflow)
{
    return !is_lost(e, cluster) && balance_may(&e->b, workflow, cluster);
}

/* ---- The workflows to place, and their order ---- */

/* The percentile of a workflow's usage as a fraction of all remaining
 * clusters. */
static int64_t evacuee_size(evacuation *e, uint32_t workflow)
{
    skedi_balance *b = &e->b;
    const int64_t *usage = b->in.usage + workflow * b->cells;
    size_t kinds = b->in.kinds;

    for (size_t i = 0; i < b->in.buckets; i++) {
        b->value[i] = 0;
        for (size_t k = 0; k < kinds; k++) {
            int64_t part = balance_part(usage[i * kinds + k], e->total[k], 1);
            b->value[i] = skedi_i64_max(b->value[i], part);
        }
    }
    return skedi_balance_percentile(b, b->need);
}

/* Lists the workflows of the zone, in the order of placing. */
static void line_up(evacuation *e)
{
    skedi_balance *b = &e->b;

    for (uint32_t c = 0; c < b->in.clusters; c++) {
        for (uint32_t k = 0; k < b->in.kinds && !is_lost(e, c); k++) {
            e->total[k] = skedi_amount_add(
                e->total[k], b->in.capacity[c * (size_t)b->in.kinds + k]);
        }
    }
    for (uint32_t w = 0; w < b->in.workflows; w++) {
        e->to[w] = b->in.home[w];
        if (!is_lost(e, b->in.home[w])) continue;
        uint64_t size = (uint64_t)(SKED_BALANCE_MOST - evacuee_size(e, w));
        e->to[w] = SKED_BALANCE_NOWHERE;
        e->order[e->n++] = (skedi_keyed){(uint64_t)tier_of(e, w) << 56 | size,
                                         w, 0};
        e->tier[tier_of(e, w)].asked++;
    }
    skedi_sort_keys(e->order, e->order + b->in.workflows, e->n);
}

/* ---- Placing ---- */

/* Adds a workflow to a cluster's curve, or (`sign` -1) removes the workflow. */
static void put_curve(evacuation *e, uint32_t workflow, uint32_t cluster,
                      int64_t sign)
{
    skedi_balance *b = &e->b;
    int64_t *curve = b->curve + cluster * b->cells;
    const int64_t *usage = b->in.usage + workflow * b->cells;

    for (size_t i = 0; i < b->cells; i++) curve[i] += sign * usage[i];
    b->score[cluster] = skedi_balance_score(
        b, (skedi_balance_change){cluster, SKEDI_NO_MOVER, SKEDI_NO_MOVER});
    e->to[workflow] = sign > 0 ? cluster : SKED_BALANCE_NOWHERE;
}

static int fits_there(evacuation *e, uint32_t cluster, uint32_t more,
                      uint32_t less)
{
    skedi_balance_change change = {cluster, more, less};

    return skedi_balance_score(&e->b, change) <= e->b.ceiling;
}

/* The cluster other than `but` in which the objective grows least, or
 * SKED_BALANCE_NOWHERE. */
static uint32_t shelter_of(evacuation *e, uint32_t workflow, uint32_t but)
{
    skedi_balance *b = &e->b;
    uint32_t best = SKED_BALANCE_NOWHERE;
    int64_t least = INT64_MAX;

    for (uint32_t c = 0; c < b->in.clusters; c++) {
        if (c == but || !may_shelter(e, c, workflow)) continue;
        int64_t score = skedi_balance_score(
            b, (skedi_balance_change){c, workflow, SKEDI_NO_MOVER});
        int64_t grows = score - b->score[c] + balance_cost(b, workflow, c);
        if (score > b->ceiling || grows >= least) continue;
        least = grows;
        best = c;
    }
    return best;
}

/* Sends `other`, placed earlier, elsewhere, and puts `workflow` into the freed
 * place. */
static int take_place_of(evacuation *e, uint32_t workflow, uint32_t other)
{
    uint32_t place = e->to[other];

    if (place == SKED_BALANCE_NOWHERE || !may_shelter(e, place, workflow))
        return 0;
    if (!fits_there(e, place, workflow, other)) return 0;
    uint32_t elsewhere = shelter_of(e, other, place);
    if (elsewhere == SKED_BALANCE_NOWHERE) return 0;
    put_curve(e, other, place, -1);
    put_curve(e, other, elsewhere, 1);
    put_curve(e, workflow, place, 1);
    return 1;
}

/* Places the `i`-th workflow in order; 0: the workflow fits into no cluster. */
static int place_one(evacuation *e, uint32_t i)
{
    uint32_t workflow = e->order[i].index;
    uint32_t place = shelter_of(e, workflow, SKED_BALANCE_NOWHERE);

    if (place != SKED_BALANCE_NOWHERE) {
        put_curve(e, workflow, place, 1);
        return 1;
    }
    for (uint32_t j = i; j-- > 0;) {
        uint32_t other = e->order[j].index;
        if (tier_of(e, other) != tier_of(e, workflow)) break;
        if (e->b.tries >= e->b.in.max_tries) break;
        if (take_place_of(e, workflow, other)) return 1;
    }
    return 0;
}

static void place_all(evacuation *e)
{
    for (uint32_t i = 0; i < e->n && e->rc == SKED_OK; i++) {
        uint32_t tier = tier_of(e, e->order[i].index);
        e->tier[tier].placed += (uint32_t)place_one(e, i);
        e->rc = skedi_hooks_check(&e->b.hooks, i, e->n);
    }
}

/* ---- An upper bound on how many can be placed ---- */

/* The free amount of a kind in a bucket, over all remaining clusters. */
static int64_t free_for(const evacuation *e, size_t bucket, size_t kind)
{
    const skedi_balance *b = &e->b;
    size_t cell = bucket * b->in.kinds + kind;
    int64_t left = 0;
    uint64_t rem;

    for (uint32_t c = 0; c < b->in.clusters; c++) {
        if (is_lost(e, c)) continue;
        uint64_t whole = (uint64_t)
                             b->in.capacity[c * (size_t)b->in.kinds + kind];
        skedi_u128 most = skedi_u128_div(
            skedi_u128_mul(whole, (uint64_t)b->ceiling), SKED_BALANCE_WHOLE,
            &rem);
        int64_t used = b->curve[c * b->cells + cell];
        if (skedi_u128_high(most) ||
            skedi_u128_low(most) > (uint64_t)SKED_AMOUNT_MAX) {
            return SKED_UNLIMITED;
        }
        int64_t has = (int64_t)skedi_u128_low(most);
        left = skedi_amount_add(left, has > used ? has - used : 0);
    }
    return left;
}

/* How many of `n`, from the smallest on, fit in what is left. `keys` has their
 * amounts. */
static uint32_t how_many(skedi_keyed *keys, uint32_t n, int64_t left)
{
    uint32_t count = 0;

    skedi_sort_keys(keys, keys + n, n);
    while (count < n && keys[count].key <= (uint64_t)left) {
        left -= (int64_t)keys[count++].key;
    }
    return count;
}

/* Bounds how many workflows of a tier can be placed: workflows `from` to `to`
 * in the order. The bound is computed before the first placement. `keys` has
 * twice as many elements. */
static void bound_tier(evacuation *e, uint32_t from, uint32_t to,
                       skedi_keyed *keys)
{
    skedi_balance *b = &e->b;
    uint64_t beyond = b->window - b->need, stay = 0, part = b->window;
    uint32_t n = to - from;

    for (uint32_t c = 0; c < b->in.clusters; c++) stay += !is_lost(e, c);
    if (beyond) {
        part = beyond >= b->window / (stay + 1) ? 0 : b->window - beyond * stay;
    }
    for (size_t i = 0; i < b->in.buckets; i++) {
        uint32_t most = n;
        for (size_t k = 0; k < b->in.kinds; k++) {
            for (uint32_t j = 0; j < n; j++) {
                size_t w = e->order[from + j].index;
                int64_t used = b->in.usage[w * b->cells + i * b->in.kinds + k];
                keys[j] = (skedi_keyed){(uint64_t)used, j, 0};
            }
            uint32_t fit = how_many(keys, n, free_for(e, i, k));
            if (fit < most) most = fit;
        }
        b->value[i] = n - most;
    }
    uint32_t without = part ? (uint32_t)skedi_balance_percentile(b, part) : 0;
    e->tier[tier_of(e, e->order[from].index)].most = n - without;
}

static void bound_tiers(evacuation *e, skedi_keyed *keys)
{
    for (uint32_t from = 0, to; from < e->n && e->rc == SKED_OK; from = to) {
        uint32_t tier = tier_of(e, e->order[from].index);
        for (to = from + 1; to < e->n; to++) {
            if (tier_of(e, e->order[to].index) != tier) break;
        }
        bound_tier(e, from, to, keys);
        e->rc = skedi_hooks_check(&e->b.hooks, to, e->n);
    }
}

/* ---- The call ---- */

static void evacuate(evacuation *e)
{
    skedi_mem *mem = &e->b.hooks.mem;
    size_t n = (size_t)e->b.in.workflows, kinds = e->b.in.kinds;
    skedi_keyed *keys = skedi_new(mem, n, 2 * sizeof *keys);

    e->order = skedi_new(mem, n, 2 * sizeof *e->order);
    e->to = skedi_new(mem, n, sizeof *e->to);
    e->total = skedi_new(mem, kinds, sizeof *e->total);
    if (keys && e->order && e->to && e->total) {
        line_up(e);
        bound_tiers(e, keys);
        place_all(e);
    } else {
        e->rc = SKED_ERR_NOMEM;
    }
    skedi_free(mem, keys, n, 2 * sizeof *keys);
    skedi_free(mem, e->order, n, 2 * sizeof *e->order);
    skedi_free(mem, e->total, kinds, sizeof *e->total);
}

sked_status sked_balance_evacuate(const sked_balance_input *input,
                                  uint32_t zone, const sked_host *host,
                                  uint32_t *cluster,
                                  sked_balance_evacuation *tiers,
                                  sked_error *err)
{
    evacuation e = {.zone = zone, .rc = SKED_OK};
    sked_balance_input taken;
    sked_status rc = skedi_balance_take(&taken, input, err);

    if (rc != SKED_OK) return rc;
    const char *missing = !tiers                        ? "tiers"
                          : taken.workflows && !cluster ? "cluster"
                                                        : NULL;
    if (missing) return skedi_fail_null(err, missing);
    rc = skedi_balance_in(&e.b, &taken, host, NULL, err);
    if (rc != SKED_OK) return rc;
    evacuate(&e);
    if (e.rc == SKED_OK) {
        memcpy(tiers, e.tier, sizeof e.tier);
        if (taken.workflows) {
            memcpy(cluster, e.to, (size_t)taken.workflows * sizeof *cluster);
        }
    } else {
        (void)skedi_fail_stopped(err, e.rc);
    }
    skedi_free(&e.b.hooks.mem, e.to, (size_t)taken.workflows, sizeof *e.to);
    skedi_balance_drop(&e.b);
    return e.rc;
}
