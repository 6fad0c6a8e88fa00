#ifndef SKEDI_ENGINE_CORE_SHARE_H
#define SKEDI_ENGINE_CORE_SHARE_H

/* How many tasks of a gang over nodes one node takes. */

#include "engine/state.h"

/* Does an ask take of every node what its fit says? */
int skedi_gang_takes_all(const sked_engine *e, uint32_t ask);

/* How many tasks of an ask are on a node. O(groups there). */
int64_t skedi_gang_there(const sked_engine *e, uint32_t ask, uint32_t node);

/* Of so many tasks that fit a node, those that an ask may start there: at most
 * so many run there together. */
int64_t skedi_gang_allowed(const sked_engine *e, uint32_t ask, uint32_t node,
                           int64_t fit);

/* Has a node this value of an attribute? O(log attributes of the node). */
int skedi_node_has(const sked_engine *e, uint32_t node, uint64_t key,
                   int64_t value);

/* So many of its tasks start on a node now, if that is of the partition. */
int64_t skedi_gang_on(const sked_engine *e, uint32_t ask, uint32_t node,
                      uint32_t partition);

#endif
