#ifndef SKEDI_MEM_H
#define SKEDI_MEM_H

#include <sched/host.h>

/*
 * A handle's memory: the host's allocator, and what it may still give. Every
 * handle owns one and passes it to whatever allocates on its behalf, so that
 * `live` is what the handle holds, to the byte.
 */
typedef struct skedi_mem {
    void *(*resize)(void *user, void *ptr, size_t old_size, size_t size);
    void *user;
    uint64_t live;  /* bytes held now */
    uint64_t limit; /* `live` never passes this */
    int sealed;     /* set: nothing more is asked for (after a reserve) */
    int was_sealed; /* before the reserve that runs (hooks.h) */
} skedi_mem;

/* Zeroed memory for `n` items, or NULL when out of memory or n * size wraps. */
void *skedi_new(skedi_mem *mem, size_t n, size_t size);

/*
 * Changes `ptr` from `n` to `want` items; new ones are zero. NULL: no memory,
 * or less memory that the host would not make; `ptr` is as it was, with `n`.
 */
void *skedi_grow(skedi_mem *mem, void *ptr, size_t n, size_t want, size_t size);

/* Frees what skedi_new() or skedi_grow() returned for `n` items. */
void skedi_free(skedi_mem *mem, void *ptr, size_t n, size_t size);

/*
 * Reserves memory for `want` items in `*ptr`, which has memory for `*cap`,
 * growing by half at least. Returns 0 when there is no memory; then nothing
 * changed.
 */
int skedi_ensure(skedi_mem *mem, void **ptr, size_t *cap, size_t want,
                 size_t size);

#endif
