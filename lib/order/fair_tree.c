/* Ranks by fair tree, from arrays or a tree. */
#include <sched/fair_tree.h>

#include "base/arith.h"
#include "base/fail.h"
#include "base/hooks.h"
#include "base/sort.h"
#include "ledger/handle.h"

/* The nodes to rank: columns by node, parents first, with checked shares and
 * usage. */
typedef struct skedi_fair_nodes {
    const uint32_t *parent; /* not read for node 0 */
    const uint32_t *shares; /* NULL: 1 each */
    const int64_t *usage;   /* leaves' */
    uint32_t n;
} skedi_fair_nodes;

/*
 * Ranking by fair tree: a depth-first walk with an explicit stack. A family
 * under ranking is a frame on the stack. The members of all open frames lie in
 * one array, the pile. Each frame's members are sorted, best first. The pile
 * cannot outgrow the tree, because a node is in at most one open frame. If the
 * next member of the top frame is a leaf, the leaf takes the next rank. If the
 * member is an inner node, a new frame opens with the children of the node and
 * of all inner nodes that tie with the node.
 */

/* The facts about a node before the ranking. */
typedef struct rank_node {
    int64_t usage;   /* own usage, or the usage of all nodes below */
    uint64_t shares; /* sum over all children */
    uint32_t first;  /* children: kids[first .. first + count) */
    uint32_t count;
    uint32_t level;
} rank_node;

/* The members of one family, or of several tied families, still to be ranked.
 */
typedef struct rank_frame {
    uint32_t begin; /* in the pile */
    uint32_t at;
    uint32_t end;
    int tied; /* does the first member tie with the member before? */
} rank_frame;

typedef struct rank_work {
    const skedi_fair_nodes *in;
    rank_node *nodes;
    uint32_t *kids;
    uint32_t *pile;
    uint32_t *scratch;
    rank_frame *frames; /* one for each level */
    uint32_t levels;
    uint32_t open;
    uint32_t rank; /* of the last leaf; a leaf that ties with the last leaf gets
                      the same rank */
    uint32_t left; /* leaves without a rank, and also the next rank */
} rank_work;

static uint64_t node_shares(const skedi_fair_nodes *in, uint32_t i)
{
    return in->shares ? in->shares[i] : 1;
}

/* a * b in 256 bits: `high` is above one word. */
typedef struct rank_product {
    skedi_u192 high;
    uint64_t low;
} rank_product;

static rank_product rank_multiply(skedi_u128 a, skedi_u128 b)
{
    skedi_u192 lower = skedi_u192_mul(a, skedi_u128_low(b));
    skedi_u192 upper = skedi_u192_mul(a, skedi_u128_high(b));
    skedi_u192 carry = {skedi_u128_of(skedi_u128_high(lower.high)),
                        skedi_u128_low(lower.high)};

    return (rank_product){skedi_u192_add(upper, carry), lower.low};
}

static int rank_product_cmp(rank_product a, rank_product b)
{
    int high = skedi_u192_cmp(a.high, b.high);

    return high ? high : (a.low > b.low) - (a.low < b.low);
}

/* 0: no shares, 1: S / U is a number, 2: nothing used. */
static int rank_class(const rank_work *work, uint32_t i)
{
    if (node_shares(work->in, i) == 0) return 0;
    return work->nodes[i].usage == 0 ? 2 : 1;
}

/* The sign of (S / U of `a`) - (S / U of `b`); both are numbers. */
static int compare_levels(const rank_work *work, uint32_t a, uint32_t b)
{
    const rank_node *up_a = &work->nodes[work->in->parent[a]];
    const rank_node *up_b = &work->nodes[work->in->parent[b]];
    uint64_t s_a = node_shares(work->in, a), s_b = node_shares(work->in, b);
    uint64_t u_a = (uint64_t)work->nodes[a].usage;
    uint64_t u_b = (uint64_t)work->nodes[b].usage;

    if (up_a == up_b) return skedi_cmp_mul(s_a, u_b, s_b, u_a);
    return rank_product_cmp(
        rank_multiply(skedi_u128_mul(s_a, up_b->shares),
                      skedi_u128_mul((uint64_t)up_a->usage, u_b)),
        rank_multiply(skedi_u128_mul(s_b, up_a->shares),
                      skedi_u128_mul((uint64_t)up_b->usage, u_a)));
}

/* Positive: `a` is better than `b`. */
static int compare_nodes(const rank_work *work, uint32_t a, uint32_t b)
{
    int of_a = rank_class(work, a), of_b = rank_class(work, b);

    if (of_a != of_b || of_a != 1) return of_a - of_b;
    return compare_levels(work, a, b);
}

static int is_inner(const rank_work *work, uint32_t i)
{
    return work->nodes[i].count > 0;
}

/* Better nodes first. Among equal nodes, leaves come first and rank above. */
static int rank_before(const void *ctx, uint32_t a, uint32_t b)
{
    const rank_work *work = ctx;
    int better = compare_nodes(work, a, b);

    return better ? -better : is_inner(work, a) - is_inner(work, b);
}

static void push_frame(rank_work *work, const uint32_t *group, uint32_t n,
                       int tied)
{
    uint32_t begin = work->open ? work->frames[work->open - 1].end : 0;
    rank_frame frame = {begin, begin, begin, tied};

    for (uint32_t g = 0; g < n; g++) {
        const rank_node *node = &work->nodes[group[g]];
        for (uint32_t i = 0; i < node->count; i++) {
            work->pile[frame.end++] = work->kids[node->first + i];
        }
    }
    skedi_sort(work->pile + begin, work->scratch, frame.end - begin,
               rank_before, work);
    work->frames[work->open++] = frame;
}

/* Counts the inner nodes of the frame that tie with the node at `at`, including
 * the node. */
static uint32_t count_tied(const rank_work *work, const rank_frame *frame)
{
    const uint32_t *pile = work->pile;
    uint32_t i = frame->at + 1;

    while (i < frame->end && is_inner(work, pile[i]) &&
           compare_nodes(work, pile[i], pile[frame->at]) == 0) {
        i++;
    }
    return i - frame->at;
}

/* Ranks or opens the next member of the top frame. */
static void rank_step(rank_work *work, uint32_t *ranks)
{
    rank_frame *frame = &work->frames[work->open - 1];
    const uint32_t *next = &work->pile[frame->at];
    int tied = frame->tied;

    if (frame->at > frame->begin) {
        tied = compare_nodes(work, next[-1], next[0]) == 0;
    }
    if (is_inner(work, *next)) {
        uint32_t n = count_tied(work, frame);
        frame->at += n;
        push_frame(work, next, n, tied);
        return;
    }
    if (!tied) work->rank = work->left;
    ranks[*next] = work->rank;
    work->left--;
    frame->at++;
}

static sked_status rank_all(rank_work *work, const skedi_hooks *hooks,
                            uint32_t *ranks, sked_error *err)
{
    const uint32_t root = 0;
    uint64_t steps = 0;

    for (uint32_t i = 0; i < work->in->n; i++) ranks[i] = 0;
    if (work->in->n == 1) ranks[0] = 1; /* a lone root is a leaf */
    push_frame(work, &root, 1, 0);
    while (work->open > 0) {
        const rank_frame *top = &work->frames[work->open - 1];
        if (top->at == top->end) {
            work->open--;
            continue;
        }
        rank_step(work, ranks);
        if (++steps & 0xfff) continue;
        sked_status rc = skedi_hooks_check(hooks, steps, work->in->n);
        if (rc != SKED_OK) return skedi_fail_stopped(err, rc);
    }
    return SKED_OK;
}

/* Checks and copies a leaf's usage. */
static sked_status take_usage(rank_work *work, uint32_t i, sked_error *err)
{
    int64_t usage = work->in->usage[i];

    if (usage < 0 || usage > SKED_AMOUNT_MAX) {
        return skedi_fail(err, SKED_ERR_RANGE, "usage is out of range",
                          (skedi_fault){.row = i + INT64_C(1),
                                        .got = usage,
                                        .limit = SKED_AMOUNT_MAX});
    }
    work->nodes[i].usage = usage;
    work->left++;
    return SKED_OK;
}

/* Adds a node's usage and shares to its parent. */
static sked_status add_up(rank_work *work, uint32_t i, sked_error *err)
{
    const rank_node *node = &work->nodes[i];
    rank_node *up = &work->nodes[work->in->parent[i]];

    up->count++;
    up->shares += node_shares(work->in, i);
    if (node->usage > SKED_AMOUNT_MAX - up->usage) {
        return skedi_fail(err, SKED_ERR_RANGE, "usage adds up too high",
                          (skedi_fault){.row = work->in->parent[i] + INT64_C(1),
                                        .limit = SKED_AMOUNT_MAX});
    }
    up->usage += node->usage;
    return SKED_OK;
}

/* Sums from the leaves up, levels from the root down. */
static sked_status survey(rank_work *work, sked_error *err)
{
    const skedi_fair_nodes *in = work->in;
    sked_status rc = SKED_OK;

    for (uint32_t i = in->n; rc == SKED_OK && i-- > 0;) {
        if (!is_inner(work, i)) rc = take_usage(work, i, err);
        if (rc == SKED_OK && i > 0) rc = add_up(work, i, err);
    }
    for (uint32_t i = 0; rc == SKED_OK && i < in->n; i++) {
        rank_node *node = &work->nodes[i];
        if (i > 0) node->level = work->nodes[in->parent[i]].level + 1;
        if (node->level >= work->levels) work->levels = node->level + 1;
    }
    return rc;
}

/* Lists every node's children, in order of their indices. */
static void list_kids(rank_work *work)
{
    const skedi_fair_nodes *in = work->in;
    uint32_t used = 0;

    for (uint32_t i = 0; i < in->n; i++) {
        work->nodes[i].first = used;
        used += work->nodes[i].count;
        work->nodes[i].count = 0;
    }
    for (uint32_t i = 1; i < in->n; i++) {
        rank_node *up = &work->nodes[in->parent[i]];
        work->kids[up->first + up->count++] = i;
    }
}

static void rank_drop(rank_work *work, skedi_mem *mem)
{
    uint32_t n = work->in->n;

    skedi_free(mem, work->nodes, n, sizeof *work->nodes);
    skedi_free(mem, work->kids, n, sizeof *work->kids);
    skedi_free(mem, work->pile, n, sizeof *work->pile);
    skedi_free(mem, work->scratch, n, sizeof *work->scratch);
    skedi_free(mem, work->frames, work->levels, sizeof *work->frames);
}

static int rank_memory(rank_work *work, skedi_mem *mem)
{
    uint32_t n = work->in->n;

    work->nodes = skedi_new(mem, n, sizeof *work->nodes);
    work->kids = skedi_new(mem, n, sizeof *work->kids);
    work->pile = skedi_new(mem, n, sizeof *work->pile);
    work->scratch = skedi_new(mem, n, sizeof *work->scratch);
    return work->nodes && work->kids && work->pile && work->scratch;
}

static sked_status rank_reserved(rank_work *work, skedi_hooks *hooks,
                                 uint32_t *ranks, sked_error *err)
{
    sked_status rc = survey(work, err);

    if (rc != SKED_OK) return rc;
    work->frames = skedi_new(&hooks->mem, work->levels, sizeof *work->frames);
    if (!work->frames) {
        return skedi_fail_memory(err);
    }
    list_kids(work);
    return rank_all(work, hooks, ranks, err);
}

/* sked_fair_tree_ranks() without the checks of the columns. */
static sked_status order_fair_rank(const skedi_fair_nodes *nodes,
                                   skedi_hooks *hooks, uint32_t *ranks,
                                   sked_error *err)
{
    rank_work work = {.in = nodes};
    sked_status rc;

    if (rank_memory(&work, &hooks->mem)) {
        rc = rank_reserved(&work, hooks, ranks, err);
    } else {
        rc = skedi_fail_memory(err);
    }
    rank_drop(&work, &hooks->mem);
    return rc;
}

static sked_status parents_sound(const uint32_t *parent, size_t n,
                                 sked_error *err)
{
    for (size_t i = 1; i < n; i++) {
        if (parent[i] < i) continue;
        return skedi_fail(
            err, SKED_ERR_ARG, "a parent does not come first",
            (skedi_fault){.row = (int64_t)i + 1, .got = parent[i]});
    }
    return SKED_OK;
}

sked_status sked_fair_tree_ranks(const uint32_t *parent, const uint32_t *shares,
                                 const int64_t *usage, size_t n,
                                 const sked_host *host, uint32_t *ranks,
                                 sked_error *err)
{
    skedi_hooks hooks;
    skedi_fair_nodes nodes = {parent, shares, usage, (uint32_t)n};

    const char *missing = !parent  ? "parent"
                          : !usage ? "usage"
                          : !ranks ? "ranks"
                                   : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (n == 0 || n > INT32_MAX) {
        return skedi_fail(err, SKED_ERR_RANGE, "no such number of nodes",
                          (skedi_fault){.got = (int64_t)n, .limit = INT32_MAX});
    }
    sked_status rc = parents_sound(parent, n, err);
    if (rc == SKED_OK) rc = skedi_hooks_in(&hooks, host, err);
    return rc == SKED_OK ? order_fair_rank(&nodes, &hooks, ranks, err) : rc;
}

sked_status sked_fair_tree(const sked_tree *tree, const sked_ledger *ledger,
                           uint32_t kind, const sked_host *host,
                           uint32_t *ranks, size_t cap, size_t *n,
                           sked_error *err)
{
    skedi_hooks hooks;

    const char *missing = !tree ? "tree" : !ledger ? "ledger" : !n ? "n" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    const skedi_image *image = skedi_tree_image(tree);
    if (!skedi_ledger_follows(ledger, image)) {
        return skedi_fail_plain(err, SKED_ERR_STATE,
                                "the ledger follows other rows");
    }
    if (kind >= image->kinds) {
        return skedi_fail(err, SKED_ERR_ARG, "no such kind",
                          (skedi_fault){.got = kind});
    }
    *n = image->n;
    if (cap < image->n) {
        return skedi_fail_cap(err, image->n, cap);
    }
    if (!ranks) return skedi_fail_null(err, "ranks");
    sked_status rc = skedi_hooks_in(&hooks, host, err);
    if (rc != SKED_OK) return rc;
    skedi_fair_nodes nodes = {
        .parent = (const uint32_t *)image->parent, /* the root's is not read */
        .shares = image->weight,
        .usage = skedi_ledger_column(ledger, SKED_LEDGER_HISTORY, kind),
        .n = image->n,
    };
    return order_fair_rank(&nodes, &hooks, ranks, err);
}
