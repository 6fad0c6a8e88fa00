#ifndef SKEDI_ENGINE_PREEMPT_WANTED_H
#define SKEDI_ENGINE_PREEMPT_WANTED_H

/*
 * What is open of every leaf in every partition, in amounts. Only an engine
 * that preempts has it, from its first round on.
 */

#include "engine/state.h"

typedef struct engine_wanted {
    int64_t *sum; /* cells x kinds, where queues have asks open */
    size_t cells;
    int ready; /* 0: to be added up anew before it is read */
} engine_wanted;

void skedi_wanted_free(engine_wanted *w, skedi_mem *mem, uint32_t kinds);

/* So many tasks more of an ask are open, where it has entries. */
void skedi_wanted_move(sked_engine *e, uint32_t ask, int64_t by);

/* Adds what is open for a partition to rows x kinds of amounts. 0: no memory.
 */
int skedi_wanted_add(sked_engine *e, uint32_t partition, int64_t *rows);

#endif
