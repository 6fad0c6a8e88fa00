#ifndef SKEDI_ENGINE_ORDER_STANDING_H
#define SKEDI_ENGINE_ORDER_STANDING_H

/*
 * Guarantee first. In a family in which something is guaranteed, those children
 * go before all others that are below their guarantee in a contended kind, with
 * steps that need such a kind and stay within their share in every contended
 * kind that they need. They stand in a tournament of their own: the least held
 * over guaranteed first.
 */

#include "engine/state.h"

/* Plays the place of `row` among those below their guarantee again. */
void skedi_standing_play(sked_engine *e, uint32_t row, uint32_t up,
                         uint32_t partition);

/* Is a step of a shape one by which a child goes before the others? */
int skedi_standing_has(const sked_engine *e, uint32_t row, uint32_t partition,
                       uint32_t shape);

/* Kinds in which a child is below its guarantee, and more is contended. */
uint32_t skedi_standing_below(const sked_engine *e, uint32_t row,
                              uint32_t partition);

/* The key of a child among those below their guarantee, from its books. */
sked_order_key skedi_standing_key(const sked_engine *e, uint32_t row,
                                  uint32_t partition);

/* Which is ahead among the children of a row that are below their guarantee. */
typedef struct engine_standings {
    const engine_standing *first; /* of the first child */
    size_t step;                  /* from child to child */
} engine_standings;

static inline engine_standings
skedi_standings_of(const sked_engine *e, uint32_t row, uint32_t partition)
{
    uint32_t first = e->rows.first_child[row];

    return (engine_standings){&e->cell_standing[cell_of(e, first, partition)],
                              e->parts};
}

int skedi_standing_before(const void *family, uint32_t a, uint32_t b);

#endif
