#ifndef SKEDI_DRF_BATCH_H
#define SKEDI_DRF_BATCH_H

/*
 * A division of a pool in the making: clients that can still get a task are
 * `live`, the others are out for good, since the pool only shrinks.
 */

#include "base/hooks.h"
#include "drf/key.h"
#include "drf/rows_in.h"
#include "base/winner.h"

typedef struct skedi_drf_batch {
    skedi_hooks hooks;
    sked_drf_input rows;
    skedi_drf_scale scale[SKED_MAX_KINDS];
    int64_t pool[SKED_MAX_KINDS];
    uint64_t decisions; /* made so far */
    uint64_t work;      /* done so far: a client looked at is one */

    int64_t *usage;    /* n rows */
    int64_t *given;    /* n: tasks so far */
    uint64_t *inverse; /* n: of the weights */
    int64_t *count;    /* n: tasks of a level, by live client */
    uint32_t *live;    /* indices, rising */
    uint32_t n_live;
    skedi_winners order; /* of the live clients, by their place in `live` */
    uint32_t blocks;     /* there is memory for */
    double *guess;       /* 3 * n * kinds: see drf/jump.c */
} skedi_drf_batch;

static inline int64_t *skedi_batch_usage(const skedi_drf_batch *b, uint32_t i)
{
    return b->usage + (size_t)i * b->rows.kinds;
}

static inline const int64_t *skedi_batch_demand(const skedi_drf_batch *b,
                                                uint32_t i)
{
    return b->rows.demand + (size_t)i * b->rows.kinds;
}

/* Tasks that client i still asks for. */
static inline int64_t skedi_batch_left(const skedi_drf_batch *b, uint32_t i)
{
    int64_t most = b->rows.most ? b->rows.most[i] : SKED_UNLIMITED;

    return most == SKED_UNLIMITED ? most : most - b->given[i];
}

/* So many tasks for client i, which fit. */
static inline void skedi_batch_give(skedi_drf_batch *b, uint32_t i,
                                    int64_t tasks)
{
    const int64_t *demand = skedi_batch_demand(b, i);
    int64_t *usage = skedi_batch_usage(b, i);

    for (uint32_t k = 0; k < b->rows.kinds; k++) {
        b->pool[k] -= tasks * demand[k];
        usage[k] += tasks * demand[k];
    }
    b->given[i] += tasks;
    b->decisions += (uint64_t)tasks;
}

/* The key of client i, as the tree goes by it. */
static inline uint64_t skedi_batch_key(const skedi_drf_batch *b, uint32_t i)
{
    uint64_t key = skedi_drf_key(b->scale, skedi_batch_usage(b, i),
                                 b->rows.kinds, skedi_drf_weight(&b->rows, i),
                                 b->inverse[i]);

    return key - (key == SKED_DRF_INFINITE);
}

/*
 * How many tasks more client i asks for while its key is below `level`, which
 * is at most SKEDI_DRF_TOP.
 */
int64_t skedi_batch_below(const skedi_drf_batch *b, uint32_t i, uint64_t level);

/* So much work comes next: may it? Asked first of all, and now and then. */
static inline sked_status skedi_batch_pause(skedi_drf_batch *b, uint64_t work)
{
    uint64_t was = b->work;

    b->work += work;
    if (was && was / SKEDI_DRF_PAUSE == b->work / SKEDI_DRF_PAUSE) {
        return SKED_OK;
    }
    return skedi_hooks_check(&b->hooks, was, 0);
}

/*
 * Gives all live clients what the loop would give them below some level of
 * the key: as a rule one close to the highest at which all fits. Returns how
 * many decisions that makes: perhaps none.
 */
uint64_t skedi_batch_jump_guessed(skedi_drf_batch *b);

/*
 * The same for the very highest level at which all fits. SKED_OK, or the code
 * of the host that stopped it.
 */
sked_status skedi_batch_jump_searched(skedi_drf_batch *b, uint64_t *gave);

#endif
