/*
 * How an engine stores numbered things: pools of items with a chain of free
 * slots, and maps from a host's keys to the numbers of items.
 */
#include <string.h>

#include "base/assert.h"
#include "engine/state.h"
#include "engine/store.h"

/* Open addressing, at most three quarters full; removal moves later numbers
 * back. */

void skedi_keymap_start(skedi_keymap *map, void *const *items, size_t size,
                        size_t at)
{
    *map = (skedi_keymap){.items = items, .size = size, .at = at};
}

static size_t store_keymap_home(const skedi_keymap *map, uint64_t key)
{
    uint64_t x = key;

    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    x ^= x >> 32;
    return (size_t)x & (map->cap - 1);
}

/* The key of the number in a slot that is taken. */
static uint64_t store_slot_key(const skedi_keymap *map, size_t slot)
{
    const char *items = *map->items;
    uint64_t key;

    memcpy(&key, items + (map->slot[slot] - 1) * map->size + map->at,
           sizeof key);
    return key;
}

/* Where the key is, or the free slot where it would go. */
static size_t store_keymap_slot(const skedi_keymap *map, uint64_t key)
{
    size_t at = store_keymap_home(map, key);

    while (map->slot[at] && store_slot_key(map, at) != key) {
        at = (at + 1) & (map->cap - 1);
    }
    return at;
}

int skedi_keymap_reserve(skedi_keymap *map, skedi_mem *mem, size_t keys)
{
    skedi_keymap next = *map;

    if (map->cap / 4 * 3 >= keys) return 1;
    if (!next.cap) next.cap = 16;
    while (next.cap / 4 * 3 < keys) next.cap *= 2;
    next.slot = skedi_new(mem, next.cap, sizeof *next.slot);
    if (!next.slot) return 0;
    for (size_t i = 0; i < map->cap; i++) {
        if (!map->slot[i]) continue;
        next.slot[store_keymap_slot(&next, store_slot_key(map, i))] =
            map->slot[i];
    }
    skedi_free(mem, map->slot, map->cap, sizeof *map->slot);
    *map = next;
    return 1;
}

void skedi_keymap_free(skedi_keymap *map, skedi_mem *mem)
{
    skedi_free(mem, map->slot, map->cap, sizeof *map->slot);
    map->slot = NULL;
    map->cap = map->n = 0;
}

uint32_t skedi_keymap_get(const skedi_keymap *map, uint64_t key)
{
    if (!map->cap) return UINT32_MAX;
    return map->slot[store_keymap_slot(map, key)] - 1;
}

void skedi_keymap_put(skedi_keymap *map, uint64_t key, uint32_t number)
{
    SKEDI_ASSERT(map->n < map->cap / 4 * 3);
    map->slot[store_keymap_slot(map, key)] = number + 1;
    map->n++;
}

void skedi_keymap_remove(skedi_keymap *map, uint64_t key)
{
    SKEDI_ASSERT(map->n > 0);
    size_t mask = map->cap - 1, hole = store_keymap_slot(map, key), at = hole;

    map->n--;
    for (;;) {
        map->slot[hole] = 0;
        do {
            at = (at + 1) & mask;
            if (!map->slot[at]) return;
            /* May it not move: its home lies behind the hole, up to itself. */
        } while (((at - store_keymap_home(map, store_slot_key(map, at))) &
                  mask) < ((at - hole) & mask));
        map->slot[hole] = map->slot[at];
        hole = at;
    }
}

/* Free items form a chain, last freed first: the same everywhere. */

void skedi_pool_start(engine_pool *pool, size_t size)
{
    *pool = (engine_pool){.free = SKEDI_NONE, .size = (uint32_t)size};
}

void skedi_pool_free(engine_pool *pool, skedi_mem *mem)
{
    skedi_free(mem, pool->item, pool->cap, pool->size);
    skedi_pool_start(pool, pool->size);
}

int skedi_pool_grow(engine_pool *pool, skedi_mem *mem, uint64_t more)
{
    uint64_t want = pool->live + more;
    uint64_t wide = pool->cap + pool->cap / (pool->cap < 1024 ? 2 : 8) + 8;

    if (want >= SKEDI_NONE) return 0; /* numbers would run out */
    if (wide < want) wide = want;
    void *item = skedi_grow(mem, pool->item, pool->cap, (size_t)wide,
                            pool->size);
    if (!item) return 0;
    pool->item = item;
    pool->cap = (size_t)wide;
    return 1;
}

void skedi_pool_give(engine_pool *pool, uint32_t number)
{
    SKEDI_ASSERT(number < pool->n && pool->live > 0);
    memset((char *)pool->item + (size_t)number * pool->size, 0, pool->size);
    *skedi_pool_link(pool, number) = pool->free;
    pool->free = number;
    pool->live--;
}

int skedi_amounts_reserve(sked_engine *e, engine_amounts *amounts,
                          const engine_pool *pool)
{
    if (amounts->cap >= pool->cap) return 1;
    int64_t *at = skedi_grow(&e->hooks.mem, amounts->at,
                             amounts->cap * e->kinds, pool->cap * e->kinds,
                             sizeof *at);
    if (!at) return 0;
    amounts->at = at;
    amounts->cap = pool->cap;
    return 1;
}

void skedi_amounts_free(sked_engine *e, engine_amounts *amounts)
{
    skedi_free(&e->hooks.mem, amounts->at, amounts->cap * e->kinds,
               sizeof *amounts->at);
    *amounts = (engine_amounts){0};
}
