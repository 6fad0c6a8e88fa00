#ifndef SKEDI_SORT_H
#define SKEDI_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Negative: `a` first; positive: `b` first; 0: the input order is kept. */
typedef int (*skedi_compare)(const void *ctx, uint32_t a, uint32_t b);

/*
 * Sorts `n` numbers by `compare`; equal numbers keep their order. `scratch` has
 * memory for `n` numbers. O(n log n) comparisons; n - 1 if the input is sorted.
 */
void skedi_sort(uint32_t *items, uint32_t *scratch, size_t n,
                skedi_compare compare, const void *ctx);

typedef struct skedi_keyed {
    uint64_t key;
    uint32_t index;
    uint32_t tag; /* the caller's data */
} skedi_keyed;

/*
 * Sorts `n` pairs by key; equal keys keep their order. If the input is ordered
 * by index, the output is ordered by (key, index). `scratch` has memory for `n`
 * pairs; n < 2^32. O(n): two or three passes for well distributed keys, a
 * single pass for sorted input.
 */
void skedi_sort_keys(skedi_keyed *items, skedi_keyed *scratch, size_t n);

/* A signed key as an unsigned key with the same order. */
static inline uint64_t skedi_key_signed(int64_t key)
{
    return (uint64_t)key ^ (uint64_t)1 << 63;
}

/* The inverse of skedi_key_signed(). */
static inline int64_t skedi_key_time(uint64_t key)
{
    return (int64_t)(key - ((uint64_t)1 << 63));
}

#endif
