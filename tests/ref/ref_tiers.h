#ifndef REF_TIERS_H
#define REF_TIERS_H

#include <sched/tiers.h>

/* Thresholds for tiers by trying all there are, from the definition. `result`
 * has the columns of the library's. */
void ref_tiers_search(const sked_tiers_input *in, sked_tiers_result *result);

#endif
