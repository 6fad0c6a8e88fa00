#ifndef SKEDI_ENGINE_POOL_H
#define SKEDI_ENGINE_POOL_H

/* Numbered things: reserve first (may fail), take then (cannot). */

#include "engine/state.h"

void skedi_pool_start(engine_pool *pool, size_t size);
void skedi_pool_free(engine_pool *pool, skedi_mem *mem);

int skedi_pool_grow(engine_pool *pool, skedi_mem *mem, uint64_t more);

/* Memory for `more` further items. 0: no memory. */
static inline int skedi_pool_reserve(engine_pool *pool, skedi_mem *mem,
                                     uint64_t more)
{
    return pool->live + more <= pool->cap || skedi_pool_grow(pool, mem, more);
}

/* In a free item its last 32 bits name the next free one. */
static inline uint32_t *skedi_pool_link(const engine_pool *pool,
                                        uint32_t number)
{
    char *end = (char *)pool->item + ((size_t)number + 1) * pool->size;

    return (uint32_t *)(void *)(end - sizeof(uint32_t));
}

/* A number; memory was reserved. The taker writes the whole item. */
static inline uint32_t skedi_pool_take(engine_pool *pool)
{
    uint32_t number = pool->free;

    pool->live++;
    if (number == SKEDI_NONE) return pool->n++;
    pool->free = *skedi_pool_link(pool, number);
    return number;
}

/* Zeroes the item but for its last 32 bits, which says that it is free. */
void skedi_pool_give(engine_pool *pool, uint32_t number);

/* Memory for the amounts of every number of a pool. 0: no memory. */
int skedi_amounts_reserve(sked_engine *e, engine_amounts *amounts,
                          const engine_pool *pool);
void skedi_amounts_free(sked_engine *e, engine_amounts *amounts);

#endif
