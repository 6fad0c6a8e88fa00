/* xoshiro256** and splitmix64, as published by Blackman and Vigna. */
#include "base/random.h"

#include "base/arith.h"

uint64_t skedi_random_split(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

void skedi_random_seed(skedi_random *random, uint64_t seed,
                       const sked_host *host)
{
    for (int i = 0; i < 4; i++) random->s[i] = skedi_random_split(&seed);
    random->hook = host ? host->random : NULL;
    random->user = host ? host->user : NULL;
}

uint64_t skedi_random_next(skedi_random *random)
{
    uint64_t *s = random->s;

    if (random->hook) return random->hook(random->user);
    uint64_t out = skedi_rotate64(s[1] * 5, 7) * 9;
    uint64_t moved = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= moved;
    s[3] = skedi_rotate64(s[3], 45);
    return out;
}

uint64_t skedi_random_below(skedi_random *random, uint64_t n)
{
    uint64_t unfair = (0 - n) % n; /* 2^64 mod n low words are too many */
    skedi_u128 x = skedi_u128_mul(skedi_random_next(random), n);

    for (int i = 1; i < 64 && skedi_u128_low(x) < unfair; i++) {
        x = skedi_u128_mul(skedi_random_next(random), n);
    }
    return skedi_u128_high(x);
}
