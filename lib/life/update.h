#ifndef SKEDI_LIFE_UPDATE_H
#define SKEDI_LIFE_UPDATE_H

/* The data of an update: rows, counters, options. */

#include <sched/life_update.h>

#include "base/hooks.h"
#include "life/sla.h"

typedef struct life_row {
    uint64_t from;
    uint64_t to;
    sked_time since; /* of the last order */
    uint32_t zone;
    uint8_t phase;  /* enum sked_life_phase */
    uint8_t kind;   /* enum sked_life_order_kind: told last; 0: nothing yet */
    uint8_t owed;   /* the task beside the row still has to be dropped */
    uint8_t unsure; /* told, turned back, not told again: may go down yet */
} life_row;

struct sked_life_update {
    skedi_hooks hooks;
    sked_life_update_options o; /* `o.sla` points to `sla` */
    sked_life_sla sla;
    life_row *rows;
    uint64_t n;
    sked_life_at at;
    uint32_t why;
    uint32_t backward; /* 1: rolls back, or did */
    uint32_t watched;  /* 1: the canaries are done with */
    sked_time calm;    /* start of the canaries' up time; INT64_MAX: down */
    uint64_t told;     /* rows that were told, ever */
};

/* The target version of a row. */
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

#endif
