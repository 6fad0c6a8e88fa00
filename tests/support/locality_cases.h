#ifndef TEST_LOCALITY_CASES_H
#define TEST_LOCALITY_CASES_H

/* Blocks and hosts, by hand and drawn. */
#include "test.h"

#include <sched/sked.h>

#include <stdlib.h>
#include <string.h>

#include "blocks.h"
#include "host.h"
#include "locality/live.h"

/* Three blocks on the first host alone, one on both, one that is lost. */
static const uint32_t none = SKED_LOCALITY_NO_HOST;
static const uint32_t few_replicas[] = {0,    none, 0, none, 0,
                                        none, 0,    1, none, none};
static const uint32_t few_racks[] = {0, 0, 1};

static inline sked_locality_input few(void)
{
    return (sked_locality_input){.struct_size = sizeof(sked_locality_input),
                                 .blocks = 5,
                                 .hosts = 3,
                                 .replicas = 2,
                                 .replica = few_replicas};
}

static inline sked_locality *solve(const sked_locality_input *in)
{
    sked_locality *l = NULL;

    assert_ok(sked_locality_new(in, NULL, NULL, &l, NULL));
    return l;
}

#endif
