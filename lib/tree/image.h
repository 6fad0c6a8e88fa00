#ifndef SKEDI_TREE_IMAGE_H
#define SKEDI_TREE_IMAGE_H

/*
 * The image, which a commit publishes: the queues in rows, breadth first, as
 * plain columns. Row 0 is the root. Siblings are adjacent, and parents precede
 * their children. The children of row r are the rows first_child[r] to
 * first_child[r + 1] (exclusive); for a leaf, the range is empty. The children
 * of the rows a to b (exclusive) are therefore the rows first_child[a] to
 * first_child[b].
 *
 * A reader must fetch the image anew in every call, because a commit may change
 * the image in place or put another image in force.
 */

#include "base/mem.h"
#include "tree/draft.h"

#define SKEDI_NO_ROW UINT32_MAX

/*
 * The maximum number of slots for each queue, relative to the largest number of
 * queues that the tree ever had. Three sets of queues may need slots: queues
 * that the draft removed and the commit still shows, queues in the draft, and
 * queues that a text or a diff adds before removing others.
 */
enum { SKEDI_SLOTS_A_QUEUE = 3 };

typedef struct skedi_image {
    uint32_t n;     /* rows */
    uint32_t kinds; /* resource kinds */
    uint32_t levels;
    uint32_t n_leaves;
    uint32_t level[SKED_MAX_DEPTH + 1]; /* first row of each level; then n */

    sked_queue_id *id;
    /* The history of edits up to the edit that added the queue. If a queue has
     * equal id and birth in two trees, the queue is the same: a tree is a copy
     * of the other, or both had the same history up to the birth. */
    uint64_t *birth;
    int32_t *parent;       /* row; -1: the root */
    uint32_t *first_child; /* n + 1 */
    uint32_t *leaf;        /* n_leaves rows */
    uint8_t *depth;        /* 0: the root */

    /* The most-read integer attributes, as stored. */
    uint32_t *weight;
    int32_t *priority;
    uint8_t *order;
    uint8_t *fair_kind;
    uint8_t *apps;
    uint8_t *state;

    /* Every attribute as stored (attr.h). NULL: at rest in every row. Amounts
     * are ordered by kind: the amount of kind k and row r is at k * n + r. */
    int64_t *number[SKEDI_NUMBERS];
    int64_t *amount[SKEDI_AMOUNTS];

    uint64_t version; /* of the commit */
    uint64_t shape;
    /* A hash of the history of edits up to this commit. Two trees have equal
     * keys only if their images are equal. An unedited copy has the same
     * key. */
    uint64_t key;
    /* A hash of rows, ids and births only. */
    uint64_t shape_key;

    skedi_text *name;
    skedi_text *label;
    skedi_text *users;
    uint32_t *line;
    skedi_text file;
    uint32_t *row_of; /* by slot; SKEDI_NO_ROW: not in this commit */
    uint32_t n_slots;

    /* Storage: the rows and slots that fit into memory, in use or not. */
    size_t cap;
    size_t slot_cap;
    int64_t *number_memory[SKEDI_NUMBERS];
    int64_t *amount_memory[SKEDI_AMOUNTS];
} skedi_image;

/* The last commit of a tree. */
const skedi_image *skedi_tree_image(const sked_tree *tree);

/*
 * The rows whose integers or amounts were changed by commits after `version`,
 * in the order of the commits. A row may occur twice. Returns 1 if `rows` has
 * all `*n` rows. Returns 0 if the rows are too many or no longer known, or if
 * queues came, went or moved since `version`; the reader must then read the
 * whole image.
 */
int skedi_tree_changes_since(const sked_tree *tree, uint64_t version,
                             uint32_t *rows, size_t cap, size_t *n);

/*
 * Did the commit `version` of this tree have `key`, as far as is known? If 1,
 * skedi_tree_changes_since() is valid for a reader of `version` and `key`, or
 * the tree is unchanged. A copy with a different history returns 0.
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

/* A kind of an attribute with amounts (SKEDI_AT_*), by row; NULL: at rest. */
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

/* The row of the queue with this id and birth, or SKEDI_NO_ROW. */
static inline uint32_t skedi_image_same(const skedi_image *image,
                                        sked_queue_id id, uint64_t birth)
{
    uint32_t row = skedi_image_row(image, id);

    if (row == SKEDI_NO_ROW || image->birth[row] != birth) return SKEDI_NO_ROW;
    return row;
}

/*
 * Finds, for each row of the last commit of `from`, the row of the same queue
 * in the last commit of `to`, or SKEDI_NO_ROW. The roots match. Next, queues
 * with equal id and birth match. Last, among the remaining queues, equal paths
 * match. Cost: O(queues).
 */
void skedi_tree_match(const sked_tree *from, const sked_tree *to,
                      uint32_t *row_of);

/* An integer attribute of a row, as stored. */
int64_t skedi_image_number(const skedi_image *image, uint32_t index,
                           uint32_t row);

/* The effective value: set, inherited or the default. */
int64_t skedi_image_effective(const skedi_image *image, uint32_t index,
                              uint32_t row);

/*
 * Writes a kind of an attribute with amounts, by row. Parts become amounts:
 * `capacity` is the root's amount of this kind. Results are rounded down,
 * parents first. If the parent's limit is unlimited, a part of a limit refers
 * to the nearest limit above the parent, or to `capacity` if no ancestor has a
 * limit.
 */
void skedi_image_resolve(const skedi_image *image, uint32_t index,
                         uint32_t kind, int64_t capacity, int64_t *by_row);

/*
 * Reserves memory for `n` rows, `slots` slots and the columns in `used`
 * (SKEDI_TOUCH_* bits). If the rows need new memory, the content of the image
 * is lost. Returns 0 without memory; the content is then unchanged.
 */
int skedi_image_ensure(skedi_image *image, skedi_mem *mem, size_t n,
                       size_t slots, uint32_t used);

/* Copies the content of `from` into `into`, which has enough memory. */
void skedi_image_assign(skedi_image *into, const skedi_image *from);

int skedi_image_copy(skedi_image *into, skedi_mem *mem,
                     const skedi_image *from);
void skedi_image_free(skedi_image *image, skedi_mem *mem);

#endif
