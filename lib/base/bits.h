#ifndef SKEDI_BITS_H
#define SKEDI_BITS_H

/*
 * Bit operations on a word. SKEDI_BIT_BUILTINS is 1 if the compiler's builtins
 * are used. The build can set SKEDI_BIT_BUILTINS to 0 to use plain C.
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

/* The zeros above the highest set bit, 0 to 63; `x` is not 0. */
static inline unsigned skedi_clz64(uint64_t x)
{
    return (unsigned)__builtin_clzll(x);
}

/* The zeros below the lowest set bit, 0 to 63; `x` is not 0. */
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

/* `x` rotated left; `by` is 1 to 63. */
static inline uint64_t skedi_rotate64(uint64_t x, unsigned by)
{
    return x << by | x >> (64 - by);
}

/* The number of set bits in `x`, 0 to 64. */
static inline unsigned skedi_ones64(uint64_t x)
{
    x -= x >> 1 & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) +
        (x >> 2 & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (unsigned)(x * UINT64_C(0x0101010101010101) >> 56);
}

/* The least power of two at or above `x`; `x` is 1 to 2^63. */
static inline uint64_t skedi_ceil_pow2(uint64_t x)
{
    return x <= 1 ? 1 : (uint64_t)1 << (64 - skedi_clz64(x - 1));
}

#endif
