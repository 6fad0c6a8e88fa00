#ifndef SKEDI_KEYMAP_H
#define SKEDI_KEYMAP_H

/* The host's 64-bit keys to our numbers. Never iterated. */

#include "base/mem.h"

typedef struct skedi_keymap {
    uint64_t *key; /* 0: free */
    uint32_t *number;
    size_t cap; /* a power of two, or 0 */
    size_t n;
} skedi_keymap;

/* Makes room so that one more key cannot fail. 0: no memory. */
int skedi_keymap_reserve(skedi_keymap *map, skedi_mem *mem, size_t keys);
void skedi_keymap_free(skedi_keymap *map, skedi_mem *mem);

/* The number of a key, or UINT32_MAX. */
uint32_t skedi_keymap_get(const skedi_keymap *map, uint64_t key);

/* `key` is not 0, not there yet, and room was reserved. */
void skedi_keymap_put(skedi_keymap *map, uint64_t key, uint32_t number);
void skedi_keymap_remove(skedi_keymap *map, uint64_t key);

#endif
