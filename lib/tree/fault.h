#ifndef SKEDI_TREE_FAULT_H
#define SKEDI_TREE_FAULT_H

#include "base/arith.h"
#include "tree/handle.h"

/* Where faults go: the list as far as its capacity goes, and the first
 * error. */
typedef struct skedi_fault_sink {
    const sked_tree *tree;
    sked_fault *faults;
    size_t cap;
    size_t n;
    size_t errors;
    sked_fault first;
} skedi_fault_sink;

/* What the children of a queue add up to. */
typedef struct skedi_sum_below {
    skedi_u128 guarantee[SKED_MAX_KINDS]; /* stated, or lifted by those below */
    int64_t has[SKED_MAX_KINDS]; /* the queue's own: stated, or that sum */
    int lifted;                  /* it states none, and `has` is that sum */
    int64_t parts;               /* ppm */
    int64_t n_parts;             /* children with a part */
    int64_t n_amounts;
    int64_t n_weighty; /* children with a weight */
    int64_t highest;   /* priority of a child */
    int64_t lowest;    /* of a child that states a guarantee; INT64_MAX: none */
} skedi_sum_below;

void skedi_family_add(const skedi_draft *draft, uint32_t slot,
                      skedi_sum_below *sum);

/* A sum as an amount; INT64_MAX: it is more than that. */
int64_t skedi_sum_amount(skedi_u128 sum);

/* Is there any guarantee among amounts? NULL: none. */
int skedi_any_guaranteed(const int64_t *amounts, uint32_t kinds);

/* Does a queue say itself what it is guaranteed, as an amount or a part? */
int skedi_rules_states(const skedi_draft *draft, uint32_t slot);

/* SKED_ERR_INVALID with the first error of the draft, whose rows `image` has,
 * or SKED_OK. */
sked_status skedi_faults_refuse(const sked_tree *tree, const skedi_image *image,
                                sked_error *err);

/*
 * Can what was touched since the last commit, which had no error, have brought
 * one? Looks only there: exact, when no queue came, went or moved.
 */
int skedi_faults_touched(sked_tree *tree);

#endif
