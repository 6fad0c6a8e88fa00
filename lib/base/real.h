#ifndef SKEDI_REAL_H
#define SKEDI_REAL_H

/*
 * Numbers from 0 upwards with 64 significant bits and a wide exponent, in
 * integer arithmetic alone: every machine and compiler gives the same bits.
 * A result is off by at most one part in 2^63.
 */

#include "base/arith.h"
#include "base/bits.h"

typedef struct skedi_real {
    uint64_t
        m; /* the value is m * 2^e; the top bit is set, or the value is 0 */
    int32_t e;
    int32_t unused; /* 0 */
} skedi_real;

static inline skedi_real skedi_real_of(uint64_t x)
{
    skedi_real r = {0, 0, 0};
    unsigned zeros;

    if (x == 0) return r;
    zeros = skedi_clz64(x);
    r.m = x << zeros;
    r.e = -(int32_t)zeros;
    return r;
}

/* 2^e. */
static inline skedi_real skedi_real_power(int32_t e)
{
    skedi_real r = {UINT64_C(1) << 63, e - 63, 0};

    return r;
}

static inline int skedi_real_cmp(skedi_real a, skedi_real b)
{
    if (a.m == 0 || b.m == 0) return (a.m > 0) - (b.m > 0);
    if (a.e != b.e) return a.e < b.e ? -1 : 1;
    return (a.m > b.m) - (a.m < b.m);
}

static inline int skedi_real_below(skedi_real a, skedi_real b)
{
    return skedi_real_cmp(a, b) < 0;
}

static inline skedi_real skedi_real_add(skedi_real a, skedi_real b)
{
    if (skedi_real_below(a, b)) {
        skedi_real c = a;
        a = b;
        b = c;
    }
    int32_t shift = a.e - b.e;
    if (b.m == 0 || shift > 63) return a;
    uint64_t sum = a.m + (b.m >> shift);
    if (sum < a.m) {
        a.e++;
        sum = sum >> 1 | UINT64_C(1) << 63;
    }
    a.m = sum;
    return a;
}

/* a - b, or 0 if the difference is negative. */
static inline skedi_real skedi_real_sub(skedi_real a, skedi_real b)
{
    skedi_real zero = {0, 0, 0};

    if (skedi_real_cmp(a, b) <= 0) return zero;
    if (b.m == 0 || a.e - b.e > 63) return a;
    uint64_t rest = a.m - (b.m >> (a.e - b.e));
    if (rest == 0) return zero;
    unsigned zeros = skedi_clz64(rest);
    a.m = rest << zeros;
    a.e -= (int32_t)zeros;
    return a;
}

static inline skedi_real skedi_real_mul(skedi_real a, skedi_real b)
{
    skedi_real r = {0, 0, 0};

    if (a.m == 0 || b.m == 0) return r;
    skedi_u128 product = skedi_u128_mul(a.m, b.m);
    r.e = a.e + b.e + 64;
    if (!(skedi_u128_high(product) >> 63)) {
        product = skedi_u128_shl(product, 1);
        r.e--;
    }
    r.m = skedi_u128_high(product);
    return r;
}

/* a / b; `b` is above 0. */
static inline skedi_real skedi_real_div(skedi_real a, skedi_real b)
{
    skedi_real r = {0, 0, 0};
    uint64_t rem;

    if (a.m == 0) return r;
    unsigned shift = a.m >= b.m ? 63 : 64;
    skedi_u128 n = shift == 64 ? skedi_u128_make(a.m, 0)
                               : skedi_u128_shl(skedi_u128_of(a.m), 63);
    r.m = skedi_u128_low(skedi_u128_div(n, b.m, &rem));
    r.e = a.e - b.e - (int32_t)shift;
    return r;
}

/* The whole part, at most `most`. */
static inline int64_t skedi_real_floor(skedi_real a, int64_t most)
{
    if (a.m == 0 || a.e <= -64) return 0;
    if (a.e >= 0) return most;
    uint64_t whole = a.m >> -a.e;
    return whole < (uint64_t)most ? (int64_t)whole : most;
}

#endif
