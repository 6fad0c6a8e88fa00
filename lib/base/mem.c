/*
 * The only file that names the C allocator. Everything else asks a skedi_mem,
 * which counts what its handle holds, keeps to the limit, and once sealed
 * refuses without asking the host.
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

void *skedi_grow(skedi_mem *mem, void *ptr, size_t n, size_t want, size_t size)
{
    if (want > SIZE_MAX / size) return NULL;
    if (want == n && ptr) return ptr;

    size_t old_bytes = n * size, bytes = want ? want * size : 1;
    if (!ptr) old_bytes = 0;
    if (bytes > old_bytes) {
        if (mem->sealed || bytes - old_bytes > mem->limit - mem->live) {
            return NULL;
        }
    }
    unsigned char *moved = mem->resize(mem->user, ptr, old_bytes, bytes);
    if (!moved) return bytes > old_bytes ? NULL : ptr;
    mem->live = mem->live - old_bytes + bytes;
    if (want > n) memset(moved + n * size, 0, (want - n) * size);
    return moved;
}

void *skedi_new(skedi_mem *mem, size_t n, size_t size)
{
    return skedi_grow(mem, NULL, 0, n, size);
}

void skedi_free(skedi_mem *mem, void *ptr, size_t n, size_t size)
{
    size_t bytes = n ? n * size : 1;

    if (!ptr) return;
    (void)mem->resize(mem->user, ptr, bytes, 0);
    mem->live -= bytes;
}

int skedi_ensure(skedi_mem *mem, void **ptr, size_t *cap, size_t want,
                 size_t size)
{
    if (want <= *cap) return 1;

    size_t roomy = *cap + *cap / 2 + 8;
    if (roomy < want) roomy = want;
    void *moved = skedi_grow(mem, *ptr, *cap, roomy, size);
    if (!moved) return 0;
    *ptr = moved;
    *cap = roomy;
    return 1;
}
