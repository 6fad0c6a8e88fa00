#ifndef SKEDI_TREE_NAMES_H
#define SKEDI_TREE_NAMES_H

/*
 * From (parent, name) to the slot of a queue, in constant time. The table
 * holds hashes and slots only; the caller says which candidate is meant. So
 * one table serves draft and commit: a queue whose name or parent differs
 * between them stands in it twice.
 */

#include "base/mem.h"

typedef struct skedi_name_cell {
    uint32_t hash;
    uint32_t slot; /* + 1; 0: empty */
} skedi_name_cell;

typedef struct skedi_names {
    skedi_name_cell *cell;
    size_t cap; /* 0 or a power of two */
    size_t n;
} skedi_names;

/* Reserves memory for `n` entries in all. 0: no memory, nothing changed. */
int skedi_names_ensure(skedi_names *names, skedi_mem *mem, size_t n);

/* Adds an entry for which there is memory. */
void skedi_names_put(skedi_names *names, uint32_t hash, uint32_t slot);

/* Removes one entry that is there. */
void skedi_names_drop(skedi_names *names, uint32_t hash, uint32_t slot);

/*
 * Candidates for a hash, one after the other: start with `*at` = hash; 0 when
 * there are no more, else 1 and the slot.
 */
int skedi_names_next(const skedi_names *names, uint32_t hash, size_t *at,
                     uint32_t *slot);

int skedi_names_copy(skedi_names *into, skedi_mem *mem,
                     const skedi_names *from);
void skedi_names_free(skedi_names *names, skedi_mem *mem);

#endif
