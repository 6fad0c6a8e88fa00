#ifndef SKEDI_TREE_BRACKET_H
#define SKEDI_TREE_BRACKET_H

#include "tree/handle.h"

/*
 * Many edits that hold together: between open and close they go to the draft
 * as any others, and are either kept or undone as one. Limits of depth and
 * number are lifted meanwhile, because only the outcome must keep to them.
 */
typedef struct skedi_bracket {
    skedi_draft before;
    skedi_text_mark mark;
    uint32_t max_depth;
    uint32_t max_queues;
} skedi_bracket;

/* SKED_OK or SKED_ERR_NOMEM; then nothing is open. Cost: O(queues). */
sked_status skedi_bracket_open(skedi_bracket *bracket, sked_tree *tree,
                               sked_error *err);

/* Does the draft keep to the tree's limits? SKED_OK or SKED_ERR_RANGE. */
sked_status skedi_bracket_fits(const skedi_bracket *bracket,
                               const sked_tree *tree, sked_error *err);

/* Closes: keeps the edits when `rc` is SKED_OK, undoes them otherwise. */
void skedi_bracket_close(skedi_bracket *bracket, sked_tree *tree,
                         sked_status rc);

#endif
