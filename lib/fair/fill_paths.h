#ifndef SKEDI_FILL_PATHS_H
#define SKEDI_FILL_PATHS_H

/* What the files of the filling share, and nobody else needs. */

#include "fair/fill_pick.h"
#include "fair/fill_row.h"

typedef struct skedi_fill_totals {
    skedi_u128 lo;
    skedi_u128 hi;
} skedi_fill_totals;

void skedi_fill_total(const skedi_fill_in *in, skedi_fill_view view,
                      skedi_fill_totals *sums);

/*
 * Settles `level` when the sums alone do: saturated, overcommitted, or
 * everybody at its guarantee. Else returns 0 and leaves num / den to be found.
 */
int skedi_fill_settle(const skedi_fill_totals *sums, int64_t total,
                      skedi_fill_level *level);

/* Adds row `i` at its lo to `sums`, and its breakpoints (0 to 2) to `key`. */
size_t skedi_fill_breakpoints(const skedi_fill_row *row, size_t i,
                              skedi_fill_key *key, skedi_fill_sums *sums);

void skedi_fill_solve_plain(skedi_fill_work *work, const skedi_fill_in *in,
                            skedi_fill_view view, int64_t total,
                            skedi_fill_level *level);

/*
 * A row's exact share x at a level, when lo < x < hi: returns 1 with its whole
 * units and the rest in parts of level->den. Else 0 and `whole` is the bound.
 */
int skedi_fill_quota(const skedi_fill_row *row, const skedi_fill_level *level,
                     uint64_t *whole, skedi_u128 *part);

/*
 * Moves `extra` units (negative: takes back) so that `share`, rounded half up
 * at `level`, becomes the unit-by-unit answer.
 */
void skedi_fill_repair(skedi_fill_work *work, const skedi_fill_in *in,
                       const skedi_fill_level *level, int64_t extra,
                       int64_t *share);

void skedi_fill_emit_plain(skedi_fill_work *work, const skedi_fill_in *in,
                           const skedi_fill_level *level, int32_t rounding,
                           int64_t *share);

#endif
