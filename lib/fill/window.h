#ifndef SKEDI_FILL_WINDOW_H
#define SKEDI_FILL_WINDOW_H

/*
 * The amount that a row takes is a piecewise linear function of the level. Its
 * breakpoints are the levels at which the row leaves its lower bound and
 * reaches its upper bound. A window is an interval of levels without a
 * breakpoint, and the sums of all rows in the interval: a fixed amount, and an
 * amount in proportion to the level. After a change, two subtractions give the
 * new level if the changed row has no breakpoint in the window and the new
 * level lies inside. Otherwise the family is solved again.
 *
 * Doubles only tell whether a breakpoint is clear of the window. The sums are
 * exact.
 */

#include "fill/row.h"

typedef struct skedi_fill_window {
    double from;    /* the lowest level of the window */
    double to;      /* the highest level; 0: no window */
    uint64_t fixed; /* what rows at a bound take, modulo 2^64 */
    uint64_t slope; /* the weights of the rows between their bounds, added up */
} skedi_fill_window;

/* A row's part of the sums of a window. */
typedef struct skedi_fill_stand {
    uint64_t fixed;
    uint64_t slope;
    int clear; /* 0: the row has a breakpoint in the window, or near the window
                  */
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

/* Brings the sums up to date after a row changed from `before` to `after`.
 * Shuts the window if `before` or `after` has a breakpoint in the window.
 * Returns the row's part of the slope. */
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

/* Makes the window around a level that skedi_fill_solve() has just found.
 * Scratch must still hold the breakpoints near the level. Without such a level,
 * the window is shut. */
void skedi_fill_window_make(const skedi_fill_work *work,
                            const skedi_fill_level *level,
                            skedi_fill_window *window);

/* Finds the level for another total. Returns 0 if the level is outside the
 * window. */
int skedi_fill_window_level(const skedi_fill_window *window, int64_t total,
                            skedi_fill_level *level);

#endif
