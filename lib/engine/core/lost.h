#ifndef SKEDI_ENGINE_CORE_LOST_H
#define SKEDI_ENGINE_CORE_LOST_H

/* Gangs over nodes that end together (SKED_ASK_TOGETHER) when too few of their
 * tasks are left. */

#include "engine/state.h"

/* Tasks of an ask are open again: where it is a gang that falls with them, it
 * stands in no line, and after the event the others are told to end
 * (settle.h). O(groups of the ask). */
void skedi_gang_lost(sked_engine *e, uint32_t ask);

/* A group of it has gone: when the last that was told to end has, the ask may
 * stand in line again. O(groups of the ask). */
void skedi_gang_ended(sked_engine *e, uint32_t ask);

/* Has an ask groups that were told to end with it (1), or others (0)? */
int skedi_gang_has(const sked_engine *e, uint32_t ask, int doomed);

#endif
