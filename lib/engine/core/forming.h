#ifndef SKEDI_ENGINE_CORE_FORMING_H
#define SKEDI_ENGINE_CORE_FORMING_H

/* What is reserved on nodes for gangs over nodes that form, which are at most
 * one in each partition. */

#include "engine/state.h"

/* The gang of a partition for which amounts are reserved. */
typedef struct engine_forming {
    uint64_t arrival; /* of the ask; 0: there is none */
    uint64_t resting; /* of the ask whose time was over last; 0: none */
    sked_time since;
    sked_time rests; /* until then */
    uint32_t ask;
    uint32_t alone; /* 1: a node on which something is reserved for it is
                       reserved whole */
    engine_forming_where where;
    int64_t task[SKED_MAX_KINDS]; /* what one of its tasks takes */
} engine_forming;

/* So many of its tasks on a node. */
typedef struct engine_forming_part {
    uint32_t partition;
    uint32_t node;
    uint32_t count;
    uint32_t given; /* 1: given back for the time being */
} engine_forming_part;

/* Memory for one part more, and for a gang of each partition. 0: no memory. */
int skedi_forming_reserve(sked_engine *e);

/* Memory for all parts that there may be on so many nodes. 0: no memory. */
int skedi_forming_reserve_all(sked_engine *e, uint64_t nodes);

/* The gang of a partition; NULL: none. */
engine_forming *skedi_forming_of(const sked_engine *e, uint32_t partition);

/* Is it this ask, which is still there? */
static inline int skedi_forming_is_of(const sked_engine *e, uint32_t partition,
                                      uint32_t ask)
{
    const engine_forming *f = skedi_forming_of(e, partition);

    return f && f->ask == ask && ask_at(e, ask)->live &&
           ask_at(e, ask)->arrival == f->arrival;
}

/* What is reserved on a node for the gang of its partition, of one kind.
 * O(parts). */
int64_t skedi_forming_amount(const sked_engine *e, uint32_t node,
                             uint32_t kind);

/* For how many tasks of the gang of a partition something is reserved, and on
 * how many nodes. */
int64_t skedi_forming_tasks(const sked_engine *e, uint32_t partition,
                            uint32_t *nodes);

/* The part on a node; NULL: none. */
engine_forming_part *skedi_forming_on(const sked_engine *e, uint32_t node);

/* Is something taken from what a node has free now? */
static inline int skedi_forming_takes(const sked_engine *e, uint32_t node)
{
    const engine_forming_part *part = e->forms.n == 0
                                          ? NULL
                                          : skedi_forming_on(e, node);

    return part && !part->given;
}

/* Gives back what a part has reserved until it is taken again (`given` 1), or
 * takes it again (0). */
void skedi_forming_give(sked_engine *e, engine_forming_part *part, int given);

/* Reserves a node for so many tasks of the gang (0: for none), in place of
 * those before. Memory was reserved. */
void skedi_forming_set(sked_engine *e, uint32_t partition, uint32_t node,
                       int64_t count);

/* Gives up all that is reserved for the gang of a partition; on a node; for the
 * gangs of all partitions. */
void skedi_forming_drop(sked_engine *e, uint32_t partition);
void skedi_forming_clear(sked_engine *e, uint32_t node);
void skedi_forming_drop_all(sked_engine *e);

/* Is it on open nodes of its partition, and on no more than it may be? For
 * tests. */
int skedi_forming_is_sound(const sked_engine *e);

/* skedi_forming_give() of all parts. */
void skedi_forming_give_all(sked_engine *e, int given);

#endif
