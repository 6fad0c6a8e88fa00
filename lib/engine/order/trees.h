#ifndef SKEDI_ENGINE_ORDER_TREES_H
#define SKEDI_ENGINE_ORDER_TREES_H

/*
 * Books of the trees of limits (engine_limits.h), over all partitions, and the
 * asks that they keep out. Such an ask is stopped: its entries stay in line but
 * show no bit, and it stands on the list of the row whose limit did it, until
 * that row may hold it.
 */

#include "engine/state.h"

/* Where a job is charged; NULL: in its queue alone. */
static inline const engine_charge *skedi_charge_of(const sked_engine *e,
                                                   uint32_t job)
{
    uint32_t charge = job_at(e, job)->charge;

    return charge == SKEDI_NONE ? NULL : charge_at(e, charge);
}

/* The first row of a job's path in a tree, from the bottom up. */
static inline uint32_t skedi_charge_row(const engine_charge *charge,
                                        uint32_t tree)
{
    return charge ? charge->row[tree] : SKEDI_NONE;
}

/* A row of amounts of a tree. */
static inline int64_t *skedi_tree_amounts(const sked_engine *e,
                                          int64_t *amounts, uint32_t row)
{
    return amounts + (size_t)row * e->kinds;
}

/* A limit that is in the way. */
typedef struct engine_tree_bound {
    uint32_t tree; /* SKEDI_NONE: there is none */
    uint32_t row;
    uint32_t kind;
} engine_tree_bound;

/* The limit that does not hold a step of a job beside what is used and
 * reserved: of the first tree that has one, the highest. `more` (rows of the
 * first tree, then of the second) counts in place of what is reserved, where it
 * is not NULL. */
engine_tree_bound skedi_trees_bound(const sked_engine *e, uint32_t job,
                                    const int64_t *step, const int64_t *more);

/* Memory to stop every ask there may be, at once, or where there is a tree of
 * limits. 0: no memory. */
int skedi_trees_reserve_all(sked_engine *e);
static inline int skedi_trees_reserve(sked_engine *e)
{
    const engine_limits *t = e->trees.at;

    return (!t[0].tree && !t[1].tree) || skedi_trees_reserve_all(e);
}

/* Notes that a limit keeps an ask with entries out, and the end of that. The
 * second call does nothing where none did. */
void skedi_trees_stop(sked_engine *e, uint32_t ask, uint32_t tree,
                      uint32_t row);
void skedi_trees_forget(sked_engine *e, uint32_t ask);

/* Ends this for all asks, and sets the counts of running jobs to 0, before the
 * grid books everything anew. */
void skedi_trees_restart(sked_engine *e);

/* Asks of a row that its limit holds now, or (`all`) all of them, are shown in
 * their lines again. */
void skedi_trees_wake(sked_engine *e, uint32_t tree, uint32_t row, int all);

/* Tasks of a job hold more (signed). Where something is given `back`, asks that
 * it kept out are looked at again. */
void skedi_trees_charge(sked_engine *e, uint32_t job, const int64_t *delta,
                        int back);

/* So much more (signed) is reserved for a job; asks that are kept out are not
 * looked at. */
void skedi_trees_book(sked_engine *e, uint32_t job, const int64_t *delta);

/* Looks again at the asks that the rows of a job's paths keep out, since
 * something reserved there was given up. */
void skedi_trees_freed(sked_engine *e, uint32_t job);

/* Frees a tree with its books; frees all of them. */
void skedi_tree_drop_books(sked_engine *e, engine_limits *t);
void skedi_trees_free(sked_engine *e);

#endif
