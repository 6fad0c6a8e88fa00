#ifndef SKEDI_PREEMPT_AMONG_H
#define SKEDI_PREEMPT_AMONG_H

/*
 * Selecting among some of the candidates, with proof that the others would
 * change nothing. For requests only, that name no nodes, without budgets of
 * users or jobs, and not for SKED_PREEMPT_PLAIN, _BY_USER or _BY_PRIORITY.
 */

#include "preempt/preempt_impl.h"

/*
 * Tasks of one queue that hold alike, on nodes that are not in the problem:
 * nodes on which no request fits as it is, and where nobody is marked.
 */
typedef struct skedi_absent {
    const int64_t *amount; /* of one task, one a kind */
    int64_t cost;          /* of the cheapest of them, or less */
    uint32_t queue;
    uint32_t unused;
} skedi_absent;

typedef struct skedi_absents {
    const skedi_absent *at;
    size_t n;
    int matter; /* 1: one of them might have gone instead; the plan is void */
} skedi_absents;

/*
 * As sked_preempt_select(), and the same plan as if those absent were there,
 * unless absent->matter is set.
 */
sked_status skedi_preempt_among(const sked_preempt_problem *problem,
                                const sked_host *host, skedi_absents *absent,
                                sked_preempt_plan *plan, sked_error *err);

/*
 * Could an absent one go for a task of `request`, for which `cost` (INT64_MAX:
 * nothing) was found? Then `matter` is set.
 */
void skedi_absents_ask(skedi_absents *absent, const skedi_book *book,
                       uint32_t request, int64_t cost);

#endif
