#ifndef SKEDI_LOCALITY_FAIR_H
#define SKEDI_LOCALITY_FAIR_H

/*
 * What the files of locality under fairness share. Nodes are the queues, then
 * the hosts. Every block that takes part is in the list of one node: of its
 * queue while it waits, of its host while it runs there.
 */

#include <sched/locality_fair.h>

#include "base/hooks.h"

/* A sked_locality_fair_input whose numbers are known to be in their ranges. */
typedef struct skedi_fair_blocks {
    uint32_t blocks;
    uint32_t hosts;
    uint32_t queues;
    uint32_t replicas;
    const uint32_t *replica;
    const uint32_t *queue;
    const uint32_t *share;
    const uint32_t *slots;
} skedi_fair_blocks;

typedef struct skedi_fair {
    const skedi_fair_blocks *in;
    skedi_hooks *hooks;
    uint32_t nodes;  /* queues and hosts */
    uint32_t *where; /* by block: its host, SKED_LOCALITY_NO_HOST: it waits */
    uint32_t *next;  /* by block: in its list, plus 1 */
    uint32_t *prev;
    /* By node. */
    uint32_t *first; /* block in its list, plus 1 */
    uint32_t *left;  /* blocks it may take yet */
    uint32_t *all;   /* blocks it may take in all: wants, slots */
    int32_t *level;  /* steps from a queue that lacks blocks */
    uint32_t *at;    /* where its list is searched: block, plus 1, */
    uint32_t *arc;   /* and position in the row */
    uint32_t *found; /* in the order of a search */
    uint32_t *path;
    int64_t *change; /* of cuts, by level; nodes + 2 */
} skedi_fair;

static inline uint32_t fair_queue_of(const skedi_fair_blocks *in,
                                     uint32_t block)
{
    return in->queue ? in->queue[block] : 0;
}

/* Checks all of an input. (fair_input.c) */
sked_status skedi_fair_take(skedi_fair_blocks *in,
                            const sked_locality_fair_input *given,
                            const sked_host *host, skedi_hooks *hooks,
                            sked_error *err);

/* Has a result the columns that it needs for so many blocks? (fair_input.c) */
sked_status skedi_fair_columns(uint32_t blocks,
                               const sked_locality_fair_result *result,
                               sked_error *err);

/* What each queue runs, from `blocks` zeros; SKED_ERR_RANGE: more in all than
 * there are slots. */
sked_status skedi_fair_wants(const skedi_fair_blocks *in, uint32_t *wants,
                             sked_error *err);

/* Levels of all nodes that can be reached, or of those up to the first host
 * with a free slot. 1: there is one. (fair_flow.c) */
int skedi_fair_search(skedi_fair *w, int whole, uint32_t *reached);

/* Blocking flows, `phases` at most (0: any number), until none is left. */
sked_status skedi_fair_flow(skedi_fair *w, uint32_t phases, uint32_t *used);

/* Puts a block into the list of a node. */
void skedi_fair_link(skedi_fair *w, uint32_t block, uint32_t node);

#endif
