#ifndef SKEDI_FILL_PICK_H
#define SKEDI_FILL_PICK_H

#include "fill/solve.h"

/*
 * A fraction (top * 2^64 + v) / w with an owner. Keys are ordered by the
 * fraction, then by `id`; no two keys compare equal. A key may have a `top`
 * only if all keys have the same `w`.
 */
typedef struct skedi_fill_key {
    uint64_t v;
    uint64_t w;
    uint32_t id;
    uint32_t top;
} skedi_fill_key;

/* Set in `id`: the row stops at hi here. Clear: the row leaves lo here. */
#define SKEDI_FILL_STOP UINT32_C(0x80000000)

/*
 * Chooses a pivot, and puts the keys that precede the pivot in front of the
 * pivot. Returns the place of the pivot; n is not 0.
 */
size_t skedi_fill_split(skedi_fill_work *work, skedi_fill_key *keys, size_t n);

/*
 * Adds `by` to the share of the owner of each of the `want` first of `n` keys,
 * by fraction; among equals the first in the array comes first. With `by` -1
 * the largest fraction comes first. O(n) expected.
 */
void skedi_fill_give(skedi_fill_work *work, skedi_fill_key *keys, size_t n,
                     size_t want, int by, int64_t *share);

/*
 * The state to the left of a window of breakpoints: the amounts of bounded
 * rows, and the weight of rising rows. Both are sums of natural numbers, kept
 * modulo 2^128 in between.
 */
typedef struct skedi_fill_sums {
    skedi_u128 fixed;
    skedi_u128 slope;
} skedi_fill_sums;

/*
 * Finds num / den of `level`, where fixed + slope * r and the breakpoints in
 * `keys` together reach level->total. Returns 0, or -1 or 1 if the level lies
 * below or above the searched window.
 */
int skedi_fill_cross(skedi_fill_work *work, skedi_fill_key *keys, size_t n,
                     skedi_fill_sums sums, skedi_fill_level *level);

#endif
