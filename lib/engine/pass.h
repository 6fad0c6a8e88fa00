#ifndef SKEDI_ENGINE_PASS_H
#define SKEDI_ENGINE_PASS_H

/* Passes over nodes and over asks. */

#include "engine/state.h"

/* From the root down to an ask, again and again: to fill a node, or to
 * find a node for each (place.c). */

/* The number of decisions at which a pass that may make so many more is over. */
static inline uint64_t skedi_pass_last(const sked_engine *e, uint64_t budget)
{
    uint64_t made = e->stats.decisions;

    return budget < UINT64_MAX - made ? made + budget : UINT64_MAX;
}

/* One pass over a node, of at most `budget` decisions. SKED_OK; SKED_STOPPED
 * when as many wait as may, or the budget is used up; SKED_ERR_NOMEM; or what a
 * hook said. What was decided stands, and the node will be looked at again. */
sked_status skedi_pass_node(sked_engine *e, uint32_t node, uint64_t budget);

/* Finds a node for each ask of all partitions, in the order of policy, until
 * nothing is left that may run; at most `budget` decisions. As above. */
sked_status skedi_place_all(sked_engine *e, uint64_t budget);

/* ---- What both are made of ---- */

/* Has an ask more open than what others got kill orders for? */
static inline int skedi_walk_has_other(const sked_engine *e, uint32_t ask)
{
    const engine_ask *a = ask_at(e, ask);

    if (extra_of(e, a)->paid == 0) return 1;
    return !(a->flags & SKED_ASK_GANG) && a->open > extra_of(e, a)->paid;
}

/* Puts an entry aside: out of its line until the pass ends. Puts all back. */

/* Entries that a pass put aside: they are out of their lines until it ends. */

/* Memory to put one more entry aside. 0: no memory. */
static inline int skedi_aside_reserve(sked_engine *e)
{
    void *grown = e->set_aside;

    if (e->n_aside < e->aside_cap) return 1;
    if (!skedi_ensure(&e->hooks.mem, &grown, &e->aside_cap, e->n_aside + 1,
                      sizeof *e->set_aside)) {
        return 0;
    }
    e->set_aside = grown;
    return 1;
}

/* Alike tasks that start at once. */

/* skedi_alike() where more than one task may start. */
uint32_t skedi_alike_many(sked_engine *e, uint32_t entry, uint32_t node,
                          uint64_t fit, uint64_t most, int passes);

/* An entry is to start a task on a node. How many of its tasks start there
 * before anything else does, as far as that is easy to tell: from 1 to `most`.
 * `fit` are the classes of which something may start: on this node, where a pass
 * is made over it (`passes`), else on any. O(depth log siblings log tasks), and O(1) unless
 * the last decision was to start tasks of it there. */
static inline uint32_t skedi_alike(sked_engine *e, uint32_t entry,
                                   uint32_t node, uint64_t fit, uint64_t most,
                                   int passes)
{
    return most <= 1 ? 1 : skedi_alike_many(e, entry, node, fit, most, passes);
}

/* May the start of a task let other nodes take its ask than before, since the
 * ask's rule counts tasks by an attribute? */
int skedi_alike_elsewhere(const sked_engine *e, uint32_t ask);

/* Do tasks of a shape take nothing of any kind? */
int skedi_takes_nothing(const sked_engine *e, uint32_t shape);

/* How long an entry stays first while tasks of it start: in each family on its
 * path until the child that comes next is ahead. */

/* A family in which another child wants something, too. */
typedef struct engine_rival {
    uint32_t row;       /* the child on the entry's path */
    uint32_t place;     /* of the one that comes next, or SKEDI_NO_PLACE */
    uint32_t is_below;  /* 1: the child goes first for being below its
                           guarantee */
    sked_order_key key; /* of the one that comes next */
} engine_rival;

typedef struct engine_rivals {
    uint32_t entry;
    uint32_t n;
    engine_rival at[SKED_MAX_DEPTH];
} engine_rivals;

/*
 * The walk down the tree (engine/pass.c) where entries of mixed classes are in
 * play, which differ from each other: child by child, and back again where a
 * leaf turns out to have no entry by which a queue above it goes first.
 */

/* The first entry of those with a class in `fit`; there is one. */
uint32_t skedi_descend(sked_engine *e, uint32_t partition, uint64_t fit);

/* How many tasks may a pass still start on a node where it has started so many?
 */
static inline uint64_t skedi_pass_left(const sked_engine *e, uint64_t started)
{
    uint32_t most = e->opts.max_per_pass;

    return most ? most - started : UINT64_MAX;
}

/* Is the pass over on a node where it has started so many tasks (or gangs)? */
static inline int skedi_pass_is_over(const sked_engine *e, uint64_t started)
{
    return e->opts.max_per_pass && started >= e->opts.max_per_pass;
}

#endif
