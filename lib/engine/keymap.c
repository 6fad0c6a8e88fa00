/* Open addressing, at most three quarters full; removal moves later numbers
 * back. */
#include "engine/keymap.h"

#include <string.h>

void skedi_keymap_start(skedi_keymap *map, void *const *items, size_t size,
                        size_t at)
{
    *map = (skedi_keymap){.items = items, .size = size, .at = at};
}

static size_t keymap_home(const skedi_keymap *map, uint64_t key)
{
    uint64_t x = key;

    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    x ^= x >> 32;
    return (size_t)x & (map->cap - 1);
}

/* The key of the number in a slot that is taken. */
static uint64_t slot_key(const skedi_keymap *map, size_t slot)
{
    const char *items = *map->items;
    uint64_t key;

    memcpy(&key, items + (map->slot[slot] - 1) * map->size + map->at,
           sizeof key);
    return key;
}

/* Where the key is, or the free slot where it would go. */
static size_t keymap_slot(const skedi_keymap *map, uint64_t key)
{
    size_t at = keymap_home(map, key);

    while (map->slot[at] && slot_key(map, at) != key) {
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
        next.slot[keymap_slot(&next, slot_key(map, i))] = map->slot[i];
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
    return map->slot[keymap_slot(map, key)] - 1;
}

void skedi_keymap_put(skedi_keymap *map, uint64_t key, uint32_t number)
{
    map->slot[keymap_slot(map, key)] = number + 1;
    map->n++;
}

void skedi_keymap_remove(skedi_keymap *map, uint64_t key)
{
    size_t mask = map->cap - 1, hole = keymap_slot(map, key), at = hole;

    map->n--;
    for (;;) {
        map->slot[hole] = 0;
        do {
            at = (at + 1) & mask;
            if (!map->slot[at]) return;
            /* May it not move: its home lies behind the hole, up to itself. */
        } while (((at - keymap_home(map, slot_key(map, at))) & mask) <
                 ((at - hole) & mask));
        map->slot[hole] = map->slot[at];
        hole = at;
    }
}
