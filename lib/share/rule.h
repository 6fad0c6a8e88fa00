#ifndef SKEDI_SHARE_RULE_H
#define SKEDI_SHARE_RULE_H

/*
 * Bounds of one queue in one kind before any sharing: the table of
 * <sched/share.h> as one function.
 */

#include <sched/share.h>

#include "base/arith.h"

/* Bits of a row's state. */
enum {
    SKEDI_ROW_DRAINING = 1,
    SKEDI_ROW_IDLE = 2 /* a leaf of the instantaneous model, not active */
};

/* A model's choices in the rule. */
typedef struct skedi_share_model {
    int32_t model;      /* enum sked_share_model */
    uint8_t by_demand;  /* a leaf wants its demand and no more */
    uint8_t anticipate; /* `hard` is needed too */
    uint8_t all_weigh;  /* capacity: queues without guarantee get some too */
    uint8_t bands;
} skedi_share_model;

/* Sums over the children of a queue; of a leaf: 0, and `want`, `hard` as said
 * below. SKED_UNLIMITED where a sum has no bound. */
typedef struct skedi_share_sums {
    int64_t lo;
    int64_t want;   /* a leaf: its demand or SKED_UNLIMITED */
    int64_t hard;   /* a leaf: SKED_UNLIMITED */
    int64_t weight; /* as amounts weigh: capacity model only */
} skedi_share_sums;

/* The settings and amounts of a queue. */
typedef struct skedi_share_told {
    int64_t guarantee;
    int64_t limit;
    int64_t borrow;
    int64_t lend;
    int64_t usage;
    int64_t held;
    uint32_t weight;
    uint32_t state; /* SKEDI_ROW_* */
} skedi_share_told;

/* The resulting bounds: never below `lo`, never above `hi`. Up to `hard` if
 * demand leaves a rest. `weight` belongs to the capacity model. */
typedef struct skedi_share_row {
    int64_t lo;
    int64_t hi;
    int64_t hard;
    int64_t weight;
} skedi_share_row;

/* The part of the guarantee that stays free for the queue. */
static inline int64_t skedi_share_kept(const skedi_share_told *told,
                                       int64_t own)
{
    int64_t kept = skedi_i64_max(own - told->lend, 0);

    return told->state & SKEDI_ROW_DRAINING ? 0 : kept;
}

/* The most that a queue may hold, whatever its demand. */
static inline int64_t skedi_share_cap(const skedi_share_told *told)
{
    int64_t free = SKED_UNLIMITED - told->borrow;
    int64_t most = told->guarantee > free ? SKED_UNLIMITED
                                          : told->guarantee + told->borrow;

    return skedi_i64_min(told->limit, most);
}

/* Checks that a queue can get no more than its floor, whatever is left. */
static inline int skedi_share_is_pinned(const skedi_share_model *model,
                                        uint32_t weight, int64_t amount)
{
    int capacity = model->model == SKED_SHARE_MODEL_CAPACITY;

    return capacity ? amount == 0 && !model->all_weigh : weight == 0;
}

static inline skedi_share_row skedi_share_rule(const skedi_share_model *model,
                                               const skedi_share_told *told,
                                               const skedi_share_sums *sums)
{
    int capacity = model->model == SKED_SHARE_MODEL_CAPACITY;
    int draining = (told->state & SKEDI_ROW_DRAINING) != 0;
    int64_t want = told->state & SKEDI_ROW_IDLE ? 0 : sums->want;
    int64_t cap = skedi_share_cap(told);
    int64_t own = skedi_i64_min(told->guarantee, cap);
    skedi_share_row row;

    row.weight = skedi_i64_min(cap,
                               skedi_i64_max(told->guarantee, sums->weight));
    row.hi = skedi_i64_min(cap, want);
    row.hi = draining ? skedi_i64_min(row.hi, told->usage) : row.hi;
    row.lo = skedi_i64_min(own, row.hi);
    row.lo = capacity ? skedi_i64_min(row.lo, told->usage) : row.lo;
    row.lo = capacity ? skedi_i64_max(row.lo, told->held) : row.lo;
    row.lo = skedi_i64_min(row.hi, skedi_i64_max(row.lo, sums->lo));

    int64_t kept = skedi_share_kept(told, own);
    row.lo = skedi_i64_max(row.lo, kept);
    row.hi = skedi_i64_max(row.hi, kept);
    int pinned = skedi_share_is_pinned(model, told->weight, row.weight);
    row.hi = pinned ? row.lo : row.hi;
    row.hard = skedi_i64_max(row.hi, skedi_i64_min(cap, sums->hard));
    row.hard = draining || pinned ? row.hi : row.hard;
    return row;
}

#endif
