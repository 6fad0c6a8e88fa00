/*
 * The way back. What a computation by change replaces in the results in force
 * stands at the same place in the other results, until the next call.
 */
#include "share/undo.h"

#include <string.h>

skedi_share_undo *skedi_undo_note(skedi_catch_up *c, uint32_t family)
{
    sked_share *share = c->share;
    skedi_share_todo *todo = &share->todo[family];

    if (todo->call != share->call) {
        todo->call = share->call;
        todo->undo = (uint32_t)share->n_undo;
        share->undo[share->n_undo++] = (skedi_share_undo){
            .family = family,
            .dirty = todo->dirty,
            .known = todo->known,
        };
    }
    return &share->undo[todo->undo];
}

void skedi_undo_copy(const skedi_catch_up *c, uint32_t family, uint32_t kind,
                     int from)
{
    const skedi_share_shape *shape = &c->rows->shape;
    const skedi_family *f = &shape->families[family];
    const skedi_share_results *old = &c->share->results[from];
    skedi_share_results *to = &c->share->results[!from];
    size_t first = (size_t)kind * shape->n + f->first;
    size_t state = (size_t)kind * shape->n_families + family;

    memcpy(to->share + first, old->share + first, f->count * sizeof *to->share);
    to->state[state] = old->state[state];
}

void skedi_undo_all(skedi_catch_up *c)
{
    sked_share *share = c->share;
    uint32_t kinds = c->rows->kinds;

    share->must_full = 1;
    for (size_t i = 0; i < share->n_undo; i++) {
        const skedi_share_undo *undo = &share->undo[i];
        share->todo[undo->family].dirty = undo->dirty;
        share->todo[undo->family].changed = 0;
        share->todo[undo->family].known = undo->known;
        for (uint32_t k = 0; k < kinds; k++) {
            if (undo->refilled >> k & 1) {
                skedi_undo_copy(c, undo->family, k, !share->now_results);
            }
        }
        skedi_marks_drop(&share->up, undo->family);
        if (c->was_complete) {
            skedi_marks_drop(&share->down, undo->family);
        } else {
            skedi_marks_add(&share->down, undo->family);
        }
    }
    for (uint32_t k = 0; k < kinds; k++) c->kind[k].share[0] = c->root[k];
}
