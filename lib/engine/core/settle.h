#ifndef SKEDI_ENGINE_CORE_SETTLE_H
#define SKEDI_ENGINE_CORE_SETTLE_H

/* What follows for asks from what happened, after the event. */

#include "engine/state.h"

/* Writes kill orders for what is left of gangs that fall, and puts asks that
 * may run again back into their lines. SKED_OK or SKED_ERR_NOMEM, after which
 * it can be called again. */
sked_status skedi_asks_settle(sked_engine *e);

#endif
