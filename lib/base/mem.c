/*
 * This file alone names the C allocator. All other code allocates through a
 * skedi_mem. A skedi_mem counts the bytes of its handle and enforces the limit.
 * Once sealed, a skedi_mem refuses requests without asking the host.
 */
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#include "base/hooks.h"

static void *libc_resize(void *user, void *ptr, size_t old_size, size_t size)
{
    (void)user;
    (void)old_size;
    if (size == 0) {
        free(ptr);
        return NULL;
    }
    return realloc(ptr, size);
}

skedi_mem skedi_mem_of(const sked_host *host)
{
    skedi_mem mem = {.resize = libc_resize, .limit = UINT64_MAX};

    if (host && host->resize) {
        mem.resize = host->resize;
        mem.user = host->user;
    }
    if (host && host->memory_limit) mem.limit = host->memory_limit;
    return mem;
}

/* The bytes to request from the host for `n` items; never 0, which would
 * free. */
static size_t block_bytes(size_t n, size_t size)
{
    return n ? n * size : 1;
}

static int may_take(const skedi_mem *mem, size_t more)
{
    return !mem->sealed && more <= mem->limit - mem->live;
}

void *skedi_grow(skedi_mem *mem, void *ptr, size_t n, size_t want, size_t size)
{
    if (want > SIZE_MAX / size) return NULL;
    if (ptr && want == n) return ptr;

    size_t old_bytes = ptr ? block_bytes(n, size) : 0;
    size_t bytes = block_bytes(want, size);
    if (bytes > old_bytes && !may_take(mem, bytes - old_bytes)) return NULL;
    unsigned char *moved = mem->resize(mem->user, ptr, old_bytes, bytes);
    if (!moved) return NULL;

    mem->live = mem->live - old_bytes + bytes;
    size_t kept = ptr ? n : 0;
    if (want > kept) memset(moved + kept * size, 0, (want - kept) * size);
    return moved;
}

void *skedi_new(skedi_mem *mem, size_t n, size_t size)
{
    return skedi_grow(mem, NULL, 0, n, size);
}

void skedi_free(skedi_mem *mem, void *ptr, size_t n, size_t size)
{
    if (!ptr) return;
    (void)mem->resize(mem->user, ptr, block_bytes(n, size), 0);
    mem->live -= block_bytes(n, size);
}

int skedi_ensure(skedi_mem *mem, void **ptr, size_t *cap, size_t want,
                 size_t size)
{
    if (want <= *cap) return 1;

    size_t grown = *cap + *cap / 2 + 8; /* no wrap: `cap` items exist */
    if (grown < want) grown = want;
    void *moved = skedi_grow(mem, *ptr, *cap, grown, size);
    if (!moved) return 0;
    *ptr = moved;
    *cap = grown;
    return 1;
}
