#ifndef SKED_SHARE_H
#define SKED_SHARE_H

/*
 * Fair shares over a tree of queues: how much of a capacity each queue may
 * have. [MON-10] [MON-13] [CAP-1] [CAP-2] [CAP-9] [PEL-8] [PEL-9] [PEL-10]
 * [PEL-11]
 *
 * The smallest use:
 *
 *     sked_share_input in = {.struct_size = sizeof in, .kinds = 1, .n = n,
 *                            .parent = parent, .weight = weight,
 *                            .demand = demand, .capacity = capacity};
 *     sked_share_once(&in, NULL, NULL, shares, &err);
 *
 * Every family (a parent and its children) is filled like water (fill.h): one
 * level r is raised until the parent's share is given out, and child i has base
 * + weight * r, but at least its floor and at most its ceiling. The level is an
 * exact fraction; shares are whole units that add up exactly. The models differ
 * only in base, floor, ceiling and weight.
 *
 * For each queue and kind, `own` being its guarantee, and sums being over its
 * children:
 *
 *   cap      min(limit, own + borrow)
 *   want     of a leaf: its demand (models entitlement and capacity, and with
 *            SKED_SHARE_FLAG_BY_DEMAND), else no bound, but 0 if it is idle
 *            (model instantaneous). Of a parent: the sum of ceilings
 *   kept     min(own, cap) - lend, at least 0: this stays free for it
 *   ceiling  min(cap, want), but at least `kept`
 *   floor    min(own, ceiling). In the capacity model no more than its usage,
 *            but at least what no other queue may take from it (`held` of
 *            sked_share_input). `own` of a parent is at least the sum of
 *            floors. Both as far as its ceiling goes. In the end at least
 *            `kept`
 *   base     model entitlement: the floor; else 0
 *   weight   as configured; model capacity: min(cap, max(own, sum of the
 *            children's weights))
 *
 * The limit beats the guarantee. Guarantees of children lift the guarantee of
 * their parent, up to the parent's limit. A parent gets at most the amount that
 * its children can take. A queue of weight 0 has its floor as its ceiling. A
 * draining queue has nothing kept free for it and no ceiling above its usage. A
 * leaf is idle when it has no usage, no demand (of any kind) and nothing
 * running.
 *
 * The root's share is min(capacity, its ceiling); the rest of the capacity
 * belongs to no queue. If floors exceed the total, all floors are cut in the
 * same ratio, and no other amount is given. In the capacity model, what the
 * filling leaves then goes evenly to the children without a guarantee. The
 * children sometimes cannot take the whole share of their parent (an amount is
 * kept free for the parent, or all weights are 0). The rest stays with the
 * parent, whose share is then larger than the sum over its children.
 */

#include <sched/fill.h>
#include <sched/ledger.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sked_share sked_share;

enum sked_share_model {
    SKED_SHARE_MODEL_ENTITLEMENT = 0,   /* reservation first, the rest by
                                           weight */
    SKED_SHARE_MODEL_STEADY = 1,        /* by configuration alone, without
                                           demand */
    SKED_SHARE_MODEL_INSTANTANEOUS = 2, /* by configuration, among active
                                           queues */
    SKED_SHARE_MODEL_CAPACITY = 3       /* guarantees as weights, by demand */
};

/*
 * What is shared.
 *
 * SKED_SHARE_SCOPE_DOMINANT shares all kinds at once: a queue gets no kind
 * without its other needed kinds. It goes by demand (entitlement model, no
 * flags); of the settings it looks at weights, limits, borrow limits and
 * draining, not at guarantees.
 *
 *   - A leaf wants the largest vector within its cap, in the proportions of its
 *     demand; nothing, if the capacity lacks a kind it asks for, or
 *     it or a queue above has weight 0. Its dominant share is its largest
 *     part of the capacity in any kind.
 *   - Boxes. The root's box is min(capacity, cap). Every child with a wanting
 *     leaf below gets its weight's part of its parent's box in every kind,
 *     rounded down and within its cap. Every leaf takes the largest
 *     vector that fits its box.
 *   - Raises. For every parent, the deepest first, what is left of its box goes
 *     to leaves below it. In every family from there down, children rise to the
 *     highest common level of dominant share over weight that fits (in units of
 *     2^-94); a child grows in the direction of the weighted sum of what its
 *     own active children would take. A leaf is active while the leaf wants
 *     more, no needed kind has run out, and no needed kind is at a cap on the
 *     path. Raises are repeated until nothing moves; after 64 raises, blocking
 *     kinds count as run out; without a blocking kind the raises end.
 *   - Units that rounding has left go to leaves in row order, as far as they
 *     fit.
 *
 * In a flat tree that is progressive filling (DRF) up to a few units a leaf. In
 * a deeper tree, a queue with unmet demand has at least its box in some kind
 * for any demand of other queues (up to a unit for each leaf below). Children
 * with different kinds therefore cannot starve a branch. A leaf that lacks
 * something is stopped by a cap or by a kind that has run out. All amounts are
 * rounded down to whole units. This scope multiplies the costs below by the
 * levels of the tree and by the raises. Any change computes all shares anew.
 */
enum sked_share_scope {
    SKED_SHARE_SCOPE_KINDS = 0,    /* each kind on its own */
    SKED_SHARE_SCOPE_ONE_KIND = 1, /* one kind; of all other kinds each queue
                                may have its parent's share, up to its own
                                ceiling */
    SKED_SHARE_SCOPE_DOMINANT = 2  /* dominant shares: all kinds together */
};

enum sked_share_flag {
    /* What is above the floors goes to children in bands of equal priority, the
     * highest first; each band gets what the bands above have left. */
    SKED_SHARE_FLAG_BANDS = 1,
    /* A second filling shares the rest after demand, by weight and up to the
     * cap (Peloton's third phase); parents get no more than their children's
     * caps add up to. Models entitlement and capacity. */
    SKED_SHARE_FLAG_ANTICIPATE = 2,
    /* Model capacity: queues without a guarantee get nothing. */
    SKED_SHARE_FLAG_GUARANTEED_ONLY = 4,
    /* Models steady and instantaneous: no leaf gets more than its demand. */
    SKED_SHARE_FLAG_BY_DEMAND = 8
};

typedef struct sked_share_options {
    uint32_t struct_size;
    uint32_t flags;   /* enum sked_share_flag */
    int32_t model;    /* enum sked_share_model */
    int32_t scope;    /* enum sked_share_scope */
    int32_t rounding; /* enum sked_apportion; 0: Webster */
    uint32_t kind;    /* for SKED_SHARE_SCOPE_ONE_KIND */
} sked_share_options;

/* Counts of work, for tests and tuning. */
typedef struct sked_share_stats {
    uint32_t struct_size;
    uint32_t reserved;
    uint64_t computed; /* calls that brought shares up to date */
    uint64_t full;     /* of these, the ones that filled everything */
    uint64_t families; /* families filled */
    uint64_t queues;   /* queues in them */
    uint64_t levels;   /* exact levels found */
    uint64_t passes;   /* passes over a family's children to find them */
} sked_share_stats;

/*
 * Creates a computation with nothing computed yet. `host` and `options` may be
 * NULL and are copied. The caller owns `*share`.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE or
 * SKED_ERR_VERSION.
 */
SKED_TRY sked_status sked_share_new(const sked_share_options *options,
                                    const sked_host *host, sked_share **share,
                                    sked_error *err);

/* Frees the computation. NULL is allowed. */
SKED_API void sked_share_free(sked_share *share);

/*
 * Reserves memory. The calls below then never allocate, for trees of at most
 * `kinds` kinds with at most `queues` queues at any time.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM or SKED_ERR_RANGE.
 */
SKED_TRY sked_status sked_share_reserve(sked_share *share, size_t queues,
                                        uint32_t kinds, sked_error *err);

/*
 * Computes every share anew, from the last commit of `tree`, from `ledger`, and
 * from `capacity` (one amount a kind: what the root may have). The levels of
 * the last computation, where there are any, are only a first guess and change
 * no answer.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE (capacity
 * negative or too large), SKED_ERR_STATE (the ledger follows other rows),
 * SKED_ERR_SCHEMA, SKED_ERR_CANCELLED or a code of the host's own. On failure
 * the shares of the last computation stand. Cost: O(queues * kinds).
 */
SKED_TRY sked_status sked_share_compute(sked_share *share,
                                        const sked_tree *tree,
                                        const sked_ledger *ledger,
                                        const int64_t *capacity,
                                        sked_error *err);

/*
 * Brings every share up to date; the same numbers as sked_share_compute(), but
 * only families in which something changed are filled again.
 *
 * Returns as sked_share_compute(). Cost: O(kinds * children) of the families in
 * which something changed since the last call; O(queues * kinds) after a commit
 * that changed rows.
 */
SKED_TRY sked_status sked_share_update(sked_share *share, const sked_tree *tree,
                                       const sked_ledger *ledger,
                                       const int64_t *capacity,
                                       sked_error *err);

/*
 * Updates the data that one queue's share depends on, no other data, and writes
 * the share, one amount a kind: the same numbers as sked_share_compute().
 *
 * Returns as sked_share_compute(), and SKED_ERR_STALE. Cost: that of filling
 * O(depth) families, besides reading what changed.
 */
SKED_TRY sked_status sked_share_query(sked_share *share, const sked_tree *tree,
                                      const sked_ledger *ledger,
                                      const int64_t *capacity,
                                      sked_queue_id queue, int64_t *amounts,
                                      sked_error *err);

/*
 * A queue's share as last computed, one amount a kind.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_STALE, or SKED_ERR_STATE (nothing is
 * computed yet, or a query did not bring this queue up to date). Cost:
 * O(kinds).
 */
SKED_TRY sked_status sked_share_get(const sked_share *share,
                                    sked_queue_id queue, int64_t *amounts,
                                    sked_error *err);

/*
 * Shares of one kind, by row of the tree they were computed from. Writes at
 * most `cap`; `*n` is always the number there are.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (`cap` too small) or
 * SKED_ERR_STATE (nothing computed yet, or not all of it up to date).
 */
SKED_TRY sked_status sked_share_column(const sked_share *share, uint32_t kind,
                                       int64_t *by_row, size_t cap, size_t *n,
                                       sked_error *err);

/*
 * Writes the bound of each queue (enum sked_bound) in one kind, by row, from
 * the tree and ledger of the last computation. The root is bound by its ceiling
 * or by nothing.
 *
 * Returns as sked_share_column(); SKED_ERR_STATE also when tree or ledger have
 * changed since, SKED_ERR_ARG with SKED_SHARE_SCOPE_DOMINANT. Never allocates.
 * Cost: O(queues).
 */
SKED_TRY sked_status sked_share_bounds(const sked_share *share,
                                       const sked_tree *tree,
                                       const sked_ledger *ledger, uint32_t kind,
                                       uint8_t *by_row, size_t cap, size_t *n,
                                       sked_error *err);

/*
 * The level of a parent's children in one kind. It is {1, 0} (infinite) when
 * all of them have all they can take; else it is the level of the filling that
 * used the total up (with bands or a second filling, the last one that did);
 * where floors were cut it is total / sum of floors. It is exact while both
 * numbers fit; numbers that are too large are halved together until they do.
 *
 * Returns as sked_share_get(), and SKED_ERR_ARG for a leaf, no such kind, or
 * with SKED_SHARE_SCOPE_DOMINANT.
 */
SKED_TRY sked_status sked_share_level(const sked_share *share,
                                      sked_queue_id queue, uint32_t kind,
                                      sked_ratio *level, sked_error *err);

/* Counts since creation. Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_VERSION. */
SKED_TRY sked_status sked_share_get_stats(const sked_share *share,
                                          sked_share_stats *stats);

/* Verifies every invariant of the last computation (sums, bounds, levels).
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_INTERNAL. O(queues kinds). */
SKED_TRY sked_status sked_share_check(const sked_share *share, sked_error *err);

/*
 * A hash of the options, of ids, and of all shares that can be read now, equal
 * on every machine: equal for handles with the same inputs, whether by
 * computing anew or by updates. 0: `share` is NULL. Cost: O(queues kinds) where
 * all of it is up to date, else O(queues (kinds + depth)).
 */
SKED_API uint64_t sked_share_digest(const sked_share *share);

/* ---- One shot, on plain arrays ---- */

/* A tree with usage and demand of its queues, as columns by row. The call
 * borrows the columns. */
typedef struct sked_share_input {
    uint32_t struct_size;
    uint32_t kinds;
    uint64_t n;              /* rows; row 0 is the root */
    const int32_t *parent;   /* n rows, parents first; -1 for the root. Children
                               of one parent need not stand side by side */
    const uint32_t *weight;  /* NULL: all 1 */
    const int32_t *priority; /* NULL: all 0 */
    const int64_t *guarantee; /* n x kinds, row by row; NULL: none */
    const int64_t *limit;     /* NULL: unlimited */
    const int64_t *borrow;    /* NULL: unlimited */
    const int64_t *lend;      /* NULL: unlimited */
    const int64_t *demand;    /* leaves'; parents' are not read; NULL: 0 */
    const int64_t *usage;     /* likewise */
    const int64_t *running;   /* applications, one number a leaf; NULL: 0 */
    const uint8_t *state;     /* enum sked_state; NULL: all running */
    const int64_t *capacity;  /* one amount a kind */
    const int64_t *held;      /* capacity model, of leaves: what no other queue
                                 may take from them; NULL: 0 */
} sked_share_input;

/*
 * The shares of a tree given as arrays: `shares` takes n x kinds amounts, row
 * by row. The same numbers as a handle gives for the same tree. `host` may be
 * NULL.
 *
 * Returns SKED_OK, SKED_ERR_ARG (`err->row` names the row), SKED_ERR_NOMEM,
 * SKED_ERR_RANGE, SKED_ERR_VERSION, SKED_ERR_CANCELLED or a code of the host's
 * own. Cost: O(n kinds).
 */
SKED_TRY sked_status sked_share_once(const sked_share_input *input,
                                     const sked_share_options *options,
                                     const sked_host *host, int64_t *shares,
                                     sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
