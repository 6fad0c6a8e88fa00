#ifndef SKEDI_ENGINE_CORE_ALIKE_H
#define SKEDI_ENGINE_CORE_ALIKE_H

/* Alike tasks that start at once. */

#include "engine/state.h"

/* skedi_alike() where more than one task may start. */
uint32_t skedi_alike_many(sked_engine *e, uint32_t entry, uint32_t node,
                          uint64_t fit, uint64_t most, int passes);

/* An entry is to start a task on a node. How many of its tasks start there
 * before anything else does, as far as that is easy to tell: from 1 to `most`.
 * `fit` are the classes of which something may start: on this node, where a pass
 * is made over it (`passes`), else on any. O(depth log siblings log tasks), and O(1) unless
 * the last decision was to start tasks of it there. */
static inline uint32_t skedi_alike(sked_engine *e, uint32_t entry,
                                   uint32_t node, uint64_t fit, uint64_t most,
                                   int passes)
{
    return most <= 1 ? 1 : skedi_alike_many(e, entry, node, fit, most, passes);
}

/* May the start of a task let other nodes take its ask than before, since the
 * ask's rule counts tasks by an attribute? */
int skedi_alike_elsewhere(const sked_engine *e, uint32_t ask);

/* Do tasks of a shape take nothing of any kind? */
int skedi_takes_nothing(const sked_engine *e, uint32_t shape);

#endif
