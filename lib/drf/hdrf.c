/*
 * A sked_hdrf from creation to end. Nodes are sorted into families. Each family
 * has a stretch of children and a stretch of blocks for the children's keys.
 */
#include <sched/hdrf.h>

#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/versioned.h"
#include "drf/hdrf_tree.h"
#include "tree/image.h"

/*
 * The arithmetic of hierarchical DRF: a node's numbers follow from the node's
 * usage or from the sums over its children. A change goes into the sums of the
 * parent, and so on upwards until nothing changes. The rules of rounding are in
 * sched/hdrf.h.
 */

/* The next numbers of a node. */
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

/* The contribution of a node to the sums of its parent: factor * value, kind by
 * kind. */
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

/* Moves a node in its parent's sums and order; `was` is the old
 * contribution. */
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

/* The root has no parent. Its numbers are computed here only if the root is a
 * leaf; otherwise when a caller reads the root. */
static void hdrf_climb(sked_hdrf *tree, uint32_t at)
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

/* Gives a node another weight, and updates all ancestors. */
static void hdrf_reweigh(sked_hdrf *tree, uint32_t at, uint32_t weight)
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
    hdrf_climb(tree, tree->node[at].parent);
}

/* The host blocks a leaf, or no longer. */
static void hdrf_say(sked_hdrf *tree, uint32_t leaf, int blocked)
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
    hdrf_climb(tree, tree->node[leaf].parent);
}

/* How a node stands. */
static void hdrf_read(const sked_hdrf *tree, uint32_t at,
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

/* Computes all nodes. */
static void hdrf_build(sked_hdrf *tree)
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

/* Recomputes `full`; returns 1 if the set of full kinds changed. */
static int hdrf_refill(sked_hdrf *tree)
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

/* True if the sums of an inner node are the sums over its children. */
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

/* True if a node's numbers follow from its usage or from its children. */
static int node_sound(const sked_hdrf *tree, uint32_t at)
{
    const skedi_hdrf_node *node = &tree->node[at];
    sked_hdrf_standing now;
    node_next next;

    node_next_of(tree, at, &next);
    hdrf_read(tree, at, &now);
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

/* The first fault of a node, a sum or an order; NULL: none. */
static const char *hdrf_fault(const sked_hdrf *tree)
{
    for (uint32_t at = 0; at < tree->n; at++) {
        const char *fault = node_fault(tree, at);
        if (fault) return fault;
    }
    return NULL;
}

/*
 * Changes of a sked_hdrf: capacity, leaves, weights. Sums of usage come first.
 * If a kind becomes full, or free again, all nodes are computed again;
 * otherwise only the changed node and its ancestors.
 */

enum {
    HDRF_ROWS_CHECKED = 4096, /* rows between two looks at the cancel flag */
    HDRF_ROWS_BUILD = 8,      /* this part of the nodes: build anew */
    HDRF_RUN_CHECKED = 1024   /* decisions between two looks */
};

/* After a leaf has changed. */
static void leaf_changed(sked_hdrf *tree, uint32_t leaf)
{
    if (hdrf_refill(tree))
        hdrf_build(tree);
    else
        hdrf_climb(tree, leaf);
}

sked_status sked_hdrf_set_capacity(sked_hdrf *tree, const int64_t *capacity,
                                   sked_error *err)
{
    const char *missing = !tree ? "tree" : !capacity ? "capacity" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    sked_status rc = skedi_amounts_in(capacity, 1, tree->kinds,
                                      "capacity is out of range", err);
    if (rc != SKED_OK) return rc;

    for (uint32_t k = 0; k < tree->kinds; k++) {
        tree->capacity[k] = capacity[k];
        tree->scale[k] = skedi_drf_scale_of(capacity[k]);
    }
    (void)hdrf_refill(tree);
    hdrf_build(tree);
    return SKED_OK;
}

sked_status sked_hdrf_set_full(sked_hdrf *tree, uint32_t kinds, sked_error *err)
{
    if (!tree) return skedi_fail_null(err, "tree");
    if ((uint64_t)kinds >> tree->kinds)
        return skedi_fail_plain(err, SKED_ERR_ARG, "no such kind");

    tree->said_full = kinds;
    if (hdrf_refill(tree)) hdrf_build(tree);
    return SKED_OK;
}

static sked_status leaves_named(const sked_hdrf *tree, size_t n,
                                const uint32_t *leaf, const int64_t *pending,
                                sked_error *err)
{
    for (size_t i = 0; i < n; i++) {
        skedi_fault fault = {.row = (int64_t)i + 1, .got = leaf[i]};
        if (i % HDRF_ROWS_CHECKED == 0) {
            sked_status rc = skedi_hooks_check(&tree->hooks, i, n);
            if (rc != SKED_OK) {
                return skedi_fail_stopped(err, rc);
            }
        }
        if (!skedi_hdrf_is_leaf(tree, leaf[i])) {
            return skedi_fail(err, SKED_ERR_NOT_FOUND, "not a leaf", fault);
        }
        if (!pending || pending[i] >= 0) continue;
        fault.got = pending[i];
        return skedi_fail(err, SKED_ERR_RANGE, "number of tasks is negative",
                          fault);
    }
    return SKED_OK;
}

/* Sets the usage of a leaf, in its row and in the sums. */
static void leaf_use(sked_hdrf *tree, uint32_t leaf, const int64_t *usage)
{
    int64_t *row = tree->usage + skedi_hdrf_row(tree, leaf);

    for (uint32_t k = 0; k < tree->kinds; k++) {
        tree->used[k] = skedi_u128_sub(tree->used[k],
                                       skedi_u128_of((uint64_t)row[k]));
        tree->used[k] = skedi_u128_add(tree->used[k],
                                       skedi_u128_of((uint64_t)usage[k]));
        row[k] = usage[k];
    }
}

/* Columns into rows, nothing computed yet. */
static void leaves_put(sked_hdrf *tree, size_t n, const uint32_t *leaf,
                       const int64_t *usage, const int64_t *demand,
                       const int64_t *pending)
{
    uint32_t kinds = tree->kinds;

    for (size_t i = 0; i < n; i++) {
        if (usage) leaf_use(tree, leaf[i], usage + i * kinds);
        if (demand) {
            memcpy(tree->demand + skedi_hdrf_row(tree, leaf[i]),
                   demand + i * kinds, kinds * sizeof *demand);
        }
        if (pending) tree->pending[leaf[i]] = pending[i];
    }
}

sked_status sked_hdrf_set_leaves(sked_hdrf *tree, const uint32_t *leaf,
                                 const int64_t *usage, const int64_t *demand,
                                 const int64_t *pending, size_t n,
                                 sked_error *err)
{
    sked_status rc = SKED_OK;

    const char *missing = !tree ? "tree" : n && !leaf ? "leaf" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (usage) {
        rc = skedi_amounts_in(usage, n, tree->kinds, "usage is out of range",
                              err);
    }
    if (rc == SKED_OK && demand) {
        rc = skedi_amounts_in(demand, n, tree->kinds, "demand is out of range",
                              err);
    }
    if (rc == SKED_OK) rc = leaves_named(tree, n, leaf, pending, err);
    if (rc != SKED_OK) return rc;

    leaves_put(tree, n, leaf, usage, demand, pending);
    if (hdrf_refill(tree) || n > tree->n / HDRF_ROWS_BUILD) {
        hdrf_build(tree);
        return SKED_OK;
    }
    for (size_t i = 0; i < n; i++) hdrf_climb(tree, leaf[i]);
    return SKED_OK;
}

sked_status sked_hdrf_set_weight(sked_hdrf *tree, uint32_t node,
                                 uint32_t weight, sked_error *err)
{
    if (!tree) return skedi_fail_null(err, "tree");
    if (node >= tree->n)
        return skedi_fail_plain(err, SKED_ERR_NOT_FOUND, "no such node");

    hdrf_reweigh(tree, node, weight);
    return SKED_OK;
}

sked_status sked_hdrf_block(sked_hdrf *tree, uint32_t leaf, int blocked,
                            sked_error *err)
{
    if (!tree) return skedi_fail_null(err, "tree");
    if (!skedi_hdrf_is_leaf(tree, leaf))
        return skedi_fail_plain(err, SKED_ERR_NOT_FOUND, "no such leaf");

    hdrf_say(tree, leaf, blocked);
    return SKED_OK;
}

uint32_t sked_hdrf_next(const sked_hdrf *tree)
{
    uint32_t at = 0;

    if (!tree) return SKED_HDRF_NONE;
    while (tree->node[at].inner != SKED_HDRF_NONE) {
        at = skedi_hdrf_first(tree, tree->node[at].inner);
        if (at == SKED_HDRF_NONE) return at;
    }
    return tree->node[at].blocked ? SKED_HDRF_NONE : at;
}

/* True if `tasks` tasks fit into the free amount of every kind. */
static int tasks_fit(const sked_hdrf *tree, const int64_t *demand,
                     int64_t tasks)
{
    for (uint32_t k = 0; k < tree->kinds; k++) {
        if (demand[k] == 0) continue;
        skedi_u128 need = skedi_u128_mul((uint64_t)demand[k], (uint64_t)tasks);
        skedi_u128 after = skedi_u128_add(tree->used[k], need);
        skedi_u128 capacity = skedi_u128_of((uint64_t)tree->capacity[k]);
        if (skedi_u128_cmp(after, capacity) > 0) return 0;
    }
    return 1;
}

/* Gives a leaf `tasks` pending tasks; the tasks must fit. */
static void leaf_give(sked_hdrf *tree, uint32_t leaf, int64_t tasks)
{
    const int64_t *demand = tree->demand + skedi_hdrf_row(tree, leaf);
    const int64_t *row = tree->usage + skedi_hdrf_row(tree, leaf);
    int64_t usage[SKED_MAX_KINDS];

    for (uint32_t k = 0; k < tree->kinds; k++) {
        usage[k] = row[k] + (demand[k] ? demand[k] * tasks : 0);
    }
    leaf_use(tree, leaf, usage);
    if (tree->pending[leaf] != SKED_UNLIMITED) tree->pending[leaf] -= tasks;
    leaf_changed(tree, leaf);
}

/* The pending tasks that count for a leaf: 0 if a task has no demand. */
static int64_t pending_of(const sked_hdrf *tree, uint32_t leaf)
{
    const int64_t *demand = tree->demand + skedi_hdrf_row(tree, leaf);
    int64_t asks = 0;

    for (uint32_t k = 0; k < tree->kinds; k++) asks |= demand[k];
    return asks ? tree->pending[leaf] : 0;
}

sked_status sked_hdrf_allocate(sked_hdrf *tree, uint32_t leaf, int64_t tasks,
                               sked_error *err)
{
    if (!tree) return skedi_fail_null(err, "tree");
    if (tasks < 0) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "tasks is below 0");
    }
    if (!skedi_hdrf_is_leaf(tree, leaf))
        return skedi_fail_plain(err, SKED_ERR_NOT_FOUND, "no such leaf");
    int64_t pending = pending_of(tree, leaf);
    if (tasks > pending) {
        return skedi_fail(err, SKED_ERR_STATE, "fewer tasks are pending",
                          (skedi_fault){.got = tasks, .limit = pending});
    }
    if (!tasks_fit(tree, tree->demand + skedi_hdrf_row(tree, leaf), tasks)) {
        return skedi_fail_plain(err, SKED_ERR_RANGE, "the tasks do not fit");
    }
    leaf_give(tree, leaf, tasks);
    return SKED_OK;
}

sked_status sked_hdrf_release(sked_hdrf *tree, uint32_t leaf,
                              const int64_t *amount, sked_error *err)
{
    int64_t usage[SKED_MAX_KINDS];

    const char *missing = !tree ? "tree" : !amount ? "amount" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (!skedi_hdrf_is_leaf(tree, leaf))
        return skedi_fail_plain(err, SKED_ERR_NOT_FOUND, "no such leaf");
    const int64_t *row = tree->usage + skedi_hdrf_row(tree, leaf);
    for (uint32_t k = 0; k < tree->kinds; k++) {
        if (amount[k] < 0 || amount[k] > row[k]) {
            return skedi_fail(err, SKED_ERR_RANGE, "amount is out of range",
                              (skedi_fault){.kind = (int32_t)k + 1,
                                            .got = amount[k],
                                            .limit = row[k]});
        }
        usage[k] = row[k] - amount[k];
    }
    leaf_use(tree, leaf, usage);
    leaf_changed(tree, leaf);
    return SKED_OK;
}

sked_status sked_hdrf_run(sked_hdrf *tree, uint32_t *leaf, size_t cap,
                          size_t *n, sked_error *err)
{
    const char *missing = !tree          ? "tree"
                          : !n           ? "n"
                          : cap && !leaf ? "leaf"
                                         : NULL;
    if (missing) return skedi_fail_null(err, missing);

    *n = 0;
    for (uint64_t step = 0; *n < cap; step++) {
        if (step % HDRF_RUN_CHECKED == 0 &&
            skedi_hooks_check(&tree->hooks, *n, cap) != SKED_OK) {
            return SKED_STOPPED;
        }
        uint32_t at = sked_hdrf_next(tree);
        if (at == SKED_HDRF_NONE) return SKED_OK;
        const int64_t *demand = tree->demand + skedi_hdrf_row(tree, at);
        if (!tasks_fit(tree, demand, 1)) {
            hdrf_say(tree, at, 1);
            continue;
        }
        leaf_give(tree, at, 1);
        leaf[(*n)++] = at;
    }
    return SKED_OK;
}

/* Reading a sked_hdrf: a node, a digest of all, and whether all is sound. */

sked_status sked_hdrf_share(const sked_hdrf *tree, uint32_t node,
                            sked_hdrf_standing *standing)
{
    if (!tree || !standing) return SKED_ERR_ARG;
    if (node >= tree->n) return SKED_ERR_NOT_FOUND;

    hdrf_read(tree, node, standing);
    return SKED_OK;
}

sked_status sked_hdrf_usage(const sked_hdrf *tree, uint32_t leaf,
                            int64_t *usage, int64_t *pending)
{
    if (!tree || !usage) return SKED_ERR_ARG;
    if (!skedi_hdrf_is_leaf(tree, leaf)) return SKED_ERR_NOT_FOUND;

    memcpy(usage, tree->usage + skedi_hdrf_row(tree, leaf),
           tree->kinds * sizeof *usage);
    if (pending) *pending = tree->pending[leaf];
    return SKED_OK;
}

static void hash_amounts(skedi_hash *hash, const int64_t *row, uint32_t kinds)
{
    for (uint32_t k = 0; k < kinds; k++) {
        skedi_hash_u64(hash, (uint64_t)row[k]);
    }
}

uint64_t sked_hdrf_digest(const sked_hdrf *tree)
{
    skedi_hash hash;

    skedi_hash_start(&hash, 0);
    if (!tree) return skedi_hash_end(&hash);
    skedi_hash_u32(&hash, tree->kinds);
    skedi_hash_u32(&hash, tree->n);
    skedi_hash_u32(&hash, tree->said_full);
    hash_amounts(&hash, tree->capacity, tree->kinds);
    for (uint32_t i = 0; i < tree->n; i++) {
        const skedi_hdrf_node *node = &tree->node[i];
        skedi_hash_u32(&hash, node->parent);
        skedi_hash_u32(&hash, node->weight);
        if (node->inner != SKED_HDRF_NONE) continue;
        skedi_hash_u32(&hash, node->blocked & SKEDI_HDRF_SAID);
        skedi_hash_u64(&hash, (uint64_t)tree->pending[i]);
        hash_amounts(&hash, tree->usage + skedi_hdrf_row(tree, i), tree->kinds);
        hash_amounts(&hash, tree->demand + skedi_hdrf_row(tree, i),
                     tree->kinds);
    }
    return skedi_hash_end(&hash);
}

/* Checks the sums of usage over the leaves, and the full kinds that follow. */
static const char *usage_fault(const sked_hdrf *tree)
{
    uint32_t full = tree->said_full;

    for (uint32_t k = 0; k < tree->kinds; k++) {
        skedi_u128 sum = skedi_u128_of(0);
        for (uint32_t i = 0; i < tree->n; i++) {
            uint64_t mine = (uint64_t)tree->usage[skedi_hdrf_row(tree, i) + k];
            sum = skedi_u128_add(sum, skedi_u128_of(mine));
        }
        skedi_u128 capacity = skedi_u128_of((uint64_t)tree->capacity[k]);
        if (skedi_u128_cmp(sum, tree->used[k]) != 0) return "usage is lost";
        full |= (uint32_t)(skedi_u128_cmp(sum, capacity) >= 0) << k;
    }
    return full == tree->full ? NULL : "a kind is full, or is not";
}

sked_status sked_hdrf_check(const sked_hdrf *tree, sked_error *err)
{
    if (!tree) return skedi_fail_null(err, "tree");

    const char *fault = usage_fault(tree);
    if (!fault) fault = hdrf_fault(tree);
    if (!fault) return SKED_OK;
    return skedi_fail_plain(err, SKED_ERR_INTERNAL, fault);
}

SKEDI_NO_TAIL_PADDING(sked_hdrf_options, reserved);
SKEDI_NO_TAIL_PADDING(sked_hdrf_standing, blocked);

enum { HDRF_OPTIONS_V1 = SKEDI_SIZE_THROUGH(sked_hdrf_options, reserved) };

static sked_status hdrf_options_in(sked_hdrf_options *opts,
                                   const sked_hdrf_options *given,
                                   sked_error *err)
{
    sked_status rc = skedi_struct_in(opts, sizeof *opts, given,
                                     HDRF_OPTIONS_V1);

    if (rc != SKED_OK) return skedi_fail_version(err, "options");
    if (opts->flags) return skedi_fail_flags(err, "options");
    if (opts->reserved) return skedi_fail_reserved(err, "options");
    if (opts->kinds > SKED_MAX_KINDS) {
        return skedi_fail(err, SKED_ERR_RANGE, "too many kinds",
                          (skedi_fault){.got = (int64_t)opts->kinds,
                                        .limit = SKED_MAX_KINDS});
    }
    if (opts->kinds == 0) opts->kinds = 1;
    return SKED_OK;
}

static void hdrf_release(sked_hdrf *tree, skedi_mem *mem)
{
    size_t n = tree->n, kinds = tree->kinds, inners = tree->inners;

    skedi_free(mem, tree->node, n, sizeof *tree->node);
    skedi_free(mem, tree->pending, n, sizeof *tree->pending);
    skedi_free(mem, tree->usage, n * kinds, sizeof *tree->usage);
    skedi_free(mem, tree->demand, n * kinds, sizeof *tree->demand);
    skedi_free(mem, tree->part, n * kinds, sizeof *tree->part);
    skedi_free(mem, tree->direction, n * kinds, sizeof *tree->direction);
    skedi_free(mem, tree->family, inners, sizeof *tree->family);
    skedi_free(mem, tree->rising, inners * kinds, sizeof *tree->rising);
    skedi_free(mem, tree->still, inners * kinds, sizeof *tree->still);
    skedi_free(mem, tree->kid, n, sizeof *tree->kid);
    skedi_free(mem, tree->key, tree->blocks,
               SKEDI_WINNER_BLOCK * sizeof *tree->key);
    skedi_free(mem, tree->winner, tree->blocks, 2 * sizeof *tree->winner);
    skedi_free(mem, tree, 1, sizeof *tree);
}

/* Reserves all rows of nodes and leaves; the number of families is unknown
 * yet. */
static int nodes_reserve(sked_hdrf *tree, skedi_mem *mem)
{
    size_t n = tree->n, kinds = tree->kinds;

    return (tree->node = skedi_new(mem, n, sizeof *tree->node)) &&
           (tree->pending = skedi_new(mem, n, sizeof *tree->pending)) &&
           (tree->usage = skedi_new(mem, n * kinds, sizeof *tree->usage)) &&
           (tree->demand = skedi_new(mem, n * kinds, sizeof *tree->demand)) &&
           (tree->part = skedi_new(mem, n * kinds, sizeof *tree->part)) &&
           (tree->direction = skedi_new(mem, n * kinds,
                                        sizeof *tree->direction)) &&
           (tree->kid = skedi_new(mem, n, sizeof *tree->kid));
}

/* Reserves the rows of inner nodes, after the count of inner nodes. */
static int inners_reserve(sked_hdrf *tree, skedi_mem *mem)
{
    size_t inners = tree->inners, sums = inners * tree->kinds;

    return (tree->family = skedi_new(mem, inners, sizeof *tree->family)) &&
           (tree->rising = skedi_new(mem, sums, sizeof *tree->rising)) &&
           (tree->still = skedi_new(mem, sums, sizeof *tree->still));
}

/* Blocks of keys, once the families have their sizes. */
static int blocks_reserve(sked_hdrf *tree, skedi_mem *mem)
{
    return (tree->key = skedi_new(mem, tree->blocks,
                                  SKEDI_WINNER_BLOCK * sizeof *tree->key)) &&
           (tree->winner = skedi_new(mem, tree->blocks,
                                     2 * sizeof *tree->winner));
}

/* Copies parents and weights into the nodes; counts the inner nodes. */
static void nodes_fill(sked_hdrf *tree, const uint32_t *parent,
                       const uint32_t *weight)
{
    for (uint32_t i = 0; i < tree->n; i++) {
        tree->node[i] = (skedi_hdrf_node){
            .parent = i ? parent[i] : SKED_HDRF_NONE,
            .weight = weight ? weight[i] : 1,
            .inverse = skedi_drf_inverse(weight ? weight[i] : 1),
            .inner = SKED_HDRF_NONE,
        };
        if (i == 0) continue;
        skedi_hdrf_node *up = &tree->node[parent[i]];
        if (up->inner == SKED_HDRF_NONE) up->inner = tree->inners++;
    }
}

/* Makes players of all children, and gives every family its stretches. */
static void families_fill(sked_hdrf *tree)
{
    uint32_t kids = 0;

    for (uint32_t i = 1; i < tree->n; i++) {
        skedi_hdrf_node *node = &tree->node[i];
        node->player = tree->family[tree->node[node->parent].inner].n++;
    }
    for (uint32_t i = 0; i < tree->inners; i++) {
        skedi_hdrf_family *family = &tree->family[i];
        family->first = kids;
        family->block = tree->blocks;
        family->blocks = skedi_winner_blocks(family->n);
        kids += family->n;
        tree->blocks += family->blocks;
    }
    for (uint32_t i = 1; i < tree->n; i++) {
        const skedi_hdrf_node *node = &tree->node[i];
        uint32_t inner = tree->node[node->parent].inner;
        tree->kid[tree->family[inner].first + node->player] = i;
    }
}

static int hdrf_fill(sked_hdrf *tree, skedi_mem *mem, const uint32_t *parent,
                     const uint32_t *weight)
{
    if (!nodes_reserve(tree, mem)) return 0;
    nodes_fill(tree, parent, weight);
    if (!inners_reserve(tree, mem)) return 0;
    families_fill(tree);
    if (!blocks_reserve(tree, mem)) {
        return 0;
    }
    for (uint32_t i = 0; i < tree->blocks * SKEDI_WINNER_BLOCK; i++) {
        tree->key[i] = SKEDI_WINNER_OUT;
    }
    for (uint32_t k = 0; k < tree->kinds; k++) {
        tree->scale[k] = skedi_drf_scale_of(0);
    }
    (void)hdrf_refill(tree);
    hdrf_build(tree);
    return 1;
}

/* Checks that parents come first and no node is too deep: one root and no
 * ring. */
static sked_status parents_in(const uint32_t *parent, size_t n, sked_error *err)
{
    if (n == 0) return skedi_fail_plain(err, SKED_ERR_ARG, "n is 0");
    if (n > 1 && !parent) return skedi_fail_null(err, "parent");
    if (n > SKED_MAX_QUEUES) {
        return skedi_fail(
            err, SKED_ERR_RANGE, "too many nodes",
            (skedi_fault){.got = (int64_t)n, .limit = SKED_MAX_QUEUES});
    }
    for (uint32_t i = 1; i < n; i++) {
        uint32_t levels = 2;
        skedi_fault at = {.row = i + INT64_C(1), .got = parent[i]};
        if (parent[i] >= i) {
            return skedi_fail(err, SKED_ERR_ARG, "a parent does not come first",
                              at);
        }
        for (uint32_t up = parent[i]; up != 0; up = parent[up]) levels++;
        if (levels <= SKED_MAX_DEPTH) continue;
        at.got = levels;
        at.limit = SKED_MAX_DEPTH;
        return skedi_fail(err, SKED_ERR_RANGE, "the tree is too deep", at);
    }
    return SKED_OK;
}

sked_status sked_hdrf_new(const uint32_t *parent, const uint32_t *weight,
                          size_t n, const sked_hdrf_options *options,
                          const sked_host *host, sked_hdrf **tree,
                          sked_error *err)
{
    sked_hdrf_options want;
    skedi_hooks hooks;

    if (!tree) return skedi_fail_null(err, "tree");
    *tree = NULL;
    sked_status rc = hdrf_options_in(&want, options, err);
    if (rc == SKED_OK) rc = parents_in(parent, n, err);
    if (rc == SKED_OK) rc = skedi_hooks_in(&hooks, host, err);
    if (rc != SKED_OK) return rc;

    sked_hdrf *made = skedi_new(&hooks.mem, 1, sizeof *made);
    if (!made) return skedi_fail_memory(err);
    made->kinds = want.kinds;
    made->n = (uint32_t)n;
    if (!hdrf_fill(made, &hooks.mem, parent, weight)) {
        hdrf_release(made, &hooks.mem);
        return skedi_fail_memory(err);
    }
    made->hooks = hooks;
    *tree = made;
    return SKED_OK;
}

void sked_hdrf_free(sked_hdrf *tree)
{
    if (!tree) return;
    sked_host host = tree->hooks.host;
    skedi_mem mem = tree->hooks.mem;
    hdrf_release(tree, &mem);
    skedi_hooks_done(host);
}

/* Creates a sked_hdrf over the rows of a queue tree; parents come first
 * there. */

sked_status sked_hdrf_of_tree(const sked_tree *queues, const sked_host *host,
                              sked_hdrf **tree, sked_error *err)
{
    sked_hdrf_options opts = {.struct_size = sizeof opts};

    if (!tree) return skedi_fail_null(err, "tree");
    *tree = NULL;
    if (!queues) return skedi_fail_null(err, "queues");
    const skedi_image *image = skedi_tree_image(queues);
    opts.kinds = image->kinds;
    /* The call does not read the root's -1; all other parents are the same as
     * unsigned numbers. */
    return sked_hdrf_new((const uint32_t *)image->parent, image->weight,
                         image->n, &opts, host, tree, err);
}
