#ifndef SKEDI_PCTL_UNITS_H
#define SKEDI_PCTL_UNITS_H

/* Time units as two columns, and the sums of a pass over them. */

#include <sched/pctl.h>

#include "base/arith.h"
#include "base/hooks.h"
#include "base/wide.h"

typedef struct skedi_units {
    const int64_t *length;
    const int64_t *amount;
    size_t n;
} skedi_units;

/* Units per block: a block stays in the nearest cache. */
enum { SKEDI_UNITS_BLOCK = 1024 };

/* All units of a queue. */
typedef struct skedi_units_sum {
    uint64_t all;    /* lengths */
    uint64_t vacant; /* lengths of units with amount 0 */
    uint64_t least;  /* amounts in use for longer than 0; UINT64_MAX: none */
    uint64_t peak;
} skedi_units_sum;

static inline skedi_units_sum skedi_units_none(void)
{
    return (skedi_units_sum){0, 0, UINT64_MAX, 0};
}

/*
 * Adds a block of at most SKEDI_UNITS_BLOCK units. 0: a unit is out of range,
 * or lengths pass 2^63 - 1; then `sum` means nothing.
 */
int skedi_units_add(skedi_units_sum *sum, const skedi_units *block);

/* The fault of refused units; `row` is the first refused unit. */
sked_status skedi_units_fault(const skedi_units *units, uint64_t row,
                              sked_error *err);

/* The units from `at` on, at most a block. */
static inline skedi_units skedi_units_at(const skedi_units *u, size_t at)
{
    size_t rest = u->n - at;

    return (skedi_units){u->length + at, u->amount + at,
                         rest < SKEDI_UNITS_BLOCK ? rest : SKEDI_UNITS_BLOCK};
}

/* Sum of amount * length of the units with amount <= `most`. */
skedi_u128 skedi_units_usage(const skedi_units *units, uint64_t most);

#endif
