#ifndef SKEDI_LOCALITY_FLOW_H
#define SKEDI_LOCALITY_FLOW_H

/* A blocking flow between hosts; an arc is a block or a class. */

#include "locality/handle.h"

enum { FLOW_UNSEEN = -1, FLOW_DEAD = -2 };

/* A breadth-first search from all hosts that hold more than `fits`. */
typedef struct flow_search {
    uint32_t part;    /* all hosts of the part */
    uint32_t sources; /* first hosts in the queue */
    uint32_t reached; /* in the queue */
    int32_t goal;     /* depth of the first host with a free slot */
    int found;
} flow_search;

static inline int skedi_loc_holds_less(const skedi_loc *w, uint32_t h)
{
    return w->count[h] < w->fits[h];
}

/* Adds an unseen host to the search. */
static inline void skedi_loc_reach(skedi_loc *w, flow_search *s, uint32_t h,
                                   int32_t depth)
{
    w->depth[h] = depth;
    w->queue[s->reached++] = h;
    if (!skedi_loc_holds_less(w, h)) return;
    s->found = 1;
    s->goal = depth;
}

/*
 * Classes: equal rows of replicas, with the number of blocks at each position.
 * In small clusters or chains of hosts, few rows occur many times. Classes are
 * then far fewer than blocks, and a path moves many blocks at once. [classes.c]
 */

/* The hash of a row, for the table of classes. */
static inline uint32_t skedi_loc_row_hash(const uint32_t *row, uint32_t width)
{
    uint64_t h = width;

    for (uint32_t k = 0; k < width; k++) {
        h = (h ^ row[k]) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 29;
    }
    return (uint32_t)(h >> 32);
}

/* Makes classes if a sample shows few classes: `*made`. Returns SKED_OK,
 * SKED_ERR_NOMEM or the status of a stopped call. */
sked_status skedi_loc_classes_make(skedi_loc *w, int *made);

/* Sets every block's choice from its class; the second function frees the
 * classes. */
void skedi_loc_classes_settle(skedi_loc *w);
void skedi_loc_classes_drop(skedi_loc *w);

/* Scan the blocks of a host, and push one path, as flow.c does with lists. */
void skedi_loc_class_scan(skedi_loc *w, flow_search *s, uint32_t h);
void skedi_loc_class_push(skedi_loc *w, const flow_search *s, uint32_t source);

#endif
