#ifndef SKEDI_TREE_HANDLE_H
#define SKEDI_TREE_HANDLE_H

/*
 * The tree behind its handle: a draft, the image of the last commit, and a
 * second image in which the next commit is built.
 */

#include <sched/tree_text.h>

#include "base/fail.h"
#include "base/hooks.h"
#include "tree/changes.h"
#include "tree/draft.h"
#include "tree/image.h"
#include "res/schema.h"

struct sked_tree {
    skedi_hooks hooks;
    sked_schema schema;
    uint32_t max_depth;
    uint32_t max_queues;
    skedi_draft draft;
    skedi_image image[2];
    uint32_t live; /* index of the live image */
    skedi_texts texts[2];
    uint32_t text_live;   /* the store in use by draft and image */
    skedi_text_mark mark; /* end of the store at the last commit */
    size_t reserved_text;
    sked_queue_id confined; /* edits must be below this queue */
    int clean;              /* 1: the commit has no error */
    skedi_changes changes;
    char *told; /* name of the text read last, even if refused */
    size_t told_size;
};

/* A name, or a part of a path. In a path, '\' escapes the next byte. */
typedef struct skedi_piece {
    const char *at;
    size_t length; /* bytes, including escapes */
    int escaped;
} skedi_piece;

static inline const skedi_image *skedi_tree_live(const sked_tree *tree)
{
    return &tree->image[tree->live];
}

static inline const skedi_texts *skedi_tree_texts(const sked_tree *tree)
{
    return &tree->texts[tree->text_live];
}

static inline const char *skedi_tree_text(const sked_tree *tree,
                                          skedi_text text)
{
    return skedi_text_at(skedi_tree_texts(tree), text);
}

/* ---- Names (tree/names.c) ---- */

skedi_piece skedi_piece_of(const char *name);
int skedi_piece_is(skedi_piece piece, const char *name);
uint32_t skedi_piece_hash(skedi_piece piece, uint32_t parent_slot);

/* The child with this name in the draft, a slot; SKEDI_NO_SLOT: none. */
uint32_t skedi_draft_child(const sked_tree *tree, uint32_t parent,
                           skedi_piece piece);

/* The child with this name in the commit, a row; SKEDI_NO_ROW: none. */
uint32_t skedi_image_child(const sked_tree *tree, uint32_t parent,
                           skedi_piece piece);

/* Drops the name entry of a slot for the name that the commit shows. */
void skedi_names_forget(sked_tree *tree, uint32_t slot);

/* ---- Edits (tree/edit.c) ---- */

/* Finds the slot of a queue that may be edited. With `inside`, the queue to
 * which the tree is confined is also valid, as a parent of an edit. Returns
 * SKED_OK, _STALE or _STATE. */
sked_status skedi_tree_open(const sked_tree *tree, sked_queue_id queue,
                            int inside, uint32_t *slot, sked_error *err);

/*
 * Moves a queue to the end of the children of `parent` and renames the queue,
 * in a single step; NULL: keeps the name. The old name need not be free in the
 * new place, nor the new name in the old place. Returns as sked_tree_move() and
 * sked_tree_rename().
 */
sked_status skedi_tree_place(sked_tree *tree, sked_queue_id queue,
                             sked_queue_id parent, const char *name,
                             sked_error *err);

/* Mixes an edit into the history. */
void skedi_tree_note(sked_tree *tree, int what, uint32_t slot, uint64_t value);

/* skedi_tree_text_ensure() reserves memory for `bytes` of text in the draft.
 * skedi_tree_text_put() stores the text. */
int skedi_tree_text_ensure(sked_tree *tree, size_t bytes);
skedi_text skedi_tree_text_put(sked_tree *tree, const void *from, size_t bytes);

/* The bytes of a text, including its NUL; 0 for no text. */
size_t skedi_tree_text_size(const sked_tree *tree, skedi_text text);

/* The bytes of all texts of a slot. */
size_t skedi_tree_text_bytes(const sked_tree *tree, uint32_t slot);

/* A list of users' weights; NULL: none. */
const char *skedi_tree_users(const sked_tree *tree, skedi_text users);

/* Store the line of a text from which a queue came, and the text's name.
 * Neither value is part of the tree's content. skedi_tree_set_file() returns 0
 * without memory. */
void skedi_tree_set_line(sked_tree *tree, uint32_t slot, uint32_t line);
int skedi_tree_set_file(sked_tree *tree, const char *file);

/* skedi_tree_cut() removes a queue and all queues below. skedi_tree_drop()
 * removes a queue without children. */
void skedi_tree_cut(sked_tree *tree, uint32_t top);
void skedi_tree_drop(sked_tree *tree, uint32_t slot);

/* A postorder walk of `top`, children first: the first slot, and the slot after
 * `slot` (call before `slot` is dropped); SKEDI_NO_SLOT: none. */
uint32_t skedi_draft_lowest(const skedi_draft *draft, uint32_t top);
uint32_t skedi_draft_upward(const skedi_draft *draft, uint32_t top,
                            uint32_t slot);

/* Stores a number unchanged. The column must exist unless the number is at
 * rest. */
void skedi_tree_number_put(sked_tree *tree, uint32_t slot, uint32_t index,
                           int64_t value);

enum {
    SKEDI_EDIT_ADD = 1,
    SKEDI_EDIT_MOVE = 2,
    SKEDI_EDIT_RENAME = 3,
    SKEDI_EDIT_REMOVE = 4,
    SKEDI_EDIT_TEXT = 5,
    SKEDI_EDIT_USER = 6,
    SKEDI_EDIT_SET = 64 /* plus the attribute */
};

/* ---- Commits (tree/commit.c) ---- */

/* Publishes the draft by building all rows anew. With fewer than 4096 queues,
 * the function neither checks for cancellation nor reports progress. */
sked_status skedi_tree_publish(sked_tree *tree, int32_t mode, sked_error *err);

#endif
