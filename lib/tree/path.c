/* Paths: names from the root's on, joined by '.', special bytes escaped. */
#include <string.h>

#include "tree/path_text.h"

/* Draft and commit are walked alike: a place is a slot or a row. */
typedef uint32_t (*child_fn)(const sked_tree *tree, uint32_t parent,
                             skedi_piece piece);

typedef struct path_walk {
    const sked_tree *tree;
    child_fn child;
    const char *root;
    const char *path;
    uint32_t place; /* UINT32_MAX: above the root */
} path_walk;

static sked_status path_syntax(const char *path, size_t at, sked_error *err)
{
    skedi_fault where = {.line = 1, .column = (uint32_t)at + 1};
    const char *what = path[at] == '\\' ? "nothing after '\\'" : "empty name";

    return skedi_fail(err, SKED_ERR_SYNTAX, what, where);
}

/* The part of the path that begins at `at`. */
static sked_status path_piece(const char *path, size_t at, skedi_piece *piece,
                              sked_error *err)
{
    size_t end = at;

    *piece = (skedi_piece){.at = path + at};
    while (path[end] && path[end] != '.') {
        if (path[end] == '\\') {
            piece->escaped = 1;
            if (!path[end + 1]) return path_syntax(path, end, err);
            end++;
        }
        end++;
    }
    piece->length = end - at;
    return end > at ? SKED_OK : path_syntax(path, at, err);
}

static uint32_t walk_step(const path_walk *walk, skedi_piece piece)
{
    if (walk->place != UINT32_MAX) {
        return walk->child(walk->tree, walk->place, piece);
    }
    return skedi_piece_is(piece, walk->root) ? 0 : UINT32_MAX;
}

/* Walks the path as far as it goes; SKED_ERR_NOT_FOUND when not to its end.
 * The whole of it must be a path, also beyond. */
static sked_status path_walk_on(path_walk *walk, sked_error *err)
{
    skedi_piece piece;
    int lost = 0;

    for (const char *at = walk->path;; at = piece.at + piece.length + 1) {
        sked_status rc = path_piece(walk->path, (size_t)(at - walk->path),
                                    &piece, err);
        if (rc != SKED_OK) return rc;
        uint32_t next = lost ? UINT32_MAX : walk_step(walk, piece);
        if (next == UINT32_MAX) lost = 1;
        if (!lost) walk->place = next;
        if (!piece.at[piece.length]) break;
    }
    return lost ? SKED_ERR_NOT_FOUND : SKED_OK;
}

static sked_status path_lost(sked_queue_id deepest, sked_error *err)
{
    skedi_fault at = {.queue = deepest};

    return skedi_fail(err, SKED_ERR_NOT_FOUND, "no queue of that path", at);
}

/* Finds a queue by its path in the tree that is in force, or in the draft. */
static sked_status path_find(const sked_tree *tree, int in_draft,
                             const char *path, sked_queue_id *queue,
                             sked_error *err)
{
    const char *missing = !tree    ? "tree"
                          : !path  ? "path"
                          : !queue ? "queue"
                                   : NULL;
    if (missing) return skedi_fail_null(err, missing);
    const skedi_image *image = in_draft ? NULL : skedi_tree_live(tree);
    const skedi_draft *draft = &tree->draft;
    uint32_t root = image ? image->name[0] : draft->slot[0].name;
    path_walk walk = {tree, image ? skedi_image_child : skedi_draft_child,
                      skedi_tree_text(tree, root), path, UINT32_MAX};
    sked_status rc = path_walk_on(&walk, err);
    if (rc == SKED_ERR_SYNTAX) return rc;

    sked_queue_id found = SKED_NO_QUEUE;
    if (walk.place != UINT32_MAX) {
        found = image ? image->id[walk.place]
                      : skedi_slot_id(draft, walk.place);
    }
    if (rc != SKED_OK) return path_lost(found, err);
    *queue = found;
    return SKED_OK;
}

sked_status sked_tree_find(const sked_tree *tree, const char *path,
                           sked_queue_id *queue, sked_error *err)
{
    return path_find(tree, 0, path, queue, err);
}

sked_status sked_tree_find_draft(const sked_tree *tree, const char *path,
                                 sked_queue_id *queue, sked_error *err)
{
    return path_find(tree, 1, path, queue, err);
}

sked_status sked_tree_path(const sked_tree *tree, sked_queue_id queue,
                           char *path, size_t cap, size_t *n)
{
    skedi_writer w = {0};

    if (!tree || !n) return SKED_ERR_ARG;
    uint32_t row = skedi_image_row(skedi_tree_live(tree), queue);
    if (row == SKEDI_NO_ROW) return SKED_ERR_STALE;
    skedi_write_image_path(&w, tree, row);
    *n = w.n;
    if (cap <= w.n) return SKED_ERR_RANGE; /* and nothing is written */
    if (!path) return SKED_ERR_ARG;
    w = (skedi_writer){path, cap, 0};
    skedi_write_image_path(&w, tree, row);
    return skedi_write_end(&w);
}
