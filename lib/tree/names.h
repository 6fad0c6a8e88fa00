#ifndef SKEDI_TREE_NAMES_H
#define SKEDI_TREE_NAMES_H

/*
 * A hash table from (parent, name) to the slot of a queue, in constant time.
 * The table holds only hashes and slots; the caller compares the candidates. A
 * single table therefore serves draft and commit. A queue with a different name
 * or parent in draft and commit has two entries.
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

/* Reserves memory for `n` entries in all. Returns 0 without memory; the table
 * is then unchanged. */
int skedi_names_ensure(skedi_names *names, skedi_mem *mem, size_t n);

/* Adds an entry. The caller has reserved the memory. */
void skedi_names_put(skedi_names *names, uint32_t hash, uint32_t slot);

/* Removes an existing entry. */
void skedi_names_drop(skedi_names *names, uint32_t hash, uint32_t slot);

/*
 * Iterates the slots with a hash. Start with `*at` = hash. Returns 1 and the
 * slot, or 0 at the end.
 */
int skedi_names_next(const skedi_names *names, uint32_t hash, size_t *at,
                     uint32_t *slot);

int skedi_names_copy(skedi_names *into, skedi_mem *mem,
                     const skedi_names *from);
void skedi_names_free(skedi_names *names, skedi_mem *mem);

#endif
