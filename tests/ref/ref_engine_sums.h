#ifndef REF_ENGINE_SUMS_H
#define REF_ENGINE_SUMS_H

/* Sums of the slow twin that must stay amounts. */
#include "ref_engine.h"

/* Tasks that come to a job, or that change (`but`: their group, or SIZE_MAX). */
typedef struct ref_more {
    const int64_t *asked; /* of one of them, by its ask */
    int64_t tasks;
    int64_t taken;       /* so many of them were open */
    const int64_t *held; /* so many times; NULL: nothing */
    int64_t times;
    size_t job;
    size_t but;
} ref_more;

/* Would what the job holds and wants stay amounts with them? A group counts with
 * the larger of what it holds and what it would want again. */
int ref_engine_sum_is_amount(const ref_engine *r, const ref_more *more);

#endif
