#ifndef SKEDI_ENGINE_CORE_RIVALS_H
#define SKEDI_ENGINE_CORE_RIVALS_H

/* How long an entry stays first while tasks of it start: in each family on its
 * path until the child that comes next is ahead. */

#include "engine/state.h"

/* A family in which another child wants something, too. */
typedef struct engine_rival {
    uint32_t row;       /* the child on the entry's path */
    uint32_t place;     /* of the one that comes next, or SKEDI_NO_PLACE */
    uint32_t is_below;  /* 1: the child goes first for being below its
                           guarantee */
    sked_order_key key; /* of the one that comes next */
} engine_rival;

typedef struct engine_rivals {
    uint32_t entry;
    uint32_t n;
    engine_rival at[SKED_MAX_DEPTH];
} engine_rivals;

#endif
