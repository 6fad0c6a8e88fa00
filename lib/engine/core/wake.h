#ifndef SKEDI_ENGINE_CORE_WAKE_H
#define SKEDI_ENGINE_CORE_WAKE_H

/* When a pass over a node is to look again, for an ask that waits. */

#include "engine/state.h"

/* A pass over a node found an ask that waits for other places: the node is to
 * be looked at again when the ask may take it. */
void skedi_walk_wake(sked_engine *e, uint32_t ask, uint32_t node);

#endif
