/*
 * A scapegoat tree, balanced by weight with alpha = 7/10. If a child has more
 * than seven tenths of the nodes of its parent, the highest such subtree (the
 * scapegoat) is rebuilt evenly. A rebuild costs amortized O(log n) for each
 * node added since the last rebuild. Removal is lazy: removed amounts stay as
 * nodes of length 0 until they are more than half of all nodes; then the whole
 * tree is rebuilt without them. Paths have at most 64 nodes, even with the
 * largest number of nodes.
 */
#include "history/curve.h"

enum {
    CURVE_PATH = 96, /* longer than any path */
    UNEVEN_LEAST = 8 /* smaller subtrees are never rebuilt */
};

int skedi_curve_reserve(skedi_curve *a, size_t more, skedi_mem *mem)
{
    void *node = a->node, *order = a->order;
    size_t want = a->n - a->n_free + more;
    int done = skedi_ensure(mem, &node, &a->node_cap, want, sizeof *a->node);

    a->node = node;
    if (!done) return 0;
    done = skedi_ensure(mem, &order, &a->order_cap, want, sizeof *a->order);
    a->order = order;
    return done;
}

void skedi_curve_free(skedi_curve *a, skedi_mem *mem)
{
    skedi_free(mem, a->node, a->node_cap, sizeof *a->node);
    skedi_free(mem, a->order, a->order_cap, sizeof *a->order);
    *a = (skedi_curve){0};
}

static uint32_t count_at(const skedi_curve *a, uint32_t at)
{
    return at ? a->node[at - 1].count : 0;
}

static uint64_t sum_at(const skedi_curve *a, uint32_t at)
{
    return at ? a->node[at - 1].sum : 0;
}

static skedi_u128 usage_at(const skedi_curve *a, uint32_t at)
{
    return at ? a->node[at - 1].usage : skedi_u128_of(0);
}

static void renew_node(skedi_curve *a, uint32_t at)
{
    skedi_curve_node *x = &a->node[at - 1];

    x->count = 1 + count_at(a, x->left) + count_at(a, x->right);
    x->sum = x->length + sum_at(a, x->left) + sum_at(a, x->right);
    x->usage = skedi_u128_add(
        skedi_u128_mul(x->amount, x->length),
        skedi_u128_add(usage_at(a, x->left), usage_at(a, x->right)));
}

/* ---- Rebuilding ---- */

/* Writes the nodes of the subtree of `at` into `order`, in ascending order. */
static uint32_t lay_out(skedi_curve *a, uint32_t at)
{
    uint32_t path[CURVE_PATH], depth = 0, n = 0;

    while (at || depth > 0) {
        for (; at; at = a->node[at - 1].left) path[depth++] = at;
        at = path[--depth];
        a->order[n++] = at;
        at = a->node[at - 1].right;
    }
    return n;
}

/* Builds an even tree of order[from] to order[to - 1] and returns the root. The
 * recursion is at most 32 deep. */
static uint32_t build_even(skedi_curve *a, uint32_t from, uint32_t to)
{
    if (from == to) return 0;
    uint32_t mid = from + (to - from) / 2, at = a->order[mid];

    a->node[at - 1].left = build_even(a, from, mid);
    a->node[at - 1].right = build_even(a, mid + 1, to);
    renew_node(a, at);
    return at;
}

/* Rebuilds the whole tree without nodes of length 0, and frees these nodes. */
static void sweep_out(skedi_curve *a)
{
    uint32_t n = lay_out(a, a->root), live = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = a->order[i];
        if (a->node[at - 1].length > 0) {
            a->order[live++] = at;
            continue;
        }
        a->node[at - 1].left = a->free;
        a->free = at;
        a->n_free++;
    }
    a->gone = 0;
    a->root = build_even(a, 0, live);
}

/* ---- Changes ---- */

static uint32_t take_node(skedi_curve *a)
{
    uint32_t at = a->free;

    if (!at) return ++a->n;
    a->free = a->node[at - 1].left;
    a->n_free--;
    return at;
}

/* Finds the highest subtree on a path in which the child on the path has too
 * many nodes, and rebuilds the subtree evenly. The child has just grown. */
static void even_out(skedi_curve *a, const uint32_t *path, uint32_t depth)
{
    for (uint32_t i = 0; i + 1 < depth; i++) {
        uint32_t count = count_at(a, path[i]);
        uint64_t child = count_at(a, path[i + 1]);
        if (count < UNEVEN_LEAST || child * 10 <= (uint64_t)count * 7) continue;
        uint32_t n = lay_out(a, path[i]), even = build_even(a, 0, n);
        skedi_curve_node *up = i > 0 ? &a->node[path[i - 1] - 1] : NULL;
        if (!up)
            a->root = even;
        else if (up->left == path[i])
            up->left = even;
        else
            up->right = even;
        return;
    }
}

/* The path to an amount, or to the place of a new node for the amount. */
static uint32_t curve_path(const skedi_curve *a, uint64_t amount,
                           uint32_t *path)
{
    uint32_t depth = 0, at = a->root;

    while (at) {
        const skedi_curve_node *x = &a->node[at - 1];
        path[depth++] = at;
        if (x->amount == amount) break;
        at = amount < x->amount ? x->left : x->right;
    }
    return depth;
}

/* Adds a node below the end of a path; returns the number of the node. */
static uint32_t hang_node(skedi_curve *a, const uint32_t *path, uint32_t depth,
                          uint64_t amount)
{
    uint32_t at = take_node(a);
    skedi_curve_node *last = depth ? &a->node[path[depth - 1] - 1] : NULL;

    a->node[at - 1] = (skedi_curve_node){.amount = amount};
    if (!last)
        a->root = at;
    else if (amount < last->amount)
        last->left = at;
    else
        last->right = at;
    return at;
}

void skedi_curve_add(skedi_curve *a, uint64_t amount, uint64_t length)
{
    uint32_t path[CURVE_PATH], depth = curve_path(a, amount, path), fresh = 0;
    skedi_u128 usage = skedi_u128_mul(amount, length);

    if (depth == 0 || a->node[path[depth - 1] - 1].amount != amount) {
        path[depth] = hang_node(a, path, depth, amount);
        depth++;
        fresh = 1;
    }
    for (uint32_t i = 0; i < depth; i++) {
        skedi_curve_node *x = &a->node[path[i] - 1];
        x->sum += length;
        x->usage = skedi_u128_add(x->usage, usage);
        x->count += fresh;
    }
    skedi_curve_node *own = &a->node[path[depth - 1] - 1];
    a->gone -= !fresh && own->length == 0;
    own->length += length;
    if (fresh) even_out(a, path, depth);
}

void skedi_curve_take(skedi_curve *a, uint64_t amount, uint64_t length)
{
    uint32_t path[CURVE_PATH], depth = curve_path(a, amount, path);
    skedi_curve_node *own = &a->node[path[depth - 1] - 1];
    skedi_u128 usage = skedi_u128_mul(amount, length);

    for (uint32_t i = 0; i < depth; i++) {
        skedi_curve_node *x = &a->node[path[i] - 1];
        x->sum -= length;
        x->usage = skedi_u128_sub(x->usage, usage);
    }
    own->length -= length;
    if (own->length > 0) return;
    a->gone++;
    if (a->gone > count_at(a, a->root) / 2) sweep_out(a);
}

/* ---- Questions ---- */

int skedi_curve_has(const skedi_curve *a, uint64_t amount)
{
    uint32_t path[CURVE_PATH], depth = curve_path(a, amount, path);

    return depth > 0 && a->node[path[depth - 1] - 1].amount == amount;
}

skedi_curve_place skedi_curve_at(const skedi_curve *a, uint64_t need)
{
    uint64_t below = 0;
    const skedi_curve_node *x = &a->node[a->root - 1];

    for (;;) {
        uint64_t left = below + sum_at(a, x->left);
        if (need <= left) {
            x = &a->node[x->left - 1];
        } else if (need <= left + x->length) {
            return (skedi_curve_place){x->amount, left, left + x->length};
        } else {
            below = left + x->length;
            x = &a->node[x->right - 1];
        }
    }
}

skedi_u128 skedi_curve_usage(const skedi_curve *a, uint64_t most)
{
    skedi_u128 sum = skedi_u128_of(0);

    for (uint32_t at = a->root; at;) {
        const skedi_curve_node *x = &a->node[at - 1];
        if (x->amount > most) {
            at = x->left;
            continue;
        }
        sum = skedi_u128_add(sum, usage_at(a, x->left));
        sum = skedi_u128_add(sum, skedi_u128_mul(x->amount, x->length));
        at = x->right;
    }
    return sum;
}

uint64_t skedi_curve_upto(const skedi_curve *a, uint64_t most)
{
    uint64_t sum = 0;

    for (uint32_t at = a->root; at;) {
        const skedi_curve_node *x = &a->node[at - 1];
        if (x->amount > most) {
            at = x->left;
            continue;
        }
        sum += sum_at(a, x->left) + x->length;
        at = x->right;
    }
    return sum;
}

void skedi_curve_list(const skedi_curve *a, int64_t *amount, int64_t *covered)
{
    uint32_t path[CURVE_PATH], depth = 0, at = a->root;
    uint64_t sum = 0;

    while (at || depth > 0) {
        for (; at; at = a->node[at - 1].left) path[depth++] = at;
        const skedi_curve_node *x = &a->node[path[--depth] - 1];
        at = x->right;
        if (x->length == 0) continue;
        sum += x->length;
        *amount++ = (int64_t)x->amount;
        *covered++ = (int64_t)sum;
    }
}

/* True if a node's sums follow from its children. */
static int node_is_sound(const skedi_curve *a, uint32_t at)
{
    const skedi_curve_node *x = &a->node[at - 1];
    skedi_u128 usage = skedi_u128_mul(x->amount, x->length);

    usage = skedi_u128_add(usage, usage_at(a, x->left));
    usage = skedi_u128_add(usage, usage_at(a, x->right));
    return x->count == 1 + count_at(a, x->left) + count_at(a, x->right) &&
           x->sum == x->length + sum_at(a, x->left) + sum_at(a, x->right) &&
           skedi_u128_cmp(x->usage, usage) == 0;
}

int skedi_curve_are_sound(const skedi_curve *a)
{
    uint32_t path[CURVE_PATH], depth = 0, at = a->root, n = 0, gone = 0;
    uint64_t last = 0;

    while (at || depth > 0) {
        for (; at; at = a->node[at - 1].left) {
            if (depth == CURVE_PATH || !node_is_sound(a, at)) return 0;
            path[depth++] = at;
        }
        const skedi_curve_node *x = &a->node[path[--depth] - 1];
        if (n++ > 0 && x->amount <= last) return 0;
        last = x->amount;
        gone += x->length == 0;
        at = x->right;
    }
    return n + a->n_free == a->n && gone == a->gone;
}
