#ifndef SKEDI_HISTORY_CURVE_H
#define SKEDI_HISTORY_CURVE_H

/*
 * Lengths by amount: an ordered set of amounts, each with the time for which
 * the amount was held. The set finds in O(log n) the amount at which the times
 * reach a sum. Answers depend only on the contents, not on the order of
 * additions.
 */

#include "base/arith.h"
#include "base/mem.h"

typedef struct skedi_curve_node {
    uint64_t amount;
    uint64_t length;  /* 0: not in any more */
    uint64_t sum;     /* lengths in this subtree */
    skedi_u128 usage; /* amount * length in this subtree */
    uint32_t left;    /* node + 1; 0: none */
    uint32_t right;
    uint32_t count; /* nodes in this subtree */
    uint32_t unused;
} skedi_curve_node;

/* Start from all zeros. */
typedef struct skedi_curve {
    skedi_curve_node *node;
    uint32_t *order; /* scratch for building anew */
    size_t node_cap; /* capacity of `node` */
    size_t order_cap;
    uint32_t n;    /* nodes that were ever taken */
    uint32_t free; /* node + 1 of a list through `left` */
    uint32_t n_free;
    uint32_t gone; /* nodes in the tree of length 0 */
    uint32_t root; /* node + 1; 0: empty */
} skedi_curve;

/* An amount, and the lengths below and up to the amount. */
typedef struct skedi_curve_place {
    uint64_t amount;
    uint64_t below;   /* lengths of all smaller amounts */
    uint64_t covered; /* lengths up to and with this one */
} skedi_curve_place;

/* Memory for `more` new amounts. 0: no memory, nothing changed. */
int skedi_curve_reserve(skedi_curve *a, size_t more, skedi_mem *mem);
void skedi_curve_free(skedi_curve *a, skedi_mem *mem);

/* The rest never allocates. */

/* `length` more of an amount; both above 0, with memory for a new one. */
void skedi_curve_add(skedi_curve *a, uint64_t amount, uint64_t length);

/* `length` less of an amount that has as much. */
void skedi_curve_take(skedi_curve *a, uint64_t amount, uint64_t length);

static inline uint64_t skedi_curve_sum(const skedi_curve *a)
{
    return a->root ? a->node[a->root - 1].sum : 0;
}

/* Different amounts that are in. */
static inline uint32_t skedi_curve_count(const skedi_curve *a)
{
    return a->root ? a->node[a->root - 1].count - a->gone : 0;
}

/* True if a node exists for an amount, with any length. */
int skedi_curve_has(const skedi_curve *a, uint64_t amount);

/* The least amount up to which lengths reach `need`, 1 to the sum. */
skedi_curve_place skedi_curve_at(const skedi_curve *a, uint64_t need);

/* Sum of amount * length of all amounts up to `most`. */
skedi_u128 skedi_curve_usage(const skedi_curve *a, uint64_t most);

/* Lengths of all amounts up to `most`. */
uint64_t skedi_curve_upto(const skedi_curve *a, uint64_t most);

/* All amounts, rising, each with the lengths up to it. */
void skedi_curve_list(const skedi_curve *a, int64_t *amount, int64_t *covered);

/* True if amounts are in order, sums are right and subtrees are balanced. For
 * tests. */
int skedi_curve_are_sound(const skedi_curve *a);

#endif
