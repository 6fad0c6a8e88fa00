#ifndef SKEDI_SHARE_FILLING_H
#define SKEDI_SHARE_FILLING_H

/*
 * Progressive filling of a whole tree, for the engine's shares (docs/engine.md,
 * *Shares*, steps 1 to 6). A simulation in continuous amounts: between two
 * events every row rises at a constant rate. An event is a task profile that
 * has all its tasks, a kind that runs out, a bound that is crossed, or a child
 * that catches up with its family.
 */

#include "base/real.h"
#include "share/joint.h"

typedef struct skedi_fill_row_state skedi_fill_row_state;

/* Bytes of scratch for so many rows, kinds and profiles. */
size_t skedi_filling_bytes(size_t rows, size_t kinds, size_t profiles);

/*
 * Fills the tree of `j` by the parts and contended kinds that stand in it.
 * Afterwards `j->held` has what each row holds, unrounded, and each profile
 * the tasks that it reached. `scratch` has skedi_filling_bytes(), aligned as
 * malloc's. O(events depth log siblings), two or three events a profile or row
 * as a rule.
 */
void skedi_filling_run(skedi_joint *j, void *scratch);

#endif
