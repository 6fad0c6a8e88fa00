#ifndef SKEDI_SHARE_FILLING_H
#define SKEDI_SHARE_FILLING_H

/*
 * Progressive filling of a whole tree, for the engine's shares (docs/engine.md,
 * *Shares*, steps 1 to 6).
 *
 * The method is a simulation in continuous amounts. Between two events every
 * row rises at a constant rate. Events are: a task profile has all its tasks, a
 * kind reaches a cap, a row reaches its kept amount, guarantee or part, or the
 * level of a family reaches a resting child.
 */

#include "base/real.h"
#include "share/joint.h"

typedef struct skedi_fill_row_state skedi_fill_row_state;

/* Returns the bytes of scratch memory for a tree. */
size_t skedi_filling_bytes(size_t rows, size_t kinds, size_t profiles);

/*
 * Fills the tree of `j`. Reads the parts and the contended kinds of `j`. Writes
 * `j->held`, the amounts of each row without rounding, and `end` and `whole` of
 * each profile. `scratch` has skedi_filling_bytes() bytes, aligned as memory of
 * malloc().
 *
 * Cost: O(events * depth * log siblings); most trees have two or three events a
 * profile or row.
 */
void skedi_filling_run(skedi_joint *j, void *scratch);

#endif
