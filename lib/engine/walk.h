#ifndef SKEDI_ENGINE_WALK_H
#define SKEDI_ENGINE_WALK_H

/* Filling a node: from the root down to an ask, again and again. */

#include "engine/state.h"

/* One pass over a node, of at most `budget` decisions. SKED_OK; SKED_STOPPED
 * when as many wait as may, or the budget is used up; SKED_ERR_NOMEM; or what a
 * hook said. What was decided stands, and the node will be looked at again. */
sked_status skedi_pass_node(sked_engine *e, uint32_t node, uint64_t budget);

/* What keeps an ask from running on a node now: SKED_REASON_ORDER when
 * nothing does. `row` is the queue that binds. */
int32_t skedi_ask_refusal(const sked_engine *e, uint32_t ask, uint32_t node,
                          uint32_t *row);

/* Are ask and node still as they were when the host refused? */
int skedi_refusal_holds(const sked_engine *e, const engine_ask *ask,
                        const engine_refusal *refusal);

/* The queue on the path, from the root down, whose head room does not hold a
 * step in this partition; SKEDI_NONE. `kind` is where. */
uint32_t skedi_limit_refusal(const sked_engine *e, uint32_t ask,
                             uint32_t partition, uint32_t *kind);

#endif
