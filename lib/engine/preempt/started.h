#ifndef SKEDI_ENGINE_PREEMPT_STARTED_H
#define SKEDI_ENGINE_PREEMPT_STARTED_H

/* What leaves have started by their turn since the last round, and which kill
 * orders wait for it. */

#include "engine/preempt/rounds.h"

/* How far kill orders for steps of a leaf wait for a round (started.c). */
enum round_wait {
    ROUND_WAIT_NOT,
    ROUND_WAIT_PART, /* of as many steps as it has started by their turn */
    ROUND_WAIT_WHOLE /* of all its steps, if it has started so much, or none */
};

/* Tasks of an ask have started on a node by their turn. */
void skedi_started_note(sked_engine *e, uint32_t ask, uint32_t node,
                        int64_t count);

/* Memory to count by, before a round. 0: there is none. */
int skedi_started_ready(sked_engine *e);

/* A hash of what is counted, by queue and partition. */
uint64_t skedi_started_digest(const sked_engine *e);

/* The round is over: counts anew. */
void skedi_started_restart(sked_engine *e);

/* How far may the kill orders of a step wait? It is not planned yet. */
enum round_wait skedi_started_waits(const round_part *part,
                                    const plan_want *want);

/* Steps that have become due since the last round wait for one more, as far as
 * their leaves have started by their turn since. 0: no memory. */
int skedi_started_hold(sked_engine *e);

#endif
