/* Which part may be edited, and taking edits back. */
#include "base/fail.h"
#include "tree/handle.h"

sked_status sked_tree_confine(sked_tree *tree, sked_queue_id queue,
                              sked_error *err)
{
    if (!tree) return skedi_fail_null(err, "tree");
    if (skedi_draft_slot(&tree->draft, queue) == SKEDI_NO_SLOT) {
        skedi_fault at = {.queue = queue};
        return skedi_fail(err, SKED_ERR_STALE, "no such queue in the draft",
                          at);
    }
    tree->confined = queue;
    return SKED_OK;
}

/* Entries of names, and slots, that only the draft has. */
static void additions_drop(skedi_draft *draft)
{
    for (uint32_t s = draft->n_slots; s-- > 0;) {
        skedi_slot *q = &draft->slot[s];
        int live = q->flags & SKEDI_SLOT_LIVE;
        int shown = q->flags & SKEDI_SLOT_SHOWN;
        if (live && (!shown || q->flags & SKEDI_SLOT_REKEYED)) {
            skedi_names_drop(&draft->names, q->hash, s);
        }
        if (live && !shown) skedi_draft_give(draft, s);
    }
}

/* One slot as the commit shows it, without its children. */
static void slot_restore(sked_tree *tree, const skedi_image *image,
                         uint32_t row)
{
    uint32_t slot = (uint32_t)image->id[row];
    skedi_slot *q = &tree->draft.slot[slot];

    q->parent = q->first = q->last = q->next = q->prev = SKEDI_NO_SLOT;
    q->n_children = 0;
    q->name = image->name[row];
    q->label = image->label[row];
    q->users = image->users[row];
    q->line = image->line[row];
    q->depth = image->depth[row];
    q->flags = SKEDI_SLOT_LIVE | SKEDI_SLOT_SHOWN;
    if (row == 0) return;

    uint32_t parent = (uint32_t)image->id[image->parent[row]];
    const char *name = skedi_tree_text(tree, q->name);
    q->hash = skedi_piece_hash(skedi_piece_of(name), parent);
    skedi_draft_link(&tree->draft, slot, parent);
}

static void numbers_restore(skedi_draft *draft, const skedi_image *image,
                            uint32_t index)
{
    int64_t *to = draft->number[index].at;

    if (!to) return;
    for (uint32_t r = 0; r < image->n; r++) {
        to[(uint32_t)image->id[r]] = skedi_image_number(image, index, r);
    }
}

static void amounts_restore(skedi_draft *draft, const skedi_image *image,
                            uint32_t index)
{
    int64_t rest = skedi_attr_rest(skedi_attr_at(SKEDI_NUMBERS + index));
    int64_t *to = draft->amount[index].at;

    for (uint32_t k = 0; to && k < image->kinds; k++) {
        const int64_t *from = skedi_image_amounts(image, index, k);
        for (uint32_t r = 0; r < image->n; r++) {
            size_t slot = (uint32_t)image->id[r];
            to[slot * image->kinds + k] = from ? from[r] : rest;
        }
    }
}

static uint64_t text_bytes_of(const sked_tree *tree)
{
    const skedi_image *image = skedi_tree_live(tree);
    uint64_t bytes = skedi_tree_text_size(tree, image->file);

    for (uint32_t r = 0; r < image->n; r++) {
        bytes += skedi_tree_text_bytes(tree, (uint32_t)image->id[r]);
    }
    return bytes;
}

sked_status sked_tree_discard(sked_tree *tree, sked_error *err)
{
    if (!tree) return skedi_fail_null(err, "tree");
    const skedi_image *image = skedi_tree_live(tree);
    skedi_draft *draft = &tree->draft;

    additions_drop(draft);
    for (uint32_t r = 0; r < image->n; r++) slot_restore(tree, image, r);
    for (uint32_t i = 0; i < SKEDI_NUMBERS; i++) {
        numbers_restore(draft, image, i);
    }
    for (uint32_t i = 0; i < SKEDI_AMOUNTS; i++) {
        amounts_restore(draft, image, i);
    }
    skedi_draft_untouch(draft);
    skedi_texts_cut(&tree->texts[tree->text_live], tree->mark);
    draft->n = image->n;
    draft->file = image->file;
    draft->key = image->key;
    draft->text_bytes = text_bytes_of(tree);
    return SKED_OK;
}
