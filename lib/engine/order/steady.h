#ifndef SKEDI_ENGINE_ORDER_STEADY_H
#define SKEDI_ENGINE_ORDER_STEADY_H

/* Lines whose order does not change: places in order, with holes. */

#include "engine/state.h"

/* Lets an entry in, where it belongs; takes one out. Memory was reserved. */
void skedi_steady_join(sked_engine *e, engine_cell *cell, uint32_t entry,
                       uint64_t mask);
void skedi_steady_leave(sked_engine *e, engine_cell *cell, uint32_t place);

/* Do all stand in order, and is the first where it is said to be? For tests. */
int skedi_steady_is_sound(const sked_engine *e, const engine_cell *cell);

/* While an engine books everything anew, lines take asks as they come: this
 * puts one in order then. `scratch` has a place for each. */
void skedi_steady_sort(sked_engine *e, engine_cell *cell, uint32_t *scratch);

#endif
