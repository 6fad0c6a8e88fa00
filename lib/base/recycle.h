#ifndef SKEDI_RECYCLE_H
#define SKEDI_RECYCLE_H

#include "base/mem.h"

enum { SKEDI_RECYCLE_SIZES = 48 };

/*
 * An allocator with free lists by powers of two: blocks that are freed are kept
 * for later requests, so that work that is done again and again soon asks the
 * host for no memory. Start from zeros.
 */
typedef struct skedi_recycle {
    void *free[SKEDI_RECYCLE_SIZES]; /* a chain of blocks of each size */
} skedi_recycle;

/* As the hook of a host (host.h), by the memory that is handed in. */
void *skedi_recycle_resize(skedi_recycle *recycle, skedi_mem *mem, void *ptr,
                           size_t old_size, size_t size);

/* Frees what is kept; what is in use is its user's. */
void skedi_recycle_free(skedi_recycle *recycle, skedi_mem *mem);

#endif
