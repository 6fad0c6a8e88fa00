#ifndef SKEDI_ENGINE_PREEMPT_STARTED_H
#define SKEDI_ENGINE_PREEMPT_STARTED_H

/* What leaves have started since the last round, and which kill orders wait for
 * it. */

#include "engine/preempt/rounds.h"

/* Tasks of an ask have started on a node. */
void skedi_started_note(sked_engine *e, uint32_t ask, uint32_t node,
                        int64_t count);

/* Memory to count by, before a round. 0: there is none. */
int skedi_started_ready(sked_engine *e);

/* The round is over: counts anew. */
void skedi_started_restart(sked_engine *e);

/* Is a step, before it is planned, one whose kill orders may wait? */
int skedi_started_waits(const round_part *part, const plan_want *want);

/* Of steps that have become due since the last round, as many wait for one more
 * as their leaves have started since. 0: no memory. */
int skedi_started_hold(sked_engine *e);

#endif
