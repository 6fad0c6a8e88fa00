/*
 * Keeping a draft aside, so that a long row of edits can be taken back as one:
 * a copy of the draft, and where the texts ended. Texts written since are cut
 * off again, those from before have not moved.
 */
#include "queue/tree_impl.h"

int skedi_tree_save(sked_tree *tree, skedi_saved *saved)
{
    saved->mark = skedi_texts_mark(skedi_tree_texts(tree));
    return skedi_draft_copy(&saved->draft, &tree->hooks.mem, &tree->draft);
}

void skedi_tree_restore(sked_tree *tree, skedi_saved *saved)
{
    skedi_draft_free(&tree->draft, &tree->hooks.mem);
    skedi_texts_cut(&tree->texts[tree->text_live], saved->mark);
    tree->draft = saved->draft;
}

void skedi_tree_forget(sked_tree *tree, skedi_saved *saved)
{
    skedi_draft_free(&saved->draft, &tree->hooks.mem);
}
