#ifndef SKEDI_ENGINE_CORE_ALIKE_H
#define SKEDI_ENGINE_CORE_ALIKE_H

/* Alike tasks that start at once. */

#include "engine/state.h"

/* The same where more than one may start. */
uint32_t skedi_alike_many(sked_engine *e, uint32_t entry, uint32_t node,
                          uint64_t fit, uint64_t most);

/* How many tasks of an entry that is to start one on a node start there before
 * anything else does, as far as that is plain to see: at most `most`, 1 at least.
 * `fit` are the classes of which something may start. O(depth log siblings log
 * tasks), and O(1) unless the last decision was to start tasks of it there. */
static inline uint32_t skedi_alike(sked_engine *e, uint32_t entry,
                                   uint32_t node, uint64_t fit, uint64_t most)
{
    return most <= 1 ? 1 : skedi_alike_many(e, entry, node, fit, most);
}

/* May other nodes take an ask once one of its tasks has started on one, for its
 * rule counts by an attribute? */
int skedi_alike_elsewhere(const sked_engine *e, uint32_t ask);

/* Do tasks of a shape take nothing of any kind? */
int skedi_takes_nothing(const sked_engine *e, uint32_t shape);

#endif
