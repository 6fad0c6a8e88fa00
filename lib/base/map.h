#ifndef SKEDI_MAP_H
#define SKEDI_MAP_H

#include "base/mem.h"

/* A name in a scope, for example the children of a parent. A flat map uses
 * scope 0. */
typedef struct skedi_key {
    uint64_t scope;
    const char *bytes;
    size_t length;
} skedi_key;

/* Is `key` the key of the item numbered `value`? */
typedef int (*skedi_key_is)(const void *ctx, uint32_t value,
                            const skedi_key *key);

typedef struct skedi_map_slot {
    uint32_t hash;
    uint32_t value; /* plus 1; 0: empty */
} skedi_map_slot;

/*
 * A hash map from keys to numbers below 2^32 - 1: open addressing with a seed,
 * at most three quarters full. The map stores no keys; the caller compares keys
 * through `is`. No function iterates the map, hence no result depends on the
 * seed or the order. A map starts as all zeros, except `seed`, `is` and `ctx`.
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
 * Reserves memory for `n` keys in all; adding up to `n` keys then cannot fail.
 * Returns 0 without memory; the map is then unchanged. Compares no keys. O(cap)
 * if the map grows.
 */
int skedi_map_reserve(skedi_map *map, size_t n, skedi_mem *mem);
void skedi_map_free(skedi_map *map, skedi_mem *mem);

/* The number of `key`, or SKEDI_MAP_NONE. O(1) expected. */
uint32_t skedi_map_find(const skedi_map *map, skedi_key key);

/* Adds an absent key. The caller has reserved the memory. */
void skedi_map_add(skedi_map *map, skedi_key key, uint32_t value);

/* Removes a key, if present. During the call, `is` must still know the key. */
void skedi_map_remove(skedi_map *map, skedi_key key);

/* Removes every key and keeps the memory. */
void skedi_map_clear(skedi_map *map);

#endif
