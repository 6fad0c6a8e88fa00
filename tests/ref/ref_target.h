#ifndef REF_TARGET_H
#define REF_TARGET_H

/*
 * Targets of preemption leaf by leaf, as the words of target.h say, for
 * amounts below 2^24. Shares come from ref_share.h, or from sked_share_once()
 * where amounts are too large for that. The twin of lib/target/.
 */

#include <sched/target.h>

/* Every field of `result` is written; options have no default left open. */
void ref_target(const sked_target_once_input *in, const sked_target_options *o,
                int quick, sked_target_result *result);

/* The defaults that the header names. */
sked_target_options ref_target_options(sked_target_options o);

#endif
