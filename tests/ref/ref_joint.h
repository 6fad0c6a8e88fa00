#ifndef REF_JOINT_H
#define REF_JOINT_H

/*
 * Shares of a tree by joint demand, from their definition (docs/design/shares.md): every sum is added up anew, every level is searched for bit by
 * bit, with whole numbers wide enough for all of it (ref_wide.h).
 *
 * Columns are row after row of the tree (parents first), one amount a kind.
 */

#include "tree/image.h"

/* So many alike tasks of a leaf. */
typedef struct ref_want {
    uint32_t row;
    int64_t count;
    int64_t gang;        /* tasks that start together; 0: each by itself */
    const int64_t *task; /* one amount a kind */
} ref_want;

typedef struct ref_joint {
    const skedi_image *image;
    uint32_t kinds;
    int64_t total[SKED_MAX_KINDS]; /* T */
    const int64_t *said;           /* guarantees, as the tree says them */
    const int64_t *limit;          /* and limits */

    const ref_want *want; /* while shares are made */
    size_t wants;

    /* From tree and capacity. */
    int64_t *cap;
    int64_t *force;  /* G */
    int64_t *lifted; /* G before guarantees are cut */
    int64_t *kept;

    /* From demand. */
    int64_t *hi;
    int64_t *top;
    int64_t *bottom;
    int64_t *share; /* S */
    int64_t *part;  /* E */
    int64_t *claim; /* Gamma */
    uint32_t *hot;  /* by parent: kinds that are contended among its children */
    uint32_t *named;
} ref_joint;

/* Columns, zero; freed by ref_joint_close(). */
void ref_joint_open(ref_joint *j, const skedi_image *image, uint32_t kinds);
void ref_joint_close(ref_joint *j);

/* Needs total, said and limit: bounds, guarantees in force, what is kept. */
void ref_joint_bounds(ref_joint *j);

/* Then, with what the leaves want: shares and what may be claimed of them. */
void ref_joint_shares(ref_joint *j, const ref_want *want, size_t n);

#endif
