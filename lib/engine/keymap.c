/* Open addressing, at most half full; removal moves later keys back. */
#include "engine/keymap.h"

static size_t keymap_home(const skedi_keymap *map, uint64_t key)
{
    uint64_t x = key;

    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    x ^= x >> 32;
    return (size_t)x & (map->cap - 1);
}

/* Where the key is, or the free slot where it would go. */
static size_t keymap_slot(const skedi_keymap *map, uint64_t key)
{
    size_t at = keymap_home(map, key);

    while (map->key[at] != 0 && map->key[at] != key) {
        at = (at + 1) & (map->cap - 1);
    }
    return at;
}

int skedi_keymap_reserve(skedi_keymap *map, skedi_mem *mem, size_t keys)
{
    skedi_keymap next = {.cap = map->cap ? map->cap : 16};

    if (map->cap >= keys * 2) return 1;
    while (next.cap < keys * 2) next.cap *= 2;
    next.key = skedi_new(mem, next.cap, sizeof *next.key);
    next.number = skedi_new(mem, next.cap, sizeof *next.number);
    if (!next.key || !next.number) {
        skedi_keymap_free(&next, mem);
        return 0;
    }
    for (size_t i = 0; i < map->cap; i++) {
        if (map->key[i]) skedi_keymap_put(&next, map->key[i], map->number[i]);
    }
    skedi_keymap_free(map, mem);
    *map = next;
    return 1;
}

void skedi_keymap_free(skedi_keymap *map, skedi_mem *mem)
{
    skedi_free(mem, map->key, map->cap, sizeof *map->key);
    skedi_free(mem, map->number, map->cap, sizeof *map->number);
    *map = (skedi_keymap){0};
}

uint32_t skedi_keymap_get(const skedi_keymap *map, uint64_t key)
{
    if (!map->cap || !key) return UINT32_MAX;
    size_t at = keymap_slot(map, key);
    return map->key[at] ? map->number[at] : UINT32_MAX;
}

void skedi_keymap_put(skedi_keymap *map, uint64_t key, uint32_t number)
{
    size_t at = keymap_slot(map, key);

    map->key[at] = key;
    map->number[at] = number;
    map->n++;
}

void skedi_keymap_remove(skedi_keymap *map, uint64_t key)
{
    size_t mask = map->cap - 1, hole = keymap_slot(map, key), at = hole;

    map->n--;
    for (;;) {
        map->key[hole] = 0;
        do {
            at = (at + 1) & mask;
            if (!map->key[at]) return;
            /* May it not move: its home lies behind the hole, up to itself. */
        } while (((at - keymap_home(map, map->key[at])) & mask) <
                 ((at - hole) & mask));
        map->key[hole] = map->key[at];
        map->number[hole] = map->number[at];
        hole = at;
    }
}
