#ifndef SKEDI_ENGINE_ORDER_STEADY_H
#define SKEDI_ENGINE_ORDER_STEADY_H

/* Lines whose order does not change: places in order, with holes. */

#include "engine/state.h"

/* Memory for so many entries, and for holes beside them. 0: no memory. */
int skedi_steady_reserve(sked_engine *e, engine_cell *cell, uint64_t entries);
void skedi_steady_free(sked_engine *e, const engine_cell *cell);

/* Lets an entry in, where it belongs; takes one out. Memory was reserved. */
void skedi_steady_join(sked_engine *e, engine_cell *cell, uint32_t entry,
                       uint64_t mask);
void skedi_steady_leave(sked_engine *e, engine_cell *cell, uint32_t place);

/* The bits, one or none, by which a place is seen; other ones; the first place
 * from `from` on that is seen by a bit of `offer`, or SKEDI_NO_PLACE. */
uint64_t skedi_steady_mask(const engine_cell *cell, uint32_t place);
void skedi_steady_show(engine_cell *cell, uint32_t place, uint64_t mask);
uint32_t skedi_steady_next(const engine_cell *cell, uint32_t from,
                           uint64_t offer);

/* Do all stand in order, and is the first where it is said to be? For tests. */
int skedi_steady_is_sound(const sked_engine *e, const engine_cell *cell);

/* While an engine books everything anew, lines take asks as they come: this
 * puts one in order then. `scratch` has a place for each. */
void skedi_steady_sort(sked_engine *e, engine_cell *cell, uint32_t *scratch);

#endif
