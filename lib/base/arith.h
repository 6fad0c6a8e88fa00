#ifndef SKEDI_ARITH_H
#define SKEDI_ARITH_H

/*
 * Numbers wider than 64 bits, and checked ones: the only place that knows
 * whether the compiler has a 128-bit type. Everything here is exact.
 *
 * SKEDI_INT128 is 1 when the compiler's own type is used; the build can set it
 * to 0 to use pairs of 64-bit words, which give the same answers.
 */

#include <sched/base.h>

#include "base/bits.h"

#ifndef SKEDI_INT128
#ifdef __SIZEOF_INT128__
#define SKEDI_INT128 1
#else
#define SKEDI_INT128 0
#endif
#endif

#if SKEDI_INT128
#include "base/arith_native.h"
#else
#include "base/arith_pair.h"
#endif

/*
 * floor(n * num / den), and n * num - den * that in `rem`. `den` is not 0 and
 * the quotient must fit in 64 bits, as it does whenever num <= den.
 */
static inline uint64_t skedi_muldiv(uint64_t n, uint64_t num, uint64_t den,
                                    uint64_t *rem)
{
    return skedi_u128_low(skedi_u128_div(skedi_u128_mul(n, num), den, rem));
}

/* How to round a quotient: the enum sked_rounding of <sched/res.h>. */
enum { SKEDI_EXACT = 0, SKEDI_DOWN = 1, SKEDI_UP = 2, SKEDI_NEAREST = 3 };

/* Does a quotient that leaves `rem` of `den` go up by one? Halves do. */
static inline int skedi_rounds_up(uint64_t rem, uint64_t den, int mode)
{
    if (mode == SKEDI_UP) return rem > 0;
    return mode == SKEDI_NEAREST && rem >= den - rem;
}

/* The sign of a * b - c * d, exactly. */
static inline int skedi_cmp_mul(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    return skedi_u128_cmp(skedi_u128_mul(a, b), skedi_u128_mul(c, d));
}

/* 192 bits: high * 2^64 + low. */
typedef struct skedi_u192 {
    skedi_u128 high;
    uint64_t low;
} skedi_u192;

/* a * b, which always fits. */
static inline skedi_u192 skedi_u192_mul(skedi_u128 a, uint64_t b)
{
    skedi_u128 low = skedi_u128_mul(skedi_u128_low(a), b);
    skedi_u128 high = skedi_u128_mul(skedi_u128_high(a), b);
    skedi_u192 x = {
        skedi_u128_add(high, skedi_u128_of(skedi_u128_high(low))),
        skedi_u128_low(low),
    };

    return x;
}

/* Modulo 2^192. */
static inline skedi_u192 skedi_u192_add(skedi_u192 a, skedi_u192 b)
{
    uint64_t low = a.low + b.low;
    skedi_u128 high = skedi_u128_add(a.high, b.high);
    skedi_u192 x = {skedi_u128_add(high, skedi_u128_of(low < a.low)), low};

    return x;
}

static inline skedi_u192 skedi_u192_sub(skedi_u192 a, skedi_u192 b)
{
    skedi_u128 high = skedi_u128_sub(a.high, b.high);
    skedi_u192 x = {skedi_u128_sub(high, skedi_u128_of(a.low < b.low)),
                    a.low - b.low};

    return x;
}

static inline int skedi_u192_cmp(skedi_u192 a, skedi_u192 b)
{
    int high = skedi_u128_cmp(a.high, b.high);

    return high ? high : (a.low > b.low) - (a.low < b.low);
}

/* The sign of a[0] * a[1] * a[2] - b[0] * b[1] * b[2], exactly. */
static inline int skedi_cmp_mul3(const uint64_t a[3], const uint64_t b[3])
{
    return skedi_u192_cmp(skedi_u192_mul(skedi_u128_mul(a[0], a[1]), a[2]),
                          skedi_u192_mul(skedi_u128_mul(b[0], b[1]), b[2]));
}

/* Checked: 1 and the result, or 0 and `out` as it was. */
static inline int skedi_i64_add(int64_t a, int64_t b, int64_t *out)
{
    if (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b) return 0;
    *out = a + b;
    return 1;
}

static inline int skedi_i64_sub(int64_t a, int64_t b, int64_t *out)
{
    if (b < 0 ? a > INT64_MAX + b : a < INT64_MIN + b) return 0;
    *out = a - b;
    return 1;
}

static inline int skedi_i64_mul(int64_t a, int64_t b, int64_t *out)
{
    skedi_i128 product = skedi_i128_scale(skedi_i128_of(a), b);
    int64_t low = skedi_i128_low(product);

    if (skedi_i128_cmp(product, skedi_i128_of(low)) != 0) return 0;
    *out = low;
    return 1;
}

/*
 * Amounts, 0 to SKED_AMOUNT_MAX or SKED_UNLIMITED: a sum that no amount can
 * hold is SKED_UNLIMITED, and SKED_UNLIMITED stays whatever is added.
 */
static inline int64_t skedi_amount_add(int64_t a, int64_t b)
{
    const uint64_t most = (uint64_t)SKED_AMOUNT_MAX;
    uint64_t sum = (uint64_t)a + (uint64_t)b;

    if ((uint64_t)a > most || (uint64_t)b > most || sum > most) {
        return SKED_UNLIMITED;
    }
    return (int64_t)sum;
}

/* a - b, and 0 where that would be negative; SKED_UNLIMITED stays. */
static inline int64_t skedi_amount_sub(int64_t a, int64_t b)
{
    if (a == SKED_UNLIMITED) return a;
    return a > b ? a - b : 0;
}

static inline int64_t skedi_i64_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t skedi_i64_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

#endif
