#ifndef SKEDI_FILL_WINDOW_H
#define SKEDI_FILL_WINDOW_H

/*
 * Levels from change to change: a stretch between two breakpoints, in which
 * every row keeps to its side, and what the rows hold there. While a change
 * leaves its row clear of the stretch, and the new level stays inside, the
 * level is two subtractions away; else the family is solved again.
 *
 * Doubles only say "clear"; the sums are exact.
 */

#include "fill/row.h"

typedef struct skedi_fill_window {
    double from; /* levels; to == 0: nothing is known */
    double to;
    uint64_t fixed; /* what rows on either side hold, modulo 2^64 */
    uint64_t slope; /* the weight of those that rise */
} skedi_fill_window;

/* What a row adds to the sums of a window. */
typedef struct skedi_fill_stand {
    uint64_t fixed;
    uint64_t slope;
    int clear; /* else nothing of this is known */
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

/* One row was `before` and is `after`, which rises with the returned weight.
 * Shuts the window where that cannot be told. */
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

/* The window around a level that skedi_fill_solve() has just found: scratch
 * still holds the breakpoints near it. Shut where there is none. */
void skedi_fill_window_make(const skedi_fill_work *work,
                            const skedi_fill_level *level,
                            skedi_fill_window *window);

/* The level for another total; 0 when it is not in the window. */
int skedi_fill_window_level(const skedi_fill_window *window, int64_t total,
                            skedi_fill_level *level);

#endif
