#ifndef SKEDI_DIFF_PLAN_H
#define SKEDI_DIFF_PLAN_H

#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "diff/handle.h"

/* The structural change that a queue of `to` needs. */
enum {
    SKEDI_STEP_KEEP = 0,   /* none */
    SKEDI_STEP_RENAME = 1, /* another name, without a move */
    SKEDI_STEP_PLACE = 2,  /* a move to the last place below the parent */
    SKEDI_STEP_ADD = 3
};

/* A queue on the way from one tree to the other. Nodes are the rows of `from`,
 * followed by the added queues. */
typedef struct skedi_diff_node {
    const char *name;
    uint32_t parent; /* node */
    uint32_t hash;   /* of parent and name */
    uint32_t row;    /* row in `to`; SKEDI_NO_ROW: removed */
    uint32_t link;   /* the rename that waits for this rename */
    uint8_t keeps;   /* 1: node or a queue below it in `from` is in `to` */
    uint8_t done;    /* 1: the rename or removal is emitted */
    uint8_t padding[6];
} skedi_diff_node;

typedef struct skedi_diff_plan {
    sked_diff *diff;
    const sked_tree *from;
    const sked_tree *to;
    const skedi_image *old;
    const skedi_image *now;
    sked_status rc; /* after a failure the functions below do nothing */
    uint64_t steps; /* steps taken, for the host's checks */

    skedi_diff_node *node;
    size_t n_nodes;
    size_t node_cap;
    skedi_names names; /* nodes by parent and name */
    uint32_t *node_of; /* by row of `to`; UINT32_MAX: not added yet */
    uint8_t *step;     /* by row of `to` */
    uint8_t *waits;    /* by row of `to`; 1: move waits for an addition */
    skedi_arena arena; /* temporary names */
} skedi_diff_plan;

/* Finds the shared queues, and the changes of each queue (diff/plan.c). */
void skedi_diff_match(skedi_diff_plan *plan);

/* Moves, additions and removals (diff/plan.c). */
void skedi_diff_shape(skedi_diff_plan *plan);
void skedi_diff_remove(skedi_diff_plan *plan);

/* Attributes (diff/plan.c). */
void skedi_diff_set(skedi_diff_plan *plan);

static inline uint32_t skedi_diff_hash(uint32_t parent, const char *name)
{
    return (uint32_t)skedi_hash_of(name, strlen(name), parent);
}

#endif
