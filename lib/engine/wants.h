#ifndef SKEDI_ENGINE_WANTS_H
#define SKEDI_ENGINE_WANTS_H

/*
 * The demand of leaves. A record counts the tasks of a shape that run or are
 * pending in a cell. The engine keeps records only if shares are in use
 * (e->shared).
 */

#include "engine/state.h"

/* The effect of a record on the current shares. */
enum want_made {
    WANT_NEW,   /* the shares do not include the record */
    WANT_BINDS, /* another number of tasks changes the shares */
    WANT_FREE   /* `reached` tasks or more: same shares */
};

typedef struct engine_want {
    uint64_t name; /* its cell and shape; 0: a free slot */
    int64_t tasks;
    int64_t reached;
    uint32_t cell;
    uint32_t shape;
    uint32_t next; /* of the cell */
    uint32_t prev;
    uint32_t made; /* enum want_made */
    uint32_t unused;
} engine_want;

static inline engine_want *want_at(const sked_engine *e, uint32_t want)
{
    return (engine_want *)e->wants.item + want;
}

/* Memory for so many records more. 0: no memory. */
int skedi_wants_reserve(sked_engine *e, uint64_t more);

/* So many tasks of a shape more in a cell (negative: fewer); memory for a
 * record was reserved. */
void skedi_want_move(sked_engine *e, uint32_t cell, uint32_t shape, int64_t by);

/* The same in every cell where an ask has an entry, but in one partition
 * (SKEDI_NONE: in all). */
void skedi_wants_open(sked_engine *e, uint32_t ask, int64_t by, uint32_t but);

#endif
