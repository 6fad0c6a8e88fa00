#ifndef SKEDI_ENGINE_CORE_EXACT_H
#define SKEDI_ENGINE_CORE_EXACT_H

/* Gangs over nodes of which each node takes so many tasks or none
 * (SKED_ASK_EXACT). */

#include "engine/state.h"

/* How nodes share what such a gang lacks. */
typedef struct engine_exact {
    uint64_t key; /* only nodes with this value of the attribute; 0: any */
    int64_t value;
    int64_t made;  /* tasks that go where some are already */
    int64_t whole; /* nodes that take all that one is to have */
    int64_t part;  /* tasks of one node more, which takes fewer; 0: none */
} engine_exact;

/* Do nodes of a partition take `tasks` of it, and how (`exact`, of which the
 * attribute is said)? Yes of any other gang. O(nodes + groups there). */
int skedi_exact_forms(const sked_engine *e, uint32_t ask, uint32_t partition,
                      int64_t tasks, engine_exact *exact);

/* How many of the tasks that it lacks nodes take now; of those with a value of
 * an attribute where `key` is not 0. O(nodes + groups there). */
uint64_t skedi_exact_most(const sked_engine *e, uint32_t ask,
                          uint32_t partition, uint64_t key, int64_t value);

/* Of so many tasks that a node may have, those that it takes; what the nodes
 * after it take is less by these. */
int64_t skedi_exact_share(const sked_engine *e, uint32_t ask, uint32_t node,
                          int64_t may, engine_exact *exact);

#endif
