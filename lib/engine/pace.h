#ifndef SKEDI_ENGINE_PACE_H
#define SKEDI_ENGINE_PACE_H

/*
 * Events that take long ask the host's `progress` and `cancel` after every
 * 4,096 things of which they look at each, so that a host stays in charge.
 *
 * Such an event goes over what it is about twice. First it looks and reserves:
 * a stop there leaves everything as it was, and the row was not applied. Then
 * it changes: a stop there is kept until the row stands whole, and ends the
 * call after it.
 */

#include "engine/state.h"

enum { ENGINE_PACE = 4096 };

/* One thing looked at, before anything changes: SKED_OK, or why to stop. */
static inline sked_status skedi_pace_look(sked_engine *e)
{
    if (++e->pace % ENGINE_PACE) return SKED_OK;
    return skedi_hooks_check(&e->hooks, e->pace, e->pace);
}

/* One thing changed. */
static inline void skedi_pace_work(sked_engine *e)
{
    if (++e->pace % ENGINE_PACE || e->cut != SKED_OK) return;
    e->cut = skedi_hooks_check(&e->hooks, e->pace, e->pace);
}

#endif
