#ifndef SKEDI_SHARE_JOINT_H
#define SKEDI_SHARE_JOINT_H

/*
 * The engine's shares of a tree, all kinds jointly, with guarantees and limits:
 * what placement, claims and victims go by. docs/engine.md, *Shares*, defines
 * them; progressive filling (filling.h) finds them.
 *
 *   top   max(most, kept)
 *   most  what a row could use at most; of a parent min(cap, the sum of the
 *         children's tops)
 *
 * A kind is contended in a family when the children's tops add up to more than
 * the parent's share. In other kinds each child has its top.
 *
 * Columns stand kind by kind: that of kind k and row r at k * rows + r. Rows
 * are those of an image: siblings side by side, parents before children.
 */

#include "base/mem.h"
#include "base/real.h"
#include "fill/solve.h"

/* Tasks of a leaf with the same amounts, which run or are wanted. */
typedef struct skedi_joint_profile {
    const int64_t *task; /* one amount a kind */
    int64_t tasks;
    skedi_real end;  /* scratch: the tasks that a filling reached */
    skedi_real slow; /* scratch */
    int64_t reached; /* answer: the most that a filling reached, rounded up */
    int32_t whole;   /* answer: 1: a filling reached all of them */
    int32_t unused;
} skedi_joint_profile;

typedef struct skedi_joint {
    uint32_t rows;
    uint32_t kinds;
    uint32_t profiles;
    int32_t filled; /* answer: 1: some kind was contended on the way */
    const uint32_t *first_child;
    const uint8_t *order;     /* of the children: enum sked_order_policy */
    const uint8_t *fair_kind; /* of order `fair` */
    const uint32_t *weight;
    const int64_t *capacity; /* one amount a kind */

    /* Set by the caller, after skedi_joint_ensure(). */
    uint32_t *first_profile; /* rows + 1: a leaf's profiles stand together */
    skedi_joint_profile *profile;
    int64_t *cap;       /* what a row may hold by itself */
    int64_t *guarantee; /* in force */
    int64_t *kept;      /* what is kept free for it */
    int64_t *most;      /* leaves' */

    /* Answers. */
    int64_t *share;
    int64_t *part;       /* by weight and guarantee alone, kind by kind */
    int64_t *claim;      /* what of the share is guaranteed */
    uint32_t *contended; /* of a parent: kinds its children want more of than
                            it has; a bit each */
    uint32_t *named;     /* kinds in which something is guaranteed to it or
                            above it */

    /* What the answers rest on: as long as no profile that was not whole wants
     * fewer tasks than it reached, and a top stays above its peak, a change of
     * demand changes nothing in kinds that were always contended. */
    int64_t *peak;    /* the largest part or share on the way */
    uint32_t *ever;   /* of a parent: kinds that were contended on the way */
    uint32_t *always; /* kinds that were contended all the way */

    /* Scratch. */
    int64_t *top;
    int64_t *floor;
    skedi_real *held; /* row x kinds twice: what it holds, what it uses */
    skedi_fill_work work;
    void *filling;

    void *block; /* of all columns but the tree's */
    size_t bytes;
} skedi_joint;

/* Columns for so many rows, kinds and profiles; what they held is lost. 0: no
 * memory, and nothing has changed. */
int skedi_joint_ensure(skedi_joint *j, skedi_mem *mem, size_t rows,
                       size_t kinds, size_t profiles);
void skedi_joint_free(skedi_joint *j, skedi_mem *mem);

/* Computes all answers. Up to four fillings (filling.h), none where no kind is
 * contended. */
void skedi_joint_compute(skedi_joint *j);

#endif
