/* Groups that the host has not confirmed yet, and their deadlines. */
#include "engine/core/groups.h"
#include "engine/core/open.h"
#include "engine/decision.h"
#include "engine/core/states.h"
#include "engine/pace.h"

sked_status skedi_groups_expire(sked_engine *e, sked_time now)
{
    while (e->first_proposed != SKEDI_NONE) {
        uint32_t group = e->first_proposed;
        engine_group *g = group_at(e, group);
        uint64_t waited = (uint64_t)now - (uint64_t)g->deadline_from;
        if (now < g->deadline_from ||
            waited < (uint64_t)e->opts.confirm_within_ns) {
            break;
        }
        sked_status rc = skedi_pace_look(e);
        if (rc != SKED_OK) return rc;
        if (!skedi_out_reserve(e, 1) || !skedi_ask_reserve(e, g->ask)) {
            return SKED_ERR_NOMEM;
        }
        e->now = skedi_i64_max(e->now,
                               g->deadline_from + e->opts.confirm_within_ns);
        skedi_group_decide(e, group, SKED_DECISION_EXPIRE,
                           SKED_REASON_UNCONFIRMED);
        skedi_group_end(e, group, g->count, GROUP_UNDO);
    }
    return SKED_OK;
}
