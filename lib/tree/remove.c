/*
 * Removing queues from the draft, children before parents. A slot that the
 * last commit shows stays behind, out of the draft, until the next one.
 */
#include "tree/handle.h"

void skedi_tree_drop(sked_tree *tree, uint32_t slot)
{
    skedi_draft *draft = &tree->draft;
    skedi_slot *q = &draft->slot[slot];
    int shown = q->flags & SKEDI_SLOT_SHOWN;

    if (!shown || q->flags & SKEDI_SLOT_REKEYED) {
        skedi_names_drop(&draft->names, q->hash, slot);
    }
    draft->text_bytes -= skedi_tree_text_bytes(tree, slot);
    skedi_draft_unlink(draft, slot);
    skedi_tree_note(tree, SKEDI_EDIT_REMOVE, slot, 0);
    draft->reshaped = 1;
    draft->n--;
    q->flags = SKEDI_SLOT_SHOWN;
    if (!shown) skedi_draft_give(draft, slot);
}

uint32_t skedi_draft_lowest(const skedi_draft *draft, uint32_t slot)
{
    while (draft->slot[slot].first != SKEDI_NO_SLOT) {
        slot = draft->slot[slot].first;
    }
    return slot;
}

uint32_t skedi_draft_upward(const skedi_draft *draft, uint32_t top,
                            uint32_t slot)
{
    if (slot == top) return SKEDI_NO_SLOT;
    uint32_t next = draft->slot[slot].next;
    return next == SKEDI_NO_SLOT ? draft->slot[slot].parent
                                 : skedi_draft_lowest(draft, next);
}

void skedi_tree_cut(sked_tree *tree, uint32_t top)
{
    skedi_draft *draft = &tree->draft;

    for (uint32_t s = skedi_draft_lowest(draft, top), next; s != SKEDI_NO_SLOT;
         s = next) {
        next = skedi_draft_upward(draft, top, s);
        skedi_tree_drop(tree, s);
    }
}
