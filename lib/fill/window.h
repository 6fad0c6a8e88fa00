#ifndef SKEDI_FILL_WINDOW_H
#define SKEDI_FILL_WINDOW_H

/*
 * What a row takes is a piecewise linear function of the level: it has
 * breakpoints where the row leaves its lower bound and where it reaches its
 * upper one. A window is an interval of levels without a breakpoint, with the
 * sums of what all rows take there: so much fixed, and so much in proportion to
 * the level. After a change, while the changed row has no breakpoint in the
 * window and the new level lies inside, two subtractions give the level; else
 * the family is solved again.
 *
 * Doubles only say whether a breakpoint is clear of the window; the sums are
 * exact.
 */

#include "fill/row.h"

typedef struct skedi_fill_window {
    double from;    /* the lowest level of the window */
    double to;      /* the highest; 0: there is no window */
    uint64_t fixed; /* what rows at a bound take, modulo 2^64 */
    uint64_t slope; /* the weights of the rows between their bounds, added up */
} skedi_fill_window;

/* What a row adds to the sums of a window. */
typedef struct skedi_fill_stand {
    uint64_t fixed;
    uint64_t slope;
    int clear; /* 0: it has a breakpoint in the window, or near it */
} skedi_fill_stand;

static inline int skedi_fill_window_is_open(const skedi_fill_window *window)
{
    return window->to > 0;
}

static inline void skedi_fill_window_shut(skedi_fill_window *window)
{
    window->to = 0;
}

static inline skedi_fill_stand
skedi_fill_window_stand(const skedi_fill_window *window,
                        const skedi_fill_row *row)
{
    const double guard = 1e-12;
    double lo = (double)(int64_t)row->lo, hi = (double)(int64_t)row->hi;
    double weight = (double)(int64_t)row->weight;
    double low = weight * window->from * (1 - guard);
    double high = weight * window->to * (1 + guard);

    if (row->lo == row->hi || hi < low) {
        return (skedi_fill_stand){row->hi, 0, 1};
    }
    if (lo > high) return (skedi_fill_stand){row->lo, 0, 1};
    return (skedi_fill_stand){0, row->weight,
                              hi > high && (row->lo == 0 || lo < low)};
}

/* A row was `before` and is `after` now: brings the sums up to date, or shuts
 * the window if either has a breakpoint in it. Returns what the row adds to the
 * slope. */
static inline uint64_t skedi_fill_window_move(skedi_fill_window *window,
                                              const skedi_fill_row *before,
                                              const skedi_fill_row *after)
{
    skedi_fill_stand was = skedi_fill_window_stand(window, before);
    skedi_fill_stand is = skedi_fill_window_stand(window, after);

    if (!was.clear || !is.clear) skedi_fill_window_shut(window);
    window->fixed += is.fixed - was.fixed;
    window->slope += is.slope - was.slope;
    return is.slope;
}

/* Makes the window around a level that skedi_fill_solve() has just found, while
 * scratch still has the breakpoints near it. It is shut where there is none. */
void skedi_fill_window_make(const skedi_fill_work *work,
                            const skedi_fill_level *level,
                            skedi_fill_window *window);

/* The level for another total, in `level`. 0: it is outside the window. */
int skedi_fill_window_level(const skedi_fill_window *window, int64_t total,
                            skedi_fill_level *level);

#endif
