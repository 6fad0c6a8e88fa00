#ifndef SKED_BATCH_H
#define SKED_BATCH_H

/*
 * A batch of data-parallel tasks on one cluster (moldable tasks): how many
 * slots each task gets and in which order tasks start, for a short makespan.
 * [HSE-7] [HSE-8] [HSE-9] [HSE-10] [HSE-11] [HSE-12]
 *
 * The smallest use:
 *
 *     sked_batch_input in = {.struct_size = sizeof in, .tasks = n,
 *                            .slots = 64, .block = 1000, .bytes = bytes};
 *     sked_batch_plan(&in, NULL, NULL, &result, &err);
 *     // result.spans: start, end and slots of each task
 *
 * The cluster has a number of slots (cores, workers). A task takes some of
 * them, its width, from its start to its end, and its time depends on the
 * width. Times are counted in ticks, which are any unit that the caller uses
 * throughout. A batch begins at tick 0.
 *
 * The time of a task comes from a table, or from the model
 *
 *     start + block * multiplier * ceil(blocks / width) + slot * (width - 1)
 *
 * (start-up, waves of indivisible blocks, coordination). The wave part is
 * rounded to whole ticks, halves up, and is at least 1. With either, slots
 * * (the sum over tasks of their longest time) must be within
 * SKED_MAX_BATCH_WORK; use coarser ticks where it is not.
 *
 * No double decides anything: keys, widths and bounds are exact, the logarithms
 * for annealing and noise are fixed-point numbers, and every tie goes to the
 * task with the lower row. Equal calls give equal answers on every machine. By
 * batch_run.h a host carries out a plan step by step.
 */

#include <sched/locality.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SKED_MAX_BATCH_TASKS = 65536, /* in one batch, at most */
    SKED_MAX_BATCH_SLOTS = 65536,
    SKED_MAX_BATCH_LABELS = 5, /* labels of size: 0 (empty) to 4 (large) */
    SKED_MAX_BATCH_CLUSTERS = 64,
    SKED_MAX_BATCH_WIDTHS = 16777216 /* useful ones of all tasks: no smaller
                                    width is as fast */
};

/* Of slots times longest times, summed over tasks; and of blocks of a batch. */
#define SKED_MAX_BATCH_WORK ((int64_t)1 << 56)
#define SKED_MAX_BATCH_BLOCKS ((int64_t)1 << 40)

/*
 * The methods. SIMPLE is the published algorithm. Of DATA_DRIVEN, ANNEALING,
 * DYNAMIC and MULTI little more than a sentence is published, and the
 * definitions here are this library's. "Strict" methods start tasks in the
 * order of the plan, without overtaking (backfilling). Widths are rounded to
 * the nearest integer, halves up, and lie between 1 and all slots.
 */
enum sked_batch_method {
    /*
     * Tasks are clustered by size, the smallest sizes first, which is an order
     * of ascending bytes. Every task gets floor(slots * clusters / tasks)
     * slots. Strict.
     */
    SKED_BATCH_METHOD_MULTI = 1,
    /* Descending bytes; slots / 2 * bytes / (bytes of the largest). Strict. */
    SKED_BATCH_METHOD_GREEDY = 2,
    /*
     * Widths of GREEDY; the order by simulated annealing: a move swaps two
     * positions, the cost is the makespan by the believed times, and the
     * temperature falls linearly from 5 % of the first makespan. Strict.
     */
    SKED_BATCH_METHOD_ANNEALING = 3,
    /*
     * As ANNEALING, and whenever a task ends, the order of the waiting tasks is
     * annealed again from the present state. Running tasks are expected to end
     * as ADAPT expects it. Strict.
     */
    SKED_BATCH_METHOD_DYNAMIC = 4,
    /*
     * The order of SIMPLE, in windows of `window` tasks. The mean number of
     * blocks is taken by window, the weights are 0.5, 1, 2, 3, 4. Width: as
     * SIMPLE, but blocks do not bound it. Strict.
     */
    SKED_BATCH_METHOD_DATA_DRIVEN = 5,
    /*
     * Descending blocks; then one task from the head, and tasks from the tail
     * while the sum of their weights (0.5, 1, 2, 3, 4 by label) is below
     * sigma, and so on. Width: blocks / (mean blocks) * slots / nodes + tau *
     * (0, 1, 2, 3, 4 by label), at most slots / sigma and at most blocks.
     * Strict. How a width goes evenly over the nodes: sked_batch_spread();
     * where the blocks of a task are then read: sked_batch_locate().
     */
    SKED_BATCH_METHOD_SIMPLE = 6,
    /*
     * The least makespan by the believed times that `max_tries` tries find: the
     * six methods above, canonical widths for a grid of targets, the walk of
     * Turek, Wolf and Yu, a decoder that gives each task the fewest slots that
     * meet a deadline, and a local search from the best of these. A thousandth
     * of the mean use counts too, so that of nearly equal plans the one with
     * less work is taken; but none that ends later than one of the six. So tight
     * a plan is bad when times are not as believed.
     */
    SKED_BATCH_METHOD_BEST = 7,
    /*
     * Online: each time a task ends, the least deadline is computed by which
     * the rest of the work can be done. The part eta of the time until then is
     * the target, and each waiting task, the largest first, starts with the
     * fewest slots that meet the target. For uncertain times.
     */
    SKED_BATCH_METHOD_ADAPT = 8,
    /*
     * One order, and one width for each task, for uncertain times where widths
     * must be fixed in advance: from BEST, SIMPLE and canonical widths, a local
     * search over both for the least mean makespan of 16 runs with noise. With
     * overtaking where that is better. Without noise it is BEST.
     */
    SKED_BATCH_METHOD_ROBUST = 9,
    /*
     * ADAPT with the best of its nine values of eta, or ROBUST where that is
     * better in the same 16 runs. The result says which was chosen.
     */
    SKED_BATCH_METHOD_AUTO = 10
};

/* The rule for the time t-hat, at which the main part ends and the tail begins.
 */
enum sked_batch_tail {
    SKED_BATCH_TAIL_DRAIN = 1,     /* when the last task starts */
    SKED_BATCH_TAIL_THRESHOLD = 2, /* from when on less than theta is in use */
    SKED_BATCH_TAIL_KNEE = 3       /* where mean use falls most */
};

/*
 * Tasks as columns of `tasks` rows, borrowed for the call. One of `bytes` and
 * `blocks` may be NULL: blocks are then bytes over block_bytes, rounded up and
 * at least 1; bytes are blocks * block_bytes.
 */
typedef struct sked_batch_input {
    uint32_t struct_size;
    uint32_t flags;       /* 0 */
    uint64_t tasks;       /* 1 to SKED_MAX_BATCH_TASKS */
    uint32_t slots;       /* 1 to SKED_MAX_BATCH_SLOTS */
    uint32_t nodes;       /* 1 to slots; 0: 1 */
    uint64_t block_bytes; /* 0: 128 MiB */
    int64_t start;        /* the model, in ticks, 0 and more */
    int64_t block;        /* above 0, unless there is a table */
    int64_t slot;
    const uint64_t *bytes;  /* up to SKED_AMOUNT_MAX */
    const uint64_t *blocks; /* 1 and more, SKED_MAX_BATCH_BLOCKS in all */
    const uint8_t *label;   /* NULL: how many of `edges` bytes reach */
    const uint64_t *edges;  /* SKED_MAX_BATCH_LABELS - 1, ascending; NULL: 0.25,
                               2, 8 and 32 GiB */
    const int64_t *multiplier_ppm; /* 1 to 10^9; NULL: SKED_PPM each. Learned
                                      from past runs by sked_batch_learn() */
    const int64_t *actual_ppm;     /* the actual time over the believed one, 1
                                  to 10^9: of the wave part with the model, of
                                  the whole time with a table. NULL: as
                                  believed */
    const int64_t *table; /* tasks x slots: ticks at width 1, 2, ..., each
                                  above 0; NULL: the model */
} sked_batch_input;

typedef struct sked_batch_options {
    uint32_t struct_size;
    uint32_t method;       /* enum sked_batch_method; 0: BEST */
    uint64_t seed;         /* of annealing, BEST and scenarios */
    uint64_t max_tries;    /* schedules tried; of BEST about so many beyond what
                              the six try by default and 400 more, of ROBUST and
                              AUTO a quarter more with 16 runs each. 0: 2,000,
                              of these three 20,000 */
    uint32_t replan_tries; /* for each time DYNAMIC anneals again; 0: 100 */
    uint32_t clusters;     /* of MULTI, 1 to SKED_MAX_BATCH_CLUSTERS; 0: 5 */
    uint32_t window;       /* of DATA_DRIVEN; 0: 10 */
    uint32_t tail;         /* enum sked_batch_tail; 0: DRAIN */
    int64_t theta_ppm;     /* of THRESHOLD, 1 to SKED_PPM; 0: half */
    int64_t sigma_ppm;     /* 1 to 10^12; 0: 3 wholes (SKED_PPM each) */
    int64_t tau_ppm;       /* 1 to 10^12; 0: 15 wholes */
    int64_t eta_ppm;       /* of ADAPT, 1 to SKED_PPM; 0: the best of nine in 16
                              runs with noise each, SKED_PPM without noise */
    int64_t noise_ppm;     /* the log-normal noise expected, 0 to SKED_PPM */
} sked_batch_options;

/* One bar of a Gantt chart. Frozen layout. */
typedef struct sked_batch_span {
    int64_t start;
    int64_t end;
    uint32_t task;
    uint32_t slots;
} sked_batch_span;

/*
 * The figures of a schedule. Ratios are sums over sums as they come, not
 * reduced. Frozen layout.
 */
typedef struct sked_batch_metrics {
    int64_t makespan;
    int64_t t_hat;            /* the main part lasts until here */
    int64_t tail;             /* from there to the end */
    int64_t capacity;         /* sum of slots times ticks; less is better */
    sked_ratio pure_cpu;      /* slots in use over slots until t-hat; 1/1 when
                                  that is 0 */
    sked_ratio tail_cpu;      /* the same from there; 0/1 without a tail */
    sked_ratio tail_overhead; /* tail over the median time of a task, for an
                                  even number the mean of the middle two */
} sked_batch_metrics;

/* Lower bounds of the makespan. */
typedef struct sked_batch_bounds {
    uint32_t struct_size;
    uint32_t reserved;
    sked_ratio area;   /* the least work of all tasks over all slots */
    int64_t path;      /* the longest of the shortest times */
    sked_ratio dual;   /* the least time in which every task fits, and the least
                         work that lets them all be done in it */
    int64_t functions; /* whole ticks, by dual feasible functions */
    int64_t best;      /* the largest of these, in whole ticks */
} sked_batch_bounds;

/* The answer. The caller sets struct_size and the columns, which it owns. */
typedef struct sked_batch_result {
    uint32_t struct_size;
    uint32_t method;  /* AUTO: the one that was chosen */
    uint64_t tries;   /* schedules tried */
    int64_t believed; /* the makespan by the times believed; of DYNAMIC
                                   and ADAPT a run without noise */
    int64_t bound;    /* the dual bound by what happens, in whole
                                   ticks: no schedule ends sooner */
    int64_t eta_ppm;  /* ADAPT: that was used; else 0 */
    sked_batch_metrics metrics; /* of what happens */
    sked_batch_span *spans;     /* one a task, by row */
    uint32_t *cluster;          /* MULTI: the cluster of each task, 0 the one of
                                   the smallest; may be NULL. O(clusters *
                                   tasks^2) */
} sked_batch_result;

/*
 * Lower bounds of the makespan, whatever widths tasks get, by the believed
 * times. The dual feasible functions are the identity and the first three
 * functions u_q of Fekete and Schepers, in mixtures of fifths.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (the row in `err`),
 * SKED_ERR_NOMEM, SKED_ERR_VERSION, SKED_ERR_CANCELLED or the host's own code.
 * On failure nothing is written. Cost: O(useful widths * log) for the first
 * three, 56 times that for the functions.
 */
SKED_TRY sked_status sked_batch_bound(const sked_batch_input *input,
                                      const sked_host *host,
                                      sked_batch_bounds *bounds,
                                      sked_error *err);

/*
 * Plans by the believed times, and runs the plan in virtual time by the actual
 * ones.
 *
 * Returns what sked_batch_bound() returns. On failure nothing is written.
 * Cost: O(tasks log tasks) for MULTI, GREEDY, DATA_DRIVEN and SIMPLE; a run of
 * all tasks for each try of the others; for ADAPT O(tasks * log) a task that
 * ends, 145 times that when it looks for eta; for ROBUST that of BEST and up to
 * 16 runs a try besides; for AUTO all of these.
 */
SKED_TRY sked_status sked_batch_plan(const sked_batch_input *input,
                                     const sked_batch_options *options,
                                     const sked_host *host,
                                     sked_batch_result *result,
                                     sked_error *err);

/* The values that a sweep tries, 1 to 10^12 each. */
typedef struct sked_batch_grid {
    uint32_t struct_size;
    uint32_t reserved; /* 0 */
    uint64_t n_sigma;
    uint64_t n_tau;
    const int64_t *sigma_ppm;
    const int64_t *tau_ppm;
} sked_batch_grid;

/* One cell of a sweep. Frozen layout. */
typedef struct sked_batch_cell {
    int64_t sigma_ppm;
    int64_t tau_ppm;
    sked_batch_metrics metrics;
} sked_batch_cell;

/*
 * SIMPLE or DATA_DRIVEN (options->method; 0: SIMPLE) for every sigma with
 * every tau: n_sigma * n_tau cells, sigma by sigma.
 *
 * Returns what sked_batch_bound() returns; SKED_ERR_RANGE for another method.
 * On failure the contents of the cells mean nothing. Cost: that of n_sigma *
 * n_tau plans.
 */
SKED_TRY sked_status sked_batch_sweep(const sked_batch_input *input,
                                      const sked_batch_grid *grid,
                                      const sked_batch_options *options,
                                      const sked_host *host,
                                      sked_batch_cell *cells, sked_error *err);

/* How to measure a schedule: the number of slots, and the rule for t-hat. */
typedef struct sked_batch_rule {
    uint32_t struct_size;
    uint32_t slots;    /* 1 to SKED_MAX_BATCH_SLOTS */
    uint32_t tail;     /* enum sked_batch_tail; 0: DRAIN */
    uint32_t reserved; /* 0 */
    int64_t theta_ppm; /* of THRESHOLD, 1 to SKED_PPM; 0: half */
} sked_batch_rule;

/*
 * The metrics of any schedule, planned or recorded: `n` spans, 1 to 2^20, in
 * any order. THRESHOLD: the end of the last piece in which at least theta of
 * the slots are in use. KNEE: the moment something starts or ends, before the
 * end of all, at which mean use before less mean use after is largest (both in
 * units of 2^-30 slots, rounded down; the first of equal ones).
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (the row in `err`: it starts
 * before 0 or ends when it starts or before, it has no slots, slots times
 * makespan is above SKED_AMOUNT_MAX, or more slots are in use than there are),
 * SKED_ERR_NOMEM or SKED_ERR_VERSION. Cost: O(n log n).
 */
SKED_TRY sked_status sked_batch_measure(const sked_batch_span *spans, size_t n,
                                        const sked_batch_rule *rule,
                                        const sked_host *host,
                                        sked_batch_metrics *metrics,
                                        sked_error *err);

/* `slots` slots are in use from `at` until the next step. Frozen layout. */
typedef struct sked_batch_step {
    int64_t at;
    int64_t slots;
} sked_batch_step;

/*
 * The slots in use over time: each step is a change, and the last one is to 0.
 * At most `cap` are written; `*n_steps` is how many there are, at most 2 * n.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (a span as above, where there
 * are SKED_MAX_BATCH_SLOTS slots, or `cap` is too small), SKED_ERR_NOMEM or
 * SKED_ERR_VERSION. Cost: O(n log n).
 */
SKED_TRY sked_status sked_batch_utility(const sked_batch_span *spans, size_t n,
                                        const sked_host *host,
                                        sked_batch_step *steps, size_t cap,
                                        size_t *n_steps, sked_error *err);

/*
 * Spreads a width evenly over nodes: each of `per_node` gets width / nodes, and
 * the first width % nodes of them one more. Returns SKED_OK, SKED_ERR_ARG or
 * SKED_ERR_RANGE (no node). Cost: O(nodes).
 */
SKED_TRY sked_status sked_batch_spread(uint32_t width, uint32_t nodes,
                                       uint32_t *per_node, sked_error *err);

/* The model for the time of one task whose blocks lie on hosts, in ticks. */
typedef struct sked_batch_locality_options {
    uint32_t struct_size;
    uint32_t slots;   /* the widths 1 to `slots`; or the width it has */
    int64_t start;    /* each 0 to SKED_MAX_BATCH_WORK: to start at all */
    int64_t block;    /* a tick of load, which is a wave where the input says
                         nothing of ticks */
    int64_t slot;     /* each slot beyond the first */
    int64_t transfer; /* each block that is not local */
} sked_batch_locality_options;

/*
 * The time of a task at each width, as it follows from where its blocks lie: a
 * row of a table for sked_batch_input. The slots of a width are spread evenly
 * over the hosts as cores, with one more for those that have replicas of most
 * of its blocks; a host without slots runs nothing. At the cheapest point
 * (load, transfers) with these cores (locality.h), the task takes exactly
 *
 *     start + load * block + transfers * transfer + slot * (width - 1)
 *
 * and at least 1. `input` says where the blocks lie; its `cores` are NULL.
 * `ticks` and `transfers` (may be NULL) get `slots` numbers. On one host this
 * is the model above.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_NOMEM, SKED_ERR_RANGE (a number out
 * of range; limits that leave too few places; more than SKED_MAX_BATCH_WORK
 * ticks: `err->row` is the width less one), SKED_ERR_VERSION,
 * SKED_ERR_CANCELLED or the host's own code. On failure nothing is written.
 * Cost: `slots` placements (sked_locality_new()). [HSE-7]
 */
SKED_TRY sked_status sked_batch_speedup_from_locality(
    const sked_locality_input *input,
    const sked_batch_locality_options *options, const sked_host *host,
    int64_t *ticks, uint64_t *transfers, sked_error *err);

/* The caller sets struct_size and the columns. */
typedef struct sked_batch_locality_result {
    uint32_t struct_size;
    uint32_t reserved;
    int64_t ticks; /* as above, at width options->slots */
    int64_t load;
    uint64_t transfers;
    uint32_t *host;  /* by block: where it runs */
    uint32_t *cores; /* by host: slots the task has there; may be NULL */
} sked_batch_locality_result;

/*
 * Places the blocks of a task whose width is fixed: the last step of the
 * published algorithm, after the widths of a batch are found. No host is above
 * the load, and the transfers are the fewest.
 *
 * Returns what sked_batch_speedup_from_locality() returns. On failure nothing
 * is written. Cost: a placement and a plan. [HSE-7]
 */
SKED_TRY sked_status sked_batch_locate(
    const sked_locality_input *input,
    const sked_batch_locality_options *options, const sked_host *host,
    sked_batch_locality_result *result, sked_error *err);

/*
 * Log-normal factors of mean 1, for actual_ppm: exp(s * N - s * s / 2) with
 * s = noise_ppm (0 to SKED_PPM), at least a 64th and at most 64 times.
 *
 * Returns SKED_OK, SKED_ERR_ARG or SKED_ERR_RANGE.
 */
SKED_TRY sked_status sked_batch_noise(int64_t noise_ppm, uint64_t seed,
                                      size_t n, int64_t *factor_ppm,
                                      sked_error *err);

/* Past runs of tasks of a batch, in any order; `n` rows each, up to 2^20. */
typedef struct sked_batch_history {
    uint32_t struct_size;
    uint32_t reserved;
    uint64_t n;
    const uint32_t *task;  /* the row in the input */
    const uint32_t *slots; /* it had */
    const int64_t *ticks;  /* it took, 1 to 2^40 */
} sked_batch_history;

/*
 * Learns multipliers from past runs; `multiplier_ppm` gets one for each task.
 * With the model it is what the task's runs took beyond start-up and
 * coordination, over what their waves should have taken; with a table it is
 * what they took over what the table says. It is SKED_PPM without a run, and
 * always 1 to 10^9. The input's own multipliers are not read. `noise_ppm` (may
 * be NULL) gets the standard deviation of the logarithm of the actual ticks
 * over those believed with these multipliers; its divisor is the number of runs
 * less the number of tasks with a run (where that is 0, the answer is 0); at
 * most SKED_PPM.
 *
 * Returns SKED_OK, SKED_ERR_ARG, SKED_ERR_RANGE (the row in `err`),
 * SKED_ERR_NOMEM or SKED_ERR_VERSION. On failure nothing is written. Cost:
 * O(n + tasks).
 */
SKED_TRY sked_status sked_batch_learn(const sked_batch_input *input,
                                      const sked_batch_history *history,
                                      const sked_host *host,
                                      int64_t *multiplier_ppm,
                                      int64_t *noise_ppm, sked_error *err);

#ifdef __cplusplus
}
#endif

#endif
