#ifndef SKED_DRF_ARRAYS_H
#define SKED_DRF_ARRAYS_H

/*
 * Dominant resource fairness without a handle, on plain arrays: orders, whole
 * pools, divisible tasks, complaints. Shares and keys are those of drf.h.
 *
 * The smallest use:
 *
 *     sked_drf_input in = {.struct_size = sizeof in, .kinds = 1, .n = n,
 *                          .usage = usage, .capacity = capacity};
 *     sked_drf_order(&in, NULL, order, &err);
 */

#include <sched/drf.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * `n` clients as columns, named by their index. Amounts are row after row, one
 * a kind, from 0 to SKED_AMOUNT_MAX; `n` is at most 2^31 - 1.
 */
typedef struct sked_drf_input {
    uint32_t struct_size;
    uint32_t flags;          /* 0 */
    uint32_t kinds;          /* 1 to SKED_MAX_KINDS */
    uint32_t reserved;       /* 0 */
    uint64_t n;              /* below 2^31 */
    const int64_t *capacity; /* one amount a kind */
    const int64_t *usage;    /* n rows; NULL: nothing is used */
    const int64_t *demand;   /* n rows, of one task; where a call needs it */
    const uint32_t *weight;  /* n; NULL: 1 each */
    const int64_t *most;     /* n: tasks asked for, or SKED_UNLIMITED; NULL:
                                all unlimited */
    const int64_t *least;    /* n: tasks due in any case; NULL: 0 each */
} sked_drf_input;

/*
 * Writes all indices, first client first, as sked_drf_list() would. Reads
 * capacity, usage and weight. `host` may be NULL; it provides the memory to
 * work in.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE,
 * SKED_ERR_VERSION, SKED_ERR_CANCELLED or the host's own code.
 * Cost: O(n * kinds).
 */
SKED_TRY sked_status sked_drf_order(const sked_drf_input *input,
                                    const sked_host *host, uint32_t *order,
                                    sked_error *err);

/*
 * How one client stands, given what it uses. Returns SKED_OK, SKED_ERR_ARG or
 * SKED_ERR_RANGE. Never allocates. Cost: O(kinds).
 */
SKED_TRY sked_status sked_drf_standing_once(const int64_t *usage,
                                            const int64_t *capacity,
                                            uint32_t kinds, uint32_t weight,
                                            sked_drf_standing *standing,
                                            sked_error *err);

/*
 * Hands tasks out of `pool` until nothing fits: the first client in the order
 * gets one task, its usage grows, and so on. A client leaves when it has
 * `most` tasks, when it asks for nothing, or when its task does not fit into
 * what is left. `pool` has one amount a kind, at most the capacity, and is
 * reduced by what was given; no usage may exceed SKED_AMOUNT_MAX less the pool.
 * `tasks` receives n counts.
 *
 * The result is that of the loop, task by task, but whole levels of it are
 * found at once. On failure `pool` is as it was.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE,
 * SKED_ERR_VERSION, SKED_ERR_CANCELLED or the host's own code.
 * Cost: O(n * (kinds + log n)) for each time that clients leave at a level of
 * their own, at most n of them, and for each halving of a kind of the pool:
 * whatever the amounts, however many the tasks. Never more than a small
 * multiple of the loop.
 */
SKED_TRY sked_status sked_drf_allocate(const sked_drf_input *input,
                                       const sked_host *host, int64_t *pool,
                                       int64_t *tasks, sked_error *err);

/*
 * The same loop, written down: `order` receives the client of each decision,
 * at most `cap` of them; `*n` says how many. With `*n` equal to `cap` there
 * may be more: raise the usage by what was given, and call again.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE,
 * SKED_ERR_VERSION, SKED_ERR_CANCELLED or the host's own code.
 * Cost: O(log n + kinds) a decision.
 */
SKED_TRY sked_status sked_drf_picks(const sked_drf_input *input,
                                    const sked_host *host, int64_t *pool,
                                    uint32_t *order, size_t cap, size_t *n,
                                    sked_error *err);

/*
 * For analysis: DRF with divisible tasks (progressive filling). All shares over
 * weight rise together from nothing, client i having at least least[i] and at
 * most most[i] tasks; a client stops when a kind that it needs is full. Writes
 * n counts of tasks and, when `left` is not NULL, what is left of every kind.
 * Reads no usage. Answers are doubles, within 1e-9 of the exact ones and the
 * same on every machine with IEEE arithmetic; do not base decisions on them.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE,
 * SKED_ERR_VERSION, SKED_ERR_INVALID when the least tasks alone do not fit,
 * SKED_ERR_CANCELLED or the host's own code. Cost: O(n log n + n * kinds^2).
 */
SKED_TRY sked_status sked_drf_level(const sked_drf_input *input,
                                    const sked_host *host, double *tasks,
                                    double *left, sked_error *err);

/*
 * Checks an allocation for fairness: which clients have a justified complaint.
 * A client has none if it has all it asked for (`usage` of at least `most`
 * tasks), or if of some full kind that it needs it has at least its part by
 * weight of the capacity. A kind is full when nothing is left of it, or when
 * its bit is set in `full` (the host knows best what is too small to be used).
 * Writes the indices of such clients to `clients`; `*n` is always how many there
 * are.
 *
 * Reads capacity, usage, demand, weight and most. Returns SKED_OK,
 * SKED_ERR_ARG, SKED_ERR_RANGE (also: `cap` too small, and nothing but `*n` is
 * written) or SKED_ERR_VERSION. Exact. Never allocates.
 * Cost: O(n * kinds).
 */
SKED_TRY sked_status sked_drf_complaints(const sked_drf_input *input,
                                         uint32_t full, uint32_t *clients,
                                         size_t cap, size_t *n,
                                         sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
