/*
 * Texts that are no longer named. They stay in the store that draft and commit
 * share until they take too much of it; then a commit copies the others to a
 * second store, and the two change places.
 */
#include "tree/handle.h"
#include "tree/users.h"

static skedi_text text_moved(sked_tree *tree, skedi_text text, size_t bytes)
{
    skedi_texts *to = &tree->texts[!tree->text_live];

    return text ? skedi_texts_put(to, skedi_tree_text(tree, text), bytes) : 0;
}

void skedi_tree_texts_move(sked_tree *tree, skedi_image *image)
{
    skedi_draft *draft = &tree->draft;

    for (uint32_t r = 0; r < image->n; r++) {
        skedi_slot *q = &draft->slot[(uint32_t)image->id[r]];
        q->name = text_moved(tree, q->name,
                             skedi_tree_text_size(tree, q->name));
        q->label = text_moved(tree, q->label,
                              skedi_tree_text_size(tree, q->label));
        q->users = text_moved(
            tree, q->users,
            skedi_users_bytes(skedi_tree_users(tree, q->users)));
        image->name[r] = q->name;
        image->label[r] = q->label;
        image->users[r] = q->users;
    }
    draft->file = text_moved(tree, draft->file,
                             skedi_tree_text_size(tree, draft->file));
    image->file = draft->file;
    tree->text_live = !tree->text_live;
}

int skedi_tree_texts_stale(const sked_tree *tree)
{
    uint64_t used = skedi_texts_used(skedi_tree_texts(tree));
    uint64_t named = tree->draft.text_bytes + 1;

    if (named >= SKEDI_TEXT_SPARE || used <= named) return 0;
    if (skedi_texts_spare(skedi_tree_texts(tree)) < tree->reserved_text) {
        return 1;
    }
    return used - named > named + 4096;
}

int skedi_tree_texts_ensure(sked_tree *tree)
{
    skedi_texts *to = &tree->texts[!tree->text_live];

    skedi_texts_clear(to);
    /* Texts that are in memory have a length that fits a size. */
    return skedi_texts_ensure(to, &tree->hooks.mem,
                              (size_t)tree->draft.text_bytes + 1);
}
