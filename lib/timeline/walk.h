#ifndef SKEDI_TIMELINE_WALK_H
#define SKEDI_TIMELINE_WALK_H

/* Reading a step function from left to right. */

#include "timeline/steps.h"

/* A place in the tree: an entry, and the used amounts from its moment on. */
typedef struct skedi_walk {
    const skedi_steps *steps;
    uint32_t block[SKEDI_STEPS_LEVELS]; /* by level; 0 is the leaf */
    uint32_t at[SKEDI_STEPS_LEVELS];
    int64_t used[SKED_MAX_KINDS];
} skedi_walk;

/* As a place: before the first entry or child of a block. */
#define SKEDI_WALK_BEFORE UINT32_MAX

/* The last entry that is not after `time`. */
void skedi_walk_seek(skedi_walk *walk, const skedi_steps *steps, int64_t time);

/* The moment of the entry. */
int64_t skedi_walk_time(const skedi_walk *walk);

/* The next entry. 0: there is none, and the walk is over. */
int skedi_walk_next(skedi_walk *walk);

/* Is no more than `cap` used from the moment of the entry on? */
static inline int skedi_walk_fits(const skedi_walk *w, const int64_t *cap)
{
    for (uint32_t k = 0; k < w->steps->kinds; k++) {
        if (w->used[k] > cap[k]) return 0;
    }
    return 1;
}

/* The next entry from which on more than `cap` is used of some kind, or no more
 * than `cap` of all kinds. 0: there is none. */
int skedi_walk_next_over(skedi_walk *walk, const int64_t *cap);
int skedi_walk_next_fit(skedi_walk *walk, const int64_t *cap);

/* May a child of `inner` hold an entry that fits? The walk stands before it. */
static inline int skedi_walk_may_fit(const skedi_walk *w, int64_t *inner,
                                     uint32_t child, const int64_t *cap)
{
    for (uint32_t k = 0; k < w->steps->kinds; k++) {
        if (w->used[k] + skedi_inner_low(inner, k)[child] > cap[k]) return 0;
    }
    return 1;
}

/* Adds the sum of a child of `inner`, without entering the child. */
static inline void skedi_walk_pass(skedi_walk *w, int64_t *inner,
                                   uint32_t child)
{
    for (uint32_t k = 0; k < w->steps->kinds; k++) {
        w->used[k] += skedi_inner_sum(inner, k)[child];
    }
}

/* The most that is used from `from` on and before `until`, by kind; INT64_MAX:
 * for ever. */
void skedi_walk_most(const skedi_steps *steps, int64_t from, int64_t until,
                     int64_t *most);

#endif
