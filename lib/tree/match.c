/* Which queues of two trees are the same: by id where one history made both,
 * otherwise by path. */
#include "tree/handle.h"

/* The row of `to` with the path of each row of `from`. */
static void paths_of(const sked_tree *from, const sked_tree *to,
                     uint32_t *path_of)
{
    const skedi_image *old = skedi_tree_live(from);

    path_of[0] = 0;
    for (uint32_t f = 1; f < old->n; f++) {
        uint32_t above = path_of[old->parent[f]];
        path_of[f] = SKEDI_NO_ROW;
        if (above == SKEDI_NO_ROW) continue;
        const char *name = skedi_tree_text(from, old->name[f]);
        path_of[f] = skedi_image_child(to, above, skedi_piece_of(name));
    }
}

void skedi_tree_match(const sked_tree *from, const sked_tree *to,
                      uint32_t *row_of)
{
    const skedi_image *old = skedi_tree_live(from), *now = skedi_tree_live(to);

    paths_of(from, to, row_of);
    for (uint32_t f = 1; f < old->n; f++) {
        uint32_t by_path = row_of[f];
        row_of[f] = skedi_image_same(now, old->id[f], old->birth[f]);
        if (row_of[f] != SKEDI_NO_ROW || by_path == SKEDI_NO_ROW) continue;
        uint32_t twin = skedi_image_same(old, now->id[by_path],
                                         now->birth[by_path]);
        if (twin == SKEDI_NO_ROW) row_of[f] = by_path;
    }
}
