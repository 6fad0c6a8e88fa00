#ifndef SKEDI_PREEMPT_NODES_H
#define SKEDI_PREEMPT_NODES_H

#include "preempt/scene.h"

/* The amounts that one copy of a lot holds on one node. */
typedef struct skedi_holding {
    const int64_t *gift;
    uint32_t lot;
    uint32_t node;
} skedi_holding;

/* Free resources and holdings of lots, by node; without nodes, on node 0. */
typedef struct skedi_nodes {
    skedi_scene *scene;
    int64_t *free;          /* nodes x kinds: according to the plan until now */
    skedi_holding *holding; /* by node, each node's in the lots' order */
    uint32_t *first;        /* by node: the first holding; n + 1 */
    uint32_t *busy;         /* nodes with holdings */
    int64_t *gift;          /* of gangs, added up by node */
    uint32_t n;             /* nodes */
    uint32_t n_holding;
    uint32_t n_busy;
    uint32_t gang_rows; /* capacity of `gift`, in rows */
} skedi_nodes;

/* Returns SKED_OK, SKED_ERR_NOMEM or SKED_ERR_RANGE. The caller closes the
 * nodes in any case. */
sked_status skedi_nodes_open(skedi_nodes *nodes, skedi_scene *scene,
                             sked_error *err);
void skedi_nodes_close(skedi_nodes *nodes);

/* Frees the amounts of copies of a lot on every node. */
void skedi_nodes_free(skedi_nodes *nodes, const skedi_lot *lot,
                      uint32_t copies);
/* The first function returns the copies, up to `most`, that could be held
 * again. The second function holds copies again. */
uint32_t skedi_nodes_spare(skedi_nodes *nodes, const skedi_lot *lot,
                           uint32_t most);
void skedi_nodes_hold(skedi_nodes *nodes, const skedi_lot *lot,
                      uint32_t copies);

/* The number of `amount` that fits into a node's free resources, up to `most`.
 */
uint32_t skedi_nodes_fit(const skedi_nodes *nodes, uint32_t node,
                         const int64_t *amount, uint32_t most);

static inline uint32_t skedi_node_of(const sked_preempt_input *in, uint32_t row)
{
    return in->n_nodes ? in->node[row] : 0;
}

#endif
