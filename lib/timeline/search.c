/*
 * Finds the earliest gap of a length.
 *
 * A plain search goes from gap to gap: the next moment at which the amounts fit,
 * the next moment at which the amounts do not fit. Among jobs of many durations
 * hundreds of gaps are too short. A search therefore writes down the longest gap
 * of each block on its way, and later searches pass the block (steps.h).
 */
#include "timeline/search.h"

#include <string.h>

#include "timeline/walk.h"

typedef struct gap_search {
    skedi_walk walk;
    skedi_steps *steps;
    const skedi_need *need;
    int open; /* the need fits at the place, since `start` */
    int64_t start;
    /* By level, of the block on the path. */
    int whole[SKEDI_STEPS_LEVELS];       /* all before the place is known */
    int64_t longest[SKEDI_STEPS_LEVELS]; /* gap that began before the place */
} gap_search;

/* ---- Rows of known gaps ---- */

void skedi_need_set(skedi_need *need, uint32_t kinds, const int64_t *total,
                    const int64_t *amounts, int64_t duration)
{
    need->duration = duration > 0 ? duration : 1;
    for (uint32_t k = 0; k < kinds; k++) need->cap[k] = total[k] - amounts[k];
}

/* Length of a known gap, or INT64_MAX if the row does not exclude the need. */
static int64_t gap_of_row(const gap_search *x, const int64_t *gap)
{
    if (gap[0] >= x->need->duration) return INT64_MAX;
    for (uint32_t k = 0; k < x->steps->kinds; k++) {
        if (x->need->cap[k] > gap[1 + k]) return INT64_MAX;
    }
    return gap[0];
}

/* The longest gap that can begin in a block, if too short for the need; else
 * INT64_MAX. */
static int64_t gap_known(const gap_search *x, uint32_t level, uint32_t block)
{
    int64_t *words = skedi_steps_block(x->steps, level, block);
    const int64_t *gap = skedi_steps_gap(x->steps, level, words, 0);
    const int64_t *end = gap + SKEDI_STEPS_GAPS * (1 + x->steps->kinds);

    for (; gap < end; gap += 1 + x->steps->kinds) {
        int64_t known = gap_of_row(x, gap);
        if (known < INT64_MAX) return known;
    }
    return INT64_MAX;
}

/* Does the row `fresh` exclude every need that `old` excludes? */
static int gap_is_obsolete(uint32_t kinds, const int64_t *old,
                           const int64_t *fresh)
{
    if (old[0] < fresh[0]) return 0;
    for (uint32_t k = 1; k <= kinds; k++) {
        if (old[k] > fresh[k]) return 0;
    }
    return 1;
}

/* Puts a row first. The oldest row leaves, or obsolete ones. */
static void gap_put(const skedi_steps *s, uint32_t level, int64_t *words,
                    const int64_t *fresh)
{
    size_t width = 1 + (size_t)s->kinds, bytes = width * sizeof *fresh;
    int64_t *rows = skedi_steps_gap(s, level, words, 0);
    int64_t kept[SKEDI_STEPS_GAPS * (1 + SKED_MAX_KINDS)];
    size_t n = 0;

    for (uint32_t row = 0; row < SKEDI_STEPS_GAPS; row++) {
        const int64_t *old = rows + row * width;
        if (n + 1 == SKEDI_STEPS_GAPS) break;
        if (old[0] == INT64_MAX || gap_is_obsolete(s->kinds, old, fresh)) {
            continue;
        }
        memcpy(kept + n++ * width, old, bytes);
    }
    memcpy(rows, fresh, bytes);
    memcpy(rows + width, kept, n * bytes);
    for (n++; n < SKEDI_STEPS_GAPS; n++) rows[n * width] = INT64_MAX;
}

/* The end of the block on `level` of a path: the moment at which the next block
 * begins. */
static int64_t gap_block_end(const skedi_steps *s, const uint32_t *block,
                             const uint32_t *at, uint32_t level)
{
    for (uint32_t up = level + 1; up < s->levels; up++) {
        int64_t *inner = skedi_inner(s, block[up]);
        if (at[up] + 1 < inner[0]) return skedi_steps_time(inner)[at[up] + 1];
    }
    return INT64_MAX;
}

static int64_t gap_reach(int64_t end, int64_t length)
{
    return end > INT64_MAX - length ? INT64_MAX : end + length;
}

/* Writes down what is known of the block on `level` of a path. */
static void gap_learn(gap_search *x, const uint32_t *block, const uint32_t *at,
                      uint32_t level)
{
    const skedi_steps *s = x->steps;

    if (!x->whole[level] || level + 1 >= s->levels) return;
    int64_t *words = skedi_steps_block(s, level, block[level]);
    int64_t gap[1 + SKED_MAX_KINDS];
    gap[0] = x->longest[level];
    memcpy(gap + 1, x->need->cap, s->kinds * sizeof *gap);
    gap_put(s, level, words, gap);

    int64_t end = gap_block_end(s, block, at, level);
    int64_t reach = gap_reach(end, x->longest[level]);
    for (uint32_t up = level + 1; up < s->levels; up++) {
        int64_t *old = skedi_inner_reach(s, skedi_inner(s, block[up])) + at[up];
        *old = reach > *old ? reach : *old;
    }
}

/* ---- The search ---- */

static void gap_search_note(gap_search *x, uint32_t level, int64_t length)
{
    if (length > x->longest[level]) x->longest[level] = length;
}

/* Of the block on `level` of a path, the child at the place is done. */
static void gap_search_note_child(gap_search *x, const uint32_t *block,
                                  const uint32_t *at, uint32_t level)
{
    int64_t *inner = skedi_inner(x->steps, block[level]);

    if (at[level] == SKEDI_WALK_BEFORE) return;
    int64_t known = gap_known(x, level - 1,
                              skedi_inner_child(x->steps, inner)[at[level]]);
    /* A block that is known so far has children that are known. */
    SKEDI_ASSERT(known < INT64_MAX || !x->whole[level]);
    if (known < INT64_MAX) gap_search_note(x, level, known);
}

/* Passes children without a gap for the need. 0: the block is at its end. */
static int gap_search_pass(gap_search *x, uint32_t level)
{
    skedi_walk *w = &x->walk;
    int64_t *inner = skedi_inner(x->steps, w->block[level]);
    const uint32_t *child = skedi_inner_child(x->steps, inner);

    for (int64_t at = (int64_t)(uint32_t)(w->at[level] + 1); at < inner[0];
         at++) {
        if (skedi_walk_may_fit(w, inner, (uint32_t)at, x->need->cap)) {
            int64_t known = gap_known(x, level - 1, child[at]);
            if (known == INT64_MAX) {
                w->at[level] = (uint32_t)at;
                return 1;
            }
            gap_search_note(x, level, known);
        }
        skedi_walk_pass(w, inner, (uint32_t)at);
    }
    return 0;
}

/* Leaves a leaf that is done for the next leaf that may hold an answer. 0: no
 * leaf may. */
static int gap_search_leave(gap_search *x)
{
    skedi_walk *w = &x->walk;

    gap_learn(x, w->block, w->at, 0);
    for (uint32_t level = 1; level < x->steps->levels;) {
        gap_search_note_child(x, w->block, w->at, level);
        if (!gap_search_pass(x, level)) {
            gap_learn(x, w->block, w->at, level);
            level++;
            continue;
        }
        int64_t *inner = skedi_inner(x->steps, w->block[level]);
        uint32_t at = w->at[level];
        level--;
        w->block[level] = skedi_inner_child(x->steps, inner)[at];
        w->at[level] = SKEDI_WALK_BEFORE;
        x->whole[level] = 1;
        x->longest[level] = 0;
        if (level == 0) return 1;
    }
    return 0;
}

/* Entries of the leaf behind the place. 1: the gap at `start` is long enough. */
static int gap_search_leaf(gap_search *x)
{
    skedi_walk *w = &x->walk;
    int64_t *leaf = skedi_leaf(x->steps, w->block[0]);
    const int64_t *time = skedi_steps_time(leaf);

    for (uint32_t i = w->at[0] + 1; i < leaf[0]; i++) {
        for (uint32_t k = 0; k < x->steps->kinds; k++) {
            w->used[k] += skedi_leaf_change(leaf, k)[i];
        }
        int fits = skedi_walk_fits(w, x->need->cap);
        if (x->open) {
            if (time[i] - x->start >= x->need->duration) return 1;
            if (fits) continue;
            gap_search_note(x, 0, time[i] - x->start);
        } else {
            x->start = time[i];
        }
        x->open = fits;
    }
    w->at[0] = (uint32_t)leaf[0] - 1;
    return 0;
}

/* The gap at `start` fills the rest of its leaf. 1: the gap is long enough.
 * 0: the place is the end of the gap, in another leaf. */
static int gap_search_cross(gap_search *x)
{
    skedi_walk *w = &x->walk;
    uint32_t block[SKEDI_STEPS_LEVELS], at[SKEDI_STEPS_LEVELS];
    size_t bytes = x->steps->levels * sizeof *block;

    memcpy(block, w->block, bytes);
    memcpy(at, w->at, bytes);
    if (!skedi_walk_next_over(w, x->need->cap)) return 1;
    int64_t length = skedi_walk_time(w) - x->start;
    if (length >= x->need->duration) return 1;
    x->open = 0;
    /* All gaps on the way end where this gap ends: none is longer. */
    for (uint32_t level = 0; level < x->steps->levels; level++) {
        if (level > 0) gap_search_note_child(x, block, at, level);
        gap_search_note(x, level, length);
        if (w->block[level] == block[level]) break;
        gap_learn(x, block, at, level);
        x->whole[level] = 1;
        x->longest[level] = length;
    }
    return 0;
}

int64_t skedi_steps_earliest(skedi_steps *s, int64_t now,
                             const skedi_need *need)
{
    gap_search x = {.steps = s, .need = need, .start = now};

    SKEDI_ASSERT(need->duration > 0);
    skedi_walk_seek(&x.walk, s, now);
    x.open = skedi_walk_fits(&x.walk, need->cap);
    for (;;) {
        if (gap_search_leaf(&x)) return x.start;
        if (x.open ? gap_search_cross(&x) : !gap_search_leave(&x)) break;
    }
    return x.open ? x.start : INT64_MAX;
}

/* ---- What a removal makes untrue ---- */

/* Forgets rows of a block that ends at `end`, unless the row's gaps end before
 * `from`. Returns the reach of all other rows and of the children. */
static int64_t gap_forget_rows(const skedi_steps *s, uint32_t level,
                               uint32_t block, int64_t end, int64_t from)
{
    int64_t *words = skedi_steps_block(s, level, block);
    int64_t most = INT64_MIN;

    for (uint32_t row = 0; row < SKEDI_STEPS_GAPS; row++) {
        int64_t *gap = skedi_steps_gap(s, level, words, row);
        if (gap[0] == INT64_MAX) continue;
        int64_t reach = gap_reach(end, gap[0]);
        if (reach >= from) {
            gap[0] = INT64_MAX;
        } else if (reach > most) {
            most = reach;
        }
    }
    for (int64_t i = 0; level > 0 && i < words[0]; i++) {
        int64_t reach = skedi_inner_reach(s, words)[i];
        most = reach > most ? reach : most;
    }
    return most;
}

void skedi_steps_forget(skedi_steps *s, int64_t from, int64_t until)
{
    uint32_t block[SKEDI_STEPS_LEVELS], at[SKEDI_STEPS_LEVELS];
    uint32_t level = s->levels - 1;

    block[level] = s->root;
    at[level] = 0;
    while (level > 0 && level < s->levels) {
        int64_t *inner = skedi_inner(s, block[level]);
        int64_t *reach = skedi_inner_reach(s, inner);
        const int64_t *first = skedi_steps_time(inner);
        uint32_t i = at[level], n = (uint32_t)inner[0];
        while (i < n && first[i] < until && reach[i] < from) i++;
        at[level] = i;
        if (i < n && first[i] < until && level > 1) {
            level--;
            block[level] = skedi_inner_child(s, inner)[i];
            at[level] = 0;
            continue;
        }
        if (i < n && first[i] < until) {
            reach[i] = gap_forget_rows(s, 0, skedi_inner_child(s, inner)[i],
                                       gap_block_end(s, block, at, 0), from);
            at[level]++;
            continue;
        }
        /* The block is done: its own rows, then on in the block above. */
        if (++level >= s->levels) return;
        int64_t *above = skedi_inner(s, block[level]);
        skedi_inner_reach(s, above)[at[level]] = gap_forget_rows(
            s, level - 1, block[level - 1],
            gap_block_end(s, block, at, level - 1), from);
        at[level]++;
    }
}

/* ---- Checks ---- */

/* Is one row true: does no gap that begins in [from, end) last longer? */
static int gap_is_true(const skedi_steps *s, const int64_t *gap, int64_t from,
                       int64_t end)
{
    skedi_walk w;

    skedi_walk_seek(&w, s, from);
    int fits = skedi_walk_fits(&w, gap + 1);
    for (int64_t start = from; start < end;) {
        if (fits) {
            if (!skedi_walk_next_over(&w, gap + 1)) return 0;
            if (skedi_walk_time(&w) - start > gap[0]) return 0;
        }
        if (!skedi_walk_next_fit(&w, gap + 1)) return 1;
        start = skedi_walk_time(&w);
        fits = 1;
    }
    return 1;
}

static const char *gap_block_fault(const skedi_steps *s, uint32_t level,
                                   uint32_t block, int64_t end, int64_t reach)
{
    int64_t *words = skedi_steps_block(s, level, block);
    int64_t first = skedi_steps_time(words)[0];

    for (uint32_t row = 0; row < SKEDI_STEPS_GAPS; row++) {
        const int64_t *gap = skedi_steps_gap(s, level, words, row);
        if (gap[0] == INT64_MAX) continue;
        if (gap_reach(end, gap[0]) > reach)
            return "a known gap is out of reach";
        if (!gap_is_true(s, gap, first, end)) return "a known gap is too short";
    }
    for (int64_t i = 0; level > 0 && i < words[0]; i++) {
        if (skedi_inner_reach(s, words)[i] > reach) {
            return "a child reaches farther than its block";
        }
    }
    return NULL;
}

const char *skedi_steps_gaps_fault(const skedi_steps *s)
{
    uint32_t block[SKEDI_STEPS_LEVELS], at[SKEDI_STEPS_LEVELS];
    uint32_t level = s->levels - 1;

    block[level] = s->root;
    at[level] = 0;
    while (level > 0 && level < s->levels) {
        int64_t *inner = skedi_inner(s, block[level]);
        if (at[level] >= inner[0]) {
            level++;
            if (level < s->levels) at[level]++;
            continue;
        }
        uint32_t child = skedi_inner_child(s, inner)[at[level]];
        const char *fault = gap_block_fault(
            s, level - 1, child, gap_block_end(s, block, at, level - 1),
            skedi_inner_reach(s, inner)[at[level]]);
        if (fault) return fault;
        if (level == 1) {
            at[level]++;
            continue;
        }
        level--;
        block[level] = child;
        at[level] = 0;
    }
    return NULL;
}
