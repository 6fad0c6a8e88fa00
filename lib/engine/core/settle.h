#ifndef SKEDI_ENGINE_CORE_SETTLE_H
#define SKEDI_ENGINE_CORE_SETTLE_H

/* What follows for asks from what happened, after the event. */

#include "engine/state.h"

/* Tells what is left of gangs that fall to end, and puts into line what may
 * stand there again. SKED_OK or SKED_ERR_NOMEM, after which it can be called
 * again. */
sked_status skedi_asks_settle(sked_engine *e);

#endif
