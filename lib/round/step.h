#ifndef SKEDI_ROUND_STEP_H
#define SKEDI_ROUND_STEP_H

#include "round/state.h"

#define SKEDI_NO_WANTED UINT32_MAX

/* The state of one selection while it is walked. */
typedef struct skedi_round_update {
    sked_round *round;
    sked_round_input in;
    sked_time now;
    int claims; /* 1: rows are tasks whose place is taken, not victims wanted */
    size_t actions;
    skedi_round_tally tally;
} skedi_round_update;

/* One key: its marks, and what is wanted of it. */
typedef struct skedi_round_key {
    size_t from; /* its marks without a kill order are items from .. to - 1 */
    size_t to;
    size_t end; /* `to`, or to + 1: one item more has its kill orders */
    uint32_t row;
    uint32_t wanted; /* tasks that no mark has accounted for yet */
    uint32_t held;   /* how many of these must not be stopped yet */
    uint32_t stopped;
    uint32_t offered;
    sked_time deadline;   /* of the first mark that is stopped */
    sked_time offered_by; /* of the first mark that is offered */
} skedi_round_key;

/* Carries one key over to the next list. */
void skedi_round_step(skedi_round_update *u, skedi_round_key *key);

/* Takes a selection, or claims, over all marks in, once what was given is
 * known to be good; in round/update.c. */
sked_status skedi_round_apply(skedi_round_update *u, sked_error *err);

/* Adds the actions of a selection by row. */
void skedi_round_push_rows(skedi_round_update *u);

#endif
