/* Free items form a chain, last freed first: the same everywhere. */
#include "engine/pool.h"

#include <string.h>

void skedi_pool_start(engine_pool *pool, size_t size)
{
    *pool = (engine_pool){.free = SKEDI_NONE, .size = (uint32_t)size};
}

void skedi_pool_free(engine_pool *pool, skedi_mem *mem)
{
    skedi_free(mem, pool->item, pool->cap, pool->size);
    skedi_pool_start(pool, pool->size);
}

int skedi_pool_grow(engine_pool *pool, skedi_mem *mem, uint64_t more)
{
    uint64_t want = pool->live + more;
    uint64_t wide = pool->cap + pool->cap / (pool->cap < 1024 ? 2 : 8) + 8;

    if (want >= SKEDI_NONE) return 0; /* numbers would run out */
    if (wide < want) wide = want;
    void *item = skedi_grow(mem, pool->item, pool->cap, (size_t)wide,
                            pool->size);
    if (!item) return 0;
    pool->item = item;
    pool->cap = (size_t)wide;
    return 1;
}

void skedi_pool_give(engine_pool *pool, uint32_t number)
{
    memset((char *)pool->item + (size_t)number * pool->size, 0, pool->size);
    *skedi_pool_link(pool, number) = pool->free;
    pool->free = number;
    pool->live--;
}

int skedi_amounts_reserve(sked_engine *e, engine_amounts *amounts,
                          const engine_pool *pool)
{
    if (amounts->cap >= pool->cap) return 1;
    int64_t *at = skedi_grow(&e->hooks.mem, amounts->at,
                             amounts->cap * e->kinds, pool->cap * e->kinds,
                             sizeof *at);
    if (!at) return 0;
    amounts->at = at;
    amounts->cap = pool->cap;
    return 1;
}

void skedi_amounts_free(sked_engine *e, engine_amounts *amounts)
{
    skedi_free(&e->hooks.mem, amounts->at, amounts->cap * e->kinds,
               sizeof *amounts->at);
    *amounts = (engine_amounts){0};
}
