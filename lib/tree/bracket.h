#ifndef SKEDI_TREE_BRACKET_H
#define SKEDI_TREE_BRACKET_H

#include "tree/handle.h"

/*
 * A transaction of edits to the draft. Between open and close, edits change the
 * draft as usual. The close keeps all of the edits or undoes all of them.
 * Between open and close, the limits of depth and number of queues are raised,
 * because only the final draft must satisfy the limits.
 */
typedef struct skedi_bracket {
    skedi_draft before;
    skedi_text_mark mark;
    uint32_t max_depth;
    uint32_t max_queues;
} skedi_bracket;

/* Returns SKED_OK, or SKED_ERR_NOMEM; the bracket is then not open. Cost:
 * O(queues). */
sked_status skedi_bracket_open(skedi_bracket *bracket, sked_tree *tree,
                               sked_error *err);

/* Does the draft satisfy the tree's limits? SKED_OK or SKED_ERR_RANGE. */
sked_status skedi_bracket_fits(const skedi_bracket *bracket,
                               const sked_tree *tree, sked_error *err);

/* Closes the bracket: keeps the edits if `rc` is SKED_OK, else undoes all
 * edits. */
void skedi_bracket_close(skedi_bracket *bracket, sked_tree *tree,
                         sked_status rc);

#endif
