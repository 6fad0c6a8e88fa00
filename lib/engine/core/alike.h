#ifndef SKEDI_ENGINE_CORE_ALIKE_H
#define SKEDI_ENGINE_CORE_ALIKE_H

/* Alike tasks that start at once. */

#include "engine/state.h"

/* How many tasks of an entry that is to start one on a node start there before
 * anything else does, as far as that is plain to see: at most `most`, 1 at least.
 * `fit` are the classes of which something may start. O(depth log siblings),
 * and O(1) unless the last decision was to start tasks of it there. */
uint32_t skedi_alike(sked_engine *e, uint32_t entry, uint32_t node,
                     uint64_t fit, uint64_t most);

/* Do tasks of a shape take nothing of any kind? */
int skedi_takes_nothing(const sked_engine *e, uint32_t shape);

#endif
