/* Wide arithmetic: the native type and the pairs must agree to the bit. */
#include "hash.h"

#include "base/arith.h"

/* Small, medium and full words, so that carries and zeros both happen. */
static uint64_t word(uint64_t *state)
{
    uint64_t bits = hash_below(state, 65);
    uint64_t x = hash_random(state);

    return bits == 0 ? 0 : x >> (64 - bits);
}

static uint64_t add_wide(uint64_t h, skedi_u128 x)
{
    return hash_add(hash_add(h, skedi_u128_high(x)), skedi_u128_low(x));
}

static uint64_t add_unsigned(uint64_t h, uint64_t *state)
{
    uint64_t a = word(state);
    uint64_t b = word(state);
    uint64_t c = word(state) | 1;
    unsigned by = (unsigned)hash_below(state, 128);
    uint64_t rest;
    skedi_u128 x = skedi_u128_make(a, c);
    skedi_u128 y = skedi_u128_mul(a, b);

    h = add_wide(h, y);
    h = add_wide(h, skedi_u128_scale(x, b));
    h = add_wide(h, skedi_u128_add(x, y));
    h = add_wide(h, skedi_u128_sub(x, y));
    h = add_wide(h, skedi_u128_shl(x, by));
    h = add_wide(h, skedi_u128_shr(x, by));
    h = add_wide(h, skedi_u128_div(y, c, &rest));
    h = hash_add(h, rest);
    return hash_add(h, (uint64_t)(skedi_u128_cmp(x, y) + 1));
}

static uint64_t add_signed(uint64_t h, uint64_t *state)
{
    int64_t a = (int64_t)(word(state) >> 2);
    int64_t b = (int64_t)(word(state) >> 2);
    skedi_i128 x = skedi_i128_of(-a);
    skedi_i128 y = skedi_i128_scale(x, b >> 32);

    h = hash_add(h, (uint64_t)skedi_i128_low(skedi_i128_add(x, y)));
    h = hash_add(h, (uint64_t)skedi_i128_low(skedi_i128_sub(x, y)));
    return hash_add(h, (uint64_t)(skedi_i128_cmp(x, y) + 1));
}

uint64_t hash_arith(unsigned size);

uint64_t hash_arith(unsigned size)
{
    uint64_t state = 1, h = 0;

    for (unsigned i = 0; i < size * 20000; i++) {
        h = add_unsigned(h, &state);
        h = add_signed(h, &state);
    }
    return h;
}
