#ifndef SKEDI_ENGINE_CORE_PLACES_H
#define SKEDI_ENGINE_CORE_PLACES_H

/* Nodes and racks that asks would like. */

#include "engine/state.h"

/* Checks the counts of tasks by place of an ask with these flags. SKED_OK,
 * SKED_ERR_ARG or SKED_ERR_RANGE. */
sked_status skedi_ask_check_places(const sked_events *batch,
                                   const sked_event *event, uint32_t flags,
                                   sked_error *err);

/* Puts the places of a row, in the order given, in front of an ask's places of
 * this sort: nodes, or (`rack` 1) racks. Memory was reserved. */
void skedi_ask_list_places(sked_engine *e, uint32_t ask,
                           const sked_events *batch, uint32_t row,
                           uint32_t rack);

/* Lets go of the nodes, or the racks, of an ask. */
void skedi_ask_drop_places(sked_engine *e, uint32_t ask, uint32_t rack);

#endif
