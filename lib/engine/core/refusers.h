#ifndef SKEDI_ENGINE_CORE_REFUSERS_H
#define SKEDI_ENGINE_CORE_REFUSERS_H

/*
 * Asks that refuse nodes: the host refused the pair, or the node is excluded.
 * They have classes apart from asks of the same shape that refuse none; which
 * of these follows from the nodes, so that asks that refuse the same nodes are
 * together. A node remembers the classes of which every ask refuses it, and a
 * pass passes them by at no cost. What came into line since is asked once.
 */

#include "engine/state.h"

/* So many classes at most are there for asks of one shape that refuse nodes. */
enum { SKEDI_REFUSER_BUCKETS = 8 };

/* Puts an ask into the class that follows from what it refuses and its shape.
 */
void skedi_refusers_follow(sked_engine *e, uint32_t ask);

/*
 * Which of these classes refuse a node? Each ask that was not asked before is
 * asked (`asks_visited`). The node is to be looked at again when the first of
 * their refusals lapses. `*moved` 1: some ask whose refusals had lapsed has
 * another class now, so that this is to be asked again, which costs little.
 */
uint64_t skedi_refusers_of(sked_engine *e, uint32_t node, uint64_t among,
                           int *moved);

/* Is what a node remembers so? For tests. */
int skedi_refusers_are_sound(const sked_engine *e, uint32_t node);

#endif
