#ifndef SKEDI_SHARE_JOINT_H
#define SKEDI_SHARE_JOINT_H

/*
 * Shares that say what the orders of a tree lead to, with guarantees as floors
 * and limits as ceilings, all kinds jointly. What the engine's placement,
 * claims and victims go by.
 *
 * A family shares what its parent has. Every child would like its `most`, the
 * largest amounts that it could use. Its key there, by its parent's order, says
 * how fast it rises: at level L of the family it has most * L / key of each
 * kind, at most `most` and at least its floor. The level rises until a kind
 * runs out; the children that need more of that kind stay where they are, and
 * the others go on. So there are at most as many steps as kinds.
 *
 *   top    max(most, kept)
 *   floor  max(min(guarantee in force, most), kept); then no more than can be
 *          used beside the child's part of every other kind that is contended,
 *          and of the other kinds as much as goes with it
 *   most   of a parent: min(cap, sum of the children's tops)
 *
 * Kinds of which a family's children do not want more than there is are not
 * contended: there each has its top.
 *
 * Columns stand kind by kind: that of kind k and row r at k * rows + r. Rows
 * are those of an image: siblings side by side, parents before children.
 */

#include "base/mem.h"
#include "fill/solve.h"

/* The most of kind `k` that what is wanted below a row can use with `bound` of
 * kind `j`. */
typedef int64_t (*skedi_beside_fn)(const void *ctx, uint32_t row, uint32_t k,
                                   uint32_t j, int64_t bound);

typedef struct skedi_joint {
    uint32_t rows;
    uint32_t kinds;
    const uint32_t *first_child;
    const uint8_t *order;     /* of the children: enum sked_order_policy */
    const uint8_t *fair_kind; /* of order `fair` */
    const uint32_t *weight;
    const int64_t *capacity; /* one amount a kind */
    skedi_beside_fn beside;
    const void *ctx; /* of `beside` */

    int64_t *cap;       /* what a row may hold by itself */
    int64_t *guarantee; /* in force */
    int64_t *kept;      /* what is kept free for it */
    int64_t *most;      /* leaves' are set by the caller */

    /* Answers. */
    int64_t *share;
    int64_t *part;       /* by weight and floor alone, kind by kind */
    int64_t *claim;      /* what of the share is guaranteed */
    uint32_t *contended; /* of a parent: kinds its children want more of than
                            it has; a bit each */
    uint32_t *named;     /* kinds in which something is guaranteed to it or
                            above it */

    /* Scratch. */
    int64_t *top;
    int64_t *floor;
    uint64_t *key;  /* at `most`, in 2^-62; 0: it does not rise */
    uint8_t *stays; /* 1: what it needs has run out */
    skedi_fill_work work;

    void *block; /* of all columns but the tree's */
    size_t bytes;
} skedi_joint;

/* Columns for so many rows and kinds; what they held is lost. 0: no memory, and
 * nothing has changed. */
int skedi_joint_ensure(skedi_joint *j, skedi_mem *mem, size_t rows,
                       size_t kinds);
void skedi_joint_free(skedi_joint *j, skedi_mem *mem);

/* Computes all answers from tree, cap, guarantee, kept and the leaves' most.
 * O(rows kinds) expected, each family by the kinds that run out in it. */
void skedi_joint_compute(skedi_joint *j);

#endif
