#ifndef REF_SLO_H
#define REF_SLO_H

#include <sched/slo.h>

/* SLO success and repairs, straight from the definitions of <sched/slo.h>. */

/* X and Y of one workflow, by going through all runs. */
void ref_slo_runs(const sked_slo_input *in, uint32_t workflow, uint32_t *runs,
                  uint32_t *met);

int ref_slo_outcome(const sked_slo_input *in, uint32_t workflow);

/* Instances that a run needs to end in time; the caller knows that they fit. */
int64_t ref_slo_needs(const sked_slo_input *in, uint32_t run);

/* The least number of instances more that makes a workflow successful, by
 * trying one number after the other. */
int64_t ref_slo_extra(const sked_slo_input *in, uint32_t workflow);

#endif
