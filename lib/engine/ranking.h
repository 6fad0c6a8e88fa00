#ifndef SKEDI_ENGINE_RANKING_H
#define SKEDI_ENGINE_RANKING_H

/* Nodes in the orders in which placing takes them (order/ranks.h). */

#include "engine/store.h"

/* A node in a ranking. */
typedef struct engine_rank {
    int64_t value; /* less comes first, then who was added first */
    uint64_t arrival;
    uint32_t left;
    uint32_t right;
    uint32_t partition; /* SKEDI_NONE: it is in none */
    uint32_t unused;
} engine_rank;

/* The nodes of each partition that take work, by one value. */
typedef struct engine_ranking {
    uint32_t by;       /* enum engine_rank_by */
    uint32_t kind;     /* whose free amount that is */
    engine_rank *node; /* by node */
    int64_t *most;     /* node x kinds: that nodes of its subtree have free */
    uint32_t *root;    /* by partition */
    size_t cap;        /* nodes */
    size_t parts;
} engine_ranking;

/* Nothing is kept here before the first call of sked_engine_place(). */
typedef struct engine_rankings {
    engine_ranking *all;
    size_t n;
    size_t all_cap;
    uint32_t *moved;   /* by node: the next one that moved and 1; 0: not */
    int64_t *score;    /* by node: of the host, in this call */
    uint64_t *started; /* by node: in this call */
    size_t cap;        /* nodes */
    uint32_t first;    /* that moved, or SKEDI_NONE */
    uint32_t mode;     /* of asks without one of their own */
    uint32_t sample;   /* nodes looked at for a step, 0: all */
    int stale;         /* 1: all are to be made anew */
} engine_rankings;

#endif
