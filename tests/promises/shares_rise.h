#ifndef PROMISES_SHARES_RISE_H
#define PROMISES_SHARES_RISE_H

/*
 * One progressive filling of a whole tree (docs/design/shares.md, steps 1 to
 * 6), in doubles. Guarantees, limits, what is kept, E and contended kinds are
 * given; amounts held come out.
 */
#include "shares.h"

/* Points that the definition leaves open. `met` lists the points that a filling
 * met; `twist` settles a point in the second way. */
enum {
    RISE_STILL = 1, /* children whose keys stand still rise at unlike speeds */
    RISE_KEPT = 2,  /* keys count amounts that are kept */
    RISE_STEPS =
        4,        /* gangs and single tasks of equal amounts are one profile */
    RISE_OPEN = 8 /* the filling did not end */
};

typedef struct rise {
    const shares *s;
    uint32_t twist, met;
    uint32_t hot[WORLD_ROWS]; /* contended kinds of a parent's family */
    double use[WORLD_ROWS][WORLD_KINDS];
    double held[WORLD_ROWS][WORLD_KINDS]; /* kept amounts count */
    uint32_t blocked[WORLD_ROWS];         /* kinds that have run out */
    /* Task profiles. */
    uint32_t n;
    uint32_t leaf[WORLD_ASKS];
    double task[WORLD_ASKS][WORLD_KINDS], wanted[WORLD_ASKS], done[WORLD_ASKS];
    /* Rates of each queue by itself, and of each profile. */
    uint8_t rises[WORLD_ROWS];
    double rate[WORLD_ASKS];
    double d_use[WORLD_ROWS][WORLD_KINDS], d_held[WORLD_ROWS][WORLD_KINDS];
    double
        part[WORLD_ROWS]; /* a child's speed beside its parent's; 0: at rest */
    double
        ahead[WORLD_ROWS]; /* the rise after which a child or profile joins */
} rise;

/* Fills from nothing. `s` has guarantees, kept amounts, caps and E. */
void rise_fill(rise *r, const shares *s, const shares_demand *d,
               const uint32_t *hot, uint32_t twist);

/* Is an amount at least the mark, within the rounding of doubles? */
int rise_reaches(double amount, double mark);

#endif
