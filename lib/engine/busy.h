#ifndef SKEDI_ENGINE_BUSY_H
#define SKEDI_ENGINE_BUSY_H

/*
 * One call at a time: what a hook of an engine asks of the same engine while a
 * call of it runs is refused, where it would change the engine.
 */

#include "base/fail.h"
#include "engine/state.h"

static inline sked_status skedi_busy_enter(sked_engine *e, sked_error *err)
{
    if (e->busy) {
        return skedi_fail_plain(err, SKED_ERR_STATE,
                                "a hook called back into its engine");
    }
    e->busy = 1;
    return SKED_OK;
}

/* Returns `rc`. */
static inline sked_status skedi_busy_leave(sked_engine *e, sked_status rc)
{
    e->busy = 0;
    return rc;
}

#endif
