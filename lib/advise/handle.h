#ifndef SKEDI_ADVISE_HANDLE_H
#define SKEDI_ADVISE_HANDLE_H

/* Advice, and the functions that make it. */

#include <sched/advise.h>

#include "base/hooks.h"
#include "plan/leaves.h"

struct sked_advice {
    skedi_hooks hooks;
    sked_host host; /* for handles inside: without user_free */
    sked_tree *target;
    sked_diff *diff;
    sked_plan *plan; /* NULL: nothing could be chosen */
    sked_queue_id below;
    sked_queue_id other;
    sked_advice_result sum;
    sked_queue_id *queue; /* by leaf, in the target */
    uint8_t *tier;
    int64_t *max_running;
    int64_t *allocation;
    sked_pctl_point *point;
    sked_pctl_queue *total;
    uint32_t leaves;
    int chosen; /* there are allocations */
};

/* Computes from the history what each leaf is allocated and may run. */
sked_status skedi_advise_measure(sked_advice *a, const sked_advice_input *in,
                                 sked_error *err);

/* Makes the target tree from that, and the changes that lead to it. */
sked_status skedi_advise_target(sked_advice *a, const sked_tree *tree,
                                const sked_advice_input *in, sked_error *err);

/*
 * The queue in `tree` of every node of a structure, below `below`:
 * SKED_NO_QUEUE where there is none. `id` and `row` have an entry a node.
 */
void skedi_advise_find(const sked_tree *tree, sked_queue_id below,
                       const skedi_plan_leaves *s, sked_queue_id *id,
                       uint32_t *row);

#endif
