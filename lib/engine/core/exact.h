#ifndef SKEDI_ENGINE_CORE_EXACT_H
#define SKEDI_ENGINE_CORE_EXACT_H

/* Gangs over nodes of which each node takes so many tasks or none
 * (SKED_ASK_EXACT). */

#include "engine/state.h"

/* How nodes share what such a gang lacks. */
typedef struct engine_exact {
    uint64_t key; /* only nodes with this value of the attribute; 0: any */
    int64_t value;
    int64_t made;  /* tasks that go to nodes that have some of it */
    int64_t whole; /* nodes without any that take `each` tasks */
    int64_t part;  /* tasks of one node more, which takes fewer; 0: none */
} engine_exact;

/* Do nodes of a partition take `tasks` of a gang now, and how? `exact` has the
 * attribute when called, and the rest after it. Yes of a gang that is not
 * exact. O(nodes + groups there). */
int skedi_exact_forms(const sked_engine *e, uint32_t ask, uint32_t partition,
                      int64_t tasks, engine_exact *exact);

/* How many of the tasks that an exact gang lacks nodes take now: only nodes
 * with this value of an attribute, or (`key` 0) all. O(nodes + groups there).
 */
uint64_t skedi_exact_most(const sked_engine *e, uint32_t ask,
                          uint32_t partition, uint64_t key, int64_t value);

/* How many of `tasks` that an exact gang lacks go to nodes of a partition that
 * have some of it, once there is enough free: the others go to nodes that have
 * none. O(nodes + groups there). */
int64_t skedi_exact_made(const sked_engine *e, uint32_t ask, uint32_t partition,
                         int64_t tasks);

/* How many of the `may` tasks that could start on a node start there; takes
 * them off `exact`. */
int64_t skedi_exact_share(const sked_engine *e, uint32_t ask, uint32_t node,
                          int64_t may, engine_exact *exact);

#endif
