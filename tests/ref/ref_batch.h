#ifndef REF_BATCH_H
#define REF_BATCH_H

/*
 * Batches the slow way: tick by tick, by every order and every width, by
 * scanning all targets. Small numbers only. Shares no code with the library.
 */

#include <stddef.h>
#include <stdint.h>

enum { REF_BATCH_TASKS = 8, REF_BATCH_SLOTS = 16 };

typedef struct ref_batch {
    int tasks;
    int slots;
    int nodes;
    int64_t bytes[REF_BATCH_TASKS];
    int64_t blocks[REF_BATCH_TASKS];
    int label[REF_BATCH_TASKS];
    int64_t time[REF_BATCH_TASKS][REF_BATCH_SLOTS + 1]; /* by width, from 1 */
} ref_batch;

typedef struct ref_batch_plan {
    int order[REF_BATCH_TASKS];
    int width[REF_BATCH_TASKS]; /* by task */
    int overtake;
    int64_t start[REF_BATCH_TASKS]; /* ref_batch_run() finds these */
    int64_t end[REF_BATCH_TASKS];
} ref_batch_plan;

/* The published methods without a search. */
void ref_batch_multi(const ref_batch *b, int clusters, ref_batch_plan *plan);
void ref_batch_greedy(const ref_batch *b, ref_batch_plan *plan);
void ref_batch_data_driven(const ref_batch *b, int is_simple, int window,
                           int64_t sigma_ppm, int64_t tau_ppm,
                           ref_batch_plan *plan);

/* ADAPT with that eta, by its own clock; returns the makespan. */
int64_t ref_batch_adapt(const ref_batch *b, int64_t eta_ppm,
                        ref_batch_plan *plan);

/* The least sum over clusters of floor(sum of squared distances from the mean)
 * of so many clusters, by every way to cut the sorted bytes. */
int64_t ref_batch_spread(const ref_batch *b, int clusters);

/* Runs a plan tick by tick; returns the makespan. */
int64_t ref_batch_run(const ref_batch *b, ref_batch_plan *plan);

/* The least makespan of all orders and widths. */
int64_t ref_batch_optimum(const ref_batch *b);

/* The dual bound is num / slots, or whole when `num` is -1; and the next whole
 * number of ticks. */
typedef struct ref_batch_dual {
    int64_t num;
    int64_t whole;
} ref_batch_dual;

ref_batch_dual ref_batch_bound(const ref_batch *b);

/* Metrics tick by tick: t-hat by rule 1, 2, 3 (drain, threshold, knee). */
typedef struct ref_batch_metrics {
    int64_t makespan;
    int64_t t_hat;
    int64_t main_use;
    int64_t tail_use;
    int64_t median_twice;
} ref_batch_metrics;

ref_batch_metrics ref_batch_measure(const ref_batch *b,
                                    const ref_batch_plan *plan, int rule,
                                    int64_t theta_ppm);

#endif
