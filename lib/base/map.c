/*
 * A hash map with linear probing. Each slot keeps 32 bits of its key's hash.
 * Growing therefore needs no keys, and a lookup compares few keys. A removal
 * shifts later entries back, hence the table has no tombstones and does not
 * degrade over time.
 */
#include "base/map.h"

#include <string.h>

#include "base/arith.h"
#include "base/hash.h"

static uint32_t hash_key(const skedi_map *map, const skedi_key *key)
{
    uint64_t seed = map->seed ^ key->scope * UINT64_C(0x9e3779b97f4a7c15);

    return (uint32_t)skedi_hash_of(key->bytes, key->length, seed);
}

static size_t next_slot(const skedi_map *map, size_t at)
{
    return (at + 1) & (map->cap - 1);
}

static size_t home_slot(const skedi_map *map, uint32_t hash)
{
    return hash & (map->cap - 1);
}

/* The slot of `key`, or the empty slot for a new entry. */
static size_t seek(const skedi_map *map, const skedi_key *key, uint32_t hash)
{
    size_t at = home_slot(map, hash);

    for (; map->slot[at].value != 0; at = next_slot(map, at)) {
        if (map->slot[at].hash == hash &&
            map->is(map->ctx, map->slot[at].value - 1, key)) {
            break;
        }
    }
    return at;
}

static void settle_slot(skedi_map *map, skedi_map_slot slot)
{
    size_t at = home_slot(map, slot.hash);

    while (map->slot[at].value != 0) at = next_slot(map, at);
    map->slot[at] = slot;
}

int skedi_map_reserve(skedi_map *map, size_t n, skedi_mem *mem)
{
    skedi_map old = *map;

    if (n <= old.cap / 4 * 3) return 1;
    if (n > SIZE_MAX / 4) return 0;
    size_t cap = (size_t)skedi_ceil_pow2(n + n / 3 + 4);
    skedi_map_slot *slot = skedi_new(mem, cap, sizeof *slot);
    if (!slot) return 0;

    map->slot = slot;
    map->cap = cap;
    for (size_t i = 0; i < old.cap; i++) {
        if (old.slot[i].value != 0) settle_slot(map, old.slot[i]);
    }
    skedi_map_free(&old, mem);
    return 1;
}

void skedi_map_free(skedi_map *map, skedi_mem *mem)
{
    skedi_free(mem, map->slot, map->cap, sizeof *map->slot);
    map->slot = NULL;
    map->cap = map->n = 0;
}

uint32_t skedi_map_find(const skedi_map *map, skedi_key key)
{
    if (map->n == 0) return SKEDI_MAP_NONE;
    size_t at = seek(map, &key, hash_key(map, &key));
    return map->slot[at].value - 1; /* an empty slot gives SKEDI_MAP_NONE */
}

void skedi_map_add(skedi_map *map, skedi_key key, uint32_t value)
{
    skedi_map_slot slot = {hash_key(map, &key), value + 1};

    settle_slot(map, slot);
    map->n++;
}

/* Closes the hole at `hole`. Each entry that was displaced past the hole moves
 * into the hole and leaves a new hole. */
static void close_hole(skedi_map *map, size_t hole)
{
    size_t mask = map->cap - 1;

    for (size_t at = next_slot(map, hole); map->slot[at].value != 0;
         at = next_slot(map, at)) {
        size_t pushed = (at - home_slot(map, map->slot[at].hash)) & mask;
        if (pushed >= ((at - hole) & mask)) {
            map->slot[hole] = map->slot[at];
            hole = at;
        }
    }
    map->slot[hole].value = 0;
}

void skedi_map_remove(skedi_map *map, skedi_key key)
{
    if (map->n == 0) return;

    size_t at = seek(map, &key, hash_key(map, &key));
    if (map->slot[at].value == 0) return;
    close_hole(map, at);
    map->n--;
}

void skedi_map_clear(skedi_map *map)
{
    if (map->n > 0) memset(map->slot, 0, map->cap * sizeof *map->slot);
    map->n = 0;
}
