#ifndef SKEDI_ENGINE_CORE_ASIDE_H
#define SKEDI_ENGINE_CORE_ASIDE_H

/* Entries that a pass put aside: they are out of their lines until it ends. */

#include "engine/state.h"

/* Memory for one more. 0: there is none. */
static inline int skedi_aside_reserve(sked_engine *e)
{
    void *grown = e->set_aside;

    if (e->n_aside < e->aside_cap) return 1;
    if (!skedi_ensure(&e->hooks.mem, &grown, &e->aside_cap, e->n_aside + 1,
                      sizeof *e->set_aside)) {
        return 0;
    }
    e->set_aside = grown;
    return 1;
}

/* Work came to a node: what its rule put aside is back, and may be taken. */
void skedi_aside_ruled(sked_engine *e);

#endif
