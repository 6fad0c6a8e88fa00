/* The ring buffer of changed rows: entry i is at index i modulo `cap`. */
#include "tree/changes.h"

#include "base/bits.h"

enum { RING_LEAST = 256, RING_MOST = 65536 };

int skedi_changes_reserve(skedi_changes *changes, skedi_mem *mem, size_t n)
{
    size_t cap = n < RING_LEAST ? RING_LEAST : n;

    cap = cap > RING_MOST ? RING_MOST : (size_t)skedi_ceil_pow2(cap);
    if (cap <= changes->cap) return 1;
    skedi_change *ring = skedi_new(mem, cap, sizeof *ring);
    if (!ring) return 0;

    uint64_t kept = changes->n < changes->cap ? changes->n : changes->cap;
    for (uint64_t i = changes->n - kept; i < changes->n; i++) {
        ring[i & (cap - 1)] = changes->ring[i & (changes->cap - 1)];
    }
    skedi_free(mem, changes->ring, changes->cap, sizeof *ring);
    changes->ring = ring;
    changes->cap = cap;
    return 1;
}

void skedi_changes_start(skedi_changes *changes, uint64_t version)
{
    changes->n = 0;
    changes->from = version;
}

void skedi_changes_add(skedi_changes *changes, uint64_t version, uint64_t was,
                       uint32_t row)
{
    skedi_change *at = &changes->ring[changes->n & (changes->cap - 1)];
    if (changes->n >= changes->cap) changes->from = at->version;
    *at = (skedi_change){.version = version, .was = was, .row = row};
    changes->n++;
}

/* The first change after `version` that the ring still holds; `n`: none. */
static uint64_t first_after(const skedi_changes *changes, uint64_t version)
{
    uint64_t mask = changes->cap - 1;
    uint64_t first = changes->n;
    uint64_t oldest = first > changes->cap ? first - changes->cap : 0;

    while (first > oldest &&
           changes->ring[(first - 1) & mask].version > version) {
        first--;
    }
    return first;
}

int skedi_changes_follow(const skedi_changes *changes, uint64_t version,
                         uint64_t key)
{
    uint64_t first = first_after(changes, version);

    return first < changes->n &&
           changes->ring[first & (changes->cap - 1)].was == key;
}

int skedi_changes_since(const skedi_changes *changes, uint64_t version,
                        uint32_t *rows, size_t cap, size_t *n)
{
    uint64_t mask = changes->cap - 1;

    *n = 0;
    if (version < changes->from) return 0;
    uint64_t first = first_after(changes, version);
    if (changes->n - first > cap) return 0;
    for (uint64_t i = first; i < changes->n; i++) {
        uint32_t row = changes->ring[i & mask].row;
        if (row != SKEDI_CHANGES_NO_ROW) rows[(*n)++] = row;
    }
    return 1;
}

void skedi_changes_free(skedi_changes *changes, skedi_mem *mem)
{
    skedi_free(mem, changes->ring, changes->cap, sizeof *changes->ring);
    *changes = (skedi_changes){0};
}
