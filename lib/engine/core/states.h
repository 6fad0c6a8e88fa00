#ifndef SKEDI_ENGINE_CORE_STATES_H
#define SKEDI_ENGINE_CORE_STATES_H

/* Which groups are proposals, and which have kill orders with their jobs. */

#include "engine/state.h"

/* Does the host have to say yet whether it was carried out? */
static inline int skedi_group_is_proposal(const sked_engine *e, uint32_t group)
{
    uint32_t state = group_at(e, group)->state;

    return state == GROUP_PROPOSED || state == GROUP_REVOKED;
}

/* Has it a kill order with its job, or its gang? */
static inline int skedi_group_is_doomed(const sked_engine *e, uint32_t group)
{
    return group_at(e, group)->state >= GROUP_KILLED;
}

/* The host is still to confirm it, from now on. */
void skedi_group_propose(sked_engine *e, uint32_t group);

/* It goes: no list has it as a proposal, or as killed, any more. */
void skedi_group_unlist(sked_engine *e, uint32_t group);

/* The first that got a kill order (of SKEDI_NONE), or the next one; SKEDI_NONE:
 * there is none. All of them: O(their number + proposals, if some are). */
uint32_t skedi_group_next_doomed(const sked_engine *e, uint32_t group);

/* The host carried a proposal out: no deadline any more. */
void skedi_group_hold(sked_engine *e, uint32_t group);

/* Its job or its gang is over. */
void skedi_group_doom(sked_engine *e, uint32_t group);

#endif
