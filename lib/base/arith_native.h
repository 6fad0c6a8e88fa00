#ifndef SKEDI_ARITH_NATIVE_H
#define SKEDI_ARITH_NATIVE_H

/* arith.h over the compiler's 128-bit integers. */

__extension__ typedef unsigned __int128 skedi_u128;
__extension__ typedef __int128 skedi_i128;

static inline skedi_u128 skedi_u128_of(uint64_t x)
{
    return x;
}

static inline skedi_u128 skedi_u128_make(uint64_t high, uint64_t low)
{
    return (skedi_u128)high << 64 | low;
}

static inline uint64_t skedi_u128_low(skedi_u128 x)
{
    return (uint64_t)x;
}

static inline uint64_t skedi_u128_high(skedi_u128 x)
{
    return (uint64_t)(x >> 64);
}

/* a * b, which always fits. */
static inline skedi_u128 skedi_u128_mul(uint64_t a, uint64_t b)
{
    return (skedi_u128)a * b;
}

/* a * b modulo 2^128. */
static inline skedi_u128 skedi_u128_scale(skedi_u128 a, uint64_t b)
{
    return a * b;
}

static inline skedi_u128 skedi_u128_add(skedi_u128 a, skedi_u128 b)
{
    return a + b;
}

static inline skedi_u128 skedi_u128_sub(skedi_u128 a, skedi_u128 b)
{
    return a - b;
}

/* `by` from 0 to 127. */
static inline skedi_u128 skedi_u128_shl(skedi_u128 a, unsigned by)
{
    return a << by;
}

static inline skedi_u128 skedi_u128_shr(skedi_u128 a, unsigned by)
{
    return a >> by;
}

static inline int skedi_u128_cmp(skedi_u128 a, skedi_u128 b)
{
    return (a > b) - (a < b);
}

/* a / b with the remainder; b is not 0. */
static inline skedi_u128 skedi_u128_div(skedi_u128 a, uint64_t b, uint64_t *rem)
{
    skedi_u128 quotient = a / b;

    *rem = (uint64_t)a - (uint64_t)quotient * b; /* one division, not two */
    return quotient;
}

/* As above, for a divisor of any width. */
static inline skedi_u128 skedi_u128_div_wide(skedi_u128 a, skedi_u128 b,
                                             skedi_u128 *rem)
{
    skedi_u128 quotient = a / b;

    *rem = a - quotient * b;
    return quotient;
}

static inline skedi_i128 skedi_i128_of(int64_t x)
{
    return x;
}

/* `x` must be below 2^127. */
static inline skedi_i128 skedi_i128_of_u128(skedi_u128 x)
{
    return (skedi_i128)x;
}

/* |a|; exact for -2^127 too. */
static inline skedi_u128 skedi_i128_magnitude(skedi_i128 a)
{
    return a < 0 ? 0 - (skedi_u128)a : (skedi_u128)a;
}

/* -1, 0 or 1. */
static inline int skedi_i128_sign(skedi_i128 a)
{
    return (a > 0) - (a < 0);
}

/* -a; `a` is above -2^127. */
static inline skedi_i128 skedi_i128_negate(skedi_i128 a)
{
    return -a;
}

/* Sums and differences must fit. */
static inline skedi_i128 skedi_i128_add(skedi_i128 a, skedi_i128 b)
{
    return a + b;
}

static inline skedi_i128 skedi_i128_sub(skedi_i128 a, skedi_i128 b)
{
    return a - b;
}

/* a * b; |a| * |b| must be below 2^127. */
static inline skedi_i128 skedi_i128_scale(skedi_i128 a, int64_t b)
{
    return a * b;
}

static inline int skedi_i128_cmp(skedi_i128 a, skedi_i128 b)
{
    return (a > b) - (a < b);
}

/* The low 64 bits, which are the value if the value fits. */
static inline int64_t skedi_i128_low(skedi_i128 a)
{
    return (int64_t)a;
}

#endif
