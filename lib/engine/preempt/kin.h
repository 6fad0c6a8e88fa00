#ifndef SKEDI_ENGINE_PREEMPT_KIN_H
#define SKEDI_ENGINE_PREEMPT_KIN_H

/*
 * Who would be preempted first, kept up by every start and end, so that a round
 * need not look at every task. Only an engine that preempts has it.
 *
 * Kin are the groups of one queue and partition (and, where users preempt each
 * other, of one user) whose tasks hold alike, matter alike and are lost alike.
 * They stand in the order in which their work was safe last, so that among them
 * the last is always the cheapest victim (victim_cost). What is fixed has no
 * kin.
 */

#include "base/heap.h"
#include "engine/state.h"

/* What tasks lose: nothing but one, or so many times more. */
enum { KIN_KEEPS = 1, KIN_MASTER = 2, KIN_TERMS = 4 };

typedef struct engine_kin {
    uint64_t name; /* of all that its groups have in common; 0: a free slot */
    uint64_t measured; /* the state of the nodes that `part` is of */
    int64_t part;      /* ppm of the partition that a task holds at most */
    int64_t tasks;     /* of its groups */
    uint32_t cell;
    uint32_t shape;
    uint32_t seat;    /* of the user, where users are owners; SKEDI_NONE */
    int32_t priority; /* of the jobs */
    uint32_t terms;   /* KIN_* */
    uint32_t last;    /* of its groups */
    uint32_t groups;
    uint32_t unused;
} engine_kin;

/* Where a group stands among its siblings. */
typedef struct kin_place {
    uint32_t kin; /* and one; 0: with none */
    uint32_t before;
    uint32_t after;
} kin_place;

typedef struct engine_kins {
    engine_pool pool;
    skedi_keymap of;
    kin_place *place; /* by group */
    size_t places;
    int stale; /* 1: to be made anew before they are read */
} engine_kins;

void skedi_kins_start(engine_kins *kins);
void skedi_kins_free(engine_kins *kins, skedi_mem *mem);

static inline engine_kin *kin_at(const engine_kins *kins, uint32_t kin)
{
    return (engine_kin *)kins->pool.item + kin;
}

/* A group has started, or its work has become safe; it is over. They do
 * nothing while the kins are stale, and make them so without memory. */
void skedi_kin_join(sked_engine *e, uint32_t group);
void skedi_kin_leave(sked_engine *e, uint32_t group);

/* A group has so many tasks more. */
void skedi_kin_move(sked_engine *e, uint32_t group, int64_t by);

/* The kin of a group; SKEDI_NONE: it has none. They are not stale. */
static inline uint32_t skedi_kin_of(const engine_kins *kins, uint32_t group)
{
    return kins->place[group].kin - 1;
}

/* Is it a group that runs, and whose tasks may be preempted at all? */
int skedi_may_be_victim(const sked_engine *e, uint32_t group);

/* Makes stale ones anew. 0: no memory. */
int skedi_kins_ready(sked_engine *e);

/* What is lost with a task of a group of these kin (engine.h); their part
 * of the partition is kept. */
int64_t skedi_kin_cost(sked_engine *e, engine_kin *kin, uint32_t group);

#endif
