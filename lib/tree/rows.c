/* Reading the shape of the last commit. */
#include <string.h>

#include "tree/handle.h"

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

/* Says how many there are; may they be written? */
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
