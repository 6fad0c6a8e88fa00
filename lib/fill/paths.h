#ifndef SKEDI_FILL_PATHS_H
#define SKEDI_FILL_PATHS_H

/* What the files of the filling share, and no other folder needs. */

#include "fill/pick.h"
#include "fill/row.h"

typedef struct skedi_fill_totals {
    skedi_u128 lo;
    skedi_u128 hi;
} skedi_fill_totals;

void skedi_fill_total(const skedi_fill_in *in, skedi_fill_view view,
                      skedi_fill_totals *sums);

/*
 * Settles `level` when the sums alone do: saturated, overcommitted, or
 * every entry at its guarantee. Else returns 0 and leaves num / den to be
 * found.
 */
int skedi_fill_settle(const skedi_fill_totals *sums, int64_t total,
                      skedi_fill_level *level);

/* The one or two breakpoints of a row that is not pinned. */
size_t skedi_fill_breakpoints(const skedi_fill_row *row, size_t i,
                              skedi_fill_key *key);

void skedi_fill_solve_plain(skedi_fill_work *work, const skedi_fill_in *in,
                            skedi_fill_view view, int64_t total,
                            skedi_fill_level *level);

/*
 * A row's exact share x at a level, when lo < x < hi: returns 1 with its whole
 * units and the rest in parts of level->den. Else 0 and `whole` is the bound.
 */
int skedi_fill_quota(const skedi_fill_row *row, const skedi_fill_level *level,
                     uint64_t *whole, skedi_u128 *part);

/*
 * Moves `extra` units (negative: takes back) so that `share`, rounded half up
 * at `level`, becomes the unit-by-unit answer.
 */
void skedi_fill_repair(skedi_fill_work *work, const skedi_fill_in *in,
                       const skedi_fill_level *level, int64_t extra,
                       int64_t *share);

void skedi_fill_emit_plain(skedi_fill_work *work, const skedi_fill_in *in,
                           const skedi_fill_level *level, int32_t rounding,
                           int64_t *share);

/*
 * A guess for the level: it lies between `ra` and `rb`. Rows are sorted by
 * products in doubles, so `low` and `high` stand a guard band outside of both:
 * what is on the far side of them is so whatever the rounding.
 */
typedef struct skedi_fill_bracket {
    double ra;
    double rb;
    double low;
    double high;
} skedi_fill_bracket;

/* Sums over rows, in halves of 32 bits so that no lane can wrap. */
typedef struct skedi_fill_tally {
    uint64_t fixed[2]; /* what rows hold whose side is certain, or lo */
    uint64_t lo[2];
    uint64_t hi[2];
    uint64_t slope;
    size_t m; /* keys of the rows that are not certain */
    skedi_fill_key *keys;
} skedi_fill_tally;

/*
 * How quotas num * weight / den become whole units: up when the doubled
 * remainder is at least `cut`. Rows with a unit within base + weight * slope
 * of that are noted in `rows`: when that reach is below den, there is but one
 * such unit, and the row is noted only if it lies between its bounds, with
 * SKEDI_FILL_SERVED if it was rounded up. den is below 2^50.
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

/* A cut at `level` that notes rows behind memory for n keys. */
skedi_fill_cut skedi_fill_cut_at(const skedi_fill_work *work,
                                 const skedi_fill_in *in,
                                 const skedi_fill_level *level);

/* The three loops that a path does its own way. */
typedef struct skedi_fill_kernel {
    /* What the family uses at `x`, about, and the weight that rises there. */
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

/* Row by row, for the rows that do not fill a vector. */
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
 * The repair after rounding at cut->num / cut->den, looking only at the rows
 * noted: those with a unit within cut->slope / 2 units of the family from
 * there. Returns 0, and nothing is changed, when they are not enough.
 */
int skedi_fill_repair_near(skedi_fill_work *work, const skedi_fill_in *in,
                           const skedi_fill_cut *cut, int64_t extra,
                           int64_t *share);

/* The emissions of the guessing path, one per rounding; den below 2^50. */
void skedi_fill_prefix(const skedi_fill_in *in, const skedi_fill_cut *cut,
                       int64_t *share);

/* Returns 0, with `share` in no useful state, when the guess was wrong. */
int skedi_fill_largest(skedi_fill_work *work, const skedi_fill_in *in,
                       const skedi_fill_kernel *kernel,
                       const skedi_fill_level *level, int64_t *share);

void skedi_fill_webster(skedi_fill_work *work, const skedi_fill_in *in,
                        const skedi_fill_kernel *kernel,
                        const skedi_fill_level *level, int64_t *share);

#endif
