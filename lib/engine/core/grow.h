#ifndef SKEDI_ENGINE_CORE_GROW_H
#define SKEDI_ENGINE_CORE_GROW_H

/* Nodes that change under tasks that have them to themselves. */

#include "engine/state.h"

/* A node is to have another capacity: may the tasks that have the node to
 * themselves hold that? SKED_OK, and memory was reserved; SKED_ERR_RANGE or
 * SKED_ERR_NOMEM. */
sked_status skedi_exclusive_may_grow(sked_engine *e, uint32_t node,
                                     const int64_t *capacity, sked_error *err);

/* The node has it: the tasks hold all of it from now on, also those that were
 * released and that the node has not ended. */
void skedi_exclusive_grow(sked_engine *e, uint32_t node);

#endif
