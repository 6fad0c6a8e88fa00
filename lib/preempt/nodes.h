#ifndef SKEDI_PREEMPT_NODES_H
#define SKEDI_PREEMPT_NODES_H

#include "preempt/scene.h"

/* What one copy of a lot holds on one node. */
typedef struct skedi_holding {
    const int64_t *gift;
    uint32_t lot;
    uint32_t node;
} skedi_holding;

/* What is free, and what lots hold, by node; without nodes, on node 0. */
typedef struct skedi_nodes {
    skedi_scene *scene;
    int64_t *free;          /* nodes x kinds: as planned so far */
    skedi_holding *holding; /* by node, each node's in the lots' order */
    uint32_t *first;        /* by node, where its holdings begin; n + 1 */
    uint32_t *busy;         /* nodes with any */
    int64_t *gift;          /* of gangs, added up by node */
    uint32_t n;             /* nodes */
    uint32_t n_holding;
    uint32_t n_busy;
    uint32_t gang_rows; /* capacity of `gift`, in rows */
} skedi_nodes;

/* SKED_OK, SKED_ERR_NOMEM or SKED_ERR_RANGE; close it all the same. */
sked_status skedi_nodes_open(skedi_nodes *nodes, skedi_scene *scene,
                             sked_error *err);
void skedi_nodes_close(skedi_nodes *nodes);

/* What copies of a lot hold becomes free everywhere. */
void skedi_nodes_free(skedi_nodes *nodes, const skedi_lot *lot,
                      uint32_t copies);
/* How many copies could be held again, up to `most`, and holding them. */
uint32_t skedi_nodes_spare(skedi_nodes *nodes, const skedi_lot *lot,
                           uint32_t most);
void skedi_nodes_hold(skedi_nodes *nodes, const skedi_lot *lot,
                      uint32_t copies);

/* How many of `amount` fit into what is free on a node, up to `most`. */
uint32_t skedi_nodes_fit(const skedi_nodes *nodes, uint32_t node,
                         const int64_t *amount, uint32_t most);

static inline uint32_t skedi_node_of(const sked_preempt_input *in, uint32_t row)
{
    return in->n_nodes ? in->node[row] : 0;
}

#endif
