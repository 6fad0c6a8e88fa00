#ifndef SKEDI_ENGINE_CORE_SHARE_H
#define SKEDI_ENGINE_CORE_SHARE_H

/* How many tasks of a gang over nodes one node takes. */

#include "engine/state.h"

/* May all tasks of a gang that fit a node start there, on every node? */
int skedi_gang_takes_all(const sked_engine *e, uint32_t ask);

/* How many tasks of an ask are on a node. O(groups there). */
int64_t skedi_gang_there(const sked_engine *e, uint32_t ask, uint32_t node);

/* How many of the `fit` tasks that fit a node an ask may start there, by what
 * it refuses, its places, `per_node` and SKED_ASK_EXCLUSIVE. */
int64_t skedi_gang_allowed(const sked_engine *e, uint32_t ask, uint32_t node,
                           int64_t fit);

/* Has a node this value of an attribute? O(log attributes of the node). */
int skedi_node_has(const sked_engine *e, uint32_t node, uint64_t key,
                   int64_t value);

/* How many tasks of a gang could start on a node now: 0 where the node is of
 * another partition or takes no work. */
int64_t skedi_gang_on(const sked_engine *e, uint32_t ask, uint32_t node,
                      uint32_t partition);

#endif
