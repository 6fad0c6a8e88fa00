#ifndef SKEDI_TREE_IMAGE_H
#define SKEDI_TREE_IMAGE_H

/*
 * What a commit publishes: the queues in rows, breadth first, as plain
 * columns. Siblings stand side by side, parents before children, row 0 is the
 * root; the children of row r are rows first_child[r] to first_child[r + 1]
 * (not included), for leaves an empty range. So the descendants of rows a to b
 * one level down are rows first_child[a] to first_child[b].
 *
 * A reader asks for the image anew in every call: a commit may change it in
 * place or put another one in force.
 */

#include "base/mem.h"
#include "tree/draft.h"

#define SKEDI_NO_ROW UINT32_MAX

/*
 * Slots that there may be for each queue that a tree ever had at a time: of
 * those that the draft removed and the commit still shows, of those in the
 * draft, and of those that a text or a diff adds before it removes others.
 */
enum { SKEDI_SLOTS_A_QUEUE = 3 };

typedef struct skedi_image {
    uint32_t n;     /* rows */
    uint32_t kinds; /* resource kinds */
    uint32_t levels;
    uint32_t n_leaves;
    uint32_t level[SKED_MAX_DEPTH + 1]; /* first row of each; then n */

    sked_queue_id *id;
    /* The history of edits up to the one that added the queue: two trees in
     * which a queue agrees in id and birth mean the same one, since one is a
     * copy of the other or both went the same way up to there. */
    uint64_t *birth;
    int32_t *parent;       /* row; -1: the root */
    uint32_t *first_child; /* n + 1 */
    uint32_t *leaf;        /* rows of leaves, n_leaves of them */
    uint8_t *depth;        /* 0: the root */

    /* Integer attributes that are read most, as they hold. */
    uint32_t *weight;
    int32_t *priority;
    uint8_t *order;
    uint8_t *fair_kind;
    uint8_t *apps;
    uint8_t *state;

    /* Every attribute as it is stored (attr.h). NULL: at rest in every row.
     * Amounts stand kind by kind: that of kind k and row r at k * n + r. */
    int64_t *number[SKEDI_NUMBERS];
    int64_t *amount[SKEDI_AMOUNTS];

    uint64_t version; /* of the commit */
    uint64_t shape;
    /* Stands for the history of edits up to this commit: equal in two trees
     * only if their images are (a copy that was not edited has the same). */
    uint64_t key;
    /* Likewise for rows, ids and births alone. */
    uint64_t shape_key;

    skedi_text *name;
    skedi_text *label;
    skedi_text *users;
    uint32_t *line;
    skedi_text file;
    uint32_t *row_of; /* by slot; SKEDI_NO_ROW: not in this commit */
    uint32_t n_slots;

    /* Storage: rows and slots there is memory for, whether shown or not. */
    size_t cap;
    size_t slot_cap;
    int64_t *number_memory[SKEDI_NUMBERS];
    int64_t *amount_memory[SKEDI_AMOUNTS];
} skedi_image;

/* The last commit of a tree. */
const skedi_image *skedi_tree_image(const sked_tree *tree);

/*
 * The rows whose integers or amounts were changed by commits after `version`,
 * in the order of those commits; a row may come twice. 1 when `rows` has all
 * `*n` of them; 0 when they are too many, no longer known, or rows themselves
 * changed since: then start from the whole image.
 */
int skedi_tree_changes_since(const sked_tree *tree, uint64_t version,
                             uint32_t *rows, size_t cap, size_t *n);

/*
 * Is this a tree whose commit `version` had `key`, as far as is known? Then
 * skedi_tree_changes_since() speaks of what that reader has seen, or nothing
 * changed at all; a copy that went its own way does not.
 */
int skedi_tree_follows(const sked_tree *tree, uint64_t version, uint64_t key);

static inline uint32_t skedi_image_children(const skedi_image *image,
                                            uint32_t row)
{
    return image->first_child[row + 1] - image->first_child[row];
}

static inline int skedi_image_is_leaf(const skedi_image *image, uint32_t row)
{
    return skedi_image_children(image, row) == 0;
}

/* One kind of an attribute with amounts (SKEDI_AT_*), by row; NULL: at rest. */
static inline const int64_t *skedi_image_amounts(const skedi_image *image,
                                                 uint32_t index, uint32_t kind)
{
    const int64_t *at = image->amount[index];

    return at ? at + (size_t)kind * image->n : NULL;
}

/* The row of a queue, or SKEDI_NO_ROW. */
static inline uint32_t skedi_image_row(const skedi_image *image,
                                       sked_queue_id id)
{
    uint32_t slot = (uint32_t)id;

    if (slot >= image->n_slots) return SKEDI_NO_ROW;
    uint32_t row = image->row_of[slot];
    return row != SKEDI_NO_ROW && image->id[row] == id ? row : SKEDI_NO_ROW;
}

/* The row of the queue that has this id and this birth, or SKEDI_NO_ROW. */
static inline uint32_t skedi_image_same(const skedi_image *image,
                                        sked_queue_id id, uint64_t birth)
{
    uint32_t row = skedi_image_row(image, id);

    if (row == SKEDI_NO_ROW || image->birth[row] != birth) return SKEDI_NO_ROW;
    return row;
}

/*
 * For each row of the last commit of `from` the row in that of `to` that is the
 * same queue, or SKEDI_NO_ROW: the roots are; then those that agree in id and
 * birth; then, of what is left, those of the same path. Cost: O(queues).
 */
void skedi_tree_match(const sked_tree *from, const sked_tree *to,
                      uint32_t *row_of);

/* An integer attribute of a row as it is stored. */
int64_t skedi_image_number(const skedi_image *image, uint32_t index,
                           uint32_t row);

/* The value that holds: set, inherited or the default. */
int64_t skedi_image_effective(const skedi_image *image, uint32_t index,
                              uint32_t row);

/*
 * One kind of an attribute with amounts, by row, with parts resolved against
 * `capacity`, the amount of that kind that the root has. Rounded down, parents
 * first. A part of an unlimited parent's limit is one of what bounds that
 * parent.
 */
void skedi_image_resolve(const skedi_image *image, uint32_t index,
                         uint32_t kind, int64_t capacity, int64_t *by_row);

/*
 * Reserves memory for `n` rows, `slots` slots and the columns named by `used`
 * (SKEDI_TOUCH_* bits). What the image showed is lost when that takes new
 * memory for rows. 0: no memory, and the image is as it was.
 */
int skedi_image_ensure(skedi_image *image, skedi_mem *mem, size_t n,
                       size_t slots, uint32_t used);

/* Makes `into`, which has memory for it, show what `from` shows. */
void skedi_image_assign(skedi_image *into, const skedi_image *from);

int skedi_image_copy(skedi_image *into, skedi_mem *mem,
                     const skedi_image *from);
void skedi_image_free(skedi_image *image, skedi_mem *mem);

#endif
