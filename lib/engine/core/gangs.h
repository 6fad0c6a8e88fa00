#ifndef SKEDI_ENGINE_CORE_GANGS_H
#define SKEDI_ENGINE_CORE_GANGS_H

/* Gangs over nodes (SKED_ASK_SPREAD): all that one lacks at once. */

#include <sched/event.h>

#include "engine/state.h"

/* Can an ask start as its flags and its row of gangs say? SKED_OK, SKED_ERR_ARG or
 * SKED_ERR_RANGE. */
sked_status skedi_gang_check(const sked_event *event, sked_event_gang gang,
                             sked_error *err);

/* How many tasks of an ask nodes of a partition take now, all of them together;
 * for nodes that it does not take, too, where that is too few already. Never
 * looks at what was counted, which may be old. O(nodes). */
uint64_t skedi_gang_space(const sked_engine *e, uint32_t ask,
                          uint32_t partition);

/*
 * Does all that an ask lacks start now, by what the nodes have free? Where
 * it does not, a pass looks for it again when it may; or `*again` is 1 where
 * nothing tells when. Counts must be fresh. O(1), or O(nodes) where the ask does
 * not take all nodes.
 */
int skedi_gang_forms(sked_engine *e, uint32_t ask, uint32_t partition,
                     int *again);

/* The same of a class that has one shape, before any ask of it is looked at. */
int skedi_gang_class_forms(sked_engine *e, uint32_t shape, uint32_t partition);

/* May a gang that grows have one task more on a node that has enough free? */
int skedi_gang_grows_on(const sked_engine *e, uint32_t ask, uint32_t node);

/* May so many of its tasks start on a node that is reserved for them, beside those
 * that run? So many run on one node at most, and nodes share a value; of an exact
 * one none may run anywhere. O(its groups + groups there). */
int skedi_gang_joins(const sked_engine *e, uint32_t ask, uint32_t node,
                     int64_t count);

/* Have tasks of it kill orders of a round, and not ended yet? Then none
 * starts. O(its groups). */
int skedi_gang_is_ending(const sked_engine *e, uint32_t ask);

/* Starts so many tasks of one on a node; memory was reserved. */
void skedi_gang_fill(sked_engine *e, uint32_t ask, uint32_t account,
                     uint32_t node, int64_t count, int32_t reason);

/* Starts all that an ask that forms lacks. SKED_OK or SKED_ERR_NOMEM, which
 * changed nothing. O(nodes + nodes taken * what a start costs). */
sked_status skedi_gang_start(sked_engine *e, uint32_t ask, uint32_t account,
                             uint32_t partition);

#endif
