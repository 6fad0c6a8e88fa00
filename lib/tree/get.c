/* Reading attributes of the last commit, one queue or one column at a time. */
#include <string.h>

#include "tree/handle.h"

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

/* Parents come first: what a row takes from its parent is there already. */
static void inherit(const skedi_image *image, const skedi_attr *attr,
                    int64_t *by_row)
{
    int all = attr->id == SKED_QUEUE_PREEMPT_FROM; /* no ancestor says no */

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
