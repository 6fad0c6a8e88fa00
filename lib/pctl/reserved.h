#ifndef SKEDI_PCTL_RESERVED_H
#define SKEDI_PCTL_RESERVED_H

/* Reserved or on demand, from any source that knows the lengths up to an
 * amount.
 */

#include "pctl/units.h"

/* Sums of usage, and the source that answers further questions. */
typedef struct skedi_reserve {
    uint64_t in_use; /* lengths at amounts above 0 */
    uint64_t all;    /* all lengths */
    uint64_t peak;
    skedi_u128 usage; /* of all units */

    /* The least amount up to which the lengths in use reach `need`. */
    uint64_t (*at)(const void *from, uint64_t need);
    /* Lengths in use, and usage, at amounts up to `most`. */
    uint64_t (*upto)(const void *from, uint64_t most);
    skedi_u128 (*usage_upto)(const void *from, uint64_t most);
    const void *from;
} skedi_reserve;

/* Checks that the price is in range and the window (0: all lengths) is long
 * enough. Returns SKED_OK or SKED_ERR_RANGE. */
sked_status skedi_reserve_in(const skedi_reserve *r, int64_t *window,
                             sked_ratio price, sked_error *err);

void skedi_reserve_plan(const skedi_reserve *r, int64_t window,
                        sked_ratio price, sked_pctl_reserved_result *plan);

#endif
