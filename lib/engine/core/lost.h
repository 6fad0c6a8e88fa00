#ifndef SKEDI_ENGINE_CORE_LOST_H
#define SKEDI_ENGINE_CORE_LOST_H

/* Gangs over nodes that end together (SKED_ASK_TOGETHER) when too few of their
 * tasks are left. */

#include "engine/state.h"

/* Tasks of an ask are open again. A gang that ends together, and of which too
 * few tasks are left by that, leaves its lines; after the event its other tasks
 * get kill orders (settle.h). O(groups of the ask). */
void skedi_gang_lost(sked_engine *e, uint32_t ask);

/* A group of the ask has ended. After the last that had a kill order, the ask
 * may stand in line again. O(groups of the ask). */
void skedi_gang_ended(sked_engine *e, uint32_t ask);

/* Has an ask groups with a kill order (`doomed` 1), or without one (0)? */
int skedi_gang_has(const sked_engine *e, uint32_t ask, int doomed);

#endif
