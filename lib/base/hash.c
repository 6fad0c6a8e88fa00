/*
 * XXH64 as its specification has it: four lanes over stripes of 32 bytes, a
 * tail of 8, 4 and 1 byte steps, and a final mixing. Bytes are assembled by
 * shifting, so alignment and byte order do not matter.
 */
#include "base/hash.h"

#include <string.h>

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

static void stripe(uint64_t lane[4], const unsigned char *p)
{
    for (int i = 0; i < 4; i++) lane[i] = mixed(lane[i], word64(p + 8 * i));
}

/* So many words, a multiple of four: the lanes do not wait for each other. */
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

void skedi_hash_bytes(skedi_hash *hash, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    size_t held = hash->total % 32;

    hash->total += n;
    if (held + n >= 32 && held > 0) {
        memcpy(hash->held + held, p, 32 - held);
        stripe(hash->lane, hash->held);
        p += 32 - held;
        n -= 32 - held;
        held = 0;
    }
    for (; n >= 32; n -= 32, p += 32) stripe(hash->lane, p);
    if (n > 0) memcpy(hash->held + held, p, n);
}

static void put32(unsigned char *p, uint32_t x)
{
    p[0] = (unsigned char)x;
    p[1] = (unsigned char)(x >> 8);
    p[2] = (unsigned char)(x >> 16);
    p[3] = (unsigned char)(x >> 24);
}

static void put64(unsigned char *p, uint64_t x)
{
    put32(p, (uint32_t)x);
    put32(p + 4, (uint32_t)(x >> 32));
}

void skedi_hash_u32(skedi_hash *hash, uint32_t x)
{
    unsigned char bytes[4];

    put32(bytes, x);
    skedi_hash_bytes(hash, bytes, sizeof bytes);
}

void skedi_hash_u64(skedi_hash *hash, uint64_t x)
{
    unsigned char bytes[8];

    put64(bytes, x);
    skedi_hash_bytes(hash, bytes, sizeof bytes);
}

/* A word behind whole words that do not make a stripe yet. */
static void hold_word(skedi_hash *hash, uint64_t word)
{
    size_t held = hash->total % 32;

    put64(hash->held + held, word);
    hash->total += 8;
    if (held == 24) stripe(hash->lane, hash->held);
}

void skedi_hash_words(skedi_hash *hash, const uint64_t *words, size_t n)
{
    size_t i = 0;

    if (hash->total % 8) {
        for (; i < n; i++) skedi_hash_u64(hash, words[i]);
        return;
    }
    for (; i < n && hash->total % 32; i++) hold_word(hash, words[i]);
    size_t whole = (n - i) / 4 * 4; /* stripes that need no bytes */
    word_stripes(hash->lane, words + i, whole);
    hash->total += whole * 8;
    for (i += whole; i < n; i++) hold_word(hash, words[i]);
}

/* The lanes as one word; short input never reached them. */
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

static uint64_t with_tail(uint64_t x, const unsigned char *p, size_t n)
{
    for (; n >= 8; n -= 8, p += 8) {
        x = skedi_rotate64(x ^ mixed(0, word64(p)), 27) * XXH_PRIME_1 +
            XXH_PRIME_4;
    }
    if (n >= 4) {
        x = skedi_rotate64(x ^ word32(p) * XXH_PRIME_1, 23) * XXH_PRIME_2 +
            XXH_PRIME_3;
        n -= 4;
        p += 4;
    }
    for (; n > 0; n--, p++)
        x = skedi_rotate64(x ^ *p * XXH_PRIME_5, 11) * XXH_PRIME_1;
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
