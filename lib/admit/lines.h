#ifndef SKEDI_ADMIT_LINES_H
#define SKEDI_ADMIT_LINES_H

#include <sched/admit.h>

#include "base/hooks.h"
#include "base/sort.h"

enum { SKEDI_ADMIT_LINES = 4 };

/* A leaf while its lines are walked. */
typedef struct skedi_admit {
    sked_admit_input in;
    skedi_hooks hooks;
    int64_t held[SKED_ADMIT_HELD_SUMS * SKED_MAX_KINDS]; /* sum by sum */
    skedi_keyed *items;                                  /* by line and level */
    skedi_keyed *scratch;
    uint32_t *moved; /* rows that moved to the end of a level, in the order of
                        moving; some twice */
    uint32_t *last;  /* by row: 1 + its last place in `moved`, or 0 */
    uint32_t *order; /* rows admitted, in that order */
    uint8_t *outcome;
    uint8_t *line;
    uint32_t n_moved;
    uint32_t admitted;
    uint32_t looked;
} skedi_admit;

static inline uint32_t skedi_gang_kind(const skedi_admit *w, uint32_t row)
{
    return w->in.kind ? w->in.kind[row] : 0;
}

/* Copies the caller's input, and checks all of it. */
sked_status skedi_admit_said(skedi_admit *w, const sked_admit_input *queue,
                             sked_error *err);

#endif
