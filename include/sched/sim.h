#ifndef SKED_SIM_H
#define SKED_SIM_H

/*
 * A discrete-event simulator around the engine: runs a recorded or invented
 * workload on a simulated cluster, in virtual time. [LNK-4] [LNK-5] [LNK-6]
 * [LNK-7] The smallest use:
 *
 *     sked_sim_input in = {.struct_size = sizeof in, .tree = tree,
 *         .jobs = &jobs, .nodes = &nodes, .n_nodes = 1};
 *     sked_sim_new(&in, NULL, NULL, &sim, &err);
 *     sked_sim_run(sim, NULL, NULL, &err);
 *     sked_sim_get_result(sim, &result, &err);
 *
 * The engine is the production engine; the simulator is its host. The simulator
 * submits each job at its time, sends the node events (heartbeats) of every
 * node, ends tasks when their time is over, and measures each job's wait. Node
 * events that provably decide nothing are counted but not executed. An idle or
 * full cluster therefore costs nothing, however long.
 *
 * Events of one instant come in this order: tasks end; nodes fail and return;
 * jobs are submitted, in the order of the columns; a round of preemption is
 * held; nodes send their events, in the order of adding. Answers are the same
 * on every machine.
 *
 * With preemption [CAP-16], a simulated job runs on under notice, so a task may
 * end before its grace does. A killed task ends at once and is open again: its
 * work is lost, and the task runs its whole time anew.
 */

#include <sched/engine_preempt.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sked_sim sked_sim;

/* Jobs as columns of `n` rows. A column may be NULL if its remark gives a
 * meaning for NULL. Borrowed for sked_sim_new() only. */
typedef struct sked_sim_jobs {
    uint32_t struct_size;
    uint32_t reserved; /* 0 */
    uint64_t n;        /* below 2^31 */
    const sked_time *submit;
    const int64_t *run_ns;  /* ns that each task runs; above 0 */
    const int64_t *tasks;   /* 1 or more; NULL: 1 each */
    const int64_t *amounts; /* n x kinds: of one task */
    const sked_queue_id *queue;
    const uint64_t *user;      /* NULL: 1 each */
    const int32_t *priority;   /* NULL: 0 each */
    const uint32_t *partition; /* SKED_ANY_PARTITION: any. NULL: 0 each */
    const uint64_t *stream;    /* name of the stream of random numbers for the
                                  job's number of copies (`multiplier_ppm`);
                                  NULL: the row */
    /*
     * Places of the tasks' data; not with SKED_SIM_FLAG_GANG. Job j prefers the
     * nodes place[place_offsets[j]] to place[place_offsets[j + 1] - 1], in the
     * order of the nodes, each once; a job without places has no data. The job
     * waits for these nodes by node_delay_ns and rack_delay_ns of the engine's
     * options. A task that runs elsewhere takes `transfer_ns` longer.
     */
    const int32_t *place_offsets; /* n + 1, ascending from 0; NULL: no data */
    const uint32_t *place;        /* node's number, from 0 */
    const uint32_t *place_tasks;  /* for each place: tasks with data there, up
                                     to INT32_MAX - 1; NULL: any number */
    const int64_t *transfer_ns;   /* ns, by job; NULL: 0 each */
    /*
     * Rules for the nodes of a job's tasks (rule.h), by the attributes of
     * nodes: the job's row of the rules, from 1; 0: every node. A rule may
     * neither count work nor ask the host. A job is rejected if no node is both
     * large enough and taken by its rule; SKED_REASON_RULE if only the rule
     * blocks.
     */
    const uint32_t *rule;        /* NULL: 0 each */
    const int32_t *rule_offsets; /* n_rules + 1, ascending from 0, offsets into
                                    rule_terms */
    const sked_rule_term *rule_terms; /* NULL: no rule has terms */
    uint64_t n_rules;
    const int64_t *rule_values; /* what the terms of all rules name */
    uint64_t n_rule_values;
} sked_sim_jobs;

/* A group of identical nodes. */
typedef struct sked_sim_nodes {
    uint32_t count;
    uint32_t partition;
    uint32_t racks; /* over which the nodes are spread; 0: no racks */
    uint32_t reserved;
    const int64_t *amounts; /* capacity of one node, one amount a kind */
} sked_sim_nodes;

/* A node that fails, and (unless `until` is 0) returns without tasks. */
typedef struct sked_sim_failure {
    sked_time at;
    sked_time until;
    uint32_t node; /* number of the node, from 0, over all groups */
    uint32_t reserved;
} sked_sim_failure;

enum sked_sim_flag {
    SKED_SIM_FLAG_GANG = 1,      /* all tasks of a job at once, on one node */
    SKED_SIM_FLAG_NO_SHARES = 2, /* usage is not compared with fair shares:
                               `fair_ns` and `starved_ns` stay 0, and long runs
                               are faster */
    SKED_SIM_FLAG_SPREAD = 4,    /* with SKED_SIM_FLAG_GANG: over as many nodes
                                    of one partition as needed [PEL-20] */
    SKED_SIM_FLAG_EXACT = 8      /* with SKED_SIM_FLAG_SPREAD and `per_node`:
                                    exactly `per_node` tasks on each node with
                                    any; tasks of each job are a multiple of
                                    `per_node` (SKED_ERR_ARG names its row) */
};

typedef struct sked_sim_options {
    uint32_t struct_size;
    uint32_t flags;         /* enum sked_sim_flag */
    uint64_t seed;          /* of the random numbers for copies and for the
                               order `random` */
    int64_t heartbeat_ns;   /* ns from one event of a node to its next; 0: every
                               node that may take work sends an event at each
                               instant with a change */
    int64_t until_ns;       /* ns after the first submission at which the run
                               stops; 0: when everything has ended */
    int64_t multiplier_ppm; /* in ppm: how many copies of each job are
                            submitted, a fraction being the probability of one
                            more; 0: one */
    /*
     * A model of a host that takes time to decide: ns for each node event, for
     * each started task, and for each application looked at. Events queue up
     * while the host is busy.
     */
    int64_t cost_event_ns;
    int64_t cost_task_ns;
    int64_t cost_look_ns;
    int64_t sample_every_ns; /* ns between samples of usage and share; 0:
                                none */
    uint32_t max_samples;    /* most samples: at this number every second sample
                                is dropped, and samples become half as frequent;
                                0: no bound */
    uint32_t per_node;       /* with SKED_SIM_FLAG_SPREAD: most tasks of a job
                                on one node; 0: any number */
    const sked_engine_options *engine; /* copied; NULL: defaults; its seed 0:
                                          the seed of the run */
    const sked_engine_preempt_options *preempt; /* copied; NULL: off */
    int64_t round_every_ns; /* ns between rounds of preemption, from the first
                            submission on; 0: 3 s. Rounds that provably decide
                            nothing are left out [CAP-4] */
    /* enum sked_engine_place_mode but SCORE: at each instant with a change each
     * ask finds a node in this mode (sked_engine_place()), and nodes send no
     * events: heartbeat_ns is 0, and no job has places. 0: nodes find asks. */
    uint32_t place;
    uint32_t reserved; /* 0 */
} sked_sim_options;

/* The input of a run: a tree, jobs, nodes, and failures of nodes. Borrowed for
 * the call. */
typedef struct sked_sim_input {
    uint32_t struct_size;
    uint32_t reserved; /* 0 */
    const sked_tree *tree;
    const sked_sim_jobs *jobs;
    const sked_sim_nodes *nodes; /* groups of identical nodes */
    uint64_t n_nodes;
    const sked_sim_failure *failures;
    uint64_t n_failures;
    /* Attributes of nodes (rule.h): nodes of group g have the attributes from
     * attribute_offsets[g] to attribute_offsets[g + 1] - 1 while they are up.
     */
    const int32_t *attribute_offsets; /* n_nodes + 1, ascending from 0; NULL: no
                                         attributes */
    const sked_rule_attribute *attributes; /* NULL: every row is empty */
} sked_sim_input;

/*
 * Prepares a run. Everything is copied; `options` and `host` may be NULL. The
 * caller owns `*sim`.
 *
 * Returns SKED_OK, SKED_ERR_ARG (also an invalid rule, or a rule that counts
 * work or asks the host: `err->row` is the rule, from 0), SKED_ERR_NOMEM,
 * SKED_ERR_RANGE (`err->row` names the job, node group or failure),
 * SKED_ERR_STALE (a queue that is not a leaf of the tree's last commit) or
 * SKED_ERR_VERSION. Cost: O(jobs log jobs + nodes + queues). The run itself
 * begins with O(jobs * groups of nodes).
 */
SKED_TRY sked_status sked_sim_new(const sked_sim_input *input,
                                  const sked_sim_options *options,
                                  const sked_host *host, sked_sim **sim,
                                  sked_error *err);

/* Frees the run. NULL is allowed. */
SKED_API void sked_sim_free(sked_sim *sim);

/* One record for the watcher. Frozen layout. */
typedef struct sked_sim_record {
    /* `job` is 1 + the row of the job as replayed (copies included), `serves`
     * likewise, `node` 1 + the number of the node. With the kind
     * SKED_SIM_KIND_FINISH these tasks have ended, and `detail` is the ns of
     * transfer in each task's run. */
    sked_decision decision;
    uint32_t job;  /* row of the jobs as given */
    uint32_t copy; /* 0 for the job itself, else the number of the copy */
} sked_sim_record;

enum sked_sim_kind { SKED_SIM_KIND_FINISH = 100 };

/*
 * A watcher of a run. Each call gets up to a few thousand records, in order,
 * borrowed for the call. A result other than 0 ends the run as with the hooks
 * of sked_host.
 */
typedef sked_status (*sked_sim_watch)(void *user, const sked_sim_record *record,
                                      size_t n);

/*
 * Runs to the end. `watch` may be NULL.
 *
 * Returns SKED_OK, SKED_STOPPED (the progress hook, the cancel flag or the
 * watcher ended the run: results so far can be read), SKED_ERR_ARG,
 * SKED_ERR_NOMEM, SKED_ERR_RANGE (a time above 2^62 ns, reached if the modelled
 * host never keeps up; a demand above SKED_AMOUNT_MAX), SKED_ERR_STATE (a
 * second run) or a code of the host's own. Cost: the executed events of the
 * engine, and O(log jobs) for each.
 */
SKED_TRY sked_status sked_sim_run(sked_sim *sim, sked_sim_watch watch,
                                  void *user, sked_error *err);

/*
 * Runs up to `until`, on the workload's clock: everything before this instant
 * has happened afterwards, and no event at the instant or later. Further calls
 * with the same watcher may follow, and sked_sim_run() runs the rest. Stretches
 * of any length make the same run as one call. Use: hosts that decide on the
 * way (sked_sim_usage(), sked_sim_withdraw()).
 *
 * Returns as sked_sim_run(); after any result but SKED_OK, the run is over.
 */
SKED_TRY sked_status sked_sim_run_until(sked_sim *sim, sked_time until,
                                        sked_sim_watch watch, void *user,
                                        sked_error *err);

/*
 * Takes job `job` (a row of the jobs as given) and its copies out of the
 * workload before their submission, for example because the host sent them to
 * another cluster. The run goes on as if they had never existed, with two
 * exceptions: the clock still starts with the first submission as given, and
 * sked_sim_delays() still has their rows, with -1.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOT_FOUND (submitted or withdrawn
 * before, or no such row) or SKED_ERR_STATE (the run is over). Never allocates.
 * Cost: O(jobs between now and its submission).
 */
SKED_TRY sked_status sked_sim_withdraw(sked_sim *sim, uint32_t job,
                                       sked_error *err);

/*
 * Reads what a queue uses now, and (unless NULL) what its open tasks want in
 * addition, one amount a kind; for the root, the sums of all queues. Returns
 * SKED_OK, SKED_ERR_ARG, SKED_ERR_STALE or SKED_ERR_STATE (no run yet). Never
 * allocates.
 */
SKED_TRY sked_status sked_sim_usage(const sked_sim *sim, sked_queue_id queue,
                                    int64_t *usage, int64_t *pending,
                                    sked_error *err);

/*
 * Runs `n` prepared runs, in parallel if `host` (may be NULL) has threads;
 * `said[i]` is what sked_sim_run() returned for the i-th. The answers do not
 * depend on the number of threads.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_VERSION, SKED_ERR_CANCELLED or a code
 * of the host's own.
 */
SKED_TRY sked_status sked_sim_run_all(sked_sim **sims, size_t n,
                                      const sked_host *host, sked_status *said,
                                      sked_error *err);

/* Delays in ns: exact percentiles by nearest rank, the largest, the mean, and
 * the number of delays; -1 without any. [CAP-20] */
typedef struct sked_sim_delay {
    int64_t p50;
    int64_t p95;
    int64_t p99;
    int64_t max;
    int64_t mean; /* rounded down */
    uint64_t n;
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
    uint64_t heartbeats;         /* node events that were executed */
    uint64_t heartbeats_skipped; /* node events that were only counted */
    uint64_t decisions;
    uint64_t events;
    /* ns in stretches of a minute and more without a change or a start,
     * although a task could have started: such a stretch ends with a start. */
    int64_t low_rate;
    int64_t sample_every_ns; /* ns between samples at the end of the run */
    sked_sim_delay delay; /* of jobs: from submission to the first task's start
                             */
    uint64_t rounds;      /* of preemption, executed */
    uint64_t notified;    /* tasks put under notice; again counts again */
    uint64_t killed;      /* tasks */
    uint64_t withdrawn;   /* notices, in tasks */
    uint64_t local;       /* tasks of jobs with data, started at the data */
    uint64_t transfers;   /* tasks of jobs with data, started elsewhere */
} sked_sim_result;

/* Reads the result. Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_STATE (not run yet)
 * or SKED_ERR_VERSION. */
SKED_TRY sked_status sked_sim_get_result(const sked_sim *sim,
                                         sked_sim_result *result,
                                         sked_error *err);

/* The results of a run for one queue, leaf or parent. */
typedef struct sked_sim_queue {
    uint32_t struct_size;
    uint32_t reserved;
    uint64_t jobs;
    uint64_t tasks;
    int64_t fair_ns;    /* ns with demand and at least the fair share */
    int64_t starved_ns; /* ns with demand and less than the fair share */
    sked_sim_delay delay;
    int64_t below_guarantee_ns; /* ns with waiting tasks while the queue had
                                   less than its guarantee of every kind that
                                   the tasks want and the queue is guaranteed */
} sked_sim_queue;

/*
 * Reads the results of a queue, leaf or parent. `peak` (may be NULL) gets the
 * most that the queue held of each kind at one instant. `work` (may be NULL)
 * gets the held amounts times ns of its tasks that ended well, exactly: one sum
 * a kind. Killed and lost tasks, and tasks running at the stop, are not
 * included.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_STALE, SKED_ERR_STATE or
 * SKED_ERR_VERSION.
 */
SKED_TRY sked_status sked_sim_get_queue(const sked_sim *sim,
                                        sked_queue_id queue,
                                        sked_sim_queue *result, int64_t *peak,
                                        sked_wide *work, sked_error *err);

/*
 * Reads the work lost with killed tasks: the amount of each times the ns since
 * its start, exactly, one sum a kind.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_STATE (not run yet).
 */
SKED_TRY sked_status sked_sim_lost_work(const sked_sim *sim, sked_wide *work,
                                        sked_error *err);

/*
 * Reads usage and fair share of a queue in one kind at each sampled instant:
 * from the first submission on, every `sample_every_ns` of the result. Either
 * array may be NULL. `*n` is always the full number.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (`cap` too small),
 * SKED_ERR_STALE or SKED_ERR_STATE.
 */
SKED_TRY sked_status sked_sim_samples(const sked_sim *sim, sked_queue_id queue,
                                      uint32_t kind, int64_t *usage,
                                      int64_t *share, size_t cap, size_t *n,
                                      sked_error *err);

/*
 * Reads the demand of a queue's open tasks in one kind, at the same instants; 0
 * with SKED_SIM_FLAG_NO_SHARES. A queue below its share without demand has all
 * that the queue needs. `pending` may be NULL. `*n` is always the full number.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (`cap` too small),
 * SKED_ERR_STALE or SKED_ERR_STATE.
 */
SKED_TRY sked_status sked_sim_pending(const sked_sim *sim, sked_queue_id queue,
                                      uint32_t kind, int64_t *pending,
                                      size_t cap, size_t *n, sked_error *err);

/* The delay in ns of each job as replayed, by row; -1: never started. The call
 * writes at most `cap`; `*n` is always the full number. Returns SKED_OK,
 * SKED_ERR_ARG, SKED_ERR_RANGE (`cap` too small) or SKED_ERR_STATE. */
SKED_TRY sked_status sked_sim_delays(const sked_sim *sim, int64_t *delays,
                                     size_t cap, size_t *n, sked_error *err);

/* For each job as replayed, its row in the columns as given: copies of a job
 * have the same row. The call writes at most `cap`; `*n` is always the full
 * number. Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (`cap` too small) or
 * SKED_ERR_STATE. */
SKED_TRY sked_status sked_sim_rows(const sked_sim *sim, uint32_t *rows,
                                   size_t cap, size_t *n, sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
