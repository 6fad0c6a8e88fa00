#ifndef SKEDI_FILL_GUESS_H
#define SKEDI_FILL_GUESS_H

#include "fill/paths.h"

/* From a level of last time; 0 when it says nothing. */
int skedi_fill_bracket_warm(const skedi_fill_level *warm,
                            skedi_fill_bracket *bracket);

/*
 * From the family itself; `spread` 1, and more when that was too narrow, 0 for
 * an interval that cannot miss. Uses the front of the scratch.
 */
void skedi_fill_bracket_cold(skedi_fill_work *work, const skedi_fill_in *in,
                             const skedi_fill_kernel *kernel, int64_t total,
                             double spread, skedi_fill_bracket *bracket);

/* Is num / den of `level` between the two ends for certain? */
int skedi_fill_bracket_holds(const skedi_fill_bracket *bracket,
                             const skedi_fill_level *level);

/* The k-th of `m` places spread over [0, n), evenly but not regularly. */
size_t skedi_fill_spread(size_t n, size_t m, size_t k);

/* About the root, for guesses; libm stays out of the library. */
double skedi_fill_root(double x);

#endif
