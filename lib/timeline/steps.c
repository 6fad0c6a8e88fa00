/*
 * The B+ tree of changes: memory, insertion, deletion, the sums above.
 *
 * Insertion splits full blocks on the way down, so a parent always has a place for
 * one more child. Deletion mends blocks below the least size on the way up:
 * two neighbours become one block, or share their contents evenly.
 */
#include "timeline/steps.h"

#include <string.h>

#define STEPS_NO_BLOCK UINT32_MAX

enum {
    STEPS_MERGED = 24 /* two blocks become one up to this size; further
                         insertions then do not split it at once */
};

/* ---- Memory ---- */

/* Words of a block's table of known gaps. */
static size_t steps_gap_words(uint32_t kinds)
{
    return (size_t)SKEDI_STEPS_GAPS * (1 + kinds);
}

/* Words of a block by the number of its columns. */
static size_t steps_words(uint32_t kinds, uint32_t columns)
{
    return 1 + SKEDI_STEPS_BLOCK * (size_t)columns + SKEDI_STEPS_BLOCK / 2 +
           steps_gap_words(kinds);
}

/* Columns of 64-bit numbers of a block on a level, moments included. */
static uint32_t steps_columns(uint32_t kinds, uint32_t level)
{
    return level == 0 ? 1 + kinds : 2 + 3 * kinds;
}

/* Memory for `blocks` blocks. 0: no memory, nothing changed. */
static int steps_pool_reserve(skedi_steps_pool *pool, skedi_mem *mem,
                              size_t blocks)
{
    void *words = pool->words;
    size_t cap = pool->cap;

    if (!skedi_ensure(mem, &words, &cap, blocks,
                      pool->size * sizeof *pool->words)) {
        return 0;
    }
    pool->words = words;
    pool->cap = cap;
    return 1;
}

/* Memory for `more` blocks beside those in use. */
static int steps_pool_prepare(skedi_steps_pool *pool, skedi_mem *mem,
                              size_t more)
{
    if (more <= pool->n_free) return 1;
    return steps_pool_reserve(pool, mem, pool->used + (more - pool->n_free));
}

static uint32_t steps_pool_take(skedi_steps_pool *pool)
{
    uint32_t block = pool->free;

    if (block == STEPS_NO_BLOCK) {
        SKEDI_ASSERT(pool->used < pool->cap);
        return pool->used++;
    }
    pool->free = (uint32_t)pool->words[(size_t)block * pool->size];
    pool->n_free--;
    return block;
}

static void steps_pool_give(skedi_steps_pool *pool, uint32_t block)
{
    pool->words[(size_t)block * pool->size] = pool->free;
    pool->free = block;
    pool->n_free++;
}

static int steps_pool_copy(skedi_steps_pool *to, skedi_mem *mem,
                           const skedi_steps_pool *from)
{
    *to = *from;
    to->words = NULL;
    to->cap = 0;
    if (!steps_pool_reserve(to, mem, from->used)) return 0;
    if (from->used > 0) {
        memcpy(to->words, from->words,
               from->used * from->size * sizeof *from->words);
    }
    return 1;
}

static void steps_pool_drop(skedi_steps_pool *pool, skedi_mem *mem)
{
    skedi_free(mem, pool->words, pool->cap, pool->size * sizeof *pool->words);
}

/* A block without known gaps. */
static void steps_forget(const skedi_steps *s, uint32_t level, int64_t *block)
{
    for (uint32_t row = 0; row < SKEDI_STEPS_GAPS; row++) {
        skedi_steps_gap(s, level, block, row)[0] = INT64_MAX;
    }
}

void skedi_steps_drop(skedi_steps *s, skedi_mem *mem)
{
    steps_pool_drop(&s->leaf, mem);
    steps_pool_drop(&s->inner, mem);
}

int skedi_steps_make(skedi_steps *s, skedi_mem *mem, uint32_t kinds)
{
    *s = (skedi_steps){
        .kinds = kinds,
        .levels = 1,
        .leaf = {.size = steps_words(kinds, steps_columns(kinds, 0)),
                 .free = STEPS_NO_BLOCK},
        .inner = {.size = steps_words(kinds, steps_columns(kinds, 1)),
                  .free = STEPS_NO_BLOCK}};
    if (!steps_pool_reserve(&s->leaf, mem, 1)) return 0;
    s->root = steps_pool_take(&s->leaf);
    int64_t *leaf = skedi_leaf(s, s->root);
    leaf[0] = 1;
    skedi_steps_time(leaf)[0] = INT64_MIN;
    for (uint32_t k = 0; k < kinds; k++) skedi_leaf_change(leaf, k)[0] = 0;
    skedi_leaf_refs(s, leaf)[0] = 1;
    steps_forget(s, 0, leaf);
    return 1;
}

int skedi_steps_copy(skedi_steps *to, skedi_mem *mem, const skedi_steps *from)
{
    *to = *from;
    to->leaf = to->inner = (skedi_steps_pool){.size = 1};
    return steps_pool_copy(&to->leaf, mem, &from->leaf) &&
           steps_pool_copy(&to->inner, mem, &from->inner);
}

int skedi_steps_reserve(skedi_steps *s, skedi_mem *mem, size_t entries)
{
    /* Blocks of the least size everywhere, and a split on each level. */
    size_t leaves = entries / SKEDI_STEPS_LEAST + 4;
    size_t inner = leaves / (SKEDI_STEPS_LEAST - 1) + 3 * SKEDI_STEPS_LEVELS +
                   2;

    return steps_pool_reserve(&s->leaf, mem, leaves) &&
           steps_pool_reserve(&s->inner, mem, inner);
}

int skedi_steps_prepare(skedi_steps *s, skedi_mem *mem)
{
    /* Each insertion may split a block a level and raise the root. */
    return steps_pool_prepare(&s->leaf, mem, 2) &&
           steps_pool_prepare(&s->inner, mem, 2 * (size_t)s->levels + 2);
}

/* ---- Blocks ---- */

/* An item of a block. */
typedef struct steps_place {
    int64_t *block;
    uint32_t at;
} steps_place;

/*
 * Moves `n` items of one block to another (or the same), with all columns.
 * Counts stay.
 */
static void steps_move(const skedi_steps *s, uint32_t level, steps_place to,
                       steps_place from, uint32_t n)
{
    uint32_t columns = steps_columns(s->kinds, level);

    for (uint32_t c = 0; c < columns; c++) {
        size_t at = 1 + (size_t)c * SKEDI_STEPS_BLOCK;
        memmove(to.block + at + to.at, from.block + at + from.at,
                n * sizeof *to.block);
    }
    if (level == 0) {
        memmove(skedi_leaf_refs(s, to.block) + to.at,
                skedi_leaf_refs(s, from.block) + from.at, n * sizeof(uint32_t));
        return;
    }
    memmove(skedi_inner_child(s, to.block) + to.at,
            skedi_inner_child(s, from.block) + from.at, n * sizeof(uint32_t));
}

/* Sum, high and low of kind `k` of a block. */
typedef struct steps_summary {
    int64_t sum;
    int64_t high;
    int64_t low;
} steps_summary;

static steps_summary steps_sum_leaf(int64_t *leaf, uint32_t k)
{
    const int64_t *change = skedi_leaf_change(leaf, k);
    steps_summary x = {0, INT64_MIN, INT64_MAX};

    for (int64_t i = 0; i < leaf[0]; i++) {
        x.sum += change[i];
        x.high = x.sum > x.high ? x.sum : x.high;
        x.low = x.sum < x.low ? x.sum : x.low;
    }
    return x;
}

static steps_summary steps_sum_inner(int64_t *inner, uint32_t k)
{
    const int64_t *sum = skedi_inner_sum(inner, k);
    const int64_t *high = skedi_inner_high(inner, k);
    const int64_t *low = skedi_inner_low(inner, k);
    steps_summary x = {0, INT64_MIN, INT64_MAX};

    for (int64_t i = 0; i < inner[0]; i++) {
        int64_t h = x.sum + high[i], l = x.sum + low[i];
        x.high = h > x.high ? h : x.high;
        x.low = l < x.low ? l : x.low;
        x.sum += sum[i];
    }
    return x;
}

/* Brings what `parent`, on `level`, says of its child `at` up to date. */
static void steps_sum_up(const skedi_steps *s, uint32_t level, int64_t *parent,
                         uint32_t at)
{
    uint32_t child = skedi_inner_child(s, parent)[at];
    int64_t *block = skedi_steps_block(s, level - 1, child);

    SKEDI_ASSERT(block[0] > 0);
    skedi_steps_time(parent)[at] = skedi_steps_time(block)[0];
    for (uint32_t k = 0; k < s->kinds; k++) {
        steps_summary x = level == 1 ? steps_sum_leaf(block, k)
                                     : steps_sum_inner(block, k);
        skedi_inner_sum(parent, k)[at] = x.sum;
        skedi_inner_high(parent, k)[at] = x.high;
        skedi_inner_low(parent, k)[at] = x.low;
    }
}

/* ---- Insertion ---- */

/* Makes a place behind child `at` of `parent` and splits the child, which is full,
 * into two of equal size. */
static void steps_split(skedi_steps *s, uint32_t level, uint32_t parent,
                        uint32_t at)
{
    const uint32_t half = SKEDI_STEPS_BLOCK / 2;
    uint32_t old = skedi_inner_child(s, skedi_inner(s, parent))[at];
    uint32_t fresh = steps_pool_take(level == 1 ? &s->leaf : &s->inner);
    int64_t *up = skedi_inner(s, parent);
    int64_t *left = skedi_steps_block(s, level - 1, old);
    int64_t *right = skedi_steps_block(s, level - 1, fresh);
    uint32_t n = (uint32_t)up[0];

    SKEDI_ASSERT(n < SKEDI_STEPS_BLOCK && left[0] == SKEDI_STEPS_BLOCK);
    steps_move(s, level - 1, (steps_place){right, 0}, (steps_place){left, half},
               half);
    left[0] = right[0] = half;
    steps_move(s, level, (steps_place){up, at + 1}, (steps_place){up, at},
               n - at);
    up[0] = n + 1;
    skedi_inner_child(s, up)[at + 1] = fresh;
    skedi_inner_reach(s, up)[at + 1] = skedi_inner_reach(s, up)[at];
    memcpy(skedi_steps_gap(s, level - 1, right, 0),
           skedi_steps_gap(s, level - 1, left, 0),
           steps_gap_words(s->kinds) * sizeof *left);
    steps_sum_up(s, level, up, at);
    steps_sum_up(s, level, up, at + 1);
}

/* The reach of all known gaps below the root. */
static int64_t steps_reach_below(const skedi_steps *s)
{
    int64_t reach = INT64_MIN;

    if (s->levels == 1) return reach;
    int64_t *inner = skedi_inner(s, s->root);
    for (int64_t i = 0; i < inner[0]; i++) {
        int64_t of_child = skedi_inner_reach(s, inner)[i];
        reach = of_child > reach ? of_child : reach;
    }
    return reach;
}

/* A new root above the old one, which is full. */
static void steps_raise(skedi_steps *s)
{
    uint32_t root = steps_pool_take(&s->inner);
    int64_t *inner = skedi_inner(s, root);

    SKEDI_ASSERT(s->levels < SKEDI_STEPS_LEVELS);
    inner[0] = 1;
    skedi_inner_child(s, inner)[0] = s->root;
    skedi_inner_reach(s, inner)[0] = steps_reach_below(s);
    steps_forget(s, s->levels, inner);
    steps_sum_up(s, s->levels, inner, 0);
    s->root = root;
    s->levels++;
    steps_split(s, s->levels - 1, root, 0);
}

/* Blocks from the root to a leaf, by level, and the place in each. */
typedef struct steps_path {
    uint32_t block[SKEDI_STEPS_LEVELS];
    uint32_t at[SKEDI_STEPS_LEVELS];
} steps_path;

static void steps_find(skedi_steps *s, int64_t time, steps_path *path)
{
    uint32_t block = s->root;

    for (uint32_t level = s->levels - 1;; level--) {
        int64_t *words = skedi_steps_block(s, level, block);
        path->block[level] = block;
        path->at[level] = skedi_steps_last(skedi_steps_time(words),
                                           (uint32_t)words[0], time);
        if (level == 0) return;
        block = skedi_inner_child(s, words)[path->at[level]];
    }
}

static int steps_is_full(const skedi_steps *s, uint32_t level, uint32_t block)
{
    return skedi_steps_block(s, level, block)[0] == SKEDI_STEPS_BLOCK;
}

/* The same, with a place for one more entry in the leaf. */
static void steps_find_place(skedi_steps *s, int64_t time, steps_path *path)
{
    if (steps_is_full(s, s->levels - 1, s->root)) steps_raise(s);
    uint32_t block = s->root;

    for (uint32_t level = s->levels - 1; level > 0; level--) {
        int64_t *inner = skedi_inner(s, block);
        uint32_t at = skedi_steps_last(skedi_steps_time(inner),
                                       (uint32_t)inner[0], time);
        if (steps_is_full(s, level - 1, skedi_inner_child(s, inner)[at])) {
            steps_split(s, level, block, at);
            at += skedi_steps_time(inner)[at + 1] <= time;
        }
        path->block[level] = block;
        path->at[level] = at;
        block = skedi_inner_child(s, inner)[at];
    }
    int64_t *leaf = skedi_leaf(s, block);
    path->block[0] = block;
    path->at[0] = skedi_steps_last(skedi_steps_time(leaf), (uint32_t)leaf[0],
                                   time);
}

/* The most of a kind that is used at any moment. */
static int64_t steps_peak(const skedi_steps *s, uint32_t k)
{
    int64_t *root = skedi_steps_block(s, s->levels - 1, s->root);

    return s->levels == 1 ? steps_sum_leaf(root, k).high
                          : steps_sum_inner(root, k).high;
}

static void steps_sum_root(skedi_steps *s)
{
    for (uint32_t k = 0; k < s->kinds; k++) s->high[k] = steps_peak(s, k);
}

static void steps_sum_path(skedi_steps *s, const steps_path *path)
{
    for (uint32_t level = 1; level < s->levels; level++) {
        steps_sum_up(s, level, skedi_inner(s, path->block[level]),
                     path->at[level]);
    }
    steps_sum_root(s);
}

void skedi_steps_add(skedi_steps *s, int64_t time, const int64_t *amounts,
                     int sign)
{
    steps_path path;

    steps_find_place(s, time, &path);
    int64_t *leaf = skedi_leaf(s, path.block[0]);
    uint32_t at = path.at[0], n = (uint32_t)leaf[0];
    if (skedi_steps_time(leaf)[at] != time) {
        at++;
        steps_move(s, 0, (steps_place){leaf, at + 1}, (steps_place){leaf, at},
                   n - at);
        leaf[0] = n + 1;
        skedi_steps_time(leaf)[at] = time;
        for (uint32_t k = 0; k < s->kinds; k++) {
            skedi_leaf_change(leaf, k)[at] = 0;
        }
        skedi_leaf_refs(s, leaf)[at] = 0;
    }
    for (uint32_t k = 0; k < s->kinds; k++) {
        skedi_leaf_change(leaf, k)[at] += sign * amounts[k];
    }
    skedi_leaf_refs(s, leaf)[at]++;
    steps_sum_path(s, &path);
}

/* ---- Deletion ---- */

/* Entries move between two neighbours: their known gaps are forgotten. What is
 * known below them stays. */
static void steps_forget_two(const skedi_steps *s, uint32_t level,
                             int64_t *parent, uint32_t left)
{
    const uint32_t *child = skedi_inner_child(s, parent);
    int64_t *reach = skedi_inner_reach(s, parent) + left;

    for (uint32_t i = 0; i < 2; i++) {
        steps_forget(s, level - 1,
                     skedi_steps_block(s, level - 1, child[left + i]));
    }
    reach[0] = reach[1] = reach[0] > reach[1] ? reach[0] : reach[1];
}

/* One block of two neighbours, children `left` and the next of `parent`. */
static void steps_merge(skedi_steps *s, uint32_t level, int64_t *parent,
                        uint32_t left)
{
    uint32_t *child = skedi_inner_child(s, parent);
    uint32_t gone = child[left + 1], n = (uint32_t)parent[0];
    int64_t *a = skedi_steps_block(s, level - 1, child[left]);
    int64_t *b = skedi_steps_block(s, level - 1, gone);

    steps_move(s, level - 1, (steps_place){a, (uint32_t)a[0]},
               (steps_place){b, 0}, (uint32_t)b[0]);
    a[0] += b[0];
    steps_move(s, level, (steps_place){parent, left + 1},
               (steps_place){parent, left + 2}, n - left - 2);
    parent[0] = n - 1;
    steps_pool_give(level == 1 ? &s->leaf : &s->inner, gone);
    steps_sum_up(s, level, parent, left);
}

/* Half of what two neighbours have for each of them. */
static void steps_share(skedi_steps *s, uint32_t level, int64_t *parent,
                        uint32_t left)
{
    const uint32_t *child = skedi_inner_child(s, parent);
    int64_t *a = skedi_steps_block(s, level - 1, child[left]);
    int64_t *b = skedi_steps_block(s, level - 1, child[left + 1]);
    uint32_t in_a = (uint32_t)a[0], in_b = (uint32_t)b[0];
    uint32_t half = (in_a + in_b) / 2;

    if (in_a > half) {
        uint32_t n = in_a - half;
        steps_move(s, level - 1, (steps_place){b, n}, (steps_place){b, 0},
                   in_b);
        steps_move(s, level - 1, (steps_place){b, 0}, (steps_place){a, half},
                   n);
    } else {
        uint32_t n = half - in_a;
        steps_move(s, level - 1, (steps_place){a, in_a}, (steps_place){b, 0},
                   n);
        steps_move(s, level - 1, (steps_place){b, 0}, (steps_place){b, n},
                   in_b - n);
    }
    a[0] = half;
    b[0] = in_a + in_b - half;
    steps_sum_up(s, level, parent, left);
    steps_sum_up(s, level, parent, left + 1);
}

/* Mends the child `at` of a block on `level`, which is below the least size. */
static void steps_mend(skedi_steps *s, uint32_t level, uint32_t block,
                       uint32_t at)
{
    int64_t *parent = skedi_inner(s, block);
    uint32_t left = at > 0 ? at - 1 : 0;

    SKEDI_ASSERT(parent[0] > 1);
    uint32_t a = skedi_inner_child(s, parent)[left];
    uint32_t b = skedi_inner_child(s, parent)[left + 1];
    int64_t both = skedi_steps_block(s, level - 1, a)[0] +
                   skedi_steps_block(s, level - 1, b)[0];
    steps_forget_two(s, level, parent, left);
    if (both <= STEPS_MERGED) {
        steps_merge(s, level, parent, left);
    } else {
        steps_share(s, level, parent, left);
    }
}

/* From the leaf up: sums, and blocks that have become too small. */
static void steps_mend_path(skedi_steps *s, const steps_path *path)
{
    for (uint32_t level = 1; level < s->levels; level++) {
        uint32_t block = path->block[level], at = path->at[level];
        int64_t *below = skedi_steps_block(s, level - 1,
                                           path->block[level - 1]);
        if (below[0] < SKEDI_STEPS_LEAST) {
            steps_mend(s, level, block, at);
        } else {
            steps_sum_up(s, level, skedi_inner(s, block), at);
        }
    }
    while (s->levels > 1 && skedi_inner(s, s->root)[0] == 1) {
        uint32_t only = skedi_inner_child(s, skedi_inner(s, s->root))[0];
        steps_pool_give(&s->inner, s->root);
        s->root = only;
        s->levels--;
        steps_forget(s, s->levels - 1,
                     skedi_steps_block(s, s->levels - 1, only));
    }
    steps_sum_root(s);
}

void skedi_steps_subtract(skedi_steps *s, int64_t time, const int64_t *amounts,
                          int sign)
{
    steps_path path;

    steps_find(s, time, &path);
    int64_t *leaf = skedi_leaf(s, path.block[0]);
    uint32_t at = path.at[0], n = (uint32_t)leaf[0];
    SKEDI_ASSERT(skedi_steps_time(leaf)[at] == time);
    SKEDI_ASSERT(skedi_leaf_refs(s, leaf)[at] > 0);
    for (uint32_t k = 0; k < s->kinds; k++) {
        skedi_leaf_change(leaf, k)[at] -= sign * amounts[k];
    }
    if (--skedi_leaf_refs(s, leaf)[at] > 0) {
        steps_sum_path(s, &path);
        return;
    }
    steps_move(s, 0, (steps_place){leaf, at}, (steps_place){leaf, at + 1},
               n - at - 1);
    leaf[0] = n - 1;
    steps_mend_path(s, &path);
}

/* ---- Checks ---- */

/* The fault of one child of a block on `level`. */
static const char *steps_child_fault(const skedi_steps *s, uint32_t level,
                                     int64_t *inner, uint32_t at)
{
    uint32_t child = skedi_inner_child(s, inner)[at];
    int64_t *block = skedi_steps_block(s, level - 1, child);

    if (block[0] < SKEDI_STEPS_LEAST || block[0] > SKEDI_STEPS_BLOCK) {
        return "a block has a wrong size";
    }
    if (skedi_steps_time(inner)[at] != skedi_steps_time(block)[0]) {
        return "a first moment is wrong";
    }
    for (uint32_t k = 0; k < s->kinds; k++) {
        steps_summary x = level == 1 ? steps_sum_leaf(block, k)
                                     : steps_sum_inner(block, k);
        if (skedi_inner_sum(inner, k)[at] != x.sum ||
            skedi_inner_high(inner, k)[at] != x.high ||
            skedi_inner_low(inner, k)[at] != x.low) {
            return "a sum is wrong";
        }
    }
    return NULL;
}

static const char *steps_leaf_fault(const skedi_steps *s, int64_t *leaf,
                                    int64_t *last)
{
    for (int64_t i = 0; i < leaf[0]; i++) {
        int64_t time = skedi_steps_time(leaf)[i];
        if (time <= *last && *last != INT64_MIN) return "moments do not ascend";
        if (skedi_leaf_refs(s, leaf)[i] == 0) return "an entry has no span";
        *last = time;
    }
    return NULL;
}

const char *skedi_steps_fault(const skedi_steps *s)
{
    steps_path path = {{0}, {0}};
    uint32_t level = s->levels - 1;
    int64_t last = INT64_MIN;

    for (uint32_t k = 0; k < s->kinds; k++) {
        if (s->high[k] != steps_peak(s, k)) return "the peak is wrong";
    }
    path.block[level] = s->root;
    if (level == 0) return steps_leaf_fault(s, skedi_leaf(s, s->root), &last);
    while (level < s->levels) {
        int64_t *inner = skedi_inner(s, path.block[level]);
        uint32_t at = path.at[level]++;
        if (at >= inner[0]) {
            level++;
            continue;
        }
        const char *fault = steps_child_fault(s, level, inner, at);
        uint32_t child = skedi_inner_child(s, inner)[at];
        if (!fault && level == 1) {
            fault = steps_leaf_fault(s, skedi_leaf(s, child), &last);
        }
        if (fault) return fault;
        if (level == 1) continue;
        path.block[--level] = child;
        path.at[level] = 0;
    }
    return NULL;
}
