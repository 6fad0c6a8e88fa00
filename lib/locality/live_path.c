/*
 * A shortest path between hosts, from both ends. Each step takes a whole level
 * of the side whose next one is cheaper; since both sides know all hosts up to
 * their depth, the first host that both have seen lies on a shortest path.
 */
#include "locality/live.h"

void skedi_live_begin(sked_locality_live *live)
{
    if (++live->stamp == 0) { /* once in 2^32 searches */
        for (uint32_t h = 0; h < live->hosts; h++) {
            live->ahead.mark[h] = live->back.mark[h] = 0;
        }
        live->stamp = 1;
    }
    live->ahead.n = live->ahead.done = 0;
    live->back.n = live->back.done = 0;
    live->ahead.work = live->back.work = 0;
}

/* What a side has to look at on a host. */
static const skedi_live_list *list_of(const sked_locality_live *live,
                                      const skedi_live_side *side, uint32_t h)
{
    return side == &live->ahead ? &live->here[h] : &live->held[h];
}

static void see_host(sked_locality_live *live, skedi_live_side *side,
                     uint32_t h)
{
    side->mark[h] = live->stamp;
    side->queue[side->n++] = h;
    side->work += list_of(live, side, h)->n;
}

void skedi_live_seed(sked_locality_live *live, skedi_live_side *side,
                     uint32_t h)
{
    if (side->mark[h] == live->stamp) return;
    side->host[h] = SKED_LOCALITY_NO_HOST;
    see_host(live, side, h);
}

/* One side comes to `g` from `h`, by that block: 1 if the other one was
 * there. */
static int come_to(sked_locality_live *live, skedi_live_side *side, uint32_t g,
                   uint32_t h, uint32_t block, uint32_t middle)
{
    const skedi_live_side *other = side == &live->ahead ? &live->back
                                                        : &live->ahead;
    int met = other->mark[g] == live->stamp;

    if (side->mark[g] == live->stamp) return 0;
    if (!met && live->count[g] != middle) return 0;
    side->host[g] = h;
    side->block[g] = block;
    if (!met) see_host(live, side, g);
    return met;
}

/* From `h`, a block could move to each of its other replicas. */
static uint32_t look_ahead(sked_locality_live *live, uint32_t h,
                           uint32_t middle)
{
    const skedi_live_list *list = &live->here[h];

    for (uint32_t i = 0; i < list->n; i++) {
        uint32_t b = list->block[i];
        const uint32_t *row = skedi_live_row(live, b);
        for (uint32_t k = 0; k < live->width; k++) {
            if (row[k] == SKED_LOCALITY_NO_HOST) continue;
            if (come_to(live, &live->ahead, row[k], h, b, middle)) {
                return row[k];
            }
        }
    }
    return SKED_LOCALITY_NO_HOST;
}

/* To `h`, every block that has a replica there could move. */
static uint32_t look_back(sked_locality_live *live, uint32_t h, uint32_t middle)
{
    const skedi_live_list *list = &live->held[h];

    for (uint32_t i = 0; i < list->n; i++) {
        uint32_t b = list->block[i], g = live->block[b].host;
        if (g == SKED_LOCALITY_NO_HOST || g == h) continue;
        if (come_to(live, &live->back, g, h, b, middle)) return g;
    }
    return SKED_LOCALITY_NO_HOST;
}

/* One level of a side; the host where both met. */
static uint32_t take_level(sked_locality_live *live, skedi_live_side *side,
                           uint32_t middle)
{
    const uint32_t end = side->n;
    uint32_t met = SKED_LOCALITY_NO_HOST;

    side->work = 0;
    while (side->done < end && met == SKED_LOCALITY_NO_HOST) {
        uint32_t h = side->queue[side->done++];
        met = (side == &live->ahead ? look_ahead : look_back)(live, h, middle);
    }
    return met;
}

/* Moves every block of the path through `met`. */
static void shift_blocks(sked_locality_live *live, uint32_t met,
                         uint32_t *first, uint32_t *last)
{
    uint32_t g = met, next;

    while ((next = live->ahead.host[g]) != SKED_LOCALITY_NO_HOST) {
        skedi_live_take_away(live, live->ahead.block[g]);
        skedi_live_put(live, live->ahead.block[g], g);
        g = next;
    }
    *first = g;
    for (g = met; (next = live->back.host[g]) != SKED_LOCALITY_NO_HOST;
         g = next) {
        skedi_live_take_away(live, live->back.block[g]);
        skedi_live_put(live, live->back.block[g], next);
    }
    *last = g;
}

int skedi_live_shift(sked_locality_live *live, uint32_t middle, uint32_t *first,
                     uint32_t *last)
{
    skedi_live_side *a = &live->ahead, *z = &live->back;

    while (a->done < a->n && z->done < z->n) {
        uint32_t met = take_level(live, a->work <= z->work ? a : z, middle);
        if (met == SKED_LOCALITY_NO_HOST) continue;
        shift_blocks(live, met, first, last);
        return 1;
    }
    return 0;
}
