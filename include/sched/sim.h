#ifndef SKED_SIM_H
#define SKED_SIM_H

/*
 * Virtual time around the engine: a recorded or made-up workload on a cluster
 * that exists only here. [LNK-4] [LNK-5] [LNK-6] [LNK-7]
 *
 * The engine is the one that production embeds; the simulator is its host. It
 * submits the jobs when they were submitted, lets every node send its node
 * events, ends tasks when their time is over, and notes how long each job
 * waited. Node events that provably decide nothing are counted, not executed,
 * so an idle or a full cluster costs nothing however long it lasts.
 *
 * What happens at one instant happens in this order: tasks end, nodes fail and
 * return, jobs are submitted (in the order of the columns), a round of
 * preemption is held, nodes send their events (in the order of adding). Answers
 * are the same on every machine.
 *
 * With preemption [CAP-16], a simulated job does nothing about a notice but run
 * on: it may end before the grace does. What is killed ends at once and is open
 * again; its work is lost, and it runs its whole time anew.
 */

#include <sched/engine.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sked_sim sked_sim;

/* Jobs as columns of `n` rows; NULL where the remark gives a value. Borrowed
 * for sked_sim_new() only. */
typedef struct sked_sim_jobs {
    uint32_t struct_size;
    uint32_t n;
    const sked_time *submit;
    const int64_t *run_ns;  /* ns that each task runs; above 0 */
    const int64_t *tasks;   /* 1 or more; NULL: 1 each */
    const int64_t *amounts; /* n x kinds: of one task */
    const sked_queue_id *queue;
    const uint64_t *user;      /* NULL: 1 each */
    const int32_t *priority;   /* NULL: 0 each */
    const uint32_t *partition; /* SKED_ANY_PARTITION: any. NULL: 0 each */
    const uint64_t *stream;    /* what copies are drawn by; NULL: the row */
    /*
     * Where data of tasks lie; not with SKED_SIM_FLAG_GANG. Job j would like
     * nodes place[place_offsets[j]] to place[place_offsets[j + 1] - 1], in the
     * order of the nodes, each once; a row without any: the job has no data. It
     * waits for them as the engine's node_delay and rack_delay say; its
     * node_misses and rack_misses must be 0, since node events may be left out.
     * A task that runs elsewhere takes `transfer_ns` longer.
     */
    const int32_t *place_offsets; /* n + 1, ascending from 0; NULL: no data */
    const uint32_t *place;
    const uint32_t *place_tasks; /* beside them: tasks with data there, up to
                                    INT32_MAX - 1; NULL: any number */
    const int64_t *transfer_ns;  /* ns, by job; NULL: 0 each */
} sked_sim_jobs;

/* Alike nodes. */
typedef struct sked_sim_nodes {
    uint32_t count;
    uint32_t partition;
    uint32_t racks; /* they are spread over so many; 0: no racks */
    uint32_t reserved;
    const int64_t *amounts; /* one a kind */
} sked_sim_nodes;

/* A node that goes away, and (unless `until` is 0) comes back empty. */
typedef struct sked_sim_failure {
    sked_time at;
    sked_time until;
    uint32_t node; /* in the order of the nodes */
    uint32_t reserved;
} sked_sim_failure;

enum sked_sim_flag {
    SKED_SIM_FLAG_GANG = 1,     /* all tasks of a job at once, on one node */
    SKED_SIM_FLAG_NO_SHARES = 2 /* do not compare with fair shares: `fair` and
                              `starved` stay 0, and long runs are faster */
};

typedef struct sked_sim_options {
    uint32_t struct_size;
    uint32_t flags;         /* enum sked_sim_flag */
    uint64_t seed;          /* of copies and of orders by chance */
    int64_t heartbeat_ns;   /* ns from one event of a node to its next; 0: every
                            node that may take something, at every instant at
                            which something happens */
    int64_t until_ns;       /* ns after the first submission at which to stop;
                            0: when everything has ended */
    int64_t multiplier_ppm; /* in ppm; each job is submitted so many times, the
                            part below one by chance; 0: once */
    /*
     * A model of a host that takes time to decide: while it is busy, events
     * queue up. ns a node event, a task started, and an application looked at.
     */
    int64_t cost_event_ns;
    int64_t cost_task_ns;
    int64_t cost_look_ns;
    int64_t sample_every_ns; /* ns between samples of usage and share; 0:
                                none */
    uint32_t max_samples;    /* when there are so many, every second one is left
                             out, and they are taken half as often; 0: no
                             bound */
    uint32_t reserved;       /* 0 */
    const sked_engine_options *engine; /* copied; NULL: defaults; seed 0: that
                                          of the run */
    const sked_engine_preempt_options *preempt; /* copied; NULL: off */
    int64_t round_every_ns; /* ns between rounds of it, from the first
                            submission on; 0: 3 s. Rounds that provably decide
                            nothing are left out [CAP-4] */
} sked_sim_options;

/* What is run: a tree, work, nodes, and what becomes of them. Borrowed for the
 * call. */
typedef struct sked_sim_input {
    uint32_t struct_size;
    uint32_t reserved; /* 0 */
    const sked_tree *tree;
    const sked_sim_jobs *jobs;
    const sked_sim_nodes *nodes; /* groups of nodes that are alike */
    uint64_t n_nodes;
    const sked_sim_failure *failures;
    uint64_t n_failures;
} sked_sim_input;

/*
 * Prepares a run. Everything is copied; `opts` and `host` may be NULL. The
 * caller owns `*sim`.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE (`err->row`
 * names the job, node group or failure), SKED_ERR_STALE (a queue that is not a
 * leaf of the tree's last commit) or SKED_ERR_VERSION.
 */
SKED_TRY sked_status sked_sim_new(const sked_sim_input *input,
                                  const sked_sim_options *opts,
                                  const sked_host *host, sked_sim **sim,
                                  sked_error *err);

/* Frees the run. NULL is allowed. */
SKED_API void sked_sim_free(sked_sim *sim);

/* What happened, as the watcher is told. Frozen layout. */
typedef struct sked_sim_record {
    sked_decision decision; /* keys: job = row + 1 of the jobs as replayed,
                               node = place in the order of nodes + 1; kind
                               SKED_SIM_KIND_FINISH: tasks that ended, `detail`
                               the ns of a transfer that each took */
    uint32_t job;           /* row of the jobs as given */
    uint32_t copy;          /* 0, or which copy */
} sked_sim_record;

enum sked_sim_kind { SKED_SIM_KIND_FINISH = 100 };

/*
 * Called with up to some thousand records at a time, in order; borrowed for
 * the call. Non-zero ends the run as sked_host's hooks do.
 */
typedef sked_status (*sked_sim_watch)(void *user, const sked_sim_record *record,
                                      size_t n);

/*
 * Runs to the end. `watch` may be NULL.
 *
 * Returns SKED_OK, SKED_STOPPED (the progress hook, the cancel flag or the
 * watcher ended it: what happened so far can be read), SKED_ERR_ARG,
 * SKED_ERR_NOMEM, SKED_ERR_RANGE (a time beyond 2^62 ns, where the modelled
 * host never keeps up; a demand beyond an amount), SKED_ERR_STATE (it ran
 * before) or a code of the host's own.
 */
SKED_TRY sked_status sked_sim_run(sked_sim *sim, sked_sim_watch watch,
                                  void *user, sked_error *err);

/*
 * Runs up to `until`, on the workload's clock: everything before that instant
 * has happened, nothing at it or behind. May be called again, with the same
 * watcher, and sked_sim_run() ends such a run. How a run is cut into stretches
 * changes nothing in it. For hosts that decide on the way (sked_sim_usage(),
 * sked_sim_withdraw()).
 *
 * Returns what sked_sim_run() returns; unless that is SKED_OK, the run is over.
 */
SKED_TRY sked_status sked_sim_run_until(sked_sim *sim, sked_time until,
                                        sked_sim_watch watch, void *user,
                                        sked_error *err);

/*
 * Takes job `job` (a row of the jobs as given) and its copies out of the
 * workload before they are submitted, because they were sent elsewhere: as if
 * they had never been there, but that the clock of the run starts with the
 * first submission as given. In sked_sim_delays() their rows stay, with -1.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOT_FOUND (submitted or withdrawn
 * before, or no such row) or SKED_ERR_STATE (the run is over). Never
 * allocates. Cost: O(jobs between now and its submission).
 */
SKED_TRY sked_status sked_sim_withdraw(sked_sim *sim, uint32_t job,
                                       sked_error *err);

/*
 * What a queue uses, and (unless NULL) what it waits for, one amount a kind;
 * the root: all of it. Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_STALE or
 * SKED_ERR_STATE (nothing ran yet). Never allocates.
 */
SKED_TRY sked_status sked_sim_usage(const sked_sim *sim, sked_queue_id queue,
                                    int64_t *usage, int64_t *pending,
                                    sked_error *err);

/*
 * Runs `n` prepared runs, side by side where `host` (may be NULL) has threads;
 * `said[i]` is what sked_sim_run() said of the i-th. The answers do not depend
 * on the number of threads.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_VERSION, SKED_ERR_CANCELLED or a
 * code of the host's own.
 */
SKED_TRY sked_status sked_sim_run_all(sked_sim **sims, size_t n,
                                      const sked_host *host, sked_status *said,
                                      sked_error *err);

/* Exact percentiles by nearest rank, in ns; -1 where nothing was measured.
 * [CAP-20] */
typedef struct sked_sim_delay {
    int64_t p50;
    int64_t p95;
    int64_t p99;
    int64_t max;
    int64_t mean; /* rounded down */
    int64_t n;
} sked_sim_delay;

/* The run as a whole. [LNK-3] */
typedef struct sked_sim_result {
    uint32_t struct_size;
    uint32_t kinds;
    uint64_t digest; /* over all records */
    uint64_t jobs;   /* replayed, copies included */
    uint64_t tasks;
    uint64_t jobs_finished;
    uint64_t tasks_finished;
    uint64_t rejected; /* jobs */
    int64_t first_submit;
    int64_t last_submit;
    int64_t end;                 /* of the last task */
    uint64_t heartbeats;         /* executed */
    uint64_t heartbeats_skipped; /* counted only */
    uint64_t decisions;
    uint64_t events;
    /* ns in stretches of a minute and more in which nothing changed and
     * nothing was started, although something could have been: what ended the
     * stretch was a start */
    int64_t low_rate;
    int64_t sample_every_ns; /* as it is in the end */
    sked_sim_delay delay;    /* per job: submission to first task started */
    uint64_t rounds;         /* of preemption, executed */
    uint64_t notified;       /* tasks; one that is told again counts again */
    uint64_t killed;
    uint64_t withdrawn;
    uint64_t local; /* tasks of jobs with data that started on a place of it */
    uint64_t transfers; /* and that started elsewhere */
} sked_sim_result;

/* Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_STATE (not run yet) or
 * SKED_ERR_VERSION. */
SKED_TRY sked_status sked_sim_get_result(const sked_sim *sim,
                                         sked_sim_result *result,
                                         sked_error *err);

/* One queue's run. */
typedef struct sked_sim_queue {
    uint32_t struct_size;
    uint32_t reserved;
    uint64_t jobs;
    uint64_t tasks;
    int64_t fair_ns;    /* ns with demand and at least the fair share */
    int64_t starved_ns; /* ns with demand and less */
    sked_sim_delay delay;
    int64_t below_guarantee_ns; /* ns with tasks waiting and, of every kind that
                                they want and that is guaranteed, less than
                                its guarantee */
} sked_sim_queue;

/*
 * How a queue (leaf or parent) fared. `peak` (may be NULL): the most it held
 * at one instant, one amount a kind; `work` (may be NULL): amount times ns,
 * exactly, as two words a kind, the low one first.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_STALE, SKED_ERR_STATE or
 * SKED_ERR_VERSION.
 */
SKED_TRY sked_status sked_sim_get_queue(const sked_sim *sim,
                                        sked_queue_id queue,
                                        sked_sim_queue *result, int64_t *peak,
                                        uint64_t *work, sked_error *err);

/*
 * The work that was lost with tasks that were killed: amount times ns since
 * they were started, exactly, as two words a kind, the low one first.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_STATE (not run yet).
 */
SKED_TRY sked_status sked_sim_lost_work(const sked_sim *sim, uint64_t *work,
                                        sked_error *err);

/*
 * What a queue used of one kind, and what its fair share was, at each sampled
 * instant from the first submission on (every `sample_every_ns` of the result).
 * Either array may be NULL. Writes at most `cap`; `*n` is the number there are.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (`cap` too small),
 * SKED_ERR_STALE or SKED_ERR_STATE.
 */
SKED_TRY sked_status sked_sim_samples(const sked_sim *sim, sked_queue_id queue,
                                      int32_t kind, int64_t *usage,
                                      int64_t *share, size_t cap, size_t *n,
                                      sked_error *err);

/*
 * What a queue waited for of one kind at the same instants; 0 with
 * SKED_SIM_FLAG_NO_SHARES. A queue below its share that waits for nothing has
 * all that it wants. `pending` may be NULL. Writes at most `cap`; `*n` is the
 * number there are.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (`cap` too small),
 * SKED_ERR_STALE or SKED_ERR_STATE.
 */
SKED_TRY sked_status sked_sim_pending(const sked_sim *sim, sked_queue_id queue,
                                      int32_t kind, int64_t *pending,
                                      size_t cap, size_t *n, sked_error *err);

/* The delay of each job as replayed, by row; -1: never started. Writes at most
 * `cap`; `*n` is the number there are. Returns SKED_OK, SKED_ERR_ARG,
 * SKED_ERR_RANGE or SKED_ERR_STATE. */
SKED_TRY sked_status sked_sim_delays(const sked_sim *sim, int64_t *delays,
                                     size_t cap, size_t *n, sked_error *err);

/* Which job of the columns each job as replayed is, by row: copies have one in
 * common. Writes at most `cap`; `*n` is the number there are. Returns SKED_OK,
 * SKED_ERR_ARG, SKED_ERR_RANGE or SKED_ERR_STATE. */
SKED_TRY sked_status sked_sim_rows(const sked_sim *sim, uint32_t *rows,
                                   size_t cap, size_t *n, sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
