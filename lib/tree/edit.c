/*
 * Adding, moving and renaming queues in the draft. Each edit first makes sure
 * of everything that can fail, then changes links, table and history, which
 * cannot.
 */
#include <string.h>

#include "base/hash.h"
#include "tree/handle.h"

static int lies_below(const sked_tree *tree, uint32_t slot, int inside)
{
    const skedi_draft *draft = &tree->draft;

    if (!inside) slot = draft->slot[slot].parent;
    while (slot != SKEDI_NO_SLOT) {
        if (skedi_slot_id(draft, slot) == tree->confined) return 1;
        slot = draft->slot[slot].parent;
    }
    return 0;
}

sked_status skedi_tree_open(const sked_tree *tree, sked_queue_id queue,
                            int inside, uint32_t *slot, sked_error *err)
{
    skedi_fault at = {.queue = queue};

    *slot = skedi_draft_slot(&tree->draft, queue);
    if (*slot == SKEDI_NO_SLOT) {
        return skedi_fail(err, SKED_ERR_STALE, "no such queue in the draft",
                          at);
    }
    if (tree->confined != skedi_slot_id(&tree->draft, 0) &&
        !lies_below(tree, *slot, inside)) {
        return skedi_fail(err, SKED_ERR_STATE,
                          "queue is outside the part that may be edited", at);
    }
    return SKED_OK;
}

void skedi_tree_note(sked_tree *tree, int what, uint32_t slot, uint64_t value)
{
    uint64_t key = skedi_key_mix(tree->draft.key, (uint64_t)what << 32 | slot);

    tree->draft.key = skedi_key_mix(key, value);
}

void skedi_tree_note_text(sked_tree *tree, int what, uint32_t slot,
                          const char *text)
{
    skedi_tree_note(tree, what, slot, skedi_hash_of(text, strlen(text), 0));
}

static sked_status name_check(const char *name, sked_error *err)
{
    if (name && *name) return SKED_OK;
    return skedi_fail_plain(err, SKED_ERR_ARG, "a queue needs a name");
}

/* Is the name free below `parent`? Held by `self`, it is too. */
static sked_status name_free(const sked_tree *tree, uint32_t parent,
                             const char *name, uint32_t self, sked_error *err)
{
    uint32_t held = skedi_draft_child(tree, parent, skedi_piece_of(name));

    if (held == SKEDI_NO_SLOT || held == self) return SKED_OK;
    skedi_fault at = {.queue = skedi_slot_id(&tree->draft, held)};
    return skedi_fail(err, SKED_ERR_EXISTS, "a sibling has that name", at);
}

int skedi_tree_text_ensure(sked_tree *tree, size_t bytes)
{
    return skedi_texts_ensure(&tree->texts[tree->text_live], &tree->hooks.mem,
                              bytes);
}

skedi_text skedi_tree_text_put(sked_tree *tree, const void *from, size_t bytes)
{
    return skedi_texts_put(&tree->texts[tree->text_live], from, bytes);
}

static sked_status limits_check(const sked_tree *tree, uint32_t parent,
                                sked_error *err)
{
    const skedi_draft *draft = &tree->draft;
    skedi_fault at = {.queue = skedi_slot_id(draft, parent),
                      .got = draft->n + INT64_C(1),
                      .limit = tree->max_queues};

    if (draft->n >= tree->max_queues) {
        return skedi_fail(err, SKED_ERR_RANGE, "too many queues", at);
    }
    at.got = draft->slot[parent].depth + 2;
    at.limit = tree->max_depth;
    if (at.got > at.limit) {
        return skedi_fail(err, SKED_ERR_RANGE, "the tree gets too deep", at);
    }
    return SKED_OK;
}

static int slot_ensure(sked_tree *tree)
{
    skedi_draft *draft = &tree->draft;
    size_t cap = draft->cap;

    if (draft->free != SKEDI_NO_SLOT || draft->n_slots < cap) return 1;
    return skedi_draft_ensure(draft, &tree->hooks.mem, cap + cap / 2 + 8);
}

static void slot_add(sked_tree *tree, uint32_t parent, const char *name,
                     uint32_t slot)
{
    skedi_draft *draft = &tree->draft;
    skedi_slot *q = &draft->slot[slot];

    q->name = skedi_tree_text_put(tree, name, strlen(name) + 1);
    q->hash = skedi_piece_hash(skedi_piece_of(name), parent);
    q->depth = (uint8_t)(draft->slot[parent].depth + 1);
    skedi_draft_link(draft, slot, parent);
    skedi_names_put(&draft->names, q->hash, slot);
    draft->text_bytes += strlen(name) + 1;
    draft->reshaped = 1;
    skedi_tree_note(tree, SKEDI_EDIT_ADD, slot, parent);
    skedi_tree_note_text(tree, SKEDI_EDIT_RENAME, slot, name);
    q->birth = draft->key;
}

sked_status sked_tree_add(sked_tree *tree, sked_queue_id parent,
                          const char *name, sked_queue_id *id, sked_error *err)
{
    uint32_t above, slot;

    if (!tree) return skedi_fail_null(err, "tree");
    sked_status rc = name_check(name, err);
    if (rc == SKED_OK) rc = skedi_tree_open(tree, parent, 1, &above, err);
    if (rc == SKED_OK) rc = limits_check(tree, above, err);
    if (rc == SKED_OK) {
        rc = name_free(tree, above, name, SKEDI_NO_SLOT, err);
    }
    if (rc != SKED_OK) return rc;
    if (!slot_ensure(tree) || !skedi_tree_text_ensure(tree, strlen(name) + 1)) {
        return skedi_fail_memory(err);
    }

    slot = skedi_draft_take(&tree->draft);
    slot_add(tree, above, name, slot);
    if (id) *id = skedi_slot_id(&tree->draft, slot);
    return SKED_OK;
}

/* The table's entry of a slot, after its name or parent changed. The one that
 * the commit shows stays until the next commit. */
static void slot_rekey(sked_tree *tree, uint32_t slot)
{
    skedi_draft *draft = &tree->draft;
    skedi_slot *q = &draft->slot[slot];
    const char *name = skedi_tree_text(tree, q->name);
    int shown = q->flags & SKEDI_SLOT_SHOWN;

    if (shown && !(q->flags & SKEDI_SLOT_REKEYED)) {
        q->flags |= SKEDI_SLOT_REKEYED;
    } else {
        skedi_names_drop(&draft->names, q->hash, slot);
    }
    q->hash = skedi_piece_hash(skedi_piece_of(name), q->parent);
    skedi_names_put(&draft->names, q->hash, slot);
}

static int name_ensure(sked_tree *tree, const char *name)
{
    return skedi_tree_text_ensure(tree, strlen(name) + 1);
}

/* Gives a queue a name for which there is memory. */
static void slot_rename(sked_tree *tree, uint32_t slot, const char *name)
{
    skedi_slot *q = &tree->draft.slot[slot];
    const char *old = skedi_tree_text(tree, q->name);

    if (strcmp(old, name) == 0) return;
    tree->draft.text_bytes += (uint64_t)strlen(name) - strlen(old);
    q->name = skedi_tree_text_put(tree, name, strlen(name) + 1);
    if (slot != 0) slot_rekey(tree, slot);
    skedi_draft_touch(&tree->draft, slot, SKEDI_TOUCH_TEXT);
    skedi_tree_note_text(tree, SKEDI_EDIT_RENAME, slot, name);
}

sked_status sked_tree_rename(sked_tree *tree, sked_queue_id queue,
                             const char *name, sked_error *err)
{
    uint32_t slot;

    if (!tree) return skedi_fail_null(err, "tree");
    sked_status rc = name_check(name, err);
    if (rc == SKED_OK) rc = skedi_tree_open(tree, queue, 0, &slot, err);
    if (rc != SKED_OK) return rc;

    if (slot != 0) {
        rc = name_free(tree, tree->draft.slot[slot].parent, name, slot, err);
    }
    if (rc != SKED_OK) return rc;
    if (!name_ensure(tree, name)) {
        return skedi_fail_memory(err);
    }
    slot_rename(tree, slot, name);
    return SKED_OK;
}

/* Levels below `top`, itself included. */
static uint32_t draft_levels(const skedi_draft *draft, uint32_t top)
{
    uint32_t deepest = draft->slot[top].depth;

    for (uint32_t s = top; s != SKEDI_NO_SLOT;
         s = skedi_draft_next(draft, top, s, 0)) {
        if (draft->slot[s].depth > deepest) deepest = draft->slot[s].depth;
    }
    return deepest - draft->slot[top].depth + 1u;
}

static int contains(const skedi_draft *draft, uint32_t top, uint32_t slot)
{
    while (slot != SKEDI_NO_SLOT && slot != top) {
        slot = draft->slot[slot].parent;
    }
    return slot == top;
}

static sked_status move_check(const sked_tree *tree, uint32_t slot,
                              uint32_t parent, const char *name,
                              sked_error *err)
{
    const skedi_draft *draft = &tree->draft;
    skedi_fault at = {.queue = skedi_slot_id(draft, slot)};

    if (contains(draft, slot, parent)) { /* the root holds every queue */
        return skedi_fail(err, SKED_ERR_ARG, "a queue cannot go below itself",
                          at);
    }
    at.got = draft->slot[parent].depth + INT64_C(1) + draft_levels(draft, slot);
    at.limit = tree->max_depth;
    if (at.got > at.limit) {
        return skedi_fail(err, SKED_ERR_RANGE, "the tree gets too deep", at);
    }
    return name_free(tree, parent, name, slot, err);
}

static void deepen(skedi_draft *draft, uint32_t top)
{
    for (uint32_t s = top; s != SKEDI_NO_SLOT;
         s = skedi_draft_next(draft, top, s, 0)) {
        uint32_t parent = draft->slot[s].parent;
        draft->slot[s].depth = (uint8_t)(draft->slot[parent].depth + 1);
    }
}

static void slot_move(sked_tree *tree, uint32_t slot, uint32_t above)
{
    skedi_draft_unlink(&tree->draft, slot);
    skedi_draft_link(&tree->draft, slot, above);
    deepen(&tree->draft, slot);
    slot_rekey(tree, slot);
    tree->draft.reshaped = 1;
    skedi_tree_note(tree, SKEDI_EDIT_MOVE, slot, above);
}

sked_status skedi_tree_place(sked_tree *tree, sked_queue_id queue,
                             sked_queue_id parent, const char *name,
                             sked_error *err)
{
    uint32_t slot, above;

    sked_status rc = skedi_tree_open(tree, queue, 0, &slot, err);
    if (rc == SKED_OK) rc = skedi_tree_open(tree, parent, 1, &above, err);
    if (rc != SKED_OK) return rc;
    const char *old = skedi_tree_text(tree, tree->draft.slot[slot].name);
    rc = move_check(tree, slot, above, name ? name : old, err);
    if (rc != SKED_OK) return rc;
    if (name && !name_ensure(tree, name)) {
        return skedi_fail_memory(err);
    }

    if (name) slot_rename(tree, slot, name);
    slot_move(tree, slot, above);
    return SKED_OK;
}

sked_status sked_tree_move(sked_tree *tree, sked_queue_id queue,
                           sked_queue_id parent, sked_error *err)
{
    if (!tree) return skedi_fail_null(err, "tree");
    return skedi_tree_place(tree, queue, parent, NULL, err);
}
