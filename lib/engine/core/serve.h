#ifndef SKEDI_ENGINE_CORE_SERVE_H
#define SKEDI_ENGINE_CORE_SERVE_H

/* Starts that have a reservation on a node. */

#include "engine/state.h"

/*
 * Starts on a node what was reserved there, oldest first, as far as there is
 * enough free and nothing else is in the way; up to decision `last`, and
 * `*started` counts tasks and gangs. SKED_OK, SKED_STOPPED (so many decisions,
 * or as many wait as may) or SKED_ERR_NOMEM; what was started stands.
 */
sked_status skedi_reservation_serve(sked_engine *e, uint32_t node,
                                    uint64_t last, uint64_t *started);

#endif
