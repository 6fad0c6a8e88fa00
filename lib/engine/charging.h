#ifndef SKEDI_ENGINE_CHARGING_H
#define SKEDI_ENGINE_CHARGING_H

/* The trees of limits beside an engine's own, and which jobs are charged there.
 */

#include <sched/engine_limits.h>

#include "engine/store.h"

/* A tree of limits: its queues by row. */
typedef struct engine_limits {
    sked_tree *tree; /* our copy; NULL: there is none */
    uint32_t n;      /* rows */
    uint32_t unused;
    int64_t *limit;       /* row x kinds */
    int64_t *used;        /* row x kinds */
    int64_t *reserved;    /* row x kinds */
    int64_t *max_running; /* or SKED_UNLIMITED */
    int64_t *running;     /* jobs */
    uint32_t *parent;     /* SKEDI_NONE: the root */
    uint32_t *charge;     /* the first that names it, or SKEDI_NONE */
    uint32_t *stop;       /* the first ask that it keeps out, or SKEDI_NONE */
} engine_limits;

/* A job that is charged in some tree of limits. */
typedef struct engine_charge {
    uint32_t job;
    uint32_t row[SKED_MAX_LIMIT_TREES];  /* or SKEDI_NONE */
    uint32_t next[SKED_MAX_LIMIT_TREES]; /* of those that name the same */
    uint32_t prev[SKED_MAX_LIMIT_TREES];
    uint32_t live; /* 1; 0: a free slot */
    uint32_t unused;
} engine_charge;

/* What keeps out an ask that is shown in no line. */
typedef struct engine_stop {
    uint32_t tree;
    uint32_t row;
    uint32_t next; /* of the asks that this row keeps out */
    uint32_t prev;
} engine_stop;

typedef struct engine_trees {
    engine_limits at[SKED_MAX_LIMIT_TREES];
    engine_pool charges; /* engine_charge */
    engine_stop *stop;   /* by ask */
    size_t stop_cap;
} engine_trees;

#endif
