#ifndef SKEDI_HEAP_H
#define SKEDI_HEAP_H

#include "base/mem.h"

typedef struct skedi_heap_item {
    uint64_t key;
    uint32_t id;
    uint32_t unused;
} skedi_heap_item;

/*
 * An indexed 4-ary heap of ids with keys; the least (key, id) is on top. The
 * heap knows the position of each id, hence a key can change and an id can be
 * removed. A heap starts as all zeros. Signed keys are converted by
 * skedi_key_signed() (sort.h).
 */
typedef struct skedi_heap {
    skedi_heap_item *item;
    uint32_t *place; /* index of each id in `item`, plus 1; 0: absent */
    size_t n;
    size_t ids; /* capacity: ids are below this */
} skedi_heap;

/* Reserves memory for ids below `ids`. Returns 0 without memory; the heap is
 * then unchanged. */
int skedi_heap_reserve(skedi_heap *heap, size_t ids, skedi_mem *mem);
void skedi_heap_free(skedi_heap *heap, skedi_mem *mem);

/* The functions below never allocate. `id` is below heap->ids. Cost: O(log
 * n). */

/* Inserts `id` with `key`, or changes the key of `id`. */
void skedi_heap_set(skedi_heap *heap, uint32_t id, uint64_t key);

/* Removes `id`, if present. */
void skedi_heap_remove(skedi_heap *heap, uint32_t id);

/* Removes every id. O(n). */
void skedi_heap_clear(skedi_heap *heap);

static inline int skedi_heap_has(const skedi_heap *heap, uint32_t id)
{
    return heap->place[id] != 0;
}

/* The key of an id in the heap. */
static inline uint64_t skedi_heap_key(const skedi_heap *heap, uint32_t id)
{
    return heap->item[heap->place[id] - 1].key;
}

/* The item with the least (key, id), or NULL if the heap is empty. */
static inline const skedi_heap_item *skedi_heap_top(const skedi_heap *heap)
{
    return heap->n > 0 ? heap->item : NULL;
}

/* For tests: is every parent before its children, and is every place right? */
int skedi_heap_is_sound(const skedi_heap *heap);

#endif
