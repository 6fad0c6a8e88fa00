#ifndef SKEDI_TIMELINE_STEPS_H
#define SKEDI_TIMELINE_STEPS_H

/*
 * The step function of used amounts over time, as a B+ tree of changes.
 *
 * An entry is a moment at which spans begin or end, and the change of the used
 * amounts at this moment, one number a kind. The used amounts of a moment are
 * the sum of all changes up to the moment. The first entry is a sentinel at
 * INT64_MIN without change, so each moment has an entry at or before it.
 *
 * A leaf holds up to 32 entries by ascending moment. An inner block holds up to
 * 32 children, and of each child what a search reads before it enters the child:
 *
 *     first   moment of the child's first entry
 *     sum     sum of all changes in the child
 *     high    largest sum of the child's first i changes, over i > 0
 *     low     least such sum
 *     reach   a bound of the gaps that are known of the child (below)
 *
 * A search that walks from left to right adds up changes and sums; no value of
 * a child depends on what stands left of the child. So a new span changes two
 * entries and the blocks above them, however long the span is.
 *
 * Known gaps. Each block also has a table of what searches have learned. A row
 * is a cap for each kind and a length, and means: no gap that begins in the
 * block is longer. A gap begins at each moment of the block, and lasts as long as
 * used amounts stay within the caps. A row stays true when a span is added,
 * since gaps only become shorter. If a span is removed, rows of blocks up to
 * its `until` are forgotten if the block's end plus the length is not before its
 * `from`. `reach` is at least that sum, for each row of the child and below.
 * Rows of the root are never set.
 *
 * A block other than the root holds at least 8. The tree has an entry as long as
 * a span begins or ends there (`refs`), even if the changes cancel out: to
 * remove a span never needs memory.
 */

#include <sched/base.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/mem.h"

enum {
    SKEDI_STEPS_BLOCK = 32,  /* entries or children of a block */
    SKEDI_STEPS_LEAST = 8,   /* of a block that is not the root */
    SKEDI_STEPS_LEVELS = 12, /* 8^11 entries are more than 2^31 */
    SKEDI_STEPS_GAPS = 16    /* rows of known gaps of a block */
};

/* Blocks of one size; an index names a block, since memory may move. */
typedef struct skedi_steps_pool {
    int64_t *words;
    size_t size;   /* words of a block */
    size_t cap;    /* blocks that there is memory for */
    uint32_t used; /* blocks that were ever taken */
    uint32_t free; /* blocks that were given back: a chain by word 0 */
    uint32_t n_free;
} skedi_steps_pool;

typedef struct skedi_steps {
    uint32_t kinds;
    uint32_t levels; /* 1: the root is a leaf */
    uint32_t root;
    skedi_steps_pool leaf;
    skedi_steps_pool inner;
    int64_t high[SKED_MAX_KINDS]; /* the most that is used at any moment */
} skedi_steps;

/* Word 0 of a block is its number of entries or children; columns follow. */

static inline int64_t *skedi_leaf(const skedi_steps *s, uint32_t block)
{
    SKEDI_ASSERT(block < s->leaf.used);
    return s->leaf.words + (size_t)block * s->leaf.size;
}

static inline int64_t *skedi_inner(const skedi_steps *s, uint32_t block)
{
    SKEDI_ASSERT(block < s->inner.used);
    return s->inner.words + (size_t)block * s->inner.size;
}

/* Of leaves: moments. Of inner blocks: first moments of children. */
static inline int64_t *skedi_steps_time(int64_t *block)
{
    return block + 1;
}

static inline int64_t *skedi_leaf_change(int64_t *leaf, uint32_t kind)
{
    return leaf + 1 + (size_t)(1 + kind) * SKEDI_STEPS_BLOCK;
}

static inline uint32_t *skedi_leaf_refs(const skedi_steps *s, int64_t *leaf)
{
    return (uint32_t *)(leaf + 1 + (size_t)(1 + s->kinds) * SKEDI_STEPS_BLOCK);
}

static inline int64_t *skedi_inner_sum(int64_t *inner, uint32_t kind)
{
    return inner + 1 + (size_t)(1 + 3 * kind) * SKEDI_STEPS_BLOCK;
}

static inline int64_t *skedi_inner_high(int64_t *inner, uint32_t kind)
{
    return skedi_inner_sum(inner, kind) + SKEDI_STEPS_BLOCK;
}

static inline int64_t *skedi_inner_low(int64_t *inner, uint32_t kind)
{
    return skedi_inner_sum(inner, kind) + (size_t)2 * SKEDI_STEPS_BLOCK;
}

static inline int64_t *skedi_inner_reach(const skedi_steps *s, int64_t *inner)
{
    return skedi_inner_sum(inner, s->kinds);
}

static inline uint32_t *skedi_inner_child(const skedi_steps *s, int64_t *inner)
{
    return (uint32_t *)(skedi_inner_reach(s, inner) + SKEDI_STEPS_BLOCK);
}

static inline int64_t *skedi_steps_block(const skedi_steps *s, uint32_t level,
                                         uint32_t block)
{
    return level == 0 ? skedi_leaf(s, block) : skedi_inner(s, block);
}

/* A row of known gaps: the length, and a cap for each kind. No row: the length
 * is INT64_MAX. */
static inline int64_t *skedi_steps_gap(const skedi_steps *s, uint32_t level,
                                       int64_t *block, uint32_t row)
{
    int64_t *end = block + (level == 0 ? s->leaf.size : s->inner.size);

    return end - (size_t)(SKEDI_STEPS_GAPS - row) * (1 + s->kinds);
}

/* The last of `n` ascending moments that is not after `time`; the first one
 * never is. */
static inline uint32_t skedi_steps_last(const int64_t *times, uint32_t n,
                                        int64_t time)
{
    uint32_t at = 0;

    SKEDI_ASSERT(n > 0);
    for (uint32_t step = SKEDI_STEPS_BLOCK / 2; step > 0; step /= 2) {
        uint32_t next = at + step;
        if (next < n && times[next] <= time) at = next;
    }
    return at;
}

/* An empty function of `kinds` kinds: the sentinel. 0: no memory. */
int skedi_steps_make(skedi_steps *steps, skedi_mem *mem, uint32_t kinds);
void skedi_steps_drop(skedi_steps *steps, skedi_mem *mem);

/* An equal one into `to`, which is uninitialised. 0: no memory; what there is
 * of the copy is to be dropped. */
int skedi_steps_copy(skedi_steps *to, skedi_mem *mem, const skedi_steps *from);

/* Memory for `entries` entries in all, however they come and go. 0: no memory,
 * and nothing has changed. */
int skedi_steps_reserve(skedi_steps *steps, skedi_mem *mem, size_t entries);

/* Memory for two more entries. */
int skedi_steps_prepare(skedi_steps *steps, skedi_mem *mem);

/*
 * Adds `amounts` times `sign` to the change at `time`, for one more span that
 * begins or ends there; or takes one away: then the same with the other sign.
 * The order of the two ends of a span matters for the range of int64: an end
 * that lowers what is used comes first.
 */
void skedi_steps_add(skedi_steps *steps, int64_t time, const int64_t *amounts,
                     int sign);
void skedi_steps_subtract(skedi_steps *steps, int64_t time,
                          const int64_t *amounts, int sign);

/* The fault of the tree, or NULL. */
const char *skedi_steps_fault(const skedi_steps *steps);

#endif
