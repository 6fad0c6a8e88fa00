#ifndef SKEDI_ENGINE_ORDER_KEYS_H
#define SKEDI_ENGINE_ORDER_KEYS_H

/* Keys and bits of entries, made from what an engine knows and nothing else. */

#include "engine/state.h"

/* Is entry `a` ahead of `b` in their leaf's order? The same for sorting
 * (base/sort.h), of two that differ; `engine` is the engine. */
int skedi_entry_before(const sked_engine *e, uint32_t a, uint32_t b);
int skedi_entry_compare(const void *engine, uint32_t a, uint32_t b);

/* An entry's key by its leaf's order. */
uint64_t skedi_entry_key(const sked_engine *e, uint32_t entry);

/* The bit of its class, by which an entry is found: 0 while its user is at the
 * limit, or a tree of limits keeps its ask out. */
uint64_t skedi_entry_mask(const sked_engine *e, uint32_t entry);

/* The kind of which `used` is the largest part of what a partition has. */
uint32_t skedi_lead_of(const sked_engine *e, uint32_t partition,
                       const int64_t *used);

/* The same of what a cell uses. */
uint32_t skedi_cell_lead(const sked_engine *e, uint32_t cell);

#endif
