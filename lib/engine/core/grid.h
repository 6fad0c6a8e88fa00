#ifndef SKEDI_ENGINE_CORE_GRID_H
#define SKEDI_ENGINE_CORE_GRID_H

/*
 * The derived half of an engine: queues in rows, rows x partitions in cells.
 * It is made as a whole, when an engine begins, when it takes over another
 * tree, and when a partition with a higher number turns up.
 */

#include "engine/state.h"

/*
 * Makes the grid for `tree` (which becomes the engine's own) and `parts`
 * partitions, and books into it everything that is there. `row_of` has for each
 * row so far the one in `tree` (SKEDI_NO_ROW: gone); NULL: rows stay. Every
 * job's row must become a leaf of `tree`. 0: no memory, or too many cells;
 * nothing changed, and `tree` is still the caller's.
 */
int skedi_grid_build(sked_engine *e, sked_tree *tree, const uint32_t *row_of,
                     uint32_t parts);

/* Fills the rows' columns from the tree. */
void skedi_grid_rows(sked_engine *e, const skedi_image *image);

/* Do places go by shares? Is what masters hold bounded somewhere? */
int skedi_grid_needs_shares(const skedi_image *image);
int skedi_grid_bounds_masters(const skedi_image *image);

/* Frees the grid (not the tree). */
void skedi_grid_free(sked_engine *e);

#endif
