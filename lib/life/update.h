#ifndef SKEDI_LIFE_UPDATE_H
#define SKEDI_LIFE_UPDATE_H

/* An update inside: its rows, and what a step goes by. */

#include <sched/life_update.h>

#include "base/hooks.h"
#include "life/sla.h"

typedef struct life_row {
    uint64_t from;
    uint64_t to;
    sked_time since; /* it was told last */
    uint32_t zone;
    uint8_t phase;  /* enum sked_life_phase */
    uint8_t kind;   /* enum sked_life_order_kind: told last; 0: nothing yet */
    uint8_t owed;   /* the one beside it is to be dropped, and was not yet */
    uint8_t unsure; /* told, turned back, not told again: may go down yet */
} life_row;

struct sked_life_update {
    skedi_hooks hooks;
    sked_life_update_options o; /* its sla points to the next */
    sked_life_sla sla;
    life_row *rows;
    uint64_t n;
    sked_life_at at;
    uint32_t why;
    uint32_t backward; /* 1: rolls back, or did */
    uint32_t watched;  /* 1: the canaries are done with */
    sked_time calm;    /* since when they are up; INT64_MAX: they are not */
    uint64_t told;     /* rows that were told, ever */
};

/* The version that a row is to have. */
static inline uint64_t skedi_life_target(const sked_life_update *u,
                                         const life_row *row)
{
    return u->backward ? row->from : row->to;
}

static inline int skedi_life_is_progress(uint32_t phase)
{
    return phase >= SKED_LIFE_PHASE_TOLD && phase <= SKED_LIFE_PHASE_DROPPING;
}

static inline int skedi_life_is_over(const sked_life_update *u)
{
    return u->at.state >= SKED_LIFE_UPDATE_STATE_SUCCEEDED;
}

/* Options and input in order: SKED_OK, _ARG, _RANGE or _VERSION. */
sked_status skedi_life_update_in(sked_life_update *u,
                                 const sked_life_update_options *options,
                                 sked_error *err);

/* An update of `n` rows without any of them. */
sked_status skedi_life_update_make(const sked_host *host, uint64_t n,
                                   sked_life_update **update, sked_error *err);

/* What its table says of an event that the update itself brings about. */
void skedi_life_update_move(sked_life_update *u, uint32_t event, uint32_t why);

/* What was started beside others and has not taken over is to go. */
void skedi_life_owe_drops(sked_life_update *u);

#endif
