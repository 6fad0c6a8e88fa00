#ifndef SKED_FAIR_TREE_H
#define SKED_FAIR_TREE_H

/*
 * Fair tree, as in Slurm: ranks users by their past usage against their shares,
 * account by account from the root down.
 *
 * The smallest use:
 *
 *     sked_fair_tree_ranks(parent, shares, usage, n, NULL, ranks, &err);
 *
 * The level of a node among its siblings is S / U: its part of their shares
 * over its part of their usage; a higher level is better. Every child of a
 * better account ranks above every child of a worse one. Siblings with equal
 * levels tie: tied users share a rank, and the children of tied accounts are
 * ranked together. A node without usage has an infinite level; one without
 * shares ranks below all others, whatever it used. Levels are compared exactly,
 * by cross-multiplication of integers, so a tie is a tie on every machine.
 */

#include <sched/ledger.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Ranks the leaves of a tree of `n` nodes, given as arrays: parent[i] is below
 * i, node 0 is the root (its parent is not read), shares are 0 to 2^32-1, and
 * usage of leaves is 0 to SKED_AMOUNT_MAX (that of inner nodes is not read).
 * The best leaf gets the number of leaves as its rank, and the worst at least
 * 1. Tied leaves all get the rank of the first of them, and the next leaf ranks
 * as if they had not tied. Inner nodes get 0. `shares` may be NULL (1 each),
 * and so may `host`.
 *
 * Returns SKED_OK, SKED_ERR_ARG (a parent: `err->row` names the node),
 * SKED_ERR_NOMEM, SKED_ERR_RANGE (a usage, a sum of them; n is 0 or 2^31 and
 * above), SKED_ERR_VERSION, SKED_ERR_CANCELLED or a code of the host's own.
 * On failure the contents of `ranks` mean nothing.
 * Cost: O(n log n), at any depth.
 */
SKED_TRY sked_status sked_fair_tree_ranks(const uint32_t *parent,
                                          const uint32_t *shares,
                                          const int64_t *usage, size_t n,
                                          const sked_host *host,
                                          uint32_t *ranks, sked_error *err);

/*
 * The same for the last commit of `tree`: shares are weights, usage is the
 * ledger's history of one kind, ranks go by row. Writes at most `cap`; `*n`
 * is always the number of rows. Draining leaves are ranked like others.
 *
 * Returns as sked_fair_tree_ranks(), and SKED_ERR_ARG (no such kind),
 * SKED_ERR_RANGE (`cap` too small) or SKED_ERR_STATE (the ledger follows other
 * rows).
 */
SKED_TRY sked_status sked_fair_tree(const sked_tree *tree,
                                    const sked_ledger *ledger, uint32_t kind,
                                    const sked_host *host, uint32_t *ranks,
                                    size_t cap, size_t *n, sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
