#ifndef SKEDI_ENGINE_STEPS_H
#define SKEDI_ENGINE_STEPS_H

/* How many tasks of a gang over nodes start at once. */

#include "engine/state.h"

/* How many tasks of a gang over nodes start at once where so many are open: all
 * that it lacks; of an exact one then a node's at a time, or the fewer ones. */
static inline int64_t skedi_gang_step(const sked_engine *e,
                                      const engine_ask *ask, int64_t open)
{
    const engine_extra *own = extra_of(e, ask);

    if (open > own->spare) return open - own->spare;
    if (own->each == 0) return 1;
    return open % own->each ? open % own->each : own->each;
}

/* Has an elastic gang the tasks that it needs, while others are open? */
static inline int skedi_gang_has_least(const sked_engine *e,
                                       const engine_ask *ask)
{
    return ask->open > 0 && ask->open <= extra_of(e, ask)->spare;
}

/* Does it then go on growing task by task? An exact one does not. */
static inline int skedi_gang_grows(const sked_engine *e, const engine_ask *ask)
{
    return skedi_gang_has_least(e, ask) && extra_of(e, ask)->each == 0;
}

#endif
