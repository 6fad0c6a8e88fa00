#ifndef SKEDI_ENGINE_PREEMPT_WHERE_H
#define SKEDI_ENGINE_PREEMPT_WHERE_H

/* On which node a step of a round finds a place, with the fewest victims. */
#include "engine/preempt/rounds.h"

/* A search, which steps that are alike go on with. */
typedef struct plan_search {
    round_part *part;
    plan_want want; /* of the steps that are alike */
    uint32_t *next_class;
    uint32_t *seen; /* by node: the search that saw it last */
    uint32_t turn;  /* number of this search */
    uint32_t fixed; /* so many of part->fixed were tried without victims */
    uint32_t block; /* likewise: nodes before this block (vacant.h) */
    int live;       /* 1: it goes on for a step like the last one */
    uint32_t freed; /* of the part, when it began */
    size_t from;    /* of a gang over nodes: its first placement */
    uint64_t same;  /* likewise: the attribute that its nodes share; 0: none */
    int64_t value;  /* of this attribute, on all of them */
    int beside;     /* likewise: 1: only nodes that have some of it are looked
                       at */
} plan_search;

/* Finds a place for a step. `*node` is SKEDI_NONE where there is none; with
 * victims their plan stands in `best`, and `*costs` is 1. `want->inner` is
 * filled in. 0: no memory. */
int skedi_search(plan_search *search, plan_want *want, uint32_t *node,
                 int *costs);

/* Lists the nodes to look at first: those with tasks that are marked or end, or
 * with reservations. 0: no memory. */
int skedi_search_fixed(round_part *part);

/* ---- Gangs over nodes that claim ---- */

/* Does a round look for nodes for a gang over nodes? */
int skedi_gang_may_claim(const round_part *part, uint32_t ask);

/* Finds nodes for all that a gang lacks, or (`*any` 0) for nothing of it. 0: no
 * memory. */
int skedi_plan_gang(plan_search *search, uint32_t ask, uint32_t account,
                    int *any);

/* What is reserved for a gang, for which others got kill orders, stays so if
 * all of it does. 0: no memory. */
int skedi_gang_keep(round_part *part, uint32_t ask);

/* Would a node let an ask in? */
int skedi_lets_in(const sked_engine *e, uint32_t ask, uint32_t node);

#endif
