#include "ref_hdrf.h"

#include <stdlib.h>
#include <string.h>

#include "base/arith.h"

enum { POINT = 62 };

static const uint64_t top = UINT64_MAX - 2;

static void *zeroed(size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size);

    if (!p) abort();
    return p;
}

ref_hdrf *ref_hdrf_new(const uint32_t *parent, const uint32_t *weight,
                       uint32_t n, uint32_t kinds)
{
    ref_hdrf *t = zeroed(1, sizeof *t);
    size_t cells = (size_t)n * kinds;

    t->n = n;
    t->kinds = kinds;
    t->parent = zeroed(n, sizeof *t->parent);
    t->weight = zeroed(n, sizeof *t->weight);
    t->usage = zeroed(cells, sizeof *t->usage);
    t->demand = zeroed(cells, sizeof *t->demand);
    t->pending = zeroed(n, sizeof *t->pending);
    t->said_blocked = zeroed(n, 1);
    t->x = zeroed(cells, sizeof *t->x);
    t->share = zeroed(n, sizeof *t->share);
    t->key = zeroed(n, sizeof *t->key);
    t->blocked = zeroed(n, 1);
    for (uint32_t i = 0; i < n; i++) {
        t->parent[i] = i ? parent[i] : SKED_HDRF_NONE;
        t->weight[i] = weight ? weight[i] : 1;
    }
    return t;
}

void ref_hdrf_free(ref_hdrf *t)
{
    free(t->parent);
    free(t->weight);
    free(t->usage);
    free(t->demand);
    free(t->pending);
    free(t->said_blocked);
    free(t->x);
    free(t->share);
    free(t->key);
    free(t->blocked);
    free(t);
}

int ref_hdrf_is_leaf(const ref_hdrf *t, uint32_t node)
{
    for (uint32_t i = node + 1; i < t->n; i++) {
        if (t->parent[i] == node) return 0;
    }
    return 1;
}

static skedi_u128 used(const ref_hdrf *t, uint32_t k)
{
    skedi_u128 sum = skedi_u128_of(0);

    for (uint32_t i = 0; i < t->n; i++) {
        if (!ref_hdrf_is_leaf(t, i)) continue;
        uint64_t mine = (uint64_t)t->usage[(size_t)i * t->kinds + k];
        sum = skedi_u128_add(sum, skedi_u128_of(mine));
    }
    return sum;
}

static uint64_t at_most_top(skedi_u128 x)
{
    if (skedi_u128_cmp(x, skedi_u128_of(top)) > 0) return top;
    return skedi_u128_low(x);
}

static void compute_leaf(ref_hdrf *t, uint32_t i)
{
    int asks = 0, stuck = t->said_blocked[i] || t->pending[i] == 0;

    for (uint32_t k = 0; k < t->kinds; k++) {
        size_t at = (size_t)i * t->kinds + k;
        skedi_u128 rem;
        t->x[at] = t->usage[at] == 0 ? 0 : top;
        if (t->capacity[k] != 0) {
            skedi_u128 wide = skedi_u128_shl(
                skedi_u128_of((uint64_t)t->usage[at]), POINT);
            t->x[at] = at_most_top(skedi_u128_div_wide(
                wide, skedi_u128_of((uint64_t)t->capacity[k]), &rem));
        }
        asks |= t->demand[at] > 0;
        stuck |= t->demand[at] > 0 && (t->full >> k & 1);
    }
    t->blocked[i] = (unsigned char)(stuck || !asks);
}

/* The child that is not blocked and comes first, or none. */
static uint32_t first_child(const ref_hdrf *t, uint32_t p)
{
    uint32_t best = SKED_HDRF_NONE;

    for (uint32_t i = p + 1; i < t->n; i++) {
        if (t->parent[i] != p || t->blocked[i]) continue;
        if (best == SKED_HDRF_NONE || t->key[i] < t->key[best]) best = i;
    }
    return best;
}

static uint64_t sum_weight(const ref_hdrf *t, uint32_t i)
{
    return t->weight[i] ? t->weight[i] : 1;
}

/* floor(2^62 * x / share) */
static uint64_t direction(const ref_hdrf *t, uint32_t i, uint32_t k)
{
    skedi_u128 wide = skedi_u128_shl(
                   skedi_u128_of(t->x[(size_t)i * t->kinds + k]), POINT),
               rem;

    if (t->share[i] == 0) return 0;
    return skedi_u128_low(
        skedi_u128_div_wide(wide, skedi_u128_of(t->share[i]), &rem));
}

static uint64_t inner_part(const ref_hdrf *t, uint32_t p, uint32_t m,
                           uint32_t k)
{
    skedi_u128 rising = skedi_u128_of(0), still = skedi_u128_of(0), rem;

    for (uint32_t i = p + 1; i < t->n; i++) {
        if (t->parent[i] != p) continue;
        if (t->blocked[i]) {
            uint64_t mine = t->x[(size_t)i * t->kinds + k];
            still = skedi_u128_add(still, skedi_u128_of(mine));
        } else {
            rising = skedi_u128_add(
                rising, skedi_u128_mul(sum_weight(t, i), direction(t, i, k)));
        }
    }
    if (m == SKED_HDRF_NONE) return at_most_top(still);
    skedi_u192 product = skedi_u192_mul(rising, t->share[m]);
    skedi_u128 shifted = skedi_u128_add(
        skedi_u128_shl(product.high, 64 - POINT),
        skedi_u128_of(product.low >> POINT));
    skedi_u128 part = skedi_u128_div_wide(
        shifted, skedi_u128_of(sum_weight(t, m)), &rem);
    return at_most_top(skedi_u128_add(part, still));
}

static void compute_inner(ref_hdrf *t, uint32_t p)
{
    uint32_t m = first_child(t, p);

    t->blocked[p] = m == SKED_HDRF_NONE;
    for (uint32_t k = 0; k < t->kinds; k++) {
        t->x[(size_t)p * t->kinds + k] = t->full >> k & 1
                                             ? 0
                                             : inner_part(t, p, m, k);
    }
}

static void compute_node(ref_hdrf *t, uint32_t i)
{
    if (ref_hdrf_is_leaf(t, i))
        compute_leaf(t, i);
    else
        compute_inner(t, i);
    t->share[i] = 0;
    for (uint32_t k = 0; k < t->kinds; k++) {
        uint64_t x = t->x[(size_t)i * t->kinds + k];
        if (x > t->share[i]) t->share[i] = x;
    }
    t->key[i] = t->weight[i] ? t->share[i] / t->weight[i] : UINT64_MAX;
}

void ref_hdrf_compute(ref_hdrf *t)
{
    t->full = t->said_full;
    for (uint32_t k = 0; k < t->kinds; k++) {
        uint64_t capacity = (uint64_t)t->capacity[k];
        int over = skedi_u128_cmp(used(t, k), skedi_u128_of(capacity)) >= 0;
        t->full |= (uint32_t)over << k;
    }
    for (uint32_t i = t->n; i-- > 0;) compute_node(t, i);
}

uint32_t ref_hdrf_next(const ref_hdrf *t)
{
    uint32_t node = 0;

    if (t->blocked[0]) return SKED_HDRF_NONE;
    while (!ref_hdrf_is_leaf(t, node)) node = first_child(t, node);
    return node;
}

int ref_hdrf_fits(const ref_hdrf *t, uint32_t leaf)
{
    for (uint32_t k = 0; k < t->kinds; k++) {
        uint64_t demand = (uint64_t)t->demand[(size_t)leaf * t->kinds + k];
        if (demand == 0) continue;
        skedi_u128 after = skedi_u128_add(used(t, k), skedi_u128_of(demand));
        skedi_u128 capacity = skedi_u128_of((uint64_t)t->capacity[k]);
        if (skedi_u128_cmp(after, capacity) > 0) return 0;
    }
    return 1;
}

size_t ref_hdrf_run(ref_hdrf *t, uint32_t *leaf, size_t cap)
{
    size_t n = 0;

    while (n < cap) {
        ref_hdrf_compute(t);
        uint32_t i = ref_hdrf_next(t);
        if (i == SKED_HDRF_NONE) break;
        if (!ref_hdrf_fits(t, i)) {
            t->said_blocked[i] = 1;
            continue;
        }
        for (uint32_t k = 0; k < t->kinds; k++) {
            size_t at = (size_t)i * t->kinds + k;
            t->usage[at] += t->demand[at];
        }
        if (t->pending[i] != SKED_UNLIMITED) t->pending[i]--;
        leaf[n++] = i;
    }
    ref_hdrf_compute(t);
    return n;
}
