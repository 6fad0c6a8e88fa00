#ifndef SKEDI_SLO_INPUT_H
#define SKEDI_SLO_INPUT_H

#include <sched/slo.h>

#include "base/arith.h"
#include "base/hooks.h"

/* An input that was looked at and is sound, with defaults filled in. */
typedef struct skedi_slo_call {
    sked_slo_input in;
    skedi_hooks hooks;
    int everything; /* no window was said */
} skedi_slo_call;

/* Takes the input and the host. SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE,
 * SKED_ERR_VERSION, SKED_ERR_CANCELLED or the host's own. */
sked_status skedi_slo_take(skedi_slo_call *call, const sked_slo_input *in,
                           const sked_host *host, sked_error *err);

/* Counts runs (X) and those that meet their SLO (Y) by workflow, from 0. */
void skedi_slo_tally(const skedi_slo_call *call, uint32_t *runs, uint32_t *met);

/* enum sked_slo_outcome of a workflow with X runs of which Y met. */
uint8_t skedi_slo_outcome(const skedi_slo_call *call, uint32_t runs,
                          uint32_t met);

/* The Y that X runs need. */
uint32_t skedi_slo_wanted(const skedi_slo_call *call, uint32_t runs);

static inline int skedi_slo_in_window(const skedi_slo_call *call, uint32_t run)
{
    sked_time end = call->in.end[run];

    return call->everything || (end >= call->in.from && end < call->in.to);
}

static inline uint64_t skedi_slo_length(const sked_slo_input *in, uint32_t run)
{
    return (uint64_t)in->end[run] - (uint64_t)in->start[run];
}

static inline int skedi_slo_meets(const sked_slo_input *in, uint32_t run)
{
    return skedi_slo_length(in, run) <= (uint64_t)in->slo_ns[in->workflow[run]];
}

static inline uint32_t skedi_slo_tier_of(const sked_slo_input *in,
                                         uint32_t workflow)
{
    return in->tier ? in->tier[workflow] : 1;
}

#endif
