#ifndef SKEDI_RECYCLE_H
#define SKEDI_RECYCLE_H

#include "base/mem.h"

enum { SKEDI_RECYCLE_SIZES = 48 };

/*
 * An allocator with free lists by powers of two. Freed blocks are kept for
 * later requests, hence repeated work soon asks the host for no memory. An
 * allocator starts as all zeros.
 */
typedef struct skedi_recycle {
    void *free[SKEDI_RECYCLE_SIZES]; /* a list of blocks of each size */
} skedi_recycle;

/* As the `resize` hook of a host (host.h), with memory from `mem`. */
void *skedi_recycle_resize(skedi_recycle *recycle, skedi_mem *mem, void *ptr,
                           size_t old_size, size_t size);

/* Frees the kept blocks; blocks in use belong to their users. */
void skedi_recycle_free(skedi_recycle *recycle, skedi_mem *mem);

#endif
