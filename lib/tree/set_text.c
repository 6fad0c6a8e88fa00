/*
 * Texts of the draft: labels and users' weights; and what the text form leaves
 * there, lines and the file's name.
 */
#include <string.h>

#include "tree/handle.h"
#include "tree/users.h"

size_t skedi_tree_text_size(const sked_tree *tree, skedi_text text)
{
    return text ? strlen(skedi_tree_text(tree, text)) + 1 : 0;
}

const char *skedi_tree_users(const sked_tree *tree, skedi_text users)
{
    return users ? skedi_tree_text(tree, users) : NULL;
}

size_t skedi_tree_text_bytes(const sked_tree *tree, uint32_t slot)
{
    const skedi_slot *q = &tree->draft.slot[slot];

    return skedi_tree_text_size(tree, q->name) +
           skedi_tree_text_size(tree, q->label) +
           skedi_users_bytes(skedi_tree_users(tree, q->users));
}

/* Replaces a text by what stands at `now`, for which there is memory. */
static void text_swap(sked_tree *tree, skedi_text *held, const char *now)
{
    size_t bytes = *now ? strlen(now) + 1 : 0;

    tree->draft.text_bytes += (uint64_t)bytes -
                              skedi_tree_text_size(tree, *held);
    *held = bytes ? skedi_tree_text_put(tree, now, bytes) : 0;
}

sked_status sked_tree_set_text(sked_tree *tree, sked_queue_id queue,
                               int32_t attribute, const char *text,
                               sked_error *err)
{
    uint32_t slot;

    if (!tree) return skedi_fail_null(err, "tree");
    if (!skedi_attr_of(attribute, SKEDI_SHAPE_TEXT)) {
        skedi_fault at = {.got = attribute};
        return skedi_fail(err, SKED_ERR_ARG, "no such attribute", at);
    }
    sked_status rc = skedi_tree_open(tree, queue, 0, &slot, err);
    if (rc != SKED_OK) return rc;
    skedi_slot *q = &tree->draft.slot[slot];
    if (!text) text = "";
    if (strcmp(skedi_tree_text(tree, q->label), text) == 0) return SKED_OK;
    if (!skedi_tree_text_ensure(tree, strlen(text) + 1)) {
        return skedi_fail_memory(err);
    }

    text_swap(tree, &q->label, text);
    skedi_draft_touch(&tree->draft, slot, SKEDI_TOUCH_TEXT);
    skedi_tree_note_text(tree, SKEDI_EDIT_TEXT, slot, text);
    return SKED_OK;
}

static sked_status user_check(const char *user, int64_t weight, sked_error *err)
{
    const skedi_attr *attr = skedi_attr_at(SKEDI_AT_WEIGHT);
    skedi_fault at = {.got = weight, .limit = attr->high};

    if (!user || !*user) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "a user needs a name");
    }
    if (weight == SKED_UNSET || skedi_attr_takes(attr, 1, weight)) {
        return SKED_OK;
    }
    return skedi_fail(err, SKED_ERR_RANGE, "weight is out of range", at);
}

/* Writes the new list; `weight` -1 leaves the user out. */
static sked_status user_put(sked_tree *tree, uint32_t slot, const char *user,
                            int64_t weight, sked_error *err)
{
    skedi_slot *q = &tree->draft.slot[slot];
    const char *list = skedi_tree_users(tree, q->users);
    size_t bytes = skedi_users_size_with(list, user, weight);
    skedi_text text = 0;

    if (bytes > 0) {
        if (!skedi_tree_text_ensure(tree, bytes)) {
            return skedi_fail_memory(err);
        }
        char *to = skedi_texts_claim(&tree->texts[tree->text_live], bytes,
                                     &text);
        skedi_users_write(to, list, user, weight);
    }
    tree->draft.text_bytes += (uint64_t)bytes - skedi_users_bytes(list);
    q->users = text;
    skedi_draft_touch(&tree->draft, slot, SKEDI_TOUCH_TEXT);
    skedi_tree_note_text(tree, SKEDI_EDIT_USER, slot, user);
    skedi_tree_note(tree, SKEDI_EDIT_USER, slot, (uint64_t)weight);
    return SKED_OK;
}

sked_status sked_tree_set_user_weight(sked_tree *tree, sked_queue_id queue,
                                      const char *user, int64_t weight,
                                      sked_error *err)
{
    uint32_t slot;

    if (!tree) return skedi_fail_null(err, "tree");
    sked_status rc = user_check(user, weight, err);
    if (rc == SKED_OK) rc = skedi_tree_open(tree, queue, 0, &slot, err);
    if (rc != SKED_OK) return rc;

    const char *list = skedi_tree_users(tree, tree->draft.slot[slot].users);
    if (weight == SKED_UNSET) weight = -1;
    if (skedi_users_find(list, user) == weight) return SKED_OK;
    return user_put(tree, slot, user, weight, err);
}

sked_status sked_tree_user_weight(const sked_tree *tree, sked_queue_id queue,
                                  const char *user, int64_t *weight)
{
    if (!tree || !user || !weight) return SKED_ERR_ARG;
    uint32_t row = skedi_image_row(skedi_tree_live(tree), queue);
    if (row == SKEDI_NO_ROW) return SKED_ERR_STALE;

    skedi_text users = skedi_tree_live(tree)->users[row];
    int64_t found = skedi_users_find(skedi_tree_users(tree, users), user);
    *weight = found < 0 ? 1 : found;
    return SKED_OK;
}

const char *sked_tree_get_text(const sked_tree *tree, sked_queue_id queue,
                               int32_t attribute)
{
    if (!tree || !skedi_attr_of(attribute, SKEDI_SHAPE_TEXT)) return NULL;
    uint32_t row = skedi_image_row(skedi_tree_live(tree), queue);
    if (row == SKEDI_NO_ROW) return NULL;
    return skedi_tree_text(tree, skedi_tree_live(tree)->label[row]);
}

void skedi_tree_set_line(sked_tree *tree, uint32_t slot, uint32_t line)
{
    skedi_slot *q = &tree->draft.slot[slot];

    if (q->line == line) return;
    q->line = line;
    skedi_draft_touch(&tree->draft, slot, SKEDI_TOUCH_TEXT);
}

int skedi_tree_set_file(sked_tree *tree, const char *file)
{
    skedi_draft *draft = &tree->draft;

    if (strcmp(skedi_tree_text(tree, draft->file), file) == 0) return 1;
    if (!skedi_tree_text_ensure(tree, strlen(file) + 1)) return 0;
    text_swap(tree, &draft->file, file);
    skedi_draft_touch(draft, 0, SKEDI_TOUCH_TEXT);
    return 1;
}
