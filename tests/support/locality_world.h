#ifndef TEST_LOCALITY_WORLD_H
#define TEST_LOCALITY_WORLD_H

/* Worlds of blocks and hosts for the locality laws, drawn at random. */
#include "test.h"

#include <sched/sked.h>

#include "base/random.h"
#include "blocks.h"
#include "host.h"
#include "ref_locality.h"
#include "size.h"

enum { B = 24, H = 8, R = 4, POINTS = 4096 };

static skedi_random rng;

static inline uint32_t below(uint64_t n)
{
    return (uint32_t)skedi_random_below(&rng, n);
}

typedef struct world {
    sked_locality_input in;
    uint32_t replica[B * R];
    int64_t ticks[H];
    int64_t committed[H];
    uint32_t cores[H];
    uint32_t limit[H];
} world;

static inline sked_locality *solve(const world *w, test_host *host)
{
    sked_host hooks = test_host_hooks(host);
    sked_locality *l = NULL;

    assert_ok(sked_locality_new(&w->in, NULL, &hooks, &l, NULL));
    assert_ok(sked_locality_verify(&w->in, sked_locality_choice(l),
                                   sked_locality_levels(l), NULL, NULL));
    return l;
}

#endif
