#ifndef SKEDI_TARGET_STATE_H
#define SKEDI_TARGET_STATE_H

#include <sched/target.h>

#include "base/arith.h"
#include "base/hooks.h"

/* Columns of n x kinds amounts, row by row. */
enum {
    SKEDI_TARGET_GUARANTEE, /* as told, or by weight */
    SKEDI_TARGET_FORCE,     /* guarantee in force */
    SKEDI_TARGET_DEMAND,    /* of leaves, at least their usage; what of it could
                               run */
    SKEDI_TARGET_CAPS,      /* the most that a row may hold, by all above it; at
                            first its guarantee, as those below lift it */
    SKEDI_TARGET_LIMITS,    /* as told, of leaves what could run */
    SKEDI_TARGET_WANTED,    /* what of it counts for shares */
    SKEDI_TARGET_HELD,      /* of leaves, may not be taken */
    SKEDI_TARGET_SHARES,    /* from here on: results */
    SKEDI_TARGET_EXCESSES,
    SKEDI_TARGET_KEEPS,
    SKEDI_TARGET_TAKES,
    SKEDI_TARGET_OWES,
    SKEDI_TARGET_FIRSTS,
    SKEDI_TARGET_CLAIMS,
    SKEDI_TARGET_BOUNDS, /* what leaves keep, whether or not they give */
    SKEDI_TARGET_COLUMNS
};

/* Rows between two looks at what the host says. */
enum { SKEDI_TARGET_LOOK = 16384 };

/* One round: what it is given, and everything that it works out. */
typedef struct skedi_targets {
    skedi_hooks *hooks;
    sked_target_options options; /* no default left open */
    sked_target_once_input in;
    sked_share_input queues;
    size_t n;
    size_t kinds;
    int64_t *cells; /* SKEDI_TARGET_COLUMNS x n x kinds */
    uint8_t *leaf;
    uint8_t *allowed; /* may be preempted, by its own and all above it */
    uint32_t *reasons;
    uint32_t *rounds;
    sked_time *min_since;
    sked_time *fair_since;
    int open;  /* starvation: enough is used */
    int ticks; /* starvation: a time-out runs that has not passed */
    int64_t need[SKED_MAX_KINDS];
    int64_t budget[SKED_MAX_KINDS];
    int64_t free[SKED_MAX_KINDS];
} skedi_targets;

/* Takes options in (NULL: defaults), with every default filled in. SKED_OK,
 * _ARG, _RANGE or _VERSION. */
sked_status skedi_target_options_in(sked_target_options *options,
                                    const sked_target_options *from,
                                    sked_error *err);

/* Checks arrays and reserves memory; to be freed in any case. */
sked_status skedi_targets_start(skedi_targets *t,
                                const sked_target_once_input *in,
                                sked_error *err);
void skedi_targets_free(skedi_targets *t);

/* What leaves want. SKED_OK, or what stopped it. */
sked_status skedi_targets_want(skedi_targets *t);

/* Adds what a leaf is owed to the need, as far as its tasks can use it. */
void skedi_targets_need(skedi_targets *t, size_t row, const int64_t *owed);

/* How far leaves may claim and what they keep, as a caller says or by their
 * shares. */
void skedi_targets_bound(skedi_targets *t);

/* Guarantees in force and shares, by the dialect. */
sked_status skedi_targets_share(skedi_targets *t, sked_error *err);

/* Which leaves give, which claim, and how much. SKED_OK, or what stopped it. */
sked_status skedi_targets_judge(skedi_targets *t);

/* Both, for arrays as a caller gave them. */
sked_status skedi_targets_round(skedi_targets *t,
                                const sked_target_once_input *in,
                                sked_error *err);

static inline int64_t *skedi_targets_column(const skedi_targets *t, int column)
{
    return t->cells + (size_t)column * t->n * t->kinds;
}

/* Is the kind one that is owed at all? */
static inline int skedi_targets_owes_kind(const skedi_targets *t, size_t k)
{
    return t->options.scope != SKED_SHARE_SCOPE_ONE_KIND ||
           k == t->options.kind;
}

/* A caller's amount; `missing` where there is no column. */
static inline int64_t skedi_targets_told(const skedi_targets *t,
                                         const int64_t *column, size_t row,
                                         size_t k, int64_t missing)
{
    return column ? column[row * t->kinds + k] : missing;
}

#endif
