/*
 * Two lists with the same links: proposals, and groups that are none and have
 * kill orders with their jobs. A proposal that has one stays where it is.
 */
#include "engine/core/states.h"

/* Proposals wait in order of making, which is that of their deadlines. */
void skedi_group_propose(sked_engine *e, uint32_t group)
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

static void end_proposal(sked_engine *e, const engine_group *g)
{
    e->revoked -= g->state == GROUP_REVOKED;
    if (g->sooner == SKEDI_NONE)
        e->first_proposed = g->later;
    else
        group_at(e, g->sooner)->later = g->later;
    if (g->later == SKEDI_NONE)
        e->last_proposed = g->sooner;
    else
        group_at(e, g->later)->sooner = g->sooner;
}

static void list_killed(sked_engine *e, uint32_t group)
{
    engine_group *g = group_at(e, group);

    g->state = GROUP_KILLED;
    g->sooner = SKEDI_NONE;
    g->later = e->first_killed;
    if (g->later != SKEDI_NONE) group_at(e, g->later)->sooner = group;
    e->first_killed = group;
}

static void unlist_killed(sked_engine *e, const engine_group *g)
{
    if (g->sooner == SKEDI_NONE)
        e->first_killed = g->later;
    else
        group_at(e, g->sooner)->later = g->later;
    if (g->later != SKEDI_NONE) group_at(e, g->later)->sooner = g->sooner;
}

void skedi_group_unlist(sked_engine *e, uint32_t group)
{
    const engine_group *g = group_at(e, group);

    if (skedi_group_is_proposal(e, group)) end_proposal(e, g);
    if (g->state == GROUP_KILLED) unlist_killed(e, g);
}

uint32_t skedi_group_next_doomed(const sked_engine *e, uint32_t group)
{
    int in_killed = group == SKEDI_NONE ||
                    group_at(e, group)->state == GROUP_KILLED;
    uint32_t next = group == SKEDI_NONE ? e->first_killed
                                        : group_at(e, group)->later;

    if (in_killed && next != SKEDI_NONE) return next;
    if (e->revoked == 0) return SKEDI_NONE;
    if (in_killed) next = e->first_proposed;
    while (next != SKEDI_NONE && group_at(e, next)->state != GROUP_REVOKED) {
        next = group_at(e, next)->later;
    }
    return next;
}

void skedi_group_hold(sked_engine *e, uint32_t group)
{
    engine_group *g = group_at(e, group);
    int revoked = g->state == GROUP_REVOKED;

    end_proposal(e, g);
    g->state = GROUP_HELD;
    if (revoked) list_killed(e, group);
    job_at(e, ask_at(e, g->ask)->job)->held++;
}

void skedi_group_doom(sked_engine *e, uint32_t group)
{
    engine_group *g = group_at(e, group);

    if (g->state == GROUP_PROPOSED) {
        g->state = GROUP_REVOKED;
        e->revoked++;
    } else {
        list_killed(e, group);
    }
}
