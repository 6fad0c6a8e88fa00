#ifndef SKEDI_ENGINE_OPEN_H
#define SKEDI_ENGINE_OPEN_H

/* Open tasks of asks: their numbers, and the end of an ask. */

#include "engine/state.h"

/* Opens new tasks of an ask, after those that are open (negative: takes the
 * last ones away) and keeps its job's books; entries follow. Room was
 * reserved. O(ranges). */
void skedi_ask_open(sked_engine *e, uint32_t ask, int64_t by);

/* Will the step of an ask be another when so many of its tasks are open again?
 * Of a gang, when it was more before. */
int skedi_ask_reshapes(const sked_engine *e, uint32_t ask, int64_t count);

/* Room to open tasks of an ask again: a range, entries, the shape of what is
 * left of a gang. 0: no memory. */
int skedi_ask_room(sked_engine *e, uint32_t ask);

/* Node events so far where the ask may run. */
uint64_t skedi_ask_beats(const sked_engine *e, const engine_ask *ask);

/* Forgets what is open of an ask; the ask itself goes when nothing of it
 * runs. */
void skedi_ask_close(sked_engine *e, uint32_t ask);

/* The number of the first open task; there is one. */
int64_t skedi_ask_first(const sked_engine *e, uint32_t ask);

/* Takes the first `count` open tasks, whose numbers follow each other, to run
 * them in a partition. The wait for a place begins anew. */
void skedi_ask_take(sked_engine *e, uint32_t ask, int64_t count,
                    uint32_t partition);

/* Opens tasks again, before all others; of a gang all that is left, which is
 * its step from now on. Room was reserved. */
void skedi_ask_give(sked_engine *e, uint32_t ask, int64_t from, int64_t count);

/* Lets go of an ask of which nothing is open and nothing runs, unless it is to
 * be kept and not closed. */
void skedi_ask_settle(sked_engine *e, uint32_t ask);

#endif
