#ifndef SKEDI_ENGINE_CORE_TOTALS_H
#define SKEDI_ENGINE_CORE_TOTALS_H

/*
 * What a job holds and wants stays an amount in every kind. A task that runs
 * counts with the larger of what it holds and what its ask says: so it may end,
 * be open again and start with what the ask says, however small it was.
 */

#include "engine/state.h"

/* Tasks that come to a job, or that change. */
typedef struct engine_more {
    const int64_t *asked; /* what their ask says of one */
    int64_t tasks;        /* so many, which are open or may be open again */
    int64_t taken;        /* so many were open and are open no more */
    const int64_t *held;  /* what they hold `times` times; NULL: nothing */
    int64_t times;
    uint32_t job;
    uint32_t group; /* whose tasks they are, or SKEDI_NONE: of none yet */
} engine_more;

/* Would all that the job holds and wants stay amounts with them? If not, `err`
 * says so. Groups are counted only where the sum is near the largest amount. */
int skedi_more_is_amount(const sked_engine *e, const engine_more *more,
                         sked_error *err);

#endif
