#ifndef SKEDI_LOCALITY_FLOW_H
#define SKEDI_LOCALITY_FLOW_H

/* One blocking flow between hosts, whether an arc is a block or a class. */

#include "locality/handle.h"

enum { FLOW_UNSEEN = -1, FLOW_DEAD = -2 };

/* A breadth-first search from all hosts that hold too much. */
typedef struct flow_search {
    uint32_t part;    /* hosts in the part */
    uint32_t sources; /* first in the queue */
    uint32_t reached; /* in the queue */
    int32_t goal;     /* depth of the first host that holds less */
    int found;
} flow_search;

static inline int skedi_loc_holds_less(const skedi_loc *w, uint32_t h)
{
    return w->count[h] < w->fits[h];
}

/* A search comes to a host that it has not seen. */
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
 * Classes: rows of replicas that are alike, each with how many of its blocks
 * are at each position. Where a few rows come again and again, as in small
 * clusters or chains of hosts, they are far fewer than blocks, and a path
 * moves many blocks at once. [classes.c]
 */

/* Where a row stands in their table. */
static inline uint32_t skedi_loc_row_hash(const uint32_t *row, uint32_t width)
{
    uint64_t h = width;

    for (uint32_t k = 0; k < width; k++) {
        h = (h ^ row[k]) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 29;
    }
    return (uint32_t)(h >> 32);
}

/* Makes them where a sample says that they are few: `*made`. SKED_OK, SKED_ERR
 * _NOMEM or why the host stopped it. */
sked_status skedi_loc_classes_make(skedi_loc *w, int *made);

/* Chooses for every block what its class came to; and lets go of them. */
void skedi_loc_classes_settle(skedi_loc *w);
void skedi_loc_classes_drop(skedi_loc *w);

/* As the blocks of a host are scanned, and one path is pushed, in flow.c. */
void skedi_loc_class_scan(skedi_loc *w, flow_search *s, uint32_t h);
void skedi_loc_class_push(skedi_loc *w, const flow_search *s, uint32_t source);

#endif
