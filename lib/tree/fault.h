#ifndef SKEDI_TREE_FAULT_H
#define SKEDI_TREE_FAULT_H

#include "base/arith.h"
#include "tree/handle.h"

/* Collects faults: the first `cap` of them in a list, and the first error. */
typedef struct skedi_fault_sink {
    const sked_tree *tree;
    sked_fault *faults;
    size_t cap;
    size_t n;
    size_t errors;
    sked_fault first;
} skedi_fault_sink;

/* The sums over the children of a queue. */
typedef struct skedi_sum_below {
    skedi_u128 guarantee[SKED_MAX_KINDS]; /* sum of stated guarantees */
    int64_t has[SKED_MAX_KINDS];          /* own: stated or lifted */
    int lifted;                           /* 1: states none, `has` is the sum */
    int64_t parts;                        /* ppm */
    int64_t n_parts;                      /* children with a part */
    int64_t n_amounts;
    int64_t n_weighty; /* children with a weight */
    int64_t highest;   /* priority of a child */
    int64_t lowest;    /* among children with a guarantee; INT64_MAX: none */
} skedi_sum_below;

void skedi_family_add(const skedi_draft *draft, uint32_t slot,
                      skedi_sum_below *sum);

/* A sum as an amount; INT64_MAX if the sum is larger. */
int64_t skedi_sum_amount(skedi_u128 sum);

/* Is any amount above 0? `amounts` may be NULL: no. */
int skedi_any_guaranteed(const int64_t *amounts, uint32_t kinds);

/* Does a queue state its own guarantee, as an amount or a part? */
int skedi_rules_states(const skedi_draft *draft, uint32_t slot);

/* Returns SKED_ERR_INVALID with the first error of the draft, or SKED_OK.
 * `image` holds the rows of the draft. */
sked_status skedi_faults_refuse(const sked_tree *tree, const skedi_image *image,
                                sked_error *err);

/*
 * Do the touched queues have an error? The last commit had no errors, hence
 * only touched queues and their ancestors are checked. The answer is exact if
 * no queue came, went or moved.
 */
int skedi_faults_touched(sked_tree *tree);

#endif
