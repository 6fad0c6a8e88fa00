#ifndef SKED_DRF_H
#define SKED_DRF_H

/*
 * Dominant resource fairness (DRF): which client is served next.
 *
 * The smallest use:
 *
 *     sked_drf_new(&options, NULL, &drf, &err);
 *     sked_drf_set_capacity(drf, capacity, &err);
 *     sked_drf_insert(drf, key, 1, usage, &slot, &err);
 *     sked_drf_pop(drf, slots, cap, &n, &err); // the clients served next
 *
 * A client's dominant share is the largest part it uses of any one kind:
 * max over kinds of usage / capacity. Clients are ordered by dominant share
 * over weight: the client with the least comes first, and among equals the one
 * that was added first [LNK-1].
 *
 * Shares are compared by a key of 64 bits, floor(2^62 * share / weight), which
 * is computed exactly: it is the same on every machine, and two clients tie
 * only when they differ by less than 2^-62 of a cluster. Three special cases:
 *
 *   - a kind of which a client uses nothing does not count, whatever its
 *     capacity; usage of a kind with capacity 0 is an infinite share;
 *   - weight 0 is an infinite share too, whatever is used: such a client comes
 *     after all that have a finite one;
 *   - a share over weight of more than four clusters counts as four.
 *
 * The handle keeps the order while usage changes. A decision takes two calls,
 * no allocation and O(log clients) steps:
 *
 *     while ((slot = sked_drf_next(drf)) != SKED_DRF_NONE) {
 *         if (!place(slot, task)) sked_drf_activate(drf, slot, 0, NULL);
 *         else sked_drf_charge(drf, slot, task, NULL);
 *     }
 *
 * The functions of drf_arrays.h do without a handle and give the same answers.
 * For trees of queues see hdrf.h.
 */

#include <sched/base.h>
#include <sched/host.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sked_drf sked_drf;

/* No client: what sked_drf_next() says when none is active. */
#define SKED_DRF_NONE UINT32_MAX

/* Keys of shares: all finite ones are below this, infinity itself. */
#define SKED_DRF_INFINITE UINT64_MAX

/* How to build a handle; a field that is 0 asks for the default. */
typedef struct sked_drf_options {
    uint32_t struct_size;
    uint32_t flags;   /* 0 */
    uint32_t kinds;   /* resource kinds, 1 to SKED_MAX_KINDS; 0: 1 */
    uint32_t clients; /* for which memory is reserved at once; 0: none */
} sked_drf_options;

/* The share of a client, and what it follows from. */
typedef struct sked_drf_standing {
    uint64_t key;     /* floor(2^62 * share / weight), or SKED_DRF_INFINITE */
    sked_ratio share; /* dominant share, not weighted: usage over capacity */
    uint32_t weight;
    int32_t kind; /* the dominant one, the first among equals; -1: no usage */
} sked_drf_standing;

/*
 * Creates a handle without clients, over `kinds` kinds with capacity 0 each:
 * set the capacity next. `host` and `options` may be NULL and are copied. On
 * success the caller owns `*drf`; on failure `*drf` is NULL.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE (too many
 * kinds or clients) or SKED_ERR_VERSION.
 */
SKED_TRY sked_status sked_drf_new(const sked_drf_options *options,
                                  const sked_host *host, sked_drf **drf,
                                  sked_error *err);

/* Frees the handle and all clients. NULL is allowed. */
SKED_API void sked_drf_free(sked_drf *drf);

/*
 * Reserves memory for `clients` clients in all, so that no later call allocates
 * while there are no more. Keeps what is there.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM or SKED_ERR_RANGE (above
 * 2^30). Cost: O(clients).
 */
SKED_TRY sked_status sked_drf_reserve(sked_drf *drf, uint32_t clients,
                                      sked_error *err);

/*
 * Sets the capacity of every kind, from 0 to SKED_AMOUNT_MAX; `capacity` has
 * one amount a kind and is copied. All shares follow.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE. Never allocates.
 * Cost: O(clients * kinds).
 */
SKED_TRY sked_status sked_drf_set_capacity(sked_drf *drf,
                                           const int64_t *capacity,
                                           sked_error *err);

/* ---- Clients: one at a time ---- */

/*
 * Adds a client, which is active. `key` is the host's name for it, not 0.
 * `usage` has one amount a kind, from 0 to SKED_AMOUNT_MAX, or is NULL for
 * none. `*slot` (may be NULL) names the client in all other calls until it is
 * removed; slots are dense, and those of removed clients are used again.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE or
 * SKED_ERR_EXISTS. Cost: O(log clients + kinds), now and then O(clients).
 */
SKED_TRY sked_status sked_drf_insert(sked_drf *drf, uint64_t key,
                                     uint32_t weight, const int64_t *usage,
                                     uint32_t *slot, sked_error *err);

/*
 * Removes the client in `slot`. Returns SKED_OK, SKED_ERR_ARG or
 * SKED_ERR_NOT_FOUND. Never allocates. Cost: O(log clients).
 */
SKED_TRY sked_status sked_drf_remove(sked_drf *drf, uint32_t slot,
                                     sked_error *err);

/*
 * Sets what the client in `slot` uses, one amount a kind.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE or SKED_ERR_NOT_FOUND.
 * Never allocates. Cost: O(log clients + kinds).
 */
SKED_TRY sked_status sked_drf_update(sked_drf *drf, uint32_t slot,
                                     const int64_t *usage, sked_error *err);

/*
 * Adds `delta`, one signed amount a kind, to what the client in `slot` uses;
 * the sums must lie between 0 and SKED_AMOUNT_MAX.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE or SKED_ERR_NOT_FOUND.
 * Never allocates. Cost: O(log clients + kinds).
 */
SKED_TRY sked_status sked_drf_charge(sked_drf *drf, uint32_t slot,
                                     const int64_t *delta, sked_error *err);

/*
 * Sets the weight of the client in `slot`. Returns SKED_OK, SKED_ERR_ARG or
 * SKED_ERR_NOT_FOUND. Never allocates. Cost: O(log clients + kinds).
 */
SKED_TRY sked_status sked_drf_set_weight(sked_drf *drf, uint32_t slot,
                                         uint32_t weight, sked_error *err);

/*
 * Says whether the client in `slot` takes part in the order (`active` not 0)
 * or has no work to be placed (0). Its usage and its place among equals stay.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_NOT_FOUND. Never allocates.
 * Cost: O(log clients).
 */
SKED_TRY sked_status sked_drf_activate(sked_drf *drf, uint32_t slot, int active,
                                       sked_error *err);

/* ---- Clients: `n` at once ---- */

/*
 * The calls above for `n` clients, in the order of the arrays: all rows, or
 * none when one of them is refused (its index is in `err`). Amounts are row
 * after row, one a kind. Where many clients change, the order is built anew
 * in O(clients) instead of O(n log clients).
 */

/*
 * Adds `n` clients. `weight` and `usage` may be NULL: 1 each, nothing used.
 * `slot` (may be NULL) receives their slots.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE,
 * SKED_ERR_EXISTS, SKED_ERR_CANCELLED or the host's own code.
 */
SKED_TRY sked_status sked_drf_insert_rows(sked_drf *drf, const uint64_t *key,
                                          const uint32_t *weight,
                                          const int64_t *usage, size_t n,
                                          uint32_t *slot, sked_error *err);

/*
 * Removes the clients in `n` different slots. Returns SKED_OK, SKED_ERR_ARG,
 * SKED_ERR_NOT_FOUND, SKED_ERR_CANCELLED or the host's own code. Never
 * allocates.
 */
SKED_TRY sked_status sked_drf_remove_rows(sked_drf *drf, const uint32_t *slot,
                                          size_t n, sked_error *err);

/*
 * Sets what `n` clients use; of a slot that occurs twice, the last row stays.
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE, SKED_ERR_NOT_FOUND,
 * SKED_ERR_CANCELLED or the host's own code. Never allocates.
 */
SKED_TRY sked_status sked_drf_update_rows(sked_drf *drf, const uint32_t *slot,
                                          const int64_t *usage, size_t n,
                                          sked_error *err);

/*
 * Adds to what `n` clients use; rows of one slot add up, and none of the sums
 * on the way may be out of range. Returns SKED_OK, SKED_ERR_ARG,
 * SKED_ERR_RANGE, SKED_ERR_NOT_FOUND, SKED_ERR_CANCELLED or the host's own
 * code. Never allocates.
 */
SKED_TRY sked_status sked_drf_charge_rows(sked_drf *drf, const uint32_t *slot,
                                          const int64_t *delta, size_t n,
                                          sked_error *err);

/*
 * Sets the weights of `n` clients. Returns SKED_OK, SKED_ERR_ARG,
 * SKED_ERR_NOT_FOUND, SKED_ERR_CANCELLED or the host's own code. Never
 * allocates.
 */
SKED_TRY sked_status sked_drf_set_weight_rows(sked_drf *drf,
                                              const uint32_t *slot,
                                              const uint32_t *weight, size_t n,
                                              sked_error *err);

/*
 * Activates (not 0) or deactivates (0) `n` clients. Returns SKED_OK,
 * SKED_ERR_ARG, SKED_ERR_NOT_FOUND, SKED_ERR_CANCELLED or the host's own code.
 * Never allocates.
 */
SKED_TRY sked_status sked_drf_activate_rows(sked_drf *drf, const uint32_t *slot,
                                            const uint8_t *active, size_t n,
                                            sked_error *err);

/* ---- The order ---- */

/*
 * The slot of the active client that comes first, or SKED_DRF_NONE. Changes
 * nothing: until something else does, the answer stays. Cost: O(1).
 */
SKED_API uint32_t sked_drf_next(const sked_drf *drf);

/*
 * Takes the first `cap` clients (or all there are) out of the order, as if
 * deactivated one by one, and writes their slots, first one first; `*n` says
 * how many.
 *
 * Returns SKED_OK or SKED_ERR_ARG. Never allocates. Cost: O(n log clients).
 */
SKED_TRY sked_status sked_drf_pop(sked_drf *drf, uint32_t *slots, size_t cap,
                                  size_t *n, sked_error *err);

/*
 * Writes the slots of all active clients, first one first. `*n` is always how
 * many there are. Changes nothing that can be seen, but uses memory of the
 * handle, and so must run alone.
 *
 * Returns SKED_OK, SKED_ERR_ARG, or SKED_ERR_RANGE when `cap` is too small, in
 * which case nothing is written but `*n`. Never allocates. Cost: O(clients).
 */
SKED_TRY sked_status sked_drf_list(sked_drf *drf, uint32_t *slots, size_t cap,
                                   size_t *n, sked_error *err);

/* ---- Reads ---- */

/* Clients there are, and those of them that are active. */
SKED_API uint32_t sked_drf_clients(const sked_drf *drf);
SKED_API uint32_t sked_drf_active(const sked_drf *drf);

/* Is the client in `slot` active? 0 also when there is none. */
SKED_API int sked_drf_is_active(const sked_drf *drf, uint32_t slot);

/* The slot of the client `key` names, or SKED_DRF_NONE. Cost: O(1). */
SKED_API uint32_t sked_drf_slot(const sked_drf *drf, uint64_t key);

/* The key of the client in `slot`, or 0 when there is none. Cost: O(1). */
SKED_API uint64_t sked_drf_key(const sked_drf *drf, uint32_t slot);

/*
 * How the client in `slot` stands. Returns SKED_OK, SKED_ERR_ARG or
 * SKED_ERR_NOT_FOUND. Never allocates. Cost: O(kinds).
 */
SKED_TRY sked_status sked_drf_share(const sked_drf *drf, uint32_t slot,
                                    sked_drf_standing *standing);

/*
 * What the client in `slot` uses, one amount a kind. Returns SKED_OK,
 * SKED_ERR_ARG or SKED_ERR_NOT_FOUND. Never allocates.
 */
SKED_TRY sked_status sked_drf_usage(const sked_drf *drf, uint32_t slot,
                                    int64_t *usage);

/*
 * A digest (XXH64) of all that decides: capacity, and of each client in order
 * of adding its key, weight, usage and whether it is active. Two handles with
 * the same digest go on alike. Slots do not count. Cost: O(clients * kinds).
 */
SKED_API uint64_t sked_drf_digest(const sked_drf *drf);

/*
 * Verifies every invariant. For tests, fuzzers and bug reports; a sound build
 * never fails it. Returns SKED_OK, SKED_ERR_ARG, or SKED_ERR_INTERNAL with the
 * broken invariant in `err`. Cost: O(clients * kinds).
 */
SKED_TRY sked_status sked_drf_check(const sked_drf *drf, sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
