#ifndef SKEDI_ENGINE_CORE_EXTRAS_H
#define SKEDI_ENGINE_CORE_EXTRAS_H

/* What stands beside asks: what few of them have, and, where the engine delays
 * any, since when each waits for a place. */

#include "engine/state.h"

/* Memory for so many asks more. 0: no memory. */
int skedi_ask_rows_reserve(sked_engine *e, uint64_t more);

/* Memory for the extras of so many asks that have none; and for as many ranges
 * of open numbers. 0: no memory. */
int skedi_extras_reserve(sked_engine *e, uint64_t more);
int skedi_ranges_reserve(sked_engine *e, uint64_t more);

/* An ask's extras, made when it has none: memory was reserved. */
engine_extra *skedi_extra_take(sked_engine *e, uint32_t ask);

/* Since when an ask waits for a place; long ago where nothing is delayed. */
static inline engine_waiting skedi_ask_waiting(const sked_engine *e,
                                               const engine_ask *ask)
{
    if (!e->delays) return (engine_waiting){INT64_MIN, 0};
    return e->waiting[ask - ask_at(e, 0)];
}

#endif
