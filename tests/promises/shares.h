#ifndef PROMISES_SHARES_H
#define PROMISES_SHARES_H

/*
 * What queues of one partition may have, by the rules of docs/design/shares.md. Amounts are doubles until they are rounded, so a share may be one
 * unit off; whoever compares with a share allows for the unit. If the
 * definition leaves something open, shares are made in each way. A row whose
 * share or claim differs by more than a unit is *loose*.
 */
#include "world.h"

typedef struct shares_row {
    int64_t said[WORLD_KINDS];  /* the guarantee as it was set */
    int64_t limit[WORLD_KINDS]; /* the limit as it was set */
    int64_t cap[WORLD_KINDS];   /* the most that the queue may hold by itself */
    int64_t force[WORLD_KINDS]; /* G */
    int64_t lifted[WORLD_KINDS]; /* G before guarantees are cut */
    int64_t kept[WORLD_KINDS];
    int64_t hi[WORLD_KINDS];
    int64_t top[WORLD_KINDS];
    int64_t bottom[WORLD_KINDS];
    int64_t part[WORLD_KINDS];  /* E */
    int64_t share[WORLD_KINDS]; /* S */
    int64_t claim[WORLD_KINDS]; /* the guaranteed part of S */
    uint32_t named;             /* kinds in which something is, a bit each */
    int loose; /* 1: another way to read the definition gives another result */
    int64_t
        wanted[WORLD_KINDS]; /* of a parent: the sum of its children's top */
} shares_row;

typedef struct shares {
    const world *w;
    const world_queue *queue; /* as they are now */
    int64_t capacity[WORLD_KINDS];
    int loose; /* 1: a row is loose */
    shares_row row[WORLD_ROWS];
} shares;

/* Tasks of an ask that run in the partition or are open to it. */
typedef struct shares_demand {
    int64_t tasks[WORLD_ASKS];
} shares_demand;

/* Bounds and guarantees: they follow from tree and capacity. */
void shares_resolve(shares *s, const world *w, const world_queue *queue,
                    const int64_t *capacity);

/* The most that a queue may hold by starting more. The root by itself is bound by
 * its nodes alone, some of which may run more than they have, but in kinds on no
 * node and where something is kept for a queue. */
int64_t shares_bound(const shares *s, int32_t row, uint32_t k);

/* Demand, E, S and claims. */
void shares_renew(shares *s, const shares_demand *demand);

/* A queue that drains, or one above it. */
int shares_drains(const world *w, const world_queue *queue, int32_t row);

#endif
