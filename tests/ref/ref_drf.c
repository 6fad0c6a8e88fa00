#include "ref_drf.h"

#include <stdlib.h>
#include <string.h>

#include "base/arith.h"

/* Of one kind: whole part and 62 bits after the point, one by one. */
static uint64_t one_kind(int64_t usage, int64_t capacity, uint32_t weight)
{
    if (usage == 0) return 0;
    if (capacity == 0) return SKED_DRF_INFINITE;

    skedi_u128 unit = skedi_u128_mul((uint64_t)capacity, weight), rem;
    skedi_u128 whole = skedi_u128_div_wide(skedi_u128_of((uint64_t)usage), unit,
                                           &rem);
    if (skedi_u128_cmp(whole, skedi_u128_of(4)) >= 0) {
        return SKED_DRF_INFINITE - 2;
    }
    uint64_t key = skedi_u128_low(whole);
    for (int bit = 0; bit < 62; bit++) {
        rem = skedi_u128_shl(rem, 1);
        int one = skedi_u128_cmp(rem, unit) >= 0;
        if (one) rem = skedi_u128_sub(rem, unit);
        key = key << 1 | (uint64_t)one;
    }
    return key < SKED_DRF_INFINITE - 2 ? key : SKED_DRF_INFINITE - 2;
}

uint64_t ref_drf_key(const int64_t *usage, const int64_t *capacity,
                     uint32_t kinds, uint32_t weight)
{
    uint64_t most = 0;

    if (weight == 0) return SKED_DRF_INFINITE;
    for (uint32_t k = 0; k < kinds; k++) {
        uint64_t key = one_kind(usage[k], capacity[k], weight);
        if (key > most) most = key;
    }
    return most;
}

static uint32_t dominant(const int64_t *usage, const int64_t *capacity,
                         uint32_t kinds)
{
    uint32_t best = 0;

    for (uint32_t k = 1; k < kinds; k++) {
        if (skedi_cmp_mul((uint64_t)usage[k], (uint64_t)capacity[best],
                          (uint64_t)usage[best], (uint64_t)capacity[k]) > 0) {
            best = k;
        }
    }
    return best;
}

int ref_drf_compare(const int64_t *usage, uint32_t weight, const int64_t *other,
                    uint32_t other_weight, const int64_t *capacity,
                    uint32_t kinds)
{
    uint32_t a = dominant(usage, capacity, kinds);
    uint32_t b = dominant(other, capacity, kinds);
    uint64_t left[3] = {(uint64_t)usage[a], (uint64_t)capacity[b],
                        other_weight};
    uint64_t right[3] = {(uint64_t)other[b], (uint64_t)capacity[a], weight};

    return skedi_cmp_mul3(left, right);
}

static uint64_t row_key(const sked_drf_input *rows, const int64_t *usage,
                        uint32_t i)
{
    return ref_drf_key(usage + (size_t)i * rows->kinds, rows->capacity,
                       rows->kinds, rows->weight ? rows->weight[i] : 1);
}

static int64_t *own_usage(const sked_drf_input *rows)
{
    size_t n = (size_t)rows->n * rows->kinds;
    int64_t *usage = calloc(n + 1, sizeof *usage);

    if (!usage) abort();
    if (rows->usage) memcpy(usage, rows->usage, n * sizeof *usage);
    return usage;
}

void ref_drf_order(const sked_drf_input *rows, uint32_t *order)
{
    int64_t *usage = own_usage(rows);
    uint64_t *key = calloc(rows->n + 1, sizeof *key);

    if (!key) abort();
    for (uint32_t i = 0; i < rows->n; i++) {
        uint32_t at = i;
        key[i] = row_key(rows, usage, i);
        for (; at > 0 && key[order[at - 1]] > key[i]; at--) {
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
    free(key);
    free(usage);
}

static int fits(const sked_drf_input *rows, const int64_t *pool, uint32_t i)
{
    const int64_t *demand = rows->demand + (size_t)i * rows->kinds;
    int asks = 0;

    for (uint32_t k = 0; k < rows->kinds; k++) {
        if (demand[k] > pool[k]) return 0;
        asks |= demand[k] > 0;
    }
    return asks;
}

/* The client whose turn it is, or n. */
static uint32_t turn(const sked_drf_input *rows, const int64_t *usage,
                     const int64_t *tasks, const unsigned char *blocked)
{
    uint32_t best = (uint32_t)rows->n;
    uint64_t least = 0;

    for (uint32_t i = 0; i < rows->n; i++) {
        int64_t most = rows->most ? rows->most[i] : SKED_UNLIMITED;
        uint64_t key = row_key(rows, usage, i);
        if (blocked[i] || tasks[i] >= most) continue;
        if (best != rows->n && key >= least) continue;
        best = i;
        least = key;
    }
    return best;
}

size_t ref_drf_allocate(const sked_drf_input *rows, int64_t *pool,
                        int64_t *tasks, uint32_t *order, size_t cap)
{
    int64_t *usage = own_usage(rows);
    unsigned char *blocked = calloc(rows->n + 1, 1);
    size_t done = 0;

    if (!blocked) abort();
    memset(tasks, 0, rows->n * sizeof *tasks);
    while (done < cap) {
        uint32_t i = turn(rows, usage, tasks, blocked);
        if (i == rows->n) break;
        if (!fits(rows, pool, i)) {
            blocked[i] = 1;
            continue;
        }
        for (uint32_t k = 0; k < rows->kinds; k++) {
            size_t at = (size_t)i * rows->kinds + k;
            pool[k] -= rows->demand[at];
            usage[at] += rows->demand[at];
        }
        tasks[i]++;
        if (order) order[done] = i;
        done++;
    }
    free(blocked);
    free(usage);
    return done;
}
