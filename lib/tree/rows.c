/* Reads the last commit: attributes, shape and changes. Computes the sums over
 * the children of a queue, and implements transactions of edits (bracket.h). */
#include <string.h>

#include "base/arith.h"
#include "tree/bracket.h"
#include "tree/fault.h"
#include "tree/handle.h"

/* Reading attributes of the last commit: of a queue, or a column of all
 * queues. */

sked_status sked_tree_get(const sked_tree *tree, sked_queue_id queue,
                          int32_t attribute, int64_t *value)
{
    const skedi_attr *attr = skedi_attr_of(attribute, SKEDI_SHAPE_NUMBER);

    if (!tree || !attr || !value) return SKED_ERR_ARG;
    uint32_t row = skedi_image_row(skedi_tree_live(tree), queue);
    if (row == SKEDI_NO_ROW) return SKED_ERR_STALE;

    *value = skedi_image_number(skedi_tree_live(tree), skedi_attr_index(attr),
                                row);
    if (*value == skedi_attr_rest(attr)) *value = SKED_UNSET;
    return SKED_OK;
}

sked_status sked_tree_effective(const sked_tree *tree, sked_queue_id queue,
                                int32_t attribute, int64_t *value)
{
    const skedi_attr *attr = skedi_attr_of(attribute, SKEDI_SHAPE_NUMBER);

    if (!tree || !attr || !value) return SKED_ERR_ARG;
    uint32_t row = skedi_image_row(skedi_tree_live(tree), queue);
    if (row == SKEDI_NO_ROW) return SKED_ERR_STALE;
    *value = skedi_image_effective(skedi_tree_live(tree),
                                   skedi_attr_index(attr), row);
    return SKED_OK;
}

sked_status sked_tree_get_vec(const sked_tree *tree, sked_queue_id queue,
                              int32_t attribute, int64_t *amounts)
{
    const skedi_attr *attr = skedi_attr_of(attribute, SKEDI_SHAPE_AMOUNTS);

    if (!tree || !attr || !amounts) return SKED_ERR_ARG;
    const skedi_image *image = skedi_tree_live(tree);
    uint32_t row = skedi_image_row(image, queue);
    if (row == SKEDI_NO_ROW) return SKED_ERR_STALE;

    for (uint32_t k = 0; k < image->kinds; k++) {
        const int64_t *at = skedi_image_amounts(image, skedi_attr_index(attr),
                                                k);
        amounts[k] = at ? at[row] : skedi_attr_rest(attr);
    }
    return SKED_OK;
}

/* Fills in inherited values. Parents precede children, hence the parent's value
 * is already final. */
static void inherit(const skedi_image *image, const skedi_attr *attr,
                    int64_t *by_row)
{
    int all = attr->id == SKED_QUEUE_PREEMPT_FROM; /* "no" of an ancestor
                                                    * wins */

    if (by_row[0] == SKED_UNSET) by_row[0] = attr->fallback;
    for (uint32_t r = 1; r < image->n; r++) {
        int64_t above = by_row[image->parent[r]];
        if (by_row[r] == SKED_UNSET || (all && above == 0)) by_row[r] = above;
    }
}

sked_status sked_tree_column(const sked_tree *tree, int32_t attribute,
                             int64_t *by_row, size_t cap, size_t *n)
{
    const skedi_attr *attr = skedi_attr_of(attribute, SKEDI_SHAPE_NUMBER);

    if (!tree || !attr || !n) return SKED_ERR_ARG;
    const skedi_image *image = skedi_tree_live(tree);
    *n = image->n;
    if (cap < image->n) return SKED_ERR_RANGE;
    if (!by_row) return SKED_ERR_ARG;

    const int64_t *at = image->number[skedi_attr_index(attr)];
    for (uint32_t r = 0; r < image->n; r++) {
        by_row[r] = at ? at[r] : skedi_attr_rest(attr);
    }
    if (attr->inherited) inherit(image, attr, by_row);
    return SKED_OK;
}

sked_status sked_tree_column_vec(const sked_tree *tree, int32_t attribute,
                                 uint32_t kind, int64_t capacity,
                                 int64_t *by_row, size_t cap, size_t *n)
{
    const skedi_attr *attr = skedi_attr_of(attribute, SKEDI_SHAPE_AMOUNTS);

    if (!tree || !attr || !n) return SKED_ERR_ARG;
    const skedi_image *image = skedi_tree_live(tree);
    if (kind >= image->kinds) return SKED_ERR_ARG;
    if (capacity < 0 || capacity > SKED_AMOUNT_MAX) return SKED_ERR_ARG;
    *n = image->n;
    if (cap < image->n) return SKED_ERR_RANGE;
    if (!by_row) return SKED_ERR_ARG;
    skedi_image_resolve(image, skedi_attr_index(attr), kind, capacity, by_row);
    return SKED_OK;
}

/*
 * Sums over the children of a queue. A queue without a stated guarantee has the
 * sum of the guarantees below. Sums therefore include the nearest stated
 * guarantees at any depth.
 */

int skedi_any_guaranteed(const int64_t *amounts, uint32_t kinds)
{
    for (uint32_t k = 0; amounts && k < kinds; k++) {
        if (amounts[k] > 0) return 1;
    }
    return 0;
}

static void child_sum(const skedi_draft *draft, uint32_t slot,
                      skedi_sum_below *sum)
{
    const int64_t *own = skedi_draft_amounts(draft, SKEDI_AT_GUARANTEE, slot);
    int64_t part = skedi_draft_number(draft, SKEDI_AT_GUARANTEE_PPM, slot);
    int64_t priority = skedi_draft_number(draft, SKEDI_AT_PRIORITY, slot);
    int any = skedi_any_guaranteed(own, draft->kinds);

    sum->highest = skedi_i64_max(sum->highest, priority);
    if (any || part > 0) sum->lowest = skedi_i64_min(sum->lowest, priority);
    sum->n_weighty += skedi_draft_number(draft, SKEDI_AT_WEIGHT, slot) > 0;
    if (part != SKED_UNSET) {
        sum->parts += part;
        sum->n_parts++;
    }
    sum->n_amounts += any;
}

int skedi_rules_states(const skedi_draft *draft, uint32_t slot)
{
    return skedi_draft_number(draft, SKEDI_AT_GUARANTEE_PPM, slot) !=
               SKED_UNSET ||
           skedi_any_guaranteed(
               skedi_draft_amounts(draft, SKEDI_AT_GUARANTEE, slot),
               draft->kinds);
}

/* Adds up the nearest stated guarantees below `top`. A part has no known
 * amount. */
static void guarantees_add(const skedi_draft *draft, uint32_t top,
                           skedi_sum_below *sum)
{
    uint32_t s = skedi_draft_next(draft, top, top, 0);

    while (s != SKEDI_NO_SLOT) {
        int stated = skedi_rules_states(draft, s);
        const int64_t *own = skedi_draft_amounts(draft, SKEDI_AT_GUARANTEE, s);
        for (uint32_t k = 0; stated && k < draft->kinds; k++) {
            sum->guarantee[k] = skedi_u128_add(sum->guarantee[k],
                                               skedi_u128_of((uint64_t)own[k]));
        }
        s = skedi_draft_next(draft, top, s, stated);
    }
}

int64_t skedi_sum_amount(skedi_u128 sum)
{
    skedi_u128 most = skedi_u128_of(INT64_MAX);

    return skedi_u128_cmp(sum, most) > 0 ? INT64_MAX
                                         : (int64_t)skedi_u128_low(sum);
}

/* The queue's own guarantee. The root's guarantee is known only if the root
 * states a guarantee. */
static void own_guarantee(const skedi_draft *draft, uint32_t slot,
                          skedi_sum_below *sum)
{
    const int64_t *own = skedi_draft_amounts(draft, SKEDI_AT_GUARANTEE, slot);

    sum->lifted = own && slot != 0 && !skedi_rules_states(draft, slot);
    for (uint32_t k = 0; own && k < draft->kinds; k++) {
        sum->has[k] = sum->lifted ? skedi_sum_amount(sum->guarantee[k])
                                  : own[k];
    }
}

void skedi_family_add(const skedi_draft *draft, uint32_t slot,
                      skedi_sum_below *sum)
{
    int any = draft->amount[SKEDI_AT_GUARANTEE].at != NULL;

    sum->parts = sum->n_parts = sum->n_amounts = sum->n_weighty = 0;
    sum->highest = INT64_MIN;
    sum->lowest = INT64_MAX;
    for (uint32_t k = 0; k < draft->kinds; k++) {
        sum->guarantee[k] = skedi_u128_of(0);
        sum->has[k] = 0;
    }
    for (uint32_t s = draft->slot[slot].first; s != SKEDI_NO_SLOT;
         s = draft->slot[s].next) {
        child_sum(draft, s, sum);
    }
    if (any && (slot != 0 || skedi_rules_states(draft, slot))) {
        guarantees_add(draft, slot, sum);
    }
    own_guarantee(draft, slot, sum);
}

/*
 * Transactions of edits. Opening copies the draft, and edits change the copy.
 * Undoing restores the old draft: ids, links, columns and history. New texts
 * are only added after the mark; undoing cuts the store back to the mark.
 */

enum {
    LIFTED_DEPTH = 2 * SKED_MAX_DEPTH, /* a tree below a leaf of another tree */
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

const skedi_image *skedi_tree_image(const sked_tree *tree)
{
    return skedi_tree_live(tree);
}

int skedi_tree_changes_since(const sked_tree *tree, uint64_t version,
                             uint32_t *rows, size_t cap, size_t *n)
{
    *n = 0;
    if (version > skedi_tree_live(tree)->version) return 0;
    return skedi_changes_since(&tree->changes, version, rows, cap, n);
}

int skedi_tree_follows(const sked_tree *tree, uint64_t version, uint64_t key)
{
    const skedi_image *image = skedi_tree_live(tree);

    return key == image->key ||
           skedi_changes_follow(&tree->changes, version, key);
}

sked_queue_id sked_tree_root(const sked_tree *tree)
{
    return tree ? skedi_tree_live(tree)->id[0] : SKED_NO_QUEUE;
}

uint64_t sked_tree_version(const sked_tree *tree)
{
    return tree ? skedi_tree_live(tree)->version : 0;
}

uint64_t sked_tree_shape(const sked_tree *tree)
{
    return tree ? skedi_tree_live(tree)->shape : 0;
}

size_t sked_tree_count(const sked_tree *tree)
{
    return tree ? skedi_tree_live(tree)->n : 0;
}

/* Stores the number of items; returns whether the items fit into `array`. */
static sked_status fill_check(const void *array, size_t there, size_t cap,
                              size_t *n)
{
    *n = there;
    if (cap < there) return SKED_ERR_RANGE;
    return array || there == 0 ? SKED_OK : SKED_ERR_ARG;
}

sked_status sked_tree_ids(const sked_tree *tree, sked_queue_id *ids, size_t cap,
                          size_t *n)
{
    if (!tree || !n) return SKED_ERR_ARG;
    const skedi_image *image = skedi_tree_live(tree);
    sked_status rc = fill_check(ids, image->n, cap, n);

    if (rc == SKED_OK) memcpy(ids, image->id, image->n * sizeof *ids);
    return rc;
}

sked_status sked_tree_leaves(const sked_tree *tree, sked_queue_id *ids,
                             size_t cap, size_t *n)
{
    if (!tree || !n) return SKED_ERR_ARG;
    const skedi_image *image = skedi_tree_live(tree);
    sked_status rc = fill_check(ids, image->n_leaves, cap, n);

    if (rc != SKED_OK) return rc;
    for (uint32_t i = 0; i < image->n_leaves; i++) {
        ids[i] = image->id[image->leaf[i]];
    }
    return SKED_OK;
}

sked_status sked_tree_children(const sked_tree *tree, sked_queue_id queue,
                               sked_queue_id *ids, size_t cap, size_t *n)
{
    if (!tree || !n) return SKED_ERR_ARG;
    const skedi_image *image = skedi_tree_live(tree);
    uint32_t row = skedi_image_row(image, queue);
    if (row == SKEDI_NO_ROW) return SKED_ERR_STALE;

    uint32_t there = skedi_image_children(image, row);
    sked_status rc = fill_check(ids, there, cap, n);
    if (rc != SKED_OK || there == 0) return rc;
    memcpy(ids, image->id + image->first_child[row], there * sizeof *ids);
    return SKED_OK;
}

sked_status sked_tree_rows(const sked_tree *tree, int32_t *parent,
                           int32_t *first_child, int32_t *children, size_t cap,
                           size_t *n)
{
    if (!tree || !n) return SKED_ERR_ARG;
    const skedi_image *image = skedi_tree_live(tree);
    sked_status rc = fill_check(image, image->n, cap, n);
    if (rc != SKED_OK) return rc;

    if (parent) memcpy(parent, image->parent, image->n * sizeof *parent);
    for (uint32_t r = 0; r < image->n; r++) {
        uint32_t there = skedi_image_children(image, r);
        if (first_child) {
            first_child[r] = there ? (int32_t)image->first_child[r] : -1;
        }
        if (children) children[r] = (int32_t)there;
    }
    return SKED_OK;
}

sked_status sked_tree_row(const sked_tree *tree, sked_queue_id queue,
                          size_t *row)
{
    if (!tree || !row) return SKED_ERR_ARG;
    uint32_t found = skedi_image_row(skedi_tree_live(tree), queue);
    if (found == SKEDI_NO_ROW) return SKED_ERR_STALE;
    *row = found;
    return SKED_OK;
}

sked_status sked_tree_parent(const sked_tree *tree, sked_queue_id queue,
                             sked_queue_id *parent)
{
    if (!tree || !parent) return SKED_ERR_ARG;
    const skedi_image *image = skedi_tree_live(tree);
    uint32_t row = skedi_image_row(image, queue);
    if (row == SKEDI_NO_ROW) return SKED_ERR_STALE;
    *parent = row ? image->id[image->parent[row]] : SKED_NO_QUEUE;
    return SKED_OK;
}

sked_status sked_tree_line(const sked_tree *tree, sked_queue_id queue,
                           uint32_t *line)
{
    if (!tree || !line) return SKED_ERR_ARG;
    uint32_t row = skedi_image_row(skedi_tree_live(tree), queue);
    if (row == SKEDI_NO_ROW) return SKED_ERR_STALE;
    *line = skedi_tree_live(tree)->line[row];
    return SKED_OK;
}

const char *sked_tree_name(const sked_tree *tree, sked_queue_id queue)
{
    if (!tree) return NULL;
    uint32_t row = skedi_image_row(skedi_tree_live(tree), queue);
    if (row == SKEDI_NO_ROW) return NULL;
    return skedi_tree_text(tree, skedi_tree_live(tree)->name[row]);
}
