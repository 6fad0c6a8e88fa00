#ifndef SKEDI_ENGINE_CORE_REMAINS_H
#define SKEDI_ENGINE_CORE_REMAINS_H

/* What released tasks still hold of their nodes: their jobs, users and queues
 * have done with them, the nodes have not. */

#include "engine/state.h"

/* Memory for the remains of so many more groups. 0: no memory. */
int skedi_remains_reserve(sked_engine *e, uint64_t more);

/* How many released tasks of the group with this name hold something still. */
uint32_t skedi_remains_of(const sked_engine *e, uint64_t name);

/* The last `count` tasks of a group are over for all but its node. Memory was
 * reserved, for one. */
void skedi_remains_add(sked_engine *e, uint32_t group, uint32_t count);

/* The node has done with `count` of the released tasks. */
void skedi_remains_end(sked_engine *e, uint64_t name, uint32_t count);

/* A node is lost, and all that remains there. */
void skedi_remains_drop(sked_engine *e, uint32_t node);

/* Adds what remains on a node. */
void skedi_remains_sum(const sked_engine *e, uint32_t node, int64_t *amounts);

#endif
