#ifndef SKEDI_ENGINE_CORE_REMAINS_H
#define SKEDI_ENGINE_CORE_REMAINS_H

/* What released tasks still hold of their nodes: they are over for their jobs,
 * users and queues, but have not left their nodes. */

#include "engine/state.h"

/* Memory for the remains of so many more groups. 0: no memory. */
int skedi_remains_reserve(sked_engine *e, uint64_t more);

/* How many released tasks of the group with this name hold something still. */
uint32_t skedi_remains_of(const sked_engine *e, uint64_t name);

/* Releases the last `count` tasks of a group: only its node still holds them.
 * Memory for one more was reserved. */
void skedi_remains_add(sked_engine *e, uint32_t group, uint32_t count);

/* So many released tasks of the group with this name have left their node. */
void skedi_remains_end(sked_engine *e, uint64_t name, uint32_t count);

/* A node has another capacity: released tasks that had it to themselves hold
 * all of it from now on. */
void skedi_remains_follow(sked_engine *e, uint32_t node);

/* How often released tasks hold all of a node, which they had to themselves. */
int64_t skedi_remains_alone(const sked_engine *e, uint32_t node);

/* Forgets all that remains on a node, which is lost. */
void skedi_remains_drop(sked_engine *e, uint32_t node);

/* Adds what released tasks hold on a node to `amounts`. */
void skedi_remains_sum(const sked_engine *e, uint32_t node, int64_t *amounts);

#endif
