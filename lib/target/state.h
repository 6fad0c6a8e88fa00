#ifndef SKEDI_TARGET_STATE_H
#define SKEDI_TARGET_STATE_H

#include <sched/target.h>

#include "base/arith.h"
#include "base/hooks.h"

/* Columns of n x kinds amounts, row by row. */
enum {
    SKEDI_TARGET_GUARANTEE, /* as given, or by weight */
    SKEDI_TARGET_FORCE,     /* guarantee in force */
    SKEDI_TARGET_DEMAND,    /* of leaves: at least the usage; then the part that
                               could run */
    SKEDI_TARGET_CAPS,      /* the most that a row may hold, by all rows above;
                               at first its guarantee, as lifted by the rows
                               below */
    SKEDI_TARGET_LIMITS,    /* as given; of leaves the amount that could run */
    SKEDI_TARGET_WANTED,    /* the part of the demand that counts for shares */
    SKEDI_TARGET_HELD,      /* of leaves: may not be taken */
    SKEDI_TARGET_SHARES,    /* from here on: results */
    SKEDI_TARGET_EXCESSES,
    SKEDI_TARGET_KEEPS,
    SKEDI_TARGET_TAKES,
    SKEDI_TARGET_OWES,
    SKEDI_TARGET_FIRSTS,
    SKEDI_TARGET_CLAIMS,
    SKEDI_TARGET_BOUNDS, /* amounts that leaves keep, giving or not */
    SKEDI_TARGET_COLUMNS
};

/* Rows between two checks of the host's cancel. */
enum { SKEDI_TARGET_LOOK = 16384 };

/* One round: its input, and all its results. */
typedef struct skedi_targets {
    skedi_hooks *hooks;
    sked_target_options options; /* with all defaults set */
    sked_target_once_input in;
    sked_share_input queues;
    size_t n;
    size_t kinds;
    int64_t *cells; /* SKEDI_TARGET_COLUMNS x n x kinds */
    uint8_t *leaf;
    uint8_t *allowed; /* the row and all rows above allow preemption */
    uint32_t *reasons;
    uint32_t *rounds;
    sked_time *min_since;
    sked_time *fair_since;
    int open;  /* starvation: the usage is high enough */
    int ticks; /* starvation: a time-out is running */
    int64_t need[SKED_MAX_KINDS];
    int64_t budget[SKED_MAX_KINDS];
    int64_t free[SKED_MAX_KINDS];
} skedi_targets;

/* Takes options in (NULL: defaults), with every default filled in. SKED_OK,
 * _ARG, _RANGE or _VERSION. */
sked_status skedi_target_options_in(sked_target_options *options,
                                    const sked_target_options *from,
                                    sked_error *err);

/* Checks arrays and reserves memory. The caller frees the memory in any case.
 */
sked_status skedi_targets_start(skedi_targets *t,
                                const sked_target_once_input *in,
                                sked_error *err);
void skedi_targets_free(skedi_targets *t);

/* Finds the wants of leaves. Returns SKED_OK, or the status of a stopped call.
 */
sked_status skedi_targets_want(skedi_targets *t);

/* Adds a leaf's owed amount to the need, up to the part that its tasks can use.
 */
void skedi_targets_need(skedi_targets *t, size_t row, const int64_t *owed);

/* Sets the claims and keeps of leaves, as given by the caller or by their
 * shares. */
void skedi_targets_bound(skedi_targets *t);

/* Computes the guarantees in force and the shares, by the dialect. */
sked_status skedi_targets_share(skedi_targets *t, sked_error *err);

/* Decides which leaves give and claim, and the amounts. Returns SKED_OK, or the
 * status of a stopped call. */
sked_status skedi_targets_judge(skedi_targets *t);

/* Runs a whole round for a caller's arrays. */
sked_status skedi_targets_round(skedi_targets *t,
                                const sked_target_once_input *in,
                                sked_error *err);

static inline int64_t *skedi_targets_column(const skedi_targets *t, int column)
{
    return t->cells + (size_t)column * t->n * t->kinds;
}

/* Checks that the kind can be owed. */
static inline int skedi_targets_owes_kind(const skedi_targets *t, size_t k)
{
    return t->options.scope != SKED_SHARE_SCOPE_ONE_KIND ||
           k == t->options.kind;
}

/* A caller's amount; `missing` without a column. */
static inline int64_t skedi_targets_told(const skedi_targets *t,
                                         const int64_t *column, size_t row,
                                         size_t k, int64_t missing)
{
    return column ? column[row * t->kinds + k] : missing;
}

#endif
