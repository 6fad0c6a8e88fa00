/* Memory for the ban by which such a gang is parked was reserved when the gang
 * was added. */
#include "engine/core/lost.h"

#include "engine/exclusion.h"
#include "engine/steps.h"

int skedi_gang_has(const sked_engine *e, uint32_t ask, int doomed)
{
    uint32_t g = ask_at(e, ask)->first_group;

    while (g != SKEDI_NONE &&
           (group_at(e, g)->state >= GROUP_KILLED) != doomed) {
        g = group_at(e, g)->ask_next;
    }
    return g != SKEDI_NONE;
}

void skedi_gang_lost(sked_engine *e, uint32_t ask)
{
    const engine_ask *a = ask_at(e, ask);

    if (!(a->flags & SKED_ASK_TOGETHER) || skedi_gang_has_least(e, a)) return;
    if (skedi_gang_has(e, ask, 0)) skedi_ask_park(e, ask, PARK_FALLS);
}

void skedi_gang_ended(sked_engine *e, uint32_t ask)
{
    int falls = (skedi_parked_by(e, ask_at(e, ask)) & PARK_ENDS) != 0;

    if (falls && !skedi_gang_has(e, ask, 1)) {
        skedi_ask_unpark(e, ask, PARK_ENDS);
    }
}
