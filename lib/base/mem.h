#ifndef SKEDI_MEM_H
#define SKEDI_MEM_H

#include <sched/host.h>

/*
 * The memory of a handle: the host's allocator and the limit. Every handle owns
 * a skedi_mem and passes a pointer to all code that allocates for the handle.
 * `live` therefore counts exactly the bytes that the handle holds.
 */
typedef struct skedi_mem {
    void *(*resize)(void *user, void *ptr, size_t old_size, size_t size);
    void *user;
    uint64_t live;  /* bytes held now */
    uint64_t limit; /* `live` never passes this */
    int sealed;     /* 1: allocate no more (after a reserve) */
    int was_sealed; /* value before the reserve (hooks.h) */
} skedi_mem;

/* Zeroed memory for `n` items. NULL: no memory, or n * size wraps. */
void *skedi_new(skedi_mem *mem, size_t n, size_t size);

/*
 * Resizes `ptr` from `n` to `want` items; new items are zero. NULL: no memory,
 * or the host refused to shrink the block; `ptr` is then unchanged, with `n`
 * items.
 */
void *skedi_grow(skedi_mem *mem, void *ptr, size_t n, size_t want, size_t size);

/* Frees a block of `n` items from skedi_new() or skedi_grow(). */
void skedi_free(skedi_mem *mem, void *ptr, size_t n, size_t size);

/*
 * Grows `*ptr`, which has memory for `*cap` items, to at least `want` items. If
 * the block grows, the new capacity is at least 1.5 times the old. Returns 0
 * without memory; the block is then unchanged.
 */
int skedi_ensure(skedi_mem *mem, void **ptr, size_t *cap, size_t want,
                 size_t size);

#endif
