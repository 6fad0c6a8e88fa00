#ifndef SKEDI_LIFE_UPDATE_TURN_H
#define SKEDI_LIFE_UPDATE_TURN_H

/* One step of an update: what is known in it, and how the rows are. */

#include "life/update.h"

/* What a step knows. */
typedef struct life_turn {
    sked_life_update *u;
    const sked_life_instance *is;
    sked_time now;
    sked_life_order *orders;
    size_t cap;
    size_t n;          /* orders so far */
    uint64_t up;       /* rows that are available */
    uint64_t down;     /* of those that stay: which are not */
    uint64_t progress; /* rows told */
    uint64_t beside;   /* of them, those with one beside */
    uint64_t coming;   /* which is not up yet */
    uint64_t waiting;
    uint64_t failed;
    uint64_t lost;  /* failed rows that are not available, */
    uint64_t stays; /* of them, those that stay */
    uint64_t away;  /* others that should be up and are not */
    uint32_t zone;  /* in turn */
    int blocked;    /* the SLA kept one from being told */
} life_turn;

/* Judges every row by its instance, and counts. */
void skedi_life_look(life_turn *t);

/* Is it available? What was told counts as down until it is done, whatever is
 * known of it. */
int skedi_life_is_up(const life_row *row, const sked_life_instance *i);

/* Is it neither added nor removed? */
static inline int skedi_life_stays(const life_row *row)
{
    return row->from && row->to;
}

#endif
