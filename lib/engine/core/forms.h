#ifndef SKEDI_ENGINE_CORE_FORMS_H
#define SKEDI_ENGINE_CORE_FORMS_H

/* For which gang over nodes amounts are reserved while it forms: the first in
 * order that cannot start. */

#include "engine/core/forming.h"

static inline int skedi_forming_is_on(const sked_engine *e)
{
    return e->opts.form_nodes > 0;
}

/* Nothing is reserved any more for a gang that stands in no line, or whose time
 * is over. */
void skedi_forming_look_at(sked_engine *e, uint32_t partition);

/* A walk over a node (SKEDI_NONE: all of the partition) begins: what is
 * reserved there is free for what comes before the gang. */
void skedi_forming_begin_walk(sked_engine *e, uint32_t partition,
                              uint32_t node);

/* The turn of a gang has come on a node: can all that it lacks start now? As
 * skedi_gang_forms(), and where it cannot, something may be reserved for it, or
 * for the first gang that could not start in this walk. Memory was reserved. */
int skedi_forming_forms(sked_engine *e, uint32_t ask, uint32_t node,
                        int *again);

/* A gang has started: nothing is reserved for it any more, in any partition. */
void skedi_forming_started(sked_engine *e, uint32_t ask);

/* The walk has ended; `cut`: before everything had its turn. */
void skedi_forming_end_walk(sked_engine *e, uint32_t partition, uint32_t node,
                            int cut);

/* A number that is another one, but for chance, when other amounts are reserved
 * in a partition, or for another gang. 0 where nothing is ever reserved.
 * O(parts). */
uint64_t skedi_forming_mark(const sked_engine *e, uint32_t partition);

/* The functions above where the engine reserves for gangs that form at all. */
static inline void skedi_forming_look(sked_engine *e, uint32_t partition)
{
    if (skedi_forming_is_on(e)) skedi_forming_look_at(e, partition);
}

static inline void skedi_forming_begin(sked_engine *e, uint32_t partition,
                                       uint32_t node)
{
    if (skedi_forming_is_on(e)) skedi_forming_begin_walk(e, partition, node);
}

static inline void skedi_forming_end(sked_engine *e, uint32_t partition,
                                     uint32_t node, int cut)
{
    if (skedi_forming_is_on(e)) skedi_forming_end_walk(e, partition, node, cut);
}

#endif
