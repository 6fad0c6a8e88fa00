#ifndef TEST_POLICIES_H
#define TEST_POLICIES_H

/* Policies of preemption, drawn at random. */
#include <sched/target.h>

#include "words.h"

/* One of the dialects, with easing, a budget and a dead zone or without. */
static inline sked_target_options policy_draw(test_words *words)
{
    sked_target_options policy = {.struct_size = sizeof policy};

    policy.mode = (int32_t)test_below(words, 3);
    policy.ignored_ppm = test_below(words, 2) ? -1 : 100000;
    policy.factor_ppm = test_below(words, 2) ? 1000000 : 300000;
    policy.per_round_ppm = test_below(words, 3) ? -1 : 300000;
    if (policy.mode == SKED_TARGET_MODE_STARVATION) policy.utilisation_ppm = -1;
    if (policy.mode == SKED_TARGET_MODE_ENTITLEMENT) policy.cycles = 2;
    return policy;
}

#endif
