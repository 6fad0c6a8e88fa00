/* Groups that the host has not confirmed yet, and their deadlines. */
#include "engine/core/groups.h"
#include "engine/core/open.h"
#include "engine/core/out.h"
#include "engine/pace.h"

/* Proposals wait in order of making, which is that of their deadlines. */
void skedi_proposal_begin(sked_engine *e, uint32_t group)
{
    engine_group *g = group_at(e, group);

    g->state = GROUP_PROPOSED;
    g->later = SKEDI_NONE;
    g->sooner = e->last_proposed;
    if (g->sooner == SKEDI_NONE)
        e->first_proposed = group;
    else
        group_at(e, g->sooner)->later = group;
    e->last_proposed = group;
}

void skedi_proposal_end(sked_engine *e, uint32_t group)
{
    const engine_group *g = group_at(e, group);

    if (g->sooner == SKEDI_NONE)
        e->first_proposed = g->later;
    else
        group_at(e, g->sooner)->later = g->later;
    if (g->later == SKEDI_NONE)
        e->last_proposed = g->sooner;
    else
        group_at(e, g->later)->sooner = g->sooner;
}

void skedi_group_hold(sked_engine *e, uint32_t group)
{
    engine_group *g = group_at(e, group);

    skedi_proposal_end(e, group);
    g->state = g->state == GROUP_REVOKED ? GROUP_KILLED : GROUP_HELD;
    job_at(e, ask_at(e, g->ask)->job)->held++;
}

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
        if (!skedi_out_room(e, 1) || !skedi_ask_room(e, g->ask)) {
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
