#ifndef SKEDI_DRF_HDRF_TREE_H
#define SKEDI_DRF_HDRF_TREE_H

/*
 * Inside a sked_hdrf. Every inner node keeps two sums over its children, kind
 * by kind: weight times direction of the children that are not blocked, and the
 * parts of the blocked children. Every inner node also keeps a winner tree of
 * the children's keys. Both sums are integers. A child can therefore be
 * subtracted and added back after a change, with the same result as a new
 * summation.
 */

#include <sched/hdrf.h>

#include "base/hooks.h"
#include "drf/key.h"
#include "base/winner.h"

enum { SKEDI_HDRF_BLOCKED = 1, SKEDI_HDRF_SAID = 2 /* by the host */ };

/* A node without its rows. */
typedef struct skedi_hdrf_node {
    uint64_t share;   /* the largest part that counts */
    uint64_t key;     /* the share over the weight */
    uint64_t inverse; /* of the weight */
    uint32_t parent;
    uint32_t weight;
    uint32_t player; /* number among the siblings */
    uint32_t inner;  /* index of an inner node, or SKED_HDRF_NONE: a leaf */
    uint32_t blocked;
    uint32_t spare;
} skedi_hdrf_node;

/* The children of an inner node. */
typedef struct skedi_hdrf_family {
    uint32_t first; /* in `kid` */
    uint32_t n;
    uint32_t block; /* first block of keys */
    uint32_t blocks;
} skedi_hdrf_family;

/* How much was done, for tests. */
typedef struct skedi_hdrf_work {
    uint64_t nodes;  /* computed */
    uint64_t climbs; /* changes carried upwards singly */
    uint64_t builds; /* of all nodes */
} skedi_hdrf_work;

struct sked_hdrf {
    skedi_hooks hooks;
    uint32_t kinds;
    uint32_t n;
    uint32_t inners;
    uint32_t blocks; /* of all families */
    skedi_hdrf_node *node;
    int64_t *pending;
    int64_t *usage;      /* rows, of leaves */
    int64_t *demand;     /* rows, of leaves */
    uint64_t *part;      /* rows: parts of the capacity, 2^62 is all */
    uint64_t *direction; /* rows: parts over the share, 2^62 is equal */
    skedi_hdrf_family *family;
    skedi_u128 *rising; /* rows of inner nodes */
    skedi_u128 *still;  /* rows of inner nodes */
    uint32_t *kid;      /* children, family by family */
    uint64_t *key;      /* blocks of keys, family by family */
    skedi_winner *winner;
    uint32_t full;      /* kinds, a bit each */
    uint32_t said_full; /* full kinds declared by the host */
    skedi_hdrf_work work;
    skedi_u128 used[SKED_MAX_KINDS];
    int64_t capacity[SKED_MAX_KINDS];
    skedi_drf_scale scale[SKED_MAX_KINDS];
};

static inline size_t skedi_hdrf_row(const sked_hdrf *tree, uint32_t node)
{
    return (size_t)node * tree->kinds;
}

static inline int skedi_hdrf_is_leaf(const sked_hdrf *tree, uint32_t node)
{
    return node < tree->n && tree->node[node].inner == SKED_HDRF_NONE;
}

/* The order of a family. */
static inline skedi_winners skedi_hdrf_order(const sked_hdrf *tree,
                                             const skedi_hdrf_family *family)
{
    skedi_winners order = {
        tree->key + (size_t)family->block * SKEDI_WINNER_BLOCK,
        tree->winner + 2 * (size_t)family->block, family->blocks};

    return order;
}

/* The next child of an inner node; SKED_HDRF_NONE: no child. */
static inline uint32_t skedi_hdrf_first(const sked_hdrf *tree, uint32_t inner)
{
    const skedi_hdrf_family *family = &tree->family[inner];
    const skedi_winner *best = &skedi_hdrf_order(tree, family).node[1];

    if (best->key == SKEDI_WINNER_OUT) return SKED_HDRF_NONE;
    return tree->kid[family->first + best->player];
}

#endif
