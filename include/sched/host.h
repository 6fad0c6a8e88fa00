#ifndef SKED_HOST_H
#define SKED_HOST_H

/*
 * The host: all requests of the library to the program around it.
 *
 * The library does no I/O and reads no clock. All outside services come through
 * the hooks below. Every hook is optional.
 */

#include <sched/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A typed record of a decision and its reason, for the `trace` hook. The
 * meaning of `a`, `b`, `c` depends on `what`; a record may grow at its end.
 */
typedef struct sked_trace {
    uint32_t struct_size;
    int32_t what; /* enum sked_trace_kind */
    sked_queue_id queue;
    int64_t a;
    int64_t b;
    int64_t c;
} sked_trace;

enum sked_trace_kind {
    SKED_TRACE_COMMIT = 1, /* tree committed: a version, b queues, c changes */
    SKED_TRACE_SHARE =
        2, /* shares computed: a version, b queues filled, c full */
    SKED_TRACE_PICK = 3 /* sked_drf_pop: queue = key, a share key, b left */
};

enum sked_log_level {
    SKED_LOG_ERROR = 1,
    SKED_LOG_WARNING = 2,
    SKED_LOG_INFO = 3,
    SKED_LOG_DEBUG = 4
};

/* One piece of a parallel run: does item `i` of the work in `arg`. */
typedef void (*sked_task_fn)(void *arg, size_t i);

/*
 * The hooks. Start from
 *
 *     sked_host host = {.struct_size = sizeof host};
 *
 * and fill in the hooks of your program; 0 always means "the default". The
 * struct is copied when a handle is created; every hook gets `user` unchanged.
 *
 * A hook runs inside a call, on the calling thread (`parallel` alone may use
 * other threads), and must not call back into the same handle. An engine
 * (engine.h) returns SKED_ERR_STATE to hooks that would change the engine.
 * `log` may read the engine. `progress` may, too, and may find a row half
 * applied. `resize` may not read the engine, since the moving memory may belong
 * to it.
 */
typedef struct sked_host {
    uint32_t struct_size;
    uint32_t flags; /* enum sked_host_flag, or 0 */
    void *user;

    /*
     * The allocator, in one function. `size` 0 frees; `ptr` NULL allocates.
     * `old_size` is the size last asked for with `ptr`, so an arena needs no
     * headers. Memory must be aligned like malloc's. A call that shrinks a
     * block may return NULL: the old block stays in use. NULL hook: the C
     * library's allocator.
     */
    void *(*resize)(void *user, void *ptr, size_t old_size, size_t size);

    /*
     * Gets one whole line without newline, valid during the call. Trees log
     * each commit. Engines (engine.h) log each decision and each rejected
     * event, when the row is done. (sked_tree_faults() lists remarks on a tree
     * before the commit, as notes.)
     *
     *   SKED_LOG_INFO     "tree committed, version 2"
     *                     "decision 3 at 5: allocate job=1 ask=1 node=1
     *                     group=4294967297 task=0 count=3: its turn"
     *   SKED_LOG_WARNING  decisions that the host may not expect: reject,
     *                     expire, lost; "row 0 refused: event kind=11 key=1
     *                     time=5: SKED_ERR_EXISTS: ask key is taken"
     *
     * Equal events give equal lines. NULL hook, or no line of the level wanted:
     * silence, at no cost.
     */
    void (*log)(void *user, int32_t level, const char *line);

    /* Gets one record of a decision and its reason, valid during the call. NULL
     * hook: no cost. */
    void (*trace)(void *user, const sked_trace *record);

    /* Returns the present time. Called once, at the entry of a call that is
     * given SKED_NOW. */
    sked_time (*clock)(void *user);

    /* Returns 64 random bits. NULL hook: the library's own generator, from the
     * handle's seed. */
    uint64_t (*random)(void *user);

    /*
     * Gets the number of done steps of a long call, of `total` steps; the total
     * grows if more steps appear. Called after a fixed amount of work, never by
     * time. A result other than 0 stops the call: SKED_STOPPED cancels with
     * SKED_ERR_CANCELLED, and the call returns a code of the host's own
     * unchanged.
     */
    sked_status (*progress)(void *user, uint64_t done, uint64_t total);

    /*
     * Runs fn(arg, i) once for every i below `n`, in any order, on any threads,
     * and returns when all are done. A result other than 0 means: some did not
     * run, and none runs any more; the call then stops as for `progress`. NULL
     * hook: the library's own threads if `threads` is above 1, else the calling
     * thread.
     */
    sked_status (*parallel)(void *user, size_t n, sked_task_fn fn, void *arg);

    /*
     * Frees `user`: called once for each handle that was created with this
     * host, after the handle is freed. Never for a creation that failed.
     */
    void (*user_free)(void *user);

    /*
     * Set to non-zero, from any thread, to cancel the running call; clear
     * before the next call. The number must outlive the handle. NULL: nothing
     * cancels.
     */
    const int32_t *cancel;

    uint64_t memory_limit; /* bytes one handle may hold at once; 0: no limit */
    uint32_t threads;      /* most threads of the library's own; 0 or 1: none */
    uint32_t log_level;    /* highest enum sked_log_level wanted; 0:
                              SKED_LOG_WARNING */
} sked_host;

enum sked_host_flag {
    /*
     * After the first successful `_reserve` call, a handle asks for memory in
     * `_reserve` only: any other call that needs more fails with
     * SKED_ERR_NOMEM. Before, the handle asks as usual.
     */
    SKED_HOST_FLAG_RESERVED_ONLY = 1
};

#ifdef __cplusplus
}
#endif

#endif
