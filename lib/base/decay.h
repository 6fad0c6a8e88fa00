#ifndef SKEDI_DECAY_H
#define SKEDI_DECAY_H

#include <sched/base.h>

/* 2^(-elapsed / half_life): a shift and a binary fraction of 32 places. */
typedef struct skedi_decay {
    uint64_t halvings;
    uint32_t fraction;
} skedi_decay;

/* `elapsed` is not negative, `half_life` at least 1. */
skedi_decay skedi_decay_over(int64_t elapsed, int64_t half_life);

/* The rest of `amount` after the decay, rounded down. */
uint64_t skedi_decay_of(skedi_decay decay, uint64_t amount);

#endif
