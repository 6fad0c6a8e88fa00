/*
 * Weights that remember past use, as KAI has them, on integers.
 *
 * max(0, w/W + k (w/W - u/U)) over the common denominator is
 * max(0, w * U * (10^6 + k) - k * u * W), with k in parts per million. U and u
 * are cut by the same few bits when those products could pass 127, and the
 * results by the same few when they would pass 62.
 */
#include <sched/fill.h>

#include "base/fail.h"
#include "base/arith.h"

typedef struct time_terms {
    uint64_t weight_sum;
    uint64_t usage_total;
    uint64_t k;
    unsigned cut; /* bits taken off usages and their total */
} time_terms;

static const int64_t k_most = INT64_C(1000000000000);

static unsigned bits_of(uint64_t x)
{
    unsigned n = 0;

    for (; x; x >>= 1) n++;
    return n;
}

static uint64_t weight_or_one(const uint32_t *weight, size_t i)
{
    return weight ? weight[i] : 1;
}

/* The unnormalised weight of a row, below 2^127. */
static skedi_u128 time_weight(const time_terms *t, uint64_t w, int64_t usage)
{
    uint64_t whole = UINT64_C(1000000);

    if (t->usage_total == 0) return skedi_u128_of(w);
    skedi_u128 own = skedi_u128_mul(t->usage_total >> t->cut, whole + t->k);
    own = skedi_u128_scale(own, w);
    skedi_u128 used = skedi_u128_mul(t->weight_sum, t->k);
    used = skedi_u128_scale(used, (uint64_t)usage >> t->cut);
    if (skedi_u128_cmp(own, used) <= 0) return skedi_u128_of(0);
    return skedi_u128_sub(own, used);
}

static time_terms terms_of(const uint32_t *weight, const int64_t *usage,
                           size_t n, int64_t usage_total, int64_t k_ppm)
{
    time_terms t = {.usage_total = (uint64_t)usage_total, .k = (uint64_t)k_ppm};
    uint64_t largest = t.usage_total;

    for (size_t i = 0; i < n; i++) {
        t.weight_sum += weight_or_one(weight, i);
        if ((uint64_t)usage[i] > largest) largest = (uint64_t)usage[i];
    }
    unsigned k_bits = bits_of(t.k + UINT64_C(1000000));
    unsigned bits = bits_of(t.weight_sum) + k_bits + bits_of(largest);
    t.cut = bits > 127 ? bits - 127 : 0;
    return t;
}

/* What the largest result must be cut by to fit 62 bits. */
static unsigned excess_bits(const time_terms *t, const uint32_t *weight,
                            const int64_t *usage, size_t n)
{
    unsigned most = 0;

    for (size_t i = 0; i < n; i++) {
        skedi_u128 x = time_weight(t, weight_or_one(weight, i), usage[i]);
        unsigned high = bits_of(skedi_u128_high(x));
        unsigned bits = high ? 64 + high : bits_of(skedi_u128_low(x));
        if (bits > most) most = bits;
    }
    return most > 62 ? most - 62 : 0;
}

sked_status sked_fill_time_weights(const uint32_t *weight, const int64_t *usage,
                                   size_t n, int64_t usage_total, int64_t k_ppm,
                                   int64_t *weights, sked_error *err)
{
    const char *missing = n && !usage     ? "usage"
                          : n && !weights ? "weights"
                                          : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (n > INT32_MAX || usage_total < 0 || usage_total > SKED_AMOUNT_MAX ||
        k_ppm < 0 || k_ppm > k_most) {
        return skedi_fail_plain(err, SKED_ERR_RANGE,
                                "n, total or k is out of range");
    }
    for (size_t i = 0; i < n; i++) {
        if (usage[i] < 0 || usage[i] > SKED_AMOUNT_MAX) {
            return skedi_fail(err, SKED_ERR_RANGE, "usage is out of range",
                              (skedi_fault){.row = (int64_t)i + 1,
                                            .got = usage[i],
                                            .limit = SKED_AMOUNT_MAX});
        }
    }
    time_terms t = terms_of(weight, usage, n, usage_total, k_ppm);
    unsigned excess = excess_bits(&t, weight, usage, n);
    skedi_u128 zero = skedi_u128_of(0);

    for (size_t i = 0; i < n; i++) {
        skedi_u128 x = time_weight(&t, weight_or_one(weight, i), usage[i]);
        uint64_t kept = skedi_u128_low(skedi_u128_shr(x, excess));
        weights[i] = (int64_t)(kept + (!kept && skedi_u128_cmp(x, zero) > 0));
    }
    return SKED_OK;
}
