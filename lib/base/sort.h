#ifndef SKEDI_SORT_H
#define SKEDI_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Negative: `a` first; positive: `b` first; 0: they keep their order. */
typedef int (*skedi_compare)(const void *ctx, uint32_t a, uint32_t b);

/*
 * Sorts `n` numbers by what `compare` says of them; equal ones keep their
 * order. `scratch` has memory for `n`. O(n log n) comparisons, n - 1 when they
 * are in order already.
 */
void skedi_sort(uint32_t *items, uint32_t *scratch, size_t n,
                skedi_compare compare, const void *ctx);

typedef struct skedi_keyed {
    uint64_t key;
    uint32_t index;
    uint32_t tag; /* the caller's; goes along */
} skedi_keyed;

/*
 * Sorts `n` pairs by key; equal keys keep their order, so pairs that come by
 * index leave by (key, index). `scratch` has memory for `n`, n < 2^32. O(n),
 * two or three passes for keys that differ well, one when they are in order.
 */
void skedi_sort_keys(skedi_keyed *items, skedi_keyed *scratch, size_t n);

/* A signed key as an unsigned one with the same order. */
static inline uint64_t skedi_key_signed(int64_t key)
{
    return (uint64_t)key ^ (uint64_t)1 << 63;
}

/* The signed key of skedi_key_signed(). */
static inline int64_t skedi_key_time(uint64_t key)
{
    return (int64_t)(key - ((uint64_t)1 << 63));
}

#endif
