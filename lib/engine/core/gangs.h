#ifndef SKEDI_ENGINE_CORE_GANGS_H
#define SKEDI_ENGINE_CORE_GANGS_H

/* Gangs over nodes (SKED_ASK_SPREAD): all that one lacks at once. */

#include <sched/event.h>

#include "engine/state.h"

/* Can an ask start as its flags and its row of gangs say? SKED_OK, SKED_ERR_ARG
 * or SKED_ERR_RANGE. */
sked_status skedi_gang_check(const sked_event *event, sked_event_gang gang,
                             sked_error *err);

/* How many tasks of a gang the nodes of a partition take now, all of them
 * together; never from the counts of fits, which may be old. O(nodes), with
 * `same` for each value. */
uint64_t skedi_gang_space(const sked_engine *e, uint32_t ask,
                          uint32_t partition);

/*
 * Can all that a gang lacks start now, by what the nodes have free? Where it
 * cannot, its partition changes once it may; or `*again` is 1 where nothing
 * tells when, so that every pass is to ask again. Counts of fits must be fresh.
 * O(1), or O(nodes) where the gang does not take all nodes.
 */
int skedi_gang_forms(sked_engine *e, uint32_t ask, uint32_t partition,
                     int *again);

/* May a gang of this shape start as far as the counts of fits tell, whichever
 * nodes it refuses? If not, the partition changes once one may. O(1). */
int skedi_gang_class_forms(sked_engine *e, uint32_t shape, uint32_t partition);

/* May a gang that grows start one task more on a node that has enough free? */
int skedi_gang_grows_on(const sked_engine *e, uint32_t ask, uint32_t node);

/* May so many tasks of a gang start on a node that is reserved for them, beside
 * tasks of it that run? No where more than `per_node` would run there, of an
 * exact gang also where fewer would on a node that has none, and where the node
 * does not share their value of `same`. Yes where none runs. O(its groups + groups there). */
int skedi_gang_joins(const sked_engine *e, uint32_t ask, uint32_t node,
                     int64_t count);

/* Have tasks of it a kill order of a round, and not ended yet? Then nothing of
 * it starts. O(its groups). */
int skedi_gang_is_ending(const sked_engine *e, uint32_t ask);

/* Starts so many tasks of a gang on a node, in a group for each run of numbers;
 * what it has waited for places counts for all of it. Memory was reserved. */
void skedi_gang_fill(sked_engine *e, uint32_t ask, uint32_t account,
                     uint32_t node, int64_t count, int32_t reason);

/* Starts all that a gang lacks, for which skedi_gang_forms() said yes. SKED_OK,
 * or SKED_ERR_NOMEM, and nothing changed. O(nodes + nodes taken * what a start
 * costs). */
sked_status skedi_gang_start(sked_engine *e, uint32_t ask, uint32_t account,
                             uint32_t partition);

#endif
