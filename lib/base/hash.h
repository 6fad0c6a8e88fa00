#ifndef SKEDI_HASH_H
#define SKEDI_HASH_H

#include <stddef.h>
#include <stdint.h>

/*
 * XXH64: a digest of bytes, equal on every machine. Numbers enter in little
 * endian byte order and in their fixed width, hence a record has the same
 * digest everywhere.
 */
typedef struct skedi_hash {
    uint64_t lane[4];
    uint64_t held[4]; /* the last total % 32 bytes, as words */
    uint64_t total;   /* bytes so far */
    uint64_t seed;
} skedi_hash;

void skedi_hash_start(skedi_hash *hash, uint64_t seed);
void skedi_hash_bytes(skedi_hash *hash, const void *bytes, size_t n);
void skedi_hash_u32(skedi_hash *hash, uint32_t x);
void skedi_hash_u64(skedi_hash *hash, uint64_t x);

/* As skedi_hash_u64() for each word; records use this function. O(n). If the
 * total before the call is a multiple of 8 bytes, the only work is the
 * mixing. */
void skedi_hash_words(skedi_hash *hash, const uint64_t *words, size_t n);

/* The digest of the input up to now; more input may follow. */
uint64_t skedi_hash_end(const skedi_hash *hash);

/* The digest of `n` bytes in a single call. */
uint64_t skedi_hash_of(const void *bytes, size_t n, uint64_t seed);

#endif
