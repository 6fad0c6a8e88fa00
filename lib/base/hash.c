/*
 * XXH64 as specified: four lanes over stripes of 32 bytes, a tail in steps of
 * 8, 4 and 1 bytes, and a final mix. Words are assembled from bytes by shifts,
 * hence alignment and byte order do not matter. An incomplete stripe is held as
 * words, because records consist of words.
 */
#include "base/hash.h"

#include "base/bits.h"

#define XXH_PRIME_1 UINT64_C(0x9e3779b185ebca87)
#define XXH_PRIME_2 UINT64_C(0xc2b2ae3d27d4eb4f)
#define XXH_PRIME_3 UINT64_C(0x165667b19e3779f9)
#define XXH_PRIME_4 UINT64_C(0x85ebca77c2b2ae63)
#define XXH_PRIME_5 UINT64_C(0x27d4eb2f165667c5)

static uint64_t word32(const unsigned char *p)
{
    return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 |
           (uint64_t)p[3] << 24;
}

static uint64_t word64(const unsigned char *p)
{
    return word32(p) | word32(p + 4) << 32;
}

static uint64_t mixed(uint64_t lane, uint64_t word)
{
    return skedi_rotate64(lane + word * XXH_PRIME_2, 31) * XXH_PRIME_1;
}

/* Mixes `n` words into the lanes; `n` is a multiple of four. The four lanes do
 * not depend on each other and can run in parallel. */
static void word_stripes(uint64_t lane[4], const uint64_t *words, size_t n)
{
    uint64_t a = lane[0], b = lane[1], c = lane[2], d = lane[3];

    for (size_t i = 0; i < n; i += 4) {
        a = mixed(a, words[i]);
        b = mixed(b, words[i + 1]);
        c = mixed(c, words[i + 2]);
        d = mixed(d, words[i + 3]);
    }
    lane[0] = a;
    lane[1] = b;
    lane[2] = c;
    lane[3] = d;
}

void skedi_hash_start(skedi_hash *hash, uint64_t seed)
{
    *hash = (skedi_hash){
        .lane = {seed + XXH_PRIME_1 + XXH_PRIME_2, seed + XXH_PRIME_2, seed,
                 seed - XXH_PRIME_1},
        .seed = seed,
    };
}

/* Adds the next `bytes` bytes, given as the number `x`. The bytes lie within a
 * single word. */
static void hold(skedi_hash *hash, uint64_t x, unsigned bytes)
{
    uint64_t *word = &hash->held[hash->total % 32 / 8];
    unsigned at = hash->total % 8;

    *word = at ? *word | x << 8 * at : x;
    hash->total += bytes;
    if (hash->total % 32 == 0) word_stripes(hash->lane, hash->held, 4);
}

static void hold_bytes(skedi_hash *hash, uint64_t x, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) hold(hash, x >> 8 * i & 0xff, 1);
}

void skedi_hash_bytes(skedi_hash *hash, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;

    for (; n > 0 && hash->total % 8; n--) hold(hash, *p++, 1);
    for (; n >= 8; n -= 8, p += 8) hold(hash, word64(p), 8);
    for (; n > 0; n--) hold(hash, *p++, 1);
}

void skedi_hash_u32(skedi_hash *hash, uint32_t x)
{
    if (hash->total % 4) {
        hold_bytes(hash, x, 4);
    } else {
        hold(hash, x, 4);
    }
}

void skedi_hash_u64(skedi_hash *hash, uint64_t x)
{
    if (hash->total % 8) {
        hold_bytes(hash, x, 8);
    } else {
        hold(hash, x, 8);
    }
}

void skedi_hash_words(skedi_hash *hash, const uint64_t *words, size_t n)
{
    size_t i = 0, held = hash->total % 32 / 8;

    if (hash->total % 8) {
        for (; i < n; i++) skedi_hash_u64(hash, words[i]);
        return;
    }
    hash->total += n * 8;
    if (held > 0) {
        while (held < 4 && i < n) hash->held[held++] = words[i++];
        if (held < 4) return;
        word_stripes(hash->lane, hash->held, 4);
    }
    size_t whole = (n - i) / 4 * 4;
    word_stripes(hash->lane, words + i, whole);
    i += whole;
    for (held = 0; i < n; held++) hash->held[held] = words[i++];
}

/* Joins the lanes into a word. An input below 32 bytes never reached the
 * lanes. */
static uint64_t joined(const skedi_hash *hash)
{
    static const unsigned turn[4] = {1, 7, 12, 18};
    uint64_t x = 0;

    if (hash->total < 32) return hash->seed + XXH_PRIME_5;
    for (int i = 0; i < 4; i++) x += skedi_rotate64(hash->lane[i], turn[i]);
    for (int i = 0; i < 4; i++) {
        x = (x ^ mixed(0, hash->lane[i])) * XXH_PRIME_1 + XXH_PRIME_4;
    }
    return x;
}

/* Mixes in the last `n` bytes of `held`: by eight, by four and by single
 * bytes. */
static uint64_t with_tail(uint64_t x, const uint64_t *held, size_t n)
{
    for (; n >= 8; n -= 8) {
        x = skedi_rotate64(x ^ mixed(0, *held++), 27) * XXH_PRIME_1 +
            XXH_PRIME_4;
    }
    uint64_t rest = n > 0 ? *held : 0;
    if (n >= 4) {
        x = skedi_rotate64(x ^ (uint32_t)rest * XXH_PRIME_1, 23) * XXH_PRIME_2 +
            XXH_PRIME_3;
        n -= 4;
        rest >>= 32;
    }
    for (; n > 0; n--, rest >>= 8) {
        x = skedi_rotate64(x ^ (rest & 0xff) * XXH_PRIME_5, 11) * XXH_PRIME_1;
    }
    return x;
}

uint64_t skedi_hash_end(const skedi_hash *hash)
{
    uint64_t x = joined(hash) + hash->total;

    x = with_tail(x, hash->held, hash->total % 32);
    x = (x ^ x >> 33) * XXH_PRIME_2;
    x = (x ^ x >> 29) * XXH_PRIME_3;
    return x ^ x >> 32;
}

uint64_t skedi_hash_of(const void *bytes, size_t n, uint64_t seed)
{
    skedi_hash hash;

    skedi_hash_start(&hash, seed);
    skedi_hash_bytes(&hash, bytes, n);
    return skedi_hash_end(&hash);
}
