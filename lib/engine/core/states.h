#ifndef SKEDI_ENGINE_CORE_STATES_H
#define SKEDI_ENGINE_CORE_STATES_H

/* Which groups are proposals, and which have kill orders with their jobs. */

#include "engine/state.h"

/* Is the host still to say whether a group was started? */
static inline int skedi_group_is_proposal(const sked_engine *e, uint32_t group)
{
    uint32_t state = group_at(e, group)->state;

    return state == GROUP_PROPOSED || state == GROUP_REVOKED;
}

/* Has a group a kill order since its job or its gang is over? */
static inline int skedi_group_is_doomed(const sked_engine *e, uint32_t group)
{
    return group_at(e, group)->state >= GROUP_KILLED;
}

/* Makes a new group a proposal, which the host is to confirm. */
void skedi_group_propose(sked_engine *e, uint32_t group);

/* Takes a group that goes off the list of proposals, or of killed groups. */
void skedi_group_unlist(sked_engine *e, uint32_t group);

/* The first doomed group (of SKEDI_NONE), or the one after a doomed group;
 * SKEDI_NONE: there is none. A walk over all of them takes O(their number), and
 * O(proposals) where some are proposals. */
uint32_t skedi_group_next_doomed(const sked_engine *e, uint32_t group);

/* The host carried a proposal out: no deadline any more. */
void skedi_group_hold(sked_engine *e, uint32_t group);

/* A group gets a kill order, since its job or its gang is over: a proposal
 * becomes revoked, any other group killed. */
void skedi_group_doom(sked_engine *e, uint32_t group);

#endif
