/* Settles parked asks after an event, the one that was parked last first: kill
 * orders for what is left of a gang that falls, then a return to the lines. */
#include "engine/core/settle.h"

#include "engine/exclusion.h"
#include "engine/core/groups.h"
#include "engine/core/lost.h"
#include "engine/core/open.h"
#include "engine/decision.h"
#include "engine/pace.h"

/* Gives kill orders to what is left of a gang that falls. SKED_OK, or
 * SKED_ERR_NOMEM, and nothing changed. */
static sked_status end_rest(sked_engine *e, uint32_t ask)
{
    const engine_ask *a = ask_at(e, ask);
    uint32_t group = a->closed ? SKEDI_NONE : a->first_group;

    if (!skedi_out_reserve(e, skedi_ask_groups(e, ask))) return SKED_ERR_NOMEM;
    for (; group != SKEDI_NONE; group = group_at(e, group)->ask_next) {
        skedi_pace_work(e);
        if (skedi_group_is_doomed(e, group)) continue;
        skedi_group_kill(e, group, SKED_REASON_GANG);
    }
    if (skedi_gang_has(e, ask, 1)) skedi_ask_park(e, ask, PARK_ENDS);
    skedi_ask_unpark(e, ask, PARK_FALLS);
    return SKED_OK;
}

sked_status skedi_asks_settle(sked_engine *e)
{
    sked_status rc = SKED_OK;

    for (uint32_t i = e->first_parked, next;
         rc == SKED_OK && e->ready > 0 && i != SKEDI_NONE; i = next) {
        const engine_ban *ban = ban_at(e, i);
        next = ban->next;
        skedi_pace_work(e);
        if (ban->parked & PARK_FALLS) rc = end_rest(e, ban->owner);
        if (rc == SKED_OK && ban->parked == PARK_READY) {
            rc = skedi_ban_settle(e, i);
        }
    }
    return rc;
}
