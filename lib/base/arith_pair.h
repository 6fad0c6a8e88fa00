#ifndef SKEDI_ARITH_PAIR_H
#define SKEDI_ARITH_PAIR_H

/*
 * arith.h over pairs of 64-bit words, for compilers without 128-bit integers:
 * the same functions as arith_native.h, with the same answers. Signed values
 * are two's complement in the two words.
 */

typedef struct skedi_u128 {
    uint64_t high;
    uint64_t low;
} skedi_u128;

typedef struct skedi_i128 {
    uint64_t high; /* holds the sign */
    uint64_t low;
} skedi_i128;

static inline skedi_u128 skedi_u128_make(uint64_t high, uint64_t low)
{
    skedi_u128 x = {high, low};
    return x;
}

static inline skedi_u128 skedi_u128_of(uint64_t x)
{
    return skedi_u128_make(0, x);
}

static inline uint64_t skedi_u128_low(skedi_u128 x)
{
    return x.low;
}

static inline uint64_t skedi_u128_high(skedi_u128 x)
{
    return x.high;
}

/* a * b, which always fits. */
static inline skedi_u128 skedi_u128_mul(uint64_t a, uint64_t b)
{
    const uint64_t half = UINT32_MAX;
    uint64_t low = (a & half) * (b & half);
    uint64_t left = (a >> 32) * (b & half) + (low >> 32);
    uint64_t right = (a & half) * (b >> 32) + (left & half);

    return skedi_u128_make((a >> 32) * (b >> 32) + (left >> 32) + (right >> 32),
                           right << 32 | (low & half));
}

/* a * b modulo 2^128. */
static inline skedi_u128 skedi_u128_scale(skedi_u128 a, uint64_t b)
{
    skedi_u128 x = skedi_u128_mul(a.low, b);

    x.high += a.high * b;
    return x;
}

static inline skedi_u128 skedi_u128_add(skedi_u128 a, skedi_u128 b)
{
    uint64_t low = a.low + b.low;

    return skedi_u128_make(a.high + b.high + (low < a.low), low);
}

static inline skedi_u128 skedi_u128_sub(skedi_u128 a, skedi_u128 b)
{
    return skedi_u128_make(a.high - b.high - (a.low < b.low), a.low - b.low);
}

/* `by` from 0 to 127. */
static inline skedi_u128 skedi_u128_shl(skedi_u128 a, unsigned by)
{
    if (by == 0) return a;
    if (by >= 64) return skedi_u128_make(a.low << (by - 64), 0);
    return skedi_u128_make(a.high << by | a.low >> (64 - by), a.low << by);
}

static inline skedi_u128 skedi_u128_shr(skedi_u128 a, unsigned by)
{
    if (by == 0) return a;
    if (by >= 64) return skedi_u128_make(0, a.high >> (by - 64));
    return skedi_u128_make(a.high >> by, a.high << (64 - by) | a.low >> by);
}

static inline int skedi_u128_cmp(skedi_u128 a, skedi_u128 b)
{
    if (a.high != b.high) return a.high > b.high ? 1 : -1;
    return (a.low > b.low) - (a.low < b.low);
}

/*
 * One 32-bit digit of a long division: (part * 2^32 + next) / b, for part < b
 * and b with its top bit set. The guess from b's upper half is at most two
 * too high.
 */
static inline uint64_t skedi_pair_digit(uint64_t part, uint64_t next,
                                        uint64_t b, uint64_t *rem)
{
    uint64_t digit = part / (b >> 32);
    uint64_t left = part - digit * (b >> 32);

    while (digit > UINT32_MAX ||
           digit * (b & UINT32_MAX) > (left << 32 | next)) {
        digit--;
        left += b >> 32;
        if (left > UINT32_MAX) break;
    }
    *rem = (part << 32 | next) - digit * b; /* wraps back to below b */
    return digit;
}

/* (high * 2^64 + low) / b for high < b, so that the quotient is one word. */
static inline uint64_t skedi_pair_div_word(uint64_t high, uint64_t low,
                                           uint64_t b, uint64_t *rem)
{
    unsigned by = skedi_clz64(b);
    skedi_u128 a = skedi_u128_shl(skedi_u128_make(high, low), by);
    uint64_t left = 0;

    uint64_t upper = skedi_pair_digit(a.high, a.low >> 32, b << by, &left);
    uint64_t lower = skedi_pair_digit(left, a.low & UINT32_MAX, b << by, &left);
    *rem = left >> by;
    return upper << 32 | lower;
}

/* a / b with the remainder; b is not 0. */
static inline skedi_u128 skedi_u128_div(skedi_u128 a, uint64_t b, uint64_t *rem)
{
    uint64_t high = a.high / b;

    return skedi_u128_make(
        high, skedi_pair_div_word(a.high - high * b, a.low, b, rem));
}

/* As above, for a divisor of any width. */
static inline skedi_u128 skedi_u128_div_wide(skedi_u128 a, skedi_u128 b,
                                             skedi_u128 *rem)
{
    if (b.high == 0) {
        skedi_u128 quotient = skedi_u128_div(a, b.low, &rem->low);
        rem->high = 0;
        return quotient;
    }
    /* The top 64 bits of b give a quotient at most one too high; one less is
     * then at most one too low. */
    unsigned by = skedi_clz64(b.high);
    skedi_u128 half = skedi_u128_shr(a, 1);
    uint64_t unused;
    uint64_t word = skedi_pair_div_word(half.high, half.low,
                                        skedi_u128_shl(b, by).high, &unused);
    word = word >> (63 - by);
    if (word) word--;

    *rem = skedi_u128_sub(a, skedi_u128_scale(b, word));
    if (skedi_u128_cmp(*rem, b) >= 0) {
        word++;
        *rem = skedi_u128_sub(*rem, b);
    }
    return skedi_u128_of(word);
}

/* `x` must be below 2^127. */
static inline skedi_i128 skedi_i128_of_u128(skedi_u128 x)
{
    skedi_i128 same = {x.high, x.low};
    return same;
}

/* The same bits, read as unsigned. */
static inline skedi_u128 skedi_pair_bits(skedi_i128 x)
{
    return skedi_u128_make(x.high, x.low);
}

static inline skedi_i128 skedi_i128_of(int64_t x)
{
    return skedi_i128_of_u128(
        skedi_u128_make(x < 0 ? UINT64_MAX : 0, (uint64_t)x));
}

/* -1, 0 or 1. */
static inline int skedi_i128_sign(skedi_i128 a)
{
    if (a.high >> 63) return -1;
    return (a.high | a.low) != 0;
}

/* -a; `a` is above -2^127. */
static inline skedi_i128 skedi_i128_negate(skedi_i128 a)
{
    return skedi_i128_of_u128(
        skedi_u128_sub(skedi_u128_of(0), skedi_pair_bits(a)));
}

/* |a|; exact for -2^127 too. */
static inline skedi_u128 skedi_i128_magnitude(skedi_i128 a)
{
    return skedi_pair_bits(skedi_i128_sign(a) < 0 ? skedi_i128_negate(a) : a);
}

/* Sums and differences must fit. */
static inline skedi_i128 skedi_i128_add(skedi_i128 a, skedi_i128 b)
{
    return skedi_i128_of_u128(
        skedi_u128_add(skedi_pair_bits(a), skedi_pair_bits(b)));
}

static inline skedi_i128 skedi_i128_sub(skedi_i128 a, skedi_i128 b)
{
    return skedi_i128_of_u128(
        skedi_u128_sub(skedi_pair_bits(a), skedi_pair_bits(b)));
}

/* a * b; |a| * |b| must be below 2^127. */
static inline skedi_i128 skedi_i128_scale(skedi_i128 a, int64_t b)
{
    skedi_u128 x = skedi_u128_scale(skedi_pair_bits(a), (uint64_t)b);

    if (b < 0) x.high -= a.low; /* the rest of b's sign, times a */
    return skedi_i128_of_u128(x);
}

static inline int skedi_i128_cmp(skedi_i128 a, skedi_i128 b)
{
    const uint64_t sign = (uint64_t)1 << 63;

    return skedi_u128_cmp(skedi_u128_make(a.high ^ sign, a.low),
                          skedi_u128_make(b.high ^ sign, b.low));
}

/* The low 64 bits, which are the value if the value fits. */
static inline int64_t skedi_i128_low(skedi_i128 a)
{
    return (int64_t)a.low;
}

#endif
