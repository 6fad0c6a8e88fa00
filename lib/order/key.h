#ifndef SKEDI_ORDER_KEY_H
#define SKEDI_ORDER_KEY_H

/*
 * "A policy is a key": a function from the data of a child to the number that
 * orders the child. A pass, a heap and the engine compare only the numbers.
 */

#include <sched/order.h>

#include "drf/key.h"

/* The mask of all flags. */
#define SKEDI_ORDER_FLAGS                                                      \
    ((uint32_t)(SKED_ORDER_FLAG_WITHIN_FIRST | SKED_ORDER_FLAG_GUARANTEE_FIRST))

/* The common data of all children of one family. */
typedef struct skedi_order_rule {
    int32_t order;  /* enum sked_order_policy, except `random` with its drawn
                       keys */
    uint32_t flags; /* SKED_ORDER_FLAG_* */
    uint32_t kind;  /* for `fair` */
    uint32_t kinds;
    const skedi_drf_scale *scale; /* for `drf`: the prepared capacity */
    const int64_t *parent;        /* the parent's guarantee */
    uint64_t weights;             /* sum over all children */
} skedi_order_rule;

/* Checks that the order compares usage with guarantees. */
static inline int skedi_order_by_parts(int32_t order)
{
    return order == SKED_ORDER_POLICY_UTILISATION ||
           order == SKED_ORDER_POLICY_PRIORITY;
}

/* One child. The order reads only the fields that the policy needs. */
typedef struct skedi_order_child {
    const int64_t *usage;     /* NULL: none */
    const int64_t *guarantee; /* NULL: none */
    const int64_t *share;     /* NULL: none given */
    uint32_t weight;
    int32_t priority;
    int64_t key; /* the host's */
} skedi_order_child;

/* The key of a child, including SKED_ORDER_FLAG_GUARANTEE_FIRST if set. */
sked_order_key skedi_order_key(const skedi_order_rule *rule,
                               const skedi_order_child *child);

/* `high` of a child before the draw of `random`. */
static inline uint64_t skedi_order_undrawn(uint32_t flags)
{
    return flags & SKED_ORDER_FLAG_GUARANTEE_FIRST ? (uint64_t)1 << 63 : 0;
}

/* The key of sked_drf; `usage` NULL is none. */
static inline uint64_t skedi_order_share(const skedi_drf_scale *scale,
                                         const int64_t *usage, uint32_t kinds,
                                         uint32_t weight)
{
    return skedi_drf_key(scale, usage, usage ? kinds : 0, weight,
                         skedi_drf_inverse(weight));
}

/* A priority as 32 bits of key: the higher, the less. */
static inline uint32_t skedi_order_urgency(int32_t priority)
{
    return (uint32_t)INT32_MAX - (uint32_t)priority;
}

/* Negative: `a` goes before `b`. */
static inline int skedi_order_compare(sked_order_key a, sked_order_key b)
{
    if (a.high != b.high) return a.high < b.high ? -1 : 1;
    return (a.low > b.low) - (a.low < b.low);
}

#endif
