#ifndef SKEDI_ENGINE_ORDER_LINE_H
#define SKEDI_ENGINE_ORDER_LINE_H

/*
 * The line of a leaf's cell: its open asks in the leaf's order, each with the
 * mask under which it is found.
 *
 * Where the order depends on what does not change while an ask waits (fifo,
 * priority), the line is a gapped array in that order, and the first entry with
 * a bit of a mask is found without a comparison of keys. Where the order
 * depends on usage, places stand in the order of arrival and hold a tournament
 * tree.
 */

#include "engine/state.h"

/* Does a leaf's order go by what does not change while an ask waits? */
static inline int skedi_line_is_steady(uint8_t apps)
{
    return apps == SKED_APPS_FIFO || apps == SKED_APPS_PRIORITY;
}

/* Reserves memory for `more` further entries. 0: no memory. */
int skedi_line_reserve(sked_engine *e, engine_cell *cell, uint32_t more);
void skedi_line_free(sked_engine *e, engine_cell *cell);

/* Adds an entry, whose key is made and for which memory was reserved; removes
 * one. */
void skedi_line_join(sked_engine *e, uint32_t entry, uint64_t mask);
void skedi_line_leave(sked_engine *e, uint32_t entry);

/* Changes the mask under which an entry is found. */
void skedi_line_show(sked_engine *e, uint32_t entry, uint64_t mask);

/* Hides an entry, which keeps its place; shows it again with a mask. */
void skedi_line_aside(sked_engine *e, uint32_t entry);
void skedi_line_back(sked_engine *e, uint32_t entry, uint64_t mask);

/* Makes an entry's key anew and moves it to where it belongs. */
void skedi_line_rekey(sked_engine *e, uint32_t entry);

/* Does so for all entries of a cell, after the capacity that their parts are
 * measured by has changed. */
void skedi_line_rekey_all(sked_engine *e, size_t cell);

/* The first entry whose mask has a bit of `offer`; there must be one. */
uint32_t skedi_line_first(const sked_engine *e, const engine_cell *cell,
                          uint64_t offer);

/* The first place, from the number `from` on, whose mask has a bit of `offer`;
 * SKEDI_NO_PLACE when there is none. */
uint32_t skedi_line_next(const engine_cell *cell, uint32_t from,
                         uint64_t offer);

/* The mask of a place. */
uint64_t skedi_line_mask(const engine_cell *cell, uint32_t place);

/* Does the structure hold its invariants? For tests. */
int skedi_line_is_sound(const sked_engine *e, const engine_cell *cell);

/* Does an ask stand at a place? */
static inline int skedi_line_has(const engine_cell *cell, uint32_t place)
{
    if (cell->steady) return cell->entry[place] != SKEDI_NONE;
    return skedi_tourney_has(&cell->turn, place);
}

#endif
