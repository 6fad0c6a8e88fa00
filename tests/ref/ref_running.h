#ifndef REF_RUNNING_H
#define REF_RUNNING_H

#include <sched/plan.h>

/* How many applications a queue should run at once, by looking at every
 * nanosecond of a small window, whose bounds are given. */
int64_t ref_running(const sked_plan_running_input *in, uint32_t queue);

#endif
