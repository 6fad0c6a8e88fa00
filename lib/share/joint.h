#ifndef SKEDI_SHARE_JOINT_H
#define SKEDI_SHARE_JOINT_H

/*
 * The shares of a tree, all kinds jointly, with guarantees and limits. The
 * engine uses the shares for placement, claims and the choice of victims.
 * docs/engine.md, *Shares*, is the definition. The method is progressive
 * filling (filling.h).
 *
 *   top   max(most, kept)
 *   most  the largest amount that a row can use; for a parent min(cap, sum of
 *         the children's tops)
 *
 * A kind is contended in a family if the sum of the children's tops exceeds the
 * parent's share. In a kind without contention, the share of a child is its
 * top.
 *
 * Columns are ordered by kind: the entry of kind k and row r is at
 * k * rows + r. Rows have the order of an image: siblings are contiguous,
 * parents precede children.
 */

#include "base/mem.h"
#include "base/real.h"
#include "fill/solve.h"

/* Running and wanted tasks of a leaf with equal amounts. */
typedef struct skedi_joint_profile {
    const int64_t *task; /* one amount a kind */
    int64_t tasks;
    skedi_real end;  /* scratch: number of tasks in the last filling */
    skedi_real slow; /* scratch */
    int64_t reached; /* answer: most tasks in a filling, rounded up */
    int32_t whole;   /* answer: 1: a filling reached all tasks */
    int32_t unused;
} skedi_joint_profile;

typedef struct skedi_joint {
    uint32_t rows;
    uint32_t kinds;
    uint32_t profiles;
    int32_t filled; /* answer: 1: the tree needed a filling */
    const uint32_t *first_child;
    const uint8_t *order;     /* of the children: enum sked_order_policy */
    const uint8_t *fair_kind; /* of order `fair` */
    const uint32_t *weight;
    const int64_t *capacity; /* one amount a kind */

    /* Set by the caller, after skedi_joint_ensure(). */
    uint32_t *first_profile; /* rows + 1: profiles are grouped by leaf */
    skedi_joint_profile *profile;
    int64_t *cap;       /* own limit of a row */
    int64_t *guarantee; /* in force */
    int64_t *kept;      /* amount kept free for the row */
    int64_t *most;      /* of leaves; parents are computed */

    /* Answers. */
    int64_t *share;
    int64_t *part;       /* by weight and guarantee alone, kind by kind */
    int64_t *claim;      /* guaranteed part of the share */
    uint32_t *contended; /* of a parent: contended kinds, one bit each */
    uint32_t *named;     /* kinds with a guarantee for the row or an ancestor */

    /* Stability of the answers. A change of demand has no effect in kinds that
     * were always contended, under two conditions: each profile not `whole`
     * still wants at least `reached` tasks, and each top is above its peak. */
    int64_t *peak;    /* largest part or share in any round */
    uint32_t *ever;   /* of a parent: kinds contended in any round */
    uint32_t *always; /* of a parent: kinds contended in all rounds */

    /* Scratch. */
    int64_t *top;
    int64_t *floor;
    skedi_real *held; /* row x 2 kinds: held amounts, used amounts */
    skedi_fill_work work;
    void *filling;

    void *block; /* memory of all columns except the tree's */
    size_t bytes;
} skedi_joint;

/* Reserves columns for `rows`, `kinds` and `profiles`. Previous contents are
 * lost. Returns 0 without memory; the columns are then unchanged. */
int skedi_joint_ensure(skedi_joint *j, skedi_mem *mem, size_t rows,
                       size_t kinds, size_t profiles);
void skedi_joint_free(skedi_joint *j, skedi_mem *mem);

/* Computes all answers, with at most four fillings (filling.h). Without a
 * contended kind, no filling is necessary. */
void skedi_joint_compute(skedi_joint *j);

#endif
