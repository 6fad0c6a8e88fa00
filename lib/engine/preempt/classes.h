#ifndef SKEDI_ENGINE_PREEMPT_CLASSES_H
#define SKEDI_ENGINE_PREEMPT_CLASSES_H

/*
 * Victim classes: groups sorted by which would be preempted first, kept up by
 * every start and end, so that a round need not look at every task. Only an
 * engine that preempts has them.
 *
 * A victim class is all groups of one queue and partition (and, where users
 * preempt each other, of one user) whose tasks hold the same amounts, have the
 * same priority and lose work in the same way, and of which the host said the
 * same cost, if any. Groups of a class stand in the order of when their work was
 * last safe, so that the last is always the cheapest victim (victim_cost). Fixed
 * groups have no class. A gang over nodes has one of its own: it goes as a whole
 * (units.c).
 */

#include "base/heap.h"
#include "engine/state.h"

/* Terms of the tasks of a class: an end loses them no work; they are masters,
 * which cost a multiple; they are revocable and end before all others. */
enum { CLASS_KEEPS = 1, CLASS_MASTER = 2, CLASS_REVOCABLE = 4 };

typedef struct victim_class {
    uint64_t name; /* of all that its groups have in common; 0: a free slot */
    uint64_t measured; /* the state of the nodes that `part` is of */
    int64_t part;      /* ppm of the partition that a task holds at most */
    int64_t tasks;     /* of its groups; of bunches, nodes that they hold */
    uint32_t cell;
    uint32_t shape;
    uint32_t account; /* of the user, where users are owners; SKEDI_NONE */
    int32_t priority; /* of the jobs */
    uint32_t terms;   /* CLASS_* */
    uint32_t last;    /* of its groups */
    uint32_t groups;
    int32_t host_cost; /* of a task, as the host says; or -1 */
    uint32_t gang; /* and one: all groups are of this gang over nodes; or 0 */
    uint32_t unused;
} victim_class;

/* Where a group stands among the others of its class. */
typedef struct class_place {
    uint32_t class; /* and one; 0: with none */
    uint32_t before;
    uint32_t after;
} class_place;

typedef struct victim_classes {
    engine_pool pool;
    skedi_keymap of;
    class_place *place; /* by group */
    size_t places;
    int stale; /* 1: to be made anew before they are read */
} victim_classes;

void skedi_victim_classes_start(victim_classes *classes);
void skedi_victim_classes_free(victim_classes *classes, skedi_mem *mem);

/* A cost as it is compared in a round. Where revocable tasks run, whatever
 * other tasks cost (`last`) is above all that revocable ones cost together.
 * Where none run, costs are what they are. */
static inline int64_t skedi_cost_beside(int revocable, int last, int64_t cost)
{
    const int64_t above = INT64_C(1) << 62;

    if (!revocable) return cost;
    cost = skedi_i64_min(cost, above - 2);
    return last ? above + cost : cost;
}

static inline victim_class *victim_class_at(const victim_classes *classes,
                                            uint32_t class)
{
    return (victim_class *)classes->pool.item + class;
}

/* A group joins when it has started or its work has become safe, and leaves
 * when it is over. Both calls do nothing while the classes are stale. If memory
 * fails they mark the classes stale. */
void skedi_victim_class_join(sked_engine *e, uint32_t group);
void skedi_victim_class_leave(sked_engine *e, uint32_t group);

/* A group holds its shape `by` times more, or fewer where that is negative. */
void skedi_victim_class_move(sked_engine *e, uint32_t group, int64_t by);

/* The class of a group; SKEDI_NONE: it has none. They are not stale. */
static inline uint32_t skedi_victim_class_of(const victim_classes *classes,
                                             uint32_t group)
{
    return classes->place[group].class - 1;
}

/* Do rounds look at an ask that is a gang over nodes? */
int skedi_gang_in_rounds(const sked_engine *e, uint32_t ask);

/* Is a group proposed or running, and may its tasks be preempted at all? */
int skedi_may_be_victim(const sked_engine *e, uint32_t group);

/* CLASS_* of the tasks of an ask. */
uint32_t skedi_victim_terms(const sked_engine *e, const engine_ask *ask);

/* Rebuilds the classes where they are stale. 0: no memory. */
int skedi_victim_classes_ready(sked_engine *e);

/* What is lost with a task of a group of this class (engine.h); the class
 * remembers its part of the partition. */
int64_t skedi_victim_class_cost(sked_engine *e, victim_class *class,
                                uint32_t group);

#endif
