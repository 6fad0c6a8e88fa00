#ifndef PROMISES_SHARES_H
#define PROMISES_SHARES_H

/*
 * What queues of one partition may have, worked out anew and plainly, by the
 * rules of docs/engine.md, *Shares*. Levels are doubles here: an amount may be
 * one unit off, which whoever compares with it allows for. A unit more of one
 * kind may be many of another below: so all is made several times, with what is
 * nearly whole rounded up for some queues and down for others, and where that
 * makes a difference of more than a unit, shares are said to be loose.
 */
#include "world.h"

typedef struct shares_row {
    int64_t said[WORLD_KINDS];  /* the guarantee as it was set */
    int64_t limit[WORLD_KINDS]; /* the limit as it was set */
    int64_t cap[WORLD_KINDS];   /* the most it may hold by itself */
    int64_t force[WORLD_KINDS]; /* G */
    int64_t kept[WORLD_KINDS];
    int64_t hi[WORLD_KINDS];
    int64_t top[WORLD_KINDS];
    int64_t bottom[WORLD_KINDS];
    int64_t part[WORLD_KINDS];  /* E */
    int64_t share[WORLD_KINDS]; /* S */
    int64_t claim[WORLD_KINDS]; /* what of S is guaranteed */
    uint32_t named;             /* kinds in which something is, a bit each */
    int loose; /* 1: in another way its share or claim would come out otherwise */
    int64_t
        wanted[WORLD_KINDS]; /* of a parent: the sum of its children's top */
} shares_row;

typedef struct shares {
    const world *w;
    const world_queue *queue; /* as they are now */
    int64_t capacity[WORLD_KINDS];
    uint32_t way; /* in which amounts are rounded that are nearly whole */
    int loose;    /* 1: that of some row is */
    shares_row row[WORLD_ROWS];
} shares;

/* Tasks of an ask that run in the partition or are open to it. */
typedef struct shares_demand {
    int64_t tasks[WORLD_ASKS];
} shares_demand;

/* What follows from tree and capacity. */
void shares_resolve(shares *s, const world *w, const world_queue *queue,
                    const int64_t *capacity);

/* The most that a queue may hold by starting more. The root by itself is bound by
 * its nodes alone, some of which may run more than they have, but in kinds on no
 * node and where something is kept for a queue. */
int64_t shares_bound(const shares *s, int32_t row, uint32_t k);

/* What follows from demand as well. */
void shares_renew(shares *s, const shares_demand *demand);

/* A queue that drains, or one above it. */
int shares_drains(const world *w, const world_queue *queue, int32_t row);

#endif
