#ifndef SKEDI_ENGINE_CORE_WALK_H
#define SKEDI_ENGINE_CORE_WALK_H

/* Filling a node: from the root down to an ask, again and again. */

#include "engine/state.h"

/* One pass over a node, of at most `budget` decisions. SKED_OK; SKED_STOPPED
 * when as many wait as may, or the budget is used up; SKED_ERR_NOMEM; or what a
 * hook said. What was decided stands, and the node will be looked at again. */
sked_status skedi_pass_node(sked_engine *e, uint32_t node, uint64_t budget);

/* A pass over a node found an ask that waits for other places: the node is to
 * be looked at again when it may take it. */
void skedi_walk_wake(sked_engine *e, uint32_t ask, uint32_t node);

#endif
