#ifndef SKEDI_SIM_LANE_H
#define SKEDI_SIM_LANE_H

/* Lanes: they find the next node whose event may decide something. */

#include "sim/state.h"

int skedi_lanes_build(sked_sim *sim);
void skedi_lanes_free(sked_sim *sim);

/* Notes the free resources of a node. */
void skedi_lane_note(sked_sim *sim, uint32_t node);

/* An event of this node decided nothing, and will not until something becomes
 * possible. */
void skedi_lane_rest(sked_sim *sim, uint32_t node);

/* The first node from `from` on, in the order of adding, whose event may
 * decide something; SIM_NONE. */
uint32_t skedi_lanes_next(sked_sim *sim, uint32_t from);

#endif
