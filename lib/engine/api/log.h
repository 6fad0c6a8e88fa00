#ifndef SKEDI_ENGINE_API_LOG_H
#define SKEDI_ENGINE_API_LOG_H

/* Lines for the host's `log`: decisions, rows that were refused. */

#include "engine/state.h"

/* A line for each decision since the last call. Nothing where no line is
 * wanted. */
void skedi_log_decisions(sked_engine *e);

/* A line for each setting of preemption, with the tree as it is, under which the
 * number of kills has no bound that follows from the claims. */
void skedi_log_notes(const sked_engine *e);

/* A line for a row that was refused. */
void skedi_log_refusal(const sked_engine *e, uint64_t row,
                       const sked_event *event, const sked_error *why);

/* Does the host want lines of this level? */
static inline int skedi_log_wants(const sked_engine *e, uint32_t level)
{
    return e->hooks.host.log && level <= e->hooks.host.log_level;
}

#endif
