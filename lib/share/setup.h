#ifndef SKEDI_SHARE_SETUP_H
#define SKEDI_SHARE_SETUP_H

/*
 * What handles and the one-shot function have in common: options taken in,
 * the tree as families, and the computation of one kind as a whole.
 */

#include "share/family.h"

/* Takes options in (NULL: defaults). SKED_OK, _ARG, _RANGE or _VERSION. */
sked_status skedi_share_options_in(sked_share_options *options,
                                   skedi_share_model *model,
                                   const sked_share_options *from,
                                   sked_error *err);

/* Rows, parents and amounts of arrays. SKED_OK, _ARG or _RANGE, with the row
 * in `err`. O(n kinds). */
sked_status skedi_share_check_arrays(const sked_share_input *in,
                                     sked_error *err);

/* Memory that a shape's columns are laid out in. */
typedef struct skedi_share_shape_memory {
    skedi_family *families;
    uint32_t *family;
    uint32_t *member;
    size_t rows; /* there is memory for */
} skedi_share_shape_memory;

int skedi_share_shape_ensure(skedi_share_shape_memory *memory, skedi_mem *mem,
                             size_t rows);
void skedi_share_shape_free(skedi_share_shape_memory *memory, skedi_mem *mem);

/* The shape of a tree whose siblings stand side by side, parents first; the
 * root's parent is -1. O(rows). */
skedi_share_shape skedi_share_shape_of(skedi_share_shape_memory *memory,
                                       const int32_t *parent, size_t rows);

/* How far a long computation is. */
typedef struct skedi_share_progress {
    const skedi_hooks *hooks; /* NULL: never asked */
    uint64_t done;            /* queues, of `total` */
    uint64_t total;
    uint64_t asked; /* `done` when the host was last asked */
    uint64_t families;
    uint64_t queues;
} skedi_share_progress;

/* Counts `queues` more; asks the host every fixed number of them. */
sked_status skedi_share_step(skedi_share_progress *progress, uint64_t queues);

/*
 * Computes one kind anew: sums from the leaves up, shares from the root down.
 * Levels in `state` serve as first guesses. SKED_OK, SKED_ERR_CANCELLED or a
 * code of the host's own; then state and shares are half done.
 */
sked_status skedi_share_whole(const skedi_share_kind *kind,
                              skedi_family_memory *memory,
                              skedi_share_progress *progress);

#endif
