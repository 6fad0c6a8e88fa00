#ifndef SKEDI_ENGINE_OUT_H
#define SKEDI_ENGINE_OUT_H

/* Decisions on their way to the host. */

#include "engine/state.h"

/* Room for `more` decisions. 0: no memory. */
int skedi_out_room(sked_engine *e, size_t more);

/* Are as many kept as may be? */
int skedi_out_full(const sked_engine *e);

/*
 * Adds a decision: fills in sequence and time, and from `job` on what the
 * other fields do not say. Room was reserved. It may still grow until the next
 * one, or skedi_out_close().
 */
sked_decision *skedi_out_add(sked_engine *e, sked_decision decision);

/* The last decision, while it may still grow; NULL otherwise. */
sked_decision *skedi_out_last(sked_engine *e);
void skedi_out_close(sked_engine *e);

#endif
