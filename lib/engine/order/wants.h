#ifndef SKEDI_ENGINE_ORDER_WANTS_H
#define SKEDI_ENGINE_ORDER_WANTS_H

/*
 * What leaves want, shape by shape: in each cell, how many tasks of a shape run
 * there or are open. Kept where shares are made (e->shared).
 */

#include "engine/state.h"

/* What shares that were made say of a want. */
enum want_made {
    WANT_NEW,   /* they were made without it */
    WANT_BINDS, /* another number of tasks changes them */
    WANT_FREE   /* any number from `reached` on leaves them as they are */
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
