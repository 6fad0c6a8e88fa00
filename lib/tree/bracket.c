/*
 * The draft is copied and the copy edited in its place, so that undoing is
 * putting the old one back: ids, links, columns and history come back as they
 * were. Texts are only ever added behind the mark, and are cut off again.
 */
#include "tree/bracket.h"

#include "base/arith.h"

enum {
    LIFTED_DEPTH = 2 * SKED_MAX_DEPTH, /* one tree below a leaf of another */
    LIFTED_QUEUES = 2 * SKED_MAX_QUEUES
};

sked_status skedi_bracket_open(skedi_bracket *bracket, sked_tree *tree,
                               sked_error *err)
{
    skedi_draft copy;

    if (!skedi_draft_copy(&copy, &tree->hooks.mem, &tree->draft)) {
        return skedi_fail_memory(err);
    }
    *bracket = (skedi_bracket){
        .before = tree->draft,
        .mark = skedi_texts_mark(skedi_tree_texts(tree)),
        .max_depth = tree->max_depth,
        .max_queues = tree->max_queues,
    };
    tree->draft = copy;
    tree->max_depth = LIFTED_DEPTH;
    tree->max_queues = LIFTED_QUEUES;
    return SKED_OK;
}

static int64_t levels_used(const skedi_draft *draft)
{
    int64_t levels = 1;

    for (uint32_t s = 0; s < draft->n_slots; s++) {
        if (!(draft->slot[s].flags & SKEDI_SLOT_LIVE)) continue;
        levels = skedi_i64_max(levels, draft->slot[s].depth + INT64_C(1));
    }
    return levels;
}

sked_status skedi_bracket_fits(const skedi_bracket *bracket,
                               const sked_tree *tree, sked_error *err)
{
    const skedi_draft *draft = &tree->draft;
    skedi_fault at = {.got = draft->n, .limit = bracket->max_queues};

    if (at.got > at.limit) {
        return skedi_fail(err, SKED_ERR_RANGE, "too many queues", at);
    }
    at.got = levels_used(draft);
    at.limit = bracket->max_depth;
    if (at.got > at.limit) {
        return skedi_fail(err, SKED_ERR_RANGE, "the tree gets too deep", at);
    }
    return SKED_OK;
}

void skedi_bracket_close(skedi_bracket *bracket, sked_tree *tree,
                         sked_status rc)
{
    tree->max_depth = bracket->max_depth;
    tree->max_queues = bracket->max_queues;
    if (rc == SKED_OK) {
        skedi_draft_free(&bracket->before, &tree->hooks.mem);
        return;
    }
    skedi_draft_free(&tree->draft, &tree->hooks.mem);
    tree->draft = bracket->before;
    skedi_texts_cut(&tree->texts[tree->text_live], bracket->mark);
}
