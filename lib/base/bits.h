#ifndef SKEDI_BITS_H
#define SKEDI_BITS_H

/*
 * Scanning the bits of a word. SKEDI_BIT_BUILTINS is 1 when the compiler's own
 * are used; the build can set it to 0 for the plain ones.
 */

#include <stdint.h>

#ifndef SKEDI_BIT_BUILTINS
#ifdef __GNUC__
#define SKEDI_BIT_BUILTINS 1
#else
#define SKEDI_BIT_BUILTINS 0
#endif
#endif

#if SKEDI_BIT_BUILTINS

/* Zeros above the highest one, 0 to 63; `x` is not 0. */
static inline unsigned skedi_clz64(uint64_t x)
{
    return (unsigned)__builtin_clzll(x);
}

/* Zeros below the lowest one, 0 to 63; `x` is not 0. */
static inline unsigned skedi_ctz64(uint64_t x)
{
    return (unsigned)__builtin_ctzll(x);
}

#else

static inline unsigned skedi_clz64(uint64_t x)
{
    unsigned n = 0;

    for (unsigned step = 32; step > 0; step /= 2) {
        if (x >> (64 - step)) continue;
        n += step;
        x <<= step;
    }
    return n;
}

static inline unsigned skedi_ctz64(uint64_t x)
{
    return 63 - skedi_clz64(x & (0 - x));
}

#endif

/* `x` turned left; `by` from 1 to 63. */
static inline uint64_t skedi_rotate64(uint64_t x, unsigned by)
{
    return x << by | x >> (64 - by);
}

/* Ones in `x`, 0 to 64. */
static inline unsigned skedi_ones64(uint64_t x)
{
    x -= x >> 1 & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) +
        (x >> 2 & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (unsigned)(x * UINT64_C(0x0101010101010101) >> 56);
}

/* The least power of two that is not below `x`; `x` from 1 to 2^63. */
static inline uint64_t skedi_ceil_pow2(uint64_t x)
{
    return x <= 1 ? 1 : (uint64_t)1 << (64 - skedi_clz64(x - 1));
}

#endif
