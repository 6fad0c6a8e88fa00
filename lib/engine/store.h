#ifndef SKEDI_ENGINE_STORE_H
#define SKEDI_ENGINE_STORE_H

/*
 * Pools of numbered items, rows of amounts beside them, maps from key to item.
 */

#include <sched/engine.h>

#include "base/assert.h"
#include "base/mem.h"

/*
 * The host's 64-bit keys to our numbers. Never iterated. The keys themselves
 * stand in the items that the numbers are of; the map has the numbers alone.
 */

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

/* How things of one kind are stored: by number, some with rows of amounts. */

/* The number of no item. */
#define SKEDI_NONE UINT32_MAX

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

/* Numbered things: reserve first (may fail), take then (cannot). */

void skedi_pool_start(engine_pool *pool, size_t size);
void skedi_pool_free(engine_pool *pool, skedi_mem *mem);

int skedi_pool_grow(engine_pool *pool, skedi_mem *mem, uint64_t more);

/* Memory for `more` further items. 0: no memory. */
static inline int skedi_pool_reserve(engine_pool *pool, skedi_mem *mem,
                                     uint64_t more)
{
    return pool->live + more <= pool->cap || skedi_pool_grow(pool, mem, more);
}

/* In a free item its last 32 bits name the next free one. */
static inline uint32_t *skedi_pool_link(const engine_pool *pool,
                                        uint32_t number)
{
    char *end = (char *)pool->item + ((size_t)number + 1) * pool->size;

    return (uint32_t *)(void *)(end - sizeof(uint32_t));
}

/* A number; memory was reserved. The taker writes the whole item. */
static inline uint32_t skedi_pool_take(engine_pool *pool)
{
    SKEDI_ASSERT(pool->live < pool->cap);
    uint32_t number = pool->free;

    pool->live++;
    if (number == SKEDI_NONE) return pool->n++;
    pool->free = *skedi_pool_link(pool, number);
    return number;
}

/* Zeroes the item but for its last 32 bits, which says that it is free. */
void skedi_pool_give(engine_pool *pool, uint32_t number);

/* Memory for the amounts of every number of a pool. 0: no memory. */
int skedi_amounts_reserve(sked_engine *e, engine_amounts *amounts,
                          const engine_pool *pool);
void skedi_amounts_free(sked_engine *e, engine_amounts *amounts);

#endif
