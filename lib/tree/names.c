/*
 * The table of names, paths, and the matching of two trees by id or path.
 *
 * The table is a hash table with linear probing, at most half full. A removal
 * shifts later cells back; the table has no tombstones, and a probe ends at the
 * first empty cell. No function iterates the table, hence its order does not
 * matter.
 */
#include "tree/names.h"

#include <string.h>

#include "base/hash.h"
#include "tree/handle.h"
#include "tree/path_text.h"

/* Writing paths, in draft and commit. */

enum { PATH_LEVELS = 4 * SKED_MAX_DEPTH }; /* the range of a depth */

static int is_path_special(char c)
{
    return (unsigned char)c < 0x20 || c == 0x7f || strchr(" =\"#\\", c);
}

void skedi_write_name(skedi_writer *w, const char *name, int dots)
{
    for (; *name; name++) {
        int escaped = is_path_special(*name) || (dots && *name == '.');
        if (escaped) skedi_write_char(w, '\\');
        skedi_write_char(w, *name);
    }
}

static void write_pieces(skedi_writer *w, const sked_tree *tree,
                         const skedi_text *names, size_t n)
{
    while (n-- > 0) {
        skedi_write_name(w, skedi_tree_text(tree, names[n]), 1);
        if (n > 0) skedi_write_char(w, '.');
    }
}

void skedi_write_draft_path(skedi_writer *w, const sked_tree *tree,
                            uint32_t slot)
{
    skedi_text names[PATH_LEVELS];
    size_t n = 0;

    for (; slot != SKEDI_NO_SLOT; slot = tree->draft.slot[slot].parent) {
        names[n++] = tree->draft.slot[slot].name;
    }
    write_pieces(w, tree, names, n);
}

void skedi_write_image_path(skedi_writer *w, const sked_tree *tree,
                            uint32_t row)
{
    const skedi_image *image = skedi_tree_live(tree);
    skedi_text names[SKED_MAX_DEPTH];
    size_t n = 0;

    for (; row != 0; row = (uint32_t)image->parent[row]) {
        names[n++] = image->name[row];
    }
    names[n++] = image->name[0];
    write_pieces(w, tree, names, n);
}

static void cell_place(skedi_name_cell *cells, size_t cap, skedi_name_cell cell)
{
    size_t at = cell.hash & (cap - 1);

    while (cells[at].slot) at = (at + 1) & (cap - 1);
    cells[at] = cell;
}

int skedi_names_ensure(skedi_names *names, skedi_mem *mem, size_t n)
{
    size_t cap = names->cap ? names->cap : 8;

    while (cap < n * 2) cap *= 2;
    if (cap == names->cap) return 1;
    skedi_name_cell *cells = skedi_new(mem, cap, sizeof *cells);
    if (!cells) return 0;

    for (size_t i = 0; i < names->cap; i++) {
        if (names->cell[i].slot) cell_place(cells, cap, names->cell[i]);
    }
    skedi_free(mem, names->cell, names->cap, sizeof *cells);
    names->cell = cells;
    names->cap = cap;
    return 1;
}

void skedi_names_put(skedi_names *names, uint32_t hash, uint32_t slot)
{
    skedi_name_cell cell = {hash, slot + 1};

    cell_place(names->cell, names->cap, cell);
    names->n++;
}

void skedi_names_drop(skedi_names *names, uint32_t hash, uint32_t slot)
{
    size_t mask = names->cap - 1, hole = hash & mask;
    skedi_name_cell *cells = names->cell;

    while (cells[hole].slot != slot + 1 || cells[hole].hash != hash) {
        hole = (hole + 1) & mask;
    }
    for (size_t at = (hole + 1) & mask; cells[at].slot; at = (at + 1) & mask) {
        size_t home = cells[at].hash & mask;
        if (((at - home) & mask) < ((at - hole) & mask)) continue;
        cells[hole] = cells[at];
        hole = at;
    }
    cells[hole] = (skedi_name_cell){0};
    names->n--;
}

int skedi_names_next(const skedi_names *names, uint32_t hash, size_t *at,
                     uint32_t *slot)
{
    size_t mask = names->cap - 1, i = *at & mask;

    while (names->cell[i].slot) {
        size_t here = i;
        i = (i + 1) & mask;
        if (names->cell[here].hash != hash) continue;
        *slot = names->cell[here].slot - 1;
        *at = i;
        return 1;
    }
    return 0;
}

int skedi_names_copy(skedi_names *into, skedi_mem *mem, const skedi_names *from)
{
    skedi_name_cell *cells = skedi_new(mem, from->cap, sizeof *cells);

    if (!cells) return 0;
    memcpy(cells, from->cell, from->cap * sizeof *cells);
    *into = *from;
    into->cell = cells;
    return 1;
}

void skedi_names_free(skedi_names *names, skedi_mem *mem)
{
    skedi_free(mem, names->cell, names->cap, sizeof *names->cell);
    *names = (skedi_names){0};
}

/* Looking queues up by name, in draft and commit. */

skedi_piece skedi_piece_of(const char *name)
{
    skedi_piece piece = {name, strlen(name), 0};

    return piece;
}

int skedi_piece_is(skedi_piece piece, const char *name)
{
    for (size_t i = 0; i < piece.length; i++, name++) {
        if (piece.escaped && piece.at[i] == '\\') i++;
        if (piece.at[i] != *name) return 0; /* or `name` is shorter */
    }
    return *name == 0;
}

static void hash_escaped(skedi_hash *hash, skedi_piece piece)
{
    for (size_t i = 0; i < piece.length; i++) {
        if (piece.at[i] == '\\') i++;
        skedi_hash_bytes(hash, piece.at + i, 1);
    }
}

uint32_t skedi_piece_hash(skedi_piece piece, uint32_t parent_slot)
{
    skedi_hash hash;

    if (!piece.escaped) {
        return (uint32_t)skedi_hash_of(piece.at, piece.length, parent_slot);
    }
    skedi_hash_start(&hash, parent_slot);
    hash_escaped(&hash, piece);
    return (uint32_t)skedi_hash_end(&hash);
}

uint32_t skedi_draft_child(const sked_tree *tree, uint32_t parent,
                           skedi_piece piece)
{
    const skedi_draft *draft = &tree->draft;
    uint32_t hash = skedi_piece_hash(piece, parent), slot;

    for (size_t at = hash; skedi_names_next(&draft->names, hash, &at, &slot);) {
        const skedi_slot *q = &draft->slot[slot];
        if (!(q->flags & SKEDI_SLOT_LIVE) || q->parent != parent) continue;
        if (skedi_piece_is(piece, skedi_tree_text(tree, q->name))) return slot;
    }
    return SKEDI_NO_SLOT;
}

uint32_t skedi_image_child(const sked_tree *tree, uint32_t parent,
                           skedi_piece piece)
{
    const skedi_image *image = skedi_tree_live(tree);
    uint32_t hash = skedi_piece_hash(piece, (uint32_t)image->id[parent]), slot;
    const skedi_names *names = &tree->draft.names;

    for (size_t at = hash; skedi_names_next(names, hash, &at, &slot);) {
        if (slot >= image->n_slots) continue;
        uint32_t row = image->row_of[slot];
        if (row == SKEDI_NO_ROW || image->parent[row] != (int32_t)parent) {
            continue;
        }
        const char *name = skedi_tree_text(tree, image->name[row]);
        if (skedi_piece_is(piece, name)) return row;
    }
    return SKEDI_NO_ROW;
}

void skedi_names_forget(sked_tree *tree, uint32_t slot)
{
    const skedi_image *image = skedi_tree_live(tree);
    uint32_t row = image->row_of[slot];
    uint32_t parent = (uint32_t)image->id[image->parent[row]];
    const char *name = skedi_tree_text(tree, image->name[row]);

    skedi_names_drop(&tree->draft.names,
                     skedi_piece_hash(skedi_piece_of(name), parent), slot);
}

/* Paths: the names from the root downwards, joined by '.', special bytes
 * escaped. */

/* Draft and commit use the same walk: a place is a slot or a row. */
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

/* Walks the path as far as queues exist. Returns SKED_ERR_NOT_FOUND if the
 * walk ends early. The syntax of the whole path is checked, even beyond this
 * point. */
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

/* Finds a queue by its path in the last commit or in the draft. */
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
    if (cap <= w.n) return SKED_ERR_RANGE; /* writes nothing */
    if (!path) return SKED_ERR_ARG;
    w = (skedi_writer){path, cap, 0};
    skedi_write_image_path(&w, tree, row);
    return skedi_write_end(&w);
}

/* Matches the queues of two trees: by id if both trees share the history,
 * otherwise by path. */

/* Finds, for each row of `from`, the row of `to` with the same path. */
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
