/*
 * From keys to an order: two stable radix sorts, by `low` and then by `high`,
 * over elements that come by position, so that what ties stays by position.
 */
#include "order/sort.h"

void skedi_order_room_drop(skedi_order_room *room, skedi_mem *mem)
{
    skedi_free(mem, room->positions, room->cap, sizeof *room->positions);
    skedi_free(mem, room->keys, room->cap, sizeof *room->keys);
    skedi_free(mem, room->items, room->cap, sizeof *room->items);
    skedi_free(mem, room->scratch, room->cap, sizeof *room->scratch);
    *room = (skedi_order_room){0};
}

int skedi_order_room_make(skedi_order_room *room, skedi_mem *mem, size_t n)
{
    if (n <= room->cap) return 1;

    skedi_order_room next = {.cap = n};
    next.positions = skedi_new(mem, n, sizeof *next.positions);
    next.keys = skedi_new(mem, n, sizeof *next.keys);
    next.items = skedi_new(mem, n, sizeof *next.items);
    next.scratch = skedi_new(mem, n, sizeof *next.scratch);
    int ok = next.positions && next.keys && next.items && next.scratch;
    if (ok) {
        skedi_order_room old = *room;
        *room = next;
        next = old;
    }
    skedi_order_room_drop(&next, mem);
    return ok;
}

void skedi_order_sort(skedi_order_room *room)
{
    for (size_t i = 0; i < room->n; i++) {
        room->items[i] = (skedi_keyed){room->keys[i].low, (uint32_t)i, 0};
    }
    skedi_sort_keys(room->items, room->scratch, room->n);
    for (size_t i = 0; i < room->n; i++) {
        room->items[i].key = room->keys[room->items[i].index].high;
    }
    skedi_sort_keys(room->items, room->scratch, room->n);
}

/* Fisher and Yates from the end: the i-th draw is among all not yet drawn, and
 * the last of these fills the gap. */
void skedi_order_shuffle(skedi_order_room *room, uint64_t high,
                         skedi_random *random)
{
    skedi_keyed *left = room->scratch;
    uint64_t place = 0;
    size_t n = 0;

    for (size_t i = 0; i < room->n; i++) {
        if (room->keys[i].high == high) left[n++].index = (uint32_t)i;
    }
    for (; n > 0; n--) {
        size_t drawn = (size_t)skedi_random_below(random, n);
        room->keys[left[drawn].index].low = place++;
        left[drawn] = left[n - 1];
    }
}

void skedi_order_write(skedi_order_room *room, uint32_t *positions,
                       sked_order_key *keys, size_t *n)
{
    skedi_order_sort(room);
    for (size_t i = 0; i < room->n; i++) {
        uint32_t at = room->items[i].index;
        positions[i] = room->positions[at];
        if (keys) keys[i] = room->keys[at];
    }
    *n = room->n;
}
