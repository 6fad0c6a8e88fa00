/*
 * A complete binary tree in an array: knot i has the knots 2i and 2i + 1 below
 * it, places are the last `width` knots. A width of one has its only place at
 * knot 1.
 */
#include "engine/tourney.h"

int skedi_tourney_reserve(skedi_tourney *t, skedi_mem *mem, uint32_t places)
{
    skedi_tourney next = {.width = t->width ? t->width : 1, .masks = t->masks};

    if (places <= t->width) return 1;
    while (next.width < places) next.width *= 2;
    next.mask = skedi_new(mem, (size_t)next.width * 2, sizeof(uint64_t));
    if (next.mask && !next.masks) {
        next.winner = skedi_new(mem, (size_t)next.width * 2, sizeof(uint32_t));
    }
    if (!next.mask || (!next.winner && !next.masks)) {
        skedi_tourney_free(&next, mem);
        return 0;
    }
    for (uint32_t i = 0; next.winner && i < next.width * 2; i++) {
        next.winner[i] = SKEDI_NO_PLACE;
    }
    /* An old knot stands where its part of the places begins in the new. */
    for (uint32_t i = 1; i < t->width * 2; i++) {
        uint32_t level = 1;
        while (level * 2 <= i) level *= 2;
        uint32_t at = next.width / t->width * level + (i - level);
        if (next.winner) next.winner[at] = t->winner[i];
        next.mask[at] = t->mask[i];
    }
    for (uint32_t i = t->width ? next.width / t->width / 2 : 0; i > 0; i /= 2) {
        if (next.winner) next.winner[i] = next.winner[2 * i];
        next.mask[i] = next.mask[2 * i];
    }
    skedi_tourney_free(t, mem);
    *t = next;
    return 1;
}

void skedi_tourney_free(skedi_tourney *t, skedi_mem *mem)
{
    skedi_free(mem, t->winner, (size_t)t->width * 2, sizeof(uint32_t));
    skedi_free(mem, t->mask, (size_t)t->width * 2, sizeof(uint64_t));
    *t = (skedi_tourney){.masks = t->masks};
}

void skedi_tourney_set(skedi_tourney *t, uint32_t place, int taken,
                       uint64_t mask, skedi_before_fn before, const void *ctx)
{
    skedi_tourney_set_by(t, place, taken, mask, before, ctx);
}

void skedi_tourney_show(skedi_tourney *t, uint32_t place, uint64_t mask)
{
    uint32_t at = t->width + place;

    t->mask[at] = mask;
    for (at /= 2; at > 0; at /= 2) {
        uint64_t all = t->mask[2 * at] | t->mask[2 * at + 1];
        if (t->mask[at] == all) return;
        t->mask[at] = all;
    }
}

uint32_t skedi_tourney_search(const skedi_tourney *t, uint64_t offer,
                              skedi_before_fn before, const void *ctx)
{
    return skedi_tourney_search_by(t, offer, before, ctx);
}

uint32_t skedi_tourney_next(const skedi_tourney *t, uint32_t from,
                            uint64_t offer)
{
    uint32_t at = t->width + from;

    if (from >= t->width) return SKEDI_NO_PLACE;
    while (!(t->mask[at] & offer)) { /* up, to the next part on the right */
        while (at & 1) at /= 2;
        if (at == 0) return SKEDI_NO_PLACE;
        at++;
    }
    while (at < t->width) at = t->mask[2 * at] & offer ? 2 * at : 2 * at + 1;
    return at - t->width;
}

int skedi_tourney_is_sound(const skedi_tourney *t, skedi_before_fn before,
                           const void *ctx)
{
    for (uint32_t i = 1; i < t->width; i++) {
        uint32_t a = t->winner[2 * i], b = t->winner[2 * i + 1];
        uint32_t best = a == SKEDI_NO_PLACE ? b : a;
        if (a != SKEDI_NO_PLACE && b != SKEDI_NO_PLACE && before(ctx, b, a)) {
            best = b;
        }
        if (t->winner[i] != best ||
            t->mask[i] != (t->mask[2 * i] | t->mask[2 * i + 1])) {
            return 0;
        }
    }
    return 1;
}
