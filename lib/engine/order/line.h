#ifndef SKEDI_ENGINE_ORDER_LINE_H
#define SKEDI_ENGINE_ORDER_LINE_H

/*
 * The line of a leaf's cell: its open asks in the leaf's order, each with the
 * bits by which it is seen.
 *
 * Where the order is by what does not change while an ask waits (fifo,
 * priority) places stand in order, with holes where an ask left, and the
 * first that is seen is found without a comparison. Where it is by what is
 * used, places stand as they came and hold a tournament.
 */

#include "engine/state.h"

/* Does a leaf's order never change by itself? */
static inline int skedi_line_is_steady(uint8_t apps)
{
    return apps == SKED_APPS_FIFO || apps == SKED_APPS_PRIORITY;
}

/* Memory for so many entries more. 0: no memory. */
int skedi_line_reserve(sked_engine *e, engine_cell *cell, uint32_t more);
void skedi_line_free(sked_engine *e, engine_cell *cell);

/* Lets an entry in; its key is made, memory was reserved. */
void skedi_line_join(sked_engine *e, uint32_t entry, uint64_t mask);
void skedi_line_leave(sked_engine *e, uint32_t entry);

/* Is seen by other bits. */
void skedi_line_show(sked_engine *e, uint32_t entry, uint64_t mask);

/* Out of the running for a while, still in line; and back with its bits. */
void skedi_line_aside(sked_engine *e, uint32_t entry);
void skedi_line_back(sked_engine *e, uint32_t entry, uint64_t mask);

/* Makes an entry's key anew and moves it to where it belongs. */
void skedi_line_rekey(sked_engine *e, uint32_t entry);

/* The same for all in line, when what a part is of has changed. */
void skedi_line_rekey_all(sked_engine *e, size_t cell);

/* The first that is seen by a bit of `offer`; there is one. */
uint32_t skedi_line_first(const sked_engine *e, const engine_cell *cell,
                          uint64_t offer);

/* The first place from `from` on that is seen by a bit of `offer`, by number;
 * SKEDI_NO_PLACE when there is none. */
uint32_t skedi_line_next(const engine_cell *cell, uint32_t from,
                         uint64_t offer);

/* The bits by which a place is seen. */
uint64_t skedi_line_mask(const engine_cell *cell, uint32_t place);

/* Is everything in its place? For tests. */
int skedi_line_is_sound(const sked_engine *e, const engine_cell *cell);

/* Does an ask stand at a place? */
static inline int skedi_line_has(const engine_cell *cell, uint32_t place)
{
    if (cell->steady) return cell->entry[place] != SKEDI_NONE;
    return skedi_tourney_has(&cell->turn, place);
}

#endif
