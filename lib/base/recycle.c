/* The free blocks of each size form a linked list through their first bytes. */
#include "base/recycle.h"

#include <string.h>

enum { RECYCLE_LEAST = 4 /* 16 bytes: memory for a link, and aligned */ };

/* The exponent of the block size for `size`; SKEDI_RECYCLE_SIZES: too large. */
static unsigned size_of_block(size_t size)
{
    unsigned power = RECYCLE_LEAST;

    while (power < SKEDI_RECYCLE_SIZES && power < 8 * sizeof size &&
           (size_t)1 << power < size) {
        power++;
    }
    return power < 8 * sizeof size ? power : SKEDI_RECYCLE_SIZES;
}

static void *take_block(skedi_recycle *r, skedi_mem *mem, unsigned power)
{
    if (power >= SKEDI_RECYCLE_SIZES) return NULL;
    void *block = r->free[power];
    if (!block) return skedi_new(mem, (size_t)1 << power, 1);
    memcpy(&r->free[power], block, sizeof block);
    return block;
}

static void keep_block(skedi_recycle *r, void *block, unsigned power)
{
    memcpy(block, &r->free[power], sizeof block);
    r->free[power] = block;
}

void *skedi_recycle_resize(skedi_recycle *r, skedi_mem *mem, void *ptr,
                           size_t old_size, size_t size)
{
    unsigned had = size_of_block(old_size), want = size_of_block(size);

    if (ptr && size > 0 && had == want) return ptr;
    void *block = size > 0 ? take_block(r, mem, want) : NULL;
    if (!ptr || (size > 0 && !block)) return block;
    if (block) memcpy(block, ptr, old_size < size ? old_size : size);
    keep_block(r, ptr, had);
    return block;
}

void skedi_recycle_free(skedi_recycle *r, skedi_mem *mem)
{
    for (unsigned power = 0; power < SKEDI_RECYCLE_SIZES; power++) {
        while (r->free[power]) {
            void *block = take_block(r, mem, power);
            skedi_free(mem, block, (size_t)1 << power, 1);
        }
    }
}
