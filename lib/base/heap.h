#ifndef SKEDI_HEAP_H
#define SKEDI_HEAP_H

#include "base/mem.h"

typedef struct skedi_heap_item {
    uint64_t key;
    uint32_t id;
    uint32_t unused;
} skedi_heap_item;

/*
 * Ids with keys, the least (key, id) on top: a 4-ary heap that knows where
 * each id stands, so that a key may be changed and an id taken out. Start from
 * all zeros. Signed keys go in through skedi_key_signed() (sort.h).
 */
typedef struct skedi_heap {
    skedi_heap_item *item;
    uint32_t *place; /* of each id in `item`, plus 1; 0: not in */
    size_t n;
    size_t ids; /* capacity: ids are below this */
} skedi_heap;

/* Memory for ids below `ids`. 0 when there is no memory: nothing changed. */
int skedi_heap_reserve(skedi_heap *heap, size_t ids, skedi_mem *mem);
void skedi_heap_free(skedi_heap *heap, skedi_mem *mem);

/* The rest never allocates; `id` must be below heap->ids. O(log n). */

/* Puts `id` in with `key`, or changes its key. */
void skedi_heap_set(skedi_heap *heap, uint32_t id, uint64_t key);

/* Takes `id` out, if it is in. */
void skedi_heap_remove(skedi_heap *heap, uint32_t id);

/* Takes every id out. O(n). */
void skedi_heap_clear(skedi_heap *heap);

static inline int skedi_heap_has(const skedi_heap *heap, uint32_t id)
{
    return heap->place[id] != 0;
}

/* The key of an id that is in. */
static inline uint64_t skedi_heap_key(const skedi_heap *heap, uint32_t id)
{
    return heap->item[heap->place[id] - 1].key;
}

/* The least (key, id), or NULL when nothing is in. */
static inline const skedi_heap_item *skedi_heap_top(const skedi_heap *heap)
{
    return heap->n > 0 ? heap->item : NULL;
}

/* Is every parent before its children, and every place right? For tests. */
int skedi_heap_is_sound(const skedi_heap *heap);

#endif
