#ifndef SKEDI_ENGINE_ASK_H
#define SKEDI_ENGINE_ASK_H

/*
 * Questions about one ask. The data of the ask answers them, and all modules
 * may put them.
 */

#include "engine/state.h"

/* The number of the first open task. The ask has an open task. */
static inline int64_t skedi_ask_first(const sked_engine *e, uint32_t ask)
{
    return ask_at(e, ask)->first;
}

/* The shape that determines the class of the ask. */
static inline uint32_t skedi_class_shape(const sked_engine *e,
                                         const engine_ask *ask)
{
    uint32_t shape = extra_of(e, ask)->shape;
    int own = shape != SKEDI_NONE && shape_at(e, shape)->plain == ask->shape;

    return own ? shape : ask->shape;
}

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
