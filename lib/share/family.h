#ifndef SKEDI_SHARE_FAMILY_H
#define SKEDI_SHARE_FAMILY_H

/*
 * One family in one kind: the bounds of the children, their sums for the
 * parent, and the filling. Every computation of shares, whole or by change,
 * uses two functions: skedi_family_sum() from the leaves up, and
 * skedi_family_refill() from the root down.
 */

#include "base/hooks.h"
#include "base/sort.h"
#include "fill/window.h"
#include "share/rule.h"

#define SKEDI_NO_FAMILY UINT32_MAX

/* A parent and its children. The children stand side by side. */
typedef struct skedi_family {
    uint32_t parent; /* rows */
    uint32_t first;
    uint32_t count;
    uint32_t mixed; /* some child is also a parent */
} skedi_family;

/* The tree as families in the order of their parents' rows. */
typedef struct skedi_share_shape {
    const skedi_family *families;
    const uint32_t *family; /* by row: the family below, or SKEDI_NO_FAMILY */
    const uint32_t *member; /* by row: the family around; the root:
                               SKEDI_NO_FAMILY */
    uint32_t n;             /* rows */
    uint32_t n_families;
    uint32_t widest; /* children of the largest family */
    uint32_t unused;
} skedi_share_shape;

/* The queues' settings and amounts in one kind, by row. NULL: the default in
 * every row. */
typedef struct skedi_share_told_columns {
    const int64_t *guarantee;
    const int64_t *limit;
    const int64_t *borrow;
    const int64_t *lend;
    const int64_t *demand; /* of parents too: sums, or anything */
    const int64_t *usage;  /* of parents too: sums */
    const int64_t *held;   /* of parents: 0 */
    const uint32_t *weight;
    const int32_t *priority;
    const uint8_t *state; /* SKEDI_ROW_* */
    int64_t capacity;
    int drains; /* may a row be draining? */
} skedi_share_told_columns;

/* Memory for the widest family. */
typedef struct skedi_family_memory {
    void *block;
    size_t bytes;
    size_t scratch_bytes;
    size_t widest;
    int64_t *lo;
    int64_t *hi;
    int64_t *hard;
    int64_t *wide;  /* amounts as weights */
    int64_t *gap;   /* open amounts, while one filling follows another */
    int64_t *part;  /* results of the filling before */
    int64_t *made;  /* shares in the order of bands */
    int64_t *zeros; /* columns at their defaults */
    int64_t *unlimited;
    uint32_t *ones;
    uint32_t *weight; /* in the order of bands */
    uint32_t *order;  /* children by priority */
    uint32_t *order_scratch;
    uint64_t levels; /* levels found until now */
    skedi_fill_work fill;
} skedi_family_memory;

/* The kept values of a family in one kind. */
typedef struct skedi_family_state {
    skedi_share_sums sums;
    skedi_share_row parent;   /* the parent's bounds, made from the sums */
    int64_t total;            /* the parent's share at the last filling */
    skedi_fill_level level;   /* of the last filling that was not saturated */
    skedi_fill_window window; /* around the level; computing by change keeps it
                                 */
} skedi_family_state;

/* One kind of a computation. */
typedef struct skedi_share_kind {
    const skedi_share_shape *shape;
    const skedi_share_model *model;
    const skedi_share_told_columns *told;
    skedi_family_state *state; /* by family */
    int64_t *share;            /* by row */
    uint32_t *rise; /* by row: an open row's part of its window's slope; only
                       with prefix rounding */
    int32_t rounding;
    int32_t even;    /* kind not shared: a child gets its parent's share, up to
                        the child's ceiling */
    int32_t follows; /* windows hold what the children are */
} skedi_share_kind;

/* Memory for families of up to `widest` children; 0: no memory. */
int skedi_family_memory_make(skedi_family_memory *memory, skedi_mem *mem,
                             size_t widest);
void skedi_family_memory_free(skedi_family_memory *memory, skedi_mem *mem);

/* The settings and amounts of one row, the sums of its children, and the
 * resulting bounds. O(1). */
skedi_share_told skedi_share_told_at(const skedi_share_kind *kind,
                                     uint32_t row);
skedi_share_sums skedi_share_sums_at(const skedi_share_kind *kind,
                                     uint32_t row);
skedi_share_row skedi_share_row_at(const skedi_share_kind *kind, uint32_t row);

/* The same bounds; a parent's bounds come from its family's state. */
static inline skedi_share_row skedi_share_row_kept(const skedi_share_kind *kind,
                                                   uint32_t row)
{
    uint32_t below = kind->shape->family[row];

    return below == SKEDI_NO_FAMILY ? skedi_share_row_at(kind, row)
                                    : kind->state[below].parent;
}

/* Writes every child's bounds into the memory: `lo` and `hi`, and with models
 * that need more also `hard` and `wide`. O(n). */
void skedi_family_bounds(const skedi_share_kind *kind,
                         skedi_family_memory *memory, const skedi_family *f);

/* Checks that one child's share can be made alone: the family is filled in one
 * step, by demand only. */
static inline int skedi_family_is_simple(const skedi_share_model *model)
{
    return !model->bands && !model->anticipate &&
           model->model != SKED_SHARE_MODEL_CAPACITY;
}

/* Makes the bounds of a family's parent again after the parent's settings or
 * usage changed. O(1). */
void skedi_family_parent(const skedi_share_kind *kind, uint32_t family);

/* The sum of amounts; SKED_UNLIMITED when no amount can hold the sum. */
int64_t skedi_share_sum(const int64_t *amounts, size_t n);

/* Sums a family's bounds into its state. Returns 1 if the sums changed. O(n).
 */
int skedi_family_sum(const skedi_share_kind *kind, skedi_family_memory *memory,
                     uint32_t family);

/* The root's share. */
int64_t skedi_share_of_root(const skedi_share_kind *kind);

/* Writes the amount that each child may have above its floor into `gap`. */
static inline void skedi_family_gaps(const int64_t *hi, const int64_t *lo,
                                     int64_t *gap, size_t n)
{
    for (size_t i = 0; i < n; i++) gap[i] = skedi_amount_sub(hi[i], lo[i]);
}

/*
 * Gives the parent's share out among the children. O(n).
 */
void skedi_family_refill(const skedi_share_kind *kind,
                         skedi_family_memory *memory, uint32_t family);

#endif
