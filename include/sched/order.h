#ifndef SKED_ORDER_H
#define SKED_ORDER_H

/*
 * The orders in which a parent serves its children, and a leaf its
 * applications. [LNK-1] [PEL-16]
 *
 * A policy is a sort key: every element gets a number of 128 bits, computed
 * exactly from what it has, and the least goes first; equal keys go by position
 * (the order of adding, or of arrival). So every order is total, is the same on
 * every machine, and can be shown. A host may bring keys of its own, but no
 * function that compares, and so an order cannot contradict itself.
 *
 * Children of a parent (enum sked_order_policy, queue.h):
 *
 *   drf          dominant share over weight: the largest part of any kind's
 *                capacity that is used. As sked_drf: weight 0 and usage of a
 *                kind without capacity are infinite, four clusters are the
 *                most that counts. high = floor(2^62 share / weight)
 *   fair         usage of one kind over weight, exactly; weight 0 is infinite.
 *                high = the whole part, low = floor(2^64 fraction)
 *   utilisation  the largest usage over guarantee of any kind. A kind of which
 *                nothing is guaranteed counts the part that the weight gives
 *                of what the parent has of it, rounded down (among all
 *                children, with work or without); where that is 0 too, usage
 *                is infinite. Where shares are given (`share` below), a child
 *                of which nothing is guaranteed in any kind counts its share
 *                instead, as order `share`. The low 95 bits = floor(2^62 x),
 *                at most 2^95 - 2; all ones for infinity
 *   priority     higher first; among equals by utilisation. The top bits of
 *                high are the bit of SKED_ORDER_FLAG_WITHIN_FIRST and then 32
 *                bits of priority, the highest priority being the least number
 *   fifo         by position. 0
 *   random       each with the same probability, drawn anew for every pass.
 *                low = the place drawn
 *   share        the largest usage over share of any kind, where the share is
 *                what the caller gives for the child (from sked_share_once(),
 *                say). Usage of a kind of which the share is 0 is infinite. The
 *                key is as for `utilisation`. Where no shares are given, this
 *                order is refused
 *   host         the host's key (SKED_ORDER_POLICY_HOST), least first
 *
 * By themselves these are the comparators of other systems. That a guarantee is
 * served first is SKED_ORDER_FLAG_GUARANTEE_FIRST, which goes with any order;
 * it is off unless the caller sets it. The engine always serves guarantees
 * first, by rules of its own.
 *
 * Applications of a leaf (enum sked_apps_policy) have keys of the same form, of
 * which `low` is the time of submission: what is equal otherwise goes first
 * come, first served.
 */

#include <sched/ledger.h>

#ifdef __cplusplus
extern "C" {
#endif

enum sked_order_flag {
    /*
     * Order `priority`: children that use less than they are guaranteed (x < 1)
     * go before the others, whatever their priority.
     */
    SKED_ORDER_FLAG_WITHIN_FIRST = 1,
    /*
     * Every order: children below their guarantee go before all others, the
     * least usage over guarantee first, equal ones by position. A child is
     * below it when in some kind it uses less than it is guaranteed and, where
     * shares are given, no more than its share; the least such kind counts.
     * Weights give no guarantee here. With order `priority` the flag decides
     * only among children of equal priority. `random` draws among the others.
     *
     * The keys show it. Children below their guarantee have high = 0, low =
     * floor(2^62 x). In the keys of all others the top bit is set; keys of drf
     * and host are shifted right by one bit for it. With order `priority` the
     * bit is the highest of the 95 bits of utilisation, and the largest x that
     * counts is 2^94 - 2.
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
 * The children of one parent, as columns by position, which are borrowed for
 * the call. Amounts are row after row, one a kind, from 0 to SKED_AMOUNT_MAX. A
 * column that the order does not read may be NULL, and so may `capacity` where
 * no share is computed.
 */
typedef struct sked_order_children_input {
    uint32_t struct_size;
    uint32_t flags;           /* bits of enum sked_order_flag */
    int32_t order;            /* enum sked_order_policy */
    uint32_t kind;            /* for `fair` */
    uint32_t kinds;           /* 1 to SKED_MAX_KINDS */
    uint32_t reserved;        /* 0 */
    uint64_t n;               /* children; below 2^31 */
    uint64_t seed;            /* for `random`: this pass's */
    const uint8_t *eligible;  /* 0: not in the order; NULL: all are */
    const uint32_t *weight;   /* NULL: 1 each */
    const int32_t *priority;  /* NULL: 0 each */
    const int64_t *usage;     /* n rows; NULL: nothing is used */
    const int64_t *guarantee; /* n rows; NULL: nothing is guaranteed */
    const int64_t *parent;    /* what the parent is guaranteed, one a kind;
                                   NULL: the capacity */
    const int64_t *capacity;  /* one a kind */
    const int64_t *key;       /* for `host` */
    const int64_t *share;     /* n rows; `share` needs it, `utilisation`,
                                   `priority` and
                                   SKED_ORDER_FLAG_GUARANTEE_FIRST look at it.
                                   NULL: no shares are given */
} sked_order_children_input;

/*
 * Writes the positions of all eligible children in order, the one that goes
 * first at the beginning, and (when `keys` is not NULL) their keys in the same
 * order; `*n` is how many there are. Both arrays have space for input->n. `host`
 * may be NULL; it provides the memory to work in.
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
 *   size       by dominant share of what is pending: the smallest first
 *   user-fair  by dominant share of the user's usage over the user's weight
 *   host       by the host's key, least first
 *
 * Equal ones go by submission, then arrival. Shares are keys as in `drf`.
 * `keys` may be NULL; `*n` is how many there are.
 *
 * Returns as sked_order_children(), and SKED_ERR_RANGE for a user that is not
 * below input->users. Cost: O(n kinds).
 */
SKED_TRY sked_status sked_order_apps(const sked_order_apps_input *input,
                                     const sked_host *host, uint32_t *indices,
                                     sked_order_key *keys, size_t *n,
                                     sked_error *err);

/* ---- Over a tree ---- */

/*
 * Serves the families of a tree, each in the order of its parent
 * (SKED_QUEUE_ORDER). The order owns the generator of order `random` and the
 * memory of a pass. It stores nothing about queues, so it serves every tree.
 */
typedef struct sked_order sked_order;

typedef struct sked_order_options {
    uint32_t struct_size;
    uint32_t flags; /* bits of enum sked_order_flag */
    uint64_t seed;  /* of `random`, unless the host has a random hook */
} sked_order_options;

/* What an order is taken over: all borrowed for the call. */
typedef struct sked_order_input {
    uint32_t struct_size;
    uint32_t flags; /* 0 */
    const sked_tree *tree;
    const sked_ledger *ledger; /* must have followed the tree's last commit */
    const int64_t *capacity;   /* what the root has, one amount a kind */
    const uint8_t *eligible;   /* by row of the tree, 0: not now. NULL: queues
                                  are eligible that want more than they have of
                                  some kind and do not drain */
    const int64_t *share;      /* n rows of the tree, one amount a kind, as
                                  sked_share_once() writes them; only those of
                                  the parent's children are read. NULL: no
                                  shares are given, and a parent of order
                                  `share` is refused */
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
 * The eligible children of `parent` in order: one pass. Writes at most `cap`
 * ids; `*n` is always how many there are. Order `random` draws.
 *
 * Returns SKED_OK, SKED_ERR_ARG (a leaf, or order `share` and the view has no
 * shares: `err` has the parent), SKED_ERR_NOMEM, SKED_ERR_RANGE (`cap` too
 * small: nothing is written or drawn; the capacity; a share: `err` has row and
 * kind), SKED_ERR_STALE, SKED_ERR_STATE (the ledger follows other rows),
 * SKED_ERR_VERSION, SKED_ERR_CANCELLED or a code of the host's own. Cost:
 * O(children kinds + depth kinds), and for `utilisation`, `priority` and
 * SKED_ORDER_FLAG_GUARANTEE_FIRST O(siblings) at every level above that has no
 * guarantee.
 */
SKED_TRY sked_status sked_order_list(sked_order *order,
                                     const sked_order_input *input,
                                     sked_queue_id parent, sked_queue_id *ids,
                                     size_t cap, size_t *n, sked_error *err);

/*
 * The first of sked_order_list() alone, without sorting; SKED_NO_QUEUE when no
 * child is eligible. Each call is a pass of its own: `random` draws one child
 * uniformly.
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
