#ifndef TEST_LIFE_CASES_H
#define TEST_LIFE_CASES_H

/* What tests of lives share. */
#include "test.h"

#include <sched/sked.h>

#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "host.h"

static inline sked_life_instance running(void)
{
    return (sked_life_instance){.version = 3,
                                .desired = 3,
                                .run = 2,
                                .desired_run = 2,
                                .state = SKED_LIFE_TASK_RUNNING,
                                .goal = SKED_LIFE_TASK_RUNNING,
                                .health = SKED_LIFE_HEALTH_HEALTHY};
}

static inline sked_life_restart_result ended(uint32_t goal, uint32_t state,
                                             uint32_t failures, uint32_t end,
                                             sked_life_restart_options o)
{
    sked_life_instance i = running();
    sked_life_restart_result r;

    i.goal = goal;
    i.state = state;
    i.failures = failures;
    o.struct_size = sizeof o;
    assert_ok(sked_life_restart(&i, end, &o, &r, NULL));
    return r;
}

#endif
