#ifndef SKEDI_ENGINE_PREEMPT_VACANT_H
#define SKEDI_ENGINE_PREEMPT_VACANT_H

/*
 * Where so much is free: of each block of 64 nodes the most that any of them
 * has free, kind by kind. Only an engine that preempts has it. Blocks in which
 * that may have changed are noted, and counted anew before the next search.
 */

#include "engine/state.h"

enum { VACANT_NODES = 64 };

typedef struct engine_vacant {
    int64_t *most;  /* blocks x kinds */
    uint8_t *moved; /* by block */
    size_t blocks;
} engine_vacant;

void skedi_vacant_free(engine_vacant *v, skedi_mem *mem, uint32_t kinds);

/* What a node has free has changed. */
static inline void skedi_vacant_note(engine_vacant *v, uint32_t node)
{
    if (node / VACANT_NODES < v->blocks) v->moved[node / VACANT_NODES] = 1;
}

/* Counts what has moved. 0: no memory. */
int skedi_vacant_ready(sked_engine *e);

/* May `amount` fit on some node of a block that is ready? */
int skedi_vacant_may(const sked_engine *e, size_t block, const int64_t *amount);

#endif
