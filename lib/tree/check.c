/*
 * Checks the invariants of draft and commit. No other code depends on the
 * checks; the checks report a defect elsewhere.
 */
#include <string.h>

#include "tree/handle.h"

static sked_status tree_broken(sked_error *err, const char *what,
                               sked_queue_id id)
{
    skedi_fault at = {.queue = id};

    return skedi_fail(err, SKED_ERR_INTERNAL, what, at);
}

/* Checks the links between a slot and its children; returns the defect, or
 * NULL. */
static const char *links_fault(const skedi_draft *draft, uint32_t slot)
{
    const skedi_slot *q = &draft->slot[slot];
    uint32_t n = 0, last = SKEDI_NO_SLOT;

    for (uint32_t s = q->first; s != SKEDI_NO_SLOT; s = draft->slot[s].next) {
        const skedi_slot *c = &draft->slot[s];
        if (c->parent != slot) return "a child names another parent";
        if (c->prev != last) return "siblings are not linked both ways";
        if (c->depth != q->depth + 1) return "a depth is wrong";
        if (!(c->flags & SKEDI_SLOT_LIVE)) return "a child is not in the draft";
        last = s;
        n++;
    }
    if (q->last != last) return "the last child is wrong";
    return q->n_children == n ? NULL : "children are miscounted";
}

/* The name of a queue must find exactly this queue. */
static const char *name_fault(const sked_tree *tree, uint32_t slot)
{
    const skedi_slot *q = &tree->draft.slot[slot];

    if (slot == 0) return NULL;
    skedi_piece name = skedi_piece_of(skedi_tree_text(tree, q->name));
    if (name.length == 0) return "a name is empty";
    if (q->hash != skedi_piece_hash(name, q->parent)) return "a hash is wrong";
    if (skedi_draft_child(tree, q->parent, name) != slot) {
        return "a name finds another queue";
    }
    return NULL;
}

static sked_status draft_check(const sked_tree *tree, sked_error *err)
{
    const skedi_draft *draft = &tree->draft;
    uint64_t bytes = skedi_tree_text_size(tree, draft->file);
    size_t n = 0;

    for (uint32_t s = 0; s != SKEDI_NO_SLOT;
         s = skedi_draft_next(draft, 0, s, 0)) {
        const char *fault = links_fault(draft, s);
        if (!fault) fault = name_fault(tree, s);
        if (fault) return tree_broken(err, fault, skedi_slot_id(draft, s));
        bytes += skedi_tree_text_bytes(tree, s);
        n++;
    }
    if (n != draft->n) return tree_broken(err, "queues are miscounted", 0);
    if (bytes != draft->text_bytes)
        return tree_broken(err, "texts are miscounted", 0);
    return SKED_OK;
}

static sked_status touched_check(const skedi_draft *draft, sked_error *err)
{
    size_t listed = 0, marked = 0;

    for (uint32_t s = draft->touched; s != SKEDI_NO_SLOT;
         s = draft->slot[s].touched_next) {
        listed++;
    }
    for (uint32_t s = 0; s < draft->n_slots; s++) {
        marked += draft->slot[s].touched != 0;
    }
    if (listed == marked && listed == draft->n_touched) return SKED_OK;
    return tree_broken(err, "touched queues are miscounted", 0);
}

/* Every slot must be live, shown or free. The table of names must have exactly
 * the entries that the slots need. */
static sked_status slots_check(const sked_tree *tree, sked_error *err)
{
    const skedi_draft *draft = &tree->draft;
    const skedi_image *image = skedi_tree_live(tree);
    size_t names = 0, free_slots = 0, unused = 0;

    for (uint32_t s = 0; s < draft->n_slots; s++) {
        uint8_t flags = draft->slot[s].flags;
        int shown = s < image->n_slots && image->row_of[s] != SKEDI_NO_ROW;
        if (shown != !!(flags & SKEDI_SLOT_SHOWN)) {
            return tree_broken(err, "a slot is shown where it is not", s);
        }
        if (!flags && draft->slot[s].generation < UINT32_MAX) unused++;
        names += s > 0 && flags;
        names += !!(flags & SKEDI_SLOT_REKEYED);
        if (flags && !shown && !(flags & SKEDI_SLOT_LIVE)) {
            return tree_broken(err, "a slot has flags and no use", s);
        }
    }
    for (uint32_t s = draft->free; s != SKEDI_NO_SLOT;
         s = draft->slot[s].next) {
        free_slots++;
    }
    if (free_slots != unused)
        return tree_broken(err, "free slots are miscounted", 0);
    if (names == draft->names.n) return SKED_OK;
    return tree_broken(err, "names are miscounted", 0);
}

static const char *row_broken(const skedi_image *image, uint32_t row)
{
    int32_t parent = image->parent[row];
    uint32_t slot = (uint32_t)image->id[row];

    if (image->row_of[slot] != row) return "a row is not found by its slot";
    if (image->first_child[row] > image->first_child[row + 1]) {
        return "children are not in order";
    }
    if (row == 0) return parent == -1 ? NULL : "the root has a parent";
    if (parent < 0 || parent >= (int32_t)row) return "a parent comes later";
    if (image->first_child[parent] > row ||
        image->first_child[parent + 1] <= row) {
        return "a row is outside its family";
    }
    return image->depth[row] == image->depth[parent] + 1 ? NULL
                                                         : "a depth is wrong";
}

/* Some columns are stored twice: as the attribute, and in the narrow type that
 * readers use most. */
static const char *values_fault(const skedi_image *image, uint32_t row)
{
    int64_t weight = skedi_image_number(image, SKEDI_AT_WEIGHT, row);
    int64_t priority = skedi_image_number(image, SKEDI_AT_PRIORITY, row);
    int64_t state = skedi_image_number(image, SKEDI_AT_STATE, row);
    int64_t order = skedi_image_number(image, SKEDI_AT_ORDER, row);

    if (image->weight[row] != weight) return "a weight stands twice";
    if (image->priority[row] != priority) return "a priority stands twice";
    if (image->state[row] != state) return "a state stands twice";
    return image->order[row] == order ? NULL : "an order stands twice";
}

static sked_status image_check(const sked_tree *tree, sked_error *err)
{
    const skedi_image *image = skedi_tree_live(tree);
    uint32_t leaves = 0;

    for (uint32_t r = 0; r < image->n; r++) {
        const char *fault = row_broken(image, r);
        if (!fault) fault = values_fault(image, r);
        if (!fault && skedi_image_is_leaf(image, r) &&
            image->leaf[leaves++] != r) {
            fault = "a leaf is not listed";
        }
        if (!fault && image->level[image->depth[r]] > r) {
            fault = "a level begins too late";
        }
        if (fault) return tree_broken(err, fault, image->id[r]);
    }
    if (leaves == image->n_leaves && image->level[image->levels] == image->n) {
        return SKED_OK;
    }
    return tree_broken(err, "leaves or levels are miscounted", 0);
}

sked_status sked_tree_check(const sked_tree *tree, sked_error *err)
{
    if (!tree) return skedi_fail_null(err, "tree");
    sked_status rc = draft_check(tree, err);

    if (rc == SKED_OK) rc = touched_check(&tree->draft, err);
    if (rc == SKED_OK) rc = slots_check(tree, err);
    return rc == SKED_OK ? image_check(tree, err) : rc;
}
