#ifndef SKEDI_BALANCE_STATE_H
#define SKEDI_BALANCE_STATE_H

/*
 * Shared by balancing, splitting and evacuating: the present curves of
 * clusters, and the curves after adding or removing a workflow.
 */

#include <sched/balance.h>

#include "base/arith.h"
#include "base/hooks.h"
#include "pctl/select.h"

#define SKEDI_NO_MOVER UINT32_MAX

enum { SKEDI_TRIES_A_CHECK = 64 };

/* A checked problem, and a placement of the problem's workflows. */
typedef struct skedi_balance {
    sked_balance_input in;
    skedi_hooks hooks;
    size_t cells;          /* buckets * kinds */
    int64_t ceiling;       /* in billionths */
    uint64_t window;       /* lengths of all buckets */
    uint64_t need;         /* of the window, for the percentile */
    const int64_t *weight; /* by cluster, in billionths; the score is the mean
                            * times the weight; NULL: the score is the
                            * percentile */
    int64_t *length;
    int64_t *curve; /* clusters x cells: present usage */
    int64_t *value; /* buckets: scratch */
    uint32_t *where;
    int64_t *score; /* by cluster, present scores */
    sked_balance_objective objective;
    uint32_t moved; /* workflows away from home */
    uint64_t tries;
    skedi_select_memory memory;
} skedi_balance;

/* A change of a cluster: a workflow added, another workflow removed. */
typedef struct skedi_balance_change {
    uint32_t cluster;
    uint32_t more; /* or SKEDI_NO_MOVER */
    uint32_t less;
} skedi_balance_change;

/* Copies a caller's problem and fills in the defaults; checks sizes. */
sked_status skedi_balance_take(sked_balance_input *in,
                               const sked_balance_input *given,
                               sked_error *err);

/* Checks and scores a problem with all workflows at home; `weight` as above. A
 * failed call holds no memory. */
sked_status skedi_balance_in(skedi_balance *b, const sked_balance_input *in,
                             const sked_host *host, const int64_t *weight,
                             sked_error *err);
void skedi_balance_drop(skedi_balance *b);

/* The score of a cluster after a change. Counts as a try. */
int64_t skedi_balance_score(skedi_balance *b, skedi_balance_change change);

/* Makes a move; the scores are the scores of both clusters after the move. */
void skedi_balance_move(skedi_balance *b, uint32_t workflow, uint32_t to,
                        int64_t from_score, int64_t to_score);

/* The objective with new scores of two clusters and an additional cost. */
sked_balance_objective skedi_balance_after(const skedi_balance *b,
                                           const uint32_t at[2],
                                           const int64_t score[2],
                                           int64_t cost);

/* The percentile of the instances that a cluster uses, over time in use
 * only. */
int64_t skedi_balance_instances(skedi_balance *b, uint32_t cluster);

/* The result of a call before the caller receives the result. */
typedef struct skedi_balance_found {
    skedi_balance b;
    uint32_t complete;
    uint64_t tries;
    sked_balance_objective before;
    sked_balance_objective bound;
    uint32_t *target; /* by workflow */
    sked_balance_move *moves;
    uint32_t n_moves;
} skedi_balance_found;

/* Moves and exchanges until none helps or tries are out. */
sked_status skedi_balance_search(skedi_balance *b, uint32_t *complete);

/* A lower bound of the objective. */
sked_status skedi_balance_bound(skedi_balance *b,
                                sked_balance_objective *bound);

/* The percentile of `value` (by bucket): at least `need` of the window does not
 * exceed the result. */
int64_t skedi_balance_percentile(skedi_balance *b, uint64_t need);

/* `used` over `capacity` in billionths; at most SKED_BALANCE_MOST. */
static inline int64_t balance_part(int64_t used, int64_t capacity, int up)
{
    uint64_t rem = 0, whole;

    if (used <= 0) return 0;
    if (capacity == 0) return SKED_BALANCE_MOST;
    if (used < (int64_t)1 << 33) {
        uint64_t scaled = (uint64_t)used * SKED_BALANCE_WHOLE;
        whole = scaled / (uint64_t)capacity;
        rem = scaled % (uint64_t)capacity;
    } else {
        skedi_u128 q = skedi_u128_div(
            skedi_u128_mul((uint64_t)used, SKED_BALANCE_WHOLE),
            (uint64_t)capacity, &rem);
        whole = skedi_u128_high(q) ? (uint64_t)SKED_BALANCE_MOST
                                   : skedi_u128_low(q);
    }
    whole += up && rem > 0;
    return whole < (uint64_t)SKED_BALANCE_MOST ? (int64_t)whole
                                               : SKED_BALANCE_MOST;
}

/* `x` times a weight in billionths, at most SKED_BALANCE_MOST. */
static inline int64_t balance_weighted(int64_t x, int64_t weight)
{
    uint64_t rem;
    skedi_u128 product = skedi_u128_div(
        skedi_u128_mul((uint64_t)x, (uint64_t)weight), SKED_BALANCE_WHOLE,
        &rem);

    if (skedi_u128_high(product) ||
        skedi_u128_low(product) > (uint64_t)SKED_BALANCE_MOST) {
        return SKED_BALANCE_MOST;
    }
    return (int64_t)skedi_u128_low(product);
}

static inline int64_t balance_excess(const skedi_balance *b, int64_t score)
{
    return b->weight || score <= b->ceiling ? 0 : score - b->ceiling;
}

static inline int balance_is_less(sked_balance_objective a,
                                  sked_balance_objective b)
{
    return a.excess != b.excess ? a.excess < b.excess : a.sum < b.sum;
}

static inline int balance_may(const skedi_balance *b, uint32_t workflow,
                              uint32_t cluster)
{
    return !b->in.allowed || b->in.home[workflow] == cluster ||
           b->in.allowed[(size_t)workflow * b->in.clusters + cluster];
}

static inline int64_t balance_cost(const skedi_balance *b, uint32_t workflow,
                                   uint32_t cluster)
{
    if (!b->in.cost) return 0;
    return b->in.cost[(size_t)workflow * b->in.clusters + cluster];
}

/* True if a workflow may go to a cluster by the limit of moves from home. */
static inline int balance_fits(const skedi_balance *b, uint32_t workflow,
                               uint32_t to)
{
    uint32_t home = b->in.home[workflow];

    return !b->in.max_moves || to == home || b->where[workflow] != home ||
           b->moved < b->in.max_moves;
}

#endif
