#ifndef SKEDI_FILL_SOLVE_H
#define SKEDI_FILL_SOLVE_H

/*
 * Water filling of one family of siblings in one kind, exactly.
 *
 * share_i = clamp(weight_i * r, lo_i, hi_i), with r such that the shares add
 * up to the total. The work is in two steps, so that a caller may keep a level
 * from one cycle to the next: skedi_fill_solve() finds r as a fraction,
 * skedi_fill_emit() writes whole units. Neither allocates: the caller provides
 * skedi_fill_scratch(n) bytes of scratch.
 *
 * The level is canonical: the least r that uses the total, written as
 * (units not taken by bounded rows) / (sum of the weights rising just below
 * r). So every path, whatever it guessed on the way, gives the same two words.
 */

#include <sched/fill.h>

#include "base/arith.h"

/* The family. Amounts are not checked here: 0 to 2^62, `hi` also INT64_MAX. */
typedef struct skedi_fill_in {
    const int64_t *lo;      /* NULL: all 0; cut to hi where above */
    const int64_t *hi;      /* never NULL; taken as lo where the weight is 0 */
    const uint32_t *weight; /* NULL: `wide`, and without that all 1 */
    const int64_t *wide;    /* weights up to 2^62, or NULL */
    size_t n;               /* below 2^31 */
} skedi_fill_in;

typedef struct skedi_fill_level {
    int32_t outcome;  /* SKED_FILL_OUTCOME_OK, _SATURATED, _OVERCOMMIT */
    int32_t unused;   /* 0 */
    int64_t total;    /* what the shares will add up to */
    int64_t leftover; /* what no row may take */
    /*
     * r = num / den. den is 0 when saturated, and below 2^63 unless the
     * weights are wide or the guarantees overcommit: then share_i =
     * lo_i * num / den, with num the total and den the sum of lo.
     */
    uint64_t num;
    skedi_u128 den;
} skedi_fill_level;

/* The ways to the same answer; tests and benchmarks choose, others leave 0. */
enum {
    SKEDI_FILL_BEST = 0, /* the fastest this machine runs */
    SKEDI_FILL_PLAIN,    /* no guess: exact selection over all breakpoints */
    SKEDI_FILL_PORTABLE, /* guess and verify, in plain C */
    SKEDI_FILL_AVX2,
    SKEDI_FILL_AVX512,
    SKEDI_FILL_PATHS
};

/* Work done, so that a guess that stopped helping shows in a test. */
typedef struct skedi_fill_stats {
    uint64_t passes;       /* exact passes over the family for a level */
    uint64_t guess_steps;  /* rows visited to guess a level */
    uint64_t undecided;    /* breakpoints left to exact selection */
    uint64_t retries;      /* passes whose guess was wrong */
    uint64_t select_steps; /* keys visited by exact selection */
    uint64_t repaired;     /* units moved after rounding */
    uint64_t candidates;   /* keys considered for those moves */
    uint64_t wide_repairs; /* roundings that needed another pass */
} skedi_fill_stats;

typedef struct skedi_fill_work {
    void *scratch; /* skedi_fill_scratch(n) bytes, aligned as malloc's */
    int32_t path;  /* SKEDI_FILL_BEST, or one that this machine runs */
    int32_t unused;
    /* The last level was found between these two levels; scratch has the
     * breakpoints between them, `undecided` in number. */
    double from;
    double to;
    size_t undecided;
    skedi_fill_stats stats; /* added to, never reset */
} skedi_fill_work;

/* Bytes of scratch for families of up to `n` rows; 0 when that overflows. */
size_t skedi_fill_scratch(size_t n);

/* Can this build on this machine take `path`? */
int skedi_fill_has(int32_t path);

/*
 * Finds the level at which `in` uses up `total`. `warm` may be NULL or any
 * earlier level of a similar family: it costs nothing but time when far off.
 * `level` may be `warm`. O(n) expected.
 */
void skedi_fill_solve(skedi_fill_work *work, const skedi_fill_in *in,
                      int64_t total, const skedi_fill_level *warm,
                      skedi_fill_level *level);

/*
 * Writes the shares at a level that skedi_fill_solve() found for this very
 * `in`. `share` may not overlap the input. O(n) expected.
 */
void skedi_fill_emit(skedi_fill_work *work, const skedi_fill_in *in,
                     const skedi_fill_level *level, int32_t rounding,
                     int64_t *share);

/*
 * The bound that binds row `i`: SKED_BOUND_NONE, _GUARANTEE, _LIMIT (for
 * `hi`, whatever it stands for), _WEIGHT or _TOTAL. O(1).
 */
uint8_t skedi_fill_bound(const skedi_fill_in *in, const skedi_fill_level *level,
                         size_t i);

#endif
