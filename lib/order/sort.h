#ifndef SKEDI_ORDER_SORT_H
#define SKEDI_ORDER_SORT_H

#include "base/mem.h"
#include "base/random.h"
#include "base/sort.h"
#include "order/key.h"

/* Rows between two looks at the host's cancel flag. */
enum { SKEDI_ORDER_CHECK = 65536 };

/* The elements of one pass: positions, ascending, each with its key. */
typedef struct skedi_order_sorting {
    uint32_t *positions;
    sked_order_key *keys;
    skedi_keyed *items; /* after sorting, `index` is into the two above */
    skedi_keyed *scratch;
    size_t n;
    size_t cap;
} skedi_order_sorting;

/* Reserves memory for `n` elements. 0: no memory, and the old memory stays. */
int skedi_order_sorting_make(skedi_order_sorting *sorting, skedi_mem *mem,
                             size_t n);

void skedi_order_sorting_drop(skedi_order_sorting *sorting, skedi_mem *mem);

static inline void skedi_order_sorting_add(skedi_order_sorting *sorting,
                                           uint32_t position,
                                           sked_order_key key)
{
    sorting->positions[sorting->n] = position;
    sorting->keys[sorting->n++] = key;
}

/* Puts `items` in order: by key, then by position. */
void skedi_order_sort(skedi_order_sorting *sorting);

/* Gives all whose key has this `high` a `low` drawn without preference: a
 * place each. */
void skedi_order_shuffle(skedi_order_sorting *sorting, uint64_t high,
                         skedi_random *random);

/* The same, written to a caller's arrays; `keys` may be NULL. */
void skedi_order_write(skedi_order_sorting *sorting, uint32_t *positions,
                       sked_order_key *keys, size_t *n);

#endif
