#ifndef SKEDI_ORDER_FAIR_TREE_H
#define SKEDI_ORDER_FAIR_TREE_H

#include "base/hooks.h"
#include <sched/fair_tree.h>

/* What is ranked: columns by node, parents first, shares and usage sound. */
typedef struct skedi_fair_nodes {
    const uint32_t *parent; /* of node 0 it is not read */
    const uint32_t *shares; /* NULL: 1 each */
    const int64_t *usage;   /* leaves' */
    uint32_t n;
} skedi_fair_nodes;

/* sked_fair_tree_ranks() without its checks of the columns. */
sked_status skedi_fair_rank(const skedi_fair_nodes *nodes, skedi_hooks *hooks,
                            uint32_t *ranks, sked_error *err);

#endif
