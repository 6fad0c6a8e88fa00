#ifndef SKEDI_ENGINE_ORDER_KEYS_H
#define SKEDI_ENGINE_ORDER_KEYS_H

/* Keys and bits of entries, made from what an engine knows and nothing else. */

#include "engine/state.h"

/* Which entry is ahead in a leaf's order; the same of two that differ, for
 * sorting (base/sort.h), where `engine` is one. */
int skedi_entry_before(const sked_engine *e, uint32_t a, uint32_t b);
int skedi_entry_compare(const void *engine, uint32_t a, uint32_t b);

/* An entry's key by its leaf's order. */
uint64_t skedi_entry_key(const sked_engine *e, uint32_t entry);

/* The bit(s) by which an entry is seen: 0 while its user is at the limit, or
 * a tree of limits keeps its ask out. */
uint64_t skedi_entry_mask(const sked_engine *e, uint32_t entry);

/* The kind of which most of a partition is used, of what is used there. */
uint32_t skedi_lead_of(const sked_engine *e, uint32_t partition,
                       const int64_t *used);

/* The kind that a cell uses most of, by part of the capacity. */
uint32_t skedi_cell_lead(const sked_engine *e, uint32_t cell);

#endif
