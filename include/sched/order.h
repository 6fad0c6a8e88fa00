#ifndef SKED_ORDER_H
#define SKED_ORDER_H

/*
 * Orders: how a parent serves its children, and a leaf its applications.
 * [LNK-1] [PEL-16] The smallest use, on plain arrays:
 *
 *     sked_order_children_input in = {.struct_size = sizeof in,
 *         .order = SKED_ORDER_POLICY_DRF, .kinds = 1, .n = n,
 *         .usage = usage, .capacity = capacity};
 *     sked_order_children(&in, NULL, positions, NULL, &m, &err);
 *
 * A policy is a sort key. Each element gets an exact number of 128 bits, and
 * the least number goes first. Equal keys go by position (the order of adding,
 * or of arrival). Each order is therefore total, is the same on every machine,
 * and can be shown. A host may supply keys, but no comparison function: an
 * order cannot contradict itself.
 *
 * Children of a parent (enum sked_order_policy, queue.h):
 *
 *   drf          Dominant share over weight: the largest used part of any
 *                kind's capacity. As in sked_drf, weight 0 and usage of a kind
 *                without capacity are infinite, and four clusters are the most
 *                that counts. high = floor(2^62 share / weight)
 *   fair         Usage of one kind over weight, exactly; weight 0 is infinite.
 *                high = the whole part, low = floor(2^64 fraction)
 *   utilisation  The largest usage over guarantee of any kind. For a kind
 *                without a guarantee, the weight's part of the parent's amount
 *                counts, rounded down (among all children, with work or
 *                without); if this part is 0, usage is infinite. With shares
 *                (`share` below), a child without a guarantee in any kind
 *                counts its share instead, as in order `share`. The low 95
 *                bits = floor(2^62 x), at most 2^95 - 2; all ones for infinity
 *   priority     Higher first; equal priorities by utilisation. The top bits
 *                of high are the bit of SKED_ORDER_FLAG_WITHIN_FIRST, then 32
 *                bits of priority. The highest priority is the least number
 *   fifo         By position. 0
 *   random       Each child with the same probability, drawn anew for every
 *                pass. low = the place drawn
 *   share        The largest usage over share of any kind. The caller gives
 *                the shares (for example from sked_share_once()). Usage of a
 *                kind with share 0 is infinite. The key is as for
 *                `utilisation`. Without shares this order is an error
 *   host         The host's key (SKED_ORDER_POLICY_HOST), least first
 *
 * Alone these orders are the comparators of other systems.
 * SKED_ORDER_FLAG_GUARANTEE_FIRST serves guarantees first, with any order; the
 * caller sets the flag. The engine always serves guarantees first, by its own
 * rules.
 *
 * Applications of a leaf (enum sked_apps_policy) have keys of the same form.
 * `low` is the time of submission: otherwise equal applications go first come,
 * first served.
 */

#include <sched/ledger.h>

#ifdef __cplusplus
extern "C" {
#endif

enum sked_order_flag {
    /*
     * Order `priority`: children with usage below their guarantee (x < 1) go
     * before the others, whatever their priority.
     */
    SKED_ORDER_FLAG_WITHIN_FIRST = 1,
    /*
     * Every order: children below their guarantee go before all others, least
     * usage over guarantee first, equal children by position. A child is below
     * its guarantee if in some kind its usage is less than the guarantee and,
     * with shares, no more than its share. The least such kind counts. Weights
     * give no guarantee here. With order `priority` the flag decides only among
     * children of equal priority. `random` draws among the others.
     *
     * The keys show the rule. Children below their guarantee have high = 0, low
     * = floor(2^62 x). All other keys have the top bit set; keys of drf and
     * host are shifted right by one bit. With order `priority` the bit is the
     * highest of the 95 bits of utilisation, and the largest x that counts is
     * 2^94 - 2.
     */
    SKED_ORDER_FLAG_GUARANTEE_FIRST = 2
};

/* `high` decides, then `low`; the least goes first. Frozen layout. */
typedef struct sked_order_key {
    uint64_t high;
    uint64_t low;
} sked_order_key;

/* ---- On plain arrays ---- */

/*
 * The children of one parent, as columns by position, borrowed for the call.
 * Amounts are row after row, one a kind, from 0 to SKED_AMOUNT_MAX. A column
 * that the order does not read may be NULL. `capacity` may be NULL if no share
 * is computed.
 */
typedef struct sked_order_children_input {
    uint32_t struct_size;
    uint32_t flags;           /* bits of enum sked_order_flag */
    int32_t order;            /* enum sked_order_policy */
    uint32_t kind;            /* for `fair` */
    uint32_t kinds;           /* 1 to SKED_MAX_KINDS */
    uint32_t reserved;        /* 0 */
    uint64_t n;               /* children; below 2^31 */
    uint64_t seed;            /* for `random`: the seed of this pass */
    const uint8_t *eligible;  /* 0: not in the order; NULL: all are */
    const uint32_t *weight;   /* NULL: 1 each */
    const int32_t *priority;  /* NULL: 0 each */
    const int64_t *usage;     /* n rows; NULL: 0 each */
    const int64_t *guarantee; /* n rows; NULL: 0 each */
    const int64_t *parent;    /* the parent's guarantee, one a kind; NULL: the
                                 capacity */
    const int64_t *capacity;  /* one a kind */
    const int64_t *key;       /* for `host` */
    const int64_t *share;     /* n rows; `share` needs the column,
                                 `utilisation`, `priority` and
                                 SKED_ORDER_FLAG_GUARANTEE_FIRST use the column
                                 if given. NULL: no shares */
} sked_order_children_input;

/*
 * Writes the positions of all eligible children in order, first child first,
 * and their keys in the same order (`keys` not NULL). `*n` is their number.
 * Both arrays have space for input->n. `host` may be NULL and provides the
 * working memory.
 *
 * Returns SKED_OK, SKED_ERR_ARG (a column that the order needs is missing, no
 * such order, kind or flag), SKED_ERR_NOMEM, SKED_ERR_RANGE (an amount: `err`
 * has row and kind; n), SKED_ERR_VERSION, SKED_ERR_CANCELLED or a code of the
 * host's own. Cost: O(n kinds).
 */
SKED_TRY sked_status sked_order_children(const sked_order_children_input *input,
                                         const sked_host *host,
                                         uint32_t *positions,
                                         sked_order_key *keys, size_t *n,
                                         sked_error *err);

/*
 * The applications of one leaf, as columns by order of arrival. Users are
 * numbers below `users`, with columns of their own.
 */
typedef struct sked_order_apps_input {
    uint32_t struct_size;
    uint32_t flags;              /* 0 */
    int32_t order;               /* enum sked_apps_policy */
    uint32_t kinds;              /* 1 to SKED_MAX_KINDS */
    uint64_t n;                  /* applications; below 2^31 */
    uint64_t users;              /* below 2^31 */
    const uint8_t *eligible;     /* 0: not in the order; NULL: all are */
    const sked_time *submitted;  /* NULL: by arrival alone */
    const int32_t *priority;     /* NULL: 0 each */
    const uint32_t *weight;      /* NULL: 1 each */
    const int64_t *usage;        /* n rows; for `fair` */
    const int64_t *pending;      /* n rows; for `size` */
    const uint32_t *user;        /* for `user-fair` */
    const int64_t *user_usage;   /* `users` rows; for `user-fair` */
    const uint32_t *user_weight; /* NULL: 1 each */
    const int64_t *capacity;     /* one amount a kind */
    const int64_t *key;          /* for `host` */
} sked_order_apps_input;

/*
 * Writes the indices of all eligible applications in order:
 *
 *   fifo       by submission, then arrival
 *   fair       by dominant share of usage over weight
 *   priority   higher first
 *   size       by dominant share of pending amounts: the smallest first
 *   user-fair  by dominant share of the user's usage over the user's weight
 *   host       by the host's key, least first
 *
 * Equal applications go by submission, then arrival. Shares are keys as in
 * `drf`. `keys` may be NULL; `*n` is the number of indices.
 *
 * Returns as sked_order_children(), and SKED_ERR_RANGE for a user not below
 * input->users. Cost: O(n kinds).
 */
SKED_TRY sked_status sked_order_apps(const sked_order_apps_input *input,
                                     const sked_host *host, uint32_t *indices,
                                     sked_order_key *keys, size_t *n,
                                     sked_error *err);

/* ---- Over a tree ---- */

/*
 * An order serves the families of a tree, each in the order of its parent
 * (SKED_QUEUE_ORDER). The order owns the generator of order `random` and the
 * memory of a pass. It stores nothing about queues and serves every tree.
 */
typedef struct sked_order sked_order;

typedef struct sked_order_options {
    uint32_t struct_size;
    uint32_t flags; /* bits of enum sked_order_flag */
    uint64_t seed;  /* of `random`, unless the host has a random hook */
} sked_order_options;

/* The state that an order reads: all borrowed for the call. */
typedef struct sked_order_input {
    uint32_t struct_size;
    uint32_t flags; /* 0 */
    const sked_tree *tree;
    const sked_ledger *ledger; /* has followed the tree's last commit */
    const int64_t *capacity;   /* the root's amounts, one a kind */
    const uint8_t *eligible;   /* by row of the tree, 0: not now. NULL: a queue
                                  is eligible if the queue wants more than its
                                  usage of some kind and does not drain */
    const int64_t *share;      /* n rows of the tree, one amount a kind, as
                                  sked_share_once() writes them; only the rows
                                  of the parent's children are read. NULL: no
                                  shares, and a parent of order `share` is an
                                  error */
} sked_order_input;

/*
 * Creates an order. `host` and `options` may be NULL
 * and are copied. The caller owns `*order`; on failure it is NULL.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM or SKED_ERR_VERSION.
 */
SKED_TRY sked_status sked_order_new(const sked_order_options *options,
                                    const sked_host *host, sked_order **order,
                                    sked_error *err);

/* Frees the order. NULL is allowed. */
SKED_API void sked_order_free(sked_order *order);

/*
 * Makes a copy that goes on exactly as `order` would, with a host of its own;
 * if the hosts have random hooks, it is up to them to draw the same numbers.
 * The caller owns `*copy`.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM or SKED_ERR_VERSION.
 */
SKED_TRY sked_status sked_order_copy(const sked_order *order,
                                     const sked_host *host, sked_order **copy,
                                     sked_error *err);

/*
 * Reserves memory, so that the calls below do not allocate for trees that never
 * had more than `queues` queues at a time. Returns SKED_OK, SKED_ERR_ARG,
 * SKED_ERR_NOMEM or SKED_ERR_RANGE.
 */
SKED_TRY sked_status sked_order_reserve(sked_order *order, size_t queues,
                                        sked_error *err);

/*
 * Lists the eligible children of `parent` in order: one pass. The call writes
 * at most `cap` ids; `*n` is always the full number. Order `random` draws.
 *
 * Returns SKED_OK, SKED_ERR_ARG (a leaf, or order `share` without shares in the
 * input: `err` has the parent), SKED_ERR_NOMEM, SKED_ERR_RANGE (`cap` too
 * small: nothing is written or drawn; the capacity; a share: `err` has row and
 * kind), SKED_ERR_STALE, SKED_ERR_STATE (the ledger follows other rows),
 * SKED_ERR_VERSION, SKED_ERR_CANCELLED or a code of the host's own. Cost:
 * O(children kinds + depth kinds), and for `utilisation`, `priority` and
 * SKED_ORDER_FLAG_GUARANTEE_FIRST O(siblings) at every level above without a
 * guarantee.
 */
SKED_TRY sked_status sked_order_list(sked_order *order,
                                     const sked_order_input *input,
                                     sked_queue_id parent, sked_queue_id *ids,
                                     size_t cap, size_t *n, sked_error *err);

/*
 * Finds the first child of sked_order_list() alone, without sorting;
 * SKED_NO_QUEUE if no child is eligible. Each call is a pass of its own:
 * `random` draws one child uniformly.
 *
 * Returns as sked_order_list(). Cost: as there.
 */
SKED_TRY sked_status sked_order_next(sked_order *order,
                                     const sked_order_input *input,
                                     sked_queue_id parent, sked_queue_id *child,
                                     sked_error *err);

/* A hash of the flags and of the state of the generator, equal on every machine.
 * Cost: O(1). */
SKED_API uint64_t sked_order_digest(const sked_order *order);

/* Verifies every invariant. Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_INTERNAL
 * with the broken invariant in `err`. Cost: O(1). */
SKED_TRY sked_status sked_order_check(const sked_order *order, sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
