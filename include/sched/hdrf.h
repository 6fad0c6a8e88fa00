#ifndef SKED_HDRF_H
#define SKED_HDRF_H

/*
 * Hierarchical dominant resource fairness (H-DRF): which leaf of a tree is
 * served next.
 *
 * The smallest use:
 *
 *     sked_hdrf_of_tree(queues, NULL, &tree, &err);
 *     sked_hdrf_set_capacity(tree, capacity, &err);
 *     sked_hdrf_set_leaves(tree, leaf, usage, demand, pending, n, &err);
 *     next = sked_hdrf_next(tree);
 *
 * Two simpler rules fail. Flat DRF over the leaves gives too little to a parent
 * whose children need different kinds; and if a parent's usage is the sum of
 * its children's, such children starve. Hierarchical DRF avoids both. A leaf is
 * blocked when it has no pending task, when a kind it needs is full, or when
 * the host says so; an inner node is blocked when all its children are. The
 * usage of an inner node is a sum: blocked children are added as they are, and
 * each other child is scaled down first, so that all of these have the least of
 * their weighted shares. From the root down, the child that is not blocked and
 * has the least weighted share is taken, the first among equals. In shares of
 * inner nodes, full kinds do not count [LNK-1].
 *
 * One allocation or release costs O(kinds + log siblings) a level, and fewer
 * levels when a node on the way up does not change. When a kind becomes full,
 * or stops being so, all nodes are computed anew in O(nodes * kinds).
 *
 * Numbers. The part of a kind that a node uses is x = floor(2^62 * usage /
 * capacity), at most 2^64 - 3: four clusters and above count alike, as does
 * any usage of a kind without capacity. With s the largest x that counts and
 * w the weight, a node's key is floor(s / w), weight 0 standing after all
 * others. With m the child that is to be taken next, a child c that is not
 * blocked enters its parent with d = floor(2^62 * x / s) (0 where s is 0), and
 * the parent's x is floor(s_m * sum(w_c * d_c) / (w_m * 2^62)) plus the x of
 * the blocked, kind by kind, 0 for full kinds (weight 0: w is taken as 1 in
 * these sums). These roundings are the definition: the answers are the same
 * on every machine and do not depend on how a state was reached.
 */

#include <sched/tree.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sked_hdrf sked_hdrf;

/* No node: the parent of the root, and the answer when all are blocked. */
#define SKED_HDRF_NONE UINT32_MAX

/* How to build a tree; a field that is 0 asks for the default. */
typedef struct sked_hdrf_options {
    uint32_t struct_size;
    uint32_t flags;    /* 0 */
    uint32_t kinds;    /* resource kinds, 1 to SKED_MAX_KINDS; 0: 1 */
    uint32_t reserved; /* 0 */
} sked_hdrf_options;

/* The share of a node, and what it follows from. */
typedef struct sked_hdrf_standing {
    uint64_t
        key; /* weighted share, 2^62 is one cluster; UINT64_MAX: weight 0 */
    uint64_t share; /* the share before it is divided by the weight */
    uint32_t weight;
    uint32_t blocked; /* 1: nothing below it can run */
} sked_hdrf_standing;

/*
 * Creates a tree of `n` nodes, 1 to SKED_MAX_QUEUES: parents first, node 0 the
 * root (its parent is not read), `parent[i]` below i; at most SKED_MAX_DEPTH
 * levels. Children stand in the order of their indices. `weight` may be NULL
 * (1 each). Leaves use nothing and have nothing pending; capacities are 0.
 * Arrays are copied; `host` and `options` may be NULL. On success the caller owns
 * `*tree`; on failure `*tree` is NULL.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE or
 * SKED_ERR_VERSION.
 */
SKED_TRY sked_status sked_hdrf_new(const uint32_t *parent,
                                   const uint32_t *weight, size_t n,
                                   const sked_hdrf_options *options,
                                   const sked_host *host, sked_hdrf **tree,
                                   sked_error *err);

/*
 * The same over the last commit of a queue tree: a node for each queue, by
 * row, with its weight, over the tree's kinds. Later commits do not change it;
 * while sked_tree_shape() is the same, rows still are the nodes.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE or
 * SKED_ERR_VERSION (the last two because of `host`). Cost: O(queues * kinds).
 */
SKED_TRY sked_status sked_hdrf_of_tree(const sked_tree *queues,
                                       const sked_host *host, sked_hdrf **tree,
                                       sked_error *err);

/* Frees the tree. NULL is allowed. */
SKED_API void sked_hdrf_free(sked_hdrf *tree);

/*
 * Sets the capacity of every kind, from 0 to SKED_AMOUNT_MAX; copied. What is
 * free of a kind is its capacity less what the leaves use; with nothing left
 * it is full.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE. Never allocates.
 * Cost: O(nodes * kinds).
 */
SKED_TRY sked_status sked_hdrf_set_capacity(sked_hdrf *tree,
                                            const int64_t *capacity,
                                            sked_error *err);

/*
 * Sets the kinds (a bit each) that the host calls full although something is
 * left, because that is too little or too scattered to be used. The new set
 * replaces the old one.
 *
 * Returns SKED_OK or SKED_ERR_ARG. Never allocates. Cost: O(nodes * kinds) if
 * it changes what is full, else O(1).
 */
SKED_TRY sked_status sked_hdrf_set_full(sked_hdrf *tree, uint32_t kinds,
                                        sked_error *err);

/*
 * Sets `n` leaves, each with a row of `usage`, a row of `demand` (of one task)
 * and the number of `pending` tasks (up to SKED_UNLIMITED). An array that is
 * NULL leaves that column as it is. When one row is refused, none is set. A
 * leaf whose demand is all zero counts as having nothing pending; a leaf that
 * the host has blocked stays blocked.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (row in `err`) or
 * SKED_ERR_NOT_FOUND (not a leaf), SKED_ERR_CANCELLED or the host's own code.
 * Never allocates. Cost: O(n * (kinds + log siblings) * depth), at most
 * O(nodes * kinds).
 */
SKED_TRY sked_status sked_hdrf_set_leaves(sked_hdrf *tree, const uint32_t *leaf,
                                          const int64_t *usage,
                                          const int64_t *demand,
                                          const int64_t *pending, size_t n,
                                          sked_error *err);

/*
 * Sets the weight of a node. Returns SKED_OK, SKED_ERR_ARG or
 * SKED_ERR_NOT_FOUND. Never allocates. Cost: that of an allocation.
 */
SKED_TRY sked_status sked_hdrf_set_weight(sked_hdrf *tree, uint32_t node,
                                          uint32_t weight, sked_error *err);

/*
 * Blocks a leaf (1), because its next task fits on no node, or ends that (0).
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_NOT_FOUND. Never allocates. Cost:
 * that of an allocation.
 */
SKED_TRY sked_status sked_hdrf_block(sked_hdrf *tree, uint32_t leaf,
                                     int blocked, sked_error *err);

/*
 * The leaf that is served next, or SKED_HDRF_NONE when all are blocked. Changes
 * nothing. Cost: O(depth).
 */
SKED_API uint32_t sked_hdrf_next(const sked_hdrf *tree);

/*
 * Starts `tasks` of a leaf's pending tasks: its usage grows by its demand times
 * that number.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOT_FOUND (not a leaf),
 * SKED_ERR_STATE (not so many are pending) or SKED_ERR_RANGE (more than is
 * free of a kind). Never allocates. Cost: O((kinds + log siblings) * depth),
 * and O(nodes * kinds) when a kind becomes full.
 */
SKED_TRY sked_status sked_hdrf_allocate(sked_hdrf *tree, uint32_t leaf,
                                        int64_t tasks, sked_error *err);

/*
 * Takes `amount`, one amount a kind, off what a leaf uses.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOT_FOUND or SKED_ERR_RANGE (it
 * does not use so much). Never allocates. Cost: that of an allocation.
 */
SKED_TRY sked_status sked_hdrf_release(sked_hdrf *tree, uint32_t leaf,
                                       const int64_t *amount, sked_error *err);

/*
 * Starts one task of the next leaf, again and again, until that was done `cap`
 * times or no leaf can run; a leaf whose task does not fit into what is free is
 * blocked. Writes the leaf of each task; `*n` says how many.
 *
 * Returns SKED_OK or SKED_ERR_ARG; SKED_STOPPED when a hook ended the run
 * early, and then the tasks written so far are started. Never allocates. Cost:
 * that of an allocation for each task.
 */
SKED_TRY sked_status sked_hdrf_run(sked_hdrf *tree, uint32_t *leaf, size_t cap,
                                   size_t *n, sked_error *err);

/*
 * Reads the share of a node. Returns SKED_OK, SKED_ERR_ARG or
 * SKED_ERR_NOT_FOUND. Never allocates. Cost: O(kinds).
 */
SKED_TRY sked_status sked_hdrf_share(const sked_hdrf *tree, uint32_t node,
                                     sked_hdrf_standing *standing);

/*
 * What a leaf uses, one amount a kind, and (when not NULL) how many tasks are
 * pending. Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_NOT_FOUND.
 */
SKED_TRY sked_status sked_hdrf_usage(const sked_hdrf *tree, uint32_t leaf,
                                     int64_t *usage, int64_t *pending);

/*
 * A digest (XXH64) of everything that the answers follow from, nodes in the
 * order of their indices. Two trees with the same digest give the same answers.
 * Cost: O(nodes * kinds).
 */
SKED_API uint64_t sked_hdrf_digest(const sked_hdrf *tree);

/*
 * Verifies every invariant: sums, shares and orders as if computed anew.
 * Returns SKED_OK, SKED_ERR_ARG, or SKED_ERR_INTERNAL with the broken
 * invariant in `err`. Cost: O(nodes * kinds).
 */
SKED_TRY sked_status sked_hdrf_check(const sked_hdrf *tree, sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
