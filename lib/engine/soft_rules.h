#ifndef SKEDI_ENGINE_SOFT_RULES_H
#define SKEDI_ENGINE_SOFT_RULES_H

#include "engine/state.h"

/*
 * Soft rules of asks, and which of them are in force: of each ask the heaviest
 * first, each where some node meets it with those in force before it. What an
 * ask goes by then is one set. A list is stale while its ask may have to go by
 * another set, until that was looked at (skedi_soft_settle(), engine/rules.h).
 */

/* The soft rules of an ask; NULL: there are none. */
engine_preferred *skedi_soft_of(const sked_engine *e, uint32_t ask);

/* Memory for the soft rules of one ask more. 0: there is none. */
int skedi_soft_reserve(sked_engine *e);

/* Adds a soft rule to an ask that has fewer than it may. It counts as a use of
 * its set. Memory was reserved. */
void skedi_soft_add(sked_engine *e, uint32_t ask, engine_preference one);

/* The ask's own rule is another set now. That counts as a use of the set. */
void skedi_soft_rule(sked_engine *e, engine_preferred *list, uint32_t set);

/* Drops all soft rules of an ask; those of all asks whose moment has come. */
void skedi_soft_clear(sked_engine *e, engine_preferred *list);
void skedi_soft_lapse(sked_engine *e, sked_time now);

/* Makes a list stale; notes that it was looked at. */
void skedi_soft_settled(sked_engine *e, engine_preferred *list);

/* Which are in force? Counts anew, O(nodes * soft rules); `sets` is what the
 * ask goes by, its own set first: returns how many, one more than soft rules at
 * most. */
uint32_t skedi_soft_count(sked_engine *e, engine_preferred *list,
                          uint32_t *sets);

/* A node is there from now on (`by` 1), or no more (-1). To be called with -1
 * before what rules say of a node changes, and with 1 after. O(soft rules of
 * all asks). */
void skedi_soft_see_node(sked_engine *e, uint32_t node, int by);

/* Forgets the soft rules of an ask, which goes. */
void skedi_soft_forget(sked_engine *e, uint32_t ask);

void skedi_soft_start(sked_engine *e);
void skedi_soft_free(sked_engine *e);

/* Is every count as it should be? For tests. */
int skedi_soft_is_sound(const sked_engine *e);

#endif
