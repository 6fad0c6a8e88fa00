#ifndef SKEDI_TOURNEY_H
#define SKEDI_TOURNEY_H

/*
 * A tournament tree over numbered places, with masks: it answers which place
 * comes first, and which comes first of those that can use what is offered.
 *
 * Every place that is taken has a mask of 64 bits. An inner node (a knot) has
 * the winner of all places below it, whatever their masks, and the union of
 * their masks. So a search for the first place with a bit in common skips whole
 * subtrees that have none, and looks below a winner only where it must.
 *
 * The order is the caller's: `before(ctx, a, b)` is a strict total order of
 * places, and the caller calls skedi_tourney_set() when what a place is
 * compared by has changed.
 */

#include "base/mem.h"

#define SKEDI_NO_PLACE UINT32_MAX

typedef int (*skedi_before_fn)(const void *ctx, uint32_t a, uint32_t b);

typedef struct skedi_tourney {
    uint32_t *winner; /* knots 1 to width - 1, then the places */
    uint64_t *mask;
    uint32_t width; /* places: a power of two, or 0 */
    uint32_t masks; /* 1: only masks are kept; there are no winners */
} skedi_tourney;

/* Reserves memory for `places` places; what is there stays. 0: no memory. */
int skedi_tourney_reserve(skedi_tourney *t, skedi_mem *mem, uint32_t places);
void skedi_tourney_free(skedi_tourney *t, skedi_mem *mem);

/*
 * Takes a place with `mask`, or updates one that is taken, or frees it (`taken`
 * 0). To be called after every change of what the place is compared by. Cost:
 * O(log places).
 */
void skedi_tourney_set(skedi_tourney *t, uint32_t place, int taken,
                       uint64_t mask, skedi_before_fn before, const void *ctx);

/* The same where it is called, so that a `before` that is known there becomes
 * part of it: without, `bench engine.allocate` takes 4 % more instructions. */
static inline void skedi_tourney_set_by(skedi_tourney *t, uint32_t place,
                                        int taken, uint64_t mask,
                                        skedi_before_fn before, const void *ctx)
{
    uint32_t at = t->width + place, won = taken ? place : SKEDI_NO_PLACE;
    uint64_t all = taken ? mask : 0;

    for (;;) {
        t->winner[at] = won;
        t->mask[at] = all;
        if (at <= 1) return;
        uint32_t other = t->winner[at ^ 1];
        all |= t->mask[at ^ 1];
        at /= 2;
        if (other != SKEDI_NO_PLACE) {
            int lost = won == SKEDI_NO_PLACE || before(ctx, other, won);
            won = lost ? other : won;
        }
        /* Unchanged, and not a winner whose own standing moved: so above. */
        if (won == t->winner[at] && won != place && all == t->mask[at]) return;
    }
}

/* Another mask for a place that is taken, whose order has not changed. */
void skedi_tourney_show(skedi_tourney *t, uint32_t place, uint64_t mask);

/* The first of all; SKEDI_NO_PLACE when all are empty. */
static inline uint32_t skedi_tourney_top(const skedi_tourney *t)
{
    return t->width ? t->winner[1] : SKEDI_NO_PLACE;
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
    return place < t->width && t->winner[t->width + place] != SKEDI_NO_PLACE;
}

/* Best first: where a winner has no bit of `offer`, down the better side that
 * has one, and the other one later. To be made part of a function for one
 * order, where that is worth it. */
static inline uint32_t skedi_tourney_search_by(const skedi_tourney *t,
                                               uint64_t offer,
                                               skedi_before_fn before,
                                               const void *ctx)
{
    uint32_t later[32], n = 0, best = SKEDI_NO_PLACE;

    if (skedi_tourney_all(t) & offer) later[n++] = 1;
    while (n > 0) {
        uint32_t at = later[--n];
        while (best == SKEDI_NO_PLACE || before(ctx, t->winner[at], best)) {
            uint32_t won = t->winner[at];
            if (t->mask[t->width + won] & offer) {
                best = won;
                break;
            }
            uint32_t side = 2 * at + (won == t->winner[2 * at + 1]);
            int offers = (t->mask[side] & offer) != 0;
            if (offers && t->mask[side ^ 1] & offer) later[n++] = side ^ 1;
            at = offers ? side : side ^ 1;
        }
    }
    return best;
}

uint32_t skedi_tourney_search(const skedi_tourney *t, uint64_t offer,
                              skedi_before_fn before, const void *ctx);

/* The first whose mask has a bit of `offer`. O(log places) as a rule, and
 * nothing where that is the first of all. */
static inline uint32_t skedi_tourney_first(const skedi_tourney *t,
                                           uint64_t offer,
                                           skedi_before_fn before,
                                           const void *ctx)
{
    if (t->width && t->winner[1] != SKEDI_NO_PLACE &&
        (t->mask[t->width + t->winner[1]] & offer)) {
        return t->winner[1];
    }
    return skedi_tourney_search(t, offer, before, ctx);
}

/* Does every knot follow from its two children, and is every winner first? For
 * tests. */
int skedi_tourney_is_sound(const skedi_tourney *t, skedi_before_fn before,
                           const void *ctx);

/* The place from `from` on that has a bit of `offer`, in order of their
 * numbers; SKEDI_NO_PLACE when there is none. O(log places). */
uint32_t skedi_tourney_next(const skedi_tourney *t, uint32_t from,
                            uint64_t offer);

#endif
