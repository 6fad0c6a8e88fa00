#ifndef SKEDI_SHARE_UNDO_H
#define SKEDI_SHARE_UNDO_H

#include "share/handle.h"

/* The state of one computation by change. */
typedef struct skedi_catch_up {
    sked_share *share;
    const skedi_share_inputs *in;
    const skedi_share_rows *rows;
    skedi_share_progress progress;
    uint32_t n_tree;   /* rows of the tree, first in share->changed */
    uint32_t n_ledger; /* rows of the ledger, after the tree's rows */
    int was_complete;
    skedi_share_kind kind[SKED_MAX_KINDS];
    int64_t root[SKED_MAX_KINDS]; /* the root's shares before */
} skedi_catch_up;

/* Remembers the state of a family before this call, once a call. */
skedi_share_undo *skedi_undo_note(skedi_catch_up *c, uint32_t family);

/* Copies a family's shares and state in one kind from results `from` to the
 * other results. */
void skedi_undo_copy(const skedi_catch_up *c, uint32_t family, uint32_t kind,
                     int from);

/* Puts every kept value back; the next call computes all other values again. */
void skedi_undo_all(skedi_catch_up *c);

#endif
