#ifndef SKEDI_KEYMAP_H
#define SKEDI_KEYMAP_H

/*
 * The host's 64-bit keys to our numbers. Never iterated. The keys themselves
 * stand in the items that the numbers are of; the map has the numbers alone.
 */

#include "base/mem.h"

typedef struct skedi_keymap {
    uint32_t *slot; /* a number and 1; 0: free */
    size_t cap;     /* a power of two, or 0 */
    size_t n;
    void *const *items; /* where the array of items stands now */
    size_t size;        /* of an item */
    size_t at;          /* of the key in it */
} skedi_keymap;

/* An empty map of the keys of items. */
void skedi_keymap_start(skedi_keymap *map, void *const *items, size_t size,
                        size_t at);

/* Reserves memory so that one more key cannot fail. 0: no memory. */
int skedi_keymap_reserve(skedi_keymap *map, skedi_mem *mem, size_t keys);
void skedi_keymap_free(skedi_keymap *map, skedi_mem *mem);

/* The number of a key, or UINT32_MAX. */
uint32_t skedi_keymap_get(const skedi_keymap *map, uint64_t key);

/* `key` is not there yet but in its item, and memory was reserved. */
void skedi_keymap_put(skedi_keymap *map, uint64_t key, uint32_t number);

/* The item still has the key. */
void skedi_keymap_remove(skedi_keymap *map, uint64_t key);

#endif
