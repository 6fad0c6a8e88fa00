#ifndef SKEDI_TOURNEY_H
#define SKEDI_TOURNEY_H

/*
 * A tournament among numbered places: who comes first, and who comes first
 * among those that can use what is offered.
 *
 * Every place that is taken has a mask of 64 bits. A knot of the tournament
 * knows the winner of all below it, whatever their masks, and the union of
 * their masks; so asking for the first with a bit in common passes by whole
 * parts that have none, and looks below a winner only where it must.
 *
 * The order is the caller's: `before(ctx, a, b)` is a strict total order of
 * places, and the caller says so (skedi_tourney_set) when a place's own
 * standing changed.
 */

#include "base/mem.h"

#define SKEDI_NOBODY UINT32_MAX

typedef int (*skedi_before_fn)(const void *ctx, uint32_t a, uint32_t b);

typedef struct skedi_tourney {
    uint32_t *winner; /* knots 1 to width - 1, then the places */
    uint64_t *mask;
    uint32_t width; /* places: a power of two, or 0 */
} skedi_tourney;

/* Makes room for `places` places; what is there stays. 0: no memory. */
int skedi_tourney_reserve(skedi_tourney *t, skedi_mem *mem, uint32_t places);
void skedi_tourney_free(skedi_tourney *t, skedi_mem *mem);

/*
 * Takes a place (or stays there) with `mask`, or leaves it (`taken` 0). To be
 * called after every change of the place's standing. O(log places).
 */
void skedi_tourney_set(skedi_tourney *t, uint32_t place, int taken,
                       uint64_t mask, skedi_before_fn before, const void *ctx);

/* What knot `i` is, from the two below it. */
static inline void skedi_tourney_knot(skedi_tourney *t, uint32_t i,
                                      skedi_before_fn before, const void *ctx)
{
    uint32_t a = t->winner[2 * i], b = t->winner[2 * i + 1];

    t->mask[i] = t->mask[2 * i] | t->mask[2 * i + 1];
    if (a == SKEDI_NOBODY || b == SKEDI_NOBODY) {
        t->winner[i] = a == SKEDI_NOBODY ? b : a;
    } else {
        t->winner[i] = before(ctx, b, a) ? b : a;
    }
}

/* As skedi_tourney_set(), where `before` is known when this is compiled. */
static inline void skedi_tourney_play(skedi_tourney *t, uint32_t place,
                                      int taken, uint64_t mask,
                                      skedi_before_fn before, const void *ctx)
{
    uint32_t at = t->width + place;

    t->winner[at] = taken ? place : SKEDI_NOBODY;
    t->mask[at] = taken ? mask : 0;
    for (at /= 2; at > 0; at /= 2) {
        uint32_t won = t->winner[at];
        uint64_t all = t->mask[at];
        skedi_tourney_knot(t, at, before, ctx);
        /* Unchanged, and not a winner whose own standing moved: so above. */
        if (won == t->winner[at] && won != place && all == t->mask[at]) return;
    }
}

/* Another mask for a place that is taken and stands where it stood. */
void skedi_tourney_show(skedi_tourney *t, uint32_t place, uint64_t mask);

/* The first of all; SKEDI_NOBODY when nobody is there. */
static inline uint32_t skedi_tourney_top(const skedi_tourney *t)
{
    return t->width ? t->winner[1] : SKEDI_NOBODY;
}

/* The union of all masks. */
static inline uint64_t skedi_tourney_all(const skedi_tourney *t)
{
    return t->width ? t->mask[1] : 0;
}

/* The mask of one place. */
static inline uint64_t skedi_tourney_mask(const skedi_tourney *t,
                                          uint32_t place)
{
    return t->mask[t->width + place];
}

static inline int skedi_tourney_has(const skedi_tourney *t, uint32_t place)
{
    return place < t->width && t->winner[t->width + place] != SKEDI_NOBODY;
}

/* The first whose mask has a bit of `offer`. O(log places) as a rule. */
uint32_t skedi_tourney_first(const skedi_tourney *t, uint64_t offer,
                             skedi_before_fn before, const void *ctx);

/* Is every knot as its two say, and every winner ahead? For tests. */
int skedi_tourney_is_sound(const skedi_tourney *t, skedi_before_fn before,
                           const void *ctx);

/* The place from `from` on that has a bit of `offer`, in order of their
 * numbers; SKEDI_NOBODY when there is none. O(log places). */
uint32_t skedi_tourney_next(const skedi_tourney *t, uint32_t from,
                            uint64_t offer);

#endif
