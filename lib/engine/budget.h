#ifndef SKEDI_ENGINE_BUDGET_H
#define SKEDI_ENGINE_BUDGET_H

/* Budgets beside queue limits: users, limit trees, start rates. */

#include "engine/state.h"

/*
 * Users in a leaf: what each holds in a partition, and whether it is at its
 * limit. Only leaves that look at users have accounts.
 *
 * The limit of a user is taken in the kind that the leaf uses most of
 * (dominant in the partition). With one unit more in use than there is, or
 * with the leaf's guarantee if that is more, each user with open asks may hold
 * its part by weight, rounded up, and never less than user_limit of it. So of
 * the users with open asks one at least is always below: nothing is left idle
 * for it. Where none of them has a weight, none is at a limit. Besides, none
 * holds more than user_factor of the leaf's guarantee, where it has one.
 */

/* The account of a user in a cell, SKEDI_NONE when there is none. */
uint32_t skedi_account_find(const sked_engine *e, uint32_t cell, uint32_t user);

/* The account of an ask's user in a partition; SKEDI_NONE: its leaf does not
 * look at users. */
uint32_t skedi_account_of_ask(const sked_engine *e, uint32_t ask,
                              uint32_t partition);

/* Memory for so many more accounts. 0: no memory. */
int skedi_account_reserve(sked_engine *e, uint64_t more);

/* Finds or makes it; memory was reserved. */
uint32_t skedi_account_take(sked_engine *e, uint32_t cell, uint32_t user);

/* Lets go of an account with no entries and no groups. */
void skedi_account_drop_if_idle(sked_engine *e, uint32_t account);

/* What the user may hold now, and of which kind; a task may start while it
 * holds less. SKED_UNLIMITED: no limit. */
int64_t skedi_account_limit(const sked_engine *e, uint32_t account,
                            uint32_t *kind);

/* A leaf as it would be without those that give way. */
typedef struct engine_without {
    const int64_t *used; /* of the leaf in the partition, one amount a kind */
    const int64_t *own;  /* of the user there */
    uint64_t weight;     /* of users that have open asks besides */
} engine_without;

/* What a user holds of a kind in a partition, with what is reserved for tasks
 * of its for which others got kill orders. */
static inline int64_t skedi_account_held(const sked_engine *e, uint32_t account,
                                         uint32_t kind)
{
    int64_t used = engine_row_of(e, &e->account_used, account)[kind];

    if (e->reservations.live == 0) return used;
    return used + engine_row_of(e, &e->account_paid, account)[kind];
}

/* Would a user with open asks be at the limit then? */
int skedi_account_would_fill(const sked_engine *e, uint32_t account,
                             const engine_without *then);

/* Is the user at its limit now? */
int skedi_account_is_full(const sked_engine *e, uint32_t account);

/* Notes that a user is at its limit: its entries show no bit until
 * skedi_accounts_wake() finds it below. */
void skedi_account_block(sked_engine *e, uint32_t account);

/* Looks again at a cell's blocked users, after its books or its users with
 * open asks changed. */
void skedi_accounts_wake(sked_engine *e, uint32_t cell);
void skedi_accounts_wake_all(sked_engine *e, uint32_t partition);

/* What a user weighs changed. O(accounts and open asks of the user). */
void skedi_accounts_reweigh(sked_engine *e, uint32_t user);

/* Adds to what an account holds and orders its user's entries anew. */
void skedi_account_charge(sked_engine *e, uint32_t account,
                          const int64_t *delta);

/*
 * Bounds on starts in a time (start_rate). A queue counts the tasks that start
 * in it and below within a second, which begins with the first of them. Once
 * there are as many as the rate says, none starts until the second is over.
 * What a gang started beyond the rate counts in the seconds that follow. All of
 * it is asked only where some queue has a rate (`rated`).
 */

/* Does some queue of the tree have a rate? */
int skedi_rates_said(const skedi_image *image);

/* Reads the rates of a tree; takes over what queues of the old grid have
 * counted. */
void skedi_rates_fill(sked_engine *e, const skedi_image *image);
void skedi_rates_carry(sked_engine *e, const sked_engine *old,
                       const uint32_t *row_of);

/* The highest queue from a leaf up of which no task may start now, or
 * SKEDI_NONE. */
uint32_t skedi_rate_refusal(const sked_engine *e, uint32_t leaf);

/* How many tasks may start one by one before some queue from a leaf up refuses
 * the next; UINT64_MAX: any number. */
uint64_t skedi_rate_left(const sked_engine *e, uint32_t leaf);

/* The moment from which on a task may start by the rate of a queue, which has
 * one: now, where a task may. */
sked_time skedi_rate_lapse(const sked_engine *e, uint32_t row);

/* Counts tasks that start, where some queue has a rate. */
void skedi_rates_count(sked_engine *e, uint32_t leaf, uint32_t count);

/* A queue refuses for its rate: nothing of it is looked at until a task may
 * start by it again. Ends this where one may by `now`, which is `rate_due` or
 * later. */
void skedi_rates_strike(sked_engine *e, uint32_t row, uint32_t partition);
void skedi_rates_lift(sked_engine *e, sked_time now);

/*
 * Books of the trees of limits (engine_limits.h), over all partitions, and the
 * asks that they keep out. Such an ask is stopped: its entries stay in line but
 * show no bit, and it stands on the list of the row whose limit did it, until
 * that row may hold it.
 */

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

/* Jobs that are charged in trees of limits. */

/* The rows that a new job is to be charged in, one for each tree of limits
 * (SKEDI_NONE: in none). SKED_OK or SKED_ERR_STALE. */
sked_status skedi_charge_in(const sked_engine *e, const sked_events *batch,
                            const sked_event *event, uint32_t *rows,
                            sked_error *err);

/* Memory for one more. 0: no memory. */
int skedi_charge_reserve(sked_engine *e);

/* Charges a new job in these rows; memory was reserved. Ends what a job is
 * charged. */
void skedi_charge_take(sked_engine *e, uint32_t job, const uint32_t *rows);
void skedi_charge_drop(sked_engine *e, uint32_t job);

/* Puts a charge on the list of its row in a tree. */
void skedi_charge_link(sked_engine *e, uint32_t charge, uint32_t tree);

/* May one more run, by max_running on its paths? */
int skedi_charge_may_run(const sked_engine *e, uint32_t job);

#endif
