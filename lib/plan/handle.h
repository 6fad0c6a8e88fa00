#ifndef SKEDI_PLAN_HANDLE_H
#define SKEDI_PLAN_HANDLE_H

#include "plan/leaves.h"

#include "tree/handle.h"

/* One change; its path is a position in the plan's bytes. */
typedef struct skedi_plan_record {
    sked_plan_change change; /* `path` unset */
    size_t path;
} skedi_plan_record;

struct sked_plan {
    skedi_hooks hooks;
    sked_diff *diff;
    skedi_plan_record *record;
    size_t cap;
    size_t n;
    size_t held; /* queues with a change within the dead band */
    char *bytes; /* paths, each with its NUL */
    size_t bytes_cap;
    size_t bytes_used;
};

/* How a planned queue stands: before in the tree, after in the target. */
typedef struct skedi_plan_queue {
    sked_queue_id id; /* in the tree, or in the target when it is new */
    uint32_t row;     /* in the tree; SKEDI_NO_ROW: it is new */
    uint32_t changed; /* SKED_PLAN_CHANGED_WEIGHT and so on */
    uint32_t held;    /* 1: a change of it is within the dead band */
    int64_t before;   /* weight; 0: it is new */
    int64_t after;    /* weight, as it will stand */
    int64_t sum;      /* weights of the children, as they will stand */
    int64_t running_before;
    int64_t running_after;
    int64_t allocation; /* of all leaves below */
} skedi_plan_queue;

/* What making a plan works with. */
typedef struct skedi_plan_making {
    sked_plan_input in;
    sked_plan *plan;
    sked_host host; /* for handles inside the plan: without user_free */
    const sked_tree *tree;
    sked_tree *target; /* a copy, edited and committed */
    skedi_plan_leaves leaves;
    skedi_plan_queue *queue; /* by node of `leaves` */
    uint32_t *node_of;       /* by row of the tree: node + 1, 0: not planned */
    uint8_t *stays;          /* by row of the tree */
    uint32_t rows;
    uint32_t below; /* row of the queue that the plan owns */
} skedi_plan_making;

/* Makes the target what the jobs ask for, and notes how queues stand. */
sked_status skedi_plan_edit(skedi_plan_making *m, sked_error *err);

/* Is the row inside what the plan owns, and does it go, but not its parent? */
int skedi_plan_is_cut(const skedi_plan_making *m, uint32_t row);

#endif
