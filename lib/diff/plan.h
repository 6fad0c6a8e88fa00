#ifndef SKEDI_DIFF_PLAN_H
#define SKEDI_DIFF_PLAN_H

#include <string.h>

#include "base/arena.h"
#include "base/hash.h"
#include "diff/handle.h"

/* What a queue of `to` needs to get where it is. */
enum {
    SKEDI_STEP_KEEP = 0,
    SKEDI_STEP_RENAME = 1, /* stays in its place under another name */
    SKEDI_STEP_PLACE = 2,  /* goes last below its parent */
    SKEDI_STEP_ADD = 3
};

/* A queue while it goes from one tree to the other. Nodes are the rows of
 * `from` and, behind them, the queues that were added. */
typedef struct skedi_diff_node {
    const char *name;
    uint32_t parent; /* node */
    uint32_t hash;   /* of parent and name */
    uint32_t row;    /* in `to`; SKEDI_NO_ROW: it goes */
    uint32_t link;   /* renames that wait for this one */
    uint8_t keeps;   /* something at or below it, in `from`, stays */
    uint8_t done;    /* its rename, or its removal */
    uint8_t padding[6];
} skedi_diff_node;

typedef struct skedi_diff_plan {
    sked_diff *diff;
    const sked_tree *from;
    const sked_tree *to;
    const skedi_image *old;
    const skedi_image *now;
    sked_status rc; /* not SKED_OK: everything below does nothing */
    uint64_t steps; /* done, for the host's checks */

    skedi_diff_node *node;
    size_t n_nodes;
    size_t node_cap;
    skedi_names names; /* nodes by parent and name */
    uint32_t *node_of; /* by row of `to`; UINT32_MAX: not there yet */
    uint8_t *step;     /* by row of `to` */
    uint8_t *waits;    /* by row of `to`: for an addition, or what follows */
    skedi_arena arena; /* names that step aside */
} skedi_diff_plan;

/* Finds which queues are the same, and what each needs (diff/match.c). */
void skedi_diff_match(skedi_diff_plan *plan);

/* Moves, additions and removals (diff/plan.c). */
void skedi_diff_shape(skedi_diff_plan *plan);
void skedi_diff_remove(skedi_diff_plan *plan);

/* Attributes (diff/set.c). */
void skedi_diff_set(skedi_diff_plan *plan);

static inline uint32_t skedi_diff_hash(uint32_t parent, const char *name)
{
    return (uint32_t)skedi_hash_of(name, strlen(name), parent);
}

/* The node below `parent` of that name; UINT32_MAX: none. */
uint32_t skedi_diff_child(const skedi_diff_plan *plan, uint32_t parent,
                          const char *name);

/* A path: that of a node, or with `name` that of a child of it. */
size_t skedi_diff_path(skedi_diff_plan *plan, uint32_t node, const char *name);

/* Adds a record, unless something failed before. */
void skedi_diff_emit(skedi_diff_plan *plan, skedi_diff_record record);

/* Asks the host now and then whether to go on. */
void skedi_diff_check(skedi_diff_plan *plan);

#endif
