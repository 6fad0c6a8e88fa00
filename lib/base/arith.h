#ifndef SKEDI_ARITH_H
#define SKEDI_ARITH_H

/*
 * Exact arithmetic on numbers wider than 64 bits, and checked arithmetic. This
 * header alone knows whether the compiler has a 128-bit type. SKEDI_INT128 is 1
 * if the compiler's type is used. The build can set SKEDI_INT128 to 0 to use
 * pairs of 64-bit words, with the same results.
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
 * Returns floor(n * num / den) and stores the remainder in `rem`. `den` is not
 * 0. The quotient must fit in 64 bits, which is always true if num <= den.
 */
static inline uint64_t skedi_muldiv(uint64_t n, uint64_t num, uint64_t den,
                                    uint64_t *rem)
{
    return skedi_u128_low(skedi_u128_div(skedi_u128_mul(n, num), den, rem));
}

/* The rounding modes: enum sked_rounding of <sched/res.h>. */
enum { SKEDI_EXACT = 0, SKEDI_DOWN = 1, SKEDI_UP = 2, SKEDI_NEAREST = 3 };

/* Does `mode` round up a quotient with the remainder `rem` of `den`?
 * SKEDI_NEAREST rounds halves up. */
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

/* Checked: returns 1 and the result, or 0 with `out` unchanged. */
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
 * Amounts are 0 to SKED_AMOUNT_MAX, or SKED_UNLIMITED. A sum above
 * SKED_AMOUNT_MAX is SKED_UNLIMITED. SKED_UNLIMITED plus any amount is
 * SKED_UNLIMITED.
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

/* a - b, or 0 if the difference is negative; SKED_UNLIMITED stays unchanged. */
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
