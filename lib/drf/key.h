#ifndef SKEDI_DRF_KEY_H
#define SKEDI_DRF_KEY_H

/*
 * Keys of dominant shares: floor(2^62 * usage / (capacity * weight)), the
 * largest over kinds, exactly. Because floor(floor(a / b) / c) = floor(a / (b *
 * c)), the division by the weight comes last. First the parts floor(2^62 *
 * usage / capacity) are computed, by a reciprocal that each kind has once for
 * all clients. Then the largest part is divided by the weight, by a reciprocal
 * that the client keeps. The kind with the largest part is guessed in doubles;
 * only if two kinds come close are all parts computed. Usage of four capacities
 * or more would not fit 64 bits; a slower path computes such parts in 128 bits.
 */

#include <sched/drf.h>

#include "base/arith.h"

/* The largest finite key and part. */
#define SKEDI_DRF_TOP (UINT64_MAX - 2)

/* A kind's capacity, made ready to be divided by. */
typedef struct skedi_drf_scale {
    uint64_t divisor; /* the capacity, shifted left until the top bit is set */
    uint64_t inverse; /* floor((2^128 - 1) / divisor) - 2^64 */
    uint64_t most;    /* below four capacities: what fits 64 bits */
    uint64_t capacity;
    uint64_t odd; /* 1: the capacity is 2^62 */
    unsigned shift;
    double about; /* 1 / capacity; beyond all bounds for none */
} skedi_drf_scale;

/*
 * floor((high * 2^64 + low) / d) with high < d: Moeller and Granlund's division
 * of two words by a word with the top bit set; `v` is the inverse of d.
 */
static inline uint64_t skedi_divide_two(uint64_t high, uint64_t low, uint64_t d,
                                        uint64_t v)
{
    skedi_u128 guess = skedi_u128_add(skedi_u128_mul(v, high),
                                      skedi_u128_make(high, low));
    uint64_t q = skedi_u128_high(guess) + 1;
    uint64_t rem = low - q * d;
    uint64_t over = 0 - (uint64_t)(rem > skedi_u128_low(guess));

    q += over;
    rem += over & d;
    return q + (rem >= d);
}

/* The inverse of `d`, whose top bit is set. */
static inline uint64_t skedi_divide_inverse(uint64_t d)
{
    uint64_t rem;

    return skedi_u128_low(
        skedi_u128_div(skedi_u128_make(~d, UINT64_MAX), d, &rem));
}

skedi_drf_scale skedi_drf_scale_of(int64_t capacity);

/* floor(2^62 * usage / capacity) for usage up to scale->most. */
static inline uint64_t skedi_drf_part(const skedi_drf_scale *scale,
                                      uint64_t usage)
{
    uint64_t high = (usage >> scale->odd) << scale->shift;
    uint64_t low = (usage & scale->odd) << 63;

    return skedi_divide_two(high, low, scale->divisor, scale->inverse);
}

/* The inverse for skedi_divide_weight(): about 2^64 / weight. */
static inline uint64_t skedi_drf_inverse(uint32_t weight)
{
    return weight > 1 ? UINT64_MAX / weight : UINT64_MAX;
}

/* floor(x / weight) for a weight above 0: the guess or the guess plus 1. */
static inline uint64_t skedi_divide_weight(uint64_t x, uint32_t weight,
                                           uint64_t inverse)
{
    uint64_t q = skedi_u128_high(skedi_u128_mul(x, inverse));

    return q + (x - q * weight >= weight);
}

/* The key of a share of `part` under `weight`; `inverse` belongs to the
 * weight. */
static inline uint64_t skedi_drf_weigh(uint64_t part, uint32_t weight,
                                       uint64_t inverse)
{
    if (weight == 0) return SKED_DRF_INFINITE;
    uint64_t key = skedi_divide_weight(part, weight, inverse);
    return key < SKEDI_DRF_TOP ? key : SKEDI_DRF_TOP;
}

/* The key in 128 bits, whatever the usage is. */
uint64_t skedi_drf_key_far(const skedi_drf_scale *scale, const int64_t *usage,
                           uint32_t kinds, uint32_t weight);

/* The largest part of the kinds whose double comes near `top`; usage is up to
 * each kind's `most`. */
static inline uint64_t skedi_drf_near(const skedi_drf_scale *scale,
                                      const int64_t *usage, uint32_t kinds,
                                      double top)
{
    uint64_t most = 0;

    for (uint32_t k = 0; k < kinds; k++) {
        if ((double)usage[k] * scale[k].about * (1 + 0x1p-40) < top) continue;
        uint64_t part = skedi_drf_part(&scale[k], (uint64_t)usage[k]);
        most = part > most ? part : most;
    }
    return most;
}

/* The key of a row of usage. The relative error of a double here is below
 * 2^-50, so below 3.5 all usage is at most the kind's `most`. */
static inline uint64_t skedi_drf_key(const skedi_drf_scale *scale,
                                     const int64_t *usage, uint32_t kinds,
                                     uint32_t weight, uint64_t inverse)
{
    double top = 0, next = 0;
    uint32_t best = 0;

    for (uint32_t k = 0; k < kinds; k++) {
        double x = (double)usage[k] * scale[k].about;
        double less = x < top ? x : top;
        next = less > next ? less : next;
        best = x > top ? k : best;
        top = x > top ? x : top;
    }
    if (top > 3.5) return skedi_drf_key_far(scale, usage, kinds, weight);
    if (top == 0) return skedi_drf_weigh(0, weight, inverse);
    uint64_t part = next * (1 + 0x1p-40) < top
                        ? skedi_drf_part(&scale[best], (uint64_t)usage[best])
                        : skedi_drf_near(scale, usage, kinds, top);
    return skedi_drf_weigh(part, weight, inverse);
}

/* Share, dominant kind and key of a row of usage. */
sked_drf_standing skedi_drf_standing(const int64_t *usage,
                                     const int64_t *capacity, uint32_t kinds,
                                     uint32_t weight);

/*
 * Checks that all amounts of `n` rows are within 0..SKED_AMOUNT_MAX. Returns
 * SKED_OK, or SKED_ERR_RANGE with row and kind in `err` and `what` as the
 * message.
 */
sked_status skedi_amounts_in(const int64_t *amount, size_t n, uint32_t kinds,
                             const char *what, sked_error *err);

#endif
