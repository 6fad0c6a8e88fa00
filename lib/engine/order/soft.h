#ifndef SKEDI_ENGINE_ORDER_SOFT_H
#define SKEDI_ENGINE_ORDER_SOFT_H

/*
 * Soft rules of asks, and which of them are in force: of each ask the heaviest
 * first, each where some node meets it with those in force before it. What an
 * ask goes by then is one set; a list that may be to go by another is stale
 * until that was looked at (core/prefer.h).
 */

#include "engine/state.h"

/* The soft rules of an ask; NULL: there are none. */
engine_preferred *skedi_soft_of(const sked_engine *e, uint32_t ask);

/* Memory for the soft rules of one ask more. 0: there is none. */
int skedi_soft_reserve(sked_engine *e);

/* One more of an ask that has fewer than it may; memory was reserved. It uses
 * its set. */
void skedi_soft_add(sked_engine *e, uint32_t ask, engine_preference one);

/* The ask's rule is another set now, which the list uses. */
void skedi_soft_rule(sked_engine *e, engine_preferred *list, uint32_t set);

/* All of an ask are dropped, or those whose moment has come. */
void skedi_soft_clear(sked_engine *e, engine_preferred *list);
void skedi_soft_lapse(sked_engine *e, sked_time now);

/* A list that may be to go by another set; it was looked at. */
void skedi_soft_touch(sked_engine *e, engine_preferred *list);
void skedi_soft_settled(sked_engine *e, engine_preferred *list);

/* Which are in force? Counts anew, O(nodes * soft rules); `sets` is what the ask
 * goes by, its own set first: returns how many, one more than soft rules at
 * most. */
uint32_t skedi_soft_count(sked_engine *e, engine_preferred *list,
                          uint32_t *sets);

/* A node is there from now on, or no more (`by` -1): said before its attributes
 * change, and after. O(soft rules of all asks). */
void skedi_soft_see_node(sked_engine *e, uint32_t node, int by);

/* An ask goes. */
void skedi_soft_forget(sked_engine *e, uint32_t ask);

void skedi_soft_start(sked_engine *e);
void skedi_soft_free(sked_engine *e);

/* Is every count as it should be? For tests. */
int skedi_soft_is_sound(const sked_engine *e);

#endif
