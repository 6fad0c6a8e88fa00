#ifndef REF_PCTL_H
#define REF_PCTL_H

/*
 * Percentile allocation from the definition in sched/pctl.h: units in use are
 * sorted by amount and added up. The twin of lib/pctl/.
 */

#include <sched/pctl.h>

/* Lengths and amounts must be in range; `total` and `point` (one a threshold)
 * are filled, usage and waste as well. */
void ref_pctl(const int64_t *length, const int64_t *amount, size_t n,
              const sked_ratio *threshold, size_t thresholds,
              sked_pctl_point *point, sked_pctl_queue *total);

#endif
