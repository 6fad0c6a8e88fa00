#ifndef SKEDI_ENGINE_PASS_RESERVED_H
#define SKEDI_ENGINE_PASS_RESERVED_H

#include "engine/state.h"

/* Starts that have a reservation on a node. */

/*
 * Starts on a node what was reserved there, oldest first, as far as there is
 * enough free and nothing else is in the way; up to decision `last`, and
 * `*started` counts tasks and gangs. SKED_OK, SKED_STOPPED (so many decisions,
 * or as many wait as may) or SKED_ERR_NOMEM; what was started stands.
 */
sked_status skedi_reservation_serve(sked_engine *e, uint32_t node,
                                    uint64_t last, uint64_t *started);

/* How many tasks may a pass still start on a node where it has started so many?
 */
static inline uint64_t skedi_pass_left(const sked_engine *e, uint64_t started)
{
    uint32_t most = e->opts.max_per_pass;

    return most ? most - started : UINT64_MAX;
}

/* Is the pass over on a node where it has started so many tasks (or gangs)? */
static inline int skedi_pass_is_over(const sked_engine *e, uint64_t started)
{
    return e->opts.max_per_pass && started >= e->opts.max_per_pass;
}

#endif
