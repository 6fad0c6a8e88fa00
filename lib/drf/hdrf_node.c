/*
 * The arithmetic of hierarchical DRF: a node from its usage or from the sums
 * over its children, its place in the sums of its parent, and so upwards until
 * nothing changes. The rules of rounding are those of sched/hdrf.h.
 */
#include <string.h>

#include "drf/hdrf_tree.h"

/* What a node is about to be. */
typedef struct node_next {
    uint64_t part[SKED_MAX_KINDS];
    uint32_t blocked;
} node_next;

/* In sums, a weight of 0 counts as 1. */
static uint32_t sum_weight(const skedi_hdrf_node *node)
{
    return node->weight + (node->weight == 0);
}

static uint64_t leaf_part(const sked_hdrf *tree, uint32_t k, int64_t usage)
{
    const skedi_drf_scale *scale = &tree->scale[k];

    if ((uint64_t)usage > scale->most) {
        return usage ? SKEDI_DRF_TOP : 0;
    }
    uint64_t part = skedi_drf_part(scale, (uint64_t)usage);
    return part < SKEDI_DRF_TOP ? part : SKEDI_DRF_TOP;
}

static void leaf_next(const sked_hdrf *tree, uint32_t leaf, uint32_t said,
                      node_next *next)
{
    const int64_t *usage = tree->usage + skedi_hdrf_row(tree, leaf);
    const int64_t *demand = tree->demand + skedi_hdrf_row(tree, leaf);
    uint32_t asks = 0;

    for (uint32_t k = 0; k < tree->kinds; k++) {
        next->part[k] = leaf_part(tree, k, usage[k]);
        asks |= (uint32_t)(demand[k] > 0) << k;
    }
    int stuck = said || !asks || (asks & tree->full) || !tree->pending[leaf];
    next->blocked = said | (stuck ? SKEDI_HDRF_BLOCKED : 0);
}

/* floor(share * rising / (weight * 2^62)) + still; `inverse` is the weight's */
static uint64_t inner_part(skedi_u128 rising, skedi_u128 still, uint64_t share,
                           uint32_t weight, uint64_t inverse)
{
    skedi_u192 product = skedi_u192_mul(rising, share);
    skedi_u128 part = skedi_u128_add(skedi_u128_shl(product.high, 2),
                                     skedi_u128_of(product.low >> 62));
    uint64_t rem;

    if (skedi_u128_high(part) == 0)
        part = skedi_u128_of(
            skedi_divide_weight(skedi_u128_low(part), weight, inverse));
    else
        part = skedi_u128_div(part, weight, &rem);
    part = skedi_u128_add(part, still);
    if (skedi_u128_cmp(part, skedi_u128_of(SKEDI_DRF_TOP)) > 0) {
        return SKEDI_DRF_TOP;
    }
    return skedi_u128_low(part);
}

static void inner_next(const sked_hdrf *tree, uint32_t node, node_next *next)
{
    uint32_t inner = tree->node[node].inner;
    uint32_t first = skedi_hdrf_first(tree, inner);
    size_t row = (size_t)inner * tree->kinds;
    uint64_t share = 0, inverse = UINT64_MAX;
    uint32_t weight = 1;

    if (first != SKED_HDRF_NONE) {
        share = tree->node[first].share;
        weight = sum_weight(&tree->node[first]);
        inverse = tree->node[first].inverse;
    }
    next->blocked = first == SKED_HDRF_NONE ? SKEDI_HDRF_BLOCKED : 0;
    for (uint32_t k = 0; k < tree->kinds; k++) {
        next->part[k] = 0;
        if (tree->full >> k & 1) continue;
        next->part[k] = inner_part(tree->rising[row + k], tree->still[row + k],
                                   share, weight, inverse);
    }
}

/* Parts over the share: the share's own inverse serves all kinds. */
static void node_direct(sked_hdrf *tree, uint32_t node)
{
    const uint64_t *part = tree->part + skedi_hdrf_row(tree, node);
    uint64_t *direction = tree->direction + skedi_hdrf_row(tree, node);
    uint64_t share = tree->node[node].share;

    if (share == 0) {
        memset(direction, 0, tree->kinds * sizeof *direction);
        return;
    }
    unsigned zeros = skedi_clz64(share);
    uint64_t divisor = share << zeros;
    uint64_t inverse = skedi_divide_inverse(divisor);
    for (uint32_t k = 0; k < tree->kinds; k++) {
        uint64_t x = part[k] << zeros;
        direction[k] = skedi_divide_two(x >> 2, x << 62, divisor, inverse);
    }
}

/* Share, key and direction from the parts. */
static void node_take(sked_hdrf *tree, uint32_t at, const node_next *next)
{
    skedi_hdrf_node *node = &tree->node[at];
    uint64_t *part = tree->part + skedi_hdrf_row(tree, at);
    uint64_t share = 0;

    for (uint32_t k = 0; k < tree->kinds; k++) {
        part[k] = next->part[k];
        if (part[k] > share) share = part[k];
    }
    tree->work.nodes++;
    node->blocked = next->blocked;
    node->share = share;
    node->key = skedi_drf_weigh(share, node->weight, node->inverse);
    node_direct(tree, at);
}

/* What a node is in the sums of its parent: factor * value, kind by kind. */
typedef struct node_stake {
    skedi_u128 *sum;
    const uint64_t *value;
    uint32_t factor;
} node_stake;

static node_stake node_stake_of(const sked_hdrf *tree, uint32_t at)
{
    const skedi_hdrf_node *node = &tree->node[at];
    size_t to = (size_t)tree->node[node->parent].inner * tree->kinds;
    size_t row = skedi_hdrf_row(tree, at);

    if (node->blocked) {
        return (node_stake){tree->still + to, tree->part + row, 1};
    }
    return (node_stake){tree->rising + to, tree->direction + row,
                        sum_weight(node)};
}

static void stake_add(const sked_hdrf *tree, const node_stake *stake)
{
    for (uint32_t k = 0; k < tree->kinds; k++) {
        skedi_u128 mine = skedi_u128_mul(stake->value[k], stake->factor);
        stake->sum[k] = skedi_u128_add(stake->sum[k], mine);
    }
}

static void stake_take(const sked_hdrf *tree, const node_stake *stake)
{
    for (uint32_t k = 0; k < tree->kinds; k++) {
        skedi_u128 mine = skedi_u128_mul(stake->value[k], stake->factor);
        stake->sum[k] = skedi_u128_sub(stake->sum[k], mine);
    }
}

/* The key the family's order goes by. */
static uint64_t player_key(const skedi_hdrf_node *node)
{
    if (node->blocked) return SKEDI_WINNER_OUT;
    return node->key - (node->key == SKED_DRF_INFINITE);
}

static void node_next_of(const sked_hdrf *tree, uint32_t at, node_next *next)
{
    if (tree->node[at].inner == SKED_HDRF_NONE)
        leaf_next(tree, at, tree->node[at].blocked & SKEDI_HDRF_SAID, next);
    else
        inner_next(tree, at, next);
}

static int node_same(const sked_hdrf *tree, uint32_t at, const node_next *next)
{
    const uint64_t *part = tree->part + skedi_hdrf_row(tree, at);
    uint64_t differs = tree->node[at].blocked ^ next->blocked;

    for (uint32_t k = 0; k < tree->kinds; k++)
        differs |= part[k] ^ next->part[k];
    return differs == 0;
}

/* A node to its parent's sums and order; `was` is what it was in them. */
static void node_move(sked_hdrf *tree, uint32_t at, const node_next *next,
                      const node_stake *was)
{
    const skedi_hdrf_node *node = &tree->node[at];
    skedi_winners order = skedi_hdrf_order(
        tree, &tree->family[tree->node[node->parent].inner]);

    stake_take(tree, was);
    node_take(tree, at, next);
    node_stake is = node_stake_of(tree, at);
    stake_add(tree, &is);
    skedi_winner_set(&order, node->player, player_key(node));
}

/* The root has no parent; it is computed only where it is a leaf or is read. */
void skedi_hdrf_climb(sked_hdrf *tree, uint32_t at)
{
    node_next next;

    tree->work.climbs++;
    for (; at != 0; at = tree->node[at].parent) {
        node_next_of(tree, at, &next);
        if (node_same(tree, at, &next)) return;
        node_stake was = node_stake_of(tree, at);
        node_move(tree, at, &next, &was);
    }
    if (tree->node[0].inner != SKED_HDRF_NONE) return;
    node_next_of(tree, 0, &next);
    node_take(tree, 0, &next);
}

static void node_set_weight(skedi_hdrf_node *node, uint32_t weight)
{
    node->weight = weight;
    node->inverse = skedi_drf_inverse(weight);
}

void skedi_hdrf_reweigh(sked_hdrf *tree, uint32_t at, uint32_t weight)
{
    node_next next;

    node_next_of(tree, at, &next);
    if (at == 0) {
        node_set_weight(&tree->node[at], weight);
        node_take(tree, at, &next);
        return;
    }
    node_stake was = node_stake_of(tree, at);
    node_set_weight(&tree->node[at], weight);
    node_move(tree, at, &next, &was);
    skedi_hdrf_climb(tree, tree->node[at].parent);
}

void skedi_hdrf_say(sked_hdrf *tree, uint32_t leaf, int blocked)
{
    node_next next;

    leaf_next(tree, leaf, blocked ? SKEDI_HDRF_SAID : 0, &next);
    if (node_same(tree, leaf, &next)) return;
    if (leaf == 0) {
        node_take(tree, leaf, &next);
        return;
    }
    node_stake was = node_stake_of(tree, leaf);
    node_move(tree, leaf, &next, &was);
    skedi_hdrf_climb(tree, tree->node[leaf].parent);
}

void skedi_hdrf_read(const sked_hdrf *tree, uint32_t at,
                     sked_hdrf_standing *out)
{
    const skedi_hdrf_node *node = &tree->node[at];
    node_next next;

    node_next_of(tree, at, &next);
    *out = (sked_hdrf_standing){.weight = node->weight,
                                .blocked = next.blocked != 0};
    for (uint32_t k = 0; k < tree->kinds; k++) {
        if (next.part[k] > out->share) out->share = next.part[k];
    }
    out->key = skedi_drf_weigh(out->share, node->weight, node->inverse);
}

void skedi_hdrf_build(sked_hdrf *tree)
{
    size_t sums = (size_t)tree->inners * tree->kinds;
    node_next next;

    tree->work.builds++;
    for (size_t i = 0; i < sums; i++) {
        tree->rising[i] = tree->still[i] = skedi_u128_of(0);
    }
    for (uint32_t at = tree->n; at-- > 0;) { /* children before parents */
        const skedi_hdrf_node *node = &tree->node[at];
        if (node->inner != SKED_HDRF_NONE) {
            skedi_winners own = skedi_hdrf_order(tree,
                                                 &tree->family[node->inner]);
            skedi_winner_build(&own);
        }
        node_next_of(tree, at, &next);
        node_take(tree, at, &next);
        if (at == 0) return;
        node_stake is = node_stake_of(tree, at);
        stake_add(tree, &is);
        uint32_t up = tree->node[node->parent].inner;
        skedi_hdrf_order(tree, &tree->family[up])
            .key[node->player] = player_key(node);
    }
}

int skedi_hdrf_refill(sked_hdrf *tree)
{
    uint32_t full = tree->said_full, was = tree->full;

    for (uint32_t k = 0; k < tree->kinds; k++) {
        skedi_u128 capacity = skedi_u128_of((uint64_t)tree->capacity[k]);
        int over = skedi_u128_cmp(tree->used[k], capacity) >= 0;
        full |= (uint32_t)over << k;
    }
    tree->full = full;
    return full != was;
}

/* Are the sums of an inner node those of its children? */
static int sums_sound(const sked_hdrf *tree, uint32_t inner, uint32_t k)
{
    const skedi_hdrf_family *family = &tree->family[inner];
    skedi_u128 sum[2] = {skedi_u128_of(0), skedi_u128_of(0)};
    size_t cell = (size_t)inner * tree->kinds + k;

    for (uint32_t i = 0; i < family->n; i++) {
        uint32_t kid = tree->kid[family->first + i];
        node_stake is = node_stake_of(tree, kid);
        skedi_u128 *to = &sum[tree->node[kid].blocked != 0];
        *to = skedi_u128_add(*to, skedi_u128_mul(is.value[k], is.factor));
    }
    return skedi_u128_cmp(sum[0], tree->rising[cell]) == 0 &&
           skedi_u128_cmp(sum[1], tree->still[cell]) == 0;
}

/* Is a node what follows from its usage, or from its children? */
static int node_sound(const sked_hdrf *tree, uint32_t at)
{
    const skedi_hdrf_node *node = &tree->node[at];
    sked_hdrf_standing now;
    node_next next;

    node_next_of(tree, at, &next);
    skedi_hdrf_read(tree, at, &now);
    return node_same(tree, at, &next) && now.share == node->share &&
           now.key == node->key;
}

static const char *node_fault(const sked_hdrf *tree, uint32_t at)
{
    const skedi_hdrf_node *node = &tree->node[at];

    if (at != 0) {
        if (!node_sound(tree, at)) return "a node is not what follows";
        uint32_t up = tree->node[node->parent].inner;
        skedi_winners order = skedi_hdrf_order(tree, &tree->family[up]);
        if (order.key[node->player] != player_key(node)) {
            return "a player has another key than its node";
        }
    }
    if (node->inner == SKED_HDRF_NONE) return NULL;
    skedi_winners own = skedi_hdrf_order(tree, &tree->family[node->inner]);
    if (!skedi_winner_sound(&own)) return "the order of a family is wrong";
    for (uint32_t k = 0; k < tree->kinds; k++) {
        if (!sums_sound(tree, node->inner, k)) return "a sum is wrong";
    }
    return NULL;
}

const char *skedi_hdrf_fault(const sked_hdrf *tree)
{
    for (uint32_t at = 0; at < tree->n; at++) {
        const char *fault = node_fault(tree, at);
        if (fault) return fault;
    }
    return NULL;
}
