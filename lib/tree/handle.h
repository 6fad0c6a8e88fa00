#ifndef SKEDI_TREE_HANDLE_H
#define SKEDI_TREE_HANDLE_H

/*
 * The tree behind its handle: a draft, the image of the last commit, and a
 * second image that the next commit is built in.
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
    uint32_t live; /* the image in force */
    skedi_texts texts[2];
    uint32_t text_live;   /* the store that draft and image name texts of */
    skedi_text_mark mark; /* where it ended at the last commit */
    size_t reserved_text;
    sked_queue_id confined; /* edits are confined to what lies below */
    int clean;              /* the commit is known to have no error */
    skedi_changes changes;
    char *told; /* name of the text that was read last, taken or not */
    size_t told_size;
};

/* A name, or a part of a path in which '\' takes the next byte as it is. */
typedef struct skedi_piece {
    const char *at;
    size_t length; /* bytes, escapes counted */
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

/* The child of that name in the draft (slots), SKEDI_NO_SLOT: none. */
uint32_t skedi_draft_child(const sked_tree *tree, uint32_t parent,
                           skedi_piece piece);

/* The child of that name in the commit (rows), SKEDI_NO_ROW: none. */
uint32_t skedi_image_child(const sked_tree *tree, uint32_t parent,
                           skedi_piece piece);

/* Drops the table's entry for a slot as the commit shows it. */
void skedi_names_forget(sked_tree *tree, uint32_t slot);

/* ---- Edits (tree/edit.c) ---- */

/* The slot of a queue that may be edited; `inside`: or that the tree is
 * confined to, to put something below it. SKED_OK, _STALE or _STATE. */
sked_status skedi_tree_open(const sked_tree *tree, sked_queue_id queue,
                            int inside, uint32_t *slot, sked_error *err);

/* Moves a queue to be the last below `parent` and renames it (NULL: not), in
 * one: neither name need be free in the other place. Returns as
 * sked_tree_move() and sked_tree_rename(). */
sked_status skedi_tree_place(sked_tree *tree, sked_queue_id queue,
                             sked_queue_id parent, const char *name,
                             sked_error *err);

/* Mixes an edit into the history. */
void skedi_tree_note(sked_tree *tree, int what, uint32_t slot, uint64_t value);

/* Memory for `bytes` of text in the draft, and putting them there. */
int skedi_tree_text_ensure(sked_tree *tree, size_t bytes);
skedi_text skedi_tree_text_put(sked_tree *tree, const void *from, size_t bytes);

/* Bytes of a text, its NUL included; 0 for none. */
size_t skedi_tree_text_size(const sked_tree *tree, skedi_text text);

/* Bytes of all that a slot names. */
size_t skedi_tree_text_bytes(const sked_tree *tree, uint32_t slot);

/* A list of users' weights, NULL for none. */
const char *skedi_tree_users(const sked_tree *tree, skedi_text users);

/* The line of a text that a queue of the draft came from, and the text's name;
 * 0: no memory. Neither is part of what the tree says. */
void skedi_tree_set_line(sked_tree *tree, uint32_t slot, uint32_t line);
int skedi_tree_set_file(sked_tree *tree, const char *file);

/* Takes a queue, or one that has no children, out of the draft. */
void skedi_tree_cut(sked_tree *tree, uint32_t top);
void skedi_tree_drop(sked_tree *tree, uint32_t slot);

/* A walk through `top`, children first: where it begins, and what comes after
 * `slot` (to be asked before that is dropped); SKEDI_NO_SLOT: no more. */
uint32_t skedi_draft_lowest(const skedi_draft *draft, uint32_t top);
uint32_t skedi_draft_upward(const skedi_draft *draft, uint32_t top,
                            uint32_t slot);

/* Stores a number as it is; its column must be there unless it is at rest. */
void skedi_tree_number_put(sked_tree *tree, uint32_t slot, uint32_t index,
                           int64_t value);

enum {
    SKEDI_EDIT_ADD = 1,
    SKEDI_EDIT_MOVE = 2,
    SKEDI_EDIT_RENAME = 3,
    SKEDI_EDIT_REMOVE = 4,
    SKEDI_EDIT_TEXT = 5,
    SKEDI_EDIT_USER = 6,
    SKEDI_EDIT_SET = 64 /* and the attribute */
};

/* ---- Texts no longer named (tree/commit.c) ---- */

/* ---- Commits (tree/commit.c, tree/commit.c) ---- */

/* Publishes the draft by building rows anew, or in place when no queue came,
 * went or moved. No hook is called for fewer than 4096 queues. */
sked_status skedi_tree_publish(sked_tree *tree, int32_t mode, sked_error *err);

#endif
