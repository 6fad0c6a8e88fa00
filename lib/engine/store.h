#ifndef SKEDI_ENGINE_STORE_H
#define SKEDI_ENGINE_STORE_H

/* How things of one kind are stored: by number, some with rows of amounts. */

#include "engine/keymap.h"

/* A pool: numbered items in an array, the free ones in a chain through their
 * last 32 bits, which may not be what says that an item is free. */
typedef struct engine_pool {
    void *item;
    size_t cap;
    uint32_t n;    /* numbers ever used */
    uint32_t free; /* the first free one of these, or SKEDI_NONE */
    uint32_t live;
    uint32_t size; /* bytes of an item */
} engine_pool;

/* Amounts of numbered things, row after row. */
typedef struct engine_amounts {
    int64_t *at;
    size_t cap; /* rows */
} engine_amounts;

#endif
