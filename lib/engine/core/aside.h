#ifndef SKEDI_ENGINE_CORE_ASIDE_H
#define SKEDI_ENGINE_CORE_ASIDE_H

/* Entries that a pass put aside: they are out of their lines until it ends. */

#include "engine/state.h"

/* Memory to put one more entry aside. 0: no memory. */
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

/* Something started, with tags (`counted`): entries that a rule which counts work
 * kept out are back in their lines, since they may run now; and so are gangs that
 * want nodes to themselves, if it started on an empty node. O(entries that
 * are aside). */
void skedi_aside_started(sked_engine *e, int counted);

#endif
