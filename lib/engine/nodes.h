#ifndef SKEDI_ENGINE_NODES_H
#define SKEDI_ENGINE_NODES_H

/* Nodes and rankings of nodes. */

#include "engine/gang_fit.h"
#include "engine/state.h"
#include "engine/touch.h"

/*
 * The nodes of a partition that take work, in an order, so that the first of
 * them that holds a step is found without looking at each: search trees whose
 * knots know the most that their nodes have free, kind by kind. Nodes whose
 * free amounts or states changed are listed, and put in order again when
 * something is looked for.
 */

/* Nodes stand by the order of adding, by what is free of a kind (the least, or
 * the most first), or by the host's scores (the highest first). */
enum engine_rank_by {
    ENGINE_RANK_ARRIVAL,
    ENGINE_RANK_LEAST,
    ENGINE_RANK_MOST,
    ENGINE_RANK_SCORE
};

/* Begins a call of sked_engine_place(): memory for all nodes, and scores of 0.
 * 0: no memory. O(nodes). */
int skedi_ranks_open(sked_engine *e);

/* Ends it: the ranking by scores, which are of one call, is forgotten. */
void skedi_ranks_close(sked_engine *e);

/* The number of a ranking, made where there is none; SKEDI_NONE: no memory.
 * O(nodes log nodes) where it is made, else O(nodes moved * rankings * log
 * nodes). */
uint32_t skedi_ranks_find(sked_engine *e, uint32_t by, uint32_t kind);

/* The first node of a partition after `last` (SKEDI_NONE: of all) that has
 * `need` free; SKEDI_NONE: there is none. Nothing has moved since the ranking
 * was asked for. */
uint32_t skedi_ranks_next(const sked_engine *e, uint32_t ranking,
                          uint32_t partition, const int64_t *need,
                          uint32_t last);

void skedi_ranks_free(sked_engine *e);

/* Is every node where it belongs? For tests. */
int skedi_ranks_are_sound(const sked_engine *e);

/*
 * What a job holds and wants stays an amount in every kind. A task that runs
 * counts with the larger of what it holds and what its ask says: so it may end,
 * be open again and start with what the ask says, however small it was.
 */

/* Tasks that come to a job, or that change. */
typedef struct engine_more {
    const int64_t *asked; /* what their ask says of one */
    int64_t tasks;        /* so many, which are open or may be open again */
    int64_t taken;        /* so many were open and are open no more */
    const int64_t *held;  /* what they hold `times` times; NULL: nothing */
    int64_t times;
    uint32_t job;
    uint32_t group; /* whose tasks they are, or SKEDI_NONE: of none yet */
} engine_more;

/* Would all that the job holds and wants stay amounts with them? If not, `err`
 * says so. Groups are counted only where the sum is near the largest amount. */
int skedi_more_is_amount(const sked_engine *e, const engine_more *more,
                         sked_error *err);

#endif
