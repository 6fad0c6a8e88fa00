/*
 * [LNK-1] Keys of orders: fractions as whole numbers, rounded down if a
 * fraction does not end. Two facts suffice. Cross-multiplication finds the
 * largest of several fractions. floor(n / (a * b)) is floor(floor(n / a) / b);
 * no divisor ever takes more than 64 bits.
 */
#include "order/key.h"

#include "base/arith.h"
#include "base/sort.h"

/* A fraction of amounts; `den` 0: infinite. */
typedef struct key_part {
    uint64_t num;
    uint64_t den;
} key_part;

static const sked_order_key key_infinite = {UINT64_MAX, UINT64_MAX};

/* The greater of two fractions. A fraction with the numerator 0 is 0, even over
 * 0. */
static key_part greater_part(key_part a, int64_t num, int64_t den)
{
    key_part b = {(uint64_t)num, (uint64_t)den};

    if (b.num == 0 || (a.num > 0 && a.den == 0)) return a;
    if (a.num == 0 || b.den == 0) return b;
    return skedi_cmp_mul(b.num, a.den, a.num, b.den) > 0 ? b : a;
}

/* floor(2^62 * part), for a finite part. */
static skedi_u128 part_scaled(key_part part)
{
    uint64_t rem;

    return skedi_u128_div(skedi_u128_shl(skedi_u128_of(part.num), 62), part.den,
                          &rem);
}

/* Usage over weight. Two different fractions with weights below 2^32 differ by
 * more than 2^-64. The keys therefore tie only if the fractions are equal. */
static sked_order_key fair_key(int64_t usage, uint32_t weight)
{
    uint64_t rem;

    if (weight == 0) return key_infinite;
    sked_order_key key = {.high = (uint64_t)usage / weight};
    rem = (uint64_t)usage % weight;
    key.low = skedi_u128_low(
        skedi_u128_div(skedi_u128_make(rem, 0), weight, &rem));
    return key;
}

/* The guarantee of a child in kind `k`, or its part by weight. */
static int64_t guaranteed(const skedi_order_rule *rule,
                          const skedi_order_child *child, uint32_t k)
{
    uint64_t rem;
    int64_t own = child->guarantee ? child->guarantee[k] : 0;

    if (own > 0 || child->weight == 0) return own;
    return (int64_t)skedi_muldiv((uint64_t)rule->parent[k], child->weight,
                                 rule->weights, &rem);
}

/* The part in 95 bits. Order `priority` puts its own bits above. */
static sked_order_key part_key(key_part part)
{
    const sked_order_key infinite = {(uint64_t)INT32_MAX, UINT64_MAX};

    if (part.den == 0) return infinite;
    skedi_u128 x = part_scaled(part);
    sked_order_key key = {skedi_u128_high(x), skedi_u128_low(x)};
    if (skedi_order_compare(key, infinite) >= 0) {
        key = (sked_order_key){infinite.high, UINT64_MAX - 1};
    }
    return key;
}

/* Tells whether usage is measured against the share, not the guarantee. */
static int measured_by_share(const skedi_order_rule *rule,
                             const skedi_order_child *child)
{
    if (rule->order == SKED_ORDER_POLICY_SHARE || !child->share) {
        return rule->order == SKED_ORDER_POLICY_SHARE;
    }
    for (uint32_t k = 0; child->guarantee && k < rule->kinds; k++) {
        if (child->guarantee[k] > 0) return 0;
    }
    return 1;
}

static key_part utilisation(const skedi_order_rule *rule,
                            const skedi_order_child *child)
{
    key_part most = {0, 1};
    int by_share = measured_by_share(rule, child);

    for (uint32_t k = 0; child->usage && k < rule->kinds; k++) {
        if (child->usage[k] == 0) continue;
        most = greater_part(most, child->usage[k],
                            by_share ? child->share[k]
                                     : guaranteed(rule, child, k));
    }
    return most;
}

static sked_order_key priority_key(const skedi_order_rule *rule,
                                   const skedi_order_child *child)
{
    key_part used = utilisation(rule, child);
    sked_order_key key = part_key(used);

    key.high |= (uint64_t)skedi_order_urgency(child->priority) << 31;
    if (rule->flags & SKED_ORDER_FLAG_WITHIN_FIRST && used.num >= used.den) {
        key.high |= (uint64_t)1 << 63;
    }
    return key;
}

static sked_order_key share_key(const skedi_order_rule *rule,
                                const skedi_order_child *child)
{
    return (sked_order_key){.high = skedi_order_share(rule->scale, child->usage,
                                                      rule->kinds,
                                                      child->weight)};
}

/* The key by the order alone. */
static sked_order_key key_plain(const skedi_order_rule *rule,
                                const skedi_order_child *child)
{
    switch (rule->order) {
    case SKED_ORDER_POLICY_DRF: return share_key(rule, child);
    case SKED_ORDER_POLICY_FAIR:
        return fair_key(child->usage ? child->usage[rule->kind] : 0,
                        child->weight);
    case SKED_ORDER_POLICY_UTILISATION:
    case SKED_ORDER_POLICY_SHARE: return part_key(utilisation(rule, child));
    case SKED_ORDER_POLICY_PRIORITY: return priority_key(rule, child);
    case SKED_ORDER_POLICY_HOST:
        return (sked_order_key){.high = skedi_key_signed(child->key)};
    }
    return (sked_order_key){0};
}

/* The value of a child at or above its guarantee in every kind. A child below
 * its guarantee has a smaller value. */
static const uint64_t key_served = (uint64_t)1 << 62;

/* The least used part of a child's guarantee, over the kinds in which the child
 * is below its guarantee and not above its share: floor(2^62 x). */
static uint64_t served(const skedi_order_rule *rule,
                       const skedi_order_child *child)
{
    uint64_t least = key_served;

    for (uint32_t k = 0; child->guarantee && k < rule->kinds; k++) {
        int64_t used = child->usage ? child->usage[k] : 0;
        if (used >= child->guarantee[k]) continue;
        if (child->share && used > child->share[k]) continue;
        key_part part = {(uint64_t)used, (uint64_t)child->guarantee[k]};
        uint64_t x = skedi_u128_low(part_scaled(part));
        if (x < least) least = x;
    }
    return least;
}

/* For order `priority`: sets the highest of the 95 bits below the priority.
 * Infinity has the bit already. All other values with the bit become one value.
 */
static sked_order_key behind_equals(sked_order_key key)
{
    const uint64_t bit = (uint64_t)1 << 30;

    if (key.high & bit && (~key.high & INT32_MAX || ~key.low)) {
        return (sked_order_key){key.high | INT32_MAX, UINT64_MAX - 1};
    }
    key.high |= bit;
    return key;
}

sked_order_key skedi_order_key(const skedi_order_rule *rule,
                               const skedi_order_child *child)
{
    const uint64_t top = (uint64_t)1 << 63;
    sked_order_key plain = key_plain(rule, child);
    uint64_t x;

    if (!(rule->flags & SKED_ORDER_FLAG_GUARANTEE_FIRST)) return plain;
    x = served(rule, child);
    if (rule->order == SKED_ORDER_POLICY_PRIORITY) {
        if (x == key_served) return behind_equals(plain);
        return (sked_order_key){plain.high & ~(uint64_t)INT32_MAX, x};
    }
    if (x < key_served) return (sked_order_key){0, x};
    switch (rule->order) {
    case SKED_ORDER_POLICY_DRF:
    case SKED_ORDER_POLICY_HOST:
        plain.low = plain.high << 63 | plain.low >> 1;
        plain.high >>= 1;
    }
    plain.high |= top;
    return plain;
}
