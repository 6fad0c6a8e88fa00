#ifndef SKEDI_FILL_PATHS_H
#define SKEDI_FILL_PATHS_H

/* The data and functions that the files of this folder share. No other folder
 * needs this header. */

#include "fill/pick.h"
#include "fill/row.h"

typedef struct skedi_fill_totals {
    skedi_u128 lo;
    skedi_u128 hi;
} skedi_fill_totals;

void skedi_fill_total(const skedi_fill_in *in, skedi_fill_view view,
                      skedi_fill_totals *sums);

/*
 * Settles `level` if the sums alone decide: saturated, overcommitted, or every
 * entry at its guarantee. Otherwise returns 0 and leaves num / den to be found.
 */
int skedi_fill_settle(const skedi_fill_totals *sums, int64_t total,
                      skedi_fill_level *level);

/* Writes the breakpoints, one or two, of a row that is not pinned. */
size_t skedi_fill_breakpoints(const skedi_fill_row *row, size_t i,
                              skedi_fill_key *key);

void skedi_fill_solve_plain(skedi_fill_work *work, const skedi_fill_in *in,
                            skedi_fill_view view, int64_t total,
                            skedi_fill_level *level);

/*
 * A row's exact share x at a level. If lo < x < hi, returns 1 with the whole
 * units of x and the rest in parts of level->den. Otherwise returns 0, and
 * `whole` is the bound.
 */
int skedi_fill_quota(const skedi_fill_row *row, const skedi_fill_level *level,
                     uint64_t *whole, skedi_u128 *part);

/*
 * Moves `extra` units (negative: takes units back) to turn `share`, rounded
 * half up at `level`, into the unit-by-unit answer.
 */
void skedi_fill_repair(skedi_fill_work *work, const skedi_fill_in *in,
                       const skedi_fill_level *level, int64_t extra,
                       int64_t *share);

void skedi_fill_emit_plain(skedi_fill_work *work, const skedi_fill_in *in,
                           const skedi_fill_level *level, int32_t rounding,
                           int64_t *share);

/*
 * A guess for the level: the level lies between `ra` and `rb`. Rows are sorted
 * by products in doubles. `low` and `high` stand a guard band outside `ra` and
 * `rb`: a row beyond the guard band is beyond the bracket despite any rounding.
 */
typedef struct skedi_fill_bracket {
    double ra;
    double rb;
    double low;
    double high;
} skedi_fill_bracket;

/* Sums over rows, in halves of 32 bits: no lane can wrap. */
typedef struct skedi_fill_tally {
    uint64_t fixed[2]; /* amounts of rows whose side is certain, or lo */
    uint64_t lo[2];
    uint64_t hi[2];
    uint64_t slope;
    size_t m; /* keys of the uncertain rows */
    skedi_fill_key *keys;
} skedi_fill_tally;

/*
 * Rounds quotas num * weight / den to whole units: up if the doubled remainder
 * is at least `cut`. A row is noted in `rows` if a unit of the row lies within
 * base + weight * slope of the cut. If this reach is below den, the row has
 * only one unit within reach. The row is then noted only if the unit lies
 * between the row's bounds, with SKEDI_FILL_SERVED if the row was rounded up.
 * den is below 2^50.
 */
#define SKEDI_FILL_SERVED UINT32_C(0x80000000)

typedef struct skedi_fill_cut {
    uint64_t num;
    uint64_t den;
    double level;   /* num / den, about */
    double inverse; /* 1 / den, about */
    int64_t cut;
    int64_t base;
    int64_t slope;
    uint32_t *rows;
    size_t m;
} skedi_fill_cut;

/* Makes a cut at `level`. The cut notes rows behind the memory for n keys. */
skedi_fill_cut skedi_fill_cut_at(const skedi_fill_work *work,
                                 const skedi_fill_in *in,
                                 const skedi_fill_level *level);

/* The three loops. Each path has its own version of the loops. */
typedef struct skedi_fill_kernel {
    /* The family's approximate use at `x`, and the weight that rises at `x`. */
    void (*use)(const skedi_fill_in *in, double x, double *used, double *slope);
    void (*sort)(const skedi_fill_in *in, const skedi_fill_bracket *bracket,
                 skedi_fill_tally *tally);
    /* Returns the sum of the shares modulo 2^64. */
    uint64_t (*round)(const skedi_fill_in *in, skedi_fill_cut *cut,
                      int64_t *share);
} skedi_fill_kernel;

/* The kernel of a path, or NULL where this build or machine has none. */
const skedi_fill_kernel *skedi_fill_kernel_portable(void);
const skedi_fill_kernel *skedi_fill_kernel_avx512(void);
const skedi_fill_kernel *skedi_fill_kernel_avx2(void);

/* Row by row, for the rows of an incomplete vector. */
void skedi_fill_use_rows(const skedi_fill_in *in, size_t from, double x,
                         double *used, double *slope);
void skedi_fill_sort_rows(const skedi_fill_in *in, size_t from,
                          const skedi_fill_bracket *bracket,
                          skedi_fill_tally *tally);
void skedi_fill_undecided(const skedi_fill_in *in, size_t from, unsigned mask,
                          skedi_fill_tally *tally);
uint64_t skedi_fill_round_rows(const skedi_fill_in *in, size_t from,
                               skedi_fill_cut *cut, int64_t *share);

void skedi_fill_solve_fast(skedi_fill_work *work, const skedi_fill_in *in,
                           const skedi_fill_kernel *kernel, int64_t total,
                           const skedi_fill_level *warm,
                           skedi_fill_level *level);

void skedi_fill_emit_fast(skedi_fill_work *work, const skedi_fill_in *in,
                          const skedi_fill_kernel *kernel,
                          const skedi_fill_level *level, int32_t rounding,
                          int64_t *share);

/*
 * Repairs after rounding at cut->num / cut->den, and looks only at the noted
 * rows: rows with a unit within cut->slope / 2 units of the family from the
 * level. Returns 0 and changes no share if the noted rows are not enough.
 */
int skedi_fill_repair_near(skedi_fill_work *work, const skedi_fill_in *in,
                           const skedi_fill_cut *cut, int64_t extra,
                           int64_t *share);

/* The emissions of the guessing path, one per rounding; den below 2^50. */
void skedi_fill_prefix(const skedi_fill_in *in, const skedi_fill_cut *cut,
                       int64_t *share);

/* Returns 0 and leaves `share` without meaning if the guess was wrong. */
int skedi_fill_largest(skedi_fill_work *work, const skedi_fill_in *in,
                       const skedi_fill_kernel *kernel,
                       const skedi_fill_level *level, int64_t *share);

void skedi_fill_webster(skedi_fill_work *work, const skedi_fill_in *in,
                        const skedi_fill_kernel *kernel,
                        const skedi_fill_level *level, int64_t *share);

#endif
