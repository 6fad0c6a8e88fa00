#ifndef SKEDI_ENGINE_API_EXPLAIN_NODES_H
#define SKEDI_ENGINE_API_EXPLAIN_NODES_H

/* Why no node takes an ask. */

#include "engine/api/explain_list.h"

/* The node that comes nearest: the one that passes most, and its reason. */
void skedi_explain_nodes(const sked_engine *e, uint32_t ask, uint32_t partition,
                         explain_list *list);

/* How many tasks of a gang the nodes take together: now, or ever. */
void skedi_explain_gang(const sked_engine *e, uint32_t ask, uint32_t partition,
                        explain_list *list);

#endif
