/*
 * Searches in the tree of changes. A walk adds up all changes on its way. If a
 * child cannot hold the answer, the walk adds the child's sum without entering.
 */
#include "timeline/walk.h"

#include <string.h>

enum walk_aim { WALK_OVER, WALK_FIT, WALK_ANY };

void skedi_walk_seek(skedi_walk *w, const skedi_steps *s, int64_t time)
{
    uint32_t block = s->root;

    w->steps = s;
    memset(w->used, 0, s->kinds * sizeof *w->used);
    for (uint32_t level = s->levels - 1; level > 0; level--) {
        int64_t *inner = skedi_inner(s, block);
        uint32_t at = skedi_steps_last(skedi_steps_time(inner),
                                       (uint32_t)inner[0], time);
        for (uint32_t c = 0; c < at; c++) skedi_walk_pass(w, inner, c);
        w->block[level] = block;
        w->at[level] = at;
        block = skedi_inner_child(s, inner)[at];
    }
    int64_t *leaf = skedi_leaf(s, block);
    w->block[0] = block;
    w->at[0] = skedi_steps_last(skedi_steps_time(leaf), (uint32_t)leaf[0],
                                time);
    for (uint32_t k = 0; k < s->kinds; k++) {
        const int64_t *change = skedi_leaf_change(leaf, k);
        for (uint32_t i = 0; i <= w->at[0]; i++) w->used[k] += change[i];
    }
}

int64_t skedi_walk_time(const skedi_walk *w)
{
    return skedi_steps_time(skedi_leaf(w->steps, w->block[0]))[w->at[0]];
}

static int walk_is_there(const skedi_walk *w, const int64_t *cap,
                         enum walk_aim aim)
{
    return aim == WALK_ANY || skedi_walk_fits(w, cap) == (aim == WALK_FIT);
}

/* The next entry of the leaf that the walk aims at. 0: the leaf is passed. */
static int walk_leaf(skedi_walk *w, const int64_t *cap, enum walk_aim aim)
{
    int64_t *leaf = skedi_leaf(w->steps, w->block[0]);

    for (uint32_t i = w->at[0] + 1; i < leaf[0]; i++) {
        for (uint32_t k = 0; k < w->steps->kinds; k++) {
            w->used[k] += skedi_leaf_change(leaf, k)[i];
        }
        w->at[0] = i;
        if (walk_is_there(w, cap, aim)) return 1;
    }
    return 0;
}

static int walk_is_over(const skedi_walk *w, int64_t *inner, uint32_t child,
                        const int64_t *cap)
{
    for (uint32_t k = 0; k < w->steps->kinds; k++) {
        if (w->used[k] + skedi_inner_high(inner, k)[child] > cap[k]) return 1;
    }
    return 0;
}

/* May a child hold an entry that the walk aims at? Certain for WALK_OVER. */
static int walk_may_hold(const skedi_walk *w, int64_t *inner, uint32_t child,
                         const int64_t *cap, enum walk_aim aim)
{
    if (aim == WALK_ANY) return 1;
    return aim == WALK_FIT ? skedi_walk_may_fit(w, inner, child, cap)
                           : walk_is_over(w, inner, child, cap);
}

/* Up to the first block with a child that may hold the aim, and down again. */
static int walk_on(skedi_walk *w, const int64_t *cap, enum walk_aim aim)
{
    if (walk_leaf(w, cap, aim)) return 1;
    for (uint32_t level = 1; level < w->steps->levels;) {
        int64_t *inner = skedi_inner(w->steps, w->block[level]);
        uint32_t n = (uint32_t)inner[0], at = w->at[level] + 1;
        while (at < n && !walk_may_hold(w, inner, at, cap, aim)) {
            skedi_walk_pass(w, inner, at++);
        }
        if (at == n) {
            level++;
            continue;
        }
        w->at[level] = at;
        level--;
        w->block[level] = skedi_inner_child(w->steps, inner)[at];
        w->at[level] = SKEDI_WALK_BEFORE;
        if (level > 0) continue;
        if (walk_leaf(w, cap, aim)) return 1;
        level = 1;
    }
    return 0;
}

int skedi_walk_next(skedi_walk *w)
{
    return walk_on(w, NULL, WALK_ANY);
}

int skedi_walk_next_over(skedi_walk *w, const int64_t *cap)
{
    return walk_on(w, cap, WALK_OVER);
}

int skedi_walk_next_fit(skedi_walk *w, const int64_t *cap)
{
    return walk_on(w, cap, WALK_FIT);
}

static void walk_raise(int64_t *most, int64_t used)
{
    *most = used > *most ? used : *most;
}

/* Entries of the leaf behind the place and before `until`. 0: `until` is
 * reached. */
static int walk_most_of_leaf(skedi_walk *w, int64_t until, int64_t *most)
{
    int64_t *leaf = skedi_leaf(w->steps, w->block[0]);

    for (uint32_t i = w->at[0] + 1; i < leaf[0]; i++) {
        if (skedi_steps_time(leaf)[i] >= until) return 0;
        for (uint32_t k = 0; k < w->steps->kinds; k++) {
            w->used[k] += skedi_leaf_change(leaf, k)[i];
            walk_raise(&most[k], w->used[k]);
        }
    }
    return 1;
}

void skedi_walk_most(const skedi_steps *s, int64_t from, int64_t until,
                     int64_t *most)
{
    skedi_walk w;

    skedi_walk_seek(&w, s, from);
    memcpy(most, w.used, s->kinds * sizeof *most);
    if (!walk_most_of_leaf(&w, until, most)) return;
    for (uint32_t level = 1; level < s->levels;) {
        int64_t *inner = skedi_inner(s, w.block[level]);
        const int64_t *first = skedi_steps_time(inner);
        uint32_t n = (uint32_t)inner[0], at = w.at[level] + 1;
        /* A child is inside if the next child begins by `until`. */
        while (at < n &&
               (until == INT64_MAX || (at + 1 < n && first[at + 1] <= until))) {
            for (uint32_t k = 0; k < s->kinds; k++) {
                walk_raise(&most[k],
                           w.used[k] + skedi_inner_high(inner, k)[at]);
            }
            skedi_walk_pass(&w, inner, at++);
        }
        if (at == n) {
            level++;
            continue;
        }
        if (first[at] >= until) return;
        w.at[level] = at;
        level--;
        w.block[level] = skedi_inner_child(s, inner)[at];
        w.at[level] = SKEDI_WALK_BEFORE;
        if (level > 0) continue;
        if (!walk_most_of_leaf(&w, until, most)) return;
        level = 1;
    }
}
