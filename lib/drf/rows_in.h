#ifndef SKEDI_DRF_ROWS_IN_H
#define SKEDI_DRF_ROWS_IN_H

/* Taking in the columns of the calls without a handle. */

#include <sched/drf_arrays.h>

#include "base/hooks.h"

/* The columns that a call reads beside the capacity; all read columns are
 * checked. */
enum {
    SKEDI_READS_USAGE = 1,
    SKEDI_READS_DEMAND = 2, /* required */
    SKEDI_READS_TASKS = 4   /* most and least */
};

/*
 * Copies and checks `given`. SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE or
 * SKED_ERR_VERSION.
 */
sked_status skedi_drf_rows_in(sked_drf_input *rows, const sked_drf_input *given,
                              unsigned reads, sked_error *err);

/* A call asks the host whether to continue every SKEDI_DRF_PAUSE rows or
 * decisions. */
enum { SKEDI_DRF_PAUSE = 4096 };

static inline sked_status skedi_drf_pause(const skedi_hooks *hooks, uint64_t at,
                                          uint64_t n)
{
    return at % SKEDI_DRF_PAUSE ? SKED_OK : skedi_hooks_check(hooks, at, n);
}

static inline uint32_t skedi_drf_weight(const sked_drf_input *rows, uint32_t i)
{
    return rows->weight ? rows->weight[i] : 1;
}

#endif
