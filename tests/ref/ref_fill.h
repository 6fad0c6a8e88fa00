#ifndef REF_FILL_H
#define REF_FILL_H

#include "fill/solve.h"

/*
 * Water filling as it is defined, without regard to time: breakpoints sorted
 * as exact fractions, the sum at each computed anew; shares unit by unit.
 */

/* The level of spec: least r with sum of clamp(w r, lo, hi) = total. */
void ref_fill_level(const skedi_fill_in *in, int64_t total,
                    skedi_fill_level *level);

/* Largest remainder, by a full sort of the fractions. */
void ref_fill_largest(const skedi_fill_in *in, const skedi_fill_level *level,
                      int64_t *share);

/* Differences of the running sum, rounded down. */
void ref_fill_prefix(const skedi_fill_in *in, const skedi_fill_level *level,
                     int64_t *share);

/* One unit after the other to the least (2 share + 1) / weight. O(n * total) */
void ref_fill_webster(const skedi_fill_in *in, const skedi_fill_level *level,
                      int64_t *share);

/*
 * Could the unit-by-unit rule have given `share`? No row below its hi may have
 * a next unit that precedes the last unit of another above its lo.
 */
int ref_fill_is_webster(const skedi_fill_in *in, const skedi_fill_level *level,
                        const int64_t *share);

#endif
