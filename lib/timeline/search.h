#ifndef SKEDI_TIMELINE_SEARCH_H
#define SKEDI_TIMELINE_SEARCH_H

/* The earliest gap of a length, and what searches learn of gaps (steps.h). */

#include "timeline/steps.h"

/* The need of a search. */
typedef struct skedi_need {
    int64_t cap[SKED_MAX_KINDS]; /* the most that others may use */
    int64_t duration;            /* above 0; INT64_MAX: for ever */
} skedi_need;

/* The need of `amounts` out of `total` for a duration; 0 acts as 1. */
void skedi_need_set(skedi_need *need, uint32_t kinds, const int64_t *total,
                    const int64_t *amounts, int64_t duration);

/* The earliest moment from `now` on that meets the need; INT64_MAX: none. */
int64_t skedi_steps_earliest(skedi_steps *steps, int64_t now,
                             const skedi_need *need);

/* Forgets known gaps that the removal of a span from `from` until `until` can
 * make longer. To be called before the removal. */
void skedi_steps_forget(skedi_steps *steps, int64_t from, int64_t until);

/* Is a known gap too short, or above its reach? The fault, or NULL. */
const char *skedi_steps_gaps_fault(const skedi_steps *steps);

#endif
