#ifndef SKEDI_ENGINE_API_EXPLAIN_NODES_H
#define SKEDI_ENGINE_API_EXPLAIN_NODES_H

/* Why no node takes an ask. */

#include "engine/api/explain_list.h"

/* Nodes of a partition that an ask's rule takes and that would hold a task of it
 * (a gang on one node: all of it) when they are empty, and how many tasks of a gang
 * over nodes they would hold. */
typedef struct explain_nodes {
    uint32_t open;      /* all that take work, whatever they are */
    uint32_t taken;     /* of them its rule takes */
    uint32_t large;     /* that take work and that it does not exclude */
    uint32_t draining;  /* that it does not exclude, but drain */
    uint32_t barred;    /* that the host refused for everything */
    uint32_t excluded;  /* that take work, but that it excludes */
    uint64_t tasks;     /* of a gang that the large ones hold */
    uint64_t most;      /* that all of these hold */
    uint64_t unbounded; /* that they would hold if one held any number */
} explain_nodes;

explain_nodes skedi_explain_count(const sked_engine *e, uint32_t ask,
                                  uint32_t partition);

/* Does the rule of an ask keep it from every node that takes work? Not where it
 * would run on nodes that drain, or that the host refused for everything. */
int skedi_explain_rule_binds(const sked_engine *e, uint32_t ask,
                             const explain_nodes *count);

/* The node that comes nearest: the one that passes most, and its reason. */
void skedi_explain_nodes(const sked_engine *e, uint32_t ask, uint32_t partition,
                         explain_list *list);

/* What is reserved for a gang that forms, and for which it is: of the gang, and of
 * what it keeps from a node. */
void skedi_explain_forming(const sked_engine *e, uint32_t ask,
                           uint32_t partition, explain_list *list);

/* How many tasks of a gang the nodes take together: now, or ever. */
void skedi_explain_gang(const sked_engine *e, uint32_t ask, uint32_t partition,
                        explain_list *list);

#endif
