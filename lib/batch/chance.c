/*
 * Chance without floating point. A logarithm is found bit by bit: squaring a
 * number in [1, 2) doubles its logarithm, and whether it passes 2 is the next
 * bit. Normal numbers come by the polar method of Marsaglia, exponentials from
 * the table of base/decay.
 */
#include "batch/chance.h"

#include "base/arith.h"
#include "base/decay.h"

enum { POLAR_DRAWS = 64, LARGEST_POWER = 6 };

static const uint64_t ln_2 = UINT64_C(2977044471);   /* ln 2 * 2^32 */
static const uint64_t log2_e = UINT64_C(6196328018); /* log2 e * 2^32 */

uint64_t skedi_chance_log2(uint64_t x)
{
    unsigned shift = skedi_clz64(x);
    uint64_t log = 63 - shift;

    x <<= shift; /* in units of 2^-63, from 1 to 2 */
    for (int bit = 0; bit < SKEDI_CHANCE_WHOLE; bit++) {
        skedi_u128 square = skedi_u128_mul(x, x);
        uint64_t high = skedi_u128_high(square);
        log = log << 1 | high >> 63;
        x = high >> 63 ? high : high << 1 | skedi_u128_low(square) >> 63;
    }
    return log;
}

static uint64_t natural(uint64_t log)
{
    return skedi_u128_low(skedi_u128_shr(skedi_u128_mul(log, ln_2), 32));
}

/* -ln(x / 2^places) in units of 2^-32; x is not above 2^places. */
static uint64_t minus_ln(uint64_t x, unsigned places)
{
    return natural(((uint64_t)places << SKEDI_CHANCE_WHOLE) -
                   skedi_chance_log2(x));
}

uint64_t skedi_chance_apart(uint64_t a, uint64_t b)
{
    uint64_t one = skedi_chance_log2(a), two = skedi_chance_log2(b);

    return natural(one > two ? one - two : two - one);
}

int skedi_chance_accepts(skedi_random *random, int64_t worse,
                         int64_t temperature)
{
    if (worse <= 0) return 1;
    /* worse / temperature < -ln(u), u uniform */
    uint64_t u = skedi_random_next(random) | 1;
    return skedi_cmp_mul((uint64_t)worse, (uint64_t)1 << 32,
                         (uint64_t)temperature, minus_ln(u, 64)) < 0;
}

uint32_t skedi_chance_root(uint64_t x)
{
    uint32_t root = 0;

    for (uint32_t bit = (uint32_t)1 << 31; bit; bit >>= 1) {
        uint64_t more = (uint64_t)root | bit;
        if (more * more <= x) root |= bit;
    }
    return root;
}

/* A normal number in units of 2^-28. */
static int64_t normal(skedi_random *random)
{
    for (int i = 0; i < POLAR_DRAWS; i++) {
        uint64_t bits = skedi_random_next(random), rem;
        int64_t a = (int64_t)(bits >> 32) - ((int64_t)1 << 31);
        int64_t b = (int64_t)(bits & UINT32_MAX) - ((int64_t)1 << 31);
        uint64_t square = (uint64_t)(a * a);
        uint64_t s = square + (uint64_t)(b * b);
        if (s == 0 || s > (uint64_t)1 << 62) continue;
        uint64_t part = skedi_muldiv(square, (uint64_t)1 << 30, s, &rem);
        /* part * -2 ln(s), 30 and 26 places */
        int64_t root = skedi_chance_root(part * (minus_ln(s, 62) >> 5));
        return a < 0 ? -root : root;
    }
    return 0; /* of a host whose numbers are not random */
}

int64_t skedi_chance_factor(skedi_random *random, int64_t noise_ppm)
{
    uint64_t rem, s = (uint64_t)noise_ppm;
    uint64_t whole = (uint64_t)SKED_PPM * (uint64_t)SKED_PPM;
    int64_t drift = (int64_t)skedi_muldiv(s * s, (uint64_t)1 << 27, whole,
                                          &rem);
    int64_t x = normal(random) * noise_ppm / SKED_PPM - drift; /* 28 places */
    const int64_t most = (int64_t)LARGEST_POWER << 32;
    int64_t power = (int64_t)skedi_u128_low(
        skedi_u128_shr(skedi_u128_mul((uint64_t)(x < 0 ? -x : x), log2_e), 28));

    power = skedi_i64_min(power, most);
    uint64_t below = (uint64_t)(x < 0 ? most + power : most - power);
    skedi_decay decay = {.halvings = below >> 32, .fraction = (uint32_t)below};
    uint64_t scaled = skedi_decay_of(decay, (uint64_t)SKED_PPM
                                                << (LARGEST_POWER + 16));
    return (int64_t)((scaled + ((uint64_t)1 << 15)) >> 16);
}
