/*
 * An indexed 4-ary heap. The children of index i are at 4i + 1 to 4i + 4. The
 * item of `id` is at index place[id] - 1. Moving a hole, instead of swapping
 * items, halves the writes.
 */
#include "base/heap.h"

#include <string.h>

enum { HEAP_WAYS = 4 };

int skedi_heap_reserve(skedi_heap *heap, size_t ids, skedi_mem *mem)
{
    if (ids <= heap->ids) return 1;

    skedi_heap_item *item = skedi_new(mem, ids, sizeof *item);
    if (!item) return 0;
    uint32_t *place = skedi_grow(mem, heap->place, heap->ids, ids,
                                 sizeof *place);
    if (!place) {
        skedi_free(mem, item, ids, sizeof *item);
        return 0;
    }
    if (heap->n > 0) memcpy(item, heap->item, heap->n * sizeof *item);
    skedi_free(mem, heap->item, heap->ids, sizeof *item);
    heap->item = item;
    heap->place = place;
    heap->ids = ids;
    return 1;
}

void skedi_heap_free(skedi_heap *heap, skedi_mem *mem)
{
    skedi_free(mem, heap->item, heap->ids, sizeof *heap->item);
    skedi_free(mem, heap->place, heap->ids, sizeof *heap->place);
    *heap = (skedi_heap){0};
}

static int is_before(skedi_heap_item a, skedi_heap_item b)
{
    return a.key != b.key ? a.key < b.key : a.id < b.id;
}

static void put_item(skedi_heap *heap, size_t at, skedi_heap_item item)
{
    heap->item[at] = item;
    heap->place[item.id] = (uint32_t)at + 1;
}

/* Fills the hole at `at` with `item` or with parents of a greater key. */
static void rise(skedi_heap *heap, size_t at, skedi_heap_item item)
{
    while (at > 0) {
        size_t up = (at - 1) / HEAP_WAYS;
        if (!is_before(item, heap->item[up])) break;
        put_item(heap, at, heap->item[up]);
        at = up;
    }
    put_item(heap, at, item);
}

static size_t least_child(const skedi_heap *heap, size_t at)
{
    size_t least = HEAP_WAYS * at + 1;
    size_t end = least + HEAP_WAYS < heap->n ? least + HEAP_WAYS : heap->n;

    for (size_t kid = least + 1; kid < end; kid++) {
        if (is_before(heap->item[kid], heap->item[least])) least = kid;
    }
    return least;
}

/* Fills the hole at `at` with `item` or with children of a lesser key. */
static void sink(skedi_heap *heap, size_t at, skedi_heap_item item)
{
    while (HEAP_WAYS * at + 1 < heap->n) {
        size_t kid = least_child(heap, at);
        if (!is_before(heap->item[kid], item)) break;
        put_item(heap, at, heap->item[kid]);
        at = kid;
    }
    put_item(heap, at, item);
}

/* Fills the hole at `at` by moving `item` up or down to its position. */
static void refill(skedi_heap *heap, size_t at, skedi_heap_item item)
{
    size_t up = at > 0 ? (at - 1) / HEAP_WAYS : 0;

    if (at > 0 && is_before(item, heap->item[up])) {
        rise(heap, at, item);
    } else {
        sink(heap, at, item);
    }
}

void skedi_heap_set(skedi_heap *heap, uint32_t id, uint64_t key)
{
    skedi_heap_item item = {key, id, 0};

    if (heap->place[id]) {
        refill(heap, heap->place[id] - 1, item);
    } else {
        rise(heap, heap->n++, item);
    }
}

void skedi_heap_remove(skedi_heap *heap, uint32_t id)
{
    if (!heap->place[id]) return;

    size_t at = heap->place[id] - 1;
    skedi_heap_item last = heap->item[--heap->n];
    heap->place[id] = 0;
    if (at < heap->n) refill(heap, at, last);
}

void skedi_heap_clear(skedi_heap *heap)
{
    while (heap->n > 0) heap->place[heap->item[--heap->n].id] = 0;
}

int skedi_heap_is_sound(const skedi_heap *heap)
{
    size_t in = 0;

    for (size_t i = 0; i < heap->n; i++) {
        skedi_heap_item item = heap->item[i];
        if (heap->place[item.id] != i + 1) return 0;
        if (i > 0 && is_before(item, heap->item[(i - 1) / HEAP_WAYS])) return 0;
    }
    for (size_t id = 0; id < heap->ids; id++) in += heap->place[id] != 0;
    return in == heap->n;
}
