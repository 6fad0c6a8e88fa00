#ifndef SKEDI_MAP_H
#define SKEDI_MAP_H

#include "base/mem.h"

/* Names in a scope: the children of one parent, say. A flat map uses scope
 * 0. */
typedef struct skedi_key {
    uint64_t scope;
    const char *bytes;
    size_t length;
} skedi_key;

/* Is `key` that of the thing numbered `value`? */
typedef int (*skedi_key_is)(const void *ctx, uint32_t value,
                            const skedi_key *key);

typedef struct skedi_map_slot {
    uint32_t hash;
    uint32_t value; /* plus 1; 0: empty */
} skedi_map_slot;

/*
 * From keys to numbers below 2^32 - 1. Open addressing with a seed, at most
 * three quarters full. The map holds no key: the caller does, and is asked
 * through `is`. Never iterated, so no answer can depend on seed or order.
 * Start from all zeros, but for `seed`, `is` and `ctx`.
 */
typedef struct skedi_map {
    skedi_map_slot *slot;
    size_t cap; /* a power of two, or 0 */
    size_t n;
    uint64_t seed;
    skedi_key_is is;
    const void *ctx;
} skedi_map;

#define SKEDI_MAP_NONE UINT32_MAX

/*
 * Memory for `n` keys in all, so that adding up to there cannot fail. 0 when
 * there is no memory: nothing changed. Asks for no key. O(cap) if it grows.
 */
int skedi_map_reserve(skedi_map *map, size_t n, skedi_mem *mem);
void skedi_map_free(skedi_map *map, skedi_mem *mem);

/* The number of `key`, or SKEDI_MAP_NONE. O(1) expected. */
uint32_t skedi_map_find(const skedi_map *map, skedi_key key);

/* Adds a key that is not in, for which there is memory. */
void skedi_map_add(skedi_map *map, skedi_key key, uint32_t value);

/* Takes a key out, if it is in. The caller still answers for it meanwhile. */
void skedi_map_remove(skedi_map *map, skedi_key key);

/* Takes every key out and keeps the memory. */
void skedi_map_clear(skedi_map *map);

#endif
