#ifndef SKED_RANK_H
#define SKED_RANK_H

/*
 * In which order tasks give way: candidates for preemption by columns.
 * [PEL-12] [PEL-16] [PEL-18] [CAP-15] [CAP-19]
 *
 * An order is a list of keys. The first key on which two candidates differ
 * decides; candidates that are alike in all of them go by position, the
 * earlier first. A host orders by what it likes: it lists the keys, and may
 * bring one of its own as numbers (SKED_RANK_KEY_HOST), but never a comparison,
 * so no order can be broken. A key whose column is NULL says nothing.
 */

#include <sched/host.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The keys. Whose turn it is first: */
enum sked_rank_key {
    SKED_RANK_KEY_STATE = 1,        /* the least `state`: what does not run
                                       yet */
    SKED_RANK_KEY_PREEMPTIBLE = 2,  /* what says that it may be preempted */
    SKED_RANK_KEY_PRIORITY = 3,     /* the lowest priority */
    SKED_RANK_KEY_RUN_TIME = 4,     /* the shortest run: what has not started,
                                  then the latest start */
    SKED_RANK_KEY_LOST_WORK = 5,    /* the least work lost: what has not
                                  started, then the latest checkpoint or
                                  start */
    SKED_RANK_KEY_RESTART_COST = 6, /* the least cost of starting it again */
    SKED_RANK_KEY_RESTARTS = 7,     /* the fewest restarts so far */
    SKED_RANK_KEY_MASTER = 8,       /* what is not an application master */
    SKED_RANK_KEY_NEWEST = 9,       /* the job that was submitted last */
    SKED_RANK_KEY_HOST = 10         /* the least number of the host's */
};

/* Values of `state`. Others may be used: the least go first. */
enum sked_rank_state {
    SKED_RANK_STATE_PENDING = 0, /* admitted, waits for a node */
    SKED_RANK_STATE_PLACING = 1, /* about to get one */
    SKED_RANK_STATE_RUNNING = 2
};

/* Candidates, one a row. What no listed key looks at may be NULL. */
typedef struct sked_rank_input {
    uint32_t struct_size;
    uint32_t flags;              /* 0 */
    uint32_t n;                  /* candidates; below 2^31 */
    uint32_t n_keys;             /* 0: those of SKED_RANK_PRESET_OWN */
    const int32_t *keys;         /* enum sked_rank_key, each once; the first
                                    decides */
    const uint8_t *state;        /* SKED_RANK_STATE_PENDING, _PLACING,
                                    _RUNNING */
    const uint8_t *preemptible;  /* 0: rather not; goes after all others */
    const int32_t *priority;     /* within its queue; higher matters more */
    const sked_time *started;    /* SKED_UNSET: not yet */
    const sked_time *checkpoint; /* of its last one; SKED_UNSET: none */
    const int64_t *restart_cost; /* any number */
    const uint32_t *restarts;
    const uint8_t *master;      /* not 0: its application's master */
    const sked_time *submitted; /* of its job */
    const int64_t *host;        /* any number */
} sked_rank_input;

/*
 * Writes the positions of the first `top` candidates (0, or more than there
 * are: of all of them), whose turn to go is first. `positions` takes so many.
 * `host` may be NULL; it provides the memory to work in.
 *
 * SKED_RANK_KEY_LOST_WORK looks at `started` and at `checkpoint`, whichever is
 * later. [CAP-15]
 *
 * Returns SKED_OK, SKED_ERR_ARG (no such key, a key listed twice: `err->row`
 * names its place; flags), SKED_ERR_NOMEM, SKED_ERR_RANGE (n),
 * SKED_ERR_VERSION, SKED_ERR_CANCELLED or a code of the host's own.
 * Cost: O(n keys), and sorting what is written by radix.
 */
SKED_TRY sked_status sked_rank_order(const sked_rank_input *in, uint32_t top,
                                     const sked_host *host, uint32_t *positions,
                                     sked_error *err);

/* Orders of the systems that are known, and our own. */
enum sked_rank_preset_name {
    /* Ours: state, preemptible, priority, master, lost work, restart cost, run
     * time, newest. */
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
 * Lists the keys of an order that is known, the first deciding first. Writes
 * at most `cap`; `*n` is always how many there are.
 *
 * Returns SKED_OK, SKED_ERR_ARG (no such order) or SKED_ERR_RANGE (`cap` too
 * small: nothing but `*n` is written). Never allocates.
 */
SKED_TRY sked_status sked_rank_preset(int32_t preset, int32_t *keys, size_t cap,
                                      size_t *n, sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
