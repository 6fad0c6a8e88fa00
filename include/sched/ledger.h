#ifndef SKED_LEDGER_H
#define SKED_LEDGER_H

/*
 * A ledger of the amounts of each queue: usage, demand, running applications,
 * and decayed usage of the past. [PEL-9] [LNK-12] The smallest use:
 *
 *     sked_ledger_new(tree, NULL, NULL, &ledger, &err);
 *     sked_ledger_set(ledger, SKED_LEDGER_USAGE, leaves, amounts, n, &err);
 *
 * The host sets amounts for leaves; a parent's amounts are always the sums of
 * its children's. The rows are the rows of the tree's commit that the ledger
 * last followed (tree.h). After a commit that changed rows,
 * sked_ledger_follow() moves the amounts to the new rows by id, but never to a
 * queue of another tree with the same id. A host with several partitions keeps
 * one ledger for each.
 */

#include <sched/tree.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sked_ledger sked_ledger;

/* The columns. */
enum sked_ledger_column {
    SKED_LEDGER_USAGE = 1,   /* held now; one amount a kind */
    SKED_LEDGER_DEMAND = 2,  /* held plus still asked for */
    SKED_LEDGER_HISTORY = 3, /* used in the past, decayed; the host's unit */
    SKED_LEDGER_RUNNING = 4  /* applications running; one number a queue */
};

typedef struct sked_ledger_options {
    uint32_t struct_size;
    uint32_t flags;       /* 0 */
    int64_t half_life_ns; /* half-life of SKED_LEDGER_HISTORY, in ns; 0: no
                             decay */
} sked_ledger_options;

/*
 * Creates a ledger over the rows of the last commit of `tree`, all zero.
 * `host` and `options` may be NULL and are copied. The caller owns `*ledger`.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE or
 * SKED_ERR_VERSION.
 */
SKED_TRY sked_status sked_ledger_new(const sked_tree *tree,
                                     const sked_ledger_options *options,
                                     const sked_host *host,
                                     sked_ledger **ledger, sked_error *err);

/* Frees the ledger. NULL is allowed. */
SKED_API void sked_ledger_free(sked_ledger *ledger);

/*
 * Makes a ledger equal to `ledger`, with a host of its own.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM or SKED_ERR_VERSION.
 */
SKED_TRY sked_status sked_ledger_copy(const sked_ledger *ledger,
                                      const sked_host *host, sked_ledger **copy,
                                      sked_error *err);

/*
 * Reserves memory. Following a tree that never had more than `queues` queues at
 * a time then does not allocate. Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM
 * or SKED_ERR_RANGE.
 */
SKED_TRY sked_status sked_ledger_reserve(sked_ledger *ledger, size_t queues,
                                         sked_error *err);

/*
 * Takes over the rows of the last commit of `tree`: the ledger's tree, or a
 * copy that was changed on its own. Amounts stay with the ids, and new queues
 * begin at zero. A queue that is gone, or became a parent, must have been idle;
 * its history is dropped.
 *
 * Another tree has ids of its own, possibly the same numbers for other queues.
 * The call rejects another tree if the ledger has any amount under an id. Read
 * a changed configuration into the existing tree instead (sked_tree_parse()),
 * which keeps the ids of existing paths.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_SCHEMA or
 * SKED_ERR_STATE (a busy queue is gone or became a parent, or the tree is
 * neither the ledger's nor a copy: `err` names a queue of the ledger). Cost:
 * O(1) if rows are the same, else O(queues * kinds).
 */
SKED_TRY sked_status sked_ledger_follow(sked_ledger *ledger,
                                        const sked_tree *tree, sked_error *err);

/* The number of the commit whose rows the ledger has (sked_tree_version()). */
SKED_API uint64_t sked_ledger_version(const sked_ledger *ledger);

/*
 * Sets the amounts of `n` leaves in one column: `amounts` is n x kinds, row by
 * row (n numbers for SKED_LEDGER_RUNNING). Ancestors' sums follow. All or
 * nothing; `err->row` names the row at fault.
 *
 * Returns SKED_OK, SKED_ERR_ARG (no such column; a parent), SKED_ERR_NOMEM,
 * SKED_ERR_RANGE (negative, or a sum above SKED_AMOUNT_MAX) or SKED_ERR_STALE.
 * Cost: O(n depth kinds). Allocates only to grow its own scratch.
 */
SKED_TRY sked_status sked_ledger_set(sked_ledger *ledger, int32_t column,
                                     const sked_queue_id *queues,
                                     const int64_t *amounts, size_t n,
                                     sked_error *err);

/*
 * Adds to the amounts of `n` leaves; amounts may be negative, results may not.
 * A leaf may occur more than once: rows are applied in order, and after each
 * row the leaf must have 0 to SKED_AMOUNT_MAX. The sums of parents need to be
 * in range only after the last row. Otherwise as sked_ledger_set().
 */
SKED_TRY sked_status sked_ledger_add(sked_ledger *ledger, int32_t column,
                                     const sked_queue_id *queues,
                                     const int64_t *amounts, size_t n,
                                     sked_error *err);

/*
 * Replaces one kind of a column as a whole. `by_row` has one number for every
 * row of the tree; numbers of parents are not read. `kind` is 0 for
 * SKED_LEDGER_RUNNING.
 *
 * Returns SKED_OK, SKED_ERR_ARG (no such column or kind; `n` is not the number
 * of queues), SKED_ERR_NOMEM or SKED_ERR_RANGE. Cost: O(queues).
 */
SKED_TRY sked_status sked_ledger_put(sked_ledger *ledger, int32_t column,
                                     uint32_t kind, const int64_t *by_row,
                                     size_t n, sked_error *err);

/*
 * Decays the history exponentially up to `now` (SKED_NOW: the host's clock):
 * after one half-life without additions, half is left. The arithmetic is
 * integer, rounded down, so the answer is the same on every machine. A time
 * before the last time changes nothing. The first call only sets the time.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_STATE (no clock hook). Cost:
 * O(queues * kinds).
 */
SKED_TRY sked_status sked_ledger_decay(sked_ledger *ledger, sked_time now,
                                       sked_error *err);

/*
 * Reads the amounts of one queue, leaf or parent, in one column: one amount a
 * kind (one number for SKED_LEDGER_RUNNING).
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_STALE. Cost: O(kinds).
 */
SKED_TRY sked_status sked_ledger_get(const sked_ledger *ledger, int32_t column,
                                     sked_queue_id queue, int64_t *amounts);

/*
 * Gives one kind of one column, by row, borrowed until the next call that is
 * not const. `*n` (may be NULL) is the number of rows. NULL without such a
 * column or kind.
 */
SKED_API const int64_t *sked_ledger_view(const sked_ledger *ledger,
                                         int32_t column, uint32_t kind,
                                         size_t *n);

/*
 * Verifies every invariant (sums, ranges). Returns SKED_OK, SKED_ERR_ARG or
 * SKED_ERR_INTERNAL. Cost: O(queues kinds).
 */
SKED_TRY sked_status sked_ledger_check(const sked_ledger *ledger,
                                       sked_error *err);

/* A hash of ids, amounts and time, equal on every machine. O(queues kinds). */
SKED_API uint64_t sked_ledger_digest(const sked_ledger *ledger);

#ifdef __cplusplus
}
#endif

#endif
