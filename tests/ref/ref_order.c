#include "ref_order.h"

#include <stdlib.h>

#include "ref_drf.h"
#include "ref_wide.h"

static uint32_t weight_at(const uint32_t *weight, uint32_t i)
{
    return weight ? weight[i] : 1;
}

static int64_t amount_at(const int64_t *rows, uint32_t i, uint32_t kinds,
                         uint32_t k)
{
    return rows ? rows[(size_t)i * kinds + k] : 0;
}

static int compare_u64(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_keys(sked_order_key a, sked_order_key b)
{
    return a.high != b.high ? compare_u64(a.high, b.high)
                            : compare_u64(a.low, b.low);
}

/* Fractions, exactly; x / 0 is infinite. */
static int compare_parts(ref_part a, ref_part b)
{
    if (a.den == 0 || b.den == 0) return (a.den == 0) - (b.den == 0);
    return ref_wide_cmp(ref_wide_mul(ref_wide_of(a.num), b.den),
                        ref_wide_mul(ref_wide_of(b.num), a.den));
}

/* What the weights give a child of the parent's guarantee, rounded down. */
static uint64_t part_by_weight(const sked_order_children_input *in, uint32_t i,
                               uint32_t k)
{
    const int64_t *parent = in->parent ? in->parent : in->capacity;
    ref_wide all = {{0}}, mine;

    if (weight_at(in->weight, i) == 0) return 0;
    for (uint32_t c = 0; c < in->n; c++) {
        all = ref_wide_add(all, ref_wide_of(weight_at(in->weight, c)));
    }
    mine = ref_wide_mul(ref_wide_of((uint64_t)parent[k]),
                        weight_at(in->weight, i));
    return ref_wide_word(ref_wide_div(mine, all), 0);
}

static ref_part part_of(const sked_order_children_input *in, const int64_t *of,
                        uint32_t i, uint32_t k)
{
    return (ref_part){(uint64_t)amount_at(in->usage, i, in->kinds, k),
                      (uint64_t)amount_at(of, i, in->kinds, k)};
}

/* Shares count by order `share`, and where nothing is guaranteed at all. */
static int is_by_share(const sked_order_children_input *in, uint32_t i)
{
    int64_t most = 0;

    for (uint32_t k = 0; k < in->kinds; k++) {
        int64_t amount = amount_at(in->guarantee, i, in->kinds, k);
        if (amount > most) most = amount;
    }
    return in->order == SKED_ORDER_POLICY_SHARE || (in->share && most == 0);
}

ref_part ref_order_part(const sked_order_children_input *in, uint32_t i)
{
    ref_part most = {0, 1};
    int by_share = is_by_share(in, i);

    for (uint32_t k = 0; k < in->kinds; k++) {
        ref_part part = part_of(in, by_share ? in->share : in->guarantee, i, k);
        if (part.num == 0) continue;
        if (part.den == 0 && !by_share) part.den = part_by_weight(in, i, k);
        if (compare_parts(part, most) > 0) most = part;
    }
    return most;
}

/* The least part of a guarantee, of the kinds in which the child is below it;
 * 1 when there is none, or when that is not asked for. */
static ref_part served_part(const sked_order_children_input *in, uint32_t i)
{
    ref_part least = {1, 1};

    if (!(in->flags & SKED_ORDER_FLAG_GUARANTEE_FIRST)) return least;
    for (uint32_t k = 0; k < in->kinds; k++) {
        ref_part part = part_of(in, in->guarantee, i, k);
        ref_part share = part_of(in, in->share, i, k);
        if (in->share && share.num > share.den) continue;
        if (part.num < part.den && compare_parts(part, least) < 0) least = part;
    }
    return least;
}

static int is_below(const sked_order_children_input *in, uint32_t i)
{
    ref_part part = served_part(in, i);

    return part.num < part.den;
}

/* floor(2^62 x) in `bits` of 94 or 95: the last but one for all that is too
 * large, the last for infinity. */
static sked_order_key part_key(ref_part part, int bits)
{
    uint32_t last = (uint32_t)INT32_MAX >> (95 - bits);
    ref_wide x, top = {{UINT32_MAX - 1, UINT32_MAX, last}};

    if (part.den == 0) return (sked_order_key){last, UINT64_MAX};
    x = ref_wide_div(ref_wide_shift(ref_wide_of(part.num), 62),
                     ref_wide_of(part.den));
    if (ref_wide_cmp(x, top) > 0) x = top;
    return (sked_order_key){ref_wide_word(x, 1), ref_wide_word(x, 0)};
}

static int64_t priority_at(const int32_t *priority, uint32_t i)
{
    return priority ? priority[i] : 0;
}

static int is_beyond(const sked_order_children_input *in, uint32_t i)
{
    ref_part part = ref_order_part(in, i);

    return (in->flags & SKED_ORDER_FLAG_WITHIN_FIRST) && part.num >= part.den;
}

static sked_order_key priority_key(const sked_order_children_input *in,
                                   uint32_t i)
{
    int first = in->flags & SKED_ORDER_FLAG_GUARANTEE_FIRST;
    sked_order_key key = is_below(in, i)
                             ? part_key(served_part(in, i), 94)
                             : part_key(ref_order_part(in, i), first ? 94 : 95);
    uint64_t turned = (uint64_t)(INT32_MAX - priority_at(in->priority, i));

    if (first && !is_below(in, i)) key.high += (uint64_t)1 << 30;
    key.high += turned << 31;
    if (is_beyond(in, i)) key.high += (uint64_t)1 << 63;
    return key;
}

static sked_order_key fair_key(const sked_order_children_input *in, uint32_t i)
{
    uint64_t used = (uint64_t)amount_at(in->usage, i, in->kinds,
                                        (uint32_t)in->kind);
    uint32_t weight = weight_at(in->weight, i);

    if (weight == 0) return (sked_order_key){UINT64_MAX, UINT64_MAX};
    ref_wide x = ref_wide_div(ref_wide_shift(ref_wide_of(used), 64),
                              ref_wide_of(weight));
    return (sked_order_key){ref_wide_word(x, 1), ref_wide_word(x, 0)};
}

static uint64_t drf_key(const sked_order_children_input *in, uint32_t i)
{
    int64_t usage[SKED_MAX_KINDS];

    for (uint32_t k = 0; k < in->kinds; k++) {
        usage[k] = amount_at(in->usage, i, in->kinds, k);
    }
    return ref_drf_key(usage, in->capacity, in->kinds,
                       weight_at(in->weight, i));
}

static uint64_t signed_key(int64_t x)
{
    return (uint64_t)x + ((uint64_t)1 << 63);
}

static sked_order_key key_alone(const sked_order_children_input *in, uint32_t i)
{
    switch (in->order) {
    case SKED_ORDER_POLICY_DRF: return (sked_order_key){drf_key(in, i), 0};
    case SKED_ORDER_POLICY_FAIR: return fair_key(in, i);
    case SKED_ORDER_POLICY_UTILISATION:
    case SKED_ORDER_POLICY_SHARE: return part_key(ref_order_part(in, i), 95);
    case SKED_ORDER_POLICY_PRIORITY: return priority_key(in, i);
    case SKED_ORDER_POLICY_HOST:
        return (sked_order_key){signed_key(in->key[i]), 0};
    }
    return (sked_order_key){0, 0};
}

sked_order_key ref_order_key(const sked_order_children_input *in, uint32_t i)
{
    sked_order_key key = key_alone(in, i);
    int moves = in->order == SKED_ORDER_POLICY_DRF ||
                in->order == SKED_ORDER_POLICY_HOST;

    if (!(in->flags & SKED_ORDER_FLAG_GUARANTEE_FIRST) ||
        in->order == SKED_ORDER_POLICY_PRIORITY) {
        return key;
    }
    if (is_below(in, i)) return part_key(served_part(in, i), 95);
    if (moves) {
        ref_wide x = ref_wide_add(ref_wide_shift(ref_wide_of(key.high), 64),
                                  ref_wide_of(key.low));
        x = ref_wide_div(x, ref_wide_of(2));
        key = (sked_order_key){ref_wide_word(x, 1), ref_wide_word(x, 0)};
    }
    key.high |= (uint64_t)1 << 63; /* infinity of `fair` has it already */
    return key;
}

/* The largest usage over capacity. */
static ref_part dominant(const sked_order_children_input *in, uint32_t i)
{
    ref_part most = {0, 1};

    for (uint32_t k = 0; k < in->kinds; k++) {
        ref_part part = {(uint64_t)amount_at(in->usage, i, in->kinds, k),
                         (uint64_t)in->capacity[k]};
        if (part.num > 0 && compare_parts(part, most) > 0) most = part;
    }
    return most;
}

static int exact_drf(const sked_order_children_input *in, uint32_t a,
                     uint32_t b)
{
    ref_part of_a = dominant(in, a), of_b = dominant(in, b);
    uint64_t w_a = weight_at(in->weight, a), w_b = weight_at(in->weight, b);
    int infinite = (of_a.den == 0 || w_a == 0) - (of_b.den == 0 || w_b == 0);

    if (infinite || of_a.den == 0 || w_a == 0) return infinite;
    ref_wide left = ref_wide_mul(ref_wide_of(of_a.num), of_b.den);
    ref_wide right = ref_wide_mul(ref_wide_of(of_b.num), of_a.den);
    return ref_wide_cmp(ref_wide_mul(left, w_b), ref_wide_mul(right, w_a));
}

static int exact_fair(const sked_order_children_input *in, uint32_t a,
                      uint32_t b)
{
    uint32_t k = (uint32_t)in->kind;
    ref_part of_a = {(uint64_t)amount_at(in->usage, a, in->kinds, k),
                     weight_at(in->weight, a)};
    ref_part of_b = {(uint64_t)amount_at(in->usage, b, in->kinds, k),
                     weight_at(in->weight, b)};

    return compare_parts(of_a, of_b);
}

static int exact_priority(const sked_order_children_input *in, uint32_t a,
                          uint32_t b)
{
    int64_t of_a = priority_at(in->priority, a);
    int64_t of_b = priority_at(in->priority, b);
    int beyond = is_beyond(in, a) - is_beyond(in, b);

    if (beyond) return beyond;
    if (of_a != of_b) return of_a > of_b ? -1 : 1;
    if (is_below(in, a) || is_below(in, b)) {
        return compare_parts(served_part(in, a), served_part(in, b));
    }
    return compare_parts(ref_order_part(in, a), ref_order_part(in, b));
}

int ref_order_exact(const sked_order_children_input *in, uint32_t a, uint32_t b)
{
    if (in->order != SKED_ORDER_POLICY_PRIORITY &&
        (is_below(in, a) || is_below(in, b))) {
        return compare_parts(served_part(in, a), served_part(in, b));
    }
    switch (in->order) {
    case SKED_ORDER_POLICY_DRF: return exact_drf(in, a, b);
    case SKED_ORDER_POLICY_FAIR: return exact_fair(in, a, b);
    case SKED_ORDER_POLICY_UTILISATION:
    case SKED_ORDER_POLICY_SHARE:
        return compare_parts(ref_order_part(in, a), ref_order_part(in, b));
    case SKED_ORDER_POLICY_PRIORITY: return exact_priority(in, a, b);
    }
    return compare_keys(ref_order_key(in, a), ref_order_key(in, b));
}

/* Puts `n` things in order by looking for the next one, again and again. */
static uint32_t choose_all(const sked_order_key *keys, const uint8_t *eligible,
                           uint32_t n, uint32_t *order)
{
    uint8_t *gone = calloc(n + 1, 1);
    uint32_t count = 0;

    for (;;) {
        uint32_t first = n;
        for (uint32_t i = 0; i < n; i++) {
            if (gone[i] || (eligible && !eligible[i])) continue;
            if (first == n || compare_keys(keys[i], keys[first]) < 0) first = i;
        }
        if (first == n) break;
        gone[first] = 1;
        order[count++] = first;
    }
    free(gone);
    return count;
}

uint32_t ref_order_children(const sked_order_children_input *in,
                            uint32_t *positions)
{
    sked_order_key *keys = calloc(in->n + 1, sizeof *keys);

    for (uint32_t i = 0; i < in->n; i++) keys[i] = ref_order_key(in, i);
    uint32_t n = choose_all(keys, in->eligible, (uint32_t)in->n, positions);
    free(keys);
    return n;
}

static uint64_t apps_share(const sked_order_apps_input *in, const int64_t *rows,
                           uint32_t i, uint32_t weight)
{
    int64_t amounts[SKED_MAX_KINDS];

    for (uint32_t k = 0; k < in->kinds; k++) {
        amounts[k] = amount_at(rows, i, in->kinds, k);
    }
    return ref_drf_key(amounts, in->capacity, in->kinds, weight);
}

static uint64_t apps_key(const sked_order_apps_input *in, uint32_t i)
{
    switch (in->order) {
    case SKED_APPS_FAIR:
        return apps_share(in, in->usage, i, weight_at(in->weight, i));
    case SKED_APPS_SIZE: return apps_share(in, in->pending, i, 1);
    case SKED_APPS_USER_FAIR:
        return apps_share(in, in->user_usage, in->user[i],
                          weight_at(in->user_weight, in->user[i]));
    case SKED_APPS_PRIORITY:
        return (uint64_t)(INT32_MAX - priority_at(in->priority, i));
    case SKED_APPS_HOST: return signed_key(in->key[i]);
    }
    return 0;
}

uint32_t ref_order_apps(const sked_order_apps_input *in, uint32_t *indices)
{
    sked_order_key *keys = calloc(in->n + 1, sizeof *keys);

    for (uint32_t i = 0; i < in->n; i++) {
        keys[i].high = apps_key(in, i);
        keys[i].low = in->submitted ? signed_key(in->submitted[i]) : 0;
    }
    uint32_t n = choose_all(keys, in->eligible, (uint32_t)in->n, indices);
    free(keys);
    return n;
}
