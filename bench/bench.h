#ifndef BENCH_H
#define BENCH_H

/*
 * Every budget of docs/performance.md is measured here, beside a plain writing
 * of what others publish, in the same run and with the same flags.
 *
 * To add one: write bench_<part>.c with
 *
 *     static void flat(bench *b, size_t n)
 *     {
 *         world w = world_make(n);              not timed
 *         bench_compare(b, &(bench_row){
 *             .variant = "cold", .n = n, .unit = BENCH_NS,
 *             .metric = "ns per queue*kind", .budget = 12,
 *             .reference = "bisection in doubles, as YARN publishes it"},
 *             &(bench_job){.run = ours, .arg = &w, .ops = 4.0 * n},
 *             &(bench_job){.run = theirs, .arg = &w, .ops = 4.0 * n});
 *         bench_must(b, same_answer(&w), "bisection gives our shares");
 *         world_drop(&w);
 *     }
 *
 *     const bench_entry bench_share[] = {
 *         {"share.flat", "exact shares, flat", flat, 1000000, 100000, 0}, {0}};
 *
 * and configure again. Nothing here decides pass or fail by a time.
 */

#include <stddef.h>
#include <stdint.h>

typedef struct bench bench;

/* One budget: its name in docs/performance.md and who measures it. */
typedef struct bench_entry {
    const char *name;
    const char *about;
    void (*run)(bench *b, size_t n);
    size_t n;       /* the size its budget speaks of */
    size_t quick_n; /* with --quick; 0: the same */
    size_t scale_n; /* with --scale: this, twice and four times; 0: `n` */
} bench_entry;

/* Something to time. `run` does `ops` operations; make that 0.1 ms or more. */
typedef struct bench_job {
    void (*run)(void *arg);
    void (*before)(void *arg); /* not timed, before every run; may be NULL */
    void *arg;
    double ops;
} bench_job;

/* How a time per operation becomes the figure of a row. */
typedef enum bench_unit {
    BENCH_NS,
    BENCH_US,
    BENCH_MS,
    BENCH_PER_SECOND, /* a rate: more is better */
    BENCH_BYTES       /* for bench_report(): `value` is given, less is better */
} bench_unit;

/* What is said about one measurement; strings live as long as the call. */
typedef struct bench_row {
    const char *variant; /* NULL: there is only one */
    size_t n;
    bench_unit unit;
    const char *metric;    /* "ns per client", "decisions per second" */
    double budget;         /* in that metric; 0: none is set */
    const char *reference; /* whose algorithm is measured beside; NULL: none */
    const char *note;      /* how far the reference is off, and the like */

    /* bench_compare() and bench_measure() fill these in. */
    double value;
    double reference_value; /* 0: not measured */
    double instructions;    /* per operation; negative: not counted */
} bench_row;

/*
 * Times `ours` and `theirs` (NULL: none) in turn, once unmeasured and then
 * until the time for both is used up, and reports the medians as one row.
 * With --scale, sizes beyond the first are measured without `theirs`.
 */
void bench_compare(bench *b, const bench_row *row, const bench_job *ours,
                   const bench_job *theirs);

/* Reports a row whose `value` and `reference_value` the caller measured. */
void bench_report(bench *b, const bench_row *row);

/* A check on the answers: when `holds` is 0, says so; the exit status is 1. */
void bench_must(bench *b, int holds, const char *what);

/* Is this a --quick run? For whatever `n` alone does not make small enough. */
int bench_is_quick(const bench *b);

/* Zeroed memory for `n` items; ends the program when there is none. */
void *bench_new(size_t n, size_t size);

/* The next 64 bits of a stream (SplitMix64); any state is a good seed. */
uint64_t bench_random(uint64_t *state);

/* From 0 to n - 1; n is not 0. */
uint64_t bench_below(uint64_t *state, uint64_t n);

/* ---- between the files of the program itself ---- */

struct bench {
    const char *name; /* of the entry that runs */
    int json;
    int quick;
    int alone;      /* no reference: a further size of --scale */
    int failed;     /* a bench_must() did not hold */
    int counter;    /* file that counts instructions, or -1 */
    int n_rows;     /* printed so far */
    double seconds; /* for one job, warm-up not counted */

    /* Values of the first size of --scale, by variant, for the slope. */
    struct {
        char variant[48];
        double value;
        size_t n;
    } first[32];
    int n_first;
    int scaling; /* 0: no; 1, 2, 3: at the first, second, third size */
};

typedef struct bench_time {
    double ns;           /* median, per operation */
    double instructions; /* least, per operation; negative: not counted */
} bench_time;

extern const bench_entry *const bench_table[];

/* A counter of this thread's instructions, or -1 where none is allowed. */
int bench_counter_open(void);

void bench_time_pair(const bench *b, const bench_job *ours,
                     const bench_job *theirs, bench_time out[2]);

#endif
