#ifndef SKED_RANK_H
#define SKED_RANK_H

/*
 * The order in which tasks are preempted: candidates as columns. [PEL-12]
 * [PEL-16] [PEL-18] [CAP-15] [CAP-19] The smallest use, by the library's own
 * order:
 *
 *     sked_rank_input in = {.struct_size = sizeof in, .n = n,
 *         .state = state, .priority = priority, .started = started};
 *     sked_rank_order(&in, 0, NULL, positions, &err);
 *
 * An order is a list of sort keys (lexicographic). The first key on which two
 * candidates differ decides. Of candidates with equal keys the earlier row goes
 * first. A host lists the keys, and may add a key of its own as numbers
 * (SKED_RANK_KEY_HOST). A host supplies no comparison function, so no order can
 * contradict itself. A key with a NULL column is left out.
 */

#include <sched/host.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The keys, each with the candidates that go first. */
enum sked_rank_key {
    SKED_RANK_KEY_STATE = 1,        /* the least `state`: candidates that do not
                                       run yet */
    SKED_RANK_KEY_PREEMPTIBLE = 2,  /* candidates with `preemptible` not 0 */
    SKED_RANK_KEY_PRIORITY = 3,     /* the lowest priority */
    SKED_RANK_KEY_RUN_TIME = 4,     /* the least run time: not started, then the
                                       latest start */
    SKED_RANK_KEY_LOST_WORK = 5,    /* the least lost work: not started, then
                                       the latest checkpoint or start */
    SKED_RANK_KEY_RESTART_COST = 6, /* the least cost to start again */
    SKED_RANK_KEY_RESTARTS = 7,     /* the fewest restarts so far */
    SKED_RANK_KEY_MASTER = 8,       /* candidates that are no application
                                       master */
    SKED_RANK_KEY_NEWEST = 9,       /* the job submitted last */
    SKED_RANK_KEY_HOST = 10         /* the least of the host's numbers */
};

/* Values of `state`. A host may use other values: the least goes first. */
enum sked_rank_state {
    SKED_RANK_STATE_PENDING = 0, /* admitted, waits for a node */
    SKED_RANK_STATE_PLACING = 1, /* about to get a node */
    SKED_RANK_STATE_RUNNING = 2
};

/* Candidates, one a row, borrowed for the call. A column that no listed key
 * reads may be NULL. */
typedef struct sked_rank_input {
    uint32_t struct_size;
    uint32_t flags;              /* 0 */
    uint64_t n;                  /* candidates; below 2^31 */
    uint64_t n_keys;             /* 0: the keys of SKED_RANK_PRESET_OWN */
    const int32_t *keys;         /* enum sked_rank_key, each once; the first
                                    decides */
    const uint8_t *state;        /* enum sked_rank_state */
    const uint8_t *preemptible;  /* 0: rather not; goes after all others */
    const int32_t *priority;     /* within its queue; higher matters more */
    const sked_time *started;    /* SKED_UNSET: not yet */
    const sked_time *checkpoint; /* time of the last checkpoint; SKED_UNSET:
                                    none */
    const int64_t *restart_cost; /* any number */
    const uint32_t *restarts;
    const uint8_t *master;      /* not 0: master of its application */
    const sked_time *submitted; /* of its job */
    const int64_t *host;        /* any number */
} sked_rank_input;

/*
 * Writes the rows of the first `top` candidates, in order. `top` 0, or more
 * than `n`, means all. `positions` has space for as many numbers. `host` may be
 * NULL and provides the working memory.
 *
 * SKED_RANK_KEY_LOST_WORK reads `started` and `checkpoint`; the later of the
 * two counts. [CAP-15]
 *
 * Returns SKED_OK, SKED_ERR_ARG (no such key, a key listed twice: `err->row`
 * names its place; flags), SKED_ERR_NOMEM, SKED_ERR_RANGE (n),
 * SKED_ERR_VERSION, SKED_ERR_CANCELLED or a code of the host's own. Cost: O(n *
 * keys), and a radix sort of the written rows.
 */
SKED_TRY sked_status sked_rank_order(const sked_rank_input *input, uint32_t top,
                                     const sked_host *host, uint32_t *positions,
                                     sked_error *err);

/* The library's own order, and orders of other systems. */
enum sked_rank_preset_name {
    /* The library's own: state, preemptible, priority, master, lost work,
     * restart cost, run time, newest. */
    SKED_RANK_PRESET_OWN = 0,
    /* YARN's capacity scheduler, within a leaf: masters last; applications of
     * low priority, then the newest; then the host's number (there: how
     * important a request is), then the newest container. */
    SKED_RANK_PRESET_CAPACITY = 1,
    /* YARN's fair scheduler, on a node: masters last, then the newest
     * container. */
    SKED_RANK_PRESET_FAIR = 2,
    /* Peloton, in a pool: state, priority, run time. [PEL-12] */
    SKED_RANK_PRESET_PELOTON = 3
};

/*
 * Lists the keys of a preset order, the deciding key first. The call writes at
 * most `cap`; `*n` is always the full number.
 *
 * Returns SKED_OK, SKED_ERR_ARG (no such order) or SKED_ERR_RANGE (`cap` too
 * small: only `*n` is written). Never allocates.
 */
SKED_TRY sked_status sked_rank_preset(int32_t preset, int32_t *keys, size_t cap,
                                      size_t *n, sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
