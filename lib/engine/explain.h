#ifndef SKEDI_ENGINE_EXPLAIN_H
#define SKEDI_ENGINE_EXPLAIN_H

/* Lines of an explanation. */

#include "engine/state.h"

/* The bounds that an explanation lists, and those of queues. */

typedef struct explain_list {
    sked_engine_bound *at;
    size_t cap;
    size_t n;
    int bound; /* one that binds was written for this ask */
} explain_list;

/* A bound of a queue, and what a step would make of it. */
typedef struct explain_line {
    int64_t need;
    int64_t bound;
} explain_line;

/* What is charged of so much more in the trees of limits, from their roots down,
 * kind by kind; and the jobs that run there. */

/* Why no node takes an ask. */

/* Nodes of a partition that an ask's rule takes and that would hold a task of it
 * (a gang on one node: all of it) when they are empty, and how many tasks of a gang
 * over nodes they would hold. */
typedef struct explain_nodes {
    uint32_t open;      /* all that take work, whatever they are */
    uint32_t taken;     /* of them its rule takes */
    uint32_t large;     /* that take work and that it does not exclude */
    uint32_t draining;  /* that it does not exclude, but drain */
    uint32_t barred;    /* that the host refused for everything */
    uint32_t excluded;  /* that take work, but that it excludes */
    uint64_t tasks;     /* of a gang that the large ones hold */
    uint64_t most;      /* that all of these hold */
    uint64_t unbounded; /* that they would hold if one held any number */
} explain_nodes;

#endif
