/*
 * Sorts keys by two stable radix sorts, by `low` and then by `high`. The
 * elements come by position, so tied elements stay by position.
 */
#include "order/sort.h"

void skedi_order_sorting_drop(skedi_order_sorting *sorting, skedi_mem *mem)
{
    skedi_free(mem, sorting->positions, sorting->cap,
               sizeof *sorting->positions);
    skedi_free(mem, sorting->keys, sorting->cap, sizeof *sorting->keys);
    skedi_free(mem, sorting->items, sorting->cap, sizeof *sorting->items);
    skedi_free(mem, sorting->scratch, sorting->cap, sizeof *sorting->scratch);
    *sorting = (skedi_order_sorting){0};
}

int skedi_order_sorting_make(skedi_order_sorting *sorting, skedi_mem *mem,
                             size_t n)
{
    if (n <= sorting->cap) return 1;

    skedi_order_sorting next = {.cap = n};
    next.positions = skedi_new(mem, n, sizeof *next.positions);
    next.keys = skedi_new(mem, n, sizeof *next.keys);
    next.items = skedi_new(mem, n, sizeof *next.items);
    next.scratch = skedi_new(mem, n, sizeof *next.scratch);
    int ok = next.positions && next.keys && next.items && next.scratch;
    if (ok) {
        skedi_order_sorting old = *sorting;
        *sorting = next;
        next = old;
    }
    skedi_order_sorting_drop(&next, mem);
    return ok;
}

void skedi_order_sort(skedi_order_sorting *sorting)
{
    for (size_t i = 0; i < sorting->n; i++) {
        sorting->items[i] = (skedi_keyed){sorting->keys[i].low, (uint32_t)i, 0};
    }
    skedi_sort_keys(sorting->items, sorting->scratch, sorting->n);
    for (size_t i = 0; i < sorting->n; i++) {
        sorting->items[i].key = sorting->keys[sorting->items[i].index].high;
    }
    skedi_sort_keys(sorting->items, sorting->scratch, sorting->n);
}

/* Fisher and Yates from the end: the i-th draw is among all undrawn elements,
 * and the last undrawn element fills the gap. */
void skedi_order_shuffle(skedi_order_sorting *sorting, uint64_t high,
                         skedi_random *random)
{
    skedi_keyed *left = sorting->scratch;
    uint64_t place = 0;
    size_t n = 0;

    for (size_t i = 0; i < sorting->n; i++) {
        if (sorting->keys[i].high == high) left[n++].index = (uint32_t)i;
    }
    for (; n > 0; n--) {
        size_t drawn = (size_t)skedi_random_below(random, n);
        sorting->keys[left[drawn].index].low = place++;
        left[drawn] = left[n - 1];
    }
}

void skedi_order_write(skedi_order_sorting *sorting, uint32_t *positions,
                       sked_order_key *keys, size_t *n)
{
    skedi_order_sort(sorting);
    for (size_t i = 0; i < sorting->n; i++) {
        uint32_t at = sorting->items[i].index;
        positions[i] = sorting->positions[at];
        if (keys) keys[i] = sorting->keys[at];
    }
    *n = sorting->n;
}
